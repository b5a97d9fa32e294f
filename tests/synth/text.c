/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/synth/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_events(const void *a, const void *b)
{
    const struct synth_event *x = *(const struct synth_event *const *)a, *y = *(const struct synth_event *const *)b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->cpu != y->cpu ? x->cpu - y->cpu : (x > y) - (x < y);
}

static const char *state_letters(int64_t state, char *text)
{
    static const char letters[] = "SDTtXZPI";
    size_t n = 0;
    for (int bit = 0; bit < 8; bit++)
        if (state >> bit & 1)
            text[n++] = letters[bit];
    if (!n)
        text[n++] = 'R';
    if (state & 0x100)
        text[n++] = '+';
    text[n] = 0;
    return text;
}

static const char *softirq_name(int64_t vector)
{
    static const char *const names[] = {"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"};
    return vector >= 0 && vector < 10 ? names[vector] : "?";
}

static bool is_dovetail, is_evl;
static const char *const relax_reasons[4] = {"undefined", "signal", "syscall", "fault"};

/* EVL's events under its own names; false: the event is not the co-kernel's. */
static bool print_evl(FILE *file, const struct synth_event *e)
{
    static const char *const causes[4] = {"undefined", "in-band signal", "in-band syscall", "processor exception"};
    const int64_t *v = e->v;
    switch (e->kind) {
    case KIND_COBALT_SWITCH:
        fprintf(file, "evl_switch_context: { %s[%" PRId64 "] prio=%" PRId64 ", state=0x%" PRIx64 " } => { %s[%" PRId64 "] prio=%" PRId64 " }",
                e->s[0], v[0], v[1], (uint64_t)v[2], e->s[1], v[3], v[4]);
        break;
    case KIND_COBALT_RESUME: fprintf(file, "evl_wakeup_thread: name=%s pid=%" PRId64 " mask=0x%" PRIx64 " info=0x0", e->s[0], v[0], (uint64_t)v[1]); break;
    case KIND_COBALT_SUSPEND:
        fprintf(file, "evl_sleep_on: pid=%" PRId64 " timeout=%" PRId64 " timeout_mode=0 clock=monotonic wchan=-(0000000000000000)", v[0], v[2]);
        break;
    case KIND_COBALT_RELAX: fprintf(file, "evl_switch_inband: cause=%s", causes[v[0] & 3]); break;
    case KIND_COBALT_RELAXED: fprintf(file, "evl_switched_inband: state=0x600c0 info=0x0"); break;
    case KIND_COBALT_HARDEN: fprintf(file, "evl_switch_oob: state=0x600c0 info=0x0"); break;
    case KIND_COBALT_HARDENED: fprintf(file, "evl_switched_oob: state=0x60040 info=0x0"); break;
    case KIND_COBALT_TIMER_EXPIRE: fprintf(file, "evl_timer_expire: timer=%s", e->s[0]); break;
    case KIND_COBALT_TICK_SHOT: {
        int64_t at = (e->time_ns + v[0]) / 1000;
        fprintf(file, "evl_timer_shot: %s at %" PRId64 ".%06" PRId64 " (delay: %" PRId64 " us, %" PRId64 " cycles)", e->s[0], at / 1000000, at % 1000000,
                v[0] / 1000, v[0] * 2);
        break;
    }
    case KIND_COBALT_SYSENTRY: fprintf(file, "evl_oob_sysentry: syscall=%s", v[0] == 82 ? "oob_write" : "oob_read"); break;
    case KIND_COBALT_SYSEXIT: fprintf(file, "evl_oob_sysexit: result=%" PRId64, v[0]); break;
    default: return false;
    }
    fputc('\n', file);
    return true;
}

static void print_event(FILE *file, const struct synth_event *e)
{
    const int64_t *v = e->v;
    char state[16];
    if (is_evl && print_evl(file, e))
        return;
    switch (e->kind) {
    case KIND_SCHED_SWITCH:
        fprintf(file, "sched_switch: prev_comm=%s prev_pid=%" PRId64 " prev_prio=%" PRId64 " prev_state=%s ==> next_comm=%s next_pid=%" PRId64 " next_prio=%" PRId64,
                e->s[0], v[0], v[1], state_letters(v[2], state), e->s[1], v[3], v[4]);
        break;
    case KIND_SCHED_WAKING:
    case KIND_SCHED_WAKEUP:
        fprintf(file, "%s: comm=%s pid=%" PRId64 " prio=%" PRId64 " target_cpu=%03" PRId64,
                e->kind == KIND_SCHED_WAKING ? "sched_waking" : "sched_wakeup", e->s[0], v[0], v[1], v[2]);
        break;
    case KIND_IRQ_HANDLER_ENTRY: fprintf(file, "irq_handler_entry: irq=%" PRId64 " name=%s", v[0], e->s[0]); break;
    case KIND_IRQ_HANDLER_EXIT: fprintf(file, "irq_handler_exit: irq=%" PRId64 " ret=handled", v[0]); break;
    case KIND_SOFTIRQ_RAISE: fprintf(file, "softirq_raise: vec=%" PRId64 " [action=%s]", v[0], softirq_name(v[0])); break;
    case KIND_SOFTIRQ_ENTRY: fprintf(file, "softirq_entry: vec=%" PRId64 " [action=%s]", v[0], softirq_name(v[0])); break;
    case KIND_SOFTIRQ_EXIT: fprintf(file, "softirq_exit: vec=%" PRId64 " [action=%s]", v[0], softirq_name(v[0])); break;
    case KIND_VECTOR_ENTRY: fprintf(file, "%s_entry: vector=%" PRId64, e->s[0], v[0]); break;
    case KIND_VECTOR_EXIT: fprintf(file, "%s_exit: vector=%" PRId64, e->s[0], v[0]); break;
    case KIND_HRTIMER_START:
        fprintf(file, "hrtimer_start: hrtimer=%016" PRIx64 " function=%s expires=%" PRId64 " softexpires=%" PRId64 " mode=ABS|HARD",
                (uint64_t)v[0], e->s[0], v[1], v[2]);
        break;
    case KIND_HRTIMER_EXPIRE_ENTRY:
        fprintf(file, "hrtimer_expire_entry: hrtimer=%016" PRIx64 " function=%s now=%" PRId64, (uint64_t)v[0], e->s[0], v[1]);
        break;
    case KIND_HRTIMER_EXPIRE_EXIT: fprintf(file, "hrtimer_expire_exit: hrtimer=%016" PRIx64, (uint64_t)v[0]); break;
    case KIND_IRQ_DISABLE: fprintf(file, "irq_disable: caller=%s+0x12/0x80 parent=%s+0x40/0x100", e->s[0], e->s[1]); break;
    case KIND_IRQ_ENABLE: fprintf(file, "irq_enable: caller=%s+0x62/0x80 parent=%s+0x40/0x100", e->s[0], e->s[1]); break;
    case KIND_PREEMPT_DISABLE: fprintf(file, "preempt_disable: caller=%s+0x12/0x80 parent=%s+0x40/0x100", e->s[0], e->s[1]); break;
    case KIND_PREEMPT_ENABLE: fprintf(file, "preempt_enable: caller=%s+0x62/0x80 parent=%s+0x40/0x100", e->s[0], e->s[1]); break;
    case KIND_CPU_IDLE: fprintf(file, "cpu_idle: state=%u cpu_id=%" PRId64, (unsigned)v[0], v[1]); break;
    case KIND_CPU_FREQUENCY: fprintf(file, "cpu_frequency: state=%" PRId64 " cpu_id=%" PRId64, v[0], v[1]); break;
    case KIND_NMI_HANDLER: fprintf(file, "nmi_handler: %s() delta_ns: %" PRId64 " handled: %" PRId64, e->s[0], v[0], v[1]); break;
    case KIND_CONTENTION_BEGIN: fprintf(file, "contention_begin: %016" PRIx64 " (flags=%s)", (uint64_t)v[0], v[1] & 8 ? "RT" : "SPIN"); break;
    case KIND_CONTENTION_END: fprintf(file, "contention_end: %016" PRIx64 " (ret=%" PRId64 ")", (uint64_t)v[0], v[1]); break;
    case KIND_SCHED_MIGRATE_TASK:
        fprintf(file, "sched_migrate_task: comm=%s pid=%" PRId64 " prio=%" PRId64 " orig_cpu=%" PRId64 " dest_cpu=%" PRId64, e->s[0], v[0], v[1], v[2], v[3]);
        break;
    case KIND_PAGE_FAULT: fprintf(file, "page_fault_user: address=0x%" PRIx64 " ip=0x%" PRIx64 " error_code=0x%" PRIx64, (uint64_t)v[0], (uint64_t)v[1], (uint64_t)v[2]); break;
    case KIND_FUNCTION: fprintf(file, "%s <-%s", e->s[0], e->s[1]); break;
    case KIND_COBALT_SWITCH:
        fprintf(file, "cobalt_switch_context: prev_name=%s prev_pid=%" PRId64 " prev_prio=%" PRId64 " prev_state=0x%" PRIx64 " ==> next_name=%s next_pid=%" PRId64 " next_prio=%" PRId64,
                e->s[0], v[0], v[1], (uint64_t)v[2], e->s[1], v[3], v[4]);
        break;
    case KIND_COBALT_RESUME: fprintf(file, "cobalt_thread_resume: name=%s pid=%" PRId64 " mask=0x%" PRIx64, e->s[0], v[0], (uint64_t)v[1]); break;
    case KIND_COBALT_SUSPEND:
        fprintf(file, "cobalt_thread_suspend: pid=%" PRId64 " mask=0x%" PRIx64 " timeout=%" PRId64 " timeout_mode=0 wchan=(____ptrval____)", v[0], (uint64_t)v[1], v[2]);
        break;
    case KIND_COBALT_RELAX: fprintf(file, "cobalt_shadow_gorelax: reason=%s", relax_reasons[v[0] & 3]); break;
    case KIND_COBALT_RELAXED: fprintf(file, "cobalt_shadow_relaxed: state=0x600c0 info=0x0"); break;
    case KIND_COBALT_HARDEN: fprintf(file, "cobalt_shadow_gohard: state=0x600c0 info=0x0"); break;
    case KIND_COBALT_HARDENED: fprintf(file, "cobalt_shadow_hardened: state=0x60040 info=0x0"); break;
    case KIND_COBALT_IRQ_ENTRY: fprintf(file, is_dovetail ? "irq_pipeline_entry: irq=%" PRId64 : "cobalt_irq_entry: irq=%" PRId64, v[0]); break;
    case KIND_COBALT_IRQ_EXIT: fprintf(file, is_dovetail ? "irq_pipeline_exit: irq=%" PRId64 : "cobalt_irq_exit: irq=%" PRId64, v[0]); break;
    case KIND_COBALT_CLOCK_ENTRY: fprintf(file, "cobalt_clock_entry: clock_irq=%" PRId64, v[0]); break;
    case KIND_COBALT_CLOCK_EXIT: fprintf(file, "cobalt_clock_exit: clock_irq=%" PRId64, v[0]); break;
    case KIND_COBALT_TIMER_EXPIRE: fprintf(file, "cobalt_timer_expire: timer=%016" PRIx64, (uint64_t)v[0]); break;
    case KIND_COBALT_TIMER_START:
        fprintf(file, "cobalt_timer_start: timer=%016" PRIx64 "(%s) value=%" PRId64 " interval=%" PRId64 " mode=rel", (uint64_t)v[0], e->s[0], v[1], v[2]);
        break;
    case KIND_COBALT_TICK_SHOT: {
        int64_t at = (e->time_ns + v[0]) / 1000;
        fprintf(file, "cobalt_tick_shot: next tick at %" PRId64 ".%06" PRId64 " (delay: %" PRId64 " us)", at / 1000000, at % 1000000, v[0] / 1000);
        break;
    }
    case KIND_COBALT_SYSENTRY: fprintf(file, "cobalt_head_sysentry: syscall=%s", v[0] == 82 ? "write" : v[0] == 25 ? "clock_nanosleep" : "read"); break;
    case KIND_COBALT_SYSEXIT: fprintf(file, "cobalt_head_sysexit: result=%" PRId64, v[0]); break;
    default: fprintf(file, "synth_unknown: kind=%u", e->kind);
    }
    fputc('\n', file);
}

static void print_row(FILE *file, const struct synth_event *e)
{
    unsigned flags = e->flags;
    int64_t us = (e->time_ns + 500) / 1000;
    bool hard_off = is_dovetail && flags & RAW_HARD_OFF;
    char off = hard_off ? (flags & RAW_IRQS_OFF ? '*' : '#') : flags & RAW_IRQS_OFF ? 'd' : '.', resched = flags & RAW_RESCHED ? 'N' : '.';
    char context = is_dovetail && flags & RAW_HEAD ? '~' : flags & RAW_NMI ? (flags & RAW_HARDIRQ ? 'Z' : 'z') : flags & RAW_HARDIRQ ? (flags & RAW_SOFTIRQ ? 'H' : 'h') : flags & RAW_SOFTIRQ ? 's' : '.';
    char depth = e->depth ? (char)(e->depth < 10 ? '0' + e->depth : 'a' + e->depth - 10) : '.';
    fprintf(file, "%16s-%-7d [%03d] %c%c%c%c. %5" PRId64 ".%06" PRId64 ": ", e->tid ? e->comm : "<idle>", e->tid, e->cpu, off, resched,
            context, depth, us / 1000000, us % 1000000);
    print_event(file, e);
}

bool text_write(const struct machine *m, const char *path)
{
    FILE *file = fopen(path, "w");
    size_t n = 0, k = 0;
    is_dovetail = m->is_dovetail;
    is_evl = m->is_evl;
    if (!file)
        return false;
    for (int i = 0; i < m->n_cpus; i++)
        n += m->cpus[i].n;
    const struct synth_event **all = calloc(n ? n : 1, sizeof *all);
    for (int i = 0; i < m->n_cpus; i++)
        for (size_t e = 0; e < m->cpus[i].n; e++)
            all[k++] = &m->cpus[i].events[e];
    qsort(all, n, sizeof *all, compare_events);
    fprintf(file, "# tracer: nop\n#\n# entries-in-buffer/entries-written: %zu/%zu   #P:%d\n#\n", n, n, m->n_cpus);
    fputs("#                                _-----=> irqs-off/BH-disabled\n#                               / _----=> need-resched\n"
          "#                              | / _---=> hardirq/softirq\n#                              || / _--=> preempt-depth\n"
          "#                              ||| / _-=> migrate-disable\n#                              |||| /     delay\n"
          "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n#              | |         |   |||||     |         |\n", file);
    for (size_t e = 0; e < n; e++) {
        if (all[e]->kind == KIND_NONE) /* the kernel's own words for a hole */
            fprintf(file, "CPU:%d [LOST %" PRId64 " EVENTS]\n", all[e]->cpu, all[e]->v[0]);
        else
            print_row(file, all[e]);
    }
    bool done = !ferror(file);
    free(all);
    return !fclose(file) && done;
}
