/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/gates.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/stats/counting.h"
#include "base/duration.h"
#include "report/output.h"
#include "report/words.h"

/* From best to worst. */
static const enum verdict verdict_order[] = {VERDICT_CREDIBLE,     VERDICT_CREDIBLE_ISOLATED, VERDICT_INSUFFICIENT,
                                             VERDICT_SUSPECT,      VERDICT_ARTEFACT,          VERDICT_NO_DATA};
#define N_VERDICTS (sizeof verdict_order / sizeof *verdict_order)

static size_t verdict_rank(const char *name)
{
    size_t rank = 0;
    while (rank < N_VERDICTS && strcmp(name, verdict_name(verdict_order[rank])) != 0)
        rank++;
    return rank;
}

enum status gates_check_request(const struct request *request, struct error *error)
{
    if (request->fail_verdict && verdict_rank(request->fail_verdict) == N_VERDICTS) {
        struct text names = {0};
        for (size_t i = 0; i < N_VERDICTS; i++)
            text_format(&names, "%s%s", i ? ", " : "", verdict_name(verdict_order[i]));
        error_usage(error, "--fail-verdict: unknown verdict '%s' (from best to worst: %s)", request->fail_verdict, text_string(&names));
        text_release(&names);
        return FAILED;
    }
    return OK;
}

static void add_result(struct gates *gates, const char *name, const char *problem, bool is_skipped)
{
    memory_reserve(gates->results, gates->capacity, gates->n + 1);
    gates->results[gates->n++] =
        (struct gate_result){.name = memory_string(name), .problem = memory_string(problem), .is_skipped = is_skipped};
    gates->n_failed += problem && !is_skipped;
}

static void name_series(const struct store *store, size_t i, struct text *name)
{
    const char *label = store->runs[store->series[i].run].label;
    if (label)
        words_clean(label, name);
    text_add(name, ", ");
    struct text series = {0};
    words_series(store, (uint32_t)i, &series);
    words_clean(text_string(&series), name);
    text_release(&series);
}

/* The highest value that is certain: the maximum, or the histogram's limit that something overflowed. */
static int64_t certain_maximum_ns(const struct series *series)
{
    bool has_overflow = series->n_overflow != COUNT_UNKNOWN && series->n_overflow > 0;
    if (has_overflow && series->overflow_limit_ns != NS_UNKNOWN && series->overflow_limit_ns > series->max_ns)
        return series->overflow_limit_ns;
    return series->max_ns;
}

static void gate_maximum(struct gates *gates, const struct store *store, int64_t limit_ns)
{
    char limit[DURATION_TEXT_BYTES], value[DURATION_TEXT_BYTES];
    duration_format(limit_ns, limit);
    for (size_t i = 0; i < store->n_series; i++) {
        struct text name = {0}, problem = {0};
        name_series(store, i, &name);
        text_format(&name, ": maximum at most %s", limit);
        int64_t max_ns = certain_maximum_ns(&store->series[i]);
        bool is_capped = store->series[i].max_is_lower_bound;
        if (max_ns == NS_UNKNOWN)
            text_add(&problem, "the maximum is unknown");
        else if (max_ns > limit_ns)
            text_format(&problem, "the maximum is %s%s", is_capped ? "at least " : "", duration_format(max_ns, value));
        else if (is_capped)
            text_format(&problem, "the maximum is at least %s, and how much more is unknown", duration_format(max_ns, value));
        add_result(gates, text_string(&name), problem.length ? text_string(&problem) : NULL,
                   problem.length && (max_ns == NS_UNKNOWN || max_ns <= limit_ns));
        text_release(&name);
        text_release(&problem);
    }
}

/* explain: outliers that no series holds. */
static void gate_outliers(struct gates *gates, const struct session *session, int64_t limit_ns)
{
    char limit[DURATION_TEXT_BYTES], value[DURATION_TEXT_BYTES];
    duration_format(limit_ns, limit);
    for (size_t i = 0; i < session->analysis.n_outliers; i++) {
        const struct outlier *outlier = session->analysis.outliers[i];
        if (outlier->series != ROW_NONE || outlier->latency_ns == NS_UNKNOWN)
            continue;
        struct text name = {0}, problem = {0};
        text_format(&name, "outlier %zu: at most %s", i + 1, limit);
        if (outlier->latency_ns > limit_ns)
            text_format(&problem, "it took %s", duration_format(outlier->latency_ns, value));
        add_result(gates, text_string(&name), problem.length ? text_string(&problem) : NULL, false);
        text_release(&name);
        text_release(&problem);
    }
}

static void gate_verdicts(struct gates *gates, const struct session *session, const char *worst)
{
    size_t limit = verdict_rank(worst);
    for (size_t i = 0; i < session->store->n_series; i++) {
        struct text name = {0}, problem = {0};
        name_series(session->store, i, &name);
        text_format(&name, ": verdict better than %s", worst);
        const char *verdict = session->analysis.series ? verdict_name(session->analysis.series[i].verdict) : NULL;
        if (!verdict)
            text_add(&problem, "no verdict was reached");
        else if (verdict_rank(verdict) >= limit)
            text_format(&problem, "the maximum is %s", verdict);
        add_result(gates, text_string(&name), problem.length ? text_string(&problem) : NULL, !verdict);
        text_release(&name);
        text_release(&problem);
    }
}

/*
 * A regression is a metric whose whole confidence interval lies above the limit, and that differs beyond chance with all
 * metrics tested counted (Holm): what chance alone can do does not fail a build. The plain maximum has no such interval
 * and is no gate (--fail-above is).
 */
static void gate_regression(struct gates *gates, const struct comparison *comparison, double limit_pct, double alpha)
{
    double limit = 1 + limit_pct / 100;
    double *p = memory_resize(NULL, comparison->n_metrics, sizeof *p);
    for (size_t i = 0; i < comparison->n_metrics; i++)
        p[i] = isnan(comparison->metrics[i].low) ? NAN : comparison->metrics[i].p;
    adjust_holm(p, comparison->n_metrics);
    for (size_t i = 0; i < comparison->n_metrics; i++) {
        const struct metric *metric = &comparison->metrics[i];
        if (isnan(metric->low))
            continue;
        struct text name = {0}, problem = {0};
        text_format(&name, "%s: no more than %g %% worse", metric->name, limit_pct);
        if (comparison->comparable && metric->low > limit && !(p[i] >= alpha))
            text_format(&problem, "worse by %.3g %% (interval %.3g to %.3g %%)", (metric->ratio - 1) * 100,
                        (metric->low - 1) * 100, (metric->high - 1) * 100);
        else if (!comparison->comparable)
            text_add(&problem, "the runs cannot be compared");
        add_result(gates, text_string(&name), problem.length ? text_string(&problem) : NULL, !comparison->comparable);
        text_release(&name);
        text_release(&problem);
    }
    free(p);
}

void gates_run(struct gates *gates, const struct request *request, const struct session *session)
{
    bool is_wanted = false;
    if (request->fail_above_ns != NS_UNKNOWN) {
        gate_maximum(gates, session->store, request->fail_above_ns);
        gate_outliers(gates, session, request->fail_above_ns);
        is_wanted = true;
    }
    if (request->fail_verdict) {
        gate_verdicts(gates, session, request->fail_verdict);
        is_wanted = true;
    }
    if (!isnan(request->fail_regression_pct)) {
        gate_regression(gates, &session->analysis.comparison, request->fail_regression_pct, 1 - request->analysis.confidence_pct / 100);
        is_wanted = true;
    }
    size_t n_checked = 0;
    for (size_t i = 0; i < gates->n; i++)
        n_checked += !gates->results[i].is_skipped;
    /* A limit that nothing could be held against is not kept. */
    if (is_wanted && n_checked == 0)
        add_result(gates, "something to hold against the limits", "no value is known", false);
}

/* ---- telling ---- */

/* How often each limit that was asked for fails a build without a reason (tests/tools/stats_accuracy.c measures it). */
static void add_error_rates(const struct request *request, struct text *out)
{
    if (!isnan(request->fail_regression_pct))
        text_format(out, "--fail-regression: a system that did not change fails in at most %.3g %% of comparisons, all metrics together. ",
                    100 - request->analysis.confidence_pct);
    if (request->fail_verdict)
        text_add(out, "--fail-verdict: a run whose tail is honest is called suspect in at most 1 % of runs, all its series together. ");
    if (request->fail_above_ns != NS_UNKNOWN)
        text_add(out, "--fail-above: one maximum is one sample, and a longer run has a larger one; its rate is not bounded. ");
    if (out->length > 0) /* each ends with a blank */
        text_truncate(out, out->length - 1);
}

static void write_junit(FILE *file, const struct gates *gates, const struct request *request)
{
    size_t n_skipped = 0;
    struct text rates = {0};
    add_error_rates(request, &rates);
    for (size_t i = 0; i < gates->n; i++)
        n_skipped += gates->results[i].is_skipped;
    fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuite name=\"whylate %s\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
            request->command->name, gates->n, gates->n_failed, n_skipped);
    if (rates.length) {
        fputs("  <properties><property name=\"error rates\" value=\"", file);
        words_markup(file, text_string(&rates));
        fputs("\"/></properties>\n", file);
    }
    text_release(&rates);
    for (size_t i = 0; i < gates->n; i++) {
        const struct gate_result *result = &gates->results[i];
        fputs("  <testcase classname=\"whylate\" name=\"", file);
        words_markup(file, result->name);
        if (!result->problem) {
            fputs("\"/>\n", file);
            continue;
        }
        fprintf(file, "\"><%s message=\"", result->is_skipped ? "skipped" : "failure");
        words_markup(file, result->problem);
        fputs("\"/></testcase>\n", file);
    }
    fputs("</testsuite>\n", file);
}

static void write_tap(FILE *file, const struct gates *gates, const struct request *request)
{
    struct text rates = {0};
    add_error_rates(request, &rates);
    fprintf(file, "TAP version 13\n1..%zu\n", gates->n);
    if (rates.length)
        fprintf(file, "# %s\n", text_string(&rates));
    text_release(&rates);
    for (size_t i = 0; i < gates->n; i++) {
        const struct gate_result *result = &gates->results[i];
        bool failed = result->problem && !result->is_skipped;
        fprintf(file, "%s %zu - ", failed ? "not ok" : "ok", i + 1);
        for (const char *p = result->name; *p; p++) { /* '#' would begin a directive */
            if (*p == '#' || *p == '\\')
                putc('\\', file);
            putc(*p, file);
        }
        if (result->is_skipped)
            fprintf(file, " # SKIP %s", result->problem);
        fputs("\n", file);
        if (failed)
            fprintf(file, "# %s\n", result->problem);
    }
}

enum status gates_report(const struct gates *gates, const struct request *request, struct error *error)
{
    for (size_t i = 0; i < gates->n; i++)
        if (gates->results[i].problem)
            fprintf(stderr, "whylate: limit %s: %s: %s\n", gates->results[i].is_skipped ? "not checked" : "exceeded",
                    gates->results[i].name, gates->results[i].problem);
    if (request->tap)
        write_tap(stdout, gates, request);
    if (stdout_finish(error) == FAILED)
        return FAILED;
    if (!request->junit)
        return OK;
    struct output_file output;
    if (output_file_begin(&output, request->junit, error) == FAILED)
        return FAILED;
    write_junit(output.file, gates, request);
    return output_file_finish(&output, error);
}

void gates_release(struct gates *gates)
{
    for (size_t i = 0; i < gates->n; i++) {
        free(gates->results[i].name);
        free(gates->results[i].problem);
    }
    free(gates->results);
    memset(gates, 0, sizeof *gates);
}
