/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From an event's name and text to its kind and arguments: one row of a table per event, with the forms of its text over
 * the years and in trace-cmd's plug-ins. What no row understands stays OTHER with name and text.
 */
#include "importers/ftrace/ftrace.h"

struct body_rule {
    const char *name;
    unsigned kind;
    const char *keys;        /* "key=value" form, or NULL */
    const char *patterns[3]; /* other forms, tried in order */
};

static const struct body_rule rules[] = {
    {"sched_waking", KIND_SCHED_WAKING, "comm pid prio target_cpu?", {"%0s:%1a [%2a] %*CPU:%3a", "%0s:%1a [%2a]"}},
    {"sched_wakeup", KIND_SCHED_WAKEUP, "comm pid prio target_cpu?",
     {"task %0s:%1a [%2a] %*[%3a]", "%0s:%1a [%2a] %*CPU:%3a", "%0s:%1a [%2a]"}},
    {"sched_wakeup_new", KIND_SCHED_WAKEUP_NEW, "comm pid prio target_cpu?",
     {"task %0s:%1a [%2a] %*[%3a]", "%0s:%1a [%2a] %*CPU:%3a", "%0s:%1a [%2a]"}},
    {"sched_migrate_task", KIND_SCHED_MIGRATE_TASK, "comm pid prio orig_cpu dest_cpu",
     {"task %0s:%1a [%2a] from: %3a to: %4a"}},
    {"sched_pi_setprio", KIND_SCHED_PI_SETPRIO, "comm pid oldprio newprio", {NULL}},
    {"sched_process_fork", KIND_SCHED_PROCESS_FORK, "comm pid child_comm child_pid",
     {"parent %0s:%1a child %2s:%3a"}},
    {"sched_process_exec", KIND_SCHED_PROCESS_EXEC, "filename pid old_pid", {NULL}},
    {"sched_process_exit", KIND_SCHED_PROCESS_EXIT, "comm pid prio", {"task %0s:%1a [%2a]"}},
    {"sched_stat_runtime", KIND_SCHED_STAT_RUNTIME, "comm pid runtime", {"task: %0s:%1a runtime: %2a"}},
    {"task_rename", KIND_TASK_RENAME, "pid oldcomm newcomm", {NULL}},

    {"irq_handler_entry", KIND_IRQ_HANDLER_ENTRY, NULL, {"irq=%0a name=%1s", "irq=%0a handler=%1s"}},
    {"irq_handler_exit", KIND_IRQ_HANDLER_EXIT, NULL, {"irq=%0a"}}, /* ret: handled_by_word() */
    {"softirq_raise", KIND_SOFTIRQ_RAISE, NULL, {"vec=%0a [action=%1a]", "softirq=%0a action=%1a", "vec=%0a"}},
    {"softirq_entry", KIND_SOFTIRQ_ENTRY, NULL, {"vec=%0a [action=%1a]", "softirq=%0a action=%1a", "vec=%0a"}},
    {"softirq_exit", KIND_SOFTIRQ_EXIT, NULL, {"vec=%0a [action=%1a]", "softirq=%0a action=%1a", "vec=%0a"}},
    {"tasklet_entry", KIND_TASKLET_ENTRY, NULL, {"%*function=%0a"}},
    {"tasklet_exit", KIND_TASKLET_EXIT, NULL, {"%*function=%0a"}},
    {"ipi_raise", KIND_IPI_RAISE, NULL, {"target_mask=%1a (%0s)"}},
    {"ipi_send_cpu", KIND_IPI_SEND_CPU, "cpu callsite callback", {NULL}},
    {"ipi_send_cpumask", KIND_IPI_RAISE, "callback cpumask", {NULL}},
    {"ipi_entry", KIND_IPI_ENTRY, NULL, {"(%0s)"}},
    {"ipi_exit", KIND_IPI_EXIT, NULL, {"(%0s)"}},
    {"csd_function_entry", KIND_CSD_FUNCTION_ENTRY, "func", {NULL}},
    {"csd_function_exit", KIND_CSD_FUNCTION_EXIT, "func", {NULL}},
    {"nmi_handler", KIND_NMI_HANDLER, NULL, {"%0a() delta_ns: %1a handled: %2a"}},

    {"hrtimer_init", KIND_HRTIMER_INIT, "hrtimer clockid mode", {NULL}},
    {"hrtimer_setup", KIND_HRTIMER_INIT, "hrtimer clockid mode", {NULL}},
    {"hrtimer_start", KIND_HRTIMER_START, "hrtimer function expires softexpires mode?", {NULL}},
    {"hrtimer_cancel", KIND_HRTIMER_CANCEL, "hrtimer", {NULL}},
    {"hrtimer_expire_entry", KIND_HRTIMER_EXPIRE_ENTRY, "hrtimer function? now", {NULL}},
    {"hrtimer_expire_exit", KIND_HRTIMER_EXPIRE_EXIT, "hrtimer", {NULL}},
    {"timer_start", KIND_TIMER_START, "timer function expires", {NULL}},
    {"timer_cancel", KIND_TIMER_CANCEL, "timer", {NULL}},
    {"timer_expire_entry", KIND_TIMER_EXPIRE_ENTRY, "timer function? now", {NULL}},
    {"timer_expire_exit", KIND_TIMER_EXPIRE_EXIT, "timer", {NULL}},
    {"tick_stop", KIND_TICK_STOP, "success dependency", {NULL}},

    {"irq_disable", KIND_IRQ_DISABLE, "caller parent", {NULL}},
    {"irq_enable", KIND_IRQ_ENABLE, "caller parent", {NULL}},
    {"preempt_disable", KIND_PREEMPT_DISABLE, "caller parent", {NULL}},
    {"preempt_enable", KIND_PREEMPT_ENABLE, "caller parent", {NULL}},

    {"cpu_idle", KIND_CPU_IDLE, "state cpu_id", {NULL}},
    {"cpu_frequency", KIND_CPU_FREQUENCY, "state cpu_id", {NULL}},
    {"sys_enter", KIND_SYS_ENTER, NULL, {"NR %0a (", "NR %0a"}},
    {"sys_exit", KIND_SYS_EXIT, NULL, {"NR %0a = %2a"}},
    {"contention_end", KIND_CONTENTION_END, NULL, {"%0a (ret=%1a)"}},
    {"workqueue_execute_start", KIND_WORKQUEUE_EXECUTE_START, NULL, {"work struct %0a: function %1s"}},
    {"workqueue_execute_end", KIND_WORKQUEUE_EXECUTE_END, NULL,
     {"work struct %0a: function %1s", "work struct %0a"}},
    {"cpuhp_enter", KIND_CPUHP_ENTER, NULL, {"cpu: %0a target: %1a step: %2a (%3s)"}},
    {"cpuhp_exit", KIND_CPUHP_EXIT, NULL, {"cpu: %0a state: %1a step: %2a ret: %3a"}},
    {"console", KIND_CONSOLE, NULL, {"%0s"}},
    {"tracing_mark_write", KIND_PRINT, NULL, {"%1s"}},

    {"timerlat_sample", KIND_TIMERLAT, "seqnum - timer_latency", {NULL}}, /* context: a number, see below */

    {"cobalt_switch_context", KIND_COBALT_SWITCH, NULL, {NULL}}, /* body_cobalt() */
    {"cobalt_thread_resume", KIND_COBALT_RESUME, "name pid mask", {"thread=%*(%0s) %*mask=%2a"}},
    {"cobalt_thread_suspend", KIND_COBALT_SUSPEND, "- pid mask timeout", {NULL}},
    {"cobalt_shadow_gorelax", KIND_COBALT_RELAX, "- - reason", {NULL}},
    {"cobalt_shadow_relaxed", KIND_COBALT_RELAXED, NULL, {""}},
    {"cobalt_shadow_gohard", KIND_COBALT_HARDEN, NULL, {""}},
    {"cobalt_shadow_hardened", KIND_COBALT_HARDENED, NULL, {""}},
    {"cobalt_irq_entry", KIND_COBALT_IRQ_ENTRY, "irq", {NULL}},
    {"cobalt_irq_exit", KIND_COBALT_IRQ_EXIT, "irq", {NULL}},
    {"cobalt_clock_entry", KIND_COBALT_CLOCK_ENTRY, "clock_irq", {NULL}},
    {"cobalt_clock_exit", KIND_COBALT_CLOCK_EXIT, "clock_irq", {NULL}},
    {"cobalt_timer_expire", KIND_COBALT_TIMER_EXPIRE, "timer", {NULL}},
    {"cobalt_timer_start", KIND_COBALT_TIMER_START, "timer value interval", {NULL}},
    {"cobalt_tick_shot", KIND_COBALT_TICK_SHOT, NULL, {"next tick at %*(delay: %0a us"}},
    {"cobalt_head_sysentry", KIND_COBALT_SYSENTRY, "syscall", {NULL}},
    {"cobalt_head_sysexit", KIND_COBALT_SYSEXIT, "result", {NULL}},
    {"evl_switch_context", KIND_COBALT_SWITCH, NULL,
     {"{ %0f[%1a] prio=%2a, %*} => { %4f[%5a] prio=%6a"}},
    {"evl_wakeup_thread", KIND_COBALT_RESUME, "name pid mask", {NULL}},
    {"evl_release_thread", KIND_COBALT_RESUME, "name pid mask", {NULL}},
    {"evl_hold_thread", KIND_COBALT_SUSPEND, "name pid mask", {NULL}},
    {"evl_timer_expire", KIND_COBALT_TIMER_EXPIRE, NULL, {"timer="}},
    {"evl_timer_shot", KIND_COBALT_TICK_SHOT, NULL, {"%*(delay: %0a us"}},
    {"evl_oob_sysentry", KIND_COBALT_SYSENTRY, "syscall", {NULL}},
    {"evl_oob_sysexit", KIND_COBALT_SYSEXIT, "result", {NULL}},
    {"irq_pipeline_entry", KIND_COBALT_IRQ_ENTRY, "irq", {NULL}},
    {"irq_pipeline_exit", KIND_COBALT_IRQ_EXIT, "irq", {NULL}},
    {"evl_switch_inband", KIND_COBALT_RELAX, NULL, {"cause=%2s"}},
    {"evl_switched_inband", KIND_COBALT_RELAXED, NULL, {""}},
    {"evl_switch_oob", KIND_COBALT_HARDEN, NULL, {""}},
    {"evl_switched_oob", KIND_COBALT_HARDENED, NULL, {""}},
};
#define N_RULES (sizeof rules / sizeof *rules)
#define N_SLOTS 256

static unsigned name_hash(const char *name, size_t length)
{
    uint32_t h = (uint32_t)length * 0x9e3779b1u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)name[i]) * 0x01000193u;
    return (h ^ h >> 15) & (N_SLOTS - 1);
}

/* Open addressing over the rules' names, filled at first use. */
static const struct body_rule *rule_find(const char *name, size_t length)
{
    static uint8_t slots[N_SLOTS]; /* index of the rule + 1 */
    static bool is_filled;
    _Static_assert(N_RULES < N_SLOTS / 2, "the table needs room");
    if (!is_filled) {
        for (size_t i = 0; i < N_RULES; i++) {
            unsigned s = name_hash(rules[i].name, strlen(rules[i].name));
            while (slots[s])
                s = (s + 1) & (N_SLOTS - 1);
            slots[s] = (uint8_t)(i + 1);
        }
        is_filled = true;
    }
    for (unsigned s = name_hash(name, length); slots[s]; s = (s + 1) & (N_SLOTS - 1)) {
        const struct body_rule *rule = &rules[slots[s] - 1];
        if (strlen(rule->name) == length && memcmp(rule->name, name, length) == 0)
            return rule;
    }
    return NULL;
}

bool ftrace_body_split(const char *body, const char *end, const char **name, size_t *name_length, const char **text)
{
    const char *p = body;
    while (p < end && (is_digit(*p) || *p == '_' || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                       (*p == ':' && p + 1 < end && p[1] != ' ') || *p == '.' || *p == '-' || *p == '+' || *p == '/'))
        p++;
    if (p == body || p >= end || *p != ':' || (p + 1 < end && p[1] != ' '))
        return false;
    *name_length = (size_t)(p - body);
    *name = body;
    const char *colon = memrchr(body, ':', *name_length); /* perf: "sched:sched_switch" */
    if (colon) {
        *name = colon + 1;
        *name_length = (size_t)(p - *name);
    }
    p++;
    while (p < end && *p == ' ')
        p++;
    *text = p;
    return *name_length > 0;
}

static bool name_is(const char *name, size_t length, const char *literal)
{
    return strlen(literal) == length && memcmp(name, literal, length) == 0;
}

static const char *last_of(const char *text, const char *end, const char *literal)
{
    size_t n = strlen(literal);
    for (const char *p = end - n; p >= text; p--)
        if (memcmp(p, literal, n) == 0)
            return p;
    return NULL;
}

/*
 * sched_switch. The kernel's form has " ==> " between its halves, trace-cmd's plug-in "comm:pid [prio] S ==> ", raw
 * reports neither. A comm may hold any of the words, so each half is read from its right end.
 */
static bool body_sched_switch(const char *text, const char *end, struct ftrace_event *event)
{
    ftrace_event_begin(event, KIND_SCHED_SWITCH);
    const char *arrow = last_of(text, end, " ==> ");
    if (text < end && strncmp(text, "prev_comm=", (size_t)(end - text) < 10 ? (size_t)(end - text) : 10) == 0) {
        const char *left = arrow ? arrow : end;
        const char *state = last_of(text, left, " prev_state=");
        if (!ftrace_match_keys("prev_comm prev_pid prev_prio", text, left, event) || !state)
            return false;
        const char *state_end = state += strlen(" prev_state=");
        while (state_end < end && *state_end != ' ')
            state_end++;
        event->words[3] = ftrace_state_parse(state, (size_t)(state_end - state));
        return ftrace_match_keys("- - - - next_comm next_pid next_prio", arrow ? arrow : state, end, event);
    }
    if (!arrow)
        return false;
    bool is_left = ftrace_match("task %0s:%1a [%2a] (%3t)", text, arrow, event);
    if (!is_left) {
        ftrace_event_begin(event, KIND_SCHED_SWITCH);
        is_left = ftrace_match("%0s:%1a [%2a] %3t", text, arrow, event);
    }
    return is_left && ftrace_match("%4s:%5a [%6a]", arrow + 5, end, event);
}

/* cobalt_switch_context: keys since 3.1, pointers with names in 3.0. */
static bool body_cobalt_switch(const char *text, const char *end, struct ftrace_event *event)
{
    ftrace_event_begin(event, KIND_COBALT_SWITCH);
    const char *arrow = last_of(text, end, " ==> ");
    if (!arrow)
        return ftrace_match("prev=%*(%0s) next=%*(%4s)", text, end, event);
    const char *state = last_of(text, arrow, " prev_state=");
    if (!ftrace_match_keys("prev_name prev_pid prev_prio", text, arrow, event))
        return false;
    if (state) { /* Cobalt's own bits, kept as they are */
        const char *p = state + strlen(" prev_state=");
        uint64_t bits;
        if (scan_hex(&p, arrow, &bits) && bits < UINT32_MAX)
            event->words[3] = (uint32_t)bits;
    }
    return ftrace_match_keys("- - - - next_name next_pid next_prio", arrow, end, event);
}

static bool has_suffix(const char *name, size_t length, const char *suffix)
{
    size_t n = strlen(suffix);
    return length > n && memcmp(name + length - n, suffix, n) == 0;
}

/* irq_vectors: NAME_entry and NAME_exit, whatever the vector is called, say only "vector=236". */
static bool body_vector(const char *name, size_t length, const char *text, const char *end, struct ftrace_event *event)
{
    bool is_entry = has_suffix(name, length, "_entry"), is_exit = has_suffix(name, length, "_exit");
    if ((!is_entry && !is_exit) || end - text < 8 || memcmp(text, "vector=", 7) != 0)
        return false;
    ftrace_event_begin(event, is_entry ? KIND_VECTOR_ENTRY : KIND_VECTOR_EXIT);
    ftrace_event_string(event, 0, name, length - (is_entry ? 6 : 5));
    return ftrace_match("vector=%1a", text, end, event);
}

/* syscalls: events of single calls, "sys_enter_read: fd: 3". The number is not in the text. */
static bool body_named_syscall(const char *name, size_t length, const char *text, const char *end,
                               struct ftrace_event *event)
{
    bool is_enter = length > 10 && memcmp(name, "sys_enter_", 10) == 0;
    bool is_exit = length > 9 && memcmp(name, "sys_exit_", 9) == 0;
    if (!is_enter && !is_exit)
        return false;
    ftrace_event_begin(event, is_enter ? KIND_SYS_ENTER : KIND_SYS_EXIT);
    ftrace_event_string(event, 1, name + (is_enter ? 10 : 9), length - (is_enter ? 10 : 9));
    if (is_exit)
        ftrace_match("%2a", text, end, event);
    return true;
}

static bool body_page_fault(const char *name, size_t length, const char *text, const char *end,
                            struct ftrace_event *event)
{
    ftrace_event_begin(event, KIND_PAGE_FAULT);
    ftrace_event_string(event, 0, length > 11 ? name + 11 : name, length > 11 ? length - 11 : length);
    /* address and ip print as symbols where they have one: then they stay unknown */
    if (!ftrace_match("address=0x%1a ", text, end, event) && !memmem(text, (size_t)(end - text), "address=", 8))
        return false;
    const char *code = last_of(text, end, "error_code=");
    if (code)
        ftrace_match("error_code=%4a", code, end, event);
    return true;
}

/* "0xffff... (flags=SPIN|WRITE)": LCB_F_* by name. */
static bool body_contention_begin(const char *text, const char *end, struct ftrace_event *event)
{
    static const char *const names[] = {"SPIN", "READ", "WRITE", "RT", "PERCPU", "MUTEX"};
    ftrace_event_begin(event, KIND_CONTENTION_BEGIN);
    if (!ftrace_match("%0a (flags=", text, end, event))
        return false;
    const char *p = last_of(text, end, "flags=");
    uint32_t bits = 0;
    if (!p)
        return false;
    for (p += 6; p < end && *p != ')';) {
        size_t n = 0;
        while (p + n < end && p[n] != '|' && p[n] != ')')
            n++;
        for (unsigned i = 0; i < 6; i++)
            if (name_is(p, n, names[i]))
                bits |= 1u << i;
        p += n;
        if (p < end && *p == '|')
            p++;
    }
    event->words[2] = bits;
    return true;
}

static bool body_cpu_idle_miss(const char *text, const char *end, struct ftrace_event *event)
{
    ftrace_event_begin(event, KIND_CPU_IDLE_MISS);
    if (!ftrace_match_keys("state cpu_id", text, end, event))
        return false;
    const char *type = last_of(text, end, "type=");
    if (type && end - type >= 10)
        event->words[2] = memcmp(type + 5, "below", 5) == 0;
    return true;
}

/* trace_marker and trace_printk: "print: where: text" of trace-cmd, "ip=where buf=text" of its raw form, "0: text". */
static bool body_print(const char *text, const char *end, struct ftrace_event *event)
{
    ftrace_event_begin(event, KIND_PRINT);
    if (ftrace_match("ip=%0a buf=%1s", text, end, event))
        return true;
    ftrace_event_begin(event, KIND_PRINT);
    const char *where;
    size_t length;
    const char *rest = text;
    if (ftrace_body_split(text, end, &where, &length, &rest))
        ftrace_event_string(event, 0, where, length);
    ftrace_event_string(event, 1, rest, (size_t)(end - rest));
    return true;
}

static bool body_noise(const char *name, size_t length, const char *text, const char *end, struct ftrace_event *event)
{
    /* osnoise_* of 6.x with `start S.nnnnnnnnn duration N ns`: the seconds are joined in body_tracers.c */
    static const struct { const char *name; unsigned kind; } noises[] = {
        {"nmi_noise", KIND_OSNOISE_NMI}, {"irq_noise", KIND_OSNOISE_IRQ}, {"softirq_noise", KIND_OSNOISE_SOFTIRQ},
        {"thread_noise", KIND_OSNOISE_THREAD}, {"sample_threshold", KIND_OSNOISE_THRESHOLD},
    };
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
        if (!name_is(name, length, noises[i].name))
            continue;
        ftrace_event_begin(event, noises[i].kind);
        const char *start = last_of(text, end, "start ");
        if (!start)
            return false;
        unsigned n = noises[i].kind == KIND_OSNOISE_NMI || noises[i].kind == KIND_OSNOISE_THRESHOLD ? 0 : 2;
        const char *p = start + 6;
        int64_t start_ns;
        if (!scan_decimal(&p, end, 9, &start_ns))
            return false;
        event_words_set_i64(&event->words[n], start_ns);
        if (!scan_literal(&p, end, " duration ") || !scan_i64(&p, end, &start_ns))
            return false;
        event_words_set_i64(&event->words[n + 2], start_ns);
        if (noises[i].kind == KIND_OSNOISE_THRESHOLD)
            return ftrace_match(" ns interference %2a", p, end, event);
        if (n == 0)
            return true;
        const char *stop = start;
        while (stop > text && stop[-1] == ' ')
            stop--;
        if (noises[i].kind == KIND_OSNOISE_SOFTIRQ) /* "TIMER:1" */
            return ftrace_match("%1s:%0a", text, stop, event);
        return ftrace_match("%0s:%1a", text, stop, event); /* a comm may hold ':': the last one counts */
    }
    return false;
}

/* trace-cmd's timer plug-ins print "hrtimer_wakeup/0x0": the zero is no offset. */
static void strip_offset_zero(struct ftrace_event *event)
{
    for (unsigned i = 0; i < event->n_strings; i++) {
        const char *text = event->strings[i].text;
        size_t n = event->strings[i].length;
        if (n > 4 && memcmp(text + n - 4, "/0x0", 4) == 0 && !memchr(text, '+', n))
            event->strings[i].length = n - 4;
    }
}

bool ftrace_body_parse_named(const struct ftrace_row *row, const char *name, size_t name_length, const char *text,
                             const char *end, struct ftrace_event *event)
{
    if (name_is(name, name_length, "sched_switch"))
        return body_sched_switch(text, end, event);
    const struct body_rule *rule = rule_find(name, name_length);
    if (rule && rule->kind == KIND_COBALT_SWITCH && name[0] == 'c')
        return body_cobalt_switch(text, end, event);
    if (rule) {
        ftrace_event_begin(event, rule->kind);
        bool done = rule->keys && ftrace_match_keys(rule->keys, text, end, event);
        for (size_t i = 0; !done && i < 3 && rule->patterns[i]; i++) {
            ftrace_event_begin(event, rule->kind);
            done = ftrace_match(rule->patterns[i], text, end, event);
        }
        if (done && rule->kind == KIND_IRQ_HANDLER_EXIT) {
            const char *ret = last_of(text, end, "ret=");
            if (ret)
                event->words[1] = (uint32_t)(end - ret >= 11 && memcmp(ret + 4, "handled", 7) == 0);
        }
        if (done && rule->kind == KIND_TIMERLAT) {
            static const char *const contexts[] = {"irq", "thread", "user-ret"};
            const char *context = last_of(text, end, "context=");
            if (context && end - context == 9 && context[8] >= '0' && context[8] <= '2')
                ftrace_event_string(event, 1, contexts[context[8] - '0'], strlen(contexts[context[8] - '0']));
        }
        if (done)
            strip_offset_zero(event);
        if (done && rule->kind == KIND_PRINT)
            ftrace_event_string(event, 0, name, name_length);
        /* Cobalt and EVL name the current task only by the row. */
        if (done && rule->kind >= KIND_COBALT_RELAX && rule->kind <= KIND_COBALT_HARDENED) {
            ftrace_event_string(event, 0, row->comm, row->comm_length);
            event->words[1] = (uint32_t)row->tid;
        }
        if (done)
            return true;
    }
    if (name_is(name, name_length, "print") || name_is(name, name_length, "0"))
        return body_print(text, end, event);
    if (name_is(name, name_length, "cpu_idle_miss"))
        return body_cpu_idle_miss(text, end, event);
    if (name_is(name, name_length, "contention_begin"))
        return body_contention_begin(text, end, event);
    if (name_length > 10 && memcmp(name, "page_fault", 10) == 0)
        return body_page_fault(name, name_length, text, end, event);
    return body_vector(name, name_length, text, end, event) ||
           body_named_syscall(name, name_length, text, end, event) ||
           body_noise(name, name_length, text, end, event);
}

/* " => func", "<stack trace>" are the reader's business; here only rows that stand alone. */
void ftrace_body_parse(const struct ftrace_row *row, struct ftrace_event *event)
{
    const char *name, *text, *body = row->body, *end = row->end;
    size_t length;
    if (row->form == FORM_PERF) { /* an optional period before the event */
        const char *p = body;
        while (p < end && is_digit(*p))
            p++;
        if (p > body && p < end && *p == ' ') {
            while (p < end && *p == ' ')
                p++;
            body = p;
        }
    }
    if (row->form == FORM_RAW && end - body > 2 && body[0] == '#' && body[1] == ' ') {
        ftrace_event_begin(event, KIND_PRINT);
        if (ftrace_match("# %0a %1s", body, end, event))
            return;
    }
    /* "1456:  0:S ==> [001]   12905: 19:R cyclictest": a real-time task's tid is no event's name. */
    if (body < end && is_digit(*body) && ftrace_body_wakeup(body, end, event))
        return;
    if (ftrace_body_split(body, end, &name, &length, &text)) {
        if (ftrace_body_parse_named(row, name, length, text, end, event))
            return;
        ftrace_event_begin(event, KIND_OTHER);
        ftrace_event_string(event, 0, name, length);
        ftrace_event_string(event, 1, text, (size_t)(end - text));
        return;
    }
    if (ftrace_body_function(body, end, event) || ftrace_body_hwlat(body, end, event) || ftrace_body_timerlat(body, end, event) ||
        ftrace_body_osnoise(body, end, event) || ftrace_body_26(row, event))
        return;
    ftrace_event_begin(event, KIND_OTHER);
    ftrace_event_string(event, 1, body, (size_t)(end - body));
}

bool ftrace_body_is_incomplete(const struct ftrace_row *row)
{
    const char *name, *text, *body = row->body, *end = row->end;
    size_t length;
    struct ftrace_event event;
    if (!ftrace_body_split(body, end, &name, &length, &text)) {
        /* "func <-", or a name whose caller may stand on the next line */
        ftrace_body_parse(row, &event);
        return event.kind == KIND_OTHER || (event.kind == KIND_FUNCTION && event.n_strings == 1);
    }
    if (text == end) /* a name and nothing else */
        return true;
    if (!rule_find(name, length) && !name_is(name, length, "sched_switch"))
        return false;
    ftrace_body_parse(row, &event);
    if (event.kind == KIND_OTHER)
        return true;
    unsigned word = 0; /* its last number may be on the next line, or a part of it */
    const struct event_kind_info *info = event_kind_info(event.kind);
    char type = info->n_arguments ? ftrace_argument(event.kind, info->n_arguments - 1, &word) : 0;
    bool has_string = false;
    for (unsigned i = 0; i < event.n_strings; i++)
        has_string |= event.strings[i].word == word;
    return (type == 'i' && event.words[word] == (uint32_t)INT32_MIN) || (type == 's' && !has_string);
}
