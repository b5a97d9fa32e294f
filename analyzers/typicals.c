/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/typicals.h"

#include <string.h>

#include "analyzers/cause.h"
#include "base/memory.h"

#define N_TYPICAL 32

static int by_latency(const void *a, const void *b)
{
    const struct activation *x = a, *y = b;
    int64_t m = activation_end_ns(x) - activation_begin_ns(x), n = activation_end_ns(y) - activation_begin_ns(y);
    return m < n ? -1 : m > n;
}

/* What is typical takes this long: the horizon within which outliers are compared with it. */
static int64_t by_middle(const struct activation *sorted, size_t n)
{
    return activation_end_ns(&sorted[n / 2]) - activation_begin_ns(&sorted[n / 2]);
}

/* One of the ordinary activations that make a thread's typical ledger. */
struct ordinary {
    struct window window;
    struct sweep sweep;
    size_t number; /* by latency */
};

static int by_begin(const void *a, const void *b)
{
    const struct ordinary *x = a, *y = b;
    if (x->window.begin_ns != y->window.begin_ns)
        return x->window.begin_ns < y->window.begin_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b)
{
    const struct ordinary *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/*
 * Sweeps in the order of time and not of latency: neighbours lie in the same chunks, which are widened once then instead
 * of again and again (a tenth of the time that one marked outlier takes).
 */
static enum status sweep_ordinary(struct typicals *e, struct ordinary *items, size_t n, struct error *error)
{
    enum status status = OK;
    memory_sort(items, n, sizeof *items, by_begin);
    for (size_t i = 0; i < n && status != FAILED; i++)
        status = sweep_window(&items[i].sweep, e->store, e->words, &items[i].window, 0, error);
    memory_sort(items, n, sizeof *items, by_number);
    return status;
}

/* Some of the thread's ordinary activations: the shorter three quarters of its sample, evenly spread. */
static enum status make_typical(struct typicals *e, const struct window *late, struct typical *typical, struct error *error)
{
    const struct reservoir *r = selection_reservoir(e->selection, late->tid, late->stream);
    if (!r || r->n < 8)
        return OK;
    struct activation sorted[RESERVOIR];
    memcpy(sorted, r->items, r->n * sizeof *sorted);
    memory_sort(sorted, r->n, sizeof *sorted, by_latency);
    if (e->contrast)
        e->contrast->horizon_ns = by_middle(sorted, r->n);
    struct ordinary items[N_TYPICAL];
    size_t usable = r->n * 3 / 4, n = usable < N_TYPICAL ? usable : N_TYPICAL;
    for (size_t i = 0; i < n; i++)
        items[i] = (struct ordinary){.window = window_of_activation(&sorted[i * usable / n], late->run, late->stream),
                                     .sweep = {.arena = e->arena}, .number = i};
    for (size_t i = 0; i < n; i++)
        items[i].window.companions = late->companions;
    enum status status = sweep_ordinary(e, items, n, error);
    for (size_t i = 0; i < n; i++) {
        struct typical none = {0};
        struct cause_input input = {.store = e->store, .words = e->words, .arena = e->arena, .window = &items[i].window,
                                    .sweep = &items[i].sweep, .typical = &none};
        if (status != FAILED) {
            cause_prepare(&input);
            if (e->contrast)
                contrast_add(e->contrast, &items[i].sweep, &items[i].window, false);
            typical_add(typical, &items[i].sweep);
            typical->n_partial += cause_is_partial(&input);
            typical->n_clocks += items[i].window.a.khz > 0;
            typical->clocks_khz += items[i].window.a.khz;
        }
        sweep_release(&items[i].sweep);
    }
    return status;
}

const struct typical *typicals_of(struct typicals *e, const struct window *w, struct error *error)
{
    static const struct typical none;
    if (w->a.tid == TID_UNKNOWN || w->kind == WINDOW_BLOCKED)
        return &none;
    for (size_t i = 0; i < e->n; i++)
        if (e->items[i].tid == w->tid && e->items[i].stream == w->stream)
            return &e->items[i].typical;
    struct typical typical = {0};
    if (make_typical(e, w, &typical, error) == FAILED)
        return NULL;
    memory_reserve(e->items, e->capacity, e->n + 1);
    e->items[e->n] = (struct typical_of){.tid = w->tid, .stream = w->stream, .typical = typical};
    return &e->items[e->n++].typical;
}

void typicals_release(struct typicals *e)
{
    for (size_t i = 0; i < e->n; i++)
        typical_release(&e->items[i].typical);
    free(e->items);
    *e = (struct typicals){0};
}
