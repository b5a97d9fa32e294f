/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histogram rows of many threads are wider than a mail:
 *
 *     000004 000007 000012 000019 000031 000002 000000 000004 000009
 *     000001 000000                                  <- of bucket 4, and no bucket 1
 *     000005 000003 ...
 *
 * How many numbers a row has shows in that every row then ends where a line ends and that the buckets rise. Only busy
 * rows may be wrapped, since busy counts are wider.
 */
#include "importers/cyclictest/cyclictest.h"

#define LOOK_AHEAD 128 /* lines */
#define MAX_PIECES 64  /* of one row */

/* How many numbers the line consists of, and the first; 0: something else is in it. */
static size_t count_numbers(const struct line *line, int64_t *first)
{
    const char *p = line->text, *end = p + line->length;
    size_t n = 0;
    int64_t number;
    for (scan_blanks(&p, end); p < end; n++) {
        if (!scan_i64(&p, end, &number))
            return 0;
        if (n == 0)
            *first = number;
        if (p < end && !scan_blanks(&p, end))
            return 0;
    }
    return n;
}

/* Do all rows ahead have so many numbers? A row that the look-ahead cuts is no objection. */
static bool fits(struct lines *lines, size_t width, size_t *n_rows)
{
    struct line line;
    int64_t bucket = -1, first;
    size_t sum = 0, n;
    *n_rows = 0;
    for (size_t i = 0; i < LOOK_AHEAD && lines_peek(lines, i, &line) && (n = count_numbers(&line, &first)) > 0; i++) {
        if (sum == 0) {
            if (first <= bucket)
                return false;
            bucket = first;
        }
        sum += n;
        if (sum > width)
            return false;
        if (sum == width) {
            sum = 0;
            ++*n_rows;
        }
    }
    return true;
}

size_t histogram_row_width(struct lines *lines)
{
    struct line line;
    int64_t first;
    size_t width = 0, n, n_rows;
    for (size_t i = 0; i < MAX_PIECES && lines_peek(lines, i, &line) && (n = count_numbers(&line, &first)) > 0; i++) {
        width += n;
        if (fits(lines, width, &n_rows) && (i == 0 || n_rows >= 3))
            return width;
    }
    return 0;
}

size_t histogram_row_join(struct lines *lines, size_t width, struct text *joined)
{
    struct line line;
    int64_t first;
    size_t sum = 0, n;
    text_truncate(joined, 0);
    for (size_t i = 0; i < MAX_PIECES && lines_peek(lines, i, &line) && (n = count_numbers(&line, &first)) > 0; i++) {
        sum += n;
        if (sum > width || (i == 0 && sum == width))
            return 1;
        if (i)
            text_add_char(joined, ' ');
        text_add_n(joined, line.text, line.length);
        if (sum == width)
            return i + 1;
    }
    return 1;
}

bool histogram_line_continues(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    int64_t number;
    scan_blanks(&p, end);
    if (p == end)
        return false;
    while (scan_i64(&p, end, &number))
        scan_blanks(&p, end);
    if (scan_literal(&p, end, "#")) {
        scan_blanks(&p, end);
        if (!scan_i64(&p, end, &number))
            return false;
        scan_blanks(&p, end);
    }
    scan_literal(&p, end, "others");
    scan_blanks(&p, end);
    return p == end;
}

bool histogram_row_unglue(const struct line *line, size_t n_columns, struct text *out)
{
    const char *p = line->text, *end = p + line->length, *word;
    scan_blanks(&p, end);
    const char *bucket = p;
    uint64_t ignored;
    if (!scan_u64(&p, end, &ignored) || !scan_blanks(&p, end))
        return false;
    for (word = p; p < end && *p >= '0' && *p <= '9'; p++) {
    }
    size_t length = (size_t)(p - word);
    scan_blanks(&p, end);
    if (p != end || length < 12 || length % 6 != 0 || (n_columns > 1 ? length != 6 * n_columns : *word != '0'))
        return false;
    text_truncate(out, 0);
    text_add_n(out, bucket, (size_t)(word - bucket));
    for (size_t i = 0; i < length; i += 6) {
        text_add_n(out, word + i, 6);
        text_add_char(out, ' ');
    }
    return true;
}
