/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What names tell: kernel threads, measuring threads, the kernel's own functions around a switch or an interrupt. */
#ifndef ANALYZERS_THREAD_H
#define ANALYZERS_THREAD_H

#include "base/memory.h"
#include "store/store.h"

/* Kernel priorities: below 100 real time (99 - rt_priority), -1 deadline, from 100 fair. */
#define PRIO_FAIR 100
static inline bool prio_is_realtime(int32_t prio)
{
    return prio != PRIO_UNKNOWN && prio < PRIO_FAIR;
}

bool thread_is_per_cpu_stop(const char *comm); /* migration/N, cpuhp/N, stopper/N */
bool thread_relays(const char *comm);       /* threads of irqs, softirqs and timers */
bool task_matches(const char *task, const char *comm, int32_t tid); /* a comm or tid is what --task names */

/* Classes of a string of the store, worked out once per string. */
enum word_class {
    WORD_KERNEL_THREAD = 1 << 0,
    WORD_MEASURING = 1 << 1,
    WORD_WAKING_TIMER = 1 << 2,  /* an hrtimer function whose expiry is the due time of the thread it wakes */
    WORD_SCHEDULES = 1 << 3,     /* a function of the scheduler: sections it opens belong to the switch */
    WORD_IRQ_ENTRY = 1 << 4,     /* code that runs when an interrupt is taken: its irqs-off is the interrupt's */
    WORD_POLLING_SPIN = 1 << 5,  /* spins that poll need_resched and hold up nobody */
    WORD_RETURNS_TO_USER = 1 << 6,
    WORD_ENABLES_IRQS = 1 << 7,  /* a function whose business is to enable interrupts again */
    WORD_CALLS_HANDLER = 1 << 8, /* what it calls is a handler of an interrupt line or a softirq */
    WORD_HANDLER = 1 << 9,       /* a handler that the entry code calls by name */
    WORD_PRIMITIVE = 1 << 10,     /* locks, counters and hooks: they say that something was off, not who wanted it */
    WORD_IDLES = 1 << 11,         /* the CPU sleeps in it, with interrupts off at its edges */
    WORD_NMI = 1 << 12,          /* the handler of a non-maskable interrupt */
    WORD_SOFTIRQ = 1 << 13,      /* runs only while a softirq is served */
    WORD_PREEMPTS_NOW = 1 << 14, /* is called where preemption is turned on and a reschedule is due */
    WORD_RELAYS = 1 << 16,       /* a thread that does nothing but carry the work of an interrupt, softirq or timer on */
    WORD_SLEEP_TIMER = 1 << 17,  /* its timer is over when its thread is awake again, fired or not */
    WORD_KNOWN = 1 << 15
};
struct word_classes {
    const struct store *store;
    size_t n;
    uint32_t *classes; /* 0: not looked at yet */
};
void word_classes_init(struct word_classes *words, const struct store *store);
void word_classes_release(struct word_classes *words);
unsigned word_class_of(const char *word); /* WORD_* bits of any string; NULL: WORD_KNOWN alone */
bool word_prints(const char *word); /* a function of the consoles */
unsigned word_class_look(struct word_classes *words, uint32_t id); /* for word_class(), which asks once per string */
static inline unsigned word_class(struct word_classes *words, uint32_t id)
{
    return id < words->n && words->classes[id] ? words->classes[id] : word_class_look(words, id);
}

/* "kworker/0:1H:214 (prio 120)", "swapper/0"; RT priorities as users say them: "(FIFO 95)" would guess, so "prio 4". */
char *thread_format(struct arena *arena, const char *comm, int32_t tid, int32_t prio);
/* "console_unlock" of "console_unlock+0xc0/0x510"; an I-pipe's "func+0x10" stays; NULL of NULL. */
const char *function_format(struct arena *arena, const char *function);
/* The name without its trailing number, for families: "herd17" -> "herd", "kworker/0:1" -> "kworker". */
size_t thread_stem_length(const char *comm);

#endif
