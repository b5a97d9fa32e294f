/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares: the pieces of one window summed by owner, and the same over the typical windows of a thread. */
#ifndef ANALYZERS_SHARES_H
#define ANALYZERS_SHARES_H

#include "analyzers/sweep.h"

struct share {
    enum slice_kind kind;
    struct subject subject; /* of its longest piece */
    unsigned flags;         /* PIECE_* of any of its pieces */
    int64_t amount_ns;
    int64_t longest_ns;     /* one invocation of a handler, one stretch of a task */
    int64_t before_handler_ns; /* the part in PHASE_BEFORE_HANDLER */
    uint32_t n;             /* invocations or stretches */
    uint32_t invocation;    /* the one that runs, and its amount: while collecting */
    int64_t run_ns;
    uint32_t n_tasks;       /* distinct tasks with that stem */
};
struct shares {
    size_t n, capacity;
    struct share *items;
    int64_t total_ns;
};
/* by_line: a handler's callbacks are one share; else each function is one of its own. Tasks are grouped by tid. */
void shares_collect(struct shares *shares, const struct sweep *sweep, bool by_line);
void shares_release(struct shares *shares);
int64_t shares_of_kind(const struct shares *shares, enum slice_kind kind);

#define PARTIAL_ONE_IN 8 /* of the typical windows: if more lack rows that another has, they are no measure of it */

/* The mean ledger of some typical windows. */
struct typical {
    uint32_t n_windows;
    int64_t total_ns;              /* summed over the windows, as all amounts here */
    uint64_t n_events;             /* in them */
    int64_t kind_ns[N_SLICE_KINDS];
    struct shares lines;
    uint32_t n_partial;            /* windows without their due time or their own interrupt's rows: cause_is_partial() */
    uint32_t n_clocks;             /* windows whose CPU's clock is known */
    int64_t clocks_khz;            /* summed over these */
    int64_t path_ns;               /* of pieces on the wakeup's own path */
    int64_t last_ns;               /* of the last stretch before the switch */
    int64_t longest_last_ns;
};
void typical_add(struct typical *typical, const struct sweep *sweep); /* one more ordinary window */
int64_t typical_kind_ns(const struct typical *typical, enum slice_kind kind); /* mean; 0 without windows */
void typical_release(struct typical *typical);

/* The same interrupt line, vector or softirq, whatever callback ran in it; an unknown name fits any. */
bool subject_same_line(const struct subject *a, const struct subject *b);

#endif
