/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which clock stamped a trace. The text never says. A trace_clock file beside it does ("local [mono] boot"). Clocks that
 * do not count ns (counter, uptime, x86-tsc) print whole numbers; `hrtimer_expire_entry: ... now=` tells the ns at
 * the same moments, so that the length of a tick can be had from two of them far apart.
 */
#include "importers/ftrace/reader.h"

#include <math.h>

#define N_ROWS_AHEAD 20000

const char *clock_beside(struct import *import)
{
    static const char *const names[] = {"local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai",
                                        "x86-tsc", "ppc-tb", "tsc2nsec"};
    const char *found = NULL;
    if (!import->input)
        return NULL;
    for (size_t i = 0; i < input_count(import->input) && !found; i++) {
        const struct member *member = input_member(import->input, i);
        const unsigned char *bytes;
        size_t size;
        if (strcmp(member->name, "trace_clock") != 0 || strcmp(member->directory, import->member->directory) != 0 ||
            i == import->member_index || input_map(import->input, i, &bytes, &size, NULL) == FAILED)
            continue;
        const unsigned char *open = memchr(bytes, '[', size);
        if (open)
            for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
                size_t n = strlen(names[k]);
                if ((size_t)(bytes + size - open) > n + 1 && memcmp(open + 1, names[k], n) == 0 && open[n + 1] == ']')
                    found = names[k];
            }
        input_unmap(import->input, i);
    }
    return found;
}

/* The stamp and the ns of an expiry row; false for others. */
static bool take_pair(const struct ftrace_row *row, int64_t *now_ns)
{
    const char *at = memmem(row->body, (size_t)(row->end - row->body), "hrtimer_expire_entry:", 21);
    if (at != row->body)
        return false;
    const char *now = memmem(row->body, (size_t)(row->end - row->body), " now=", 5);
    if (!now)
        return false;
    now += 5;
    return scan_i64(&now, row->end, now_ns) && *now_ns >= 0 && *now_ns <= NS_LIMIT;
}

void clock_find_scale(struct ftrace_reader *reader, struct import *import, struct lines *lines)
{
    struct clock_scale *scale = &reader->scale;
    int64_t first_stamp = 0, first_ns = 0, last_stamp = 0, last_ns = 0, previous = INT64_MIN;
    uint64_t n_pairs = 0, n_rows = 0, n_next = 0;
    struct line line;
    struct ftrace_row row;
    for (size_t k = 0; k < N_ROWS_AHEAD && ftrace_peek_in_trace(lines, k, &line); k++) {
        if (!ftrace_row_parse(line.text, line.length, &row) || !row.time_is_count)
            continue;
        n_rows++;
        n_next += row.time == previous + 1;
        previous = row.time;
        int64_t now_ns;
        if (!take_pair(&row, &now_ns))
            continue;
        if (n_pairs++ == 0) {
            first_stamp = row.time;
            first_ns = now_ns;
        }
        last_stamp = row.time;
        last_ns = now_ns;
    }
    scale->how = SCALE_ORDER;
    scale->resolution_ns = NS_UNKNOWN;
    bool is_counter = reader->clock ? strcmp(reader->clock, "counter") == 0 : n_rows > 1 && n_next * 2 > n_rows;
    if (is_counter) {
        reader->clock = "counter"; /* one up per event */
        return;
    }
    /* uptime counts hundredths of a second since boot, whatever the kernel's HZ, and so do the expiries' ns. */
    bool is_uptime = reader->clock ? strcmp(reader->clock, "uptime") == 0
                                   : n_pairs && first_stamp > 100 && fabs((double)first_ns / (double)first_stamp / 1e7 - 1) < 0.02;
    double ns = 1e7;
    if (is_uptime) {
        reader->clock = "uptime";
        scale->resolution_ns = 10000000;
        first_stamp = first_ns = 0;
        import_note(import, "clock-granularity", 0, "stamps are hundredths of a second: spans below say nothing");
    } else {
        if (n_pairs < 2 || last_stamp <= first_stamp || last_ns <= first_ns)
            return;
        ns = ((double)last_ns - (double)first_ns) / ((double)last_stamp - (double)first_stamp);
        scale->resolution_ns = ns < 1 ? 1 : (int64_t)ceil(ns);
        if (!reader->clock)
            reader->clock = "cycles";
        import_note(import, "unit-assumed", 0,
                    "stamps are cycles of %.4f ns, by the timer expiries that state the time in ns", ns);
    }
    scale->how = SCALE_RATIO;
    scale->ns_per_tick = ns;
    scale->origin = first_stamp;
    scale->origin_ns = first_ns;
}

int64_t clock_time_ns(const struct ftrace_reader *reader, const struct ftrace_row *row)
{
    const struct clock_scale *scale = &reader->scale;
    if (!row->time_is_count || scale->how != SCALE_RATIO)
        return row->time;
    int64_t ticks;
    double ns = __builtin_sub_overflow(row->time, scale->origin, &ticks) ? (double)INFINITY : (double)ticks * scale->ns_per_tick;
    return fabs(ns) < (double)NS_LIMIT ? scale->origin_ns + (int64_t)llround(ns) : row->time;
}
