/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Status lines that do not begin their line, or share it:
 *
 *     <pre><code>T: 0 ( 1633) P:80 ... Max:     161<br>T: 1 ( 1634) P:80 ... Max:     185</code></pre>
 *     May 12 10:22:01 target cyclictest[812]: T: 0 ( 1633) P:80 ... Max:     161
 *     T: 0 ( 1633) P:80 ... Max:     161 |  T: 0 ( 1133) P:80 ... Max:      81          two runs side by side
 *     # Max Latencies: 00027 00028      # Max Latencies: 00035 00033                    sums of two histograms
 *
 * They are set as lines of their own, column by column where the columns are of different starts, and read again.
 */
#include "importers/cyclictest/cyclictest.h"

#include <string.h>

#define MAX_ENTRIES 64    /* in one line */
#define MAX_LINES   4096
#define MAX_PREFIX  600   /* bytes in front that may hold a header or a command */

struct entry {
    const char *text;
    int64_t index, tid;
};

/* "T: 0 ( 1633)": */
static bool entry_at(const char *p, const char *end, struct entry *entry)
{
    entry->text = p;
    if (!scan_literal(&p, end, "T:"))
        return false;
    scan_blanks(&p, end);
    if (!scan_i64(&p, end, &entry->index))
        return false;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "("))
        return false;
    scan_blanks(&p, end);
    if (!scan_i64(&p, end, &entry->tid))
        return false;
    scan_blanks(&p, end);
    return scan_literal(&p, end, ")");
}

/* The status lines within a line; a letter in front of the T makes another word of it, unless it is a coded line end. */
static size_t find_entries(const struct line *line, struct entry entries[MAX_ENTRIES])
{
    const char *end = line->text + line->length;
    size_t n = 0;
    for (const char *p = line->text; n < MAX_ENTRIES && (p = memmem(p, (size_t)(end - p), "T:", 2)); p += 2) {
        char before = p > line->text ? p[-1] : ' ';
        bool is_coded_end = before == 'n' && p - line->text >= 2 && p[-2] == '\\';
        bool is_letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
        if ((!is_letter || is_coded_end) && entry_at(p, end, &entries[n]) && memmem(p, (size_t)(end - p), "Max:", 4))
            n++;
    }
    return n;
}

static bool is_at_start(const struct line *line, const struct entry *entry)
{
    for (const char *p = line->text; p < entry->text; p++)
        if (!strchr(" \t|*#", *p))
            return false;
    return true;
}

static bool is_abreast(const struct line *line, const struct entry *entries, size_t n)
{
    return n >= 2 || (n == 1 && !is_at_start(line, &entries[0]) && !line_has(line, "policy:"));
}

/* ---- sums of histograms ---- */

#define MAX_SUMS 8 /* in one line */

struct sum {
    const char *text; /* "# Max Latencies: 00027 00028" */
    size_t length;
    int label;
};

/* The sums within a line, each as far as its numbers go. */
static size_t find_sums(const struct line *line, struct sum sums[MAX_SUMS])
{
    static const char *const labels[] = {"Total:", "Min Latencies:", "Avg Latencies:", "Max Latencies:", "Histogram Overflows:"};
    const char *p = line->text, *end = p + line->length;
    size_t n = 0;
    while (n < MAX_SUMS && p < end && (p = memchr(p, '#', (size_t)(end - p)))) {
        const char *begin = p++, *number;
        int64_t value;
        int label = (int)(sizeof labels / sizeof *labels);
        scan_blanks(&p, end);
        while (label-- > 0 && !scan_literal(&p, end, labels[label]))
            ;
        number = p;
        while (label >= 0 && (scan_blanks(&p, end), scan_i64(&p, end, &value)))
            number = p;
        if (label >= 0 && number > begin && number[-1] != ':')
            sums[n++] = (struct sum){begin, (size_t)(number - begin), label};
    }
    return n;
}

/* Two columns of the same sums, or all sums of one result in one line. */
static bool sums_abreast(const struct line *line, struct sum sums[MAX_SUMS], size_t *n, bool *has_columns)
{
    *n = memchr(line->text, '#', line->length) && line_has(line, ":") ? find_sums(line, sums) : 0;
    *has_columns = *n == 2 && sums[0].label == sums[1].label;
    bool ascends = *n >= 2;
    for (size_t i = 1; i < *n; i++)
        ascends &= sums[i].label > sums[i - 1].label;
    return *has_columns || ascends;
}

static void add_sum(const struct sum *sum, struct text *out)
{
    text_add_n(out, sum->text, sum->length);
    text_add_char(out, '\n');
}

static size_t set_sums_apart(struct lines *lines, struct text *out)
{
    struct text right = {0};
    struct line line;
    struct sum sums[MAX_SUMS];
    size_t n_lines = 0, n;
    bool has_columns = false, was_columns;
    for (; n_lines < MAX_LINES && lines_peek(lines, n_lines, &line); n_lines++) {
        was_columns = has_columns;
        if (!sums_abreast(&line, sums, &n, &has_columns) || (n_lines && !(has_columns && was_columns)))
            break;
        for (size_t i = 0; i < n; i++)
            add_sum(&sums[i], has_columns && i ? &right : out);
    }
    if (right.length) {
        text_add(out, "# Histogram\n");
        text_add_n(out, text_string(&right), right.length);
    }
    text_release(&right);
    return n_lines;
}

static bool sums_begin(struct lines *lines)
{
    struct line line;
    struct sum sums[MAX_SUMS];
    size_t n;
    bool has_columns;
    return lines_peek(lines, 0, &line) && line.length >= 30 && sums_abreast(&line, sums, &n, &has_columns);
}

/* ---- */

bool abreast_begins(struct lines *lines)
{
    struct line line;
    struct entry entries[MAX_ENTRIES];
    if (!lines_peek(lines, 0, &line) || line.length < 30)
        return false;
    return (line_has(&line, "Max:") && is_abreast(&line, entries, find_entries(&line, entries))) || sums_begin(lines);
}

/* Up to the next one, or to what is no part of it: a tag, a coded line end, a bar. */
static void add_entry(const struct entry *entries, size_t i, size_t n, const char *line_end, struct text *out)
{
    const char *end = i + 1 < n ? entries[i + 1].text : line_end, *p = entries[i].text;
    while (p < end && *p != '<' && *p != '\\' && *p != '|')
        p++;
    text_add_n(out, entries[i].text, (size_t)(p - entries[i].text));
    text_add_char(out, '\n');
}

size_t abreast_set_apart(struct lines *lines, struct text *out)
{
    struct line line;
    struct entry entries[MAX_ENTRIES];
    size_t n_lines = 0, n_columns = 1;
    text_truncate(out, 0);
    if (sums_begin(lines))
        return set_sums_apart(lines, out);
    for (; n_lines < MAX_LINES && lines_peek(lines, n_lines, &line); n_lines++) {
        size_t n = find_entries(&line, entries);
        if (!is_abreast(&line, entries, n))
            break;
        if (n_lines == 0)
            n_columns = n == 2 && entries[0].index == entries[1].index && entries[0].tid != entries[1].tid ? 2 : 1;
        else if (n_columns == 2 && n != 2)
            break;
        size_t prefix = (size_t)(entries[0].text - line.text), shown = prefix < MAX_PREFIX ? prefix : MAX_PREFIX;
        const char *from = entries[0].text - shown;
        if (memmem(from, shown, "policy:", 7) || memmem(from, shown, "cyclictest -", 12)) {
            text_add_n(out, from, shown);
            text_add_char(out, '\n');
        }
        for (size_t i = 0; i < (n_columns == 2 ? 1 : n); i++)
            add_entry(entries, i, n, line.text + line.length, out);
    }
    for (size_t k = 0; n_columns == 2 && k < n_lines && lines_peek(lines, k, &line); k++)
        add_entry(entries, 1, find_entries(&line, entries), line.text + line.length, out);
    return n_lines;
}
