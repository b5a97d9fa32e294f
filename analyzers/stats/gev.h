/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The generalised extreme value distribution of block maxima, F(x) = exp(-(1 + shape*(x-location)/scale)^(-1/shape))
 * (Coles 2001, chapter 3); shape 0 is Gumbel's. For "maximum of each second" tables such as Xenomai's.
 */
#ifndef ANALYZERS_STATS_GEV_H
#define ANALYZERS_STATS_GEV_H

#include <stdbool.h>
#include <stddef.h>

struct gev {
    double location, scale, shape;
};
struct gev_fit {
    struct gev gev;
    double location_se, scale_se, shape_se; /* NAN: none */
    double log_likelihood;
};

double gev_log_likelihood(struct gev gev, const double *values, size_t n);
bool gev_fit(const double *values, size_t n, struct gev_fit *fit);
bool gumbel_fit(const double *values, size_t n, struct gev_fit *fit); /* shape 0 */
struct gev gev_from_l_moments(const double *sorted, size_t n);        /* Hosking 1985, the rational approximation */
double gev_return_level(struct gev gev, double n_blocks);             /* passed once in n_blocks on average */

#endif
