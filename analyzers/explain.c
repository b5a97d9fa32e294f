/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why was it late: outliers with their ledgers and causes. */
#include "analyzers/analyzer.h"

static enum status explain_run(const struct store *store, const struct analysis_options *options,
                               struct analysis *analysis, struct error *error)
{
    (void)store;
    (void)options;
    (void)analysis;
    (void)error;
    return OK;
}

const struct analyzer analyzer_explain = {
    .name = "explain",
    .summary = "what held up the worst samples",
    .jobs = JOB_EXPLAIN,
    .run = explain_run,
};
