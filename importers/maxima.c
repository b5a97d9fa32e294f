/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of the kernel log by which the latency tracer of 2.6 -rt kernels announces each new maximum (kernel/latency_trace.c):
 *
 *     ( softirq-timer/0-3    |#0): new 1003 us maximum-latency wakeup.
 *     (           dd-2301 |#1): new 123 us maximum-latency critical section.
 *      => started at timestamp 12345: <schedule+0x10>
 *
 * A list of them rises until somebody resets the tracer: a value that falls begins another measurement. A trace that
 * follows shows the last of them, and is a row of its own (ftrace).
 */
#include <stdio.h>
#include <string.h>

#include "importers/importer.h"

struct maximum {
    char comm[32];
    int32_t tid, cpu;
    int64_t latency_ns;
    bool is_section;
    uint64_t line;
    char text[128];
};

struct maxima {
    bool is_open;
    uint32_t run, series;
    uint64_t n;
    int64_t min_ns, last_ns;
    double sum_ns;
};

extern const struct importer importer_maxima;

/* "( softirq-timer/0-3    |#0): new 1003 us maximum-latency wakeup." */
static bool parse(const struct line *line, struct maximum *maximum)
{
    const char *p = line->text, *end = p + line->length, *begin;
    uint64_t n;
    scan_blanks(&p, end);
    begin = p;
    const char *bar = memmem(p, (size_t)(end - p), "|#", 2);
    if (p >= end || *p != '(' || !bar || bar - p > 60)
        return false;
    p++;
    scan_blanks(&p, end);
    const char *stop = bar, *dash;
    while (stop > p && stop[-1] == ' ')
        stop--;
    for (dash = stop; dash > p && dash[-1] >= '0' && dash[-1] <= '9'; dash--)
        ;
    const char *digits = dash;
    if (dash <= p + 1 || dash[-1] != '-' || !scan_u64(&digits, stop, &n) || n > INT32_MAX)
        return false;
    maximum->tid = (int32_t)n;
    snprintf(maximum->comm, sizeof maximum->comm, "%.*s", (int)(dash - 1 - p < 31 ? dash - 1 - p : 31), p);
    p = bar + 2;
    if (!scan_u64(&p, end, &n) || n > 8191 || !scan_literal(&p, end, "): new "))
        return false;
    maximum->cpu = (int32_t)n;
    if (!scan_u64(&p, end, &n) || n > INT64_MAX / 1000 || !scan_literal(&p, end, " us maximum-latency "))
        return false;
    maximum->latency_ns = (int64_t)n * 1000;
    maximum->is_section = !scan_literal(&p, end, "wakeup");
    maximum->line = line->number;
    snprintf(maximum->text, sizeof maximum->text, "%.*s", (int)(end - begin < 127 ? end - begin : 127), begin);
    return true;
}

static struct probe_result maxima_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    struct maximum maximum;
    (void)member;
    if (!lines_peek(lines, 0, &line) || !parse(&line, &maximum))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){CERTAIN, NULL};
}

static void begin(struct maxima *maxima, struct import *import, const struct maximum *maximum)
{
    struct series series = series_unknown();
    series.name = maximum->is_section ? "new maximum section" : "new maximum wakeup";
    series.tool = "latency_trace";
    series.path = maximum->is_section ? PATH_SECTION : PATH_TIMER_WAKEUP;
    series.resolution_ns = 1000;
    series.is_block_maxima = true;
    maxima->series = import_series(import, &series);
    maxima->run = import->run;
    maxima->is_open = true;
    maxima->n = 0;
    maxima->sum_ns = 0;
    maxima->min_ns = maxima->last_ns = maximum->latency_ns;
}

static void add(struct maxima *maxima, struct import *import, const struct maximum *maximum)
{
    bool is_known = strcmp(maximum->comm, "<...>") != 0;
    if (maxima->is_open && maximum->latency_ns < maxima->last_ns)
        maxima->is_open = false;
    if (!maxima->is_open)
        begin(maxima, import, maximum);
    store_add_sample(import->store, maxima->series,
                     &(struct sample){.time_ns = NS_UNKNOWN, .cycle = COUNT_UNKNOWN, .latency_ns = maximum->latency_ns});
    maxima->n++;
    maxima->sum_ns += (double)maximum->latency_ns;
    maxima->last_ns = maximum->latency_ns;
    struct series *series = store_edit_series(import->store, maxima->series);
    series->n_samples = maxima->n;
    series->min_ns = maxima->min_ns;
    series->avg_ns = maxima->sum_ns / (double)maxima->n;
    series->max_ns = maximum->latency_ns; /* the last is the largest, and whose it was */
    series->tid = maximum->tid;
    series->cpu = maximum->cpu;
    series->comm = is_known ? store_keep(import->store, maximum->comm) : NULL;
    struct claim claim = claim_unknown();
    claim.run = maxima->run;
    claim.artefact = import->artefact;
    claim.line = maximum->line;
    claim.kind = CLAIM_CONSOLE;
    claim.section = maximum->is_section ? SECTION_PREEMPT_IRQS_OFF : SECTION_WAKEUP;
    claim.series = maxima->series;
    claim.cpu = maximum->cpu;
    claim.tid = maximum->tid;
    claim.comm = is_known ? maximum->comm : NULL;
    claim.latency_ns = maximum->latency_ns;
    claim.text = maximum->text;
    store_add_claim(import->store, &claim);
}

static enum status maxima_read(struct import *import, struct lines *lines, struct error *error)
{
    struct maxima *maxima = import_state(import, &importer_maxima, sizeof *maxima);
    struct line line;
    struct maximum maximum;
    (void)error;
    while (lines_peek(lines, 0, &line)) {
        if (parse(&line, &maximum))
            add(maxima, import, &maximum);
        else if (!line_has(&line, "started at timestamp ") && !line_has(&line, "ended at timestamp "))
            break;
        lines_skip(lines, 1);
    }
    return OK;
}

const struct importer importer_maxima = {
    .name = "latency-maxima",
    .summary = "kernel log lines \"new N us maximum-latency wakeup\"",
    .reads = "2.6 -rt kernels: wakeups and critical sections; a value that falls begins another run",
    .probe_lines = maxima_probe,
    .read_lines = maxima_read,
};
