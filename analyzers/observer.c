/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/observer.h"

#include <math.h>

#include "base/memory.h"

#define RUN_LENGTH 16
#define MAX_CHUNKS 64 /* looked at, spread over the stream */
#define COARSE_NS 1000000

static int64_t densest_span_ns(const int64_t *time_ns, size_t n)
{
    int64_t least = INT64_MAX;
    for (size_t i = RUN_LENGTH - 1; i < n; i++) {
        int64_t span;
        if (__builtin_sub_overflow(time_ns[i], time_ns[i + 1 - RUN_LENGTH], &span))
            continue;
        least = span >= 0 && span < least ? span : least;
    }
    return least;
}

double observer_event_ns(const struct store *store, uint32_t run, uint32_t stream)
{
    if (stream == ROW_NONE || store->streams[stream].resolution_ns >= COARSE_NS || !stream_has_times(&store->streams[stream]))
        return NAN;
    size_t n_chunks = 0;
    for (size_t c = 0; c < store->n_event_chunks; c++)
        n_chunks += store->event_chunks[c].run == run && store->event_chunks[c].stream == stream;
    size_t step = n_chunks / MAX_CHUNKS + 1, k = 0, capacity = 0;
    int64_t least = INT64_MAX, *time_ns = NULL;
    for (size_t c = 0; c < store->n_event_chunks; c++) {
        const struct event_chunk *chunk = &store->event_chunks[c];
        if (chunk->run != run || chunk->stream != stream || k++ % step)
            continue;
        memory_reserve(time_ns, capacity, chunk->n);
        if (store_event_times(store, c, time_ns, NULL) == FAILED)
            continue;
        int64_t span = densest_span_ns(time_ns, chunk->n);
        least = span < least ? span : least;
    }
    free(time_ns);
    if (least == INT64_MAX)
        return NAN;
    int64_t resolution = store->streams[stream].resolution_ns > 0 ? store->streams[stream].resolution_ns : 0;
    return (double)(least + resolution) / (RUN_LENGTH - 1);
}

const char *observer_unknown_reason(const struct store *store, uint32_t stream)
{
    if (stream == ROW_NONE)
        return "there are no events";
    if (!stream_has_times(&store->streams[stream]))
        return "its stamps are no times";
    if (store->streams[stream].resolution_ns >= COARSE_NS)
        return "its clock is too coarse";
    return "no 16 events of one CPU lie together";
}
