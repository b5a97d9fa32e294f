/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One sentence that answers a command's question: what text, HTML and pictures begin with. */
#ifndef REPORT_HEADLINE_H
#define REPORT_HEADLINE_H

#include "base/text.h"
#include "report/json.h"

void headline_outlier(const json_t *outlier, struct text *out);
void headline_verdicts(const json_t *document, struct text *out);
void headline_runs(const json_t *document, struct text *out);

#endif
