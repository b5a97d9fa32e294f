/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What people's own programs print of their periods and wakeups:
 *
 *     min/avg/max = 3/8/42 us                              one line
 *     min=30015 ns, avg=36437 ns, max=62625 ns             one line
 *     min jitter (ns): 812                                 a line each, with counts between or not
 *     max jitter (ns): 76089
 *
 * Taken only with a unit, with a maximum and a minimum or average, and where the lines or those above speak of latency or
 * jitter. Round trips of ping are no latency of this system.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "importers/grid.h"
#include "importers/reported.h"
#include "importers/tool_command.h"

const struct importer importer_stat_lines;

#define MAX_LINES   16 /* of one block */
#define MAX_VALUES  8  /* of one line */
#define MAX_CONTEXT 4  /* lines above that say what the values are */

struct statistics {
    int64_t min_ns, avg_ns, max_ns;
    uint64_t n_samples;
    size_t n_lines;
    char name[80];
};

static bool speaks_of_latency(struct cell text)
{
    static const char *const words[] = {"latenc", "jitter", "delay", "wakeup", "wake-up", "cyclictest", "response time", "lateness",
                                        "\xe5\xbb\xb6\xe8\xbf\x9f", "\xe6\x8a\x96\xe5\x8a\xa8"};
    char copy[240];
    cell_copy(text, copy, sizeof copy);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(copy, words[i]))
            return true;
    return false;
}

static bool is_foreign(struct cell text)
{
    static const char *const words[] = {"rtt", "round-trip", "{", "}", "printf", ";", "|", "\\n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cell_has(text, words[i]))
            return true;
    return text.length < 6 || text.length > 160;
}

static void set(struct statistics *s, enum grid_kind kind, int64_t ns)
{
    int64_t *to = kind == GRID_MIN ? &s->min_ns : kind == GRID_AVG ? &s->avg_ns : &s->max_ns;
    if (*to == NS_UNKNOWN)
        *to = ns;
}

static bool is_whole(const struct statistics *s)
{
    return s->max_ns != NS_UNKNOWN && (s->min_ns != NS_UNKNOWN || s->avg_ns != NS_UNKNOWN);
}

static struct statistics nothing(void)
{
    return (struct statistics){.min_ns = NS_UNKNOWN, .avg_ns = NS_UNKNOWN, .max_ns = NS_UNKNOWN, .n_samples = COUNT_UNKNOWN};
}

/* The last word as a unit; cut off from the text. */
static int take_last_unit(struct cell *text)
{
    size_t begin = text->length;
    while (begin > 0 && text->text[begin - 1] != ' ')
        begin--;
    int digits = begin ? reported_unit_digits(cell_from(*text, begin)) : -1;
    if (digits >= 0)
        *text = cell_trim(cell_first(*text, begin));
    return digits;
}

/* "min/avg/max = 3/8/42 us" */
static bool read_strokes(struct cell text, struct statistics *s)
{
    const char *equals = memchr(text.text, '=', text.length);
    if (!equals)
        equals = memchr(text.text, ':', text.length);
    if (!equals)
        return false;
    struct cell names = cell_trim(cell_first(text, (size_t)(equals - text.text)));
    struct cell values = cell_trim(cell_from(text, (size_t)(equals - text.text) + 1));
    int digits = take_last_unit(&values);
    size_t begin = names.length;
    while (begin > 0 && names.text[begin - 1] != ' ')
        begin--;
    cell_copy(cell_trim(cell_first(names, begin)), s->name, sizeof s->name);
    struct cells name = {0}, value = {0};
    cells_add_parts(&name, names.text + begin, names.length - begin, '/');
    cells_add_parts(&value, values.text, values.length, '/');
    bool is_good = digits >= 0 && name.n >= 2 && name.n == value.n;
    for (size_t i = 0; is_good && i < name.n; i++) {
        struct grid_title title = grid_title_of(name.cell[i]);
        int64_t ns;
        bool has_unit;
        if (grid_is_value(title.kind) && (is_good = grid_value(value.cell[i], digits, false, &ns, &has_unit)))
            set(s, title.kind, ns);
    }
    cells_release(&name);
    cells_release(&value);
    s->n_lines = 1;
    return is_good && is_whole(s);
}

/* "min=30015 ns, avg=36437 ns, max=62625 ns"; "Min: 5 us Avg: 7 us Max: 30 us" */
static bool read_pairs(struct cell text, struct statistics *s)
{
    size_t n = 0, first = 0;
    for (size_t i = 0; i < text.length && n < MAX_VALUES;) {
        size_t word = i;
        while (i < text.length && isalpha((unsigned char)text.text[i]))
            i++;
        if (i == word) {
            i++;
            continue;
        }
        struct grid_title title = grid_title_of((struct cell){text.text + word, i - word});
        bool is_bare = grid_is_value(title.kind) && !title.group[0] && (word == 0 || !strchr("_/", text.text[word - 1]));
        size_t p = i;
        while (p < text.length && strchr(" =:", text.text[p]))
            p++;
        size_t end = p;
        while (end < text.length && (isdigit((unsigned char)text.text[end]) || text.text[end] == '.'))
            end++;
        if (!is_bare || p == i || end == p)
            continue;
        size_t unit = end;
        while (unit < text.length && text.text[unit] == ' ')
            unit++;
        size_t unit_end = unit;
        while (unit_end < text.length && (isalpha((unsigned char)text.text[unit_end]) || (unsigned char)text.text[unit_end] >= 0x80))
            unit_end++;
        int64_t ns;
        bool has_unit;
        int digits = reported_unit_digits((struct cell){text.text + unit, unit_end - unit});
        if (digits < 0 || !grid_value((struct cell){text.text + p, end - p}, digits, false, &ns, &has_unit))
            return false; /* cycles, or a unit that is said elsewhere */
        first = n++ ? first : word;
        set(s, title.kind, ns);
        i = unit_end;
    }
    struct cell name = cell_trim(cell_first(text, first));
    while (name.length && strchr(":-=,([", name.text[name.length - 1]))
        name = cell_trim(cell_first(name, name.length - 1));
    cell_copy(name, s->name, sizeof s->name);
    s->n_lines = 1;
    return n >= 2 && is_whole(s);
}

/* "min jitter (ns): 812": a title and its value. */
static bool read_titled(struct cell text, struct grid_title *title, struct cell *value)
{
    const char *colon = memchr(text.text, ':', text.length);
    if (!colon)
        colon = memchr(text.text, '=', text.length);
    if (!colon || colon == text.text || is_foreign(text))
        return false;
    struct cell name = cell_trim(cell_first(text, (size_t)(colon - text.text)));
    *value = cell_trim(cell_from(text, (size_t)(colon - text.text) + 1));
    *title = grid_title_of(name);
    return name.length < 60 && value->length > 0;
}

/* A block of such lines; the unit may stand in titles, in values or in the line above. */
static bool read_block(struct lines *lines, int unit_above, struct statistics *s)
{
    struct line line;
    char group[GRID_GROUP_BYTES] = "";
    bool speaks = false;
    for (size_t k = 0; k < MAX_LINES && lines_peek(lines, k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line)), value;
        struct grid_title title;
        if (!read_titled(text, &title, &value))
            break;
        int64_t ns;
        bool has_unit;
        if (grid_is_value(title.kind)) {
            int digits = title.digits >= 0 ? title.digits : unit_above;
            if (s->n_lines == 0)
                snprintf(group, sizeof group, "%s", title.group);
            else if (strcasecmp(group, title.group) != 0)
                break; /* of something else */
            if (!grid_value(value, digits, false, &ns, &has_unit) || (digits < 0 && !has_unit))
                break;
            set(s, title.kind, ns);
            speaks |= title.speaks_of_latency;
        } else if (title.kind == GRID_COUNT) {
            grid_count(value, &s->n_samples);
        } else if (k == 0) {
            break; /* begins with something else */
        }
        s->n_lines = k + 1;
        if (s->min_ns != NS_UNKNOWN && s->avg_ns != NS_UNKNOWN && s->max_ns != NS_UNKNOWN && s->n_samples != COUNT_UNKNOWN)
            break;
    }
    snprintf(s->name, sizeof s->name, "%s", group);
    return is_whole(s) && s->n_lines >= 2 && (speaks || unit_above >= 0 || s->name[0]);
}

/* What the lines above say: whether of latency, a name, a unit ("Latency (us):"). */
static bool look_above(struct lines *lines, char *name, size_t size, int *unit)
{
    struct line line;
    bool speaks = false;
    *unit = -1;
    name[0] = '\0';
    for (size_t k = 1; k <= MAX_CONTEXT && reported_line_before(lines, k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (text.length > 300)
            break;
        speaks |= speaks_of_latency(text);
        while (text.length && strchr(":=-[]", text.text[text.length - 1]))
            text = cell_trim(cell_first(text, text.length - 1));
        while (text.length && strchr("[#*=- ", text.text[0]))
            text = cell_from(text, 1);
        if (!text.length || name[0] || !speaks_of_latency(text) || text.length >= size)
            continue;
        *unit = grid_title_of(text).digits;
        cell_copy(text, name, size);
    }
    return speaks;
}

static bool read_any(struct lines *lines, struct statistics *s)
{
    struct line line;
    char name[80];
    int unit;
    if (!lines_peek(lines, 0, &line) || line.length > 200)
        return false;
    struct cell text = cell_trim(cell_of(&line));
    while (text.length && strchr("-*>", text.text[0]))
        text = cell_trim(cell_from(text, 1));
    if (is_foreign(text))
        return false;
    bool speaks = look_above(lines, name, sizeof name, &unit) || speaks_of_latency(text);
    *s = nothing();
    bool is_good = speaks && read_strokes(text, s);
    if (!is_good) {
        *s = nothing();
        is_good = speaks && read_pairs(text, s);
    }
    if (!is_good) {
        *s = nothing();
        is_good = speaks && read_block(lines, unit, s);
    }
    if (is_good && !s->name[0])
        snprintf(s->name, sizeof s->name, "%s", name);
    return is_good;
}

static struct probe_result stat_lines_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct statistics s;
    return (struct probe_result){read_any(lines, &s) ? UNLIKELY + 5 : NOT_MINE, NULL};
}

/* Of cyclictest, if it is named there: with its command. */
static bool find_tool(struct lines *lines, struct tool_command *command)
{
    struct line line;
    bool is_cyclictest = false;
    tool_command_clear(command);
    for (size_t k = 0; k <= MAX_CONTEXT; k++) {
        if (k ? !reported_line_before(lines, k, &line) : !lines_peek(lines, 0, &line))
            break;
        is_cyclictest |= line.length < 300 && line_has(&line, "cyclictest");
        if (line.length < 300 && tool_command_find(line.text, line.length, "cyclictest", command))
            break;
    }
    return is_cyclictest;
}

static enum status stat_lines_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct statistics s;
    if (!read_any(lines, &s)) {
        lines_skip(lines, 1);
        return OK;
    }
    struct series series = series_unknown();
    series.name = s.name[0] ? s.name : "value";
    struct tool_command command;
    bool is_cyclictest = find_tool(lines, &command);
    series.tool = is_cyclictest ? "cyclictest" : "application";
    series.path = is_cyclictest ? PATH_TIMER_WAKEUP : PATH_UNKNOWN;
    if (is_cyclictest) {
        series.name = "value";
        series.interval_ns = command.interval_ns;
        series.priority = command.priority == PRIO_UNKNOWN ? PRIO_UNKNOWN : (int32_t)command.priority;
    }
    series.min_ns = s.min_ns;
    series.max_ns = s.max_ns;
    series.n_samples = s.n_samples;
    if (s.avg_ns != NS_UNKNOWN)
        series.avg_ns = (double)s.avg_ns;
    bool is_false = (s.min_ns != NS_UNKNOWN && s.min_ns > s.max_ns) || (s.avg_ns != NS_UNKNOWN && s.avg_ns > s.max_ns) ||
                    (s.min_ns != NS_UNKNOWN && s.avg_ns != NS_UNKNOWN && s.avg_ns < s.min_ns);
    if (is_false)
        import_note(import, "counts-mismatch", lines_number(lines), "minimum, average and maximum are not in order");
    import_series(import, &series);
    if (tool_command_is_known(&command))
        tool_command_facts(import, "cyclictest", &command);
    lines_skip(lines, s.n_lines);
    return OK;
}

static const char *const stat_lines_marks[] = {"min", "max", "avg", "average", "mean", "worst", NULL};

const struct importer importer_stat_lines = {
    .name = "statistics",
    .summary = "minimum, average and maximum as programs of one's own print them",
    .reads = "min/avg/max = 3/8/42 us; min=3 us avg=8 us max=42 us; a line each with a unit; where latency or jitter is spoken of",
    .marks = stat_lines_marks,
    .probe_lines = stat_lines_probe,
    .read_lines = stat_lines_read,
};
