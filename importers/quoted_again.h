/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside importers/: replies quote results that stand above in the same text; they are read once. */
#ifndef IMPORTERS_QUOTED_AGAIN_H
#define IMPORTERS_QUOTED_AGAIN_H

#include "input/lines.h"

struct quoted_again;
/* NULL for a text without quoting: the calls below take that. */
struct quoted_again *quoted_again_new(const struct lines *lines, size_t size);
void quoted_again_free(struct quoted_again *seen);
/* Keeps the block that was read: the lines from `begin` to where the cursor is. */
void quoted_again_keep(struct quoted_again *seen, struct lines *lines, size_t begin);
/* How many lines from the cursor on repeat a block, whole or as far as the quote goes; 0: none. */
size_t quoted_again_length(const struct quoted_again *seen, struct lines *lines);

#endif
