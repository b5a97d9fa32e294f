/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms of times drawn by bcc's tools (runqlat, hardirqs -d, softirqs -d, cpudist, funclatency ...; the Python ones and those of
 * libbpf-tools) and by bpftrace's hist() and lhist():
 *
 *     Tracing run queue latency... Hit Ctrl-C to end.
 *
 *     pid = 5924 cksum
 *          usecs               : count     distribution
 *              0 -> 1          : 233      |***********                             |
 *              2 -> 3          : 742      |************************************    |
 *
 * A row is a range: only that so many values lie in it is known, not the least and not the largest. With an interval bcc prints a
 * histogram each time and empties it: those that follow each other with nothing but times between are added up. bpftrace prints a map
 * as it stands, emptied or not: the same map once more is another result. bpftrace's unit is in the map's name, if anywhere.
 */
#include "importers/bpf_hist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/importer.h"

#define MAX_SERIES 4000
#define NAME_MAX_LENGTH 96
#define TITLE_LINES 12 /* between "Tracing ..." and its first histogram */

const struct importer importer_bpf_hist;

/* What "Tracing run queue latency... Hit Ctrl-C to end." said last in this text. */
struct title {
    char text[64];
    bool is_new; /* not stated as a fact yet */
};

struct kept {
    char name[NAME_MAX_LENGTH];
    uint32_t series;
    uint64_t n, n_times; /* samples; histograms added up */
    uint64_t n_overflow;
    int64_t min_ns, max_ns, width_ns;
    bool is_elided;
};

struct reading {
    struct import *import;
    struct title *title;
    struct kept *kept;
    size_t n, capacity;
    int64_t set_unit_ns; /* --set bpftrace.unit; 0: not given */
    uint64_t n_negative, n_damaged, n_left_out, n_without_unit;
};

/* ---- the lines above ---- */

/* "Tracing run queue latency... Hit Ctrl-C to end.": what is between. */
static bool title_parse(const struct line *line, struct cell *title)
{
    struct cell text = cell_trim(cell_of(line)), rest = cell_after(text, "Tracing ");
    if (!cell_starts(text, "Tracing ") || !cell_has(rest, "Hit Ctrl-C to end"))
        return false;
    size_t n = 0;
    while (n < rest.length && strncmp(rest.text + n, "...", rest.length - n < 3 ? rest.length - n : 3) != 0 &&
           strncmp(rest.text + n, "Hit ", rest.length - n < 4 ? rest.length - n : 4) != 0)
        n++;
    *title = cell_trim(cell_first(rest, n));
    return title->length > 0;
}

/* "pid = 5924 cksum", "hardirq = b'vmd0'" */
static bool section_parse(const struct line *line, struct cell *word, struct cell *value)
{
    struct cell text = cell_trim(cell_of(line));
    const char *equals = memchr(text.text, '=', text.length);
    if (!equals || equals == text.text)
        return false;
    size_t at = (size_t)(equals - text.text);
    *word = cell_trim(cell_first(text, at));
    *value = cell_trim(cell_from(text, at + 1));
    if (!word->length || word->length > 24 || !value->length || equals[-1] != ' ' || memchr(word->text, ' ', word->length))
        return false;
    if (cell_starts(*value, "b'") && cell_ends(*value, "'"))
        *value = cell_from(*value, 1);
    if (value->length > 2 && cell_starts(*value, "'") && cell_ends(*value, "'"))
        *value = cell_first(cell_from(*value, 1), value->length - 2);
    return true;
}

/* Where the next histogram's head is: 0 or, behind a line that names its part, 1; -1: none begins here. */
static int head_distance(struct lines *lines, size_t from, struct bpf_hist_head *head)
{
    struct line line;
    struct bpf_hist_row row;
    struct cell word, value;
    int distance = 0;
    if (!lines_peek(lines, from, &line))
        return -1;
    if (!bpf_hist_head_parse(&line, head)) {
        if (!section_parse(&line, &word, &value) || !lines_peek(lines, from + 1, &line) || !bpf_hist_head_parse(&line, head) ||
            head->kind != BPF_HIST_BCC)
            return -1;
        distance = 1;
    }
    if (head->kind == BPF_HIST_BCC)
        return head->unit_ns ? distance : -1;
    return lines_peek(lines, from + 1, &line) && bpf_hist_row_parse(&line, head->kind, &row) && line_has(&line, "|") ? 0 : -1;
}

static struct probe_result bpf_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    struct bpf_hist_head head;
    struct cell title;
    if (!lines_peek(lines, 0, &line) || !line.length)
        return (struct probe_result){NOT_MINE, NULL};
    if (head_distance(lines, 0, &head) >= 0)
        return (struct probe_result){CERTAIN, NULL};
    bool has_histogram = false;
    if (title_parse(&line, &title))
        for (size_t k = 1; k <= TITLE_LINES && !has_histogram; k++)
            has_histogram = head_distance(lines, k, &head) >= 0;
    return (struct probe_result){has_histogram ? CERTAIN : NOT_MINE, NULL};
}

/* ---- series ---- */

static struct kept *find_kept(struct reading *reading, const char *name)
{
    for (size_t i = reading->n; i-- > 0;)
        if (strcmp(reading->kept[i].name, name) == 0)
            return &reading->kept[i];
    return NULL;
}

static void name_bcc(const struct reading *reading, struct cell word, struct cell value, char *name)
{
    const char *title = reading->title->text[0] ? reading->title->text : "histogram";
    snprintf(name, NAME_MAX_LENGTH, "%s%s%.*s%s%.*s", title, word.length ? " " : "", (int)word.length, word.text,
             value.length ? " " : "", (int)(value.length < 48 ? value.length : 48), value.text);
}

static void name_bpftrace(const struct bpf_hist_head *head, char *name)
{
    snprintf(name, NAME_MAX_LENGTH, "%.*s%s%.*s", (int)(head->name.length < 40 ? head->name.length : 40), head->name.text,
             head->key.length ? " " : "", (int)(head->key.length < 48 ? head->key.length : 48), head->key.text);
    if (!name[0])
        snprintf(name, NAME_MAX_LENGTH, "@");
}

/* "cpu = 3", "tid = 613 cyclictest" */
static void take_part(struct series *series, struct cell word, struct cell value, char *comm, size_t size)
{
    struct cells words = {0};
    cells_add_words(&words, value.text, value.length);
    if (cell_is(word, "cpu"))
        cell_int(cells_at(&words, 0), &series->cpu);
    if (cell_is(word, "tid"))
        cell_int(cells_at(&words, 0), &series->tid);
    if ((cell_is(word, "tid") || cell_is(word, "pid")) && words.n > 1) {
        struct cell rest = cell_from(value, (size_t)(words.cell[1].text - value.text));
        series->comm = cell_copy(rest, comm, size);
    }
    cells_release(&words);
}

/* The series of one histogram, made if need be; NULL: there are too many. */
static struct kept *keep(struct reading *reading, const struct bpf_hist_head *head, struct cell word, struct cell value, int64_t unit_ns)
{
    char name[NAME_MAX_LENGTH], comm[32];
    if (head->kind == BPF_HIST_BCC)
        name_bcc(reading, word, value, name);
    else
        name_bpftrace(head, name);
    struct kept *kept = find_kept(reading, name);
    if (!kept && reading->n == MAX_SERIES) {
        reading->n_left_out++;
        return NULL;
    }
    if (!kept) {
        struct series series = series_unknown();
        series.name = name;
        series.tool = head->kind == BPF_HIST_BCC ? "bcc" : "bpftrace";
        series.resolution_ns = unit_ns;
        if (!head->unit_ns)
            series.unit_evidence = "stated with --set bpftrace.unit";
        take_part(&series, word, value, comm, sizeof comm);
        memory_reserve(reading->kept, reading->capacity, reading->n + 1);
        kept = &reading->kept[reading->n++];
        *kept = (struct kept){.series = import_series(reading->import, &series)};
        snprintf(kept->name, sizeof kept->name, "%s", name);
    }
    kept->n_times++;
    return kept;
}

static void add_row(struct reading *reading, struct kept *kept, const struct bpf_hist_row *row, int64_t unit_ns)
{
    uint64_t most = (uint64_t)(INT64_MAX / unit_ns);
    if (!row->count)
        return;
    if (row->is_negative) {
        reading->n_negative += row->count;
        return;
    }
    if (row->low > most || row->end > most || row->count > COUNT_UNKNOWN - 1 - kept->n) {
        reading->n_damaged++;
        kept->is_elided = true;
        return;
    }
    struct bin bin = {.low_ns = (int64_t)row->low * unit_ns, .count = row->count};
    struct series *series = store_edit_series(reading->import->store, kept->series);
    kept->n += row->count;
    if (row->is_open) {
        kept->n_overflow += row->count;
        series->overflow_limit_ns = bin.low_ns;
        return;
    }
    store_add_bins(reading->import->store, kept->series, &bin, 1);
    int64_t width = (int64_t)(row->end - row->low) * unit_ns;
    kept->width_ns = width > kept->width_ns ? width : kept->width_ns;
    kept->min_ns = kept->n == row->count || bin.low_ns < kept->min_ns ? bin.low_ns : kept->min_ns;
    kept->max_ns = bin.low_ns > kept->max_ns ? bin.low_ns : kept->max_ns;
}

/* Of ranges wider than the unit only the edges are known, which are neither the least nor the largest value. */
static void settle(struct reading *reading)
{
    for (size_t i = 0; i < reading->n; i++) {
        const struct kept *kept = &reading->kept[i];
        struct series *series = store_edit_series(reading->import->store, kept->series);
        bool is_exact = kept->width_ns == series->resolution_ns && !kept->n_overflow && !kept->is_elided;
        series->n_samples = kept->is_elided ? COUNT_UNKNOWN : kept->n;
        series->is_cut = kept->is_elided;
        series->n_overflow = kept->is_elided ? COUNT_UNKNOWN : kept->n_overflow;
        if (kept->width_ns)
            series->bin_width_ns = series->resolution_ns = kept->width_ns;
        if (is_exact && kept->n) {
            series->min_ns = kept->min_ns;
            series->max_ns = kept->max_ns;
        }
    }
}

/* ---- one histogram ---- */

/* "avg = 1825567 nsecs, total: 7477526027 nsecs, count: 4096" of funclatency. */
static void take_average(struct reading *reading, struct kept *kept, uint64_t n_here, const struct line *line)
{
    struct cells parts = {0}, words = {0};
    struct cell text = cell_trim(cell_of(line));
    cells_add_parts(&parts, text.text, text.length, ',');
    cells_add_words(&words, cells_at(&parts, 0).text, cells_at(&parts, 0).length);
    int64_t unit_ns = bpf_hist_unit(cells_at(&words, 3));
    uint64_t average, stated;
    struct series *series = store_edit_series(reading->import->store, kept->series);
    series->avg_ns = NAN; /* what is printed is of one interval */
    if (kept->n_times == 1 && unit_ns && cell_u64(cells_at(&words, 2), &average))
        series->avg_ns = (double)average * (double)unit_ns;
    if (cell_u64(cell_after(text, "count: "), &stated)) {
        if (stated == n_here)
            kept->is_elided = false;
        else if (!kept->is_elided)
            import_note(reading->import, "counts-mismatch", line->number,
                        "the rows hold %" PRIu64 " samples, the line below them says %" PRIu64, n_here, stated);
    }
    cells_release(&words);
    cells_release(&parts);
}

static bool is_rest_of_bar(const struct line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (!strchr(" \t|*@#", line->text[i]) || !line->text[i])
            return false;
    return line->length > 0 && line_has(line, "|");
}

static bool is_cut_mark(const struct line *line)
{
    struct cell text = cell_trim(cell_of(line));
    return cell_is(text, "[...]") || cell_is(text, "...") || cell_is(text, "[snip]") || cell_is(text, "<snip>");
}

/* The rows below the head, up to a line that is none. */
static uint64_t read_rows(struct reading *reading, struct lines *lines, const struct bpf_hist_head *head, struct kept *kept, int64_t unit_ns)
{
    struct line line;
    struct bpf_hist_row row;
    uint64_t n = 0, last_end = 0;
    bool is_first = true;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        if (bpf_hist_row_parse(&line, head->kind, &row)) {
            if (!is_first && row.low < last_end && !row.is_negative)
                break; /* the rows of another histogram, whose head is not here */
            kept->is_elided |= !is_first && row.low > last_end;
            is_first &= row.is_negative;
            last_end = row.is_open ? UINT64_MAX : row.end;
            uint64_t before = kept->n;
            add_row(reading, kept, &row, unit_ns);
            n += kept->n - before;
        } else if (bpf_hist_row_is_damaged(&line, head->kind)) {
            import_note(reading->import, "damaged-lines", line.number, "a row of a histogram cannot be read");
            kept->is_elided = true;
            is_first = true; /* what comes next need not follow it */
        } else if (is_cut_mark(&line)) {
            kept->is_elided = true;
        } else if (!is_rest_of_bar(&line)) {
            break;
        }
    }
    return n;
}

/* Skips one histogram whose unit nobody knows. */
static void skip_rows(struct lines *lines, enum bpf_hist_kind kind)
{
    struct line line;
    struct bpf_hist_row row;
    while (lines_peek(lines, 0, &line) && (bpf_hist_row_parse(&line, kind, &row) || is_cut_mark(&line) || is_rest_of_bar(&line)))
        lines_skip(lines, 1);
}

static void read_histogram(struct reading *reading, struct lines *lines, const struct bpf_hist_head *head, int distance)
{
    struct cell word = {"", 0}, value = {"", 0};
    struct line line;
    lines_peek(lines, 0, &line);
    if (distance)
        section_parse(&line, &word, &value);
    int64_t unit_ns = head->unit_ns ? head->unit_ns : reading->set_unit_ns;
    struct kept *kept = unit_ns ? keep(reading, head, word, value, unit_ns) : NULL;
    if (!unit_ns)
        import_note(reading->import, "no-samples", line.number,
                    "the map's name '%.*s' names no unit of time: --set bpftrace.unit=us (or ns, ms) says it is one", CELL_ARGS(head->name));
    lines_skip(lines, (size_t)distance + 1);
    if (!kept) {
        skip_rows(lines, head->kind);
        return;
    }
    uint64_t n = read_rows(reading, lines, head, kept, unit_ns);
    size_t k = lines_peek(lines, 0, &line) && line_is_blank(&line);
    if (head->kind == BPF_HIST_BCC && lines_peek(lines, k, &line) && line_starts(&line, "avg = ")) {
        take_average(reading, kept, n, &line);
        lines_skip(lines, k + 1);
    }
}

/* ---- all of them ---- */

/* "18:57:58", and a ^C that the terminal showed. */
static bool is_between(const struct line *line)
{
    int64_t ns;
    struct cell text = cell_trim(cell_of(line));
    return !text.length || cell_is(text, "^C") || (text.length == 8 && cell_clock_ns(text, &ns));
}

/* Moves to the next histogram of the same output; false (and does not move): there is none. */
static bool goes_on(struct reading *reading, struct lines *lines, enum bpf_hist_kind kind, struct bpf_hist_head *head, int *distance)
{
    struct line line;
    char name[NAME_MAX_LENGTH];
    size_t k = 0;
    while (k < 8 && lines_peek(lines, k, &line) && is_between(&line))
        k++;
    *distance = head_distance(lines, k, head);
    if (*distance < 0 || head->kind != kind)
        return false;
    if (kind == BPF_HIST_BPFTRACE) {
        name_bpftrace(head, name);
        if (find_kept(reading, name))
            return false;
    }
    lines_skip(lines, k);
    return true;
}

static void add_notes(const struct reading *reading, const char *tool)
{
    struct import *import = reading->import;
    uint64_t n_times = 0;
    for (size_t i = 0; i < reading->n; i++) {
        n_times = reading->kept[i].n_times > n_times ? reading->kept[i].n_times : n_times;
        if (reading->kept[i].is_elided)
            import_note(import, "entries-missing", 0, "rows of a histogram were left out");
    }
    if (n_times > 1)
        import_fact(import, "bcc.intervals", "%" PRIu64, n_times);
    if (reading->n && reading->title->is_new) {
        char key[32];
        snprintf(key, sizeof key, "%s.tracing", tool);
        import_fact(import, key, "%s", reading->title->text);
        reading->title->is_new = false;
    }
    if (reading->n_damaged)
        import_note_n(import, "damaged-lines", reading->n_damaged, 0, "rows of a histogram whose numbers are out of range");
    if (reading->n_negative)
        import_note_n(import, "clock-jump", reading->n_negative, 0, "values below zero in a histogram, left out");
    if (reading->n_left_out)
        import_note_n(import, "histogram-truncated", reading->n_left_out, 0, "histograms left out: more than %d", MAX_SERIES);
}

static enum status bpf_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line line;
    struct cell title;
    struct bpf_hist_head head;
    struct reading reading = {.import = import, .title = import_state(import, &importer_bpf_hist, sizeof(struct title))};
    if (lines_peek(lines, 0, &line) && title_parse(&line, &title)) {
        cell_copy(title, reading.title->text, sizeof reading.title->text);
        reading.title->is_new = true;
        lines_skip(lines, 1);
        return OK;
    }
    const char *unit = import_setting(import, "bpftrace.unit");
    reading.set_unit_ns = unit ? bpf_hist_unit((struct cell){unit, strlen(unit)}) : 0;
    int distance = head_distance(lines, 0, &head);
    if (distance < 0) { /* forced upon a text that does not begin with one */
        lines_skip(lines, 1);
        return OK;
    }
    enum bpf_hist_kind kind = head.kind;
    do
        read_histogram(&reading, lines, &head, distance);
    while (goes_on(&reading, lines, kind, &head, &distance));
    settle(&reading);
    add_notes(&reading, kind == BPF_HIST_BCC ? "bcc" : "bpftrace");
    free(reading.kept);
    return OK;
}

static const char *const bpf_hist_marks[] = {"distribution", "^@", " = ", "Tracing ", NULL};

const struct importer importer_bpf_hist = {
    .name = "bpf-hist",
    .summary = "histograms of bcc (runqlat, hardirqs -d ...) and bpftrace (hist(), lhist())",
    .reads = "bcc, libbpf-tools and bpftrace: power-of-two and linear ranges of times, per process, CPU, interrupt or map key; a "
             "map's unit from its name, or --set bpftrace.unit=us",
    .probe_lines = bpf_probe,
    .read_lines = bpf_read,
    .marks = bpf_hist_marks,
};
