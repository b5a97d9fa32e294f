/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pmqtest, ptsematest, sigwaittest, svsematest of rt-tests (0.57 and later): a thread wakes another by a message, a
 * semaphore or a signal; one series per pair, named by the receiver.
 *
 *     #0: ID30525, P80, CPU0, I1000; #1: ID30526, P80, CPU1, TO 0, Cycles 300
 *     #1 -> #0, Min    9, Cur   24, Avg   23, Max  132
 *
 * All use gettimeofday() and only the microseconds of the difference: 1.000050 s shows as 50 us, and a set clock changes
 * minimum and maximum. The display is repainted; the last frame counts. The four tools print alike: which one it was is
 * known from the command only, and `TO` is pmqtest's.
 */
#include <stdio.h>
#include <string.h>

#include "importers/rt_tests.h"
#include "importers/tool_command.h"

extern const struct importer importer_rt_pairs;

#define MAX_PAIRS 1024

struct pair {
    uint64_t receiver, sender, tid, priority, cpu, interval_us, cycles, timeouts;
    uint32_t series; /* ROW_NONE: not stored yet */
};
struct pairs_state {
    const char *tool;
    const char *command_tool; /* of a command that waits for its result; NULL: none */
    struct tool_command command;
    size_t n;
    struct pair pairs[MAX_PAIRS];
};

static const char *const tools[] = {"pmqtest", "ptsematest", "sigwaittest", "svsematest"};

/* "# pmqtest -Sp99 -i100": which tool it is, or NULL. */
static const char *command_line(const struct line *line, struct tool_command *command)
{
    if (line->length > 500 || !line_has(line, "test -"))
        return NULL;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (tool_command_find(line->text, line->length, tools[i], command))
            return tools[i];
    return NULL;
}

static bool labelled(const char **p, const char *end, const char *label, uint64_t *value)
{
    const char *q = *p;
    while (q < end && (*q == ' ' || *q == '\t' || *q == ',' || *q == ';'))
        q++;
    if (!scan_literal(&q, end, label))
        return false;
    scan_blanks(&q, end);
    if (!scan_u64(&q, end, value))
        return false;
    *p = q;
    return true;
}

/* "#0: ID30525, P80, CPU0, I1000; #1: ID30526, P80, CPU1, TO 0, Cycles 300" */
static bool info_line(const struct line *line, struct pair *pair)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t ignored;
    *pair = (struct pair){.timeouts = COUNT_UNKNOWN, .series = ROW_NONE};
    scan_blanks(&p, end);
    if (!labelled(&p, end, "#", &pair->receiver) || !labelled(&p, end, ": ID", &pair->tid) || !labelled(&p, end, "P", &pair->priority))
        return false;
    if (!labelled(&p, end, "CPU", &pair->cpu))
        pair->cpu = COUNT_UNKNOWN;
    if (!labelled(&p, end, "I", &pair->interval_us) || !labelled(&p, end, "#", &pair->sender) || !labelled(&p, end, ": ID", &ignored))
        return false;
    labelled(&p, end, "P", &ignored);
    labelled(&p, end, "CPU", &ignored);
    labelled(&p, end, "TO", &pair->timeouts);
    return labelled(&p, end, "Cycles", &pair->cycles);
}

/* "#1 -> #0, Min    9, Cur   24, Avg   23, Max  132"; is_ready false: "(not yet ready)". */
static bool value_line(const struct line *line, uint64_t *receiver, int64_t values[4], bool *is_ready)
{
    static const char *const labels[4] = {"Min", "Cur", "Avg", "Max"};
    const char *p = line->text, *end = p + line->length;
    uint64_t sender;
    scan_blanks(&p, end);
    if (!labelled(&p, end, "#", &sender) || !scan_literal(&p, end, " -> ") || !labelled(&p, end, "#", receiver))
        return false;
    *is_ready = !line_has(line, "not yet ready");
    for (int i = 0; i < 4 && *is_ready; i++) {
        while (p < end && (*p == ' ' || *p == ','))
            p++;
        if (!scan_literal(&p, end, labels[i]))
            return false;
        scan_blanks(&p, end);
        if (!scan_i64(&p, end, &values[i]))
            return false;
    }
    return true;
}

static struct probe_result pairs_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    struct pair pair;
    uint64_t receiver;
    int64_t values[4];
    bool is_ready;
    (void)member;
    lines_peek(lines, 0, &line);
    struct tool_command command;
    if (line.length > 12 && command_line(&line, &command))
        return (struct probe_result){UNLIKELY, NULL};
    if (line.length < 12 || !memchr(line.text, '#', line.length > 8 ? 8 : line.length))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){info_line(&line, &pair) || value_line(&line, &receiver, values, &is_ready) ? LIKELY : NOT_MINE, NULL};
}

static const char *tool_of(struct import *import, const struct pair *pair)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strstr(import->member->path, tools[i]))
            return tools[i];
    return pair->timeouts != COUNT_UNKNOWN ? "pmqtest" : "rt-tests-pair";
}

static struct pair *find_pair(struct pairs_state *state, uint64_t receiver)
{
    for (size_t i = 0; i < state->n; i++)
        if (state->pairs[i].receiver == receiver)
            return &state->pairs[i];
    return NULL;
}

/* The same receiver with the same tid: a later frame. Another tid: another run. */
static void take_info(struct import *import, struct pairs_state *state, const struct pair *fresh)
{
    struct pair *old = find_pair(state, fresh->receiver);
    if (old && old->tid != fresh->tid) {
        state->n = 0;
        old = NULL;
        import_new_run(import, NULL);
    }
    uint32_t series = old ? old->series : ROW_NONE;
    if (!old) {
        if (state->n == MAX_PAIRS)
            return;
        old = &state->pairs[state->n++];
    }
    *old = *fresh;
    old->series = series;
    if (state->command_tool) {
        state->tool = state->command_tool;
        tool_command_facts(import, state->tool, &state->command);
        state->command_tool = NULL;
    }
    if (!state->tool)
        state->tool = tool_of(import, fresh);
}

/* Microseconds, where -1 and 2^32 - 1 mean that nothing was measured. */
static int64_t value_ns(int64_t value)
{
    return value < 0 || value >= UINT32_MAX ? NS_UNKNOWN : value * 1000;
}

static void take_values(struct import *import, struct pairs_state *state, uint64_t receiver, const int64_t values[4], bool is_ready,
                        uint64_t line)
{
    struct pair *pair = find_pair(state, receiver);
    if (!pair)
        return;
    struct series series = series_unknown();
    char name[40];
    snprintf(name, sizeof name, "%llu -> %llu", (unsigned long long)pair->sender, (unsigned long long)receiver);
    if (pair->series == ROW_NONE) {
        series.name = name;
        series.tool = state->tool;
        pair->series = import_series(import, &series);
    }
    struct series *row = store_edit_series(import->store, pair->series);
    /* Extremes only move apart: anything else is an explanation that repeats the form, with other numbers. */
    if (is_ready && row->max_ns != NS_UNKNOWN && (value_ns(values[3]) < row->max_ns || value_ns(values[0]) > row->min_ns)) {
        import_note(import, "damaged-lines", line, "a later line of the same pair with a smaller maximum was left out");
        return;
    }
    row->path = PATH_CALL_DURATION;
    row->tid = pair->tid < INT32_MAX ? (int32_t)pair->tid : TID_UNKNOWN;
    row->cpu = pair->cpu < 65536 ? (int32_t)pair->cpu : CPU_UNKNOWN;
    row->priority = pair->priority > 0 && pair->priority < 100 ? (int32_t)pair->priority : PRIO_UNKNOWN;
    row->interval_ns = pair->interval_us < INT32_MAX ? (int64_t)pair->interval_us * 1000 : NS_UNKNOWN;
    row->resolution_ns = 1000;
    row->n_samples = pair->cycles;
    if (!is_ready || pair->cycles == 0)
        return;
    row->min_ns = value_ns(values[0]);
    row->avg_ns = value_ns(values[2]) == NS_UNKNOWN ? NAN : (double)value_ns(values[2]);
    row->max_ns = value_ns(values[3]);
}

static enum status pairs_read(struct import *import, struct lines *lines, struct error *error)
{
    struct pairs_state *state = import_state(import, &importer_rt_pairs, sizeof *state);
    struct line line;
    (void)error;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct pair pair;
        uint64_t receiver;
        int64_t values[4] = {0, 0, 0, 0};
        bool is_ready;
        struct tool_command command;
        const char *tool = command_line(&line, &command);
        if (tool) {
            state->command_tool = tool;
            state->command = command;
        } else if (info_line(&line, &pair))
            take_info(import, state, &pair);
        else if (value_line(&line, &receiver, values, &is_ready))
            take_values(import, state, receiver, values, is_ready, line.number);
        else if (!line_is_blank(&line) && !line_starts(&line, "Collecting ..."))
            break;
    }
    return OK;
}

static const char *const rt_pairs_marks[] = {"test -", "#", NULL};

const struct importer importer_rt_pairs = {
    .name = "rt-tests-pair",
    .summary = "pmqtest, ptsematest, sigwaittest, svsematest of rt-tests",
    .reads = "the lines of all versions, live displays (last frame)",
    .probe_lines = pairs_probe,
    .read_lines = pairs_read,
    .marks = rt_pairs_marks,
};
