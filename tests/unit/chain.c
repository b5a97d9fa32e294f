/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wakers that were late themselves: the chain back to the interrupt, on paper. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/explained.h"

#define APP   100
#define IRQ45 45
#define HOG   200
#define OWNER 300
#define PEER  101

static struct trace_builder begin(int64_t shift_ns)
{
    struct trace_builder b = trace_begin("mono");
    b.shift_ns = shift_ns;
    trace_task(&b, APP, 20, "app");
    trace_task(&b, IRQ45, 49, "irq/45-eth0");
    trace_task(&b, HOG, 10, "hog");
    trace_task(&b, OWNER, 60, "owner");
    trace_task(&b, PEER, 30, "peer");
    return b;
}

/* The line's interrupt at `us`: handler for 2 us, the thread woken behind it, still in the hard interrupt. */
static void interrupt(struct trace_builder *b, double us)
{
    trace_irq(b, 0, us, true, 45, "eth0", HARD);
    trace_irq(b, 0, us + 2, false, 45, "eth0", HARD);
    b->in_irq[0] = true;
    trace_wake(b, 0, us + 2.5, KIND_SCHED_WAKING, IRQ45, 0);
    trace_wake(b, 0, us + 3, KIND_SCHED_WAKEUP, IRQ45, 0);
    b->in_irq[0] = false;
}

/* The thread has the CPU: works, wakes the app, which runs when the thread sleeps. */
static void thread_wakes_app(struct trace_builder *b, double us, double work_us)
{
    trace_wake(b, 0, us + work_us, KIND_SCHED_WAKING, APP, 0);
    trace_wake(b, 0, us + work_us + 1, KIND_SCHED_WAKEUP, APP, 0);
    trace_switch(b, 0, us + work_us + 2, 'R', APP);
    trace_switch(b, 0, us + work_us + 10, 'S', IRQ45);
    trace_switch(b, 0, us + work_us + 12, 'S', 0);
}

static void ordinary(struct trace_builder *b)
{
    for (int i = 1; i <= 20; i++) {
        interrupt(b, 1000 * i);
        trace_switch(b, 0, 1000 * i + 5, 'R', IRQ45);
        thread_wakes_app(b, 1000 * i + 5, 6);
    }
}

/* A hog has the CPU when the interrupt comes, for `us`. */
static void held_up(struct trace_builder *b, double us)
{
    trace_wake(b, 0, 30990, KIND_SCHED_WAKING, HOG, 0);
    trace_switch(b, 0, 30992, 'R', HOG);
    interrupt(b, 31000);
    trace_switch(b, 0, 31000 + us, 'S', IRQ45);
    thread_wakes_app(b, 31000 + us, 6);
}

static void the_wait_of_an_interrupts_thread_is_followed(void **state)
{
    (void)state;
    static const int64_t shifts[] = {0, 123456789012345};
    for (size_t i = 0; i < 2; i++) {
        struct trace_builder b = begin(shifts[i]);
        ordinary(&b);
        held_up(&b, 400);
        struct answer a = explain(&b, "app");
        const struct outlier *o = a.analysis.outliers[0];
        assert_int_equal(o->begin_ns, 31002500 + shifts[i]); /* the thread's waking */
        assert_int_equal(o->latency_ns, 400000 - 2500 + 6000 + 2000);
        assert_int_equal(o->cause, CAUSE_HIGHER_PRIORITY_TASK);
        assert_string_equal(o->culprit, "hog:200 (prio 10)");
        assert_int_equal(o->confidence, CONFIDENCE_PROVEN);
        assert_int_equal(o->n_links, 2);
        assert_string_equal(o->links[0].kind, "interrupt");
        assert_string_equal(o->links[0].subject, "irq 45 eth0");
        assert_int_equal(o->links[0].begin_ns, 31000000 + shifts[i]);
        assert_string_equal(o->links[1].subject, "irq/45-eth0:45 (prio 49)");
        assert_int_equal(o->links[1].running_ns - o->links[1].begin_ns, 397500);
        assert_string_equal(o->links[1].held_by, "hog:200 (prio 10)");
        assert_true(o->links[1].is_decisive);
        assert_true(findings_have(&a.analysis.findings, "late-waker", o->run));
        answer_release(&a);
    }
}

/* What a waker works is not lateness: the app's own window is as short as ever, and nobody is blamed. */
static void work_of_a_waker_is_no_wait(void **state)
{
    (void)state;
    struct trace_builder b = begin(0);
    ordinary(&b);
    interrupt(&b, 31000);
    trace_switch(&b, 0, 31005, 'R', IRQ45);
    thread_wakes_app(&b, 31005, 400);
    struct answer a = explain(&b, "app");
    for (size_t i = 0; i < a.analysis.n_outliers; i++) {
        const struct outlier *o = a.analysis.outliers[i];
        assert_true(o->latency_ns <= 12000);
        assert_true(o->confidence <= CONFIDENCE_POSSIBLE || !o->culprit || !strstr(o->culprit, "irq/45"));
        for (size_t k = 0; k < o->n_links; k++)
            assert_false(o->links[k].is_decisive && o->links[k].begin_ns > 30000000);
    }
    answer_release(&a);
}

/* The thread is woken in time, then waits for a lock; its owner gives it after 300 us. */
static void a_lock_within_the_chain_is_named(void **state)
{
    (void)state;
    struct trace_builder b = begin(0);
    uint32_t *w;
    ordinary(&b);
    interrupt(&b, 31000);
    trace_switch(&b, 0, 31005, 'R', IRQ45);
    trace_add(&b, 0, 31008, KIND_CONTENTION_BEGIN, 0, &w);
    event_words_set_i64(w, 0x1234);
    trace_switch(&b, 0, 31010, 'D', OWNER);
    trace_wake(&b, 0, 31310, KIND_SCHED_WAKING, IRQ45, 0);
    trace_switch(&b, 0, 31312, 'R', IRQ45);
    trace_add(&b, 0, 31313, KIND_CONTENTION_END, 0, &w);
    event_words_set_i64(w, 0x1234);
    thread_wakes_app(&b, 31312, 6);
    struct answer a = explain(&b, "app");
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->begin_ns, 31002500);
    assert_int_equal(o->cause, CAUSE_LOCK_CONTENTION);
    assert_string_equal(o->culprit, "owner:300 (prio 60)");
    assert_int_equal(o->n_links, 3);
    assert_string_equal(o->links[0].subject, "irq 45 eth0");
    assert_string_equal(o->links[1].kind, "task");
    assert_string_equal(o->links[2].kind, "lock");
    assert_int_equal(o->links[2].running_ns - o->links[2].begin_ns, 302000);
    assert_true(o->links[2].is_decisive);
    answer_release(&a);
}

/* Two threads that wake one another have no first one. */
static void a_loop_ends_in_unknown(void **state)
{
    (void)state;
    struct trace_builder b = begin(0);
    double us = 1000;
    for (int i = 0; i < 20; i++, us += 500) {
        int32_t from = i % 2 ? PEER : APP, to = i % 2 ? APP : PEER;
        trace_switch(&b, 0, us, 'S', from);
        trace_wake(&b, 0, us + 5, KIND_SCHED_WAKING, to, 0);
        trace_switch(&b, 0, us + 300, 'S', to); /* the other one takes its time */
        trace_switch(&b, 0, us + 310, 'S', 0);
        trace_wake(&b, 0, us + 400, KIND_SCHED_WAKING, to, 0);
    }
    struct answer a = explain(&b, "app");
    assert_true(a.analysis.n_outliers > 0);
    for (size_t i = 0; i < a.analysis.n_outliers; i++)
        if (a.analysis.outliers[i]->n_links)
            assert_string_equal(a.analysis.outliers[i]->links[0].kind, "unknown");
    answer_release(&a);
}

/* The interrupt lies before the trace: from the thread on nothing is known, and that is said. */
static void a_missing_link_ends_in_unknown(void **state)
{
    (void)state;
    struct trace_builder b = begin(0);
    b.current[0] = IRQ45;
    trace_wake(&b, 0, 1000, KIND_SCHED_WAKING, APP, 0);
    trace_switch(&b, 0, 1100, 'S', APP);
    trace_switch(&b, 0, 1110, 'S', 0);
    struct answer a = explain(&b, "app");
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->begin_ns, 1000000);
    assert_int_equal(o->n_links, 1);
    assert_string_equal(o->links[0].kind, "unknown");
    answer_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wait_of_an_interrupts_thread_is_followed),
        cmocka_unit_test(work_of_a_waker_is_no_wait),
        cmocka_unit_test(a_lock_within_the_chain_is_named),
        cmocka_unit_test(a_loop_ends_in_unknown),
        cmocka_unit_test(a_missing_link_ends_in_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
