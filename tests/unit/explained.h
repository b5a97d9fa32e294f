/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What explain says of a trace that a test built, for programs that include cmocka. */
#ifndef TESTS_UNIT_EXPLAINED_H
#define TESTS_UNIT_EXPLAINED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzers/analyzer.h"
#include "tests/unit/trace_builder.h"

struct answer {
    struct store *store;
    struct analysis analysis;
};

/* Ends the trace. task NULL: all. Whatever else is asked: the slices of each outlier sum to its latency and do not overlap. */
static inline struct answer explain(struct trace_builder *b, const char *task)
{
    struct answer a = {.store = trace_end(b)};
    struct analysis_options options = analysis_options_default;
    struct error error = {0};
    options.jobs = JOB_EXPLAIN;
    options.task = task;
    assert_int_not_equal(analysis_run(&a.analysis, a.store, &options, &error), FAILED);
    for (size_t i = 0; i < a.analysis.n_outliers; i++) {
        const struct outlier *o = a.analysis.outliers[i];
        int64_t sum = 0;
        for (size_t k = 0; k < o->n_slices; k++) {
            sum += o->slices[k].amount_ns;
            if (k && o->slices[k].begin_ns != NS_UNKNOWN)
                assert_int_equal(o->slices[k].begin_ns, o->slices[k - 1].end_ns);
        }
        assert_int_equal(sum, o->latency_ns);
    }
    return a;
}

static inline void answer_release(struct answer *a)
{
    analysis_release(&a->analysis);
    store_close(a->store);
}

#endif
