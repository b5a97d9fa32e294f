/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Status lines:
 *
 *     policy: fifo: loadavg: 0.31 0.31 0.19 1/358 2236
 *     T: 0 ( 2234) P: 2 I:10000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     129
 *
 * Split on the labels, never on columns: every field grows, mail wraps at any blank, people cut fields out. signaltest
 * prints them without I:, cyclicdeadline without P:.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "importers/cyclictest/cyclictest.h"

struct label {
    const char *name;
    int64_t *value;
};

static bool digit_follows(const char *p, const char *end)
{
    scan_blanks(&p, end);
    return p < end && ((*p >= '0' && *p <= '9') || (*p == '-' && p + 1 < end && p[1] >= '0' && p[1] <= '9'));
}

/* A number of any length; what does not fit is the largest there is. */
static bool number(const char **p, const char *end, int64_t *value)
{
    const char *q = *p;
    scan_blanks(&q, end);
    if (!digit_follows(q, end))
        return false;
    const char *begin = q;
    if (!scan_i64(&q, end, value)) {
        *value = *begin == '-' ? INT64_MIN + 1 : INT64_MAX;
        while (q < end && (*q == '-' || (*q >= '0' && *q <= '9')))
            q++;
    }
    *p = q;
    return true;
}

/* The fields in text; how many labels had a number. `ends_open`: the text ends in the middle of a field. */
static int parse_fields(const char *p, const char *end, struct status_line *s, bool *ends_open)
{
    const struct label labels[] = {
        {"Min:", &s->min}, {"Act:", &s->act}, {"Avg:", &s->avg}, {"Max:", &s->max}, {"SMI:", &s->smi}, {"T:", &s->index},
        {"P:", &s->priority}, {"I:", &s->interval_us}, {"C:", &s->cycles}, {"Y:", NULL},
    };
    int n_fields = 0;
    *ends_open = false;
    while (p < end) {
        bool is_taken = false;
        if (*p == '(') {
            const char *q = p + 1;
            if (number(&q, end, &s->tid)) {
                scan_blanks(&q, end);
                if (q < end && *q == ')')
                    q++;
                else
                    *ends_open = q == end;
                n_fields++;
            } else {
                *ends_open = true;
            }
            p = q;
            continue;
        }
        if (*p == ' ' || *p == '\t' || *p == ')' || *p == '|' || *p == ',') {
            p++;
            continue;
        }
        for (size_t i = 0; i < sizeof labels / sizeof *labels && !is_taken; i++) {
            const char *q = p;
            int64_t value;
            if (!scan_literal(&q, end, labels[i].name))
                continue;
            is_taken = true;
            const char *after = q;
            if (!number(&q, end, &value)) {
                *ends_open = true;
                p = q;
                break;
            }
            *ends_open = false;
            if (labels[i].value == &s->act)
                s->is_wide = q - after >= 8;
            if (labels[i].value == &s->min)
                s->is_padded = q - after >= 7;
            if (labels[i].value == &s->interval_us)
                s->interval_is_padded = *after == ' ';
            /* Below a minimum and an average that agree: the line was cut within its last number. */
            bool is_cut = labels[i].value == &s->max && q == end && value > 0 && value < s->min && s->min <= s->avg;
            if (labels[i].value && !is_cut)
                *labels[i].value = value;
            n_fields++;
            p = q;
        }
        if (!is_taken)
            break; /* prose follows */
    }
    return n_fields;
}

/* Does a line go on with what the one before left open: a bare number, or a label that comes later? */
static bool continues(const struct line *line, const struct status_line *s, bool is_open)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    if (p == end)
        return false;
    if (is_open)
        return digit_follows(p, end) || *p == ')' || *p == '(';
    static const char *const later[] = {"P:", "I:", "C:", "Min:", "Act:", "Avg:", "Max:", "SMI:", "("};
    const int64_t values[] = {s->priority, s->interval_us, s->cycles, s->min, s->act, s->avg, s->max, s->smi, s->tid};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        const char *q = p;
        if (scan_literal(&q, end, later[i]))
            return values[i] == PRINTED_UNKNOWN;
    }
    return false;
}

static struct status_line empty_status(void)
{
    return (struct status_line){
        .index = PRINTED_UNKNOWN, .tid = PRINTED_UNKNOWN, .priority = PRINTED_UNKNOWN, .interval_us = PRINTED_UNKNOWN,
        .cycles = PRINTED_UNKNOWN, .min = PRINTED_UNKNOWN, .act = PRINTED_UNKNOWN, .avg = PRINTED_UNKNOWN,
        .max = PRINTED_UNKNOWN, .smi = PRINTED_UNKNOWN, .n_lines = 1};
}

/* Where the kernel's own message begins that a serial console has put into the line: "[  123.456789] "; n: none. */
static size_t message_at(const char *text, size_t n)
{
    for (const char *open = text; (open = memchr(open, '[', n - (size_t)(open - text))); open++) {
        const char *p = open + 1, *end = text + n;
        uint64_t number;
        scan_blanks(&p, end);
        if (!scan_u64(&p, end, &number) || !scan_literal(&p, end, "."))
            continue;
        const char *decimals = p;
        if (scan_u64(&p, end, &number) && p - decimals == 6 && scan_literal(&p, end, "]"))
            return (size_t)(open - text);
    }
    return n;
}

/* Behind the message the line goes on, also within a number: "7", "7 Act:    5 ..." */
static bool ends_number(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t number;
    bool is_short = scan_u64(&p, end, &number) && p - line->text < 8;
    scan_blanks(&p, end);
    return is_short && (p == end || (*p >= 'A' && *p <= 'Z'));
}

bool status_line_parse(struct lines *lines, struct status_line *status)
{
    struct line line;
    char joined[512];
    bool is_open;
    if (!lines_peek(lines, 0, &line))
        return false;
    const char *p = line.text, *end = p + line.length;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '|' || *p == '*' || *p == '#'))
        p++;
    enum policy policy;
    bool has_policy;
    char load[64];
    const char *rest = p;
    bool after_header = header_line_parse(&line, &policy, &has_policy, load, &rest) && rest < end;
    if (!after_header && (end - p < 2 || p[0] != 'T' || p[1] != ':'))
        return false;
    if (after_header)
        p = rest;
    size_t n = (size_t)(end - p);
    if (n >= sizeof joined)
        n = sizeof joined - 1;
    memcpy(joined, p, n);
    size_t k = 1, message = message_at(joined, n);
    struct line more;
    bool is_interrupted = message < n;
    n = message;
    if (is_interrupted && n && joined[n - 1] >= '0' && joined[n - 1] <= '9' && lines_peek(lines, 1, &more) && ends_number(&more) &&
        more.length < sizeof joined - n) {
        memcpy(joined + n, more.text, more.length);
        n += more.length;
        k = 2;
    }
    *status = empty_status();
    status->n_lines = k;
    int n_fields = parse_fields(joined, joined + n, status, &is_open);
    /* Wrapped: take the next lines as long as they go on with it. */
    for (; k <= 4 && (is_open || status->max == PRINTED_UNKNOWN || status->avg == PRINTED_UNKNOWN); k++) {
        struct line next;
        if (!lines_peek(lines, k, &next) || next.length + n + 1 >= sizeof joined || !continues(&next, status, is_open))
            break;
        joined[n++] = ' ';
        memcpy(joined + n, next.text, next.length);
        n += next.length;
        *status = empty_status();
        n_fields = parse_fields(joined, joined + n, status, &is_open);
        status->n_lines = k + 1;
    }
    struct line last;
    status->may_be_cut = lines_peek(lines, status->n_lines - 1, &last) && last.is_unterminated &&
                         (line_may_be_cut(&last) || status->max == PRINTED_UNKNOWN);
    if (status->max == PRINTED_UNKNOWN && status->min == PRINTED_UNKNOWN)
        return false;
    if (n_fields < (after_header ? 1 : 3))
        return false;
    if (memmem(joined, n, "A:", 2) && !memmem(joined, n, "I:", 2)) /* jitterdebugger's look-alike */
        return false;
    bool has_interval = status->interval_us != PRINTED_UNKNOWN, has_priority = status->priority != PRINTED_UNKNOWN;
    status->tool = after_header || has_interval == has_priority ? "cyclictest" : has_priority ? "signaltest" : "cyclicdeadline";
    if (status->index == PRINTED_UNKNOWN)
        status->index = 0;
    return status->index >= 0 && status->index < MAX_THREADS;
}

/* "0.31 0.31 0.19 1/358 2236"; numbers not said to be loads need the tasks behind them. */
static bool load_average(const char **p, const char *end, bool is_named, char load[64])
{
    const char *q = *p;
    int64_t x;
    uint64_t n;
    for (int i = 0; i < 3; i++) {
        const char *before = q;
        if (!scan_decimal(&q, end, 2, &x) || q - before < 4 || q[-3] != '.' || (!scan_blanks(&q, end) && (!is_named || q < end)))
            return false;
    }
    const char *load_end = q;
    while (load_end > *p && load_end[-1] == ' ')
        load_end--;
    if (scan_u64(&q, end, &n) && scan_literal(&q, end, "/") && scan_u64(&q, end, &n)) {
        load_end = q;
        if (scan_blanks(&q, end) && scan_u64(&q, end, &n))
            load_end = q;
    } else if (!is_named) {
        return false;
    }
    size_t length = (size_t)(load_end - *p);
    if (length >= 64)
        return false;
    memcpy(load, *p, length);
    load[length] = '\0';
    *p = load_end;
    return true;
}

bool header_line_parse(const struct line *line, enum policy *policy, bool *has_policy, char load[64], const char **rest)
{
    const char *p = line->text, *end = p + line->length;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '#' || *p == '|'))
        p++;
    *policy = POLICY_UNKNOWN;
    *has_policy = false;
    load[0] = '\0';
    if (scan_literal(&p, end, "policy:")) {
        char name[16];
        size_t n = 0;
        scan_blanks(&p, end);
        while (p < end && *p != ':' && *p != '/' && *p != ' ' && n + 1 < sizeof name)
            name[n++] = *p++;
        name[n] = '\0';
        while (p < end && *p != ':')
            p++;
        *policy = policy_from_name(name);
        *has_policy = true;
        if (!scan_literal(&p, end, ":"))
            return false;
        scan_blanks(&p, end);
        if (!scan_literal(&p, end, "loadavg:"))
            return false;
        scan_blanks(&p, end);
        load_average(&p, end, true, load);
    } else if (!load_average(&p, end, false, load)) {
        return false;
    }
    scan_blanks(&p, end);
    if (rest)
        *rest = p;
    return true;
}

/* Numbers of a status line into the result's thread. */
static void fill_thread(struct thread_result *thread, const struct status_line *s, uint64_t line)
{
    thread->tid = s->tid;
    thread->priority = s->priority;
    thread->interval_us = s->interval_us;
    thread->cycles = s->cycles;
    thread->min = s->min;
    thread->act = s->act;
    thread->avg = s->avg;
    thread->max = s->max;
    thread->smi = s->smi;
    thread->is_wide = s->is_wide;
    thread->is_padded = s->is_padded;
    thread->interval_is_padded = s->interval_is_padded;
    thread->line = line;
    thread->was_doubled = false;
}

/* A later frame of the same run: the same thread, further on. */
static bool is_later_frame(const struct thread_result *old, const struct status_line *s)
{
    if (old->n_lines && old->cycles == PRINTED_UNKNOWN)
        return s->cycles != PRINTED_UNKNOWN && (uint64_t)s->cycles >= old->n_lines; /* the summary behind -v lines */
    if (old->tid == PRINTED_UNKNOWN && old->cycles != PRINTED_UNKNOWN)
        return s->cycles == old->cycles; /* JSON of the same run */
    if (s->tid == PRINTED_UNKNOWN || s->cycles == PRINTED_UNKNOWN || old->cycles == PRINTED_UNKNOWN)
        return false;
    return (old->tid == s->tid || old->tid == 0) && s->cycles >= old->cycles;
}

/*
 * Threads of one run have run for about as long. "with PREEMPT: T: 2 ... C: 49024 / with PREEMPT_RT: T: 6 ... C: 25284" are the
 * worst threads of two.
 */
static bool ran_apart(const struct result *result, const struct status_line *s)
{
    if (s->cycles == PRINTED_UNKNOWN || s->interval_us == PRINTED_UNKNOWN)
        return false;
    double own = (double)s->cycles * (double)s->interval_us;
    bool any = false;
    for (size_t i = 0; i < result->n_threads; i++) {
        const struct thread_result *t = &result->threads[i];
        if (t->cycles == PRINTED_UNKNOWN || t->interval_us == PRINTED_UNKNOWN)
            continue;
        double other = (double)t->cycles * (double)t->interval_us;
        if (fabs(own - other) <= 1e6 + 0.1 * (own > other ? own : other))
            return false;
        any = true;
    }
    return any;
}

/* Threads are counted upwards and started one behind the other: a lower one with a TID far away is of another start. */
static bool started_apart(const struct result *result, const struct status_line *s)
{
    bool goes_back = false;
    for (size_t i = 0; i < result->n_threads; i++) {
        const struct thread_result *t = &result->threads[i];
        if (t->tid <= 0 || s->tid <= 0 || llabs((long long)(t->tid - s->tid)) < 1000)
            return false;
        goes_back |= t->index > s->index;
    }
    return goes_back;
}

/* Extremes only move apart; a negative one is a clock that jumped. */
static bool contradicts(const struct thread_result *old, const struct status_line *s)
{
    return old->max > 0 && s->max > 0 && old->min > 0 && s->min > 0 && (s->max < old->max || s->min > old->min);
}

void status_take(struct import *import, struct cyclictest_state *state, const struct status_line *s, uint64_t line,
                 bool is_repaint)
{
    struct result *result = &state->result;
    struct thread_result *old = result->is_open ? result_find(result, s->index) : NULL;
    if (result->is_open && strcmp(result->tool, s->tool) != 0 && result->has_verbose && !result->has_status)
        result->tool = s->tool; /* only these lines tell whose -v it was */
    bool is_new = !result->is_open || tool_command_is_known(&state->command) || strcmp(result->tool, s->tool) != 0 ||
                  (result->histogram.is_there && !is_repaint && !result->has_json && result->has_status) ||
                  result->run != import->run;
    if (old && !is_new && !is_repaint && !is_later_frame(old, s))
        is_new = true;
    bool is_apart = result->has_status && result->status_block != state->n_blocks; /* other text stands between */
    if (!is_new && is_apart && (old ? contradicts(old, s) : ran_apart(result, s) || started_apart(result, s)))
        is_new = true;
    /* "Max:     89" of 896: the frame before says more than a number that the end of the file cut. */
    if (old && s->may_be_cut && old->max != PRINTED_UNKNOWN && (old->tid == s->tid || s->tid == PRINTED_UNKNOWN))
        return;
    /* A new thread after a histogram belongs to something else. */
    if (is_new && is_repaint && old && is_later_frame(old, s) && !tool_command_is_known(&state->command))
        is_new = false;
    if (is_new)
        result_begin(import, state, s->tool, line);
    if (state->load_average[0] || state->has_header) {
        memcpy(result->load_average, state->load_average, sizeof result->load_average);
        result->policy = state->policy;
        result->has_header |= state->has_header;
        state->load_average[0] = '\0';
        state->has_header = false;
    }
    struct thread_result *thread = result_thread(result, s->index);
    if (!thread)
        return;
    fill_thread(thread, s, line);
    result->has_status = true;
    result->status_block = state->n_blocks;
}
