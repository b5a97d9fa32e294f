/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posts that compare: kernels, boards, patches, each result below its heading or in a table's column. */
#include "posted_text.h"

#define OLD_STATUS "T: 0 ( 1633) P:80 I:10000 C:   5000 Min:      9 Act:   11 Avg:   21 Max:     161\n"
#define NEW_STATUS "T: 0 ( 1191) P:80 I:10000 C:   5000 Min:      4 Act:    8 Avg:    9 Max:      81\n"
#define OLD_KERNEL "Linux lotus 6.1.21-v8+ #1642 SMP PREEMPT Mon Apr  3 17:24:16 BST 2023 aarch64 GNU/Linux\n"
#define NEW_KERNEL "Linux lotus 6.1.77-rt24-v8+ #1 SMP PREEMPT_RT Tue Feb 13 17:01:58 +0330 2024 aarch64 GNU/Linux\n"

/* Two kernels, then their two results: each its own. Two kernels and one result: it is not known whose. */
static void test_kernels_above(void **state)
{
    (void)state;
    struct store *store = import_text("old kernel:\n" OLD_KERNEL "new kernel:\n" NEW_KERNEL "\nfor old kernel:\n" OLD_STATUS "\nfor new kernel:\n" NEW_STATUS);
    assert_int_equal(store->n_runs, 2);
    assert_string_equal(fact(store, 0, "kernel.release"), "6.1.21-v8+");
    assert_string_equal(fact(store, 1, "kernel.release"), "6.1.77-rt24-v8+");
    assert_string_equal(fact(store, 0, "kernel.preempt"), "preempt");
    assert_string_equal(fact(store, 1, "kernel.preempt"), "preempt_rt");
    assert_string_equal(fact(store, 1, "host.name"), "lotus");
    assert_string_equal(fact(store, 1, "heading"), "for new kernel");
    store_close(store);
    store = import_text(OLD_KERNEL NEW_KERNEL OLD_STATUS);
    assert_string_equal(fact(store, 0, "kernel.release"), "");
    assert_string_equal(fact(store, 0, "mentioned.kernel.release"), "6.1.21-v8+");
    store_close(store);
}

/* A release in a heading is the kernel of the result below; that of other software is not. */
static void test_headings(void **state)
{
    (void)state;
    struct store *store = import_text("realtime (6.1.31-rt11-sun50iw9):\n```sh\n" OLD_STATUS "```\n\n### kernel 5.10.78+PREEMPT\n```shell\n"
                                      "$ cyclictest -p 80 -l 5000\n" NEW_STATUS "```\n**Xenomai 3.1.2-rc1**\n" OLD_STATUS);
    assert_int_equal(store->n_runs, 3);
    assert_string_equal(fact(store, 0, "heading"), "realtime (6.1.31-rt11-sun50iw9)");
    assert_string_equal(fact(store, 0, "kernel.release"), "6.1.31-rt11-sun50iw9");
    assert_string_equal(fact(store, 1, "kernel.release"), "5.10.78");
    assert_string_equal(fact(store, 2, "heading"), "Xenomai 3.1.2-rc1");
    assert_string_equal(fact(store, 2, "kernel.release"), "");
    store_close(store);
    store = import_text("# Our board\n" OLD_STATUS); /* a page's title */
    assert_string_equal(fact(store, 0, "heading"), "");
    store_close(store);
}

/* Quoted-printable without any coded character: the head says it, or the lines do by where they break. */
static void test_soft_breaks(void **state)
{
    (void)state;
    static const char body[] = "# cyclictest -Smp99\nT: 0 ( 4404) P:99 I:1000 C:   1536 Min:      1 Act:    1 Avg:    3 Max:   =\n 3846\n"
                               "T: 1 ( 4405) P:99 I:1500 C:   1021 Min:      1 Act:    1 Avg:    6 Max:   =\n 5912\n"
                               "T: 2 ( 4406) P:99 I:2000 C:    765 Min:      1 Act:    1 Avg:    8 Max:   =\n 5368\n";
    char text[2000];
    snprintf(text, sizeof text, "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\nContent-Transfer-Encoding: quoted-printable\nX-Key: a=b=c\n\n%s", body);
    const char *const texts[] = {text, body};
    for (size_t i = 0; i < 2; i++) {
        struct store *store = import_text(texts[i]);
        check(store, 0, "T0", 1536, 1000, 3000, 3846000);
        check(store, 2, "T2", 765, 1000, 8000, 5368000);
        store_close(store);
    }
}

/* The summary first, then the rows: one histogram, nothing missing. */
static void test_summary_first(void **state)
{
    (void)state;
    struct store *store = import_text("    # Total: 100\n    # Min Latencies: 00007\n    # Avg Latencies: 00008\n    # Max Latencies: 00009\n"
                                      "    # Histogram Overflows: 00000\n\n    # Histogram\n    000006 000000\n    000007 000050\n    000008 000040\n"
                                      "    000009 000010\n    000010 000000\n");
    assert_int_equal(store->n_series, 1);
    check(store, 0, "T0", 100, 7000, 8000, 9000);
    size_t n_bins;
    store_bins(store, 0, &n_bins);
    assert_int_equal(n_bins, 3);
    assert_false(has_note(store, "entries-missing"));
    store_close(store);
}

/* The first edge of a plot file stands behind a line without an end; the last one was not pasted, but the maximum's row was. */
static void test_glued_edge(void **state)
{
    (void)state;
    struct store *store = import_text("# 00:01:00 (periodic user-mode task, 100 us period, priority 99)\n# ----lat min|----lat avg|----lat max|-overrun|---msw|\n"
                                      "#       0.343|      1.078|      4.110|       0|     0|\n# Linux 4.4.200-xeno\n......\n# Cobalt core 3.1 detected\n"
                                      "PKG_CONFIG_PATH=:/usr/lib/pkgconfig0 1\n0.5 1001\n1.5 501\n2.5 101\n3.5 11\n4.5 2\n");
    assert_int_equal(store->series[0].n_samples, 1612 - 1);
    assert_int_equal(store->series[0].max_ns, 4110);
    assert_string_equal(fact(store, 0, "kernel.release"), "4.4.200-xeno");
    assert_false(has_note(store, "file-truncated"));
    store_close(store);
}

/* Tables drawn with strokes: rows are runs, with what the columns add; marks, footnotes and missing values. */
static void test_drawn_rows(void **state)
{
    (void)state;
    struct store *store = import_text("Test command: `cyclictest -t1 -p 80 -i 1000 -D 10m`\n\n### Linux cyclictest summary\n\n"
                                      "| Phase | Duration | Threads | Samples | Min (us) | Act (us) | Avg (us) | Max (us) | vs 1562.5 us |\n"
                                      "|-------|---------:|:-------:|---|---|---|---|---|---|\n| Idle | 600 s | 1 | 600,000 | 4 | 9 | 5 | 239* | **under** |\n"
                                      "| Loaded (`stress-ng`) | 15 min | 1 | | 4 | 9 | 11 | **2,639** | **exceeded** |\n| Pending | 1 h | 1 | | - | | | n/a | |\n"
                                      "\nText behind it.\n");
    assert_int_equal(store->n_runs, 2);
    assert_int_equal(store->n_series, 2);
    check(store, 0, "value", 600000, 4000, 5000, 239000);
    check(store, 1, "value", N, 4000, 11000, 2639000);
    assert_string_equal(store->series[1].tool, "cyclictest");
    assert_int_equal(store->series[1].duration_ns, INT64_C(900000000000));
    assert_int_equal(store->series[1].interval_ns, 1000000);
    assert_int_equal(store->series[1].priority, 80);
    assert_string_equal(store->runs[1].label, "Linux cyclictest summary: Loaded (stress-ng)");
    store_close(store);
    store = import_text("+-----+----------+----------+\n| CPU | avg (us) | max (us) |\n+=====+==========+==========+\n| 2   | 52.7     | 59.8     |\n"
                        "+-----+----------+----------+\n| 3   | 54,5     | 3641.0   |\n+-----+----------+----------+\n");
    assert_int_equal(store->n_runs, 1);
    check(store, 0, "2", N, U, 52700, 59800);
    check(store, 1, "3", N, U, 54500, 3641000);
    store_close(store);
}

/* Columns that are what was compared; several of them with minima and maxima; tables of other things. */
static void test_drawn_columns(void **state)
{
    (void)state;
    struct store *store = import_text("| Configuration    | Vanilla | Linux RT |\n| ---------------- | ------- | -------- |\n| Max latency (us) | 153 | 89 |\n| Min | 2 us | - |\n");
    assert_int_equal(store->n_runs, 2);
    check(store, 0, "value", N, 2000, NAN, 153000);
    check(store, 1, "value", N, U, NAN, 89000);
    assert_string_equal(store->runs[1].label, "Linux RT");
    store_close(store);
    store = import_text("Load | vanilla min | vanilla max | RT min | RT max (us)\n---|---|---|---|---\nidle | 2 | 80 | 3 | 21\ndisk | 2 | 4100 | 3 | 33\n");
    assert_int_equal(store->n_runs, 2);
    check(store, 1, "disk", N, 2000, NAN, 4100000);
    check(store, 2, "idle", N, 3000, NAN, 21000);
    store_close(store);
    assert_null(try_text("| Test | Min (KB/s) | Max (KB/s) |\n|---|---|---|\n| read | 697 | 734 |\n"));
    assert_null(try_text("| Game | Min | Max |\n|---|---|---|\n| fps | 30 | 60 |\n"));
}

/* No rule below the head, threads as rows; a column of periods is none of latencies. */
static void test_drawn_threads(void **state)
{
    (void)state;
    struct store *store = import_text("| | Max Interval (ns) | Max Jitter (ns) |\n| Servo thread (1.0ms) | 1067369 | 76089 |\n| Base thread (25.0us) | 61272 | 36490 |\n");
    assert_int_equal(store->n_runs, 1);
    check(store, 0, "Servo thread (1.0ms)", N, U, NAN, 76089);
    check(store, 1, "Base thread (25.0us)", N, U, NAN, 36490);
    store_close(store);
}

/* What programs of one's own print: in one line with strokes or names, or a line each; not what ping or code says. */
static void test_statistics(void **state)
{
    (void)state;
    struct store *store = import_text("Wakeup latency (cyclictest -p80 -t1 -i1000):\n  min/avg/max = 3/8/42 us\n");
    check(store, 0, "value", N, 3000, 8000, 42000);
    assert_string_equal(store->series[0].tool, "cyclictest");
    assert_int_equal(store->series[0].priority, 80);
    store_close(store);
    store = import_text("[TICK -> TASK latency]\nmin=1164 cycles, avg=1411 cycles, max=2138 cycles\nmin=30015 ns, avg=36437 ns, max=62625 ns\n");
    assert_int_equal(store->n_series, 1);
    check(store, 0, "TICK -> TASK latency", N, 30015, 36437, 62625);
    store_close(store);
    store = import_text("period 1 ms\n    min jitter (ns): 812\n    max jitter (ns): 76089\n    mean jitter (ns): 1200\n    iterations: 60000\n");
    check(store, 0, "value", 60000, 812, 1200, 76089);
    store_close(store);
    store = import_text("IRQ latency (us):\nMin: 3\nAvg: 4.5\nMax: 21\n");
    check(store, 0, "IRQ latency (us)", N, 3000, 4500, 21000);
    store_close(store);
    assert_null(try_text("network latency:\nrtt min/avg/max/mdev = 0.046/0.047/0.058/0.000 ms\n"));
    assert_null(try_text("latency:\nprintf(\"min: %d us max: %d us\\n\", min, max);\n"));
    assert_null(try_text("the frame rate\nmin/avg/max = 3/8/42 us\n")); /* of what? */
}

/* A message above a result is about it, not about the one before. */
static void test_messages_of_results(void **state)
{
    (void)state;
    struct store *store = import_text(OLD_STATUS "# cyclictest -smp -p 80\ndefaulting realtime priority to 2\n" NEW_STATUS);
    assert_int_equal(store->n_runs, 2);
    for (size_t i = 0; i < store->n_notes; i++)
        if (strcmp(store->notes[i].code, "command-mismatch") == 0)
            assert_int_equal(store->notes[i].run, 1);
    assert_true(has_note(store, "command-mismatch"));
    store_close(store);
}

/* A command in brackets ends with them, "v" before a release, a heading that begins with the tool's name. */
static void test_regression_report(void **state)
{
    (void)state;
    struct store *store = import_text("run a load (e.g. stress-ng --cpu 4), then (e.g. cyclictest -a -t -m -p 80 -i 250 -d 0):\n\n"
                                      "cyclictest results on the current linux-6.12.y branch (tag v6.12.87):\n# /dev/cpu_dma_latency set to 0us\n" OLD_STATUS
                                      "\ncyclictest results on 6.12.y with it reverted:\n# /dev/cpu_dma_latency set to 0us\n" NEW_STATUS);
    assert_int_equal(store->n_runs, 2);
    assert_string_equal(fact(store, 0, "cyclictest.command"), "cyclictest -a -t -m -p 80 -i 250 -d 0");
    assert_string_equal(fact(store, 0, "kernel.release"), "6.12.87");
    assert_string_equal(fact(store, 1, "kernel.release"), "");
    assert_string_equal(fact(store, 1, "heading"), "cyclictest results on 6.12.y with it reverted");
    store_close(store);
}

/* Lines that a post left out: said, where the command tells how many threads there were. */
static void test_threads_left_out(void **state)
{
    (void)state;
    struct store *store = import_text("# cyclictest -t4 -p 80\n" OLD_STATUS);
    assert_true(has_note(store, "entries-missing"));
    store_close(store);
    static const char *const texts[] = {"# cyclictest -t1 -p 80\n" OLD_STATUS, "# cyclictest -t -a -p 80\n" OLD_STATUS, OLD_STATUS};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        store = import_text(texts[i]);
        assert_false(has_note(store, "entries-missing"));
        store_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_above), cmocka_unit_test(test_headings), cmocka_unit_test(test_soft_breaks),
        cmocka_unit_test(test_summary_first), cmocka_unit_test(test_glued_edge), cmocka_unit_test(test_drawn_rows),
        cmocka_unit_test(test_drawn_columns), cmocka_unit_test(test_drawn_threads), cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_messages_of_results), cmocka_unit_test(test_regression_report), cmocka_unit_test(test_threads_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
