/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms of the kernel's hist triggers (events/SYSTEM/EVENT/hist), one table of keys and counts.
 *
 *     # trigger info: hist:keys=pid,lat.log2:vals=hitcount:sort=pid,lat.log2:size=2048 [active]
 *     { pid:        612, lat: ~ 2^5  } hitcount:          4
 *     Totals:
 *         Hits: 3157
 *
 * The key that names a time is the value, the others name the series. The unit is not in the text: differences of
 * common_timestamp.usecs, of which such keys are made, are us. `~ 2^k` holds values above 2^(k-1) up to 2^k.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/importer.h"

struct hist_row {
    char name[96]; /* of the series: value's key, then the other keys with their values */
    int32_t tid;
    uint64_t low, width; /* in the text's unit; width 0: a power of two */
    uint64_t count;
    bool is_ns;
};

struct hist_series {
    char name[96];
    uint32_t series;
    uint64_t n;
    int64_t min_ns, max_ns;
    bool is_exact;
};

struct hist {
    struct hist_series *series;
    size_t n_series, capacity;
    uint64_t n_hits;
};

static bool begins(const struct line *line)
{
    return line_starts(line, "# event histogram") || line_starts(line, "# trigger info: hist:keys=");
}

static struct probe_result hist_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    return (struct probe_result){lines_peek(lines, 0, &line) && line.length && line.text[0] == '#' && begins(&line) ? CERTAIN : NOT_MINE, NULL};
}

static bool names_time(const char *name, size_t length)
{
    static const char *const words[] = {"lat", "delta", "delay", "usec", "nsec", "duration", "elapsed"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(name, length, words[i], strlen(words[i])))
            return true;
    return false;
}

/* "12", "~ 2^5", "~ 100-199" */
static bool parse_value(const char *p, const char *end, struct hist_row *row)
{
    uint64_t high, exponent;
    scan_blanks(&p, end);
    bool is_range = scan_literal(&p, end, "~");
    scan_blanks(&p, end);
    if (is_range && scan_literal(&p, end, "2^")) {
        if (!scan_u64(&p, end, &exponent) || exponent > 62)
            return false;
        row->low = exponent ? (1ull << (exponent - 1)) + 1 : 0;
        row->width = 0;
        return true;
    }
    if (!scan_u64(&p, end, &row->low))
        return false;
    row->width = 1;
    if (is_range && scan_literal(&p, end, "-") && scan_u64(&p, end, &high) && high >= row->low)
        row->width = high - row->low + 1;
    return true;
}

/* "{ pid:        612, lat: ~ 2^5  } hitcount:          4" */
static bool parse_row(const struct line *line, struct hist_row *row)
{
    const char *p = line->text, *end = p + line->length, *close = memchr(p, '}', line->length);
    char others[64] = "";
    size_t n = 0;
    bool has_value = false;
    if (!scan_literal(&p, end, "{ ") || !close)
        return false;
    row->tid = TID_UNKNOWN;
    while (p < close) {
        const char *stop = memmem(p, (size_t)(close - p), ", ", 2), *colon;
        if (!stop)
            stop = close;
        scan_blanks(&p, stop);
        colon = memchr(p, ':', (size_t)(stop - p));
        if (!colon)
            return false;
        size_t length = (size_t)(colon - p);
        const char *value = colon + 1, *value_end = stop;
        scan_blanks(&value, value_end);
        while (value_end > value && value_end[-1] == ' ')
            value_end--;
        if (!has_value && names_time(p, length) && parse_value(value, value_end, row)) {
            has_value = true;
            row->is_ns = memmem(p, length, "nsec", 4) || (length > 3 && memcmp(colon - 3, "_ns", 3) == 0);
            snprintf(row->name, sizeof row->name, "%.*s", (int)(length < 30 ? length : 30), p);
        } else if (n < sizeof others - 1) {
            int64_t tid;
            const char *s = value;
            if (length >= 3 && memcmp(colon - 3, "pid", 3) == 0 && scan_i64(&s, value_end, &tid) && s == value_end && tid >= 0 && tid <= INT32_MAX)
                row->tid = (int32_t)tid;
            int added = snprintf(others + n, sizeof others - n, " %.*s %.*s", (int)(length < 20 ? length : 20), p,
                                 (int)(value_end - value < 24 ? value_end - value : 24), value);
            n += added > 0 ? (size_t)added : 0;
        }
        p = stop + (stop < close ? 2 : 0);
        if (stop == close)
            break;
    }
    p = close + 1;
    scan_blanks(&p, end);
    if (!has_value || !scan_literal(&p, end, "hitcount:"))
        return false;
    scan_blanks(&p, end);
    size_t used = strlen(row->name);
    snprintf(row->name + used, sizeof row->name - used, "%s", others);
    return scan_u64(&p, end, &row->count);
}

static struct hist_series *series_of(struct hist *hist, struct import *import, const struct hist_row *row)
{
    for (size_t i = hist->n_series; i-- > 0;)
        if (strcmp(hist->series[i].name, row->name) == 0)
            return &hist->series[i];
    if (hist->n_series >= 10000)
        return NULL;
    struct series series = series_unknown();
    series.name = row->name;
    series.tool = "trace-hist";
    series.tid = row->tid;
    series.resolution_ns = row->is_ns ? 1 : 1000;
    series.unit_evidence = row->is_ns ? NULL : "differences of common_timestamp.usecs are us";
    memory_reserve(hist->series, hist->capacity, hist->n_series + 1);
    struct hist_series *kept = &hist->series[hist->n_series++];
    memset(kept, 0, sizeof *kept);
    memcpy(kept->name, row->name, sizeof kept->name);
    kept->series = import_series(import, &series);
    kept->is_exact = row->width == 1;
    return kept;
}

static void add_row(struct hist *hist, struct import *import, const struct hist_row *row)
{
    struct hist_series *kept = series_of(hist, import, row);
    hist->n_hits += row->count;
    int64_t unit_ns = row->is_ns ? 1 : 1000;
    if (!kept || row->count == 0 || row->low > (uint64_t)(INT64_MAX / unit_ns))
        return;
    struct bin bin = {.low_ns = (int64_t)row->low * unit_ns, .count = row->count};
    store_add_bins(import->store, kept->series, &bin, 1);
    struct series *series = store_edit_series(import->store, kept->series);
    kept->is_exact = kept->is_exact && row->width == 1;
    if (kept->n == 0 || bin.low_ns < kept->min_ns)
        kept->min_ns = bin.low_ns;
    if (kept->n == 0 || bin.low_ns > kept->max_ns)
        kept->max_ns = bin.low_ns;
    /* Ranges differ in width: what the widest hides is hidden for the series. */
    uint64_t width = row->width ? row->width : row->low > 1 ? row->low - 1 : 1;
    if (width <= (uint64_t)(INT64_MAX / unit_ns) && (series->bin_width_ns == NS_UNKNOWN || (int64_t)width * unit_ns > series->bin_width_ns))
        series->bin_width_ns = series->resolution_ns = (int64_t)width * unit_ns;
    kept->n += row->count;
    series->n_samples = kept->n;
    /* Of a range only its edge is known, which is neither the least nor the largest value. */
    series->min_ns = kept->is_exact ? kept->min_ns : NS_UNKNOWN;
    series->max_ns = kept->is_exact ? kept->max_ns : NS_UNKNOWN;
}

/* "    Hits: 3157", "    Dropped: 0" */
static void check_totals(const struct hist *hist, struct import *import, const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t n;
    scan_blanks(&p, end);
    if (scan_literal(&p, end, "Hits: ") && scan_u64(&p, end, &n) && n != hist->n_hits)
        import_note(import, "counts-mismatch", line->number, "the histogram states %llu hits, its rows add up to %llu",
                    (unsigned long long)n, (unsigned long long)hist->n_hits);
    if (scan_literal(&p, end, "Dropped: ") && scan_u64(&p, end, &n) && n)
        import_note(import, "histogram-truncated", line->number, "%llu values found no room in the histogram", (unsigned long long)n);
}

static bool is_total(const struct line *line)
{
    return line_starts(line, "Totals:") || line_starts(line, "Hits: ") || line_starts(line, "Entries: ") ||
           line_starts(line, "Dropped: ") || line_starts(line, "Duplicates: ");
}

static enum status hist_read(struct import *import, struct lines *lines, struct error *error)
{
    struct hist hist = {0};
    struct line line;
    struct hist_row row;
    bool is_assumed = false, has_rows = false;
    uint64_t n_other = 0;
    (void)error;
    while (lines_peek(lines, 0, &line)) {
        if (line_starts(&line, "# trigger info: "))
            import_fact(import, "trace.trigger", "%.*s", (int)(line.length - 16 < 800 ? line.length - 16 : 800), line.text + 16);
        if (has_rows && begins(&line))
            break;
        if (parse_row(&line, &row)) {
            add_row(&hist, import, &row);
            has_rows = true;
            is_assumed |= !row.is_ns;
        } else if (line_starts(&line, "{ ")) {
            n_other++;
        } else if (is_total(&line)) {
            check_totals(&hist, import, &line);
        } else if (!line_is_blank(&line) && line.text[0] != '#') {
            break;
        }
        lines_skip(lines, 1);
    }
    if (is_assumed)
        import_note(import, "unit-assumed", 0, "values are taken as us: differences of common_timestamp.usecs");
    if (n_other)
        import_note_n(import, "no-samples", n_other, 0, "rows of a histogram whose keys name no time");
    free(hist.series);
    return OK;
}

const struct importer importer_trace_hist = {
    .name = "trace-hist",
    .summary = "histograms of the kernel's hist triggers",
    .reads = "tables of keys and hit counts with one key that is a time: plain, .log2 and .buckets",
    .probe_lines = hist_probe,
    .read_lines = hist_read,
};
