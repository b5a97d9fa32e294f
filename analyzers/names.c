/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the document (docs/json.md) for slices, causes, windows and verdicts. */
#include "analyzers/outlier.h"
#include "analyzers/verdict.h"

#include <assert.h>

#define X(id, name) name,
static const char *const slice_kind_names[] = {SLICE_KINDS(X)};
static const char *const cause_names[] = {CAUSES(X)};
#undef X
static const char *const window_kind_names[] = {"timer", "wakeup", "blocked", "section"};
static const char *const verdict_names[] = {NULL,           "no-data", "artefact", "credible-isolated",
                                            "insufficient", "suspect", "credible"};

const double quantile_levels[N_QUANTILES] = {0.5, 0.99, 0.999, 0.9999, 0.99999};
const char *const quantile_names[N_QUANTILES] = {"0.5", "0.99", "0.999", "0.9999", "0.99999"};

const char *slice_kind_name(enum slice_kind kind)
{
    assert(kind < N_SLICE_KINDS);
    return slice_kind_names[kind];
}

const char *cause_name(enum cause cause)
{
    assert(cause < N_CAUSES);
    return cause_names[cause];
}

const char *window_kind_name(enum window_kind kind)
{
    assert(kind <= WINDOW_SECTION);
    return window_kind_names[kind];
}

const char *verdict_name(enum verdict verdict)
{
    assert(verdict <= VERDICT_CREDIBLE);
    return verdict_names[verdict];
}
