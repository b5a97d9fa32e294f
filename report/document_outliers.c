/* SPDX-License-Identifier: GPL-3.0-or-later */
/* outliers[]: the closed ledgers. */
#include "report/document.h"

static json_t *document_slice(const struct slice *slice, const char *kind)
{
    return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}",
                     "begin_ns", json_ns(slice->begin_ns),
                     "end_ns", json_ns(slice->end_ns),
                     "amount_ns", json_ns(slice->amount_ns),
                     "kind", kind,
                     "subject", json_word(slice->subject),
                     "cpu", json_small(slice->cpu, CPU_UNKNOWN),
                     "domain", json_word(slice->domain),
                     "evidence", json_word(slice->evidence));
}

/* At most max_slices; what is cut off becomes one slice, so that the sum stays whole. */
static json_t *document_slices(const struct outlier *outlier, size_t max_slices)
{
    json_t *slices = json_array();
    size_t n = outlier->n_slices;
    if (max_slices && n > max_slices)
        n = max_slices - 1;
    for (size_t i = 0; i < n; i++)
        json_array_append_new(slices, document_slice(&outlier->slices[i], slice_kind_name(outlier->slices[i].kind)));
    if (n == outlier->n_slices)
        return slices;
    struct slice rest = {.begin_ns = NS_UNKNOWN, .end_ns = NS_UNKNOWN, .cpu = CPU_UNKNOWN,
                         .subject = "cut by --max-slices: the ledger has it"};
    for (size_t i = n; i < outlier->n_slices; i++)
        if (outlier->slices[i].amount_ns != NS_UNKNOWN)
            rest.amount_ns += outlier->slices[i].amount_ns;
    json_array_append_new(slices, document_slice(&rest, "not-listed"));
    return slices;
}

static json_t *document_ledger(const struct outlier *outlier)
{
    json_t *ledger = json_array();
    for (size_t i = 0; i < outlier->n_ledger; i++)
        json_array_append_new(ledger, json_pack("{s:s, s:o, s:o, s:o}",
                                                "kind", slice_kind_name(outlier->ledger[i].kind),
                                                "subject", json_word(outlier->ledger[i].subject),
                                                "n", json_count(outlier->ledger[i].n),
                                                "amount_ns", json_ns(outlier->ledger[i].amount_ns)));
    return ledger;
}

static json_t *document_chain(const struct outlier *outlier)
{
    json_t *chain = json_array();
    for (size_t i = 0; i < outlier->n_links; i++) {
        const struct outlier_link *l = &outlier->links[i];
        int64_t waited_ns = l->running_ns == NS_UNKNOWN ? NS_UNKNOWN : l->running_ns - l->begin_ns;
        json_array_append_new(chain, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}",
                                               "kind", l->kind,
                                               "subject", json_word(l->subject),
                                               "cpu", json_small(l->cpu, CPU_UNKNOWN),
                                               "begin_ns", json_ns(l->begin_ns),
                                               "running_ns", json_ns(l->running_ns),
                                               "end_ns", json_ns(l->end_ns),
                                               "waited_ns", json_ns(waited_ns),
                                               "held_by", json_word(l->held_by),
                                               "decisive", l->is_decisive));
    }
    return chain;
}

static json_t *document_outlier(const struct store *store, const struct outlier *outlier, size_t max_slices)
{
    json_t *json = json_object();
#define SET(key, value) json_object_set_new(json, key, value)
    SET("run", document_run_index(outlier->run));
    SET("series", document_series_index(store, outlier->series));
    SET("cpu", json_small(outlier->cpu, CPU_UNKNOWN));
    SET("tid", json_small(outlier->tid, TID_UNKNOWN));
    SET("comm", json_word(outlier->comm));
    SET("window", json_word(window_kind_name(outlier->window)));
    SET("begin_ns", json_ns(outlier->begin_ns));
    SET("end_ns", json_ns(outlier->end_ns));
    SET("latency_ns", json_ns(outlier->latency_ns));
    SET("reported_ns", json_ns(outlier->reported_ns));
    SET("cause", json_word(cause_name(outlier->cause)));
    SET("culprit", json_word(outlier->culprit));
    SET("confidence", json_word(confidence_name(outlier->confidence)));
    SET("unexplained_ns", json_ns(outlier->unexplained_ns));
    SET("ledger", document_ledger(outlier));
    SET("slices", document_slices(outlier, max_slices));
    SET("chain", document_chain(outlier));
#undef SET
    return json;
}

json_t *document_outliers(const struct store *store, const struct analysis *analysis, size_t max_slices)
{
    json_t *outliers = json_array();
    for (size_t i = 0; analysis && i < analysis->n_outliers; i++)
        json_array_append_new(outliers, document_outlier(store, analysis->outliers[i], max_slices));
    return outliers;
}
