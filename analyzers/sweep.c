/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/row_context.h"
#include "analyzers/sweep_private.h"

#include <string.h>

/* Of CPUs beyond those that have events (a wakeup's target may name any) nothing is known: they share the last entry. */
static struct sweep_cpu *cpu_of(struct run_state *r, int32_t cpu)
{
    size_t i = cpu < 0 ? 0 : (size_t)cpu < r->last_cpu ? (size_t)cpu : r->last_cpu;
    if (i >= r->n_cpus)
        r->n_cpus = i + 1;
    return &r->cpus[i];
}

/* One for each CPU that has events, and the one for all others: a pointer to an entry stays good. */
static void init_cpus(struct run_state *r, size_t n)
{
    r->last_cpu = n;
    r->cpus = memory_new((n + 1) * sizeof *r->cpus);
    for (size_t i = 0; i <= n; i++) {
        r->cpus[i] = (struct sweep_cpu){.last_ns = NS_UNKNOWN, .last_chunk = NO_CHUNK, .handler_has_flag = true,
                                        .switched_to = TID_UNKNOWN, .leaving = TID_UNKNOWN, .root = {.tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN}};
        cpu_state_init(&r->cpus[i].state);
    }
}

/* Cuts [at, to) off as a piece of the window's CPU. */
static void cut(struct run_state *r, int64_t to_ns, uint32_t chunk, uint32_t i)
{
    if (to_ns > r->w->end_ns)
        to_ns = r->w->end_ns;
    if (to_ns <= r->at_ns)
        return;
    struct sweep_cpu *c = cpu_of(r, r->cpu);
    struct piece p = {.begin_ns = r->at_ns,
                      .end_ns = to_ns,
                      .cpu = r->cpu,
                      .first_chunk = c->last_chunk,
                      .first_i = c->last_i,
                      .last_chunk = chunk,
                      .last_i = i,
                      .n_runs = 1};
    sweep_classify(r, c, &p);
    struct sweep *s = r->sweep;
    struct piece *last = s->n_pieces ? &s->pieces[s->n_pieces - 1] : NULL;
    r->at_ns = to_ns;
    if (last && last->cpu == p.cpu && last->kind == p.kind && last->phase == p.phase && last->flags == p.flags &&
        last->invocation == p.invocation && last->callback == p.callback && subject_equals(&last->subject, &p.subject)) {
        last->end_ns = p.end_ns;
        last->last_chunk = p.last_chunk;
        last->last_i = p.last_i;
        return;
    }
    memory_reserve(s->pieces, s->pieces_capacity, s->n_pieces + 1);
    s->pieces[s->n_pieces++] = p;
}

static struct holder *holder_of(struct sweep *s, int32_t tid)
{
    for (size_t i = 0; i < s->n_holders; i++)
        if (s->holders[i].tid == tid)
            return &s->holders[i];
    memory_reserve(s->holders, s->holders_capacity, s->n_holders + 1);
    struct holder *h = &s->holders[s->n_holders++];
    *h = (struct holder){.tid = tid, .prio = PRIO_UNKNOWN};
    return h;
}

const struct holder *sweep_holder(const struct sweep *sweep, int32_t tid)
{
    for (size_t i = 0; i < sweep->n_holders; i++)
        if (sweep->holders[i].tid == tid)
            return &sweep->holders[i];
    return NULL;
}

/* Bottom halves off in a task's own row: the preempt count says so in other bits than the depth. */
static bool row_has_bh_off(const struct sweep_cpu *c, unsigned kind, uint32_t flags)
{
    return kind == KIND_FUNCTION && flags & FLAG_SOFTIRQ && !(flags & (FLAG_HARDIRQ | FLAG_NMI)) && !c->serves_softirq;
}

/* Rows whose flags show the state of the task itself: entries of interrupts, and plain rows in task context. */
static bool row_shows_task(const struct sweep_cpu *c, unsigned kind, uint32_t flags)
{
    if (row_has_bh_off(c, kind, flags))
        return !innermost(&c->state, true);
    switch (kind) {
    case KIND_VECTOR_ENTRY:
    case KIND_IRQ_HANDLER_ENTRY:
        return !innermost(&c->state, true);
    case KIND_FUNCTION:
    case KIND_FUNCGRAPH_ENTRY:
    case KIND_OTHER:
    case KIND_SYS_ENTER:
    case KIND_PAGE_FAULT:
    case KIND_PRINT:
        return !(flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI)) && !innermost(&c->state, true);
    default:
        return false;
    }
}

static uint32_t row_function(unsigned kind, const uint32_t *w)
{
    switch (kind) {
    case KIND_FUNCTION:
    case KIND_FUNCGRAPH_ENTRY:
    case KIND_IPIPE_FUNCTION:
        return w[0];
    case KIND_IPIPE_BEGIN:
    case KIND_IPIPE_END:
        return w[2];
    default:
        return 0;
    }
}

static void note_holder(struct run_state *r, struct sweep_cpu *c, const struct event_ref *ref, int64_t t_ns, const uint32_t *w)
{
    unsigned kind = ref->view->kind[ref->i];
    int32_t tid = ref->view->tid[ref->i];
    uint32_t flags = ref->view->flags[ref->i], known = ref->view->flags_known, function = row_function(kind, w);
    struct holder *h = holder_of(r->sweep, tid);
    h->prio = c->state.prio;
    h->comm = c->state.comm;
    if (c->row_function && c->row_tid == tid && t_ns - c->last_ns >= h->longest_ns) {
        h->longest_ns = t_ns - c->last_ns; /* a row's function lasts until the next row */
        h->function = c->row_function;
    }
    /* "preempt_schedule <-X": X turned preemption on just now, so up to here it was off. */
    if (kind == KIND_FUNCTION && c->row_tid == tid && word_class(r->words, function) & WORD_PREEMPTS_NOW) {
        h->enabled_ns += t_ns - c->last_ns;
        if (t_ns - c->last_ns > h->longest_enabled_ns) {
            h->longest_enabled_ns = t_ns - c->last_ns;
            h->enabled_in = w[1];
        }
    }
    if (function) {
        h->n_function_rows++;
        h->n_spin_rows += (word_class(r->words, function) & WORD_POLLING_SPIN) != 0;
        if (!h->function)
            h->function = function;
    }
    if (!row_shows_task(c, kind, flags))
        return;
    h->n_samples++;
    h->n_doubtful += (flags & FLAG_DOUBTFUL) != 0;
    if (known & FLAG_PREEMPT_DEPTH) {
        if (flags_preempt_depth(flags) || row_has_bh_off(c, kind, flags))
            h->n_depth_positive++;
        else
            h->n_depth_zero++;
    }
    if (known & FLAG_NEED_RESCHED) {
        h->n_resched_samples++;
        if (flags & FLAG_NEED_RESCHED)
            h->n_resched++;
        else if (known & FLAG_NEED_RESCHED_LAZY && flags & FLAG_NEED_RESCHED_LAZY)
            h->n_lazy_only++;
        else
            h->n_no_resched++;
    }
}

/* Timer callbacks and remote function calls within handlers: not part of cpu_state. */
static void apply_callback(struct sweep_cpu *c, unsigned kind, const uint32_t *w)
{
    if (kind == KIND_HRTIMER_EXPIRE_ENTRY || kind == KIND_CSD_FUNCTION_ENTRY || kind == KIND_TIMER_EXPIRE_ENTRY)
        c->callback_depth = handlers_open(&c->state);
    switch (kind) {
    case KIND_HRTIMER_EXPIRE_ENTRY:
        c->in_callback = true;
        c->n_callbacks++;
        c->callback_is_csd = false;
        c->timer = (uint64_t)event_words_i64(w);
        c->callback = w[2];
        break;
    case KIND_CSD_FUNCTION_ENTRY:
        c->in_callback = c->callback_is_csd = true;
        c->n_callbacks++;
        c->timer = 0;
        c->callback = w[0];
        break;
    case KIND_TIMER_EXPIRE_ENTRY:
        c->in_callback = true;
        c->n_callbacks++;
        c->callback_is_csd = false;
        c->timer = 0;
        c->callback = w[2];
        break;
    case KIND_HRTIMER_EXPIRE_EXIT:
    case KIND_CSD_FUNCTION_EXIT:
    case KIND_TIMER_EXPIRE_EXIT:
    case KIND_SCHED_SWITCH:
        c->in_callback = false;
        c->callback = 0;
        break;
    case KIND_VECTOR_ENTRY:
    case KIND_IRQ_HANDLER_ENTRY:
    case KIND_SOFTIRQ_ENTRY:
    case KIND_COBALT_IRQ_ENTRY:
    case KIND_COBALT_CLOCK_ENTRY:
        c->invocation++;
        break;
    case KIND_VECTOR_EXIT:
    case KIND_IRQ_HANDLER_EXIT:
        if (!innermost(&c->state, true)) {
            c->in_callback = false;
            c->callback = 0;
        }
        break;
    default:
        break;
    }
}

/*
 * A task whose priority at its switch out is not the one it came in with was changed in between. Without an event
 * that tells when, need-resched does: never set while the late thread waited, so the task was above it all the time.
 */
static void note_changed_priority(struct run_state *r, int32_t tid, int32_t prio)
{
    struct sweep *s = r->sweep;
    const struct holder *h = sweep_holder(s, tid);
    if (tid <= 0 || prio == PRIO_UNKNOWN || r->w->prio == PRIO_UNKNOWN || (h && h->n_resched))
        return;
    for (size_t i = s->n_pieces; i-- > 0;) {
        struct piece *p = &s->pieces[i];
        if (p->phase != PHASE_WAITING || p->subject.prio == prio)
            continue;
        if (p->subject.tid != tid)
            break;
        p->subject.prio = prio;
        if (p->kind == SLICE_TASK_LOWER || p->kind == SLICE_TASK_SAME || p->kind == SLICE_TASK_HIGHER)
            p->kind = prio < r->w->prio ? SLICE_TASK_HIGHER : prio == r->w->prio ? SLICE_TASK_SAME : SLICE_TASK_LOWER;
    }
}

static bool row_names_function(unsigned kind)
{
    return kind == KIND_FUNCTION || kind == KIND_FUNCGRAPH_ENTRY;
}

static bool came_from_another(const struct sweep_cpu *c, int32_t tid)
{
    return c->seen && c->row_tid != TID_UNKNOWN && c->row_tid != tid && c->state.tid != tid;
}

/* What an event changes in the life of the window itself. */
static void follow_window(struct run_state *r, const struct event_ref *ref, int64_t t_ns, const uint32_t *w)
{
    const struct window *win = r->w;
    unsigned kind = ref->view->kind[ref->i];
    if (r->phase == PHASE_SECTION || t_ns < win->begin_ns)
        return;
    if (r->phase == PHASE_BEFORE_HANDLER && t_ns >= r->handler_boundary_ns)
        r->phase = PHASE_WAKING;
    bool at_wakeup = win->a.wakeup_ns != NS_UNKNOWN && t_ns == win->a.wakeup_ns && ref->cpu == win->a.waking_cpu &&
                     (kind == KIND_SCHED_WAKEUP || kind == KIND_SCHED_WAKEUP_NEW) && (int32_t)w[1] == win->tid;
    bool at_waking = win->a.wakeup_ns == NS_UNKNOWN && t_ns == win->a.waking_ns && kind == KIND_SCHED_WAKING &&
                     (int32_t)w[1] == win->tid;
    if (kind_is_head(kind) || r->stage)
        head_follow(r, ref, kind, w);
    if ((at_wakeup || at_waking) && !r->woken) {
        r->woken = true;
        r->phase = PHASE_WAITING;
        int32_t target = at_wakeup ? (int32_t)w[3] : win->a.target_cpu;
        r->cpu = target >= 0 ? target : win->cpu;
    } else if (kind == KIND_SCHED_MIGRATE_TASK && (int32_t)w[1] == win->tid && r->woken && (int32_t)w[4] >= 0) {
        if (r->sweep->moved_ns == NS_UNKNOWN && r->phase == PHASE_WAITING) {
            r->sweep->moved_ns = t_ns;
            r->sweep->moved_from = (int32_t)w[3];
            r->sweep->moved_to = (int32_t)w[4];
        }
        r->cpu = (int32_t)w[4];
    } else if (r->woken && r->phase == PHASE_WAITING && row_names_function(kind) && ref->cpu == r->cpu &&
               ref->view->tid[ref->i] == win->tid && came_from_another(cpu_of(r, ref->cpu), win->tid)) {
        r->phase = PHASE_RUNNING; /* no event of the switch, but the late task writes rows itself now */
    } else if (kind == KIND_SCHED_SWITCH && r->woken) {
        if ((int32_t)w[5] == win->tid) {
            r->cpu = ref->cpu;
            r->phase = PHASE_RUNNING;
        } else if (ref->cpu == r->cpu && (int32_t)w[1] != win->tid && prio_is_realtime(win->prio) && !win->a.is_head) {
            cpu_of(r, ref->cpu)->fair_picked = !prio_is_realtime((int32_t)w[6]) && (int32_t)w[6] != PRIO_UNKNOWN;
        }
    }
}

static void note_row_context(struct run_state *r, struct sweep_cpu *c, int32_t context, unsigned kind, const uint32_t *w)
{
    /* Its own letters are younger than the handler: older kernels count it as a hard interrupt. */
    if (context == OPEN_VECTOR && word_class(r->words, w[0]) & WORD_NMI)
        context = OPEN_NMI;
    c->row_context_is_cut = false;
    if (context != c->row_context) {
        c->row_context = context;
        c->row_handler = 0;
        c->invocation += context != OPEN_NONE;
    }
    if (context == OPEN_NONE)
        return;
    bool called_as_one = kind == KIND_FUNCTION && word_class(r->words, w[1]) & WORD_CALLS_HANDLER;
    if (called_as_one || word_class(r->words, w[0]) & WORD_HANDLER)
        c->row_handler = w[0];
}

/* A function row that belongs to the end of an interrupt or softirq, or to what these call. */
static bool is_way_out(const struct run_state *r, const uint32_t *w)
{
    return (word_class(r->words, w[0]) | word_class(r->words, w[1])) & (WORD_IRQ_ENTRY | WORD_CALLS_HANDLER);
}

/* An interrupt of timers that came in time for the window's own, and passed over it. */
static void note_other_timer(struct run_state *r, uint64_t timer, int64_t t_ns, int32_t cpu)
{
    const struct open_context *handler = innermost(&cpu_of(r, cpu)->state, true);
    if (r->sweep->passed_over_ns == NS_UNKNOWN && r->phase == PHASE_BEFORE_HANDLER && cpu == r->cpu && timer != r->w->a.timer && r->w->a.timer &&
        !r->w->a.expired_in_softirq && !r->w->a.due_is_soft && handler && (handler->kind == OPEN_VECTOR || handler->kind == OPEN_IRQ) &&
        handler->begin_ns > r->w->begin_ns && t_ns < r->handler_boundary_ns)
        r->sweep->passed_over_ns = t_ns;
}

static void note_kind(struct run_state *r, unsigned kind, const uint32_t *w, int64_t t_ns, int32_t cpu)
{
    struct sweep *s = r->sweep;
    switch (kind) {
    case KIND_IRQ_DISABLE:
    case KIND_IRQ_ENABLE:
        s->has_irq_events = true;
        break;
    case KIND_PREEMPT_DISABLE:
    case KIND_PREEMPT_ENABLE:
        s->has_preempt_events = true;
        break;
    case KIND_CPU_IDLE:
        s->has_idle_events = true;
        break;
    case KIND_VECTOR_ENTRY:
    case KIND_IRQ_HANDLER_ENTRY:
        s->has_handlers = true;
        break;
    case KIND_SCHED_SWITCH:
        s->has_switches = true;
        break;
    case KIND_FUNCTION:
    case KIND_FUNCGRAPH_ENTRY:
        s->has_functions = true;
        break;
    case KIND_CSD_FUNCTION_ENTRY:
        s->has_callbacks = true;
        break;
    case KIND_HRTIMER_EXPIRE_ENTRY:
        s->has_callbacks = true;
        note_other_timer(r, (uint64_t)event_words_i64(w), t_ns, cpu);
        if (t_ns > r->w->begin_ns && t_ns <= r->w->end_ns) {
            const char *function = store_string(r->store, w[2]);
            if (function && !strncmp(function, "sched_rt_period_timer", 21))
                s->throttle_timer_fired = true;
        }
        break;
    default:
        break;
    }
}

/*
 * Where `s` may mean bottom halves off as well, it means a softirq from the first function on that only softirqs call,
 * and always for the idle task.
 */
static bool serves_softirq(const struct run_state *r, const struct sweep_cpu *c, const struct event_ref *ref, const uint32_t *w)
{
    uint32_t flags = ref->view->flags[ref->i];
    if (r->softirq_flag_serves)
        return true;
    if (!row_names_function(ref->view->kind[ref->i]) || flags & (FLAG_HARDIRQ | FLAG_NMI))
        return c->serves_softirq;
    if (!(flags & FLAG_SOFTIRQ))
        return false;
    bool called = ref->view->kind[ref->i] == KIND_FUNCTION && word_class(r->words, w[1]) & WORD_SOFTIRQ;
    return c->serves_softirq || ref->view->tid[ref->i] == 0 || called || word_class(r->words, w[0]) & WORD_SOFTIRQ;
}

/*
 * A wakeup tracer's function rows are of the CPU where the task waits: rows of another one in front of the first of its
 * last CPU say that it waited there before.
 */
static void follow_rows(struct run_state *r, const struct event_ref *ref, int64_t t_ns)
{
    if (!r->follows_rows || ref->cpu == r->cpu || !row_names_function(ref->view->kind[ref->i]))
        return;
    if (ref->cpu == r->w->cpu) {
        cut(r, t_ns, ref->chunk, ref->i);
        r->cpu = ref->cpu;
        r->follows_rows = false;
    } else if (r->sweep->first_event_ns == NS_UNKNOWN) {
        r->cpu = ref->cpu;
    }
}

/* A fault has no event of its end: the thread's next step is it. */
static void note_fault(const struct run_state *r, struct sweep_cpu *c, unsigned kind, int32_t tid)
{
    if (kind == KIND_PAGE_FAULT && tid == r->w->tid && r->phase == PHASE_RUNNING)
        c->in_fault = true;
    else if (kind == KIND_SYS_EXIT || kind == KIND_SYS_ENTER || kind == KIND_HRTIMER_START || kind == KIND_SCHED_SWITCH)
        c->in_fault = false;
}

/* is_own: of the window's own stream; a companion's rows say what it lacks, not who runs. */
static void step(struct run_state *r, const struct event_ref *ref, bool is_own)
{
    int64_t t_ns = event_time_ns(ref);
    const uint32_t *w = event_words(ref);
    unsigned kind = ref->view->kind[ref->i];
    int32_t tid = ref->view->tid[ref->i];
    struct sweep_cpu *c = cpu_of(r, ref->cpu);
    uint32_t chunk = is_own ? ref->chunk : c->last_chunk, at = is_own ? ref->i : c->last_i; /* evidence is of one stream */
    if (!is_own && tid != c->state.tid && tid != TID_UNKNOWN)
        return; /* between the event of a switch and the switch */
    r->sweep->n_events++;
    note_kind(r, kind, w, t_ns, ref->cpu);
    if (kind == KIND_NMI_HANDLER)
        sweep_note_nmi(r, ref->cpu, w, t_ns);
    sweep_note_silence(r, ref, c, t_ns);
    follow_rows(r, ref, t_ns);
    c->serves_softirq = serves_softirq(r, c, ref, w);
    int32_t row_context = row_context_of(kind, ref->view->flags[ref->i], ref->view->flags_known, c->serves_softirq);
    if (r->rows_missing && row_context != c->row_context && r->phase == PHASE_WAITING)
        c->row_context_is_cut = c->row_context != OPEN_NONE; /* it may have ended at a row that is not there */
    else if (kind == KIND_FUNCTION && row_context != c->row_context && c->row_context != OPEN_NMI && !is_way_out(r, w))
        c->row_context = OPEN_NONE; /* sparse rows: it ended unseen, and what it interrupted went on */
    c->unseen = !is_own                         ? UNSEEN_NOTHING
                : unseen_switch(r, c, ref)        ? UNSEEN_SWITCH
                : unseen_handler_end(r, c, ref)   ? UNSEEN_HANDLER_END
                : unseen_handler_begin(r, c, ref) ? UNSEEN_HANDLER_BEGIN
                                                  : UNSEEN_NOTHING;
    c->callback_is_over = is_in_callback(c) && !c->callback_is_csd && unseen_callback_end(kind);
    r->row_hard_off = head_row_hard_off(c, kind, ref->view->flags[ref->i], ref->view->flags_known);
    if (t_ns > r->w->begin_ns && ref->cpu == r->cpu) {
        r->sweep->n_hard_off += r->row_hard_off && r->phase == PHASE_BEFORE_HANDLER && t_ns < r->handler_boundary_ns;
        cut(r, t_ns, chunk, at);
    }
    if (c->unseen == UNSEEN_HANDLER_END)
        unseen_close_handlers(c, t_ns);
    c->unseen = UNSEEN_NOTHING;
    int32_t cpu_before = r->cpu;
    if (t_ns >= r->w->begin_ns && t_ns <= r->w->end_ns) {
        r->sweep->n_in_window += ref->cpu == r->cpu;
        /* A change of CPU or phase cuts too, also when another CPU's event brings it. */
        if (ref->cpu != r->cpu && kind != KIND_SCHED_MIGRATE_TASK && r->phase <= PHASE_WAKING &&
            (kind == KIND_SCHED_WAKEUP || kind == KIND_SCHED_WAKING || kind == KIND_SCHED_WAKEUP_NEW) && (int32_t)w[1] == r->w->tid)
            cut(r, t_ns, chunk, at);
        if ((kind == KIND_SCHED_MIGRATE_TASK && (int32_t)w[1] == r->w->tid) ||
            ((kind == KIND_SCHED_SWITCH || kind == KIND_COBALT_SWITCH) && (int32_t)w[5] == r->w->tid && ref->cpu != r->cpu))
            cut(r, t_ns, chunk, at);
        bool waits = r->phase == PHASE_WAITING || r->phase == PHASE_SECTION;
        if (ref->cpu == cpu_before && waits && tid != TID_UNKNOWN)
            note_holder(r, c, ref, t_ns, w);
        const uint32_t *prev = kind == KIND_TRACER_SWITCH ? w : kind == KIND_SCHED_SWITCH ? w + 1 : NULL; /* tid and priority */
        if (prev && ref->cpu == r->cpu && (int32_t)prev[1] != c->state.prio && (int32_t)prev[0] == c->state.tid)
            note_changed_priority(r, (int32_t)prev[0], (int32_t)prev[1]);
        follow_window(r, ref, t_ns, w);
    }
    if (kind == KIND_SCHED_SWITCH && !(r->woken && ref->cpu == r->cpu))
        c->fair_picked = false;
    c->hard_off = r->row_hard_off;
    head_apply_state(c, t_ns, tid, kind, w);
    apply_callback(c, kind, w);
    if (is_own)
        unseen_note(c, ref);
    note_fault(r, c, kind, tid);
    c->row_function = innermost(&c->state, true) ? 0 : row_function(kind, w);
    c->row_tid = tid;
    note_row_context(r, c, innermost(&c->state, true) ? OPEN_NONE : row_context, kind, w);
    c->seen = true;
    c->last_ns = t_ns;
    c->last_chunk = chunk;
    c->last_i = at;
    c->last_flags = ref->view->flags[ref->i];
    c->last_known = ref->view->flags_known;
    if (ref->cpu == r->cpu) {
        if (r->sweep->first_event_ns == NS_UNKNOWN)
            r->sweep->first_event_ns = t_ns;
        r->sweep->last_event_ns = t_ns;
    }
}

/* Where "due" ends and the handler begins. */
static int64_t handler_boundary(const struct window *w)
{
    const struct activation *a = &w->a;
    if (a->tid == TID_UNKNOWN || a->due_ns == NS_UNKNOWN)
        return w->begin_ns;
    int64_t t = a->waking_ns;
    if (a->expire_ns != NS_UNKNOWN)
        t = a->expire_ns;
    if (a->handler_ns != NS_UNKNOWN)
        t = a->handler_ns;
    return t > w->begin_ns ? t : w->begin_ns;
}

static void run_init(struct run_state *r)
{
    const struct window *w = r->w;
    const struct activation *a = &w->a;
    r->at_ns = w->begin_ns;
    r->handler_boundary_ns = handler_boundary(w);
    if (w->kind == WINDOW_SECTION || w->kind == WINDOW_BLOCKED || a->tid == TID_UNKNOWN) {
        r->cpu = w->cpu == CPU_UNKNOWN ? 0 : w->cpu; /* its rows stand there when nothing says where */
        r->phase = w->kind == WINDOW_SECTION ? PHASE_SECTION : PHASE_WAITING;
        r->woken = w->kind != WINDOW_SECTION;
        return;
    }
    if (a->is_relax) {
        r->phase = PHASE_RUNNING;
        r->woken = true;
        r->cpu = a->waking_cpu;
        r->stage = STAGE_RELAX;
        r->sweep->has_relaxed = true;
        r->sweep->relax_reason = a->relax_reason;
        return;
    }
    r->phase = a->due_ns != NS_UNKNOWN ? PHASE_BEFORE_HANDLER : PHASE_WAKING;
    r->cpu = a->timer_cpu != CPU_UNKNOWN ? a->timer_cpu : a->waking_cpu != CPU_UNKNOWN ? a->waking_cpu : w->cpu;
}

int32_t sweep_count_cpus(const struct store *store, uint32_t run)
{
    int32_t n = 0;
    for (size_t i = 0; i < store->n_event_chunks; i++)
        if (store->event_chunks[i].run == run && store->event_chunks[i].cpu >= n)
            n = store->event_chunks[i].cpu + 1;
    return n < SWEEP_MAX_CPUS ? n : SWEEP_MAX_CPUS;
}

enum status sweep_window(struct sweep *sweep, const struct store *store, struct word_classes *words,
                         const struct window *window, int64_t lookback_ns, struct error *error)
{
    struct run_state r = {.sweep = sweep, .store = store, .words = words, .w = window};
    int32_t n_cpus = sweep_count_cpus(store, window->run);
    size_t n_silences = (size_t)n_cpus + 1;
    sweep->silences = memory_resize(NULL, n_silences, sizeof *sweep->silences);
    memset(sweep->silences, 0, n_silences * sizeof *sweep->silences);
    for (size_t i = 0; i < n_silences; i++)
        sweep->silences[i].end_chunk = sweep->silences[i].begin_chunk = NO_CHUNK;
    sweep->first_event_ns = sweep->last_event_ns = sweep->passed_over_ns = sweep->moved_ns = NS_UNKNOWN;
    run_init(&r);
    if (window->stream != ROW_NONE) {
        r.softirq_flag_serves = stream_softirq_flag_serves(&store->streams[window->stream]);
        r.rows_missing = stream_rows_missing(store, window->stream);
        r.follows_rows = window->claim != ROW_NONE && store->claims[window->claim].kind == CLAIM_TRACER_HEADER &&
                         r.phase == PHASE_WAITING && window->a.tid == TID_UNKNOWN;
    }
    int64_t from = window->begin_ns - lookback_ns;
    /* A little beyond the end: what ends the last silence. */
    int64_t to = window->end_ns + (window_length_ns(window) < 1000000 ? 1000000 : window_length_ns(window) / 4);
    struct joined_events *events = joined_events_new(store, window->run, window->stream, &window->companions, from, to, error);
    if (!events)
        return FAILED;
    init_cpus(&r, (size_t)n_cpus);
    for (int32_t cpu = 0; cpu < n_cpus; cpu++) {
        const struct cpu_state *state = joined_events_state(events, cpu);
        if (state)
            cpu_of(&r, cpu)->state = *state;
    }
    struct event_ref ref;
    bool is_own;
    while (joined_events_next(events, &ref, &is_own))
        if (ref.cpu >= 0 && ref.cpu < n_cpus)
            step(&r, &ref, is_own);
    enum status status = joined_events_status(events);
    cut(&r, window->end_ns, NO_CHUNK, 0);
    sweep->n_silences = r.n_cpus < n_silences ? r.n_cpus : n_silences;
    sweep_carve_nmis(sweep);
    sweep_finish_silences(&r);
    free(r.cpus);
    joined_events_free(events);
    return status;
}

void sweep_release(struct sweep *sweep)
{
    free(sweep->pieces);
    free(sweep->holders);
    free(sweep->silences);
    free(sweep->nmis);
    *sweep = (struct sweep){0};
}
