/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/series_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Samples are counted into at most this many bins; finer values lose resolution, never counts. */
#define MAX_COUNTED_BINS ((size_t)1 << 21)

struct range {
    int64_t low, high;
    uint64_t n;
};

static enum status each_sample(const struct store *store, uint32_t series, struct error *error,
                               void (*visit)(const struct sample_view *view, void *context), void *context)
{
    for (size_t chunk = 0; chunk < store_count_sample_chunks(store, series); chunk++) {
        struct sample_view view;
        if (store_sample_chunk(store, series, chunk, &view, error) == FAILED)
            return FAILED;
        visit(&view, context);
    }
    return OK;
}

static void find_range(const struct sample_view *view, void *context)
{
    struct range *range = context;
    for (size_t i = 0; i < view->n; i++) {
        int64_t value = view->latency_ns[i];
        if (value == NS_UNKNOWN)
            continue;
        range->low = value < range->low ? value : range->low;
        range->high = value > range->high ? value : range->high;
        range->n++;
    }
}

struct counts {
    int64_t low, width;
    uint64_t *counts;
};
static void count_samples(const struct sample_view *view, void *context)
{
    struct counts *c = context;
    for (size_t i = 0; i < view->n; i++)
        if (view->latency_ns[i] != NS_UNKNOWN)
            c->counts[(uint64_t)(view->latency_ns[i] - c->low) / (uint64_t)c->width]++;
}

static int64_t floor_to(int64_t value, int64_t width)
{
    int64_t rest = value % width;
    return value - (rest < 0 ? rest + width : rest);
}

static enum status shape_from_samples(struct series_shape *shape, const struct store *store, uint32_t series,
                                      struct error *error)
{
    struct range range = {INT64_MAX, INT64_MIN, 0};
    if (each_sample(store, series, error, find_range, &range) == FAILED)
        return FAILED;
    if (range.n == 0)
        return OK;
    int64_t width = store->series[series].resolution_ns > 0 ? store->series[series].resolution_ns : 1;
    uint64_t span = (uint64_t)range.high - (uint64_t)range.low;
    while (span / (uint64_t)width >= MAX_COUNTED_BINS)
        width *= 2;
    struct counts counts = {floor_to(range.low, width), width, NULL};
    size_t n = (size_t)((uint64_t)(range.high - counts.low) / (uint64_t)width) + 1;
    counts.counts = memory_resize(NULL, n, sizeof *counts.counts);
    memset(counts.counts, 0, n * sizeof *counts.counts);
    enum status status = each_sample(store, series, error, count_samples, &counts);
    size_t n_used = 0;
    for (size_t i = 0; i < n; i++)
        n_used += counts.counts[i] > 0;
    shape->own = memory_resize(NULL, n_used, sizeof *shape->own);
    n_used = 0;
    for (size_t i = 0; i < n; i++)
        if (counts.counts[i] > 0)
            shape->own[n_used++] = (struct bin){counts.low + (int64_t)i * width, counts.counts[i]};
    free(counts.counts);
    shape->histogram = histogram_of(shape->own, n_used, (double)width, 0, NAN, NAN);
    return status;
}

enum status series_shape_read(struct series_shape *shape, const struct store *store, uint32_t series, struct error *error)
{
    const struct series *s = &store->series[series];
    *shape = (struct series_shape){.histogram = histogram_of(NULL, 0, 1, 0, NAN, NAN)};
    if (s->n_samples == 0)
        return OK;
    size_t n;
    const struct bin *bins = store_bins(store, series, &n);
    bool has_overflow = s->n_overflow != COUNT_UNKNOWN && s->n_overflow > 0;
    if (n == 0 && !has_overflow)
        return shape_from_samples(shape, store, series, error);
    double width = s->bin_width_ns > 0 ? (double)s->bin_width_ns : s->resolution_ns > 0 ? (double)s->resolution_ns : 1;
    if (s->bin_edge == BIN_EXACT)
        width = s->resolution_ns > 0 ? (double)s->resolution_ns : 1;
    double limit = NAN, max = NAN;
    if (has_overflow) {
        limit = s->overflow_limit_ns != NS_UNKNOWN ? (double)s->overflow_limit_ns
                : n > 0                            ? (double)bins[n - 1].low_ns + width
                                                   : 0;
        if (s->max_ns != NS_UNKNOWN && !s->max_is_lower_bound && (double)s->max_ns >= limit)
            max = (double)s->max_ns;
    }
    if (n == 0)
        return OK; /* everything overflowed: there is no shape */
    shape->histogram = histogram_of(bins, n, width, has_overflow ? s->n_overflow : 0, limit, max);
    return OK;
}

void series_shape_release(struct series_shape *shape)
{
    free(shape->own);
    *shape = (struct series_shape){0};
}

int64_t series_duration_ns(const struct series *s)
{
    int64_t ns;
    if (s->duration_ns != NS_UNKNOWN && s->duration_ns > 0)
        return s->duration_ns;
    if (s->n_samples == COUNT_UNKNOWN || s->interval_ns == NS_UNKNOWN || s->interval_ns <= 0 || s->n_samples > INT64_MAX ||
        __builtin_mul_overflow((int64_t)s->n_samples, s->interval_ns, &ns))
        return NS_UNKNOWN;
    return ns;
}

bool run_has_note(const struct store *store, uint32_t run, const char *code)
{
    for (size_t i = 0; i < store->n_notes; i++)
        if (store->notes[i].run == run && store->notes[i].code && strcmp(store->notes[i].code, code) == 0)
            return true;
    return false;
}

const char *run_fact(const struct store *store, uint32_t run, const char *keys)
{
    for (const char *key = keys; *key;) {
        size_t length = strcspn(key, "|");
        char one[128];
        if (length < sizeof one) {
            memcpy(one, key, length);
            one[length] = '\0';
            const struct fact *fact = store_fact(store, run, one);
            if (fact && fact->value && *fact->value)
                return fact->value;
        }
        key += length + (key[length] == '|');
    }
    return NULL;
}

const char *run_tool_fact(const struct store *store, uint32_t run, const char *name)
{
    size_t length = strlen(name);
    struct row_range rows = store_series_of_run(store, run);
    size_t n;
    const struct fact *const *facts = store_facts_of_run(store, run, &n);
    for (size_t i = 0; i < n; i++) {
        const struct fact *fact = facts[i];
        if (!fact->key || !fact->value || !*fact->value)
            continue;
        const char *dot = strchr(fact->key, '.');
        if (!dot || strcmp(dot + 1, name) != 0 || strlen(dot + 1) != length)
            continue;
        for (uint32_t s = rows.begin; s < rows.end; s++) {
            const char *tool = store->series[s].tool;
            if (tool && strlen(tool) == (size_t)(dot - fact->key) &&
                memcmp(tool, fact->key, (size_t)(dot - fact->key)) == 0)
                return fact->value;
        }
    }
    return NULL;
}

static bool starts(const char *text, const char *with)
{
    return text && strncmp(text, with, strlen(with)) == 0;
}

bool series_is_cokernel(const struct store *store, const struct series *s)
{
    if (s->policy == POLICY_COBALT || (s->tool && (strcmp(s->tool, "latency") == 0 || strcmp(s->tool, "latmus") == 0 ||
                                                   starts(s->tool, "xeno") || starts(s->tool, "evl"))))
        return true;
    const char *core = run_fact(store, s->run, "core|realtime.core|xenomai.core");
    return core && (strstr(core, "cobalt") || strstr(core, "evl"));
}
