/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rtla: timerlat, osnoise and hwnoise, the tools of the kernel tree (tools/tracing/rtla), 5.17 to 7.x.
 *
 *       0 00:00:04   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)
 *     CPU COUNT      |      cur       min       avg       max |      cur       min       avg       max
 *       0 #252       |     5535         2      2161     61030 |     5657        62      2680     61167
 *
 * No output names the version: the forms are told apart by their words. What is odd: live mode repeats the whole
 * table (only the last frame counts); the ALL rows are sums and may lack their newline; a column without samples
 * prints 2^64-1 as its minimum (6.1); osnoise's histogram computes min and max from bucket edges; the auto-analysis
 * may print stale values (a delay of the trace's own time stamp). One file per form: rtla_top.c, rtla_noise.c,
 * rtla_hist.c, rtla_report.c.
 */
#include "importers/rtla.h"

#include <stdio.h>

const char *const rtla_column_names[RTLA_N_COLUMNS] = {"irq", "thread", "user"};

struct series rtla_timerlat_series(int cpu, enum rtla_column column, int64_t unit_ns, char *name, size_t size)
{
    struct series series = series_unknown();
    snprintf(name, size, "cpu %d %s", cpu, rtla_column_names[column]);
    series.name = name;
    series.tool = "rtla timerlat";
    series.path = column == RTLA_IRQ ? PATH_IRQ_HANDLER : PATH_TIMER_WAKEUP;
    series.cpu = cpu;
    series.resolution_ns = unit_ns;
    series.omission = OMISSION_SKIPS; /* timerlat_main() steps over periods that have passed */
    return series;
}

bool rtla_duration(struct cell text, int64_t *ns)
{
    struct cells words = {0};
    cells_add_words(&words, text.text, text.length);
    uint64_t days = 0;
    int64_t clock_ns;
    bool is_known;
    if (cell_u64(cells_at(&words, 0), &days))
        is_known = days < 366 && cell_clock_ns(cells_at(&words, 1), &clock_ns);
    else
        is_known = cell_clock_ns(cells_at(&words, 0), &clock_ns);
    if (is_known)
        *ns = (int64_t)days * 86400 * 1000000000 + clock_ns;
    cells_release(&words);
    return is_known;
}

bool rtla_is_message(struct cell text)
{
    return cell_has(text, " hit stop tracing") || cell_starts(text, "Saving trace to ") ||
           cell_starts(text, "Max latency was ") || cell_has(text, "events missed, results might not be accurate") ||
           cell_starts(text, "Max timerlat IRQ latency from idle:");
}

void rtla_message(struct import *import, struct cell text, uint64_t line)
{
    if (cell_has(text, " hit stop tracing"))
        import_fact(import, "rtla.stop", "%.*s", CELL_ARGS(text));
    else if (cell_starts(text, "Saving trace to "))
        import_fact(import, "rtla.trace_file", "%.*s", CELL_ARGS(cell_after(text, "Saving trace to ")));
    else if (cell_starts(text, "Max latency was "))
        import_fact(import, "rtla.max_latency", "%.*s", CELL_ARGS(cell_after(text, "Max latency was ")));
    else if (cell_starts(text, "Max timerlat IRQ latency from idle:"))
        import_fact(import, "rtla.max_irq_latency_from_idle", "%.*s", CELL_ARGS(cell_after(text, "idle:")));
    else
        import_note(import, "events-lost", line, "rtla says: %.*s", CELL_ARGS(text));
}

static struct cell line_text(struct lines *lines, size_t k, uint64_t *number)
{
    struct line line;
    if (!lines_peek(lines, k, &line))
        return (struct cell){"", 0};
    if (number)
        *number = line.number;
    return cell_trim(cell_of(&line));
}

static struct probe_result rtla_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct cell text = line_text(lines, 0, NULL);
    if (text.length < 4)
        return (struct probe_result){NOT_MINE, NULL};
    int sureness = rtla_top_probe(lines);
    int other = rtla_noise_probe(lines);
    sureness = other > sureness ? other : sureness;
    other = rtla_hist_probe(lines);
    sureness = other > sureness ? other : sureness;
    other = rtla_report_probe(lines);
    sureness = other > sureness ? other : sureness;
    if (!sureness && rtla_is_wrapped(lines))
        sureness = CERTAIN;
    if (!sureness && rtla_is_message(text) && text.length < 120)
        sureness = PLAUSIBLE;
    return (struct probe_result){sureness, NULL};
}

/* A table that mail wrapped, read from a copy of it. */
static enum status read_wrapped(struct import *import, struct lines *lines, struct error *error)
{
    struct text text = {0};
    uint64_t first = lines_number(lines);
    import_note_n(import, "repaired-text", rtla_unwrap(lines, &text), first, "undone: %s", repair_name(REPAIR_WRAPPED));
    struct lines *whole = lines_new_at(text_string(&text), text.length, first);
    struct line line;
    enum status status = OK;
    while (status != FAILED && lines_peek(whole, 0, &line)) {
        size_t before = lines_tell(whole);
        if (rtla_top_probe(whole))
            status = rtla_top_read(import, whole, error);
        else if (rtla_noise_probe(whole))
            status = rtla_noise_read(import, whole, error);
        if (lines_tell(whole) == before)
            lines_skip(whole, 1);
    }
    lines_free(whole);
    text_release(&text);
    return status;
}

static enum status rtla_read(struct import *import, struct lines *lines, struct error *error)
{
    if (rtla_is_wrapped(lines))
        return read_wrapped(import, lines, error);
    if (rtla_top_probe(lines))
        return rtla_top_read(import, lines, error);
    if (rtla_noise_probe(lines))
        return rtla_noise_read(import, lines, error);
    if (rtla_hist_probe(lines))
        return rtla_hist_read(import, lines, error);
    if (rtla_report_probe(lines))
        return rtla_report_read(import, lines, error);
    uint64_t number = 0;
    struct cell text = line_text(lines, 0, &number);
    if (rtla_is_message(text))
        rtla_message(import, text, number);
    lines_skip(lines, 1);
    return OK;
}

static const char *const rtla_marks[] = {
    "^0", "Timer Latency", "CPU COUNT", "CPU Period", "Operating System Noise", "Hardware-related Noise", "duration:", "Index ",
    "# RTLA", "# Time unit", "## CPU ", "Previous IRQ", "IRQ handler delay", "hit stop tracing", "Saving trace to",
    "Max latency was", "events missed", "Max timerlat", NULL,
};

const struct importer importer_rtla = {
    .name = "rtla",
    .summary = "rtla timerlat, osnoise, hwnoise (top, hist, auto-analysis)",
    .reads = "rtla 5.17 to 7.x: timerlat top and hist (us, ns, user threads), osnoise top and hist, hwnoise, "
             "auto-analysis text, also pasted without tabs, wrapped or quoted",
    .probe_lines = rtla_probe,
    .read_lines = rtla_read,
    .marks = rtla_marks,
};
