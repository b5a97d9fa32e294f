/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches of events become chunks: local strings global, the CPU's state in front, and the sink for text importers. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "store/kinds.h"
#include "store/writer_private.h"

#define MAX_CPU 8191 /* CPUSET_MAX - 1: nobody indexes with more */

static struct cpu_writer *cpu_of(struct store_writer *writer, uint32_t stream, int32_t cpu)
{
    struct stream_writer *to = &writer->streams[stream];
    size_t i = (size_t)(cpu + 1), old = to->cpus_capacity;
    memory_reserve(to->cpus, to->cpus_capacity, i + 1);
    if (to->cpus_capacity > old)
        memset(to->cpus + old, 0, (to->cpus_capacity - old) * sizeof *to->cpus);
    if (!to->cpus[i].is_used) {
        to->cpus[i].is_used = true;
        to->cpus[i].last_ns = INT64_MIN;
        cpu_state_init(&to->cpus[i].state);
        store_edit_stream(writer, stream)->n_cpus_seen++;
    }
    return &to->cpus[i];
}

void writer_set_cpu_state(struct store_writer *writer, uint32_t stream, int32_t cpu, const struct cpu_state *state)
{
    cpu_of(writer, stream, cpu)->state = *state;
}

static uint32_t global_id(struct store_writer *writer, struct event_batch *batch, uint32_t local)
{
    size_t length;
    const char *string = string_set_get(batch->strings, local, &length);
    return batch->global_ids[local] = writer_string(writer, string, length);
}

/* Ids are given out in the order in which the chunk's words use them, so the bytes do not depend on what else was interned. */
static void make_strings_global(struct store_writer *writer, struct event_batch *batch)
{
    size_t n_local = string_set_count(batch->strings) + 1;
    if (batch->writer != writer->serial)
        batch->n_global_ids = 0;
    batch->writer = writer->serial;
    memory_reserve(batch->global_ids, batch->global_ids_capacity, n_local);
    if (n_local > batch->n_global_ids)
        memset(batch->global_ids + batch->n_global_ids, 0, (n_local - batch->n_global_ids) * sizeof *batch->global_ids);
    batch->n_global_ids = n_local;
    for (size_t i = 0; i < batch->n_string_words; i++) {
        uint32_t *word = &batch->words[batch->string_words[i]], local = *word;
        if (!local)
            continue;
        uint32_t global = batch->global_ids[local];
        *word = global ? global : global_id(writer, batch, local);
    }
}

/* Raises times that fall, and carries the state over the batch. How many of its rows are stacks, not events. */
static size_t walk(struct cpu_writer *cpu, struct event_batch *batch)
{
    const struct kind_layout *layouts = kind_layouts();
    struct cpu_state *state = &cpu->state;
    int64_t last_ns = cpu->last_ns;
    size_t n_stacks = 0;
    for (size_t i = 0; i < batch->n; i++) {
        unsigned kind = batch->kind[i];
        n_stacks += kind == KIND_KERNEL_STACK || kind == KIND_USER_STACK;
        if (__builtin_expect(batch->time_ns[i] < last_ns, 0)) {
            batch->time_ns[i] = last_ns;
            cpu->n_raised++;
        }
        last_ns = batch->time_ns[i];
        if (kind < KIND_END) /* an importer that gives too few words is wrong: the next chunk's readers would refuse it */
            assert((i + 1 < batch->n ? batch->arg[i + 1] : batch->n_words) - batch->arg[i] >= layouts[kind].n_words);
        cpu_state_step(state, last_ns, batch->tid[i], kind, batch->words + batch->arg[i]);
    }
    cpu->last_ns = last_ns;
    return n_stacks;
}

static size_t add_column(struct iovec *pieces, size_t n, const void *column, size_t bytes)
{
    static const unsigned char zeros[LAYOUT_ALIGN];
    pieces[n++] = (struct iovec){(void *)(uintptr_t)column, bytes};
    if (layout_align(bytes) != bytes)
        pieces[n++] = (struct iovec){(void *)(uintptr_t)zeros, layout_align(bytes) - bytes};
    return n;
}

void store_commit_events(struct store_writer *writer, uint32_t stream, int32_t cpu, struct event_batch *batch)
{
    if (!batch->n)
        return;
    assert(stream < writer->tables[TABLE_STREAMS].n && cpu >= CPU_UNKNOWN && cpu <= MAX_CPU);
    struct cpu_writer *to = cpu_of(writer, stream, cpu);
    struct stream *row = store_edit_stream(writer, stream);
    make_strings_global(writer, batch);
    struct cpu_state before = to->state;
    size_t n_stacks = walk(to, batch);

    int64_t begin_ns = batch->time_ns[0], end_ns = batch->time_ns[batch->n - 1];
    if (!row->n_events || begin_ns < row->begin_ns)
        row->begin_ns = begin_ns;
    if (!row->n_events || end_ns > row->end_ns)
        row->end_ns = end_ns;
    row->n_events += batch->n - n_stacks; /* a stack belongs to the event before it */
    writer->n_events += batch->n - n_stacks;

    writer_snapshot_if_due(writer, TABLE_STREAMS, stream);
    writer_flush_strings(writer);
    struct events_front front = {.flags_known = batch->flags_known, .n_words = (uint32_t)batch->n_words};
    struct iovec pieces[OUTPUT_PIECES] = {{&front, sizeof front}, {&before, sizeof before}};
    size_t n = 2;
    n = add_column(pieces, n, batch->time_ns, batch->n * sizeof *batch->time_ns);
    n = add_column(pieces, n, batch->tid, batch->n * sizeof *batch->tid);
    n = add_column(pieces, n, batch->flags, batch->n * sizeof *batch->flags);
    n = add_column(pieces, n, batch->arg, batch->n * sizeof *batch->arg);
    n = add_column(pieces, n, batch->kind, batch->n * sizeof *batch->kind);
    n = add_column(pieces, n, batch->words, batch->n_words * sizeof *batch->words);
    struct chunk_header header = {.type = CHUNK_EVENTS, .begin = begin_ns, .end = end_ns, .owner = stream, .cpu = cpu,
                                  .n = (uint32_t)batch->n};
    output_chunk(&writer->output, header, pieces, n);
    event_batch_clear(batch);
}

/* Times that fell on one CPU are the source's fault (or its clock's): said once per CPU. */
void writer_note_raised(struct store_writer *writer)
{
    for (uint32_t i = 0; i < writer->tables[TABLE_STREAMS].n; i++) {
        const struct stream *stream = store_edit_stream(writer, i);
        for (size_t k = 0; k < writer->streams[i].cpus_capacity; k++) {
            const struct cpu_writer *cpu = &writer->streams[i].cpus[k];
            char text[128];
            if (!cpu->n_raised)
                continue;
            snprintf(text, sizeof text, "CPU %d has events stamped before their predecessor: taken as simultaneous",
                     (int)k - 1);
            store_add_note(writer, &(struct note){.artefact = stream->artefact, .run = stream->run,
                                                  .code = "events-out-of-order", .count = cpu->n_raised, .text = text});
        }
    }
}

/* ---- the sink ---- */

struct event_sink {
    struct store_writer *writer;
    uint32_t stream, flags_known;
    struct event_batch **batches; /* [cpu + 1] */
    size_t capacity, n_live;
};

/* A batch has room for a chunk: so many at once, whatever CPU numbers a text may hold. */
#define MAX_LIVE_BATCHES 512u

static void commit_all(struct event_sink *sink)
{
    for (size_t i = 0; i < sink->capacity; i++)
        if (sink->batches[i]) {
            store_commit_events(sink->writer, sink->stream, (int32_t)i - 1, sink->batches[i]);
            event_batch_free(sink->batches[i]);
            sink->batches[i] = NULL;
        }
    sink->n_live = 0;
}

struct event_sink *event_sink_new(struct store_writer *writer, uint32_t stream)
{
    struct event_sink *sink = memory_new(sizeof *sink);
    sink->writer = writer;
    sink->stream = stream;
    return sink;
}

void event_sink_set_flags_known(struct event_sink *sink, uint32_t flags_known)
{
    sink->flags_known = flags_known;
}

struct event_batch *event_sink_batch(struct event_sink *sink, int32_t cpu)
{
    assert(cpu >= CPU_UNKNOWN && cpu <= MAX_CPU);
    size_t i = (size_t)(cpu + 1), old = sink->capacity;
    if (i >= old) {
        memory_reserve(sink->batches, sink->capacity, i + 1);
        memset(sink->batches + old, 0, (sink->capacity - old) * sizeof *sink->batches);
    }
    struct event_batch *batch = sink->batches[i];
    if (!batch) {
        if (sink->n_live == MAX_LIVE_BATCHES)
            commit_all(sink);
        batch = sink->batches[i] = event_batch_new();
        sink->n_live++;
    }
    if (event_batch_is_full(batch) || (batch->n && batch->flags_known != sink->flags_known))
        store_commit_events(sink->writer, sink->stream, cpu, batch);
    batch->flags_known = sink->flags_known;
    return batch;
}

void event_sink_free(struct event_sink *sink)
{
    if (!sink)
        return;
    commit_all(sink);
    free(sink->batches);
    free(sink);
}
