/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of windows that are no wakeups: traced sections, silences, and waits for a lower thread. */
#include "analyzers/cause.h"

#include <string.h>

static const struct claim *claim_of(const struct cause_input *input)
{
    return input->window->claim == ROW_NONE ? NULL : &input->store->claims[input->window->claim];
}

/* Rows of the section: did most of them show interrupts off? */
static bool rows_show_irqs_off(const struct cause_input *input, bool *known)
{
    struct event_merge *merge = event_merge_new(input->store, input->window->run, input->window->stream,
                                                input->window->begin_ns, input->window->end_ns, NULL);
    uint64_t n = 0, off = 0;
    struct event_ref ref;
    while (merge && n < 100000 && event_merge_next(merge, &ref))
        if (ref.cpu == input->window->cpu && ref.view->flags_known & FLAG_IRQS_OFF &&
            !(ref.view->flags[ref.i] & (FLAG_HARDIRQ | FLAG_DOUBTFUL))) {
            n++;
            off += (ref.view->flags[ref.i] & FLAG_IRQS_OFF) != 0;
        }
    if (merge)
        event_merge_free(merge);
    *known = n > 0;
    return 2 * off > n;
}

static bool word_spins(const char *word)
{
    return word && word_class_of(word) & WORD_POLLING_SPIN;
}

static const char *section_culprit(const struct cause_input *input, const struct claim *c)
{
    const struct window *w = input->window;
    const char *comm = w->comm_text ? w->comm_text : store_string(input->store, w->comm);
    if (!comm && w->tid != TID_UNKNOWN)
        comm = store_task_comm(input->store, w->run, w->tid);
    const char *task = thread_format(input->arena, comm, w->tid, PRIO_UNKNOWN);
    const char *from = c && c->started_at ? c->started_at : store_string(input->store, w->section_name);
    if (!from)
        return task;
    if (c && c->ended_at && strcmp(c->ended_at, from))
        return arena_format(input->arena, "%s to %s in %s", from, c->ended_at, task);
    return arena_format(input->arena, "%s in %s", from, task);
}

/* What the window's own time is called before it is swept. */
static enum slice_kind section_kind_of(const struct cause_input *input, const struct claim *c)
{
    bool known;
    if (!c)
        return input->window->section_kind;
    switch (c->section) {
    case SECTION_IRQS_OFF:
        return SLICE_IRQS_OFF;
    case SECTION_PREEMPT_OFF:
        return SLICE_PREEMPT_OFF;
    case SECTION_PREEMPT_IRQS_OFF:
        return rows_show_irqs_off(input, &known) ? SLICE_IRQS_OFF : known ? SLICE_PREEMPT_OFF : SLICE_IRQS_OFF;
    default:
        return SLICE_UNEXPLAINED;
    }
}

enum slice_kind section_slice_kind(const struct cause_input *input)
{
    return section_kind_of(input, claim_of(input));
}

static int64_t largest_unrecorded_ns(const struct cause_input *input)
{
    int64_t sum = 0;
    for (size_t i = 0; i < input->sweep->n_pieces; i++)
        if (input->sweep->pieces[i].kind == SLICE_UNEXPLAINED)
            sum += input->sweep->pieces[i].end_ns - input->sweep->pieces[i].begin_ns;
    return sum;
}

void section_decide(const struct cause_input *input, struct decision *decision)
{
    const struct claim *c = claim_of(input);
    const struct window *w = input->window;
    *decision = (struct decision){0};
    struct candidate *best = &decision->best;
    if (w->section_kind == SLICE_UNEXPLAINED && !c) { /* a silence */
        struct share share = {.kind = SLICE_UNEXPLAINED, .amount_ns = window_length_ns(w)};
        if (input->sweep->n_pieces)
            share.subject = input->sweep->pieces[0].subject;
        *best = silence_verdict(input, &share);
        best->amount_ns = best->excess_ns = share.amount_ns;
        enum slice_kind kind = best->cause == CAUSE_HARDWARE_STALL ? SLICE_HARDWARE_STALL
                               : best->cause == CAUSE_IRQS_OFF     ? SLICE_IRQS_OFF
                                                                   : SLICE_UNEXPLAINED;
        for (size_t i = 0; i < input->sweep->n_pieces; i++)
            if (input->sweep->pieces[i].kind == SLICE_UNEXPLAINED)
                input->sweep->pieces[i].kind = kind;
        decision->unexplained_ns = kind == SLICE_UNEXPLAINED ? share.amount_ns : 0;
        return;
    }
    int64_t stall = silence_carve_stall(input);
    decision->unexplained_ns = largest_unrecorded_ns(input);
    *best = (struct candidate){.cause = w->section_kind == SLICE_IRQS_OFF      ? CAUSE_IRQS_OFF
                                        : w->section_kind == SLICE_PREEMPT_OFF ? CAUSE_PREEMPT_OFF
                                                                               : CAUSE_UNEXPLAINED,
                               .confidence = CONFIDENCE_PROVEN,
                               .why = c ? "tracer-section" : "section-events",
                               .culprit = section_culprit(input, c),
                               .amount_ns = window_length_ns(w),
                               .excess_ns = window_length_ns(w)};
    bool spins = w->section_kind == SLICE_PREEMPT_OFF && (word_spins(c ? c->started_at : NULL) || word_spins(store_string(input->store, w->section_name)));
    if (spins) {
        best->cause = CAUSE_TRACER_ARTEFACT;
        best->confidence = CONFIDENCE_LIKELY;
        best->why = "spin-polls-need-resched";
    } else if (2 * stall > window_length_ns(w)) {
        best->cause = CAUSE_HARDWARE_STALL;
        best->confidence = CONFIDENCE_LIKELY;
        best->why = "all-cpus-silent";
    } else if (best->cause == CAUSE_UNEXPLAINED) {
        best->confidence = CONFIDENCE_UNKNOWN;
        best->why = "no-record";
    } else if (2 * decision->unexplained_ns > window_length_ns(w)) {
        best->confidence = CONFIDENCE_POSSIBLE; /* the tracer says off, the rows do not say where */
        best->why = "section-not-recorded";
    }
    ipipe_path_decide(input, decision);
}

void blocked_decide(const struct cause_input *input, struct decision *decision)
{
    const struct window *w = input->window;
    struct sweep *sweep = input->sweep;
    *decision = (struct decision){0};
    const char *middle = NULL, *owner = NULL;
    int64_t owner_ns = 0;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        struct piece *p = &sweep->pieces[i];
        if (p->subject.kind != OPEN_NONE)
            continue;
        if (p->subject.tid == w->owner_tid) {
            owner = task_format(input, &p->subject);
            if (p->kind == SLICE_TASK_LOWER) {
                p->kind = SLICE_LOCK_WAIT;
                owner_ns += p->end_ns - p->begin_ns;
            }
        }
        if (p->subject.tid == w->middle_tid)
            middle = task_format(input, &p->subject);
    }
    if (!owner)
        owner = thread_format(input->arena, store_string(input->store, w->a.waker_comm), w->owner_tid, w->a.waker_prio);
    bool inverted = w->owner_waited_ns > owner_ns / 4;
    decision->best = (struct candidate){
        .cause = inverted ? CAUSE_PRIORITY_INVERSION : CAUSE_LOCK_CONTENTION,
        .confidence = inverted ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
        .why = inverted ? "owner-ready-not-running" : "owner-ran-lower",
        .culprit = inverted && middle ? arena_format(input->arena, "%s while %s could not run", middle, owner) : owner,
        .amount_ns = window_length_ns(w),
        .excess_ns = window_length_ns(w)};
}
