/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in the kernel the time of a window went, from the rows of a function tracer: the pieces of tasks, sections and
 * handlers without a name are split at the rows, and each part is named by the function that was entered last (with the
 * graph tracer: the innermost that is open). Nothing is decided here: a cause weighs whole pieces.
 */
#include "analyzers/cause.h"

#include <stdlib.h>

#define GRAPH_DEPTH 64

struct function_row {
    int64_t time_ns;
    int32_t cpu;
    uint32_t function; /* string id; 0: unknown from here on */
    uint32_t chunk, i;
};

struct function_rows {
    size_t n, capacity;
    struct function_row *items;
};

/* The graph tracer's open calls of one CPU, by depth. */
struct open_calls {
    uint32_t names[GRAPH_DEPTH];
};

static bool function_at(struct open_calls *calls, const struct event_ref *ref, uint32_t *function)
{
    const uint32_t *w = event_words(ref);
    switch (ref->view->kind[ref->i]) {
    case KIND_FUNCTION:
        *function = w[0];
        return true;
    case KIND_FUNCGRAPH_ENTRY:
        if (w[1] < GRAPH_DEPTH)
            calls->names[w[1]] = w[0];
        *function = w[0];
        return true;
    case KIND_FUNCGRAPH_EXIT:
        *function = w[1] > 0 && w[1] <= GRAPH_DEPTH ? calls->names[w[1] - 1] : 0;
        return true;
    default:
        return false;
    }
}

static enum status collect_rows(const struct cause_input *input, struct function_rows *rows)
{
    const struct window *w = input->window;
    size_t n_cpus = (size_t)sweep_count_cpus(input->store, w->run) + 1;
    struct open_calls *calls = memory_resize(NULL, n_cpus, sizeof *calls);
    for (size_t i = 0; i < n_cpus; i++)
        calls[i] = (struct open_calls){{0}};
    struct joined_events *merge = joined_events_new(input->store, w->run, w->stream, &w->companions, w->begin_ns, w->end_ns, NULL);
    bool is_own;
    struct event_ref ref;
    while (merge && joined_events_next(merge, &ref, &is_own)) {
        struct function_row row = {event_time_ns(&ref), ref.cpu, 0, ref.chunk, ref.i};
        if (ref.cpu < 0 || (size_t)ref.cpu >= n_cpus || !function_at(&calls[ref.cpu], &ref, &row.function))
            continue;
        memory_reserve(rows->items, rows->capacity, rows->n + 1);
        rows->items[rows->n++] = row;
    }
    enum status status = merge ? joined_events_status(merge) : FAILED;
    if (merge)
        joined_events_free(merge);
    free(calls);
    return status;
}

static bool piece_takes_function(const struct piece *p)
{
    switch (p->kind) {
    case SLICE_IRQ:
    case SLICE_SOFTIRQ:
    case SLICE_NMI:
        return !p->subject.name && !p->subject.function;
    case SLICE_IRQS_OFF:
    case SLICE_PREEMPT_OFF:
        return !p->subject.name;
    case SLICE_TASK_HIGHER:
    case SLICE_TASK_SAME:
    case SLICE_TASK_LOWER:
    case SLICE_SCHED:
        return true;
    default:
        return false;
    }
}

static void name_piece(struct piece *p, const struct function_row *row)
{
    if (p->kind == SLICE_IRQS_OFF || p->kind == SLICE_PREEMPT_OFF)
        p->subject.name = row->function;
    else
        p->subject.function = row->function;
    p->first_chunk = row->chunk;
    p->first_i = row->i;
}

void function_path_split(const struct cause_input *input)
{
    struct sweep *sweep = input->sweep;
    struct function_rows rows = {0};
    if (!sweep->has_functions || !input->is_complete || collect_rows(input, &rows) == FAILED || !rows.n) {
        free(rows.items);
        return;
    }
    struct piece *pieces = memory_resize(NULL, sweep->n_pieces + rows.n, sizeof *pieces);
    size_t n = 0, next = 0; /* next: first row that is not before the piece at hand */
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        struct piece p = sweep->pieces[i];
        while (next < rows.n && rows.items[next].time_ns < p.begin_ns)
            next++;
        for (size_t k = next; k < rows.n && rows.items[k].time_ns < p.end_ns && piece_takes_function(&sweep->pieces[i]); k++) {
            const struct function_row *row = &rows.items[k];
            if (row->cpu != p.cpu)
                continue;
            if (row->time_ns > p.begin_ns) {
                pieces[n] = p;
                pieces[n].end_ns = row->time_ns;
                pieces[n].last_chunk = row->chunk;
                pieces[n++].last_i = row->i;
                p.begin_ns = row->time_ns;
            }
            name_piece(&p, row);
        }
        pieces[n++] = p;
    }
    free(rows.items);
    free(sweep->pieces);
    sweep->pieces = pieces;
    sweep->n_pieces = n;
    sweep->pieces_capacity = n;
}
