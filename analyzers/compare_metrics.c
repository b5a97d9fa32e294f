/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics side by side: one value per run; ratio, interval and p of the side that is worst against the baseline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/compare.h"
#include "analyzers/stats/twosample.h"

#define N_BOOTSTRAP 1000

static size_t metrics_capacity(size_t n)
{
    size_t capacity = 16;
    while (capacity < n)
        capacity *= 2;
    return capacity;
}

struct metric *compare_add_metric(struct compare *compare, const char *name)
{
    struct arena *arena = &compare->analysis->arena;
    struct comparison *c = &compare->analysis->comparison;
    if (c->n_metrics == 0 || c->n_metrics == metrics_capacity(c->n_metrics)) {
        struct metric *more = arena_array(arena, metrics_capacity(c->n_metrics + 1), sizeof *more);
        if (c->n_metrics > 0)
            memcpy(more, c->metrics, c->n_metrics * sizeof *more);
        c->metrics = more;
    }
    struct metric *metric = &c->metrics[c->n_metrics++];
    *metric = (struct metric){.name = arena_string(arena, name), .n_values = compare->n_runs, .ratio = NAN, .low = NAN, .high = NAN, .p = NAN};
    metric->values = arena_array(arena, compare->n_runs, sizeof *metric->values);
    for (size_t i = 0; i < compare->n_runs; i++)
        metric->values[i] = NAN;
    return metric;
}

/* Keeps the worst side's ratio. */
static void set_ratio(struct metric *metric, double from, double to, double low, double high, double p)
{
    double ratio = from > 0 ? to / from : NAN;
    if (isnan(ratio) || (!isnan(metric->ratio) && metric->ratio >= ratio))
        return;
    metric->ratio = ratio;
    metric->low = low;
    metric->high = high;
    metric->p = p;
}

enum plain { PLAIN_MIN, PLAIN_AVG, PLAIN_MAX };
static double plain_of_run(const struct measured_run *m, enum plain which)
{
    return which == PLAIN_MIN ? m->min_ns : which == PLAIN_AVG ? m->avg_ns : m->max_ns;
}

/* Which runs' maxima are lower bounds. */
static bool *least_of_runs(const struct compare *compare)
{
    bool *is_least = arena_array(&compare->analysis->arena, compare->n_runs, sizeof *is_least);
    for (size_t i = 0; i < compare->n_runs; i++)
        is_least[i] = compare->runs[i].max_is_lower_bound;
    return is_least;
}

static void plain_metric(struct compare *compare, const char *name, enum plain which)
{
    struct metric *metric = compare_add_metric(compare, name);
    const struct side *a = &compare->sides[compare->baseline];
    for (size_t i = 0; i < compare->n_runs; i++)
        metric->values[i] = plain_of_run(&compare->runs[i], which);
    metric->is_least = which == PLAIN_MAX ? least_of_runs(compare) : NULL;
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        const struct side *b = &compare->sides[side];
        if (side == compare->baseline)
            continue;
        double from = which == PLAIN_MIN ? a->min_ns : which == PLAIN_AVG ? a->avg_ns : a->max_ns;
        double to = which == PLAIN_MIN ? b->min_ns : which == PLAIN_AVG ? b->avg_ns : b->max_ns;
        /* A maximum is one draw: it has neither interval nor p. */
        set_ratio(metric, from, to, NAN, NAN, NAN);
    }
}

/* Of fewer samples, the sample at that rank is the largest: the maximum, and no quantile. Where none is stated, it stands for it. */
static bool has_quantile(const struct histogram *h, double max_ns, double level)
{
    return h->n > 0 && (isnan(max_ns) || (double)h->n * (1 - level) > 1 - 1e-9);
}

static void quantile_metric(struct compare *compare, const char *level_name, double level)
{
    char name[32];
    snprintf(name, sizeof name, "quantile:%s", level_name);
    struct metric *metric = compare_add_metric(compare, name);
    const struct side *baseline = &compare->sides[compare->baseline];
    const struct histogram *a = &baseline->histogram;
    for (size_t i = 0; i < compare->n_runs; i++)
        if (has_quantile(&compare->runs[i].histogram, compare->runs[i].max_ns, level))
            metric->values[i] = histogram_quantile(&compare->runs[i].histogram, level);
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        const struct histogram *b = &compare->sides[side].histogram;
        if (side == compare->baseline || a->width_ns != b->width_ns || !has_quantile(a, baseline->max_ns, level) ||
            !has_quantile(b, compare->sides[side].max_ns, level))
            continue;
        double low = NAN, high = NAN, p = NAN, edge = pooled_edge(a, b, level);
        if (fmin((double)a->n, (double)b->n) * (1 - level) >= 5 && !a->widths_differ && !b->widths_differ)
            quantile_ratio_interval(a, b, level, compare->options->confidence_pct / 100, N_BOOTSTRAP,
                                    compare->options->seed + side, &low, &high);
        if (!isnan(edge))
            p = exceedance_p(histogram_count_at_least(a, edge), a->n, histogram_count_at_least(b, edge), b->n);
        set_ratio(metric, histogram_quantile(a, level), histogram_quantile(b, level), low, high, p);
    }
}

/* Expected maximum of as many samples as the shortest run has. */
static void match_maxima(struct compare *compare)
{
    struct comparison *c = &compare->analysis->comparison;
    double m = NAN;
    for (size_t i = 0; i < compare->n_runs; i++)
        if (!isnan(compare->runs[i].n))
            m = isnan(m) ? compare->runs[i].n : fmin(m, compare->runs[i].n);
    c->matched_n_samples = m;
    c->n_expected_max = compare->n_runs;
    c->expected_max_ns = arena_array(&compare->analysis->arena, compare->n_runs, sizeof(double));
    for (size_t i = 0; i < compare->n_runs; i++) {
        const struct measured_run *run = &compare->runs[i];
        c->expected_max_ns[i] = run->n == m && !run->is_normalised ? run->max_ns
                                : run->histogram.n > 0             ? histogram_expected_max(&run->histogram, fmin(m, (double)run->histogram.n))
                                                                    : NAN;
    }
}

/* The largest maximum of a run's series on a path; NAN: none known. *is_least: one of them is a lower bound. */
static double run_maximum_ns(const struct store *store, uint32_t run, enum measure_path path, bool *is_least)
{
    struct row_range rows = store_series_of_run(store, run);
    double max_ns = NAN;
    *is_least = false;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const struct series *s = &store->series[i];
        if (s->path != path || s->max_ns == NS_UNKNOWN)
            continue;
        max_ns = isnan(max_ns) ? (double)s->max_ns : fmax(max_ns, (double)s->max_ns);
        *is_least |= s->max_is_lower_bound;
    }
    return max_ns;
}

/* Maxima of the other paths that runs share: told, not judged. */
static void other_paths(struct compare *compare)
{
    double *max_ns = memory_new(compare->n_runs * sizeof *max_ns);
    for (enum measure_path path = PATH_TIMER_WAKEUP; path <= PATH_NOISE; path++) {
        char name[64];
        size_t n_known = 0;
        bool *is_least = arena_array(&compare->analysis->arena, compare->n_runs, sizeof *is_least);
        for (uint32_t r = 0; r < compare->n_runs; r++) {
            max_ns[r] = path == compare->path ? NAN : run_maximum_ns(compare->store, r, path, &is_least[r]);
            n_known += isnan(max_ns[r]) ? 0 : 1;
        }
        if (n_known < 2)
            continue;
        snprintf(name, sizeof name, "max:%s", measure_path_name(path));
        struct metric *metric = compare_add_metric(compare, name);
        metric->is_least = is_least;
        for (size_t r = 0; r < compare->n_runs; r++) {
            metric->values[r] = max_ns[r];
            if (compare->runs[r].side != compare->baseline)
                set_ratio(metric, max_ns[compare->sides[compare->baseline].first_run], max_ns[r], NAN, NAN, NAN);
        }
    }
    free(max_ns);
}

void compare_metrics(struct compare *compare)
{
    plain_metric(compare, "min", PLAIN_MIN);
    plain_metric(compare, "avg", PLAIN_AVG);
    bool any = false;
    for (size_t i = 0; i < compare->n_runs; i++)
        any |= compare->runs[i].histogram.n >= 10;
    for (size_t q = 0; q < N_QUANTILES && any; q++)
        quantile_metric(compare, quantile_names[q], quantile_levels[q]);
    plain_metric(compare, "max", PLAIN_MAX);
    other_paths(compare);
    match_maxima(compare);
}
