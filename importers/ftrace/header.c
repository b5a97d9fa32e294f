/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of traces.
 *
 *     # tracer: wakeup_rt
 *     # wakeup_rt latency trace v1.1.5 on 6.1.0-57-rt-amd64          (2.6 -rt: "preemption latency trace v1.1.5 on ...")
 *     # latency: 1399 us, #6/6, CPU#1 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:2)
 *     #    | task: cyclictest-1585 (uid:0 nice:0 policy:1 rt_prio:95)
 *     #  => started at: rwsem_optimistic_spin
 *     # entries-in-buffer/entries-written: 2481/19050   #P:2
 *
 * Up to about 2.6.29 these lines lack the '#'. In 2004 (v1.0 to v1.0.7 of the voluntary-preempt and first -rt patches):
 *
 *     preemption latency trace v1.0.7 on 2.6.9-rc4-mm1-RT-U9.3     (v1.0.2: no kernel)
 *      latency: 216 us, entries: 4 (4)   |   [VP:1 KP:1 SP:1 HP:1 #CPUS:2]
 *         | task: fam/2933, uid:0 nice:0 policy:0 rt_prio:0        (v1.0: "process: X/1470, uid: 0", "nice: -10, policy: 0, ...")
 *     =======>
 */
#include "importers/ftrace/ftrace.h"

#include <stdio.h>

void ftrace_header_init(struct ftrace_header *header)
{
    memset(header, 0, sizeof *header);
    header->latency_ns = NS_UNKNOWN;
    header->n_shown = header->n_written = COUNT_UNKNOWN;
    header->cpu = CPU_UNKNOWN;
    header->n_cpus = -1;
    header->tid = TID_UNKNOWN;
    header->rt_priority = PRIO_UNKNOWN;
}

static const struct { const char *name; enum claim_section section; } measuring[] = {
    {"irqsoff", SECTION_IRQS_OFF},       {"preemptoff", SECTION_PREEMPT_OFF}, {"preemptirqsoff", SECTION_PREEMPT_IRQS_OFF},
    {"wakeup", SECTION_WAKEUP},          {"wakeup_rt", SECTION_WAKEUP},       {"wakeup_dl", SECTION_WAKEUP},
    {"preemption", SECTION_UNKNOWN}, /* 2.6 -rt: what it measured depends on its settings */
};

bool ftrace_tracer_measures(const char *tracer)
{
    for (size_t i = 0; i < sizeof measuring / sizeof *measuring; i++)
        if (strcasecmp(tracer, measuring[i].name) == 0)
            return true;
    return false;
}

enum claim_section ftrace_tracer_section(const char *tracer)
{
    for (size_t i = 0; i < sizeof measuring / sizeof *measuring; i++)
        if (strcasecmp(tracer, measuring[i].name) == 0)
            return measuring[i].section;
    return SECTION_UNKNOWN;
}

static void set_text(char *to, size_t size, const char *from, const char *end)
{
    while (end > from && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    size_t n = (size_t)(end - from);
    if (n >= size)
        n = size - 1;
    memcpy(to, from, n);
    to[n] = '\0';
}

/* A function as the header names it; remarks that people put behind with a rule of dashes go. */
static void set_function(char *to, size_t size, const char *from, const char *end)
{
    const char *rule = memmem(from, (size_t)(end - from), "--", 2);
    set_text(to, size, from, rule && rule > from ? rule : end);
}

/* The rest of the latency line, which mail wrapped: "HP:0 #P:512)", "# #P:2)". */
static bool take_wrapped_rest(struct ftrace_header *header, const struct line *line)
{
    const char *p = line->text, *end = line->text + line->length, *cpus = memmem(p, line->length, "#P:", 3);
    uint64_t n;
    if (!header->is_latency || !header->model[0] || header->n_cpus >= 0 || !cpus || end - p > 60)
        return false;
    cpus += 3;
    if (!scan_u64(&cpus, end, &n) || n > FTRACE_CPUS_MAX || !scan_literal(&cpus, end, ")"))
        return false;
    header->n_cpus = (int32_t)n;
    return true;
}

/* "# latency: 253 us, #180/180, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:8)" */
static bool take_latency(struct ftrace_header *header, const char *p, const char *end, uint64_t line)
{
    const char *begin = p;
    uint64_t us, n;
    scan_blanks(&p, end);
    if (!scan_u64(&p, end, &us) || !scan_literal(&p, end, " us") || us > INT64_MAX / 1000)
        return false;
    header->latency_ns = (int64_t)us * 1000;
    header->is_latency = true;
    header->line = line;
    set_text(header->text, sizeof header->text, begin - strlen("latency:"), end);
    if (scan_literal(&p, end, ", #") && scan_u64(&p, end, &n)) {
        header->n_shown = n;
        if (scan_literal(&p, end, "/") && scan_u64(&p, end, &n))
            header->n_written = n;
    }
    if (scan_literal(&p, end, ", entries: ") && scan_u64(&p, end, &n)) {
        header->n_shown = n;
        if (scan_literal(&p, end, " (") && scan_u64(&p, end, &n))
            header->n_written = n;
    }
    if (scan_literal(&p, end, ", CPU#") && scan_u64(&p, end, &n) && n < FTRACE_CPUS_MAX)
        header->cpu = (int32_t)n;
    const char *model = memmem(p, (size_t)(end - p), "(M:", 3);
    if (model) {
        model += 3;
        const char *stop = memmem(model, (size_t)(end - model), " VP:", 4); /* "PREEMPT(lazy)": parentheses in the word */
        if (stop)
            set_text(header->model, sizeof header->model, model, stop);
    }
    const char *cpus = memmem(p, (size_t)(end - p), "#P:", 3);
    if (!cpus && (cpus = memmem(p, (size_t)(end - p), "#CPUS:", 6)))
        cpus += 3;
    if (cpus) {
        cpus += 3;
        if (scan_u64(&cpus, end, &n) && n <= FTRACE_CPUS_MAX)
            header->n_cpus = (int32_t)n;
    }
    return true;
}

static bool take_priority(struct ftrace_header *header, const char *p, const char *end)
{
    uint64_t n;
    if (!(p = memmem(p, (size_t)(end - p), "rt_prio", 7)) || !(p = memchr(p, ':', (size_t)(end - p))))
        return false;
    p++;
    scan_blanks(&p, end);
    if (scan_u64(&p, end, &n) && n >= 1 && n <= 99)
        header->rt_priority = (int32_t)n;
    return true;
}

/* "policy:1 rt_prio:95"; v1.0: "policy: 1, rt_priority: 95" */
static void take_policy(struct ftrace_header *header, const char *uid, const char *end)
{
    uint64_t n;
    const char *policy = memmem(uid, (size_t)(end - uid), "policy:", 7);
    static const enum policy policies[] = {POLICY_OTHER, POLICY_FIFO, POLICY_RR, POLICY_BATCH, POLICY_UNKNOWN,
                                           POLICY_IDLE, POLICY_DEADLINE};
    if (policy) {
        policy += 7;
        scan_blanks(&policy, end);
        if (scan_u64(&policy, end, &n) && n < sizeof policies / sizeof *policies)
            header->policy = policies[n];
    }
    take_priority(header, uid, end);
}

/* "| task: cyclictest-1585 (uid:0 nice:0 policy:1 rt_prio:95)": from the right, a comm may hold anything. */
static void take_task(struct ftrace_header *header, const char *p, const char *end)
{
    const char *uid = memmem(p, (size_t)(end - p), " (uid:", 6);
    char between = '-';
    if (!uid) { /* 2004: "fam/2933, uid:0" */
        uid = memmem(p, (size_t)(end - p), ", uid:", 6);
        between = '/';
    }
    if (!uid)
        return;
    const char *dash = uid;
    while (dash > p && dash[-1] != between)
        dash--;
    const char *s = dash;
    uint64_t tid;
    if (dash <= p + 1 || !scan_u64(&s, uid, &tid) || s != uid || tid > INT32_MAX)
        return;
    header->tid = (int32_t)tid;
    set_text(header->comm, sizeof header->comm, p, dash - 1);
    take_policy(header, uid, end);
}

/* "X latency trace v1.1.5 on RELEASE"; "preemption latency trace v1.0.2" */
static bool take_title(struct ftrace_header *header, const char *p, const char *end)
{
    const char *at = memmem(p, (size_t)(end - p), " latency trace v", 16);
    if (!at || at - p > 30 || at == p)
        return false;
    const char *on = memmem(at, (size_t)(end - at), " on ", 4), *version = at + strlen(" latency trace ");
    bool is_26vp = scan_literal(&version, end, "v1.0") && scan_literal(&p, end, "preemption");
    header->awaits_kernel = !on && end - at > 3 && memcmp(end - 3, " on", 3) == 0;
    if (is_26vp ? p != at : !on && !header->awaits_kernel)
        return false;
    static const char of_2004[] = "preemption"; /* p stands behind it already */
    set_text(header->tracer, sizeof header->tracer, is_26vp ? of_2004 : p, is_26vp ? of_2004 + sizeof of_2004 - 1 : at);
    if (on) {
        const char *release = on + 4, *blank = memchr(release, ' ', (size_t)(end - release));
        set_text(header->kernel, sizeof header->kernel, release, blank ? blank : end);
    }
    header->is_26rt = strcmp(header->tracer, "preemption") == 0;
    header->is_26vp = is_26vp;
    return true;
}

static const char *skip_hash(const char *p, const char *end, bool *has_hash)
{
    scan_blanks(&p, end);
    *has_hash = p < end && *p == '#';
    if (*has_hash)
        p++;
    scan_blanks(&p, end);
    return p;
}

bool ftrace_header_begins(const struct line *line)
{
    const char *end = line->text + line->length;
    bool has_hash;
    const char *p = skip_hash(line->text, end, &has_hash);
    if (has_hash && (scan_literal(&p, end, "tracer: ") || scan_literal(&p, end, "entries-in-buffer/entries-written:")))
        return true;
    if (has_hash && memmem(p, (size_t)(end - p), "FUNCTION CALLS", 14) && memmem(p, (size_t)(end - p), "DURATION", 8))
        return true;
    if (has_hash && memmem(p, (size_t)(end - p), "TASK-PID", 8) && memmem(p, (size_t)(end - p), "CPU#", 4))
        return true;
    struct ftrace_header scratch;
    ftrace_header_init(&scratch);
    return take_title(&scratch, p, end);
}

bool ftrace_dump_begins(const struct line *line)
{
    return line_has(line, "Dumping ftrace ") && line_has(line, "buffer:");
}

bool ftrace_peek_in_trace(struct lines *lines, size_t k, struct line *line)
{
    return lines_peek(lines, k, line) && (k == 0 || (!ftrace_header_begins(line) && !ftrace_dump_begins(line)));
}

static bool is_rule(const char *p, const char *end)
{
    const char *s = p;
    while (s < end && *s == '-')
        s++;
    return s - p >= 8 && s == end;
}

/* "entries-in-buffer/entries-written: 12/345   #P:4", p behind the colon. */
static void take_entries(struct ftrace_header *header, const char *p, const char *end)
{
    uint64_t n;
    scan_blanks(&p, end);
    if (scan_u64(&p, end, &n))
        header->n_shown = n;
    if (scan_literal(&p, end, "/") && scan_u64(&p, end, &n))
        header->n_written = n;
    scan_blanks(&p, end);
    if (scan_literal(&p, end, "#P:") && scan_u64(&p, end, &n) && n <= FTRACE_CPUS_MAX)
        header->n_cpus = (int32_t)n;
}

/* Lines that only latency tracers print. */
static bool take_latency_line(struct ftrace_header *header, const char *p, const char *end, bool has_hash)
{
    /* A mail's line break within "latency: ... (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)". */
    if (header->is_latency && !has_hash && (scan_literal(&p, end, "KP:") || scan_literal(&p, end, "SP:") || scan_literal(&p, end, "HP:") ||
                                            scan_literal(&p, end, "#P:")))
        return true;
    if (scan_literal(&p, end, "| task: ") || (header->is_26vp && scan_literal(&p, end, "process: "))) {
        take_task(header, p, end);
        return true;
    }
    if (header->is_26vp && scan_literal(&p, end, "nice: ")) {
        take_policy(header, p, end);
        return true;
    }
    if (header->is_26vp && scan_literal(&p, end, "=====")) /* "=======>": rows follow */
        return true;
    if (header->is_latency && scan_literal(&p, end, "=> started at:")) {
        scan_blanks(&p, end);
        set_function(header->started_at, sizeof header->started_at, p, end);
        return true;
    }
    if (header->is_latency && scan_literal(&p, end, "=> ended at:")) {
        scan_blanks(&p, end);
        set_function(header->ended_at, sizeof header->ended_at, p, end);
        return true;
    }
    return false;
}

/* Art and remarks. In 2.6 the art has no '#'. */
static bool is_art(struct ftrace_header *header, const char *p, const char *end, bool has_hash)
{
    size_t n = (size_t)(end - p);
    if (memmem(p, n, "=> lock-depth", 13))
        header->has_lock_depth = true;
    if (has_hash && memmem(p, n, "FUNCTION CALLS", 14))
        header->is_graph = true;
    if (has_hash)
        return true;
    if (!header->is_latency && !header->tracer[0])
        return false;
    return is_rule(p, end) || memmem(p, n, "=> ", 3) || (p < end && strspn(p, "|/\\ ") >= n) ||
           (memmem(p, n, "|||", 3) && !is_digit(*p)) || (memmem(p, n, "cmd ", 4) && memmem(p, n, "caller", 6)) ||
           (p < end && *p == '\\');
}

bool ftrace_header_line(struct ftrace_header *header, const struct line *line)
{
    const char *end = line->text + line->length;
    while (end > line->text && end[-1] == ' ')
        end--;
    bool has_hash;
    const char *p = skip_hash(line->text, end, &has_hash);
    if (has_hash && scan_literal(&p, end, "tracer: ")) {
        set_text(header->tracer, sizeof header->tracer, p, end);
        return true;
    }
    if (take_title(header, p, end))
        return true;
    bool is_kernel = header->awaits_kernel && !has_hash && p < end && !memchr(p, ' ', (size_t)(end - p));
    header->awaits_kernel = false;
    if (is_kernel) {
        set_text(header->kernel, sizeof header->kernel, p, end);
        return true;
    }
    if (scan_literal(&p, end, "latency:"))
        return take_latency(header, p, end, line->number);
    if (take_latency_line(header, p, end, has_hash))
        return true;
    if (has_hash && scan_literal(&p, end, "entries-in-buffer/entries-written:")) {
        take_entries(header, p, end);
        return true;
    }
    if (take_wrapped_rest(header, line))
        return true;
    if (header->comm[0] && header->rt_priority == PRIO_UNKNOWN && end - p < 40 && end > p && end[-1] == ')' && take_priority(header, p, end))
        return true; /* the rest of the task's line */
    return is_art(header, p, end, has_hash);
}
