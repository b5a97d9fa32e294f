/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of a histogram that are exact although values are binned. Bins are sorted, counts > 0; `low_ns` is the
 * lower edge. Samples at and above the limit are counted in n_overflow only, and nothing is made up about them.
 */
#ifndef ANALYZERS_STATS_HISTOGRAM_H
#define ANALYZERS_STATS_HISTOGRAM_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/rows.h"

struct histogram {
    const struct bin *bins;
    size_t n_bins;
    double width_ns;      /* of every bin, of the widest if they differ; 0: exact values */
    bool widths_differ;   /* powers of two and the like: of a bin only its lower edge is known */
    uint64_t n_overflow;
    double limit_ns;      /* first value that overflows; NAN: no overflow */
    double max_ns;        /* lower edge of the largest value, when it is known although it overflowed; else NAN */
    uint64_t n;           /* all samples, overflow included */
};
struct histogram histogram_of(const struct bin *bins, size_t n_bins, double width_ns, uint64_t n_overflow,
                              double limit_ns, double max_ns);

/* Lower edge of the bin that holds the sample of this rank (1 = smallest); NAN in the hidden overflow, but for the maximum. */
double histogram_at_rank(const struct histogram *h, uint64_t rank);
/* The quantile as that of the sample of rank ceil(level * n). */
double histogram_quantile(const struct histogram *h, double level);
/* Do bins lie closer to each other than the width? Then it is the widest one's. */
bool bins_differ_in_width(const struct bin *bins, size_t n_bins, double width_ns);
/* Mean with bins at their lower edge plus half a width; NAN if there is an overflow, or widths differ. */
double histogram_mean(const struct histogram *h);
uint64_t histogram_count_at_least(const struct histogram *h, double edge_ns); /* samples in bins at or above, and the overflow */

/* Expected maximum of m samples drawn without replacement (m <= n): fair between runs of unequal length. NAN if hidden. */
double histogram_expected_max(const struct histogram *h, double m);

/*
 * Bootstrap draws of a quantile: what resamples of the histogram would give; NAN where that is hidden in the overflow.
 * Lower edges of bins, or (inside) where the sample lies if those of a bin are spread evenly in it.
 */
void histogram_draws(const struct histogram *h, double level, bool inside, gsl_rng *rng, double *values, size_t n_values);

/* Adds up histograms of equal width. The bins are the caller's to free. */
struct bin *histogram_merge(const struct histogram *parts, size_t n_parts, struct histogram *sum);

#endif
