/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep's part of dual kernels: whose time it is out of band, and how far a relaxed thread is. */
#include "analyzers/sweep_private.h"

/* What Linux does holds up the head domain only with the hardware's interrupts off. */
void head_classify(const struct run_state *r, const struct sweep_cpu *c, struct piece *p)
{
    if (r->stage && (!c->in_head || c->state.tid == r->w->tid)) {
        p->kind = SLICE_MODE_SWITCH;
        p->subject.number = (int32_t)r->stage;
    } else if (!c->in_head && (c->hard_off || r->row_hard_off) && r->phase == PHASE_BEFORE_HANDLER) {
        p->kind = SLICE_IRQS_OFF;
        p->subject.kind = OPEN_IRQS_OFF;
        p->subject.name = c->row_function;
    } else if (p->kind == SLICE_SELF && r->phase == PHASE_RUNNING) {
        p->kind = SLICE_SCHED;
    }
}

/* Of handlers only the pipeline's own hold up the head domain: its events do not name them, or the row's flags tell. */
bool head_has_handler(const struct sweep_cpu *c, const struct open_context *handler)
{
    return handler->kind == OPEN_NMI || (handler->kind == OPEN_IRQ && (!handler->name || (c->last_known & c->last_flags & FLAG_DOMAIN_HEAD)));
}

/* The same in the co-kernel, and how far a relaxed thread is on its way into Linux and back. */
void head_follow(struct run_state *r, const struct event_ref *ref, unsigned kind, const uint32_t *w)
{
    int32_t tid = r->w->tid, subject = kind == KIND_COBALT_SWITCH || kind == KIND_SCHED_SWITCH ? (int32_t)w[5] : (int32_t)w[1];
    switch (kind) {
    case KIND_COBALT_RESUME:
        if (subject == tid && !r->woken && event_time_ns(ref) == r->w->a.waking_ns) {
            r->woken = true;
            r->phase = PHASE_WAITING;
            r->cpu = ref->cpu;
        }
        return;
    case KIND_COBALT_SWITCH:
        if (subject == tid && r->woken) {
            r->cpu = ref->cpu;
            r->phase = PHASE_RUNNING;
            r->stage = STAGE_NONE;
        }
        return;
    case KIND_COBALT_RELAX:
        if (subject == tid && r->w->a.is_head) {
            r->stage = STAGE_RELAX;
            r->sweep->has_relaxed = true;
            r->sweep->relax_reason = w[2];
        }
        return;
    case KIND_COBALT_RELAXED:
    case KIND_COBALT_HARDEN:
        if (subject == tid && r->stage)
            r->stage = kind == KIND_COBALT_RELAXED ? STAGE_SECONDARY : STAGE_HARDEN;
        return;
    case KIND_SCHED_WAKING:
    case KIND_SCHED_WAKEUP:
        if (subject == tid && r->stage && r->stage != STAGE_HARDEN)
            r->stage = STAGE_SCHEDULING;
        return;
    case KIND_SCHED_SWITCH:
        if (subject == tid && r->stage == STAGE_SCHEDULING) {
            r->stage = STAGE_SECONDARY;
            r->cpu = ref->cpu;
        } else if ((int32_t)w[1] == tid && r->stage == STAGE_SECONDARY)
            r->stage = STAGE_SCHEDULING;
        return;
    default:
        return;
    }
}

/* A row that Linux wrote in task context with the hardware's interrupts off. Handlers are always so, and tell nothing. */
bool head_row_hard_off(const struct sweep_cpu *c, unsigned kind, uint32_t flags, uint32_t known)
{
    return known & FLAG_HARD_IRQS_OFF && flags & FLAG_HARD_IRQS_OFF &&
           !(flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI | FLAG_DOMAIN_HEAD)) && !c->in_head && !kind_is_head(kind) &&
           kind != KIND_SCHED_SWITCH && !innermost(&c->state, true);
}

/* The Linux task behind the co-kernel's threads is current again when they are done. */
void head_apply_state(struct sweep_cpu *c, int64_t t_ns, int32_t tid, unsigned kind, const uint32_t *w)
{
    if (kind == KIND_COBALT_SWITCH && w[1] == 0) {
        c->root.tid = c->state.tid;
        c->root.prio = c->state.prio;
        c->root.comm = c->state.comm;
    }
    cpu_state_apply(&c->state, t_ns, tid, kind, w);
    if (kind != KIND_COBALT_SWITCH)
        return;
    c->in_head = w[5] != 0;
    if (!c->in_head) {
        c->state.tid = c->root.tid;
        c->state.prio = c->root.prio;
        c->state.comm = c->root.comm;
    }
}
