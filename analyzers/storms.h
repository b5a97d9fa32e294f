/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Storms over a whole trace: spans in which an interrupt line, vector or softirq came far more often than it usually
 * does. A scan statistic: the largest count in any window of some widths, against a Poisson process of the line's
 * mean rate. The false-alarm rate stated holds for all lines and widths of a run together (Bonferroni; sliding
 * windows counted twice, which is conservative for windows moved by whole bins).
 */
#ifndef ANALYZERS_STORMS_H
#define ANALYZERS_STORMS_H

#include "analyzers/handler.h"

#define STORM_FALSE_ALARM_RATE 0.001

struct storm {
    const struct handler *line;
    size_t n_bursts;
    int64_t begin_ns, end_ns;  /* of the longest burst */
    int64_t burst_ns;          /* of all bursts together */
    uint64_t n_in_bursts;
    double rate_hz, baseline_hz; /* inside and outside the bursts */
    double p;                  /* that chance makes the densest window, corrected */
    size_t n_spans;
    struct storm_span {
        int64_t begin_ns, end_ns;
    } *spans;                  /* owned */
};
/* Appends the storms of all lines, most invocations in bursts first; *storms is the caller's to free (storms_free). */
size_t storms_find(const struct handlers *handlers, struct storm **storms);
void storms_free(struct storm *storms, size_t n);
bool storm_overlaps(const struct storm *storm, int64_t begin_ns, int64_t end_ns);

#endif
