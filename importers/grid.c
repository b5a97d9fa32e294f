/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of results drawn with strokes, as in issues, wikis and READMEs (Markdown, reStructuredText, Org, SQL shells):
 *
 *     | Phase             | Duration | Min (us) | Avg (us) | Max (us) |     rows are what was measured
 *     |-------------------|----------|----------|----------|----------|
 *     | Idle              | 600 s    | 4        | 5        | 239      |
 *     | Loaded (stress-ng)| 900 s    | 4        | 11       | **2639** |
 *
 *     | Configuration    | Vanilla | Linux RT |                            columns are
 *     |------------------|---------|----------|
 *     | Max latency (us) | 153     | 89       |
 *
 *     ||CPU||Min (us)||Max (us)||                                             Jira; wikis and spreadsheets part cells
 *     |CPU0|3|57|                                                             by tabs, exports by ';' or ','
 *
 * A row, or a column, is a run, named by its labels; but rows of CPUs or threads are series of one run, and so are all
 * rows where the columns name several configurations ("RT max", "vanilla max"). A table without a unit is read only where
 * it speaks of latency, in us, and says so. A table of a tool that stands above is that tool's.
 */
#include "importers/grid.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "importers/private.h"
#include "importers/reported.h"
#include "importers/tool_command.h"

const struct importer importer_grid;

#define MAX_ROWS 300
#define CONTEXT_LINES 12 /* that speak of this table */
#define TOOL_LINES    60 /* a page tells its tool once */

/* ---- the drawing ---- */

/* "|---|:--:|", "+-----+----+", "------------|-----": strokes and nothing else. */
static bool is_rule(struct cell text)
{
    bool has_dash = false, has_stroke = false;
    for (size_t i = 0; i < text.length; i++) {
        if (!strchr("-=+|: ", text.text[i]))
            return false;
        has_dash |= text.text[i] == '-' || text.text[i] == '=';
        has_stroke |= text.text[i] == '|' || text.text[i] == '+';
    }
    return has_dash && has_stroke;
}

static bool has_strokes(struct cell text, char separator)
{
    return text.length >= 3 && text.length < 2000 && memchr(text.text, separator, text.length) && !is_rule(text);
}

/* "||CPU||Max||": between two strokes of Jira's headings there is no cell. */
static void leave_out_empty(struct cells *cells)
{
    size_t n = 0;
    for (size_t i = 0; i < cells->n; i++)
        if (cells->cell[i].length)
            cells->cell[n++] = cells->cell[i];
    cells->n = n;
}

static void split_row(struct cells *cells, struct cell text, char separator)
{
    bool is_jira = cell_starts(text, "||");
    cells_clear(cells);
    if (separator == '|' && text.text[0] == '|')
        text = cell_from(text, 1);
    if (separator == '|' && text.length && text.text[text.length - 1] == '|')
        text = cell_first(text, text.length - 1);
    cells_add_parts(cells, text.text, text.length, separator);
    if (is_jira)
        leave_out_empty(cells);
    for (size_t i = 0; i < cells->n; i++)
        cells->cell[i] = grid_plain(cells->cell[i]);
}

/* ---- the table ---- */

struct grid {
    struct cells head, row;
    struct grid_title titles[GRID_COLUMNS];
    size_t n_columns, n_groups;
    char groups[GRID_COLUMNS][GRID_GROUP_BYTES];
    bool is_transposed;         /* rows are minima, maxima ... of what the columns name */
    bool has_decimal_comma;     /* in one number: then in all */
    bool has_unit;              /* somewhere in titles or cells */
    bool speaks_of_latency;     /* titles, or the lines above */
    char separator;             /* '|', or what parts the fields of a table without strokes */
    size_t first_row;           /* lines from the cursor on */
    uint64_t line;
    /* from the lines above */
    char heading[128];
    struct tool_command command;
    bool is_cyclictest;
};

static void grid_release(struct grid *grid)
{
    cells_release(&grid->head);
    cells_release(&grid->row);
}

/* Each statistic once: the columns are of one thing, however their titles call it. */
static bool is_one_group(const struct grid *grid)
{
    size_t n[GRID_OTHER + 1] = {0};
    for (size_t i = 0; i < grid->n_columns; i++)
        n[grid->titles[i].kind]++;
    return n[GRID_MIN] <= 1 && n[GRID_AVG] <= 1 && n[GRID_MAX] <= 1;
}

static size_t group_of(struct grid *grid, const char *name)
{
    for (size_t i = 0; i < grid->n_groups; i++)
        if (strcasecmp(grid->groups[i], name) == 0)
            return i;
    snprintf(grid->groups[grid->n_groups], GRID_GROUP_BYTES, "%s", name);
    return grid->n_groups++;
}

/* The next line of cells at or behind line k of the table; rules are passed over. False: the table ends. */
static bool next_row(struct grid *grid, struct lines *lines, size_t *k)
{
    struct line line;
    for (; *k < grid->first_row + MAX_ROWS && lines_peek(lines, *k, &line); ++*k) {
        struct cell text = cell_trim(cell_of(&line));
        if (is_rule(text))
            continue;
        if (!has_strokes(text, grid->separator))
            return false;
        split_row(&grid->row, text, grid->separator);
        ++*k;
        return true;
    }
    return false;
}

static void find_decimal_comma(struct grid *grid, struct lines *lines)
{
    grid->has_decimal_comma = grid->separator == ';'; /* so that commas are free for it */
    for (size_t k = grid->first_row; next_row(grid, lines, &k);)
        for (size_t i = 1; i < grid->row.n; i++)
            grid->has_decimal_comma |= grid_is_decimal_comma(grid->row.cell[i]);
}

/* Do rows begin with "Min", "Avg", "Max"? */
static bool find_transposed(struct grid *grid, struct lines *lines)
{
    bool has_max = false;
    for (size_t k = grid->first_row; next_row(grid, lines, &k);) {
        struct grid_title title = grid_title_of(cells_at(&grid->row, 0));
        bool is_max = title.kind == GRID_MAX;
        for (size_t i = 1; grid_is_value(title.kind) && i < grid->row.n; i++) {
            int64_t ns;
            bool has_unit;
            if (!grid_value(grid->row.cell[i], title.digits, grid->has_decimal_comma, &ns, &has_unit))
                continue;
            has_max |= is_max;
            grid->has_unit |= has_unit || title.digits >= 0;
            grid->speaks_of_latency |= title.speaks_of_latency;
        }
    }
    return has_max;
}

/* Columns of minima, maxima ... with a value at least in one row. */
static bool find_columns(struct grid *grid, struct lines *lines)
{
    bool has_max = false, is_one = is_one_group(grid);
    for (size_t i = 0; i < grid->n_columns; i++) {
        struct grid_title *title = &grid->titles[i];
        if (!grid_is_value(title->kind))
            continue;
        title->group_index = group_of(grid, is_one ? "" : title->group);
        grid->has_unit |= title->digits >= 0;
        grid->speaks_of_latency |= title->speaks_of_latency;
    }
    for (size_t k = grid->first_row; next_row(grid, lines, &k);)
        for (size_t i = 0; i < grid->n_columns && i < grid->row.n; i++) {
            int64_t ns;
            bool has_unit;
            if (grid_is_value(grid->titles[i].kind) && grid_value(grid->row.cell[i], grid->titles[i].digits, grid->has_decimal_comma, &ns, &has_unit)) {
                has_max |= grid->titles[i].kind == GRID_MAX;
                grid->has_unit |= has_unit;
            }
        }
    return has_max;
}

/* Does the text above say what was measured, and with which command? */
static void look_above(struct grid *grid, struct lines *lines)
{
    struct line line;
    tool_command_clear(&grid->command);
    heading_above(lines, grid->heading, sizeof grid->heading);
    for (size_t k = 1; k <= TOOL_LINES && reported_line_before(lines, k, &line); k++) {
        struct cell text = cell_of(&line);
        if (line.length > 1000)
            break;
        if (k <= CONTEXT_LINES)
            grid->speaks_of_latency |= cell_has(text, "yclictest") || cell_has(text, "atenc") || cell_has(text, "itter");
        grid->is_cyclictest |= cell_has(text, "yclictest");
        if (cell_has(text, "cyclictest") && tool_command_find(line.text, line.length, "cyclictest", &grid->command))
            break;
    }
}

/* "|  | Max Interval (ns) | Max Jitter (ns) |" and rows below it at once: as many cells, a unit in the head. */
static bool is_ruleless(struct grid *grid, struct cell head, struct cell below)
{
    if (head.text[0] != '|' || !below.length || below.text[0] != '|' || head.text[head.length - 1] != '|')
        return false;
    bool has_unit = false;
    split_row(&grid->head, head, '|');
    split_row(&grid->row, below, '|');
    for (size_t i = 0; i < grid->head.n; i++) {
        struct grid_title title = grid_title_of(grid->head.cell[i]);
        has_unit |= grid_is_value(title.kind) && title.digits >= 0;
    }
    return has_unit && grid->head.n == grid->row.n;
}

/* "CPU2", "core 3", "T0", or "7" below "CPU": rows of one run. */
static bool is_cpu_label(struct cell title, struct cell label)
{
    static const char *const words[] = {"cpu", "core", "thread", "t", "t:", "hart"};
    bool is_named = cell_starts(title, "CPU") || cell_starts(title, "Core") || cell_starts(title, "core") || cell_starts(title, "Thread") ||
                    cell_starts(title, "cpu") || cell_starts(title, "thread") || cell_is(title, "T");
    size_t n = 0;
    while (n < label.length && !isdigit((unsigned char)label.text[n]))
        n++;
    struct cell word = cell_trim(cell_first(label, n));
    uint64_t number;
    if (!cell_u64(cell_trim(cell_from(label, n)), &number))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (word.length == strlen(words[i]) && strncasecmp(word.text, words[i], word.length) == 0)
            return true;
    return word.length == 0 && is_named;
}

/* Rows of times or samples are a log, each no measurement of its own. */
static bool is_log(struct cell title)
{
    static const char *const words[] = {"time", "date", "stamp", "sample", "iter", "sec", "index", "hour", "cycle"};
    char text[64];
    cell_copy(title, text, sizeof text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(text, words[i]))
            return true;
    return title.length < 2;
}

/*
 * A table whose cells a tab or another separator parts: titles of a maximum and of a minimum or average, with a unit, and as many
 * cells below. So '|' is asked for less.
 */
static bool is_separated(struct grid *grid, struct cell head, struct cell below)
{
    static const char separators[] = "\t;,";
    for (const char *separator = separators; *separator; separator++) {
        if (!has_strokes(head, *separator) || !has_strokes(below, *separator))
            continue;
        bool has_unit = false;
        size_t n[GRID_OTHER + 1] = {0};
        split_row(&grid->head, head, *separator);
        split_row(&grid->row, below, *separator);
        for (size_t i = 0; i < grid->head.n; i++) {
            struct grid_title title = grid_title_of(grid->head.cell[i]);
            n[title.kind]++;
            has_unit |= grid_is_value(title.kind) && title.digits >= 0;
        }
        grid->separator = *separator;
        return has_unit && grid_title_of(grid->head.cell[0]).kind == GRID_LABEL && !is_log(grid->head.cell[0]) && n[GRID_MAX] && (n[GRID_MIN] || n[GRID_AVG]) && grid->head.n == grid->row.n;
    }
    return false;
}

static bool grid_open(struct grid *grid, struct lines *lines)
{
    struct line line, next;
    if (!lines_peek(lines, 0, &line) || line.length > 2000 || !lines_peek(lines, 1, &next))
        return false;
    struct cell head = cell_trim(cell_of(&line)), below = cell_trim(cell_of(&next));
    size_t k = 0;
    if (is_rule(head)) { /* "+-----+": the head is below its upper line */
        head = below;
        k = 1;
        if (!lines_peek(lines, 2, &next))
            return false;
        below = cell_trim(cell_of(&next));
    }
    bool has_rule = is_rule(below);
    grid->separator = '|';
    if (has_strokes(head, '|') ? !(has_rule || is_ruleless(grid, head, below)) : !is_separated(grid, head, below))
        return false;
    split_row(&grid->head, head, grid->separator);
    grid->n_columns = grid->head.n;
    grid->first_row = k + 1 + has_rule;
    grid->line = line.number;
    if (grid->n_columns < 2 || grid->n_columns > GRID_COLUMNS)
        return false;
    for (size_t i = 0; i < grid->n_columns; i++)
        grid->titles[i] = grid_title_of(grid->head.cell[i]);
    find_decimal_comma(grid, lines);
    if (!find_columns(grid, lines)) {
        grid->is_transposed = find_transposed(grid, lines);
        if (!grid->is_transposed)
            return false;
    }
    look_above(grid, lines);
    return grid->has_unit || grid->speaks_of_latency;
}

/* ---- rows of the store ---- */

static struct series series_of(const struct grid *grid)
{
    struct series series = series_unknown();
    series.tool = grid->is_cyclictest ? "cyclictest" : "table";
    series.path = grid->is_cyclictest ? PATH_TIMER_WAKEUP : PATH_UNKNOWN;
    if (!grid->has_unit)
        series.unit_evidence = "the table names no unit: us assumed";
    if (tool_command_is_known(&grid->command)) {
        series.interval_ns = grid->command.interval_ns;
        if (grid->command.priority != PRIO_UNKNOWN)
            series.priority = (int32_t)grid->command.priority;
        series.policy = grid->command.policy != POLICY_UNKNOWN ? grid->command.policy : series.priority > 0 ? POLICY_FIFO : POLICY_UNKNOWN;
    }
    return series;
}

static void set_value(struct series *series, enum grid_kind kind, int64_t ns)
{
    if (kind == GRID_MIN)
        series->min_ns = ns;
    else if (kind == GRID_AVG)
        series->avg_ns = (double)ns;
    else
        series->max_ns = ns;
}

static void store_series(struct import *import, const struct grid *grid, struct series *series)
{
    bool is_known = series->min_ns != NS_UNKNOWN || series->max_ns != NS_UNKNOWN;
    if (!is_known)
        return;
    bool is_false = (series->min_ns != NS_UNKNOWN && series->max_ns != NS_UNKNOWN && series->min_ns > series->max_ns) ||
                    (series->min_ns != NS_UNKNOWN && series->avg_ns < (double)series->min_ns - 1000) ||
                    (series->max_ns != NS_UNKNOWN && series->avg_ns > (double)series->max_ns + 1000);
    if (is_false)
        import_note(import, "counts-mismatch", grid->line, "minimum, average and maximum of a row are not in order");
    if (!grid->has_unit)
        import_note(import, "unit-assumed", grid->line, "the table names no unit: us assumed");
    import_series(import, series);
    if (tool_command_is_known(&grid->command))
        tool_command_facts(import, "cyclictest", &grid->command);
}

static void open_run(struct import *import, const struct grid *grid, const char *label)
{
    char text[300];
    snprintf(text, sizeof text, "%s%s%s", grid->heading, grid->heading[0] && label[0] ? ": " : "", label);
    if (!text[0])
        snprintf(text, sizeof text, "table");
    reported_run(import, text);
    import_fact(import, "configuration", "%s", text);
}

/* "Servo thread (1.0ms)": threads of one measurement. */
static bool is_thread_label(struct cell label)
{
    return cell_has(label, " thread") || cell_has(label, " Thread") || cell_has(label, "-thread");
}

static void row_label(const struct grid *grid, char *label, size_t size)
{
    size_t used = 0;
    label[0] = '\0';
    for (size_t i = 0; i < grid->n_columns && i < grid->row.n; i++) {
        struct cell cell = grid->row.cell[i];
        if (grid->titles[i].kind != GRID_LABEL || !cell.length || used + cell.length + 3 >= size)
            continue;
        if (used)
            used += (size_t)snprintf(label + used, size - used, ", ");
        for (size_t k = 0; k < cell.length; k++)
            if (!strchr("*`", cell.text[k]))
                label[used++] = cell.text[k];
        label[used] = '\0';
    }
}

/* The values of one group in the current row. */
static struct series row_series(const struct grid *grid, size_t group)
{
    struct series series = series_of(grid);
    for (size_t i = 0; i < grid->n_columns && i < grid->row.n; i++) {
        const struct grid_title *title = &grid->titles[i];
        int64_t ns;
        bool has_unit;
        if (grid_is_value(title->kind) && title->group_index == group && grid_value(grid->row.cell[i], title->digits, grid->has_decimal_comma, &ns, &has_unit))
            set_value(&series, title->kind, ns);
        else if (title->kind == GRID_COUNT)
            grid_count(grid->row.cell[i], &series.n_samples);
        else if (title->kind == GRID_DURATION)
            grid_duration(grid->row.cell[i], &series.duration_ns);
    }
    return series;
}

/* Columns that say the same in all rows tell no row from another. */
static void leave_out_constants(struct grid *grid, struct lines *lines)
{
    bool is_constant[GRID_COLUMNS];
    struct cells first = {0};
    size_t n_rows = 0, n_left = 0;
    memset(is_constant, true, sizeof is_constant);
    for (size_t k = grid->first_row; next_row(grid, lines, &k); n_rows++) {
        for (size_t i = 0; i < grid->n_columns; i++) {
            struct cell cell = cells_at(&grid->row, i), other = cells_at(&first, i);
            if (n_rows == 0)
                cells_add(&first, cell.text, cell.length);
            else
                is_constant[i] &= cell.length == other.length && memcmp(cell.text, other.text, cell.length) == 0;
        }
    }
    for (size_t i = 0; i < grid->n_columns; i++)
        n_left += grid->titles[i].kind == GRID_LABEL && !is_constant[i];
    for (size_t i = 0; i < grid->n_columns && n_rows > 1 && n_left; i++)
        if (grid->titles[i].kind == GRID_LABEL && is_constant[i])
            grid->titles[i].kind = GRID_OTHER;
    cells_release(&first);
}

/* Rows that are what was measured: a run each, or series of one. */
static void read_rows(struct import *import, struct grid *grid, struct lines *lines)
{
    bool are_cpus = true, are_threads = true;
    char label[200], name[240];
    for (size_t k = grid->first_row; next_row(grid, lines, &k);) {
        are_cpus &= is_cpu_label(grid->head.cell[0], cells_at(&grid->row, 0));
        are_threads &= is_thread_label(cells_at(&grid->row, 0));
    }
    leave_out_constants(grid, lines);
    for (size_t group = 0; group < grid->n_groups; group++) {
        bool is_one_run = are_cpus || are_threads || grid->n_groups > 1, is_open = false;
        for (size_t k = grid->first_row; next_row(grid, lines, &k);) {
            struct series series = row_series(grid, group);
            if (series.min_ns == NS_UNKNOWN && series.max_ns == NS_UNKNOWN)
                continue;
            row_label(grid, label, sizeof label);
            if (!is_open || !is_one_run)
                open_run(import, grid, is_one_run ? grid->groups[group] : label);
            is_open = true;
            snprintf(name, sizeof name, "%s", is_one_run && label[0] ? label : grid->groups[group][0] ? grid->groups[group] : "value");
            series.name = name;
            store_series(import, grid, &series);
        }
    }
}

/* Columns that are: each a run. */
static void read_columns(struct import *import, struct grid *grid, struct lines *lines)
{
    char label[200];
    for (size_t column = 1; column < grid->n_columns; column++) {
        struct series series = series_of(grid);
        for (size_t k = grid->first_row; next_row(grid, lines, &k);) {
            struct grid_title title = grid_title_of(cells_at(&grid->row, 0));
            int64_t ns;
            bool has_unit;
            if (grid_is_value(title.kind) && grid_value(cells_at(&grid->row, column), title.digits, grid->has_decimal_comma, &ns, &has_unit))
                set_value(&series, title.kind, ns);
            else if (title.kind == GRID_COUNT)
                grid_count(cells_at(&grid->row, column), &series.n_samples);
        }
        if (series.max_ns == NS_UNKNOWN || grid->titles[column].kind == GRID_OTHER)
            continue;
        open_run(import, grid, cell_copy(grid->head.cell[column], label, sizeof label));
        series.name = "value";
        store_series(import, grid, &series);
    }
}

static bool has_one_of(const struct line *line, const char *characters)
{
    bool is_in = false;
    for (; *characters; characters++)
        is_in |= memchr(line->text, *characters, line->length) != NULL;
    return is_in;
}

static struct probe_result grid_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line) || line.length < 5 || !has_one_of(&line, "|+\t;,"))
        return (struct probe_result){NOT_MINE, NULL};
    struct grid grid = {0};
    bool is_mine = grid_open(&grid, lines);
    grid_release(&grid);
    return (struct probe_result){is_mine ? PLAUSIBLE : NOT_MINE, NULL};
}

static enum status grid_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct grid grid = {0};
    if (grid_open(&grid, lines)) {
        if (grid.is_transposed)
            read_columns(import, &grid, lines);
        else
            read_rows(import, &grid, lines);
        size_t k = grid.first_row;
        while (next_row(&grid, lines, &k)) {
        }
        lines_skip(lines, k);
    } else {
        lines_skip(lines, 1);
    }
    grid_release(&grid);
    return OK;
}

static const char *const grid_marks[] = {"|", "^+", "max", "Max", "MAX", "worst", "Worst", "peak", "Peak", NULL};

const struct importer importer_grid = {
    .name = "drawn-table",
    .summary = "tables of minimum, average and maximum drawn with strokes (Markdown, reStructuredText, Org, Jira) or of fields",
    .reads = "columns or rows named min, avg, max with a unit in titles or cells; labels name the runs; bold marks, footnote signs and "
             "thousands' commas are taken off",
    .marks = grid_marks,
    .probe_lines = grid_probe,
    .read_lines = grid_read,
};
