/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the kernel's hist triggers: importers/trace_hist_row.c parses them for importers/trace_hist.c. */
#ifndef IMPORTERS_TRACE_HIST_H
#define IMPORTERS_TRACE_HIST_H

#include "importers/importer.h"

#define HIST_NAME_MAX 96

/* What the keys' times are counted in. */
enum hist_unit { HIST_UNIT_ASSUMED, HIST_UNIT_US, HIST_UNIT_NS };

/* What "# trigger info:" tells of the rows. */
struct hist_trigger {
    bool has_hex_counts;      /* vals=hitcount.hex */
    char tracked[32];         /* $VAR of onmax($VAR): "max:" below a row is its largest value; empty: none */
    enum hist_unit tracked_unit;
    char hex_keys[128];       /* ",a,b,": keys printed as .hex */
    bool is_osnoise;          /* the file's name or the keys tell that it is an event of osnoise: durations in ns */
};

struct hist_row {
    char name[HIST_NAME_MAX]; /* of the series: the key that is a time, then the other keys with their values */
    char comm[32];            /* "": unknown */
    int32_t tid, cpu;
    bool is_time;             /* low, width and unit are set */
    bool is_damaged;          /* a key's name says that it is a time, its value is none */
    uint64_t low, width;      /* in the text's unit; width 0: a power of two's half-open range */
    enum hist_unit unit;
    bool has_count;
    uint64_t count;
    bool has_sum;             /* a value that is a time, summed over the hits (vals=delta) */
    uint64_t sum;
    enum hist_unit sum_unit;
    char sum_name[32];
    size_t n_lines;           /* that the row takes: more than one with a stack among its keys, or where it was wrapped */
    bool is_wrapped;
};

/* Is this line the beginning of a row? Cheap. */
bool hist_row_begins(const struct line *line);
/* Reads "# trigger info: ...". */
void hist_trigger_parse(const struct line *line, struct hist_trigger *trigger);
/* The row at the current line; false: it is none (or is cut). Only looks ahead. */
bool hist_row_parse(struct lines *lines, const struct hist_trigger *trigger, struct hist_row *row);
/* Does the name of a key say that its value is a span of time, and in which unit? */
bool hist_names_time(const char *name, size_t length, enum hist_unit *unit);

#endif
