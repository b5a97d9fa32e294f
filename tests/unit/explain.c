/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain: windows, closed ledgers and causes of traces that can be solved on paper. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/ordinary.h"

static void tick_at(struct trace_builder *b, double us, uint32_t flags)
{
    trace_vector(b, 0, us, true, "local_timer", 236, flags);
    trace_expire(b, 0, us + 1, 0xb0, "tick_sched_timer", us + 1);
    trace_expired(b, 0, us + 3, 0xb0);
    trace_vector(b, 0, us + 4, false, "local_timer", 236, flags);
}

static void run_and_sleep(struct trace_builder *b, double us)
{
    trace_switch(b, 0, us, 'R', RT);
    trace_timer_start(b, 0, us + 5, 0xa0, "hrtimer_wakeup", us + 1000);
    trace_switch(b, 0, us + 10, 'S', 0);
}

static void an_ordinary_cycle_is_exact(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.n_outliers, 10);
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->latency_ns, 10000);
    assert_int_equal(o->window, WINDOW_TIMER);
    assert_int_equal(o->tid, RT);
    assert_int_equal(o->end_ns - o->begin_ns, 10000);
    assert_int_equal(amount(o, SLICE_TIMER_LATE), 2000);
    assert_int_equal(amount(o, SLICE_IRQ), 6000);
    assert_int_equal(amount(o, SLICE_SCHED), 2000);
    assert_true(o->confidence <= CONFIDENCE_POSSIBLE); /* nothing is out of the ordinary */
    answer_release(&a);
}

static void a_higher_task_ran(void **state)
{
    (void)state;
    for (int shifted = 0; shifted < 2; shifted++) {
        struct trace_builder b = ordinary(shifted ? 123456789012345 : 0);
        trace_switch(&b, 0, 20900, 'R', HOG);
        wake_at(&b, 21002, HARD);
        trace_switch(&b, 0, 21502, 'S', RT);
        struct answer a = explain(&b, NULL);
        const struct outlier *o = a.analysis.outliers[0];
        assert_int_equal(o->latency_ns, 502000);
        assert_int_equal(o->cause, CAUSE_HIGHER_PRIORITY_TASK);
        assert_string_equal(o->culprit, "hog97:200 (prio 2)");
        assert_int_equal(o->confidence, CONFIDENCE_PROVEN);
        assert_int_equal(amount(o, SLICE_TASK_HIGHER), 494000);
        answer_release(&a);
    }
}

/* latprobe's shape: a lower task stays; what the ticks say about its depth decides. */
static void a_lower_task_stayed(void **state)
{
    (void)state;
    static const struct {
        unsigned depth;
        bool resched;
        const char *thread_of_rt; /* PREEMPT_RT kernels have it */
        enum cause cause;
        enum confidence confidence;
    } cases[] = {
        {1, true, NULL, CAUSE_PREEMPT_OFF, CONFIDENCE_PROVEN},
        {0, true, "ktimers/0", CAUSE_MISSED_PREEMPTION, CONFIDENCE_PROVEN},
        {0, true, NULL, CAUSE_NON_PREEMPTIBLE_KERNEL, CONFIDENCE_POSSIBLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_builder b = ordinary(0);
        if (cases[i].thread_of_rt)
            trace_task(&b, 15, 98, cases[i].thread_of_rt);
        if (cases[i].thread_of_rt) {
            trace_switch(&b, 0, 20800, 'R', 15);
            trace_switch(&b, 0, 20810, 'S', 0);
        }
        trace_switch(&b, 0, 20900, 'R', LOW);
        uint32_t flags = flags_make(FLAG_IRQS_OFF | FLAG_HARDIRQ | FLAG_NEED_RESCHED, cases[i].depth, 0);
        wake_at(&b, 21002, flags_make(FLAG_IRQS_OFF | FLAG_HARDIRQ, cases[i].depth, 0));
        for (int k = 1; k <= 5; k++)
            tick_at(&b, 21002 + 4000 * k, flags);
        trace_switch(&b, 0, 43000, 'R', RT);
        struct answer a = explain(&b, NULL);
        const struct outlier *o = a.analysis.outliers[0];
        assert_int_equal(o->latency_ns, 22000000);
        assert_int_equal(o->cause, cases[i].cause);
        assert_int_equal(o->confidence, cases[i].confidence);
        assert_non_null(strstr(o->culprit, "bash:300"));
        answer_release(&a);
    }
}

static void throttled_threads_see_a_fair_task_picked(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_task(&b, 250, 49, "hogrt");
    trace_switch(&b, 0, 20900, 'R', 250);
    wake_at(&b, 21002, HARD);
    trace_switch(&b, 0, 21020, 'R', LOW); /* although two real-time tasks are ready */
    tick_at(&b, 25000, HARD);
    tick_at(&b, 29000, HARD);
    trace_expire(&b, 0, 29990, 0xc0, "sched_rt_period_timer", 29990);
    trace_expired(&b, 0, 29995, 0xc0);
    trace_switch(&b, 0, 30000, 'R', RT);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.outliers[0]->cause, CAUSE_THROTTLING);
    assert_int_equal(a.analysis.outliers[0]->confidence, CONFIDENCE_PROVEN);
    assert_true(amount(a.analysis.outliers[0], SLICE_THROTTLED) > 8000000);
    answer_release(&a);
}

/* With nobody else to run, the CPU idles although two real-time tasks are ready: no slow way out of an idle state. */
static void throttled_threads_see_the_cpu_idle(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_task(&b, 250, 49, "hogrt");
    trace_switch(&b, 0, 20900, 'R', 250);
    wake_at(&b, 21002, HARD);
    trace_switch(&b, 0, 21020, 'R', 0);
    for (double at = 21021; at < 29000; at += 4000) {
        trace_idle(&b, 0, at, 1);
        trace_idle(&b, 0, at + 3990, -1);
        tick_at(&b, at + 3991, HARD);
    }
    trace_expire(&b, 0, 29990, 0xc0, "sched_rt_period_timer", 29990);
    trace_expired(&b, 0, 29995, 0xc0);
    trace_switch(&b, 0, 30000, 'R', RT);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.outliers[0]->cause, CAUSE_THROTTLING);
    assert_int_equal(a.analysis.outliers[0]->confidence, CONFIDENCE_PROVEN);
    assert_true(amount(a.analysis.outliers[0], SLICE_THROTTLED) > 8000000);
    answer_release(&a);
}

/* Ten runs of 1 ms each of a line that never came before. */
static void a_storm_and_a_long_handler(void **state)
{
    (void)state;
    for (int storm = 0; storm < 2; storm++) {
        struct trace_builder b = ordinary(0);
        double at = 20995;
        for (int i = 0; i < (storm ? 20 : 1); i++) {
            double length = storm ? 400 : 8000;
            trace_irq(&b, 0, at, true, 24, "eth0", HARD);
            trace_irq(&b, 0, at + length, false, 24, NULL, HARD);
            at += length + 2;
        }
        wake_at(&b, at + 1, HARD);
        run_and_sleep(&b, at + 10);
        struct answer a = explain(&b, NULL);
        const struct outlier *o = a.analysis.outliers[0];
        assert_int_equal(o->cause, storm ? CAUSE_IRQ_STORM : CAUSE_IRQ);
        assert_string_equal(o->culprit, "irq 24 eth0");
        assert_int_equal(o->confidence, storm ? CONFIDENCE_PROVEN : CONFIDENCE_LIKELY);
        assert_true(amount(o, SLICE_IRQ) > 7900000);
        answer_release(&a);
    }
}

static void many_timers_in_one_interrupt(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_vector(&b, 0, 21002, true, "local_timer", 236, HARD);
    for (int i = 0; i < 10; i++) {
        trace_expire(&b, 0, 21003 + 100 * i, 0x1000 + (uint64_t)i, "watch_cb", 21003);
        trace_expired(&b, 0, 21003 + 100 * i + 99, 0x1000 + (uint64_t)i);
    }
    trace_expire(&b, 0, 22010, 0xa0, "hrtimer_wakeup", 21003);
    trace_wake(&b, 0, 22011, KIND_SCHED_WAKING, RT, 0);
    trace_wake(&b, 0, 22012, KIND_SCHED_WAKEUP, RT, 0);
    trace_expired(&b, 0, 22013, 0xa0);
    trace_vector(&b, 0, 22014, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(&b, 0, 22016, 'R', RT);
    struct answer a = explain(&b, NULL);
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->latency_ns, 1016000);
    assert_int_equal(o->cause, CAUSE_TIMER_CASCADE);
    assert_non_null(strstr(o->culprit, "watch_cb"));
    answer_release(&a);
}

/* The timer interrupt comes 10 ms late: what was recorded around that silence decides. */
static void silence_of_one_cpu_has_no_culprit(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_switch(&b, 0, 20900, 'R', LOW);
    wake_at(&b, 31000, HARD);
    run_and_sleep(&b, 31010);
    struct answer a = explain(&b, NULL);
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->latency_ns, 10010000);
    assert_int_equal(o->cause, CAUSE_UNEXPLAINED);
    assert_int_equal(o->confidence, CONFIDENCE_UNKNOWN);
    assert_int_equal(o->unexplained_ns, 10000000);
    assert_non_null(strstr(o->culprit, "bash:300"));
    answer_release(&a);
}

static void silence_of_all_cpus_is_a_stall(void **state)
{
    (void)state;
    struct trace_builder b = trace_begin("mono");
    trace_task(&b, RT, 4, "cyclictest");
    trace_task(&b, 101, 4, "cyclictest");
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    trace_switch(&b, 1, 10, 'R', 0);
    for (int i = 1; i <= 20; i++) {
        trace_cycle(&b, 0, 1000 * i, RT, 1000 * (i + 1));
        trace_cycle(&b, 1, 1000 * i + 300, 101, 1000 * (i + 1) + 300);
    }
    wake_at(&b, 71000, HARD);
    run_and_sleep(&b, 71010);
    trace_cycle(&b, 1, 71003, 101, 72000);
    struct answer a = explain(&b, NULL);
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->cause, CAUSE_HARDWARE_STALL);
    assert_int_equal(o->confidence, CONFIDENCE_LIKELY);
    assert_true(amount(o, SLICE_HARDWARE_STALL) > 49000000);
    answer_release(&a);
}

static void a_section_with_interrupts_off_is_proven(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    trace_switch(&b, 0, 20900, 'R', LOW);
    trace_section(&b, 0, 20950, KIND_IRQ_DISABLE, "console_unlock", flags_make(FLAG_IRQS_OFF, 0, 0));
    trace_section(&b, 0, 31000, KIND_IRQ_ENABLE, "console_unlock", flags_make(FLAG_IRQS_OFF, 0, 0));
    trace_section(&b, 0, 31001, KIND_IRQ_DISABLE, "irqentry_enter", flags_make(FLAG_IRQS_OFF, 0, 0));
    wake_at(&b, 31002, HARD);
    trace_section(&b, 0, 31009, KIND_IRQ_ENABLE, "asm_sysvec_apic_timer_interrupt", flags_make(FLAG_IRQS_OFF, 0, 0));
    trace_switch(&b, 0, 31012, 'R', RT);
    struct answer a = explain(&b, NULL);
    const struct outlier *o = a.analysis.outliers[0];
    assert_int_equal(o->cause, CAUSE_IRQS_OFF);
    assert_int_equal(o->confidence, CONFIDENCE_PROVEN);
    assert_non_null(strstr(o->culprit, "console_unlock"));
    assert_int_equal(amount(o, SLICE_IRQS_OFF), 10000000);
    answer_release(&a);
}

/* T sleeps; the low thread that will wake it is kept from running by a middle one, or is not. */
static void an_inversion_needs_an_owner_that_could_not_run(void **state)
{
    (void)state;
    for (int inverted = 0; inverted < 2; inverted++) {
        struct trace_builder b = trace_begin("mono");
        trace_task(&b, RT, 9, "high");
        trace_task(&b, HOG, 49, "mid");
        trace_task(&b, LOW, 89, "low");
        trace_switch(&b, 0, 10, 'S', LOW);
        trace_wake(&b, 0, 900, KIND_SCHED_WAKING, RT, 0);
        trace_wake(&b, 0, 901, KIND_SCHED_WAKEUP, RT, 0);
        trace_switch(&b, 0, 910, 'R', RT);
        trace_switch(&b, 0, 1000, 'S', LOW); /* high waits for low */
        if (inverted) {
            trace_switch(&b, 0, 2000, 'R', HOG);
            trace_switch(&b, 0, 22000, 'S', LOW);
        }
        trace_wake(&b, 0, 24000, KIND_SCHED_WAKING, RT, 0);
        trace_wake(&b, 0, 24001, KIND_SCHED_WAKEUP, RT, 0);
        trace_switch(&b, 0, 24010, 'R', RT);
        trace_switch(&b, 0, 24100, 'S', LOW);
        struct answer a = explain(&b, "high");
        const struct outlier *o = a.analysis.outliers[0];
        if (inverted) {
            assert_int_equal(o->window, WINDOW_BLOCKED);
            assert_int_equal(o->latency_ns, 23010000);
            assert_int_equal(o->cause, CAUSE_PRIORITY_INVERSION);
            assert_non_null(strstr(o->culprit, "mid:200"));
            assert_int_equal(amount(o, SLICE_TASK_LOWER), 20000000);
        } else {
            for (size_t i = 0; i < a.analysis.n_outliers; i++)
                assert_int_not_equal(a.analysis.outliers[i]->window, WINDOW_BLOCKED);
        }
        answer_release(&a);
    }
}

/* The trace clock runs off CLOCK_MONOTONIC by an offset that only the expiries tell. */
static void due_times_need_a_clock_pair(void **state)
{
    (void)state;
    struct trace_builder b = trace_begin("local");
    b.mono_ns = 19000000000;
    trace_task(&b, RT, 4, "cyclictest");
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    for (int i = 1; i <= 20; i++)
        trace_cycle(&b, 0, 1000 * i, RT, 1000 * (i + 1));
    wake_at(&b, 21500, HARD);
    run_and_sleep(&b, 21510);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.outliers[0]->window, WINDOW_TIMER);
    assert_int_equal(a.analysis.outliers[0]->latency_ns, 510000);
    answer_release(&a);
}

static void add_header(struct trace_builder *b, int32_t cpu, double begin_us, double end_us)
{
    struct claim claim = {.run = b->run, .kind = CLAIM_TRACER_HEADER, .section = SECTION_WAKEUP, .series = ROW_NONE, .stream = b->stream,
                          .cpu = cpu, .tid = RT, .rt_priority = PRIO_UNKNOWN, .time_ns = NS_UNKNOWN, .irq_latency_ns = NS_UNKNOWN,
                          .latency_ns = (int64_t)((end_us - begin_us) * 1000), .begin_ns = (int64_t)(begin_us * 1000),
                          .end_ns = (int64_t)(end_us * 1000)};
    store_add_claim(b->writer, &claim);
}

/* A damaged header may name any CPU: nothing is known of it, and what is known of the others stays where it is. */
static void a_cpu_without_events_is_none_of_ours(void **state)
{
    (void)state;
    static const int32_t cpus[] = {1, 255, 1 << 28, INT32_MAX, -7};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        struct trace_builder b = ordinary(0);
        wake_at(&b, 21002, HARD);
        run_and_sleep(&b, 21100);
        add_header(&b, cpus[i], 21010, 21100);
        struct answer a = explain(&b, NULL);
        assert_int_equal(a.analysis.outliers[0]->latency_ns, 90000);
        answer_release(&a);
    }
}

static void losses_end_what_waited(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    wake_at(&b, 21002, HARD);
    struct gap gap = {.run = b.run, .stream = b.stream, .cpu = 0, .begin_ns = 21009000, .end_ns = 40000000, .n_lost = 500,
                      .reason = "overrun"};
    store_add_gap(b.writer, &gap);
    trace_switch(&b, 0, 40000, 'R', RT);
    trace_switch(&b, 0, 40010, 'S', 0);
    struct answer a = explain(&b, NULL);
    for (size_t i = 0; i < a.analysis.n_outliers; i++)
        assert_true(a.analysis.outliers[i]->latency_ns < 1000000);
    answer_release(&a);
}

/* Losses can begin and end at one stamp: nothing of the window is theirs, and it is no longer complete. */
static void a_loss_without_length_takes_nothing(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    wake_at(&b, 21002, HARD);
    struct gap gap = {.run = b.run, .stream = b.stream, .cpu = 0, .begin_ns = 21050000, .end_ns = 21050000, .n_lost = 5, .reason = "overrun"};
    store_add_gap(b.writer, &gap);
    run_and_sleep(&b, 21100);
    add_header(&b, 0, 21010, 21100);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.outliers[0]->latency_ns, 90000);
    assert_int_equal(amount(a.analysis.outliers[0], SLICE_GAP), 0);
    answer_release(&a);
}

static void add_report(struct trace_builder *b, int64_t latency_ns, int64_t irq_ns, int64_t thread_ns)
{
    struct claim_part parts[] = {{.kind = PART_IRQ, .subject = "eth0:24", .amount_ns = irq_ns},
                                 {.kind = PART_THREAD, .subject = "other:7", .amount_ns = thread_ns}};
    struct claim claim = {.run = b->run, .kind = CLAIM_REPORT, .section = SECTION_TIMER_THREAD, .series = ROW_NONE, .stream = ROW_NONE,
                          .cpu = 0, .tid = RT, .rt_priority = PRIO_UNKNOWN, .latency_ns = latency_ns, .time_ns = NS_UNKNOWN,
                          .begin_ns = NS_UNKNOWN, .end_ns = NS_UNKNOWN, .irq_latency_ns = NS_UNKNOWN, .n_parts = 2, .parts = parts};
    store_add_claim(b->writer, &claim);
}

/* A tool's parts may exceed its total by their rounding; by more they are another's. */
static void parts_beyond_the_total_are_not_believed(void **state)
{
    (void)state;
    struct trace_builder b = trace_begin("mono");
    add_report(&b, 50000, 40000, 10700);
    add_report(&b, 49000, 40000, 300000);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.n_outliers, 2);
    const struct outlier *rounded = a.analysis.outliers[0], *other = a.analysis.outliers[1];
    assert_int_equal(rounded->cause, CAUSE_IRQ);
    assert_int_equal(amount(rounded, SLICE_IRQ), 39300);
    assert_int_equal(other->cause, CAUSE_UNEXPLAINED);
    assert_int_equal(other->confidence, CONFIDENCE_UNKNOWN);
    assert_string_equal(other->why, "parts-exceed-total");
    assert_int_equal(other->unexplained_ns, 49000);
    answer_release(&a);
}

/* 146 years between two stamps are no latency, nor is what a report says of such a time. */
static void what_lasts_for_years_is_no_latency(void **state)
{
    (void)state;
    struct trace_builder b = ordinary(0);
    wake_at(&b, 21002, HARD);
    run_and_sleep(&b, 21100);
    store_add_claim(b.writer, &(struct claim){
        .run = b.run, .kind = CLAIM_TRACER_HEADER, .section = SECTION_WAKEUP, .series = ROW_NONE, .stream = b.stream, .cpu = 0, .tid = RT,
        .rt_priority = PRIO_UNKNOWN, .time_ns = NS_UNKNOWN, .irq_latency_ns = NS_UNKNOWN, .latency_ns = NS_LIMIT,
        .begin_ns = -NS_LIMIT, .end_ns = NS_LIMIT});
    add_report(&b, NS_LIMIT, NS_LIMIT, NS_LIMIT);
    add_report(&b, 49000, NS_LIMIT, NS_LIMIT);
    struct answer a = explain(&b, NULL);
    assert_int_equal(a.analysis.n_outliers, 1);
    assert_int_equal(a.analysis.outliers[0]->latency_ns, 49000);
    assert_string_equal(a.analysis.outliers[0]->why, "parts-exceed-total");
    answer_release(&a);
}

/* Each kind as the last event of a CPU, so that what stands behind its words is nobody's: the sanitizer sees a read of it. */
static void no_kind_is_read_past_its_words(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KIND_END; kind++) {
        if (!event_kind_info(kind))
            continue;
        struct trace_builder b = ordinary(0);
        uint32_t *w;
        struct event_batch *batch = trace_add(&b, 0, 21001, KIND_FUNCTION, HARD, &w);
        trace_string(batch, &w[0], "some_function");
        wake_at(&b, 21002, HARD);
        trace_add(&b, 1, 21020, kind, HARD, &w);
        run_and_sleep(&b, 21100);
        struct answer a = explain(&b, NULL);
        assert_true(a.analysis.n_outliers > 0);
        answer_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordinary_cycle_is_exact),
        cmocka_unit_test(a_higher_task_ran),
        cmocka_unit_test(a_lower_task_stayed),
        cmocka_unit_test(throttled_threads_see_a_fair_task_picked),
        cmocka_unit_test(throttled_threads_see_the_cpu_idle),
        cmocka_unit_test(a_storm_and_a_long_handler),
        cmocka_unit_test(many_timers_in_one_interrupt),
        cmocka_unit_test(silence_of_one_cpu_has_no_culprit),
        cmocka_unit_test(silence_of_all_cpus_is_a_stall),
        cmocka_unit_test(a_section_with_interrupts_off_is_proven),
        cmocka_unit_test(an_inversion_needs_an_owner_that_could_not_run),
        cmocka_unit_test(due_times_need_a_clock_pair),
        cmocka_unit_test(a_cpu_without_events_is_none_of_ours),
        cmocka_unit_test(losses_end_what_waited),
        cmocka_unit_test(a_loss_without_length_takes_nothing),
        cmocka_unit_test(parts_beyond_the_total_are_not_believed),
        cmocka_unit_test(what_lasts_for_years_is_no_latency),
        cmocka_unit_test(no_kind_is_read_past_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
