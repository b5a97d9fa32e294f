/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/dependence.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/stats/counting.h"
#include "base/memory.h"

double extremal_index_intervals(const double *t, size_t n)
{
    if (n < 3)
        return NAN;
    double longest = 0, sum = 0, squares = 0, less1 = 0, less12 = 0, m = (double)n - 1;
    for (size_t i = 0; i + 1 < n; i++) {
        double gap = t[i + 1] - t[i];
        longest = fmax(longest, gap);
        sum += gap;
        squares += gap * gap;
        less1 += gap - 1;
        less12 += (gap - 1) * (gap - 2);
    }
    double theta = longest <= 2 ? 2 * sum * sum / (m * squares) : 2 * less1 * less1 / (m * less12);
    return fmin(1, theta);
}

double kendall_trend(const double *x, size_t n, double *p)
{
    double s = 0, pairs = (double)n * ((double)n - 1) / 2, variance = (double)n * ((double)n - 1) * (2 * (double)n + 5);
    for (size_t i = 0; i < n; i++) {
        double ties = 1; /* of this value, counted at its first place */
        bool first = true;
        for (size_t j = 0; j < n; j++) {
            if (j > i)
                s += (x[j] > x[i]) - (x[j] < x[i]);
            if (j != i && x[j] == x[i]) {
                ties++;
                first &= j > i;
            }
        }
        if (first)
            variance -= ties * (ties - 1) * (2 * ties + 5);
    }
    double sd = sqrt(variance / 18);
    *p = sd > 0 ? fmin(1, 2 * gsl_cdf_ugaussian_Q(fmax(0, fabs(s) - 1) / sd)) : 1;
    return pairs > 0 ? s / pairs : 0;
}

double rayleigh(const double *t, size_t n, double period, double *p)
{
    double c = 0, s = 0, count = (double)n;
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * M_PI * fmod(t[i], period) / period;
        c += cos(angle);
        s += sin(angle);
    }
    double r = sqrt(c * c + s * s);
    if (p) {
        double rest = fmax(0, count * count - r * r);
        *p = n == 0 ? 1 : fmin(1, exp(sqrt(1 + 4 * count + 4 * rest) - (1 + 2 * count)));
    }
    return n == 0 ? 0 : r / count;
}

/* The best period of [low, high] by steps that turn the last phase by a quarter at most; *n_tried grows. */
static double scan(const double *t, size_t n, double low, double high, double *best_r, size_t *n_tried)
{
    double span = t[n - 1] - t[0], best = 0;
    const double step = 0.25 / span; /* in frequency */
    for (double f = 1 / high; f <= 1 / low && *n_tried < 200000; f += step) {
        double r = rayleigh(t, n, 1 / f, NULL);
        (*n_tried)++;
        if (r > *best_r) {
            *best_r = r;
            best = 1 / f;
        }
    }
    return best;
}

double rhythm_find(const double *t, size_t n, double shortest, double longest, double *p, double *resultant)
{
    *p = 1;
    if (n < 4 || !(t[n - 1] > t[0]) || !(longest > shortest))
        return NAN;
    double r = 0;
    size_t n_tried = 0;
    double period = scan(t, n, shortest, longest, &r, &n_tried);
    if (period <= 0)
        return NAN;
    /* Sharpen around the best, then prefer the longest multiple that is kept as well: a divisor always fits too. */
    double span = t[n - 1] - t[0], f = 1 / period;
    for (double d = -0.25 / span; d <= 0.25 / span; d += 0.01 / span) {
        if (f + d <= 0)
            continue;
        double again = rayleigh(t, n, 1 / (f + d), NULL);
        if (again > r)
            r = again, period = 1 / (f + d);
    }
    for (int k = 12; k > 1; k--) {
        double again = rayleigh(t, n, period * k, NULL);
        if (period * k <= longest && again > 0.97 * r) {
            period *= k;
            r = again;
            break;
        }
    }
    double one;
    rayleigh(t, n, period, &one);
    *p = fmin(1, one * (double)n_tried);
    if (resultant)
        *resultant = r;
    return period;
}

#define COMB_LAGS 12 /* events that may lie between two teeth */

struct distance {
    double length;
    size_t from, to;
};
static int by_length(const void *a, const void *b)
{
    const struct distance *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Distances between events that are no neighbours of one burst, sorted. */
static struct distance *distances(const double *t, size_t n, double grain, size_t *n_found)
{
    struct distance *all = memory_resize(NULL, n * COMB_LAGS + 1, sizeof *all);
    size_t last = 0;
    *n_found = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && t[i] - t[last] < 3 * grain)
            continue; /* of the burst that `last` began */
        last = i;
        double before = t[i];
        for (size_t j = i + 1, lag = 0; j < n && lag < COMB_LAGS; j++) {
            if (t[j] - before < 3 * grain)
                continue;
            before = t[j];
            lag++;
            if (t[j] - t[i] >= 10 * grain)
                all[(*n_found)++] = (struct distance){t[j] - t[i], i, j};
        }
    }
    memory_sort(all, *n_found, sizeof *all, by_length);
    return all;
}

/* How many distances lie about `length`, and the first of them. */
static size_t count_about(const struct distance *d, size_t m, double length, double grain, size_t *first)
{
    size_t n = 0;
    for (size_t i = 0; i < m; i++)
        if (fabs(d[i].length - length) <= 0.001 * length + 2 * grain) {
            *first = n++ == 0 ? i : *first;
        }
    return n;
}

double comb_find(const double *t, size_t n, double grain, size_t *n_in, bool *is_in, double *p)
{
    size_t m, best_n = 0, best = 0;
    struct distance *d = distances(t, n, grain, &m);
    double period = NAN, best_p = 1;
    for (size_t i = 0, end = 0; i < m; i++) {
        double reach = d[i].length * 1.002 + 4 * grain;
        end = end < i ? i : end;
        while (end < m && d[end].length <= reach)
            end++;
        if (end - i < 4)
            continue;
        /* As many as the lengths from half of it to twice would put there by chance, or those close by. */
        double length = d[i].length, window = reach - length, close = 0, around = 0;
        for (size_t k = 0; k < m; k++) {
            bool is_inside = k >= i && k < end;
            around += !is_inside && d[k].length >= length / 2 && d[k].length <= 2 * length;
            close += !is_inside && fabs(d[k].length - length) <= 10 * window;
        }
        double expected = fmax(fmax(around, 1) * window / (1.5 * length), close / 20);
        double one = fmin(1, poisson_at_least(expected, end - i) * (double)m);
        if (one < best_p || (one == best_p && end - i > best_n)) {
            best_p = one;
            best_n = end - i;
            best = i;
        }
    }
    /* The teeth of a comb also stand at twice its distance: the shortest that most of them keep is its own. */
    for (size_t k = 6; k > 1 && best_n > 0; k--) {
        size_t first = 0, again = count_about(d, m, d[best + best_n / 2].length / (double)k, grain, &first);
        if ((double)again >= 0.8 * (double)best_n) {
            best = first;
            best_n = again;
            break;
        }
    }
    for (size_t i = 0; i < n; i++)
        is_in[i] = false;
    *n_in = 0;
    *p = best_p;
    if (best_n > 0) {
        period = d[best + best_n / 2].length;
        for (size_t i = best; i < best + best_n; i++)
            is_in[d[i].from] = is_in[d[i].to] = true;
        for (size_t i = 0; i < n; i++)
            *n_in += is_in[i];
    }
    free(d);
    return period;
}
