/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a window is not recorded or the tracer's own: before the first event, behind the last, lost events, stack dumps. */
#include "analyzers/sweep.h"

#define ORIGIN_MIN_PCT 2

/* Time before the first and after the last row of a window's CPU belongs to nobody. Returns what lies before. */
int64_t window_carve_unrecorded(struct sweep *sweep, const struct window *w)
{
    int64_t length = window_length_ns(w), missing = 0;
    struct subject nobody = {.number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    if (sweep->first_event_ns == NS_UNKNOWN) {
        sweep_carve(sweep, w->begin_ns, w->end_ns, SLICE_UNEXPLAINED, 0, &nobody);
        return length;
    }
    if (sweep->first_event_ns > w->begin_ns && 100 * (sweep->first_event_ns - w->begin_ns) > ORIGIN_MIN_PCT * length) {
        sweep_carve(sweep, w->begin_ns, sweep->first_event_ns, SLICE_UNEXPLAINED, 0, &nobody);
        missing = sweep->first_event_ns - w->begin_ns;
    }
    if (sweep->last_event_ns < w->end_ns && 100 * (w->end_ns - sweep->last_event_ns) > 5 * length)
        sweep_carve(sweep, sweep->last_event_ns, w->end_ns, SLICE_UNEXPLAINED, 0, &nobody);
    return missing;
}

int64_t window_unrecorded_ns(const struct sweep *sweep, int64_t missing_ns)
{
    if (!sweep->n_pieces)
        return missing_ns;
    int64_t begin_ns = sweep->pieces[0].begin_ns, length_ns = sweep->pieces[sweep->n_pieces - 1].end_ns - begin_ns, left_ns = 0;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        int64_t to_ns = p->end_ns < begin_ns + missing_ns ? p->end_ns : begin_ns + missing_ns;
        if (p->kind == SLICE_UNEXPLAINED && to_ns > p->begin_ns)
            left_ns += to_ns - p->begin_ns;
    }
    return 100 * left_ns > ORIGIN_MIN_PCT * length_ns ? left_ns : 0;
}

static bool gap_touches(const struct gap *g, const struct window *w, int64_t begin_ns, int64_t end_ns)
{
    return g->run == w->run && g->stream == w->stream && (g->begin_ns == NS_UNKNOWN || g->begin_ns < end_ns) &&
           (g->end_ns == NS_UNKNOWN || g->end_ns > begin_ns);
}

/* Whether the rows behind a gap are of another task than those in front of it: then nobody knows who ran in between. */
static bool task_changes_over(const struct sweep *sweep, const struct window *w, const struct gap *g)
{
    const struct piece *before = NULL;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        if (g->cpu != CPU_UNKNOWN && g->cpu != p->cpu)
            continue;
        if (p->begin_ns <= g->begin_ns)
            before = p;
        else if (p->begin_ns >= g->end_ns)
            return before && p->subject.tid != before->subject.tid && p->subject.tid != w->tid;
    }
    return false;
}

/*
 * A wakeup tracer dumps a stack behind its row of the wakeup and behind that of the switch, and stops its watch after that:
 * the task was on its way all the while.
 */
void window_carve_tracer(const struct store *store, struct sweep *sweep, const struct window *w)
{
    static const struct subject tracer = {.kind = SUBJECT_TRACER, .number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    int64_t row_ns = NS_UNKNOWN;
    int32_t cpu = CPU_UNKNOWN;
    bool switched = false;
    struct event_ref ref;
    struct event_merge *merge = event_merge_new(store, w->run, w->stream, w->begin_ns, w->end_ns + 1000, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        unsigned kind = ref.view->kind[ref.i];
        if (row_ns != NS_UNKNOWN && ref.cpu == cpu) {
            if (kind == KIND_KERNEL_STACK && !switched)
                sweep_carve(sweep, row_ns, event_time_ns(&ref), SLICE_SCHED, 0, &tracer);
            if (kind == KIND_KERNEL_STACK && switched)
                sweep_carve(sweep, row_ns, w->end_ns, SLICE_SCHED, 0, &tracer);
            row_ns = NS_UNKNOWN;
        }
        if ((kind == KIND_TRACER_WAKE || kind == KIND_TRACER_SWITCH) && (int32_t)event_words(&ref)[5] == w->tid) {
            row_ns = event_time_ns(&ref);
            cpu = ref.cpu;
            switched = kind == KIND_TRACER_SWITCH;
        }
    }
    if (merge)
        event_merge_free(merge);
}

/* Lost events: their spans on the CPUs of the window become slices of their own. */
bool window_carve_gaps(const struct store *store, struct sweep *sweep, const struct window *w)
{
    bool complete = true;
    struct subject nobody = {.number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *g = &store->gaps[i];
        if (!gap_touches(g, w, w->begin_ns, w->end_ns))
            continue;
        complete = false;
        /* A section's rows with some left out still belong to the section, and a task's that is the same on both sides to it. */
        if (store->streams[w->stream].clock_is_relative && (w->kind == WINDOW_SECTION || !task_changes_over(sweep, w, g)))
            continue;
        int64_t from = g->begin_ns == NS_UNKNOWN ? w->begin_ns : g->begin_ns, to = g->end_ns == NS_UNKNOWN ? w->end_ns : g->end_ns;
        sweep_carve_cpu(sweep, g->cpu, from, to, SLICE_GAP, &nobody);
    }
    const struct stream *s = &store->streams[w->stream];
    bool rows_missing = s->clock_is_relative && stream_lacks_entries(s);
    return complete && !rows_missing;
}
