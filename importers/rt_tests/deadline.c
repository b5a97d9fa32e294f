/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * deadline_test of rt-tests (1.2 and later): each thread burns its SCHED_DEADLINE runtime and looks whether it was done in
 * time. At the end, per thread:
 *
 *     [415]
 *     missed deadlines  = 1
 *     missed periods    = 1
 *     Total adjustments = 10129 us
 *     # adjustments = 9 avg: 1125 us
 *     deadline   : 10000 us
 *     nr_periods : 1000
 *     max_time: 11349us	min_time: 2686us	avg_time: 2888us
 *     ctx switches vol:4 nonvol:1004 migration:0
 *
 * The times are how long the burning took by the clock: a duration, no wakeup latency. The period is the deadline.
 */
#include <stdio.h>
#include <string.h>

#include "importers/rt_tests.h"

extern const struct importer importer_deadline_test;

/* "[415]" with its results below it. */
static bool begins_thread(struct lines *lines, uint64_t *tid)
{
    struct line line, next;
    if (!lines_peek(lines, 0, &line) || line.length < 3)
        return false;
    const char *p = line.text, *end = p + line.length;
    scan_blanks(&p, end);
    return scan_literal(&p, end, "[") && scan_u64(&p, end, tid) && scan_literal(&p, end, "]") && lines_peek(lines, 1, &next) &&
           line_starts(&next, "missed deadlines");
}

static struct probe_result deadline_probe(struct lines *lines, const struct member *member)
{
    uint64_t tid;
    (void)member;
    return (struct probe_result){begins_thread(lines, &tid) ? CERTAIN : NOT_MINE, NULL};
}

/* "missed periods    = 1", "max_time: 11349us\tmin_time: ...": the number behind the word and a '=' or ':'. */
static bool number_after(const struct line *line, const char *word, uint64_t *value)
{
    const char *p = line_find(line, word), *end = line->text + line->length;
    if (!p)
        return false;
    p += strlen(word);
    while (p < end && (*p == ' ' || *p == '=' || *p == ':'))
        p++;
    return scan_u64(&p, end, value) && *value < INT64_MAX / 1000;
}

static bool take_line(const struct line *line, struct counter_table *counters, const char *scope, struct series *series)
{
    static const struct {
        const char *word, *counter;
    } counts[] = {{"missed deadlines", "missed_deadlines"}, {"missed periods", "missed_periods"}, {"# adjustments", "adjustments"},
                  {"Total adjustments", "adjusted_us"}};
    uint64_t value;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (line_starts(line, counts[i].word) && number_after(line, counts[i].word, &value)) {
            import_counters_add_count(counters, scope, counts[i].counter, value);
            if (i == 1)
                series->n_stated_lost = value;
            return true;
        }
    if (line_starts(line, "deadline ") && number_after(line, "deadline", &value)) {
        series->interval_ns = (int64_t)value * 1000;
    } else if (line_starts(line, "nr_periods") && number_after(line, "nr_periods", &value)) {
        series->n_samples = value;
    } else if (line_starts(line, "max_time")) {
        if (number_after(line, "max_time", &value))
            series->max_ns = (int64_t)value * 1000;
        if (number_after(line, "min_time", &value))
            series->min_ns = (int64_t)value * 1000;
        if (number_after(line, "avg_time", &value))
            series->avg_ns = (double)value * 1000;
    } else if (line_starts(line, "ctx switches")) {
        if (number_after(line, "nonvol", &value))
            import_counters_add_count(counters, scope, "involuntary_switches", value);
        if (number_after(line, "migration", &value))
            import_counters_add_count(counters, scope, "migrations", value);
    } else {
        return line_starts(line, "runtime ") || line_starts(line, "highest prime") || line_starts(line, "Run time ");
    }
    return true;
}

static enum status deadline_read(struct import *import, struct lines *lines, struct error *error)
{
    struct counter_table *counters = import_counters_begin(import, "deadline_test");
    struct line line;
    uint64_t tid;
    (void)error;
    for (unsigned n = 0; begins_thread(lines, &tid); n++) {
        struct series series = series_unknown();
        char scope[32], name[24];
        snprintf(scope, sizeof scope, "%llu", (unsigned long long)tid);
        snprintf(name, sizeof name, "T%u", n);
        lines_skip(lines, 1);
        for (; lines_peek(lines, 0, &line) && take_line(&line, counters, scope, &series); lines_skip(lines, 1))
            ;
        while (lines_peek(lines, 0, &line) && line_is_blank(&line))
            lines_skip(lines, 1);
        if (series.max_ns == NS_UNKNOWN)
            continue; /* the counts alone are no latency */
        series.name = name;
        series.tool = series.comm = "deadline_test";
        series.path = PATH_CALL_DURATION;
        series.policy = POLICY_DEADLINE;
        series.resolution_ns = 1000;
        series.tid = tid < INT32_MAX ? (int32_t)tid : TID_UNKNOWN;
        import_series(import, &series);
    }
    return OK;
}

static const char *const deadline_test_marks[] = {"^[", NULL};

const struct importer importer_deadline_test = {
    .name = "deadline_test",
    .summary = "deadline_test of rt-tests",
    .reads = "per thread: missed deadlines and periods, adjustments, how long a period's work took",
    .probe_lines = deadline_probe,
    .read_lines = deadline_read,
    .marks = deadline_test_marks,
};
