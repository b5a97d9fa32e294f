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
        to->cpus[i].last_ns = -NS_LIMIT;
        cpu_state_init(&to->cpus[i].state);
        store_edit_stream(writer, stream)->n_cpus_seen++;
    }
    return &to->cpus[i];
}

void writer_set_cpu_state(struct store_writer *writer, uint32_t stream, int32_t cpu, const struct cpu_state *state)
{
    cpu_of(writer, stream, cpu)->state = *state;
}

/* The run file's id of a local string. */
static uint32_t global_id(struct store_writer *writer, struct local_strings *strings, uint32_t local)
{
    if (strings->writer != writer->serial)
        strings->n_global_ids = 0;
    strings->writer = writer->serial;
    if (local >= strings->n_global_ids) {
        size_t n = string_set_count(strings->set) + 1;
        memory_reserve(strings->global_ids, strings->global_ids_capacity, n);
        memset(strings->global_ids + strings->n_global_ids, 0, (n - strings->n_global_ids) * sizeof *strings->global_ids);
        strings->n_global_ids = n;
    }
    if (!strings->global_ids[local]) {
        size_t length;
        const char *string = string_set_get(strings->set, local, &length);
        strings->global_ids[local] = writer_string(writer, string, length);
    }
    return strings->global_ids[local];
}

/* Ids are given out in the order in which the chunk's words use them, so the bytes do not depend on what else was interned. */
static void make_strings_global(struct store_writer *writer, struct event_batch *batch)
{
    for (size_t i = 0; i < batch->n_string_words; i++) {
        uint32_t *word = &batch->words[batch->string_words[i]];
        if (*word)
            *word = global_id(writer, &batch->strings, *word);
    }
}

/* Raises times that fall, lowers those beyond the limit; false: there are none. */
static bool order_times(struct cpu_writer *cpu, int64_t *time_ns, size_t n)
{
    int64_t last_ns = cpu->last_ns;
    uint64_t n_raised = 0;
    for (size_t i = 0; i < n; i++) {
        if (__builtin_expect(time_ns[i] < last_ns, 0)) {
            time_ns[i] = last_ns;
            n_raised++;
        }
        last_ns = time_ns[i];
    }
    uint64_t n_limited = 0;
    for (size_t i = n; i-- > 0 && time_ns[i] > NS_LIMIT; n_limited++)
        time_ns[i] = NS_LIMIT;
    cpu->last_ns = n_limited ? NS_LIMIT : last_ns;
    cpu->n_raised += n_raised;
    cpu->n_limited += n_limited;
    return n_raised + n_limited > 0;
}

/* ---- a batch's columns ---- */

/* What the events of each kind say, from the batch's words; where[] lists where the words of each begin, kind by kind. */
static void fill_kind(struct event_columns *c, struct kind_columns *of, const struct event_batch *batch, const uint32_t *where)
{
    const struct event_kind_info *info = event_kind_info(of->kind);
    const uint32_t *words = batch->words;
    for (unsigned a = 0; a < info->n_arguments; a++) {
        switch (info->arguments[a].type) {
        case 'l':
        case 'X':
            for (size_t i = 0; i < of->n; i++)
                of->wide[a][i] = (uint64_t)event_words_i64(words + where[i]);
            words += 2;
            break;
        case 's':
            for (size_t i = 0; i < of->n; i++)
                of->narrow[a][i] = event_columns_string(c, words[where[i]]);
            words++;
            break;
        case 'S':
            of->list = c->n_lists;
            for (size_t i = 0; i < of->n; i++) {
                memory_reserve(c->lists, c->lists_capacity, c->n_lists + of->list_n[i]);
                for (uint32_t k = 0; k < of->list_n[i]; k++)
                    c->lists[c->n_lists++] = event_columns_string(c, words[where[i] + k]);
            }
            of->n_list = c->n_lists - of->list;
            break;
        default:
            for (size_t i = 0; i < of->n; i++)
                of->narrow[a][i] = words[where[i]];
            words++;
            break;
        }
    }
}

static void fill_columns(struct store_writer *writer, const struct event_batch *batch)
{
    const struct kind_layout *layouts = kind_layouts();
    struct event_columns *c = writer->columns;
    uint8_t slot_of[KIND_END];
    uint32_t n_of[KIND_END] = {0}, next[KIND_END], *where, at = 0;
    for (size_t i = 0; i < batch->n; i++) {
        assert(batch->kind[i] < KIND_END);
        n_of[batch->kind[i]]++;
    }
    event_columns_begin(c, batch->n, n_of, slot_of);
    event_columns_expect_strings(c, writer->n_strings);
    c->flags_known = batch->flags_known;
    c->time_ns = batch->time_ns;
    c->tid = batch->tid;
    c->flags = batch->flags;
    for (size_t k = 0; k < c->n_kinds; k++) {
        next[k] = at;
        at += c->kinds[k].n;
    }
    memory_reserve(writer->where, writer->where_capacity, batch->n);
    where = writer->where;
    for (size_t i = 0; i < batch->n; i++) {
        unsigned kind = batch->kind[i], slot = slot_of[kind];
        size_t n_words = (i + 1 < batch->n ? batch->arg[i + 1] : batch->n_words) - batch->arg[i];
        /* An importer that gives other words than its kind's is wrong. */
        assert(layouts[kind].has_list ? n_words >= layouts[kind].n_words : n_words == layouts[kind].n_words);
        c->slot[i] = (uint8_t)slot;
        where[next[slot]++] = batch->arg[i];
        if (layouts[kind].has_list) {
            struct kind_columns *of = &c->kinds[slot];
            of->list_n[of->n_list++] = (uint32_t)(n_words - layouts[kind].n_words);
        }
    }
    for (size_t k = 0; k < c->n_kinds; k++) {
        c->kinds[k].n_list = 0;
        fill_kind(c, &c->kinds[k], batch, where);
        where += c->kinds[k].n;
    }
}

/* ---- the state that is carried along ---- */

static uint32_t count_of(const struct event_columns *c, unsigned kind)
{
    for (size_t k = 0; k < c->n_kinds; k++)
        if (c->kinds[k].kind == kind)
            return c->kinds[k].n;
    return 0;
}

/* The words of an event, its strings as the dictionary has them by now: the run file's ids. */
static void words_of(const struct event_columns *c, const struct kind_columns *of, size_t row, uint32_t *words)
{
    const struct event_kind_info *info = event_kind_info(of->kind);
    for (unsigned a = 0; a < info->n_arguments; a++)
        switch (info->arguments[a].type) {
        case 'l':
        case 'X':
            event_words_set_i64(words, (int64_t)of->wide[a][row]);
            words += 2;
            break;
        case 's': *words++ = c->dictionary[of->narrow[a][row]]; break;
        case 'S': break;
        default: *words++ = of->narrow[a][row]; break;
        }
}

/*
 * A switch clears the state of all but open sections and idleness, so it is enough to follow a chunk's events from the
 * last switch that finds none of these; 0 without one. rows: of each kind, how many of its events come before that.
 */
static size_t last_clear_switch(const struct cpu_state *before, const struct event_columns *c, uint32_t rows[KIND_END])
{
    bool may_be_idle = count_of(c, KIND_CPU_IDLE) > 0;
    if (!count_of(c, KIND_SCHED_SWITCH) || count_of(c, KIND_IRQ_DISABLE) || count_of(c, KIND_PREEMPT_DISABLE))
        return 0;
    for (size_t i = 0; i < CPU_STATE_DEPTH; i++) {
        may_be_idle |= before->open[i].kind == OPEN_IDLE;
        if (before->open[i].kind == OPEN_IRQS_OFF || before->open[i].kind == OPEN_PREEMPT_OFF)
            return 0;
    }
    for (size_t k = 0; k < c->n_kinds; k++)
        rows[k] = c->kinds[k].n;
    for (size_t i = c->n; i-- > 0;) {
        const struct kind_columns *of = &c->kinds[c->slot[i]];
        uint32_t row = --rows[c->slot[i]];
        if (of->kind == KIND_SCHED_SWITCH && (!may_be_idle || of->narrow[5][row]))
            return i;
    }
    return 0;
}

static void carry_state(struct cpu_state *state, const struct event_columns *c)
{
    uint32_t rows[KIND_END] = {0}, words[2 * KIND_MAX_ARGUMENTS];
    size_t first = last_clear_switch(state, c, rows);
    if (first)
        cpu_state_init(state);
    else
        memset(rows, 0, sizeof rows);
    for (size_t i = first; i < c->n; i++) {
        const struct kind_columns *of = &c->kinds[c->slot[i]];
        uint32_t row = rows[c->slot[i]]++;
        if (cpu_state_kinds[of->kind])
            words_of(c, of, row, words);
        cpu_state_step(state, c->time_ns[i], c->tid[i], of->kind, words);
    }
}

/* ---- chunks ---- */

/* The packed columns become the next chunk; strings are the run file's ids by now. */
static void write_chunk(struct store_writer *writer, uint32_t stream, int32_t cpu, struct cpu_writer *to,
                        const struct event_columns *c)
{
    struct stream *row = store_edit_stream(writer, stream);
    size_t n_events = c->n - count_of(c, KIND_KERNEL_STACK) - count_of(c, KIND_USER_STACK); /* a stack belongs to the event before it */
    int64_t begin_ns = c->time_ns[0], end_ns = c->time_ns[c->n - 1];
    if (!row->n_events || begin_ns < row->begin_ns)
        row->begin_ns = begin_ns;
    if (!row->n_events || end_ns > row->end_ns)
        row->end_ns = end_ns;
    row->n_events += n_events;
    writer_snapshot_if_due(writer, TABLE_STREAMS, stream);
    writer_flush_strings(writer);
    memcpy(c->bytes + sizeof(struct events_front), &to->state, sizeof to->state);
    memcpy(c->bytes + c->dictionary_at, c->dictionary, c->n_dictionary * sizeof *c->dictionary);
    struct iovec piece = {c->bytes, c->n_bytes};
    output_chunk(&writer->output,
                 (struct chunk_header){.type = CHUNK_EVENTS, .begin = begin_ns, .end = end_ns, .owner = stream, .cpu = cpu,
                                       .n = (uint32_t)c->n},
                 &piece, 1);
    carry_state(&to->state, c);
}

void store_commit_events(struct store_writer *writer, uint32_t stream, int32_t cpu, struct event_batch *batch)
{
    if (!batch->n)
        return;
    assert(stream < writer->tables[TABLE_STREAMS].n && cpu >= CPU_UNKNOWN && cpu <= MAX_CPU);
    struct cpu_writer *to = cpu_of(writer, stream, cpu);
    if (!writer->columns)
        writer->columns = event_columns_new();
    make_strings_global(writer, batch);
    order_times(to, batch->time_ns, batch->n);
    fill_columns(writer, batch);
    event_columns_pack(writer->columns);
    write_chunk(writer, stream, cpu, to, writer->columns);
    event_batch_clear(batch);
}

void store_commit_columns(struct store_writer *writer, uint32_t stream, int32_t cpu, struct event_columns *c)
{
    if (!c->n)
        return;
    assert(stream < writer->tables[TABLE_STREAMS].n && cpu >= CPU_UNKNOWN && cpu <= MAX_CPU);
    struct cpu_writer *to = cpu_of(writer, stream, cpu);
    for (size_t i = 1; i < c->n_dictionary; i++)
        c->dictionary[i] = global_id(writer, &c->strings, c->dictionary[i]);
    if (order_times(to, c->time_ns, c->n))
        event_columns_pack(c);
    write_chunk(writer, stream, cpu, to, c);
}

static void note_cpu(struct store_writer *writer, const struct stream *stream, int cpu, uint64_t n, const char *what)
{
    char text[128];
    if (!n)
        return;
    snprintf(text, sizeof text, "CPU %d has events stamped %s", cpu, what);
    store_add_note(writer, &(struct note){.artefact = stream->artefact, .run = stream->run, .code = "events-out-of-order", .count = n,
                                          .text = text});
}

/* Times that fell on one CPU are the source's fault (or its clock's): said once per CPU. */
void writer_note_order(struct store_writer *writer)
{
    for (uint32_t i = 0; i < writer->tables[TABLE_STREAMS].n; i++) {
        const struct stream *stream = store_edit_stream(writer, i);
        for (size_t k = 0; k < writer->streams[i].cpus_capacity; k++) {
            const struct cpu_writer *cpu = &writer->streams[i].cpus[k];
            note_cpu(writer, stream, (int)k - 1, cpu->n_raised, "before their predecessor: taken as simultaneous");
            note_cpu(writer, stream, (int)k - 1, cpu->n_limited, "beyond 2^62 ns (146 years): taken to be at that limit");
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
