/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which windows deserve an explanation: what the tools marked, else the worst wakeups of the first class of threads
 * that has any (docs/attribution.md, "Which instants"). One pass over the events of a run, constant memory; with marks in a large
 * trace only the neighbourhood of the marks is read.
 */
#ifndef ANALYZERS_SELECTION_H
#define ANALYZERS_SELECTION_H

#include "analyzers/analyzer.h"
#include "analyzers/handler.h"
#include "analyzers/sweep.h"

#define RESERVOIR 64
struct reservoir { /* a fair sample of a thread's activations */
    int32_t tid;
    uint32_t stream;
    uint64_t n_seen;
    size_t n;
    struct activation items[RESERVOIR];
};

/* Follow whatever --task names, else by class. */
enum thread_class { CLASS_NAMED, CLASS_TOOL, CLASS_TOOL_FAIR, CLASS_USER, CLASS_KERNEL, N_CLASSES };

struct window_heap { /* least at the root, so the worst remain */
    size_t n, capacity, limit;
    struct window *items;
};

struct selection {
    const struct store *store;
    const struct analysis_options *options;
    struct word_classes *words;
    uint32_t run, stream;
    struct window_heap heaps[N_CLASSES], blocked[N_CLASSES];
    size_t n_marks;
    struct mark {
        uint32_t claim, stream;
        int64_t latency_ns;
        struct activation a; /* the last activation of its thread before it */
    } *marks;
    size_t n_reservoirs, reservoirs_capacity;
    struct reservoir *reservoirs;
    struct handlers handlers;
    struct clock_doubt doubt; /* n 0: none */
    uint64_t n_events;       /* that the pass read */
    uint64_t random;
    uint64_t n_of_class[N_CLASSES]; /* wakeups of each */
    enum thread_class class; /* whose windows these are; N_CLASSES: claims and sections */
    bool is_whole;           /* the pass read all of the run */
    struct {                 /* the longest that --threshold left out; ns 0: none */
        int64_t ns;
        int32_t tid, cpu;
        const char *comm;
    } largest_below;
    /* The answer: worst first. */
    size_t n_windows, windows_capacity;
    struct window *windows;
};

/* Fills selection->windows for one run. Claims that have no events become windows without activation. */
enum status selection_make(struct selection *selection, const struct store *store,
                           const struct analysis_options *options, struct word_classes *words, uint32_t run,
                           struct error *error);
void selection_release(struct selection *selection);
/* The thread's ordinary activations; NULL: none were seen. */
const struct reservoir *selection_reservoir(const struct selection *selection, int32_t tid, uint32_t stream);

/* All unknown, and nobody's. */
void window_init(struct window *window);
struct window window_of_activation(const struct activation *activation, uint32_t run, uint32_t stream);

/* A long sleep that a lower thread ended: did that one hold something and could not run? (selection_blocked.c) */
enum status blocked_check(const struct store *store, struct window *window, bool *is_inversion, struct error *error);
/* When a mark's value was taken: its thread's return to user space, else the mark's own time. *switch_ns: its last switch
 * in before the mark, or NS_UNKNOWN. (selection_measured.c) */
int64_t mark_taken_ns(const struct store *store, uint32_t run, uint32_t stream, const struct claim *mark, int64_t *switch_ns);
/* Windows of sections and silences: the last class. (selection_sections.c) */
enum status selection_add_sections(struct selection *selection, struct error *error);

/* Whether --threshold lets a length through; if not, the longest such is kept. */
bool selection_is_long_enough(struct selection *selection, int64_t length_ns, int32_t tid, int32_t cpu, const char *comm);

/* Keeps it if it is among the longest that the heap has room for. */
void window_heap_offer(struct window_heap *heap, const struct window *window);

#endif
