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

/* Timers and IPIs of other architectures come as irqs; there is no irq_vectors to enable. */
static bool has_vectors(const struct store *store)
{
    static const char *const elsewhere[] = {"arch_timer", "riscv-timer",    "IPI",     "gic_handle_irq", "decrementer",
                                            "twd",        "riscv_intc_irq", "aarch64", "armv7l",         "riscv64"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (store_find_string(store, elsewhere[i]))
            return false;
    return true;
}

static void add_missing(struct text *missing, bool is_there, const char *what)
{
    if (!is_there)
        text_format(missing, "%s%s", missing->length ? ", " : "", what);
}

/* All that an answer needs, since a trace of the missing events alone would lack what this one has. */
static const char *command_of(struct analysis *a, const struct store *store, bool with_stack)
{
    return arena_format(&a->arena,
                        "trace-cmd record -C mono -b 20000 -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup "
                        "-e sched:sched_migrate_task -e timer:hrtimer_start -e timer:hrtimer_expire_entry -e timer:hrtimer_expire_exit "
                        "-e irq%s -e power:cpu_idle -e preemptirq:irq_disable -e preemptirq:irq_enable%s",
                        has_vectors(store) ? " -e irq_vectors" : " -e ipi", with_stack ? " -T" : "");
}

void explain_advise(struct analysis *a, const struct store *store)
{
    if (!a->n_outliers || !store->n_events)
        return;
    struct seen seen = kinds_seen(store);
    bool open = any_cause(a, CAUSE_UNEXPLAINED) || any_cause(a, CAUSE_LOWER_PRIORITY_TASK);
    bool doubtful = open || any_cause(a, CAUSE_IDLE_EXIT) || any_cause(a, CAUSE_KERNEL_PATH) || any_cause(a, CAUSE_CONTEXT_SWITCH);
    struct text missing = {0};
    add_missing(&missing, seen.switches && seen.wakings, "switches and wakeups");
    add_missing(&missing, seen.timers, "timer expiries");
    add_missing(&missing, seen.handlers, "interrupt handlers");
    add_missing(&missing, seen.irqs_off, "where interrupts are off");
    add_missing(&missing, seen.idle, "idle states");
    if (open && !missing.length)
        add_missing(&missing, seen.stacks, "stacks");
    if (doubtful && missing.length) {
        struct findings *f = &a->findings;
        struct finding *finding = findings_add(f, "record-next", SEVERITY_NOTE, CONFIDENCE_PROVEN);
        finding->run = a->outliers[0]->run;
        finding_text(f, finding, "missing", text_string(&missing));
        finding_text(f, finding, "command", command_of(a, store, seen.irqs_off));
    }
    text_release(&missing);
}
