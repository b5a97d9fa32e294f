/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What would be left of the maximum without one culprit. An outlier that it had no part in stays as it was; of the
 * others, what had passed before the culprit first came would have passed all the same. What came after it cannot be
 * told (ticks of a long wait go with the wait), so the answer is "at least".
 */
#include "analyzers/explain.h"

#include <string.h>

#define WORTH_SAYING 20 /* a bound below a twentieth of the maximum tells nothing */

/* The kinds of slices in which a cause's culprit stands by name. */
static unsigned long kinds_of(enum cause cause)
{
    switch (cause) {
    case CAUSE_IRQ:
    case CAUSE_IRQ_STORM:
    case CAUSE_IPI:
        return 1ul << SLICE_IRQ | 1ul << SLICE_IPI;
    case CAUSE_SOFTIRQ:
        return 1ul << SLICE_SOFTIRQ;
    case CAUSE_NMI:
        return 1ul << SLICE_NMI;
    case CAUSE_HIGHER_PRIORITY_TASK:
        return 1ul << SLICE_TASK_HIGHER;
    case CAUSE_SAME_PRIORITY_TASK:
        return 1ul << SLICE_TASK_SAME;
    case CAUSE_LOWER_PRIORITY_TASK:
    case CAUSE_MISSED_PREEMPTION:
    case CAUSE_NON_PREEMPTIBLE_KERNEL:
        return 1ul << SLICE_TASK_LOWER;
    case CAUSE_PREEMPT_OFF:
        return 1ul << SLICE_PREEMPT_OFF;
    case CAUSE_IRQS_OFF:
        return 1ul << SLICE_IRQS_OFF;
    case CAUSE_THROTTLING:
        return 1ul << SLICE_THROTTLED;
    case CAUSE_HARDWARE_STALL:
        return 1ul << SLICE_HARDWARE_STALL;
    default:
        return 0;
    }
}

/* "irq 24 eth0" of "irq 24 eth0 (function)", "bash:300 (prio 120)" of "bash:300 (prio 120) in function". */
static bool same_owner(const char *subject, const char *culprit)
{
    const char *end = strstr(culprit, " in ");
    size_t n = end ? (size_t)(end - culprit) : strlen(culprit);
    if (!strncmp(subject, culprit, n) && (!subject[n] || subject[n] == ' '))
        return true;
    end = strstr(culprit, " (");
    if (end && !strstr(culprit, "(prio") && !strncmp(subject, culprit, (size_t)(end - culprit)))
        return true;
    n = strlen(subject);
    return n >= 4 && (!strncmp(culprit, subject, n) || strstr(culprit, subject));
}

/* What of an outlier does not depend on the culprit: all of it, or the time before its first slice. */
static int64_t untouched_ns(const struct outlier *o, unsigned long kinds, const char *culprit, bool *touched)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < o->n_slices; i++) {
        const struct slice *s = &o->slices[i];
        if (kinds >> s->kind & 1 && s->subject && same_owner(s->subject, culprit)) {
            *touched = true;
            return sum_ns;
        }
        sum_ns += s->amount_ns;
    }
    return o->latency_ns;
}

int64_t explain_max_without(const struct analysis *analysis, size_t first, enum cause cause, const char *culprit)
{
    unsigned long kinds = kinds_of(cause);
    int64_t most_ns = 0, max_ns = 0;
    bool touched = false;
    if (!kinds || !culprit)
        return NS_UNKNOWN;
    for (size_t i = first; i < analysis->n_outliers; i++) {
        const struct outlier *o = analysis->outliers[i];
        if (o->latency_ns == NS_UNKNOWN || o->begin_ns == NS_UNKNOWN || o->window == WINDOW_SECTION || o->window == WINDOW_BLOCKED)
            return NS_UNKNOWN; /* not measured, or no wakeup: nothing is left of a section without itself */
        int64_t rest_ns = untouched_ns(o, kinds, culprit, &touched);
        most_ns = rest_ns > most_ns ? rest_ns : most_ns;
        max_ns = o->latency_ns > max_ns ? o->latency_ns : max_ns;
    }
    return touched && WORTH_SAYING * most_ns >= max_ns ? most_ns : NS_UNKNOWN;
}
