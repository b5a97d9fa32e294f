/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cyclictest of rt-tests, 2005 (0.1x) to 2026 (2.10 and git), and its brothers that print the same lines (signaltest,
 * cyclicdeadline). Formats, versions and lies: docs/formats.md.
 *
 *     # /dev/cpu_dma_latency set to 0us
 *     policy: fifo: loadavg: 0.31 0.31 0.19 1/358 2236
 *     T: 0 ( 2234) P: 2 I:10000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     129
 *
 * Odd: the live display repaints with ESC[nA (only the last frame counts); averages are truncated to whole us; a
 * negative latency shows as a number near 2^64; histograms of -N are ns though the option says us.
 */
#include "importers/cyclictest/cyclictest.h"

#include <stdio.h>
#include <string.h>

extern const struct importer importer_cyclictest;

/* Lines that cyclictest prints around its results: nothing to store, but its own. */
static bool is_message(const struct line *line)
{
    static const char *const beginnings[] = {
        "# /dev/cpu_dma_latency set to", "/dev/cpu_dma_latency set to", "WARN: stat /dev/cpu_dma_latency", "Max CPUs = ",
        "Online CPUs = ", "WARNING: Most functions require kernel 2.6", "WARN: Running on unknown kernel version",
        "WARN: High resolution timers not available", "WARN: distance is ignored", "WARN: -t ignored due to smp mode",
        "WARN: -a ignored due to smp mode", "defaulting realtime priority to", "policy and priority don't match",
        "WARN: reported clock resolution", "WARN: measured clock resolution", "# cyclictest current status", "#---------------------------",
        "# error setting cpu_dma_latency", "WARN: Could not set CPU affinity", "FATAL: timerthread", "# Thread Ids:",
        "# Break thread:", "# Break value:", "WARN: clock_nanosleep failed", "spikes = ",
        "Using all CPUS", "deadline thread ", "main thread ", "Thread 0 exceeded trace limit",
    };
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    if (p == end || !strchr("#/WMOdpsFUTm", *p))
        goto using_cpu;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (line_starts(line, beginnings[i]))
            return true;
using_cpu:
    return p < end && ((*p == 'U' && line_starts(line, "Using ") && line_has(line, " cpus.")) ||
                       (*p == 'T' && line_starts(line, "Thread ") && (line_has(line, " Interval: ") || line_has(line, " using cpu "))));
}

static bool is_banner(const struct line *line)
{
    return line_starts(line, "cyclictest V ") || line_starts(line, "cyclictest V: ");
}

static bool is_spike(const struct line *line)
{
    return line_starts(line, "T:") && line_has(line, "Spike:");
}

/* How many lines the command takes: shells continue with a stroke, and mail wraps behind the name. 0: none is here. */
static size_t is_command(struct lines *lines, struct tool_command *command)
{
    static const char name[] = "cyclictest";
    struct line line, next;
    char joined[COMMAND_BYTES];
    size_t n_lines = 1;
    if (!lines_peek(lines, 0, &line) || line.length < 10 || !line_has(&line, name))
        return 0;
    const char *text = line.text;
    size_t n = line.length;
    const char *first = text;
    scan_blanks(&first, text + n);
    bool is_help = first < text + n && *first == '-'; /* "--laptop   Save battery when running cyclictest" */
    while (n_lines < 32) {
        size_t end = n;
        while (end && (text[end - 1] == ' ' || text[end - 1] == '\t'))
            end--;
        bool has_stroke = end > 2 && text[end - 1] == '\\';
        bool ends_with_name = !is_help && end >= sizeof name - 1 && memcmp(text + end - (sizeof name - 1), name, sizeof name - 1) == 0;
        if ((!has_stroke && !ends_with_name) || !lines_peek(lines, n_lines, &next))
            break;
        const char *p = next.text, *next_end = p + next.length;
        scan_blanks(&p, next_end);
        end -= has_stroke;
        while (end && text[end - 1] == ' ')
            end--;
        if (p == next_end || *p != '-' || end + (size_t)(next_end - p) + 1 >= sizeof joined)
            break;
        memmove(joined, text, end);
        joined[end] = ' ';
        memcpy(joined + end + 1, p, (size_t)(next_end - p));
        text = joined;
        n = end + 1 + (size_t)(next_end - p);
        n_lines++;
    }
    return n > 12 && tool_command_find(text, n, name, command) ? n_lines : 0;
}

/* A header is ours only if status lines follow, or the rest of one stands behind it. */
static bool is_header(struct lines *lines)
{
    struct line line, next;
    enum policy policy;
    bool has_policy;
    char load[64];
    const char *rest;
    if (!lines_peek(lines, 0, &line) || !header_line_parse(&line, &policy, &has_policy, load, &rest))
        return false;
    if (has_policy)
        return true;
    for (size_t k = 1; k <= 3 && lines_peek(lines, k, &next); k++)
        if (line_starts(&next, "T:"))
            return true;
    return false;
}

/* "10:11:12": two digits each, as a time of day has them and no cycle number does. */
static bool is_time_of_day(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    for (int part = 0; part < 3; part++) {
        const char *begin = p;
        uint64_t number;
        if (!scan_u64(&p, end, &number) || p - begin != 2 || number > (part ? 60 : 23) || (part < 2 && !scan_literal(&p, end, ":")))
            return false;
    }
    return true;
}

static bool is_verbose_block(struct lines *lines)
{
    struct line line;
    int64_t thread, cycle, value;
    if (!lines_peek(lines, 0, &line) || !verbose_line(line.text, line.length, &thread, &cycle, &value) || is_time_of_day(&line))
        return false;
    if (line.length >= 26 && line.text[8] == ':')
        return true;
    /* One such line alone could be a time of day. */
    return lines_peek(lines, 1, &line) && verbose_line(line.text, line.length, &thread, &cycle, &value);
}

static struct probe_result cyclictest_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    struct tool_command command;
    struct status_line status;
    lines_peek(lines, 0, &line);
    const char *p = line.text, *end = p + line.length;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '|' || *p == '*'))
        p++;
    if (p == end)
        return (struct probe_result){NOT_MINE, NULL};
    int sureness = NOT_MINE;
    if (abreast_begins(lines) || (*p == 'T' && (is_spike(&line) || status_line_parse(lines, &status))))
        sureness = LIKELY;
    else if (*p >= '0' && *p <= '9' && is_verbose_block(lines))
        sureness = PLAUSIBLE;
    else if ((*p == '#' || *p == 'M' || *p == 'A' || *p == 'H' || (*p >= '0' && *p <= '9')) && histogram_begins(lines))
        sureness = LIKELY;
    else if (*p == '{' && cyclictest_json_begins(lines))
        sureness = json_is_other_tool(lines) ? NOT_MINE : LIKELY;
    else if ((*p == 'p' || *p == '#' || (*p >= '0' && *p <= '9')) && is_header(lines))
        sureness = LIKELY;
    else if (is_message(&line) || is_banner(&line))
        sureness = LIKELY;
    else if (is_command(lines, &command))
        sureness = PLAUSIBLE;
    return (struct probe_result){sureness, NULL};
}

/* "# Thread Ids: 05540 05541", "# Break thread: 5540", "# Break value: 36" */
static void take_break_line(struct import *import, struct cyclictest_state *state, const struct line *line)
{
    struct result *result = &state->result;
    const char *p = memchr(line->text, ':', line->length), *end = line->text + line->length;
    uint64_t value;
    if (!p || !result->is_open)
        return;
    p++;
    scan_blanks(&p, end);
    if (line_has(line, "Thread Ids:")) {
        for (size_t i = 0; i < result->n_threads && scan_u64(&p, end, &value); i++) {
            if (result->threads[i].tid == PRINTED_UNKNOWN)
                result->threads[i].tid = (int64_t)value;
            scan_blanks(&p, end);
        }
    } else if (scan_u64(&p, end, &value)) {
        const char *key = line_has(line, "Break thread") ? "cyclictest.break_thread" : "cyclictest.break_value";
        result->has_break = true;
        import_fact(import, key, "%llu", (unsigned long long)value);
        if (line_has(line, "Break thread"))
            result->break_tid = (int64_t)value;
        else
            result->break_value = (int64_t)value;
    }
}

/* "T: 0 Spike:     224: TS:   1222927229": a latency with a time, in us of the measuring clock. */
static void take_spike(struct import *import, struct cyclictest_state *state, const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t thread, latency, time;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "T:") || (scan_blanks(&p, end), !scan_u64(&p, end, &thread)) ||
        (scan_blanks(&p, end), !scan_literal(&p, end, "Spike:")) || (scan_blanks(&p, end), !scan_u64(&p, end, &latency)))
        return;
    struct claim claim = claim_unknown();
    if (scan_literal(&p, end, ":") && (scan_blanks(&p, end), scan_literal(&p, end, "TS:")) &&
        (scan_blanks(&p, end), scan_u64(&p, end, &time)) && time < INT64_MAX / 1000)
        claim.time_ns = (int64_t)time * 1000;
    struct result *result = &state->result;
    result_store(import, result);
    struct thread_result *t = result->is_open ? result_find(result, (int64_t)thread) : NULL;
    claim.run = import->run;
    claim.artefact = import->artefact;
    claim.line = line->number;
    claim.kind = CLAIM_SAMPLE;
    claim.section = SECTION_TIMER_THREAD;
    claim.series = t ? t->series : ROW_NONE;
    claim.tid = t && t->tid > 0 && t->tid < INT32_MAX ? (int32_t)t->tid : TID_UNKNOWN;
    claim.comm = "cyclictest";
    claim.latency_ns = latency < INT64_MAX / 1000 ? (int64_t)latency * result_unit(result) : NS_UNKNOWN;
    char text[120];
    snprintf(text, sizeof text, "%.*s", (int)(line->length < 100 ? line->length : 100), line->text);
    claim.text = text;
    store_add_claim(import->store, &claim);
}

/* Said before the first status line: about the result that begins below. */
static void take_mismatch(struct import *import, struct cyclictest_state *state, const struct line *line)
{
    result_tell_mismatch(import, state);
    snprintf(state->mismatch, sizeof state->mismatch, "%.*s", (int)(line->length < 200 ? line->length : 200), line->text);
    state->mismatch_line = line->number;
}

/* What a message says about the run. */
static void take_message(struct import *import, struct cyclictest_state *state, const struct line *line)
{
    state->n_messages += !line_starts(line, "deadline thread ") && !line_starts(line, "main thread "); /* deadline_test's too */
    if (line_starts(line, "# Thread Ids:") || line_starts(line, "# Break"))
        take_break_line(import, state, line);
    else if (line_starts(line, "Using all CPUS"))
        state->tool = "cyclicdeadline";
    else if (line_has(line, "High resolution timers not available"))
        import_note(import, "clock-granularity", line->number, "high resolution timers are not available: latencies are multiples of the tick");
    else if (line_has(line, "clock_nanosleep failed"))
        import_note(import, "run-interrupted", line->number, "a thread's clock_nanosleep failed: it ended early");
    else if (line_has(line, "Running on unknown kernel version") || line_has(line, "Most functions require kernel"))
        import_fact(import, "cyclictest.warning", "%.*s", (int)(line->length < 200 ? line->length : 200), line->text);
    else if (line_has(line, "defaulting realtime priority") || line_has(line, "policy and priority don't match") ||
             line_has(line, "failed to set priority") || line_has(line, "Could not set CPU affinity"))
        take_mismatch(import, state, line);
}

static void take_header(struct cyclictest_state *state, const struct line *line)
{
    bool has_policy;
    enum policy policy;
    header_line_parse(line, &policy, &has_policy, state->load_average, NULL);
    state->policy = policy;
    state->has_header = has_policy;
}

static enum status take(struct import *import, struct cyclictest_state *state, struct lines *lines, unsigned *cursor_up,
                        bool *is_ours, struct error *error);

static enum status take_abreast(struct import *import, struct cyclictest_state *state, struct lines *lines, struct error *error)
{
    struct text text = {0};
    uint64_t line = lines_number(lines);
    size_t n_lines = abreast_set_apart(lines, &text);
    struct lines *apart = lines_new_at(text_string(&text), text.length, line);
    enum status status = OK;
    unsigned cursor_up = 0;
    bool is_ours = true;
    while (status != FAILED && is_ours && !lines_at_end(apart)) {
        size_t before = lines_tell(apart);
        status = take(import, state, apart, &cursor_up, &is_ours, error);
        if (!is_ours || lines_tell(apart) == before)
            lines_skip(apart, 1);
        is_ours = true;
    }
    lines_free(apart);
    text_release(&text);
    import_note_n(import, "repaired-text", n_lines, line, "undone: several results in a line");
    lines_skip(lines, n_lines);
    return status;
}

/* Takes what stands at the current line, if it is ours. */
static enum status take(struct import *import, struct cyclictest_state *state, struct lines *lines, unsigned *cursor_up,
                        bool *is_ours, struct error *error)
{
    struct line line;
    struct status_line status;
    struct tool_command command;
    size_t n_lines;
    *is_ours = true;
    lines_peek(lines, 0, &line);
    *cursor_up = line.cursor_up ? line.cursor_up : *cursor_up;
    if (is_spike(&line)) {
        take_spike(import, state, &line);
    } else if (abreast_begins(lines)) {
        return take_abreast(import, state, lines, error);
    } else if (status_line_parse(lines, &status)) {
        if (is_header(lines))
            take_header(state, &line);
        status_take(import, state, &status, line.number, *cursor_up > 0);
        if (status.n_lines > 1)
            import_note_n(import, "repaired-text", 1, line.number, "undone: wrapped lines");
        lines_skip(lines, status.n_lines);
        return OK;
    } else if (is_header(lines)) {
        take_header(state, &line);
    } else if (histogram_begins(lines)) {
        return histogram_read(import, state, lines, error);
    } else if (cyclictest_json_begins(lines) && !json_is_other_tool(lines)) {
        return cyclictest_json_read(import, state, lines, error);
    } else if (is_message(&line)) {
        take_message(import, state, &line);
    } else if (is_banner(&line)) {
        const char *p = line_find(&line, "V") + 1;
        int n = 0;
        snprintf(state->version, sizeof state->version, "%.*s", (int)(line.text + line.length - p < 31 ? line.text + line.length - p : 31), p);
        while (state->version[n] == ' ' || state->version[n] == ':')
            n++;
        memmove(state->version, state->version + n, strlen(state->version + n) + 1);
        state->version[strcspn(state->version, " \t\r")] = '\0';
        struct line next;
        state->is_usage_text |= lines_peek(lines, 1, &next) && line_starts(&next, "Usage:");
    } else if (is_verbose_block(lines)) {
        verbose_read(import, state, lines);
        return OK;
    } else if ((n_lines = is_command(lines, &command)) > 0) {
        if (!command.is_mention || !tool_command_is_known(&state->command)) {
            state->command = command;
            state->n_commands++;
        }
        lines_skip(lines, n_lines);
        return OK;
    } else {
        *is_ours = false;
        return OK;
    }
    lines_skip(lines, 1);
    return OK;
}

static enum status cyclictest_read(struct import *import, struct lines *lines, struct error *error)
{
    struct cyclictest_state *state = import_state(import, &importer_cyclictest, sizeof *state);
    if (!state->is_ready) {
        result_clear(&state->result);
        tool_command_clear(&state->command);
        state->is_ready = true;
    }
    enum status status = OK;
    unsigned cursor_up = 0;
    struct line line;
    state->n_blocks++;
    while (status != FAILED && lines_peek(lines, 0, &line)) {
        if (line_is_blank(&line)) {
            cursor_up = line.cursor_up ? line.cursor_up : cursor_up;
            lines_skip(lines, 1);
            continue;
        }
        bool is_ours;
        size_t before = lines_tell(lines);
        status = take(import, state, lines, &cursor_up, &is_ours, error);
        if (!is_ours || lines_tell(lines) == before)
            break;
    }
    if (status != FAILED)
        result_store(import, &state->result);
    else
        result_clear(&state->result);
    return status;
}

static void cyclictest_finish(struct import *import)
{
    struct cyclictest_state *state = import_state(import, &importer_cyclictest, sizeof *state);
    struct result *result = &state->result;
    if (tool_command_is_known(&state->command) && result->is_open && !tool_command_is_known(&result->command))
        result->command = state->command; /* said behind the result: "this was cyclictest -p 80" */
    if (!result->is_open && state->n_commands == 1) /* of several, none is known to be this run's */
        tool_command_facts(import, "cyclictest", &state->command);
    result_tell_mismatch(import, state);
    if (!result->is_open && (state->n_messages || state->is_usage_text))
        import_note(import, "no-samples", 0,
                    state->is_usage_text ? "cyclictest printed its usage: it refused the command and measured nothing"
                                         : "cyclictest was started but printed no result");
    result_close(import, result);
}

static const char *const cyclictest_marks[] = {
    "^T", "^#", "^{", "^0", "Latenc", "Histogram", "policy", "cyclictest", "signaltest", "cyclicdeadline", "cpu_dma_latency",
    "CPUs", "WARN", "defaulting realtime", "FATAL: timerthread", "spikes = ", "Using ", "deadline thread ", "main thread ",
    "Avg ", "Min ", "Max ", "Max:", NULL,
};

const struct importer importer_cyclictest = {
    .name = "cyclictest",
    .summary = "cyclictest output: status lines, -v, -h/-H histograms, --json (also signaltest, cyclicdeadline)",
    .reads = "rt-tests 0.1x to 2.10 and git: status lines of all eras, live displays (last frame), -v, -o, -h, -H, "
             "--histfile, --json of all schemas, -b and --spike lines, SIGUSR1 and shared-memory snapshots",
    .probe_lines = cyclictest_probe,
    .read_lines = cyclictest_read,
    .finish_lines = cyclictest_finish,
    .marks = cyclictest_marks,
};
