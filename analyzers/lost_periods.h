/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lost periods: a measuring loop that skips what a stall swallowed counts fewer cycles than its run had periods. Threads
 * that start one after another also count fewer: a start-up staircase, told apart by the threads that lost none (their
 * maximum is below their interval).
 */
#ifndef ANALYZERS_LOST_PERIODS_H
#define ANALYZERS_LOST_PERIODS_H

#include "store/store.h"

struct lost_periods {
    bool is_known;               /* low == high */
    uint64_t raw;                /* requested - counted; COUNT_UNKNOWN */
    uint64_t low, high;          /* lost by this series itself, after the staircase; COUNT_UNKNOWN: nothing known */
    uint64_t expected_low, expected_high; /* that its samples beyond the interval swallowed; COUNT_UNKNOWN */
};

/* For all series of the store; the caller frees. */
struct lost_periods *lost_periods_of(const struct store *store);

#endif
