/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stats_accuracy [RUNS [PART]]: error rates of validate and compare on simulated histograms, through the same analyzers that the
 * program runs. Prints a table of rates with their limits; exits with 1 if a rate is beyond its limit by more than chance
 * allows (95 % Clopper-Pearson). RUNS: per row, default 1000; PART: one of speed, maxima,
 * artefacts, equal, shift, repeats.
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
    struct run run = {.label = group ? "b" : "a", .group = group}; /* runs of one group are repeats */
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

/* The runs of one simulated comparison; the first n_first are the baseline's. */
#define MAX_RUNS 8
struct drawn {
    struct bin bins[N_BINS + 1];
    size_t n;
};

static struct opened analyse_runs(const struct bin *const *bins, const size_t *n, size_t n_first, size_t n_all)
{
    struct error error = {0};
    struct opened opened = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    if (!writer) {
        fprintf(stderr, "stats_accuracy: %s\n", error.text);
        exit(2);
    }
    for (size_t i = 0; i < n_all; i++)
        add_run(writer, bins[i], n[i], i >= n_first);
    int fd = store_writer_finish_fd(writer, &error);
    opened.store = fd >= 0 ? store_open_fd(fd, "simulated", &error) : NULL;
    struct analysis_options options = analysis_options_default;
    options.jobs = n_all > 1 ? JOB_COMPARE : JOB_VALIDATE;
    if (!opened.store || analysis_run(&opened.analysis, opened.store, &options, &error) == FAILED) {
        fprintf(stderr, "stats_accuracy: %s\n", error.text);
        exit(2);
    }
    return opened;
}

static struct opened analyse(const struct bin *a, size_t n_a, const struct bin *b, size_t n_b)
{
    const struct bin *bins[] = {a, b};
    const size_t n[] = {n_a, n_b};
    return analyse_runs(bins, n, 1, b ? 2 : 1);
}

static void close_all(struct opened *opened)
{
    analysis_release(&opened->analysis);
    store_close(opened->store);
}

static bool has(const struct analysis *analysis, const char *code)
{
    for (size_t i = 0; i < analysis->findings.n; i++)
        if (strcmp(analysis->findings.items[i]->code, code) == 0)
            return true;
    return false;
}

/* ---- the table ---- */

static int n_broken;

static void row(const char *what, const char *family, unsigned k, unsigned n, const char *limit_text, double limit, bool is_least)
{
    double low, high, rate = 100.0 * k / n;
    proportion_interval(k, n, 0.95, &low, &high);
    bool broken = is_least ? 100 * high < limit : 100 * low > limit;
    n_broken += broken;
    printf("%-38s %-24s %6u of %-6u %6.2f %%   %s %g %%%s\n", what, family, k, n, rate, limit_text, limit, broken ? "   BEYOND" : "");
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
        row("honest maximum called suspect", families[f].name, n_suspect, n_runs, "at most", 1, false);
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
           has(analysis, "body-regressed") || has(analysis, "distribution-differs");
}

static const struct metric *metric_of(const struct analysis *analysis, const char *name)
{
    for (size_t i = 0; i < analysis->comparison.n_metrics; i++)
        if (strcmp(analysis->comparison.metrics[i].name, name) == 0)
            return &analysis->comparison.metrics[i];
    return NULL;
}

static bool is_shown(const struct analysis *analysis, const char *name)
{
    const struct metric *metric = metric_of(analysis, name);
    return metric && metric->p < 0.05;
}

static bool misses_one(const struct analysis *analysis, const char *name)
{
    const struct metric *metric = metric_of(analysis, name);
    return metric && (metric->low > 1 || metric->high < 1);
}

/* --fail-regression 0, as cli/gates.c decides it. */
static bool breaks_gate(const struct analysis *analysis)
{
    double p[64];
    size_t n = analysis->comparison.n_metrics < 64 ? analysis->comparison.n_metrics : 64;
    bool breaks = false;
    for (size_t i = 0; i < n; i++)
        p[i] = isnan(analysis->comparison.metrics[i].low) ? NAN : analysis->comparison.metrics[i].p;
    adjust_holm(p, n);
    for (size_t i = 0; i < n; i++)
        breaks |= analysis->comparison.metrics[i].low > 1 && !(p[i] >= 0.05);
    return breaks;
}

/* The deepest quantile up to which "no worse" is said; 0: none. */
static double no_worse_level(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->findings.n; i++) {
        const struct finding *finding = analysis->findings.items[i];
        for (size_t v = 0; v < finding->n_values && strcmp(finding->code, "no-worse-shown") == 0; v++)
            if (strcmp(finding->values[v].key, "level") == 0)
                return finding->values[v].number;
    }
    return 0;
}

/* What each test says of one system measured twice, at 95 %. */
static void equal_pairs(unsigned n_runs)
{
    static struct bin a[N_BINS + 1], b[N_BINS + 1];
    static const struct {
        const char *what, *metric;
        bool is_interval;
    } tests[] = {{"Mann-Whitney", "test:mann-whitney", false},
                 {"Kolmogorov-Smirnov", "test:kolmogorov-smirnov", false},
                 {"Anderson-Darling", "test:anderson-darling", false},
                 {"permutation, 99.99 %", "quantile:0.9999", false},
                 {"bootstrap interval, 99.9 %", "quantile:0.999", true},
                 {"bootstrap interval, 99.99 %", "quantile:0.9999", true}};
    enum { N_TESTS = sizeof tests / sizeof *tests };
    for (int unequal = 0; unequal < 2; unequal++)
        for (size_t f = 0; f < N_FAMILIES; f++) {
            unsigned n_declared = 0, n_shown[N_TESTS] = {0}, n_no_worse = 0, n_long = 0, n_broken_gates = 0;
            for (unsigned i = 0; i < n_runs; i++) {
                double n = i % 2 ? 1e6 : 1e7;
                size_t n_a = draw(&families[f], n, 1e9, 1, a), n_b = draw(&families[f], unequal ? n / 10 : n, 1e9, 1, b);
                struct opened opened = analyse(a, n_a, b, n_b);
                n_declared += declares(&opened.analysis);
                n_broken_gates += breaks_gate(&opened.analysis);
                for (size_t t = 0; t < N_TESTS; t++)
                    n_shown[t] += tests[t].is_interval ? misses_one(&opened.analysis, tests[t].metric) : is_shown(&opened.analysis, tests[t].metric);
                if (i % 2 == 0 && !unequal) {
                    n_long++;
                    n_no_worse += no_worse_level(&opened.analysis) >= 0.9999;
                }
                close_all(&opened);
            }
            const char *lengths = unequal ? "same, 1:10" : "same, 1:1";
            char what[64];
            snprintf(what, sizeof what, "%s: called different", lengths);
            row(what, families[f].name, n_declared, n_runs, "at most", 5, false);
            snprintf(what, sizeof what, "%s: --fail-regression 0 fails", lengths);
            row(what, families[f].name, n_broken_gates, n_runs, "at most", 5, false);
            for (size_t t = 0; t < N_TESTS; t++) {
                snprintf(what, sizeof what, "%s: %s", lengths, tests[t].what);
                row(what, families[f].name, n_shown[t], n_runs, "at most", 5, false);
            }
            if (n_long > 0) /* what the test is worth, at 10^7 samples */
                row("same, 1:1: no worse by 10 % shown", families[f].name, n_no_worse, n_long, "at least", 90, true);
        }
}

/* The 99.9 % point of a family, and the stretch of what lies above it that moves the 99.99 % quantile by a share. */
static void plan_stretch(const struct family *family, double share, double *from, double *factor)
{
    double q;
    for (*from = 0; family->survival(*from) > 1e-3;)
        *from += 0.01;
    for (q = *from; family->survival(q) > 1e-4;)
        q += 0.01;
    *factor = ((1 + share) * q - *from) / (q - *from);
}

/* Values above the 99.9 % point stretched so that the 99.99 % quantile rises by 20 %; and by just the margin of "no worse". */
static void planted_shift(unsigned n_runs)
{
    static struct bin a[N_BINS + 1], b[N_BINS + 1];
    for (size_t f = 0; f < N_FAMILIES; f++) {
        double from, factor, margin_factor;
        plan_stretch(&families[f], 0.2, &from, &factor);
        plan_stretch(&families[f], 0.1, &from, &margin_factor);
        unsigned n_found = 0, n_wrong = 0;
        for (unsigned i = 0; i < n_runs; i++) {
            size_t n_a = draw(&families[f], 1e7, 1e9, 1, a), n_b = draw(&families[f], 1e7, from, factor, b);
            struct opened opened = analyse(a, n_a, b, n_b);
            n_found += has(&opened.analysis, "tail-regressed");
            close_all(&opened);
            double n = i % 2 ? 1e7 : 1e6;
            n_a = draw(&families[f], n, 1e9, 1, a);
            n_b = draw(&families[f], n, from, margin_factor, b);
            opened = analyse(a, n_a, b, n_b);
            n_wrong += no_worse_level(&opened.analysis) >= 0.9999;
            close_all(&opened);
        }
        row("99.99 % quantile 20 % worse, found", families[f].name, n_found, n_runs, "at least", 90, true);
        row("10 % worse, called no worse by 10 %", families[f].name, n_wrong, n_runs, "at most", 5, false);
    }
}

/* A run's own tail: all above the 99 % point stretched by its own factor. */
static struct opened repeated(const struct family *family, double from, double spread, double change, size_t n_first, size_t n_all)
{
    static struct drawn drawn[MAX_RUNS];
    const struct bin *bins[MAX_RUNS];
    size_t n[MAX_RUNS];
    for (size_t i = 0; i < n_all; i++) {
        double factor = exp(gsl_ran_gaussian(rng, spread)) * (i >= n_first ? change : 1);
        n[i] = draw(family, 1e6, from, factor, drawn[i].bins);
        bins[i] = drawn[i].bins;
    }
    return analyse_runs(bins, n, n_first, n_all);
}

static void repeats(unsigned n_runs)
{
    static const size_t shapes[][2] = {{3, 6}, {4, 8}, {1, 4}};
    for (size_t f = 0; f < N_FAMILIES; f++) {
        double from = 0;
        while (families[f].survival(from) > 1e-2)
            from += 0.01;
        unsigned n_alike = 0, n_vary = 0, n_spread = 0, n_found = 0;
        for (unsigned i = 0; i < n_runs; i++) {
            const size_t *shape = shapes[i % 3];
            struct opened opened = repeated(&families[f], from, 0, 1, shape[0], shape[1]);
            n_alike += declares(&opened.analysis);
            for (size_t k = 0; k < opened.analysis.findings.n; k++)
                if (strcmp(opened.analysis.findings.items[k]->code, "runs-vary") == 0 && !*opened.analysis.findings.items[k]->variant) {
                    n_vary++;
                    break;
                }
            close_all(&opened);
            opened = repeated(&families[f], from, 0.1, 1, shape[0], shape[1]);
            n_spread += declares(&opened.analysis);
            close_all(&opened);
            opened = repeated(&families[f], from, 0.1, 1.6, 4, 8);
            n_found += has(&opened.analysis, "tail-regressed");
            close_all(&opened);
        }
        row("repeats alike: called different", families[f].name, n_alike, n_runs, "at most", 5, false);
        row("repeats alike: said to vary", families[f].name, n_vary, n_runs, "at most", 2, false);
        row("repeats vary by 10 %: called different", families[f].name, n_spread, n_runs, "at most", 5, false);
        row("4 against 4, tail 60 % longer, found", families[f].name, n_found, n_runs, "at least", 90, true);
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
static void speed(unsigned n_runs)
{
    (void)n_runs;
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

static const struct {
    const char *name;
    void (*measure)(unsigned n_runs);
} parts[] = {{"speed", speed},       {"maxima", honest_maxima}, {"artefacts", planted_artefacts},
             {"equal", equal_pairs}, {"shift", planted_shift},  {"repeats", repeats}};

int main(int argc, char **argv)
{
    unsigned n_runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    if (n_runs == 0) {
        fprintf(stderr, "stats_accuracy: usage: stats_accuracy [RUNS]\n");
        return 2;
    }
    rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 20260101);
    const char *part = argc > 2 ? argv[2] : "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!*part || strcmp(part, parts[i].name) == 0)
            parts[i].measure(n_runs);
    gsl_rng_free(rng);
    return n_broken > 0;
}
