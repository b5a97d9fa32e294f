/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One sentence that answers a command's question: what text, HTML and pictures begin with. */
#ifndef REPORT_HEADLINE_H
#define REPORT_HEADLINE_H

#include "base/text.h"
#include "report/json.h"

/* Each adds its sentences to `out`, from the document alone: why an outlier was late and how sure; */
void headline_outlier(const json_t *outlier, struct text *out);
/* whether the largest maximum is credible, and the verdicts counted; */
void headline_verdicts(const json_t *document, struct text *out);
/* how many runs, files, series, samples and events there are. */
void headline_runs(const json_t *document, struct text *out);

#endif
