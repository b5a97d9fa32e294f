/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parallel driver. A work item is a run of pages (or of packed chunks) of one CPU, a quarter of a megabyte, so that
 * its events stay in the cache between decoding and writing. Items are claimed in order by any thread and committed
 * in order by the main one, which decodes too while it waits:
 *
 *     items      0 1 2 3 4 5 6 7 ...
 *                committed | decoded, waiting | being decoded | window's end: nobody claims beyond it
 *
 * Same file, same bytes, whatever the number of threads: only commits touch the store. Memory is the window's.
 */
#include "importers/mark.h"
#include "importers/trace_dat_walk.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/trace_dat_decode.h"

#define ITEM_BYTES      (256u << 10) /* unpacked */
#define ITEM_MAX_CHUNKS 4096
#define MAX_WINDOW      64
#define SHARED_BYTES    (16u << 20) /* of input that several threads leave mapped behind them */
#define TEXT_BUDGET     (UINT64_C(256) << 20) /* of texts of events without a kind */

struct item {
    uint32_t buffer, cpu; /* indices */
    uint64_t offset, size;
    size_t n_chunks;      /* 0: plain pages */
    bool ends_cpu;
};

struct slot {
    struct trace_result result;
    bool is_done;
};

struct walk {
    struct import *import;
    const struct trace_file *file;
    const struct trace_formats *formats;
    const uint32_t *streams;
    size_t n_items, items_capacity;
    struct item *items;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* an item is done, or there is room in the window */
    size_t next_claim, next_commit, window;
    struct slot slots[MAX_WINDOW]; /* item i lives in slot i % window */
    size_t n_free, free_capacity;
    struct trace_batch **free_batches;
    uint64_t text_budget;

    /* of the CPU being committed */
    int64_t first_ns, last_ns;
    uint64_t n_marked;      /* lost events that marks counted */
    bool has_uncounted;     /* a mark without a count */
    struct trace_gap open_gap;
    bool has_open_gap;
    uint64_t n_mapped; /* bytes of committed items, the latest, that are still mapped */
    /* of all */
    uint64_t n_events, n_lost, n_gaps, n_gaps_before, n_gaps_uncounted;
    uint64_t n_damaged_pages, n_damaged_records, n_unknown_ids, n_texts_dropped, n_unpack_errors, first_damage;
};

/* ---- items ---- */

static void add_item(struct walk *walk, struct item item)
{
    memory_reserve(walk->items, walk->items_capacity, walk->n_items + 1);
    walk->items[walk->n_items++] = item;
}

static void add_plain_items(struct walk *walk, uint32_t buffer, uint32_t cpu)
{
    const struct trace_cpu *extent = &walk->file->buffers[buffer].cpus[cpu];
    uint64_t page = walk->file->buffers[buffer].page_size, run = ITEM_BYTES / page * page;
    run = run ? run : page;
    for (uint64_t at = 0; at < extent->size; at += run) {
        uint64_t left = extent->size - at;
        add_item(walk, (struct item){buffer, cpu, extent->offset + at, left < run ? left : run, 0, left <= run});
    }
}

/* u32 chunks, then each u32 packed, u32 unpacked, bytes. */
static void add_packed_items(struct walk *walk, uint32_t buffer, uint32_t cpu)
{
    const struct trace_cpu *extent = &walk->file->buffers[buffer].cpus[cpu];
    struct cursor cursor = cursor_of((struct span){walk->file->file.bytes + extent->offset, (size_t)extent->size}, walk->file->big);
    uint32_t n_left = cursor_u32(&cursor);
    size_t first = walk->n_items;
    while (n_left && !cursor.failed) {
        struct item item = {buffer, cpu, (uint64_t)(cursor.p - walk->file->file.bytes), 0, 0, false};
        uint64_t unpacked = 0;
        while (n_left && !cursor.failed && item.n_chunks < ITEM_MAX_CHUNKS) {
            struct cursor ahead = cursor;
            uint32_t packed = cursor_u32(&ahead), bytes = cursor_u32(&ahead);
            if (item.n_chunks && unpacked + bytes > ITEM_BYTES)
                break;
            cursor_span(&ahead, packed);
            cursor = ahead;
            unpacked += bytes;
            item.n_chunks++;
            n_left--;
        }
        item.size = (uint64_t)(cursor.p - walk->file->file.bytes) - item.offset;
        add_item(walk, item);
    }
    if (n_left)
        import_note_n(walk->import, "file-truncated", n_left, extent->offset,
                      "the packed pages of cpu %d end before they are complete", extent->cpu);
    if (walk->n_items > first)
        walk->items[walk->n_items - 1].ends_cpu = true;
}

static void list_items(struct walk *walk)
{
    for (uint32_t b = 0; b < walk->file->n_buffers; b++)
        for (uint32_t c = 0; c < walk->file->buffers[b].n_cpus && !walk->file->buffers[b].is_text; c++) {
            if (walk->file->buffers[b].compression == TRACE_PLAIN)
                add_plain_items(walk, b, c);
            else
                add_packed_items(walk, b, c);
        }
}

/* ---- decoding ---- */

static struct trace_batch *take_batch(void *context)
{
    struct walk *walk = context;
    pthread_mutex_lock(&walk->lock);
    struct trace_batch *batch = walk->n_free ? walk->free_batches[--walk->n_free] : NULL;
    pthread_mutex_unlock(&walk->lock);
    return batch ? batch : trace_batch_new();
}

static void advise(const unsigned char *bytes, size_t size, int advice)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)bytes & ~(page - 1);
    (void)madvise((void *)begin, (uintptr_t)bytes + size - begin, advice);
}

/* Maps the item's pages in one call; page faults one by one cost a tenth of the walk. Older kernels refuse: no harm. */
static void populate(const unsigned char *bytes, size_t size)
{
#ifdef MADV_POPULATE_READ
    advise(bytes, size, MADV_POPULATE_READ);
#else
    (void)bytes;
    (void)size;
#endif
}

static void decode_item(struct walk *walk, struct trace_worker *worker, size_t index)
{
    const struct item *item = &walk->items[index];
    const struct trace_buffer *buffer = &walk->file->buffers[item->buffer];
    struct trace_result *result = &walk->slots[index % walk->window].result;
    *result = (struct trace_result){.last_ns = NS_UNKNOWN};
    worker->result = result;
    worker->batch = NULL;
    const unsigned char *bytes = walk->file->file.bytes + item->offset;
    populate(bytes, (size_t)item->size);
    if (item->n_chunks)
        trace_worker_chunks(worker, (struct span){bytes, (size_t)item->size}, item->n_chunks, buffer->page_size,
                            buffer->compression, item->offset);
    else
        trace_worker_pages(worker, bytes, (size_t)item->size, buffer->page_size, item->offset);
    trace_worker_finish(worker);
}

static struct trace_worker *new_worker(struct walk *walk)
{
    struct trace_worker *worker = trace_worker_new(walk->formats, walk->file);
    worker->take_batch = take_batch;
    worker->take_context = walk;
    worker->text_budget = &walk->text_budget;
    return worker;
}

/* Claims, decodes, until there is nothing left to claim. */
static void *helper_main(void *argument)
{
    struct walk *walk = argument;
    struct trace_worker *worker = new_worker(walk);
    pthread_mutex_lock(&walk->lock);
    while (walk->next_claim < walk->n_items) {
        if (walk->next_claim >= walk->next_commit + walk->window) {
            pthread_cond_wait(&walk->changed, &walk->lock);
            continue;
        }
        size_t index = walk->next_claim++;
        pthread_mutex_unlock(&walk->lock);
        decode_item(walk, worker, index);
        pthread_mutex_lock(&walk->lock);
        walk->slots[index % walk->window].is_done = true;
        pthread_cond_broadcast(&walk->changed);
    }
    pthread_mutex_unlock(&walk->lock);
    trace_worker_free(worker);
    return NULL;
}

/* ---- committing ---- */

static void add_gap(struct walk *walk, const struct item *item, struct trace_gap gap, const char *reason)
{
    const struct trace_buffer *buffer = &walk->file->buffers[item->buffer];
    if (gap.begin_ns != NS_UNKNOWN && gap.end_ns != NS_UNKNOWN && gap.end_ns < gap.begin_ns)
        gap.end_ns = gap.begin_ns;
    store_add_gap(walk->import->store, &(struct gap){.run = walk->import->run, .stream = walk->streams[item->buffer],
                                                     .cpu = buffer->cpus[item->cpu].cpu, .begin_ns = gap.begin_ns,
                                                     .end_ns = gap.end_ns, .n_lost = gap.n_lost, .reason = reason});
    walk->n_gaps++;
    walk->n_gaps_before += gap.begin_ns == NS_UNKNOWN;
    if (gap.n_lost != COUNT_UNKNOWN)
        walk->n_lost += gap.n_lost;
    else
        walk->n_gaps_uncounted++;
}

static const char *gap_reason(const struct trace_gap *gap)
{
    return gap->is_damage ? "damaged file" : "overrun";
}

/* Gaps of a result begin or end in the results beside it. */
static void commit_gaps(struct walk *walk, const struct item *item, struct trace_result *result, int64_t first_ns)
{
    if (walk->has_open_gap && first_ns != NS_UNKNOWN) {
        walk->open_gap.end_ns = first_ns;
        add_gap(walk, item, walk->open_gap, gap_reason(&walk->open_gap));
        walk->has_open_gap = false;
    }
    for (size_t i = 0; i < result->n_gaps; i++) {
        struct trace_gap gap = result->gaps[i];
        if (gap.begin_ns == NS_UNKNOWN)
            gap.begin_ns = walk->last_ns;
        if (gap.n_lost == COUNT_UNKNOWN)
            walk->has_uncounted = true;
        else
            walk->n_marked += gap.n_lost;
        if (gap.end_ns == NS_UNKNOWN) {
            /* Marks of pages without events: one gap with what they count together. */
            if (walk->has_open_gap && gap.n_lost != COUNT_UNKNOWN && walk->open_gap.n_lost != COUNT_UNKNOWN)
                walk->open_gap.n_lost += gap.n_lost;
            else if (!walk->has_open_gap)
                walk->open_gap = gap;
            walk->has_open_gap = true;
        } else {
            add_gap(walk, item, gap, gap_reason(&gap));
        }
    }
}

/* What the kernel's own counts of this CPU say beyond the marks. */
static void commit_stats(struct walk *walk, const struct item *item)
{
    const struct trace_buffer *buffer = &walk->file->buffers[item->buffer];
    for (size_t i = 0; i < buffer->n_stats; i++) {
        const struct trace_stats *stats = &buffer->stats[i];
        if (stats->cpu != buffer->cpus[item->cpu].cpu)
            continue;
        uint64_t n_overrun = stats->n_overrun == COUNT_UNKNOWN ? 0 : stats->n_overrun;
        if (n_overrun > walk->n_marked && !walk->has_uncounted)
            add_gap(walk, item, (struct trace_gap){NS_UNKNOWN, walk->first_ns, n_overrun - walk->n_marked, false}, "overrun");
        if (stats->n_dropped && stats->n_dropped != COUNT_UNKNOWN)
            add_gap(walk, item, (struct trace_gap){walk->last_ns, NS_UNKNOWN, stats->n_dropped, false}, "dropped");
        if (stats->n_commit_overrun && stats->n_commit_overrun != COUNT_UNKNOWN)
            add_gap(walk, item, (struct trace_gap){NS_UNKNOWN, NS_UNKNOWN, stats->n_commit_overrun, false}, "commit overrun");
    }
}

static void begin_cpu(struct walk *walk)
{
    walk->first_ns = walk->last_ns = NS_UNKNOWN;
    walk->n_marked = 0;
    walk->has_uncounted = walk->has_open_gap = false;
}

/* What a measuring tool wrote into the trace when a latency was too long: "hit latency threshold (117 > 100)". */
static void claim_marks(struct walk *walk, uint32_t stream, int32_t cpu, const struct trace_batch *batch)
{
    const struct event_columns *c = batch->columns;
    size_t slot = 0, row = 0;
    while (slot < c->n_kinds && c->kinds[slot].kind != KIND_PRINT)
        slot++;
    for (size_t i = 0; i < c->n && slot < c->n_kinds; i++) {
        if (c->slot[i] != slot)
            continue;
        size_t length;
        const char *text = event_columns_get(c, c->kinds[slot].narrow[1][row++], &length);
        int64_t latency_ns;
        if (!text || !mark_parse(text, length, &latency_ns))
            continue;
        char words[256];
        snprintf(words, sizeof words, "%.*s", (int)(length < 255 ? length : 255), text);
        struct claim claim = claim_unknown();
        claim.run = walk->import->run;
        claim.artefact = walk->import->artefact;
        claim.kind = CLAIM_MARK;
        claim.stream = stream;
        claim.cpu = cpu;
        claim.tid = batch->tid[i];
        int thread; /* whylate-capture's helper marks for the thread that was late */
        if (sscanf(words, "whylate: outlier %*u thread %d", &thread) == 1)
            claim.tid = thread;
        claim.latency_ns = latency_ns;
        claim.time_ns = batch->time_ns[i];
        claim.text = words;
        store_add_claim(walk->import->store, &claim);
    }
}

static void commit_batches(struct walk *walk, const struct item *item, struct trace_result *result)
{
    int32_t cpu = walk->file->buffers[item->buffer].cpus[item->cpu].cpu;
    for (size_t i = 0; i < result->n_batches; i++) {
        struct trace_batch *batch = result->batches[i];
        walk->last_ns = batch->time_ns[batch->n - 1];
        if (walk->first_ns == NS_UNKNOWN)
            walk->first_ns = batch->time_ns[0];
        walk->n_events += batch->n;
        claim_marks(walk, walk->streams[item->buffer], cpu, batch);
        store_commit_columns(walk->import->store, walk->streams[item->buffer], cpu, batch->columns);
        pthread_mutex_lock(&walk->lock);
        memory_reserve(walk->free_batches, walk->free_capacity, walk->n_free + 1);
        walk->free_batches[walk->n_free++] = batch;
        pthread_mutex_unlock(&walk->lock);
    }
}

/*
 * Gives the pages of committed items back; input is a mapped file, so a page that is looked at again comes again. One thread
 * does it at once, while the kernel's records of them are in the cache (4 % of the import against 16 MB later). With several,
 * each call interrupts the other CPUs, who may still know the pages: a fifth of the import if done for every item.
 */
static void give_back(struct walk *walk, const struct item *item)
{
    walk->n_mapped += item->size;
    if (walk->window > 1 && walk->n_mapped < SHARED_BYTES && !item->ends_cpu)
        return;
    advise(walk->file->file.bytes + item->offset + item->size - walk->n_mapped, (size_t)walk->n_mapped, MADV_DONTNEED);
    walk->n_mapped = 0;
}

static void commit_item(struct walk *walk, size_t index)
{
    const struct item *item = &walk->items[index];
    struct trace_result *result = &walk->slots[index % walk->window].result;
    int64_t first_ns = result->n_batches ? result->batches[0]->time_ns[0] : NS_UNKNOWN;
    commit_gaps(walk, item, result, first_ns);
    commit_batches(walk, item, result);
    if (item->ends_cpu) {
        if (walk->has_open_gap)
            add_gap(walk, item, walk->open_gap, gap_reason(&walk->open_gap));
        commit_stats(walk, item);
        begin_cpu(walk);
    }
    walk->n_damaged_pages += result->n_damaged_pages;
    walk->n_damaged_records += result->n_damaged_records;
    walk->n_unknown_ids += result->n_unknown_ids;
    walk->n_texts_dropped += result->n_texts_dropped;
    walk->n_unpack_errors += result->n_unpack_errors;
    if (!walk->first_damage)
        walk->first_damage = result->first_damage;
    trace_result_release(result);
    give_back(walk, item);
    import_progress(walk->import, (size_t)(item->offset + item->size));
}

/* Commits what is done, in order; decodes the next item while the one due is not. */
static void run_main(struct walk *walk)
{
    struct trace_worker *worker = new_worker(walk);
    begin_cpu(walk);
    pthread_mutex_lock(&walk->lock);
    while (walk->next_commit < walk->n_items) {
        struct slot *due = &walk->slots[walk->next_commit % walk->window];
        if (due->is_done) {
            pthread_mutex_unlock(&walk->lock);
            commit_item(walk, walk->next_commit);
            pthread_mutex_lock(&walk->lock);
            due->is_done = false;
            walk->next_commit++;
            pthread_cond_broadcast(&walk->changed);
        } else if (walk->next_claim < walk->n_items && walk->next_claim < walk->next_commit + walk->window) {
            size_t index = walk->next_claim++;
            pthread_mutex_unlock(&walk->lock);
            decode_item(walk, worker, index);
            pthread_mutex_lock(&walk->lock);
            walk->slots[index % walk->window].is_done = true;
        } else {
            pthread_cond_wait(&walk->changed, &walk->lock);
        }
    }
    pthread_mutex_unlock(&walk->lock);
    trace_worker_free(worker);
}

static void note_damage(struct walk *walk)
{
    struct import *import = walk->import;
    uint64_t at = walk->first_damage;
    if (walk->n_damaged_pages)
        import_note_n(import, "damaged-lines", walk->n_damaged_pages, at, "pages are damaged and were read up to the damage");
    if (walk->n_damaged_records)
        import_note_n(import, "damaged-lines", walk->n_damaged_records, 0, "records are shorter than their event's format and were left out");
    if (walk->n_unpack_errors)
        import_note_n(import, "damaged-lines", walk->n_unpack_errors, at, "packed pages do not unpack; their events are lost");
    if (walk->n_unknown_ids)
        import_note_n(import, "entries-missing", walk->n_unknown_ids, 0, "events have an id without a format");
    if (walk->n_texts_dropped)
        import_note_n(import, "entries-missing", walk->n_texts_dropped, 0, "events of kinds that no analysis uses are kept without their text");
    if (!walk->n_gaps)
        return;
    char n_lost[64];
    snprintf(n_lost, sizeof n_lost, walk->n_gaps_uncounted ? walk->n_lost ? "at least %" PRIu64 " events" : "events" : "%" PRIu64 " events", walk->n_lost);
    if (walk->n_gaps == walk->n_gaps_before)
        import_note(import, "events-lost", 0, "%s were overwritten before the first that is here: the buffer kept the latest", n_lost);
    else if (walk->n_gaps_before)
        import_note(import, "events-lost", 0, "%s were lost while recording, in %" PRIu64 " places, %" PRIu64 " of them before the first event that is here",
                    n_lost, walk->n_gaps, walk->n_gaps_before);
    else
        import_note(import, "events-lost", 0, "%s were lost while recording, in %" PRIu64 " place%s", n_lost, walk->n_gaps, walk->n_gaps == 1 ? "" : "s");
}

void trace_walk(struct import *import, const struct trace_file *file, const struct trace_formats *formats,
                const uint32_t *streams, uint64_t *n_events)
{
    struct walk *walk = memory_new(sizeof *walk);
    walk->import = import;
    walk->file = file;
    walk->formats = formats;
    walk->streams = streams;
    walk->text_budget = TEXT_BUDGET;
    list_items(walk);
    size_t n_threads = import->n_threads > 1 ? (size_t)import->n_threads : 1;
    if (n_threads > walk->n_items)
        n_threads = walk->n_items ? walk->n_items : 1;
    if (n_threads > MAX_WINDOW / 2)
        n_threads = MAX_WINDOW / 2;
    walk->window = n_threads == 1 ? 1 : n_threads * 2;
    pthread_mutex_init(&walk->lock, NULL);
    pthread_cond_init(&walk->changed, NULL);
    pthread_t helpers[MAX_WINDOW];
    size_t n_helpers = 0;
    while (n_helpers + 1 < n_threads && !pthread_create(&helpers[n_helpers], NULL, helper_main, walk))
        n_helpers++;
    run_main(walk);
    for (size_t i = 0; i < n_helpers; i++)
        pthread_join(helpers[i], NULL);
    note_damage(walk);
    *n_events = walk->n_events;
    for (size_t i = 0; i < walk->n_free; i++)
        trace_batch_free(walk->free_batches[i]);
    pthread_cond_destroy(&walk->changed);
    pthread_mutex_destroy(&walk->lock);
    free(walk->free_batches);
    free(walk->items);
    free(walk);
}
