/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/gev.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "analyzers/stats/optimum.h"

struct values {
    const double *values;
    size_t n;
};

static double gev_log_likelihood(struct gev gev, const double *values, size_t n)
{
    double sum = 0;
    if (!(gev.scale > 0))
        return -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double z = (values[i] - gev.location) / gev.scale;
        if (fabs(gev.shape) < 1e-9) {
            sum -= log(gev.scale) + z + exp(-z);
            continue;
        }
        if (gev.shape * z <= -1)
            return -INFINITY;
        double log_t = log1p(gev.shape * z);
        sum -= log(gev.scale) + (1 + 1 / gev.shape) * log_t + exp(-log_t / gev.shape);
    }
    return sum;
}

/* x: location, scale, shape (shape 0 if only two vary) */
static double minus_likelihood(const double *x, const void *context)
{
    const struct values *v = context;
    return -gev_log_likelihood((struct gev){x[0], x[1], x[2]}, v->values, v->n);
}
static double minus_likelihood_gumbel(const double *x, const void *context)
{
    const struct values *v = context;
    return -gev_log_likelihood((struct gev){x[0], x[1], 0}, v->values, v->n);
}

static bool fit_from_moments(size_t n_free, const double *values, size_t n, struct gev_fit *fit)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        variance += (values[i] - mean) * (values[i] - mean) / (double)n;
    double scale = sqrt(6 * variance) / M_PI;
    *fit = (struct gev_fit){.location_se = NAN, .scale_se = NAN, .shape_se = NAN};
    if (n < 3 || !(scale > 0))
        return false;
    struct values context = {values, n};
    struct objective objective = {n_free, n_free == 3 ? minus_likelihood : minus_likelihood_gumbel, &context};
    double x[3] = {mean - 0.57722 * scale, scale, n_free == 3 ? 0.05 : 0}, step[3] = {scale * 0.3, scale * 0.3, 0.1};
    double minimum, covariance[9];
    if (!optimum_find(&objective, x, step, &minimum))
        return false;
    fit->gev = (struct gev){x[0], x[1], n_free == 3 ? x[2] : 0};
    fit->log_likelihood = -minimum;
    if (optimum_covariance(&objective, x, step, covariance)) {
        fit->location_se = sqrt(covariance[0]);
        fit->scale_se = sqrt(covariance[n_free + 1]);
        fit->shape_se = n_free == 3 ? sqrt(covariance[8]) : 0;
    }
    return true;
}

bool gev_fit(const double *values, size_t n, struct gev_fit *fit)
{
    return fit_from_moments(3, values, n, fit);
}

/* t(x) of F = exp(-t): INFINITY below the lower end, 0 above the upper. */
static double gev_t(struct gev gev, double x)
{
    double z = (x - gev.location) / gev.scale;
    if (isinf(x))
        return x > 0 ? 0 : INFINITY;
    if (fabs(gev.shape) < 1e-9)
        return exp(-z);
    if (gev.shape * z <= -1)
        return gev.shape > 0 ? INFINITY : 0;
    return exp(-log1p(gev.shape * z) / gev.shape);
}

double gev_log_survival(struct gev gev, double x)
{
    return log(-expm1(-gev_t(gev, x)));
}

struct binned {
    const struct excess *data;
    size_t n;
};

/* x: location, log of the scale, shape */
static double minus_likelihood_binned(const double *x, const void *context)
{
    const struct binned *b = context;
    struct gev gev = {x[0], exp(x[1]), x[2]};
    double sum = 0;
    if (!(gev.scale > 0) || fabs(gev.shape) > 2)
        return INFINITY;
    for (size_t i = 0; i < b->n; i++) {
        double above = gev_t(gev, b->data[i].high), below = gev_t(gev, b->data[i].low); /* below >= above */
        double log_p = -above + log(-expm1(above - below));
        if (!isfinite(log_p))
            return INFINITY;
        sum -= b->data[i].count * log_p;
    }
    return sum;
}

bool gev_fit_binned(const struct excess *data, size_t n, struct gev_fit *fit)
{
    double mean = 0, variance = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        double middle = isinf(data[i].high) ? data[i].low : (data[i].low + data[i].high) / 2, off = middle - mean;
        total += data[i].count;
        mean += off * data[i].count / total;
        variance += data[i].count * off * (middle - mean);
    }
    double scale = sqrt(6 * variance / total) / M_PI;
    *fit = (struct gev_fit){.location_se = NAN, .scale_se = NAN, .shape_se = NAN};
    if (n < 3 || !(scale > 0))
        return false;
    struct binned context = {data, n};
    struct objective objective = {3, minus_likelihood_binned, &context};
    double x[3] = {mean - 0.57722 * scale, log(scale), 0.05}, step[3] = {scale * 0.3, 0.2, 0.1}, minimum, covariance[9];
    if (!optimum_find(&objective, x, step, &minimum))
        return false;
    fit->gev = (struct gev){x[0], exp(x[1]), x[2]};
    fit->log_likelihood = -minimum;
    if (optimum_covariance(&objective, x, step, covariance)) {
        fit->location_se = sqrt(covariance[0]);
        fit->scale_se = fit->gev.scale * sqrt(covariance[4]);
        fit->shape_se = sqrt(covariance[8]);
    }
    return true;
}

double gev_goodness_binned(struct gev gev, const struct excess *data, size_t n, double least)
{
    double total = 0, g = 0, observed = 0, done = 0; /* done: P(X <= end of the last group) */
    size_t n_groups = 0;
    for (size_t i = 0; i < n; i++)
        total += data[i].count;
    for (size_t i = 0; i < n; i++) {
        observed += data[i].count;
        double share = exp(-gev_t(gev, data[i].high)), expected = total * (share - done);
        bool is_last = i + 1 == n;
        if (!is_last && (expected < least || total * (1 - share) < least))
            continue;
        if (is_last)
            expected = total * (1 - done);
        if (observed > 0 && expected > 0)
            g += 2 * observed * log(observed / expected);
        n_groups++;
        observed = 0;
        done = share;
    }
    return n_groups < 5 ? NAN : gsl_cdf_chisq_Q(fmax(g, 0), (double)n_groups - 4);
}

double gev_return_level(struct gev gev, double n_blocks)
{
    double y = -log1p(-1 / n_blocks);
    if (fabs(gev.shape) < 1e-9)
        return gev.location - gev.scale * log(y);
    return gev.location + gev.scale * expm1(-gev.shape * log(y)) / gev.shape;
}
