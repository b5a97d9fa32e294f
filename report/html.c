/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html.h"

#include <math.h>
#include <string.h>

#include "report/headline.h"
#include "report/html_parts.h"
#include "report/sentences.h"
#include "report/words.h"

static void put_series(FILE *file, const json_t *run)
{
    static const char *const titles[] = {"series", ">samples", ">min", ">avg", ">99 %", ">99.99 %", ">max", ">over", ">lost periods", "verdict", NULL};
    const json_t *all = json_object_get(run, "series"), *series;
    size_t i;
    if (!json_array_size(all))
        return;
    html_table(file, titles);
    json_array_foreach(all, i, series) {
        const char *verdict = json_get_text(series, "verdict");
        fputs("<tr>", file);
        html_element(file, "td", NULL, json_get_text(series, "name"));
        html_count(file, series, "n_samples");
        html_duration(file, series, "min_ns");
        html_duration(file, series, "avg_ns");
        html_ns(file, json_get_quantile_ns(series, "0.99"), false);
        html_ns(file, json_get_quantile_ns(series, "0.9999"), false);
        html_ns(file, json_get_ns(series, "max_ns"), json_max_is_least(series));
        html_count(file, series, "n_overflow");
        html_count(file, series, "n_lost_periods");
        html_element(file, "td", verdict ? verdict : NULL, verdict);
        fputs("</tr>\n", file);
    }
    html_table_end(file);
}

static void put_artefacts(FILE *file, const json_t *run)
{
    static const char *const titles[] = {"file", "format", "version", ">bytes", "SHA-256", "notes", NULL};
    const json_t *artefact, *note;
    size_t i, k;
    html_table(file, titles);
    json_array_foreach(json_object_get(run, "artefacts"), i, artefact) {
        fputs("<tr>", file);
        html_element(file, "td", NULL, json_get_text(artefact, "path"));
        html_element(file, "td", NULL, json_get_text(artefact, "format"));
        html_element(file, "td", NULL, json_get_text(artefact, "tool_version"));
        html_count(file, artefact, "size_bytes");
        html_element(file, "td", "hash", json_get_text(artefact, "sha256"));
        fputs("<td>", file);
        json_array_foreach(json_object_get(artefact, "notes"), k, note) {
            if (k)
                fputs("<br>", file);
            html_text(file, json_get_text(note, "text") ? json_get_text(note, "text") : json_get_text(note, "code"));
            if (json_get_number(note, "count") > 1)
                fprintf(file, " (%.0f times)", json_get_number(note, "count"));
        }
        fputs("</td></tr>\n", file);
    }
    html_table_end(file);
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
        html_element(file, "th", "key", key);
        html_element(file, "td", NULL, json_get_text(fact, "value"));
        html_element(file, "td", "from", json_get_text(fact, "artefact"));
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
    words_count_of(n, &line);
    text_format(&line, " events on %.0f CPUs, clock %s, ", json_get_number(events, "n_cpus"),
                json_get_text(events, "clock") ? json_get_text(events, "clock") : "unknown");
    if (isnan(n_lost))
        text_add(&line, "an unknown number lost.");
    else {
        words_count_of(n_lost, &line);
        text_add(&line, " lost.");
    }
    html_element(file, "p", NULL, text_string(&line));
    text_release(&line);
}

static void put_runs(FILE *file, const json_t *document)
{
    size_t i;
    const json_t *run;
    json_array_foreach(json_object_get(document, "runs"), i, run) {
        fprintf(file, "<section><h2 id=\"run-%zu\">Run %zu: ", i, i);
        html_text(file, json_get_text(run, "label"));
        fputs("</h2>\n", file);
        put_series(file, run);
        put_events(file, run);
        put_artefacts(file, run);
        put_facts(file, run);
        fputs("</section>\n", file);
    }
}

static bool is_not_recorded(const json_t *finding)
{
    return strncmp(json_get_text(finding, "text"), SENTENCE_NOT_RECORDED, strlen(SENTENCE_NOT_RECORDED)) == 0;
}

/* With several runs a finding names its own. */
static void put_finding(FILE *file, const json_t *finding, size_t n_runs)
{
    const char *severity = json_get_text(finding, "severity");
    fprintf(file, "<li class=\"%s\"><strong>%s:</strong> ", severity, severity);
    html_text(file, json_get_text(finding, "text"));
    putc(' ', file);
    html_element(file, "code", NULL, json_get_text(finding, "code"));
    if (strcmp(json_get_text(finding, "confidence"), "unknown") != 0)
        fprintf(file, " %s", json_get_text(finding, "confidence"));
    double run = json_get_number(finding, "run");
    if (n_runs > 1 && !isnan(run))
        fprintf(file, ", <a href=\"#run-%.0f\">run %.0f</a>", run, run);
    if (json_get_text(finding, "advice"))
        html_element(file, "div", "advice", json_get_text(finding, "advice"));
    fputs("</li>\n", file);
}

/* What no file states, a line each: so many equal notes would hide the findings. */
static void put_not_recorded(FILE *file, const json_t *findings)
{
    const json_t *finding;
    size_t i;
    bool any = false;
    json_array_foreach(findings, i, finding) {
        if (!is_not_recorded(finding))
            continue;
        fputs(any ? "" : "<h3>Not recorded</h3>\n<table><tbody>\n", file);
        any = true;
        fputs("<tr>", file);
        html_element(file, "td", NULL, json_get_text(finding, "text") + strlen(SENTENCE_NOT_RECORDED));
        html_element(file, "td", NULL, json_get_text(finding, "advice"));
        fputs("</tr>\n", file);
    }
    if (any)
        html_table_end(file);
}

static void put_findings(FILE *file, const json_t *document)
{
    json_t *findings = document_findings_by_weight(document), *finding;
    size_t i;
    if (json_array_size(findings)) {
        fputs("<section><h2 id=\"findings\">Findings</h2>\n<ul class=\"findings\">\n", file);
        json_array_foreach(findings, i, finding)
            if (!is_not_recorded(finding))
                put_finding(file, finding, json_array_size(json_object_get(document, "runs")));
        fputs("</ul>\n", file);
        put_not_recorded(file, findings);
        fputs("</section>\n", file);
    }
    json_decref(findings);
}

static void put_answers(FILE *file, const json_t *document)
{
    struct text sentence = {0};
    const json_t *worst = json_array_get(json_object_get(document, "outliers"), 0);
    fputs("<div class=\"answers\">\n", file);
    if (worst) {
        headline_outlier(worst, &sentence);
        html_element(file, "p", NULL, text_string(&sentence));
        text_truncate(&sentence, 0);
    }
    headline_verdicts(document, &sentence);
    html_element(file, "p", NULL, text_string(&sentence));
    text_truncate(&sentence, 0);
    const char *conclusion = json_get_text(json_object_get(document, "comparison"), "conclusion");
    if (conclusion)
        html_element(file, "p", NULL, conclusion);
    headline_runs(document, &sentence);
    html_element(file, "p", "quiet", text_string(&sentence));
    text_release(&sentence);
    fputs("</div>\n", file);
}

/* Pictures stay on white also on a dark page, and paper is white. */
static const char style[] =
    ":root{--ink:#202020;--quiet:#555;--paper:#fff;--line:#e0e0e0;--panel:#f4f8fb;--code:#f2f2f2;--blue:#0072b2;"
    "--good:#00684c;--bad:#b34700;--link:#0050a0}\n"
    "@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--ink:#e4e4e4;--quiet:#a8a8a8;--paper:#1b1b1d;"
    "--line:#3a3a3e;--panel:#232a30;--code:#2d2d31;--blue:#56b4e9;--good:#5fd3ae;--bad:#ff9d5c;--link:#8ec5ff}}\n"
    "body{font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:64rem;margin:2rem auto;"
    "padding:0 1rem;overflow-wrap:break-word}\n"
    "a{color:var(--link)}h1{font-size:1.6rem;margin-bottom:.2rem}h3{font-size:1.05rem}\n"
    "h2{font-size:1.3rem;margin-top:2.4rem;border-bottom:1px solid var(--line)}\n"
    ".answers{border-left:4px solid var(--blue);padding:.2rem 1rem;background:var(--panel);font-size:1.1rem}\n"
    ".quiet{color:var(--quiet);font-size:1rem}\n"
    "table{border-collapse:collapse;margin:.8rem 0;font-size:.92rem;display:block;overflow-x:auto;overflow-wrap:normal}\n"
    "th,td{text-align:left;padding:.25rem .8rem .25rem 0;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{color:var(--quiet);font-weight:600}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "td.hash{font:.75rem monospace;word-break:break-all;min-width:10rem}td.from{color:var(--quiet)}\n"
    "figure{margin:1rem 0}figure svg{width:100%;height:auto;border-radius:4px}\n"
    "figcaption{color:var(--quiet);font-size:.9rem}\n"
    ".findings{list-style:none;padding:0}.findings li{margin:.6rem 0;padding-left:.8rem;border-left:4px solid #999}\n"
    "li.error{border-color:#d55e00}li.warning{border-color:#e69f00}\n"
    ".advice{margin-top:.15rem}.advice::before{content:'\\2192\\00a0'}\n"
    "code{font-size:.85em;background:var(--code);padding:0 .3em}\n"
    ".credible,.credible-isolated{color:var(--good)}.suspect,.artefact,.invalidating{color:var(--bad);font-weight:600}\n"
    "td.bar{width:12rem}td.bar span{display:block;height:.8rem;margin-top:.3rem;background:var(--blue)}\n"
    "td.bar span.open{background:repeating-linear-gradient(45deg,#e69f00 0 4px,transparent 4px 8px)}\n"
    "@media print{:root{font-size:75%}body{max-width:none;margin:0}figure,tr,li{break-inside:avoid}h2,h3{break-after:avoid}"
    "table{overflow:visible}td.bar span{print-color-adjust:exact}}\n";

static void put_title(FILE *file, const json_t *runs)
{
    size_t n_runs = json_array_size(runs);
    html_text(file, json_get_text(json_array_get(runs, 0), "label"));
    if (n_runs == 2) {
        fputs(" and ", file);
        html_text(file, json_get_text(json_array_get(runs, 1), "label"));
    } else if (n_runs > 2) {
        fprintf(file, " and %zu more", n_runs - 1);
    }
}

/* Pictures of whole runs; latency over time stands with the outliers where there are any. */
static void put_distribution(FILE *file, const json_t *document, const char *folder, const struct html_picture *pictures, size_t n_pictures)
{
    bool is_open = false, has_outliers = json_array_size(json_object_get(document, "outliers")) > 0;
    for (size_t i = 0; i < n_pictures; i++) {
        const char *kind = pictures[i].kind->name;
        if (strcmp(kind, "timeline") == 0 || (has_outliers && strcmp(kind, "samples") == 0))
            continue;
        fputs(is_open ? "" : "<section><h2 id=\"distribution\">Distribution</h2>\n", file);
        is_open = true;
        html_figure(file, folder, &pictures[i], i);
    }
    if (is_open)
        fputs("</section>\n", file);
}

void html_write(const struct plot_source *source, const char *folder, const struct html_picture *pictures,
                size_t n_pictures, FILE *file)
{
    const json_t *document = source->document, *runs = json_object_get(document, "runs");
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>whylate: ", file);
    put_title(file, runs);
    fprintf(file, "</title>\n<style>%s</style></head><body>\n<h1>", style);
    put_title(file, runs);
    fputs("</h1>\n", file);
    put_answers(file, document);
    html_outliers(file, source, folder, pictures, n_pictures);
    html_comparison(file, document);
    put_distribution(file, document, folder, pictures, n_pictures);
    put_findings(file, document);
    put_runs(file, document);
    fprintf(file, "<p class=\"quiet\">Made by whylate %s. All numbers stand in <a href=\"data.json\">data.json</a>.</p>\n</body></html>\n",
            WHYLATE_VERSION);
}
