/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measuring threads: one per CPU, absolute CLOCK_MONOTONIC sleep, every sample into a ring. After its start a thread
 * makes no system call but its sleep, faults no page, allocates nothing and takes no lock; its own fault and switch
 * counters, read by the helper from outside, prove it.
 */
#ifndef CAPTURE_MEASURE_H
#define CAPTURE_MEASURE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "capture/counters.h"
#include "capture/options.h"
#include "capture/ring.h"

struct measure_thread {
    const struct capture_options *options;
    unsigned index;
    int cpu, tid;
    pthread_t thread;
    struct ring ring;
    struct counters counters;
    char start_error[160];     /* why it could not start as asked; "" when it could */
    int64_t first_due_ns;
    int64_t sample_cost_ns;    /* what taking one sample costs, measured before the start: median of 1,000 */
    atomic_bool is_ready, has_ended;
    /* The thread's own tallies, in its own cache line; the helper may read them any time. */
    _Alignas(64) atomic_uint_fast64_t n_samples, n_missed;
};

struct measurement {
    const struct capture_options *options;
    unsigned n_threads;
    bool is_locked;          /* memory is locked */
    struct measure_thread *threads;
    atomic_bool stop;
    atomic_int_fast64_t start_ns; /* CLOCK_MONOTONIC of the common start; 0: wait */
};

/* Makes the threads, with everything touched and locked; they wait for measurement_start(). */
enum status measurement_prepare(struct measurement *measurement, const struct capture_options *options,
                                struct error *error);
void measurement_start(struct measurement *measurement);
bool measurement_has_ended(const struct measurement *measurement); /* every thread reached its number of loops */
void measurement_stop(struct measurement *measurement);            /* joins */
void measurement_release(struct measurement *measurement);

/* Binds a thread to its CPU (not under SCHED_DEADLINE, which does not allow it). From any thread; false with errno. */
bool measure_thread_pin(const struct measure_thread *thread);

/* CLOCK_MONOTONIC, now. */
int64_t monotonic_ns(void);

#endif
