/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of one side among themselves: do they differ by more than their samples do? */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/compare.h"
#include "analyzers/stats/twosample.h"
#include "base/memory.h"

#define VARY_LEVEL 0.01
#define TAIL_LEAST 20 /* samples that the level leaves above it in the shortest run */

const struct histogram **compare_histograms(const struct compare *compare, uint32_t side, size_t *n)
{
    const struct side *s = &compare->sides[side];
    const struct histogram **list = memory_resize(NULL, s->n_members, sizeof *list);
    *n = 0;
    for (size_t i = 0; i < s->n_members; i++)
        if (compare->runs[s->members[i]].histogram.n > 0)
            list[(*n)++] = &compare->runs[s->members[i]].histogram;
    return list;
}

double compare_common_level(const struct histogram *const *runs, size_t n, double n_least)
{
    static const double levels[] = {0.99999, 0.9999, 0.999, 0.99};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        bool good = true;
        for (size_t r = 0; r < n; r++)
            good &= (double)runs[r]->n * (1 - levels[i]) >= n_least && !isnan(histogram_quantile(runs[r], levels[i]));
        if (good)
            return levels[i];
    }
    return NAN;
}

/* Counts above one edge against one share for all: chi-squared with n - 1 degrees of freedom. */
static double dispersion_p(const struct histogram *const *runs, size_t n, double edge_ns)
{
    double above = 0, all = 0, chi2 = 0;
    for (size_t i = 0; i < n; i++) {
        above += (double)histogram_count_at_least(runs[i], edge_ns);
        all += (double)runs[i]->n;
    }
    for (size_t i = 0; i < n; i++) {
        double expected = above / all * (double)runs[i]->n, off = (double)histogram_count_at_least(runs[i], edge_ns) - expected;
        if (expected > 0)
            chi2 += off * off / (expected * (1 - above / all));
    }
    return gsl_cdf_chisq_Q(chi2, (double)n - 1);
}

static void look_at_side(const struct compare *compare, uint32_t index)
{
    struct side *side = &compare->sides[index];
    size_t n;
    const struct histogram **runs = compare_histograms(compare, index, &n);
    side->repeats = (struct repeats){.n_runs = n, .body_p = NAN, .tail_p = NAN, .level = NAN};
    side->repeats.body = spread_of_mean(runs, n);
    if (n >= 2) {
        struct repeats *r = &side->repeats;
        struct tied tied = tied_from(runs, n);
        anderson_darling_k(&tied, &r->body_p);
        tied_release(&tied);
        r->level = compare_common_level(runs, n, TAIL_LEAST);
        if (!isnan(r->level)) {
            r->tail = spread_of_quantile(runs, n, r->level, compare->options->seed);
            double edge = histogram_quantile(&side->histogram, r->level);
            if (side->histogram.n > 0 && !isnan(edge))
                r->tail_p = dispersion_p(runs, n, edge);
        }
        /* Two tests a side, all sides together; 0.0005 is the least that Anderson-Darling gives. */
        double alpha = fmax(0.00051, VARY_LEVEL / 2 / (double)compare->n_sides);
        r->vary = r->body_p < alpha || r->tail_p < alpha;
    }
    free(runs);
}

static void tell_side(const struct compare *compare, uint32_t index)
{
    struct findings *out = &compare->analysis->findings;
    const struct side *side = &compare->sides[index];
    const struct repeats *r = &side->repeats;
    bool by_tail = r->tail.n_runs > 1;
    const struct spread *spread = by_tail ? &r->tail : &r->body;
    if (r->n_runs < 2 || spread->n_runs < 2)
        return;
    struct finding *finding = findings_add(out, "runs-vary", SEVERITY_NOTE, CONFIDENCE_LIKELY);
    finding->variant = r->vary ? "" : "agree";
    finding->run = side->first_run;
    finding->subject = by_tail ? arena_format(out->arena, "%.10g %% quantile", r->level * 100) : "average";
    finding_count(out, finding, "n_runs", r->n_runs);
    finding_rounded(out, finding, "lowest_ns", spread->low);
    finding_rounded(out, finding, "highest_ns", spread->high);
    finding_number(out, finding, "sd_ns", spread->sd);
    finding_number(out, finding, "sampling_ns", spread->sampling_sd);
    finding_number(out, finding, "between_ns", spread->between_sd);
    finding_number(out, finding, "p", fmin(1, 2 * fmin(isnan(r->body_p) ? 1 : r->body_p, isnan(r->tail_p) ? 1 : r->tail_p)));
    if (by_tail && r->body.n_runs > 1) {
        finding_rounded(out, finding, "lowest_avg_ns", r->body.low);
        finding_rounded(out, finding, "highest_avg_ns", r->body.high);
    }
}

void compare_repeats(struct compare *compare)
{
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        look_at_side(compare, side);
        tell_side(compare, side);
    }
}
