/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/companions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MAX_ROWS      20000 /* looked at of each pair */
#define MIN_ROWS      40    /* of tasks, not of idle: below that nothing is shown */
#define AGREE_PCT     90    /* rows between the event of a switch and the switch itself are still the old task's */
#define MAX_CPUS      1024

static void add_kind(uint64_t *kinds, unsigned kind)
{
    kinds[kind / 64] |= UINT64_C(1) << kind % 64;
}

static bool has_kind(const uint64_t *kinds, unsigned kind)
{
    return kinds[kind / 64] >> kind % 64 & 1;
}

/* Kinds of a stream: of the chunks that lie in the span, at most some. */
static enum status kinds_of(const struct store *store, uint32_t stream, int64_t begin_ns, int64_t end_ns, uint64_t *kinds, struct error *error)
{
    size_t n = 0;
    for (size_t i = 0; i < store->n_event_chunks && n < 64; i++) {
        const struct event_chunk *c = &store->event_chunks[i];
        struct event_view view;
        if (c->stream != stream || c->begin_ns > end_ns || c->end_ns < begin_ns)
            continue;
        if (store_event_view(store, i, &view, error) == FAILED)
            return FAILED;
        for (size_t k = 0; k < view.n; k++)
            if (view.kind[k] != KIND_KERNEL_STACK) /* whose stack it is, the event before it tells */
                add_kind(kinds, view.kind[k]);
        n++;
    }
    return OK;
}

static void drop_kinds(struct companion *c, const uint64_t *kinds)
{
    for (size_t i = 0; i < sizeof c->kinds / sizeof *c->kinds; i++)
        c->kinds[i] &= ~kinds[i];
}

static bool has_new_kinds(const struct companion *c)
{
    for (size_t i = 0; i < sizeof c->kinds / sizeof *c->kinds; i++)
        if (c->kinds[i])
            return true;
    return false;
}

/* Who ran, says the one's switches; whose row it is, says the other. Idle matches by chance and does not count. */
static enum status count_agreement(const struct store *store, uint32_t run, uint32_t one, uint32_t other, int64_t begin_ns, int64_t end_ns,
                                   struct companion_check *check, struct error *error)
{
    int32_t *tids = memory_resize(NULL, MAX_CPUS, sizeof *tids);
    struct event_merge *before = event_merge_new(store, run, one, begin_ns, end_ns, error);
    for (int32_t cpu = 0; cpu < MAX_CPUS; cpu++) {
        const struct cpu_state *state = before ? event_merge_state(before, cpu) : NULL;
        tids[cpu] = state ? state->tid : TID_UNKNOWN;
    }
    event_merge_free(before);
    struct event_merge *merge = event_merge_new(store, run, ROW_NONE, begin_ns, end_ns, error);
    struct event_ref ref;
    for (size_t n = 0; merge && n < MAX_ROWS * 10 && check->n_rows < MAX_ROWS && event_merge_next(merge, &ref); n++) {
        uint32_t stream = store->event_chunks[ref.chunk].stream;
        if (ref.cpu < 0 || ref.cpu >= MAX_CPUS)
            continue;
        int32_t *current = &tids[ref.cpu], tid = ref.view->tid[ref.i];
        if (stream == one && ref.view->kind[ref.i] == KIND_SCHED_SWITCH)
            *current = (int32_t)event_words(&ref)[5];
        if (stream != other || *current == TID_UNKNOWN || tid == TID_UNKNOWN || (tid == 0 && *current == 0))
            continue;
        check->n_rows++;
        check->n_agree += tid == *current;
    }
    enum status status = merge ? event_merge_status(merge) : FAILED;
    if (merge)
        event_merge_free(merge);
    free(tids);
    return status;
}

static bool same_clock(const struct stream *a, const struct stream *b)
{
    return a->clock && b->clock && !strcmp(a->clock, b->clock);
}

static enum status check_one(const struct store *store, uint32_t stream, struct companion *c, struct companion_check *check, struct error *error)
{
    const struct stream *a = &store->streams[stream], *b = &store->streams[c->stream];
    int64_t begin_ns = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns, end_ns = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;
    if (a->run != b->run || !a->n_events || !b->n_events || a->clock_is_relative || b->clock_is_relative || !stream_has_times(a) || !stream_has_times(b))
        return OK;
    uint64_t own[sizeof c->kinds / sizeof *c->kinds] = {0};
    if (a->clock && b->clock && !same_clock(a, b)) {
        if (kinds_of(store, stream, INT64_MIN, INT64_MAX, own, error) == FAILED || kinds_of(store, c->stream, INT64_MIN, INT64_MAX, c->kinds, error) == FAILED)
            return FAILED;
        drop_kinds(c, own);
        check->verdict = has_new_kinds(c) ? COMPANION_CLOCK : COMPANION_NONE;
        return OK;
    }
    if (begin_ns >= end_ns)
        return OK;
    if (kinds_of(store, stream, begin_ns, end_ns, own, error) == FAILED || kinds_of(store, c->stream, begin_ns, end_ns, c->kinds, error) == FAILED ||
        count_agreement(store, a->run, stream, c->stream, begin_ns, end_ns, check, error) == FAILED)
        return FAILED;
    drop_kinds(c, own);
    if (!has_new_kinds(c))
        return OK;
    bool is_shown = check->n_rows >= MIN_ROWS;
    if (is_shown)
        check->verdict = 100 * check->n_agree >= AGREE_PCT * check->n_rows ? COMPANION_AGREES : COMPANION_TASKS;
    else
        check->verdict = a->artefact == b->artefact && same_clock(a, b) ? COMPANION_AGREES : COMPANION_UNKNOWN;
    return OK;
}

enum status companions_find(struct companions *companions, const struct store *store, uint32_t stream,
                            struct companion_check **checks, size_t *n_checks, struct error *error)
{
    *companions = (struct companions){0};
    *checks = memory_resize(NULL, store->n_streams + 1, sizeof **checks);
    *n_checks = 0;
    for (uint32_t i = 0; i < store->n_streams; i++) {
        if (i == stream || store->streams[i].run != store->streams[stream].run)
            continue;
        struct companion c = {.stream = i};
        struct companion_check *check = &(*checks)[(*n_checks)++];
        *check = (struct companion_check){.stream = i};
        if (check_one(store, stream, &c, check, error) == FAILED)
            return FAILED;
        if (check->verdict == COMPANION_AGREES && companions->n < COMPANIONS_MAX)
            companions->items[companions->n++] = c;
    }
    return OK;
}

/* ---- events ---- */

struct joined_events {
    const struct store *store;
    uint32_t stream;
    struct companions companions; /* without those that lost events here */
    struct event_merge *merge, *own; /* own: for the states; the merge itself, where there are no companions */
};

/* What a companion lost would be missing in the middle: then it says nothing. */
static bool has_gap(const struct store *store, uint32_t run, uint32_t stream, int64_t begin_ns, int64_t end_ns)
{
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *g = &store->gaps[i];
        if (g->run == run && g->stream == stream && (g->begin_ns == NS_UNKNOWN || g->begin_ns < end_ns) &&
            (g->end_ns == NS_UNKNOWN || g->end_ns > begin_ns))
            return true;
    }
    return false;
}

struct joined_events *joined_events_new(const struct store *store, uint32_t run, uint32_t stream, const struct companions *companions,
                                        int64_t begin_ns, int64_t end_ns, struct error *error)
{
    struct joined_events *j = memory_new(sizeof *j);
    j->store = store;
    j->stream = stream;
    for (size_t i = 0; i < companions->n; i++) {
        const struct stream *s = &store->streams[companions->items[i].stream];
        if (s->begin_ns <= end_ns && s->end_ns >= begin_ns && !has_gap(store, run, companions->items[i].stream, begin_ns, end_ns))
            j->companions.items[j->companions.n++] = companions->items[i];
    }
    j->own = event_merge_new(store, run, stream, begin_ns, end_ns, error);
    j->merge = j->companions.n ? event_merge_new(store, run, ROW_NONE, begin_ns, end_ns, error) : j->own;
    if (j->own && j->merge)
        return j;
    joined_events_free(j);
    return NULL;
}

static bool is_asked(const struct joined_events *j, uint32_t stream, unsigned kind)
{
    for (size_t i = 0; i < j->companions.n; i++)
        if (j->companions.items[i].stream == stream)
            return has_kind(j->companions.items[i].kinds, kind);
    return false;
}

bool joined_events_next(struct joined_events *j, struct event_ref *ref, bool *is_own)
{
    *is_own = true;
    while (event_merge_next(j->merge, ref)) {
        if (!j->companions.n)
            return true;
        uint32_t stream = j->store->event_chunks[ref->chunk].stream;
        *is_own = stream == j->stream;
        if (*is_own || is_asked(j, stream, ref->view->kind[ref->i]))
            return true;
    }
    return false;
}

enum status joined_events_status(const struct joined_events *j)
{
    return event_merge_status(j->merge);
}

const struct cpu_state *joined_events_state(const struct joined_events *j, int32_t cpu)
{
    return event_merge_state(j->own, cpu);
}

void joined_events_free(struct joined_events *j)
{
    if (!j)
        return;
    if (j->merge != j->own)
        event_merge_free(j->merge);
    event_merge_free(j->own);
    free(j);
}
