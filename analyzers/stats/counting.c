/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/counting.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/stats/optimum.h"
#include "base/memory.h"

/* log p -> I_p(a, b) - target: quantiles of the beta distribution at small p, where GSL's own inverse gives up. */
struct beta_problem {
    double a, b, target;
};
static double beta_excess(double log_p, const void *context)
{
    const struct beta_problem *q = context;
    return gsl_cdf_beta_P(exp(log_p), q->a, q->b) - q->target;
}
static double beta_quantile(double probability, double a, double b)
{
    struct beta_problem problem = {a, b, probability};
    return exp(curve_root(beta_excess, &problem, log(1e-300), 0));
}

void proportion_interval(uint64_t k, uint64_t n, double confidence, double *low, double *high)
{
    double half = (1 - confidence) / 2, x = (double)k, trials = (double)n;
    *low = k == 0 ? 0 : beta_quantile(half, x, trials - x + 1);
    *high = k >= n ? 1 : k == 0 ? -expm1(log(half) / trials) : beta_quantile(1 - half, x + 1, trials - x);
}

double poisson_at_least(double mean, uint64_t k)
{
    return k == 0 ? 1 : gsl_cdf_poisson_Q((unsigned)(k - 1 > 0xffffffffu ? 0xffffffffu : k - 1), mean);
}

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The distribution of `a` with the margins held: log weights for low..high, the largest 0. */
struct hypergeometric {
    int64_t low, high;
    double *log_weight;
};
static struct hypergeometric hypergeometric_of(struct table2x2 t)
{
    int64_t row = (int64_t)(t.a + t.b), column = (int64_t)(t.a + t.c), other = (int64_t)(t.c + t.d);
    struct hypergeometric h = {column > other ? column - other : 0, row < column ? row : column, NULL};
    size_t n = (size_t)(h.high - h.low) + 1;
    h.log_weight = memory_resize(NULL, n, sizeof *h.log_weight);
    double top = -INFINITY;
    for (int64_t k = h.low; k <= h.high; k++) {
        double w = log_choose((double)row, (double)k) + log_choose((double)other, (double)(column - k));
        h.log_weight[k - h.low] = w;
        top = fmax(top, w);
    }
    for (size_t i = 0; i < n; i++)
        h.log_weight[i] -= top;
    return h;
}

double fisher_p(struct table2x2 t)
{
    struct hypergeometric h = hypergeometric_of(t);
    double all = 0, extreme = 0, own = h.log_weight[(int64_t)t.a - h.low];
    for (int64_t k = h.low; k <= h.high; k++) {
        double w = h.log_weight[k - h.low];
        all += exp(w);
        if (w <= own + 1e-7)
            extreme += exp(w);
    }
    free(h.log_weight);
    return fmin(1, extreme / all);
}

double fisher_p_greater(struct table2x2 t)
{
    struct hypergeometric h = hypergeometric_of(t);
    double all = 0, extreme = 0;
    for (int64_t k = h.low; k <= h.high; k++) {
        double w = exp(h.log_weight[k - h.low]);
        all += w;
        if (k >= (int64_t)t.a)
            extreme += w;
    }
    free(h.log_weight);
    return fmin(1, extreme / all);
}

/* What Fisher's noncentral distribution gives at log odds ratio w. */
enum noncentral { MEAN, AT_LEAST, AT_MOST };
struct noncentral_problem {
    const struct hypergeometric *h;
    int64_t a;
    enum noncentral what;
    double target;
};
static double noncentral_excess(double log_ratio, const void *context)
{
    const struct noncentral_problem *q = context;
    const struct hypergeometric *h = q->h;
    double top = -INFINITY, all = 0, sum = 0;
    for (int64_t k = h->low; k <= h->high; k++)
        top = fmax(top, h->log_weight[k - h->low] + log_ratio * (double)k);
    for (int64_t k = h->low; k <= h->high; k++) {
        double w = exp(h->log_weight[k - h->low] + log_ratio * (double)k - top);
        all += w;
        if (q->what == MEAN)
            sum += w * (double)k;
        else if (q->what == AT_LEAST ? k >= q->a : k <= q->a)
            sum += w;
    }
    return sum / all - q->target;
}

double fisher_odds_ratio(struct table2x2 t, double confidence, double *low, double *high)
{
    struct hypergeometric h = hypergeometric_of(t);
    int64_t a = (int64_t)t.a;
    double half = (1 - confidence) / 2;
    struct noncentral_problem mean = {&h, a, MEAN, (double)a}, lower = {&h, a, AT_LEAST, half},
                              upper = {&h, a, AT_MOST, half};
    double ratio = a == h.low    ? 0
                   : a == h.high ? INFINITY
                                 : exp(curve_root(noncentral_excess, &mean, -60, 60));
    *low = a == h.low ? 0 : exp(curve_root(noncentral_excess, &lower, -60, 60));
    *high = a == h.high ? INFINITY : exp(curve_root(noncentral_excess, &upper, -60, 60));
    free(h.log_weight);
    return ratio;
}

double table_lift(struct table2x2 t)
{
    double n = (double)(t.a + t.b + t.c + t.d), with = (double)(t.a + t.c), outliers = (double)(t.a + t.b);
    return (double)t.a / with / (outliers / n);
}

static const double *sorting; /* p values that order_by_p compares: qsort has no context in C17 */
static int order_by_p(const void *a, const void *b)
{
    double x = sorting[*(const size_t *)a], y = sorting[*(const size_t *)b];
    return (x > y) - (x < y);
}

/* Indices of the known p values, smallest first. */
static size_t *ranked(const double *p, size_t n, size_t *n_known)
{
    size_t *order = memory_resize(NULL, n, sizeof *order);
    *n_known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            order[(*n_known)++] = i;
    sorting = p;
    memory_sort(order, *n_known, sizeof *order, order_by_p);
    return order;
}

void adjust_benjamini_hochberg(double *p, size_t n)
{
    size_t m, *order = ranked(p, n, &m);
    double least = 1;
    for (size_t i = m; i-- > 0;)
        p[order[i]] = least = fmin(least, p[order[i]] * (double)m / (double)(i + 1));
    free(order);
}

void adjust_holm(double *p, size_t n)
{
    size_t m, *order = ranked(p, n, &m);
    double most = 0;
    for (size_t i = 0; i < m; i++)
        p[order[i]] = most = fmax(most, fmin(1, p[order[i]] * (double)(m - i)));
    free(order);
}
