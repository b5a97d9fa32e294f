/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

void cells_clear(struct cells *cells)
{
    cells->n = 0;
}

void cells_release(struct cells *cells)
{
    free(cells->cell);
    *cells = (struct cells){0};
}

/* No table has so many columns: a line of a hundred million bytes must not become a list of its words. */
#define MAX_CELLS 65536

void cells_add(struct cells *cells, const char *text, size_t length)
{
    if (cells->n >= MAX_CELLS)
        return;
    memory_reserve(cells->cell, cells->capacity, cells->n + 1);
    cells->cell[cells->n++] = (struct cell){text, length};
}

void cells_add_words(struct cells *cells, const char *text, size_t length)
{
    const char *p = text, *end = text + length;
    while (p < end && cells->n < MAX_CELLS) {
        while (p < end && is_blank(*p))
            p++;
        const char *word = p;
        while (p < end && !is_blank(*p))
            p++;
        if (p > word)
            cells_add(cells, word, (size_t)(p - word));
    }
}

void cells_add_parts(struct cells *cells, const char *text, size_t length, char separator)
{
    const char *p = text, *end = text + length;
    for (;;) {
        const char *stop = p < end ? memchr(p, separator, (size_t)(end - p)) : NULL;
        struct cell part = cell_trim((struct cell){p, (size_t)((stop ? stop : end) - p)});
        cells_add(cells, part.text, part.length);
        if (!stop || cells->n >= MAX_CELLS)
            return;
        p = stop + 1;
    }
}

void cells_of_line(struct cells *cells, const struct line *line)
{
    cells_clear(cells);
    cells_add_words(cells, line->text, line->length);
}

struct cell cells_at(const struct cells *cells, size_t i)
{
    return i < cells->n ? cells->cell[i] : (struct cell){"", 0};
}

bool cell_is(struct cell cell, const char *literal)
{
    return cell.length == strlen(literal) && !memcmp(cell.text, literal, cell.length);
}

bool cell_u64(struct cell cell, uint64_t *value)
{
    const char *p = cell.text, *end = p + cell.length;
    uint64_t v;
    if (!cell.length || *p < '0' || *p > '9' || !scan_u64(&p, end, &v) || p != end)
        return false;
    *value = v;
    return true;
}

bool cell_i64(struct cell cell, int64_t *value)
{
    const char *p = cell.text, *end = p + cell.length;
    int64_t v;
    if (!cell.length || !scan_i64(&p, end, &v) || p != end)
        return false;
    *value = v;
    return true;
}

bool cell_int(struct cell cell, int *value)
{
    int64_t v;
    if (!cell_i64(cell, &v) || v < INT32_MIN || v > INT32_MAX)
        return false;
    *value = (int)v;
    return true;
}

bool cell_ns(struct cell cell, int digits, int64_t *ns)
{
    const char *p = cell.text, *end = p + cell.length;
    bool is_negative = p < end && *p == '-';
    p += is_negative;
    int64_t scaled;
    if (p == end || *p < '0' || *p > '9' || !scan_decimal(&p, end, digits, &scaled) || p != end)
        return false;
    *ns = is_negative ? -scaled : scaled;
    return true;
}

bool cell_is_decimal(struct cell cell)
{
    int64_t ignored;
    return cell.length && memchr(cell.text, '.', cell.length) && cell_ns(cell, 3, &ignored);
}

bool cell_starts(struct cell cell, const char *literal)
{
    size_t length = strlen(literal);
    return cell.length >= length && !memcmp(cell.text, literal, length);
}

bool cell_ends(struct cell cell, const char *literal)
{
    size_t length = strlen(literal);
    return cell.length >= length && !memcmp(cell.text + cell.length - length, literal, length);
}

bool cell_has(struct cell cell, const char *literal)
{
    return memmem(cell.text, cell.length, literal, strlen(literal)) != NULL;
}

struct cell cell_trim(struct cell cell)
{
    while (cell.length && is_blank(cell.text[0])) {
        cell.text++;
        cell.length--;
    }
    while (cell.length && is_blank(cell.text[cell.length - 1]))
        cell.length--;
    return cell;
}

struct cell cell_from(struct cell cell, size_t offset)
{
    if (offset > cell.length)
        offset = cell.length;
    return (struct cell){cell.text + offset, cell.length - offset};
}

struct cell cell_first(struct cell cell, size_t length)
{
    return (struct cell){cell.text, length < cell.length ? length : cell.length};
}

struct cell cell_after(struct cell cell, const char *literal)
{
    const char *found = memmem(cell.text, cell.length, literal, strlen(literal));
    if (!found)
        return (struct cell){"", 0};
    return cell_trim(cell_from(cell, (size_t)(found - cell.text) + strlen(literal)));
}

const char *cell_copy(struct cell cell, char *text, size_t size)
{
    size_t length = cell.length < size - 1 ? cell.length : size - 1;
    memcpy(text, cell.text, length);
    text[length] = '\0';
    return text;
}

bool cell_clock_ns(struct cell cell, int64_t *ns)
{
    const char *p = cell.text, *end = p + cell.length;
    uint64_t part[3];
    for (int i = 0; i < 3; i++) {
        if (p == end || *p < '0' || *p > '9' || !scan_u64(&p, end, &part[i]) || part[i] > 1000000)
            return false;
        if (i < 2 && !scan_literal(&p, end, ":"))
            return false;
    }
    if (p != end || part[1] > 59 || part[2] > 60)
        return false;
    *ns = (int64_t)(part[0] * 3600 + part[1] * 60 + part[2]) * 1000000000;
    return true;
}

const char *line_named_value(const struct line *line, const char *const *names, size_t n, struct cell *value)
{
    const char *colon = memchr(line->text, ':', line->length);
    if (!colon)
        return NULL;
    struct cell name = cell_first(cell_of(line), (size_t)(colon - line->text));
    for (size_t i = 0; i < n; i++)
        if (cell_is(name, names[i])) {
            *value = cell_trim(cell_from(cell_of(line), name.length + 1));
            return names[i];
        }
    return NULL;
}
