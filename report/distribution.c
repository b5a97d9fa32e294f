/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/memory.h"
#include "report/plot.h"

#define MAX_SAMPLE_BINS 4000

/* Samples into bins as wide as the tool's resolution, or as keeps them below MAX_SAMPLE_BINS. */
static bool bins_of_samples(const struct store *store, uint32_t series, struct distribution *distribution)
{
    struct error ignored = {0};
    struct sample_view view;
    size_t n_chunks = store_count_sample_chunks(store, series);
    int64_t low_ns = INT64_MAX, high_ns = INT64_MIN;
    for (size_t c = 0; c < n_chunks && store_sample_chunk(store, series, c, &view, &ignored) != FAILED; c++)
        for (size_t i = 0; i < view.n; i++) {
            int64_t ns = view.latency_ns[i];
            if (ns == NS_UNKNOWN)
                continue;
            low_ns = ns < low_ns ? ns : low_ns;
            high_ns = ns > high_ns ? ns : high_ns;
        }
    if (low_ns > high_ns || (double)high_ns - (double)low_ns > 4e18)
        return false;
    int64_t resolution_ns = store->series[series].resolution_ns;
    int64_t width_ns = resolution_ns == NS_UNKNOWN || resolution_ns < 1 ? 1 : resolution_ns;
    while ((high_ns - low_ns) / width_ns >= MAX_SAMPLE_BINS)
        width_ns *= (high_ns - low_ns) / width_ns >= 10 * MAX_SAMPLE_BINS ? 10 : 2;
    int64_t first_ns = low_ns - ((low_ns % width_ns) + width_ns) % width_ns;
    size_t n_bins = (size_t)((high_ns - first_ns) / width_ns) + 1;
    struct bin *bins = memory_new(n_bins * sizeof *bins);
    for (size_t c = 0; c < n_chunks && store_sample_chunk(store, series, c, &view, &ignored) != FAILED; c++)
        for (size_t i = 0; i < view.n; i++)
            if (view.latency_ns[i] != NS_UNKNOWN)
                bins[(view.latency_ns[i] - first_ns) / width_ns].count++;
    size_t n = 0;
    for (size_t i = 0; i < n_bins; i++)
        if (bins[i].count)
            bins[n++] = (struct bin){first_ns + (int64_t)i * width_ns, bins[i].count};
    distribution->bins = bins;
    distribution->n = n;
    distribution->width_ns = width_ns;
    return true;
}

bool distribution_of(const struct store *store, uint32_t series, struct distribution *distribution)
{
    const struct series *row = &store->series[series];
    memset(distribution, 0, sizeof *distribution);
    const struct bin *bins = store_bins(store, series, &distribution->n);
    if (distribution->n) {
        distribution->bins = memory_new(distribution->n * sizeof *bins);
        memcpy(distribution->bins, bins, distribution->n * sizeof *bins);
        distribution->width_ns = row->bin_width_ns == NS_UNKNOWN || row->bin_width_ns < 1 ? 1000 : row->bin_width_ns;
    } else if (!bins_of_samples(store, series, distribution)) {
        return false;
    }
    for (size_t i = 0; i < distribution->n; i++)
        distribution->n_samples += distribution->bins[i].count;
    distribution->n_overflow = row->n_overflow == COUNT_UNKNOWN ? 0 : row->n_overflow;
    distribution->limit_ns = row->overflow_limit_ns;
    return true;
}

void distribution_release(struct distribution *distribution)
{
    free(distribution->bins);
    memset(distribution, 0, sizeof *distribution);
}

uint32_t *plot_series(const struct store *store, size_t *n)
{
    uint32_t *list = memory_new((store->n_series + 1) * sizeof *list);
    *n = 0;
    for (uint32_t i = 0; i < store->n_series; i++) {
        size_t n_bins;
        store_bins(store, i, &n_bins);
        if (n_bins || store_count_samples(store, i) > 1)
            list[(*n)++] = i;
    }
    for (size_t i = 1; i < *n; i++) /* insertion sort: stable, few rows, nearly sorted often */
        for (size_t k = i; k && store->series[list[k]].max_ns > store->series[list[k - 1]].max_ns; k--) {
            uint32_t swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
    return list;
}
