/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace's buffers: one stream each, one slot per CPU; events, stacks, gaps and names go to the store from here.
 */
#include "importers/ftrace/reader.h"

#include <stdlib.h>

#include "base/memory.h"

#define N_BUFFERS_MAX 64
#define N_TASKS_MAX 65536
/* A stamp that falls by less is a clock's jitter between contexts; by more, another trace begins. */
#define FALL_MAX_NS 1000000
#define FALL_CUT_NS 50000 /* where lines were cut out in between */

void buffer_grow_slots(struct trace_buffer *buffer, size_t n)
{
    size_t old = buffer->n_slots;
    buffer->slots = memory_resize(buffer->slots, n, sizeof *buffer->slots);
    memset(buffer->slots + old, 0, (n - old) * sizeof *buffer->slots);
    for (size_t i = old; i < n; i++) {
        buffer->slots[i].last_ns = NS_UNKNOWN;
        buffer->slots[i].graph_tid = TID_UNKNOWN;
    }
    buffer->n_slots = n;
}

static void add_gap(struct import *import, const struct trace_buffer *buffer, int32_t cpu, int64_t begin_ns,
                    int64_t end_ns, uint64_t n_lost, const char *reason)
{
    struct gap gap = {.run = buffer->run, .stream = buffer->stream, .cpu = cpu, .begin_ns = begin_ns, .end_ns = end_ns,
                      .n_lost = n_lost, .reason = reason};
    store_add_gap(import->store, &gap);
}

/* The text's own resolution, and the clock's if all stamps keep a coarser grid. */
static void finish_resolution(struct import *import, struct trace_buffer *buffer)
{
    struct stream *stream = store_edit_stream(import->store, buffer->stream);
    const int64_t ms = 1000000;
    if (buffer->is_order && !(stream->clock && strcmp(stream->clock, "x86-tsc") == 0))
        stream->clock = store_keep(import->store, "counter");
    if (buffer->is_order)
        return;
    if (buffer->resolution_ns)
        stream->resolution_ns = buffer->resolution_ns;
    if (buffer->n_stamps < 8 || buffer->n_distinct < 2 || buffer->step_ns < ms || buffer->resolution_ns >= ms)
        return;
    bool sure = buffer->n_distinct >= 4; /* a few stamps may all be even by chance */
    int64_t step = sure && buffer->step_ns % (10 * ms) == 0 ? 10 * ms : sure && buffer->step_ns % (4 * ms) == 0 ? 4 * ms : ms;
    stream->resolution_ns = step;
    import_note(import, "clock-granularity", 0, "all stamps are multiples of %lld ms: spans below say nothing",
                (long long)(step / ms));
}

static void buffer_release(struct import *import, struct trace_buffer *buffer)
{
    for (size_t i = 0; i < buffer->n_slots; i++) {
        struct cpu_slot *slot = &buffer->slots[i];
        if (slot->gap_is_open)
            add_gap(import, buffer, (int32_t)i, slot->last_ns, NS_UNKNOWN, slot->n_lost, slot->gap_reason);
        free(slot->graph);
    }
    free(buffer->slots);
    event_sink_free(buffer->sink);
    finish_resolution(import, buffer);
    buffer->slots = NULL;
    buffer->sink = NULL;
    buffer->n_slots = 0;
}

/* per_cpu/cpuN/trace prints the counts of all CPUs above the rows of one. */
static bool is_one_cpu_file(const struct import *import)
{
    return strstr(import->member->path, "per_cpu") || strstr(import->member->path, "per-cpu");
}

static void buffer_begin(struct ftrace_reader *reader, struct import *import, struct trace_buffer *buffer)
{
    const struct ftrace_header *header = &reader->header;
    struct stream stream = stream_unknown();
    stream.run = reader->run;
    stream.artefact = import->artefact;
    stream.name = buffer->name;
    stream.clock = reader->is_rebuilt ? "rebuilt" : reader->clock;
    stream.clock_is_relative = ftrace_tracer_measures(header->tracer) && header->is_latency;
    stream.tracer = header->tracer[0] ? header->tracer : NULL;
    stream.kernel = header->kernel[0] ? header->kernel : NULL;
    stream.preempt_model = header->model[0] ? header->model : NULL;
    stream.n_cpus = header->n_cpus;
    bool is_headers = !reader->has_another; /* the header's counts are of its own rows only */
    stream.n_shown = is_one_cpu_file(import) || !is_headers ? COUNT_UNKNOWN : header->n_shown;
    stream.n_written = is_headers ? header->n_written : COUNT_UNKNOWN;
    buffer->run = reader->run;
    buffer->stream = store_add_stream(import->store, &stream);
    if (reader->n_buffers == 1)
        reader->first_stream = buffer->stream;
    buffer->sink = event_sink_new(import->store, buffer->stream);
    buffer->slots = NULL;
    buffer->n_slots = 0;
    buffer->step_ns = 0;
    buffer->n_stamps = buffer->n_distinct = 0;
    buffer->previous_ns = NS_UNKNOWN;
    buffer->known = UINT32_MAX; /* no row yet */
}

struct trace_buffer *reader_buffer(struct ftrace_reader *reader, struct import *import, const char *name, size_t length)
{
    if (length >= sizeof reader->buffers->name)
        length = sizeof reader->buffers->name - 1;
    for (size_t i = 0; i < reader->n_buffers; i++)
        if (strlen(reader->buffers[i].name) == length && memcmp(reader->buffers[i].name, name, length) == 0)
            return &reader->buffers[i];
    if (reader->n_buffers == N_BUFFERS_MAX)
        return NULL;
    if (!reader->buffers)
        reader->buffers = memory_resize(NULL, N_BUFFERS_MAX, sizeof *reader->buffers);
    struct trace_buffer *buffer = &reader->buffers[reader->n_buffers++];
    memset(buffer, 0, sizeof *buffer);
    memcpy(buffer->name, name, length);
    buffer_begin(reader, import, buffer);
    return buffer;
}

void buffer_set_known(struct trace_buffer *buffer, uint32_t known)
{
    uint32_t both = buffer->known == UINT32_MAX ? known : buffer->known & known;
    if (both != buffer->known)
        event_sink_set_flags_known(buffer->sink, both);
    buffer->known = both;
}

void buffer_lost(struct trace_buffer *buffer, int32_t cpu, uint64_t n_lost, const char *reason)
{
    size_t first = cpu == CPU_UNKNOWN ? 0 : (size_t)cpu, end = cpu == CPU_UNKNOWN ? buffer->n_slots : first + 1;
    if (cpu != CPU_UNKNOWN)
        buffer_slot(buffer, cpu);
    for (size_t i = first; i < end; i++) {
        struct cpu_slot *slot = &buffer->slots[i];
        if (cpu == CPU_UNKNOWN && slot->last_ns == NS_UNKNOWN)
            continue;
        bool adds = slot->gap_is_open && slot->n_lost != COUNT_UNKNOWN && n_lost != COUNT_UNKNOWN;
        slot->n_lost = adds ? slot->n_lost + n_lost : slot->gap_is_open && n_lost == COUNT_UNKNOWN ? slot->n_lost : n_lost;
        slot->gap_is_open = true;
        slot->gap_reason = reason;
    }
}

void reader_lost(struct ftrace_reader *reader, const char *reason)
{
    for (size_t i = 0; i < reader->n_buffers; i++)
        if (reader->buffers[i].name[0] != '\n') /* of a trace that is over */
            buffer_lost(&reader->buffers[i], CPU_UNKNOWN, COUNT_UNKNOWN, reason);
}

/* ---- names ---- */

static size_t task_place(const struct ftrace_reader *reader, int32_t tid, const char *comm, size_t length)
{
    uint32_t h = (uint32_t)tid * 0x9e3779b1u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)comm[i]) * 0x01000193u;
    size_t mask = reader->task_capacity - 1, at = (h ^ h >> 13) & mask;
    while (reader->tasks[at].length &&
           (reader->tasks[at].tid != tid || reader->tasks[at].length != length || memcmp(reader->tasks[at].comm, comm, length) != 0))
        at = (at + 1) & mask;
    return at;
}

static void tasks_grow(struct ftrace_reader *reader)
{
    struct task_slot *old = reader->tasks;
    size_t n = reader->task_capacity;
    reader->task_capacity = n ? n * 2 : 256;
    reader->tasks = memory_new(reader->task_capacity * sizeof *reader->tasks);
    for (size_t i = 0; i < n; i++)
        if (old[i].length)
            reader->tasks[task_place(reader, old[i].tid, old[i].comm, old[i].length)] = old[i];
    free(old);
}

static void add_task(struct import *import, uint32_t run, const struct task_slot *slot)
{
    char comm[sizeof slot->comm + 1] = "";
    memcpy(comm, slot->comm, slot->length);
    struct task task = task_unknown();
    task.run = run;
    task.artefact = import->artefact;
    task.tid = slot->tid;
    task.comm = comm;
    store_add_task(import->store, &task);
}

void reader_name_task(struct ftrace_reader *reader, struct import *import, int32_t tid, const char *comm, size_t length,
                      bool is_cut)
{
    if (length == 0 || ftrace_comm_is_unknown(comm, length) || reader->n_tasks >= N_TASKS_MAX)
        return;
    if (length > sizeof reader->tasks->comm)
        length = sizeof reader->tasks->comm;
    if (reader->n_tasks * 2 >= reader->task_capacity)
        tasks_grow(reader);
    struct task_slot *slot = &reader->tasks[task_place(reader, tid, comm, length)];
    if (slot->length)
        return;
    slot->tid = tid;
    slot->length = (uint8_t)length;
    slot->is_cut = is_cut;
    memcpy(slot->comm, comm, length);
    reader->n_tasks++;
    if (!is_cut)
        add_task(import, reader->run, slot);
}

/* Names cut to 8 bytes are stated only for tids that no row names in full. */
static void finish_tasks(struct ftrace_reader *reader, struct import *import)
{
    for (size_t i = 0; i < reader->task_capacity; i++) {
        if (!reader->tasks[i].length || !reader->tasks[i].is_cut)
            continue;
        bool has_full = reader->header.tid == reader->tasks[i].tid;
        for (size_t k = 0; k < reader->task_capacity && !has_full && reader->n_tasks < 4096; k++)
            has_full = reader->tasks[k].length && !reader->tasks[k].is_cut && reader->tasks[k].tid == reader->tasks[i].tid;
        if (!has_full)
            add_task(import, reader->run, &reader->tasks[i]);
    }
    free(reader->tasks);
    reader->tasks = NULL;
}

/* ---- events ---- */

uint32_t reader_flags(struct ftrace_reader *reader, const char *token, size_t length)
{
    uint64_t key = 0;
    uint32_t flags = 0, known = 0;
    if (length <= 8) {
        for (size_t i = 0; i < length; i++)
            key |= (uint64_t)(unsigned char)token[i] << 8 * i;
        size_t at = token_slot(key);
        if (reader->tokens[at] == key)
            return reader->token_flags[at];
        if (reader->era.shortest == 0 || length < reader->era.shortest) {
            memset(reader->tokens, 0, sizeof reader->tokens); /* earlier ones were read as a shorter era's */
            reader->era.shortest = length;
        }
        if (!ftrace_flags_parse(&reader->era, token, length, &flags, &known))
            return 0;
        if (reader->flags_lie && (token[0] == 'd' || token[0] == 'D'))
            flags |= FLAG_DOUBTFUL;
        reader->tokens[at] = key;
        reader->token_flags[at] = flags;
    } else if (!ftrace_flags_parse(&reader->era, token, length, &flags, &known)) {
        return 0;
    }
    reader->known = reader->known == UINT32_MAX ? known : reader->known & known;
    return flags;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Stamps themselves, not distances: a coarse clock counts whole steps from its zero. */
void buffer_watch_grid_slow(struct trace_buffer *buffer, int64_t time_ns)
{
    int64_t n = time_ns < 0 ? -time_ns : time_ns;
    buffer->step_ns = buffer->step_ns ? gcd(buffer->step_ns, n) : n;
}

/* Settles an event's time on its CPU: gaps that end here, and stamps that fall. */
static int64_t settle_time(struct ftrace_reader *reader, struct import *import, struct trace_buffer *buffer,
                           struct cpu_slot **slot, int32_t cpu, int64_t time_ns)
{
    if ((*slot)->last_ns != NS_UNKNOWN && time_ns < (*slot)->last_ns) {
        int64_t fall = (*slot)->last_ns - time_ns;
        int64_t allowed_ns = (*slot)->gap_is_open ? FALL_CUT_NS : FALL_MAX_NS;
        if (fall > allowed_ns && !reader->is_rebuilt && reader->n_buffers < N_BUFFERS_MAX) {
            /* The used-up buffer stays in the list under a name that no prefix can have. */
            import_note(import, "mixed-runs", 0, "time goes back: another trace begins in the middle of the text");
            struct trace_buffer *used = &reader->buffers[reader->n_buffers++];
            *used = *buffer;
            used->name[0] = '\n';
            used->name[1] = '\0';
            for (size_t i = 0; i < used->n_slots; i++)
                used->slots[i].gap_is_open = false; /* what was cut out lies between the two */
            reader->has_another = true;
            buffer_begin(reader, import, buffer);
            *slot = buffer_slot(buffer, cpu);
        } else {
            /* A graph's leaf may state a duration that began before its stamp: its end is lifted silently. */
            if (fall > 2 * buffer->resolution_ns && !(*slot)->graph)
                import_note(import, "events-out-of-order", 0, "stamps that go back on their CPU: taken as simultaneous");
            time_ns = (*slot)->last_ns;
        }
    }
    if ((*slot)->gap_is_open) {
        add_gap(import, buffer, cpu, (*slot)->last_ns, time_ns, (*slot)->n_lost, (*slot)->gap_reason);
        (*slot)->gap_is_open = false;
        (*slot)->n_lost = 0;
    }
    (*slot)->last_ns = time_ns;
    return time_ns;
}

/* Before a trace's first event: what was overwritten, as the header counts it. */
static void first_event(struct ftrace_reader *reader, struct import *import, const struct trace_buffer *buffer,
                        int64_t time_ns)
{
    const struct ftrace_header *header = &reader->header;
    reader->first_ns = time_ns;
    if (header->n_written != COUNT_UNKNOWN && header->n_shown != COUNT_UNKNOWN && header->n_written > header->n_shown)
        add_gap(import, buffer, CPU_UNKNOWN, NS_UNKNOWN, time_ns, header->n_written - header->n_shown, "overrun");
}

void reader_add(struct ftrace_reader *reader, struct import *import, struct trace_buffer *buffer, int32_t cpu,
                int64_t time_ns, int32_t tid, uint32_t flags, const struct ftrace_event *event)
{
    struct cpu_slot *slot = buffer_slot(buffer, cpu);
    if (reader->first_ns == NS_UNKNOWN)
        first_event(reader, import, buffer, time_ns);
    buffer_watch_grid(buffer, time_ns);
    if (slot->gap_is_open || time_ns < slot->last_ns)
        time_ns = settle_time(reader, import, buffer, &slot, cpu, time_ns);
    slot->last_ns = time_ns;
    if (buffer->known != reader->known && reader->known != UINT32_MAX)
        buffer_set_known(buffer, reader->known);
    struct event_batch *batch = event_sink_batch(buffer->sink, cpu);
    uint32_t *words = event_batch_add(batch, time_ns, tid, event->kind, flags, event->n_words);
    memcpy(words, event->words, event->n_words * sizeof *words);
    for (unsigned i = 0; i < event->n_strings; i++)
        event_batch_set_string(batch, &words[event->strings[i].word],
                               event_batch_intern(batch, event->strings[i].text, event->strings[i].length));
}

void reader_add_stack(struct ftrace_reader *reader, struct import *import, struct trace_buffer *buffer, int32_t cpu,
                      int64_t time_ns, int32_t tid, uint32_t flags, unsigned kind, const char *const *frames,
                      const size_t *lengths, size_t n_frames)
{
    struct cpu_slot *slot = buffer_slot(buffer, cpu);
    if (slot->gap_is_open || (slot->last_ns != NS_UNKNOWN && time_ns < slot->last_ns))
        time_ns = settle_time(reader, import, buffer, &slot, cpu, time_ns);
    slot->last_ns = time_ns;
    if (buffer->known != reader->known && reader->known != UINT32_MAX)
        buffer_set_known(buffer, reader->known);
    /* The header counts stacks as entries; the stream's counts are of events. */
    struct stream *stream = store_edit_stream(import->store, buffer->stream);
    if (stream->n_shown != COUNT_UNKNOWN && stream->n_shown)
        stream->n_shown--;
    if (stream->n_written != COUNT_UNKNOWN && stream->n_written)
        stream->n_written--;
    struct event_batch *batch = event_sink_batch(buffer->sink, cpu);
    uint32_t *words = event_batch_add(batch, time_ns, tid, kind, flags, n_frames);
    for (size_t i = 0; i < n_frames; i++)
        event_batch_set_string(batch, &words[i], event_batch_intern(batch, frames[i], lengths[i]));
}

/* ---- the whole ---- */

static const char *preempt_fact(const char *model)
{
    static const struct { const char *model, *fact; } words[] = {
        {"preempt_rt", "preempt_rt"}, {"rt", "preempt_rt"}, {"preempt", "preempt"}, {"desktop", "voluntary"},
        {"server", "none"}, {"PREEMPT(full)", "preempt"}, {"PREEMPT(lazy)", "lazy"}, {"PREEMPT(none)", "none"},
        {"PREEMPT(voluntary)", "voluntary"}, {"PREEMPT(rt)", "preempt_rt"}, {"NONE", "none"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].model, model) == 0)
            return words[i].fact;
    return NULL;
}

void reader_open(struct ftrace_reader *reader, struct import *import)
{
    const struct ftrace_header *header = &reader->header;
    reader->is_open = true;
    reader->first_ns = NS_UNKNOWN;
    reader->run_series = ROW_NONE;
    reader->known = UINT32_MAX;
    reader->era.is_26rt = header->is_26rt;
    reader->era.has_lock_depth = header->has_lock_depth;
    reader->era.is_pipelined = strstr(header->kernel, "dovetail") != NULL;
    for (size_t i = 0; i < PREFIX_SLOTS; i++)
        reader->prefixes[i].flags = UINT32_MAX;
    if (!reader->clock)
        reader->clock = clock_beside(import);
    if (header->kernel[0] && import_is_other_kernel(import, header->kernel))
        import_new_run(import, NULL);
    summary_header(reader, import);
    reader->run = import->run;
    const char *preempt = preempt_fact(header->model);
    if (header->kernel[0])
        import_fact(import, "kernel.release", "%s", header->kernel);
    if (preempt)
        import_fact(import, "kernel.preempt", "%s", preempt);
    if (header->tracer[0])
        import_fact(import, "trace.tracer", "%s", header->tracer);
    if (reader->clock)
        import_fact(import, "trace.clock", "%s", reader->clock);
}

void reader_close(struct ftrace_reader *reader, struct import *import)
{
    const struct ftrace_header *header = &reader->header;
    if (!reader->is_open)
        return;
    summary_finish(reader, import);
    for (size_t i = 0; i < reader->n_buffers; i++)
        buffer_release(import, &reader->buffers[i]);
    finish_tasks(reader, import);
    if (header->n_shown != COUNT_UNKNOWN && reader->n_rows < header->n_shown && !is_one_cpu_file(import))
        import_note(import, "entries-missing", header->line, "the header announces %llu entries, the text holds %llu",
                    (unsigned long long)header->n_shown, (unsigned long long)reader->n_rows);
    if (reader->n_bare)
        import_note_n(import, "not-measured", reader->n_bare, reader->first_bare,
                      "rows of function_graph without its CPU or duration: they cannot be placed (options funcgraph-cpu, funcgraph-duration)");
    if (reader->n_foreign)
        import_note_n(import, "damaged-lines", reader->n_foreign, reader->first_foreign, "lines between rows that are no rows");
    if (reader->n_wrapped)
        import_note_n(import, "repaired-text", reader->n_wrapped, reader->first_wrapped, "undone: wrapped rows");
    text_release(&reader->joined);
    if (reader->n_without_time)
        import_note_n(import, "not-measured", reader->n_without_time, 0,
                      "events without a stamp (nocontext-info): they have no time, CPU or task");
    if (reader->scale.how == SCALE_ORDER)
        import_note(import, "clock-granularity", 0, "stamps are counts of an unknown unit: an order, no times");
    free(reader->buffers);
    free(reader->columns);
    memset(reader, 0, sizeof *reader);
}
