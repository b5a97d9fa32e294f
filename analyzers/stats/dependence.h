/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether values come in clusters, follow one another, or keep a rhythm. */
#ifndef ANALYZERS_STATS_DEPENDENCE_H
#define ANALYZERS_STATS_DEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Extremal index by Ferro and Segers' intervals (2003) from the times between exceedances (in samples): the inverse of
 * the mean cluster size. 1: no clusters. NAN below 3 exceedances.
 */
double extremal_index_intervals(const double *exceedance_times, size_t n);

/* Kendall's tau of values against their order, and p (normal, ties, continuity). */
double kendall_trend(const double *values, size_t n, double *p);

/* Rayleigh test of phases t mod period: mean resultant length 0..1 and p (Wilkie 1983). */
double rayleigh(const double *times, size_t n, double period, double *p);
/*
 * The period out of [shortest, longest] that times keep best, among multiples and divisors that a clock would give
 * (candidates, n_candidates) and a dense scan; p corrected for the periods tried. resultant may be NULL.
 */
double rhythm_find(const double *times, size_t n, double shortest, double longest, double *p, double *resultant);

/*
 * A comb: the distance between events that recurs most often, where one source among several keeps a period. Times rise;
 * events closer than `grain` are one; distances agree to within 2 grains and 0.1 %. Gives the distance, how many events
 * stand at it from another (n_in; their indices are marked in `is_in`), and p of so many by chance, corrected for the
 * distances looked at. NAN: none recurs at all.
 */
double comb_find(const double *times, size_t n, double grain, size_t *n_in, bool *is_in, double *p);

#endif
