/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What validate and compare ask of a series: its histogram whatever the source kept, its length, facts of its run. */
#ifndef ANALYZERS_SERIES_SHAPE_H
#define ANALYZERS_SERIES_SHAPE_H

#include "analyzers/stats/histogram.h"
#include "store/store.h"

/* The histogram of a series: its bins, or its samples counted. n 0: the source gives neither. */
struct series_shape {
    struct histogram histogram;
    struct bin *own; /* bins that were counted or copied here; NULL: a loan from the store */
};
/* FAILED only if the store is damaged. Release in any case. */
enum status series_shape_read(struct series_shape *shape, const struct store *store, uint32_t series, struct error *error);
void series_shape_release(struct series_shape *shape);

/* Length of the measurement: as stated, else samples times interval. NS_UNKNOWN. */
int64_t series_duration_ns(const struct series *series);
/* True if a negative latency or a start value made the importer drop the printed numbers (notes of its artefact say so). */
bool run_has_note(const struct store *store, uint32_t run, const char *code);

/* Facts: the value of the first key that the run has, or NULL. Keys: "a", or "a|b|c". */
const char *run_fact(const struct store *store, uint32_t run, const char *keys);
/* A fact "TOOL.name" of any measuring tool ("interval_ns", "priority"). */
const char *run_tool_fact(const struct store *store, uint32_t run, const char *name);

/* A Cobalt, EVL or other co-kernel thread measured it. */
bool series_is_cokernel(const struct store *store, const struct series *series);

#endif
