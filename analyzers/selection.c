/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/selection.h"

#include <string.h>

#include "base/memory.h"

#define WHOLE_PASS_EVENTS 8000000 /* with marks, larger traces are read around them only */
#define MAX_WINDOWS 100000
#define MAX_RESERVOIRS 256
#define MAX_BLOCKED 64

void window_init(struct window *w)
{
    *w = (struct window){.run = ROW_NONE, .stream = ROW_NONE, .claim = ROW_NONE, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN,
                         .cpu = CPU_UNKNOWN, .begin_ns = NS_UNKNOWN, .end_ns = NS_UNKNOWN, .reported_ns = NS_UNKNOWN,
                         .owner_tid = TID_UNKNOWN, .middle_tid = TID_UNKNOWN, .section_kind = SLICE_UNEXPLAINED};
    activation_clear(&w->a);
}

struct window window_of_activation(const struct activation *a, uint32_t run, uint32_t stream)
{
    struct window w;
    window_init(&w);
    w.run = run;
    w.stream = stream;
    w.kind = a->due_ns != NS_UNKNOWN ? WINDOW_TIMER : WINDOW_WAKEUP;
    w.tid = a->tid;
    w.prio = a->prio;
    w.comm = a->comm;
    w.cpu = a->cpu;
    w.begin_ns = activation_begin_ns(a);
    w.end_ns = activation_end_ns(a);
    w.a = *a;
    return w;
}

static void sift_up(struct window_heap *h, size_t i)
{
    while (i && window_length_ns(&h->items[i]) < window_length_ns(&h->items[(i - 1) / 2])) {
        struct window w = h->items[i];
        h->items[i] = h->items[(i - 1) / 2];
        h->items[(i - 1) / 2] = w;
        i = (i - 1) / 2;
    }
}

static void sift_down(struct window_heap *h)
{
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < h->n; k++)
            if (window_length_ns(&h->items[k]) < window_length_ns(&h->items[least]))
                least = k;
        if (least == i)
            return;
        struct window w = h->items[i];
        h->items[i] = h->items[least];
        h->items[least] = w;
        i = least;
    }
}

void window_heap_offer(struct window_heap *heap, const struct window *window)
{
    if (heap->n < heap->limit) {
        memory_reserve(heap->items, heap->capacity, heap->n + 1);
        heap->items[heap->n] = *window;
        sift_up(heap, heap->n++);
    } else if (heap->n && window_length_ns(window) > window_length_ns(&heap->items[0])) {
        heap->items[0] = *window;
        sift_down(heap);
    }
}

static inline bool heap_wants(const struct window_heap *heap, int64_t length_ns)
{
    return heap->n < heap->limit || (heap->n && length_ns > window_length_ns(&heap->items[0]));
}

bool selection_is_long_enough(struct selection *s, int64_t length_ns, int32_t tid, int32_t cpu, const char *comm)
{
    if (length_ns > LATENCY_LIMIT_NS)
        return false;
    if (s->options->threshold_ns == NS_UNKNOWN || length_ns >= s->options->threshold_ns)
        return true;
    if (length_ns > s->largest_below.ns) {
        s->largest_below.ns = length_ns;
        s->largest_below.tid = tid;
        s->largest_below.cpu = cpu;
        s->largest_below.comm = comm;
    }
    return false;
}

static uint64_t next_random(struct selection *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

const struct reservoir *selection_reservoir(const struct selection *selection, int32_t tid, uint32_t stream)
{
    for (size_t i = 0; i < selection->n_reservoirs; i++)
        if (selection->reservoirs[i].tid == tid && selection->reservoirs[i].stream == stream)
            return &selection->reservoirs[i];
    return NULL;
}

static void sample(struct selection *s, const struct activation *a)
{
    struct reservoir *r = (struct reservoir *)(uintptr_t)selection_reservoir(s, a->tid, s->stream);
    if (!r) {
        if (s->n_reservoirs == MAX_RESERVOIRS)
            return;
        memory_reserve(s->reservoirs, s->reservoirs_capacity, s->n_reservoirs + 1);
        r = &s->reservoirs[s->n_reservoirs++];
        *r = (struct reservoir){.tid = a->tid, .stream = s->stream};
    }
    r->n_seen++;
    if (r->n < RESERVOIR) {
        r->items[r->n++] = *a;
        return;
    }
    uint64_t k = next_random(s) % r->n_seen;
    if (k < RESERVOIR)
        r->items[k] = *a;
}

static enum thread_class class_of(const struct selection *s, const struct activation *a)
{
    if (s->options->task)
        return task_matches(s->options->task, store_string(s->store, a->comm), a->tid) ? CLASS_NAMED : N_CLASSES;
    unsigned word = word_class(s->words, a->comm);
    if (word & WORD_MEASURING)
        return prio_is_realtime(a->prio) ? CLASS_TOOL : CLASS_TOOL_FAIR;
    if (!prio_is_realtime(a->prio))
        return N_CLASSES;
    return word & WORD_KERNEL_THREAD ? CLASS_KERNEL : CLASS_USER;
}

static void offer_blocked(struct selection *s, enum thread_class class, const struct activation *a)
{
    bool for_lock = a->lock_ns != NS_UNKNOWN && !a->waker_in_irq && a->waker_tid > 0;
    bool for_lower = !a->waker_in_irq && a->waker_tid > 0 && a->waker_prio != PRIO_UNKNOWN && a->waker_prio > a->prio;
    if (a->slept_ns == NS_UNKNOWN || !prio_is_realtime(a->prio) || (!for_lower && !for_lock && !a->is_fault))
        return;
    if (!heap_wants(&s->blocked[class], a->switch_ns - a->slept_ns))
        return;
    struct window w = window_of_activation(a, s->run, s->stream);
    w.kind = WINDOW_BLOCKED;
    w.begin_ns = a->slept_ns;
    w.end_ns = a->switch_ns;
    w.owner_tid = a->waker_tid;
    window_heap_offer(&s->blocked[class], &w);
}

static void on_activation(void *context, const struct activation *a)
{
    struct selection *s = context;
    for (size_t i = 0; i < s->n_marks; i++) {
        const struct claim *c = &s->store->claims[s->marks[i].claim];
        if (c->tid == a->tid && c->time_ns != NS_UNKNOWN && a->switch_ns <= c->time_ns && s->marks[i].stream == s->stream)
            s->marks[i].a = *a;
    }
    enum thread_class class = class_of(s, a);
    if (class == N_CLASSES)
        return;
    s->n_of_class[class]++;
    if (!a->is_relax)
        sample(s, a);
    bool inherits = activation_inherits(a);
    int64_t begin_ns = inherits ? a->origin_ns : activation_begin_ns(a), length = activation_end_ns(a) - begin_ns;
    if (s->options->has_cpus && !cpuset_has(&s->options->cpus, a->cpu))
        return;
    if (heap_wants(&s->heaps[class], length) &&
        selection_is_long_enough(s, length, a->tid, a->cpu, store_string(s->store, a->comm))) {
        struct window w = window_of_activation(a, s->run, s->stream);
        w.begin_ns = begin_ns;
        w.is_inherited = inherits;
        window_heap_offer(&s->heaps[class], &w);
    }
    offer_blocked(s, class, a);
}

/* What the end of the trace tells of its begin: some wakings across CPUs cannot be joined with their switches. */
static void drop_distrusted(struct selection *s, struct activations *activations)
{
    struct clock_doubt doubt = activations_doubt(activations);
    if (doubt.n)
        s->doubt = doubt;
    for (size_t class = 0; class < 2 * N_CLASSES; class++) {
        struct window_heap *h = class < N_CLASSES ? &s->heaps[class] : &s->blocked[class - N_CLASSES], kept = {.limit = h->limit};
        for (size_t i = 0; i < h->n; i++)
            if (h->items[i].stream != s->stream || activations_trusts(activations, &h->items[i].a))
                window_heap_offer(&kept, &h->items[i]);
        free(h->items);
        *h = kept;
    }
    for (size_t i = 0; i < s->n_marks; i++)
        if (s->marks[i].stream == s->stream && s->marks[i].a.tid != TID_UNKNOWN && !activations_trusts(activations, &s->marks[i].a))
            s->marks[i].a.tid = TID_UNKNOWN;
    for (size_t i = 0; i < s->n_reservoirs; i++) {
        struct reservoir *r = &s->reservoirs[i];
        size_t n = 0;
        if (r->stream != s->stream)
            continue;
        for (size_t k = 0; k < r->n; k++)
            if (activations_trusts(activations, &r->items[k]))
                r->items[n++] = r->items[k];
        r->n = n;
    }
}

static void apply_handlers(void *context, const struct event_view *view, size_t first, size_t end)
{
    struct selection *s = context;
    handlers_apply(&s->handlers, view, first, end);
}

/* One pass over [from, to] of a stream. */
static enum status pass(struct selection *s, int64_t from_ns, int64_t to_ns, struct error *error)
{
    struct activations_config config = {.store = s->store,
                                        .words = s->words,
                                        .run = s->run,
                                        .stream = s->stream,
                                        .trace_clock = s->store->streams[s->stream].clock,
                                        .task = s->options->task,
                                        .handler = on_activation,
                                        .context = s};
    struct event_merge *merge = event_merge_new(s->store, s->run, s->stream, from_ns, to_ns, error);
    if (!merge)
        return FAILED;
    struct activations *activations = activations_new(&config);
    int32_t n_cpus = sweep_count_cpus(s->store, s->run);
    for (int32_t cpu = 0; from_ns != INT64_MIN && cpu < n_cpus; cpu++) {
        const struct cpu_state *state = event_merge_state(merge, cpu);
        if (state)
            activations_start_cpu(activations, cpu, state);
    }
    struct event_ref refs[256];
    int64_t last_ns = event_merge_time_ns(merge);
    if (last_ns != NS_UNKNOWN) {
        handlers_begin(&s->handlers, last_ns);
        event_merge_each_stretch(merge, apply_handlers, s);
    }
    for (size_t n; (n = event_merge_take(merge, refs, sizeof refs / sizeof *refs)) > 0; s->n_events += n) {
        activations_apply(activations, refs, n);
        last_ns = event_time_ns(&refs[n - 1]);
    }
    if (last_ns != NS_UNKNOWN)
        handlers_end(&s->handlers, last_ns);
    activations_finish(activations);
    drop_distrusted(s, activations);
    activations_free(activations);
    enum status status = event_merge_status(merge);
    event_merge_free(merge);
    return status;
}

/* A capture's table of outliers says the same as its marks in the trace, and more. */
static bool is_said_by_sample(const struct store *store, const struct claim *mark)
{
    for (size_t i = 0; i < store->n_claims && store->n_claims < 10000; i++) {
        const struct claim *c = &store->claims[i];
        if (c->kind == CLAIM_SAMPLE && c->run == mark->run && c->tid == mark->tid && c->latency_ns == mark->latency_ns)
            return true;
    }
    return false;
}

static bool claim_is_wanted(struct selection *s, const struct claim *c)
{
    const struct analysis_options *o = s->options;
    if (c->run != s->run || (c->kind == CLAIM_MARK && is_said_by_sample(s->store, c)))
        return false;
    const char *comm = c->comm || c->tid == TID_UNKNOWN ? c->comm : store_task_comm(s->store, c->run, c->tid);
    if (o->task && !task_matches(o->task, comm, c->tid))
        return false;
    if (o->has_cpus && c->cpu >= 0 && !cpuset_has(&o->cpus, c->cpu))
        return false;
    return selection_is_long_enough(s, c->latency_ns, c->tid, c->cpu, comm);
}

static void add_window(struct selection *s, const struct window *w)
{
    if (w->begin_ns != NS_UNKNOWN && window_length_ns(w) > LATENCY_LIMIT_NS)
        return;
    memory_reserve(s->windows, s->windows_capacity, s->n_windows + 1);
    s->windows[s->n_windows++] = *w;
}

/* How far before a mark its story begins: the sleep before, and enough typical cycles. */
static int64_t lookback_of(const struct store *store, const struct claim *c)
{
    int64_t latency = c->latency_ns != NS_UNKNOWN ? c->latency_ns : 0;
    int64_t interval = c->series != ROW_NONE && store->series[c->series].interval_ns > 0 ? store->series[c->series].interval_ns : 0;
    int64_t back = 3 * latency + 20 * interval;
    return back < 200000000 ? 200000000 : back;
}

static enum status pass_stream(struct selection *s, uint32_t stream, struct error *error)
{
    s->stream = stream;
    bool around_marks = s->n_marks && s->store->n_events > WHOLE_PASS_EVENTS;
    if (!around_marks)
        return pass(s, INT64_MIN, INT64_MAX, error);
    s->is_whole = false;
    for (size_t i = 0; i < s->n_marks; i++) {
        const struct claim *c = &s->store->claims[s->marks[i].claim];
        if (s->marks[i].stream != stream || c->time_ns == NS_UNKNOWN)
            continue;
        int64_t latency = c->latency_ns != NS_UNKNOWN ? c->latency_ns : 0;
        if (pass(s, c->time_ns - latency - lookback_of(s->store, c), c->time_ns + 1000000, error) == FAILED)
            return FAILED;
    }
    return OK;
}

static bool is_marked(const struct claim *c)
{
    return c->kind == CLAIM_MARK || c->kind == CLAIM_SAMPLE;
}

/* The kernel's log holds all since boot: asked only where nothing else tells of a late instance. */
static bool run_has_nothing_else(const struct selection *s)
{
    for (size_t i = 0; i < s->store->n_series; i++)
        if (s->store->series[i].run == s->run)
            return false;
    return s->n_windows == 0;
}

/* The stream whose events show a claim: its own, or one whose clock and span hold its time. */
static uint32_t stream_of(const struct selection *s, const struct claim *c)
{
    if (c->stream != ROW_NONE && !stream_has_times(&s->store->streams[c->stream]))
        return ROW_NONE;
    if (c->stream != ROW_NONE || c->time_ns == NS_UNKNOWN)
        return c->stream;
    uint32_t near = ROW_NONE;
    for (uint32_t i = 0; i < s->store->n_streams; i++) {
        const struct stream *t = &s->store->streams[i];
        if (t->run != s->run || !t->n_events || !t->clock || strcmp(t->clock, "mono") != 0 || c->time_ns < t->begin_ns)
            continue;
        if (c->time_ns <= t->end_ns)
            return i;
        /* A mark may be written a little after the trace's last event; a sample with its own span is in it or not. */
        if (c->end_ns == NS_UNKNOWN && c->time_ns <= t->end_ns + 1000000000 && near == ROW_NONE)
            near = i;
    }
    return near;
}

static int by_claim_latency(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    return x->latency_ns > y->latency_ns ? -1 : x->latency_ns < y->latency_ns ? 1 : x->claim < y->claim ? -1 : x->claim > y->claim;
}

/* Marks; without any, the samples that tools print, the worst of them. */
static void find_marks(struct selection *s, enum claim_kind kind)
{
    size_t capacity = 0;
    for (uint32_t i = 0; i < s->store->n_claims; i++) {
        const struct claim *c = &s->store->claims[i];
        if (c->kind != kind || !claim_is_wanted(s, c) || (kind == CLAIM_SAMPLE && c->latency_ns == NS_UNKNOWN))
            continue;
        memory_reserve(s->marks, capacity, s->n_marks + 1);
        s->marks[s->n_marks] = (struct mark){.claim = i, .stream = stream_of(s, c), .latency_ns = c->latency_ns};
        s->marks[s->n_marks++].a.tid = TID_UNKNOWN;
    }
    if (s->n_marks)
        memory_sort(s->marks, s->n_marks, sizeof *s->marks, by_claim_latency);
    size_t limit = s->options->top < 1000 ? s->options->top : 1000;
    if (s->n_marks > limit)
        s->n_marks = limit;
}

static bool has_first_class(struct selection *s)
{
    for (uint32_t i = 0; i < s->store->n_claims; i++)
        if (s->store->claims[i].kind != CLAIM_SAMPLE && s->store->claims[i].kind != CLAIM_LOG && claim_is_wanted(s, &s->store->claims[i]))
            return true;
    return false;
}

/* NS_UNKNOWN: there is no such time. */
static int64_t time_before_ns(int64_t time_ns, int64_t length_ns)
{
    int64_t before_ns;
    return time_ns == NS_UNKNOWN || __builtin_sub_overflow(time_ns, length_ns, &before_ns) ? NS_UNKNOWN : before_ns;
}

/* Where a window lies is known by both of its ends or not at all. */
static void window_set_span(struct window *w, int64_t begin_ns, int64_t end_ns)
{
    int64_t length_ns;
    bool is_span = begin_ns != NS_UNKNOWN && end_ns != NS_UNKNOWN && !__builtin_sub_overflow(end_ns, begin_ns, &length_ns) && length_ns >= 0;
    w->begin_ns = is_span ? begin_ns : NS_UNKNOWN;
    w->end_ns = is_span ? end_ns : NS_UNKNOWN;
}

/* "blocked 25012 us" is no late wakeup but a wait from the switch out: the mark's value tells which it means. */
static enum status window_of_mark(struct selection *s, const struct mark *m, const struct claim *c, struct window *w, struct error *error)
{
    *w = window_of_activation(&m->a, s->run, m->stream);
    if (c->latency_ns == NS_UNKNOWN)
        return OK;
    if (m->a.is_head) { /* the co-kernel may fire before the due time that the tool counts from */
        w->kind = WINDOW_TIMER;
        window_set_span(w, time_before_ns(c->time_ns, c->latency_ns), c->time_ns);
        w->a.due_ns = w->a.hard_due_ns = w->begin_ns;
        return OK;
    }
    int64_t wait = m->a.slept_ns == NS_UNKNOWN ? 0 : m->a.switch_ns - m->a.slept_ns;
    if (2 * window_length_ns(w) < c->latency_ns && llabs(wait - c->latency_ns) < c->latency_ns / 4 && m->a.waker_tid > 0 &&
        !m->a.waker_in_irq) {
        bool is_inversion;
        w->kind = WINDOW_BLOCKED;
        w->begin_ns = m->a.slept_ns;
        w->end_ns = m->a.switch_ns;
        w->owner_tid = m->a.waker_tid;
        w->cpu = m->a.waking_cpu;
        return blocked_check(s->store, w, &is_inversion, error);
    }
    /* Without a due time the mark's own value tells when it was. */
    int64_t taken_ns = m->a.user_ns != NS_UNKNOWN ? m->a.user_ns : c->time_ns;
    int64_t begin_ns = time_before_ns(taken_ns, c->latency_ns);
    if (w->kind == WINDOW_WAKEUP && begin_ns != NS_UNKNOWN && begin_ns < w->begin_ns) {
        w->begin_ns = begin_ns;
        w->a.due_ns = w->a.hard_due_ns = w->begin_ns;
        w->kind = WINDOW_TIMER;
    }
    return OK;
}

static enum status add_mark_windows(struct selection *s, struct error *error)
{
    for (size_t i = 0; i < s->n_marks; i++) {
        const struct mark *m = &s->marks[i];
        const struct claim *c = &s->store->claims[m->claim];
        struct window w;
        if (m->a.tid != TID_UNKNOWN) {
            if (window_of_mark(s, m, c, &w, error) == FAILED)
                return FAILED;
        } else {
            window_init(&w);
            w.run = s->run;
            w.stream = m->stream;
            w.kind = WINDOW_TIMER;
            w.tid = c->tid;
            w.comm_text = c->comm;
            w.cpu = c->cpu;
            w.prio = c->rt_priority > 0 ? 99 - c->rt_priority : PRIO_UNKNOWN;
            bool has_times = c->stream == ROW_NONE || stream_has_times(&s->store->streams[c->stream]);
            if (c->time_ns != NS_UNKNOWN && c->latency_ns != NS_UNKNOWN && has_times) {
                int64_t switch_ns;
                int64_t end_ns = mark_taken_ns(s->store, s->run, m->stream, c, &switch_ns);
                window_set_span(&w, time_before_ns(end_ns, c->latency_ns), end_ns);
            }
        }
        w.claim = m->claim;
        w.reported_ns = c->latency_ns;
        if (!w.comm_text)
            w.comm_text = c->comm;
        add_window(s, &w);
    }
    return OK;
}

static enum status add_class_windows(struct selection *s, struct error *error)
{
    for (size_t class = 0; class < N_CLASSES; class++) {
        struct window_heap *h = &s->heaps[class], *b = &s->blocked[class];
        for (size_t i = 0; i < h->n; i++)
            add_window(s, &h->items[i]);
        for (size_t i = 0; i < b->n; i++) {
            bool is_inversion = false;
            if (blocked_check(s->store, &b->items[i], &is_inversion, error) == FAILED)
                return FAILED;
            is_inversion |= b->items[i].a.lock_ns != NS_UNKNOWN || b->items[i].a.is_fault;
            bool long_enough = s->options->threshold_ns == NS_UNKNOWN || window_length_ns(&b->items[i]) >= s->options->threshold_ns;
            if (is_inversion && long_enough)
                add_window(s, &b->items[i]);
        }
        if (s->n_windows) {
            s->class = (enum thread_class)class;
            break;
        }
    }
    return OK;
}

/* Claims without an activation behind them: headers, freezes, reports, console lines; or those of the kernel's log. */
static void add_claim_windows(struct selection *s, bool of_log)
{
    for (uint32_t i = 0; i < s->store->n_claims; i++) {
        const struct claim *c = &s->store->claims[i];
        if (!claim_is_wanted(s, c) || is_marked(c) || (c->kind == CLAIM_LOG) != of_log)
            continue;
        struct window w;
        window_init(&w);
        w.run = s->run;
        w.stream = c->stream;
        w.claim = i;
        w.tid = c->tid;
        w.comm_text = c->comm;
        w.cpu = c->cpu;
        w.prio = c->rt_priority > 0 && c->rt_priority < 100 ? 99 - c->rt_priority : PRIO_UNKNOWN;
        w.kind = c->section == SECTION_WAKEUP ? WINDOW_WAKEUP
                 : c->section == SECTION_TIMER_IRQ || c->section == SECTION_TIMER_THREAD ? WINDOW_TIMER
                                                                                         : WINDOW_SECTION;
        window_set_span(&w, c->begin_ns, c->end_ns);
        w.reported_ns = c->latency_ns;
        add_window(s, &w);
    }
}

static int by_length(const void *a, const void *b)
{
    int64_t x = window_length_ns(a), y = window_length_ns(b);
    const struct window *v = a, *w = b;
    if (x != y)
        return x > y ? -1 : 1;
    return v->begin_ns < w->begin_ns ? -1 : v->begin_ns > w->begin_ns;
}

enum status selection_make(struct selection *s, const struct store *store, const struct analysis_options *options,
                           struct word_classes *words, uint32_t run, struct error *error)
{
    *s = (struct selection){.store = store, .options = options, .words = words, .run = run, .stream = ROW_NONE, .is_whole = true, .class = N_CLASSES,
                            .random = options->seed * 0x9e3779b97f4a7c15u | 1};
    handlers_init(&s->handlers);
    for (size_t i = 0; i < N_CLASSES; i++) {
        s->heaps[i].limit = options->top < MAX_WINDOWS ? options->top : MAX_WINDOWS;
        s->blocked[i].limit = MAX_BLOCKED;
    }
    find_marks(s, CLAIM_MARK);
    if (!has_first_class(s))
        find_marks(s, CLAIM_SAMPLE);
    for (uint32_t i = 0; i < store->n_streams; i++)
        if (store->streams[i].run == run && store->streams[i].n_events && !store->streams[i].clock_is_relative &&
            stream_has_times(&store->streams[i]) && pass_stream(s, i, error) == FAILED)
            return FAILED;
    if (add_mark_windows(s, error) == FAILED)
        return FAILED;
    add_claim_windows(s, false);
    if (!s->n_windows && add_class_windows(s, error) == FAILED)
        return FAILED;
    if (!s->n_windows && selection_add_sections(s, error) == FAILED)
        return FAILED;
    if (run_has_nothing_else(s))
        add_claim_windows(s, true);
    if (s->n_windows)
        memory_sort(s->windows, s->n_windows, sizeof *s->windows, by_length);
    return OK;
}

void selection_release(struct selection *s)
{
    for (size_t i = 0; i < N_CLASSES; i++) {
        free(s->heaps[i].items);
        free(s->blocked[i].items);
    }
    free(s->marks);
    free(s->reservoirs);
    free(s->windows);
    handlers_release(&s->handlers);
    *s = (struct selection){0};
}
