/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/row_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/rows.h"

uint64_t row_hash_number(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

uint64_t row_hash_text(uint64_t hash, const char *text)
{
    if (!text)
        return row_hash_number(hash, UINT64_MAX);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211); /* FNV-1a */
    return row_hash_number(hash, 0);
}

/* Where rows of the hash begin, or the free slot for them. */
static size_t slot_of(const struct row_index *index, uint64_t hash)
{
    size_t slot = (size_t)hash & (index->n_slots - 1);
    while (index->slots[slot] && index->links[index->slots[slot] - 1].hash != hash)
        slot = (slot + 1) & (index->n_slots - 1);
    return slot;
}

static void grow(struct row_index *index)
{
    uint32_t *old = index->slots;
    size_t n_old = index->n_slots;
    index->n_slots = n_old ? n_old * 2 : 256;
    index->slots = memory_new(index->n_slots * sizeof *index->slots);
    for (size_t i = 0; i < n_old; i++)
        if (old[i])
            index->slots[slot_of(index, index->links[old[i] - 1].hash)] = old[i];
    free(old);
}

void row_index_add(struct row_index *index, uint64_t hash)
{
    if (index->n_used * 2 >= index->n_slots)
        grow(index);
    memory_reserve(index->links, index->links_capacity, index->n_rows + 1);
    size_t slot = slot_of(index, hash);
    uint32_t older = index->slots[slot] ? index->slots[slot] - 1 : ROW_NONE;
    index->links[index->n_rows] = (struct row_link){hash, older, older == ROW_NONE ? 1 : index->links[older].n + 1};
    index->n_used += index->slots[slot] == 0;
    index->slots[slot] = (uint32_t)++index->n_rows;
}

uint32_t row_index_newest(const struct row_index *index, uint64_t hash)
{
    if (!index->n_slots)
        return ROW_NONE;
    uint32_t newest = index->slots[slot_of(index, hash)];
    return newest ? newest - 1 : ROW_NONE;
}

void row_index_clear(struct row_index *index)
{
    if (index->n_slots)
        memset(index->slots, 0, index->n_slots * sizeof *index->slots);
    index->n_rows = index->n_used = 0;
}

void row_index_release(struct row_index *index)
{
    free(index->slots);
    free(index->links);
    *index = (struct row_index){0};
}
