/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms (-h, -H, --histfile):
 *
 *     # Histogram
 *     000004 000007\t000012\t000019         the last column is a sum with -H
 *     # Total: 011055136 011055141 ...
 *     # Min Latencies: 00004 00004 ...
 *     # Max Latencies: 00027 00028 ...
 *     # Histogram Overflows: 00000 00000 ...
 *     # Thread 0: 00012 00345 # 00020 others
 *
 * Footers came and went over twenty years of rt-tests (git log src/cyclictest/); whatever is there is taken. Bucket b holds
 * [b, b + 1). A value equal to the limit is an overflow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cyclictest/cyclictest.h"

#define MAX_COLUMNS (MAX_THREADS + 1)
#define MAX_BINS ((size_t)32 << 20) /* of all columns together: half a gigabyte */

enum footer { FOOTER_NONE, FOOTER_BEGIN, FOOTER_TOTAL, FOOTER_MIN, FOOTER_AVG, FOOTER_MAX, FOOTER_OVERFLOWS, FOOTER_CYCLES_HEAD, FOOTER_CYCLES, FOOTER_SMIS };

struct column {
    struct bin *bins;
    size_t n, capacity;
};

struct table {
    struct column *columns;
    size_t n_columns, n_bins;
    int64_t n_rows, last_bucket;
    bool has_zero_rows, has_jumps;
    bool last_is_sum;                /* in every row so far */
    uint64_t n_sum_rows;             /* rows with a count in which the last column was the sum */
    int64_t *values[FOOTER_SMIS + 1];
    size_t n_values[FOOTER_SMIS + 1];
};

/* "Max Latencies: 00047": Markdown took the mark away. Only with numbers as cyclictest prints them. */
static enum footer bare_footer(const char *q, const char *end, const char **p)
{
    static const struct {
        const char *text;
        enum footer footer;
    } footers[] = {{"Min Latencies: ", FOOTER_MIN}, {"Avg Latencies: ", FOOTER_AVG}, {"Max Latencies: ", FOOTER_MAX},
                   {"Total: ", FOOTER_TOTAL}, {"Histogram Overflows: ", FOOTER_OVERFLOWS}};
    for (size_t i = 0; i < sizeof footers / sizeof *footers; i++) {
        const char *r = q;
        int64_t number;
        if (!scan_literal(&r, end, footers[i].text))
            continue;
        scan_blanks(&r, end);
        *p = r;
        return scan_i64(&r, end, &number) && r - *p >= 5 ? footers[i].footer : FOOTER_NONE;
    }
    return FOOTER_NONE;
}

/* "LNICE(-19)    # Avg Latencies: 00191": tables of several results have labels in front. */
static enum footer labelled_footer(const char *q, const char *end, const char **p)
{
    const char *hash = memchr(q, '#', (size_t)(end - q < 42 ? end - q : 42));
    if (!hash || hash == q || hash + 1 == end || (hash[-1] != ' ' && hash[-1] != '\t'))
        return FOOTER_NONE;
    for (const char *r = q; r < hash; r++)
        if (strchr("/\"'`{}=\\|;$^*", *r))
            return FOOTER_NONE;
    q = hash + 1;
    scan_blanks(&q, end);
    return bare_footer(q, end, p);
}

/* Which footer; *p moves behind its colon. */
static enum footer footer_of(const struct line *line, const char **p)
{
    static const struct {
        const char *text;
        enum footer footer;
    } footers[] = {
        {"Histogram Overflow at cycle", FOOTER_CYCLES_HEAD}, {"Histogram Overflows:", FOOTER_OVERFLOWS}, {"Histogram", FOOTER_BEGIN},
        {"Total:", FOOTER_TOTAL}, {"Min Latenc", FOOTER_MIN}, {"Avg Latenc", FOOTER_AVG}, {"Max Latenc", FOOTER_MAX},
        {"SMIs:", FOOTER_SMIS},
    };
    const char *q = line->text, *end = q + line->length;
    scan_blanks(&q, end);
    if (!scan_literal(&q, end, "#")) {
        enum footer footer = bare_footer(q, end, p);
        return footer != FOOTER_NONE ? footer : labelled_footer(q, end, p);
    }
    scan_blanks(&q, end);
    for (size_t i = 0; i < sizeof footers / sizeof *footers; i++) {
        const char *r = q;
        if (!scan_literal(&r, end, footers[i].text))
            continue;
        if (footers[i].footer == FOOTER_BEGIN) {
            scan_blanks(&r, end);
            if (r != end)
                continue;
        } else if (end[-1] != ':' || r < end) {
            const char *colon = memchr(r - 1, ':', (size_t)(end - r) + 1);
            if (!colon && footers[i].footer != FOOTER_CYCLES_HEAD)
                continue;
            r = colon ? colon + 1 : end;
        }
        *p = r;
        return footers[i].footer;
    }
    uint64_t thread;
    if (scan_literal(&q, end, "Thread ") && scan_u64(&q, end, &thread) && scan_literal(&q, end, ":")) {
        *p = q;
        return FOOTER_CYCLES;
    }
    return FOOTER_NONE;
}

/* A row: bucket, then counts only. strict: as printed, with leading zeros. */
static bool is_row(const struct line *line, bool strict)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    const char *bucket = p;
    int64_t n;
    if (!scan_i64(&p, end, &n) || (strict && (p - bucket < 5 || p - bucket > 7)))
        return false;
    if (!scan_blanks(&p, end))
        return false;
    const char *count = p;
    if (!scan_i64(&p, end, &n) && !(p < end && (*p == '-' || (*p >= '0' && *p <= '9'))))
        return false;
    return !strict || p - count >= 6;
}

bool histogram_begins(struct lines *lines)
{
    struct line line, next, third;
    const char *p;
    if (!lines_peek(lines, 0, &line) || line.length < 6)
        return false;
    const char *q = line.text, *end = q + line.length;
    scan_blanks(&q, end);
    if (q == end || (!strchr("#MAH", *q) && (*q < '0' || *q > '9')))
        return false;
    enum footer footer = footer_of(&line, &p);
    if (footer == FOOTER_MAX || footer == FOOTER_MIN || footer == FOOTER_AVG) { /* "# Max Latency: 142us" is somebody else's */
        const char *end_of_line = line.text + line.length, *begin;
        int64_t value;
        scan_blanks(&p, end_of_line);
        begin = p;
        return scan_i64(&p, end_of_line, &value) ? (p == end_of_line || *p == ' ' || *p == '\t') && p - begin >= 5 : p < end_of_line && *p >= '0' && *p <= '9';
    }
    if (footer != FOOTER_NONE)
        return footer != FOOTER_CYCLES && footer != FOOTER_CYCLES_HEAD && footer != FOOTER_SMIS;
    /* Rows without their heading. */
    return is_row(&line, true) && lines_peek(lines, 1, &next) && is_row(&next, true) && lines_peek(lines, 2, &third) &&
           (is_row(&third, true) || footer_of(&third, &p) != FOOTER_NONE);
}

static enum status bad_count(struct import *import, const struct line *line, const char *p, const char *end, struct error *error)
{
    const char *word_end = p;
    while (word_end < end && *word_end != ' ' && *word_end != '\t')
        word_end++;
    int n = word_end - p > 40 ? 40 : (int)(word_end - p);
    return error_input(error, "%s:%llu: count '%.*s' in a histogram %s", import->member->path,
                       (unsigned long long)line->number, n, p, *p == '-' ? "is negative" : "does not fit in 64 bits");
}

static enum status read_bucket(struct import *import, const struct line *line, const char **p, int64_t *bucket, struct error *error)
{
    const char *end = line->text + line->length;
    scan_blanks(p, end);
    if (!scan_i64(p, end, bucket))
        return bad_count(import, line, *p, end, error);
    if (*bucket < 0)
        return error_input(error, "%s:%llu: bucket %lld in a histogram is negative", import->member->path,
                           (unsigned long long)line->number, (long long)*bucket);
    if (*bucket > INT64_MAX / 1000000) /* in ns it must fit */
        return error_input(error, "%s:%llu: bucket %lld in a histogram is too large", import->member->path,
                           (unsigned long long)line->number, (long long)*bucket);
    return OK;
}

/* Makes the column if it is new and the first row goes on; false: the row has too many. */
static bool has_column(struct table *table, size_t column)
{
    if (column < table->n_columns)
        return true;
    if (table->n_rows > 0)
        return false;
    table->columns = memory_resize(table->columns, column + 1, sizeof *table->columns);
    table->columns[column] = (struct column){0};
    table->n_columns = column + 1;
    return true;
}

static enum status add_count(struct import *import, struct table *table, const struct line *line, size_t column, struct bin bin,
                             struct error *error)
{
    struct column *c = &table->columns[column];
    if (++table->n_bins > MAX_BINS)
        return error_input(error, "%s:%llu: too many rows in a histogram", import->member->path, (unsigned long long)line->number);
    memory_reserve(c->bins, c->capacity, c->n + 1);
    c->bins[c->n++] = bin;
    return OK;
}

static enum status take_row(struct import *import, struct table *table, const struct line *line, struct error *error)
{
    const char *p = line->text, *end = p + line->length;
    int64_t bucket;
    uint64_t sum = 0, count = 0;
    size_t column = 0;
    bool has_count = false;
    if (read_bucket(import, line, &p, &bucket, error) == FAILED)
        return FAILED;
    for (scan_blanks(&p, end); p < end; scan_blanks(&p, end), column++) {
        const char *word = p;
        if (!scan_u64(&p, end, &count) || count > INT64_MAX) {
            if (*word == '-' || (*word >= '0' && *word <= '9'))
                return bad_count(import, line, word, end, error);
            break; /* prose behind */
        }
        if (p == end && line_may_be_cut(line) && *word == '0' && p - word < 6) /* of "%06lu" */
            break;
        if (column >= MAX_COLUMNS)
            return error_input(error, "%s:%llu: more than %d columns in a histogram", import->member->path,
                               (unsigned long long)line->number, MAX_COLUMNS);
        if (!has_column(table, column)) {
            import_note(import, "damaged-lines", line->number, "a histogram row with more columns than the one before");
            break;
        }
        if (count && add_count(import, table, line, column, (struct bin){.low_ns = bucket, .count = count}, error) == FAILED)
            return FAILED;
        has_count |= count > 0;
        if (column + 1 < table->n_columns || table->n_rows == 0)
            sum += count;
    }
    if (column < table->n_columns)
        import_note(import, "damaged-lines", line->number, "a histogram row with fewer columns than the one before");
    if (table->n_rows == 0 && column)
        sum -= count; /* the last column was added while their number was not known */
    if (has_count) {
        table->n_sum_rows++;
        table->last_is_sum &= column == table->n_columns && sum == count;
    } else {
        table->has_zero_rows = true;
    }
    table->has_jumps |= table->n_rows > 0 && bucket != table->last_bucket + 1;
    table->n_rows++;
    table->last_bucket = bucket;
    return OK;
}

/* Numbers of a footer, "%05lu"; 20 digits are 2^64 - n: a negative latency. Fewer than 5 where the file ends: cut. */
static void take_footer(struct import *import, struct table *table, enum footer footer, const char *p, const struct line *line)
{
    const char *end = line->text + line->length;
    uint64_t value;
    if (table->n_values[footer]) /* the first stands */
        return;
    for (scan_blanks(&p, end); p < end; scan_blanks(&p, end)) {
        int64_t number;
        const char *word = p;
        if (scan_u64(&p, end, &value))
            number = (int64_t)value;
        else if (!scan_i64(&p, end, &number))
            break;
        if (p == end && line_may_be_cut(line) && p - word < 5)
            break;
        size_t n = table->n_values[footer];
        if (n >= MAX_COLUMNS)
            break;
        table->values[footer] = memory_resize(table->values[footer], n + 1, sizeof(int64_t));
        table->values[footer][n] = number;
        table->n_values[footer]++;
    }
    if (p < end && *p == '#' && memmem(p, (size_t)(end - p), "Latenc", 6))
        import_note(import, "damaged-lines", line->number, "the sums of another histogram stand beside those of this one: they are not read");
}

/* "# Thread 0: 00012 00345 # 00020 others", p behind "# Thread 0:" */
static void take_cycles(struct result *result, const char *p, const struct line *line)
{
    const char *end = line->text + line->length, *q = line->text;
    uint64_t index, cycle;
    while (q < p && (*q < '0' || *q > '9'))
        q++;
    if (!scan_u64(&q, end, &index) || index >= MAX_THREADS)
        return;
    struct thread_result *t = result_thread(result, (int64_t)index);
    if (!t)
        return;
    while (scan_blanks(&p, end) && scan_u64(&p, end, &cycle)) {
        memory_reserve(t->overflow_cycles, t->overflow_cycles_capacity, t->n_overflow_cycles + 1);
        t->overflow_cycles[t->n_overflow_cycles++] = cycle;
    }
    if (scan_literal(&p, end, "#")) {
        scan_blanks(&p, end);
        scan_i64(&p, end, &t->n_unlisted);
    }
}

/* Threads: as many as the minima, else the columns without their sum. */
static size_t count_threads(const struct table *table, const struct result *result, bool *has_sum)
{
    size_t n_min = table->n_values[FOOTER_MIN] ? table->n_values[FOOTER_MIN] : table->n_values[FOOTER_AVG];
    *has_sum = false;
    if (n_min) {
        *has_sum = table->n_columns == n_min + 1;
        return n_min;
    }
    if (!table->n_columns)
        return table->n_values[FOOTER_MAX] ? table->n_values[FOOTER_MAX] : table->n_values[FOOTER_TOTAL];
    size_t n = table->n_columns;
    if (result->command.is_histofall || (result->has_status && result->n_threads + 1 == n))
        *has_sum = n > 1;
    else
        *has_sum = n > 1 && table->last_is_sum && table->n_sum_rows > 5;
    return n - *has_sum;
}

static void give_to_threads(struct result *result, struct table *table)
{
    struct histogram_facts *h = &result->histogram;
    size_t n = count_threads(table, result, &h->has_sum_column);
    h->single_max = table->n_values[FOOTER_MAX] == 1 && n > 1 && !table->n_values[FOOTER_MIN];
    h->n_rows = table->n_rows;
    h->last_bucket = table->n_rows ? table->last_bucket : -1;
    h->has_zero_rows = table->has_zero_rows;
    /* Versions that print zeros print all rows; a report may print none of them, and only the sums below. */
    h->lacks_rows = (table->has_zero_rows && table->has_jumps) || h->n_rows == 0;
    h->has_total = table->n_values[FOOTER_TOTAL] > 0;
    h->has_footers = h->has_total || table->n_values[FOOTER_MIN] || table->n_values[FOOTER_MAX];
    for (size_t i = 0; i < n; i++) {
        struct thread_result *t = result_thread(result, (int64_t)i);
        if (!t)
            break;
        t->line = h->line;
        if (i < table->n_columns) {
            free(t->bins);
            t->bins = table->columns[i].bins;
            t->n_bins = table->columns[i].n;
            t->bins_capacity = table->columns[i].capacity;
            table->columns[i] = (struct column){0};
        }
        const struct {
            enum footer footer;
            int64_t *to;
        } footers[] = {{FOOTER_TOTAL, &t->total}, {FOOTER_MIN, &t->min}, {FOOTER_AVG, &t->avg}, {FOOTER_MAX, &t->max},
                       {FOOTER_OVERFLOWS, &t->overflow}, {FOOTER_SMIS, &t->smi}};
        for (size_t k = 0; k < sizeof footers / sizeof *footers; k++)
            if (i < table->n_values[footers[k].footer] && !(footers[k].footer == FOOTER_MAX && h->single_max))
                *footers[k].to = table->values[footers[k].footer][i];
        /* The row of the maximum is always printed, unless it overflowed. */
        h->lacks_maximum |= h->n_rows && t->overflow == 0 && t->max != PRINTED_UNKNOWN && t->max > h->last_bucket && t->max <= 1000000;
    }
}

/*
 * Reports print the summary first, then the rows. Is this a histogram without a summary that follows one without rows,
 * with nothing but blank lines between?
 */
static bool rows_of_summary(const struct cyclictest_state *state, struct lines *lines)
{
    const struct histogram_facts *h = &state->result.histogram;
    struct line line;
    const char *p;
    size_t k = 1;
    if (!state->result.is_open || !h->is_there || h->n_rows || !h->has_footers || state->histogram_block != state->n_blocks ||
        !lines_peek(lines, 0, &line) || footer_of(&line, &p) != FOOTER_BEGIN)
        return false;
    while (lines_peek(lines, k, &line) && is_row(&line, true))
        k++;
    return k > 1 && !(lines_peek(lines, k, &line) && footer_of(&line, &p) != FOOTER_NONE);
}

/* The numbers of the summary above as if they stood below. */
static void take_summary(const struct result *result, struct table *table)
{
    for (size_t i = 0; i < result->n_threads; i++) {
        const struct thread_result *t = &result->threads[i];
        const struct {
            enum footer footer;
            int64_t value;
        } footers[] = {{FOOTER_TOTAL, t->total}, {FOOTER_MIN, t->min}, {FOOTER_AVG, t->avg}, {FOOTER_MAX, t->max},
                       {FOOTER_OVERFLOWS, t->overflow}, {FOOTER_SMIS, t->smi}};
        for (size_t k = 0; k < sizeof footers / sizeof *footers; k++) {
            enum footer footer = footers[k].footer;
            if (footers[k].value == PRINTED_UNKNOWN || table->n_values[footer] != i)
                continue;
            table->values[footer] = memory_resize(table->values[footer], i + 1, sizeof(int64_t));
            table->values[footer][i] = footers[k].value;
            table->n_values[footer]++;
        }
    }
}

static void table_release(struct table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        free(table->columns[i].bins);
    free(table->columns);
    for (size_t i = 0; i <= FOOTER_SMIS; i++)
        free(table->values[i]);
}

/* Up to 0.55 one "# Max Latency: 00114 / 00120" stands for all threads: limit behind the stroke. */
static void take_old_maximum(struct result *result, const struct line *line)
{
    const char *stroke = memchr(line->text, '/', line->length);
    if (!stroke || !line_has(line, "Latency:"))
        return;
    const char *p = stroke + 1, *end = line->text + line->length;
    scan_blanks(&p, end);
    scan_i64(&p, end, &result->histogram.max_line_limit);
    result->histogram.single_max = true;
}

/* A footer with the lines that mail made of its end. Returns how many lines; more than 1: joined is their text. */
static size_t join_footer(struct lines *lines, struct text *joined)
{
    struct line line;
    size_t n = 0;
    text_truncate(joined, 0);
    while (lines_peek(lines, n, &line) && (n == 0 || histogram_line_continues(&line)) && n < 1000) {
        if (n++)
            text_add_char(joined, ' ');
        text_add_n(joined, line.text, line.length);
    }
    return n;
}

/* The line is its pieces, and ends where the last one does. */
static void take_joined(struct lines *lines, size_t n_lines, const struct text *joined, struct line *line)
{
    struct line last;
    if (lines_peek(lines, n_lines - 1, &last))
        line->is_unterminated = last.is_unterminated;
    line->text = text_string(joined);
    line->length = joined->length;
}

/* A histogram on its way in. */
struct reading {
    struct import *import;
    struct result *result;
    struct lines *lines;
    struct table table;
    struct text joined;          /* the lines at hand as one */
    size_t n_lines;              /* at hand: more than 1 where a mail wrapped a row */
    size_t width;                /* of rows that a mail wrapped; 0: it did not */
    uint64_t n_wrapped, n_glued; /* lines; rows that lost their tabs */
    bool has_old_maximum;
};

/* The line begins the next histogram: this one has what it brings already. */
static bool begins_another(const struct table *table, enum footer footer)
{
    size_t n_extremes = table->n_values[FOOTER_MAX] + table->n_values[FOOTER_MIN];
    return (footer == FOOTER_BEGIN && table->n_rows + (int64_t)n_extremes) ||
           (footer == FOOTER_MIN && n_extremes); /* of a summary the minimum is printed first */
}

static void take_footer_line(struct reading *r, enum footer footer, const char *p, const struct line *line)
{
    if (footer == FOOTER_CYCLES) {
        take_cycles(r->result, p, line);
    } else if (footer == FOOTER_MAX && memchr(line->text, '/', line->length)) {
        take_old_maximum(r->result, line);
        r->has_old_maximum = true;
    } else {
        take_footer(r->import, &r->table, footer, p, line);
    }
}

/* Undoes what mails do to a row. */
static void mend_row(struct reading *r, struct line *line)
{
    struct table *table = &r->table;
    if (table->n_rows == 0)
        r->width = histogram_row_width(r->lines);
    if (r->width && (r->n_lines = histogram_row_join(r->lines, r->width, &r->joined)) > 1) {
        take_joined(r->lines, r->n_lines, &r->joined, line);
    } else if ((table->n_rows == 0 || r->n_glued) && histogram_row_unglue(line, r->n_glued ? table->n_columns : 0, &r->joined)) {
        take_joined(r->lines, 1, &r->joined, line);
        r->n_glued++;
    }
}

/* *ends: the row is of the next histogram. */
static enum status take_row_line(struct reading *r, struct line *line, bool *ends, struct error *error)
{
    struct table *table = &r->table;
    int64_t bucket;
    mend_row(r, line);
    const char *p = line->text, *end = line->text + line->length;
    scan_blanks(&p, end);
    const char *digits = p;
    if (scan_i64(&p, end, &bucket) && bucket <= table->last_bucket && bucket >= 0) {
        *ends = bucket == 0 || table->n_values[FOOTER_MAX]; /* begins again */
        if (*ends)
            return OK;
        import_note(r->import, "damaged-lines", line->number, "histogram rows out of order");
    }
    if (table->n_rows == 0)
        r->result->histogram.five_digits = p - digits == 5;
    return take_row(r->import, table, line, error);
}

/* A blank line, or a remark that somebody put in, with more of the histogram behind it. */
static bool is_between(const struct reading *r, const struct line *line)
{
    struct line next;
    const char *p;
    return (line_is_blank(line) || (line->text[0] == '#' && r->table.n_rows > 3)) && lines_peek(r->lines, 1, &next) &&
           (footer_of(&next, &p) != FOOTER_NONE || is_row(&next, true));
}

static enum status read_rows(struct reading *r, struct error *error)
{
    struct line line;
    enum status status = OK;
    for (bool ends = false; lines_peek(r->lines, 0, &line); lines_skip(r->lines, r->n_lines)) {
        const char *p;
        enum footer footer = footer_of(&line, &p);
        r->n_lines = 1;
        if (begins_another(&r->table, footer))
            break;
        if (footer > FOOTER_BEGIN && (r->n_lines = join_footer(r->lines, &r->joined)) > 1) {
            take_joined(r->lines, r->n_lines, &r->joined, &line);
            footer = footer_of(&line, &p);
        }
        if (footer != FOOTER_NONE)
            take_footer_line(r, footer, p, &line);
        else if (is_row(&line, false))
            status = take_row_line(r, &line, &ends, error);
        else
            ends = !is_between(r, &line);
        if (ends || status == FAILED)
            break;
        r->n_wrapped += r->n_lines - 1;
    }
    return status;
}

/* What is to be said of the histogram as a whole. */
static void note_faults(const struct reading *r, const struct cyclictest_state *state)
{
    const struct histogram_facts *h = &r->result->histogram;
    bool rows_follow = !h->n_rows && rows_of_summary(state, r->lines);
    if ((h->lacks_rows || h->lacks_maximum) && !rows_follow)
        import_note(r->import, "entries-missing", h->line, h->n_rows ? "rows were cut out of the histogram" : "the histogram has sums but no rows");
    if (!h->has_footers && r->table.n_rows)
        import_note(r->import, "file-truncated", lines_number(r->lines), "the histogram ends without its summary");
}

enum status histogram_read(struct import *import, struct cyclictest_state *state, struct lines *lines, struct error *error)
{
    struct result *result = &state->result;
    struct reading r = {.import = import, .result = result, .lines = lines, .table = {.last_is_sum = true, .last_bucket = -1}, .n_lines = 1};
    uint64_t begin = lines_number(lines);
    /* The histogram of a live display, or of a --json run, belongs to the lines before it. */
    bool is_other_half = rows_of_summary(state, lines);
    if (!is_other_half && (!result->is_open || result->run != import->run || result->histogram.is_there || result->has_verbose ||
        tool_command_is_known(&state->command)))
        result_begin(import, state, state->tool ? state->tool : "cyclictest", begin);
    result->histogram = (struct histogram_facts){.is_there = true, .line = begin, .last_bucket = -1};
    state->histogram_block = state->n_blocks;
    enum status status = read_rows(&r, error);
    if (r.n_glued)
        import_note_n(import, "repaired-text", r.n_glued, begin, "undone: lost tabs");
    if (r.n_wrapped)
        import_note_n(import, "repaired-text", r.n_wrapped, begin, "undone: %s", repair_name(REPAIR_WRAPPED));
    if (is_other_half)
        take_summary(result, &r.table);
    if (status != FAILED) {
        give_to_threads(result, &r.table);
        result->histogram.single_max |= r.has_old_maximum;
        result->histogram.has_footers |= r.has_old_maximum;
        note_faults(&r, state);
    }
    text_release(&r.joined);
    table_release(&r.table);
    return status;
}
