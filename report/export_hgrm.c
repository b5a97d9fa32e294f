/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The percentile distribution that HdrHistogram writes (.hgrm) and its plotters read. One series, in microseconds:
 *
 *        Value     Percentile TotalCount 1/(1-Percentile)
 *
 *        3.000 0.000000000000         21           1.00
 *
 * Percentiles come closer to 1 in halves of the distance left, five steps each, as HdrHistogram's own default.
 */
#include <inttypes.h>
#include <math.h>

#include "report/export.h"

#define STEPS_PER_HALF 5.0

struct moments {
    double mean_us, deviation_us; /* NAN: unknown, because overflows hide values */
};

static struct moments moments_of(const struct bin *bins, size_t n, double total)
{
    struct moments m = {0};
    for (size_t i = 0; i < n; i++)
        m.mean_us += (double)bins[i].low_ns / 1e3 * (double)bins[i].count / total;
    double variance = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (double)bins[i].low_ns / 1e3 - m.mean_us;
        variance += d * d * (double)bins[i].count / total;
    }
    m.deviation_us = sqrt(variance);
    return m;
}

static void print_line(FILE *file, int64_t value_ns, double level, uint64_t count)
{
    fprintf(file, "%12.3f %2.12f %10" PRIu64, (double)value_ns / 1e3, level, count);
    if (level < 1)
        fprintf(file, " %14.2f", 1 / (1 - level));
    putc('\n', file);
}

/* total includes overflows: the curve then ends at the share that the bins hold, and at 1 only if the maximum is known. */
static void print_distribution(FILE *file, const struct bin *bins, size_t n, uint64_t total, int64_t max_ns)
{
    double level = 0;
    uint64_t below = 0;
    fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", file);
    for (size_t i = 0; i < n; i++) {
        below += bins[i].count;
        if (below == total)
            break;
        while ((double)below >= level * (double)total) {
            print_line(file, bins[i].low_ns, level, below);
            double halves = floor(log2(1 / (1 - level))) + 1;
            level += 1 / (STEPS_PER_HALF * exp2(halves));
        }
    }
    if (max_ns != NS_UNKNOWN)
        print_line(file, max_ns, 1, total);
}

static bool has_distribution(const struct store *store, uint32_t series)
{
    size_t n;
    store_bins(store, series, &n);
    return n || export_has_samples(store, series);
}

static enum status choose(const struct export_request *request, uint32_t *series, struct error *error)
{
    size_t n = 0;
    if (request->series >= 0) {
        *series = (uint32_t)request->series;
        return OK;
    }
    for (uint32_t i = 0; i < request->store->n_series; i++)
        if (has_distribution(request->store, i) && !n++)
            *series = i;
    if (n > 1)
        return error_usage(error, "the input has %zu series with a distribution: name one with --series (from 0)", n);
    return n ? OK : error_input(error, "the input holds no samples and no histogram");
}

static enum status write_hgrm(const struct export_request *request, FILE *file, struct error *error)
{
    uint32_t number = 0;
    size_t n;
    struct error damage = {0};
    if (choose(request, &number, error) != OK)
        return FAILED;
    const struct series *series = &request->store->series[number];
    struct bin *bins = export_distribution(request->store, number, &n, &damage);
    if (damage.kind != ERROR_NONE || !n) {
        free(bins);
        return damage.kind != ERROR_NONE ? error_set(error, damage.kind, "%s", damage.text)
                                         : error_input(error, "series %u holds no samples and no histogram", number);
    }
    uint64_t total = 0, n_overflow = series->n_overflow == COUNT_UNKNOWN || export_has_samples(request->store, number) ? 0 : series->n_overflow;
    for (size_t i = 0; i < n; i++)
        total += bins[i].count;
    struct moments m = moments_of(bins, n, (double)total);
    int64_t max_ns = bins[n - 1].low_ns;
    if (n_overflow) {
        m = (struct moments){series->avg_ns / 1e3, (double)NAN};
        max_ns = series->max_is_lower_bound ? NS_UNKNOWN : series->max_ns;
    }
    print_distribution(file, bins, n, total + n_overflow, max_ns);
    fprintf(file, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", m.mean_us, m.deviation_us);
    fprintf(file, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n", max_ns == NS_UNKNOWN ? (double)NAN : (double)max_ns / 1e3,
            total + n_overflow);
    fprintf(file, "#[Buckets = %12zu, SubBuckets     = %12d]\n", n, 1);
    if (n_overflow)
        fprintf(file, "#[Beyond the histogram, values unknown: %" PRIu64 " samples]\n", n_overflow);
    free(bins);
    return OK;
}

const struct export_format export_hgrm = {
    .name = "hgrm",
    .summary = "percentile distribution of one series, for HdrHistogram's plotters",
    .takes_series = true,
    .write = write_hgrm,
};
