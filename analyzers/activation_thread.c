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
    t->slept_ns = t->lock_ns = t->fault_ns = NS_UNKNOWN;
    activation_clear(&t->a);
    origin_clear(&t->origin);
    put(table, t);
    table->n++;
    return t;
}
