/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the reader share. Private to store/. */
#ifndef STORE_STORE_PRIVATE_H
#define STORE_STORE_PRIVATE_H

#include "base/memory.h"
#include "store/cpu_state.h"
#include "store/layout.h"
#include "store/row_table.h"
#include "store/store.h"
#include "store/strings.h"

enum check_state { NOT_CHECKED = 0, CHECKED, DAMAGED };

/* A chunk that the file holds: place and header come from the index, or from a scan of a cut file. */
struct chunk {
    uint64_t offset;
    struct chunk_header header;
    enum check_state state;  /* of the payload's checksum and structure */
    const void *plain;       /* payload: in the map, or unpacked in the heap; NULL until asked for */
    void *view;              /* what was made of it at first use */
};

struct string_chunk {
    struct chunk *chunk;
    uint32_t first, n;
    const uint32_t *ends; /* NULL until first use */
    const char *bytes;
};

struct series_data {
    struct chunk *bins, *cycles;
    struct bin *decoded_bins;
    size_t n_samples, n_chunks, chunks_capacity;
    struct chunk **chunks;
    size_t n_counters;
    const char *const *counters;
};

/* An event chunk with narrow columns, widened. */
struct wide_chunk {
    struct event_view view; /* the chunk's view points here */
    struct cpu_state state;
    struct chunk *chunk;
    unsigned char *room;
    size_t capacity;
    unsigned n_pins; /* merges that stand in it */
    bool is_lent;    /* to store_event_view()'s caller */
    struct wide_chunk *newer, *older;
};

#define N_TOUCHED 1024u
struct touched {
    uint64_t offset, bytes;
};

struct store_private {
    char *name;
    const unsigned char *map;
    size_t size;
    int fd;       /* of the map; -1: it is the caller's */
    bool is_lent; /* the map is the caller's */
    void *aligned; /* a copy of lent bytes that were not */
    unsigned char *packed; /* the event chunk read last */
    size_t packed_capacity;
    struct arena arena;
    struct chunk *chunks;
    size_t n_chunks, chunks_capacity;

    struct string_chunk *string_chunks; /* by first id */
    size_t n_string_chunks;
    uint32_t n_strings; /* 0 included */
    struct string_set *found; /* of all strings, for store_find_string(); NULL until asked */
    uint32_t *found_ids;

    struct chunk **event_chunks; /* of store->event_chunks */
    struct series_data *series;
    const struct task **tasks_by_tid; /* by run, tid, order */
    const struct fact **facts_by_run;
    uint32_t *series_ends, *fact_ends; /* [n_runs]: behind the last of the run in store->series, in facts_by_run */
    size_t n_rows[N_TABLES];

    /* Spans in use, oldest first, in a ring: what is beyond the limit is given back (view.c). */
    struct touched touched[N_TOUCHED];
    size_t first_touched, n_touched;
    uint64_t touched_bytes;

    /* Widened chunks, by last use. */
    struct wide_chunk *newest, *oldest;
    size_t n_wide, n_pinned, wide_bytes;

    struct gap *more_gaps; /* of a cut file: what is missing */
    size_t n_more_gaps, more_gaps_capacity;
};

/* Checks the checksum once and unpacks; NULL: damaged, *error says where. */
const void *chunk_payload(struct store *store, struct chunk *chunk, struct error *error);
enum status chunk_damaged(const struct store *store, const struct chunk *chunk, const char *what, struct error *error);
/* Keeps resident memory bounded: the pages of the chunk are in use now, those used longest ago may go. */
void chunk_touch(struct store *store, const struct chunk *chunk);

/* reader_rows.c */
enum status reader_decode_rows(struct store *store, struct chunk *const tables[N_TABLES], struct error *error);
/* reader_events.c */
enum status reader_add_event_chunks(struct store *store, struct error *error);
/* Good until the next call unless pinned. */
enum view_use { VIEW_LOOK, VIEW_LEND, VIEW_PIN };
const struct event_view *reader_event_view(struct store *store, size_t index, enum view_use use, struct error *error);
/* reader_columns.c */
const struct event_view *reader_wide_view(struct store *store, struct chunk *chunk, const unsigned char *payload, const char **fault);
/* The times alone, for header.n of them; what is wrong with them, or NULL. */
const char *reader_wide_times(struct store *store, const struct chunk *chunk, const unsigned char *payload, int64_t *time_ns);
void reader_use_view(struct store *store, struct chunk *chunk, bool is_lent, bool is_pinned);
void reader_unpin_view(struct store *store, struct chunk *chunk, bool is_passed);
void reader_release_views(struct store *store);
/* reader_samples.c */
enum status reader_add_sample_chunks(struct store *store, const uint32_t *series_rank, struct error *error);
/* reader_strings.c */
enum status reader_add_string_chunks(struct store *store, struct error *error);

#endif
