/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as people post them in mails, issues and pages: wrapped, commented, several in a row, with the set-up around. */
#include "posted_text.h"

#define STATUS_A "T: 0 ( 1346) P:80 I:1000 C:  10000 Min:      7 Act:   13 Avg:   14 Max:     131\n"
#define STATUS_B "T: 0 ( 1446) P:80 I:1000 C:  10000 Min:      7 Act:   13 Avg:   12 Max:      52\n"
#define PLAIN    "Linux board 5.15.84-v8+ #1613 SMP PREEMPT Thu Jan 5 12:03:08 GMT 2023 aarch64 GNU/Linux\n"
#define RT       "Linux board 5.15.84-rt49-v8+ #1 SMP PREEMPT_RT Sun Jan 8 12:03:08 GMT 2023 aarch64 GNU/Linux\n"

/* "uname, result, uname, result": each result has the kernel above it. */
static void test_kernels_above(void **state)
{
    (void)state;
    struct store *store = import_text("$ uname -a\n" PLAIN "$ cyclictest -p 80 -l 10000\n" STATUS_A "\nand then\n\n$ uname -a\n" RT
                                      "$ cyclictest -p 80 -l 10000\n" STATUS_B "again:\n$ cyclictest -p 80 -l 10000\n" STATUS_A);
    assert_int_equal(store->n_runs, 3);
    assert_string_equal(fact(store, 0, "kernel.release"), "5.15.84-v8+");
    assert_string_equal(fact(store, 0, "kernel.preempt"), "preempt");
    assert_string_equal(fact(store, 1, "kernel.release"), "5.15.84-rt49-v8+");
    assert_string_equal(fact(store, 1, "kernel.preempt"), "preempt_rt");
    assert_string_equal(fact(store, 2, "kernel.release"), "5.15.84-rt49-v8+");
    assert_string_equal(fact(store, 2, "kernel.preempt"), "preempt_rt");
    store_close(store);
    /* one statement above holds for all; what is only known of another kernel does not */
    store = import_text(PLAIN STATUS_A "text between\n" STATUS_B);
    assert_string_equal(fact(store, 1, "kernel.preempt"), "preempt");
    store_close(store);
    store = import_text(PLAIN STATUS_A "then\nLinux version 6.1.0-rt (root@host) (gcc 12) #1 SMP Fri Jan 6 10:00:00 UTC 2023\n" STATUS_B);
    assert_string_equal(fact(store, 1, "kernel.release"), "6.1.0-rt");
    assert_string_equal(fact(store, 1, "kernel.preempt"), "");
    store_close(store);
}

static void test_kernels_below(void **state)
{
    (void)state;
    struct store *store = import_text("first:\n" STATUS_A "that was\n" PLAIN "second:\n" STATUS_B "that was\n" RT);
    assert_int_equal(store->n_runs, 2);
    assert_string_equal(fact(store, 0, "kernel.release"), "5.15.84-v8+");
    assert_string_equal(fact(store, 1, "kernel.release"), "5.15.84-rt49-v8+");
    store_close(store);
}

/* The worst thread of each of three kernels: options of their configuration in one line, and other thread numbers. */
static void test_worst_threads(void **state)
{
    (void)state;
    struct store *store = import_text("\"sudo cyclictest -S -p 95 -d 0 -i 1000 -D 24h -m\" in one terminal\n"
                                      "CONFIG_PREEMPT_VOLUNTARY=y\xef\xbc\x8c" "CONFIG_HZ_250=y\n"
                                      "T:17 ( 3109) P:95 I:1000 C:   7255 Min:      1 Act:    2 Avg:  170 Max: 1220832\n"
                                      "CONFIG_PREEMPT=y,CONFIG_HZ_250=y\n"
                                      "T: 2 ( 2462) P:95 I:1000 C:  49024 Min:      1 Act:    2 Avg:    4 Max:   67888\n"
                                      "# CONFIG_HZ_100 is not set\n# CONFIG_DEBUG_PREEMPT is not set\nCONFIG_PREEMPT_RT=y, CONFIG_HZ_1000=y\n"
                                      "T: 6 ( 2561) P:95 I:1000 C:  25284 Min:      3 Act:    3 Avg:    4 Max:   16593\n");
    assert_int_equal(store->n_runs, 3);
    check(store, 0, "T17", 7255, 1000, 170000, 1220832000);
    check(store, 2, "T6", 25284, 3000, 4000, 16593000);
    assert_string_equal(fact(store, 0, "kernel.config.CONFIG_PREEMPT_VOLUNTARY"), "y");
    assert_string_equal(fact(store, 0, "kernel.config.CONFIG_HZ"), "250");
    assert_string_equal(fact(store, 1, "kernel.config.CONFIG_PREEMPT_VOLUNTARY"), "");
    assert_string_equal(fact(store, 2, "kernel.config.CONFIG_PREEMPT_RT"), "y");
    assert_string_equal(fact(store, 2, "kernel.config.CONFIG_HZ"), "1000");
    store_close(store);
    /* threads of one run, with a line of the kernel's between them */
    store = import_text(STATUS_A "note: unrelated\nT: 1 ( 1347) P:80 I:1500 C:   6667 Min:      7 Act:   13 Avg:   14 Max:     99\n");
    assert_int_equal(store->n_runs, 1);
    store_close(store);
}

static void test_commands(void **state)
{
    (void)state;
    /* the other program's -l is not cyclictest's */
    struct store *store = import_text("cyclictest -Smqp99& perf stat -r100 hackbench -s4096 -l500 && killall cyclictest\n" STATUS_A);
    assert_string_equal(fact(store, 0, "cyclictest.command"), "cyclictest -Smqp99");
    assert_string_equal(fact(store, 0, "cyclictest.loops"), "");
    assert_string_equal(fact(store, 0, "cyclictest.priority"), "99");
    store_close(store);
    store = import_text("Command: \"cyclictest\n-l100000000 -m -n -a0 -t1 -p99 -i200 -h400 -q\"\n" STATUS_A);
    assert_string_equal(fact(store, 0, "cyclictest.loops"), "100000000");
    assert_string_equal(fact(store, 0, "cyclictest.command"), "cyclictest -l100000000 -m -n -a0 -t1 -p99 -i200 -h400 -q");
    store_close(store);
    store = import_text("# cyclictest \\\n  -m \\\n  -p 90 \\\n    -l 5000\n" STATUS_A);
    assert_string_equal(fact(store, 0, "cyclictest.loops"), "5000");
    store_close(store);
    store = import_text("to run it, type ``./cyclictest -a -t -n -p99``\n" STATUS_A);
    assert_string_equal(fact(store, 0, "cyclictest.command"), "./cyclictest -a -t -n -p99");
    store_close(store);
}

/* Summaries without their rows, above their rows; and what only looks like one. */
static void test_summaries(void **state)
{
    (void)state;
    struct store *store = import_text("# Histogram\n# Total: 000297214 000297199\n# Min Latencies: 00005 00005\n# Avg Latencies: 00023 00026\n"
                                      "# Max Latencies: 00081 00085\n# Histogram Overflows: 00000 00000\n");
    check(store, 0, "T0", 297214, 5000, 23000, 81000);
    assert_true(has_note(store, "entries-missing"));
    assert_false(has_note(store, "counts-mismatch"));
    store_close(store);
    store = import_text("# Histogram\n# Min Latencies: 00005\n# Avg Latencies: 00023\n# Max Latencies: 00081\n# Histogram Overflows: 00000\n");
    check(store, 0, "T0", N, 5000, 23000, 81000); /* 2.7 and later print no total */
    store_close(store);
    store = import_text("# Histogram\n# Min Latencies: 00500\n# Avg Latencies: 00501\n# Max Latencies: 00502\n# Histogram Overflows: 00002\n"
                        "# Histogram Overflow at cycle number:\n# Thread 0: 00000 00001\n");
    check(store, 0, "T0", 2, 500000, 501000, 502000); /* all of them overflowed */
    store_close(store);
    store = import_text("# Total: 000000103\n# Min Latencies: 00007\n# Avg Latencies: 00008\n# Max Latencies: 00009\n"
                        "# Histogram Overflows: 00000\n\n# Histogram\n000007 000041\n000008 000042\n000009 000020\n\nNext page\n");
    assert_int_equal(store->n_runs, 1);
    check(store, 0, "T0", 103, 7000, 8000, 9000);
    size_t n_bins;
    store_bins(store, 0, &n_bins);
    assert_int_equal(n_bins, 3);
    assert_false(store->series[0].is_cut);
    store_close(store);
    /* rows cut off at the end; Markdown took the marks away */
    store = import_text("# Histogram\n000013 000000\n000014 000004\n000015 249277\n\n# Total: 000249290\n# Min Latencies: 00014\n"
                        "# Avg Latencies: 00015\n# Max Latencies: 00076\n# Histogram Overflows: 00000\n");
    check(store, 0, "T0", 249290, 14000, 15000, 76000);
    assert_true(has_note(store, "entries-missing"));
    store_close(store);
    store = import_text("Min Latencies: 00007 00008\nAvg Latencies: 00010 00010\nMax Latencies: 00047 00040\n");
    check(store, 1, "T1", N, 8000, 10000, 40000);
    store_close(store);
    assert_null(try_text("   # hwlatdetect output\n   #    Max Latency: 142us   SMI\n   #    Samples: 120\n"));
}

/* Xenomai 2.6's own cyclictest: an average below the minimum is half the truth. */
static void test_impossible_averages(void **state)
{
    (void)state;
    struct store *store = import_text("T: 0 (16088) P:80 I:   10000 C:   10000 Min:      19 Act:      36 Avg:      15 Max:      50\n");
    check(store, 0, "T0", 5000, 19000, NAN, 50000);
    assert_true(has_note(store, "tool-bug"));
    store_close(store);
    store = import_text("T: 0 ( 1346) P:80 I:1000 C:  10000 Min:     17 Act:   23 Avg:    4 Max:     131\n");
    check(store, 0, "T0", 10000, 17000, NAN, 131000);
    assert_true(has_note(store, "counts-mismatch"));
    store_close(store);
}

static void test_latency_tables(void **state)
{
    (void)state;
    /* RTAI's testsuite prints under the same prefixes, in ns, and two tests are two runs */
    struct store *store = import_text("RTAI Testsuite - UP preempt (all data in nanoseconds)\n"
                                      "RTH|     lat min|     lat avg|     lat max|    jit fast|    jit slow\n"
                                      "RTD|      -28000|         217|       43662|      256725|      389650\n"
                                      "RTD|      -31025|        -783|       69412|      256725|      389650\n"
                                      "RTAI Testsuite - KERNEL latency (all data in nanoseconds)\n"
                                      "RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns\n"
                                      "RTD|     -28275|     -46400|         -1|      52988|      64987|          0\n");
    assert_int_equal(store->n_runs, 2);
    check(store, 0, "latency", N, -31025, -283, 69412);
    check(store, 1, "latency", N, -46400, -1, 64987);
    assert_string_equal(store->series[0].tool, "rtai latency");
    assert_int_equal(store->series[0].policy, POLICY_UNKNOWN);
    store_close(store);
    /* a summary below what the rows reached is of something else; a table that a page closed on the right */
    store = import_text("RTT|  00:00:01  (periodic user-mode task, 100 us period, priority 99)\n"
                        "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n"
                        "RTD|      1.681|      3.422|     90.929|       0|     0|      1.681|     90.929\n"
                        "RTS|      1.574|      3.290|     37.502|       1|     0|    00:01:00/00:01:00||\n");
    check(store, 0, "latency", N, 1574, 3290, 90929);
    assert_int_equal(store->series[0].duration_ns, INT64_C(60000000000));
    assert_true(has_note(store, "counts-mismatch"));
    store_close(store);
    /* an example in a comment is no measurement */
    assert_null(try_text("# Expected output format:\n# RTT|  00:00:01  (1000 us period, 1 thread, priority 98)\n"
                         "# RTH|----lat min|----lat avg|----lat max|\n# RTD|      1.234|      2.456|      8.901|\n"));
    /* latency -g with lines lost and the first edge glued to one of them */
    store = import_text("    # 00:01:00 (periodic user-mode task, 100 us period, priority 99)\n    # ----lat min|----lat avg|----lat max|-overrun|---msw|\n"
                        "    #       0.343|      1.078|      4.110|       0|     0|\n    ......\n    # Cobalt core 3.1 detected\n"
                        "    PKG_CONFIG_PATH=:/usr/xenomai/lib/pkgconfig0 1\n    0.5 501\n    1.5 401\n    2.5 1\n    3.5 11\n    4.5 2\n    5 1\n");
    check(store, 0, "latency", 911, 343, 1078, 4110);
    store_close(store);
}

static void test_wrapped_headers(void **state)
{
    (void)state;
    struct store *store = import_text("     # tracer: preemptirqsoff\n     #\n     # preemptirqsoff latency trace v1.1.5 on 6.10.0-rc3 #\n"
                                      "     # latency: 10382682 us, #3/3, CPU#128 | (M:desktop VP:0, KP:0, SP:0 \nHP:0 #P:512)\n"
                                      "     #    | task: fio-2701523 (uid:0 nice:0 policy:0 rt_prio:0)\n"
                                      "     #  => started at: deactivate_file_folio\n     #  => ended at:   deactivate_file_folio------the end\n     #\n"
                                      "          fio-2701523 128...1.    0us$: deactivate_file_folio <-lru_add\n"
                                      "          fio-2701523 128.N.1. 10382681us : deactivate_file_folio <-lru_add\n"
                                      "          fio-2701523 128.N.1. 10382683us : tracer_preempt_on <-lru_add\n");
    check(store, 0, "preemptirqsoff", 1, INT64_C(10382682000), 10382682000.0, INT64_C(10382682000));
    assert_int_equal(store->series[0].tid, 2701523);
    assert_int_equal(store->n_claims, 1);
    assert_string_equal(store->claims[0].comm, "fio");
    assert_string_equal(fact(store, 0, "kernel.release"), "6.10.0-rc3");
    store_close(store);
    store = import_text("# tracer: wakeup_rt\n#\n# wakeup_rt latency trace v1.1.5 on 3.14.0-rt1\n# latency: 1421 us, #2/2, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0)\n"
                        "#    -----------------\n#    | task: irq_work/0-3 (uid:0 nice:0 policy:1\nrt_prio:1)\n#    -----------------\n"
                        "kworker/-11        0dnh5.    0us!:     11:120:R   + [000]     22:\n98:R irq_work/0\n"
                        "kworker/-11        0d..3. 1420us :     11:120:R ==> [000]     22:\n98:R irq_work/0\n");
    assert_int_equal(store->series[0].priority, 1);
    assert_int_equal(store->n_events, 2);
    store_close(store);
}

static void test_other_wraps(void **state)
{
    (void)state;
    struct store *store = import_text("stress-ng: info: [1] cyclic: sched SCHED_DEADLINE: 10000 ns delay, \\\n10000 samples\n"
                                      "stress-ng: info: [1] cyclic:   mean: 4312.11 ns, mode: 3641 ns\n"
                                      "stress-ng: info: [1] cyclic:   min: 3564 ns, max: 24051 ns, std.dev. \\\n992.30\n");
    assert_int_equal(store->n_series, 1);
    check(store, 0, "cyclic", 10000, 3564, 4312.11, 24051);
    store_close(store);
    store = import_text("> Task                  |   Runtime ms  |  Count   | Avg delay ms    |\n> Max delay ms    | Max delay start | Max delay end |\n> ------\n"
                        "> HTTP Pr:3133982 |      0.080 ms |        1 | avg: 881.614 ms |\n> max: 881.614 ms | max start: 312881.567210 s | max end: 312882.448824\n> s\n"
                        "> <SNIP>\n> sshd:48125            |      0.522 ms |        2 | avg:   0.037 ms |\n> max:   0.046 ms | max start: 456532.514610 s | max end: 4 s\n");
    check(store, 0, "HTTP Pr:3133982", N, U, 881614000, 881614000);
    check(store, 1, "sshd:48125", N, U, 37000, 46000);
    store_close(store);
}

/* The page explains the lines with one more of them: no later frame, since its maximum is smaller. */
static void test_explained_lines(void **state)
{
    (void)state;
    struct store *store = import_text("# pmqtest -Sp99 -i100 -d0\n#0: ID10047, P99, CPU0, I100; #1: ID10048, P99, CPU0, Cycles 153695\n"
                                      "#1 -> #0, Min    1, Cur    8, Avg    5, Max   18\n\nID10047 is the thread\n\n"
                                      "#1 -> #0, Min    1, Cur    1, Avg    2, Max   11\n");
    assert_int_equal(store->n_runs, 1);
    check(store, 0, "1 -> 0", 153695, 1000, 5000, 18000);
    assert_string_equal(store->series[0].tool, "pmqtest");
    assert_string_equal(fact(store, 0, "pmqtest.interval_ns"), "100000");
    store_close(store);
    store = import_text(STATUS_A "where Max says\nT: 0 ( 1346) P:80 I:1000 C:  10000 Min:      9 Act:    1 Avg:   10 Max:      11\n");
    check(store, 0, "T0", 10000, 7000, 14000, 131000);
    assert_int_equal(store->n_runs, 2);
    store_close(store);
}

/* Sentences with times become claims, but not the lines of a result. */
static void test_claims(void **state)
{
    (void)state;
    struct store *store = import_text("hwlatdetect:  test duration 120 seconds\n   detector: tracer\n   parameters:\n        Latency threshold: 10us\n"
                                      "        Sample window:     1000000us\n        Sample width:      500000us\n\nStarting test\ntest finished\n"
                                      "Max Latency: 19us\nSamples recorded: 0\nSamples exceeding threshold: 0\n\n"
                                      "The worst case latency of this board was below 20 us in every run that we made.\n");
    assert_string_equal(fact(store, 0, "claim.1"), "The worst case latency of this board was below 20 us in every run that we made");
    assert_string_equal(fact(store, 0, "claim.2"), "");
    store_close(store);
}

/* The release alone, below its command; and what was measured names the text. */
static void test_release_alone(void **state)
{
    (void)state;
    struct store *store = import_text("default:\npi@box:~$ uname -r\n5.10.110-vendor\n" STATUS_A "realtime:\npi@box:~$ uname -r\n5.10.110-rt63-vendor\n" STATUS_B
                                      "see uname -r\n7 of them\n");
    assert_int_equal(store->n_runs, 2);
    assert_string_equal(fact(store, 0, "kernel.release"), "5.10.110-vendor");
    assert_string_equal(fact(store, 1, "kernel.release"), "5.10.110-rt63-vendor");
    assert_string_equal(store->artefacts[0].format, "cyclictest");
    store_close(store);
}

/* Commands that sentences mention between a command and its result; loads without the tasks behind them. */
static void test_mentioned_commands(void **state)
{
    (void)state;
    struct store *store = import_text("```\ncyclictest -m -t1 -p 99 -N -i 1000\n```\nSee `cyclictest --help` for more; `cyclictest -N` is about the unit.\n"
                                      "policy: fifo: loadavg: 0.02 0.03 0.05\n\nT: 0 ( 3407) P:99 I:1000 C: 100000 Min:      911 Act:   1302 Avg:   1144 Max:      17363\n"
                                      "and with `cyclictest -t1 -p 80 -i 500` it was:\nT: 0 ( 3507) P:80 I:500 C: 100000 Min:      9 Act:   13 Avg:   11 Max:      63\n");
    assert_int_equal(store->n_runs, 2);
    check(store, 0, "T0", 100000, 911, 1144, 17363);
    check(store, 1, "T0", 100000, 9000, 11000, 63000);
    assert_string_equal(fact(store, 0, "cyclictest.command"), "cyclictest -m -t1 -p 99 -N -i 1000");
    assert_string_equal(fact(store, 0, "load.average"), "0.02 0.03 0.05");
    assert_string_equal(fact(store, 1, "cyclictest.command"), "cyclictest -t1 -p 80 -i 500");
    store_close(store);
}

/* A table of summaries, each with its label: no maximum goes to another's minimum. */
static void test_labelled_summaries(void **state)
{
    (void)state;
    struct store *store = import_text("                A          B\n\n\t# Min Latencies: 00006\t\t00007\n  NICE(-19)\t# Avg Latencies: 00181\t\t00123\n"
                                      "\t# Max Latencies: 14432\t\t07456\n\n\t# Min Latencies: 00008\t\t00011\n  NICE(0)\t# Avg Latencies: 00456\t\t00316\n"
                                      "\t# Max Latencies: 37907\t\t12935\n");
    assert_int_equal(store->n_runs, 2); /* what the columns name */
    assert_int_equal(store->n_series, 4);
    assert_string_equal(store->runs[1].label, "B");
    check(store, 1, "NICE(0)", N, 8000, 456000, 37907000);
    check(store, 2, "NICE(-19)", N, 7000, 123000, 7456000);
    store_close(store);
    store = import_text("\t# Min Latencies: 00006\t\t00007\n  NICE(-19)\t# Avg Latencies: 00181\t\t00123\n"
                        "\t# Max Latencies: 14432\t\t07456\n\n\t# Min Latencies: 00008\t\t00011\n\t# Avg Latencies: 00456\t\t00316\n"
                        "\t# Max Latencies: 37907\t\t12935\n"); /* columns without a name */
    assert_int_equal(store->n_runs, 2);
    check(store, 1, "T1", N, 7000, 123000, 7456000);
    check(store, 2, "T0", N, 8000, 456000, 37907000);
    store_close(store);
    store = import_text("# Min Latencies: 00006\n# Avg Latencies: 00181\n# Max Latencies: 14432\n\n# Min Latencies: 00005\n# Avg Latencies: 00010\n"
                        "# Max Latencies: 00432\n");
    assert_int_equal(store->n_runs, 2);
    check(store, 1, "T0", N, 5000, 10000, 432000);
    store_close(store);
}

/* Releases as headings; threads of another start; a trace of another kernel. */
static void test_release_headings(void **state)
{
    (void)state;
    struct store *store = import_text("6.10.14-stable\nT: 4 ( 4322) P:99 I:3000 C: 262780 Min:      1 Act:    6 Avg:    3 Max:   50228\n\n6.9.12-stable\n"
                                      "T: 0 (24683) P:99 I:1000 C: 785036 Min:      1 Act:    6 Avg:    2 Max:    1660\n\nit begins with 6.10\n\n"
                                      "# tracer: wakeup_rt\n#\n# wakeup_rt latency trace v1.1.5 on 6.10.14-stable\n"
                                      "# latency: 55060 us, #2/2, CPU#4 | (M:desktop VP:0, KP:0, SP:0 HP:0 #P:8)\n"
                                      "   <...>-88        4dNh..    0us :       88:120:R   + [004]    8238:  0:R cyclictest\n"
                                      "   <...>-88        4d..3. 55059us :       88:120:R ==> [004]    8238:  0:R cyclictest\n");
    assert_int_equal(store->n_runs, 3);
    assert_string_equal(fact(store, 0, "kernel.release"), "6.10.14-stable");
    assert_string_equal(fact(store, 1, "kernel.release"), "6.9.12-stable");
    assert_string_equal(fact(store, 2, "kernel.release"), "6.10.14-stable");
    check(store, 1, "T0", 785036, 1000, 2000, 1660000);
    store_close(store);
}

/* What came before the lines of hwlatdetect, and what those of the module of 2014 look like. */
static void test_hwlat_lines(void **state)
{
    (void)state;
    struct store *store = import_text("hwlatdetect:  test duration 900 seconds\nMax Latency: 47us\nSamples recorded: 2\nSamples exceeding threshold: 2\n"
                                      "report saved to test.report (2 samples)\nts: 1646837340.346151918, inner:5, outer:9\n"
                                      "ts: 1646837351.550312752, inner:47, outer:45\n");
    assert_int_equal(store->n_series, 2);
    check(store, 0, "inner", 2, 5000, 26000, 47000);
    store_close(store);
    store = import_text("hwlatdetect:  test duration 120 seconds\nMax Latency: 22us\nSamples recorded: 3\nSamples exceeding threshold: 3\n"
                        "1408928107.0286324723   18      17\n.\n.\n1408928180.0296881126   15      22\n");
    check(store, 0, "inner", 2, 15000, 16500, 18000);
    check(store, 1, "outer", 2, 17000, 19500, 22000);
    store_close(store);
}

/* The end of a screen of rtla timerlat top: a table without its head. */
static void test_headless_top(void **state)
{
    (void)state;
    struct store *store = import_text(" 15 #12321     |        1         0         1        14 |       12         3        11        26\n"
                                      " 23 #12320     |       28         0         1        28 |       41         3        11        41\n"
                                      "rtla timerlat hit stop tracing\n");
    assert_int_equal(store->n_series, 4);
    check(store, 0, "cpu 15 irq", 12321, 0, 1000, 14000);
    check(store, 3, "cpu 23 thread", 12320, 3000, 11000, 41000);
    store_close(store);
}

/* A mail whose line ends are coded; two configurations of which one was measured. */
static void test_coded_line_ends(void **state)
{
    (void)state;
    struct store *store = import_text("Content-Transfer-Encoding: quoted-printable\n\nto=0A>> CONFIG_PREEMPT_VOLUNTARY=3Dy.=0A>> =0A>> T: 0 ( 3092) P:95 I:1000=\n"
                                      " C: 8514 Min: 1 Act: 2 Avg: 1 Max: 6=0A>> T: 1 ( 3093) P:95 I:1000 C: 8511 Min: 1 Act: 2 Avg:=\n 1 Max: 14=0A>> =0A>>> with the =\n"
                                      "patch=0A>>> CONFIG_PREEMPT=3Dy or CONFIG_PREEMPT_RT=3Dy=0A>>> T: 0 ( 3167) P:9=\n5 I:1000 C: 13958 Min: 1 Act: 2 Avg: 1 Max: 5=0A>>>=\n"
                                      " T: 1 ( 3168) P:95 I:1000 C: 13956 Min: 1 Act: 2 Avg: 1 Max: 7=0A\n");
    assert_int_equal(store->n_runs, 2);
    assert_int_equal(store->n_series, 4);
    check(store, 1, "T1", 8511, 1000, 1000, 14000);
    check(store, 3, "T1", 13956, 1000, 1000, 7000);
    assert_string_equal(fact(store, 0, "kernel.config.CONFIG_PREEMPT_VOLUNTARY"), "y");
    assert_string_equal(fact(store, 1, "kernel.config.CONFIG_PREEMPT_VOLUNTARY"), "");
    assert_string_equal(fact(store, 1, "kernel.config.CONFIG_PREEMPT_RT"), "");
    store_close(store);
}

/* A row beyond what it calls the worst: the further one. */
static void test_rows_beyond_worst(void **state)
{
    (void)state;
    struct store *store = import_text("RTT|  00:00:01  (periodic user-mode task, 10000 us period, priority 99)\n"
                                      "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n"
                                      "RTD|      0.614|      2.411|      3.650|       0|     0|      0.614|      3.650\n"
                                      "RTD|      0.512|      2.033|   8120.440|       0|     0|      0.614|      3.650\n");
    assert_int_equal(store->series[0].min_ns, 512);
    assert_int_equal(store->series[0].max_ns, 8120440);
    store_close(store);
}

/* Status lines behind tags and prefixes, several in one line, coded line ends; two runs side by side. */
static void test_lines_apart(void **state)
{
    (void)state;
#define T0 "T: 0 ( 1346) P:80 I:1000 C:  10000 Min:      7 Act:   13 Avg:   14 Max:     131"
#define T1 "T: 1 ( 1347) P:80 I:1500 C:   6667 Min:      8 Act:   13 Avg:   15 Max:      52"
    static const char *const texts[] = {
        "<p>I ran:</p><pre><code>" T0 "<br>" T1 "</code></pre>\n",
        "May 12 10:22:01 target cyclictest[812]: " T0 "\nMay 12 10:22:01 target cyclictest[812]: " T1 "\n",
        "{\"body\":\"Results:\\n" T0 "\\n" T1 "\\n\"}\n",
        "policy: fifo: loadavg: 0.31 0.31 0.19 1/358 2236 " T0 " " T1 " and so on\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct store *store = import_text(texts[i]);
        assert_int_equal(store->n_runs, 1);
        assert_int_equal(store->n_series, 2);
        check(store, 0, "T0", 10000, 7000, 14000, 131000);
        check(store, 1, "T1", 6667, 8000, 15000, 52000);
        store_close(store);
    }
    struct store *store = import_text(T0 " |  T: 0 ( 2346) P:80 I:1000 C:  10000 Min:      3 Act:   13 Avg:    4 Max:      31\n" T1
                                      " |  T: 1 ( 2347) P:80 I:1500 C:   6667 Min:      3 Act:   13 Avg:    5 Max:      22\n");
    assert_int_equal(store->n_runs, 2);
    check(store, 0, "T0", 10000, 7000, 14000, 131000);
    check(store, 2, "T0", 10000, 3000, 4000, 31000);
    check(store, 3, "T1", 6667, 3000, 5000, 22000);
    store_close(store);
#undef T0
#undef T1
}

/* Xenomai's rows behind tags and prefixes, in one line, with odd bars, with decimal commas: the same numbers. */
static void test_latency_rows_apart(void **state)
{
    (void)state;
#define RTT "RTT|  00:00:01  (periodic user-mode task, 100 us period, priority 99)"
#define RTH "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst"
#define RTD "RTD|      1.393|      2.908|     21.765|       0|     0|      1.393|     21.765"
#define RTS "RTS|      1.393|      2.920|     21.765|       0|     0|    00:00:02/00:00:02"
    static const char *const texts[] = {
        "<pre><code>" RTT "\n" RTH "\n" RTD "\n" RTS "</code></pre>\n",
        RTT "<br>" RTH "<br>" RTD "<br>---|-----------|---<br>" RTS "<br>\n",
        "they say == Sampling period: 100 us == Test mode: periodic " RTT " " RTH " " RTD " ---|-----------|--- " RTS " and so on\n",
        "May 12 10:22:01 t latency[8]: " RTT "\nMay 12 10:22:01 t latency[8]: " RTH "\nMay 12 10:22:02 t latency[8]: " RTD
        "\nMay 12 10:22:02 t latency[8]: " RTS "\n",
        RTT "\nRTH | ----lat min | ----lat avg | ----lat max | -overrun | ---msw | ---lat best | --lat worst\n"
        "RTD | 1.393 | 2.908 | 21.765 | 0 | 0 | 1.393 | 21.765\n--- | ----------- | ---\nRTS | 1.393 | 2.920 | 21.765 | 0 | 0 | 00:00:02/00:00:02\n",
        "== All results in microseconds\n" RTT "\n" RTH "\nRTD|      1,393|      2,908|     21,765|       0|     0|      1,393|     21,765\n"
        "RTS|      1,393|      2,920|     21,765|       0|     0|    00:00:02/00:00:02\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct store *store = import_text(texts[i]);
        assert_int_equal(store->n_series, 1);
        check(store, 0, "latency", N, 1393, 2920, 21765);
        assert_int_equal(store->series[0].interval_ns, 100000);
        store_close(store);
    }
    assert_null(try_text("  PORTD|=0x10; if (a | b) { PORTD|= (1<<3) | 4; }\n"));
#undef RTT
#undef RTH
#undef RTD
#undef RTS
}

/* The tabs between a histogram's counts are lost: no count of more than six digits begins with a zero. */
static void test_lost_tabs(void **state)
{
    (void)state;
    struct store *store = import_text("# Histogram\n000001 000005000004\n000002 100100000120\n000003 000030000020\n# Total: 000100135 000000144\n"
                                      "# Min Latencies: 00001 00001\n# Avg Latencies: 00002 00002\n# Max Latencies: 00003 00003\n# Histogram Overflows: 00000 00000\n");
    check(store, 0, "T0", 100135, 1000, 2000, 3000);
    check(store, 1, "T1", 144, 1000, 2000, 3000);
    assert_false(has_note(store, "counts-mismatch"));
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_above),       cmocka_unit_test(test_kernels_below),  cmocka_unit_test(test_worst_threads),
        cmocka_unit_test(test_commands),            cmocka_unit_test(test_summaries),      cmocka_unit_test(test_impossible_averages),
        cmocka_unit_test(test_latency_tables),      cmocka_unit_test(test_wrapped_headers), cmocka_unit_test(test_other_wraps),
        cmocka_unit_test(test_claims),              cmocka_unit_test(test_explained_lines), cmocka_unit_test(test_release_alone),
        cmocka_unit_test(test_rows_beyond_worst),   cmocka_unit_test(test_mentioned_commands),
        cmocka_unit_test(test_labelled_summaries),  cmocka_unit_test(test_release_headings), cmocka_unit_test(test_hwlat_lines),
        cmocka_unit_test(test_headless_top), cmocka_unit_test(test_lines_apart), cmocka_unit_test(test_latency_rows_apart), cmocka_unit_test(test_lost_tabs),        cmocka_unit_test(test_coded_line_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
