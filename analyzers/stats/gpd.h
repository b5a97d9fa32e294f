/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The generalised Pareto distribution of excesses over a threshold u, F(y) = 1 - (1 + shape*y/scale)^(-1/shape),
 * fitted to exact, binned and right-censored data alike (Coles, An Introduction to Statistical Modeling of Extreme
 * Values, 2001, chapter 4).
 */
#ifndef ANALYZERS_STATS_GPD_H
#define ANALYZERS_STATS_GPD_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `count` excesses between low and high. low == high: the value itself; high INFINITY: known only to be >= low
 * (an overflow). Whether the edges are open matters to what a bin holds, not to its probability.
 */
struct excess {
    double low, high, count;
};

struct gpd {
    double scale, shape;
};

/* log P(Y > y); -INFINITY beyond the end of a distribution with negative shape. */
double gpd_log_survival(struct gpd gpd, double y);

struct gpd_fit {
    struct gpd gpd;
    double scale_se, shape_se; /* from the curvature; NAN if it has none */
    double log_likelihood;
    double n;                  /* excesses */
};
/* Maximum likelihood, shape held above -1. False if there is nothing to fit (fewer than two distinct values). */
bool gpd_fit(const struct excess *data, size_t n, struct gpd_fit *fit);
/* Cheaper: from a start, without standard errors (bootstrap). */
bool gpd_fit_from(const struct excess *data, size_t n, struct gpd start, struct gpd *gpd);
/* The exponential distribution, shape 0, by the same likelihood. */
double gpd_fit_exponential(const struct excess *data, size_t n, double *scale);

/* Interval of the shape by profile likelihood, confidence e.g. 0.95. Ends may be -1 or INFINITY where the data set none. */
void gpd_shape_interval(const struct excess *data, size_t n, const struct gpd_fit *fit, double confidence, double *low,
                        double *high);
/*
 * Excess that one of m excesses on average passes (m = samples wanted * share above the threshold), and its interval by
 * profile likelihood (share held fixed). *high may be INFINITY.
 */
double gpd_return_level(struct gpd gpd, double m);
void gpd_return_level_interval(const struct excess *data, size_t n, const struct gpd_fit *fit, double m,
                               double confidence, double *low, double *high);

/*
 * Grouped likelihood ratio of binned excesses against a fit, neighbours joined until each expects `least` (5): its
 * p value by chi-squared with (groups - 3) degrees of freedom. NAN with fewer than 4 groups.
 */
double gpd_goodness_binned(struct gpd gpd, const struct excess *data, size_t n, double least);

/* P(the largest of what lies above v lies at least `gap` above it). Excess v and the fit are over the same threshold. */
double gpd_gap_p(struct gpd gpd, double v, double gap);
/*
 * The gap test with the fit's uncertainty: data without the maximum, which enters the likelihood only as "at least v"
 * (so that leaving it out does not make the tail look lighter); p averaged over n_bootstrap parametric resamples.
 * A fit with an end (shape < 0) is replaced by the exponential: nothing says that latencies end there.
 * v: the largest excess left, upper edge of its bin; gap: from there to the maximum, >= 0.
 */
double gpd_gap_test(const struct excess *data, size_t n, double v, double gap, unsigned n_bootstrap, uint64_t seed,
                    struct gpd *used);

#endif
