/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace of ordinary cycles for what a test lets happen after them, and what its outliers are asked. Includes cmocka. */
#ifndef TESTS_UNIT_ORDINARY_H
#define TESTS_UNIT_ORDINARY_H

#include "tests/unit/explained.h"

#define RT 100
#define HOG 200
#define LOW 300

static inline int64_t amount(const struct outlier *o, enum slice_kind kind)
{
    int64_t sum = 0;
    for (size_t i = 0; i < o->n_slices; i++)
        if (o->slices[i].kind == kind)
            sum += o->slices[i].amount_ns;
    return sum;
}

/* Twenty ordinary cycles, then the next is due at 21 ms. */
static inline struct trace_builder ordinary(int64_t shift_ns)
{
    struct trace_builder b = trace_begin("mono");
    b.shift_ns = shift_ns;
    trace_task(&b, RT, 4, "cyclictest");
    trace_task(&b, HOG, 2, "hog97");
    trace_task(&b, LOW, 120, "bash");
    trace_timer_start(&b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    for (int i = 1; i <= 20; i++)
        trace_cycle(&b, 0, 1000 * i, RT, 1000 * (i + 1));
    return b;
}

static inline void wake_at(struct trace_builder *b, double us, uint32_t flags)
{
    trace_vector(b, 0, us, true, "local_timer", 236, flags);
    trace_expire(b, 0, us + 1, 0xa0, "hrtimer_wakeup", us + 1);
    trace_wake(b, 0, us + 2, KIND_SCHED_WAKING, RT, 0);
    trace_wake(b, 0, us + 3, KIND_SCHED_WAKEUP, RT, 0);
    trace_expired(b, 0, us + 4, 0xa0);
    trace_vector(b, 0, us + 6, false, "local_timer", 236, HARD_RESCHED);
}

#endif
