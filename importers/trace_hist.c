/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms of the kernel's hist triggers (events/SYSTEM/EVENT/hist, also of events that sqlhist made, and what rtla's --trigger
 * saves as SYSTEM_EVENT_hist.txt): tables of keys and counts.
 *
 *     # trigger info: hist:keys=pid,lat.log2:vals=hitcount:sort=pid,lat.log2:size=2048 [active]
 *     { pid:        612, lat: ~ 2^5  } hitcount:          4
 *     Totals:
 *         Hits: 3157
 *
 * The key that names a time is the value, the others name the series. Without such a key a sum beside the count gives an average, and
 * "max:" below a row (onmax) the largest value. The unit is not in the text: differences of common_timestamp.usecs, of which such
 * keys are made, are us; durations of osnoise's events are ns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "importers/cells.h"
#include "importers/trace_hist.h"

#define MAX_SERIES 10000
#define N_SLOTS    32768 /* of the table of names; a power of two above twice MAX_SERIES */

struct hist_series {
    char name[HIST_NAME_MAX];
    uint32_t series;
    uint64_t n;
    int64_t min_ns, max_ns;
    bool is_exact;
};

struct hist {
    struct import *import;
    struct hist_trigger trigger;
    struct hist_series *series;
    size_t n_series, capacity;
    uint16_t *slots; /* index + 1 by name; 0: free */
    uint64_t n_hits, n_rows, n_other, n_shares, n_negative, n_left_out, n_damaged, n_wrapped;
    uint64_t n_stated_hits, n_stated_rows, totals_line; /* as the end says; COUNT_UNKNOWN */
    bool is_assumed;
};

static bool begins(const struct line *line)
{
    return line_starts(line, "# event histogram") || line_starts(line, "# trigger info: hist:key");
}

/*
 * "# trigger info: hist:keys=... [active]", which mail breaks at its blanks and a terminal anywhere: it has none before its filter
 * and state. Returns how many lines; more than 1: *line is all of them.
 */
static size_t join_trigger(struct lines *lines, struct text *joined, struct line *line)
{
    struct line next;
    size_t n = 1;
    if (line_has(line, "[active]") || line_has(line, "[paused]"))
        return 1;
    text_truncate(joined, 0);
    text_add_n(joined, line->text, line->length);
    while (n < 8 && lines_peek(lines, n, &next) && !line_is_blank(&next) && !line_starts(&next, "#") && !line_starts(&next, "{")) {
        bool has_blank = line_starts(&next, "[") || line_starts(&next, "if ") || (n == 1 && cell_ends(cell_trim(cell_of(line)), "info:")) ||
                         strstr(text_string(joined), " if ");
        const char *p = next.text, *end = p + next.length;
        scan_blanks(&p, end);
        if (has_blank)
            text_add_char(joined, ' ');
        text_add_n(joined, p, (size_t)(end - p));
        n++;
        if (memmem(p, (size_t)(end - p), "[active]", 8) || memmem(p, (size_t)(end - p), "[paused]", 8))
            break;
    }
    line->text = text_string(joined);
    line->length = joined->length;
    return n;
}

static struct probe_result hist_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    struct hist_row row;
    (void)member;
    if (!lines_peek(lines, 0, &line) || !line.length)
        return (struct probe_result){NOT_MINE, NULL};
    if (begins(&line))
        return (struct probe_result){CERTAIN, NULL};
    /* Rows without their head: what is left of a table in a mail. */
    bool is_row = hist_row_begins(&line) && hist_row_parse(lines, &(struct hist_trigger){0}, &row) && row.has_count;
    return (struct probe_result){is_row ? LIKELY : NOT_MINE, NULL};
}

/* ---- series ---- */

static size_t slot_of(const struct hist *hist, const char *name)
{
    uint32_t sum = 2166136261u;
    for (const char *s = name; *s; s++)
        sum = (sum ^ (unsigned char)*s) * 16777619u; /* FNV-1a */
    size_t slot = sum & (N_SLOTS - 1);
    while (hist->slots[slot] && strcmp(hist->series[hist->slots[slot] - 1].name, name) != 0)
        slot = (slot + 1) & (N_SLOTS - 1);
    return slot;
}

static int64_t unit_ns(enum hist_unit unit)
{
    return unit == HIST_UNIT_NS ? 1 : 1000;
}

/* The series of that name, made if need be; NULL: there are too many. */
static struct hist_series *series_of(struct hist *hist, const struct hist_row *row, const char *name, enum hist_unit unit)
{
    if (!hist->slots)
        hist->slots = memory_new(N_SLOTS * sizeof *hist->slots);
    size_t slot = slot_of(hist, name);
    if (hist->slots[slot])
        return &hist->series[hist->slots[slot] - 1];
    if (hist->n_series >= MAX_SERIES) {
        hist->n_left_out++;
        return NULL;
    }
    struct series series = series_unknown();
    series.name = name;
    series.tool = "trace-hist";
    series.tid = row->tid;
    series.cpu = row->cpu;
    series.comm = row->comm[0] ? row->comm : NULL;
    series.resolution_ns = unit_ns(unit);
    series.unit_evidence = unit == HIST_UNIT_ASSUMED ? "differences of common_timestamp.usecs are us" : NULL;
    hist->is_assumed |= unit == HIST_UNIT_ASSUMED;
    memory_reserve(hist->series, hist->capacity, hist->n_series + 1);
    struct hist_series *kept = &hist->series[hist->n_series++];
    memset(kept, 0, sizeof *kept);
    snprintf(kept->name, sizeof kept->name, "%s", name);
    kept->series = import_series(hist->import, &series);
    kept->is_exact = true;
    hist->slots[slot] = (uint16_t)hist->n_series;
    return kept;
}

/* A row whose key is the value. */
static void add_bin(struct hist *hist, const struct hist_row *row)
{
    int64_t ns = unit_ns(row->unit);
    if (row->low > (uint64_t)(INT64_MAX / ns)) { /* an unsigned difference that was negative */
        hist->n_negative += row->count;
        return;
    }
    struct hist_series *kept = row->count ? series_of(hist, row, row->name, row->unit) : NULL;
    if (!kept || row->count > COUNT_UNKNOWN - 1 - kept->n) {
        hist->n_damaged += kept != NULL;
        return;
    }
    struct bin bin = {.low_ns = (int64_t)row->low * ns, .count = row->count};
    store_add_bins(hist->import->store, kept->series, &bin, 1);
    struct series *series = store_edit_series(hist->import->store, kept->series);
    kept->is_exact = kept->is_exact && row->width == 1;
    if (kept->n == 0 || bin.low_ns < kept->min_ns)
        kept->min_ns = bin.low_ns;
    if (kept->n == 0 || bin.low_ns > kept->max_ns)
        kept->max_ns = bin.low_ns;
    /* Ranges differ in width: what the widest hides is hidden for the series. */
    uint64_t width = row->width ? row->width : row->low > 1 ? row->low - 1 : 1;
    if (width <= (uint64_t)(INT64_MAX / ns) && (series->bin_width_ns == NS_UNKNOWN || (int64_t)width * ns > series->bin_width_ns))
        series->bin_width_ns = series->resolution_ns = (int64_t)width * ns;
    kept->n += row->count;
    series->n_samples = kept->n;
    /* Of a range only its edge is known, which is neither the least nor the largest value. */
    series->min_ns = kept->is_exact ? kept->min_ns : NS_UNKNOWN;
    series->max_ns = kept->is_exact ? kept->max_ns : NS_UNKNOWN;
}

/* A row that only sums its times: their average. */
static void add_sum(struct hist *hist, const struct hist_row *row)
{
    char name[HIST_NAME_MAX];
    int size = (int)sizeof name - 1;
    snprintf(name, sizeof name, "%.*s%s%.*s", (int)sizeof row->sum_name, row->sum_name, row->name[0] ? " " : "",
             size - (int)strlen(row->sum_name) - 1, row->name);
    size_t before = hist->n_series;
    struct hist_series *kept = series_of(hist, row, name, row->sum_unit);
    if (!kept || hist->n_series == before) /* the same keys once more: the sums belong to something that the name does not say */
        return;
    struct series *series = store_edit_series(hist->import->store, kept->series);
    series->n_samples = row->count;
    series->avg_ns = (double)row->sum / (double)row->count * (double)unit_ns(row->sum_unit);
}

/*
 * "max:        572  next_prio:         19  next_comm: cyclictest ..." below a row: the largest value, and what was saved with it. The
 * count above is of all hits, also of those that gave no value.
 */
static bool add_max(struct hist *hist, const struct line *line, const struct hist_row *row)
{
    const char *p = line->text, *end = p + line->length;
    enum hist_unit unit;
    uint64_t max;
    char name[HIST_NAME_MAX];
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "max:"))
        return false;
    scan_blanks(&p, end);
    const char *tracked = hist->trigger.tracked;
    if (!scan_u64(&p, end, &max) || !hist_names_time(tracked, strlen(tracked), &unit))
        return true;
    if (hist->trigger.tracked_unit != HIST_UNIT_ASSUMED)
        unit = hist->trigger.tracked_unit;
    if (max > (uint64_t)(INT64_MAX / unit_ns(unit))) {
        hist->n_negative++;
        return true;
    }
    struct hist_row named = *row;
    const char *comm = line_find(line, "next_comm: ");
    if (comm && !named.comm[0]) {
        const char *begin = comm + strlen("next_comm: "), *stop = begin;
        while (stop < end && stop - begin < 16 && *stop != ' ' && *stop != '\\')
            stop++;
        snprintf(named.comm, sizeof named.comm, "%.*s", (int)(stop - begin), begin);
    }
    snprintf(name, sizeof name, "%s %.*s", tracked, (int)(sizeof name - sizeof hist->trigger.tracked - 2), row->name);
    struct hist_series *kept = series_of(hist, &named, name, unit);
    if (kept)
        store_edit_series(hist->import->store, kept->series)->max_ns = (int64_t)max * unit_ns(unit);
    if (kept && !row->is_time && !row->has_sum && hist->n_other)
        hist->n_other--; /* it told something after all */
    return true;
}

static void add_row(struct hist *hist, const struct hist_row *row)
{
    hist->n_rows++;
    if (!row->has_count) {
        hist->n_shares++;
        return;
    }
    hist->n_hits += row->count;
    if (row->is_time)
        add_bin(hist, row);
    else if (row->is_damaged)
        hist->n_damaged++;
    else if (row->has_sum && row->count)
        add_sum(hist, row);
    else
        hist->n_other++;
}

/* ---- the end ---- */

/* "    Hits: 3157", "    Entries: 22", "    Dropped: 0" */
static void take_total(struct hist *hist, const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t n;
    scan_blanks(&p, end);
    hist->totals_line = line->number;
    if (scan_literal(&p, end, "Hits: ") && scan_u64(&p, end, &n))
        hist->n_stated_hits = n;
    if (scan_literal(&p, end, "Entries: ") && scan_u64(&p, end, &n))
        hist->n_stated_rows = n;
    if (scan_literal(&p, end, "Dropped: ") && scan_u64(&p, end, &n) && n)
        import_note(hist->import, "histogram-truncated", line->number, "%llu values found no room in the histogram", (unsigned long long)n);
}

static void check_totals(const struct hist *hist)
{
    if (hist->n_stated_rows != COUNT_UNKNOWN && hist->n_stated_rows > hist->n_rows) {
        import_note_n(hist->import, "entries-missing", hist->n_stated_rows - hist->n_rows, hist->totals_line,
                      "%llu of %llu rows of the histogram are here", (unsigned long long)hist->n_rows, (unsigned long long)hist->n_stated_rows);
        for (size_t i = 0; i < hist->n_series; i++)
            store_edit_series(hist->import->store, hist->series[i].series)->is_cut = true;
    } else if (hist->n_stated_hits != COUNT_UNKNOWN && hist->n_stated_hits != hist->n_hits && !hist->n_shares) {
        import_note(hist->import, "counts-mismatch", hist->totals_line, "the histogram states %llu hits, its rows add up to %llu",
                    (unsigned long long)hist->n_stated_hits, (unsigned long long)hist->n_hits);
    }
}

static bool is_total(const struct line *line)
{
    return line_starts(line, "Totals:") || line_starts(line, "Hits: ") || line_starts(line, "Entries: ") ||
           line_starts(line, "Dropped: ") || line_starts(line, "Duplicates: ");
}

/* What stands between the rows and tells nothing more: saved values, and what a snapshot was taken for. */
static bool is_aside(const struct line *line)
{
    return line_starts(line, "common_timestamp-") || line_starts(line, "prev_pid: ") || line_starts(line, "Snapshot taken (see tracing/snapshot)") || line_starts(line, "triggering value {") ||
           line_starts(line, "triggered by event with key:");
}

static void add_notes(const struct hist *hist)
{
    struct import *import = hist->import;
    check_totals(hist);
    if (hist->n_wrapped)
        import_note_n(import, "repaired-text", hist->n_wrapped, 0, "undone: %s", repair_name(REPAIR_WRAPPED));
    if (hist->is_assumed)
        import_note(import, "unit-assumed", 0, "values are taken as us: differences of common_timestamp.usecs");
    if (hist->n_other)
        import_note_n(import, "no-samples", hist->n_other, 0, "rows of a histogram whose keys name no time");
    if (hist->n_shares)
        import_note_n(import, "no-samples", hist->n_shares, 0, "rows of a histogram that print shares, no counts");
    if (hist->n_damaged)
        import_note_n(import, "damaged-lines", hist->n_damaged, 0, "rows of a histogram whose value or count cannot be read");
    if (hist->n_negative)
        import_note_n(import, "clock-jump", hist->n_negative, 0, "values are negative, printed as 2^64 - n, and left out");
    if (hist->n_left_out)
        import_note_n(import, "histogram-truncated", hist->n_left_out, 0, "rows left out: more than %d combinations of keys", MAX_SERIES);
}

static bool is_osnoise_file(const struct member *member)
{
    return member && strstr(member->name, "osnoise_") != NULL;
}

static enum status hist_read(struct import *import, struct lines *lines, struct error *error)
{
    struct hist hist = {.import = import, .trigger.is_osnoise = is_osnoise_file(import->member),
                        .n_stated_hits = COUNT_UNKNOWN, .n_stated_rows = COUNT_UNKNOWN};
    struct line line;
    struct hist_row row, last = {0}; /* the row above the line */
    struct text joined = {0};
    (void)error;
    while (lines_peek(lines, 0, &line)) {
        if (hist.n_rows && begins(&line))
            break;
        size_t n_lines = 1;
        if (line_starts(&line, "# trigger info:")) {
            n_lines = join_trigger(lines, &joined, &line);
            hist.n_wrapped += n_lines - 1;
            const char *text = line_find(&line, "# trigger info:") + 15, *end = line.text + line.length;
            scan_blanks(&text, end);
            size_t length = (size_t)(end - text);
            import_fact(import, "trace.trigger", "%.*s", (int)(length < 800 ? length : 800), text);
            hist_trigger_parse(&line, &hist.trigger);
        } else if (hist_row_parse(lines, &hist.trigger, &row)) {
            add_row(&hist, &row);
            hist.n_wrapped += row.is_wrapped;
            lines_skip(lines, row.n_lines);
            last = row;
            continue;
        } else if (is_total(&line)) {
            take_total(&hist, &line);
        } else if (!line_is_blank(&line) && !line_starts(&line, "#") && !is_aside(&line) && !(hist.n_rows && add_max(&hist, &line, &last))) {
            break;
        }
        lines_skip(lines, n_lines);
    }
    text_release(&joined);
    add_notes(&hist);
    free(hist.series);
    free(hist.slots);
    return OK;
}

static const char *const trace_hist_marks[] = {"^{", "# event histogram", "# trigger info: hist:key", NULL};

const struct importer importer_trace_hist = {
    .name = "trace-hist",
    .summary = "histograms of the kernel's hist triggers, sqlhist, rtla",
    .reads = "tables of keys and hit counts with a key that is a time (plain, .log2, .buckets, .hex), sums of times, onmax()",
    .probe_lines = hist_probe,
    .read_lines = hist_read,
    .marks = trace_hist_marks,
};
