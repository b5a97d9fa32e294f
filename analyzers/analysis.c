/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the analyzers over one store and owns what they find. */
#include "analyzers/analyzer.h"

#include <string.h>

const struct analysis_options analysis_options_default = {
    .jobs = JOB_INFO,
    .top = 10,
    .threshold_ns = NS_UNKNOWN,
    .max_slices = 10000,
    .tail_threshold_ns = NS_UNKNOWN,
    .confidence_pct = 95,
    .margin_pct = 10,
    .seed = 1,
};

static void series_results_init(struct analysis *analysis, size_t n_series)
{
    analysis->series = arena_array(&analysis->arena, n_series, sizeof *analysis->series);
    for (size_t i = 0; i < n_series; i++) {
        struct series_result *result = &analysis->series[i];
        result->n_lost_periods = COUNT_UNKNOWN;
        for (size_t q = 0; q < N_QUANTILES; q++)
            result->quantiles_ns[q] = NAN;
        result->tail.gap_p = NAN;
    }
}

enum status analysis_run(struct analysis *analysis, const struct store *store, const struct analysis_options *options,
                         struct error *error)
{
    analysis->findings.arena = &analysis->arena;
    series_results_init(analysis, store->n_series);
    enum status worst = OK;
    for (const struct analyzer *const *a = analyzers; *a; a++) {
        if (!((*a)->jobs & options->jobs))
            continue;
        enum status status = (*a)->run(store, options, analysis, error);
        if (status == FAILED)
            return FAILED;
        if (status > worst)
            worst = status;
    }
    return worst;
}

void analysis_release(struct analysis *analysis)
{
    free(analysis->findings.items);
    free(analysis->outliers);
    arena_release(&analysis->arena);
    *analysis = (struct analysis){0};
}

struct outlier *analysis_add_outlier(struct analysis *analysis)
{
    struct outlier *outlier = arena_new(&analysis->arena, sizeof *outlier);
    outlier->run = outlier->series = outlier->stream = ROW_NONE;
    outlier->cpu = CPU_UNKNOWN;
    outlier->tid = TID_UNKNOWN;
    outlier->begin_ns = outlier->end_ns = outlier->latency_ns = outlier->reported_ns = outlier->typical_ns = NS_UNKNOWN;
    outlier->cause = CAUSE_UNEXPLAINED;
    memory_reserve(analysis->outliers, analysis->outliers_capacity, analysis->n_outliers + 1);
    analysis->outliers[analysis->n_outliers++] = outlier;
    return outlier;
}
