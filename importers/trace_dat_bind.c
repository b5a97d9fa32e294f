/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From fields to steps: which field of an event is which argument of its kind (store/kinds.def).
 *
 * A row of the table names one field per argument, in the kind's order:
 *   a|b     the first of these that the kernel has; none: the argument is unknown
 *   a:how   turned into words in a way of its own (struct hows)
 *   @text   a constant      @@   what the event's name says      %tid  the record's own task      -  always unknown
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "importers/trace_dat_formats.h"

struct binding {
    unsigned kind;
    const char *system, *event; /* event "*_entry": any with that end */
    const char *arguments;
};

static const struct binding bindings[] = {
    {KIND_SCHED_SWITCH, "sched", "sched_switch",
     "prev_comm prev_pid prev_prio prev_state:state next_comm next_pid next_prio"},
    {KIND_SCHED_WAKING, "sched", "sched_waking", "comm pid prio target_cpu|cpu"},
    {KIND_SCHED_WAKEUP, "sched", "sched_wakeup", "comm pid prio target_cpu|cpu"},
    {KIND_SCHED_WAKEUP_NEW, "sched", "sched_wakeup_new", "comm pid prio target_cpu|cpu"},
    {KIND_SCHED_MIGRATE_TASK, "sched", "sched_migrate_task", "comm pid prio orig_cpu dest_cpu"},
    {KIND_SCHED_PI_SETPRIO, "sched", "sched_pi_setprio", "comm pid oldprio newprio"},
    {KIND_SCHED_PROCESS_FORK, "sched", "sched_process_fork", "parent_comm parent_pid child_comm child_pid"},
    {KIND_SCHED_PROCESS_EXEC, "sched", "sched_process_exec", "filename pid old_pid"},
    {KIND_SCHED_PROCESS_EXIT, "sched", "sched_process_exit", "comm pid prio"},
    {KIND_SCHED_STAT_RUNTIME, "sched", "sched_stat_runtime", "comm pid runtime"},
    {KIND_TASK_RENAME, "task", "task_rename", "pid oldcomm newcomm"},
    {KIND_IRQ_HANDLER_ENTRY, "irq", "irq_handler_entry", "irq name"},
    {KIND_IRQ_HANDLER_EXIT, "irq", "irq_handler_exit", "irq ret"},
    {KIND_SOFTIRQ_RAISE, "irq", "softirq_raise", "vec vec:softirq"},
    {KIND_SOFTIRQ_ENTRY, "irq", "softirq_entry", "vec vec:softirq"},
    {KIND_SOFTIRQ_EXIT, "irq", "softirq_exit", "vec vec:softirq"},
    {KIND_TASKLET_ENTRY, "irq", "tasklet_entry", "func:func"},
    {KIND_TASKLET_EXIT, "irq", "tasklet_exit", "func:func"},
    {KIND_VECTOR_ENTRY, "irq_vectors", "*_entry", "@@ vector"},
    {KIND_VECTOR_EXIT, "irq_vectors", "*_exit", "@@ vector"},
    {KIND_IPI_RAISE, "ipi", "ipi_raise", "reason:printk target_cpus:mask"},
    {KIND_IPI_SEND_CPU, "ipi", "ipi_send_cpu", "cpu callsite:func callback:func"},
    {KIND_IPI_ENTRY, "ipi", "ipi_entry", "reason:printk"},
    {KIND_IPI_EXIT, "ipi", "ipi_exit", "reason:printk"},
    {KIND_CSD_FUNCTION_ENTRY, "csd", "csd_function_entry", "func:func"},
    {KIND_CSD_FUNCTION_EXIT, "csd", "csd_function_exit", "func:func"},
    {KIND_NMI_HANDLER, "nmi", "nmi_handler", "handler:func delta_ns handled"},
    {KIND_HRTIMER_INIT, "timer", "hrtimer_init", "hrtimer clockid:name mode:mode"},
    {KIND_HRTIMER_INIT, "timer", "hrtimer_setup", "hrtimer clockid:name mode:mode"},
    {KIND_HRTIMER_START, "timer", "hrtimer_start", "hrtimer function:func expires softexpires mode:mode"},
    {KIND_HRTIMER_CANCEL, "timer", "hrtimer_cancel", "hrtimer"},
    {KIND_HRTIMER_EXPIRE_ENTRY, "timer", "hrtimer_expire_entry", "hrtimer function:func now"},
    {KIND_HRTIMER_EXPIRE_EXIT, "timer", "hrtimer_expire_exit", "hrtimer"},
    {KIND_TIMER_START, "timer", "timer_start", "timer function:func expires"},
    {KIND_TIMER_CANCEL, "timer", "timer_cancel", "timer"},
    {KIND_TIMER_EXPIRE_ENTRY, "timer", "timer_expire_entry", "timer function:func now"},
    {KIND_TIMER_EXPIRE_EXIT, "timer", "timer_expire_exit", "timer"},
    {KIND_TICK_STOP, "timer", "tick_stop", "success dependency:name"},
    {KIND_IRQ_DISABLE, "preemptirq", "irq_disable", "caller_offs:text parent_offs:text"},
    {KIND_IRQ_ENABLE, "preemptirq", "irq_enable", "caller_offs:text parent_offs:text"},
    {KIND_PREEMPT_DISABLE, "preemptirq", "preempt_disable", "caller_offs:text parent_offs:text"},
    {KIND_PREEMPT_ENABLE, "preemptirq", "preempt_enable", "caller_offs:text parent_offs:text"},
    {KIND_CPU_IDLE, "power", "cpu_idle", "state cpu_id"},
    {KIND_CPU_IDLE_MISS, "power", "cpu_idle_miss", "state cpu_id below"},
    {KIND_CPU_FREQUENCY, "power", "cpu_frequency", "state cpu_id"},
    {KIND_SYS_ENTER, "raw_syscalls", "sys_enter", "id -"},
    {KIND_SYS_EXIT, "raw_syscalls", "sys_exit", "id - ret"},
    {KIND_SYS_ENTER, "syscalls", "sys_enter_*", "__syscall_nr|nr @@"},
    {KIND_SYS_EXIT, "syscalls", "sys_exit_*", "__syscall_nr|nr @@ ret"},
    {KIND_PAGE_FAULT, "exceptions", "page_fault_user", "@user address ip error_code"},
    {KIND_PAGE_FAULT, "exceptions", "page_fault_kernel", "@kernel address ip error_code"},
    {KIND_CONTENTION_BEGIN, "lock", "contention_begin", "lock_addr flags"},
    {KIND_CONTENTION_END, "lock", "contention_end", "lock_addr ret"},
    {KIND_WORKQUEUE_EXECUTE_START, "workqueue", "workqueue_execute_start", "work function:func"},
    {KIND_WORKQUEUE_EXECUTE_END, "workqueue", "workqueue_execute_end", "work function:func"},
    {KIND_CPUHP_ENTER, "cpuhp", "cpuhp_enter", "cpu target idx fun:func"},
    {KIND_CPUHP_EXIT, "cpuhp", "cpuhp_exit", "cpu state idx ret"},
    {KIND_CONSOLE, "printk", "console", "msg|text"},
    {KIND_FUNCTION, "ftrace", "function", "ip:func parent_ip:func"},
    {KIND_FUNCGRAPH_ENTRY, "ftrace", "funcgraph_entry", "func:func depth"},
    {KIND_OSNOISE, "ftrace", "osnoise",
     "runtime noise max_sample hw_count nmi_count irq_count softirq_count thread_count"},
    {KIND_TIMERLAT, "ftrace", "timerlat", "seqnum context:context timer_latency"},
    {KIND_OSNOISE_NMI, "osnoise", "nmi_noise", "start duration"},
    {KIND_OSNOISE_IRQ, "osnoise", "irq_noise", "desc vector start duration"},
    {KIND_OSNOISE_SOFTIRQ, "osnoise", "softirq_noise", "vector vector:softirq start duration"},
    {KIND_OSNOISE_THREAD, "osnoise", "thread_noise", "comm pid start duration"},
    {KIND_OSNOISE_THRESHOLD, "osnoise", "sample_threshold", "start duration interference"},
    {KIND_COBALT_SWITCH, "cobalt_core", "cobalt_switch_context",
     "prev_name prev_pid prev_prio prev_state next_name next_pid next_prio"},
    {KIND_COBALT_RESUME, "cobalt_core", "cobalt_thread_resume", "name pid mask"},
    {KIND_COBALT_SUSPEND, "cobalt_core", "cobalt_thread_suspend", "name pid mask timeout"},
    {KIND_COBALT_RELAX, "cobalt_core", "cobalt_shadow_gorelax", "name pid|%tid reason:name"},
    {KIND_COBALT_RELAXED, "cobalt_core", "cobalt_shadow_relaxed", "name pid|%tid"},
    {KIND_COBALT_HARDEN, "cobalt_core", "cobalt_shadow_gohard", "name pid|%tid"},
    {KIND_COBALT_HARDENED, "cobalt_core", "cobalt_shadow_hardened", "name pid|%tid"},
    {KIND_COBALT_IRQ_ENTRY, "cobalt_core", "cobalt_irq_entry", "irq"},
    {KIND_COBALT_IRQ_EXIT, "cobalt_core", "cobalt_irq_exit", "irq"},
    {KIND_COBALT_CLOCK_ENTRY, "cobalt_core", "cobalt_clock_entry", "irq"},
    {KIND_COBALT_CLOCK_EXIT, "cobalt_core", "cobalt_clock_exit", "irq"},
    {KIND_COBALT_TIMER_EXPIRE, "cobalt_core", "cobalt_timer_expire", "timer"},
    {KIND_COBALT_TIMER_START, "cobalt_core", "cobalt_timer_start", "timer value interval"},
    {KIND_COBALT_TICK_SHOT, "cobalt_core", "cobalt_tick_shot", "- delta"},
    {KIND_COBALT_SYSENTRY, "cobalt_posix", "cobalt_head_sysentry", "nr:name"},
    {KIND_COBALT_SYSEXIT, "cobalt_posix", "cobalt_head_sysexit", "result"},
    {KIND_COBALT_SWITCH, "evl", "evl_switch_context",
     "prev_name prev_pid prev_prio prev_state next_name next_pid next_prio"},
    {KIND_COBALT_RESUME, "evl", "evl_release_thread", "name pid mask"},
    {KIND_COBALT_RESUME, "evl", "evl_wakeup_thread", "name pid mask"},
    {KIND_COBALT_SUSPEND, "evl", "evl_hold_thread", "name pid mask -"},
    {KIND_COBALT_TIMER_EXPIRE, "evl", "evl_timer_expire", "-"},
    {KIND_COBALT_TICK_SHOT, "evl", "evl_timer_shot", "- delta"},
    {KIND_COBALT_SYSENTRY, "evl", "evl_oob_sysentry", "nr:name"},
    {KIND_COBALT_SYSEXIT, "evl", "evl_oob_sysexit", "result"},
    {KIND_COBALT_IRQ_ENTRY, "irq", "irq_pipeline_entry", "irq"},
    {KIND_COBALT_IRQ_EXIT, "irq", "irq_pipeline_exit", "irq"},
    {KIND_COBALT_RELAX, "evl", "evl_switch_inband", "name pid|%tid cause:name"},
    {KIND_COBALT_RELAXED, "evl", "evl_switched_inband", "name pid|%tid"},
    {KIND_COBALT_HARDEN, "evl", "evl_switch_oob", "name pid|%tid"},
    {KIND_COBALT_HARDENED, "evl", "evl_switched_oob", "name pid|%tid"},
};

/* Events with a decoder of their own; the fields it needs, in the order of special_offset. */
static const struct {
    enum trace_special special;
    unsigned kind;
    const char *event, *fields[3];
} specials[] = {
    {SPECIAL_PRINT, KIND_PRINT, "print", {"ip", "buf"}},
    {SPECIAL_BPRINT, KIND_PRINT, "bprint", {"ip", "fmt", "buf"}},
    {SPECIAL_BPUTS, KIND_PRINT, "bputs", {"ip", "str"}},
    {SPECIAL_STACK, KIND_KERNEL_STACK, "kernel_stack", {"caller"}},
    {SPECIAL_STACK, KIND_USER_STACK, "user_stack", {"caller"}},
    {SPECIAL_GRAPH_EXIT, KIND_FUNCGRAPH_EXIT, "funcgraph_exit", {"calltime", "rettime"}},
    {SPECIAL_HWLAT_TIME, KIND_HWLAT, "hwlat", {"timestamp_s|tv_sec", "timestamp_ns|tv_nsec"}},
    {SPECIAL_WAKE, KIND_TRACER_WAKE, "wakeup", {"next_pid", "prev_state", "next_state"}},
    {SPECIAL_WAKE, KIND_TRACER_SWITCH, "context_switch", {"next_pid", "prev_state", "next_state"}},
};
static const char special_arguments_graph_exit[] = "func:func depth -";
static const char special_arguments_hwlat[] = "duration outer_duration - count nmi_count nmi_total_ts";
static const char special_arguments_wake[] = "prev_pid prev_prio - next_cpu - next_pid next_prio -";

static const struct trace_field *find_field(const struct trace_field *fields, size_t n, const char *name, size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(fields[i].name) == length && !memcmp(fields[i].name, name, length))
            return &fields[i];
    return NULL;
}

/* ---- tables of names ---- */

static void skip_blanks(const char **p, const char *end)
{
    while (*p < end && isspace((unsigned char)**p))
        ++*p;
}

/* HRTIMER_MODE_ABS_PINNED_HARD and the like: the kernel leaves these words in the text (include/linux/hrtimer.h). */
static bool hrtimer_mode_value(const char *word, size_t length, int64_t *value)
{
    static const struct {
        const char *part;
        int bit;
    } parts[] = {{"REL", 1}, {"PINNED", 2}, {"SOFT", 4}, {"HARD", 8}};
    if (length < 13 || memcmp(word, "HRTIMER_MODE_", 13))
        return false;
    *value = 0;
    for (size_t i = 0; i < 4; i++)
        if (memmem(word, length, parts[i].part, strlen(parts[i].part)))
            *value |= parts[i].bit;
    return true;
}

/* "12", "0x10", "(1UL << 3)", "-1"; false for a word that only the kernel's sources tell. */
static bool parse_value(const char **p, const char *end, int64_t *value)
{
    skip_blanks(p, end);
    while (*p < end && (**p == '(' || isspace((unsigned char)**p)))
        ++*p;
    const char *word = *p;
    while (*p < end && (isalnum((unsigned char)**p) || **p == '_'))
        ++*p;
    if (hrtimer_mode_value(word, (size_t)(*p - word), value))
        return true;
    char digits[32];
    *p = word;
    size_t length = 0;
    while (*p < end && length < sizeof digits - 1 && (isalnum((unsigned char)**p) || **p == '-'))
        digits[length++] = *(*p)++;
    digits[length] = 0;
    char *stop;
    *value = strtoll(digits, &stop, 0);
    if (stop == digits)
        return false;
    skip_blanks(p, end);
    if (end - *p > 2 && (*p)[0] == '<' && (*p)[1] == '<') {
        *p += 2;
        skip_blanks(p, end);
        int64_t shift = 0;
        for (; *p < end && isdigit((unsigned char)**p) && shift < 64; ++*p)
            shift = shift * 10 + (**p - '0');
        if (shift > 62)
            return false;
        *value = (int64_t)((uint64_t)*value << shift);
    }
    return true;
}

#define MAX_NAMES 512

/* Pairs "{ value, "name" }, ..." from at to the closing parenthesis. */
static size_t parse_pairs(struct trace_formats *formats, const char *at, const char *end, struct trace_name *names)
{
    size_t n = 0;
    for (;;) {
        while (at < end && *at != '{' && *at != ')')
            at++;
        if (at >= end || *at == ')' || n == MAX_NAMES)
            return n;
        at++;
        int64_t value;
        bool known = parse_value(&at, end, &value);
        while (at < end && *at != '"' && *at != '}')
            at++;
        if (at >= end)
            return n;
        if (*at == '}')
            continue;
        const char *name = ++at;
        while (at < end && *at != '"')
            at++;
        if (at >= end)
            return n;
        if (known)
            names[n++] = (struct trace_name){
                value, trace_atom(formats, arena_string_n(&formats->arena, name, (size_t)(at - name)))};
        while (at < end && *at != '}')
            at++;
        if (at < end)
            at++;
    }
}

/* A hostile file's print format must not cost more than a kernel's: the longest seen are 8 KB. */
#define MAX_PRINT_FORMAT  65536
#define MAX_MACRO_SUBJECT 512

/* Where the pairs of macro(REC->field, ...) begin in a print format; NULL without them. */
static const char *find_macro(struct span fmt, const char *macro, const char *field)
{
    const char *at = (const char *)fmt.bytes, *end = at + (fmt.size < MAX_PRINT_FORMAT ? fmt.size : MAX_PRINT_FORMAT);
    while ((at = memmem(at, (size_t)(end - at), macro, strlen(macro)))) {
        at += strlen(macro);
        size_t near = (size_t)(end - at) < MAX_MACRO_SUBJECT ? (size_t)(end - at) : MAX_MACRO_SUBJECT;
        const char *brace = memchr(at, '{', near);
        const char *rec = memmem(at, near, "REC->", 5);
        size_t length = strlen(field);
        if (rec && brace && rec < brace && (size_t)(end - rec) > 5 + length && !memcmp(rec + 5, field, length) &&
            !isalnum((unsigned char)rec[5 + length]) && rec[5 + length] != '_')
            return brace;
    }
    return NULL;
}

static uint32_t add_map(struct trace_formats *formats, const struct trace_name *names, size_t n)
{
    struct trace_name *kept = arena_array(&formats->arena, n ? n : 1, sizeof *kept);
    memcpy(kept, names, n * sizeof *kept);
    memory_reserve(formats->maps, formats->maps_capacity, formats->n_maps + 1);
    formats->maps[formats->n_maps++] = (struct trace_map){(uint32_t)n, kept};
    return (uint32_t)formats->n_maps; /* + 1 */
}

static uint32_t map_from_text(struct trace_formats *formats, struct span fmt, const char *field)
{
    struct trace_name names[MAX_NAMES];
    const char *at = find_macro(fmt, "__print_symbolic(", field);
    size_t n = at ? parse_pairs(formats, at, (const char *)fmt.bytes + fmt.size, names) : 0;
    return n ? add_map(formats, names, n) : 0;
}

static uint32_t map_from_words(struct trace_formats *formats, const char *const *words, size_t n)
{
    struct trace_name names[16];
    for (size_t i = 0; i < n; i++)
        names[i] = (struct trace_name){(int64_t)i, trace_atom(formats, words[i])};
    return add_map(formats, names, n);
}

/*
 * prev_state to letters: from the pairs of __print_flags(); the bit above the highest of them is "+", preempted
 * (TASK_STATE_MAX or TASK_REPORT_MAX, by version). Without pairs: those of 4.14 and later.
 */
static void bind_state(struct trace_formats *formats, struct span fmt)
{
    struct trace_name names[MAX_NAMES];
    const char *at = find_macro(fmt, "__print_flags(", "prev_state");
    size_t n = at ? parse_pairs(formats, at, (const char *)fmt.bytes + fmt.size, names) : 0;
    if (!n) {
        static const char *const letters[] = {"S", "D", "T", "t", "X", "Z", "P", "I"};
        for (; n < 8; n++)
            names[n] = (struct trace_name){1 << n, trace_atom(formats, letters[n])};
    }
    int64_t highest = 0;
    for (size_t i = 0; i < n; i++)
        highest = names[i].value > highest ? names[i].value : highest;
    for (unsigned state = 0; state < 4096; state++) {
        uint32_t word = 0;
        unsigned shift = 0;
        for (size_t i = 0; i < n && shift < 16; i++)
            if (names[i].value & state) {
                word |= (uint32_t)(unsigned char)formats->atoms[names[i].atom][0] << shift;
                shift += 8;
            }
        if (!word) {
            word = 'R';
            shift = 8;
        }
        if (state >= (uint64_t)highest * 2)
            word |= (uint32_t)'+' << shift;
        formats->state_words[state] = word;
    }
}

/* ---- one event ---- */

static const char *const softirq_names[] = {"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"};
static const char *const timerlat_contexts[] = {"irq", "thread", "user"};
static const char *const hrtimer_modes[] = {"ABS", "REL", "ABS|PINNED", "REL|PINNED"};

struct binder {
    struct trace_formats *formats;
    struct trace_decoder *decoder;
    const struct trace_field *fields;
    size_t n_fields;
    struct span fmt;
    const char *name_part; /* of the event's name: "local_timer", "nanosleep" */
};

static uint8_t text_op(const struct trace_field *field)
{
    if (field->is_data_loc)
        return OP_DATA_LOC;
    if (field->is_rel_loc)
        return OP_REL_LOC;
    if (field->is_array)
        return field->size == 16 ? OP_COMM : OP_CHARS;
    return OP_SYMBOL;
}

static void bind_text(struct binder *b, struct trace_op *op, const struct trace_field *field, const char *how)
{
    op->code = text_op(field);
    if (!strncmp(how, "func", 4)) {
        op->code = OP_SYMBOL;
    } else if (!strncmp(how, "text", 4)) {
        op->code = OP_SYMBOL_FROM_TEXT;
    } else if (!strncmp(how, "printk", 6)) {
        op->code = field->is_data_loc ? OP_DATA_LOC : OP_PRINTK;
    } else if (!strncmp(how, "mask", 4)) {
        op->code = OP_CPU_MASK;
    } else if (*how || (!field->is_array && !field->is_pointer && !field->is_data_loc && !field->is_rel_loc)) {
        uint32_t map = map_from_text(b->formats, b->fmt, field->name);
        if (!map && !strncmp(how, "softirq", 7))
            map = map_from_words(b->formats, softirq_names, 10);
        else if (!map && !strncmp(how, "context", 7))
            map = map_from_words(b->formats, timerlat_contexts, 3);
        else if (!map && !strncmp(how, "mode", 4))
            map = map_from_words(b->formats, hrtimer_modes, 4);
        op->code = OP_NAME;
        op->aux = map;
    }
}

/* Argument number dst, of this type: "a|b:how". */
static void bind_argument(struct binder *b, const char *spec, size_t length, char type, unsigned dst)
{
    struct trace_op *op = &b->decoder->ops[b->decoder->n_ops++];
    bool is_wide = type == 'l' || type == 'X';
    *op = (struct trace_op){.dst = (uint8_t)dst, .code = is_wide ? OP_CONST64 : OP_CONST32};
    /* What stays if the kernel does not tell: store/kinds.def's sentinels. aux 1: INT64_MIN, 2: UINT64_MAX. */
    op->aux = is_wide ? (type == 'l' ? 1 : 2) : type == 's' ? 0 : type == 'i' ? (uint32_t)INT32_MIN : UINT32_MAX;
    if (*spec == '@') {
        const char *text = length == 2 && spec[1] == '@' ? b->name_part
                                                         : arena_string_n(&b->formats->arena, spec + 1, length - 1);
        *op = (struct trace_op){.dst = (uint8_t)dst, .code = OP_ATOM, .aux = trace_atom(b->formats, text)};
        return;
    }
    const char *colon = memchr(spec, ':', length);
    char how[16] = "";
    size_t names = colon ? (size_t)(colon - spec) : length;
    if (colon && length - names - 1 < sizeof how)
        memcpy(how, colon + 1, length - names - 1);
    const struct trace_field *field = NULL;
    for (const char *name = spec, *end = spec + names; name < end && !field;) {
        const char *bar = memchr(name, '|', (size_t)(end - name));
        size_t n = (size_t)((bar ? bar : end) - name);
        if (n == 4 && !memcmp(name, "%tid", 4)) {
            op->code = OP_TID;
            return;
        }
        field = find_field(b->fields, b->n_fields, name, n);
        name += n + 1;
    }
    if (!field)
        return;
    bool is_number = !field->is_array && !field->is_data_loc && !field->is_rel_loc;
    if (type != 's' && (!is_number || (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)))
        return; /* a kernel with another idea of this field */
    bool is_address = !strcmp(how, "func") || !strcmp(how, "text") || !strcmp(how, "printk");
    if (type == 's' && is_address && !field->is_data_loc && field->size != 4 && field->size != 8)
        return;
    op->src = field->offset;
    op->size = (uint8_t)(field->size > 255 ? 255 : field->size);
    op->is_signed = field->is_signed;
    if (!strcmp(how, "state"))
        op->code = OP_STATE;
    else if (type == 's')
        bind_text(b, op, field, how);
    else
        op->code = is_wide ? OP_NUMBER64 : OP_NUMBER32;
    if (op->code == OP_CHARS)
        op->aux = field->size;
    uint32_t end = field->offset + field->size;
    if (end > b->decoder->min_size)
        b->decoder->min_size = end;
}

static void bind_arguments(struct binder *b, unsigned kind, const char *arguments)
{
    const struct event_kind_info *info = event_kind_info(kind);
    b->decoder->kind = (uint16_t)kind;
    for (unsigned i = 0; i < info->n_arguments; i++) {
        size_t length = strcspn(arguments, " ");
        bind_argument(b, arguments, length, info->arguments[i].type, i);
        arguments += length;
        arguments += *arguments == ' ';
    }
}

static bool bind_special(struct binder *b, const char *system, const char *event)
{
    if (strcmp(system, "ftrace") != 0)
        return false;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (strcmp(specials[i].event, event) != 0)
            continue;
        for (size_t f = 0; f < 3 && specials[i].fields[f]; f++) {
            const char *spec = specials[i].fields[f], *bar = strchr(spec, '|');
            const struct trace_field *field =
                find_field(b->fields, b->n_fields, spec, bar ? (size_t)(bar - spec) : strlen(spec));
            if (!field && bar)
                field = find_field(b->fields, b->n_fields, bar + 1, strlen(bar + 1));
            if (!field)
                return false;
            b->decoder->special_offset[f] = field->offset;
            uint32_t end = field->offset + (field->is_array ? 0 : 8);
            if (specials[i].special == SPECIAL_PRINT || specials[i].special == SPECIAL_BPRINT || specials[i].special == SPECIAL_BPUTS ||
                specials[i].special == SPECIAL_WAKE)
                end = field->offset + field->size;
            if (end > b->decoder->min_size)
                b->decoder->min_size = end;
        }
        b->decoder->special = (uint8_t)specials[i].special;
        b->decoder->kind = (uint16_t)specials[i].kind;
        if (specials[i].special == SPECIAL_GRAPH_EXIT)
            bind_arguments(b, specials[i].kind, special_arguments_graph_exit);
        else if (specials[i].special == SPECIAL_HWLAT_TIME)
            bind_arguments(b, specials[i].kind, special_arguments_hwlat);
        else if (specials[i].special == SPECIAL_WAKE)
            bind_arguments(b, specials[i].kind, special_arguments_wake);
        return true;
    }
    return false;
}

/* "*_entry" and "sys_enter_*" match by their fixed end; *part is what the star stands for. */
static bool name_matches(struct trace_formats *formats, const char *pattern, const char *event, const char **part)
{
    const char *star = strchr(pattern, '*');
    size_t length = strlen(event), before = star ? (size_t)(star - pattern) : 0, after = star ? strlen(star + 1) : 0;
    if (!star)
        return !strcmp(pattern, event);
    if (length <= before + after || memcmp(event, pattern, before) || memcmp(event + length - after, star + 1, after))
        return false;
    *part = arena_string_n(&formats->arena, event + before, length - before - after);
    return true;
}

/* Keeps the fields for the generic text; tables of names that the print format has belong to them. */
static void bind_other(struct binder *b)
{
    struct trace_field *kept = arena_array(&b->formats->arena, b->n_fields ? b->n_fields : 1, sizeof *kept);
    if (b->n_fields)
        memcpy(kept, b->fields, b->n_fields * sizeof *kept);
    for (size_t i = 0; i < b->n_fields; i++)
        if (!kept[i].is_array && !kept[i].is_pointer)
            kept[i].map = map_from_text(b->formats, b->fmt, kept[i].name);
    b->decoder->fields = kept;
    b->decoder->n_fields = (uint32_t)b->n_fields;
    b->decoder->special = SPECIAL_OTHER;
    b->decoder->kind = KIND_OTHER;
}

void trace_format_bind(struct trace_formats *formats, struct trace_decoder *decoder, const char *system,
                       const char *event, const struct trace_field *fields, size_t n_fields, struct span print_fmt)
{
    struct binder b = {formats, decoder, fields, n_fields, print_fmt, event};
    decoder->name_atom = trace_atom(formats, arena_format(&formats->arena, "%s:%s", system, event));
    if (!strcmp(event, "sched_switch"))
        bind_state(formats, print_fmt);
    bool is_bound = bind_special(&b, system, event);
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings && !is_bound; i++)
        if (!strcmp(bindings[i].system, system) && name_matches(formats, bindings[i].event, event, &b.name_part)) {
            bind_arguments(&b, bindings[i].kind, bindings[i].arguments);
            is_bound = true;
        }
    if (!is_bound)
        bind_other(&b);
}
