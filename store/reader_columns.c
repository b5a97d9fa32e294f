/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Event chunks whose columns are narrow (version 2) are widened into memory before they are looked at: once per use,
 * in buffers that go from chunk to chunk. Every width, index and sum is checked on the way.
 */
#include <string.h>

#include "store/kinds.h"
#include "store/store_private.h"

/* What the payload's front says, as far as it has been checked. */
struct narrow {
    const struct chunk_header *header;
    const unsigned char *payload;
    const struct events_front *front;
    const struct kind_entry *kinds;
    const struct column_entry *columns;
    const uint32_t *flags, *strings;
    size_t data; /* where the columns begin in the payload */
};

struct column {
    uint64_t base;
    const void *values;
    unsigned width;
};

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

static size_t words_of(const struct kind_entry *kind)
{
    return kind->n_arguments + (size_t)__builtin_popcount(kind->wide);
}

/* Column number `number` of n values, at `at` in the payload; false if it has no such width or is not within the payload. */
static bool take(const struct narrow *c, struct column *columns, size_t *number, size_t *at, size_t n, bool is_wide)
{
    const struct column_entry *entry = &c->columns[*number];
    unsigned width = entry->width;
    /* n is a chunk's count of events or words, so n * width is no large number. */
    if (width > (is_wide ? 8u : 4u) || (width & (width - 1)) || padded(n * width) > c->header->plain_bytes - *at)
        return false;
    columns[(*number)++] = (struct column){entry->base, c->payload + *at, width};
    *at += padded(n * width);
    return true;
}

/* All columns, in their order; read_front() has counted them. */
static bool take_all(const struct narrow *c, struct column *columns)
{
    size_t number = 0, at = c->data, n = c->header->n;
    bool fits = true;
    for (unsigned i = 0; i < 4 && fits; i++)
        fits = take(c, columns, &number, &at, n, i == 0);
    for (uint32_t k = 0; k < c->front->n_kinds && fits; k++) {
        const struct kind_entry *kind = &c->kinds[k];
        for (unsigned a = 0; a < kind->n_arguments && fits; a++)
            fits = take(c, columns, &number, &at, kind->n, kind->wide >> a & 1);
        if (kind->has_list)
            fits = fits && take(c, columns, &number, &at, kind->n, false) && take(c, columns, &number, &at, kind->n_list, false);
    }
    return fits && at == c->header->plain_bytes;
}

static uint32_t value32(const struct column *column, size_t i)
{
    uint32_t base = (uint32_t)column->base;
    switch (column->width) {
    case 0: return base;
    case 1: return base + ((const uint8_t *)column->values)[i];
    case 2: return base + ((const uint16_t *)column->values)[i];
    default: return base + ((const uint32_t *)column->values)[i];
    }
}

/* Runs a statement over the column's values x of rows i from first to end, in a loop for each width. */
#define EACH_OF(x_type, stored_type, column, first, end, statement)                                            \
    for (size_t i = (first), end_ = (end); i < end_; i++) {                                                    \
        const x_type x = (x_type)(column)->base + ((const stored_type *)(column)->values)[i];                  \
        statement;                                                                                             \
    }
#define EACH_NARROW(column, first, end, statement)                                                            \
    do {                                                                                                       \
        switch ((column)->width) {                                                                             \
        case 0:                                                                                                \
            for (size_t i = (first), end_ = (end); i < end_; i++) {                                            \
                const uint32_t x = (uint32_t)(column)->base;                                                   \
                statement;                                                                                     \
            }                                                                                                  \
            break;                                                                                             \
        case 1: EACH_OF(uint32_t, uint8_t, column, first, end, statement) break;                               \
        case 2: EACH_OF(uint32_t, uint16_t, column, first, end, statement) break;                              \
        default: EACH_OF(uint32_t, uint32_t, column, first, end, statement) break;                             \
        }                                                                                                      \
    } while (0)
#define EACH_WIDE(column, first, end, statement)                                                              \
    do {                                                                                                       \
        switch ((column)->width) {                                                                             \
        case 0:                                                                                                \
            for (size_t i = (first), end_ = (end); i < end_; i++) {                                            \
                const uint64_t x = (column)->base;                                                             \
                statement;                                                                                     \
            }                                                                                                  \
            break;                                                                                             \
        case 1: EACH_OF(uint64_t, uint8_t, column, first, end, statement) break;                               \
        case 2: EACH_OF(uint64_t, uint16_t, column, first, end, statement) break;                              \
        case 4: EACH_OF(uint64_t, uint32_t, column, first, end, statement) break;                              \
        default: EACH_OF(uint64_t, uint64_t, column, first, end, statement) break;                             \
        }                                                                                                      \
    } while (0)

/* ---- the front ---- */

static bool kind_is_sound(const struct kind_entry *kind)
{
    const struct event_kind_info *info = event_kind_info(kind->kind);
    if (kind->n_arguments > MAX_ARGUMENTS || kind->has_list > 1 || (!kind->has_list && kind->n_list))
        return false;
    if ((uint32_t)(kind->wide | kind->strings) >> kind->n_arguments || kind->wide & kind->strings)
        return false;
    for (unsigned a = 0, n = info ? info->n_arguments : 0; a < n; a++) {
        char type = info->arguments[a].type;
        bool is_wide = type == 'l' || type == 'X';
        if (type == 'S' ? !kind->has_list
                        : a >= kind->n_arguments || (kind->wide >> a & 1) != is_wide || (kind->strings >> a & 1) != (type == 's'))
            return false;
    }
    return true;
}

/* The tables in front of the columns, and whether the counts agree with each other. */
static const char *read_front(struct narrow *c, uint32_t n_strings)
{
    const struct events_front *front = c->front = (const void *)c->payload;
    uint64_t n = c->header->n, n_events = 0, n_words = 0, n_columns = 4;
    if (n > MAX_CHUNK_EVENTS || front->n_words > MAX_CHUNK_WORDS || front->n_kinds > n || front->n_flags > n)
        return "it holds too much";
    uint64_t at = EVENTS_FRONT_BYTES, columns, flags, strings;
    columns = at + (uint64_t)front->n_kinds * sizeof *c->kinds;
    flags = columns + (uint64_t)front->n_columns * sizeof *c->columns;
    strings = flags + padded((size_t)front->n_flags * 4);
    c->data = strings + padded((size_t)front->n_strings * 4);
    if (c->data > c->header->plain_bytes)
        return "its columns do not fit";
    c->kinds = (const void *)(c->payload + at);
    c->columns = (const void *)(c->payload + columns);
    c->flags = (const void *)(c->payload + flags);
    c->strings = (const void *)(c->payload + strings);
    for (uint32_t k = 0; k < front->n_kinds; k++) {
        if (!kind_is_sound(&c->kinds[k]))
            return "its arguments are not those of their kinds";
        n_events += c->kinds[k].n;
        n_words += (uint64_t)c->kinds[k].n * words_of(&c->kinds[k]) + c->kinds[k].n_list;
        n_columns += c->kinds[k].n_arguments + 2u * c->kinds[k].has_list;
    }
    if (n_events != n || n_words != front->n_words || n_columns != front->n_columns)
        return "its counts do not agree";
    for (uint32_t i = 0; i < front->n_strings; i++)
        if (c->strings[i] >= n_strings)
            return "its strings are out of range";
    return NULL;
}

/* ---- widening ---- */

struct wide {
    int64_t *time_ns;
    int32_t *tid;
    uint32_t *flags, *arg, *words, *where; /* where the words of each kind's events begin, kind by kind */
    uint16_t *kind;
};

static size_t wide_bytes(size_t n, size_t n_words)
{
    return n * (8 + 4 + 4 + 4 + 4) + padded(n * 2) + padded(n_words * 4);
}

static struct wide wide_in(unsigned char *room, size_t n)
{
    struct wide w = {.time_ns = (int64_t *)(void *)room};
    w.tid = (int32_t *)(void *)(w.time_ns + n);
    w.flags = (uint32_t *)(void *)(w.tid + n);
    w.arg = w.flags + n;
    w.where = w.arg + n;
    w.kind = (uint16_t *)(void *)(w.where + n);
    w.words = (uint32_t *)(void *)((unsigned char *)w.kind + padded(n * 2));
    return w;
}

static const char *widen_times(const struct narrow *c, const struct column *column, int64_t *restrict time_ns)
{
    size_t n = c->header->n;
    bool is_bad = false;
    EACH_WIDE(column, 0, n, time_ns[i] = (int64_t)x);
    for (size_t i = 1; i < n; i++)
        is_bad |= time_ns[i] < time_ns[i - 1];
    return is_bad || time_ns[0] != c->header->begin || time_ns[n - 1] != c->header->end ? "its times are not in order" : NULL;
}

/* The columns that every event has, but for the kind. */
static const char *widen_common(const struct narrow *c, const struct column *columns, struct wide *w)
{
    size_t n = c->header->n;
    const uint32_t n_flags = c->front->n_flags, *table = c->flags;
    int32_t *restrict tid = w->tid;
    uint32_t *restrict flags = w->flags;
    const char *fault = widen_times(c, &columns[0], w->time_ns);
    if (fault)
        return fault;
    EACH_NARROW(&columns[1], 0, n, tid[i] = (int32_t)x);
    EACH_NARROW(&columns[2], 0, n, if (x >= n_flags) return "its flags are out of range"; flags[i] = table[x]);
    return NULL;
}

/* A kind while its events are widened. */
struct kind_rows {
    const struct kind_entry *entry;
    const struct column *columns;
    uint32_t *where; /* where the words of its events begin */
    size_t next;     /* rows placed */
    uint32_t n_words;
    uint64_t n_list; /* strings of the lists placed */
};

/* Kinds of the events from first to end, and where their words are; *at goes on from call to call. */
static const char *place_events(const struct narrow *c, const struct column *column, struct kind_rows *rows, struct wide *w,
                                size_t first, size_t end, uint32_t *at)
{
    const uint32_t n_kinds = c->front->n_kinds;
    uint32_t *restrict arg = w->arg, place = *at;
    uint16_t *restrict kinds = w->kind;
    EACH_NARROW(column, first, end, {
        struct kind_rows *of = &rows[x];
        if (x >= n_kinds || of->next == of->entry->n)
            return "its kinds are out of range";
        kinds[i] = of->entry->kind;
        arg[i] = place;
        of->where[of->next] = place;
        place += of->n_words;
        if (__builtin_expect(of->entry->has_list, 0)) {
            uint32_t length = value32(&of->columns[of->entry->n_arguments], of->next);
            of->n_list += length;
            if (of->n_list > of->entry->n_list)
                return "its lists have other lengths";
            place += length;
        }
        of->next++;
    });
    *at = place;
    return NULL;
}

/* The arguments of a kind's rows from first to end, but for lists. */
static bool widen_rows(const struct narrow *c, const struct kind_rows *of, size_t first, size_t end, const struct wide *w)
{
    const uint32_t n_strings = c->front->n_strings, *restrict strings = c->strings, *restrict where = of->where;
    uint32_t *restrict words = w->words;
    bool is_bad = false;
    for (unsigned a = 0; a < of->entry->n_arguments; a++) {
        const struct column *column = &of->columns[a];
        bool is_wide = of->entry->wide >> a & 1;
        if (is_wide)
            EACH_WIDE(column, first, end, memcpy(words + where[i], &x, 8));
        else if (of->entry->strings >> a & 1)
            EACH_NARROW(column, first, end, {
                bool is_in = x < n_strings;
                is_bad |= !is_in;
                words[where[i]] = is_in ? strings[x] : 0;
            });
        else
            EACH_NARROW(column, first, end, words[where[i]] = x);
        words += is_wide ? 2 : 1;
    }
    return !is_bad;
}

static const char *widen_lists(const struct narrow *c, const struct kind_rows *of, const struct wide *w)
{
    const struct column *lengths = &of->columns[of->entry->n_arguments], *list = lengths + 1;
    size_t done = 0;
    if (of->n_list != of->entry->n_list)
        return "its lists have other lengths";
    for (size_t i = 0; i < of->entry->n; i++) {
        uint32_t *words = w->words + of->where[i] + of->n_words;
        for (uint32_t k = value32(lengths, i); k > 0; k--) {
            uint32_t x = value32(list, done++);
            if (x >= c->front->n_strings)
                return "its strings are out of range";
            *words++ = c->strings[x];
        }
    }
    return NULL;
}

/* So many events at a time: their words stay in the innermost cache until all columns are through. */
#define BLOCK 512u

static const char *widen(const struct narrow *c, const struct column *columns, struct kind_rows *rows, struct wide *w)
{
    size_t n = c->header->n, n_placed = 0, number = 4;
    uint32_t at = 0;
    const char *fault = widen_common(c, columns, w);
    for (uint32_t k = 0; k < c->front->n_kinds; k++) {
        const struct kind_entry *kind = &c->kinds[k];
        rows[k] = (struct kind_rows){.entry = kind, .columns = columns + number, .where = w->where + n_placed,
                                     .n_words = (uint32_t)words_of(kind)};
        number += kind->n_arguments + 2u * kind->has_list;
        n_placed += kind->n;
    }
    for (size_t first = 0; first < n && !fault; first += BLOCK) {
        size_t done[256];
        for (uint32_t k = 0; k < c->front->n_kinds; k++)
            done[k] = rows[k].next;
        fault = place_events(c, &columns[3], rows, w, first, n - first < BLOCK ? n : first + BLOCK, &at);
        for (uint32_t k = 0; k < c->front->n_kinds && !fault; k++)
            if (done[k] < rows[k].next && !widen_rows(c, &rows[k], done[k], rows[k].next, w))
                fault = "its strings are out of range";
    }
    for (uint32_t k = 0; k < c->front->n_kinds && !fault; k++)
        fault = rows[k].entry->has_list ? widen_lists(c, &rows[k], w) : NULL;
    return fault;
}

static const char *widen_into(const struct narrow *c, struct wide *w)
{
    if (c->front->n_kinds > 256)
        return "it holds too many kinds";
    struct column *columns = memory_resize(NULL, c->front->n_columns, sizeof *columns);
    struct kind_rows *rows = memory_resize(NULL, c->front->n_kinds + 1u, sizeof *rows);
    const char *fault = take_all(c, columns) ? widen(c, columns, rows, w) : "its columns do not fit";
    free(columns);
    free(rows);
    return fault;
}

/* ---- the buffers ---- */

/*
 * Chunks that a merge stands in are pinned. Others stay for a while, least recently used first out, those that a merge
 * has passed before all: their buffer is still in the processor's cache when the next chunk needs one.
 */
#define KEPT_BYTES  (48u << 20)
#define KEPT_CHUNKS 16u             /* at least so many that are not pinned */
#define MOST_BYTES  (1024ull << 20) /* of pinned ones: a thousand CPUs; a file that wants more is not a trace */

static void unlink_wide(struct store_private *p, struct wide_chunk *wide)
{
    *(wide->newer ? &wide->newer->older : &p->newest) = wide->older;
    *(wide->older ? &wide->older->newer : &p->oldest) = wide->newer;
    wide->newer = wide->older = NULL;
}

static void link_newest(struct store_private *p, struct wide_chunk *wide)
{
    wide->newer = NULL;
    wide->older = p->newest;
    *(p->newest ? &p->newest->newer : &p->oldest) = wide;
    p->newest = wide;
}

static void link_oldest(struct store_private *p, struct wide_chunk *wide)
{
    wide->older = NULL;
    wide->newer = p->oldest;
    *(p->oldest ? &p->oldest->older : &p->newest) = wide;
    p->oldest = wide;
}

static void take_out(struct store_private *p, struct wide_chunk *wide)
{
    p->wide_bytes -= wide->capacity;
    p->n_wide--;
    unlink_wide(p, wide);
    wide->chunk->view = NULL;
}

static void free_wide(struct wide_chunk *wide)
{
    if (wide)
        free(wide->room);
    free(wide);
}

/* A buffer with the room asked for; NULL: those that are pinned take too much. */
static struct wide_chunk *take_buffer(struct store_private *p, size_t n_bytes)
{
    struct wide_chunk *wide = NULL;
    for (;;) {
        free_wide(wide);
        for (wide = p->oldest; wide && wide->n_pins;)
            wide = wide->newer;
        bool is_full = p->wide_bytes + n_bytes > KEPT_BYTES;
        if (!wide || p->n_wide - p->n_pinned <= KEPT_CHUNKS || (wide->is_lent && !is_full)) {
            wide = NULL;
            break;
        }
        take_out(p, wide);
        if (p->wide_bytes + n_bytes <= KEPT_BYTES)
            break;
    }
    if (p->wide_bytes + n_bytes > MOST_BYTES) {
        free_wide(wide);
        return NULL;
    }
    if (!wide)
        wide = memory_new(sizeof *wide);
    memory_reserve(wide->room, wide->capacity, n_bytes);
    wide->is_lent = false;
    return wide;
}

const struct event_view *reader_wide_view(struct store *store, struct chunk *chunk, const unsigned char *payload, const char **fault)
{
    struct store_private *p = store->private;
    struct narrow narrow = {.header = &chunk->header, .payload = payload};
    if ((*fault = read_front(&narrow, p->n_strings)))
        return NULL;
    size_t n = chunk->header.n;
    struct wide_chunk *to = take_buffer(p, wide_bytes(n, narrow.front->n_words));
    if (!to) {
        *fault = "more chunks are needed at once than fit into memory";
        return NULL;
    }
    struct wide columns = wide_in(to->room, n);
    if ((*fault = widen_into(&narrow, &columns))) {
        free_wide(to);
        return NULL;
    }
    memcpy(&to->state, payload + sizeof(struct events_front), sizeof to->state);
    to->view = (struct event_view){
        .n = n, .time_ns = columns.time_ns, .tid = columns.tid, .kind = columns.kind, .flags = columns.flags,
        .arg = columns.arg, .words = columns.words, .n_words = narrow.front->n_words,
        .flags_known = narrow.front->flags_known, .cpu = chunk->header.cpu, .stream = chunk->header.owner, .state = &to->state};
    to->chunk = chunk;
    p->wide_bytes += to->capacity;
    p->n_wide++;
    link_newest(p, to);
    return &to->view;
}

const char *reader_wide_times(struct store *store, const struct chunk *chunk, const unsigned char *payload, int64_t *time_ns)
{
    struct narrow narrow = {.header = &chunk->header, .payload = payload};
    struct column column;
    const char *fault = read_front(&narrow, store->private->n_strings);
    size_t number = 0, at = narrow.data;
    if (!fault && !take(&narrow, &column, &number, &at, chunk->header.n, true))
        fault = "its columns do not fit";
    return fault ? fault : widen_times(&narrow, &column, time_ns);
}

static struct wide_chunk *wide_of(const struct chunk *chunk)
{
    return chunk->header.version > 1 ? (struct wide_chunk *)chunk->view : NULL;
}

void reader_use_view(struct store *store, struct chunk *chunk, bool is_lent, bool is_pinned)
{
    struct wide_chunk *wide = wide_of(chunk);
    if (!wide)
        return;
    store->private->n_pinned += is_pinned && !wide->n_pins;
    wide->n_pins += is_pinned;
    wide->is_lent |= is_lent;
    unlink_wide(store->private, wide);
    link_newest(store->private, wide);
}

void reader_unpin_view(struct store *store, struct chunk *chunk, bool is_passed)
{
    struct wide_chunk *wide = wide_of(chunk);
    if (!wide || --wide->n_pins)
        return;
    store->private->n_pinned--;
    unlink_wide(store->private, wide);
    if (is_passed && !wide->is_lent)
        link_oldest(store->private, wide);
    else
        link_newest(store->private, wide);
}

void reader_release_views(struct store *store)
{
    while (store->private->oldest) {
        struct wide_chunk *wide = store->private->oldest;
        take_out(store->private, wide);
        free_wide(wide);
    }
}
