/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the pieces of a window to one cause: docs/attribution.md. */
#ifndef ANALYZERS_CAUSE_H
#define ANALYZERS_CAUSE_H

#include "analyzers/handler.h"
#include "analyzers/shares.h"

/* Whether a task with need-resched set at depth 0 must leave the CPU at once. */
enum preempt_model { MODEL_UNKNOWN, MODEL_PREEMPTIBLE, MODEL_NOT_PREEMPTIBLE };
/* As the stream's header or the run's facts state it. */
enum preempt_model preempt_model_of(const struct store *store, uint32_t run, uint32_t stream);

struct cause_input {
    const struct store *store;
    struct word_classes *words;
    struct arena *arena;
    const struct window *window;
    struct sweep *sweep;             /* stalls and gaps are carved into it */
    const struct typical *typical;   /* n_windows 0: none */
    const struct handlers *handlers; /* or NULL */
    enum preempt_model model;
    bool is_complete;                /* no lost events, no missing entries near the window */
};

/* A candidate: one class of slices with its owner. */
struct candidate {
    enum cause cause;
    const char *culprit;
    enum confidence confidence;
    const char *why;
    int64_t amount_ns, excess_ns;
};
struct decision {
    struct candidate best;
    size_t n_others;
    struct candidate others[4]; /* the next in excess */
    int64_t unexplained_ns;
    const char *current;        /* the task that was current for most of an unexplained time */
    bool tick_ended_it;         /* the switch came with a timer tick */
    bool depth_unknown;
};
/* Own path, slack and the last stretch are told apart; also needed for the windows that a typical ledger is made of. */
void cause_prepare(const struct cause_input *input);
/* A row is missing that says since when the window's work was due, or what its own interrupt did. */
bool cause_is_partial(const struct cause_input *input);
void cause_decide(const struct cause_input *input, struct decision *decision);

/* The same for windows that are no wakeups (cause_section.c). */
void section_decide(const struct cause_input *input, struct decision *decision);
/* The path of an I-pipe dump, function by function (ipipe_path.c); leaves other sections as they are. */
void ipipe_path_decide(const struct cause_input *input, struct decision *decision);
/* The decided pieces, split and named by the rows of a function tracer; only where no row is missing (function_path.c). */
void function_path_split(const struct cause_input *input);
/* The window of a frozen I-pipe path (ipipe_freeze.c); false: it is none, or not recorded. */
bool ipipe_freeze_decide(const struct cause_input *input, struct decision *decision);
void blocked_decide(const struct cause_input *input, struct decision *decision);
/* What a section's own time is: to be set as the window's section_kind before it is swept. */
enum slice_kind section_slice_kind(const struct cause_input *input);

/* The parts of the decision, each in a file of its own. */
struct verdict_of_wait { /* why a lower task stayed: cause_wait.c */
    enum cause cause;
    enum confidence confidence;
    const char *why;
};
struct verdict_of_wait wait_verdict(const struct cause_input *input, const struct share *share);
/*
 * A silence of all CPUs becomes pieces of kind hardware-stall, or lost rows where others' periods went on in it; returns
 * its length. cause_silence.c
 */
int64_t silence_carve_stall(const struct cause_input *input, enum confidence *confidence);
/* What kept a period before a span without events: how much came late after it, and how much in time. cause_rhythm.c */
struct rhythms {
    uint32_t n_late, n_in_time; /* of others than the window's thread */
    uint32_t n_open;            /* had to come, and did not until the trace ends */
    bool own_is_in_time;
    int64_t own_ns, other_ns, near_ns; /* when they came, and what is at once there */
};
/* Which periodic events of other threads and timers came late or on time in a span of the window's trace. */
void rhythms_over(const struct cause_input *input, int64_t begin_ns, int64_t end_ns, struct rhythms *found);
/* The trace clock stepped in the window, as the pairs of its timer tell: the step becomes a piece; returns its length. cause_step.c */
int64_t step_carve(const struct cause_input *input, enum confidence *confidence);
/* What a late timer means while `share` was current. */
struct candidate silence_verdict(const struct cause_input *input, const struct share *share);
struct candidate irq_verdict(const struct cause_input *input, int64_t amount_ns); /* cause_irq.c */

/* What the rows of the function tracer and the stacks say about where the time of a window passed. cause_place.c */
struct place {
    uint32_t most_seen;        /* where rows were cut out: the function of most rows; else 0 */
    size_t n_rows;
    uint32_t function;        /* string id of the function that held the most time; 0: none */
    int64_t function_ns;
    int64_t recorded_ns;      /* from the first function row to the last */
    int64_t spin_ns;          /* in spins that poll need-resched */
    uint32_t irq_entry;       /* the first function, if it only runs when an interrupt is taken; else 0 */
    bool wanted_while_idle;   /* need-resched was set in a row before the last: somebody waited for the idle CPU */
};
void place_find(const struct cause_input *input, int32_t tid, struct place *place); /* tid: of one task only; TID_UNKNOWN: of the window's CPU */
/* The first function that is no scheduler's and no lock's in the stack of the switch that ended the wait; 0: none. */
uint32_t place_of_switch(const struct cause_input *input);
/* The span of a wakeup tracer's complete rows, if the value in its header is far longer than they are; else 0. */
int64_t place_short_rows_ns(const struct cause_input *input, const struct claim *claim);
/* The step of the window's clock, if the window is so few steps long that its length says nothing; else 0. */
int64_t place_coarse_step_ns(const struct cause_input *input);
/* What stretches the wakeup's own path, amount_ns 0: no event says so. cause_path.c */
struct candidate path_fault(const struct cause_input *input);
int64_t path_fault_ns(const struct sweep *sweep);
struct candidate path_migration(const struct cause_input *input);
struct candidate path_frequency(const struct cause_input *input, int64_t path_ns, int64_t usual_path_ns, bool is_one_step);
/* Dual kernels: cause_head.c */
void head_settle(const struct cause_input *input);
void head_carve_programming(const struct cause_input *input);
struct candidate mode_switch_candidate(const struct cause_input *input, const struct shares *shares);
const char *stage_name(int32_t stage);

/* "irq 24 virtio0-req.0", "local_timer:236", "softirq NET_RX", with_function its callback in brackets; in the arena. */
char *line_format(const struct cause_input *input, const struct subject *subject, bool with_function);
/* "kworker/0:1H:214 (prio 120)"; in the arena. */
char *task_format(const struct cause_input *input, const struct subject *subject);

#endif
