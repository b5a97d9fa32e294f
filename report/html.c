/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "report/headline.h"
#include "report/words.h"

/* ---- escaping: everything that comes from a document goes through put_text() ---- */

static void put_text(FILE *file, const char *string)
{
    struct text clean = {0};
    words_clean(string ? string : "\xe2\x80\x93", &clean); /* en dash: unknown */
    for (const char *p = text_string(&clean); *p; p++)
        switch (*p) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        case '\'': fputs("&#39;", file); break;
        default: putc(*p, file);
        }
    text_release(&clean);
}

static void put_element(FILE *file, const char *name, const char *class, const char *string)
{
    fprintf(file, "<%s%s%s%s>", name, class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    put_text(file, string);
    fprintf(file, "</%s>", name);
}

static void put_duration(FILE *file, const json_t *object, const char *key)
{
    char text[DURATION_TEXT_BYTES];
    int64_t ns = json_get_ns(object, key);
    put_element(file, "td", "n", ns == NS_UNKNOWN ? NULL : duration_format(ns, text));
}

static void put_count(FILE *file, const json_t *object, const char *key)
{
    struct text text = {0};
    double n = json_get_number(object, key);
    if (!isnan(n))
        words_count((uint64_t)n, &text);
    put_element(file, "td", "n", isnan(n) ? NULL : text_string(&text));
    text_release(&text);
}

/* Titles that begin with '>' stand over numbers. */
static void put_head(FILE *file, const char *const *titles)
{
    fputs("<table><thead><tr>", file);
    for (; *titles; titles++)
        put_element(file, "th", **titles == '>' ? "n" : NULL, **titles == '>' ? *titles + 1 : *titles);
    fputs("</tr></thead><tbody>\n", file);
}

/* ---- pictures ---- */

/* Ids in one page must differ between pictures: each gets its number in front. */
static void put_svg(FILE *file, const char *svg, size_t number)
{
    const char *p = strstr(svg, "<svg");
    if (!p)
        return;
    while (*p) {
        static const char *const reference[] = {"id=\"", "id='", "href='#", "href=\"#", "url(#"};
        size_t k = 0, n_references = sizeof reference / sizeof *reference;
        while (k < n_references && strncmp(p, reference[k], strlen(reference[k])) != 0)
            k++;
        if (k == n_references) {
            putc(*p++, file);
            continue;
        }
        fprintf(file, "%sp%zu-", reference[k], number);
        p += strlen(reference[k]);
    }
}

static void put_picture(FILE *file, const char *folder, const struct html_picture *picture, size_t number)
{
    struct text path = {0}, svg = {0};
    text_format(&path, "%s/plots/%s.svg", folder, picture->name);
    FILE *from = fopen(text_string(&path), "re");
    text_release(&path);
    if (!from)
        return;
    char buffer[16384];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from)) > 0;)
        text_add_n(&svg, buffer, n);
    fclose(from);
    fputs("<figure>\n", file);
    put_svg(file, text_string(&svg), number);
    fputs("<figcaption>", file);
    put_text(file, picture->title);
    fprintf(file, " (<a href=\"plots/%s.png\">PNG</a>, <a href=\"plots/%s.gp\">gnuplot script</a>, <a href=\"plots/%s.dat\">data</a>)"
                  "</figcaption></figure>\n", picture->name, picture->name, picture->name);
    text_release(&svg);
}

/* ---- sections ---- */

static void put_series(FILE *file, const json_t *run)
{
    static const char *const titles[] = {"series", ">samples", ">min", ">avg", ">99 %", ">99.99 %", ">max", ">over", ">lost periods", "verdict", NULL};
    const json_t *all = json_object_get(run, "series"), *series;
    size_t i;
    if (!json_array_size(all))
        return;
    put_head(file, titles);
    json_array_foreach(all, i, series) {
        const json_t *quantiles = json_object_get(series, "quantiles_ns");
        const char *verdict = json_get_text(series, "verdict");
        fputs("<tr>", file);
        put_element(file, "td", NULL, json_get_text(series, "name"));
        put_count(file, series, "n_samples");
        put_duration(file, series, "min_ns");
        put_duration(file, series, "avg_ns");
        put_duration(file, quantiles, "0.99");
        put_duration(file, quantiles, "0.9999");
        put_duration(file, series, "max_ns");
        put_count(file, series, "n_overflow");
        put_count(file, series, "n_lost_periods");
        put_element(file, "td", verdict ? verdict : NULL, verdict);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table>\n", file);
}

static void put_artefacts(FILE *file, const json_t *run)
{
    static const char *const titles[] = {"file", "format", "version", ">bytes", "SHA-256", "notes", NULL};
    const json_t *artefact, *note;
    size_t i, k;
    put_head(file, titles);
    json_array_foreach(json_object_get(run, "artefacts"), i, artefact) {
        fputs("<tr>", file);
        put_element(file, "td", NULL, json_get_text(artefact, "path"));
        put_element(file, "td", NULL, json_get_text(artefact, "format"));
        put_element(file, "td", NULL, json_get_text(artefact, "tool_version"));
        put_count(file, artefact, "size_bytes");
        put_element(file, "td", "hash", json_get_text(artefact, "sha256"));
        fputs("<td>", file);
        json_array_foreach(json_object_get(artefact, "notes"), k, note) {
            if (k)
                fputs("<br>", file);
            put_text(file, json_get_text(note, "text") ? json_get_text(note, "text") : json_get_text(note, "code"));
            if (json_get_number(note, "count") > 1)
                fprintf(file, " (%.0f times)", json_get_number(note, "count"));
        }
        fputs("</td></tr>\n", file);
    }
    fputs("</tbody></table>\n", file);
}

static void put_facts(FILE *file, const json_t *run)
{
    json_t *facts = json_object_get(run, "facts"), *fact;
    const char *key;
    if (!json_object_size(facts))
        return;
    fputs("<details><summary>Facts stated about the system</summary>\n<table><tbody>\n", file);
    json_object_foreach(facts, key, fact) {
        fputs("<tr>", file);
        put_element(file, "th", "key", key);
        put_element(file, "td", NULL, json_get_text(fact, "value"));
        put_element(file, "td", "from", json_get_text(fact, "artefact"));
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></details>\n", file);
}

static void put_events(FILE *file, const json_t *run)
{
    const json_t *events = json_object_get(run, "events");
    double n = json_get_number(events, "n"), n_lost = json_get_number(events, "n_lost");
    if (isnan(n) || n == 0)
        return;
    struct text line = {0};
    text_add(&line, "Trace: ");
    words_count((uint64_t)n, &line);
    text_format(&line, " events on %.0f CPUs, clock %s, ", json_get_number(events, "n_cpus"),
                json_get_text(events, "clock") ? json_get_text(events, "clock") : "unknown");
    if (isnan(n_lost))
        text_add(&line, "an unknown number lost.");
    else {
        words_count((uint64_t)n_lost, &line);
        text_add(&line, " lost.");
    }
    put_element(file, "p", NULL, text_string(&line));
    text_release(&line);
}

static void put_runs(FILE *file, const json_t *document)
{
    size_t i;
    const json_t *run;
    json_array_foreach(json_object_get(document, "runs"), i, run) {
        fprintf(file, "<section><h2 id=\"run-%zu\">Run %zu: ", i, i);
        put_text(file, json_get_text(run, "label"));
        fputs("</h2>\n", file);
        put_series(file, run);
        put_events(file, run);
        put_artefacts(file, run);
        put_facts(file, run);
        fputs("</section>\n", file);
    }
}

static void put_findings(FILE *file, const json_t *document)
{
    json_t *findings = document_findings_by_weight(document), *finding;
    size_t i;
    if (json_array_size(findings))
        fputs("<section><h2 id=\"findings\">Findings</h2>\n<ul class=\"findings\">\n", file);
    json_array_foreach(findings, i, finding) {
        const char *severity = json_get_text(finding, "severity");
        fprintf(file, "<li class=\"%s\"><strong>%s:</strong> ", severity, severity);
        put_text(file, json_get_text(finding, "text"));
        fputs(" <code>", file);
        put_text(file, json_get_text(finding, "code"));
        fputs("</code>", file);
        if (strcmp(json_get_text(finding, "confidence"), "unknown") != 0)
            fprintf(file, " %s", json_get_text(finding, "confidence"));
        if (json_get_text(finding, "advice"))
            put_element(file, "div", "advice", json_get_text(finding, "advice"));
        fputs("</li>\n", file);
    }
    if (json_array_size(findings))
        fputs("</ul></section>\n", file);
    json_decref(findings);
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
    put_head(file, titles);
    json_array_foreach(ledger, i, row) {
        double share = 100 * json_get_number(row, "amount_ns") / total;
        fputs("<tr>", file);
        put_element(file, "td", NULL, json_get_text(row, "kind"));
        put_element(file, "td", NULL, json_get_text(row, "subject"));
        put_count(file, row, "n");
        put_duration(file, row, "amount_ns");
        fprintf(file, "<td class=\"n\">%.1f %%</td><td class=\"bar\"><span class=\"%s\" style=\"width:%.1f%%\"></span></td></tr>\n", share,
                strcmp(json_get_text(row, "kind"), "unexplained") == 0 ? "open" : "known", share);
    }
    fputs("</tbody></table>\n", file);
}

/* How far into its run an outlier ended. */
static void put_when(FILE *file, const struct store *store, const json_t *outlier)
{
    char text[DURATION_TEXT_BYTES];
    int64_t begin_ns, end_ns, at_ns = json_get_ns(outlier, "end_ns");
    double run = json_get_number(outlier, "run");
    bool is_known = at_ns != NS_UNKNOWN && !isnan(run) && plot_run_span(store, (uint32_t)run, &begin_ns, &end_ns, NULL) && at_ns >= begin_ns;
    put_element(file, "td", "n", is_known ? duration_format_long(at_ns - begin_ns, text) : NULL);
}

/* All in one table, and what their causes sum to. */
static void put_overview(FILE *file, const struct store *store, const json_t *document)
{
    static const char *const titles[] = {">", ">when", ">late", "task", ">CPU", "cause", "culprit", "confidence", NULL};
    static const char *const cause_titles[] = {"cause", "culprit", ">outliers", ">time", ">share", NULL};
    const json_t *outliers = json_object_get(document, "outliers"), *causes = json_object_get(document, "causes"), *row;
    size_t i;
    put_head(file, titles);
    json_array_foreach(outliers, i, row) {
        fprintf(file, "<tr><td class=\"n\"><a href=\"#outlier-%zu\">%zu</a></td>", i + 1, i + 1);
        put_when(file, store, row);
        put_duration(file, row, "latency_ns");
        put_element(file, "td", NULL, json_get_text(row, "comm"));
        put_count(file, row, "cpu");
        put_element(file, "td", NULL, json_get_text(row, "cause"));
        put_element(file, "td", NULL, json_get_text(row, "culprit"));
        put_element(file, "td", NULL, json_get_text(row, "confidence"));
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table>\n<p class=\"quiet\">When: since the first sample of the run, else since its trace began.</p>\n", file);
    if (json_array_size(causes) < 2)
        return;
    put_head(file, cause_titles);
    json_array_foreach(causes, i, row) {
        fputs("<tr>", file);
        put_element(file, "td", NULL, json_get_text(row, "cause"));
        put_element(file, "td", NULL, json_get_text(row, "culprit"));
        put_count(file, row, "n_outliers");
        put_duration(file, row, "amount_ns");
        fprintf(file, isnan(json_get_number(row, "share_pct")) ? "<td class=\"n\">\xe2\x80\x93</td></tr>\n" : "<td class=\"n\">%.1f %%</td></tr>\n", json_get_number(row, "share_pct"));
    }
    fputs("</tbody></table>\n", file);
}

/* Findings that relate late instants to each other, to other series, or to what else went on. */
static void put_in_common(FILE *file, const json_t *document)
{
    static const char *const codes[] = {"periodic-outliers", "clustered-outliers", "simultaneous-maxima", "irq-storm", "timer-cascade",
                                        "machine-changed", "tracer-artefact"};
    const json_t *finding;
    bool any = false;
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        size_t i;
        json_array_foreach(json_object_get(document, "findings"), i, finding) {
            if (strcmp(json_get_text(finding, "code"), codes[k]) != 0)
                continue;
            fputs(any ? "" : "<h3>What they have in common</h3>\n<ul>\n", file);
            any = true;
            put_element(file, "li", NULL, json_get_text(finding, "text"));
            putc('\n', file);
        }
    }
    if (any)
        fputs("</ul>\n", file);
}

static void put_outliers(FILE *file, const struct plot_source *source, const char *folder, const struct html_picture *pictures, size_t n_pictures)
{
    const json_t *outliers = json_object_get(source->document, "outliers"), *outlier;
    size_t i;
    if (!json_array_size(outliers))
        return;
    fputs("<section><h2 id=\"outliers\">Why it was late</h2>\n", file);
    for (size_t k = 0; k < n_pictures; k++)
        if (strcmp(pictures[k].kind->name, "samples") == 0)
            put_picture(file, folder, &pictures[k], k);
    if (json_array_size(outliers) > 1)
        put_overview(file, source->store, source->document);
    put_in_common(file, source->document);
    json_array_foreach(outliers, i, outlier) {
        struct text headline = {0};
        headline_outlier(outlier, &headline);
        fprintf(file, "<h3 id=\"outlier-%zu\">Outlier %zu</h3>\n", i + 1, i + 1);
        put_element(file, "p", "headline", text_string(&headline));
        text_release(&headline);
        for (size_t k = 0; k < n_pictures; k++)
            if (strcmp(pictures[k].kind->name, "timeline") == 0 && pictures[k].i == i)
                put_picture(file, folder, &pictures[k], k);
        put_ledger(file, outlier);
    }
    fputs("</section>\n", file);
}

static void put_metric_head(FILE *file, size_t n_runs)
{
    fputs("<table><thead><tr><th>metric</th>", file);
    for (size_t i = 0; i < n_runs; i++)
        fprintf(file, "<th class=\"n\"><a href=\"#run-%zu\">run %zu</a></th>", i, i);
    fputs("<th class=\"n\">ratio</th><th class=\"n\">interval</th><th class=\"n\">p</th></tr></thead><tbody>\n", file);
}

static void put_comparison(FILE *file, const json_t *document)
{
    static const char *const confound_titles[] = {"differs", "values", "weight", "why it matters", NULL};
    const json_t *comparison = json_object_get(document, "comparison"), *row, *value;
    size_t i, k;
    if (!json_is_object(comparison))
        return;
    fputs("<section><h2 id=\"comparison\">Comparison</h2>\n", file);
    put_element(file, "p", "headline", json_get_text(comparison, "conclusion"));
    put_metric_head(file, json_array_size(json_object_get(document, "runs")));
    json_array_foreach(json_object_get(comparison, "metrics"), i, row) {
        char text[64];
        fputs("\n<tr>", file);
        put_element(file, "td", NULL, json_get_text(row, "name"));
        json_array_foreach(json_object_get(row, "values"), k, value)
            put_element(file, "td", "n", fabs(json_number_value(value)) < 9e18 && json_is_number(value) ? duration_format((int64_t)llround(json_number_value(value)), text) : NULL);
        snprintf(text, sizeof text, "%.3g", json_get_number(row, "ratio"));
        put_element(file, "td", "n", isnan(json_get_number(row, "ratio")) ? NULL : text);
        struct text interval = {0};
        double low, high;
        if (json_get_interval(row, "interval", &low, &high))
            words_interval(low, high, &interval);
        put_element(file, "td", "n", interval.length ? text_string(&interval) : NULL);
        text_release(&interval);
        snprintf(text, sizeof text, "%.2g", json_get_number(row, "p"));
        put_element(file, "td", "n", isnan(json_get_number(row, "p")) ? NULL : text);
        fputs("</tr>", file);
    }
    fputs("</tbody></table>\n", file);
    if (json_array_size(json_object_get(comparison, "confounds"))) {
        put_head(file, confound_titles);
        json_array_foreach(json_object_get(comparison, "confounds"), i, row) {
            fputs("<tr>", file);
            put_element(file, "td", NULL, json_get_text(row, "key"));
            fputs("<td>", file);
            json_array_foreach(json_object_get(row, "values"), k, value) {
                fputs(k ? " / " : "", file);
                put_text(file, json_is_string(value) ? json_string_value(value) : "not stated");
            }
            fputs("</td>", file);
            put_element(file, "td", NULL, json_get_text(row, "severity"));
            put_element(file, "td", NULL, json_get_text(row, "why"));
            fputs("</tr>\n", file);
        }
        fputs("</tbody></table>\n", file);
    }
    fputs("</section>\n", file);
}

static void put_answers(FILE *file, const json_t *document)
{
    struct text sentence = {0};
    const json_t *worst = json_array_get(json_object_get(document, "outliers"), 0);
    fputs("<div class=\"answers\">\n", file);
    if (worst) {
        headline_outlier(worst, &sentence);
        put_element(file, "p", NULL, text_string(&sentence));
        text_truncate(&sentence, 0);
    }
    headline_verdicts(document, &sentence);
    put_element(file, "p", NULL, text_string(&sentence));
    text_truncate(&sentence, 0);
    const char *conclusion = json_get_text(json_object_get(document, "comparison"), "conclusion");
    if (conclusion)
        put_element(file, "p", NULL, conclusion);
    headline_runs(document, &sentence);
    put_element(file, "p", "quiet", text_string(&sentence));
    text_release(&sentence);
    fputs("</div>\n", file);
}

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;color:#202020;background:#fff;max-width:64rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.3rem;margin-top:2.4rem;border-bottom:1px solid #d8d8d8}h3{font-size:1.05rem}"
    ".answers{border-left:4px solid #0072b2;padding:.2rem 1rem;background:#f4f8fb;font-size:1.1rem}.quiet{color:#555;font-size:1rem}"
    "table{border-collapse:collapse;margin:.8rem 0;font-size:.92rem;display:block;overflow-x:auto}"
    "th,td{text-align:left;padding:.25rem .7rem .25rem 0;vertical-align:top;border-bottom:1px solid #ececec}th{color:#555;font-weight:600}"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}.hash{font:.75rem monospace;word-break:break-all}.from{color:#777}"
    "figure{margin:1rem 0}figure svg{width:100%;height:auto}figcaption{color:#555;font-size:.9rem}"
    ".findings{list-style:none;padding:0}.findings li{margin:.6rem 0;padding-left:.8rem;border-left:4px solid #bbb}"
    "li.error{border-color:#d55e00}li.warning{border-color:#e69f00}.advice{color:#333;margin-top:.15rem}.advice::before{content:'\\2192\\00a0'}"
    "code{font-size:.85em;background:#f2f2f2;padding:0 .3em}.credible,.credible-isolated{color:#00684c}.suspect,.artefact{color:#b34700;font-weight:600}"
    "td.bar{width:12rem}td.bar span{display:block;height:.8rem;margin-top:.3rem;background:#0072b2}td.bar span.open{background:repeating-linear-gradient(45deg,#e69f00 0 4px,#fff 4px 8px)}"
    "@media print{body{max-width:none;margin:0}section{break-inside:auto}figure,tr{break-inside:avoid}}";

void html_write(const struct plot_source *source, const char *folder, const struct html_picture *pictures,
                size_t n_pictures, FILE *file)
{
    const json_t *first = json_array_get(json_object_get(source->document, "runs"), 0);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>whylate: ", file);
    put_text(file, json_get_text(first, "label"));
    fprintf(file, "</title>\n<style>%s</style></head><body>\n<h1>", style);
    put_text(file, json_get_text(first, "label"));
    size_t n_runs = json_array_size(json_object_get(source->document, "runs"));
    if (n_runs > 1)
        fprintf(file, " and %zu more", n_runs - 1);
    fputs("</h1>\n", file);
    put_answers(file, source->document);
    put_outliers(file, source, folder, pictures, n_pictures);
    put_comparison(file, source->document);
    bool is_open = false, has_outliers = json_array_size(json_object_get(source->document, "outliers")) > 0;
    for (size_t i = 0; i < n_pictures; i++)
        if (strcmp(pictures[i].kind->name, "timeline") != 0 && !(has_outliers && strcmp(pictures[i].kind->name, "samples") == 0)) {
            if (!is_open)
                fputs("<section><h2 id=\"distribution\">Distribution</h2>\n", file);
            is_open = true;
            put_picture(file, folder, &pictures[i], i);
        }
    if (is_open)
        fputs("</section>\n", file);
    put_findings(file, source->document);
    put_runs(file, source->document);
    fprintf(file, "<p class=\"quiet\">Made by whylate %s. All numbers stand in <a href=\"data.json\">data.json</a>.</p>\n</body></html>\n", WHYLATE_VERSION);
}
