/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * make_trace N FILE [mark]: a trace.dat of about N events on 4 CPUs, mixed as a machine under cyclictest gives them: timer
 * interrupts with their hrtimers, wakeups, switches, a network interrupt with its softirq, the tick. With "mark" the
 * tool stops at a latency after three quarters of it, and says so in the trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/synth/dat.h"

#define N_CPUS 4

static uint64_t seed = 88172645463325252u;
static int64_t random_below(int64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int64_t)(seed % (uint64_t)n);
}

struct machine {
    struct dat_writer *writer;
    uint64_t n;
    int64_t time_ns[N_CPUS];
};

static void event(struct machine *m, int cpu, int32_t tid, unsigned kind, unsigned flags, const char *s0, const char *s1,
                  const int64_t *v)
{
    struct synth_event e = {.cpu = cpu, .tid = tid, .kind = (uint16_t)kind, .flags = (uint8_t)flags, .depth = flags ? 1 : 0,
                            .s = {s0, s1}};
    for (int i = 0; i < 6; i++)
        e.v[i] = v[i];
    m->time_ns[cpu] += 300 + random_below(1500);
    e.time_ns = m->time_ns[cpu];
    dat_event(m->writer, &e);
    m->n++;
}
#define V(...) (const int64_t[6]){__VA_ARGS__}

static void wakeup(struct machine *m, int cpu, int32_t tid, const char *comm, int64_t prio, unsigned flags)
{
    event(m, cpu, 0, KIND_SCHED_WAKING, flags, comm, NULL, V(tid, prio, cpu));
    event(m, cpu, 0, KIND_SCHED_WAKEUP, flags | RAW_RESCHED, comm, NULL, V(tid, prio, cpu));
}

static void run(struct machine *m, int cpu, int32_t tid, const char *comm, int64_t prio)
{
    static const char *const idle[N_CPUS] = {"swapper/0", "swapper/1", "swapper/2", "swapper/3"};
    event(m, cpu, 0, KIND_SCHED_SWITCH, RAW_IRQS_OFF, idle[cpu], comm, V(0, 120, 0, tid, prio));
    if (prio < 100) {
        int64_t due = m->time_ns[cpu] + 1000000;
        event(m, cpu, tid, KIND_HRTIMER_START, RAW_IRQS_OFF, "hrtimer_wakeup", NULL,
              V((int64_t)0xffffc90000100000 + tid * 4096, due, due, 0));
    }
    event(m, cpu, tid, KIND_SCHED_SWITCH, RAW_IRQS_OFF, comm, idle[cpu], V(tid, prio, 1, 0, 120));
}

static void timer_interrupt(struct machine *m, int cpu)
{
    static const char *const comms[N_CPUS] = {"cyclictest", "cyclictest", "cyclictest", "cyclictest"};
    int64_t timer = (int64_t)0xffffc90000100000 + (1000 + cpu) * 4096;
    unsigned flags = RAW_IRQS_OFF | RAW_HARDIRQ;
    event(m, cpu, 0, KIND_VECTOR_ENTRY, flags, "local_timer", NULL, V(236));
    event(m, cpu, 0, KIND_HRTIMER_EXPIRE_ENTRY, flags, "hrtimer_wakeup", NULL, V(timer, m->time_ns[cpu]));
    wakeup(m, cpu, 1000 + cpu, comms[cpu], 4, flags);
    event(m, cpu, 0, KIND_HRTIMER_EXPIRE_EXIT, flags, NULL, NULL, V(timer));
    event(m, cpu, 0, KIND_VECTOR_EXIT, flags, "local_timer", NULL, V(236));
    run(m, cpu, 1000 + cpu, comms[cpu], 4);
}

static void device_interrupt(struct machine *m, int cpu)
{
    char worker[16];
    unsigned flags = RAW_IRQS_OFF | RAW_HARDIRQ;
    event(m, cpu, 0, KIND_IRQ_HANDLER_ENTRY, flags, "eth0-TxRx-0", NULL, V(24 + cpu));
    event(m, cpu, 0, KIND_IRQ_HANDLER_EXIT, flags, NULL, NULL, V(24 + cpu, 1));
    event(m, cpu, 0, KIND_SOFTIRQ_RAISE, flags, NULL, NULL, V(3));
    event(m, cpu, 0, KIND_SOFTIRQ_ENTRY, RAW_SOFTIRQ, NULL, NULL, V(3));
    event(m, cpu, 0, KIND_SOFTIRQ_EXIT, RAW_SOFTIRQ, NULL, NULL, V(3));
    int32_t id = (int32_t)random_below(60);
    snprintf(worker, sizeof worker, "kworker/%d:%d", cpu, id);
    wakeup(m, cpu, 200 + id, worker, 120, RAW_IRQS_OFF);
    run(m, cpu, 200 + id, worker, 120);
}

int main(int argc, char **argv)
{
    bool has_mark = argc == 4 && !strcmp(argv[3], "mark");
    if (argc != 3 && !has_mark) {
        fputs("usage: make_trace N FILE [mark]\n", stderr);
        return 2;
    }
    uint64_t n = strtoull(argv[1], NULL, 10);
    struct machine m = {.writer = dat_new(N_CPUS, "mono", "6.1.0-synth-rt")};
    for (int cpu = 0; cpu < N_CPUS; cpu++) {
        m.time_ns[cpu] = 1000000000000 + random_below(100000);
        dat_task(m.writer, 1000 + cpu, "cyclictest");
    }
    while (m.n < n) {
        if (has_mark && m.n >= n / 4 * 3) {
            event(&m, 1, 1001, KIND_PRINT, 0, "hit latency threshold (117 > 100)", "tracing_mark_write", V(0));
            has_mark = false;
        }
        for (int cpu = 0; cpu < N_CPUS; cpu++) {
            m.time_ns[cpu] += random_below(20000);
            if (random_below(4))
                timer_interrupt(&m, cpu);
            else
                device_interrupt(&m, cpu);
        }
    }
    if (!dat_finish(m.writer, argv[2])) {
        perror(argv[2]);
        return 4;
    }
    return 0;
}
