/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency over time (or sample number): the maximum of each column of pixels, so that no outlier is lost. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/plot.h"
#include "report/words.h"

#define N_COLUMNS 900
#define MAX_LINES 7
#define MAX_MARKS 20

static size_t sampled_series(const struct store *store, uint32_t list[MAX_LINES])
{
    size_t n_all, n = 0;
    uint32_t *all = plot_series(store, &n_all);
    for (size_t i = 0; i < n_all && n < MAX_LINES; i++)
        if (store_count_samples(store, all[i]) > 2)
            list[n++] = all[i];
    free(all);
    return n;
}

static size_t count_samples(const struct plot_source *source)
{
    uint32_t list[MAX_LINES];
    return sampled_series(source->store, list) > 0;
}

/* Where a sample stands on the axis: its time, else its number. */
struct axis {
    bool has_times;
    double begin, end;
};

static double position(const struct axis *axis, const struct sample_view *view, size_t i, uint64_t number)
{
    return axis->has_times ? (double)view->time_ns[i] : (double)number;
}

static void widen_axis(const struct store *store, uint32_t series, struct axis *axis)
{
    struct error ignored = {0};
    struct sample_view view;
    uint64_t number = 0;
    for (size_t c = 0; c < store_count_sample_chunks(store, series) && store_sample_chunk(store, series, c, &view, &ignored) != FAILED; c++) {
        if (!view.n)
            continue;
        axis->begin = fmin(axis->begin, position(axis, &view, 0, number));
        axis->end = fmax(axis->end, position(axis, &view, view.n - 1, number + view.n - 1));
        number += view.n;
    }
}

static void write_series(const struct store *store, uint32_t series, const struct axis *axis, struct time_unit x_unit,
                         struct time_unit y_unit, FILE *data)
{
    struct error ignored = {0};
    struct sample_view view;
    int64_t worst[N_COLUMNS];
    uint64_t number = 0;
    for (size_t i = 0; i < N_COLUMNS; i++)
        worst[i] = NS_UNKNOWN;
    double span = axis->end > axis->begin ? axis->end - axis->begin : 1;
    for (size_t c = 0; c < store_count_sample_chunks(store, series) && store_sample_chunk(store, series, c, &view, &ignored) != FAILED; c++)
        for (size_t i = 0; i < view.n; i++, number++) {
            double share = (position(axis, &view, i, number) - axis->begin) / span;
            size_t column = share <= 0 ? 0 : share >= 1 ? N_COLUMNS - 1 : (size_t)(share * N_COLUMNS);
            if (view.latency_ns[i] > worst[column])
                worst[column] = view.latency_ns[i];
        }
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (worst[i] != NS_UNKNOWN)
            fprintf(data, "%.10g %.10g\n", (axis->has_times ? 0 : axis->begin / x_unit.ns) + span * (double)i / N_COLUMNS / x_unit.ns,
                    (double)worst[i] / y_unit.ns);
    fputs("\n\n", data);
}

bool plot_run_span(const struct store *store, uint32_t run, int64_t *begin_ns, int64_t *end_ns, bool *from_samples)
{
    *begin_ns = INT64_MAX;
    *end_ns = INT64_MIN;
    for (uint32_t i = 0; i < store->n_series; i++) {
        struct error ignored = {0};
        struct sample_view view;
        size_t n = store_count_sample_chunks(store, i);
        if (store->series[i].run != run || !store->series[i].has_times || !n || store_sample_chunk(store, i, 0, &view, &ignored) == FAILED || !view.n)
            continue;
        *begin_ns = view.time_ns[0] < *begin_ns ? view.time_ns[0] : *begin_ns;
        if (store_sample_chunk(store, i, n - 1, &view, &ignored) != FAILED && view.n && view.time_ns[view.n - 1] > *end_ns)
            *end_ns = view.time_ns[view.n - 1];
    }
    if (from_samples)
        *from_samples = *begin_ns <= *end_ns;
    for (size_t i = 0; i < store->n_streams && *begin_ns > *end_ns; i++)
        if (store->streams[i].run == run && store->streams[i].n_events && store->streams[i].begin_ns != NS_UNKNOWN) {
            *begin_ns = store->streams[i].begin_ns;
            *end_ns = store->streams[i].end_ns;
        }
    return *begin_ns <= *end_ns;
}

/* The outliers that are explained, at their place: a point, and the rank that the report gives it ("1, 4" where two meet). */
struct rank_mark {
    double x, y; /* shares of the axis */
    struct text ranks;
};

static size_t rank_marks(const struct plot_source *source, const struct axis *axis, double max_ns, struct rank_mark marks[MAX_MARKS])
{
    size_t i, n = 0;
    const json_t *outlier;
    json_array_foreach(json_object_get(source->document, "outliers"), i, outlier) {
        int64_t end_ns = json_get_ns(outlier, "end_ns"), late_ns = json_get_ns(outlier, "latency_ns");
        double series = json_get_number(outlier, "series");
        if (isnan(series) || series < 0 || series >= (double)source->store->n_series || !source->store->series[(size_t)series].has_times ||
            end_ns == NS_UNKNOWN || late_ns == NS_UNKNOWN || (double)end_ns < axis->begin || (double)end_ns > axis->end || axis->end <= axis->begin)
            continue;
        double x = ((double)end_ns - axis->begin) / (axis->end - axis->begin), y = (double)late_ns / max_ns;
        size_t k = 0;
        while (k < n && (fabs(marks[k].x - x) > 0.02 || fabs(marks[k].y - y) > 0.06))
            k++;
        if (k == MAX_MARKS)
            continue;
        if (k == n)
            marks[n++] = (struct rank_mark){.x = x, .y = y, .ranks = {.max_length = 24}};
        text_format(&marks[k].ranks, "%s%zu", marks[k].ranks.length ? ", " : "", i + 1);
    }
    return n;
}

static void draw_marks(const struct plot_source *source, const struct axis *axis, double max_ns, struct time_unit x_unit, struct time_unit y_unit,
                       size_t index, struct plot *plot)
{
    struct rank_mark marks[MAX_MARKS];
    size_t n = axis->has_times ? rank_marks(source, axis, max_ns, marks) : 0;
    for (size_t i = 0; i < n; i++) {
        fprintf(plot->data, "%.10g %.10g \"%s\"\n", marks[i].x * (axis->end - axis->begin) / x_unit.ns, marks[i].y * max_ns / y_unit.ns,
                text_string(&marks[i].ranks));
        text_release(&marks[i].ranks);
    }
    if (n)
        text_format(plot->command, ", \\\n  '%s.dat' index %zu using 1:2 with points pt 7 ps 0.6 lc rgb '#d55e00' title 'explained outliers', "
                                   "'' index %zu using 1:2:3 with labels offset 0,0.8 tc rgb '#d55e00' notitle",
                    plot->name, index, index);
}

static void draw_samples(const struct plot_source *source, size_t index, struct plot *plot)
{
    (void)index;
    const struct store *store = source->store;
    uint32_t list[MAX_LINES];
    size_t n = sampled_series(store, list);
    struct axis axis = {.has_times = true, .begin = INFINITY, .end = -INFINITY};
    double max_ns = 1;
    for (size_t i = 0; i < n; i++) {
        axis.has_times &= store->series[list[i]].has_times;
        max_ns = fmax(max_ns, store->series[list[i]].max_ns == NS_UNKNOWN ? 1 : (double)store->series[list[i]].max_ns);
    }
    for (size_t i = 0; i < n; i++)
        widen_axis(store, list[i], &axis);
    struct time_unit y_unit = plot_unit(max_ns);
    struct time_unit x_unit = axis.has_times ? plot_unit(axis.end - axis.begin) : (struct time_unit){"", 1};
    fprintf(plot->script,
            "set title 'Latency over %s: the worst of each column' tc rgb '#202020'\n"
            "set grid xtics ytics lc rgb '#e4e4e4' lw 1\nset border 3 lc rgb '#606060'\nset tics nomirror\nset yrange [0:*]\n"
            "set key outside below horizontal Left reverse samplen 2 height 1\nset ylabel 'latency (%s)'\n",
            axis.has_times ? "time" : "the run", y_unit.name);
    if (axis.has_times)
        fprintf(plot->script, "set xlabel 'time since the first sample (%s)'\n", x_unit.name);
    else
        fputs("set xlabel 'sample number'\nset format x '%.0f'\n", plot->script);
    for (size_t i = 0; i < n; i++) {
        struct text title = {0};
        words_series(store, list[i], &title);
        write_series(store, list[i], &axis, x_unit, y_unit, plot->data);
        text_format(plot->command, "%s'%s.dat' index %zu using 1:2 with impulses lc rgb '%s' lw 1 title ",
                    i ? ", \\\n  " : "plot ", plot->name, i, plot_color[i % PLOT_N_COLORS]);
        text_add_quoted(plot->command, text_string(&title));
        text_release(&title);
    }
    draw_marks(source, &axis, max_ns, x_unit, y_unit, n, plot);
}

const struct plot_kind plot_samples = {
    .name = "samples",
    .summary = "latency over time, the worst of each column",
    .shows_outliers = true,
    .count = count_samples,
    .draw = draw_samples,
};
