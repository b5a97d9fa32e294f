/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands in front of an event's body, in all the layouts that the kernel, trace-cmd and perf print.
 *
 *               <idle>-0     [001] d..1   470.867169: ktime_get_real <-intel_idle      default
 *             aclocal-27474   (  27474) [001] d..2.  1082.573189: sched_switch: ...    with tgid
 *      bash-27602     0d.h2. 1082573818us!: sched_waking: ...                          latency format
 *      <idle>-0       0d.h1.    20.576553: softirq_raise:        vec=7                 trace-cmd report -l
 *             swapper     0 [001]   123.456789: sched:sched_switch: ...                perf script
 *
 * A comm may hold anything: blanks, '-', "[001]", ':'. Where its column is unchanged, byte 16 (8 in the latency format)
 * is the '-' before the pid. Else every place where "-pid [cpu] stamp:" could stand is tried from the left and the first
 * that fits entirely is taken, as the text behind it is the body's and may hold the same.
 */
#include "importers/ftrace/ftrace.h"

#define COMM_CELLS 16        /* %16s: a comm has at most 15 bytes, so the first cell is blank */
#define COMM_CELLS_LATENCY 8 /* %8.8s: cut to 8 */

/* Decimal digits, at most 18 of them. */
static bool take_digits(const char **p, const char *end, int64_t *value)
{
    const char *s = *p;
    int64_t n = 0;
    while (s < end && is_digit(*s)) {
        if (s - *p >= 18)
            return false;
        n = n * 10 + (*s++ - '0');
    }
    if (s == *p)
        return false;
    *p = s;
    *value = n;
    return true;
}

static void take_blanks(const char **p, const char *end)
{
    while (*p < end && (**p == ' ' || **p == '\t'))
        (*p)++;
}

/* "12.345678:" or "12.345678901:" or "123456789:". */
static bool take_stamp(const char **p, const char *end, struct ftrace_row *row)
{
    const char *s = *p;
    int64_t whole, part = 0;
    if (!take_digits(&s, end, &whole))
        return false;
    row->n_decimals = 0;
    row->time_is_count = true;
    row->time = whole;
    if (s < end && *s == '.') {
        const char *begin = ++s;
        if (!take_digits(&s, end, &part))
            return false;
        ptrdiff_t digits = s - begin;
        if ((digits != 6 && digits != 9) || whole > 9000000000)
            return false;
        row->n_decimals = (uint8_t)digits;
        row->time_is_count = false;
        row->time = whole * 1000000000 + (digits == 6 ? part * 1000 : part);
    }
    if (s < end && s + 1 < end && *s == ' ' && s[1] == '(') { /* trace-cmd --ts-diff: "12.345678: (+149)" or before the colon */
        const char *close = memchr(s, ')', (size_t)(end - s) < 40 ? (size_t)(end - s) : 40);
        if (close && close + 1 < end && close[1] == ':')
            s = close + 1;
    }
    if (s >= end || *s != ':')
        return false;
    *p = s + 1;
    return true;
}

static void set_body(struct ftrace_row *row, const char *p, const char *end)
{
    while (end > p && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\t'))
        end--;
    take_blanks(&p, end);
    row->body = p;
    row->end = end;
}

/* The comm in front of `dash` in a column of n cells; what is left of the column is the row's prefix. */
static void set_comm(struct ftrace_row *row, const char *text, const char *dash, ptrdiff_t cells)
{
    const char *begin = dash - text > cells ? dash - cells : text;
    row->prefix = text;
    row->prefix_length = (size_t)(begin - text);
    take_blanks(&begin, dash);
    row->comm = begin;
    row->comm_length = (size_t)(dash - begin);
}

/* Behind "[cpu]": optional flag letters, then the stamp. */
static bool take_flags_and_stamp(const char *p, const char *end, struct ftrace_row *row)
{
    take_blanks(&p, end);
    const char *token = p;
    while (p < end && *p != ' ' && *p != '\t')
        p++;
    row->token = token;
    row->token_length = 0;
    if (ftrace_token_is_flags(token, (size_t)(p - token))) {
        row->token_length = (size_t)(p - token);
        take_blanks(&p, end);
    } else {
        p = token;
    }
    if (!take_stamp(&p, end, row))
        return false;
    set_body(row, p, end);
    return true;
}

static bool set_numbers(struct ftrace_row *row, int64_t tid, int64_t cpu)
{
    if (tid > INT32_MAX || cpu >= FTRACE_CPUS_MAX)
        return false;
    row->tid = (int32_t)tid;
    row->cpu = (int32_t)cpu;
    return true;
}

/* Left of "[cpu]": "comm-pid   (tgid) " or perf's "comm  pid/tid ". */
static bool take_task_backwards(const char *text, const char *bracket, struct ftrace_row *row, int64_t *tid)
{
    const char *p = bracket;
    while (p > text && p[-1] == ' ')
        p--;
    if (p > text && p[-1] == ')') { /* (tgid) */
        const char *floor = p - text > 14 ? p - 14 : text;
        while (p > floor && p[-1] != '(')
            p--;
        if (p == floor)
            return false;
        p--;
        while (p > text && p[-1] == ' ')
            p--;
    }
    const char *digits_end = p;
    while (p > text && is_digit(p[-1]))
        p--;
    if (p == digits_end || p == text)
        return false;
    const char *digits = p;
    if (!take_digits(&digits, digits_end, tid))
        return false;
    if (p[-1] == '/') { /* perf -F +pid: pid/tid */
        p--;
        while (p > text && is_digit(p[-1]))
            p--;
        if (p == text)
            return false;
    }
    if (p[-1] == '-') {
        row->form = FORM_DEFAULT;
        set_comm(row, text, p - 1, COMM_CELLS);
        return true;
    }
    if (p[-1] != ' ' && p[-1] != '\t')
        return false;
    while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    row->form = FORM_PERF;
    set_comm(row, text, p, COMM_CELLS);
    return row->comm_length > 0;
}

/* "[001]" with at least two digits; *cpu and what is behind it. */
static bool take_cpu_bracket(const char *bracket, const char *end, int64_t *cpu, const char **behind)
{
    const char *p = bracket + 1;
    if (!take_digits(&p, end, cpu) || p - bracket < 3 || p >= end || *p != ']')
        return false;
    *behind = p + 1;
    return true;
}

static bool parse_bracketed(const char *text, const char *end, struct ftrace_row *row)
{
    for (const char *from = text;;) {
        const char *bracket = memchr(from, '[', (size_t)(end - from));
        if (!bracket)
            return false;
        int64_t cpu, tid;
        const char *behind;
        if (bracket > text && take_cpu_bracket(bracket, end, &cpu, &behind) &&
            take_flags_and_stamp(behind, end, row) && take_task_backwards(text, bracket, row, &tid) &&
            set_numbers(row, tid, cpu))
            return true;
        from = bracket + 1;
    }
}

bool ftrace_row_parse_columns(const char *text, const char *end, struct ftrace_row *row)
{
    if (end - text < 40 || text[COMM_CELLS] != '-' || !is_digit(text[COMM_CELLS + 1]))
        return false;
    const char *p = text + COMM_CELLS + 1;
    int64_t tid, cpu;
    if (!take_digits(&p, end, &tid))
        return false;
    take_blanks(&p, end);
    if (p < end && *p == '(') {
        const char *close = memchr(p, ')', (size_t)(end - p) < 12 ? (size_t)(end - p) : 12);
        if (!close)
            return false;
        p = close + 1;
        take_blanks(&p, end);
    }
    if (p >= end || *p != '[' || !take_cpu_bracket(p, end, &cpu, &p) || !take_flags_and_stamp(p, end, row) ||
        !set_numbers(row, tid, cpu))
        return false;
    row->form = FORM_DEFAULT;
    set_comm(row, text, text + COMM_CELLS, COMM_CELLS);
    return true;
}

/* "12us+: body", "12us : body", "12us > sys_read (...)", "20.576553: body", "12345: body". */
static bool take_latency_stamp(const char *p, const char *end, struct ftrace_row *row)
{
    const char *s = p;
    int64_t us;
    if (!take_digits(&s, end, &us))
        return false;
    if (s + 2 < end && s[0] == 'u' && s[1] == 's') {
        if (us > INT64_MAX / 1000)
            return false;
        s += 2;
        if (strchr(" +!#*@$", *s) && s + 1 < end) /* how long until the next row */
            s++;
        if (*s != ':' && *s != '>' && *s != '<')
            return false;
        row->form = FORM_LATENCY;
        row->time = us * 1000;
        row->n_decimals = 6;
        row->time_is_count = false;
        set_body(row, *s == ':' ? s + 1 : s, end);
        return true;
    }
    if (!take_stamp(&p, end, row))
        return false;
    row->form = row->n_decimals ? FORM_REPORT_LATENCY : FORM_LATENCY;
    set_body(row, p, end);
    return true;
}

/* Behind the '-': "pid  cpu" with the flags glued to it, and the stamp. */
static bool parse_latency_at(const char *text, const char *dash, const char *end, struct ftrace_row *row)
{
    const char *p = dash + 1;
    int64_t tid, cpu;
    if (!take_digits(&p, end, &tid) || p >= end || *p != ' ')
        return false;
    take_blanks(&p, end);
    if (!take_digits(&p, end, &cpu))
        return false;
    const char *token = p;
    while (p < end && *p != ' ')
        p++;
    if (!ftrace_token_is_flags(token, (size_t)(p - token)))
        return false;
    row->token = token;
    row->token_length = (size_t)(p - token);
    take_blanks(&p, end);
    if (!take_latency_stamp(p, end, row) || !set_numbers(row, tid, cpu))
        return false;
    set_comm(row, text, dash, COMM_CELLS_LATENCY);
    return true;
}

static bool parse_latency(const char *text, const char *end, struct ftrace_row *row)
{
    if (end - text > 20 && text[COMM_CELLS_LATENCY] == '-' &&
        parse_latency_at(text, text + COMM_CELLS_LATENCY, end, row))
        return true;
    for (const char *p = text; p + 1 < end; p++) {
        p = memchr(p, '-', (size_t)(end - p));
        if (!p)
            return false;
        if (p + 1 < end && is_digit(p[1]) && parse_latency_at(text, p, end, row))
            return true;
    }
    return false;
}

/* "<idle>       0   1 9 00000001 00000000 [00c47083] 949.467ms (+0.002ms): ": the bracket holds absolute us. */
static bool parse_verbose(const char *text, const char *end, struct ftrace_row *row)
{
    const char *open = memchr(text, '[', (size_t)(end - text));
    if (!open || open - text < 24)
        return false;
    const char *p = open + 1;
    uint64_t us;
    if (!scan_hex(&p, end, &us) || us > INT64_MAX / 1000 || !scan_literal(&p, end, "] "))
        return false;
    const char *colon = memmem(p, (size_t)(end - p), "ms): ", 5);
    if (!colon || colon - p > 60)
        return false;
    set_body(row, colon + 4, end);
    /* Backwards: index, preempt count, flags, cpu, pid; what is left is the comm. */
    int64_t values[5] = {0};
    const char *q = open;
    for (int i = 0; i < 5; i++) {
        while (q > text && q[-1] == ' ')
            q--;
        const char *stop = q;
        while (q > text && q[-1] != ' ')
            q--;
        if (q == stop)
            return false;
        uint64_t hex;
        const char *s = q;
        if (i < 2 ? !scan_hex(&s, stop, &hex) : !take_digits(&s, stop, &values[i]))
            return false;
        if (s != stop)
            return false;
        if (i < 2)
            values[i] = (int64_t)(hex & INT32_MAX);
    }
    while (q > text && q[-1] == ' ')
        q--;
    if (!set_numbers(row, values[4], values[3]))
        return false;
    row->form = FORM_VERBOSE;
    row->flags = ftrace_flags_from_numbers((unsigned)values[2], (unsigned)values[1]);
    row->token_length = 0;
    row->time = (int64_t)us * 1000;
    row->n_decimals = 6;
    row->time_is_count = false;
    set_comm(row, text, q, COMM_CELLS);
    return true;
}

/* "0.567ms" */
static bool take_ms(const char **p, const char *end, int64_t *ns)
{
    uint64_t ms, us;
    const char *point;
    if (!scan_u64(p, end, &ms) || ms > 1000000000 || !scan_literal(p, end, "."))
        return false;
    point = *p;
    if (!scan_u64(p, end, &us) || *p - point != 3 || !scan_literal(p, end, "ms"))
        return false;
    *ns = (int64_t)(ms * 1000000 + us * 1000);
    return true;
}

/*
 * /proc/latency_trace of the voluntary-preempt and first -rt patches (2.6.8 to 2.6.10, trace v1.0.x): function entries
 * with the time since the first one, in front of it the preempt count (later with the pid before that).
 *     0.000ms (+0.000ms): page_address (kmap_high)
 *     00010001 0.562ms (+0.000ms): update_process_times (do_timer)
 *         4 80000002 0.847ms (+0.000ms): finish_task_switch (__sched_text_start)
 * The count's bits: 0-7 preempt depth, 8-15 softirq, 16 on hardirq; with a pid also 27 need-resched, 31 interrupts off.
 */
static bool parse_26vp(const char *text, const char *end, struct ftrace_row *row)
{
    const char *p = text;
    int64_t tid = -1;
    uint64_t pid, count = 0;
    scan_blanks(&p, end);
    const char *begin = p, *word = p;
    while (p < end && *p != ' ')
        p++;
    const char *next = p;
    scan_blanks(&next, end);
    bool has_pid = next < end && p - word < 8 && next + 9 < end && next[8] == ' ';
    if (has_pid) {
        const char *q = word;
        if (!scan_u64(&q, p, &pid) || q != p || pid > INT32_MAX)
            return false;
        tid = (int64_t)pid;
        word = p = next;
        while (p < end && *p != ' ')
            p++;
    }
    bool has_count = p - word == 8;
    if (has_count) {
        const char *q = word;
        if (!scan_hex(&q, p, &count) || q != p)
            return false;
        begin = p;
        scan_blanks(&begin, end);
    }
    p = begin;
    int64_t delta_ns;
    if (!take_ms(&p, end, &row->time) || !scan_literal(&p, end, " (+") || !take_ms(&p, end, &delta_ns) ||
        !scan_literal(&p, end, "):"))
        return false;
    set_body(row, p, end);
    if (!set_numbers(row, tid < 0 ? 0 : tid, 0))
        return false;
    if (tid < 0)
        row->tid = TID_UNKNOWN;
    row->form = FORM_26VP;
    row->flags = row->flags_known = 0;
    if (has_count) {
        uint32_t bits = (count >> 16 & 0x3ff ? FLAG_HARDIRQ : 0) | (count >> 8 & 0xff ? FLAG_SOFTIRQ : 0);
        row->flags_known = FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_PREEMPT_DEPTH;
        if (has_pid) {
            bits |= (count >> 31 & 1 ? FLAG_IRQS_OFF : 0) | (count >> 27 & 1 ? FLAG_NEED_RESCHED : 0);
            row->flags_known |= FLAG_IRQS_OFF | FLAG_NEED_RESCHED;
        }
        row->flags = flags_make(bits, (unsigned)(count & 0xff), 0);
    }
    row->n_decimals = 6;
    row->time_is_count = false;
    row->token_length = row->comm_length = row->prefix_length = 0;
    row->token = row->comm = row->prefix = text;
    return true;
}

/* Options raw and hex print "pid cpu stamp type: n" and no fields. */
static bool parse_raw(const char *text, const char *end, struct ftrace_row *row)
{
    const char *p = text;
    int64_t tid, cpu, time;
    uint64_t x[3];
    if (end - p < 12 || (!is_digit(*p) && !(*p >= 'a' && *p <= 'f')))
        return false;
    const char *type = memmem(p, (size_t)(end - p), " type: ", 7);
    if (!type) /* a mark: "169 1 13059756159 # ffffffff811c8b25 hit latency threshold (29568 > 18000)" */
        type = memmem(p, (size_t)(end - p), " # ", 3);
    if (!type)
        return false;
    if (type - p == 8 + 1 + 8 + 1 + 16) {
        for (int i = 0; i < 3; i++, p++)
            if (!scan_hex(&p, type, &x[i]) || (i < 2 && *p != ' '))
                return false;
        tid = (int64_t)(x[0] & UINT32_MAX);
        cpu = (int64_t)(x[1] & UINT32_MAX);
        time = (int64_t)(x[2] & INT64_MAX);
        row->form = FORM_HEX;
    } else {
        if (!take_digits(&p, type, &tid) || *p++ != ' ' || !take_digits(&p, type, &cpu) || *p++ != ' ' ||
            !take_digits(&p, type, &time) || p != type)
            return false;
        row->form = FORM_RAW;
    }
    if (!set_numbers(row, tid, cpu))
        return false;
    row->time = time;
    row->n_decimals = 9;
    row->time_is_count = false;
    row->comm = text;
    row->comm_length = 0;
    row->token_length = 0;
    row->prefix = text;
    row->prefix_length = 0;
    set_body(row, type + 1, end);
    return true;
}

bool ftrace_row_parse(const char *text, size_t length, struct ftrace_row *row)
{
    const char *end = text + length;
    while (end > text && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    if (end - text < 12)
        return false;
    return ftrace_row_parse_columns(text, end, row) || parse_bracketed(text, end, row) ||
           parse_latency(text, end, row) || parse_verbose(text, end, row) || parse_26vp(text, end, row) ||
           parse_raw(text, end, row);
}
