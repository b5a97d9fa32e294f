/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a run file: what analyzers and reports call. Opened files are mapped; tables of few rows are decoded at open
 * into arrays, samples and events stay in the map. Structure is checked at open, a chunk's CRC, ids and indices before
 * its first use. Everything returned is a loan from the store.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/error.h"
#include "store/events.h"
#include "store/rows.h"

struct store_private;

struct store {
    size_t n_runs, n_artefacts, n_notes, n_facts, n_series, n_counters, n_gaps, n_clock_pairs, n_tasks, n_streams,
        n_claims, n_event_chunks;
    const struct run *runs;
    const struct artefact *artefacts;
    const struct note *notes;
    const struct fact *facts;
    const struct series *series; /* grouped by run, in the order found */
    const struct counter *counters;
    const struct gap *gaps;      /* by run, stream, begin */
    const struct clock_pair *clock_pairs;
    const struct task *tasks;
    const struct stream *streams;
    const struct claim *claims;
    const struct event_chunk *event_chunks; /* by run, stream, cpu, time */
    uint64_t n_events;
    bool is_recovered;           /* the file was cut; what is missing is in `recovery`, and in gaps */
    const char *recovery;
    struct store_private *private;
};

/*
 * NULL (ERROR_INPUT): not a run file, of a newer major version, or nothing of it is whole. A file that is cut opens with
 * what is whole before the cut (is_recovered). name: what errors call it.
 */
struct store *store_open(const char *path, struct error *error);
struct store *store_open_fd(int fd, const char *name, struct error *error); /* takes the descriptor */
/* Bytes that the caller keeps mapped until the store is closed (a member of an archive). */
struct store *store_open_bytes(const void *bytes, size_t size, const char *name, struct error *error);
void store_close(struct store *store);
/* True if the bytes begin as a run file does (any version). */
bool store_is_run_file(const void *bytes, size_t size);
bool store_path_is_run_file(const char *path); /* a regular file that begins so: store_open() it, import nothing */

/* A run's series: [begin, end) of store->series; of no such run, none. */
struct row_range {
    uint32_t begin, end;
};
struct row_range store_series_of_run(const struct store *store, uint32_t run);
/* A run's facts, in their order: *n of them; of no such run, none. */
const struct fact *const *store_facts_of_run(const struct store *store, uint32_t run, size_t *n);

const char *store_string(const struct store *store, uint32_t id); /* NULL for 0; "?" for an id out of range */
size_t store_count_strings(const struct store *store);
uint32_t store_find_string(const struct store *store, const char *string); /* 0: not there */

/* A series' histogram, sorted by edge; *n 0 when it has none. Overflows are not in it. */
const struct bin *store_bins(const struct store *store, uint32_t series, size_t *n);
const uint64_t *store_overflow_cycles(const struct store *store, uint32_t series, size_t *n);

/* Samples of a series, chunk by chunk. */
struct sample_view {
    size_t n;
    const int64_t *time_ns;    /* NULL: no times */
    const uint64_t *cycle;     /* NULL: then cycle i of the chunk is first_cycle + i, or unknown */
    uint64_t first_cycle;      /* COUNT_UNKNOWN: unknown */
    const int64_t *latency_ns; /* never NULL; NULL pointers below mean narrower storage, already widened by the reader */
    size_t n_counters;
    const uint64_t *const *counters;
};
size_t store_count_samples(const struct store *store, uint32_t series);
size_t store_count_sample_chunks(const struct store *store, uint32_t series);
enum status store_sample_chunk(const struct store *store, uint32_t series, size_t chunk, struct sample_view *view,
                               struct error *error);
const char *const *store_sample_counters(const struct store *store, uint32_t series, size_t *n);

/*
 * Maps, widens and checks one chunk (CRC once; kinds, args and string ids in range). The columns are good until 16 other
 * chunks have been asked for this way; those that a merge delivers, until its next event.
 */
enum status store_event_view(const struct store *store, size_t chunk, struct event_view *view, struct error *error);
/* The times alone, into the caller's room for event_chunks[chunk].n of them: a tenth of what a view costs. */
enum status store_event_times(const struct store *store, size_t chunk, int64_t *time_ns, struct error *error);

/* The first fact of that key in a run, or NULL. */
const struct fact *store_fact(const struct store *store, uint32_t run, const char *key);
/* Name of a tid from tables of names (saved_cmdlines), or NULL. */
const char *store_task_comm(const struct store *store, uint32_t run, int32_t tid);

/*
 * All events of a run (or of one stream: stream != ROW_NONE) from begin_ns to end_ns inclusive, over all CPUs in time
 * order (ties: by CPU, then position). Starts at the chunks that hold begin_ns; the CPUs' states before the first event
 * delivered are exact, because each chunk carries its own: event_merge_state().
 */
struct event_ref {
    const struct event_view *view;
    uint32_t chunk; /* index in store->event_chunks */
    uint32_t i;     /* position in the view */
    int32_t cpu;
    uint16_t kind, flags; /* of the event: its flags below FLAG_PREEMPT_DEPTH */
};
struct event_merge;
struct event_merge *event_merge_new(const struct store *store, uint32_t run, uint32_t stream, int64_t begin_ns,
                                    int64_t end_ns, struct error *error);
bool event_merge_next(struct event_merge *merge, struct event_ref *ref); /* false: at the end, or failed */
/* Up to n of them at once; 0: at the end, or failed. Their views are good until the next call. */
size_t event_merge_take(struct event_merge *merge, struct event_ref *refs, size_t n);
/*
 * For what does not need the CPUs' events in one order: called for every stretch of a view that the merge delivers, when
 * it comes to it, those of one CPU in the order of time.
 */
typedef void event_stretch_handler(void *context, const struct event_view *view, size_t first, size_t end);
void event_merge_each_stretch(struct event_merge *merge, event_stretch_handler *handler, void *context);
int64_t event_merge_time_ns(const struct event_merge *merge); /* of the next event; NS_UNKNOWN: there is none */
enum status event_merge_status(const struct event_merge *merge);         /* FAILED: a damaged chunk; error was filled */
/* The state of a CPU just before the merge's begin_ns; NULL if that CPU has no chunk. */
const struct cpu_state *event_merge_state(const struct event_merge *merge, int32_t cpu);
void event_merge_free(struct event_merge *merge);
static inline int64_t event_time_ns(const struct event_ref *ref)
{
    return ref->view->time_ns[ref->i];
}
static inline const uint32_t *event_words(const struct event_ref *ref)
{
    return ref->view->words + ref->view->arg[ref->i];
}
/* The argument words that an event has (matters for kinds with a list). */
size_t event_n_words(const struct event_view *view, size_t i);
/* "sched_switch: prev_comm=... ==> ..." in the kernel's words, into a text of at most size bytes. */
void event_format(const struct store *store, const struct event_view *view, size_t i, char *text, size_t size);

#endif
