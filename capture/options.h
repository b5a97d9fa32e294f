/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a capture was asked to do. Filled by capture/main.c from the command line, written to bundle.txt as it is. */
#ifndef CAPTURE_OPTIONS_H
#define CAPTURE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"

enum sleep_mode { SLEEP_NANOSLEEP = 0, SLEEP_TIMERFD, SLEEP_BUSY };
enum start_mode { START_STAGGERED = 0, START_ALIGNED };
/* A sample above a limit; one above all before; one among the max_outliers worst. */
enum trigger { TRIGGER_MAXIMUM = 0, TRIGGER_THRESHOLD, TRIGGER_WORST };
enum trace_level { TRACE_OFF = 0, TRACE_LOW, TRACE_FULL, TRACE_FUNCTION };

struct capture_options {
    const char *command;        /* NULL: measure; "check", "restore" */
    const char *directory;      /* the bundle; made, must not exist */
    struct cpuset cpus;         /* one measuring thread each */
    int policy;                 /* SCHED_FIFO, SCHED_RR, SCHED_DEADLINE, SCHED_OTHER of <sched.h> */
    int priority;               /* 1..99 for FIFO and RR */
    int64_t interval_ns;
    int64_t duration_ns;        /* 0: until a signal */
    uint64_t n_loops;           /* 0: by duration */
    enum sleep_mode sleep;
    enum start_mode start;
    int64_t dma_latency_us;     /* held in /dev/cpu_dma_latency; -1: left alone */
    enum trigger trigger;       /* which samples are outliers; all but a threshold begin after the first second */
    int64_t threshold_ns;       /* of TRIGGER_THRESHOLD, else 0 */
    size_t max_outliers;        /* traces kept; the mildest goes when one more comes */
    enum trace_level trace;
    const char *trace_systems;  /* --trace=sched,irq,...: instead of the level's events; NULL */
    size_t trace_buffer_kb;     /* per CPU */
    const char *trace_clock;
    int helper_cpu;             /* where draining and saving run; -1: any but the measured ones if possible */
    size_t ring_samples;        /* per thread, a power of two */
    bool counters;              /* hardware and software counters around the wakeup */
    const char *load;           /* built-in loads, comma separated; NULL */
    const char *load_command;   /* NULL */
    const char *require;        /* conditions without which nothing is measured; NULL */
    bool quiet;
};

#endif
