/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/gpd.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "analyzers/stats/optimum.h"
#include "base/memory.h"

/* Below this |shape| the exponential limit is exact to rounding. */
#define SHAPE_ZERO 1e-9
#define SHAPE_MIN  (-0.999)
#define SHAPE_MAX  10.0

double gpd_log_survival(struct gpd gpd, double y)
{
    double z = y / gpd.scale;
    if (z <= 0)
        return 0;
    if (fabs(gpd.shape) < SHAPE_ZERO)
        return -z;
    if (gpd.shape * z <= -1)
        return -INFINITY;
    return -log1p(gpd.shape * z) / gpd.shape;
}

/* y with P(Y > y) = p. */
static double gpd_quantile_upper(struct gpd gpd, double p)
{
    if (fabs(gpd.shape) < SHAPE_ZERO)
        return -gpd.scale * log(p);
    return gpd.scale * expm1(-gpd.shape * log(p)) / gpd.shape;
}

static double log_probability(struct gpd gpd, const struct excess *e)
{
    double above = gpd_log_survival(gpd, e->low);
    if (e->low == e->high) /* density: S(y) / (scale + shape*y) */
        return above - log(gpd.scale + gpd.shape * e->low);
    if (isinf(e->high) || isinf(above))
        return above;
    return above + log(-expm1(gpd_log_survival(gpd, e->high) - above));
}

static double gpd_log_likelihood(struct gpd gpd, const struct excess *data, size_t n)
{
    double sum = 0;
    if (!(gpd.scale > 0))
        return -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (data[i].count > 0)
            sum += data[i].count * log_probability(gpd, &data[i]);
    return isnan(sum) ? -INFINITY : sum;
}

struct sample {
    const struct excess *data;
    size_t n;
    double fixed; /* shape or level held while the other moves */
    double m;
};

/* x: log scale, shape */
static double minus_likelihood(const double *x, const void *context)
{
    const struct sample *s = context;
    if (x[1] < SHAPE_MIN || x[1] > SHAPE_MAX)
        return INFINITY;
    return -gpd_log_likelihood((struct gpd){exp(x[0]), x[1]}, s->data, s->n);
}
/* x: scale, shape; in the units of the standard errors */
static double minus_likelihood_plain(const double *x, const void *context)
{
    const struct sample *s = context;
    return -gpd_log_likelihood((struct gpd){x[0], x[1]}, s->data, s->n);
}

/* Mean of the excesses, bins at their middle; and whether there is more than one value. */
static double mean_excess(const struct excess *data, size_t n, bool *varies)
{
    double sum = 0, total = 0;
    size_t n_used = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(data[i].count > 0))
            continue;
        n_used++;
        double middle = isinf(data[i].high) ? data[i].low * 1.2 : (data[i].low + data[i].high) / 2;
        sum += data[i].count * middle;
        total += data[i].count;
    }
    *varies = n_used > 1;
    return total > 0 ? sum / total : 0;
}

bool gpd_fit_from(const struct excess *data, size_t n, struct gpd start, struct gpd *gpd)
{
    struct sample sample = {.data = data, .n = n};
    struct objective objective = {2, minus_likelihood, &sample};
    double x[2] = {log(start.scale), start.shape}, step[2] = {0.2, 0.1}, minimum;
    if (!optimum_find(&objective, x, step, &minimum))
        return false;
    *gpd = (struct gpd){exp(x[0]), x[1]};
    return true;
}

double gpd_fit_exponential(const struct excess *data, size_t n, double *scale)
{
    bool varies;
    double mean = mean_excess(data, n, &varies);
    struct gpd gpd = {mean, 0};
    double best = -INFINITY, low = log(mean) - 3, high = log(mean) + 3;
    for (int i = 0; i < 100; i++) { /* golden section: the likelihood has one peak */
        double a = low + 0.381966 * (high - low), b = high - 0.381966 * (high - low);
        double fa = gpd_log_likelihood((struct gpd){exp(a), 0}, data, n);
        double fb = gpd_log_likelihood((struct gpd){exp(b), 0}, data, n);
        if (fa > fb)
            high = b;
        else
            low = a;
        best = fmax(fa, fb);
    }
    gpd.scale = exp((low + high) / 2);
    *scale = gpd.scale;
    return best;
}

bool gpd_fit(const struct excess *data, size_t n, struct gpd_fit *fit)
{
    bool varies;
    double mean = mean_excess(data, n, &varies);
    *fit = (struct gpd_fit){.scale_se = NAN, .shape_se = NAN};
    for (size_t i = 0; i < n; i++)
        fit->n += data[i].count;
    if (!varies || !(mean > 0) || !gpd_fit_from(data, n, (struct gpd){mean * 0.9, 0.1}, &fit->gpd))
        return false;
    fit->log_likelihood = gpd_log_likelihood(fit->gpd, data, n);
    struct sample sample = {.data = data, .n = n};
    struct objective objective = {2, minus_likelihood_plain, &sample};
    double x[2] = {fit->gpd.scale, fit->gpd.shape}, scale[2] = {fit->gpd.scale * 0.3, 0.3}, covariance[4];
    if (optimum_covariance(&objective, x, scale, covariance)) {
        fit->scale_se = sqrt(covariance[0]);
        fit->shape_se = sqrt(covariance[3]);
    }
    return true;
}

static double over_scale(double log_scale, const void *context)
{
    const struct sample *s = context;
    return -gpd_log_likelihood((struct gpd){exp(log_scale), s->fixed}, s->data, s->n);
}

struct profile {
    struct sample sample;
    double start;  /* of the variable that is free */
    double target; /* -log likelihood at the end of the interval */
    curve *over;
    double low, high; /* of the free variable */
};
static double profile_excess(double fixed, const void *context)
{
    struct profile p = *(const struct profile *)context;
    p.sample.fixed = fixed;
    double f = curve_minimum(p.over, &p.sample, p.low, p.high, p.start, 0.1, NULL);
    return isfinite(f) ? f - p.target : 1e6;
}

/* Walks from the estimate outwards until the profile passes the target, then finds where. */
static double profile_end(const struct profile *profile, double estimate, double step, double limit, double open)
{
    double inside = estimate;
    for (int i = 0; i < 60; i++, step *= 1.5) {
        double outside = inside + step;
        bool at_limit = step > 0 ? outside >= limit : outside <= limit;
        if (at_limit)
            outside = limit;
        if (profile_excess(outside, profile) > 0)
            return curve_root(profile_excess, profile, fmin(inside, outside), fmax(inside, outside));
        if (at_limit)
            return open;
        inside = outside;
    }
    return open;
}

void gpd_shape_interval(const struct excess *data, size_t n, const struct gpd_fit *fit, double confidence, double *low,
                        double *high)
{
    struct profile profile = {
        .sample = {.data = data, .n = n},
        .start = log(fit->gpd.scale),
        .target = -fit->log_likelihood + gsl_cdf_chisq_Pinv(confidence, 1) / 2,
        .over = over_scale,
        .low = log(fit->gpd.scale) - 8,
        .high = log(fit->gpd.scale) + 8,
    };
    double step = isnan(fit->shape_se) ? 0.05 : fmax(fit->shape_se, 0.005);
    *low = profile_end(&profile, fit->gpd.shape, -step, SHAPE_MIN, -1);
    *high = profile_end(&profile, fit->gpd.shape, step, SHAPE_MAX, INFINITY);
}

double gpd_return_level(struct gpd gpd, double m)
{
    return m <= 1 ? 0 : gpd_quantile_upper(gpd, 1 / m);
}

/* -log likelihood over the shape, with the scale that gives the fixed return level. */
static double over_shape_at_level(double shape, const void *context)
{
    const struct sample *s = context;
    double unit = gpd_quantile_upper((struct gpd){1, shape}, 1 / s->m);
    return -gpd_log_likelihood((struct gpd){s->fixed / unit, shape}, s->data, s->n);
}

void gpd_return_level_interval(const struct excess *data, size_t n, const struct gpd_fit *fit, double m,
                               double confidence, double *low, double *high)
{
    double level = gpd_return_level(fit->gpd, m);
    *low = *high = level;
    if (m <= 1 || !(level > 0))
        return;
    struct profile profile = {
        .sample = {.data = data, .n = n, .m = m},
        .start = fit->gpd.shape,
        .target = -fit->log_likelihood + gsl_cdf_chisq_Pinv(confidence, 1) / 2,
        .over = over_shape_at_level,
        .low = SHAPE_MIN,
        .high = SHAPE_MAX,
    };
    *low = profile_end(&profile, level, -level * 0.1, level * 1e-3, 0);
    *high = profile_end(&profile, level, level * 0.1, level * 1e4, INFINITY);
}

double gpd_goodness_binned(struct gpd gpd, const struct excess *data, size_t n, double least)
{
    double total = 0, g = 0, observed = 0, log_below = 0;
    size_t n_groups = 0;
    for (size_t i = 0; i < n; i++)
        total += data[i].count;
    /* Bins without samples are not rows: each group reaches from the end of the last to the end of this row. */
    double left = total;
    for (size_t i = 0; i < n; i++) {
        observed += data[i].count;
        left -= data[i].count;
        double log_s = gpd_log_survival(gpd, data[i].high);
        double expected = total * (exp(log_below) - exp(log_s)), rest = total * exp(log_s);
        bool is_last = i + 1 == n || rest < least;
        if (is_last) {
            observed += left;
            expected = total * exp(log_below);
        } else if (expected < least) {
            continue;
        }
        if (observed > 0 && expected > 0)
            g += 2 * observed * log(observed / expected);
        n_groups++;
        observed = 0;
        log_below = log_s;
        if (is_last)
            break;
    }
    return n_groups < 4 ? NAN : gsl_cdf_chisq_Q(fmax(g, 0), (double)n_groups - 3);
}

double gpd_gap_p(struct gpd gpd, double v, double gap)
{
    double base = gpd.scale + gpd.shape * v;
    if (!(base > 0)) /* v is at the end of the distribution: nothing can lie above it */
        return gap > 0 ? 0 : 1;
    return exp(gpd_log_survival((struct gpd){base, gpd.shape}, gap));
}

static double gpd_random(struct gpd gpd, gsl_rng *rng)
{
    return gpd_quantile_upper(gpd, gsl_rng_uniform_pos(rng));
}

static int by_low(const void *a, const void *b)
{
    const struct excess *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/*
 * Draws n excesses from the fit into bins of the data's width, equal ones counted together; the maximum is left out but
 * for "no smaller than the second largest", as in the data. Returns the number of rows.
 */
static size_t resample(struct gpd gpd, size_t n, double width, struct excess *out, gsl_rng *rng)
{
    for (size_t i = 0; i < n; i++) {
        double y = gpd_random(gpd, rng), low = width > 0 ? floor(y / width) * width : y;
        out[i] = (struct excess){low, low + width, 1};
    }
    memory_sort(out, n, sizeof *out, by_low);
    double second = out[n - 2].high;
    size_t n_rows = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        if (n_rows > 0 && out[n_rows - 1].low >= out[i].low)
            out[n_rows - 1].count++;
        else
            out[n_rows++] = out[i];
    }
    out[n_rows++] = (struct excess){second, INFINITY, 1};
    return n_rows;
}

/* Mean of the gap's p over fits to parametric resamples: many excesses need no more than n_draws, their fit is sharp. */
static double gap_p_averaged(struct gpd gpd, double v, double gap, double width, size_t n_draws, unsigned n_bootstrap,
                             uint64_t seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, (unsigned long)(seed ^ 0x9e3779b9u));
    struct excess *drawn = memory_resize(NULL, n_draws, sizeof *drawn);
    double sum = gpd_gap_p(gpd, v, gap);
    unsigned n_good = 1;
    for (unsigned b = 0; b < n_bootstrap; b++) {
        struct gpd again;
        size_t n_rows = resample(gpd, n_draws, width, drawn, rng);
        if (!gpd_fit_from(drawn, n_rows, gpd, &again))
            continue;
        if (again.shape < 0) {
            again.shape = 0;
            gpd_fit_exponential(drawn, n_rows, &again.scale);
        }
        sum += gpd_gap_p(again, v, gap);
        n_good++;
    }
    free(drawn);
    gsl_rng_free(rng);
    return sum / n_good;
}

double gpd_gap_test(const struct excess *data, size_t n, double v, double gap, unsigned n_bootstrap, uint64_t seed,
                    struct gpd *used)
{
    double width = 0, total = 0, p = NAN;
    struct excess *with = memory_resize(NULL, n + 1, sizeof *with);
    for (size_t i = 0; i < n; i++) {
        with[i] = data[i];
        total += data[i].count;
        double w = data[i].high - data[i].low;
        if (isfinite(w) && w > 0)
            width = width > 0 ? fmin(width, w) : w;
    }
    with[n] = (struct excess){v, INFINITY, 1};
    struct gpd_fit fit;
    if (gpd_fit(with, n + 1, &fit)) {
        /*
         * Latencies have no known end: a short tail (negative shape) that the fit found must not make what lies beyond its
         * end impossible. The exponential tail then decides.
         */
        if (fit.gpd.shape < 0) {
            fit.gpd.shape = 0;
            gpd_fit_exponential(with, n + 1, &fit.gpd.scale);
        }
        p = gpd_gap_p(fit.gpd, v, gap);
        *used = fit.gpd;
        if (p < 0.2 && total >= 3) /* above, the uncertainty changes nothing */
            p = gap_p_averaged(fit.gpd, v, gap, width, (size_t)fmin(total + 1, 2000), n_bootstrap, seed);
    }
    free(with);
    return p;
}
