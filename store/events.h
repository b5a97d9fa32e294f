/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events: what a trace says happened, one row each, in chunks of one CPU of one stream.
 *
 * A chunk is a struct of columns (struct event_view when read from a mapped run file, struct event_batch while it
 * is filled). An event's arguments are 32-bit words at words[arg[i]], laid out by its kind (store/kinds.def).
 * Strings are ids of the run file's one string table; id 0 is "unknown".
 */
#ifndef STORE_EVENTS_H
#define STORE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
    KIND_NONE = 0,
#define KIND(id, name, system, event, arguments) KIND_##name = id,
#include "store/kinds.def"
#undef KIND
    KIND_END = 160
};

/* Bits of an event's flags. Which of them the source knows is said once per chunk (flags_known). */
enum event_flag {
    FLAG_IRQS_OFF = 1 << 0,
    FLAG_HARD_IRQS_OFF = 1 << 1,  /* I-pipe bar, Dovetail, -rt latency_trace 'D' */
    FLAG_NEED_RESCHED = 1 << 2,
    FLAG_NEED_RESCHED_LAZY = 1 << 3,
    FLAG_HARDIRQ = 1 << 4,
    FLAG_SOFTIRQ = 1 << 5,
    FLAG_NMI = 1 << 6,
    FLAG_BH_OFF = 1 << 7,
    FLAG_DOMAIN_HEAD = 1 << 8,    /* runs in the head (out-of-band) domain */
    FLAG_ROOT_STALLED = 1 << 9,   /* Linux's interrupts stalled, hardware's on */
    FLAG_HEAD_STALLED = 1 << 10,
    FLAG_TASK_UNKNOWN = 1 << 11,  /* the source printed no name (<...>); the tid is right */
    FLAG_DOUBTFUL = 1 << 12,      /* the flag letters of this row may lie (2.6 -rt: `n` was need-resched, `d` in an interrupt) */
    FLAG_IN_SECTION = 1 << 13,    /* between the tracer's begin and end marks */
    FLAG_NMI_NOISE = 1 << 14,
    FLAG_PREEMPT_DEPTH = 1 << 16, /* in flags_known only: the depth byte is known */
    FLAG_MIGRATE_DEPTH = 1 << 17,
};
/* flags word: bits 0-15 as above, 16-23 preempt depth, 24-31 migrate-disable depth. */
static inline unsigned flags_preempt_depth(uint32_t flags)
{
    return flags >> 16 & 0xff;
}
static inline unsigned flags_migrate_depth(uint32_t flags)
{
    return flags >> 24;
}
static inline uint32_t flags_make(uint32_t bits, unsigned preempt_depth, unsigned migrate_depth)
{
    return (bits & 0xffff) | (preempt_depth & 0xff) << 16 | (migrate_depth & 0xff) << 24;
}

/* What each kind is called and how its words are laid out. */
struct event_argument {
    char type; /* i u x s l X S */
    const char *name;
};
struct event_kind_info {
    const char *system, *name;
    unsigned n_arguments, n_words; /* words without an S argument's */
    struct event_argument arguments[9];
};
const struct event_kind_info *event_kind_info(unsigned kind); /* NULL for an unknown id */

/* The state of a CPU at an instant, written in front of every chunk so that a window needs no scan from the start. */
#define CPU_STATE_DEPTH 12
enum open_kind { OPEN_NONE = 0, OPEN_IRQ, OPEN_VECTOR, OPEN_SOFTIRQ, OPEN_NMI, OPEN_IRQS_OFF, OPEN_PREEMPT_OFF, OPEN_IDLE, OPEN_SYSCALL };
struct open_context {
    int32_t kind;      /* enum open_kind */
    int32_t number;    /* irq, vector, softirq, idle state or syscall number */
    uint32_t name;     /* string id: handler, vector, softirq; caller of a section */
    uint32_t reserved;
    int64_t begin_ns;
};
struct cpu_state {
    int64_t time_ns;           /* of the last event that changed it; INT64_MIN: nothing seen yet */
    int32_t tid, prio;         /* current task; TID_UNKNOWN, PRIO_UNKNOWN */
    uint32_t comm;             /* string id */
    uint32_t n_open;           /* open[0] is the outermost; contexts beyond CPU_STATE_DEPTH are counted, not kept */
    int64_t current_since_ns;  /* its sched_switch; INT64_MIN unknown */
    struct open_context open[CPU_STATE_DEPTH];
};
void cpu_state_init(struct cpu_state *state);
/* A co-kernel's priorities count up to the most urgent one; the kernel's count down to it. INT32_MIN: unknown. */
static inline int32_t prio_of_head(int32_t prio)
{
    return prio == INT32_MIN ? prio : prio > 100 ? -1 : prio < 0 ? 99 : 99 - prio;
}
/* Applies one event. words are the event's; strings are ids as the words hold them. */
void cpu_state_apply(struct cpu_state *state, int64_t time_ns, int32_t tid, unsigned kind, const uint32_t *words);

/* ---- writing ---- */

/* 16384 sched_switches are 800 KB before they are packed: a chunk is filled and packed within a level-2 cache. */
#define EVENTS_PER_CHUNK 16384

/* Strings by ids of their own, until a chunk that uses them is committed. Private to store/. */
struct local_strings {
    struct string_set *set;
    uint32_t *global_ids; /* in the run file of `writer`, 0 not asked yet */
    size_t n_global_ids, global_ids_capacity;
    uint64_t writer;
};
void local_strings_init(struct local_strings *strings);
void local_strings_trim(struct local_strings *strings); /* forgets all of too many */
void local_strings_release(struct local_strings *strings);

/* Columns of up to EVENTS_PER_CHUNK events of one CPU in time order. Strings are ids local to the batch until it is committed. */
struct event_batch {
    size_t n;
    int64_t *time_ns;
    int32_t *tid;
    uint16_t *kind;
    uint32_t *flags, *arg, *words;
    size_t n_words, words_capacity;
    uint32_t *string_words;    /* which words hold string ids: the commit rewrites these */
    size_t n_string_words, string_words_capacity;
    struct local_strings strings;
    uint32_t flags_known;
};
struct event_batch *event_batch_new(void);
void event_batch_clear(struct event_batch *batch);
void event_batch_free(struct event_batch *batch);
#define WORDS_PER_CHUNK (1u << 21) /* a few more may follow: an event with a list */
static inline bool event_batch_is_full(const struct event_batch *batch)
{
    return batch->n == EVENTS_PER_CHUNK || batch->n_words >= WORDS_PER_CHUNK;
}
void event_batch_grow(struct event_batch *batch, size_t n_words); /* room for so many words more */
/*
 * Appends an event with n_words argument words and returns them (zeroed) for the caller to fill; time must not fall
 * (the commit raises a time that does, and says so in a note). The batch must not be full. The pointer is good until
 * the next add.
 */
static inline uint32_t *event_batch_add(struct event_batch *batch, int64_t time_ns, int32_t tid, unsigned kind,
                                        uint32_t flags, size_t n_words)
{
    if (batch->words_capacity - batch->n_words < n_words)
        event_batch_grow(batch, n_words);
    size_t i = batch->n++;
    batch->time_ns[i] = time_ns;
    batch->tid[i] = tid;
    batch->kind[i] = (uint16_t)kind;
    batch->flags[i] = flags;
    batch->arg[i] = (uint32_t)batch->n_words;
    uint32_t *words = batch->words + batch->n_words;
    for (size_t k = 0; k < n_words; k++)
        words[k] = 0;
    batch->n_words += n_words;
    return words;
}
/* The local id of a string (0 for NULL); and the same written into a word of the event just added, remembered for the commit. */
uint32_t event_batch_intern(struct event_batch *batch, const char *string, size_t length);
void event_batch_grow_strings(struct event_batch *batch);
static inline void event_batch_set_string(struct event_batch *batch, uint32_t *word, uint32_t local_id)
{
    if (batch->n_string_words == batch->string_words_capacity)
        event_batch_grow_strings(batch);
    *word = local_id;
    batch->string_words[batch->n_string_words++] = (uint32_t)(word - batch->words);
}
static inline void event_words_set_i64(uint32_t *words, int64_t value)
{
    words[0] = (uint32_t)(uint64_t)value;
    words[1] = (uint32_t)((uint64_t)value >> 32);
}
static inline int64_t event_words_i64(const uint32_t *words)
{
    return (int64_t)((uint64_t)words[0] | (uint64_t)words[1] << 32);
}

/* ---- reading ---- */

/* One chunk as the index knows it, without touching its pages. */
struct event_chunk {
    uint32_t run, stream;
    int32_t cpu;
    uint32_t n;
    int64_t begin_ns, end_ns; /* first and last event, inclusive */
    uint64_t offset;          /* of the chunk in the run file */
    uint32_t index;           /* position in store_event_chunks() */
};

/* A chunk's columns, in the mapped file or widened from it: a loan from the store. */
struct event_view {
    size_t n;
    const int64_t *time_ns;
    const int32_t *tid;
    const uint16_t *kind;
    const uint32_t *flags, *arg, *words;
    size_t n_words;
    uint32_t flags_known;
    int32_t cpu;
    uint32_t stream;
    const struct cpu_state *state; /* before the first event */
};

#endif
