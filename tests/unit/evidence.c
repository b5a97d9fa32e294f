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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_half_is_named),
        cmocka_unit_test(a_due_time_ends_with_its_sleep),
        cmocka_unit_test(a_preempted_sleeper_keeps_its_due_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
