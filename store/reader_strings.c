/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The string table of a run file: chunks of consecutive ids, checked when first used. */
#include <string.h>

#include "store/store_private.h"

#include "base/memory.h"

static int compare_first(const void *a, const void *b)
{
    const struct string_chunk *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

enum status reader_add_string_chunks(struct store *store, struct error *error)
{
    struct store_private *p = store->private;
    p->n_strings = 1;
    p->string_chunks = memory_new(p->n_chunks * sizeof *p->string_chunks);
    for (size_t i = 0; i < p->n_chunks; i++) {
        struct chunk *chunk = &p->chunks[i];
        if (chunk->header.type != CHUNK_STRINGS)
            continue;
        if (!chunk->header.owner || !chunk->header.n || chunk->header.owner > UINT32_MAX - 1 - chunk->header.n ||
            chunk->header.n > chunk->header.plain_bytes / 5)
            return chunk_damaged(store, chunk, "ids of strings out of range", error);
        p->string_chunks[p->n_string_chunks++] =
            (struct string_chunk){.chunk = chunk, .first = chunk->header.owner, .n = chunk->header.n};
    }
    memory_sort(p->string_chunks, p->n_string_chunks, sizeof *p->string_chunks, compare_first);
    for (size_t i = 0; i < p->n_string_chunks; i++) {
        uint32_t first = p->string_chunks[i].first;
        /* Ids follow each other. A chunk in between may be damaged, but then it was part of this file. */
        if (first < p->n_strings || (first > p->n_strings && !store->is_recovered) || first / 16 > p->size)
            return chunk_damaged(store, p->string_chunks[i].chunk, "its string ids do not follow", error);
        p->n_strings = p->string_chunks[i].first + p->string_chunks[i].n;
    }
    return OK;
}

/* First use: the ends must rise, and each string end with a zero byte. */
static bool load(const struct store *store, struct string_chunk *chunk)
{
    if (chunk->ends)
        return true;
    const uint32_t *ends = chunk_payload((struct store *)(uintptr_t)store, chunk->chunk, NULL);
    if (!ends)
        return false;
    const char *bytes = (const char *)(ends + chunk->n);
    uint64_t n_bytes = chunk->chunk->header.plain_bytes - (uint64_t)chunk->n * sizeof *ends;
    for (uint32_t i = 0, start = 0; i < chunk->n; start = ends[i++])
        if (ends[i] <= start || ends[i] > n_bytes || bytes[ends[i] - 1]) {
            chunk->chunk->state = DAMAGED;
            return false;
        }
    chunk->ends = ends;
    chunk->bytes = bytes;
    return true;
}

const char *store_string(const struct store *store, uint32_t id)
{
    struct store_private *p = store->private;
    size_t low = 0, high = p->n_string_chunks;
    if (!id)
        return NULL;
    while (low < high) { /* the first chunk that begins behind id */
        size_t middle = low + (high - low) / 2;
        if (p->string_chunks[middle].first <= id)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return "?";
    struct string_chunk *chunk = &p->string_chunks[low - 1];
    uint32_t i = id - chunk->first;
    if (i >= chunk->n || !load(store, chunk))
        return "?";
    return chunk->bytes + (i ? chunk->ends[i - 1] : 0);
}

size_t store_count_strings(const struct store *store)
{
    return store->private->n_strings - 1;
}

uint32_t store_find_string(const struct store *store, const char *string)
{
    struct store_private *p = store->private;
    if (!string)
        return 0;
    if (!p->found) {
        p->found = string_set_new();
        p->found_ids = memory_new(p->n_strings * sizeof *p->found_ids);
        for (uint32_t id = 1; id < p->n_strings; id++) {
            const char *text = store_string(store, id);
            uint32_t found = string_set_intern(p->found, text, strlen(text));
            if (!p->found_ids[found - 1]) /* the first of equal ones */
                p->found_ids[found - 1] = id;
        }
    }
    uint32_t found = string_set_find(p->found, string, strlen(string));
    return found ? p->found_ids[found - 1] : 0;
}
