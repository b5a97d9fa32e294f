/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether runs differ: metrics side by side, tests, what else differs, what would settle it. */
#include "report/html_parts.h"

#include <math.h>

#include "report/metric.h"
#include "report/words.h"

static void put_text(FILE *file, const char *class, struct text *text)
{
    html_element(file, "td", class, text->length ? text_string(text) : NULL);
    text_release(text);
}

static void put_ratio(FILE *file, const json_t *metric)
{
    struct text ratio = {0}, interval = {0};
    metric_ratio(metric, &ratio);
    metric_interval(metric, &interval);
    put_text(file, "n", &ratio);
    put_text(file, "n", &interval);
}

static void put_p(FILE *file, const json_t *metric)
{
    struct text p = {0};
    metric_p(metric, &p);
    put_text(file, "n", &p);
}

static void put_metrics(FILE *file, const json_t *metrics, size_t n_runs)
{
    const json_t *metric;
    size_t i;
    fputs("<table><thead><tr><th></th>", file);
    for (i = 0; i < n_runs; i++)
        fprintf(file, "<th class=\"n\"><a href=\"#run-%zu\">run %zu</a></th>", i, i);
    fputs("<th class=\"n\">ratio</th><th class=\"n\">interval</th><th class=\"n\">p</th></tr></thead><tbody>\n", file);
    json_array_foreach(metrics, i, metric) {
        if (metric_is_test(metric) || metric_is_beyond(metric))
            continue;
        struct text name = {0};
        metric_name(json_get_text(metric, "name"), &name);
        fputs("<tr>", file);
        put_text(file, NULL, &name);
        for (size_t run = 0; run < n_runs; run++) {
            double ns = metric_value_ns(metric, run);
            html_ns(file, ns_rounded(ns), metric_is_least(metric, run));
        }
        put_ratio(file, metric);
        put_p(file, metric);
        fputs("</tr>\n", file);
    }
    html_table_end(file);
}

static void put_tests(FILE *file, const json_t *metrics)
{
    static const char *const titles[] = {"what a small p shows", ">p", NULL};
    const json_t *metric;
    size_t i;
    bool any = false;
    json_array_foreach(metrics, i, metric) {
        if (!metric_is_test(metric))
            continue;
        struct text shows = {0};
        if (!any)
            html_table(file, titles);
        any = true;
        metric_test(metric, &shows);
        fputs("<tr>", file);
        put_text(file, NULL, &shows);
        put_p(file, metric);
        fputs("</tr>\n", file);
    }
    if (any)
        html_table_end(file);
}

static void put_confounds(FILE *file, const json_t *confounds)
{
    static const char *const titles[] = {"what", "values", "weight", "why it matters", NULL};
    const json_t *confound;
    size_t i;
    if (!json_array_size(confounds))
        return;
    fputs("<h3>What else differs, or is not known</h3>\n", file);
    html_table(file, titles);
    json_array_foreach(confounds, i, confound) {
        struct text values = {0};
        confound_values(confound, &values);
        fputs("<tr>", file);
        html_element(file, "td", NULL, json_get_text(confound, "key"));
        put_text(file, NULL, &values);
        html_element(file, "td", json_get_text(confound, "severity"), json_get_text(confound, "severity"));
        html_element(file, "td", NULL, json_get_text(confound, "why"));
        fputs("</tr>\n", file);
    }
    html_table_end(file);
}

static void put_next_runs(FILE *file, const json_t *next_runs)
{
    static const char *const titles[] = {"run again", ">samples", "why", NULL};
    const json_t *next;
    size_t i;
    if (!json_array_size(next_runs))
        return;
    fputs("<h3>What would settle it</h3>\n", file);
    html_table(file, titles);
    json_array_foreach(next_runs, i, next) {
        fputs("<tr>", file);
        html_element(file, "td", NULL, json_get_text(next, "change"));
        html_count(file, next, "n_samples");
        html_element(file, "td", NULL, json_get_text(next, "why"));
        fputs("</tr>\n", file);
    }
    html_table_end(file);
}

void html_comparison(FILE *file, const json_t *document)
{
    const json_t *comparison = json_object_get(document, "comparison"), *metrics = json_object_get(comparison, "metrics");
    if (!json_is_object(comparison))
        return;
    fputs("<section><h2 id=\"comparison\">Comparison</h2>\n", file);
    put_metrics(file, metrics, json_array_size(json_object_get(document, "runs")));
    put_tests(file, metrics);
    put_confounds(file, json_object_get(comparison, "confounds"));
    put_next_runs(file, json_object_get(comparison, "next_runs"));
    fputs("</section>\n", file);
}
