/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stretches a wakeup's own path: a low clock, a move to another CPU, a fault that does not sleep; each with its event. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/explained.h"

#define RT      100
#define LOW     300
#define STOPPER 26

static void frequency(struct trace_builder *b, double us, uint32_t khz)
{
    uint32_t *w;
    trace_add(b, 0, us, KIND_CPU_FREQUENCY, 0, &w);
    w[0] = khz;
    w[1] = 0;
}

static struct trace_builder begin(void)
{
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, RT, 4, "cyclictest");
    trace_task(&b, LOW, 120, "bash");
    trace_task(&b, STOPPER, 0, "migration/1");
    return b;
}

/* A cycle as trace_cycle() has it, each step longer by a factor, up to the switch. */
static void cycle(struct trace_builder *b, double due, double times)
{
    trace_vector(b, 0, due + 2 * times, true, "local_timer", 236, HARD);
    trace_expire(b, 0, due + 3 * times, 0xa0, "hrtimer_wakeup", due + 3 * times);
    trace_wake(b, 0, due + 4 * times, KIND_SCHED_WAKING, RT, 0);
    trace_wake(b, 0, due + 5 * times, KIND_SCHED_WAKEUP, RT, 0);
    trace_expired(b, 0, due + 6 * times, 0xa0);
    trace_vector(b, 0, due + 8 * times, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(b, 0, due + 10 * times, 'R', RT);
    trace_timer_start(b, 0, due + 15 * times, 0xa0, "hrtimer_wakeup", due + 1000);
    trace_switch(b, 0, due + 20 * times, 'S', 0);
}

static struct trace_builder ordinary(uint32_t khz)
{
    struct trace_builder b = begin();
    if (khz)
        frequency(&b, 5, khz);
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    for (int i = 1; i <= 20; i++)
        cycle(&b, 1000 * i, 1);
    return b;
}

static void a_low_clock_stretches_all_steps(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(2400000);
    frequency(&b, 20500, 600000);
    cycle(&b, 21000, 4);
    struct answer a = explain(&b, "cyclictest");
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->latency_ns, 40000);
    assert_int_equal(o->cause, CAUSE_FREQUENCY);
    assert_int_equal(o->confidence, CONFIDENCE_LIKELY);
    assert_string_equal(o->culprit, "CPU 0 at 600 MHz, in typical wakeups 2.40 GHz");
    answer_release(&a);
}

static void frequency_needs_its_evidence(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0); /* no event of the clock */
    cycle(&b, 21000, 4);
    struct answer a = explain(&b, "cyclictest");
    assert_int_not_equal(a.analysis.outliers[0]->cause, CAUSE_FREQUENCY);
    answer_release(&a);

    b = ordinary(2400000); /* it was no lower than usual */
    frequency(&b, 20500, 2300000);
    cycle(&b, 21000, 4);
    a = explain(&b, "cyclictest");
    assert_int_not_equal(a.analysis.outliers[0]->cause, CAUSE_FREQUENCY);
    answer_release(&a);

    b = ordinary(2400000); /* it was lower, but the path is much longer than that explains */
    frequency(&b, 20500, 1200000);
    cycle(&b, 21000, 20);
    a = explain(&b, "cyclictest");
    assert_true(a.analysis.outliers[0]->cause != CAUSE_FREQUENCY || a.analysis.outliers[0]->confidence <= CONFIDENCE_POSSIBLE);
    answer_release(&a);

    b = ordinary(2400000); /* it was lower, and a handler took the time */
    frequency(&b, 20500, 1200000);
    trace_irq(&b, 0, 20999, true, 29, "disk", HARD);
    trace_irq(&b, 0, 21200, false, 29, "disk", HARD);
    cycle(&b, 21200, 1);
    a = explain(&b, "cyclictest");
    assert_int_equal(a.analysis.outliers[0]->cause, CAUSE_IRQ);
    answer_release(&a);
}

static void return_to_user(struct trace_builder *b, double us)
{
    uint32_t *w;
    trace_add(b, 0, us, KIND_SYS_EXIT, 0, &w);
    w[0] = 230;
}

/* Up to the return from its sleep; with `fault_us` it faults on the way, and that takes so long. */
static void cycle_to_user(struct trace_builder *b, double due, double fault_us, bool is_recorded)
{
    uint32_t *w;
    trace_vector(b, 0, due + 2, true, "local_timer", 236, HARD);
    trace_expire(b, 0, due + 3, 0xa0, "hrtimer_wakeup", due + 3);
    trace_wake(b, 0, due + 4, KIND_SCHED_WAKING, RT, 0);
    trace_wake(b, 0, due + 5, KIND_SCHED_WAKEUP, RT, 0);
    trace_expired(b, 0, due + 6, 0xa0);
    trace_vector(b, 0, due + 8, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(b, 0, due + 10, 'R', RT);
    if (is_recorded)
        trace_add(b, 0, due + 12, KIND_PAGE_FAULT, 0, &w);
    return_to_user(b, due + 13 + fault_us);
    trace_timer_start(b, 0, due + 17 + fault_us, 0xa0, "hrtimer_wakeup", due + 1000);
    trace_switch(b, 0, due + 22 + fault_us, 'S', 0);
}

static void a_fault_that_does_not_sleep(void **state)
{
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        struct trace_builder b = begin();
        trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
        for (int i = 1; i <= 20; i++)
            cycle_to_user(&b, 1000 * i, 0, false);
        cycle_to_user(&b, 21000, 300, recorded);
        struct answer a = explain(&b, "cyclictest");
        const struct outlier *o = a.analysis.outliers[0];
        assert_int_equal(o->latency_ns, 313000);
        if (recorded) {
            assert_int_equal(o->cause, CAUSE_PAGE_FAULT);
            assert_int_equal(o->confidence, CONFIDENCE_LIKELY);
        } else {
            assert_int_not_equal(o->cause, CAUSE_PAGE_FAULT);
        }
        answer_release(&a);
    }
}

/* Woken on CPU 1, where the stopper runs for 300 us and moves it; the switch is on CPU 0. Or the stopper moves nobody. */
static void a_stopper_that_moves_it(void **state)
{
    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        struct trace_builder b = begin();
        uint32_t *w;
        trace_switch(&b, 1, 900, 'S', LOW);
        for (int i = 1; i <= 20; i++) {
            trace_wake(&b, 1, 1000 * i, KIND_SCHED_WAKING, RT, 1);
            trace_wake(&b, 1, 1000 * i + 1, KIND_SCHED_WAKEUP, RT, 1);
            trace_switch(&b, 1, 1000 * i + 4, 'R', RT);
            trace_switch(&b, 1, 1000 * i + 20, 'S', LOW);
        }
        trace_switch(&b, 1, 20990, 'R', STOPPER);
        trace_wake(&b, 1, 21000, KIND_SCHED_WAKING, RT, 1);
        trace_wake(&b, 1, 21001, KIND_SCHED_WAKEUP, RT, 1);
        if (moved) {
            struct event_batch *batch = trace_add(&b, 1, 21300, KIND_SCHED_MIGRATE_TASK, 0, &w);
            w[1] = RT;
            w[2] = 4;
            w[3] = 1;
            w[4] = 0;
            trace_string(batch, &w[0], "cyclictest");
            trace_switch(&b, 0, 21305, 'R', RT);
            trace_switch(&b, 0, 21320, 'S', 0);
        } else {
            trace_switch(&b, 1, 21305, 'S', RT);
            trace_switch(&b, 1, 21320, 'S', LOW);
        }
        struct answer a = explain(&b, "cyclictest");
        const struct outlier *o = a.analysis.outliers[0];
        assert_int_equal(o->latency_ns, 305000);
        assert_int_equal(o->cause, moved ? CAUSE_MIGRATION : CAUSE_HIGHER_PRIORITY_TASK);
        if (moved)
            assert_string_equal(o->culprit, "from CPU 1 to CPU 0");
        answer_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_low_clock_stretches_all_steps),
        cmocka_unit_test(frequency_needs_its_evidence),
        cmocka_unit_test(a_fault_that_does_not_sleep),
        cmocka_unit_test(a_stopper_that_moves_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
