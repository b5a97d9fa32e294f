/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the I-pipe tracer (importers/ipipe_row.c). */
#ifndef IMPORTERS_IPIPE_H
#define IMPORTERS_IPIPE_H

#include "base/text.h"
#include "importers/importer.h"

struct ipipe_row {
    char mark;         /* '>' begin, '<' end, ':' between, ' ' outside; a panic dump has none */
    uint32_t flags;
    unsigned kind;     /* KIND_IPIPE_* */
    uint64_t value;    /* begin, end, freeze, special; UINT64_MAX: none printed */
    uint64_t id;       /* of a special point */
    int32_t tid, prio; /* of a task point */
    const char *comm;
    size_t comm_length;
    const char *what;  /* of an event: "tick" */
    size_t what_length;
    int64_t tick_us;
    int64_t time_us;   /* against the reference point, whole us */
    int64_t delay_ns;  /* to the next point; NS_UNKNOWN: not printed */
    const char *function, *parent;
    size_t function_length, parent_length;
};

/* has_mark: false for rows of a panic dump. False: the line is no such row. */
bool ipipe_row_parse(const char *text, size_t length, bool is_verbose, bool has_mark, struct ipipe_row *row);
/* "-<invalid>-": an unused slot of the ring. */
bool ipipe_row_is_unused(const char *text, size_t length);

/* importers/ipipe_flat.c: a whole dump in one line. */
#define IPIPE_FLAT_MAX ((size_t)4 << 20)
bool ipipe_is_flat(const struct line *line);
/*
 * One row whose columns moved (indented, runs of blanks made one), set in its columns again, for ipipe_row_parse() with a mark.
 * False: no row begins there, or it does not end.
 */
bool ipipe_straighten(const char *text, size_t length, bool is_verbose, struct text *out);
/* The dump as lines again; how many rows. */
size_t ipipe_unflatten(const struct line *line, struct text *out);

#endif
