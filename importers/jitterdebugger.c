/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jitterdebugger (0.1 to git 2024): results.json, samples.csv (by jittersamples), live lines.
 *
 *     { "version": 3, "sysinfo": { ..., "resolution_in_ns": 1000 },
 *       "cpu": { "0": { "histogram": { "12": 1, ... }, "count": 500, "min": 12, "max": 55, "avg": 19.25 } } }
 *     0;1289.762281892;27
 *
 * The keys of "cpu" are thread indexes. resolution_in_ns is the unit (in rt-tests the same key is a flag); without it
 * values are us. Values of 1 ms and more are in count, min, max and avg but in no bucket. A stall longer than a period
 * appears several times. Without samples the minimum is 2^64-1 or 2^32-1.
 */
#include "importers/jitterdebugger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/json_block.h"

#define LIMIT_NS 1000000 /* histograms end at 1 ms */

/* ---- series and samples that several files of a run share ---- */

uint32_t jitterdebugger_series(struct import *import, uint32_t thread, int64_t unit_ns)
{
    char name[24];
    snprintf(name, sizeof name, "T%" PRIu32, thread);
    /* the run's results.json or samples.csv has made it already */
    for (size_t i = store_count_series(import->store); i-- > 0;) {
        struct series *series = store_edit_series(import->store, (uint32_t)i);
        if (series->run == import->run && !strcmp(series->tool, "jitterdebugger") && !strcmp(series->name, name)) {
            if (series->has_times)
                return ROW_NONE;
            series->has_times = true;
            return (uint32_t)i;
        }
    }
    struct series series = series_unknown();
    series.name = name;
    series.tool = "jitterdebugger";
    series.path = PATH_TIMER_WAKEUP;
    series.omission = OMISSION_REPLAYS;
    series.resolution_ns = unit_ns;
    series.has_times = true;
    return import_series(import, &series);
}

void jitterdebugger_finish(struct import *import, const struct jitter_thread *thread)
{
    struct series *series = store_edit_series(import->store, thread->series);
    if (series->n_samples != COUNT_UNKNOWN) { /* results.json has said it: the last samples are not flushed at the end */
        if (series->n_samples < thread->n)
            import_note(import, "counts-mismatch", 0, "%" PRIu64 " samples are here, results.json counts %" PRIu64, thread->n,
                        series->n_samples);
        return;
    }
    series->n_samples = thread->n;
    series->min_ns = thread->min_ns;
    series->max_ns = thread->max_ns;
    series->avg_ns = thread->n ? thread->sum_ns / (double)thread->n : NAN;
}

void jitterdebugger_sample(struct import *import, struct jitter_thread *thread, int64_t time_ns, int64_t latency_ns)
{
    store_add_sample(import->store, thread->series, &(struct sample){time_ns, thread->n, latency_ns});
    if (!thread->n || latency_ns < thread->min_ns)
        thread->min_ns = latency_ns;
    if (!thread->n || latency_ns > thread->max_ns)
        thread->max_ns = latency_ns;
    thread->sum_ns += (double)latency_ns;
    thread->n++;
}

int64_t jitterdebugger_unit(struct import *import, uint64_t line)
{
    const struct member *own = import->member;
    for (size_t i = 0; import->input && i < input_count(import->input); i++) {
        const struct member *other = input_member(import->input, i);
        if (i == import->member_index || strcmp(other->name, "results.json") != 0 || strcmp(other->directory, own->directory) != 0)
            continue;
        const unsigned char *bytes;
        size_t size;
        if (input_map(import->input, i, &bytes, &size, NULL) == FAILED)
            break;
        static const char key[] = "\"resolution_in_ns\":";
        const char *found = memmem(bytes, size, key, sizeof key - 1);
        bool is_ns = found && found + sizeof key + 3 < (const char *)bytes + size && found[sizeof key - 1] == ' ' &&
                     found[sizeof key] == '1' && found[sizeof key + 1] != '0';
        input_unmap(import->input, i);
        return is_ns ? 1 : 1000;
    }
    import_note(import, "unit-assumed", line, "the unit stands in results.json, which is not here: us assumed");
    return 1000;
}

/* ---- JSON ---- */

static bool is_json(struct lines *lines)
{
    struct line line;
    if (!lines_peek(lines, 0, &line) || !line_starts(&line, "{") || !json_block_has(lines, "cpu") || json_block_has(lines, "thread"))
        return false;
    return json_block_has(lines, "histogram");
}

static int compare_bins(const void *a, const void *b)
{
    const struct bin *x = a, *y = b;
    return x->low_ns < y->low_ns ? -1 : x->low_ns > y->low_ns;
}

static void store_thread(struct import *import, const char *key, json_t *thread, int64_t unit_ns, uint64_t line)
{
    char name[40];
    struct series series = series_unknown();
    snprintf(name, sizeof name, "T%.20s", key);
    series.name = name;
    series.tool = "jitterdebugger";
    series.path = PATH_TIMER_WAKEUP;
    series.omission = OMISSION_REPLAYS;
    series.resolution_ns = series.bin_width_ns = unit_ns;
    const char *label;
    json_t *count;
    struct bin *bins = memory_new((json_object_size(json_object_get(thread, "histogram")) + 1) * sizeof *bins);
    size_t n_bins = 0;
    uint64_t sum = 0;
    json_object_foreach(json_object_get(thread, "histogram"), label, count) {
        int64_t value;
        if (!cell_i64((struct cell){label, strlen(label)}, &value) || value < 0 || value > INT64_MAX / 1000 ||
            !json_is_integer(count) || json_integer_value(count) < 0) {
            import_note(import, "damaged-lines", line, "cannot read the bucket \"%.40s\"", label);
            continue;
        }
        bins[n_bins++] = (struct bin){value * unit_ns, (uint64_t)json_integer_value(count)};
        sum += (uint64_t)json_integer_value(count);
    }
    memory_sort(bins, n_bins, sizeof *bins, compare_bins);
    int64_t value;
    if (json_whole(thread, "count", &value) && value >= 0)
        series.n_samples = (uint64_t)value;
    if (series.n_samples == 0) {
        import_note(import, "no-samples", line, "thread %.20s took no sample; its minimum is an initial value", key);
    } else {
        if (json_whole(thread, "min", &value) && value >= 0 && value < INT64_MAX / 1000)
            series.min_ns = value * unit_ns;
        if (json_whole(thread, "max", &value) && value >= 0 && value < INT64_MAX / 1000)
            series.max_ns = value * unit_ns;
        series.avg_ns = json_number(thread, "avg") * (double)unit_ns;
    }
    if (series.n_samples != COUNT_UNKNOWN && series.n_samples >= sum) {
        series.n_overflow = series.n_samples - sum;
        series.overflow_limit_ns = LIMIT_NS;
        if (series.n_overflow && series.max_ns != NS_UNKNOWN && series.max_ns < LIMIT_NS)
            import_note(import, "counts-mismatch", line, "%" PRIu64 " samples are in no bucket, but none was beyond 1 ms", series.n_overflow);
    } else if (series.n_samples != COUNT_UNKNOWN) {
        import_note(import, "counts-mismatch", line, "the buckets hold %" PRIu64 " samples, count says %" PRIu64, sum, series.n_samples);
    }
    uint32_t index = import_series(import, &series);
    store_add_bins(import->store, index, bins, n_bins);
    free(bins);
}

static enum status read_json(struct import *import, struct lines *lines, struct error *error)
{
    uint64_t line = lines_number(lines);
    bool is_cut;
    json_t *json = json_block_load(import, lines, &is_cut, error);
    if (!json)
        return FAILED;
    int64_t unit_ns = 1000, version;
    const json_t *sysinfo = json_object_get(json, "sysinfo");
    if (json_whole(json, "version", &version))
        import_fact(import, "jitterdebugger.format", "%" PRId64, version);
    static const struct {
        const char *key, *fact;
    } facts[] = {{"release", "kernel.release"}, {"version", "kernel.version"}, {"machine", "kernel.machine"}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (json_text(sysinfo, facts[i].key))
            import_fact(import, facts[i].fact, "%s", json_text(sysinfo, facts[i].key));
    if (json_whole(sysinfo, "resolution_in_ns", &unit_ns) && unit_ns != 1 && unit_ns != 1000) {
        import_note(import, "unit-assumed", line, "a resolution of %" PRId64 " ns is not known of jitterdebugger: us assumed", unit_ns);
        unit_ns = 1000;
    }
    const char *key;
    json_t *thread;
    json_object_foreach(json_object_get(json, "cpu"), key, thread)
        store_thread(import, key, thread, unit_ns, line);
    if (is_cut)
        import_note(import, "file-truncated", line, "the JSON is cut");
    json_decref(json);
    return OK;
}

/* ---- CSV: cpuid;sec.nsec;value ---- */

static bool read_csv_line(const struct line *line, uint32_t *thread, int64_t *time_ns, int64_t *value)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t index, seconds, ns, v;
    const char *digits;
    if (line->length < 8 || !scan_u64(&p, end, &index) || index > JITTER_MAX_THREADS - 1 || !scan_literal(&p, end, ";") ||
        !scan_u64(&p, end, &seconds) || seconds > 4000000000u || !scan_literal(&p, end, "."))
        return false;
    digits = p;
    if (!scan_u64(&p, end, &ns) || p - digits != 9 || !scan_literal(&p, end, ";") || !scan_u64(&p, end, &v) || p != end || v > INT64_MAX / 1000)
        return false;
    *thread = (uint32_t)index;
    *time_ns = (int64_t)(seconds * 1000000000 + ns);
    *value = (int64_t)v;
    return true;
}

static enum status read_csv(struct import *import, struct lines *lines)
{
    struct jitter_thread *threads = memory_new(JITTER_MAX_THREADS * sizeof *threads);
    int64_t unit_ns = jitterdebugger_unit(import, lines_number(lines));
    struct line line;
    uint32_t index;
    int64_t time_ns, value;
    for (; lines_peek(lines, 0, &line) && read_csv_line(&line, &index, &time_ns, &value); lines_skip(lines, 1)) {
        struct jitter_thread *thread = &threads[index];
        if (!thread->is_open) {
            thread->is_open = true;
            thread->series = jitterdebugger_series(import, index, unit_ns);
            if (thread->series == ROW_NONE)
                import_note(import, "duplicate", line.number, "the run's samples were read from another file already");
        }
        if (thread->series != ROW_NONE)
            jitterdebugger_sample(import, thread, time_ns, value * unit_ns);
    }
    for (size_t i = 0; i < JITTER_MAX_THREADS; i++)
        if (threads[i].is_open && threads[i].series != ROW_NONE)
            jitterdebugger_finish(import, &threads[i]);
    free(threads);
    return OK;
}

/* ---- live lines ---- */

/* "T: 0 (20186) A: 0 C:       210 Min:        14 Avg:   28.03 Max:       818" */
static bool read_live(const struct line *line, struct series *series, char *name, size_t size)
{
    struct cell text = cell_trim(cell_of(line));
    if (!cell_starts(text, "T:") || !cell_has(text, " A:") || cell_has(text, " P:"))
        return false;
    static const char *const labels[] = {"T:", "(", "A:", "C:", "Min:", "Avg:", "Max:"};
    struct cell value[7];
    for (size_t i = 0; i < 7; i++) {
        struct cell rest = cell_after(text, labels[i]);
        size_t n = 0;
        while (n < rest.length && rest.text[n] != ' ' && rest.text[n] != ')')
            n++;
        value[i] = cell_first(rest, n);
    }
    uint64_t thread, n_samples;
    int64_t avg_ns;
    *series = series_unknown();
    if (!cell_u64(value[0], &thread) || !cell_int(value[1], &series->tid) || !cell_int(value[2], &series->cpu) ||
        !cell_u64(value[3], &n_samples))
        return false;
    snprintf(name, size, "T%" PRIu64, thread);
    series->name = name;
    series->tool = "jitterdebugger";
    series->path = PATH_TIMER_WAKEUP;
    series->omission = OMISSION_REPLAYS;
    series->resolution_ns = 1000;
    series->n_samples = n_samples;
    if (n_samples) {
        cell_ns(value[4], 3, &series->min_ns);
        if (cell_ns(value[5], 3, &avg_ns))
            series->avg_ns = (double)avg_ns;
        cell_ns(value[6], 3, &series->max_ns);
    }
    series->unit_evidence = "live lines do not name the unit; us unless -N was given";
    return true;
}

/* Frames are repainted: the last one counts. */
static enum status read_lines_of_frames(struct import *import, struct lines *lines)
{
    struct kept {
        struct series series;
        char name[24];
    } *kept = NULL;
    size_t n = 0, capacity = 0;
    uint64_t first = lines_number(lines);
    struct line line;
    struct series series;
    char name[24];
    for (;; lines_skip(lines, 1)) {
        if (!lines_peek(lines, 0, &line))
            break;
        if (line_is_blank(&line))
            continue;
        if (!read_live(&line, &series, name, sizeof name))
            break;
        size_t i = 0;
        while (i < n && strcmp(kept[i].name, name) != 0)
            i++;
        memory_reserve(kept, capacity, n + 1);
        if (i == n)
            n++;
        else if (series.n_samples < kept[i].series.n_samples) /* counts do not fall: another run */
            break;
        kept[i].series = series;
        memcpy(kept[i].name, name, sizeof name);
    }
    for (size_t i = 0; i < n; i++) {
        kept[i].series.name = kept[i].name;
        if (kept[i].series.n_samples == 0)
            import_note(import, "no-samples", first, "%s took no sample; its minimum is an initial value", kept[i].name);
        import_series(import, &kept[i].series);
    }
    import_note(import, "unit-assumed", first, "live lines do not name the unit: us assumed");
    free(kept);
    return OK;
}

/* ---- importer ---- */

static struct probe_result jitter_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line, next;
    if (!lines_peek(lines, 0, &line) || line.length < 1)
        return (struct probe_result){NOT_MINE, NULL};
    if (line.text[0] == '{')
        return (struct probe_result){is_json(lines) ? LIKELY : NOT_MINE, NULL};
    uint32_t thread;
    int64_t time_ns, value;
    if (read_csv_line(&line, &thread, &time_ns, &value))
        return (struct probe_result){lines_peek(lines, 1, &next) && read_csv_line(&next, &thread, &time_ns, &value) ? LIKELY : PLAUSIBLE, NULL};
    struct series series;
    char name[24];
    return (struct probe_result){line_starts(&line, "T:") && read_live(&line, &series, name, sizeof name) ? CERTAIN : NOT_MINE, NULL};
}

static enum status jitter_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    lines_peek(lines, 0, &line);
    if (line_starts(&line, "{"))
        return read_json(import, lines, error);
    return line_starts(&line, "T:") ? read_lines_of_frames(import, lines) : read_csv(import, lines);
}

static const char *const jitterdebugger_marks[] = {"^{", "^0", "T:", NULL};

const struct importer importer_jitterdebugger = {
    .name = "jitterdebugger",
    .summary = "jitterdebugger: results.json, samples.csv, live lines",
    .reads = "jitterdebugger 0.1 to git 2024, us and ns; samples are joined with the results of their folder",
    .probe_lines = jitter_probe,
    .read_lines = jitter_read,
    .marks = jitterdebugger_marks,
};
