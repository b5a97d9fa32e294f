/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collected cyclictest result becomes rows; its numbers are held against each other. */
#include "importers/cyclictest/cyclictest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void result_clear(struct result *result)
{
    for (size_t i = 0; i < result->threads_capacity; i++) {
        free(result->threads[i].bins);
        free(result->threads[i].overflow_cycles);
    }
    free(result->threads);
    *result = (struct result){.json_duration_ns = NS_UNKNOWN};
    tool_command_clear(&result->command);
}

struct thread_result *result_find(struct result *result, int64_t index)
{
    if (index >= 0 && (size_t)index < result->n_threads && result->threads[index].index == index)
        return &result->threads[index];
    for (size_t i = 0; i < result->n_threads; i++)
        if (result->threads[i].index == index)
            return &result->threads[i];
    return NULL;
}

struct thread_result *result_thread(struct result *result, int64_t index)
{
    struct thread_result *thread = result_find(result, index);
    if (thread)
        return thread;
    if (result->n_threads >= MAX_THREADS || index < 0)
        return NULL;
    size_t old_capacity = result->threads_capacity;
    memory_reserve(result->threads, result->threads_capacity, result->n_threads + 1);
    if (result->threads_capacity > old_capacity)
        memset(result->threads + old_capacity, 0, (result->threads_capacity - old_capacity) * sizeof *result->threads);
    thread = &result->threads[result->n_threads++];
    *thread = (struct thread_result){
        .index = index, .tid = PRINTED_UNKNOWN, .priority = PRINTED_UNKNOWN, .interval_us = PRINTED_UNKNOWN,
        .cycles = PRINTED_UNKNOWN, .min = PRINTED_UNKNOWN, .act = PRINTED_UNKNOWN, .avg = PRINTED_UNKNOWN,
        .max = PRINTED_UNKNOWN, .smi = PRINTED_UNKNOWN, .exact_avg = NAN, .cpu = CPU_UNKNOWN, .total = PRINTED_UNKNOWN,
        .overflow = PRINTED_UNKNOWN, .series = ROW_NONE};
    return thread;
}

void result_tell_mismatch(struct import *import, struct cyclictest_state *state)
{
    if (state->mismatch[0])
        import_note(import, "command-mismatch", state->mismatch_line, "%s", state->mismatch);
    state->mismatch[0] = '\0';
}

void result_begin(struct import *import, struct cyclictest_state *state, const char *tool, uint64_t line)
{
    struct result *result = &state->result;
    bool repeats = result->is_open && result->run == import->run;
    result_close(import, result);
    if (repeats || import_has_own_series(import, tool))
        import_new_run(import, NULL);
    result_tell_mismatch(import, state);
    result->is_open = true;
    result->run = import->run;
    result->tool = tool;
    result->line = line;
    if (tool_command_is_known(&state->command)) {
        result->command = state->command;
        tool_command_clear(&state->command);
    }
    memcpy(result->version, state->version, sizeof result->version);
    state->version[0] = '\0';
    memcpy(result->load_average, state->load_average, sizeof result->load_average);
    result->policy = state->policy;
    result->has_header = state->has_header;
    state->load_average[0] = '\0';
    state->policy = POLICY_UNKNOWN;
    state->has_header = false;
}

/* Status lines: from 0.33 on Act and Avg are eight wide with -N only (before, and in 2006, always). */
static void unit_of_status(struct result *result)
{
    bool all_wide = true, all_padded = true, all_large = true, beyond_interval = true, mean_beyond = true, in_2006 = false;
    for (size_t i = 0; i < result->n_threads; i++) {
        const struct thread_result *t = &result->threads[i];
        all_wide &= t->is_wide && t->act < 10000000;
        all_padded &= t->is_padded;
        all_large &= t->min >= 1000 && t->min != 1000000;
        beyond_interval &= t->interval_us > 0 && t->min > t->interval_us && t->cycles > 10;
        /* A loop that skips what it missed cannot be late by more than its period on the average. */
        mean_beyond &= t->interval_us > 0 && t->avg != PRINTED_UNKNOWN && t->avg > t->interval_us && t->cycles > 10;
        in_2006 |= t->interval_is_padded;
    }
    if (all_wide && !in_2006 && (result->has_header || all_large)) {
        result->unit_ns = 1;
        result->unit_evidence = "eight columns for Act and Avg, as with -N";
    } else if (!all_padded && all_large) { /* the blanks are lost: only the values can tell */
        result->unit_is_assumed = true;
        result->unit_ns = beyond_interval ? 1 : 1000;
        result->unit_evidence = beyond_interval ? "every minimum is longer than the interval: taken as ns (-N)"
                                                : "minima of 1000 and more, but no sign of -N: taken as us";
    } else if (mean_beyond && !in_2006 && result->n_threads) {
        result->unit_is_assumed = true;
        result->unit_ns = 1;
        result->unit_evidence = "every average is longer than the interval: taken as ns (-N)";
    }
}

/* Histograms: most samples in rows of 1000 and more is what -N with a large limit gives. */
static void unit_of_histogram(struct result *result)
{
    bool all_large = true, mostly_rows = true, all_huge = true;
    for (size_t i = 0; i < result->n_threads; i++) {
        const struct thread_result *t = &result->threads[i];
        double in_rows = t->total != PRINTED_UNKNOWN ? (double)t->total : 0;
        for (size_t k = 0; t->total == PRINTED_UNKNOWN && k < t->n_bins; k++)
            in_rows += (double)t->bins[k].count;
        all_large &= t->min >= 1000 && t->min != 1000000;
        all_huge &= t->min >= 10000 && t->min != 1000000;
        mostly_rows &= t->overflow == PRINTED_UNKNOWN || in_rows > (double)t->overflow;
    }
    if (!all_large)
        return;
    result->unit_is_assumed = true;
    result->unit_ns = mostly_rows || all_huge ? 1 : 1000;
    result->unit_evidence = mostly_rows ? "most samples in rows of 1000 and more: taken as ns (-N)"
                            : all_huge ? "minima of 10000 and more: taken as ns (-N), since no wakeup takes 10 ms at best"
                                       : "minima of 1000 and more, but no sign of -N: taken as us";
}

/* us, unless something says ns. */
int64_t result_unit(struct result *result)
{
    if (result->unit_ns)
        return result->unit_ns;
    result->unit_ns = 1000;
    if (tool_command_is_known(&result->command))
        result->unit_ns = result->command.is_nanoseconds ? 1 : 1000;
    else if (result->has_status && result->n_threads)
        unit_of_status(result);
    else if (result->histogram.is_there && result->n_threads)
        unit_of_histogram(result);
    return result->unit_ns;
}

/* ---- rows ---- */

/*
 * Values that cannot be latencies: a negative one wrapped (diff became unsigned in 0.72; in 32 bits on such machines, seen
 * with Xenomai's gravity), or printed as it was before.
 */
bool result_is_impossible(int64_t value)
{
    return value != PRINTED_UNKNOWN && (value < 0 || value > INT64_C(1000000000000) ||
                                        (value > UINT32_MAX - INT64_C(1000000) && value <= UINT32_MAX));
}

static int64_t to_ns(int64_t value, int64_t unit_ns)
{
    int64_t ns;
    return value == PRINTED_UNKNOWN || __builtin_mul_overflow(value, unit_ns, &ns) ? NS_UNKNOWN : ns;
}

static void note_clock_jump(struct import *import, const struct result *result, const struct thread_result *t)
{
    result_note(import, result, "clock-jump", t->line,
                "thread %lld: a negative latency (clock set back, or clocks of CPUs apart) was stored; min %lld, max %lld as printed are none",
                (long long)t->index, (long long)t->min, (long long)t->max);
    result_note(import, result, "tool-bug", t->line, "thread %lld: cyclictest stores a negative latency as a huge unsigned one",
         (long long)t->index);
}

static void fill_values(struct import *import, const struct result *result, const struct thread_result *t, struct series *s)
{
    int64_t unit = result->unit_ns;
    int64_t min = t->min, max = t->max;
    double avg = !isnan(t->exact_avg) ? t->exact_avg : t->avg == PRINTED_UNKNOWN ? NAN : (double)t->avg;
    if (t->cycles != PRINTED_UNKNOWN)
        s->n_samples = (uint64_t)t->cycles;
    if (t->cycles == 0) {
        result_note(import, result, "no-samples", t->line, "thread %lld took no sample", (long long)t->index);
        return;
    }
    bool jumped = result_is_impossible(min) || result_is_impossible(max) || (avg > 1e12) || avg < 0 ||
                  (max != PRINTED_UNKNOWN && min != PRINTED_UNKNOWN && max < min && max != 0);
    if (t->avg == INT32_MAX || t->avg == UINT32_MAX) {
        /* A double that was out of range when it became an integer: seen where single latencies were negative. */
        result_note(import, result, "sentinel-value", t->line, "thread %lld: Avg %lld is the limit of its type, not an average",
             (long long)t->index, (long long)t->avg);
        avg = NAN;
    }
    if (jumped) {
        note_clock_jump(import, result, t);
        if (result_is_impossible(max) || (min != PRINTED_UNKNOWN && max < min))
            max = PRINTED_UNKNOWN;
        if (result_is_impossible(min))
            min = PRINTED_UNKNOWN;
        avg = NAN;
    }
    if (min == 1000000) {
        /* The start value of the minimum: with -N every latency may have been above 1 ms. */
        result_note(import, result, "sentinel-value", t->line, "thread %lld: Min 1000000 is the start value, not a latency",
                    (long long)t->index);
        min = PRINTED_UNKNOWN;
    }
    s->min_ns = to_ns(min, unit);
    s->max_ns = to_ns(max, unit);
    bool is_above = s->max_ns != NS_UNKNOWN && !isnan(avg) && avg > (double)max + 1;
    bool is_below = s->min_ns != NS_UNKNOWN && !isnan(avg) && avg < (double)min && strcmp(result->tool, "cyclicdeadline") != 0;
    if (is_above || is_below) {
        result_note(import, result, "counts-mismatch", t->line, "thread %lld: average %.0f %s %lld: it cannot be true", (long long)t->index,
                    avg, is_above ? "above maximum" : "below minimum", (long long)(is_above ? max : min));
        avg = NAN;
    }
    s->avg_ns = avg * (double)unit;
}

/* Cycles asked for: -l counts for the fastest thread (the first that is done ends the run), -D for all. */
static uint64_t requested(const struct result *result, const struct series *s)
{
    const struct tool_command *c = &result->command;
    if (!tool_command_is_known(c) || s->interval_ns == NS_UNKNOWN || s->interval_ns <= 0)
        return COUNT_UNKNOWN;
    if (c->loops != COUNT_UNKNOWN) {
        int64_t shortest = s->interval_ns;
        for (size_t i = 0; i < result->n_threads; i++)
            if (result->threads[i].interval_us > 0 && result->threads[i].interval_us <= INT64_MAX / 1000 &&
                result->threads[i].interval_us * 1000 < shortest)
                shortest = result->threads[i].interval_us * 1000;
        unsigned __int128 n = (unsigned __int128)c->loops * (uint64_t)shortest / (uint64_t)s->interval_ns;
        return n > UINT32_MAX ? COUNT_UNKNOWN : (uint64_t)n;
    }
    return c->duration_ns >= s->interval_ns ? (uint64_t)(c->duration_ns / s->interval_ns) : COUNT_UNKNOWN;
}

/* Base interval (default 1 ms), longer by the distance for each further thread, but with -h all are equal. */
static int64_t interval_of_command(const struct result *result, int64_t thread)
{
    const struct tool_command *c = &result->command;
    if (strcmp(result->tool, "signaltest") == 0 || (strcmp(result->tool, "cyclictest") != 0 && c->interval_ns == NS_UNKNOWN))
        return NS_UNKNOWN; /* no period of its own, or another default */
    int64_t base_ns = c->interval_ns == NS_UNKNOWN ? 1000000 : c->interval_ns, add_ns;
    int64_t distance_ns = c->distance_ns == NS_UNKNOWN ? 500000 : c->distance_ns;
    if (c->histogram_limit > 0 || result->histogram.is_there || __builtin_mul_overflow(distance_ns, thread, &add_ns) ||
        __builtin_add_overflow(base_ns, add_ns, &add_ns))
        return base_ns;
    return add_ns;
}

static void fill_settings(const struct result *result, const struct thread_result *t, struct series *s)
{
    const struct tool_command *c = &result->command;
    if (t->tid > 0 && t->tid < INT32_MAX)
        s->tid = (int32_t)t->tid;
    s->cpu = t->cpu != CPU_UNKNOWN ? t->cpu : tool_command_cpu(c, t->index);
    if (t->priority != PRINTED_UNKNOWN)
        s->priority = (int32_t)t->priority;
    else if (c->priority != PRIO_UNKNOWN && (result->histogram.is_there || result->has_json))
        s->priority = (int32_t)c->priority; /* equal for all threads with -h, and since 0.84 anyway */
    s->policy = result->policy != POLICY_UNKNOWN ? result->policy : c->policy;
    if (s->policy == POLICY_UNKNOWN && tool_command_is_known(c) && s->priority > 0)
        s->policy = strcmp(result->tool, "cyclicdeadline") == 0 ? POLICY_DEADLINE : POLICY_FIFO;
    if (s->priority == 0)
        s->priority = PRIO_UNKNOWN;
    if (t->interval_us > 0)
        s->interval_ns = t->interval_us > INT64_MAX / 1000 ? NS_UNKNOWN : t->interval_us * 1000;
    else if (tool_command_is_known(c))
        s->interval_ns = interval_of_command(result, t->index);
    s->duration_ns = result->json_duration_ns;
}

/* What a version does with periods that a stall swallowed: replayed up to 0.91, skipped since. */
static enum omission omission_of(const struct result *result)
{
    if (result->has_json || result->histogram.is_there) {
        if (result->has_json || (!result->histogram.has_total && !result->histogram.has_zero_rows && result->histogram.has_footers))
            return OMISSION_SKIPS; /* 2.7 and later */
    }
    if (result->version[0]) {
        double version = strtod(result->version, NULL);
        return version < 0.915 ? OMISSION_REPLAYS : OMISSION_SKIPS;
    }
    for (size_t i = 0; i < result->n_threads; i++)
        if (result->threads[i].smi != PRINTED_UNKNOWN)
            return OMISSION_SKIPS; /* 0.97 */
    return OMISSION_UNKNOWN;
}

static void store_bins(struct import *import, struct result *result, struct thread_result *t)
{
    for (size_t i = 0; i < t->n_bins; i++)
        t->bins[i].low_ns *= result->unit_ns;
    store_add_bins(import->store, t->series, t->bins, t->n_bins);
    for (size_t i = 0; i < t->n_bins; i++)
        t->bins[i].low_ns /= result->unit_ns;
    store_add_overflow_cycles(import->store, t->series, t->overflow_cycles, t->n_overflow_cycles);
    t->bins_stored = true;
}

static void fill_from_samples(const struct result *result, const struct thread_result *t, struct series *s)
{
    bool is_reduced = result->command.oscope > 1 || s->is_block_maxima;
    if (t->cycles != PRINTED_UNKNOWN) {
        s->is_block_maxima = is_reduced; /* its own summary says more than the lines that got through */
    } else if (is_reduced) {
        s->is_block_maxima = true;
        s->n_samples = t->last_cycle + 1;
        s->max_ns = t->sample_max * result->unit_ns;
    } else {
        s->n_samples = t->n_lines;
        s->min_ns = t->sample_min * result->unit_ns;
        s->max_ns = t->sample_max * result->unit_ns;
        s->avg_ns = t->sample_sum / (double)t->n_lines * (double)result->unit_ns;
    }
}

static int64_t first_bucket(const struct thread_result *t)
{
    int64_t first = PRINTED_UNKNOWN;
    for (size_t i = 0; i < t->n_bins; i++)
        first = first == PRINTED_UNKNOWN || t->bins[i].low_ns < first ? t->bins[i].low_ns : first;
    return first;
}

/* What the brothers of cyclictest get wrong. */
static void judge_tool(struct import *import, const struct result *result, const struct thread_result *t, struct series *s)
{
    if (strcmp(result->tool, "cyclicdeadline") == 0 && s->min_ns != NS_UNKNOWN) {
        result_note(import, result, "tool-bug", t->line, "cyclicdeadline forgets its minimum after a sample of 0: %lld may not be the smallest",
             (long long)t->min);
        int64_t first = first_bucket(t);
        s->min_ns = first == PRINTED_UNKNOWN ? NS_UNKNOWN : first * result->unit_ns;
    }
    if (strcmp(result->tool, "signaltest") == 0 && t->index > 0)
        result_note(import, result, "tool-bug", t->line, "signaltest: thread 0 sleeps 10 ms every 16 rounds, which the others count as latency");
}

/*
 * Xenomai 2.6.4 and 2.6.5 count each cycle twice: C: is twice the samples, Avg: half the truth; rows, minimum and maximum
 * are right. Seen by rows that hold half of C: and whose mean is twice Avg:, or by an average below the minimum.
 */
static void undo_doubling(struct import *import, const struct result *result, struct thread_result *t)
{
    uint64_t sum = 0, overflow = t->overflow < 0 ? 0 : (uint64_t)t->overflow; /* unknown is negative */
    double weighted = 0;
    for (size_t i = 0; i < t->n_bins; i++) {
        sum += t->bins[i].count;
        weighted += (double)t->bins[i].low_ns * (double)t->bins[i].count;
    }
    uint64_t held = sum + overflow, cycles = t->cycles < 0 ? 0 : (uint64_t)t->cycles;
    uint64_t apart = cycles > 2 * held ? cycles - 2 * held : 2 * held - cycles;
    if (t->cycles > 0 && held < INT64_MAX / 2 && t->avg != PRINTED_UNKNOWN && result->has_status && !result->has_json && sum >= 100 &&
        overflow <= sum / 100 && apart <= 2 && weighted / (double)sum >= 4 &&
        fabs(weighted / (double)sum - 2 * (double)t->avg) <= 2.5) {
        t->cycles = (int64_t)held;
        t->avg = PRINTED_UNKNOWN;
        t->exact_avg = overflow ? NAN : weighted / (double)sum;
        t->was_doubled = true;
    }
    /* Without rows: an average below the minimum, in Xenomai's layout, whose double lies between minimum and maximum. */
    bool is_below = !result->has_json && t->avg >= 0 && t->min > 0 && t->min != 1000000 && t->avg < t->min;
    if (is_below && !t->n_bins && t->interval_is_padded && t->cycles > 1 && 2 * t->avg + 1 >= t->min && 2 * t->avg <= t->max) {
        t->cycles /= 2;
        t->avg = PRINTED_UNKNOWN;
        t->was_doubled = true;
    }
    if (t->was_doubled)
        result_note(import, result, "tool-bug", t->line, "thread %lld: Xenomai 2.6.4 and 2.6.5 count each cycle twice: C: and Avg: are set right",
             (long long)t->index);
}

/*
 * The same measurement in two files of one run (--json beside the text): the same thread with the same count and the same
 * maximum. The second only fills what the first does not know.
 */
static bool join_other_file(struct import *import, const struct result *result, struct thread_result *t, const struct series *s)
{
    uint32_t index = import_find_series(import, s->tool, s->name);
    struct series *row = index == ROW_NONE ? NULL : store_edit_series(import->store, index);
    if (!row || row->artefact == import->artefact || row->n_samples != s->n_samples || s->n_samples == COUNT_UNKNOWN ||
        row->max_ns != s->max_ns || row->resolution_ns != s->resolution_ns)
        return false;
    const char *path = store_edit_artefact(import->store, row->artefact)->path;
    size_t length = strlen(path);
    bool other_is_json = length > 5 && strcmp(path + length - 5, ".json") == 0;
    if (other_is_json == result->has_json) /* two copies are two files, as they came */
        return false;
    t->series = index;
    t->joined = true;
    if (row->tid == TID_UNKNOWN)
        row->tid = s->tid;
    if (row->cpu == CPU_UNKNOWN)
        row->cpu = s->cpu;
    if (row->policy == POLICY_UNKNOWN)
        row->policy = s->policy;
    if (row->priority == PRIO_UNKNOWN)
        row->priority = s->priority;
    if (row->interval_ns == NS_UNKNOWN)
        row->interval_ns = s->interval_ns;
    if (row->min_ns == NS_UNKNOWN)
        row->min_ns = s->min_ns;
    if (isnan(row->avg_ns))
        row->avg_ns = s->avg_ns;
    if (row->n_requested == COUNT_UNKNOWN)
        row->n_requested = s->n_requested;
    if (row->duration_ns == NS_UNKNOWN)
        row->duration_ns = s->duration_ns;
    if (row->n_overflow == COUNT_UNKNOWN)
        row->n_overflow = s->n_overflow;
    if (row->overflow_limit_ns == NS_UNKNOWN)
        row->overflow_limit_ns = s->overflow_limit_ns;
    import_note(import, "repeated", t->line, "the same results as in another file of this run: taken once");
    return true;
}

static void store_thread(struct import *import, struct result *result, struct thread_result *t)
{
    undo_doubling(import, result, t);
    struct series series = series_unknown(), *s = &series;
    char name[24];
    snprintf(name, sizeof name, "T%lld", (long long)t->index);
    s->name = name;
    s->tool = result->tool;
    s->comm = result->tool;
    s->path = strcmp(result->tool, "signaltest") == 0 ? PATH_CALL_DURATION : PATH_TIMER_WAKEUP;
    s->resolution_ns = result->unit_ns;
    s->unit_evidence = result->unit_evidence;
    s->omission = omission_of(result);
    fill_settings(result, t, s);
    s->n_requested = requested(result, s);
    fill_values(import, result, t, s);
    if (result->histogram.is_there) {
        bins_fill(import, result, t, s);
        bins_check(import, result, t, s);
    }
    judge_tool(import, result, t, s);
    if (result->unit_is_assumed)
        result_note(import, result, "unit-assumed", t->line, "%s", result->unit_evidence);
    if (t->series == ROW_NONE && join_other_file(import, result, t, s))
        return;
    if (t->joined)
        return;
    if (t->series == ROW_NONE) {
        t->series = import_series(import, s);
        result->run = import->run;
    }
    struct series *row = store_edit_series(import->store, t->series);
    series.run = row->run;
    series.artefact = row->artefact;
    series.is_block_maxima = row->is_block_maxima;
    if (t->n_lines) {
        series.has_times = false;
        fill_from_samples(result, t, s);
    }
    s->name = row->name;
    if (strcmp(row->tool, result->tool) != 0)
        import_series_renamed(import);
    s->tool = s->comm = store_keep(import->store, result->tool);
    s->unit_evidence = s->unit_evidence ? store_keep(import->store, s->unit_evidence) : NULL;
    *row = series;
    if ((t->n_bins || t->n_overflow_cycles) && !t->bins_stored)
        store_bins(import, result, t);
}

static void store_rows(struct import *import, struct result *result)
{
    if (!result->is_open || (!result->n_threads && !result->has_break))
        return;
    uint32_t run = import->run;
    import->run = result->run;
    result_unit(result);
    for (size_t i = 0; i < result->n_threads; i++)
        store_thread(import, result, &result->threads[i]);
    tool_command_facts(import, result->tool, &result->command);
    if (result->load_average[0])
        import_fact(import, "load.average", "%s", result->load_average);
    if (result->has_header && policy_name(result->policy)) {
        char key[64];
        snprintf(key, sizeof key, "%s.policy", result->tool);
        import_fact(import, key, "%s", policy_name(result->policy));
    }
    if (result->version[0])
        import_tool_version(import, "%s", result->version);
    if (run > import->run)
        import->run = run;
}

void result_store(struct import *import, struct result *result)
{
    store_rows(import, result);
}

/* 0.75 to 1.9 name the first thread that hit the limit, but the value of the last. */
static void check_break(struct import *import, const struct result *result)
{
    if (!result->is_open || !result->break_tid || !result->break_value)
        return;
    for (size_t i = 0; i < result->n_threads; i++) {
        const struct thread_result *t = &result->threads[i];
        /* A sample of the thread's after the hit may be larger still; a smaller maximum, or its only sample, cannot. */
        bool contradicts = t->max != PRINTED_UNKNOWN && (t->max < result->break_value || (t->cycles == 1 && t->max != result->break_value));
        if (t->tid == result->break_tid && contradicts)
            import_note(import, "tool-bug", result->line,
                        "the break value %lld is not of thread %lld, whose maximum is %lld: rt-tests 0.75 to 1.9 mix two threads up",
                        (long long)result->break_value, (long long)result->break_tid, (long long)t->max);
    }
}

/* "-t 8", and the lines of three threads: the others may hold the worst. */
static void check_threads(struct import *import, const struct result *result)
{
    int64_t asked = result->command.n_threads;
    if (!result->is_open || !result->has_status || !tool_command_is_known(&result->command) || result->command.is_mention ||
        asked <= 0 || (uint64_t)asked <= result->n_threads)
        return;
    uint32_t run = import->run;
    import->run = result->run;
    import_note(import, "entries-missing", result->line, "%lld threads were asked for, lines of %zu are here", (long long)asked, result->n_threads);
    import->run = run;
}

void result_close(struct import *import, struct result *result)
{
    result->is_complete = true;
    store_rows(import, result);
    check_break(import, result);
    check_threads(import, result);
    result_clear(result);
}
