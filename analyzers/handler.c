/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/handler.h"

#include <string.h>

#define HANDLER_DEPTH 6
struct handler_cpu {
    unsigned depth;
    struct open_handler {
        uint32_t item; /* index in handlers.items, UINT32_MAX: not counted */
        int32_t kind;
        int64_t begin_ns, inner_ns;
    } open[HANDLER_DEPTH];
};

void handlers_init(struct handlers *h)
{
    *h = (struct handlers){.begin_ns = NS_UNKNOWN, .bin_shift = 16, .bin_ns = 1 << 16};
}

void handlers_release(struct handlers *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->items[i].bins);
    free(h->items);
    free(h->cpus);
    *h = (struct handlers){0};
}

static uint32_t hash(int32_t cpu, int32_t kind, int32_t number, uint32_t name)
{
    uint32_t x = (uint32_t)cpu * 31u + (uint32_t)kind * 17u + (uint32_t)number * 2654435761u + name * 40503u;
    return x ^ x >> 15;
}

static bool is_item(const struct handler *i, int32_t cpu, int32_t kind, int32_t number, uint32_t name)
{
    return i->cpu == cpu && i->kind == kind && i->number == number && i->name == name;
}

const struct handler *handlers_find(const struct handlers *h, int32_t cpu, int32_t kind, int32_t number, uint32_t name)
{
    for (size_t i = 0; i < h->n; i++)
        if (is_item(&h->items[i], cpu, kind, number, name))
            return &h->items[i];
    return NULL;
}

static uint32_t item_of(struct handlers *h, int64_t t_ns, int32_t cpu, int32_t kind, int32_t number, uint32_t name)
{
    const uint32_t mask = sizeof h->index / sizeof *h->index - 1;
    for (uint32_t k = hash(cpu, kind, number, name) & mask;; k = (k + 1) & mask) {
        if (h->index[k]) {
            if (is_item(&h->items[h->index[k] - 1], cpu, kind, number, name))
                return h->index[k] - 1;
            continue;
        }
        if (h->n == HANDLERS_MAX)
            return UINT32_MAX;
        if (!h->items)
            h->items = memory_resize(NULL, HANDLERS_MAX, sizeof *h->items);
        h->items[h->n] = (struct handler){.cpu = cpu, .kind = kind, .number = number, .name = name, .pass = h->pass,
                                          .first_ns = t_ns,
                                          .bins = memory_new(HANDLER_BINS * sizeof(uint32_t))};
        h->index[k] = (uint32_t)h->n + 1;
        return (uint32_t)h->n++;
    }
}

/* Twice as wide bins, so that the trace so far fits the first half. */
static void widen(struct handlers *h)
{
    for (size_t i = 0; i < h->n; i++) {
        uint32_t *bins = h->items[i].bins;
        for (size_t b = 0; b < HANDLER_BINS / 2; b++)
            bins[b] = bins[2 * b] + bins[2 * b + 1];
        memset(bins + HANDLER_BINS / 2, 0, HANDLER_BINS / 2 * sizeof *bins);
    }
    h->bin_shift++;
    h->bin_ns = (int64_t)1 << h->bin_shift;
}

static void enter(struct handlers *h, int32_t cpu, int64_t t_ns, int32_t kind, int32_t number, uint32_t name)
{
    struct handler_cpu *c = &h->cpus[cpu];
    if (c->depth >= HANDLER_DEPTH) { /* exits were lost */
        c->depth = 0;
    }
    uint32_t item = item_of(h, t_ns, cpu, kind, number, name);
    c->open[c->depth++] = (struct open_handler){.item = item, .kind = kind, .begin_ns = t_ns};
    if (item == UINT32_MAX)
        return;
    while ((t_ns - h->begin_ns) >> h->bin_shift >= HANDLER_BINS)
        widen(h);
    if (t_ns >= h->begin_ns)
        h->items[item].bins[(t_ns - h->begin_ns) >> h->bin_shift]++;
    h->items[item].n++;
}

static void leave(struct handlers *h, int32_t cpu, int64_t t_ns, int32_t kind)
{
    struct handler_cpu *c = &h->cpus[cpu];
    while (c->depth && c->open[c->depth - 1].kind != kind)
        c->depth--; /* its own exit was lost */
    if (!c->depth)
        return;
    struct open_handler *o = &c->open[--c->depth];
    if (o->item == UINT32_MAX)
        return;
    struct handler *i = &h->items[o->item];
    int64_t ns = t_ns - o->begin_ns;
    i->total_ns += ns;
    if (ns > i->longest_ns)
        i->longest_ns = ns;
    unsigned bits = ns > 0 ? 64 - (unsigned)__builtin_clzll((unsigned long long)ns) : 0;
    i->durations[bits < 47 ? bits : 47]++;
}

static void add_cpus(struct handlers *h, int32_t cpu)
{
    size_t n = (size_t)cpu + 1;
    h->cpus = memory_resize(h->cpus, n, sizeof *h->cpus);
    memset(h->cpus + h->n_cpus, 0, (n - h->n_cpus) * sizeof *h->cpus);
    h->n_cpus = n;
}

void handlers_begin(struct handlers *h, int64_t begin_ns)
{
    if (h->begin_ns == NS_UNKNOWN)
        h->begin_ns = begin_ns;
    h->pass++;
    memset(h->index, 0, sizeof h->index);
    const uint32_t mask = sizeof h->index / sizeof *h->index - 1;
    for (size_t i = 0; i < h->n; i++) {
        uint32_t k = hash(h->items[i].cpu, h->items[i].kind, h->items[i].number, h->items[i].name) & mask;
        while (h->index[k])
            k = (k + 1) & mask;
        h->index[k] = (uint32_t)i + 1;
    }
}

void handlers_apply(struct handlers *h, const struct event_view *view, size_t first, size_t end)
{
    int32_t cpu = view->cpu;
    if (cpu < 0)
        return;
    if ((size_t)cpu >= h->n_cpus)
        add_cpus(h, cpu);
    for (size_t i = first; i < end; i++) {
        int64_t t_ns = view->time_ns[i];
        const uint32_t *w = view->words + view->arg[i];
        switch (view->kind[i]) {
        case KIND_IRQ_HANDLER_ENTRY: enter(h, cpu, t_ns, OPEN_IRQ, (int32_t)w[0], w[1]); break;
        case KIND_IRQ_HANDLER_EXIT: leave(h, cpu, t_ns, OPEN_IRQ); break;
        case KIND_COBALT_IRQ_ENTRY: enter(h, cpu, t_ns, OPEN_IRQ, (int32_t)w[0], 0); break;
        case KIND_COBALT_IRQ_EXIT: leave(h, cpu, t_ns, OPEN_IRQ); break;
        case KIND_VECTOR_ENTRY: enter(h, cpu, t_ns, OPEN_VECTOR, (int32_t)w[1], w[0]); break;
        case KIND_VECTOR_EXIT: leave(h, cpu, t_ns, OPEN_VECTOR); break;
        case KIND_SOFTIRQ_ENTRY: enter(h, cpu, t_ns, OPEN_SOFTIRQ, (int32_t)w[0], w[1]); break;
        case KIND_SOFTIRQ_EXIT: leave(h, cpu, t_ns, OPEN_SOFTIRQ); break;
        case KIND_HRTIMER_EXPIRE_ENTRY: enter(h, cpu, t_ns, OPEN_NONE, 0, w[2]); break;
        case KIND_HRTIMER_EXPIRE_EXIT: leave(h, cpu, t_ns, OPEN_NONE); break;
        default: break;
        }
    }
}

/* As one order of all events would have met them. */
static int by_first_event(const void *a, const void *b)
{
    const struct handler *x = a, *y = b;
    if (x->pass != y->pass)
        return x->pass < y->pass ? -1 : 1;
    if (x->first_ns != y->first_ns)
        return x->first_ns < y->first_ns ? -1 : 1;
    return x->cpu != y->cpu ? (x->cpu < y->cpu ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

void handlers_end(struct handlers *h, int64_t end_ns)
{
    h->end_ns = end_ns;
    for (size_t i = 0; i < h->n; i++)
        h->items[i].order = (uint32_t)i;
    if (h->n)
        memory_sort(h->items, h->n, sizeof *h->items, by_first_event);
    for (size_t i = 0; i < h->n_cpus; i++) /* positions are others now */
        h->cpus[i].depth = 0;
}

uint64_t handler_count_longer(const struct handler *handler, int64_t ns)
{
    uint64_t n = 0;
    for (unsigned b = 1; b < 48; b++)
        if ((int64_t)1 << (b - 1) >= ns)
            n += handler->durations[b];
    return n;
}
