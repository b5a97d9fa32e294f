/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/outlier_build.h"

#include <assert.h>
#include <string.h>

void event_numbers_init(struct event_numbers *numbers, const struct store *store)
{
    numbers->first = memory_resize(NULL, store->n_event_chunks + 1, sizeof *numbers->first);
    for (size_t i = 0; i < store->n_event_chunks; i++) {
        const struct event_chunk *c = &store->event_chunks[i], *before = i ? c - 1 : NULL;
        bool goes_on = before && before->run == c->run && before->stream == c->stream && before->cpu == c->cpu;
        numbers->first[i] = goes_on ? numbers->first[i - 1] + before->n : 0;
    }
}

void event_numbers_release(struct event_numbers *numbers)
{
    free(numbers->first);
    numbers->first = NULL;
}

static const char *gap_reason(const struct cause_input *input, const struct piece *p)
{
    for (size_t i = 0; i < input->store->n_gaps; i++) {
        const struct gap *g = &input->store->gaps[i];
        bool covers = g->run == input->window->run && (g->cpu == CPU_UNKNOWN || g->cpu == p->cpu) &&
                      (g->begin_ns == NS_UNKNOWN || g->begin_ns < p->end_ns) &&
                      (g->end_ns == NS_UNKNOWN || g->end_ns > p->begin_ns);
        if (covers && g->reason)
            return g->reason;
    }
    return "events lost";
}

static const char *unexplained_reason(const struct cause_input *input, const struct piece *p)
{
    const struct subject *s = &p->subject;
    const struct window *w = input->window;
    if (s->tid == TID_UNKNOWN && p->begin_ns == w->begin_ns && p->end_ns == w->end_ns)
        return "no record of it";
    if (s->tid == TID_UNKNOWN)
        return p->end_ns == input->window->end_ns && p->begin_ns > input->window->begin_ns ? "no record after the last event"
                                                                                           : "before the first event";
    if (s->tid == 0)
        return "silent, idle current";
    return arena_format(input->arena, "silent, %s current", task_format(input, s));
}

static const char *task_in_function(const struct cause_input *input, const struct subject *s)
{
    const char *function = store_string(input->store, s->function);
    return function ? arena_format(input->arena, "%s in %s", task_format(input, s), function) : task_format(input, s);
}

static const char *piece_subject(const struct cause_input *input, const struct piece *p)
{
    const struct subject *s = &p->subject;
    const char *name = function_format(input->arena, store_string(input->store, s->name));
    switch (p->kind) {
    case SLICE_IRQ:
    case SLICE_IPI:
    case SLICE_SOFTIRQ:
    case SLICE_NMI:
        return line_format(input, s, true);
    case SLICE_TIMER_LATE:
        return s->kind == SUBJECT_SLACK ? "timer slack" : s->kind == SUBJECT_PROGRAMMED ? "programmed late" : task_format(input, s);
    case SLICE_MODE_SWITCH:
        return stage_name(s->number);
    case SLICE_IRQS_OFF:
    case SLICE_PREEMPT_OFF:
        if (name && s->tid == TID_UNKNOWN && !s->comm)
            return name;
        return name ? arena_format(input->arena, "%s in %s", name, task_format(input, s)) : task_format(input, s);
    case SLICE_IDLE:
    case SLICE_IDLE_EXIT:
        return s->kind == OPEN_IDLE ? arena_format(input->arena, "idle state %d", s->number) : "idle";
    case SLICE_SCHED:
        if (s->kind == SUBJECT_TRACER)
            return "the tracer's own stack dump";
        if (store_string(input->store, s->function))
            return store_string(input->store, s->function);
        return p->phase == PHASE_RUNNING ? "return to user space" : "switch";
    case SLICE_SELF:
        return p->flags & PIECE_FAULT ? arena_format(input->arena, "page fault of %s", task_in_function(input, s)) : task_in_function(input, s);
    case SLICE_GAP:
        return s->kind == SUBJECT_STEP ? "the clock stepped" : s->kind == SUBJECT_SKIPPED ? "rows are missing: cycles went on" : gap_reason(input, p);
    case SLICE_UNEXPLAINED:
        return unexplained_reason(input, p);
    case SLICE_HARDWARE_STALL:
        return p->flags & PIECE_STALL ? "all CPUs silent" : task_format(input, s);
    default:
        return task_in_function(input, s);
    }
}

static const char *piece_evidence(const struct cause_input *input, const struct event_numbers *numbers, const struct piece *p)
{
    if (p->first_chunk == UINT32_MAX && p->last_chunk == UINT32_MAX)
        return NULL;
    uint64_t first = 0, last = 0;
    bool has_first = p->first_chunk != UINT32_MAX, has_last = p->last_chunk != UINT32_MAX;
    if (has_first)
        first = numbers->first[p->first_chunk] + p->first_i;
    if (has_last)
        last = numbers->first[p->last_chunk] + p->last_i;
    bool is_one = has_last && has_first && input->store->event_chunks[p->last_chunk].stream == input->store->event_chunks[p->first_chunk].stream;
    if (is_one && input->store->event_chunks[p->last_chunk].cpu == p->cpu)
        return arena_format(input->arena, "cpu %d events %llu-%llu", p->cpu, (unsigned long long)first, (unsigned long long)last);
    if (has_first)
        return arena_format(input->arena, "cpu %d events from %llu", p->cpu, (unsigned long long)first);
    return arena_format(input->arena, "cpu %d events up to %llu", input->store->event_chunks[p->last_chunk].cpu,
                        (unsigned long long)last);
}

static const char *domain_of(const struct cause_input *input, const struct piece *p)
{
    if (p->first_chunk == UINT32_MAX)
        return NULL;
    struct event_view view;
    if (store_event_view(input->store, p->first_chunk, &view, NULL) == FAILED || !(view.flags_known & FLAG_DOMAIN_HEAD))
        return NULL;
    return view.flags[p->first_i] & FLAG_DOMAIN_HEAD ? "head" : "root";
}

static const char not_listed[] = "slices not listed";

void outlier_sum_ledger(struct outlier *o, struct arena *arena)
{
    struct ledger_row *rows = arena_array(arena, o->n_slices ? o->n_slices : 1, sizeof *rows);
    size_t n = 0;
    for (size_t i = 0; i < o->n_slices; i++) {
        const struct slice *s = &o->slices[i];
        size_t k = 0;
        while (k < n && (rows[k].kind != s->kind || strcmp(rows[k].subject ? rows[k].subject : "", s->subject ? s->subject : "")))
            k++;
        if (k == n)
            rows[n++] = (struct ledger_row){.kind = s->kind, .subject = s->subject};
        rows[k].n = s->subject == not_listed ? COUNT_UNKNOWN : rows[k].n + 1;
        rows[k].amount_ns += s->amount_ns;
    }
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && rows[k].amount_ns > rows[k - 1].amount_ns; k--) {
            struct ledger_row row = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = row;
        }
    o->ledger = rows;
    o->n_ledger = n;
}

/*
 * One slice for each piece of the window, up to a limit however few are to be shown, because causes and ledger are made of
 * them. What is beyond keeps its kind, and loses place and subject.
 */
#define KEPT_SLICES 10000
static void fill_slices(struct outlier *o, const struct cause_input *input, const struct event_numbers *numbers, size_t max_slices)
{
    const struct sweep *sweep = input->sweep;
    size_t kept = max_slices > KEPT_SLICES ? max_slices : KEPT_SLICES, n = sweep->n_pieces;
    int64_t rest_ns[N_SLICE_KINDS] = {0};
    o->slices = arena_array(input->arena, (n < kept ? n : kept) + N_SLICE_KINDS, sizeof *o->slices);
    for (size_t i = 0; i < n; i++) {
        const struct piece *p = &sweep->pieces[i];
        int64_t amount = p->end_ns - p->begin_ns;
        struct slice *last = o->n_slices ? &o->slices[o->n_slices - 1] : NULL;
        if (o->n_slices == kept) {
            rest_ns[p->kind] += amount;
            continue;
        }
        const char *subject = piece_subject(input, p);
        if (last && last->kind == p->kind && last->cpu == p->cpu && last->end_ns == p->begin_ns && subject && last->subject &&
            !strcmp(last->subject, subject)) {
            last->end_ns = p->end_ns;
            last->amount_ns += amount;
            continue;
        }
        o->slices[o->n_slices++] = (struct slice){.begin_ns = p->begin_ns,
                                                  .end_ns = p->end_ns,
                                                  .amount_ns = amount,
                                                  .kind = p->kind,
                                                  .subject = subject,
                                                  .cpu = p->cpu,
                                                  .domain = domain_of(input, p),
                                                  .evidence = piece_evidence(input, numbers, p)};
    }
    for (enum slice_kind kind = 0; kind < N_SLICE_KINDS; kind++)
        if (rest_ns[kind] > 0)
            o->slices[o->n_slices++] = (struct slice){.begin_ns = NS_UNKNOWN, .end_ns = NS_UNKNOWN, .amount_ns = rest_ns[kind],
                                                      .kind = kind, .subject = not_listed, .cpu = CPU_UNKNOWN};
}

void outlier_fill(struct outlier *o, const struct cause_input *input, const struct decision *decision,
                  const struct event_numbers *numbers, const struct analysis_options *options)
{
    const struct window *w = input->window;
    o->run = w->run;
    o->stream = w->stream;
    o->cpu = w->cpu;
    o->tid = w->tid;
    o->comm = store_string(input->store, w->comm);
    if (!o->comm)
        o->comm = w->comm_text ? w->comm_text : w->tid != TID_UNKNOWN ? store_task_comm(input->store, w->run, w->tid) : NULL;
    if (w->claim != ROW_NONE) {
        o->series = input->store->claims[w->claim].series;
        if (w->comm_text)
            o->comm = w->comm_text;
    }
    o->window = w->kind;
    o->begin_ns = w->begin_ns;
    o->end_ns = w->end_ns;
    o->latency_ns = window_length_ns(w);
    o->reported_ns = w->reported_ns;
    o->cause = decision->best.cause;
    o->culprit = decision->best.culprit;
    o->confidence = decision->best.confidence;
    o->why = decision->best.why;
    o->unexplained_ns = decision->unexplained_ns;
    fill_slices(o, input, numbers, options->max_slices);
    outlier_sum_ledger(o, input->arena);
    outlier_fill_marks(o, input, options->timeline);
    int64_t sum = 0;
    for (size_t i = 0; i < o->n_slices; i++)
        sum += o->slices[i].amount_ns;
    assert(sum == o->latency_ns);
}

static const char *link_subject(const struct cause_input *input, const struct chain_link *l)
{
    if (l->kind == LINK_UNKNOWN)
        return l->reason;
    if (l->kind == LINK_INTERRUPT)
        return line_format(input, &l->subject, true);
    return thread_format(input->arena, store_string(input->store, l->a.comm), l->a.tid, l->a.prio);
}

void outlier_fill_chain(struct outlier *o, const struct cause_input *input, const struct chain *chain)
{
    o->links = arena_array(input->arena, chain->n + 1, sizeof *o->links);
    for (size_t i = 0; i < chain->n; i++) {
        const struct chain_link *l = &chain->links[i];
        o->links[o->n_links++] = (struct outlier_link){.kind = chain_link_kind_name(l->kind),
                                                       .subject = link_subject(input, l),
                                                       .cpu = l->kind == LINK_UNKNOWN ? CPU_UNKNOWN : l->a.cpu,
                                                       .begin_ns = l->begin_ns,
                                                       .running_ns = l->running_ns,
                                                       .end_ns = l->end_ns,
                                                       .held_by = l->held_by,
                                                       .is_decisive = l->is_decisive};
        outlier_add_mark(o, input->store, l->chunk, l->i);
    }
    outlier_sort_marks(o);
}
