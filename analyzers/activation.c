/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/activation_cpu.h"
#include "analyzers/activation_head.h"
#include "analyzers/activation_origin.h"

#include <string.h>

#define SKEW_MAX_NS 20000 /* that the clocks of two CPUs may differ, beyond what their pairs cannot tell */
#define SKEW_PARTS  10    /* or a tenth of what is measured, */
#define SKEW_JOIN_NS 200000 /* and no more than this: a waking must not meet the switch of another cycle */
#define SHORT_CUT_NS 200000

struct activations {
    struct activations_config config;
    struct pass_cpu *cpus;
    size_t n_cpus;
    struct thread_table threads;
    struct armed_timer *timers;
    struct head_activations *head; /* NULL until the first event of a co-kernel */
    bool has_syscalls, has_wakings;
    unsigned n_gaps;
    bool is_shared;                /* the trace clock is one clock for all CPUs */
    struct clock_doubt doubt;
};

static void find_gap(const struct activations *p, struct pass_cpu *c, int32_t cpu, int64_t from_ns);

struct activations *activations_new(const struct activations_config *config)
{
    struct activations *p = memory_new(sizeof *p);
    p->config = *config;
    thread_table_init(&p->threads);
    p->timers = armed_timers_new();
    static const char *const shared[] = {"mono", "mono_raw", "global", "boot", "tai", "counter", "uptime"};
    for (size_t i = 0; config->trace_clock && i < sizeof shared / sizeof *shared; i++)
        p->is_shared |= !strcmp(config->trace_clock, shared[i]);
    for (size_t i = 0; i < config->store->n_gaps; i++)
        p->n_gaps += config->store->gaps[i].run == config->run && config->store->gaps[i].stream == config->stream;
    return p;
}

void activations_free(struct activations *p)
{
    if (!p)
        return;
    thread_table_release(&p->threads);
    free(p->timers);
    head_activations_free(p->head);
    free(p->cpus);
    free(p);
}

static struct pass_cpu *add_cpus(struct activations *p, int32_t cpu)
{
    size_t n = (size_t)cpu + 1;
    p->cpus = memory_resize(p->cpus, n, sizeof *p->cpus);
    for (size_t i = p->n_cpus; i < n; i++) {
        p->cpus[i] = (struct pass_cpu){.tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN, .irq_entry_ns = NS_UNKNOWN, .gap_end_ns = INT64_MIN};
        clock_relation_init(&p->cpus[i].expiry.clock, p->config.trace_clock);
    }
    p->n_cpus = n;
    return &p->cpus[cpu];
}

static inline struct pass_cpu *pass_cpu(struct activations *p, int32_t cpu)
{
    return (size_t)cpu < p->n_cpus ? &p->cpus[cpu] : add_cpus(p, cpu);
}

/* Followed: RT threads, measuring threads, those that carry an interrupt's work on, and what --task names. */
static struct thread *followed_thread(struct activations *p, int32_t tid, int32_t prio, uint32_t comm)
{
    if (tid <= 0)
        return NULL;
    bool wanted = p->config.all_threads || prio_is_realtime(prio) ||
                  word_class(p->config.words, comm) & (WORD_MEASURING | WORD_RELAYS) ||
                  (p->config.task && task_matches(p->config.task, store_string(p->config.store, comm), tid));
    struct thread *t = thread_table_find(&p->threads, tid);
    return t ? t : wanted ? thread_table_add(&p->threads, tid) : NULL;
}

/* Two CPUs' times can be joined if their clocks are known to differ by little, or nothing is known of a difference. */
static bool is_comparable(struct activations *p, const struct activation *a)
{
    int32_t one = a->waking_cpu, other = a->cpu;
    int64_t skew_ns, length_ns = activation_end_ns(a) - activation_begin_ns(a);
    if (p->is_shared || one == other || one < 0 || other < 0 || (size_t)one >= p->n_cpus || (size_t)other >= p->n_cpus ||
        !clock_relation_skew(&p->cpus[one].expiry.clock, &p->cpus[other].expiry.clock, a->switch_ns, &skew_ns))
        return true;
    if (llabs(skew_ns) <= SKEW_MAX_NS || (llabs(skew_ns) <= SKEW_JOIN_NS && SKEW_PARTS * llabs(skew_ns) <= length_ns))
        return true;
    p->doubt.skew_ns = skew_ns;
    p->doubt.cpu = one;
    p->doubt.other_cpu = other;
    return false;
}

bool activations_trusts(struct activations *p, const struct activation *a)
{
    const struct thread *t = thread_table_find(&p->threads, a->tid);
    return !(t && t->distrusts && a->waking_cpu != a->cpu) && is_comparable(p, a);
}

struct clock_doubt activations_doubt(const struct activations *p)
{
    return p->doubt;
}

static void deliver(struct activations *p, struct thread *t, int64_t out_ns)
{
    if (t->a.switch_ns == NS_UNKNOWN)
        return;
    if (!is_comparable(p, &t->a)) {
        p->doubt.n++;
        activation_clear(&t->a);
        return;
    }
    t->a.out_ns = out_ns;
    p->config.handler(p->config.context, &t->a);
    t->a.switch_ns = NS_UNKNOWN; /* over: its next waking clears the rest */
    t->a.prio = PRIO_UNKNOWN;
    t->a.comm = 0;
}

static void on_switch(struct activations *p, struct pass_cpu *c, int32_t cpu, int64_t t_ns, const uint32_t *w)
{
    int32_t prev_tid = (int32_t)w[1], next_tid = (int32_t)w[5], next_prio = (int32_t)w[6];
    struct thread *prev = c->thread && c->thread->tid == prev_tid ? c->thread : NULL;
    if (p->head && (w[3] & 0xff) == 'S')
        head_activations_sleep(p->head, prev_tid);
    if (!prev && prev_tid > 0 && (prio_is_realtime((int32_t)w[2]) || p->config.all_threads || p->config.task))
        prev = followed_thread(p, prev_tid, (int32_t)w[2], w[0]);
    if (prev) {
        bool runnable = (w[3] & 0xff) == 'R';
        prev->origin.since_ns = t_ns;
        prev->is_running = false;
        prev->is_asleep = !runnable;
        prev->slept_in_fault = (w[3] & 0xff) == 'D' && prev->fault_ns != NS_UNKNOWN;
        prev->fault_ns = NS_UNKNOWN;
        if (!runnable || prev->a.user_ns != NS_UNKNOWN || !p->has_syscalls) {
            deliver(p, prev, t_ns);
            if (!runnable)
                prev->slept_ns = t_ns;
        }
    }
    if (c->irq_depth)
        pass_cpu_leaves_irq_unseen(c);
    c->tid = next_tid;
    c->prio = next_prio;
    c->comm = w[4];
    c->thread = NULL;
    if (next_tid <= 0)
        return;
    struct thread *next = p->config.task || p->config.all_threads || prio_is_realtime(next_prio) ||
                                  word_class(p->config.words, w[4]) & (WORD_MEASURING | WORD_RELAYS)
                              ? followed_thread(p, next_tid, next_prio, w[4])
                              : NULL;
    c->thread = next;
    if (!next)
        return;
    next->is_running = true;
    if (next->is_asleep)
        next->awake_ns = t_ns;
    if (!next->is_waking && next->is_asleep) /* what woke it is not recorded */
        origin_clear(&next->origin);
    origin_run(&next->origin, t_ns);
    next->has_missed |= !next->is_waking && next->is_asleep && p->has_wakings && !p->is_shared;
    next->is_asleep = false;
    next->cpu = cpu;
    next->in_ns = t_ns;
    if (next->is_waking) {
        next->is_waking = false;
        next->a.switch_ns = t_ns;
        next->a.cpu = cpu;
        if (c->khz && (next->a.waking_cpu != cpu || !next->a.khz || c->khz < next->a.khz))
            next->a.khz = c->khz;
        next->a.prio = next_prio;
        next->a.comm = w[4];
        if (next->a.target_cpu != CPU_UNKNOWN && next->a.target_cpu != cpu)
            next->a.migrated = true;
        if (next->a.waking_cpu != cpu && !is_comparable(p, &next->a))
            origin_clear(&next->origin);
        next->armed.address = 0;
    }
}

/* An event of another task than the one switched to: some kernels do not record switches out of idle. */
static void on_unseen_switch(struct activations *p, struct pass_cpu *c, int32_t cpu, int64_t t_ns, int32_t tid)
{
    if (c->thread) {
        c->thread->is_running = false;
        deliver(p, c->thread, t_ns);
    }
    c->tid = tid;
    c->prio = PRIO_UNKNOWN;
    c->comm = 0;
    struct thread *t = c->thread = tid > 0 ? thread_table_find(&p->threads, tid) : NULL;
    if (!t)
        return;
    c->prio = t->a.prio;
    c->comm = t->a.comm;
    t->is_running = true;
    if (t->is_asleep)
        t->awake_ns = t_ns;
    origin_run(&t->origin, t_ns);
    if (!t->is_waking)
        return;
    t->is_waking = false;
    t->a.switch_ns = t_ns;
    t->a.switch_is_inferred = true;
    t->a.cpu = cpu;
    t->armed.address = 0;
}

static void on_head(struct activations *p, struct pass_cpu *c, const struct event_ref *ref)
{
    if (!p->head)
        p->head = head_activations_new(&p->config);
    head_activations_apply(p->head, ref);
    if (ref->kind == KIND_COBALT_SWITCH)
        pass_cpu_switches_head(c, event_words(ref));
}

/* A softirq within ksoftirqd, ktimers or an irq thread is what that thread does. */
static bool is_relays_work(struct activations *p, const struct pass_cpu *c, uint32_t flags)
{
    return !c->irq_depth && !(flags & (FLAG_HARDIRQ | FLAG_NMI)) && (c->softirq_depth || flags & FLAG_SOFTIRQ) && c->tid > 0 &&
           word_class(p->config.words, c->comm) & WORD_RELAYS;
}

/*
 * On the way out of an interrupt the flags are the interrupted task's again, but its threads and those of softirqs are
 * woken there: by no task, but for a lock.
 */
static bool woken_by_task(struct activations *p, const struct pass_cpu *c, const struct activation *a, uint32_t flags)
{
    if (a->lock_ns == NS_UNKNOWN && word_class(p->config.words, a->comm) & WORD_RELAYS)
        return false;
    return !a->waker_in_irq || is_relays_work(p, c, flags);
}

/* Before an interrupt is recorded the current CPU may still be in a callback or handler: that is where due comes from. */
static void on_waking(struct activations *p, struct pass_cpu *c, int32_t cpu, int64_t t_ns, const uint32_t *w, bool is_waking,
                      uint32_t flags, uint32_t known)
{
    int32_t tid = (int32_t)w[1], prio = (int32_t)w[2];
    struct thread *t = followed_thread(p, tid, prio, w[0]);
    p->has_wakings = true;
    if (t && t->is_running)
        t->has_missed = false; /* a little out of order */
    if (!t || t->is_running)
        return;
    if (cpu != t->cpu && (t->has_missed || t->distrusts)) { /* it belongs to the run before; so do the others of that CPU */
        /* A loss of events looks alike, but each but once. */
        if (t->has_missed && t_ns - t->in_ns > SKEW_MAX_NS && ++t->n_missed >= 2 + 2 * p->n_gaps) {
            t->distrusts = true;
            p->doubt.cpu = cpu;
            p->doubt.other_cpu = t->cpu;
        }
        p->doubt.n += t->distrusts;
        t->has_missed = false;
        return;
    }
    /* Woken to a CPU of which nothing is recorded yet: it may run there unseen. */
    int32_t target = (int32_t)w[3];
    bool is_seen = target < 0 || ((size_t)target < p->n_cpus && p->cpus[target].gap_end_ns != INT64_MIN);
    if (!is_waking && t->is_waking && t->a.wakeup_ns == NS_UNKNOWN) { /* the wakeup of the waking before */
        t->a.wakeup_ns = t_ns;
        t->a.target_cpu = target;
        t->is_waking = is_seen;
        return;
    }
    if (!is_seen)
        return;
    if (t->a.switch_ns != NS_UNKNOWN) /* was preempted and never seen asleep: lost events */
        deliver(p, t, t_ns);
    activation_clear(&t->a);
    t->awake_ns = t_ns;
    t->is_waking = true;
    struct activation *a = &t->a;
    a->tid = tid;
    a->prio = prio;
    a->comm = w[0];
    a->slept_ns = t->slept_ns;
    a->lock_ns = t->lock_ns;
    a->is_fault = t->slept_in_fault;
    a->waking_ns = t_ns;
    a->waking_cpu = cpu;
    a->target_cpu = (int32_t)w[3];
    if (!is_waking)
        a->wakeup_ns = t_ns;
    a->khz = c->khz;
    a->waker_tid = c->tid;
    a->waker_prio = c->prio;
    a->waker_comm = c->comm;
    /* A softirq without an exit is over, or another task runs before it, where the letters say so. */
    bool in_softirq = c->softirq_depth > 0 && (!(known & FLAG_SOFTIRQ) || flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI));
    a->waker_in_irq = c->irq_depth > 0 || c->expiry.in_callback || in_softirq ||
                      flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI);
    a->waker_is_task = woken_by_task(p, c, a, flags);
    a->handler_ns = c->irq_depth > 0 ? c->irq_entry_ns : NS_UNKNOWN;
    bool in_callback = c->expiry.in_callback && c->expiry.is_hard == pass_cpu_is_in_hard_irq(c, flags);
    if (in_callback && word_class(p->config.words, c->expiry.function) & WORD_WAKING_TIMER) {
        expiry_stamp(&c->expiry, a, cpu, t_ns, c->softirq_depth > 0 && !c->expiry.is_hard);
        c->woken = t;
    } else if (!in_callback && a->waker_in_irq && t->armed.address) {
        expiry_guess(&c->expiry, a, cpu, t_ns, &t->armed);
    }
    t->armed.address = 0; /* that sleep is over */
    if (c->irq_depth > 0)
        c->woken_in_irq = t;
    if (t->lock_ns != NS_UNKNOWN && a->waker_is_task && t->origin.begin_ns != NS_UNKNOWN)
        origin_resume(&t->origin, a);
    else
        origin_wake(&t->origin, a->waker_is_task && c->thread && c->thread->tid == c->tid ? &c->thread->origin : NULL, a);
}

/* Who started the timer to sleep was awake since: an expiry and the next start are missing. The clocks of two CPUs may differ a little. */
static bool is_over(struct activations *p, const struct armed_timer *armed, int64_t t_ns, const uint32_t *w)
{
    const struct thread *t = armed->thread;
    return t && t->awake_ns != NS_UNKNOWN && t->awake_ns > armed->started_ns + SKEW_MAX_NS && t_ns > t->awake_ns + SKEW_MAX_NS &&
           word_class(p->config.words, w[2]) & WORD_SLEEP_TIMER;
}

static void on_expire_entry(struct activations *p, struct pass_cpu *c, int64_t t_ns, const uint32_t *w, uint32_t flags)
{
    struct armed_timer *armed = armed_timer_at(p->timers, (uint64_t)event_words_i64(w));
    if (is_over(p, armed, t_ns, w))
        armed_timer_end(armed);
    c->irq_callbacks++;
    c->woken = NULL;
    expiry_begin(&c->expiry, p->timers, t_ns, w);
    c->expiry.is_hard = pass_cpu_is_in_hard_irq(c, flags);
}

static void on_timer_start(struct activations *p, struct pass_cpu *c, int64_t t_ns, const uint32_t *w)
{
    const struct armed_timer *armed = armed_timer_start(p->timers, t_ns, w, c->thread);
    struct thread *t = c->thread;
    if (!t || c->irq_depth || !(word_class(p->config.words, w[2]) & WORD_WAKING_TIMER))
        return;
    t->armed = *armed;
    if (armed->soft_ns == NS_UNKNOWN)
        t->armed.soft_ns = armed->expires_ns;
    if (t->a.switch_ns != NS_UNKNOWN && t->a.rearm_ns == NS_UNKNOWN)
        t->a.rearm_ns = t_ns;
}

static void on_user(struct activations *p, struct pass_cpu *c, int64_t t_ns)
{
    p->has_syscalls = true;
    struct thread *t = c->thread;
    if (t && t->is_running && t->a.switch_ns != NS_UNKNOWN && t->a.user_ns == NS_UNKNOWN && t->a.rearm_ns == NS_UNKNOWN)
        t->a.user_ns = t_ns;
}

void activations_start_cpu(struct activations *p, int32_t cpu, const struct cpu_state *state)
{
    struct pass_cpu *c = pass_cpu(p, cpu);
    c->tid = state->tid;
    c->prio = state->prio;
    c->comm = state->comm;
    find_gap(p, c, cpu, state->time_ns);
    for (size_t i = 0; i < state->n_open && i < CPU_STATE_DEPTH; i++) {
        if (state->open[i].kind == OPEN_IRQ || state->open[i].kind == OPEN_VECTOR) {
            if (c->irq_depth++ == 0)
                c->irq_entry_ns = state->open[i].begin_ns;
        }
        c->softirq_depth |= state->open[i].kind == OPEN_SOFTIRQ;
    }
}

/* The next loss that ends on this CPU at or after a time. */
static void find_gap(const struct activations *p, struct pass_cpu *c, int32_t cpu, int64_t from_ns)
{
    const struct store *store = p->config.store;
    c->gap_end_ns = INT64_MAX;
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *g = &store->gaps[i];
        if (g->run == p->config.run && g->stream == p->config.stream && (g->cpu == CPU_UNKNOWN || g->cpu == cpu) &&
            g->end_ns != NS_UNKNOWN && g->end_ns > from_ns && g->end_ns < c->gap_end_ns) {
            c->gap_end_ns = g->end_ns;
            c->gap_is_short_cut = g->begin_ns != NS_UNKNOWN && g->end_ns - g->begin_ns <= SHORT_CUT_NS && g->reason &&
                                  !strcmp(g->reason, "cut out of the text");
        }
    }
}

/*
 * Events of this CPU were lost up to now (or it had none yet): who was woken here may have run and slept meanwhile,
 * so a switch that is seen next ends no known wait.
 */
static void on_loss(struct activations *p, struct pass_cpu *c, int32_t cpu, int64_t t_ns)
{
    for (size_t i = 0; i < p->threads.n_slots; i++) {
        struct thread *t = p->threads.slots[i];
        if (t)
            t->is_asleep = t->has_missed = false;
        if (t && ((t->is_waking && t->a.target_cpu == cpu) || (t->a.switch_ns != NS_UNKNOWN && t->a.cpu == cpu))) {
            t->is_waking = t->is_running = false;
            t->slept_ns = NS_UNKNOWN;
            activation_clear(&t->a);
            origin_clear(&t->origin);
        }
    }
    if (p->head)
        head_activations_loss(p->head, cpu);
    c->root.is_set = false;
    c->thread = c->woken = c->woken_in_irq = NULL;
    c->expiry.in_callback = false;
    c->irq_depth = c->softirq_depth = 0;
    c->irq_has_flag = false;
    find_gap(p, c, cpu, t_ns);
}

static inline __attribute__((always_inline)) void apply(struct activations *p, const struct event_ref *ref)
{
    struct pass_cpu *c = pass_cpu(p, ref->cpu);
    int64_t t_ns = event_time_ns(ref);
    const uint32_t *w = event_words(ref);
    int32_t tid = ref->view->tid[ref->i];
    if (__builtin_expect(t_ns >= c->gap_end_ns, 0)) {
        /* Who cuts a few rows out for his readers leaves those that matter; the same task on both sides was not away. */
        if (c->gap_is_short_cut && tid == c->tid)
            find_gap(p, c, ref->cpu, t_ns);
        else
            on_loss(p, c, ref->cpu, t_ns);
    }
    if (__builtin_expect(tid != c->tid, 0) && tid != TID_UNKNOWN)
        on_unseen_switch(p, c, ref->cpu, t_ns, tid);
    if (__builtin_expect(c->irq_has_flag & !(ref->flags & (FLAG_HARDIRQ | FLAG_NMI)), 0))
        pass_cpu_leaves_irq_unseen(c);
    switch (ref->kind) {
    case KIND_SCHED_SWITCH:
        on_switch(p, c, ref->cpu, t_ns, w);
        break;
    case KIND_SCHED_WAKING:
        c->irq_wakings++;
        on_waking(p, c, ref->cpu, t_ns, w, true, ref->flags, ref->view->flags_known);
        break;
    case KIND_SCHED_WAKEUP:
    case KIND_SCHED_WAKEUP_NEW:
        on_waking(p, c, ref->cpu, t_ns, w, false, ref->flags, ref->view->flags_known);
        break;
    case KIND_SCHED_MIGRATE_TASK: {
        struct thread *t = thread_table_find(&p->threads, (int32_t)w[1]);
        if (t && t->is_waking && t->a.wakeup_ns != NS_UNKNOWN)
            t->a.migrated = true;
        break;
    }
    case KIND_CPU_FREQUENCY:
        if (w[1] < p->n_cpus) /* c stays: no CPU is added */
            p->cpus[w[1]].khz = w[0];
        break;
    case KIND_SCHED_PI_SETPRIO:
        if ((int32_t)w[1] == c->tid)
            c->prio = (int32_t)w[3];
        break;
    case KIND_HRTIMER_START:
        on_timer_start(p, c, t_ns, w);
        break;
    case KIND_HRTIMER_EXPIRE_ENTRY:
        on_expire_entry(p, c, t_ns, w, ref->flags);
        break;
    case KIND_HRTIMER_EXPIRE_EXIT:
        pass_cpu_leaves_callback(c, t_ns, w, ref->flags);
        break;
    case KIND_IRQ_HANDLER_ENTRY:
    case KIND_VECTOR_ENTRY:
        pass_cpu_enters_irq(c, t_ns, ref->flags);
        break;
    case KIND_IRQ_HANDLER_EXIT:
    case KIND_VECTOR_EXIT:
        pass_cpu_leaves_irq(c, t_ns);
        break;
    case KIND_SOFTIRQ_ENTRY:
        if (c->irq_depth)
            pass_cpu_leaves_irq_unseen(c);
        c->softirq_depth = 1;
        break;
    case KIND_SOFTIRQ_EXIT:
        c->softirq_depth = 0;
        break;
    case KIND_SYS_EXIT:
        on_user(p, c, t_ns);
        break;
    case KIND_CONTENTION_BEGIN:
    case KIND_CONTENTION_END:
        if (c->thread && !c->irq_depth)
            c->thread->lock_ns = ref->kind == KIND_CONTENTION_BEGIN ? t_ns : NS_UNKNOWN;
        break;
    case KIND_PAGE_FAULT:
        if (c->thread && !c->irq_depth)
            c->thread->fault_ns = t_ns;
        break;
    case KIND_SYS_ENTER:
        if (c->thread)
            c->thread->fault_ns = NS_UNKNOWN;
        break;
    default:
        if (__builtin_expect(kind_is_head(ref->kind), 0))
            on_head(p, c, ref);
        break;
    }
}

void activations_apply(struct activations *p, const struct event_ref *refs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (refs[i].cpu >= 0)
            apply(p, &refs[i]);
}

void activations_finish(struct activations *p)
{
    for (size_t i = 0; i < p->threads.n_slots; i++)
        if (p->threads.slots[i])
            deliver(p, p->threads.slots[i], NS_UNKNOWN);
    head_activations_finish(p->head);
}
