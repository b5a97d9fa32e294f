/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep keeps while it goes through the events; between the files of the sweep. */
#ifndef ANALYZERS_SWEEP_PRIVATE_H
#define ANALYZERS_SWEEP_PRIVATE_H

#include "analyzers/activation_head.h"
#include "analyzers/sweep.h"

#define NO_CHUNK UINT32_MAX

enum unseen { UNSEEN_NOTHING, UNSEEN_HANDLER_BEGIN, UNSEEN_HANDLER_END, UNSEEN_SWITCH };

struct sweep_cpu {
    bool seen;
    struct cpu_state state;
    bool in_callback;
    uint64_t timer;
    uint32_t n_callbacks;       /* begun so far */
    uint32_t callback;          /* function of the hrtimer or csd callback that runs */
    bool callback_is_csd;
    size_t callback_depth;      /* handlers open where it began: in one more it is interrupted */
    bool callback_is_over;      /* the row that ends the piece says so, and its own exit is missing */
    int64_t last_ns;            /* of its last event; NS_UNKNOWN */
    uint32_t last_chunk, last_i, last_flags, last_known;
    uint32_t invocation;
    uint32_t row_function;      /* of the last row, if it named one, and whose */
    int32_t row_tid;
    int32_t row_context;        /* OPEN_*: what the last row's letters state, where no event of a handler does */
    bool serves_softirq;        /* what `s` means in the rows at hand */
    bool row_context_is_cut;    /* and where it ended is among rows that are missing */
    uint32_t row_handler;       /* the handler that runs in it, once a row has named it */
    bool handler_has_flag;      /* the hard handler that began last did so with the letter h */
    int32_t switched_to;        /* by the last sched_switch of the window's stream; TID_UNKNOWN */
    int32_t leaving;            /* the task that it switches from, up to the first row of the other: TID_UNKNOWN */
    enum unseen unseen;         /* what is missing in front of the row that ends the piece */
    bool fair_picked;           /* the current task was picked while the late thread was runnable here */
    bool in_fault;              /* the late thread runs here and has faulted */
    bool in_head;               /* a thread of the co-kernel runs */
    bool hard_off;              /* the last row was Linux with hardware interrupts off */
    struct {
        int32_t tid, prio;
        uint32_t comm;
    } root;                     /* the Linux task behind the co-kernel's threads */
};

struct run_state {
    struct sweep *sweep;
    const struct store *store;
    struct word_classes *words;
    const struct window *w;
    struct sweep_cpu *cpus;  /* last_cpu + 1 of them */
    size_t last_cpu, n_cpus; /* n_cpus: met so far */
    int32_t cpu;        /* the window's, now */
    int64_t at_ns;      /* everything before is cut into pieces */
    enum phase phase;
    bool switched, woken;
    bool softirq_flag_serves, rows_missing;
    bool follows_rows;  /* the window's CPU is the rows' until the first one of the task's last CPU */
    bool row_hard_off;  /* the row that ends the piece shows Linux with hardware interrupts off */
    enum relax_stage stage;
    int64_t handler_boundary_ns;
};

static inline size_t handlers_open(const struct cpu_state *state)
{
    size_t n = 0;
    for (size_t i = 0; i < state->n_open && i < CPU_STATE_DEPTH; i++) {
        int32_t kind = state->open[i].kind;
        n += kind == OPEN_IRQ || kind == OPEN_VECTOR || kind == OPEN_SOFTIRQ || kind == OPEN_NMI;
    }
    return n;
}

static inline bool is_in_callback(const struct sweep_cpu *c)
{
    return c->in_callback && handlers_open(&c->state) <= c->callback_depth;
}

static inline const struct open_context *innermost(const struct cpu_state *state, bool handler)
{
    size_t n = state->n_open < CPU_STATE_DEPTH ? state->n_open : CPU_STATE_DEPTH;
    for (size_t i = n; i-- > 0;) {
        int32_t kind = state->open[i].kind;
        bool is_handler = kind == OPEN_IRQ || kind == OPEN_VECTOR || kind == OPEN_SOFTIRQ || kind == OPEN_NMI;
        if (is_handler == handler)
            return &state->open[i];
    }
    return NULL;
}

/* Kind, phase and subject of a piece that ends now (sweep_classify.c). */
void sweep_classify(const struct run_state *r, const struct sweep_cpu *c, struct piece *p);

/* Silences and NMIs (sweep_silence.c). c is the CPU as it was before the event. */
void sweep_note_silence(struct run_state *r, const struct event_ref *ref, const struct sweep_cpu *c, int64_t t_ns);
void sweep_note_nmi(struct run_state *r, int32_t cpu, const uint32_t *w, int64_t t_ns);
/* What a non-maskable interrupt took is its own, whatever it interrupted. */
void sweep_carve_nmis(struct sweep *s);
/* CPUs that are silent up to the end of the window, and of what was read beyond it. */
void sweep_finish_silences(struct run_state *r);

/* What a row says about rows in front of it that are missing (sweep_unseen.c). c is the CPU as it was before the row. */
bool unseen_handler_end(const struct run_state *r, const struct sweep_cpu *c, const struct event_ref *ref);
bool unseen_handler_begin(const struct run_state *r, const struct sweep_cpu *c, const struct event_ref *ref);
bool unseen_switch(const struct run_state *r, const struct sweep_cpu *c, const struct event_ref *ref);
void unseen_close_handlers(struct sweep_cpu *c, int64_t t_ns);
/* A row that comes when the callbacks of timers are over: their own exits come before it. */
static inline bool unseen_callback_end(unsigned kind)
{
    return kind == KIND_VECTOR_EXIT || kind == KIND_IRQ_HANDLER_EXIT || kind == KIND_HRTIMER_EXPIRE_ENTRY || kind == KIND_TIMER_EXPIRE_ENTRY;
}
/* After the row. */
void unseen_note(struct sweep_cpu *c, const struct event_ref *ref);

/* Dual kernels (sweep_head.c). */
void head_classify(const struct run_state *r, const struct sweep_cpu *c, struct piece *p);
bool head_has_handler(const struct sweep_cpu *c, const struct open_context *handler);
void head_follow(struct run_state *r, const struct event_ref *ref, unsigned kind, const uint32_t *w);
bool head_row_hard_off(const struct sweep_cpu *c, unsigned kind, uint32_t flags, uint32_t known);
void head_apply_state(struct sweep_cpu *c, int64_t t_ns, int32_t tid, unsigned kind, const uint32_t *w);

#endif
