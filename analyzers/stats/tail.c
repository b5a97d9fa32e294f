/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/tail.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

#define N_BOOTSTRAP 99
#define N_BOOTSTRAP_OTHERS 19 /* at other thresholds: how p moves, not its last digit */
#define GOODNESS_LEVEL 0.05
#define LEAST_VALUES 3 /* distinct, in a fit */
#define MAX_ROWS 400 /* of one fit */

/*
 * Joins neighbouring rows until few enough are left; the largest values stay by themselves. A wider bin of a dense body
 * tells a fit the same, and a fit costs as much as it has rows.
 */
static size_t join_rows(struct excess *rows, size_t n)
{
    if (n <= MAX_ROWS)
        return n;
    size_t n_body = n - MAX_ROWS / 2, n_out = 0;
    double total = 0;
    for (size_t i = 0; i < n_body; i++)
        total += rows[i].count;
    double share = total / (MAX_ROWS / 2), done = 0;
    for (size_t i = 0; i < n_body; i++) {
        bool begins = n_out == 0 || done >= share * (double)n_out;
        done += rows[i].count;
        if (begins) {
            rows[n_out++] = rows[i];
        } else {
            rows[n_out - 1].high = rows[i].high;
            rows[n_out - 1].count += rows[i].count;
        }
    }
    memmove(rows + n_out, rows + n_body, (n - n_body) * sizeof *rows);
    return n_out + n - n_body;
}

/* Excesses over a threshold (an edge of a bin), of all samples but the n_left_out largest. Caller frees; dense rows are joined. */
static struct excess *tail_excesses(const struct histogram *h, double threshold_ns, uint64_t n_left_out, size_t *n)
{
    size_t first = h->n_bins;
    while (first > 0 && (double)h->bins[first - 1].low_ns >= threshold_ns)
        first--;
    struct excess *rows = memory_resize(NULL, h->n_bins - first + 2, sizeof *rows);
    *n = 0;
    uint64_t n_hidden = h->n_overflow, left_out = n_left_out;
    uint64_t drop = left_out < n_hidden ? left_out : n_hidden;
    n_hidden -= drop;
    left_out -= drop;
    size_t end = h->n_bins;
    uint64_t last_count = 0; /* what is left of the bin in which leaving out ended */
    while (left_out > 0 && end > first) {
        uint64_t c = h->bins[end - 1].count;
        if (c > left_out) {
            last_count = c - left_out;
            left_out = 0;
        } else {
            left_out -= c;
            end--;
        }
    }
    for (size_t i = first; i < end; i++) {
        double low = (double)h->bins[i].low_ns - threshold_ns;
        uint64_t count = last_count > 0 && i + 1 == end ? last_count : h->bins[i].count;
        rows[(*n)++] = (struct excess){low, low + h->width_ns, (double)count};
    }
    *n = join_rows(rows, *n);
    if (n_hidden > 0) {
        double limit = h->limit_ns - threshold_ns;
        bool has_max = !isnan(h->max_ns) && drop == 0;
        double max = has_max ? h->max_ns - threshold_ns : INFINITY;
        if (n_hidden > has_max)
            rows[(*n)++] = (struct excess){limit, has_max ? max + h->width_ns : INFINITY, (double)(n_hidden - has_max)};
        if (has_max)
            rows[(*n)++] = (struct excess){max, max + h->width_ns, 1};
    }
    return rows;
}

/* The lowest bin edge that at most `want` samples reach, and how many do. */
static double edge_for(const struct histogram *h, double want, uint64_t *n_excess)
{
    uint64_t n = h->n_overflow;
    size_t i = h->n_bins;
    while (i > 0 && (double)(n + h->bins[i - 1].count) <= want)
        n += h->bins[--i].count;
    *n_excess = n;
    return i < h->n_bins ? (double)h->bins[i].low_ns : NAN;
}

/* Upper edge of the largest sample that is left when n_out are left out; NAN if it is hidden. */
static double largest_left(const struct histogram *h, uint64_t n_out, double *low_edge)
{
    double low = histogram_at_rank(h, h->n - n_out);
    if (n_out < h->n_overflow)
        low = NAN;
    *low_edge = low;
    return low + h->width_ns;
}

/* Excesses without the n_out largest, which enter as "no smaller than what is left". *n 0: what is left is hidden. */
static struct excess *excesses_without(const struct histogram *h, double threshold_ns, uint64_t n_out, size_t *n)
{
    struct excess *rows = tail_excesses(h, threshold_ns, n_out, n);
    if (n_out == 0)
        return rows;
    double low, v = largest_left(h, n_out, &low) - threshold_ns;
    if (isnan(v) || v < 0) {
        *n = 0;
        return rows;
    }
    rows = memory_resize(rows, *n + 1, sizeof *rows);
    rows[(*n)++] = (struct excess){v, INFINITY, (double)n_out};
    return rows;
}

static bool fit_without(const struct histogram *h, double threshold_ns, uint64_t n_out, struct gpd_fit *fit,
                        double *goodness)
{
    size_t n;
    struct excess *rows = excesses_without(h, threshold_ns, n_out, &n);
    size_t n_values = 0; /* a scale and a shape need three values at least: fewer bins let them be anything */
    for (size_t i = 0; i < n; i++)
        n_values += !isinf(rows[i].high);
    bool good = n_values >= LEAST_VALUES && gpd_fit(rows, n, fit);
    if (good && goodness)
        *goodness = gpd_goodness_binned(fit->gpd, rows, n, 5);
    free(rows);
    return good;
}

/* Thresholds worth a look: from 5 % of the samples (at most 4,000) down to 20, halving. */
static size_t thresholds(const struct histogram *h, double *edges, uint64_t *counts, size_t most)
{
    size_t n = 0;
    for (double want = fmin(4000, (double)h->n * 0.05); want >= TAIL_LEAST_EXCESSES && n < most; want /= 2) {
        uint64_t count;
        double edge = edge_for(h, want, &count);
        if (isnan(edge) || count < TAIL_LEAST_EXCESSES || (n > 0 && edge == edges[n - 1]))
            continue;
        edges[n] = edge;
        counts[n++] = count;
    }
    /* Nearly all samples in few bins: the highest edge that enough of them reach. */
    if (n == 0) {
        uint64_t count = h->n_overflow;
        size_t i = h->n_bins;
        while (i > 0 && count < TAIL_LEAST_EXCESSES)
            count += h->bins[--i].count;
        /* but not the body itself: a tail of nearly all samples would be made up inside one bin */
        if (count >= TAIL_LEAST_EXCESSES && i < h->n_bins && (double)count <= 0.25 * (double)h->n) {
            edges[n] = (double)h->bins[i].low_ns;
            counts[n++] = count;
        }
    }
    return n;
}

/* Samples that one fit must not see: the single maximum, or what is hidden in the overflow. */
static uint64_t n_set_apart(const struct histogram *h)
{
    return h->n_overflow > 0 ? h->n_overflow : 1;
}

/*
 * The lowest threshold at which a GPD passes the test of fit: more excesses make a sharper fit, too many are body. If
 * none passes, the highest.
 */
static double choose_threshold(const struct histogram *h, struct tail_fit *fit)
{
    double edges[16], chosen = NAN;
    uint64_t counts[16];
    size_t n = thresholds(h, edges, counts, 16);
    fit->other_shape_low = fit->other_level_low_ns = INFINITY;
    fit->other_shape_high = fit->other_level_high_ns = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        struct gpd_fit one;
        double goodness = NAN;
        if (!fit_without(h, edges[i], n_set_apart(h), &one, &goodness))
            continue;
        bool passed = !(goodness < GOODNESS_LEVEL);
        if (passed || (isnan(chosen) && i + 1 == n)) {
            if (isnan(chosen)) {
                chosen = edges[i];
                fit->goodness_p = goodness;
                fit->fits = passed;
            }
        }
        if (!passed)
            continue;
        double level = edges[i] + gpd_return_level(one.gpd, 10 * (double)counts[i]);
        fit->n_passed++;
        fit->other_shape_low = fmin(fit->other_shape_low, one.gpd.shape);
        fit->other_shape_high = fmax(fit->other_shape_high, one.gpd.shape);
        fit->other_level_low_ns = fmin(fit->other_level_low_ns, level);
        fit->other_level_high_ns = fmax(fit->other_level_high_ns, level);
    }
    return chosen;
}

void tail_analyse(const struct histogram *h, double threshold_ns, struct tail_fit *fit)
{
    *fit = (struct tail_fit){.goodness_p = NAN, .threshold_ns = NAN};
    double chosen = choose_threshold(h, fit);
    if (!isnan(threshold_ns)) {
        chosen = threshold_ns;
        struct gpd_fit one;
        fit->fits = fit_without(h, chosen, n_set_apart(h), &one, &fit->goodness_p) && !(fit->goodness_p < GOODNESS_LEVEL);
    }
    if (isnan(chosen))
        return;
    fit->threshold_ns = chosen;
    tail_leave_out(h, 0, fit);
}

void tail_leave_out(const struct histogram *h, uint64_t n_left_out, struct tail_fit *fit)
{
    size_t n;
    struct excess *rows = excesses_without(h, fit->threshold_ns, n_left_out, &n);
    fit->n_left_out = n_left_out;
    fit->n_excess = 0;
    for (size_t i = 0; i < n; i++)
        fit->n_excess += (uint64_t)rows[i].count;
    fit->is_fitted = fit->n_excess >= TAIL_LEAST_EXCESSES && gpd_fit(rows, n, &fit->gpd);
    if (fit->is_fitted)
        gpd_shape_interval(rows, n, &fit->gpd, 0.95, &fit->shape_low, &fit->shape_high);
    free(rows);
}

/* Far is at least three bins and a quarter beyond what is below: smaller gaps matter to nobody, however improbable. */
static bool is_far_above(const struct histogram *h, double below_ns, double above_ns)
{
    double gap = above_ns - (below_ns + h->width_ns);
    return gap >= 3 * fmax(h->width_ns, 1) && gap >= 0.25 * below_ns;
}

static double exponential_scale(const struct histogram *h, double threshold_ns, uint64_t n_out)
{
    size_t n;
    double scale = NAN;
    struct excess *rows = excesses_without(h, threshold_ns, n_out, &n);
    gpd_fit_exponential(rows, n, &scale);
    free(rows);
    return scale;
}

/*
 * All but the largest lie in so few bins that no tail can be fitted: an exponential one whose scale is all that lies
 * between the 95 % quantile and the second largest, and no less than a bin, is as heavy as they allow.
 */
static struct tail_gap gap_above_body(const struct histogram *h)
{
    struct tail_gap gap = {.p = NAN, .n_above = 1};
    if (h->n < 1000 || h->n_overflow > 1)
        return gap;
    gap.above_ns = h->n_overflow > 0 ? h->max_ns : histogram_at_rank(h, h->n);
    double v = largest_left(h, 1, &gap.below_ns), scale = fmax(fmax(h->width_ns, 1), v - histogram_quantile(h, 0.95));
    gap.is_tested = !isnan(gap.above_ns) && !isnan(v) && !isnan(scale);
    if (gap.is_tested)
        gap.p = is_far_above(h, gap.below_ns, gap.above_ns) ? exp(-(gap.above_ns - v) / scale) : 1;
    return gap;
}

static struct tail_gap gap_of_maximum(const struct histogram *h, double threshold_ns, unsigned n_bootstrap, uint64_t seed)
{
    struct tail_gap gap = {.p = NAN, .n_above = 1};
    if (isnan(threshold_ns))
        return gap_above_body(h);
    if (h->n < 2)
        return gap;
    gap.above_ns = h->n_overflow > 0 ? h->max_ns : histogram_at_rank(h, h->n);
    if (h->n_overflow > 1 || isnan(gap.above_ns))
        return gap; /* the second largest is hidden */
    double v = largest_left(h, 1, &gap.below_ns);
    if (gap.below_ns < threshold_ns)
        return gap;
    size_t n;
    struct excess *rows = tail_excesses(h, threshold_ns, 1, &n);
    struct gpd used;
    gap.p = is_far_above(h, gap.below_ns, gap.above_ns)
                ? gpd_gap_test(rows, n, v - threshold_ns, gap.above_ns - v, n_bootstrap, seed, &used)
                : 1;
    gap.is_tested = !isnan(gap.p);
    free(rows);
    return gap;
}

struct tail_gap tail_gap_of_maximum(const struct histogram *h, double threshold_ns, uint64_t seed)
{
    return gap_of_maximum(h, threshold_ns, N_BOOTSTRAP, seed);
}

struct tail_gap tail_gap_of_cluster(const struct histogram *h, double threshold_ns, uint64_t most)
{
    struct tail_gap best = {.p = NAN};
    if (isnan(threshold_ns))
        return best;
    uint64_t above = h->n_overflow;
    size_t n_looked_at = 0;
    double above_edge = h->n_overflow > 0 ? h->limit_ns : NAN;
    for (size_t i = h->n_bins; i-- > 0 && (double)h->bins[i].low_ns >= threshold_ns && above <= most;) {
        double below = (double)h->bins[i].low_ns, gap = above_edge - (below + h->width_ns);
        struct gpd_fit fit;
        n_looked_at += above >= 2; /* also those that are not far: leaving them out would choose by the result */
        if (above >= 2 && is_far_above(h, below, above_edge) &&
            fit_without(h, threshold_ns, above, &fit, NULL)) {
            /* All `above` samples jumped the gap, each with this chance. */
            if (fit.gpd.shape < 0) { /* as in gpd_gap_test() */
                fit.gpd.shape = 0;
                fit.gpd.scale = exponential_scale(h, threshold_ns, above);
            }
            double one = gpd_gap_p(fit.gpd, below + h->width_ns - threshold_ns, gap), p = pow(one, (double)above);
            if (!best.is_tested || p < best.p)
                best = (struct tail_gap){true, above, below, above_edge, p};
        }
        above += h->bins[i].count;
        above_edge = below;
    }
    if (best.is_tested)
        best.p = fmin(1, best.p * (double)n_looked_at);
    return best;
}

size_t tail_gap_sensitivity(const struct histogram *h, uint64_t seed, double *least_p, double *most_p)
{
    double edges[16];
    uint64_t counts[16];
    size_t n_thresholds = thresholds(h, edges, counts, 16), n = 0;
    *least_p = INFINITY;
    *most_p = -INFINITY;
    for (size_t i = 0; i < n_thresholds; i++) {
        struct gpd_fit fit;
        double goodness = NAN;
        if (!fit_without(h, edges[i], n_set_apart(h), &fit, &goodness) || goodness < GOODNESS_LEVEL)
            continue;
        struct tail_gap gap = gap_of_maximum(h, edges[i], N_BOOTSTRAP_OTHERS, seed + i);
        if (!gap.is_tested)
            continue;
        n++;
        *least_p = fmin(*least_p, gap.p);
        *most_p = fmax(*most_p, gap.p);
    }
    return n;
}

bool tail_other_views(const struct histogram *h, const struct tail_fit *fit, struct tail_views *views)
{
    size_t n;
    struct excess *rows = tail_excesses(h, fit->threshold_ns, fit->n_left_out, &n);
    double count = 0, mean = 0, square = 0, logs = 0;
    for (size_t i = 0; i < n; i++) {
        double y = isinf(rows[i].high) ? rows[i].low : (rows[i].low + rows[i].high) / 2, off = y - mean;
        count += rows[i].count;
        mean += off * rows[i].count / count;
        square += rows[i].count * off * (y - mean);
        if (fit->threshold_ns > 0)
            logs += rows[i].count * log1p(y / fit->threshold_ns);
    }
    free(rows);
    if (count < TAIL_LEAST_EXCESSES || !(mean > 0) || !(square > 0))
        return false;
    double cv2 = square / (count - 1) / (mean * mean);
    *views = (struct tail_views){sqrt(cv2), (1 - 1 / cv2) / 2, gsl_cdf_chisq_Q(count * (cv2 - 1) * (cv2 - 1) / 4, 1),
                                 fit->threshold_ns > 0 ? logs / count : NAN};
    return true;
}

void tail_level(const struct histogram *h, const struct tail_fit *fit, double m, double *level_ns, double *low_ns,
                double *high_ns)
{
    *level_ns = *low_ns = *high_ns = NAN;
    if (!fit->is_fitted)
        return;
    size_t n;
    struct excess *rows = excesses_without(h, fit->threshold_ns, fit->n_left_out, &n);
    double excesses = m * (double)fit->n_excess / (double)h->n;
    *level_ns = fit->threshold_ns + gpd_return_level(fit->gpd.gpd, excesses);
    gpd_return_level_interval(rows, n, &fit->gpd, excesses, 0.95, low_ns, high_ns);
    *low_ns += fit->threshold_ns;
    *high_ns += fit->threshold_ns;
    free(rows);
}
