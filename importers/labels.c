/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs are called. Two runs of one label could not be told apart: those of other INPUTs go by what the user gave
 * ("before.wl", "after.wl", though both were imported from cyclictest.txt), those of one are numbered ("log", "log#2").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importers/private.h"

void labels_came_from(struct import *import, const char *path)
{
    struct import_private *private = import->private;
    size_t n_runs = store_count_runs(import->store);
    if (private->n_origins == n_runs)
        return;
    const char *kept = store_keep(import->store, path);
    memory_reserve(private->origins, private->origins_capacity, n_runs);
    while (private->n_origins < n_runs)
        private->origins[private->n_origins++] = kept;
}

static const char **label_of(const struct import *import, size_t run)
{
    return &store_edit_run(import->store, (uint32_t)run)->label;
}

static void index_labels(const struct import *import, struct row_index *index)
{
    row_index_clear(index);
    for (size_t run = 0; run < import->private->n_origins; run++)
        row_index_add(index, row_hash_text(ROW_HASH, *label_of(import, run)));
}

/* The newest run of the label from `row` on towards older ones, or ROW_NONE. */
static uint32_t find_label(const struct import *import, const struct row_index *index, uint32_t row, const char *label)
{
    while (row != ROW_NONE && strcmp(*label_of(import, row), label) != 0)
        row = row_index_older(index, row);
    return row;
}

/* "log", and so "log/worst" and "log#2" too. */
static bool names_origin(const char *label, const char *origin)
{
    size_t length = strlen(origin);
    return strncmp(label, origin, length) == 0 && (label[length] == '\0' || strchr("/#:", label[length]));
}

static bool has_namesake_elsewhere(const struct import *import, const struct row_index *index, uint32_t run)
{
    const char *label = *label_of(import, run), *origin = import->private->origins[run];
    uint32_t row = find_label(import, index, row_index_newest(index, row_hash_text(ROW_HASH, label)), label);
    for (; row != ROW_NONE; row = find_label(import, index, row_index_older(index, row), label))
        if (strcmp(import->private->origins[row], origin) != 0)
            return true;
    return false;
}

/* Runs whose label another INPUT has too get the name of their own in front; the only run of its INPUT gets just that. */
static void name_by_origin(struct import *import, const struct row_index *index)
{
    const char *const *origins = import->private->origins;
    size_t n = import->private->n_origins;
    const char **labels = memory_new((n + 1) * sizeof *labels);
    for (uint32_t run = 0; run < n; run++) {
        char label[4200];
        if (names_origin(*label_of(import, run), origins[run]) || !has_namesake_elsewhere(import, index, run))
            continue;
        bool is_only = (run == 0 || origins[run - 1] != origins[run]) && (run + 1 == n || origins[run + 1] != origins[run]);
        snprintf(label, sizeof label, "%s%s%s", origins[run], is_only ? "" : "/", is_only ? "" : *label_of(import, run));
        labels[run] = store_keep(import->store, label);
    }
    for (uint32_t run = 0; run < n; run++) /* only now: the index is of the labels as they were */
        if (labels[run])
            *label_of(import, run) = labels[run];
    free(labels);
}

/* "path", then "path#2" ..., but what another run is called already. */
static void number_namesakes(struct import *import, const struct row_index *index)
{
    size_t n = import->private->n_origins;
    const char **labels = memory_new((n + 1) * sizeof *labels);
    size_t *numbers = memory_new((n + 1) * sizeof *numbers);
    for (uint32_t run = 0; run < n; run++) {
        const char *wanted = *label_of(import, run);
        uint32_t older = find_label(import, index, row_index_older(index, run), wanted);
        char label[4300];
        numbers[run] = older == ROW_NONE ? 1 : numbers[older];
        if (older == ROW_NONE)
            continue;
        do
            snprintf(label, sizeof label, "%s#%zu", wanted, ++numbers[run]);
        while (find_label(import, index, row_index_newest(index, row_hash_text(ROW_HASH, label)), label) != ROW_NONE);
        labels[run] = store_keep(import->store, label);
    }
    for (uint32_t run = 0; run < n; run++)
        if (labels[run])
            *label_of(import, run) = labels[run];
    free(labels);
    free(numbers);
}

void labels_finish(struct import *import)
{
    struct row_index index = {0};
    for (size_t run = 0; run < import->private->n_origins; run++)
        if (!*label_of(import, run))
            *label_of(import, run) = import->private->origins[run];
    index_labels(import, &index);
    name_by_origin(import, &index);
    index_labels(import, &index);
    number_namesakes(import, &index);
    row_index_release(&index);
}
