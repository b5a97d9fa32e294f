/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/synth/scenarios.h"

#include <stdio.h>
#include <string.h>

/* What is innocent: now and then a short interrupt meets the window. */
static void bystander(struct machine *m, struct cpu *cpu)
{
    if (random_below(m, 2))
        device_interrupt(m, cpu, random_between(m, 1500, 6000));
}

/* The window's end: the measuring task takes the CPU. */
static void finish(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns, const char *culprit,
                   int64_t prev_state)
{
    switch_to(m, cpu, cpu->measured, prev_state);
    machine_truth(m, cpu, cpu->measured.tid, s->cause, amount_ns, culprit, s->hidden && !(m->recorded & s->hidden));
}

static int64_t preempted(const struct cpu *cpu)
{
    return cpu->current.tid == 0 ? 0 : 0x100;
}

static void to_due(struct machine *m, struct cpu *cpu)
{
    wait_until(m, cpu, cpu->due + random_between(m, 600, 1800));
}

static void play_task(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    bool is_higher = !strcmp(s->cause, "higher-priority-task");
    struct task_id hog = {is_higher ? "control_loop" : "peer_rt", 880 + cpu->id, is_higher ? 2 : cpu->measured.prio};
    /* It starts before the measuring task is due, or an interrupt wakes it just after that. */
    int64_t head = random_between(m, 10000, 60000);
    wait_until(m, cpu, cpu->due - head);
    start_task(m, cpu, hog);
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    cpu->resched = false;
    int64_t left = cpu->due + amount_ns - cpu->now;
    spend(m, cpu, left / 3);
    bystander(m, cpu);
    wait_until(m, cpu, cpu->due + amount_ns);
    char name[64];
    snprintf(name, sizeof name, "%s", hog.comm);
    finish(m, cpu, s, amount_ns, name, 1);
}

/* The timer and the waking are in time; before the switch an interrupt wakes a higher thread. */
static void play_task_after(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    struct task_id hog = {"control_loop", 880 + cpu->id, 2};
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    start_task(m, cpu, hog);
    cpu->resched = false;
    wait_until(m, cpu, cpu->due + amount_ns / 2);
    bystander(m, cpu);
    wait_until(m, cpu, cpu->due + amount_ns);
    finish(m, cpu, s, amount_ns, "control_loop", 1);
}

/* Woken by another CPU while a higher thread runs here. */
static void play_cross(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    struct task_id hog = {"control_loop", 880 + cpu->id, 2};
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    switch_to(m, cpu, cpu->measured, preempted(cpu));
    run_measured(m, cpu);
    int64_t limit = cpu->due - 120000 - cpu->now;
    amount_ns = amount_ns < limit ? amount_ns : limit;
    start_task(m, cpu, hog);
    spend(m, cpu, random_between(m, 5000, 20000));
    wake_from_other(m, cpu, cross_task, false);
    cpu->resched = false;
    spend(m, cpu, amount_ns);
    switch_to(m, cpu, cross_task, 1);
    machine_truth(m, cpu, cross_task.tid, s->cause, amount_ns, "control_loop", m->is_wild);
    spend(m, cpu, 5000);
    switch_to(m, cpu, cpu->load, 1);
}

static void play_irq(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    /* The handler begins before the timer is due: its interrupt waits. */
    wait_until(m, cpu, cpu->due - random_between(m, 500, 8000));
    irq_begin(m, cpu, 29, "slow_disk");
    wait_until(m, cpu, cpu->due + amount_ns);
    irq_end(m, cpu, 29);
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "29", preempted(cpu));
}

static void play_irq_after(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    irq_begin(m, cpu, 29, "slow_disk");
    wait_until(m, cpu, cpu->due + amount_ns);
    irq_end(m, cpu, 29);
    finish(m, cpu, s, amount_ns, "29", preempted(cpu));
}

static void play_storm(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    int64_t each = random_between(m, 4000, 12000);
    wait_until(m, cpu, cpu->due - random_between(m, 500, 8000));
    bool timer_done = false;
    while (cpu->now < cpu->due + amount_ns || !timer_done) {
        irq_begin(m, cpu, 31, "can0");
        spend(m, cpu, each + random_below(m, 2000));
        irq_end(m, cpu, 31);
        if (!timer_done && cpu->now >= cpu->due) {
            timer_interrupt(m, cpu);
            timer_done = true;
        }
        spend(m, cpu, 150 + random_below(m, 300));
    }
    finish(m, cpu, s, amount_ns, "31", preempted(cpu));
}

static void play_ipi(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    wait_until(m, cpu, cpu->due - random_between(m, 500, 8000));
    vector_begin(m, cpu, "call_function_single", 251);
    wait_until(m, cpu, cpu->due + amount_ns);
    vector_end(m, cpu, "call_function_single", 251);
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "call_function", preempted(cpu));
}

static void play_cascade(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    int64_t each = random_between(m, 3000, 20000);
    to_due(m, cpu);
    vector_begin(m, cpu, "local_timer", 236);
    for (int64_t timer = (int64_t)0xffff888010000000; cpu->now < cpu->due + amount_ns; timer += 64) {
        emit(m, cpu, KIND_HRTIMER_EXPIRE_ENTRY, "watchdog_timer_fn", NULL, V(timer, cpu->now - 200));
        spend(m, cpu, each);
        emit(m, cpu, KIND_HRTIMER_EXPIRE_EXIT, NULL, NULL, V(timer));
    }
    int64_t own = (int64_t)0xffffc90000100d00 + cpu->measured.tid * 4096;
    emit(m, cpu, KIND_HRTIMER_EXPIRE_ENTRY, "hrtimer_wakeup", NULL, V(own, cpu->now - 200));
    wake(m, cpu, cpu->measured);
    emit(m, cpu, KIND_HRTIMER_EXPIRE_EXIT, NULL, NULL, V(own));
    vector_end(m, cpu, "local_timer", 236);
    finish(m, cpu, s, amount_ns, "", preempted(cpu));
}

static void play_softirq(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    softirq(m, cpu, 3, cpu->due + amount_ns - cpu->now);
    finish(m, cpu, s, amount_ns, "NET_RX", preempted(cpu));
}

static void play_nmi(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    int64_t begin = cpu->due - random_between(m, 500, 4000);
    wait_until(m, cpu, begin);
    leave_idle(m, cpu);
    wait_until(m, cpu, cpu->due + amount_ns);
    emit(m, cpu, KIND_NMI_HANDLER, "perf_event_nmi_handler", NULL, V(cpu->now - begin, 1));
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "perf_event_nmi_handler", preempted(cpu));
}

static void play_irqs_off(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    wait_until(m, cpu, cpu->due - random_between(m, 500, 8000));
    cpu->irqs_off = true;
    emit(m, cpu, KIND_IRQ_DISABLE, "slow_console_write", "vprintk_emit", V(0));
    wait_until(m, cpu, cpu->due + amount_ns);
    emit(m, cpu, KIND_IRQ_ENABLE, "slow_console_write", "vprintk_emit", V(0));
    cpu->irqs_off = false;
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, m->recorded & RECORD_PREEMPTIRQ ? "slow_console_write" : "", preempted(cpu));
}

/* A worker that has interrupts off, and no event says so: only that it is always the same one tells. */
static void play_silent(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    struct task_id worker = {"dma_worker", 950, 120};
    wait_until(m, cpu, cpu->due - random_between(m, 9000, 20000));
    start_task(m, cpu, worker);
    wait_until(m, cpu, cpu->due + amount_ns);
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "dma_worker", preempted(cpu));
    m->truths[m->n_truths - 1].is_hidden = true; /* once or twice it is no evidence */
}

static void play_preempt_off(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    wait_until(m, cpu, cpu->due - random_between(m, 500, 8000));
    cpu->depth = 1;
    emit(m, cpu, KIND_PREEMPT_DISABLE, "zap_big_range", "exit_mmap", V(0));
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    spend(m, cpu, (cpu->due + amount_ns - cpu->now) / 2);
    bystander(m, cpu);
    wait_until(m, cpu, cpu->due + amount_ns);
    emit(m, cpu, KIND_PREEMPT_ENABLE, "zap_big_range", "exit_mmap", V(0));
    cpu->depth = 0;
    finish(m, cpu, s, amount_ns, "", preempted(cpu));
}

/* need-resched is set, preemption allowed, and nobody looks until the next interrupt. */
static void play_missed(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    struct task_id other = {"kworker/0:1", 77 + cpu->id, 120};
    spend(m, cpu, (cpu->due + amount_ns - cpu->now) / 2);
    wake(m, cpu, other); /* in task context, depth 0, need-resched still set */
    wait_until(m, cpu, cpu->due + amount_ns);
    vector_begin(m, cpu, "local_timer", 236);
    spend(m, cpu, 3000);
    vector_end(m, cpu, "local_timer", 236);
    finish(m, cpu, s, amount_ns, cpu->current.comm, preempted(cpu));
}

static void play_idle_exit(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    wait_until(m, cpu, cpu->due + amount_ns);
    timer_interrupt(m, cpu); /* its leave_idle() comes first */
    finish(m, cpu, s, amount_ns, "", 0);
}

/* The whole machine stands still; planned before, so that all CPUs know. */
static void play_stall(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "", preempted(cpu));
    m->truths[m->n_truths - 1].is_hidden |= m->is_wild; /* that the CPUs stood still together is not in the trace */
}

/* Planned before: the trace clock of all CPUs goes forward, and no time passes. */
static void play_jump(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "clock", preempted(cpu));
}

static void play_self(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    /* On time, then it computes past its next due time; the timer is armed in the past and fires at once. */
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    switch_to(m, cpu, cpu->measured, preempted(cpu));
    cpu->due += m->interval_ns;
    wait_until(m, cpu, cpu->due + amount_ns);
    int64_t timer = (int64_t)0xffffc90000100d00 + cpu->measured.tid * 4096;
    cpu->irqs_off = true;
    emit(m, cpu, KIND_HRTIMER_START, "hrtimer_wakeup", NULL, V(timer, cpu->due, cpu->due, 8));
    cpu->irqs_off = false;
    switch_to(m, cpu, cpu->load, 1);
    spend(m, cpu, 700);
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "", preempted(cpu));
}

static void play_throttled(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    struct task_id hog = {"endless_fifo", 890 + cpu->id, 9};
    wait_until(m, cpu, cpu->due - 300000);
    start_task(m, cpu, hog);
    wait_until(m, cpu, cpu->due - 30000);
    /* The bandwidth is used up: all RT tasks of this CPU leave it, runnable. */
    switch_to(m, cpu, cpu->load, 0x100);
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    cpu->resched = false;
    (void)amount_ns;
    while (cpu->now + 1000000 < cpu->due + 49900000) {
        spend(m, cpu, 990000);
        tick(m, cpu);
    }
    wait_until(m, cpu, cpu->due + 49900000);
    vector_begin(m, cpu, "local_timer", 236);
    emit(m, cpu, KIND_HRTIMER_EXPIRE_ENTRY, "sched_rt_period_timer", NULL, V((int64_t)0xffff888010008000, cpu->now - 200));
    spend(m, cpu, 2000);
    emit(m, cpu, KIND_HRTIMER_EXPIRE_EXIT, NULL, NULL, V((int64_t)0xffff888010008000));
    vector_end(m, cpu, "local_timer", 236);
    finish(m, cpu, s, 49900000, "", preempted(cpu));
    run_measured(m, cpu);
    cpu->due -= m->interval_ns;
    switch_to(m, cpu, hog, 0x100);
    spend(m, cpu, 5000);
    switch_to(m, cpu, cpu->load, 1);
    cpu->due += m->interval_ns;
}

/* Whatever it was, its events are lost: behind the timer's interrupt, or with it. */
static void play_lost(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    bool with_timer = !strcmp(s->name, "lost with timer");
    if (with_timer) {
        cpu->lost_from = cpu->due - random_between(m, 2000, 20000);
        cpu->lost_to = cpu->due + amount_ns;
    }
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    if (!with_timer)
        cpu->lost_from = cpu->now;
    cpu->lost_to = cpu->due + amount_ns;
    while (cpu->now < cpu->due + amount_ns)
        device_interrupt(m, cpu, random_between(m, 3000, 9000));
    cpu->lost_to = cpu->now;
    finish(m, cpu, s, amount_ns, "", preempted(cpu));
}

static void play_slack(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    amount_ns = cpu->slack_ns;
    cpu->slack_ns = 0;
    wait_until(m, cpu, cpu->due + amount_ns + random_between(m, 600, 1800));
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "", preempted(cpu));
}

/*
 * A high thread sleeps on a lock of a low one, and a thread between the two keeps that from running. The measuring task
 * is not touched; who is late is the high thread. (An owner that runs all the time is lock-contention; explain does
 * not take such waits for outliers, for without lock events they look like any other sleep.)
 */
static void play_lock(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    bool is_inverted = !strcmp(s->cause, "priority-inversion");
    struct task_id high = {"lock_high", 1500, 20}, middle = {"between", 1501, 40}, low = {"lock_low", 1502, 60};
    background(m, cpu, cpu->due - 60000);
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    switch_to(m, cpu, cpu->measured, preempted(cpu));
    run_measured(m, cpu);
    int64_t limit = cpu->due - 120000 - cpu->now;
    amount_ns = amount_ns < limit ? amount_ns : limit;
    start_task(m, cpu, low);
    spend(m, cpu, 20000);
    start_task(m, cpu, high);
    spend(m, cpu, 9000);
    emit(m, cpu, KIND_CONTENTION_BEGIN, NULL, NULL, V((int64_t)0xffff888011223340, 8));
    switch_to(m, cpu, low, 2); /* the lock is taken: it sleeps */
    int64_t begin = cpu->now;
    spend(m, cpu, is_inverted ? 8000 : amount_ns);
    if (is_inverted) {
        start_task(m, cpu, middle);
        spend(m, cpu, amount_ns);
        switch_to(m, cpu, low, 1);
        spend(m, cpu, 6000);
    }
    wake(m, cpu, high);
    switch_to(m, cpu, high, 0x100);
    machine_truth(m, cpu, high.tid, s->cause, cpu->now - begin, is_inverted ? "between" : "lock_low", false);
    emit(m, cpu, KIND_CONTENTION_END, NULL, NULL, V((int64_t)0xffff888011223340, 0));
    spend(m, cpu, 5000);
    switch_to(m, cpu, low, 1);
    spend(m, cpu, 4000);
    switch_to(m, cpu, cpu->load, 1);
}

int64_t begin_scene(struct machine *m, struct cpu *cpu, int64_t amount_ns)
{
    background(m, cpu, cpu->due - 60000);
    to_due(m, cpu);
    timer_interrupt(m, cpu);
    switch_to(m, cpu, cpu->measured, preempted(cpu));
    run_measured(m, cpu);
    int64_t limit = cpu->due - 120000 - cpu->now;
    return amount_ns < limit ? amount_ns : limit;
}

/* The lock's owner runs all the time: here, at a lower priority, or on another CPU. */
static void play_held(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    struct task_id high = {"lock_user", 1520, 20}, low = {"lock_owner", 1521, 60};
    bool elsewhere = m->cpus[1].load.tid && random_below(m, 2);
    amount_ns = begin_scene(m, cpu, amount_ns);
    if (!elsewhere) {
        start_task(m, cpu, low);
        spend(m, cpu, 20000);
    }
    start_task(m, cpu, high);
    spend(m, cpu, 9000);
    emit(m, cpu, KIND_CONTENTION_BEGIN, NULL, NULL, V((int64_t)0xffff888011223380, 8));
    switch_to(m, cpu, elsewhere ? cpu->load : low, 2);
    int64_t begin = cpu->now;
    spend(m, cpu, amount_ns);
    if (elsewhere)
        wake_from_other(m, cpu, high, true);
    else
        wake(m, cpu, high);
    switch_to(m, cpu, high, 0x100);
    machine_truth(m, cpu, high.tid, s->cause, cpu->now - begin, elsewhere ? "" : "lock_owner",
                  (s->hidden && !(m->recorded & s->hidden)) || (elsewhere && m->is_wild));
    emit(m, cpu, KIND_CONTENTION_END, NULL, NULL, V((int64_t)0xffff888011223380, 0));
    spend(m, cpu, 5000);
    if (!elsewhere) {
        switch_to(m, cpu, low, 1);
        spend(m, cpu, 4000);
    }
    switch_to(m, cpu, cpu->load, 1);
}

/* A thread touches memory that is not there, and sleeps until the disk has brought it. */
static void play_fault(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    struct task_id reader = {"rt_logger", 1530, 25};
    amount_ns = begin_scene(m, cpu, amount_ns);
    start_task(m, cpu, reader);
    spend(m, cpu, 9000);
    emit(m, cpu, KIND_PAGE_FAULT, "user", NULL, V((int64_t)0x7f3a00012000, (int64_t)0x55d0001234a0, 4));
    spend(m, cpu, 4000);
    switch_to(m, cpu, cpu->load, 2);
    int64_t begin = cpu->now;
    spend(m, cpu, amount_ns);
    irq_begin(m, cpu, 25, "nvme0q1");
    wake(m, cpu, reader);
    irq_end(m, cpu, 25);
    switch_to(m, cpu, reader, cpu->current.tid ? 0x100 : 0);
    machine_truth(m, cpu, reader.tid, s->cause, cpu->now - begin, "page", s->hidden && !(m->recorded & s->hidden));
    spend(m, cpu, 5000);
    switch_to(m, cpu, cpu->load, 1);
}

/* The governor lowers the clock of the CPU for this wakeup: each step of it takes longer by the same factor. */
static void play_slow_clock(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    int64_t times = 4 + amount_ns % 5;
    wait_until(m, cpu, cpu->due - 40000);
    set_clock(m, cpu, times);
    wait_until(m, cpu, cpu->due + 600 * times);
    timer_interrupt(m, cpu);
    finish(m, cpu, s, 4000 * (times - 1), "MHz", preempted(cpu));
    set_clock(m, cpu, 1);
}

/* An interrupt comes after the due time and does not expire the timer: it is not where it should be. */
static void play_passed_over(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    to_due(m, cpu);
    tick(m, cpu);
    enter_idle(m, cpu);
    wait_until(m, cpu, cpu->due + amount_ns);
    timer_interrupt(m, cpu);
    finish(m, cpu, s, amount_ns, "", preempted(cpu));
}

const struct scenario scenarios[] = {
    {.name = "higher task", .cause = "higher-priority-task", .play = play_task},
    {.name = "higher task after", .cause = "higher-priority-task", .play = play_task_after},
    {.name = "task over remote wake", .cause = "higher-priority-task", .play = play_cross},
    {.name = "same task", .cause = "same-priority-task", .play = play_task},
    {.name = "irq before", .cause = "irq", .play = play_irq, .needs = RECORD_IRQ, .hidden = RECORD_IRQ},
    {.name = "irq after", .cause = "irq", .play = play_irq_after, .needs = RECORD_IRQ, .hidden = RECORD_IRQ},
    {.name = "irq storm", .cause = "irq-storm", .play = play_storm, .needs = RECORD_IRQ, .hidden = RECORD_IRQ, .times = 6},
    {.name = "ipi", .cause = "ipi", .play = play_ipi, .needs = RECORD_VECTORS, .hidden = RECORD_VECTORS},
    {.name = "cascade", .cause = "timer-cascade", .play = play_cascade, .needs = RECORD_TIMER, .hidden = RECORD_TIMER},
    {.name = "softirq", .cause = "softirq", .play = play_softirq, .needs = RECORD_IRQ, .hidden = RECORD_IRQ, .plain_only = true},
    {.name = "nmi", .cause = "nmi", .play = play_nmi, .needs = RECORD_NMI, .hidden = RECORD_NMI},
    {.name = "irqs off", .cause = "irqs-off", .play = play_irqs_off, .needs = RECORD_PREEMPTIRQ, .hidden = RECORD_PREEMPTIRQ,
     .needs_load = true},
    {.name = "silent task", .cause = "irqs-off", .play = play_silent},
    {.name = "preempt off", .cause = "preempt-off", .play = play_preempt_off, .rt_only = true, .needs_load = true},
    {.name = "missed", .cause = "missed-preemption", .play = play_missed, .rt_only = true, .needs_load = true},
    {.name = "not preemptible", .cause = "non-preemptible-kernel", .play = play_missed, .plain_only = true, .needs_load = true},
    {.name = "slack", .cause = "timer-slack", .play = play_slack, .needs = RECORD_TIMER, .hidden = RECORD_TIMER, .needs_slack = true},
    {.name = "inversion", .cause = "priority-inversion", .play = play_lock},
    {.name = "lock held", .cause = "lock-contention", .play = play_held, .hidden = RECORD_LOCK},
    {.name = "page fault", .cause = "page-fault", .play = play_fault, .hidden = RECORD_FAULT},
    {.name = "timer passed over", .cause = "timer-programming", .play = play_passed_over, .hidden = RECORD_TIMER},
    {.name = "slow clock", .cause = "frequency", .play = play_slow_clock},
    {.name = "idle exit", .cause = "idle-exit", .play = play_idle_exit, .needs = RECORD_IDLE, .hidden = RECORD_IDLE,
     .needs_idle = true},
    {.name = "stall", .cause = "hardware-stall", .play = play_stall, .times = 20},
    {.name = "clock jump", .cause = "clock-jump", .play = play_jump, .times = 20, .local_only = true},
    {.name = "self", .cause = "self", .play = play_self, .needs = RECORD_TIMER, .hidden = RECORD_TIMER},
    {.name = "throttled", .cause = "throttling", .play = play_throttled, .needs_load = true},
    {.name = "lost", .cause = "lost-events", .play = play_lost},
    {.name = "lost with timer", .cause = "lost-events", .play = play_lost},
    {.name = "late irq thread", .cause = "higher-priority-task", .play = play_late_irq_thread},
    {.name = "irq thread in time", .cause = "higher-priority-task", .play = play_irq_thread_in_time},
    {.name = "irq thread at a lock", .cause = "lock-contention", .play = play_irq_thread_at_lock, .hidden = RECORD_LOCK},
    {.name = "late timer thread", .cause = "higher-priority-task", .play = play_late_timer_thread, .rt_only = true,
     .needs = RECORD_TIMER},
    {.name = NULL},
};
