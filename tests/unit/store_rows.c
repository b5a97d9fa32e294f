/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store/: every member of every row, sample and event comes back; copies are equal; equal inputs give equal bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "store/copy.h"
#include "tests/store_fixture.h"

static struct store *open_finished(struct store_writer *writer, int *fd_out)
{
    struct error error = {0};
    int fd = store_writer_finish_fd(writer, &error);
    if (fd < 0)
        fail_msg("%s", error.text);
    if (fd_out)
        *fd_out = dup(fd);
    struct store *store = store_open_fd(fd, "test.wl", &error);
    if (!store)
        fail_msg("%s", error.text);
    return store;
}

static struct store *fixture_store(struct fixture *f, bool compress, int *fd)
{
    struct error error = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    assert_non_null(writer);
    store_writer_set_compression(writer, compress);
    fixture_write(f, writer, 400, 20000);
    return open_finished(writer, fd);
}

static void same_string(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

/* Members that the writer fills, and references that the reader renumbers, are not compared here. */
static bool is_compared(enum row_table_id id, const char *name)
{
    return !(id == TABLE_STREAMS && (!strcmp(name, "n_events") || !strcmp(name, "begin_ns") || !strcmp(name, "end_ns") ||
                                     !strcmp(name, "n_cpus_seen"))) &&
           !(id == TABLE_CLAIMS && !strcmp(name, "series"));
}

static void same_row(enum row_table_id id, const void *a, const void *b)
{
    for (size_t i = 0; i < row_tables[id].n_fields; i++) {
        const struct row_field *field = &row_tables[id].fields[i];
        const char *x = (const char *)a + field->offset, *y = (const char *)b + field->offset;
        const char *s, *t;
        static const size_t bytes[] = {[FIELD_U32] = 4, [FIELD_I32] = 4, [FIELD_I64] = 8, [FIELD_U64] = 8, [FIELD_F64] = 8,
                                       [FIELD_BOOL] = sizeof(bool), [FIELD_HEX] = 65, [FIELD_DECIMAL] = sizeof(struct decimal)};
        if (!is_compared(id, field->name))
            continue;
        if (field->type == FIELD_STRING) {
            memcpy(&s, x, sizeof s);
            memcpy(&t, y, sizeof t);
            same_string(s, t);
        } else if (memcmp(x, y, bytes[field->type]))
            fail_msg("%s.%s differs", row_tables[id].name, field->name);
    }
}

static void same_rows(const struct fixture *f, enum row_table_id id, const void *rows, size_t n)
{
    assert_int_equal(n, f->n_rows[id]);
    for (size_t i = 0; i < n; i++)
        same_row(id, (const char *)f->rows[id] + i * row_tables[id].row_size, (const char *)rows + i * row_tables[id].row_size);
}

static uint32_t rank_of_series(const struct fixture *f, uint32_t series)
{
    const struct series *rows = f->rows[TABLE_SERIES];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < f->n_rows[TABLE_SERIES]; i++)
        rank += rows[i].run < rows[series].run || (rows[i].run == rows[series].run && i < series);
    return rank;
}

static void check_samples(const struct store *store, uint32_t row, uint32_t written_as, uint64_t n)
{
    uint64_t at = 0;
    for (size_t c = 0; c < store_count_sample_chunks(store, row); c++) {
        struct sample_view view;
        assert_int_equal(store_sample_chunk(store, row, c, &view, NULL), OK);
        for (size_t i = 0; i < view.n; i++, at++) {
            struct sample want = fixture_sample(written_as, at);
            uint64_t cycle = view.cycle ? view.cycle[i] : view.first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN : view.first_cycle + i;
            assert_true(view.latency_ns[i] == want.latency_ns && cycle == want.cycle);
            assert_true((view.time_ns ? view.time_ns[i] : NS_UNKNOWN) == want.time_ns);
            assert_int_equal(view.n_counters, written_as == 3 ? 2 : 0);
            for (size_t k = 0; k < view.n_counters; k++)
                assert_true(view.counters[k][i] == FIXTURE_COUNTER(at, k));
        }
    }
    assert_int_equal(at, n);
}

static void check_rows(const struct fixture *f, const struct store *store)
{
    same_rows(f, TABLE_RUNS, store->runs, store->n_runs);
    same_rows(f, TABLE_ARTEFACTS, store->artefacts, store->n_artefacts);
    same_rows(f, TABLE_STREAMS, store->streams, store->n_streams);
    same_rows(f, TABLE_CLAIMS, store->claims, store->n_claims);
    same_rows(f, TABLE_FACTS, store->facts, store->n_facts);
    same_rows(f, TABLE_NOTES, store->notes, store->n_notes);
    same_rows(f, TABLE_COUNTERS, store->counters, store->n_counters);
    same_rows(f, TABLE_CLOCK_PAIRS, store->clock_pairs, store->n_clock_pairs);
    same_rows(f, TABLE_TASKS, store->tasks, store->n_tasks);
    assert_int_equal(store->n_gaps, f->n_rows[TABLE_GAPS]);
    for (size_t i = 1; i < store->n_gaps; i++)
        assert_true(store->gaps[i - 1].run <= store->gaps[i].run);
    const struct claim *claims = f->rows[TABLE_CLAIMS];
    for (size_t i = 0; i < store->n_claims; i++) {
        uint32_t series = claims[i].series;
        assert_int_equal(store->claims[i].series, series == ROW_NONE ? ROW_NONE : rank_of_series(f, series));
        assert_int_equal(store->claims[i].n_parts, claims[i].n_parts);
        assert_int_equal(store->claims[i].n_stack, claims[i].n_stack);
        for (size_t k = 0; k < claims[i].n_parts; k++) {
            struct claim_part_row a = {0, claims[i].parts[k]}, b = {0, store->claims[i].parts[k]};
            same_row(TABLE_CLAIM_PARTS, &a, &b);
        }
        for (size_t k = 0; k < claims[i].n_stack; k++)
            same_string(claims[i].stack[k], store->claims[i].stack[k]);
    }
    for (uint32_t i = 0; i < f->n_rows[TABLE_SERIES]; i++)
        same_row(TABLE_SERIES, (const struct series *)f->rows[TABLE_SERIES] + i, &store->series[rank_of_series(f, i)]);
}

static void every_member_comes_back(void **state)
{
    (void)state;
    for (int compress = 0; compress < 2; compress++) {
        struct fixture f = {.seed = 7 + (uint64_t)compress};
        struct store *store = fixture_store(&f, compress, NULL);
        size_t n;
        check_rows(&f, store);
        for (uint32_t i = 0; i < 6; i++)
            check_samples(store, rank_of_series(&f, i), i, 20000);
        const struct bin *bins = store_bins(store, rank_of_series(&f, 4), &n);
        assert_true(n == 2 && bins[0].low_ns == 1000 && bins[0].count == 9 && bins[1].count == 4);
        store_close(store);
        fixture_release(&f);
    }
}

/* The events as text, all of a stream in order: equal for equal events whatever the string ids are. */
static uint64_t hash_events(const struct store *store)
{
    uint64_t hash = 5381;
    char text[512];
    for (size_t c = 0; c < store->n_event_chunks; c++) {
        struct event_view view;
        assert_int_equal(store_event_view(store, c, &view, NULL), OK);
        for (size_t i = 0; i < view.n; i++) {
            event_format(store, &view, i, text, sizeof text);
            hash = hash * 31 + (uint64_t)view.time_ns[i] * 7 + (uint64_t)view.tid[i] + view.flags[i] + (uint64_t)view.cpu;
            for (const char *p = text; *p; p++)
                hash = hash * 33 + (unsigned char)*p;
        }
    }
    return hash;
}

static void a_copy_is_equal(void **state)
{
    (void)state;
    struct error error = {0};
    struct fixture f = {.seed = 99};
    struct store *store = fixture_store(&f, false, NULL);
    struct store_writer *writer = store_writer_new(NULL, &error);
    assert_int_equal(store_copy(writer, store, &store_copy_all, NULL, &error), OK);
    struct store *copy = open_finished(writer, NULL);
    assert_int_equal(copy->n_events, store->n_events);
    assert_true(hash_events(copy) == hash_events(store));
    assert_int_equal(copy->n_series, store->n_series);
    for (uint32_t i = 0; i < store->n_series; i++) {
        same_row(TABLE_SERIES, &store->series[i], &copy->series[i]);
        assert_int_equal(store_count_samples(copy, i), store_count_samples(store, i));
    }
    assert_int_equal(copy->n_gaps, store->n_gaps);
    for (size_t i = 0; i < store->n_gaps; i++)
        same_row(TABLE_GAPS, &store->gaps[i], &copy->gaps[i]);
    store_close(copy);
    store_close(store);
    fixture_release(&f);
}

/* A cut must answer the same questions about its span as the whole file does. */
static void a_cut_keeps_its_span_and_the_states_before_it(void **state)
{
    (void)state;
    struct error error = {0};
    struct fixture f = {.seed = 5};
    struct store *store = fixture_store(&f, false, NULL);
    const struct stream *stream = &store->streams[0];
    int64_t begin = stream->begin_ns + (stream->end_ns - stream->begin_ns) / 2, end = begin + 20000;
    struct store_copy_options options = store_copy_all;
    options.run = stream->run;
    options.has_span = true;
    options.begin_ns = begin;
    options.end_ns = end;
    struct store_writer *writer = store_writer_new(NULL, &error);
    assert_int_equal(store_copy(writer, store, &options, NULL, &error), OK);
    struct store *cut = open_finished(writer, NULL);
    assert_int_equal(cut->n_runs, 1);
    uint32_t cut_stream = 0;
    struct event_merge *a = event_merge_new(store, stream->run, 0, begin, end, &error);
    struct event_merge *b = event_merge_new(cut, 0, cut_stream, INT64_MIN, INT64_MAX, &error);
    struct event_ref x, y;
    size_t n = 0;
    while (event_merge_next(a, &x)) {
        assert_true(event_merge_next(b, &y));
        assert_true(event_time_ns(&x) == event_time_ns(&y) && x.cpu == y.cpu && x.view->kind[x.i] == y.view->kind[y.i]);
        n++;
    }
    assert_true(n > 100 && !event_merge_next(b, &y));
    for (int cpu = 0; cpu < 3; cpu++) {
        const struct cpu_state *before = event_merge_state(a, cpu), *kept = event_merge_state(b, cpu);
        assert_true(before->time_ns == kept->time_ns && before->tid == kept->tid && before->n_open == kept->n_open);
        same_string(store_string(store, before->comm), store_string(cut, kept->comm));
        for (size_t i = 0; i < before->n_open && i < CPU_STATE_DEPTH; i++)
            same_string(store_string(store, before->open[i].name), store_string(cut, kept->open[i].name));
    }
    size_t n_cut_gaps = 0;
    for (size_t i = 0; i < cut->n_gaps; i++)
        n_cut_gaps += cut->gaps[i].reason && !strcmp(cut->gaps[i].reason, "cut");
    assert_true(n_cut_gaps >= 2);
    event_merge_free(a);
    event_merge_free(b);
    store_close(cut);
    store_close(store);
    fixture_release(&f);
}

static void equal_inputs_give_equal_bytes(void **state)
{
    (void)state;
    char *bytes[2];
    size_t size[2];
    for (int k = 0; k < 2; k++) {
        struct fixture f = {.seed = 31};
        struct stat stat_of;
        int fd;
        void *noise = malloc(1000 + 5000 * (size_t)k); /* other addresses */
        store_close(fixture_store(&f, false, &fd));
        free(noise);
        assert_int_equal(fstat(fd, &stat_of), 0);
        size[k] = (size_t)stat_of.st_size;
        bytes[k] = malloc(size[k]);
        assert_int_equal(pread(fd, bytes[k], size[k], 0), size[k]);
        close(fd);
        fixture_release(&f);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_comes_back),
        cmocka_unit_test(a_copy_is_equal),
        cmocka_unit_test(a_cut_keeps_its_span_and_the_states_before_it),
        cmocka_unit_test(equal_inputs_give_equal_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
