/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repeated runs of one condition: how much they differ among themselves, and whether two conditions differ by more. A
 * sample is not a repeat: what temperature, boot or placement does to a whole run, its million samples share.
 */
#ifndef ANALYZERS_STATS_REPEATS_H
#define ANALYZERS_STATS_REPEATS_H

#include "analyzers/stats/histogram.h"

/* One figure of several runs (a quantile, an average): its spread, and the part that their samples alone would give. */
struct spread {
    size_t n_runs; /* whose figure is known; 0: none */
    double low, high, mean;
    double sd;          /* as seen, from run to run; NAN: one run */
    double sampling_sd; /* of one run, by resampling; NAN unknown */
    double between_sd;  /* what is left of sd beyond it, 0 or more (method of moments) */
    double log_mean, log_sd; /* of the logarithms, the deviation no smaller than sampling gives: what is tested; NAN: values below 0, one run */
    double log_sampling_sd;
};
/* Of the quantile at the level, sampling errors by resampling; of the mean, by the bins' own deviation. Runs without samples do not count. */
struct spread spread_of_quantile(const struct histogram *const *runs, size_t n, double level, uint64_t seed);
struct spread spread_of_mean(const struct histogram *const *runs, size_t n);

/*
 * Two-sided p that two conditions have the same mean, from their spreads: Student's t of the logarithms (what differs
 * between runs stretches latencies) with one standard deviation for both, pooled; of the side that has repeats, if one
 * has none. NAN: no side has repeats, or a value is not above 0.
 */
double spread_difference_p(const struct spread *a, const struct spread *b);
/* One-sided: that b lies above a by `most` (a ratio) or more; *below_p: that it lies below by as much. */
double spread_no_worse_p(const struct spread *a, const struct spread *b, double most, double *below_p);

#endif
