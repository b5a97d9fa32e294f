/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who had each CPU during a window, as boxes in lanes: one lane per CPU and context. */
#ifndef REPORT_LANES_H
#define REPORT_LANES_H

#include "analyzers/analyzer.h"

/* From the bottom of a CPU's group to its top. */
enum lane_context { LANE_TASK = 0, LANE_OFF, LANE_SOFTIRQ, LANE_IRQ, LANE_NMI, N_LANE_CONTEXTS };
const char *lane_context_name(enum lane_context context);

enum box_kind {
    BOX_IDLE = 0, BOX_SUBJECT, /* the late task itself */
    BOX_TASK, BOX_IRQS_OFF, BOX_PREEMPT_OFF, BOX_SOFTIRQ, BOX_IRQ, BOX_NMI, N_BOX_KINDS
};

struct box {
    int64_t begin_ns, end_ns;
    int32_t cpu;
    enum lane_context context;
    enum box_kind kind;
    char label[48];
};
struct lanes {
    struct box *boxes;
    size_t n, capacity;
    int64_t begin_ns, end_ns;
    int64_t woken_ns;  /* the subject's waking inside the window, NS_UNKNOWN */
    int32_t woken_cpu;
    bool is_cut;       /* more boxes than can be drawn: the rest was left out */
};

/* Walks the events of an outlier's run from begin_ns to end_ns. False: there are none. */
bool lanes_build(struct lanes *lanes, const struct store *store, const struct outlier *outlier, int64_t begin_ns,
                 int64_t end_ns);
void lanes_release(struct lanes *lanes);

#endif
