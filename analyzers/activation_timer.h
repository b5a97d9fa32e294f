/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timers of a pass: what hrtimer_start announced, and the expiry that runs on a CPU now. Together they tell when an
 * activation was due. Private to the pass.
 */
#ifndef ANALYZERS_ACTIVATION_TIMER_H
#define ANALYZERS_ACTIVATION_TIMER_H

#include "analyzers/activation.h"

/* A timer's expiry as hrtimer_start announced it. */
struct thread;
struct armed_timer {
    uint64_t address;
    int64_t expires_ns, soft_ns;
    const struct thread *thread; /* who started it, if followed, and when */
    int64_t started_ns;
};
struct armed_timer *armed_timers_new(void);
/* Direct mapped: a rare collision loses a due time, no more. */
struct armed_timer *armed_timer_at(struct armed_timer *timers, uint64_t address);
/* Keeps what an hrtimer_start event says. */
struct armed_timer *armed_timer_start(struct armed_timer *timers, int64_t t_ns, const uint32_t *w, const struct thread *thread);
/* What it announced is over: the next expiry is another one's, whose start was not recorded. */
void armed_timer_end(struct armed_timer *armed);

/* The hrtimer callback that a CPU runs now, and the relation of the CPU's clock to the timers'. */
struct expiry {
    struct clock_relation clock;
    uint64_t timer;
    uint32_t function; /* string id */
    int64_t due_ns, hard_ns, entry_ns, late_ns;
    bool in_callback;
    bool is_hard;              /* the callback runs in a hard interrupt: what a softirq's does meanwhile is not its work */
};
void expiry_begin(struct expiry *expiry, struct armed_timer *timers, int64_t t_ns, const uint32_t *w);
/* The waking at t_ns is the work of this callback. */
void expiry_stamp(const struct expiry *expiry, struct activation *a, int32_t cpu, int64_t t_ns, bool in_softirq);
/* No expiry events: the sleep's own timer, where the trace clock is the timer's. */
void expiry_guess(struct expiry *expiry, struct activation *a, int32_t cpu, int64_t t_ns, const struct armed_timer *armed);

#endif
