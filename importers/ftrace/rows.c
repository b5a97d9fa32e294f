/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a row of a trace does: its event goes to its buffer, its name to the table of tasks, its value to a series. */
#include "importers/ftrace/reader.h"

#include "base/memory.h"

/* A row's buffer from what stands in front of it: "inst1:   comm-pid". Blanks alone: the main one. */
static struct trace_buffer *buffer_of(struct ftrace_reader *reader, struct import *import, const struct ftrace_row *row)
{
    const char *p = row->prefix, *end = row->prefix + row->prefix_length;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    const char *colon = p < end ? memchr(p, ':', (size_t)(end - p)) : NULL;
    size_t length = colon ? (size_t)(colon - p) : 0;
    for (size_t i = 0; i < length; i++)
        if (p[i] == ' ')
            length = 0; /* words of a log, not an instance */
    struct trace_buffer *buffer = reader_buffer(reader, import, p, length);
    return buffer ? buffer : &reader->buffers[0];
}

static int32_t tid_of(const struct ftrace_reader *reader, const struct ftrace_row *row)
{
    /* Rows of 2004 name no task: those of a section are its own. */
    if (row->form == FORM_26VP && row->tid == TID_UNKNOWN && summary_section(&reader->header) == SECTION_PREEMPT_OFF)
        return reader->header.tid;
    return row->form == FORM_RAW || row->form == FORM_HEX || row->tid >= 0 ? row->tid : TID_UNKNOWN;
}

static void set_resolution(struct ftrace_reader *reader, struct trace_buffer *buffer, const struct ftrace_row *row)
{
    int64_t shown = row->time_is_count ? (reader->scale.how == SCALE_RATIO ? reader->scale.resolution_ns : NS_UNKNOWN)
                    : row->n_decimals == 9 ? 1 : 1000;
    buffer->is_order |= row->time_is_count && reader->scale.how != SCALE_RATIO;
    if (shown != NS_UNKNOWN && shown > buffer->resolution_ns)
        buffer->resolution_ns = shown;
}

static bool is_stack(const struct ftrace_row *row, unsigned *kind)
{
    static const struct { const char *text; unsigned kind; } heads[] = {
        {"<stack trace>", KIND_KERNEL_STACK}, {"<user stack trace>", KIND_USER_STACK}, {"<stack trace >", KIND_KERNEL_STACK},
        {"kernel_stack:", KIND_KERNEL_STACK}, {"user_stack:", KIND_USER_STACK},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        size_t n = strlen(heads[i].text);
        if ((size_t)(row->end - row->body) >= n && memcmp(row->body, heads[i].text, n) == 0) {
            *kind = heads[i].kind;
            return true;
        }
    }
    return false;
}

/* trace-cmd report: "funcgraph_entry:      + 37.626 us  |    name();" */
static bool row_is_graph(const struct ftrace_row *row, struct ftrace_graph_line *graph)
{
    const char *p = row->body;
    return (scan_literal(&p, row->end, "funcgraph_entry:") || scan_literal(&p, row->end, "funcgraph_exit:")) &&
           ftrace_graph_parse_tail(p, row->end, graph);
}

bool reader_take_row(struct ftrace_reader *reader, struct import *import, const struct ftrace_row *row, uint64_t line)
{
    struct trace_buffer *buffer = buffer_of(reader, import, row);
    set_resolution(reader, buffer, row);
    uint32_t flags = row->flags;
    if (row->token_length)
        flags = reader_flags(reader, row->token, row->token_length);
    else if (row->form == FORM_VERBOSE)
        reader->known = reader->known & (FLAG_IRQS_OFF | FLAG_NEED_RESCHED | FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI | FLAG_BH_OFF |
                                         FLAG_PREEMPT_DEPTH | FLAG_MIGRATE_DEPTH);
    else if (row->form == FORM_26VP)
        reader->known = reader->known & row->flags_known;
    else
        flags = reader->known = 0;
    if (ftrace_comm_is_unknown(row->comm, row->comm_length))
        flags |= FLAG_TASK_UNKNOWN;
    else
        reader_name_task(reader, import, row->tid, row->comm, row->comm_length,
                         row->comm_length >= 8 && (row->form == FORM_LATENCY || row->form == FORM_REPORT_LATENCY));
    int64_t time_ns = clock_time_ns(reader, row);
    reader->n_rows++;
    reader->last.is_set = true;
    reader->last.is_print = false;
    reader->last.buffer = (size_t)(buffer - reader->buffers);
    reader->last.cpu = row->cpu;
    reader->last.tid = tid_of(reader, row);
    reader->last.time_ns = time_ns;
    reader->last.flags = flags;
    unsigned kind;
    if (is_stack(row, &kind))
        return true; /* its frames follow: the caller gathers them */
    struct ftrace_graph_line graph;
    if (row_is_graph(row, &graph)) {
        reader->n_rows--;
        graph.time = time_ns;
        graph.cpu = row->cpu;
        graph.tid = reader->last.tid;
        return !reader_take_graph(reader, import, &graph, line);
    }
    struct ftrace_event event;
    ftrace_body_parse(row, &event);
    reader_add(reader, import, buffer, row->cpu, time_ns, reader->last.tid, flags, &event);
    reader->last.is_print = event.kind == KIND_PRINT || event.kind == KIND_CONSOLE;
    summary_event(reader, import, buffer, row->cpu, time_ns, row, line, &event);
    return false;
}

/* ---- function graph ---- */

static struct graph_stack *stack_of(struct cpu_slot *slot)
{
    if (!slot->graph)
        slot->graph = memory_new(sizeof *slot->graph);
    return slot->graph;
}

static void add_call(struct ftrace_reader *reader, struct import *import, struct trace_buffer *buffer, int32_t cpu,
                     int64_t time_ns, uint32_t flags, int32_t tid, const struct ftrace_graph_line *graph, bool is_exit)
{
    struct ftrace_event event;
    struct cpu_slot *slot = buffer_slot(buffer, cpu);
    struct graph_stack *stack = stack_of(slot);
    const char *name = graph->name;
    size_t length = graph->name_length;
    bool fits = graph->depth < GRAPH_DEPTH;
    stack->next_depth = is_exit ? graph->depth : graph->depth + 1;
    char kept[GRAPH_NAME];
    if (is_exit && length == 0 && fits && stack->is_open[graph->depth]) {
        memcpy(kept, stack->names[graph->depth], sizeof kept);
        name = kept;
        length = strlen(kept);
    }
    ftrace_event_begin(&event, is_exit ? KIND_FUNCGRAPH_EXIT : KIND_FUNCGRAPH_ENTRY);
    ftrace_event_string(&event, 0, name, length);
    event.words[1] = graph->depth;
    if (is_exit && graph->duration_ns != NS_UNKNOWN)
        event_words_set_i64(&event.words[2], graph->duration_ns);
    if (fits && !is_exit) {
        size_t n = length < GRAPH_NAME ? length : GRAPH_NAME - 1;
        memcpy(stack->names[graph->depth], name, n);
        stack->names[graph->depth][n] = '\0';
        stack->entered_ns[graph->depth] = time_ns;
        stack->is_open[graph->depth] = true;
    } else if (fits) {
        stack->is_open[graph->depth] = false;
    }
    reader_add(reader, import, buffer, cpu, time_ns, tid, flags, &event);
}

/* A wrapped row's depth, by the row before it on its CPU. */
static unsigned depth_behind(const struct cpu_slot *slot, const struct ftrace_graph_line *graph)
{
    unsigned next = slot->graph ? slot->graph->next_depth : 0;
    return graph->what == GRAPH_EXIT && next ? next - 1 : next;
}

/* Without stamps: a call begins where the one before ended, and lasts as long as it says. A lower bound of true time. */
static int64_t rebuild_time(struct cpu_slot *slot, const struct ftrace_graph_line *graph)
{
    if (graph->what == GRAPH_EXIT && graph->duration_ns != NS_UNKNOWN && graph->depth < GRAPH_DEPTH && slot->graph &&
        slot->graph->is_open[graph->depth]) {
        int64_t end_ns;
        if (!__builtin_add_overflow(slot->graph->entered_ns[graph->depth], graph->duration_ns, &end_ns) && end_ns > slot->rebuilt_ns)
            slot->rebuilt_ns = end_ns;
    }
    return slot->rebuilt_ns;
}

bool reader_take_graph(struct ftrace_reader *reader, struct import *import, const struct ftrace_graph_line *as_read, uint64_t line)
{
    struct ftrace_graph_line settled = *as_read;
    const struct ftrace_graph_line *graph = &settled;
    if (graph->time == NS_UNKNOWN && !reader->is_rebuilt) {
        if (reader->n_rows)
            return false; /* rows with and without stamps do not mix */
        reader->is_rebuilt = true;
        import_note(import, "not-measured", line,
                    "function_graph without funcgraph-abstime: no stamps, only order and durations; times are sums of durations");
    }
    struct trace_buffer *buffer = reader_buffer(reader, import, "", 0);
    int32_t cpu = graph->cpu == CPU_UNKNOWN ? 0 : graph->cpu;
    struct cpu_slot *slot = buffer_slot(buffer, cpu);
    if (graph->depth_is_lost)
        settled.depth = depth_behind(slot, graph);
    int32_t tid = graph->tid != TID_UNKNOWN ? graph->tid : slot->graph_tid;
    int64_t time_ns = reader->is_rebuilt ? rebuild_time(slot, graph) : graph->time;
    uint32_t flags = 0;
    if (buffer->resolution_ns < 1000)
        buffer->resolution_ns = 1000;
    if (graph->token_length)
        flags = reader_flags(reader, graph->token, graph->token_length);
    else
        reader->known = 0;
    if (graph->comm && graph->tid != TID_UNKNOWN)
        reader_name_task(reader, import, graph->tid, graph->comm, graph->comm_length, graph->comm_length >= 7);
    reader->last.is_set = true;
    reader->last.is_print = false;
    reader->last.buffer = (size_t)(buffer - reader->buffers);
    reader->last.cpu = cpu;
    reader->last.tid = tid;
    reader->last.time_ns = time_ns;
    reader->last.flags = flags;
    switch (graph->what) {
    case GRAPH_ENTRY:
    case GRAPH_EXIT:
        reader->n_rows++;
        add_call(reader, import, buffer, cpu, time_ns, flags, tid, graph, graph->what == GRAPH_EXIT);
        break;
    case GRAPH_LEAF: { /* one line, two entries of the ring buffer */
        reader->n_rows += 2;
        add_call(reader, import, buffer, cpu, time_ns, flags, tid, graph, false);
        int64_t end_ns = time_ns;
        if (graph->duration_ns != NS_UNKNOWN && __builtin_add_overflow(time_ns, graph->duration_ns, &end_ns))
            end_ns = time_ns;
        if (reader->is_rebuilt)
            slot->rebuilt_ns = end_ns;
        add_call(reader, import, buffer, cpu, end_ns, flags, tid, graph, true);
        break;
    }
    case GRAPH_COMMENT: {
        struct ftrace_row row = {.form = FORM_DEFAULT, .prefix = graph->name, .comm = graph->name, .tid = tid, .cpu = cpu,
                                 .time = time_ns, .body = graph->name, .end = graph->name + graph->name_length};
        struct ftrace_event event;
        reader->n_rows++;
        if (reader->is_rebuilt) { /* no true time: kept as words, so that no latency is computed from it */
            const char *name, *text;
            size_t length;
            ftrace_event_begin(&event, KIND_OTHER);
            if (ftrace_body_split(row.body, row.end, &name, &length, &text)) {
                ftrace_event_string(&event, 0, name, length);
                ftrace_event_string(&event, 1, text, (size_t)(row.end - text));
            } else {
                ftrace_event_string(&event, 1, row.body, graph->name_length);
            }
        } else {
            ftrace_body_parse(&row, &event);
        }
        reader_add(reader, import, buffer, cpu, time_ns, tid, flags, &event);
        if (!reader->is_rebuilt)
            summary_event(reader, import, buffer, cpu, time_ns, &row, line, &event);
        break;
    }
    default: /* "==========> |": entry to and exit from an interrupt, without name */
        break;
    }
    return true;
}
