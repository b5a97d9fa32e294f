/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of the kernel log by which the latency tracer of 2.6 -rt kernels announces each new maximum (kernel/latency_trace.c):
 *
 *     ( softirq-timer/0-3    |#0): new 1003 us maximum-latency wakeup.
 *     (           dd-2301 |#1): new 123 us maximum-latency critical section.
 *      => started at timestamp 12345: <schedule+0x10>
 *
 * and in 2004 (voluntary-preempt patches), where preemption off was measured, and a limit could be set instead:
 *
 *     (ksoftirqd/0/2): new 400 us maximum-latency critical section.          (soon: "(ksoftirqd/0/2/CPU#0)")
 *     (default.hotplug/1470): 121 us critical section violates 100 us threshold.
 *      => started at: <kmap_high+0x2b/0x2d0>
 *      => ended at:   <kmap_high+0x1a9/0x2d0>
 *      [<c0105a23>] dump_stack+0x23/0x30
 *
 * A list of them rises until somebody resets the tracer: a value that falls begins another measurement. A trace that
 * follows shows the last of them, and is a row of its own (ftrace).
 */
#include <stdio.h>
#include <string.h>

#include "importers/importer.h"

#define N_FRAMES_MAX 32

struct maximum {
    char comm[32];
    int32_t tid, cpu;
    int64_t latency_ns;
    bool is_section;
    bool is_2004;      /* no CPU; preemption off */
    bool is_violation; /* beyond a limit, not a new maximum */
    uint64_t line;
    char text[128];
    char started_at[96], ended_at[96];
    size_t n_frames;
    char frames[N_FRAMES_MAX][96];
};

struct maxima {
    bool is_open, is_violations;
    uint32_t run, series;
    uint64_t n;
    int64_t min_ns, max_ns, last_ns;
    double sum_ns;
};

extern const struct importer importer_maxima;

/* "comm-pid" or, in 2004, "comm/pid" */
static bool take_task(struct maximum *maximum, const char *p, const char *stop, char between)
{
    uint64_t n;
    scan_blanks(&p, stop);
    while (stop > p && stop[-1] == ' ')
        stop--;
    const char *digits = stop;
    while (digits > p && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    const char *comm_end = digits - 1, *q = digits;
    if (digits <= p + 1 || *comm_end != between || !scan_u64(&q, stop, &n) || n > INT32_MAX)
        return false;
    maximum->tid = (int32_t)n;
    snprintf(maximum->comm, sizeof maximum->comm, "%.*s", (int)(comm_end - p < 31 ? comm_end - p : 31), p);
    return true;
}

static bool take_microseconds(const char **p, const char *end, int64_t *ns)
{
    uint64_t n;
    if (!scan_u64(p, end, &n) || n > INT64_MAX / 1000 || !scan_literal(p, end, " us "))
        return false;
    *ns = (int64_t)n * 1000;
    return true;
}

static bool parse(const struct line *line, struct maximum *maximum)
{
    const char *p = line->text, *end = p + line->length, *begin;
    uint64_t n;
    int64_t limit_ns;
    scan_blanks(&p, end);
    if (p < end && *p != '(') { /* behind what another CPU or a key press was printing: "SysRq : (          IRQ 1-278  |#0): new" */
        const char *new = memmem(p, (size_t)(end - p), "): new ", 7), *open = new ? memrchr(p, '(', (size_t)(new - p)) : NULL;
        p = open && open > p && open[-1] == ' ' && memmem(new, (size_t)(end - new), "maximum-latency ", 16) ? open : p;
    }
    begin = p;
    if (p >= end || *p != '(')
        return false;
    *maximum = (struct maximum){.line = line->number, .cpu = CPU_UNKNOWN};
    const char *bar = memmem(p, (size_t)(end - p), "|#", 2), *close = memmem(p, (size_t)(end - p), "): ", 3);
    if (bar && bar - p <= 60) {
        if (!take_task(maximum, p + 1, bar, '-'))
            return false;
        p = bar + 2;
        if (!scan_u64(&p, end, &n) || n > 8191 || !scan_literal(&p, end, "): new "))
            return false;
        maximum->cpu = (int32_t)n;
    } else {
        if (!close || close - p > 60)
            return false;
        const char *stop = close, *cpu = memmem(p, (size_t)(close - p), "/CPU#", 5);
        if (cpu) {
            const char *q = cpu + 5;
            if (!scan_u64(&q, close, &n) || q != close || n > 8191)
                return false;
            maximum->cpu = (int32_t)n;
            stop = cpu;
        }
        if (!take_task(maximum, p + 1, stop, '/'))
            return false;
        p = close + 3;
        maximum->is_2004 = true;
        maximum->is_violation = !scan_literal(&p, end, "new ");
    }
    if (!take_microseconds(&p, end, &maximum->latency_ns))
        return false;
    if (maximum->is_violation) {
        if (!scan_literal(&p, end, "critical section violates ") || !take_microseconds(&p, end, &limit_ns))
            return false;
    } else if (!scan_literal(&p, end, "maximum-latency ")) {
        return false;
    }
    maximum->is_section = maximum->is_violation || !scan_literal(&p, end, "wakeup");
    snprintf(maximum->text, sizeof maximum->text, "%.*s", (int)(end - begin < 127 ? end - begin : 127), begin);
    return true;
}

/* " => started at: <kmap_high+0x2b/0x2d0>", also "started at timestamp 12345: <...>": the place without its brackets. */
static bool take_place(const struct line *line, const char *key, char place[96])
{
    const char *p = memmem(line->text, line->length, key, strlen(key)), *end = line->text + line->length;
    if (!p || !(p = memchr(p, ':', (size_t)(end - p))))
        return false;
    p++;
    scan_blanks(&p, end);
    if (p < end && *p == '<')
        p++;
    const char *stop = p;
    while (stop < end && *stop != '>' && *stop != ' ')
        stop++;
    snprintf(place, 96, "%.*s", (int)(stop - p < 95 ? stop - p : 95), p);
    return true;
}

/* " [<c0105a23>] dump_stack+0x23/0x30": the tracer's own frames are left out. */
static bool take_frame(const struct line *line, struct maximum *maximum)
{
    static const char *const own[] = {"dump_stack", "show_trace", "check_preempt_timing", "check_critical_timing", "sub_preempt_count",
                                      "touch_preempt_timing", "print_stack"};
    const char *p = line->text, *end = p + line->length;
    uint64_t address;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "[<") || !scan_hex(&p, end, &address) || !scan_literal(&p, end, ">]"))
        return false;
    scan_blanks(&p, end);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if ((size_t)(end - p) >= strlen(own[i]) && memcmp(p, own[i], strlen(own[i])) == 0)
            return true;
    const char *stop = memchr(p, ' ', (size_t)(end - p));
    size_t n = (size_t)((stop ? stop : end) - p);
    if (maximum->n_frames < N_FRAMES_MAX && n)
        snprintf(maximum->frames[maximum->n_frames++], sizeof *maximum->frames, "%.*s", (int)(n < 95 ? n : 95), p);
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
    series.name = maximum->is_violation ? "section beyond the limit" : maximum->is_section ? "new maximum section" : "new maximum wakeup";
    series.tool = "latency_trace";
    series.path = maximum->is_section ? PATH_SECTION : PATH_TIMER_WAKEUP;
    series.resolution_ns = 1000;
    series.is_block_maxima = !maximum->is_violation;
    maxima->series = import_series(import, &series);
    maxima->run = import->run;
    maxima->is_open = true;
    maxima->is_violations = maximum->is_violation;
    maxima->n = 0;
    maxima->sum_ns = 0;
    maxima->min_ns = maxima->max_ns = maxima->last_ns = maximum->latency_ns;
}

static void add(struct maxima *maxima, struct import *import, const struct maximum *maximum)
{
    bool is_known = strcmp(maximum->comm, "<...>") != 0;
    if (maxima->is_open && (maxima->is_violations != maximum->is_violation ||
                            (!maximum->is_violation && maximum->latency_ns < maxima->last_ns)))
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
    if (maximum->latency_ns < maxima->min_ns)
        maxima->min_ns = maximum->latency_ns;
    series->min_ns = maxima->min_ns;
    series->avg_ns = maxima->sum_ns / (double)maxima->n;
    if (maximum->latency_ns >= maxima->max_ns) { /* and whose it was */
        series->max_ns = maxima->max_ns = maximum->latency_ns;
        series->tid = maximum->tid;
        series->cpu = maximum->cpu;
        series->comm = is_known ? store_keep(import->store, maximum->comm) : NULL;
    }
    struct claim claim = claim_unknown();
    claim.run = maxima->run;
    claim.artefact = import->artefact;
    claim.line = maximum->line;
    claim.kind = CLAIM_CONSOLE;
    claim.section = !maximum->is_section ? SECTION_WAKEUP : maximum->is_2004 ? SECTION_PREEMPT_OFF : SECTION_PREEMPT_IRQS_OFF;
    claim.series = maxima->series;
    claim.cpu = maximum->cpu;
    claim.tid = maximum->tid;
    claim.comm = is_known ? maximum->comm : NULL;
    claim.latency_ns = maximum->latency_ns;
    claim.text = maximum->text;
    claim.started_at = maximum->started_at[0] ? maximum->started_at : NULL;
    claim.ended_at = maximum->ended_at[0] ? maximum->ended_at : NULL;
    const char *frames[N_FRAMES_MAX];
    for (size_t i = 0; i < maximum->n_frames; i++)
        frames[i] = maximum->frames[i];
    claim.stack = frames;
    claim.n_stack = maximum->n_frames;
    store_add_claim(import->store, &claim);
}

static enum status maxima_read(struct import *import, struct lines *lines, struct error *error)
{
    struct maxima *maxima = import_state(import, &importer_maxima, sizeof *maxima);
    struct line line;
    struct maximum maximum;
    (void)error;
    while (lines_peek(lines, 0, &line) && parse(&line, &maximum)) {
        lines_skip(lines, 1);
        while (lines_peek(lines, 0, &line) &&
               (take_place(&line, "started at", maximum.started_at) || take_place(&line, "ended at", maximum.ended_at) ||
                take_frame(&line, &maximum)))
            lines_skip(lines, 1);
        add(maxima, import, &maximum);
    }
    return OK;
}

static const char *const maxima_marks[] = {"^(", NULL};

const struct importer importer_maxima = {
    .name = "latency-maxima",
    .summary = "kernel log lines \"new N us maximum-latency wakeup\"",
    .reads = "2.6 -rt kernels: wakeups and critical sections, sections beyond a limit (2004), with places and stacks; a maximum that "
             "falls begins another run",
    .probe_lines = maxima_probe,
    .read_lines = maxima_read,
    .marks = maxima_marks,
};
