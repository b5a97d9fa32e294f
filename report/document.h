/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The document of a command (docs/json.md), from which every view (JSON, text, HTML) is made.
 *
 * `series` and `run` in it are zero-based indices into runs[] and runs[].series[].
 */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include "analyzers/analyzer.h"
#include "report/json.h"

/* A new document; the caller json_decref()s it. analysis may be NULL (only what was read). */
json_t *document_new(const char *command, const struct store *store, const struct analysis *analysis,
                     const struct analysis_options *options);

/* For views: errors first, then warnings, then notes; what is said twice in the same words once. The caller decrefs it. */
json_t *document_findings_by_weight(const json_t *document);

/* Its parts, one file each. */
json_t *document_runs(const struct store *store, const struct analysis *analysis);
json_t *document_outliers(const struct store *store, const struct analysis *analysis, size_t max_slices);
json_t *document_comparison(const struct analysis *analysis);

/* Index of a store's series within its run, null for ROW_NONE. */
json_t *document_series_index(const struct store *store, uint32_t series);
json_t *document_run_index(uint32_t run);

#endif
