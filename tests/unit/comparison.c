/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare on stores of a few rows: body, tail, tests, repeats, confounds. */
#include "tests/bench_store.h"

static void compared(struct bench *b, double n_a, double scale_a, double n_b, double scale_b)
{
    struct bin bins[401];
    bench_begin(b);
    bench_run(b, "before", 0);
    struct series s = series_of(b, "T0");
    bench_series(b, &s, bins, bins_of(bins, n_a, scale_a, 1));
    bench_run(b, "after", 1);
    s = series_of(b, "T0");
    bench_series(b, &s, bins, bins_of(bins, n_b, scale_b, 1));
    bench_analyse(b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
}

static void a_longer_run_alone_shows_nothing(void **state)
{
    (void)state;
    struct bench b;
    compared(&b, 1e6, 4, 1e7, 4);
    assert_null(found(&b, "tail-regressed"));
    assert_null(found(&b, "body-regressed"));
    assert_non_null(found(&b, "no-difference-shown"));
    assert_string_equal(found(&b, "length-differs")->variant, "explains");
    assert_true(b.analysis.comparison.comparable);
    /* At equal counts the maxima are alike, though the longer run's own is larger. */
    const double *expected = b.analysis.comparison.expected_max_ns;
    assert_true(fabs(expected[1] / expected[0] - 1) < 0.1);
    assert_true(strstr(b.analysis.comparison.conclusion, "shows nothing"));
    bench_end(&b);
}

static void a_worse_tail_and_body_are_said(void **state)
{
    (void)state;
    struct bench b;
    compared(&b, 1e6, 4, 1e6, 5);
    assert_int_equal(found(&b, "tail-regressed")->confidence, CONFIDENCE_LIKELY); /* one run each proves nothing */
    assert_non_null(found(&b, "body-regressed"));
    assert_null(found(&b, "tail-improved"));
    assert_null(found(&b, "length-differs"));
    bench_end(&b);
}

static void a_lone_maximum_against_another_is_possible_at_most(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b);
    for (uint32_t i = 0; i < 2; i++) {
        bench_run(&b, i ? "after" : "before", i);
        struct series s = series_of(&b, "T0");
        s.max_ns = i ? 8111000 : 279663000;
        s.path = PATH_SECTION;
        s.n_samples = 1;
        s.interval_ns = NS_UNKNOWN;
        bench_series(&b, &s, NULL, 0);
    }
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
    assert_int_equal(found(&b, "tail-improved")->confidence, CONFIDENCE_POSSIBLE);
    bench_end(&b);
}

/*
 * Three of four threads stood for 50 ms in the short run, none of the long one, whose smallest maximum is no smaller: by chance
 * the largest of all samples lies in the shorter side with the share of its length. Of equal lengths nothing follows.
 */
static void the_largest_value_in_the_shorter_run_is_a_worse_tail(void **state)
{
    (void)state;
    static const int64_t max_ns[2][4] = {{51956000, 50106000, 51965000, 59000}, {57000, 77000, 68000, 81000}};
    for (size_t equal = 0; equal < 2; equal++) {
        struct bench b;
        bench_begin(&b);
        for (uint32_t side = 0; side < 2; side++) {
            bench_run(&b, side ? "reverted" : "before", side);
            for (size_t i = 0; i < 4; i++) {
                const char *const names[] = {"T0", "T1", "T2", "T3"};
                struct series s = series_of(&b, names[i]);
                s.n_samples = side && !equal ? 272329322 : 4688252;
                s.min_ns = 3000;
                s.avg_ns = 6000;
                s.max_ns = max_ns[side][i];
                bench_series(&b, &s, NULL, 0);
            }
        }
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
        const struct finding *tail = found(&b, "tail-improved");
        assert_true((tail != NULL) == !equal);
        if (tail)
            assert_int_equal(tail->confidence, CONFIDENCE_POSSIBLE); /* one event of one run */
        assert_null(found(&b, "tail-regressed"));
        bench_end(&b);
    }
}

/* What a table's rows are called tells of load. */
static void a_name_tells_of_load(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"Idle", "Loaded (stress-ng, docker)"}, {"No load, no tuning", "Under load, + mlockall"}, {"Idle 1", "idle, again"},
                                           {"upload server", "download"}};
    for (size_t k = 0; k < 4; k++) {
        struct bench b;
        bench_begin(&b);
        for (uint32_t side = 0; side < 2; side++) {
            bench_run(&b, names[k][side], side);
            bench_fact(&b, "configuration", names[k][side]);
            struct series s = series_of(&b, "value");
            s.max_ns = 239000;
            bench_series(&b, &s, NULL, 0);
        }
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
        const char *severity = "none";
        for (size_t i = 0; i < b.analysis.comparison.n_confounds; i++)
            if (strcmp(b.analysis.comparison.confounds[i].key, "load") == 0)
                severity = b.analysis.comparison.confounds[i].severity;
        assert_string_equal(severity, k < 2 ? "weakening" : k == 2 ? "none" : "note");
        bench_end(&b);
    }
}

/* Tables tell how long was measured, not how often. */
static void lengths_are_told_in_seconds_too(void **state)
{
    (void)state;
    static const int64_t seconds[][2] = {{600, 900}, {600, 610}};
    for (size_t k = 0; k < 2; k++) {
        struct bench b;
        bench_begin(&b);
        for (uint32_t side = 0; side < 2; side++) {
            bench_run(&b, side ? "loaded" : "idle", side);
            struct series s = series_of(&b, "value");
            s.n_samples = COUNT_UNKNOWN;
            s.interval_ns = NS_UNKNOWN;
            s.avg_ns = 5000;
            s.max_ns = 239000;
            s.duration_ns = seconds[k][side] * 1000000000;
            bench_series(&b, &s, NULL, 0);
        }
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
        bool differs = false;
        for (size_t i = 0; i < b.analysis.comparison.n_confounds; i++)
            differs |= strcmp(b.analysis.comparison.confounds[i].key, "length") == 0;
        assert_true(differs == (k == 0));
        bench_end(&b);
    }
}

/* The label that a side's runs share names it, whatever is in its folder. */
static void repeats_of_a_folder_are_one_name(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        uint32_t side;
    } runs[] = {{"old/1.json", 0}, {"old/2.json", 0}, {"new", 1}, {"new/2.json", 1}, {"new/11.json", 1}};
    struct bench b;
    struct bin bins[401];
    bench_begin(&b);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        bench_run(&b, runs[i].label, runs[i].side);
        struct series s = series_of(&b, "T0");
        bench_series(&b, &s, bins, bins_of(bins, 1e5, 4, 1));
    }
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
    assert_non_null(strstr(b.analysis.comparison.conclusion, "new (3 runs) against old (2 runs): "));
    bench_end(&b);
}

static const struct confound *confound_of(const struct bench *b, const char *key)
{
    for (size_t i = 0; i < b->analysis.comparison.n_confounds; i++)
        if (strcmp(b->analysis.comparison.confounds[i].key, key) == 0)
            return &b->analysis.comparison.confounds[i];
    return NULL;
}

static void isolation_of_one_side_invalidates_unless_under_test(void **state)
{
    (void)state;
    static const char *const factors[] = {"cmdline.isolcpus"};
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        struct bin bins[401];
        bench_begin(&b);
        b.options.factors = factors;
        b.options.n_factors = i;
        for (uint32_t side = 0; side < 2; side++) {
            bench_run(&b, side ? "native" : "cobalt", side);
            bench_fact(&b, "cmdline", side ? "quiet isolcpus=1" : "quiet");
            if (side)
                bench_fact(&b, "cmdline.isolcpus", "1");
            struct series s = series_of(&b, "T0");
            bench_series(&b, &s, bins, bins_of(bins, 1e6, 4, 1));
        }
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
        if (i == 0) {
            assert_string_equal(confound_of(&b, "isolation")->severity, "invalidating");
            assert_non_null(found(&b, "not-comparable"));
        } else {
            assert_null(confound_of(&b, "isolation"));
        }
        assert_true(b.analysis.comparison.comparable == (i == 1));
        bench_end(&b);
    }
}

/* Which CPUs are isolated does not matter, whether the measured one is does; a command line without isolcpus says no. */
static void isolation_is_of_the_measured_cpu(void **state)
{
    (void)state;
    static const struct {
        const char *cmdline;
        int32_t cpu;
        bool is_fair;
    } others[] = {{"quiet isolcpus=nohz,domain,2", 2, true}, {"quiet isolcpus=2", 1, false}, {"quiet", 3, false}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct bench b;
        struct bin bins[401];
        bench_begin(&b);
        for (uint32_t side = 0; side < 2; side++) {
            const char *cmdline = side ? others[i].cmdline : "quiet isolcpus=3";
            bench_run(&b, side ? "after" : "before", side);
            bench_fact(&b, "cmdline", cmdline);
            if (strstr(cmdline, "isolcpus="))
                bench_fact(&b, "cmdline.isolcpus", strstr(cmdline, "isolcpus=") + 9);
            struct series s = series_of(&b, "T0");
            s.cpu = side ? others[i].cpu : 3;
            bench_series(&b, &s, bins, bins_of(bins, 1e6, 4, 1));
        }
        bench_analyse(&b, JOB_INFO | JOB_COMPARE);
        assert_true((confound_of(&b, "isolation") == NULL) == others[i].is_fair);
        assert_true(b.analysis.comparison.comparable == others[i].is_fair);
        bench_end(&b);
    }
}

/* Isolated, shared, isolated: the last is comparable with the first though the second is not. */
static void a_third_run_is_weighed_by_itself(void **state)
{
    (void)state;
    struct bench b;
    struct bin bins[401];
    bench_begin(&b);
    for (uint32_t side = 0; side < 3; side++) {
        bench_run(&b, side == 0 ? "one" : side == 1 ? "two" : "three", side);
        bench_fact(&b, "cmdline", side == 1 ? "quiet" : "quiet isolcpus=1");
        if (side != 1)
            bench_fact(&b, "cmdline.isolcpus", "1");
        bench_fact(&b, "kernel.release", "5.0.14-rt8");
        bench_fact(&b, "load.command", "hackbench");
        struct series s = series_of(&b, "T0");
        bench_series(&b, &s, bins, bins_of(bins, 1e6, side ? 6 : 4, 1));
    }
    bench_analyse(&b, JOB_INFO | JOB_COMPARE);
    assert_false(b.analysis.comparison.comparable);
    assert_int_equal(found(&b, "not-comparable")->run, 1);
    for (size_t i = 0; i < b.analysis.findings.n; i++) {
        const struct finding *finding = b.analysis.findings.items[i];
        if (strcmp(finding->code, "tail-regressed") == 0)
            assert_int_equal(finding->confidence, finding->run == 1 ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY);
    }
    bench_end(&b);
}

static void a_cokernel_without_its_pipeline_is_weak(void **state)
{
    (void)state;
    for (int stated = 0; stated < 2; stated++) {
        struct bench b;
        struct bin bins[401];
        bench_begin(&b);
        for (uint32_t side = 0; side < 2; side++) {
            bench_run(&b, side ? "B" : "A", side);
            bench_fact(&b, "candidate", side ? "Xenomai (svn Rev. #949)" : "Preempt-RT 2.6.16-rt16");
            bench_fact(&b, "kernel.release", side ? "2.6.16" : "2.6.16-rt16");
            if (side && stated)
                bench_fact(&b, "ipipe.version", "1.2-04");
            struct series s = series_of(&b, "T0");
            bench_series(&b, &s, bins, bins_of(bins, 1e6, 4, 1));
        }
        bench_analyse(&b, JOB_INFO | JOB_COMPARE);
        if (stated)
            assert_null(confound_of(&b, "ipipe.version"));
        else
            assert_string_equal(confound_of(&b, "ipipe.version")->severity, "weakening");
        bench_end(&b);
    }
}

/* Xenomai's worst of each second, no histogram: 52 seconds, a fifth of them far out; then 56 that end at 87 us. */
static void the_worst_of_each_second_is_a_tail(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct bench b;
        bench_begin(&b);
        for (uint32_t side = 0; side < 2; side++) {
            bool is_bad = (side == 0) != (swapped == 1);
            bench_run(&b, side ? "after" : "before", side);
            struct series s = series_of(&b, "latency");
            s.tool = "latency";
            s.is_block_maxima = true;
            s.policy = POLICY_COBALT;
            s.interval_ns = 100000;
            s.n_samples = COUNT_UNKNOWN;
            s.avg_ns = 2955;
            s.resolution_ns = 1;
            s.bin_width_ns = NS_UNKNOWN;
            s.duration_ns = INT64_C(60000000000);
            s.max_ns = is_bad ? 374075 : 87379;
            uint32_t index = bench_series(&b, &s, NULL, 0);
            for (uint64_t i = 0; i < 55; i++) {
                int64_t ns = is_bad ? (i % 5 == 0 ? 120000 + (int64_t)i * 4619 : 10000 + (int64_t)i * 271) : 20000 + (int64_t)(i * 17 % 55) * 1225;
                store_add_sample(b.writer, index, &(struct sample){NS_UNKNOWN, i, i == 50 ? s.max_ns : ns});
            }
        }
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
        const struct finding *finding = found(&b, swapped ? "tail-regressed" : "tail-improved");
        assert_non_null(finding);
        assert_string_equal(finding->variant, "blocks");
        assert_true(value_of(finding, "p") < 0.01);
        assert_int_equal(finding->confidence, CONFIDENCE_LIKELY);
        bench_end(&b);
    }
}

/* ---- tests, "no worse than" ---- */

static double p_of_metric(const struct bench *b, const char *name)
{
    for (size_t i = 0; i < b->analysis.comparison.n_metrics; i++)
        if (strcmp(b->analysis.comparison.metrics[i].name, name) == 0)
            return b->analysis.comparison.metrics[i].p;
    return NAN;
}

static void equal_runs_are_shown_to_be_no_worse(void **state)
{
    (void)state;
    struct bench b;
    compared(&b, 1e7, 4, 1e7, 4);
    assert_string_equal(found(&b, "no-worse-shown")->variant, "equivalent");
    assert_true(value_of(found(&b, "no-worse-shown"), "level") >= 0.9999);
    assert_true(value_of(found(&b, "no-worse-shown"), "margin_pct") == 10);
    assert_true(p_of_metric(&b, "no-worse:0.9999") < 0.05);
    assert_true(p_of_metric(&b, "test:mann-whitney") > 0.5);
    assert_true(p_of_metric(&b, "test:kolmogorov-smirnov") > 0.5);
    assert_true(p_of_metric(&b, "test:anderson-darling") > 0.1);
    assert_true(strstr(b.analysis.comparison.conclusion, "neither worse nor better by more than 10 %"));
    bench_end(&b);
}

/* One file on both sides: the tests hold, and show nothing. */
static void a_file_against_itself_is_said(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct bin bins[401];
        struct bench b;
        bench_begin(&b);
        for (uint32_t side = 0; side < 2; side++) {
            struct artefact artefact = {.path = side ? "copy" : "run", .format = "cyclictest", .size_bytes = 1};
            memset(artefact.sha256, k > 0 && side ? 'c' : 'a', sizeof artefact.sha256 - 1);
            bench_run(&b, artefact.path, side);
            struct series s = series_of(&b, "T0");
            artefact.run = s.run;
            s.artefact = store_add_artefact(b.writer, &artefact);
            bench_series(&b, &s, bins, bins_of(bins, 1e6, k == 2 && side ? 4.5 : 4, 1));
        }
        bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
        const struct finding *same = found(&b, "same-measurement");
        assert_true((same != NULL) == (k < 2));
        if (same)
            assert_string_equal(same->variant, k ? "counts" : "");
        assert_true((strstr(b.analysis.comparison.conclusion, "the same file, byte for byte") != NULL) == (k == 0));
        assert_true((strstr(b.analysis.comparison.conclusion, "one measurement given twice") != NULL) == (k == 1));
        assert_true((found(&b, "no-worse-shown") != NULL) == (k == 1));
        bench_end(&b);
    }
}

/* A file twice among the runs of one side says nothing of how much runs vary. */
static void a_file_given_as_its_own_repeat_is_said(void **state)
{
    (void)state;
    struct bin bins[401];
    struct bench b;
    bench_begin(&b);
    for (uint32_t i = 0; i < 3; i++) {
        bench_run(&b, i == 0 ? "before" : i == 1 ? "after/1" : "after/2", i > 0);
        struct series s = series_of(&b, "T0");
        bench_series(&b, &s, bins, bins_of(bins, 1e6, i ? 5 : 4, 1));
    }
    bench_analyse(&b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
    assert_string_equal(found(&b, "same-measurement")->variant, "repeat-counts");
    assert_null(strstr(b.analysis.comparison.conclusion, "twice")); /* the sides are two measurements */
    bench_end(&b);
}

static void a_better_run_is_no_worse_but_not_equivalent(void **state)
{
    (void)state;
    struct bench b;
    compared(&b, 1e6, 5, 1e6, 4);
    assert_string_equal(found(&b, "no-worse-shown")->variant, "");
    assert_non_null(found(&b, "tail-improved"));
    assert_true(p_of_metric(&b, "test:mann-whitney") < 1e-6);
    bench_end(&b);
    compared(&b, 1e6, 4, 1e6, 5); /* the other way round */
    assert_null(found(&b, "no-worse-shown"));
    assert_true(p_of_metric(&b, "no-worse:0.999") > 0.9);
    bench_end(&b);
}

/* Half as many samples below 10 us as above in one run, the same median and average in both: only the shape tells. */
static void another_shape_of_the_body_is_said(void **state)
{
    (void)state;
    static const struct bin narrow[] = {{9000, 250000}, {10000, 500000}, {11000, 250000}}, wide[] = {{7000, 500000}, {13000, 500000}};
    struct bench b;
    bench_begin(&b);
    bench_run(&b, "before", 0);
    struct series s = series_of(&b, "T0");
    bench_series(&b, &s, narrow, 3);
    bench_run(&b, "after", 1);
    s = series_of(&b, "T0");
    bench_series(&b, &s, wide, 2);
    bench_analyse(&b, JOB_INFO | JOB_COMPARE);
    const struct finding *finding = found(&b, "distribution-differs");
    assert_true(fabs(value_of(finding, "distance") - 0.5) < 1e-9);
    assert_true(value_of(finding, "p") < 1e-6);
    assert_null(found(&b, "body-regressed"));
    assert_null(found(&b, "body-improved"));
    assert_null(found(&b, "no-difference-shown"));
    bench_end(&b);
}

/* ---- repeats ---- */

/* Runs of one input each side; scale of each run's exponential in us. */
static void repeated(struct bench *b, const double *scale_a, size_t n_a, const double *scale_b, size_t n_b)
{
    struct bin bins[401];
    bench_begin(b);
    for (size_t i = 0; i < n_a + n_b; i++) {
        bench_run(b, i < n_a ? "before" : "after", i >= n_a);
        struct series s = series_of(b, "T0");
        bench_series(b, &s, bins, bins_of(bins, 1e6, i < n_a ? scale_a[i] : scale_b[i - n_a], 1));
    }
    bench_analyse(b, JOB_INFO | JOB_COMPARE);
}

static void runs_that_vary_hide_a_difference_of_their_size(void **state)
{
    (void)state;
    static const double a[] = {4, 5, 4.4}, b_scale[] = {4.9, 4.3, 5.2}, far[] = {9, 8, 8.5};
    struct bench b;
    repeated(&b, a, 3, b_scale, 3);
    assert_null(found(&b, "tail-regressed"));
    assert_null(found(&b, "body-regressed"));
    assert_string_equal(found(&b, "no-difference-shown")->variant, "spread");
    assert_string_equal(found(&b, "runs-vary")->variant, "");
    assert_true(value_of(found(&b, "runs-vary"), "between_ns") > 3 * value_of(found(&b, "runs-vary"), "sampling_ns"));
    bench_end(&b);
    repeated(&b, a, 3, far, 3);
    assert_int_equal(found(&b, "tail-regressed")->confidence, CONFIDENCE_PROVEN);
    assert_non_null(found(&b, "body-regressed"));
    bench_end(&b);
}

static void runs_that_agree_are_said_to(void **state)
{
    (void)state;
    static const double alike[] = {4, 4, 4};
    struct bench b;
    repeated(&b, alike, 3, alike, 3);
    assert_string_equal(found(&b, "runs-vary")->variant, "agree");
    assert_true(value_of(found(&b, "runs-vary"), "between_ns") == 0);
    assert_non_null(found(&b, "no-worse-shown"));
    bench_end(&b);
}

static double metric_value(const struct bench *b, const char *name, size_t run)
{
    const struct comparison *c = &b->analysis.comparison;
    for (size_t i = 0; i < c->n_metrics; i++)
        if (strcmp(c->metrics[i].name, name) == 0)
            return c->metrics[i].values[run];
    fail_msg("no metric '%s'", name);
    return 0;
}

/* Two runs in powers of two: counts of [1, 2) us, [2, 4) us ... */
static void compared_in_octaves(struct bench *b, const uint64_t before[6], const uint64_t after[6])
{
    bench_begin(b);
    for (uint32_t run = 0; run < 2; run++) {
        struct bin bins[6];
        for (size_t i = 0; i < 6; i++)
            bins[i] = (struct bin){INT64_C(1000) << i, run ? after[i] : before[i]};
        bench_run(b, run ? "after" : "before", run);
        struct series s = series_of(b, "T0");
        s.bin_width_ns = s.resolution_ns = 32000;
        bench_series(b, &s, bins, 6);
    }
    bench_analyse(b, JOB_INFO | JOB_VALIDATE | JOB_COMPARE);
}

static void ranges_of_several_widths_claim_no_amount(void **state)
{
    (void)state;
    static const uint64_t few[] = {600000, 300000, 90000, 9000, 900, 100}, other[] = {680000, 240000, 70000, 9000, 900, 100},
                          later[] = {100, 600000, 300000, 90000, 9000, 900};
    struct bench b;
    compared_in_octaves(&b, few, few);
    assert_non_null(found(&b, "wide-ranges"));
    assert_null(found(&b, "no-worse-shown")); /* equal counts: the values may differ by almost a factor of two */
    assert_true(isnan(metric_value(&b, "avg", 0)));
    assert_null(b.analysis.series[0].tail.method); /* and no tail of them is fitted */
    bench_end(&b);
    compared_in_octaves(&b, few, other);
    assert_string_equal(found(&b, "distribution-differs")->variant, "ranges");
    assert_null(found(&b, "body-improved"));
    assert_null(found(&b, "tail-improved"));
    bench_end(&b);
    compared_in_octaves(&b, few, later);
    assert_non_null(found(&b, "body-regressed"));
    assert_non_null(found(&b, "tail-regressed"));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_longer_run_alone_shows_nothing),
        cmocka_unit_test(a_worse_tail_and_body_are_said),
        cmocka_unit_test(repeats_of_a_folder_are_one_name),
        cmocka_unit_test(lengths_are_told_in_seconds_too),
        cmocka_unit_test(a_name_tells_of_load),
        cmocka_unit_test(the_largest_value_in_the_shorter_run_is_a_worse_tail),
        cmocka_unit_test(a_lone_maximum_against_another_is_possible_at_most),
        cmocka_unit_test(isolation_of_one_side_invalidates_unless_under_test),
        cmocka_unit_test(isolation_is_of_the_measured_cpu),
        cmocka_unit_test(a_third_run_is_weighed_by_itself),
        cmocka_unit_test(a_cokernel_without_its_pipeline_is_weak),
        cmocka_unit_test(the_worst_of_each_second_is_a_tail),
        cmocka_unit_test(equal_runs_are_shown_to_be_no_worse),
        cmocka_unit_test(a_file_against_itself_is_said),
        cmocka_unit_test(a_file_given_as_its_own_repeat_is_said),
        cmocka_unit_test(a_better_run_is_no_worse_but_not_equivalent),
        cmocka_unit_test(another_shape_of_the_body_is_said),
        cmocka_unit_test(runs_that_vary_hide_a_difference_of_their_size),
        cmocka_unit_test(runs_that_agree_are_said_to),
        cmocka_unit_test(ranges_of_several_widths_claim_no_amount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
