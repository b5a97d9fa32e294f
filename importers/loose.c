/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts about the machine between the results of one text. People post
 *
 *     $ uname -a            $ cyclictest ...
 *     $ cyclictest ...      $ uname -a
 *     $ uname -a     or     $ cyclictest ...
 *     $ cyclictest ...      $ uname -a
 *
 * and what stands between two results could be about either. It is about the one below, unless nothing stands above the
 * first result and something below the last.
 */
#include <stdlib.h>

#include "importers/private.h"

/* So many runs of one member are no transcript of a few kernels. */
#define MAX_SHARING_RUNS 64

bool loose_take(struct import *import, const char *key, const char *value)
{
    struct import_private *private = import->private;
    if (!private->is_text_walk || private->n_facts_before_series == SIZE_MAX || !fact_is_of_machine(key))
        return false;
    memory_reserve(private->loose, private->loose_capacity, private->n_loose + 1);
    private->loose[private->n_loose++] = (struct loose_fact){
        .key = memory_string(key), .value = memory_string(value), .run = import->run, .n_series = store_count_series(import->store)};
    return true;
}

static void drop_from(struct import_private *private, size_t n)
{
    while (private->n_loose > n) {
        struct loose_fact *last = &private->loose[--private->n_loose];
        free(last->key);
        free(last->value);
    }
}

/* An importer that brought a series has said these facts of it. */
void loose_end_block(struct import *import, size_t n_before, size_t n_series_before)
{
    struct import_private *private = import->private;
    if (store_count_series(import->store) == n_series_before)
        return;
    for (size_t i = n_before; i < private->n_loose; i++)
        fact_add(import, private->loose[i].run, private->loose[i].key, private->loose[i].value);
    drop_from(private, n_before);
}

/* The run of the member's first series behind the fact; ROW_NONE: there is none. */
static uint32_t next_run(const struct import *import, const struct loose_fact *fact)
{
    for (size_t i = fact->n_series; i < store_count_series(import->store); i++) {
        const struct series *series = store_edit_series(import->store, (uint32_t)i);
        if (series->artefact == import->artefact)
            return series->run;
    }
    return ROW_NONE;
}

static bool has_machine_facts_above(const struct import *import)
{
    const struct import_private *private = import->private;
    for (size_t i = private->first_fact; i < private->n_facts_before_series; i++)
        if (fact_is_of_machine(store_peek_fact(import->store, i)->key))
            return true;
    return false;
}

void loose_finish(struct import *import)
{
    struct import_private *private = import->private;
    if (!private->n_loose)
        return;
    bool stand_below = !has_machine_facts_above(import) && next_run(import, &private->loose[private->n_loose - 1]) == ROW_NONE;
    size_t begin = store_count_facts(import->store);
    uint32_t first = ROW_NONE, last = 0;
    for (size_t i = 0; i < private->n_loose; i++) {
        const struct loose_fact *fact = &private->loose[i];
        uint32_t next = stand_below ? ROW_NONE : next_run(import, fact);
        uint32_t run = next == ROW_NONE ? fact->run : next;
        fact_add(import, run, fact->key, fact->value);
        first = run < first ? run : first;
        last = run > last ? run : last;
    }
    drop_from(private, 0);
    /* Runs further down that say nothing themselves: the nearest statement above holds. */
    if (!stand_below && last - first < MAX_SHARING_RUNS)
        for (uint32_t run = last + 1; run-- > first;)
            facts_share(import, begin, store_count_facts(import->store), run);
}

void loose_release(struct import_private *private)
{
    drop_from(private, 0);
}
