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

void sweep_carve(struct sweep *sweep, int64_t begin_ns, int64_t end_ns, enum slice_kind kind, unsigned flags,
                 const struct subject *subject)
{
    size_t n_old = sweep->n_pieces;
    struct piece *old = sweep->pieces;
    struct piece *pieces = memory_resize(NULL, 3 * n_old + 1, sizeof *pieces);
    size_t n = 0;
    for (size_t i = 0; i < n_old; i++) {
        struct piece p = old[i];
        int64_t from = p.begin_ns > begin_ns ? p.begin_ns : begin_ns, to = p.end_ns < end_ns ? p.end_ns : end_ns;
        if (from >= to) {
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
        taken.kind = kind;
        taken.flags |= flags;
        if (subject)
            taken.subject = *subject;
        struct piece *last = n ? &pieces[n - 1] : NULL;
        if (last && last->kind == kind && last->end_ns == from && last->cpu == taken.cpu && last->flags == taken.flags &&
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
