/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for people on 80 columns: wrapped paragraphs, tables, bars, colours on a terminal. Every string is cleaned here. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

#define PAGE_COLUMNS 80

enum page_style { STYLE_PLAIN = 0, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_WARN, STYLE_BAD, N_STYLES };

struct page {
    FILE *file;
    bool color;
};

/* A line as it is, not wrapped. */
void page_line(const struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_heading(const struct page *page, const char *title); /* a blank line before it */
/* Wraps text between columns indent and 80; its first line begins with `mark` in a style (NULL: none), then the text. */
void page_paragraph(const struct page *page, size_t indent, enum page_style style, const char *mark, const char *text);

/*
 * A table: cells added row by row. So that it fits 80 columns, too wide ones marked flexible are cut with "...", and a
 * last one that wraps goes on below.
 */
struct table_column {
    const char *title;
    bool right;      /* numbers */
    bool flexible;
    bool wraps;      /* the last column only */
};
struct table;
/* Filled cell by cell, row after row; the columns are lent. */
struct table *table_new(const struct table_column *columns, size_t n_columns);
void table_cell(struct table *table, const char *string); /* NULL: "-"; copied and cleaned */
void table_cell_styled(struct table *table, enum page_style style, const char *string);
size_t table_n_rows(const struct table *table);
void table_print(const struct table *table, const struct page *page, size_t indent);
void table_free(struct table *table);

#endif
