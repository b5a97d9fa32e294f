/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signs in the times of the largest samples: rhythm, start-up, rows of one stall that a tool counted many times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/judged.h"
#include "analyzers/outlier_times.h"
#include "analyzers/stats/dependence.h"

#define RHYTHM_LEVEL 0.001
#define RHYTHM_MOST  300  /* outliers looked at: more do not make a rhythm surer, only slower */
#define RHYTHM_SCANS 20000

/* Periods that clocks and housekeeping keep; tried even where a dense scan would be too coarse for them. */
static const double usual_periods_s[] = {0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600};

static double find_period(const double *t, size_t n, double interval_s, double *p, double *r)
{
    double span = t[n - 1] - t[0], best = NAN;
    *p = 1;
    *r = 0;
    /* One beat of twenty, or more: a short period of which hardly a beat shows an outlier fits any two clocks. */
    double beats = span / ((double)n - 1) / 20;
    double shortest = fmax(fmax(fmax(4 * interval_s, 0.01), beats), 4 * span / RHYTHM_SCANS), longest = span / 3;
    if (longest > shortest)
        best = rhythm_find(t, n, shortest, longest, p, r);
    const size_t n_usual = sizeof usual_periods_s / sizeof *usual_periods_s;
    for (size_t i = 0; i < n_usual; i++) {
        double period = usual_periods_s[i], one;
        if (period < 4 * interval_s || period > longest)
            continue;
        double resultant = rayleigh(t, n, period, &one);
        one = fmin(1, one * (double)n_usual);
        if (one < *p) {
            *p = one;
            *r = resultant;
            best = period;
        }
    }
    return best;
}

#define COMB_LEVEL 1e-6
#define COMB_SHARE 0.25 /* of the events, at least */
#define MOST_COMBS 3

/* Events that follow one another at one distance, and what is left after them at another. True if any was told. */
static bool tell_combs(const struct store *store, const struct judged *judged, const struct outlier_times *times, size_t n,
                       double grain, struct findings *out)
{
    double *left = memory_resize(NULL, n, sizeof *left);
    bool *is_in = memory_resize(NULL, n, sizeof *is_in);
    size_t n_left = n, n_told = 0;
    memcpy(left, times->seconds, n * sizeof *left);
    while (n_told < MOST_COMBS) {
        size_t n_in;
        double p, period = comb_find(left, n_left, grain, &n_in, is_in, &p);
        if (isnan(period) || p > COMB_LEVEL || (double)n_in < COMB_SHARE * (double)n || n_in < 5 ||
            (times->has_clock && series_resultant(store, judged->series, period) > 0.7))
            break;
        struct finding *finding = judged_finding(store, judged, out, "periodic-outliers", "comb", SEVERITY_WARNING, CONFIDENCE_LIKELY);
        finding_rounded(out, finding, "period_ns", period * 1e9);
        finding_count(out, finding, "n_in", n_in);
        finding_count(out, finding, "n_outliers", n);
        finding_number(out, finding, "p", p);
        n_told++;
        size_t kept = 0;
        for (size_t i = 0; i < n_left; i++)
            if (!is_in[i])
                left[kept++] = left[i];
        n_left = kept;
    }
    free(left);
    free(is_in);
    return n_told > 0;
}

static void tell_rhythm(const struct store *store, const struct judged *judged, const struct outlier_times *times,
                        struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    size_t n = times->n < RHYTHM_MOST ? times->n : RHYTHM_MOST;
    /* Where most samples are outliers, the rhythm is the measurement's own. */
    if (n < 5 || times->span_s <= 0 || (times->n_all > 0 && times->n * 2 > times->n_all))
        return;
    for (size_t i = 1; i < n; i++)
        if (times->seconds[i] < times->seconds[i - 1])
            return; /* out of order: not one clock */
    double interval = s->interval_ns != NS_UNKNOWN ? (double)s->interval_ns / 1e9 : 0, p, r;
    double period = find_period(times->seconds, n, interval, &p, &r);
    /* Maxima of blocks have times as fine as their blocks. */
    double grain = s->is_block_maxima && times->n_all > 1 ? times->span_s / (double)(times->n_all - 1) : interval;
    if (!(p <= RHYTHM_LEVEL && r > 0.9) && grain > 0 && tell_combs(store, judged, times, n, grain, out))
        return; /* several clocks: one period for all would be none of theirs */
    if (isnan(period) || p > RHYTHM_LEVEL || (times->has_clock && series_resultant(store, judged->series, period) > 0.7 * r))
        return;
    struct finding *finding = judged_finding(store, judged, out, "periodic-outliers", times->has_clock ? "" : "cycles", SEVERITY_WARNING,
                                             CONFIDENCE_LIKELY);
    finding_rounded(out, finding, "period_ns", period * 1e9);
    finding_count(out, finding, "n_outliers", times->n);
    finding_number(out, finding, "resultant", r);
    finding_number(out, finding, "p", p);
    if (s->max_ns != NS_UNKNOWN)
        finding_integer(out, finding, "max_ns", s->max_ns);
}

/*
 * One stall counted many times: consecutive cycles whose latencies fall by one step each, the period less the cost of a
 * cycle (tools that replay missed periods). Without values, consecutive overflows alone say it.
 */
static bool row_goes_on(const struct outlier_times *times, size_t i, int64_t *step)
{
    if (times->cycle[i] != times->cycle[i - 1] + 1)
        return false;
    if (times->latency_ns[i] == NS_UNKNOWN || times->latency_ns[i - 1] == NS_UNKNOWN)
        return true;
    int64_t fall;
    if (__builtin_sub_overflow(times->latency_ns[i - 1], times->latency_ns[i], &fall) || fall <= 0 || (*step > 0 && llabs(fall - *step) > *step / 4))
        return false;
    *step = fall;
    return true;
}

static void tell_replayed(const struct store *store, const struct judged *judged, const struct outlier_times *times,
                          struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    size_t begin = 0, best = 0, best_n = 1, row = 1;
    int64_t step = 0;
    if (s->omission == OMISSION_SKIPS)
        return;
    for (size_t i = 1; i < times->n; i++) {
        if (row_goes_on(times, i, &step)) {
            row++;
        } else {
            row = 1;
            begin = i;
            step = 0;
        }
        if (row > best_n) {
            best_n = row;
            best = begin;
        }
    }
    if (best_n < 4)
        return;
    bool has_values = times->latency_ns[best] != NS_UNKNOWN;
    /* Where many samples overflow, rows of them are chance. */
    double n_all = (double)times->n_all, share = n_all > 0 && s->n_overflow != COUNT_UNKNOWN ? (double)s->n_overflow / n_all : 1;
    if (!has_values && pow(share, (double)best_n - 1) * n_all > 0.01)
        return;
    struct finding *finding = judged_finding(store, judged, out, "tool-bug", has_values ? "replayed" : "replayed-cycles", SEVERITY_WARNING,
                                             CONFIDENCE_LIKELY);
    finding_count(out, finding, "n_row", best_n);
    if (has_values) {
        finding_integer(out, finding, "first_ns", times->latency_ns[best]);
        finding_integer(out, finding, "last_ns", times->latency_ns[best + best_n - 1]);
        finding_integer(out, finding, "step_ns", (times->latency_ns[best] - times->latency_ns[best + best_n - 1]) / (int64_t)(best_n - 1));
    }
    finding_integer(out, finding, "cycle", (int64_t)times->cycle[best]);
}

/* Large samples that follow one another: the extremal index of their cycle numbers. */
static enum status tell_clusters(const struct store *store, const struct judged *judged, struct findings *out, struct error *error)
{
    struct outlier_times times;
    if (!judged->fit.is_fitted || store_count_samples(store, judged->series) == 0)
        return OK;
    enum status status = outlier_times_read(&times, store, judged->series, (int64_t)judged->fit.threshold_ns, error);
    if (status != FAILED && times.n >= 30) {
        double *cycles = memory_resize(NULL, times.n, sizeof *cycles);
        for (size_t i = 0; i < times.n; i++)
            cycles[i] = (double)times.cycle[i];
        double theta = extremal_index_intervals(cycles, times.n);
        free(cycles);
        if (theta > 0 && theta < 0.7) {
            struct finding *finding = judged_finding(store, judged, out, "clustered-outliers", "", SEVERITY_NOTE, CONFIDENCE_LIKELY);
            finding_number(out, finding, "theta", theta);
            finding_number(out, finding, "cluster", 1 / theta);
            finding_count(out, finding, "n_outliers", times.n);
            finding_rounded(out, finding, "threshold_ns", judged->fit.threshold_ns);
        }
    }
    outlier_times_release(&times);
    return status;
}

static void tell_warm_up(const struct store *store, const struct judged *judged, const struct outlier_times *times,
                         struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    if (times->n == 0 || s->n_samples == COUNT_UNKNOWN || s->n_samples < 1000 || s->max_ns == NS_UNKNOWN)
        return;
    size_t at = times->n;
    for (size_t i = 0; i < times->n; i++)
        if (times->latency_ns[i] == s->max_ns)
            at = i;
    if (at == times->n || times->cycle[at] >= 10)
        return;
    struct finding *finding = judged_finding(store, judged, out, "warm-up-maximum", "", SEVERITY_NOTE, CONFIDENCE_LIKELY);
    finding_integer(out, finding, "max_ns", s->max_ns);
    finding_integer(out, finding, "cycle", (int64_t)times->cycle[at]);
}

enum status signs_of_time(const struct store *store, const struct judged *judged, struct findings *out, struct error *error)
{
    const struct series *s = &store->series[judged->series];
    size_t n_cycles;
    store_overflow_cycles(store, judged->series, &n_cycles);
    if (s->max_ns == NS_UNKNOWN || (n_cycles == 0 && store_count_samples(store, judged->series) == 0))
        return OK;
    /* Far samples: above the gap of a cluster, else in the upper half of the range. */
    int64_t threshold = s->max_ns / 2;
    if (judged->cluster.is_tested && judged->cluster.p < 0.01)
        threshold = (int64_t)judged->cluster.above_ns;
    struct outlier_times times;
    enum status status = outlier_times_read(&times, store, judged->series, threshold, error);
    if (status != FAILED) {
        tell_rhythm(store, judged, &times, out);
        tell_warm_up(store, judged, &times, out);
    }
    outlier_times_release(&times);
    if (status == FAILED || s->is_block_maxima || tell_clusters(store, judged, out, error) == FAILED)
        return status;
    /* The last ones of a row are small: from a twentieth of the maximum, but above the body. */
    int64_t least = s->max_ns / 20;
    if (!isnan(judged->median_ns) && (double)least < 3 * judged->median_ns)
        least = (int64_t)(3 * judged->median_ns);
    status = outlier_times_read(&times, store, judged->series, least, error);
    if (status != FAILED)
        tell_replayed(store, judged, &times, out);
    outlier_times_release(&times);
    return status;
}
