/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether runs differ: the conclusion, metrics side by side, what else differed, what would settle it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "report/metric.h"
#include "report/text_view.h"
#include "report/words.h"

#define MAX_RUN_COLUMNS 4   /* more runs are rows */
#define MAX_RUN_ROWS    60

static void cell_bound(struct table *table, double ns, bool is_least)
{
    char cell[DURATION_TEXT_BYTES];
    table_cell(table, fabs(ns) < 9e18 ? duration_format_bound((int64_t)llround(ns), is_least, cell) : NULL);
}

static void cell_value(struct table *table, const json_t *metric, size_t run)
{
    cell_bound(table, metric_value_ns(metric, run), metric_is_least(metric, run));
}

static void cell_p(struct table *table, const json_t *metric)
{
    struct text text = {0};
    table_cell(table, metric_p(metric, &text) ? text_string(&text) : NULL);
    text_release(&text);
}

static void cells_ratio(struct table *table, const json_t *metric)
{
    struct text ratio = {0}, interval = {0};
    table_cell(table, metric_ratio(metric, &ratio) ? text_string(&ratio) : NULL);
    text_release(&ratio);
    table_cell(table, metric_interval(metric, &interval) ? text_string(&interval) : NULL);
    text_release(&interval);
    cell_p(table, metric);
}

/* Maxima of as many samples as the shortest run has: said where runs are of unequal length. */
static const json_t *matched_maxima(const json_t *comparison, const json_t *runs, double *n_samples)
{
    const json_t *matched = json_object_get(comparison, "matched"), *expected = json_object_get(matched, "expected_max_ns"), *metric, *max = NULL;
    size_t i, n_known = 0;
    bool differs = false;
    *n_samples = json_get_number(matched, "n_samples");
    json_array_foreach(json_object_get(comparison, "metrics"), i, metric)
        if (json_get_text(metric, "name") && strcmp(json_get_text(metric, "name"), "max") == 0)
            max = metric;
    for (i = 0; i < json_array_size(runs); i++) {
        const json_t *value = json_array_get(expected, i);
        n_known += json_is_number(value);
        differs |= json_is_number(value) && fabs(json_number_value(value) / metric_value_ns(max, i) - 1) > 0.005;
    }
    return differs && n_known > 1 && !isnan(*n_samples) ? expected : NULL;
}

/* Runs side by side: a row for each metric. */
static void print_metrics(const struct text_view *view, const json_t *comparison, const json_t *runs)
{
    static const char *const run_title[] = {"run 0", "run 1", "run 2", "run 3"};
    struct table_column columns[MAX_RUN_COLUMNS + 4] = {{"", .flexible = true}};
    size_t n_runs = json_array_size(runs), i, c = 1;
    bool is_turned = n_runs > MAX_RUN_COLUMNS; /* runs are rows elsewhere */
    for (i = 0; i < n_runs && !is_turned; i++)
        columns[c++] = (struct table_column){run_title[i], .right = true};
    columns[c++] = (struct table_column){"ratio", .right = true};
    columns[c++] = (struct table_column){"interval", .right = true};
    columns[c++] = (struct table_column){"p", .right = true};
    struct table *table = table_new(columns, c);
    const json_t *metric;
    double n_matched;
    const json_t *expected = matched_maxima(comparison, runs, &n_matched);
    json_array_foreach(json_object_get(comparison, "metrics"), i, metric) {
        if (metric_is_test(metric) || metric_is_beyond(metric))
            continue;
        struct text name = {0};
        metric_name(json_get_text(metric, "name") ? json_get_text(metric, "name") : "", &name);
        table_cell(table, text_string(&name));
        bool is_maximum = strcmp(text_string(&name), "max") == 0;
        text_release(&name);
        for (size_t r = 0; r < n_runs && !is_turned; r++)
            cell_value(table, metric, r);
        cells_ratio(table, metric);
        if (!is_maximum || !expected || is_turned)
            continue;
        table_cell(table, "max of equal n");
        for (size_t r = 0; r < n_runs; r++)
            cell_bound(table, json_is_number(json_array_get(expected, r)) ? json_number_value(json_array_get(expected, r)) : NAN,
                       metric_is_least(metric, r));
        for (size_t k = 0; k < 3; k++)
            table_cell(table, NULL);
    }
    table_print(table, &view->page, 2);
    table_free(table);
    if (!expected || is_turned)
        return;
    struct text line = {0};
    text_add(&line, "equal n: the maximum expected of ");
    words_count_of(n_matched, &line);
    text_add(&line, " samples, as many as the shortest run has.");
    page_paragraph(&view->page, 2, STYLE_DIM, NULL, text_string(&line));
    text_release(&line);
}

/* The deepest quantile that all runs know, else the maximum: what runs are ranked by. */
static const json_t *ranking_metric(const json_t *metrics, size_t n_runs)
{
    const json_t *metric, *best = NULL, *max = NULL;
    size_t i;
    json_array_foreach(metrics, i, metric) {
        const char *name = json_get_text(metric, "name");
        bool all_known = name && (strncmp(name, "quantile:", 9) == 0 || strcmp(name, "max") == 0);
        for (size_t r = 0; r < n_runs && all_known; r++)
            all_known = !isnan(metric_value_ns(metric, r));
        if (all_known && strcmp(name, "max") == 0)
            max = metric;
        else if (all_known)
            best = metric;
    }
    return best ? best : max;
}

/* Many runs: a row for each, with its place by the tail. */
static void print_runs(const struct text_view *view, const json_t *metrics, const json_t *runs)
{
    static const char *const names[] = {"avg", "quantile:0.99", "quantile:0.999", "quantile:0.9999", "max"};
    static const struct table_column columns[] = {
        {"", .right = true}, {"run", .flexible = true}, {"avg", .right = true}, {"99 %", .right = true}, {"99.9 %", .right = true},
        {"99.99 %", .right = true}, {"max", .right = true}, {"place", .right = true}};
    size_t n_runs = json_array_size(runs), i;
    const json_t *by_name[sizeof names / sizeof *names] = {NULL}, *metric, *ranking = ranking_metric(metrics, n_runs);
    json_array_foreach(metrics, i, metric)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (json_get_text(metric, "name") && strcmp(json_get_text(metric, "name"), names[k]) == 0)
                by_name[k] = metric;
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    for (size_t r = 0; r < n_runs && r < MAX_RUN_ROWS; r++) {
        char cell[24];
        snprintf(cell, sizeof cell, "%zu", r);
        table_cell_styled(table, STYLE_DIM, cell);
        struct text name = {0};
        text_add_run(json_array_get(runs, r), "no name", &name);
        table_cell(table, text_string(&name));
        text_release(&name);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            cell_value(table, by_name[k], r);
        size_t place = 1;
        for (size_t other = 0; other < n_runs && ranking; other++)
            place += metric_value_ns(ranking, other) < metric_value_ns(ranking, r);
        snprintf(cell, sizeof cell, "%zu", place);
        table_cell(table, ranking ? cell : NULL);
    }
    table_print(table, &view->page, 2);
    table_free(table);
    if (n_runs > MAX_RUN_ROWS)
        page_line(&view->page, "  ... and %zu more runs (--json shows all)", n_runs - MAX_RUN_ROWS);
    if (ranking) {
        struct text line = {0};
        text_add(&line, "place: by ");
        metric_name(json_get_text(ranking, "name"), &line);
        text_add(&line, ", the smallest first.");
        page_paragraph(&view->page, 2, STYLE_DIM, NULL, text_string(&line));
        text_release(&line);
    }
}

static void print_tests(const struct text_view *view, const json_t *metrics, size_t n_runs)
{
    static const struct table_column columns[] = {{"what a small p shows", .flexible = true}, {"p", .right = true}};
    struct table *table = table_new(columns, 2);
    const json_t *metric;
    size_t i;
    json_array_foreach(metrics, i, metric) {
        if (!metric_is_test(metric))
            continue;
        struct text shows = {0};
        metric_test(metric, &shows);
        table_cell(table, text_string(&shows));
        cell_p(table, metric);
        text_release(&shows);
    }
    if (table_n_rows(table) > 0) {
        page_heading(&view->page, n_runs > 2 ? "Tests (of the side that differs most)" : "Tests");
        table_print(table, &view->page, 2);
    }
    table_free(table);
}

/* ---- conditions ---- */

/* A figure of a run's series: the range if they differ, the larger end if by little. */
static void add_range(const json_t *run, const char *key, bool is_time, struct text *out)
{
    double least = NAN, most = NAN;
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(run, "series"), i, series) {
        double value = json_get_number(series, key);
        if (isnan(value))
            continue;
        least = isnan(least) ? value : fmin(least, value);
        most = isnan(most) ? value : fmax(most, value);
    }
    char buffer[DURATION_TEXT_BYTES];
    if (least > 1000 && most < 1.01 * least)
        least = most;
    for (int end = 0; end < 2 && !isnan(least) && (end == 0 || most > least); end++) {
        double value = end ? most : least;
        text_add(out, end ? " to " : "");
        if (is_time && fabs(value) < 9e18)
            text_add(out, duration_format((int64_t)value, buffer));
        else if (!is_time)
            words_count_of(fmax(0, value), out);
    }
}

/* A word of a run's series: each once, in their order. */
static void add_words(const json_t *run, const char *key, struct text *out)
{
    const json_t *all = json_object_get(run, "series");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const char *word = json_get_text(json_array_get(all, i), key);
        bool is_new = word != NULL;
        for (size_t k = 0; k < i && is_new; k++) {
            const char *before = json_get_text(json_array_get(all, k), key);
            is_new = !before || strcmp(before, word) != 0;
        }
        if (is_new)
            text_format(out, "%s%s", out->length ? ", " : "", word);
    }
}

static void condition_of_run(const json_t *run, const char *key, struct text *out)
{
    const json_t *fact = json_object_get(json_object_get(run, "facts"), key);
    if (strcmp(key, "samples") == 0)
        add_range(run, "n_samples", false, out);
    else if (strcmp(key, "interval") == 0)
        add_range(run, "interval_ns", true, out);
    else if (strcmp(key, "priority") == 0)
        add_range(run, "priority", false, out);
    else if (strcmp(key, "duration") == 0)
        add_range(run, "duration_ns", true, out);
    else if (strcmp(key, "series") == 0)
        text_format(out, "%zu", json_array_size(json_object_get(run, "series")));
    else if (strcmp(key, "tool") == 0 || strcmp(key, "path") == 0)
        add_words(run, key, out);
    else if (json_get_text(fact, "value"))
        text_add(out, json_get_text(fact, "value"));
}

/* Conditions side by side: those that at least one run states. */
static void print_conditions(const struct text_view *view, const json_t *runs)
{
    static const char *const keys[] = {
        "tool", "path", "series", "samples", "interval", "duration", "priority", "kernel.release", "kernel.version", "cmdline.isolcpus", "cpu.isolated",
        "cmdline.nohz_full", "cmdline.rcu_nocbs", "cmdline.threadirqs", "xenomai.version", "ipipe.version", "core", "machine.model", "cpu.model", "cpu.governor",
        "cpu.idle_driver", "clocksource", "sched.rt_runtime_us", "load.command", "load.kind", "load", "load.average", "machine.hypervisor"};
    static const char *const title[] = {"run 0", "run 1", "run 2", "run 3"};
    struct table_column columns[MAX_RUN_COLUMNS + 1] = {{.title = ""}};
    size_t n_runs = json_array_size(runs);
    if (n_runs > MAX_RUN_COLUMNS)
        return;
    for (size_t r = 0; r < n_runs; r++)
        columns[r + 1] = (struct table_column){title[r], .flexible = true};
    struct table *table = table_new(columns, n_runs + 1);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        struct text values[MAX_RUN_COLUMNS] = {0};
        bool any = false;
        for (size_t r = 0; r < n_runs; r++) {
            condition_of_run(json_array_get(runs, r), keys[k], &values[r]);
            any |= values[r].length > 0;
        }
        if (any)
            table_cell_styled(table, STYLE_DIM, keys[k]);
        for (size_t r = 0; r < n_runs; r++) {
            if (any)
                table_cell(table, values[r].length ? text_string(&values[r]) : NULL);
            text_release(&values[r]);
        }
    }
    if (table_n_rows(table) > 0) {
        page_heading(&view->page, "Conditions");
        table_print(table, &view->page, 2);
    }
    table_free(table);
}

static void print_confounds(const struct text_view *view, const json_t *confounds)
{
    size_t i;
    const json_t *confound;
    json_array_foreach(confounds, i, confound) {
        struct text line = {0};
        const char *severity = json_get_text(confound, "severity"), *why = json_get_text(confound, "why");
        text_format(&line, "%s: ", json_get_text(confound, "key"));
        confound_values(confound, &line);
        if (why)
            text_format(&line, "; %s", why);
        char mark[16];
        snprintf(mark, sizeof mark, "%s:", severity);
        page_paragraph(&view->page, 2,
                       strcmp(severity, "invalidating") == 0 ? STYLE_BAD : strcmp(severity, "weakening") == 0 ? STYLE_WARN : STYLE_DIM,
                       mark, text_string(&line));
        text_release(&line);
    }
}

static void print_next_runs(const struct text_view *view, const json_t *next_runs)
{
    size_t i;
    const json_t *next;
    json_array_foreach(next_runs, i, next) {
        struct text line = {0};
        text_format(&line, "%s", json_get_text(next, "change"));
        if (!isnan(json_get_number(next, "n_samples"))) {
            text_add(&line, ", at least ");
            words_count_of(json_get_number(next, "n_samples"), &line);
            text_add(&line, " samples");
        }
        if (json_get_text(next, "why"))
            text_format(&line, ": %s", json_get_text(next, "why"));
        page_paragraph(&view->page, 2, STYLE_BOLD, "->", text_string(&line));
        text_release(&line);
    }
}

void text_comparison(const struct text_view *view)
{
    const json_t *comparison = json_object_get(view->document, "comparison");
    if (!json_is_object(comparison)) {
        page_paragraph(&view->page, 0, STYLE_PLAIN, NULL, "Nothing was compared: that takes at least two runs with series.");
        return;
    }
    const char *conclusion = json_get_text(comparison, "conclusion");
    if (conclusion)
        page_paragraph(&view->page, 0, STYLE_PLAIN, NULL, conclusion);
    if (json_array_size(json_object_get(view->document, "runs")) < 2)
        return;
    const json_t *runs = json_object_get(view->document, "runs"), *run;
    size_t i;
    page_heading(&view->page, "Side by side");
    const json_t *metrics = json_object_get(comparison, "metrics");
    size_t n_runs = json_array_size(runs);
    json_array_foreach(runs, i, run) {
        struct text line = {0};
        text_add_run(run, "no name", &line);
        char mark[32];
        snprintf(mark, sizeof mark, "run %zu:", i);
        if (n_runs <= MAX_RUN_COLUMNS)
            page_paragraph(&view->page, 2, STYLE_DIM, mark, text_string(&line));
        text_release(&line);
    }
    if (n_runs > MAX_RUN_COLUMNS)
        print_runs(view, metrics, runs);
    print_metrics(view, comparison, runs);
    print_tests(view, metrics, n_runs);
    print_conditions(view, runs);
    if (json_array_size(json_object_get(comparison, "confounds"))) {
        page_heading(&view->page, "What else differs, or is not known");
        print_confounds(view, json_object_get(comparison, "confounds"));
    }
    if (json_array_size(json_object_get(comparison, "next_runs"))) {
        page_heading(&view->page, "What would settle it");
        print_next_runs(view, json_object_get(comparison, "next_runs"));
    }
}
