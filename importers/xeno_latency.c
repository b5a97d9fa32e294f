/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table that Xenomai's latency (2.0 to 3.3), klatency and EVL's latmus print; switchtest and hectic print their
 * counts under the same prefixes.
 *
 *     RTT|  00:00:01  (periodic user-mode task, 100 us period, priority 99)
 *     RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
 *     RTD|      0.723|      2.302|      3.740|       0|     0|      0.723|      3.740
 *     RTS|      0.173|      2.102|      4.036|       0|     0|    00:00:20/00:00:20
 *
 * Values are us with three decimals, in 2.0 whole ns. min, avg and max of an RTD row are of that second; overrun, msw,
 * best and worst are cumulative and no samples. Columns differ by version: the last RTH line names them. The average
 * RTAI's testsuite prints whole ns below a title, "ovl min" and "ovl max" for best and worst. The average
 * of RTS is the mean of the seconds' averages (latmus: of all samples). HSD ranges are bucket numbers, not us; the
 * "avg" histogram holds every sample by its absolute value, the last bucket all that is larger.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "importers/xeno_latency.h"

enum column { COLUMN_OTHER, LAT_MIN, LAT_AVG, LAT_MAX, OVERRUN, MSW, LAT_BEST, LAT_WORST, CPU, SWITCHES, TOTAL };
#define MAX_COLUMNS 12
#define RTAI_TITLE "RTAI Testsuite - " /* "RTAI Testsuite - KERNEL latency (all data in nanoseconds)" */
#define MAX_SWITCH_CPUS 256

struct table {
    struct latency_result result;
    enum column columns[MAX_COLUMNS]; /* of the cells behind the tag */
    size_t n_columns;
    bool is_switch_test;
    bool has_decimals, unit_is_stated;
    int64_t elapsed_ns;   /* of the last RTT */
    uint64_t n_rows_since; /* RTD rows behind it */
    uint64_t n_rows;
    double avg_sum_ns;
    bool has_summary;     /* RTS */
    bool has_stats;       /* HSS rows seen to the last one */
    uint64_t hss_samples;
    uint64_t *bucket, *bucket_count; /* the "avg" histogram in bucket numbers */
    size_t n_buckets, bucket_capacity, count_capacity;
    bool is_done;
    uint64_t switches[MAX_SWITCH_CPUS + 1]; /* of switchtest, last total of each CPU; the last one: no CPU column */
};

static struct cell without_interrupt(struct cell text)
{
    return cell_starts(text, "^C") ? cell_trim(cell_from(text, 2)) : text;
}

/* "RTD|", "HSS|" and the rules "---|", wikis set the bar apart: the tag, or NULL. */
static const char *tag_of(struct cell text)
{
    static const char *const tags[] = {"RTT|", "RTH|", "RTD|", "RTS|", "HSD|", "HSH|", "HSS|", "---|"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (text.length > 3 && memcmp(text.text, tags[i], 3) == 0 && cell_starts(cell_trim(cell_from(text, 3)), "|"))
            return tags[i];
    return NULL;
}

/* Lines that stand between those of the table without being part of it. */
static bool is_between(struct cell text)
{
    static const char *const starts[] = {"warming up", "running quietly", "== ", "...", "Warning! some latency", "^C",
                                         "latency threshold is exceeded", "results look weird", "Maximum latency exceeded", RTAI_TITLE};
    if (!text.length)
        return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (cell_starts(text, starts[i]))
            return true;
    return false;
}

static struct probe_result latency_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line))
        return (struct probe_result){NOT_MINE, NULL};
    if (latency_is_abreast(&line))
        return (struct probe_result){CERTAIN, NULL};
    struct cell text = without_interrupt(cell_trim(cell_of(&line)));
    const char *tag = tag_of(text);
    if (tag && tag[0] != '-')
        return (struct probe_result){CERTAIN, NULL};
    bool is_head = cell_starts(text, "== Sampling period:") || cell_starts(text, "warming up") || cell_starts(text, "---|--param") ||
                   cell_starts(text, RTAI_TITLE);
    for (size_t k = 1; is_head && k < 6 && lines_peek(lines, k, &line); k++)
        if (tag_of(without_interrupt(cell_trim(cell_of(&line)))))
            return (struct probe_result){CERTAIN, NULL};
    return (struct probe_result){cell_starts(text, "== Sampling period:") ? PLAUSIBLE : NOT_MINE, NULL};
}

/* "----lat min" */
static enum column column_of(struct cell name)
{
    while (name.length && name.text[0] == '-')
        name = cell_from(name, 1);
    static const struct {
        const char *name;
        enum column column;
    } names[] = {{"lat min", LAT_MIN},   {"lat avg", LAT_AVG},       {"lat max", LAT_MAX},         {"overrun", OVERRUN},
                 {"lost", OVERRUN},      {"msw", MSW},               {"lat best", LAT_BEST},       {"lat worst", LAT_WORST},
                 {"ovl min", LAT_BEST},  {"ovl max", LAT_WORST},     {"overruns", OVERRUN},
                 {"cpu", CPU},           {"ctx switches", SWITCHES}, {"total", TOTAL}};
    name = cell_trim(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cell_is(name, names[i].name))
            return names[i].column;
    return COLUMN_OTHER;
}

static void read_header(struct table *table, const struct cells *cells)
{
    table->n_columns = 0;
    table->is_switch_test = false;
    for (size_t i = 1; i < cells->n && table->n_columns < MAX_COLUMNS; i++) {
        table->columns[table->n_columns++] = column_of(cells->cell[i]);
        table->is_switch_test |= table->columns[table->n_columns - 1] == SWITCHES;
    }
}

/* Without a header (-l 0) the number of cells tells the version. */
static void assume_header(struct table *table, size_t n_cells)
{
    static const enum column with_msw[] = {LAT_MIN, LAT_AVG, LAT_MAX, OVERRUN, MSW, LAT_BEST, LAT_WORST};
    static const enum column without_msw[] = {LAT_MIN, LAT_AVG, LAT_MAX, OVERRUN, LAT_BEST, LAT_WORST};
    static const enum column switches[] = {CPU, SWITCHES, TOTAL};
    const enum column *columns = n_cells >= 7 ? with_msw : n_cells >= 6 ? without_msw : n_cells == 3 ? switches : switches + 1;
    table->n_columns = n_cells >= 7 ? 7 : n_cells >= 6 ? 6 : n_cells == 3 ? 3 : n_cells == 2 ? 2 : 0;
    table->is_switch_test = n_cells < 4;
    for (size_t i = 0; i < table->n_columns; i++)
        table->columns[i] = columns[i];
}

/* The cell as ns: us with decimals, or whole ns (2.0). */
static bool value_ns(struct table *table, struct cell cell, int64_t *ns)
{
    char copy[32];
    char *comma = cell.length < sizeof copy ? memchr(cell.text, ',', cell.length) : NULL;
    if (comma && !memchr(cell.text, '.', cell.length)) { /* of another locale, as in "1,393" us */
        cell_copy(cell, copy, sizeof copy);
        copy[comma - cell.text] = '.';
        cell.text = copy;
    }
    if (cell_is_decimal(cell))
        table->has_decimals = true;
    bool is_rtai = !strcmp(table->result.tool, LATENCY_RTAI), is_us = !is_rtai && (table->has_decimals || table->unit_is_stated);
    if (!is_us && !is_rtai) {
        table->result.resolution_ns = 1;
        table->result.unit_evidence = "whole numbers and no line that says microseconds: Xenomai 2.0 prints ns";
    }
    return cell_ns(cell, is_us ? 3 : 0, ns);
}

/* switchtest's row: CPU (SMP), switches of the last second, switches in all. */
static void read_switches(struct table *table, const struct cells *cells)
{
    size_t cpu = MAX_SWITCH_CPUS;
    for (size_t i = 0; i < table->n_columns; i++) {
        uint64_t value;
        if (!cell_u64(cells_at(cells, i + 1), &value))
            continue;
        if (table->columns[i] == CPU && value < MAX_SWITCH_CPUS)
            cpu = (size_t)value;
        if (table->columns[i] == TOTAL)
            table->switches[cpu] = value;
    }
}

static void store_switches(struct import *import, const struct table *table)
{
    struct counter_table *counters = import_counters_begin(import, "switchtest");
    for (size_t i = 0; i <= MAX_SWITCH_CPUS; i++) {
        char scope[32] = "all CPUs";
        if (i < MAX_SWITCH_CPUS)
            snprintf(scope, sizeof scope, "cpu %zu", i);
        if (table->switches[i])
            import_counters_add_count(counters, scope, "total", table->switches[i]);
    }
}

static void read_row(struct import *import, struct table *table, const struct cells *cells, uint64_t line)
{
    struct latency_result *result = &table->result;
    if (!table->n_columns)
        assume_header(table, cells->n - 1);
    if (table->is_switch_test) {
        read_switches(table, cells);
        table->n_rows++;
        return;
    }
    int64_t value[LAT_WORST + 1];
    uint64_t count[LAT_WORST + 1];
    for (int i = 0; i <= LAT_WORST; i++) {
        value[i] = NS_UNKNOWN;
        count[i] = COUNT_UNKNOWN;
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        enum column column = table->columns[i];
        struct cell cell = cells_at(cells, i + 1);
        if (column == OVERRUN || column == MSW) {
            if (!cell_u64(cell, &count[column]))
                goto damaged;
        } else if (column != COLUMN_OTHER && column <= LAT_WORST && !value_ns(table, cell, &value[column])) {
            goto damaged;
        }
    }
    table->n_rows++;
    table->n_rows_since++;
    if (value[LAT_AVG] != NS_UNKNOWN)
        table->avg_sum_ns += (double)value[LAT_AVG];
    if (value[LAT_MAX] != NS_UNKNOWN) {
        memory_reserve(result->second_max_ns, result->seconds_capacity, result->n_seconds + 1);
        result->second_max_ns[result->n_seconds++] = value[LAT_MAX];
    }
    /* best and worst are of the whole run so far, the row's own extremes within them: the further of both if they disagree */
    int64_t best = value[LAT_BEST] != NS_UNKNOWN ? value[LAT_BEST] : value[LAT_MIN];
    int64_t worst = value[LAT_WORST] != NS_UNKNOWN ? value[LAT_WORST] : value[LAT_MAX];
    if (value[LAT_MIN] != NS_UNKNOWN && value[LAT_MIN] < best)
        best = value[LAT_MIN];
    if (value[LAT_MAX] > worst)
        worst = value[LAT_MAX];
    if (best != NS_UNKNOWN && (result->min_ns == NS_UNKNOWN || best < result->min_ns))
        result->min_ns = best;
    if (worst != NS_UNKNOWN && (result->max_ns == NS_UNKNOWN || worst > result->max_ns))
        result->max_ns = worst;
    if (count[OVERRUN] != COUNT_UNKNOWN)
        result->n_overruns = count[OVERRUN];
    if (count[MSW] != COUNT_UNKNOWN)
        result->n_switches = count[MSW];
    return;
damaged:
    import_note(import, "damaged-lines", line, "a row of the latency table could not be read and was left out");
}

/* "RTS| min| avg| max| overrun| [msw|] hh:mm:ss/hh:mm:ss" */
static void read_summary(struct import *import, struct table *table, const struct cells *cells, uint64_t line)
{
    struct latency_result *result = &table->result;
    int64_t min_ns, avg_ns, max_ns;
    table->has_summary = table->is_done = true;
    size_t n_cells = cells->n;
    while (n_cells && !cells->cell[n_cells - 1].length) /* somebody closed the table: "...|00:01:00/00:01:00||" */
        n_cells--;
    if (cells->n < 5 || !value_ns(table, cells->cell[1], &min_ns) || !value_ns(table, cells->cell[2], &avg_ns) ||
        !value_ns(table, cells->cell[3], &max_ns)) {
        import_note(import, "damaged-lines", line, "the RTS line could not be read");
        return;
    }
    result->line = line;
    /* A maximum is never made smaller: rows and summary may be of two runs, or a digit was lost. */
    if (result->max_ns != NS_UNKNOWN && result->max_ns > max_ns + 1) {
        import_note(import, "counts-mismatch", line, "the rows reach %.3f us, the summary's maximum is %.3f us",
                    (double)result->max_ns / 1000, (double)max_ns / 1000);
        max_ns = result->max_ns;
    }
    result->min_ns = min_ns;
    result->avg_ns = (double)avg_ns;
    result->max_ns = max_ns;
    cell_u64(cells->cell[4], &result->n_overruns);
    if (n_cells >= 7)
        cell_u64(cells->cell[5], &result->n_switches);
    struct cell times = cells->cell[n_cells - 1];
    const char *slash = memchr(times.text, '/', times.length);
    if (slash) {
        size_t at = (size_t)(slash - times.text);
        cell_clock_ns(cell_trim(cell_first(times, at)), &result->duration_ns);
        /* latmus computes the requested hours from the actual ones: only what Xenomai prints is trusted */
        if (strcmp(result->tool, "latmus") != 0)
            cell_clock_ns(cell_trim(cell_from(times, at + 1)), &result->requested_ns);
    }
}

/* "HSD|    avg| 109 -110 |        1" */
static void read_bucket(struct import *import, struct table *table, const struct cells *cells, uint64_t line)
{
    if (cells->n < 4 || !cell_is(cells->cell[1], "avg"))
        return;
    struct cell range = cells->cell[2];
    size_t digits = 0;
    while (digits < range.length && range.text[digits] >= '0' && range.text[digits] <= '9')
        digits++;
    uint64_t bucket, count;
    if (!cell_u64(cell_first(range, digits), &bucket) || !cell_u64(cells->cell[3], &count) || bucket > 1000000000) {
        import_note(import, "damaged-lines", line, "a row of the histogram could not be read");
        return;
    }
    memory_reserve(table->bucket, table->bucket_capacity, table->n_buckets + 1);
    memory_reserve(table->bucket_count, table->count_capacity, table->n_buckets + 1);
    table->bucket[table->n_buckets] = bucket;
    table->bucket_count[table->n_buckets++] = count;
}

/* "HSS|    avg|   200000|      2.102|      0.911": the samples of the run; average and deviation are in buckets. */
static void read_stats(struct table *table, const struct cells *cells)
{
    struct cell name = cells_at(cells, 1);
    if (cell_is(name, "avg") && cell_u64(cells_at(cells, 2), &table->hss_samples))
        table->result.n_samples = table->hss_samples;
    if (cell_is(name, "max"))
        table->has_stats = true;
}

static void read_time(struct import *import, struct table *table, struct cell text)
{
    struct cells words = {0};
    struct cell rest = cell_after(text, "RTT|");
    cells_add_words(&words, rest.text, rest.length);
    if (cell_clock_ns(cells_at(&words, 0), &table->elapsed_ns))
        table->n_rows_since = 0;
    latency_read_context(import, &table->result, text);
    cells_release(&words);
}

/* Whether this line belongs to another run of the tool than what was read so far. */
static bool begins_another(const struct table *table, struct cell text, const char *tag)
{
    bool has_data = table->n_rows || table->n_buckets || table->has_stats;
    if (cell_starts(text, "== Sampling period:") || cell_starts(text, RTAI_TITLE))
        return has_data;
    if (table->has_stats && tag && strcmp(tag, "RTS|") != 0 && tag[0] != '-')
        return true;
    if (tag && !strcmp(tag, "RTT|") && table->n_rows) {
        struct cells words = {0};
        struct cell rest = cell_after(text, "RTT|");
        cells_add_words(&words, rest.text, rest.length);
        int64_t elapsed_ns;
        bool is_back = cell_clock_ns(cells_at(&words, 0), &elapsed_ns) && table->elapsed_ns != NS_UNKNOWN &&
                       elapsed_ns < table->elapsed_ns;
        cells_release(&words);
        return is_back;
    }
    return false;
}

static void read_line(struct import *import, struct table *table, struct cells *cells, struct cell text, uint64_t line)
{
    const char *tag = tag_of(text);
    if (!tag) {
        if (cell_has(text, "All results in microseconds"))
            table->unit_is_stated = true;
        if (cell_starts(text, "== Sampling period:")) {
            struct cell period = cell_after(text, "period:");
            struct cells words = {0};
            cells_add_words(&words, period.text, period.length);
            cell_ns(cells_at(&words, 0), 3, &table->result.period_ns);
            cells_release(&words);
        }
        if (cell_starts(text, RTAI_TITLE)) {
            struct cell mode = cell_from(text, strlen(RTAI_TITLE));
            const char *open = memchr(mode.text, '(', mode.length);
            cell_copy(cell_trim(open ? cell_first(mode, (size_t)(open - mode.text)) : mode), table->result.mode, sizeof table->result.mode);
            table->result.tool = LATENCY_RTAI;
        }
        if (cell_starts(text, "== Test mode:"))
            cell_copy(cell_after(text, "mode:"), table->result.mode, sizeof table->result.mode);
        if (cell_starts(text, "Warning! some latency") || cell_starts(text, "latency threshold") ||
            cell_starts(text, "results look weird") || cell_starts(text, "Maximum latency exceeded"))
            import_fact(import, "latency.message", "%.*s", CELL_ARGS(text));
        return;
    }
    cells_clear(cells);
    cells_add_parts(cells, text.text, text.length, '|');
    if (!strcmp(tag, "RTT|"))
        read_time(import, table, text);
    else if (!strcmp(tag, "RTH|"))
        read_header(table, cells);
    else if (!strcmp(tag, "RTD|"))
        read_row(import, table, cells, line);
    else if (!strcmp(tag, "RTS|"))
        read_summary(import, table, cells, line);
    else if (!strcmp(tag, "HSD|"))
        read_bucket(import, table, cells, line);
    else if (!strcmp(tag, "HSS|"))
        read_stats(table, cells);
}

/*
 * The bucket width (-B, default 1000 ns) is not printed. A width fits if it puts the table's minimum into the first
 * bucket (or the next, as the histogram counts warm-up samples that the table does not), and, unless values
 * overflowed, if the buckets' mean is the table's average.
 */
static bool width_fits(const struct table *table, int64_t width_ns)
{
    const struct latency_result *result = &table->result;
    uint64_t first = (uint64_t)(result->min_ns / width_ns);
    if (first != table->bucket[0] && !(first == table->bucket[0] + 1 && table->bucket_count[0] <= 5))
        return false;
    uint64_t last = table->bucket[table->n_buckets - 1];
    if (result->max_ns == NS_UNKNOWN || result->max_ns / width_ns > (int64_t)last || isnan(result->avg_ns))
        return true;
    double sum = 0, n = 0;
    for (size_t i = 0; i < table->n_buckets; i++) {
        sum += ((double)table->bucket[i] + 0.5) * (double)table->bucket_count[i];
        n += (double)table->bucket_count[i];
    }
    return n > 0 && fabs(sum / n * (double)width_ns - result->avg_ns) <= (double)width_ns;
}

static int64_t find_width(const struct table *table)
{
    static const int64_t widths[] = {1000, 100, 10, 1, 50, 200, 250, 500, 2000, 2500, 5000, 10000, 20000, 50000, 100000};
    if (table->result.min_ns == NS_UNKNOWN || table->result.min_ns < 0) /* folded: no test */
        return 1000;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (width_fits(table, widths[i]))
            return widths[i];
    return NS_UNKNOWN;
}

static void store_buckets(struct import *import, struct table *table)
{
    struct latency_result *result = &table->result;
    if (!table->n_buckets)
        return;
    int64_t width_ns = find_width(table);
    if (width_ns == NS_UNKNOWN) {
        import_note(import, "unit-assumed", result->line,
                    "the bucket size (-B) is not printed and no common one fits the minimum: the histogram is not used");
        return;
    }
    if (result->min_ns == NS_UNKNOWN)
        import_note(import, "unit-assumed", result->line, "the bucket size (-B) is not printed: the default, 1 us, is assumed");
    result->is_folded = true;
    result->bin_width_ns = width_ns;
    memory_reserve(result->bins, result->bins_capacity, table->n_buckets);
    for (size_t i = 0; i < table->n_buckets; i++)
        result->bins[i] = (struct bin){(int64_t)table->bucket[i] * width_ns, table->bucket_count[i]};
    result->n_bins = table->n_buckets;
}

static void finish(struct import *import, struct table *table)
{
    struct latency_result *result = &table->result;
    if (table->is_switch_test) {
        store_switches(import, table);
        return;
    }
    if (!table->has_summary) {
        result->is_cut = !table->has_stats;
        if (table->n_rows && isnan(result->avg_ns))
            result->avg_ns = table->avg_sum_ns / (double)table->n_rows;
        int64_t seconds = (int64_t)(table->n_rows_since ? table->n_rows_since : 0) * 1000000000;
        if (table->elapsed_ns != NS_UNKNOWN)
            result->duration_ns = table->elapsed_ns + (seconds ? seconds - 1000000000 : 0);
        else if (table->n_rows)
            result->duration_ns = (int64_t)table->n_rows * 1000000000;
    }
    if (table->has_stats && !result->n_samples)
        result->is_empty = true;
    store_buckets(import, table);
    if (table->n_rows || table->has_summary || table->n_buckets || table->has_stats)
        latency_store(import, result);
}

/* Does a mail's line break cut this row, so that next is its rest? Rows break in front of a number, headings within "lat worst". */
static bool is_wrapped(const struct table *table, struct cell row, const char *tag, struct cell next)
{
    size_t n_bars = 0;
    for (size_t i = 0; i < row.length; i++)
        n_bars += row.text[i] == '|';
    if (!next.length || tag_of(next))
        return false;
    if (strcmp(tag, "RTH|") == 0)
        return cell_ends(row, "lat") && (cell_starts(next, "min") || cell_starts(next, "avg") || cell_starts(next, "max") ||
                                         cell_starts(next, "best") || cell_starts(next, "worst"));
    bool is_row = strcmp(tag, "RTD|") == 0 || strcmp(tag, "RTS|") == 0 || strcmp(tag, "HSD|") == 0 || strcmp(tag, "HSS|") == 0;
    bool is_short = cell_ends(row, "|") || (strcmp(tag, "RTD|") == 0 && n_bars < table->n_columns);
    char first = next.text[next.text[0] == '-' && next.length > 1];
    return is_row && is_short && first >= '0' && first <= '9';
}

/* The row at this line, whole: *text points into joined where it was wrapped. Returns its lines. */
static size_t join_row(struct lines *lines, size_t ahead, const struct table *table, const char *tag, struct cell *text, struct text *joined)
{
    struct line line;
    size_t n = 1;
    while (n < 8 && lines_peek(lines, ahead + n, &line) && is_wrapped(table, *text, tag, cell_trim(cell_of(&line)))) {
        struct cell rest = cell_trim(cell_of(&line));
        if (n++ == 1) {
            text_truncate(joined, 0);
            text_add_n(joined, text->text, text->length);
        }
        text_format(joined, " %.*s", CELL_ARGS(rest));
        *text = (struct cell){text_string(joined), joined->length};
    }
    return n;
}

static enum status latency_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line first;
    if (lines_peek(lines, 0, &first) && latency_is_abreast(&first)) {
        struct text text = {0};
        size_t n_lines = latency_set_apart(lines, &text);
        struct lines *apart = lines_new_at(text_string(&text), text.length, first.number);
        enum status status = latency_read(import, apart, error);
        lines_free(apart);
        text_release(&text);
        import_note_n(import, "repaired-text", n_lines, first.number, "undone: several results in a line");
        lines_skip(lines, n_lines);
        return status;
    }
    struct table *table = memory_new(sizeof *table);
    latency_init(&table->result);
    table->elapsed_ns = NS_UNKNOWN;
    table->result.line = lines_number(lines);
    struct cells cells = {0};
    struct text joined = {0};
    struct line line;
    uint64_t n_wrapped = 0;
    size_t ahead = 0; /* lines that may turn out not to be ours */
    while (!table->is_done && lines_peek(lines, ahead, &line)) {
        struct cell text = without_interrupt(cell_trim(cell_of(&line)));
        const char *tag = tag_of(text);
        if ((tag || cell_starts(text, "== ") || cell_starts(text, RTAI_TITLE)) && begins_another(table, text, tag))
            break;
        if (tag || (is_between(text) && text.length)) {
            size_t n = tag ? join_row(lines, ahead, table, tag, &text, &joined) : 1;
            n_wrapped += n > 1;
            read_line(import, table, &cells, text, line.number);
            lines_skip(lines, ahead + n);
            ahead = 0;
        } else if (++ahead > 2 || (text.length && ahead > 1)) {
            break; /* one foreign line between two of the table is noise, more is prose */
        }
    }
    if (lines_peek(lines, 0, &line) && cell_starts(cell_trim(cell_of(&line)), "Warning! some latency")) {
        import_fact(import, "latency.message", "%.*s", CELL_ARGS(cell_trim(cell_of(&line))));
        lines_skip(lines, 1);
    }
    if (n_wrapped)
        import_note_n(import, "repaired-text", n_wrapped, table->result.line, "undone: %s", repair_name(REPAIR_WRAPPED));
    finish(import, table);
    text_release(&joined);
    latency_release(&table->result);
    free(table->bucket);
    free(table->bucket_count);
    free(table);
    cells_release(&cells);
    return OK;
}

static const char *const xeno_latency_marks[] = {
    "RTT|", "RTH|", "RTD|", "RTS|", "RTH |", "RTD |", "RTS |", "RTH\\", "RTD\\", "RTS\\", "HSD|", "HSH|", "HSS|", "---|", "== Sampling period:", "warming up", "RTAI Testsuite", NULL,
};

const struct importer importer_xeno_latency = {
    .name = "xenomai-latency",
    .summary = "Xenomai latency, klatency, switchtest; EVL latmus, hectic (tables)",
    .reads = "Xenomai 2.0 to 3.3 and libevl: RTT/RTH/RTD/RTS rows, HSD/HSS histograms; ns in 2.0, us later",
    .probe_lines = latency_probe,
    .read_lines = latency_read,
    .marks = xeno_latency_marks,
};
