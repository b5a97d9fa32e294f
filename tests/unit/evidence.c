/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain: no answer is surer than its evidence. */
#include <string.h>

#include "tests/unit/ordinary.h"

/* The value of the finding's text, or NULL. */
static const char *text_of(const struct answer *a, const char *code, const char *key)
{
    const struct findings *f = &a->analysis.findings;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; !strcmp(f->items[i]->code, code) && k < f->items[i]->n_values; k++)
            if (!strcmp(f->items[i]->values[k].key, key))
                return f->items[i]->values[k].text;
    return NULL;
}

/* What only begins or only ends in a trace is advised by the name of the event that lacks. */
static void a_missing_half_is_named(void **state)
{
    (void)state;
    for (int lacks = 0; lacks < 3; lacks++) {
        struct trace_builder b = ordinary(0);
        for (int i = 0; i < 4; i++) {
            double us = 20100 + 100 * i;
            trace_irq(&b, 0, us, true, 24, "virtio0", HARD);
            if (lacks != 1)
                trace_irq(&b, 0, us + 5, false, 24, NULL, HARD);
            if (lacks != 2)
                trace_vector(&b, 0, us + 20, true, "call_function", 251, HARD);
            trace_vector(&b, 0, us + 25, false, "call_function", 251, HARD);
        }
        wake_at(&b, 21502, HARD);
        trace_switch(&b, 0, 21512, 'R', RT);
        struct answer a = explain(&b, "cyclictest");
        assert_int_equal(a.analysis.outliers[0]->latency_ns, 512000);
        const char *missing = text_of(&a, "record-next", "missing");
        assert_non_null(missing);
        assert_int_equal(strstr(missing, "irq_handler_exit") != NULL, lacks == 1);
        assert_int_equal(strstr(missing, "call_function_entry") != NULL, lacks == 2);
        if (!lacks)
            assert_true(!strstr(missing, "_entry") && !strstr(missing, "_exit"));
        answer_release(&a);
    }
}

/* An expiry and the start behind it are missing: the thread was awake in between, so the next expiry is not of that start. */
static void a_due_time_ends_with_its_sleep(void **state)
{
    (void)state;
    for (int woken_at_all = 0; woken_at_all < 2; woken_at_all++) {
        struct trace_builder b = ordinary(0);
        if (woken_at_all)
            trace_wake(&b, 0, 21004, KIND_SCHED_WAKING, RT, 0);
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
}

/* It armed its timer and was preempted before it slept: that the low task ran is no end of the sleep. */
static void a_preempted_sleeper_keeps_its_due_time(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    wake_at(&b, 21002, HARD);
    trace_switch(&b, 0, 21012, 'R', RT);
    trace_timer_start(&b, 0, 21015, 0xa0, "hrtimer_wakeup", 22000);
    trace_switch(&b, 0, 21016, 'R', HOG);
    trace_switch(&b, 0, 21100, 'S', RT);
    trace_switch(&b, 0, 21110, 'S', 0);
    wake_at(&b, 22502, HARD);
    trace_switch(&b, 0, 22512, 'R', RT);
    struct answer a = explain(&b, "cyclictest");
    assert_int_equal(a.analysis.outliers[0]->latency_ns, 512000);
    answer_release(&a);
}

/* Two threads of 1 ms on two CPUs; then the trace goes on at behind_us for each. The second may have no timer, and sleep. */
static struct trace_builder two_cpus(bool other_works, double own_us, double other_us)
{
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, RT, 4, "cyclictest");
    trace_task(&b, 101, 4, "cyclictest");
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    trace_switch(&b, 1, 10, 'R', 0);
    for (int i = 1; i <= 20; i++) {
        trace_cycle(&b, 0, 1000 * i, RT, 1000 * (i + 1));
        if (other_works || i < 9)
            trace_cycle(&b, 1, 1000 * i + 300, 101, 1000 * (i + 1) + 300);
    }
    wake_at(&b, own_us, HARD);
    trace_switch(&b, 0, own_us + 10, 'R', RT);
    trace_switch(&b, 0, own_us + 20, 'S', 0);
    if (other_works) {
        trace_cycle(&b, 1, other_us, 101, other_us + 1000);
    } else {
        trace_switch(&b, 1, other_us, 'R', 101);
        trace_switch(&b, 1, other_us + 20, 'S', 0);
    }
    return b;
}

/* All CPUs are silent for 40 ms, and then each thread comes when it would have come: nobody stood still. */
static void a_hole_is_no_stall(void **state)
{
    (void)state;
    struct trace_builder b = two_cpus(true, 61002, 61300);
    struct answer a = explain(&b, NULL);
    const struct outlier *o = a.analysis.outliers[0];
    assert_true(o->latency_ns > 39000000);
    assert_int_equal(o->cause, CAUSE_LOST_EVENTS);
    assert_int_equal(o->confidence, CONFIDENCE_POSSIBLE);
    assert_int_equal(amount(o, SLICE_HARDWARE_STALL), 0);
    answer_release(&a);
}

/* One thread was late; on the other CPU nothing was to happen, and its silence tells nothing. */
static void an_idle_cpu_is_no_witness_of_a_stall(void **state)
{
    (void)state;
    struct trace_builder b = two_cpus(false, 61402, 61700);
    struct answer a = explain(&b, "cyclictest");
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->latency_ns, 40412000);
    assert_true(o->confidence <= CONFIDENCE_POSSIBLE);
    answer_release(&a);
}

/* Both are late at once, off their own grids. */
static void two_threads_late_at_once_are_a_stall(void **state)
{
    (void)state;
    struct trace_builder b = two_cpus(true, 61402, 61407);
    struct answer a = explain(&b, NULL);
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->cause, CAUSE_HARDWARE_STALL);
    assert_int_equal(o->confidence, CONFIDENCE_LIKELY);
    answer_release(&a);
}

/* A timer of a softirq expires; the interrupt in it wakes another thread, and its own expiry is not recorded. */
static void a_callback_wakes_in_its_own_context(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_task(&b, 28, 98, "ktimers/0");
    trace_timer_start(&b, 0, 20100, 0xb0, "hrtimer_wakeup", 20500);
    trace_switch(&b, 0, 20900, 'R', 28);
    uint32_t *w;
    struct event_batch *batch = trace_add(&b, 0, 20910, KIND_HRTIMER_EXPIRE_ENTRY, FLAG_SOFTIRQ, &w);
    event_words_set_i64(w, 0xb0);
    event_words_set_i64(w + 3, 20905000);
    trace_string(batch, &w[2], "hrtimer_wakeup");
    trace_vector(&b, 0, 21002, true, "local_timer", 236, HARD);
    trace_wake(&b, 0, 21004, KIND_SCHED_WAKING, RT, 0);
    trace_vector(&b, 0, 21008, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(&b, 0, 21012, 'R', RT);
    trace_switch(&b, 0, 21020, 'S', 28);
    trace_expired(&b, 0, 21030, 0xb0);
    struct answer a = explain(&b, "cyclictest");
    for (size_t i = 0; i < a.analysis.n_outliers; i++)
        assert_true(a.analysis.outliers[i]->latency_ns < 20000);
    answer_release(&a);
}

/*
 * 20 cycles, then one of which stamp and timer disagree by 5 ms, and some more. Stamps of a step_us clock; the later pairs
 * are shifted or not.
 */
static struct answer clock_case(double step_us, double shift_us, int n_after, bool stays)
{
    struct trace_builder b = trace_begin("local");
    trace_task(&b, RT, 4, "cyclictest");
    trace_timer_start(&b, 0, step_us, 0xa0, "hrtimer_wakeup", 1000);
    for (int i = 1; i <= 21 + n_after; i++) {
        double due = 1000 * i, at = due + (i >= 21 ? shift_us : 0) * (i == 21 || stays);
        double row[8];
        for (int k = 0; k < 8; k++) {
            static const double after_us[] = {2, 3, 4, 5, 6, 8, 10, 15};
            row[k] = (double)(int64_t)((at + after_us[k]) / step_us) * step_us;
        }
        trace_vector(&b, 0, row[0], true, "local_timer", 236, HARD);
        trace_expire(&b, 0, row[1], 0xa0, "hrtimer_wakeup", due + 3);
        trace_wake(&b, 0, row[2], KIND_SCHED_WAKING, RT, 0);
        trace_wake(&b, 0, row[3], KIND_SCHED_WAKEUP, RT, 0);
        trace_expired(&b, 0, row[4], 0xa0);
        trace_vector(&b, 0, row[5], false, "local_timer", 236, HARD_RESCHED);
        trace_switch(&b, 0, row[6], 'R', RT);
        trace_timer_start(&b, 0, row[7], 0xa0, "hrtimer_wakeup", due + 1000);
        trace_switch(&b, 0, row[7], 'S', 0);
    }
    return explain(&b, NULL);
}

static const struct outlier *clock_jump_of(const struct answer *a)
{
    for (size_t i = 0; i < a->analysis.n_outliers; i++)
        if (a->analysis.outliers[i]->cause == CAUSE_CLOCK_JUMP)
            return a->analysis.outliers[i];
    return NULL;
}

/* A step is as sure as the stamps are fine, and as the clock stays stepped. */
static void a_clock_step_is_seen_on_both_sides(void **state)
{
    (void)state;
    static const struct {
        double step_us, shift_us;
        int n_after;
        bool stays;
        enum confidence most, least; /* UNKNOWN: none is named */
    } cases[] = {
        {1, 500, 8, true, CONFIDENCE_PROVEN, CONFIDENCE_PROVEN},
        {1, 500, 2, true, CONFIDENCE_LIKELY, CONFIDENCE_LIKELY},
        {1, 500, 0, true, CONFIDENCE_POSSIBLE, CONFIDENCE_POSSIBLE},
        {1, 400, 8, false, CONFIDENCE_UNKNOWN, CONFIDENCE_UNKNOWN},
        {100, 500, 8, true, CONFIDENCE_POSSIBLE, CONFIDENCE_UNKNOWN},
        {100, 100, 8, true, CONFIDENCE_UNKNOWN, CONFIDENCE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct answer a = clock_case(cases[i].step_us, cases[i].shift_us, cases[i].n_after, cases[i].stays);
        const struct outlier *o = clock_jump_of(&a);
        enum confidence said = o ? o->confidence : CONFIDENCE_UNKNOWN;
        assert_in_range(said, cases[i].least, cases[i].most);
        answer_release(&a);
    }
}

/* The tick in the interrupt that wakes the thread 2 us after it was due, and what is recorded of both callbacks and of its end. */
static struct answer own_interrupt(bool has_own_callback, bool tick_ends, double exit_us)
{
    struct trace_builder b = ordinary(0);
    trace_vector(&b, 0, 21002, true, "local_timer", 236, HARD);
    if (has_own_callback)
        trace_expire(&b, 0, 21003, 0xa0, "hrtimer_wakeup", 21003);
    trace_wake(&b, 0, 21004, KIND_SCHED_WAKING, RT, 0);
    trace_wake(&b, 0, 21005, KIND_SCHED_WAKEUP, RT, 0);
    if (has_own_callback)
        trace_expired(&b, 0, 21006, 0xa0);
    trace_expire(&b, 0, 21007, 0xb0, "tick_sched_timer", 21003);
    if (tick_ends)
        trace_expired(&b, 0, 21010, 0xb0);
    if (exit_us > 0)
        trace_vector(&b, 0, exit_us, false, "local_timer", 236, HARD_RESCHED);
    b.in_irq[0] = false;
    trace_switch(&b, 0, 21410, 'R', RT);
    trace_switch(&b, 0, 21420, 'S', 0);
    return explain(&b, "cyclictest");
}

/* What of its own interrupt was the wakeup's path, the tick's work or the switch is said only as far as rows tell. */
static void the_own_interrupt_in_part(void **state)
{
    (void)state;
    static const struct {
        bool has_own_callback, tick_ends;
        double exit_us;
    } cases[] = {{false, true, 21400}, {true, false, 21400}, {true, true, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct answer a = own_interrupt(cases[i].has_own_callback, cases[i].tick_ends, cases[i].exit_us);
        const struct outlier *o = a.analysis.outliers[0];
        assert_true(o->latency_ns > 400000);
        assert_true(o->confidence <= CONFIDENCE_POSSIBLE);
        assert_true(!o->culprit || !strstr(o->culprit, "tick_sched_timer"));
        answer_release(&a);
    }
}

/* What an interrupt does before its first callback is not the work of the softirq's callback that it interrupted. */
static void an_interrupted_callback_rests(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    uint32_t *w;
    trace_task(&b, 28, 98, "ktimers/0");
    trace_switch(&b, 0, 20900, 'R', 28);
    struct event_batch *batch = trace_add(&b, 0, 20910, KIND_SOFTIRQ_ENTRY, FLAG_SOFTIRQ, &w);
    w[0] = 8;
    trace_string(batch, &w[1], "HRTIMER");
    batch = trace_add(&b, 0, 20911, KIND_HRTIMER_EXPIRE_ENTRY, FLAG_SOFTIRQ, &w);
    event_words_set_i64(w, 0xb0);
    event_words_set_i64(w + 3, 20905000);
    trace_string(batch, &w[2], "it_real_fn");
    trace_vector(&b, 0, 21002, true, "local_timer", 236, HARD);
    trace_expire(&b, 0, 21700, 0xa0, "hrtimer_wakeup", 21003);
    trace_wake(&b, 0, 21702, KIND_SCHED_WAKING, RT, 0);
    trace_expired(&b, 0, 21706, 0xa0);
    trace_vector(&b, 0, 21708, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(&b, 0, 21712, 'R', RT);
    struct answer a = explain(&b, "cyclictest");
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->latency_ns, 712000);
    assert_true(!o->culprit || !strstr(o->culprit, "it_real_fn"));
    for (size_t i = 0; i < o->n_ledger; i++)
        assert_true(!o->ledger[i].subject || !strstr(o->ledger[i].subject, "it_real_fn"));
    answer_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_half_is_named),
        cmocka_unit_test(a_due_time_ends_with_its_sleep),
        cmocka_unit_test(a_preempted_sleeper_keeps_its_due_time),
        cmocka_unit_test(a_hole_is_no_stall),
        cmocka_unit_test(an_idle_cpu_is_no_witness_of_a_stall),
        cmocka_unit_test(two_threads_late_at_once_are_a_stall),
        cmocka_unit_test(a_callback_wakes_in_its_own_context),
        cmocka_unit_test(a_clock_step_is_seen_on_both_sides),
        cmocka_unit_test(the_own_interrupt_in_part),
        cmocka_unit_test(an_interrupted_callback_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
