/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is one side better than the other, by how much, how sure, and is the comparison fair? */
#include "analyzers/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyzers/stats/twosample.h"
#include "base/text.h"

static struct finding *add(const struct compare *compare, uint32_t side, const char *code, const char *variant,
                           enum severity severity, enum confidence confidence)
{
    struct finding *finding = findings_add(&compare->analysis->findings, code, severity, confidence);
    finding->variant = variant;
    finding->run = compare->sides[side].first_run;
    return finding;
}

static void put_maximum(const struct compare *compare, struct finding *finding, const char *key, const struct side *side)
{
    size_t n_before = finding->n_values;
    finding_rounded(&compare->analysis->findings, finding, key, side->max_ns);
    if (finding->n_values > n_before)
        finding->values[n_before].is_least = side->max_is_lower_bound;
}

enum confidence compare_weaken(enum confidence confidence, int gravest)
{
    if (gravest >= 3 && confidence > CONFIDENCE_POSSIBLE)
        return CONFIDENCE_POSSIBLE;
    if (gravest >= 2 && confidence > CONFIDENCE_LIKELY)
        return CONFIDENCE_LIKELY;
    return confidence;
}

static void tell_body(const struct compare *compare, uint32_t side, const struct difference *d, int gravest)
{
    struct findings *out = &compare->analysis->findings;
    if (d->body == 0)
        return;
    struct finding *finding = add(compare, side, d->body > 0 ? "body-regressed" : "body-improved",
                                  d->by_trace ? "path" : d->by_runs ? "ranks" : "",
                                  d->body > 0 ? SEVERITY_WARNING : SEVERITY_NOTE, compare_weaken(d->body_confidence, gravest));
    finding_rounded(&compare->analysis->findings, finding, "from_ns", d->body_from_ns);
    finding_rounded(&compare->analysis->findings, finding, "to_ns", d->body_to_ns);
    finding_number(out, finding, "change_pct", (d->body_to_ns / d->body_from_ns - 1) * 100);
    if (!isnan(d->body_p))
        finding_number(out, finding, "p", d->body_p);
    if (d->is_uniform) {
        finding = add(compare, side, "uniform-shift", "", SEVERITY_NOTE, compare_weaken(CONFIDENCE_LIKELY, gravest));
        finding_rounded(&compare->analysis->findings, finding, "shift_ns", d->shift_ns);
    }
}

static void tell_tail(const struct compare *compare, uint32_t side, const struct difference *d, int gravest)
{
    struct findings *out = &compare->analysis->findings;
    if (d->tail == 0)
        return;
    struct finding *finding = add(compare, side, d->tail > 0 ? "tail-regressed" : "tail-improved",
                                  d->by_blocks ? "blocks" : d->by_runs ? "ranks" : isnan(d->tail_from_ns + d->tail_to_ns) ? "hidden" : "",
                                  d->tail > 0 ? SEVERITY_WARNING : SEVERITY_NOTE, compare_weaken(d->tail_confidence, gravest));
    if (!isnan(d->tail_level)) {
        finding->subject = arena_format(out->arena, "%.10g %%", d->tail_level * 100);
        finding_number(out, finding, "level", d->tail_level);
    }
    finding_rounded(&compare->analysis->findings, finding, "from_ns", d->tail_from_ns);
    finding_rounded(&compare->analysis->findings, finding, "to_ns", d->tail_to_ns);
    if (isfinite(d->tail_to_ns / d->tail_from_ns))
        finding_number(out, finding, "change_pct", (d->tail_to_ns / d->tail_from_ns - 1) * 100);
    if (!isnan(d->tail_p))
        finding_number(out, finding, "p", d->tail_p);
}

static void tell_length(const struct compare *compare, uint32_t side, const struct difference *d)
{
    const struct side *a = &compare->sides[compare->baseline], *b = &compare->sides[side];
    struct findings *out = &compare->analysis->findings;
    if (!d->length_differs)
        return;
    struct finding *finding = add(compare, side, "length-differs", d->length_explains ? "explains" : "", SEVERITY_WARNING, CONFIDENCE_PROVEN);
    finding_rounded(out, finding, "n_samples", b->n_per_series);
    finding_rounded(out, finding, "n_baseline", a->n_per_series);
    put_maximum(compare, finding, "from_ns", a);
    put_maximum(compare, finding, "to_ns", b);
    finding_number(out, finding, "chance_pct", 100 * p_longer_run_wins(fmin(a->n_per_series, b->n_per_series), fmax(a->n_per_series, b->n_per_series)));
}

static void tell_nothing(const struct compare *compare, uint32_t side, const struct difference *d)
{
    const struct side *a = &compare->sides[compare->baseline], *b = &compare->sides[side];
    if (d->body != 0 || d->tail != 0 || d->distribution_differs)
        return;
    bool is_rich = !d->by_runs && fmin((double)a->histogram.n, (double)b->histogram.n) >= 1e5;
    struct finding *finding = add(compare, side, "no-difference-shown",
                                  d->by_runs && !d->by_blocks ? "ranks" : d->is_within_spread ? "spread" : "", SEVERITY_NOTE,
                                  is_rich ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE);
    put_maximum(compare, finding, "from_ns", a);
    put_maximum(compare, finding, "to_ns", b);
}

/* The whole distribution differs, but no average and no quantile of the tail by an amount that matters. */
static void tell_distribution(const struct compare *compare, uint32_t side, const struct difference *d, int gravest)
{
    struct findings *out = &compare->analysis->findings;
    if (!d->distribution_differs)
        return;
    struct finding *finding = add(compare, side, "distribution-differs", d->has_ranges ? "ranges" : "", SEVERITY_NOTE, compare_weaken(CONFIDENCE_LIKELY, gravest));
    finding_number(out, finding, "distance", d->ks);
    finding_rounded(&compare->analysis->findings, finding, "at_ns", d->ks_at_ns);
    if (!isnan(d->ks_above_from)) {
        finding_number(out, finding, "from_pct", 100 * d->ks_above_from);
        finding_number(out, finding, "to_pct", 100 * d->ks_above_to);
    }
    finding_number(out, finding, "p", d->ks_adjusted_p);
}

static void tell_no_worse(const struct compare *compare, uint32_t side, const struct difference *d, int gravest)
{
    struct findings *out = &compare->analysis->findings;
    if (d->n_no_worse == 0 || d->body > 0 || d->tail > 0 || compare->sides[side].is_baseline)
        return;
    struct finding *finding = add(compare, side, "no-worse-shown", d->is_equivalent ? "equivalent" : "", SEVERITY_NOTE,
                                  compare_weaken(CONFIDENCE_LIKELY, gravest));
    double level = quantile_levels[d->n_no_worse - 1];
    finding->subject = arena_format(out->arena, "%.10g %%", level * 100);
    finding_number(out, finding, "level", level);
    finding_number(out, finding, "margin_pct", compare->options->margin_pct);
    finding_number(out, finding, "p", d->no_worse_most_p);
    if (d->by_spread)
        finding_count(out, finding, "n_runs", (compare->sides[compare->baseline].repeats.n_runs + compare->sides[side].repeats.n_runs));
}

static void tell_incomparable(const struct compare *compare)
{
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        const struct side *s = &compare->sides[side];
        if (side == compare->baseline || s->gravest < 3)
            continue;
        struct finding *finding = add(compare, side, "not-comparable", compare->n_sides > 2 ? "side" : "", SEVERITY_WARNING, CONFIDENCE_PROVEN);
        finding->subject = arena_string(&compare->analysis->arena, text_string(&s->confounds));
        if (compare->n_sides == 2)
            finding->run = ROW_NONE;
    }
}

static enum status compare_run(const struct store *store, const struct analysis_options *options,
                               struct analysis *analysis, struct error *error)
{
    struct compare compare = {.store = store, .options = options, .analysis = analysis};
    struct comparison *c = &analysis->comparison;
    c->is_made = true;
    c->matched_n_samples = NAN;
    if (store->n_runs < 2) {
        c->conclusion = "There is only one run: nothing to compare it with.";
        findings_add(&analysis->findings, "not-comparable", SEVERITY_WARNING, CONFIDENCE_PROVEN)->variant = "single";
        return OK;
    }
    if (options->baseline >= store->n_runs)
        return error_usage(error, "--baseline: there is no run %" PRIu32 ", the last is %zu", options->baseline, store->n_runs - 1);
    enum status status = compare_read_runs(&compare, error);
    if (status != FAILED)
        status = compare_read_traces(&compare, error);
    if (status != FAILED) {
        compare_same(&compare);
        bool has_series = compare.has_series, has_traces = compare_has_traces(&compare);
        struct difference *differences = arena_array(&analysis->arena, compare.n_sides, sizeof *differences);
        if (has_series) {
            compare_metrics(&compare);
            compare_repeats(&compare);
        }
        if (has_traces)
            compare_trace_metrics(&compare);
        status = compare_functions(&compare, error);
        int gravest = compare_confounds(&compare);
        c->comparable = gravest < 3 && (has_series || has_traces);
        if (gravest >= 3)
            tell_incomparable(&compare);
        for (uint32_t side = 0; side < compare.n_sides && (has_series || has_traces); side++) {
            if (side == compare.baseline)
                continue;
            if (has_series)
                differences[side] = compare_difference(&compare, side);
            if (has_traces)
                compare_trace_difference(&compare, side, &differences[side]);
            int weight = compare.sides[side].gravest;
            tell_body(&compare, side, &differences[side], weight);
            tell_tail(&compare, side, &differences[side], weight);
            tell_length(&compare, side, &differences[side]);
            tell_nothing(&compare, side, &differences[side]);
            tell_distribution(&compare, side, &differences[side], weight);
            tell_no_worse(&compare, side, &differences[side], weight);
        }
        compare_test_metrics(&compare, differences);
        compare_next_runs(&compare, differences, gravest);
        compare_conclusion(&compare, differences);
    }
    compare_release(&compare);
    return status;
}

const struct analyzer analyzer_compare = {
    .name = "compare",
    .summary = "whether runs differ, by how much, how sure, what else differed",
    .jobs = JOB_COMPARE,
    .run = compare_run,
};
