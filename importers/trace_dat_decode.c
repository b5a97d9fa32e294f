/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hot loop of the trace.dat import: pages to columns.
 *
 * Per record: one look-up by event id, one bounds check against the size that all its fields need, then the steps that
 * trace_dat_bind.c made from the format. Strings go through caches (16 raw bytes of a comm, an address), so that the
 * batch's string table is asked once per batch and string.
 */
#include "importers/trace_dat_decode.h"

#include <stdio.h>
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
    worker->atoms = memory_resize(NULL, formats->n_atoms + 1, sizeof *worker->atoms);
    memset(worker->atoms, 0, (formats->n_atoms + 1) * sizeof *worker->atoms);
    return worker;
}

void trace_worker_free(struct trace_worker *worker)
{
    if (!worker)
        return;
    ZSTD_freeDCtx(worker->zstd);
    free(worker->unpacked);
    free(worker->atoms);
    free(worker);
}

void trace_result_release(struct trace_result *result)
{
    free(result->batches);
    free(result->gaps);
    *result = (struct trace_result){0};
}

/* ---- strings ---- */

void worker_put_string(struct trace_worker *worker, size_t word, const char *text, size_t length)
{
    worker_put_id(worker, word, event_batch_intern(worker->batch, text, length));
}

void worker_fill_atom(struct trace_worker *worker, uint32_t atom)
{
    const char *text = worker->formats->atoms[atom];
    worker->atoms[atom].id = event_batch_intern(worker->batch, text, strlen(text));
    worker->atoms[atom].generation = worker->generation;
}

static inline void put_comm(struct trace_worker *worker, size_t word, const unsigned char *bytes)
{
    uint64_t low, high;
    memcpy(&low, bytes, 8);
    memcpy(&high, bytes + 8, 8);
    uint64_t hash = (low ^ high * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    struct comm_entry *entry = &worker->comms[hash >> (64 - COMM_CACHE_BITS)];
    if (__builtin_expect(entry->low != low || entry->high != high || entry->generation != worker->generation, 0)) {
        *entry = (struct comm_entry){low, high, 0, worker->generation};
        entry->id = event_batch_intern(worker->batch, (const char *)bytes, strnlen((const char *)bytes, 16));
    }
    worker_put_id(worker, word, entry->id);
}

void worker_fill_symbol(struct trace_worker *worker, struct symbol_entry *entry, uint64_t address)
{
    *entry = (struct symbol_entry){address, 0, worker->generation};
    const char *name = trace_symbol_find(worker->formats, address);
    char text[32] = "0x";
    if (!name && address) {
        size_t n = 2;
        for (int shift = 60; shift >= 0; shift -= 4)
            if (address >> shift)
                text[n++] = "0123456789abcdef"[address >> shift & 15];
        name = text;
    }
    entry->id = name ? event_batch_intern(worker->batch, name, strlen(name)) : 0;
}

/* caller_offs counts from _stext; without that the number itself is all there is. */
static void put_symbol_from_text(struct trace_worker *worker, size_t word, int64_t offset)
{
    uint64_t start = worker->formats->text_start;
    if (start) {
        worker_put_symbol(worker, word, start + (uint64_t)offset);
        return;
    }
    char text[32] = "_stext+0x";
    size_t n = 9;
    uint32_t value = (uint32_t)offset;
    for (int shift = 28; shift >= 0; shift -= 4)
        if (value >> shift || shift == 0)
            text[n++] = "0123456789abcdef"[value >> shift & 15];
    worker_put_string(worker, word, text, n);
}

/* u32 at p: length << 16 | offset, from the record (data_loc) or from behind the word itself (rel_loc). */
static struct span located(struct page_record record, uint32_t at, bool is_relative, bool big)
{
    uint32_t word = page_load32(record.bytes + at, big), offset = word & 0xffff, length = word >> 16;
    if (is_relative)
        offset += at + 4;
    if (offset > record.size)
        return (struct span){record.bytes, 0};
    if (length > record.size - offset)
        length = record.size - offset;
    return (struct span){record.bytes + offset, length};
}

static void put_span(struct trace_worker *worker, size_t word, struct span span)
{
    size_t length = strnlen((const char *)span.bytes, span.size);
    while (length && span.bytes[length - 1] == '\n')
        length--;
    if (length)
        worker_put_string(worker, word, (const char *)span.bytes, length);
    else
        worker->batch->words[word] = 0;
}

/* Bits of longs, in the target's byte order, as "0-3,8". */
static void put_cpu_mask(struct trace_worker *worker, size_t word, struct span mask, bool big)
{
    char text[256];
    size_t n = 0;
    unsigned size = worker->formats->kernel_long;
    unsigned n_bits = (unsigned)(mask.size / size * size * 8);
    for (unsigned cpu = 0; cpu < n_bits && n < sizeof text - 24;) {
        unsigned end = cpu;
        for (; end < n_bits; end++) {
            unsigned in_word = end / 8 % size;
            unsigned byte = end / 8 / size * size + (big ? size - 1 - in_word : in_word);
            if (!(mask.bytes[byte] >> end % 8 & 1))
                break;
        }
        if (end > cpu) {
            char part[32];
            int length = end - cpu == 1 ? snprintf(part, sizeof part, "%s%u", n ? "," : "", cpu)
                                        : snprintf(part, sizeof part, "%s%u-%u", n ? "," : "", cpu, end - 1);
            memcpy(text + n, part, (size_t)length);
            n += (size_t)length;
        }
        cpu = end + 1;
    }
    put_span(worker, word, (struct span){(const unsigned char *)text, n});
}

/* ---- steps ---- */

static inline int64_t load_number(const unsigned char *p, unsigned size, bool is_signed, bool big)
{
    switch (size) {
    case 1: return is_signed ? (int8_t)*p : *p;
    case 2: return is_signed ? (int16_t)page_load16(p, big) : page_load16(p, big);
    case 4: return is_signed ? (int32_t)page_load32(p, big) : (int64_t)page_load32(p, big);
    default: return (int64_t)page_load64(p, big);
    }
}

static __attribute__((noinline)) void put_number(struct trace_worker *worker, size_t word, int64_t value)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%lld", (long long)value);
    worker_put_string(worker, word, text, (size_t)length);
}

static inline __attribute__((always_inline)) void put_name(struct trace_worker *worker, size_t word, uint32_t map, int64_t value)
{
    const struct trace_map *names = map ? &worker->formats->maps[map - 1] : NULL;
    if (names && (uint64_t)value < names->n && names->names[value].value == value) {
        worker_put_atom(worker, word, names->names[value].atom);
        return;
    }
    for (uint32_t i = 0; names && i < names->n; i++)
        if (names->names[i].value == value) {
            worker_put_atom(worker, word, names->names[i].atom);
            return;
        }
    put_number(worker, word, value);
}

/* The steps that are rare or dear. */
static __attribute__((noinline)) void slow_step(struct trace_worker *worker, const struct trace_op *op,
                                                struct page_record record, size_t word, bool big)
{
    const unsigned char *at = record.bytes + op->src;
    const char *text;
    switch (op->code) {
    case OP_CHARS:
        put_span(worker, word, (struct span){at, op->aux ? op->aux : record.size - op->src});
        break;
    case OP_DATA_LOC:
    case OP_REL_LOC: put_span(worker, word, located(record, op->src, op->code == OP_REL_LOC, big)); break;
    case OP_SYMBOL_FROM_TEXT: put_symbol_from_text(worker, word, load_number(at, op->size, true, big)); break;
    case OP_CPU_MASK: put_cpu_mask(worker, word, located(record, op->src, false, big), big); break;
    case OP_PRINTK:
        text = trace_printk_find(worker->formats, (uint64_t)load_number(at, op->size, false, big));
        put_span(worker, word, (struct span){(const unsigned char *)text, text ? strlen(text) : 0});
        break;
    case OP_CONST64:
        event_words_set_i64(worker->batch->words + word, op->aux == 1 ? INT64_MIN : -1);
        break;
    default: worker->batch->words[word] = 0; break;
    }
}

static inline __attribute__((always_inline)) void steps(struct trace_worker *worker, const struct trace_decoder *decoder,
                                                        struct page_record record, size_t out, const bool big)
{
    uint32_t *words = worker->batch->words + out;
    const struct trace_op *op = decoder->ops, *end = op + decoder->n_ops;
    for (; op < end; op++) {
        const unsigned char *at = record.bytes + op->src;
        switch (op->code) {
        case OP_COPY32: words[op->dst] = page_load32(at, big); break;
        case OP_COPY64: memcpy(words + op->dst, at, 8); break;
        case OP_COPY128: memcpy(words + op->dst, at, 16); break;
        case OP_COMM: put_comm(worker, out + op->dst, at); break;
        case OP_SYMBOL: worker_put_symbol(worker, out + op->dst, (uint64_t)load_number(at, op->size, false, big)); break;
        case OP_NAME: put_name(worker, out + op->dst, op->aux, load_number(at, op->size, op->is_signed, big)); break;
        case OP_ATOM: worker_put_atom(worker, out + op->dst, op->aux); break;
        case OP_STATE:
            words[op->dst] = worker->formats->state_words[load_number(at, op->size, false, big) & 4095];
            break;
        case OP_NUMBER32: words[op->dst] = (uint32_t)load_number(at, op->size, op->is_signed, big); break;
        case OP_NUMBER64:
            event_words_set_i64(words + op->dst, load_number(at, op->size, op->is_signed, big));
            break;
        case OP_CONST32: words[op->dst] = op->aux; break;
        case OP_TID:
            words[op->dst] = page_load32(record.bytes + worker->formats->tid_offset, big);
            break;
        default: slow_step(worker, op, record, out + op->dst, big); break;
        }
    }
}

/* ---- pages ---- */

static void next_batch(struct trace_worker *worker)
{
    struct trace_result *result = worker->result;
    worker->batch = worker->take_batch(worker->take_context);
    worker->batch->flags_known = worker->formats->flags_known;
    worker->generation++;
    memory_reserve(result->batches, result->batches_capacity, result->n_batches + 1);
    result->batches[result->n_batches++] = worker->batch;
}

static inline int64_t stamp_ns(const struct trace_worker *worker, uint64_t time)
{
    if (worker->tsc_mult)
        time = (uint64_t)((unsigned __int128)time * worker->tsc_mult >> worker->tsc_shift);
    return (int64_t)(time + (uint64_t)worker->offset_ns);
}

static __attribute__((noinline)) void begin_gap(struct trace_worker *worker, const struct page_cursor *cursor)
{
    struct trace_result *result = worker->result;
    memory_reserve(result->gaps, result->gaps_capacity, result->n_gaps + 1);
    result->gaps[result->n_gaps++] = (struct trace_gap){result->last_ns, NS_UNKNOWN, cursor->n_lost, cursor->is_damaged};
    result->gap_is_open = true;
}

static inline __attribute__((always_inline)) void walk_page(struct trace_worker *worker, const unsigned char *page,
                                                            size_t size, uint64_t offset, const bool big)
{
    const struct trace_formats *formats = worker->formats;
    struct trace_result *result = worker->result;
    struct page_cursor cursor;
    struct page_record record;
    if (!page_begin(&cursor, &worker->layout, page, size)) {
        result->n_damaged_pages++;
        return;
    }
    if (cursor.has_lost) {
        bool is_damaged = cursor.is_damaged;
        cursor.is_damaged = false;
        begin_gap(worker, &cursor);
        cursor.is_damaged = is_damaged;
    }
    struct event_batch *batch = NULL;
    size_t most = (size / 8 + 1) * (formats->max_words + 1); /* words that this page can need, but for special events */
    while (page_next(&cursor, big, &record)) {
        if (__builtin_expect(!batch || event_batch_is_full(batch), 0)) {
            if (!worker->batch || event_batch_is_full(worker->batch))
                next_batch(worker);
            batch = worker->batch;
            worker_reserve(worker, most);
        }
        unsigned id = page_load16(record.bytes, big);
        const struct trace_decoder *decoder = &formats->decoders[formats->decoder_of[id]];
        if (__builtin_expect(record.size < decoder->min_size, 0)) {
            result->n_damaged_records++;
            continue;
        }
        int64_t time_ns = stamp_ns(worker, cursor.time);
        result->last_ns = time_ns; /* times that fall are raised and noted by the store's writer */
        if (__builtin_expect(result->gap_is_open, 0)) {
            result->gaps[result->n_gaps - 1].end_ns = time_ns;
            result->gap_is_open = false;
        }
        uint32_t tid = page_load32(record.bytes + formats->tid_offset, big);
        uint32_t flags = formats->flag_bits[record.bytes[formats->flags_offset]] |
                         formats->depth_bits[record.bytes[formats->depth_offset]];
        if (formats->migrate_offset)
            flags |= (uint32_t)record.bytes[formats->migrate_offset] << 24;
        if (tid >= TRACE_TID_BITS || !(formats->tid_has_name[tid / 8] >> tid % 8 & 1))
            flags |= FLAG_TASK_UNKNOWN;
        size_t i = batch->n++, out = batch->n_words;
        batch->time_ns[i] = time_ns;
        batch->tid[i] = (int32_t)tid;
        batch->flags[i] = flags;
        batch->arg[i] = (uint32_t)out;
        batch->kind[i] = decoder->kind;
        steps(worker, decoder, record, out, big);
        size_t n_words = decoder->n_words;
        if (__builtin_expect(decoder->special != SPECIAL_NONE, 0)) {
            n_words = worker_special(worker, decoder, record, out, n_words);
            batch->n_words += n_words;
            worker_reserve(worker, most);
        } else {
            batch->n_words += n_words;
        }
    }
    if (__builtin_expect(cursor.is_damaged, 0)) {
        result->n_damaged_pages++;
        if (!result->first_damage)
            result->first_damage = offset;
    }
}

/* Hardware prefetchers stop at a page's end; the walk of the next page would begin with a wait. */
static inline void prefetch_page(const unsigned char *bytes, size_t size, size_t at)
{
    for (size_t line = 0; line < 256 && at + line < size; line += 64)
        __builtin_prefetch(bytes + at + line);
}

static void walk_little(struct trace_worker *worker, const unsigned char *bytes, size_t size, uint32_t page_size,
                        uint64_t offset)
{
    for (size_t at = 0; at < size; at += page_size) {
        prefetch_page(bytes, size, at + page_size);
        walk_page(worker, bytes + at, size - at < page_size ? size - at : page_size, offset + at, false);
    }
}

static void walk_big(struct trace_worker *worker, const unsigned char *bytes, size_t size, uint32_t page_size,
                     uint64_t offset)
{
    for (size_t at = 0; at < size; at += page_size) {
        prefetch_page(bytes, size, at + page_size);
        walk_page(worker, bytes + at, size - at < page_size ? size - at : page_size, offset + at, true);
    }
}

void trace_worker_pages(struct trace_worker *worker, const unsigned char *bytes, size_t size, uint32_t page_size,
                        uint64_t offset)
{
    (worker->layout.big ? walk_big : walk_little)(worker, bytes, size, page_size, offset);
}

#define MAX_CHUNK_BYTES (128u << 20)

void trace_worker_chunks(struct trace_worker *worker, struct span chunks, size_t n_chunks, uint32_t page_size,
                         enum trace_compression compression, uint64_t offset)
{
    struct cursor cursor = cursor_of(chunks, worker->layout.big);
    for (size_t i = 0; i < n_chunks; i++) {
        uint64_t at = offset + (uint64_t)(cursor.p - chunks.bytes);
        uint32_t packed = cursor_u32(&cursor), unpacked = cursor_u32(&cursor);
        struct span from = cursor_span(&cursor, packed);
        size_t made = SIZE_MAX;
        if (!cursor.failed && unpacked <= MAX_CHUNK_BYTES) {
            memory_reserve(worker->unpacked, worker->unpacked_capacity, (size_t)unpacked + 1);
            if (compression == TRACE_ZSTD) {
                worker->zstd = worker->zstd ? worker->zstd : ZSTD_createDCtx();
                made = ZSTD_decompressDCtx(worker->zstd, worker->unpacked, unpacked, from.bytes, from.size);
                made = ZSTD_isError(made) ? SIZE_MAX : made;
            } else {
                made = trace_unpack(compression, worker->unpacked, unpacked, from);
            }
        }
        if (made == SIZE_MAX) {
            /* What was in there is lost: a gap like any other. */
            struct page_cursor lost = {.n_lost = UINT64_MAX, .is_damaged = true};
            begin_gap(worker, &lost);
            worker->result->n_unpack_errors++;
            if (!worker->result->first_damage)
                worker->result->first_damage = at;
            if (cursor.failed)
                return;
            continue;
        }
        trace_worker_pages(worker, worker->unpacked, made, page_size, at);
    }
}
