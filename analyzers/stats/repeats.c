/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/repeats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "base/memory.h"

#define N_RESAMPLES 200

static const struct spread unknown = {.low = NAN, .high = NAN, .mean = NAN, .sd = NAN, .sampling_sd = NAN, .between_sd = NAN,
                                      .log_mean = NAN, .log_sd = NAN, .log_sampling_sd = NAN};

/* Mean and standard deviation (NAN: one value) of the known values. */
static size_t moments(const double *values, size_t n, double *mean, double *sd)
{
    size_t n_known = 0;
    double square = 0;
    *mean = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i]))
            continue;
        double off = values[i] - *mean; /* Welford's running mean */
        *mean += off / (double)++n_known;
        square += off * (values[i] - *mean);
    }
    *sd = n_known > 1 ? sqrt(square / (double)(n_known - 1)) : NAN;
    return n_known;
}

static struct spread spread_from(const double *values, const double *variances, size_t n)
{
    struct spread spread = unknown;
    double sampling = 0, log_sampling = 0, *logs = memory_resize(NULL, n, sizeof *logs);
    bool has_logs = true;
    spread.n_runs = moments(values, n, &spread.mean, &spread.sd);
    for (size_t i = 0; i < n; i++) {
        logs[i] = NAN;
        if (isnan(values[i]))
            continue;
        spread.low = fmin(spread.low, values[i]);
        spread.high = fmax(spread.high, values[i]);
        sampling += variances[i];
        has_logs &= values[i] > 0;
        if (has_logs) {
            logs[i] = log(values[i]);
            log_sampling += variances[i] / (values[i] * values[i]);
        }
    }
    double count = (double)spread.n_runs;
    if (spread.n_runs == 0)
        spread = unknown;
    else
        spread.sampling_sd = sqrt(sampling / count);
    if (spread.n_runs > 1)
        spread.between_sd = sqrt(fmax(0, spread.sd * spread.sd - spread.sampling_sd * spread.sampling_sd));
    if (spread.n_runs > 0 && has_logs) {
        moments(logs, n, &spread.log_mean, &spread.log_sd);
        spread.log_sampling_sd = sqrt(log_sampling / count);
        /* Runs that agree by luck, or because they were rounded alike, are no surer than their samples. */
        if (!isnan(spread.log_sd))
            spread.log_sd = fmax(spread.log_sd, spread.log_sampling_sd);
    }
    free(logs);
    return spread;
}

struct spread spread_of_quantile(const struct histogram *const *runs, size_t n, double level, uint64_t seed)
{
    double *values = memory_resize(NULL, n, sizeof *values), *variances = memory_resize(NULL, n, sizeof *variances), draws[N_RESAMPLES];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, (unsigned long)seed);
    for (size_t i = 0; i < n; i++) {
        double mean = 0, square = 0;
        values[i] = runs[i]->n > 0 ? histogram_quantile(runs[i], level) + runs[i]->width_ns / 2 : NAN;
        variances[i] = 0;
        if (isnan(values[i]))
            continue;
        histogram_draws(runs[i], level, false, rng, draws, N_RESAMPLES);
        for (size_t d = 0, n_known = 0; d < N_RESAMPLES; d++) {
            if (isnan(draws[d]))
                continue;
            double off = draws[d] - mean;
            mean += off / (double)++n_known;
            square += off * (draws[d] - mean);
        }
        /* and where in its bin the quantile lies is not known */
        variances[i] = square / (N_RESAMPLES - 1) + runs[i]->width_ns * runs[i]->width_ns / 12;
    }
    gsl_rng_free(rng);
    struct spread spread = spread_from(values, variances, n);
    free(values);
    free(variances);
    return spread;
}

struct spread spread_of_mean(const struct histogram *const *runs, size_t n)
{
    double *values = memory_resize(NULL, n, sizeof *values), *variances = memory_resize(NULL, n, sizeof *variances);
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        values[i] = runs[i]->n > 0 ? histogram_mean(runs[i]) : NAN;
        for (size_t b = 0; b < runs[i]->n_bins && !isnan(values[i]); b++) {
            double off = (double)runs[i]->bins[b].low_ns + runs[i]->width_ns / 2 - values[i];
            square += (double)runs[i]->bins[b].count * off * off;
        }
        variances[i] = isnan(values[i]) ? 0 : square / (double)runs[i]->n / (double)runs[i]->n;
    }
    struct spread spread = spread_from(values, variances, n);
    free(values);
    free(variances);
    return spread;
}

/* Standard error of the difference of the logarithms' means, and its degrees of freedom; NAN: no repeats. */
static double log_error(const struct spread *a, const struct spread *b, double *freedom)
{
    double n_a = (double)a->n_runs, n_b = (double)b->n_runs;
    *freedom = fmax(n_a - 1, 0) + fmax(n_b - 1, 0);
    if (a->n_runs == 0 || b->n_runs == 0 || *freedom < 1)
        return NAN;
    double square = (a->n_runs > 1 ? (n_a - 1) * a->log_sd * a->log_sd : 0) + (b->n_runs > 1 ? (n_b - 1) * b->log_sd * b->log_sd : 0);
    return fmax(1e-12, sqrt(square / *freedom * (1 / n_a + 1 / n_b)));
}

double spread_difference_p(const struct spread *a, const struct spread *b)
{
    double freedom, error = log_error(a, b, &freedom), lead = b->log_mean - a->log_mean;
    return isnan(error) || isnan(lead) ? NAN : 2 * gsl_cdf_tdist_Q(fabs(lead) / error, freedom);
}

double spread_no_worse_p(const struct spread *a, const struct spread *b, double most, double *below_p)
{
    double freedom, error = log_error(a, b, &freedom), lead = b->log_mean - a->log_mean;
    if (isnan(error) || isnan(lead))
        return *below_p = 1;
    *below_p = gsl_cdf_tdist_Q((lead + log(most)) / error, freedom);
    return gsl_cdf_tdist_P((lead - log(most)) / error, freedom);
}
