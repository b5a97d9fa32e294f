/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/measure.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

/* The kernel's struct; glibc has none. */
struct deadline_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

static struct measurement *running; /* the threads find their measurement here; one per process */

int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

bool measure_thread_pin(const struct measure_thread *thread)
{
    /* A deadline task may not be pinned (but by a cpuset): it is left to the scheduler. */
    if (thread->options->policy == SCHED_DEADLINE)
        return true;
    cpu_set_t *set = CPU_ALLOC((size_t)thread->cpu + 1);
    size_t size = CPU_ALLOC_SIZE((size_t)thread->cpu + 1);
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)thread->cpu, size, set);
    bool done = sched_setaffinity(thread->tid, size, set) == 0;
    CPU_FREE(set);
    return done;
}

/* Puts the calling thread where and how it was asked to run. */
static void place(struct measure_thread *thread)
{
    const struct capture_options *options = thread->options;
    if (!measure_thread_pin(thread))
        snprintf(thread->start_error, sizeof thread->start_error, "cannot run on CPU %d: %s", thread->cpu,
                 strerror(errno));
    if (options->policy == SCHED_DEADLINE) {
        struct deadline_attributes attributes = {
            .size = sizeof attributes,
            .policy = SCHED_DEADLINE,
            .runtime_ns = (uint64_t)options->interval_ns / 2,
            .deadline_ns = (uint64_t)options->interval_ns,
            .period_ns = (uint64_t)options->interval_ns,
        };
        if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0)
            snprintf(thread->start_error, sizeof thread->start_error, "cannot use SCHED_DEADLINE: %s", strerror(errno));
    } else if (options->policy != SCHED_OTHER) {
        struct sched_param param = {.sched_priority = options->priority};
        int failed = pthread_setschedparam(pthread_self(), options->policy, &param); /* libcobalt wraps this one */
        if (failed)
            snprintf(thread->start_error, sizeof thread->start_error, "cannot use priority %d: %s", options->priority,
                     strerror(failed));
    }
}

/* Touches as much stack as the loop could need, so that it faults no page later. */
static void touch_stack(void)
{
    volatile unsigned char stack[64 * 1024];
    for (size_t i = 0; i < sizeof stack; i += 1024)
        stack[i] = 1;
}

/* Everything that follows a wakeup: one sample into the ring. False when the ring was full. */
static inline bool keep(struct measure_thread *thread, uint64_t sequence, int64_t due_ns, int64_t wake_ns,
                        uint64_t n_missed)
{
    struct ring_sample *sample = ring_next(&thread->ring);
    if (!sample)
        return false;
    sample->sequence = sequence;
    sample->due_ns = due_ns;
    sample->wake_ns = wake_ns;
    sample->n_missed = n_missed;
    if (thread->ring.n_counters)
        counters_read(&thread->counters, sample->counters);
    ring_push(&thread->ring);
    return true;
}

static int compare_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Takes samples of nothing and measures what one costs. Leaves the ring as it was. */
static void measure_cost(struct measure_thread *thread)
{
    enum { N = 1000 };
    static _Thread_local int64_t cost[N];
    for (int i = 0; i < N; i++) {
        int64_t begin = monotonic_ns();
        keep(thread, 0, begin, begin, 0);
        cost[i] = monotonic_ns() - begin;
        atomic_store(&thread->ring.head, 0);
    }
    thread->ring.n_dropped = 0;
    qsort(cost, N, sizeof *cost, compare_i64);
    thread->sample_cost_ns = cost[N / 2];
}

/* Sleeps until due_ns. False: a signal, or the sleep is not possible. */
static inline bool sleep_until(enum sleep_mode mode, int timer, int64_t due_ns)
{
    if (mode == SLEEP_NANOSLEEP) {
        struct timespec due = timespec_of(due_ns);
        return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == 0;
    }
    if (mode == SLEEP_TIMERFD) { /* periodic: the kernel re-arms it, one read per period */
        uint64_t n_expired;
        return read(timer, &n_expired, sizeof n_expired) == (ssize_t)sizeof n_expired;
    }
    while (monotonic_ns() < due_ns)
        ;
    return true;
}

static void run(struct measure_thread *thread, int timer)
{
    const int64_t interval_ns = thread->options->interval_ns;
    const uint64_t n_loops = thread->options->n_loops;
    const enum sleep_mode mode = thread->options->sleep;
    int64_t due_ns = thread->first_due_ns;
    uint64_t n_missed = 0, total_missed = 0;

    for (uint64_t sequence = 0; !atomic_load_explicit(&running->stop, memory_order_relaxed); sequence++) {
        if (!sleep_until(mode, timer, due_ns))
            break;
        int64_t wake_ns = monotonic_ns();
        keep(thread, sequence, due_ns, wake_ns, n_missed);
        atomic_store_explicit(&thread->n_samples, sequence + 1, memory_order_relaxed);
        if (n_loops && sequence + 1 >= n_loops)
            break;
        due_ns += interval_ns;
        n_missed = 0;
        if (wake_ns >= due_ns) { /* whole periods slept through: counted, never hidden */
            n_missed = (uint64_t)((wake_ns - due_ns) / interval_ns) + 1;
            due_ns += (int64_t)n_missed * interval_ns;
            total_missed += n_missed;
            atomic_store_explicit(&thread->n_missed, total_missed, memory_order_relaxed);
        }
    }
}

static void *measure(void *argument)
{
    struct measure_thread *thread = argument;
    thread->tid = (int)syscall(SYS_gettid);
    char name[16];
    snprintf(name, sizeof name, "whylate/%u", thread->index);
    pthread_setname_np(pthread_self(), name);
    touch_stack();
    if (thread->options->counters)
        counters_open(&thread->counters);
    ring_init(&thread->ring, thread->options->ring_samples, (uint32_t)thread->counters.n);
    place(thread);
    measure_cost(thread);

    int timer = -1;
    if (thread->options->sleep == SLEEP_TIMERFD && (timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) < 0)
        snprintf(thread->start_error, sizeof thread->start_error, "cannot make a timer: %s", strerror(errno));
    atomic_store(&thread->is_ready, true);

    int64_t start_ns;
    while (!(start_ns = atomic_load(&running->start_ns)) && !atomic_load(&running->stop))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    thread->first_due_ns = start_ns;
    if (thread->options->start == START_STAGGERED && running->n_threads > 1)
        thread->first_due_ns += thread->options->interval_ns * thread->index / running->n_threads;
    if (timer >= 0) {
        struct itimerspec spec = {.it_value = timespec_of(thread->first_due_ns),
                                  .it_interval = timespec_of(thread->options->interval_ns)};
        timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, NULL);
    }
    if (!atomic_load(&running->stop) && !thread->start_error[0])
        run(thread, timer);
    if (timer >= 0)
        close(timer);
    atomic_store(&thread->has_ended, true);
    return NULL;
}

enum status measurement_prepare(struct measurement *measurement, const struct capture_options *options,
                                struct error *error)
{
    *measurement = (struct measurement){.options = options, .n_threads = (unsigned)cpuset_count(&options->cpus)};
    running = measurement;
    /* Without the right to lock, pages are touched all the same, and the bundle says that they were not locked. */
    measurement->is_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    if (!measurement->is_locked)
        munlockall();
    /* The struct has members aligned to cache lines. */
    size_t bytes = measurement->n_threads * sizeof *measurement->threads;
    measurement->threads = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (!measurement->threads)
        return error_set(error, ERROR_OUTPUT, "out of memory");
    memset(measurement->threads, 0, bytes);

    unsigned n = 0;
    for (int cpu = 0; cpu < CPUSET_MAX; cpu++) {
        if (!cpuset_has(&options->cpus, cpu))
            continue;
        struct measure_thread *thread = &measurement->threads[n];
        thread->options = options;
        thread->index = n;
        thread->cpu = cpu;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 256 * 1024);
        int failed = pthread_create(&thread->thread, &attributes, measure, thread);
        pthread_attr_destroy(&attributes);
        if (failed) {
            measurement->n_threads = n;
            measurement_stop(measurement);
            return error_set(error, ERROR_OUTPUT, "cannot start a thread: %s", strerror(failed));
        }
        n++;
    }
    for (unsigned i = 0; i < n; i++)
        while (!atomic_load(&measurement->threads[i].is_ready))
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (unsigned i = 0; i < n; i++)
        if (measurement->threads[i].start_error[0]) {
            error_set(error, ERROR_USAGE, "%s", measurement->threads[i].start_error);
            measurement_stop(measurement);
            return FAILED;
        }
    return OK;
}

void measurement_start(struct measurement *measurement)
{
    atomic_store(&measurement->start_ns, monotonic_ns() + 20 * 1000000);
}

bool measurement_has_ended(const struct measurement *measurement)
{
    for (unsigned i = 0; i < measurement->n_threads; i++)
        if (!atomic_load(&measurement->threads[i].has_ended))
            return false;
    return true;
}

void measurement_stop(struct measurement *measurement)
{
    atomic_store(&measurement->stop, true);
    for (unsigned i = 0; i < measurement->n_threads; i++)
        if (measurement->threads[i].thread) {
            pthread_join(measurement->threads[i].thread, NULL);
            measurement->threads[i].thread = 0;
        }
}

void measurement_release(struct measurement *measurement)
{
    for (unsigned i = 0; i < measurement->n_threads; i++) {
        ring_release(&measurement->threads[i].ring);
        counters_close(&measurement->threads[i].counters);
    }
    free(measurement->threads);
    measurement->threads = NULL;
}
