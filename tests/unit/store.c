/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store/: what is written is read back, field by field; the merge of CPUs and their states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/memory.h"
#include "store/store.h"
#include "store/writer.h"

static struct store *reopen(struct store_writer *writer)
{
    struct error error = {0};
    int fd = store_writer_finish_fd(writer, &error);
    if (fd < 0)
        fail_msg("%s", error.text);
    struct store *store = store_open_fd(fd, "test.wl", &error);
    if (!store)
        fail_msg("%s", error.text);
    return store;
}

static struct store_writer *new_writer(void)
{
    struct error error = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    if (!writer)
        fail_msg("%s", error.text);
    return writer;
}

static void add_switch(struct event_batch *batch, int64_t time_ns, int32_t prev, int32_t next, const char *comm)
{
    uint32_t *w = event_batch_add(batch, time_ns, prev, KIND_SCHED_SWITCH, flags_make(FLAG_IRQS_OFF, 2, 0), 7);
    w[1] = (uint32_t)prev;
    w[2] = 120;
    w[3] = 'S';
    event_batch_set_string(batch, &w[4], event_batch_intern(batch, comm, strlen(comm)));
    w[5] = (uint32_t)next;
    w[6] = 98;
}

static void samples_come_back(void **state)
{
    (void)state;
    struct store_writer *writer = new_writer();
    uint32_t run = store_add_run(writer, &(struct run){.label = "a", .group = 3});
    uint32_t artefact = store_add_artefact(writer, &(struct artefact){.run = run, .path = "a.txt", .format = "x"});
    struct series row = {.run = run, .artefact = artefact, .name = "T0", .avg_ns = 1.5, .max_ns = 77, .min_ns = NS_UNKNOWN};
    uint32_t series = store_add_series(writer, &row);
    for (uint64_t i = 0; i < 40000; i++)
        store_add_sample(writer, series, &(struct sample){i < 20000 ? NS_UNKNOWN : (int64_t)i * 10, i < 30000 ? i : i + 7, (int64_t)(i * i % 997)});
    store_add_bins(writer, series, (struct bin[]){{5, 1}, {3, 2}, {5, 4}, {9, 0}}, 4);
    store_add_overflow_cycles(writer, series, (uint64_t[]){8, 5}, 2);
    struct store *store = reopen(writer);
    assert_int_equal(store->n_series, 1);
    assert_string_equal(store->series[0].name, "T0");
    assert_true(store->series[0].avg_ns == 1.5 && store->series[0].min_ns == NS_UNKNOWN);
    assert_int_equal(store->runs[0].group, 3);
    assert_int_equal(store_count_samples(store, 0), 40000);
    uint64_t at = 0;
    for (size_t c = 0; c < store_count_sample_chunks(store, 0); c++) {
        struct sample_view view;
        assert_int_equal(store_sample_chunk(store, 0, c, &view, NULL), OK);
        for (size_t i = 0; i < view.n; i++, at++) {
            assert_int_equal(view.latency_ns[i], at * at % 997);
            assert_int_equal(view.cycle ? view.cycle[i] : view.first_cycle + i, at < 30000 ? at : at + 7);
            assert_int_equal(view.time_ns ? view.time_ns[i] : NS_UNKNOWN, at < 20000 ? NS_UNKNOWN : (int64_t)at * 10);
        }
    }
    assert_int_equal(at, 40000);
    size_t n;
    const struct bin *bins = store_bins(store, 0, &n);
    assert_int_equal(n, 2);
    assert_true(bins[0].low_ns == 3 && bins[0].count == 2 && bins[1].low_ns == 5 && bins[1].count == 5);
    const uint64_t *cycles = store_overflow_cycles(store, 0, &n);
    assert_true(n == 2 && cycles[0] == 8 && cycles[1] == 5);
    store_close(store);
}

/* Before a chunk is widened, and from what was. */
static void expect_times_alone(const struct store *store)
{
    int64_t *time_ns = memory_resize(NULL, EVENTS_PER_CHUNK, sizeof *time_ns);
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t c = 0; c < store->n_event_chunks; c++) {
            struct event_view view;
            assert_true(store->event_chunks[c].n <= EVENTS_PER_CHUNK);
            memset(time_ns, 0, EVENTS_PER_CHUNK * sizeof *time_ns);
            assert_int_equal(store_event_times(store, c, time_ns, NULL), OK);
            assert_int_equal(store_event_view(store, c, &view, NULL), OK);
            assert_memory_equal(time_ns, view.time_ns, view.n * sizeof *time_ns);
        }
    free(time_ns);
}

static void events_are_merged_with_their_states(void **state)
{
    (void)state;
    struct store_writer *writer = new_writer();
    uint32_t run = store_add_run(writer, &(struct run){.label = "a"});
    uint32_t artefact = store_add_artefact(writer, &(struct artefact){.run = run, .path = "t"});
    uint32_t stream = store_add_stream(writer, &(struct stream){.run = run, .artefact = artefact, .clock = "mono"});
    struct event_sink *sink = event_sink_new(writer, stream);
    event_sink_set_flags_known(sink, FLAG_IRQS_OFF | FLAG_PREEMPT_DEPTH);
    enum { N = 50000 };
    for (int i = 0; i < N; i++)
        for (int cpu = 0; cpu < 3; cpu++)
            add_switch(event_sink_batch(sink, cpu), i / 100 * 1000 + cpu, i + cpu, i + cpu + 1, i % 2 ? "swapper" : "a-rather-long-task-name");
    event_sink_free(sink);
    struct store *store = reopen(writer);
    assert_int_equal(store->n_events, 3 * N);
    assert_int_equal(store->streams[0].n_events, 3 * N);
    assert_int_equal(store->streams[0].n_cpus_seen, 3);
    expect_times_alone(store);
    struct error error = {0};
    struct event_merge *merge = event_merge_new(store, 0, ROW_NONE, INT64_MIN, INT64_MAX, &error);
    struct event_ref ref;
    int64_t last = -1;
    int count[3] = {0};
    while (event_merge_next(merge, &ref)) {
        assert_true(event_time_ns(&ref) >= last);
        last = event_time_ns(&ref);
        assert_int_equal(event_words(&ref)[5], count[ref.cpu]++ + ref.cpu + 1);
    }
    assert_true(count[0] == N && count[1] == N && count[2] == N);
    event_merge_free(merge);
    merge = event_merge_new(store, 0, stream, 400000, 400001, &error);
    const struct cpu_state *before = event_merge_state(merge, 1);
    assert_int_equal(before->tid, 40001);
    assert_string_equal(store_string(store, before->comm), "swapper");
    assert_null(event_merge_state(merge, 3));
    int n = 0;
    while (event_merge_next(merge, &ref))
        n++;
    assert_int_equal(n, 200);
    assert_int_equal(event_merge_status(merge), OK);
    event_merge_free(merge);
    char text[200];
    struct event_view view;
    assert_int_equal(store_event_view(store, 0, &view, &error), OK);
    event_format(store, &view, 1, text, sizeof text);
    assert_string_equal(text, "sched_switch: prev_comm=? prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=2 next_prio=98");
    store_close(store);
}

/* Written in any order, a run's series are one range and its facts one list; a run without any has an empty one. */
static void rows_of_a_run_are_a_range(void **state)
{
    (void)state;
    static const uint32_t runs[] = {2, 0, 2, 3, 0, 2};
    static const struct row_range expected[] = {{0, 2}, {2, 2}, {2, 5}, {5, 6}};
    struct store_writer *writer = new_writer();
    for (size_t i = 0; i < 4; i++)
        store_add_run(writer, &(struct run){.label = "run"});
    uint32_t artefact = store_add_artefact(writer, &(struct artefact){.path = "file", .format = "cyclictest"});
    static const char *const values[] = {"0", "1", "2", "3", "4", "5"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        store_add_series(writer, &(struct series){.run = runs[i], .artefact = artefact, .name = "T", .tool = "cyclictest", .avg_ns = NAN});
        store_add_fact(writer, &(struct fact){.run = runs[i], .artefact = artefact, .key = "load", .value = values[i]});
    }
    struct store *store = reopen(writer);
    for (uint32_t run = 0; run < 4; run++) {
        struct row_range rows = store_series_of_run(store, run);
        size_t n;
        const struct fact *const *facts = store_facts_of_run(store, run, &n);
        assert_int_equal(rows.begin, expected[run].begin);
        assert_int_equal(rows.end, expected[run].end);
        assert_int_equal(n, rows.end - rows.begin);
        for (uint32_t i = rows.begin; i < rows.end; i++) {
            assert_int_equal(store->series[i].run, run);
            assert_int_equal(facts[i - rows.begin]->run, run);
        }
    }
    struct row_range none = store_series_of_run(store, ROW_NONE);
    assert_int_equal(none.begin, none.end);
    size_t n;
    store_facts_of_run(store, 4, &n);
    assert_int_equal(n, 0);
    assert_string_equal(store_fact(store, 2, "load")->value, "0"); /* the first of them */
    assert_string_equal(store_fact(store, 0, "load")->value, "1");
    assert_null(store_fact(store, 1, "load"));
    store_close(store);
}

/* Bytes of a file of n traces of one event each. */
static off_t size_of_short_traces(uint32_t n)
{
    struct store_writer *writer = new_writer();
    struct error error = {0};
    struct stat status;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t run = store_add_run(writer, &(struct run){.label = "a run of its own"});
        uint32_t artefact = store_add_artefact(writer, &(struct artefact){.run = run, .path = "t"});
        uint32_t stream = store_add_stream(writer, &(struct stream){.run = run, .artefact = artefact, .clock = "mono"});
        struct event_sink *sink = event_sink_new(writer, stream);
        add_switch(event_sink_batch(sink, 0), i, 1, 2, "swapper");
        event_sink_free(sink);
    }
    int fd = store_writer_finish_fd(writer, &error);
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    struct store *store = store_open_fd(fd, "test.wl", &error);
    assert_true(store && store->n_streams == n && store->n_events == n && store->streams[n - 1].n_events == 1);
    store_close(store);
    return status.st_size;
}

/* A table of all rows for each of them would take bytes and time that grow with the square. */
static void short_traces_take_room_by_their_number(void **state)
{
    (void)state;
    off_t few = size_of_short_traces(2000), many = size_of_short_traces(8000);
    assert_true(many < 6 * few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_traces_take_room_by_their_number), cmocka_unit_test(samples_come_back), cmocka_unit_test(rows_of_a_run_are_a_range),
                                       cmocka_unit_test(events_are_merged_with_their_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
