/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To whom a piece belongs: the innermost handler or section that is open, else the task. */
#include "analyzers/sweep_private.h"

static const struct open_context *open_of(const struct cpu_state *state, int32_t kind)
{
    size_t n = state->n_open < CPU_STATE_DEPTH ? state->n_open : CPU_STATE_DEPTH;
    for (size_t i = n; i-- > 0;)
        if (state->open[i].kind == kind)
            return &state->open[i];
    return NULL;
}

static void classify_handler(const struct run_state *r, const struct sweep_cpu *c, const struct open_context *h,
                             struct piece *p)
{
    p->subject.kind = h->kind;
    p->subject.number = h->number;
    p->subject.name = h->name;
    p->invocation = c->invocation;
    if (h->kind == OPEN_NMI)
        p->kind = SLICE_NMI;
    else if (h->kind == OPEN_SOFTIRQ)
        p->kind = SLICE_SOFTIRQ;
    else
        p->kind = SLICE_IRQ;
    for (size_t i = 0; r->w->a.is_head && i < c->state.n_open && i < CPU_STATE_DEPTH; i++)
        if (c->state.open[i].kind == OPEN_IRQ && c->state.open[i].begin_ns == r->w->a.handler_ns)
            p->flags |= PIECE_OWN;
    if (is_in_callback(c)) {
        p->subject.function = c->callback_is_over ? 0 : c->callback; /* a part may be the interrupt's own */
        p->callback = c->n_callbacks;
        if (c->callback_is_csd && p->kind == SLICE_IRQ)
            p->kind = SLICE_IPI;
        if (!c->callback_is_csd && r->w->a.timer && c->timer == r->w->a.timer && r->phase != PHASE_BEFORE_HANDLER)
            p->flags |= PIECE_OWN;
    }
}

/*
 * A handler that only the flag letters of function rows show. In a section with interrupts off it is part of that. What
 * the waking interrupt still does from the wakeup on is the wakeup's own path.
 */
static bool classify_row_context(const struct run_state *r, const struct sweep_cpu *c, struct piece *p)
{
    const struct sweep *s = r->sweep;
    bool in_section = r->phase == PHASE_SECTION && r->w->section_kind == SLICE_PREEMPT_OFF;
    if (c->row_context == OPEN_NONE || (r->phase != PHASE_WAITING && !in_section))
        return false;
    if (c->row_context_is_cut) {
        p->kind = SLICE_GAP;
        return true;
    }
    p->kind = c->row_context == OPEN_NMI ? SLICE_NMI : c->row_context == OPEN_SOFTIRQ ? SLICE_SOFTIRQ : SLICE_IRQ;
    p->subject.kind = c->row_context;
    p->subject.name = c->row_handler;
    p->invocation = c->invocation;
    const struct piece *last = s->n_pieces ? &s->pieces[s->n_pieces - 1] : NULL;
    if (!in_section && c->row_context != OPEN_SOFTIRQ && (!last || (last->flags & PIECE_OWN && last->cpu == p->cpu && last->kind == p->kind)))
        p->flags |= PIECE_OWN;
    return true;
}

static enum slice_kind task_kind(const struct run_state *r, const struct sweep_cpu *c)
{
    const struct cpu_state *s = &c->state;
    if (r->phase == PHASE_SECTION)
        return r->w->section_kind;
    if (s->tid == r->w->tid)
        return SLICE_SELF;
    if (r->phase == PHASE_BEFORE_HANDLER)
        return SLICE_TIMER_LATE;
    if (r->w->a.is_head != c->in_head) /* all out-of-band work comes before all in-band work */
        return c->in_head ? SLICE_TASK_HIGHER : SLICE_SCHED;
    if (s->tid == 0)
        return SLICE_IDLE;
    if (s->prio == PRIO_UNKNOWN || r->w->prio == PRIO_UNKNOWN)
        return SLICE_TASK_LOWER;
    return s->prio < r->w->prio ? SLICE_TASK_HIGHER : s->prio == r->w->prio ? SLICE_TASK_SAME : SLICE_TASK_LOWER;
}

/* Sections of the scheduler and of the interrupt entry belong to what follows them, not to the task. */
static bool section_counts(const struct run_state *r, const struct open_context *o)
{
    return o && !(word_class(r->words, o->name) & (WORD_SCHEDULES | WORD_IRQ_ENTRY));
}

static void classify_task(const struct run_state *r, const struct sweep_cpu *c, struct piece *p)
{
    const struct cpu_state *s = &c->state;
    p->kind = task_kind(r, c);
    if (c->in_head)
        p->flags |= PIECE_HEAD;
    if (r->w->a.is_head) {
        head_classify(r, c, p);
        return;
    }
    const struct open_context *idle = open_of(s, OPEN_IDLE);
    if (c->fair_picked)
        p->flags |= PIECE_FAIR_PICKED; /* idle picked over a runnable thread leaves no idle state slowly: it may not run */
    if (idle && s->tid == 0 && !(c->fair_picked && p->kind == SLICE_IDLE)) {
        p->flags |= PIECE_IDLE_KNOWN;
        p->subject.kind = OPEN_IDLE;
        p->subject.number = idle->number;
        return;
    }
    if (s->tid == 0 && p->kind == SLICE_IDLE && r->sweep->has_idle_events && !c->fair_picked)
        p->kind = SLICE_IDLE_EXIT;
    if (p->kind == SLICE_SELF && r->phase == PHASE_RUNNING && c->in_fault)
        p->flags |= PIECE_FAULT;
    else if (p->kind == SLICE_SELF && r->phase == PHASE_RUNNING)
        p->kind = SLICE_SCHED;
    const struct open_context *off = open_of(s, OPEN_IRQS_OFF), *preempt = open_of(s, OPEN_PREEMPT_OFF);
    if (section_counts(r, off)) {
        p->kind = SLICE_IRQS_OFF;
        p->subject.kind = OPEN_IRQS_OFF;
        p->subject.name = off->name;
    } else if (section_counts(r, preempt) && s->tid != 0 && (p->kind == SLICE_TASK_LOWER || r->phase == PHASE_SECTION)) {
        p->kind = SLICE_PREEMPT_OFF;
        p->subject.kind = OPEN_PREEMPT_OFF;
        p->subject.name = preempt->name;
    }
}

void sweep_classify(const struct run_state *r, const struct sweep_cpu *c, struct piece *p)
{
    p->subject = (struct subject){.number = -1, .tid = c->state.tid, .prio = c->state.prio, .comm = c->state.comm};
    p->phase = r->phase;
    const struct open_context *handler = innermost(&c->state, true);
    if (handler && r->w->a.is_head && !head_has_handler(c, handler))
        handler = NULL;
    if (!c->seen && c->state.tid == TID_UNKNOWN) {
        p->kind = SLICE_UNEXPLAINED;
        return;
    }
    if (c->unseen != UNSEEN_NOTHING) { /* a part of it may be the handler's or the task's, and another's the rest */
        p->kind = c->unseen == UNSEEN_SWITCH ? SLICE_GAP : SLICE_UNEXPLAINED;
        return;
    }
    /* A softirq runs with interrupts on: like a task, it cannot hold off the interrupt of a timer. */
    bool merely_current = handler && handler->kind == OPEN_SOFTIRQ && r->phase == PHASE_BEFORE_HANDLER && !r->w->a.expired_in_softirq;
    if (handler && !merely_current)
        classify_handler(r, c, handler, p);
    else if (handler || r->w->a.is_head || !classify_row_context(r, c, p))
        classify_task(r, c, p);
}
