/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sweep: one window of time, followed from CPU to CPU, cut into pieces that each have one owner.
 *
 * A piece is a span on the CPU that mattered at that moment; pieces never overlap, leave no hole, and so sum to the
 * window. They carry what the later decision needs beyond their kind: in which phase they lie, whose handler, what the
 * flags of the rows around them said.
 */
#ifndef ANALYZERS_SWEEP_H
#define ANALYZERS_SWEEP_H

#include "analyzers/activation.h"
#include "analyzers/companions.h"
#include "analyzers/outlier.h"

enum phase {
    PHASE_BEFORE_HANDLER, /* due, but the timer's interrupt has not come: a task that is merely current is no cause */
    PHASE_WAKING,         /* from the handler to the wakeup: the wakeup's own path */
    PHASE_WAITING,        /* woken, not yet running */
    PHASE_RUNNING,        /* switched in, not yet in user space */
    PHASE_SECTION         /* a traced section: no wakeup at all */
};

struct window {
    uint32_t run, stream, claim; /* ROW_NONE */
    struct companions companions; /* streams whose events are used too */
    enum window_kind kind;
    int32_t tid, prio, cpu;      /* of the late thread; cpu where it ends (or the section's) */
    uint32_t comm;               /* string id, 0 unknown */
    const char *comm_text;       /* when only a claim names it */
    int64_t begin_ns, end_ns;
    int64_t reported_ns;
    struct activation a;         /* its stamps; tid TID_UNKNOWN where no activation was found */
    /* blocked: who woke it, and how long that one could not run */
    int32_t owner_tid, middle_tid;
    int64_t owner_waited_ns;
    bool is_inherited;           /* it begins with the first wait of the tasks that woke it, before its own waking */
    bool is_relative;            /* the stream's times count from the begin of the trace */
    enum slice_kind section_kind; /* of a section window: what its own task's time is */
    uint32_t section_name;        /* string id of the function that opened it */
};
static inline int64_t window_length_ns(const struct window *w)
{
    return w->end_ns - w->begin_ns;
}

/* What a piece is about; two pieces with equal subjects are one row of the ledger. */
struct subject {
    int32_t kind;       /* enum open_kind of a handler or section, OPEN_NONE: a task */
    int32_t number;     /* irq, vector, softirq, idle state */
    uint32_t name;      /* string id: handler, vector, function that opened a section */
    uint32_t function;  /* hrtimer or csd callback within a handler; function seen in a task */
    int32_t tid, prio;  /* the current task */
    uint32_t comm;
};

/* The same line, callback and task with the same priority. */
bool subject_equals(const struct subject *a, const struct subject *b);

enum piece_flag {
    PIECE_OWN = 1 << 0,      /* inside the window's own timer callback: the wakeup's own path */
    PIECE_SILENT = 1 << 1,   /* no event between its ends */
    PIECE_LAST = 1 << 2,     /* the last stretch before the switch */
    PIECE_FAIR_PICKED = 1 << 3, /* the scheduler switched to this task although the late thread was runnable */
    PIECE_STALL = 1 << 4,    /* part of a stall of all CPUs */
    PIECE_IDLE_KNOWN = 1 << 5, /* an idle state was open (cpu_idle events) */
    PIECE_FAULT = 1 << 7,    /* from a page fault of the thread itself to the next that is told of it */
    PIECE_HEAD = 1 << 6,     /* a thread of the co-kernel ran */
};
struct piece {
    int64_t begin_ns, end_ns;
    int32_t cpu;
    enum slice_kind kind;
    enum phase phase;
    unsigned flags;
    struct subject subject;
    uint32_t first_chunk, first_i, last_chunk, last_i; /* events at its ends; chunk UINT32_MAX: none */
    uint32_t n_runs; /* invocations of a handler, stretches of a task, in merged pieces */
    uint32_t invocation; /* counts handler entries on this CPU: same number, same invocation */
    uint32_t callback;   /* the same of timer callbacks: two at the same rounded time are two; 0: in none */
};

/* What the rows said about a task while the late thread waited for it. */
struct holder {
    int32_t tid, prio;
    uint32_t comm, function; /* function: where it spent the longest time between two rows */
    int64_t longest_ns;
    uint32_t n_samples;      /* rows whose flags tell the task's own depth */
    uint32_t n_depth_zero, n_depth_positive;
    uint32_t n_resched, n_no_resched, n_lazy_only;
    uint32_t n_resched_samples; /* need-resched known */
    uint32_t n_doubtful;
    uint32_t n_spin_rows, n_function_rows;
    int64_t enabled_ns, longest_enabled_ns; /* stretches that end where preemption is turned on again, and a reschedule is due */
    uint32_t enabled_in;                    /* the function that did so after the longest */
};

/* The silence of one CPU around the window. */
struct silence {
    int32_t cpu;
    int64_t begin_ns, end_ns;  /* the longest stretch without events that overlaps the window; equal: none */
    uint32_t n_other;
    uint32_t gaps[48];         /* its other gaps by power of two ns */
    uint32_t end_chunk, end_i; /* the event that ends it; chunk UINT32_MAX: none */
    uint32_t begin_chunk, begin_i;
    uint32_t begin_flags, end_flags, flags_known;
    int32_t tid;               /* who was current */
    bool begin_known, end_known;
};

/* Subjects of their own: the time between a timer's soft and hard expiry; from due to the time the hardware was set to. */
#define SUBJECT_SLACK      (-2)
#define SUBJECT_PROGRAMMED (-3)
#define SUBJECT_STEP       (-4) /* time that did not pass: the clock stepped */
#define SUBJECT_TRACER     (-5) /* the tracer's own stack dump of the wakeup, and what it does behind the switch */
#define SUBJECT_SKIPPED (-6) /* all CPUs are silent, and the cycles of threads went on: rows are missing */
/* Numbers of a mode-switch piece: how far a relaxed thread is (docs/attribution.md, "Dual kernels"). */
enum relax_stage { STAGE_NONE, STAGE_RELAX, STAGE_SCHEDULING, STAGE_SECONDARY, STAGE_HARDEN };

/* nmi_handler events come when the handler is done, and say how long it took. */
struct nmi_span {
    int32_t cpu;
    int64_t begin_ns, end_ns;
    uint32_t handler; /* string id */
};

#define SWEEP_MAX_CPUS 1024
/* One more than the highest CPU of a run's events, at most SWEEP_MAX_CPUS. */
int32_t sweep_count_cpus(const struct store *store, uint32_t run);
struct sweep {
    struct arena *arena;
    size_t n_pieces, pieces_capacity;
    struct piece *pieces;
    size_t n_holders, holders_capacity;
    struct holder *holders;
    size_t n_nmis, nmis_capacity;
    struct nmi_span *nmis;      /* that touch the window */
    size_t n_silences;
    struct silence *silences;   /* of every CPU with events */
    bool has_irq_events;        /* irq_disable or irq_enable seen near the window */
    bool has_preempt_events;
    bool has_idle_events;
    bool has_handlers;          /* irq or vector events */
    bool has_callbacks;         /* of timers and of remote calls, within handlers */
    bool has_switches, has_functions;
    int64_t passed_over_ns;     /* a handler that began after the due time expired other timers only; NS_UNKNOWN */
    uint32_t n_hard_off;        /* rows between due and handler that show Linux with hardware interrupts off */
    uint32_t relax_reason;      /* string id: the window's thread was relaxed; 0: not, or no reason known */
    bool has_relaxed;
    int64_t moved_ns;           /* the woken thread was moved (sched_migrate_task); NS_UNKNOWN: not */
    int32_t moved_from, moved_to;
    bool throttle_timer_fired;  /* sched_rt_period_timer just before the switch */
    int64_t first_event_ns;     /* on the window's CPUs */
    int64_t last_event_ns;
    uint64_t n_events;
    uint64_t n_in_window;       /* events within it, on the CPU that it was on */
};

/*
 * Sweeps a window. lookback_ns of events before it are read for the silences. The pieces are owned by the sweep
 * (sweep_release), strings are ids of the store.
 */
enum status sweep_window(struct sweep *sweep, const struct store *store, struct word_classes *words,
                         const struct window *window, int64_t lookback_ns, struct error *error);
void sweep_release(struct sweep *sweep);

/* All but one in so many of a CPU's other gaps are shorter than this. */
int64_t silence_usual_gap_ns(const struct silence *silence, unsigned one_in);

/* Gives [begin, end) to another owner: pieces are split at the ends. subject NULL: keeps each piece's own. */
void sweep_carve(struct sweep *sweep, int64_t begin_ns, int64_t end_ns, enum slice_kind kind, unsigned flags,
                 const struct subject *subject);
/* The same for what is on one CPU (CPU_UNKNOWN: all); pieces of that kind stay as they are. */
void sweep_carve_cpu(struct sweep *sweep, int32_t cpu, int64_t begin_ns, int64_t end_ns, enum slice_kind kind,
                     const struct subject *subject);

/* What is not recorded of a window becomes pieces of nobody (window_gaps.c). Returns what lies before the first event. */
int64_t window_carve_unrecorded(struct sweep *sweep, const struct window *w);
/* What is left of that after the tracer's own part is known, where it is more than a little. */
int64_t window_unrecorded_ns(const struct sweep *sweep, int64_t missing_ns);
/* What a wakeup tracer's own stack dumps took. */
void window_carve_tracer(const struct store *store, struct sweep *sweep, const struct window *w);
/* Lost events become pieces; false: some were lost near the window. */
bool window_carve_gaps(const struct store *store, struct sweep *sweep, const struct window *w);

/* What the sweep saw of a task while the window waited; NULL: nothing. A loan. */
const struct holder *sweep_holder(const struct sweep *sweep, int32_t tid);

#endif
