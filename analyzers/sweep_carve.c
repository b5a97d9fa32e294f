/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done with a sweep's pieces and silences after the events are through. */
#include "analyzers/sweep.h"

bool subject_equals(const struct subject *a, const struct subject *b)
{
    return a->kind == b->kind && a->number == b->number && a->name == b->name && a->function == b->function &&
           a->tid == b->tid && a->prio == b->prio && a->comm == b->comm;
}

int64_t silence_usual_gap_ns(const struct silence *silence, unsigned one_in)
{
    uint64_t beyond = silence->n_other / one_in, n = 0;
    for (unsigned bits = 47; bits > 0; bits--) {
        n += silence->gaps[bits];
        if (n > beyond)
            return (int64_t)1 << bits;
    }
    return 0;
}

struct carving {
    int64_t begin_ns, end_ns;
    enum slice_kind kind;
    unsigned flags;
    const struct subject *subject; /* NULL: each piece's own */
    int32_t cpu;                   /* CPU_UNKNOWN: all */
    bool spares_own_kind;
};

/* Whether a piece is cut, and where. */
static bool carving_hits(const struct carving *c, const struct piece *p, int64_t *from, int64_t *to)
{
    *from = p->begin_ns > c->begin_ns ? p->begin_ns : c->begin_ns;
    *to = p->end_ns < c->end_ns ? p->end_ns : c->end_ns;
    return *from < *to && (c->cpu == CPU_UNKNOWN || c->cpu == p->cpu) && !(c->spares_own_kind && p->kind == c->kind);
}

static void carve(struct sweep *sweep, const struct carving *c)
{
    size_t n_old = sweep->n_pieces;
    struct piece *old = sweep->pieces;
    struct piece *pieces = memory_resize(NULL, 3 * n_old + 1, sizeof *pieces);
    size_t n = 0;
    for (size_t i = 0; i < n_old; i++) {
        struct piece p = old[i];
        int64_t from, to;
        if (!carving_hits(c, &p, &from, &to)) {
            pieces[n++] = p;
            continue;
        }
        if (p.begin_ns < from) {
            pieces[n] = p;
            pieces[n++].end_ns = from;
        }
        struct piece taken = p;
        taken.begin_ns = from;
        taken.end_ns = to;
        taken.kind = c->kind;
        taken.flags |= c->flags;
        if (c->subject)
            taken.subject = *c->subject;
        struct piece *last = n ? &pieces[n - 1] : NULL;
        if (last && last->kind == c->kind && last->end_ns == from && last->cpu == taken.cpu && last->flags == taken.flags &&
            subject_equals(&last->subject, &taken.subject)) {
            last->end_ns = to;
            last->last_chunk = taken.last_chunk;
            last->last_i = taken.last_i;
        } else {
            pieces[n++] = taken;
        }
        if (to < p.end_ns) {
            pieces[n] = p;
            pieces[n++].begin_ns = to;
        }
    }
    free(old);
    sweep->pieces = pieces;
    sweep->n_pieces = n;
    sweep->pieces_capacity = 3 * n_old + 1;
}

void sweep_carve(struct sweep *sweep, int64_t begin_ns, int64_t end_ns, enum slice_kind kind, unsigned flags,
                 const struct subject *subject)
{
    carve(sweep, &(struct carving){begin_ns, end_ns, kind, flags, subject, CPU_UNKNOWN, false});
}

void sweep_carve_cpu(struct sweep *sweep, int32_t cpu, int64_t begin_ns, int64_t end_ns, enum slice_kind kind,
                     const struct subject *subject)
{
    carve(sweep, &(struct carving){begin_ns, end_ns, kind, 0, subject, cpu, true});
}
