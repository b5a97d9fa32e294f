/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine of a few CPUs, played in real time: each CPU has a clock of its own that only goes forward, a current task,
 * and writes what its tracepoints would. Everything follows from the seed.
 */
#ifndef SYNTH_MACHINE_H
#define SYNTH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/synth/event.h"

#define MAX_MACHINE_CPUS 4
#define MAX_STALLS       256

struct task_id {
    const char *comm;
    int32_t tid, prio;
};

/* Which tracepoints are recorded. */
enum recorded {
    RECORD_IRQ = 1 << 0,         /* irq_handler_*, softirq_* */
    RECORD_VECTORS = 1 << 1,     /* irq_vectors */
    RECORD_PREEMPTIRQ = 1 << 2,  /* irq_disable, preempt_disable ... */
    RECORD_IDLE = 1 << 3,        /* cpu_idle */
    RECORD_TIMER = 1 << 4,       /* hrtimer_* */
    RECORD_NMI = 1 << 5,
    RECORD_LOCK = 1 << 6,
    RECORD_FUNCTION = 1 << 7,
    RECORD_HEAD_IRQ = 1 << 8,    /* interrupts of the co-kernel's domain */
    RECORD_HEAD_TIMER = 1 << 9,  /* cobalt_timer_start */
    RECORD_FAULT = 1 << 10,
    RECORD_FREQUENCY = 1 << 11,
    RECORD_ALL = (1 << 12) - 1,
};

struct cpu {
    int id;
    int64_t now;
    struct task_id current, load; /* load: what runs when nothing else does; idle if prio 120 and tid 0 */
    struct task_id measured;      /* its cyclictest thread */
    uint8_t depth;                /* preempt depth of the current section */
    bool resched, irqs_off;
    bool in_head, hard_off;       /* dual kernels: out-of-band; the hardware's interrupts are off */
    struct task_id root;          /* the Linux task behind the co-kernel's thread */
    unsigned in_irq, in_softirq;
    int64_t due;                  /* of its measuring timer */
    int64_t times_slower;         /* its clock is low by this factor; 0: it is not */
    int64_t slack_ns;             /* how much later than asked that timer may fire */
    bool is_idle_entered;
    size_t n, capacity;
    struct synth_event *events;
    uint64_t n_lost;
    int64_t lost_from, lost_to;   /* events in between are not recorded */
};

/* One late wakeup, as it was meant. */
struct truth {
    int32_t cpu, tid;
    int64_t due_ns, end_ns;  /* in the trace's clock */
    int64_t amount_ns;       /* of the cause */
    const char *cause;
    char culprit[64];        /* what its name must contain; "" any */
    bool is_hidden;          /* its evidence was left out on purpose */
};

struct machine {
    uint64_t seed;
    int n_cpus;
    bool is_rt;
    bool is_evl;              /* the dual kernel is EVL: another core's events, on Dovetail */
    bool arms_each_sleep;     /* the measuring thread starts its timer for each period, and no tick shot is recorded */
    bool is_cobalt, is_dovetail; /* dual kernel; Dovetail's rows tell stage and hard interrupt state, the I-pipe's do not */
    bool is_wild;             /* its clocks are not comparable between CPUs */
    bool is_null;             /* nothing is planted, and the background keeps its rates */
    unsigned recorded;
    const char *clock;        /* "mono", "local" */
    int64_t clock_offset_ns;  /* trace clock = monotonic - this, for clock local */
    int64_t skew_ns[MAX_MACHINE_CPUS]; /* of a CPU's trace clock, for clock local */
    double drift[MAX_MACHINE_CPUS];    /* and what it gains per ns */
    int64_t begin_ns;
    size_t n_wakes, wakes_capacity;
    struct cross_wake { /* a waking that CPU 1 does for CPU 0, written when both are done */
        int64_t time_ns;
        struct task_id task;
        bool in_task; /* not by an interrupt but by what runs there */
    } *wakes;
    int64_t interval_ns;
    struct cpu cpus[MAX_MACHINE_CPUS];
    size_t n_jumps;           /* of the trace clock, on all CPUs at once */
    struct {
        int64_t at, ns;
    } jumps[MAX_STALLS];
    size_t n_stalls;
    struct {
        int64_t begin, end;
    } stalls[MAX_STALLS];
    size_t n_truths, truths_capacity;
    struct truth *truths;
};

int64_t random_below(struct machine *m, int64_t n);
int64_t random_between(struct machine *m, int64_t low, int64_t high);

extern const struct task_id cross_task; /* runs on CPU 0, woken by CPU 1 */

/* What a CPU's trace clock shows. */
int64_t trace_time(const struct machine *m, int cpu, int64_t time);
/* CPU 1 wakes a task for this CPU, now. */
void wake_from_other(struct machine *m, struct cpu *cpu, struct task_id task, bool in_task);
void machine_finish(struct machine *m);

/* Time passes on a CPU; a stall that begins in between adds its length. */
void spend(struct machine *m, struct cpu *cpu, int64_t ns);
void wait_until(struct machine *m, struct cpu *cpu, int64_t time);

/* Sets a CPU's clock, and writes so; times: by how much it is slower than usual. */
void set_clock(struct machine *m, struct cpu *cpu, int64_t times);

/* Writes an event now; v of up to six numbers. */
void emit(struct machine *m, struct cpu *cpu, unsigned kind, const char *s0, const char *s1, const int64_t *v);
#define V(...) ((const int64_t[6]){__VA_ARGS__})

/* What CPUs do again and again. Each leaves the CPU in the state it found it in, later. */
void irq_begin(struct machine *m, struct cpu *cpu, int irq, const char *name);
void irq_end(struct machine *m, struct cpu *cpu, int irq);
void device_interrupt(struct machine *m, struct cpu *cpu, int64_t length_ns);
void vector_begin(struct machine *m, struct cpu *cpu, const char *name, int number);
void vector_end(struct machine *m, struct cpu *cpu, const char *name, int number);
void softirq(struct machine *m, struct cpu *cpu, int vector, int64_t length_ns);
void switch_to(struct machine *m, struct cpu *cpu, struct task_id next, int64_t prev_state);
void leave_idle(struct machine *m, struct cpu *cpu);
void enter_idle(struct machine *m, struct cpu *cpu);
void tick(struct machine *m, struct cpu *cpu);
void wake(struct machine *m, struct cpu *cpu, struct task_id task);
/* The timer interrupt that wakes the measuring task: entry to exit. */
void timer_interrupt(struct machine *m, struct cpu *cpu);
/* The measuring task runs, arms its timer for the next period, and sleeps. */
void run_measured(struct machine *m, struct cpu *cpu);
/* What happens between two periods, until shortly before time. */
void background(struct machine *m, struct cpu *cpu, int64_t until);
/* A task of this priority takes the CPU now (woken by an interrupt). */
void start_task(struct machine *m, struct cpu *cpu, struct task_id task);

void machine_init(struct machine *m, uint64_t seed);
void machine_release(struct machine *m);
void machine_truth(struct machine *m, struct cpu *cpu, int32_t tid, const char *cause, int64_t amount_ns, const char *culprit, bool is_hidden);

#endif
