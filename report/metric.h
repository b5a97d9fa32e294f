/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison's metrics and confounds in words, for text and page alike. Names are those of the document ("quantile:0.999"). */
#ifndef REPORT_METRIC_H
#define REPORT_METRIC_H

#include <stdbool.h>

#include "base/text.h"
#include "report/json.h"

/* Tests have a p-value and nothing else; the others have a value in ns for each run. */
bool metric_is_test(const json_t *metric);
/* Adds "99.99 %" for a quantile; other names are words already. */
void metric_name(const char *name, struct text *out);
/* Adds what a small p of the test shows. */
void metric_test(const json_t *metric, struct text *out);
/* The value of a run in ns; NAN: unknown. */
double metric_value_ns(const json_t *metric, size_t run);
/* The value is a lower bound: a maximum beyond what was recorded. */
bool metric_is_least(const json_t *metric, size_t run);
/* Adds its ratio; false, and nothing added: it has none, as lower bounds have none. */
bool metric_ratio(const json_t *metric, struct text *out);
/* A quantile too far out for all runs: nothing of it is known. */
bool metric_is_beyond(const json_t *metric);
/* Adds the p-value; false, and nothing added: it has none. */
bool metric_p(const json_t *metric, struct text *out);
/* Adds the interval of its ratio, "1.5..1.7"; false, and nothing added: it has none. */
bool metric_interval(const json_t *metric, struct text *out);
/* Adds what the runs state, "a against b"; what nobody states is said once. */
void confound_values(const json_t *confound, struct text *out);

#endif
