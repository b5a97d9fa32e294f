/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stress-ng --cyclic.
 *
 *     stress-ng: info:  [2434] cyclic: sched SCHED_FIFO: 20000 ns delay, 10000 samples
 *     stress-ng: info:  [2436] cyclic:   mean: 3826.39 ns, mode: 2968 ns
 *     stress-ng: info:  [2436] cyclic:   min: 2603 ns, max: 2073993 ns, std.dev. 29163.42
 *     stress-ng: info:  [2436] cyclic:   50.00%:       3020 ns
 *
 * Everything is ns. It stops after 10,000 samples by default, however long it was told to run. With --cyclic-dist a
 * distribution of that interval follows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "importers/cells.h"
#include "importers/importer.h"

const struct importer importer_stress_ng;

/* The text behind "cyclic:", empty if the line is another's. */
static struct cell cyclic_text(const struct line *line)
{
    struct cell text = cell_trim(cell_of(line));
    if (!cell_has(text, "stress-ng:"))
        return (struct cell){"", 0};
    return cell_after(text, "cyclic:");
}

static struct probe_result cyclic_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line))
        return (struct probe_result){NOT_MINE, NULL};
    struct cell text = cyclic_text(&line);
    bool is_mine = cell_starts(text, "sched ") || cell_starts(text, "mean:") || line_starts(&line, "stress-ng, version ") ||
                   line_has(&line, "stress-ng --cyclic ");
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

/* "min: 2603 ns": the number behind a word, in ns with decimals. */
static bool value_after(struct cell text, const char *word, double *value)
{
    struct cell rest = cell_after(text, word);
    size_t n = 0;
    while (n < rest.length && ((rest.text[n] >= '0' && rest.text[n] <= '9') || rest.text[n] == '.'))
        n++;
    struct decimal decimal = decimal_parse(rest.text, n);
    if (n && decimal.is_known)
        *value = decimal_value(decimal);
    return n && decimal.is_known;
}

/* What a command line in front of the results said. */
struct command {
    int priority; /* 0: nothing */
};

/* "stress-ng, version 0.15.02 (gcc ...)" and "... stress-ng --cyclic 1 --cyclic-prio 95 -t 600s" */
static bool read_preamble(struct import *import, struct lines *lines, const struct line *line)
{
    struct cell text = cell_trim(cell_of(line));
    struct command *command = import_state(import, &importer_stress_ng, sizeof *command);
    if (cell_starts(text, "stress-ng, version ")) {
        import_fact(import, "stress-ng.version", "%.*s", CELL_ARGS(cell_after(text, "version ")));
    } else if (cell_has(text, "stress-ng --cyclic ")) {
        double value;
        import_fact(import, "stress-ng.command", "%.*s", CELL_ARGS(text));
        if (value_after(text, "--cyclic-prio ", &value) && value < 100) {
            command->priority = (int)value;
            import_fact(import, "stress-ng.priority", "%d", command->priority);
        }
    } else {
        return false;
    }
    lines_skip(lines, 1);
    return true;
}

struct cyclic {
    struct series series;
    struct bin *bins;
    size_t n_bins, capacity;
    int64_t width_ns;
    bool has_mean;
};

/* "sched SCHED_FIFO: 20000 ns delay, 10000 samples" */
static void read_head(struct cyclic *cyclic, struct cell text)
{
    char name[32];
    struct cell policy = cell_after(text, "sched ");
    size_t n = 0;
    while (n < policy.length && policy.text[n] != ':' && policy.text[n] != ' ')
        n++;
    cyclic->series.policy = policy_from_name(cell_copy(cell_first(policy, n), name, sizeof name));
    double value;
    if (value_after(policy, ":", &value) && cell_has(text, " ns delay"))
        cyclic->series.interval_ns = ns_rounded(value);
    if (value_after(text, "delay, ", &value))
        cyclic->series.n_samples = (uint64_t)value;
}

static void read_line(struct import *import, struct cyclic *cyclic, struct cell text)
{
    double value;
    if (cell_starts(text, "mean:")) {
        if (value_after(text, "mean:", &value))
            cyclic->series.avg_ns = value;
        cyclic->has_mean = true;
    } else if (cell_starts(text, "min:")) {
        if (value_after(text, "min:", &value))
            cyclic->series.min_ns = ns_rounded(value);
        if (value_after(text, "max:", &value))
            cyclic->series.max_ns = ns_rounded(value);
        if (value_after(text, "std.dev.", &value))
            import_fact(import, "stress-ng.std_dev_ns", "%.2f", value);
    } else if (cell_starts(text, "latency distribution")) {
        if (value_after(text, "(", &value))
            cyclic->width_ns = ns_rounded(value);
    } else if (cell_has(text, "%:")) {
        const char *percent = memchr(text.text, '%', text.length);
        if (value_after(text, "%:", &value)) {
            char key[64];
            snprintf(key, sizeof key, "stress-ng.percentile.%.*s", (int)(percent - text.text > 16 ? 16 : percent - text.text), text.text);
            import_fact(import, key, "%.0f ns", value);
        }
    } else {
        struct cells words = {0};
        int64_t low;
        uint64_t count;
        cells_add_words(&words, text.text, text.length);
        if (words.n == 2 && cell_i64(words.cell[0], &low) && cell_u64(words.cell[1], &count) && cyclic->width_ns > 0) {
            memory_reserve(cyclic->bins, cyclic->capacity, cyclic->n_bins + 1);
            cyclic->bins[cyclic->n_bins++] = (struct bin){low, count};
        }
        cells_release(&words);
    }
}

/* A mail's line break cuts it: what its kind of line ends with is missing. */
static bool lacks_end(struct cell text)
{
    struct cell cyclic = cell_after(text, "cyclic:");
    if (cell_starts(cyclic, "sched "))
        return !cell_has(cyclic, " samples");
    if (cell_starts(cyclic, "mean:"))
        return !cell_ends(cyclic, "ns");
    return cell_ends(cyclic, ",") || cell_ends(cyclic, "std.dev.") || (cell_starts(cyclic, "min:") && !cell_has(cyclic, "max:"));
}

/* "... 10000 ns delay, \" and "10000 samples" on the next line. Returns how many lines; more than 1: *line is both. */
static size_t join_wrapped(struct lines *lines, struct text *joined, struct line *line)
{
    struct cell text = cell_trim(cell_of(line));
    struct line next;
    bool has_stroke = cell_ends(text, "\\");
    if (has_stroke)
        text = cell_trim(cell_first(text, text.length - 1));
    if (!cyclic_text(line).length || !(has_stroke || lacks_end(text)) ||
        !lines_peek(lines, 1, &next) || line_has(&next, "stress-ng:") || line_is_blank(&next))
        return 1;
    text_truncate(joined, 0);
    text_add_n(joined, text.text, text.length);
    text_add_char(joined, ' ');
    text_add_n(joined, next.text, next.length);
    line->text = text_string(joined);
    line->length = joined->length;
    return 2;
}

static enum status cyclic_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct cyclic cyclic = {.series = series_unknown()};
    struct line line;
    if (lines_peek(lines, 0, &line) && !cyclic_text(&line).length && read_preamble(import, lines, &line))
        return OK;
    const struct command *command = import_state(import, &importer_stress_ng, sizeof *command);
    if (command->priority)
        cyclic.series.priority = command->priority;
    struct text joined = {0};
    size_t n_lines = 1;
    for (bool is_first = true; lines_peek(lines, 0, &line); lines_skip(lines, n_lines), is_first = false) {
        n_lines = join_wrapped(lines, &joined, &line);
        struct cell text = cyclic_text(&line);
        if (!text.length && !(line_has(&line, "stress-ng:") && line_has(&line, "cyclic:")))
            break;
        if (cell_starts(text, "sched ")) {
            if (!is_first)
                break;
            read_head(&cyclic, text);
        } else if (cell_starts(text, "mean:") && cyclic.has_mean) {
            break; /* another instance */
        } else {
            read_line(import, &cyclic, text);
        }
    }
    text_release(&joined);
    struct series *series = &cyclic.series;
    series->name = "cyclic";
    series->tool = "stress-ng";
    series->path = PATH_TIMER_WAKEUP;
    series->resolution_ns = 1;
    if (cyclic.n_bins) {
        series->bin_width_ns = cyclic.width_ns;
        uint64_t sum = 0;
        for (size_t i = 0; i < cyclic.n_bins; i++)
            sum += cyclic.bins[i].count;
        if (series->n_samples != COUNT_UNKNOWN && sum < series->n_samples) { /* only the first intervals are printed */
            series->n_overflow = series->n_samples - sum;
            series->overflow_limit_ns = cyclic.bins[cyclic.n_bins - 1].low_ns + cyclic.width_ns;
        } else if (series->n_samples != COUNT_UNKNOWN && sum > series->n_samples) {
            import_note(import, "counts-mismatch", line.number, "the distribution holds %llu samples, the head says %llu",
                        (unsigned long long)sum, (unsigned long long)series->n_samples);
        } else {
            series->n_overflow = 0;
        }
    }
    uint32_t index = import_series(import, series);
    store_add_bins(import->store, index, cyclic.bins, cyclic.n_bins);
    free(cyclic.bins);
    return OK;
}

static const char *const stress_ng_marks[] = {"stress-ng", NULL};

const struct importer importer_stress_ng = {
    .name = "stress-ng",
    .summary = "stress-ng --cyclic",
    .reads = "stress-ng 0.09 to 0.17: head, mean, extremes, percentiles, distribution",
    .probe_lines = cyclic_probe,
    .read_lines = cyclic_read,
    .marks = stress_ng_marks,
};
