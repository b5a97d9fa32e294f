/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate and conditions on stores of a few rows, each solvable on paper. */
#include "tests/bench_store.h"

/* ---- validate ---- */

static void a_smooth_run_is_clean_in_any_unit(void **state)
{
    (void)state;
    for (int64_t stretch = 1; stretch <= 3; stretch++) { /* the same values times two: nothing changes but they */
        struct bench b;
        struct bin bins[400];
        bench_begin(&b);
        bench_run(&b, "a", 0);
        struct series s = series_of(&b, "T0");
        s.bin_width_ns = s.resolution_ns = 1000 * stretch;
        bench_series(&b, &s, bins, bins_of(bins, 3.6e6, 4, stretch));
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
        assert_int_equal(verdict_of(&b, 0), VERDICT_CREDIBLE);
        assert_non_null(found(&b, "clean"));
        assert_null(found(&b, "isolated-maximum"));
        assert_true(b.analysis.series[0].quantiles_ns[0] == 7000.0 * (double)stretch);
        assert_true(fabs(b.analysis.series[0].tail.scale_ns / 4000 / (double)stretch - 1) < 0.1);
        assert_int_equal(b.analysis.series[0].n_lost_periods, 0);
        bench_end(&b);
    }
}

static void a_single_far_sample_needs_lost_periods(void **state)
{
    (void)state;
    static const struct {
        uint64_t n_missing;
        enum verdict verdict;
        const char *code;
    } ways[] = {{8, VERDICT_CREDIBLE_ISOLATED, "lost-periods-confirm"}, {0, VERDICT_ARTEFACT, "lost-periods-contradict"}};
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        struct bin bins[401];
        bench_begin(&b);
        bench_run(&b, "a", 0);
        bench_fact(&b, "cyclictest.duration_ns", "3600000000000");
        size_t n = bins_of(bins, 3.6e6, 4, 1);
        bins[n++] = (struct bin){8334000, 1};
        struct series s = series_of(&b, "T0");
        uint64_t total = 0;
        for (size_t k = 0; k < n; k++)
            total += bins[k].count;
        s.n_requested = total + ways[i].n_missing;
        bench_series(&b, &s, bins, n);
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
        assert_int_equal(verdict_of(&b, 0), ways[i].verdict);
        assert_non_null(found(&b, ways[i].code));
        assert_int_equal(b.analysis.series[0].n_lost_periods, ways[i].n_missing);
        bench_end(&b);
    }
}

static void without_a_witness_it_is_suspect(void **state)
{
    (void)state;
    struct bench b;
    struct bin bins[401];
    bench_begin(&b);
    bench_run(&b, "a", 0);
    size_t n = bins_of(bins, 3.6e6, 4, 1);
    bins[n++] = (struct bin){600000, 1};
    struct series s = series_of(&b, "T0");
    bench_series(&b, &s, bins, n);
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_int_equal(verdict_of(&b, 0), VERDICT_SUSPECT);
    assert_true(value_of(found(&b, "isolated-maximum"), "max_ns") == 600000);
    assert_true(value_of(found(&b, "isolated-maximum"), "p") < 0.01);
    assert_null(found(&b, "clean"));
    bench_end(&b);
}

/* Threads that start one after another miss cycles too: 0, 6, 13 for the start, and 20 for a stop of 20.5 ms of the third. */
static void the_start_up_staircase_is_no_loss(void **state)
{
    (void)state;
    struct bench b;
    struct bin bins[401];
    static const uint64_t missing[] = {0, 6, 33, 19};
    static const int64_t max_ns[] = {0, 0, 20500000, 0};
    bench_begin(&b);
    bench_run(&b, "a", 0);
    bench_fact(&b, "cyclictest.duration_ns", "3600000000000");
    for (int i = 0; i < 4; i++) {
        size_t n = bins_of(bins, 3.6e6, 4, 1);
        if (max_ns[i])
            bins[n++] = (struct bin){max_ns[i], 1};
        struct series s = series_of(&b, i == 0 ? "T0" : i == 1 ? "T1" : i == 2 ? "T2" : "T3");
        uint64_t total = 0;
        for (size_t k = 0; k < n; k++)
            total += bins[k].count;
        s.n_requested = total + missing[i];
        bench_series(&b, &s, bins, n);
    }
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_int_equal(b.analysis.series[0].n_lost_periods, 0);
    assert_int_equal(b.analysis.series[1].n_lost_periods, 0);
    assert_int_equal(b.analysis.series[3].n_lost_periods, 0);
    /* Between 33 - 19 and 33 - 6: 20 fit in, so nothing is contradicted, and nothing exact is claimed. */
    assert_true(b.analysis.series[2].n_lost_periods == COUNT_UNKNOWN);
    assert_null(found(&b, "lost-periods-contradict"));
    bench_end(&b);
}

static void nothing_measured_is_no_data(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b);
    bench_run(&b, "a", 0);
    struct series s = series_of(&b, "T0");
    s.n_samples = 0;
    s.min_ns = NS_UNKNOWN;
    bench_series(&b, &s, NULL, 0);
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_int_equal(verdict_of(&b, 0), VERDICT_NO_DATA);
    assert_non_null(found(&b, "no-samples"));
    assert_null(found(&b, "clean"));
    bench_end(&b);
}

static void a_bare_maximum_is_insufficient(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b);
    bench_run(&b, "a", 0);
    struct series s = series_of(&b, "T0");
    s.max_ns = 35000;
    s.avg_ns = 6000;
    bench_series(&b, &s, NULL, 0);
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_int_equal(verdict_of(&b, 0), VERDICT_INSUFFICIENT);
    bench_end(&b);
}

/* 30 overflows of an hour at 1 ms, whole seconds apart: the histogram alone tells the rhythm. */
static void a_rhythm_comes_out_of_a_bare_histogram(void **state)
{
    (void)state;
    struct bench b;
    struct bin bins[401];
    uint64_t cycles[30];
    bench_begin(&b);
    bench_run(&b, "a", 0);
    size_t n = bins_of(bins, 3.6e6, 4, 1);
    struct series s = series_of(&b, "T0");
    s.n_overflow = 30;
    s.overflow_limit_ns = 500000;
    s.max_ns = 731000;
    for (uint64_t i = 0; i < 30; i++)
        cycles[i] = 1000 * (7 * i + i * i % 11) + 412 + i % 3;
    uint32_t index = bench_series(&b, &s, bins, n);
    store_add_overflow_cycles(b.writer, index, cycles, 30);
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_true(fabs(value_of(found(&b, "periodic-outliers"), "period_ns") / 1e9 - 1) < 0.001);
    assert_true(isnan(b.analysis.series[0].quantiles_ns[4]) || b.analysis.series[0].quantiles_ns[4] < 500000);
    bench_end(&b);
}

/* Many overflows hide where the tail runs: nothing is said of its end. */
static void a_hidden_tail_is_not_said_to_end(void **state)
{
    (void)state;
    struct bench b;
    struct bin bins[401];
    bench_begin(&b);
    bench_run(&b, "a", 0);
    bench_fact(&b, "cyclictest.duration_ns", "3600000000000");
    size_t n = bins_of(bins, 3.6e6, 4, 1);
    struct series s = series_of(&b, "T0");
    s.n_overflow = 300;
    s.overflow_limit_ns = 80000;
    s.max_ns = 1475000;
    uint64_t total = 300;
    for (size_t k = 0; k < n; k++)
        total += bins[k].count;
    s.n_requested = total + 40;
    bench_series(&b, &s, bins, n);
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_null(found(&b, "tail-consistent"));
    assert_null(found(&b, "clean"));
    bench_end(&b);
}

static void a_replayed_stall_is_one(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b);
    bench_run(&b, "a", 0);
    struct series s = series_of(&b, "T0");
    s.omission = OMISSION_REPLAYS;
    s.n_samples = 2000;
    s.max_ns = 9500000;
    uint32_t index = bench_series(&b, &s, NULL, 0);
    for (uint64_t i = 0; i < 2000; i++) {
        struct sample sample = {NS_UNKNOWN, i, i >= 700 && i < 710 ? 9500000 - (int64_t)(i - 700) * 990000 : 7000 + (int64_t)(i % 5) * 1000};
        store_add_sample(b.writer, index, &sample);
    }
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_true(value_of(found(&b, "tool-bug"), "n_row") >= 9);
    assert_true(value_of(found(&b, "tool-bug"), "first_ns") == 9500000);
    bench_end(&b);
}

/* Maxima of each second, drawn from a Gumbel distribution by its quantiles in an order without trend. */
static uint32_t bench_blocks(struct bench *b, size_t n, double location, double scale, int64_t last_ns)
{
    struct series s = series_of(b, "latency");
    s.tool = "latency";
    s.is_block_maxima = true;
    s.interval_ns = 100000;
    s.n_samples = n * 10000;
    s.duration_ns = (int64_t)n * INT64_C(1000000000);
    s.bin_width_ns = NS_UNKNOWN;
    s.resolution_ns = 1;
    s.max_ns = last_ns ? last_ns : (int64_t)(location - scale * log(-log(1 - 0.5 / (double)n)));
    uint32_t index = bench_series(b, &s, NULL, 0);
    for (size_t i = 0; i < n; i++) {
        double rank = (double)((i * 1009 + n / 2) % n) + 0.5; /* 1009: prime, so each rank once */
        struct sample sample = {NS_UNKNOWN, i, (int64_t)(location - scale * log(-log(rank / (double)n)))};
        if (last_ns && i == n / 3)
            sample.latency_ns = last_ns;
        store_add_sample(b->writer, index, &sample);
    }
    return index;
}

static void maxima_of_seconds_are_a_gev_sample(void **state)
{
    (void)state;
    static const int64_t far[] = {0, 400000};
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        bench_begin(&b);
        bench_run(&b, "a", 0);
        bench_blocks(&b, 3600, 20000, 2000, far[i]);
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
        const struct tail *tail = &b.analysis.series[0].tail;
        assert_string_equal(tail->method, "gev-binned-ml");
        assert_true(fabs((double)tail->threshold_ns / 20000 - 1) < 0.01);
        assert_true(fabs(tail->scale_ns / 2000 - 1) < 0.03);
        assert_true(fabs(tail->shape) < 0.03);
        assert_int_equal(verdict_of(&b, 0), i ? VERDICT_SUSPECT : VERDICT_CREDIBLE);
        assert_true((found(&b, "isolated-maximum") != NULL) == (i == 1));
        /* Ten times the blocks: location + scale * ln(36,000), for samples of 10,000 a block. */
        assert_true(tail->levels[0].n_samples == 3.6e8);
        assert_true(fabs(tail->levels[0].level_ns / (20000 + 2000 * log(36000)) - 1) < 0.05);
        bench_end(&b);
    }
}

static void records_are_no_blocks(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b);
    bench_run(&b, "a", 0);
    struct series s = series_of(&b, "records");
    s.is_block_maxima = true;
    s.max_ns = 69000;
    uint32_t index = bench_series(&b, &s, NULL, 0);
    for (int64_t i = 0; i < 60; i++)
        store_add_sample(b.writer, index, &(struct sample){NS_UNKNOWN, COUNT_UNKNOWN, 10000 + i * 1000});
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_null(b.analysis.series[0].tail.method);
    bench_end(&b);
}

/* 16 windows of 120 exceeded the threshold: events. In each window of 20: a floor. */
static void a_detector_that_is_seldom_hit_has_no_floor(void **state)
{
    (void)state;
    static const int64_t duration_s[] = {120, 20};
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        bench_begin(&b);
        bench_run(&b, "a", 0);
        bench_fact(&b, "hwlatdetect.window", "1000000us");
        bench_fact(&b, "hwlatdetect.n_exceeding", "16");
        struct series s = series_of(&b, "inner");
        s.tool = "hwlatdetect";
        s.path = PATH_NOISE;
        s.is_block_maxima = true;
        s.n_samples = 3; /* lines of 16 that were posted */
        s.min_ns = 15000;
        s.avg_ns = 17000;
        s.max_ns = 18000;
        s.duration_ns = duration_s[i] * 1000000000;
        bench_series(&b, &s, NULL, 0);
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
        assert_true((found(&b, "noise-floor") != NULL) == (i == 1));
        bench_end(&b);
    }
}

/* Five overflows of two threads in the same cycles but for a start 7 cycles later; a third's are its own. */
static void overflows_in_the_same_cycles_are_one_cause(void **state)
{
    (void)state;
    static const uint64_t at[] = {1000, 90001, 777777, 1234567, 3000000}, own[] = {5, 500000, 1500000, 2500000, 3500000};
    for (int shared = 0; shared < 2; shared++) {
        struct bench b;
        struct bin bins[401];
        bench_begin(&b);
        bench_run(&b, "a", 0);
        for (int thread = 0; thread < 2; thread++) {
            size_t n = bins_of(bins, 3.6e6, 4, 1);
            struct series s = series_of(&b, thread ? "T1" : "T0");
            uint64_t cycles[5];
            s.n_overflow = 5;
            s.overflow_limit_ns = 500000;
            s.max_ns = 731000;
            for (int i = 0; i < 5; i++)
                cycles[i] = thread == 0 ? at[i] : shared ? at[i] - 7 : own[i];
            uint32_t index = bench_series(&b, &s, bins, n);
            store_add_overflow_cycles(b.writer, index, cycles, 5);
        }
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
        const struct finding *finding = found(&b, "simultaneous-maxima");
        if (shared) {
            assert_string_equal(finding->variant, "cycles");
            assert_true(value_of(finding, "n_together") == 10);
            assert_true(value_of(finding, "n_instants") == 5);
            assert_true(value_of(finding, "p") < 1e-4);
        } else {
            assert_true(!finding || strcmp(finding->variant, "cycles") != 0);
        }
        bench_end(&b);
    }
}

/* Sixteen threads, one stop each of another length, all at one instant: each stands alone, and the others confirm it. */
static void a_stop_that_many_threads_saw_is_confirmed(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b);
    bench_run(&b, "a", 0);
    for (int thread = 0; thread < 16; thread++) {
        struct bin bins[] = {{2000, 500000}, {3000, 95000}, {4000, 4500}, {5000, 400}, {6000, 90}};
        struct series s = series_of(&b, "T");
        uint64_t cycle = 110064 - (uint64_t)thread / 3;
        s.n_overflow = 1;
        s.overflow_limit_ns = 30000;
        s.max_ns = 200000 + thread * 25000;
        uint32_t index = bench_series(&b, &s, bins, 5);
        store_add_overflow_cycles(b.writer, index, &cycle, 1);
    }
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(verdict_of(&b, i), VERDICT_CREDIBLE_ISOLATED);
    assert_true(value_of(found(&b, "simultaneous-maxima"), "n_series") == 16);
    bench_end(&b);
}

/* All in two bins but one: no tail can be fitted, and nothing is made up inside a bin. */
static void a_body_of_two_bins_has_no_tail(void **state)
{
    (void)state;
    static const int64_t max_ns[] = {8000, 300000};
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        struct bin bins[] = {{6000, 3500000}, {7000, 99999}, {max_ns[i], 1}};
        bench_begin(&b);
        bench_run(&b, "a", 0);
        struct series s = series_of(&b, "T0");
        bench_series(&b, &s, bins, 3);
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
        assert_int_equal(verdict_of(&b, 0), i ? VERDICT_SUSPECT : VERDICT_CREDIBLE);
        if (i) {
            assert_string_equal(found(&b, "isolated-maximum")->variant, "body");
            assert_null(b.analysis.series[0].tail.method);
        }
        bench_end(&b);
    }
}

/* A Pareto tail of shape 0.3 by its expected counts. */
static void a_heavy_tail_is_said(void **state)
{
    (void)state;
    struct bench b;
    struct bin bins[3000];
    size_t n = 0;
    bench_begin(&b);
    bench_run(&b, "a", 0);
    for (int us = 0; us < 3000; us++) {
        double count = 3.6e6 * (pow(1 + 0.3 * us / 4, -1 / 0.3) - pow(1 + 0.3 * (us + 1) / 4, -1 / 0.3));
        if (count >= 0.5)
            bins[n++] = (struct bin){(us + 5) * 1000, (uint64_t)(count + 0.5)};
    }
    struct series s = series_of(&b, "T0");
    bench_series(&b, &s, bins, n);
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    const struct finding *finding = found(&b, "tail-heavy");
    assert_true(value_of(finding, "lowest") > 0.1); /* not 0.3: bins that expect less than half a sample are left out */
    assert_true(value_of(finding, "cv_shape") > 0.1 && value_of(finding, "hill") > 0.1);
    bench_end(&b);
    bench_begin(&b);
    bench_run(&b, "a", 0);
    n = bins_of(bins, 3.6e6, 4, 1);
    s = series_of(&b, "T0");
    bench_series(&b, &s, bins, n);
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE);
    assert_null(found(&b, "tail-heavy"));
    bench_end(&b);
}

/* ---- conditions ---- */

static void the_recipe_is_checked(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *code; /* code NULL: no finding */
    } rows[] = {
        {"sched.rt_runtime_us", "950000", "throttling-enabled"}, {"sched.rt_runtime_us", "-1", NULL},
        {"cpu.governor", "ondemand", "governor-not-fixed"},      {"cpu.governor", "performance", NULL},
        {"kernel.config.CONFIG_PROVE_LOCKING", "y", "debug-enabled"}, {"kernel.config.CONFIG_PROVE_LOCKING", "n", NULL},
        {"cmdline", "console=ttyS0,115200 root=/dev/sda1 isolcpus=1", "console-serial"}, {"cmdline", "console=ttyS0 quiet isolcpus=1", NULL},
        {"cmdline", "quiet", "cpu-not-isolated"},                {"kernel.version", "#1 SMP PREEMPT_DYNAMIC Debian", "kernel-not-rt"},
        {"kernel.version", "#1 SMP PREEMPT_RT Debian", NULL},    {"kernel.release", "5.15.98-rt62-v8+", NULL},
        {"cpu.1.idle.3.latency_us", "133", "idle-states-deep"},  {"cpu.1.idle.1.latency_us", "2", NULL},
        {"cpu.hypervisor", "KVM", "virtualized"},                {"cyclictest.priority", "80", "command-mismatch"},
        {"cyclictest.priority", "98", NULL},                     {"load.average", "0.02 0.01 0.00 1/100 1000", "load-missing"},
        {"load.average", "42.1 40.0 38.0 9/900 1000", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        struct bin bins[401];
        bench_begin(&b);
        bench_run(&b, "a", 0);
        bench_fact(&b, rows[i].key, rows[i].value);
        struct series s = series_of(&b, "T0");
        s.cpu = 1;
        bench_series(&b, &s, bins, bins_of(bins, 1e6, 4, 1));
        bench_analyse(&b, JOB_INFO);
        if (rows[i].code && !found(&b, rows[i].code))
            fail_msg("%s=%s gives no %s", rows[i].key, rows[i].value, rows[i].code);
        if (!rows[i].code && b.analysis.findings.n > 0)
            fail_msg("%s=%s gives %s", rows[i].key, rows[i].value, b.analysis.findings.items[0]->code);
        bench_end(&b);
    }
}

static void check_asks_for_what_is_not_recorded(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b);
    bench_run(&b, "a", 0);
    bench_fact(&b, "cpu.governor", "performance");
    bench_analyse(&b, JOB_INFO | JOB_CHECK);
    assert_string_equal(found(&b, "throttling-enabled")->variant, "unknown");
    assert_int_equal(found(&b, "throttling-enabled")->confidence, CONFIDENCE_UNKNOWN);
    assert_null(found(&b, "governor-not-fixed"));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_run_is_clean_in_any_unit),
        cmocka_unit_test(a_single_far_sample_needs_lost_periods),
        cmocka_unit_test(without_a_witness_it_is_suspect),
        cmocka_unit_test(the_start_up_staircase_is_no_loss),
        cmocka_unit_test(nothing_measured_is_no_data),
        cmocka_unit_test(a_bare_maximum_is_insufficient),
        cmocka_unit_test(a_rhythm_comes_out_of_a_bare_histogram),
        cmocka_unit_test(a_hidden_tail_is_not_said_to_end),
        cmocka_unit_test(a_replayed_stall_is_one),
        cmocka_unit_test(maxima_of_seconds_are_a_gev_sample),
        cmocka_unit_test(records_are_no_blocks),
        cmocka_unit_test(a_detector_that_is_seldom_hit_has_no_floor),
        cmocka_unit_test(overflows_in_the_same_cycles_are_one_cause),
        cmocka_unit_test(a_stop_that_many_threads_saw_is_confirmed),
        cmocka_unit_test(a_body_of_two_bins_has_no_tail),
        cmocka_unit_test(a_heavy_tail_is_said),
        cmocka_unit_test(the_recipe_is_checked),
        cmocka_unit_test(check_asks_for_what_is_not_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
