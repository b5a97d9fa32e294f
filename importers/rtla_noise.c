/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rtla osnoise top and rtla hwnoise.
 *
 *     duration:   0 00:00:03 | time is in us
 *     CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW          NMI ...
 *       0 #2           1500011      1043835    30.41151      656457       118077        3054            0
 *
 * Max Noise is the worst sum of one period, Max Single the longest single noise: two series. The columns from
 * "% CPU Aval" on are 12 wide and have no blank of their own between them.
 */
#include "importers/rtla.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static const char *const column_names[] = {"Runtime", "Noise",   "% CPU Aval", "Max Noise", "Max Single",
                                           "HW",      "NMI", "IRQ",        "Softirq",   "Thread"};
enum { RUNTIME, NOISE, AVAILABLE, MAX_NOISE, MAX_SINGLE, FIRST_COUNT, N_COLUMNS = sizeof column_names / sizeof *column_names };

struct row {
    int cpu;
    uint64_t n_periods;
    struct decimal value[N_COLUMNS];
    size_t n_values;
    uint64_t line;
};
struct frame {
    int64_t duration_ns;
    bool is_hardware; /* hwnoise */
    bool unit_is_stated;
    size_t n_columns; /* whose names are whole: a table cut at the terminal's width ends within a number, too */
    struct row *rows;
    size_t n_rows, capacity;
    uint64_t line;
};

static bool is_heading(struct cell text)
{
    return cell_starts(text, "CPU Period") && cell_has(text, "Max Noise");
}

/* The columns from the left whose names the heading has in full. */
static size_t whole_columns(struct cell heading)
{
    const char *p = heading.text, *end = p + heading.length;
    size_t n = 0;
    for (; n < N_COLUMNS; n++) {
        const char *name = memmem(p, (size_t)(end - p), column_names[n], strlen(column_names[n]));
        if (!name)
            break;
        p = name + strlen(column_names[n]);
    }
    return n;
}

static int heading_distance(struct lines *lines)
{
    struct line line;
    for (int k = 0; k < 3 && lines_peek(lines, (size_t)k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (is_heading(text))
            return k;
        if (!cell_is(text, "Operating System Noise") && !cell_is(text, "Hardware-related Noise") &&
            !(cell_starts(text, "duration:") && cell_has(text, "| time is in")))
            return -1;
    }
    return -1;
}

int rtla_noise_probe(struct lines *lines)
{
    return heading_distance(lines) >= 0 ? CERTAIN : NOT_MINE;
}

/* Words, with numbers of more than 12 digits cut where their columns must have touched. */
static void split_columns(struct cells *cells, const struct line *line)
{
    struct cells words = {0};
    cells_of_line(&words, line);
    cells_clear(cells);
    for (size_t i = 0; i < words.n; i++) {
        struct cell word = words.cell[i];
        size_t dot = 0;
        while (dot < word.length && word.text[dot] != '.')
            dot++;
        if (dot < word.length && word.length > dot + 6) { /* "30.41151" + 12 digits */
            cells_add(cells, word.text, dot + 6);
            word = cell_from(word, dot + 6);
        }
        while (i > 2 && dot == words.cell[i].length && word.length > 12) {
            size_t first = word.length % 12 ? word.length % 12 : 12;
            cells_add(cells, word.text, first);
            word = cell_from(word, first);
        }
        cells_add(cells, word.text, word.length);
    }
    cells_release(&words);
}

static bool read_row(struct frame *frame, struct cells *cells, const struct line *line)
{
    split_columns(cells, line);
    struct row row = {.line = line->number};
    size_t at = 1;
    if (!cell_int(cells_at(cells, 0), &row.cpu) || row.cpu < 0 || !cell_starts(cells_at(cells, 1), "#"))
        return false;
    struct cell count = cell_from(cells->cell[1], 1);
    if (!count.length) /* "# 2": a blank made by copying */
        count = cells_at(cells, ++at);
    if (!cell_u64(count, &row.n_periods))
        return false;
    for (at++; at < cells->n && row.n_values < N_COLUMNS; at++) {
        row.value[row.n_values] = decimal_parse(cells->cell[at].text, cells->cell[at].length);
        if (!row.value[row.n_values++].is_known)
            return false;
    }
    if (row.n_values > frame->n_columns)
        row.n_values = frame->n_columns;
    for (size_t i = row.n_values; i < N_COLUMNS; i++)
        row.value[i] = (struct decimal){0};
    if (row.n_values <= MAX_NOISE)
        return false;
    memory_reserve(frame->rows, frame->capacity, frame->n_rows + 1);
    frame->rows[frame->n_rows++] = row;
    return true;
}

static void read_frame(struct lines *lines, struct frame *frame)
{
    *frame = (struct frame){.duration_ns = NS_UNKNOWN};
    struct cells cells = {0};
    struct line line;
    bool is_inside = false;
    while (lines_peek(lines, 0, &line)) {
        struct cell text = cell_trim(cell_of(&line));
        if (is_inside) {
            if (!read_row(frame, &cells, &line))
                break;
        } else if (cell_starts(text, "Hardware-related")) {
            frame->is_hardware = true;
        } else if (cell_starts(text, "duration:")) {
            rtla_duration(cell_after(text, "duration:"), &frame->duration_ns);
            frame->unit_is_stated = cell_has(text, "time is in us");
        } else if (is_heading(text)) {
            is_inside = true;
            frame->line = line.number;
            frame->n_columns = whole_columns(text);
            if (!cell_has(text, "IRQ"))
                frame->is_hardware = true;
        }
        lines_skip(lines, 1);
    }
    cells_release(&cells);
}

static bool frame_continues(const struct frame *a, const struct frame *b)
{
    if (b->n_rows < a->n_rows || a->is_hardware != b->is_hardware ||
        (a->duration_ns != NS_UNKNOWN && b->duration_ns < a->duration_ns))
        return false;
    for (size_t i = 0; i < a->n_rows; i++)
        if (b->rows[i].cpu != a->rows[i].cpu || b->rows[i].n_periods < a->rows[i].n_periods)
            return false;
    return true;
}

static int64_t value_ns(struct decimal us)
{
    return !us.is_known || us.digits || us.mantissa > INT64_MAX / 1000 ? NS_UNKNOWN : us.mantissa * 1000;
}

static void store_row(struct import *import, struct counter_table *counters, const struct frame *frame, const struct row *row)
{
    char name[40], scope[24];
    const char *tool = frame->is_hardware ? "rtla hwnoise" : "rtla osnoise";
    snprintf(scope, sizeof scope, "cpu %d", row->cpu);
    for (int single = 0; single < (row->n_values > MAX_SINGLE ? 2 : 1); single++) {
        struct series series = series_unknown();
        snprintf(name, sizeof name, "%s %s", scope, single ? "max single" : "max noise");
        series.name = name;
        series.tool = tool;
        series.path = PATH_NOISE;
        series.cpu = row->cpu;
        series.resolution_ns = 1000;
        series.duration_ns = frame->duration_ns;
        series.max_ns = value_ns(row->value[single ? MAX_SINGLE : MAX_NOISE]);
        if (!single) {
            series.n_samples = row->n_periods;
            if (row->n_periods)
                series.avg_ns = decimal_value(row->value[NOISE]) * 1000 / (double)row->n_periods;
        }
        if (!frame->unit_is_stated)
            series.unit_evidence = "rtla prints noise in us in every version";
        import_series(import, &series);
    }
    for (size_t i = 0; i < row->n_values; i++) {
        if (i == AVAILABLE)
            import_counters_add_gauge(counters, scope, column_names[i], row->value[i]);
        else if (i != MAX_NOISE && i != MAX_SINGLE)
            import_counters_add(counters, scope, column_names[i], row->value[i]);
    }
    /* the tool's own quotient: 100 (runtime - noise) / runtime, cut after five digits */
    double runtime = decimal_value(row->value[RUNTIME]);
    double available = runtime > 0 ? 100 * (runtime - decimal_value(row->value[NOISE])) / runtime : 0;
    double stated = decimal_value(row->value[AVAILABLE]);
    if (runtime > 0 && (available - stated > 1e-4 || stated - available > 1e-4))
        import_note(import, "counts-mismatch", row->line, "runtime and noise give %.5f %% available, the row says %.5f %%",
                    available, stated);
}

/* " 0 #4           4000000 ...": a row, though not a whole one. */
static bool row_is_ahead(struct lines *lines)
{
    struct line line;
    for (size_t k = 0; k < 8 && lines_peek(lines, k, &line); k++) {
        const char *p = line.text, *end = p + line.length;
        uint64_t n;
        scan_blanks(&p, end);
        if (scan_u64(&p, end, &n) && scan_blanks(&p, end) && scan_literal(&p, end, "#") && scan_u64(&p, end, &n))
            return true;
    }
    return false;
}

enum status rtla_noise_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct frame last, next;
    read_frame(lines, &last);
    while (heading_distance(lines) >= 0) {
        size_t mark = lines_tell(lines);
        read_frame(lines, &next);
        if (!frame_continues(&last, &next)) {
            lines_seek(lines, mark);
            free(next.rows);
            break;
        }
        free(last.rows);
        last = next;
    }
    struct counter_table *counters =
        last.n_rows ? import_counters_begin(import, last.is_hardware ? "rtla hwnoise" : "rtla osnoise") : NULL;
    for (size_t i = 0; i < last.n_rows; i++)
        store_row(import, counters, &last, &last.rows[i]);
    if (last.n_rows && last.n_columns <= MAX_SINGLE)
        import_note(import, "entries-missing", last.line, "the table is cut on its right side: Max Single is not there");
    if (!last.n_rows && row_is_ahead(lines))
        import_note(import, "damaged-lines", last.line, "the table was wrapped within its columns: its rows cannot be read");
    else if (!last.n_rows)
        import_note(import, "no-samples", last.line, "the table has no rows: no period was finished");
    free(last.rows);
    return OK;
}
