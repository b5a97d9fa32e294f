/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/storms.h"
#include "analyzers/stats/counting.h"

#include <string.h>

#include "base/memory.h"

#define MIN_INVOCATIONS 20
#define MIN_RATIO 3.0   /* "far above": a burst must be this much denser than the rest */
#define MIN_RATE_HZ 200 /* slower than a tick is no storm */
#define N_WIDTHS 5
static const size_t widths[N_WIDTHS] = {4, 16, 64, 128, 256}; /* in bins */

static size_t n_bins_used(const struct handlers *h)
{
    size_t n = (size_t)((h->end_ns - h->begin_ns) / h->bin_ns) + 1;
    return n < HANDLER_BINS ? n : HANDLER_BINS;
}

/* The least count in a window of that width that chance reaches with probability alpha or less anywhere. */
static uint64_t critical_count(double mean, double n_windows, double alpha)
{
    uint64_t k = (uint64_t)mean + 1;
    while (n_windows * poisson_at_least(mean, k) > alpha)
        k += 1 + (uint64_t)(mean / 50);
    return k;
}

/*
 * Marks the bins of the windows that exceed their critical count, of the narrowest width that finds any: wider ones
 * would melt bursts into one. Returns the least corrected p.
 */
static double mark_bursts(const struct handler *line, size_t n_bins, double n_tests, unsigned char *marked)
{
    double least_p = 1, rate = (double)line->n / (double)n_bins;
    for (size_t w = 0; w < N_WIDTHS && widths[w] <= n_bins / 4; w++) {
        size_t width = widths[w];
        bool found = false;
        double n_windows = 2.0 * (double)n_bins / (double)width * n_tests;
        double mean = rate * (double)width;
        uint64_t critical = critical_count(mean, n_windows, STORM_FALSE_ALARM_RATE), sum = 0;
        if ((double)critical < MIN_RATIO * mean)
            critical = (uint64_t)(MIN_RATIO * mean) + 1;
        if (critical < MIN_INVOCATIONS)
            critical = MIN_INVOCATIONS;
        for (size_t b = 0; b < n_bins; b++) {
            sum += line->bins[b];
            if (b >= width)
                sum -= line->bins[b - width];
            if (b + 1 < width || sum < critical)
                continue;
            memset(marked + (b + 1 - width), 1, width);
            double p = n_windows * poisson_at_least(mean, sum);
            least_p = p < least_p ? p : least_p;
            found = true;
        }
        if (found)
            break;
    }
    return least_p;
}

/* Windows reach over the edges of a burst: bins without an invocation at its ends are no part of it. */
static bool collect(struct storm *s, const struct handlers *h, size_t n_bins, const unsigned char *marked)
{
    size_t capacity = 0;
    uint64_t n_outside = 0;
    for (size_t b = 0; b < n_bins; b++) {
        if (!marked[b]) {
            n_outside += s->line->bins[b];
            continue;
        }
        size_t first = b, last;
        while (b + 1 < n_bins && marked[b + 1])
            b++;
        last = b;
        while (first < last && !s->line->bins[first])
            first++;
        while (last > first && !s->line->bins[last])
            last--;
        memory_reserve(s->spans, capacity, s->n_spans + 1);
        struct storm_span span = {h->begin_ns + (int64_t)first * h->bin_ns, h->begin_ns + (int64_t)(last + 1) * h->bin_ns};
        s->spans[s->n_spans++] = span;
        s->burst_ns += span.end_ns - span.begin_ns;
        for (size_t k = first; k <= last; k++)
            s->n_in_bursts += s->line->bins[k];
        if (span.end_ns - span.begin_ns > s->end_ns - s->begin_ns) {
            s->begin_ns = span.begin_ns;
            s->end_ns = span.end_ns;
        }
    }
    s->n_bursts = s->n_spans;
    if (!s->burst_ns)
        return false;
    int64_t rest_ns = (int64_t)n_bins * h->bin_ns - s->burst_ns;
    s->rate_hz = (double)s->n_in_bursts / ((double)s->burst_ns * 1e-9);
    s->baseline_hz = rest_ns > 0 ? (double)n_outside / ((double)rest_ns * 1e-9) : 0;
    return s->rate_hz >= MIN_RATE_HZ && s->rate_hz >= MIN_RATIO * s->baseline_hz;
}

static int by_count(const void *a, const void *b)
{
    const struct storm *x = a, *y = b;
    return x->n_in_bursts > y->n_in_bursts ? -1 : x->n_in_bursts < y->n_in_bursts;
}

size_t storms_find(const struct handlers *h, struct storm **storms)
{
    size_t n = 0, capacity = 0, n_lines = 0;
    *storms = NULL;
    if (h->begin_ns == NS_UNKNOWN)
        return 0;
    size_t n_bins = n_bins_used(h);
    for (size_t i = 0; i < h->n; i++)
        n_lines += h->items[i].n >= MIN_INVOCATIONS;
    for (size_t i = 0; i < h->n; i++) {
        const struct handler *line = &h->items[i];
        if (line->n < MIN_INVOCATIONS)
            continue;
        unsigned char marked[HANDLER_BINS] = {0};
        struct storm s = {.line = line};
        s.p = mark_bursts(line, n_bins, (double)n_lines * N_WIDTHS, marked);
        if (!collect(&s, h, n_bins, marked)) {
            free(s.spans);
            continue;
        }
        memory_reserve(*storms, capacity, n + 1);
        (*storms)[n++] = s;
    }
    if (n)
        memory_sort(*storms, n, sizeof **storms, by_count);
    return n;
}

void storms_free(struct storm *storms, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(storms[i].spans);
    free(storms);
}

bool storm_overlaps(const struct storm *storm, int64_t begin_ns, int64_t end_ns)
{
    for (size_t i = 0; i < storm->n_spans; i++)
        if (storm->spans[i].begin_ns < end_ns && storm->spans[i].end_ns > begin_ns)
            return true;
    return false;
}
