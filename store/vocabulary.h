/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words that the run file and all layers above it share. Each list is closed; *_name() gives the JSON word. */
#ifndef STORE_VOCABULARY_H
#define STORE_VOCABULARY_H

#include <stdbool.h>

/* What a series measured: `path` of the document. */
#define MEASURE_PATHS(X)                                                                                     \
    X(TIMER_WAKEUP, "timer-wakeup")                                                                          \
    X(IRQ_HANDLER, "irq-handler")                                                                            \
    X(IRQ_RESPONSE, "irq-response")                                                                          \
    X(CALL_DURATION, "call-duration")                                                                        \
    X(SECTION, "section")                                                                                    \
    X(NOISE, "noise")
enum measure_path {
    PATH_UNKNOWN = 0,
#define X(id, name) PATH_##id,
    MEASURE_PATHS(X)
#undef X
};
const char *measure_path_name(enum measure_path path); /* NULL for unknown */

/* Scheduling policies, by the kernel's names. */
enum policy {
    POLICY_UNKNOWN = 0, POLICY_OTHER, POLICY_FIFO, POLICY_RR, POLICY_BATCH, POLICY_IDLE, POLICY_DEADLINE,
    POLICY_COBALT /* a Cobalt or EVL thread, FIFO unless said otherwise */
};
const char *policy_name(enum policy policy);              /* "fifo"; NULL for unknown */
enum policy policy_from_name(const char *name);           /* "fifo", "SCHED_FIFO", "rr" ...; else unknown */

/* What a tool does with periods that a stall swallowed: decides how runs can be compared ("coordinated omission"). */
enum omission { OMISSION_UNKNOWN = 0, OMISSION_SKIPS, OMISSION_REPLAYS, OMISSION_NONE };

/* Which values a bin labelled b of width w holds. Importers store LOWER edges; this says what the label meant. */
enum bin_edge {
    BIN_FLOOR = 0, /* [b, b+w): truncated values, as cyclictest's */
    BIN_CEIL,      /* (b-w, b] */
    BIN_CENTRE,    /* [b-w/2, b+w/2) */
    BIN_EXACT      /* values, not bins */
};

/* Severity and confidence of findings; confidence also of causes. */
enum severity { SEVERITY_NOTE = 0, SEVERITY_WARNING, SEVERITY_ERROR };
enum confidence { CONFIDENCE_UNKNOWN = 0, CONFIDENCE_POSSIBLE, CONFIDENCE_LIKELY, CONFIDENCE_PROVEN };
const char *severity_name(enum severity severity);
const char *confidence_name(enum confidence confidence);

#endif
