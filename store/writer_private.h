/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the writer share. Private to store/. */
#ifndef STORE_WRITER_PRIVATE_H
#define STORE_WRITER_PRIVATE_H

#include "base/memory.h"
#include "store/columns.h"
#include "store/cpu_state.h"
#include "store/output.h"
#include "store/row_table.h"
#include "store/strings.h"
#include "store/writer.h"

/* Rows that never move, because importers hold pointers to them. */
#define POOL_BLOCK 64u
struct pool {
    char **blocks;
    size_t n, n_blocks, blocks_capacity;
};
void *pool_add(struct pool *pool, size_t row_size, const void *row);
static inline void *pool_get(const struct pool *pool, size_t row_size, size_t i)
{
    return pool->blocks[i / POOL_BLOCK] + i % POOL_BLOCK * row_size;
}
void pool_release(struct pool *pool);

/* What is kept of a CPU of a stream between two of its chunks. */
struct cpu_writer {
    struct cpu_state state;
    int64_t last_ns;
    uint64_t n_raised;  /* events whose time was raised to that of the one before */
    uint64_t n_limited; /* events whose time lay beyond NS_LIMIT */
    bool is_used;
};

struct stream_writer {
    struct cpu_writer *cpus; /* [cpu + 1] */
    size_t cpus_capacity;
};

#define SAMPLES_PER_CHUNK 16384u
struct series_writer {
    struct bin *bins;
    size_t n_bins, bins_capacity;
    bool bins_is_new;      /* some came since the last chunk of them */
    size_t bins_chunk;     /* its number + 1; 0 none */
    uint64_t *cycles;      /* of overflows */
    size_t n_cycles, cycles_capacity, n_cycles_written, cycles_chunk;

    size_t n_samples, samples_capacity; /* pending */
    int64_t *latency_ns;
    int64_t *time_ns;      /* NULL until one has a time */
    uint64_t *cycle;       /* NULL while cycles follow from first_cycle */
    uint64_t first_cycle;
    bool has_time, has_cycle; /* of the pending ones */
    size_t n_counters;
    uint64_t **counters;
};

struct store_writer {
    struct output output;
    struct arena arena; /* strings of rows, lists of claims */
    struct pool tables[N_TABLES];
    struct stream_writer *streams;
    struct series_writer *series;
    size_t streams_capacity, series_capacity;
    uint64_t serial; /* tells writers apart, for the ids that a batch remembers */
    bool no_sync;
    struct event_columns *columns; /* of the batch being committed; NULL until there is one */
    uint32_t *where;
    size_t where_capacity;

    /* Strings: those that are remembered, and those that no chunk has yet. */
    struct string_set *known;
    uint32_t *known_ids; /* run file's id of known string i + 1 */
    size_t n_known, known_ids_capacity;
    uint32_t n_strings;  /* ids given out, 0 included */
    uint32_t n_strings_written;
    char *pending;       /* bytes of the strings not yet written */
    size_t n_pending, pending_capacity;
    uint32_t *pending_ends;
    size_t pending_ends_capacity;

    /* Snapshots of the rows, see writer_rows.c. */
    int64_t generation;
    uint64_t next_snapshot; /* offset from which one is due */
    uint64_t next_listing;  /* the same for a row that no table holds yet */
    size_t table_chunk[N_TABLES]; /* number + 1 of the last chunk */
    uint32_t table_crc[N_TABLES];
    size_t table_bytes[N_TABLES];
    size_t table_rows[N_TABLES];
};

uint32_t writer_string(struct store_writer *writer, const char *string, size_t length); /* NULL: 0 */
void writer_flush_strings(struct store_writer *writer);
/* Called before a chunk of samples or events: writes the rows if it is time to, or if the row that it belongs to is new. */
void writer_snapshot_if_due(struct store_writer *writer, enum row_table_id table, uint32_t row);
void writer_write_rows(struct store_writer *writer);
void writer_flush_samples(struct store_writer *writer, uint32_t series);
void writer_release_samples(struct series_writer *series);
/* What the CPU's first chunk will say it was before. */
void writer_set_cpu_state(struct store_writer *writer, uint32_t stream, int32_t cpu, const struct cpu_state *state);
void writer_note_order(struct store_writer *writer);

#endif
