/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same task silent again and again. One silence under a task may be a stall of the machine that met it; several, all
 * under a task that is seldom current when the timer is due, are that task's own doing: it has interrupts off.
 */
#include "analyzers/explain.h"

#include <math.h>
#include <string.h>

#include "analyzers/outlier_build.h"
#include "base/memory.h"

#define REPEAT_MIN 3
#define REPEAT_P   0.001 /* that chance lets so many of the silences meet the task */

void repeat_note(struct repeats *r, struct outlier *o, int32_t tid, double p)
{
    /* Where the machine itself stands still at times, what runs then is no culprit. */
    r->machine_stalls |= o->cause == CAUSE_HARDWARE_STALL || (o->cause == CAUSE_UNEXPLAINED && tid == 0);
    if (o->cause != CAUSE_UNEXPLAINED || !o->why || strcmp(o->why, "silent-task") != 0 || tid <= 0)
        return;
    memory_reserve(r->items, r->capacity, r->n + 1);
    r->items[r->n++] = (struct repeat){.outlier = o, .tid = tid, .p = p};
}

/* Chance of at least k of n. */
static double binomial_tail(size_t n, size_t k, double p)
{
    double sum = 0;
    for (size_t i = k; i <= n; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) + (double)i * log(p) +
                   (double)(n - i) * log1p(-p));
    return sum;
}

static void settle(struct outlier *o, struct arena *arena)
{
    o->cause = CAUSE_IRQS_OFF;
    o->confidence = CONFIDENCE_LIKELY;
    o->why = "silent-again";
    o->unexplained_ns = 0;
    for (size_t i = 0; i < o->n_slices; i++)
        if (o->slices[i].kind == SLICE_UNEXPLAINED && o->slices[i].begin_ns != NS_UNKNOWN) {
            o->slices[i].kind = SLICE_IRQS_OFF;
            o->slices[i].subject = o->culprit;
        }
    outlier_sum_ledger(o, arena);
}

void repeats_settle(struct repeats *r, struct arena *arena)
{
    for (size_t i = 0; i < r->n && !r->machine_stalls; i++) {
        size_t n = 0;
        for (size_t k = 0; k < r->n; k++)
            n += r->items[k].tid == r->items[i].tid;
        double p = r->items[i].p;
        if (n >= REPEAT_MIN && p < 1 && binomial_tail(r->n, n, p) < REPEAT_P)
            settle(r->items[i].outlier, arena);
    }
    free(r->items);
    *r = (struct repeats){0};
}
