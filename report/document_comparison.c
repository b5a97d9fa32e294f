/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparison: how runs differ; null for the commands that compare nothing. */
#include <math.h>

#include "report/document.h"
#include "report/words.h"

static json_t *document_metrics(const struct comparison *comparison)
{
    json_t *metrics = json_array();
    for (size_t i = 0; i < comparison->n_metrics; i++) {
        const struct metric *metric = &comparison->metrics[i];
        json_t *values = json_array();
        for (size_t k = 0; k < metric->n_values; k++)
            json_array_append_new(values, json_double(metric->values[k]));
        json_t *is_least = metric->is_least ? json_array() : json_null();
        for (size_t k = 0; k < metric->n_values && metric->is_least; k++)
            json_array_append_new(is_least, json_boolean(metric->is_least[k]));
        json_array_append_new(metrics, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
                                                 "name", json_word(metric->name),
                                                 "values", values,
                                                 ".is_least", is_least,
                                                 "ratio", json_double(metric->ratio),
                                                 "interval", json_interval(metric->low, metric->high),
                                                 "p", json_double(metric->p)));
    }
    return metrics;
}

static json_t *document_confounds(const struct comparison *comparison)
{
    json_t *confounds = json_array();
    for (size_t i = 0; i < comparison->n_confounds; i++) {
        const struct confound *confound = &comparison->confounds[i];
        json_t *values = json_array();
        for (size_t k = 0; k < confound->n_values; k++)
            json_array_append_new(values, json_word(confound->values[k]));
        json_array_append_new(confounds, json_pack("{s:o, s:o, s:o, s:o}",
                                                   "key", json_word(confound->key),
                                                   "values", values,
                                                   "severity", json_word(confound->severity),
                                                   "why", json_word(confound->why)));
    }
    return confounds;
}

static json_t *document_next_runs(const struct comparison *comparison)
{
    json_t *next = json_array();
    for (size_t i = 0; i < comparison->n_next_runs; i++)
        json_array_append_new(next, json_pack("{s:o, s:o, s:o}",
                                              "change", json_word(comparison->next_runs[i].change),
                                              "why", json_word(comparison->next_runs[i].why),
                                              "n_samples", json_double(comparison->next_runs[i].n_samples)));
    return next;
}

json_t *document_comparison(const struct analysis *analysis)
{
    if (!analysis || !analysis->comparison.is_made)
        return json_null();
    const struct comparison *comparison = &analysis->comparison;
    json_t *expected = json_array();
    for (size_t i = 0; i < comparison->n_expected_max; i++)
        json_array_append_new(expected, json_double(comparison->expected_max_ns[i]));
    return json_pack("{s:b, s:o, s:o, s:{s:o, s:o}, s:o, s:o}",
                     "comparable", comparison->comparable,
                     "confounds", document_confounds(comparison),
                     "metrics", document_metrics(comparison),
                     "matched", "n_samples", json_double(comparison->matched_n_samples), "expected_max_ns", expected,
                     "next_runs", document_next_runs(comparison),
                     "conclusion", json_word(comparison->conclusion));
}
