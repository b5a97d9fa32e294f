/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes /proc/ipipe/trace/max of a path whose hard interrupts are off too long, of the 4.14 to 5.4 generation. */
#ifndef SYNTH_IPIPE_H
#define SYNTH_IPIPE_H

#include "tests/synth/machine.h"

/* Draws from the machine's seed; the truth goes to m as one row whose times are lengths. */
bool ipipe_write(struct machine *m, const char *path);

#endif
