/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maxima of equal blocks, such as the worst latency of each second that Xenomai's latency prints: the generalised extreme
 * value distribution is what they follow if blocks are alike (Coles 2001, chapter 3). Lists of "new maximum" lines and
 * windows that a threshold chose are no such blocks.
 */
#include <math.h>
#include <stdlib.h>

#include "analyzers/judged.h"
#include "analyzers/stats/gev.h"

#define LEAST_BLOCKS   50
#define MOST_ROWS      1000
#define GOODNESS_LEVEL 0.01

/* A list of records rises: of n alike blocks, only about ln(n) + 0.58 are larger than all before them. */
static bool are_alike(const struct store *store, uint32_t series, uint64_t n)
{
    uint64_t n_records = 0;
    int64_t largest = INT64_MIN;
    for (size_t chunk = 0; chunk < store_count_sample_chunks(store, series); chunk++) {
        struct sample_view view;
        if (store_sample_chunk(store, series, chunk, &view, NULL) == FAILED)
            return false;
        for (size_t i = 0; i < view.n; i++)
            if (view.latency_ns[i] != NS_UNKNOWN && view.latency_ns[i] > largest) {
                largest = view.latency_ns[i];
                n_records++;
            }
    }
    return (double)n_records <= 5 + 3 * log((double)n);
}

/* Bins as rows, neighbours joined where they are many. */
static struct excess *rows_of(const struct histogram *h, size_t *n)
{
    struct excess *rows = memory_resize(NULL, h->n_bins + 1, sizeof *rows);
    double width = fmax(h->width_ns, 1), span = (double)h->bins[h->n_bins - 1].low_ns - (double)h->bins[0].low_ns;
    double step = fmax(width, span / MOST_ROWS);
    *n = 0;
    for (size_t i = 0; i < h->n_bins; i++) {
        double low = (double)h->bins[i].low_ns, count = (double)h->bins[i].count;
        if (*n > 0 && low + width - rows[*n - 1].low <= step) {
            rows[*n - 1].high = low + width;
            rows[*n - 1].count += count;
        } else {
            rows[(*n)++] = (struct excess){low, low + width, count};
        }
    }
    return rows;
}

/* The largest against the fit of the others, which knows it as "no smaller than the second". */
static void test_largest(const struct histogram *h, struct excess *rows, size_t n, struct judged *judged, struct gev_fit *fit)
{
    double largest = (double)h->bins[h->n_bins - 1].low_ns, second = (double)h->bins[h->n_bins - 2].low_ns;
    double end = second + h->width_ns;
    if (h->bins[h->n_bins - 1].count != 1)
        return;
    struct excess last = rows[n - 1];
    if (last.count == 1) /* else it was joined with others, and is not far */
        rows[n - 1] = (struct excess){end, INFINITY, 1};
    struct gev_fit without;
    if (gev_fit_binned(rows, n, &without)) {
        struct gev gev = without.gev;
        gev.shape = fmax(gev.shape, 0); /* nothing says that latencies end */
        judged->single = (struct tail_gap){true, 1, second, largest, 1};
        bool is_far = largest - end >= 3 * fmax(h->width_ns, 1) && largest - end >= 0.25 * second;
        if (is_far)
            judged->single.p = exp(gev_log_survival(gev, largest) - gev_log_survival(gev, end));
        if (judged->single.p < 0.01)
            *fit = without; /* the tail that it does not belong to */
    }
    rows[n - 1] = last;
}

void measure_blocks(const struct store *store, const struct histogram *h, struct judged *judged, struct arena *arena, struct tail *tail)
{
    const struct series *s = &store->series[judged->series];
    if (s->path != PATH_TIMER_WAKEUP || h->n < LEAST_BLOCKS || h->n_bins < 4 || h->n_overflow > 0 || !are_alike(store, judged->series, h->n))
        return;
    size_t n;
    struct excess *rows = rows_of(h, &n);
    struct gev_fit fit;
    if (gev_fit_binned(rows, n, &fit)) {
        judged->fit = (struct tail_fit){.threshold_ns = fit.gev.location, .n_excess = h->n, .goodness_p = gev_goodness_binned(fit.gev, rows, n, 5)};
        judged->fit.fits = !(judged->fit.goodness_p < GOODNESS_LEVEL);
        judged->fit.gpd = (struct gpd_fit){.gpd = {fit.gev.scale, fit.gev.shape}, .scale_se = fit.scale_se, .shape_se = fit.shape_se};
        test_largest(h, rows, n, judged, &fit);
        *tail = (struct tail){
            .method = "gev-binned-ml",
            .threshold_ns = (int64_t)llround(fit.gev.location),
            .n_excess = h->n,
            .scale_ns = fit.gev.scale,
            .shape = fit.gev.shape,
            .scale_se_ns = fit.scale_se,
            .shape_se = fit.shape_se,
            .shape_low = isnan(fit.shape_se) ? NAN : fit.gev.shape - 1.96 * fit.shape_se,
            .shape_high = isnan(fit.shape_se) ? NAN : fit.gev.shape + 1.96 * fit.shape_se,
            .gap_p = judged->single.is_tested ? judged->single.p : NAN,
        };
        if (judged->fit.fits) {
            static const double times[] = {10, 100};
            double n_samples = s->n_samples == COUNT_UNKNOWN ? (double)h->n : (double)s->n_samples;
            tail->n_levels = sizeof times / sizeof *times;
            tail->levels = arena_array(arena, tail->n_levels, sizeof *tail->levels);
            for (size_t i = 0; i < tail->n_levels; i++)
                tail->levels[i] = (struct return_level){n_samples * times[i], gev_return_level(fit.gev, (double)h->n * times[i]), NAN, NAN};
        }
    }
    free(rows);
}
