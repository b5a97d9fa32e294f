/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A frozen I-pipe path: the way of a Cobalt thread from its due time to the freeze, function by function.
 *
 *     due ─ (Linux with hard interrupts off) ─ clock interrupt ─ tick ─ thread resumed ─ (a higher thread) ─ switch ─ freeze
 *
 * The freeze's value says how long that was. Points name threads where the scheduler looks at them: at a resume, and
 * before and after a switch.
 */
#include "analyzers/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONG_SPIN_NS 10000 /* a lock that was free is taken faster */

struct point {
    int64_t time_ns;
    const char *function; /* or NULL */
    uint32_t name;
    uint32_t flags;
    uint32_t chunk, i;
    int32_t cpu;
    int32_t task, prio; /* of a row that names a thread; TID_UNKNOWN */
};

struct freeze {
    const struct cause_input *input;
    size_t n, capacity;
    struct point *points;
    size_t entry, tick, switched; /* indices; n: not there */
    int32_t tid;                  /* the thread that the freeze was about */
    int32_t before_tid, before_prio; /* who ran until the switch to it */
    uint32_t flags_known;
};

static int function_word(unsigned kind)
{
    switch (kind) {
    case KIND_IPIPE_FUNCTION: return 0;
    case KIND_IPIPE_BEGIN:
    case KIND_IPIPE_END:
    case KIND_IPIPE_FREEZE: return 2;
    case KIND_IPIPE_EVENT:
    case KIND_IPIPE_SPECIAL:
    case KIND_IPIPE_TASK: return 3;
    default: return -1;
    }
}

static void read_points(struct freeze *f)
{
    const struct window *w = f->input->window;
    struct event_merge *merge = event_merge_new(f->input->store, w->run, w->stream, INT64_MIN, w->end_ns, NULL);
    struct event_ref ref;
    while (merge && event_merge_next(merge, &ref)) {
        unsigned kind = ref.view->kind[ref.i];
        int word = function_word(kind);
        int64_t time_ns = event_time_ns(&ref);
        if (word < 0 || time_ns >= w->end_ns || (w->cpu != CPU_UNKNOWN && ref.cpu != w->cpu))
            continue;
        const uint32_t *words = event_words(&ref);
        memory_reserve(f->points, f->capacity, f->n + 1);
        f->points[f->n++] = (struct point){.time_ns = time_ns, .function = store_string(f->input->store, words[word]), .name = words[word],
                                           .flags = ref.view->flags[ref.i], .chunk = ref.chunk, .i = ref.i, .cpu = ref.cpu,
                                           .task = kind == KIND_IPIPE_TASK ? (int32_t)words[1] : TID_UNKNOWN,
                                           .prio = kind == KIND_IPIPE_TASK ? (int32_t)words[2] : PRIO_UNKNOWN};
        f->flags_known = ref.view->flags_known;
    }
    if (merge)
        event_merge_free(merge);
}

static bool contains_any(const char *text, const char *const *words)
{
    for (; text && *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

static bool is_tick(const char *function)
{
    static const char *const words[] = {"xnclock_tick", "clock_handler", "xntimer_tick", "xnintr_clock", NULL};
    return contains_any(function, words);
}

static bool is_of_interrupt(const char *function)
{
    static const char *const words[] = {"irq", "gic_", "ipipe", "itimer_ack", "apic", NULL};
    return contains_any(function, words);
}

static bool spins(const char *function)
{
    static const char *const words[] = {"xnlock_get", "spin_lock", "xnlock_spin", NULL};
    return contains_any(function, words);
}

static bool names_switch(const struct point *p)
{
    return p->task != TID_UNKNOWN && p->function && strstr(p->function, "sched");
}

static void find_stages(struct freeze *f)
{
    const struct window *w = f->input->window;
    f->entry = f->tick = f->switched = f->n;
    f->tid = f->before_tid = TID_UNKNOWN;
    for (size_t i = f->n; i-- > 0 && f->switched == f->n;) /* the last thread that was switched to ran up to the freeze */
        if (names_switch(&f->points[i]) && f->points[i].prio >= 0) {
            f->switched = i;
            f->tid = f->points[i].task;
        }
    for (size_t i = f->switched; f->switched < f->n && i-- > 0;)
        if (names_switch(&f->points[i])) {
            f->before_tid = f->points[i].task;
            f->before_prio = f->points[i].prio;
            break;
        }
    for (size_t i = 0; i < f->switched && f->tick == f->n; i++)
        if (is_tick(f->points[i].function) && (i + 1 == f->n || f->points[i + 1].time_ns > w->begin_ns))
            f->tick = i;
    if (f->tick == f->n)
        return;
    f->entry = f->tick;
    while (f->entry > 0 && f->points[f->entry - 1].flags & FLAG_HARD_IRQS_OFF && is_of_interrupt(f->points[f->entry - 1].function))
        f->entry--;
}

static enum slice_kind kind_of(const struct freeze *f, size_t i, struct subject *subject)
{
    const struct point *p = &f->points[i];
    if (i >= f->switched || f->tick == f->n)
        return SLICE_SCHED;
    if (i < f->entry)
        return p->flags & FLAG_HARD_IRQS_OFF ? SLICE_IRQS_OFF : SLICE_TIMER_LATE;
    /* After the tick the thread is ready: who else is there runs instead of it. */
    if (f->before_tid > 0 && f->before_prio >= 0 && f->before_tid != f->tid && !is_tick(p->function)) {
        int32_t own = prio_of_head(f->points[f->switched].prio), other = prio_of_head(f->before_prio);
        *subject = (struct subject){.number = -1, .tid = f->before_tid, .prio = other};
        return other < own ? SLICE_TASK_HIGHER : other == own ? SLICE_TASK_SAME : SLICE_TASK_LOWER;
    }
    return SLICE_SCHED;
}

static void make_pieces(struct freeze *f)
{
    const struct window *w = f->input->window;
    struct sweep *sweep = f->input->sweep;
    sweep->n_pieces = 0;
    int64_t at = w->begin_ns;
    for (size_t i = 0; i < f->n; i++) {
        const struct point *p = &f->points[i];
        int64_t from = p->time_ns > w->begin_ns ? p->time_ns : w->begin_ns, to = i + 1 < f->n ? f->points[i + 1].time_ns : w->end_ns;
        if (to <= from)
            continue;
        memory_reserve(sweep->pieces, sweep->pieces_capacity, sweep->n_pieces + 2);
        if (from > at)
            sweep->pieces[sweep->n_pieces++] = (struct piece){.begin_ns = at, .end_ns = from, .cpu = p->cpu, .kind = SLICE_UNEXPLAINED, .phase = PHASE_SECTION,
                                                              .subject = {.number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN},
                                                              .first_chunk = UINT32_MAX, .last_chunk = UINT32_MAX};
        struct subject subject = {.number = -1, .name = p->name, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
        struct piece piece = {.begin_ns = from, .end_ns = to, .cpu = p->cpu, .phase = i >= f->switched ? PHASE_RUNNING : PHASE_WAITING, .first_chunk = p->chunk,
                              .first_i = p->i, .last_chunk = i + 1 < f->n ? f->points[i + 1].chunk : UINT32_MAX,
                              .last_i = i + 1 < f->n ? f->points[i + 1].i : 0, .n_runs = 1};
        piece.kind = kind_of(f, i, &subject);
        piece.subject = subject;
        sweep->pieces[sweep->n_pieces++] = piece;
        at = to;
    }
}

/* The function where most of a kind's time passed, with its caller left out. */
static const char *longest_function(const struct freeze *f, enum slice_kind kind, int64_t *ns)
{
    const char *best = NULL;
    *ns = 0;
    for (size_t i = 0; i < f->input->sweep->n_pieces; i++) {
        const struct piece *p = &f->input->sweep->pieces[i];
        if (p->kind == kind && p->end_ns - p->begin_ns > *ns) {
            *ns = p->end_ns - p->begin_ns;
            best = store_string(f->input->store, p->subject.name);
        }
    }
    return best;
}

static double overhead_ns(const struct cause_input *input)
{
    const struct fact *fact = store_fact(input->store, input->window->run, "ipipe.trace_overhead_ns");
    return fact && fact->value ? fmax(0, strtod(fact->value, NULL)) : 0;
}

static void offer(struct decision *decision, struct candidate c)
{
    if (c.amount_ns <= 0)
        return;
    c.excess_ns = c.amount_ns;
    if (c.amount_ns > decision->best.amount_ns) {
        if (decision->best.amount_ns && decision->n_others < 4)
            decision->others[decision->n_others++] = decision->best;
        decision->best = c;
    } else if (decision->n_others < 4) {
        decision->others[decision->n_others++] = c;
    }
}

static void decide(struct freeze *f, struct decision *decision)
{
    const struct cause_input *input = f->input;
    const struct window *w = input->window;
    int64_t sums[N_SLICE_KINDS] = {0}, spin_ns = 0, longest_spin_ns = 0, longest;
    size_t n_path = 0, n_spins = 0;
    const char *spin = NULL;
    for (size_t i = 0; i < input->sweep->n_pieces; i++) {
        struct piece *p = &input->sweep->pieces[i];
        int64_t ns = p->end_ns - p->begin_ns;
        const char *function = store_string(input->store, p->subject.name);
        if (p->kind != SLICE_UNEXPLAINED && ns > LONG_SPIN_NS && spins(function)) {
            p->kind = SLICE_LOCK_WAIT;
            spin_ns += ns;
            spin = ns > longest_spin_ns ? function : spin;
            longest_spin_ns = ns > longest_spin_ns ? ns : longest_spin_ns;
            n_spins++;
        } else {
            sums[p->kind] += ns;
            n_path += p->kind == SLICE_SCHED;
        }
    }
    offer(decision, (struct candidate){.cause = CAUSE_LOCK_CONTENTION, .confidence = n_spins >= 2 ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
                                       .why = "spun-for-lock", .amount_ns = spin_ns,
                                       .culprit = spin ? arena_format(input->arena, "%s spun", spin) : NULL});
    const char *function = longest_function(f, SLICE_IRQS_OFF, &longest);
    offer(decision, (struct candidate){.cause = CAUSE_IRQS_OFF, .confidence = CONFIDENCE_PROVEN, .why = "hard-irqs-off", .culprit = function,
                                       .amount_ns = sums[SLICE_IRQS_OFF]});
    static const struct {
        enum slice_kind kind;
        enum cause cause;
    } tasks[] = {{SLICE_TASK_HIGHER, CAUSE_HIGHER_PRIORITY_TASK}, {SLICE_TASK_SAME, CAUSE_SAME_PRIORITY_TASK}, {SLICE_TASK_LOWER, CAUSE_LOWER_PRIORITY_TASK}};
    for (size_t i = 0; i < 3; i++) {
        struct subject subject = {.number = -1, .tid = f->before_tid, .prio = prio_of_head(f->before_prio)};
        offer(decision, (struct candidate){.cause = tasks[i].cause, .confidence = i < 2 ? CONFIDENCE_PROVEN : CONFIDENCE_POSSIBLE, .why = "ran-instead",
                                           .culprit = task_format(input, &subject), .amount_ns = sums[tasks[i].kind]});
    }
    function = longest_function(f, SLICE_SCHED, &longest);
    bool is_one_step = 2 * longest > window_length_ns(w);
    double tracer_ns = (double)n_path * overhead_ns(input);
    bool is_tracer = !is_one_step && 2 * tracer_ns > (double)sums[SLICE_SCHED];
    offer(decision, (struct candidate){.cause = is_one_step ? CAUSE_UNEXPLAINED : is_tracer ? CAUSE_TRACING_OVERHEAD : CAUSE_KERNEL_PATH,
                                       .confidence = is_one_step ? CONFIDENCE_UNKNOWN : is_tracer ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
                                       .why = is_one_step ? "no-record" : is_tracer ? "points-times-overhead" : "own-path", .amount_ns = sums[SLICE_SCHED],
                                       .culprit = is_one_step ? function
                                                  : is_tracer ? arena_format(input->arena, "%zu trace points", n_path)
                                                              : "timer interrupt and wakeup"});
    function = longest_function(f, SLICE_TIMER_LATE, &longest);
    offer(decision, (struct candidate){.cause = CAUSE_UNEXPLAINED, .confidence = CONFIDENCE_UNKNOWN, .why = "no-record", .culprit = function,
                                       .amount_ns = sums[SLICE_TIMER_LATE] + sums[SLICE_UNEXPLAINED]});
    decision->unexplained_ns = sums[SLICE_UNEXPLAINED];
    if (2 * decision->best.amount_ns < window_length_ns(w) && decision->best.confidence > CONFIDENCE_POSSIBLE)
        decision->best.confidence = CONFIDENCE_POSSIBLE;
}

bool ipipe_freeze_decide(const struct cause_input *input, struct decision *decision)
{
    const struct window *w = input->window;
    const char *tracer = w->stream == ROW_NONE ? NULL : input->store->streams[w->stream].tracer;
    if (!tracer || strcmp(tracer, "ipipe") != 0 || w->kind == WINDOW_SECTION)
        return false;
    struct freeze f = {.input = input};
    read_points(&f);
    bool is_recorded = f.n && f.points[0].time_ns < w->end_ns - window_length_ns(w) / 2;
    if (is_recorded) {
        *decision = (struct decision){0};
        find_stages(&f);
        make_pieces(&f);
        decide(&f, decision);
    }
    free(f.points);
    return is_recorded;
}
