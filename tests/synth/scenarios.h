/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes to plant: each makes one wakeup of the CPU's measuring task late by about amount_ns, and writes the truth. */
#ifndef SYNTH_SCENARIOS_H
#define SYNTH_SCENARIOS_H

#include "tests/synth/machine.h"

struct scenario {
    const char *name;            /* of the row in tables */
    const char *cause;
    void (*play)(struct machine *m, struct cpu *cpu, const struct scenario *scenario, int64_t amount_ns);
    unsigned needs;              /* tracepoints that are its evidence */
    unsigned hidden;             /* with these left out the evidence is gone (then a wrong name must stay a guess) */
    bool rt_only, plain_only;    /* kernels that it can happen on */
    bool needs_load, needs_idle; /* what ran before */
    bool dovetail_only;          /* its evidence is in rows that the I-pipe does not write */
    bool needs_due;              /* something tells when a thread of the co-kernel was due */
    bool not_evl;                /* EVL has no such event */
    bool local_only;             /* the clock mono cannot do it */
    bool needs_slack;            /* the timer was armed with slack, one period before */
    int times;                   /* larger than others by this factor: a storm of five is none, a short stall is a gap */
};
extern const struct scenario scenarios[]; /* name NULL ends it */

/* From here to the next period the measuring task sleeps, and the scene is another thread's. Returns how much fits. */
int64_t begin_scene(struct machine *m, struct cpu *cpu, int64_t amount_ns);

typedef void play_function(struct machine *m, struct cpu *cpu, const struct scenario *scenario, int64_t amount_ns);
play_function play_late_irq_thread, play_irq_thread_in_time, play_irq_thread_at_lock, play_late_timer_thread; /* scenarios_wakers.c */

#endif
