/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trace events in Chrome's JSON form, which ui.perfetto.dev and chrome://tracing open: a track per CPU with tasks and,
 * nested in them, handlers; tracks for sections with interrupts or preemption off; everything else as instants; and
 * for each outlier a track with its slices. ts is in microseconds of the trace's own clock.
 */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "report/export.h"

#define DEPTH 24
enum { TRACK_CPU = 1, TRACK_IRQS_OFF = 10001, TRACK_PREEMPT_OFF = 20001, TRACK_GAPS = 30001 };

struct open_slice {
    int32_t kind, number;
};

struct cpu_track {
    bool is_begun, has_task, irqs_off, preempt_off;
    unsigned n_open;
    struct open_slice open[DEPTH];
};

struct exporter {
    const struct export_request *request;
    FILE *file;
    bool is_first;
    unsigned pid;
    struct cpu_track *cpus; /* [cpu + 1] */
    size_t n_cpus;
    int64_t time_ns;
};

static void begin_record(struct exporter *x, char phase, int32_t track, int64_t time_ns)
{
    fprintf(x->file, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%d,\"ts\":", x->is_first ? "\n" : ",\n", phase, x->pid, track);
    export_us(x->file, time_ns);
    x->is_first = false;
}

static void begin_slice(struct exporter *x, int32_t track, int64_t time_ns, const char *category, const char *name)
{
    begin_record(x, 'B', track, time_ns);
    fprintf(x->file, ",\"cat\":\"%s\",\"name\":", category);
    export_json_string(x->file, name ? name : "?");
    putc('}', x->file);
}

static void end_slice(struct exporter *x, int32_t track, int64_t time_ns)
{
    begin_record(x, 'E', track, time_ns);
    putc('}', x->file);
}

static void name_track(struct exporter *x, const char *what, int32_t track, const char *name)
{
    begin_record(x, 'M', track, 0);
    fprintf(x->file, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    export_json_string(x->file, name);
    fputs("}}", x->file);
}

static void close_handlers(struct exporter *x, int cpu, unsigned down_to)
{
    struct cpu_track *track = &x->cpus[cpu + 1];
    for (; track->n_open > down_to; track->n_open--)
        if (track->n_open <= DEPTH)
            end_slice(x, TRACK_CPU + cpu, x->time_ns);
}

static void open_handler(struct exporter *x, int cpu, int32_t kind, int32_t number, const char *category, const char *name)
{
    struct cpu_track *track = &x->cpus[cpu + 1];
    if (track->n_open < DEPTH) {
        track->open[track->n_open] = (struct open_slice){kind, number};
        begin_slice(x, TRACK_CPU + cpu, x->time_ns, category, name);
    }
    track->n_open++;
}

/* An exit whose entry the trace does not have ends nothing. */
static void close_handler(struct exporter *x, int cpu, int32_t kind, int32_t number)
{
    struct cpu_track *track = &x->cpus[cpu + 1];
    if (track->n_open > DEPTH) {
        track->n_open--;
        return;
    }
    for (unsigned i = track->n_open; i-- > 0;)
        if (track->open[i].kind == kind && track->open[i].number == number) {
            close_handlers(x, cpu, i);
            return;
        }
}

static void switch_task(struct exporter *x, int cpu, const char *comm, int32_t tid, int32_t prio)
{
    struct cpu_track *track = &x->cpus[cpu + 1];
    char name[300];
    close_handlers(x, cpu, 0);
    if (track->has_task)
        end_slice(x, TRACK_CPU + cpu, x->time_ns);
    track->has_task = tid != 0 && tid != TID_UNKNOWN;
    if (!track->has_task)
        return;
    if (prio == PRIO_UNKNOWN)
        snprintf(name, sizeof name, "%s:%d", comm ? comm : "?", tid);
    else
        snprintf(name, sizeof name, "%s:%d (prio %d)", comm ? comm : "?", tid, prio);
    begin_slice(x, TRACK_CPU + cpu, x->time_ns, "task", name);
}

static void set_section(struct exporter *x, bool *is_open, bool opens, int32_t track, const char *name, const char *caller)
{
    if (*is_open)
        end_slice(x, track, x->time_ns);
    if (opens)
        begin_slice(x, track, x->time_ns, "section", caller ? caller : name);
    *is_open = opens;
}

static void add_instant(struct exporter *x, const struct event_ref *ref)
{
    char text[4096];
    event_format(x->request->store, ref->view, ref->i, text, sizeof text);
    size_t length = strcspn(text, ":");
    begin_record(x, 'i', TRACK_CPU + ref->cpu, x->time_ns);
    fputs(",\"s\":\"t\",\"name\":", x->file);
    char end = text[length];
    text[length] = '\0';
    export_json_string(x->file, text);
    text[length] = end;
    fputs(",\"args\":{\"text\":", x->file);
    export_json_string(x->file, text);
    fputs("}}", x->file);
}

static void add_event(struct exporter *x, const struct event_ref *ref)
{
    const struct store *store = x->request->store;
    const uint32_t *w = event_words(ref);
    int cpu = ref->cpu;
    struct cpu_track *track = &x->cpus[cpu + 1];
    char name[300];
    switch (ref->view->kind[ref->i]) {
    case KIND_SCHED_SWITCH:
    case KIND_COBALT_SWITCH:
        switch_task(x, cpu, store_string(store, w[4]), (int32_t)w[5], (int32_t)w[6]);
        break;
    case KIND_IRQ_HANDLER_ENTRY:
        snprintf(name, sizeof name, "irq %d %s", (int32_t)w[0], w[1] ? store_string(store, w[1]) : "");
        open_handler(x, cpu, OPEN_IRQ, (int32_t)w[0], "irq", name);
        break;
    case KIND_IRQ_HANDLER_EXIT:
        close_handler(x, cpu, OPEN_IRQ, (int32_t)w[0]);
        break;
    case KIND_VECTOR_ENTRY:
        open_handler(x, cpu, OPEN_VECTOR, (int32_t)w[1], "irq", store_string(store, w[0]));
        break;
    case KIND_VECTOR_EXIT:
        close_handler(x, cpu, OPEN_VECTOR, (int32_t)w[1]);
        break;
    case KIND_SOFTIRQ_ENTRY:
        snprintf(name, sizeof name, "softirq %s", w[1] ? store_string(store, w[1]) : "?");
        open_handler(x, cpu, OPEN_SOFTIRQ, (int32_t)w[0], "softirq", name);
        break;
    case KIND_SOFTIRQ_EXIT:
        close_handler(x, cpu, OPEN_SOFTIRQ, (int32_t)w[0]);
        break;
    case KIND_IRQ_DISABLE:
    case KIND_IRQ_ENABLE:
        set_section(x, &track->irqs_off, ref->view->kind[ref->i] == KIND_IRQ_DISABLE, TRACK_IRQS_OFF + cpu, "irqs off",
                    store_string(store, w[0]));
        break;
    case KIND_PREEMPT_DISABLE:
    case KIND_PREEMPT_ENABLE:
        set_section(x, &track->preempt_off, ref->view->kind[ref->i] == KIND_PREEMPT_DISABLE, TRACK_PREEMPT_OFF + cpu,
                    "preempt off", store_string(store, w[0]));
        break;
    default:
        add_instant(x, ref);
    }
}

/* A CPU's first event: its tracks get names, and what its state says is already going on begins here. */
static void begin_cpu(struct exporter *x, const struct event_merge *merge, const struct event_ref *ref)
{
    const struct cpu_state *state = event_merge_state(merge, ref->cpu);
    char name[64];
    size_t i = (size_t)(ref->cpu + 1);
    if (i >= x->n_cpus) {
        x->cpus = memory_resize(x->cpus, i + 1, sizeof *x->cpus);
        memset(x->cpus + x->n_cpus, 0, (i + 1 - x->n_cpus) * sizeof *x->cpus);
        x->n_cpus = i + 1;
    }
    x->cpus[i].is_begun = true;
    snprintf(name, sizeof name, ref->cpu < 0 ? "CPU unknown" : "CPU %d", ref->cpu);
    name_track(x, "thread_name", TRACK_CPU + ref->cpu, name);
    snprintf(name, sizeof name, "CPU %d irqs off", ref->cpu);
    name_track(x, "thread_name", TRACK_IRQS_OFF + ref->cpu, name);
    snprintf(name, sizeof name, "CPU %d preempt off", ref->cpu);
    name_track(x, "thread_name", TRACK_PREEMPT_OFF + ref->cpu, name);
    if (state && state->tid != TID_UNKNOWN)
        switch_task(x, ref->cpu, store_string(x->request->store, state->comm), state->tid, state->prio);
}

static void end_cpus(struct exporter *x)
{
    for (size_t i = 0; i < x->n_cpus; i++) {
        int cpu = (int)i - 1;
        if (!x->cpus[i].is_begun)
            continue;
        switch_task(x, cpu, NULL, 0, 0);
        set_section(x, &x->cpus[i].irqs_off, false, TRACK_IRQS_OFF + cpu, "", NULL);
        set_section(x, &x->cpus[i].preempt_off, false, TRACK_PREEMPT_OFF + cpu, "", NULL);
    }
    free(x->cpus);
    x->cpus = NULL;
    x->n_cpus = 0;
}

static void add_complete(struct exporter *x, int32_t track, int64_t begin_ns, int64_t end_ns, const char *category, const char *name)
{
    begin_record(x, 'X', track, begin_ns);
    fputs(",\"dur\":", x->file);
    export_us(x->file, end_ns - begin_ns);
    fprintf(x->file, ",\"cat\":\"%s\",\"name\":", category);
    export_json_string(x->file, name);
}

static void add_gaps(struct exporter *x, uint32_t run)
{
    bool is_named = false;
    for (size_t i = 0; i < x->request->store->n_gaps; i++) {
        const struct gap *gap = &x->request->store->gaps[i];
        if (gap->run != run || gap->begin_ns == NS_UNKNOWN || gap->end_ns == NS_UNKNOWN || gap->end_ns < x->request->begin_ns ||
            gap->begin_ns > x->request->end_ns)
            continue;
        if (!is_named)
            name_track(x, "thread_name", TRACK_GAPS, "events lost");
        is_named = true;
        add_complete(x, TRACK_GAPS, gap->begin_ns, gap->end_ns, "gap", gap->reason ? gap->reason : "events lost");
        fprintf(x->file, ",\"args\":{\"cpu\":%d}}", gap->cpu);
    }
}

static enum status add_run(struct exporter *x, uint32_t run, struct error *error)
{
    const struct export_request *request = x->request;
    struct event_merge *merge = event_merge_new(request->store, run, ROW_NONE, request->begin_ns, request->end_ns, error);
    struct event_ref ref;
    x->pid = 2 * run + 1;
    name_track(x, "process_name", 0, request->store->runs[run].label);
    while (event_merge_next(merge, &ref)) {
        size_t i = (size_t)(ref.cpu + 1);
        x->time_ns = event_time_ns(&ref);
        if (i >= x->n_cpus || !x->cpus[i].is_begun)
            begin_cpu(x, merge, &ref);
        add_event(x, &ref);
    }
    end_cpus(x);
    add_gaps(x, run);
    enum status status = event_merge_status(merge);
    event_merge_free(merge);
    return status;
}

static void add_outlier(struct exporter *x, const struct outlier *outlier, size_t number)
{
    char name[200];
    int32_t track = (int32_t)number + 1;
    if (outlier->run == ROW_NONE || outlier->begin_ns == NS_UNKNOWN || outlier->end_ns == NS_UNKNOWN)
        return;
    x->pid = 2 * outlier->run + 2;
    name_track(x, "process_name", 0, "outliers");
    snprintf(name, sizeof name, "outlier %zu", number + 1);
    name_track(x, "thread_name", track, name);
    snprintf(name, sizeof name, "%s: %s", cause_name(outlier->cause), outlier->culprit ? outlier->culprit : "?");
    add_complete(x, track, outlier->begin_ns, outlier->end_ns, "outlier", name);
    fputs("}", x->file);
    for (size_t i = 0; i < outlier->n_slices; i++) {
        const struct slice *slice = &outlier->slices[i];
        if (slice->begin_ns == NS_UNKNOWN || slice->end_ns == NS_UNKNOWN)
            continue;
        snprintf(name, sizeof name, "%s %s", slice_kind_name(slice->kind), slice->subject ? slice->subject : "");
        add_complete(x, track, slice->begin_ns, slice->end_ns, slice_kind_name(slice->kind), name);
        fprintf(x->file, ",\"args\":{\"cpu\":%d,\"evidence\":", slice->cpu);
        export_json_string(x->file, slice->evidence);
        fputs("}}", x->file);
    }
}

static enum status write_perfetto(const struct export_request *request, FILE *file, struct error *error)
{
    struct exporter x = {.request = request, .file = file, .is_first = true};
    if (!request->store->n_events)
        return error_input(error, "the input holds no trace events");
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"version\":\"whylate " WHYLATE_VERSION "\"},\"traceEvents\":[", file);
    for (uint32_t run = 0; run < request->store->n_runs; run++)
        if ((!request->outlier || request->outlier->run == run) && add_run(&x, run, error) != OK)
            return FAILED;
    for (size_t i = 0; request->analysis && i < request->analysis->n_outliers; i++)
        if (!request->outlier || request->outlier == request->analysis->outliers[i])
            add_outlier(&x, request->analysis->outliers[i], i);
    fputs("\n]}\n", file);
    return OK;
}

const struct export_format export_perfetto = {
    .name = "perfetto",
    .summary = "trace events as JSON for ui.perfetto.dev and chrome://tracing, outliers as tracks",
    .needs_outliers = true,
    .takes_outlier = true,
    .write = write_perfetto,
};
