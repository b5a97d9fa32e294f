/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small optimisation problems of likelihoods: minima of up to four variables, roots, curvature. Thin over GSL. */
#ifndef ANALYZERS_STATS_OPTIMUM_H
#define ANALYZERS_STATS_OPTIMUM_H

#include <stdbool.h>
#include <stddef.h>

#define OPTIMUM_MAX 4 /* variables */

/* A function to minimise; INFINITY where it is not defined. */
struct objective {
    size_t n;
    double (*value)(const double *x, const void *context);
    const void *context;
};
/*
 * Minimises from x (overwritten) with first steps `step`: damped Newton on numerical derivatives, simplex where Newton
 * does not descend. False if no finite minimum was found. *minimum gets the value.
 */
bool optimum_find(const struct objective *objective, double *x, const double *step, double *minimum);
/* Inverse of the Hessian at x (n x n, rows): the covariance of maximum likelihood. False if it is not positive definite. */
bool optimum_covariance(const struct objective *objective, const double *x, const double *scale, double *covariance);

/* A function of one variable. */
typedef double curve(double x, const void *context);
/* Minimum of f inside [low, high], starting at x with the given step; f may be INFINITY in parts. */
double curve_minimum(curve *f, const void *context, double low, double high, double x, double step, double *at);
/* Root of f between low and high, where f has opposite signs; NAN if it has not. */
double curve_root(curve *f, const void *context, double low, double high);

#endif
