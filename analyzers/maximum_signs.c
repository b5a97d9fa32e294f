/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signs in the value of a maximum and in what its run lost: artefacts, ticks, offsets, lost periods, companions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/judged.h"

/* ---- artefacts: not a latency ---- */

static bool is_type_limit(int64_t value)
{
    static const int64_t limits[] = {INT32_MAX, UINT32_MAX, INT64_MAX, (INT64_C(1) << 31), (INT64_C(1) << 32)};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (value == limits[i])
            return true;
    return false;
}

void signs_of_artefact(const struct store *store, struct judged *judged, struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    bool lost_its_values = s->max_ns == NS_UNKNOWN || s->min_ns == NS_UNKNOWN || isnan(s->avg_ns);
    if (lost_its_values && s->n_samples != 0 && (run_has_note(store, s->run, "clock-jump") || run_has_note(store, s->run, "sentinel-value")) &&
        (s->max_ns == NS_UNKNOWN || run_has_note(store, s->run, "clock-jump")) && !s->is_block_maxima) {
        judged->is_artefact = true; /* said by the importer's note */
        return;
    }
    if (s->max_ns == NS_UNKNOWN)
        return;
    int64_t resolution = s->resolution_ns > 0 ? s->resolution_ns : 1;
    if (is_type_limit(s->max_ns) || is_type_limit(s->max_ns / resolution) || is_type_limit(s->max_ns / 1000)) {
        judged->is_artefact = true;
        struct finding *finding = judged_finding(store, judged, out, "sentinel-value", "", SEVERITY_ERROR, CONFIDENCE_LIKELY);
        finding_integer(out, finding, "max_ns", s->max_ns);
        return;
    }
    int64_t duration = series_duration_ns(s);
    if (duration != NS_UNKNOWN && s->n_samples > 1 && s->max_ns > duration && duration > 0 && s->duration_ns != NS_UNKNOWN) {
        judged->is_artefact = true;
        struct finding *finding = judged_finding(store, judged, out, "clock-jump", "longer-than-run", SEVERITY_ERROR, CONFIDENCE_PROVEN);
        finding_integer(out, finding, "max_ns", s->max_ns);
        finding_integer(out, finding, "duration_ns", duration);
        return;
    }
    const char *clock = run_tool_fact(store, s->run, "clock");
    double seconds = (double)s->max_ns / 1e9;
    if (judged->is_isolated && clock && strcmp(clock, "realtime") == 0 && seconds > 0.5 && fabs(seconds - round(seconds)) < 0.01 * seconds) {
        struct finding *finding = judged_finding(store, judged, out, "clock-jump", "whole-seconds", SEVERITY_WARNING, CONFIDENCE_POSSIBLE);
        finding_integer(out, finding, "max_ns", s->max_ns);
    }
}

/* ---- values that something else is known to make ---- */

static bool is_near(int64_t value, double want, double share)
{
    return fabs((double)value - want) <= want * share;
}

static void tell_tick(const struct store *store, const struct judged *judged, struct findings *out)
{
    static const double ticks[] = {1e6, 1e7 / 3, 4e6, 1e7};
    const struct series *s = &store->series[judged->series];
    /* A tail that reaches the value by itself needs no tick. */
    bool stands_out = judged->is_far || s->is_block_maxima ||
                      (!judged->single.is_tested && judged->high_ns > 0 && (double)s->max_ns >= 1.5 * judged->high_ns) ||
                      (!judged->has_shape && !isnan(s->avg_ns) && (double)s->max_ns >= 5 * s->avg_ns);
    const char *hz_text = run_fact(store, s->run, "kernel.hz|kernel.config.CONFIG_HZ");
    double hz = hz_text ? strtod(hz_text, NULL) : 0;
    if (!stands_out || s->path == PATH_CALL_DURATION)
        return;
    double tick = 0;
    if (hz >= 10 && hz <= 10000 && is_near(s->max_ns, 1e9 / hz, 0.03))
        tick = 1e9 / hz;
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks && hz == 0; i++)
        if (is_near(s->max_ns, ticks[i], 0.03))
            tick = ticks[i];
    if (tick == 0)
        return;
    struct finding *finding = judged_finding(store, judged, out, "tick-bound", hz > 0 ? "" : "guess", SEVERITY_WARNING,
                                             hz > 0 ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE);
    finding_integer(out, finding, "max_ns", s->max_ns);
    finding_rounded(out, finding, "tick_ns", tick);
}

/*
 * The pause is 50 ms, and its end waits for the next tick: with a slow one some ms more. The fair server of 6.12 and later
 * takes as long of each second.
 */
#define THROTTLE_LEAST_NS 48.5e6
#define THROTTLE_MOST_NS  54.2e6

static void tell_throttling(const struct store *store, const struct judged *judged, struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    const char *runtime = run_fact(store, s->run, "sched.rt_runtime_us|kernel.sched_rt_runtime_us");
    if ((double)s->max_ns < THROTTLE_LEAST_NS || (double)s->max_ns > THROTTLE_MOST_NS || !(judged->is_far || !judged->has_shape) || (runtime && strtol(runtime, NULL, 10) < 0) ||
        series_is_cokernel(store, s))
        return;
    struct finding *finding = judged_finding(store, judged, out, "throttle-signature", "", SEVERITY_WARNING,
                                             runtime ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE);
    finding_integer(out, finding, "max_ns", s->max_ns);
}

/*
 * A detector that looks once in a window records only what exceeds its threshold: so few samples in so many windows are
 * events, however close their values lie above the threshold.
 */
static bool is_seldom(const struct store *store, const struct series *s)
{
    const char *window = run_fact(store, s->run, "hwlatdetect.window"), *exceeding = run_fact(store, s->run, "hwlatdetect.n_exceeding");
    double window_ns = window ? strtod(window, NULL) * 1e3 : 0, n = (double)s->n_samples; /* "1000000us" */
    if (exceeding && strtod(exceeding, NULL) > n)
        n = strtod(exceeding, NULL);
    return s->is_block_maxima && s->duration_ns != NS_UNKNOWN && window_ns > 0 && 2 * n * window_ns < (double)s->duration_ns;
}

/* The body: a constant in everything, a floor in every window, a distribution far above its minimum. */
static void tell_body(const struct store *store, const struct judged *judged, struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    if (s->min_ns == NS_UNKNOWN || s->max_ns == NS_UNKNOWN || s->n_samples < 3)
        return;
    bool is_whole = !s->max_is_lower_bound;
    double min = (double)s->min_ns, max = (double)s->max_ns, middle = !isnan(s->avg_ns) ? s->avg_ns : judged->median_ns;
    if (s->path == PATH_NOISE) {
        if (is_whole && min >= 0.5 * max && min > 0 && !is_seldom(store, s) && (s->n_samples == COUNT_UNKNOWN ? max > min : s->n_samples >= 3)) { /* one value is no floor */
            struct finding *finding = judged_finding(store, judged, out, "noise-floor", "", SEVERITY_NOTE, CONFIDENCE_LIKELY);
            finding_integer(out, finding, "min_ns", s->min_ns);
            finding_integer(out, finding, "max_ns", s->max_ns);
        }
        return;
    }
    if (s->path != PATH_TIMER_WAKEUP && s->path != PATH_IRQ_HANDLER && s->path != PATH_IRQ_RESPONSE)
        return;
    if (is_whole && min >= 5000 && max >= min && max - min <= 0.25 * min && s->n_samples > 3) {
        struct finding *finding = judged_finding(store, judged, out, "constant-offset", "", SEVERITY_NOTE, CONFIDENCE_LIKELY);
        finding_integer(out, finding, "min_ns", s->min_ns);
        finding_integer(out, finding, "jitter_ns", s->max_ns - s->min_ns);
    } else if (middle >= 100e3 && middle >= 20 * fmax(min, 1000) && s->n_samples >= 100) {
        struct finding *finding = judged_finding(store, judged, out, "body-shifted", "", SEVERITY_WARNING, CONFIDENCE_LIKELY);
        finding_integer(out, finding, "min_ns", s->min_ns);
        finding_rounded(out, finding, "typical_ns", middle);
    }
}

void signs_of_value(const struct store *store, const struct judged *judged, struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    if (s->max_ns != NS_UNKNOWN && !s->max_is_lower_bound && !judged->is_artefact) {
        tell_tick(store, judged, out);
        tell_throttling(store, judged, out);
    }
    tell_body(store, judged, out);
}

/* ---- lost periods ---- */

void signs_of_lost_periods(const struct store *store, struct judged *judged, struct findings *out)
{
    const struct series *s = &store->series[judged->series];
    const struct lost_periods *lost = &judged->lost;
    bool has_stated = s->n_stated_lost != COUNT_UNKNOWN && s->n_stated_lost > 0;
    if (has_stated) {
        struct finding *finding = judged_finding(store, judged, out, "overruns", "", SEVERITY_WARNING, CONFIDENCE_PROVEN);
        finding_count(out, finding, "n_lost", s->n_stated_lost);
    }
    if (lost->low == COUNT_UNKNOWN || lost->expected_low == COUNT_UNKNOWN || lost->expected_low == 0)
        return;
    const char *code = NULL;
    if (lost->low > 0 && lost->high + 1 >= lost->expected_low && lost->low + 1 >= lost->expected_low) {
        judged->is_confirmed = true;
        code = "lost-periods-confirm";
    } else if (lost->high + 1 + lost->expected_low / 10 < lost->expected_low && s->omission != OMISSION_REPLAYS &&
               s->omission != OMISSION_NONE && !has_stated) {
        judged->is_contradicted = true;
        /* A loop that skips cannot have been held up so long and still count every period: the clock jumped. */
        judged->is_artefact |= s->omission == OMISSION_SKIPS && lost->is_known && lost->high == 0;
        code = "lost-periods-contradict";
    }
    if (!code)
        return;
    struct finding *finding = judged_finding(store, judged, out, code, "", judged->is_contradicted ? SEVERITY_WARNING : SEVERITY_NOTE,
                                             judged->is_contradicted ? CONFIDENCE_LIKELY : CONFIDENCE_PROVEN);
    finding_integer(out, finding, "max_ns", s->max_ns);
    finding_integer(out, finding, "interval_ns", s->interval_ns);
    if (lost->is_known)
        finding_count(out, finding, "n_lost", lost->low);
    else {
        finding_count(out, finding, "n_lost_low", lost->low);
        finding_count(out, finding, "n_lost_high", lost->high);
    }
    if (lost->raw != COUNT_UNKNOWN)
        finding_count(out, finding, "n_missing", lost->raw);
    finding_count(out, finding, "n_expected", lost->expected_low);
}

/* ---- companions ---- */

static bool are_alike(const struct store *store, const struct judged *a, const struct judged *b)
{
    const struct series *x = &store->series[a->series], *y = &store->series[b->series];
    return x->run == y->run && x->path == y->path && x->max_ns != NS_UNKNOWN && y->max_ns != NS_UNKNOWN &&
           is_near(x->max_ns, (double)y->max_ns, 0.1);
}

void signs_of_simultaneity(const struct store *store, struct judged *judged, size_t n, struct findings *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!judged[i].is_far || judged[i].is_artefact)
            continue;
        int64_t n_alike = 1;
        bool first = true, confirmed = judged[i].is_confirmed;
        for (size_t k = 0; k < n; k++) {
            if (k == i || !judged[k].is_far || judged[k].is_artefact || !are_alike(store, &judged[i], &judged[k]))
                continue;
            n_alike++;
            first &= k > i;
            confirmed |= judged[k].is_confirmed;
        }
        if (n_alike < 2)
            continue;
        /* A stop of nearly the same length elsewhere, which is proven, speaks for this one, unless its own count denies it. */
        if (confirmed && !judged[i].is_contradicted)
            judged[i].is_confirmed = true;
        if (!first || findings_have(out, "simultaneous-maxima", store->series[judged[i].series].run)) /* cycles told it better */
            continue;
        struct finding *finding = judged_finding(store, &judged[i], out, "simultaneous-maxima", "", SEVERITY_NOTE, CONFIDENCE_POSSIBLE);
        finding_integer(out, finding, "n_series", n_alike);
        finding_integer(out, finding, "max_ns", store->series[judged[i].series].max_ns);
    }
}
