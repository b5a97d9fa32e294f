/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces side by side: medians of every step of the wakeup's path, and what the stretching looks like (analyzers/path.h). */
#include <math.h>
#include <stdio.h>

#include "analyzers/compare.h"

#define LEAST_WAKEUPS 100
#define MATTERS       1.1 /* ratio of medians that are known within 2 % */

static bool run_has_events(const struct store *store, uint32_t run)
{
    for (size_t i = 0; i < store->n_streams; i++)
        if (store->streams[i].run == run && store->streams[i].n_events > 1000)
            return true;
    return false;
}

static double span_of(const struct store *store, uint32_t run)
{
    double span = 0;
    for (size_t i = 0; i < store->n_streams; i++)
        if (store->streams[i].run == run && store->streams[i].begin_ns != NS_UNKNOWN && store->streams[i].end_ns != NS_UNKNOWN)
            span = fmax(span, (double)(store->streams[i].end_ns - store->streams[i].begin_ns));
    return span;
}

enum status compare_read_traces(struct compare *compare, struct error *error)
{
    for (size_t i = 0; i < compare->n_runs; i++) {
        struct measured_run *m = &compare->runs[i];
        if (!run_has_events(compare->store, m->run))
            continue;
        if (path_table_make(&m->steps, compare->store, m->run, compare->options->task, error) == FAILED)
            return FAILED;
        uint64_t n = m->steps.n_activations + m->steps.n_left_out;
        if (isnan(m->interval_ns) && n >= LEAST_WAKEUPS) /* to the ten microseconds: of a trace, not of a command */
            m->interval_ns = round(span_of(compare->store, m->run) / (double)n / 1e4) * 1e4;
    }
    return OK;
}

/* The first run of a side with a table, or NULL. */
static const struct measured_run *traced(const struct compare *compare, uint32_t side)
{
    const struct side *s = &compare->sides[side];
    for (size_t i = 0; i < s->n_members; i++)
        if (compare->runs[s->members[i]].steps.n_activations >= LEAST_WAKEUPS)
            return &compare->runs[s->members[i]];
    return NULL;
}

bool compare_has_traces(const struct compare *compare)
{
    size_t n = 0;
    for (uint32_t side = 0; side < compare->n_sides; side++)
        n += traced(compare, side) != NULL;
    return n >= 2 && traced(compare, compare->baseline);
}

void compare_trace_metrics(struct compare *compare)
{
    const struct measured_run *a = traced(compare, compare->baseline);
    for (enum path_step_id step = 0; step < N_PATH_STEPS; step++) {
        char name[96];
        bool any = false;
        for (size_t i = 0; i < compare->n_runs; i++)
            any |= compare->runs[i].steps.steps[step].n >= LEAST_WAKEUPS && compare->runs[i].steps.n_activations >= LEAST_WAKEUPS;
        if (!any)
            continue;
        snprintf(name, sizeof name, "path:%s", path_step_name(step));
        struct metric *metric = compare_add_metric(compare, name);
        for (size_t i = 0; i < compare->n_runs; i++)
            if (compare->runs[i].steps.n_activations >= LEAST_WAKEUPS && compare->runs[i].steps.steps[step].n >= LEAST_WAKEUPS)
                metric->values[i] = compare->runs[i].steps.steps[step].median_ns;
        for (uint32_t side = 0; side < compare->n_sides; side++) {
            const struct measured_run *b = traced(compare, side);
            if (side == compare->baseline || !b || a->steps.steps[step].n < LEAST_WAKEUPS || b->steps.steps[step].n < LEAST_WAKEUPS)
                continue;
            double ratio = b->steps.steps[step].median_ns / a->steps.steps[step].median_ns;
            if (isnan(metric->ratio) || ratio > metric->ratio)
                metric->ratio = ratio;
        }
    }
}

/* What the stretching of the slower side's path looks like. Without counters no such answer is more than likely. */
static void tell_shape(struct compare *compare, uint32_t side, const struct path_table *a, const struct path_table *b,
                       const struct path_comparison *c)
{
    static const char *const codes[] = {[PATH_SHAPE_UNIFORM] = "frequency", [PATH_SHAPE_COLD] = "cache-miss",
                                        [PATH_SHAPE_ONE_STEP] = "hardware-stall"};
    struct findings *out = &compare->analysis->findings;
    if (c->shape >= sizeof codes / sizeof *codes || !codes[c->shape])
        return;
    double stretch = c->b_is_slower ? c->typical_ratio : 1 / c->typical_ratio;
    /* Most steps by half and more, the loops among them by little: nothing but cold code and data does that. */
    bool is_clear = c->shape == PATH_SHAPE_COLD && stretch >= 1.5;
    struct finding *finding = findings_add(out, codes[c->shape], SEVERITY_NOTE, is_clear ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE);
    finding->variant = c->b_is_slower ? "path" : "path-baseline";
    finding->run = compare->sides[c->b_is_slower ? side : compare->baseline].first_run;
    finding_number(out, finding, "typical_ratio", c->typical_ratio);
    finding_number(out, finding, "lowest_ratio", c->lowest);
    finding_number(out, finding, "highest_ratio", c->highest);
    finding_text(out, finding, "step", path_step_name(c->most));
    finding_count(out, finding, "n_wakeups", b->n_activations);
    finding_count(out, finding, "n_baseline", a->n_activations);
}

void compare_trace_difference(struct compare *compare, uint32_t side, struct difference *d)
{
    const struct measured_run *a = traced(compare, compare->baseline), *b = traced(compare, side);
    if (!a || !b)
        return;
    bool alone = !compare->has_series;
    if (alone)
        *d = (struct difference){.body_p = NAN, .tail_p = NAN, .body_from_ns = NAN, .body_to_ns = NAN, .tail_level = NAN,
                                 .tail_from_ns = NAN, .tail_to_ns = NAN, .by_trace = true};
    static const enum path_step_id whole[] = {STEP_DUE_REARM, STEP_DUE_SWITCH};
    for (size_t i = 0; i < 2 && alone && d->body == 0; i++) {
        const struct path_step *x = &a->steps.steps[whole[i]], *y = &b->steps.steps[whole[i]];
        if (x->n < LEAST_WAKEUPS || y->n < LEAST_WAKEUPS)
            continue;
        double ratio = y->median_ns / x->median_ns;
        d->body = ratio >= MATTERS ? 1 : ratio <= 1 / MATTERS ? -1 : 0;
        d->body_from_ns = x->median_ns;
        d->body_to_ns = y->median_ns;
        d->body_confidence = CONFIDENCE_LIKELY;
        break;
    }
    struct path_comparison shape = path_compare(&a->steps, &b->steps);
    tell_shape(compare, side, &a->steps, &b->steps, &shape);
}
