/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes /proc/ipipe/trace/max of a path whose hard interrupts are off too long, of the 4.14 to 5.4 generation. */
#ifndef SYNTH_IPIPE_H
#define SYNTH_IPIPE_H

#include "tests/synth/machine.h"

/* Draws from the machine's seed; the truth goes to m as one row whose times are lengths. */
/* What held up the thread of that truth, a higher Cobalt thread, as the tracer freezes it: a third form of the same. */
bool ipipe_write_frozen(struct machine *m, const char *path, const struct truth *truth);
bool ipipe_write(struct machine *m, const char *path);

#endif
