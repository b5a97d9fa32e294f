/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LOOKBACK_NS 50000000   /* before the window's own begin */
#define LOOKBACK_IRQ_NS 1000000 /* what an interrupt woke has no chain beyond it */
#define MAX_RUNS    65536
#define WORK_MAX_NS 10000000   /* a task that ran this long before it woke the next did so of its own accord */
#define ENTRY_MAX_NS 100000    /* an interrupt's thread is woken just behind the handler: no longer after it than this */

static const char *const kind_names[] = {"interrupt", "task", "lock", "unknown"};

const char *chain_link_kind_name(enum chain_link_kind kind)
{
    return kind_names[kind];
}

/* The last interrupt handlers of a CPU. */
#define N_ENTRIES 8
struct entries {
    unsigned n; /* counts on */
    struct entry {
        int64_t begin_ns, end_ns; /* NS_UNKNOWN: it runs */
        struct subject subject;
        uint32_t chunk, i;
    } items[N_ENTRIES];
};

/* What a waking came out of. */
struct waking {
    int64_t time_ns;
    int32_t tid;
    struct entry entry; /* begin_ns NS_UNKNOWN: of no handler */
};

struct finder {
    const struct store *store;
    struct word_classes *words;
    const struct window *w;
    struct activation *runs;
    size_t n_runs, runs_capacity;
    struct waking *wakings;
    size_t n_wakings, wakings_capacity;
    struct entries *cpus;
    size_t n_cpus;
};

static void on_activation(void *context, const struct activation *a)
{
    struct finder *f = context;
    if (f->n_runs == MAX_RUNS || a->waking_ns == NS_UNKNOWN)
        return;
    memory_reserve(f->runs, f->runs_capacity, f->n_runs + 1);
    f->runs[f->n_runs++] = *a;
}

static struct entries *entries_of(struct finder *f, int32_t cpu)
{
    size_t n = (size_t)cpu + 1;
    if (n > f->n_cpus) {
        f->cpus = memory_resize(f->cpus, n, sizeof *f->cpus);
        memset(f->cpus + f->n_cpus, 0, (n - f->n_cpus) * sizeof *f->cpus);
        f->n_cpus = n;
    }
    return &f->cpus[cpu];
}

static void enter(struct finder *f, const struct event_ref *ref, int32_t kind, int32_t number, uint32_t name)
{
    struct entries *e = entries_of(f, ref->cpu);
    e->items[e->n++ % N_ENTRIES] = (struct entry){
        .begin_ns = event_time_ns(ref), .end_ns = NS_UNKNOWN, .chunk = ref->chunk, .i = ref->i,
        .subject = {.kind = kind, .number = number, .name = name, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN}};
}

static struct entry *latest_open(struct entries *e)
{
    for (unsigned k = 0; k < N_ENTRIES && k < e->n; k++) {
        struct entry *entry = &e->items[(e->n - 1 - k) % N_ENTRIES];
        if (entry->end_ns == NS_UNKNOWN)
            return entry;
    }
    return NULL;
}

/* "irq/45-eth0": 45; else -1. */
static long line_of_thread(const char *comm)
{
    if (!comm || strncmp(comm, "irq/", 4) != 0)
        return -1;
    char *end;
    long line = strtol(comm + 4, &end, 10);
    return end == comm + 4 || *end != '-' ? -1 : line;
}

/*
 * The kernel wakes an interrupt's thread behind irq_handler_exit, in the same hard interrupt: the line's number in the
 * thread's name joins the two. The threads of softirqs are woken on the way out of whatever interrupt raised one.
 */
static struct entry entry_of_waking(struct finder *f, const struct event_ref *ref, const uint32_t *w)
{
    static const struct entry none = {.begin_ns = NS_UNKNOWN};
    struct entries *e = entries_of(f, ref->cpu);
    int64_t t_ns = event_time_ns(ref);
    long line = line_of_thread(store_string(f->store, w[0]));
    bool relays = word_class(f->words, w[0]) & WORD_RELAYS;
    const struct entry *open = latest_open(e);
    if (open && line < 0)
        return *open;
    for (unsigned k = 0; relays && k < N_ENTRIES && k < e->n; k++) {
        const struct entry *entry = &e->items[(e->n - 1 - k) % N_ENTRIES];
        bool is_near = entry->end_ns == NS_UNKNOWN || t_ns - entry->end_ns < ENTRY_MAX_NS;
        if (is_near && (line < 0 || (entry->subject.kind == OPEN_IRQ && entry->subject.number == line)))
            return *entry;
        if (line < 0) /* the last one alone */
            break;
    }
    return none;
}

static void note(struct finder *f, const struct event_ref *ref)
{
    const uint32_t *w = event_words(ref);
    struct entries *e = entries_of(f, ref->cpu);
    struct entry *open;
    switch (ref->view->kind[ref->i]) {
    case KIND_IRQ_HANDLER_ENTRY:
        enter(f, ref, OPEN_IRQ, (int32_t)w[0], w[1]);
        break;
    case KIND_VECTOR_ENTRY:
        enter(f, ref, OPEN_VECTOR, (int32_t)w[1], w[0]);
        break;
    case KIND_IRQ_HANDLER_EXIT:
    case KIND_VECTOR_EXIT:
        if ((open = latest_open(e)))
            open->end_ns = event_time_ns(ref);
        break;
    case KIND_HRTIMER_EXPIRE_ENTRY:
        if ((open = latest_open(e)))
            open->subject.function = w[2];
        break;
    case KIND_SCHED_SWITCH: /* no handler runs on, nor is there a way out of one */
        e->n = 0;
        break;
    case KIND_SCHED_WAKING:
    case KIND_SCHED_WAKEUP:
        if (f->n_wakings == MAX_RUNS)
            break;
        memory_reserve(f->wakings, f->wakings_capacity, f->n_wakings + 1);
        f->wakings[f->n_wakings++] = (struct waking){event_time_ns(ref), (int32_t)w[1], entry_of_waking(f, ref, w)};
        break;
    default:
        break;
    }
}

static enum status read_runs(struct finder *f, int64_t from_ns, int64_t to_ns, struct error *error)
{
    const struct window *w = f->w;
    struct activations_config config = {.store = f->store, .words = f->words, .run = w->run, .stream = w->stream,
                                        .trace_clock = f->store->streams[w->stream].clock, .all_threads = true,
                                        .handler = on_activation, .context = f};
    struct event_merge *merge = event_merge_new(f->store, w->run, w->stream, from_ns, to_ns, error);
    if (!merge)
        return FAILED;
    struct activations *activations = activations_new(&config);
    int32_t n_cpus = sweep_count_cpus(f->store, w->run);
    for (int32_t cpu = 0; cpu < n_cpus; cpu++) {
        const struct cpu_state *state = event_merge_state(merge, cpu);
        if (state)
            activations_start_cpu(activations, cpu, state);
    }
    struct event_ref ref;
    while (event_merge_next(merge, &ref)) {
        if (ref.cpu >= 0 && ref.cpu < n_cpus)
            note(f, &ref);
        activations_apply(activations, &ref, 1);
    }
    activations_finish(activations);
    activations_free(activations);
    enum status status = event_merge_status(merge);
    event_merge_free(merge);
    return status;
}

/* Of a task, the latest run that began with a waking, before a time; coarse clocks put several events at one. */
static const struct activation *run_before(const struct finder *f, int32_t tid, int64_t time_ns)
{
    const struct activation *found = NULL;
    for (size_t i = 0; i < f->n_runs; i++)
        if (f->runs[i].tid == tid && f->runs[i].switch_ns <= time_ns && f->runs[i].waking_ns < time_ns && (!found || f->runs[i].switch_ns > found->switch_ns))
            found = &f->runs[i];
    return found;
}

static const struct waking *waking_at(const struct finder *f, const struct activation *a)
{
    for (size_t i = 0; i < f->n_wakings; i++)
        if (f->wakings[i].tid == a->tid && f->wakings[i].time_ns == a->waking_ns)
            return &f->wakings[i];
    return NULL;
}

static void push(struct chain *chain, struct chain_link link)
{
    if (chain->n < CHAIN_MAX)
        chain->links[chain->n++] = link;
}

static void push_unknown(struct chain *chain, int64_t at_ns, const char *reason)
{
    push(chain, (struct chain_link){.kind = LINK_UNKNOWN, .begin_ns = at_ns, .running_ns = NS_UNKNOWN, .end_ns = at_ns,
                                    .chunk = UINT32_MAX, .reason = reason});
}

/* The end of the chain, or no more than that one: what woke `a` was an interrupt. */
static void push_interrupt(const struct finder *f, struct chain *chain, const struct activation *a)
{
    const struct waking *waking = waking_at(f, a);
    if (!waking || waking->entry.begin_ns == NS_UNKNOWN) {
        push_unknown(chain, a->waking_ns, "an interrupt woke it; which, is not recorded");
        return;
    }
    struct chain_link link = {.kind = LINK_INTERRUPT, .begin_ns = waking->entry.begin_ns, .running_ns = NS_UNKNOWN,
                              .end_ns = a->waking_ns, .subject = waking->entry.subject, .chunk = waking->entry.chunk,
                              .i = waking->entry.i};
    if (!a->timer)
        link.subject.function = 0;
    link.a.waking_cpu = link.a.cpu = a->waking_cpu;
    push(chain, link);
}

static bool has_task(const struct chain *chain, const struct activation *late, int32_t tid)
{
    bool found = tid == late->tid;
    for (size_t i = 0; i < chain->n; i++)
        found |= chain->links[i].a.tid == tid && chain->links[i].kind == LINK_TASK;
    return found;
}

/* From the late thread back, link by link; the chain is made in reverse. */
static void follow(const struct finder *f, struct chain *chain)
{
    struct activation at = f->w->a;
    while (chain->n + 1 < CHAIN_MAX) {
        if (at.lock_ns != NS_UNKNOWN && at.slept_ns != NS_UNKNOWN && chain->n) { /* it slept for a lock: its run before goes on */
            struct chain_link *last = &chain->links[chain->n - 1];
            last->kind = LINK_LOCK;
            last->begin_ns = at.slept_ns;
            const struct activation *before = run_before(f, at.tid, at.slept_ns);
            if (!before) {
                push_unknown(chain, at.slept_ns, "what woke it before that is not recorded");
                return;
            }
            push(chain, (struct chain_link){.kind = LINK_TASK, .a = *before, .begin_ns = activation_begin_ns(before),
                                            .running_ns = before->switch_ns, .end_ns = at.slept_ns, .chunk = UINT32_MAX});
            at = *before;
            continue;
        }
        if (!at.waker_is_task || at.waker_tid == 0) {
            push_interrupt(f, chain, &at);
            return;
        }
        const struct activation *run = at.waker_tid > 0 ? run_before(f, at.waker_tid, at.waking_ns) : NULL;
        if (!run) {
            push_unknown(chain, at.waking_ns, at.waker_tid > 0 ? "what woke its waker is not recorded" : "its waker is not recorded");
            return;
        }
        if (has_task(chain, &f->w->a, run->tid)) {
            push_unknown(chain, at.waking_ns, "the tasks wake one another");
            return;
        }
        push(chain, (struct chain_link){.kind = LINK_TASK, .a = *run, .begin_ns = activation_begin_ns(run),
                                        .running_ns = run->switch_ns, .end_ns = at.waking_ns, .chunk = UINT32_MAX});
        if (at.waking_ns - run->switch_ns > WORK_MAX_NS) {
            push_unknown(chain, run->switch_ns, "it had run for long by then");
            return;
        }
        at = *run;
    }
    push_unknown(chain, at.waking_ns, "the chain is longer than is followed");
}

enum status chain_find(struct chain *chain, const struct store *store, struct word_classes *words, const struct window *w,
                       struct error *error)
{
    *chain = (struct chain){0};
    const struct activation *a = &w->a;
    if (w->stream == ROW_NONE || a->tid == TID_UNKNOWN || a->is_head || a->is_relax || a->waking_ns == NS_UNKNOWN ||
        w->kind == WINDOW_SECTION || store->streams[w->stream].clock_is_relative || (a->timer && !a->waker_is_task))
        return OK;
    struct finder f = {.store = store, .words = words, .w = w};
    enum status status = read_runs(&f, w->begin_ns - (a->waker_is_task ? LOOKBACK_NS : LOOKBACK_IRQ_NS), w->end_ns + 1, error);
    if (status != FAILED)
        follow(&f, chain);
    for (size_t i = 0; i < chain->n / 2; i++) {
        struct chain_link link = chain->links[i];
        chain->links[i] = chain->links[chain->n - 1 - i];
        chain->links[chain->n - 1 - i] = link;
    }
    free(f.runs);
    free(f.wakings);
    free(f.cpus);
    return status;
}
