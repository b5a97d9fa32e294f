/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All analyses of a store, its document and text; and what must hold of every answer: a ledger is closed. */
#ifndef TESTS_FUZZ_ANALYSED_H
#define TESTS_FUZZ_ANALYSED_H

#include <stdio.h>
#include <stdlib.h>

#include "report/document.h"
#include "report/text_view.h"

static inline void ledger_check(const struct outlier *o)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < o->n_slices; i++)
        sum_ns += (uint64_t)o->slices[i].amount_ns;
    if (o->latency_ns == NS_UNKNOWN || sum_ns == (uint64_t)o->latency_ns)
        return;
    fprintf(stderr, "ERROR: a ledger is not closed: %lld of %lld ns\n", (long long)sum_ns, (long long)o->latency_ns);
    abort();
}

static inline void analyse(struct store *store, FILE *sink)
{
    struct error error = {0};
    struct analysis analysis = {0};
    struct analysis_options options = analysis_options_default;
    options.jobs = JOB_INFO | JOB_EXPLAIN | JOB_VALIDATE | JOB_COMPARE | JOB_CHECK;
    options.quiet = true;
    if (analysis_run(&analysis, store, &options, &error) != FAILED) {
        for (size_t i = 0; i < analysis.n_outliers; i++)
            ledger_check(analysis.outliers[i]);
        json_t *document = document_new("report", store, &analysis, &options);
        struct text_options text = {.timeline = true};
        json_write(document, sink);
        text_view_print(document, store, &analysis, &text, sink);
        json_decref(document);
    }
    analysis_release(&analysis);
}

#endif
