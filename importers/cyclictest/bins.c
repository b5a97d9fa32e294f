/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a thread's histogram: what they tell, and whether the summary below them agrees. */
#include <math.h>
#include <string.h>

#include "importers/cyclictest/cyclictest.h"

void bins_check(struct import *import, const struct result *result, const struct thread_result *t, const struct series *s)
{
    const struct histogram_facts *h = &result->histogram;
    uint64_t sum = 0;
    double weighted = 0;
    int64_t first = PRINTED_UNKNOWN, last = PRINTED_UNKNOWN;
    for (size_t i = 0; i < t->n_bins; i++) {
        if (first == PRINTED_UNKNOWN || t->bins[i].low_ns < first)
            first = t->bins[i].low_ns;
        if (last == PRINTED_UNKNOWN || t->bins[i].low_ns > last)
            last = t->bins[i].low_ns;
        sum += t->bins[i].count;
        weighted += (double)t->bins[i].low_ns * (double)t->bins[i].count;
    }
    if (h->lacks_rows)
        return;
    if (!h->n_rows && !t->n_bins && h->has_footers && t == result->threads && !t->n_overflow_cycles && (t->total > 0 || t->max > 0))
        result_note(import, result, "entries-missing", h->line, "the histogram's rows were cut out, only its summary is here");
    if (h->n_rows && t->total != PRINTED_UNKNOWN && (uint64_t)t->total != sum)
        result_note(import, result, "counts-mismatch", h->line, "thread %lld: rows hold %llu samples, '# Total' says %lld",
                    (long long)t->index, (unsigned long long)sum, (long long)t->total);
    if (t->overflow != PRINTED_UNKNOWN && t->cycles != PRINTED_UNKNOWN && (uint64_t)t->cycles > sum + (uint64_t)t->overflow)
        result_note(import, result, "counts-mismatch", h->line, "thread %lld: %llu samples in rows and %lld beyond, but %lld cycles",
                    (long long)t->index, (unsigned long long)sum, (long long)t->overflow, (long long)t->cycles);
    bool has_overflow = t->overflow != PRINTED_UNKNOWN && t->overflow > 0;
    if (t->min != PRINTED_UNKNOWN && first != PRINTED_UNKNOWN && t->min != first && strcmp(result->tool, "cyclicdeadline") != 0 && (t->min < first || t->cycles == PRINTED_UNKNOWN))
        result_note(import, result, "counts-mismatch", h->line, "thread %lld: minimum %lld, but the first used row is %lld",
                    (long long)t->index, (long long)t->min, (long long)first);
    if (!has_overflow && t->max != PRINTED_UNKNOWN && last != PRINTED_UNKNOWN && t->max != last && !result_is_impossible(t->max) &&
        (h->last_bucket < 0 || t->max <= h->last_bucket) && s->n_overflow == 0)
        result_note(import, result, "counts-mismatch", h->line, "thread %lld: maximum %lld, but the last used row is %lld",
                    (long long)t->index, (long long)t->max, (long long)last);
    if (!has_overflow && sum && t->avg != PRINTED_UNKNOWN && !result_is_impossible(t->avg) && s->n_overflow == 0 &&
        fabs(weighted / (double)sum - (double)t->avg) > 1.5)
        result_note(import, result, "counts-mismatch", h->line, "thread %lld: average %lld, but its rows give %.1f",
                    (long long)t->index, (long long)t->avg, weighted / (double)sum);
}

/*
 * A histogram without rows: 2.7 and later print none where every sample overflowed. Then the cycles that overflowed are the
 * first ones; else somebody cut the rows out.
 */
static bool all_overflowed(const struct thread_result *t)
{
    for (size_t i = 0; i < t->n_overflow_cycles; i++)
        if (t->overflow_cycles[i] != i)
            return false;
    return t->overflow == 0 ? t->max == PRINTED_UNKNOWN || t->max <= 0 : t->n_overflow_cycles > 0;
}

void bins_fill(struct import *import, const struct result *result, const struct thread_result *t, struct series *s)
{
    const struct histogram_facts *h = &result->histogram;
    int64_t unit = result->unit_ns;
    uint64_t sum = 0;
    double weighted = 0;
    int64_t first = INT64_MAX, last = -1;
    for (size_t i = 0; i < t->n_bins; i++) {
        sum += t->bins[i].count;
        weighted += (double)t->bins[i].low_ns * (double)t->bins[i].count;
        first = t->bins[i].low_ns < first ? t->bins[i].low_ns : first;
        last = t->bins[i].low_ns > last ? t->bins[i].low_ns : last;
    }
    if (t->overflow != PRINTED_UNKNOWN)
        s->n_overflow = (uint64_t)t->overflow;
    else if (t->cycles != PRINTED_UNKNOWN && (uint64_t)t->cycles >= sum && (t->n_bins || t->cycles > 0))
        s->n_overflow = (uint64_t)t->cycles - sum;
    if ((h->lacks_rows || h->lacks_maximum || !h->n_rows) && t->total != PRINTED_UNKNOWN)
        sum = (uint64_t)t->total;
    bool is_unknown = !h->n_rows && t->total == PRINTED_UNKNOWN && !all_overflowed(t);
    /* A live display stood still some cycles before the histogram was printed. */
    if (is_unknown)
        ; /* only the cycles of a status line can tell */
    else if (s->n_overflow != COUNT_UNKNOWN && (s->n_samples == COUNT_UNKNOWN || sum + s->n_overflow > s->n_samples))
        s->n_samples = sum + s->n_overflow;
    else if (s->n_samples == COUNT_UNKNOWN && (t->total != PRINTED_UNKNOWN || h->has_footers))
        s->n_samples = h->five_digits && h->single_max && (sum == 0 || result->command.loops != COUNT_UNKNOWN) ? COUNT_UNKNOWN : sum;
    s->bin_width_ns = unit;
    s->bin_edge = BIN_FLOOR;
    if (result->command.histogram_limit > 0)
        s->overflow_limit_ns = result->command.histogram_limit * unit;
    else if (h->has_zero_rows && h->last_bucket >= 0 && h->last_bucket + 1 == h->n_rows)
        s->overflow_limit_ns = (h->last_bucket + 1) * unit; /* all rows were printed, 0 to N - 1 */
    /* A sum may be printed while no row with a count is there. */
    if (t->n_bins && s->min_ns == NS_UNKNOWN && t->min == PRINTED_UNKNOWN)
        s->min_ns = first * unit;
    if (t->n_bins && sum && isnan(s->avg_ns) && s->n_overflow == 0 && t->avg == PRINTED_UNKNOWN)
        s->avg_ns = weighted / (double)sum * (double)unit;
    if (t->n_bins && s->max_ns == NS_UNKNOWN && t->max == PRINTED_UNKNOWN) {
        s->max_ns = last * unit;
        /* Up to 0.44 what did not fit was dropped, in 0.45 to 0.55 it was counted in the last row. */
        bool is_capped = h->single_max && (h->five_digits || last == h->last_bucket);
        s->max_is_lower_bound = is_capped || !h->has_footers;
        if (is_capped)
            result_note(import, result, "histogram-truncated", h->line,
                        "thread %lld: this version %s; the true maximum is unknown", (long long)t->index,
                        h->five_digits ? "drops what lies beyond the histogram" : "counts what lies beyond in the last row");
    }
    if (!h->has_footers && !result->has_status && !result->has_json)
        s->is_cut = true;
}
