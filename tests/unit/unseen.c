/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain: what rows say of rows that are missing, and what is not concluded then. Shapes of real traces of a 6.1-rt machine. */
#include <string.h>

#include "tests/unit/ordinary.h"

static void tick_without_exit(struct trace_builder *b, double us)
{
    trace_vector(b, 0, us, true, "local_timer", 236, HARD);
    trace_expire(b, 0, us + 1, 0xb0, "tick_sched_timer", us + 1);
    trace_expired(b, 0, us + 3, 0xb0);
    b->in_irq[0] = false;
}

/* The exits of interrupts are not recorded: what a task did behind them was no storm of interrupts. */
static void handlers_end_without_an_exit(void **state)
{
    (void)state;
    for (int has_rows = 0; has_rows < 2; has_rows++) {
        struct trace_builder b = ordinary(0);
        trace_switch(&b, 0, 20900, 'R', HOG);
        wake_at(&b, 21002, HARD);
        for (int i = 0; i < 20; i++) {
            tick_without_exit(&b, 22000 + 1000 * i);
            if (has_rows)
                trace_wake(&b, 0, 22010 + 1000 * i, KIND_SCHED_WAKING, LOW, 0); /* the hog's own */
        }
        trace_switch(&b, 0, 41020, 'S', RT);
        struct answer a = explain(&b, "cyclictest");
        const struct outlier *o = a.analysis.outliers[0];
        assert_int_equal(o->latency_ns, 20020000);
        assert_true(amount(o, SLICE_IRQ) < 200000);
        if (has_rows) {
            assert_int_equal(o->cause, CAUSE_HIGHER_PRIORITY_TASK);
            assert_string_equal(o->culprit, "hog97:200 (prio 2)");
        } else { /* where the interrupt ends and the task goes on is not known */
            assert_int_equal(o->cause, CAUSE_UNEXPLAINED);
        }
        answer_release(&a);
    }
}

/* The timer was due once. Its next start is missing, so when it was due then is unknown. */
static void a_due_time_serves_one_expiry(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    wake_at(&b, 21002, HARD);
    trace_switch(&b, 0, 21012, 'R', RT);
    trace_switch(&b, 0, 21020, 'S', 0);
    wake_at(&b, 22002, HARD);
    trace_switch(&b, 0, 22012, 'R', RT);
    trace_switch(&b, 0, 22020, 'S', 0);
    struct answer a = explain(&b, NULL);
    for (size_t i = 0; i < a.analysis.n_outliers; i++)
        assert_true(a.analysis.outliers[i]->latency_ns < 20000);
    answer_release(&a);
}

/* A thread whose row is the CPU's last may have slept since: only a switch would tell. */
static void without_switches_none_is_late_by_itself(void **state)
{
    (void)state;
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, RT, 4, "cyclictest");
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    for (int i = 1; i <= 20; i++) {
        wake_at(&b, 1000 * i + (i == 20 ? 502 : 2), HARD);
        b.current[0] = RT;
        trace_timer_start(&b, 0, 1000 * i + (i == 20 ? 515 : 15), 0xa0, "hrtimer_wakeup", 1000 * (i + 1));
        b.current[0] = 0;
    }
    struct answer a = explain(&b, NULL);
    assert_true(a.analysis.n_outliers > 0);
    assert_int_equal(a.analysis.outliers[0]->latency_ns, 515000);
    assert_true(a.analysis.outliers[0]->confidence <= CONFIDENCE_POSSIBLE);
    answer_release(&a);
}

/* The switch to the low task is missing: the higher one had an unknown part of the time. */
static void a_switch_that_is_missing_is_a_loss(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_switch(&b, 0, 20900, 'R', HOG);
    wake_at(&b, 21002, HARD);
    b.current[0] = LOW;
    trace_wake(&b, 0, 31000, KIND_SCHED_WAKING, HOG, 0);
    trace_switch(&b, 0, 31020, 'R', RT);
    struct answer a = explain(&b, "cyclictest");
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->cause, CAUSE_LOST_EVENTS);
    assert_int_equal(amount(o, SLICE_TASK_HIGHER), 0);
    answer_release(&a);
}

/* Rows between the event of a switch and the switch are the leaving task's: nothing is missing. */
static void the_leaving_task_still_writes_rows(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_switch(&b, 0, 20900, 'R', LOW);
    trace_switch(&b, 0, 20950, 'R', HOG);
    b.current[0] = LOW;
    trace_section(&b, 0, 20951, KIND_PREEMPT_ENABLE, "switch_mm", 0);
    b.current[0] = HOG;
    wake_at(&b, 21002, HARD);
    trace_switch(&b, 0, 31020, 'S', RT);
    struct answer a = explain(&b, "cyclictest");
    assert_int_equal(a.analysis.outliers[0]->cause, CAUSE_HIGHER_PRIORITY_TASK);
    assert_int_equal(amount(a.analysis.outliers[0], SLICE_GAP), 0);
    answer_release(&a);
}

/* One cycle of a thread whose rows are chosen: callbacks, handlers; the switch at its end. */
static void plain_cycle(struct trace_builder *b, double us, bool has_handler, double exit_us, double switch_us)
{
    if (has_handler)
        trace_vector(b, 0, us, true, "local_timer", 236, HARD);
    trace_wake(b, 0, us + 2, KIND_SCHED_WAKING, RT, 0);
    trace_wake(b, 0, us + 3, KIND_SCHED_WAKEUP, RT, 0);
    if (has_handler)
        trace_vector(b, 0, us + exit_us, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(b, 0, us + switch_us, 'R', RT);
    trace_switch(b, 0, us + switch_us + 10, 'S', 0);
}

/* What the waking interrupt does behind the waking may be the wakeup's own path: only its callbacks would tell. */
static void the_own_interrupt_without_callbacks(void **state)
{
    (void)state;
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, RT, 4, "cyclictest");
    for (int i = 1; i <= 40; i++)
        plain_cycle(&b, 1000 * i, true, i % 10 ? 6 : 300, i % 10 ? 10 : 304);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.outliers[0]->latency_ns, 302000);
    assert_true(a.analysis.outliers[0]->confidence <= CONFIDENCE_POSSIBLE);
    answer_release(&a);
}

/* No handler is recorded, so the rest of the waking interrupt is in the time up to the switch. */
static void a_switch_without_handlers(void **state)
{
    (void)state;
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, RT, 4, "cyclictest");
    for (int i = 1; i <= 40; i++)
        plain_cycle(&b, 1000 * i, false, 0, i == 30 ? 20 : 10);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.outliers[0]->latency_ns, 18000);
    assert_int_equal(a.analysis.outliers[0]->cause, CAUSE_CONTEXT_SWITCH);
    assert_true(a.analysis.outliers[0]->confidence <= CONFIDENCE_POSSIBLE);
    answer_release(&a);
}

/* A reschedule that is due at the last of ten ticks only was not missed before. */
static void a_reschedule_that_came_late(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_task(&b, 15, 98, "ktimers/0");
    trace_switch(&b, 0, 20800, 'R', 15);
    trace_switch(&b, 0, 20810, 'S', 0);
    trace_switch(&b, 0, 20900, 'R', LOW);
    wake_at(&b, 21002, HARD);
    for (int k = 1; k <= 10; k++) {
        uint32_t flags = k < 9 ? HARD : HARD_RESCHED;
        trace_vector(&b, 0, 21002 + 4000 * k, true, "local_timer", 236, flags);
        trace_vector(&b, 0, 21006 + 4000 * k, false, "local_timer", 236, flags);
    }
    trace_switch(&b, 0, 61020, 'R', RT);
    struct answer a = explain(&b, "cyclictest");
    assert_int_not_equal(a.analysis.outliers[0]->cause, CAUSE_MISSED_PREEMPTION);
    assert_true(a.analysis.outliers[0]->confidence <= CONFIDENCE_POSSIBLE);
    answer_release(&a);
}

/* A cycle whose interrupt comes late, as always on that machine; its entry is missing or not. */
static void late_cycle(struct trace_builder *b, double due_us, bool has_entry)
{
    double us = due_us + 90;
    if (has_entry)
        trace_vector(b, 0, us, true, "local_timer", 236, HARD);
    trace_expire(b, 0, us + 7, 0xa0, "hrtimer_wakeup", us + 7);
    trace_wake(b, 0, us + 9, KIND_SCHED_WAKING, RT, 0);
    trace_wake(b, 0, us + 21, KIND_SCHED_WAKEUP, RT, 0);
    trace_expired(b, 0, us + 24, 0xa0);
    trace_vector(b, 0, us + 30, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(b, 0, us + 44, 'R', RT);
    trace_timer_start(b, 0, us + 50, 0xa0, "hrtimer_wakeup", due_us + 1000);
    trace_switch(b, 0, us + 60, 'S', 0);
}

/* Typical wakeups without the entry of their interrupt are no measure of the path of one that has it. */
static void every_other_entry_is_missing(void **state)
{
    (void)state;
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, RT, 4, "cyclictest");
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    for (int i = 1; i <= 60; i++)
        late_cycle(&b, 1000 * i, i % 2);
    struct answer a = explain(&b, NULL);
    assert_true(a.analysis.n_outliers > 0);
    for (size_t i = 0; i < a.analysis.n_outliers; i++)
        assert_true(a.analysis.outliers[i]->confidence <= CONFIDENCE_POSSIBLE);
    answer_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_end_without_an_exit),
        cmocka_unit_test(a_due_time_serves_one_expiry),
        cmocka_unit_test(without_switches_none_is_late_by_itself),
        cmocka_unit_test(a_switch_that_is_missing_is_a_loss),
        cmocka_unit_test(the_leaving_task_still_writes_rows),
        cmocka_unit_test(the_own_interrupt_without_callbacks),
        cmocka_unit_test(a_switch_without_handlers),
        cmocka_unit_test(a_reschedule_that_came_late),
        cmocka_unit_test(every_other_entry_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
