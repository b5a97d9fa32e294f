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
#include <stdio.h>
#include <string.h>

#include "importers/private.h"

/* Facts times runs: more is no transcript of a few kernels. */
#define MAX_SHARED    10000
#define MAX_LOOK_BACK 500 /* facts */

bool loose_add(struct import *import, const char *key, const char *value)
{
    struct import_private *private = import->private;
    if (!private->is_text_walk || private->n_facts_before_series == SIZE_MAX || !fact_is_of_machine(key))
        return false;
    /* Said already, since the last result? */
    for (size_t i = store_count_facts(import->store), k = 0; i-- > private->n_facts_at_series && k < MAX_LOOK_BACK; k++) {
        const struct fact *fact = store_peek_fact(import->store, i);
        if (fact->artefact == import->artefact && strcmp(fact->key, key) == 0 && strcmp(fact->value, value) == 0)
            return true;
    }
    memory_reserve(private->loose, private->loose_capacity, private->n_loose + 1);
    private->loose[private->n_loose++] =
        (struct loose_fact){.fact = store_count_facts(import->store), .n_series = store_count_series(import->store)};
    store_add_fact(import->store, &(struct fact){.run = import->run, .artefact = import->artefact, .key = key, .value = value});
    return true;
}

/* An importer that brought a series has said these facts of it. */
void loose_end_block(struct import *import, size_t n_before, size_t n_series_before)
{
    if (store_count_series(import->store) != n_series_before)
        import->private->n_loose = n_before;
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

bool import_is_other_kernel(const struct import *import, const char *release)
{
    const struct import_private *private = import->private;
    size_t k = 0;
    for (size_t i = private->first_fact; i < store_count_facts(import->store); i++) {
        const struct fact *fact = store_peek_fact(import->store, i);
        uint32_t run = fact->run;
        while (k < private->n_loose && private->loose[k].fact < i)
            k++;
        if (k < private->n_loose && private->loose[k].fact == i)
            run = next_run(import, &private->loose[k]);
        if (run == import->run && fact->artefact == import->artefact && strcmp(fact->key, "kernel.release") == 0)
            return strcmp(fact->value, release) != 0;
    }
    return false;
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
    size_t n = private->n_loose;
    private->n_loose = 0;
    if (!n || (!has_machine_facts_above(import) && next_run(import, &private->loose[n - 1]) == ROW_NONE))
        return;
    struct loose_fact at = {.n_series = SIZE_MAX};
    uint32_t next = ROW_NONE;
    for (size_t i = 0; i < n; i++) {
        if (private->loose[i].n_series != at.n_series) { /* facts before one result have the same next one */
            at = private->loose[i];
            next = next_run(import, &at);
        }
        if (next != ROW_NONE)
            store_edit_fact(import->store, private->loose[i].fact)->run = next;
    }
    facts_were_moved(import);
    /* Runs further down that say nothing themselves: the nearest statement above holds. */
    if (n * (store_count_runs(import->store) - private->member_run) > MAX_SHARED)
        return;
    for (size_t i = n; i-- > 0;) {
        size_t fact = private->loose[i].fact;
        facts_share(import, fact, fact + 1, store_peek_fact(import->store, fact)->run);
    }
}

/* ---- several kernels above the first result ---- */

/* "6.1.0" and "6.1.0-rt5" are one kernel told twice. */
static bool is_same_release(const char *a, const char *b)
{
    size_t n = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return strncmp(a, b, n) == 0;
}

static bool is_of_kernel(const char *key)
{
    return strcmp(key, "kernel.release") == 0 || strcmp(key, "kernel.version") == 0 || strncmp(key, "kernel.preempt", 14) == 0;
}

/* The member's i-th run with a series; ROW_NONE past the last. */
static uint32_t measured_run(const struct import *import, size_t wanted)
{
    uint32_t last = ROW_NONE;
    for (size_t i = 0; i < store_count_series(import->store); i++) {
        const struct series *series = store_edit_series(import->store, (uint32_t)i);
        if (series->artefact != import->artefact || series->run == last)
            continue;
        last = series->run;
        if (wanted-- == 0)
            return last;
    }
    return ROW_NONE;
}

/* How many releases stand in the facts above the first result. */
static size_t count_kernels(const struct import *import)
{
    const struct import_private *private = import->private;
    const char *last = NULL;
    size_t n = 0;
    for (size_t i = private->first_fact; i < private->n_facts_before_series; i++) {
        const struct fact *fact = store_peek_fact(import->store, i);
        if (fact->run != private->member_run || strcmp(fact->key, "kernel.release") != 0 || (last && is_same_release(last, fact->value)))
            continue;
        last = fact->value;
        n++;
    }
    return n;
}

void loose_split_kernels(struct import *import)
{
    const struct import_private *private = import->private;
    if (private->n_facts_before_series == SIZE_MAX)
        return;
    size_t n_kernels = count_kernels(import), kernel = 0;
    if (n_kernels < 2)
        return;
    bool is_paired = measured_run(import, n_kernels - 1) != ROW_NONE && measured_run(import, n_kernels) == ROW_NONE;
    const char *last = NULL;
    for (size_t i = private->first_fact; i < private->n_facts_before_series; i++) {
        struct fact *fact = store_edit_fact(import->store, i);
        facts_were_moved(import);
        if (fact->run != private->member_run || !is_of_kernel(fact->key))
            continue;
        if (strcmp(fact->key, "kernel.release") == 0) {
            kernel += last && !is_same_release(last, fact->value);
            last = fact->value;
        }
        if (is_paired) {
            fact->run = measured_run(import, kernel);
        } else {
            char key[80];
            snprintf(key, sizeof key, "mentioned.%s", fact->key);
            fact->key = store_keep(import->store, key);
        }
    }
}
