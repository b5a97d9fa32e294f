/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of a timerlat or osnoise sample from the osnoise: events around it. Their durations are net: an irq's without the
 * NMIs in it, a thread's without the interrupts. So they add up, and what they leave is a part of its own.
 */
#ifndef ANALYZERS_NOISE_PARTS_H
#define ANALYZERS_NOISE_PARTS_H

#include "base/memory.h"
#include "store/store.h"

/* Fills *filled, a copy of the sample's claim with parts and stack; false: no such events, it is as it was. */
bool noise_parts(const struct store *store, const struct claim *sample, struct arena *arena, struct claim *filled);

#endif
