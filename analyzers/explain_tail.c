/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tail for each cause. The explained windows are all that were longer than the shortest of them, so they are the peaks
 * over a threshold; those of one cause are a distribution of their own, and a mixture of them need not be one. What is
 * exceeded once in m wakeups solves
 *
 *     sum over causes of (share of wakeups over the threshold) * (survival of its excess) = 1 / m
 *
 * and without a cause the same without its term. Outliers whose cause is not sure, and causes with too few, are one group.
 */
#include "analyzers/explain.h"

#include <math.h>
#include <string.h>

#include "analyzers/stats/tail.h"
#include "base/memory.h"

#define LONGER 10 /* levels are said for a run ten times as long */
#define REST   N_CAUSES

struct group {
    size_t n;
    struct excess *excesses; /* room for all outliers */
    int64_t max_ns;
    struct gpd_fit fit;
    bool is_fitted;
};

struct tails {
    struct group groups[N_CAUSES + 1];
    int64_t threshold_ns;
    double n_samples, m;
};

static bool is_wakeup(const struct outlier *o)
{
    return (o->window == WINDOW_TIMER || o->window == WINDOW_WAKEUP) && o->latency_ns != NS_UNKNOWN && o->reported_ns == NS_UNKNOWN;
}

static void add(struct group *g, struct arena *arena, size_t capacity, double excess_ns, int64_t latency_ns)
{
    if (!g->excesses)
        g->excesses = arena_array(arena, capacity, sizeof *g->excesses);
    g->excesses[g->n++] = (struct excess){excess_ns, excess_ns, 1};
    g->max_ns = latency_ns > g->max_ns ? latency_ns : g->max_ns;
}

static void collect(struct tails *t, struct analysis *a, size_t first)
{
    size_t n = a->n_outliers - first;
    for (size_t i = first; i < a->n_outliers; i++) {
        const struct outlier *o = a->outliers[i];
        if (is_wakeup(o) && o->latency_ns > t->threshold_ns)
            add(&t->groups[o->confidence >= CONFIDENCE_LIKELY ? (size_t)o->cause : REST], &a->arena, n, (double)(o->latency_ns - t->threshold_ns),
                o->latency_ns);
    }
    struct group *rest = &t->groups[REST];
    for (size_t c = 0; c < N_CAUSES; c++) {
        const struct group *g = &t->groups[c];
        for (size_t i = 0; i < g->n && g->n < TAIL_LEAST_EXCESSES; i++)
            add(rest, &a->arena, n, g->excesses[i].low, t->threshold_ns + (int64_t)g->excesses[i].low);
    }
    for (size_t c = 0; c <= REST; c++) {
        struct group *g = &t->groups[c];
        g->is_fitted = g->n >= TAIL_LEAST_EXCESSES && gpd_fit(g->excesses, g->n, &g->fit);
    }
}

/* Expected number of wakeups among m beyond x, of all groups but one. A group without a fit counts up to its maximum. */
static double expected_beyond(const struct tails *t, double x_ns, size_t without)
{
    double sum = 0;
    for (size_t c = 0; c <= REST; c++) {
        const struct group *g = &t->groups[c];
        if (c != without && g->is_fitted)
            sum += t->m * (double)g->n / t->n_samples * exp(gpd_log_survival(g->fit.gpd, x_ns - (double)t->threshold_ns));
    }
    return sum;
}

/* The level that one of m wakeups passes; no less than what was seen. */
static int64_t level_ns(const struct tails *t, size_t without)
{
    double low = (double)t->threshold_ns, high = low + 1000;
    int64_t seen_ns = 0;
    for (size_t c = 0; c <= REST; c++)
        if (c != without && t->groups[c].n && (c == REST || t->groups[c].n >= TAIL_LEAST_EXCESSES) && t->groups[c].max_ns > seen_ns)
            seen_ns = t->groups[c].max_ns;
    for (int i = 0; i < 60 && expected_beyond(t, high, without) > 1; i++)
        high += high - (double)t->threshold_ns;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (expected_beyond(t, middle, without) > 1)
            low = middle;
        else
            high = middle;
    }
    int64_t level = llround(fmin(high, (double)NS_LIMIT));
    return level > seen_ns ? level : seen_ns;
}

static const char *common_culprit(const struct analysis *a, size_t first, enum cause cause)
{
    const char *culprit = NULL;
    for (size_t i = first; i < a->n_outliers; i++) {
        const struct outlier *o = a->outliers[i];
        if (o->cause != cause || o->confidence < CONFIDENCE_LIKELY || !is_wakeup(o))
            continue;
        if (culprit && (!o->culprit || strcmp(culprit, o->culprit) != 0))
            return NULL;
        culprit = o->culprit;
    }
    return culprit;
}

static void note_tail(const struct tails *t, struct analysis *a, size_t first, enum cause cause, uint32_t run)
{
    const struct group *g = &t->groups[cause];
    struct findings *f = &a->findings;
    struct finding *finding = findings_add(f, "tail-by-cause", SEVERITY_NOTE, CONFIDENCE_POSSIBLE);
    double shape_low, shape_high, excess_low, excess_high, share = (double)g->n / t->n_samples;
    const char *culprit = common_culprit(a, first, cause);
    gpd_shape_interval(g->excesses, g->n, &g->fit, 0.95, &shape_low, &shape_high);
    gpd_return_level_interval(g->excesses, g->n, &g->fit, t->m * share, 0.95, &excess_low, &excess_high);
    finding->run = run;
    finding->subject = culprit ? arena_format(&a->arena, "%s (%s)", cause_name(cause), culprit) : cause_name(cause);
    finding_count(f, finding, "n_excess", g->n);
    finding_integer(f, finding, "threshold_ns", t->threshold_ns);
    finding_number(f, finding, "scale_ns", g->fit.gpd.scale);
    finding_number(f, finding, "shape", g->fit.gpd.shape);
    finding_number(f, finding, "shape_low", shape_low);
    finding_number(f, finding, "shape_high", shape_high);
    finding_rounded(f, finding, "n_samples", t->n_samples);
    finding_rounded(f, finding, "level_n_samples", t->m);
    finding_rounded(f, finding, "own_level_ns", (double)t->threshold_ns + gpd_return_level(g->fit.gpd, t->m * share));
    if (isfinite(excess_low) && isfinite(excess_high)) {
        finding_rounded(f, finding, "own_level_low_ns", (double)t->threshold_ns + excess_low);
        finding_rounded(f, finding, "own_level_high_ns", (double)t->threshold_ns + excess_high);
    }
    finding_integer(f, finding, "level_ns", level_ns(t, N_CAUSES + 1));
    size_t n_others = 0;
    for (size_t c = 0; c <= REST; c++)
        n_others += c != (size_t)cause ? t->groups[c].n : 0;
    if (!n_others) {
        finding->variant = "alone";
        return;
    }
    int64_t without_ns = level_ns(t, cause), rest_ns = culprit ? explain_max_without(a, first, cause, culprit) : NS_UNKNOWN;
    /* What its own outliers would still have been bounds it from below. */
    finding_integer(f, finding, "level_without_ns", rest_ns != NS_UNKNOWN && rest_ns > without_ns ? rest_ns : without_ns);
}

static void note_too_few(const struct tails *t, struct analysis *a, size_t n_most, enum cause most, uint32_t run)
{
    struct findings *f = &a->findings;
    struct finding *finding = findings_add(f, "tail-by-cause", SEVERITY_NOTE, CONFIDENCE_PROVEN);
    finding->variant = "too-few";
    finding->run = run;
    finding->subject = n_most ? cause_name(most) : NULL;
    finding_count(f, finding, "n_excess", n_most);
    finding_integer(f, finding, "n_needed", TAIL_LEAST_EXCESSES);
    finding_integer(f, finding, "threshold_ns", t->threshold_ns);
}

void explain_tails(struct analysis *a, size_t first, uint64_t n_samples, bool is_cut, int64_t threshold_ns, uint32_t run)
{
    int64_t shortest_ns = INT64_MAX;
    size_t n = 0, n_most = 0, n_fitted = 0;
    enum cause most = CAUSE_UNEXPLAINED;
    for (size_t i = first; i < a->n_outliers; i++)
        if (is_wakeup(a->outliers[i])) {
            n++;
            shortest_ns = a->outliers[i]->latency_ns < shortest_ns ? a->outliers[i]->latency_ns : shortest_ns;
        }
    if (n < TAIL_LEAST_EXCESSES || n_samples < 2 * n)
        return;
    struct tails *t = arena_array(&a->arena, 1, sizeof *t);
    *t = (struct tails){.threshold_ns = is_cut || threshold_ns == NS_UNKNOWN ? shortest_ns : threshold_ns, .n_samples = (double)n_samples,
                        .m = LONGER * (double)n_samples};
    collect(t, a, first);
    for (size_t c = 0; c < N_CAUSES; c++) {
        n_fitted += t->groups[c].is_fitted;
        if (t->groups[c].n > n_most) {
            n_most = t->groups[c].n;
            most = (enum cause)c;
        }
    }
    for (size_t c = 0; c < N_CAUSES; c++)
        if (t->groups[c].is_fitted)
            note_tail(t, a, first, (enum cause)c, run);
    if (!n_fitted)
        note_too_few(t, a, n_most, most, run);
}
