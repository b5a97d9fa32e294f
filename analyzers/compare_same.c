/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One measurement given twice: as both sides of a comparison there is nothing to compare, as a repeat it hides how much runs
 * vary. The bytes of the files tell, where these were hashed, or the counts of all bins.
 */
#include <math.h>
#include <string.h>

#include "analyzers/compare.h"

/* Independent runs of so many samples in so many bins do not fall alike in all of them. */
#define LEAST_SAMPLES 1000
#define LEAST_BINS 10

enum likeness { APART = 0, SAME_COUNTS, SAME_BYTES };

static void keep_file(const struct store *store, uint32_t artefact, const struct artefact **file)
{
    if (!*file && artefact < store->n_artefacts)
        *file = &store->artefacts[artefact];
}

/* For each run the file that holds what it measured: of its first series that is compared, else of its first trace. */
static const struct artefact **measured_files(const struct compare *compare)
{
    const struct store *store = compare->store;
    const struct artefact **files = arena_array(&compare->analysis->arena, compare->n_runs, sizeof *files);
    for (size_t i = 0; i < store->n_series && compare->has_series; i++)
        if (store->series[i].path == compare->path)
            keep_file(store, store->series[i].artefact, &files[store->series[i].run]);
    for (size_t i = 0; i < store->n_streams; i++)
        keep_file(store, store->streams[i].artefact, &files[store->streams[i].run]);
    return files;
}

/* Unknown equals unknown. */
static bool is_equal(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static bool has_same_counts(const struct measured_run *a, const struct measured_run *b)
{
    const struct histogram *x = &a->histogram, *y = &b->histogram;
    if (x->n < LEAST_SAMPLES || x->n_bins < LEAST_BINS || x->n != y->n || x->n_bins != y->n_bins || x->n_overflow != y->n_overflow)
        return false;
    for (size_t i = 0; i < x->n_bins; i++)
        if (x->bins[i].low_ns != y->bins[i].low_ns || x->bins[i].count != y->bins[i].count)
            return false;
    return true;
}

/* Two runs of one file are no copies: what they measured must be equal, too. */
static enum likeness likeness_of(const struct compare *compare, const struct artefact *const *files, size_t i, size_t k)
{
    const struct measured_run *a = &compare->runs[i], *b = &compare->runs[k];
    if (!is_equal(a->n, b->n) || !is_equal(a->min_ns, b->min_ns) || !is_equal(a->max_ns, b->max_ns))
        return APART;
    const struct artefact *x = files[i], *y = files[k];
    if (x && y && x != y && *x->sha256 && strcmp(x->sha256, y->sha256) == 0)
        return SAME_BYTES;
    return has_same_counts(a, b) ? SAME_COUNTS : APART;
}

static void tell(const struct compare *compare, size_t i, size_t k, enum likeness likeness)
{
    const struct measured_run *a = &compare->runs[k], *b = &compare->runs[i];
    bool is_repeat = a->side == b->side;
    struct findings *out = &compare->analysis->findings;
    struct finding *finding = findings_add(out, "same-measurement", SEVERITY_WARNING,
                                           likeness == SAME_BYTES ? CONFIDENCE_PROVEN : CONFIDENCE_LIKELY);
    finding->variant = likeness == SAME_BYTES ? (is_repeat ? "repeat" : "") : is_repeat ? "repeat-counts" : "counts";
    finding->run = b->run;
    finding->subject = compare->store->runs[a->run].label;
}

void compare_same(struct compare *compare)
{
    const struct artefact **files = measured_files(compare);
    for (size_t i = 0; i < compare->n_runs; i++) {
        struct measured_run *m = &compare->runs[i];
        bool is_told = false;
        for (size_t k = 0; k < compare->n_runs; k++) {
            enum likeness likeness = k == i ? APART : likeness_of(compare, files, i, k);
            m->is_baseline |= likeness == SAME_BYTES && compare->runs[k].side == compare->baseline;
            m->has_baseline_counts |= likeness != APART && compare->runs[k].side == compare->baseline;
            if (likeness == APART || k > i || is_told)
                continue;
            tell(compare, i, k, likeness);
            is_told = true;
        }
    }
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        struct side *s = &compare->sides[side];
        s->is_baseline = s->has_baseline_counts = side != compare->baseline;
        for (size_t i = 0; i < s->n_members; i++) {
            s->is_baseline &= compare->runs[s->members[i]].is_baseline;
            s->has_baseline_counts &= compare->runs[s->members[i]].has_baseline_counts;
        }
    }
}
