/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/thread.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static bool begins_any(const char *text, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (begins(text, *prefixes))
            return true;
    return false;
}

/* Per-CPU kernel threads end in "/CPU"; programs can be named so too, but hardly are. */
static bool ends_in_cpu(const char *comm)
{
    const char *slash = strrchr(comm, '/');
    if (!slash || slash == comm || !slash[1])
        return false;
    for (const char *p = slash + 1; *p; p++)
        if (!isdigit((unsigned char)*p) && *p != ':' && *p != 'H' && *p != 'u')
            return false;
    return true;
}

/* by name: "kworker/0:1", "irq/24-eth0", "rcuc/1" ... */
static bool thread_is_kernel(const char *comm)
{
    static const char *const prefixes[] = {
        "kworker/", "ksoftirqd", "rcu",     "migration/", "irq/",      "ktimer",   "watchdog",  "cpuhp/",  "kthreadd",
        "kswapd",   "khugepaged", "kcompactd", "oom_reaper", "jbd2/",   "kauditd",  "scsi_eh",   "napi/",   "softirq-",
        "sirq-",    "IRQ-",       "IRQ ",      "posix_cpu_timer", "posixcputmr", "events/", "desched", "idle_inject",
        "backlog_napi", "kblockd", "stopper/", "sched_rt_", "kdevtmpfs", "irqwork", "irq_work/", "swapper", NULL};
    return comm && (begins_any(comm, prefixes) || ends_in_cpu(comm));
}

/* cyclictest, timerlat and their like */
static bool thread_is_measuring(const char *comm)
{
    static const char *const prefixes[] = {"cyclictest", "timerlat", "cyclicdeadline", "signaltest", "ptsematest", "pmqtest",
                                           "sigwaittest", "svsematest", "oslat", "jitterdebugger", "whylate-captur", "whylate/",
                                           "latmus", "display-", "sampling-", "samplin", "timer-responder", NULL};
    return comm && begins_any(comm, prefixes);
}

bool thread_is_per_cpu_stop(const char *comm)
{
    static const char *const prefixes[] = {"migration/", "cpuhp/", "stopper/", NULL};
    return comm && begins_any(comm, prefixes);
}

bool thread_relays(const char *comm)
{
    static const char *const prefixes[] = {"irq/", "IRQ-", "IRQ ", "ksoftirqd/", "ktimers/", "ktimersd/", "ktimersoftd/", "softirq-",
                                           "sirq-", "irq_work/", "posixcputmr/", NULL};
    return comm && begins_any(comm, prefixes);
}

bool task_matches(const char *task, const char *comm, int32_t tid)
{
    char *end;
    long number = strtol(task, &end, 10);
    if (*task && !*end)
        return number == tid;
    return comm && !strcmp(task, comm);
}

static const char *const waking[] = {"hrtimer_wakeup", "posix_timer_fn", "timerfd_tmrproc", "it_real_fn",
                                     "timerlat_irq", "task_timer", "alarm_handle_timer", "schedule_hrtimeout", NULL};
static const char *const schedules[] = {"__schedule", "schedule", "preempt_schedule", "finish_task_switch", "_cond_resched",
                                        "__cond_resched", "do_idle", "cpu_startup_entry", "rt_mutex_schedule",
                                        "io_schedule", "cpu_idle", "default_idle", NULL};
static const char *const entries[] = {"irqentry_", "__sysvec", "asm_call_", "call_on_irqstack", "__irq", "__common_interrupt", "__do_IRQ", "irq_enter", "irq_exit", "__irq_exit", "asm_sysvec", "asm_common_interrupt",
                                      "sysvec_", "common_interrupt", "el1_irq", "el0_irq", "el1h_64_irq", "el1_interrupt",
                                      "el0_interrupt", "el0t_64_irq", "__irq_svc", "__irq_usr", "apic_timer_interrupt",
                                      "smp_apic", "do_IRQ", "enter_from_kernel_mode", "exit_to_kernel_mode", "handle_irq",
                                      "gic_handle_irq", "trace_hardirqs_off_thunk", "restore_regs_and_return",
                                      "retint_", "ret_from_intr", "__hrtimer_run_queues", "hrtimer_interrupt",
                                      "hrtimer_run_queues", "tick_", "update_process_times", NULL};
static const char *const to_user[] = {"syscall_exit_to_user_mode", "exit_to_user_mode", "irqentry_exit_to_user", NULL};
static const char *const enables[] = {"_raw_spin_unlock_irq", "_raw_write_unlock_irq", "_raw_read_unlock_irq",
                                      "spin_unlock_irq", "__raw_spin_unlock_irq", "local_irq_enable", "trace_hardirqs_on",
                                      "_spin_unlock_irq", "finish_task_switch", "local_irq_restore", "do_softirq",
                                      "__do_softirq", "handle_softirqs", "__local_bh_enable", "raw_local_irq_restore",
                                      "arch_local_irq_enable", "arch_local_irq_restore", NULL};
static const char *const call_handlers[] = {"__handle_irq_event_percpu", "handle_irq_event_percpu", "handle_IRQ_event",
                                            "__do_softirq", "___do_softirq", "handle_softirqs", NULL};
static const char *const handlers[] = {"hrtimer_interrupt", "generic_smp_call_function", "flush_smp_call_function",
                                       "scheduler_ipi", "sched_ttwu_pending", NULL};
static const char *const primitives[] = {
    "_raw_spin", "_raw_read", "_raw_write", "__raw_spin", "raw_spin_", "do_raw_", "_spin_", "_read_unlock", "_write_unlock",
    "rt_spin_", "rt_read_", "rt_write_", "preempt_count_", "add_preempt_count", "sub_preempt_count", "preempt_schedule",
    "__rcu_read_", "rcu_read_", "trace_", "tracer_", "__trace", "__ftrace", "ftrace_", "probe_wakeup", "time_hardirqs_",
    "migrate_enable", "migrate_disable", "__migrate_", "__local_bh_", "local_bh_", "_local_bh_", "start_critical_timings",
    "stop_critical_timings", "notifier_call_chain", "raw_notifier_call_chain", "__raw_notifier_call_chain",
    "atomic_notifier_call_chain", "stack_trace", "queued_spin_lock_slowpath", "native_queued_spin_lock_slowpath",
    "debug_smp_processor_id", "find_next_bit", "find_first_bit", "_find_next", "_find_first", "cond_resched", "dump_stack", "irq_stack_", "return_to_handler", NULL};
static const char *const idles[] = {"cpu_idle", "default_idle", "do_idle", "cpuidle", "processor_idle", "mwait_idle", "poll_idle", "safe_halt",
                                    "rcu_idle_enter", "intel_idle", "acpi_idle", "psci_enter", "cpu_startup_entry", "arch_call_rest_init",
                                    "cpu_do_idle", "idle_enter", "xen_safe_halt", "amd_e400_idle", NULL};
static const char *const softirqs[] = {"__do_softirq", "___do_softirq", "do_softirq", "handle_softirqs", "invoke_softirq",
                                       "run_timer_softirq", "run_hrtimer_softirq", "net_rx_action", "net_tx_action",
                                       "tasklet_action", "tasklet_hi_action", "run_rebalance_domains", "rcu_process_callbacks",
                                       "blk_done_softirq", NULL};
static const char *const nmis[] = {"do_nmi", "exc_nmi", "default_do_nmi", "nmi_handle", "nmi_watchdog", NULL};
static const char *const sleeps[] = {"hrtimer_wakeup", NULL};
static const char *const polls[] = {"rwsem_down_write_slowpath", "rwsem_spin", NULL};
static const char *const polls_inside[] = {"_optimistic_spin", "osq_lock", "_spin_on_owner", NULL};
static const char *const preempts[] = {"preempt_schedule+", NULL};

/* What names tell, by how they begin or by what stands anywhere in them. */
static const struct word_list {
    unsigned class;
    bool is_anywhere;
    const char *const *words;
} word_lists[] = {
    {WORD_IDLES, true, idles},           {WORD_PRIMITIVE, false, primitives},      {WORD_WAKING_TIMER, false, waking},
    {WORD_SLEEP_TIMER, false, sleeps},   {WORD_SCHEDULES, false, schedules},       {WORD_IRQ_ENTRY, false, entries},
    {WORD_RETURNS_TO_USER, false, to_user}, {WORD_ENABLES_IRQS, false, enables},   {WORD_CALLS_HANDLER, false, call_handlers},
    {WORD_HANDLER, false, handlers},     {WORD_NMI, false, nmis},                  {WORD_PREEMPTS_NOW, false, preempts},
    {WORD_SOFTIRQ, false, softirqs},     {WORD_POLLING_SPIN, false, polls},        {WORD_POLLING_SPIN, true, polls_inside},
};

static bool has_any(const char *word, const char *const *parts)
{
    for (size_t i = 0; parts[i]; i++)
        if (strstr(word, parts[i]))
            return true;
    return false;
}

unsigned word_class_of(const char *word)
{
    unsigned class = WORD_KNOWN;
    if (!word)
        return class;
    for (size_t i = 0; i < sizeof word_lists / sizeof *word_lists; i++)
        if (word_lists[i].is_anywhere ? has_any(word, word_lists[i].words) : begins_any(word, word_lists[i].words))
            class |= word_lists[i].class;
    if (!strcmp(word, "preempt_schedule"))
        class |= WORD_PREEMPTS_NOW;
    if (thread_is_kernel(word))
        class |= WORD_KERNEL_THREAD;
    if (thread_relays(word))
        class |= WORD_RELAYS;
    if (thread_is_measuring(word))
        class |= WORD_MEASURING;
    return class;
}

bool word_prints(const char *word)
{
    static const char *const names[] = {"vprintk", "console_", "printk", "_printk", "uart_", "serial8250_", "nbcon_", "pl011_",
                                        "call_console_drivers", "__call_console_drivers", "release_console_sem", NULL};
    return word && begins_any(word, names);
}

void word_classes_init(struct word_classes *words, const struct store *store)
{
    words->store = store;
    words->n = store_count_strings(store) + 1;
    words->classes = memory_resize(NULL, words->n, sizeof *words->classes);
    memset(words->classes, 0, words->n * sizeof *words->classes);
}

void word_classes_release(struct word_classes *words)
{
    free(words->classes);
    *words = (struct word_classes){0};
}

unsigned word_class_look(struct word_classes *words, uint32_t id)
{
    unsigned class = word_class_of(store_string(words->store, id));
    if (id < words->n)
        words->classes[id] = class;
    return class;
}

char *thread_format(struct arena *arena, const char *comm, int32_t tid, int32_t prio)
{
    if (tid == 0)
        return arena_string(arena, comm ? comm : "idle");
    if (tid == TID_UNKNOWN)
        return arena_string(arena, comm ? comm : "an unknown task");
    if (!comm || !strcmp(comm, "<...>"))
        return arena_format(arena, "tid %d", tid);
    if (prio == PRIO_UNKNOWN)
        return arena_format(arena, "%s:%d", comm, tid);
    return arena_format(arena, "%s:%d (prio %d)", comm, tid, prio);
}

const char *function_format(struct arena *arena, const char *function)
{
    const char *offset = function ? strstr(function, "+0x") : NULL;
    if (!offset || offset == function || !strstr(offset, "/0x"))
        return function;
    return arena_format(arena, "%.*s", (int)(offset - function), function);
}

size_t thread_stem_length(const char *comm)
{
    size_t n = strlen(comm);
    const char *slash = strchr(comm, '/');
    if (slash && slash != comm)
        return (size_t)(slash - comm);
    while (n > 1 && (isdigit((unsigned char)comm[n - 1]) || comm[n - 1] == '-' || comm[n - 1] == '_' || comm[n - 1] == ':'))
        n--;
    return n;
}
