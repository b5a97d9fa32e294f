/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/cause.h"

#include "base/duration.h"

#include <stdio.h>
#include <string.h>

#define MAX_CANDIDATES 32
#define LAST_STRETCH_NS 50000     /* a switch that takes longer than this wants a reason, if nothing typical is known */
#define LAST_STRETCH_MIN_NS 20000

struct candidates {
    size_t n;
    struct candidate items[MAX_CANDIDATES];
};

static void add(struct candidates *list, struct candidate c, int64_t typical_ns)
{
    if (list->n == MAX_CANDIDATES || c.amount_ns <= 0)
        return;
    c.excess_ns = c.amount_ns - typical_ns;
    list->items[list->n++] = c;
}

char *task_format(const struct cause_input *input, const struct subject *subject)
{
    const char *comm = store_string(input->store, subject->comm);
    if (!comm && subject->tid > 0)
        comm = store_task_comm(input->store, input->window->run, subject->tid);
    return thread_format(input->arena, comm, subject->tid, subject->prio);
}

char *line_format(const struct cause_input *input, const struct subject *subject, bool with_function)
{
    const char *name = store_string(input->store, subject->name);
    const char *function = with_function ? store_string(input->store, subject->function) : NULL;
    char line[200];
    if (subject->kind == OPEN_IRQ)
        snprintf(line, sizeof line, "irq %d%s%s", subject->number, name ? " " : "", name ? name : "");
    else if (subject->kind == OPEN_VECTOR && subject->number >= 0)
        snprintf(line, sizeof line, "%s:%d", name ? name : "vector", subject->number);
    else if (subject->kind == OPEN_SOFTIRQ)
        snprintf(line, sizeof line, "softirq%s%s", name ? " " : "", name ? name : "");
    else
        snprintf(line, sizeof line, "%s", name ? name : subject->kind == OPEN_NMI ? "NMI" : "interrupt");
    return function ? arena_format(input->arena, "%s (%s)", line, function) : arena_string(input->arena, line);
}

/* The rest of the wakeup's own interrupt (entry, programming of the timer) belongs to its path too. */
static void mark_own_path(struct sweep *sweep)
{
    uint32_t own = UINT32_MAX;
    for (size_t i = 0; i < sweep->n_pieces; i++)
        if (sweep->pieces[i].flags & PIECE_OWN)
            own = sweep->pieces[i].invocation;
    for (size_t i = 0; own != UINT32_MAX && i < sweep->n_pieces; i++)
        if (sweep->pieces[i].invocation == own && sweep->pieces[i].kind == SLICE_IRQ && !sweep->pieces[i].subject.function)
            sweep->pieces[i].flags |= PIECE_OWN;
}

/* The way out of the interrupt and through the scheduler up to the switch is the switch's, if it is as short as usual. */
static void settle_last_stretch(const struct cause_input *input)
{
    struct sweep *sweep = input->sweep;
    const struct typical *typical = input->typical;
    int64_t limit = LAST_STRETCH_NS;
    if (typical->n_windows >= 4) {
        limit = 2 * typical->longest_last_ns;
        if (limit < LAST_STRETCH_MIN_NS)
            limit = LAST_STRETCH_MIN_NS;
    }
    for (size_t i = sweep->n_pieces; i-- > 0;) {
        struct piece *p = &sweep->pieces[i];
        if (p->phase == PHASE_RUNNING)
            continue;
        if (p->phase != PHASE_WAITING || (p->kind != SLICE_TASK_LOWER && p->kind != SLICE_IDLE && p->kind != SLICE_TASK_SAME &&
                                          p->kind != SLICE_PREEMPT_OFF))
            return;
        p->flags |= PIECE_LAST;
        if (p->end_ns - p->begin_ns <= limit && p->kind != SLICE_PREEMPT_OFF)
            p->kind = SLICE_SCHED;
        return;
    }
}

static void carve_slack(const struct cause_input *input)
{
    const struct activation *a = &input->window->a;
    if (a->tid == TID_UNKNOWN || !a->due_is_soft || a->hard_due_ns == NS_UNKNOWN)
        return;
    int64_t end = a->handler_ns != NS_UNKNOWN ? a->handler_ns : a->expire_ns != NS_UNKNOWN ? a->expire_ns : a->waking_ns;
    if (a->hard_due_ns < end)
        end = a->hard_due_ns;
    struct subject slack = {.kind = SUBJECT_SLACK, .number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    if (end > a->due_ns)
        sweep_carve(input->sweep, a->due_ns, end, SLICE_TIMER_LATE, 0, &slack);
}

/* "herd (70 threads)" for a family, else the one task. */
static const char *family_format(const struct cause_input *input, const struct shares *shares, enum slice_kind kind,
                                 const struct share *largest)
{
    const char *comm = store_string(input->store, largest->subject.comm);
    int64_t all = shares_of_kind(shares, kind);
    if (!comm || 2 * largest->amount_ns >= all)
        return task_format(input, &largest->subject);
    size_t stem = thread_stem_length(comm), n = 0;
    int64_t family = 0;
    for (size_t i = 0; i < shares->n; i++) {
        const struct share *s = &shares->items[i];
        const char *other = s->kind == kind ? store_string(input->store, s->subject.comm) : NULL;
        if (other && thread_stem_length(other) == stem && !strncmp(other, comm, stem)) {
            n++;
            family += s->amount_ns;
        }
    }
    if (n < 2 || 2 * family < all)
        return task_format(input, &largest->subject);
    return arena_format(input->arena, "%.*s (%zu threads)", (int)stem, comm, n);
}

static const struct share *largest_of(const struct shares *shares, enum slice_kind kind, unsigned without_flags)
{
    const struct share *best = NULL;
    for (size_t i = 0; i < shares->n; i++)
        if (shares->items[i].kind == kind && !(shares->items[i].flags & without_flags) &&
            (!best || shares->items[i].amount_ns > best->amount_ns))
            best = &shares->items[i];
    return best;
}

static int64_t own_ns(const struct shares *shares, enum slice_kind kind)
{
    int64_t sum = 0;
    for (size_t i = 0; i < shares->n; i++)
        if (shares->items[i].kind == kind && shares->items[i].flags & PIECE_OWN)
            sum += shares->items[i].amount_ns;
    return sum;
}

/*
 * Its longest stretch without any event goes to *longest_ns: a stall there would look the same. So would a handler that
 * is not recorded between a co-kernel's wakeup and its switch, whatever its length.
 */
static int64_t path_ns(const struct sweep *sweep, bool is_head, int64_t *longest_ns)
{
    int64_t sum = 0;
    *longest_ns = 0;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        int64_t ns = p->end_ns - p->begin_ns;
        sum += p->flags & PIECE_OWN ? ns : 0;
        if ((p->flags & PIECE_OWN || (is_head && p->kind == SLICE_SCHED)) && ns > *longest_ns)
            *longest_ns = ns;
    }
    return sum;
}

static void add_tasks(const struct cause_input *input, const struct shares *shares, struct candidates *list)
{
    static const struct {
        enum slice_kind kind;
        enum cause cause;
    } rows[] = {{SLICE_TASK_HIGHER, CAUSE_HIGHER_PRIORITY_TASK}, {SLICE_TASK_SAME, CAUSE_SAME_PRIORITY_TASK}};
    for (size_t i = 0; i < 2; i++) {
        const struct share *largest = largest_of(shares, rows[i].kind, 0);
        bool is_head = largest && largest->flags & PIECE_HEAD && !input->window->a.is_head;
        if (largest)
            add(list, (struct candidate){.cause = is_head ? CAUSE_HEAD_DOMAIN : rows[i].cause,
                                         .culprit = family_format(input, shares, rows[i].kind, largest),
                                         .confidence = CONFIDENCE_PROVEN,
                                         .why = "ran-instead",
                                         .amount_ns = shares_of_kind(shares, rows[i].kind)},
                typical_kind_ns(input->typical, rows[i].kind));
    }
}

/* The function in which a task kept the CPU: the stack of the switch that ended it knows, else the longest row. */
static uint32_t function_of_holder(const struct cause_input *input, int32_t tid)
{
    const struct holder *h = sweep_holder(input->sweep, tid);
    uint32_t from_stack = place_of_switch(input);
    if (from_stack)
        return from_stack;
    if (h && 2 * h->longest_enabled_ns > window_length_ns(input->window) && !(word_class(input->words, h->enabled_in) & WORD_PRIMITIVE))
        return h->enabled_in;
    if (!h || !h->function)
        return 0;
    struct place place; /* its longest row may be of a lock or a counter, or the one before rows that are missing */
    place_find(input, tid, &place);
    bool is_callers = (word_class(input->words, h->function) & (WORD_SCHEDULES | WORD_PRIMITIVE)) != 0;
    if (!is_callers && !place.most_seen)
        return h->function;
    return 2 * place.function_ns > window_length_ns(input->window) ? place.function : place.most_seen;
}

/* Lower tasks: each with its own verdict; equal causes add up. */
static void add_waits(const struct cause_input *input, const struct shares *shares, struct candidates *list)
{
    for (size_t i = 0; i < shares->n; i++) {
        const struct share *s = &shares->items[i];
        if (s->kind != SLICE_TASK_LOWER && !(s->kind == SLICE_IDLE && s->flags & PIECE_FAIR_PICKED))
            continue;
        struct verdict_of_wait v = wait_verdict(input, s);
        const char *function = function_format(input->arena, store_string(input->store, function_of_holder(input, s->subject.tid)));
        const char *culprit = task_format(input, &s->subject);
        if (function)
            culprit = arena_format(input->arena, "%s in %s", culprit, function);
        struct candidate *same = NULL;
        for (size_t k = 0; k < list->n && !same; k++)
            if (list->items[k].cause == v.cause)
                same = &list->items[k];
        if (same) {
            if (s->amount_ns > same->amount_ns) {
                same->culprit = culprit;
                same->confidence = v.confidence;
                same->why = v.why;
            }
            same->amount_ns += s->amount_ns;
            same->excess_ns += s->amount_ns;
        } else {
            add(list, (struct candidate){.cause = v.cause, .culprit = culprit, .confidence = v.confidence, .why = v.why,
                                         .amount_ns = s->amount_ns},
                typical_kind_ns(input->typical, SLICE_TASK_LOWER));
        }
    }
}

static void add_sections(const struct cause_input *input, const struct shares *shares, struct candidates *list)
{
    static const struct {
        enum slice_kind kind;
        enum cause cause;
        const char *why;
    } rows[] = {{SLICE_IRQS_OFF, CAUSE_IRQS_OFF, "irq-disable-events"}, {SLICE_PREEMPT_OFF, CAUSE_PREEMPT_OFF, "preempt-disable-events"}};
    for (size_t i = 0; i < 2; i++) {
        const struct share *s = largest_of(shares, rows[i].kind, 0);
        if (!s)
            continue;
        const char *function = function_format(input->arena, store_string(input->store, s->subject.name));
        const char *task = task_format(input, &s->subject);
        /* Of a head domain's window only rows tell: one before it was due may be the last with interrupts off. */
        bool is_head = input->window->a.is_head, is_seen = !is_head || input->sweep->n_hard_off;
        add(list, (struct candidate){.cause = rows[i].cause,
                                     .culprit = function ? arena_format(input->arena, "%s in %s", function, task) : task,
                                     .confidence = is_seen ? CONFIDENCE_PROVEN : CONFIDENCE_POSSIBLE,
                                     .why = is_head ? "hard-irqs-off" : rows[i].why,
                                     .amount_ns = shares_of_kind(shares, rows[i].kind)},
            typical_kind_ns(input->typical, rows[i].kind));
    }
}

/* A softirq that only rows show: where in it most of the time went. */
static const char *softirq_format(const struct cause_input *input, const struct subject *subject)
{
    const char *line = line_format(input, subject, true);
    struct place place;
    if (subject->function)
        return line;
    place_find(input, TID_UNKNOWN, &place);
    const char *function = function_format(input->arena, store_string(input->store, place.function));
    if (!function || place.function == subject->name || 2 * place.function_ns < window_length_ns(input->window))
        return line;
    return arena_format(input->arena, "%s in %s", line, function);
}

static void add_handlers(const struct cause_input *input, const struct shares *shares, struct candidates *list)
{
    int64_t irq = shares_of_kind(shares, SLICE_IRQ) + shares_of_kind(shares, SLICE_IPI) - own_ns(shares, SLICE_IRQ) - own_ns(shares, SLICE_IPI);
    if (irq > 0)
        add(list, irq_verdict(input, irq),
            typical_kind_ns(input->typical, SLICE_IRQ) + typical_kind_ns(input->typical, SLICE_IPI) -
                (input->typical->n_windows ? input->typical->path_ns / input->typical->n_windows : 0));
    const struct share *softirq = largest_of(shares, SLICE_SOFTIRQ, PIECE_OWN), *nmi = largest_of(shares, SLICE_NMI, 0);
    int64_t own_softirq = own_ns(shares, SLICE_SOFTIRQ);
    if (softirq)
        add(list, (struct candidate){.cause = CAUSE_SOFTIRQ,
                                     .culprit = softirq_format(input, &softirq->subject),
                                     .confidence = CONFIDENCE_LIKELY,
                                     .why = "softirq-ran",
                                     .amount_ns = shares_of_kind(shares, SLICE_SOFTIRQ) - own_softirq},
            typical_kind_ns(input->typical, SLICE_SOFTIRQ));
    if (nmi)
        add(list, (struct candidate){.cause = CAUSE_NMI, .culprit = line_format(input, &nmi->subject, true),
                                     .confidence = CONFIDENCE_PROVEN, .why = "nmi-ran",
                                     .amount_ns = shares_of_kind(shares, SLICE_NMI)},
            typical_kind_ns(input->typical, SLICE_NMI));
}

/* Time that belongs to the timer itself, whoever was current. */
static bool subject_is_timer(const struct subject *subject)
{
    return subject->kind == SUBJECT_SLACK || subject->kind == SUBJECT_PROGRAMMED;
}

static void add_late_timer(const struct cause_input *input, const struct shares *shares, struct candidates *list)
{
    for (size_t i = 0; i < shares->n; i++) {
        const struct share *s = &shares->items[i];
        if (s->kind == SLICE_TIMER_LATE && s->subject.kind == SUBJECT_SLACK)
            add(list, (struct candidate){.cause = CAUSE_TIMER_SLACK, .culprit = "timer slack", .confidence = CONFIDENCE_PROVEN,
                                         .why = "soft-expiry", .amount_ns = s->amount_ns}, 0);
        if (s->kind == SLICE_TIMER_LATE && s->subject.kind == SUBJECT_PROGRAMMED)
            add(list, input->sweep->passed_over_ns == NS_UNKNOWN
                          ? (struct candidate){.cause = CAUSE_TIMER_PROGRAMMING, .culprit = "hardware set to a later time than due",
                                               .confidence = CONFIDENCE_PROVEN, .why = "shot-after-due", .amount_ns = s->amount_ns}
                          : (struct candidate){.cause = CAUSE_TIMER_PROGRAMMING, .culprit = "an interrupt of other timers passed over it",
                                               .confidence = CONFIDENCE_LIKELY, .why = "passed-over", .amount_ns = s->amount_ns}, 0);
    }
    const struct share *late = NULL;
    int64_t amount = 0;
    for (size_t i = 0; i < shares->n; i++)
        if (shares->items[i].kind == SLICE_TIMER_LATE && !subject_is_timer(&shares->items[i].subject)) {
            amount += shares->items[i].amount_ns;
            if (!late || shares->items[i].amount_ns > late->amount_ns)
                late = &shares->items[i];
        }
    if (!late)
        return;
    struct candidate c = silence_verdict(input, late);
    c.amount_ns = amount;
    add(list, c, typical_kind_ns(input->typical, SLICE_TIMER_LATE));
}

/* What a subject without a task has: steps of the clock are gaps without events that were lost. */
static int64_t subject_ns(const struct shares *shares, int32_t subject_kind)
{
    int64_t sum = 0;
    for (size_t i = 0; i < shares->n; i++)
        sum += shares->items[i].subject.kind == subject_kind ? shares->items[i].amount_ns : 0;
    return sum;
}

/* The task that was current where the longest gap begins. */
static const char *current_in_gap(const struct cause_input *input)
{
    const struct sweep *s = input->sweep;
    const struct piece *longest = NULL, *before = NULL;
    for (size_t i = 0; i < s->n_pieces; i++)
        if (s->pieces[i].kind == SLICE_GAP && (!longest || s->pieces[i].end_ns - s->pieces[i].begin_ns > longest->end_ns - longest->begin_ns)) {
            longest = &s->pieces[i];
            before = i ? &s->pieces[i - 1] : NULL;
        }
    return before && before->kind != SLICE_GAP && before->subject.tid != TID_UNKNOWN ? task_format(input, &before->subject) : NULL;
}

/* Without its rows the rest of the waking interrupt is in the switch, whatever it did there. */
static bool is_own_interrupt_seen(const struct cause_input *input)
{
    const struct activation *a = &input->window->a;
    if (a->is_head)
        return true;
    bool is_in_irq = a->tid != TID_UNKNOWN && a->waker_in_irq && !a->waker_is_task && !a->expired_in_softirq;
    return input->sweep->has_handlers && (!is_in_irq || (a->handler_ns != NS_UNKNOWN && a->handler_exit_ns != NS_UNKNOWN));
}

bool cause_is_partial(const struct cause_input *input)
{
    return input->window->a.due_ns == NS_UNKNOWN || !is_own_interrupt_seen(input);
}

/*
 * Whole beside typical windows that are not: what those lack the whole one has in excess, however ordinary it is. What took
 * little more than they did, and what only this contrast tells, is then not sure.
 */
static bool typical_is_partial(const struct cause_input *input)
{
    return PARTIAL_ONE_IN * input->typical->n_partial > input->typical->n_windows && !cause_is_partial(input);
}

static bool needs_typical(const struct cause_input *input, enum cause cause, int64_t excess_ns)
{
    const struct typical *t = input->typical;
    return cause == CAUSE_KERNEL_PATH || cause == CAUSE_CONTEXT_SWITCH || excess_ns < t->total_ns / t->n_windows;
}

static void add_rest(const struct cause_input *input, const struct shares *shares, enum confidence stall, struct candidates *list)
{
    const struct typical *typical = input->typical;
    int64_t typical_path = typical->n_windows ? typical->path_ns / typical->n_windows : 0;
    int64_t tracer = subject_ns(shares, SUBJECT_TRACER);
    add(list, (struct candidate){.cause = CAUSE_TRACING_OVERHEAD, .culprit = "the tracer's own stack dumps", .confidence = CONFIDENCE_LIKELY,
                                 .why = "tracer-stacks", .amount_ns = tracer}, 0);
    int64_t longest, sched = shares_of_kind(shares, SLICE_SCHED) - tracer, path = path_ns(input->sweep, input->window->a.is_head, &longest);
    bool one_step = 2 * longest > path + sched;
    int64_t usual = typical_path + typical_kind_ns(typical, SLICE_SCHED);
    add(list, path_frequency(input, path + sched, usual, one_step), usual); /* of equal excess it is the better name */
    add(list, path_fault(input), 0);
    bool is_seen = is_own_interrupt_seen(input);
    enum confidence path_confidence = typical->n_windows >= 4 && !one_step && is_seen ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
    add(list, (struct candidate){.cause = sched > path ? CAUSE_CONTEXT_SWITCH : CAUSE_KERNEL_PATH,
                                 .culprit = sched > path ? "switch" : "timer interrupt and wakeup",
                                 .confidence = path_confidence, .why = one_step ? "one-step-of-path" : "own-path", .amount_ns = path + sched},
        usual);
    const struct share *idle = largest_of(shares, SLICE_IDLE, PIECE_FAIR_PICKED), *exits = largest_of(shares, SLICE_IDLE_EXIT, 0);
    int64_t idle_ns = (idle ? idle->amount_ns : 0) + (exits ? exits->amount_ns : 0);
    if (idle_ns) {
        bool known = (idle && idle->flags & PIECE_IDLE_KNOWN) || exits;
        /* Out of its idle state and still not on its way: what kept it may be anything that is not recorded. */
        bool is_out = exits && 2 * exits->amount_ns > idle_ns;
        add(list, (struct candidate){.cause = known ? CAUSE_IDLE_EXIT : CAUSE_UNEXPLAINED, .culprit = "idle",
                                     .confidence = is_out ? CONFIDENCE_POSSIBLE : known ? CONFIDENCE_LIKELY : CONFIDENCE_UNKNOWN,
                                     .why = known ? "idle-state-open" : "idle-after-wakeup", .amount_ns = idle_ns},
            typical_kind_ns(typical, SLICE_IDLE) + typical_kind_ns(typical, SLICE_IDLE_EXIT));
    }
    const struct share *open = largest_of(shares, SLICE_UNEXPLAINED, 0);
    const char *current = open && open->subject.tid != TID_UNKNOWN ? task_format(input, &open->subject) : NULL;
    const struct {
        enum slice_kind kind;
        enum cause cause;
        enum confidence confidence;
        const char *culprit, *why;
    } rows[] = {
        {SLICE_SELF, CAUSE_SELF, CONFIDENCE_PROVEN, "its own earlier cycle", "still-running"},
        {SLICE_GAP, CAUSE_LOST_EVENTS, CONFIDENCE_PROVEN, current_in_gap(input), "events-lost"},
        {SLICE_UNEXPLAINED, CAUSE_UNEXPLAINED, CONFIDENCE_UNKNOWN, current, "no-record"},
        {SLICE_HARDWARE_STALL, CAUSE_HARDWARE_STALL, stall, NULL, "all-cpus-silent"},
    };
    int64_t skipped = subject_ns(shares, SUBJECT_SKIPPED);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t others_ns = rows[i].kind == SLICE_GAP    ? subject_ns(shares, SUBJECT_STEP) + skipped
                            : rows[i].kind == SLICE_SELF ? path_fault_ns(input->sweep)
                                                         : 0;
        add(list, (struct candidate){.cause = rows[i].cause, .culprit = rows[i].culprit, .confidence = rows[i].confidence,
                                     .why = rows[i].why, .amount_ns = shares_of_kind(shares, rows[i].kind) - others_ns},
            typical_kind_ns(typical, rows[i].kind));
    }
    add(list, (struct candidate){.cause = CAUSE_LOST_EVENTS, .culprit = current_in_gap(input), .confidence = CONFIDENCE_POSSIBLE,
                                 .why = "rhythm-went-on", .amount_ns = skipped}, 0);
}

/* Slices say what was decided: a wait with preemption off is such a slice, a late timer of no known reason is unexplained. */
static void rename_pieces(const struct cause_input *input, const struct candidate *late)
{
    struct sweep *sweep = input->sweep;
    int64_t usual = 2 * typical_kind_ns(input->typical, SLICE_TIMER_LATE);
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        struct piece *p = &sweep->pieces[i];
        struct share share = {.kind = p->kind, .subject = p->subject, .flags = p->flags, .amount_ns = p->end_ns - p->begin_ns};
        if (p->kind == SLICE_TASK_LOWER || (p->kind == SLICE_IDLE && p->flags & PIECE_FAIR_PICKED)) {
            enum cause cause = wait_verdict(input, &share).cause;
            p->kind = cause == CAUSE_PREEMPT_OFF ? SLICE_PREEMPT_OFF : cause == CAUSE_THROTTLING ? SLICE_THROTTLED : p->kind;
        } else if (p->kind == SLICE_TIMER_LATE && late && !subject_is_timer(&p->subject) && share.amount_ns > usual) {
            p->kind = late->cause == CAUSE_IRQS_OFF         ? SLICE_IRQS_OFF
                      : late->cause == CAUSE_HARDWARE_STALL ? SLICE_HARDWARE_STALL
                      : late->cause == CAUSE_IDLE_EXIT      ? SLICE_IDLE_EXIT
                      : 5 * share.amount_ns > window_length_ns(input->window) ? SLICE_UNEXPLAINED
                                                                              : SLICE_TIMER_LATE;
        }
    }
}

/* Without switches rows tell who had the CPU at their own instants, and no more. */
static bool needs_switches(const struct cause_input *input, enum cause cause)
{
    if (input->sweep->has_switches || input->window->a.tid == TID_UNKNOWN || input->window->a.is_head)
        return false;
    return cause == CAUSE_SELF || cause == CAUSE_HIGHER_PRIORITY_TASK || cause == CAUSE_SAME_PRIORITY_TASK ||
           cause == CAUSE_LOWER_PRIORITY_TASK || cause == CAUSE_MISSED_PREEMPTION || cause == CAUSE_PREEMPT_OFF ||
           cause == CAUSE_NON_PREEMPTIBLE_KERNEL || cause == CAUSE_CONTEXT_SWITCH;
}

static void keep_best(const struct cause_input *input, struct candidates *list, struct decision *decision)
{
    for (size_t i = 0; i < list->n; i++) /* a handful: insertion sort, largest excess first */
        for (size_t k = i; k > 0 && list->items[k].excess_ns > list->items[k - 1].excess_ns; k--) {
            struct candidate c = list->items[k];
            list->items[k] = list->items[k - 1];
            list->items[k - 1] = c;
        }
    if (!list->n) {
        decision->best = (struct candidate){.cause = CAUSE_UNEXPLAINED, .confidence = CONFIDENCE_UNKNOWN, .why = "no-record"};
        return;
    }
    decision->best = list->items[0];
    decision->n_others = list->n - 1 < 4 ? list->n - 1 : 4;
    memcpy(decision->others, list->items + 1, decision->n_others * sizeof *decision->others);
    int64_t typical_total = input->typical->n_windows ? input->typical->total_ns / input->typical->n_windows : 0;
    int64_t total_excess = window_length_ns(input->window) - typical_total;
    if (total_excess < 1)
        total_excess = 1;
    struct candidate *best = &decision->best;
    bool small = 2 * best->excess_ns < total_excess;
    if (best->confidence > CONFIDENCE_POSSIBLE && (small || (!input->is_complete && best->confidence > CONFIDENCE_LIKELY)))
        best->confidence = small ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY;
    bool is_contrast = best->confidence > CONFIDENCE_POSSIBLE && typical_is_partial(input);
    if (is_contrast && needs_typical(input, best->cause, total_excess))
        best->confidence = CONFIDENCE_POSSIBLE;
    /* A tool's word alone does not say that the thread was in an earlier cycle: what it waited for may have come late to it. */
    bool is_told = best->cause == CAUSE_SELF && input->window->a.tid == TID_UNKNOWN && input->window->kind != WINDOW_SECTION;
    if (best->confidence > CONFIDENCE_POSSIBLE && (is_told || needs_switches(input, best->cause)))
        best->confidence = CONFIDENCE_POSSIBLE;
    if (best->cause == CAUSE_HARDWARE_STALL && !best->culprit) {
        char text[DURATION_TEXT_BYTES];
        best->culprit = arena_format(input->arena, "all CPUs silent %s", duration_format(best->amount_ns, text));
    }
}

void cause_prepare(const struct cause_input *input)
{
    mark_own_path(input->sweep);
    carve_slack(input);
    head_carve_programming(input);
    head_settle(input);
    settle_last_stretch(input);
}

void cause_decide(const struct cause_input *input, struct decision *decision)
{
    *decision = (struct decision){0};
    enum confidence step_confidence = CONFIDENCE_UNKNOWN;
    int64_t step = step_carve(input, &step_confidence);
    enum confidence stall_confidence = CONFIDENCE_UNKNOWN;
    if (!step)
        silence_carve_stall(input, &stall_confidence);
    cause_prepare(input);
    struct shares shares = {0};
    shares_collect(&shares, input->sweep, true);
    struct candidates list = {0};
    struct candidate moved = path_migration(input);
    if (moved.confidence >= CONFIDENCE_LIKELY)
        add(&list, moved, 0);
    add_tasks(input, &shares, &list);
    add_waits(input, &shares, &list);
    add_sections(input, &shares, &list);
    add_handlers(input, &shares, &list);
    size_t before = list.n;
    add_late_timer(input, &shares, &list);
    const struct candidate *late = NULL;
    struct candidate late_copy;
    for (size_t i = before; i < list.n; i++)
        if (list.items[i].cause != CAUSE_TIMER_SLACK && list.items[i].cause != CAUSE_TIMER_PROGRAMMING) {
            late_copy = list.items[i];
            late = &late_copy;
        }
    add_rest(input, &shares, stall_confidence, &list);
    if (moved.confidence < CONFIDENCE_LIKELY)
        add(&list, moved, 0);
    if (input->sweep->has_relaxed)
        add(&list, mode_switch_candidate(input, &shares), 0);
    if (step)
        add(&list, (struct candidate){.cause = CAUSE_CLOCK_JUMP, .culprit = "the trace's clock stepped forward", .confidence = step_confidence,
                                      .why = "pairs-shifted", .amount_ns = step}, 0);
    keep_best(input, &list, decision);
    rename_pieces(input, late);
    shares_release(&shares);
    for (size_t i = 0; i < input->sweep->n_pieces; i++)
        if (input->sweep->pieces[i].kind == SLICE_UNEXPLAINED)
            decision->unexplained_ns += input->sweep->pieces[i].end_ns - input->sweep->pieces[i].begin_ns;
}
