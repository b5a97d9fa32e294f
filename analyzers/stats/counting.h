/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts and proportions: how often, how sure, and whether two things go together. */
#ifndef ANALYZERS_STATS_COUNTING_H
#define ANALYZERS_STATS_COUNTING_H

#include <stddef.h>
#include <stdint.h>

/* Clopper-Pearson interval of a probability after k events in n trials. */
void proportion_interval(uint64_t k, uint64_t n, double confidence, double *low, double *high);
/* P(N >= k) of a Poisson count with this mean. */
double poisson_at_least(double mean, uint64_t k);

/* A 2x2 table: rows outlier and typical, columns with and without the cause. */
struct table2x2 {
    uint64_t a, b, /* outlier with, outlier without */
        c, d;      /* typical with, typical without */
};
/* Fisher's exact test, two-sided (sums the tables no likelier than this one), and one-sided: more of a than by chance. */
double fisher_p(struct table2x2 t);
double fisher_p_greater(struct table2x2 t);
/* Conditional maximum likelihood odds ratio and its exact interval (0 and INFINITY where open). */
double fisher_odds_ratio(struct table2x2 t, double confidence, double *low, double *high);
double table_lift(struct table2x2 t); /* P(outlier | cause) / P(outlier) */

/* Adjusted p values in place: false discovery rate (Benjamini-Hochberg), family-wise error (Holm). NANs stay and do not count. */
void adjust_benjamini_hochberg(double *p, size_t n);
void adjust_holm(double *p, size_t n);

#endif
