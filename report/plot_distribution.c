/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histogram (log count axis) and complementary distribution (log-log), a line per series. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "report/plot.h"
#include "report/words.h"

#define MAX_NAMED 8 /* more lines than that cannot be told apart: the rest is grey */

static size_t count_distribution(const struct plot_source *source)
{
    size_t n;
    free(plot_series(source->store, &n));
    return n > 0;
}

/* "T0: max 117 us", with the run's name in front where there are several. */
static void series_title(const struct store *store, uint32_t series, const struct distribution *distribution, struct text *title)
{
    char duration[DURATION_TEXT_BYTES];
    const struct series *row = &store->series[series];
    if (store->n_runs > 1 && store->runs[row->run].label) {
        const char *label = store->runs[row->run].label, *slash = strrchr(label, '/');
        label = slash && slash[1] ? slash + 1 : label;
        size_t length = strlen(label);
        text_format(title, length > 28 ? "%.25s..., " : "%s, ", label);
    }
    words_series(store, series, title);
    if (row->max_ns != NS_UNKNOWN)
        text_format(title, ": max %s", duration_format_bound(row->max_ns, row->max_is_lower_bound, duration));
    if (distribution->n_overflow) {
        text_add(title, ", ");
        words_count(distribution->n_overflow, title);
        text_add(title, " over");
    }
}

/* The axis' range and unit over all series. */
struct range {
    double low_ns, high_ns;
    struct time_unit unit;
    bool is_log;
};

static void widen(struct range *range, const struct distribution *distribution)
{
    if (!distribution->n)
        return;
    double low = (double)distribution->bins[0].low_ns;
    double high = (double)distribution->bins[distribution->n - 1].low_ns + (double)distribution->width_ns;
    if (distribution->n_overflow && distribution->limit_ns != NS_UNKNOWN && (double)distribution->limit_ns > high)
        high = (double)distribution->limit_ns;
    range->low_ns = fmin(range->low_ns, low);
    range->high_ns = fmax(range->high_ns, high);
}

static void set_axes(struct plot *plot, const struct range *range)
{
    fprintf(plot->script,
            "set grid xtics ytics lc rgb '#e4e4e4' lw 1\nset border 3 lc rgb '#606060'\n"
            "set tics nomirror tc rgb '#202020'\nset logscale y\n");
    if (range->is_log)
        fputs("set logscale x\n", plot->script);
    fprintf(plot->script, "set xlabel 'latency (%s)' offset 0,0.3\n", range->unit.name);
    fputs("set key outside above horizontal Left reverse samplen 2 spacing 1.1 maxrows 6 tc rgb '#202020'\n", plot->script);
}

/* The k-th shade of a colour: itself, then darker and lighter ones that can still be told from each other. */
static unsigned shade_of(const char *color, size_t k)
{
    static const double toward_white[] = {0, -0.4, 0.4, -0.65, 0.6}; /* below 0: toward black */
    double share = toward_white[k % (sizeof toward_white / sizeof *toward_white)];
    unsigned long rgb = strtoul(color + 1, NULL, 16);
    unsigned shade = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double part = (double)(rgb >> shift & 0xff);
        part += share > 0 ? share * (255 - part) : share * part;
        shade |= (unsigned)part << shift;
    }
    return shade;
}

/* How a curve is told from the others: one run's series by their colours, several runs' by a colour each and its shades. */
struct look {
    unsigned rgb;
    size_t dash;
};

static struct look look_of(const struct store *store, const uint32_t *list, size_t index)
{
    const struct series *series = &store->series[list[index]];
    size_t n_before = 0;
    if (store->n_runs < 2 || store->n_runs > PLOT_N_COLORS)
        return (struct look){shade_of(plot_color[index % PLOT_N_COLORS], 0), 1 + index / PLOT_N_COLORS};
    for (size_t i = 0; i < index; i++)
        n_before += store->series[list[i]].run == series->run;
    return (struct look){shade_of(plot_color[series->run], n_before), 1};
}

static void add_curve(struct plot *plot, size_t index, size_t n_series, struct look look, const char *title)
{
    text_format(plot->command, "%s'%s.dat' index %zu using 1:2 with lines ", index ? ", \\\n  " : "plot ", plot->name, index);
    if (index < MAX_NAMED) {
        text_format(plot->command, "lc rgb '#%06x' lw 2 dt %zu title ", look.rgb, look.dash);
        text_add_quoted(plot->command, title);
    } else {
        text_add(plot->command, "lc rgb '#b0b0b0' lw 1 ");
        if (index == MAX_NAMED)
            text_format(plot->command, "title '%zu others'", n_series - MAX_NAMED);
        else
            text_add(plot->command, "notitle");
    }
}

/* A bin as two points, so that its width shows; a drop to the axis where bins are empty. */
static void write_histogram(FILE *data, const struct distribution *distribution, const struct range *range)
{
    const double floor_count = 0.5; /* below the axis' 1: empty bins leave the picture */
    int64_t end_ns = INT64_MIN;
    for (size_t i = 0; i < distribution->n; i++) {
        const struct bin *bin = &distribution->bins[i];
        double low = (double)bin->low_ns / range->unit.ns, high = (double)(bin->low_ns + distribution->width_ns) / range->unit.ns;
        if (end_ns != bin->low_ns) {
            if (end_ns != INT64_MIN)
                fprintf(data, "%.10g %g\n", (double)end_ns / range->unit.ns, floor_count);
            fprintf(data, "%.10g %g\n", low, floor_count);
        }
        fprintf(data, "%.10g %" PRIu64 "\n%.10g %" PRIu64 "\n", low, bin->count, high, bin->count);
        end_ns = bin->low_ns + distribution->width_ns;
    }
    if (end_ns != INT64_MIN)
        fprintf(data, "%.10g %g\n", (double)end_ns / range->unit.ns, floor_count);
    fputs("\n\n", data);
}

/* P(latency >= x) as steps, from the top; overflows count as beyond their limit. */
static void write_tail(FILE *data, const struct distribution *distribution, const struct range *range)
{
    double n_total = (double)(distribution->n_samples + distribution->n_overflow);
    uint64_t n_above = distribution->n_samples + distribution->n_overflow;
    for (size_t i = 0; i < distribution->n; i++) {
        double x = (double)distribution->bins[i].low_ns / range->unit.ns;
        if (range->is_log && x <= 0)
            x = 0.5 * (double)distribution->width_ns / range->unit.ns;
        fprintf(data, "%.10g %.6g\n", x, (double)n_above / n_total);
        n_above -= distribution->bins[i].count;
        if (n_above)
            fprintf(data, "%.10g %.6g\n", (double)(distribution->bins[i].low_ns + distribution->width_ns) / range->unit.ns,
                    (double)n_above / n_total);
    }
    if (n_above && distribution->limit_ns != NS_UNKNOWN)
        fprintf(data, "%.10g %.6g\n", (double)distribution->limit_ns / range->unit.ns, (double)n_above / n_total);
    fputs("\n\n", data);
}

/* Where a histogram ends and something lies beyond: a line, so that the end is not taken for the maximum. */
static void mark_limit(struct plot *plot, const struct distribution *distribution, const struct range *range)
{
    if (!distribution->n_overflow || distribution->limit_ns == NS_UNKNOWN)
        return;
    double x = (double)distribution->limit_ns / range->unit.ns;
    fprintf(plot->script,
            "set arrow 1 from first %.10g, graph 0 to first %.10g, graph 1 nohead dt 2 lc rgb '#606060'\n"
            "set label 1 'limit of the histogram ' at first %.10g, graph 0.96 right font ',10' tc rgb '#606060'\n",
            x, x, x);
}

/* Maxima beyond the limit are known one by one: a point each at 1/n. */
static void add_maxima(struct plot *plot, const struct store *store, const uint32_t *list, const struct distribution *distribution,
                       size_t n, const struct range *range)
{
    size_t n_points = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t max_ns = store->series[list[i]].max_ns;
        if (!distribution[i].n_overflow || max_ns == NS_UNKNOWN)
            continue;
        fprintf(plot->data, "%.10g %.6g\n", (double)max_ns / range->unit.ns,
                1 / (double)(distribution[i].n_samples + distribution[i].n_overflow));
        n_points++;
    }
    if (n_points)
        text_format(plot->command, ", \\\n  '%s.dat' index %zu using 1:2 with points pt 7 ps 0.8 lc rgb '#000000' title 'maxima beyond the histogram'",
                    plot->name, n);
}

/* So that the legend names one run after the other; within a run the order stays, the largest maximum first. */
static void sort_by_run(const struct store *store, uint32_t *list, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k && store->series[list[k]].run < store->series[list[k - 1]].run; k--) {
            uint32_t swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
}

static void draw_curves(const struct plot_source *source, struct plot *plot, bool is_tail)
{
    size_t n;
    uint32_t *list = plot_series(source->store, &n);
    if (n <= MAX_NAMED)
        sort_by_run(source->store, list, n);
    struct distribution *distribution = memory_new(n * sizeof *distribution);
    struct range range = {.low_ns = INFINITY, .high_ns = 1};
    for (size_t i = 0; i < n; i++) {
        distribution_of(source->store, list[i], &distribution[i]);
        widen(&range, &distribution[i]);
    }
    range.unit = plot_unit(range.high_ns);
    range.is_log = is_tail;
    set_axes(plot, &range);
    for (size_t i = 0; i < n; i++) {
        struct text title = {0};
        series_title(source->store, list[i], &distribution[i], &title);
        add_curve(plot, i, n, look_of(source->store, list, i), text_string(&title));
        (is_tail ? write_tail : write_histogram)(plot->data, &distribution[i], &range);
        text_release(&title);
        mark_limit(plot, &distribution[i], &range);
    }
    if (is_tail)
        add_maxima(plot, source->store, list, distribution, n, &range);
    for (size_t i = 0; i < n; i++)
        distribution_release(&distribution[i]);
    plot->height_px += (int)(20 * (n > MAX_NAMED ? MAX_NAMED / 2 : (n + 1) / 2));
    free(distribution);
    free(list);
}

static void draw_histogram(const struct plot_source *source, size_t i, struct plot *plot)
{
    (void)i;
    fputs("set title 'Latency histogram' tc rgb '#202020'\nset ylabel 'samples per bin'\nset yrange [0.5:*]\nset format y '%.0s%c'\n", plot->script);
    draw_curves(source, plot, false);
}

static void draw_tail(const struct plot_source *source, size_t i, struct plot *plot)
{
    (void)i;
    fputs("set title 'Share of samples at or above a latency' tc rgb '#202020'\nset ylabel 'share of samples'\nset yrange [*:1.5]\nset format y '%g'\n",
          plot->script);
    draw_curves(source, plot, true);
}

const struct plot_kind plot_histogram = {
    .name = "histogram",
    .summary = "latency histogram, log count axis, a line per series",
    .count = count_distribution,
    .draw = draw_histogram,
};
const struct plot_kind plot_tail = {
    .name = "tail",
    .summary = "complementary distribution on log-log axes",
    .count = count_distribution,
    .draw = draw_tail,
};
