/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The generalised extreme value distribution of block maxima, F(x) = exp(-(1 + shape*(x-location)/scale)^(-1/shape))
 * (Coles 2001, chapter 3); shape 0 is Gumbel's. For "maximum of each second" tables such as Xenomai's.
 */
#ifndef ANALYZERS_STATS_GEV_H
#define ANALYZERS_STATS_GEV_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/stats/gpd.h"

struct gev {
    double location, scale, shape;
};
struct gev_fit {
    struct gev gev;
    double location_se, scale_se, shape_se; /* NAN: none */
    double log_likelihood;
};

bool gev_fit(const double *values, size_t n, struct gev_fit *fit);
/* The same of values known only to lie between low and high (high INFINITY: at least low). */
bool gev_fit_binned(const struct excess *data, size_t n, struct gev_fit *fit);
/* Grouped likelihood ratio against a fit, as gpd_goodness_binned(): chi-squared with (groups - 4) degrees of freedom. */
double gev_goodness_binned(struct gev gev, const struct excess *data, size_t n, double least);
double gev_log_survival(struct gev gev, double x); /* log P(X > x) */
double gev_return_level(struct gev gev, double n_blocks); /* passed once in n_blocks on average */

#endif
