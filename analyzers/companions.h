/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams that recorded the same time: instances of one trace.dat (trace-cmd record -B), or files of one run, the
 * functions in one and the switches in the other. What one lacks the other may show, if their clocks are one.
 */
#ifndef ANALYZERS_COMPANIONS_H
#define ANALYZERS_COMPANIONS_H

#include "base/error.h"
#include "store/store.h"

#define COMPANIONS_MAX 4
struct companions {
    size_t n;
    struct companion {
        uint32_t stream;
        uint64_t kinds[(KIND_END + 63) / 64]; /* what it is asked for: kinds that the stream itself does not have */
    } items[COMPANIONS_MAX];
};

enum companion_verdict {
    COMPANION_NONE,    /* nothing new, or another time */
    COMPANION_AGREES,
    COMPANION_CLOCK,   /* another clock */
    COMPANION_TASKS,   /* the two disagree about who ran */
    COMPANION_UNKNOWN  /* files of their own, and nothing shows that they have one clock */
};
struct companion_check {
    uint32_t stream;
    enum companion_verdict verdict;
    uint64_t n_rows, n_agree; /* rows that say who ran, and those that agree with the switches */
};

/* Checks every other stream of the run; those that agree become companions. checks: n_checks of them, the caller frees. */
enum status companions_find(struct companions *companions, const struct store *store, uint32_t stream,
                            struct companion_check **checks, size_t *n_checks, struct error *error);

/* The events of a stream and of its companions in one order. */
struct joined_events;
struct joined_events *joined_events_new(const struct store *store, uint32_t run, uint32_t stream, const struct companions *companions,
                                        int64_t begin_ns, int64_t end_ns, struct error *error);
/* *is_own: of the stream itself; false: a companion's, of a kind that it does not have. */
bool joined_events_next(struct joined_events *joined, struct event_ref *ref, bool *is_own);
enum status joined_events_status(const struct joined_events *joined);
/* As the stream itself tells it. */
const struct cpu_state *joined_events_state(const struct joined_events *joined, int32_t cpu);
void joined_events_free(struct joined_events *joined);

#endif
