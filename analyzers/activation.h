/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Activations: every cycle of a thread from its due time to its next sleep, found in one pass over all events.
 *
 *     timer due ─ timer interrupt ─ hrtimer_expire_entry ─ waking ─ wakeup ─ expire_exit ─ interrupt's exit ─ switch
 *               ─ user space ─ next hrtimer_start ─ switch out
 *
 * The pass keeps a fixed amount per CPU and per followed thread, whatever the length of the trace.
 */
#ifndef ANALYZERS_ACTIVATION_H
#define ANALYZERS_ACTIVATION_H

#include "analyzers/clock_relation.h"
#include "analyzers/thread.h"

struct activation {
    int32_t tid, prio;
    uint32_t comm;          /* string id */
    uint32_t timer_function;
    uint64_t timer;         /* address, 0: no timer seen */
    int32_t timer_cpu, waking_cpu, target_cpu, cpu; /* CPU_UNKNOWN; cpu: where it was switched in */
    int32_t waker_tid, waker_prio;
    uint32_t waker_comm;
    bool waker_in_irq;      /* the waking came out of an interrupt, timer or softirq */
    bool waker_is_task;     /* it came out of the task, or of a softirq that is this thread's work */
    bool expired_in_softirq;
    bool due_is_soft;       /* due lies before the hard expiry: slack */
    bool migrated;
    bool switch_is_inferred; /* no sched_switch was recorded: switch_ns is the first event that it caused */
    bool crowded;           /* other timers or wakings in the same interrupt */
    bool is_head;           /* of Cobalt or EVL: woken and switched to in the head domain */
    bool is_fault;          /* its sleep began with a page fault at slept_ns: it waited for the page */
    bool is_relax;          /* no wakeup: from waking_ns, a relax, to switch_ns it was a Linux task */
    uint32_t relax_reason;  /* string id */
    /* Times in the trace clock; NS_UNKNOWN where no event tells. */
    int64_t slept_ns;       /* its switch out before */
    int64_t lock_ns;        /* before it slept it began to wait for a lock (contention_begin) */
    int64_t due_ns, hard_due_ns;
    int64_t programmed_ns;  /* when the hardware was told to interrupt, if that was later than due */
    int64_t timer_late_ns;  /* by how much the timer was late by its own clock: no step of the trace's is in it */
    int64_t handler_ns;     /* entry of the timer's interrupt */
    int64_t expire_ns, waking_ns, wakeup_ns, expire_exit_ns, handler_exit_ns, switch_ns;
    int64_t user_ns;        /* back in user space, as system call events tell */
    int64_t rearm_ns;       /* hrtimer_start of its next cycle */
    int64_t khz;            /* the lower of its CPU's clock when it was woken and when it ran; 0: no event told */
    int64_t out_ns;         /* switched out, or the end of the trace */
    /* Woken by a task that had itself been woken (activation_origin.h): when the first of them was, and how long they waited. */
    int64_t origin_ns, inherited_ns;
};

void activation_clear(struct activation *activation); /* all unknown */

static inline int64_t activation_begin_ns(const struct activation *a)
{
    return a->due_ns != NS_UNKNOWN ? a->due_ns : a->waking_ns;
}
static inline int64_t activation_end_ns(const struct activation *a)
{
    return a->user_ns != NS_UNKNOWN ? a->user_ns : a->switch_ns;
}

/* Its lateness is more its waker's than its own: that one waited longer than this one, and than it then worked. */
static inline bool activation_inherits(const struct activation *a)
{
    return a->origin_ns != NS_UNKNOWN && a->due_ns == NS_UNKNOWN && a->inherited_ns > a->switch_ns - a->waking_ns &&
           2 * a->inherited_ns >= a->waking_ns - a->origin_ns;
}

struct activations;
/* Called once per completed activation (switched in and out again, or still running at the end). */
typedef void activation_handler(void *context, const struct activation *activation);

struct activations_config {
    const struct store *store;
    struct word_classes *words;
    uint32_t run, stream;
    const char *trace_clock;
    const char *task;        /* follow this comm or tid too, whatever its priority; or NULL */
    bool all_threads;        /* follow fair threads too */
    activation_handler *handler;
    void *context;
};
/* Wakings across CPUs whose clocks cannot be compared were left out. */
struct clock_doubt {
    uint64_t n;
    int64_t skew_ns; /* 0: known only by wakings that came after their effect */
    int32_t cpu, other_cpu;
};

/* The config is copied; what it points to is a loan for the pass. The caller frees. */
struct activations *activations_new(const struct activations_config *config);
/* The state of a CPU where the pass begins, when that is not the begin of the trace. */
void activations_start_cpu(struct activations *activations, int32_t cpu, const struct cpu_state *state);
/* The next events in the order of time; those without a CPU say nothing about one. */
void activations_apply(struct activations *activations, const struct event_ref *refs, size_t n);
/* False for an activation over two CPUs whose clocks turned out not to be comparable; to be asked at the end. */
bool activations_trusts(struct activations *activations, const struct activation *activation);
struct clock_doubt activations_doubt(const struct activations *activations);
void activations_finish(struct activations *activations); /* delivers those still running */
void activations_free(struct activations *activations);

#endif
