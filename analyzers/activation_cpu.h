/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A CPU as the pass over events sees it: the task that runs, the interrupts, softirqs and timer callbacks that run in
 * front of it, and whom they woke. Of the hot path of the pass, and so in line.
 */
#ifndef ANALYZERS_ACTIVATION_CPU_H
#define ANALYZERS_ACTIVATION_CPU_H

#include "analyzers/activation_thread.h"
#include "analyzers/activation_timer.h"

struct pass_cpu {
    int32_t tid, prio;
    uint32_t comm;
    struct thread *thread;     /* of the current task, if followed */
    struct pass_task {         /* the Linux task that the co-kernel's threads run before */
        int32_t tid, prio;
        uint32_t comm;
        struct thread *thread;
        bool is_set;
    } root;
    int irq_depth, softirq_depth;
    bool irq_has_flag;         /* one runs that began with the letter h: a row without it is behind its end */
    int64_t irq_entry_ns;
    unsigned irq_callbacks, irq_wakings; /* within the interrupt that runs */
    struct expiry expiry;
    int64_t khz;               /* of its clock; 0: no event yet */
    struct thread *woken;      /* by this callback */
    struct thread *woken_in_irq;
    int64_t gap_end_ns;        /* events from here on follow a loss; INT64_MAX: none */
    bool gap_is_short_cut;     /* somebody took a few rows out of the text, a short time of them */
};

static inline bool pass_cpu_is_in_hard_irq(const struct pass_cpu *c, uint32_t flags)
{
    return c->irq_depth > 0 || flags & FLAG_HARDIRQ;
}

/* It is over, and its exit was not recorded: nothing tells when. */
static inline void pass_cpu_leaves_irq_unseen(struct pass_cpu *c)
{
    c->irq_depth = 0;
    c->irq_has_flag = false;
    c->woken_in_irq = NULL;
    if (!c->softirq_depth)
        c->expiry.in_callback = false;
}

static inline void pass_cpu_leaves_irq(struct pass_cpu *c, int64_t t_ns)
{
    if (c->irq_depth > 0 && --c->irq_depth > 0)
        return;
    c->irq_has_flag = false;
    if (c->woken_in_irq && c->woken_in_irq->a.handler_exit_ns == NS_UNKNOWN) {
        c->woken_in_irq->a.handler_exit_ns = t_ns;
        c->woken_in_irq->a.crowded = c->irq_callbacks > 1 || c->irq_wakings > 1;
    }
    c->woken_in_irq = NULL;
    if (!c->softirq_depth)
        c->expiry.in_callback = false;
}

static inline void pass_cpu_enters_irq(struct pass_cpu *c, int64_t t_ns, uint32_t flags)
{
    if (c->irq_depth++ == 0) {
        c->irq_has_flag = (flags & FLAG_HARDIRQ) != 0;
        c->irq_entry_ns = t_ns;
        c->irq_callbacks = c->irq_wakings = 0;
    }
}

/* w: of an hrtimer_expire_exit. */
static inline void pass_cpu_leaves_callback(struct pass_cpu *c, int64_t t_ns, const uint32_t *w, uint32_t flags)
{
    /* Of another timer in an interrupt of this callback, whose entry was not recorded. */
    if (c->expiry.in_callback && c->expiry.timer != (uint64_t)event_words_i64(w) && c->expiry.is_hard != pass_cpu_is_in_hard_irq(c, flags))
        return;
    if (c->woken && c->woken->is_waking && c->woken->a.timer == c->expiry.timer)
        c->woken->a.expire_exit_ns = t_ns;
    c->woken = NULL;
    c->expiry.in_callback = false;
}

/* w: of a cobalt_switch_context. The co-kernel's threads run before Linux: the task that was current is so again when they are done. */
static inline void pass_cpu_switches_head(struct pass_cpu *c, const uint32_t *w)
{
    if (w[1] == 0)
        c->root = (struct pass_task){c->tid, c->prio, c->comm, c->thread, true};
    if (w[5] != 0) {
        c->tid = (int32_t)w[5];
        c->prio = PRIO_UNKNOWN;
        c->comm = w[4];
        c->thread = NULL;
    } else if (c->root.is_set) {
        c->tid = c->root.tid;
        c->prio = c->root.prio;
        c->comm = c->root.comm;
        c->thread = c->root.thread;
        c->root.is_set = false;
    } else {
        c->tid = TID_UNKNOWN;
        c->thread = NULL;
    }
}

#endif
