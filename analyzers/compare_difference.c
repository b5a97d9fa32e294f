/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Body and tail of one side against the baseline. With histograms: Mann-Whitney for the body's place, Kolmogorov-Smirnov for
 * its shape, counts above common edges for the tail (the permutation test of bin counts, exact; no shape assumed, unequal
 * lengths are no matter), all corrected together by Holm. Without: ranks of repeated runs or threads. A difference must
 * also be large enough to matter, and larger than what runs of one side differ by.
 */
#include <math.h>
#include <stdlib.h>

#include "analyzers/compare.h"
#include "analyzers/stats/counting.h"
#include "analyzers/stats/twosample.h"

#include "base/memory.h"

#define BODY_MATTERS 1.03 /* ratio of averages */
#define TAIL_MATTERS 1.05 /* ratio of quantiles */
#define SMALL_CLIFF 0.147 /* below it an effect is negligible (Romano et al. 2006) */
#define TAIL_LEAST   10   /* samples that a level must leave above it in the shorter side */
#define SHAPE_MATTERS 0.05 /* Kolmogorov-Smirnov distance */
#define LENGTH_MATTERS 1.2
#define LEAST_BLOCKS 30
#define BLOCKS_LEAST 2 /* that a level leaves above it: the counts are exact */

#define MAX_LEVELS 7
/* The first only stands in where the second is out of reach. */
static const double tail_levels[MAX_LEVELS] = {0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999, 0.99999999};

static int direction_of(double from, double to, double matters)
{
    if (!(from > 0) || !(to > 0))
        return 0;
    return to / from >= matters ? 1 : from / to >= matters ? -1 : 0;
}

struct level {
    double p, from, to;
    int direction;
};

/* Which way the share above a common edge differs, and whether the quantiles at that level differ enough to matter. */
static struct level look_at_level(const struct histogram *a, const struct histogram *b, double level, double n_least)
{
    struct level found = {NAN, histogram_quantile(a, level), histogram_quantile(b, level), 0};
    double least = fmin((double)a->n, (double)b->n) * (1 - level), edge = pooled_edge(a, b, level);
    if (least < n_least || isnan(edge))
        return found;
    uint64_t above_a = histogram_count_at_least(a, edge), above_b = histogram_count_at_least(b, edge);
    found.p = exceedance_p(above_a, a->n, above_b, b->n);
    double share_a = (double)above_a / (double)a->n, share_b = (double)above_b / (double)b->n;
    int more = share_b > share_a ? 1 : -1;
    /* Hidden in an overflow, or anywhere in a wide range: the share alone must say it. */
    if (isnan(found.from) || isnan(found.to) || a->widths_differ || b->widths_differ)
        found.direction = fmax(share_a, share_b) > 1.5 * fmin(share_a, share_b) && found.from != found.to ? more : 0;
    else
        found.direction = direction_of(found.from + a->width_ns / 2, found.to + b->width_ns / 2, TAIL_MATTERS) == more ? more : 0;
    return found;
}

static bool is_uniform(const struct histogram *a, const struct histogram *b, double *shift)
{
    static const double levels[] = {0.1, 0.5, 0.9, 0.99, 0.999};
    double least = INFINITY, most = -INFINITY, width = fmax(a->width_ns, b->width_ns);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double moved = histogram_quantile(b, levels[i]) - histogram_quantile(a, levels[i]);
        if (isnan(moved))
            return false;
        least = fmin(least, moved);
        most = fmax(most, moved);
    }
    *shift = (least + most) / 2;
    return fabs(*shift) >= 2 * width && most - least <= fmax(width, 0.25 * fabs(*shift));
}

double compare_alpha(const struct compare *compare)
{
    size_t n_against = compare->n_sides > 2 ? compare->n_sides - 1 : 1;
    return (1 - compare->options->confidence_pct / 100) / (double)n_against;
}

/* Tests that look at all samples. */
static void test_distributions(const struct histogram *const *both, struct difference *d)
{
    struct tied tied = tied_from(both, 2);
    struct mann_whitney body = mann_whitney(&tied, 0, 1, 0);
    size_t place = ks_place(&tied, 0, 1);
    d->is_tested = true;
    d->mann_whitney_p = body.p;
    d->cliff = body.cliff;
    d->ks = ks_distance(&tied, 0, 1);
    d->ks_p = ks_p_asymptotic(d->ks, tied.totals[0], tied.totals[1]);
    if (place + 1 < tied.n_values) {
        d->ks_at_ns = tied.edges[place + 1];
        d->ks_above_from = (double)histogram_count_at_least(both[0], d->ks_at_ns) / tied.totals[0];
        d->ks_above_to = (double)histogram_count_at_least(both[1], d->ks_at_ns) / tied.totals[1];
    }
    tied_release(&tied);
}

static void by_histograms(const struct compare *compare, const struct side *a, const struct side *b, struct level level[MAX_LEVELS],
                          struct difference *d)
{
    const struct histogram *both[] = {&a->histogram, &b->histogram};
    double alpha = compare_alpha(compare), p[2 + MAX_LEVELS], *level_p = p + 2;
    test_distributions(both, d);
    d->has_ranges = both[0]->widths_differ || both[1]->widths_differ;
    p[0] = d->mann_whitney_p;
    p[1] = d->ks_p;
    for (size_t i = 0; i < MAX_LEVELS; i++) {
        level[i] = look_at_level(both[0], both[1], tail_levels[i], TAIL_LEAST);
        level_p[i] = level[i].p;
    }
    if (!isnan(level_p[1]))
        level_p[0] = NAN;
    adjust_holm(p, 2 + MAX_LEVELS);
    d->body_p = p[0];
    d->ks_adjusted_p = p[1];
    d->body_from_ns = a->avg_ns;
    d->body_to_ns = b->avg_ns;
    int way = d->cliff < 0 ? 1 : -1; /* cliff > 0: the baseline's values are larger */
    if (p[0] < alpha && direction_of(a->avg_ns, b->avg_ns, BODY_MATTERS) == way)
        d->body = way;
    /* Averages moved by a tail alone are no body; medians decide where averages are unknown. */
    if (p[0] < alpha && isnan(a->avg_ns + b->avg_ns)) {
        d->body_from_ns = histogram_quantile(both[0], 0.5);
        d->body_to_ns = histogram_quantile(both[1], 0.5);
        d->body = direction_of(d->body_from_ns, d->body_to_ns, BODY_MATTERS) == way ? way : 0;
        if (d->has_ranges && fabs(d->cliff) < SMALL_CLIFF)
            d->body = 0; /* medians that moved to the next range may lie next to each other */
    }
    for (size_t i = 0; i < MAX_LEVELS; i++) {
        level[i].p = level_p[i];
        level[i].direction *= level_p[i] < alpha;
    }
    for (size_t i = MAX_LEVELS; i-- > 0;) { /* the deepest level that shows something is the tail's word */
        if (level[i].direction == 0)
            continue;
        d->tail = level[i].direction;
        d->tail_p = level_p[i];
        d->tail_level = tail_levels[i];
        d->tail_from_ns = level[i].from;
        d->tail_to_ns = level[i].to;
        break;
    }
    d->body_confidence = d->tail_confidence = CONFIDENCE_LIKELY;
    d->is_uniform = d->body != 0 && is_uniform(both[0], both[1], &d->shift_ns);
    d->distribution_differs = d->body == 0 && p[1] < alpha && d->ks >= SHAPE_MATTERS;
}

/* Values of all series of a side. */
static size_t gather(const struct compare *compare, const struct side *side, bool maxima, double **values)
{
    size_t n = 0, n_all = 0;
    for (size_t i = 0; i < side->n_members; i++)
        n_all += compare->runs[side->members[i]].n_series;
    *values = memory_resize(NULL, n_all, sizeof **values);
    for (size_t i = 0; i < side->n_members; i++) {
        const struct measured_run *m = &compare->runs[side->members[i]];
        for (size_t k = 0; k < m->n_series; k++) {
            double value = maxima ? m->series_max[k] : m->series_avg[k];
            if (!isnan(value))
                (*values)[n++] = value;
        }
    }
    return n;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ranks of a few values each: apart if no value of one side reaches into the other. */
static int apart(double *a, size_t n_a, double *b, size_t n_b, double matters, double *from, double *to, double *p)
{
    *p = n_a * n_b < 4 ? NAN : rank_sum_p_exact(a, n_a, b, n_b); /* too few for any p */
    if (n_a == 0 || n_b == 0)
        return 0;
    memory_sort(a, n_a, sizeof *a, by_value);
    memory_sort(b, n_b, sizeof *b, by_value);
    *from = a[n_a / 2];
    *to = b[n_b / 2];
    int way = b[0] > a[n_a - 1] ? 1 : b[n_b - 1] < a[0] ? -1 : 0;
    return way != 0 && direction_of(*from, *to, matters) == way ? way : 0;
}

#define LARGEST_MATTERS 1.5 /* ratio of maxima */

/* Whether side b has larger (1) or smaller (-1) maxima, as they are known: 0 where the smaller ones are only lower bounds. */
static int unless_bound(int way, const struct side *a, const struct side *b)
{
    const struct side *smaller = way > 0 ? a : b;
    return smaller->max_is_lower_bound ? 0 : way;
}

/*
 * The shorter side holds the largest value of all: among n_a + n_b samples of one kind it lies there with the share of its
 * length. Threads may be late together, so that further maxima of the side count for nothing; one event of one run is never
 * more than possible.
 */
static void by_largest(const struct compare *compare, uint32_t side, struct difference *d)
{
    const struct side *a = &compare->sides[compare->baseline], *b = &compare->sides[side];
    double p = 2 * fmin(a->n, b->n) / (a->n + b->n); /* either side could have been it */
    int way = unless_bound(direction_of(a->max_ns, b->max_ns, LARGEST_MATTERS), a, b);
    bool shorter_is_worse = (way > 0) == (b->n < a->n);
    if (d->tail != 0 || way == 0 || !shorter_is_worse || !(p < compare_alpha(compare)))
        return;
    d->tail = way;
    d->tail_p = p;
    d->tail_from_ns = a->max_ns;
    d->tail_to_ns = b->max_ns;
    d->tail_confidence = CONFIDENCE_POSSIBLE;
}

static void by_ranks(const struct compare *compare, uint32_t side, struct difference *d)
{
    double alpha = compare_alpha(compare), *a, *b;
    d->by_runs = true;
    size_t n_a = gather(compare, &compare->sides[compare->baseline], false, &a), n_b = gather(compare, &compare->sides[side], false, &b);
    d->body = apart(a, n_a, b, n_b, 1.1, &d->body_from_ns, &d->body_to_ns, &d->body_p);
    d->body_confidence = d->body_p < alpha ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
    free(a);
    free(b);
    n_a = gather(compare, &compare->sides[compare->baseline], true, &a);
    n_b = gather(compare, &compare->sides[side], true, &b);
    /* One value against one says something only if it is far away. */
    d->tail = unless_bound(apart(a, n_a, b, n_b, n_a * n_b < 4 ? 1.5 : 1.1, &d->tail_from_ns, &d->tail_to_ns, &d->tail_p),
                           &compare->sides[compare->baseline], &compare->sides[side]);
    d->tail_confidence = d->tail_p < alpha ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
    d->tail_level = NAN;
    free(a);
    free(b);
    by_largest(compare, side, d);
}

/*
 * Only the worst of each second is known, on both sides: counts above common edges of those, corrected together. They are
 * many values of the tail, where a maximum of the whole run is one.
 */
static void by_blocks(const struct compare *compare, const struct side *a, const struct side *b, struct difference *d)
{
    static const double levels[] = {0.5, 0.75, 0.9, 0.95};
    enum { N_LEVELS = sizeof levels / sizeof *levels };
    struct level found[N_LEVELS];
    double p[N_LEVELS];
    d->by_blocks = true;
    d->tail = 0;
    d->tail_p = NAN;
    for (size_t i = 0; i < N_LEVELS; i++) {
        found[i] = look_at_level(&a->blocks, &b->blocks, levels[i], BLOCKS_LEAST);
        p[i] = found[i].p;
    }
    adjust_holm(p, N_LEVELS);
    for (size_t i = N_LEVELS; i-- > 0 && d->tail == 0;) {
        if (isnan(p[i]) || p[i] >= compare_alpha(compare))
            continue;
        d->tail = found[i].direction;
        d->tail_p = p[i];
        d->tail_level = levels[i];
        d->tail_from_ns = found[i].from;
        d->tail_to_ns = found[i].to;
    }
    d->tail_confidence = CONFIDENCE_LIKELY;
}

static bool have_blocks(const struct side *a, const struct side *b)
{
    return a->blocks.n >= LEAST_BLOCKS && b->blocks.n >= LEAST_BLOCKS && a->blocks.width_ns == b->blocks.width_ns &&
           a->block_ns < 1.2 * b->block_ns && b->block_ns < 1.2 * a->block_ns;
}

/* One direction that samples show, held against the runs' own spread. */
static void hold_against_spread(struct difference *d, int *direction, enum confidence *confidence, double *shown_p,
                                const struct spread *a, const struct spread *b, double alpha)
{
    if (*direction == 0)
        return;
    double p = spread_difference_p(a, b);
    *shown_p = fmax(*shown_p, p);
    if (!(p < alpha) || (b->log_mean > a->log_mean) != (*direction > 0)) { /* also where it is not known */
        *direction = 0;
        d->is_within_spread = true;
        return;
    }
    bool apart = *direction > 0 ? b->low > a->high : b->high < a->low;
    *confidence = apart && a->n_runs >= 3 && b->n_runs >= 3 ? CONFIDENCE_PROVEN : CONFIDENCE_LIKELY;
}

/*
 * Repeats: a difference between the sides must also hold from run to run, whether or not the few runs of one side were seen
 * to vary. The runs are then what is compared, not their millions of samples. The tail is held at a quantile that the
 * result does not choose: the deepest that every run knows.
 */
static void weigh_repeats(const struct compare *compare, uint32_t side, const struct level *levels, struct difference *d)
{
    const struct side *a = &compare->sides[compare->baseline], *b = &compare->sides[side];
    if (a->repeats.n_runs < 2 && b->repeats.n_runs < 2)
        return;
    size_t n_a, n_b;
    const struct histogram **runs_a = compare_histograms(compare, compare->baseline, &n_a),
                           **runs_b = compare_histograms(compare, side, &n_b);
    double alpha = compare_alpha(compare) / 2; /* body and tail: two tests of the runs */
    double level = fmin(compare_common_level(runs_a, n_a, TAIL_LEAST), compare_common_level(runs_b, n_b, TAIL_LEAST));
    d->by_spread = true;
    hold_against_spread(d, &d->body, &d->body_confidence, &d->body_p, &a->repeats.body, &b->repeats.body, alpha);
    for (size_t i = 0; i < MAX_LEVELS && d->tail != 0; i++) {
        if (tail_levels[i] != level)
            continue;
        struct spread tail_a = spread_of_quantile(runs_a, n_a, level, compare->options->seed),
                      tail_b = spread_of_quantile(runs_b, n_b, level, compare->options->seed + 1);
        d->tail = levels[i].direction;
        d->tail_p = levels[i].p;
        d->tail_level = level;
        d->tail_from_ns = levels[i].from;
        d->tail_to_ns = levels[i].to;
        hold_against_spread(d, &d->tail, &d->tail_confidence, &d->tail_p, &tail_a, &tail_b, alpha);
    }
    if (isnan(level) || level < tail_levels[0])
        d->tail = 0; /* runs too short to have a tail of their own */
    if (a->repeats.vary || b->repeats.vary) {
        d->is_within_spread |= d->distribution_differs;
        d->distribution_differs = false; /* so do the runs of one side */
    }
    d->is_uniform &= d->body != 0;
    free(runs_a);
    free(runs_b);
}

struct difference compare_difference(const struct compare *compare, uint32_t side)
{
    const struct side *a = &compare->sides[compare->baseline], *b = &compare->sides[side];
    struct difference d = {.body_p = NAN, .tail_p = NAN, .body_from_ns = NAN, .body_to_ns = NAN, .tail_level = NAN,
                           .tail_from_ns = NAN, .tail_to_ns = NAN, .mann_whitney_p = NAN, .cliff = NAN, .ks = NAN, .ks_p = NAN,
                           .ks_adjusted_p = NAN, .ks_at_ns = NAN, .ks_above_from = NAN, .ks_above_to = NAN, .no_worse_most_p = NAN};
    for (size_t q = 0; q < N_QUANTILES; q++)
        d.no_worse_p[q] = NAN;
    double ratio = b->n_per_series / a->n_per_series;
    d.length_differs = ratio >= LENGTH_MATTERS || ratio <= 1 / LENGTH_MATTERS;
    if (a->histogram.n > 0 && b->histogram.n > 0 && a->histogram.width_ns == b->histogram.width_ns) {
        struct level levels[MAX_LEVELS];
        by_histograms(compare, a, b, levels, &d);
        weigh_repeats(compare, side, levels, &d);
        compare_no_worse(compare, side, &d);
    } else {
        by_ranks(compare, side, &d);
        if (have_blocks(a, b))
            by_blocks(compare, a, b, &d);
    }
    bool b_is_larger = b->max_ns > a->max_ns, longer_is_worse = (ratio > 1) == b_is_larger && b->max_ns != a->max_ns;
    longer_is_worse &= unless_bound(b_is_larger ? 1 : -1, a, b) != 0;
    d.length_explains = d.length_differs && longer_is_worse && (d.tail == 0 || (d.by_runs && !d.by_blocks));
    /* Maxima of unequal lengths, the longer run's larger: that is what length alone gives. */
    if (d.length_explains && d.by_runs)
        d.tail = 0;
    return d;
}
