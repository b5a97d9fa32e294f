/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tracing itself costs, from the trace: the closest events bound the price of one. */
#ifndef ANALYZERS_OBSERVER_H
#define ANALYZERS_OBSERVER_H

#include "store/store.h"

/*
 * An upper bound of what recording one event takes on this machine: the densest run of 16 events on one CPU leaves each
 * no more. NAN: too few events, or a clock too coarse to tell.
 */
double observer_event_ns(const struct store *store, uint32_t run, uint32_t stream);
/* Why it is NAN, in words. */
const char *observer_unknown_reason(const struct store *store, uint32_t stream);

#endif
