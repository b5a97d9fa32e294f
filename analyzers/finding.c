/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct finding *findings_add(struct findings *findings, const char *code, enum severity severity,
                             enum confidence confidence)
{
    struct finding *finding = arena_new(findings->arena, sizeof *finding);
    finding->code = code;
    finding->variant = "";
    finding->severity = severity;
    finding->confidence = confidence;
    finding->run = finding->series = ROW_NONE;
    finding->cpu = CPU_UNKNOWN;
    memory_reserve(findings->items, findings->capacity, findings->n + 1);
    findings->items[findings->n++] = finding;
    return finding;
}

/* Findings have a handful of values: the array grows by one, the old one stays in the arena. */
static struct value *add_value(struct findings *findings, struct finding *finding, const char *key,
                               enum value_kind kind)
{
    struct value *values = arena_array(findings->arena, finding->n_values + 1, sizeof *values);
    if (finding->n_values)
        memcpy(values, finding->values, finding->n_values * sizeof *values);
    finding->values = values;
    struct value *value = &values[finding->n_values++];
    value->key = key;
    value->kind = kind;
    return value;
}

void finding_integer(struct findings *findings, struct finding *finding, const char *key, int64_t value)
{
    add_value(findings, finding, key, VALUE_INTEGER)->integer = value;
}

void finding_count(struct findings *findings, struct finding *finding, const char *key, uint64_t n)
{
    if (n <= INT64_MAX)
        finding_integer(findings, finding, key, (int64_t)n);
}

void finding_rounded(struct findings *findings, struct finding *finding, const char *key, double value)
{
    if (fabs(value) < 9e18)
        finding_integer(findings, finding, key, (int64_t)llround(value));
}

void finding_number(struct findings *findings, struct finding *finding, const char *key, double value)
{
    add_value(findings, finding, key, VALUE_NUMBER)->number = value;
}

void finding_text(struct findings *findings, struct finding *finding, const char *key, const char *value)
{
    add_value(findings, finding, key, VALUE_TEXT)->text = arena_string(findings->arena, value);
}

void finding_evidence(struct findings *findings, struct finding *finding, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char **evidence = arena_array(findings->arena, finding->n_evidence + 1, sizeof *evidence);
    if (finding->n_evidence)
        memcpy(evidence, finding->evidence, finding->n_evidence * sizeof *evidence);
    evidence[finding->n_evidence++] = arena_string(findings->arena, text);
    finding->evidence = evidence;
}

bool findings_have(const struct findings *findings, const char *code, uint32_t run)
{
    for (size_t i = 0; i < findings->n; i++)
        if (findings->items[i]->run == run && !strcmp(findings->items[i]->code, code))
            return true;
    return false;
}
