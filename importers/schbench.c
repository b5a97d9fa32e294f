/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schbench: wakeup latencies of its workers, and since 2023 how long their requests took.
 *
 *     Latency percentiles (usec)                                         Latency percentiles (usec) runtime 30 (s) (1000 total samples)
 *             50.0000th: 87                                                      50.0th: 180 (502 samples)
 *             *99.0000th: 185                                                    *99.0th: 338 (41 samples)
 *             min=0, max=8165                                                    min=25, max=1185
 *
 *     Wakeup Latencies percentiles (usec) runtime 30 (s) (35341 total samples)
 *               50.0th: 8          (7886 samples)
 *             * 99.0th: 33         (2968 samples)
 *               min=1, max=1234
 *     Request Latencies percentiles (usec) runtime 30 (s) (35379 total samples)
 *     RPS percentiles (requests) runtime 30 (s) (31 total samples)
 *     average rps: 1180.33
 *
 * Percentiles are the middles of buckets that are up to 1/64 wide, so that the last may exceed the maximum; they stay what they are:
 * facts. The versions that print four decimals never set the minimum: 0. With an interval the display repeats; the last one counts.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/importer.h"

#define COMMAND_LINES 8  /* between the command and its first result */
#define MAX_PERCENTILES 16

const struct importer importer_schbench;

enum what { LATENCY, WAKEUP, REQUEST, RPS, N_WHATS };
static const struct {
    const char *head, *name;
} whats[N_WHATS] = {
    {"Latency percentiles (usec)", "latency"},
    {"Wakeup Latencies percentiles (usec)", "wakeup"},
    {"Request Latencies percentiles (usec)", "request"},
    {"RPS percentiles (requests)", "rps"},
};

struct percentile {
    char level[16]; /* "99.9" */
    uint64_t value;
};
struct section {
    bool is_there;
    uint64_t line, runtime_s, n_samples; /* COUNT_UNKNOWN */
    struct percentile percentiles[MAX_PERCENTILES];
    size_t n;
    int64_t min, max; /* -1: not printed */
};

/* ---- lines ---- */

/* The number behind a word: " runtime 30 (s)". */
static bool number_after(struct cell text, const char *word, uint64_t *value)
{
    struct cell rest = cell_after(text, word);
    const char *p = rest.text, *end = rest.text + rest.length;
    uint64_t number;
    if (!rest.length || !scan_u64(&p, end, &number))
        return false;
    *value = number;
    return true;
}

/* "Wakeup Latencies percentiles (usec) runtime 30 (s) (35341 total samples)" */
static bool head_parse(const struct line *line, enum what *what, struct section *section)
{
    struct cell text = cell_trim(cell_of(line));
    for (size_t i = 0; i < N_WHATS; i++) {
        if (!cell_starts(text, whats[i].head))
            continue;
        struct cell rest = cell_trim(cell_from(text, strlen(whats[i].head)));
        if (rest.length && !cell_starts(rest, "runtime ") && !cell_is(rest, ":"))
            return false;
        *what = (enum what)i;
        *section = (struct section){.is_there = true, .line = line->number, .runtime_s = COUNT_UNKNOWN, .n_samples = COUNT_UNKNOWN, .min = -1, .max = -1};
        number_after(rest, "runtime ", &section->runtime_s);
        if (cell_has(rest, " total samples)"))
            number_after(rest, "(s) (", &section->n_samples);
        return true;
    }
    return false;
}

/* "* 99.0th: 33         (2968 samples)"; what a mail's author wrote behind it is left alone. */
static bool percentile_parse(const struct line *line, struct percentile *percentile)
{
    struct cell text = cell_trim(cell_of(line));
    if (cell_starts(text, "*"))
        text = cell_trim(cell_from(text, 1));
    const char *th = text.length ? memchr(text.text, 't', text.length) : NULL;
    size_t n = th ? (size_t)(th - text.text) : 0;
    if (!n || n > 8 || !cell_is_decimal(cell_first(text, n)) || !cell_starts(cell_from(text, n), "th:") || line_may_be_cut(line))
        return false;
    struct cell level = cell_first(text, n), value = cell_trim(cell_from(text, n + 3));
    while (level.length > 2 && cell_ends(level, "0") && level.text[level.length - 2] != '.')
        level = cell_first(level, level.length - 1);
    cell_copy(level, percentile->level, sizeof percentile->level);
    const char *p = value.text, *end = value.text + value.length;
    return value.length && scan_u64(&p, end, &percentile->value) && (p == end || *p == ' ' || *p == '\t');
}

/* "min=1, max=1234" */
static bool extremes_parse(const struct line *line, struct section *section)
{
    struct cell text = cell_trim(cell_of(line));
    uint64_t min, max;
    if (line_may_be_cut(line) || !number_after(text, "min=", &min) || !number_after(text, "max=", &max) || min > UINT32_MAX || max > UINT32_MAX)
        return false;
    section->min = (int64_t)min;
    section->max = (int64_t)max;
    return true;
}

static bool head_is_at(struct lines *lines, size_t k)
{
    struct line line;
    enum what what;
    struct section section;
    struct percentile percentile;
    return lines_peek(lines, k, &line) && head_parse(&line, &what, &section) && lines_peek(lines, k + 1, &line) &&
           (percentile_parse(&line, &percentile) || extremes_parse(&line, &section));
}

/* "# ./schbench -m 2 -t 16 -r 30": from the program's name on. */
static bool command_parse(const struct line *line, struct cell *command)
{
    const char *found = line_find(line, "schbench -");
    if (!found)
        return false;
    while (found > line->text && found[-1] != ' ' && found[-1] != '\t')
        found--;
    *command = cell_trim((struct cell){found, line->length - (size_t)(found - line->text)});
    return true;
}

static struct probe_result schbench_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    struct cell command;
    if (head_is_at(lines, 0))
        return (struct probe_result){CERTAIN, NULL};
    bool has_result = false;
    if (lines_peek(lines, 0, &line) && command_parse(&line, &command))
        for (size_t k = 1; k <= COMMAND_LINES && !has_result; k++)
            has_result = head_is_at(lines, k);
    return (struct probe_result){has_result ? CERTAIN : NOT_MINE, NULL};
}

/* ---- reading ---- */

static void read_section(struct import *import, struct lines *lines, struct section *section)
{
    struct line line;
    struct percentile percentile;
    for (lines_skip(lines, 1); lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        if (extremes_parse(&line, section)) {
            lines_skip(lines, 1);
            return;
        }
        if (percentile_parse(&line, &percentile)) {
            if (section->n < MAX_PERCENTILES)
                section->percentiles[section->n++] = percentile;
        } else if (line_has(&line, "th:")) {
            import_note(import, "damaged-lines", line.number, "cannot read the percentile");
        } else {
            break;
        }
    }
    if (section->max < 0)
        import_note(import, "entries-missing", section->line, "the line with minimum and maximum is missing");
}

static void store_percentiles(struct import *import, enum what what, const struct section *section)
{
    for (size_t i = 0; i < section->n; i++) {
        char key[64];
        const struct percentile *percentile = &section->percentiles[i];
        snprintf(key, sizeof key, "schbench.%s.percentile.%s", whats[what].name, percentile->level);
        import_fact(import, key, "%llu%s", (unsigned long long)percentile->value, what == RPS ? "" : " us");
    }
}

static void store_section(struct import *import, enum what what, const struct section *section)
{
    if (what != RPS) {
        struct series series = series_unknown();
        series.name = whats[what].name;
        series.tool = "schbench";
        series.path = what == REQUEST ? PATH_CALL_DURATION : PATH_UNKNOWN;
        series.resolution_ns = 1000;
        series.n_samples = section->n_samples;
        if (section->runtime_s < 1000000000)
            series.duration_ns = (int64_t)section->runtime_s * 1000000000;
        series.is_cut = section->max < 0;
        if (section->max >= 0 && section->n_samples != 0)
            series.max_ns = section->max * 1000;
        if (section->min > 0)
            series.min_ns = section->min * 1000;
        else if (section->min == 0)
            import_note(import, "not-measured", section->line, "a minimum of 0 is the initial value");
        import_series(import, &series); /* may begin a new run, to which the facts then belong */
    }
    store_percentiles(import, what, section);
}

/* "current rps: 1180.33", "warmup done, zeroing stats": between displays. */
static bool is_between(const struct line *line)
{
    return line_is_blank(line) || line_starts(line, "current rps:") || line_starts(line, "warmup done");
}

/* Is this section a later display of the other? Equal times only where the display ends with the rate: both sections come once more. */
static bool is_later(const struct section *section, const struct section *before, enum what what)
{
    if (section->runtime_s == COUNT_UNKNOWN || before->runtime_s == COUNT_UNKNOWN)
        return false;
    return section->runtime_s > before->runtime_s || (what != LATENCY && section->runtime_s == before->runtime_s &&
                                                      section->n_samples != COUNT_UNKNOWN && section->n_samples >= before->n_samples);
}

/* "average rps: 9415.98", "rps: 9.90 p95 (usec) 22496 p99 ...": a result ends. */
static bool take_rate(struct import *import, const struct line *line)
{
    struct cell text = cell_trim(cell_of(line));
    struct cell rest = cell_starts(text, "average rps:") ? cell_after(text, "average rps:") : cell_starts(text, "rps:") ? cell_after(text, "rps:") : (struct cell){"", 0};
    size_t n = 0;
    while (n < rest.length && rest.text[n] != ' ')
        n++;
    if (!decimal_parse(rest.text, n).is_known)
        return false;
    import_fact(import, "schbench.rps", "%.*s", (int)n, rest.text);
    return true;
}

static enum status schbench_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line line;
    struct cell command;
    struct section sections[N_WHATS] = {0}, section;
    enum what what;
    struct {
        char text[400];
    } *kept = import_state(import, &importer_schbench, sizeof *kept);
    if (!head_is_at(lines, 0)) {
        if (lines_peek(lines, 0, &line) && command_parse(&line, &command))
            cell_copy(command, kept->text, sizeof kept->text);
        lines_skip(lines, 1);
        return OK;
    }
    for (;;) {
        size_t k = 0;
        while (lines_peek(lines, k, &line) && k < 4 && is_between(&line))
            k++;
        if (!head_is_at(lines, k) || !lines_peek(lines, k, &line))
            break;
        head_parse(&line, &what, &section);
        if (sections[what].is_there && !is_later(&section, &sections[what], what))
            break;
        lines_skip(lines, k);
        read_section(import, lines, &section);
        sections[what] = section;
    }
    for (size_t i = 0; i < N_WHATS; i++)
        if (sections[i].is_there)
            store_section(import, (enum what)i, &sections[i]);
    if (kept->text[0]) {
        import_fact(import, "schbench.command", "%s", kept->text);
        kept->text[0] = '\0';
    }
    if (lines_peek(lines, 0, &line) && take_rate(import, &line))
        lines_skip(lines, 1);
    return OK;
}

static const char *const schbench_marks[] = {"percentiles (usec)", "percentiles (requests)", "schbench -", NULL};

const struct importer importer_schbench = {
    .name = "schbench",
    .summary = "schbench: wakeup and request latencies",
    .reads = "schbench of 2016 to 2024: minimum, maximum and count as series, percentiles as facts",
    .probe_lines = schbench_probe,
    .read_lines = schbench_read,
    .marks = schbench_marks,
};
