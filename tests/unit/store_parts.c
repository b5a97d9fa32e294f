/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of store/: checksum, strings, decimals, CPU states, and the merge against a sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "base/memory.h"
#include "store/store.h"
#include "store/strings.h"
#include "store/writer.h"

static uint64_t seed = 88172645463325252u;

static uint64_t random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void the_checksum_is_crc32c_at_every_length_and_alignment(void **state)
{
    (void)state;
    unsigned char *bytes = malloc(40000);
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(crc32c(0, "", 0), 0);
    for (size_t i = 0; i < 40000; i++)
        bytes[i] = (unsigned char)random_number();
    for (size_t n = 0; n < 1700; n++)
        assert_int_equal(crc32c(0, bytes + n % 9, n), crc32c_plain(0, bytes + n % 9, n));
    for (int i = 0; i < 300; i++) {
        size_t n = random_number() % 39000, at = random_number() % 900, cut = n ? random_number() % n : 0;
        uint32_t whole = crc32c_plain(7, bytes + at, n);
        assert_int_equal(crc32c(7, bytes + at, n), whole);
        assert_int_equal(crc32c(crc32c(7, bytes + at, cut), bytes + at + cut, n - cut), whole); /* in pieces */
    }
    free(bytes);
}

static void strings_have_one_id_each(void **state)
{
    (void)state;
    struct string_set *set = string_set_new();
    char text[64];
    assert_int_equal(string_set_intern(set, "", 0), 1);
    assert_int_equal(string_set_intern(set, "\0", 1), 2); /* not the empty one */
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < 5000; i++) { /* lengths from 1 to 45: cached and not */
            int n = snprintf(text, sizeof text, "%u%.*s", i, (int)(i % 41), "-----------------------------------------------");
            assert_int_equal(string_set_intern(set, text, (size_t)n), i + 3);
            assert_int_equal(string_set_find(set, text, (size_t)n), i + 3);
        }
    size_t length;
    assert_string_equal(string_set_get(set, 3 + 7, &length), "7-------");
    assert_int_equal(length, 8);
    assert_int_equal(string_set_find(set, "none", 4), 0);
    string_set_clear(set);
    assert_int_equal(string_set_intern(set, "42", 2), 1);
    string_set_free(set);
}

static void decimals_are_what_was_printed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_known;
        int64_t mantissa;
        int digits;
    } rows[] = {{"12.50", true, 1250, 2}, {"-0.7", true, -7, 1}, {"+3", true, 3, 0}, {".5", true, 5, 1}, {"5.", true, 5, 0},
                {"9223372036854775807", true, INT64_MAX, 0}, {"-9223372036854775808", true, INT64_MIN, 0},
                {"9223372036854775808", false, 0, 0}, {"", false, 0, 0}, {"-", false, 0, 0}, {".", false, 0, 0},
                {"1.2.3", false, 0, 0}, {"12k", false, 0, 0}, {"0x10", false, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal d = decimal_parse(rows[i].text, strlen(rows[i].text));
        assert_int_equal(d.is_known, rows[i].is_known);
        if (d.is_known)
            assert_true(d.mantissa == rows[i].mantissa && d.digits == rows[i].digits);
    }
    assert_true(decimal_value(decimal_parse("12.50", 5)) == 12.5);
    assert_true(isnan(decimal_value((struct decimal){0})));
}

static void words_have_names(void **state)
{
    (void)state;
    assert_int_equal(policy_from_name("SCHED_FIFO"), POLICY_FIFO);
    assert_int_equal(policy_from_name("rr"), POLICY_RR);
    assert_int_equal(policy_from_name("nonsense"), POLICY_UNKNOWN);
    assert_string_equal(policy_name(POLICY_DEADLINE), "deadline");
    assert_null(policy_name((enum policy)99));
    assert_null(measure_path_name(PATH_UNKNOWN));
    assert_string_equal(measure_path_name(PATH_NOISE), "noise");
    assert_string_equal(confidence_name(CONFIDENCE_UNKNOWN), "unknown");
    const struct event_kind_info *info = event_kind_info(KIND_HRTIMER_START);
    assert_true(info->n_arguments == 5 && info->n_words == 8 && info->arguments[2].type == 'l');
    assert_string_equal(info->arguments[2].name, "expires_ns");
    assert_null(event_kind_info(13));
    assert_null(event_kind_info(60000));
}

static void apply(struct cpu_state *state, int64_t time_ns, int32_t tid, unsigned kind, uint32_t a, uint32_t b)
{
    uint32_t words[16] = {a, b};
    cpu_state_apply(state, time_ns, tid, kind, words);
}

static void states_follow_nested_contexts(void **state)
{
    (void)state;
    struct cpu_state s;
    cpu_state_init(&s);
    assert_true(s.tid == TID_UNKNOWN && s.time_ns == NS_UNKNOWN && !s.n_open);
    uint32_t to_five[7] = {0, 0, 0, 0, 11, 5, 120};
    cpu_state_apply(&s, 100, 0, KIND_SCHED_SWITCH, to_five);
    assert_true(s.tid == 5 && s.prio == 120 && s.comm == 11 && s.current_since_ns == 100);
    apply(&s, 110, 5, KIND_PREEMPT_DISABLE, 21, 0);
    apply(&s, 120, 5, KIND_IRQ_HANDLER_ENTRY, 16, 22);
    apply(&s, 130, 5, KIND_SOFTIRQ_ENTRY, 3, 23);
    apply(&s, 140, 5, KIND_VECTOR_ENTRY, 24, 236);
    assert_int_equal(s.n_open, 4);
    apply(&s, 150, 5, KIND_PREEMPT_ENABLE, 0, 0); /* a section ends below the handlers */
    assert_true(s.n_open == 3 && s.open[0].kind == OPEN_IRQ && s.open[0].number == 16 && s.open[0].begin_ns == 120);
    apply(&s, 160, 5, KIND_IRQ_HANDLER_EXIT, 16, 0); /* the exits of what was above were lost */
    assert_true(s.n_open == 0 && s.time_ns == 160);
    apply(&s, 170, 5, KIND_IRQ_HANDLER_EXIT, 16, 0); /* an exit without entry */
    assert_int_equal(s.n_open, 0);
    for (int i = 0; i < 20; i++)
        apply(&s, 200 + i, 5, KIND_IRQ_HANDLER_ENTRY, (uint32_t)i, 0);
    assert_int_equal(s.n_open, 20); /* deeper than is kept */
    for (int i = 19; i >= 0; i--)
        apply(&s, 300, 5, KIND_IRQ_HANDLER_EXIT, (uint32_t)i, 0);
    assert_int_equal(s.n_open, 0);
    apply(&s, 400, 9, KIND_PRINT, 0, 0); /* another task than the last switch said: events were lost */
    assert_true(s.tid == 9 && s.prio == PRIO_UNKNOWN && !s.comm && s.current_since_ns == NS_UNKNOWN);
    uint32_t to_idle[7] = {0, 9, 0, 0, 12, 0, 120};
    cpu_state_apply(&s, 500, 9, KIND_SCHED_SWITCH, to_idle);
    apply(&s, 510, 0, KIND_CPU_IDLE, 2, 0);
    assert_true(s.n_open == 1 && s.open[0].kind == OPEN_IDLE && s.open[0].number == 2);
    apply(&s, 520, 0, KIND_CPU_IDLE, (uint32_t)-1, 0);
    assert_int_equal(s.n_open, 0);
}

/* ---- the merge against a sort ---- */

enum { N_EVENTS = 120000, MOST_SOURCES = 13 };
struct item {
    int64_t time_ns;
    int32_t cpu;
    uint32_t stream, position;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static struct store *random_store(struct item *items, size_t n_cpus)
{
    size_t n_sources = 2 * n_cpus - 1;
    struct error error = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    uint32_t run = store_add_run(writer, &(struct run){.label = "a"});
    uint32_t artefact = store_add_artefact(writer, &(struct artefact){.run = run});
    struct event_sink *sinks[2];
    int64_t now[MOST_SOURCES] = {0};
    uint32_t position[MOST_SOURCES] = {0};
    for (int i = 0; i < 2; i++)
        sinks[i] = event_sink_new(writer, store_add_stream(writer, &(struct stream){.run = run, .artefact = artefact}));
    size_t source = 0;
    for (size_t i = 0; i < N_EVENTS; i++) {
        if (random_number() % 7 == 0)
            source = random_number() % n_sources;
        now[source] += (int64_t)(random_number() % 4); /* many equal times */
        int32_t cpu = (int32_t)(source % n_cpus);
        uint32_t stream = (uint32_t)(source / n_cpus);
        struct event_batch *batch = event_sink_batch(sinks[stream], cpu);
        event_batch_add(batch, now[source], cpu, KIND_HRTIMER_CANCEL, 0, 2)[0] = position[source];
        items[i] = (struct item){now[source], cpu, stream, position[source]++};
    }
    event_sink_free(sinks[0]);
    event_sink_free(sinks[1]);
    int fd = store_writer_finish_fd(writer, &error);
    return store_open_fd(fd, "x", &error);
}

/* One event at a time, or many; stretches of each CPU are told once, in order, before their events come. */
struct told {
    uint64_t n;
    int64_t last_ns[2][7];
};

static void tell(void *context, const struct event_view *view, size_t first, size_t end)
{
    struct told *told = context;
    assert_true(first < end && end <= view->n && view->time_ns[first] >= told->last_ns[view->stream][view->cpu]);
    told->last_ns[view->stream][view->cpu] = view->time_ns[end - 1];
    told->n += end - first;
}

static void merge_is_sort(size_t n_cpus)
{
    struct item *items = malloc(N_EVENTS * sizeof *items);
    struct error error = {0};
    struct store *store = random_store(items, n_cpus);
    qsort(items, N_EVENTS, sizeof *items, compare_items);
    int64_t last_ns = items[N_EVENTS - 1].time_ns;
    for (int round = 0; round < 60; round++) {
        int64_t begin = round ? (int64_t)(random_number() % (uint64_t)last_ns) : INT64_MIN;
        int64_t end = round ? begin + (int64_t)(random_number() % 5000) : INT64_MAX;
        uint32_t stream = round % 3 == 2 ? (uint32_t)(random_number() % 2) : ROW_NONE;
        struct event_merge *merge = event_merge_new(store, 0, stream, begin, end, &error);
        struct event_ref refs[64];
        struct told told = {0};
        size_t n = 0, at = 0, most = round % 2 ? 1 : 64;
        uint64_t n_delivered = 0;
        event_merge_each_stretch(merge, tell, &told);
        for (size_t i = 0; i < N_EVENTS; i++) {
            if (items[i].time_ns < begin || items[i].time_ns > end || (stream != ROW_NONE && items[i].stream != stream))
                continue;
            if (at == n) {
                assert_true(event_merge_time_ns(merge) == items[i].time_ns);
                n = event_merge_take(merge, refs, most);
                assert_true(n > 0 && n <= most);
                at = 0;
            }
            const struct event_ref *ref = &refs[at++];
            assert_true(event_time_ns(ref) == items[i].time_ns && ref->cpu == items[i].cpu &&
                        ref->view->stream == items[i].stream && event_words(ref)[0] == items[i].position);
            n_delivered++;
        }
        assert_true(at == n && event_merge_take(merge, refs, most) == 0 && event_merge_time_ns(merge) == NS_UNKNOWN);
        assert_true(told.n == n_delivered);
        event_merge_free(merge);
    }
    store_close(store);
    free(items);
}

static void the_merge_is_a_sort(void **state)
{
    (void)state;
    merge_is_sort(2);
    merge_is_sort(3);
    merge_is_sort(4); /* by streams: four and three */
    merge_is_sort(7);
}

static void times_that_fall_are_raised_and_said(void **state)
{
    (void)state;
    struct error error = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    uint32_t run = store_add_run(writer, &(struct run){.label = "a"});
    uint32_t artefact = store_add_artefact(writer, &(struct artefact){.run = run});
    uint32_t stream = store_add_stream(writer, &(struct stream){.run = run, .artefact = artefact});
    struct event_sink *sink = event_sink_new(writer, stream);
    static const int64_t times[] = {10, 20, 15, 30, INT64_MAX - 5, INT64_MAX};
    for (size_t i = 0; i < 6; i++)
        event_batch_add(event_sink_batch(sink, 1), times[i], 0, KIND_HRTIMER_CANCEL, 0, 2);
    event_sink_free(sink);
    int fd = store_writer_finish_fd(writer, &error);
    struct store *store = store_open_fd(fd, "x", &error);
    struct event_view view;
    assert_int_equal(store_event_view(store, 0, &view, &error), OK);
    assert_int_equal(view.time_ns[2], 20);
    assert_int_equal(view.time_ns[3], 30);
    assert_true(view.time_ns[4] == NS_LIMIT && view.time_ns[5] == NS_LIMIT);
    assert_int_equal(store->n_notes, 2);
    assert_string_equal(store->notes[0].code, "events-out-of-order");
    assert_int_equal(store->notes[0].count, 1);
    assert_int_equal(store->notes[1].count, 2);
    store_close(store);
}

/*
 * What stands in front of a chunk is what following every event of the chunks before gives, whatever is left out on the
 * way; with and without idleness and open sections, in batches of a few events.
 */
static void a_chunk_begins_with_the_state_of_all_events_before(void **unused)
{
    (void)unused;
    static const unsigned plain[] = {KIND_SCHED_SWITCH, KIND_IRQ_HANDLER_ENTRY, KIND_IRQ_HANDLER_EXIT, KIND_VECTOR_ENTRY,
                                     KIND_SOFTIRQ_ENTRY, KIND_SOFTIRQ_EXIT, KIND_SCHED_PI_SETPRIO, KIND_HRTIMER_CANCEL,
                                     KIND_SYS_ENTER, KIND_CPU_IDLE, KIND_IRQ_DISABLE, KIND_IRQ_ENABLE, KIND_PREEMPT_DISABLE};
    uint32_t x = 7;
    for (unsigned round = 0; round < 60; round++) {
        struct error error = {0};
        struct store_writer *writer = store_writer_new(NULL, &error);
        uint32_t run = store_add_run(writer, &(struct run){.label = "r"});
        uint32_t artefact = store_add_artefact(writer, &(struct artefact){.run = run, .path = "p"});
        uint32_t stream = store_add_stream(writer, &(struct stream){.run = run, .artefact = artefact});
        struct event_batch *batch = event_batch_new();
        size_t n_kinds = round % 3 == 0 ? 9 : round % 3 == 1 ? 10 : 13;
        for (int64_t i = 0; i < 400; i++) {
            x = x * 1664525u + 1013904223u;
            unsigned kind = plain[(x >> 8) % n_kinds];
            const struct event_kind_info *info = event_kind_info(kind);
            uint32_t *w = event_batch_add(batch, i, (int32_t)(x >> 28 & 1), kind, 0, info->n_words), *word = w;
            for (unsigned a = 0; a < info->n_arguments; a++) {
                char type = info->arguments[a].type, name[8];
                x = x * 1664525u + 1013904223u;
                int length = snprintf(name, sizeof name, "n%u", x >> 20 & 3);
                if (type == 's')
                    event_batch_set_string(batch, word, event_batch_intern(batch, name, (size_t)length));
                else
                    *word = kind == KIND_CPU_IDLE && x >> 30 ? UINT32_MAX : x >> 20 & 1;
                word += type == 'l' || type == 'X' ? 2 : 1;
            }
            if (i % 37 == 36)
                store_commit_events(writer, stream, 2, batch);
        }
        store_commit_events(writer, stream, 2, batch);
        event_batch_free(batch);
        struct store *store = store_open_fd(store_writer_finish_fd(writer, &error), "states", &error);
        assert_non_null(store);
        assert_int_equal(store->n_event_chunks, 11);
        struct cpu_state followed;
        cpu_state_init(&followed);
        for (size_t c = 0; c < store->n_event_chunks; c++) {
            struct event_view view;
            assert_int_equal(store_event_view(store, c, &view, &error), OK);
            assert_memory_equal(view.state, &followed, sizeof followed);
            for (size_t i = 0; i < view.n; i++)
                cpu_state_apply(&followed, view.time_ns[i], view.tid[i], view.kind[i], view.words + view.arg[i]);
        }
        store_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_begins_with_the_state_of_all_events_before),
        cmocka_unit_test(the_checksum_is_crc32c_at_every_length_and_alignment),
        cmocka_unit_test(strings_have_one_id_each),
        cmocka_unit_test(decimals_are_what_was_printed),
        cmocka_unit_test(words_have_names),
        cmocka_unit_test(states_follow_nested_contexts),
        cmocka_unit_test(the_merge_is_a_sort),
        cmocka_unit_test(times_that_fall_are_raised_and_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
