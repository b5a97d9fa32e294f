/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/activation_thread.h"

#include <stdlib.h>

#include "base/memory.h"

#define FIRST_SLOTS 1024

void thread_table_init(struct thread_table *table)
{
    *table = (struct thread_table){.slots = memory_new(FIRST_SLOTS * sizeof *table->slots), .n_slots = FIRST_SLOTS};
}

void thread_table_release(struct thread_table *table)
{
    for (size_t i = 0; i < table->n_slots; i++)
        free(table->slots[i]);
    free(table->slots);
    *table = (struct thread_table){0};
}

void activation_clear(struct activation *a)
{
    *a = (struct activation){.tid = TID_UNKNOWN,
                             .prio = PRIO_UNKNOWN,
                             .timer_cpu = CPU_UNKNOWN,
                             .waking_cpu = CPU_UNKNOWN,
                             .target_cpu = CPU_UNKNOWN,
                             .cpu = CPU_UNKNOWN,
                             .waker_tid = TID_UNKNOWN,
                             .waker_prio = PRIO_UNKNOWN,
                             .slept_ns = NS_UNKNOWN,
                             .lock_ns = NS_UNKNOWN,
                             .due_ns = NS_UNKNOWN,
                             .hard_due_ns = NS_UNKNOWN,
                             .programmed_ns = NS_UNKNOWN,
                             .timer_late_ns = NS_UNKNOWN,
                             .handler_ns = NS_UNKNOWN,
                             .expire_ns = NS_UNKNOWN,
                             .waking_ns = NS_UNKNOWN,
                             .wakeup_ns = NS_UNKNOWN,
                             .expire_exit_ns = NS_UNKNOWN,
                             .handler_exit_ns = NS_UNKNOWN,
                             .switch_ns = NS_UNKNOWN,
                             .user_ns = NS_UNKNOWN,
                             .rearm_ns = NS_UNKNOWN,
                             .out_ns = NS_UNKNOWN,
                             .origin_ns = NS_UNKNOWN};
}

static void put(struct thread_table *table, struct thread *thread)
{
    size_t i = thread_table_slot(table, thread->tid);
    while (table->slots[i])
        i = (i + 1) & (table->n_slots - 1);
    table->slots[i] = thread;
}

static void grow(struct thread_table *table)
{
    struct thread **old = table->slots;
    size_t n_old = table->n_slots;
    table->n_slots *= 2;
    table->slots = memory_new(table->n_slots * sizeof *table->slots);
    for (size_t i = 0; i < n_old; i++)
        if (old[i])
            put(table, old[i]);
    free(old);
}

struct thread *thread_table_add(struct thread_table *table, int32_t tid)
{
    if (2 * (table->n + 1) > table->n_slots)
        grow(table);
    struct thread *t = memory_new(sizeof *t);
    t->tid = tid;
    t->slept_ns = t->awake_ns = t->lock_ns = t->fault_ns = NS_UNKNOWN;
    activation_clear(&t->a);
    origin_clear(&t->origin);
    put(table, t);
    table->n++;
    return t;
}
