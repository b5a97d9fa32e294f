/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report that rteval prints (2.x, 3.x; `rteval --summarize`): what people post of a run.
 *
 *      rteval (v3.3) report
 *       Run time:     0 days 0h 10m 4s
 *       Kernel:       5.14.0-70.26.1.rt21.98.el9_0.x86_64  (RT enabled)
 *              CPU core 0       Priority: 95
 *              Statistics:
 *                Samples:           6005785
 *                Mean:              5.122747817312807us
 *                Max:               77us
 *
 * It is made from summary.xml, without the histograms, so what is false there is false here (importers/rteval.c): what
 * overflowed is in no number, before 3.3 not even in the maximum; median and deviations are not taken. "System" is the sum of the
 * cores and only checks them, unless a post shows nothing else. A post often lacks the head, the foot or some cores.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "importers/cells.h"
#include "importers/environment/environment.h"
#include "importers/importer.h"
#include "importers/tool_command.h"

struct statistics {
    bool is_open, is_system;
    int cpu, priority;
    int64_t min_ns, max_ns;
    double mean_ns; /* NAN: unknown */
    uint64_t n_samples;
};

struct report {
    bool is_begun, has_head;
    int major, minor; /* of rteval; -1 unknown */
    int64_t duration_ns, interval_ns, limit_ns;
    struct statistics open;
    bool has_system;
    struct statistics system;
    uint64_t n_samples; /* of the cores */
    int64_t max_ns;     /* of the cores */
    size_t n_cores;
};

static void report_begin(struct report *report)
{
    *report = (struct report){.is_begun = true, .major = -1, .minor = -1, .duration_ns = NS_UNKNOWN, .interval_ns = NS_UNKNOWN,
                              .limit_ns = NS_UNKNOWN, .max_ns = NS_UNKNOWN};
}

/* ---- what a line is ---- */

static bool opens_statistics(struct cell text, int *cpu, int *priority)
{
    char line[64];
    int n = 0;
    *cpu = CPU_UNKNOWN;
    *priority = PRIO_UNKNOWN;
    if (cell_is(text, "System:"))
        return true;
    return text.length < sizeof line && sscanf(cell_copy(text, line, sizeof line), "CPU core %5d Priority: %3d%n", cpu, priority, &n) == 2 &&
           (size_t)n == text.length && *cpu >= 0 && *cpu < 65536;
}

static bool is_title(struct cell text)
{
    return cell_starts(text, "rteval (v") && cell_ends(text, ") report");
}

static bool is_start(struct cell text)
{
    return cell_starts(text, "rteval run on ") && cell_has(text, " started at ");
}

static struct probe_result text_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    int cpu, priority;
    if (!lines_peek(lines, 0, &line))
        return (struct probe_result){NOT_MINE, NULL};
    struct cell text = cell_trim(cell_of(&line));
    if (is_title(text) || is_start(text))
        return (struct probe_result){CERTAIN, NULL};
    bool is_open = opens_statistics(text, &cpu, &priority) && lines_peek(lines, 1, &line) && line_starts(&line, "Statistics:");
    return (struct probe_result){is_open ? CERTAIN : NOT_MINE, NULL};
}

/* Lines of the report and of the run around it that tell nothing more. */
static bool is_around(struct cell text, bool has_head)
{
    static const char *const always[] = {"Statistics:", "Median:", "Mode:", "Range:", "Mean Absolute Dev:", "Std.dev:", "Variance:"};
    static const char *const framed[] = {
        "Test run:", "NUMA Nodes:", "Memory:", "Available:", "System load:", "Executed loads:", "Measurement profile", "Latency test",
        "Started:", "Stopped:", "started ", "Run duration:", "stopping run at", "got system topology", "[INFO]", "[DEBUG]",
    };
    if (!text.length)
        return true;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (cell_starts(text, always[i]))
            return true;
    for (size_t i = 0; has_head && i < sizeof framed / sizeof *framed; i++)
        if (cell_starts(text, framed[i]))
            return true;
    size_t n = 0;
    while (n < text.length && (text.text[n] == '=' || text.text[n] == '-'))
        n++;
    return has_head && n == text.length;
}

/* ---- the head ---- */

/* "0 days 0h 10m 4s" */
static void read_run_time(struct report *report, struct cell value)
{
    char text[64];
    int days, hours, minutes, seconds;
    if (sscanf(cell_copy(value, text, sizeof text), "%6d days %2dh %2dm %2ds", &days, &hours, &minutes, &seconds) == 4 && days >= 0 && days < 100000 &&
        hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60 && seconds >= 0 && seconds < 60)
        duration_of_seconds(((days * INT64_C(24) + hours) * 60 + minutes) * 60 + seconds, &report->duration_ns);
}

static void read_kernel(struct import *import, struct cell value)
{
    size_t length = 0;
    while (length < value.length && value.text[length] != ' ')
        length++;
    import_fact(import, "kernel.release", "%.*s", CELL_ARGS(cell_first(value, length)));
    if (cell_has(value, "(RT enabled)"))
        import_fact(import, "kernel.realtime", "1");
}

static void read_command(struct import *import, struct report *report, struct cell value)
{
    struct tool_command command;
    tool_command_clear(&command);
    import_fact(import, "rteval.command", "%.*s", CELL_ARGS(value));
    if (!tool_command_find(value.text, value.length, "cyclictest", &command))
        return;
    tool_command_facts(import, "cyclictest", &command);
    report->interval_ns = command.interval_ns;
    if (command.histogram_limit > 0 && command.histogram_limit < 100000000)
        report->limit_ns = command.histogram_limit * 1000;
}

/* "Label: value" of the head, as facts; false: none of those. */
static bool read_head(struct import *import, struct report *report, struct cell text)
{
    static const struct {
        const char *label, *key;
    } facts[] = {{"Tested node:", "host.name"},      {"Base OS:", "os.name"},       {"Architecture:", "kernel.machine"},
                 {"Clocksource:", "clocksource"},    {"Load average:", "load.average"}, {"- ", "load.command"},
                 {"Model:", "machine.model"},         {"BIOS version:", "machine.bios_version"}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (cell_starts(text, facts[i].label)) {
            struct cell value = cell_trim(cell_from(text, strlen(facts[i].label)));
            if (value.length)
                import_fact(import, facts[i].key, "%.*s", CELL_ARGS(value));
            return true;
        }
    uint64_t n;
    struct cell words = cell_after(text, ":");
    if (cell_starts(text, "CPU cores:")) {
        const char *open = memchr(words.text, ' ', words.length);
        if (cell_u64(open ? cell_first(words, (size_t)(open - words.text)) : words, &n) && n < 65536)
            import_fact(import, "cpu.count", "%" PRIu64, n);
    } else if (cell_starts(text, "Kernel:")) {
        read_kernel(import, words);
    } else if (cell_starts(text, "Run time:")) {
        read_run_time(report, words);
    } else if (cell_starts(text, "Cmdline:")) {
        cmdline_facts(import, words.text, words.length);
    } else if (cell_starts(text, "Command:")) {
        read_command(import, report, words);
    } else {
        return false;
    }
    return true;
}

/* ---- statistics ---- */

/* "5.122747817312807us", "77us" */
static bool read_us(struct cell value, double *ns)
{
    char text[64], *end;
    if (value.length >= sizeof text)
        return false;
    double us = strtod(cell_copy(value, text, sizeof text), &end);
    if (end == text || strcmp(end, "us") != 0 || !(us >= 0) || us > 1e12)
        return false;
    *ns = us * 1000;
    return true;
}

/* Adds the statistics that are open, as a series of its own or as what the cores are held against. */
static void close_statistics(struct import *import, struct report *report, bool is_alone)
{
    struct statistics *open = &report->open;
    if (!open->is_open)
        return;
    open->is_open = false;
    if (open->is_system && !is_alone) {
        report->system = *open;
        report->has_system = true;
        return;
    }
    char name[32];
    struct series series = series_unknown();
    if (open->is_system)
        snprintf(name, sizeof name, "all cores");
    else
        snprintf(name, sizeof name, "cpu %d", open->cpu);
    series.name = name;
    series.tool = "rteval cyclictest";
    series.path = PATH_TIMER_WAKEUP;
    series.cpu = open->cpu;
    if (open->priority > 0 && open->priority < 100) {
        series.priority = open->priority;
        series.policy = POLICY_FIFO;
    }
    series.interval_ns = report->interval_ns;
    series.duration_ns = report->duration_ns;
    series.resolution_ns = 1000;
    series.overflow_limit_ns = report->limit_ns;
    series.n_samples = open->n_samples;
    if (open->n_samples != 0) {
        series.min_ns = open->min_ns;
        series.max_ns = open->max_ns;
        series.avg_ns = open->mean_ns;
    }
    bool is_capped = report->major < 3 || (report->major == 3 && report->minor < 3);
    series.max_is_lower_bound = series.max_ns != NS_UNKNOWN && is_capped && report->major >= 0;
    if (report->major < 0)
        import_note(import, "not-measured", 0, "before rteval 3.3 values beyond the histogram are in no number, nor in the maximum; which version it was is not said");
    import_series(import, &series);
    if (!open->is_system) {
        report->n_cores++;
        report->n_samples += open->n_samples == COUNT_UNKNOWN ? 0 : open->n_samples;
        report->max_ns = open->max_ns != NS_UNKNOWN && open->max_ns > report->max_ns ? open->max_ns : report->max_ns;
    }
}

static bool read_statistic(struct statistics *open, struct cell text)
{
    double ns;
    struct cell value = cell_after(text, ":");
    if (!open->is_open)
        return false;
    if (cell_starts(text, "Samples:"))
        return cell_u64(value, &open->n_samples);
    if (!read_us(value, &ns))
        return false;
    if (cell_starts(text, "Mean:"))
        open->mean_ns = ns;
    else if (cell_starts(text, "Min:"))
        open->min_ns = ns_rounded(ns);
    else if (cell_starts(text, "Max:"))
        open->max_ns = ns_rounded(ns);
    else
        return false;
    return true;
}

static int64_t us_of(int64_t ns)
{
    return ns == NS_UNKNOWN ? -1 : ns / 1000;
}

/* All cores are read: do they make up the system? */
static void report_end(struct import *import, struct report *report)
{
    close_statistics(import, report, false);
    if (report->has_system && !report->n_cores) {
        report->open = report->system;
        report->open.is_open = true;
        close_statistics(import, report, true);
    } else if (report->has_system && report->system.n_samples != COUNT_UNKNOWN && report->system.n_samples > report->n_samples) {
        import_note(import, "entries-missing", 0, "the cores that are here have %" PRIu64 " of %" PRIu64 " samples and a maximum of %" PRId64
                    " us, the system's is %" PRId64 " us", report->n_samples, report->system.n_samples, us_of(report->max_ns), us_of(report->system.max_ns));
    } else if (report->has_system && (report->system.n_samples != report->n_samples || report->system.max_ns != report->max_ns)) {
        import_note(import, "counts-mismatch", 0, "the cores have %" PRIu64 " samples and a maximum of %" PRId64 " us, the system says %" PRIu64
                    " and %" PRId64 " us", report->n_samples, us_of(report->max_ns), report->system.n_samples, us_of(report->system.max_ns));
    }
    report_begin(report);
}

static bool read_line(struct import *import, struct report *report, struct cell text)
{
    int cpu, priority;
    if (is_title(text) || is_start(text)) {
        char words[32];
        /* "rteval run on" stands above the report of the same run. */
        if (is_start(text) || report->n_cores || report->has_system || report->major >= 0)
            report_end(import, report);
        if (import_has_own_series(import, "rteval cyclictest")) /* facts of the head are of what follows */
            import_new_run(import, NULL);
        report->has_head = true;
        if (is_start(text)) {
            struct cell rest = cell_after(text, "rteval run on ");
            read_kernel(import, rest);
        } else if (sscanf(cell_copy(cell_from(text, strlen("rteval (v")), words, sizeof words), "%3d.%3d", &report->major, &report->minor) == 2) {
            import_tool_version(import, "%d.%d", report->major, report->minor);
            import_fact(import, "rteval.version", "%d.%d", report->major, report->minor);
        }
        return true;
    }
    if (opens_statistics(text, &cpu, &priority)) {
        close_statistics(import, report, false);
        if (cpu == CPU_UNKNOWN && (report->n_cores || report->has_system)) /* another report without its head */
            report_end(import, report);
        report->open = (struct statistics){.is_open = true, .is_system = cpu == CPU_UNKNOWN, .cpu = cpu, .priority = priority, .min_ns = NS_UNKNOWN,
                                           .max_ns = NS_UNKNOWN, .mean_ns = NAN, .n_samples = COUNT_UNKNOWN};
        return true;
    }
    return read_statistic(&report->open, text) || is_around(text, report->has_head) || (report->has_head && read_head(import, report, text));
}

static enum status text_read_report(struct import *import, struct lines *lines, struct error *error);

static void text_finish(struct import *import);

static const char *const rteval_text_marks[] = {"rteval (v", "rteval run on", "System:", "CPU core ", NULL};

const struct importer importer_rteval_text = {
    .name = "rteval-text",
    .summary = "the report that rteval prints",
    .reads = "rteval 2.x and 3.x: statistics per core, kernel, loads, length; also without head or some cores",
    .probe_lines = text_probe,
    .read_lines = text_read_report,
    .finish_lines = text_finish,
    .marks = rteval_text_marks,
};

static enum status text_read_report(struct import *import, struct lines *lines, struct error *error)
{
    struct report *report = import_state(import, &importer_rteval_text, sizeof *report);
    struct line line;
    (void)error;
    if (!report->is_begun)
        report_begin(report);
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1))
        if (line.length > 4096 || !read_line(import, report, cell_trim(cell_of(&line))))
            break;
    close_statistics(import, report, false);
    return OK;
}

static void text_finish(struct import *import)
{
    struct report *report = import_state(import, &importer_rteval_text, sizeof *report);
    if (report->is_begun)
        report_end(import, report);
}
