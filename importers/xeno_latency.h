/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run of Xenomai's latency, of klatency or of EVL's latmus amounts to, whichever form it was read from. */
#ifndef IMPORTERS_XENO_LATENCY_H
#define IMPORTERS_XENO_LATENCY_H

#include "base/text.h"
#include "importers/cells.h"
#include "importers/importer.h"

#define LATENCY_RTAI "rtai latency"

struct latency_result {
    const char *tool;     /* "xenomai latency", "latmus", LATENCY_RTAI */
    char mode[64];        /* "periodic user-mode task", "irq" ...; "" unknown */
    int64_t period_ns;
    int priority;         /* PRIO_UNKNOWN */
    int cpu;              /* CPU_UNKNOWN */
    int64_t min_ns, max_ns;
    double avg_ns;        /* NAN */
    uint64_t n_overruns, n_switches; /* COUNT_UNKNOWN; switches to secondary mode or in-band */
    int64_t duration_ns, requested_ns;
    uint64_t n_samples;
    bool is_empty;        /* the tool says that it took no sample */
    bool is_cut;
    int64_t resolution_ns;
    const char *unit_evidence;
    /* All samples as bins of bin_width_ns; the last one may be a pile of everything above (see latency_store). */
    struct bin *bins;
    size_t n_bins, bins_capacity;
    int64_t bin_width_ns;
    bool is_folded;       /* the histogram holds absolute values */
    bool overflow_is_apart; /* the overflow stands in n_overflow, not in the last bin */
    uint64_t n_overflow;
    int64_t overflow_limit_ns;
    /* The largest value of each second, in order. */
    int64_t *second_max_ns;
    size_t n_seconds, seconds_capacity;
    uint64_t line;
};
void latency_init(struct latency_result *result);
void latency_release(struct latency_result *result);
/* "(periodic user-mode task, 1000 us period, priority 99)", latmus: "(user, 1000 us period, priority 98, CPU1-noisol)". */
void latency_read_context(struct import *import, struct latency_result *result, struct cell text);
/* Checks the result against itself, notes what is odd, and stores its series. */
void latency_store(struct import *import, struct latency_result *result);

/* xeno_latency_lines.c: rows that share a line, or stand behind something else */
bool latency_is_abreast(const struct line *line);
/* Set as lines of their own in out. Returns how many lines they took. */
size_t latency_set_apart(struct lines *lines, struct text *out);

#endif
