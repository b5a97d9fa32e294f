/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HdrHistogram's percentile distribution (.hgrm), as its libraries and wrk2, and this program's export, print it.
 *
 *            Value     Percentile TotalCount 1/(1-Percentile)
 *
 *           14.000 0.000000000000          1           1.00
 *     #[Mean    =       19.250, StdDeviation   =        4.321]
 *     #[Max     =       55.000, Total count    =          500]
 *
 * TotalCount is cumulative: the difference of two rows lies between their values, and a value is the upper end of one of the
 * recorder's buckets. How wide those are stands in the footer (SubBuckets 2048: 1/1024 of the value), and in the decimals of the
 * values, which are as many as the recorder's significant digits. The unit is not in the format: us, as this
 * program's export prints, unless --set hgrm.unit=ns (or ms, s) says otherwise. The export says on a line of its own how
 * many samples lay beyond the histogram.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/importer.h"

static struct probe_result hgrm_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    bool is_mine = lines_peek(lines, 0, &line) && line_starts(&line, "Value") && line_has(&line, "Percentile") && line_has(&line, "TotalCount");
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

/* The unit's ns; 0 if the name is none. */
static int64_t unit_of(struct cell name)
{
    return cell_is(name, "ns") ? 1 : cell_is(name, "us") ? 1000 : cell_is(name, "ms") ? 1000000 : cell_is(name, "s") ? 1000000000 : 0;
}

/* Thousandths of a unit to ns. */
static int64_t to_ns(int64_t thousandths, int64_t unit_ns)
{
    __int128 ns = (__int128)thousandths * unit_ns / 1000;
    return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/* What the rows and the footer say, values in thousandths of the unit until the end. */
struct distribution {
    struct bin *bins;
    size_t n, capacity;
    uint64_t total;            /* in the rows so far */
    uint64_t stated, n_beyond; /* COUNT_UNKNOWN */
    int64_t stated_max, mean;  /* -1: not stated */
    uint64_t n_sub_buckets;    /* COUNT_UNKNOWN; 1: values are exact (this program's export) */
    size_t n_decimals;         /* of the first value */
};

/* "= 2000]": the number of a footer's last part. */
static struct cell footer_number(struct cell part)
{
    struct cell number = cell_after(part, "=");
    return cell_ends(number, "]") ? cell_trim(cell_first(number, number.length - 1)) : number;
}

/* "#[Max = 117.000, Total count = 2000]" and the like. True for the last line there can be. */
static bool read_footer(struct distribution *d, struct lines *lines, struct cell text)
{
    struct cell max = cell_after(text, "#[Max"), all = cell_after(text, "Total count"), beyond = cell_after(text, "values unknown: ");
    struct cells parts = {0};
    cells_add_parts(&parts, text.text, text.length, ',');
    if (cell_starts(text, "#[Mean"))
        cell_ns(cell_after(cells_at(&parts, 0), "="), 3, &d->mean);
    if (max.length)
        cell_ns(cell_after(cells_at(&parts, 0), "="), 3, &d->stated_max);
    cells_release(&parts);
    if (all.length)
        cell_u64(footer_number(all), &d->stated);
    if (beyond.length) {
        size_t digits = 0;
        while (digits < beyond.length && beyond.text[digits] >= '0' && beyond.text[digits] <= '9')
            digits++;
        cell_u64(cell_first(beyond, digits), &d->n_beyond);
        return true;
    }
    struct cell sub_buckets = cell_after(text, "SubBuckets");
    if (sub_buckets.length)
        cell_u64(footer_number(sub_buckets), &d->n_sub_buckets);
    struct line next;
    return cell_starts(text, "#[Buckets") && !(lines_peek(lines, 1, &next) && line_starts(&next, "#[Beyond"));
}

/* A row's count is of all samples up to its value. False: it belongs to another distribution. */
static bool add_row(struct distribution *d, int64_t value, uint64_t count)
{
    if (count < d->total || (d->n && value < d->bins[d->n - 1].low_ns))
        return false;
    if (count == d->total)
        return true;
    memory_reserve(d->bins, d->capacity, d->n + 1);
    d->bins[d->n++] = (struct bin){value, count - d->total};
    d->total = count;
    return true;
}

static void read_rows(struct import *import, struct lines *lines, struct distribution *d)
{
    struct cells words = {0};
    struct line line;
    bool is_done = false;
    for (; !is_done && lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        int64_t value;
        uint64_t count;
        cells_of_line(&words, &line);
        if (cell_starts(text, "#[")) {
            is_done = read_footer(d, lines, text);
        } else if (!text.length && !d->n) {
            continue;
        } else if (words.n < 3 || !cell_ns(words.cell[0], 3, &value) || !cell_u64(words.cell[2], &count)) {
            break;
        } else if (!add_row(d, value, count)) {
            import_note(import, "damaged-lines", line.number, "rows are not in order: the rest is another distribution");
            break;
        } else if (!d->n_decimals) {
            d->n_decimals = cell_after(words.cell[0], ".").length;
        }
    }
    cells_release(&words);
}

/* The bins in ns. What lay beyond the histogram stands at the maximum, where it need not have been. */
static void settle_bins(struct distribution *d, int64_t unit_ns)
{
    uint64_t n_beyond = d->n_beyond == COUNT_UNKNOWN ? 0 : d->n_beyond;
    if (d->n && n_beyond && d->bins[d->n - 1].count >= n_beyond)
        d->bins[d->n - 1].count -= n_beyond;
    for (size_t i = 0; i < d->n; i++)
        d->bins[i].low_ns = to_ns(d->bins[i].low_ns, unit_ns);
}

/* Widest bucket of the recorder in ns: values beyond half of the sub-buckets are rounded to so many parts. 0: not known. */
static int64_t bucket_ns(const struct distribution *d, int64_t max_ns)
{
    uint64_t n = d->n_sub_buckets;
    if (n == COUNT_UNKNOWN && d->n_decimals >= 1 && d->n_decimals <= 5) {
        uint64_t least = 2;
        for (size_t i = 0; i < d->n_decimals; i++)
            least *= 10;
        for (n = 2; n < least;)
            n *= 2;
    }
    return n == COUNT_UNKNOWN || n < 4 || max_ns <= 0 ? 0 : (int64_t)((uint64_t)max_ns / (n / 2));
}

/* Widest span in which the samples of a row may lie: one of them has the row's value, the others may be as small as the row before. */
static int64_t widest_ns(const struct distribution *d, int64_t max_ns)
{
    int64_t widest = bucket_ns(d, max_ns);
    for (size_t i = 1; i < d->n; i++) {
        int64_t gap = d->bins[i].low_ns - d->bins[i - 1].low_ns;
        if (d->bins[i].count > 1 && gap > widest)
            widest = gap;
    }
    return widest ? widest : NS_UNKNOWN;
}

static struct series series_of(const struct distribution *d, int64_t unit_ns)
{
    struct series series = series_unknown();
    series.name = "distribution";
    series.tool = "hdrhistogram";
    series.bin_edge = BIN_CEIL; /* a row's value is the upper end of what was added since the row before */
    series.n_samples = d->stated != COUNT_UNKNOWN ? d->stated : d->total;
    series.n_overflow = d->n_beyond;
    if (d->n) {
        series.min_ns = d->bins[0].low_ns;
        series.max_ns = d->bins[d->n - 1].low_ns;
    }
    if (d->stated_max >= 0)
        series.max_ns = to_ns(d->stated_max, unit_ns);
    series.bin_width_ns = series.resolution_ns = widest_ns(d, series.max_ns);
    if (d->mean >= 0)
        series.avg_ns = (double)d->mean * (double)unit_ns / 1000;
    return series;
}

static enum status hgrm_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    const char *setting = import_setting(import, "hgrm.unit");
    int64_t unit_ns = setting ? unit_of((struct cell){setting, strlen(setting)}) : 0;
    uint64_t first = lines_number(lines);
    struct distribution d = {.stated = COUNT_UNKNOWN, .n_beyond = COUNT_UNKNOWN, .n_sub_buckets = COUNT_UNKNOWN, .stated_max = -1, .mean = -1};
    lines_skip(lines, 1);
    read_rows(import, lines, &d);
    uint64_t n_beyond = d.n_beyond == COUNT_UNKNOWN ? 0 : d.n_beyond;
    if (d.stated != COUNT_UNKNOWN && d.stated != d.total + n_beyond && d.stated != d.total)
        import_note(import, "counts-mismatch", first, "the rows hold %llu samples, the total says %llu", (unsigned long long)d.total,
                    (unsigned long long)d.stated);
    bool is_assumed = !unit_ns;
    if (is_assumed) {
        unit_ns = 1000;
        import_note(import, "unit-assumed", first, "the format names no unit: us assumed (--set hgrm.unit=ns changes it)");
    }
    settle_bins(&d, unit_ns);
    struct series series = series_of(&d, unit_ns);
    if (is_assumed)
        series.unit_evidence = "the format names no unit: us assumed";
    uint32_t index = import_series(import, &series);
    store_add_bins(import->store, index, d.bins, d.n);
    free(d.bins);
    return OK;
}

static const char *const hgrm_marks[] = {"Percentile", NULL};

const struct importer importer_hgrm = {
    .name = "hgrm",
    .summary = "HdrHistogram percentile distributions (.hgrm)",
    .reads = "percentile output of HdrHistogram libraries; unit us unless --set hgrm.unit says otherwise",
    .probe_lines = hgrm_probe,
    .read_lines = hgrm_read,
    .marks = hgrm_marks,
};
