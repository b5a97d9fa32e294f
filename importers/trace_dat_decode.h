/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker turns pages into batches of events. It shares nothing with other workers but what is read only
 * (struct trace_formats, the mapped file), so any number may run at once.
 */
#ifndef IMPORTERS_TRACE_DAT_DECODE_H
#define IMPORTERS_TRACE_DAT_DECODE_H

#include "importers/trace_dat_formats.h"
#include "importers/trace_dat_page.h"
#include "store/columns.h"

/* A span without events, found by its mark in a page. */
struct trace_gap {
    int64_t begin_ns, end_ns; /* begin NS_UNKNOWN: before the first event of this result; end: not reached yet */
    uint64_t n_lost;
    bool is_damage; /* of the file, not of the recording */
};

/* A chunk of events: what all have, while records are walked; then their columns. */
struct trace_batch {
    size_t n;
    int64_t time_ns[EVENTS_PER_CHUNK];
    int32_t tid[EVENTS_PER_CHUNK];
    uint32_t flags[EVENTS_PER_CHUNK];
    struct event_columns *columns;
};
struct trace_batch *trace_batch_new(void);
void trace_batch_free(struct trace_batch *batch);

/* What one work item gave. */
struct trace_result {
    size_t n_batches, batches_capacity;
    struct trace_batch **batches;
    size_t n_gaps, gaps_capacity;
    struct trace_gap *gaps;
    bool gap_is_open;   /* the last gap has no end yet */
    int64_t last_ns;    /* of the last event; NS_UNKNOWN: none */
    uint64_t n_damaged_pages, n_damaged_records, n_unknown_ids, n_texts_dropped, n_unpack_errors;
    uint64_t first_damage; /* file offset of the first damaged page; 0: none */
};

struct comm_entry {
    uint64_t low, high; /* the 16 bytes */
    uint32_t id, generation;
};
struct symbol_entry {
    uint64_t address;
    uint32_t id, generation;
};
#define COMM_CACHE_BITS   10
#define SYMBOL_CACHE_BITS 12

/* Where a record lies, from the worker's base; half as large as a struct page_record. */
struct record_place {
    uint32_t at, size;
};

struct trace_worker {
    const struct trace_formats *formats;
    struct page_layout layout;
    uint32_t tsc_mult, tsc_shift; /* mult 0: stamps are taken as they are */
    int64_t offset_ns;
    struct trace_result *result;
    struct trace_batch *batch;    /* being filled: the result's last */
    struct trace_batch *(*take_batch)(void *context); /* one from the pool */
    void *take_context;
    const unsigned char *base;    /* what places count from: the item's bytes, mapped or unpacked */
    uint16_t decoders[EVENTS_PER_CHUNK]; /* of the batch's events: the number of the record's decoder */
    struct decoder_use {
        struct record_place *places; /* of the batch's records that it decodes */
        uint32_t n, limit;           /* at the limit the walk does what is rare: the first one, or no room */
        size_t capacity;
        uint32_t min_size;           /* the decoder's */
        uint32_t next;               /* while columns are filled: a row of its kind, or a place */
        uint8_t slot;                /* of its kind */
    } *uses;                      /* by decoder */
    uint16_t *used;               /* decoders that the batch needs, in the order of first use */
    size_t n_used;
    uint32_t generation;          /* of the batch: cached string ids of others do not count */
    struct comm_entry comms[1 << COMM_CACHE_BITS];
    struct symbol_entry symbols[1 << SYMBOL_CACHE_BITS];
    struct {
        uint32_t id, generation;
    } *atoms;
    uint64_t *text_budget;        /* bytes that texts of unknown events may still take; shared, atomic */
    unsigned char *unpacked;
    size_t unpacked_capacity;
    uint32_t *rows, *unordered;   /* while decoders that share a kind are brought into one order */
    size_t rows_capacity, unordered_capacity;
    void *zstd;
};

/* One worker per thread; formats and file are loans, shared by all. */
struct trace_worker *trace_worker_new(const struct trace_formats *formats, const struct trace_file *file);
void trace_worker_free(struct trace_worker *worker);
/* Walks pages of page_size bytes; the last may be cut. offset is that of bytes in the file, for notes. Then finish. */
void trace_worker_pages(struct trace_worker *worker, const unsigned char *bytes, size_t size, uint32_t page_size,
                        uint64_t offset);
/* Unpacks n_chunks chunks (u32 packed, u32 unpacked, bytes) and walks their pages. */
void trace_worker_chunks(struct trace_worker *worker, struct span chunks, size_t n_chunks, uint32_t page_size,
                         enum trace_compression compression, uint64_t offset);
/* Makes columns of the records walked so far; the pages must be there until then. */
void trace_worker_finish(struct trace_worker *worker);
void trace_result_release(struct trace_result *result);

/* ---- between the decoder's files ---- */

static inline struct page_record worker_record(const struct trace_worker *worker, struct record_place place)
{
    return (struct page_record){worker->base + place.at, place.size};
}

/* trace_dat_columns.c: fills and packs the columns of the batch. */
void worker_fill_columns(struct trace_worker *worker);

/* Strings as indices into the batch's dictionary; the slow halves of the two below fill a cache's entry. */
uint32_t worker_text(struct trace_worker *worker, const char *text, size_t length);
void worker_fill_symbol(struct trace_worker *worker, struct symbol_entry *entry, uint64_t address);
void worker_fill_atom(struct trace_worker *worker, uint32_t atom);

static inline uint32_t worker_atom(struct trace_worker *worker, uint32_t atom)
{
    if (__builtin_expect(worker->atoms[atom].generation != worker->generation, 0))
        worker_fill_atom(worker, atom);
    return worker->atoms[atom].id;
}

static inline uint32_t worker_symbol(struct trace_worker *worker, uint64_t address)
{
    struct symbol_entry *entry = &worker->symbols[address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SYMBOL_CACHE_BITS)];
    if (__builtin_expect(entry->address != address || entry->generation != worker->generation, 0))
        worker_fill_symbol(worker, entry, address);
    return entry->id;
}

/* Fills a row of a special event's kind, beyond what the steps do. */
void worker_special(struct trace_worker *worker, const struct trace_decoder *decoder, struct page_record record,
                    struct kind_columns *columns, size_t row);
/* Appends a stack's frames to the list of its kind. */
uint32_t worker_stack(struct trace_worker *worker, const struct trace_decoder *decoder, struct page_record record);
/* "%d %s" with the binary arguments of trace_bprintk(). */
size_t trace_bprint_format(const struct trace_formats *formats, const char *fmt, const unsigned char *arguments,
                           size_t size, char *text, size_t capacity);
/* " name=value" of every field. */
size_t trace_fields_format(const struct trace_formats *formats, const struct trace_decoder *decoder,
                           struct page_record record, char *text, size_t capacity);

#endif
