/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/activation_timer.h"

#define N_TIMERS 8192

struct armed_timer *armed_timers_new(void)
{
    return memory_new(N_TIMERS * sizeof(struct armed_timer));
}

struct armed_timer *armed_timer_at(struct armed_timer *timers, uint64_t address)
{
    return &timers[(address >> 6 ^ address >> 19) % N_TIMERS];
}

/* Sums and differences of an offset and a time stay in range. KTIME_MAX (never) lies beyond. */
static bool is_usable(int64_t time_ns)
{
    return time_ns <= NS_LIMIT / 2 && time_ns >= -NS_LIMIT / 2;
}

/* A time of the kernel's clock as an event states it. */
static int64_t stated_time_ns(const uint32_t *w)
{
    int64_t time_ns = event_words_i64(w);
    return is_usable(time_ns) ? time_ns : NS_UNKNOWN;
}

struct armed_timer *armed_timer_start(struct armed_timer *timers, int64_t t_ns, const uint32_t *w, const struct thread *thread)
{
    uint64_t address = (uint64_t)event_words_i64(w);
    struct armed_timer *armed = armed_timer_at(timers, address);
    *armed = (struct armed_timer){address, stated_time_ns(w + 3), stated_time_ns(w + 5), thread, t_ns};
    return armed;
}

void armed_timer_end(struct armed_timer *armed)
{
    armed->expires_ns = armed->soft_ns = NS_UNKNOWN;
}

void expiry_begin(struct expiry *e, struct armed_timer *timers, int64_t t_ns, const uint32_t *w)
{
    uint64_t address = (uint64_t)event_words_i64(w);
    int64_t now_ns = stated_time_ns(w + 3);
    struct armed_timer *armed = armed_timer_at(timers, address);
    e->in_callback = true;
    e->timer = address;
    e->function = w[2];
    e->entry_ns = t_ns;
    e->due_ns = e->hard_ns = e->late_ns = NS_UNKNOWN;
    if (now_ns == NS_UNKNOWN || !is_usable(t_ns))
        return;
    int64_t offset = clock_relation_learn(&e->clock, t_ns, now_ns);
    if (armed->address == address && armed->expires_ns != NS_UNKNOWN && armed->expires_ns <= now_ns) {
        e->hard_ns = armed->expires_ns + offset;
        e->late_ns = now_ns - armed->expires_ns;
        e->due_ns = armed->soft_ns != NS_UNKNOWN && armed->soft_ns < armed->expires_ns ? armed->soft_ns + offset : e->hard_ns;
    } else if (armed->address == address && armed->soft_ns != NS_UNKNOWN && armed->soft_ns <= now_ns) {
        /* Expired early within its slack, in the interrupt of another timer. */
        e->due_ns = armed->soft_ns + offset;
        e->hard_ns = e->due_ns;
    }
    if (armed->address == address) /* it is due once: an expiry without a start in front of it is due at an unknown time */
        armed_timer_end(armed);
}

void expiry_stamp(const struct expiry *e, struct activation *a, int32_t cpu, int64_t t_ns, bool in_softirq)
{
    a->timer = e->timer;
    a->timer_function = e->function;
    a->timer_cpu = cpu;
    a->expire_ns = e->entry_ns;
    a->expired_in_softirq = in_softirq;
    if (e->due_ns == NS_UNKNOWN || e->due_ns > t_ns)
        return;
    a->due_ns = e->due_ns;
    a->hard_due_ns = e->hard_ns;
    a->timer_late_ns = e->late_ns;
    a->due_is_soft = e->hard_ns > e->due_ns;
}

void expiry_guess(struct expiry *e, struct activation *a, int32_t cpu, int64_t t_ns, const struct armed_timer *armed)
{
    int64_t offset;
    if (armed->expires_ns == NS_UNKNOWN || armed->soft_ns == NS_UNKNOWN || !clock_relation_guess(&e->clock, t_ns, armed->expires_ns, &offset) || armed->expires_ns + offset > t_ns)
        return;
    a->timer = armed->address;
    a->timer_cpu = cpu;
    a->due_ns = armed->soft_ns + offset;
    a->hard_due_ns = armed->expires_ns + offset;
    a->due_is_soft = a->hard_due_ns > a->due_ns;
}
