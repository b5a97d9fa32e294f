/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event chunks of an opened run file: their order, and the checks before a chunk's first use. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/kinds.h"
#include "store/store_private.h"

#include "base/crc32c.h"
#include "base/memory.h"

#define MAX_CPU        8191
#define RESIDENT_BYTES (32u << 20) /* of the map, in use at a time */
#define READ_BYTES     (8u << 20)  /* payloads above are mapped: no trace has them */

/* Pages given back come again by themselves when somebody still looks at them, so this is always safe. */
void chunk_touch(struct store *store, const struct chunk *chunk)
{
    struct store_private *p = store->private;
    static const uint64_t page = 4096;
    uint64_t begin = chunk->offset & ~(page - 1);
    uint64_t bytes = chunk->offset + sizeof(struct chunk_header) + chunk->header.stored_bytes - begin;
    if (p->is_lent || p->size <= RESIDENT_BYTES)
        return;
    if (p->n_touched) {
        const struct touched *last = &p->touched[(p->first_touched + p->n_touched - 1) % N_TOUCHED];
        if (last->offset == begin)
            return;
    }
    while (p->n_touched && (p->n_touched == N_TOUCHED || p->touched_bytes + bytes > RESIDENT_BYTES)) {
        const struct touched *old = &p->touched[p->first_touched];
        madvise((void *)(uintptr_t)(p->map + old->offset), old->bytes, MADV_DONTNEED);
        p->touched_bytes -= old->bytes;
        p->first_touched = (p->first_touched + 1) % N_TOUCHED;
        p->n_touched--;
    }
    p->touched[(p->first_touched + p->n_touched++) % N_TOUCHED] = (struct touched){begin, bytes};
    p->touched_bytes += bytes;
#ifdef MADV_POPULATE_READ
    madvise((void *)(uintptr_t)(p->map + begin), bytes, MADV_POPULATE_READ); /* one call instead of many faults */
#endif
}

struct order {
    struct event_chunk row;
    struct chunk *chunk;
};

static int compare_chunks(const void *a, const void *b)
{
    const struct event_chunk *x = &((const struct order *)a)->row, *y = &((const struct order *)b)->row;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static const char *chunk_fault(const struct store *store, const struct chunk_header *header)
{
    if (header->version == 0)
        return "it has no version";
    if (header->owner >= store->n_streams)
        return "it belongs to no stream";
    if (header->cpu < CPU_UNKNOWN || header->cpu > MAX_CPU)
        return "its CPU is out of range";
    bool is_short = header->version == 1 && (header->plain_bytes - EVENTS_FRONT_BYTES) / 22 < header->n;
    if (!header->n || header->plain_bytes < EVENTS_FRONT_BYTES || is_short)
        return "it is too short";
    if (header->begin < -NS_LIMIT || header->end > NS_LIMIT)
        return "its times are out of range";
    return header->begin > header->end ? "it ends before it begins" : NULL;
}

/* In a file that was cut, the streams' own counts are those of the last snapshot: they are made anew. */
static void count_streams(struct store *store)
{
    struct stream *streams = (struct stream *)(uintptr_t)store->streams;
    for (size_t i = 0; i < store->n_streams; i++) {
        streams[i].n_events = 0;
        streams[i].begin_ns = streams[i].end_ns = NS_UNKNOWN;
        streams[i].n_cpus_seen = 0;
    }
    for (size_t i = 0; i < store->n_event_chunks; i++) {
        const struct event_chunk *chunk = &store->event_chunks[i];
        struct stream *stream = &streams[chunk->stream];
        if (!stream->n_events || chunk->begin_ns < stream->begin_ns)
            stream->begin_ns = chunk->begin_ns;
        if (!stream->n_events || chunk->end_ns > stream->end_ns)
            stream->end_ns = chunk->end_ns;
        stream->n_cpus_seen += !i || chunk[-1].stream != chunk->stream || chunk[-1].cpu != chunk->cpu;
        stream->n_events += chunk->n;
    }
}

static void add_cut_gap(struct store *store, uint32_t stream, int32_t cpu, int64_t last_ns)
{
    struct store_private *p = store->private;
    memory_reserve(p->more_gaps, p->more_gaps_capacity, p->n_more_gaps + 1);
    p->more_gaps[p->n_more_gaps++] =
        (struct gap){.stream = stream, .cpu = cpu, .begin_ns = last_ns < NS_LIMIT ? last_ns + 1 : last_ns,
                     .end_ns = NS_UNKNOWN, .n_lost = COUNT_UNKNOWN, .reason = "run file cut"};
}

/* Behind the last event of each CPU, and behind the last of all: what came there is not in the file. */
static void add_cut_gaps(struct store *store)
{
    for (size_t i = 0; i < store->n_event_chunks; i++) {
        const struct event_chunk *chunk = &store->event_chunks[i];
        if (i + 1 == store->n_event_chunks || chunk[1].stream != chunk->stream || chunk[1].cpu != chunk->cpu)
            add_cut_gap(store, chunk->stream, chunk->cpu, chunk->end_ns);
    }
    for (uint32_t i = 0; i < store->n_streams; i++)
        if (store->streams[i].n_events)
            add_cut_gap(store, i, CPU_UNKNOWN, store->streams[i].end_ns);
}

enum status reader_add_event_chunks(struct store *store, struct error *error)
{
    struct store_private *p = store->private;
    struct order *order = memory_new((p->n_chunks + 1) * sizeof *order);
    size_t n = 0;
    enum status status = OK;
    for (size_t i = 0; i < p->n_chunks && status == OK; i++) {
        struct chunk *chunk = &p->chunks[i];
        const struct chunk_header *header = &chunk->header;
        if (header->type != CHUNK_EVENTS)
            continue;
        const char *fault = chunk_fault(store, header);
        if (fault && !(store->is_recovered && header->owner >= store->n_streams))
            status = chunk_damaged(store, chunk, fault, error);
        if (fault)
            continue;
        order[n++] = (struct order){
            {.run = store->streams[header->owner].run, .stream = header->owner, .cpu = header->cpu, .n = header->n,
             .begin_ns = header->begin, .end_ns = header->end, .offset = chunk->offset}, chunk};
    }
    bool is_sorted = true; /* as one stream's chunks are, CPU after CPU */
    for (size_t i = 1; i < n && is_sorted; i++)
        is_sorted = compare_chunks(&order[i - 1], &order[i]) < 0;
    if (!is_sorted)
        memory_sort(order, n, sizeof *order, compare_chunks);
    struct event_chunk *rows = memory_new((n + 1) * sizeof *rows);
    p->event_chunks = memory_new((n + 1) * sizeof *p->event_chunks);
    for (size_t i = 0; i < n; i++) {
        rows[i] = order[i].row;
        rows[i].index = (uint32_t)i;
        p->event_chunks[i] = order[i].chunk;
        store->n_events += rows[i].n;
        if (status == OK && i && rows[i].stream == rows[i - 1].stream && rows[i].cpu == rows[i - 1].cpu &&
            rows[i].begin_ns < rows[i - 1].end_ns)
            status = chunk_damaged(store, order[i].chunk, "it overlaps the one before it in time", error);
    }
    free(order);
    store->event_chunks = rows;
    store->n_event_chunks = n;
    if (store->is_recovered && status == OK) {
        count_streams(store);
        add_cut_gaps(store);
    }
    return status;
}

/* ---- first use of a chunk ---- */

static bool state_is_sound(const struct cpu_state *state, uint32_t n_strings)
{
    if (state->comm >= n_strings)
        return false;
    for (size_t i = 0; i < CPU_STATE_DEPTH; i++)
        if (state->open[i].name >= n_strings || state->open[i].kind < 0 || state->open[i].kind > OPEN_SYSCALL)
            return false;
    return true;
}

/* Words within the chunk, in order, and every string id known. */
static bool words_are_sound(const struct event_view *view, uint32_t n_strings)
{
    const struct kind_layout *layouts = kind_layouts();
    for (size_t i = 0; i < view->n; i++) {
        size_t begin = view->arg[i], end = i + 1 < view->n ? view->arg[i + 1] : view->n_words;
        unsigned kind = view->kind[i];
        if (begin > end || end > view->n_words)
            return false;
        if (kind >= KIND_END || !layouts[kind].is_known)
            continue; /* a later version's */
        const struct kind_layout *layout = &layouts[kind];
        if (end - begin < layout->n_words)
            return false;
        const uint32_t *words = view->words + begin;
        for (size_t k = 0; k < layout->n_strings; k++)
            if (words[layout->string_words[k]] >= n_strings)
                return false;
        if (layout->has_list)
            for (size_t k = layout->n_words; k < end - begin; k++)
                if (words[k] >= n_strings)
                    return false;
    }
    return true;
}

static bool times_are_sound(const struct event_view *view, const struct chunk_header *header)
{
    int64_t falls = 0;
    for (size_t i = 1; i < view->n; i++)
        falls |= view->time_ns[i] < view->time_ns[i - 1];
    return !falls && view->time_ns[0] == header->begin && view->time_ns[view->n - 1] == header->end;
}

static const char *make_view(struct store *store, struct chunk *chunk, const unsigned char *payload)
{
    const struct chunk_header *header = &chunk->header;
    const struct events_front *front = (const void *)payload;
    size_t n = header->n;
    uint64_t at = EVENTS_FRONT_BYTES, time_at = at, tid_at, flags_at, arg_at, kind_at, words_at;
    tid_at = time_at + layout_align(n * 8);
    flags_at = tid_at + layout_align(n * 4);
    arg_at = flags_at + layout_align(n * 4);
    kind_at = arg_at + layout_align(n * 4);
    words_at = kind_at + layout_align(n * 2);
    if (header->plain_bytes != words_at + layout_align((uint64_t)front->n_words * 4))
        return "its columns do not fit";
    struct event_view *view = arena_new(&store->private->arena, sizeof *view);
    *view = (struct event_view){
        .n = n,
        .time_ns = (const void *)(payload + time_at),
        .tid = (const void *)(payload + tid_at),
        .kind = (const void *)(payload + kind_at),
        .flags = (const void *)(payload + flags_at),
        .arg = (const void *)(payload + arg_at),
        .words = (const void *)(payload + words_at),
        .n_words = front->n_words,
        .flags_known = front->flags_known,
        .cpu = header->cpu,
        .stream = header->owner,
        .state = (const void *)(payload + sizeof *front),
    };
    uint32_t n_strings = store->private->n_strings;
    if (!times_are_sound(view, header))
        return "its times are not in order";
    if (!state_is_sound(view->state, n_strings))
        return "its CPU state is out of range";
    if (!words_are_sound(view, n_strings))
        return "its arguments are out of range";
    chunk->view = view;
    return NULL;
}

static bool read_at(int fd, unsigned char *bytes, size_t n, uint64_t offset)
{
    while (n) {
        ssize_t got = pread(fd, bytes, n, (off_t)offset);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        bytes += got > 0 ? got : 0;
        offset += got > 0 ? (uint64_t)got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/*
 * The payload of an event chunk, until the next call. What is widened and then of no use is read: cheaper than to map its
 * pages and to give them back.
 */
static const unsigned char *event_payload(struct store *store, struct chunk *chunk, struct error *error)
{
    struct store_private *p = store->private;
    const struct chunk_header *header = &chunk->header;
    if (header->version == 1 || p->fd < 0 || header->stored_bytes > READ_BYTES) {
        chunk_touch(store, chunk);
        return chunk_payload(store, chunk, error);
    }
    memory_reserve(p->packed, p->packed_capacity, header->stored_bytes);
    if (!read_at(p->fd, p->packed, header->stored_bytes, chunk->offset + sizeof *header)) {
        chunk_damaged(store, chunk, "it cannot be read", error);
        return NULL;
    }
    if (crc32c(0, p->packed, header->stored_bytes) != header->payload_crc) {
        chunk_damaged(store, chunk, "its checksum is wrong", error);
        return NULL;
    }
    return p->packed;
}

enum status store_event_times(const struct store *const_store, size_t index, int64_t *time_ns, struct error *error)
{
    struct store *store = (struct store *)(uintptr_t)const_store;
    struct chunk *chunk = store->private->event_chunks[index];
    if (chunk->view || chunk->header.version == 1) {
        const struct event_view *view = reader_event_view(store, index, VIEW_LOOK, error);
        if (view)
            memcpy(time_ns, view->time_ns, view->n * sizeof *time_ns);
        return view ? OK : FAILED;
    }
    const unsigned char *payload = event_payload(store, chunk, error);
    if (!payload)
        return FAILED;
    const char *fault = reader_wide_times(store, chunk, payload, time_ns);
    return fault ? chunk_damaged(store, chunk, fault, error) : OK;
}

const struct event_view *reader_event_view(struct store *store, size_t index, enum view_use use, struct error *error)
{
    struct chunk *chunk = store->private->event_chunks[index];
    if (!chunk->view) {
        const unsigned char *payload = event_payload(store, chunk, error);
        if (!payload)
            return NULL;
        const char *fault;
        if (chunk->header.version == 1)
            fault = make_view(store, chunk, payload);
        else if (!state_is_sound((const void *)(payload + sizeof(struct events_front)), store->private->n_strings))
            fault = "its CPU state is out of range";
        else
            chunk->view = (void *)(uintptr_t)reader_wide_view(store, chunk, payload, &fault);
        if (fault) {
            chunk_damaged(store, chunk, fault, error);
            return NULL;
        }
    } else if (chunk->header.version == 1) {
        chunk_touch(store, chunk);
    }
    reader_use_view(store, chunk, use == VIEW_LEND, use == VIEW_PIN);
    return chunk->view;
}

enum status store_event_view(const struct store *store, size_t chunk, struct event_view *view, struct error *error)
{
    const struct event_view *own = reader_event_view((struct store *)(uintptr_t)store, chunk, VIEW_LEND, error);
    if (!own)
        return FAILED;
    *view = *own;
    return OK;
}

size_t event_n_words(const struct event_view *view, size_t i)
{
    return (i + 1 < view->n ? view->arg[i + 1] : view->n_words) - view->arg[i];
}
