/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The context that a row's flag letters state, for traces whose rows are dense (function tracers) and carry no events
 * of handlers. `h` and `s` name the context of the row itself; it lasts until the next row.
 */
#ifndef ANALYZERS_ROW_CONTEXT_H
#define ANALYZERS_ROW_CONTEXT_H

#include "store/store.h"

/*
 * Whether `s` of this stream means that a softirq is served. Kernels before 4.11 print it for disabled bottom halves too
 * (SOFTIRQ_MASK in tracing_generic_entry_update); an unknown kernel is taken for one of those, and the rows' functions decide.
 */
bool stream_softirq_flag_serves(const struct stream *stream);

/* OPEN_NMI, OPEN_VECTOR (a hard interrupt whose line is unknown), OPEN_SOFTIRQ or OPEN_NONE (a task, or not stated). */
int32_t row_context_of(unsigned kind, uint32_t flags, uint32_t flags_known, bool softirq_flag_serves);

/* Rows were lost or cut out: the header announces more, or there is a gap. */
bool stream_rows_missing(const struct store *store, uint32_t stream);

#endif
