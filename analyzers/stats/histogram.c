/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/histogram.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

bool bins_differ_in_width(const struct bin *bins, size_t n_bins, double width_ns)
{
    for (size_t i = 1; i < n_bins; i++)
        if ((double)bins[i].low_ns - (double)bins[i - 1].low_ns < width_ns)
            return true;
    return false;
}

struct histogram histogram_of(const struct bin *bins, size_t n_bins, double width_ns, uint64_t n_overflow,
                              double limit_ns, double max_ns)
{
    struct histogram h = {bins, n_bins, width_ns, bins_differ_in_width(bins, n_bins, width_ns), n_overflow, limit_ns, max_ns, n_overflow};
    for (size_t i = 0; i < n_bins; i++)
        h.n += bins[i].count;
    return h;
}

double histogram_at_rank(const struct histogram *h, uint64_t rank)
{
    if (rank == 0 || rank > h->n)
        return NAN;
    uint64_t above = h->n - rank; /* samples larger than it: from the top, where quantiles of interest lie */
    if (above < h->n_overflow)
        return above == 0 ? h->max_ns : NAN;
    above -= h->n_overflow;
    for (size_t i = h->n_bins; i-- > 0; above -= h->bins[i].count)
        if (above < h->bins[i].count)
            return (double)h->bins[i].low_ns;
    return NAN;
}

/* ceil(level * n) without the rounding of 0.9999 * 10000 = 9999.000000000001 */
static uint64_t rank_of(double level, uint64_t n)
{
    long double x = (long double)level * (long double)n;
    long double down = floorl(x + 1e-9L * (x > 1 ? x : 1) * 1e-3L);
    uint64_t rank = (uint64_t)(x - down > 1e-9L * (x > 1 ? 1 : x) * 1e3L ? down + 1 : down);
    return rank < 1 ? 1 : rank > n ? n : rank;
}

double histogram_quantile(const struct histogram *h, double level)
{
    return h->n == 0 ? NAN : histogram_at_rank(h, rank_of(level, h->n));
}

double histogram_mean(const struct histogram *h)
{
    if (h->n_overflow > 0 || h->n == 0 || h->widths_differ)
        return NAN;
    long double sum = 0;
    for (size_t i = 0; i < h->n_bins; i++)
        sum += (long double)h->bins[i].count * (long double)h->bins[i].low_ns;
    return (double)(sum / (long double)h->n) + h->width_ns / 2;
}

uint64_t histogram_count_at_least(const struct histogram *h, double edge_ns)
{
    uint64_t n = h->n_overflow;
    for (size_t i = h->n_bins; i-- > 0 && (double)h->bins[i].low_ns >= edge_ns;)
        n += h->bins[i].count;
    return n;
}

/* log P(none of the `above` largest of n is among m drawn) */
static double log_p_none(double n, double above, double m)
{
    if (above + m > n)
        return -INFINITY;
    if (above < 64) {
        double sum = 0;
        for (double i = 0; i < above; i++)
            sum += log1p(-m / (n - i));
        return sum;
    }
    return lgamma(n - m + 1) - lgamma(n - m - above + 1) - lgamma(n + 1) + lgamma(n - above + 1);
}

double histogram_expected_max(const struct histogram *h, double m)
{
    double n = (double)h->n, above = 0, p_above = 0, sum = 0;
    if (h->n == 0 || m < 1 || m > n)
        return NAN;
    if (h->n_overflow > 1 || (h->n_overflow == 1 && isnan(h->max_ns)))
        return m == n ? h->max_ns : NAN; /* which of the hidden values would be drawn is not known */
    if (h->n_overflow == 1) {
        above = 1;
        p_above = -expm1(log_p_none(n, 1, m));
        sum = p_above * h->max_ns;
    }
    for (size_t i = h->n_bins; i-- > 0 && p_above < 1 - 1e-12;) {
        above += (double)h->bins[i].count;
        double p = -expm1(log_p_none(n, above, m));
        sum += (p - p_above) * (double)h->bins[i].low_ns;
        p_above = p;
    }
    return sum / p_above;
}

void histogram_draws(const struct histogram *h, double level, bool inside, gsl_rng *rng, double *values, size_t n_values)
{
    /* at_least[i]: samples in bin i and above; a draw looks its bin up by halving. */
    uint64_t *at_least = memory_resize(NULL, h->n_bins + 1, sizeof *at_least), sum = h->n_overflow;
    for (size_t i = h->n_bins; i-- > 0;)
        at_least[i] = sum += h->bins[i].count;
    /* The order statistic of a resample of n is the one of rank ceil(n*U), U ~ Beta(k, n-k+1), in the sample. */
    double n = (double)h->n, k = (double)rank_of(level, h->n);
    for (size_t v = 0; v < n_values; v++) {
        uint64_t above = (uint64_t)(gsl_ran_beta(rng, n - k + 1, k) * n);
        if (above >= h->n)
            above = h->n - 1;
        if (above < h->n_overflow) {
            values[v] = above == 0 ? h->max_ns : NAN;
            continue;
        }
        size_t low = 0, high = h->n_bins; /* the last bin with at_least > above */
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (at_least[middle] > above)
                low = middle;
            else
                high = middle;
        }
        values[v] = (double)h->bins[low].low_ns;
        if (inside)
            values[v] += h->width_ns * ((double)(at_least[low] - above) - 0.5) / (double)h->bins[low].count;
    }
    free(at_least);
}

struct bin *histogram_merge(const struct histogram *parts, size_t n_parts, struct histogram *sum)
{
    size_t n_all = 0, n = 0, *at = memory_new(n_parts * sizeof *at);
    for (size_t p = 0; p < n_parts; p++)
        n_all += parts[p].n_bins;
    struct bin *bins = memory_resize(NULL, n_all, sizeof *bins);
    for (;;) { /* parts are few: the smallest next edge by looking at each */
        int64_t low = INT64_MAX;
        for (size_t p = 0; p < n_parts; p++)
            if (at[p] < parts[p].n_bins && parts[p].bins[at[p]].low_ns < low)
                low = parts[p].bins[at[p]].low_ns;
        if (low == INT64_MAX)
            break;
        bins[n] = (struct bin){low, 0};
        for (size_t p = 0; p < n_parts; p++)
            if (at[p] < parts[p].n_bins && parts[p].bins[at[p]].low_ns == low)
                bins[n].count += parts[p].bins[at[p]++].count;
        n++;
    }
    free(at);
    uint64_t n_overflow = 0;
    double limit = NAN, max = NAN, width = 0;
    for (size_t p = 0; p < n_parts; p++) {
        n_overflow += parts[p].n_overflow;
        if (parts[p].n_overflow > 0)
            limit = isnan(limit) ? parts[p].limit_ns : fmin(limit, parts[p].limit_ns);
        if (!isnan(parts[p].max_ns))
            max = isnan(max) ? parts[p].max_ns : fmax(max, parts[p].max_ns);
        width = fmax(width, parts[p].width_ns);
    }
    /* What one part hides above its limit makes the ranks of all values above it unknown. */
    while (n_overflow > 0 && n > 0 && (double)bins[n - 1].low_ns >= limit) {
        n--;
        n_overflow += bins[n].count;
        max = isnan(max) ? (double)bins[n].low_ns : fmax(max, (double)bins[n].low_ns);
    }
    *sum = histogram_of(bins, n, width, n_overflow, limit, max);
    for (size_t p = 0; p < n_parts; p++)
        sum->widths_differ |= parts[p].widths_differ || (parts[p].n_bins > 0 && parts[p].width_ns != width);
    return bins;
}
