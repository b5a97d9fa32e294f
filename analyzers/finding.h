/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings: what analyzers say. They carry codes, numbers, spans and evidence; sentences are made in report/.
 * Everything lives in the arena of the struct analysis that owns it.
 */
#ifndef ANALYZERS_FINDING_H
#define ANALYZERS_FINDING_H

#include "base/memory.h"
#include "store/store.h"

/* A named number or word of a finding. Keys end in their unit ("max_ns", "n_lost", "share_pct"); p is "p". */
enum value_kind { VALUE_NUMBER, VALUE_INTEGER, VALUE_TEXT };
struct value {
    const char *key;
    enum value_kind kind;
    double number;
    int64_t integer;
    const char *text;
    bool is_least; /* no less than that, how much more is unknown */
};

struct finding {
    const char *code;      /* docs/findings.md lists all; a cause's name */
    const char *variant;   /* which sentence of the code fits ("" default): report/ looks up code:variant */
    enum severity severity;
    enum confidence confidence;
    uint32_t run, series;  /* ROW_NONE: none */
    int32_t cpu;           /* CPU_UNKNOWN: none */
    const char *subject;   /* what or who */
    size_t n_values, n_evidence;
    struct value *values;  /* in the order added */
    const char **evidence; /* references a reader can look up: "trace.dat cpu 1 events 120-131", "line 42" */
};

struct findings {
    struct arena *arena;
    size_t n, capacity;
    struct finding **items;
};

/* A new finding with nothing but its code, severity and confidence; fill run, series, cpu, subject directly. */
struct finding *findings_add(struct findings *findings, const char *code, enum severity severity,
                             enum confidence confidence);
void finding_integer(struct findings *findings, struct finding *finding, const char *key, int64_t value);
/* Nothing is added if it is unknown or beyond what an integer of JSON holds. */
void finding_count(struct findings *findings, struct finding *finding, const char *key, uint64_t n);
/* The nearest integer; nothing is added if the number is none or beyond what an integer holds. */
void finding_rounded(struct findings *findings, struct finding *finding, const char *key, double value);
void finding_number(struct findings *findings, struct finding *finding, const char *key, double value);
void finding_text(struct findings *findings, struct finding *finding, const char *key, const char *value);
void finding_evidence(struct findings *findings, struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool findings_have(const struct findings *findings, const char *code, uint32_t run);

#endif
