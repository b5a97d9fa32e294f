/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The path of wakeups, clock relations, storms under the null. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/clock_relation.h"
#include "analyzers/path.h"
#include "analyzers/storms.h"
#include "tests/unit/trace_builder.h"

static void offsets_are_the_lower_envelope(void **state)
{
    (void)state;
    struct clock_relation relation;
    clock_relation_init(&relation, "local");
    clock_relation_learn(&relation, 5000000, 2000000 - 900);
    assert_int_equal(clock_relation_learn(&relation, 6000000, 3000000), 3000000);
    assert_int_equal(clock_relation_learn(&relation, 7000000, 4000000 - 700), 3000000);
    /* Another clock, seconds away, has an envelope of its own. */
    assert_int_equal(clock_relation_learn(&relation, 7100000, 7100000 + 1700000000000000000), -1700000000000000000);
    assert_int_equal(clock_relation_learn(&relation, 7200000, 4200000 - 50), 3000000);
    clock_relation_init(&relation, "mono");
    assert_int_equal(clock_relation_learn(&relation, 5000400, 5000000), 0);
}

static void clocks_of_two_cpus_have_a_skew(void **state)
{
    (void)state;
    struct clock_relation one, other;
    int64_t skew;
    clock_relation_init(&one, "local");
    clock_relation_init(&other, "local");
    for (int64_t i = 1; i <= 4; i++) {
        assert_false(clock_relation_skew(&one, &other, 9000000, &skew));
        clock_relation_learn(&one, 1000000 * i + 3000, 1000000 * i);
        clock_relation_learn(&other, 1000000 * i + 1500000, 1000000 * i);
    }
    assert_true(clock_relation_skew(&one, &other, 9000000, &skew));
    assert_int_equal(skew, 3000 - 1500000);
    assert_true(clock_relation_skew(&other, &one, 9000000, &skew));
    assert_int_equal(skew, 1500000 - 3000);
}

static void a_step_is_learnt_when_it_lasts(void **state)
{
    (void)state;
    struct clock_relation relation;
    clock_relation_init(&relation, "local");
    for (int64_t i = 1; i <= 10; i++)
        assert_int_equal(clock_relation_learn(&relation, 1000000 * i + 700, 1000000 * i), 700);
    /* Many timers in one interrupt have one and the same now: no step, however late the last of them. */
    for (int64_t i = 0; i < 50; i++)
        assert_int_equal(clock_relation_learn(&relation, 11000000 + 700 + i * 20000, 11000000), 700);
    assert_int_equal(clock_relation_learn(&relation, 12000000 + 900, 12000000), 700);
    /* Once, twice and three times may be delays. */
    for (int64_t i = 13; i <= 15; i++)
        assert_int_equal(clock_relation_learn(&relation, 1000000 * i + 5000700, 1000000 * i), 700);
    assert_int_equal(clock_relation_learn(&relation, 16000000 + 5000900, 16000000), 5000700);
    assert_int_equal(clock_relation_learn(&relation, 17000000 + 5000800, 17000000), 5000700);
}

static void the_path_has_its_steps(void **state)
{
    (void)state;
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, 100, 4, "cyclictest");
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    for (int i = 1; i <= 300; i++)
        trace_cycle(&b, 0, 1000 * i, 100, 1000 * (i + 1));
    struct store *store = trace_end(&b);
    struct path_table table;
    struct error error = {0};
    assert_int_equal(path_table_make(&table, store, 0, NULL, &error), OK);
    assert_int_equal(table.n_activations, 300);
    assert_true(table.steps[STEP_DUE_ENTRY].median_ns > 1960 && table.steps[STEP_DUE_ENTRY].median_ns < 2040);
    assert_true(table.steps[STEP_DUE_SWITCH].median_ns > 9800 && table.steps[STEP_DUE_SWITCH].median_ns < 10200);
    assert_int_equal(table.steps[STEP_REARM_OUT].max_ns, 5000);
    assert_int_equal(path_compare(&table, &table).shape, PATH_SHAPE_SAME);
    /* All steps twice as long: frequency. The first touches most: cold. One alone: there. */
    struct path_table slow = table;
    for (int i = 0; i < N_PATH_STEPS; i++)
        slow.steps[i].median_ns *= 1.5;
    assert_int_equal(path_compare(&table, &slow).shape, PATH_SHAPE_UNIFORM);
    slow.steps[STEP_WAKEUP_EXPIRED].median_ns /= 1.45;
    slow.steps[STEP_EXPIRED_EXIT].median_ns /= 1.45;
    assert_int_equal(path_compare(&table, &slow).shape, PATH_SHAPE_COLD);
    slow = table;
    slow.steps[STEP_WAKING_WAKEUP].median_ns *= 4;
    struct path_comparison c = path_compare(&table, &slow);
    assert_int_equal(c.shape, PATH_SHAPE_ONE_STEP);
    assert_int_equal(c.most, STEP_WAKING_WAKEUP);
    store_close(store);
}

/* Interrupts at random moments are no storm: 1,000 runs, stated rate 0.001. */
static void random_interrupts_are_no_storm(void **state)
{
    (void)state;
    unsigned n_alarms = 0;
    srand48(7);
    for (int run = 0; run < 1000; run++) {
        struct handlers h;
        handlers_init(&h);
        uint32_t *bins = memory_new(HANDLER_BINS * sizeof *bins);
        struct handler line = {.kind = OPEN_IRQ, .number = 24, .bins = bins};
        for (int i = 0; i < 5000; i++) {
            bins[lrand48() % HANDLER_BINS]++;
            line.n++;
        }
        h.items = &line;
        h.n = 1;
        h.begin_ns = 0;
        h.end_ns = HANDLER_BINS * h.bin_ns - 1;
        struct storm *storms;
        size_t n = storms_find(&h, &storms);
        n_alarms += n > 0;
        storms_free(storms, n);
        free(bins);
    }
    assert_true(n_alarms <= 4); /* 1 expected; more than 4 has probability 0.004 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_the_lower_envelope),
        cmocka_unit_test(clocks_of_two_cpus_have_a_skew),
        cmocka_unit_test(a_step_is_learnt_when_it_lasts),
        cmocka_unit_test(the_path_has_its_steps),
        cmocka_unit_test(random_interrupts_are_no_storm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
