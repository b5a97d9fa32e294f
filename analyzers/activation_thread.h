/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads that a pass over the events follows, by tid: what each does, and its activation under way. */
#ifndef ANALYZERS_ACTIVATION_THREAD_H
#define ANALYZERS_ACTIVATION_THREAD_H

#include "analyzers/activation.h"
#include "analyzers/activation_origin.h"
#include "analyzers/activation_timer.h"

struct thread {
    int32_t tid;
    bool is_followed, is_running, is_waking;
    bool is_asleep;
    int32_t cpu;        /* where it last ran, since when */
    int64_t in_ns;
    unsigned n_missed;
    bool has_missed;    /* it ran without a waking, which may be yet to come: clocks of other CPUs lag behind */
    bool distrusts;     /* wakings of other CPUs: they came after their effect */
    int64_t lock_ns;    /* it waits for a lock since; NS_UNKNOWN: for none */
    int64_t fault_ns;   /* its last event was a page fault at this time */
    bool slept_in_fault;
    struct origin origin;
    int64_t slept_ns;
    int64_t awake_ns;   /* when it was woken or seen to run after a sleep, last; NS_UNKNOWN */
    struct armed_timer armed; /* the timer it started last, while running; address 0: none */
    struct activation a;
};

struct thread_table {
    struct thread **slots; /* owned; open addressing, n_slots a power of two */
    size_t n_slots, n;
};

void thread_table_init(struct thread_table *table);
void thread_table_release(struct thread_table *table);
/* A thread of which nothing is known yet; the table's, at one address until its release. tid must not be in it. */
struct thread *thread_table_add(struct thread_table *table, int32_t tid);

static inline size_t thread_table_slot(const struct thread_table *table, int32_t tid)
{
    return ((uint32_t)tid * 2654435761u) & (table->n_slots - 1);
}

/* NULL: not followed. Asked for each switch and waking: inline. */
static inline struct thread *thread_table_find(const struct thread_table *table, int32_t tid)
{
    for (size_t i = thread_table_slot(table, tid); table->slots[i]; i = (i + 1) & (table->n_slots - 1))
        if (table->slots[i]->tid == tid)
            return table->slots[i];
    return NULL;
}

#endif
