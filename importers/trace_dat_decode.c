/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hot loop of the trace.dat import: pages to records. Per record one look-up by event id, and one bounds check against
 * the size that all its fields need; what is in them is read later, a chunk at a time (trace_dat_columns.c).
 */
#include "importers/trace_dat_decode.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

struct trace_worker *trace_worker_new(const struct trace_formats *formats, const struct trace_file *file)
{
    struct trace_worker *worker = memory_new(sizeof *worker);
    worker->formats = formats;
    worker->layout = (struct page_layout){formats->big, formats->commit_size, formats->page_data_offset};
    worker->tsc_mult = file->has_tsc ? file->tsc_mult : 0;
    worker->tsc_shift = file->tsc_shift;
    worker->offset_ns = file->offset_ns;
    worker->uses = memory_new(formats->n_decoders * sizeof *worker->uses);
    for (size_t i = 0; i < formats->n_decoders; i++)
        worker->uses[i].min_size = formats->decoders[i].min_size;
    worker->used = memory_new(formats->n_decoders * sizeof *worker->used);
    worker->atoms = memory_resize(NULL, formats->n_atoms + 1, sizeof *worker->atoms);
    memset(worker->atoms, 0, (formats->n_atoms + 1) * sizeof *worker->atoms);
    return worker;
}

void trace_worker_free(struct trace_worker *worker)
{
    if (!worker)
        return;
    ZSTD_freeDCtx(worker->zstd);
    for (size_t i = 0; i < worker->formats->n_decoders; i++)
        free(worker->uses[i].places);
    free(worker->unpacked);
    free(worker->rows);
    free(worker->unordered);
    free(worker->atoms);
    free(worker->uses);
    free(worker->used);
    free(worker);
}

struct trace_batch *trace_batch_new(void)
{
    struct trace_batch *batch = memory_new(sizeof *batch);
    batch->columns = event_columns_new();
    batch->columns->time_ns = batch->time_ns;
    batch->columns->tid = batch->tid;
    batch->columns->flags = batch->flags;
    return batch;
}

void trace_batch_free(struct trace_batch *batch)
{
    if (batch)
        event_columns_free(batch->columns);
    free(batch);
}

void trace_result_release(struct trace_result *result)
{
    free(result->batches);
    free(result->gaps);
    *result = (struct trace_result){0};
}

/* ---- pages ---- */

static struct trace_batch *next_batch(struct trace_worker *worker)
{
    struct trace_result *result = worker->result;
    trace_worker_finish(worker);
    worker->batch = worker->take_batch(worker->take_context);
    worker->batch->n = worker->batch->columns->n = 0;
    worker->generation++;
    memory_reserve(result->batches, result->batches_capacity, result->n_batches + 1);
    result->batches[result->n_batches++] = worker->batch;
    return worker->batch;
}

static inline int64_t stamp_ns(const struct trace_worker *worker, uint64_t time)
{
    if (worker->tsc_mult)
        time = (uint64_t)((unsigned __int128)time * worker->tsc_mult >> worker->tsc_shift);
    return (int64_t)(time + (uint64_t)worker->offset_ns);
}

/* The walk leaves the stamps as the pages have them, which most often is what they are. */
static void make_stamps(const struct trace_worker *worker, struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->n && (worker->tsc_mult || worker->offset_ns); i++)
        batch->time_ns[i] = stamp_ns(worker, (uint64_t)batch->time_ns[i]);
}

void trace_worker_finish(struct trace_worker *worker)
{
    if (worker->batch && worker->batch->n) {
        make_stamps(worker, worker->batch);
        worker_fill_columns(worker);
    }
    worker->batch = NULL;
}

static __attribute__((noinline)) void begin_gap(struct trace_worker *worker, uint64_t n_lost, bool is_damage)
{
    struct trace_result *result = worker->result;
    memory_reserve(result->gaps, result->gaps_capacity, result->n_gaps + 1);
    result->gaps[result->n_gaps++] = (struct trace_gap){result->last_ns, NS_UNKNOWN, n_lost, is_damage};
    result->gap_is_open = true;
}

static void end_gap(struct trace_result *result, int64_t time_ns)
{
    if (result->gap_is_open)
        result->gaps[result->n_gaps - 1].end_ns = time_ns;
    result->gap_is_open = false;
}

#define PREFETCH_AHEAD 4096

enum walk_layout {
    WALK_USUAL, /* little endian: u16 type, u8 flags, u8 preempt count, s32 tid */
    WALK_LITTLE,
    WALK_BIG
};

static __attribute__((noinline)) void extend_places(struct trace_worker *worker, unsigned number)
{
    struct decoder_use *use = &worker->uses[number];
    if (use->n == 0)
        worker->used[worker->n_used++] = (uint16_t)number;
    memory_reserve(use->places, use->capacity, use->n + 64);
    use->limit = (uint32_t)use->capacity;
}

/* The batch for the next event, which is the first of all, or behind a gap, or one more than a batch holds. */
static __attribute__((noinline)) struct trace_batch *turn(struct trace_worker *worker, size_t n, uint64_t time)
{
    if (worker->batch)
        worker->batch->n = n;
    end_gap(worker->result, stamp_ns(worker, time));
    return worker->batch && n < EVENTS_PER_CHUNK ? worker->batch : next_batch(worker);
}

/* Of a record, its task and flags. */
struct common {
    uint32_t tid, flags;
};

/* Fields that lie as in all kernels of today come with one load; with the constant places, 4 % of an import on one core. */
static inline __attribute__((always_inline)) struct common common_of(const struct trace_formats *formats,
                                                                     const unsigned char *bytes, const enum walk_layout layout)
{
    struct common common;
    if (layout == WALK_USUAL) {
        uint64_t word = read_le64(bytes);
        common.tid = (uint32_t)(word >> 32);
        common.flags = formats->flag_bits[word >> 16 & 0xff] | formats->depth_bits[word >> 24 & 0xff];
    } else {
        common.tid = page_load32(bytes + formats->tid_offset, layout == WALK_BIG);
        common.flags = formats->flag_bits[bytes[formats->flags_offset]] | formats->depth_bits[bytes[formats->depth_offset]];
        if (formats->migrate_offset)
            common.flags |= (uint32_t)bytes[formats->migrate_offset] << 24;
    }
    if (common.tid >= TRACE_TID_BITS || !(formats->tid_has_name[common.tid / 8] >> common.tid % 8 & 1))
        common.flags |= FLAG_TASK_UNKNOWN;
    return common;
}

static inline __attribute__((always_inline)) void walk_page(struct trace_worker *worker, const unsigned char *page,
                                                            size_t size, uint64_t offset, const enum walk_layout layout)
{
    const bool big = layout == WALK_BIG;
    const struct trace_formats *formats = worker->formats;
    struct trace_result *result = worker->result;
    struct decoder_use *uses = worker->uses;
    const unsigned char *base = worker->base;
    struct page_cursor cursor;
    struct page_record record;
    if (!page_begin(&cursor, &worker->layout, page, size)) {
        result->n_damaged_pages++;
        return;
    }
    if (cursor.has_lost)
        begin_gap(worker, cursor.n_lost, false);
    struct trace_batch *batch = worker->batch;
    size_t n = batch ? batch->n : 0, limit = batch && !result->gap_is_open ? EVENTS_PER_CHUNK : n;
    while (page_next(&cursor, big, &record)) {
        /* Hardware prefetchers stop at a page's end; the walk of the next page would begin with a wait. */
        __builtin_prefetch(record.bytes + PREFETCH_AHEAD, 0, 2);
        unsigned number = formats->decoder_of[page_load16(record.bytes, big)];
        struct decoder_use *use = &uses[number];
        if (__builtin_expect(record.size < use->min_size, 0)) {
            result->n_damaged_records++;
            continue;
        }
        if (__builtin_expect(n == limit, 0)) {
            batch = turn(worker, n, cursor.time);
            n = batch->n;
            limit = EVENTS_PER_CHUNK;
        }
        struct common common = common_of(formats, record.bytes, layout);
        batch->time_ns[n] = (int64_t)cursor.time;
        batch->tid[n] = (int32_t)common.tid;
        batch->flags[n] = common.flags;
        worker->decoders[n] = (uint16_t)number;
        n++;
        if (__builtin_expect(use->n == use->limit, 0))
            extend_places(worker, number);
        use->places[use->n++] = (struct record_place){(uint32_t)(record.bytes - base), record.size};
    }
    if (batch) {
        batch->n = n;
        /* Times that fall are raised and noted by the store's writer. */
        result->last_ns = stamp_ns(worker, (uint64_t)batch->time_ns[n - 1]);
    }
    if (__builtin_expect(cursor.is_damaged, 0)) {
        result->n_damaged_pages++;
        if (!result->first_damage)
            result->first_damage = offset;
    }
}

/* One loop for each layout of the common fields: what is a constant in it costs nothing per record. */
#define WALK(name, layout)                                                                                        \
    static void name(struct trace_worker *worker, const unsigned char *bytes, size_t size, uint32_t page_size,      \
                     uint64_t offset)                                                                               \
    {                                                                                                               \
        for (size_t at = 0; at < size; at += page_size)                                                             \
            walk_page(worker, bytes + at, size - at < page_size ? size - at : page_size, offset + at, layout);      \
    }
WALK(walk_usual, WALK_USUAL)
WALK(walk_little, WALK_LITTLE)
WALK(walk_big, WALK_BIG)

static void walk_pages(struct trace_worker *worker, const unsigned char *bytes, size_t size, uint32_t page_size, uint64_t offset)
{
    const struct trace_formats *formats = worker->formats;
    bool is_usual = formats->flags_offset == 2 && formats->depth_offset == 3 && formats->tid_offset == 4 &&
                    !formats->migrate_offset && formats->common_size >= 8;
    (formats->big ? walk_big : is_usual ? walk_usual : walk_little)(worker, bytes, size, page_size, offset);
}

void trace_worker_pages(struct trace_worker *worker, const unsigned char *bytes, size_t size, uint32_t page_size,
                        uint64_t offset)
{
    trace_worker_finish(worker);
    worker->base = bytes;
    walk_pages(worker, bytes, size, page_size, offset);
}

#define MAX_CHUNK_BYTES (128u << 20)

/* How many bytes the chunks unpack to, without those that are too large to be true. */
static size_t unpacked_bytes(struct cursor cursor, size_t n_chunks)
{
    size_t n = 0;
    for (size_t i = 0; i < n_chunks && !cursor.failed; i++) {
        uint32_t packed = cursor_u32(&cursor), unpacked = cursor_u32(&cursor);
        cursor_span(&cursor, packed);
        n += cursor.failed || unpacked > MAX_CHUNK_BYTES ? 0 : unpacked;
    }
    return n;
}

void trace_worker_chunks(struct trace_worker *worker, struct span chunks, size_t n_chunks, uint32_t page_size,
                         enum trace_compression compression, uint64_t offset)
{
    struct cursor cursor = cursor_of(chunks, worker->layout.big);
    size_t used = 0;
    trace_worker_finish(worker); /* records of other chunks lie in the same buffer */
    memory_reserve(worker->unpacked, worker->unpacked_capacity, unpacked_bytes(cursor, n_chunks) + 1);
    worker->base = worker->unpacked;
    for (size_t i = 0; i < n_chunks; i++) {
        uint64_t at = offset + (uint64_t)(cursor.p - chunks.bytes);
        uint32_t packed = cursor_u32(&cursor), unpacked = cursor_u32(&cursor);
        struct span from = cursor_span(&cursor, packed);
        unsigned char *to = worker->unpacked + used;
        size_t made = SIZE_MAX;
        if (!cursor.failed && unpacked <= MAX_CHUNK_BYTES) {
            if (compression == TRACE_ZSTD) {
                worker->zstd = worker->zstd ? worker->zstd : ZSTD_createDCtx();
                made = ZSTD_decompressDCtx(worker->zstd, to, unpacked, from.bytes, from.size);
                made = ZSTD_isError(made) ? SIZE_MAX : made;
            } else {
                made = trace_unpack(compression, to, unpacked, from);
            }
            used += unpacked;
        }
        if (made == SIZE_MAX) {
            /* What was in there is lost: a gap like any other. */
            begin_gap(worker, UINT64_MAX, true);
            worker->result->n_unpack_errors++;
            if (!worker->result->first_damage)
                worker->result->first_damage = at;
            if (cursor.failed)
                return;
            continue;
        }
        walk_pages(worker, to, made, page_size, at);
    }
}
