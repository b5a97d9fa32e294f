/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/synth/ipipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define N_BEFORE 10
#define MAX_ROWS 160

struct row {
    const char *type, *function, *parent;
    int64_t delay_ns;
    bool is_locked, in_path;
    char mark;               /* '>' begin, '<' end */
    char xenomai, linux_;    /* the domains' columns */
    int32_t tid, prio;       /* of a row that names a thread */
};
struct path {
    struct row rows[MAX_ROWS];
    size_t n, begin; /* begin: of the time that counts */
    bool is_frozen;
    int64_t amount_ns, length_ns;
    int32_t tid, hog_tid;    /* of a frozen path: the late thread, and one of a higher priority */
    const char *cause, *culprit;
};

static const char *const innocents[] = {"__rcu_read_lock", "mntput", "preempt_count_add", "filldir64", "_raw_spin_lock", "ksys_read",
                                        "vfs_read", "copy_page_to_iter", "down_read_killable", "iterate_dir"};

static const char *innocent(struct machine *m)
{
    return innocents[random_below(m, sizeof innocents / sizeof *innocents)];
}

static struct row *add(struct path *p, const char *type, const char *function, const char *parent, int64_t delay_ns, const char *domains)
{
    p->rows[p->n] = (struct row){.type = type, .function = function, .parent = parent, .delay_ns = delay_ns, .is_locked = domains[0] == '|',
                                 .in_path = true, .xenomai = domains[1], .linux_ = domains[2]};
    return &p->rows[p->n++];
}

/* Points before what matters. */
static void add_before(struct machine *m, struct path *p)
{
    for (size_t i = 0; i < N_BEFORE; i++)
        add(p, "func", innocent(m), innocent(m), random_between(m, 700, 1900), "  +")->in_path = p->is_frozen;
    p->begin = p->n;
}

/* The worst section with hard interrupts off: a begin, calls, one of them long, the end. */
static void make_section(struct machine *m, struct path *p)
{
    add_before(m, p);
    add(p, "begin", "rtdrv_transfer", "<00000000>", random_between(m, 800, 1500), "| +")->mark = '>';
    int64_t calls = random_between(m, 3, 30), long_one = random_below(m, calls);
    for (int64_t i = 0; i < calls; i++)
        add(p, "func", i == long_one ? "rtdrv_poll_fifo" : innocent(m), "rtdrv_transfer",
            i == long_one ? p->amount_ns : random_between(m, 700, 2100), "| +");
    add(p, "end", "rtdrv_transfer", "<00000000>", random_between(m, 800, 1500), "| +")->mark = '<';
    p->cause = "irqs-off";
    p->culprit = "rtdrv_";
}

/* A worst path whose end was missed: most of its points have interrupts on. */
static void make_unclosed(struct machine *m, struct path *p)
{
    add_before(m, p);
    add(p, "begin", "vector_swi", "<00011222>", random_between(m, 800, 1500), "| +")->mark = '>';
    int64_t calls = random_between(m, 20, 60), long_one = random_below(m, calls);
    for (int64_t i = 0; i < calls; i++) {
        add(p, "func", innocent(m), innocent(m), i == long_one ? p->amount_ns : random_between(m, 700, 2100), "  +");
        if (random_below(m, 5) == 0)
            add(p, "begin", "check_preemption_disabled", "<00000000>", random_between(m, 700, 1100), "| +");
    }
    add(p, "end", "ret_fast_syscall", "<00000000>", random_between(m, 800, 1500), "  +")->mark = '<';
    p->cause = "tracer-artefact";
    p->culprit = "";
}

/* The clock's interrupt up to the thread's resume. */
static void add_tick(struct machine *m, struct path *p, const char *domains, int32_t tid)
{
    static const char *const entry[] = {"__irq_svc", "gic_handle_irq", "__ipipe_grab_irq", "__ipipe_dispatch_irq", "__ipipe_ack_hrtimer_irq"};
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++)
        add(p, "func", entry[i], "gic_handle_irq", random_between(m, 300, 700), domains);
    char head[4] = {'|', '#', domains[2] == ' ' ? '*' : domains[2], 0};
    add(p, "func", "xnintr_core_clock_handler", "dispatch_irq_head", random_between(m, 300, 700), head);
    add(p, "func", "xnclock_tick", "xnintr_core_clock_handler", random_between(m, 300, 700), head);
    struct row *row = add(p, "[", "xnthread_resume", "<00000000>", random_between(m, 300, 700), head);
    row->tid = tid;
    row->prio = 90;
    add(p, "func", "___xnsched_run", "xnintr_core_clock_handler", random_between(m, 300, 700), head);
}

static void add_switch(struct machine *m, struct path *p, int32_t from, int32_t from_prio, int32_t to)
{
    struct row *row = add(p, "[", "___xnsched_run", "<00000000>", random_between(m, 300, 700), "|#*");
    row->tid = from;
    row->prio = from_prio;
    add(p, "func", "xnsched_pick_next", "___xnsched_run", random_between(m, 300, 700), "|#*");
    row = add(p, "[", "___xnsched_run", "<00000000>", random_between(m, 300, 700), "|#*");
    row->tid = to;
    row->prio = 90;
    add(p, "end", "__ipipe_ret_to_user_irqs_disabled", "<b6f17ec4>", random_between(m, 300, 700), "|+*");
    add(p, "func", "handle_head_syscall", "ipipe_fastcall_hook", random_between(m, 300, 700), " +*");
}

/* One that may take long and be nobody's lock. */
static const char *slow_call(struct machine *m)
{
    const char *name = innocent(m);
    return strcmp(name, "_raw_spin_lock") != 0 ? name : "rtdrv_write_fifo";
}

/* Frozen by the thread itself: what held it up before the clock's interrupt, in it, or behind it. */
static void make_frozen(struct machine *m, struct path *p, int64_t which)
{
    p->is_frozen = true;
    add_before(m, p);
    if (which == 0) { /* Linux with hard interrupts off */
        int64_t calls = random_between(m, 3, 12);
        for (int64_t i = 0; i < calls; i++)
            add(p, "func", i == calls / 2 ? "rtdrv_poll_fifo" : slow_call(m), "rtdrv_transfer", p->amount_ns / calls, "| +");
        add_tick(m, p, "| +", p->tid);
        add_switch(m, p, 410, -1, p->tid);
        p->cause = "irqs-off";
        p->culprit = "";
    } else if (which == 1) { /* a higher Cobalt thread */
        add(p, "func", "handle_head_syscall", "ipipe_fastcall_hook", random_between(m, 300, 700), " +*");
        add_tick(m, p, "|+*", p->tid);
        int64_t calls = random_between(m, 2, 8);
        for (int64_t i = 0; i < calls; i++)
            add(p, "func", "CoBaLt_clock_gettime", "handle_head_syscall", p->amount_ns / calls, " +*");
        add_switch(m, p, p->hog_tid, 95, p->tid);
        p->cause = "higher-priority-task";
        p->culprit = "300";
    } else { /* the other CPU holds the core's lock */
        add_tick(m, p, "| +", p->tid);
        add(p, "func", "___xnlock_get", "___xnsched_run", p->amount_ns * 2 / 3, "|#*");
        add_switch(m, p, 410, -1, p->tid);
        add(p, "func", "___xnlock_get", "rtdm_fd_put", p->amount_ns / 3, "|#*");
        p->cause = "lock-contention";
        p->culprit = "xnlock_get";
    }
    add(p, "freeze", "CoBaLt_trace", "<00000000>", 700, " +*")->mark = '<';
}

static void print_row(FILE *file, const struct row *row, int64_t at_ns, int64_t value)
{
    char mark = row->in_path && row->delay_ns > 10000 ? '!' : row->in_path && row->delay_ns > 1000 ? '+' : ' ';
    char user[32] = "";
    if (row->type[0] == '[')
        snprintf(user, sizeof user, "[%5d] -<?>- %4d ", row->tid, row->prio);
    else if (row->type[0] == 'f' && row->type[1] == 'u')
        snprintf(user, sizeof user, "%-19s", row->type);
    else
        snprintf(user, sizeof user, "%-8s0x%08" PRIx64 " ", row->type, row->type[1] == 'r' ? (uint64_t)value : UINT64_C(0x80000000));
    fprintf(file, "%c%c%c%c%s%5" PRId64 "%c %3" PRId64 ".%03" PRId64 "  %s+0x10 (%s)\n", row->mark ? row->mark : row->in_path ? ':' : ' ',
            row->is_locked ? '|' : ' ', row->xenomai, row->linux_, user, at_ns / 1000, mark, row->delay_ns / 1000, row->delay_ns % 1000, row->function,
            row->parent);
}

static void print_path(FILE *file, struct path *p)
{
    int64_t at_ns = 0;
    if (p->is_frozen)
        fprintf(file, "I-pipe frozen back-tracing service on 4.19.190-ipipe/ipipe release #15\n"
                      "------------------------------------------------------------\n"
                      "CPU: 0, Freeze: 6711216846 cycles, Trace Points: %zu (+1)\n", p->n);
    else
        fprintf(file, "I-pipe worst-case tracing service on 4.19.190-ipipe/ipipe release #15\n"
                      "-------------------------------------------------------------\n"
                      "CPU: 0, Begin: 299486739 cycles, Trace Points: %zu (-%d/+1), Length: %" PRId64 " us\n",
                p->n - N_BEFORE, N_BEFORE, p->length_ns / 1000);
    fprintf(file, "Calibrated minimum trace-point overhead: 0.634 us\n\n"
                  " +----- Hard IRQs ('|': locked)\n |+-- Xenomai\n ||+- Linux ('*': domain stalled, '+': current, '#': current+stalled)\n"
                  " |||                        +---------- Delay flag ('+': > 1 us, '!': > 10 us)\n"
                  " |||                        |        +- NMI noise ('N')\n |||                        |        |\n"
                  "    Type    User Val.   Time    Delay  Function (Parent)\n");
    size_t origin = p->is_frozen ? p->n - 1 : p->begin;
    for (size_t i = 0; i < origin; i++)
        at_ns -= p->rows[i].delay_ns;
    for (size_t i = 0; i < p->n; i++) {
        print_row(file, &p->rows[i], at_ns, p->length_ns);
        at_ns += p->rows[i].delay_ns;
    }
    print_row(file, &(struct row){.type = "func", .function = "ksys_read", .parent = "vfs_read", .xenomai = ' ', .linux_ = '+'}, at_ns, 0);
}

bool ipipe_write(struct machine *m, const char *path)
{
    struct path p = {.tid = 316, .hog_tid = 300, .amount_ns = random_between(m, 40, 900) * 1000 + random_below(m, 1000)};
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    int64_t which = random_below(m, 5);
    if (which == 0)
        make_section(m, &p);
    else if (which == 1)
        make_unclosed(m, &p);
    else
        make_frozen(m, &p, which - 2);
    for (size_t i = p.begin; i + 1 < p.n; i++)
        p.length_ns += p.rows[i].delay_ns;
    print_path(file, &p);
    struct cpu *cpu = &m->cpus[0];
    cpu->due = 0;
    machine_truth(m, cpu, 0, p.cause, p.amount_ns, p.culprit, false);
    m->truths[m->n_truths - 1].due_ns = 0;
    m->truths[m->n_truths - 1].end_ns = p.length_ns;
    return !fclose(file);
}

bool ipipe_write_frozen(struct machine *m, const char *path, const struct truth *truth)
{
    struct path p = {.tid = truth->tid, .hog_tid = 1400 + truth->cpu, .amount_ns = truth->amount_ns};
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    make_frozen(m, &p, 1);
    for (size_t i = p.begin; i + 1 < p.n; i++)
        p.length_ns += p.rows[i].delay_ns;
    print_path(file, &p);
    return !fclose(file);
}
