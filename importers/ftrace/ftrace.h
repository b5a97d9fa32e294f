/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of the ftrace text importer: rows, flags, bodies of events, headers, the function graph. All work on slices of
 * one line and never look behind its end. formats: Documentation/trace/ftrace.rst and kernel/trace/trace_output.c.
 */
#ifndef IMPORTERS_FTRACE_FTRACE_H
#define IMPORTERS_FTRACE_FTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "importers/importer.h"

/* A CPU number beyond this is damage, not hardware. */
#define FTRACE_CPUS_MAX 8192

static inline bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

/* ---- rows: what stands in front of an event's body (row.c) ---- */

enum ftrace_form {
    FORM_DEFAULT = 1, /* "   comm-pid   [000] d..1   12.345678: " also trace-cmd report */
    FORM_LATENCY,     /* "comm-pid     0d..1   12us+: " also console dumps and 2.6 latency_trace */
    FORM_REPORT_LATENCY, /* trace-cmd report -l: "comm-pid   0d..1.    20.576553: " */
    FORM_VERBOSE,     /* latency format with option verbose: "comm pid cpu flags count index [stamp] ..ms (+..ms): " */
    FORM_26VP,        /* voluntary-preempt and early -rt patches, 2004: "pid count 0.001ms (+0.000ms): function (parent)" */
    FORM_PERF,        /* "comm  pid [000]   12.345678: system:event: " */
    FORM_RAW,         /* option raw: "pid cpu nanoseconds type: n" */
    FORM_HEX,         /* option hex: the same as hex words */
};

struct ftrace_row {
    enum ftrace_form form;
    const char *prefix; /* what trace-cmd puts before the row: "inst1: "; length 0: nothing */
    size_t prefix_length;
    const char *comm;   /* without the leading blanks of its column */
    size_t comm_length;
    int32_t tid, cpu;
    const char *token;  /* flag letters; length 0: none printed */
    size_t token_length;
    uint32_t flags;     /* FORM_VERBOSE, FORM_26VP: already decoded from its numbers */
    uint32_t flags_known; /* FORM_26VP: which of them its numbers can tell */
    int64_t time;       /* ns; or as printed, when it is a count of something */
    bool time_is_count; /* a stamp without unit: cycles, jiffies, an event counter */
    uint8_t prio_base;  /* 2.6 -rt prints priorities in decimal or hex, by release; 0: not known which */
    uint8_t n_decimals; /* digits behind the point of the stamp: 6, 9, or 0 */
    const char *body, *end;
};

/* Is this line a row of a trace? Fills *row; row->body is what follows the stamp's colon, without blanks. */
bool ftrace_row_parse(const char *text, size_t length, struct ftrace_row *row);
/* The same for the default form alone when it stands unchanged in its columns: the hot path. */
bool ftrace_row_parse_columns(const char *text, const char *end, struct ftrace_row *row);
/* comm "<...>": the kernel had no name saved for the pid. */
static inline bool ftrace_comm_is_unknown(const char *comm, size_t length)
{
    return length == 5 && memcmp(comm, "<...>", 5) == 0;
}

/* ---- flag letters (flags.c) ---- */

enum ftrace_letters {
    LETTERS_26RT = 1,  /* irq resched hard/soft preempt; D is hard-disabled, n need-resched */
    LETTERS_4,         /* irq resched hard/soft preempt */
    LETTERS_LOCK,      /* + big kernel lock depth (2.6.33 to 2.6.38) */
    LETTERS_5,         /* + migrate-disable (5.15 on) */
    LETTERS_RT6,       /* irq resched lazy hard/soft preempt migrate */
    LETTERS_RT7,       /* irq resched lazy hard/soft preempt lazy-depth migrate */
    LETTERS_REPORT,    /* trace-cmd report -l: knows only d X, N, H h s */
};
struct ftrace_era {
    bool is_26rt;      /* pre-ftrace -rt latency_trace */
    bool has_lock_depth; /* the header names lock-depth */
    bool is_report;    /* trace-cmd report -l */
    bool is_pipelined; /* Dovetail: hard and in-band interrupt state are two things */
    bool has_hard_d;   /* Dovetail before 5.17: D is hard interrupts off alone, later # */
    size_t shortest;   /* token length seen so far; a longer one may hold a two-digit preempt depth */
};
/*
 * Flags of a token, and which of them its letters can tell. False if it is no flag token. Where a letter may lie
 * FLAG_DOUBTFUL is set.
 */
bool ftrace_flags_parse(const struct ftrace_era *era, const char *token, size_t length, uint32_t *flags,
                        uint32_t *known);
bool ftrace_token_is_flags(const char *token, size_t length);
/* The numbers that option verbose prints: TRACE_FLAG_* bits and preempt count. */
uint32_t ftrace_flags_from_numbers(unsigned bits, unsigned preempt_count);

/* ---- bodies (body*.c) ---- */

#define BODY_STRINGS 8
#define BODY_WORDS 24
/* One event's arguments, before they go into a batch. */
struct ftrace_event {
    unsigned kind, n_words, n_strings;
    uint32_t words[BODY_WORDS];
    struct {
        uint32_t word;
        const char *text;
        size_t length;
    } strings[BODY_STRINGS];
};
/* Begins an event of a kind with all arguments unknown. */
void ftrace_event_begin(struct ftrace_event *event, unsigned kind);
void ftrace_event_string(struct ftrace_event *event, unsigned word, const char *text, size_t length);

struct ftrace_task_note { /* a name the body states for a tid, or none (tid TID_UNKNOWN) */
    int32_t tid;
    const char *comm;
    size_t length;
};
/* What a row's body says. Always gives an event: at worst OTHER with the name and the text. */
void ftrace_body_parse(const struct ftrace_row *row, struct ftrace_event *event);
/* Bodies of an event whose name is known already: text is what follows "name: ". False: not understood. */
bool ftrace_body_parse_named(const struct ftrace_row *row, const char *name, size_t name_length, const char *text,
                             const char *end, struct ftrace_event *event);
/* Is the row's body one whose name promises arguments that its text does not give? Then the line was perhaps cut or wrapped. */
bool ftrace_body_is_incomplete(const struct ftrace_row *row);
/* Splits "name: text". False if the body has no name in front (function rows and the like). */
bool ftrace_body_split(const char *body, const char *end, const char **name, size_t *name_length, const char **text);

/* A body in words and conversions, e.g. "%0s:%1i [%2i] CPU:%3i": body_match.c explains. */
bool ftrace_match(const char *pattern, const char *text, const char *end, struct ftrace_event *event);
/* A body of "key=value" fields in the order of the kind's arguments: "comm pid prio target_cpu". */
bool ftrace_match_keys(const char *keys, const char *text, const char *end, struct ftrace_event *event);
/* Where argument i of the event's kind lies, and its type letter. */
char ftrace_argument(unsigned kind, unsigned i, unsigned *word);
/* Task states as the text has them ("S", "R+", "D|K") or as number ("0x1", "256"), to letters in a word. */
uint32_t ftrace_state_parse(const char *text, size_t length);

/* Special rows, each false if the body is none: body_tracers.c. */
bool ftrace_body_function(const char *body, const char *end, struct ftrace_event *event);
bool ftrace_body_wakeup(const char *body, const char *end, struct ftrace_event *event);
bool ftrace_body_hwlat(const char *body, const char *end, struct ftrace_event *event);
bool ftrace_body_osnoise(const char *body, const char *end, struct ftrace_event *event);
bool ftrace_body_timerlat(const char *body, const char *end, struct ftrace_event *event);
bool ftrace_body_26(const struct ftrace_row *row, struct ftrace_event *event);

/* ---- function graph (graph.c) ---- */

struct ftrace_graph_line {
    int64_t time;          /* ns, NS_UNKNOWN: no column for it */
    bool time_is_relative; /* of the REL TIME column */
    int32_t cpu;           /* CPU_UNKNOWN: no column */
    const char *comm;      /* NULL: no column */
    size_t comm_length;
    int32_t tid;           /* TID_UNKNOWN: no column */
    const char *token;
    size_t token_length;
    int64_t duration_ns;   /* NS_UNKNOWN: none printed */
    unsigned depth;
    bool depth_is_lost;    /* the blanks that tell it are gone */
    bool is_open;          /* a comment begins and does not end: the rest was wrapped */
    enum { GRAPH_ENTRY = 1, GRAPH_LEAF, GRAPH_EXIT, GRAPH_COMMENT, GRAPH_IRQ_ENTER, GRAPH_IRQ_EXIT } what;
    const char *name;      /* function; of a comment: its text */
    size_t name_length;    /* 0 for an exit that does not say */
};
bool ftrace_graph_parse(const char *text, size_t length, struct ftrace_graph_line *line);
/* Has the columns that a row begins with, the rest may be missing. */
bool ftrace_graph_begins(const char *text, size_t length);
/* The part behind the columns: "+ 37.626 us  |    name();" as trace-cmd report prints it. */
bool ftrace_graph_parse_tail(const char *text, const char *end, struct ftrace_graph_line *line);
/* " 1)  bash-12  =>  sshd-1755": the task that runs on the CPU from here on. */
bool ftrace_graph_switch(const char *text, size_t length, int32_t *cpu, const char **comm, size_t *comm_length,
                         int32_t *tid);

/* ---- headers (header.c) ---- */

struct ftrace_header {
    char tracer[32];       /* "" unknown */
    char kernel[96];
    char model[40];        /* the M: word */
    char comm[64];         /* of the task line */
    char started_at[128], ended_at[128];
    char text[160];        /* the latency line */
    uint64_t line;         /* where the latency line stands */
    int64_t latency_ns;    /* NS_UNKNOWN: none */
    uint64_t n_shown, n_written; /* COUNT_UNKNOWN */
    int32_t cpu, n_cpus, tid;
    enum policy policy;
    int32_t rt_priority;
    bool is_latency;       /* a latency header was seen */
    bool is_graph;
    bool has_lock_depth, is_26rt, has_columns;
    bool is_26vp;          /* v1.0.x of 2004: no columns for task and CPU */
    bool awaits_kernel; /* mail broke the title behind "on": the release is the next line */
};
void ftrace_header_init(struct ftrace_header *header);
/* Takes one header line. False: not a header line. */
bool ftrace_header_line(struct ftrace_header *header, const struct line *line);
/* Does a trace begin with this line? */
bool ftrace_header_begins(const struct line *line);
bool ftrace_dump_begins(const struct line *line); /* of a console dump */
/* The k-th line from here, if this trace has so many: what stands behind the begin of the next says nothing of this one. */
bool ftrace_peek_in_trace(struct lines *lines, size_t k, struct line *line);
/* Tracers whose header is a measured maximum: "irqsoff", "wakeup_rt" ... */
bool ftrace_tracer_measures(const char *tracer);
enum claim_section ftrace_tracer_section(const char *tracer);

#endif
