/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why it was late: the sentence, the ledger as a table with bars, the events that matter. */
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "report/text_view.h"
#include "report/timeline_event.h"
#include "report/words.h"

static bool begins_with_waker(const struct outlier *outlier)
{
    for (size_t i = 0; i < outlier->n_links; i++)
        if (outlier->links[i].running_ns != NS_UNKNOWN && outlier->links[i].begin_ns == outlier->begin_ns)
            return true;
    return false;
}

/* The outlier's own begin and end stand among the events, so that the reader sees where time runs out. */
static void print_timeline(const struct text_view *view, const struct outlier *outlier)
{
    static const struct table_column columns[] = {{"time", .right = true}, {"cpu", .right = true}, {"event", .flexible = true}};
    if (!outlier->n_marks)
        return;
    int64_t zero_ns = outlier->begin_ns != NS_UNKNOWN ? outlier->begin_ns : outlier->marks[0].time_ns;
    struct table *table = table_new(columns, 3);
    for (size_t i = 0; i < outlier->n_marks; i++) {
        const struct timeline_mark *mark = &outlier->marks[i];
        char cell[64], event[512];
        struct event_view events;
        struct error ignored = {0};
        snprintf(cell, sizeof cell, "%+.3f us", (double)(mark->time_ns - zero_ns) / 1000);
        table_cell(table, cell);
        snprintf(cell, sizeof cell, "%d", (int)mark->cpu);
        table_cell(table, mark->cpu == CPU_UNKNOWN ? NULL : cell);
        event[0] = '\0';
        if (store_event_view(view->store, mark->chunk, &events, &ignored) == OK && mark->i < events.n)
            timeline_event_format(view->store, &events, mark->i, event, sizeof event);
        table_cell(table, event);
    }
    static const char *const zero[] = {[WINDOW_TIMER] = "it was due", [WINDOW_WAKEUP] = "it was woken",
                                       [WINDOW_BLOCKED] = "it was blocked", [WINDOW_SECTION] = "the section begins"};
    bool is_chain = outlier->window == WINDOW_WAKEUP && outlier->n_links && begins_with_waker(outlier);
    page_line(&view->page, "  Timeline (0: %s)", is_chain ? "the first of its wakers was woken" : zero[outlier->window]);
    table_print(table, &view->page, 2);
    table_free(table);
}

static void print_outlier(const struct text_view *view, const json_t *document, size_t i)
{
    struct text headline = {0};
    char duration[DURATION_TEXT_BYTES];
    headline_outlier(document, &headline);
    page_paragraph(&view->page, 0, STYLE_PLAIN, NULL, text_string(&headline));
    text_release(&headline);
    int64_t reported_ns = json_get_ns(document, "reported_ns"), latency_ns = json_get_ns(document, "latency_ns");
    if (reported_ns != NS_UNKNOWN && reported_ns != latency_ns)
        page_line(&view->page, "The tool itself reported %s.", duration_format(reported_ns, duration));
    if (i < view->analysis->n_outliers && view->analysis->outliers[i]->typical_ns != NS_UNKNOWN)
        page_line(&view->page, "A typical wakeup of this thread takes %s.",
                  duration_format(view->analysis->outliers[i]->typical_ns, duration));
    putc('\n', view->page.file);
    text_ledger(view, document);
    text_chain(view, document);
    if (i < view->analysis->n_outliers && view->analysis->outliers[i]->n_marks) {
        putc('\n', view->page.file);
        print_timeline(view, view->analysis->outliers[i]);
    }
}

static void print_list(const struct text_view *view, const json_t *outliers)
{
    static const struct table_column columns[] = {{"", .right = true}, {"late", .right = true}, {"task", .flexible = true}, {"cpu", .right = true},
                                                  {.title = "cause"}, {"culprit", .flexible = true}, {.title = "confidence"}};
    size_t i;
    const json_t *outlier;
    char cell[DURATION_TEXT_BYTES];
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    json_array_foreach(outliers, i, outlier) {
        snprintf(cell, sizeof cell, "%zu", i + 1);
        table_cell(table, cell);
        int64_t latency_ns = json_get_ns(outlier, "latency_ns");
        table_cell(table, latency_ns == NS_UNKNOWN ? NULL : duration_format(latency_ns, cell));
        table_cell(table, json_get_text(outlier, "comm"));
        snprintf(cell, sizeof cell, "%.0f", json_get_number(outlier, "cpu"));
        table_cell(table, isnan(json_get_number(outlier, "cpu")) ? NULL : cell);
        table_cell(table, json_get_text(outlier, "cause"));
        table_cell(table, json_get_text(outlier, "culprit"));
        table_cell(table, json_get_text(outlier, "confidence"));
    }
    table_print(table, &view->page, 2);
    table_free(table);
}

static void print_causes(const struct text_view *view)
{
    static const struct table_column columns[] = {{.title = "cause"}, {"culprit", .flexible = true}, {"outliers", .right = true},
                                                  {"time", .right = true}, {"share", .right = true}};
    const json_t *causes = json_object_get(view->document, "causes"), *cause;
    size_t i;
    char cell[DURATION_TEXT_BYTES];
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    json_array_foreach(causes, i, cause) {
        table_cell(table, json_get_text(cause, "cause"));
        table_cell(table, json_get_text(cause, "culprit"));
        snprintf(cell, sizeof cell, "%.0f", json_get_number(cause, "n_outliers"));
        table_cell(table, cell);
        table_cell(table, json_get_ns(cause, "amount_ns") == NS_UNKNOWN ? NULL : duration_format(json_get_ns(cause, "amount_ns"), cell));
        snprintf(cell, sizeof cell, "%.1f %%", json_get_number(cause, "share_pct"));
        table_cell(table, isnan(json_get_number(cause, "share_pct")) ? NULL : cell);
    }
    table_print(table, &view->page, 2);
    table_free(table);
}

/* Why nothing is explained though something may be there; false: no option left it out. */
static bool print_left_out(const struct text_view *view)
{
    const json_t *finding, *findings = json_object_get(view->document, "findings");
    size_t i;
    json_array_foreach(findings, i, finding) {
        const char *code = json_get_text(finding, "code");
        const json_t *values = json_object_get(finding, "values");
        char largest[DURATION_TEXT_BYTES], threshold[DURATION_TEXT_BYTES];
        if (strcmp(code, "below-threshold") == 0)
            page_line(&view->page, "No instance was as late as %s. The largest was %s.",
                      duration_format(json_get_ns(values, "threshold_ns"), threshold),
                      duration_format(json_get_ns(values, "largest_ns"), largest));
        else if (strcmp(code, "selection-empty") == 0)
            page_line(&view->page, "No late instance was found of what --task and --cpu ask for.");
        else
            continue;
        return true;
    }
    return false;
}

void text_outliers(const struct text_view *view)
{
    const json_t *outliers = json_object_get(view->document, "outliers");
    size_t n = json_array_size(outliers);
    if (!n && print_left_out(view))
        return;
    if (!n) {
        page_paragraph(&view->page, 0, STYLE_PLAIN, NULL,
                       view->store->n_events || view->store->n_claims
                           ? "No late instance was found in what was given."
                           : "There is nothing to explain: the input holds no trace and no tool's report of a late instance.");
        return;
    }
    size_t n_in_full = view->options->timeline ? n : 1;
    for (size_t i = 0; i < n_in_full; i++) {
        if (i) {
            char title[64];
            snprintf(title, sizeof title, "Outlier %zu", i + 1);
            page_heading(&view->page, title);
        }
        print_outlier(view, json_array_get(outliers, i), i);
    }
    if (n > 1) {
        page_heading(&view->page, "All outliers, worst first");
        print_list(view, outliers);
    }
    if (n > 2 && json_array_size(json_object_get(view->document, "causes")) > 1) {
        page_heading(&view->page, "Causes over all of them");
        print_causes(view);
    }
}
