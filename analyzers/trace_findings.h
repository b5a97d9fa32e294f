/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a whole trace shows beyond its single windows: storms and whether they meet the outliers, what was there at
 * the begin of outliers and not of typical windows (contrast), a rhythm of the outliers, CPUs late at one instant.
 */
#ifndef ANALYZERS_TRACE_FINDINGS_H
#define ANALYZERS_TRACE_FINDINGS_H

#include "analyzers/outlier_build.h"
#include "analyzers/selection.h"

/* Who was seen in the first part of windows: counted for outliers and for typical ones. */
#define CONTRAST_MAX 256
struct contrast {
    int64_t horizon_ns; /* only what lies this near to the due time counts: longer windows must not see more */
    uint64_t n_outliers, n_typical;
    size_t n;
    struct contrast_row {
        enum slice_kind kind;
        struct subject subject;
        uint64_t n_outliers, n_typical;
        uint64_t last; /* the window that counted last */
    } rows[CONTRAST_MAX];
};
void contrast_add(struct contrast *contrast, const struct sweep *sweep, const struct window *window, bool is_outlier);

struct trace_context {
    const struct store *store;
    struct analysis *analysis;
    const struct selection *selection;
    const struct contrast *contrast;
    struct word_classes *words;
    size_t n_windows; /* of selection->windows that were explained */
};
/* False-alarm rates: storms 0.001 per run, contrast 1 % of the findings (Benjamini-Hochberg), rhythm 0.00001 and coincidence 0.001. */
void trace_findings(const struct trace_context *context);

#endif
