/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Summaries of cyclictest set side by side, as patches show what they change:
 *
 *                            EEVDF      PATCH  EEVDF-NO_PARITY
 *                # Min Latencies: 00006      00006      00006
 *   LNICE(-19)   # Avg Latencies: 00191      00122      00089
 *                # Max Latencies: 15442      07648      14133
 *
 * What the columns name was compared: each is a run. The labels beside the rows name its series.
 */
#include <stdio.h>
#include <string.h>

#include "importers/cells.h"
#include "importers/importer.h"
#include "importers/reported.h"
#include "importers/tool_command.h"

const struct importer importer_summary_columns;

#define MAX_SIDES  12
#define MAX_GROUPS 24
#define MAX_BLANKS 2
#define TOOL_LINES 40 /* above, in which the command may stand */

enum row { ROW_MIN, ROW_AVG, ROW_MAX, N_ROWS };

struct group {
    char label[60];
    int64_t us[N_ROWS][MAX_SIDES];
    bool has[N_ROWS];
};
struct sides {
    size_t n, n_groups, n_lines;
    char name[MAX_SIDES][60];
    struct group group[MAX_GROUPS];
};

/* "   LNICE(0)   # Avg Latencies: 00466  00277": which row, what stands in front, and its numbers. */
static bool read_row(const struct line *line, enum row *row, struct cell *label, int64_t us[MAX_SIDES], size_t *n)
{
    static const char *const names[] = {"Min Latenc", "Avg Latenc", "Max Latenc"};
    const char *at = NULL;
    if (line->length > 400)
        return false;
    for (size_t i = 0; i < N_ROWS && !at; i++) {
        at = line_find(line, names[i]);
        *row = (enum row)i;
    }
    const char *colon = at ? memchr(at, ':', line->length - (size_t)(at - line->text)) : NULL;
    if (!colon)
        return false;
    *label = cell_trim(cell_first(cell_of(line), (size_t)(at - line->text)));
    while (label->length && strchr("# \t", label->text[label->length - 1]))
        *label = cell_first(*label, label->length - 1);
    struct cells words = {0};
    cells_add_words(&words, colon + 1, line->length - (size_t)(colon + 1 - line->text));
    *n = words.n;
    bool is_good = words.n >= 2 && words.n <= MAX_SIDES;
    for (size_t i = 0; is_good && i < words.n; i++)
        is_good = cell_i64(words.cell[i], &us[i]) && us[i] >= 0 && us[i] < INT64_MAX / 1000;
    cells_release(&words);
    return is_good;
}

/* The titles, set apart by two blanks or a tab; a corner above the labels may be one of them. */
static bool read_titles(const struct line *line, struct cells *titles)
{
    cells_clear(titles);
    for (size_t i = 0; i < line->length && titles->n <= MAX_SIDES;) {
        while (i < line->length && strchr(" \t", line->text[i]))
            i++;
        size_t begin = i;
        while (i < line->length && line->text[i] != '\t' && !(line->text[i] == ' ' && i + 1 < line->length && line->text[i + 1] == ' '))
            i++;
        if (i > begin)
            cells_add(titles, line->text + begin, i - begin);
    }
    uint64_t number;
    bool is_good = titles->n >= 2 && titles->n <= MAX_SIDES + 1;
    for (size_t i = 0; i < titles->n; i++)
        is_good &= titles->cell[i].length < 60 && !cell_u64(titles->cell[i], &number) && !memchr(titles->cell[i].text, ':', titles->cell[i].length);
    return is_good;
}

/* The row at line *k or behind a blank one. */
static bool next_row(struct lines *lines, size_t *k, enum row *row, struct cell *label, int64_t us[MAX_SIDES], size_t *n)
{
    struct line line;
    for (size_t n_blank = 0; lines_peek(lines, *k, &line) && line_is_blank(&line) && n_blank < MAX_BLANKS; n_blank++)
        ++*k;
    if (!lines_peek(lines, *k, &line) || !read_row(&line, row, label, us, n))
        return false;
    ++*k;
    return true;
}

/* The titles stand above the first row, behind blank lines at most; as many as there are columns, and maybe a corner. */
static bool find_titles(struct lines *lines, struct sides *sides)
{
    struct line line;
    struct cells titles = {0};
    size_t k = 1;
    while (k <= MAX_BLANKS && reported_line_before(lines, k, &line) && line_is_blank(&line))
        k++;
    bool is_there = reported_line_before(lines, k, &line) && line.length >= 5 && line.length <= 400 && read_titles(&line, &titles) &&
                    (titles.n == sides->n || titles.n == sides->n + 1);
    for (size_t i = 0; is_there && i < sides->n; i++)
        cell_copy(cell_trim(titles.cell[i + titles.n - sides->n]), sides->name[i], sizeof sides->name[0]);
    cells_release(&titles);
    return is_there;
}

static bool read_sides(struct lines *lines, struct sides *sides)
{
    struct line line;
    struct cell label;
    enum row row;
    int64_t us[MAX_SIDES];
    size_t n, k = 0;
    memset(sides, 0, sizeof *sides);
    if (!lines_peek(lines, 0, &line) || line_is_blank(&line) || !next_row(lines, &k, &row, &label, us, &n))
        return false;
    sides->n = n;
    if (!find_titles(lines, sides))
        return false;
    for (;;) {
        struct group *group = sides->n_groups ? &sides->group[sides->n_groups - 1] : NULL;
        bool is_other = !group || group->has[row] || (row == ROW_MIN && (group->has[ROW_AVG] || group->has[ROW_MAX]));
        if (is_other && sides->n_groups == MAX_GROUPS)
            break;
        group = is_other ? &sides->group[sides->n_groups++] : group;
        group->has[row] = true;
        memcpy(group->us[row], us, sizeof us);
        if (label.length && !group->label[0])
            cell_copy(label, group->label, sizeof group->label);
        sides->n_lines = k;
        if (!next_row(lines, &k, &row, &label, us, &n) || n != sides->n)
            break;
    }
    return true;
}

static void find_command(struct lines *lines, struct tool_command *command)
{
    struct line line;
    tool_command_clear(command);
    for (size_t k = 1; k <= TOOL_LINES && reported_line_before(lines, k, &line); k++)
        if (line.length < 1000 && tool_command_find(line.text, line.length, "cyclictest", command))
            return;
}

static struct probe_result summary_columns_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct sides sides;
    return (struct probe_result){read_sides(lines, &sides) ? LIKELY + 5 : NOT_MINE, NULL};
}

static void store_side(struct import *import, const struct sides *sides, size_t side, const struct tool_command *command)
{
    reported_run(import, sides->name[side]);
    import_fact(import, "configuration", "%s", sides->name[side]);
    for (size_t g = 0; g < sides->n_groups; g++) {
        const struct group *group = &sides->group[g];
        char name[80];
        if (group->label[0])
            snprintf(name, sizeof name, "%s", group->label);
        else
            snprintf(name, sizeof name, "T%zu", g);
        struct series series = series_unknown();
        series.name = name;
        series.tool = series.comm = "cyclictest";
        series.path = PATH_TIMER_WAKEUP;
        series.resolution_ns = 1000;
        if (tool_command_is_known(command))
            series.interval_ns = command->interval_ns != NS_UNKNOWN ? command->interval_ns : 1000000; /* its default */
        if (command->priority != PRIO_UNKNOWN)
            series.priority = (int32_t)command->priority;
        series.policy = command->policy;
        series.min_ns = group->has[ROW_MIN] ? group->us[ROW_MIN][side] * 1000 : NS_UNKNOWN;
        series.max_ns = group->has[ROW_MAX] ? group->us[ROW_MAX][side] * 1000 : NS_UNKNOWN;
        if (group->has[ROW_AVG])
            series.avg_ns = (double)group->us[ROW_AVG][side] * 1000;
        import_series(import, &series);
    }
    if (tool_command_is_known(command))
        tool_command_facts(import, "cyclictest", command);
}

static enum status summary_columns_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct sides sides;
    struct tool_command command;
    if (!read_sides(lines, &sides)) {
        lines_skip(lines, 1);
        return OK;
    }
    find_command(lines, &command);
    for (size_t side = 0; side < sides.n; side++)
        store_side(import, &sides, side, &command);
    lines_skip(lines, sides.n_lines);
    return OK;
}

static const char *const summary_columns_marks[] = {"latenc", NULL};

const struct importer importer_summary_columns = {
    .name = "cyclictest-columns",
    .summary = "summaries of cyclictest side by side, a configuration a column",
    .reads = "titles, then rows '# Min Latencies: 00006 00007', '# Avg', '# Max', with labels in front or not",
    .marks = summary_columns_marks,
    .probe_lines = summary_columns_probe,
    .read_lines = summary_columns_read,
};
