/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The histogram file of EVL's `latmus -g`.
 *
 *     # sampling period: 1000 microseconds
 *     # context: user
 *     # thread affinity: CPU1
 *     # min latency: 0.205
 *     0 95
 *     1 25561
 *     199+ 3
 *
 * A row n holds [n, n+1) us; counts are plain (unlike Xenomai's -g). The last row may end in '+': all that is larger.
 * Which lines with # exist differs by version.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/xeno_latency.h"

static struct probe_result plot_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    bool is_head = false;
    for (size_t k = 0; k < 6 && lines_peek(lines, k, &line) && line_starts(&line, "#"); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (cell_starts(text, "# test started on:") && k == 0)
            is_head = true;
        if (cell_starts(text, "# libevl version:") || (is_head && cell_starts(text, "# sampling period:")))
            return (struct probe_result){CERTAIN, NULL};
        if (k == 0 && cell_starts(text, "# sampling period:") && cell_ends(text, " microseconds"))
            return (struct probe_result){LIKELY, NULL};
    }
    return (struct probe_result){NOT_MINE, NULL};
}

static void read_affinity(struct import *import, struct latency_result *result, struct cell value)
{
    struct cell number = cell_starts(value, "CPU") ? cell_from(value, 3) : value;
    size_t digits = 0;
    while (digits < number.length && number.text[digits] >= '0' && number.text[digits] <= '9')
        digits++;
    cell_int(cell_first(number, digits), &result->cpu);
    import_fact(import, "latmus.cpu_isolated", "%s", cell_has(value, "noisol") ? "no" : "yes");
}

/* Up to the first blank. */
static struct cell first_word(struct cell text)
{
    size_t n = 0;
    while (n < text.length && text.text[n] != ' ')
        n++;
    return cell_first(text, n);
}

/* "name: value" of what was measured. False: of another name. */
static bool read_number(struct import *import, struct latency_result *result, struct cell name, struct cell value)
{
    int64_t ns;
    if (cell_is(name, "sampling period"))
        cell_ns(first_word(value), 3, &result->period_ns);
    else if (cell_is(name, "context"))
        cell_copy(value, result->mode, sizeof result->mode);
    else if (cell_is(name, "thread priority"))
        cell_int(value, &result->priority);
    else if (cell_is(name, "thread affinity"))
        read_affinity(import, result, value);
    else if (cell_is(name, "duration (hhmmss)"))
        cell_clock_ns(value, &result->duration_ns);
    else if (cell_is(name, "OVERRUNS"))
        cell_u64(value, &result->n_overruns);
    else if (cell_is(name, "IN-BAND SWITCHES"))
        cell_u64(value, &result->n_switches);
    else if (cell_is(name, "min latency"))
        cell_ns(value, 3, &result->min_ns);
    else if (cell_is(name, "avg latency"))
        result->avg_ns = cell_ns(value, 3, &ns) ? (double)ns : result->avg_ns;
    else if (cell_is(name, "max latency"))
        cell_ns(value, 3, &result->max_ns);
    else if (cell_is(name, "sample count"))
        cell_u64(value, &result->n_samples);
    else
        return false;
    return true;
}

/* "name: value" that is kept as it stands. */
static bool read_fact(struct import *import, struct cell name, struct cell value)
{
    static const struct {
        const char *name, *key;
    } facts[] = {{"peak (hhmmss)", "latmus.peak_time"}, {"libevl version", "evl.version"}, {"clock gravity", "evl.clock_gravity"},
                 {"clocksource", "clocksource"},        {"vDSO access", "evl.vdso_access"}, {"test started on", "latmus.start_time"}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (cell_is(name, facts[i].name)) {
            import_fact(import, facts[i].key, "%.*s", CELL_ARGS(value));
            return true;
        }
    return false;
}

/* What /proc/version and /proc/cmdline said. */
static void read_kernel(struct import *import, struct cell text)
{
    if (cell_starts(text, "Linux version ")) {
        import_fact(import, "kernel.release", "%.*s", CELL_ARGS(first_word(cell_from(text, strlen("Linux version ")))));
        struct cell version = cell_after(text, " #");
        if (version.length)
            import_fact(import, "kernel.version", "#%.*s", CELL_ARGS(version));
    } else if (cell_has(text, "BOOT_IMAGE=") || cell_has(text, "console=") || cell_has(text, "root=")) {
        import_fact(import, "cmdline", "%.*s", CELL_ARGS(text));
        struct cell isolated = first_word(cell_after(text, "isolcpus="));
        if (isolated.length)
            import_fact(import, "cmdline.isolcpus", "%.*s", CELL_ARGS(isolated));
    }
}

static void read_comment(struct import *import, struct latency_result *result, struct cell text)
{
    text = cell_trim(cell_from(text, 1));
    const char *colon = memchr(text.text, ':', text.length);
    struct cell name = colon ? cell_first(text, (size_t)(colon - text.text)) : text;
    struct cell value = colon ? cell_trim(cell_from(text, name.length + 1)) : (struct cell){"", 0};
    if (read_number(import, result, name, value))
        return;
    if (read_fact(import, name, value)) {
        if (cell_is(name, "libevl version"))
            import_tool_version(import, "%.*s", CELL_ARGS(value));
    } else if (cell_is(text, "C-state restricted")) {
        import_fact(import, "latmus.cstate_restricted", "1");
    } else {
        read_kernel(import, text);
    }
}

static enum status plot_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct latency_result result;
    latency_init(&result);
    result.tool = "latmus";
    result.line = lines_number(lines);
    result.bin_width_ns = 1000;
    result.overflow_is_apart = true;
    result.n_overflow = 0;
    struct cells words = {0};
    struct line line;
    bool has_rows = false;
    size_t n_foreign = 0; /* a pasted multi-line file has '#' only on its first line */
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        if (cell_starts(text, "#")) {
            if (has_rows)
                break;
            read_comment(import, &result, text);
            continue;
        }
        cells_of_line(&words, &line);
        struct cell index = cells_at(&words, 0);
        bool is_overflow = cell_ends(index, "+");
        if (is_overflow)
            index.length--;
        uint64_t cell, count;
        if (words.n != 2 || !cell_u64(index, &cell) || !cell_u64(words.cell[1], &count) || cell > 1000000000) {
            if (has_rows || ++n_foreign > 8)
                break;
            continue;
        }
        has_rows = true;
        if (is_overflow) {
            result.n_overflow = count;
            result.overflow_limit_ns = (int64_t)cell * 1000;
        } else if (count) {
            memory_reserve(result.bins, result.bins_capacity, result.n_bins + 1);
            result.bins[result.n_bins++] = (struct bin){(int64_t)cell * 1000, count};
        }
    }
    cells_release(&words);
    if (!has_rows) {
        result.n_overflow = COUNT_UNKNOWN;
        result.is_cut = true;
        import_note(import, "file-truncated", result.line, "the histogram is missing below its head");
    }
    latency_store(import, &result);
    latency_release(&result);
    return OK;
}

static const char *const evl_plot_marks[] = {"^#", NULL};

const struct importer importer_evl_plot = {
    .name = "latmus-plot",
    .summary = "histogram files of EVL latmus -g",
    .reads = "libevl 2019 to 2024: commented head, plain counts of 1 us cells, 'N+' as overflow",
    .probe_lines = plot_probe,
    .read_lines = plot_read,
    .marks = evl_plot_marks,
};
