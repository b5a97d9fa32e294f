/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The second half of the trace.dat import: a chunk of records becomes columns.
 *
 * The walk has listed the records by decoder, and every step of a decoder runs over all its records at once: the choice of
 * the step is made once per chunk and not once per record, and what is left are loops of loads and stores into places that
 * follow each other. Strings go through caches (16 raw bytes of a comm, an address), so that the chunk's dictionary is asked
 * once per string.
 */
#include <stdio.h>
#include <string.h>

#include "importers/trace_dat_decode.h"

/* ---- strings ---- */

uint32_t worker_text(struct trace_worker *worker, const char *text, size_t length)
{
    return event_columns_text(worker->batch->columns, text, length);
}

void worker_fill_atom(struct trace_worker *worker, uint32_t atom)
{
    const char *text = worker->formats->atoms[atom];
    worker->atoms[atom].id = worker_text(worker, text, strlen(text));
    worker->atoms[atom].generation = worker->generation;
}

static inline uint32_t comm(struct trace_worker *worker, const unsigned char *bytes)
{
    uint64_t low, high;
    memcpy(&low, bytes, 8);
    memcpy(&high, bytes + 8, 8);
    uint64_t hash = (low ^ high * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    struct comm_entry *entry = &worker->comms[hash >> (64 - COMM_CACHE_BITS)];
    if (__builtin_expect(entry->low != low || entry->high != high || entry->generation != worker->generation, 0)) {
        *entry = (struct comm_entry){low, high, 0, worker->generation};
        entry->id = worker_text(worker, (const char *)bytes, strnlen((const char *)bytes, 16));
    }
    return entry->id;
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
    entry->id = name ? worker_text(worker, name, strlen(name)) : 0;
}

/* caller_offs counts from _stext; without that the number itself is all there is. */
static uint32_t symbol_from_text(struct trace_worker *worker, int64_t offset)
{
    uint64_t start = worker->formats->text_start;
    if (start)
        return worker_symbol(worker, start + (uint64_t)offset);
    char text[32] = "_stext+0x";
    size_t n = 9;
    uint32_t value = (uint32_t)offset;
    for (int shift = 28; shift >= 0; shift -= 4)
        if (value >> shift || shift == 0)
            text[n++] = "0123456789abcdef"[value >> shift & 15];
    return worker_text(worker, text, n);
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

static uint32_t text_of(struct trace_worker *worker, struct span span)
{
    size_t length = strnlen((const char *)span.bytes, span.size);
    while (length && span.bytes[length - 1] == '\n')
        length--;
    return length ? worker_text(worker, (const char *)span.bytes, length) : 0;
}

/* Bits of longs, in the target's byte order, as "0-3,8". */
static uint32_t cpu_mask(struct trace_worker *worker, struct span mask, bool big)
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
    return text_of(worker, (struct span){(const unsigned char *)text, n});
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

static __attribute__((noinline)) uint32_t number_as_text(struct trace_worker *worker, int64_t value)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%lld", (long long)value);
    return worker_text(worker, text, (size_t)length);
}

static inline __attribute__((always_inline)) uint32_t name_of(struct trace_worker *worker, const struct trace_map *names,
                                                              int64_t value)
{
    if (names && (uint64_t)value < names->n && names->names[value].value == value)
        return worker_atom(worker, names->names[value].atom);
    for (uint32_t i = 0; names && i < names->n; i++)
        if (names->names[i].value == value)
            return worker_atom(worker, names->names[i].atom);
    return number_as_text(worker, value);
}

/* The records of one decoder. */
struct work {
    struct trace_worker *worker;
    const struct trace_decoder *decoder;
    struct kind_columns *of;
    size_t row, n; /* where they go in the columns of their kind; how many they are */
    const struct record_place *places;
};

/* Runs over the records: value, made of what is at the step's place, goes into the row. Copies stay in registers. */
#define EACH(column, value)                                                                                   \
    do {                                                                                                       \
        const struct record_place *places_ = work->places;                                                     \
        const unsigned char *src_ = worker->base + op->src;                                                    \
        for (size_t i_ = 0, n_ = work->n; i_ < n_; i_++) {                                                     \
            const unsigned char *at = src_ + places_[i_].at;                                                   \
            (column)[i_] = (value);                                                                            \
        }                                                                                                      \
    } while (0)

/* Numbers of any size and sign into a column of either width. */
#define EACH_NUMBER(column, type)                                                                             \
    do {                                                                                                       \
        if (op->size == 4 && !op->is_signed)                                                                   \
            EACH(column, page_load32(at, big));                                                                \
        else if (op->size == 4)                                                                                \
            EACH(column, (type)(int32_t)page_load32(at, big));                                                 \
        else if (op->size == 8)                                                                                \
            EACH(column, (type)page_load64(at, big));                                                          \
        else                                                                                                   \
            EACH(column, (type)load_number(at, op->size, op->is_signed, big));                                 \
    } while (0)

/* The steps that are rare or dear. */
static __attribute__((noinline)) uint32_t slow_step(struct trace_worker *worker, const struct trace_op *op,
                                                    struct page_record record, bool big)
{
    const unsigned char *at = record.bytes + op->src;
    const char *text;
    switch (op->code) {
    case OP_CHARS: return text_of(worker, (struct span){at, op->aux ? op->aux : record.size - op->src});
    case OP_DATA_LOC:
    case OP_REL_LOC: return text_of(worker, located(record, op->src, op->code == OP_REL_LOC, big));
    case OP_SYMBOL_FROM_TEXT: return symbol_from_text(worker, load_number(at, op->size, true, big));
    case OP_CPU_MASK: return cpu_mask(worker, located(record, op->src, false, big), big);
    case OP_PRINTK:
        text = trace_printk_find(worker->formats, (uint64_t)load_number(at, op->size, false, big));
        return text_of(worker, (struct span){(const unsigned char *)text, text ? strlen(text) : 0});
    default: return 0;
    }
}

static inline __attribute__((always_inline)) void step(const struct work *work, const struct trace_op *op, const bool big)
{
    struct trace_worker *worker = work->worker;
    uint32_t *narrow = work->of->narrow[op->dst] ? work->of->narrow[op->dst] + work->row : NULL;
    uint64_t *wide = work->of->wide[op->dst] ? work->of->wide[op->dst] + work->row : NULL;
    const struct trace_map *map = op->code == OP_NAME && op->aux ? &worker->formats->maps[op->aux - 1] : NULL;
    switch (op->code) {
    case OP_NUMBER32: EACH_NUMBER(narrow, uint32_t); break;
    case OP_NUMBER64: EACH_NUMBER(wide, uint64_t); break;
    case OP_COMM: EACH(narrow, comm(worker, at)); break;
    case OP_SYMBOL:
        if (op->size == 8)
            EACH(narrow, worker_symbol(worker, page_load64(at, big)));
        else
            EACH(narrow, worker_symbol(worker, (uint64_t)load_number(at, op->size, false, big)));
        break;
    case OP_NAME:
        if (op->size == 4 && !op->is_signed)
            EACH(narrow, name_of(worker, map, page_load32(at, big)));
        else
            EACH(narrow, name_of(worker, map, load_number(at, op->size, op->is_signed, big)));
        break;
    case OP_STATE: EACH(narrow, worker->formats->state_words[load_number(at, op->size, false, big) & 4095]); break;
    case OP_ATOM: {
        uint32_t id = worker_atom(worker, op->aux);
        for (size_t i = 0; i < work->n; i++)
            narrow[i] = id;
        break;
    }
    case OP_CONST32:
        for (size_t i = 0; i < work->n; i++)
            narrow[i] = op->aux;
        break;
    case OP_CONST64:
        for (size_t i = 0; i < work->n; i++)
            wide[i] = op->aux == 1 ? (uint64_t)INT64_MIN : UINT64_MAX;
        break;
    case OP_TID:
        for (size_t i = 0; i < work->n; i++)
            narrow[i] = page_load32(worker->base + work->places[i].at + worker->formats->tid_offset, big);
        break;
    default:
        for (size_t i = 0; i < work->n; i++)
            narrow[i] = slow_step(worker, op, worker_record(worker, work->places[i]), big);
        break;
    }
}

/* So many records at a time stay in the innermost cache from the first step to the last. */
#define BLOCK 128u

static inline __attribute__((always_inline)) void run(const struct work *all, const bool big)
{
    for (size_t first = 0; first < all->n; first += BLOCK) {
        struct work block = *all;
        block.places += first;
        block.row += first;
        block.n = all->n - first < BLOCK ? all->n - first : BLOCK;
        for (unsigned i = 0; i < all->decoder->n_ops; i++)
            step(&block, &all->decoder->ops[i], big);
    }
}

static void run_little(const struct work *work)
{
    run(work, false);
}

static void run_big(const struct work *work)
{
    run(work, true);
}

/* ---- the chunk ---- */

/* Room for the columns of each kind; where the rows of its decoders begin in them, one decoder after the other. */
static void begin(struct trace_worker *worker, uint8_t slot_of[KIND_END], uint32_t n_decoders_of[KIND_END])
{
    const struct trace_decoder *decoders = worker->formats->decoders;
    uint32_t n_of[KIND_END] = {0};
    for (size_t u = 0; u < worker->n_used; u++) {
        struct decoder_use *use = &worker->uses[worker->used[u]];
        unsigned kind = decoders[worker->used[u]].kind;
        use->next = n_of[kind];
        n_of[kind] += use->n;
        n_decoders_of[kind]++;
    }
    event_columns_begin(worker->batch->columns, worker->batch->n, n_of, slot_of);
    worker->batch->columns->flags_known = worker->formats->flags_known;
    for (size_t u = 0; u < worker->n_used; u++)
        worker->uses[worker->used[u]].slot = slot_of[decoders[worker->used[u]].kind];
}

static void fill_slots(struct trace_worker *worker)
{
    const struct decoder_use *uses = worker->uses;
    const uint16_t *decoders = worker->decoders;
    uint8_t *slot = worker->batch->columns->slot;
    for (size_t i = 0, n = worker->batch->n; i < n; i++)
        slot[i] = uses[decoders[i]].slot;
}

static void fill_decoder(struct trace_worker *worker, unsigned number)
{
    const struct trace_decoder *decoder = &worker->formats->decoders[number];
    const struct decoder_use *use = &worker->uses[number];
    struct work work = {worker, decoder, &worker->batch->columns->kinds[use->slot], use->next, use->n, use->places};
    (worker->formats->big ? run_big : run_little)(&work);
    for (size_t i = 0; i < work.n && decoder->special != SPECIAL_NONE; i++)
        worker_special(worker, decoder, worker_record(worker, work.places[i]), work.of, work.row + i);
}

/*
 * Several decoders of one kind ("local_timer_entry", "reschedule_entry" ...) have filled its columns one after the other.
 * Here their rows come into the order of time; uses[].next is the next row of each.
 */
static void order_rows(struct trace_worker *worker, struct kind_columns *of, unsigned slot)
{
    size_t row = 0;
    memory_reserve(worker->rows, worker->rows_capacity, of->n);
    memory_reserve(worker->unordered, worker->unordered_capacity, 2 * (size_t)of->n);
    for (size_t i = 0; i < worker->batch->n; i++) {
        struct decoder_use *use = &worker->uses[worker->decoders[i]];
        if (use->slot == slot)
            worker->rows[row++] = use->next++;
    }
    for (unsigned a = 0; a < KIND_MAX_ARGUMENTS; a++) {
        uint64_t *wide = (uint64_t *)(void *)worker->unordered;
        if (of->narrow[a]) {
            memcpy(worker->unordered, of->narrow[a], of->n * sizeof *of->narrow[a]);
            for (size_t i = 0; i < of->n; i++)
                of->narrow[a][i] = worker->unordered[worker->rows[i]];
        } else if (of->wide[a]) {
            memcpy(wide, of->wide[a], of->n * sizeof *of->wide[a]);
            for (size_t i = 0; i < of->n; i++)
                of->wide[a][i] = wide[worker->rows[i]];
        }
    }
}

/* Lists stand in the order of their events, whichever decoders these have. */
static void fill_lists(struct trace_worker *worker, struct kind_columns *of, unsigned slot)
{
    struct event_columns *c = worker->batch->columns;
    size_t row = 0;
    of->list = c->n_lists;
    for (size_t u = 0; u < worker->n_used; u++)
        if (worker->uses[worker->used[u]].slot == slot)
            worker->uses[worker->used[u]].next = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->slot[i] == slot) {
            struct decoder_use *use = &worker->uses[worker->decoders[i]];
            of->list_n[row++] = worker_stack(worker, &worker->formats->decoders[worker->decoders[i]],
                                             worker_record(worker, use->places[use->next++]));
        }
    of->n_list = c->n_lists - of->list;
}

void worker_fill_columns(struct trace_worker *worker)
{
    struct event_columns *c = worker->batch->columns;
    uint8_t slot_of[KIND_END];
    uint32_t n_decoders_of[KIND_END] = {0};
    begin(worker, slot_of, n_decoders_of);
    fill_slots(worker);
    for (size_t u = 0; u < worker->n_used; u++)
        fill_decoder(worker, worker->used[u]);
    for (unsigned slot = 0; slot < c->n_kinds; slot++) {
        struct kind_columns *of = &c->kinds[slot];
        if (n_decoders_of[of->kind] > 1)
            order_rows(worker, of, slot);
        if (of->list_n)
            fill_lists(worker, of, slot);
    }
    for (size_t u = 0; u < worker->n_used; u++)
        worker->uses[worker->used[u]].n = worker->uses[worker->used[u]].limit = 0;
    worker->n_used = 0;
    event_columns_pack(c);
}
