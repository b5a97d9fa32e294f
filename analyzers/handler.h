/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Handlers over a whole pass: how often and how long each interrupt line, vector, softirq and timer callback ran on
 * each CPU. What a handler usually costs decides whether one long run of it is its nature or a stall inside it; how
 * often it usually comes decides what a storm is. Constant memory: counts in bins that double their width as time
 * goes on.
 */
#ifndef ANALYZERS_HANDLER_H
#define ANALYZERS_HANDLER_H

#include "analyzers/thread.h"

#define HANDLER_BINS 2048
#define HANDLERS_MAX 2048

struct handler {
    int32_t cpu, kind, number; /* kind: enum open_kind; OPEN_NONE: an hrtimer callback */
    uint32_t name;             /* string id */
    uint32_t pass, order;      /* that met it first; of its meeting */
    int64_t first_ns;
    uint64_t n;
    int64_t total_ns, longest_ns;
    uint32_t durations[48];    /* by power of two ns */
    uint32_t *bins;            /* invocations per bin of handlers.bin_ns */
};
struct handlers {
    size_t n;                  /* in the order of their first events */
    struct handler *items;
    struct handler_cpu *cpus;
    size_t n_cpus;
    int64_t begin_ns, end_ns, bin_ns; /* bin_ns = 1 << bin_shift */
    unsigned bin_shift;
    uint32_t pass;
    uint32_t index[8192]; /* hash: position + 1; of no use after handlers_end() until the next pass */
};
void handlers_init(struct handlers *handlers);
/*
 * A pass: begin_ns is the time of its first event; the CPUs' stretches may come in any order, those of one CPU in the
 * order of time; end_ns that of its last event.
 */
void handlers_begin(struct handlers *handlers, int64_t begin_ns);
void handlers_apply(struct handlers *handlers, const struct event_view *view, size_t first, size_t end);
void handlers_end(struct handlers *handlers, int64_t end_ns);
void handlers_release(struct handlers *handlers);
const struct handler *handlers_find(const struct handlers *handlers, int32_t cpu, int32_t kind, int32_t number, uint32_t name);
/* How many of its invocations lasted at least that long (by powers of two: those surely longer). */
uint64_t handler_count_longer(const struct handler *handler, int64_t ns);

#endif
