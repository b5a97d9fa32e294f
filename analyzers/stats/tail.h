/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tail of a histogram: where it begins, the GPD that fits it, whether the largest sample belongs to it. The maximum
 * never helps to choose the threshold or to judge itself: it enters as "no smaller than the second largest".
 */
#ifndef ANALYZERS_STATS_TAIL_H
#define ANALYZERS_STATS_TAIL_H

#include "analyzers/stats/gpd.h"
#include "analyzers/stats/histogram.h"

#define TAIL_LEAST_EXCESSES 20

struct tail_fit {
    bool is_fitted;
    double threshold_ns;
    uint64_t n_excess;
    struct gpd_fit gpd;
    uint64_t n_left_out;         /* of the largest, known to it only as "no smaller than the rest" */
    double shape_low, shape_high; /* 95 %, profile likelihood */
    double goodness_p;           /* grouped likelihood ratio; NAN: too few groups to test */
    bool fits;                   /* some threshold passed the test of fit; else one GPD does not hold */
    /* Sensitivity: shape, and level at ten times the samples, over all thresholds that passed. */
    double other_shape_low, other_shape_high, other_level_low_ns, other_level_high_ns;
    size_t n_passed;
};

/* How far the few largest samples are from the rest. */
struct tail_gap {
    bool is_tested;
    uint64_t n_above;   /* samples above the gap: 1 is a single maximum */
    double below_ns;    /* lower edge of the largest sample below the gap */
    double above_ns;    /* lower edge of the smallest sample above it (the limit if that is hidden) */
    double p;           /* of such a gap in this tail; 1 if it is below a quarter of what lies below: not far */
};

/* threshold NAN: chosen. The fit is over all samples; its intervals have confidence 95 %. */
void tail_analyse(const struct histogram *h, double threshold_ns, struct tail_fit *fit);
/* The same threshold again without the n_left_out largest samples: the tail that an isolated maximum does not belong to. */
void tail_leave_out(const struct histogram *h, uint64_t n_left_out, struct tail_fit *fit);
/* The gap below the single maximum (n_above 1), with the fit's uncertainty (seeded bootstrap). Not tested when the maximum shares its bin. Threshold NAN: no tail could be fitted, the body's width decides. */
struct tail_gap tail_gap_of_maximum(const struct histogram *h, double threshold_ns, uint64_t seed);
/* The least likely gap below the 2nd to `most`-th largest sample; p corrected for the gaps looked at. */
struct tail_gap tail_gap_of_cluster(const struct histogram *h, double threshold_ns, uint64_t most);

/* The same at every threshold that a fit passes: the least and the largest p. Returns how many thresholds; 0: none. */
size_t tail_gap_sensitivity(const struct histogram *h, uint64_t seed, double *least_p, double *most_p);

/*
 * How heavy the tail is by two other views of the same excesses, without the n_left_out largest: the shape that their
 * coefficient of variation gives, (1 - 1/CV^2)/2, with the p of an exponential tail (CV 1), and Hill's estimator. Bins at
 * their middle. False with fewer than TAIL_LEAST_EXCESSES.
 */
struct tail_views {
    double cv, cv_shape, exponential_p, hill;
};
/* False: too few excesses, or all alike. */
bool tail_other_views(const struct histogram *h, const struct tail_fit *fit, struct tail_views *views);

/* Level that one of m samples on average passes, and its 95 % interval; NAN if no fit. */
void tail_level(const struct histogram *h, const struct tail_fit *fit, double m, double *level_ns, double *low_ns,
                double *high_ns);

#endif
