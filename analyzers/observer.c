/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/observer.h"

#include <math.h>

#define RUN_LENGTH 16
#define MAX_CHUNKS 64 /* looked at, spread over the stream */
#define COARSE_NS 1000000

static int64_t densest_span_ns(const struct event_view *view)
{
    int64_t least = INT64_MAX;
    for (size_t i = RUN_LENGTH - 1; i < view->n; i++) {
        int64_t span;
        if (__builtin_sub_overflow(view->time_ns[i], view->time_ns[i + 1 - RUN_LENGTH], &span))
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
    size_t step = n_chunks / MAX_CHUNKS + 1, k = 0;
    int64_t least = INT64_MAX;
    for (size_t c = 0; c < store->n_event_chunks; c++) {
        struct event_view view;
        if (store->event_chunks[c].run != run || store->event_chunks[c].stream != stream || k++ % step ||
            store_event_view(store, c, &view, NULL) == FAILED)
            continue;
        int64_t span = densest_span_ns(&view);
        least = span < least ? span : least;
    }
    if (least == INT64_MAX)
        return NAN;
    int64_t resolution = store->streams[stream].resolution_ns > 0 ? store->streams[stream].resolution_ns : 0;
    return (double)(least + resolution) / (RUN_LENGTH - 1);
}
