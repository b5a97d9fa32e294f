/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jitterdebugger's threads and records, shared by the readers of its text, of its raw records and of HDF5. */
#ifndef IMPORTERS_JITTERDEBUGGER_H
#define IMPORTERS_JITTERDEBUGGER_H

#include "importers/importer.h"

#define JITTER_MAX_THREADS 4096

struct jitter_thread {
    bool is_open;
    uint32_t series; /* ROW_NONE: its samples were read from another file */
    uint64_t n;
    int64_t min_ns, max_ns;
    double sum_ns;
};

/* The thread's series, made or found in the run; ROW_NONE if it has samples already. */
uint32_t jitterdebugger_series(struct import *import, uint32_t thread, int64_t unit_ns);
void jitterdebugger_sample(struct import *import, struct jitter_thread *thread, int64_t time_ns, int64_t latency_ns);
/* Fills in what the samples say, unless results.json has said it. */
void jitterdebugger_finish(struct import *import, const struct jitter_thread *thread);
/* 1 or 1000: the resolution in the results.json beside this member; us assumed, with a note, without it. */
int64_t jitterdebugger_unit(struct import *import, uint64_t line);

/* ---- binary records: samples.raw, and the rows of samples.hdf5 ---- */

#define JITTER_RECORD_BYTES 28 /* of 64-bit machines */

struct jitter_record {
    uint32_t thread;
    int64_t time_ns;
    int64_t value; /* in the run's unit */
};
/* False: the bytes cannot be a record. */
bool jitter_read_record(const unsigned char *p, size_t record_bytes, struct jitter_record *record);

/* Records into the series of their threads. */
struct jitter_reader {
    struct import *import;
    int64_t unit_ns;
    size_t n_bad;
    struct jitter_thread *threads;
};
void jitter_reader_init(struct jitter_reader *reader, struct import *import);
void jitter_reader_add(struct jitter_reader *reader, const unsigned char *bytes, size_t record_bytes, size_t offset);
/* Fills in the series and releases the reader; PARTIAL if records were left out. */
enum status jitter_reader_finish(struct jitter_reader *reader);

#endif
