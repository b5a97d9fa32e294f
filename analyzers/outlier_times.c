/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/outlier_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void push(struct outlier_times *times, size_t *capacity, double seconds, int64_t latency_ns, uint64_t cycle)
{
    if (times->n == OUTLIER_TIMES_MAX)
        return;
    if (times->n == *capacity) {
        *capacity = *capacity ? *capacity * 2 : 64;
        times->seconds = memory_resize(times->seconds, *capacity, sizeof *times->seconds);
        times->latency_ns = memory_resize(times->latency_ns, *capacity, sizeof *times->latency_ns);
        times->cycle = memory_resize(times->cycle, *capacity, sizeof *times->cycle);
    }
    times->seconds[times->n] = seconds;
    times->latency_ns[times->n] = latency_ns;
    times->cycle[times->n++] = cycle;
}

/* Cycle numbers of overflows; each is known to have skipped at least floor(limit / interval) periods where the tool skips. */
static void times_from_cycles(struct outlier_times *times, const struct store *store, uint32_t series)
{
    const struct series *s = &store->series[series];
    size_t n, capacity = 0;
    const uint64_t *cycles = store_overflow_cycles(store, series, &n);
    double period_s = s->interval_ns > 0 ? (double)s->interval_ns / 1e9 : 0;
    uint64_t skipped_each = s->omission == OMISSION_SKIPS && s->overflow_limit_ns != NS_UNKNOWN && s->interval_ns > 0
                                ? (uint64_t)(s->overflow_limit_ns / s->interval_ns)
                                : 0;
    uint64_t skipped = 0;
    for (size_t i = 0; i < n; i++) {
        push(times, &capacity, (double)(cycles[i] + skipped) * period_s,
             n == 1 && s->n_overflow == 1 ? s->max_ns : NS_UNKNOWN, cycles[i]);
        skipped += skipped_each;
    }
    times->n_all = s->n_samples == COUNT_UNKNOWN ? 0 : (size_t)s->n_samples;
    times->span_s = (double)times->n_all * period_s;
}

static enum status times_from_samples(struct outlier_times *times, const struct store *store, uint32_t series,
                                      int64_t threshold_ns, struct error *error)
{
    const struct series *s = &store->series[series];
    size_t capacity = 0;
    uint64_t order = 0;
    double first = NAN, last = NAN, period_s = s->interval_ns > 0 ? (double)s->interval_ns / 1e9 : 0; /* 0: an order only */
    if (s->is_block_maxima) /* each stands for a span of equal length, not for a period */
        period_s = s->duration_ns > 0 ? (double)s->duration_ns / 1e9 / (double)store_count_samples(store, series) : 0;
    for (size_t chunk = 0; chunk < store_count_sample_chunks(store, series); chunk++) {
        struct sample_view view;
        if (store_sample_chunk(store, series, chunk, &view, error) == FAILED)
            return FAILED;
        for (size_t i = 0; i < view.n; i++, order++) {
            uint64_t cycle = view.cycle                            ? view.cycle[i]
                             : view.first_cycle != COUNT_UNKNOWN ? view.first_cycle + i
                                                                   : order;
            bool is_timed = view.time_ns && view.time_ns[i] != NS_UNKNOWN;
            times->has_clock |= is_timed;
            double at = is_timed ? (double)view.time_ns[i] / 1e9 : (double)cycle * period_s;
            first = isnan(first) ? at : fmin(first, at);
            last = isnan(last) ? at : fmax(last, at);
            times->n_all++;
            if (view.latency_ns[i] != NS_UNKNOWN && view.latency_ns[i] >= threshold_ns)
                push(times, &capacity, at, view.latency_ns[i], cycle);
        }
    }
    times->span_s = isnan(first) ? 0 : last - first;
    return OK;
}

enum status outlier_times_read(struct outlier_times *times, const struct store *store, uint32_t series,
                               int64_t threshold_ns, struct error *error)
{
    *times = (struct outlier_times){0};
    if (store_count_samples(store, series) > 0)
        return times_from_samples(times, store, series, threshold_ns, error);
    times_from_cycles(times, store, series);
    return OK;
}

void outlier_times_release(struct outlier_times *times)
{
    free(times->seconds);
    free(times->latency_ns);
    free(times->cycle);
    *times = (struct outlier_times){0};
}

double series_resultant(const struct store *store, uint32_t series, double period_s)
{
    double c = 0, s = 0, n = 0;
    for (size_t chunk = 0; chunk < store_count_sample_chunks(store, series); chunk++) {
        struct sample_view view;
        if (store_sample_chunk(store, series, chunk, &view, NULL) == FAILED || !view.time_ns)
            break;
        for (size_t i = 0; i < view.n; i++) {
            if (view.time_ns[i] == NS_UNKNOWN)
                continue;
            double angle = 2 * M_PI * fmod((double)view.time_ns[i] / 1e9, period_s) / period_s;
            c += cos(angle);
            s += sin(angle);
            n++;
        }
    }
    return n > 0 ? sqrt(c * c + s * s) / n : 0;
}
