/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of a run file that are few: runs, artefacts, facts, series, histograms, counters, claims, gaps ...
 * (Samples and events are many: store/samples.h and store/events.h.)
 *
 * Strings are UTF-8 as found (damaged bytes kept), NULL when unknown. Times are ns in the clock of the
 * stream or artefact that the row names. Unknown numbers are the sentinels below, never 0.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "store/vocabulary.h"

#define NS_UNKNOWN    INT64_MIN  /* a time or duration */
#define NS_LIMIT      (INT64_MAX / 2) /* 146 years: no event's stamp lies beyond it on either side, no row's time or length */
#define COUNT_UNKNOWN UINT64_MAX /* a count */
#define TID_UNKNOWN   INT32_MIN  /* tid 0 is the idle task */
#define CPU_UNKNOWN   (-1)
#define PRIO_UNKNOWN  INT32_MIN
#define ROW_NONE      UINT32_MAX /* no such row: index of a run, artefact, series ... */

/* The nearest ns; NS_UNKNOWN if that is no number or too far. */
static inline int64_t ns_rounded(double ns)
{
    return fabs(ns) < (double)NS_LIMIT ? (int64_t)llround(ns) : NS_UNKNOWN;
}

/* One measurement on one machine. */
struct run {
    const char *label; /* path of its first artefact, made unique */
    uint32_t group;    /* which INPUT of the command line it came from, from 0 */
};

/* One input file, or standard input ("-"), or a member of an archive ("a.tar.gz:dir/trace.dat"). */
struct artefact {
    uint32_t run;             /* the first run it gave rows to */
    const char *path;
    const char *format;       /* importer's name, "cyclictest" */
    const char *tool_version; /* as the file states it */
    uint64_t size_bytes;
    char sha256[65];          /* hex; "" when not computed */
};

/* Something odd about an artefact, counted. Codes are finding codes ("damaged-lines", "unit-assumed" ...). */
struct note {
    uint32_t artefact, run; /* run may be ROW_NONE */
    const char *code;
    uint64_t count;
    uint64_t first_line; /* 1-based line, or byte offset of a binary file; 0: none */
    const char *text;    /* for people, without the path */
};

/* One environment statement, e.g. "kernel.release" = "6.1.0-18-rt-amd64". */
struct fact {
    uint32_t run, artefact; /* artefact ROW_NONE: stated with --set */
    const char *key, *value;
};

/* One measuring thread or column. */
struct series {
    uint32_t run, artefact;
    const char *name;         /* "T0", "cpu 1 irq", "RTD" ... unique in its run together with the tool */
    const char *tool;         /* "cyclictest" */
    const char *tool_version; /* or NULL: the artefact's */
    enum measure_path path;
    int32_t tid;
    const char *comm;
    int32_t cpu;
    enum policy policy;
    int32_t priority; /* user scale: 1..99 for FIFO/RR, nice is not a priority */
    int64_t interval_ns;
    int64_t resolution_ns; /* of the values: 1000 for a tool that prints whole us */
    uint64_t n_samples;    /* including overflows */
    int64_t min_ns, max_ns;
    double avg_ns; /* NAN: unknown */
    uint64_t n_overflow;
    int64_t overflow_limit_ns; /* first value that overflows */
    uint64_t n_stated_lost;    /* periods that the tool itself reports lost or overrun */
    uint64_t n_requested;      /* cycles asked for (-l), or what interval and duration give */
    int64_t duration_ns;       /* length of the measurement */
    int64_t start_ns;          /* start after the first series of its run, if known */
    enum omission omission;
    enum bin_edge bin_edge;
    int64_t bin_width_ns;
    bool max_is_lower_bound; /* the true maximum was capped or dropped by the tool */
    bool is_cut;             /* the tool's output ends early: interrupted, truncated */
    bool has_times;          /* its samples carry times (else only an order) */
    bool is_block_maxima;    /* each sample is the maximum of a block: hwlat lines, HSD max, "new maximum" lines */
    const char *unit_evidence; /* why the unit is what it is, when the file does not state it */
};

/* One bin of a histogram: low_ns is the LOWER edge of the bin (BIN_EXACT: the value). Sorted, count > 0. */
struct bin {
    int64_t low_ns;
    uint64_t count;
};

/* A decimal number as a source printed it: mantissa / 10^digits. */
struct decimal {
    int64_t mantissa;
    uint8_t digits;
    bool is_known;
};
struct decimal decimal_parse(const char *text, size_t length); /* not a number: is_known false */
double decimal_value(struct decimal d);

/* One cell of a table such as /proc/interrupts. */
struct counter {
    uint32_t run, artefact;
    const char *source;  /* "proc/interrupts" */
    uint32_t snapshot;   /* 0, 1, ... */
    const char *scope;   /* the row: irq, CPU, thread */
    const char *name;    /* the column */
    struct decimal value;
    struct decimal delta; /* against the snapshot before, wraps undone */
};

/* A span where events are known to be lost, or the trace was off or had not begun. */
struct gap {
    uint32_t run, stream;
    int32_t cpu;               /* CPU_UNKNOWN: all */
    int64_t begin_ns, end_ns;  /* NS_UNKNOWN: open at that side */
    uint64_t n_lost;           /* COUNT_UNKNOWN */
    const char *reason;        /* "overrun", "buffer started", "tracing off" ... */
};

/* The same instant in two clocks. */
struct clock_pair {
    uint32_t run;
    const char *clock_a, *clock_b;
    int64_t a_ns, b_ns, error_ns;
};

/* A name for a tid that the source states for no particular time (saved_cmdlines, tables of threads). */
struct task {
    uint32_t run, artefact;
    int32_t tid;
    const char *comm;
    enum policy policy;
    int32_t rt_priority; /* 1..99 user scale, or PRIO_UNKNOWN */
    int32_t cpu;         /* if it is bound to one */
};

/* One buffer of one trace: the owner of event chunks. */
struct stream {
    uint32_t run, artefact;
    const char *name;          /* buffer instance, "" for the main one */
    /*
     * "local", "global", "mono", "ipipe" ...; NULL unknown. Two are no times: "counter" (an order; so is any clock whose
     * resolution is unknown), and "rebuilt" (durations added up: a lower bound).
     */
    const char *clock;
    bool clock_is_relative;    /* latency tracers: 0 is the start of the trace */
    int64_t resolution_ns;     /* 1, 1000 ...; of the printed stamps */
    const char *tracer;        /* "nop", "irqsoff", "wakeup_rt", "function_graph", "ipipe" ... */
    const char *kernel;        /* release from its header */
    const char *preempt_model; /* header's M: word ("preempt", "desktop", "preempt_rt", "PREEMPT(lazy)" ...) */
    int32_t n_cpus;            /* as the header says, or -1 */
    uint64_t n_shown, n_written; /* entries in buffer / written, as the header says; COUNT_UNKNOWN */
    uint64_t n_events;         /* without stacks; filled by the writer */
    int64_t begin_ns, end_ns;  /* first and last event; filled by the writer */
    int32_t n_cpus_seen;       /* filled by the writer */
};

/* The header announces more entries than there are. */
static inline bool stream_lacks_entries(const struct stream *stream)
{
    return stream->n_shown != COUNT_UNKNOWN && stream->n_events < stream->n_shown;
}

/* Are its stamps times? Counters are an order; ticks of a rate that the source does not tell are no ns. */
static inline bool stream_has_times(const struct stream *stream)
{
    const char *clock = stream->clock;
    if (!clock)
        return true;
    if (strncmp(clock, "counter", 7) == 0 || strcmp(clock, "rebuilt") == 0)
        return false;
    return stream->resolution_ns != NS_UNKNOWN || (strncmp(clock, "uptime", 6) != 0 && strncmp(clock, "x86-tsc", 7) != 0);
}

/* What a source itself says about one late instance: a break mark, a tracer's header, rtla's ledger, a freeze. */
enum claim_kind {
    CLAIM_MARK = 1,      /* text in the trace: "hit latency threshold (117 > 100)" */
    CLAIM_TRACER_HEADER, /* "# latency: 253 us" of irqsoff, wakeup_rt ... */
    CLAIM_FREEZE,        /* I-pipe max or frozen */
    CLAIM_REPORT,        /* rtla auto-analysis: with parts */
    CLAIM_CONSOLE,       /* "new 1003 us maximum-latency wakeup" */
    CLAIM_SAMPLE,        /* timerlat/osnoise/hwlat sample lines, spikes: latency with a time */
    CLAIM_LOG,           /* the kernel's log: a handler that ran too long, a CPU that was stuck; of any time since boot */
};
enum claim_section {
    SECTION_UNKNOWN = 0, SECTION_WAKEUP, SECTION_TIMER_IRQ, SECTION_TIMER_THREAD, SECTION_IRQS_OFF,
    SECTION_PREEMPT_OFF, SECTION_PREEMPT_IRQS_OFF, SECTION_SILENCE, SECTION_BLOCKED
};
/* The classes in which tools split a latency: those of rtla timerlat's auto-analysis (tools/tracing/rtla/src/timerlat_aa.c). */
enum part_kind {
    PART_IRQ_HANDLER_DELAY = 1, PART_PREVIOUS_IRQ, PART_TIMER_IRQ, PART_BLOCKING_THREAD, PART_NMI, PART_IRQ,
    PART_SOFTIRQ, PART_THREAD, PART_IDLE_EXIT, PART_HARDWARE, PART_OTHER
};
struct claim_part {
    enum part_kind kind;
    const char *subject; /* "local_timer:236", "insync:4048" */
    int64_t amount_ns;   /* NS_UNKNOWN if the source gives none */
    bool is_inferred;    /* the source guesses ("exit from idle") */
    bool is_upper_bound; /* "up to" */
    bool is_total_of_following; /* a heading whose rows follow as parts of their own: do not add both */
};
struct claim {
    uint32_t run, artefact;
    uint64_t line;   /* where it stands */
    enum claim_kind kind;
    enum claim_section section;
    uint32_t series; /* that it belongs to, or ROW_NONE */
    uint32_t stream; /* whose events show it, or ROW_NONE */
    int32_t cpu, tid;
    const char *comm;
    enum policy policy;
    int32_t rt_priority;
    int64_t latency_ns;         /* NS_UNKNOWN: a report without its total */
    int64_t time_ns;            /* in the stream's clock: of the mark or the sample */
    int64_t begin_ns, end_ns;   /* of the section in the stream's clock, when known */
    int64_t irq_latency_ns;     /* timerlat: the IRQ part of a thread latency */
    const char *started_at, *ended_at; /* functions of *off tracers, I-pipe begin/end functions */
    const char *text;           /* the source's words, one line */
    size_t n_parts;
    const struct claim_part *parts;
    size_t n_stack;
    const char *const *stack;   /* innermost first; of the blocking thread or the section */
};

#endif
