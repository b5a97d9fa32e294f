/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * oslat of rt-tests (1.9 to 2.10 and later): text and JSON.
 *
 *            Core:	 0 1
 *        CPU Freq:	 2597 2597 (Mhz)
 *        001 (us):	 5073273 19174321
 *        005 (us):	 85 522 (including overflows)
 *         Minimum:	 1 1 (us)
 *         Maximum:	 129370 19934 (us)
 *
 * What a label L of width w holds changed: [L-1, L) us up to 2.4 (samples are floor + 1), with samples rounded up in
 * 2.5 and 2.6 (us mode: one unit further down), [L-w, L) from 2.7 on. The banner is ambiguous ("2.10" is 2.1 as well),
 * the words of the frequency line and the smallest minimum are not. The last label holds all overflows. Average is
 * wrong in every version (upper edges, the overflow excess of core 0 for all cores) and is not taken. With -W not a
 * multiple of 1000, JSON prints min and max in ns, its keys in us.
 */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/rt_tests.h"

enum era { ERA_UNKNOWN, ERA_FLOOR_PLUS_1, ERA_CEIL, ERA_FLOOR };

struct core {
    int cpu;
    int64_t min_ns, max_ns, duration_ns;
    struct bin *bins; /* low_ns: the label in ns, until stored */
    size_t n_bins, capacity;
};
struct result {
    enum era era;
    bool is_ns_mode;   /* labels with decimals: samples are ns */
    int64_t width_ns, bias_ns;
    struct core *cores;
    size_t n_cores;
    uint64_t n_overflow_rows;
    bool has_label_of_overflow;
    int priority;
    uint64_t line;
};

/* The lower edge of what a label stands for. */
static int64_t low_edge(const struct result *result, int64_t label_ns)
{
    int64_t low_ns = label_ns - result->width_ns;
    if (result->era == ERA_CEIL && !result->is_ns_mode)
        low_ns -= 1000;
    return low_ns > 0 ? low_ns : 0;
}

static void store_core(struct import *import, const struct result *result, struct core *core)
{
    char name[32];
    struct series series = series_unknown();
    snprintf(name, sizeof name, "cpu %d", core->cpu);
    series.name = name;
    series.tool = "oslat";
    series.path = PATH_NOISE;
    series.cpu = core->cpu;
    series.priority = result->priority;
    series.resolution_ns = result->is_ns_mode ? 1 : 1000;
    series.min_ns = core->min_ns;
    series.max_ns = core->max_ns;
    series.duration_ns = core->duration_ns;
    series.bin_width_ns = result->width_ns;
    series.bin_edge = result->era == ERA_FLOOR ? BIN_FLOOR : BIN_CEIL;
    uint64_t sum = 0;
    for (size_t i = 0; i < core->n_bins; i++) {
        sum += core->bins[i].count;
        core->bins[i].low_ns = low_edge(result, core->bins[i].low_ns);
    }
    series.n_samples = sum;
    size_t n_bins = core->n_bins;
    if (n_bins && core->max_ns != NS_UNKNOWN && core->max_ns < core->bins[n_bins - 1].low_ns + result->width_ns) {
        series.n_overflow = 0;
    } else if (n_bins && result->has_label_of_overflow) { /* the last row is a pile of everything above its lower edge */
        series.n_overflow = core->bins[n_bins - 1].count;
        series.overflow_limit_ns = core->bins[n_bins - 1].low_ns;
        n_bins--;
    }
    uint32_t index = import_series(import, &series);
    store_add_bins(import->store, index, core->bins, n_bins);
}

static void store_result(struct import *import, struct result *result)
{
    if (result->era == ERA_UNKNOWN && result->n_cores)
        import_note(import, "unit-assumed", result->line, "the version of oslat is not known: rows are taken as of 2.7 and later");
    if (result->era == ERA_FLOOR_PLUS_1)
        import_note(import, "tool-bug", result->line, "oslat up to 2.4 prints minimum and maximum one us high");
    else if (result->era == ERA_CEIL)
        import_note(import, "tool-bug", result->line, "oslat 2.5 and 2.6 round samples up: minimum and maximum are up to one unit high");
    if (result->bias_ns)
        import_note(import, "tool-bug", result->line, "-B: labels start at the bias of %" PRId64 " ns, the first row also holds smaller values",
                    result->bias_ns);
    if (result->n_cores)
        import_note(import, "tool-bug", result->line, "oslat's averages are wrong in every version and are not taken");
    for (size_t i = 0; i < result->n_cores; i++)
        store_core(import, result, &result->cores[i]);
}

static void release_result(struct result *result)
{
    for (size_t i = 0; i < result->n_cores; i++)
        free(result->cores[i].bins);
    free(result->cores);
}

static void add_bin(struct core *core, int64_t label_ns, uint64_t count)
{
    memory_reserve(core->bins, core->capacity, core->n_bins + 1);
    core->bins[core->n_bins++] = (struct bin){label_ns, count};
}

/* ---- text ---- */

/* "    001 (us):	 5073273 19174321 (including overflows)": name, unit in brackets behind it or behind the values */
struct field {
    struct cell name;
    struct cells values;
    bool is_us, is_mhz_old, is_mhz_new, has_overflows;
};

static bool read_field(const struct line *line, struct field *field)
{
    struct cell text = cell_trim(cell_of(line));
    const char *colon = memchr(text.text, ':', text.length);
    if (!colon)
        return false;
    field->name = cell_trim(cell_first(text, (size_t)(colon - text.text)));
    field->is_us = cell_ends(field->name, "(us)");
    if (field->is_us)
        field->name = cell_trim(cell_first(field->name, field->name.length - 4));
    struct cell rest = cell_from(text, (size_t)(colon - text.text) + 1);
    field->is_mhz_old = cell_has(rest, "(Mhz)");
    field->is_mhz_new = cell_has(rest, "(MHz)");
    field->has_overflows = cell_has(rest, "(including overflows)");
    const char *bracket = memchr(rest.text, '(', rest.length);
    if (bracket)
        rest = cell_first(rest, (size_t)(bracket - rest.text));
    cells_clear(&field->values);
    cells_add_words(&field->values, rest.text, rest.length);
    return true;
}

/* Version from the banner, where it is not one of the ambiguous ones. */
static int banner_version(struct cell text)
{
    struct cell version = cell_after(text, "oslat V ");
    int64_t hundredths;
    size_t n = 0;
    while (n < version.length && ((version.text[n] >= '0' && version.text[n] <= '9') || version.text[n] == '.'))
        n++;
    return cell_ns(cell_first(version, n), 2, &hundredths) && hundredths < 100000 ? (int)hundredths : 0;
}

static struct probe_result oslat_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line))
        return (struct probe_result){NOT_MINE, NULL};
    struct cell text = cell_trim(cell_of(&line));
    if (cell_starts(text, "oslat V ") || cell_starts(text, "oslat: Trace threshold (") ||
        (cell_starts(text, "Total runtime:") && lines_peek(lines, 1, &line) && line_starts(&line, "Thread priority:")))
        return (struct probe_result){CERTAIN, NULL};
    if (cell_starts(text, "Core:") && lines_peek(lines, 1, &line) && (line_has(&line, "CPU Freq:") || line_has(&line, "Counter Freq:")))
        return (struct probe_result){CERTAIN, NULL};
    if (cell_starts(text, "{") && json_block_has(lines, "num_threads"))
        for (size_t k = 1; k < 6 && lines_peek(lines, k, &line); k++)
            if (line_has(&line, "\"cmdline") && (line_has(&line, "oslat ") || line_has(&line, "oslat\"")))
                return (struct probe_result){CERTAIN, NULL};
    return (struct probe_result){NOT_MINE, NULL};
}

static void read_setting(struct import *import, struct result *result, struct cell text)
{
    static const struct {
        const char *prefix, *key;
    } settings[] = {{"Total runtime:", "oslat.runtime"},       {"Thread priority:", "oslat.priority"},
                    {"CPU list:", "oslat.cpus"},               {"CPU for main thread:", "oslat.main_cpu"},
                    {"Workload:", "oslat.workload"},           {"Workload mem:", "oslat.workload_memory"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (cell_starts(text, settings[i].prefix)) {
            struct cell value = cell_after(text, ":");
            import_fact(import, settings[i].key, "%.*s", CELL_ARGS(value));
            int priority;
            struct cells words = {0};
            cells_add_words(&words, value.text, value.length);
            if (i == 1 && words.n && cell_int(words.cell[words.n - 1], &priority) && priority > 0 && priority < 100)
                result->priority = priority;
            cells_release(&words);
        }
}

/* "oslat: Trace threshold (30 us) triggered on cpu 1 with 30 us!": the run ends there without statistics. */
static void read_threshold(struct import *import, struct cell text, uint64_t line)
{
    struct claim claim = claim_unknown();
    struct cells words = {0};
    struct cell with = cell_after(text, " with "), on_cpu = cell_after(text, "on cpu ");
    char words_of_source[200];
    cells_add_words(&words, with.text, with.length);
    cell_ns(cells_at(&words, 0), 3, &claim.latency_ns);
    cells_clear(&words);
    cells_add_words(&words, on_cpu.text, on_cpu.length);
    cell_int(cells_at(&words, 0), &claim.cpu);
    cells_release(&words);
    claim.run = import->run;
    claim.artefact = import->artefact;
    claim.kind = CLAIM_CONSOLE;
    claim.section = SECTION_SILENCE;
    claim.line = line;
    claim.text = cell_copy(text, words_of_source, sizeof words_of_source);
    store_add_claim(import->store, &claim);
    import_note(import, "entries-missing", line, "a threshold stopped oslat: it prints no statistics then");
}

static void read_bin_row(struct import *import, struct result *result, const struct field *field, uint64_t line)
{
    int64_t label_ns;
    if (!cell_ns(field->name, 3, &label_ns) || field->values.n != result->n_cores) {
        import_note(import, "damaged-lines", line, "a row has %zu counts for %zu cores", field->values.n, result->n_cores);
        return;
    }
    result->is_ns_mode |= cell_is_decimal(field->name);
    if (result->width_ns == NS_UNKNOWN)
        result->width_ns = label_ns - result->bias_ns > 0 ? label_ns - result->bias_ns : label_ns;
    result->has_label_of_overflow |= field->has_overflows;
    for (size_t i = 0; i < result->n_cores; i++) {
        uint64_t count;
        if (cell_u64(field->values.cell[i], &count))
            add_bin(&result->cores[i], label_ns, count);
    }
}

static void read_value_row(struct result *result, const struct field *field, int digits, size_t offset)
{
    for (size_t i = 0; i < result->n_cores && i < field->values.n; i++)
        cell_ns(field->values.cell[i], digits, (int64_t *)(void *)((char *)&result->cores[i] + offset));
}

/* What stands above the table, around it, and says nothing of the cores. False: another line. */
static bool take_head_line(struct import *import, struct result *result, struct cell text, uint64_t line, bool has_table)
{
    static const char *const idle[] = {"Pre-heat for", "Test starts", "Test completed", "Preheat cores:", "Stopping the test"};
    static const char *const settings[] = {"Total runtime:", "Thread priority:", "CPU list:", "CPU for main", "Workload"};
    if (cell_starts(text, "oslat: Trace threshold (")) {
        read_threshold(import, text, line);
        return true;
    }
    if (cell_starts(text, "Global bias set to ")) {
        struct cell bias = cell_after(text, "set to ");
        size_t n = 0;
        while (n < bias.length && bias.text[n] != ' ')
            n++;
        cell_ns(cell_first(bias, n), 3, &result->bias_ns);
        return true;
    }
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (cell_starts(text, idle[i]))
            return true;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !has_table; i++)
        if (cell_starts(text, settings[i])) {
            read_setting(import, result, text);
            return true;
        }
    return cell_is(text, "...");
}

/* "Core:  0 1 2": the table begins. */
static void begin_table(struct result *result, const struct field *field)
{
    result->n_cores = field->values.n;
    result->cores = memory_new((result->n_cores + 1) * sizeof *result->cores);
    for (size_t i = 0; i < result->n_cores; i++) {
        result->cores[i] = (struct core){.cpu = CPU_UNKNOWN, .min_ns = NS_UNKNOWN, .max_ns = NS_UNKNOWN, .duration_ns = NS_UNKNOWN};
        cell_int(field->values.cell[i], &result->cores[i].cpu);
    }
}

/* A row of the table. False: it is none. */
static bool take_table_line(struct import *import, struct result *result, const struct field *field, int version, uint64_t line)
{
    struct cell name = field->name;
    if (field->is_mhz_old || field->is_mhz_new) {
        bool is_counter = cell_starts(name, "Counter");
        result->era = field->is_mhz_new ? ERA_FLOOR
                      : !is_counter || (version && version < 250) ? ERA_FLOOR_PLUS_1
                      : version ? ERA_CEIL : ERA_UNKNOWN;
    } else if (field->is_us && name.length && name.text[0] >= '0' && name.text[0] <= '9') {
        read_bin_row(import, result, field, line);
    } else if (cell_is(name, "Minimum")) {
        read_value_row(result, field, 3, offsetof(struct core, min_ns));
    } else if (cell_is(name, "Maximum")) {
        read_value_row(result, field, 3, offsetof(struct core, max_ns));
    } else if (cell_is(name, "Duration")) {
        read_value_row(result, field, 9, offsetof(struct core, duration_ns));
    } else {
        return cell_is(name, "Average") || cell_is(name, "Max-Min");
    }
    return true;
}

static enum status text_read(struct import *import, struct lines *lines)
{
    struct result result = {.width_ns = NS_UNKNOWN, .priority = PRIO_UNKNOWN, .line = lines_number(lines)};
    struct field field = {0};
    struct line line;
    int version = 0;
    bool has_table = false;
    for (size_t k = 0; lines_peek(lines, k, &line);) {
        struct cell text = cell_trim(cell_of(&line));
        bool is_mine = true;
        if (cell_starts(text, "oslat V ")) {
            if (has_table || version)
                break;
            version = banner_version(text);
            import_tool_version(import, "%.*s", CELL_ARGS(cell_after(text, "oslat V ")));
        } else if (!take_head_line(import, &result, text, line.number, has_table)) {
            is_mine = read_field(&line, &field);
            if (is_mine && !has_table && cell_is(field.name, "Core"))
                begin_table(&result, &field), has_table = true;
            else
                is_mine = is_mine && has_table && take_table_line(import, &result, &field, version, line.number);
        }
        if (is_mine) {
            lines_skip(lines, k + 1);
            k = 0;
        } else if (text.length || ++k > 2) {
            break;
        }
    }
    if (result.width_ns == NS_UNKNOWN)
        result.width_ns = 1000;
    if (has_table)
        store_result(import, &result);
    cells_release(&field.values);
    release_result(&result);
    return OK;
}

/* ---- JSON ---- */

static void read_thread(struct import *import, struct result *result, struct core *core, const json_t *thread, double *duration)
{
    int64_t value;
    int64_t unit_ns = result->is_ns_mode ? 1 : 1000;
    *core = (struct core){.cpu = CPU_UNKNOWN, .min_ns = NS_UNKNOWN, .max_ns = NS_UNKNOWN, .duration_ns = NS_UNKNOWN};
    if (json_whole(thread, "cpu", &value) && value >= 0 && value < 100000)
        core->cpu = (int)value;
    if (json_whole(thread, "min", &value) && value >= 0 && value < INT64_MAX / 1000)
        core->min_ns = value * unit_ns;
    if (json_whole(thread, "max", &value) && value >= 0 && value < INT64_MAX / 1000)
        core->max_ns = value * unit_ns;
    *duration = json_number(thread, "duration");
    if (*duration > 0 && *duration < 1e9)
        core->duration_ns = llround(*duration * 1e9);
    const char *key;
    json_t *count;
    json_object_foreach(json_object_get(thread, "histogram"), key, count) {
        int64_t label_ns;
        struct cell label = {key, strlen(key)};
        if (cell_ns(label, 3, &label_ns) && json_is_integer(count) && json_integer_value(count) >= 0)
            add_bin(core, label_ns, (uint64_t)json_integer_value(count));
        else
            import_note(import, "damaged-lines", result->line, "cannot read the bucket \"%.40s\"", key);
    }
}

/* Sorts by label: objects come in any order. */
static int compare_bins(const void *a, const void *b)
{
    const struct bin *x = a, *y = b;
    return x->low_ns < y->low_ns ? -1 : x->low_ns > y->low_ns;
}

static enum status json_read(struct import *import, struct lines *lines, struct error *error)
{
    bool is_cut;
    struct result result = {.width_ns = NS_UNKNOWN, .priority = PRIO_UNKNOWN, .line = lines_number(lines), .has_label_of_overflow = true};
    json_t *json = json_block_load(import, lines, &is_cut, error);
    if (!json)
        return FAILED;
    struct rt_tests_head head;
    rt_tests_read_head(json, &head);
    json_t *threads = json_object_get(json, "thread"), *thread;
    const char *key, *label;
    json_t *count;
    bool has_zero_minimum = false;
    json_object_foreach(threads, key, thread) {
        int64_t min;
        has_zero_minimum |= json_whole(thread, "min", &min) && min == 0;
        json_object_foreach(json_object_get(thread, "histogram"), label, count)
            result.is_ns_mode |= strchr(label, '.') != NULL;
    }
    /* "2.10" is 2.1 as well: a busy loop that never sees a gap below 1 us is one that counts floor + 1 */
    struct cell version = {head.version ? head.version : "", head.version ? strlen(head.version) : 0};
    int64_t hundredths;
    if (cell_ns(version, 2, &hundredths))
        result.era = hundredths == 210 ? (has_zero_minimum || result.is_ns_mode ? ERA_FLOOR : ERA_FLOOR_PLUS_1)
                     : hundredths < 250 ? ERA_FLOOR_PLUS_1
                     : hundredths < 270 ? ERA_CEIL : ERA_FLOOR;
    if (head.version)
        import_tool_version(import, "%s", head.version);
    size_t n = json_object_size(threads);
    result.cores = memory_new((n + 1) * sizeof *result.cores);
    json_object_foreach(threads, key, thread) {
        double duration;
        struct core *core = &result.cores[result.n_cores++];
        read_thread(import, &result, core, thread, &duration);
        memory_sort(core->bins, core->n_bins, sizeof *core->bins, compare_bins);
        if (core->n_bins > 1 && result.width_ns == NS_UNKNOWN)
            result.width_ns = core->bins[1].low_ns - core->bins[0].low_ns;
    }
    if (result.width_ns <= 0)
        result.width_ns = 1000;
    rt_tests_facts(import, json, &head);
    if (head.command.priority > 0 && head.command.priority < 100)
        result.priority = (int)head.command.priority;
    store_result(import, &result);
    if (is_cut)
        import_note(import, "file-truncated", result.line, "the JSON is cut");
    release_result(&result);
    json_decref(json);
    return OK;
}

static enum status oslat_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    if (lines_peek(lines, 0, &line) && line_starts(&line, "{"))
        return json_read(import, lines, error);
    return text_read(import, lines);
}

static const char *const oslat_marks[] = {"^{", "oslat V ", "oslat: Trace", "Total runtime:", "Core:", NULL};

const struct importer importer_oslat = {
    .name = "oslat",
    .summary = "oslat of rt-tests (text and JSON)",
    .reads = "rt-tests 1.9 to 2.10 and later: us and ns buckets, bias, thresholds",
    .probe_lines = oslat_probe,
    .read_lines = oslat_read,
    .marks = oslat_marks,
};
