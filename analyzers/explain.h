/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the explain analyzer that come after the windows: causes summed, and what to record next time. */
#ifndef ANALYZERS_EXPLAIN_H
#define ANALYZERS_EXPLAIN_H

#include "analyzers/outlier_build.h"
#include "analyzers/selection.h"

/* Silences, each under one task. (explain_repeat.c) */
struct repeats {
    size_t n, capacity;
    bool machine_stalls; /* silences that no task had */
    struct repeat {
        struct outlier *outlier;
        int32_t tid;
        double p; /* how often that task is current when the timer is due */
    } *items;
};
/* The outlier may be of a task that is so silent again and again; settled when all are known. */
void repeat_note(struct repeats *repeats, struct outlier *outlier, int32_t tid, double p);
/* Settles those that one task has again and again, and releases. */
void repeats_settle(struct repeats *repeats, struct arena *arena);

/* The other streams of a run that windows are read with. (explain_streams.c) */
struct streams {
    const struct store *store;
    struct companions_of {
        bool is_known;
        struct companions companions;
    } *items; /* by stream; NULL: none asked for yet */
};
/* Gives the window the streams that show the same machine at its time (companions.h). FAILED: a damaged store. */
enum status streams_join(struct streams *streams, struct analysis *analysis, struct window *window, struct error *error);
void streams_release(struct streams *streams);

/* Cause rows and one finding for each. (explain_causes.c) */
void explain_sum_causes(struct analysis *analysis, const struct store *store);
/* The least that the maximum of the outliers would have been without that culprit; NS_UNKNOWN: the ledgers do not tell. (explain_without.c) */
int64_t explain_max_without(const struct analysis *analysis, size_t first, enum cause cause, const char *culprit);
/* Tails of causes, of the outliers from `first` on, which are the longest of n_samples wakeups (is_cut: by their number).
 * (explain_tail.c) */
void explain_tails(struct analysis *analysis, size_t first, uint64_t n_samples, bool is_cut, int64_t threshold_ns, uint32_t run);
/* Commands that would record what was missing. (explain_advice.c) */
void explain_advise(struct analysis *analysis, const struct store *store);

#endif
