/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why it was late: all outliers in one table, their causes, and each with its timeline and ledger. */
#include "report/html_parts.h"

#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "report/headline.h"

static void put_share(FILE *file, double share_pct)
{
    char text[16];
    snprintf(text, sizeof text, "%.1f %%", share_pct);
    html_element(file, "td", "n", isnan(share_pct) ? NULL : text);
}

static void put_ledger(FILE *file, const json_t *outlier)
{
    static const char *const titles[] = {"what", "who", ">times", ">time", ">share", "", NULL};
    const json_t *ledger = json_object_get(outlier, "ledger"), *row;
    double total = 0;
    size_t i;
    json_array_foreach(ledger, i, row)
        total += isnan(json_get_number(row, "amount_ns")) ? 0 : json_get_number(row, "amount_ns");
    if (total <= 0)
        return;
    html_table(file, titles);
    json_array_foreach(ledger, i, row) {
        double share = 100 * json_get_number(row, "amount_ns") / total;
        fputs("<tr>", file);
        html_element(file, "td", NULL, json_get_text(row, "kind"));
        html_element(file, "td", NULL, json_get_text(row, "subject"));
        html_count(file, row, "n");
        html_duration(file, row, "amount_ns");
        put_share(file, share);
        fprintf(file, "<td class=\"bar\"><span class=\"%s\" style=\"width:%.1f%%\"></span></td></tr>\n",
                strcmp(json_get_text(row, "kind"), "unexplained") == 0 ? "open" : "known", isnan(share) ? 0 : share);
    }
    html_table_end(file);
}

/* How far into its run an outlier ended. */
static void put_when(FILE *file, const struct store *store, const json_t *outlier)
{
    char text[DURATION_TEXT_BYTES];
    int64_t begin_ns, end_ns, at_ns = json_get_ns(outlier, "end_ns");
    double run = json_get_number(outlier, "run");
    bool is_known = at_ns != NS_UNKNOWN && !isnan(run) &&
                    plot_run_span(store, (uint32_t)run, &begin_ns, &end_ns, NULL) && at_ns >= begin_ns;
    html_element(file, "td", "n", is_known ? duration_format_long(at_ns - begin_ns, text) : NULL);
}

/* All in one table, and what their causes sum to. */
static void put_overview(FILE *file, const struct store *store, const json_t *document)
{
    static const char *const titles[] = {">", ">when", ">late", "task", ">CPU", "cause", "culprit", "confidence", NULL};
    static const char *const cause_titles[] = {"cause", "culprit", ">outliers", ">time", ">share", NULL};
    const json_t *outliers = json_object_get(document, "outliers"), *causes = json_object_get(document, "causes"), *row;
    size_t i;
    html_table(file, titles);
    json_array_foreach(outliers, i, row) {
        fprintf(file, "<tr><td class=\"n\"><a href=\"#outlier-%zu\">%zu</a></td>", i + 1, i + 1);
        put_when(file, store, row);
        html_duration(file, row, "latency_ns");
        html_element(file, "td", NULL, json_get_text(row, "comm"));
        html_count(file, row, "cpu");
        html_element(file, "td", NULL, json_get_text(row, "cause"));
        html_element(file, "td", NULL, json_get_text(row, "culprit"));
        html_element(file, "td", NULL, json_get_text(row, "confidence"));
        fputs("</tr>\n", file);
    }
    html_table_end(file);
    fputs("<p class=\"quiet\">When: since the first sample of the run, else since its trace began.</p>\n", file);
    if (json_array_size(causes) < 2)
        return;
    html_table(file, cause_titles);
    json_array_foreach(causes, i, row) {
        fputs("<tr>", file);
        html_element(file, "td", NULL, json_get_text(row, "cause"));
        html_element(file, "td", NULL, json_get_text(row, "culprit"));
        html_count(file, row, "n_outliers");
        html_duration(file, row, "amount_ns");
        put_share(file, json_get_number(row, "share_pct"));
        fputs("</tr>\n", file);
    }
    html_table_end(file);
}

/* Findings that relate late instants to each other, to other series, or to what else went on. */
static void put_in_common(FILE *file, const json_t *document)
{
    static const char *const codes[] = {"periodic-outliers", "clustered-outliers", "simultaneous-maxima", "irq-storm", "timer-cascade",
                                        "machine-changed", "tracer-artefact"};
    const json_t *finding;
    size_t n_outliers = json_array_size(json_object_get(document, "outliers"));
    bool any = false;
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        size_t i;
        json_array_foreach(json_object_get(document, "findings"), i, finding) {
            if (strcmp(json_get_text(finding, "code"), codes[k]) != 0)
                continue;
            fputs(any ? "" : n_outliers == 1 ? "<h3>What goes with it</h3>\n<ul>\n" : "<h3>What they have in common</h3>\n<ul>\n", file);
            any = true;
            html_element(file, "li", NULL, json_get_text(finding, "text"));
            putc('\n', file);
        }
    }
    if (any)
        fputs("</ul>\n", file);
}

void html_outliers(FILE *file, const struct plot_source *source, const char *folder, const struct html_picture *pictures,
                   size_t n_pictures)
{
    const json_t *outliers = json_object_get(source->document, "outliers"), *outlier;
    size_t i;
    if (!json_array_size(outliers))
        return;
    fputs("<section><h2 id=\"outliers\">Why it was late</h2>\n", file);
    for (size_t k = 0; k < n_pictures; k++)
        if (strcmp(pictures[k].kind->name, "samples") == 0)
            html_figure(file, folder, &pictures[k], k);
    if (json_array_size(outliers) > 1)
        put_overview(file, source->store, source->document);
    put_in_common(file, source->document);
    json_array_foreach(outliers, i, outlier) {
        struct text headline = {0};
        headline_outlier(outlier, &headline);
        fprintf(file, "<h3 id=\"outlier-%zu\">Outlier %zu</h3>\n", i + 1, i + 1);
        html_element(file, "p", "headline", text_string(&headline));
        text_release(&headline);
        for (size_t k = 0; k < n_pictures; k++)
            if (strcmp(pictures[k].kind->name, "timeline") == 0 && pictures[k].i == i)
                html_figure(file, folder, &pictures[k], k);
        put_ledger(file, outlier);
    }
    fputs("</section>\n", file);
}
