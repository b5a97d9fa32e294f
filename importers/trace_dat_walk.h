/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks all pages of a trace file with as many threads as the import may use, and commits in one fixed order. */
#ifndef IMPORTERS_TRACE_DAT_WALK_H
#define IMPORTERS_TRACE_DAT_WALK_H

#include "importers/trace_dat_formats.h"

/* streams[i]: row of file->buffers[i]'s stream. Odd things are noted on the import; *n_events counts what was stored. */
void trace_walk(struct import *import, const struct trace_file *file, const struct trace_formats *formats,
                const uint32_t *streams, uint64_t *n_events);

#endif
