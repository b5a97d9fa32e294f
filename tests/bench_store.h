/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store of a few rows, analysed: what the tests of verdicts and comparisons share. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/analyzer.h"
#include "store/writer.h"

struct bench {
    struct store_writer *writer;
    struct store *store;
    struct analysis analysis;
    struct analysis_options options;
    uint32_t run, artefact;
};

static inline void bench_begin(struct bench *b)
{
    struct error error = {0};
    memset(b, 0, sizeof *b);
    b->options = analysis_options_default;
    b->writer = store_writer_new(NULL, &error);
    assert_non_null(b->writer);
}

static inline void bench_run(struct bench *b, const char *label, uint32_t group)
{
    struct run run = {.label = label, .group = group};
    b->run = store_add_run(b->writer, &run);
    struct artefact artefact = {.run = b->run, .path = label, .format = "cyclictest"};
    b->artefact = store_add_artefact(b->writer, &artefact);
}

static inline void bench_fact(struct bench *b, const char *key, const char *value)
{
    struct fact fact = {.run = b->run, .artefact = b->artefact, .key = key, .value = value};
    store_add_fact(b->writer, &fact);
}

/* One hour at 1 ms on CPU `cpu`, FIFO 98. */
static inline struct series series_of(const struct bench *b, const char *name)
{
    return (struct series){.run = b->run, .artefact = b->artefact, .name = name, .tool = "cyclictest", .path = PATH_TIMER_WAKEUP,
                           .tid = TID_UNKNOWN, .cpu = CPU_UNKNOWN, .policy = POLICY_FIFO, .priority = 98, .interval_ns = 1000000,
                           .resolution_ns = 1000, .n_samples = 3600000, .min_ns = 5000, .max_ns = NS_UNKNOWN, .avg_ns = NAN, .n_overflow = 0,
                           .overflow_limit_ns = NS_UNKNOWN, .n_stated_lost = COUNT_UNKNOWN, .n_requested = COUNT_UNKNOWN,
                           .duration_ns = NS_UNKNOWN, .start_ns = NS_UNKNOWN, .omission = OMISSION_SKIPS, .bin_width_ns = 1000};
}

/* Exp(scale) from 5 us on, expected counts, times `stretch`. */
static inline size_t bins_of(struct bin *bins, double n, double scale_us, int64_t stretch)
{
    size_t m = 0;
    for (int us = 0; us < 400; us++) {
        double count = n * (exp(-us / scale_us) - exp(-(us + 1) / scale_us));
        if (count >= 0.5)
            bins[m++] = (struct bin){(us + 5) * 1000 * stretch, (uint64_t)(count + 0.5)};
    }
    return m;
}

static inline uint32_t bench_series(struct bench *b, struct series *s, const struct bin *bins, size_t n)
{
    uint64_t total = s->n_overflow == COUNT_UNKNOWN ? 0 : s->n_overflow;
    for (size_t i = 0; i < n; i++)
        total += bins[i].count;
    if (n > 0) {
        s->n_samples = total;
        s->min_ns = bins[0].low_ns;
        if (s->max_ns == NS_UNKNOWN)
            s->max_ns = bins[n - 1].low_ns;
    }
    uint32_t index = store_add_series(b->writer, s);
    if (n > 0)
        store_add_bins(b->writer, index, bins, n);
    return index;
}

static inline void bench_analyse(struct bench *b, unsigned jobs)
{
    struct error error = {0};
    int fd = store_writer_finish_fd(b->writer, &error);
    assert_true(fd >= 0);
    b->store = store_open_fd(fd, "test", &error);
    assert_non_null(b->store);
    b->options.jobs = jobs;
    assert_true(analysis_run(&b->analysis, b->store, &b->options, &error) != FAILED);
}

static inline void bench_end(struct bench *b)
{
    analysis_release(&b->analysis);
    store_close(b->store);
}

static inline const struct finding *found(const struct bench *b, const char *code)
{
    for (size_t i = 0; i < b->analysis.findings.n; i++)
        if (strcmp(b->analysis.findings.items[i]->code, code) == 0)
            return b->analysis.findings.items[i];
    return NULL;
}

static inline double value_of(const struct finding *finding, const char *key)
{
    assert_non_null(finding);
    for (size_t i = 0; i < finding->n_values; i++)
        if (strcmp(finding->values[i].key, key) == 0)
            return finding->values[i].kind == VALUE_INTEGER ? (double)finding->values[i].integer : finding->values[i].number;
    fail_msg("%s has no value %s", finding->code, key);
    return NAN;
}

static inline enum verdict verdict_of(const struct bench *b, uint32_t series)
{
    return b->analysis.series[series].verdict;
}

#endif
