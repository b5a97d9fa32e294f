/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of tables cut into cells: slices of the line, nothing copied. What the importers of printed tables share. */
#ifndef IMPORTERS_CELLS_H
#define IMPORTERS_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/lines.h"

struct cell {
    const char *text; /* not terminated */
    size_t length;
};

/* A growing list of cells. A zeroed struct is empty. */
struct cells {
    struct cell *cell;
    size_t n, capacity;
};
void cells_clear(struct cells *cells); /* keeps the memory */
void cells_release(struct cells *cells);
void cells_add(struct cells *cells, const char *text, size_t length);
/* Appends the words of a line, or its parts between separators with the blanks around them taken off (parts may be empty). */
void cells_add_words(struct cells *cells, const char *text, size_t length);
void cells_add_parts(struct cells *cells, const char *text, size_t length, char separator);
void cells_of_line(struct cells *cells, const struct line *line); /* cleared, then the words of the line */
/* The cell at i, or an empty one past the end. */
struct cell cells_at(const struct cells *cells, size_t i);

/* Each matches the whole cell, or is false and leaves *value alone. */
bool cell_is(struct cell cell, const char *literal);
bool cell_u64(struct cell cell, uint64_t *value);
bool cell_i64(struct cell cell, int64_t *value);
bool cell_int(struct cell cell, int *value);
/* "12.345", "-0.5": a number of units of 10^digits ns (0: ns, 3: us, 6: ms, 9: s); what is below 1 ns is cut. */
bool cell_ns(struct cell cell, int digits, int64_t *ns);
bool cell_is_decimal(struct cell cell); /* a number with a decimal point */
bool cell_starts(struct cell cell, const char *literal);
bool cell_ends(struct cell cell, const char *literal);
bool cell_has(struct cell cell, const char *literal);
struct cell cell_trim(struct cell cell);
/* From the character at offset on. */
struct cell cell_from(struct cell cell, size_t offset);
struct cell cell_first(struct cell cell, size_t length);
/* The text after the first occurrence of literal, trimmed; empty if it is not there. */
struct cell cell_after(struct cell cell, const char *literal);
/* Copies into text, cut at size - 1, always terminated. Returns text. */
const char *cell_copy(struct cell cell, char *text, size_t size);
static inline struct cell cell_of(const struct line *line)
{
    return (struct cell){line->text, line->length};
}

/* "NAME: VALUE" of one of n names: which, and the value without the blanks around it; NULL: of none. */
const char *line_named_value(const struct line *line, const char *const *names, size_t n, struct cell *value);

/* "hh:mm:ss" (hours may have any number of digits) to ns. */
bool cell_clock_ns(struct cell cell, int64_t *ns);

#define CELL_ARGS(cell) (int)((cell).length < 200 ? (cell).length : 200), (cell).text /* for "%.*s" */

#endif
