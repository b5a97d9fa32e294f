/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rt-migrate-test (0.52 and later): how long each of several tasks waits to run, in us. Only the summary of each task is
 * stored; the matrix above it gives the single delays, in rows of iterations.
 *
 *     Iter:      0       1       2
 *        0:    20053      27      56
 *      len:    40053   20028   20056
 *      loops: 767845  771851  787406
 *
 *      Task 0 (prio 2) (pid 7387):
 *        Max: 20073 us
 */
#include <stdio.h>
#include <string.h>

#include "importers/rt_tests.h"


static bool is_matrix_head(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t n;
    scan_blanks(&p, end);
    return scan_literal(&p, end, "Iter:") && scan_blanks(&p, end) && scan_u64(&p, end, &n) && n == 0;
}

static bool task_head(const struct line *line, uint64_t *task, uint64_t *prio, uint64_t *pid)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    return scan_literal(&p, end, "Task ") && scan_u64(&p, end, task) && scan_literal(&p, end, " (prio ") && scan_u64(&p, end, prio) &&
           scan_literal(&p, end, ") (pid ") && scan_u64(&p, end, pid);
}

static struct probe_result migrate_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    uint64_t a, b, c;
    (void)member;
    lines_peek(lines, 0, &line);
    return (struct probe_result){is_matrix_head(&line) || task_head(&line, &a, &b, &c) ? LIKELY : NOT_MINE, NULL};
}

static void take_task(struct import *import, struct lines *lines, uint64_t task, uint64_t prio, uint64_t pid, uint64_t n_iterations)
{
    struct series series = series_unknown();
    char name[32];
    struct line line;
    snprintf(name, sizeof name, "Task %llu", (unsigned long long)task);
    series.name = name;
    series.tool = "rt-migrate-test";
    series.path = PATH_CALL_DURATION;
    series.policy = POLICY_FIFO;
    series.resolution_ns = 1000;
    series.priority = prio > 0 && prio < 100 ? (int32_t)prio : PRIO_UNKNOWN;
    series.tid = pid < INT32_MAX ? (int32_t)pid : TID_UNKNOWN;
    if (n_iterations)
        series.n_samples = n_iterations;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        const char *p = line.text, *end = p + line.length;
        int64_t us;
        scan_blanks(&p, end);
        const char *label = p;
        if (end - p < 6 || !(scan_literal(&p, end, "Max:") || scan_literal(&p, end, "Min:") || scan_literal(&p, end, "Tot:") || scan_literal(&p, end, "Avg:")))
            break;
        scan_blanks(&p, end);
        if (!scan_i64(&p, end, &us) || us < 0 || us > INT64_MAX / 1000)
            continue;
        if (label[0] == 'M' && label[1] == 'a')
            series.max_ns = us * 1000;
        else if (label[0] == 'M')
            series.min_ns = us * 1000;
        else if (label[0] == 'A')
            series.avg_ns = (double)us * 1000; /* total / runs, truncated */
    }
    import_series(import, &series);
}

static enum status migrate_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    uint64_t n_iterations = 0, task, prio, pid;
    (void)error;
    while (lines_peek(lines, 0, &line)) {
        const char *p = line.text, *end = p + line.length;
        scan_blanks(&p, end);
        if (task_head(&line, &task, &prio, &pid)) {
            lines_skip(lines, 1);
            take_task(import, lines, task, prio, pid, n_iterations);
            continue;
        }
        uint64_t number;
        bool is_row = scan_u64(&p, end, &number) && p < end && *p == ':';
        n_iterations += is_row;
        if (line_starts(&line, "Passed!") || line_starts(&line, "Failed!"))
            import_fact(import, "rt-migrate-test.result", line_has(&line, "Passed") ? "passed" : "failed");
        else if (!is_row && !is_matrix_head(&line) && !line_is_blank(&line) && !line_starts(&line, "len:") && !line_starts(&line, "loops:") &&
                 !line_starts(&line, "Parent pid:"))
            break;
        lines_skip(lines, 1);
    }
    return OK;
}

static const char *const rt_migrate_marks[] = {"Iter:", "(prio ", NULL};

const struct importer importer_rt_migrate = {
    .name = "rt-migrate-test",
    .summary = "rt-migrate-test: how long tasks waited to run",
    .reads = "the summary of each task; rt-tests 0.52 and later",
    .probe_lines = migrate_probe,
    .read_lines = migrate_read,
    .marks = rt_migrate_marks,
};
