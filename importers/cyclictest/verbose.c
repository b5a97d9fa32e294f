/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -v prints "thread:cycle:latency" without times, so these samples have only an order:
 *
 *            0:       0:      36
 *            0:       1:      42
 *
 * Up to 0.83 the line of cycle k carries the value of cycle k - 1, and the first line of each thread is no sample.
 * -o N prints one line per N samples, the largest. With --smi a second number is glued on.
 */
#include <string.h>

#include "base/bytes.h"
#include "importers/cyclictest/cyclictest.h"

bool verbose_line(const char *text, size_t length, int64_t *thread, int64_t *cycle, int64_t *value)
{
    const char *p = text, *end = p + length;
    scan_blanks(&p, end);
    if (!scan_i64(&p, end, thread) || !scan_literal(&p, end, ":"))
        return false;
    scan_blanks(&p, end);
    if (!scan_i64(&p, end, cycle) || !scan_literal(&p, end, ":"))
        return false;
    scan_blanks(&p, end);
    if (!scan_i64(&p, end, value))
        return false;
    if (scan_blanks(&p, end)) { /* the SMI count, or blanks */
        int64_t smi;
        scan_i64(&p, end, &smi);
        scan_blanks(&p, end);
    }
    bool fits = *value >= INT64_MIN / 1000 && *value <= INT64_MAX / 1000; /* in ns */
    return p == end && *thread >= 0 && *thread < MAX_THREADS && *cycle >= 0 && fits;
}

/* A field of eight: blanks, then digits. Branchless: blank ^ ' ' = 0x00, digit ^ ' ' = 0x10 .. 0x19. */
static inline bool eight_digits(const char *p, uint32_t *value)
{
    uint64_t x = read_le64(p) ^ UINT64_C(0x2020202020202020);
    uint64_t is_digit = x >> 4 & UINT64_C(0x0101010101010101);
    uint64_t bad = (x & UINT64_C(0xe0e0e0e0e0e0e0e0)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f) & ~(is_digit * 0x0f)) |
                   ((x + UINT64_C(0x0606060606060606)) & UINT64_C(0x2020202020202020)) |
                   (is_digit & ~(is_digit >> 8) & UINT64_C(0x00ffffffffffffff)); /* a blank after a digit */
    x &= UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = (x * 10 + (x >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x * 100 + (x >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *value = (uint32_t)(x * 10000 + (x >> 32));
    return bad == 0 && is_digit != 0;
}

struct take {
    struct import *import;
    struct cyclictest_state *state;
    struct thread_result *threads[MAX_THREADS]; /* by index */
};

/* A thread seen for the first time: its series must be there before its samples. */
static struct thread_result *first_seen(struct take *take, int64_t index, int64_t cycle, int64_t value, uint64_t line)
{
    struct result *result = &take->state->result;
    struct thread_result *t = result_thread(result, index);
    if (!t)
        return NULL;
    /* The table may have moved. */
    for (size_t i = 0; i < result->n_threads; i++)
        take->threads[result->threads[i].index] = &result->threads[i];
    t->line = line;
    t->first_cycle = (uint64_t)cycle;
    t->last_cycle = (uint64_t)cycle;
    t->sample_min = INT64_MAX;
    t->sample_max = INT64_MIN;
    t->is_late_by_one = cycle == 0 && value == 0;
    result_store(take->import, result);
    return t;
}

static inline void take_sample(struct take *take, struct thread_result *t, int64_t unit, int64_t cycle, int64_t value)
{
    uint64_t n = (uint64_t)cycle;
    if (t->n_lines && n != t->last_cycle + 1) {
        t->n_jumps++;
        t->n_jumped += n > t->last_cycle ? n - t->last_cycle - 1 : 0;
    }
    t->last_cycle = n;
    t->n_lines++;
    t->sample_min = value < t->sample_min ? value : t->sample_min;
    t->sample_max = value > t->sample_max ? value : t->sample_max;
    t->sample_sum += (double)value;
    struct sample sample = {.time_ns = NS_UNKNOWN, .cycle = n - t->is_late_by_one, .latency_ns = value * unit};
    store_add_sample(take->import->store, t->series, &sample);
}

/* Lines in the fixed layout of 27 bytes, from the raw bytes. Returns where it stopped; counts its lines. */
static const char *take_fixed(struct take *take, int64_t unit, const char *p, const char *end, uint64_t *n_lines)
{
    while (end - p >= 27 && p[8] == ':' && p[17] == ':' && p[26] == '\n') {
        uint32_t thread, cycle, value;
        if (!((int)eight_digits(p, &thread) & (int)eight_digits(p + 9, &cycle) & (int)eight_digits(p + 18, &value)) || thread >= MAX_THREADS)
            break;
        struct thread_result *t = take->threads[thread];
        if (!t || t->n_lines == 0)
            break;
        take_sample(take, t, unit, cycle, value);
        p += 27;
        ++*n_lines;
    }
    return p;
}

static int64_t guess_unit(struct result *result, struct lines *lines)
{
    if (tool_command_is_known(&result->command) || result->unit_ns)
        return result_unit(result);
    /* Without the command: a hundred lines that are all above 1000 are ns, as no wakeup takes 1 ms at best. */
    struct line line;
    int64_t thread, cycle, value, min = INT64_MAX;
    size_t n = 0;
    for (size_t k = 0; k < 200 && lines_peek(lines, k, &line); k++)
        if (verbose_line(line.text, line.length, &thread, &cycle, &value) && value > 0) {
            min = value < min ? value : min;
            n++;
        }
    result->unit_ns = n >= 10 && min >= 1000 ? 1 : 1000;
    result->unit_is_assumed = n >= 10 && min >= 1000;
    if (result->unit_ns == 1)
        result->unit_evidence = "all of 1000 and more: taken as ns (-N), since no wakeup takes 1 ms at best";
    return result->unit_ns;
}

static void finish(struct take *take)
{
    struct result *result = &take->state->result;
    for (size_t i = 0; i < result->n_threads; i++) {
        struct thread_result *t = &result->threads[i];
        if (!t->n_lines)
            continue;
        if (t->is_late_by_one)
            import_note(take->import, "tool-bug", t->line,
                        "thread %lld: rt-tests up to 0.83 print each value one cycle late and lose the last; set right",
                        (long long)t->index);
        struct series *series = store_edit_series(take->import->store, t->series);
        bool is_reduced = result->command.oscope > 1 || (result->command.oscope < 0 && t->n_jumps * 2 > t->n_lines && t->n_lines > 3);
        if (is_reduced)
            series->is_block_maxima = true;
        else if (t->n_jumps)
            import_note_n(take->import, "entries-missing", t->n_jumped, t->line,
                          "thread %lld: cycle numbers jump: samples were lost on the way", (long long)t->index);
    }
    result_store(take->import, result);
}

void verbose_read(struct import *import, struct cyclictest_state *state, struct lines *lines)
{
    struct result *result = &state->result;
    struct line line;
    int64_t thread, cycle, value;
    if (!result->is_open || result->run != import->run || result->has_verbose || result->has_status ||
        tool_command_is_known(&state->command))
        result_begin(import, state, "cyclictest", lines_number(lines));
    result->has_verbose = true;
    int64_t unit = guess_unit(result, lines);
    struct take take = {.import = import, .state = state}; /* 32 KB of pointers */
    for (;;) {
        const char *begin, *end;
        if (lines_raw(lines, &begin, &end)) {
            uint64_t n_lines = 0;
            const size_t part = (size_t)64 << 20; /* progress, and pages let go, now and then */
            const char *stop = (size_t)(end - begin) > part ? begin + part : end;
            const char *at = take_fixed(&take, unit, begin, stop, &n_lines);
            if (n_lines) {
                lines_raw_skip(lines, at, n_lines);
                import_progress(import, lines_offset(lines));
                continue;
            }
        }
        if (!lines_peek(lines, 0, &line))
            break;
        if (!verbose_line(line.text, line.length, &thread, &cycle, &value)) {
            struct line next; /* one damaged or foreign line within: stderr, a torn line */
            if (!lines_peek(lines, 1, &next) || !verbose_line(next.text, next.length, &thread, &cycle, &value))
                break;
            if (!line_is_blank(&line) && !line_has(&line, "Interval:") && !line_has(&line, "using cpu"))
                import_note(import, "damaged-lines", line.number, "'%.*s' is no sample", (int)(line.length < 60 ? line.length : 60), line.text);
            lines_skip(lines, 1);
            continue;
        }
        struct thread_result *t = take.threads[thread];
        if (t && t->n_lines && cycle == 0 && t->last_cycle > 1)
            break; /* begins again: another run */
        if (t && t->n_lines && line_may_be_cut(&line)) { /* "0: 1234: 1" of 15 */
            lines_skip(lines, 1);
            continue;
        }
        bool is_first = !t;
        if (is_first && !(t = first_seen(&take, thread, cycle, value, line.number)))
            break;
        if (is_first && t->is_late_by_one) {
            lines_skip(lines, 1);
            continue;
        }
        take_sample(&take, t, unit, cycle, value);
        lines_skip(lines, 1);
    }
    finish(&take);
}
