/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the default form of /sys/kernel/tracing/trace. */
#ifndef SYNTH_TEXT_H
#define SYNTH_TEXT_H

#include "tests/synth/machine.h"

/* False: errno says why. Stamps are rounded to us, as the kernel prints them. */
bool text_write(const struct machine *m, const char *path);

#endif
