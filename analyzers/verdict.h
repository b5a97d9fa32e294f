/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What validate says about a series, and what compare says about runs. */
#ifndef ANALYZERS_VERDICT_H
#define ANALYZERS_VERDICT_H

#include "analyzers/finding.h"

enum verdict {
    VERDICT_NONE = 0, /* not judged by this command: null */
    VERDICT_NO_DATA, VERDICT_ARTEFACT, VERDICT_CREDIBLE_ISOLATED, VERDICT_INSUFFICIENT, VERDICT_SUSPECT, VERDICT_CREDIBLE
};
const char *verdict_name(enum verdict verdict); /* NULL for none */

#define N_QUANTILES 5
extern const double quantile_levels[N_QUANTILES];     /* 0.5 0.99 0.999 0.9999 0.99999 */
extern const char *const quantile_names[N_QUANTILES]; /* "0.5" ... */

struct return_level {
    double n_samples;
    double level_ns, low_ns, high_ns; /* NAN: unknown, INFINITY: unbounded */
};
/* A peaks-over-threshold fit of a series' tail; method NULL: none was made (too few excesses). */
struct tail {
    const char *method; /* "gpd-binned-ml" */
    int64_t threshold_ns;
    uint64_t n_excess;
    double scale_ns, shape, scale_se_ns, shape_se;
    double shape_low, shape_high; /* profile likelihood, 95 % */
    double gap_p;                 /* NAN: no gap test made */
    size_t n_levels;
    struct return_level *levels;
};

/* Per series of the store, same index. */
struct series_result {
    uint64_t n_lost_periods;          /* corrected for a start-up staircase; COUNT_UNKNOWN */
    double quantiles_ns[N_QUANTILES]; /* NAN: unknown (in the hidden part) */
    enum verdict verdict;
    struct tail tail;
};

struct metric {
    const char *name; /* "max", "quantile:0.9999", "function:NAME" ... */
    size_t n_values;
    double *values;   /* per run, ns unless the name says otherwise; NAN unknown */
    bool *is_least;   /* per run: a lower bound; NULL: none is */
    double ratio, low, high, p; /* NAN unknown */
};
struct confound {
    const char *key;
    size_t n_values;
    const char **values; /* per run; NULL unknown */
    const char *severity; /* "invalidating", "weakening", "note" */
    const char *why;      /* key of the sentence, or the sentence */
};
struct next_run {
    const char *change, *why;
    double n_samples; /* NAN unknown */
};
struct comparison {
    bool is_made, comparable;
    size_t n_confounds, n_metrics, n_next_runs;
    struct confound *confounds;
    struct metric *metrics;
    struct next_run *next_runs;
    double matched_n_samples;
    size_t n_expected_max;
    double *expected_max_ns; /* per run, at matched_n_samples */
    const char *conclusion;
};

#endif
