/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queuelat (1.3 and later): times of one round of a polling loop, in ns, in rows of 100 ns.
 *
 *     tsc_freq_ghz = 2.600000, cycles_to_ns = 0.384615
 *     max_queue_len = 520
 *     [0 - 99] = 39504
 *     ...
 *     [70000 - END] = 1
 *     Min loop processing time: [0 - 99] = 39504
 *
 * A row is left out whenever it equals the next, also when both have counts: the printed histogram is lossy, and the
 * number of samples is unknown as soon as "..." stands in it. The average is made from upper edges.
 */
#include <string.h>

#include "base/memory.h"
#include "importers/importer.h"

static bool row(const struct line *line, int64_t *low, int64_t *high, uint64_t *count)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "[") || !scan_i64(&p, end, low) || !scan_literal(&p, end, " - "))
        return false;
    *high = NS_UNKNOWN;
    if (!scan_literal(&p, end, "END") && !scan_i64(&p, end, high))
        return false;
    return scan_literal(&p, end, "] = ") && scan_u64(&p, end, count);
}

static struct probe_result queuelat_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    lines_peek(lines, 0, &line);
    bool is_head = line_starts(&line, "tsc_freq_ghz = ") || (line_starts(&line, "max_queue_len = "));
    return (struct probe_result){is_head ? LIKELY : NOT_MINE, NULL};
}

/* "Min loop processing time: [0 - 99] = 39504" */
static bool summary(const struct line *line, const char *label, int64_t *low, bool *is_open)
{
    int64_t high;
    uint64_t count;
    const char *bracket = line_starts(line, label) ? line_find(line, "[") : NULL;
    if (!bracket)
        return false;
    struct line rest = {.text = bracket, .length = line->length - (size_t)(bracket - line->text)};
    if (!row(&rest, low, &high, &count))
        return false;
    *is_open = *low >= 70000;
    return true;
}

static enum status queuelat_read(struct import *import, struct lines *lines, struct error *error)
{
    struct series series = series_unknown();
    struct line line;
    struct bin *bins = NULL;
    size_t n = 0, capacity = 0;
    uint64_t sum = 0, first = lines_number(lines), n_beyond = 0;
    bool has_gaps = false, is_open = false;
    (void)error;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        int64_t low, high;
        uint64_t count;
        if (row(&line, &low, &high, &count)) {
            sum += count;
            if (high == NS_UNKNOWN) {
                n_beyond = count;
                series.overflow_limit_ns = low;
            } else if (low >= 0 && count) {
                memory_reserve(bins, capacity, n + 1);
                bins[n++] = (struct bin){.low_ns = low, .count = count};
            }
        } else if (line_starts(&line, "...")) {
            has_gaps = true;
        } else if (summary(&line, "Min loop processing time:", &series.min_ns, &is_open) ||
                   summary(&line, "Max loop processing time:", &series.max_ns, &is_open)) {
            series.max_is_lower_bound = is_open;
        } else if (line_starts(&line, "queue length exceeded")) {
            import_fact(import, "queuelat.result", "%.*s", (int)(line.length > 200 ? 200 : line.length), line.text);
        } else if (!(line_is_blank(&line) || line_starts(&line, "tsc_freq_ghz") || line_starts(&line, "max_queue_len") ||
                     line_starts(&line, "Avg loop processing time") || line_starts(&line, "----") || line_starts(&line, "default_n="))) {
            break;
        }
    }
    series.name = "loop";
    series.tool = "queuelat";
    series.path = PATH_NOISE;
    series.resolution_ns = 100;
    series.bin_width_ns = 100;
    if (!has_gaps)
        series.n_samples = sum;
    series.n_overflow = series.overflow_limit_ns == NS_UNKNOWN ? COUNT_UNKNOWN : n_beyond;
    if (has_gaps)
        import_note(import, "histogram-truncated", first, "queuelat leaves out rows that equal the next, also with counts: the number of samples is unknown");
    uint32_t index = import_series(import, &series);
    store_add_bins(import->store, index, bins, n);
    free(bins);
    return OK;
}

static const char *const queuelat_marks[] = {"tsc_freq_ghz", "max_queue_len", NULL};

const struct importer importer_queuelat = {
    .name = "queuelat",
    .summary = "queuelat: times of a polling loop",
    .reads = "rt-tests 1.3 and later",
    .probe_lines = queuelat_probe,
    .read_lines = queuelat_read,
    .marks = queuelat_marks,
};
