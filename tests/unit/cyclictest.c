/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cyclictest of all eras, from real files and from the same lines as mail and terminals damage them. */
#include "imported.h"

static struct store *import_bytes(const char *bytes, size_t size)
{
    struct store *store = try_bytes(bytes, size, &imported_plainly);
    assert_non_null(store);
    return store;
}

/* The numbers of series i: samples, min, average, max, overflows, limit; U and N where the source says nothing. */
static void check(const struct store *store, size_t i, uint64_t n_samples, int64_t min_ns, double avg_ns, int64_t max_ns,
                  uint64_t n_overflow, int64_t limit_ns)
{
    assert_true(i < store->n_series);
    const struct series *s = &store->series[i];
    assert_int_equal(s->n_samples, n_samples);
    assert_int_equal(s->min_ns, min_ns);
    assert_int_equal(s->max_ns, max_ns);
    if (isnan(avg_ns))
        assert_true(isnan(s->avg_ns));
    else
        assert_true(fabs(s->avg_ns - avg_ns) < 0.01);
    assert_int_equal(s->n_overflow, n_overflow);
    assert_int_equal(s->overflow_limit_ns, limit_ns);
}

#define LINE "T: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     129\n"

static void test_status_lines(void **state)
{
    (void)state;
    struct store *store = import_file("cyclictest/smp-slip.txt");
    check(store, 0, 10000, 9000, 21000, 129000, N, U);
    assert_int_equal(store->series[0].priority, 2);
    assert_int_equal(store->series[0].tid, 2234);
    assert_int_equal(store->series[0].interval_ns, 10000000);
    assert_int_equal(store->series[0].policy, POLICY_FIFO);
    assert_int_equal(store->series[0].n_requested, 10000);
    assert_string_equal(fact(store, 0, "cyclictest.priority"), "80");
    assert_string_equal(fact(store, 0, "cyclictest.command"), "sudo cyclictest -smp -p 80 -n -i 10000 -l 10000");
    assert_string_equal(fact(store, 0, "load.average"), "0.31 0.31 0.19 1/358 2236");
    store_close(store);

    store = import_file("cyclictest/two-runs.txt"); /* one file, two results: two runs of one group */
    assert_int_equal(store->n_runs, 2);
    assert_int_equal(store->runs[1].group, 0);
    assert_string_not_equal(store->runs[0].label, store->runs[1].label);
    check(store, 3, 6118, 10000, 410000, 1366000, N, U);
    assert_int_equal(store->series[3].cpu, 1); /* -a: each thread its own */
    store_close(store);

    store = import_file("cyclictest/cut-fields.txt");
    assert_int_equal(store->n_runs, 3);
    check(store, 2, N, U, 93000, 2886000, N, U);
    store_close(store);

    store = import_text("$ cyclictest \xe2\x80\x93t4 \xe2\x80\x93p 95 \xe2\x80\x94histogram=400 \xe2\x80\x93 as asked\n" LINE); /* dashes of an editor */
    assert_string_equal(fact(store, 0, "cyclictest.command"), "cyclictest -t4 -p 95 --histogram=400 \xe2\x80\x93 as asked");
    assert_string_equal(fact(store, 0, "cyclictest.histogram_limit_ns"), "400000");
    store_close(store);

    store = import_text("1.58 1.61 1.62 3/68 4079\n\n" /* 2006: no Avg, all fields eight wide */
                        "T: 0 ( 3131) P:80 I:    1000 C:16469865 Min:       8 Act:      35 Max:     192\n");
    check(store, 0, 16469865, 8000, NAN, 192000, N, U);
    assert_string_equal(fact(store, 0, "load.average"), "1.58 1.61 1.62 3/68 4079");
    store_close(store);
}

static void test_live_display(void **state)
{
    (void)state;
    struct store *store = import_file("cyclictest/nsecs-status-2.8.txt"); /* only the last frame counts; eight columns: ns */
    assert_int_equal(store->n_runs, 1);
    assert_int_equal(store->n_series, 2);
    check(store, 0, 100, 15244, 24422, 143695, N, U);
    assert_int_equal(store->series[0].resolution_ns, 1);
    store_close(store);

    /* Escapes lost: the same thread further on is a later frame, the same thread at fewer cycles another run. */
    store = import_text("T: 0 (  7) P:80 I:1000 C:    100 Min:      9 Act:   30 Avg:   21 Max:     129\n"
                        "T: 0 (  7) P:80 I:1000 C:    200 Min:      9 Act:   30 Avg:   22 Max:     130\n"
                        "T: 0 (  7) P:80 I:1000 C:     50 Min:      8 Act:   30 Avg:   22 Max:      99\n");
    assert_int_equal(store->n_runs, 2);
    check(store, 0, 200, 9000, 22000, 130000, N, U);
    check(store, 1, 50, 8000, 22000, 99000, N, U);
    store_close(store);

    store = import_file("cyclictest/shm-snapshot2-2.8.bin"); /* NUL bytes in front */
    check(store, 0, 1506, 8000, 29000, 981000, N, U);
    store_close(store);
}

static void test_damaged_text(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } forms[] = {
#define FORM(text) {text, sizeof(text) - 1}
        FORM(LINE),
        FORM("> > T: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     129\n"),
        FORM("T: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:   21\nMax:     129\n"),
        FORM("> T: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:\n129\n"),
        FORM("T: 0 ( 2234) P:80 I:1000 C:\n10000 Min: 9 Act: 30 Avg: 21 Max: 129\n"),
        /* the kernel's own messages on a serial console: behind the line, between fields, within a number */
        FORM("T: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     129[  123.456789] usb 1-1: new device\n\n"),
        FORM("T: 0 ( 2234) P:80 I:1000 C:  10000 [  123.456789] usb 1-1: new device\nMin:      9 Act:   30 Avg:   21 Max:     129\n"),
        FORM("T: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     12[  123.456789] usb 1-1: new device\n9\n"),
        FORM("T: 0 ( 2234) P:80 I:1000 C:  100[  123.456789] usb 1-1: new device\n00 Min:      9 Act:   30 Avg:   21 Max:     129\n"),
        FORM("T: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     129[  123.456789] usb 1-1: new device\n000129 000001\n"),
        FORM("T: 0 (2234) P:80 I:1000 C:10000 Min:9 Act:30 Avg:21 Max:129\r\n"),
        FORM("T:\t0\t(2234)\tP:80\tI:1000\tC:10000\tMin:9\tAct:30\tAvg:21\tMax:129\n"),
        FORM("T:\xc2\xa0" "0 ( 2234) P:80 I:1000 C:\xc2\xa0 10000 Min: 9 Act: 30 Avg: 21 Max: 129\n"),
        FORM("a =3D b=20\nT: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:  =\n 21 Max:     129\n"),
        FORM("[   12.345678] T: 0 ( 2234) P:80 I:1000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     129\n"),
        FORM("\xff\xfeT\0:\0 \0" "0\0 \0(\0" "2\0" "2\0" "3\0" "4\0)\0 \0P\0:\0" "8\0" "0\0 \0I\0:\0" "1\0" "0\0" "0\0" "0\0 \0C\0:\0" "1\0" "0\0" "0\0"
             "0\0" "0\0 \0M\0i\0n\0:\0" "9\0 \0A\0c\0t\0:\0" "3\0" "0\0 \0A\0v\0g\0:\0" "2\0" "1\0 \0M\0a\0x\0:\0" "1\0" "2\0" "9\0\n\0"),
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct store *store = import_bytes(forms[i].bytes, forms[i].size);
        assert_int_equal(store->n_series, 1);
        check(store, 0, 10000, 9000, 21000, 129000, N, U);
        assert_int_equal(store->series[0].tid, 2234);
        assert_false(has_note(store, "damaged-lines")); /* all of it could be undone */
        store_close(store);
    }
}

static void test_histograms(void **state)
{
    (void)state;
    struct store *store = import_file("cyclictest/hist-0.33.txt"); /* one maximum for all, overflow dropped */
    check(store, 1, 493, 14000, NAN, 96000, N, 120000);
    assert_true(store->series[1].max_is_lower_bound);
    assert_true(has_note(store, "histogram-truncated"));
    store_close(store);

    store = import_file("cyclictest/hist-overflow-0.50.txt"); /* overflow piled up in the last row */
    check(store, 0, 40, 17000, NAN, 19000, N, 20000);
    assert_true(store->series[0].max_is_lower_bound);
    store_close(store);

    store = import_file("cyclictest/histofall-overflow-0.73.txt"); /* -H: the sum column is no thread */
    assert_int_equal(store->n_series, 2);
    check(store, 0, 40, 18000, 28000, 53000, 38, 20000);
    assert_false(has_note(store, "counts-mismatch"));
    store_close(store);

    store = import_file("cyclictest/histofall-t1-2.8.txt"); /* -H with one thread: two columns, one of them a sum */
    assert_int_equal(store->n_series, 1);
    check(store, 0, 200, 15000, 28000, 55000, 0, U);
    assert_int_equal(store->series[0].omission, OMISSION_SKIPS);
    store_close(store);

    store = import_file("cyclictest/hist-overflow-2.8.txt"); /* no row at all */
    check(store, 1, 40, 27000, 36000, 77000, 40, U);
    size_t n;
    const uint64_t *cycles = store_overflow_cycles(store, 0, &n);
    assert_int_equal(n, 20);
    assert_int_equal(cycles[19], 19);
    store_close(store);

    store = import_file("cyclictest/nsecs-hist-0.84.txt");
    check(store, 0, 20, 15600, 25538, 68565, 20, 200);
    assert_true(has_note(store, "unit-assumed"));
    store_close(store);

    store = import_text("# Histogram\n000004 000003\t000001\n000005 000002\t000003\n# Total: 000000006 000000004\n"
                        "# Min Latencies: 00004 00004\n# Avg Latencies: 00004 00004\n# Max Latencies: 00009 00005\n"
                        "# Histogram Overflows: 00000 00000\n");
    assert_true(has_note(store, "counts-mismatch")); /* a total and a maximum that its rows do not give */
    store_close(store);

    store = import_text("# Histogram\n000000 000000\n000001 000007\n000002 000002\n"); /* cut */
    assert_true(has_note(store, "file-truncated"));
    assert_true(store->series[0].is_cut);
    store_close(store);
}

/* Mail broke rows and footers: what is left of a row is no row of its own. */
static void test_wrapped_histogram(void **state)
{
    (void)state;
    struct store *store = import_text("> # Histogram\n> 000002 000000 000000 000000\n> 000007 000000\n> 000003 000100 000120 000001\n> 000000 000000\n"
                                      "> 000004 000000 000003 1000000\n> 000001\n> 000002\n"
                                      "> # Total: 000000100 000000123 001000001\n> 000000008 000000002\n> # Min Latencies: 00003 00003 00003 00002\n> 00004\n"
                                      "> # Avg Latencies: 00003 00003 00003 00002 00004\n> # Max Latencies: 00003 00004 00004 00004\n> 00090\n"
                                      "> # Histogram Overflows: 00000 00000 00000 00000 00003\n> # Histogram Overflow at cycle number:\n"
                                      "> # Thread 0:\n> # Thread 1:\n> # Thread 2:\n> # Thread 3:\n> # Thread 4: 00010\n> 00020 # 00001\n> others\n");
    assert_int_equal(store->n_runs, 1);
    assert_int_equal(store->n_series, 5);
    check(store, 0, 100, 3000, 3000, 3000, 0, U);
    check(store, 2, 1000001, 3000, 3000, 4000, 0, U);
    check(store, 3, 8, 2000, 2000, 4000, 0, U);
    check(store, 4, 5, 4000, 4000, 90000, 3, U);
    size_t n;
    const uint64_t *cycles = store_overflow_cycles(store, 4, &n);
    assert_int_equal(n, 2);
    assert_int_equal(cycles[1], 20);
    assert_false(has_note(store, "counts-mismatch"));
    assert_true(has_note(store, "repaired-text"));
    store_close(store);
}

static void test_json(void **state)
{
    (void)state;
    struct store *store = import_file("cyclictest/overflow-hidden.json");
    check(store, 0, 299989, 25000, 78040, 3030000, 7, 1000000);
    assert_int_equal(store->series[0].n_requested, 300000);
    assert_int_equal(store->series[0].duration_ns, 300000000000);
    assert_string_equal(fact(store, 0, "kernel.release"), "6.6.36-rt35-lts-next");
    assert_true(has_note(store, "overflow-hidden"));
    store_close(store);

    store = import_file("cyclictest/zero-samples-2.8.json"); /* "avg": -nan, "min": 1000000 */
    check(store, 0, 0, U, NAN, U, N, U);
    assert_true(has_note(store, "not-measured"));
    store_close(store);

    store = import_file("cyclictest/json-stdout-2.10.txt"); /* JSON and status lines of one run */
    assert_int_equal(store->n_runs, 1);
    assert_int_equal(store->n_series, 1);
    check(store, 0, 50, 16000, 23920, 41000, N, U);
    assert_int_equal(store->series[0].tid, 16001);
    store_close(store);

    store = import_text("{\n  \"file_version\": 1,\n  \"cmdline:\": \"cyclictest -q --json=\"a b.json\" -p 80\",\n" /* quotes not escaped */
                        "  \"rt_test_version:\": \"2.80\",\n  \"num_threads\": 1,\n  \"resolution_in_ns\": 0,\n  \"thread\": {\n"
                        "    \"0\": {\n      \"cycles\": 5,\n      \"min\": 3,\n      \"max\": 9,\n      \"avg\": 4.20\n    }\n  }\n}\n");
    check(store, 0, 5, 3000, 4200, 9000, N, U);
    assert_true(has_note(store, "repaired-text"));
    store_close(store);

    store = import_text("{\n  \"rt_test_version:\": \"2.80\",\n  \"num_threads\": 2,\n  \"thread\": {\n" /* cut */
                        "    \"0\": {\n      \"cycles\": 5,\n      \"min\": 3,\n      \"max\": 9,\n      \"avg\": 4.20\n    },\n    \"1\": {\n      \"cyc");
    check(store, 0, 5, 3000, 4200, 9000, N, U);
    assert_true(has_note(store, "file-truncated"));
    store_close(store);
}

static void test_verbose(void **state)
{
    (void)state;
    struct store *store = import_file("cyclictest/verbose-0.17.txt"); /* each line one cycle late */
    assert_int_equal(store_count_samples(store, 0), 39);
    check(store, 0, 39, 18000, 1464000.0 / 39, 113000, N, U);
    struct sample_view view;
    struct error error = {0};
    assert_int_equal(store_sample_chunk(store, 0, 0, &view, &error), OK);
    assert_int_equal(view.latency_ns[0], 113000);
    assert_int_equal(view.cycle ? view.cycle[0] : view.first_cycle, 0);
    assert_true(has_note(store, "tool-bug"));
    store_close(store);

    store = import_file("cyclictest/verbose-o10-2.8.txt"); /* -o: maxima of ten */
    assert_true(store->series[0].is_block_maxima);
    check(store, 0, 94, U, NAN, 3412000, N, U);
    store_close(store);

    store = import_file("rt-tests/signaltest-verbose-2.8.txt"); /* -v lines, then the summary */
    assert_int_equal(store->n_runs, 1);
    assert_string_equal(store->series[0].tool, "signaltest");
    check(store, 0, 30, 30000, 39000, 83000, N, U);
    store_close(store);
}

/* The fast path over fixed columns gives what the plain parser gives. */
static void test_verbose_paths_agree(void **state)
{
    (void)state;
    static char fast[40000], slow[80000];
    size_t n_fast = 0, n_slow = 0;
    uint32_t random = 1;
    for (int i = 0; i < 1200; i++) {
        random = random * 1664525 + 1013904223;
        unsigned value = i % 7 ? random >> 24 : random >> 5;
        if (value > 99999999)
            value = 99999999;
        n_fast += (size_t)sprintf(fast + n_fast, "%8d:%8d:%8u\n", i % 3, i / 3, value);
        n_slow += (size_t)sprintf(slow + n_slow, "%d:%d:%u\r\n", i % 3, i / 3, value);
    }
    struct store *a = import_bytes(fast, n_fast), *b = import_bytes(slow, n_slow);
    assert_int_equal(a->n_series, 3);
    assert_int_equal(b->n_series, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct series *s = &b->series[i];
        assert_int_equal(s->n_samples, 400);
        check(a, i, s->n_samples, s->min_ns, s->avg_ns, s->max_ns, s->n_overflow, s->overflow_limit_ns);
        struct sample_view x, y;
        struct error error = {0};
        assert_int_equal(store_sample_chunk(a, (uint32_t)i, 0, &x, &error), OK);
        assert_int_equal(store_sample_chunk(b, (uint32_t)i, 0, &y, &error), OK);
        assert_int_equal(x.n, 400);
        for (size_t k = 0; k < x.n; k++)
            assert_int_equal(x.latency_ns[k], y.latency_ns[k]);
    }
    store_close(a);
    store_close(b);
}

static void test_lies(void **state)
{
    (void)state;
    struct store *store = import_file("cyclictest/neg-hist-2.8.txt"); /* a negative latency as 2^64 - n */
    check(store, 0, 302, 427000, NAN, U, 301, U);
    assert_true(has_note(store, "clock-jump"));
    store_close(store);
    store = import_file("cyclictest/neg-2.8.json");
    check(store, 0, 422, 386000, NAN, U, N, U);
    assert_true(has_note(store, "clock-jump"));
    store_close(store);
    store = import_file("cyclictest/neg-quiet-0.50.txt"); /* and as it was */
    check(store, 0, 739, U, NAN, 203911000, N, U);
    assert_true(has_note(store, "clock-jump"));
    store_close(store);
    store = import_file("cyclictest/break-1.5.txt"); /* the thread of the first hit, the value of the last */
    assert_true(has_note(store, "tool-bug"));
    assert_string_equal(fact(store, 0, "cyclictest.break_value"), "36");
    store_close(store);
    store = import_file("cyclictest/trigger-2.8.txt");
    assert_int_equal(store->n_claims, 6);
    assert_int_equal(store->claims[3].latency_ns, 495000);
    assert_int_equal(store->claims[3].time_ns, 1223056041000);
    store_close(store);
}

static void test_other_tools(void **state)
{
    (void)state;
    struct store *store = import_file("rt-tests/pmqtest-live-0.84.txt");
    check(store, 1, 194, 3000, 4000, 17000, N, U);
    assert_int_equal(store->series[1].cpu, 1);
    store_close(store);
    store = import_file("rt-tests/pmqtest-2.8.json");
    check(store, 0, 300, 9000, 22510, 132000, N, U);
    store_close(store);
    store = import_file("rt-tests/queuelat-2.8.txt"); /* rows are missing: how many samples is unknown */
    check(store, 0, N, 0, NAN, 70000, 1, 70000);
    assert_true(store->series[0].max_is_lower_bound);
    store_close(store);
    store = import_file("rt-tests/rt-migrate-test-2.8.txt");
    check(store, 1, 6, 61000, 75000, 93000, N, U);
    store_close(store);
    store = import_file("rt-tests/cyclicdeadline-hist-2.8.txt"); /* its own minimum is 16: a sample of 0 came before */
    check(store, 0, 201, 0, 27000, 1198000, 2, U);
    assert_string_equal(store->series[0].tool, "cyclicdeadline");
    store_close(store);
    store = import_file("rt-tests/hackbench-2.8.txt");
    assert_string_equal(fact(store, 0, "hackbench.time_s"), "0.218");
    store_close(store);
}

static void test_settings(void **state)
{
    (void)state;
    const char *const settings[] = {"cyclictest.interval_ns=200000", "cyclictest.priority=90", "load.kind=idle"};
    const struct import_options options = {.quiet = true, .no_hash = true, .settings = settings, .n_settings = 3};
    struct store *store = import_with("tests/data/cyclictest/cut-fields.txt", &options);
    assert_int_equal(store->series[0].interval_ns, 200000);
    assert_int_equal(store->series[2].priority, 90);
    assert_string_equal(fact(store, 2, "load.kind"), "idle");
    store_close(store);
    store = import_with("tests/data/cyclictest/smp-slip.txt", &options); /* what the file states stays */
    assert_int_equal(store->series[0].priority, 2);
    assert_int_equal(store->series[0].interval_ns, 10000000);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_lines), cmocka_unit_test(test_live_display), cmocka_unit_test(test_damaged_text),
        cmocka_unit_test(test_histograms), cmocka_unit_test(test_wrapped_histogram), cmocka_unit_test(test_json), cmocka_unit_test(test_verbose),
        cmocka_unit_test(test_verbose_paths_agree), cmocka_unit_test(test_lies), cmocka_unit_test(test_other_tools),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
