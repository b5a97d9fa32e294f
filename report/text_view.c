/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/text_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/memory.h"
#include "report/words.h"

bool text_view_has_color(FILE *file)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    return isatty(fileno(file)) && term && strcmp(term, "dumb") != 0 && !(no_color && *no_color);
}

/* The sentence that answers, on top; the text is released. */
static void print_headline(const struct text_view *view, struct text *headline)
{
    page_paragraph(&view->page, 0, STYLE_PLAIN, NULL, text_string(headline));
    text_release(headline);
}

static void view_info(const struct text_view *view)
{
    struct text headline = {0};
    headline_runs(view->document, &headline);
    print_headline(view, &headline);
    text_runs(view, true);
    text_findings(view);
}

static void view_explain(const struct text_view *view)
{
    text_outliers(view);
    text_findings(view);
}

static void view_validate(const struct text_view *view)
{
    struct text headline = {0};
    headline_verdicts(view->document, &headline);
    print_headline(view, &headline);
    text_series(view);
    text_findings(view);
}

static void view_compare(const struct text_view *view)
{
    text_comparison(view);
    text_findings(view);
}

static void view_check(const struct text_view *view)
{
    size_t n_problems = 0, i;
    const json_t *finding;
    json_array_foreach(json_object_get(view->document, "findings"), i, finding)
        n_problems += strcmp(json_get_text(finding, "severity"), "note") != 0;
    struct text headline = {0};
    if (n_problems)
        text_format(&headline, "The set-up as recorded has %zu %s that can cost latency or spoil the result.", n_problems,
                    words_plural(n_problems, "point", "points"));
    else
        text_add(&headline, "Nothing in the set-up as recorded is known to cost latency; what was not recorded cannot be judged.");
    print_headline(view, &headline);
    text_findings(view);
}

/* The answers first, as on the page; then what is in the files. */
static void view_report(const struct text_view *view)
{
    const json_t *document = view->document;
    if (json_array_size(json_object_get(document, "outliers"))) {
        text_outliers(view);
        putc('\n', view->page.file);
    }
    if (json_is_object(json_object_get(document, "comparison"))) {
        text_comparison(view);
        putc('\n', view->page.file);
    }
    struct text headline = {0};
    headline_verdicts(document, &headline);
    print_headline(view, &headline);
    headline_runs(document, &headline);
    print_headline(view, &headline);
    text_findings(view);
    text_runs(view, true);
}

static const struct {
    const char *command;
    void (*print)(const struct text_view *view);
} view_of[] = {
    {"info", view_info},         {"import", view_info},   {"merge", view_info},      {"explain", view_explain}, {"validate", view_validate},
    {"compare", view_compare},   {"check", view_check},   {"report", view_report},
    {"cut", view_explain},
};
#define N_VIEWS (sizeof view_of / sizeof *view_of)

void text_view_print(const json_t *document, const struct store *store, const struct analysis *analysis,
                     const struct text_options *options, FILE *file)
{
    const struct text_view view = {
        .page = {.file = file, .color = options->color},
        .document = document,
        .store = store,
        .analysis = analysis,
        .options = options,
    };
    const char *command = json_get_text(document, "command");
    size_t i = 0;
    while (i < N_VIEWS && strcmp(view_of[i].command, command) != 0)
        i++;
    (i < N_VIEWS ? view_of[i].print : view_info)(&view);
}

/* ---- findings ---- */

#define MAX_SAME_CODE 5

static enum page_style severity_style(const char *severity)
{
    return strcmp(severity, "error") == 0 ? STYLE_BAD : strcmp(severity, "warning") == 0 ? STYLE_WARN : STYLE_DIM;
}

static void print_finding(const struct text_view *view, const json_t *finding)
{
    struct text text = {0};
    const char *severity = json_get_text(finding, "severity"), *confidence = json_get_text(finding, "confidence");
    text_format(&text, "%s [%s", json_get_text(finding, "text"), json_get_text(finding, "code"));
    if (confidence && strcmp(confidence, "unknown") != 0)
        text_format(&text, ", %s", confidence);
    text_add(&text, "]");
    char mark[16];
    snprintf(mark, sizeof mark, "%s:", severity);
    page_paragraph(&view->page, 2, severity_style(severity), mark, text_string(&text));
    text_release(&text);
    const char *advice = json_get_text(finding, "advice");
    if (advice)
        page_paragraph(&view->page, 4, STYLE_BOLD, "->", advice);
}

/* Of one code MAX_SAME_CODE at most. */
void text_findings(const struct text_view *view)
{
    json_t *findings = document_findings_by_weight(view->document), *n_shown = json_object(), *finding;
    size_t i;
    if (json_array_size(findings))
        page_heading(&view->page, strcmp(json_get_text(view->document, "command"), "explain") == 0 ? "Doubts and advice" : "Findings");
    json_array_foreach(findings, i, finding) {
        const char *code = json_get_text(finding, "code");
        json_int_t k = json_integer_value(json_object_get(n_shown, code)) + 1;
        json_object_set_new(n_shown, code, json_integer(k));
        if (k <= MAX_SAME_CODE)
            print_finding(view, finding);
    }
    const char *code;
    json_t *count;
    json_object_foreach(n_shown, code, count)
        if (json_integer_value(count) > MAX_SAME_CODE) {
            struct text text = {0};
            text_format(&text, "and %lld more of %s (--json shows all)",
                        (long long)json_integer_value(count) - MAX_SAME_CODE, code);
            page_paragraph(&view->page, 2, STYLE_DIM, "...", text_string(&text));
            text_release(&text);
        }
    json_decref(n_shown);
    json_decref(findings);
}
