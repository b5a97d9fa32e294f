/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hwlatdetect of rt-tests (0.6x to 2.x).
 *
 *     hwlatdetect:  test duration 5 seconds
 *        detector: tracer
 *             Latency threshold: 50us
 *     Max Latency: 16046us
 *     Samples recorded: 6
 *     ts: 1796038119.252750246, inner:12052, outer:12023[, cpu:1][, count:3]
 *
 * Of the module before 2016: "1408928107.0286324723  18  17".
 *
 * inner is the gap between two reads in a loop, outer that between loops: two series. A line stands for the worst of a
 * sampling window. 0 is a measured value below 1 us.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/importer.h"

struct detected {
    int64_t time_ns, inner_us, outer_us;
    int cpu;
};
struct report {
    int64_t max_us;       /* NS_UNKNOWN */
    bool is_below;        /* "Below threshold" */
    uint64_t n_recorded, n_exceeding;
    int64_t duration_ns;
    struct detected *rows;
    size_t n_rows, capacity;
    uint64_t n_counted;   /* sum of the count fields */
    bool lacks_outer;     /* old rows have one number */
};

static struct probe_result detect_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line))
        return (struct probe_result){NOT_MINE, NULL};
    if (line_starts(&line, "hwlatdetect:") && line_has(&line, "test duration"))
        return (struct probe_result){CERTAIN, NULL};
    /* pasted without its head */
    if (line_starts(&line, "Max Latency:") && lines_peek(lines, 1, &line) && line_starts(&line, "Samples recorded:"))
        return (struct probe_result){CERTAIN, NULL};
    struct cell text = cell_of(&line);
    bool is_row = line_starts(&line, "ts:") && cell_has(text, "inner:") && cell_has(text, "outer:");
    return (struct probe_result){is_row ? LIKELY : NOT_MINE, NULL};
}

static bool number_after(struct cell text, const char *word, int64_t *value)
{
    struct cell rest = cell_after(text, word);
    size_t n = 0;
    while (n < rest.length && rest.text[n] >= '0' && rest.text[n] <= '9')
        n++;
    return n && cell_i64(cell_first(rest, n), value);
}

static void add_row(struct report *report, struct detected row)
{
    memory_reserve(report->rows, report->capacity, report->n_rows + 1);
    report->rows[report->n_rows++] = row;
}

static bool read_row(struct report *report, struct cell text)
{
    struct detected row = {.time_ns = NS_UNKNOWN, .cpu = CPU_UNKNOWN};
    int64_t value;
    if (!number_after(text, "inner:", &row.inner_us) || !number_after(text, "outer:", &row.outer_us) ||
        row.inner_us > INT64_MAX / 1000 || row.outer_us > INT64_MAX / 1000)
        return false;
    struct cell time = cell_after(text, "ts:");
    size_t n = 0;
    while (n < time.length && ((time.text[n] >= '0' && time.text[n] <= '9') || time.text[n] == '.'))
        n++;
    cell_ns(cell_first(time, n), 9, &row.time_ns);
    if (number_after(text, "cpu:", &value) && value < 100000)
        row.cpu = (int)value;
    report->n_counted += number_after(text, "count:", &value) ? (uint64_t)value : 1;
    add_row(report, row);
    return true;
}

/* "1408928107.0286324723  18  17" of the module that came with 3.x-rt: ten digits of ns; the outer gap came later. */
static bool read_old_row(struct report *report, struct cell text)
{
    struct cells words = {0};
    struct detected row = {.time_ns = NS_UNKNOWN, .cpu = CPU_UNKNOWN, .outer_us = INT64_MIN};
    cells_add_words(&words, text.text, text.length);
    struct cell time = cells_at(&words, 0), ns = cell_after(time, ".");
    int64_t seconds, fraction;
    bool has_time = time.length == 21 && ns.length == 10 && cell_i64(cell_first(time, 10), &seconds) && cell_i64(ns, &fraction) &&
                    seconds >= 0 && seconds < INT64_MAX / 1000000000 && fraction >= 0 && fraction < 1000000000;
    bool is_row = (words.n == 2 || words.n == 3) && has_time && cell_i64(words.cell[1], &row.inner_us) &&
                  (words.n == 2 || cell_i64(words.cell[2], &row.outer_us)) && row.inner_us >= 0 && row.inner_us < 1000000000 &&
                  row.outer_us < 1000000000 && (words.n == 2 || row.outer_us >= 0);
    cells_release(&words);
    if (!is_row)
        return false;
    row.time_ns = seconds * 1000000000 + fraction;
    report->n_counted++;
    report->lacks_outer |= row.outer_us < 0;
    add_row(report, row);
    return true;
}

static void read_setting(struct import *import, struct cell text)
{
    static const struct {
        const char *prefix, *key;
    } settings[] = {{"detector:", "hwlatdetect.detector"},
                    {"CPU list:", "hwlatdetect.cpus"},
                    {"Latency threshold:", "hwlatdetect.threshold"},
                    {"Sample window:", "hwlatdetect.window"},
                    {"Sample width:", "hwlatdetect.width"},
                    {"MTBF:", "hwlatdetect.mtbf"},
                    {"SMIs during run:", "hwlatdetect.n_smi"},
                    {"Samples exceeding threshold:", "hwlatdetect.n_exceeding"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (cell_starts(text, settings[i].prefix)) {
            struct cell value = cell_after(text, ":");
            if (value.length && !cell_is(value, "None"))
                import_fact(import, settings[i].key, "%.*s", CELL_ARGS(value));
        }
    if (cell_has(text, "SMIs occured on cpu"))
        import_fact(import, "hwlatdetect.smi", "%.*s", CELL_ARGS(text));
}

static bool read_line(struct import *import, struct report *report, struct cell text)
{
    int64_t value;
    if (cell_starts(text, "ts:"))
        return read_row(report, text);
    if (report->n_recorded != COUNT_UNKNOWN && (read_old_row(report, text) || (report->n_rows && (cell_is(text, ".") || cell_is(text, "...")))))
        return true; /* dots: people left some out */
    if (cell_starts(text, "Max Latency:")) {
        report->is_below = cell_has(text, "Below threshold");
        number_after(text, "Max Latency:", &report->max_us);
    } else if (number_after(text, "Samples recorded:", &value)) {
        report->n_recorded = (uint64_t)value;
    } else if (number_after(text, "Samples exceeding threshold:", &value)) {
        report->n_exceeding = (uint64_t)value;
    } else if (cell_has(text, "test duration") && number_after(text, "test duration", &value) && value < 1000000000) {
        report->duration_ns = value * 1000000000;
    }
    read_setting(import, text);
    static const char *const others[] = {"hwlatdetect:", "detector:", "parameters:", "CPU list:", "Latency threshold:", "Sample ",
                                         "Non-sampling period:", "Output File:", "Starting test", "test finished",
                                         "Max Latency:", "Samples ", "MTBF:", "SMIs during", "report saved to",
                                         "sample data written to"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cell_starts(text, others[i]))
            return true;
    return cell_has(text, "SMIs occured on cpu");
}

/* One of the two columns: its samples carry times; each is the worst of a window. */
static void store_column(struct import *import, const struct report *report, bool is_outer)
{
    struct series series = series_unknown();
    series.name = is_outer ? "outer" : "inner";
    series.tool = "hwlatdetect";
    series.path = PATH_NOISE;
    series.resolution_ns = 1000;
    series.duration_ns = report->duration_ns;
    series.n_samples = report->n_rows;
    series.is_block_maxima = true;
    series.has_times = true;
    double sum = 0;
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct detected *row = &report->rows[i];
        int64_t ns = (is_outer ? row->outer_us : row->inner_us) * 1000;
        if (series.min_ns == NS_UNKNOWN || ns < series.min_ns)
            series.min_ns = ns;
        if (series.max_ns == NS_UNKNOWN || ns > series.max_ns)
            series.max_ns = ns;
        sum += (double)ns;
        series.has_times &= row->time_ns != NS_UNKNOWN;
        if (i == 0)
            series.cpu = row->cpu;
        else if (series.cpu != row->cpu)
            series.cpu = CPU_UNKNOWN;
    }
    series.avg_ns = sum / (double)report->n_rows;
    uint32_t index = import_series(import, &series);
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct detected *row = &report->rows[i];
        store_add_sample(import->store, index, &(struct sample){row->time_ns, i, (is_outer ? row->outer_us : row->inner_us) * 1000});
    }
}

static void store_report(struct import *import, const struct report *report, uint64_t line)
{
    if (!report->n_rows) { /* a summary only: what it states */
        struct series series = series_unknown();
        series.name = "maximum";
        series.tool = "hwlatdetect";
        series.path = PATH_NOISE;
        series.resolution_ns = 1000;
        series.duration_ns = report->duration_ns;
        series.n_samples = report->n_recorded;
        series.is_block_maxima = true;
        if (report->max_us != NS_UNKNOWN && report->max_us < INT64_MAX / 1000 && report->n_recorded != 0)
            series.max_ns = report->max_us * 1000;
        if (report->is_below)
            import_fact(import, "hwlatdetect.max", "below threshold");
        import_series(import, &series);
        if (report->n_recorded != COUNT_UNKNOWN && report->n_recorded > 0)
            import_note(import, "entries-missing", line, "%" PRIu64 " samples are announced, no line of them is here", report->n_recorded);
        return;
    }
    store_column(import, report, false);
    if (!report->lacks_outer)
        store_column(import, report, true);
    int64_t max_us = 0;
    for (size_t i = 0; i < report->n_rows; i++) {
        max_us = report->rows[i].inner_us > max_us ? report->rows[i].inner_us : max_us;
        max_us = report->rows[i].outer_us > max_us ? report->rows[i].outer_us : max_us;
    }
    if (report->max_us != NS_UNKNOWN && report->max_us != max_us)
        import_note(import, "counts-mismatch", line, "the largest value of the lines is %" PRId64 " us, the summary says %" PRId64 " us",
                    max_us, report->max_us);
    if (report->n_recorded != COUNT_UNKNOWN && report->n_recorded != report->n_rows)
        import_note(import, report->n_recorded > report->n_rows ? "entries-missing" : "counts-mismatch", line,
                    "%" PRIu64 " samples are announced, %zu lines are here", report->n_recorded, report->n_rows);
    if (report->n_exceeding != COUNT_UNKNOWN && report->n_exceeding != report->n_rows && report->n_exceeding != report->n_counted)
        import_note(import, "counts-mismatch", line, "%" PRIu64 " samples exceed the threshold, the lines count %" PRIu64,
                    report->n_exceeding, report->n_counted);
}

static enum status detect_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct report report = {.max_us = NS_UNKNOWN, .n_recorded = COUNT_UNKNOWN, .n_exceeding = COUNT_UNKNOWN, .duration_ns = NS_UNKNOWN};
    uint64_t first_line = lines_number(lines);
    struct line line;
    bool is_first = true;
    for (size_t k = 0; lines_peek(lines, k, &line);) {
        struct cell text = cell_trim(cell_of(&line));
        if (!is_first && cell_starts(text, "hwlatdetect:") && cell_has(text, "test duration"))
            break;
        if (!text.length && k == 0 && report.n_rows == 0) {
            k++;
        } else if (text.length && read_line(import, &report, text)) {
            lines_skip(lines, k + 1);
            k = 0;
        } else {
            break;
        }
        is_first = false;
    }
    store_report(import, &report, first_line);
    free(report.rows);
    return OK;
}

static const char *const hwlatdetect_marks[] = {"hwlatdetect:", "Max Latency:", "ts:", NULL};

const struct importer importer_hwlatdetect = {
    .name = "hwlatdetect",
    .summary = "hwlatdetect of rt-tests",
    .reads = "rt-tests 1.2 to 2.x: summary and sample lines with inner and outer, cpu, count",
    .probe_lines = detect_probe,
    .read_lines = detect_read,
    .marks = hwlatdetect_marks,
};
