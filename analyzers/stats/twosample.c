/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/twosample.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

struct tied tied_from(const struct histogram *const *h, size_t n)
{
    struct tied tied = {.n_samples = n, .totals = memory_new(n * sizeof(double))};
    size_t n_all = 1, *at = memory_new(n * sizeof *at);
    double limit = INFINITY;
    for (size_t s = 0; s < n; s++) {
        n_all += h[s]->n_bins;
        if (h[s]->n_overflow > 0)
            limit = fmin(limit, h[s]->limit_ns);
    }
    /* Filled value by value, then turned to sample by sample. */
    double *rows = memory_resize(NULL, n_all * n, sizeof *rows);
    tied.edges = memory_resize(NULL, n_all, sizeof *tied.edges);
    for (;;) {
        int64_t low = INT64_MAX;
        for (size_t s = 0; s < n; s++)
            if (at[s] < h[s]->n_bins && h[s]->bins[at[s]].low_ns < low)
                low = h[s]->bins[at[s]].low_ns;
        if (low == INT64_MAX || (double)low >= limit)
            break;
        for (size_t s = 0; s < n; s++) {
            bool has = at[s] < h[s]->n_bins && h[s]->bins[at[s]].low_ns == low;
            rows[tied.n_values * n + s] = has ? (double)h[s]->bins[at[s]++].count : 0;
        }
        tied.edges[tied.n_values++] = (double)low;
    }
    tied.edges[tied.n_values] = limit;
    bool any = false;
    for (size_t s = 0; s < n; s++) {
        double rest = (double)h[s]->n_overflow;
        for (size_t i = at[s]; i < h[s]->n_bins; i++)
            rest += (double)h[s]->bins[i].count;
        rows[tied.n_values * n + s] = rest;
        any = any || rest > 0;
    }
    tied.n_values += any;
    tied.counts = memory_resize(NULL, tied.n_values * n, sizeof *tied.counts);
    for (size_t v = 0; v < tied.n_values; v++)
        for (size_t s = 0; s < n; s++) {
            tied.counts[s * tied.n_values + v] = rows[v * n + s];
            tied.totals[s] += rows[v * n + s];
        }
    free(rows);
    free(at);
    return tied;
}

void tied_release(struct tied *tied)
{
    free(tied->counts);
    free(tied->totals);
    free(tied->edges);
    *tied = (struct tied){0};
}

static const double *counts_of(const struct tied *tied, size_t sample)
{
    return tied->counts + sample * tied->n_values;
}

static double ks_look(const struct tied *tied, size_t a, size_t b, size_t *place)
{
    const double *x = counts_of(tied, a), *y = counts_of(tied, b);
    double fx = 0, fy = 0, distance = 0;
    *place = 0;
    for (size_t v = 0; v < tied->n_values; v++) {
        fx += x[v];
        fy += y[v];
        double here = fabs(fx / tied->totals[a] - fy / tied->totals[b]);
        if (here > distance) {
            distance = here;
            *place = v;
        }
    }
    return distance;
}

double ks_distance(const struct tied *tied, size_t a, size_t b)
{
    size_t place;
    return ks_look(tied, a, b, &place);
}

size_t ks_place(const struct tied *tied, size_t a, size_t b)
{
    size_t place;
    ks_look(tied, a, b, &place);
    return place;
}

double ks_p_asymptotic(double distance, double n_a, double n_b)
{
    double lambda = distance * sqrt(n_a * n_b / (n_a + n_b)), sum = 0;
    if (lambda < 0.2)
        return 1;
    for (int k = 1; k <= 100; k++)
        sum += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * lambda * lambda);
    return fmin(1, fmax(0, sum));
}

struct mann_whitney mann_whitney(const struct tied *tied, size_t a, size_t b, int continuity)
{
    const double *x = counts_of(tied, a), *y = counts_of(tied, b);
    double n = tied->totals[a], m = tied->totals[b], below = 0, w = 0, ties = 0, total = n + m;
    for (size_t v = 0; v < tied->n_values; v++) {
        double both = x[v] + y[v];
        w += x[v] * (below + y[v] / 2);
        below += y[v];
        ties += both * both * both - both;
    }
    double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
    double off = w - n * m / 2;
    if (continuity)
        off = off > 0.5 ? off - 0.5 : off < -0.5 ? off + 0.5 : 0;
    return (struct mann_whitney){w, variance > 0 ? 2 * gsl_cdf_ugaussian_Q(fabs(off) / sqrt(variance)) : 1,
                                 n * m > 0 ? 2 * w / (n * m) - 1 : 0};
}

double rank_sum_p_exact(const double *a, size_t n_a, const double *b, size_t n_b)
{
    size_t n = n_a + n_b;
    if (n_a == 0 || n_b == 0 || n > 20)
        return NAN;
    double all[20], rank[20], own = 0, middle = (double)n_a * ((double)n + 1) / 2;
    for (size_t i = 0; i < n; i++)
        all[i] = i < n_a ? a[i] : b[i - n_a];
    for (size_t i = 0; i < n; i++) {
        double less = 0, same = 0;
        for (size_t j = 0; j < n; j++) {
            less += all[j] < all[i];
            same += all[j] == all[i];
        }
        rank[i] = less + (same + 1) / 2;
        own += i < n_a ? rank[i] : 0;
    }
    uint32_t n_splits = 0, n_extreme = 0;
    for (uint32_t set = 0; set < 1u << n; set++) {
        if ((size_t)__builtin_popcount(set) != n_a)
            continue;
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += set >> i & 1 ? rank[i] : 0;
        n_splits++;
        n_extreme += fabs(sum - middle) >= fabs(own - middle) - 1e-9;
    }
    return (double)n_extreme / (double)n_splits;
}

/* Standard deviation of the statistic over all permutations, without ties (Scholz and Stephens, equation 4). */
static double anderson_darling_sd(double k, double big_n, double sum_inverse)
{
    double h = 0, g = 0;
    size_t n_terms = big_n > 1e6 ? 1000000 : (size_t)big_n; /* beyond, the sums' part of it no longer changes */
    double n = (double)n_terms;
    for (size_t i = 1; i < n_terms; i++)
        h += 1 / (double)i;
    double inner = 0; /* sum over j > i of 1 / ((N - i) * j) */
    for (size_t i = n_terms - 1; i-- > 1;) {
        inner += 1 / (double)(i + 1);
        g += inner / (n - (double)i);
    }
    double a = (4 * g - 6) * (k - 1) + (10 - 6 * g) * sum_inverse;
    double b = (2 * g - 4) * k * k + 8 * h * k + (2 * g - 14 * h - 4) * sum_inverse - 8 * h + 4 * g - 6;
    double c = (6 * h + 2 * g - 2) * k * k + (4 * h - 4 * g + 6) * k + (2 * h - 6) * sum_inverse + 4 * h;
    double d = (2 * h + 6) * k * k - 4 * h * k;
    return sqrt((a * n * n * n + b * n * n + c * n + d) / ((n - 1) * (n - 2) * (n - 3)));
}

/*
 * Their table of critical values holds without ties; with a tenth of all samples in one bin it is passed at 9 % where 5 %
 * is nominal. With ties the statistic tends to
 *
 *     sum over k - 1 bridges W, and values v, of  p(v) ((W(u(v-1)) + W(u(v))) / 2)^2 / (m (1 - m) - p(v) / 4)
 *
 * where p(v) is the pooled share of a value, u its cumulative sum and m its middle: drawn here, neighbours of little
 * weight joined.
 */
#define AD_DRAWS 1999
#define AD_CELLS 200

static size_t join_cells(const struct tied *tied, double big_n, double *cells)
{
    size_t n = 0;
    double sum = 0;
    for (size_t v = 0; v < tied->n_values; v++) {
        for (size_t s = 0; s < tied->n_samples; s++)
            sum += counts_of(tied, s)[v] / big_n;
        if (sum >= 1.0 / AD_CELLS || (v + 1 == tied->n_values && sum > 0)) {
            cells[n++] = sum;
            sum = 0;
        }
    }
    return n;
}

static double anderson_darling_p(const struct tied *tied, double big_n, double observed)
{
    double cells[AD_CELLS + 1];
    size_t n = join_cells(tied, big_n, cells), n_beyond = 0;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 20260101);
    for (size_t draw = 0; draw < AD_DRAWS; draw++) {
        double statistic = 0;
        for (size_t j = 1; j < tied->n_samples; j++) {
            double walk[AD_CELLS + 1], end = 0, u = 0, before = 0;
            for (size_t v = 0; v < n; v++)
                walk[v] = end += gsl_ran_gaussian_ziggurat(rng, sqrt(cells[v]));
            for (size_t v = 0; v < n; v++) {
                double after = walk[v] - (u + cells[v]) * end, middle = u + cells[v] / 2, w = (before + after) / 2;
                double below = middle * (1 - middle) - cells[v] / 4;
                if (below > 1e-12)
                    statistic += cells[v] * w * w / below;
                before = after;
                u += cells[v];
            }
        }
        n_beyond += statistic >= observed;
    }
    gsl_rng_free(rng);
    return ((double)n_beyond + 1) / (AD_DRAWS + 1);
}

double anderson_darling_k(const struct tied *tied, double *p)
{
    double big_n = 0, sum = 0, sum_inverse = 0;
    for (size_t s = 0; s < tied->n_samples; s++) {
        big_n += tied->totals[s];
        sum_inverse += 1 / tied->totals[s];
    }
    for (size_t s = 0; s < tied->n_samples; s++) {
        const double *x = counts_of(tied, s);
        double n = tied->totals[s], own = 0, all = 0, part = 0;
        for (size_t v = 0; v < tied->n_values; v++) {
            double here = 0;
            for (size_t t = 0; t < tied->n_samples; t++)
                here += counts_of(tied, t)[v];
            double b = all + here / 2, m = own + x[v] / 2;
            all += here;
            own += x[v];
            double below = b * (big_n - b) - big_n * here / 4;
            if (below > 0)
                part += here / big_n * (big_n * m - n * b) * (big_n * m - n * b) / below;
        }
        sum += part / n;
    }
    double k = (double)tied->n_samples;
    double t = ((big_n - 1) / big_n * sum - (k - 1)) / anderson_darling_sd(k, big_n, sum_inverse);
    if (p)
        *p = anderson_darling_p(tied, big_n, (big_n - 1) / big_n * sum);
    return t;
}

/* log of the hypergeometric weight: k of n_a above, when t of n_a + n_b are. */
static double log_hypergeometric(double k, double t, double n_a, double n_b)
{
    return lgamma(t + 1) - lgamma(k + 1) - lgamma(t - k + 1) +
           (lgamma(n_a + n_b - t + 1) - lgamma(n_a - k + 1) - lgamma(n_b - t + k + 1)) -
           (lgamma(n_a + n_b + 1) - lgamma(n_a + 1) - lgamma(n_b + 1));
}

/* Sum of weights from k in one direction, relative to the first. */
static double one_side(double k, double t, double n_a, double n_b, int direction)
{
    double term = 1, sum = 1;
    for (int i = 0; i < 1000000; i++) {
        if (direction > 0) {
            term *= (t - k) * (n_a - k) / ((k + 1) * (n_b - t + k + 1));
            k++;
        } else {
            term *= k * (n_b - t + k) / ((t - k + 1) * (n_a - k + 1));
            k--;
        }
        sum += term;
        if (term < 1e-15 * sum)
            break;
    }
    return sum;
}

double exceedance_p(uint64_t n_above_a, uint64_t n_a, uint64_t n_above_b, uint64_t n_b)
{
    double a = (double)n_a, b = (double)n_b, k = (double)n_above_a, t = k + (double)n_above_b;
    if (t == 0 || a == 0 || b == 0 || t == a + b)
        return 1;
    double mean = t * a / (a + b), variance = mean * (b / (a + b)) * (1 - t / (a + b));
    if (t > 20000) /* exact sums of lgamma lose digits; the normal limit is exact enough */
        return 2 * gsl_cdf_ugaussian_Q(fmax(0, fabs(k - mean) - 0.5) / sqrt(variance));
    /* The logarithms of huge factorials cancel to about 1e-6 at 1e9 samples: harmless for a p value. */
    double log_w = log_hypergeometric(k, t, a, b);
    double side = exp(log_w) * one_side(k, t, a, b, k >= mean ? 1 : -1);
    return fmin(1, 2 * side);
}

double pooled_edge(const struct histogram *a, const struct histogram *b, double level)
{
    double want = (double)(a->n + b->n) * (1 - level), above = (double)(a->n_overflow + b->n_overflow);
    double limit = fmin(a->n_overflow > 0 ? a->limit_ns : INFINITY, b->n_overflow > 0 ? b->limit_ns : INFINITY);
    size_t i = a->n_bins, j = b->n_bins;
    double edge = isfinite(limit) ? limit : NAN;
    while (i > 0 || j > 0) {
        int64_t x = i > 0 ? a->bins[i - 1].low_ns : INT64_MIN, y = j > 0 ? b->bins[j - 1].low_ns : INT64_MIN;
        int64_t low = x > y ? x : y;
        double here = 0;
        if (x == low)
            here += (double)a->bins[--i].count;
        if (y == low)
            here += (double)b->bins[--j].count;
        if ((double)low < limit && above + here > want && above > 0 &&
            above + here - want > want - above) /* nearer without this bin */
            break;
        above += here;
        if ((double)low < limit)
            edge = (double)low;
        if (above >= want)
            break;
    }
    return i == 0 && j == 0 ? NAN : edge;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void quantile_ratio_interval(const struct histogram *a, const struct histogram *b, double level, double confidence,
                             unsigned n_bootstrap, uint64_t seed, double *low, double *high)
{
    *low = *high = NAN;
    if (a->n == 0 || b->n == 0 || isnan(histogram_quantile(a, level)) || isnan(histogram_quantile(b, level)))
        return;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, (unsigned long)seed);
    double *ratio = memory_resize(NULL, n_bootstrap, sizeof *ratio), *from = memory_resize(NULL, n_bootstrap, sizeof *from),
           *to = memory_resize(NULL, n_bootstrap, sizeof *to);
    size_t n = 0;
    histogram_draws(a, level, false, rng, from, n_bootstrap);
    histogram_draws(b, level, false, rng, to, n_bootstrap);
    for (unsigned i = 0; i < n_bootstrap; i++) {
        /* Bins are spread evenly inside their width: else ratios jump from bin to bin. */
        double x = from[i] + a->width_ns * gsl_rng_uniform(rng), y = to[i] + b->width_ns * gsl_rng_uniform(rng);
        if (x > 0 && !isnan(y))
            ratio[n++] = y / x;
    }
    if (n > n_bootstrap / 2) {
        memory_sort(ratio, n, sizeof *ratio, by_value);
        double half = (1 - confidence) / 2, last = (double)(n - 1);
        *low = ratio[(size_t)(half * last)];
        *high = ratio[(size_t)ceil((1 - half) * last)];
        if (n < n_bootstrap) /* some resamples fell into a hidden overflow */
            *high = INFINITY;
    }
    free(ratio);
    free(from);
    free(to);
    gsl_rng_free(rng);
}

double quantile_no_worse_p(const struct histogram *a, const struct histogram *b, double level, double margin,
                           unsigned n_bootstrap, uint64_t seed, double *equivalent_p)
{
    double *from = memory_resize(NULL, n_bootstrap, sizeof *from), *to = memory_resize(NULL, n_bootstrap, sizeof *to);
    double width = fmax(a->width_ns, b->width_ns);
    unsigned n_worse = 0, n_better = 0;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, (unsigned long)seed);
    histogram_draws(a, level, true, rng, from, n_bootstrap);
    histogram_draws(b, level, true, rng, to, n_bootstrap);
    for (unsigned i = 0; i < n_bootstrap; i++) {
        double most = fmax(margin * from[i], width);
        n_worse += !(to[i] - from[i] <= most);
        n_better += !(from[i] - to[i] <= most);
    }
    gsl_rng_free(rng);
    free(from);
    free(to);
    double all = (double)n_bootstrap + 1;
    if (equivalent_p)
        *equivalent_p = fmax((double)n_worse + 1, (double)n_better + 1) / all;
    return ((double)n_worse + 1) / all;
}

double p_longer_run_wins(double n_a, double n_b)
{
    return n_a + n_b > 0 ? n_b / (n_a + n_b) : NAN;
}
