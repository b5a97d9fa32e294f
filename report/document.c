/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/document.h"

#include <string.h>

#include "base/memory.h"
#include "report/sentences.h"

json_t *document_series_index(const struct store *store, uint32_t series)
{
    if (series == ROW_NONE || series >= store->n_series)
        return json_null();
    uint32_t first = series;
    while (first > 0 && store->series[first - 1].run == store->series[series].run)
        first--;
    return json_integer(series - first);
}

json_t *document_run_index(uint32_t run)
{
    return run == ROW_NONE ? json_null() : json_integer(run);
}

static json_t *document_value(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INTEGER:
        return json_ns(value->integer);
    case VALUE_NUMBER:
        return json_double(value->number);
    case VALUE_TEXT:
        break;
    }
    return json_word(value->text);
}

static json_t *document_finding(const struct store *store, const struct finding *finding)
{
    struct text text = {0}, advice = {0};
    sentence_text(store, finding, &text);
    sentence_advice(store, finding, &advice);
    json_t *values = json_object(), *evidence = json_array();
    for (size_t i = 0; i < finding->n_values; i++)
        json_object_set_new(values, finding->values[i].key, document_value(&finding->values[i]));
    for (size_t i = 0; i < finding->n_evidence; i++)
        json_array_append_new(evidence, json_word(finding->evidence[i]));
    json_t *json = json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                             "code", json_word(finding->code),
                             "severity", severity_name(finding->severity),
                             "confidence", confidence_name(finding->confidence),
                             "run", document_run_index(finding->run),
                             "series", document_series_index(store, finding->series),
                             "cpu", json_small(finding->cpu, CPU_UNKNOWN),
                             "subject", json_word(finding->subject),
                             "text", json_word(text_string(&text)),
                             "values", values,
                             "evidence", evidence,
                             "advice", advice.length ? json_word(text_string(&advice)) : json_null());
    text_release(&text);
    text_release(&advice);
    return json;
}

static json_t *document_findings(const struct store *store, const struct analysis *analysis)
{
    json_t *findings = json_array();
    for (size_t i = 0; analysis && i < analysis->findings.n; i++)
        json_array_append_new(findings, document_finding(store, analysis->findings.items[i]));
    return findings;
}

static json_t *document_causes(const struct analysis *analysis)
{
    json_t *causes = json_array();
    for (size_t i = 0; analysis && i < analysis->n_causes; i++) {
        const struct cause_row *row = &analysis->causes[i];
        json_array_append_new(causes, json_pack("{s:s, s:o, s:o, s:o, s:o}",
                                                "cause", cause_name(row->cause),
                                                "culprit", json_word(row->culprit),
                                                "n_outliers", json_count(row->n_outliers),
                                                "amount_ns", json_ns(row->amount_ns),
                                                "share_pct", json_double(row->share_pct)));
    }
    return causes;
}

json_t *document_new(const char *command, const struct store *store, const struct analysis *analysis,
                     const struct analysis_options *options)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
                     "schema", "whylate/1",
                     "command", command,
                     "version", WHYLATE_VERSION,
                     "runs", document_runs(store, analysis),
                     "outliers", document_outliers(store, analysis, options->max_slices),
                     "causes", document_causes(analysis),
                     "findings", document_findings(store, analysis),
                     "comparison", document_comparison(analysis));
}

json_t *document_findings_by_weight(const json_t *document)
{
    static const char *const order[] = {"error", "warning", "note"};
    json_t *ordered = json_array(), *seen = json_object(), *finding;
    size_t i;
    for (size_t s = 0; s < sizeof order / sizeof *order; s++)
        json_array_foreach(json_object_get(document, "findings"), i, finding) {
            const char *text = json_get_text(finding, "text");
            if (strcmp(json_get_text(finding, "severity"), order[s]) != 0 || json_object_get(seen, text))
                continue;
            json_object_set_new(seen, text, json_true());
            json_array_append(ordered, finding);
        }
    json_decref(seen);
    return ordered;
}
