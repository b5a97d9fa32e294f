/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain: what is said of a whole trace beside its single outliers. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/explained.h"

#define RT 100
#define HOG 200
#define PERIOD_US 10000.0

static const struct finding *found(const struct answer *a, const char *code)
{
    for (size_t i = 0; i < a->analysis.findings.n; i++)
        if (!strcmp(a->analysis.findings.items[i]->code, code))
            return a->analysis.findings.items[i];
    return NULL;
}

/* A cycle that a higher task holds up. */
static void late_cycle(struct trace_builder *b, double due_us, double late_us)
{
    trace_switch(b, 0, due_us - 1, 'S', HOG);
    trace_vector(b, 0, due_us + 2, true, "local_timer", 236, HARD);
    trace_expire(b, 0, due_us + 3, 0xa0, "hrtimer_wakeup", due_us + 3);
    trace_wake(b, 0, due_us + 4, KIND_SCHED_WAKING, RT, 0);
    trace_wake(b, 0, due_us + 5, KIND_SCHED_WAKEUP, RT, 0);
    trace_expired(b, 0, due_us + 6, 0xa0);
    trace_vector(b, 0, due_us + 8, false, "local_timer", 236, HARD);
    trace_switch(b, 0, due_us + late_us, 'S', RT);
    trace_timer_start(b, 0, due_us + late_us + 5, 0xa0, "hrtimer_wakeup", due_us + PERIOD_US);
    trace_switch(b, 0, due_us + late_us + 10, 'S', 0);
}

/* 1,000 cycles of 10 ms, late where `late` says so. */
static struct trace_builder cycles(bool (*late)(int cycle))
{
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, RT, 4, "cyclictest");
    trace_task(&b, HOG, 2, "hog97");
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", PERIOD_US);
    for (int i = 1; i <= 1000; i++)
        if (late(i))
            late_cycle(&b, PERIOD_US * i, 100 + i % 7);
        else
            trace_cycle(&b, 0, PERIOD_US * i, RT, PERIOD_US * (i + 1));
    return b;
}

static bool every_hundredth(int cycle)
{
    return cycle % 100 == 37;
}

/* Ten cycles without a period of their own; all lie on the lattice of due times. */
static bool at_random(int cycle)
{
    static const int which[] = {31, 32, 204, 333, 391, 517, 604, 723, 850, 979};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        if (cycle == which[i])
            return true;
    return false;
}

static void outliers_that_keep_a_second(void **state)
{
    (void)state;
    struct trace_builder b = cycles(every_hundredth);
    struct answer a = explain(&b, NULL);
    const struct finding *f = found(&a, "periodic-outliers");
    assert_non_null(f);
    bool is_there = false;
    for (size_t i = 0; i < f->n_values; i++)
        if (!strcmp(f->values[i].key, "period_ns")) {
            is_there = true;
            assert_in_range(f->values[i].integer, 990000000, 1010000000);
        }
    assert_true(is_there);
    answer_release(&a);
}

static void a_lattice_of_due_times_is_no_rhythm(void **state)
{
    (void)state;
    struct trace_builder b = cycles(at_random);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.n_outliers, 10);
    assert_int_equal(a.analysis.outliers[9]->cause, CAUSE_HIGHER_PRIORITY_TASK);
    assert_null(found(&a, "periodic-outliers"));
    answer_release(&a);
}

static bool three_times(int cycle)
{
    return cycle == 100 || cycle == 500 || cycle == 777;
}

static int64_t value_of(const struct finding *f, const char *key)
{
    for (size_t i = 0; i < f->n_values; i++)
        if (!strcmp(f->values[i].key, key))
            return f->values[i].integer;
    return NS_UNKNOWN;
}

/* Three of ten outliers are the hog's; the other seven took 10 us without it. */
static void without_the_culprit_the_others_remain(void **state)
{
    (void)state;
    struct trace_builder b = cycles(three_times);
    struct answer a = explain(&b, NULL);
    const struct finding *f = found(&a, "higher-priority-task");
    assert_non_null(f);
    assert_int_equal(value_of(f, "n_outliers"), 3);
    assert_int_equal(value_of(f, "n_explained"), 10);
    assert_int_equal(value_of(f, "max_without_ns"), 10000);
    assert_int_equal(value_of(f, "typical_ns"), 10000);
    answer_release(&a);
}

/* 400 rows of 200 ns each in a wait of 104 us: recording them may have been most of it. */
static void what_tracing_may_have_cost(void **state)
{
    (void)state;
    for (int with_rows = 0; with_rows < 2; with_rows++) {
        struct trace_builder b = trace_begin("mono");
        trace_task(&b, RT, 4, "cyclictest");
        trace_task(&b, HOG, 2, "hog97");
        trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", PERIOD_US);
        for (int i = 1; i <= 20; i++)
            trace_cycle(&b, 0, PERIOD_US * i, RT, PERIOD_US * (i + 1));
        double due_us = PERIOD_US * 21;
        trace_switch(&b, 0, due_us - 1, 'S', HOG);
        trace_vector(&b, 0, due_us + 2, true, "local_timer", 236, HARD);
        trace_expire(&b, 0, due_us + 3, 0xa0, "hrtimer_wakeup", due_us + 3);
        trace_wake(&b, 0, due_us + 4, KIND_SCHED_WAKING, RT, 0);
        trace_wake(&b, 0, due_us + 5, KIND_SCHED_WAKEUP, RT, 0);
        trace_expired(&b, 0, due_us + 6, 0xa0);
        trace_vector(&b, 0, due_us + 8, false, "local_timer", 236, HARD);
        for (int i = 0; i < 400 && with_rows; i++) {
            uint32_t *w;
            struct event_batch *batch = trace_add(&b, 0, due_us + 10 + 0.2 * i, KIND_FUNCTION, 0, &w);
            trace_string(batch, &w[0], "work");
            trace_string(batch, &w[1], "worker");
        }
        trace_switch(&b, 0, due_us + 104, 'S', RT);
        trace_switch(&b, 0, due_us + 110, 'S', 0);
        struct answer a = explain(&b, NULL);
        const struct finding *f = found(&a, "tracing-overhead");
        if (with_rows) {
            assert_non_null(f);
            assert_int_equal(f->confidence, CONFIDENCE_POSSIBLE);
            assert_int_equal(value_of(f, "event_ns"), 200);
            assert_in_range(value_of(f, "overhead_ns"), 79000, 83000);
        } else {
            assert_null(f);
        }
        answer_release(&a);
    }
}

/* Functions under a clock of a millisecond: what recording them cost cannot be told, and that is said; other events are too few. */
static void what_tracing_cost_is_unknown(void **state)
{
    (void)state;
    for (int with_rows = 0; with_rows < 2; with_rows++) {
        struct trace_builder b = trace_begin_with("mono", 1000000);
        trace_task(&b, RT, 4, "cyclictest");
        trace_task(&b, HOG, 2, "hog97");
        for (int i = 0; i < 20; i++) {
            trace_wake(&b, 0, 1e6 * i, KIND_SCHED_WAKING, RT, 0);
            trace_switch(&b, 0, 1e6 * i + 1000, 'S', RT);
            trace_switch(&b, 0, 1e6 * i + 2000, 'S', 0);
        }
        trace_switch(&b, 0, 21e6 - 1000, 'S', HOG);
        trace_wake(&b, 0, 21e6, KIND_SCHED_WAKING, RT, 0);
        for (int i = 1; i < 200 && with_rows; i++) {
            uint32_t *w;
            struct event_batch *batch = trace_add(&b, 0, 21e6 + 1000 * i, KIND_FUNCTION, 0, &w);
            trace_string(batch, &w[0], "work");
            trace_string(batch, &w[1], "worker");
        }
        trace_switch(&b, 0, 21e6 + 200000, 'S', RT);
        trace_switch(&b, 0, 21e6 + 201000, 'S', 0);
        struct answer a = explain(&b, NULL);
        const struct finding *f = found(&a, "tracing-overhead");
        if (with_rows) {
            assert_non_null(f);
            assert_string_equal(f->variant, "unknown");
            assert_int_equal(f->confidence, CONFIDENCE_UNKNOWN);
        } else {
            assert_null(f);
        }
        answer_release(&a);
    }
}

static int64_t integer_of(const struct finding *f, const char *key)
{
    for (size_t i = 0; f && i < f->n_values; i++)
        if (!strcmp(f->values[i].key, key))
            return f->values[i].integer;
    return NS_UNKNOWN;
}

/* A section of 50 us, the scheduler's of 30 us, an NMI of 20 us in the section: it delays, but is not of the section. */
static int64_t bound_of_sections(int64_t shift_ns)
{
    struct trace_builder b = trace_begin("mono");
    b.shift_ns = shift_ns;
    trace_task(&b, HOG, 120, "hog");
    trace_task(&b, RT, 4, "cyclictest");
    trace_switch(&b, 0, 10, 'S', HOG);
    trace_section(&b, 0, 100, KIND_PREEMPT_DISABLE, "work", 0);
    uint32_t *w;
    trace_add(&b, 0, 140, KIND_NMI_HANDLER, 0, &w);
    event_words_set_i64(w + 1, 20000);
    trace_section(&b, 0, 170, KIND_PREEMPT_ENABLE, "work", 0);
    trace_section(&b, 0, 200, KIND_IRQ_DISABLE, "lock", 0);
    trace_section(&b, 0, 210, KIND_IRQ_ENABLE, "lock", 0);
    trace_section(&b, 0, 300, KIND_PREEMPT_DISABLE, "schedule", 0);
    trace_switch(&b, 0, 320, 'R', RT);
    trace_section(&b, 0, 330, KIND_PREEMPT_ENABLE, "schedule", 0);
    trace_switch(&b, 0, 400, 'S', 0);
    struct answer a = explain(&b, NULL);
    const struct finding *f = found(&a, "latency-bound");
    assert_non_null(f);
    assert_int_equal(integer_of(f, "poid_ns"), 50000);
    assert_int_equal(integer_of(f, "psd_ns"), 30000);
    int64_t bound_ns = integer_of(f, "bound_ns");
    answer_release(&a);
    return bound_ns;
}

/* A trace may begin before the zero of its clock (a latency tracer's rows do). */
static void the_bound_is_the_same_at_any_time(void **state)
{
    (void)state;
    int64_t bound_ns = bound_of_sections(0);
    assert_true(bound_ns >= 80000);
    assert_int_equal(bound_of_sections(-1000000000), bound_ns);
    assert_int_equal(bound_of_sections(-200000), bound_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outliers_that_keep_a_second),
        cmocka_unit_test(a_lattice_of_due_times_is_no_rhythm),
        cmocka_unit_test(without_the_culprit_the_others_remain),
        cmocka_unit_test(what_tracing_may_have_cost),
        cmocka_unit_test(what_tracing_cost_is_unknown),
        cmocka_unit_test(the_bound_is_the_same_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
