/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ledgers out of what a tool says about a sample (rtla's auto-analysis; a timerlat sample with its interrupt's
 * latency). The tool's parts are no partition (rtla adds up what ran, and prints no rest): what they leave over is a
 * part of its own, called unexplained. What a tool infers is one witness: possible, no more.
 */
#include "analyzers/noise_parts.h"
#include "analyzers/outlier_build.h"

#include <string.h>

#define MAX_ROUNDING_NS 1000

struct ledger {
    struct arena *arena;
    struct outlier *o;
    size_t capacity;
    int64_t sum_ns;
    int32_t cpu;
    const char *evidence;
};

static struct slice *add_slice(struct ledger *l, enum slice_kind kind, const char *subject, int64_t amount_ns)
{
    struct outlier *o = l->o;
    if (amount_ns <= 0 || o->n_slices == l->capacity)
        return NULL;
    if (amount_ns > LATENCY_LIMIT_NS) /* of a part: more than any total */
        amount_ns = LATENCY_LIMIT_NS;
    o->slices[o->n_slices] = (struct slice){.begin_ns = NS_UNKNOWN, .end_ns = NS_UNKNOWN, .amount_ns = amount_ns, .kind = kind,
                                            .subject = subject, .cpu = l->cpu, .evidence = l->evidence};
    l->sum_ns += amount_ns;
    return &o->slices[o->n_slices++];
}

static bool subject_is_idle(const char *subject)
{
    return subject && (!strncmp(subject, "swapper", 7) || !strncmp(subject, "<idle>", 6));
}

static enum slice_kind kind_of_part(const struct claim_part *part)
{
    switch (part->kind) {
    case PART_IRQ_HANDLER_DELAY:
        return part->is_inferred ? SLICE_IDLE_EXIT : SLICE_TIMER_LATE;
    case PART_IDLE_EXIT:
        return SLICE_IDLE_EXIT;
    case PART_TIMER_IRQ:
    case PART_IRQ:
    case PART_PREVIOUS_IRQ:
        return SLICE_IRQ;
    case PART_BLOCKING_THREAD:
        return subject_is_idle(part->subject) ? SLICE_IDLE : SLICE_TASK_LOWER;
    case PART_NMI:
        return SLICE_NMI;
    case PART_SOFTIRQ:
        return SLICE_SOFTIRQ;
    case PART_THREAD:
        return SLICE_TASK_HIGHER;
    case PART_HARDWARE:
        return SLICE_HARDWARE_STALL;
    default:
        return SLICE_UNEXPLAINED;
    }
}

static const char *subject_of_part(const struct claim_part *part)
{
    if (part->subject && *part->subject)
        return part->subject;
    switch (part->kind) {
    case PART_IRQ_HANDLER_DELAY:
        return part->is_inferred ? "exit from idle" : "timer interrupt late";
    case PART_IDLE_EXIT:
        return "exit from idle";
    case PART_TIMER_IRQ:
        return "timerlat interrupt";
    case PART_BLOCKING_THREAD:
        return "blocking thread";
    case PART_NMI:
        return "NMI";
    default:
        return "other";
    }
}

/* A heading counts only when none of its rows has an amount. */
static bool heading_has_rows(const struct claim *c, size_t i)
{
    for (size_t k = i + 1; k < c->n_parts && !c->parts[k].is_total_of_following; k++)
        if (c->parts[k].kind == c->parts[i].kind && c->parts[k].amount_ns != NS_UNKNOWN && c->parts[k].amount_ns > 0)
            return true;
    return false;
}

static const char *interrupted_function(const struct claim *c, bool *enables)
{
    size_t last_entry = SIZE_MAX;
    for (size_t i = 0; i < c->n_stack; i++)
        if (word_class_of(c->stack[i]) & (WORD_IRQ_ENTRY | WORD_WAKING_TIMER))
            last_entry = i;
    /* Entry code also ends a stack (ret_from_fork, entry_SYSCALL): only what stands on top counts. */
    for (size_t i = 0; i < c->n_stack && last_entry != SIZE_MAX; i++)
        if (!(word_class_of(c->stack[i]) & (WORD_IRQ_ENTRY | WORD_WAKING_TIMER))) {
            size_t at = i;
            *enables = word_class_of(c->stack[at]) & WORD_ENABLES_IRQS;
            while (at + 1 < c->n_stack && word_class_of(c->stack[at]) & WORD_ENABLES_IRQS)
                at++;
            return c->stack[at];
        }
    return NULL;
}

/*
 * Where the stack of a kernel's log leaves the interrupt that looked: behind its entry if the frames of the report stand in
 * front of it, else at the front.
 */
static size_t log_stack_begin(const struct claim *c)
{
    static const char *const lookers[] = {"rcu_dump_cpu_stacks", "rcu_sched_clock_irq", "rcu_check_callbacks", "check_cpu_stall",
                                          "print_cpu_stall", "watchdog_timer_fn", "dump_cpu_task", "rcu_pending"};
    static const char *const entries[] = {"el1_irq", "el0_irq", "el1h_64_irq", "el0t_64_irq", "__irq_svc", "__irq_usr", "apic_timer_interrupt",
                                          "asm_sysvec_", "do_vint", "ret_from_intr", "decrementer_common", "ret_from_exception"};
    bool looks = false;
    for (size_t i = 0; i < c->n_stack; i++) {
        for (size_t k = 0; k < sizeof lookers / sizeof *lookers; k++)
            looks |= strstr(c->stack[i], lookers[k]) != NULL;
        for (size_t k = 0; looks && k < sizeof entries / sizeof *entries; k++)
            if (!strncmp(c->stack[i], entries[k], strlen(entries[k])) && (i + 1 == c->n_stack || strncmp(c->stack[i + 1], entries[k], strlen(entries[k]))))
                return i + 1;
    }
    bool is_stale = c->n_stack && !strcmp(c->stack[0], "__switch_to"); /* the task runs; this is where it was switched out last */
    return looks || is_stale ? c->n_stack : 0;
}

/* Where the blocking task was when the timer's interrupt came into it; who merely waits there is asked for by its caller. */
static const char *blocking_function(const struct claim *c)
{
    for (size_t i = c->kind == CLAIM_LOG ? log_stack_begin(c) : c->n_stack; i < c->n_stack; i++)
        if (!(word_class_of(c->stack[i]) & WORD_PRIMITIVE))
            return c->stack[i];
    if (c->kind == CLAIM_LOG)
        return NULL;

    static const char *const waits[] = {"delay_", "__delay", "__udelay", "__const_udelay", "udelay", "mdelay", "__ndelay"};
    bool enables;
    const char *function = interrupted_function(c, &enables);
    for (size_t i = 0; function && i < c->n_stack; i++) {
        if (c->stack[i] != function)
            continue;
        bool is_wait = false;
        for (size_t k = 0; k < sizeof waits / sizeof *waits; k++)
            is_wait |= strncmp(function, waits[k], strlen(waits[k])) == 0;
        if (!is_wait || i + 1 == c->n_stack)
            break;
        function = c->stack[i + 1];
    }
    return function;
}

static const char *blocking_subject(const struct claim *c)
{
    for (size_t i = 0; i < c->n_parts; i++)
        if (c->parts[i].kind == PART_BLOCKING_THREAD && c->parts[i].subject)
            return c->parts[i].subject;
    return NULL;
}

/* The scheduler enables interrupts after a switch: what kept them off came before it, and no stack shows that. */
static enum confidence late_confidence(const char *function)
{
    return word_class_of(function) & WORD_SCHEDULES ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY;
}

/* Stopped in the interrupt: all of its lateness lies before the handler, and only a stack can tell why. */
static void ledger_of_late_irq(struct ledger *l, const struct claim *c)
{
    struct outlier *o = l->o;
    bool enables = false;
    const char *function = interrupted_function(c, &enables), *task = blocking_subject(c);
    if (!task)
        task = c->comm ? c->comm : "an unknown task";
    o->culprit = function ? arena_format(l->arena, "%s in %s", function, task) : task;
    if (function) {
        o->cause = enables ? CAUSE_IRQS_OFF : CAUSE_HARDWARE_STALL;
        o->confidence = late_confidence(function);
        o->why = enables ? "interrupt-where-enabled" : "interrupt-elsewhere";
        add_slice(l, enables ? SLICE_IRQS_OFF : SLICE_HARDWARE_STALL, o->culprit, o->latency_ns);
    } else {
        o->cause = CAUSE_UNEXPLAINED;
        o->confidence = CONFIDENCE_UNKNOWN;
        o->why = "late-interrupt-no-stack";
        add_slice(l, SLICE_UNEXPLAINED, arena_format(l->arena, "timer interrupt late while %s was current", task), o->latency_ns);
    }
}

/* It ended where interrupts were enabled again: by the place, or by the tracer's hook in the stack that came with it. */
static bool section_enables_irqs(const struct claim *c)
{
    if (c->ended_at && word_class_of(c->ended_at) & WORD_ENABLES_IRQS && strstr(c->ended_at, "irq"))
        return true;
    for (size_t i = 0; i < c->n_stack; i++)
        if (!strncmp(c->stack[i], "trace_irqs_on", 13) || !strncmp(c->stack[i], "trace_hardirqs_on", 17))
            return true;
    return false;
}

/* A section that the kernel measured and told, and no trace of it: off it was, by whom and where is in its words. */
static bool ledger_of_section(struct ledger *l, const struct claim *c)
{
    struct outlier *o = l->o;
    if (c->section < SECTION_IRQS_OFF || c->section > SECTION_PREEMPT_IRQS_OFF || c->n_parts || c->latency_ns == NS_UNKNOWN)
        return false;
    const char *task = thread_format(l->arena, c->comm, c->tid, PRIO_UNKNOWN);
    const char *started = function_format(l->arena, c->started_at), *ended = function_format(l->arena, c->ended_at);
    const char *place = started ? arena_format(l->arena, "%s in %s", started, task) : task;
    o->culprit = place;
    if (started && ended && strcmp(started, ended))
        o->culprit = arena_format(l->arena, "%s to %s in %s", started, ended, task);
    bool irqs_off = c->section == SECTION_IRQS_OFF || (c->section == SECTION_PREEMPT_IRQS_OFF && section_enables_irqs(c));
    o->cause = irqs_off ? CAUSE_IRQS_OFF : CAUSE_PREEMPT_OFF;
    o->confidence = c->section == SECTION_PREEMPT_IRQS_OFF ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY; /* of both: which? */
    o->why = word_prints(c->started_at) || word_prints(c->ended_at) ? "console" : "tracer-section";
    if (c->started_at && word_class_of(c->started_at) & WORD_POLLING_SPIN) {
        o->cause = CAUSE_TRACER_ARTEFACT;
        o->why = "spin-polls-need-resched";
    } else if (c->started_at && word_class_of(c->started_at) & WORD_IDLES) {
        o->cause = CAUSE_TRACER_ARTEFACT;
        o->why = "idle-wait";
        o->culprit = arena_format(l->arena, "%s: the CPU slept there until an interrupt came", o->culprit);
    }
    add_slice(l, irqs_off ? SLICE_IRQS_OFF : SLICE_PREEMPT_OFF, place, c->latency_ns);
    return true;
}

static void ledger_of_parts(struct ledger *l, const struct claim *c)
{
    for (size_t i = 0; i < c->n_parts; i++) {
        const struct claim_part *part = &c->parts[i];
        if (part->amount_ns == NS_UNKNOWN || part->kind == PART_PREVIOUS_IRQ || part->is_upper_bound ||
            (part->is_total_of_following && heading_has_rows(c, i)))
            continue;
        add_slice(l, kind_of_part(part), subject_of_part(part), part->amount_ns);
    }
}

/*
 * Tools round each part, to whole us at the worst: what is too much for that comes off the largest. Parts that exceed the
 * total by more are not of this total, or it is not theirs: false, and none of them is believed.
 */
static bool close_ledger(struct ledger *l)
{
    struct outlier *o = l->o;
    int64_t too_much_ns = l->sum_ns - o->latency_ns;
    struct slice *largest = &o->slices[0];
    for (size_t i = 1; i < o->n_slices; i++)
        if (o->slices[i].amount_ns > largest->amount_ns)
            largest = &o->slices[i];
    if (too_much_ns <= 0) {
        add_slice(l, SLICE_UNEXPLAINED, o->n_slices ? "left over by the tool's parts" : "no record of it", -too_much_ns);
    } else if (too_much_ns <= (int64_t)o->n_slices * MAX_ROUNDING_NS && too_much_ns < largest->amount_ns) {
        largest->amount_ns -= too_much_ns;
    } else {
        o->n_slices = 0;
        add_slice(l, SLICE_UNEXPLAINED, "the tool's parts are more than its total", o->latency_ns);
        return false;
    }
    return true;
}

static bool part_is_inferred(const struct claim *c, const struct slice *s)
{
    for (size_t i = 0; i < c->n_parts; i++)
        if (c->parts[i].amount_ns == s->amount_ns && c->parts[i].is_inferred)
            return true;
    return false;
}

/* A late timer interrupt, and the stack into which it came: where it was enabled again, or where nothing enables it. */
static bool decide_late_interrupt(struct ledger *l, const struct claim *c, struct slice *late)
{
    struct outlier *o = l->o;
    bool enables = false;
    const char *function = interrupted_function(c, &enables), *task = blocking_subject(c);
    if (!function || subject_is_idle(task))
        return false;
    o->culprit = arena_format(l->arena, "%s in %s", function, task ? task : "an unknown task");
    o->cause = enables ? CAUSE_IRQS_OFF : CAUSE_HARDWARE_STALL;
    o->why = enables ? "interrupt-where-enabled" : "interrupt-elsewhere";
    o->confidence = 2 * late->amount_ns >= o->latency_ns ? late_confidence(function) : CONFIDENCE_POSSIBLE;
    late->kind = enables ? SLICE_IRQS_OFF : SLICE_HARDWARE_STALL;
    late->subject = o->culprit;
    return true;
}

/* The NMIs that the row of a hwlat sample counts, and the time in them (0: not told). */
static int64_t hwlat_nmis(const struct store *store, const struct claim *c, int64_t *total_ns)
{
    int64_t n = 0;
    struct event_ref ref;
    *total_ns = 0;
    if (c->stream == ROW_NONE || c->time_ns == NS_UNKNOWN || c->time_ns == INT64_MAX)
        return 0;
    struct event_merge *merge = event_merge_new(store, c->run, c->stream, c->time_ns, c->time_ns + 1, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        const uint32_t *w = event_words(&ref);
        if (ref.view->kind[ref.i] != KIND_HWLAT || ref.cpu != c->cpu || event_time_ns(&ref) != c->time_ns || (int32_t)w[7] <= 0)
            continue;
        n = (int32_t)w[7];
        *total_ns = event_words_i64(w + 8) > 0 ? event_words_i64(w + 8) : 0;
    }
    if (merge)
        event_merge_free(merge);
    return n;
}

/* hwlat's loop runs with interrupts off: what takes time from it is no software of this kernel, NMIs apart (which it counts). */
static bool ledger_of_hwlat(struct ledger *l, const struct store *store, const struct claim *c)
{
    int64_t nmi_ns;
    const char *tool = c->series == ROW_NONE ? NULL : store->series[c->series].tool;
    if (!tool || strcmp(tool, "hwlat") || c->section != SECTION_SILENCE || c->n_parts || c->latency_ns == NS_UNKNOWN)
        return false;
    struct outlier *o = l->o;
    o->cause = CAUSE_HARDWARE_STALL;
    o->confidence = CONFIDENCE_LIKELY;
    o->why = "hwlat-loop";
    o->culprit = "firmware (SMI), hypervisor or bus";
    int64_t n_nmis = hwlat_nmis(store, c, &nmi_ns);
    if (nmi_ns > c->latency_ns)
        nmi_ns = c->latency_ns;
    add_slice(l, SLICE_NMI, "NMI", nmi_ns);
    add_slice(l, SLICE_HARDWARE_STALL, o->culprit, c->latency_ns - nmi_ns);
    if (n_nmis && 2 * nmi_ns < c->latency_ns) {
        o->confidence = CONFIDENCE_POSSIBLE; /* of a window's NMIs the largest gap may be one */
    } else if (n_nmis) {
        o->cause = CAUSE_NMI;
        o->why = "tool-parts";
        o->culprit = "NMI";
    }
    return true;
}

static void decide_from_slices(struct ledger *l, const struct claim *c)
{
    struct outlier *o = l->o;
    static const enum cause causes[N_SLICE_KINDS] = {
        [SLICE_TIMER_LATE] = CAUSE_UNEXPLAINED,    [SLICE_IRQ] = CAUSE_IRQ,
        [SLICE_SOFTIRQ] = CAUSE_SOFTIRQ,           [SLICE_NMI] = CAUSE_NMI,
        [SLICE_TASK_HIGHER] = CAUSE_HIGHER_PRIORITY_TASK, [SLICE_TASK_LOWER] = CAUSE_LOWER_PRIORITY_TASK,
        [SLICE_IDLE] = CAUSE_IDLE_EXIT,            [SLICE_IDLE_EXIT] = CAUSE_IDLE_EXIT,
        [SLICE_HARDWARE_STALL] = CAUSE_HARDWARE_STALL, [SLICE_UNEXPLAINED] = CAUSE_UNEXPLAINED};
    struct slice *largest = NULL;
    for (size_t i = 0; i < o->n_slices; i++)
        if (!largest || o->slices[i].amount_ns > largest->amount_ns)
            largest = &o->slices[i];
    if (!largest || (largest->kind == SLICE_TIMER_LATE && o->latency_ns != NS_UNKNOWN && decide_late_interrupt(l, c, largest)))
        return;
    o->cause = causes[largest->kind];
    o->culprit = largest->subject;
    o->why = "tool-parts";
    const char *function = largest->kind == SLICE_TASK_LOWER ? blocking_function(c) : NULL;
    if (function && !strchr(largest->subject, ' '))
        o->culprit = arena_format(l->arena, "%s in %s", largest->subject, function);
    o->confidence = CONFIDENCE_LIKELY;
    if (largest->kind == SLICE_IDLE_EXIT || largest->kind == SLICE_IDLE || part_is_inferred(c, largest))
        o->confidence = CONFIDENCE_POSSIBLE;
    if (largest->kind == SLICE_TASK_HIGHER) { /* rtla and osnoise count every other thread here */
        o->confidence = CONFIDENCE_POSSIBLE;
        if (c->section == SECTION_SILENCE)
            o->why = "noise-thread";
    }
    if ((o->latency_ns == NS_UNKNOWN || 2 * largest->amount_ns < o->latency_ns) && o->confidence > CONFIDENCE_POSSIBLE)
        o->confidence = CONFIDENCE_POSSIBLE;
    if (o->cause == CAUSE_UNEXPLAINED) {
        o->confidence = CONFIDENCE_UNKNOWN;
        o->why = "parts-leave-it-open";
        const char *task = blocking_subject(c);
        o->culprit = task ? task : NULL;
    }
}

static bool log_spins(const struct claim *c)
{
    size_t begin = log_stack_begin(c);
    const char *first = begin < c->n_stack ? c->stack[begin] : "";
    return strstr(first, "spin_lock_slowpath") || !strncmp(first, "_raw_spin_lock", 14) || !strncmp(first, "_raw_read_lock", 14) ||
           !strncmp(first, "_raw_write_lock", 15);
}

/* Is the function called in a softirq? */
static bool log_in_softirq(const struct claim *c)
{
    for (size_t i = log_stack_begin(c); i < c->n_stack; i++)
        if ((word_class_of(c->stack[i]) & WORD_SOFTIRQ) || strstr(c->stack[i], "irq_exit") || !strcmp(c->stack[i], "run_ksoftirqd"))
            return true;
    return false;
}

/* Are there frames of an interrupt besides those of the one that looked? */
static bool log_in_handler(const struct claim *c)
{
    for (size_t i = log_stack_begin(c); i < c->n_stack; i++)
        if (word_class_of(c->stack[i]) & (WORD_CALLS_HANDLER | WORD_IRQ_ENTRY | WORD_SOFTIRQ))
            return true;
    return false;
}

/* What the kernel's log says about a CPU that did not come back: the task and the functions that it was seen in. */
static void decide_from_log(struct ledger *l, const struct claim *c)
{
    struct outlier *o = l->o;
    struct slice *slice = o->n_slices ? &o->slices[0] : NULL;
    enum slice_kind kind = slice ? slice->kind : SLICE_UNEXPLAINED;
    if (c->section == SECTION_BLOCKED || kind == SLICE_NMI || kind == SLICE_IRQ) {
        bool prints = kind == SLICE_NMI && slice->subject && strstr(slice->subject, "backtrace"); /* the report itself */
        o->why = kind == SLICE_IRQ ? "log-timer" : prints ? "log-backtrace" : kind == SLICE_NMI ? o->why
                 : c->text && strstr(c->text, " stall") ? "log-reader" : "log-blocked";
        if (prints)
            o->confidence = CONFIDENCE_POSSIBLE;
        return;
    }
    const char *function = blocking_function(c), *task = blocking_subject(c);
    bool idles = !task || (subject_is_idle(task) && strlen(task) > 2 && !strcmp(task + strlen(task) - 2, ":0")); /* swapper/0:1 boots */
    if (idles && !log_in_handler(c))
        function = NULL;
    if (c->text && strstr(c->text, "hard LOCKUP") && !log_spins(c)) {
        kind = SLICE_IRQS_OFF;
        o->cause = CAUSE_IRQS_OFF;
        o->why = "log-locked";
        o->confidence = function ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE; /* the watchdog's timer did not run there: it is an NMI that tells */
        o->culprit = !task ? function : !function ? task : arena_format(l->arena, "%s in %s", function, task);
    } else if (!function && idles) {
        o->cause = CAUSE_UNEXPLAINED;
        o->confidence = CONFIDENCE_UNKNOWN;
        o->culprit = NULL;
        o->why = task ? "log-idle" : "log-silent";
        kind = SLICE_UNEXPLAINED;
    } else {
        bool spins = log_spins(c), softirq = !spins && function && log_in_softirq(c);
        kind = softirq ? SLICE_SOFTIRQ : idles ? SLICE_IRQ : SLICE_TASK_LOWER;
        o->cause = spins ? CAUSE_LOCK_CONTENTION : softirq ? CAUSE_SOFTIRQ : idles ? CAUSE_IRQ : CAUSE_LOWER_PRIORITY_TASK;
        o->why = spins ? "spun-for-lock" : softirq || idles ? "log-handler" : "log-stuck"; /* spins: it was looked at while it did */
        o->confidence = o->latency_ns != NS_UNKNOWN && !idles ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
        o->culprit = softirq ? arena_format(l->arena, "softirq in %s", function) : !task ? function : !function ? task
                     : arena_format(l->arena, "%s in %s", task, function);
    }
    if (slice) {
        slice->kind = kind;
        slice->subject = o->culprit ? kind == SLICE_TASK_LOWER ? task : o->culprit : "no record of it";
    }
}

void outlier_from_claim(struct outlier *o, struct analysis *analysis, const struct store *store, struct word_classes *words,
                        uint32_t claim)
{
    struct claim filled;
    bool has_noise = noise_parts(store, &store->claims[claim], &analysis->arena, &filled);
    const struct claim *c = has_noise ? &filled : &store->claims[claim];
    (void)words;
    struct ledger l = {.arena = &analysis->arena, .o = o, .capacity = c->n_parts + 4, .cpu = c->cpu};
    if (c->line)
        l.evidence = arena_format(&analysis->arena, "line %llu", (unsigned long long)c->line);
    o->run = c->run;
    o->series = c->series;
    o->stream = c->stream;
    o->cpu = c->cpu;
    o->tid = c->tid;
    o->comm = c->comm;
    o->window = c->section == SECTION_WAKEUP ? WINDOW_WAKEUP
                : c->section == SECTION_BLOCKED ? WINDOW_BLOCKED
                : c->section >= SECTION_IRQS_OFF ? WINDOW_SECTION
                                                 : WINDOW_TIMER;
    o->latency_ns = c->latency_ns;
    o->reported_ns = c->latency_ns;
    o->cause = CAUSE_UNEXPLAINED;
    o->confidence = CONFIDENCE_UNKNOWN;
    o->why = "no-record";
    o->slices = arena_array(&analysis->arena, l.capacity, sizeof *o->slices);
    if (c->section == SECTION_TIMER_IRQ && c->kind == CLAIM_REPORT && c->latency_ns != NS_UNKNOWN) {
        ledger_of_late_irq(&l, c);
    } else if (!ledger_of_section(&l, c) && !ledger_of_hwlat(&l, store, c)) {
        ledger_of_parts(&l, c);
        if (!o->n_slices && c->irq_latency_ns != NS_UNKNOWN && c->irq_latency_ns > 0 && c->irq_latency_ns <= c->latency_ns)
            add_slice(&l, SLICE_TIMER_LATE, "until the timer interrupt", c->irq_latency_ns);
        bool parts_fit = o->latency_ns == NS_UNKNOWN || close_ledger(&l);
        decide_from_slices(&l, c);
        if (!parts_fit)
            o->why = "parts-exceed-total";
        if (c->kind == CLAIM_LOG)
            decide_from_log(&l, c);
    }
    o->unexplained_ns = 0;
    for (size_t i = 0; i < o->n_slices; i++)
        if (o->slices[i].kind == SLICE_UNEXPLAINED)
            o->unexplained_ns += o->slices[i].amount_ns;
    outlier_sum_ledger(o, &analysis->arena);
}
