/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/activation_head.h"

#include <string.h>

#define MASK_RELAX 0x80   /* XNRELAX, EVL_T_INBAND: a change of stage, no wakeup */
#define MASK_WAIT  0x0f   /* suspended, pending, delayed, waiting; the others are of a thread's birth and death */
#define N_SHOTS    8
#define N_TIMERS   1024   /* direct mapped */
#define SAME_SHOT_NS 2000 /* a shot printed in microseconds and the same one again */

struct head_thread {
    int32_t tid, prio;
    uint32_t comm;
    bool is_waking, is_known; /* known: switched in at least once, so the priority is */
    int64_t slept_ns;
    int64_t relax_ns;         /* NS_UNKNOWN: not relaxed */
    int32_t relax_cpu;
    uint32_t relax_reason;
    bool is_hardening, has_slept;
    struct activation a;
};

struct head_cpu {
    int32_t tid, prio;        /* the co-kernel's current thread; 0: Linux */
    uint32_t comm;
    int64_t clock_entry_ns;   /* of the clock interrupt that runs, or its first expiry; NS_UNKNOWN: none */
    bool in_clock;            /* its entry is an event of its own */
    int irq_depth;            /* of the interrupt pipeline's events */
    int64_t irq_entry_ns;
    int64_t expire_ns, due_ns, programmed_ns;
    size_t n_shots;           /* announced and not yet fired, earliest first */
    int64_t shots[N_SHOTS];
};

struct head_timer {
    uint64_t address;
    int64_t due_ns;
};

struct head_activations {
    struct activations_config config;
    struct head_cpu *cpus;
    size_t n_cpus;
    struct head_thread *threads; /* open addressing by tid; tid 0: free */
    size_t n_slots, n_threads;
    struct head_timer timers[N_TIMERS];
};

struct head_activations *head_activations_new(const struct activations_config *config)
{
    struct head_activations *h = memory_new(sizeof *h);
    h->config = *config;
    h->n_slots = 64;
    h->threads = memory_new(h->n_slots * sizeof *h->threads);
    return h;
}

void head_activations_free(struct head_activations *h)
{
    if (!h)
        return;
    free(h->threads);
    free(h->cpus);
    free(h);
}

static struct head_cpu *cpu_of(struct head_activations *h, int32_t cpu)
{
    if ((size_t)cpu >= h->n_cpus) {
        size_t n = (size_t)cpu + 1;
        h->cpus = memory_resize(h->cpus, n, sizeof *h->cpus);
        for (size_t i = h->n_cpus; i < n; i++)
            h->cpus[i] = (struct head_cpu){.tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN, .clock_entry_ns = NS_UNKNOWN,
                                           .expire_ns = NS_UNKNOWN, .due_ns = NS_UNKNOWN, .programmed_ns = NS_UNKNOWN};
        h->n_cpus = n;
    }
    return &h->cpus[cpu];
}

static size_t slot_of(const struct head_activations *h, int32_t tid)
{
    size_t i = ((uint32_t)tid * 2654435761u) & (h->n_slots - 1);
    while (h->threads[i].tid && h->threads[i].tid != tid)
        i = (i + 1) & (h->n_slots - 1);
    return i;
}

static struct head_thread *find(struct head_activations *h, int32_t tid)
{
    struct head_thread *t = tid > 0 ? &h->threads[slot_of(h, tid)] : NULL;
    return t && t->tid ? t : NULL;
}

static struct head_thread *find_or_add(struct head_activations *h, int32_t tid)
{
    if (tid <= 0)
        return NULL;
    if (2 * (h->n_threads + 1) > h->n_slots) {
        struct head_thread *old = h->threads;
        size_t n_old = h->n_slots;
        h->n_slots *= 2;
        h->threads = memory_new(h->n_slots * sizeof *h->threads);
        for (size_t i = 0; i < n_old; i++)
            if (old[i].tid)
                h->threads[slot_of(h, old[i].tid)] = old[i];
        free(old);
    }
    struct head_thread *t = &h->threads[slot_of(h, tid)];
    if (!t->tid) {
        *t = (struct head_thread){.tid = tid, .prio = PRIO_UNKNOWN, .slept_ns = NS_UNKNOWN, .relax_ns = NS_UNKNOWN};
        activation_clear(&t->a);
        h->n_threads++;
    }
    return t;
}

static void deliver(struct head_activations *h, struct head_thread *t, int64_t out_ns)
{
    if (t->a.switch_ns != NS_UNKNOWN) {
        t->a.out_ns = out_ns;
        h->config.handler(h->config.context, &t->a);
    }
    activation_clear(&t->a);
    t->is_waking = false;
}

static void leave_clock(struct head_cpu *c)
{
    c->in_clock = false;
    c->clock_entry_ns = c->expire_ns = NS_UNKNOWN;
}

static void on_shot(struct head_cpu *c, int64_t t_ns, const uint32_t *w)
{
    int64_t us = event_words_i64(w), ns = event_words_i64(w + 2);
    int64_t delay = ns != NS_UNKNOWN ? ns : us != NS_UNKNOWN && us > -1000000000 && us < 1000000000 ? us * 1000 : NS_UNKNOWN;
    if (!c->in_clock)
        leave_clock(c);
    /* The hardware knows one time: what was announced for an earlier one has fired, or its timer was stopped. */
    int64_t due = delay == NS_UNKNOWN ? t_ns : t_ns + (delay > 0 ? delay : 0);
    size_t n = 0;
    for (size_t i = 0; i < c->n_shots; i++)
        if (c->shots[i] >= due - SAME_SHOT_NS)
            c->shots[n++] = c->shots[i];
    c->n_shots = n;
    if (delay == NS_UNKNOWN)
        return;
    for (size_t i = 0; i < n; i++)
        if (llabs(c->shots[i] - due) <= SAME_SHOT_NS)
            return;
    if (n == N_SHOTS)
        n--;
    size_t at = n;
    for (; at > 0 && c->shots[at - 1] > due; at--)
        c->shots[at] = c->shots[at - 1];
    c->shots[at] = due;
    c->n_shots = n + 1;
}

static void on_expire(struct head_activations *h, struct head_cpu *c, int64_t t_ns, const uint32_t *w)
{
    uint64_t address = (uint64_t)event_words_i64(w);
    struct head_timer *timer = address != UINT64_MAX ? &h->timers[(address >> 4 ^ address >> 14) % N_TIMERS] : NULL;
    if (c->clock_entry_ns == NS_UNKNOWN)
        c->clock_entry_ns = c->irq_depth ? c->irq_entry_ns : t_ns;
    c->expire_ns = t_ns;
    c->due_ns = c->programmed_ns = NS_UNKNOWN;
    if (c->n_shots && c->shots[0] <= t_ns) {
        c->due_ns = c->shots[0];
        memmove(c->shots, c->shots + 1, --c->n_shots * sizeof *c->shots);
    }
    if (timer && timer->address == address) {
        /* Its own start says when it was due, and the shot, if later, for when the hardware was programmed. */
        if (timer->due_ns <= t_ns) {
            if (c->due_ns != NS_UNKNOWN && c->due_ns > timer->due_ns)
                c->programmed_ns = c->due_ns;
            if (c->due_ns == NS_UNKNOWN || c->due_ns > timer->due_ns)
                c->due_ns = timer->due_ns;
        }
        timer->address = 0;
    }
}

static void on_timer_start(struct head_activations *h, int64_t t_ns, const uint32_t *w)
{
    uint64_t address = (uint64_t)event_words_i64(w);
    int64_t value_ns = event_words_i64(w + 2);
    if (address == UINT64_MAX || !address)
        return;
    struct head_timer *timer = &h->timers[(address >> 4 ^ address >> 14) % N_TIMERS];
    /* An absolute value, taken for one from now on, gives a time that comes after its expiry: then it tells nothing. */
    bool relative = value_ns >= 0 && value_ns < INT64_C(1000000000000);
    *timer = (struct head_timer){relative ? address : 0, t_ns + (relative ? value_ns : 0)};
}

static void on_resume(struct head_activations *h, struct head_cpu *c, const struct event_ref *ref, int64_t t_ns, const uint32_t *w)
{
    struct head_thread *t = find_or_add(h, (int32_t)w[1]);
    bool is_wakeup = w[2] == UINT32_MAX || (w[2] & MASK_WAIT && !(w[2] & MASK_RELAX));
    if (!t || !is_wakeup || t->relax_ns != NS_UNKNOWN || t->is_waking)
        return;
    deliver(h, t, t_ns);
    t->is_waking = true;
    struct activation *a = &t->a;
    a->is_head = true;
    a->tid = t->tid;
    a->prio = t->prio;
    a->comm = w[0];
    a->slept_ns = t->slept_ns;
    a->waking_ns = t_ns;
    a->waking_cpu = a->target_cpu = ref->cpu;
    if (c->expire_ns != NS_UNKNOWN) {
        a->waker_in_irq = true;
        a->timer_cpu = ref->cpu;
        a->handler_ns = c->clock_entry_ns;
        a->expire_ns = c->expire_ns;
        a->due_ns = a->hard_due_ns = c->due_ns;
        a->programmed_ns = c->programmed_ns;
    } else {
        a->waker_tid = c->tid;
        a->waker_prio = c->prio;
        a->waker_comm = c->comm;
    }
}

/* From the relax to the switch back: time that the thread spent as a Linux task. */
static void deliver_relax(struct head_activations *h, struct head_thread *t, int64_t t_ns, int32_t cpu)
{
    if (t->relax_ns == NS_UNKNOWN || t->has_slept || !t->is_known || !prio_is_realtime(t->prio) || t->prio >= PRIO_FAIR - 1)
        return;
    struct activation a;
    activation_clear(&a);
    a.is_head = a.is_relax = true;
    a.tid = t->tid;
    a.prio = t->prio;
    a.comm = t->comm;
    a.relax_reason = t->relax_reason;
    a.waking_ns = t->relax_ns;
    a.waking_cpu = a.target_cpu = t->relax_cpu;
    a.cpu = cpu;
    a.switch_ns = t_ns;
    h->config.handler(h->config.context, &a);
}

static void on_switch(struct head_activations *h, struct head_cpu *c, int32_t cpu, int64_t t_ns, const uint32_t *w, int32_t prio)
{
    struct head_thread *next = find_or_add(h, (int32_t)w[5]);
    leave_clock(c);
    c->irq_depth = 0;
    c->tid = (int32_t)w[5];
    c->prio = prio;
    c->comm = w[4];
    if (!next)
        return;
    next->prio = prio;
    next->comm = w[4];
    next->is_known = true;
    if (next->relax_ns != NS_UNKNOWN) {
        deliver_relax(h, next, t_ns, cpu);
        next->relax_ns = NS_UNKNOWN;
    }
    if (!next->is_waking)
        return;
    next->is_waking = false;
    next->a.switch_ns = t_ns;
    next->a.cpu = cpu;
    next->a.prio = prio;
    next->a.comm = w[4];
    next->a.migrated = next->a.waking_cpu != cpu;
}

static void on_relax(struct head_activations *h, int32_t cpu, int64_t t_ns, const uint32_t *w)
{
    struct head_thread *t = find_or_add(h, (int32_t)w[1]);
    if (!t)
        return;
    t->relax_ns = t_ns;
    t->relax_cpu = cpu;
    t->relax_reason = w[2];
    t->is_hardening = t->has_slept = false;
}

static void on_sysexit(struct head_activations *h, struct head_cpu *c, int64_t t_ns)
{
    struct head_thread *t = find(h, c->tid);
    if (t && t->a.switch_ns != NS_UNKNOWN && t->a.user_ns == NS_UNKNOWN)
        t->a.user_ns = t_ns;
}

void head_activations_apply(struct head_activations *h, const struct event_ref *ref)
{
    struct head_cpu *c = cpu_of(h, ref->cpu);
    int64_t t_ns = event_time_ns(ref);
    const uint32_t *w = event_words(ref);
    struct head_thread *t;
    switch (ref->view->kind[ref->i]) {
    case KIND_COBALT_CLOCK_ENTRY:
        c->in_clock = true;
        c->clock_entry_ns = t_ns;
        break;
    case KIND_COBALT_CLOCK_EXIT: leave_clock(c); break;
    case KIND_COBALT_IRQ_ENTRY:
        if (c->irq_depth++ == 0)
            c->irq_entry_ns = t_ns;
        break;
    case KIND_COBALT_IRQ_EXIT:
        if (c->irq_depth > 0 && --c->irq_depth == 0)
            leave_clock(c);
        break;
    case KIND_COBALT_TIMER_EXPIRE: on_expire(h, c, t_ns, w); break;
    case KIND_COBALT_TIMER_START: on_timer_start(h, t_ns, w); break;
    case KIND_COBALT_TICK_SHOT: on_shot(c, t_ns, w); break;
    case KIND_COBALT_RESUME: on_resume(h, c, ref, t_ns, w); break;
    case KIND_COBALT_SWITCH: on_switch(h, c, ref->cpu, t_ns, w, prio_of_head((int32_t)w[6])); break;
    case KIND_COBALT_SUSPEND:
        if ((t = find(h, (int32_t)w[1]))) {
            deliver(h, t, t_ns);
            t->slept_ns = t_ns;
        }
        break;
    case KIND_COBALT_RELAX: on_relax(h, ref->cpu, t_ns, w); break;
    case KIND_COBALT_HARDEN:
        if ((t = find(h, (int32_t)w[1])))
            t->is_hardening = true;
        break;
    case KIND_COBALT_SYSEXIT: on_sysexit(h, c, t_ns); break;
    default: break;
    }
}

void head_activations_sleep(struct head_activations *h, int32_t tid)
{
    struct head_thread *t = find(h, tid);
    if (t && t->relax_ns != NS_UNKNOWN && !t->is_hardening)
        t->has_slept = true;
}

void head_activations_loss(struct head_activations *h, int32_t cpu)
{
    struct head_cpu *c = cpu_of(h, cpu);
    leave_clock(c);
    c->irq_depth = 0;
    c->n_shots = 0;
    memset(h->timers, 0, sizeof h->timers);
    for (size_t i = 0; i < h->n_slots; i++) {
        struct head_thread *t = &h->threads[i];
        if (!t->tid)
            continue;
        activation_clear(&t->a);
        t->is_waking = false;
        t->slept_ns = t->relax_ns = NS_UNKNOWN;
    }
}

void head_activations_finish(struct head_activations *h)
{
    for (size_t i = 0; h && i < h->n_slots; i++)
        if (h->threads[i].tid)
            deliver(h, &h->threads[i], NS_UNKNOWN);
}
