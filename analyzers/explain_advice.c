/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to record next time, as commands that work: exactly the events that the answers lacked. */
#include "analyzers/explain.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define MAX_VECTORS 24
#define HALF_MIN 3 /* so many begins without any end, or ends without any begin, are no accident of where the trace was cut */

/* How often each kind was recorded; the vectors, of which each has events of its own, by name. */
struct seen {
    uint64_t n[KIND_END];
    size_t n_vectors;
    struct {
        uint32_t name; /* string id */
        uint64_t n_entries, n_exits;
    } vectors[MAX_VECTORS];
};

static void count_vector(struct seen *seen, uint32_t name, bool is_entry)
{
    size_t i = 0;
    while (i < seen->n_vectors && seen->vectors[i].name != name)
        i++;
    if (i == MAX_VECTORS)
        return;
    if (i == seen->n_vectors)
        seen->vectors[seen->n_vectors++].name = name;
    seen->vectors[i].n_entries += is_entry;
    seen->vectors[i].n_exits += !is_entry;
}

/* A look at the first events of each CPU tells which kinds were recorded; a trace has them from the start or not at all. */
static void count_kinds(const struct store *store, struct seen *seen)
{
    for (size_t c = 0; c < store->n_event_chunks; c++) {
        struct event_view view;
        if (c && store->event_chunks[c].cpu == store->event_chunks[c - 1].cpu && store->event_chunks[c].stream == store->event_chunks[c - 1].stream)
            continue;
        if (store_event_view(store, c, &view, NULL) == FAILED)
            continue;
        for (size_t i = 0; i < view.n; i++) {
            unsigned kind = view.kind[i];
            if (kind >= KIND_END)
                continue;
            seen->n[kind]++;
            if (kind == KIND_VECTOR_ENTRY || kind == KIND_VECTOR_EXIT)
                count_vector(seen, view.words[view.arg[i]], kind == KIND_VECTOR_ENTRY);
        }
    }
}

static bool any_cause(const struct analysis *a, enum cause cause)
{
    for (size_t i = 0; i < a->n_outliers; i++)
        if (a->outliers[i]->cause == cause)
            return true;
    return false;
}

static bool any_unsure(const struct analysis *a)
{
    for (size_t i = 0; i < a->n_outliers; i++)
        if (a->outliers[i]->confidence < CONFIDENCE_PROVEN)
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

static void add_missing_event(struct text *missing, uint64_t n, uint64_t n_other_half, const char *name)
{
    add_missing(missing, n || n_other_half < HALF_MIN, name);
}

/* Events that come in pairs, of which one was not recorded: what it ends or begins is then known at one side only. */
static bool add_halves(struct text *missing, const struct store *store, const struct seen *seen)
{
    static const unsigned pairs[][2] = {
        {KIND_HRTIMER_START, KIND_HRTIMER_EXPIRE_ENTRY}, {KIND_HRTIMER_EXPIRE_ENTRY, KIND_HRTIMER_EXPIRE_EXIT},
        {KIND_IRQ_HANDLER_ENTRY, KIND_IRQ_HANDLER_EXIT}, {KIND_SOFTIRQ_ENTRY, KIND_SOFTIRQ_EXIT},
        {KIND_IPI_ENTRY, KIND_IPI_EXIT},                 {KIND_CSD_FUNCTION_ENTRY, KIND_CSD_FUNCTION_EXIT},
        {KIND_TIMER_EXPIRE_ENTRY, KIND_TIMER_EXPIRE_EXIT}, {KIND_IRQ_DISABLE, KIND_IRQ_ENABLE},
        {KIND_PREEMPT_DISABLE, KIND_PREEMPT_ENABLE},     {KIND_CONTENTION_BEGIN, KIND_CONTENTION_END},
        {KIND_COBALT_IRQ_ENTRY, KIND_COBALT_IRQ_EXIT},   {KIND_COBALT_CLOCK_ENTRY, KIND_COBALT_CLOCK_EXIT},
    };
    size_t length_before = missing->length;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        unsigned begin = pairs[i][0], end = pairs[i][1];
        if (begin != KIND_HRTIMER_EXPIRE_ENTRY || seen->n[KIND_HRTIMER_START] < HALF_MIN) /* else it is said already */
            add_missing_event(missing, seen->n[begin], seen->n[end], event_kind_info(begin)->name);
        add_missing_event(missing, seen->n[end], seen->n[begin], event_kind_info(end)->name);
    }
    for (size_t i = 0; i < seen->n_vectors; i++) {
        char name[80];
        const char *vector = store_string(store, seen->vectors[i].name);
        snprintf(name, sizeof name, "%s_entry", vector ? vector : "vector");
        add_missing_event(missing, seen->vectors[i].n_entries, seen->vectors[i].n_exits, name);
        snprintf(name, sizeof name, "%s_exit", vector ? vector : "vector");
        add_missing_event(missing, seen->vectors[i].n_exits, seen->vectors[i].n_entries, name);
    }
    return missing->length > length_before;
}

/* All that an answer needs, since a trace of the missing events alone would lack what this one has. */
static const char *command_of(struct analysis *a, const struct store *store, const struct seen *seen)
{
    const uint64_t *n = seen->n;
    bool has_head = n[KIND_COBALT_SWITCH] || n[KIND_COBALT_IRQ_ENTRY] || n[KIND_COBALT_CLOCK_ENTRY];
    return arena_format(&a->arena,
                        "trace-cmd record -C mono -b 20000 -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup "
                        "-e sched:sched_migrate_task -e timer:hrtimer_start -e timer:hrtimer_expire_entry -e timer:hrtimer_expire_exit "
                        "-e irq%s -e power:cpu_idle -e preemptirq:irq_disable -e preemptirq:irq_enable%s%s%s%s%s%s",
                        has_vectors(store) ? " -e irq_vectors" : " -e ipi",
                        n[KIND_PREEMPT_DISABLE] || n[KIND_PREEMPT_ENABLE] ? " -e preemptirq:preempt_disable -e preemptirq:preempt_enable" : "",
                        n[KIND_CSD_FUNCTION_ENTRY] || n[KIND_CSD_FUNCTION_EXIT] ? " -e csd" : "",
                        n[KIND_TIMER_EXPIRE_ENTRY] || n[KIND_TIMER_EXPIRE_EXIT] ? " -e timer:timer_expire_entry -e timer:timer_expire_exit" : "",
                        n[KIND_CONTENTION_BEGIN] || n[KIND_CONTENTION_END] ? " -e lock:contention_begin -e lock:contention_end" : "",
                        has_head ? " -e cobalt_core -e cobalt_posix" : "", n[KIND_IRQ_DISABLE] ? " -T" : "");
}

static void add_kinds(struct text *missing, const struct seen *seen)
{
    const uint64_t *n = seen->n;
    bool has_wakings = n[KIND_SCHED_WAKING] || n[KIND_SCHED_WAKEUP], has_switches = n[KIND_SCHED_SWITCH];
    if (!has_wakings && !has_switches)
        add_missing(missing, false, "switches and wakeups");
    else
        add_missing(missing, has_switches && has_wakings, has_wakings ? "sched_switch" : "sched_waking");
    add_missing(missing, n[KIND_HRTIMER_EXPIRE_ENTRY] || n[KIND_HRTIMER_EXPIRE_EXIT] || n[KIND_HRTIMER_START], "timer expiries");
    add_missing(missing, n[KIND_VECTOR_ENTRY] || n[KIND_IRQ_HANDLER_ENTRY] || n[KIND_VECTOR_EXIT] || n[KIND_IRQ_HANDLER_EXIT], "interrupt handlers");
    add_missing(missing, n[KIND_IRQ_DISABLE] || n[KIND_IRQ_ENABLE], "where interrupts are off");
    add_missing(missing, n[KIND_CPU_IDLE], "idle states");
}

void explain_advise(struct analysis *a, const struct store *store)
{
    if (!a->n_outliers || !store->n_events)
        return;
    struct seen seen = {0};
    count_kinds(store, &seen);
    bool open = any_cause(a, CAUSE_UNEXPLAINED) || any_cause(a, CAUSE_LOWER_PRIORITY_TASK);
    bool doubtful = open || any_cause(a, CAUSE_IDLE_EXIT) || any_cause(a, CAUSE_KERNEL_PATH) || any_cause(a, CAUSE_CONTEXT_SWITCH);
    struct text missing = {0};
    bool has_halves = add_halves(&missing, store, &seen);
    add_kinds(&missing, &seen);
    if (open && !missing.length)
        add_missing(&missing, seen.n[KIND_KERNEL_STACK], "stacks");
    if ((doubtful && missing.length) || (has_halves && any_unsure(a))) {
        struct findings *f = &a->findings;
        struct finding *finding = findings_add(f, "record-next", SEVERITY_NOTE, CONFIDENCE_PROVEN);
        finding->run = a->outliers[0]->run;
        finding_text(f, finding, "missing", text_string(&missing));
        finding_text(f, finding, "command", command_of(a, store, &seen));
    }
    text_release(&missing);
}
