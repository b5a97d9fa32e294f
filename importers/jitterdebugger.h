/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jitterdebugger's threads, shared by the readers of its text and of its raw records. */
#ifndef IMPORTERS_JITTERDEBUGGER_H
#define IMPORTERS_JITTERDEBUGGER_H

#include "importers/importer.h"

#define JITTER_MAX_THREADS 4096

struct jitter_thread {
    bool is_open;
    uint32_t series; /* ROW_NONE: its samples were read from another file */
    uint64_t n;
    int64_t min_ns, max_ns;
    double sum_ns;
};

/* The thread's series, made or found in the run; ROW_NONE if it has samples already. */
uint32_t jitterdebugger_series(struct import *import, uint32_t thread, int64_t unit_ns);
void jitterdebugger_sample(struct import *import, struct jitter_thread *thread, int64_t time_ns, int64_t latency_ns);
/* Fills in what the samples say, unless results.json has said it. */
void jitterdebugger_finish(struct import *import, const struct jitter_thread *thread);
/* 1 or 1000: the resolution in the results.json beside this member; us assumed, with a note, without it. */
int64_t jitterdebugger_unit(struct import *import, uint64_t line);

#endif
