/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that is woken by one that was late itself: the threads of interrupts, softirqs and timers. */
#include "tests/synth/scenarios.h"

static const struct task_id receiver = {"rt_receiver", 1600, 20}, irq_thread = {"irq/33-eth1", 190, 49},
                            hog = {"control_loop", 880, 2}, owner = {"ring_owner", 1521, 60}, timers = {"ktimers/0", 15, 98};

/* The kernel wakes the thread of a line behind its handler, in the same hard interrupt. */
static void interrupt_wakes_thread(struct machine *m, struct cpu *cpu)
{
    irq_begin(m, cpu, 33, "eth1");
    spend(m, cpu, 900);
    irq_end(m, cpu, 33);
    cpu->in_irq++;
    wake(m, cpu, irq_thread);
    cpu->in_irq--;
}

/* The interrupt's thread has the CPU: it works, wakes the receiver, which preempts it; the truth is about that one. */
static void thread_wakes_receiver(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns, const char *culprit)
{
    spend(m, cpu, random_between(m, 2000, 9000));
    wake(m, cpu, receiver);
    switch_to(m, cpu, receiver, 0x100);
    if (s)
        machine_truth(m, cpu, receiver.tid, s->cause, amount_ns, culprit, s->hidden && !(m->recorded & s->hidden));
    spend(m, cpu, 6000);
    switch_to(m, cpu, irq_thread, 1);
    spend(m, cpu, 2000);
    switch_to(m, cpu, cpu->load, 1);
}

void play_late_irq_thread(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    amount_ns = begin_scene(m, cpu, amount_ns);
    start_task(m, cpu, hog);
    spend(m, cpu, random_between(m, 5000, 20000));
    interrupt_wakes_thread(m, cpu);
    cpu->resched = false;
    spend(m, cpu, amount_ns);
    switch_to(m, cpu, irq_thread, 1);
    thread_wakes_receiver(m, cpu, s, amount_ns, "control_loop");
}

/* Its thread hardly waits; who keeps the receiver from the CPU comes in after that. */
void play_irq_thread_in_time(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    amount_ns = begin_scene(m, cpu, amount_ns);
    interrupt_wakes_thread(m, cpu);
    switch_to(m, cpu, irq_thread, cpu->current.tid ? 0x100 : 0);
    spend(m, cpu, random_between(m, 2000, 9000));
    wake(m, cpu, receiver);
    start_task(m, cpu, hog);
    cpu->resched = false;
    spend(m, cpu, amount_ns);
    switch_to(m, cpu, receiver, 1);
    machine_truth(m, cpu, receiver.tid, s->cause, amount_ns, "control_loop", false);
    spend(m, cpu, 6000);
    switch_to(m, cpu, irq_thread, 1);
    spend(m, cpu, 2000);
    switch_to(m, cpu, cpu->load, 1);
}

/* The thread is on time, and has to wait for a lock before it can wake the receiver. */
void play_irq_thread_at_lock(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    amount_ns = begin_scene(m, cpu, amount_ns);
    start_task(m, cpu, owner);
    spend(m, cpu, 20000);
    interrupt_wakes_thread(m, cpu);
    switch_to(m, cpu, irq_thread, 0x100);
    spend(m, cpu, 3000);
    emit(m, cpu, KIND_CONTENTION_BEGIN, NULL, NULL, V((int64_t)0xffff888011223400, 8));
    switch_to(m, cpu, owner, 2);
    spend(m, cpu, amount_ns);
    wake(m, cpu, irq_thread);
    switch_to(m, cpu, irq_thread, 0x100);
    emit(m, cpu, KIND_CONTENTION_END, NULL, NULL, V((int64_t)0xffff888011223400, 0));
    thread_wakes_receiver(m, cpu, s, amount_ns, "ring_owner");
}

/* A timer that expires in a softirq, whose thread has to wait; it was armed by the receiver a while before. */
void play_late_timer_thread(struct machine *m, struct cpu *cpu, const struct scenario *s, int64_t amount_ns)
{
    const int64_t timer = (int64_t)0xffffc90000777d00;
    amount_ns = begin_scene(m, cpu, amount_ns);
    start_task(m, cpu, receiver);
    int64_t due = cpu->now + 60000;
    emit(m, cpu, KIND_HRTIMER_START, "hrtimer_wakeup", NULL, V(timer, due, due, 0));
    switch_to(m, cpu, cpu->load, 1);
    spend(m, cpu, 10000);
    start_task(m, cpu, hog);
    wait_until(m, cpu, due + random_between(m, 600, 1800));
    vector_begin(m, cpu, "local_timer", 236);
    emit(m, cpu, KIND_SOFTIRQ_RAISE, NULL, NULL, V(8));
    spend(m, cpu, 600);
    vector_end(m, cpu, "local_timer", 236);
    wake(m, cpu, timers); /* on the way out: the flags are the task's */
    cpu->resched = false;
    wait_until(m, cpu, due + amount_ns);
    switch_to(m, cpu, timers, 1);
    cpu->in_softirq++;
    emit(m, cpu, KIND_SOFTIRQ_ENTRY, NULL, NULL, V(8));
    emit(m, cpu, KIND_HRTIMER_EXPIRE_ENTRY, "hrtimer_wakeup", NULL, V(timer, cpu->now - 200));
    wake(m, cpu, receiver);
    emit(m, cpu, KIND_HRTIMER_EXPIRE_EXIT, NULL, NULL, V(timer));
    emit(m, cpu, KIND_SOFTIRQ_EXIT, NULL, NULL, V(8));
    cpu->in_softirq--;
    switch_to(m, cpu, receiver, 0x100);
    machine_truth(m, cpu, receiver.tid, s->cause, amount_ns, "control_loop", s->hidden && !(m->recorded & s->hidden));
    spend(m, cpu, 6000);
    switch_to(m, cpu, timers, 1);
    spend(m, cpu, 1000);
    switch_to(m, cpu, cpu->load, 1);
}
