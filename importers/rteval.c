/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rteval's summary.xml (1.x to 3.x) and its <cyclictest> or <timerlat> element alone.
 *
 *     <cyclictest command_line="cyclictest -i100 -qmu -h 3500 -p95 -t2 -a0-1">
 *       <core id="0" priority="95"> <statistics> <samples>99561</samples> <maximum unit="us">1599</maximum> ...
 *         <histogram nbuckets="3500"> <bucket index="7" value="7"/>
 *
 * <system> is the sum of the cores and only checks them. Values that overflowed are in no number: samples, mean and minimum
 * come from the buckets; before 3.3 the maximum as well. Median and deviations are wrong in many versions and not taken. The
 * timerlat module adds interrupt, thread and user counts into one histogram: three distributions in one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "importers/importer.h"
#include "importers/tool_command.h"
#include "importers/xml_scan.h"

static struct probe_result rteval_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    size_t n = size < 65536 ? size : 65536;
    size_t at = 0;
    while (at < n && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t' || bytes[at] >= 0x80))
        at++;
    if (at == n || bytes[at] != '<')
        return (struct probe_result){NOT_MINE, NULL};
    bool is_root = memmem(bytes, n, "<rteval", 7) != NULL;
    bool is_module = memmem(bytes, n, "<cyclictest ", 12) || memmem(bytes, n, "<timerlat ", 10);
    bool has_statistics = memmem(bytes, n, "<statistics>", 12) != NULL;
    return (struct probe_result){is_root ? CERTAIN : is_module && has_statistics ? LIKELY : NOT_MINE, NULL};
}

struct group {
    bool is_open, is_system;
    int cpu, priority;
    int64_t min_us, max_us;
    double mean_us;
    uint64_t n_samples;
    struct bin *bins;
    size_t n_bins, capacity;
};
struct report {
    bool is_timerlat;
    int major, minor;          /* of rteval; -1 unknown */
    int64_t duration_ns, interval_ns, limit_us;
    struct group group;
    uint64_t n_system, n_cores; /* samples: as the system says, and summed */
    size_t n_groups;
    uint64_t offset;
};

static int64_t number_of(struct cell text)
{
    int64_t value;
    return cell_i64(text, &value) ? value : NS_UNKNOWN;
}

static void read_command(struct import *import, struct report *report, struct cell line)
{
    struct tool_command command;
    tool_command_clear(&command);
    char text[1024];
    cell_copy(line, text, sizeof text);
    import_fact(import, "rteval.command", "%s", text);
    if (!tool_command_find(text, strlen(text), "cyclictest", &command))
        return;
    tool_command_facts(import, "cyclictest", &command);
    report->interval_ns = command.interval_ns;
    if (command.histogram_limit > 0 && command.histogram_limit < 100000000)
        report->limit_us = command.histogram_limit;
}

static void open_group(struct report *report, const struct xml_scan *xml, bool is_system)
{
    struct group *group = &report->group;
    struct bin *bins = group->bins;
    size_t capacity = group->capacity;
    *group = (struct group){.is_open = true, .is_system = is_system, .cpu = CPU_UNKNOWN, .priority = PRIO_UNKNOWN, .min_us = NS_UNKNOWN,
                            .max_us = NS_UNKNOWN, .mean_us = NAN, .n_samples = COUNT_UNKNOWN, .bins = bins, .capacity = capacity};
    struct cell value;
    if (xml_attribute(xml, "id", &value))
        cell_int(value, &group->cpu);
    if (xml_attribute(xml, "priority", &value))
        cell_int(value, &group->priority);
}

static void store_group(struct import *import, struct report *report)
{
    struct group *group = &report->group;
    uint64_t sum = 0;
    for (size_t i = 0; i < group->n_bins; i++)
        sum += group->bins[i].count;
    if (group->is_system) {
        report->n_system = group->n_samples;
        return;
    }
    report->n_cores += group->n_samples == COUNT_UNKNOWN ? 0 : group->n_samples;
    report->n_groups++;
    char name[32];
    struct series series = series_unknown();
    snprintf(name, sizeof name, "cpu %d", group->cpu);
    series.name = name;
    series.tool = report->is_timerlat ? "rteval timerlat" : "rteval cyclictest";
    series.path = report->is_timerlat ? PATH_UNKNOWN : PATH_TIMER_WAKEUP;
    series.cpu = group->cpu;
    if (group->priority > 0 && group->priority < 100) {
        series.priority = group->priority;
        series.policy = POLICY_FIFO;
    }
    series.interval_ns = report->interval_ns;
    series.duration_ns = report->duration_ns;
    series.resolution_ns = series.bin_width_ns = 1000;
    series.n_samples = group->n_samples;
    if (report->limit_us != NS_UNKNOWN)
        series.overflow_limit_ns = report->limit_us * 1000;
    if (group->n_samples != 0) {
        if (group->min_us >= 0 && group->min_us < INT64_MAX / 1000)
            series.min_ns = group->min_us * 1000;
        if (group->max_us >= 0 && group->max_us < INT64_MAX / 1000)
            series.max_ns = group->max_us * 1000;
        series.avg_ns = group->mean_us * 1000;
    }
    int64_t last_us = group->n_bins ? group->bins[group->n_bins - 1].low_ns / 1000 : NS_UNKNOWN;
    if (group->n_bins && series.max_ns != NS_UNKNOWN && group->max_us > last_us)
        import_note(import, "overflow-hidden", 0, "%s: the maximum of %" PRId64 " us is in no bucket: values overflowed and are in no "
                    "other number", name, group->max_us);
    else if (series.max_ns == NS_UNKNOWN)
        series.max_is_lower_bound = false;
    else if (report->is_timerlat || report->major < 3 || (report->major == 3 && report->minor < 3))
        series.max_is_lower_bound = true; /* the highest bucket, whatever overflowed */
    if (group->n_samples != COUNT_UNKNOWN && group->n_bins && sum != group->n_samples)
        import_note(import, "counts-mismatch", 0, "%s: the buckets hold %" PRIu64 " samples, the statistics say %" PRIu64, name, sum,
                    group->n_samples);
    uint32_t index = import_series(import, &series);
    store_add_bins(import->store, index, group->bins, group->n_bins);
}

/* The end of an element that holds a number or words: xml->text. */
static void read_text(struct import *import, struct report *report, const struct xml_scan *xml)
{
    struct group *group = &report->group;
    if (group->is_open) {
        if (cell_is(xml->name, "samples"))
            cell_u64(xml->text, &group->n_samples);
        else if (cell_is(xml->name, "minimum"))
            group->min_us = number_of(xml->text);
        else if (cell_is(xml->name, "maximum"))
            group->max_us = number_of(xml->text);
        else if (cell_is(xml->name, "mean")) {
            char text[64];
            char *end;
            double value = strtod(cell_copy(xml->text, text, sizeof text), &end);
            if (end != text && value >= 0 && value < 1e12)
                group->mean_us = value;
        }
        return;
    }
    if (cell_is(xml->name, "kernel"))
        import_fact(import, "kernel.release", "%.*s", CELL_ARGS(xml->text));
    else if (cell_is(xml->name, "arch"))
        import_fact(import, "kernel.machine", "%.*s", CELL_ARGS(xml->text));
    else if (cell_is(xml->name, "baseos"))
        import_fact(import, "os.name", "%.*s", CELL_ARGS(xml->text));
    else if (cell_is(xml->name, "command_line") && report->n_groups == 0 && cell_has(xml->text, "cyclictest"))
        read_command(import, report, xml->text);
    else if (cell_is(xml->name, "command_line") && xml->text.length)
        import_fact(import, "load.command", "%.*s", CELL_ARGS(xml->text));
    else if (cell_is(xml->name, "annotate") && xml->text.length)
        import_fact(import, "rteval.annotation", "%.*s", CELL_ARGS(xml->text));
}

static void read_run_info(struct report *report, const struct xml_scan *xml)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } parts[] = {{"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
    int64_t total = 0;
    bool is_known = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct cell value;
        int64_t number;
        if (xml_attribute(xml, parts[i].name, &value) && cell_i64(value, &number) && number >= 0 && number < 1000000) {
            total += number * parts[i].seconds;
            is_known = true;
        }
    }
    if (is_known)
        duration_of_seconds(total, &report->duration_ns);
}

static void read_start(struct import *import, struct report *report, const struct xml_scan *xml)
{
    struct cell value;
    struct group *group = &report->group;
    if (cell_is(xml->name, "rteval")) {
        if (xml_attribute(xml, "version", &value)) {
            char text[32];
            cell_copy(value, text, sizeof text);
            import_tool_version(import, "%s", text);
            import_fact(import, "rteval.version", "%s", text);
            if (sscanf(text, "%d.%d", &report->major, &report->minor) != 2)
                report->major = -1;
        }
    } else if (cell_is(xml->name, "run_info")) {
        read_run_info(report, xml);
    } else if (cell_is(xml->name, "cyclictest") || cell_is(xml->name, "timerlat")) {
        report->is_timerlat = cell_is(xml->name, "timerlat");
        if (report->is_timerlat)
            import_note(import, "tool-bug", 0, "rteval's timerlat module adds up interrupt, thread and user latencies in one histogram");
        if (xml_attribute(xml, "command_line", &value))
            read_command(import, report, value);
    } else if (cell_is(xml->name, "kernel")) {
        if (xml_attribute(xml, "is_RT", &value))
            import_fact(import, "kernel.realtime", "%d", cell_is(value, "1"));
    } else if (cell_is(xml->name, "source")) {
        if (xml_attribute(xml, "current", &value) && cell_is(value, "1"))
            import_fact(import, "clocksource.element", "current");
    } else if (cell_is(xml->name, "loads")) {
        if (xml_attribute(xml, "load_average", &value))
            import_fact(import, "load.average", "%.*s", CELL_ARGS(value));
    } else if (cell_is(xml->name, "core") || cell_is(xml->name, "system")) {
        open_group(report, xml, cell_is(xml->name, "system"));
    } else if (cell_is(xml->name, "bucket") && group->is_open) {
        struct cell index, count;
        int64_t us;
        uint64_t n;
        if (xml_attribute(xml, "index", &index) && xml_attribute(xml, "value", &count) && cell_i64(index, &us) && cell_u64(count, &n) &&
            us >= 0 && us < 1000000000) {
            memory_reserve(group->bins, group->capacity, group->n_bins + 1);
            group->bins[group->n_bins++] = (struct bin){us * 1000, n};
        } else {
            import_note(import, "damaged-lines", report->offset, "a bucket could not be read");
        }
    }
}

static enum status rteval_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    struct report report = {.major = -1, .minor = -1, .duration_ns = NS_UNKNOWN, .interval_ns = NS_UNKNOWN, .limit_us = NS_UNKNOWN,
                            .n_system = COUNT_UNKNOWN};
    struct xml_scan xml = {.p = (const char *)bytes, .end = (const char *)bytes + size};
    while (xml_next(&xml)) {
        report.offset = (uint64_t)(xml.p - (const char *)bytes);
        if (!xml.is_end) {
            read_start(import, &report, &xml);
        } else if (cell_is(xml.name, "core") || cell_is(xml.name, "system")) {
            if (report.group.is_open)
                store_group(import, &report);
            report.group.is_open = false;
        } else {
            read_text(import, &report, &xml);
        }
    }
    if (report.group.is_open) {
        import_note(import, "file-truncated", report.offset, "the file ends within a group of results");
        store_group(import, &report);
    }
    free(report.group.bins);
    if (report.n_system != COUNT_UNKNOWN && report.n_system != report.n_cores)
        import_note(import, "counts-mismatch", 0, "the cores have %" PRIu64 " samples, the system says %" PRIu64, report.n_cores, report.n_system);
    if (!report.n_groups && !import_has_series(import, NULL) && report.major < 0)
        return error_input(error, "%s: no results of rteval in this XML", import->member->path);
    return OK;
}

const struct importer importer_rteval = {
    .name = "rteval",
    .summary = "rteval summary.xml (cyclictest and timerlat modules)",
    .reads = "rteval 1.x to 3.x: statistics and histogram per core, kernel, loads, length",
    .probe_bytes = rteval_probe,
    .read_bytes = rteval_read,
};
