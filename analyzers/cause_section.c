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

static bool names_a_lock(const char *word)
{
    return word && word_class_of(word) & WORD_PRIMITIVE;
}

static const char *share_words(int64_t part_ns, int64_t all_ns)
{
    return 2 * part_ns >= all_ns ? "most of it" : 4 * part_ns >= all_ns ? "the largest part" : "most of what is recorded";
}

/* The function that held the largest part of the section, or of what is recorded of it; NULL: no part is large. */
static const char *largest_function(const struct cause_input *input, const struct place *place)
{
    bool of_all = 4 * place->function_ns >= window_length_ns(input->window);
    bool of_recorded = place->recorded_ns && 2 * place->function_ns >= place->recorded_ns;
    return of_all || of_recorded ? function_format(input->arena, store_string(input->store, place->function)) : NULL;
}

/*
 * Who: where the section began and ended, as far as these are no mere locks, then the function that held the largest
 * part of it, if the rows tell one.
 */
static const char *section_culprit(const struct cause_input *input, const struct claim *c, const struct place *place)
{
    const struct window *w = input->window;
    struct arena *arena = input->arena;
    const char *comm = w->comm_text ? w->comm_text : store_string(input->store, w->comm);
    if (!comm && w->tid != TID_UNKNOWN)
        comm = store_task_comm(input->store, w->run, w->tid);
    const char *task = thread_format(arena, comm, w->tid, PRIO_UNKNOWN);
    const char *from = function_format(arena, c && c->started_at ? c->started_at : store_string(input->store, w->section_name));
    const char *to = function_format(arena, c ? c->ended_at : NULL);
    if (to && from && !strcmp(to, from))
        to = NULL;
    const char *most = largest_function(input, place);
    const char *entry = w->section_kind == SLICE_IRQS_OFF ? store_string(input->store, place->irq_entry) : NULL;
    if (from && entry && word_class_of(from) & WORD_IDLES && (!to || word_class_of(to) & WORD_IDLES))
        return arena_format(arena, "an interrupt (%s) in %s", entry, task);
    if (!from)
        return most ? arena_format(arena, "%s in %s", most, task) : task;
    if (most && names_a_lock(from) && (!to || names_a_lock(to)))
        return arena_format(arena, "%s (%s%s%s) in %s", most, from, to ? " to " : "", to ? to : "", task);
    const char *span = to ? arena_format(arena, "%s to %s", from, to) : from;
    if (most && strcmp(most, from) && (!to || strcmp(most, to)))
        return arena_format(arena, "%s in %s, %s in %s", span, task, share_words(place->function_ns, window_length_ns(w)), most);
    return arena_format(arena, "%s in %s", span, task);
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

/* Where rows are missing, the tracer's own measure still says whose section it was. */
static void own_unrecorded(const struct cause_input *input)
{
    const struct window *w = input->window;
    for (size_t i = 0; i < input->sweep->n_pieces; i++) {
        struct piece *p = &input->sweep->pieces[i];
        if (p->kind == SLICE_UNEXPLAINED && p->subject.tid == TID_UNKNOWN) {
            p->kind = w->section_kind;
            p->subject = (struct subject){.number = -1, .tid = w->tid, .prio = w->prio, .comm = w->comm};
        }
    }
}

static bool section_prints(const struct cause_input *input, const struct claim *c, const struct place *place)
{
    return (c && (word_prints(c->started_at) || word_prints(c->ended_at))) || word_prints(store_string(input->store, place->function)) ||
           word_prints(store_string(input->store, input->window->section_name));
}

/* A mutex's slow path has preemption off only while it spins for an owner that runs. */
static bool word_is_mutex(const char *word)
{
    return word && (!strncmp(word, "__mutex_lock", 12) || !strncmp(word, "__ww_mutex_lock", 15));
}

static bool section_spins(const struct cause_input *input, const struct claim *c, const struct place *place)
{
    const struct window *w = input->window;
    if (w->section_kind != SLICE_PREEMPT_OFF)
        return false;
    if (c && word_is_mutex(c->started_at) && word_is_mutex(c->ended_at))
        return true;
    return word_spins(c ? c->started_at : NULL) || word_spins(store_string(input->store, w->section_name)) ||
           (place->recorded_ns && 2 * place->spin_ns > place->recorded_ns);
}

/*
 * The idle task sleeps with interrupts off at the edges; the interrupt that wakes it is taken at once. As long as nobody
 * waited for it (need-resched clear until the end), that is no section that held up anybody.
 */
static bool section_idles(const struct cause_input *input, const struct claim *c, const struct place *place)
{
    const struct window *w = input->window;
    const char *comm = w->comm_text ? w->comm_text : store_string(input->store, w->comm);
    bool is_idle_task = w->tid == 0 || (comm && !strncmp(comm, "swapper", 7));
    if (!c || !is_idle_task || w->section_kind != SLICE_IRQS_OFF || place->wanted_while_idle || place->irq_entry)
        return false;
    return (c->started_at && word_class_of(c->started_at) & WORD_IDLES) || (c->ended_at && word_class_of(c->ended_at) & WORD_IDLES) ||
           (place->function && word_class(input->words, place->function) & WORD_IDLES);
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
    enum confidence stall_confidence = CONFIDENCE_UNKNOWN;
    int64_t stall = silence_carve_stall(input, &stall_confidence);
    if (c && w->section_kind != SLICE_UNEXPLAINED)
        own_unrecorded(input);
    decision->unexplained_ns = largest_unrecorded_ns(input);
    struct place place;
    place_find(input, TID_UNKNOWN, &place);
    *best = (struct candidate){.cause = w->section_kind == SLICE_IRQS_OFF      ? CAUSE_IRQS_OFF
                                        : w->section_kind == SLICE_PREEMPT_OFF ? CAUSE_PREEMPT_OFF
                                                                               : CAUSE_UNEXPLAINED,
                               .confidence = CONFIDENCE_PROVEN,
                               .why = c ? "tracer-section" : "section-events",
                               .culprit = section_culprit(input, c, &place),
                               .amount_ns = window_length_ns(w),
                               .excess_ns = window_length_ns(w)};
    if (section_spins(input, c, &place)) {
        best->cause = CAUSE_TRACER_ARTEFACT;
        best->confidence = CONFIDENCE_LIKELY;
        best->why = "spin-polls-need-resched";
    } else if (section_idles(input, c, &place)) {
        best->cause = CAUSE_TRACER_ARTEFACT;
        best->confidence = CONFIDENCE_LIKELY;
        best->why = "idle-wait";
        best->culprit = arena_format(input->arena, "%s: the CPU slept there until an interrupt came", best->culprit);
    } else if (2 * stall > window_length_ns(w)) {
        best->cause = CAUSE_HARDWARE_STALL;
        best->confidence = stall_confidence;
        best->why = "all-cpus-silent";
    } else if (best->cause == CAUSE_UNEXPLAINED) {
        best->confidence = CONFIDENCE_UNKNOWN;
        best->why = "no-record";
    }
    if (best->confidence == CONFIDENCE_PROVEN && section_prints(input, c, &place))
        best->why = "console";
    ipipe_path_decide(input, decision);
}

/* A thread that slept in a page fault: until it was woken it waited for the page. */
static void fault_decide(const struct cause_input *input, struct decision *decision)
{
    const struct window *w = input->window;
    int64_t waited = w->a.waking_ns - w->begin_ns;
    struct subject self = {.number = -1, .tid = w->tid, .prio = w->prio, .comm = w->comm};
    sweep_carve(input->sweep, w->begin_ns, w->a.waking_ns, SLICE_SELF, 0, &self);
    decision->best = (struct candidate){.cause = CAUSE_PAGE_FAULT, .confidence = 2 * waited > window_length_ns(w) ? CONFIDENCE_PROVEN : CONFIDENCE_POSSIBLE,
                                        .why = "slept-in-fault", .amount_ns = waited, .excess_ns = waited,
                                        .culprit = arena_format(input->arena, "%s waited for a page", thread_format(input->arena, store_string(input->store, w->comm), w->tid, w->prio))};
}

/* Most of the window is not recorded, or was lost: nothing that the rest shows is sure of the whole. */
static bool is_mostly_unrecorded(const struct cause_input *input)
{
    int64_t ns = 0;
    for (size_t i = 0; i < input->sweep->n_pieces; i++) {
        const struct piece *p = &input->sweep->pieces[i];
        ns += p->kind == SLICE_UNEXPLAINED || p->kind == SLICE_GAP ? p->end_ns - p->begin_ns : 0;
    }
    return 2 * ns > window_length_ns(input->window);
}

void blocked_decide(const struct cause_input *input, struct decision *decision)
{
    const struct window *w = input->window;
    struct sweep *sweep = input->sweep;
    *decision = (struct decision){0};
    bool has_lock = w->a.lock_ns != NS_UNKNOWN;
    if (w->a.is_fault && !has_lock) {
        fault_decide(input, decision);
        return;
    }
    const char *middle = NULL, *owner = NULL;
    int64_t owner_ns = 0;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        struct piece *p = &sweep->pieces[i];
        if (p->subject.kind != OPEN_NONE)
            continue;
        if (p->subject.tid == w->owner_tid) {
            owner = task_format(input, &p->subject);
            if (p->kind == SLICE_TASK_LOWER || (has_lock && (p->kind == SLICE_TASK_HIGHER || p->kind == SLICE_TASK_SAME))) {
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
        .confidence = inverted || has_lock ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
        .why = inverted ? "owner-ready-not-running" : has_lock ? "contention-events" : "owner-ran-lower",
        .culprit = inverted && middle ? arena_format(input->arena, "%s while %s could not run", middle, owner) : owner,
        .amount_ns = window_length_ns(w),
        .excess_ns = window_length_ns(w)};
    if (is_mostly_unrecorded(input))
        decision->best.confidence = CONFIDENCE_POSSIBLE;
}
