/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a maximum true? Quantiles, tail, lost periods and a verdict per series, and the evidence as findings. A verdict is
 * the first that applies: no data, artefact, isolated but confirmed, insufficient, suspect, credible.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/judged.h"
#include "analyzers/stats/counting.h"

#define ISOLATED_LEVEL 0.01
/* A few samples far from the rest are as doubtful as one; more are a population. */
#define FEW_FAR 3

struct finding *judged_finding(const struct store *store, const struct judged *judged, struct findings *out,
                               const char *code, const char *variant, enum severity severity,
                               enum confidence confidence)
{
    struct finding *finding = findings_add(out, code, severity, confidence);
    finding->variant = variant;
    finding->series = judged->series;
    finding->run = store->series[judged->series].run;
    finding->cpu = store->series[judged->series].cpu;
    return finding;
}

/* ---- measuring: quantiles and tail ---- */

static void measure_quantiles(const struct histogram *h, struct judged *judged, struct series_result *result)
{
    for (size_t q = 0; q < N_QUANTILES; q++)
        result->quantiles_ns[q] = histogram_quantile(h, quantile_levels[q]);
    judged->median_ns = result->quantiles_ns[0];
    judged->high_ns = h->n > 1000 ? histogram_quantile(h, 0.999) : histogram_at_rank(h, h->n > 1 ? h->n - 1 : 1);
}

static void store_tail(const struct histogram *h, const struct judged *judged, struct arena *arena, struct tail *tail)
{
    const struct tail_fit *fit = &judged->fit;
    if (!fit->is_fitted)
        return;
    *tail = (struct tail){
        .method = "gpd-binned-ml",
        .threshold_ns = (int64_t)fit->threshold_ns,
        .n_excess = fit->n_excess,
        .scale_ns = fit->gpd.gpd.scale,
        .shape = fit->gpd.gpd.shape,
        .scale_se_ns = fit->gpd.scale_se,
        .shape_se = fit->gpd.shape_se,
        .shape_low = fit->shape_low,
        .shape_high = fit->shape_high,
        .gap_p = judged->single.is_tested ? judged->single.p : NAN,
    };
    static const double times[] = {1, 10, 100};
    if (!fit->fits) /* no forecast from a fit that does not hold */
        return;
    tail->n_levels = sizeof times / sizeof *times;
    tail->levels = arena_array(arena, tail->n_levels, sizeof *tail->levels);
    for (size_t i = 0; i < tail->n_levels; i++) {
        struct return_level *level = &tail->levels[i];
        level->n_samples = (double)h->n * times[i];
        tail_level(h, fit, level->n_samples, &level->level_ns, &level->low_ns, &level->high_ns);
    }
}

static enum status measure(const struct store *store, const struct analysis_options *options, struct judged *judged,
                           struct analysis *analysis, struct error *error)
{
    const struct series *s = &store->series[judged->series];
    struct series_result *result = &analysis->series[judged->series];
    struct series_shape shape;
    enum status status = series_shape_read(&shape, store, judged->series, error);
    const struct histogram *h = &shape.histogram;
    judged->n = h->n;
    judged->has_shape = status != FAILED && h->n > 0 && h->n_bins > 0;
    if (judged->has_shape && !s->is_block_maxima)
        measure_quantiles(h, judged, result);
    /* Block maxima have a tail, but each stands for many samples that are not there: no threshold among them. */
    if (judged->has_shape && s->is_block_maxima)
        measure_blocks(store, h, judged, &analysis->arena, &result->tail);
    /* Nor has a tail a shape where all of it lies somewhere in a few wide ranges. */
    if (judged->has_shape && !s->is_block_maxima && h->n_bins >= 2 && !h->widths_differ) {
        double threshold = options->tail_threshold_ns == NS_UNKNOWN ? NAN : (double)options->tail_threshold_ns;
        tail_analyse(h, threshold, &judged->fit);
        judged->single = tail_gap_of_maximum(h, judged->fit.threshold_ns, options->seed + judged->series);
        judged->cluster = tail_gap_of_cluster(h, judged->fit.threshold_ns, 50);
        uint64_t n_out = judged->single.is_tested && judged->single.p < ISOLATED_LEVEL      ? 1
                         : judged->cluster.is_tested && judged->cluster.p < ISOLATED_LEVEL ? judged->cluster.n_above
                                                                                             : 0;
        bool has_threshold = !isnan(judged->fit.threshold_ns);
        if (n_out > 0 && has_threshold)
            tail_leave_out(h, n_out, &judged->fit);
        if (n_out == 1 && has_threshold)
            judged->n_other_thresholds = tail_gap_sensitivity(h, options->seed + judged->series, &judged->other_low_p, &judged->other_high_p);
        if (judged->fit.is_fitted)
            tail_other_views(h, &judged->fit, &judged->views);
        store_tail(h, judged, &analysis->arena, &result->tail);
    }
    series_shape_release(&shape);
    return status;
}

/* ---- judging ---- */

/* Isolation at 1 % over all series together, and over both ways to be isolated: alone, or as one of a few. */
static void find_isolated(struct judged *judged, size_t n)
{
    double *p = memory_resize(NULL, 2 * n, sizeof *p), *single = p, *few = p + n;
    for (size_t i = 0; i < n; i++) {
        const struct tail_gap *cluster = &judged[i].cluster;
        bool is_looked_at = judged[i].single.is_tested || cluster->is_tested;
        single[i] = judged[i].single.is_tested ? judged[i].single.p : is_looked_at ? 1 : NAN;
        few[i] = cluster->is_tested && cluster->n_above <= FEW_FAR ? cluster->p : is_looked_at ? 1 : NAN;
    }
    adjust_holm(p, 2 * n);
    for (size_t i = 0; i < n; i++) {
        judged[i].single_p = judged[i].single.is_tested ? single[i] : NAN;
        judged[i].is_isolated = single[i] < ISOLATED_LEVEL;
        judged[i].is_far = judged[i].is_isolated || few[i] < ISOLATED_LEVEL;
    }
    free(p);
}

static bool are_near(int64_t a, int64_t b)
{
    return fabs((double)a - (double)b) <= 0.05 * (double)b;
}

/* A tool's mark in a trace, or its report, that tells of the same latency. */
static bool claim_confirms(const struct store *store, const struct judged *judged)
{
    const struct series *s = &store->series[judged->series];
    for (size_t i = 0; i < store->n_claims; i++) {
        const struct claim *claim = &store->claims[i];
        if (claim->run != s->run || claim->latency_ns == NS_UNKNOWN || s->max_ns == NS_UNKNOWN || claim->stream == ROW_NONE ||
            (claim->kind != CLAIM_MARK && claim->kind != CLAIM_FREEZE) || (claim->cpu != CPU_UNKNOWN && s->cpu != CPU_UNKNOWN && claim->cpu != s->cpu))
            continue;
        if (are_near(claim->latency_ns, s->max_ns))
            return true;
    }
    return false;
}

/* An explained window of the same run and length: events show that the time passed. */
static bool outlier_confirms(const struct store *store, const struct analysis *analysis, const struct judged *judged)
{
    const struct series *s = &store->series[judged->series];
    for (size_t i = 0; i < analysis->n_outliers && s->max_ns != NS_UNKNOWN; i++) {
        const struct outlier *o = analysis->outliers[i];
        if (o->run != s->run || o->begin_ns == NS_UNKNOWN || o->latency_ns == NS_UNKNOWN || o->cause == CAUSE_TRACER_ARTEFACT ||
            o->cause == CAUSE_CLOCK_JUMP || o->cause == CAUSE_LOST_EVENTS || (s->cpu != CPU_UNKNOWN && o->cpu != s->cpu))
            continue;
        if (are_near(o->latency_ns, s->max_ns))
            return true;
    }
    return false;
}

static bool is_short(const struct series *s)
{
    int64_t duration = series_duration_ns(s);
    if (s->is_cut || (duration != NS_UNKNOWN && duration < INT64_C(60000000000)))
        return true;
    bool counts_blocks = s->is_block_maxima || s->path == PATH_NOISE;
    if (counts_blocks && duration != NS_UNKNOWN)
        return false;
    return s->n_samples != COUNT_UNKNOWN && s->n_samples < 10000;
}

/* Series of the same run whose maxima are at least half of it: several threads reached it. */
static size_t companions(const struct store *store, uint32_t series)
{
    const struct series *s = &store->series[series];
    size_t n = 0;
    struct row_range rows = store_series_of_run(store, s->run);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const struct series *other = &store->series[i];
        n += i != series && other->path == s->path && other->max_ns != NS_UNKNOWN &&
             other->max_ns >= s->max_ns / 2;
    }
    return n;
}

static enum verdict judge(const struct store *store, const struct judged *judged)
{
    const struct series *s = &store->series[judged->series];
    bool has_maximum = s->max_ns != NS_UNKNOWN || judged->has_shape;
    if (s->n_samples == 0 || (!has_maximum && !judged->is_artefact))
        return VERDICT_NO_DATA;
    if (judged->is_artefact)
        return VERDICT_ARTEFACT;
    if (judged->is_far && judged->is_confirmed)
        return VERDICT_CREDIBLE_ISOLATED;
    if (is_short(s) || s->max_is_lower_bound || s->max_ns == NS_UNKNOWN)
        return VERDICT_INSUFFICIENT;
    if (judged->is_far || judged->is_contradicted)
        return VERDICT_SUSPECT;
    if (judged->is_confirmed || judged->single.is_tested || judged->fit.is_fitted || s->is_block_maxima)
        return VERDICT_CREDIBLE;
    /* Only minimum, average and maximum: other threads that come as far speak for it, nothing else can. */
    return companions(store, judged->series) > 0 ? VERDICT_CREDIBLE : VERDICT_INSUFFICIENT;
}

/* ---- telling ---- */

/* Samples at the rate of once in this run until it is seen again with 95 %: about three times the run. */
static void tell_repeat(const struct store *store, const struct judged *judged, struct findings *out, struct finding *finding)
{
    int64_t duration = series_duration_ns(&store->series[judged->series]);
    if (duration != NS_UNKNOWN && duration < INT64_MAX / 3)
        finding_integer(out, finding, "repeat_ns", duration * 3);
}

/* Isolated at the chosen threshold, but not at another that fits as well. */
static bool hangs_on_threshold(const struct judged *judged)
{
    return judged->n_other_thresholds > 1 && judged->other_high_p > 0.05;
}

static void tell_gap(const struct store *store, const struct judged *judged, struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    if (judged->is_isolated) {
        bool has_fit = !isnan(judged->fit.threshold_ns);
        struct finding *finding = judged_finding(store, judged, out, "isolated-maximum",
                                                 judged->is_confirmed ? "confirmed" : has_fit ? "" : "body",
                                                 judged->is_confirmed ? SEVERITY_NOTE : SEVERITY_WARNING,
                                                 (judged->fit.fits || !has_fit) && !hangs_on_threshold(judged) ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE);
        finding_rounded(out, finding, "max_ns", judged->single.above_ns);
        finding_rounded(out, finding, "second_ns", judged->single.below_ns);
        finding_number(out, finding, "p", judged->single_p);
        finding_count(out, finding, "n_samples", judged->n);
        finding_count(out, finding, "n_other", judged->n - 1);
        if (has_fit) {
            finding_rounded(out, finding, "threshold_ns", judged->fit.threshold_ns);
            finding_count(out, finding, "n_excess", judged->fit.n_excess);
        }
        if (judged->n_other_thresholds > 1) {
            finding_count(out, finding, "n_thresholds", judged->n_other_thresholds);
            finding_number(out, finding, "lowest_p", judged->other_low_p);
            finding_number(out, finding, "highest_p", judged->other_high_p);
        }
        tell_repeat(store, judged, out, finding);
        return;
    }
    if (!judged->cluster.is_tested || judged->cluster.p > ISOLATED_LEVEL / 10)
        return;
    struct finding *finding = judged_finding(store, judged, out, "two-populations", judged->is_far ? "few" : "",
                                             judged->is_far && !judged->is_confirmed ? SEVERITY_WARNING : SEVERITY_NOTE,
                                             CONFIDENCE_LIKELY);
    finding_count(out, finding, "n_far", judged->cluster.n_above);
    finding_rounded(out, finding, "from_ns", judged->cluster.above_ns);
    finding_rounded(out, finding, "below_ns", judged->cluster.below_ns);
    if (s->max_ns != NS_UNKNOWN)
        finding_integer(out, finding, "max_ns", s->max_ns);
    finding_number(out, finding, "p", judged->cluster.p);
    tell_repeat(store, judged, out, finding);
}

static void tell_tail(const struct store *store, const struct judged *judged, const struct tail *tail, struct findings *out)
{
    const struct tail_fit *fit = &judged->fit;
    if (!fit->is_fitted || fit->fits || judged->n < 10000 || isnan(fit->goodness_p))
        return;
    struct finding *finding = judged_finding(store, judged, out, "tail-heavier-than-fit", "", SEVERITY_NOTE, CONFIDENCE_LIKELY);
    finding_integer(out, finding, "threshold_ns", tail->threshold_ns);
    finding_count(out, finding, "n_excess", fit->n_excess);
    finding_number(out, finding, "p", fit->goodness_p);
}

/* A tail that is surely heavier than an exponential one: maxima grow by a share, not by a step, as runs grow longer. */
static void tell_heavy(const struct store *store, const struct judged *judged, const struct tail *tail, struct findings *out)
{
    if (tail->n_levels < 2 || judged->n < 10000 || judged->fit.n_excess < 100 || !(judged->views.cv > 1) || judged->views.exponential_p > 0.01 || !(tail->shape_low > 0.1) || !judged->fit.fits)
        return;
    const struct series *s = &store->series[judged->series];
    struct row_range rows = store_series_of_run(store, s->run);
    for (uint32_t i = rows.begin; i < rows.end; i++) /* told of the thread with the run's largest maximum */
        if (store->series[i].path == s->path && store->series[i].max_ns > s->max_ns)
            return;
    struct finding *finding = judged_finding(store, judged, out, "tail-heavy", "", SEVERITY_NOTE, CONFIDENCE_LIKELY);
    finding_number(out, finding, "shape", tail->shape);
    finding_number(out, finding, "lowest", tail->shape_low);
    finding_number(out, finding, "highest", tail->shape_high);
    finding_number(out, finding, "cv", judged->views.cv);
    finding_number(out, finding, "cv_shape", judged->views.cv_shape);
    if (!isnan(judged->views.hill))
        finding_number(out, finding, "hill", judged->views.hill);
    finding_number(out, finding, "p", judged->views.exponential_p);
    if (tail->levels[0].level_ns < tail->levels[1].level_ns && tail->levels[1].level_ns < 9e18) {
        finding_rounded(out, finding, "level_ns", tail->levels[0].level_ns);
        finding_rounded(out, finding, "longer_ns", tail->levels[1].level_ns);
    }
}

static bool has_trouble(const struct findings *out, uint32_t run)
{
    static const char *const codes[] = {"isolated-maximum", "two-populations", "lost-periods-contradict", "overruns",
                                        "simultaneous-maxima", "tick-bound", "throttle-signature", "sentinel-value",
                                        "tracer-artefact", "periodic-outliers", "constant-offset", "noise-floor", "body-shifted",
                                        "warm-up-maximum", "tail-heavier-than-fit", "clock-jump", "tool-bug", "no-samples",
                                        "histogram-truncated", "file-truncated", "command-mismatch", "lost-periods-confirm"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (findings_have(out, codes[i], run))
            return true;
    return false;
}

/* One sentence for a run in which nothing is wrong; or that its tails reach their maxima although something else is. */
static void tell_clean(const struct store *store, const struct judged *judged, const struct analysis *analysis, uint32_t run,
                       struct findings *out)
{
    size_t n = 0, n_fitted = 0, n_credible = 0, n_open = 0;
    int64_t max_ns = 0;
    double level_ns = NAN;
    const struct tail_fit *highest = NULL; /* the fit that reaches furthest */
    bool is_vague = false;                 /* a forecast that may as well be double says nothing: none is made */
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const struct series *s = &store->series[i];
        if (s->n_samples == 0)
            continue;
        n++;
        n_fitted += judged[i].fit.is_fitted;
        n_credible += analysis->series[i].verdict == VERDICT_CREDIBLE;
        n_open += !judged[i].fit.fits || (s->n_overflow != COUNT_UNKNOWN && s->n_overflow > 1); /* where its tail runs is not known */
        max_ns = s->max_ns != NS_UNKNOWN && s->max_ns > max_ns ? s->max_ns : max_ns;
        const struct tail *tail = &analysis->series[i].tail;
        if (tail->n_levels > 1 && !(tail->levels[1].level_ns <= level_ns)) {
            level_ns = tail->levels[1].level_ns;
            highest = &judged[i].fit;
        }
        is_vague |= !judged[i].fit.fits || tail->n_levels < 2;
        is_vague |= tail->n_levels > 1 && !(tail->levels[1].high_ns < 2 * tail->levels[1].level_ns);
    }
    if (n == 0 || max_ns <= 0 || n_credible < n || n_fitted < n || n_open > 0 || findings_have(out, "two-populations", run))
        return;
    struct finding *finding = findings_add(out, has_trouble(out, run) ? "tail-consistent" : "clean", SEVERITY_NOTE, CONFIDENCE_LIKELY);
    finding->run = run;
    finding_count(out, finding, "n_series", n);
    finding_integer(out, finding, "max_ns", max_ns);
    /* A tail of a wild shape may pass what fits; and what was seen already is no forecast for ten times the samples. */
    if (!(fabs(level_ns) < 9e18) || is_vague || level_ns <= (double)max_ns)
        return;
    finding_rounded(out, finding, "level_ns", level_ns);
    if (highest && highest->n_passed > 1) {
        finding_count(out, finding, "n_thresholds", highest->n_passed);
        finding_rounded(out, finding, "lowest_ns", fmin(highest->other_level_low_ns, level_ns));
        finding_rounded(out, finding, "highest_ns", fmax(highest->other_level_high_ns, level_ns));
    }
}

static enum status validate_run(const struct store *store, const struct analysis_options *options,
                                struct analysis *analysis, struct error *error)
{
    struct findings *out = &analysis->findings;
    size_t n = store->n_series;
    struct judged *judged = memory_new(n * sizeof *judged);
    struct lost_periods *lost = lost_periods_of(store);
    enum status status = OK;
    for (uint32_t i = 0; i < n && status != FAILED; i++) {
        judged[i] = (struct judged){.series = i, .median_ns = NAN, .high_ns = NAN, .lost = lost[i], .single.p = NAN, .cluster.p = NAN};
        status = measure(store, options, &judged[i], analysis, error);
        if (lost[i].is_known)
            analysis->series[i].n_lost_periods = lost[i].low;
    }
    find_isolated(judged, n);
    for (size_t i = 0; i < n && status != FAILED; i++) {
        signs_of_artefact(store, &judged[i], out);
        signs_of_lost_periods(store, &judged[i], out);
        judged[i].is_confirmed |= claim_confirms(store, &judged[i]) || outlier_confirms(store, analysis, &judged[i]);
    }
    if (status != FAILED)
        signs_of_coincidence(store, judged, n, out);
    signs_of_simultaneity(store, judged, n, out);
    for (size_t i = 0; i < n && status != FAILED; i++) {
        analysis->series[i].verdict = judge(store, &judged[i]);
        if (!judged[i].is_artefact)
            tell_gap(store, &judged[i], out);
        signs_of_value(store, &judged[i], out);
        if (signs_of_time(store, &judged[i], out, error) == FAILED)
            status = FAILED;
        tell_tail(store, &judged[i], &analysis->series[i].tail, out);
        tell_heavy(store, &judged[i], &analysis->series[i].tail, out);
    }
    for (uint32_t run = 0; run < store->n_runs && status != FAILED; run++)
        tell_clean(store, judged, analysis, run, out);
    free(judged);
    free(lost);
    return status;
}

const struct analyzer analyzer_validate = {
    .name = "validate",
    .summary = "whether each series' maximum is a latency of the system",
    .jobs = JOB_VALIDATE,
    .run = validate_run,
};
