/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store FOLDER: rates of the run file on this machine, medians of five: fill and commit of events, samples, checksum,
 * first pass (with all checks), second pass and open. FOLDER should be on tmpfs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "store/store.h"
#include "store/writer.h"

enum { N_ROUNDS = 5, N_CPUS = 4 };

/* Processor time: other programs on the machine do not count. */
static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_rate(const char *what, double amount, double *seconds, const char *unit)
{
    qsort(seconds, N_ROUNDS, sizeof *seconds, compare_doubles);
    printf("%-34s %8.1f %s   (%.1f to %.1f)\n", what, amount / seconds[N_ROUNDS / 2] / 1e6, unit,
           amount / seconds[N_ROUNDS - 1] / 1e6, amount / seconds[0] / 1e6);
}

static void fail(const struct error *error)
{
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

/* sched_switches of N_CPUS, each with two comms of a few; in bursts of one CPU. */
static double write_events(const char *path, size_t n, bool only_fill)
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
    double begin = now_s();
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
    return now_s() - begin;
}

static double write_samples(const char *path, size_t n)
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
    double begin = now_s();
    for (size_t i = 0; i < n; i++)
        store_add_sample(writer, series[i & 3], &(struct sample){NS_UNKNOWN, i >> 2, (int64_t)(i % 997) * 1000});
    if (store_writer_finish(writer, &error) != OK)
        fail(&error);
    return now_s() - begin;
}

static double merge_all(const struct store *store, size_t *n)
{
    struct error error = {0};
    double begin = now_s();
    struct event_merge *merge = event_merge_new(store, 0, ROW_NONE, INT64_MIN, INT64_MAX, &error);
    struct event_ref ref;
    int64_t sum = 0;
    *n = 0;
    while (event_merge_next(merge, &ref)) {
        sum += event_time_ns(&ref);
        ++*n;
    }
    if (event_merge_status(merge) != OK || sum == 1)
        fail(&error);
    event_merge_free(merge);
    return now_s() - begin;
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000000, n_merged = 0;
    char path[4096];
    snprintf(path, sizeof path, "%s/bench-store.wl", argc > 1 ? argv[1] : "/dev/shm");
    double fill[N_ROUNDS], write[N_ROUNDS], first[N_ROUNDS], second[N_ROUNDS], open[N_ROUNDS], samples[N_ROUNDS], crc[N_ROUNDS];
    size_t crc_bytes = 1u << 20;
    unsigned char *bytes = malloc(crc_bytes);
    memset(bytes, 5, crc_bytes);
    uint32_t sum = 0;
    for (int i = 0; i < N_ROUNDS; i++) {
        struct error error = {0};
        fill[i] = write_events(path, n, true);
        write[i] = write_events(path, n, false);
        double begin = now_s();
        struct store *store = store_open(path, &error);
        if (!store)
            fail(&error);
        open[i] = now_s() - begin;
        first[i] = merge_all(store, &n_merged);
        second[i] = merge_all(store, &n_merged);
        if (n_merged != n)
            return 1;
        store_close(store);
        samples[i] = write_samples(path, n);
        begin = now_s();
        for (int k = 0; k < 100; k++)
            sum = crc32c(sum, bytes, crc_bytes);
        crc[i] = now_s() - begin;
    }
    unlink(path);
    free(bytes);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    print_rate("events filled", (double)n, fill, "M events/s");
    print_rate("events filled and committed", (double)n, write, "M events/s");
    for (int i = 0; i < N_ROUNDS; i++)
        write[i] -= fill[i] < write[i] ? fill[i] : 0;
    print_rate("events committed (difference)", (double)n, write, "M events/s");
    print_rate("merge, first pass with checks", (double)n, first, "M events/s");
    print_rate("merge, second pass", (double)n, second, "M events/s");
    print_rate("samples", (double)n, samples, "M samples/s");
    print_rate("CRC-32C", 100.0 * (double)crc_bytes, crc, "MB/s");
    qsort(open, N_ROUNDS, sizeof *open, compare_doubles);
    printf("%-34s %8.3f ms\n", "open", open[N_ROUNDS / 2] * 1e3);
    printf("%-34s %8.1f MB\n", "peak resident", (double)usage.ru_maxrss / 1024);
    return sum == 1;
}
