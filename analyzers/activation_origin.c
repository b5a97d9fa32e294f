/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/activation_origin.h"

void origin_clear(struct origin *o)
{
    *o = (struct origin){.begin_ns = NS_UNKNOWN, .since_ns = NS_UNKNOWN};
}

static bool has_task(const struct origin *o, int32_t tid)
{
    for (unsigned i = 0; i < o->n; i++)
        if (o->tids[i] == tid)
            return true;
    return false;
}

void origin_wake(struct origin *o, const struct origin *waker, struct activation *a)
{
    bool goes_on = waker && waker->begin_ns != NS_UNKNOWN && waker->n < ORIGIN_MAX_TASKS && !has_task(waker, a->tid) &&
                   a->due_ns == NS_UNKNOWN;
    if (!goes_on) { /* two that wake one another are no chain: it begins here */
        origin_clear(o);
        o->begin_ns = o->since_ns = activation_begin_ns(a);
        return;
    }
    struct origin from = *waker;
    *o = from;
    o->tids[o->n++] = a->waker_tid;
    o->since_ns = a->waking_ns;
    a->origin_ns = o->begin_ns;
    a->inherited_ns = o->waited_ns;
}

void origin_resume(struct origin *o, const struct activation *a)
{
    o->since_ns = a->slept_ns != NS_UNKNOWN ? a->slept_ns : a->waking_ns;
}

void origin_run(struct origin *o, int64_t t_ns)
{
    if (o->begin_ns != NS_UNKNOWN && o->since_ns != NS_UNKNOWN && t_ns > o->since_ns)
        o->waited_ns += t_ns - o->since_ns;
    o->since_ns = NS_UNKNOWN;
}
