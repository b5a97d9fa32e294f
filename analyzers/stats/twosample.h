/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two or more histograms, or small samples, against each other. Ties are the rule in binned data: every test here
 * knows them. Histograms may differ in length; they must share the bins' width (twosample_align does not rescale).
 */
#ifndef ANALYZERS_STATS_TWOSAMPLE_H
#define ANALYZERS_STATS_TWOSAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzers/stats/histogram.h"

/* Counts of each distinct value (bin) in all samples, smallest first; hidden overflows count as one last value. */
struct tied {
    size_t n_values, n_samples;
    double *counts; /* [sample * n_values + value] */
    double *totals; /* per sample */
    double *edges;  /* lower edge of each value, ns */
};
/* The overflow of unequal limits: values from the smallest limit up count as one value, so that neither side is favoured. */
struct tied tied_from(const struct histogram *const *histograms, size_t n);
void tied_release(struct tied *tied);

/* Kolmogorov-Smirnov distance of samples a and b; p asymptotic (too large with ties: on the safe side). */
double ks_distance(const struct tied *tied, size_t a, size_t b);
size_t ks_place(const struct tied *tied, size_t a, size_t b); /* the value up to which the shares differ most, counted from 0 */
double ks_p_asymptotic(double distance, double n_a, double n_b);

/* Mann-Whitney: W of sample a (pairs in which it is larger, ties half), two-sided p with tie correction, Cliff's delta (> 0: a larger). */
struct mann_whitney {
    double w, p, cliff;
};
struct mann_whitney mann_whitney(const struct tied *tied, size_t a, size_t b, int continuity);
/* Two-sided p by enumerating all splits: few values, as maxima of repeated runs (n_a + n_b <= 20). */
double rank_sum_p_exact(const double *a, size_t n_a, const double *b, size_t n_b);

/*
 * k-sample Anderson-Darling with midranks (Scholz and Stephens 1987, A2akN), standardised; p of its limit with these ties,
 * drawn 1,999 times (so no smaller than 0.0005).
 */
double anderson_darling_k(const struct tied *tied, double *p);

/*
 * Tails: how many samples of each lie at or above an edge, by the hypergeometric distribution, i.e. the exact
 * permutation test of bin counts; no shape of the tail is assumed, unequal lengths are exact. Two-sided (twice the
 * smaller side); mid-p would be sharper, this is on the safe side.
 */
double exceedance_p(uint64_t n_above_a, uint64_t n_a, uint64_t n_above_b, uint64_t n_b);
/*
 * An edge (lower edge of a bin) that about a share 1 - level of both samples pooled lies at or above; NAN if it is
 * hidden in an overflow or in the first bin.
 */
double pooled_edge(const struct histogram *a, const struct histogram *b, double level);

/* Bootstrap interval of the ratio quantile_b / quantile_a. Ends NAN if hidden, INFINITY if open. */
void quantile_ratio_interval(const struct histogram *a, const struct histogram *b, double level, double confidence,
                             unsigned n_bootstrap, uint64_t seed, double *low, double *high);

/*
 * "No worse than" of a quantile of binned data, by n_bootstrap resamples of both: b's quantile lies above a's by no more than
 * `margin` (a share of a's; at least one bin, below which bins tell nothing apart). What is hidden counts as worse.
 * *equivalent_p: also not below by more (may be NULL).
 */
double quantile_no_worse_p(const struct histogram *a, const struct histogram *b, double level, double margin,
                           unsigned n_bootstrap, uint64_t seed, double *equivalent_p);

/* P(the maximum of n_b samples exceeds the maximum of n_a samples), both of one distribution. */
double p_longer_run_wins(double n_a, double n_b);

#endif
