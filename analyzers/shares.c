/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/shares.h"

static bool is_handler_kind(enum slice_kind kind)
{
    return kind == SLICE_IRQ || kind == SLICE_IPI || kind == SLICE_SOFTIRQ || kind == SLICE_NMI;
}

bool subject_same_line(const struct subject *a, const struct subject *b)
{
    return a->kind == b->kind && a->number == b->number && (a->name == b->name || !a->name || !b->name);
}

static bool same_share(const struct share *s, enum slice_kind kind, unsigned flags, const struct subject *subject, bool by_line)
{
    if (s->kind != kind || (s->flags ^ flags) & (PIECE_OWN | PIECE_FAULT))
        return false;
    switch (kind) {
    case SLICE_IRQ:
    case SLICE_IPI:
    case SLICE_SOFTIRQ:
    case SLICE_NMI:
        return subject_same_line(&s->subject, subject) && (by_line || s->subject.function == subject->function);
    case SLICE_IRQS_OFF:
    case SLICE_PREEMPT_OFF:
        return s->subject.name == subject->name && s->subject.tid == subject->tid;
    case SLICE_TASK_HIGHER:
    case SLICE_TASK_SAME:
    case SLICE_TASK_LOWER:
    case SLICE_TIMER_LATE:
    case SLICE_THROTTLED:
        return s->subject.tid == subject->tid && s->subject.kind == subject->kind;
    case SLICE_GAP:
        return s->subject.kind == subject->kind;
    default:
        return true;
    }
}

static void close_run(struct share *s)
{
    if (s->run_ns > s->longest_ns)
        s->longest_ns = s->run_ns;
    s->run_ns = 0;
}

void shares_collect(struct shares *shares, const struct sweep *sweep, bool by_line)
{
    int64_t longest_piece_ns = 0;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        int64_t amount = p->end_ns - p->begin_ns;
        struct share *s = NULL;
        for (size_t k = 0; k < shares->n && !s; k++)
            if (same_share(&shares->items[k], p->kind, p->flags, &p->subject, by_line))
                s = &shares->items[k];
        if (!s) {
            memory_reserve(shares->items, shares->capacity, shares->n + 1);
            s = &shares->items[shares->n++];
            *s = (struct share){.kind = p->kind, .subject = p->subject, .flags = p->flags, .invocation = UINT32_MAX};
        }
        if (amount > longest_piece_ns || !s->amount_ns) {
            longest_piece_ns = amount;
            s->subject = p->subject;
        }
        bool goes_on = is_handler_kind(p->kind) && s->n && s->invocation == p->invocation;
        if (!goes_on) {
            close_run(s);
            s->n++;
            s->invocation = p->invocation;
        }
        s->run_ns += amount;
        s->amount_ns += amount;
        s->flags |= p->flags;
        if (p->phase == PHASE_BEFORE_HANDLER)
            s->before_handler_ns += amount;
        shares->total_ns += amount;
    }
    for (size_t k = 0; k < shares->n; k++)
        close_run(&shares->items[k]);
}

void shares_release(struct shares *shares)
{
    free(shares->items);
    *shares = (struct shares){0};
}

int64_t shares_of_kind(const struct shares *shares, enum slice_kind kind)
{
    int64_t sum = 0;
    for (size_t i = 0; i < shares->n; i++)
        if (shares->items[i].kind == kind)
            sum += shares->items[i].amount_ns;
    return sum;
}

void typical_add(struct typical *typical, const struct sweep *sweep)
{
    typical->n_windows++;
    typical->n_events += sweep->n_in_window;
    shares_collect(&typical->lines, sweep, true);
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        int64_t amount = p->end_ns - p->begin_ns;
        typical->total_ns += amount;
        typical->kind_ns[p->kind] += amount;
        if (p->flags & PIECE_OWN)
            typical->path_ns += amount;
        if (p->flags & PIECE_LAST) {
            typical->last_ns += amount;
            if (amount > typical->longest_last_ns)
                typical->longest_last_ns = amount;
        }
    }
}

int64_t typical_kind_ns(const struct typical *typical, enum slice_kind kind)
{
    return typical->n_windows ? typical->kind_ns[kind] / typical->n_windows : 0;
}

void typical_release(struct typical *typical)
{
    shares_release(&typical->lines);
    *typical = (struct typical){0};
}
