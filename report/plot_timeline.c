/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One outlier: its ledger on top, below it a lane per CPU and context; due time, waking and running marked. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/headline.h"
#include "report/lanes.h"
#include "report/plot.h"
#include "report/words.h"

#define MAX_CPUS 8
#define MAX_LANES (1 + MAX_CPUS * N_LANE_CONTEXTS)
#define LANE_PX 34
#define FRAME_PX 210 /* title, axis, legend */

/* Colours of Okabe and Ito; tints where two belong together. Text on them is black. */
static const struct {
    const char *name;
    unsigned rgb;
} box_look[N_BOX_KINDS] = {
    [BOX_IDLE] = {"idle", 0xeeeeee},           [BOX_SUBJECT] = {"the late task", 0x56b4e9},
    [BOX_TASK] = {"other task", 0xf0c987},     [BOX_IRQS_OFF] = {"interrupts off", 0xcc79a7},
    [BOX_PREEMPT_OFF] = {"preemption off", 0xe6c3d6}, [BOX_SOFTIRQ] = {"softirq", 0x8fd3bd},
    [BOX_IRQ] = {"interrupt", 0xd55e00},       [BOX_NMI] = {"NMI", 0x000000},
};
static unsigned slice_rgb(enum slice_kind kind)
{
    switch (kind) {
    case SLICE_TIMER_LATE: return 0xf0e442;
    case SLICE_IRQ:
    case SLICE_IPI: return 0xd55e00;
    case SLICE_SOFTIRQ: return 0x8fd3bd;
    case SLICE_NMI: return 0x000000;
    case SLICE_TASK_HIGHER:
    case SLICE_TASK_SAME: return 0xe69f00;
    case SLICE_TASK_LOWER: return 0xf0c987;
    case SLICE_IRQS_OFF: return 0xcc79a7;
    case SLICE_PREEMPT_OFF:
    case SLICE_LOCK_WAIT: return 0xe6c3d6;
    case SLICE_SELF: return 0x56b4e9;
    case SLICE_IDLE:
    case SLICE_IDLE_EXIT: return 0xeeeeee;
    case SLICE_HARDWARE_STALL: return 0x0072b2;
    case SLICE_SCHED:
    case SLICE_SYSCALL:
    case SLICE_MODE_SWITCH: return 0x009e73;
    case SLICE_THROTTLED:
    case SLICE_STOPPED: return 0x999999;
    default: return 0xffffff; /* gap, unexplained: blank */
    }
}

struct lane {
    int32_t cpu;
    enum lane_context context;
    bool is_ledger;
};
struct chart {
    const struct outlier *outlier;
    struct lanes lanes;
    struct lane lane[MAX_LANES]; /* from the bottom */
    size_t n_lanes;
    int64_t zero_ns, begin_ns, end_ns; /* zero: due */
    struct time_unit unit;
    bool has_box[N_BOX_KINDS], has_slice[N_SLICE_KINDS];
};

static bool matters(const struct chart *chart, int32_t cpu)
{
    if (cpu == chart->outlier->cpu || cpu == chart->lanes.woken_cpu)
        return true;
    for (size_t i = 0; i < chart->outlier->n_slices; i++)
        if (chart->outlier->slices[i].cpu == cpu)
            return true;
    return false;
}

static bool has_lane(const struct chart *chart, int32_t cpu, enum lane_context context)
{
    for (size_t i = 0; i < chart->lanes.n; i++)
        if (chart->lanes.boxes[i].cpu == cpu && chart->lanes.boxes[i].context == context)
            return true;
    return false;
}

/* CPUs that matter first; others only while there are few in all. Lower CPUs further up. */
static void choose_lanes(struct chart *chart)
{
    int32_t cpus[CPUSET_MAX];
    size_t n_all = 0, n = 0;
    for (size_t i = 0; i < chart->lanes.n; i++) {
        size_t k = 0;
        while (k < n_all && cpus[k] != chart->lanes.boxes[i].cpu)
            k++;
        if (k == n_all && n_all < CPUSET_MAX)
            cpus[n_all++] = chart->lanes.boxes[i].cpu;
    }
    for (size_t i = 0; i < n_all; i++)
        if (n_all <= 4 || matters(chart, cpus[i]))
            cpus[n++] = cpus[i];
    if (n > MAX_CPUS)
        n = MAX_CPUS;
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k && cpus[k] > cpus[k - 1]; k--) {
            int32_t swap = cpus[k];
            cpus[k] = cpus[k - 1];
            cpus[k - 1] = swap;
        }
    for (size_t i = 0; i < n; i++)
        for (int context = 0; context < N_LANE_CONTEXTS; context++)
            if (has_lane(chart, cpus[i], (enum lane_context)context))
                chart->lane[chart->n_lanes++] = (struct lane){cpus[i], (enum lane_context)context, false};
    chart->lane[chart->n_lanes++] = (struct lane){chart->outlier->cpu, LANE_TASK, true};
}

static double axis_x(const struct chart *chart, int64_t time_ns)
{
    return (double)(time_ns - chart->zero_ns) / chart->unit.ns;
}

/* A label where it fits its box: about 6.5 px a character in a plot area of 780 px. */
static void label_box(struct plot *plot, const struct chart *chart, double x_low, double x_high, size_t lane, unsigned rgb, const char *label)
{
    double span = (double)(chart->end_ns - chart->begin_ns) / chart->unit.ns;
    size_t room = (size_t)((x_high - x_low) / span * 780 / 6.6);
    struct text clean = {0};
    words_clean(label, &clean);
    size_t width = words_width(text_string(&clean));
    if (width > room && room >= 5) {
        size_t length = 0;
        for (size_t i = 0; i < room - 2; i++)
            length += words_utf8_length(clean.bytes + length);
        text_truncate(&clean, length);
        text_add(&clean, "..");
        width = room;
    }
    if (width && width <= room) {
        fputs("set label ", plot->script);
        plot_quote(plot->script, text_string(&clean));
        /* white on what is dark, by the eye's weights for red, green and blue */
        bool is_dark = 299 * (rgb >> 16 & 0xff) + 587 * (rgb >> 8 & 0xff) + 114 * (rgb & 0xff) < 110 * 1000;
        fprintf(plot->script, " at %.10g,%zu center front font ',9' tc rgb '%s'\n", (x_low + x_high) / 2, lane,
                is_dark ? "#ffffff" : "#000000");
    }
    text_release(&clean);
}

static void write_box(struct plot *plot, struct chart *chart, int64_t begin_ns, int64_t end_ns, size_t lane, unsigned rgb, const char *label)
{
    begin_ns = begin_ns < chart->begin_ns ? chart->begin_ns : begin_ns;
    end_ns = end_ns > chart->end_ns ? chart->end_ns : end_ns;
    if (end_ns <= begin_ns)
        return;
    double low = axis_x(chart, begin_ns), high = axis_x(chart, end_ns);
    fprintf(plot->data, "%.10g %.10g %zu %u\n", low, high, lane, rgb);
    label_box(plot, chart, low, high, lane, rgb, label);
}

static size_t lane_of(const struct chart *chart, const struct box *box)
{
    for (size_t i = 0; i < chart->n_lanes; i++)
        if (!chart->lane[i].is_ledger && chart->lane[i].cpu == box->cpu && chart->lane[i].context == box->context)
            return i;
    return chart->n_lanes;
}

/* Slices without bounds follow each other from the left: their order is not known, their sizes are. */
static void write_ledger(struct plot *plot, struct chart *chart)
{
    int64_t next_ns = chart->outlier->begin_ns != NS_UNKNOWN ? chart->outlier->begin_ns : chart->zero_ns;
    for (size_t i = 0; i < chart->outlier->n_slices; i++) {
        const struct slice *slice = &chart->outlier->slices[i];
        int64_t begin_ns = slice->begin_ns, end_ns = slice->end_ns;
        if (begin_ns == NS_UNKNOWN || end_ns == NS_UNKNOWN) {
            if (slice->amount_ns == NS_UNKNOWN)
                continue;
            begin_ns = next_ns;
            end_ns = next_ns + slice->amount_ns;
        }
        next_ns = end_ns;
        chart->has_slice[slice->kind] = true;
        write_box(plot, chart, begin_ns, end_ns, chart->n_lanes - 1, slice_rgb(slice->kind),
                  slice->subject && slice->kind != SLICE_UNEXPLAINED ? slice->subject : slice_kind_name(slice->kind));
    }
}

/* What the window's begin and end are called. */
static const char *begin_word(const struct outlier *outlier)
{
    switch (outlier->window) {
    case WINDOW_TIMER: return "due";
    case WINDOW_BLOCKED: return "blocked";
    case WINDOW_SECTION: return "begin";
    case WINDOW_WAKEUP: break;
    }
    return "woken";
}

static void mark(struct plot *plot, const struct chart *chart, int64_t time_ns, const char *name, const char *dash, double height)
{
    double x = axis_x(chart, time_ns), top = (double)chart->n_lanes - 0.4;
    fprintf(plot->script, "set arrow from %.10g,-0.6 to %.10g,%.3g nohead front lw 1.5 dt %s lc rgb '#000000'\n", x, x, top + height - 0.25, dash);
    fprintf(plot->script, "set label '%s' at %.10g,%.3g center front font ',10' tc rgb '#000000'\n", name, x, top + height);
}

/* At most two lines, broken at a blank. */
#define TITLE_COLUMNS 92
static void write_title(struct plot *plot, const char *title)
{
    size_t cut = 0, width = 0, length = strlen(title);
    if (words_width(title) <= TITLE_COLUMNS) {
        plot_quote(plot->script, title);
        return;
    }
    for (size_t i = 0; i < length && width <= TITLE_COLUMNS; i++) {
        width += ((unsigned char)title[i] & 0xc0) != 0x80;
        if (title[i] == ' ')
            cut = i;
    }
    if (!cut)
        cut = length;
    struct text line = {0};
    text_add_n(&line, title, cut);
    plot_quote(plot->script, text_string(&line));
    text_truncate(&line, 0);
    const char *rest = title + cut;
    while (*rest && words_width(text_string(&line)) < TITLE_COLUMNS)
        text_add_char(&line, *rest++);
    if (*rest)
        text_add(&line, "...");
    fputs(".\"\\n\".", plot->script);
    plot_quote(plot->script, text_string(&line));
    text_release(&line);
}

static void write_axes(const struct plot_source *source, struct plot *plot, const struct chart *chart, size_t index)
{
    const json_t *document = json_array_get(json_object_get(source->document, "outliers"), index);
    struct text title = {0};
    headline_outlier(document, &title);
    fputs("set title ", plot->script);
    write_title(plot, text_string(&title));
    fputs(" font ',12' tc rgb '#202020'\n", plot->script);
    text_release(&title);
    fprintf(plot->script, "set xrange [%.10g:%.10g]\nset yrange [-0.6:%.2f]\n", axis_x(chart, chart->begin_ns),
            axis_x(chart, chart->end_ns), (double)chart->n_lanes + 0.4);
    static const char *const since[] = {
        [WINDOW_TIMER] = "it was due", [WINDOW_WAKEUP] = "it was woken", [WINDOW_BLOCKED] = "it was blocked", [WINDOW_SECTION] = "the section began"};
    fprintf(plot->script, "set xlabel 'time since %s (%s)' offset 0,0.4\nset border 1 lc rgb '#606060'\nset xtics nomirror out\nset grid xtics lc rgb '#e4e4e4' lw 1\nset ytics scale 0 (",
            since[chart->outlier->window], chart->unit.name);
    for (size_t i = 0; i < chart->n_lanes; i++) {
        const struct lane *lane = &chart->lane[i];
        if (lane->is_ledger)
            fprintf(plot->script, "%s'ledger' %zu", i ? ", " : "", i);
        else
            fprintf(plot->script, "%s'CPU %d %s' %zu", i ? ", " : "", (int)lane->cpu, lane_context_name(lane->context), i);
    }
    fputs(")\nset key outside below horizontal Left reverse samplen 1.5 height 1\nset style fill solid 1.0 border lc rgb '#808080'\n", plot->script);
}

static void legend(struct text *command, const char *name, unsigned rgb)
{
    text_format(command, ", \\\n  NaN with boxes fillcolor rgb '#%06x' title '%s'", rgb, name);
}

static void write_command(struct plot *plot, const struct chart *chart)
{
    /* Boxes of a few pixels have no border: it would be all that is seen of them. */
    double narrow = (double)(chart->end_ns - chart->begin_ns) / chart->unit.ns / 780 * 4;
    text_format(plot->command,
                "plot '%s.dat' using ($2-$1<%.6g?($1+$2)/2:NaN):3:1:2:($3-0.38):($3+0.38):4 with boxxyerror fillcolor rgb variable fs solid 1.0 noborder notitle"
                ", \\\n  '' using ($2-$1<%.6g?NaN:($1+$2)/2):3:1:2:($3-0.38):($3+0.38):4 with boxxyerror fillcolor rgb variable lw 0.5 notitle",
                plot->name, narrow, narrow);
    unsigned shown[N_SLICE_KINDS + N_BOX_KINDS];
    size_t n_shown = 0;
    for (int k = 0; k < N_BOX_KINDS; k++)
        if (chart->has_box[k]) {
            legend(plot->command, box_look[k].name, box_look[k].rgb);
            shown[n_shown++] = box_look[k].rgb;
        }
    for (int k = 0; k < N_SLICE_KINDS; k++) {
        unsigned rgb = slice_rgb((enum slice_kind)k);
        size_t i = 0;
        while (i < n_shown && shown[i] != rgb)
            i++;
        if (chart->has_slice[k] && i == n_shown) {
            legend(plot->command, slice_kind_name((enum slice_kind)k), rgb);
            shown[n_shown++] = rgb;
        }
    }
}

/* The window with a margin on both sides; a fifth of it shows what ran before and after. */
static void place_window(struct chart *chart)
{
    const struct outlier *outlier = chart->outlier;
    int64_t length_ns = outlier->latency_ns > 0 ? outlier->latency_ns : 1000;
    chart->zero_ns = outlier->begin_ns != NS_UNKNOWN ? outlier->begin_ns : 0;
    if (outlier->begin_ns != NS_UNKNOWN && outlier->end_ns > outlier->begin_ns)
        length_ns = outlier->end_ns - outlier->begin_ns;
    int64_t margin_ns = length_ns / 8 + 1;
    chart->begin_ns = chart->zero_ns - margin_ns;
    chart->end_ns = chart->zero_ns + length_ns + margin_ns;
    chart->unit = plot_unit((double)length_ns);
}

/* Names only where they do not run into each other. */
static void mark_window(struct plot *plot, const struct chart *chart)
{
    const struct outlier *outlier = chart->outlier;
    int64_t woken_ns = chart->lanes.woken_ns, near_ns = (chart->end_ns - chart->begin_ns) / 14;
    int64_t end_ns = outlier->end_ns != NS_UNKNOWN ? outlier->end_ns : outlier->latency_ns > 0 ? chart->zero_ns + outlier->latency_ns : NS_UNKNOWN;
    mark(plot, chart, chart->zero_ns, begin_word(outlier), "2", 0.45);
    if (outlier->window == WINDOW_TIMER && woken_ns != NS_UNKNOWN)
        mark(plot, chart, woken_ns, woken_ns - chart->zero_ns > near_ns && (end_ns == NS_UNKNOWN || end_ns - woken_ns > near_ns) ? "woken" : "", "3", 0.45);
    if (end_ns != NS_UNKNOWN)
        mark(plot, chart, end_ns, outlier->window == WINDOW_SECTION ? "end" : "runs", "1", 0.45);
}

static void draw_timeline(const struct plot_source *source, size_t index, struct plot *plot)
{
    struct chart *chart = memory_new(sizeof *chart);
    const struct outlier *outlier = chart->outlier = source->analysis->outliers[index];
    place_window(chart);
    bool has_events = outlier->begin_ns != NS_UNKNOWN && outlier->run != ROW_NONE &&
                      lanes_build(&chart->lanes, source->store, outlier, chart->begin_ns, chart->end_ns);
    if (!has_events)
        chart->lanes.woken_ns = NS_UNKNOWN, chart->lanes.woken_cpu = CPU_UNKNOWN;
    choose_lanes(chart);
    plot->height_px = FRAME_PX + LANE_PX * (int)chart->n_lanes;
    write_axes(source, plot, chart, index);
    for (size_t i = 0; i < chart->lanes.n; i++) {
        const struct box *box = &chart->lanes.boxes[i];
        size_t lane = lane_of(chart, box);
        if (lane == chart->n_lanes)
            continue;
        chart->has_box[box->kind] = true;
        write_box(plot, chart, box->begin_ns, box->end_ns, lane, box_look[box->kind].rgb, box->label);
    }
    write_ledger(plot, chart);
    mark_window(plot, chart);
    write_command(plot, chart);
    lanes_release(&chart->lanes);
    free(chart);
}

static size_t count_timelines(const struct plot_source *source)
{
    return source->analysis ? source->analysis->n_outliers : 0;
}

const struct plot_kind plot_timeline = {
    .name = "timeline",
    .summary = "one outlier: who had each CPU, and the ledger",
    .shows_outliers = true,
    .is_of_outlier = true,
    .count = count_timelines,
    .draw = draw_timeline,
};
