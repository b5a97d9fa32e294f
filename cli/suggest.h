/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

/* The command whose name is nearest to a mistyped word, or NULL if none is near. */
const char *suggest_command(const char *word);

#endif
