/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of Cobalt 3.2 on Dovetail and 3.1 on the I-pipe, and of EVL (under its names: dat_formats.c, text.c), as their traces show them. What Linux does meanwhile -
 * handlers, softirqs, its own interrupts "off" - is innocent: out of band nothing waits for it.
 */
#include "tests/synth/cobalt.h"

#include <string.h>

#define CLOCK_IRQ  4354
#define MASK_PEND  0x2
#define MASK_RELAX 0x80

static const struct task_id linux_rt = {"linux_rt", 1600, 20};

static int64_t thread_timer(const struct cpu *cpu)
{
    return (int64_t)0xffff88800a100000 + cpu->id * 0x4000;
}
static int64_t host_timer(const struct cpu *cpu)
{
    return (int64_t)0xffff88800b200000 + cpu->id * 0x4000;
}

static void shot(struct machine *m, struct cpu *cpu, int64_t due)
{
    emit(m, cpu, KIND_COBALT_TICK_SHOT, "proxy_device", NULL, V(due > cpu->now ? due - cpu->now : 0));
}

/* The co-kernel's switch; ROOT is tid 0. */
static void head_switch(struct machine *m, struct cpu *cpu, struct task_id next)
{
    struct task_id prev = cpu->in_head && cpu->current.tid != cpu->root.tid ? cpu->current : (struct task_id){"ROOT/0", 0, -1};
    bool to_root = next.tid == cpu->root.tid;
    spend(m, cpu, 300 + random_below(m, 300));
    cpu->in_head = true;
    emit(m, cpu, KIND_COBALT_SWITCH, prev.comm, to_root ? "ROOT/0" : next.comm,
         V(prev.tid, prev.prio, prev.tid ? 0x4c042 : 0x18008, to_root ? 0 : next.tid, to_root ? -1 : next.prio));
    cpu->current = next;
    cpu->in_head = !to_root;
}

static void clock_begin(struct machine *m, struct cpu *cpu)
{
    leave_idle(m, cpu);
    if (!cpu->in_head)
        cpu->root = cpu->current;
    cpu->in_head = true;
    if (m->is_dovetail)
        emit(m, cpu, KIND_COBALT_IRQ_ENTRY, NULL, NULL, V(CLOCK_IRQ));
    else
        emit(m, cpu, KIND_COBALT_CLOCK_ENTRY, NULL, NULL, V(18));
}

/* Back to what was current: a Cobalt thread, or Linux. */
static void clock_end(struct machine *m, struct cpu *cpu)
{
    if (m->is_dovetail)
        emit(m, cpu, KIND_COBALT_IRQ_EXIT, NULL, NULL, V(CLOCK_IRQ));
    else
        emit(m, cpu, KIND_COBALT_CLOCK_EXIT, NULL, NULL, V(18));
    cpu->in_head = cpu->current.tid != cpu->root.tid;
}

static void head_irq(struct machine *m, struct cpu *cpu, int irq, int64_t until)
{
    bool was_head = cpu->in_head;
    leave_idle(m, cpu);
    if (!was_head)
        cpu->root = cpu->current;
    cpu->in_head = true;
    emit(m, cpu, KIND_COBALT_IRQ_ENTRY, NULL, NULL, V(irq));
    wait_until(m, cpu, until);
    emit(m, cpu, KIND_COBALT_IRQ_EXIT, NULL, NULL, V(irq));
    cpu->in_head = was_head;
}

/* The timer fires, and the measuring thread is ready. */
static void resume_measured(struct machine *m, struct cpu *cpu)
{
    clock_begin(m, cpu);
    spend(m, cpu, 200 + random_below(m, 200));
    emit(m, cpu, KIND_COBALT_TIMER_EXPIRE, cpu->measured.comm, NULL, V(thread_timer(cpu)));
    spend(m, cpu, 100 + random_below(m, 200));
    emit(m, cpu, KIND_COBALT_RESUME, cpu->measured.comm, NULL, V(cpu->measured.tid, MASK_PEND));
    shot(m, cpu, cpu->due + m->interval_ns);
    clock_end(m, cpu);
}

/* It runs, and sleeps until the next period. */
static void run_and_sleep(struct machine *m, struct cpu *cpu)
{
    emit(m, cpu, KIND_COBALT_SYSENTRY, NULL, NULL, V(81));
    do
        cpu->due += m->interval_ns;
    while (cpu->due <= cpu->now + 4000);
    if (m->arms_each_sleep)
        emit(m, cpu, KIND_COBALT_TIMER_START, cpu->measured.comm, NULL, V(thread_timer(cpu), cpu->due - cpu->now, 0));
    emit(m, cpu, KIND_COBALT_SUSPEND, NULL, NULL, V(cpu->measured.tid, MASK_PEND, 0));
    head_switch(m, cpu, cpu->root);
    enter_idle(m, cpu);
}

static void to_user(struct machine *m, struct cpu *cpu)
{
    head_switch(m, cpu, cpu->measured);
    spend(m, cpu, 300 + random_below(m, 300));
    emit(m, cpu, KIND_COBALT_SYSEXIT, NULL, NULL, V(8));
}

static void to_due(struct machine *m, struct cpu *cpu)
{
    wait_until(m, cpu, cpu->due + random_between(m, 300, 900));
}

static void done(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns, const char *culprit)
{
    machine_truth(m, cpu, cpu->measured.tid, s->cause, amount_ns, culprit, s->hidden && !(m->recorded & s->hidden));
}

/* In-band interrupts "off", and a handler of Linux's: no hindrance for the head domain. */
static void innocent_linux(struct machine *m, struct cpu *cpu)
{
    if (cpu->in_head)
        return;
    switch (random_below(m, 3)) {
    case 0:
        cpu->irqs_off = true;
        emit(m, cpu, KIND_IRQ_DISABLE, "inband_section", "do_something", V(0));
        spend(m, cpu, random_between(m, 2000, 20000));
        emit(m, cpu, KIND_IRQ_ENABLE, "inband_section", "do_something", V(0));
        cpu->irqs_off = false;
        break;
    case 1: device_interrupt(m, cpu, random_between(m, 2000, 9000)); break;
    default: break;
    }
    enter_idle(m, cpu);
}

static void wake_linux_rt(struct machine *m, struct cpu *cpu, struct task_id task)
{
    irq_begin(m, cpu, 24, "eth0-TxRx-0");
    wake(m, cpu, task);
    irq_end(m, cpu, 24);
}

void cobalt_period(struct machine *m, struct cpu *cpu)
{
    innocent_linux(m, cpu);
    if (!cpu->id && cpu->now + 60000 < cpu->due && random_below(m, 2)) {
        wake_linux_rt(m, cpu, linux_rt);
        switch_to(m, cpu, linux_rt, cpu->current.tid ? 0x100 : 0);
        spend(m, cpu, 4000);
        switch_to(m, cpu, cpu->load, 1);
    }
    if (random_below(m, 4) == 0) { /* Linux's tick runs on a timer of the co-kernel; its shot comes before the thread's */
        if (!m->is_evl)
            emit(m, cpu, KIND_COBALT_TIMER_START, "[host-timer/0]", NULL, V(host_timer(cpu), 15000, 0));
        int64_t at = cpu->now + 15000;
        shot(m, cpu, at);
        wait_until(m, cpu, at + random_between(m, 300, 900));
        clock_begin(m, cpu);
        emit(m, cpu, KIND_COBALT_TIMER_EXPIRE, "proxy_timer", NULL, V(host_timer(cpu)));
        shot(m, cpu, cpu->due);
        clock_end(m, cpu);
        tick(m, cpu);
        enter_idle(m, cpu);
    }
    /* Sometimes Linux believes that its interrupts are off when the head domain's clock fires. */
    bool stalled = random_below(m, 3) == 0 && cpu->load.tid;
    if (stalled && cpu->now < cpu->due - 3000) {
        wait_until(m, cpu, cpu->due - 2500);
        cpu->irqs_off = true;
        emit(m, cpu, KIND_IRQ_DISABLE, "inband_section", "do_something", V(0));
    }
    to_due(m, cpu);
    resume_measured(m, cpu);
    to_user(m, cpu);
    spend(m, cpu, 3000 + random_below(m, 1000));
    run_and_sleep(m, cpu);
    if (cpu->irqs_off) {
        emit(m, cpu, KIND_IRQ_ENABLE, "inband_section", "do_something", V(0));
        cpu->irqs_off = false;
    }
}

void cobalt_end(struct machine *m, struct cpu *cpu)
{
    spend(m, cpu, 3000);
    run_and_sleep(m, cpu);
}

void cobalt_start(struct machine *m, struct cpu *cpu)
{
    shot(m, cpu, cpu->due);
}

/* ---- causes ---- */

static void play_hard_off(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    static const char *const calls[] = {"slow_driver_poll", "slow_driver_read_fifo", "slow_driver_status"};
    wait_until(m, cpu, cpu->due - random_between(m, 1500, 8000));
    emit(m, cpu, KIND_FUNCTION, "slow_driver_reset", "driver_ioctl", V(0));
    cpu->hard_off = true;
    while (cpu->now < cpu->due + amount_ns) {
        emit(m, cpu, KIND_FUNCTION, calls[random_below(m, 3)], "slow_driver_reset", V(0));
        int64_t each = amount_ns / random_between(m, 5, 12), left = cpu->due + amount_ns - cpu->now;
        spend(m, cpu, each < left ? each : left > 0 ? left : 0);
    }
    cpu->hard_off = false;
    resume_measured(m, cpu);
    to_user(m, cpu);
    done(m, cpu, s, amount_ns, m->recorded & RECORD_FUNCTION ? "slow_driver" : "");
}

static void play_task(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    struct task_id hog = {"rt_control", 1400 + cpu->id, !strcmp(s->cause, "higher-priority-task") ? cpu->measured.prio + 5 : cpu->measured.prio};
    wait_until(m, cpu, cpu->due - random_between(m, 5000, 40000));
    leave_idle(m, cpu);
    cpu->root = cpu->current;
    cpu->in_head = true;
    emit(m, cpu, KIND_COBALT_IRQ_ENTRY, NULL, NULL, V(40));
    emit(m, cpu, KIND_COBALT_RESUME, hog.comm, NULL, V(hog.tid, MASK_PEND));
    emit(m, cpu, KIND_COBALT_IRQ_EXIT, NULL, NULL, V(40));
    head_switch(m, cpu, hog);
    to_due(m, cpu);
    resume_measured(m, cpu);
    wait_until(m, cpu, cpu->due + amount_ns);
    emit(m, cpu, KIND_COBALT_SUSPEND, NULL, NULL, V(hog.tid, MASK_PEND, 0));
    to_user(m, cpu);
    done(m, cpu, s, amount_ns, "rt_control");
}

/* On time, and then a Linux system call, a page fault or a signal takes it out of the real-time domain. */
static void play_relax(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    const char *const reasons[] = {"undefined", "signal", "syscall", m->is_evl ? "exception" : "fault"};
    int64_t reason = random_between(m, 1, 3);
    struct task_id in_linux = {cpu->measured.comm, cpu->measured.tid, 99 - cpu->measured.prio}, hog = cpu->root;
    to_due(m, cpu);
    resume_measured(m, cpu);
    to_user(m, cpu);
    spend(m, cpu, 2000);
    int64_t begin = cpu->now;
    emit(m, cpu, KIND_COBALT_RELAX, NULL, NULL, V(reason));
    emit(m, cpu, KIND_COBALT_SUSPEND, NULL, NULL, V(cpu->measured.tid, MASK_RELAX, 0));
    head_switch(m, cpu, cpu->root);
    hog = cpu->current;
    cpu->in_irq++;
    wake(m, cpu, in_linux);
    cpu->in_irq--;
    spend(m, cpu, amount_ns / 3);
    switch_to(m, cpu, in_linux, hog.tid ? 0x100 : 0);
    emit(m, cpu, KIND_COBALT_RELAXED, NULL, NULL, V(0));
    spend(m, cpu, amount_ns / 3);
    if (random_below(m, 2))
        device_interrupt(m, cpu, 4000);
    wait_until(m, cpu, begin + amount_ns);
    emit(m, cpu, KIND_COBALT_HARDEN, NULL, NULL, V(0));
    switch_to(m, cpu, hog, 1);
    leave_idle(m, cpu);
    cpu->root = cpu->current;
    emit(m, cpu, KIND_COBALT_RESUME, cpu->measured.comm, NULL, V(cpu->measured.tid, MASK_RELAX));
    head_switch(m, cpu, cpu->measured);
    machine_truth(m, cpu, cpu->measured.tid, s->cause, cpu->now - begin, reasons[reason], false);
    emit(m, cpu, KIND_COBALT_HARDENED, NULL, NULL, V(0));
}

static void play_head_irq(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    bool before = !strcmp(s->name, "head irq before");
    if (before) {
        wait_until(m, cpu, cpu->due - random_between(m, 500, 5000));
        head_irq(m, cpu, 57, cpu->due + amount_ns);
    }
    to_due(m, cpu);
    resume_measured(m, cpu);
    if (!before)
        head_irq(m, cpu, 57, cpu->due + amount_ns);
    to_user(m, cpu);
    done(m, cpu, s, amount_ns, "57");
}

/* The clock is set for a later time than the timer is due. */
static void play_programming(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    wait_until(m, cpu, cpu->due - random_between(m, 30000, 50000));
    leave_idle(m, cpu);
    cpu->root = cpu->current;
    cpu->in_head = true;
    emit(m, cpu, KIND_COBALT_TIMER_START, cpu->measured.comm, NULL, V(thread_timer(cpu), cpu->due - cpu->now, 0));
    cpu->in_head = false;
    int64_t at = cpu->due + amount_ns;
    /* What was set before counts no more. */
    spend(m, cpu, 400);
    cpu->in_head = true;
    shot(m, cpu, at);
    cpu->in_head = false;
    enter_idle(m, cpu);
    wait_until(m, cpu, at + random_between(m, 300, 900));
    resume_measured(m, cpu);
    to_user(m, cpu);
    done(m, cpu, s, amount_ns, "");
}

/* planned before: the whole machine stands still (synth.c) */
static void play_stall(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    to_due(m, cpu);
    resume_measured(m, cpu);
    to_user(m, cpu);
    done(m, cpu, s, amount_ns, "");
}

/* A real-time task of Linux waits for a Cobalt thread. */
static void play_head_domain(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    struct task_id late = linux_rt, hog = {"rt_control", 1400 + cpu->id, 80};
    cobalt_period(m, cpu);
    amount_ns = amount_ns < m->interval_ns / 2 ? amount_ns : m->interval_ns / 2;
    wake_linux_rt(m, cpu, late);
    cpu->root = cpu->current;
    cpu->in_head = true;
    emit(m, cpu, KIND_COBALT_IRQ_ENTRY, NULL, NULL, V(40));
    emit(m, cpu, KIND_COBALT_RESUME, hog.comm, NULL, V(hog.tid, MASK_PEND));
    emit(m, cpu, KIND_COBALT_IRQ_EXIT, NULL, NULL, V(40));
    head_switch(m, cpu, hog);
    spend(m, cpu, amount_ns);
    emit(m, cpu, KIND_COBALT_SUSPEND, NULL, NULL, V(hog.tid, MASK_PEND, 0));
    head_switch(m, cpu, cpu->root);
    switch_to(m, cpu, late, cpu->current.tid ? 0x100 : 0);
    machine_truth(m, cpu, late.tid, s->cause, amount_ns, "rt_control", false);
    spend(m, cpu, 4000);
    switch_to(m, cpu, cpu->load, 1);
}

void cobalt_init(struct machine *m, bool is_evl)
{
    static const char *const names[MAX_MACHINE_CPUS] = {"sampling-1200", "sampling-1201", "sampling-1202", "sampling-1203"};
    m->is_cobalt = true;
    m->is_rt = false;
    m->is_dovetail = random_below(m, 3) != 0 || is_evl;
    m->is_evl = is_evl;
    m->arms_each_sleep = !is_evl && random_below(m, m->is_dovetail ? 4 : 2) == 0;
    for (int c = 0; c < m->n_cpus; c++) {
        m->cpus[c].measured = (struct task_id){names[c], 1200 + c, 90};
        m->cpus[c].root = m->cpus[c].current;
    }
}

const struct scenario cobalt_scenarios[] = {
    {.name = "hard irqs off", .cause = "irqs-off", .play = play_hard_off, .hidden = RECORD_FUNCTION, .needs_load = true, .dovetail_only = true},
    {.name = "higher cobalt", .cause = "higher-priority-task", .play = play_task},
    {.name = "same cobalt", .cause = "same-priority-task", .play = play_task},
    {.name = "relax", .cause = "mode-switch", .play = play_relax},
    {.name = "head irq before", .cause = "irq", .play = play_head_irq, .hidden = RECORD_HEAD_IRQ, .needs_due = true},
    {.name = "head irq after", .cause = "irq", .play = play_head_irq, .hidden = RECORD_HEAD_IRQ},
    {.name = "shot late", .cause = "timer-programming", .play = play_programming, .hidden = RECORD_HEAD_TIMER, .dovetail_only = true, .not_evl = true},
    {.name = "cobalt stall", .cause = "hardware-stall", .play = play_stall, .times = 20, .dovetail_only = true},
    {.name = "head domain", .cause = "head-domain", .play = play_head_domain},
    {.name = NULL},
};
