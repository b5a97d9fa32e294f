/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/xeno_latency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* min and max before the first sample: +/- 10 s (Xenomai's TEN_MILLIONS ns, printed in us as 10000.000). */
#define INITIAL_NS 10000000

void latency_init(struct latency_result *result)
{
    *result = (struct latency_result){
        .tool = "xenomai latency",
        .period_ns = NS_UNKNOWN,
        .priority = PRIO_UNKNOWN,
        .cpu = CPU_UNKNOWN,
        .min_ns = NS_UNKNOWN,
        .max_ns = NS_UNKNOWN,
        .avg_ns = NAN,
        .n_overruns = COUNT_UNKNOWN,
        .n_switches = COUNT_UNKNOWN,
        .duration_ns = NS_UNKNOWN,
        .requested_ns = NS_UNKNOWN,
        .n_samples = COUNT_UNKNOWN,
        .resolution_ns = 1,
        .bin_width_ns = NS_UNKNOWN,
        .n_overflow = COUNT_UNKNOWN,
        .overflow_limit_ns = NS_UNKNOWN,
    };
}

void latency_release(struct latency_result *result)
{
    free(result->bins);
    free(result->second_max_ns);
    latency_init(result);
}

void latency_read_context(struct import *import, struct latency_result *result, struct cell text)
{
    struct cell inside = cell_after(text, "(");
    const char *close = memrchr(inside.text, ')', inside.length);
    if (close)
        inside = cell_first(inside, (size_t)(close - inside.text));
    struct cells parts = {0}, words = {0};
    cells_add_parts(&parts, inside.text, inside.length, ',');
    cell_copy(cells_at(&parts, 0), result->mode, sizeof result->mode);
    for (size_t i = 1; i < parts.n; i++) {
        struct cell part = parts.cell[i];
        cells_clear(&words);
        cells_add_words(&words, part.text, part.length);
        if (cell_ends(part, "us period")) {
            cell_ns(cells_at(&words, 0), 3, &result->period_ns);
        } else if (cell_starts(part, "priority ")) {
            cell_int(cells_at(&words, 1), &result->priority);
        } else if (cell_starts(part, "CPU")) {
            result->tool = "latmus";
            struct cell number = cell_from(part, 3);
            size_t digits = 0;
            while (digits < number.length && number.text[digits] >= '0' && number.text[digits] <= '9')
                digits++;
            /* without the word nothing is said: early versions did not know it */
            if (cell_int(cell_first(number, digits), &result->cpu) && cell_has(number, "noisol"))
                import_fact(import, "latmus.cpu_isolated", "no");
        }
    }
    cells_release(&parts);
    cells_release(&words);
}

static enum measure_path path_of(const char *mode)
{
    if (strstr(mode, "gpio"))
        return PATH_IRQ_RESPONSE;
    if (strstr(mode, "timer handler") || !strcmp(mode, "irq") || !strcmp(mode, "sirq"))
        return PATH_IRQ_HANDLER;
    return PATH_TIMER_WAKEUP;
}

/* The tool collects all that is too large in its last bucket: seen by a maximum beyond that bucket. */
static void split_overflow(struct latency_result *result)
{
    if (result->overflow_is_apart || !result->n_bins || result->max_ns == NS_UNKNOWN)
        return;
    if (result->is_cut) /* the last bucket that is there need not be the last one */
        return;
    struct bin *last = &result->bins[result->n_bins - 1];
    if (result->max_ns < last->low_ns + result->bin_width_ns) {
        result->n_overflow = 0;
        return;
    }
    result->n_overflow = last->count;
    result->overflow_limit_ns = last->low_ns;
    result->n_bins--;
}

/* Negative latencies are counted by their absolute value: below |min| the bins mix both signs. */
static void check_folding(struct import *import, struct latency_result *result)
{
    if (!result->is_folded || result->min_ns == NS_UNKNOWN || result->min_ns >= 0 || !result->n_bins)
        return;
    if (-result->min_ns < result->bin_width_ns) {
        import_note(import, "tool-bug", result->line,
                    "the histogram counts negative latencies by their absolute value: the first bin holds both signs");
        return;
    }
    if (result->max_ns != NS_UNKNOWN && result->max_ns <= 0) { /* all are negative: turned back */
        for (size_t i = 0; i < result->n_bins; i++)
            result->bins[i].low_ns = -(result->bins[i].low_ns + result->bin_width_ns);
        import_note(import, "tool-bug", result->line,
                    "the histogram counts negative latencies by their absolute value; all are negative: turned back");
        return;
    }
    import_note(import, "tool-bug", result->line,
                "the histogram counts negative latencies (down to %" PRId64
                " ns) by their absolute value; its bins are not used", result->min_ns);
    result->n_bins = 0;
    result->n_overflow = COUNT_UNKNOWN;
    result->overflow_limit_ns = NS_UNKNOWN;
}

static void check_values(struct import *import, struct latency_result *result)
{
    if (result->min_ns == INITIAL_NS && result->max_ns == -INITIAL_NS) {
        import_note(import, "not-measured", result->line, "minimum and maximum are the tool's initial values: no sample was taken");
        result->is_empty = true;
    }
    if (result->is_empty) {
        result->min_ns = result->max_ns = NS_UNKNOWN;
        result->avg_ns = NAN;
        result->n_samples = 0;
        return;
    }
    if (result->min_ns != NS_UNKNOWN && result->max_ns != NS_UNKNOWN && result->min_ns > result->max_ns) {
        import_note(import, "tool-bug", result->line, "minimum %" PRId64 " ns is above maximum %" PRId64 " ns",
                    result->min_ns, result->max_ns);
        result->min_ns = NS_UNKNOWN;
    }
    bool is_below = result->min_ns != NS_UNKNOWN && result->avg_ns < (double)result->min_ns - 1;
    bool is_above = result->max_ns != NS_UNKNOWN && result->avg_ns > (double)result->max_ns + 1;
    if (is_below || is_above) {
        import_note(import, "tool-bug", result->line,
                    "the average of %.3f us lies outside minimum and maximum: its sum overflowed", result->avg_ns / 1000);
        result->avg_ns = NAN;
    }
}

void latency_store(struct import *import, struct latency_result *result)
{
    check_values(import, result);
    uint64_t n_bin_samples = 0;
    for (size_t i = 0; i < result->n_bins; i++)
        n_bin_samples += result->bins[i].count;
    if (result->overflow_is_apart && result->n_overflow != COUNT_UNKNOWN)
        n_bin_samples += result->n_overflow;
    if (result->n_samples != COUNT_UNKNOWN && result->n_bins && n_bin_samples != result->n_samples)
        import_note(import, "counts-mismatch", result->line,
                    "the histogram holds %" PRIu64 " samples, the tool says %" PRIu64, n_bin_samples, result->n_samples);
    if (result->n_samples == COUNT_UNKNOWN && n_bin_samples)
        result->n_samples = n_bin_samples;
    split_overflow(result);
    check_folding(import, result);

    struct series series = series_unknown();
    series.name = "latency";
    series.tool = result->tool;
    series.path = path_of(result->mode);
    series.cpu = result->cpu;
    series.policy = strcmp(result->tool, LATENCY_RTAI) ? POLICY_COBALT : POLICY_UNKNOWN;
    series.priority = result->priority;
    series.interval_ns = result->period_ns;
    series.resolution_ns = result->resolution_ns;
    series.n_samples = result->n_samples;
    series.min_ns = result->min_ns;
    series.max_ns = result->max_ns;
    series.avg_ns = result->avg_ns;
    series.n_overflow = result->n_overflow;
    series.overflow_limit_ns = result->overflow_limit_ns;
    series.n_stated_lost = result->n_overruns;
    series.duration_ns = result->duration_ns;
    series.omission = OMISSION_SKIPS; /* a missed period is counted as an overrun, not measured */
    series.bin_width_ns = result->n_bins ? result->bin_width_ns : NS_UNKNOWN;
    series.is_cut = result->is_cut;
    series.unit_evidence = result->unit_evidence;
    int64_t requested_ns = result->requested_ns != NS_UNKNOWN ? result->requested_ns : result->duration_ns;
    if (result->period_ns > 0 && requested_ns != NS_UNKNOWN)
        series.n_requested = (uint64_t)(requested_ns / result->period_ns);
    /* Without bins the worst of each second is all there is of the distribution. */
    series.is_block_maxima = !result->n_bins && result->n_seconds && !result->is_empty;
    uint32_t index = import_series(import, &series);
    if (result->mode[0])
        import_fact(import, "latency.mode", "%s", result->mode);
    store_add_bins(import->store, index, result->bins, result->n_bins);
    for (size_t i = 0; series.is_block_maxima && i < result->n_seconds; i++)
        store_add_sample(import->store, index, &(struct sample){NS_UNKNOWN, i, result->second_max_ns[i]});
    if (result->n_overruns == COUNT_UNKNOWN && result->n_switches == COUNT_UNKNOWN)
        return;
    struct counter_table *table = import_counters_begin(import, result->tool);
    if (result->n_overruns != COUNT_UNKNOWN)
        import_counters_add_count(table, "latency", "overrun", result->n_overruns);
    if (result->n_switches != COUNT_UNKNOWN)
        import_counters_add_count(table, "latency", "msw", result->n_switches);
}
