/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the largest samples of a series happened: from samples with times, or out of a bare histogram from the numbers of
 * the cycles that overflowed, times the interval (corrected for the periods each of them is known to have swallowed).
 */
#ifndef ANALYZERS_OUTLIER_TIMES_H
#define ANALYZERS_OUTLIER_TIMES_H

#include "store/store.h"

#define OUTLIER_TIMES_MAX 4096

struct outlier_times {
    size_t n;
    double *seconds;         /* rising; on the samples' clock, or since the series' start */
    int64_t *latency_ns;     /* NS_UNKNOWN: only "overflowed" is known */
    uint64_t *cycle;         /* COUNT_UNKNOWN */
    bool has_clock;          /* times of a clock; else of cycles: threads do not share their start */
    size_t n_all;            /* samples of the series that could have been chosen */
    double span_s;           /* from the first to the last sample; 0: an order only, all seconds are 0 */
};

/* Samples of at least threshold_ns (samples), or all overflows. n 0: no times. The caller releases. */
enum status outlier_times_read(struct outlier_times *times, const struct store *store, uint32_t series,
                               int64_t threshold_ns, struct error *error);
void outlier_times_release(struct outlier_times *times);
/* How well ALL timed samples of the series keep a period: a rhythm that every sample has is the sampling's own. */
double series_resultant(const struct store *store, uint32_t series, double period_s);

#endif
