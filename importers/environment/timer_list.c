/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /proc/timer_list (2.6.21 to 7.x; needs root).
 *
 *     Timer List Version: v0.10
 *     now at 2488613194053 nsecs
 *     cpu: 0
 *      clock 0:
 *       .resolution: 1 nsecs
 *     active timers:
 *      #0: <00000000b00fe9e2>, tick_nohz_handler, S:01
 *       .nr_events      : 1724773
 *       .nr_hangs       : 2
 *       .max_hang_time  : 5053
 *       .highres        : 1
 *     Tick Device: mode:     1
 *     Per CPU device: 0
 *     Clock Event Device: lapic-deadline
 *
 * A hang is an hrtimer interrupt that found new timers due three times over; max_hang_time (ns) is the longest such
 * interrupt since boot. The pending timers themselves are counted only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "importers/environment/environment.h"

struct timer_list {
    struct counter_table *counters;
    char cpu[24], device_scope[24]; /* "cpu 0"; "" before the first */
    uint64_t n_timers;              /* of this CPU */
    int highres;                    /* of this CPU: 0, 1, -1 not said (the timers' own word and the tick's) */
    uint64_t n_cpus, n_highres, n_with_highres;
    int64_t worst_resolution_ns;
    bool is_devices;                /* the second part */
    char device[64];
    bool devices_differ;
};

/* "  .nr_hangs       : 2", " retries:        16407": the value behind the colon. */
static bool value_of(const struct line *line, const char *name, uint64_t *value)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, name))
        return false;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, ":"))
        return false;
    scan_blanks(&p, end);
    return scan_u64(&p, end, value);
}

static bool begins_cpu(struct lines *lines, size_t k)
{
    struct line line, next;
    uint64_t cpu;
    return lines_peek(lines, k, &line) && line.length < 12 && value_of(&line, "cpu", &cpu) && lines_peek(lines, k + 1, &next) &&
           line_starts(&next, "clock 0:");
}

static struct probe_result timer_list_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    lines_peek(lines, 0, &line);
    bool is_mine = line_starts(&line, "Timer List Version:") || (line.length > 4 && line.text[0] == 'c' && begins_cpu(lines, 0));
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

static void end_cpu(struct timer_list *list)
{
    if (list->cpu[0])
        import_counters_add_gauge(list->counters, list->cpu, "pending_timers", (struct decimal){.mantissa = (int64_t)list->n_timers, .is_known = true});
    if (list->cpu[0] && list->highres >= 0) {
        list->n_with_highres++;
        list->n_highres += list->highres == 1;
    }
    list->cpu[0] = '\0';
    list->n_timers = 0;
    list->highres = -1;
}

static void take_cpu_value(struct timer_list *list, const struct line *line)
{
    static const char *const counts[] = {".nr_events", ".nr_retries", ".nr_hangs", ".idle_calls", ".idle_sleeps"};
    uint64_t value;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (value_of(line, counts[i], &value)) {
            import_counters_add_count(list->counters, list->cpu, counts[i] + 1, value);
            return;
        }
    if (value_of(line, ".max_hang_time", &value) && value < INT64_MAX) { /* up to 4.9 with " nsecs" behind */
        import_counters_add_gauge(list->counters, list->cpu, "max_hang_time", (struct decimal){.mantissa = (int64_t)value, .is_known = true});
    } else if (value_of(line, ".resolution", &value)) {
        if (value < INT64_MAX && (int64_t)value > list->worst_resolution_ns)
            list->worst_resolution_ns = (int64_t)value;
    } else if (value_of(line, ".highres", &value) || value_of(line, ".hres_active", &value)) {
        list->highres = value == 1 && list->highres != 0;
    }
}

/* " Clock Event Device: lapic-deadline" and what stands below it. */
static void take_device_line(struct timer_list *list, const struct line *line)
{
    const char *p = line_find(line, "Clock Event Device:"), *end = line->text + line->length;
    uint64_t value;
    if (value_of(line, "Per CPU device", &value)) {
        snprintf(list->device_scope, sizeof list->device_scope, "cpu %" PRIu64, value);
    } else if (line_starts(line, "Broadcast device")) {
        list->device_scope[0] = '\0';
    } else if (p && list->device_scope[0]) {
        p += strlen("Clock Event Device:");
        scan_blanks(&p, end);
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(end - p < 63 ? end - p : 63), p);
        list->devices_differ |= list->device[0] && strcmp(list->device, name) != 0;
        memcpy(list->device, name, sizeof name);
    } else if (list->device_scope[0] && value_of(line, "retries", &value)) {
        import_counters_add_count(list->counters, list->device_scope, "tick_retries", value);
    }
}

static bool take(struct timer_list *list, struct lines *lines, const struct line *line)
{
    uint64_t cpu;
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    if (begins_cpu(lines, 0) && value_of(line, "cpu", &cpu)) {
        end_cpu(list);
        snprintf(list->cpu, sizeof list->cpu, "cpu %" PRIu64, cpu);
        list->n_cpus++;
        list->is_devices = false;
        return true;
    }
    if (line_starts(line, "Tick Device: mode:")) {
        end_cpu(list);
        list->is_devices = true;
        return true;
    }
    if (list->is_devices)
        take_device_line(list, line);
    else if (p < end && *p == '#' && end - p > 4 && p[1] >= '0' && p[1] <= '9')
        list->n_timers++;
    else if (p < end && *p == '.' && list->cpu[0])
        take_cpu_value(list, line);
    else
        return line_starts(line, "clock ") || line_starts(line, "active timers:") || line_starts(line, "# expires at") ||
               line_starts(line, "expires at") || line_starts(line, "jiffies:") || line_starts(line, "now at") ||
               line_starts(line, "HRTIMER_MAX_CLOCK_BASES") || line_starts(line, "Timer List Version:");
    return true;
}

/* In the second part any " key: value" goes; a line without a colon at its beginning ends it. */
static bool is_device_line(const struct line *line)
{
    const char *colon = memchr(line->text, ':', line->length);
    return line_starts(line, "Broadcast device") || (colon && colon - line->text < 32);
}

static enum status timer_list_read(struct import *import, struct lines *lines, struct error *error)
{
    struct timer_list list = {.counters = import_counters_begin(import, "proc/timer_list"), .highres = -1};
    struct line line;
    uint64_t begin = lines_number(lines);
    (void)error;
    for (bool is_first = true; lines_peek(lines, 0, &line); lines_skip(lines, 1), is_first = false) {
        if (line_is_blank(&line))
            continue;
        if (!is_first && line_starts(&line, "Timer List Version:"))
            break; /* another snapshot */
        if ((list.is_devices && !begins_cpu(lines, 0) && !is_device_line(&line)) || !take(&list, lines, &line))
            break;
    }
    end_cpu(&list);
    if (list.worst_resolution_ns)
        import_fact(import, "hrtimer.resolution_ns", "%" PRId64, list.worst_resolution_ns);
    if (list.n_with_highres)
        import_fact(import, "hrtimer.highres", "%d", list.n_highres == list.n_with_highres);
    if (list.n_with_highres > list.n_highres)
        import_note(import, "clock-granularity", begin,
                    "high resolution timers are off on %" PRIu64 " of %" PRIu64 " CPUs: wakeups there fall on the tick",
                    list.n_with_highres - list.n_highres, list.n_with_highres);
    if (list.device[0])
        import_fact(import, "tick.device", "%s", list.devices_differ ? "not the same on all CPUs" : list.device);
    return OK;
}

static const char *const timer_list_marks[] = {"Timer List Version:", "cpu: ", NULL};

const struct importer importer_timer_list = {
    .name = "timer-list",
    .summary = "/proc/timer_list",
    .reads = "hrtimer interrupts, hangs and the longest of each CPU, pending timers, resolution, tick device",
    .probe_lines = timer_list_probe,
    .read_lines = timer_list_read,
    .marks = timer_list_marks,
};
