/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Overflows of several threads in the same cycles: one cause stopped them together, as a bare histogram tells. Threads of
 * one interval count their cycles alike, but for a start a few cycles later and periods lost since.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/judged.h"
#include "analyzers/stats/counting.h"

#define MOST_EVENTS 20000 /* more are no outliers */
#define WITHIN      100   /* cycles that one instant may spread over the threads' counts */
#define LEVEL       1e-4

struct event {
    uint64_t cycle;
    uint32_t series;
};
static int by_cycle(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->series < y->series ? -1 : x->series > y->series;
}

/* Overflows of all threads that count alike, in the order of their cycles. */
struct instants {
    struct event *events;
    size_t n, n_threads, *n_distinct; /* of the instant that the event belongs to */
    double n_cycles;                  /* among which they fell */
    size_t n_together, most, n_extra, n_instants;
};

/* Both are of one run. */
static bool belongs(const struct store *store, const struct series *first, uint32_t series)
{
    const struct series *s = &store->series[series];
    return s->path == first->path && s->interval_ns == first->interval_ns && s->tool && first->tool &&
           strcmp(s->tool, first->tool) == 0;
}

static bool gather(const struct store *store, uint32_t first, struct instants *in)
{
    const struct series *lead = &store->series[first];
    size_t capacity = 0;
    bool is_complete = true;
    uint64_t longest = 0;
    for (uint32_t i = first, end = store_series_of_run(store, lead->run).end; i < end; i++) {
        const struct series *s = &store->series[i];
        if (!belongs(store, lead, i))
            continue;
        size_t n;
        const uint64_t *cycles = store_overflow_cycles(store, i, &n);
        in->n_threads++;
        if (s->n_samples != COUNT_UNKNOWN && s->n_samples > longest)
            longest = s->n_samples;
        is_complete &= s->n_overflow == n;
        for (size_t k = 0; k < n && in->n < MOST_EVENTS; k++) {
            memory_reserve(in->events, capacity, in->n + 1);
            in->events[in->n++] = (struct event){cycles[k], i};
        }
    }
    if (in->n < 3 || in->n == MOST_EVENTS || in->n_threads < 2)
        return false;
    memory_sort(in->events, in->n, sizeof *in->events, by_cycle);
    double span = (double)(in->events[in->n - 1].cycle - in->events[0].cycle);
    in->n_cycles = fmax(is_complete ? (double)longest : span, span); /* a list that was cut ends early */
    return in->n_cycles > 20.0 * WITHIN && (double)in->n < 0.001 * in->n_cycles * (double)in->n_threads;
}

static void find_instants(struct instants *in)
{
    in->n_distinct = memory_new(in->n * sizeof *in->n_distinct);
    for (size_t begin = 0, end; begin < in->n; begin = end) {
        size_t n_distinct = 0;
        for (end = begin; end < in->n && in->events[end].cycle - in->events[begin].cycle <= WITHIN; end++) {
            bool is_new = true;
            for (size_t k = begin; k < end && is_new; k++)
                is_new = in->events[k].series != in->events[end].series;
            n_distinct += is_new;
        }
        for (size_t k = begin; k < end; k++)
            in->n_distinct[k] = n_distinct;
        in->n_extra += n_distinct - 1;
        if (n_distinct < 2)
            continue;
        in->n_instants++;
        in->n_together += end - begin;
        in->most = n_distinct > in->most ? n_distinct : in->most;
    }
}

/* All overflows of the thread were shared: its maximum is one of them, and others saw that the time passed. */
static bool all_shared(const struct instants *in, uint32_t series)
{
    size_t n = 0, least = in->n_threads > 2 ? 3 : 2;
    for (size_t i = 0; i < in->n; i++) {
        if (in->events[i].series != series)
            continue;
        n++;
        if (in->n_distinct[i] < least)
            return false;
    }
    return n > 0;
}

static void look_at_group(const struct store *store, uint32_t first, struct judged *judged, struct findings *out)
{
    struct instants in = {0};
    if (gather(store, first, &in)) {
        find_instants(&in);
        /* Independent events meet by chance: each pair with the chance that one falls near the other. */
        double mean = (double)in.n * (double)in.n / 2 * WITHIN / in.n_cycles, p = poisson_at_least(mean, in.n_extra);
        if (p < LEVEL && in.n_extra >= 2) {
            struct finding *finding = judged_finding(store, &judged[first], out, "simultaneous-maxima", "cycles", SEVERITY_WARNING, CONFIDENCE_LIKELY);
            finding_count(out, finding, "n_instants", in.n_instants);
            finding_count(out, finding, "n_series", in.most);
            finding_count(out, finding, "n_threads", in.n_threads);
            finding_count(out, finding, "n_together", in.n_together);
            finding_count(out, finding, "n_overflow", in.n);
            finding_number(out, finding, "p", p);
            const char *clock = run_tool_fact(store, store->series[first].run, "clock");
            bool may_be_set = clock && strcmp(clock, "realtime") == 0; /* a step of the clock is seen by all as well */
            for (uint32_t i = first, end = store_series_of_run(store, store->series[first].run).end; i < end && !may_be_set; i++)
                if (belongs(store, &store->series[first], i) && !judged[i].is_contradicted && all_shared(&in, i))
                    judged[i].is_confirmed = true;
        }
    }
    free(in.events);
    free(in.n_distinct);
}

void signs_of_coincidence(const struct store *store, struct judged *judged, size_t n, struct findings *out)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct series *s = &store->series[i];
        bool is_first = s->interval_ns != NS_UNKNOWN && s->tool;
        for (uint32_t k = store_series_of_run(store, s->run).begin; k < i && is_first; k++)
            is_first = !belongs(store, s, k);
        if (is_first)
            look_at_group(store, i, judged, out);
    }
}
