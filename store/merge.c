/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events of all CPUs in time order. Of many sources, one per (CPU, stream): a heap, and the earliest one is run as long as
 * it stays ahead of the second earliest; traces come in bursts of one CPU, so most steps compare two numbers. Of few: all
 * are compared at every step, without a jump that the processor could guess wrong.
 */
#include <assert.h>
#include <string.h>

#include "store/store_private.h"

#include "base/memory.h"

struct source {
    const int64_t *time_ns; /* of the current view */
    size_t i, n;
    int32_t cpu;
    uint32_t rank;          /* by (CPU, stream): decides between equal times */
    const struct event_view *view;
    size_t chunk, end_chunk; /* in store->event_chunks */
};

/* A source that has events left, with what it is ordered by. */
struct entry {
    int64_t time_ns; /* of its next event */
    uint32_t rank;
    struct source *source;
};

struct state_entry {
    int32_t cpu;
    bool is_ready;
    struct cpu_state state;
};

struct event_merge {
    struct store *store;
    uint32_t run, stream;
    int64_t begin_ns, end_ns;
    enum status status;
    struct error *error;
    struct source *sources;
    size_t n_sources;
    struct entry *heap;   /* heap[0] is the earliest; of few sources: in the order of ranks */
    size_t n_heap;
    bool has_few;
    size_t left;          /* the chunk of the event delivered last, when its source is beyond it already; SIZE_MAX: none */
    struct state_entry *states;
    size_t n_states;
    event_stretch_handler *handler;
    void *handler_context;
};

static inline bool is_before(const struct entry *a, const struct entry *b)
{
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->rank < b->rank);
}

static void sift_down(struct event_merge *merge, size_t at)
{
    struct entry *heap = merge->heap, moving = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= merge->n_heap)
            break;
        if (child + 1 < merge->n_heap && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &moving))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

#define FEW_SOURCES 8u

/* Of times in the order of their sources' ranks. */
static inline size_t earliest_of_few(const int64_t *times_ns, size_t n)
{
    size_t at = 0;
    int64_t time_ns = times_ns[0];
    for (size_t i = 1; i < n; i++) {
        bool is_earlier = times_ns[i] < time_ns;
        at = is_earlier ? i : at;
        time_ns = is_earlier ? times_ns[i] : time_ns;
    }
    return at;
}

static struct entry entry_of(struct source *source)
{
    return (struct entry){source->time_ns[source->i], source->rank, source};
}

/* Index of the first event at or after time_ns. */
static size_t lower_bound(const struct event_view *view, int64_t time_ns)
{
    size_t low = 0, high = view->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (view->time_ns[middle] < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void unpin(struct event_merge *merge, size_t chunk, bool is_passed)
{
    reader_unpin_view(merge->store, merge->store->private->event_chunks[chunk], is_passed);
}

/* Opens the source's next chunk that has events in the span; false: there is none, or it is damaged. */
static bool open_chunk(struct event_merge *merge, struct source *source)
{
    for (; source->chunk < source->end_chunk; source->chunk++) {
        const struct event_chunk *chunk = &merge->store->event_chunks[source->chunk];
        if (chunk->begin_ns > merge->end_ns)
            return false;
        source->view = reader_event_view(merge->store, source->chunk, VIEW_PIN, merge->error);
        if (!source->view) {
            merge->status = FAILED;
            return false;
        }
        source->time_ns = source->view->time_ns;
        source->i = chunk->begin_ns < merge->begin_ns ? lower_bound(source->view, merge->begin_ns) : 0;
        source->n = source->view->n;
        if (chunk->end_ns > merge->end_ns)
            source->n = merge->end_ns == INT64_MAX ? source->n : lower_bound(source->view, merge->end_ns + 1);
        if (source->i < source->n) {
            if (merge->handler)
                merge->handler(merge->handler_context, source->view, source->i, source->n);
            return true;
        }
        unpin(merge, source->chunk, true);
        source->view = NULL;
    }
    return false;
}

static bool is_wanted(const struct event_merge *merge, const struct event_chunk *chunk)
{
    return chunk->run == merge->run && (merge->stream == ROW_NONE || chunk->stream == merge->stream);
}

static int compare_sources(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

/* The first chunk of [first, end), all of one CPU, that reaches time_ns. */
static size_t first_reaching(const struct store *store, size_t first, size_t end, int64_t time_ns)
{
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (store->event_chunks[middle].end_ns < time_ns)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void find_sources(struct event_merge *merge)
{
    const struct store *store = merge->store;
    size_t capacity = 0;
    for (size_t i = 0, end; i < store->n_event_chunks; i = end) {
        const struct event_chunk *first = &store->event_chunks[i];
        for (end = i + 1; end < store->n_event_chunks && store->event_chunks[end].stream == first->stream &&
                          store->event_chunks[end].cpu == first->cpu;)
            end++;
        if (!is_wanted(merge, first))
            continue;
        memory_reserve(merge->sources, capacity, merge->n_sources + 1);
        merge->sources[merge->n_sources++] = (struct source){
            .cpu = first->cpu, .chunk = first_reaching(store, i, end, merge->begin_ns), .end_chunk = end};
    }
    if (merge->n_sources)
        memory_sort(merge->sources, merge->n_sources, sizeof *merge->sources, compare_sources);
}

struct event_merge *event_merge_new(const struct store *store, uint32_t run, uint32_t stream, int64_t begin_ns,
                                    int64_t end_ns, struct error *error)
{
    struct event_merge *merge = memory_new(sizeof *merge);
    merge->store = (struct store *)(uintptr_t)store;
    merge->run = run;
    merge->stream = stream;
    merge->begin_ns = begin_ns;
    merge->end_ns = end_ns;
    merge->error = error;
    merge->left = SIZE_MAX;
    find_sources(merge);
    merge->heap = memory_new((merge->n_sources + 1) * sizeof *merge->heap);
    for (size_t i = 0; i < merge->n_sources; i++) {
        merge->sources[i].rank = (uint32_t)i;
        if (open_chunk(merge, &merge->sources[i]))
            merge->heap[merge->n_heap++] = entry_of(&merge->sources[i]);
    }
    merge->has_few = merge->n_heap <= FEW_SOURCES;
    for (size_t i = merge->has_few ? 0 : merge->n_heap / 2; i-- > 0;)
        sift_down(merge, i);
    if (merge->status == FAILED)
        merge->n_heap = 0;
    return merge;
}

/* The source of an entry is at the end of its chunk: the next one, or one source less. */
static void advance_chunk(struct event_merge *merge, size_t at)
{
    struct source *source = merge->heap[at].source;
    merge->left = source->chunk++;
    source->view = NULL;
    bool has_more = open_chunk(merge, source);
    if (has_more)
        merge->heap[at] = entry_of(source);
    else if (merge->has_few)
        memmove(merge->heap + at, merge->heap + at + 1, (--merge->n_heap - at) * sizeof *merge->heap);
    else
        merge->heap[at] = merge->heap[--merge->n_heap];
    if (merge->status == FAILED)
        merge->n_heap = 0;
    if (merge->n_heap && !merge->has_few)
        sift_down(merge, 0);
}

static inline void advance_heap(struct event_merge *merge)
{
    const struct entry *heap = merge->heap;
    if (merge->n_heap > 1) {
        const struct entry *second = merge->n_heap > 2 && is_before(&heap[2], &heap[1]) ? &heap[2] : &heap[1];
        if (is_before(second, &heap[0]))
            sift_down(merge, 0);
    }
}

/* Where a source stands in its chunk while a batch of refs is made. */
struct cursor {
    const int64_t *begin, *next, *end;
    struct event_ref ref; /* of the chunk; i is filled in */
};

/* Steps that need not ask whether a chunk ends: all cursors have as many events left, and one to look ahead at. */
static size_t free_steps(const struct cursor *cursors, size_t n, size_t n_wanted)
{
    for (size_t k = 0; k < n; k++) {
        size_t left = (size_t)(cursors[k].end - cursors[k].next);
        n_wanted = left - 1 < n_wanted ? left - 1 : n_wanted;
    }
    return n_wanted;
}

/* One of two without a jump: mask is -1 or 0. */
static inline int64_t either(int64_t mask, int64_t yes, int64_t no)
{
    return no ^ ((no ^ yes) & mask);
}

/*
 * Up to four sources, for so many steps as free_steps() allows. Each step waits for the one before to say whose time is the
 * next: the times at hand and those after them stay in registers, so that nothing in between waits for memory.
 */
static void take_of_four(struct cursor *cursors, int64_t *times_ns, size_t n_sources, struct event_ref *refs, size_t n_steps)
{
    static const int64_t never_ns[2] = {INT64_MAX, INT64_MAX};
    const int64_t *next[4];
    uint32_t i[4];
    for (size_t k = 0; k < 4; k++) {
        next[k] = k < n_sources ? cursors[k].next : never_ns;
        i[k] = k < n_sources ? (uint32_t)(next[k] - cursors[k].begin) : 0;
    }
    const int64_t *next0 = next[0], *next1 = next[1], *next2 = next[2], *next3 = next[3];
    int64_t time0 = *next0, time1 = *next1, time2 = *next2, time3 = *next3;
    for (size_t n = 0; n < n_steps; n++) {
        int64_t is1 = -(time1 < time0), is3 = -(time3 < time2);
        int64_t low = either(is1, time1, time0), high = either(is3, time3, time2), is_high = -(high < low);
        int64_t takes0 = ~is_high & ~is1, takes1 = ~is_high & is1, takes2 = is_high & ~is3, takes3 = is_high & is3;
        size_t at = (size_t)((is_high & 2) + ((is_high & is3 & 1) | (takes1 & 1)));
        time0 = either(takes0, next0[1], time0);
        time1 = either(takes1, next1[1], time1);
        time2 = either(takes2, next2[1], time2);
        time3 = either(takes3, next3[1], time3);
        next0 -= takes0;
        next1 -= takes1;
        next2 -= takes2;
        next3 -= takes3;
        const struct event_view *view = cursors[at].ref.view;
        refs[n] = (struct event_ref){view, cursors[at].ref.chunk, i[at], cursors[at].ref.cpu, view->kind[i[at]], (uint16_t)view->flags[i[at]]};
        i[at]++;
    }
    for (size_t k = 0; k < n_sources; k++) {
        cursors[k].next = cursors[k].begin + i[k];
        times_ns[k] = *cursors[k].next;
    }
}

/* Of few sources, up to the end of a chunk. */
static size_t take_of_few(struct event_merge *merge, struct event_ref *refs, size_t n_refs)
{
    struct cursor cursors[FEW_SOURCES];
    int64_t times_ns[FEW_SOURCES];
    size_t n = 0, n_sources = merge->n_heap, at = 0;
    bool is_at_end = false;
    for (size_t k = 0; k < n_sources; k++) {
        const struct source *source = merge->heap[k].source;
        cursors[k].begin = source->time_ns;
        cursors[k].next = source->time_ns + source->i;
        cursors[k].end = source->time_ns + source->n;
        cursors[k].ref = (struct event_ref){source->view, (uint32_t)source->chunk, 0, source->cpu, 0, 0};
        times_ns[k] = *cursors[k].next;
    }
    if (n_sources <= 4) {
        n = free_steps(cursors, n_sources, n_refs);
        take_of_four(cursors, times_ns, n_sources, refs, n);
    }
    while (n < n_refs && !is_at_end) {
        at = earliest_of_few(times_ns, n_sources);
        refs[n] = cursors[at].ref;
        refs[n].i = (uint32_t)(cursors[at].next - cursors[at].begin);
        refs[n].kind = refs[n].view->kind[refs[n].i];
        refs[n].flags = (uint16_t)refs[n].view->flags[refs[n].i];
        n++;
        is_at_end = ++cursors[at].next == cursors[at].end;
        if (!is_at_end)
            times_ns[at] = *cursors[at].next;
    }
    for (size_t k = 0; k < n_sources; k++) {
        merge->heap[k].source->i = (size_t)(cursors[k].next - cursors[k].begin);
        merge->heap[k].time_ns = times_ns[k];
    }
    if (is_at_end)
        advance_chunk(merge, at);
    return n;
}

/* One event; false: its chunk is at its end, and stays until the next call. */
static bool take_one(struct event_merge *merge, struct event_ref *ref)
{
    struct entry *heap = merge->heap;
    size_t at = 0;
    for (size_t i = 1; merge->has_few && i < merge->n_heap; i++)
        at = heap[i].time_ns < heap[at].time_ns ? i : at;
    struct source *source = heap[at].source;
    *ref = (struct event_ref){source->view, (uint32_t)source->chunk, (uint32_t)source->i, source->cpu, source->view->kind[source->i], (uint16_t)source->view->flags[source->i]};
    if (++source->i == source->n) {
        advance_chunk(merge, at);
        return false;
    }
    heap[at].time_ns = source->time_ns[source->i];
    if (!merge->has_few)
        advance_heap(merge);
    return true;
}

/* Before any other event is taken: the chunk that ended at the last call goes. */
static inline void leave_chunk(struct event_merge *merge)
{
    if (__builtin_expect(merge->left != SIZE_MAX, 0)) {
        unpin(merge, merge->left, true);
        merge->left = SIZE_MAX;
    }
}

size_t event_merge_take(struct event_merge *merge, struct event_ref *refs, size_t n_refs)
{
    size_t n = 0;
    leave_chunk(merge);
    if (merge->n_heap && merge->has_few)
        return take_of_few(merge, refs, n_refs);
    while (n < n_refs && merge->n_heap && take_one(merge, &refs[n++]))
        ;
    return n;
}

bool event_merge_next(struct event_merge *merge, struct event_ref *ref)
{
    leave_chunk(merge);
    if (!merge->n_heap)
        return false;
    take_one(merge, ref);
    return true;
}

void event_merge_each_stretch(struct event_merge *merge, event_stretch_handler *handler, void *context)
{
    merge->handler = handler;
    merge->handler_context = context;
    for (size_t i = 0; i < merge->n_sources; i++)
        if (merge->sources[i].view)
            handler(context, merge->sources[i].view, merge->sources[i].i, merge->sources[i].n);
}

int64_t event_merge_time_ns(const struct event_merge *merge)
{
    if (!merge->n_heap)
        return NS_UNKNOWN;
    int64_t time_ns = merge->heap[0].time_ns;
    for (size_t i = 1; merge->has_few && i < merge->n_heap; i++)
        time_ns = merge->heap[i].time_ns < time_ns ? merge->heap[i].time_ns : time_ns;
    return time_ns;
}

enum status event_merge_status(const struct event_merge *merge)
{
    return merge->status;
}

/* ---- states ---- */

/* Of the chunks of one source: the state before begin_ns, from the last chunk that begins before it. */
static bool state_of(struct event_merge *merge, size_t first, size_t end, struct cpu_state *state)
{
    const struct store *store = merge->store;
    size_t chunk = first_reaching(store, first, end, merge->begin_ns);
    if (chunk == end)
        chunk--; /* behind its last event */
    const struct event_view *view = reader_event_view(merge->store, chunk, VIEW_LOOK, merge->error);
    if (!view)
        return false;
    *state = *view->state;
    size_t n = lower_bound(view, merge->begin_ns);
    for (size_t i = 0; i < n; i++)
        cpu_state_step(state, view->time_ns[i], view->tid[i], view->kind[i], view->words + view->arg[i]);
    return true;
}

const struct cpu_state *event_merge_state(const struct event_merge *const_merge, int32_t cpu)
{
    struct event_merge *merge = (struct event_merge *)(uintptr_t)const_merge;
    const struct store *store = merge->store;
    for (size_t i = 0; i < merge->n_states; i++)
        if (merge->states[i].cpu == cpu)
            return &merge->states[i].state;
    if (!merge->states) /* one place per source at most, so that states do not move */
        merge->states = memory_new((merge->n_sources + 1) * sizeof *merge->states);
    struct state_entry entry = {.cpu = cpu};
    for (size_t i = 0, end; i < store->n_event_chunks; i = end) {
        const struct event_chunk *first = &store->event_chunks[i];
        for (end = i + 1; end < store->n_event_chunks && store->event_chunks[end].stream == first->stream &&
                          store->event_chunks[end].cpu == first->cpu;)
            end++;
        struct cpu_state state;
        if (first->cpu != cpu || !is_wanted(merge, first))
            continue;
        if (!state_of(merge, i, end, &state)) {
            merge->status = FAILED;
            continue;
        }
        if (!entry.is_ready || state.time_ns > entry.state.time_ns) /* of several buffers, the one that knows more recent */
            entry.state = state;
        entry.is_ready = true;
    }
    if (!entry.is_ready)
        return NULL;
    assert(merge->n_states < merge->n_sources);
    merge->states[merge->n_states] = entry;
    return &merge->states[merge->n_states++].state;
}

void event_merge_free(struct event_merge *merge)
{
    if (!merge)
        return;
    if (merge->left != SIZE_MAX)
        unpin(merge, merge->left, false);
    for (size_t i = 0; i < merge->n_sources; i++)
        if (merge->sources[i].view)
            unpin(merge, merge->sources[i].chunk, false);
    free(merge->sources);
    free(merge->heap);
    free(merge->states);
    free(merge);
}
