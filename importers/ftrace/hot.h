/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fast path for rows of the default form that stand unchanged in their columns: hot.c, hot_body.c. */
#ifndef IMPORTERS_FTRACE_HOT_H
#define IMPORTERS_FTRACE_HOT_H

#include "importers/ftrace/ftrace.h"

/* A row's place in its batch: what a body needs to add its event. */
struct hot_row {
    struct event_batch *batch;
    int64_t time_ns;
    int32_t tid;
    uint32_t flags;
};

/*
 * Adds the event of the body (text up to end) if it is a common one in exactly the kernel's form. False: nothing was added,
 * the slow path reads it. Both give the same event.
 */
bool hot_body_add(const struct hot_row *row, const char *text, const char *end);

static inline bool hot_digits(const char **p, const char *end, uint64_t *value)
{
    const char *s = *p;
    uint64_t n = 0;
    for (; s < end && (unsigned)(*s - '0') < 10; s++)
        n = n * 10 + (unsigned)(*s - '0');
    if (s == *p || s - *p > 18)
        return false;
    *value = n;
    *p = s;
    return true;
}

#endif
