/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheduling-latency bound of each CPU from a trace with irq_disable/enable and preempt_disable/enable events, beside
 * the longest wakeup seen. Stock kernels do not say whether preemption is disabled to schedule, nor whether interrupts
 * go off because one was taken: both are told from the caller's name (methods: ECRTS 2020, and its tool's state machine).
 * Refused when events were lost: a bound from an incomplete trace is none.
 */
#include "analyzers/analyzer.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/stats/latency_bound.h"
#include "analyzers/thread.h"

#define LIMIT_NS       INT64_C(100000000) /* beyond, interrupts alone could fill the CPU */
#define MAX_INTERRUPTS (4u << 20)         /* kept invocations: 64 MB */
#define MAX_LINES      64
#define NAME_NMI       UINT32_MAX

struct line {
    uint32_t name; /* string id of the vector; 0: an exception that no vector event names */
    size_t n, capacity;
    int64_t *arrival_ns, *duration_ns;
};

/* What is open on a CPU; NS_UNKNOWN: not. Interrupts and NMIs shift what they interrupt, so that spans are net. */
struct cpu_bound {
    bool seen_irq_events, seen_preempt_events, need_resched;
    bool preempt_off, irqs_off, schedules_in_irq;
    int64_t poid, paie, psd, dst, irq;
    uint32_t irq_name;
    int32_t current, psd_tid;
    struct bound_terms terms;
    size_t n_lines;
    struct line lines[MAX_LINES];
};

struct collector {
    const struct store *store;
    struct word_classes words;
    size_t n_cpus, n_kept;
    struct cpu_bound *cpus;
    bool overflowed;
};

static bool is_open(int64_t begin_ns)
{
    return begin_ns != NS_UNKNOWN;
}

static void longest(int64_t *term, int64_t begin, int64_t end)
{
    if (is_open(begin) && end - begin > *term)
        *term = end - begin;
}

static void shift(int64_t *begin, int64_t by, int64_t now)
{
    if (is_open(*begin))
        *begin = by < now - *begin ? *begin + by : now;
}

static void add_interrupt(struct collector *c, struct cpu_bound *cpu, uint32_t name, int64_t arrival, int64_t duration)
{
    size_t i = 0;
    while (i < cpu->n_lines && cpu->lines[i].name != name)
        i++;
    if (i == MAX_LINES || ++c->n_kept > MAX_INTERRUPTS) {
        c->overflowed = true;
        return;
    }
    struct line *line = &cpu->lines[i];
    if (i == cpu->n_lines) {
        cpu->n_lines++;
        line->name = name;
    }
    if (line->n == line->capacity) {
        line->capacity = line->capacity ? 2 * line->capacity : 256;
        line->arrival_ns = memory_resize(line->arrival_ns, line->capacity, sizeof *line->arrival_ns);
        line->duration_ns = memory_resize(line->duration_ns, line->capacity, sizeof *line->duration_ns);
    }
    line->arrival_ns[line->n] = arrival;
    line->duration_ns[line->n++] = duration;
}

static void interrupt_ends(struct collector *c, struct cpu_bound *cpu, int64_t now)
{
    int64_t duration = now - cpu->irq;
    add_interrupt(c, cpu, cpu->irq_name, cpu->irq, duration);
    shift(&cpu->poid, duration, now);
    shift(&cpu->dst, duration, now);
    shift(&cpu->paie, duration, now);
    if (cpu->schedules_in_irq)
        shift(&cpu->psd, duration, now);
    cpu->irq = NS_UNKNOWN;
    cpu->irq_name = 0;
    /* The interrupt asked for a reschedule: from here on it is wanted with all enabled, unless a section is open. */
    if (cpu->need_resched && !is_open(cpu->paie) && !is_open(cpu->poid) && !is_open(cpu->psd))
        cpu->paie = now;
}

static void section_opens(struct cpu_bound *cpu, int64_t now)
{
    if (!is_open(cpu->poid))
        cpu->poid = now;
}

static void section_closes(struct cpu_bound *cpu, int64_t now)
{
    if (cpu->current != 0) /* idle's sections are left when the wakeup comes */
        longest(&cpu->terms.poid_ns, cpu->poid, now);
    cpu->poid = NS_UNKNOWN;
    if (cpu->need_resched)
        cpu->paie = now;
}

static void on_irq(struct collector *c, struct cpu_bound *cpu, bool disable, uint32_t caller, int64_t now)
{
    bool is_entry = word_class(&c->words, caller) & WORD_IRQ_ENTRY;
    cpu->seen_irq_events = true;
    if (disable && is_entry) {
        if (!is_open(cpu->irq)) {
            cpu->schedules_in_irq = is_open(cpu->psd);
            cpu->irq = now;
        }
        return;
    }
    if (is_open(cpu->irq)) {
        if (!disable)
            interrupt_ends(c, cpu, now);
        return;
    }
    cpu->irqs_off = disable;
    if (disable) {
        if (is_open(cpu->psd) && cpu->current == cpu->psd_tid)
            cpu->dst = now;
        section_opens(cpu, now);
    } else if (!cpu->preempt_off && !is_open(cpu->psd)) {
        section_closes(cpu, now);
    }
}

static void on_preempt(struct collector *c, struct cpu_bound *cpu, bool disable, uint32_t caller, int64_t now)
{
    cpu->seen_preempt_events = true;
    if (is_open(cpu->irq))
        return;
    if (disable && word_class(&c->words, caller) & WORD_SCHEDULES) {
        if (cpu->need_resched && !cpu->irqs_off && cpu->current != 0)
            longest(&cpu->terms.paie_ns, cpu->paie, now);
        cpu->paie = NS_UNKNOWN;
        cpu->psd_tid = cpu->current;
        cpu->psd = now;
        return;
    }
    if (!disable && is_open(cpu->psd)) {
        longest(&cpu->terms.dst_ns, cpu->dst, now);
        longest(&cpu->terms.psd_ns, cpu->psd, now);
        cpu->psd = cpu->dst = cpu->poid = NS_UNKNOWN;
        cpu->preempt_off = cpu->irqs_off = false;
        if (cpu->need_resched)
            cpu->paie = now;
        return;
    }
    cpu->preempt_off = disable;
    if (disable)
        section_opens(cpu, now);
    else if (!cpu->irqs_off)
        section_closes(cpu, now);
}

static void apply(struct collector *c, const struct event_ref *ref)
{
    struct cpu_bound *cpu = &c->cpus[ref->cpu];
    const uint32_t *words = event_words(ref);
    int64_t now = event_time_ns(ref);
    if (ref->view->flags_known & FLAG_NEED_RESCHED)
        cpu->need_resched = ref->view->flags[ref->i] & FLAG_NEED_RESCHED;
    switch (ref->view->kind[ref->i]) {
    case KIND_IRQ_DISABLE: on_irq(c, cpu, true, words[0], now); break;
    case KIND_IRQ_ENABLE: on_irq(c, cpu, false, words[0], now); break;
    case KIND_PREEMPT_DISABLE: on_preempt(c, cpu, true, words[0], now); break;
    case KIND_PREEMPT_ENABLE: on_preempt(c, cpu, false, words[0], now); break;
    case KIND_SCHED_SWITCH: cpu->current = (int32_t)words[5]; break;
    case KIND_VECTOR_ENTRY:
        if (is_open(cpu->irq) && !cpu->irq_name)
            cpu->irq_name = words[0];
        break;
    case KIND_IRQ_HANDLER_ENTRY:
        if (is_open(cpu->irq) && !cpu->irq_name)
            cpu->irq_name = words[1];
        break;
    case KIND_NMI_HANDLER: {
        int64_t duration = event_words_i64(words + 1);
        if (duration > LIMIT_NS)
            duration = LIMIT_NS;
        if (duration > 0) {
            add_interrupt(c, cpu, NAME_NMI, now - duration, duration);
            shift(&cpu->irq, duration, now);
            shift(&cpu->poid, duration, now);
            shift(&cpu->psd, duration, now);
            shift(&cpu->dst, duration, now);
            shift(&cpu->paie, duration, now);
        }
        break;
    }
    default: break;
    }
}

static bool has_events(const struct store *store, uint32_t run)
{
    bool irq = false, preempt = false;
    size_t n_seen = 0;
    for (size_t i = 0; i < store->n_event_chunks && !(irq && preempt); i++) {
        struct event_view view;
        if (store->event_chunks[i].run != run || store_event_view(store, i, &view, NULL) == FAILED)
            continue;
        for (size_t k = 0; k < view.n && !(irq && preempt); k++) {
            irq |= view.kind[k] == KIND_IRQ_DISABLE;
            preempt |= view.kind[k] == KIND_PREEMPT_DISABLE;
        }
        n_seen += view.n;
        if (n_seen >= 16384 && !irq && !preempt)
            return false; /* such events come everywhere or not at all */
    }
    return irq && preempt;
}

static bool is_incomplete(const struct store *store, uint32_t run)
{
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *gap = &store->gaps[i];
        /* A buffer that began later than another, or lost its oldest events, is whole from its begin on. */
        if (gap->run == run && gap->begin_ns != NS_UNKNOWN)
            return true;
    }
    return false;
}

static int64_t longest_wakeup_ns(const struct analysis *analysis, uint32_t run, int32_t cpu)
{
    for (size_t i = 0; i < analysis->n_outliers; i++)
        if (analysis->outliers[i]->run == run && analysis->outliers[i]->cpu == cpu && analysis->outliers[i]->window != WINDOW_BLOCKED)
            return analysis->outliers[i]->latency_ns;
    return NS_UNKNOWN;
}

static void refuse(struct analysis *analysis, uint32_t run, int32_t cpu, const char *variant)
{
    struct finding *finding = findings_add(&analysis->findings, "latency-bound", SEVERITY_NOTE, CONFIDENCE_UNKNOWN);
    finding->run = run;
    finding->cpu = cpu;
    finding->variant = variant;
}

static void tell(struct collector *c, struct analysis *analysis, uint32_t run, int32_t number)
{
    struct cpu_bound *cpu = &c->cpus[number];
    struct findings *findings = &analysis->findings;
    if (!cpu->seen_irq_events || !cpu->seen_preempt_events)
        return;
    if (!cpu->terms.psd_ns) { /* callers without names: nothing tells the scheduler's own sections */
        refuse(analysis, run, number, "no-names");
        return;
    }
    struct bound_interrupt interrupts[MAX_LINES];
    for (size_t i = 0; i < cpu->n_lines; i++)
        interrupts[i] = (struct bound_interrupt){cpu->lines[i].n, cpu->lines[i].arrival_ns, cpu->lines[i].duration_ns};
    int64_t bound_ns = 0;
    bool is_bounded = !c->overflowed && bound_latency_ns(&cpu->terms, interrupts, cpu->n_lines, LIMIT_NS, &bound_ns);
    struct finding *finding = findings_add(findings, "latency-bound", SEVERITY_NOTE, is_bounded ? CONFIDENCE_POSSIBLE : CONFIDENCE_UNKNOWN);
    finding->run = run;
    finding->cpu = number;
    finding->variant = is_bounded ? "" : c->overflowed ? "too-long" : "unbounded";
    if (is_bounded) {
        finding_integer(findings, finding, "bound_ns", bound_ns);
        int64_t seen_ns = longest_wakeup_ns(analysis, run, number);
        if (seen_ns != NS_UNKNOWN && seen_ns <= bound_ns)
            finding_integer(findings, finding, "seen_ns", seen_ns);
    }
    finding_integer(findings, finding, "poid_ns", cpu->terms.poid_ns);
    finding_integer(findings, finding, "paie_ns", cpu->terms.paie_ns);
    finding_integer(findings, finding, "psd_ns", cpu->terms.psd_ns);
    finding_integer(findings, finding, "dst_ns", cpu->terms.dst_ns);
    if (!is_bounded)
        return;
    /* The schedule that would reach it: the longest section, then these interrupts within the window. */
    for (size_t i = 0; i < cpu->n_lines; i++) {
        int64_t amount_ns = bound_interference_ns(&interrupts[i], bound_ns);
        const char *name = cpu->lines[i].name == NAME_NMI ? "nmi" : store_string(c->store, cpu->lines[i].name);
        if (amount_ns > 0)
            finding_integer(findings, finding, arena_format(findings->arena, "irq_%s_ns", name ? name : "exceptions"), amount_ns);
    }
}

static enum status bound_one_run(const struct store *store, uint32_t run, struct analysis *analysis, struct error *error)
{
    struct collector c = {.store = store};
    for (size_t i = 0; i < store->n_event_chunks; i++)
        if (store->event_chunks[i].run == run && store->event_chunks[i].cpu >= 0 && (size_t)store->event_chunks[i].cpu >= c.n_cpus)
            c.n_cpus = (size_t)store->event_chunks[i].cpu + 1;
    if (!c.n_cpus || !has_events(store, run))
        return OK;
    if (is_incomplete(store, run)) {
        refuse(analysis, run, CPU_UNKNOWN, "refused");
        return OK;
    }
    c.cpus = memory_array(c.n_cpus, sizeof *c.cpus, SIZE_MAX);
    if (!c.cpus)
        return OK;
    for (size_t i = 0; i < c.n_cpus; i++)
        c.cpus[i].poid = c.cpus[i].paie = c.cpus[i].psd = c.cpus[i].dst = c.cpus[i].irq = NS_UNKNOWN;
    word_classes_init(&c.words, store);
    struct event_merge *merge = event_merge_new(store, run, ROW_NONE, INT64_MIN, INT64_MAX, error);
    struct event_ref ref;
    while (merge && event_merge_next(merge, &ref))
        if (ref.cpu >= 0)
            apply(&c, &ref);
    enum status status = merge ? event_merge_status(merge) : FAILED;
    if (merge)
        event_merge_free(merge);
    for (size_t i = 0; i < c.n_cpus; i++) {
        if (status != FAILED)
            tell(&c, analysis, run, (int32_t)i);
        for (size_t k = 0; k < c.cpus[i].n_lines; k++) {
            free(c.cpus[i].lines[k].arrival_ns);
            free(c.cpus[i].lines[k].duration_ns);
        }
    }
    word_classes_release(&c.words);
    free(c.cpus);
    return status;
}

static enum status bound_run(const struct store *store, const struct analysis_options *options, struct analysis *analysis,
                             struct error *error)
{
    (void)options;
    for (uint32_t run = 0; run < store->n_runs; run++)
        if (bound_one_run(store, run, analysis, error) == FAILED)
            return FAILED;
    return OK;
}

const struct analyzer analyzer_bound = {
    .name = "bound",
    .summary = "the scheduling-latency bound from the longest sections seen",
    .jobs = JOB_EXPLAIN,
    .run = bound_run,
};
