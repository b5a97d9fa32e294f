/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who woke whom, back from a late thread as far as events carry: the interrupt, its thread, the task that this one woke,
 * and so on. A chain ends at an interrupt or a timer, or in "unknown from here".
 */
#ifndef ANALYZERS_CHAIN_H
#define ANALYZERS_CHAIN_H

#include "analyzers/cause.h"

enum chain_link_kind { LINK_INTERRUPT, LINK_TASK, LINK_LOCK, LINK_UNKNOWN };
const char *chain_link_kind_name(enum chain_link_kind kind);

struct chain_link {
    enum chain_link_kind kind;
    struct activation a;   /* of a task: its run that woke the next; for a lock: the one that the lock was given to */
    int64_t begin_ns;      /* entry of the interrupt; woken; slept for the lock */
    int64_t running_ns;    /* switched in; NS_UNKNOWN for an interrupt */
    int64_t end_ns;        /* when it woke the next */
    struct subject subject; /* of an interrupt: which, and whose timer's function */
    uint32_t chunk, i;     /* the interrupt's entry; chunk UINT32_MAX: none */
    const char *reason;    /* LINK_UNKNOWN: why nothing more is known */
    const char *held_by;   /* what it waited for; NULL */
    bool is_decisive;      /* the time went here */
};

#define CHAIN_MAX 16
struct chain { /* in the order of time */
    size_t n;
    struct chain_link links[CHAIN_MAX];
};

/* Fills the chain before a window's wakeup; none for those that a timer's interrupt woke directly. */
enum status chain_find(struct chain *chain, const struct store *store, struct word_classes *words, const struct window *window,
                       struct error *error);

#endif
