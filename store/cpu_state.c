/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a CPU, event by event: who runs, and which contexts are open.
 *
 * Handlers (irq, vector, softirq, NMI) nest, so closing one closes what is above it: their exits were lost. Sections
 * (interrupts off, preemption off), idle and system calls overlap freely, so closing one leaves the others.
 */
#include <string.h>

#include "store/cpu_state.h"

void cpu_state_init(struct cpu_state *state)
{
    *state = (struct cpu_state){.time_ns = INT64_MIN, .tid = INT32_MIN, .prio = INT32_MIN, .current_since_ns = INT64_MIN};
}

static size_t n_kept(const struct cpu_state *state)
{
    return state->n_open < CPU_STATE_DEPTH ? state->n_open : CPU_STATE_DEPTH;
}

static void open_context(struct cpu_state *state, int64_t time_ns, int32_t kind, int32_t number, uint32_t name)
{
    state->time_ns = time_ns;
    if (state->n_open < CPU_STATE_DEPTH)
        state->open[state->n_open] =
            (struct open_context){.kind = kind, .number = number, .name = name, .begin_ns = time_ns};
    if (state->n_open < UINT32_MAX)
        state->n_open++;
}

/* Keeps the contexts beyond the ones that are kept only as a count. */
static void remove_contexts(struct cpu_state *state, size_t first, size_t n)
{
    size_t kept = n_kept(state);
    memmove(&state->open[first], &state->open[first + n], (kept - first - n) * sizeof *state->open);
    memset(&state->open[kept - n], 0, n * sizeof *state->open);
    state->n_open = (uint32_t)(kept - n);
}

static bool is_handler(int32_t kind)
{
    return kind == OPEN_IRQ || kind == OPEN_VECTOR || kind == OPEN_SOFTIRQ || kind == OPEN_NMI;
}

static void close_context(struct cpu_state *state, int64_t time_ns, int32_t kind, bool any_number, int32_t number)
{
    state->time_ns = time_ns;
    if (state->n_open > CPU_STATE_DEPTH) { /* the innermost ones are only counted */
        state->n_open--;
        return;
    }
    for (size_t i = state->n_open; i-- > 0;)
        if (state->open[i].kind == kind && (any_number || state->open[i].number == number)) {
            remove_contexts(state, i, is_handler(kind) ? state->n_open - i : 1);
            return;
        }
}

static void set_context(struct cpu_state *state, int64_t time_ns, int32_t kind, int32_t number, uint32_t name)
{
    for (size_t i = 0; i < n_kept(state); i++)
        if (state->open[i].kind == kind) {
            state->open[i] = (struct open_context){.kind = kind, .number = number, .name = name, .begin_ns = time_ns};
            state->time_ns = time_ns;
            return;
        }
    open_context(state, time_ns, kind, number, name);
}

/* A switch leaves the sections of the scheduler itself open; all else belonged to the task that left. */
static void switch_to(struct cpu_state *state, int64_t time_ns, uint32_t comm, int32_t tid, int32_t prio)
{
    size_t n = n_kept(state), to = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t kind = state->open[i].kind;
        if (kind == OPEN_IRQS_OFF || kind == OPEN_PREEMPT_OFF || (kind == OPEN_IDLE && tid == 0))
            state->open[to++] = state->open[i];
    }
    memset(&state->open[to], 0, (n - to) * sizeof *state->open);
    state->n_open = (uint32_t)to;
    state->time_ns = state->current_since_ns = time_ns;
    state->tid = tid;
    state->prio = prio;
    state->comm = comm;
}

const bool cpu_state_kinds[KIND_END] = {
    [KIND_SCHED_SWITCH] = true,     [KIND_COBALT_SWITCH] = true,      [KIND_TRACER_SWITCH] = true,
    [KIND_IPIPE_TASK] = true,       [KIND_TASK_RENAME] = true,        [KIND_SCHED_PI_SETPRIO] = true,
    [KIND_IRQ_HANDLER_ENTRY] = true, [KIND_IRQ_HANDLER_EXIT] = true,  [KIND_SOFTIRQ_ENTRY] = true,
    [KIND_SOFTIRQ_EXIT] = true,     [KIND_VECTOR_ENTRY] = true,       [KIND_VECTOR_EXIT] = true,
    [KIND_IPI_ENTRY] = true,        [KIND_IPI_EXIT] = true,           [KIND_IRQ_DISABLE] = true,
    [KIND_IRQ_ENABLE] = true,       [KIND_PREEMPT_DISABLE] = true,    [KIND_PREEMPT_ENABLE] = true,
    [KIND_CPU_IDLE] = true,         [KIND_SYS_ENTER] = true,          [KIND_SYS_EXIT] = true,
    [KIND_COBALT_IRQ_ENTRY] = true, [KIND_COBALT_IRQ_EXIT] = true,    [KIND_COBALT_CLOCK_ENTRY] = true,
    [KIND_COBALT_CLOCK_EXIT] = true,
};

static void apply_section(struct cpu_state *state, int64_t time_ns, unsigned kind, const uint32_t *w)
{
    switch (kind) {
    case KIND_IRQ_DISABLE:
        set_context(state, time_ns, OPEN_IRQS_OFF, 0, w[0]);
        break;
    case KIND_IRQ_ENABLE:
        close_context(state, time_ns, OPEN_IRQS_OFF, true, 0);
        break;
    case KIND_PREEMPT_DISABLE:
        set_context(state, time_ns, OPEN_PREEMPT_OFF, 0, w[0]);
        break;
    case KIND_PREEMPT_ENABLE:
        close_context(state, time_ns, OPEN_PREEMPT_OFF, true, 0);
        break;
    case KIND_CPU_IDLE:
        if ((int32_t)w[0] == -1)
            close_context(state, time_ns, OPEN_IDLE, true, 0);
        else
            set_context(state, time_ns, OPEN_IDLE, (int32_t)w[0], 0);
        break;
    case KIND_SYS_ENTER:
        set_context(state, time_ns, OPEN_SYSCALL, (int32_t)w[0], w[1]);
        break;
    case KIND_SYS_EXIT:
        close_context(state, time_ns, OPEN_SYSCALL, true, 0);
        break;
    default:
        break;
    }
}

static void apply_handler(struct cpu_state *state, int64_t time_ns, unsigned kind, const uint32_t *w)
{
    switch (kind) {
    case KIND_IRQ_HANDLER_ENTRY:
        open_context(state, time_ns, OPEN_IRQ, (int32_t)w[0], w[1]);
        break;
    case KIND_COBALT_IRQ_ENTRY:
    case KIND_COBALT_CLOCK_ENTRY:
        open_context(state, time_ns, OPEN_IRQ, (int32_t)w[0], 0);
        break;
    case KIND_IRQ_HANDLER_EXIT:
    case KIND_COBALT_IRQ_EXIT:
    case KIND_COBALT_CLOCK_EXIT:
        close_context(state, time_ns, OPEN_IRQ, false, (int32_t)w[0]);
        break;
    case KIND_SOFTIRQ_ENTRY:
        open_context(state, time_ns, OPEN_SOFTIRQ, (int32_t)w[0], w[1]);
        break;
    case KIND_SOFTIRQ_EXIT:
        close_context(state, time_ns, OPEN_SOFTIRQ, false, (int32_t)w[0]);
        break;
    case KIND_VECTOR_ENTRY:
        open_context(state, time_ns, OPEN_VECTOR, (int32_t)w[1], w[0]);
        break;
    case KIND_VECTOR_EXIT:
        close_context(state, time_ns, OPEN_VECTOR, false, (int32_t)w[1]);
        break;
    case KIND_IPI_ENTRY:
        open_context(state, time_ns, OPEN_VECTOR, INT32_MIN, w[0]);
        break;
    case KIND_IPI_EXIT:
        close_context(state, time_ns, OPEN_VECTOR, false, INT32_MIN);
        break;
    default:
        apply_section(state, time_ns, kind, w);
        break;
    }
}

void cpu_state_apply(struct cpu_state *state, int64_t time_ns, int32_t tid, unsigned kind, const uint32_t *w)
{
    if (tid != state->tid && tid != INT32_MIN) { /* a switch that the trace does not show */
        state->tid = tid;
        state->prio = INT32_MIN;
        state->comm = 0;
        state->current_since_ns = INT64_MIN;
        state->time_ns = time_ns;
    }
    switch (kind) {
    case KIND_SCHED_SWITCH:
        switch_to(state, time_ns, w[4], (int32_t)w[5], (int32_t)w[6]);
        break;
    case KIND_COBALT_SWITCH: /* tid 0 is the root thread: whatever Linux task is current */
        switch_to(state, time_ns, w[4], w[5] ? (int32_t)w[5] : INT32_MIN, w[5] ? prio_of_head((int32_t)w[6]) : INT32_MIN);
        break;
    case KIND_TRACER_SWITCH:
        switch_to(state, time_ns, w[4], (int32_t)w[5], (int32_t)w[6]);
        break;
    case KIND_IPIPE_TASK:
        switch_to(state, time_ns, w[0], (int32_t)w[1], (int32_t)w[2]);
        break;
    case KIND_TASK_RENAME:
        if ((int32_t)w[0] == state->tid) {
            state->comm = w[2];
            state->time_ns = time_ns;
        }
        break;
    case KIND_SCHED_PI_SETPRIO:
        if ((int32_t)w[1] == state->tid) {
            state->prio = (int32_t)w[3];
            state->time_ns = time_ns;
        }
        break;
    default:
        apply_handler(state, time_ns, kind, w);
        break;
    }
}
