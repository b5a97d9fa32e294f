/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of the function_graph tracer. Which columns stand before the duration depends on trace_options:
 *
 *      0)   2.013 us    |          migrate_enable();
 *      106.526652 |   0)  cyclict-532   |  .....12 |   5.629 us    |     } / * rt_spin_unlock * /
 *          0 us |   1)  irq_tes-514   |  d.... |   0.000 us    |  execute_preemptirqtest();
 *
 * The duration has 7 significant digits and is always in us. Entries carry none. A comm is cut to 7 bytes here.
 */
#include "importers/ftrace/ftrace.h"

static void trim(const char **p, const char **end)
{
    while (*p < *end && **p == ' ')
        (*p)++;
    while (*end > *p && (*end)[-1] == ' ')
        (*end)--;
}

/* "+ 37.626 us", "2.013 us", "$ 1005564 us", "" */
static bool take_duration(const char *p, const char *end, int64_t *duration_ns)
{
    *duration_ns = NS_UNKNOWN;
    trim(&p, &end);
    if (p == end)
        return true;
    if (strchr("$@*#!+", *p) && *p) {
        p++;
        scan_blanks(&p, end);
    }
    int64_t ns;
    if (!scan_decimal(&p, end, 3, &ns))
        return false;
    scan_blanks(&p, end);
    if (end - p != 2 || p[0] != 'u' || p[1] != 's')
        return false;
    *duration_ns = ns;
    return true;
}

static bool take_task(const char *p, const char *end, const char **comm, size_t *length, int32_t *tid)
{
    trim(&p, &end);
    const char *dash = end;
    while (dash > p && is_digit(dash[-1]))
        dash--;
    const char *s = dash;
    uint64_t n;
    if (dash <= p + 1 || dash == end || dash[-1] != '-' || !scan_u64(&s, end, &n) || n > INT32_MAX)
        return false;
    *comm = p;
    *length = (size_t)(dash - 1 - p);
    *tid = (int32_t)n;
    return true;
}

static void set_name(struct ftrace_graph_line *line, const char *p, const char *end)
{
    trim(&p, &end);
    line->name = p;
    line->name_length = (size_t)(end - p);
}

/* The part right of the last '|': "  name();", "    } / * name * /", "  / * event: text * /". */
static bool take_call(const char *p, const char *end, struct ftrace_graph_line *line)
{
    const char *begin = p;
    while (p < end && *p == ' ')
        p++;
    line->depth = p - begin >= 2 ? (unsigned)(p - begin - 2) / 2 : 0;
    if (line->depth > 255)
        return false;
    while (end > p && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    line->name = p;
    line->name_length = 0;
    if (p == end)
        return false;
    const char *remark = memmem(p, (size_t)(end - p), "/*", 2);
    line->is_open = remark && !memmem(remark, (size_t)(end - remark), "*/", 2);
    if (*p == '}') {
        line->what = GRAPH_EXIT;
        const char *open = memmem(p, (size_t)(end - p), "/* ", 3), *close = memmem(p, (size_t)(end - p), " */", 3);
        if (open && close && close > open + 3) {
            const char *name = open + 3, *stop = name;
            while (stop < close && *stop != ' ' && *stop != '=')
                stop++;
            if (stop == close || (*stop == ' ' && stop[1] == '[')) /* not "ret=0x0", "= 0x0" */
                set_name(line, name, close);
        }
        return true;
    }
    if (end - p > 4 && p[0] == '/' && p[1] == '*') {
        line->what = GRAPH_COMMENT;
        const char *close = end[-1] == '/' && end[-2] == '*' ? end - 2 : end;
        set_name(line, p + 2, close);
        return line->name_length > 0;
    }
    const char *parenthesis = memchr(p, '(', (size_t)(end - p));
    if (!parenthesis || parenthesis == p)
        return false;
    if (memmem(parenthesis, (size_t)(end - parenthesis), ") {", 3))
        line->what = GRAPH_ENTRY;
    else if (memmem(parenthesis, (size_t)(end - parenthesis), ");", 2))
        line->what = GRAPH_LEAF;
    else
        return false;
    set_name(line, p, parenthesis);
    return line->name_length > 0;
}

static void init(struct ftrace_graph_line *line)
{
    memset(line, 0, sizeof *line);
    line->time = NS_UNKNOWN;
    line->cpu = CPU_UNKNOWN;
    line->tid = TID_UNKNOWN;
    line->duration_ns = NS_UNKNOWN;
}

bool ftrace_graph_parse_tail(const char *text, const char *end, struct ftrace_graph_line *line)
{
    init(line);
    const char *bar = memchr(text, '|', (size_t)(end - text));
    return bar && take_duration(text, bar, &line->duration_ns) && take_call(bar + 1, end, line);
}

/* One column between two bars. False: it is none that a graph has. */
static bool take_column(const char *p, const char *end, struct ftrace_graph_line *line, bool *is_last)
{
    *is_last = false;
    trim(&p, &end);
    if (p == end || take_duration(p, end, &line->duration_ns)) {
        *is_last = true;
        return true;
    }
    if (memmem(p, (size_t)(end - p), "==========", 10)) {
        line->what = *p == '<' ? GRAPH_IRQ_EXIT : GRAPH_IRQ_ENTER;
        *is_last = true;
        return true;
    }
    if (ftrace_token_is_flags(p, (size_t)(end - p))) {
        line->token = p;
        line->token_length = (size_t)(end - p);
        return true;
    }
    return take_task(p, end, &line->comm, &line->comm_length, &line->tid);
}

/* The stamp and the CPU, of which one must be there. */
static bool take_place(const char **at, const char *end, struct ftrace_graph_line *line)
{
    const char *p = *at;
    scan_blanks(&p, end);
    if (p >= end || !is_digit(*p))
        return false;
    const char *s = p;
    int64_t time;
    uint64_t n;
    if (scan_decimal(&s, end, 9, &time) && s - p > 7 && memchr(p, '.', (size_t)(s - p))) { /* abs time */
        scan_blanks(&s, end);
        if (s >= end || *s != '|')
            return false;
        line->time = time;
        p = s + 1;
    } else {
        s = p;
        if (!scan_u64(&s, end, &n))
            return false;
        scan_blanks(&s, end);
        if (scan_literal(&s, end, "us |")) { /* rel time */
            if (n > INT64_MAX / 1000)
                return false;
            line->time = (int64_t)n * 1000;
            line->time_is_relative = true;
            p = s;
        }
    }
    scan_blanks(&p, end);
    s = p;
    if (scan_u64(&s, end, &n) && s < end && *s == ')') {
        if (n >= FTRACE_CPUS_MAX)
            return false;
        line->cpu = (int32_t)n;
        p = s + 1;
    }
    *at = p;
    return line->cpu != CPU_UNKNOWN || line->time != NS_UNKNOWN;
}

bool ftrace_graph_begins(const char *text, size_t length)
{
    struct ftrace_graph_line line;
    const char *p = text;
    init(&line);
    return take_place(&p, text + length, &line) && memchr(p, '|', (size_t)(text + length - p));
}

bool ftrace_graph_parse(const char *text, size_t length, struct ftrace_graph_line *line)
{
    const char *p = text, *end = text + length;
    init(line);
    if (!take_place(&p, end, line))
        return false;
    for (int column = 0; column < 4; column++) {
        const char *bar = memchr(p, '|', (size_t)(end - p));
        bool is_last;
        if (!bar || !take_column(p, bar, line, &is_last))
            return false;
        p = bar + 1;
        if (is_last)
            return line->what ? true : take_call(p, end, line);
    }
    return false;
}

bool ftrace_graph_switch(const char *text, size_t length, int32_t *cpu, const char **comm, size_t *comm_length,
                         int32_t *tid)
{
    const char *p = text, *end = text + length, *previous;
    size_t previous_length;
    uint64_t n;
    scan_blanks(&p, end);
    if (!scan_u64(&p, end, &n) || n >= FTRACE_CPUS_MAX || p >= end || *p != ')')
        return false;
    const char *arrow = memmem(p, (size_t)(end - p), " => ", 4);
    int32_t previous_tid;
    if (!arrow || !take_task(p + 1, arrow, &previous, &previous_length, &previous_tid))
        return false;
    *cpu = (int32_t)n;
    return take_task(arrow + 4, end, comm, comm_length, tid);
}
