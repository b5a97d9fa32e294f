/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tests/bench/store.bench times: the run file without importers.
 *
 *     store fill|commit|samples FILE N    events filled only; filled and committed; samples written
 *     store merge FILE N                  all events in time order, with all checks, then N - 1 times more
 *     store open FILE N                   opened N times
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "store/writer.h"

enum { N_CPUS = 4 };

static void fail(const struct error *error)
{
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

/* sched_switches of N_CPUS, each with two comms of a few; in bursts of one CPU. */
static void write_events(const char *path, size_t n, bool only_fill)
{
    static const char *const comms[] = {"swapper/0", "cyclictest", "ksoftirqd/1", "kworker/0:1H", "hackbench", "sshd"};
    struct error error = {0};
    struct store_writer *writer = store_writer_new(path, &error);
    if (!writer)
        fail(&error);
    store_writer_no_sync(writer);
    uint32_t run = store_add_run(writer, &(struct run){.label = "bench"});
    uint32_t artefact = store_add_artefact(writer, &(struct artefact){.run = run, .path = "bench"});
    uint32_t stream = store_add_stream(writer, &(struct stream){.run = run, .artefact = artefact});
    struct event_batch *batches[N_CPUS];
    for (int cpu = 0; cpu < N_CPUS; cpu++)
        batches[cpu] = event_batch_new();
    int cpu = 0;
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        if (!(i % 13))
            cpu = (cpu + 1) % N_CPUS;
        struct event_batch *batch = batches[cpu];
        x = x * 1664525u + 1013904223u;
        uint32_t *w = event_batch_add(batch, (int64_t)i * 300, (int32_t)(x >> 20), KIND_SCHED_SWITCH,
                                      flags_make(FLAG_IRQS_OFF, 2, 0), 7);
        const char *prev = comms[x >> 24 & 3], *next = comms[(x >> 26) % 6];
        event_batch_set_string(batch, &w[0], event_batch_intern(batch, prev, strlen(prev)));
        w[1] = x >> 20;
        w[2] = 120;
        w[3] = 'S';
        event_batch_set_string(batch, &w[4], event_batch_intern(batch, next, strlen(next)));
        w[5] = x >> 21;
        w[6] = 98;
        if (event_batch_is_full(batch)) {
            if (only_fill)
                event_batch_clear(batch);
            else
                store_commit_events(writer, stream, cpu, batch);
        }
    }
    for (cpu = 0; cpu < N_CPUS; cpu++) {
        store_commit_events(writer, stream, cpu, batches[cpu]);
        event_batch_free(batches[cpu]);
    }
    if (store_writer_finish(writer, &error) != OK)
        fail(&error);
}

static void write_samples(const char *path, size_t n)
{
    struct error error = {0};
    struct store_writer *writer = store_writer_new(path, &error);
    if (!writer)
        fail(&error);
    store_writer_no_sync(writer);
    uint32_t run = store_add_run(writer, &(struct run){.label = "bench"});
    uint32_t artefact = store_add_artefact(writer, &(struct artefact){.run = run, .path = "bench"});
    uint32_t series[4];
    for (int i = 0; i < 4; i++)
        series[i] = store_add_series(writer, &(struct series){.run = run, .artefact = artefact});
    for (size_t i = 0; i < n; i++)
        store_add_sample(writer, series[i & 3], &(struct sample){NS_UNKNOWN, i >> 2, (int64_t)(i % 997) * 1000});
    if (store_writer_finish(writer, &error) != OK)
        fail(&error);
}

static void merge_all(const struct store *store)
{
    struct error error = {0};
    struct event_merge *merge = event_merge_new(store, 0, ROW_NONE, INT64_MIN, INT64_MAX, &error);
    struct event_ref ref;
    uint64_t n = 0;
    while (event_merge_next(merge, &ref))
        n++;
    if (event_merge_status(merge) != OK || n != store->n_events)
        fail(&error);
    event_merge_free(merge);
}

static struct store *open_store(const char *path)
{
    struct error error = {0};
    struct store *store = store_open(path, &error);
    if (!store)
        fail(&error);
    return store;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const char *what = argv[1], *path = argv[2];
    size_t n = strtoull(argv[3], NULL, 10);
    if (!strcmp(what, "fill") || !strcmp(what, "commit"))
        write_events(path, n, !strcmp(what, "fill"));
    else if (!strcmp(what, "samples"))
        write_samples(path, n);
    else if (!strcmp(what, "merge")) {
        struct store *store = open_store(path);
        for (size_t i = 0; i < n; i++)
            merge_all(store);
        store_close(store);
    } else
        for (size_t i = 0; i < n; i++)
            store_close(open_store(path));
    return 0;
}
