/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What only a dual kernel has: a thread that fell back to Linux (mode-switch), a Linux wakeup that waited for the
 * co-kernel's threads (head-domain), hardware told too late to interrupt (timer-programming).
 */
#include "analyzers/cause.h"

#include <string.h>

#define HEAD_SWITCH_NS 20000 /* with the core's locks held the way from the clock interrupt to the switch takes no longer */

const char *stage_name(int32_t stage)
{
    switch (stage) {
    case STAGE_RELAX: return "relax";
    case STAGE_SCHEDULING: return "waiting for Linux to schedule it";
    case STAGE_SECONDARY: return "in secondary mode";
    case STAGE_HARDEN: return "hardening";
    default: return "mode switch";
    }
}

/* A way from the interrupt to the switch that is far longer than usual has a reason that no event tells. */
void head_settle(const struct cause_input *input)
{
    int64_t limit = 4 * typical_kind_ns(input->typical, SLICE_SCHED);
    limit = limit > HEAD_SWITCH_NS ? limit : HEAD_SWITCH_NS;
    for (size_t i = 0; input->window->a.is_head && i < input->sweep->n_pieces; i++) {
        struct piece *p = &input->sweep->pieces[i];
        /* Many rows in it (of a function tracer) are a long path; few, a stretch without any record. */
        bool one_chunk = p->first_chunk == p->last_chunk && p->last_i > p->first_i;
        int64_t n_rows = one_chunk ? p->last_i - p->first_i : p->first_chunk == UINT32_MAX || p->last_chunk == UINT32_MAX ? 1 : 1000;
        if (p->kind == SLICE_SCHED && p->end_ns - p->begin_ns > limit * n_rows)
            p->kind = SLICE_UNEXPLAINED;
    }
}

void head_carve_programming(const struct cause_input *input)
{
    const struct activation *a = &input->window->a;
    for (size_t i = 0; input->sweep->passed_over_ns != NS_UNKNOWN && i < input->sweep->n_pieces; i++) {
        struct piece *p = &input->sweep->pieces[i];
        if (p->phase == PHASE_BEFORE_HANDLER && p->kind == SLICE_TIMER_LATE && p->begin_ns >= input->sweep->passed_over_ns)
            p->subject = (struct subject){.kind = SUBJECT_PROGRAMMED, .number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    }
    if (a->tid == TID_UNKNOWN || a->due_ns == NS_UNKNOWN || a->programmed_ns == NS_UNKNOWN || a->programmed_ns <= a->due_ns)
        return;
    int64_t end = a->programmed_ns < a->handler_ns || a->handler_ns == NS_UNKNOWN ? a->programmed_ns : a->handler_ns;
    struct subject subject = {.kind = SUBJECT_PROGRAMMED, .number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    if (end > a->due_ns && a->due_ns >= input->window->begin_ns)
        sweep_carve(input->sweep, a->due_ns, end, SLICE_TIMER_LATE, 0, &subject);
}

struct candidate mode_switch_candidate(const struct cause_input *input, const struct shares *shares)
{
    struct candidate c = {.cause = CAUSE_MODE_SWITCH, .confidence = CONFIDENCE_PROVEN, .why = "relaxed",
                          .amount_ns = shares_of_kind(shares, SLICE_MODE_SWITCH)};
    const struct window *w = input->window;
    const char *reason = store_string(input->store, input->sweep->relax_reason);
    const char *task = thread_format(input->arena, store_string(input->store, w->comm), w->tid, w->prio);
    c.culprit = reason && strcmp(reason, "undefined") ? arena_format(input->arena, "%s relaxed (%s)", task, reason)
                                                      : arena_format(input->arena, "%s relaxed", task);
    return c;
}
