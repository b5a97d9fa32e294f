/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A storm is many invocations, none of them most of the time, at a rate far above the line's own, or so dense that
 * they leave the CPU less than half of the window.
 *
 * Time in interrupt handlers that were not the wakeup's own: one long handler, a storm of short ones, work sent by
 * another CPU, or many timers in one interrupt.
 */
#include "analyzers/cause.h"

#include <string.h>

#define STORM_MIN_INVOCATIONS 8
#define STORM_TIMES_BASELINE 3.0

/* The line with the most time, over all its callbacks; own-path pieces left out. */
static bool largest_line(const struct cause_input *input, struct share *line)
{
    struct shares lines = {0};
    shares_collect(&lines, input->sweep, true);
    bool found = false;
    for (size_t i = 0; i < lines.n; i++)
        if ((lines.items[i].kind == SLICE_IRQ || lines.items[i].kind == SLICE_IPI) && !(lines.items[i].flags & PIECE_OWN) &&
            (!found || lines.items[i].amount_ns > line->amount_ns)) {
            *line = lines.items[i];
            found = true;
        }
    shares_release(&lines);
    return found;
}

/* Callbacks of other timers within one invocation of the line: how many, their sum, the longest, and whose. */
struct callbacks {
    uint32_t n, function;
    int64_t sum_ns, longest_ns;
};
static struct callbacks largest_cascade(const struct cause_input *input, const struct share *line)
{
    struct callbacks best = {0}, now = {0};
    uint32_t invocation = UINT32_MAX;
    const struct sweep *sweep = input->sweep;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        if ((p->kind != SLICE_IRQ && p->kind != SLICE_IPI) || !subject_same_line(&p->subject, &line->subject))
            continue;
        if (p->invocation != invocation) {
            now = (struct callbacks){0};
            invocation = p->invocation;
        }
        if (!p->subject.function || p->flags & PIECE_OWN)
            continue;
        int64_t ns = p->end_ns - p->begin_ns;
        now.n++;
        now.sum_ns += ns;
        if (ns > now.longest_ns) {
            now.longest_ns = ns;
            now.function = p->subject.function;
        }
        if (now.sum_ns > best.sum_ns)
            best = now;
    }
    return best;
}

static bool name_is_ipi(const char *name)
{
    return name && (!strncmp(name, "call_function", 13) || !strncmp(name, "reschedule", 10) || strstr(name, "IPI") ||
                    strstr(name, "Function call") || strstr(name, "Rescheduling"));
}

/* Its rate here against its rate over the rest of the pass; INFINITY: never seen elsewhere. */
static double rate_ratio(const struct cause_input *input, const struct share *line, int32_t cpu)
{
    const struct handlers *h = input->handlers;
    const struct handler *all =
        h ? handlers_find(h, cpu, line->subject.kind, line->subject.number, line->subject.name) : NULL;
    if (!all)
        return INFINITY;
    double window_s = (double)window_length_ns(input->window) * 1e-9;
    double rest_s = (double)(h->end_ns - h->begin_ns) * 1e-9 - window_s;
    double rest_n = (double)all->n - (double)line->n;
    if (rest_s <= 0 || rest_n <= 0)
        return INFINITY;
    return ((double)line->n / window_s) / (rest_n / rest_s);
}

/* The function that owns most of the line's time; 0: none. */
static uint32_t largest_function(const struct cause_input *input, const struct share *line)
{
    struct shares parts = {0};
    shares_collect(&parts, input->sweep, false);
    uint32_t function = 0;
    int64_t most = 0;
    for (size_t i = 0; i < parts.n; i++) {
        const struct share *s = &parts.items[i];
        if ((s->kind == SLICE_IRQ || s->kind == SLICE_IPI) && !(s->flags & PIECE_OWN) && subject_same_line(&s->subject, &line->subject) &&
            s->amount_ns > most) {
            most = s->amount_ns;
            function = s->subject.function;
        }
    }
    shares_release(&parts);
    return function;
}

/*
 * How sure a long run of a handler is the handler's own doing: a stall inside it looks alike. If it is that long
 * again and again, it is its nature; if it is always short but this once, a stall is as good an answer.
 */
static enum confidence long_handler_confidence(const struct cause_input *input, const struct share *line, uint32_t function,
                                               int32_t cpu)
{
    if (!input->handlers)
        return CONFIDENCE_LIKELY;
    const struct handler *h = function ? handlers_find(input->handlers, cpu, OPEN_NONE, 0, function)
                                       : handlers_find(input->handlers, cpu, line->subject.kind, line->subject.number, line->subject.name);
    if (!h || h->n < 2)
        return CONFIDENCE_LIKELY;
    uint64_t n_long = handler_count_longer(h, line->longest_ns / 4);
    if (n_long >= 2)
        return CONFIDENCE_PROVEN;
    return h->n >= 5 ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY;
}

/* The waking lies in a callback that is recorded, so the interrupt's own path is told from the rest. */
static bool is_callback_known(const struct cause_input *input)
{
    const struct activation *a = &input->window->a;
    for (size_t i = 0; i < input->sweep->n_pieces; i++) {
        const struct piece *p = &input->sweep->pieces[i];
        if (p->cpu == a->waking_cpu && p->begin_ns <= a->waking_ns && p->end_ns >= a->waking_ns && p->callback)
            return true;
    }
    return false;
}

/* The interrupt that woke the thread itself, without the callback that did: what of it was the wakeup's own path is not known. */
static bool is_own_without_callbacks(const struct cause_input *input, const struct share *line)
{
    const struct activation *a = &input->window->a;
    if (a->is_head)
        return a->due_ns == NS_UNKNOWN && line->n <= 1;
    return a->tid != TID_UNKNOWN && a->handler_ns != NS_UNKNOWN && line->subject.kind == OPEN_VECTOR && line->n <= 1 &&
           !is_callback_known(input);
}

struct candidate irq_verdict(const struct cause_input *input, int64_t amount_ns)
{
    struct candidate c = {.cause = CAUSE_IRQ, .confidence = CONFIDENCE_LIKELY, .amount_ns = amount_ns, .why = "long-handler"};
    struct share line;
    if (!largest_line(input, &line))
        return c;
    int32_t cpu = input->window->cpu;
    for (size_t i = 0; i < input->sweep->n_pieces; i++)
        if (input->sweep->pieces[i].kind == line.kind && subject_same_line(&input->sweep->pieces[i].subject, &line.subject)) {
            cpu = input->sweep->pieces[i].cpu;
            break;
        }
    struct subject subject = line.subject;
    subject.function = largest_function(input, &line);
    c.culprit = line_format(input, &subject, true);
    struct callbacks cascade = largest_cascade(input, &line);
    const char *name = store_string(input->store, subject.name);
    bool many = line.n >= STORM_MIN_INVOCATIONS && 4 * line.longest_ns < line.amount_ns;
    if (cascade.n >= 3 && 10 * cascade.sum_ns >= 6 * line.amount_ns && 2 * cascade.longest_ns < line.amount_ns) {
        c.cause = CAUSE_TIMER_CASCADE;
        c.confidence = CONFIDENCE_PROVEN;
        c.why = "many-timers-in-one-interrupt";
        c.culprit = arena_format(input->arena, "%u timers in one %s interrupt", cascade.n, line_format(input, &subject, true));
    } else if (name_is_ipi(name) || line.kind == SLICE_IPI) {
        c.cause = CAUSE_IPI;
        c.why = many ? "many-ipis" : "long-ipi";
        c.confidence = many ? CONFIDENCE_PROVEN : long_handler_confidence(input, &line, subject.function, cpu);
    } else if (many && 2 * line.amount_ns >= amount_ns &&
               (rate_ratio(input, &line, cpu) >= STORM_TIMES_BASELINE || 2 * line.amount_ns >= window_length_ns(input->window))) {
        c.cause = CAUSE_IRQ_STORM;
        c.confidence = CONFIDENCE_PROVEN;
        c.why = "rate-far-above-baseline";
    } else {
        c.confidence = many ? CONFIDENCE_PROVEN : long_handler_confidence(input, &line, subject.function, cpu);
        c.why = many ? "many-handlers" : "long-handler";
    }
    if (c.confidence > CONFIDENCE_POSSIBLE && is_own_without_callbacks(input, &line))
        c.confidence = CONFIDENCE_POSSIBLE;
    return c;
}
