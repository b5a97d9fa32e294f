/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare, from traces: the wakeup path of each run step by step against the baseline's. Which steps were stretched
 * tells a lower frequency from cold caches and from a stall in one place (methods.md 4.2); without counters no such
 * answer is more than likely.
 */
#include "analyzers/analyzer.h"
#include "analyzers/path.h"

#include <math.h>
#include <string.h>

#define BODY_MATTERS 1.10 /* ratio of the medians from due to the next sleep */
#define BODY_MIN 100

struct pair {
    struct analysis *analysis;
    uint32_t run, baseline;
    const struct path_table *a, *b;
    struct path_comparison c;
};

static void add_ratios(const struct pair *p, struct finding *finding)
{
    struct findings *f = &p->analysis->findings;
    finding_number(f, finding, "typical_ratio", p->c.typical_ratio);
    finding_number(f, finding, "lowest_ratio", p->c.lowest);
    finding_number(f, finding, "highest_ratio", p->c.highest);
    finding_text(f, finding, "step", path_step_name(p->c.most));
    finding_integer(f, finding, "n_wakeups", (int64_t)p->b->n_activations);
    finding_integer(f, finding, "n_baseline", (int64_t)p->a->n_activations);
}

static void tell_shape(const struct pair *p)
{
    struct findings *f = &p->analysis->findings;
    static const struct {
        const char *code, *variant;
        enum confidence confidence;
    } rows[] = {[PATH_SHAPE_UNIFORM] = {"frequency", "path", CONFIDENCE_POSSIBLE},
                [PATH_SHAPE_COLD] = {"cache-miss", "path", CONFIDENCE_POSSIBLE},
                [PATH_SHAPE_ONE_STEP] = {"hardware-stall", "path", CONFIDENCE_POSSIBLE}};
    if (p->c.shape >= sizeof rows / sizeof *rows || !rows[p->c.shape].code)
        return;
    enum confidence confidence = rows[p->c.shape].confidence;
    double stretch = p->c.b_is_slower ? p->c.typical_ratio : 1 / p->c.typical_ratio;
    if (p->c.shape == PATH_SHAPE_COLD && stretch >= 1.5) /* most steps by half and more, the loops among them by little */
        confidence = CONFIDENCE_LIKELY;
    struct finding *finding = findings_add(f, rows[p->c.shape].code, SEVERITY_NOTE, confidence);
    finding->variant = p->c.b_is_slower ? "path" : "path-baseline";
    finding->run = p->c.b_is_slower ? p->run : p->baseline;
    add_ratios(p, finding);
}

static void tell_body(const struct pair *p)
{
    const struct path_step *a = &p->a->steps[STEP_DUE_REARM], *b = &p->b->steps[STEP_DUE_REARM];
    if (a->n < BODY_MIN || b->n < BODY_MIN) {
        a = &p->a->steps[STEP_DUE_SWITCH];
        b = &p->b->steps[STEP_DUE_SWITCH];
    }
    if (a->n < BODY_MIN || b->n < BODY_MIN)
        return;
    double ratio = b->median_ns / a->median_ns;
    if (ratio < BODY_MATTERS && ratio > 1 / BODY_MATTERS)
        return;
    struct findings *f = &p->analysis->findings;
    struct finding *finding = findings_add(f, ratio > 1 ? "body-regressed" : "body-improved", ratio > 1 ? SEVERITY_WARNING : SEVERITY_NOTE,
                                           CONFIDENCE_LIKELY);
    finding->variant = "path";
    finding->run = p->run;
    finding_integer(f, finding, "from_ns", (int64_t)a->median_ns);
    finding_integer(f, finding, "to_ns", (int64_t)b->median_ns);
    finding_number(f, finding, "change_pct", (ratio - 1) * 100);
}

static void add_metrics(struct analysis *analysis, const struct path_table *tables, size_t n_runs, uint32_t baseline)
{
    struct comparison *c = &analysis->comparison;
    struct metric *metrics = arena_array(&analysis->arena, c->n_metrics + N_PATH_STEPS, sizeof *metrics);
    if (c->n_metrics)
        memcpy(metrics, c->metrics, c->n_metrics * sizeof *metrics);
    c->metrics = metrics;
    for (size_t step = 0; step < N_PATH_STEPS; step++) {
        size_t n_known = 0;
        double *values = arena_array(&analysis->arena, n_runs, sizeof *values);
        for (size_t r = 0; r < n_runs; r++) {
            values[r] = tables[r].steps[step].n >= BODY_MIN ? tables[r].steps[step].median_ns : NAN;
            if (!isnan(values[r]))
                n_known++;
        }
        if (n_known < 2)
            continue;
        double other = values[baseline == n_runs - 1 ? 0 : n_runs - 1];
        metrics[c->n_metrics++] = (struct metric){.name = arena_format(&analysis->arena, "path:%s", path_step_name((enum path_step_id)step)),
                                                  .n_values = n_runs, .values = values, .ratio = other / values[baseline],
                                                  .low = NAN, .high = NAN, .p = NAN};
    }
}

static enum status paths_run(const struct store *store, const struct analysis_options *options, struct analysis *analysis,
                             struct error *error)
{
    bool has_events = false;
    for (size_t i = 0; i < store->n_streams; i++)
        has_events |= store->streams[i].n_events > 0 && !store->streams[i].clock_is_relative;
    if (store->n_runs < 2 || !has_events || options->baseline >= store->n_runs)
        return OK;
    struct path_table *tables = arena_array(&analysis->arena, store->n_runs, sizeof *tables);
    for (uint32_t run = 0; run < store->n_runs; run++)
        if (path_table_make(&tables[run], store, run, options->task, error) == FAILED)
            return FAILED;
    uint32_t baseline = options->baseline;
    if (!tables[baseline].n_activations)
        return OK;
    add_metrics(analysis, tables, store->n_runs, baseline);
    for (uint32_t run = 0; run < store->n_runs; run++) {
        if (run == baseline || !tables[run].n_activations)
            continue;
        struct pair p = {.analysis = analysis, .run = run, .baseline = baseline, .a = &tables[baseline], .b = &tables[run]};
        p.c = path_compare(p.a, p.b);
        tell_shape(&p);
        tell_body(&p);
    }
    return OK;
}

const struct analyzer analyzer_paths = {
    .name = "paths",
    .summary = "the wakeup path of traces, step by step, between runs",
    .jobs = JOB_COMPARE,
    .run = paths_run,
};
