/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The path of a wakeup, step by step, over a whole run: medians and spread of each step, and what a comparison of two
 * such tables says. The same code runs at every wakeup, so a step that takes longer in one run than
 * in another was stretched: all alike (frequency), the first touches of cold code and data most (cache or bus), or
 * one step alone (a stall there).
 */
#ifndef ANALYZERS_PATH_H
#define ANALYZERS_PATH_H

#include "analyzers/activation.h"

#define PATH_STEPS(X)                                                                                        \
    X(DUE_ENTRY, "timer due -> timer interrupt")                                                             \
    X(ENTRY_EXPIRE, "timer interrupt -> hrtimer_expire_entry")                                               \
    X(EXPIRE_WAKING, "hrtimer_expire_entry -> sched_waking")                                                 \
    X(WAKING_WAKEUP, "sched_waking -> sched_wakeup")                                                         \
    X(WAKEUP_EXPIRED, "sched_wakeup -> hrtimer_expire_exit")                                                 \
    X(EXPIRED_EXIT, "hrtimer_expire_exit -> end of interrupt")                                               \
    X(EXIT_SWITCH, "end of interrupt -> sched_switch")                                                       \
    X(SWITCH_REARM, "sched_switch -> next hrtimer_start")                                                    \
    X(EXIT_REARM, "end of interrupt -> next hrtimer_start")                                                  \
    X(REARM_OUT, "next hrtimer_start -> switched out")                                                       \
    X(DUE_SWITCH, "timer due -> sched_switch")                                                               \
    X(DUE_REARM, "timer due -> next hrtimer_start")
enum path_step_id {
#define X(id, name) STEP_##id,
    PATH_STEPS(X)
#undef X
    N_PATH_STEPS
};
/* "timer due -> timer interrupt" */
const char *path_step_name(enum path_step_id step);

struct path_step {
    uint64_t n;
    double median_ns, p99_ns; /* within 2 %; NAN without values */
    int64_t max_ns;
};
struct path_table {
    uint64_t n_activations, n_left_out; /* left out: another timer or waking in the same interrupt */
    struct path_step steps[N_PATH_STEPS];
};
/* Of the measuring tool's threads, or of the threads that `task` names (comm or tid; NULL). n_activations 0: none. */
enum status path_table_make(struct path_table *table, const struct store *store, uint32_t run, const char *task,
                            struct error *error);

enum path_shape {
    PATH_SHAPE_UNKNOWN, /* too few wakeups or steps */
    PATH_SHAPE_SAME,
    PATH_SHAPE_UNIFORM, /* all steps by one factor: frequency */
    PATH_SHAPE_COLD,    /* first touches most: cache or bus */
    PATH_SHAPE_ONE_STEP, /* one step alone: a stall there */
    PATH_SHAPE_MIXED
};
struct path_comparison {
    enum path_shape shape;
    double ratios[N_PATH_STEPS]; /* b / a of medians; NAN unknown */
    double typical_ratio;        /* median over the single steps */
    double lowest, highest;      /* over the single steps */
    enum path_step_id most;      /* the step with the highest */
    bool b_is_slower;
};
/* b against a, by the ratios of their steps' medians; PATH_SHAPE_UNKNOWN where too few steps are in both. */
struct path_comparison path_compare(const struct path_table *a, const struct path_table *b);

#endif
