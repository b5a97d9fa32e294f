/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overflows of several threads in the same cycles: one cause stopped them together, as a bare histogram tells. */
#include <math.h>
#include <stdlib.h>

#include "analyzers/judged.h"
#include "analyzers/stats/counting.h"

#define LEAST_OVERFLOWS 3
#define MOST_OVERFLOWS  20000 /* of one thread: more are no outliers */
#define MOST_OFFSET     100   /* cycles by which a thread may have started later, or lost periods since */
#define LEVEL           1e-4  /* after correction for the offsets tried */

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Cycles of a that have one of b within a cycle, b's numbers moved by an offset. Both rise. */
static size_t count_together(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b, int64_t offset)
{
    size_t n = 0, k = 0;
    for (size_t i = 0; i < n_a; i++) {
        uint64_t want = (int64_t)a[i] + offset > 0 ? (uint64_t)((int64_t)a[i] + offset) : 0;
        while (k < n_b && b[k] + 1 < want)
            k++;
        n += k < n_b && apart(b[k], want) <= 1;
    }
    return n;
}

static bool has_cycles(const struct store *store, uint32_t series, const uint64_t **cycles, size_t *n)
{
    const struct series *s = &store->series[series];
    *cycles = store_overflow_cycles(store, series, n);
    if (*n < LEAST_OVERFLOWS || *n > MOST_OVERFLOWS || s->n_samples == COUNT_UNKNOWN || (double)*n > 0.001 * (double)s->n_samples)
        return false;
    for (size_t i = 0; i < *n; i++)
        if ((i > 0 && (*cycles)[i] < (*cycles)[i - 1]) || (*cycles)[i] > INT64_MAX / 2)
            return false;
    return true;
}

/* The offset at which most coincide, and p of so many by chance (Poisson), times the offsets tried. */
static double best_p(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b, double n_samples, size_t *most, int64_t *offset)
{
    *most = 0;
    *offset = 0;
    for (int64_t step = 0; step <= 2 * MOST_OFFSET; step++) { /* 0, 1, -1, 2, -2 ... : the smallest of equal ones */
        int64_t one = step % 2 ? (step + 1) / 2 : -(step / 2);
        size_t n = count_together(a, n_a, b, n_b, one);
        if (n > *most) {
            *most = n;
            *offset = one;
        }
    }
    double mean = (double)n_a * fmin(1, 3 * (double)n_b / n_samples);
    return fmin(1, poisson_at_least(mean, *most) * (2 * MOST_OFFSET + 1));
}

void signs_of_coincidence(const struct store *store, struct judged *judged, size_t n, struct findings *out)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct series *s = &store->series[i];
        const uint64_t *a, *b;
        size_t n_a, n_b, n_threads = 1, n_together = 0;
        double least_p = 1;
        if (s->interval_ns == NS_UNKNOWN || judged[i].is_artefact || !has_cycles(store, i, &a, &n_a))
            continue;
        bool is_first = true;
        for (uint32_t k = 0; k < n && k < i; k++) /* told once a run, by its first thread that has any */
            is_first &= !(store->series[k].run == s->run && store->series[k].interval_ns == s->interval_ns && has_cycles(store, k, &b, &n_b));
        for (uint32_t k = i + 1; k < n && is_first; k++) {
            const struct series *other = &store->series[k];
            size_t together;
            int64_t offset;
            if (other->run != s->run || other->path != s->path || other->interval_ns != s->interval_ns || !has_cycles(store, k, &b, &n_b))
                continue;
            double p = best_p(a, n_a, b, n_b, (double)s->n_samples, &together, &offset);
            if (p >= LEVEL || together < LEAST_OVERFLOWS)
                continue;
            n_threads++;
            n_together = together > n_together ? together : n_together;
            least_p = fmin(least_p, p);
        }
        if (n_threads < 2)
            continue;
        struct finding *finding = judged_finding(store, &judged[i], out, "simultaneous-maxima", "cycles", SEVERITY_WARNING, CONFIDENCE_LIKELY);
        finding_integer(out, finding, "n_series", (int64_t)n_threads);
        finding_integer(out, finding, "n_together", (int64_t)n_together);
        finding_integer(out, finding, "n_overflow", (int64_t)n_a);
        finding_number(out, finding, "p", least_p);
    }
}
