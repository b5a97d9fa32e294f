/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheduling-latency bound of "Demystifying the Real-Time Linux Scheduling Latency" (ECRTS 2020): the longest that a
 * highest-priority thread of a CPU can wait, if each part that was seen at its longest falls together.
 *
 *     L_IF = max(D_ST, D_POID) + D_PAIE + D_PSD          free of interference
 *     L    = L_IF + sum over interrupts v of I_v(L)      the least L that satisfies it
 *     I_v(W) = max over arrivals a_j of the sum of d_i with a_j - W <= a_i <= a_j
 *
 * Each interrupt's window is the whole L, also its own share of it: leaving that share out (as the authors' tool does)
 * gives 15 in a fixture where an allowed schedule takes 20.
 */
#ifndef ANALYZERS_STATS_LATENCY_BOUND_H
#define ANALYZERS_STATS_LATENCY_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest seen on one CPU, net of interrupts and NMIs, in ns. */
struct bound_terms {
    int64_t poid_ns; /* preemption or interrupts off, not to schedule */
    int64_t paie_ns; /* both on, a reschedule wanted, until the scheduler begins */
    int64_t psd_ns;  /* preemption off to schedule */
    int64_t dst_ns;  /* the scheduler's tail: interrupts off, still the old task */
};

/* One interrupt line (or NMIs), its arrivals rising. */
struct bound_interrupt {
    size_t n;
    const int64_t *arrival_ns, *duration_ns;
};

/* max over windows of length window_ns that end at an arrival: exact, two pointers. */
int64_t bound_interference_ns(const struct bound_interrupt *interrupt, int64_t window_ns);
/* The least fixed point; false if it passes limit_ns (interrupts alone could fill the CPU). */
bool bound_latency_ns(const struct bound_terms *terms, const struct bound_interrupt *interrupts, size_t n_interrupts,
                      int64_t limit_ns, int64_t *bound_ns);

#endif
