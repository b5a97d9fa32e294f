/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "capture/files.h"

#define MSR_SMI_COUNT 0x34
/* Slewing by NTP moves the real-time clock by at most 0.5 ms in a second; a step is more. */
#define STEP_NS INT64_C(10000000)

static int64_t offset_ns(clockid_t clock)
{
    struct timespec mono, other;
    clock_gettime(CLOCK_MONOTONIC, &mono);
    clock_gettime(clock, &other);
    return (other.tv_sec - mono.tv_sec) * INT64_C(1000000000) + other.tv_nsec - mono.tv_nsec;
}

void watch_begin(struct watch *watch, const struct measurement *measurement)
{
    *watch = (struct watch){
        .measurement = measurement,
        .measured = measurement->options->cpus,
        .realtime_offset_ns = offset_ns(CLOCK_REALTIME),
        .boottime_offset_ns = offset_ns(CLOCK_BOOTTIME),
    };
}

/* The thread of a CPU that came back: the kernel let it run anywhere, and does not move it back by itself. */
static bool pin_again(const struct measurement *measurement, int cpu)
{
    bool done = true;
    for (unsigned i = 0; i < measurement->n_threads; i++)
        if (measurement->threads[i].cpu == cpu)
            done &= measure_thread_pin(&measurement->threads[i]);
    return done;
}

static void look_at_cpus(struct watch *watch, struct output *output)
{
    char line[4096];
    struct cpuset online;
    file_line(line, sizeof line, "/sys/devices/system/cpu/online");
    if (!line[0] || !cpuset_parse(line, &online))
        return;
    for (int cpu = 0; cpu < CPUSET_MAX; cpu++) {
        if (!cpuset_has(&watch->measured, cpu) || cpuset_has(&online, cpu) != cpuset_has(&watch->offline, cpu))
            continue;
        if (!cpuset_has(&online, cpu)) {
            cpuset_add(&watch->offline, cpu);
            output_incident(output, "cpu-offline", cpu, 0, "CPU %d went offline: its thread runs elsewhere from here on", cpu);
        } else {
            cpuset_remove(&watch->offline, cpu);
            output_incident(output, "cpu-online", cpu, 0, "CPU %d is online again: its thread %s", cpu,
                            pin_again(watch->measurement, cpu) ? "was moved back" : "could not be moved back");
        }
    }
}

static void look_at_clocks(struct watch *watch, struct output *output)
{
    char text[DURATION_TEXT_BYTES];
    int64_t realtime_ns = offset_ns(CLOCK_REALTIME), boottime_ns = offset_ns(CLOCK_BOOTTIME);
    int64_t slept_ns = boottime_ns - watch->boottime_offset_ns;
    int64_t step_ns = realtime_ns - watch->realtime_offset_ns - slept_ns;
    if (slept_ns > STEP_NS) {
        output_incident(output, "suspend", -1, slept_ns, "the machine was suspended for %s", duration_format(slept_ns, text));
        output_clocks(output);
    }
    if (llabs(step_ns) > STEP_NS) {
        output_incident(output, "clock-step", -1, step_ns, "the real-time clock was set by %s; due and wake times are CLOCK_MONOTONIC, which was not",
                        duration_format(step_ns, text));
        output_clocks(output);
    }
    watch->realtime_offset_ns = realtime_ns;
    watch->boottime_offset_ns = boottime_ns;
}

void watch_look(struct watch *watch, struct output *output)
{
    look_at_cpus(watch, output);
    look_at_clocks(watch, output);
}

void watch_smi(const struct watch *watch, struct output *output, const char *when)
{
    for (int cpu = 0; cpu < CPUSET_MAX; cpu++) {
        char path[64], key[64];
        uint64_t count;
        if (!cpuset_has(&watch->measured, cpu))
            continue;
        snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
        snprintf(key, sizeof key, "smi_count_cpu%d_%s", cpu, when);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && pread(fd, &count, sizeof count, MSR_SMI_COUNT) == (ssize_t)sizeof count) {
            output_value(output, key, "%" PRIu64, count & 0xffffffff);
        } else {
            output_value(output, key, NULL);
            if (strcmp(when, "start") == 0)
                output_log(output, "no SMI count of CPU %d: %s: %s", cpu, path, strerror(errno));
        }
        if (fd >= 0)
            close(fd);
    }
}
