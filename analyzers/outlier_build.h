/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a decided window to the outlier of the answer. */
#ifndef ANALYZERS_OUTLIER_BUILD_H
#define ANALYZERS_OUTLIER_BUILD_H

#include "analyzers/analyzer.h"
#include "analyzers/cause.h"
#include "analyzers/chain.h"

/* Numbers of events: "cpu 1 events 120-131" counts from 0 on each CPU of a stream. */
struct event_numbers {
    uint64_t *first; /* of each chunk */
};
void event_numbers_init(struct event_numbers *numbers, const struct store *store);
void event_numbers_release(struct event_numbers *numbers);

/* Slices, ledger and timeline of a window; sums are checked. */
void outlier_fill(struct outlier *outlier, const struct cause_input *input, const struct decision *decision,
                  const struct event_numbers *numbers, const struct analysis_options *options);
void outlier_fill_chain(struct outlier *outlier, const struct cause_input *input, const struct chain *chain);
/*
 * The timeline (outlier_marks.c). The few events that matter: at the ends of the large pieces, on either side of a large step
 * within one (a handler that waits for its device between two functions), and where the phase changes. is_whole: as many
 * more of the rows of the window's CPUs as fit, those with the longest steps behind them first.
 */
void outlier_fill_marks(struct outlier *outlier, const struct cause_input *input, bool is_whole);
void outlier_add_mark(struct outlier *outlier, const struct store *store, uint32_t chunk, uint32_t i); /* if there is room */
void outlier_sort_marks(struct outlier *outlier);                                                     /* by time */
/* The same from a claim's parts alone: an auto-analysis, a sample with its interrupt's latency. (claim_ledger.c) */
void outlier_from_claim(struct outlier *outlier, struct analysis *analysis, const struct store *store,
                        struct word_classes *words, uint32_t claim);
/* Sums slices by kind and subject, largest first. */
void outlier_sum_ledger(struct outlier *outlier, struct arena *arena);

#endif
