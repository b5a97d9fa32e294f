/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare over many runs: what is looked up in lists made once is what looking at all rows would find. */
#include "tests/bench_store.h"

static const struct metric *metric_of(const struct bench *b, const char *name)
{
    const struct comparison *c = &b->analysis.comparison;
    for (size_t i = 0; i < c->n_metrics; i++)
        if (strcmp(c->metrics[i].name, name) == 0)
            return &c->metrics[i];
    fail_msg("no metric %s", name);
    return NULL;
}

static void maximum_of(struct bench *b, const char *name, enum measure_path path, int64_t max_ns)
{
    struct series s = series_of(b, name);
    s.path = path;
    s.max_ns = max_ns;
    s.avg_ns = 10000;
    bench_series(b, &s, NULL, 0);
}

/* Names tell calls apart: the one that only a run has is not pooled with those that all have, of few runs and of many. */
static void only_names_that_all_runs_have_are_pooled(void **state)
{
    (void)state;
    static const uint32_t n_runs[] = {3, 400};
    for (size_t k = 0; k < 2; k++) {
        struct bench b;
        bench_begin(&b);
        for (uint32_t run = 0; run < n_runs[k]; run++) {
            bench_run(&b, "run", run);
            maximum_of(&b, "mutex", PATH_CALL_DURATION, 100000 + run);
            if (run != 1) /* all runs but one is not all runs */
                maximum_of(&b, "sem", PATH_CALL_DURATION, 900000);
            if (run == 2)
                maximum_of(&b, "queue", PATH_CALL_DURATION, 800000);
        }
        bench_analyse(&b, JOB_INFO | JOB_COMPARE);
        for (uint32_t run = 0; run < n_runs[k]; run++)
            assert_true(metric_of(&b, "max")->values[run] == 100000 + run);
        bench_end(&b);
    }
}

/* Runs of two INPUTs in turn: two sides, named by the order of their first runs. */
static void runs_of_an_input_need_not_follow_each_other(void **state)
{
    (void)state;
    struct bench b;
    bench_begin(&b);
    for (uint32_t run = 0; run < 300; run++) {
        bench_run(&b, run % 2 ? "odd" : "even", run % 2 ? 0 : 7);
        bench_fact(&b, "cpu.governor", run % 2 ? "powersave" : "performance");
        maximum_of(&b, "T0", PATH_TIMER_WAKEUP, run % 2 ? 300000 : 100000);
        if (run >= 2)
            maximum_of(&b, "irq", PATH_IRQ_RESPONSE, 1000 * run);
    }
    b.options.baseline = 0;
    bench_analyse(&b, JOB_INFO | JOB_COMPARE);
    assert_true(metric_of(&b, "max")->ratio == 3);
    const struct metric *other = metric_of(&b, "max:irq-response");
    assert_true(isnan(other->values[1]));
    assert_true(other->values[299] == 299000);
    const struct finding *confound = found(&b, "confound");
    assert_string_equal(confound->subject, "cpu.governor");
    bench_end(&b);
}

/* Only against a tool that replays missed periods are they added; whichever run it is. */
static void missed_periods_are_added_against_a_tool_that_replays_them(void **state)
{
    (void)state;
    for (uint32_t replaying = 0; replaying < 5; replaying++) { /* 4: none does */
        struct bench b;
        struct bin bins[401];
        bench_begin(&b);
        for (uint32_t run = 0; run < 4; run++) {
            bench_run(&b, "run", run);
            struct series s = series_of(&b, "T0");
            s.omission = run == replaying ? OMISSION_REPLAYS : OMISSION_SKIPS;
            size_t n = bins_of(bins, 1e6, 4, 1);
            bins[n++] = (struct bin){3500000, 1}; /* late by 3.5 periods */
            bench_series(&b, &s, bins, n);
        }
        bench_analyse(&b, JOB_INFO | JOB_COMPARE);
        const double *expected = b.analysis.comparison.expected_max_ns;
        for (uint32_t run = 0; run < 4; run++) /* with the added periods there are more samples, and the largest is not sure */
            assert_int_equal(expected[run] < 3500000, replaying < 4 && run != replaying);
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_names_that_all_runs_have_are_pooled),
        cmocka_unit_test(runs_of_an_input_need_not_follow_each_other),
        cmocka_unit_test(missed_periods_are_added_against_a_tool_that_replays_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
