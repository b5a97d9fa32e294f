/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a row says about rows in front of it that are missing: an exit that was not recorded, or a switch that was lost.
 *
 *     the row is of no hard interrupt, and the handler's were     the handler is over
 *     a softirq begins                                            so are all hard handlers: they end before
 *     the same line or vector begins again                        so is the one before: none interrupts itself
 *     a handler ends that did not begin                           it had an unknown part of the time before
 *     another task than the one switched to is current            a switch is missing
 */
#include "analyzers/sweep_private.h"

#define WAY_OUT_NS 50000 /* from the last row of the wakeup's interrupt to the switch it leads to, without the exit's row */

static bool is_hard(const struct open_context *h)
{
    return h && (h->kind == OPEN_VECTOR || h->kind == OPEN_IRQ);
}

static bool is_open(const struct cpu_state *state, int32_t kind, int32_t number)
{
    for (size_t i = 0; i < state->n_open && i < CPU_STATE_DEPTH; i++)
        if (state->open[i].kind == kind && state->open[i].number == number)
            return true;
    return false;
}

static bool is_handler_row(unsigned kind)
{
    return kind == KIND_VECTOR_ENTRY || kind == KIND_VECTOR_EXIT || kind == KIND_IRQ_HANDLER_ENTRY || kind == KIND_IRQ_HANDLER_EXIT ||
           kind == KIND_IPI_ENTRY || kind == KIND_IPI_EXIT;
}

bool unseen_handler_end(const struct run_state *r, const struct sweep_cpu *c, const struct event_ref *ref)
{
    const struct open_context *handler = innermost(&c->state, true);
    if (r->w->a.is_head || !is_hard(handler))
        return false;
    unsigned kind = ref->view->kind[ref->i];
    const uint32_t *w = event_words(ref);
    if (kind == KIND_SCHED_SWITCH && c->last_ns != NS_UNKNOWN && event_time_ns(ref) - c->last_ns <= WAY_OUT_NS)
        return false;
    if (kind == KIND_SOFTIRQ_ENTRY || (kind == KIND_VECTOR_ENTRY && is_open(&c->state, OPEN_VECTOR, (int32_t)w[1])) ||
        (kind == KIND_IRQ_HANDLER_ENTRY && is_open(&c->state, OPEN_IRQ, (int32_t)w[0])))
        return true;
    return c->handler_has_flag && !is_handler_row(kind) && ref->view->flags_known & FLAG_HARDIRQ &&
           !(ref->view->flags[ref->i] & (FLAG_HARDIRQ | FLAG_NMI));
}

bool unseen_handler_begin(const struct run_state *r, const struct sweep_cpu *c, const struct event_ref *ref)
{
    unsigned kind = ref->view->kind[ref->i];
    const uint32_t *w = event_words(ref);
    if (r->w->a.is_head || !c->seen || c->state.n_open >= CPU_STATE_DEPTH)
        return false;
    return (kind == KIND_IRQ_HANDLER_EXIT && !is_open(&c->state, OPEN_IRQ, (int32_t)w[0])) ||
           (kind == KIND_VECTOR_EXIT && !is_open(&c->state, OPEN_VECTOR, (int32_t)w[1]));
}

void unseen_close_handlers(struct sweep_cpu *c, int64_t t_ns)
{
    const struct open_context *h;
    while (is_hard(h = innermost(&c->state, true))) {
        const uint32_t w[2] = {h->kind == OPEN_IRQ ? (uint32_t)h->number : h->name, (uint32_t)h->number};
        uint32_t n_before = c->state.n_open;
        cpu_state_apply(&c->state, t_ns, c->state.tid, h->kind == OPEN_IRQ ? KIND_IRQ_HANDLER_EXIT : KIND_VECTOR_EXIT, w);
        if (c->state.n_open >= n_before)
            break;
    }
    c->in_callback = false;
    c->callback = 0;
}

/*
 * The event of a switch comes before the switch: what lies between is still the other task's. Some kernels record no
 * switch out of idle (6.18 in a Firecracker guest).
 */
bool unseen_switch(const struct run_state *r, const struct sweep_cpu *c, const struct event_ref *ref)
{
    int32_t tid = ref->view->tid[ref->i];
    return !r->w->a.is_head && tid != TID_UNKNOWN && c->switched_to > 0 && c->state.tid == c->switched_to &&
           tid != c->switched_to && tid != c->leaving;
}

void unseen_note(struct sweep_cpu *c, const struct event_ref *ref)
{
    unsigned kind = ref->view->kind[ref->i];
    if (kind == KIND_VECTOR_ENTRY || kind == KIND_IRQ_HANDLER_ENTRY)
        c->handler_has_flag = (ref->view->flags[ref->i] & FLAG_HARDIRQ) != 0;
    if (kind == KIND_SCHED_SWITCH) {
        const uint32_t *w = event_words(ref);
        c->leaving = (int32_t)w[1];
        c->switched_to = (int32_t)w[5];
    } else if (ref->view->tid[ref->i] == c->switched_to) {
        c->leaving = TID_UNKNOWN;
    }
}
