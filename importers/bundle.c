/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bundle of whylate-capture (docs/bundle-format.md): bundle.txt, threads.txt, samples-T.wls, outliers.txt, clocks.txt,
 * incidents.txt.
 * Each file is an artefact of its own; they meet in the series "whylate/T". The traces beside them and the environment
 * below before/ and after/ are read by the importers of those formats.
 *
 *     whylate-bundle<TAB>1
 *     interval_ns<TAB>1000000
 */
#include "importers/importer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "bundle/bundle.h"
#include "bundle/samples.h"

static bool starts(const unsigned char *bytes, size_t size, const char *literal)
{
    return size >= strlen(literal) && memcmp(bytes, literal, strlen(literal)) == 0;
}

static struct probe_result certain_if(bool mine)
{
    return (struct probe_result){.sureness = mine ? CERTAIN : NOT_MINE};
}

/* Reads another file of the same folder; NULL if it is not there. */
static struct bundle_table *read_sibling(struct import *import, const char *name)
{
    for (size_t i = 0; i < input_count(import->input); i++) {
        const struct member *member = input_member(import->input, i);
        const unsigned char *bytes;
        size_t size;
        if (strcmp(member->name, name) != 0 || strcmp(member->directory, import->member->directory) != 0 ||
            input_map(import->input, i, &bytes, &size, NULL) == FAILED)
            continue;
        struct bundle_table *table = bundle_table_read((const char *)bytes, size);
        input_unmap(import->input, i);
        return table;
    }
    return NULL;
}

static bool has_sibling(struct import *import, const char *name)
{
    for (size_t i = 0; i < input_count(import->input); i++) {
        const struct member *member = input_member(import->input, i);
        if (strcmp(member->name, name) == 0 && strcmp(member->directory, import->member->directory) == 0)
            return true;
    }
    return false;
}

/*
 * Times of the bundle in Linux's CLOCK_MONOTONIC, which the traces are in: Cobalt may have one of its own, and clocks.txt
 * then has pairs of both, one at each outlier.
 */
struct clock_shifts {
    size_t n, capacity;
    struct clock_shift {
        int64_t own_ns, shift_ns;
    } *rows; /* by own_ns */
};

static int by_own_time(const void *a, const void *b)
{
    const struct clock_shift *x = a, *y = b;
    return (x->own_ns > y->own_ns) - (x->own_ns < y->own_ns);
}

static struct clock_shifts read_clock_shifts(struct import *import)
{
    struct clock_shifts shifts = {0};
    struct bundle_table *table = read_sibling(import, BUNDLE_CLOCKS);
    for (size_t row = 0; table && row < bundle_table_rows(table); row++) {
        int64_t linux_ns;
        struct clock_shift shift;
        if (!bundle_table_i64(table, row, "linux_monotonic_ns", &linux_ns) || !bundle_table_i64(table, row, "monotonic_ns", &shift.own_ns) ||
            __builtin_sub_overflow(linux_ns, shift.own_ns, &shift.shift_ns))
            continue;
        memory_reserve(shifts.rows, shifts.capacity, shifts.n + 1);
        shifts.rows[shifts.n++] = shift;
    }
    bundle_table_free(table);
    if (shifts.n)
        qsort(shifts.rows, shifts.n, sizeof *shifts.rows, by_own_time);
    return shifts;
}

/* By the pair that follows next (it was taken when the outlier was seen), else the last. */
static int64_t linux_time_ns(const struct clock_shifts *shifts, int64_t time_ns)
{
    size_t low = 0, high = shifts->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (shifts->rows[middle].own_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t sum_ns;
    if (!shifts->n || __builtin_add_overflow(time_ns, shifts->rows[low < shifts->n ? low : shifts->n - 1].shift_ns, &sum_ns))
        return time_ns;
    return sum_ns;
}

static void note_damage(struct import *import, const struct bundle_table *table)
{
    if (bundle_table_damaged(table))
        import_note_n(import, "damaged-lines", bundle_table_damaged(table), 0, "rows that are cut or short of fields");
}

/* The series of a thread in the current run, made when its first file is read. */
static uint32_t thread_series(struct import *import, int64_t thread)
{
    char name[32];
    snprintf(name, sizeof name, "whylate/%" PRId64, thread);
    for (size_t i = store_count_series(import->store); i-- > 0;) {
        const struct series *known = store_edit_series(import->store, (uint32_t)i);
        if (known->run == import->run && strcmp(known->name, name) == 0 && strcmp(known->tool, "whylate-capture") == 0)
            return (uint32_t)i;
    }
    struct series series = series_unknown();
    series.name = name;
    series.tool = "whylate-capture";
    series.path = PATH_TIMER_WAKEUP;
    series.resolution_ns = 1;
    series.omission = OMISSION_SKIPS;
    series.bin_edge = BIN_EXACT;
    series.has_times = true;
    return import_series(import, &series);
}

/* ---- bundle.txt ---- */

static struct probe_result main_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    struct probe_result result = certain_if(starts(bytes, size, BUNDLE_MAGIC "\t"));
    if (result.sureness && !starts(bytes, size, BUNDLE_MAGIC "\t" BUNDLE_VERSION "\n"))
        result.unsupported = "a bundle of a newer whylate-capture";
    return result;
}

static enum status main_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    /* KEY of bundle.txt, fact. */
    static const char *const facts[][2] = {
        {"kernel", "kernel.release"},
        {"kernel_version", "kernel.version"},
        {"machine", "kernel.machine"},
        {"command", "whylate-capture.command"},
        {"interval_ns", "whylate-capture.interval_ns"},
        {"policy", "whylate-capture.policy"},
        {"priority", "whylate-capture.priority"},
        {"duration_ns", "whylate-capture.duration_ns"},
        {"loops", "whylate-capture.loops"},
        {"cpus", "whylate-capture.affinity"},
        {"sleep", "whylate-capture.sleep"},
        {"start", "whylate-capture.start"},
        {"threshold_ns", "whylate-capture.break_limit_ns"},
        {"trigger", "whylate-capture.trigger"},
        {"keep", "whylate-capture.keep"},
        {"memory_locked", "whylate-capture.memory_locked"},
        {"dma_latency_us", "whylate-capture.dma_latency_us"},
        {"frequency_scaling", "cpu.governor"}, /* "none", or unknown: then the files below before/ say it */
        {"load", "load.kind"},
        {"load_command", "load.command"},
        {"trace_clock", "trace.clock"},
        {"trace_missing", "trace.missing"},
        {"state", "whylate-capture.state"},
    };
    (void)error;
    struct bundle_table *table = bundle_table_read((const char *)bytes, size);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *value = bundle_table_value(table, facts[i][0]);
        if (value)
            import_fact(import, facts[i][1], "%s", value);
    }
    const char *version = bundle_table_value(table, "agent_version");
    if (version)
        import_tool_version(import, "%s", version);
    const char *state = bundle_table_value(table, "state");
    if (!state)
        import_note(import, "run-interrupted", 0, "the capture has no end: it was killed, or the machine went down");
    else if (strcmp(state, "complete") != 0)
        import_note(import, "run-interrupted", 0, "the capture ended early: %s", state);
    note_damage(import, table);
    bundle_table_free(table);
    return OK;
}

const struct importer importer_bundle = {
    .name = "whylate-bundle",
    .summary = "bundle of whylate-capture: options and end",
    .reads = "bundle.txt, version 1",
    .probe_bytes = main_probe,
    .read_bytes = main_read,
};

/* ---- threads.txt ---- */

static struct probe_result threads_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    return certain_if(starts(bytes, size, "# thread\tcpu\ttid\t"));
}

static enum status threads_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    (void)error;
    struct bundle_table *table = bundle_table_read((const char *)bytes, size);
    for (size_t row = 0; row < bundle_table_rows(table); row++) {
        int64_t thread, number;
        if (!bundle_table_i64(table, row, "thread", &thread))
            continue;
        struct series *series = store_edit_series(import->store, thread_series(import, thread));
        if (bundle_table_i64(table, row, "cpu", &number))
            series->cpu = (int32_t)number;
        if (bundle_table_i64(table, row, "tid", &number))
            series->tid = (int32_t)number;
        if (bundle_table_i64(table, row, "priority", &number))
            series->priority = (int32_t)number;
        if (bundle_table_i64(table, row, "interval_ns", &number))
            series->interval_ns = number;
        const char *comm = bundle_table_field(table, row, "comm"), *policy = bundle_table_field(table, row, "policy");
        if (comm)
            series->comm = store_keep(import->store, comm);
        if (policy)
            series->policy = policy_from_name(policy);
        if (bundle_table_i64(table, row, "sample_cost_ns", &number))
            import_fact(import, "whylate-capture.sample_cost_ns", "%" PRId64, number);
        const char *missing = bundle_table_field(table, row, "counters_missing");
        if (missing && row == 0)
            import_note(import, "not-measured", 0, "no hardware counters: %s", missing);
    }
    note_damage(import, table);
    bundle_table_free(table);
    return OK;
}

const struct importer importer_bundle_threads = {
    .name = "whylate-bundle-threads",
    .summary = "bundle of whylate-capture: measuring threads",
    .reads = "threads.txt, version 1",
    .probe_bytes = threads_probe,
    .read_bytes = threads_read,
};

/* ---- samples-T.wls ---- */

static struct probe_result samples_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    return certain_if(starts(bytes, size, "WLSAMPL1"));
}

/* Names of the counters of a thread, from threads.txt; those that it does not name are counter_I. */
static void name_counters(struct import *import, uint32_t series, const struct bundle_samples_header *header)
{
    static const char *const unnamed[BUNDLE_MAX_COUNTERS] = {
        "counter_0", "counter_1", "counter_2",  "counter_3",  "counter_4",  "counter_5",  "counter_6",  "counter_7",
        "counter_8", "counter_9", "counter_10", "counter_11", "counter_12", "counter_13", "counter_14", "counter_15"};
    const char *names[BUNDLE_MAX_COUNTERS];
    memcpy(names, unnamed, sizeof names);
    struct bundle_table *table = read_sibling(import, BUNDLE_THREADS);
    char *list = NULL;
    for (size_t row = 0; table && row < bundle_table_rows(table); row++) {
        int64_t thread;
        const char *field = bundle_table_field(table, row, "counters");
        if (!bundle_table_i64(table, row, "thread", &thread) || thread != header->thread || !field)
            continue;
        free(list);
        list = strdup(field);
        char *rest = list, *name;
        for (size_t i = 0; i < header->n_counters && (name = strsep(&rest, ",")); i++)
            names[i] = name;
    }
    store_set_sample_counters(import->store, series, names, header->n_counters);
    free(list);
    bundle_table_free(table);
}

struct tally {
    uint64_t n, n_missed, n_dropped;
    int64_t min_ns, max_ns, first_due_ns, last_due_ns;
    double sum_ns;
};

static void tally_add(struct tally *tally, const struct bundle_sample *sample, uint64_t expected_sequence)
{
    int64_t latency_ns = sample->wake_ns - sample->due_ns;
    if (!tally->n) {
        tally->min_ns = tally->max_ns = latency_ns;
        tally->first_due_ns = sample->due_ns;
    }
    tally->min_ns = latency_ns < tally->min_ns ? latency_ns : tally->min_ns;
    tally->max_ns = latency_ns > tally->max_ns ? latency_ns : tally->max_ns;
    tally->sum_ns += (double)latency_ns;
    tally->last_due_ns = sample->due_ns;
    tally->n_missed += sample->n_missed;
    if (sample->sequence > expected_sequence)
        tally->n_dropped += sample->sequence - expected_sequence;
    tally->n++;
}

static enum status samples_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    struct bundle_samples_header header;
    if (!bundle_samples_header_read(bytes, size, &header))
        return error_input(error, "%s: damaged header of a sample file", import->member->path);
    uint32_t series = thread_series(import, header.thread);
    if (header.n_counters)
        name_counters(import, series, &header);

    struct clock_shifts shifts = read_clock_shifts(import);
    struct tally tally = {0};
    size_t offset = BUNDLE_SAMPLES_HEADER_BYTES;
    uint64_t expected = 0;
    for (; size - offset >= header.record_bytes; offset += header.record_bytes) {
        struct bundle_sample sample;
        if (!bundle_sample_read(bytes + offset, header.n_counters, &sample)) {
            import_note(import, "file-truncated", offset, "a damaged record ends the samples");
            break;
        }
        tally_add(&tally, &sample, expected);
        expected = sample.sequence + 1;
        const struct sample row = {.time_ns = linux_time_ns(&shifts, sample.wake_ns), .cycle = sample.sequence, .latency_ns = sample.wake_ns - sample.due_ns};
        if (header.n_counters)
            store_add_sample_counted(import->store, series, &row, sample.counters);
        else
            store_add_sample(import->store, series, &row);
        if ((offset / header.record_bytes) % 65536 == 0)
            import_progress(import, offset);
    }
    free(shifts.rows);
    if (size - offset > 0 && size - offset < header.record_bytes)
        import_note(import, "file-truncated", offset, "the last record is cut");
    if (tally.n_dropped)
        import_note_n(import, "events-lost", tally.n_dropped, 0, "samples that the agent's ring dropped");

    struct series *row = store_edit_series(import->store, series);
    row->interval_ns = header.interval_ns;
    row->n_samples = tally.n;
    row->n_stated_lost = tally.n_missed;
    if (tally.n) {
        row->min_ns = tally.min_ns;
        row->max_ns = tally.max_ns;
        row->avg_ns = tally.sum_ns / (double)tally.n;
        row->duration_ns = tally.last_due_ns - tally.first_due_ns + header.interval_ns;
        row->n_requested = tally.n + tally.n_missed;
    }
    return OK;
}

const struct importer importer_bundle_samples = {
    .name = "whylate-samples",
    .summary = "bundle of whylate-capture: every sample of a thread",
    .reads = "samples-T.wls, version 1",
    .probe_bytes = samples_probe,
    .read_bytes = samples_read,
};

/* ---- outliers.txt ---- */

static struct probe_result outliers_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    return certain_if(starts(bytes, size, "# outlier\tthread\t"));
}

/* A trace that made room for a larger one: its row stays, and there is nothing to explain it by. */
static bool is_removed(struct import *import, const struct bundle_table *table, size_t row)
{
    const char *trace = bundle_table_field(table, row, "trace");
    return trace && !has_sibling(import, trace);
}

/* While the agent saved a trace, and without one of its own, in which the cause could be seen. */
static bool is_own_doing(const struct bundle_table *table, size_t row)
{
    const char *why = bundle_table_field(table, row, "why");
    return why && strcmp(why, "while a trace was saved") == 0 && !bundle_table_field(table, row, "trace");
}

static void name_thread(const struct bundle_table *threads, int64_t thread, struct claim *claim)
{
    int64_t number;
    for (size_t i = 0; threads && i < bundle_table_rows(threads); i++) {
        if (!bundle_table_i64(threads, i, "thread", &number) || number != thread)
            continue;
        if (bundle_table_i64(threads, i, "tid", &number))
            claim->tid = (int32_t)number;
        if (bundle_table_i64(threads, i, "cpu", &number))
            claim->cpu = (int32_t)number;
        claim->comm = bundle_table_field(threads, i, "comm");
    }
}

/* What becomes of the rows of outliers.txt. */
struct outlier_counts {
    uint64_t n_removed, n_traces, n_own;
    int64_t worst_own_ns;
};

static void claim_outlier(struct import *import, const struct bundle_table *table, size_t row, const struct bundle_table *threads,
                          const struct clock_shifts *shifts, struct outlier_counts *counts)
{
    int64_t thread, latency_ns, due_ns, wake_ns;
    if (!bundle_table_i64(table, row, "thread", &thread) || !bundle_table_i64(table, row, "latency_ns", &latency_ns) ||
        !bundle_table_i64(table, row, "due_ns", &due_ns) || !bundle_table_i64(table, row, "wake_ns", &wake_ns))
        return;
    if (is_own_doing(table, row)) {
        counts->worst_own_ns = latency_ns > counts->worst_own_ns ? latency_ns : counts->worst_own_ns;
        counts->n_own++;
        return;
    }
    if (counts->n_removed < counts->n_traces && is_removed(import, table, row)) /* none there: only the table was given */
        return;
    struct claim claim = claim_unknown();
    claim.run = import->run;
    claim.artefact = import->artefact;
    claim.line = row + 2;
    claim.kind = CLAIM_SAMPLE;
    claim.section = SECTION_WAKEUP;
    claim.series = thread_series(import, thread);
    claim.latency_ns = latency_ns;
    claim.begin_ns = linux_time_ns(shifts, due_ns);
    claim.end_ns = claim.time_ns = linux_time_ns(shifts, wake_ns);
    name_thread(threads, thread, &claim);
    claim.text = bundle_table_field(table, row, "trace");
    store_add_claim(import->store, &claim);
}

static enum status outliers_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    (void)error;
    struct bundle_table *table = bundle_table_read((const char *)bytes, size);
    struct bundle_table *threads = read_sibling(import, BUNDLE_THREADS);
    struct clock_shifts shifts = read_clock_shifts(import);
    const size_t n_rows = bundle_table_rows(table);
    struct outlier_counts counts = {0};
    for (size_t row = 0; row < n_rows; row++) {
        counts.n_traces += bundle_table_field(table, row, "trace") != NULL;
        counts.n_removed += is_removed(import, table, row);
    }
    for (size_t row = 0; row < n_rows; row++)
        claim_outlier(import, table, row, threads, &shifts, &counts);
    if (counts.n_own) {
        char worst[DURATION_TEXT_BYTES];
        import_note(import, "tracer-artefact", 0,
                    "%" PRIu64 " late sample%s, the worst by %s, while the agent saved a trace: the delay may be its own doing",
                    counts.n_own, counts.n_own == 1 ? "" : "s", duration_format(counts.worst_own_ns, worst));
    }
    if (counts.n_removed && counts.n_removed < counts.n_traces)
        import_note(import, "traces-removed", 0, "%" PRIu64 " traces of milder outliers made room for larger ones", counts.n_removed);
    note_damage(import, table);
    free(shifts.rows);
    bundle_table_free(threads);
    bundle_table_free(table);
    return OK;
}

const struct importer importer_bundle_outliers = {
    .name = "whylate-bundle-outliers",
    .summary = "bundle of whylate-capture: outliers with their traces",
    .reads = "outliers.txt, version 1",
    .probe_bytes = outliers_probe,
    .read_bytes = outliers_read,
};

/* ---- clocks.txt ---- */

static struct probe_result clocks_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    return certain_if(starts(bytes, size, "# monotonic_ns\trealtime_ns\t"));
}

static enum status clocks_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    static const char *const clocks[][2] = {
        {"realtime_ns", "realtime"}, {"boottime_ns", "boot"}, {"monotonic_raw_ns", "mono_raw"}};
    (void)error;
    struct bundle_table *table = bundle_table_read((const char *)bytes, size);
    for (size_t row = 0; row < bundle_table_rows(table); row++) {
        struct clock_pair pair = {.run = import->run, .clock_a = "mono"};
        if (!bundle_table_i64(table, row, "monotonic_ns", &pair.a_ns) || !bundle_table_i64(table, row, "error_ns", &pair.error_ns))
            continue;
        for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
            if (bundle_table_i64(table, row, clocks[i][0], &pair.b_ns)) {
                pair.clock_b = clocks[i][1];
                store_add_clock_pair(import->store, &pair);
            }
    }
    note_damage(import, table);
    bundle_table_free(table);
    return OK;
}

const struct importer importer_bundle_clocks = {
    .name = "whylate-bundle-clocks",
    .summary = "bundle of whylate-capture: clock pairs",
    .reads = "clocks.txt, version 1",
    .probe_bytes = clocks_probe,
    .read_bytes = clocks_read,
};

/* ---- incidents.txt ---- */

static struct probe_result incidents_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    return certain_if(starts(bytes, size, "# monotonic_ns\tkind\tcpu\t"));
}

static enum status incidents_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    (void)error;
    struct bundle_table *table = bundle_table_read((const char *)bytes, size);
    for (size_t row = 0; row < bundle_table_rows(table); row++) {
        const char *kind = bundle_table_field(table, row, "kind"), *text = bundle_table_field(table, row, "text");
        if (!kind)
            continue;
        /* Due and wake times are CLOCK_MONOTONIC: that another clock was set changes no sample. */
        import_note(import, strcmp(kind, "clock-step") == 0 ? "clock-set" : "machine-changed", row + 2, "%s", text ? text : kind);
    }
    note_damage(import, table);
    bundle_table_free(table);
    return OK;
}

const struct importer importer_bundle_incidents = {
    .name = "whylate-bundle-incidents",
    .summary = "bundle of whylate-capture: what happened to the machine",
    .reads = "incidents.txt, version 1",
    .probe_bytes = incidents_probe,
    .read_bytes = incidents_read,
};
