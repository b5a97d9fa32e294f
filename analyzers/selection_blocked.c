/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Priority inversion without lock events: thread T slept, and a lower thread W woke it. W is taken for the owner of
 * what T waited for if W never slept in between (it had work to finish), and for some of the time could run but did
 * not, because threads between the two in priority ran instead:
 *
 *     T  ──┤ sleeps                                   ├── runs
 *     W      ███ ready, not running ............. ███▲ wakes T
 *     M          █████████████████████████████████
 */
#include "analyzers/selection.h"

#include <string.h>

#define MAX_MIDDLE 32
#define MAX_WAIT_NS 30000000000 /* longer sleeps are no waits for a lock, and would cost a scan */

enum owner_state { OWNER_RUNS, OWNER_READY, OWNER_SLEEPS };

struct inversion {
    enum owner_state state;
    int64_t since_ns, waited_ns;
    int32_t cpu;
    bool slept;
    size_t n;
    struct {
        int32_t tid;
        int64_t ns;
    } middle[MAX_MIDDLE];
};

static void count_middle(struct inversion *v, int32_t tid, int64_t ns)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->middle[i].tid == tid) {
            v->middle[i].ns += ns;
            return;
        }
    if (v->n < MAX_MIDDLE) {
        v->middle[v->n].tid = tid;
        v->middle[v->n++].ns = ns;
    }
}

/* The owner is ready but does not run: whose time is it? */
static void account(struct inversion *v, const struct window *w, int32_t tid, int32_t prio, int64_t to_ns)
{
    if (v->state != OWNER_READY || to_ns <= v->since_ns)
        return;
    if (tid > 0 && tid != w->tid && prio != PRIO_UNKNOWN && prio > w->prio && prio < w->a.waker_prio) {
        v->waited_ns += to_ns - v->since_ns;
        count_middle(v, tid, to_ns - v->since_ns);
    }
    v->since_ns = to_ns;
}

static void on_switch(struct inversion *v, const struct window *w, int32_t cpu, int64_t t_ns, const uint32_t *a)
{
    int32_t prev = (int32_t)a[1], next = (int32_t)a[5];
    if (cpu == v->cpu)
        account(v, w, prev, (int32_t)a[2], t_ns);
    if (prev == w->owner_tid) {
        v->state = (a[3] & 0xff) == 'R' ? OWNER_READY : OWNER_SLEEPS;
        v->slept |= v->state == OWNER_SLEEPS;
        v->since_ns = t_ns;
        v->cpu = cpu;
    } else if (next == w->owner_tid) {
        v->state = OWNER_RUNS;
        v->cpu = cpu;
    }
}

enum status blocked_check(const struct store *store, struct window *w, bool *is_inversion, struct error *error)
{
    *is_inversion = false;
    if (w->a.is_fault && w->a.lock_ns == NS_UNKNOWN)
        return OK;
    if (w->a.lock_ns != NS_UNKNOWN)
        w->cpu = w->a.waking_cpu; /* where the owner ran */
    int64_t wait = w->a.waking_ns - w->begin_ns;
    if (wait <= 0 || wait > MAX_WAIT_NS)
        return OK;
    struct event_merge *merge = event_merge_new(store, w->run, w->stream, w->begin_ns, w->a.waking_ns, error);
    if (!merge)
        return FAILED;
    struct inversion v = {.state = OWNER_READY, .since_ns = w->begin_ns, .cpu = w->a.waking_cpu};
    int32_t n_cpus = sweep_count_cpus(store, w->run);
    for (int32_t cpu = 0; cpu < n_cpus; cpu++) {
        const struct cpu_state *state = event_merge_state(merge, cpu);
        if (state && state->tid == w->owner_tid) {
            v.state = OWNER_RUNS;
            v.cpu = cpu;
        }
    }
    struct event_ref ref;
    while (!v.slept && event_merge_next(merge, &ref)) {
        unsigned kind = ref.view->kind[ref.i];
        const uint32_t *a = event_words(&ref);
        if (kind == KIND_SCHED_SWITCH)
            on_switch(&v, w, ref.cpu, event_time_ns(&ref), a);
        else if (kind == KIND_SCHED_WAKING && (int32_t)a[1] == w->owner_tid && v.state != OWNER_RUNS)
            v.slept = true; /* it was asleep at the begin */
    }
    enum status status = event_merge_status(merge);
    event_merge_free(merge);
    if (v.slept || 10 * v.waited_ns < wait)
        return status;
    size_t most = 0;
    for (size_t i = 1; i < v.n; i++)
        if (v.middle[i].ns > v.middle[most].ns)
            most = i;
    w->middle_tid = v.middle[most].tid;
    w->owner_waited_ns = v.waited_ns;
    w->cpu = w->a.waking_cpu;
    *is_inversion = true;
    return status;
}
