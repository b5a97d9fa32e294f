/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which series of which runs are compared: the path that they share, pooled by run and by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/compare.h"
#include "analyzers/series_shape.h"

/* Best first; tables that do not say what they measured come last, and are matched by their names. */
static const enum measure_path preferred[] = {PATH_TIMER_WAKEUP, PATH_IRQ_RESPONSE, PATH_IRQ_HANDLER, PATH_SECTION, PATH_NOISE,
                                              PATH_CALL_DURATION, PATH_UNKNOWN};

static bool run_has_path(const struct store *store, uint32_t run, enum measure_path path)
{
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if (store->series[i].path == path && store->series[i].n_samples != 0)
            return true;
    return false;
}

/* The first preferred path that all runs have; else the first that any has, and they differ. */
static void choose_path(struct compare *compare)
{
    enum measure_path any = PATH_UNKNOWN;
    size_t n_most = 0;
    for (size_t p = 0; p < sizeof preferred / sizeof *preferred; p++) {
        size_t n_with = 0;
        for (uint32_t run = 0; run < compare->store->n_runs; run++)
            n_with += run_has_path(compare->store, run, preferred[p]);
        if (n_with == compare->store->n_runs) {
            compare->path = preferred[p];
            compare->has_series = true;
            return;
        }
        if (n_with > n_most) { /* not in all: the one that most have */
            any = preferred[p];
            n_most = n_with;
        }
    }
    compare->path = any;
    size_t n_measured = 0;
    for (uint32_t run = 0; run < compare->store->n_runs; run++)
        for (size_t p = 0; p < sizeof preferred / sizeof *preferred; p++)
            if (run_has_path(compare->store, run, preferred[p])) {
                n_measured++;
                break;
            }
    compare->paths_differ = n_measured > 1 && n_most < 2;
    compare->has_series = n_most >= 2;
}

/* True if series of this name are on the path in all runs: only equal things are pooled where names tell things apart. */
static bool is_shared(const struct compare *compare, const struct series *s)
{
    const struct store *store = compare->store;
    /* Hundreds of results are one table's rows, named alike: looking at all of them for each would take for ever. */
    if (compare->path == PATH_TIMER_WAKEUP || compare->path == PATH_NOISE || !s->name || store->n_runs * store->n_series > 100000)
        return true;
    bool any_shared = false, own_shared = true;
    for (size_t k = 0; k < store->n_series; k++) {
        const struct series *one = &store->series[k];
        if (one->run != s->run || one->path != compare->path || !one->name)
            continue;
        bool everywhere = true;
        for (uint32_t run = 0; run < store->n_runs && everywhere; run++) {
            bool found = false;
            for (size_t j = 0; j < store->n_series && !found; j++)
                found = store->series[j].run == run && store->series[j].path == compare->path && store->series[j].name &&
                        strcmp(store->series[j].name, one->name) == 0;
            everywhere = found;
        }
        any_shared |= everywhere;
        if (one == s)
            own_shared = everywhere;
    }
    return own_shared || !any_shared;
}

/*
 * What a loop that skips missed periods never measured: for a latency L beyond the period P, waits of L-P, L-2P ... (as
 * HdrHistogram's corrected recording). Done only against a tool that replays them and so measured them.
 */
static struct bin *add_missed(const struct histogram *h, int64_t period, struct histogram *out)
{
    size_t n_new = 0, capacity = 0;
    struct bin *missed = NULL;
    for (size_t i = 0; i < h->n_bins; i++)
        for (int64_t low = h->bins[i].low_ns - period; low > 0 && n_new < 1000000; low -= period) {
            memory_reserve(missed, capacity, n_new + 1);
            missed[n_new++] = (struct bin){low, h->bins[i].count};
        }
    /* Each source's bins fall; a histogram's must rise. One part per pass would be many: sort by edge through merging runs. */
    struct histogram sum = histogram_of(NULL, 0, h->width_ns, 0, NAN, NAN);
    struct bin *all = NULL;
    size_t n_all = h->n_bins + n_new;
    all = memory_resize(NULL, n_all, sizeof *all);
    memcpy(all, h->bins, h->n_bins * sizeof *all);
    if (n_new > 0)
        memcpy(all + h->n_bins, missed, n_new * sizeof *all);
    free(missed);
    for (size_t gap = n_all / 2; gap > 0; gap /= 2) /* shell sort: nearly sorted runs, no context needed */
        for (size_t i = gap; i < n_all; i++) {
            struct bin moved = all[i];
            size_t k = i;
            for (; k >= gap && all[k - gap].low_ns > moved.low_ns; k -= gap)
                all[k] = all[k - gap];
            all[k] = moved;
        }
    size_t n = 0;
    for (size_t i = 0; i < n_all; i++) {
        if (n > 0 && all[n - 1].low_ns == all[i].low_ns)
            all[n - 1].count += all[i].count;
        else
            all[n++] = all[i];
    }
    sum = histogram_of(all, n, h->width_ns, h->n_overflow, h->limit_ns, h->max_ns);
    *out = sum;
    return all;
}

static double known(int64_t ns)
{
    return ns == NS_UNKNOWN ? NAN : (double)ns;
}
static double larger(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : fmax(a, b);
}
static double smaller(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : fmin(a, b);
}

static enum omission other_omission(const struct compare *compare, uint32_t run)
{
    enum omission other = OMISSION_UNKNOWN;
    for (size_t i = 0; i < compare->store->n_series; i++)
        if (compare->store->series[i].run != run && compare->store->series[i].path == compare->path &&
            compare->store->series[i].omission != OMISSION_UNKNOWN)
            other = compare->store->series[i].omission;
    return other;
}

/* The worst of each second, of a run's first series that has no more. */
static void keep_blocks(struct measured_run *m, const struct series *s, const struct histogram *h)
{
    int64_t duration = series_duration_ns(s);
    if (duration == NS_UNKNOWN || duration <= 0 || m->blocks.n > 0)
        return;
    m->block_bins = histogram_merge(h, 1, &m->blocks);
    m->block_ns = (double)duration / (double)h->n;
}

static enum status read_run(const struct compare *compare, struct measured_run *m, struct error *error)
{
    const struct store *store = compare->store;
    struct series_shape *shapes = memory_new(store->n_series * sizeof *shapes);
    struct histogram *parts = memory_new(store->n_series * sizeof *parts);
    enum status status = OK;
    double weighted = 0, weight = 0;
    bool all_shaped = true;
    size_t n = 0;
    m->series_max = memory_resize(NULL, store->n_series, sizeof(double));
    m->series_avg = memory_resize(NULL, store->n_series, sizeof(double));
    m->n = m->min_ns = m->avg_ns = m->max_ns = m->duration_ns = m->interval_ns = m->n_per_series = NAN;
    for (uint32_t i = 0; i < store->n_series && status != FAILED; i++) {
        const struct series *s = &store->series[i];
        if (s->run != m->run || s->path != compare->path || s->n_samples == 0 || !is_shared(compare, s))
            continue;
        status = series_shape_read(&shapes[n], store, i, error);
        parts[n] = shapes[n].histogram;
        bool has_shape = parts[n].n > 0 && !s->is_block_maxima;
        all_shaped &= has_shape;
        if (s->is_block_maxima && s->path == PATH_TIMER_WAKEUP && parts[n].n > 0 && m->n_series == 0)
            keep_blocks(m, s, &parts[n]);
        double count = s->n_samples != COUNT_UNKNOWN ? (double)s->n_samples : has_shape ? (double)parts[n].n : NAN;
        double average = !isnan(s->avg_ns) ? s->avg_ns : has_shape ? histogram_mean(&parts[n]) : NAN;
        if (has_shape && !isnan(average) && s->bin_edge == BIN_FLOOR && parts[n].n_overflow == 0 && !parts[n].widths_differ)
            average = histogram_mean(&parts[n]); /* printed averages are truncated: the rows say more */
        m->series_max[m->n_series] = known(s->max_ns);
        m->series_avg[m->n_series++] = count < 10 ? NAN : average; /* a value or two are no body */
        if (!isnan(count)) {
            m->n = isnan(m->n) ? count : m->n + count;
            m->n_per_series = larger(m->n_per_series, count);
        }
        if (!isnan(average)) {
            double w = isnan(count) ? 1 : count;
            weighted += average * w;
            weight += w;
        }
        m->min_ns = smaller(m->min_ns, known(s->min_ns));
        m->max_ns = larger(m->max_ns, known(s->max_ns));
        m->max_is_lower_bound |= s->max_is_lower_bound;
        m->duration_ns = larger(m->duration_ns, known(series_duration_ns(s)));
        m->interval_ns = smaller(m->interval_ns, known(s->interval_ns));
        if (has_shape && s->omission == OMISSION_SKIPS && s->interval_ns > 0 && s->max_ns >= s->interval_ns &&
            other_omission(compare, m->run) == OMISSION_REPLAYS) {
            struct bin *own = add_missed(&parts[n], s->interval_ns, &parts[n]);
            free(shapes[n].own);
            shapes[n].own = own;
            m->is_normalised = true;
        }
        n++;
    }
    if (weight > 0)
        m->avg_ns = weighted / weight;
    if (status != FAILED && n > 0 && all_shaped)
        m->bins = histogram_merge(parts, n, &m->histogram);
    for (size_t i = 0; i < n; i++)
        series_shape_release(&shapes[i]);
    free(shapes);
    free(parts);
    return status;
}

/* Runs of one input are one side; with one input, every run is. */
static void make_sides(struct compare *compare)
{
    const struct store *store = compare->store;
    bool one_input = true;
    for (size_t i = 1; i < store->n_runs; i++)
        one_input &= store->runs[i].group == store->runs[0].group;
    uint32_t n = 0;
    for (size_t i = 0; i < compare->n_runs; i++) {
        struct measured_run *m = &compare->runs[i];
        m->side = n;
        for (size_t k = 0; k < i && !one_input; k++)
            if (store->runs[compare->runs[k].run].group == store->runs[m->run].group)
                m->side = compare->runs[k].side;
        n += m->side == n;
    }
    compare->n_sides = n;
    compare->sides = memory_new(n * sizeof *compare->sides);
    for (uint32_t side = 0; side < n; side++)
        compare->sides[side] = compare_pool(compare, side);
    uint32_t wanted = compare->options->baseline;
    for (size_t i = 0; i < compare->n_runs; i++)
        if (compare->runs[i].run == wanted)
            compare->baseline = compare->runs[i].side;
}

/* Blocks of all its runs, if all have them and of one span. */
static void pool_blocks(const struct compare *compare, uint32_t which, struct side *side)
{
    struct histogram *parts = memory_new(compare->n_runs * sizeof *parts);
    size_t n = 0;
    bool good = true;
    side->block_ns = NAN;
    for (size_t i = 0; i < compare->n_runs; i++) {
        const struct measured_run *m = &compare->runs[i];
        if (m->side != which || m->n_series == 0)
            continue;
        good &= m->blocks.n > 0 && (n == 0 || (m->block_ns < 1.2 * side->block_ns && side->block_ns < 1.2 * m->block_ns));
        side->block_ns = n == 0 ? m->block_ns : side->block_ns;
        parts[n++] = m->blocks;
    }
    if (good && n > 0)
        side->block_bins = histogram_merge(parts, n, &side->blocks);
    free(parts);
}

/* True if all labels of a side begin with these bytes, as a whole name: "old" of "old", "old/2.json" and "old#2". */
static bool begin_all_labels(const struct compare *compare, uint32_t which, const char *name, size_t length)
{
    for (size_t i = 0; i < compare->n_runs; i++) {
        const char *label = compare->store->runs[compare->runs[i].run].label;
        if (compare->runs[i].side == which && (!label || strncmp(label, name, length) != 0 || !strchr("/#", label[length])))
            return false;
    }
    return true;
}

/* The label of a side's run; of several runs the folder, or the input, that all their labels begin with. */
static const char *name_side(const struct compare *compare, uint32_t which, size_t n_runs, uint32_t first_run)
{
    struct arena *arena = &compare->analysis->arena;
    const char *first = first_run == ROW_NONE ? NULL : compare->store->runs[first_run].label;
    if (!first)
        return "run";
    size_t length = strlen(first);
    while (n_runs > 1 && length > 0 && !begin_all_labels(compare, which, first, length))
        length--;
    return length > 0 ? arena_format(arena, "%.*s", (int)length, first) : arena_format(arena, "%s and others", first);
}

struct side compare_pool(const struct compare *compare, uint32_t which)
{
    struct side side = {.first_run = ROW_NONE, .n = NAN, .n_per_series = NAN, .min_ns = NAN, .avg_ns = NAN, .max_ns = NAN};
    struct histogram *parts = memory_new(compare->n_runs * sizeof *parts);
    bool all_shaped = true;
    double weighted = 0, weight = 0;
    for (size_t i = 0; i < compare->n_runs; i++) {
        const struct measured_run *m = &compare->runs[i];
        if (m->side != which)
            continue;
        if (side.first_run == ROW_NONE)
            side.first_run = m->run;
        if (m->n_series == 0)
            continue;
        parts[side.n_runs++] = m->histogram;
        all_shaped &= m->histogram.n > 0;
        if (!isnan(m->n))
            side.n = isnan(side.n) ? m->n : side.n + m->n;
        side.n_per_series = larger(side.n_per_series, m->n_per_series);
        side.min_ns = smaller(side.min_ns, m->min_ns);
        side.max_ns = larger(side.max_ns, m->max_ns);
        side.max_is_lower_bound |= m->max_is_lower_bound;
        if (!isnan(m->avg_ns)) {
            double w = isnan(m->n) ? 1 : m->n;
            weighted += m->avg_ns * w;
            weight += w;
        }
    }
    if (weight > 0)
        side.avg_ns = weighted / weight;
    side.name = name_side(compare, which, side.n_runs, side.first_run);
    side.histogram = side.blocks = histogram_of(NULL, 0, 1, 0, NAN, NAN);
    pool_blocks(compare, which, &side);
    if (all_shaped && side.n_runs > 0)
        side.bins = histogram_merge(parts, side.n_runs, &side.histogram);
    free(parts);
    return side;
}

enum status compare_read_runs(struct compare *compare, struct error *error)
{
    choose_path(compare);
    compare->n_runs = compare->store->n_runs;
    compare->runs = memory_new(compare->n_runs * sizeof *compare->runs);
    for (uint32_t run = 0; run < compare->n_runs; run++) {
        compare->runs[run].run = run;
        if (read_run(compare, &compare->runs[run], error) == FAILED)
            return FAILED;
    }
    make_sides(compare);
    return OK;
}

void compare_release(struct compare *compare)
{
    for (size_t i = 0; i < compare->n_runs && compare->runs; i++) {
        free(compare->runs[i].bins);
        free(compare->runs[i].block_bins);
        free(compare->runs[i].series_max);
        free(compare->runs[i].series_avg);
    }
    for (size_t i = 0; i < compare->n_sides && compare->sides; i++) {
        free(compare->sides[i].bins);
        free(compare->sides[i].block_bins);
        text_release(&compare->sides[i].confounds);
    }
    free(compare->runs);
    free(compare->sides);
    compare->runs = NULL;
    compare->sides = NULL;
}
