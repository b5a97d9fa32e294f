/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How it was measured: what the command asked for, priority, length, load, the mode of its threads, its timer. */
#include "analyzers/conditions_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/series_shape.h"

/* ---- priority and policy ---- */

int32_t run_priority(const struct store *store, uint32_t run, bool *is_cokernel)
{
    int32_t highest = PRIO_UNKNOWN;
    *is_cokernel = false;
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const struct series *s = &store->series[i];
        *is_cokernel |= series_is_cokernel(store, s);
        if (s->priority != PRIO_UNKNOWN && s->priority > highest)
            highest = s->priority;
    }
    return highest;
}

/* What the command asked for against what the output shows. */
enum condition judge_command(const struct store *store, uint32_t run, struct findings *out)
{
    if (findings_have(out, "command-mismatch", run))
        return CONDITION_BAD;
    bool is_cokernel;
    int64_t stated;
    int32_t priority = run_priority(store, run, &is_cokernel);
    if (fact_integer(run_tool_fact(store, run, "priority"), &stated) && priority != PRIO_UNKNOWN && stated != priority) {
        struct finding *finding = condition_tell(out, "command-mismatch", "priority", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding_integer(out, finding, "n_stated", stated);
        finding_integer(out, finding, "n_found", priority);
        return CONDITION_BAD;
    }
    int64_t loops;
    if (fact_integer(run_tool_fact(store, run, "loops"), &loops) && loops > 0) {
        struct row_range rows = store_series_of_run(store, run);
        for (uint32_t i = rows.begin; i < rows.end; i++) {
            const struct series *s = &store->series[i];
            /* A run that ended early has fewer; more than asked for belongs to another command. */
            if (s->n_samples == COUNT_UNKNOWN || s->n_samples <= (uint64_t)loops + (uint64_t)loops / 100)
                continue;
            struct finding *finding = condition_tell(out, "command-mismatch", "loops", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
            finding->series = i;
            finding_integer(out, finding, "n_stated", loops);
            finding_count(out, finding, "n_found", s->n_samples);
            return CONDITION_BAD;
        }
    }
    return CONDITION_GOOD;
}

/* A wakeup tracer's maximum is of whatever task was late, not of one that measures. */
static bool series_is_of_tracer(const struct series *s)
{
    return s->tool && (!strcmp(s->tool, "ftrace") || !strcmp(s->tool, "latency_trace"));
}

enum condition judge_priority(const struct store *store, uint32_t run, struct findings *out)
{
    bool is_cokernel;
    int32_t priority = run_priority(store, run, &is_cokernel);
    if (is_cokernel)
        return CONDITION_GOOD;
    enum condition worst = CONDITION_UNKNOWN;
    bool any_measures = false, any_tracer = false;
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const struct series *s = &store->series[i];
        if (s->path != PATH_TIMER_WAKEUP)
            continue;
        any_tracer |= series_is_of_tracer(s);
        if (series_is_of_tracer(s))
            continue;
        any_measures = true;
        bool is_plain = s->policy == POLICY_OTHER || s->policy == POLICY_BATCH || s->policy == POLICY_IDLE;
        if (is_plain) {
            struct finding *finding = condition_tell(out, "priority-low", "policy", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
            finding->series = i;
            finding_text(out, finding, "policy", policy_name(s->policy));
            return CONDITION_BAD;
        }
        if (s->priority != PRIO_UNKNOWN || s->policy == POLICY_DEADLINE)
            worst = CONDITION_GOOD;
    }
    if (any_tracer && !any_measures)
        return CONDITION_UNKNOWN;
    if (worst != CONDITION_GOOD || priority == PRIO_UNKNOWN || priority > 50)
        return worst;
    /* Threaded interrupts run at FIFO 50 unless somebody changed them. */
    struct finding *finding = condition_tell(out, "priority-low", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_integer(out, finding, "n_priority", priority);
    return CONDITION_BAD;
}

/* ---- length ---- */

enum condition judge_length(const struct store *store, uint32_t run, struct findings *out)
{
    int64_t longest = NS_UNKNOWN;
    uint64_t most = COUNT_UNKNOWN;
    bool few_count = false;
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const struct series *s = &store->series[i];
        /* One header of a latency tracer is no run; block maxima count by their time. */
        if (s->path == PATH_SECTION && s->n_samples == 1)
            continue;
        int64_t duration = series_duration_ns(s);
        if (duration != NS_UNKNOWN && (longest == NS_UNKNOWN || duration > longest))
            longest = duration;
        if (s->n_samples != COUNT_UNKNOWN && s->n_samples > 0 && (most == COUNT_UNKNOWN || s->n_samples > most))
            most = s->n_samples;
        few_count |= !s->is_block_maxima && s->path != PATH_NOISE;
    }
    bool is_short = longest != NS_UNKNOWN && longest < INT64_C(60000000000);
    bool is_few = few_count && most != COUNT_UNKNOWN && most < 10000;
    if (!is_short && !is_few)
        return longest == NS_UNKNOWN && most == COUNT_UNKNOWN ? CONDITION_UNKNOWN : CONDITION_GOOD;
    struct finding *finding = condition_tell(out, "run-too-short", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    if (longest != NS_UNKNOWN)
        finding_integer(out, finding, "duration_ns", longest);
    if (most != COUNT_UNKNOWN)
        finding_count(out, finding, "n_samples", most);
    return CONDITION_BAD;
}

enum condition judge_load(const struct store *store, uint32_t run, struct findings *out)
{
    if (run_fact(store, run, "load.command|load.kind|load"))
        return CONDITION_GOOD;
    const char *load = run_fact(store, run, "load.average");
    if (!load)
        return CONDITION_UNKNOWN;
    double average = strtod(load, NULL);
    if (average >= 1)
        return CONDITION_GOOD;
    struct finding *finding = condition_tell(out, "load-missing", "", SEVERITY_NOTE, CONFIDENCE_LIKELY, run);
    finding_number(out, finding, "load", average);
    return CONDITION_BAD;
}

/* ---- co-kernels ---- */

/* Mode switches of a thread that should stay in the primary domain while it measured. */
enum condition judge_secondary(const struct store *store, uint32_t run, struct findings *out)
{
    enum condition seen = CONDITION_UNKNOWN;
    for (size_t i = 0; i < store->n_counters; i++) {
        const struct counter *c = &store->counters[i];
        if (c->run != run || !c->name || strcasecmp(c->name, "MSW") != 0 || !c->scope || strstr(c->scope, "ROOT") || strstr(c->scope, "IRQ"))
            continue;
        seen = CONDITION_GOOD;
        /* One switch or two belong to the start; a delta between snapshots does not. */
        if (!c->delta.is_known || decimal_value(c->delta) <= 0)
            continue;
        struct finding *finding = condition_tell(out, "secondary-mode", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding->subject = arena_string(out->arena, c->scope);
        finding_rounded(out, finding, "n_switches", decimal_value(c->delta));
        return CONDITION_BAD;
    }
    return seen;
}

/* Cobalt fires its timer early by its gravity; a clearly negative minimum is a gravity set too large. */
enum condition judge_timer(const struct store *store, uint32_t run, struct findings *out)
{
    bool any = false;
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const struct series *s = &store->series[i];
        if (!series_is_cokernel(store, s) || s->min_ns == NS_UNKNOWN)
            continue;
        any = true;
        if (s->min_ns >= -1000)
            continue;
        struct finding *finding = condition_tell(out, "timer-not-calibrated", "", SEVERITY_NOTE, CONFIDENCE_LIKELY, run);
        finding->series = i;
        finding_integer(out, finding, "min_ns", s->min_ns);
        return CONDITION_BAD;
    }
    return any ? CONDITION_GOOD : CONDITION_UNKNOWN;
}
