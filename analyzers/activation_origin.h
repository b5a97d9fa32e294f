/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a thread's run came from: its own waking, or that of the task that woke it, and so on back to an interrupt. A
 * thread that is woken in time by one that was late is late all the same:
 *
 *     hardirq ─ irq/45-eth0 woken ▁▁▁▁ waits ▁▁▁▁ runs ─ app woken, runs at once
 *     └ origin                                           └ its own waking
 */
#ifndef ANALYZERS_ACTIVATION_ORIGIN_H
#define ANALYZERS_ACTIVATION_ORIGIN_H

#include "analyzers/activation.h"

#define ORIGIN_MAX_TASKS 8

struct origin {
    int64_t begin_ns;  /* of the first link's wait; NS_UNKNOWN: not known */
    int64_t waited_ns; /* of all since, without what they worked */
    int64_t since_ns;  /* this thread waits for the CPU since */
    unsigned n;        /* tasks before this one */
    int32_t tids[ORIGIN_MAX_TASKS];
};
void origin_clear(struct origin *origin);
/* The thread of `a` is woken by a task that runs from `waker` (NULL: by none whose own origin is known). */
void origin_wake(struct origin *origin, const struct origin *waker, struct activation *a);
/* It woke up because a lock was given to it: its origin stays, and the wait for the lock counts. */
void origin_resume(struct origin *origin, const struct activation *a);
void origin_run(struct origin *origin, int64_t t_ns);

#endif
