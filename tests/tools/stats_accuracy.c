/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stats_accuracy [RUNS]: error rates of validate and compare on simulated histograms, through the same analyzers that the
 * program runs. Prints a table of rates with their limits; exits with 1 if a rate is beyond its limit by more than chance
 * allows (95 % Clopper-Pearson). RUNS: per row, default 1000.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzers/analyzer.h"
#include "analyzers/stats/counting.h"
#include "store/writer.h"

#define N_BINS 30000 /* of 1 us; what lies beyond is placed one by one */

/* P(latency > x us) of a family; tail: a factor on everything above the 99.9 % point. */
struct family {
    const char *name;
    double (*survival)(double us);
};

static double exponential(double us)
{
    return exp(-fmax(us - 5, 0) / 4);
}
static double pareto(double us, double from, double scale, double shape)
{
    double y = fmax(us - from, 0);
    return pow(1 + shape * y / scale, -1 / shape);
}
static double heavy(double us)
{
    return pareto(us, 5, 4, 0.2);
}
static double very_heavy(double us)
{
    return pareto(us, 5, 4, 0.35);
}
static double lognormal(double us)
{
    return us <= 3 ? 1 : 0.5 * erfc((log(us - 3) - log(5)) / (0.5 * sqrt(2)));
}
/* Three causes: the path, an interrupt in 1 of 300 wakeups, a rare one in 1 of 20,000. */
static double mixture(double us)
{
    double path = pareto(us, 5, 2, 0.05), irq = pareto(us, 8, 6, 0.1), rare = pareto(us, 15, 15, 0.1);
    return (1 - 1 / 300.0 - 1 / 20000.0) * path + irq / 300 + rare / 20000;
}

static const struct family families[] = {
    {"exponential tail", exponential}, {"heavy tail, shape 0.2", heavy}, {"heavy tail, shape 0.35", very_heavy},
    {"lognormal", lognormal},          {"mixture of three causes", mixture},
};
#define N_FAMILIES (sizeof families / sizeof *families)

static gsl_rng *rng;

/* A histogram drawn from a family; values above `from` us are stretched by `factor`. */
static size_t draw(const struct family *family, double n, double from, double factor, struct bin *bins)
{
    size_t m = 0;
    double above = family->survival(0);
    for (int us = 0; us < N_BINS; us++) {
        double edge = us + 1, x = edge <= from ? edge : from + (edge - from) / factor, below = family->survival(x);
        double mean = n * (above - below);
        above = below;
        uint64_t count = mean > 1e6 ? (uint64_t)llround(fmax(0, mean + gsl_ran_gaussian(rng, sqrt(mean)))) : gsl_ran_poisson(rng, mean);
        if (count > 0)
            bins[m++] = (struct bin){us * 1000, count};
        if (n * above < 1e-6)
            break;
    }
    return m;
}

/* ---- through the analyzers ---- */

static void add_run(struct store_writer *writer, const struct bin *bins, size_t n, uint32_t group)
{
    struct run run = {.label = group ? "b" : "a", .group = group};
    uint32_t r = store_add_run(writer, &run);
    struct artefact artefact = {.run = r, .path = group ? "b" : "a", .format = "cyclictest"};
    uint32_t a = store_add_artefact(writer, &artefact);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += bins[i].count;
    struct series series = {
        .run = r, .artefact = a, .name = "T0", .tool = "cyclictest", .path = PATH_TIMER_WAKEUP, .tid = TID_UNKNOWN, .cpu = CPU_UNKNOWN,
        .policy = POLICY_FIFO, .priority = 98, .interval_ns = NS_UNKNOWN, .resolution_ns = 1000, .n_samples = total, .min_ns = bins[0].low_ns,
        .max_ns = bins[n - 1].low_ns, .avg_ns = NAN, .n_overflow = 0, .overflow_limit_ns = NS_UNKNOWN, .n_stated_lost = COUNT_UNKNOWN,
        .n_requested = COUNT_UNKNOWN, .duration_ns = INT64_C(36000000000000), .start_ns = NS_UNKNOWN, .bin_width_ns = 1000,
    };
    uint32_t s = store_add_series(writer, &series);
    store_add_bins(writer, s, bins, n);
}

struct opened {
    struct store *store;
    struct analysis analysis;
};

static struct opened analyse(const struct bin *a, size_t n_a, const struct bin *b, size_t n_b)
{
    struct error error = {0};
    struct opened opened = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    if (!writer) {
        fprintf(stderr, "stats_accuracy: %s\n", error.text);
        exit(2);
    }
    add_run(writer, a, n_a, 0);
    if (b)
        add_run(writer, b, n_b, 1);
    int fd = store_writer_finish_fd(writer, &error);
    opened.store = fd >= 0 ? store_open_fd(fd, "simulated", &error) : NULL;
    struct analysis_options options = analysis_options_default;
    options.jobs = b ? JOB_COMPARE : JOB_VALIDATE;
    if (!opened.store || analysis_run(&opened.analysis, opened.store, &options, &error) == FAILED) {
        fprintf(stderr, "stats_accuracy: %s\n", error.text);
        exit(2);
    }
    return opened;
}

static void close_all(struct opened *opened)
{
    analysis_release(&opened->analysis);
    store_close(opened->store);
}

static bool has(const struct analysis *analysis, const char *code)
{
    return findings_have(&analysis->findings, code, 0) || findings_have(&analysis->findings, code, 1);
}

/* ---- the table ---- */

static int n_broken;

static void row(const char *what, const char *family, unsigned k, unsigned n, const char *limit_text, double limit, bool is_least)
{
    double low, high, rate = 100.0 * k / n;
    proportion_interval(k, n, 0.95, &low, &high);
    bool broken = is_least ? 100 * high < limit : 100 * low > limit;
    n_broken += broken;
    printf("%-34s %-26s %6u of %-6u %6.2f %%   %s %g %%%s\n", what, family, k, n, rate, limit_text, limit, broken ? "   BEYOND" : "");
    fflush(stdout);
}

static void honest_maxima(unsigned n_runs)
{
    static struct bin bins[N_BINS + 1];
    for (size_t f = 0; f < N_FAMILIES; f++) {
        unsigned n_suspect = 0;
        for (unsigned i = 0; i < n_runs; i++) {
            size_t n = draw(&families[f], i % 2 ? 1e6 : 1e7, 1e9, 1, bins);
            struct opened opened = analyse(bins, n, NULL, 0);
            enum verdict verdict = opened.analysis.series[0].verdict;
            n_suspect += verdict == VERDICT_SUSPECT || verdict == VERDICT_ARTEFACT;
            close_all(&opened);
        }
        row("honest maximum called suspect", families[f].name, n_suspect, n_runs, "at most", 5, false);
    }
}

/* Values that are no latencies, in us: a type's limits, clock steps, ns read as us, ticks. */
static void planted_artefacts(unsigned n_runs)
{
    static struct bin bins[N_BINS + 1];
    static const struct {
        const char *name;
        int64_t us[3];
    } kinds[] = {{"type limits", {INT64_C(4294967295), INT64_C(2147483647), INT64_C(4294967)}},
                 {"clock steps", {1000000, INT64_C(3600000000), 125000}},
                 {"unit slips", {9000, 14000, 30000}},
                 {"ticks", {1001, 4003, 10005}}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        unsigned n_found = 0;
        for (unsigned i = 0; i < n_runs; i++) {
            const struct family *family = &families[i % 2 ? 0 : 3];
            size_t n = draw(family, 1e6, 1e9, 1, bins);
            int64_t value = kinds[k].us[i % 3] * 1000;
            bins[n++] = (struct bin){value, 1};
            struct opened opened = analyse(bins, n, NULL, 0);
            enum verdict verdict = opened.analysis.series[0].verdict;
            n_found += verdict == VERDICT_SUSPECT || verdict == VERDICT_ARTEFACT;
            close_all(&opened);
        }
        row("planted artefact found", kinds[k].name, n_found, n_runs, "at least", 99, true);
    }
}

static bool declares(const struct analysis *analysis)
{
    return has(analysis, "tail-improved") || has(analysis, "tail-regressed") || has(analysis, "body-improved") ||
           has(analysis, "body-regressed");
}

static void equal_pairs(unsigned n_runs)
{
    static struct bin a[N_BINS + 1], b[N_BINS + 1];
    for (int unequal = 0; unequal < 2; unequal++)
        for (size_t f = 0; f < N_FAMILIES; f++) {
            unsigned n_declared = 0;
            for (unsigned i = 0; i < n_runs; i++) {
                double n = i % 2 ? 1e6 : 1e7;
                size_t n_a = draw(&families[f], n, 1e9, 1, a), n_b = draw(&families[f], unequal ? n / 10 : n, 1e9, 1, b);
                struct opened opened = analyse(a, n_a, b, n_b);
                n_declared += declares(&opened.analysis);
                close_all(&opened);
            }
            row(unequal ? "same system, 1:10, called different" : "same system, 1:1, called different", families[f].name, n_declared, n_runs,
                "at most", 5, false);
        }
}

/* Values above the 99.9 % point stretched so that the 99.99 % quantile rises by 20 %. */
static void planted_shift(unsigned n_runs)
{
    static struct bin a[N_BINS + 1], b[N_BINS + 1];
    for (size_t f = 0; f < N_FAMILIES; f++) {
        double from = 0, q = 0;
        while (families[f].survival(from) > 1e-3)
            from += 0.01;
        for (q = from; families[f].survival(q) > 1e-4;)
            q += 0.01;
        double factor = (1.2 * q - from) / (q - from);
        unsigned n_found = 0;
        for (unsigned i = 0; i < n_runs; i++) {
            size_t n_a = draw(&families[f], 1e7, 1e9, 1, a), n_b = draw(&families[f], 1e7, from, factor, b);
            struct opened opened = analyse(a, n_a, b, n_b);
            n_found += has(&opened.analysis, "tail-regressed");
            close_all(&opened);
        }
        row("99.99 % quantile 20 % worse, found", families[f].name, n_found, n_runs, "at least", 90, true);
    }
}

/* Time of one core: others may use the machine as well. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 10^9 samples in 10^6 bins: every us up to a second used. */
static void speed(void)
{
    const size_t n = 1000000;
    struct bin *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    for (size_t i = 0; i < n; i++) {
        double mean = 1e9 * (pareto((double)i, 5, 4, 0.9) - pareto((double)i + 1, 5, 4, 0.9));
        a[i] = (struct bin){(int64_t)i * 1000, (uint64_t)mean + 1};
        b[i] = (struct bin){(int64_t)i * 1000, (uint64_t)(mean * 1.01) + 1};
    }
    double begin = seconds_now();
    struct opened opened = analyse(a, n, NULL, 0);
    double validate = seconds_now() - begin;
    close_all(&opened);
    begin = seconds_now();
    opened = analyse(a, n, b, n);
    double compare = seconds_now() - begin;
    close_all(&opened);
    bool broken = validate >= 2 || compare >= 10;
    n_broken += broken;
    printf("10^9 samples in 10^6 bins: validate %.2f s (under 2), compare of two %.2f s (under 10)%s\n", validate, compare,
           broken ? "   BEYOND" : "");
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    unsigned n_runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    if (n_runs == 0) {
        fprintf(stderr, "stats_accuracy: usage: stats_accuracy [RUNS]\n");
        return 2;
    }
    rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 20260101);
    speed();
    honest_maxima(n_runs);
    planted_artefacts(n_runs);
    equal_pairs(n_runs);
    planted_shift(n_runs);
    gsl_rng_free(rng);
    return n_broken > 0;
}
