/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in the input: files, series, trace, facts. */
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "report/text_view.h"
#include "report/words.h"

#define MAX_FACTS 40
#define MAX_SERIES 128

static void cell_duration(struct table *table, int64_t ns)
{
    char text[DURATION_TEXT_BYTES];
    table_cell(table, ns == NS_UNKNOWN ? NULL : duration_format(ns, text));
}

static void cell_ns(struct table *table, const json_t *object, const char *key)
{
    cell_duration(table, json_get_ns(object, key));
}

static void cell_maximum(struct table *table, const json_t *series)
{
    char text[DURATION_TEXT_BYTES];
    int64_t ns = json_get_ns(series, "max_ns");
    table_cell(table, ns == NS_UNKNOWN ? NULL : duration_format_bound(ns, json_max_is_least(series), text));
}

static void cell_count(struct table *table, const json_t *object, const char *key)
{
    double n = json_get_number(object, key);
    struct text text = {0};
    if (!isnan(n))
        words_count_of(n, &text);
    table_cell(table, isnan(n) ? NULL : text_string(&text));
    text_release(&text);
}

static enum page_style verdict_style(const char *verdict)
{
    if (!verdict)
        return STYLE_DIM;
    if (strncmp(verdict, "credible", 8) == 0)
        return STYLE_GOOD;
    return strcmp(verdict, "suspect") == 0 || strcmp(verdict, "artefact") == 0 ? STYLE_BAD : STYLE_WARN;
}

/* Columns that say something about at least one series of a group. */
struct series_columns {
    bool quantile, over, lost, verdict;
};

static bool is_positive(const json_t *series, const char *key)
{
    return json_get_number(series, key) > 0; /* false for unknown */
}

static void cell_over(struct table *table, const json_t *series)
{
    struct text text = {0};
    double n = json_get_number(series, "n_overflow");
    if (!isnan(n))
        words_count_of(n, &text);
    table_cell_styled(table, n > 0 ? STYLE_WARN : STYLE_PLAIN, isnan(n) ? NULL : text_string(&text));
    text_release(&text);
}

static void add_series_row(struct table *table, const json_t *series, const struct series_columns *has)
{
    table_cell(table, json_get_text(series, "name"));
    cell_count(table, series, "n_samples");
    cell_ns(table, series, "min_ns");
    cell_ns(table, series, "avg_ns");
    if (has->quantile)
        cell_duration(table, json_get_quantile_ns(series, "0.9999"));
    cell_maximum(table, series);
    if (has->over)
        cell_over(table, series);
    if (has->lost)
        cell_count(table, series, "n_lost_periods");
    if (has->verdict)
        table_cell_styled(table, verdict_style(json_get_text(series, "verdict")), json_get_text(series, "verdict"));
}

static struct table *new_series_table(const json_t *all, size_t from, size_t to, struct series_columns *has)
{
    static _Thread_local struct table_column columns[9];
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        const json_t *series = json_array_get(all, i);
        has->quantile |= json_get_quantile_ns(series, "0.9999") != NS_UNKNOWN;
        has->over |= is_positive(series, "n_overflow");
        has->lost |= !isnan(json_get_number(series, "n_lost_periods"));
        has->verdict |= json_get_text(series, "verdict") != NULL;
    }
    columns[n++] = (struct table_column){.title = "series", .flexible = true};
    columns[n++] = (struct table_column){.title = "samples", .right = true};
    columns[n++] = (struct table_column){.title = "min", .right = true};
    columns[n++] = (struct table_column){.title = "avg", .right = true};
    if (has->quantile)
        columns[n++] = (struct table_column){.title = "99.99 %", .right = true};
    columns[n++] = (struct table_column){.title = "max", .right = true};
    if (has->over)
        columns[n++] = (struct table_column){.title = "over", .right = true};
    if (has->lost)
        columns[n++] = (struct table_column){.title = "lost", .right = true};
    if (has->verdict)
        columns[n++] = (struct table_column){.title = "verdict"};
    return table_new(columns, n);
}

/* The interval of a group's series: "1 ms", or "1 ms to 3 ms" where threads have their own. */
static void add_interval(const json_t *all, size_t from, size_t to, struct text *line)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    char buffer[DURATION_TEXT_BYTES];
    for (size_t i = from; i < to; i++) {
        int64_t ns = json_get_ns(json_array_get(all, i), "interval_ns");
        if (ns == NS_UNKNOWN)
            return;
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
    }
    text_format(line, ", every %s", duration_format(least, buffer));
    if (most > least)
        text_format(line, " to %s", duration_format(most, buffer));
}

/* "cyclictest, timer-wakeup, fifo 80, every 1 ms, 12 h 0 min": what the series of a group have in common. */
static void print_measurement(const struct text_view *view, const json_t *all, size_t from, size_t to)
{
    const json_t *first = json_array_get(all, from);
    struct text line = {0};
    char buffer[DURATION_TEXT_BYTES];
    const char *words[] = {json_get_text(first, "tool"), json_get_text(first, "path")};
    for (size_t i = 0; i < 2; i++)
        if (words[i])
            text_format(&line, "%s%s", line.length ? ", " : "", words[i]);
    const char *policy = json_get_text(first, "policy");
    double priority = json_get_number(first, "priority");
    if (policy)
        text_format(&line, ", %s", policy);
    if (!isnan(priority))
        text_format(&line, policy ? " %.0f" : ", priority %.0f", priority);
    add_interval(all, from, to, &line);
    if (json_get_ns(first, "duration_ns") != NS_UNKNOWN)
        text_format(&line, ", for %s", duration_format_long(json_get_ns(first, "duration_ns"), buffer));
    if (line.length)
        page_paragraph(&view->page, 2, STYLE_PLAIN, NULL, text_string(&line));
    text_release(&line);
}

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
    const char *x = json_get_text(a, key), *y = json_get_text(b, key);
    return x && y ? strcmp(x, y) == 0 : x == y;
}

/* A table for each tool and kind of measurement; series of one stand together. */
static void print_series(const struct text_view *view, const json_t *run)
{
    const json_t *all = json_object_get(run, "series");
    size_t n_all = json_array_size(all), n = n_all < MAX_SERIES ? n_all : MAX_SERIES;
    for (size_t from = 0, to; from < n; from = to) {
        const json_t *first = json_array_get(all, from);
        for (to = from + 1; to < n; to++) {
            const json_t *next = json_array_get(all, to);
            if (!same_text(first, next, "tool") || !same_text(first, next, "path"))
                break;
        }
        struct series_columns has = {0};
        struct table *table = new_series_table(all, from, to, &has);
        print_measurement(view, all, from, to);
        for (size_t i = from; i < to; i++)
            add_series_row(table, json_array_get(all, i), &has);
        table_print(table, &view->page, 2);
        table_free(table);
    }
    if (n_all > n)
        page_line(&view->page, "  ... and %zu more series (--json shows all)", n_all - n);
}

#define MAX_NAME_BYTES 72 /* with its heading, in lines of 80 */

void text_add_run(const json_t *run, const char *unnamed, struct text *out)
{
    const char *label = json_get_text(run, "label");
    const char *heading = json_get_text(json_object_get(json_object_get(run, "facts"), "heading"), "value");
    words_clean(!label ? unnamed : strcmp(label, "-") == 0 ? "standard input" : label, out);
    /* A table's row already gave the run its name. */
    if (!heading || (label && strstr(label, heading)) || out->length + 12 > MAX_NAME_BYTES)
        return;
    struct text clean = {0};
    words_clean(heading, &clean);
    size_t room = MAX_NAME_BYTES - out->length - 2;
    if (clean.length > room) {
        room -= 3;
        while (room && ((unsigned char)text_string(&clean)[room] & 0xc0) == 0x80) /* no half characters */
            room--;
        text_format(out, ": %.*s...", (int)room, text_string(&clean));
    } else {
        text_format(out, ": %s", text_string(&clean));
    }
    text_release(&clean);
}

/* A file's path without the run's own folder in front, which the heading has just named. */
static const char *path_in_run(const json_t *run, const json_t *artefact)
{
    const char *path = json_get_text(artefact, "path"), *label = json_get_text(run, "label");
    size_t length = label ? strlen(label) : 0;
    if (!path || !length || strncmp(path, label, length) != 0)
        return path;
    if (!path[length])
        return strrchr(path, '/') && strrchr(path, '/')[1] ? strrchr(path, '/') + 1 : path;
    return path[length] == '/' || path[length] == ':' ? path + length + 1 : path;
}

static void print_artefacts(const struct text_view *view, const json_t *run)
{
    size_t i, k;
    const json_t *artefact, *note;
    json_array_foreach(json_object_get(run, "artefacts"), i, artefact) {
        struct text line = {0};
        double size = json_get_number(artefact, "size_bytes");
        const char *format = json_get_text(artefact, "format");
        bool is_known = format && strcmp(format, "unknown") != 0;
        text_format(&line, "%s: %s", path_in_run(run, artefact), is_known ? format : "not understood");
        if (json_get_text(artefact, "tool_version"))
            text_format(&line, " %s", json_get_text(artefact, "tool_version"));
        if (!isnan(size)) {
            text_add(&line, ", ");
            words_bytes((uint64_t)size, &line);
        }
        page_paragraph(&view->page, 2, STYLE_PLAIN, NULL, text_string(&line));
        text_release(&line);
        json_array_foreach(json_object_get(artefact, "notes"), k, note) {
            if (!is_known) /* that no format was recognised is said already */
                continue;
            struct text text = {0};
            double count = json_get_number(note, "count"), first_line = json_get_number(note, "first_line");
            text_format(&text, "%s", json_get_text(note, "text") ? json_get_text(note, "text") : json_get_text(note, "code"));
            if (!isnan(first_line))
                text_format(&text, " (line %.0f%s)", first_line, count > 1 ? " and after" : "");
            if (count > 1)
                text_format(&text, ", %.0f times", count);
            page_paragraph(&view->page, 4, STYLE_DIM, "note:", text_string(&text));
            text_release(&text);
        }
    }
}

static void print_events(const struct text_view *view, const json_t *run)
{
    const json_t *events = json_object_get(run, "events");
    double n = json_get_number(events, "n"), n_cpus = json_get_number(events, "n_cpus"), n_lost = json_get_number(events, "n_lost");
    if (isnan(n) || n == 0)
        return;
    struct text line = {0};
    char buffer[DURATION_TEXT_BYTES];
    text_add(&line, "trace: ");
    words_count_of(n, &line);
    text_add(&line, " events");
    if (!isnan(n_cpus))
        text_format(&line, " on %.0f %s", n_cpus, n_cpus == 1 ? "CPU" : "CPUs");
    int64_t begin_ns = json_get_ns(events, "begin_ns"), end_ns = json_get_ns(events, "end_ns");
    if (begin_ns != NS_UNKNOWN && end_ns != NS_UNKNOWN)
        text_format(&line, " over %s", duration_format(end_ns - begin_ns, buffer));
    text_format(&line, ", clock %s, ", json_get_text(events, "clock") ? json_get_text(events, "clock") : "unknown");
    if (isnan(n_lost)) {
        text_add(&line, "an unknown number lost");
    } else {
        words_count_of(n_lost, &line);
        text_add(&line, " lost");
    }
    page_paragraph(&view->page, 2, STYLE_PLAIN, NULL, text_string(&line));
    text_release(&line);
}

static void print_facts(const struct text_view *view, const json_t *run)
{
    static const struct table_column columns[] = {{.title = ""}, {"", .flexible = true}};
    json_t *facts = json_object_get(run, "facts"), *fact;
    const char *key;
    size_t n = 0;
    struct table *table = table_new(columns, 2);
    json_object_foreach(facts, key, fact)
        if (n++ < MAX_FACTS) {
            table_cell_styled(table, STYLE_DIM, key);
            table_cell(table, json_get_text(fact, "value"));
        }
    table_print(table, &view->page, 2);
    table_free(table);
    if (n > MAX_FACTS)
        page_line(&view->page, "  ... and %zu more facts (--json shows all)", n - MAX_FACTS);
}

/* "/proc/interrupts: 120 values in 2 snapshots": tables are named, not printed. */
static void print_counters(const struct text_view *view, const json_t *run)
{
    size_t i;
    const json_t *counter;
    json_t *sources = json_object();
    json_array_foreach(json_object_get(run, "counters"), i, counter) {
        const char *source = json_get_text(counter, "source");
        json_int_t n = json_integer_value(json_object_get(sources, source ? source : "?"));
        json_object_set_new(sources, source ? source : "?", json_integer(n + 1));
    }
    const char *source;
    json_t *n;
    json_object_foreach(sources, source, n) {
        struct text line = {0};
        text_format(&line, "counters: %s, ", source);
        words_count((uint64_t)json_integer_value(n), &line);
        text_add(&line, json_integer_value(n) == 1 ? " value" : " values");
        page_paragraph(&view->page, 2, STYLE_PLAIN, NULL, text_string(&line));
        text_release(&line);
    }
    json_decref(sources);
}

void text_runs(const struct text_view *view, bool in_full)
{
    size_t i;
    const json_t *run, *runs = json_object_get(view->document, "runs");
    json_array_foreach(runs, i, run) {
        struct text title = {0};
        text_format(&title, "Run %zu: ", i);
        text_add_run(run, "without a name", &title);
        page_heading(&view->page, text_string(&title));
        text_release(&title);
        print_artefacts(view, run);
        print_events(view, run);
        print_counters(view, run);
        print_series(view, run);
        if (in_full)
            print_facts(view, run);
    }
}

void text_series(const struct text_view *view)
{
    size_t i;
    const json_t *run, *runs = json_object_get(view->document, "runs");
    json_array_foreach(runs, i, run) {
        struct text title = {0};
        text_add_run(run, "without a name", &title);
        page_heading(&view->page, text_string(&title));
        text_release(&title);
        print_series(view, run);
    }
}
