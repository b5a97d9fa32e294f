/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether runs differ: the conclusion, metrics side by side, what else differed, what would settle it. */
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "report/text_view.h"
#include "report/words.h"

#define MAX_RUN_COLUMNS 4

/* "function:x" and the latencies are ns. */
static void cell_metric(struct table *table, const json_t *value)
{
    char cell[DURATION_TEXT_BYTES];
    table_cell(table, fabs(json_number_value(value)) < 9e18 && json_is_number(value) ? duration_format((int64_t)llround(json_number_value(value)), cell) : NULL);
}

static void print_metrics(const struct text_view *view, const json_t *metrics, size_t n_runs)
{
    static const char *const run_title[] = {"run 0", "run 1", "run 2", "run 3"};
    struct table_column columns[MAX_RUN_COLUMNS + 4] = {{"", .flexible = true}};
    size_t n_shown = n_runs < MAX_RUN_COLUMNS ? n_runs : MAX_RUN_COLUMNS, i, c = 1;
    for (i = 0; i < n_shown; i++)
        columns[c++] = (struct table_column){run_title[i], .right = true};
    columns[c++] = (struct table_column){"ratio", .right = true};
    columns[c++] = (struct table_column){"interval", .right = true};
    columns[c++] = (struct table_column){"p", .right = true};
    struct table *table = table_new(columns, c);
    const json_t *metric;
    json_array_foreach(metrics, i, metric) {
        char cell[64];
        table_cell(table, json_get_text(metric, "name"));
        const json_t *values = json_object_get(metric, "values"), *interval = json_object_get(metric, "interval");
        for (size_t r = 0; r < n_shown; r++)
            cell_metric(table, json_array_get(values, r));
        snprintf(cell, sizeof cell, "%.3g", json_get_number(metric, "ratio"));
        table_cell(table, isnan(json_get_number(metric, "ratio")) ? NULL : cell);
        if (json_is_array(interval))
            snprintf(cell, sizeof cell, "%.3g..%.3g", json_number_value(json_array_get(interval, 0)),
                     json_number_value(json_array_get(interval, 1)));
        table_cell(table, json_is_array(interval) ? cell : NULL);
        struct text p = {0};
        if (words_number("p", json_get_number(metric, "p"), &p))
            table_cell(table, text_string(&p));
        else
            table_cell(table, NULL);
        text_release(&p);
    }
    table_print(table, &view->page, 2);
    table_free(table);
}

/* "a against b"; what nobody states is said once. */
static void add_values(const json_t *values, struct text *line)
{
    size_t i, n_known = 0;
    const json_t *value;
    json_array_foreach(values, i, value)
        n_known += json_is_string(value);
    if (!n_known) {
        text_add(line, "not stated by any");
        return;
    }
    json_array_foreach(values, i, value)
        text_format(line, "%s%s", i ? " against " : "", json_is_string(value) ? json_string_value(value) : "not stated");
}

static void print_confounds(const struct text_view *view, const json_t *confounds)
{
    size_t i;
    const json_t *confound;
    json_array_foreach(confounds, i, confound) {
        struct text line = {0};
        const char *severity = json_get_text(confound, "severity"), *why = json_get_text(confound, "why");
        text_format(&line, "%s: ", json_get_text(confound, "key"));
        add_values(json_object_get(confound, "values"), &line);
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
            words_count((uint64_t)json_get_number(next, "n_samples"), &line);
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
    const json_t *runs = json_object_get(view->document, "runs"), *run;
    size_t i;
    page_heading(&view->page, "Side by side");
    json_array_foreach(runs, i, run) {
        struct text line = {0};
        text_format(&line, "%s", json_get_text(run, "label") ? json_get_text(run, "label") : "no name");
        char mark[32];
        snprintf(mark, sizeof mark, "run %zu:", i);
        page_paragraph(&view->page, 2, STYLE_DIM, mark, text_string(&line));
        text_release(&line);
    }
    print_metrics(view, json_object_get(comparison, "metrics"), json_array_size(runs));
    if (json_array_size(json_object_get(comparison, "confounds"))) {
        page_heading(&view->page, "What else differs, or is not known");
        print_confounds(view, json_object_get(comparison, "confounds"));
    }
    if (json_array_size(json_object_get(comparison, "next_runs"))) {
        page_heading(&view->page, "What would settle it");
        print_next_runs(view, json_object_get(comparison, "next_runs"));
    }
}
