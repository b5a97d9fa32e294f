/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine with Cobalt on it: what its threads' periods look like, and causes that hold them up. */
#ifndef SYNTH_COBALT_H
#define SYNTH_COBALT_H

#include "tests/synth/scenarios.h"

extern const struct scenario cobalt_scenarios[]; /* name NULL ends it */

void cobalt_init(struct machine *m, bool is_evl);
/* One period in which nothing goes wrong; the background before it is Linux's. */
void cobalt_period(struct machine *m, struct cpu *cpu);
/* The end of a period that a cause was planted in. */
void cobalt_end(struct machine *m, struct cpu *cpu);
/* Programs the clock for the measuring thread's due time: once, before the first period. */
void cobalt_start(struct machine *m, struct cpu *cpu);

#endif
