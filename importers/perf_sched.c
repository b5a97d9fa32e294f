/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf sched latency and perf sched timehist.
 *
 *       Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    | Max delay start ...
 *       kcompactd0:42         |     41.800 ms |        2 | avg:   0.067 ms | max:   0.135 ms | max start:   290.225142 s
 *
 *                time    cpu  task name                       wait time  sch delay   run time
 *          287.188022 [0000]  migration/0[20]                     0.000      0.077      1.933
 *
 * The delay runs from the wakeup to the switch. 0.000 stands for no wakeup seen as well (preempted, or running when the
 * record began), so it is no sample. A timehist row is printed when the task leaves the CPU: its wakeup was run time and
 * delay before. Without -p, latency puts threads of one name together ("perf:(2)").
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "importers/cells.h"
#include "importers/importer.h"
#include "importers/wrapped.h"

#define MAX_TASKS 16384

/* Mail wraps the heading behind "Avg delay ms". */
static bool is_latency_head(const struct line *line)
{
    return line_starts(line, "Task ") && line_has(line, "Runtime ms") && line_has(line, "elay ms");
}

/* "perf:(2)   |  31.989 ms | ..." */
static bool begins_latency_row(const struct line *line)
{
    const char *bar = memchr(line->text, '|', line->length), *colon = bar ? memchr(line->text, ':', (size_t)(bar - line->text)) : NULL;
    return colon && !line_starts(line, "max") && !line_starts(line, "avg");
}

/* To "max:   1.248 ms |" of the first versions, or to the last time: "max end:   287.192271 s". */
static bool is_whole_latency_row(const struct line *line)
{
    struct cell text = cell_trim(cell_of(line)), max = cell_after(text, "max:");
    return !begins_latency_row(line) || (cell_has(max, "ms") && (cell_ends(text, " s") || cell_ends(text, "|") || cell_ends(text, "ms")));
}

static bool is_rest_of_latency_row(const struct line *line)
{
    return !begins_latency_row(line) && !line_starts(line, "-----") && !line_starts(line, "TOTAL:") && !line_starts(line, "INFO:");
}

/* Mail wraps it behind any of its last columns. */
static bool is_timehist_head(const struct line *line)
{
    return line_starts(line, "time ") && line_has(line, "cpu") && line_has(line, "task name") && line_has(line, "wait time");
}

static bool read_timehist_row(const struct line *line, struct cell *name, struct cell *comm, int *tid, int64_t *time_ns, int64_t *delay_ns,
                              int64_t *run_ns);

/* A record that was cut at its front has no heading: two rows in a row with all their numbers will do. */
static bool is_timehist_row(struct lines *lines, size_t k)
{
    struct line line;
    struct cell name, comm;
    int tid;
    int64_t time_ns, delay_ns, run_ns;
    return lines_peek(lines, k, &line) && line.length > 60 && line.length < 400 &&
           read_timehist_row(&line, &name, &comm, &tid, &time_ns, &delay_ns, &run_ns) && delay_ns != NS_UNKNOWN;
}

static struct probe_result perf_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line) || line.length < 40)
        return (struct probe_result){NOT_MINE, NULL};
    if (is_latency_head(&line) || is_timehist_head(&line))
        return (struct probe_result){CERTAIN, NULL};
    return (struct probe_result){is_timehist_row(lines, 0) && is_timehist_row(lines, 1) ? PLAUSIBLE : NOT_MINE, NULL};
}

/* ---- latency ---- */

/* "avg:   0.067 ms" */
static bool ms_after(struct cell part, const char *label, int64_t *ns)
{
    struct cell rest = cell_after(part, label);
    size_t n = 0;
    while (n < rest.length && rest.text[n] != ' ')
        n++;
    return cell_ns(cell_first(rest, n), 6, ns);
}

static bool read_latency_row(struct import *import, struct counter_table *counters, const struct line *line, struct cells *parts)
{
    cells_clear(parts);
    cells_add_parts(parts, line->text, line->length, '|');
    int64_t avg_ns, max_ns;
    if (parts->n < 5 || !ms_after(parts->cell[3], "avg:", &avg_ns) || !ms_after(parts->cell[4], "max:", &max_ns))
        return false;
    struct cell task = parts->cell[0];
    const char *colon = memrchr(task.text, ':', task.length);
    char name[64], comm[32];
    uint64_t switches;
    cell_copy(task, name, sizeof name);
    if (cell_u64(parts->cell[2], &switches))
        import_counters_add_count(counters, name, "switches", switches);
    if (max_ns == 0) {
        import_note(import, "not-measured", line->number, "a delay of 0.000 means that no wakeup was seen: no series");
        return true;
    }
    struct series series = series_unknown();
    series.name = name;
    if (colon) {
        cell_int(cell_from(task, (size_t)(colon - task.text) + 1), &series.tid); /* "(2)" stays unknown */
        series.comm = cell_copy(cell_first(task, (size_t)(colon - task.text)), comm, sizeof comm);
    }
    series.tool = "perf sched";
    series.resolution_ns = 1000;
    series.max_ns = max_ns;
    series.avg_ns = (double)avg_ns;
    import_series(import, &series);
    return true;
}

/* "Max delay ms | Max delay start | Max delay end |", "delay ms | ..." */
static bool is_rest_of_head(const struct line *line)
{
    return (line_has(line, "delay") || line_has(line, "|")) && !line_has(line, ":") && !line_starts(line, "---");
}

static enum status read_latency(struct import *import, struct lines *lines)
{
    struct counter_table *counters = import_counters_begin(import, "perf sched latency");
    struct cells parts = {0};
    struct line line, next;
    struct text joined = {0};
    bool has_rows = false;
    uint64_t n_wrapped = 0, first = lines_number(lines);
    size_t n_lines = 1;
    lines_skip(lines, 1);
    for (size_t k = 0; k < 2 && lines_peek(lines, 0, &line) && is_rest_of_head(&line); k++)
        lines_skip(lines, 1);
    for (; (n_lines = wrapped_row(lines, 0, is_whole_latency_row, is_rest_of_latency_row, &joined, &line)) > 0; lines_skip(lines, n_lines)) {
        n_wrapped += n_lines > 1;
        struct cell text = cell_trim(cell_of(&line));
        if (cell_starts(text, "INFO:") && cell_has(text, "lost events"))
            import_note(import, "events-lost", line.number, "perf says: %.*s", CELL_ARGS(text));
        else if (cell_starts(text, "INFO:"))
            import_note(import, "tool-bug", line.number, "perf says: %.*s", CELL_ARGS(text));
        else if (cell_starts(text, "-----") || cell_starts(text, "TOTAL:") || !text.length)
            continue;
        else if (read_latency_row(import, counters, &line, &parts))
            has_rows = true;
        else if (has_rows && text.length < 20 && lines_peek(lines, 1, &next) && line_has(&next, " ms |")) /* "<SNIP>" */
            import_note(import, "entries-missing", line.number, "rows were cut out of the table");
        else if (begins_latency_row(&line) && line_has(&line, " ms |"))
            import_note(import, "damaged-lines", line.number, "a row of the table cannot be read");
        else
            break;
    }
    if (n_wrapped)
        import_note_n(import, "repaired-text", n_wrapped, first, "undone: %s", repair_name(REPAIR_WRAPPED));
    cells_release(&parts);
    text_release(&joined);
    return OK;
}

/* ---- timehist ---- */

struct waiter {
    char name[48];
    uint32_t series;
    uint64_t n;
    int64_t min_ns, max_ns;
    double sum_ns;
};
struct waiters {
    struct waiter *task;
    size_t n, capacity;
    uint32_t *slots; /* open addressing: index + 1 */
    size_t n_slots;
};

static uint64_t hash_of(struct cell name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)name.text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static struct waiter *find_task(struct import *import, struct waiters *tasks, struct cell name, struct cell comm, int tid)
{
    for (size_t at = hash_of(name) & (tasks->n_slots - 1);; at = (at + 1) & (tasks->n_slots - 1)) {
        if (tasks->slots[at]) {
            struct waiter *task = &tasks->task[tasks->slots[at] - 1];
            if (cell_is(name, task->name))
                return task;
            continue;
        }
        if (tasks->n == MAX_TASKS || name.length >= sizeof tasks->task->name)
            return NULL;
        memory_reserve(tasks->task, tasks->capacity, tasks->n + 1);
        struct waiter *task = &tasks->task[tasks->n++];
        *task = (struct waiter){0};
        cell_copy(name, task->name, sizeof task->name);
        char text[32];
        struct series series = series_unknown();
        series.name = task->name;
        series.tool = "perf sched";
        series.tid = tid;
        series.comm = cell_copy(comm, text, sizeof text);
        series.resolution_ns = 1000;
        series.has_times = true;
        task->series = import_series(import, &series);
        tasks->slots[at] = (uint32_t)tasks->n;
        return task;
    }
}

/* "287.188022 [0000]  migration/0[20]    0.000  0.077  1.933 [next: ...]": the three numbers follow the "[tid]". */
static bool read_timehist_row(const struct line *line, struct cell *name, struct cell *comm, int *tid, int64_t *time_ns, int64_t *delay_ns,
                              int64_t *run_ns)
{
    struct cells words = {0};
    cells_of_line(&words, line);
    bool is_row = words.n >= 2 && cell_ns(words.cell[0], 9, time_ns) && cell_starts(words.cell[1], "[") && cell_ends(words.cell[1], "]");
    *delay_ns = NS_UNKNOWN;
    for (size_t i = 2; is_row && i + 3 < words.n; i++) {
        struct cell word = words.cell[i];
        const char *bracket = memrchr(word.text, '[', word.length);
        int64_t wait_ns;
        if (!bracket || !cell_ends(word, "]") || !cell_ns(words.cell[i + 1], 6, &wait_ns))
            continue;
        struct cell inside = cell_from(word, (size_t)(bracket - word.text) + 1); /* "419]", "420/419]" */
        size_t digits = 0;
        while (digits < inside.length && inside.text[digits] >= '0' && inside.text[digits] <= '9')
            digits++;
        if (!cell_int(cell_first(inside, digits), tid) || !cell_ns(words.cell[i + 2], 6, delay_ns) || !cell_ns(words.cell[i + 3], 6, run_ns)) {
            *delay_ns = NS_UNKNOWN;
            break;
        }
        /* a comm may hold blanks: from the word after the CPU, or after the -V picture, on; the last word must do */
        *name = word;
        *comm = (struct cell){word.text, (size_t)(bracket - word.text)};
        break;
    }
    cells_release(&words);
    return is_row;
}

/* "287.188022 [0000] ..." */
static bool begins_timehist_row(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    int64_t time;
    scan_blanks(&p, end);
    return scan_decimal(&p, end, 6, &time) && scan_blanks(&p, end) && p < end && *p == '[';
}

/* "migration/0[20]   0.000   0.077   1.933": three numbers behind the task. Rows of other events have none, and nothing that continues them. */
static bool is_whole_timehist_row(const struct line *line)
{
    struct cell name, comm;
    int tid;
    int64_t time_ns, delay_ns, run_ns;
    return !begins_timehist_row(line) || (read_timehist_row(line, &name, &comm, &tid, &time_ns, &delay_ns, &run_ns) && delay_ns != NS_UNKNOWN);
}

static bool is_rest_of_timehist_row(const struct line *line)
{
    return !begins_timehist_row(line) && line->length < 120;
}

/* "0.772": the end of a wrapped row of <idle>, which has no task and is not read. */
static bool is_rest_of_idle(const struct line *line)
{
    struct cells words = {0};
    int64_t ns;
    cells_of_line(&words, line);
    bool all_fit = words.n > 0 && words.n <= 3;
    for (size_t i = 0; i < words.n && all_fit; i++)
        all_fit = cell_is_decimal(words.cell[i]) && cell_ns(words.cell[i], 6, &ns);
    cells_release(&words);
    return all_fit;
}

static bool is_timehist_heading(const struct line *line)
{
    return line_starts(line, "[tid/pid]") || line_starts(line, "-----") || line_starts(line, "(msec)") ||
           (line_has(line, "run time") && !line_has(line, "["));
}

static enum status read_timehist(struct import *import, struct lines *lines)
{
    struct waiters tasks = {.n_slots = 4 * MAX_TASKS};
    tasks.slots = memory_new(tasks.n_slots * sizeof *tasks.slots);
    uint64_t n_zero = 0, n_wrapped = 0, first = lines_number(lines);
    struct line line;
    struct text joined = {0};
    size_t n_lines = 1;
    if (lines_peek(lines, 0, &line) && is_timehist_head(&line))
        lines_skip(lines, 1);
    for (; lines_peek(lines, 0, &line); lines_skip(lines, n_lines)) {
        struct cell name = {"", 0}, comm = {"", 0};
        int tid = TID_UNKNOWN;
        int64_t time_ns, delay_ns, run_ns = 0;
        n_lines = 1;
        if (is_timehist_heading(&line))
            continue;
        bool is_row = read_timehist_row(&line, &name, &comm, &tid, &time_ns, &delay_ns, &run_ns);
        if (is_row && delay_ns == NS_UNKNOWN && (n_lines = wrapped_row(lines, 0, is_whole_timehist_row, is_rest_of_timehist_row, &joined, &line)) > 1) {
            read_timehist_row(&line, &name, &comm, &tid, &time_ns, &delay_ns, &run_ns);
            n_wrapped++;
        }
        if (!is_row && is_rest_of_idle(&line))
            continue;
        if (!is_row)
            break;
        if (delay_ns == NS_UNKNOWN || delay_ns == 0) {
            n_zero += delay_ns == 0;
            continue;
        }
        struct waiter *task = find_task(import, &tasks, name, comm, tid);
        if (!task) {
            import_note(import, "entries-missing", line.number, "more than %d tasks: the others are left out", MAX_TASKS);
            continue;
        }
        store_add_sample(import->store, task->series, &(struct sample){time_ns - run_ns - delay_ns, task->n, delay_ns});
        task->min_ns = task->n && task->min_ns < delay_ns ? task->min_ns : delay_ns;
        task->max_ns = task->n && task->max_ns > delay_ns ? task->max_ns : delay_ns;
        task->sum_ns += (double)delay_ns;
        task->n++;
    }
    for (size_t i = 0; i < tasks.n; i++) {
        const struct waiter *task = &tasks.task[i];
        struct series *series = store_edit_series(import->store, task->series);
        series->n_samples = task->n;
        series->min_ns = task->min_ns;
        series->max_ns = task->max_ns;
        series->avg_ns = task->sum_ns / (double)task->n;
    }
    if (n_zero)
        import_note_n(import, "not-measured", n_zero, first, "a delay of 0.000 means that no wakeup was seen: no sample");
    if (n_wrapped)
        import_note_n(import, "repaired-text", n_wrapped, first, "undone: %s", repair_name(REPAIR_WRAPPED));
    text_release(&joined);
    free(tasks.task);
    free(tasks.slots);
    return OK;
}

static enum status perf_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line line;
    lines_peek(lines, 0, &line);
    return is_latency_head(&line) ? read_latency(import, lines) : read_timehist(import, lines);
}

static const char *const perf_sched_marks[] = {"^0", "Runtime ms", "task name", NULL};

const struct importer importer_perf_sched = {
    .name = "perf-sched",
    .summary = "perf sched latency and timehist",
    .reads = "perf 4.10 to 7.x: delays from wakeup to switch per task; timehist with -V, -w, -n, -M",
    .probe_lines = perf_probe,
    .read_lines = perf_read,
    .marks = perf_sched_marks,
};
