/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small files that lie beside a trace in tracefs: per_cpu/cpuN/stats, saved_cmdlines, trace_clock, trace_options, settings of
 * osnoise and hwlat, triggers, formats of events.
 *
 *     entries: 1227                17 rcu_preempt            local global [mono] boot
 *     overrun: 9686                28 ktimers/1
 *
 * Each is a run of lines that no other text has; where the lines could be anything, the file's name must say it.
 */
#include <stdio.h>
#include <string.h>

#include "importers/cells.h"
#include "importers/importer.h"

enum side_file { SIDE_NONE = 0, SIDE_STATS, SIDE_CPU, SIDE_COMMANDS, SIDE_CLOCK, SIDE_OPTIONS, SIDE_OSNOISE, SIDE_HWLAT, SIDE_TRIGGERS, SIDE_FORMATS };

extern const struct importer importer_tracefs;

static bool is_word_of(const char *const *words, size_t n, const char *p, size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(words[i]) == length && memcmp(words[i], p, length) == 0)
            return true;
    return false;
}

/* "local global [mono] boot": all words are known, one is in brackets; *chosen is that one. */
static bool parse_choice(const struct line *line, const char *const *words, size_t n, const char **chosen, size_t *length)
{
    const char *p = line->text, *end = p + line->length;
    size_t n_words = 0;
    *chosen = NULL;
    while (scan_blanks(&p, end), p < end) {
        const char *begin = p;
        while (p < end && *p != ' ' && *p != '\t')
            p++;
        bool is_chosen = *begin == '[' && p[-1] == ']';
        const char *word = begin + is_chosen;
        size_t size = (size_t)(p - begin) - 2 * (size_t)is_chosen;
        if (!is_word_of(words, n, word, size))
            return false;
        if (is_chosen) {
            *chosen = word;
            *length = size;
        }
        n_words++;
    }
    return *chosen && n_words > 1;
}

static const char *const clocks[] = {"local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai", "x86-tsc",
                                     "ppc-tb", "tsc2nsec"};
static const char *const hwlat_modes[] = {"none", "round-robin", "per-cpu"};
static const char *const stats[] = {"entries", "overrun", "commit overrun", "bytes", "oldest event ts", "now ts", "dropped events",
                                    "read events"};
static const char *const osnoise_keys[] = {"cpus", "options", "period_us", "print_stack", "runtime_us", "stop_tracing_total_us",
                                           "stop_tracing_us", "timerlat_period_us", "tracing_thresh", "timerlat_align_us"};
#define N(array) (sizeof(array) / sizeof *(array))

/* "overrun: 9686" */
static bool parse_stat(const struct line *line, const char **name, struct decimal *value)
{
    struct cell text;
    if (!(*name = line_named_value(line, stats, N(stats), &text)))
        return false;
    *value = decimal_parse(text.text, text.length);
    return true;
}

/* "period_us 1000000"; a kernel's own files hold the value alone, scripts print them with their names. */
static bool parse_osnoise(const struct line *line, const char **key, const char **value, size_t *length)
{
    const char *p = line->text, *end = p + line->length;
    while (p < end && *p != ' ')
        p++;
    for (size_t i = 0; i < N(osnoise_keys); i++)
        if (strlen(osnoise_keys[i]) == (size_t)(p - line->text) && memcmp(osnoise_keys[i], line->text, strlen(osnoise_keys[i])) == 0) {
            scan_blanks(&p, end);
            while (end > p && end[-1] == ' ')
                end--;
            *key = osnoise_keys[i];
            *value = p;
            *length = (size_t)(end - p);
            return true;
        }
    return false;
}

/* "17 rcu_preempt" */
static bool parse_command(const struct line *line, int32_t *tid, const char **comm, size_t *length)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t n;
    if (!scan_u64(&p, end, &n) || n > INT32_MAX || p >= end || *p != ' ' || end - p - 1 > 15 || end - p < 2)
        return false;
    *tid = (int32_t)n;
    *comm = p + 1;
    *length = (size_t)(end - p - 1);
    return true;
}

static bool is_trigger(const struct line *line)
{
    return line_starts(line, "# Available triggers:") || line_starts(line, "# traceon traceoff snapshot ") || line_starts(line, "hist:keys=");
}

/* "name: osnoise", then "ID: 16", "format:" */
static bool is_format(struct lines *lines)
{
    struct line line;
    return lines_peek(lines, 0, &line) && line_starts(&line, "name: ") && lines_peek(lines, 1, &line) && line_starts(&line, "ID: ") &&
           lines_peek(lines, 2, &line) && line_starts(&line, "format:");
}

static bool name_starts(const struct member *member, const char *literal)
{
    return strncmp(member->name, literal, strlen(literal)) == 0;
}

static enum side_file side_of(struct lines *lines, const struct member *member)
{
    struct line line;
    const char *word, *value;
    size_t length;
    struct decimal number;
    int32_t tid;
    if (!lines_peek(lines, 0, &line) || line.length == 0 || line.length > 4000)
        return SIDE_NONE;
    if (line_starts(&line, "CPU: ") && lines_peek(lines, 1, &line) && line_starts(&line, "entries: "))
        return SIDE_CPU; /* trace-cmd report --stat */
    lines_peek(lines, 0, &line);
    if (parse_stat(&line, &word, &number) && strcmp(word, "entries") == 0 && lines_peek(lines, 1, &line) &&
        parse_stat(&line, &word, &number) && strcmp(word, "overrun") == 0)
        return SIDE_STATS;
    lines_peek(lines, 0, &line);
    if (parse_choice(&line, clocks, N(clocks), &word, &length))
        return SIDE_CLOCK;
    if (parse_choice(&line, hwlat_modes, N(hwlat_modes), &word, &length))
        return SIDE_HWLAT;
    if (is_trigger(&line))
        return SIDE_TRIGGERS;
    if (line_starts(&line, "name: ") && is_format(lines))
        return SIDE_FORMATS;
    lines_peek(lines, 0, &line);
    if (name_starts(member, "saved_cmdlines") && parse_command(&line, &tid, &word, &length))
        return SIDE_COMMANDS;
    if (name_starts(member, "trace_options") && !memchr(line.text, ' ', line.length))
        return SIDE_OPTIONS;
    if (strstr(member->name, "osnoise") && parse_osnoise(&line, &word, &value, &length))
        return SIDE_OSNOISE;
    return SIDE_NONE;
}

static struct probe_result tracefs_probe(struct lines *lines, const struct member *member)
{
    return (struct probe_result){side_of(lines, member) ? LIKELY : NOT_MINE, NULL};
}

/* "cpu1" from per_cpu/cpu1/stats, cpu1-stats.txt, per-cpu1-stats.txt; else what a line "CPU: 1" before said. */
static void scope_of(const struct member *member, int64_t said_cpu, char scope[32])
{
    const char *p = member->path, *found = NULL;
    snprintf(scope, 32, "all");
    for (; (p = strstr(p, "cpu")); p += 3)
        if (p[3] >= '0' && p[3] <= '9')
            found = p;
    if (said_cpu >= 0)
        snprintf(scope, 32, "cpu%d", (int)said_cpu);
    else if (found)
        snprintf(scope, 32, "cpu%.*s", (int)strspn(found + 3, "0123456789"), found + 3);
}

struct tracefs_state {
    int64_t cpu; /* + 1: of the next table in a trace-cmd report --stat; 0: none said */
};

static void read_stats(struct import *import, struct lines *lines)
{
    struct tracefs_state *state = import_state(import, &importer_tracefs, sizeof *state);
    struct line line;
    const char *name;
    struct decimal value;
    char scope[32];
    scope_of(import->member, state->cpu - 1, scope);
    while (lines_peek(lines, 0, &line) && parse_stat(&line, &name, &value)) {
        struct counter counter = counter_unknown();
        counter.run = import->run;
        counter.artefact = import->artefact;
        counter.source = "tracefs/stats";
        counter.scope = scope;
        counter.name = name;
        counter.value = value;
        store_add_counter(import->store, &counter);
        lines_skip(lines, 1);
    }
}

static void read_commands(struct import *import, struct lines *lines)
{
    struct line line;
    const char *comm;
    size_t length;
    struct task task = task_unknown();
    while (lines_peek(lines, 0, &line) && parse_command(&line, &task.tid, &comm, &length)) {
        char text[17];
        snprintf(text, sizeof text, "%.*s", (int)length, comm);
        task.run = import->run;
        task.artefact = import->artefact;
        task.comm = text;
        store_add_task(import->store, &task);
        lines_skip(lines, 1);
    }
}

static void read_options(struct import *import, struct lines *lines)
{
    struct line line;
    char text[2048] = "";
    size_t n = 0;
    while (lines_peek(lines, 0, &line) && line.length && line.length < 64 && !memchr(line.text, ' ', line.length) &&
           n + line.length + 2 < sizeof text) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s", n ? " " : "", (int)line.length, line.text);
        lines_skip(lines, 1);
    }
    import_fact(import, "trace.options", "%s", text);
}

static void read_osnoise(struct import *import, struct lines *lines)
{
    struct line line;
    const char *key, *value;
    size_t length;
    while (lines_peek(lines, 0, &line) && parse_osnoise(&line, &key, &value, &length)) {
        char name[64];
        snprintf(name, sizeof name, "osnoise.%s", key);
        import_fact(import, name, "%.*s", (int)(length < 500 ? length : 500), value);
        lines_skip(lines, 1);
    }
    /* NAMES IN CAPITALS alone on a line are the options file */
    if (lines_peek(lines, 0, &line) && (line_has(&line, "OSNOISE_WORKLOAD") || line_starts(&line, "DEFAULTS "))) {
        import_fact(import, "osnoise.options", "%.*s", (int)(line.length < 500 ? line.length : 500), line.text);
        lines_skip(lines, 1);
    }
}

static void read_hwlat(struct import *import, struct lines *lines)
{
    struct line line;
    const char *mode;
    size_t length;
    uint64_t n;
    lines_peek(lines, 0, &line);
    if (parse_choice(&line, hwlat_modes, N(hwlat_modes), &mode, &length))
        import_fact(import, "hwlat.mode", "%.*s", (int)length, mode);
    lines_skip(lines, 1);
    /* width and window, in an order the text does not tell: the width is the smaller */
    uint64_t us[2];
    size_t n_us = 0;
    while (n_us < 2 && lines_peek(lines, 0, &line)) {
        const char *p = line.text, *end = p + line.length;
        if (!scan_u64(&p, end, &n) || p != end)
            break;
        us[n_us++] = n;
        lines_skip(lines, 1);
    }
    if (n_us == 2) {
        import_fact(import, "hwlat.width_us", "%llu", (unsigned long long)(us[0] < us[1] ? us[0] : us[1]));
        import_fact(import, "hwlat.window_us", "%llu", (unsigned long long)(us[0] < us[1] ? us[1] : us[0]));
    }
}

static void read_triggers(struct import *import, struct lines *lines)
{
    struct line line;
    while (lines_peek(lines, 0, &line) && is_trigger(&line)) {
        if (line_starts(&line, "hist:"))
            import_fact(import, "trace.trigger", "%.*s", (int)(line.length < 800 ? line.length : 800), line.text);
        lines_skip(lines, 1);
    }
}

static void read_formats(struct import *import, struct lines *lines)
{
    struct line line;
    char name[64];
    while (is_format(lines)) {
        lines_peek(lines, 0, &line);
        snprintf(name, sizeof name, "%.*s", (int)(line.length - 6 < 63 ? line.length - 6 : 63), line.text + 6);
        import_fact(import, "trace.event_format", "%s", name);
        lines_skip(lines, 3);
        while (lines_peek(lines, 0, &line) && (line_is_blank(&line) || line_has(&line, "field:") || line_starts(&line, "print fmt:")))
            lines_skip(lines, 1);
    }
}

static enum status tracefs_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    const char *clock;
    size_t length;
    (void)error;
    switch (side_of(lines, import->member)) {
    case SIDE_STATS:
        read_stats(import, lines);
        break;
    case SIDE_CPU: {
        struct tracefs_state *state = import_state(import, &importer_tracefs, sizeof *state);
        lines_peek(lines, 0, &line);
        const char *p = line.text + 5, *end = line.text + line.length;
        if (scan_i64(&p, end, &state->cpu) && state->cpu >= 0 && state->cpu < INT32_MAX)
            state->cpu++;
        lines_skip(lines, 1);
        break;
    }
    case SIDE_COMMANDS:
        read_commands(import, lines);
        break;
    case SIDE_CLOCK:
        lines_peek(lines, 0, &line);
        if (parse_choice(&line, clocks, N(clocks), &clock, &length))
            import_fact(import, "trace.clock", "%.*s", (int)length, clock);
        lines_skip(lines, 1);
        break;
    case SIDE_OPTIONS:
        read_options(import, lines);
        break;
    case SIDE_OSNOISE:
        read_osnoise(import, lines);
        break;
    case SIDE_HWLAT:
        read_hwlat(import, lines);
        break;
    case SIDE_TRIGGERS:
        read_triggers(import, lines);
        break;
    case SIDE_FORMATS:
        read_formats(import, lines);
        break;
    default:
        lines_skip(lines, 1);
    }
    return OK;
}

/* Their lines are bare words. */
static bool is_known_by_name(const struct member *member)
{
    return strstr(member->name, "saved_cmdlines") || strstr(member->name, "trace_options") || strstr(member->name, "osnoise");
}

static const char *const tracefs_marks[] = {":", "[", "# traceon", "hist:keys=", NULL};

const struct importer importer_tracefs = {
    .name = "tracefs",
    .summary = "small files beside a trace: per-CPU stats, saved_cmdlines, trace_clock, osnoise and hwlat settings",
    .reads = "stats, saved_cmdlines, trace_clock, trace_options, hist triggers, event formats, osnoise and hwlat_detector settings",
    .probe_lines = tracefs_probe,
    .read_lines = tracefs_read,
    .marks = tracefs_marks,
    .any_line = is_known_by_name,
};
