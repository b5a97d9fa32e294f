/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches of events on their way into the run file. */
#include <assert.h>

#include "base/memory.h"
#include "store/events.h"
#include "store/strings.h"

/* Local strings outlive a commit, so that the same names are not hashed again for every chunk; up to here. */
#define KEEP_STRINGS      16384u
#define KEEP_STRING_BYTES (1u << 20)

struct event_batch *event_batch_new(void)
{
    struct event_batch *batch = memory_new(sizeof *batch);
    batch->time_ns = memory_new(EVENTS_PER_CHUNK * sizeof *batch->time_ns);
    batch->tid = memory_new(EVENTS_PER_CHUNK * sizeof *batch->tid);
    batch->kind = memory_new(EVENTS_PER_CHUNK * sizeof *batch->kind);
    batch->flags = memory_new(EVENTS_PER_CHUNK * sizeof *batch->flags);
    batch->arg = memory_new(EVENTS_PER_CHUNK * sizeof *batch->arg);
    batch->strings = string_set_new();
    return batch;
}

void event_batch_clear(struct event_batch *batch)
{
    batch->n = batch->n_words = batch->n_string_words = 0;
    if (string_set_count(batch->strings) > KEEP_STRINGS || string_set_bytes(batch->strings) > KEEP_STRING_BYTES) {
        string_set_clear(batch->strings);
        batch->n_global_ids = 0;
    }
}

void event_batch_free(struct event_batch *batch)
{
    if (!batch)
        return;
    free(batch->time_ns);
    free(batch->tid);
    free(batch->kind);
    free(batch->flags);
    free(batch->arg);
    free(batch->words);
    free(batch->string_words);
    free(batch->global_ids);
    string_set_free(batch->strings);
    free(batch);
}

void event_batch_grow(struct event_batch *batch, size_t n_words)
{
    assert(batch->n_words + n_words < UINT32_MAX);
    memory_reserve(batch->words, batch->words_capacity, batch->n_words + n_words + 1024);
}

void event_batch_grow_strings(struct event_batch *batch)
{
    memory_reserve(batch->string_words, batch->string_words_capacity, batch->n_string_words + 1024);
}

uint32_t event_batch_intern(struct event_batch *batch, const char *string, size_t length)
{
    return string ? string_set_intern(batch->strings, string, length) : 0;
}

const char *event_batch_string(const struct event_batch *batch, uint32_t local_id, size_t *length)
{
    return local_id ? string_set_get(batch->strings, local_id, length) : NULL;
}
