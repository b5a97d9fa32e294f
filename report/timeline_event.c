/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/timeline_event.h"

#include <stdio.h>
#include <string.h>

static const char *string_of(const struct store *store, uint32_t id)
{
    const char *string = store_string(store, id);
    return string && *string ? string : "?";
}

struct task_name {
    char text[96];
};

static struct task_name task_of(const struct store *store, uint32_t comm, uint32_t tid, uint32_t prio)
{
    struct task_name name;
    if (tid == 0)
        snprintf(name.text, sizeof name.text, "idle");
    else if ((int32_t)prio == PRIO_UNKNOWN || (int32_t)prio >= 100)
        snprintf(name.text, sizeof name.text, "%s:%d", comm ? string_of(store, comm) : "tid", (int)tid);
    else
        snprintf(name.text, sizeof name.text, "%s:%d (prio %d)", comm ? string_of(store, comm) : "tid", (int)tid, (int)prio);
    return name;
}

/* Interrupts, timers, and what is off. */
static void format_interrupt(const struct store *store, const struct event_view *view, size_t i, char *text, size_t size)
{
    const uint32_t *w = view->words + view->arg[i];
    const int32_t tid = view->tid[i];
    switch (view->kind[i]) {
    case KIND_VECTOR_ENTRY:
    case KIND_VECTOR_EXIT:
        if ((int32_t)w[1] < 0)
            snprintf(text, size, "interrupt %s %s", string_of(store, w[0]), view->kind[i] == KIND_VECTOR_ENTRY ? "begins" : "ends");
        else
            snprintf(text, size, "interrupt %s:%d %s", string_of(store, w[0]), (int)w[1],
                     view->kind[i] == KIND_VECTOR_ENTRY ? "begins" : "ends");
        return;
    case KIND_IRQ_HANDLER_ENTRY:
        snprintf(text, size, "irq %d %s begins", (int)w[0], string_of(store, w[1]));
        return;
    case KIND_IRQ_HANDLER_EXIT:
        snprintf(text, size, "irq %d ends", (int)w[0]);
        return;
    case KIND_HRTIMER_EXPIRE_ENTRY:
        snprintf(text, size, "a timer expires: %s", string_of(store, w[2]));
        return;
    case KIND_IRQ_DISABLE:
    case KIND_IRQ_ENABLE:
    case KIND_PREEMPT_DISABLE:
    case KIND_PREEMPT_ENABLE: {
        static const char *const changes[] = {"interrupts off", "interrupts on", "preemption off", "preemption on"};
        unsigned kind = view->kind[i];
        size_t k = kind == KIND_IRQ_DISABLE ? 0 : kind == KIND_IRQ_ENABLE ? 1 : kind == KIND_PREEMPT_DISABLE ? 2 : 3;
        snprintf(text, size, "%s in %s, by %s", changes[k], string_of(store, w[0]),
                 task_of(store, 0, (uint32_t)tid, (uint32_t)PRIO_UNKNOWN).text);
        return;
    }
    default:
        event_format(store, view, i, text, size);
    }
}

void timeline_event_format(const struct store *store, const struct event_view *view, size_t i, char *text, size_t size)
{
    const uint32_t *w = view->words + view->arg[i];
    const char *what;
    switch (view->kind[i]) {
    case KIND_SCHED_SWITCH: {
        bool waits = (char)w[3] != 'R' && w[3] && w[3] != UINT32_MAX;
        snprintf(text, size, "switch: %s%s -> %s", task_of(store, w[0], w[1], (uint32_t)PRIO_UNKNOWN).text,
                 waits && w[1] ? " (sleeps)" : "", task_of(store, w[4], w[5], w[6]).text);
        return;
    }
    case KIND_TRACER_SWITCH:
        snprintf(text, size, "switch: %s -> %s", task_of(store, 0, w[0], (uint32_t)PRIO_UNKNOWN).text, task_of(store, w[4], w[5], w[6]).text);
        return;
    case KIND_TRACER_WAKE:
        snprintf(text, size, "wakeup of %s", task_of(store, w[4], w[5], w[6]).text);
        return;
    case KIND_SCHED_WAKING:
    case KIND_SCHED_WAKEUP:
    case KIND_SCHED_WAKEUP_NEW:
        what = view->kind[i] == KIND_SCHED_WAKING ? "waking" : "wakeup of";
        if ((int32_t)w[3] < 0)
            snprintf(text, size, "%s %s", what, task_of(store, w[0], w[1], w[2]).text);
        else
            snprintf(text, size, "%s %s on CPU %d", what, task_of(store, w[0], w[1], w[2]).text, (int)w[3]);
        return;
    case KIND_SCHED_MIGRATE_TASK:
        snprintf(text, size, "%s moves from CPU %d to %d", task_of(store, w[0], w[1], w[2]).text, (int)w[3], (int)w[4]);
        return;
    case KIND_FUNCTION: {
        const char *function = store_string(store, w[0]), *parent = store_string(store, w[1]);
        snprintf(text, size, "%s%s%s", function ? function : "a function without a name", parent ? " <-" : "", parent ? parent : "");
        return;
    }
    default:
        format_interrupt(store, view, i, text, size);
    }
}
