/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.dat as a whole: real files, cut and damaged ones; field tables against libtraceevent's. */
#include "imported.h"

#include <event-parse.h>

#include "importers/trace_dat_formats.h"

static const char v6[] = "samples/trace-v6.dat", v7[] = "samples/irq-storm-device/trace.dat";

struct bytes {
    unsigned char *bytes;
    size_t size;
};

static struct bytes slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    struct bytes all = {NULL, (size_t)ftell(file)};
    all.bytes = malloc(all.size);
    rewind(file);
    assert_int_equal(fread(all.bytes, 1, all.size, file), all.size);
    fclose(file);
    return all;
}

/* NULL: not understood. */
static struct store *import_bytes(const unsigned char *bytes, size_t size, int n_threads)
{
    const struct import_options options = {.quiet = true, .no_hash = true, .n_threads = n_threads};
    return try_bytes(bytes, size, &options);
}

static void real_files_are_read_whole(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint64_t n_events;
        int64_t mark_ns;
    } files[] = {{v6, 286, 57402000}, {v7, 8845, 89841000}};
    for (size_t i = 0; i < 2; i++) {
        struct bytes file = slurp(files[i].path);
        struct store *store = import_bytes(file.bytes, file.size, 2);
        assert_non_null(store);
        assert_int_equal(store->n_events, files[i].n_events);
        assert_string_equal(store_fact(store, 0, "kernel.release")->value, "6.1.0-57-rt-amd64");
        assert_string_equal(store->streams[0].clock, "mono");
        assert_false(has_note(store, "damaged-lines"));
        assert_false(has_note(store, "file-truncated"));
        /* The break mark of cyclictest --tracemark: a claim. */
        assert_int_equal(store->n_claims, 1);
        assert_int_equal(store->claims[0].kind, CLAIM_MARK);
        assert_int_equal(store->claims[0].latency_ns, files[i].mark_ns);
        store_close(store);
        free(file.bytes);
    }
}

/* Neither the number of threads nor the run changes what is stored. */
static void threads_change_nothing(void **state)
{
    (void)state;
    struct bytes file = slurp(v7);
    struct store *one = import_bytes(file.bytes, file.size, 1), *four = import_bytes(file.bytes, file.size, 4);
    assert_int_equal(one->n_event_chunks, four->n_event_chunks);
    struct error error = {0};
    for (size_t c = 0; c < one->n_event_chunks; c++) {
        struct event_view a, b;
        assert_int_not_equal(store_event_view(one, c, &a, &error), FAILED);
        assert_int_not_equal(store_event_view(four, c, &b, &error), FAILED);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.time_ns, b.time_ns, a.n * sizeof *a.time_ns);
        assert_memory_equal(a.flags, b.flags, a.n * sizeof *a.flags);
        assert_int_equal(a.n_words, b.n_words);
        assert_memory_equal(a.words, b.words, a.n_words * sizeof *a.words);
    }
    store_close(one);
    store_close(four);
    free(file.bytes);
}

/* Cut anywhere: fewer events and a word about it, or one clear error; never more events than whole. */
static void cut_files_give_what_is_whole(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint64_t n_events;
    } files[] = {{v6, 286}, {v7, 8845}};
    for (size_t i = 0; i < 2; i++) {
        struct bytes file = slurp(files[i].path);
        uint64_t seed = 12345;
        for (int k = 0; k < 60; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            size_t size = k < 20 ? (size_t)k * 7 : (size_t)(seed >> 33) % file.size;
            struct store *store = import_bytes(file.bytes, size, 1);
            if (!store)
                continue;
            assert_true(store->n_events < files[i].n_events || size > file.size - 8192);
            if (store->n_events < files[i].n_events)
                assert_true(has_note(store, "file-truncated") || has_note(store, "damaged-lines"));
            store_close(store);
        }
        free(file.bytes);
    }
}

/* A v7 file that lost its tail, with the table of CPUs in it, still gives its first packed pages. */
static void pages_are_found_without_their_table(void **state)
{
    (void)state;
    struct bytes file = slurp(v7);
    struct store *store = import_bytes(file.bytes, file.size - 4096, 1);
    assert_non_null(store);
    assert_true(has_note(store, "file-truncated"));
    assert_true(store->n_events > 1000);
    store_close(store);
    free(file.bytes);
}

/* Raw pages with their formats beside: what the kernel's own text of the same buffer says. */
static void raw_pages_of_a_folder(void **state)
{
    (void)state;
    struct error error = {0};
    struct store *store = import_file("raw-ring-buffer");
    assert_int_equal(store->n_streams, 1);
    assert_int_equal(store->n_events, 673);
    assert_string_equal(store->streams[0].clock, "mono");
    assert_false(has_note(store, "not-understood"));
    struct event_merge *merge = event_merge_new(store, 0, ROW_NONE, 72918055000, 72918057000, &error);
    struct event_ref ref;
    char text[256];
    assert_true(event_merge_next(merge, &ref));
    assert_int_equal(ref.cpu, 0);
    event_format(store, ref.view, ref.i, text, sizeof text);
    assert_string_equal(text, "sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> "
                              "next_comm=cyclictest next_pid=450 next_prio=4");
    uint32_t flags = ref.view->flags[ref.i]; /* the kernel printed d...2.. */
    assert_int_equal(flags & 0xffff, FLAG_IRQS_OFF);
    assert_int_equal(flags_preempt_depth(flags), 2);
    assert_int_equal(flags_migrate_depth(flags), 0);
    event_merge_free(merge);
    store_close(store);
}

/* trace-cmd record of a latency tracer keeps the kernel's text instead of pages: it is read as any ftrace text. */
static void latency_traces_are_text(void **state)
{
    (void)state;
    static const char text[] =
        "# tracer: wakeup_rt\n#\n# wakeup_rt latency trace v1.1.5 on 6.1.0-57-rt-amd64\n"
        "# --------------------------------------------------------------------\n"
        "# latency: 117 us, #2/2, CPU#1 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:2)\n"
        "#    -----------------\n#    | task: cyclictest-845 (uid:0 nice:0 policy:1 rt_prio:95)\n#    -----------------\n#\n"
        "#                    _------=> CPU#\n#                   / _-----=> irqs-off/BH-disabled\n"
        "#                  | / _----=> need-resched\n#                  || / _---=> hardirq/softirq\n"
        "#                  ||| / _--=> preempt-depth\n#                  |||| / _-=> migrate-disable\n"
        "#                  ||||| /     delay\n#  cmd     pid     |||||| /     time  |   caller\n"
        "#     \\   /        ||||||  \\    |    /\n"
        "  <idle>-0         1dNh5.    1us+:      0:120:R   + [001]     845:  4:R cyclictest\n"
        "  <idle>-0         1d..3.  117us :      0:120:R ==> [001]     845:  4:R cyclictest\n";
    struct bytes file = slurp(v6);
    unsigned char *tag = memmem(file.bytes, file.size, "options  \0", 10);
    assert_non_null(tag);
    size_t head = (size_t)(tag - file.bytes), size = head + 10 + sizeof text - 1;
    unsigned char *whole = malloc(size);
    memcpy(whole, file.bytes, head);
    memcpy(whole + head, "latency  \0", 10);
    memcpy(whole + head + 10, text, sizeof text - 1);
    struct store *store = import_bytes(whole, size, 1);
    assert_non_null(store);
    assert_int_equal(store->n_streams, 1);
    assert_int_equal(store->n_events, 2);
    assert_string_equal(store->streams[0].tracer, "wakeup_rt");
    assert_int_equal(store->series[0].max_ns, 117000);
    store_close(store);
    free(whole);
    free(file.bytes);
}

static void flipped_bytes_do_no_harm(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bytes file = slurp(i ? v7 : v6);
        uint64_t seed = 99;
        for (int k = 0; k < 60; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(seed >> 20) % file.size;
            unsigned char old = file.bytes[at];
            file.bytes[at] = (unsigned char)(seed >> 56);
            struct store *store = import_bytes(file.bytes, file.size, 1);
            if (store)
                store_close(store);
            file.bytes[at] = old;
        }
        free(file.bytes);
    }
}

/* What is said about each field of each format by libtraceevent, ours says too. */
static void fields_agree_with_libtraceevent(void **state)
{
    (void)state;
    struct bytes bytes = slurp(v7);
    struct trace_file file;
    struct error error = {0};
    assert_int_equal(trace_file_read(&file, NULL, (struct span){bytes.bytes, bytes.size}, &error), OK);
    struct trace_formats *formats = memory_new(sizeof *formats);
    trace_formats_build(formats, &file, NULL);
    struct tep_handle *tep = tep_alloc();
    size_t n_compared = 0;
    for (size_t i = 0; i < file.n_formats; i++) {
        struct span text = file.formats[i].text;
        char *copy = malloc(text.size + 1);
        memcpy(copy, text.bytes, text.size);
        copy[text.size] = 0;
        tep_parse_event(tep, copy, text.size, file.formats[i].system);
        free(copy);
    }
    for (size_t i = 1; i < formats->n_decoders; i++) {
        const struct trace_decoder *decoder = &formats->decoders[i];
        struct tep_event *event = tep_find_event(tep, decoder->id);
        assert_non_null(event);
        for (uint32_t f = 0; f < decoder->n_fields; f++) {
            const struct trace_field *ours = &decoder->fields[f];
            const struct tep_format_field *theirs = tep_find_field(event, ours->name);
            assert_non_null(theirs);
            assert_int_equal(ours->offset, theirs->offset);
            assert_int_equal(ours->size, theirs->size);
            assert_int_equal(ours->is_signed, !!(theirs->flags & TEP_FIELD_IS_SIGNED));
            n_compared++;
        }
    }
    assert_true(n_compared > 100);
    tep_free(tep);
    trace_formats_release(formats);
    free(formats);
    trace_file_release(&file);
    free(bytes.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files_are_read_whole),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(cut_files_give_what_is_whole),
        cmocka_unit_test(pages_are_found_without_their_table),
        cmocka_unit_test(raw_pages_of_a_folder),
        cmocka_unit_test(latency_traces_are_text),
        cmocka_unit_test(flipped_bytes_do_no_harm),
        cmocka_unit_test(fields_agree_with_libtraceevent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
