/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV of oscilloscopes, logic analysers and spreadsheets. Which columns mean what is declared, with --set:
 *
 *     csv.latency=COLUMN                    a latency per row
 *     csv.begin=COLUMN csv.end=COLUMN       two edge times per row: the latency is their difference
 *     csv.time=COLUMN csv.signal=COLUMN     a signal over time: the latency is how long it stays above csv.threshold
 *                                           (default: the middle between its smallest and largest value)
 *     csv.unit=ns|us|ms|s                   of latencies and times; else what a heading names ("Delay (us)", "Time [s]")
 *     csv.path=irq-response|timer-wakeup|call-duration|section|noise
 *
 * COLUMN is a heading or a number from 1. A heading of the word latency or delay with a unit declares itself. Delimiters are
 * comma, semicolon and tab; with the latter two, numbers may have decimal commas. What vendors write above the table is
 * left out, as prose.
 */
#include <csv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "importers/cells.h"
#include "importers/grid.h"
#include "importers/private.h"

const struct importer importer_csv;

#define MAX_FIELDS 64

/* ---- one row through libcsv ---- */

struct row {
    struct text text;            /* all fields, one after another */
    size_t end[MAX_FIELDS];
    size_t n;
};

static void add_field(void *field, size_t length, void *data)
{
    struct row *row = data;
    if (row->n == MAX_FIELDS)
        return;
    text_add_n(&row->text, field, length);
    row->end[row->n++] = row->text.length;
}

static void end_row(int c, void *data)
{
    (void)c;
    (void)data;
}

static struct cell field_of(const struct row *row, size_t i)
{
    if (i >= row->n)
        return (struct cell){"", 0};
    size_t begin = i ? row->end[i - 1] : 0;
    return cell_trim((struct cell){text_string(&row->text) + begin, row->end[i] - begin});
}

static bool parse_row(const struct line *line, char delimiter, struct row *row)
{
    struct csv_parser parser;
    text_truncate(&row->text, 0);
    row->n = 0;
    if (csv_init(&parser, 0) != 0)
        return false;
    csv_set_delim(&parser, (unsigned char)delimiter);
    bool is_good = csv_parse(&parser, line->text, line->length, add_field, end_row, row) == line->length &&
                   csv_fini(&parser, add_field, end_row, row) == 0;
    csv_free(&parser);
    return is_good && row->n > 0;
}

/* "1.25E-05", "12,5" (decimal comma): false for anything else. */
static bool number_of(struct cell cell, bool has_decimal_comma, double *value)
{
    char text[64];
    if (!cell.length || cell.length >= sizeof text)
        return false;
    cell_copy(cell, text, sizeof text);
    char *comma = strchr(text, ',');
    if (comma && has_decimal_comma)
        *comma = '.';
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v) || strchr("+-.0123456789", text[0]) == NULL)
        return false;
    *value = v;
    return true;
}

/* ---- what the table looks like ---- */

static char delimiter_of(const struct line *line)
{
    static const char delimiters[] = {';', '\t', ','};
    for (size_t i = 0; i < sizeof delimiters; i++)
        if (memchr(line->text, delimiters[i], line->length))
            return delimiters[i];
    return 0;
}

static size_t count_numbers(const struct row *row, char delimiter)
{
    size_t n = 0;
    double value;
    for (size_t i = 0; i < row->n; i++)
        n += number_of(field_of(row, i), delimiter != ',', &value);
    return n;
}

static size_t count_of(const struct line *line, char c)
{
    size_t n = 0;
    for (size_t i = 0; i < line->length; i++)
        n += line->text[i] == c;
    return n;
}

static bool has_digit(const struct line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (line->text[i] >= '0' && line->text[i] <= '9')
            return true;
    return false;
}

/*
 * Rows hold numbers, and without quotes as many delimiters as their heading: sentences with commas are sorted out at little cost.
 */
static bool may_be_heading(struct lines *lines, const struct line *line, char delimiter)
{
    struct line next;
    if (!lines_peek(lines, 1, &next) || next.length > 4096 || !memchr(next.text, delimiter, next.length) || !has_digit(&next))
        return false;
    return memchr(line->text, '"', line->length) || memchr(next.text, '"', next.length) || count_of(line, delimiter) == count_of(&next, delimiter);
}

/* A heading (few numbers) above rows of as many fields that are mostly numbers. */
static bool is_table(struct lines *lines, char *delimiter)
{
    struct line line;
    struct row row = {0};
    if (!lines_peek(lines, 0, &line) || line.length < 3 || line.length > 4096 || !(*delimiter = delimiter_of(&line)) ||
        !may_be_heading(lines, &line, *delimiter))
        return false;
    bool is_good = parse_row(&line, *delimiter, &row) && row.n >= 2 && count_numbers(&row, *delimiter) == 0;
    size_t n_fields = row.n, n_rows = 0;
    for (size_t i = 0; is_good && i < row.n; i++)
        is_good = field_of(&row, i).length < 60;
    for (size_t k = 1; is_good && k <= 4 && lines_peek(lines, k, &line) && !line_is_blank(&line); k++) {
        is_good = delimiter_of(&line) == *delimiter && parse_row(&line, *delimiter, &row) && row.n == n_fields &&
                  count_numbers(&row, *delimiter) * 2 >= row.n;
        n_rows++;
    }
    text_release(&row.text);
    return is_good && n_rows >= 3;
}

static struct probe_result csv_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    char delimiter;
    return (struct probe_result){is_table(lines, &delimiter) ? UNLIKELY : NOT_MINE, NULL};
}

/* ---- columns ---- */

static double unit_ns(struct cell name)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"usec", 1e3}, {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3}, {"ms", 1e6}, {"msec", 1e6},
                 {"s", 1e9}, {"sec", 1e9}, {"seconds", 1e9}, {"Second", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (name.length == strlen(units[i].name) && strncasecmp(name.text, units[i].name, name.length) == 0)
            return units[i].ns;
    return 0;
}

/* "Delay (us)", "Time [s]", "latency_ns": the unit, 0 if there is none; the name without it. */
static double take_unit(struct cell *heading)
{
    size_t n = heading->length;
    if (n > 2 && (heading->text[n - 1] == ')' || heading->text[n - 1] == ']')) {
        size_t open = n - 1;
        while (open > 0 && heading->text[open] != '(' && heading->text[open] != '[')
            open--;
        double unit = unit_ns(cell_trim((struct cell){heading->text + open + 1, n - open - 2}));
        if (unit > 0)
            *heading = cell_trim(cell_first(*heading, open));
        return unit;
    }
    size_t at = n;
    while (at > 0 && heading->text[at - 1] != '_' && heading->text[at - 1] != ' ')
        at--;
    double unit = at ? unit_ns(cell_from(*heading, at)) : 0;
    if (unit > 0)
        *heading = cell_trim(cell_first(*heading, at - 1));
    return unit;
}

struct column {
    bool is_declared;
    size_t index;
    double unit_ns; /* of its heading; 0 unknown */
    char name[64];
};
struct table {
    char delimiter;
    struct column latency, begin, end, time, signal;
    double unit_ns; /* csv.unit; 0 */
    uint64_t line;
};

static bool find_column(const struct row *head, const char *wanted, struct column *column)
{
    char *end;
    unsigned long number = strtoul(wanted, &end, 10);
    for (size_t i = 0; i < head->n; i++) {
        struct cell heading = field_of(head, i), name = heading;
        double unit = take_unit(&name);
        if (!cell_is(heading, wanted) && !cell_is(name, wanted) && !(*wanted && !*end && number == i + 1))
            continue;
        *column = (struct column){.is_declared = true, .index = i, .unit_ns = unit};
        cell_copy(name, column->name, sizeof column->name);
        return true;
    }
    return false;
}

static enum status declare(struct import *import, const struct row *head, const char *key, struct column *column, struct error *error)
{
    const char *wanted = import_setting(import, key);
    if (!wanted || find_column(head, wanted, column))
        return OK;
    return error_input(error, "%s: no column '%s' for %s", import->member->path, wanted, key);
}

static enum status read_declarations(struct import *import, const struct row *head, struct table *table, struct error *error)
{
    const char *unit = import_setting(import, "csv.unit");
    if (unit && (table->unit_ns = unit_ns((struct cell){unit, strlen(unit)})) == 0)
        return error_input(error, "%s: csv.unit is ns, us, ms or s, not '%s'", import->member->path, unit);
    if (declare(import, head, "csv.latency", &table->latency, error) == FAILED || declare(import, head, "csv.begin", &table->begin, error) == FAILED ||
        declare(import, head, "csv.end", &table->end, error) == FAILED || declare(import, head, "csv.time", &table->time, error) == FAILED ||
        declare(import, head, "csv.signal", &table->signal, error) == FAILED)
        return FAILED;
    bool is_pair = table->begin.is_declared && table->end.is_declared, is_pulse = table->time.is_declared && table->signal.is_declared;
    for (size_t i = 0; i < head->n && !table->latency.is_declared && !is_pair && !is_pulse; i++) {
        char text[64];
        struct cell heading = field_of(head, i), name = heading;
        double column_unit = take_unit(&name);
        cell_copy(name, text, sizeof text);
        enum grid_kind kind = grid_title_of(heading).kind; /* minima and maxima are no samples */
        if (column_unit > 0 && kind == GRID_LABEL && (strcasestr(text, "latency") || strcasestr(text, "delay")))
            find_column(head, cell_copy(heading, text, sizeof text), &table->latency);
    }
    if (table->latency.is_declared || is_pair || is_pulse)
        return OK;
    return error_input(error, "%s:%llu: a table of numbers; which columns are latencies is said with --set csv.latency=COLUMN, or csv.begin "
                       "and csv.end, or csv.time and csv.signal", import->member->path, (unsigned long long)table->line);
}

/* ---- rows to samples ---- */

struct samples {
    struct import *import;
    uint32_t series;
    uint64_t n;
    int64_t min_ns, max_ns;
    double sum_ns;
};

static void add_sample(struct samples *samples, int64_t time_ns, double latency_ns)
{
    int64_t ns = ns_rounded(latency_ns);
    if (ns == NS_UNKNOWN)
        return;
    store_add_sample(samples->import->store, samples->series, &(struct sample){time_ns, samples->n, ns});
    if (!samples->n || ns < samples->min_ns)
        samples->min_ns = ns;
    if (!samples->n || ns > samples->max_ns)
        samples->max_ns = ns;
    samples->sum_ns += latency_ns;
    samples->n++;
}

static double scale_of(struct import *import, const struct table *table, const struct column *column)
{
    if (table->unit_ns > 0)
        return table->unit_ns;
    if (column->unit_ns > 0)
        return column->unit_ns;
    import_note(import, "unit-assumed", table->line, "no unit for column '%s': seconds assumed (--set csv.unit=us changes it)", column->name);
    return 1e9;
}

/* A level over time, kept whole: the threshold is known when all of it was seen. */
struct signal {
    double *time_ns, *level;
    size_t n, time_capacity, level_capacity;
};

/* Spans above the threshold, edges interpolated; a span that is cut at either end is no latency. */
static void add_pulses(struct samples *samples, const struct signal *signal, const char *threshold_text)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < signal->n; i++) {
        low = fmin(low, signal->level[i]);
        high = fmax(high, signal->level[i]);
    }
    double threshold = (low + high) / 2;
    if (threshold_text)
        number_of((struct cell){threshold_text, strlen(threshold_text)}, true, &threshold);
    double rise_ns = NAN;
    for (size_t i = 1; i < signal->n; i++) {
        double a = signal->level[i - 1], b = signal->level[i];
        if ((a < threshold) == (b < threshold))
            continue;
        double share = (threshold - a) / (b - a);
        /* a logic analyser writes a row at each change: 0 and 1 change at the row itself */
        bool is_digital = (low == 0 && high == 1);
        double edge_ns = is_digital ? signal->time_ns[i] : signal->time_ns[i - 1] + share * (signal->time_ns[i] - signal->time_ns[i - 1]);
        if (a < threshold)
            rise_ns = edge_ns;
        else if (!isnan(rise_ns))
            add_sample(samples, ns_rounded(rise_ns), edge_ns - rise_ns);
    }
}

static uint32_t new_series(struct import *import, const struct table *table)
{
    static const struct {
        const char *name;
        enum measure_path path;
    } paths[] = {{"irq-response", PATH_IRQ_RESPONSE}, {"timer-wakeup", PATH_TIMER_WAKEUP}, {"call-duration", PATH_CALL_DURATION},
                 {"section", PATH_SECTION}, {"noise", PATH_NOISE}, {"irq-handler", PATH_IRQ_HANDLER}};
    char name[140];
    struct series series = series_unknown();
    if (table->latency.is_declared)
        snprintf(name, sizeof name, "%s", table->latency.name);
    else if (table->begin.is_declared)
        snprintf(name, sizeof name, "%s to %s", table->begin.name, table->end.name);
    else
        snprintf(name, sizeof name, "%s high", table->signal.name);
    series.name = name;
    series.tool = "csv";
    series.has_times = !table->latency.is_declared || table->time.is_declared;
    const char *path = import_setting(import, "csv.path");
    for (size_t i = 0; path && i < sizeof paths / sizeof *paths; i++)
        if (strcmp(path, paths[i].name) == 0)
            series.path = paths[i].path;
    return import_series(import, &series);
}

/* How the rows of a table are read. */
struct reading {
    const struct table *table;
    const struct column *first, *second; /* of latency: NULL, else what ends the span, or the signal */
    double scale, time_scale;            /* ns */
    bool is_latency, is_pair, has_comma;
};

static struct reading reading_of(struct import *import, const struct table *table)
{
    struct reading r = {.table = table, .is_latency = table->latency.is_declared, .has_comma = table->delimiter != ','};
    r.is_pair = !r.is_latency && table->begin.is_declared && table->end.is_declared;
    r.first = r.is_latency ? &table->latency : r.is_pair ? &table->begin : &table->time;
    r.second = r.is_latency ? NULL : r.is_pair ? &table->end : &table->signal;
    r.scale = scale_of(import, table, r.first);
    r.time_scale = table->time.is_declared ? scale_of(import, table, &table->time) : r.scale;
    return r;
}

/* False: a declared column holds no number. */
static bool take_row(const struct reading *r, const struct row *row, struct samples *samples, struct signal *signal)
{
    const struct column *time = &r->table->time;
    double a, b = 0, t;
    if (!number_of(field_of(row, r->first->index), r->has_comma, &a) ||
        (r->second && !number_of(field_of(row, r->second->index), r->has_comma, &b)))
        return false;
    if (r->is_latency) {
        bool has_time = time->is_declared && number_of(field_of(row, time->index), r->has_comma, &t);
        add_sample(samples, has_time ? ns_rounded(t * r->time_scale) : NS_UNKNOWN, a * r->scale);
    } else if (r->is_pair) {
        add_sample(samples, ns_rounded(a * r->scale), (b - a) * r->scale);
    } else {
        memory_reserve(signal->time_ns, signal->time_capacity, signal->n + 1);
        memory_reserve(signal->level, signal->level_capacity, signal->n + 1);
        signal->time_ns[signal->n] = a * r->time_scale;
        signal->level[signal->n++] = b;
    }
    return true;
}

static void finish_series(struct import *import, const struct samples *samples, uint64_t line)
{
    struct series *series = store_edit_series(import->store, samples->series);
    series->n_samples = samples->n;
    if (!samples->n)
        return;
    series->min_ns = samples->min_ns;
    series->max_ns = samples->max_ns;
    series->avg_ns = samples->sum_ns / (double)samples->n;
    if (samples->min_ns < 0)
        import_note(import, "counts-mismatch", line, "negative latencies down to %lld ns: are the columns the right way round?",
                    (long long)samples->min_ns);
}

static enum status csv_read(struct import *import, struct lines *lines, struct error *error)
{
    struct table table = {.line = lines_number(lines)};
    struct row row = {0};
    struct line line;
    lines_peek(lines, 0, &line);
    is_table(lines, &table.delimiter);
    parse_row(&line, table.delimiter, &row);
    size_t n_fields = row.n;
    enum status status = read_declarations(import, &row, &table, error);
    lines_skip(lines, 1);
    if (status == FAILED) {
        text_release(&row.text);
        if (import->private->format == &importer_csv)
            return FAILED; /* nothing else was found above: say what is missing */
        import_note(import, "not-understood", table.line, "%s", error ? error->text : "a table without declared columns");
        error_clear(error);
        return PARTIAL;
    }
    struct samples samples = {.import = import, .series = new_series(import, &table)};
    struct signal signal = {0};
    struct reading reading = reading_of(import, &table);
    for (; lines_peek(lines, 0, &line) && !line_is_blank(&line); lines_skip(lines, 1)) {
        if (!parse_row(&line, table.delimiter, &row) || row.n < 2 || row.n > n_fields)
            break;
        if (!take_row(&reading, &row, &samples, &signal))
            import_note(import, "damaged-lines", line.number, "a row without a number in its declared columns");
    }
    if (signal.n)
        add_pulses(&samples, &signal, import_setting(import, "csv.threshold"));
    finish_series(import, &samples, table.line);
    free(signal.time_ns);
    free(signal.level);
    text_release(&row.text);
    return OK;
}

static const char *const csv_marks[] = {",", ";", "\t", NULL};

const struct importer importer_csv = {
    .name = "csv",
    .summary = "CSV of scopes and logic analysers (columns declared with --set csv.latency=COLUMN ...)",
    .reads = "latency columns, pairs of edge times, pulse widths of a signal; comma, semicolon or tab; decimal commas",
    .probe_lines = csv_probe,
    .read_lines = csv_read,
    .marks = csv_marks,
};
