/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/synth/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define TIMER_VECTOR 236

const struct task_id cross_task = {"net_rx_rt", 1700, 30};

int64_t random_below(struct machine *m, int64_t n)
{
    m->seed += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    uint64_t z = m->seed;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return n > 0 ? (int64_t)(z % (uint64_t)n) : 0;
}

int64_t random_between(struct machine *m, int64_t low, int64_t high)
{
    return low + random_below(m, high - low + 1);
}

/* ---- time ---- */

void wait_until(struct machine *m, struct cpu *cpu, int64_t time)
{
    if (time > cpu->now)
        cpu->now = time;
    for (size_t i = 0; i < m->n_stalls; i++)
        if (cpu->now >= m->stalls[i].begin && cpu->now < m->stalls[i].end)
            cpu->now = m->stalls[i].end + random_below(m, 400);
}

void spend(struct machine *m, struct cpu *cpu, int64_t ns)
{
    int64_t before = cpu->now;
    cpu->now += ns;
    for (size_t i = 0; i < m->n_stalls; i++)
        if (m->stalls[i].begin >= before && m->stalls[i].begin <= cpu->now)
            cpu->now += m->stalls[i].end - m->stalls[i].begin;
    wait_until(m, cpu, cpu->now);
}

int64_t trace_time(const struct machine *m, int cpu, int64_t time)
{
    int64_t jumped = 0;
    for (size_t i = 0; i < m->n_jumps; i++)
        jumped += time >= m->jumps[i].at ? m->jumps[i].ns : 0;
    return time + jumped - m->clock_offset_ns + m->skew_ns[cpu] + (int64_t)(m->drift[cpu] * (double)(time - m->begin_ns));
}

/* A step of a known path: most take about as long as ever, some more. */
static void step(struct machine *m, struct cpu *cpu, int64_t ns)
{
    ns *= cpu->times_slower ? cpu->times_slower : 1;
    spend(m, cpu, ns * 4 / 5 + random_below(m, ns * 2 / 5 + 1) + (random_below(m, 50) == 0 ? random_below(m, ns) : 0));
}

/* ---- events ---- */

static bool is_recorded(const struct machine *m, unsigned kind)
{
    switch (kind) {
    case KIND_IRQ_HANDLER_ENTRY:
    case KIND_IRQ_HANDLER_EXIT:
    case KIND_SOFTIRQ_RAISE:
    case KIND_SOFTIRQ_ENTRY:
    case KIND_SOFTIRQ_EXIT: return m->recorded & RECORD_IRQ;
    case KIND_VECTOR_ENTRY:
    case KIND_VECTOR_EXIT: return m->recorded & RECORD_VECTORS;
    case KIND_IRQ_DISABLE:
    case KIND_IRQ_ENABLE:
    case KIND_PREEMPT_DISABLE:
    case KIND_PREEMPT_ENABLE: return m->recorded & RECORD_PREEMPTIRQ;
    case KIND_CPU_IDLE: return m->recorded & RECORD_IDLE;
    case KIND_HRTIMER_START:
    case KIND_HRTIMER_CANCEL:
    case KIND_HRTIMER_EXPIRE_ENTRY:
    case KIND_HRTIMER_EXPIRE_EXIT: return m->recorded & RECORD_TIMER;
    case KIND_NMI_HANDLER: return m->recorded & RECORD_NMI;
    case KIND_CPU_FREQUENCY: return m->recorded & RECORD_FREQUENCY;
    case KIND_PAGE_FAULT: return m->recorded & RECORD_FAULT;
    case KIND_FUNCTION: return m->recorded & RECORD_FUNCTION;
    case KIND_COBALT_IRQ_ENTRY:
    case KIND_COBALT_IRQ_EXIT: return m->recorded & RECORD_HEAD_IRQ;
    case KIND_COBALT_TIMER_START: return m->recorded & RECORD_HEAD_TIMER;
    case KIND_COBALT_TICK_SHOT: return m->is_dovetail && !m->arms_each_sleep;
    case KIND_CONTENTION_BEGIN:
    case KIND_CONTENTION_END: return m->recorded & RECORD_LOCK;
    default: return true;
    }
}

void emit(struct machine *m, struct cpu *cpu, unsigned kind, const char *s0, const char *s1, const int64_t *v)
{
    if (!is_recorded(m, kind))
        return;
    if (cpu->lost_to && cpu->now >= cpu->lost_from && cpu->now < cpu->lost_to) {
        cpu->n_lost++;
        return;
    }
    memory_reserve(cpu->events, cpu->capacity, cpu->n + 2);
    if (cpu->n_lost) { /* a hole, told by the first event behind it */
        cpu->events[cpu->n++] = (struct synth_event){.cpu = cpu->id, .kind = KIND_NONE, .v = {(int64_t)cpu->n_lost},
                                                     .time_ns = trace_time(m, cpu->id, cpu->now)};
        cpu->n_lost = 0;
    }
    struct synth_event *event = &cpu->events[cpu->n++];
    *event = (struct synth_event){.cpu = cpu->id, .tid = cpu->current.tid, .comm = cpu->current.comm,
                                  .kind = (uint16_t)kind, .s = {s0, s1}};
    memcpy(event->v, v, sizeof event->v);
    event->time_ns = trace_time(m, cpu->id, cpu->now);
    bool irqs_off = cpu->irqs_off || cpu->in_irq || kind == KIND_SCHED_SWITCH;
    /* Interrupts do not count; the idle task runs at 1, the scheduler's locks add theirs (seen on 6.1). */
    unsigned depth = cpu->depth + (cpu->current.tid == 0 ? 1u : 0u);
    depth += kind == KIND_SCHED_WAKING ? 2u : kind == KIND_SCHED_WAKEUP ? 3u : 0u;
    if (kind == KIND_SCHED_SWITCH)
        depth = 2;
    irqs_off = irqs_off || kind == KIND_SCHED_WAKING || kind == KIND_SCHED_WAKEUP;
    event->flags = (uint8_t)((irqs_off ? RAW_IRQS_OFF : 0) | (cpu->resched ? RAW_RESCHED : 0) | (cpu->in_irq ? RAW_HARDIRQ : 0) |
                             (cpu->in_softirq ? RAW_SOFTIRQ : 0) | (kind == KIND_NMI_HANDLER ? RAW_NMI : 0));
    if (m->is_cobalt && m->is_dovetail) {
        if (cpu->in_head)
            event->flags = RAW_IRQS_OFF | RAW_HARD_OFF | RAW_HEAD;
        else if (cpu->hard_off)
            event->flags |= RAW_HARD_OFF;
    }
    event->depth = (uint8_t)(depth > 15 ? 15 : depth);
    spend(m, cpu, (120 + random_below(m, 100)) * (cpu->times_slower ? cpu->times_slower : 1)); /* the tracepoint itself */
}

void set_clock(struct machine *m, struct cpu *cpu, int64_t times)
{
    emit(m, cpu, KIND_CPU_FREQUENCY, NULL, NULL, V(2400000 / times, cpu->id));
    cpu->times_slower = times;
}

/* ---- interrupts ---- */

void leave_idle(struct machine *m, struct cpu *cpu)
{
    if (cpu->current.tid == 0 && cpu->is_idle_entered) {
        cpu->is_idle_entered = false;
        emit(m, cpu, KIND_CPU_IDLE, NULL, NULL, V(-1, cpu->id));
    }
}

void enter_idle(struct machine *m, struct cpu *cpu)
{
    if (cpu->current.tid == 0 && !cpu->is_idle_entered) {
        step(m, cpu, 800);
        cpu->is_idle_entered = true;
        emit(m, cpu, KIND_CPU_IDLE, NULL, NULL, V(1, cpu->id));
    }
}

void irq_begin(struct machine *m, struct cpu *cpu, int irq, const char *name)
{
    leave_idle(m, cpu);
    cpu->in_irq++;
    emit(m, cpu, KIND_IRQ_HANDLER_ENTRY, name, NULL, V(irq));
}

void irq_end(struct machine *m, struct cpu *cpu, int irq)
{
    emit(m, cpu, KIND_IRQ_HANDLER_EXIT, NULL, NULL, V(irq, 1));
    cpu->in_irq--;
}

void device_interrupt(struct machine *m, struct cpu *cpu, int64_t length_ns)
{
    static const char *const names[] = {"eth0-TxRx-0", "nvme0q1", "xhci_hcd", "ahci[0000:00:17.0]"};
    int64_t which = random_below(m, 4);
    irq_begin(m, cpu, 24 + (int)which, names[which]);
    spend(m, cpu, length_ns);
    irq_end(m, cpu, 24 + (int)which);
}

void vector_begin(struct machine *m, struct cpu *cpu, const char *name, int number)
{
    leave_idle(m, cpu);
    cpu->in_irq++;
    emit(m, cpu, KIND_VECTOR_ENTRY, name, NULL, V(number));
}

void vector_end(struct machine *m, struct cpu *cpu, const char *name, int number)
{
    emit(m, cpu, KIND_VECTOR_EXIT, name, NULL, V(number));
    cpu->in_irq--;
}

void softirq(struct machine *m, struct cpu *cpu, int vector, int64_t length_ns)
{
    cpu->in_softirq++;
    emit(m, cpu, KIND_SOFTIRQ_ENTRY, NULL, NULL, V(vector));
    spend(m, cpu, length_ns);
    emit(m, cpu, KIND_SOFTIRQ_EXIT, NULL, NULL, V(vector));
    cpu->in_softirq--;
}

/* ---- tasks ---- */

void switch_to(struct machine *m, struct cpu *cpu, struct task_id next, int64_t prev_state)
{
    struct task_id prev = cpu->current;
    if (prev.tid == 0)
        leave_idle(m, cpu);
    step(m, cpu, 900);
    cpu->resched = false;
    emit(m, cpu, KIND_SCHED_SWITCH, prev.comm, next.comm, V(prev.tid, prev.prio, prev_state, next.tid, next.prio));
    cpu->current = next;
    cpu->depth = 0;
    enter_idle(m, cpu);
}

void wake(struct machine *m, struct cpu *cpu, struct task_id task)
{
    emit(m, cpu, KIND_SCHED_WAKING, task.comm, NULL, V(task.tid, task.prio, cpu->id));
    step(m, cpu, 700);
    if (task.prio < cpu->current.prio || cpu->current.tid == 0)
        cpu->resched = true;
    emit(m, cpu, KIND_SCHED_WAKEUP, task.comm, NULL, V(task.tid, task.prio, cpu->id));
}

static int64_t timer_address(const struct cpu *cpu)
{
    return (int64_t)0xffffc90000100d00 + cpu->measured.tid * 4096;
}

void timer_interrupt(struct machine *m, struct cpu *cpu)
{
    vector_begin(m, cpu, "local_timer", TIMER_VECTOR);
    step(m, cpu, 700);
    emit(m, cpu, KIND_HRTIMER_EXPIRE_ENTRY, "hrtimer_wakeup", NULL, V(timer_address(cpu), cpu->now - random_below(m, 300)));
    wake(m, cpu, cpu->measured);
    emit(m, cpu, KIND_HRTIMER_EXPIRE_EXIT, NULL, NULL, V(timer_address(cpu)));
    step(m, cpu, 500);
    vector_end(m, cpu, "local_timer", TIMER_VECTOR);
}

void run_measured(struct machine *m, struct cpu *cpu)
{
    step(m, cpu, 3000);
    do
        cpu->due += m->interval_ns;
    while (cpu->due <= cpu->now + 2000);
    bool was_off = cpu->irqs_off;
    cpu->irqs_off = true;
    emit(m, cpu, KIND_HRTIMER_START, "hrtimer_wakeup", NULL, V(timer_address(cpu), cpu->due + cpu->slack_ns, cpu->due, 8));
    cpu->irqs_off = was_off;
    switch_to(m, cpu, cpu->load, 1);
}

void start_task(struct machine *m, struct cpu *cpu, struct task_id task)
{
    irq_begin(m, cpu, 24, "eth0-TxRx-0");
    step(m, cpu, 1500);
    wake(m, cpu, task);
    irq_end(m, cpu, 24);
    switch_to(m, cpu, task, cpu->current.tid == 0 ? 0 : 0x100);
}

void tick(struct machine *m, struct cpu *cpu)
{
    vector_begin(m, cpu, "local_timer", TIMER_VECTOR);
    step(m, cpu, 600);
    emit(m, cpu, KIND_HRTIMER_EXPIRE_ENTRY, "tick_sched_timer", NULL,
         V((int64_t)0xffff88807d8239a0 + cpu->id * 0x100000, cpu->now - random_below(m, 300)));
    step(m, cpu, 2500);
    emit(m, cpu, KIND_HRTIMER_EXPIRE_EXIT, NULL, NULL, V((int64_t)0xffff88807d8239a0 + cpu->id * 0x100000));
    vector_end(m, cpu, "local_timer", TIMER_VECTOR);
}

/* Soon a task of this CPU wakes another's: then it is not in a handler. */
static bool is_about_to_wake(const struct machine *m, const struct cpu *cpu)
{
    for (size_t i = 0; cpu->id == 1 && i < m->n_wakes; i++)
        if (m->wakes[i].in_task && m->wakes[i].time_ns > cpu->now - 20000 && m->wakes[i].time_ns < cpu->now + 400000)
            return true;
    return false;
}

void background(struct machine *m, struct cpu *cpu, int64_t until)
{
    while (cpu->now + 150000 < until) {
        if (is_about_to_wake(m, cpu)) {
            spend(m, cpu, 20000);
            continue;
        }
        wait_until(m, cpu, cpu->now + random_below(m, (until - cpu->now - 100000) / 2 + 1) + 3000);
        if (cpu->now + 100000 >= until)
            break;
        if (cpu->id && !m->is_null && random_below(m, 60) == 0) { /* a storm elsewhere is nobody's fault here */
            for (int64_t n = random_between(m, 10, 40); n && cpu->now + 60000 < until; n--) {
                device_interrupt(m, cpu, random_between(m, 2000, 6000));
                spend(m, cpu, 300);
            }
        }
        switch (random_below(m, cpu->id == 0 ? 5 : 4)) {
        case 4: /* an interrupt elsewhere wakes a thread here */
            wake_from_other(m, cpu, cross_task, false);
            switch_to(m, cpu, cross_task, cpu->current.tid ? 0x100 : 0);
            spend(m, cpu, 5000);
            switch_to(m, cpu, cpu->load, 1);
            break;
        case 0: device_interrupt(m, cpu, random_between(m, 1500, 9000)); break;
        case 1: {
            struct task_id worker = {"kworker/0:1", 77 + cpu->id, 120};
            if (cpu->load.tid == 0) {
                start_task(m, cpu, worker);
                spend(m, cpu, random_between(m, 3000, 30000));
                switch_to(m, cpu, cpu->load, 0x80);
            }
            break;
        }
        case 2: /* an interrupt with its softirq behind it, as mainline does */
            device_interrupt(m, cpu, random_between(m, 1500, 5000));
            if (!m->is_rt)
                softirq(m, cpu, 3, random_between(m, 2000, 12000));
            break;
        default: /* the tick */
            tick(m, cpu);
            break;
        }
        enter_idle(m, cpu);
    }
}

/* ---- across CPUs ---- */

void wake_from_other(struct machine *m, struct cpu *cpu, struct task_id task, bool in_task)
{
    memory_reserve(m->wakes, m->wakes_capacity, m->n_wakes + 1);
    m->wakes[m->n_wakes++] = (struct cross_wake){cpu->now, task, in_task};
    spend(m, cpu, 1200 + random_below(m, 600));
    if (task.prio < cpu->current.prio || cpu->current.tid == 0)
        cpu->resched = true;
    vector_begin(m, cpu, "reschedule", 253);
    spend(m, cpu, 200);
    vector_end(m, cpu, "reschedule", 253);
}

/* An interrupt of CPU 1 that wakes the task, in the place where it belongs among what CPU 1 did. */
static void insert_wake(struct machine *m, const struct cross_wake *wake)
{
    static const unsigned kinds[4] = {KIND_IRQ_HANDLER_ENTRY, KIND_SCHED_WAKING, KIND_SCHED_WAKEUP, KIND_IRQ_HANDLER_EXIT};
    struct cpu *cpu = &m->cpus[1];
    int64_t from = trace_time(m, 1, wake->time_ns), step_ns = 250;
    size_t at = 0;
    while (at < cpu->n && cpu->events[at].time_ns <= from)
        at++;
    while (wake->in_task && at > 1 && cpu->events[at - 1].flags & (RAW_HARDIRQ | RAW_SOFTIRQ)) /* a task does it: before that handler */
        from = cpu->events[--at].time_ns - 2000;
    if (!at)
        return;
    if (from <= cpu->events[at - 1].time_ns)
        from = cpu->events[at - 1].time_ns + 1;
    if (at < cpu->n && cpu->events[at].time_ns - from < 4 * step_ns)
        step_ns = (cpu->events[at].time_ns - from) / 5;
    memory_reserve(cpu->events, cpu->capacity, cpu->n + 4);
    memmove(cpu->events + at + 4, cpu->events + at, (cpu->n - at) * sizeof *cpu->events);
    cpu->n += 4;
    const struct synth_event *before = &cpu->events[at - 1], *after = at + 4 < cpu->n ? &cpu->events[at + 4] : before;
    for (unsigned i = 0; i < 4; i++) {
        struct synth_event *event = &cpu->events[at + i];
        unsigned kind = wake->in_task && i == 0 ? KIND_SCHED_WAKING : wake->in_task && i == 3 ? KIND_SCHED_WAKEUP : kinds[i];
        *event = (struct synth_event){.time_ns = from + (int64_t)i * step_ns, .cpu = 1, .tid = after->tid, .comm = after->comm,
                                      .kind = (uint16_t)kind, .flags = wake->in_task ? RAW_IRQS_OFF : RAW_IRQS_OFF | RAW_HARDIRQ, .depth = before->depth};
        event->s[0] = i == 0 ? "eth1-rx" : wake->task.comm;
        bool is_handler = kind == KIND_IRQ_HANDLER_ENTRY || kind == KIND_IRQ_HANDLER_EXIT;
        event->v[0] = is_handler ? 33 : wake->task.tid;
        event->v[1] = is_handler ? 1 : wake->task.prio;
    }
}

void machine_finish(struct machine *m)
{
    for (size_t i = 0; i < m->n_wakes && m->recorded & RECORD_IRQ; i++)
        insert_wake(m, &m->wakes[i]);
}

/* ---- the machine ---- */

void machine_init(struct machine *m, uint64_t seed)
{
    static const char *const idle[MAX_MACHINE_CPUS] = {"swapper/0", "swapper/1", "swapper/2", "swapper/3"};
    *m = (struct machine){.seed = seed, .recorded = RECORD_ALL, .clock = "mono"};
    m->n_cpus = 2 + (int)random_below(m, 2);
    m->is_rt = random_below(m, 2);
    m->interval_ns = 1000000;
    m->begin_ns = INT64_C(1000000000000);
    for (int i = 0; i < m->n_cpus; i++) {
        struct cpu *cpu = &m->cpus[i];
        cpu->id = i;
        cpu->now = INT64_C(1000000000000) + random_below(m, 50000);
        cpu->due = cpu->now + m->interval_ns;
        cpu->load = random_below(m, 2) ? (struct task_id){"stress-ng", 600 + i, 120} : (struct task_id){idle[i], 0, 120};
        cpu->measured = (struct task_id){"cyclictest", 1000 + i, 4};
        cpu->current = cpu->load;
    }
}

void machine_release(struct machine *m)
{
    for (int i = 0; i < m->n_cpus; i++)
        free(m->cpus[i].events);
    free(m->truths);
    free(m->wakes);
    *m = (struct machine){0};
}

void machine_truth(struct machine *m, struct cpu *cpu, int32_t tid, const char *cause, int64_t amount_ns, const char *culprit, bool is_hidden)
{
    memory_reserve(m->truths, m->truths_capacity, m->n_truths + 1);
    struct truth *truth = &m->truths[m->n_truths++];
    *truth = (struct truth){.cpu = cpu->id, .tid = tid, .amount_ns = amount_ns, .cause = cause, .is_hidden = is_hidden};
    truth->due_ns = trace_time(m, cpu->id, cpu->due);
    truth->end_ns = trace_time(m, cpu->id, cpu->now);
    snprintf(truth->culprit, sizeof truth->culprit, "%s", culprit);
}
