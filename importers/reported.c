/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of results as people put them into mails. Three shapes:
 *
 *     [15' 0"] RD_MIN | RD_MAX |  R_AVG  | WR_MIN | WR_MAX |  WR_AVG     posix_test; more rows may follow without
 *     --------------------------------------------------------------     the heading; the line above names the run
 *                   7 |     49 |   9.100 |      5 |     46 |  6.464
 *
 *       |  Min(usec)  |  Max(usec)                                       a letter or a word in front names the run
 *     A |  3.1985     |  105.33
 *
 *     Configuration                    Duration (uS)                     rows are configurations: a run each
 *                              Min       Mean      Max
 *     Vanilla                  9.9       16.8     30.8
 *
 * and single values, "write latency: 8235.083 us". A table that names no unit is taken to be in us, and says so. A table
 * quoted again by a later mail is read once.
 */
#include "importers/reported.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const struct importer importer_reported;

#define MAX_COLUMNS 16
#define MAX_GROUPS  8
enum statistic { STAT_NONE, STAT_MIN, STAT_AVG, STAT_MAX };

struct column {
    enum statistic statistic;
    size_t group;
};
struct heading {
    struct column column[MAX_COLUMNS];
    size_t n_columns, n_groups;
    char group[MAX_GROUPS][24]; /* "RD"; "" if the table has one value only */
    int digits;                 /* of the unit: 10^digits ns; -1: not stated */
    int64_t duration_ns;
    bool is_pipes;
};
struct state {
    struct heading last;        /* of a table with pipes: rows may come without it */
    bool has_last;
    char machine[120];
    uint64_t seen[256];         /* hashes of rows with their run's label */
    size_t n_seen;
};

static bool equals_nocase(struct cell cell, const char *word)
{
    return cell.length == strlen(word) && strncasecmp(cell.text, word, cell.length) == 0;
}

/* "(usec)", "(uS)", "[us]", "us": 10^n ns; -1 for no unit. */
int reported_unit_digits(struct cell text)
{
    static const struct {
        const char *name;
        int digits;
    } units[] = {{"usec", 3}, {"usecs", 3}, {"us", 3}, {"\xc2\xb5s", 3}, {"\xce\xbcs", 3}, {"microseconds", 3},
                 {"nsec", 0}, {"ns", 0},    {"ms", 6}, {"msec", 6},      {"milliseconds", 6}, {"s", 9}, {"sec", 9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (equals_nocase(text, units[i].name))
            return units[i].digits;
    return -1;
}

/* The unit in brackets at the end of a title, cut off from it. */
static int take_unit(struct cell *title)
{
    if (!title->length || (title->text[title->length - 1] != ')' && title->text[title->length - 1] != ']'))
        return -1;
    size_t open = title->length;
    while (open > 0 && title->text[open - 1] != '(' && title->text[open - 1] != '[')
        open--;
    if (!open)
        return -1;
    int digits = reported_unit_digits(cell_trim((struct cell){title->text + open, title->length - open - 1}));
    if (digits >= 0)
        *title = cell_trim(cell_first(*title, open - 1));
    return digits;
}

/* "RD_MIN": statistic and group "RD". */
static enum statistic statistic_of(struct cell title, struct cell *group)
{
    static const struct {
        const char *word;
        enum statistic statistic;
    } words[] = {{"min", STAT_MIN}, {"minimum", STAT_MIN}, {"avg", STAT_AVG},     {"average", STAT_AVG},
                 {"mean", STAT_AVG}, {"max", STAT_MAX},    {"maximum", STAT_MAX}, {"worst", STAT_MAX}};
    size_t end = title.length;
    while (end > 0 && title.text[end - 1] != '_' && title.text[end - 1] != ' ')
        end--;
    struct cell word = cell_from(title, end);
    *group = end ? cell_first(title, end - 1) : (struct cell){"", 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (equals_nocase(word, words[i].word))
            return words[i].statistic;
    return STAT_NONE;
}

/* "[15' 0\"]" in front of the first title. */
static void take_elapsed(struct cell *title, int64_t *duration_ns)
{
    unsigned minutes, seconds;
    int n = 0;
    char text[40];
    if (title->length && title->text[0] == '[' &&
        sscanf(cell_copy(*title, text, sizeof text), "[%u' %u\"]%n", &minutes, &seconds, &n) == 2 && n && minutes < 1000000 && seconds < 60) {
        *duration_ns = (int64_t)(minutes * UINT64_C(60) + seconds) * 1000000000;
        *title = cell_trim(cell_from(*title, (size_t)n));
    }
}

/* A column's group: that of a name which begins alike ("R" of R_AVG is "RD"). */
static size_t find_group(struct heading *heading, struct cell name)
{
    for (size_t i = 0; i < heading->n_groups; i++) {
        size_t own = strlen(heading->group[i]), n = own < name.length ? own : name.length;
        if ((n && memcmp(heading->group[i], name.text, n) == 0) || (!own && !name.length))
            return i;
    }
    if (heading->n_groups < MAX_GROUPS)
        cell_copy(name, heading->group[heading->n_groups++], sizeof heading->group[0]);
    return heading->n_groups - 1;
}

static bool add_title(struct heading *heading, struct cell title)
{
    struct cell group;
    int digits = take_unit(&title);
    if (digits >= 0)
        heading->digits = digits;
    if (heading->n_columns == MAX_COLUMNS)
        return false;
    enum statistic statistic = statistic_of(title, &group);
    if (statistic == STAT_NONE || group.length > 20)
        return false;
    struct column *column = &heading->column[heading->n_columns++];
    column->statistic = statistic;
    column->group = find_group(heading, group);
    return true;
}

static bool has_extremes(const struct heading *heading)
{
    bool has_min = false, has_max = false;
    for (size_t i = 0; i < heading->n_columns; i++) {
        has_min |= heading->column[i].statistic == STAT_MIN;
        has_max |= heading->column[i].statistic == STAT_MAX;
    }
    return has_min && has_max;
}

static bool read_heading(const struct line *line, struct heading *heading)
{
    struct cell text = cell_trim(cell_of(line));
    struct cells parts = {0};
    *heading = (struct heading){.digits = -1, .duration_ns = NS_UNKNOWN};
    if (text.length < 7 || text.length > 200)
        return false;
    heading->is_pipes = memchr(text.text, '|', text.length) != NULL;
    bool is_good = true;
    if (heading->is_pipes) {
        take_elapsed(&text, &heading->duration_ns);
        cells_add_parts(&parts, text.text, text.length, '|');
        for (size_t i = 0; is_good && i < parts.n; i++)
            if (parts.cell[i].length || i) /* the first part may be the empty corner */
                is_good = add_title(heading, parts.cell[i]);
    } else {
        /* Most lines with "min" or "max" in them are sentences: the first word tells. */
        size_t length = 0;
        while (length < text.length && text.text[length] != ' ' && text.text[length] != '\t')
            length++;
        struct cell first = cell_first(text, length), group;
        take_unit(&first);
        if (statistic_of(first, &group) == STAT_NONE)
            return false;
        cells_add_words(&parts, text.text, text.length);
        for (size_t i = 0; is_good && i < parts.n; i++)
            is_good = add_title(heading, parts.cell[i]);
    }
    cells_release(&parts);
    return is_good && heading->n_columns >= 2 && has_extremes(heading);
}

/* A row: what stands in front of its numbers, and these. */
static bool read_row(const struct line *line, const struct heading *heading, struct cell *label, int64_t values_ns[MAX_COLUMNS])
{
    struct cell text = cell_trim(cell_of(line));
    struct cells parts = {0};
    int digits = heading->digits < 0 ? 3 : heading->digits;
    if (heading->is_pipes)
        cells_add_parts(&parts, text.text, text.length, '|');
    else
        cells_add_words(&parts, text.text, text.length);
    bool is_row = parts.n >= heading->n_columns && (!heading->is_pipes || parts.n <= heading->n_columns + 1);
    size_t first = is_row ? parts.n - heading->n_columns : 0;
    for (size_t i = 0; is_row && i < heading->n_columns; i++)
        is_row = cell_ns(parts.cell[first + i], digits, &values_ns[i]);
    *label = (struct cell){"", 0};
    if (is_row && first) {
        const struct cell *last = &parts.cell[first - 1];
        *label = (struct cell){text.text, (size_t)(last->text + last->length - text.text)};
        uint64_t number;
        is_row = label->length < 100 && !cell_u64(*label, &number);
    } else if (is_row && !heading->is_pipes) {
        is_row = false; /* bare numbers may be anything */
    }
    cells_release(&parts);
    return is_row;
}

static bool is_rule(struct cell text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!strchr("-=_*+|", text.text[i]))
            return false;
    return text.length > 3;
}

/* ---- whose results ---- */

/* "Cobalt:" above the table. */
static bool label_above(struct lines *lines, char *label, size_t size)
{
    struct line line;
    for (size_t k = 1; k <= 3 && reported_line_before(lines, k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (!text.length || is_rule(text))
            continue;
        if (!cell_ends(text, ":") || text.length > 100)
            return false;
        text = cell_first(text, text.length - 1);
        while (text.length && strchr("*- ", text.text[0]))
            text = cell_from(text, 1);
        cell_copy(text, label, size);
        return text.length > 0;
    }
    return false;
}

/* "On imx6qp (quad-core ARM Cortex A9 1.2Ghz), under stress load": the machine, up to the comma outside of brackets. */
static void find_machine(struct lines *lines, struct state *state)
{
    struct line line;
    for (size_t k = 1; k <= 10 && reported_line_before(lines, k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (!cell_starts(text, "On ") || text.length < 8)
            continue;
        size_t n = 3;
        int depth = 0;
        for (; n < text.length && !(depth == 0 && text.text[n] == ','); n++)
            depth += text.text[n] == '(' ? 1 : text.text[n] == ')' ? -1 : 0;
        struct cell name = cell_from(cell_first(text, n), 3);
        struct cell without = name; /* "x86_64 with the exact same code" */
        const char *with = memmem(name.text, name.length, " with ", 6);
        if (with)
            without = cell_first(name, (size_t)(with - name.text));
        cell_copy(without, state->machine, sizeof state->machine);
        return;
    }
}

static uint64_t hash_of(const void *bytes, size_t n, uint64_t hash)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same row of the same run was read already: a quotation. */
static bool is_quoted_again(struct state *state, struct cell label, const char *run_label, const int64_t *values_ns, size_t n)
{
    uint64_t hash = hash_of(label.text, label.length, UINT64_C(0xcbf29ce484222325));
    hash = hash_of(run_label, strlen(run_label), hash);
    hash = hash_of(values_ns, n * sizeof *values_ns, hash);
    for (size_t i = 0; i < state->n_seen; i++)
        if (state->seen[i] == hash)
            return true;
    if (state->n_seen < sizeof state->seen / sizeof *state->seen)
        state->seen[state->n_seen++] = hash;
    return false;
}

/* ---- store ---- */

struct table {
    struct heading heading;
    char name[100];      /* what the values are: "irLat", "Duration" */
    char run_label[240]; /* from above, "" none */
    uint64_t line;
};

static enum measure_path path_of(const struct table *table, const char *group)
{
    if (strcasestr(table->name, "irq") || strcasestr(table->name, "interrupt") || strcasestr(table->name, "irlat"))
        return PATH_IRQ_RESPONSE;
    /* posix_test: the time of a read() or write() */
    if (!strcmp(group, "RD") || !strcmp(group, "WR"))
        return PATH_CALL_DURATION;
    return PATH_UNKNOWN;
}

static void store_row(struct import *import, const struct table *table, const int64_t *values_ns)
{
    const struct heading *heading = &table->heading;
    for (size_t g = 0; g < heading->n_groups; g++) {
        const char *group = heading->group[g];
        struct series series = series_unknown();
        series.name = !strcmp(group, "RD") ? "read" : !strcmp(group, "WR") ? "write" : group[0] ? group : table->name[0] ? table->name : "value";
        series.tool = !strcmp(group, "RD") || !strcmp(group, "WR") ? "posix_test" : heading->is_pipes && table->name[0] ? table->name : "table";
        series.path = path_of(table, group);
        series.duration_ns = heading->duration_ns;
        if (heading->digits < 0)
            series.unit_evidence = "the table names no unit: us assumed";
        for (size_t i = 0; i < heading->n_columns; i++) {
            if (heading->column[i].group != g)
                continue;
            if (heading->column[i].statistic == STAT_MIN)
                series.min_ns = values_ns[i];
            else if (heading->column[i].statistic == STAT_MAX)
                series.max_ns = values_ns[i];
            else
                series.avg_ns = (double)values_ns[i];
        }
        bool is_false = (series.min_ns != NS_UNKNOWN && series.max_ns != NS_UNKNOWN && series.min_ns > series.max_ns) ||
                        (series.min_ns != NS_UNKNOWN && series.avg_ns < (double)series.min_ns) ||
                        (series.max_ns != NS_UNKNOWN && series.avg_ns > (double)series.max_ns);
        if (is_false)
            import_note(import, "counts-mismatch", table->line, "minimum, average and maximum of a row are not in order");
        import_series(import, &series);
    }
}

static void choose_run(struct import *import, const struct table *table, struct cell label)
{
    if (label.length == 1 && candidate_switch(import, label.text[0]))
        return;
    char text[400];
    if (label.length)
        snprintf(text, sizeof text, "%.*s%s%s", CELL_ARGS(label), table->run_label[0] ? ", " : "", table->run_label);
    else if (table->run_label[0])
        snprintf(text, sizeof text, "%s", table->run_label);
    else
        return;
    reported_run(import, text);
    import_fact(import, "configuration", "%s", text);
}

static enum status read_table(struct import *import, struct lines *lines)
{
    struct state *state = import_state(import, &importer_reported, sizeof *state);
    struct table table = {.line = lines_number(lines)};
    struct line line, above;
    lines_peek(lines, 0, &line);
    char label_text[120] = "";
    bool has_label = label_above(lines, label_text, sizeof label_text);
    bool has_heading = read_heading(&line, &table.heading);
    if (has_heading && !table.heading.is_pipes && reported_line_before(lines, 1, &above)) {
        /* the title line above: "Configuration     Duration (uS)" */
        struct cell title = cell_trim(cell_of(&above));
        int digits = take_unit(&title);
        if (digits >= 0)
            table.heading.digits = digits;
        size_t begin = title.length;
        while (begin > 0 && title.text[begin - 1] != ' ')
            begin--;
        if (digits >= 0)
            cell_copy(cell_from(title, begin), table.name, sizeof table.name);
    }
    if (table.heading.is_pipes || !has_heading)
        find_machine(lines, state);
    if (has_heading) {
        lines_skip(lines, 1);
        if (table.heading.is_pipes) {
            state->last = table.heading;
            state->has_last = true;
        }
    } else {
        table.heading = state->last;
    }
    bool is_first = true;
    for (;; lines_skip(lines, 1)) {
        int64_t values_ns[MAX_COLUMNS];
        struct cell label;
        if (!lines_peek(lines, 0, &line))
            break;
        if (is_first && is_rule(cell_trim(cell_of(&line))))
            continue;
        if (!read_row(&line, &table.heading, &label, values_ns))
            break;
        if (is_first && has_label && label.length)
            cell_copy((struct cell){label_text, strlen(label_text)}, table.name, sizeof table.name);
        else if (is_first && has_label)
            snprintf(table.run_label, sizeof table.run_label, "%s%s%s", label_text, state->machine[0] ? " on " : "", state->machine);
        is_first = false;
        if (is_quoted_again(state, label, table.run_label, values_ns, table.heading.n_columns))
            continue;
        choose_run(import, &table, label);
        if (state->machine[0] && table.heading.is_pipes && !label.length)
            import_fact(import, "machine", "%s", state->machine);
        if (table.heading.digits < 0)
            import_note(import, "unit-assumed", table.line, "the table names no unit: us assumed");
        store_row(import, &table, values_ns);
    }
    return OK;
}

/* ---- single values ---- */

/* "write latency: 8235.083 us" and nothing else. */
static bool read_value(const struct line *line, struct cell *name, int64_t *ns)
{
    struct cell text = cell_trim(cell_of(line));
    const char *colon = memchr(text.text, ':', text.length);
    if (!colon || text.length > 80)
        return false;
    *name = cell_trim(cell_first(text, (size_t)(colon - text.text)));
    if (!cell_ends(*name, "latency") || name->length > 40)
        return false;
    struct cell rest = cell_trim(cell_from(text, (size_t)(colon - text.text) + 1));
    size_t n = 0;
    while (n < rest.length && ((rest.text[n] >= '0' && rest.text[n] <= '9') || rest.text[n] == '.'))
        n++;
    int digits = reported_unit_digits(cell_trim(cell_from(rest, n)));
    return digits >= 0 && cell_ns(cell_first(rest, n), digits, ns);
}

static enum status read_values(struct import *import, struct lines *lines)
{
    struct line line;
    struct cell name;
    int64_t ns;
    for (size_t k = 1; k <= 3 && reported_line_before(lines, k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (!text.length || is_rule(text))
            continue;
        if (k > 1 && text.length < 100) {
            char label[120];
            reported_run(import, cell_copy(text, label, sizeof label));
            import_fact(import, "configuration", "%s", label);
        }
        break;
    }
    for (; lines_peek(lines, 0, &line) && read_value(&line, &name, &ns); lines_skip(lines, 1)) {
        char text[64];
        struct series series = series_unknown();
        series.name = cell_copy(name, text, sizeof text);
        series.tool = "application";
        series.path = strstr(text, "read") || strstr(text, "write") ? PATH_CALL_DURATION : PATH_UNKNOWN;
        series.n_samples = 1;
        series.min_ns = series.max_ns = ns;
        series.avg_ns = (double)ns;
        uint32_t index = import_series(import, &series);
        store_add_sample(import->store, index, &(struct sample){NS_UNKNOWN, 0, ns});
        import_note(import, "not-measured", line.number, "a single value: of how many samples, and which of them, is not said");
    }
    return OK;
}

/* ---- importer ---- */

static bool is_bare_row(struct lines *lines, struct heading *heading)
{
    /* a heading in the lines before (probes have no state): rows of the same number of columns, at most 40 lines on */
    struct line line, row;
    if (!lines_peek(lines, 0, &row) || row.length > 200 || !line_has(&row, "|"))
        return false;
    struct cell text = cell_trim(cell_of(&row));
    if (!text.length || text.text[0] < '0' || text.text[0] > '9')
        return false;
    for (size_t k = 1; k <= 40 && reported_line_before(lines, k, &line); k++)
        if (line_has(&line, "|") && read_heading(&line, heading) && heading->is_pipes) {
            struct cell label;
            int64_t values_ns[MAX_COLUMNS];
            return read_row(&row, heading, &label, values_ns) && !label.length;
        }
    return false;
}

static struct probe_result reported_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    struct heading heading;
    struct cell label;
    int64_t values_ns[MAX_COLUMNS];
    if (!lines_peek(lines, 0, &line) || line.length < 7 || line.length > 400)
        return (struct probe_result){NOT_MINE, NULL};
    if (read_heading(&line, &heading)) {
        for (size_t k = 1; k <= 2 && lines_peek(lines, k, &line); k++)
            if (read_row(&line, &heading, &label, values_ns))
                return (struct probe_result){PLAUSIBLE, NULL};
        return (struct probe_result){NOT_MINE, NULL};
    }
    if (line_has(&line, "latency:") && read_value(&line, &label, &values_ns[0]))
        return (struct probe_result){UNLIKELY, NULL};
    return (struct probe_result){is_bare_row(lines, &heading) ? UNLIKELY : NOT_MINE, NULL};
}

static enum status reported_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line line;
    struct cell name;
    int64_t ns;
    size_t before = lines_tell(lines);
    lines_peek(lines, 0, &line);
    enum status status = read_value(&line, &name, &ns) ? read_values(import, lines) : read_table(import, lines);
    if (lines_tell(lines) == before)
        lines_skip(lines, 1);
    return status;
}

static const char *const reported_marks[] = {"min", "max", "worst", "latency:", "|", NULL};

const struct importer importer_reported = {
    .name = "reported-table",
    .summary = "tables of minimum, average and maximum in mails; posix_test, irLat",
    .reads = "columns RD_MIN | RD_MAX | R_AVG, Min(usec) | Max(usec), Min Mean Max below a title with a unit; 'X latency: N us'",
    .probe_lines = reported_probe,
    .read_lines = reported_read,
    .marks = reported_marks,
};
