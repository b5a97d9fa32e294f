/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep notes beside its pieces: the silences of all CPUs, and non-maskable interrupts, which tell their length at their end. */
#include "analyzers/sweep_private.h"

static void count_gap(struct silence *s, int64_t ns)
{
    unsigned bits = ns > 0 ? 64 - (unsigned)__builtin_clzll((unsigned long long)ns) : 0;
    s->gaps[bits < 47 ? bits : 47]++;
    s->n_other++;
}

/* How much of [begin, end) lies in the window. */
static int64_t overlap_ns(const struct window *w, int64_t begin_ns, int64_t end_ns)
{
    int64_t from = begin_ns > w->begin_ns ? begin_ns : w->begin_ns, to = end_ns < w->end_ns ? end_ns : w->end_ns;
    return to > from ? to - from : 0;
}

void sweep_note_silence(struct run_state *r, const struct event_ref *ref, const struct sweep_cpu *c, int64_t t_ns)
{
    struct silence *s = &r->sweep->silences[ref->cpu];
    s->cpu = ref->cpu;
    if (c->last_ns == NS_UNKNOWN)
        return;
    int64_t overlap = overlap_ns(r->w, c->last_ns, t_ns);
    if (!overlap || (s->begin_known && overlap <= overlap_ns(r->w, s->begin_ns, s->end_ns))) {
        count_gap(s, t_ns - c->last_ns);
        return;
    }
    if (s->begin_known)
        count_gap(s, s->end_ns - s->begin_ns);
    s->begin_ns = c->last_ns;
    s->end_ns = t_ns;
    s->begin_known = s->end_known = true;
    s->begin_chunk = c->last_chunk;
    s->begin_i = c->last_i;
    s->begin_flags = c->last_flags;
    s->tid = c->state.tid;
    s->end_chunk = ref->chunk;
    s->end_i = ref->i;
    s->end_flags = ref->view->flags[ref->i];
    s->flags_known = ref->view->flags_known;
}

void sweep_note_nmi(struct run_state *r, int32_t cpu, const uint32_t *w, int64_t t_ns)
{
    struct sweep *s = r->sweep;
    int64_t length_ns = event_words_i64(w + 1);
    if (length_ns <= 0 || length_ns > INT64_MAX / 4 || t_ns <= r->w->begin_ns || t_ns - length_ns >= r->w->end_ns)
        return;
    memory_reserve(s->nmis, s->nmis_capacity, s->n_nmis + 1);
    s->nmis[s->n_nmis++] = (struct nmi_span){cpu, t_ns - length_ns, t_ns, w[0]};
}

/* What a non-maskable interrupt took is its own, whatever it interrupted. */
void sweep_carve_nmis(struct sweep *s)
{
    for (size_t i = 0; i < s->n_nmis; i++) {
        const struct nmi_span *nmi = &s->nmis[i];
        struct subject subject = {.kind = OPEN_NMI, .number = -1, .name = nmi->handler, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
        sweep_carve_cpu(s, nmi->cpu, nmi->begin_ns, nmi->end_ns, SLICE_NMI, &subject);
    }
}

/* CPUs that are silent up to the end of the window, and of what was read beyond it. */
void sweep_finish_silences(struct run_state *r)
{
    for (size_t i = 0; i < r->sweep->n_silences; i++) {
        const struct sweep_cpu *c = &r->cpus[i];
        struct silence *s = &r->sweep->silences[i];
        if (c->last_ns == NS_UNKNOWN || c->last_ns >= r->w->end_ns)
            continue;
        if (s->begin_known && overlap_ns(r->w, c->last_ns, r->w->end_ns) <= overlap_ns(r->w, s->begin_ns, s->end_ns))
            continue;
        if (s->begin_known)
            count_gap(s, s->end_ns - s->begin_ns);
        s->begin_ns = c->last_ns;
        s->end_ns = r->w->end_ns;
        s->begin_known = true;
        s->end_known = false;
        s->end_chunk = NO_CHUNK;
        s->begin_chunk = c->last_chunk;
        s->begin_i = c->last_i;
        s->begin_flags = c->last_flags;
        s->tid = c->state.tid;
        s->flags_known = c->last_known;
    }
}
