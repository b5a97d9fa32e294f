/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "report/words.h"

extern const struct export_format export_csv, export_json, export_perfetto, export_hgrm;

const struct export_format *const export_formats[] = {&export_csv, &export_json, &export_perfetto, &export_hgrm, NULL};

const struct export_format *export_format_find(const char *name)
{
    for (size_t i = 0; export_formats[i]; i++)
        if (!strcmp(export_formats[i]->name, name))
            return export_formats[i];
    return NULL;
}

void export_json_string(FILE *file, const char *string)
{
    if (!string) {
        fputs("null", file);
        return;
    }
    putc('"', file);
    while (*string) {
        size_t n = words_utf8_length(string);
        unsigned char c = (unsigned char)*string;
        if (!n)
            fputs("\\ufffd", file);
        else if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 32)
            fprintf(file, "\\u%04x", c);
        else
            fwrite(string, 1, n, file);
        string += n ? n : 1;
    }
    putc('"', file);
}

void export_us(FILE *file, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    fprintf(file, "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", size / 1000, size % 1000);
}

bool export_has_samples(const struct store *store, uint32_t series)
{
    return store_count_samples(store, series) > 0;
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts up to so many values at a time, so that memory does not grow with the samples. */
#define VALUES_AT_ONCE (1u << 20)

static int compare_bins(const void *a, const void *b)
{
    return compare_values(&((const struct bin *)a)->low_ns, &((const struct bin *)b)->low_ns);
}

static size_t join_bins(struct bin *bins, size_t n)
{
    size_t to = 0;
    memory_sort(bins, n, sizeof *bins, compare_bins);
    for (size_t i = 0; i < n; i++)
        if (to && bins[to - 1].low_ns == bins[i].low_ns)
            bins[to - 1].count += bins[i].count;
        else
            bins[to++] = bins[i];
    return to;
}

struct bin *export_distribution(const struct store *store, uint32_t series, size_t *n, struct error *error)
{
    size_t n_stored, capacity = 0, n_values = 0;
    struct bin *bins = NULL;
    *n = 0;
    const struct bin *stored = store_bins(store, series, &n_stored);
    if (n_stored) {
        bins = memory_resize(NULL, n_stored, sizeof *bins);
        memcpy(bins, stored, n_stored * sizeof *bins);
        *n = n_stored;
        return bins;
    }
    int64_t *values = memory_resize(NULL, VALUES_AT_ONCE, sizeof *values);
    size_t n_chunks = store_count_sample_chunks(store, series);
    for (size_t c = 0; c < n_chunks; c++) {
        struct sample_view view;
        if (store_sample_chunk(store, series, c, &view, error) != OK) {
            free(values);
            free(bins);
            *n = 0;
            return NULL;
        }
        for (size_t i = 0; i < view.n; i++) {
            if (view.latency_ns[i] != NS_UNKNOWN)
                values[n_values++] = view.latency_ns[i];
            if (n_values < VALUES_AT_ONCE && (c + 1 < n_chunks || i + 1 < view.n))
                continue;
            memory_sort(values, n_values, sizeof *values, compare_values);
            for (size_t k = 0; k < n_values; k++) {
                if (k && values[k] == values[k - 1]) {
                    bins[*n - 1].count++;
                    continue;
                }
                memory_reserve(bins, capacity, *n + 1);
                bins[(*n)++] = (struct bin){values[k], 1};
            }
            *n = *n ? join_bins(bins, *n) : 0;
            n_values = 0;
        }
    }
    free(values);
    return bins;
}
