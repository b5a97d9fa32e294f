/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --json of cyclictest, cyclicdeadline and signaltest (1.11-rc0 and later): thread objects with cycles, min, max, avg,
 * maybe cpu, node and a histogram. There is no overflow count: what the histogram lacks against the cycles is beyond it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cyclictest/cyclictest.h"
#include "importers/rt_tests.h"

bool cyclictest_json_begins(struct lines *lines)
{
    struct line line;
    if (!lines_peek(lines, 0, &line) || !line_starts(&line, "{"))
        return false;
    return json_block_has(lines, "rt_test_version:") || json_block_has(lines, "rt_test_version") || json_block_has(lines, "num_threads");
}

bool json_is_other_tool(struct lines *lines)
{
    struct line line;
    for (size_t k = 0; k < 30 && lines_peek(lines, k, &line); k++) {
        if (!line_has(&line, "\"cmdline"))
            continue;
        static const char *const others[] = {"oslat ", "pmqtest ", "ptsematest ", "sigwaittest ", "svsematest ", "rt-migrate-test ",
                                             "ssdd ", "pi_stress ", "queuelat ", "deadline_test ", "pip_stress ", "hackbench "};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (line_has(&line, others[i]))
                return true;
    }
    return false;
}

static int64_t whole_or_unknown(const json_t *thread, const char *key)
{
    int64_t value;
    return json_whole(thread, key, &value) ? value : PRINTED_UNKNOWN;
}

static enum status take_histogram(struct import *import, const json_t *histogram, struct thread_result *t, uint64_t line, struct error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)histogram, key, value)
    {
        char *end;
        long long bucket = strtoll(key, &end, 10);
        if (*end || end == key || !json_is_integer(value) || bucket > INT64_MAX / 1000000) { /* in ns it must fit */
            import_note(import, "damaged-lines", line, "bucket '%.40s' of a JSON histogram is not understood", key);
            continue;
        }
        if (bucket < 0 || json_integer_value(value) < 0)
            return error_input(error, "%s:%llu: bucket '%.40s' or its count is negative", import->member->path,
                               (unsigned long long)line, key);
        memory_reserve(t->bins, t->bins_capacity, t->n_bins + 1);
        t->bins[t->n_bins++] = (struct bin){.low_ns = bucket, .count = (uint64_t)json_integer_value(value)};
    }
    return OK;
}

/* Cycles that the histogram lacks are beyond its limit: said, because the JSON itself does not. */
static void note_overflow(struct import *import, const struct thread_result *t, uint64_t line)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->n_bins; i++)
        sum += t->bins[i].count;
    if (t->cycles == PRINTED_UNKNOWN || t->cycles < 0)
        return;
    if ((uint64_t)t->cycles > sum)
        import_note_n(import, "overflow-hidden", (uint64_t)t->cycles - sum, line,
                      "thread %lld: %llu of %lld samples are in no bucket of the histogram", (long long)t->index,
                      (unsigned long long)((uint64_t)t->cycles - sum), (long long)t->cycles);
    else if ((uint64_t)t->cycles < sum)
        import_note(import, "counts-mismatch", line, "thread %lld: the histogram holds %llu samples, more than its %lld cycles",
                    (long long)t->index, (unsigned long long)sum, (long long)t->cycles);
}

static enum status read_thread(struct import *import, struct result *result, int64_t index, const json_t *json, uint64_t line,
                               struct error *error)
{
    struct thread_result *t = result_thread(result, index);
    int64_t cpu;
    if (!t || !json_is_object(json))
        return OK;
    t->line = line;
    t->cycles = whole_or_unknown(json, "cycles");
    t->min = whole_or_unknown(json, "min");
    t->max = whole_or_unknown(json, "max");
    t->exact_avg = json_number(json, "avg");
    if (json_whole(json, "cpu", &cpu) && cpu >= 0 && cpu < 65536)
        t->cpu = (int32_t)cpu;
    const json_t *histogram = json_object_get(json, "histogram");
    if (json_object_size(histogram) == 0 && !(histogram && result->command.histogram_limit > 0))
        return OK;
    result->histogram.is_there = true;
    result->histogram.has_footers = true;
    result->histogram.last_bucket = -1;
    result->histogram.line = line;
    if (take_histogram(import, histogram, t, line, error) == FAILED)
        return FAILED;
    note_overflow(import, t, line);
    return OK;
}

enum status cyclictest_json_read(struct import *import, struct cyclictest_state *state, struct lines *lines, struct error *error)
{
    uint64_t first = lines_number(lines);
    bool is_cut;
    json_t *json = json_block_load(import, lines, &is_cut, error);
    if (!json)
        return FAILED;
    enum status status = OK;
    struct rt_tests_head head;
    rt_tests_read_head(json, &head);
    struct result *result = &state->result;
    result_begin(import, state, head.tool ? head.tool : "cyclictest", first);
    result->has_json = true;
    result->command = head.command;
    result->json_duration_ns = head.duration_ns;
    if (is_cut)
        import_note(import, "file-truncated", first, "the JSON ends early");
    if (head.return_code > 0)
        import_note(import, "run-interrupted", first, "the tool ended with return code %lld", (long long)head.return_code);
    int64_t is_ns = 0;
    result->unit_ns = json_whole(json, "resolution_in_ns", &is_ns) && is_ns == 1 ? 1 : 1000;
    const char *key;
    json_t *thread;
    json_object_foreach(json_object_get(json, "thread"), key, thread)
    {
        status = read_thread(import, result, strtoll(key, NULL, 10), thread, first, error);
        if (status == FAILED)
            break;
    }
    if (strcmp(result->tool, "signaltest") == 0) /* prints the CPU of thread 0 for all */
        for (size_t i = 0; i < result->n_threads; i++)
            result->threads[i].cpu = result->threads[i].index ? CPU_UNKNOWN : result->threads[i].cpu;
    if (status != FAILED) {
        result_store(import, result);
        uint32_t run = import->run;
        import->run = result->run;
        rt_tests_facts(import, json, &head);
        import->run = run;
    }
    json_decref(json);
    return status;
}
