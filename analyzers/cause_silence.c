/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Silence: time in which a CPU recorded nothing although something was due. The rules, first that applies:
 *
 *     all CPUs silent, far beyond their own gaps                   hardware-stall, likely if it made something late on a second CPU
 *                                                                  (possible where such gaps are 1 to 5 %)
 *     the same, but the periods of threads went on in it           lost-events, possible
 *     irq_disable and irq_enable around it                         irqs-off, proven (the sweep has made it a section)
 *     the interrupt that ends it came where interrupts are enabled irqs-off, likely
 *     it came elsewhere, interrupts on                             hardware-stall, likely
 *     the CPU was idle                                             idle-exit if an idle state bounds it, else unexplained
 *     else                                                         unexplained
 */
#include "analyzers/cause.h"

#include <stdlib.h>
#include <string.h>

#define STALL_TIMES_GAP 4     /* "far beyond its own gaps" */
#define STALL_MIN_GAPS 5
#define USUAL_ONE_IN    20
#define RARE_ONE_IN     100   /* idle between the cycles of few threads may be rarer than the one, and is no stall */
#define IDLE_EXIT_MAX_NS 2000000 /* no idle state takes longer to leave */

/* A silence that is far beyond all but one in so many of the CPU's others. */
static bool silence_is_beyond(const struct silence *s, unsigned one_in)
{
    return s->begin_known && s->n_other >= STALL_MIN_GAPS &&
           s->end_ns - s->begin_ns > STALL_TIMES_GAP * silence_usual_gap_ns(s, one_in);
}

/* A CPU without events tells nothing by its silence. */
static bool silence_counts(const struct silence *s)
{
    return s->begin_known || s->n_other;
}

/* The CPU on which the window spent most of [begin, end). */
static int32_t cpu_of_span(const struct sweep *sweep, int64_t begin_ns, int64_t end_ns)
{
    int64_t most = 0;
    int32_t cpu = CPU_UNKNOWN;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        int64_t from = p->begin_ns > begin_ns ? p->begin_ns : begin_ns, to = p->end_ns < end_ns ? p->end_ns : end_ns;
        if (to - from > most) {
            most = to - from;
            cpu = p->cpu;
        }
    }
    return cpu;
}

static bool find_common_silence(const struct cause_input *input, int64_t *begin_ns, int64_t *end_ns)
{
    const struct sweep *sweep = input->sweep;
    const struct window *w = input->window;
    size_t n_cpus = 0;
    int64_t begin = w->begin_ns, end = w->end_ns, longest = 0;
    for (size_t i = 0; i < sweep->n_silences; i++) {
        const struct silence *s = &sweep->silences[i];
        if (!silence_counts(s))
            continue;
        n_cpus++;
        if (!silence_is_beyond(s, USUAL_ONE_IN))
            return false;
        if (s->begin_ns > begin)
            begin = s->begin_ns;
        if (s->end_ns < end)
            end = s->end_ns;
        if (s->end_ns - s->begin_ns > longest)
            longest = s->end_ns - s->begin_ns;
    }
    if (n_cpus < 2 || end <= begin)
        return false;
    /* The stop begins at one instant for all: the common part must be most of the window CPU's own silence. */
    int32_t cpu = cpu_of_span(sweep, begin, end);
    if (cpu == CPU_UNKNOWN || (size_t)cpu >= sweep->n_silences)
        return false;
    const struct silence *own = &sweep->silences[cpu];
    int64_t from = own->begin_ns > w->begin_ns ? own->begin_ns : w->begin_ns;
    int64_t to = own->end_ns < w->end_ns ? own->end_ns : w->end_ns;
    *begin_ns = begin;
    *end_ns = end;
    return 10 * (end - begin) >= 8 * (to - from) && 5 * (end - begin) >= window_length_ns(w);
}

/* Was each CPU silent for longer than it hardly ever is: more than chance that they were so at once? */
static bool is_rare(const struct cause_input *input)
{
    for (size_t i = 0; i < input->sweep->n_silences; i++)
        if (silence_counts(&input->sweep->silences[i]) && !silence_is_beyond(&input->sweep->silences[i], RARE_ONE_IN))
            return false;
    return true;
}

/* The tool measured by its own clock what the trace shows, and ended the trace: what else is late is not in it any more. */
static bool is_measured(const struct window *w)
{
    return w->reported_ns != NS_UNKNOWN && llabs(w->reported_ns - window_length_ns(w)) <= window_length_ns(w) / 10;
}

/* A CPU that had work, not the window's: an idle one is silent by nature. */
static bool is_another_busy(const struct cause_input *input, int64_t begin_ns, int64_t end_ns)
{
    int32_t own = cpu_of_span(input->sweep, begin_ns, end_ns);
    for (size_t i = 0; i < input->sweep->n_silences; i++) {
        const struct silence *s = &input->sweep->silences[i];
        if ((int32_t)i != own && silence_counts(s) && s->tid > 0)
            return true;
    }
    return false;
}

/* Of the window's own thread something was to happen in the silence, and came at its end: its timer's expiry, or the switch. */
static bool is_own_late(const struct window *w, int64_t begin_ns, int64_t end_ns)
{
    const struct activation *a = &w->a;
    if (a->tid == TID_UNKNOWN)
        return false;
    int64_t since_ns = a->due_ns != NS_UNKNOWN ? a->due_ns : a->waking_ns;
    int64_t to_ns = a->due_ns != NS_UNKNOWN ? a->waking_ns : a->switch_ns;
    if (to_ns < end_ns) { /* its timer came before: it was woken, and waited */
        since_ns = a->waking_ns;
        to_ns = a->switch_ns;
    }
    return since_ns != NS_UNKNOWN && to_ns != NS_UNKNOWN && since_ns < end_ns - (end_ns - begin_ns) / 5 && to_ns >= end_ns;
}

/*
 * A stall is seen by what it made late on another CPU too. Where nothing was to happen there, its silence says nothing; where
 * the cycles of several threads went on unseen, rows are missing.
 */
int64_t silence_carve_stall(const struct cause_input *input, enum confidence *confidence)
{
    int64_t begin, end;
    if (!input->is_complete || !find_common_silence(input, &begin, &end))
        return 0;
    struct rhythms others;
    rhythms_over(input, begin, end, &others);
    bool own_is_late = !others.own_is_in_time && is_own_late(input->window, begin, end);
    struct subject subject = {.number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    /* All at once may be where a stall ended by chance; each at its own time it is not. */
    bool is_each_in_time = others.n_in_time && others.own_is_in_time && llabs(others.own_ns - others.other_ns) > others.near_ns;
    if (is_each_in_time && !others.n_late) {
        subject.kind = SUBJECT_SKIPPED;
        sweep_carve(input->sweep, begin, end, SLICE_GAP, 0, &subject);
        return 0;
    }
    bool is_another_due = is_another_busy(input, begin, end) || (others.n_open && is_measured(input->window));
    bool is_witnessed = others.n_late ? others.n_late >= others.n_in_time : own_is_late && !others.n_in_time && is_another_due;
    *confidence = is_witnessed && is_rare(input) ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
    sweep_carve(input->sweep, begin, end, SLICE_HARDWARE_STALL, PIECE_STALL, &subject);
    return end - begin;
}

/* Where the interrupt that ended the silence came in: the first frame below the interrupt's own. */
static const char *interrupted_function(const struct cause_input *input, const struct silence *s, bool *enables)
{
    struct event_view view;
    if (!s->end_known || store_event_view(input->store, s->end_chunk, &view, NULL) == FAILED)
        return NULL;
    for (size_t i = s->end_i; i < view.n && i < (size_t)s->end_i + 10; i++) {
        if (view.kind[i] != KIND_KERNEL_STACK)
            continue;
        const uint32_t *frames = view.words + view.arg[i];
        size_t n = event_n_words(&view, i), last_entry = SIZE_MAX;
        for (size_t k = 0; k < n; k++)
            if (word_class(input->words, frames[k]) & WORD_IRQ_ENTRY)
                last_entry = k;
        if (last_entry == SIZE_MAX || last_entry + 1 >= n)
            continue;
        size_t at = last_entry + 1;
        *enables = word_class(input->words, frames[at]) & WORD_ENABLES_IRQS;
        while (at + 1 < n && word_class(input->words, frames[at]) & WORD_ENABLES_IRQS)
            at++;
        return store_string(input->store, frames[at]);
    }
    return NULL;
}

/* Without stacks: rows before and after. irq_disable events are traced, none lies in the silence, and it began with interrupts on. */
static const char *function_with_irqs_on(const struct cause_input *input, const struct silence *s)
{
    struct event_view view;
    if (!input->sweep->has_irq_events || !(s->flags_known & FLAG_IRQS_OFF) || s->begin_flags & FLAG_IRQS_OFF ||
        s->begin_chunk == UINT32_MAX || store_event_view(input->store, s->begin_chunk, &view, NULL) == FAILED)
        return NULL;
    for (size_t i = s->begin_i + 1; i-- > 0 && i + 8 > s->begin_i;)
        if (view.kind[i] == KIND_FUNCTION)
            return store_string(input->store, view.words[view.arg[i]]);
    return NULL;
}

struct candidate silence_verdict(const struct cause_input *input, const struct share *share)
{
    struct candidate c = {.cause = CAUSE_UNEXPLAINED, .confidence = CONFIDENCE_UNKNOWN, .why = "silent-task"};
    const struct subject *subject = &share->subject;
    c.culprit = task_format(input, subject);
    int32_t cpu = CPU_UNKNOWN;
    for (size_t i = 0; i < input->sweep->n_pieces && cpu == CPU_UNKNOWN; i++)
        if (input->sweep->pieces[i].kind == share->kind && input->sweep->pieces[i].subject.tid == subject->tid)
            cpu = input->sweep->pieces[i].cpu;
    if (subject->tid == 0) {
        c.culprit = "idle";
        c.why = "silent-idle";
        if (share->flags & PIECE_IDLE_KNOWN && subject->number >= 0 && share->amount_ns <= IDLE_EXIT_MAX_NS) {
            c.cause = CAUSE_IDLE_EXIT;
            c.confidence = CONFIDENCE_POSSIBLE;
            c.why = "idle-state-open";
            c.culprit = arena_format(input->arena, "idle state %d", subject->number);
        }
        return c;
    }
    if (!input->is_complete || cpu == CPU_UNKNOWN || (size_t)cpu >= input->sweep->n_silences)
        return c;
    const struct silence *s = &input->sweep->silences[cpu];
    if (input->window->a.is_head) /* what Linux enables and disables there is not the hardware's interrupt */
        return c;
    bool enables = false;
    const char *function = interrupted_function(input, s, &enables);
    if (function && enables) {
        c = (struct candidate){.cause = CAUSE_IRQS_OFF, .confidence = CONFIDENCE_LIKELY, .why = "interrupt-where-enabled"};
        c.culprit = arena_format(input->arena, "%s in %s", function, task_format(input, subject));
    } else if (function) {
        c = (struct candidate){.cause = CAUSE_HARDWARE_STALL, .confidence = CONFIDENCE_LIKELY, .why = "interrupt-elsewhere"};
        c.culprit = arena_format(input->arena, "%s in %s", function, task_format(input, subject));
    } else if ((function = function_with_irqs_on(input, s))) {
        c = (struct candidate){.cause = CAUSE_HARDWARE_STALL, .confidence = CONFIDENCE_LIKELY, .why = "irqs-were-on"};
        c.culprit = arena_format(input->arena, "%s in %s", function, task_format(input, subject));
    }
    return c;
}
