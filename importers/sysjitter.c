/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sysjitter (Solarflare, openonload): interruptions of a busy loop above a threshold, one column per core.
 *
 *     core_i: 0 1 2
 *     threshold(ns): 200 200 200
 *     int_n: 12 7 9
 *     int_max(ns): 31034 7920 8123
 *
 * Shorter interruptions than the threshold do not exist for it; percentiles are of interruptions, not of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/importer.h"

static bool split(const struct line *line, struct cell *label, struct cells *values)
{
    struct cell text = cell_trim(cell_of(line));
    const char *colon = memchr(text.text, ':', text.length);
    if (!colon || colon == text.text)
        return false;
    *label = cell_trim(cell_first(text, (size_t)(colon - text.text)));
    struct cell rest = cell_from(text, (size_t)(colon - text.text) + 1);
    cells_clear(values);
    cells_add_words(values, rest.text, rest.length);
    return true;
}

static struct probe_result sysjitter_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    bool is_mine = lines_peek(lines, 0, &line) && line_starts(&line, "core_i:") && lines_peek(lines, 1, &line) &&
                   line_starts(&line, "threshold(ns):");
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

static void take_row(struct import *import, struct series *series, size_t n, struct cell label, const struct cells *values)
{
    bool is_percentile = cell_starts(label, "int_9") || cell_is(label, "int_median(ns)") || cell_is(label, "threshold(ns)");
    for (size_t i = 0; i < n && i < values->n; i++) {
        struct cell value = values->cell[i];
        struct series *s = &series[i];
        int64_t ns;
        if (cell_is(label, "int_n"))
            cell_u64(value, &s->n_samples);
        else if (cell_is(label, "int_min(ns)"))
            cell_ns(value, 0, &s->min_ns);
        else if (cell_is(label, "int_max(ns)"))
            cell_ns(value, 0, &s->max_ns);
        else if (cell_is(label, "int_mean(ns)") && cell_ns(value, 0, &ns))
            s->avg_ns = (double)ns;
        else if (cell_is(label, "runtime(ns)"))
            cell_ns(value, 0, &s->duration_ns);
        if (is_percentile) {
            char key[80];
            snprintf(key, sizeof key, "sysjitter.%.*s.cpu%d", CELL_ARGS(label), s->cpu);
            import_fact(import, key, "%.*s ns", CELL_ARGS(value));
        }
    }
}

static enum status sysjitter_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct cells values = {0};
    struct cell label;
    struct line line;
    lines_peek(lines, 0, &line);
    split(&line, &label, &values);
    size_t n = values.n;
    struct series *series = memory_new((n + 1) * sizeof *series);
    for (size_t i = 0; i < n; i++) {
        series[i] = series_unknown();
        cell_int(values.cell[i], &series[i].cpu);
    }
    lines_skip(lines, 1);
    for (; lines_peek(lines, 0, &line) && split(&line, &label, &values); lines_skip(lines, 1)) {
        static const char *const known[] = {"threshold", "cpu_mhz", "runtime", "int_", "frc_"};
        bool is_mine = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_mine |= cell_starts(label, known[i]);
        if (!is_mine)
            break;
        if (values.n != n)
            import_note(import, "damaged-lines", line.number, "a row has %zu values for %zu cores", values.n, n);
        take_row(import, series, n, label, &values);
    }
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "cpu %d", series[i].cpu);
        series[i].name = name;
        series[i].tool = "sysjitter";
        series[i].path = PATH_NOISE;
        series[i].resolution_ns = 1;
        if (series[i].n_samples == 0) {
            series[i].min_ns = series[i].max_ns = NS_UNKNOWN;
            series[i].avg_ns = NAN;
        }
        import_series(import, &series[i]);
    }
    free(series);
    cells_release(&values);
    return OK;
}

static const char *const sysjitter_marks[] = {"core_i:", NULL};

const struct importer importer_sysjitter = {
    .name = "sysjitter",
    .summary = "sysjitter: interruptions of a busy loop per core",
    .reads = "sysjitter 1.x, also through column -t",
    .probe_lines = sysjitter_probe,
    .read_lines = sysjitter_read,
    .marks = sysjitter_marks,
};
