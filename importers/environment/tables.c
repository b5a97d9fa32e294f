/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of counters: /proc/interrupts, /proc/softirqs, /proc/stat, /proc/schedstat.
 *
 *                CPU0       CPU1
 *       0:        146          0   IO-APIC   2-edge      timer
 *     LOC:       8507       8024   Local timer interrupts
 *
 * Rows may have fewer numbers than there are CPUs (ERR, MIS). The scope is the row with its device names, so that the
 * same line can be found again when numbers move.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "importers/environment/environment.h"

#define MAX_CPUS 1024

/* "CPU0 CPU1 CPU3": how many columns, and their names. 0: no such heading. */
static size_t heading(const struct line *line, uint16_t cpus[MAX_CPUS])
{
    const char *p = line->text, *end = p + line->length;
    size_t n = 0;
    uint64_t cpu;
    for (scan_blanks(&p, end); p < end && n < MAX_CPUS; scan_blanks(&p, end)) {
        if (!scan_literal(&p, end, "CPU") || !scan_u64(&p, end, &cpu) || cpu > 65535)
            return 0;
        cpus[n++] = (uint16_t)cpu;
    }
    return p == end ? n : 0;
}

/* "  LOC:  1 2 ..." ; *label and *p behind the colon. */
static bool row_label(const struct line *line, const char **label, size_t *length, const char **p)
{
    const char *q = line->text, *end = q + line->length;
    scan_blanks(&q, end);
    const char *begin = q;
    while (q < end && (isalnum((unsigned char)*q) || *q == '_') && q - begin < 24)
        q++;
    if (q == begin || q == end || *q != ':')
        return false;
    *label = begin;
    *length = (size_t)(q - begin);
    *p = q + 1;
    return true;
}

static struct probe_result interrupts_probe(struct lines *lines, const struct member *member)
{
    struct line line, next;
    uint16_t cpus[MAX_CPUS];
    const char *label, *p;
    size_t length;
    uint64_t value;
    (void)member;
    lines_peek(lines, 0, &line);
    if (!line_starts(&line, "CPU") || !heading(&line, cpus) || !lines_peek(lines, 1, &next) || !row_label(&next, &label, &length, &p))
        return (struct probe_result){NOT_MINE, NULL};
    scan_blanks(&p, next.text + next.length);
    return (struct probe_result){scan_u64(&p, next.text + next.length, &value) ? LIKELY : NOT_MINE, NULL};
}

static bool is_softirq(const char *label, size_t length)
{
    static const char *const names[] = {"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "BLOCK_IOPOLL", "TASKLET", "SCHED", "HRTIMER", "RCU"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], label, length) == 0)
            return true;
    return false;
}

/* The row's scope: label, and what stands behind the numbers without its columns of blanks. */
static void make_scope(char *scope, size_t size, const char *label, size_t length, const char *p, const char *end)
{
    size_t n = (size_t)snprintf(scope, size, "%.*s", (int)length, label);
    scan_blanks(&p, end);
    if (p < end && n + 2 < size)
        scope[n++] = ' ';
    while (p < end && n + 1 < size) {
        if (*p == ' ' || *p == '\t') {
            scan_blanks(&p, end);
            if (p < end)
                scope[n++] = ' ';
            continue;
        }
        scope[n++] = *p++;
    }
    scope[n] = '\0';
}

static enum status interrupts_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    uint16_t cpus[MAX_CPUS];
    (void)error;
    lines_peek(lines, 0, &line);
    size_t n_cpus = heading(&line, cpus);
    lines_skip(lines, 1);
    struct counter_table *table = NULL;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        const char *label, *p, *end = line.text + line.length;
        size_t length, n = 0;
        uint64_t values[MAX_CPUS];
        if (!row_label(&line, &label, &length, &p))
            break;
        for (scan_blanks(&p, end); n < n_cpus; scan_blanks(&p, end)) {
            const char *before = p;
            if (!scan_u64(&p, end, &values[n]) || (p < end && *p != ' ' && *p != '\t')) {
                p = before;
                break;
            }
            n++;
        }
        if (n == 0)
            break;
        if (!table)
            table = import_counters_begin(import, is_softirq(label, length) ? "proc/softirqs" : "proc/interrupts");
        char scope[160], name[24];
        make_scope(scope, sizeof scope, label, length, p, end);
        for (size_t i = 0; i < n; i++) {
            if (n == 1 && n_cpus > 1)
                snprintf(name, sizeof name, "count"); /* ERR, MIS: one for all */
            else
                snprintf(name, sizeof name, "CPU%u", cpus[i]);
            import_counters_add_count(table, scope, name, values[i]);
        }
    }
    return OK;
}

static const char *const interrupts_marks[] = {"CPU", NULL};

const struct importer importer_interrupts = {
    .name = "proc-interrupts",
    .summary = "/proc/interrupts and /proc/softirqs, two of them as deltas",
    .reads = "all architectures; several snapshots in one file or in files named before/after",
    .probe_lines = interrupts_probe,
    .read_lines = interrupts_read,
    .marks = interrupts_marks,
};

/* ---- /proc/stat and /proc/schedstat ---- */

static const char *const stat_columns[] = {"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"};
static const char *const schedstat_columns[] = {"yld_count", "legacy", "sched_count", "sched_goidle", "ttwu_count", "ttwu_local",
                                                "rq_cpu_time", "run_delay", "pcount"};

/* "cpu0 1 2 3 ...": the numbers; 0 if it is no such row. */
static size_t cpu_row(const struct line *line, char name[16], uint64_t *values, size_t max)
{
    const char *p = line->text, *end = p + line->length;
    size_t n = 0, k = 0;
    if (line->length < 6 || memcmp(p, "cpu", 3) != 0)
        return 0;
    while (p < end && *p != ' ' && k < 15)
        name[k++] = *p++;
    name[k] = '\0';
    for (size_t i = 3; i < k; i++)
        if (!isdigit((unsigned char)name[i]))
            return 0;
    while (n < max && scan_blanks(&p, end) && scan_u64(&p, end, &values[n]))
        n++;
    scan_blanks(&p, end);
    return p == end ? n : 0;
}

static bool is_schedstat(struct lines *lines)
{
    struct line line, next;
    return lines_peek(lines, 0, &line) && line_starts(&line, "version 1") && lines_peek(lines, 1, &next) && line_starts(&next, "timestamp ");
}

static struct probe_result stat_probe(struct lines *lines, const struct member *member)
{
    struct line line, next;
    char name[16];
    uint64_t values[16];
    (void)member;
    lines_peek(lines, 0, &line);
    if (is_schedstat(lines))
        return (struct probe_result){LIKELY, NULL};
    if (line.length < 10 || line.text[0] != 'c' || cpu_row(&line, name, values, 16) < 7 || strcmp(name, "cpu") != 0)
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){lines_peek(lines, 1, &next) && cpu_row(&next, name, values, 16) >= 7 ? LIKELY : NOT_MINE, NULL};
}

static enum status stat_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    bool sched = is_schedstat(lines);
    struct counter_table *table = import_counters_begin(import, sched ? "proc/schedstat" : "proc/stat");
    struct line line;
    size_t n_columns = sched ? 9 : 10;
    const char *const *columns = sched ? schedstat_columns : stat_columns;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        char name[16];
        uint64_t values[16], value;
        size_t n = cpu_row(&line, name, values, n_columns);
        const char *p = line.text, *end = p + line.length;
        if (n) {
            for (size_t i = 0; i < n; i++)
                import_counters_add_count(table, name, columns[i], values[i]);
        } else if (scan_literal(&p, end, "ctxt ") || scan_literal(&p, end, "processes ") || scan_literal(&p, end, "intr ")) {
            char word[16];
            snprintf(word, sizeof word, "%.*s", (int)(p - line.text - 1), line.text);
            if (scan_u64(&p, end, &value))
                import_counters_add_count(table, "all", word, value);
        } else if (!(line_starts(&line, "btime ") || line_starts(&line, "procs_") || line_starts(&line, "softirq ") ||
                     line_starts(&line, "version ") || line_starts(&line, "timestamp ") || line_starts(&line, "domain"))) {
            break;
        }
    }
    return OK;
}

static const char *const proc_stat_marks[] = {"cpu", "version 1", NULL};

const struct importer importer_proc_stat = {
    .name = "proc-stat",
    .summary = "/proc/stat and /proc/schedstat, two of them as deltas",
    .reads = "CPU time, context switches, run queue delays per CPU",
    .probe_lines = stat_probe,
    .read_lines = stat_read,
    .marks = proc_stat_marks,
};
