/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event formats of the simulated kernel, as /sys/kernel/tracing/events would show them on a mainline 6.1. */
#include "tests/synth/dat_formats.h"

const struct dat_format dat_formats[] = {
    {KIND_SCHED_SWITCH, 300, "sched", "sched_switch",
     "c16 prev_comm|i4 prev_pid|i4 prev_prio|l8 prev_state|c16 next_comm|i4 next_pid|i4 next_prio", "s0 v0 v1 v2 s1 v3 v4",
     "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, "
     "REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | "
     "0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | "
     "0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" "
     "}, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { "
     "0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | "
     "0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? \"+\" : \"\", REC->next_comm, "
     "REC->next_pid, REC->next_prio"},
    {KIND_SCHED_WAKING, 301, "sched", "sched_waking", "c16 comm|i4 pid|i4 prio|i4 target_cpu", "s0 v0 v1 v2",
     "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"},
    {KIND_SCHED_WAKEUP, 302, "sched", "sched_wakeup", "c16 comm|i4 pid|i4 prio|i4 target_cpu", "s0 v0 v1 v2",
     "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"},
    {KIND_SCHED_MIGRATE_TASK, 303, "sched", "sched_migrate_task", "c16 comm|i4 pid|i4 prio|i4 orig_cpu|i4 dest_cpu",
     "s0 v0 v1 v2 v3",
     "\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu"},
    {KIND_SCHED_PI_SETPRIO, 304, "sched", "sched_pi_setprio", "c16 comm|i4 pid|i4 oldprio|i4 newprio", "s0 v0 v1 v2",
     "\"comm=%s pid=%d oldprio=%d newprio=%d\", REC->comm, REC->pid, REC->oldprio, REC->newprio"},
    {KIND_IRQ_HANDLER_ENTRY, 310, "irq", "irq_handler_entry", "i4 irq|d name", "v0 s0", "\"irq=%d name=%s\", REC->irq, __get_str(name)"},
    {KIND_IRQ_HANDLER_EXIT, 311, "irq", "irq_handler_exit", "i4 irq|i4 ret", "v0 v1",
     "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\""},
#define SOFTIRQ_PRINT                                                                                         \
    "\"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, \"TIMER\" }, { 2, \"NET_TX\" }, { 3, "   \
    "\"NET_RX\" }, { 4, \"BLOCK\" }, { 5, \"IRQ_POLL\" }, { 6, \"TASKLET\" }, { 7, \"SCHED\" }, { 8, \"HRTIMER\" }, { 9, "     \
    "\"RCU\" })"
    {KIND_SOFTIRQ_RAISE, 312, "irq", "softirq_raise", "u4 vec", "v0", SOFTIRQ_PRINT},
    {KIND_SOFTIRQ_ENTRY, 313, "irq", "softirq_entry", "u4 vec", "v0", SOFTIRQ_PRINT},
    {KIND_SOFTIRQ_EXIT, 314, "irq", "softirq_exit", "u4 vec", "v0", SOFTIRQ_PRINT},
    {KIND_HRTIMER_START, 320, "timer", "hrtimer_start", "p hrtimer|p function|l8 expires|l8 softexpires|u4 mode", "v0 f0 v1 v2 v3",
     "\"hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s\", REC->hrtimer, REC->function, (unsigned long long) "
     "REC->expires, (unsigned long long) REC->softexpires, __print_symbolic(REC->mode, { 0, \"ABS\" }, { 1, \"REL\" }, { 2, "
     "\"ABS|PINNED\" }, { 8, \"ABS|HARD\" }, { 10, \"ABS|PINNED|HARD\" })"},
    {KIND_HRTIMER_CANCEL, 321, "timer", "hrtimer_cancel", "p hrtimer", "v0", "\"hrtimer=%p\", REC->hrtimer"},
    {KIND_HRTIMER_EXPIRE_ENTRY, 322, "timer", "hrtimer_expire_entry", "p hrtimer|l8 now|p function", "v0 v1 f0",
     "\"hrtimer=%p function=%ps now=%llu\", REC->hrtimer, REC->function, (unsigned long long) REC->now"},
    {KIND_HRTIMER_EXPIRE_EXIT, 323, "timer", "hrtimer_expire_exit", "p hrtimer", "v0", "\"hrtimer=%p\", REC->hrtimer"},
    {KIND_IRQ_DISABLE, 330, "preemptirq", "irq_disable", "o caller_offs|o parent_offs", "f0 f1", DAT_PREEMPTIRQ_PRINT},
    {KIND_IRQ_ENABLE, 331, "preemptirq", "irq_enable", "o caller_offs|o parent_offs", "f0 f1", DAT_PREEMPTIRQ_PRINT},
    {KIND_PREEMPT_DISABLE, 332, "preemptirq", "preempt_disable", "o caller_offs|o parent_offs", "f0 f1", DAT_PREEMPTIRQ_PRINT},
    {KIND_PREEMPT_ENABLE, 333, "preemptirq", "preempt_enable", "o caller_offs|o parent_offs", "f0 f1", DAT_PREEMPTIRQ_PRINT},
    {KIND_CPU_IDLE, 340, "power", "cpu_idle", "u4 state|u4 cpu_id", "v0 v1",
     "\"state=%lu cpu_id=%lu\", (unsigned long)REC->state, (unsigned long)REC->cpu_id"},
    {KIND_CPU_FREQUENCY, 341, "power", "cpu_frequency", "u4 state|u4 cpu_id", "v0 v1",
     "\"state=%lu cpu_id=%lu\", (unsigned long)REC->state, (unsigned long)REC->cpu_id"},
    {KIND_SYS_ENTER, 350, "raw_syscalls", "sys_enter", "l8 id|A args", "v0 z",
     "\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], "
     "REC->args[5]"},
    {KIND_SYS_EXIT, 351, "raw_syscalls", "sys_exit", "l8 id|l8 ret", "v0 v1", "\"NR %ld = %ld\", REC->id, REC->ret"},
    {KIND_PAGE_FAULT, 352, "exceptions", "page_fault_user", "U8 address|U8 ip|U8 error_code", "v0 v1 v2",
     "\"address=%ps ip=%ps error_code=0x%lx\", (void *)REC->address, (void *)REC->ip, REC->error_code"},
    {KIND_CONTENTION_BEGIN, 353, "lock", "contention_begin", "p lock_addr|u4 flags", "v0 v1",
     "\"%p (flags=%s)\", REC->lock_addr, __print_flags(REC->flags, \"|\", { (1U << 0), \"SPIN\" }, { (1U << 1), \"READ\" }, { "
     "(1U << 2), \"WRITE\" }, { (1U << 3), \"RT\" }, { (1U << 4), \"PERCPU\" }, { (1U << 5), \"MUTEX\" })"},
    {KIND_CONTENTION_END, 354, "lock", "contention_end", "p lock_addr|i4 ret", "v0 v1", "\"%p (ret=%d)\", REC->lock_addr, REC->ret"},
    {KIND_NMI_HANDLER, 355, "nmi", "nmi_handler", "p handler|l8 delta_ns|i4 handled", "f0 v0 v1",
     "\"%ps() delta_ns: %lld handled: %d\", REC->handler, REC->delta_ns, REC->handled"},
    {KIND_COBALT_SWITCH, 360, "cobalt_core", "cobalt_switch_context",
     "d prev_name|i4 prev_pid|i4 prev_prio|U8 prev_state|d next_name|i4 next_pid|i4 next_prio", "s0 v0 v1 v2 s1 v3 v4",
     "\"prev_name=%s prev_pid=%d prev_prio=%d prev_state=0x%lx ==> next_name=%s next_pid=%d next_prio=%d\", "
     "__get_str(prev_name), REC->prev_pid, REC->prev_prio, REC->prev_state, __get_str(next_name), REC->next_pid, "
     "REC->next_prio"},
    {KIND_COBALT_RESUME, 361, "cobalt_core", "cobalt_thread_resume", "d name|i4 pid|U8 mask", "s0 v0 v1",
     "\"name=%s pid=%d mask=0x%lx\", __get_str(name), REC->pid, REC->mask"},
    {KIND_COBALT_SUSPEND, 362, "cobalt_core", "cobalt_thread_suspend", "i4 pid|U8 mask|U8 timeout|u4 timeout_mode|p wchan",
     "v0 v1 v2 z z", "\"pid=%d mask=0x%lx timeout=%Lu timeout_mode=%d wchan=%p\", REC->pid, REC->mask, REC->timeout, "
     "REC->timeout_mode, REC->wchan"},
    {KIND_COBALT_RELAX, 363, "cobalt_core", "cobalt_shadow_gorelax", "i4 reason", "v0",
     "\"reason=%s\", __print_symbolic(REC->reason, { 0, \"undefined\" }, { 1, \"signal\" }, { 2, \"syscall\" }, { 3, \"fault\" })"},
    {KIND_COBALT_RELAXED, 364, "cobalt_core", "cobalt_shadow_relaxed", "p thread|U8 state|U8 info", "z z z",
     "\"state=0x%lx info=0x%lx\", REC->state, REC->info"},
    {KIND_COBALT_HARDEN, 365, "cobalt_core", "cobalt_shadow_gohard", "p thread|U8 state|U8 info", "z z z",
     "\"state=0x%lx info=0x%lx\", REC->state, REC->info"},
    {KIND_COBALT_HARDENED, 366, "cobalt_core", "cobalt_shadow_hardened", "p thread|U8 state|U8 info", "z z z",
     "\"state=0x%lx info=0x%lx\", REC->state, REC->info"},
    {KIND_COBALT_CLOCK_ENTRY, 367, "cobalt_core", "cobalt_clock_entry", "u4 irq", "v0", "\"clock_irq=%u\", REC->irq"},
    {KIND_COBALT_CLOCK_EXIT, 368, "cobalt_core", "cobalt_clock_exit", "u4 irq", "v0", "\"clock_irq=%u\", REC->irq"},
    {KIND_COBALT_IRQ_ENTRY, 369, "cobalt_core", "cobalt_irq_entry", "u4 irq", "v0", "\"irq=%u\", REC->irq"},
    {KIND_COBALT_IRQ_EXIT, 370, "cobalt_core", "cobalt_irq_exit", "u4 irq", "v0", "\"irq=%u\", REC->irq"},
    {KIND_COBALT_TIMER_EXPIRE, 371, "cobalt_core", "cobalt_timer_expire", "p timer", "v0", "\"timer=%p\", REC->timer"},
    {KIND_COBALT_TIMER_START, 372, "cobalt_core", "cobalt_timer_start", "p timer|d name|U8 value|U8 interval|u4 mode", "v0 s0 v1 v2 z",
     "\"timer=%p(%s) value=%Lu interval=%Lu mode=0x%x\", REC->timer, __get_str(name), REC->value, REC->interval, REC->mode"},
    {KIND_COBALT_TICK_SHOT, 373, "cobalt_core", "cobalt_tick_shot", "U8 secs|u4 nsecs|l8 delta", "z z v0",
     "\"next tick at %Lu.%06u (delay: %Ld us)\", (unsigned long long)REC->secs, REC->nsecs / 1000, div_s64(REC->delta, 1000)"},
    {KIND_COBALT_SYSENTRY, 374, "cobalt_posix", "cobalt_head_sysentry", "u4 nr", "v0",
     "\"syscall=%s\", __print_symbolic((REC->nr), { 25, \"clock_nanosleep\" }, { 81, \"read\" }, { 82, \"write\" })"},
    {KIND_COBALT_SYSEXIT, 375, "cobalt_posix", "cobalt_head_sysexit", "l8 result", "v0", "\"result=%ld\", REC->result"},
    {KIND_COBALT_SWITCH, 380, "evl", "evl_switch_context",
     "d prev_name|i4 prev_pid|i4 prev_prio|U8 prev_state|d next_name|i4 next_pid|i4 next_prio", "s0 v0 v1 v2 s1 v3 v4",
     "\"{ %s[%d] prio=%d, state=0x%lx } => { %s[%d] prio=%d }\", __get_str(prev_name), REC->prev_pid, REC->prev_prio, "
     "REC->prev_state, __get_str(next_name), REC->next_pid, REC->next_prio"},
    {KIND_COBALT_RESUME, 381, "evl", "evl_wakeup_thread", "d name|i4 pid|i4 mask|i4 info", "s0 v0 v1 z",
     "\"name=%s pid=%d mask=%#x info=%#x\", __get_str(name), REC->pid, REC->mask, REC->info"},
    {KIND_COBALT_SUSPEND, 382, "evl", "evl_sleep_on", "i4 pid|U8 timeout|u4 timeout_mode|p wchan", "v0 v2 z z",
     "\"pid=%d timeout=%Lu timeout_mode=%d wchan=%p\", REC->pid, REC->timeout, REC->timeout_mode, REC->wchan"},
    {KIND_COBALT_RELAX, 383, "evl", "evl_switch_inband", "i4 cause", "v0",
     "\"cause=%s\", __print_symbolic(REC->cause, { 0, \"undefined\" }, { 1, \"in-band signal\" }, { 2, \"in-band syscall\" }, "
     "{ 3, \"processor exception\" })"},
    {KIND_COBALT_RELAXED, 384, "evl", "evl_switched_inband", "u4 state|u4 info", "z z", "\"state=%#x info=%#x\", REC->state, REC->info"},
    {KIND_COBALT_HARDEN, 385, "evl", "evl_switch_oob", "u4 state|u4 info", "z z", "\"state=%#x info=%#x\", REC->state, REC->info"},
    {KIND_COBALT_HARDENED, 386, "evl", "evl_switched_oob", "u4 state|u4 info", "z z", "\"state=%#x info=%#x\", REC->state, REC->info"},
    {KIND_COBALT_TIMER_EXPIRE, 387, "evl", "evl_timer_expire", "d name", "s0", "\"timer=%s\", __get_str(name)"},
    {KIND_COBALT_TICK_SHOT, 388, "evl", "evl_timer_shot", "U8 secs|u4 nsecs|l8 delta|d timer_name", "z z v0 s0",
     "\"%s at %Lu.%06u (delay: %Ld us)\", __get_str(timer_name), (unsigned long long)REC->secs, REC->nsecs / 1000, "
     "div_s64(REC->delta, 1000)"},
    {KIND_COBALT_SYSENTRY, 389, "evl", "evl_oob_sysentry", "u4 nr", "v0",
     "\"syscall=%s\", __print_symbolic((REC->nr), { 81, \"oob_read\" }, { 82, \"oob_write\" })"},
    {KIND_COBALT_SYSEXIT, 390, "evl", "evl_oob_sysexit", "l8 result", "v0", "\"result=%ld\", REC->result"},
    {KIND_COBALT_IRQ_ENTRY, 391, "irq", "irq_pipeline_entry", "i4 irq", "v0", "\"irq=%d\", REC->irq"},
    {KIND_COBALT_IRQ_EXIT, 392, "irq", "irq_pipeline_exit", "i4 irq", "v0", "\"irq=%d\", REC->irq"},
    {KIND_FUNCTION, 1, "ftrace", "function", "p ip|p parent_ip", "f0 f1", "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip"},
    {KIND_PAGE_FAULT, 376, "exceptions", "page_fault_user", "U8 address|U8 ip|U8 error_code", "v0 v1 v2",
     "\"address=%ps ip=%ps error_code=0x%lx\", (void *)REC->address, (void *)REC->ip, REC->error_code"},
    {KIND_PRINT, 5, "ftrace", "print", "p ip|t buf", "f1 s0", "\"%ps: %s\", (void *)REC->ip, REC->buf"},
    {0, 0, NULL, NULL, NULL, NULL, NULL},
};

const char *const dat_vectors[] = {"local_timer", "reschedule", "call_function", "call_function_single", "irq_work", NULL};
