/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to record next time, as commands that work: exactly the events that the answers lacked. */
#include "analyzers/explain.h"

#include "base/text.h"

#include <string.h>

struct seen {
    bool switches, wakings, timers, handlers, irqs_off, idle, syscalls, stacks;
};

/* A look at the first events of each CPU tells which kinds were recorded; a trace has them from the start or not at all. */
static struct seen kinds_seen(const struct store *store)
{
    struct seen seen = {0};
    for (size_t c = 0; c < store->n_event_chunks; c++) {
        struct event_view view;
        if (c && store->event_chunks[c].cpu == store->event_chunks[c - 1].cpu && store->event_chunks[c].stream == store->event_chunks[c - 1].stream)
            continue;
        if (store_event_view(store, c, &view, NULL) == FAILED)
            continue;
        for (size_t i = 0; i < view.n; i++)
            switch (view.kind[i]) {
            case KIND_SCHED_SWITCH:
                seen.switches = true;
                break;
            case KIND_SCHED_WAKING:
            case KIND_SCHED_WAKEUP:
                seen.wakings = true;
                break;
            case KIND_HRTIMER_EXPIRE_ENTRY:
                seen.timers = true;
                break;
            case KIND_VECTOR_ENTRY:
            case KIND_IRQ_HANDLER_ENTRY:
                seen.handlers = true;
                break;
            case KIND_IRQ_DISABLE:
            case KIND_IRQ_ENABLE:
                seen.irqs_off = true;
                break;
            case KIND_CPU_IDLE:
                seen.idle = true;
                break;
            case KIND_SYS_EXIT:
                seen.syscalls = true;
                break;
            case KIND_KERNEL_STACK:
                seen.stacks = true;
                break;
            default:
                break;
            }
    }
    return seen;
}

static bool any_cause(const struct analysis *a, enum cause cause)
{
    for (size_t i = 0; i < a->n_outliers; i++)
        if (a->outliers[i]->cause == cause)
            return true;
    return false;
}

static void add(struct analysis *a, const char *list[], const char *command)
{
    list[a->n_advice++] = command;
}

void explain_advise(struct analysis *a, const struct store *store)
{
    const char **list = arena_array(&a->arena, 8, sizeof *list);
    a->advice = list;
    if (!a->n_outliers)
        return;
    struct seen seen = kinds_seen(store);
    bool open = any_cause(a, CAUSE_UNEXPLAINED) || any_cause(a, CAUSE_LOWER_PRIORITY_TASK);
    bool doubtful = open || any_cause(a, CAUSE_IDLE_EXIT) || any_cause(a, CAUSE_KERNEL_PATH) || any_cause(a, CAUSE_CONTEXT_SWITCH);
    struct text events = {0};
    if (!seen.switches || !seen.wakings)
        text_add(&events, " -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_migrate_task");
    if (!seen.timers)
        text_add(&events, " -e timer:hrtimer_start -e timer:hrtimer_expire_entry -e timer:hrtimer_expire_exit");
    if (!seen.handlers)
        text_add(&events, " -e irq -e irq_vectors");
    if (!seen.irqs_off)
        text_add(&events, " -e preemptirq:irq_disable -e preemptirq:irq_enable");
    if (!seen.idle)
        text_add(&events, " -e power:cpu_idle");
    if (doubtful && events.length)
        add(a, list, arena_format(&a->arena, "trace-cmd record -C mono -b 20000%s", text_string(&events)));
    if (open && !seen.stacks && seen.handlers)
        add(a, list, "trace-cmd record -C mono -b 20000 -e sched -e timer -e irq -e irq_vectors -R 'stacktrace' -e irq_vectors:local_timer_entry");
    if (any_cause(a, CAUSE_HARDWARE_STALL) || any_cause(a, CAUSE_UNEXPLAINED))
        add(a, list, "rtla hwnoise -c all -d 10m");
    if (any_cause(a, CAUSE_LOST_EVENTS))
        add(a, list, "trace-cmd record -C mono -b 50000 -e sched -e timer:hrtimer_* -e irq -e irq_vectors");
    if (doubtful)
        add(a, list, "whylate-capture run --threshold 100us");
    text_release(&events);
}
