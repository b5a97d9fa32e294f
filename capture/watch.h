/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happens to the machine while it is measured: CPUs that go offline, clocks that are set, suspend, SMIs. Read from
 * outside by the helper, a few times a second at most; said in incidents.txt and log.txt. The thread of a CPU that comes
 * back is pinned to it again.
 */
#ifndef CAPTURE_WATCH_H
#define CAPTURE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "capture/measure.h"
#include "capture/output.h"

struct watch {
    const struct measurement *measurement;
    struct cpuset measured, offline; /* offline: measured CPUs that were seen to be */
    int64_t realtime_offset_ns, boottime_offset_ns; /* against CLOCK_MONOTONIC, when last seen */
};

void watch_begin(struct watch *watch, const struct measurement *measurement);
/* Looks again and logs what changed. */
void watch_look(struct watch *watch, struct output *output);
/* The SMI count of each measured CPU (MSR 0x34, Intel), or why it cannot be read. when: "start", "end". */
void watch_smi(const struct watch *watch, struct output *output, const char *when);

#endif
