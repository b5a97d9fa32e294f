/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the time of a window passed, out of the rows of the function tracer. A row says that a function was entered
 * and by whom; when it was left, no row says. So the time up to the next row belongs to the function that was entered,
 * or, if that is a lock or a counter, to the one that wanted it:
 *
 *     111us : preempt_count_add <-_raw_spin_lock_irqsave
 *     113us!: do_raw_spin_trylock <-_raw_spin_lock_irqsave
 *     222us : _raw_spin_unlock_irqrestore <-coresight_cti_ctx_restore     109 us of coresight_cti_ctx_restore
 */
#include "analyzers/cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MAX_ROWS 200000
#define MAX_FUNCTIONS 1024
#define LOOK_BACK 64
#define SHORT_MIN_ROWS 10
#define SHORT_TIMES 10
#define COARSE_STEPS 4
#define COARSE_MIN_NS 1000000

struct row {
    int64_t time_ns;
    uint32_t function, parent, flags;
    bool ends_gap; /* rows were cut out in front of it */
};

struct rows {
    size_t n, capacity;
    bool some_cut;
    struct row *items;
};

/* Rows are missing between two: the text says so. */
static bool is_cut_between(const struct cause_input *input, int64_t from_ns, int64_t to_ns)
{
    for (size_t i = 0; i < input->store->n_gaps; i++) {
        const struct gap *g = &input->store->gaps[i];
        if (g->run == input->window->run && g->stream == input->window->stream && g->begin_ns != NS_UNKNOWN && g->end_ns != NS_UNKNOWN &&
            g->begin_ns >= from_ns && g->end_ns <= to_ns && (g->cpu == CPU_UNKNOWN || g->cpu == input->window->cpu))
            return true;
    }
    return false;
}

/* Of the window's CPU; or of one task, wherever it ran. */
static void read_rows(const struct cause_input *input, int32_t tid, struct rows *rows)
{
    const struct window *w = input->window;
    struct event_ref ref;
    struct joined_events *merge = joined_events_new(input->store, w->run, w->stream, &w->companions, w->begin_ns, w->end_ns, NULL);
    bool is_own;
    while (merge && rows->n < MAX_ROWS && joined_events_next(merge, &ref, &is_own)) {
        bool is_wanted = tid == TID_UNKNOWN ? ref.cpu == w->cpu : ref.view->tid[ref.i] == tid;
        if (!is_wanted || ref.view->kind[ref.i] == KIND_KERNEL_STACK)
            continue;
        struct row row = {.time_ns = event_time_ns(&ref), .flags = ref.view->flags[ref.i] & ref.view->flags_known};
        if (ref.view->kind[ref.i] == KIND_FUNCTION) {
            row.function = event_words(&ref)[0];
            row.parent = event_words(&ref)[1];
        }
        row.ends_gap = rows->n && input->store->n_gaps && is_cut_between(input, rows->items[rows->n - 1].time_ns, row.time_ns);
        rows->some_cut |= row.ends_gap;
        memory_reserve(rows->items, rows->capacity, rows->n + 1);
        rows->items[rows->n++] = row;
    }
    if (merge)
        joined_events_free(merge);
}

static bool names_somebody(const struct cause_input *input, uint32_t function)
{
    return function && !(word_class(input->words, function) & (WORD_PRIMITIVE | WORD_IRQ_ENTRY | WORD_SCHEDULES | WORD_CALLS_HANDLER));
}

/* Who spent the time after row i: its function, or the nearest caller that is no primitive. */
static uint32_t owner_of(const struct cause_input *input, const struct rows *rows, size_t i)
{
    const struct row *row = &rows->items[i], *next = i + 1 < rows->n ? row + 1 : NULL;
    /* Many calls of the caller that is the same on both sides of a cut, or nobody's. */
    if (next && next->ends_gap) {
        if (row->parent && row->parent == next->parent)
            return names_somebody(input, row->parent) ? row->parent : 0;
        bool goes_on = row->function == next->parent || row->parent == next->function ||
                       (row->function == next->function && names_somebody(input, row->function));
        if (!goes_on)
            return 0;
    }
    if (names_somebody(input, row->function))
        return row->function;
    uint32_t wanted = row->parent;
    for (size_t k = i; k-- > 0 && i - k < LOOK_BACK && wanted && !names_somebody(input, wanted);)
        if (rows->items[k].function == wanted)
            wanted = rows->items[k].parent;
    if (names_somebody(input, wanted))
        return wanted;
    if (i + 1 < rows->n && names_somebody(input, rows->items[i + 1].parent))
        return rows->items[i + 1].parent;
    return 0;
}

struct sums {
    size_t n;
    struct sum_of_function {
        uint32_t function;
        int64_t ns;
    } items[MAX_FUNCTIONS];
};

static void add_to(struct sums *sums, uint32_t function, int64_t ns)
{
    size_t i = 0;
    while (i < sums->n && sums->items[i].function != function)
        i++;
    if (i == MAX_FUNCTIONS)
        return;
    if (i == sums->n)
        sums->items[sums->n++] = (struct sum_of_function){.function = function};
    sums->items[i].ns += ns;
}

static uint32_t largest_in(const struct sums *sums, int64_t *ns)
{
    const struct sum_of_function *best = NULL;
    for (size_t i = 0; i < sums->n; i++)
        if (!best || sums->items[i].ns > best->ns)
            best = &sums->items[i];
    *ns = best ? best->ns : 0;
    return best ? best->function : 0;
}

void place_find(const struct cause_input *input, int32_t tid, struct place *place)
{
    struct rows rows = {0};
    *place = (struct place){0};
    read_rows(input, tid, &rows);
    struct sums *functions = memory_new(sizeof *functions), *counts = memory_new(sizeof *counts);
    for (size_t i = 0; i < rows.n; i++) {
        const struct row *row = &rows.items[i];
        int64_t ns = i + 1 < rows.n ? rows.items[i + 1].time_ns - row->time_ns : 0;
        place->n_rows += row->function != 0;
        if (row->function && place->n_rows == 1 && word_class(input->words, row->function) & WORD_IRQ_ENTRY)
            place->irq_entry = row->function;
        if (i + 1 < rows.n && row->flags & FLAG_NEED_RESCHED)
            place->wanted_while_idle = true;
        uint32_t caller = row->function && names_somebody(input, row->function) ? row->function : row->parent;
        if (rows.some_cut && caller && names_somebody(input, caller))
            add_to(counts, caller, 1);
        if (!row->function || ns <= 0)
            continue;
        place->recorded_ns += ns;
        if ((word_class(input->words, row->function) | (row->parent ? word_class(input->words, row->parent) : 0u)) & WORD_POLLING_SPIN)
            place->spin_ns += ns;
        uint32_t owner = owner_of(input, &rows, i);
        if (owner)
            add_to(functions, owner, ns);
    }
    place->function = largest_in(functions, &place->function_ns);
    int64_t n;
    place->most_seen = largest_in(counts, &n);
    free(functions);
    free(counts);
    free(rows.items);
}

static bool is_switch_to(unsigned kind, const uint32_t *w, int32_t tid)
{
    return (kind == KIND_SCHED_SWITCH || kind == KIND_TRACER_SWITCH) && (int32_t)w[5] == tid;
}

uint32_t place_of_switch(const struct cause_input *input)
{
    const struct window *w = input->window;
    uint32_t found = 0;
    bool after_switch = false;
    struct event_ref ref;
    struct event_merge *merge = event_merge_new(input->store, w->run, w->stream, w->begin_ns, w->end_ns + 1000, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        if (ref.cpu != w->cpu)
            continue;
        unsigned kind = ref.view->kind[ref.i];
        const uint32_t *words = event_words(&ref);
        if (kind == KIND_KERNEL_STACK && after_switch) {
            size_t n = event_n_words(ref.view, ref.i);
            for (size_t i = 0; i < n && !found; i++)
                if (names_somebody(input, words[i]))
                    found = words[i];
        }
        after_switch = is_switch_to(kind, words, w->tid);
        if (after_switch)
            found = 0;
    }
    if (merge)
        event_merge_free(merge);
    return found;
}

int64_t place_short_rows_ns(const struct cause_input *input, const struct claim *claim)
{
    const struct window *w = input->window;
    const struct stream *s = w->stream == ROW_NONE ? NULL : &input->store->streams[w->stream];
    if (!s || claim->kind != CLAIM_TRACER_HEADER || claim->section != SECTION_WAKEUP || s->n_shown == COUNT_UNKNOWN ||
        s->n_shown != s->n_written || s->n_events < SHORT_MIN_ROWS)
        return 0;
    int64_t first_ns = NS_UNKNOWN, last_ns = NS_UNKNOWN;
    bool is_to_the_end = false;
    struct event_ref ref;
    struct event_merge *merge = event_merge_new(input->store, w->run, w->stream, INT64_MIN, INT64_MAX, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        const uint32_t *words = event_words(&ref);
        unsigned kind = ref.view->kind[ref.i];
        const char *function = kind == KIND_FUNCTION ? store_string(input->store, words[0]) : NULL;
        is_to_the_end |= kind == KIND_TRACER_SWITCH || (function && !strncmp(function, "trace_stop_sched_switched", 25));
        last_ns = event_time_ns(&ref);
        first_ns = first_ns == NS_UNKNOWN ? last_ns : first_ns;
    }
    if (merge)
        event_merge_free(merge);
    int64_t span_ns;
    /* From its zero to its end: rows that were left out lie in between. */
    if (!is_to_the_end || first_ns == NS_UNKNOWN || first_ns > window_length_ns(w) / SHORT_TIMES / 10 || __builtin_sub_overflow(last_ns, first_ns, &span_ns) ||
        span_ns >= window_length_ns(w) / SHORT_TIMES)
        return 0;
    return span_ns > 0 ? span_ns : 1;
}

int64_t place_coarse_step_ns(const struct cause_input *input)
{
    const struct window *w = input->window;
    if (w->stream == ROW_NONE || input->store->streams[w->stream].resolution_ns < COARSE_MIN_NS)
        return 0;
    int64_t step_ns = 0, last_ns = NS_UNKNOWN;
    struct event_ref ref;
    struct event_merge *merge = event_merge_new(input->store, w->run, w->stream, w->begin_ns, w->end_ns, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        int64_t time_ns = event_time_ns(&ref);
        if (last_ns != NS_UNKNOWN && time_ns > last_ns && (!step_ns || time_ns - last_ns < step_ns))
            step_ns = time_ns - last_ns;
        last_ns = time_ns;
    }
    if (merge)
        event_merge_free(merge);
    if (!step_ns)
        step_ns = input->store->streams[w->stream].resolution_ns;
    return window_length_ns(w) / COARSE_STEPS < step_ns ? step_ns : 0;
}
