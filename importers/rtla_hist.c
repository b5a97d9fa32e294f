/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rtla timerlat hist and osnoise hist.
 *
 *     Index   IRQ-000   Thr-000   Usr-000   IRQ-001 ...
 *     20            3         0         0         1
 *     over:         0         0         0         0
 *     count:      217       217       217       217
 *
 * A row holds [index, index + bucket size); the size is not printed and follows from the indices. Values from
 * entries * size on go to `over:` and are part of count, min, avg and max. Which columns exist is told by the Index
 * line alone. osnoise computes min, avg and max from lower bucket edges.
 */
#include "importers/rtla.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum summary { OVER, COUNT, MIN, AVG, MAX, N_SUMMARY };
static const char *const summary_names[N_SUMMARY] = {"over:", "count:", "min:", "avg:", "max:"};

struct column {
    int cpu;
    enum rtla_column kind; /* of timerlat */
    struct bin *bins;      /* low_ns in printed units until stored */
    size_t n_bins, capacity;
    char summary[N_SUMMARY][24]; /* as printed */
};
struct hist {
    bool is_noise;
    bool unit_is_stated;
    int64_t unit_ns, duration_ns;
    struct column *columns;
    size_t n_columns, capacity;
    int64_t index_divisor;       /* of all indices */
    int64_t last_index;          /* -1: none yet */
    size_t n_rows;
    bool has_zero_row;           /* --with-zeros: every index is printed */
    uint64_t line;
};

static struct cell summary(const struct column *column, enum summary which)
{
    return (struct cell){column->summary[which], strlen(column->summary[which])};
}

static bool read_column_name(struct cell word, struct column *column, bool *is_noise)
{
    static const char *const prefixes[] = {"IRQ-", "Thr-", "Usr-", "CPU-"};
    *column = (struct column){0};
    for (size_t i = 0; i < 4; i++) {
        uint64_t cpu;
        if (cell_starts(word, prefixes[i]) && cell_u64(cell_from(word, 4), &cpu) && cpu < 100000) {
            column->cpu = (int)cpu;
            column->kind = i < RTLA_N_COLUMNS ? (enum rtla_column)i : RTLA_IRQ;
            *is_noise = i == RTLA_N_COLUMNS;
            return true;
        }
    }
    return false;
}

int rtla_hist_probe(struct lines *lines)
{
    struct line line;
    for (size_t k = 0; k < 4 && lines_peek(lines, k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (cell_starts(text, "Index ")) {
            struct column column;
            bool is_noise;
            struct cell rest = cell_trim(cell_from(text, 6));
            size_t length = 0;
            while (length < rest.length && rest.text[length] != ' ' && rest.text[length] != '\t')
                length++;
            return read_column_name(cell_first(rest, length), &column, &is_noise) ? CERTAIN : NOT_MINE;
        }
        if (!cell_starts(text, "# RTLA ") && !cell_starts(text, "# Time unit is ") && !cell_starts(text, "# Duration:"))
            return NOT_MINE;
    }
    return NOT_MINE;
}

/* Names of the Index line, and of lines it was wrapped to. */
static void read_heading(struct import *import, struct lines *lines, struct hist *hist, struct cells *words)
{
    struct line line;
    for (bool is_first = true; lines_peek(lines, 0, &line); is_first = false) {
        cells_of_line(words, &line);
        size_t skip = is_first;
        size_t n_names = 0;
        for (size_t i = skip; i < words->n; i++) {
            struct column column;
            bool is_noise;
            if (!read_column_name(words->cell[i], &column, &is_noise))
                break;
            n_names++;
            hist->is_noise = is_noise;
            memory_reserve(hist->columns, hist->capacity, hist->n_columns + 1);
            hist->columns[hist->n_columns++] = column;
        }
        if (!n_names)
            break;
        if (!is_first)
            import_note(import, "damaged-lines", line.number, "the heading was wrapped and has been joined");
        lines_skip(lines, 1);
    }
}

/* The words of the row at the cursor, with lines that it was wrapped to; moves behind it. row holds their text. */
static void take_row(struct import *import, struct lines *lines, const struct hist *hist, struct text *row,
                     struct cells *words)
{
    struct line line;
    lines_peek(lines, 0, &line);
    text_truncate(row, 0);
    text_add_n(row, line.text, line.length);
    cells_of_line(words, &line);
    lines_skip(lines, 1);
    size_t n_words = words->n;
    while (n_words < hist->n_columns + 1 && lines_peek(lines, 0, &line)) {
        cells_of_line(words, &line);
        bool is_numbers = words->n && n_words + words->n <= hist->n_columns + 1;
        for (size_t i = 0; is_numbers && i < words->n; i++)
            is_numbers = words->cell[i].text[0] >= '0' && words->cell[i].text[0] <= '9';
        if (!is_numbers)
            break;
        import_note(import, "damaged-lines", line.number, "a wrapped row has been joined");
        text_add_char(row, ' ');
        text_add_n(row, line.text, line.length);
        n_words += words->n;
        lines_skip(lines, 1);
    }
    cells_clear(words);
    cells_add_words(words, text_string(row), row->length);
}

static int64_t divisor_of(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static void read_bucket(struct import *import, struct hist *hist, const struct cells *words, uint64_t line)
{
    int64_t index = 0;
    cell_i64(words->cell[0], &index);
    if (index <= hist->last_index || index > INT64_MAX / 2000 || words->n != hist->n_columns + 1) {
        import_note(import, "damaged-lines", line, "a row of the histogram could not be read");
        return;
    }
    bool is_zero = true;
    for (size_t i = 0; i < hist->n_columns; i++) {
        uint64_t count;
        struct column *column = &hist->columns[i];
        if (!cell_u64(words->cell[1 + i], &count)) {
            import_note(import, "damaged-lines", line, "cannot read the count '%.*s'", CELL_ARGS(words->cell[1 + i]));
            continue;
        }
        if (!count)
            continue;
        is_zero = false;
        memory_reserve(column->bins, column->capacity, column->n_bins + 1);
        column->bins[column->n_bins++] = (struct bin){index, count};
    }
    hist->has_zero_row |= is_zero;
    hist->last_index = index;
    hist->index_divisor = divisor_of(hist->index_divisor, index);
    hist->n_rows++;
}

/*
 * The bucket size: all indices are multiples of it. With few rows the divisor may be a multiple of the size; then the
 * column's own minimum, which lies less than a bucket above its first index, tells the least size that fits.
 */
#define LARGEST_BUCKET 1000000 /* that rtla's -b takes */
static int64_t bucket_size(const struct hist *hist)
{
    int64_t divisor = hist->index_divisor;
    if (divisor <= 1 || hist->n_rows >= 5)
        return divisor > 0 ? divisor : 1;
    int64_t least = 1;
    for (size_t i = 0; i < hist->n_columns; i++) {
        const struct column *column = &hist->columns[i];
        int64_t min, beyond;
        if (column->n_bins && cell_i64(summary(column, MIN), &min) && !__builtin_sub_overflow(min, column->bins[0].low_ns, &beyond) &&
            beyond >= least)
            least = beyond < divisor ? beyond + 1 : divisor;
    }
    for (; least < divisor && least <= LARGEST_BUCKET; least++)
        if (divisor % least == 0)
            return least;
    return divisor;
}

/* The sums below the buckets. Values of ALL are sums of the columns and check them. */
static void read_summary(struct hist *hist, const struct cells *words, enum summary which, bool is_all)
{
    if (is_all)
        return;
    for (size_t i = 0; i < hist->n_columns && i + 1 < words->n; i++)
        cell_copy(words->cell[1 + i], hist->columns[i].summary[which], sizeof hist->columns[i].summary[which]);
}

static void check_all_count(struct import *import, const struct hist *hist, const struct cells *words, uint64_t line)
{
    uint64_t sum = 0, stated = 0, column_sum = 0;
    for (size_t i = 1; i < words->n; i++)
        sum += cell_u64(words->cell[i], &stated) ? stated : 0;
    for (size_t i = 0; i < hist->n_columns; i++)
        column_sum += cell_u64(summary(&hist->columns[i], COUNT), &stated) ? stated : 0;
    if (sum != column_sum)
        import_note(import, "counts-mismatch", line, "the columns count %llu samples, the ALL block %llu",
                    (unsigned long long)column_sum, (unsigned long long)sum);
}

static void store_column(struct import *import, const struct hist *hist, struct column *column, int64_t size)
{
    char name[32];
    struct series series = rtla_timerlat_series(column->cpu, column->kind, hist->unit_ns, name, sizeof name);
    uint64_t count = COUNT_UNKNOWN, over = COUNT_UNKNOWN, sum = 0;
    if (hist->is_noise) {
        snprintf(name, sizeof name, "cpu %d", column->cpu);
        series.tool = "rtla osnoise";
        series.path = PATH_NOISE;
        series.omission = OMISSION_UNKNOWN;
        series.resolution_ns = hist->unit_ns * size;
        series.max_is_lower_bound = size > 1;
    }
    cell_u64(summary(column, COUNT), &count);
    cell_u64(summary(column, OVER), &over);
    for (size_t i = 0; i < column->n_bins; i++)
        sum += column->bins[i].count;
    series.n_samples = count;
    series.n_overflow = over;
    series.duration_ns = hist->duration_ns;
    series.bin_width_ns = size * hist->unit_ns;
    series.bin_edge = BIN_FLOOR;
    if (hist->has_zero_row)
        series.overflow_limit_ns = (hist->last_index + size) * hist->unit_ns;
    if (!hist->unit_is_stated)
        series.unit_evidence = "the line with the unit is missing; rtla prints us unless asked";
    int digits = hist->unit_ns == 1 ? 0 : 3;
    if (count == 0) {
        if (column->summary[MIN][0] && !cell_is(summary(column, MIN), "-"))
            import_note(import, "not-measured", hist->line, "%s has no samples: its minimum %s is an initial value", name,
                        column->summary[MIN]);
    } else {
        int64_t avg;
        cell_ns(summary(column, MIN), digits, &series.min_ns);
        cell_ns(summary(column, MAX), digits, &series.max_ns);
        if (cell_ns(summary(column, AVG), digits, &avg))
            series.avg_ns = (double)avg;
    }
    if (count != COUNT_UNKNOWN && sum + (over == COUNT_UNKNOWN ? 0 : over) != count)
        import_note(import, "counts-mismatch", hist->line, "%s: the rows hold %llu samples and %llu overflowed, count says %llu",
                    name, (unsigned long long)sum, (unsigned long long)(over == COUNT_UNKNOWN ? 0 : over),
                    (unsigned long long)count);
    if (count == COUNT_UNKNOWN)
        import_note(import, "entries-missing", hist->line, "the summary below the histogram is missing");
    uint32_t index = import_series(import, &series);
    for (size_t i = 0; i < column->n_bins; i++)
        column->bins[i].low_ns *= hist->unit_ns;
    store_add_bins(import->store, index, column->bins, column->n_bins);
}

enum status rtla_hist_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct hist hist = {.unit_ns = 1000, .duration_ns = NS_UNKNOWN, .last_index = -1};
    struct cells words = {0};
    struct text row = {0};
    struct line line;
    while (lines_peek(lines, 0, &line) && !line_starts(&line, "Index")) {
        struct cell text = cell_trim(cell_of(&line));
        if (cell_starts(text, "# Time unit is ")) {
            hist.unit_is_stated = true;
            hist.unit_ns = cell_has(text, "(ns)") ? 1 : 1000;
        } else if (cell_starts(text, "# Duration:")) {
            rtla_duration(cell_after(text, "# Duration:"), &hist.duration_ns);
        }
        lines_skip(lines, 1);
    }
    hist.line = lines_number(lines);
    read_heading(import, lines, &hist, &words);

    bool is_all = false;
    while (lines_peek(lines, 0, &line)) {
        struct cell text = cell_trim(cell_of(&line));
        enum summary which = 0;
        while (which < N_SUMMARY && !cell_starts(text, summary_names[which]))
            which++;
        if (which < N_SUMMARY) {
            take_row(import, lines, &hist, &row, &words);
            read_summary(&hist, &words, which, is_all);
            if (is_all && which == COUNT)
                check_all_count(import, &hist, &words, line.number);
        } else if (cell_starts(text, "ALL:")) {
            is_all = true;
            lines_skip(lines, 1);
        } else if (!is_all && text.length && text.text[0] >= '0' && text.text[0] <= '9') {
            take_row(import, lines, &hist, &row, &words);
            read_bucket(import, &hist, &words, line.number);
        } else {
            break;
        }
    }

    if (!hist.unit_is_stated)
        import_note(import, "unit-assumed", hist.line, "the line with the unit is missing: us assumed");
    int64_t size = bucket_size(&hist);
    if (hist.is_noise && size > 1)
        import_note(import, "not-measured", hist.line,
                    "osnoise computes min, avg and max from lower bucket edges: each is up to %lld us low",
                    (long long)size);
    for (size_t i = 0; i < hist.n_columns; i++) {
        store_column(import, &hist, &hist.columns[i], size);
        free(hist.columns[i].bins);
    }
    free(hist.columns);
    text_release(&row);
    cells_release(&words);
    return OK;
}
