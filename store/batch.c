/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches of events on their way into the run file. */
#include <assert.h>

#include "base/memory.h"
#include "store/events.h"
#include "store/strings.h"

/* Local strings outlive a commit, so that the same names are not hashed again for every chunk; up to here. */
#define KEEP_STRINGS      16384u
#define KEEP_STRING_BYTES (1u << 20)

void local_strings_init(struct local_strings *strings)
{
    *strings = (struct local_strings){.set = string_set_new()};
}

void local_strings_trim(struct local_strings *strings)
{
    if (string_set_count(strings->set) <= KEEP_STRINGS && string_set_bytes(strings->set) <= KEEP_STRING_BYTES)
        return;
    string_set_clear(strings->set);
    strings->n_global_ids = 0;
}

void local_strings_release(struct local_strings *strings)
{
    string_set_free(strings->set);
    free(strings->global_ids);
}

struct event_batch *event_batch_new(void)
{
    struct event_batch *batch = memory_new(sizeof *batch);
    batch->time_ns = memory_new(EVENTS_PER_CHUNK * sizeof *batch->time_ns);
    batch->tid = memory_new(EVENTS_PER_CHUNK * sizeof *batch->tid);
    batch->kind = memory_new(EVENTS_PER_CHUNK * sizeof *batch->kind);
    batch->flags = memory_new(EVENTS_PER_CHUNK * sizeof *batch->flags);
    batch->arg = memory_new(EVENTS_PER_CHUNK * sizeof *batch->arg);
    event_batch_grow(batch, 0); /* an event without words has a place for them too */
    local_strings_init(&batch->strings);
    return batch;
}

void event_batch_clear(struct event_batch *batch)
{
    batch->n = batch->n_words = batch->n_string_words = 0;
    local_strings_trim(&batch->strings);
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
    local_strings_release(&batch->strings);
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
    return string ? string_set_intern(batch->strings.set, string, length) : 0;
}
