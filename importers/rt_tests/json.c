/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --json of the rt-tests tools with thread objects of their own (2.0 and later): pmqtest and its like, rt-migrate-test;
 * and those that only have a head: ssdd, pi_stress. (cyclictest, cyclicdeadline, signaltest: importers/cyclictest;
 * oslat: importers/oslat.c.)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importers/rt_tests.h"

static struct probe_result json_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    lines_peek(lines, 0, &line);
    if (!line_starts(&line, "{") || !json_block_has(lines, "rt_test_version:"))
        return (struct probe_result){NOT_MINE, NULL};
    static const char *const tools[] = {"pmqtest", "ptsematest", "sigwaittest", "svsematest", "rt-migrate-test", "ssdd", "pi_stress"};
    for (size_t k = 0; k < 8 && lines_peek(lines, k, &line); k++)
        for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
            if (line_has(&line, "\"cmdline") && line_has(&line, tools[i]))
                return (struct probe_result){LIKELY + 5, NULL};
    return (struct probe_result){UNLIKELY, NULL};
}

static int64_t us_to_ns(const json_t *object, const char *key)
{
    int64_t value;
    return json_whole(object, key, &value) && value >= 0 && value < UINT32_MAX ? value * 1000 : NS_UNKNOWN;
}

static void add_values(const json_t *object, struct series *series)
{
    series->resolution_ns = 1000;
    series->path = PATH_CALL_DURATION;
    series->min_ns = us_to_ns(object, "min");
    series->max_ns = us_to_ns(object, "max");
    series->avg_ns = json_number(object, "avg") * 1000;
}

static void add_pair(struct import *import, const char *tool, uint32_t index, const json_t *thread)
{
    const json_t *sender = json_object_get(thread, "sender"), *receiver = json_object_get(thread, "receiver");
    struct series series = series_unknown();
    char name[48];
    int64_t number;
    /* As the text output numbers its threads: receivers even, senders odd. */
    snprintf(name, sizeof name, "%llu -> %llu", 2ULL * index + 1, 2ULL * index);
    series.name = name;
    series.tool = tool;
    add_values(receiver, &series);
    if (json_whole(receiver, "priority", &number) && number > 0 && number < 100)
        series.priority = (int32_t)number;
    if (json_whole(receiver, "cpu", &number) && number >= 0 && number < 65536)
        series.cpu = (int32_t)number;
    if (json_whole(sender, "samples", &number) && number >= 0)
        series.n_samples = (uint64_t)number;
    series.interval_ns = us_to_ns(sender, "interval");
    if (series.n_samples == 0) {
        series.min_ns = series.max_ns = NS_UNKNOWN;
        series.avg_ns = NAN;
    }
    import_series(import, &series);
}

static void add_migrated(struct import *import, uint32_t index, const json_t *thread)
{
    struct series series = series_unknown();
    char name[32];
    int64_t number;
    snprintf(name, sizeof name, "Task %u", index);
    series.name = name;
    series.tool = "rt-migrate-test";
    add_values(thread, &series);
    if (json_whole(thread, "prio", &number) && number > 0 && number < 100)
        series.priority = (int32_t)number;
    series.policy = POLICY_FIFO;
    import_series(import, &series);
}

/* The key of a thread's object is its number; one that cannot be a number of a thread is replaced by its place. */
static uint32_t number_of_thread(const char *key, uint32_t place)
{
    int64_t number = strtoll(key, NULL, 10);
    return number >= 0 && number < UINT32_MAX ? (uint32_t)number : place;
}

static enum status json_read(struct import *import, struct lines *lines, struct error *error)
{
    uint64_t first = lines_number(lines);
    bool is_cut;
    json_t *json = json_block_load(import, lines, &is_cut, error);
    if (!json)
        return FAILED;
    struct rt_tests_head head;
    rt_tests_read_head(json, &head);
    const char *tool = head.tool ? head.tool : "rt-tests", *key;
    json_t *thread;
    uint32_t n_threads = 0;
    if (is_cut)
        import_note(import, "file-truncated", first, "the JSON ends early");
    if (import_has_series(import, tool))
        import_new_run(import, NULL);
    json_object_foreach(json_object_get(json, "thread"), key, thread)
    {
        uint32_t number = number_of_thread(key, n_threads++);
        if (json_object_get(thread, "receiver"))
            add_pair(import, tool, number, thread);
        else if (json_object_get(thread, "total"))
            add_migrated(import, number, thread);
    }
    int64_t inversions;
    if (json_whole(json, "inversion", &inversions))
        import_fact(import, "pi_stress.inversions", "%lld", (long long)inversions);
    rt_tests_facts(import, json, &head);
    tool_command_facts(import, tool, &head.command);
    json_decref(json);
    return OK;
}

static const char *const rt_tests_json_marks[] = {"^{", NULL};

const struct importer importer_rt_tests_json = {
    .name = "rt-tests-json",
    .summary = "--json of pmqtest, ptsematest, sigwaittest, svsematest, rt-migrate-test, ssdd, pi_stress",
    .reads = "rt-tests 2.0 and later",
    .probe_lines = json_probe,
    .read_lines = json_read,
    .marks = rt_tests_json_marks,
};
