/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bodies without an event's name in front: rows of the tracers themselves.
 *
 *     ktime_get_real <-intel_idle                                   function
 *          2193:120:R   + [006]    4301:  0:R cyclictest            wakeup tracers: a wakeup ("+"), a switch ("==>")
 *     #1     inner/outer(us): 8084/4151  ts:1796038103.143886508 count:146
 *     1000339     882874  11.74251  261478     91      0     41      0     31      osnoise
 *     #51599 context    irq timer_latency    110720 ns
 *     try_to_wake_up <softirq--7> (62 73)                           2.6 -rt latency_trace
 */
#include "importers/ftrace/ftrace.h"

static bool is_symbol_char(char c)
{
    return is_digit(c) || c == '_' || c == '.' || c == '$' || c == '@' || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
}

/* "name", "name+0x20/0x194", "name [module]", "name(arguments)", "<c0101234>"; returns its end, NULL if none. */
static const char *symbol_end(const char *p, const char *end)
{
    const char *s = p;
    if (s < end && *s == '<') {
        const char *close = memchr(s, '>', (size_t)(end - s));
        return close && close - s > 1 && close - s < 24 ? close + 1 : NULL;
    }
    while (s < end && is_symbol_char(*s))
        s++;
    if (s == p)
        return NULL;
    if (s < end && *s == '(') { /* func-args of 6.15 on; also "f()" */
        const char *close = memrchr(s, ')', (size_t)(end - s));
        const char *arrow = memmem(s, (size_t)(end - s), ") <-", 4);
        if (arrow)
            return arrow + 1;
        if (close == s + 1)
            return close + 1;
    }
    if (end - s > 3 && s[0] == ' ' && s[1] == '[') {
        const char *close = memchr(s, ']', (size_t)(end - s));
        if (close)
            return close + 1;
    }
    return s;
}

bool ftrace_body_function(const char *body, const char *end, struct ftrace_event *event)
{
    const char *stop = symbol_end(body, end);
    if (!stop)
        return false;
    const char *p = stop, *parent = NULL, *parent_end = NULL;
    if (p < end) {
        if (!scan_literal(&p, end, " <-") || !(parent_end = symbol_end(parent = p, end)) || parent_end != end)
            return false;
    }
    ftrace_event_begin(event, KIND_FUNCTION);
    const char *arguments = memchr(body, '(', (size_t)(stop - body));
    if (arguments)
        stop = arguments;
    if (!(stop - body == 1 && *body == '0')) /* "0": no address was kept */
        ftrace_event_string(event, 0, body, (size_t)(stop - body));
    if (parent)
        ftrace_event_string(event, 1, parent, (size_t)(parent_end - parent));
    return true;
}

static bool take_i32(const char **p, const char *end, uint32_t *word)
{
    int64_t n;
    scan_blanks(p, end);
    if (!scan_i64(p, end, &n) || n > INT32_MAX || n < INT32_MIN)
        return false;
    *word = (uint32_t)(int32_t)n;
    return true;
}

/* "2193:120:R" */
static bool take_task(const char **p, const char *end, uint32_t *tid, uint32_t *prio, uint32_t *state)
{
    if (!take_i32(p, end, tid) || !scan_literal(p, end, ":") || !take_i32(p, end, prio) || !scan_literal(p, end, ":"))
        return false;
    const char *begin = *p;
    while (*p < end && **p != ' ')
        (*p)++;
    *state = ftrace_state_parse(begin, (size_t)(*p - begin));
    return *p > begin && *p - begin < 5;
}

bool ftrace_body_wakeup(const char *body, const char *end, struct ftrace_event *event)
{
    const char *p = body;
    if (p >= end || !is_digit(*p))
        return false;
    ftrace_event_begin(event, KIND_TRACER_WAKE);
    uint32_t *w = event->words;
    if (!take_task(&p, end, &w[0], &w[1], &w[2]))
        return false;
    scan_blanks(&p, end);
    if (scan_literal(&p, end, "==>"))
        event->kind = KIND_TRACER_SWITCH;
    else if (!scan_literal(&p, end, "+"))
        return false;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "[") || !take_i32(&p, end, &w[3]) || !scan_literal(&p, end, "]") ||
        !take_task(&p, end, &w[5], &w[6], &w[7]))
        return false;
    scan_blanks(&p, end);
    ftrace_event_string(event, 4, p, (size_t)(end - p));
    return true;
}

bool ftrace_body_hwlat(const char *body, const char *end, struct ftrace_event *event)
{
    const char *p = body;
    uint64_t sequence, inner, outer, n;
    int64_t time;
    if (!scan_literal(&p, end, "#") || !scan_u64(&p, end, &sequence))
        return false;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "inner/outer(us):"))
        return false;
    scan_blanks(&p, end);
    if (!scan_u64(&p, end, &inner) || !scan_literal(&p, end, "/") || !scan_u64(&p, end, &outer) ||
        inner > INT64_MAX / 1000 || outer > INT64_MAX / 1000)
        return false;
    ftrace_event_begin(event, KIND_HWLAT);
    event_words_set_i64(&event->words[0], (int64_t)inner * 1000);
    event_words_set_i64(&event->words[2], (int64_t)outer * 1000);
    scan_blanks(&p, end);
    if (scan_literal(&p, end, "ts:") && scan_decimal(&p, end, 9, &time))
        event_words_set_i64(&event->words[4], time);
    scan_blanks(&p, end);
    if (scan_literal(&p, end, "count:") && scan_u64(&p, end, &n) && n < UINT32_MAX)
        event->words[6] = (uint32_t)n;
    scan_blanks(&p, end);
    if (scan_literal(&p, end, "nmi-total:") && scan_u64(&p, end, &n) && n < INT64_MAX / 1000)
        event_words_set_i64(&event->words[8], (int64_t)n * 1000);
    scan_blanks(&p, end);
    if (scan_literal(&p, end, "nmi-count:") && scan_u64(&p, end, &n) && n <= INT32_MAX)
        event->words[7] = (uint32_t)n;
    return true;
}

bool ftrace_body_osnoise(const char *body, const char *end, struct ftrace_event *event)
{
    const char *p = body;
    uint64_t n[3];
    int64_t percent;
    for (int i = 0; i < 2; i++) {
        scan_blanks(&p, end);
        if (!scan_u64(&p, end, &n[i]) || n[i] > INT64_MAX / 1000 || p >= end || *p != ' ')
            return false;
    }
    scan_blanks(&p, end);
    if (!scan_decimal(&p, end, 5, &percent))
        return false;
    scan_blanks(&p, end);
    if (!scan_u64(&p, end, &n[2]) || n[2] > INT64_MAX / 1000)
        return false;
    ftrace_event_begin(event, KIND_OSNOISE);
    for (int i = 0; i < 3; i++)
        event_words_set_i64(&event->words[2 * i], (int64_t)n[i] * 1000);
    for (int i = 0; i < 5; i++)
        if (!take_i32(&p, end, &event->words[6 + i]))
            return false;
    return true;
}

bool ftrace_body_timerlat(const char *body, const char *end, struct ftrace_event *event)
{
    const char *p = body;
    uint64_t sequence;
    int64_t latency;
    if (!scan_literal(&p, end, "#") || !scan_u64(&p, end, &sequence) || sequence >= UINT32_MAX)
        return false;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "context"))
        return false;
    scan_blanks(&p, end);
    const char *context = p;
    while (p < end && *p != ' ')
        p++;
    const char *context_end = p;
    scan_blanks(&p, end);
    if (!scan_literal(&p, end, "timer_latency"))
        return false;
    scan_blanks(&p, end);
    if (!scan_i64(&p, end, &latency))
        return false;
    ftrace_event_begin(event, KIND_TIMERLAT);
    event->words[0] = (uint32_t)sequence;
    ftrace_event_string(event, 1, context, (size_t)(context_end - context));
    event_words_set_i64(&event->words[2], latency);
    return true;
}

/* ---- /proc/latency_trace of the 2.6 -rt kernels before ftrace ---- */

/* "<comm-pid>" */
static bool take_26_task(const char **p, const char *end, const char **comm, size_t *length, int32_t *tid)
{
    if (*p >= end || **p != '<')
        return false;
    const char *close = memmem(*p, (size_t)(end - *p), "> (", 3);
    if (!close)
        return false;
    const char *dash = close;
    while (dash > *p && dash[-1] != '-')
        dash--;
    const char *s = dash;
    uint64_t n;
    if (dash <= *p + 1 || !scan_u64(&s, close, &n) || s != close || n > INT32_MAX)
        return false;
    *comm = *p + 1;
    *length = (size_t)(dash - 1 - *comm);
    *tid = (int32_t)n;
    *p = close + 2;
    return true;
}

static uint32_t take_26_prio(const char **p, const char *end, unsigned base)
{
    uint64_t n = UINT64_MAX;
    scan_blanks(p, end);
    if (base == 16 ? !scan_hex(p, end, &n) : !scan_u64(p, end, &n))
        return (uint32_t)INT32_MIN;
    return base && n < 140 ? (uint32_t)n : (uint32_t)INT32_MIN;
}

/* Who was woken, who was switched out: trace_special_pid() of the scheduler's functions. */
static bool body_26_task(const struct ftrace_row *row, const char *name, size_t name_length, const char *p,
                         struct ftrace_event *event)
{
    const char *comm, *end = row->end;
    size_t length;
    int32_t tid;
    if (!take_26_task(&p, end, &comm, &length, &tid) || p >= end || *p != '(')
        return false;
    p++;
    uint32_t first = take_26_prio(&p, end, row->prio_base), second = take_26_prio(&p, end, row->prio_base);
    bool unknown = ftrace_comm_is_unknown(comm, length);
    if (name_length == 14 && memcmp(name, "try_to_wake_up", 14) == 0) {
        ftrace_event_begin(event, KIND_SCHED_WAKEUP);
        ftrace_event_string(event, 0, comm, unknown ? 0 : length);
        event->words[1] = (uint32_t)tid;
        event->words[2] = first;
        return true;
    }
    if ((name_length == 10 && memcmp(name, "__schedule", 10) == 0) ||
        (name_length == 13 && memcmp(name, "thread_return", 13) == 0)) {
        ftrace_event_begin(event, KIND_SCHED_SWITCH);
        ftrace_event_string(event, 0, comm, unknown ? 0 : length);
        event->words[1] = (uint32_t)tid;
        event->words[2] = first;
        if (!ftrace_comm_is_unknown(row->comm, row->comm_length))
            ftrace_event_string(event, 4, row->comm, row->comm_length);
        event->words[5] = (uint32_t)row->tid;
        event->words[6] = second;
        return true;
    }
    return false;
}

bool ftrace_body_26(const struct ftrace_row *row, struct ftrace_event *event)
{
    const char *p = row->body, *end = row->end;
    if (end - p > 2 && *p == '>' && p[1] == ' ') {
        const char *name = p + 2, *stop = symbol_end(name, end);
        if (!stop)
            return false;
        ftrace_event_begin(event, KIND_SYS_ENTER);
        ftrace_event_string(event, 1, name, (size_t)(stop - name));
        return true;
    }
    if (end - p > 3 && p[0] == '<' && p[1] == ' ' && p[2] == '(') {
        ftrace_event_begin(event, KIND_SYS_EXIT);
        return ftrace_match("(%2a)", p + 2, end, event) || true;
    }
    const char *stop = symbol_end(p, end);
    if (!stop || stop >= end)
        return false;
    const char *name = p;
    size_t length = (size_t)(stop - p);
    p = stop;
    scan_blanks(&p, end);
    if (body_26_task(row, name, length, p, event))
        return true;
    if (*p == '(' && end[-1] == ')') { /* "fn (parent)"; more than one word are numbers */
        const char *parent = p + 1, *parent_end = symbol_end(parent, end - 1);
        if (parent_end == end - 1 && !is_digit(*parent)) {
            ftrace_event_begin(event, KIND_FUNCTION);
            ftrace_event_string(event, 0, name, length);
            ftrace_event_string(event, 1, parent, (size_t)(parent_end - parent));
            return true;
        }
    }
    if (*p != '(' && *p != '<')
        return false;
    ftrace_event_begin(event, KIND_OTHER);
    ftrace_event_string(event, 0, name, length);
    ftrace_event_string(event, 1, p, (size_t)(end - p));
    return true;
}
