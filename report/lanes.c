/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define MAX_BOXES 20000
#define DEPTH 16

const char *lane_context_name(enum lane_context context)
{
    static const char *const name[] = {"task", "sections", "softirq", "irq", "nmi"};
    return name[context];
}

/* What is open on one CPU: the task, and nested contexts above it. */
struct open_box {
    enum lane_context context;
    enum box_kind kind;
    int64_t begin_ns;
    char label[48];
};
struct cpu_track {
    int32_t cpu;
    bool is_started;
    struct open_box task;
    size_t n_open, n_beyond; /* beyond DEPTH: counted, so that exits match */
    struct open_box open[DEPTH];
};
struct builder {
    struct lanes *lanes;
    const struct store *store;
    const struct outlier *outlier;
    struct cpu_track *tracks;
    size_t n_tracks, capacity;
};

static void add_box(struct builder *builder, const struct cpu_track *track, const struct open_box *open, int64_t end_ns)
{
    struct lanes *lanes = builder->lanes;
    int64_t begin_ns = open->begin_ns < lanes->begin_ns ? lanes->begin_ns : open->begin_ns;
    if (end_ns <= begin_ns || open->begin_ns == NS_UNKNOWN)
        return;
    if (lanes->n == MAX_BOXES) {
        lanes->is_cut = true;
        return;
    }
    memory_reserve(lanes->boxes, lanes->capacity, lanes->n + 1);
    struct box *box = &lanes->boxes[lanes->n++];
    *box = (struct box){.begin_ns = begin_ns, .end_ns = end_ns, .cpu = track->cpu, .context = open->context, .kind = open->kind};
    memcpy(box->label, open->label, sizeof box->label);
}

static void set_task(struct builder *builder, struct cpu_track *track, int64_t time_ns, int32_t tid, const char *comm)
{
    struct open_box *task = &track->task;
    task->context = LANE_TASK;
    task->begin_ns = time_ns;
    if (tid == 0) {
        task->kind = BOX_IDLE;
        snprintf(task->label, sizeof task->label, "idle");
    } else {
        task->kind = tid == builder->outlier->tid ? BOX_SUBJECT : BOX_TASK;
        if (comm)
            snprintf(task->label, sizeof task->label, "%s", comm);
        else
            snprintf(task->label, sizeof task->label, "%" PRId32, tid);
    }
}

static void open_context(struct cpu_track *track, enum lane_context context, enum box_kind kind, int64_t time_ns, const char *label)
{
    if (track->n_open == DEPTH) {
        track->n_beyond++;
        return;
    }
    struct open_box *open = &track->open[track->n_open++];
    *open = (struct open_box){.context = context, .kind = kind, .begin_ns = time_ns};
    snprintf(open->label, sizeof open->label, "%s", label ? label : "");
}

/* Closes the innermost context of that kind; none is open where the trace began inside it. */
static void close_context(struct builder *builder, struct cpu_track *track, enum box_kind kind, int64_t time_ns)
{
    if (track->n_beyond) {
        track->n_beyond--;
        return;
    }
    for (size_t i = track->n_open; i-- > 0;)
        if (track->open[i].kind == kind) {
            add_box(builder, track, &track->open[i], time_ns);
            memmove(&track->open[i], &track->open[i + 1], (track->n_open - i - 1) * sizeof *track->open);
            track->n_open--;
            return;
        }
}

static struct cpu_track *find_track(struct builder *builder, int32_t cpu)
{
    for (size_t i = 0; i < builder->n_tracks; i++)
        if (builder->tracks[i].cpu == cpu)
            return &builder->tracks[i];
    memory_reserve(builder->tracks, builder->capacity, builder->n_tracks + 1);
    struct cpu_track *track = &builder->tracks[builder->n_tracks++];
    memset(track, 0, sizeof *track);
    track->cpu = cpu;
    track->task.begin_ns = NS_UNKNOWN;
    return track;
}

/* What was open on a CPU just before the window. */
static void start_track(struct builder *builder, struct cpu_track *track, const struct cpu_state *state)
{
    track->is_started = true;
    if (!state || state->time_ns == INT64_MIN)
        return;
    if (state->tid != TID_UNKNOWN)
        set_task(builder, track, builder->lanes->begin_ns, state->tid, store_string(builder->store, state->comm));
    for (size_t i = 0; i < state->n_open && i < CPU_STATE_DEPTH; i++) {
        const struct open_context *open = &state->open[i];
        const char *name = store_string(builder->store, open->name);
        switch (open->kind) {
        case OPEN_IRQ:
        case OPEN_VECTOR:
            open_context(track, LANE_IRQ, BOX_IRQ, open->begin_ns, name);
            break;
        case OPEN_SOFTIRQ:
            open_context(track, LANE_SOFTIRQ, BOX_SOFTIRQ, open->begin_ns, name);
            break;
        case OPEN_NMI:
            open_context(track, LANE_NMI, BOX_NMI, open->begin_ns, name);
            break;
        case OPEN_IRQS_OFF:
            open_context(track, LANE_OFF, BOX_IRQS_OFF, open->begin_ns, name);
            break;
        case OPEN_PREEMPT_OFF:
            open_context(track, LANE_OFF, BOX_PREEMPT_OFF, open->begin_ns, name);
            break;
        default:
            break;
        }
    }
}

static void note_waking(struct builder *builder, const struct event_ref *event, int32_t tid)
{
    int64_t time_ns = event_time_ns(event);
    if (tid != builder->outlier->tid || builder->lanes->woken_ns != NS_UNKNOWN)
        return;
    if (builder->outlier->begin_ns != NS_UNKNOWN && time_ns < builder->outlier->begin_ns)
        return;
    builder->lanes->woken_ns = time_ns;
    builder->lanes->woken_cpu = event->cpu;
}

static void switch_to(struct builder *builder, struct cpu_track *track, int64_t time_ns, int32_t prev_tid,
                      const char *prev_comm, int32_t next_tid, const char *next_comm)
{
    if (track->task.begin_ns == NS_UNKNOWN) /* first word about this CPU: prev ran until now */
        set_task(builder, track, builder->lanes->begin_ns, prev_tid, prev_comm);
    add_box(builder, track, &track->task, time_ns);
    set_task(builder, track, time_ns, next_tid, next_comm);
}

static void apply_event(struct builder *builder, struct cpu_track *track, const struct event_ref *event)
{
    const struct store *store = builder->store;
    const uint32_t *word = event_words(event);
    int64_t now = event_time_ns(event);
    char label[48];
    switch (event->view->kind[event->i]) {
    case KIND_SCHED_SWITCH: /* prev_comm prev_tid prev_prio prev_state next_comm next_tid next_prio */
    case KIND_COBALT_SWITCH:
        switch_to(builder, track, now, (int32_t)word[1], store_string(store, word[0]), (int32_t)word[5], store_string(store, word[4]));
        break;
    case KIND_TRACER_SWITCH: /* prev_tid prev_prio prev_state next_cpu next_comm next_tid */
        switch_to(builder, track, now, (int32_t)word[0], NULL, (int32_t)word[5], store_string(store, word[4]));
        break;
    case KIND_SCHED_WAKING: /* comm tid prio target_cpu */
    case KIND_SCHED_WAKEUP:
        note_waking(builder, event, (int32_t)word[1]);
        break;
    case KIND_IRQ_HANDLER_ENTRY: /* irq name */
        snprintf(label, sizeof label, "%" PRId32 " %s", (int32_t)word[0], store_string(store, word[1]) ? store_string(store, word[1]) : "");
        open_context(track, LANE_IRQ, BOX_IRQ, now, label);
        break;
    case KIND_VECTOR_ENTRY:
        open_context(track, LANE_IRQ, BOX_IRQ, now, store_string(store, word[0]));
        break;
    case KIND_IRQ_HANDLER_EXIT:
    case KIND_VECTOR_EXIT:
        close_context(builder, track, BOX_IRQ, now);
        break;
    case KIND_SOFTIRQ_ENTRY: /* vec action */
        open_context(track, LANE_SOFTIRQ, BOX_SOFTIRQ, now, store_string(store, word[1]));
        break;
    case KIND_SOFTIRQ_EXIT:
        close_context(builder, track, BOX_SOFTIRQ, now);
        break;
    case KIND_IRQ_DISABLE: /* caller parent */
        open_context(track, LANE_OFF, BOX_IRQS_OFF, now, store_string(store, word[0]));
        break;
    case KIND_IRQ_ENABLE:
        close_context(builder, track, BOX_IRQS_OFF, now);
        break;
    case KIND_PREEMPT_DISABLE:
        open_context(track, LANE_OFF, BOX_PREEMPT_OFF, now, store_string(store, word[0]));
        break;
    case KIND_PREEMPT_ENABLE:
        close_context(builder, track, BOX_PREEMPT_OFF, now);
        break;
    default:
        break;
    }
}

bool lanes_build(struct lanes *lanes, const struct store *store, const struct outlier *outlier, int64_t begin_ns,
                 int64_t end_ns)
{
    memset(lanes, 0, sizeof *lanes);
    lanes->begin_ns = begin_ns;
    lanes->end_ns = end_ns;
    lanes->woken_ns = NS_UNKNOWN;
    lanes->woken_cpu = CPU_UNKNOWN;
    struct error ignored = {0};
    struct event_merge *merge = event_merge_new(store, outlier->run, outlier->stream, begin_ns, end_ns, &ignored);
    if (!merge)
        return false;
    struct builder builder = {.lanes = lanes, .store = store, .outlier = outlier};
    for (size_t i = 0; i < store->n_event_chunks; i++) {
        const struct event_chunk *chunk = &store->event_chunks[i];
        if (chunk->run != outlier->run || (outlier->stream != ROW_NONE && chunk->stream != outlier->stream))
            continue;
        struct cpu_track *track = find_track(&builder, chunk->cpu);
        if (!track->is_started)
            start_track(&builder, track, event_merge_state(merge, chunk->cpu));
    }
    struct event_ref event;
    size_t n_events = 0;
    while (event_merge_next(merge, &event) && !lanes->is_cut) {
        n_events++;
        apply_event(&builder, find_track(&builder, event.cpu), &event);
    }
    event_merge_free(merge);
    for (size_t i = 0; i < builder.n_tracks; i++) {
        struct cpu_track *track = &builder.tracks[i];
        add_box(&builder, track, &track->task, end_ns);
        for (size_t k = 0; k < track->n_open; k++)
            add_box(&builder, track, &track->open[k], end_ns);
    }
    free(builder.tracks);
    return n_events > 0;
}

void lanes_release(struct lanes *lanes)
{
    free(lanes->boxes);
    memset(lanes, 0, sizeof *lanes);
}
