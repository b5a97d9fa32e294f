/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison in words that a sceptic accepts, and the repeats that would settle what is open. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/compare.h"
#include "analyzers/stats/twosample.h"
#include "base/duration.h"
#include "base/text.h"

#define FAST_LOOP_NS 100e3 /* 10 kHz */
#define MAX_TOLD 5 /* sides that are told one by one */

static void add_ns(struct text *text, double ns)
{
    char buffer[DURATION_TEXT_BYTES];
    if (fabs(ns) < 9e18)
        text_add(text, duration_format((int64_t)llround(ns), buffer));
    else
        text_add(text, "beyond its histogram"); /* the quantile lies in the overflow */
}

/* A maximum that is unknown lies beyond a histogram only if something does. */
static void add_maximum(struct text *text, const struct side *side)
{
    char buffer[DURATION_TEXT_BYTES];
    if (isnan(side->max_ns) && side->histogram.n_overflow == 0)
        text_add(text, "unknown");
    else if (side->max_is_lower_bound && fabs(side->max_ns) < 9e18)
        text_add(text, duration_format_bound((int64_t)llround(side->max_ns), true, buffer));
    else
        add_ns(text, side->max_ns);
}

static void add_count(struct text *text, double n)
{
    if (n >= 1e6) {
        text_format(text, "%.3g million", n / 1e6);
    } else { /* separators, as everywhere */
        if (n >= 1000)
            text_format(text, "%.0f,%03.0f", floor(n / 1000), fmod(floor(n), 1000));
        else
            text_format(text, "%.0f", n);
    }
}

static void add_side(struct text *text, const struct side *side)
{
    text_add(text, side->name);
    if (side->n_runs > 1)
        text_format(text, " (%zu runs)", side->n_runs);
}

static const char *word_of(enum confidence confidence)
{
    return confidence == CONFIDENCE_PROVEN ? "Proven: " : confidence == CONFIDENCE_LIKELY ? "Likely: " : "Possible, not shown: ";
}

static void conclude_side(const struct compare *compare, uint32_t side, const struct difference *d, struct text *text)
{
    const struct side *a = &compare->sides[compare->baseline], *b = &compare->sides[side];
    add_side(text, b);
    text_add(text, " against ");
    add_side(text, a);
    text_add(text, ": ");
    if (b->is_baseline)
        text_add(text, "both are the same file, byte for byte: no difference is shown, and none could be. ");
    else if (d->body == 0 && d->tail == 0)
        text_add(text, d->distribution_differs && d->has_ranges ? "the whole distributions differ; by how much averages and tails do is hidden in ranges as wide as these. "
                       : d->distribution_differs ? "the whole distributions differ, but neither averages nor tails by an amount that matters. "
                       : d->is_within_spread   ? "no difference is shown beyond what runs of one side differ by among themselves. "
                                               : "no difference is shown beyond what chance gives. ");
    if (d->tail != 0) {
        text_format(text, "%sthe tail is %s (", word_of(compare_weaken(d->tail_confidence, b->gravest)), d->tail > 0 ? "worse" : "better");
        if (isnan(d->tail_level))
            text_add(text, "maxima around ");
        else if (d->by_blocks)
            text_format(text, "the worst of each second, %.3g %% of them below ", d->tail_level * 100);
        else
            text_format(text, isnan(d->tail_from_ns + d->tail_to_ns) ? "%.10g %% quantile " : "%.10g %% of samples below ", d->tail_level * 100);
        add_ns(text, d->tail_from_ns);
        text_add(text, " -> ");
        add_ns(text, d->tail_to_ns);
        text_add(text, "). ");
    }
    if (d->body != 0) {
        text_format(text, "%sthe body is %s (%s ", word_of(compare_weaken(d->body_confidence, b->gravest)), d->body > 0 ? "slower" : "faster",
                    d->by_trace ? "median wakeup in the trace" : "average");
        add_ns(text, d->body_from_ns);
        text_add(text, " -> ");
        add_ns(text, d->body_to_ns);
        text_add(text, "). ");
    } else if (d->tail != 0) {
        text_add(text, d->by_runs && isnan(d->body_from_ns + d->body_to_ns) ? "Of the body nothing is known. " : "The body is not shown to differ. ");
    }
    if (b->has_baseline_counts && !b->is_baseline)
        text_add(text, "Both have the same count in every bin: likely one measurement given twice. ");
    if (d->n_no_worse > 0 && d->body <= 0 && d->tail == 0 && !b->is_baseline)
        text_format(text, "It is shown to be %s by more than %.3g %% up to the %.10g %% quantile. ", d->is_equivalent ? "neither worse nor better" : "no worse",
                    compare->options->margin_pct, quantile_levels[d->n_no_worse - 1] * 100);
    if (d->by_trace)
        return;
    text_add(text, "Maxima: ");
    add_maximum(text, a);
    text_add(text, " -> ");
    add_maximum(text, b);
    if (d->length_differs) {
        text_add(text, ", of ");
        add_count(text, a->n_per_series);
        text_add(text, " and ");
        add_count(text, b->n_per_series);
        text_add(text, " samples a series");
    }
    text_add(text, ". ");
    if (d->length_explains)
        text_format(text, "The longer run has the larger maximum, which length alone gives with a chance of %.0f %%: it shows nothing. ",
                    100 * p_longer_run_wins(fmin(a->n_per_series, b->n_per_series), fmax(a->n_per_series, b->n_per_series)));
}

/* Of many sides, those that cannot be compared. */
static void conclude_unfair(const struct compare *compare, struct text *text)
{
    size_t n = 0;
    const struct text *keys = NULL;
    for (uint32_t side = 0; side < compare->n_sides; side++)
        if (compare->sides[side].gravest >= 3) {
            n++;
            keys = &compare->sides[side].confounds;
        }
    if (n > 0)
        text_format(text, "%zu of them cannot be compared fairly with the baseline (%s differs). ", n, text_string(keys));
}

static void list_sides(const struct compare *compare, const struct difference *differences, const char *word, int body, int tail, struct text *text)
{
    size_t n = 0;
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        const struct difference *d = &differences[side];
        if (side == compare->baseline || (body != 0 && d->body != body) || (tail != 0 && d->tail != tail) ||
            (body == 0 && tail == 0 && (d->body != 0 || d->tail != 0)))
            continue;
        n++;
        if (n <= MAX_TOLD)
            text_format(text, "%s%s", n == 1 ? word : ", ", compare->sides[side].name);
    }
    if (n > MAX_TOLD)
        text_format(text, " and %zu more", n - MAX_TOLD);
    if (n > 0)
        text_add(text, ". ");
}

static void list_copies(const struct compare *compare, struct text *text)
{
    size_t n = 0;
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        if (!compare->sides[side].has_baseline_counts)
            continue;
        n++;
        if (n <= MAX_TOLD)
            text_format(text, "%s%s", n == 1 ? "The baseline's own measurement once more: " : ", ", compare->sides[side].name);
    }
    if (n > MAX_TOLD)
        text_format(text, " and %zu more", n - MAX_TOLD);
    if (n > 0)
        text_add(text, ". ");
}

/* What weighs against one side's comparison. */
static void conclude_fairness(const struct side *side, struct text *text)
{
    if (side->gravest < 2)
        return;
    text_add(text, side->gravest >= 3 ? "This comparison is not fair, because these differ: " : "Not equal, or not stated, on both sides: ");
    text_format(text, "%s. ", text_string(&side->confounds));
}

/* Many sides: by what they show. */
static void conclude_many(const struct compare *compare, const struct difference *differences, struct text *text)
{
    text_format(text, "%zu runs or groups against %s. ", compare->n_sides - 1, compare->sides[compare->baseline].name);
    list_sides(compare, differences, "The tail is worse in ", 0, 1, text);
    list_sides(compare, differences, "The tail is better in ", 0, -1, text);
    list_sides(compare, differences, "The body is slower in ", 1, 0, text);
    list_sides(compare, differences, "The body is faster in ", -1, 0, text);
    list_sides(compare, differences, "No difference is shown in ", 0, 0, text);
    list_copies(compare, text);
}

void compare_conclusion(struct compare *compare, const struct difference *differences)
{
    struct comparison *c = &compare->analysis->comparison;
    struct text text = {.max_length = 8000};
    bool one_each = true, is_long = compare->n_sides > MAX_TOLD + 1;
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        one_each &= compare->sides[side].n_runs < 2;
        if (side == compare->baseline || is_long)
            continue;
        if (compare_has_traces(compare) || compare->has_series)
            conclude_side(compare, side, &differences[side], &text); /* ends with a blank */
        if (compare->n_sides > 2)
            conclude_fairness(&compare->sides[side], &text);
    }
    if (is_long)
        conclude_many(compare, differences, &text);
    if (!compare->has_series && !compare->paths_differ && !compare_has_traces(compare))
        text_add(&text, "The files hold no two runs of latencies to compare. ");
    else if (compare->paths_differ)
        text_add(&text, "The runs measured different things: there is nothing to compare. ");
    if (compare->has_series)
        compare_order(compare, &text);
    for (uint32_t side = 0; side < compare->n_sides && compare->n_sides == 2; side++)
        conclude_fairness(&compare->sides[side], &text);
    if (is_long)
        conclude_unfair(compare, &text);
    if (one_each && text.length && (compare->has_series || compare_has_traces(compare)))
        text_add(&text, "One run on each side: how much runs differ among themselves was not measured.");
    c->conclusion = arena_string(&compare->analysis->arena, text_string(&text));
    text_release(&text);
}

static void add_next(struct compare *compare, const char *change, const char *why, double n_samples)
{
    struct comparison *c = &compare->analysis->comparison;
    c->next_runs[c->n_next_runs++] = (struct next_run){change, why, n_samples};
}

#define MAX_NEXT 8
void compare_next_runs(struct compare *compare, const struct difference *differences, int gravest)
{
    struct comparison *c = &compare->analysis->comparison;
    struct arena *arena = &compare->analysis->arena;
    double longest = NAN;
    bool any_length = false, one_each = true, any_difference = false;
    c->next_runs = arena_array(arena, MAX_NEXT + 4, sizeof *c->next_runs);
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        longest = isnan(longest) ? compare->sides[side].n_per_series : fmax(longest, compare->sides[side].n_per_series);
        any_length |= differences[side].length_differs;
        any_difference |= differences[side].body != 0 || differences[side].tail != 0;
        one_each &= compare->sides[side].n_runs < 2;
    }
    for (size_t i = 0; i < c->n_confounds && c->n_next_runs < MAX_NEXT && gravest >= 2; i++) {
        const struct confound *confound = &c->confounds[i];
        if (strcmp(confound->severity, "note") == 0 || strcmp(confound->key, "length") == 0)
            continue;
        bool is_missing = false;
        for (size_t k = 0; k < confound->n_values; k++)
            is_missing |= !confound->values[k];
        add_next(compare, arena_format(arena, is_missing ? "record %s on all sides" : "repeat one side with the other's %s", confound->key),
                 confound->why, longest);
    }
    for (uint32_t side = 0; side < compare->n_sides && c->n_next_runs < MAX_NEXT; side++)
        if (compare->sides[side].is_baseline) {
            add_next(compare, arena_format(arena, "give the file of another run instead of %s", compare->sides[side].name),
                     "it is the baseline's own file", NAN);
            break;
        }
    double slowest = 0; /* NAN: an interval is not known */
    for (size_t i = 0; i < compare->n_runs; i++)
        slowest = isnan(slowest) || isnan(compare->runs[i].interval_ns) ? NAN : fmax(slowest, compare->runs[i].interval_ns);
    if (slowest > 0 && slowest <= FAST_LOOP_NS)
        add_next(compare, "repeat all sides at an interval of 1 ms as well",
                 "a loop this fast keeps its code and data in the caches: a slower one shows what the rest of the system evicts", NAN);
    if (any_length)
        add_next(compare, "repeat the shorter run at the longer one's number of samples",
                 "maxima are comparable at equal sample counts only", longest);
    if (one_each)
        add_next(compare, any_difference ? "repeat both sides twice more, in turn" : "repeat both sides, in turn and longer",
                 "only repeats show how much runs differ without any change", any_difference ? longest : longest * 3);
}
