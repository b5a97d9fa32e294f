/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of the -rt kernels' latency histograms (CONFIG_WAKEUP_LATENCY_HIST and others, debugfs latency_hist/, 2.6 to 4.x).
 *
 *     #Minimum latency: 0 microseconds.
 *     #Maximum latency: 1207040 microseconds.
 *     #Total samples: 196871313
 *     #There are 2 samples greater or equal than 10240 microseconds
 *     #usecs           samples
 *         0          190504250
 *
 * A row b holds [b, b+1) us. Without samples the minimum is its initial value, 2^32-1. Some files have lines for
 * values below zero as well ("#There are N samples lower than ...").
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/importer.h"

static struct probe_result hist_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line) || !line_starts(&line, "#"))
        return (struct probe_result){NOT_MINE, NULL};
    for (size_t k = 0; k < 7 && lines_peek(lines, k, &line) && line_starts(&line, "#"); k++)
        if (line_has(&line, "usecs") && line_has(&line, "samples") && k > 0)
            return (struct probe_result){CERTAIN, NULL};
    bool is_head = lines_peek(lines, 0, &line) && line_starts(&line, "#Minimum latency:") && line_has(&line, "microseconds");
    return (struct probe_result){is_head ? LIKELY : NOT_MINE, NULL};
}

/* The number behind the colon, or behind "There are". */
static bool number_in(struct cell text, const char *before, int64_t *value)
{
    struct cell rest = cell_after(text, before);
    size_t n = 0;
    if (n < rest.length && rest.text[n] == '-')
        n++;
    while (n < rest.length && rest.text[n] >= '0' && rest.text[n] <= '9')
        n++;
    return n && cell_i64(cell_first(rest, n), value);
}

/* The file's place tells what was measured and where: latency_hist/wakeup/CPU0, preemptirqsoff_hist/CPU1 ... */
static void read_place(const struct member *member, struct series *series)
{
    const char *path = member->path ? member->path : "";
    if (strstr(path, "irqsoff") || strstr(path, "preemptoff"))
        series->path = PATH_SECTION;
    else if (strstr(path, "wakeup") || strstr(path, "missed_timer_offsets") || strstr(path, "timerandwakeup"))
        series->path = PATH_TIMER_WAKEUP;
    const char *cpu = strstr(member->name ? member->name : "", "CPU");
    if (cpu && isdigit((unsigned char)cpu[3]))
        series->cpu = atoi(cpu + 3);
}

struct hist {
    int64_t min_us, avg_us, max_us, total, n_over, limit_us, n_under;
    struct bin *bins;
    size_t n_bins, capacity;
    uint64_t sum;
};

static void read_head(struct hist *hist, struct cell text)
{
    int64_t value;
    if (number_in(text, "#Minimum latency:", &value))
        hist->min_us = value;
    else if (number_in(text, "#Average latency:", &value))
        hist->avg_us = value;
    else if (number_in(text, "#Maximum latency:", &value))
        hist->max_us = value;
    else if (number_in(text, "#Total samples:", &value))
        hist->total = value;
    else if (cell_has(text, "greater or equal than") && number_in(text, "#There are", &value)) {
        hist->n_over = value;
        number_in(text, "equal than", &hist->limit_us);
    } else if (cell_has(text, "lower than") && number_in(text, "#There are", &value)) {
        hist->n_under = value;
    }
}

static int64_t us_to_ns(int64_t us)
{
    int64_t ns;
    return us == NS_UNKNOWN || __builtin_mul_overflow(us, 1000, &ns) ? NS_UNKNOWN : ns;
}

static void store_hist(struct import *import, struct hist *hist, uint64_t line)
{
    struct series series = series_unknown();
    series.name = "histogram";
    series.tool = "latency_hist";
    read_place(import->member, &series);
    series.resolution_ns = series.bin_width_ns = 1000;
    if (hist->total >= 0)
        series.n_samples = (uint64_t)hist->total;
    if (hist->n_over >= 0) {
        series.n_overflow = (uint64_t)hist->n_over;
        series.overflow_limit_ns = us_to_ns(hist->limit_us);
    }
    if (hist->total == 0) {
        if (hist->min_us != NS_UNKNOWN)
            import_note(import, "not-measured", line, "no samples: minimum, average and maximum are initial values");
    } else {
        series.min_ns = us_to_ns(hist->min_us);
        series.max_ns = us_to_ns(hist->max_us);
        if (hist->avg_us != NS_UNKNOWN)
            series.avg_ns = (double)hist->avg_us * 1000;
    }
    uint64_t stated = hist->sum + (hist->n_over > 0 ? (uint64_t)hist->n_over : 0) + (hist->n_under > 0 ? (uint64_t)hist->n_under : 0);
    if (hist->total >= 0 && stated != (uint64_t)hist->total)
        import_note(import, "counts-mismatch", line,
                    "the rows hold %" PRIu64 " samples and %" PRId64 " lie outside, the total says %" PRId64
                    " (differs by %" PRId64 ")",
                    hist->sum, (int64_t)(stated - hist->sum), hist->total, (int64_t)((uint64_t)hist->total - stated));
    uint32_t index = import_series(import, &series);
    store_add_bins(import->store, index, hist->bins, hist->n_bins);
}

static enum status hist_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct hist hist = {.min_us = NS_UNKNOWN, .avg_us = NS_UNKNOWN, .max_us = NS_UNKNOWN, .total = -1, .n_over = -1,
                        .limit_us = NS_UNKNOWN, .n_under = -1};
    uint64_t first_line = lines_number(lines);
    struct cells words = {0};
    struct line line;
    bool has_rows = false;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        if (cell_starts(text, "#")) {
            if (has_rows)
                break;
            read_head(&hist, text);
            continue;
        }
        cells_of_line(&words, &line);
        int64_t us;
        uint64_t count;
        if (words.n != 2 || !cell_i64(words.cell[0], &us) || !cell_u64(words.cell[1], &count) || us > 1000000000 || us < -1000000000)
            break;
        has_rows = true;
        if (!count)
            continue;
        memory_reserve(hist.bins, hist.capacity, hist.n_bins + 1);
        hist.bins[hist.n_bins++] = (struct bin){us * 1000, count};
        hist.sum += count;
    }
    store_hist(import, &hist, first_line);
    free(hist.bins);
    cells_release(&words);
    return OK;
}

static const char *const latency_hist_marks[] = {"^#", NULL};

const struct importer importer_latency_hist = {
    .name = "latency-hist",
    .summary = "latency histograms of -rt kernels (debugfs latency_hist)",
    .reads = "2.6-rt to 4.x-rt: wakeup, missed timers, irqs-off and preempt-off histograms per CPU",
    .probe_lines = hist_probe,
    .read_lines = hist_read,
    .marks = latency_hist_marks,
};
