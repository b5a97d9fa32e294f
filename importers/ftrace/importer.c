/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftrace as text: files of tracefs (trace, trace_pipe, snapshot), /proc/latency_trace of 2.6 -rt kernels, trace-cmd report,
 * perf script, `Dumping ftrace buffer` on consoles. Defined by kernel/trace/trace_output.c.
 *
 *     # tracer: wakeup_rt
 *     # latency: 1399 us, #6/6, CPU#1 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:2)
 *       <idle>-0         1dn.h5..    3us+:        0:120:R   + [001]    1585:  4:R cyclictest
 *
 * Odd: headers may be missing or wrong about their columns, comms may hold anything, lines of the log may stand in
 * between. So each line is judged by itself (row.c), and what begins a trace is a header or a line that is a row.
 */
#include "importers/ftrace/reader.h"

#include <stdio.h>

#include "importers/wrapped.h"

#define N_LINES_AHEAD 12   /* lines that are no rows, inside a trace */
#define N_FRAMES_MAX 128

static bool starts(const struct line *line, const char *literal)
{
    size_t n = strlen(literal);
    return line->length >= n && memcmp(line->text, literal, n) == 0;
}

/* "CPU:1 [LOST 123 EVENTS]", "CPU:1 [EVENTS DROPPED]", "##### CPU 1 buffer started ####" */
static bool parse_lost(const struct line *line, int32_t *cpu, uint64_t *n_lost, const char **reason)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t n;
    *n_lost = COUNT_UNKNOWN;
    scan_blanks(&p, end);
    if (scan_literal(&p, end, "##### CPU ")) {
        if (!scan_u64(&p, end, &n) || n >= FTRACE_CPUS_MAX || !scan_literal(&p, end, " buffer started"))
            return false;
        *cpu = (int32_t)n;
        *reason = "buffer started";
        return true;
    }
    if (!scan_literal(&p, end, "CPU:") || !scan_u64(&p, end, &n) || n >= FTRACE_CPUS_MAX || !scan_literal(&p, end, " ["))
        return false;
    *cpu = (int32_t)n;
    *reason = "overrun";
    scan_literal(&p, end, "LOST ");
    if (scan_u64(&p, end, &n))
        *n_lost = n;
    scan_blanks(&p, end);
    return scan_literal(&p, end, "EVENTS");
}

/* A line that only trace-cmd report prints before its rows. */
static bool is_report_line(const struct line *line)
{
    return starts(line, "cpus=") || starts(line, "version = ") || starts(line, "Kernel buffer statistics:") ||
           (starts(line, "CPU ") && line_has(line, " is empty"));
}

/* "[omitted for brevity]", "[last 5 lines repeat ~2000 times]", "[ zillions of these deleted ]" */
static bool is_remark(const char *p, const char *end)
{
    static const char *const words[] = {"omit", "delet", "repeat", "skip", "etc", "trunc", "remov", "cut", "lines", "more", "find"};
    while (end > p && end[-1] == ' ')
        end--;
    if (end - p < 5 || *p != '[' || end[-1] != ']')
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(p, (size_t)(end - p), words[i], strlen(words[i])))
            return true;
    return false;
}

/* "[... cut by the capture script ...]", "[snip]", "...", grep's "--": somebody took lines out here. */
static bool is_cut(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    return scan_literal(&p, end, "...") || scan_literal(&p, end, "[...") || scan_literal(&p, end, "[snip") ||
           is_remark(p, end) || (scan_literal(&p, end, "--") && p == end) || scan_literal(&p, end, "<snip") || scan_literal(&p, end, "--8<") || line_has(line, "capture script");
}

static bool is_frame(const struct line *line, const char **frame, size_t *length)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "=> "))
        return false;
    while (end > p && end[-1] == ' ')
        end--;
    /* trace-cmd: "name (ffffffff810e04a6)"; sym-addr: "name <ffffffff810e04a6>" */
    if (end > p && (end[-1] == ')' || end[-1] == '>')) {
        const char *open = memrchr(p, end[-1] == ')' ? '(' : '<', (size_t)(end - p));
        if (open && open > p + 1 && open[-1] == ' ')
            end = open - 1;
    }
    *frame = p;
    *length = (size_t)(end - p);
    return end > p;
}

/* perf's call chain: "        ffffffff81a51210 __schedule+0x12 ([kernel.kallsyms])" */
static bool is_chain(const struct line *line, const char **frame, size_t *length, bool *is_kernel)
{
    const char *p = line->text, *end = p + line->length, *begin = p;
    uint64_t address;
    if (!scan_blanks(&p, end) || (p - begin < 8 && *begin != '\t') || !scan_hex(&p, end, &address) || !scan_blanks(&p, end))
        return false;
    const char *dso = memrchr(p, '(', (size_t)(end - p));
    if (!dso || dso <= p)
        return false;
    *is_kernel = address >> 63;
    const char *stop = dso;
    while (stop > p && stop[-1] == ' ')
        stop--;
    *frame = p;
    *length = (size_t)(stop - p);
    return stop > p;
}

/* A wakeup tracer's first stack shows what the wakeup interrupted; of a section the last one, at its end, counts. */
static void keep_header_stack(struct ftrace_reader *reader, struct import *import, const char *const *frames,
                              const size_t *lengths, size_t n)
{
    if (reader->run_series == ROW_NONE ||
        (reader->n_header_stack && ftrace_tracer_section(reader->header.tracer) == SECTION_WAKEUP))
        return;
    reader->n_header_stack = 0;
    for (size_t i = 0; i < n && i < N_HEADER_STACK; i++) {
        char text[256];
        snprintf(text, sizeof text, "%.*s", (int)(lengths[i] < 255 ? lengths[i] : 255), frames[i]);
        reader->header_stack[reader->n_header_stack++] = store_keep(import->store, text);
    }
}

/* The frames on the lines from the k-th ahead on; how many lines they are. */
static size_t take_frames(struct ftrace_reader *reader, struct import *import, struct lines *lines, unsigned kind, size_t k)
{
    const char *frames[N_FRAMES_MAX];
    size_t lengths[N_FRAMES_MAX], n = 0, begin = k;
    struct line line;
    while (n < N_FRAMES_MAX && lines_peek(lines, k, &line) && is_frame(&line, &frames[n], &lengths[n])) {
        n++;
        k++;
    }
    while (lines_peek(lines, k, &line) && is_frame(&line, &(const char *){NULL}, &(size_t){0}))
        k++; /* deeper than anybody reads */
    while (n && (lengths[n - 1] == 1 && frames[n - 1][0] == '0'))
        n--; /* unused places of a fixed array */
    struct trace_buffer *buffer = &reader->buffers[reader->last.buffer];
    if (n) {
        reader_add_stack(reader, import, buffer, reader->last.cpu, reader->last.time_ns, reader->last.tid, reader->last.flags,
                         kind, frames, lengths, n);
        keep_header_stack(reader, import, frames, lengths, n);
    }
    return k - begin;
}

static size_t take_chain(struct ftrace_reader *reader, struct import *import, struct lines *lines)
{
    const char *frames[2][N_FRAMES_MAX];
    size_t lengths[2][N_FRAMES_MAX], n[2] = {0, 0}, k = 0;
    struct line line;
    for (;; k++) {
        const char *frame;
        size_t length;
        bool is_kernel;
        if (!lines_peek(lines, k, &line) || !is_chain(&line, &frame, &length, &is_kernel))
            break;
        if (n[is_kernel] < N_FRAMES_MAX) {
            frames[is_kernel][n[is_kernel]] = frame;
            lengths[is_kernel][n[is_kernel]++] = length;
        }
        if (k >= LINES_KEPT / 2)
            break;
    }
    struct trace_buffer *buffer = &reader->buffers[reader->last.buffer];
    for (int i = 1; i >= 0; i--)
        if (n[i])
            reader_add_stack(reader, import, buffer, reader->last.cpu, reader->last.time_ns, reader->last.tid,
                             reader->last.flags, i ? KIND_KERNEL_STACK : KIND_USER_STACK, frames[i], lengths[i], n[i]);
    return k;
}

/* ---- probing ---- */

/* Could a row be in this line at all? Quick on foreign text: a row has a stamp's ':' and a CPU or graph's '|'. */
static bool is_row(const struct line *line)
{
    struct ftrace_row row;
    struct ftrace_graph_line graph;
    return ftrace_row_parse(line->text, line->length, &row) || ftrace_graph_parse(line->text, line->length, &graph);
}

static struct probe_result ftrace_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    int32_t cpu;
    uint64_t n_lost;
    const char *reason;
    (void)member;
    if (!lines_peek(lines, 0, &line) || line.length < 6)
        return (struct probe_result){NOT_MINE, NULL};
    if (ftrace_dump_begins(&line) || ftrace_header_begins(&line))
        return (struct probe_result){CERTAIN, NULL};
    if (is_row(&line))
        return (struct probe_result){LIKELY + 10, NULL};
    if (!is_report_line(&line) && !parse_lost(&line, &cpu, &n_lost, &reason))
        return (struct probe_result){NOT_MINE, NULL};
    for (size_t k = 1; k < 40 && lines_peek(lines, k, &line); k++)
        if (is_row(&line))
            return (struct probe_result){CERTAIN, NULL};
    return (struct probe_result){NOT_MINE, NULL};
}

/* ---- reading ---- */

/* 2.6 -rt: how priorities are printed, and whether the letters of the interrupt state can be true. */
static void look_ahead_26(struct ftrace_reader *reader, struct lines *lines)
{
    static const char *const interrupts[] = {"do_IRQ", "smp_apic_timer_interrupt", "smp_reschedule_interrupt", "do_nmi"};
    struct line line;
    struct ftrace_row row;
    bool was_off = false;
    char decimal[32], hex[32];
    int prio = reader->header.rt_priority == PRIO_UNKNOWN ? -1 : 99 - reader->header.rt_priority;
    snprintf(decimal, sizeof decimal, "-%d> (%d ", reader->header.tid, prio);
    snprintf(hex, sizeof hex, "-%d> (%x ", reader->header.tid, (unsigned)prio);
    for (size_t k = 0; k < 20000 && ftrace_peek_in_trace(lines, k, &line); k++) {
        if (!ftrace_row_parse(line.text, line.length, &row) || row.token_length < 4)
            continue;
        bool is_d = memmem(row.body, (size_t)(row.end - row.body), decimal, strlen(decimal)) != NULL;
        bool is_h = memmem(row.body, (size_t)(row.end - row.body), hex, strlen(hex)) != NULL;
        if (prio >= 0 && is_d != is_h && !reader->prio_base)
            reader->prio_base = is_d ? 10 : 16;
        for (size_t i = 0; i < 4 && was_off; i++) {
            size_t n = strlen(interrupts[i]);
            if ((size_t)(row.end - row.body) > n && memcmp(row.body, interrupts[i], n) == 0)
                reader->flags_lie = true;
        }
        /* The scheduler runs in no interrupt, whatever the letters say. */
        if (memchr("hH", row.token[2], 2) && row.end - row.body > 11 &&
            (memcmp(row.body, "__switch_to", 11) == 0 || memcmp(row.body, "__schedule ", 11) == 0))
            reader->flags_lie = true;
        was_off = (row.token[0] == 'D' || row.token[0] == 'd') && row.token[2] == '.';
    }
}

/* Takes the lines in front of the first row; how they are, decides how the rows are read. */
static void take_header(struct ftrace_reader *reader, struct lines *lines)
{
    struct line line;
    ftrace_header_init(&reader->header);
    for (bool is_first = true; lines_peek(lines, 0, &line); is_first = false) {
        if (!is_first && line_has(&line, "# tracer: "))
            break; /* another trace */
        if (ftrace_dump_begins(&line)) {
            reader->is_console = true;
        } else if (is_report_line(&line)) {
            reader->is_report = true;
        } else if (reader->is_report && !is_row(&line)) {
            if (line_has(&line, "EVENTS DROPPED]"))
                break; /* statistics go up to here */
        } else if (!line_is_blank(&line) && !(reader->is_console && starts(&line, "--------")) &&
                   !ftrace_header_line(&reader->header, &line)) {
            break;
        } else if (is_row(&line)) {
            break;
        }
        lines_skip(lines, 1);
    }
}

static void open_at_row(struct ftrace_reader *reader, struct import *import, struct lines *lines)
{
    struct line line;
    struct ftrace_row row;
    reader_open(reader, import);
    if (reader->header.is_26rt)
        look_ahead_26(reader, lines);
    for (size_t k = 0; k < N_LINES_AHEAD && ftrace_peek_in_trace(lines, k, &line); k++) {
        if (!ftrace_row_parse(line.text, line.length, &row))
            continue;
        if (row.form == FORM_REPORT_LATENCY)
            reader->era.is_report = true;
        if (row.time_is_count && reader->scale.how == SCALE_NONE)
            clock_find_scale(reader, import, lines);
        break;
    }
    /* Dovetail prints letters of its own; the kernel's name may be missing. */
    bool has_late_letters = false; /* of 5.17 and later */
    for (size_t k = 0; k < 2000 && ftrace_peek_in_trace(lines, k, &line); k++)
        if (ftrace_row_parse(line.text, line.length, &row) && row.token_length >= 4) {
            reader->era.is_pipelined |= row.token[0] == '*' || row.token[0] == '#' || memchr(row.token, '~', row.token_length);
            has_late_letters |= row.token[0] == '#' || row.token[0] == 'b';
        }
    reader->era.has_hard_d = reader->era.is_pipelined && !has_late_letters;
}

/* A line that is no row: part of the trace's text all the same? */
static bool take_other(struct ftrace_reader *reader, struct import *import, struct lines *lines, const struct line *line)
{
    int32_t cpu, tid;
    uint64_t n_lost;
    const char *reason, *comm;
    size_t length;
    if (line_is_blank(line))
        return true;
    if (parse_lost(line, &cpu, &n_lost, &reason)) {
        struct trace_buffer *buffer = reader_buffer(reader, import, "", 0);
        buffer_lost(buffer, cpu, n_lost, reason);
        return true;
    }
    if (ftrace_graph_switch(line->text, line->length, &cpu, &comm, &length, &tid)) {
        struct cpu_slot *slot = buffer_slot(reader_buffer(reader, import, "", 0), cpu);
        slot->graph_tid = tid;
        if (slot->graph)
            memset(slot->graph->is_open, 0, sizeof slot->graph->is_open);
        reader_name_task(reader, import, tid, comm, length, length >= 7);
        return true;
    }
    const char *frame;
    if (is_frame(line, &frame, &length)) /* of a stack whose head was cut off */
        return true;
    if (line_has(line, "-----------") || line_has(line, "vim:ft=help") || line_has(line, "ftrace buffer empty"))
        return true;
    if (is_cut(line)) {
        import_note(import, "entries-missing", line->number, "somebody cut lines out of the text");
        reader_lost(reader, "cut out of the text");
        return true;
    }
    if (line->length && line->text[0] == '#')
        return !ftrace_header_begins(line);
    if (reader->last.is_print)
        return true; /* a mark of several lines */
    const char *name, *text;
    if (!reader->n_rows && ftrace_body_split(line->text, line->text + line->length, &name, &length, &text) && length > 4 &&
        memchr(text, '=', (size_t)(line->text + line->length - text))) {
        reader->n_without_time++;
        return true;
    }
    (void)lines;
    return false;
}

/* Is there more of this trace within a few lines? */
static bool goes_on(struct lines *lines)
{
    struct line line;
    for (size_t k = 1; k <= N_LINES_AHEAD && lines_peek(lines, k, &line); k++) {
        if (ftrace_header_begins(&line) || ftrace_dump_begins(&line))
            return false;
        if (is_row(&line) || ftrace_graph_begins(line.text, line.length))
            return true;
    }
    return false;
}

/* A line that could be the rest of the one before, which a mailer wrapped: nothing that a trace has on lines of its own. */
static bool is_rest(const struct line *line)
{
    int32_t cpu;
    uint64_t n_lost;
    const char *reason, *frame;
    size_t length;
    return !line_is_blank(line) && line->length < 200 && !is_row(line) && !ftrace_header_begins(line) && line->text[0] != '#' &&
           !is_frame(line, &frame, &length) && !parse_lost(line, &cpu, &n_lost, &reason) && !is_cut(line) && !ftrace_dump_begins(line);
}

/*
 * Rows that were wrapped on their way: the line and the one or two behind it, joined, are a row, and a whole one. Fills
 * *row (its text lives in the reader) and says how many lines it took; 0: nothing to join.
 */
static size_t join_wrapped(struct ftrace_reader *reader, struct lines *lines, const struct line *first, bool is_alone, struct ftrace_row *row)
{
    static const size_t shortest = 40; /* nobody wraps before */
    struct line line;
    struct ftrace_row whole = {0};
    if (first->length < shortest || first->length > 200)
        return 0;
    text_truncate(&reader->joined, 0);
    text_add_n(&reader->joined, first->text, first->length);
    for (size_t k = 1; k <= 2 && lines_peek(lines, k, &line) && is_rest(&line); k++) {
        const char *p = line.text, *end = p + line.length;
        scan_blanks(&p, end);
        text_add_char(&reader->joined, ' ');
        text_add_n(&reader->joined, p, (size_t)(end - p));
        if (ftrace_row_parse(text_string(&reader->joined), reader->joined.length, &whole) && !ftrace_body_is_incomplete(&whole) &&
            (!is_alone || whole.cpu == row->cpu)) {
            *row = whole;
            return k + 1;
        }
    }
    return 0;
}

/* "kmem_cache_alloc();", "getname() {", "} / * getname * /": a row of function_graph that lost the columns which place it. */
static bool is_bare_graph(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    while (end > p && end[-1] == ' ')
        end--;
    if (end - p < 1 || *p == '#')
        return false;
    return end[-1] == '{' || end[-1] == '}' || (end - p > 2 && (memcmp(end - 2, ");", 2) == 0 || memcmp(end - 2, "*/", 2) == 0));
}

static bool is_whole_graph(const struct line *line)
{
    struct ftrace_graph_line graph;
    if (!ftrace_graph_parse(line->text, line->length, &graph) || graph.is_open)
        return false;
    return graph.what != GRAPH_EXIT || graph.name_length > 0; /* the name of what ends may be on the next line */
}

static bool is_rest_of_graph(const struct line *line)
{
    int32_t cpu, tid;
    const char *comm;
    size_t length;
    return is_rest(line) && !line_has(line, "-----") && !ftrace_graph_begins(line->text, line->length) &&
           !ftrace_graph_switch(line->text, line->length, &cpu, &comm, &length, &tid);
}

/* A row of function_graph, wrapped or not. False: the line is none. */
static bool take_graph(struct ftrace_reader *reader, struct import *import, struct lines *lines, const struct line *first)
{
    struct ftrace_graph_line graph;
    struct line line = *first;
    size_t n_lines = 1;
    if (ftrace_graph_begins(first->text, first->length))
        n_lines = wrapped_row(lines, 0, is_whole_graph, is_rest_of_graph, &reader->joined, &line);
    if (!ftrace_graph_parse(line.text, line.length, &graph))
        return false;
    if (n_lines > 1) { /* broken where the blanks were that tell the depth? */
        const char *end = first->text + first->length;
        while (end > first->text && end[-1] == ' ')
            end--;
        graph.depth_is_lost = end > first->text && end[-1] == '|';
    }
    if (!reader_take_graph(reader, import, &graph, first->number))
        return false;
    if (n_lines > 1 && reader->n_wrapped++ == 0)
        reader->first_wrapped = first->number;
    lines_skip(lines, n_lines);
    return true;
}

/* One line, or a row with its stack. False: the block ends before it. */
static bool take_line(struct ftrace_reader *reader, struct import *import, struct lines *lines)
{
    struct line line;
    struct ftrace_row row = {0};
    if (!lines_peek(lines, 0, &line))
        return false;
    size_t n_lines = 1;
    bool is_alone = ftrace_row_parse(line.text, line.length, &row);
    if (is_alone ? line.length < 100 && ftrace_body_is_incomplete(&row) : line.length > 40 && !reader->last.is_print) {
        size_t n_joined = join_wrapped(reader, lines, &line, is_alone, &row);
        if (n_joined) {
            n_lines = n_joined;
            is_alone = true;
            if (reader->n_wrapped++ == 0)
                reader->first_wrapped = line.number;
        }
    }
    if (is_alone) {
        bool is_user = memmem(row.body, (size_t)(row.end - row.body), "user", 4) != NULL, is_perf = row.form == FORM_PERF;
        row.prio_base = reader->prio_base;
        bool has_frames = reader_take_row(reader, import, &row, line.number);
        lines_skip(lines, n_lines);
        if (has_frames)
            lines_skip(lines, take_frames(reader, import, lines, is_user ? KIND_USER_STACK : KIND_KERNEL_STACK, 0));
        else if (is_perf)
            lines_skip(lines, take_chain(reader, import, lines));
        return true;
    }
    if (take_graph(reader, import, lines, &line))
        return true;
    if (reader->is_console && starts(&line, "-----------")) { /* the closing rule */
        lines_skip(lines, 1);
        return false;
    }
    if (take_other(reader, import, lines, &line)) {
        lines_skip(lines, 1);
        return true;
    }
    if (reader->header.is_graph && is_bare_graph(&line)) {
        if (reader->n_bare++ == 0)
            reader->first_bare = line.number;
        lines_skip(lines, 1);
        return true;
    }
    if (ftrace_header_begins(&line) || ftrace_dump_begins(&line) || !goes_on(lines))
        return false;
    if (reader->n_foreign++ == 0)
        reader->first_foreign = line.number;
    lines_skip(lines, 1);
    return true;
}

static enum status ftrace_read(struct import *import, struct lines *lines, struct error *error)
{
    struct ftrace_reader *reader = import_state(import, &importer_ftrace, sizeof *reader);
    struct line line;
    (void)error;
    if (!lines_peek(lines, 0, &line))
        return OK;
    if (ftrace_header_begins(&line) || ftrace_dump_begins(&line) || is_report_line(&line) || !reader->is_open) {
        reader_close(reader, import);
        take_header(reader, lines);
        open_at_row(reader, import, lines);
        reader_buffer(reader, import, "", 0);
    } else { /* the same trace goes on behind other text */
        reader_lost(reader, "other text in between");
    }
    uint64_t n = 0;
    do {
        n += reader_hot_loop(reader, import, lines);
        if (n++ % 4096 == 0)
            import_progress(import, lines_offset(lines));
    } while (take_line(reader, import, lines));
    return OK;
}

static void ftrace_finish(struct import *import)
{
    struct ftrace_reader *reader = import_state(import, &importer_ftrace, sizeof *reader);
    reader_close(reader, import);
}

/* "11us < (608)": how a system call looked in 2.6. */
static const char *const ftrace_marks[] = {":", "|", "#", "cpus=", "version = ", " is empty", " latency trace v", "<", ">", NULL};

const struct importer importer_ftrace = {
    .name = "ftrace",
    .summary = "ftrace text: trace, latency tracers, trace-cmd report, perf script, console dumps",
    .reads = "default and latency format of 2.6 to 7.x, 2.6 -rt latency_trace, function, function_graph, irqsoff, preemptoff, "
             "wakeup*, hwlat, osnoise, timerlat; trace_pipe without header; trace-cmd report (-l -t -R -N, instances); "
             "perf script; \"Dumping ftrace buffer\" on a console; cobalt_* and evl_* events",
    .probe_lines = ftrace_probe,
    .read_lines = ftrace_read,
    .finish_lines = ftrace_finish,
    .marks = ftrace_marks,
};
