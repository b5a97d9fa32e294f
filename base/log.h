/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program says about its own work, on stderr. Findings about the user's data never go here. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

void log_set_quiet(bool quiet); /* --quiet: warnings are left out, errors stay */
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2))); /* "whylate: warning: ..." */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));   /* "whylate: ..." */

#endif
