/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of tools other than cyclictest, from real files: what the store holds is what the source says. */
#include "imported.h"

static uint64_t sum_of_bins(const struct store *store, const struct series *series)
{
    size_t n;
    uint64_t sum = 0;
    const struct bin *bins = store_bins(store, (uint32_t)(series - store->series), &n);
    for (size_t i = 0; i < n; i++)
        sum += bins[i].count;
    return sum;
}

/* One row per series: every number stands in the file. Counts of bins are those of its rows. */
static const struct expected {
    const char *file;
    uint32_t run;
    const char *tool, *name;
    uint64_t n;
    int64_t min_ns, max_ns;
    uint64_t n_overflow;
    int64_t limit_ns, duration_ns;
    uint64_t n_in_bins;
} expected[] = {
    {"rtla/top-6.12-live.txt", 0, "rtla timerlat", "cpu 0 irq", 244, 38000, 83246000, N, U, 4000000000, 0},
    {"rtla/top-6.12-live.txt", 0, "rtla timerlat", "cpu 1 user", 241, 124000, 119859000, N, U, 4000000000, 0},
    {"rtla/top-7.2-stop-at-irq.txt", 0, "rtla timerlat", "cpu 0 irq", 1, 2104000, 2104000, N, U, 3000000000, 0},
    {"rtla/top-7.2-stop-at-irq.txt", 0, "rtla timerlat", "cpu 0 thread", 0, U, U, N, U, 3000000000, 0},
    {"rtla/hist-6.12.txt", 0, "rtla timerlat", "cpu 0 irq", 217, 15000, 359617000, 65, U, 4000000000, 152},
    {"rtla/hist-6.12.txt", 0, "rtla timerlat", "cpu 1 user", 217, 124000, 362105000, 65, U, 4000000000, 152},
    {"rtla/hist-empty-column.txt", 0, "rtla timerlat", "cpu 2 user", 0, U, U, 0, U, U, 0},
    {"rtla/hist-empty-column.txt", 0, "rtla timerlat", "cpu 2 thread", 1, 52000, 52000, 0, U, U, 1},
    {"rtla/osnoise-hist-6.12.txt", 0, "rtla osnoise", "cpu 0", 123136, 1000, 308761000, 504, U, 3000000000, 122632},
    {"rtla/osnoise-top-6.12.txt", 0, "rtla osnoise", "cpu 1 max noise", 3, U, 823680000, N, U, 3000000000, 0},
    {"rtla/osnoise-top-6.12.txt", 0, "rtla osnoise", "cpu 1 max single", N, U, 47278000, N, U, 3000000000, 0},
    {"rtla/hwnoise-6.12.txt", 0, "rtla hwnoise", "cpu 0 max noise", 2, U, 656457000, N, U, 3000000000, 0},
    {"xenomai/latency-overflow.txt", 0, "xenomai latency", "latency", 108, 109280, 384583552, 82, 1999000, 8000000000, 26},
    {"xenomai/latency-g.txt", 0, "xenomai latency", "latency", 4998, -112, 1472, 0, U, 10000000000, 4998},
    {"xenomai/latency-negative.txt", 0, "xenomai latency", "latency", 7996, -1856, 672, N, U, 8000000000, 0},
    {"xenomai/latency-no-sample.txt", 0, "xenomai latency", "latency", 0, U, U, N, U, 10000000000, 0},
    {"xenomai/latency-kernel-timer.txt", 0, "xenomai latency", "latency", 39980, 2908, 7440, 0, U, 4000000000, 39980},
    {"xenomai/latency-rows-only.txt", 0, "xenomai latency", "latency", N, 514, 1333165, N, U, 7000000000, 0},
    {"xenomai/klatency.txt", 0, "xenomai latency", "latency", N, -837, 10999, N, U, 18000000000, 0},
    {"xenomai/latency-garbled-row.txt", 0, "xenomai latency", "latency", 599943, 1175, 374075, N, U, 60000000000, 0},
    {"evl/latmus.txt", 0, "latmus", "latency", N, 26653, 31204, N, U, 6000000000, 0},
    {"evl/latmus-g.txt", 0, "latmus", "latency", 71598, 205, 25510, 0, U, 72000000000, 71598},
    {"tools/hwlatdetect.txt", 0, "hwlatdetect", "inner", 6, 179000, 12068000, N, U, 5000000000, 0},
    {"tools/hwlatdetect.txt", 0, "hwlatdetect", "outer", 6, 196000, 16046000, N, U, 5000000000, 0},
    {"tools/oslat-1.10.txt", 0, "oslat", "cpu 0", 5073398, 1000, 129370000, 85, 4000, 2018000000, 5073313},
    {"tools/oslat-2.10.txt", 0, "oslat", "cpu 0", 24746808, 0, 41135000, 722, 4000, 2007000000, 24746086},
    {"tools/oslat-2.10.json", 0, "oslat", "cpu 0", 24746808, 0, 41135000, 722, 4000, 2007000000, 24746086},
    {"tools/stress-ng.txt", 0, "stress-ng", "cyclic", 10000, 2603, 2073993, N, U, U, 0},
    {"tools/latency-hist.txt", 0, "latency_hist", "histogram", 196871313, 0, 1207040000, 2, 10240000, U, 196871310},
    {"tools/latency-hist-empty.txt", 0, "latency_hist", "histogram", 0, U, U, 0, 10240000, U, 0},
    {"jitterdebugger/results.json", 0, "jitterdebugger", "T1", 500, 15000, 1247000, 1, 1000000, U, 499},
    {"jitterdebugger-hdf5/samples.hdf5", 0, "jitterdebugger", "T0", 16, 20000, 37000, N, U, U, 0},
    {"jitterdebugger-hdf5/samples.hdf5", 0, "jitterdebugger", "T1", 16, 16000, 1247000, N, U, U, 0},
    {"rt-tests/deadline_test-2.4.txt", 0, "deadline_test", "T0", 1000, 2686000, 11349000, N, U, U, 0},
    {"rt-tests/deadline_test-2.4.txt", 0, "deadline_test", "T1", 948, 2829000, 11088000, N, U, U, 0},
    {"tools/jitterdebugger-no-sample.txt", 0, "jitterdebugger", "T1", 0, U, U, N, U, U, 0},
    {"tools/rteval-cyclictest.xml", 0, "rteval cyclictest", "cpu 0", 99561, 7000, 1599000, N, 3500000, U, 99561},
    {"tools/rteval-cyclictest.xml", 0, "rteval cyclictest", "cpu 1", 99579, 6000, 1482000, N, 3500000, U, 99579},
    {"tools/export.hgrm", 0, "hdrhistogram", "distribution", 40, 19000, 46000, 37, U, U, 3},
    {"tools/recorder.hgrm", 0, "hdrhistogram", "distribution", 1000, 14000, 9023000, N, U, U, 1000},
    {"perf/latency.txt", 0, "perf sched", "kcompactd0:42", N, U, 135000, N, U, U, 0},
    {"perf/timehist.txt", 0, "perf sched", "migration/0[20]", 1, 77000, 77000, N, U, U, 0},
    {"bpf/runqlat.txt", 0, "bcc", "run queue latency", 2398, U, U, 0, U, U, 2398},
    {"bpf/runqlat-intervals.txt", 0, "bcc", "run queue latency pid 613 cyclictest", 151, U, U, 0, U, U, 151},
    {"bpf/hardirqs.txt", 0, "bcc", "hard irq event time hardirq nvme0q1", 14, U, U, 0, U, U, 14},
    {"bpf/hardirqs.txt", 0, "bcc", "hard irq event time hardirq ena-mgmnt@pci:0000:00:05.0", N, U, U, N, U, U, 4},
    {"bpf/funclatency-two.txt", 1, "bcc", "1 functions for \"unix_dgram_sendmsg\"", 4096, U, U, 0, U, U, 4096},
    {"bpf/bpftrace-two.txt", 1, "bpftrace", "ep_try_send_events_ns", 3759127, U, U, 0, U, U, 3759127},
    {"bpf/bpftrace-maps.txt", 0, "bpftrace", "usecs 1743412", 1948, U, U, 0, U, U, 1948},
    {"bpf/bpftrace-maps.txt", 0, "bpftrace", "lat_us cyclictest, 3", 66, U, U, 4, 30000, U, 62},
    {"schbench/two-first-form.txt", 0, "schbench", "latency", N, U, 10007000, N, U, U, 0},
    {"schbench/two-first-form.txt", 1, "schbench", "latency", N, U, 6488000, N, U, U, 0},
    {"schbench/displays.txt", 0, "schbench", "latency", 8274, 3000, 39652000, N, U, 30000000000, 0},
    {"schbench/requests-two.txt", 1, "schbench", "wakeup", 943005, 1000, 20467000, N, U, 100000000000, 0},
    {"schbench/requests-two.txt", 0, "schbench", "request", 941598, 4487000, 241201000, N, U, 100000000000, 0},
    {"csv/decimal-comma.csv", 0, "csv", "Latency", 4, 11000, 99125, N, U, U, 0},
    {"mails/002.txt", 0, "application", "write latency", 1, 8235083, 8235083, N, U, U, 0},
    {"mails/002.txt", 1, "posix_test", "read", N, 7000, 49000, N, U, 900000000000, 0},
    {"mails/002.txt", 4, "posix_test", "write", N, 1000, 185000, N, U, 900000000000, 0},
    {"mails/003.txt", 0, "irLat", "irLat", N, 3198, 105330, N, U, U, 0},
    {"mails/003.txt", 0, "cyclictest", "T4", 5489925, 9000, 186000, N, U, U, 0},
    {"mails/003.txt", 1, "irLat", "irLat", N, 3213, 92520, N, U, U, 0},
    {"mails/003.txt", 1, "cyclictest", "T0", 17461866, 1000, 151000, N, U, U, 0},
    {"mails/004.txt", 3, "table", "Duration", N, 59400, 1849800, N, U, U, 0},
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct expected *e = &expected[i];
        struct store *store = import_file(e->file);
        const struct series *s = find(store, e->run, e->name);
        if (strcmp(s->tool, e->tool) != 0 || s->n_samples != e->n || s->min_ns != e->min_ns || s->max_ns != e->max_ns ||
            s->n_overflow != e->n_overflow || s->overflow_limit_ns != e->limit_ns || s->duration_ns != e->duration_ns ||
            sum_of_bins(store, s) != e->n_in_bins)
            fail_msg("%s: %s %s: n %lld, min %lld, max %lld, over %lld, limit %lld, duration %lld, in bins %lld", e->file, s->tool,
                     s->name, (long long)s->n_samples, (long long)s->min_ns, (long long)s->max_ns, (long long)s->n_overflow,
                     (long long)s->overflow_limit_ns, (long long)s->duration_ns, (long long)sum_of_bins(store, s));
        store_close(store);
    }
}

/* What is odd about a file must be said, and nothing odd must be said of a sound one. */
static void test_notes(void **state)
{
    (void)state;
    static const struct {
        const char *file, *code;
        bool is_expected;
    } rows[] = {
        {"rtla/top-7.2-stop-at-irq.txt", "tool-bug", true},
        {"rtla/top-7.2-tasks.txt", "tool-bug", false},
        {"rtla/hist-empty-column.txt", "not-measured", true},
        {"rtla/hist-empty-column.txt", "unit-assumed", true},
        {"rtla/hist-6.12.txt", "counts-mismatch", false},
        {"rtla/osnoise-hist-6.12-b20.txt", "not-measured", true},
        {"xenomai/latency-garbled-row.txt", "damaged-lines", true},
        {"xenomai/latency-negative.txt", "tool-bug", true},
        {"xenomai/latency-no-sample.txt", "not-measured", true},
        {"xenomai/latency-overflow.txt", "counts-mismatch", false},
        {"tools/latency-hist.txt", "counts-mismatch", true},
        {"tools/latency-hist-empty.txt", "not-measured", true},
        {"tools/hwlatdetect.txt", "counts-mismatch", false},
        {"tools/oslat-threshold.txt", "entries-missing", true},
        {"mails/002.txt", "unit-assumed", true},
        {"mails/004.txt", "unit-assumed", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct store *store = import_file(rows[i].file);
        if (has_note(store, rows[i].code) != rows[i].is_expected)
            fail_msg("%s: note %s is %s", rows[i].file, rows[i].code, rows[i].is_expected ? "missing" : "there");
        store_close(store);
    }
}

static int64_t part_ns(const struct claim *claim, const char *subject)
{
    for (size_t i = 0; i < claim->n_parts; i++)
        if (claim->parts[i].subject && strcmp(claim->parts[i].subject, subject) == 0)
            return claim->parts[i].amount_ns;
    return NS_UNKNOWN;
}

static void test_rtla_analysis(void **state)
{
    (void)state;
    struct store *store = import_file("rtla/analysis-tabs-lost.txt");
    assert_int_equal(store->n_claims, 1);
    const struct claim *claim = store->claims;
    assert_int_equal(claim->latency_ns, 1235470);
    assert_int_equal(claim->cpu, 3);
    assert_int_equal(claim->irq_latency_ns, 1900);
    assert_int_equal(claim->section, SECTION_TIMER_THREAD);
    assert_int_equal(part_ns(claim, "insync:4048"), 1223160);
    assert_int_equal(part_ns(claim, "local_timer:236"), 4930);
    store_close(store);

    store = import_file("rtla/analysis-irq-stop.txt");
    claim = store->claims;
    assert_int_equal(claim->latency_ns, 709250);
    assert_int_equal(claim->section, SECTION_TIMER_IRQ);
    assert_int_equal(part_ns(claim, "ip:3567"), NS_UNKNOWN);
    assert_int_equal(claim->n_stack, 21);
    assert_string_equal(claim->stack[6], "igb_update_mc_addr_list");
    store_close(store);

    /* its first line is missing: the CPU follows from the idle task and from the line below */
    store = import_file("rtla/hist-empty-column.txt");
    claim = store->claims;
    assert_int_equal(claim->cpu, 2);
    assert_int_equal(claim->parts[0].kind, PART_IDLE_EXIT);
    assert_int_equal(claim->parts[0].amount_ns, 48210);
    assert_true(claim->parts[0].is_inferred);
    store_close(store);

    /* a delay of 78 s within a latency of 2 ms is the trace's time stamp */
    store = import_file("rtla/top-7.2-stop-at-irq.txt");
    assert_int_equal(store->claims[0].parts[0].amount_ns, NS_UNKNOWN);
    store_close(store);

    store = import_file("rtla/top-7.2-tasks.txt");
    assert_int_equal(store->n_claims, 2);
    assert_string_equal(store_task_comm(store, 0, 189), "timerlatu/1");
    store_close(store);
}

static void test_rtla_wrapped(void **state)
{
    (void)state;
    struct store *store = import_text("> Index   IRQ-000   Thr-000\n> IRQ-001   Thr-001\n> 0   1   0\n> 1   0\n> 10  0   1   0   1\n"
                                      "> over: 0 0 0 0\n> count: 1 1\n> 1 1\n> min: 3 12 4 17\n> avg: 3 12 4 17\n> max: 3 12 4 17\n");
    assert_int_equal(store->n_series, 4);
    const struct series *s = find(store, 0, "cpu 1 thread");
    assert_int_equal(s->max_ns, 17000);
    assert_int_equal(s->bin_width_ns, 10000);
    assert_true(has_note(store, "damaged-lines"));
    assert_false(has_note(store, "counts-mismatch"));
    store_close(store);

    store = import_text("## CPU 2 hit stop tracing, analyzing it ##\n IRQ handler delay:\n    (exit from idle) 59.81 us (3.55 %)\n"
                        " IRQ latency: 86.46 us\n Blocking thread: 28.54us (1.69 %)\n   kworker/u4:1:77 28.54 us\n"
                        "-----\n Thread latency: 1684.70 us (100%)\n");
    assert_int_equal(store->claims[0].latency_ns, 1684700);
    assert_int_equal(store->claims[0].parts[0].amount_ns, 59810);
    assert_int_equal(store->claims[0].parts[0].kind, PART_IDLE_EXIT);
    assert_int_equal(part_ns(&store->claims[0], "kworker/u4:1:77"), 28540);
    store_close(store);
}

static const struct counter *find_counter(const struct store *store, const char *source, uint32_t snapshot, const char *scope, const char *name)
{
    for (size_t i = 0; i < store->n_counters; i++) {
        const struct counter *c = &store->counters[i];
        if (strcmp(c->source, source) == 0 && c->snapshot == snapshot && strcmp(c->scope, scope) == 0 && strcmp(c->name, name) == 0)
            return c;
    }
    fail_msg("no counter %s %u [%s] %s", source, snapshot, scope, name);
    return NULL;
}

static void test_xenomai_snapshots(void **state)
{
    (void)state;
    /* snap_t10 sorts before snap_t2 by letters: the number decides */
    struct store *store = import_file("xenomai");
    const struct counter *c = find_counter(store, "xenomai/sched/stat", 1, "sampling-1105:1117", "CSW");
    assert_int_equal(c->value.mantissa, 5069);
    assert_int_equal(c->delta.mantissa, 5069 - 2013);
    c = find_counter(store, "xenomai/sched/stat", 0, "IRQ18: [timer] cpu 0", "CSW");
    assert_int_equal(c->value.mantissa, 36071);
    assert_false(c->delta.is_known);
    c = find_counter(store, "xenomai/sched/stat", 1, "ROOT/0", "%CPU");
    assert_int_equal(c->value.mantissa, 992);
    assert_int_equal(c->value.digits, 1);
    assert_false(c->delta.is_known); /* a share since the last read is no counter */
    c = find_counter(store, "xenomai/sched/acct", 1, "IRQ18: [timer] cpu 0", "exectime_total");
    assert_int_equal(c->delta.mantissa, 274966752 - 262405664);
    c = find_counter(store, "xenomai/irq", 1, "18: [timer/0]", "CPU0");
    assert_int_equal(c->delta.mantissa, 4635);
    c = find_counter(store, "xenomai/timer/coreclk", 1, "timerfd_handler cpu 0", "SHOT");
    assert_int_equal(c->delta.mantissa, 3056);
    bool has_priority = false;
    for (size_t i = 0; i < store->n_tasks; i++)
        has_priority |= store->tasks[i].tid == 1117 && store->tasks[i].rt_priority == 99;
    assert_true(has_priority);
    store_close(store);

    store = import_text("    0 1117 2 1976 1982 0 0004c042 92219572080 23587952 23587952 sampling 1 rt 99 0\n");
    assert_int_equal(find_counter(store, "xenomai/sched/acct", 0, "sampling 1:1117", "XSC")->value.mantissa, 1982);
    store_close(store);

    /* two folders alone are snapshots of one run as well */
    store = import_file("snapshots");
    assert_int_equal(store->n_runs, 1);
    assert_int_equal(find_counter(store, "xenomai/irq", 1, "18: [timer/0]", "CPU0")->delta.mantissa, 4635);
    store_close(store);

    store = import_text("CPU  PID    MSW        CSW        PF    STAT       %CPU  NAME\n"
                        "  0  0      0          4294967290 0     00500080   76.4  ROOT\n  0  2288   2          7     1     00300384   21.0  a b:c\n"
                        "\nCPU  PID    MSW        CSW        PF    STAT       %CPU  NAME\n"
                        "  0  0      0          10         0     00500080   70.0  ROOT\n  0  2288   2          3     1     00300184   21.0  a b:c\n");
    c = find_counter(store, "xenomai/stat", 1, "ROOT", "CSW");
    assert_int_equal(c->delta.mantissa, 16); /* 32 bits wrapped */
    c = find_counter(store, "xenomai/stat", 1, "a b:c:2288", "CSW");
    assert_false(c->delta.is_known); /* fell without a wrap: another thread */
    assert_int_equal(find_counter(store, "xenomai/stat", 0, "a b:c:2288", "relaxed")->value.mantissa, 1);
    assert_int_equal(find_counter(store, "xenomai/stat", 1, "a b:c:2288", "relaxed")->value.mantissa, 0);
    store_close(store);
}

static void test_xenomai_units(void **state)
{
    (void)state;
    struct store *store = import_text("RTH|-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst\n"
                                      "RTD|        3120|        4711|       21456|       0|        3120|       21456\n");
    const struct series *s = find(store, 0, "latency");
    assert_int_equal(s->max_ns, 21456); /* 2.0 prints ns, without decimals */
    assert_non_null(s->unit_evidence);
    store_close(store);

    /* -B 100: bucket 91 is 9.1 us */
    store = import_text("RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n"
                        "RTD|      9.148|      9.353|     10.724|       0|     0|      9.148|     10.724\n"
                        "HSD|    avg|  91 - 92 |       40\nHSD|    avg| 107 -108 |        1\n"
                        "RTS|      9.148|      9.177|     10.724|       0|     0|    00:00:01/00:00:01\n");
    assert_int_equal(find(store, 0, "latency")->bin_width_ns, 100);
    store_close(store);

    store = import_file("evl/latmus.txt");
    s = find(store, 0, "latency");
    assert_int_equal(s->cpu, 1);
    assert_int_equal(s->priority, 98);
    assert_int_equal(s->interval_ns, 1000000);
    assert_int_equal(store_count_samples(store, 0), 6);
    assert_true(s->is_block_maxima); /* the worst of each second */
    store_close(store);

    store = import_file("xenomai/autotune.txt");
    assert_string_equal(fact(store, 0, "autotune.user_gravity_ns"), "7936");
    store_close(store);
    store = import_file("xenomai/switchtest.txt");
    assert_int_equal(find_counter(store, "switchtest", 0, "cpu 1", "total")->value.mantissa, 619);
    assert_int_equal(store->n_series, 0);
    store_close(store);
}

static void test_oslat_edges(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int64_t first_low_ns;
        int64_t width_ns, max_ns;
    } rows[] = {
        {"tools/oslat-1.10.txt", 0, 1000, 129370000},  {"tools/oslat-2.1.json", 0, 1000, 68525000},
        {"tools/oslat-2.5.txt", 0, 1000, 14532000},     {"tools/oslat-2.10.txt", 0, 1000, 41135000},
        {"tools/oslat-2.8-ns.json", 0, 500, 64074682},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct store *store = import_file(rows[i].file);
        const struct series *s = find(store, 0, "cpu 0");
        size_t n;
        const struct bin *bins = store_bins(store, 0, &n);
        assert_true(n > 0);
        if (bins[0].low_ns != rows[i].first_low_ns || s->bin_width_ns != rows[i].width_ns || s->max_ns != rows[i].max_ns)
            fail_msg("%s: first bin %lld, width %lld, max %lld", rows[i].file, (long long)bins[0].low_ns, (long long)s->bin_width_ns,
                     (long long)s->max_ns);
        assert_true(isnan(s->avg_ns));
        store_close(store);
    }
    struct store *store = import_file("tools/oslat-threshold.txt");
    assert_int_equal(store->n_claims, 1);
    assert_int_equal(store->claims[0].latency_ns, 30000);
    assert_int_equal(store->claims[0].cpu, 1);
    store_close(store);
}

static struct store *import_set(const char *path, const char *const *settings, size_t n)
{
    const struct import_options options = {.quiet = true, .no_hash = true, .settings = settings, .n_settings = n};
    return import_with(path, &options);
}

static void test_csv(void **state)
{
    (void)state;
    struct store *store = import_set("tests/data/csv/logic.csv", (const char *const[]){"csv.time=1", "csv.signal=Channel 0"}, 2);
    const struct series *s = find(store, 0, "Channel 0 high"); /* the last rise has no end: no latency */
    assert_int_equal(s->n_samples, 2);
    assert_int_equal(s->min_ns, 12500);
    assert_int_equal(s->max_ns, 95000);
    struct sample_view view;
    assert_int_equal(store_sample_chunk(store, 0, 0, &view, NULL), OK);
    assert_int_equal(view.time_ns[1], 2000000);
    store_close(store);
    store = import_set("tests/data/csv/edges.csv", (const char *const[]){"csv.begin=edge_a", "csv.end=edge_b", "csv.path=irq-response"}, 3);
    s = find(store, 0, "edge_a to edge_b");
    assert_int_equal(s->max_ns, 100000);
    assert_int_equal(s->path, PATH_IRQ_RESPONSE);
    assert_true(has_note(store, "unit-assumed"));
    store_close(store);
    store = import_set("tests/data/tools/export.hgrm", (const char *const[]){"hgrm.unit=ns"}, 1);
    assert_int_equal(find(store, 0, "distribution")->max_ns, 46);
    assert_false(has_note(store, "unit-assumed"));
    store_close(store);
    /* Eight samples lie between 117 and 2003 us; the buckets that 2,048 parts give (8.8 us at the maximum) are narrower. */
    store = import_file("tools/recorder.hgrm");
    assert_int_equal(find(store, 0, "distribution")->bin_width_ns, 1886000);
    store_close(store);
    /* Without a footer the two decimals tell of two digits: 256 parts. */
    store = import_text("       Value     Percentile TotalCount 1/(1-Percentile)\n\n   10.00 0.000000000000 1 1.00\n"
                        " 1280.00 1.000000000000 2 inf\n");
    assert_int_equal(find(store, 0, "distribution")->bin_width_ns, 10000);
    store_close(store);
}

static void test_jitterdebugger(void **state)
{
    (void)state;
    struct store *store = import_file("jitterdebugger");
    /* results.json and samples.raw of one folder are one run: samples join the series of the results */
    const struct series *s = find(store, 0, "T0");
    assert_int_equal(s->n_samples, 500);
    assert_int_equal(store_count_samples(store, (uint32_t)(s - store->series)), 500);
    assert_int_equal(sum_of_bins(store, s), 500);
    assert_string_equal(fact(store, 0, "kernel.release"), "6.18.44");
    assert_false(has_note(store, "unit-assumed"));
    store_close(store);
    store = import_file("jitterdebugger/samples.raw");
    assert_true(has_note(store, "unit-assumed"));
    assert_int_equal(find(store, 0, "T1")->max_ns, 1247000);
    store_close(store);
}

static void test_evl_sysfs(void **state)
{
    (void)state;
    struct store *store = import_text("/sys/devices/virtual/thread/latmus-klat:394/pid:394\n/sys/devices/virtual/thread/latmus-klat:394/sched:1 90 90 fifo\n"
                                      "/sys/devices/virtual/thread/latmus-klat:394/stats:2 58720 58724 0 412338120 17\n"
                                      "/sys/devices/virtual/thread/a/b/pid:77\n/sys/devices/virtual/thread/a/b/stats:0 0 0 0 0 0\n"
                                      "/sys/devices/virtual/thread/cut/stats:3 4\n");
    assert_int_equal(store->n_tasks, 2);
    assert_int_equal(store->tasks[0].tid, 394);
    assert_int_equal(store->tasks[0].rt_priority, 90);
    assert_int_equal(find_counter(store, "evl/thread", 0, "latmus-klat:394:394", "CTXSW")->value.mantissa, 58720);
    assert_int_equal(find_counter(store, "evl/thread", 0, "latmus-klat:394:394", "%CPU")->value.mantissa, 17);
    assert_int_equal(store->n_counters, 6);
    assert_true(has_note(store, "not-measured"));
    store_close(store);
}

static void test_perf_and_evl(void **state)
{
    (void)state;
    struct store *store = import_file("perf/timehist.txt");
    const struct series *s = find(store, 0, "migration/0[20]");
    struct sample_view view;
    assert_int_equal(store_sample_chunk(store, (uint32_t)(s - store->series), 0, &view, NULL), OK);
    /* left the CPU at 287.188022 after 1.933 ms, woken 0.077 ms before that */
    assert_int_equal(view.time_ns[0], INT64_C(287188022000) - 1933000 - 77000);
    assert_true(has_note(store, "not-measured"));
    store_close(store);
    store = import_file("evl/ps.txt");
    assert_int_equal(store->n_tasks, 2);
    assert_int_equal(store->tasks[0].rt_priority, 90);
    assert_string_equal(store->tasks[0].comm, "latmus-klat:394");
    store_close(store);
    store = import_text("CPU   PID   SCHED   PRIO  ISW     CTXSW     SYS       RWA         STAT     TIMEOUT      %CPU   CPUTIME     NAME\n"
                        "  1   811      rt    98   2       58720     58724     0           W        998.123       1.7   00:412.338  a b:1\n");
    assert_int_equal(find_counter(store, "evl/ps", 0, "a b:1:811", "CTXSW")->value.mantissa, 58720);
    store_close(store);
    store = import_text("core_i:  0  1\nthreshold(ns):  200  200\nruntime(ns): 10000000000 10000000000\nint_n:  12  0\n"
                        "int_min(ns):  205  0\nint_mean(ns):  1200  0\nint_max(ns):  31034  0\n");
    assert_int_equal(find(store, 0, "cpu 0")->max_ns, 31034);
    assert_int_equal(find(store, 0, "cpu 1")->max_ns, NS_UNKNOWN); /* 0 interruptions: nothing was measured */
    store_close(store);
}

static void test_xenomai_cyclictest(void **state)
{
    (void)state;
    struct store *store = import_text("0.00 0.01 0.05 1/40 812\n\n"
                                      "T: 0 (  812) P:99 I:     100 C:    2000 Min:       4 Act:       5 Avg:       3 Max:       9\n"
                                      "# Histogram\n000004 000400\n000005 000300\n000006 000200\n000007 000050\n000008 000049\n000009 000001\n"
                                      "# Total: 000001000\n# Min Latencies: 00004\n# Avg Latencies: 00003\n# Max Latencies: 00009\n"
                                      "# Histogram Overflows: 00000\n");
    const struct series *s = find(store, 0, "T0");
    assert_int_equal(s->n_samples, 1000); /* 2.6.4 counts every cycle twice */
    assert_true(fabs(s->avg_ns - 5051) < 1);
    assert_int_equal(s->max_ns, 9000);
    assert_true(has_note(store, "tool-bug"));
    assert_false(has_note(store, "counts-mismatch"));
    store_close(store);
}

static void test_mails(void **state)
{
    (void)state;
    struct store *store = import_file("mails/000-flattened.txt");
    bool has_claim = false;
    for (size_t i = 0; i < store->n_facts; i++)
        has_claim |= strcmp(store->facts[i].value, "50000 ns, 83000 ns, 117000 ns") == 0;
    assert_true(has_claim);
    store_close(store);

    store = import_file("mails/003.txt");
    assert_int_equal(store->n_runs, 2);
    assert_string_equal(fact(store, 0, "kernel.release"), "2.6.16-rt16");
    assert_string_equal(fact(store, 1, "kernel.release"), ""); /* A's kernel is not B's */
    assert_int_equal(store->n_series, 12);
    store_close(store);

    store = import_file("mails/004.txt"); /* the reply quotes the table: four configurations, not eight */
    assert_int_equal(store->n_runs, 4);
    assert_int_equal(store->n_series, 4);
    assert_string_equal(store->runs[2].label, "Vanilla + load");
    store_close(store);

    store = import_file("tools/stress-ng.txt");
    const struct series *s = find(store, 0, "cyclic");
    assert_int_equal(s->priority, 95);
    assert_int_equal(s->policy, POLICY_FIFO);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_notes),             cmocka_unit_test(test_rtla_analysis),
        cmocka_unit_test(test_rtla_wrapped), cmocka_unit_test(test_xenomai_snapshots), cmocka_unit_test(test_xenomai_units),
        cmocka_unit_test(test_oslat_edges), cmocka_unit_test(test_csv),               cmocka_unit_test(test_jitterdebugger),
        cmocka_unit_test(test_evl_sysfs),       cmocka_unit_test(test_perf_and_evl), cmocka_unit_test(test_xenomai_cyclictest), cmocka_unit_test(test_mails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
