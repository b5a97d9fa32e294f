/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hardware counters that a measuring thread reads in user space (rdpmc on x86, the virtual counters on arm64): no system
 * call. Where that is not possible the helper reads a total of the run from outside, and no sample has a value; what is
 * not available at all is said with its reason, never read as 0.
 */
#ifndef CAPTURE_COUNTERS_H
#define CAPTURE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTERS_MAX 5

struct counter_slot {
    const char *name; /* "cycles", "instructions", "cache_references", "cache_misses", "branch_misses" */
    int fd;           /* -1: it does not count */
    void *page;       /* struct perf_event_mmap_page; NULL: not readable in user space */
    uint64_t last;
    char why[96];     /* why samples have no value of it; "" when they have */
};
struct counters {
    size_t n; /* how many can be read, the first n of slots; the rest say why not */
    struct counter_slot slots[COUNTERS_MAX];
};

void counters_open(struct counters *counters); /* for the calling thread */
/* Differences since the previous call into values (n of them); UINT64_MAX where a read failed this time. */
void counters_read(struct counters *counters, uint64_t *values);
/* What it counted since it was opened, with a system call: not for the measuring thread. */
bool counters_total(const struct counter_slot *slot, uint64_t *value);
void counters_close(struct counters *counters);

#endif
