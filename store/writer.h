/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing a run file: what importers call. Rows are copied; const char * members may die after the call.
 *
 * Few rows (runs, facts, series ...) are collected and written at the end; samples and events go out in chunks as they
 * come, so memory does not grow with the input. Not thread safe, except where said. Write errors are kept and reported
 * by store_writer_finish(), so that importers need not look at every call.
 */
#ifndef STORE_WRITER_H
#define STORE_WRITER_H

#include "base/error.h"
#include "store/events.h"
#include "store/rows.h"

struct store_writer;

/* path NULL: an unlinked temporary file ($TMPDIR). Else a temporary name beside path, renamed by finish. */
struct store_writer *store_writer_new(const char *path, struct error *error);
void store_writer_set_compression(struct store_writer *writer, bool compress); /* zstd for cold chunks; default off */

/* Each returns the new row's index in its table. */
uint32_t store_add_run(struct store_writer *writer, const struct run *run);
uint32_t store_add_artefact(struct store_writer *writer, const struct artefact *artefact);
void store_add_note(struct store_writer *writer, const struct note *note);
void store_add_fact(struct store_writer *writer, const struct fact *fact);
uint32_t store_add_series(struct store_writer *writer, const struct series *series);
void store_add_counter(struct store_writer *writer, const struct counter *counter);
void store_add_gap(struct store_writer *writer, const struct gap *gap);
void store_add_clock_pair(struct store_writer *writer, const struct clock_pair *pair);
void store_add_task(struct store_writer *writer, const struct task *task);
uint32_t store_add_stream(struct store_writer *writer, const struct stream *stream);
uint32_t store_add_claim(struct store_writer *writer, const struct claim *claim);

/* Rows that become known bit by bit: good until finish; strings put in must come from store_keep(). */
struct run *store_edit_run(struct store_writer *writer, uint32_t run);
struct artefact *store_edit_artefact(struct store_writer *writer, uint32_t artefact);
struct series *store_edit_series(struct store_writer *writer, uint32_t series);
struct stream *store_edit_stream(struct store_writer *writer, uint32_t stream);
struct claim *store_edit_claim(struct store_writer *writer, uint32_t claim);
struct fact *store_edit_fact(struct store_writer *writer, size_t index);
size_t store_count_runs(const struct store_writer *writer);
size_t store_count_series(const struct store_writer *writer);
size_t store_count_facts(const struct store_writer *writer);
size_t store_count_claims(const struct store_writer *writer);
size_t store_count_artefacts(const struct store_writer *writer);
const struct fact *store_peek_fact(const struct store_writer *writer, size_t index);
const char *store_keep(struct store_writer *writer, const char *text); /* a copy that lives as long as the writer */

/* A series' histogram: any order, equal edges are added up, zero counts dropped. May be called again to add more. */
void store_add_bins(struct store_writer *writer, uint32_t series, const struct bin *bins, size_t n);
/* Cycle numbers of its overflowing samples, in the order printed. */
void store_add_overflow_cycles(struct store_writer *writer, uint32_t series, const uint64_t *cycles, size_t n);

/* Samples, in the order measured. time_ns NS_UNKNOWN, cycle COUNT_UNKNOWN where the source has none. */
struct sample {
    int64_t time_ns; /* of the wakeup, in the artefact's clock */
    uint64_t cycle;  /* number of the sample, from 0 */
    int64_t latency_ns;
};
void store_add_sample(struct store_writer *writer, uint32_t series, const struct sample *sample);
/* Optional counters per sample ("cycles", "cache_misses" ...): name the columns before the first sample; values COUNT_UNKNOWN where missing. */
void store_set_sample_counters(struct store_writer *writer, uint32_t series, const char *const *names, size_t n);
void store_add_sample_counted(struct store_writer *writer, uint32_t series, const struct sample *sample,
                              const uint64_t *counters);

/*
 * Commits a batch as the next chunk of (stream, cpu) and clears it: local strings become global, the CPU's state is
 * carried along. Batches of one CPU must come in time order; equal inputs committed in equal order give equal bytes.
 */
void store_commit_events(struct store_writer *writer, uint32_t stream, int32_t cpu, struct event_batch *batch);

/* The same of columns that the importer has filled and packed itself (store/columns.h). */
struct event_columns;
void store_commit_columns(struct store_writer *writer, uint32_t stream, int32_t cpu, struct event_columns *columns);

/* For text importers: one batch per CPU of a stream, committed when full and by event_sink_free(). */
struct event_sink;
/* The caller frees it, before the writer is finished. */
struct event_sink *event_sink_new(struct store_writer *writer, uint32_t stream);
void event_sink_set_flags_known(struct event_sink *sink, uint32_t flags_known); /* for the events from here on */
struct event_batch *event_sink_batch(struct event_sink *sink, int32_t cpu);     /* with room for one more event */
void event_sink_free(struct event_sink *sink);

/*
 * Writes what is left, index and trailer; fsync and rename for a named file (store_writer_no_sync() leaves out the
 * fsync: benchmarks, temporary files). The writer is freed in any case. store_writer_finish_fd() returns an open
 * descriptor of the finished file, temporary or not, or -1.
 */
void store_writer_no_sync(struct store_writer *writer);
enum status store_writer_finish(struct store_writer *writer, struct error *error);
int store_writer_finish_fd(struct store_writer *writer, struct error *error);
void store_writer_abandon(struct store_writer *writer); /* nothing is left behind */

#endif
