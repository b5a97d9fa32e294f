/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the clocks of hrtimers relate to the clock of the trace, learnt from the trace itself.
 *
 * hrtimer_expire_entry tells `now` of the timer's clock, taken when the interrupt began; its stamp comes a little
 * later. So stamp - now = offset + delay with delay >= 0, and the lower envelope of many such pairs is the offset.
 * Different clock bases (MONOTONIC, REALTIME, TAI) lie seconds apart and are kept as clusters. Clocks drift: the
 * envelope is taken over the present and the last span of 64 ms, moved along the slope seen so far.
 */
#ifndef ANALYZERS_CLOCK_RELATION_H
#define ANALYZERS_CLOCK_RELATION_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_CLUSTERS 6

struct clock_cluster {
    bool used, is_exact;   /* exact: the trace clock is this clock, the offset is 0 */
    uint64_t n_pairs;
    int64_t bucket;        /* number of the 64 ms span that `now` belongs to */
    int64_t offset_ns, at_ns;       /* least stamp - now of this span, and when */
    int64_t old_offset_ns, old_at_ns;
    bool has_old;
    int64_t step_offset_ns, step_now_ns; /* pairs that all lie far above: a step of the trace clock, if they go on */
    unsigned n_step;
    int64_t first_offset_ns, first_at_ns; /* of the first whole span: the slope's other end */
    double slope;          /* change of the offset per ns */
};
struct clock_relation {
    bool trace_is_mono;
    struct clock_cluster clusters[CLOCK_CLUSTERS];
};

/* trace_clock: the stream's clock name or NULL. */
void clock_relation_init(struct clock_relation *relation, const char *trace_clock);
/* Learns a pair; returns the offset (stamp - now without delay) that now holds for its clock. */
int64_t clock_relation_learn(struct clock_relation *relation, int64_t stamp_ns, int64_t now_ns);
/*
 * By how much the trace clock of one CPU is ahead of another's, as both relate to the same clock; false: the pairs do
 * not tell.
 */
bool clock_relation_skew(const struct clock_relation *one, const struct clock_relation *other, int64_t stamp_ns, int64_t *skew_ns);
/* The offset for a timer's time without a pair of its own: only when the trace clock is CLOCK_MONOTONIC. */
bool clock_relation_guess(const struct clock_relation *relation, int64_t stamp_ns, int64_t expires_ns, int64_t *offset_ns);

#endif
