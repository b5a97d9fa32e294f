/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces for tests, event by event, in microseconds: a store of a dozen events that can be solved on paper. Tasks are
 * named once; tids 0 are the idle tasks. Events of one CPU must come in time order; CPUs may be mixed freely.
 */
#ifndef TESTS_TRACE_BUILDER_H
#define TESTS_TRACE_BUILDER_H

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "store/store.h"
#include "store/writer.h"

struct trace_builder {
    struct store_writer *writer;
    struct event_sink *sink;
    uint32_t run, stream;
    int64_t shift_ns;        /* added to every time: answers must not depend on it */
    int64_t mono_ns;         /* CLOCK_MONOTONIC = trace clock + this */
    struct {
        int32_t tid, prio;
        const char *comm;
    } tasks[32];
    size_t n_tasks;
    int32_t current[8];
    bool in_irq[8];
};

static inline struct trace_builder trace_begin_with(const char *clock, int64_t resolution_ns)
{
    struct error error = {0};
    struct trace_builder b = {.writer = store_writer_new(NULL, &error)};
    assert(b.writer);
    b.run = store_add_run(b.writer, &(struct run){.label = "test"});
    uint32_t artefact = store_add_artefact(b.writer, &(struct artefact){.run = b.run, .path = "test", .format = "test"});
    struct stream stream = {.run = b.run, .artefact = artefact, .name = "", .clock = clock, .resolution_ns = resolution_ns, .n_cpus = -1,
                            .n_shown = COUNT_UNKNOWN, .n_written = COUNT_UNKNOWN};
    b.stream = store_add_stream(b.writer, &stream);
    b.sink = event_sink_new(b.writer, b.stream);
    event_sink_set_flags_known(b.sink, FLAG_IRQS_OFF | FLAG_NEED_RESCHED | FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_PREEMPT_DEPTH);
    return b;
}

static inline struct trace_builder trace_begin(const char *clock)
{
    return trace_begin_with(clock, 1);
}

static inline void trace_task(struct trace_builder *b, int32_t tid, int32_t prio, const char *comm)
{
    b->tasks[b->n_tasks].tid = tid;
    b->tasks[b->n_tasks].prio = prio;
    b->tasks[b->n_tasks++].comm = comm;
}

static inline const char *trace_comm(const struct trace_builder *b, int32_t tid)
{
    for (size_t i = 0; i < b->n_tasks; i++)
        if (b->tasks[i].tid == tid)
            return b->tasks[i].comm;
    return "swapper/0";
}

static inline int32_t trace_prio(const struct trace_builder *b, int32_t tid)
{
    for (size_t i = 0; i < b->n_tasks; i++)
        if (b->tasks[i].tid == tid)
            return b->tasks[i].prio;
    return 120;
}

static inline struct event_batch *trace_add(struct trace_builder *b, int32_t cpu, double us, unsigned kind, uint32_t flags,
                                            uint32_t **words)
{
    struct event_batch *batch = event_sink_batch(b->sink, cpu);
    *words = event_batch_add(batch, (int64_t)(us * 1000) + b->shift_ns, b->current[cpu], kind, flags, event_kind_info(kind)->n_words);
    return batch;
}

static inline void trace_string(struct event_batch *batch, uint32_t *word, const char *text)
{
    event_batch_set_string(batch, word, event_batch_intern(batch, text, strlen(text)));
}

#define HARD flags_make(FLAG_IRQS_OFF | FLAG_HARDIRQ, 0, 0)
#define HARD_RESCHED flags_make(FLAG_IRQS_OFF | FLAG_HARDIRQ | FLAG_NEED_RESCHED, 0, 0)
#define HARD_RESCHED_DEPTH(depth) flags_make(FLAG_IRQS_OFF | FLAG_HARDIRQ | FLAG_NEED_RESCHED, depth, 0)

static inline void trace_switch(struct trace_builder *b, int32_t cpu, double us, char state, int32_t next)
{
    uint32_t *w;
    int32_t prev = b->current[cpu];
    struct event_batch *batch = trace_add(b, cpu, us, KIND_SCHED_SWITCH, flags_make(FLAG_IRQS_OFF, 2, 0), &w);
    w[1] = (uint32_t)prev;
    w[2] = (uint32_t)trace_prio(b, prev);
    w[3] = (uint32_t)state;
    w[5] = (uint32_t)next;
    w[6] = (uint32_t)trace_prio(b, next);
    trace_string(batch, &w[0], trace_comm(b, prev));
    trace_string(batch, &w[4], trace_comm(b, next));
    b->current[cpu] = next;
}

static inline void trace_wake(struct trace_builder *b, int32_t cpu, double us, unsigned kind, int32_t tid, int32_t target)
{
    uint32_t *w;
    struct event_batch *batch = trace_add(b, cpu, us, kind, b->in_irq[cpu] ? HARD_RESCHED : flags_make(FLAG_IRQS_OFF, 2, 0), &w);
    w[1] = (uint32_t)tid;
    w[2] = (uint32_t)trace_prio(b, tid);
    w[3] = (uint32_t)target;
    trace_string(batch, &w[0], trace_comm(b, tid));
}

/* local_timer and its like; flags as the kernel prints them at the entry. */
static inline void trace_vector(struct trace_builder *b, int32_t cpu, double us, bool entry, const char *name, int32_t vector,
                                uint32_t flags)
{
    uint32_t *w;
    struct event_batch *batch = trace_add(b, cpu, us, entry ? KIND_VECTOR_ENTRY : KIND_VECTOR_EXIT, flags, &w);
    b->in_irq[cpu] = entry;
    w[1] = (uint32_t)vector;
    trace_string(batch, &w[0], name);
}

static inline void trace_irq(struct trace_builder *b, int32_t cpu, double us, bool entry, int32_t irq, const char *name, uint32_t flags)
{
    uint32_t *w;
    struct event_batch *batch = trace_add(b, cpu, us, entry ? KIND_IRQ_HANDLER_ENTRY : KIND_IRQ_HANDLER_EXIT, flags, &w);
    w[0] = (uint32_t)irq;
    if (entry)
        trace_string(batch, &w[1], name);
    else
        w[1] = 1;
}

static inline void trace_timer_start(struct trace_builder *b, int32_t cpu, double us, uint64_t timer, const char *function, double due_us)
{
    uint32_t *w;
    struct event_batch *batch = trace_add(b, cpu, us, KIND_HRTIMER_START, flags_make(FLAG_IRQS_OFF, 1, 0), &w);
    event_words_set_i64(w, (int64_t)timer);
    event_words_set_i64(w + 3, (int64_t)(due_us * 1000) + b->shift_ns + b->mono_ns);
    event_words_set_i64(w + 5, (int64_t)(due_us * 1000) + b->shift_ns + b->mono_ns);
    trace_string(batch, &w[2], function);
}

static inline void trace_expire(struct trace_builder *b, int32_t cpu, double us, uint64_t timer, const char *function, double now_us)
{
    uint32_t *w;
    struct event_batch *batch = trace_add(b, cpu, us, KIND_HRTIMER_EXPIRE_ENTRY, HARD, &w);
    event_words_set_i64(w, (int64_t)timer);
    event_words_set_i64(w + 3, (int64_t)(now_us * 1000) + b->shift_ns + b->mono_ns);
    trace_string(batch, &w[2], function);
}

static inline void trace_expired(struct trace_builder *b, int32_t cpu, double us, uint64_t timer)
{
    uint32_t *w;
    trace_add(b, cpu, us, KIND_HRTIMER_EXPIRE_EXIT, HARD, &w);
    event_words_set_i64(w, (int64_t)timer);
}

static inline void trace_idle(struct trace_builder *b, int32_t cpu, double us, int32_t idle_state)
{
    uint32_t *w;
    trace_add(b, cpu, us, KIND_CPU_IDLE, 0, &w);
    w[0] = (uint32_t)idle_state; /* -1: left */
    w[1] = (uint32_t)cpu;
}

/* irq_disable and its like: a function and its parent. */
static inline void trace_section(struct trace_builder *b, int32_t cpu, double us, unsigned kind, const char *caller, uint32_t flags)
{
    uint32_t *w;
    struct event_batch *batch = trace_add(b, cpu, us, kind, flags, &w);
    trace_string(batch, &w[0], caller);
}

/* A whole cycle of a timer-driven thread: due, the interrupt 2 us later, woken, switched in 10 us after due, asleep again. */
static inline void trace_cycle(struct trace_builder *b, int32_t cpu, double due_us, int32_t tid, double next_due_us)
{
    trace_vector(b, cpu, due_us + 2, true, "local_timer", 236, HARD);
    trace_expire(b, cpu, due_us + 3, 0xa0, "hrtimer_wakeup", due_us + 3);
    trace_wake(b, cpu, due_us + 4, KIND_SCHED_WAKING, tid, cpu);
    trace_wake(b, cpu, due_us + 5, KIND_SCHED_WAKEUP, tid, cpu);
    trace_expired(b, cpu, due_us + 6, 0xa0);
    trace_vector(b, cpu, due_us + 8, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(b, cpu, due_us + 10, 'R', tid);
    trace_timer_start(b, cpu, due_us + 15, 0xa0, "hrtimer_wakeup", next_due_us);
    trace_switch(b, cpu, due_us + 20, 'S', 0);
}

static inline struct store *trace_end(struct trace_builder *b)
{
    struct error error = {0};
    event_sink_free(b->sink);
    store_writer_no_sync(b->writer);
    int fd = store_writer_finish_fd(b->writer, &error);
    assert(fd >= 0);
    struct store *store = store_open_fd(fd, "test", &error);
    assert(store);
    return store;
}

#endif
