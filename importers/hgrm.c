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
 * TotalCount is cumulative: the difference of two rows lies between their values. The unit is not in the file: us, unless
 * --set hgrm.unit=ns (or us, ms) says otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/private.h"

static struct probe_result hgrm_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    bool is_mine = lines_peek(lines, 0, &line) && line_starts(&line, "Value") && line_has(&line, "Percentile") && line_has(&line, "TotalCount");
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

/* 10^digits ns of --set hgrm.unit=..., -1 if not said. */
static int unit_digits(const struct import *import)
{
    static const struct {
        const char *setting;
        int digits;
    } units[] = {{"hgrm.unit=ns", 0}, {"hgrm.unit=us", 3}, {"hgrm.unit=ms", 6}, {"hgrm.unit=s", 9}};
    const struct import_options *options = import->private->options;
    for (size_t i = 0; i < options->n_settings; i++)
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            if (strcmp(options->settings[i], units[k].setting) == 0)
                return units[k].digits;
    return -1;
}

static enum status hgrm_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    int digits = unit_digits(import);
    uint64_t first = lines_number(lines);
    struct bin *bins = NULL;
    size_t n = 0, capacity = 0;
    uint64_t total = 0, stated = COUNT_UNKNOWN;
    int64_t stated_max = NS_UNKNOWN;
    struct series series = series_unknown();
    struct cells words = {0};
    struct line line;
    bool is_done = false;
    int scale = digits < 0 ? 3 : digits;
    lines_skip(lines, 1);
    for (; !is_done && lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        cells_of_line(&words, &line);
        int64_t value, ns;
        uint64_t count;
        if (cell_starts(text, "#[")) {
            struct cell mean = cell_after(text, "Mean"), max = cell_after(text, "#[Max"), all = cell_after(text, "Total count");
            struct cells parts = {0};
            cells_add_parts(&parts, text.text, text.length, ',');
            if (mean.length && cell_ns(cell_after(cells_at(&parts, 0), "="), scale, &ns))
                series.avg_ns = (double)ns;
            if (max.length)
                cell_ns(cell_after(cells_at(&parts, 0), "="), scale, &stated_max);
            if (all.length) {
                struct cell number = cell_after(all, "=");
                number = cell_ends(number, "]") ? cell_trim(cell_first(number, number.length - 1)) : number;
                cell_u64(number, &stated);
            }
            cells_release(&parts);
            is_done = cell_starts(text, "#[Buckets");
        } else if (!text.length && !n) {
            continue;
        } else if (words.n >= 3 && cell_ns(words.cell[0], scale, &value) && cell_u64(words.cell[2], &count)) {
            if (count < total || (n && value < bins[n - 1].low_ns)) {
                import_note(import, "damaged-lines", line.number, "rows are not in order: the rest is another distribution");
                break;
            }
            if (count == total)
                continue;
            memory_reserve(bins, capacity, n + 1);
            bins[n++] = (struct bin){value, count - total};
            total = count;
        } else {
            break;
        }
    }
    series.name = "distribution";
    series.tool = "hdrhistogram";
    series.bin_edge = BIN_CEIL; /* a row's value is the upper end of what was added since the row before */
    series.n_samples = stated != COUNT_UNKNOWN ? stated : total;
    if (stated != COUNT_UNKNOWN && stated != total)
        import_note(import, "counts-mismatch", first, "the rows hold %llu samples, the total says %llu", (unsigned long long)total,
                    (unsigned long long)stated);
    series.max_ns = stated_max != NS_UNKNOWN ? stated_max : n ? bins[n - 1].low_ns : NS_UNKNOWN;
    if (n)
        series.min_ns = bins[0].low_ns;
    if (digits < 0) {
        series.unit_evidence = "the format names no unit: us assumed";
        import_note(import, "unit-assumed", first, "the format names no unit: us assumed (--set hgrm.unit=ns changes it)");
    }
    uint32_t index = import_series(import, &series);
    store_add_bins(import->store, index, bins, n);
    free(bins);
    cells_release(&words);
    return OK;
}

const struct importer importer_hgrm = {
    .name = "hgrm",
    .summary = "HdrHistogram percentile distributions (.hgrm)",
    .reads = "percentile output of HdrHistogram libraries; unit us unless --set hgrm.unit says otherwise",
    .probe_lines = hgrm_probe,
    .read_lines = hgrm_read,
};
