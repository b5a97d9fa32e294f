/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three sides and more: which has the best tail, and whether tails move in the order of the runs. */
#include <math.h>
#include <stdlib.h>

#include "analyzers/compare.h"
#include "analyzers/stats/dependence.h"
#include "base/duration.h"

#include "base/memory.h"

#define LEAST_FOR_TREND 5

/* The deepest quantile that all sides know and that ten samples of the shortest lie above; NAN: expected maxima instead. */
static double common_level(const struct compare *compare)
{
    static const double levels[] = {0.9999999, 0.999999, 0.99999, 0.9999, 0.999, 0.99};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        bool good = true;
        for (size_t s = 0; s < compare->n_sides; s++) {
            const struct histogram *h = &compare->sides[s].histogram;
            good &= h->n > 0 && (double)h->n * (1 - levels[i]) >= 10 && !isnan(histogram_quantile(h, levels[i]));
        }
        if (good)
            return levels[i];
    }
    return NAN;
}

struct place {
    uint32_t side;
    double value;
};
static int by_value(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->side < y->side ? -1 : 1;
}

/* Values of all sides in order; false if one is unknown, or a maximum that may be any larger one. */
static bool tail_values(const struct compare *compare, double level, struct place *places)
{
    for (uint32_t s = 0; s < compare->n_sides; s++) {
        places[s] = (struct place){s, isnan(level) ? compare->sides[s].max_ns : histogram_quantile(&compare->sides[s].histogram, level)};
        if (isnan(places[s].value) || (isnan(level) && compare->sides[s].max_is_lower_bound))
            return false;
    }
    return true;
}

void compare_order(struct compare *compare, struct text *conclusion)
{
    if (compare->n_sides < 3)
        return;
    double level = common_level(compare);
    struct place *places = memory_new(compare->n_sides * sizeof *places);
    double *values = memory_new(compare->n_sides * sizeof *values);
    if (tail_values(compare, level, places)) {
        struct findings *out = &compare->analysis->findings;
        double p;
        for (size_t s = 0; s < compare->n_sides; s++)
            values[s] = places[s].value;
        double tau = kendall_trend(values, compare->n_sides, &p);
        if (compare->n_sides >= LEAST_FOR_TREND && p < 1 - compare->options->confidence_pct / 100) {
            struct finding *finding = findings_add(out, "trend", tau > 0 ? SEVERITY_WARNING : SEVERITY_NOTE, CONFIDENCE_LIKELY);
            finding->variant = tau > 0 ? "" : "falls";
            finding_count(out, finding, "n_runs", compare->n_sides);
            finding_rounded(out, finding, "from_ns", values[0]);
            finding_rounded(out, finding, "to_ns", values[compare->n_sides - 1]);
            finding_number(out, finding, "tau", tau);
            finding_number(out, finding, "p", p);
        }
        memory_sort(places, compare->n_sides, sizeof *places, by_value);
        if (isnan(level))
            text_add(conclusion, "By their maxima, best first: ");
        else
            text_format(conclusion, "By the %.10g %% quantile, best first: ", level * 100);
        for (size_t i = 0; i < compare->n_sides && i < 20; i++) {
            char ns[DURATION_TEXT_BYTES];
            text_format(conclusion, "%s%s (%s)", i ? ", " : "", compare->sides[places[i].side].name, duration_format(ns_rounded(places[i].value), ns));
        }
        text_add(conclusion, compare->n_sides > 20 ? " ... " : ". ");
    }
    free(places);
    free(values);
}
