/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "No worse than", and the tests of whole distributions as rows among the metrics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzers/compare.h"
#include "analyzers/stats/twosample.h"
#include "base/memory.h"

#define N_BOOTSTRAP 2000
#define TAIL_LEAST  20 /* samples above the quantile in the shorter side: fewer make no interval */

/*
 * A fixed order, from the middle outwards, each at the full level, ends at the first quantile that does not show it: so
 * the chance to call any worse quantile "no worse" stays below the level (and is not shared out among them).
 */
void compare_no_worse(const struct compare *compare, uint32_t side, struct difference *d)
{
    const struct histogram *a = &compare->sides[compare->baseline].histogram, *b = &compare->sides[side].histogram;
    double alpha = compare_alpha(compare), margin = compare->options->margin_pct / 100;
    bool goes_on = true;
    size_t n_a, n_b;
    const struct histogram **runs_a = compare_histograms(compare, compare->baseline, &n_a),
                           **runs_b = compare_histograms(compare, side, &n_b);
    d->is_equivalent = true;
    bool is_known = !a->widths_differ && !b->widths_differ; /* of a range's lower edge no margin can be told */
    for (size_t q = 0; q < N_QUANTILES && is_known; q++) {
        double level = quantile_levels[q], equivalent_p;
        uint64_t seed = compare->options->seed + 16 * side + q;
        if (fmin((double)a->n, (double)b->n) * (1 - level) < TAIL_LEAST || isnan(histogram_quantile(a, level)))
            break;
        d->no_worse_p[q] = quantile_no_worse_p(a, b, level, margin, N_BOOTSTRAP, seed, &equivalent_p);
        if (d->by_spread) {
            struct spread of_a = spread_of_quantile(runs_a, n_a, level, seed), of_b = spread_of_quantile(runs_b, n_b, level, seed + 1);
            double most = 1 + fmax(margin, fmax(a->width_ns, b->width_ns) / of_a.mean), below_p;
            d->no_worse_p[q] = fmax(d->no_worse_p[q], spread_no_worse_p(&of_a, &of_b, most, &below_p));
            equivalent_p = fmax(equivalent_p, fmax(d->no_worse_p[q], below_p));
        }
        goes_on &= d->no_worse_p[q] < alpha;
        if (!goes_on)
            continue;
        d->n_no_worse = q + 1;
        d->no_worse_most_p = q == 0 ? d->no_worse_p[q] : fmax(d->no_worse_most_p, d->no_worse_p[q]);
        d->is_equivalent &= equivalent_p < alpha;
    }
    d->is_equivalent &= d->n_no_worse > 0;
    free(runs_a);
    free(runs_b);
}

static void keep_least(double *least, double p)
{
    if (!isnan(p) && !(*least <= p))
        *least = p;
}
static void keep_most(double *most, double p)
{
    if (!isnan(p) && !(*most >= p))
        *most = p;
}

/* One distribution for all sides? Their histograms must be of one width. */
static double all_of_one_p(const struct compare *compare)
{
    const struct histogram **all = memory_resize(NULL, compare->n_sides, sizeof *all);
    double p = NAN;
    bool good = compare->n_sides >= 2;
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        all[side] = &compare->sides[side].histogram;
        good &= all[side]->n >= 2 && all[side]->width_ns == all[0]->width_ns;
    }
    if (good) {
        struct tied tied = tied_from(all, compare->n_sides);
        anderson_darling_k(&tied, &p);
        tied_release(&tied);
    }
    free(all);
    return p;
}

void compare_test_metrics(struct compare *compare, const struct difference *differences)
{
    double mann_whitney = NAN, ks = NAN, no_worse[N_QUANTILES];
    for (size_t q = 0; q < N_QUANTILES; q++)
        no_worse[q] = NAN;
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        const struct difference *d = &differences[side];
        if (side == compare->baseline || !d->is_tested)
            continue;
        keep_least(&mann_whitney, d->mann_whitney_p);
        keep_least(&ks, d->ks_p);
        for (size_t q = 0; q < N_QUANTILES; q++)
            keep_most(&no_worse[q], d->no_worse_p[q]);
    }
    if (isnan(ks))
        return;
    compare_add_metric(compare, "test:mann-whitney")->p = mann_whitney;
    compare_add_metric(compare, "test:kolmogorov-smirnov")->p = ks;
    double p = all_of_one_p(compare);
    if (!isnan(p))
        compare_add_metric(compare, "test:anderson-darling")->p = p;
    for (size_t q = 0; q < N_QUANTILES; q++) {
        char name[40];
        if (isnan(no_worse[q]))
            continue;
        snprintf(name, sizeof name, "no-worse:%s", quantile_names[q]);
        compare_add_metric(compare, name)->p = no_worse[q];
    }
}
