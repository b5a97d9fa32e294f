/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks that measuring tools write into a trace when a latency was too long. */
#ifndef IMPORTERS_MARK_H
#define IMPORTERS_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The latency that a mark's text states, e.g. "hit latency threshold (117 > 100)" of cyclictest --tracemark (us),
 * "pinv_high blocked 25012 us", "** latency peak: 12.345 us **" of Cobalt and EVL. False: the text states none.
 */
bool mark_parse(const char *text, size_t length, int64_t *latency_ns);

#endif
