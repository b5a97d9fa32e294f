/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outliers with their closed ledgers: the result of `explain`. */
#ifndef ANALYZERS_OUTLIER_H
#define ANALYZERS_OUTLIER_H

#include "analyzers/finding.h"

#define SLICE_KINDS(X)                                                                                       \
    X(TIMER_LATE, "timer-late") X(IRQ, "irq") X(SOFTIRQ, "softirq") X(NMI, "nmi") X(IPI, "ipi")              \
    X(TASK_HIGHER, "task-higher-prio") X(TASK_SAME, "task-same-prio") X(TASK_LOWER, "task-lower-prio")       \
    X(IRQS_OFF, "irqs-off") X(PREEMPT_OFF, "preempt-off") X(LOCK_WAIT, "lock-wait") X(SELF, "self")          \
    X(IDLE, "idle") X(IDLE_EXIT, "idle-exit") X(HARDWARE_STALL, "hardware-stall") X(SCHED, "sched")          \
    X(SYSCALL, "syscall") X(MODE_SWITCH, "mode-switch") X(THROTTLED, "throttled") X(STOPPED, "stopped")      \
    X(GAP, "gap") X(UNEXPLAINED, "unexplained")
enum slice_kind {
#define X(id, name) SLICE_##id,
    SLICE_KINDS(X)
#undef X
    N_SLICE_KINDS
};
/* The words of the document; never NULL. */
const char *slice_kind_name(enum slice_kind kind);

#define CAUSES(X)                                                                                            \
    X(HIGHER_PRIORITY_TASK, "higher-priority-task") X(SAME_PRIORITY_TASK, "same-priority-task")              \
    X(IRQ, "irq") X(IRQ_STORM, "irq-storm") X(IPI, "ipi") X(LOWER_PRIORITY_TASK, "lower-priority-task")      \
    X(TIMER_CASCADE, "timer-cascade") X(SOFTIRQ, "softirq") X(NMI, "nmi") X(IRQS_OFF, "irqs-off")            \
    X(PREEMPT_OFF, "preempt-off") X(LOCK_CONTENTION, "lock-contention")                                      \
    X(MISSED_PREEMPTION, "missed-preemption") X(PRIORITY_INVERSION, "priority-inversion")                    \
    X(NON_PREEMPTIBLE_KERNEL, "non-preemptible-kernel") X(SELF, "self") X(TIMER_SLACK, "timer-slack")        \
    X(TIMER_PROGRAMMING, "timer-programming") X(MODE_SWITCH, "mode-switch") X(HEAD_DOMAIN, "head-domain")    \
    X(THROTTLING, "throttling") X(CONTEXT_SWITCH, "context-switch") X(KERNEL_PATH, "kernel-path")            \
    X(IDLE_EXIT, "idle-exit") X(FREQUENCY, "frequency") X(CACHE_MISS, "cache-miss")                          \
    X(PAGE_FAULT, "page-fault") X(MIGRATION, "migration") X(HARDWARE_STALL, "hardware-stall")                \
    X(CLOCK_JUMP, "clock-jump") X(TRACING_OVERHEAD, "tracing-overhead")                                      \
    X(TRACER_ARTEFACT, "tracer-artefact") X(LOST_EVENTS, "lost-events") X(UNEXPLAINED, "unexplained")
enum cause {
#define X(id, name) CAUSE_##id,
    CAUSES(X)
#undef X
    N_CAUSES
};
const char *cause_name(enum cause cause);

#define LATENCY_LIMIT_NS INT64_C(1000000000000000) /* 11 days: nothing beyond is a latency; sums and multiples stay in range */

enum window_kind { WINDOW_TIMER, WINDOW_WAKEUP, WINDOW_BLOCKED, WINDOW_SECTION };
const char *window_kind_name(enum window_kind kind);

/* A span of an outlier's time with its owner. begin_ns, end_ns NS_UNKNOWN where only the amount is known. */
struct slice {
    int64_t begin_ns, end_ns, amount_ns;
    enum slice_kind kind;
    const char *subject;  /* "irq 24 virtio0-req.0", "kworker/0:1H:214 (prio 120)"; unexplained: the reason */
    int32_t cpu;
    const char *domain;   /* "root", "head" or NULL */
    const char *evidence; /* "cpu 1 events 120-131", "line 42" or NULL */
};

struct ledger_row {
    enum slice_kind kind;
    const char *subject;
    uint64_t n; /* slices; COUNT_UNKNOWN: of those that are not listed */
    int64_t amount_ns;
};

struct outlier {
    uint32_t run, series, stream; /* ROW_NONE: none */
    int32_t cpu, tid;
    const char *comm;
    enum window_kind window;
    int64_t begin_ns, end_ns;     /* NS_UNKNOWN: only the length is known */
    int64_t latency_ns, reported_ns;
    enum cause cause;
    const char *culprit;
    enum confidence confidence;
    int64_t unexplained_ns;
    int64_t typical_ns;           /* what the same thread's typical wakeup takes (mean), or NS_UNKNOWN */
    const char *why;              /* which rule decided: a key that report/ turns into a sentence */
    size_t n_slices, n_ledger;
    struct slice *slices;         /* in time order; their amounts sum to latency_ns */
    struct ledger_row *ledger;    /* slices summed by kind and subject, largest first */
    size_t n_links;
    struct outlier_link {         /* who woke whom, in the order of time; the last one woke the late thread */
        const char *kind;         /* "interrupt", "task", "lock", "unknown" */
        const char *subject;      /* "irq 45 eth0", "irq/45-eth0:77 (prio 49)"; unknown: why */
        int32_t cpu;
        int64_t begin_ns;         /* entry of the interrupt; woken; asleep for the lock */
        int64_t running_ns;       /* switched in, or NS_UNKNOWN */
        int64_t end_ns;           /* it woke the next one */
        const char *held_by;      /* what it waited for; NULL */
        bool is_decisive;         /* the time went in its wait */
    } *links;
    /* The few events that matter, for the timeline: positions in store->event_chunks. */
    size_t n_marks;
    struct timeline_mark { int64_t time_ns; int32_t cpu; uint32_t chunk, i; } *marks;
};

struct cause_row { /* causes summed over outliers, largest amount first */
    enum cause cause;
    const char *culprit;
    uint64_t n_outliers;
    int64_t amount_ns;
    double share_pct;
};

#endif
