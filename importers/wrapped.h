/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that mail broke into several lines, for importers that know how a whole one looks. */
#ifndef IMPORTERS_WRAPPED_H
#define IMPORTERS_WRAPPED_H

#include "base/text.h"
#include "input/lines.h"

#define WRAPPED_MOST 4 /* lines of one row */

/*
 * The row that begins at the line k ahead: while it is not whole and the next line is a rest, that one is joined to it with a blank.
 * Returns how many lines it takes; 0: there is no line. One line is left as it is, more are put together in `joined`; a row
 * that does not become whole is left alone: 1, and *line is its first.
 */
size_t wrapped_row(struct lines *lines, size_t k, bool (*is_whole)(const struct line *), bool (*is_rest)(const struct line *),
                   struct text *joined, struct line *line);

#endif
