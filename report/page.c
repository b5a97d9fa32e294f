/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/page.h"

#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "report/words.h"

static const char *const style_begin[N_STYLES] = {"", "\033[1m", "\033[2m", "\033[32m", "\033[33m", "\033[1;31m"};

static void style_on(const struct page *page, enum page_style style)
{
    if (page->color && style != STYLE_PLAIN)
        fputs(style_begin[style], page->file);
}

static void style_off(const struct page *page, enum page_style style)
{
    if (page->color && style != STYLE_PLAIN)
        fputs("\033[0m", page->file);
}

void page_line(const struct page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(page->file, format, arguments);
    va_end(arguments);
    putc('\n', page->file);
}

void page_heading(const struct page *page, const char *title)
{
    putc('\n', page->file);
    style_on(page, STYLE_BOLD);
    fputs(title, page->file);
    style_off(page, STYLE_BOLD);
    putc('\n', page->file);
}

/* Bytes of the first word of p that fit `columns`, a whole word where possible. */
static size_t word_length(const char *p, size_t columns, size_t *width)
{
    size_t length = strcspn(p, " "), n = 0;
    *width = 0;
    while (n < length && *width < columns) {
        n += words_utf8_length(p + n) ? words_utf8_length(p + n) : 1;
        (*width)++;
    }
    return n;
}

void page_paragraph(const struct page *page, size_t indent, enum page_style style, const char *mark, const char *text)
{
    struct text clean = {0};
    words_clean(text, &clean);
    fprintf(page->file, "%*s", (int)indent, "");
    size_t column = indent;
    if (mark) {
        style_on(page, style);
        fputs(mark, page->file);
        style_off(page, style);
        putc(' ', page->file);
        column += words_width(mark) + 1;
    }
    size_t hanging = mark ? indent + 2 : indent;
    bool is_first = true;
    for (const char *p = text_string(&clean); *p;) {
        p += strspn(p, " ");
        size_t width, length = word_length(p, PAGE_COLUMNS - hanging, &width);
        if (!length)
            break;
        if (column > hanging && column + !is_first + width > PAGE_COLUMNS) {
            fprintf(page->file, "\n%*s", (int)hanging, "");
            column = hanging;
            is_first = true;
        }
        if (!is_first) {
            putc(' ', page->file);
            column++;
        }
        fwrite(p, 1, length, page->file);
        column += width;
        p += length;
        is_first = false;
    }
    putc('\n', page->file);
    text_release(&clean);
}

/* ---- tables ---- */

struct cell {
    char *string;
    enum page_style style;
};
struct table {
    const struct table_column *columns;
    size_t n_columns;
    struct cell *cells;
    size_t n_cells, capacity;
};

struct table *table_new(const struct table_column *columns, size_t n_columns)
{
    struct table *table = memory_new(sizeof *table);
    table->columns = columns;
    table->n_columns = n_columns;
    return table;
}

void table_cell_styled(struct table *table, enum page_style style, const char *string)
{
    struct text clean = {0};
    words_clean(string ? string : "-", &clean);
    memory_reserve(table->cells, table->capacity, table->n_cells + 1);
    table->cells[table->n_cells++] = (struct cell){memory_string(text_string(&clean)), style};
    text_release(&clean);
}

void table_cell(struct table *table, const char *string)
{
    table_cell_styled(table, STYLE_PLAIN, string);
}

size_t table_n_rows(const struct table *table)
{
    return table->n_cells / table->n_columns;
}

static void print_cell(const struct page *page, const struct table_column *column, size_t width, enum page_style style,
                       const char *string, bool is_last)
{
    size_t own = words_width(string), shown = own;
    size_t length = strlen(string);
    if (own > width) { /* cut at a character, "..." at its end */
        shown = width;
        size_t keep = width > 3 ? width - 3 : width;
        length = 0;
        for (size_t i = 0; i < keep; i++)
            length += words_utf8_length(string + length) ? words_utf8_length(string + length) : 1;
    }
    if (column->right)
        fprintf(page->file, "%*s", (int)(width - shown), "");
    style_on(page, style);
    fwrite(string, 1, length, page->file);
    if (own > width && width > 3)
        fputs("...", page->file);
    style_off(page, style);
    if (!column->right && !is_last)
        fprintf(page->file, "%*s", (int)(width - shown), "");
}

/* The cell's words over as many lines as they need, all at the column where the first begins. */
static void print_wrapped(const struct page *page, size_t column, size_t width, const char *string)
{
    size_t used = 0;
    for (const char *p = string; *p;) {
        size_t word_width, length = word_length(p, width, &word_width);
        if (used && used + 1 + word_width > width) {
            fprintf(page->file, "\n%*s", (int)column, "");
            used = 0;
        }
        if (used) {
            putc(' ', page->file);
            used++;
        }
        fwrite(p, 1, length, page->file);
        used += word_width;
        p += length;
        p += strspn(p, " ");
    }
}

/* The layout of a table: how wide its columns are, and what stands between and before them. */
struct layout {
    size_t *width, gap, indent;
};

static size_t layout_total(const struct table *table, const struct layout *layout)
{
    size_t total = layout->indent + layout->gap * (table->n_columns - 1);
    for (size_t c = 0; c < table->n_columns; c++)
        total += layout->width[c];
    return total;
}

/* Narrows the widest columns, no further than `least`, until the rows fit the page. */
static void layout_narrow(const struct table *table, struct layout *layout, size_t least, bool any_column)
{
    for (size_t total = layout_total(table, layout); total > PAGE_COLUMNS; total--) {
        size_t widest = table->n_columns;
        for (size_t c = 0; c < table->n_columns; c++)
            if ((any_column || table->columns[c].flexible || table->columns[c].wraps) && layout->width[c] > least &&
                (widest == table->n_columns || layout->width[c] > layout->width[widest]))
                widest = c;
        if (widest == table->n_columns)
            return;
        layout->width[widest]--;
    }
}

/* Widths as the cells want them; if that is too wide, flexible columns give way first, then blanks, and numbers last. */
static void layout_choose(const struct table *table, struct layout *layout)
{
    for (size_t c = 0; c < table->n_columns; c++) {
        layout->width[c] = words_width(table->columns[c].title);
        for (size_t i = c; i < table->n_cells; i += table->n_columns)
            if (words_width(table->cells[i].string) > layout->width[c])
                layout->width[c] = words_width(table->cells[i].string);
    }
    layout_narrow(table, layout, 8, false);
    if (layout_total(table, layout) > PAGE_COLUMNS)
        layout->gap = 1;
    if (layout_total(table, layout) > PAGE_COLUMNS)
        layout->indent = 0;
    layout_narrow(table, layout, 4, false);
    layout_narrow(table, layout, 6, true);
}

/* Row 0 is the titles. */
static const char *cell_string(const struct table *table, size_t row, size_t column)
{
    return row ? table->cells[(row - 1) * table->n_columns + column].string : table->columns[column].title;
}

void table_print(const struct table *table, const struct page *page, size_t indent)
{
    struct layout layout = {memory_new(table->n_columns * sizeof(size_t)), 2, indent};
    layout_choose(table, &layout);
    bool has_title = false;
    for (size_t c = 0; c < table->n_columns; c++)
        has_title |= *table->columns[c].title != '\0';
    for (size_t row = has_title ? 0 : 1; row <= table_n_rows(table); row++) {
        fprintf(page->file, "%*s", (int)layout.indent, "");
        size_t n_columns = table->n_columns; /* empty cells at the end leave no blanks behind */
        while (n_columns > 1 && !*cell_string(table, row, n_columns - 1))
            n_columns--;
        for (size_t c = 0; c < n_columns; c++) {
            const struct cell *cell = row ? &table->cells[(row - 1) * table->n_columns + c] : NULL;
            if (c)
                fprintf(page->file, "%*s", (int)layout.gap, "");
            if (table->columns[c].wraps && cell) {
                print_wrapped(page, layout_total(table, &layout) - layout.width[c], layout.width[c], cell->string);
                continue;
            }
            print_cell(page, &table->columns[c], layout.width[c], cell ? cell->style : STYLE_DIM,
                       cell ? cell->string : table->columns[c].title, c + 1 == n_columns);
        }
        putc('\n', page->file);
    }
    free(layout.width);
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->n_cells; i++)
        free(table->cells[i].string);
    free(table->cells);
    free(table);
}
