/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which events of a window its timeline shows. */
#include "analyzers/outlier_build.h"
#include "base/memory.h"

#define MAX_KEY_MARKS 40
#define MAX_MARKS 400
#define CHAIN_MARKS 40 /* room kept for those who woke */
#define LARGE_SHARE 12 /* of the window: a step or piece worth showing */

/* A row and how long it took until the next one of its CPU. */
struct step {
    struct timeline_mark mark;
    int64_t length_ns;
};

static bool has_mark(const struct outlier *o, uint32_t chunk, uint32_t i)
{
    for (size_t k = 0; k < o->n_marks; k++)
        if (o->marks[k].chunk == chunk && o->marks[k].i == i)
            return true;
    return false;
}

void outlier_add_mark(struct outlier *o, const struct store *store, uint32_t chunk, uint32_t i)
{
    struct event_view view;
    if (chunk == UINT32_MAX || o->n_marks == MAX_MARKS || has_mark(o, chunk, i) ||
        store_event_view(store, chunk, &view, NULL) == FAILED || i >= view.n)
        return;
    o->marks[o->n_marks++] = (struct timeline_mark){.time_ns = view.time_ns[i], .cpu = view.cpu, .chunk = chunk, .i = i};
}

static int by_time(const void *a, const void *b)
{
    const struct timeline_mark *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

void outlier_sort_marks(struct outlier *o)
{
    if (o->n_marks)
        memory_sort(o->marks, o->n_marks, sizeof *o->marks, by_time);
}

static bool same_cpu(const struct event_chunk *a, const struct event_chunk *b)
{
    return a->run == b->run && a->stream == b->stream && a->cpu == b->cpu;
}

/* The rows on both sides of each large step within a piece. */
static void mark_steps(struct outlier *o, const struct store *store, const struct piece *p, int64_t large_ns)
{
    if (p->first_chunk == UINT32_MAX || p->last_chunk == UINT32_MAX || p->first_chunk > p->last_chunk ||
        !same_cpu(&store->event_chunks[p->first_chunk], &store->event_chunks[p->last_chunk]))
        return;
    struct timeline_mark before = {.chunk = UINT32_MAX};
    for (uint32_t chunk = p->first_chunk; chunk <= p->last_chunk; chunk++) {
        struct event_view view;
        if (store_event_view(store, chunk, &view, NULL) == FAILED)
            return;
        uint32_t begin = chunk == p->first_chunk ? p->first_i : 0;
        uint32_t end = chunk == p->last_chunk && p->last_i < view.n ? p->last_i + 1 : (uint32_t)view.n;
        for (uint32_t i = begin; i < end; i++) {
            if (before.chunk != UINT32_MAX && view.time_ns[i] - before.time_ns >= large_ns && o->n_marks < MAX_KEY_MARKS) {
                outlier_add_mark(o, store, before.chunk, before.i);
                outlier_add_mark(o, store, chunk, i);
            }
            before = (struct timeline_mark){.time_ns = view.time_ns[i], .chunk = chunk, .i = i};
        }
    }
}

static void mark_key_events(struct outlier *o, const struct store *store, const struct sweep *sweep, int64_t large_ns)
{
    for (size_t i = 0; i < sweep->n_pieces && o->n_marks < MAX_KEY_MARKS; i++) {
        const struct piece *p = &sweep->pieces[i];
        if (p->end_ns - p->begin_ns >= large_ns) {
            outlier_add_mark(o, store, p->first_chunk, p->first_i);
            outlier_add_mark(o, store, p->last_chunk, p->last_i);
            mark_steps(o, store, p, large_ns);
        } else if (i + 1 < sweep->n_pieces && sweep->pieces[i + 1].phase != p->phase) {
            outlier_add_mark(o, store, p->last_chunk, p->last_i);
        }
    }
    if (sweep->n_pieces)
        outlier_add_mark(o, store, sweep->pieces[sweep->n_pieces - 1].last_chunk, sweep->pieces[sweep->n_pieces - 1].last_i);
}

static bool is_cpu_of(const struct sweep *sweep, int32_t cpu)
{
    for (size_t i = 0; i < sweep->n_pieces; i++)
        if (sweep->pieces[i].cpu == cpu)
            return true;
    return false;
}

static int by_length(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->length_ns != y->length_ns)
        return x->length_ns > y->length_ns ? -1 : 1;
    return by_time(&x->mark, &y->mark);
}

/* Keeps the longest: the array is cut to its better half whenever it is full. */
static void keep_step(struct step steps[2 * MAX_MARKS], size_t *n, struct step step)
{
    if (*n == 2 * MAX_MARKS) {
        memory_sort(steps, *n, sizeof *steps, by_length);
        *n = MAX_MARKS;
    }
    steps[(*n)++] = step;
}

/* The rows of a chunk that lie in the window. */
static void keep_rows(const struct store *store, const struct window *w, uint32_t chunk, struct step steps[2 * MAX_MARKS], size_t *n)
{
    struct event_view view;
    if (store_event_view(store, chunk, &view, NULL) == FAILED)
        return;
    const struct event_chunk *next = &store->event_chunks[chunk + 1];
    bool goes_on = chunk + 1 < store->n_event_chunks && same_cpu(next - 1, next);
    for (uint32_t i = 0; i < view.n; i++) {
        int64_t time_ns = view.time_ns[i], next_ns = i + 1 < view.n ? view.time_ns[i + 1] : goes_on ? next->begin_ns : w->end_ns;
        if (time_ns >= w->begin_ns && time_ns <= w->end_ns)
            keep_step(steps, n, (struct step){.mark = {.time_ns = time_ns, .cpu = view.cpu, .chunk = chunk, .i = i},
                                              .length_ns = next_ns - time_ns});
    }
}

static void mark_rows(struct outlier *o, const struct cause_input *input)
{
    const struct store *store = input->store;
    const struct window *w = input->window;
    struct step *steps = memory_resize(NULL, 2 * MAX_MARKS, sizeof *steps);
    size_t n = 0;
    for (size_t i = 0; i < store->n_event_chunks; i++) {
        const struct event_chunk *c = &store->event_chunks[i];
        if (c->run == w->run && c->stream == w->stream && c->end_ns >= w->begin_ns && c->begin_ns <= w->end_ns &&
            is_cpu_of(input->sweep, c->cpu))
            keep_rows(store, w, (uint32_t)i, steps, &n);
    }
    if (n)
        memory_sort(steps, n, sizeof *steps, by_length);
    for (size_t i = 0; i < n && o->n_marks < MAX_MARKS - CHAIN_MARKS; i++)
        if (!has_mark(o, steps[i].mark.chunk, steps[i].mark.i))
            o->marks[o->n_marks++] = steps[i].mark;
    free(steps);
}

void outlier_fill_marks(struct outlier *o, const struct cause_input *input, bool is_whole)
{
    o->marks = arena_array(input->arena, MAX_MARKS, sizeof *o->marks);
    int64_t large_ns = window_length_ns(input->window) / LARGE_SHARE;
    mark_key_events(o, input->store, input->sweep, large_ns ? large_ns : 1);
    if (is_whole)
        mark_rows(o, input);
    outlier_sort_marks(o);
}
