/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/lost_periods.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/series_shape.h"
#include "base/memory.h"

static bool add_u64(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

/* Periods that samples of one interval and more swallowed: floor(latency / interval) each. */
static void expect(const struct store *store, uint32_t index, struct lost_periods *lost)
{
    const struct series *s = &store->series[index];
    lost->expected_low = lost->expected_high = COUNT_UNKNOWN;
    if (s->interval_ns == NS_UNKNOWN || s->interval_ns <= 0 || s->max_ns == NS_UNKNOWN || s->max_is_lower_bound)
        return;
    uint64_t interval = (uint64_t)s->interval_ns;
    if (s->max_ns < s->interval_ns) {
        lost->expected_low = lost->expected_high = 0;
        return;
    }
    uint64_t of_max = (uint64_t)s->max_ns / interval, low = 0, high = 0;
    size_t n;
    const struct bin *bins = store_bins(store, index, &n);
    bool good = true;
    for (size_t i = n; i-- > 0 && bins[i].low_ns >= s->interval_ns - (s->bin_width_ns > 0 ? s->bin_width_ns : 0);) {
        /* A bin of 1 us below a multiple may hold values on both sides of it: no, its upper edge is open. */
        uint64_t each = bins[i].low_ns > 0 ? (uint64_t)bins[i].low_ns / interval : 0;
        good &= add_u64(&low, bins[i].count, each) && add_u64(&high, bins[i].count, each);
    }
    if (s->n_overflow != COUNT_UNKNOWN && s->n_overflow > 0) {
        uint64_t limit = s->overflow_limit_ns != NS_UNKNOWN && s->overflow_limit_ns > 0
                             ? (uint64_t)s->overflow_limit_ns / interval
                             : 0;
        good &= add_u64(&low, s->n_overflow - 1, limit) && add_u64(&low, 1, of_max);
        good &= add_u64(&high, s->n_overflow, of_max);
    } else if (n == 0) {
        /* Only the maximum is known: at least it, at most every sample. */
        low = of_max;
        high = s->n_samples != COUNT_UNKNOWN && !__builtin_mul_overflow(of_max, s->n_samples, &high) ? high : COUNT_UNKNOWN;
    }
    if (good) {
        lost->expected_low = low;
        lost->expected_high = high;
    }
}

/* True if the run ended after a time (-D), so that a missing cycle is one that the time did not allow. */
static bool ended_by_time(const struct store *store, const struct series *s)
{
    const char *loops = run_tool_fact(store, s->run, "loops");
    return run_tool_fact(store, s->run, "duration_ns") && !loops;
}

static bool same_staircase(const struct series *a, const struct series *b)
{
    return a->run == b->run && a->interval_ns == b->interval_ns && a->tool && b->tool && strcmp(a->tool, b->tool) == 0;
}

/*
 * Threads in order of their start: deficit d(i) = stair(i) + lost(i), stair not falling, stair(0) = 0. So stair(i) is at
 * most the smallest deficit from i on, and at least the stair of the threads before it that surely lost nothing.
 */
static void climb(const struct store *store, uint32_t first, uint32_t end, struct lost_periods *lost)
{
    uint64_t most = COUNT_UNKNOWN;
    for (uint32_t i = end; i-- > first;) {
        if (lost[i].raw == COUNT_UNKNOWN)
            continue;
        most = lost[i].raw < most ? lost[i].raw : most;
        lost[i].low = i == first ? lost[i].raw : lost[i].raw - most;
    }
    uint64_t least = 0;
    for (uint32_t i = first; i < end; i++) {
        if (lost[i].raw == COUNT_UNKNOWN)
            continue;
        const struct series *s = &store->series[i];
        if (s->max_ns != NS_UNKNOWN && s->max_ns < s->interval_ns && !s->max_is_lower_bound) {
            lost[i].low = lost[i].high = 0; /* no sample ever reached the next period */
            least = lost[i].raw > least ? lost[i].raw : least;
            continue;
        }
        lost[i].high = lost[i].raw >= least ? lost[i].raw - least : 0;
        if (lost[i].low > lost[i].high)
            lost[i].low = lost[i].high;
    }
}

struct lost_periods *lost_periods_of(const struct store *store)
{
    struct lost_periods *lost = memory_resize(NULL, store->n_series, sizeof *lost);
    for (uint32_t i = 0; i < store->n_series; i++) {
        const struct series *s = &store->series[i];
        lost[i] = (struct lost_periods){.raw = COUNT_UNKNOWN, .low = COUNT_UNKNOWN, .high = COUNT_UNKNOWN};
        expect(store, i, &lost[i]);
        if (s->n_requested != COUNT_UNKNOWN && s->n_samples != COUNT_UNKNOWN && s->omission != OMISSION_REPLAYS &&
            ended_by_time(store, s))
            lost[i].raw = s->n_requested > s->n_samples ? s->n_requested - s->n_samples : 0;
        else if (lost[i].expected_high == 0 && s->n_samples != COUNT_UNKNOWN && s->n_samples > 0)
            lost[i].low = lost[i].high = 0;
    }
    for (uint32_t i = 0; i < store->n_series;) {
        uint32_t end = i + 1;
        while (end < store->n_series && same_staircase(&store->series[i], &store->series[end]))
            end++;
        climb(store, i, end, lost);
        i = end;
    }
    for (uint32_t i = 0; i < store->n_series; i++) {
        const struct series *s = &store->series[i];
        if (s->n_stated_lost != COUNT_UNKNOWN && lost[i].low == COUNT_UNKNOWN)
            lost[i].low = lost[i].high = s->n_stated_lost;
        lost[i].is_known = lost[i].low != COUNT_UNKNOWN && lost[i].low == lost[i].high;
    }
    return lost;
}
