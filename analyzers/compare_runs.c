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

/* ---- names that all runs share ---- */

struct named_series {
    const char *name;
    uint32_t series;
};

static int by_name(const void *a, const void *b)
{
    const struct named_series *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->series > y->series) - (x->series < y->series);
}

/* The series of a name that every run has on the path; series of a run follow each other, and so do those of one name here. */
static void mark_shared(const struct compare *compare, const struct named_series *named, size_t n, bool *is_shared)
{
    const struct series *series = compare->store->series;
    for (size_t begin = 0, end; begin < n; begin = end) {
        size_t n_runs = 0;
        for (end = begin; end < n && strcmp(named[end].name, named[begin].name) == 0; end++)
            n_runs += end == begin || series[named[end].series].run != series[named[end - 1].series].run;
        for (size_t i = begin; i < end; i++)
            is_shared[named[i].series] = n_runs == compare->store->n_runs;
    }
}

/*
 * Which series of the path are measured: only equal things are pooled where names tell things apart. In a run that has names
 * which all runs share, those; in one without, all. The caller frees it.
 */
static bool *pooled_series(const struct compare *compare)
{
    const struct store *store = compare->store;
    bool *is_pooled = memory_new(store->n_series + 1), *is_shared = memory_new(store->n_series + 1);
    struct named_series *named = memory_new((store->n_series + 1) * sizeof *named);
    size_t n = 0;
    bool is_by_name = compare->path != PATH_TIMER_WAKEUP && compare->path != PATH_NOISE; /* there a name is a thread or a CPU */
    for (uint32_t i = 0; i < store->n_series && is_by_name; i++)
        if (store->series[i].path == compare->path && store->series[i].name)
            named[n++] = (struct named_series){store->series[i].name, i};
    memory_sort(named, n, sizeof *named, by_name);
    mark_shared(compare, named, n, is_shared);
    for (uint32_t run = 0; run < store->n_runs; run++) {
        struct row_range rows = store_series_of_run(store, run);
        bool any_shared = false;
        for (uint32_t i = rows.begin; i < rows.end; i++)
            any_shared |= is_shared[i];
        for (uint32_t i = rows.begin; i < rows.end; i++)
            is_pooled[i] = store->series[i].path == compare->path && store->series[i].n_samples != 0 &&
                           (is_shared[i] || !any_shared || !store->series[i].name);
    }
    free(named);
    free(is_shared);
    return is_pooled;
}

/* ---- one run ---- */

static int by_edge(const void *a, const void *b)
{
    const struct bin *x = a, *y = b;
    return (x->low_ns > y->low_ns) - (x->low_ns < y->low_ns);
}

#define MOST_MISSED 1000000

/*
 * What a loop that skips missed periods never measured: for a latency L beyond the period P, waits of L-P, L-2P ... (as
 * HdrHistogram's corrected recording). Done only against a tool that replays them and so measured them. The caller frees the bins.
 */
static struct bin *add_missed(const struct histogram *h, int64_t period, struct histogram *out)
{
    size_t n_all = h->n_bins, capacity = h->n_bins, n = 0;
    struct bin *all = memory_resize(NULL, capacity, sizeof *all);
    memcpy(all, h->bins, h->n_bins * sizeof *all);
    for (size_t i = 0; i < h->n_bins; i++)
        for (int64_t low = h->bins[i].low_ns - period; low > 0 && n_all - h->n_bins < MOST_MISSED; low -= period) {
            memory_reserve(all, capacity, n_all + 1);
            all[n_all++] = (struct bin){low, h->bins[i].count};
        }
    memory_sort(all, n_all, sizeof *all, by_edge);
    for (size_t i = 0; i < n_all; i++) {
        if (n > 0 && all[n - 1].low_ns == all[i].low_ns)
            all[n - 1].count += all[i].count;
        else
            all[n++] = all[i];
    }
    *out = histogram_of(all, n, h->width_ns, h->n_overflow, h->limit_ns, h->max_ns);
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

/* The first and the last run whose tool replays missed periods; ROW_NONE: none does. */
struct replaying {
    uint32_t first, last;
};

static struct replaying find_replaying(const struct compare *compare)
{
    struct replaying found = {ROW_NONE, ROW_NONE};
    for (size_t i = 0; i < compare->store->n_series; i++) {
        const struct series *s = &compare->store->series[i];
        if (s->path != compare->path || s->omission != OMISSION_REPLAYS)
            continue;
        if (found.first == ROW_NONE)
            found.first = s->run;
        found.last = s->run;
    }
    return found;
}

static bool another_replays(struct replaying replaying, uint32_t run)
{
    return replaying.first != ROW_NONE && (replaying.first != run || replaying.last != run);
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

/* What read_run() adds up over the series of a run. */
struct run_sum {
    struct series_shape *shapes; /* [n] */
    size_t n;
    double weighted, weight;     /* averages, by samples */
    bool all_shaped;
};

static bool has_shape(const struct series *s, const struct histogram *h)
{
    return h->n > 0 && !s->is_block_maxima;
}

static double average_of(const struct series *s, const struct histogram *h)
{
    if (!has_shape(s, h))
        return s->avg_ns;
    /* Printed averages are truncated: the rows say more. */
    bool rows_are_exact = s->bin_edge == BIN_FLOOR && h->n_overflow == 0 && !h->widths_differ;
    return isnan(s->avg_ns) || rows_are_exact ? histogram_mean(h) : s->avg_ns;
}

static void add_series(struct measured_run *m, const struct series *s, const struct histogram *h, struct run_sum *sum)
{
    double count = s->n_samples != COUNT_UNKNOWN ? (double)s->n_samples : has_shape(s, h) ? (double)h->n : NAN;
    double average = average_of(s, h);
    sum->all_shaped &= has_shape(s, h);
    m->series_max[m->n_series] = known(s->max_ns);
    m->series_avg[m->n_series++] = count < 10 ? NAN : average; /* a value or two are no body */
    if (!isnan(count)) {
        m->n = isnan(m->n) ? count : m->n + count;
        m->n_per_series = larger(m->n_per_series, count);
    }
    if (!isnan(average)) {
        double w = isnan(count) ? 1 : count;
        sum->weighted += average * w;
        sum->weight += w;
    }
    m->min_ns = smaller(m->min_ns, known(s->min_ns));
    m->max_ns = larger(m->max_ns, known(s->max_ns));
    m->max_is_lower_bound |= s->max_is_lower_bound;
    m->duration_ns = larger(m->duration_ns, known(series_duration_ns(s)));
    m->interval_ns = smaller(m->interval_ns, known(s->interval_ns));
}

static bool needs_missed(const struct series *s, const struct histogram *h)
{
    return has_shape(s, h) && s->omission == OMISSION_SKIPS && s->interval_ns > 0 && s->max_ns >= s->interval_ns;
}

static void finish_run(struct measured_run *m, const struct run_sum *sum)
{
    struct histogram *parts = memory_new((sum->n + 1) * sizeof *parts);
    if (sum->weight > 0)
        m->avg_ns = sum->weighted / sum->weight;
    for (size_t i = 0; i < sum->n; i++)
        parts[i] = sum->shapes[i].histogram;
    if (sum->n > 0 && sum->all_shaped)
        m->bins = histogram_merge(parts, sum->n, &m->histogram);
    free(parts);
}

static enum status read_run(const struct compare *compare, struct measured_run *m, const bool *is_pooled, struct replaying replaying,
                            struct error *error)
{
    const struct store *store = compare->store;
    struct row_range rows = store_series_of_run(store, m->run);
    size_t n_rows = rows.end - rows.begin;
    struct run_sum sum = {.shapes = memory_new((n_rows + 1) * sizeof *sum.shapes), .all_shaped = true};
    enum status status = OK;
    m->series_max = memory_resize(NULL, n_rows, sizeof(double));
    m->series_avg = memory_resize(NULL, n_rows, sizeof(double));
    m->n = m->min_ns = m->avg_ns = m->max_ns = m->duration_ns = m->interval_ns = m->n_per_series = NAN;
    for (uint32_t i = rows.begin; i < rows.end && status != FAILED; i++) {
        const struct series *s = &store->series[i];
        if (!is_pooled[i])
            continue;
        struct series_shape *shape = &sum.shapes[sum.n++];
        status = series_shape_read(shape, store, i, error);
        if (s->is_block_maxima && s->path == PATH_TIMER_WAKEUP && shape->histogram.n > 0 && m->n_series == 0)
            keep_blocks(m, s, &shape->histogram);
        add_series(m, s, &shape->histogram, &sum);
        if (another_replays(replaying, m->run) && needs_missed(s, &shape->histogram)) {
            struct bin *own = add_missed(&shape->histogram, s->interval_ns, &shape->histogram);
            free(shape->own);
            shape->own = own;
            m->is_normalised = true;
        }
    }
    if (status != FAILED)
        finish_run(m, &sum);
    for (size_t i = 0; i < sum.n; i++)
        series_shape_release(&sum.shapes[i]);
    free(sum.shapes);
    return status;
}

/* ---- sides ---- */

struct group_run {
    uint32_t group, run;
};

static int by_group(const void *a, const void *b)
{
    const struct group_run *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

/* Runs of one input are one side, sides in the order of their first runs; with one input, every run is. */
static void assign_sides(struct compare *compare)
{
    const struct store *store = compare->store;
    struct group_run *order = memory_new((compare->n_runs + 1) * sizeof *order);
    for (uint32_t i = 0; i < compare->n_runs; i++)
        order[i] = (struct group_run){store->runs[i].group, i};
    memory_sort(order, compare->n_runs, sizeof *order, by_group);
    bool one_input = compare->n_runs == 0 || order[0].group == order[compare->n_runs - 1].group;
    uint32_t *first = memory_new((compare->n_runs + 1) * sizeof *first); /* run of the same side, by run */
    for (size_t i = 0; i < compare->n_runs; i++)
        first[order[i].run] = i > 0 && order[i].group == order[i - 1].group && !one_input ? first[order[i - 1].run] : order[i].run;
    for (uint32_t run = 0; run < compare->n_runs; run++)
        compare->runs[run].side = first[run] == run ? (uint32_t)compare->n_sides++ : compare->runs[first[run]].side;
    free(first);
    free(order);
}

/* Gives each side its runs. */
static void list_members(struct compare *compare)
{
    compare->runs_by_side = memory_resize(NULL, compare->n_runs, sizeof *compare->runs_by_side);
    for (size_t i = 0; i < compare->n_runs; i++)
        compare->sides[compare->runs[i].side].n_members++;
    uint32_t *next = compare->runs_by_side;
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        compare->sides[side].members = next;
        next += compare->sides[side].n_members;
        compare->sides[side].n_members = 0;
    }
    for (uint32_t i = 0; i < compare->n_runs; i++) {
        struct side *side = &compare->sides[compare->runs[i].side];
        compare->runs_by_side[(side->members - compare->runs_by_side) + (ptrdiff_t)side->n_members++] = i;
    }
}

/* Blocks of all its runs, if all have them and of one span. */
static void pool_blocks(const struct compare *compare, struct side *side)
{
    struct histogram *parts = memory_new(side->n_members * sizeof *parts);
    size_t n = 0;
    bool good = true;
    side->block_ns = NAN;
    for (size_t i = 0; i < side->n_members; i++) {
        const struct measured_run *m = &compare->runs[side->members[i]];
        if (m->n_series == 0)
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
static bool begin_all_labels(const struct compare *compare, const struct side *side, const char *name, size_t length)
{
    for (size_t i = 0; i < side->n_members; i++) {
        const char *label = compare->store->runs[side->members[i]].label;
        if (!label || strncmp(label, name, length) != 0 || !strchr("/#", label[length]))
            return false;
    }
    return true;
}

/* The label of a side's run; of several runs the folder, or the input, that all their labels begin with. */
static const char *name_side(const struct compare *compare, const struct side *side)
{
    struct arena *arena = &compare->analysis->arena;
    const char *first = compare->store->runs[side->members[0]].label;
    if (!first)
        return "run";
    size_t length = strlen(first);
    while (side->n_runs > 1 && length > 0 && !begin_all_labels(compare, side, first, length))
        length--;
    return length > 0 ? arena_format(arena, "%.*s", (int)length, first) : arena_format(arena, "%s and others", first);
}

/* Its runs as one: histograms added up, the average weighted by samples. */
static void pool_side(const struct compare *compare, struct side *side)
{
    struct histogram *parts = memory_new(side->n_members * sizeof *parts);
    bool all_shaped = true;
    double weighted = 0, weight = 0;
    side->first_run = side->members[0];
    side->n = side->n_per_series = side->min_ns = side->avg_ns = side->max_ns = NAN;
    for (size_t i = 0; i < side->n_members; i++) {
        const struct measured_run *m = &compare->runs[side->members[i]];
        if (m->n_series == 0)
            continue;
        parts[side->n_runs++] = m->histogram;
        all_shaped &= m->histogram.n > 0;
        if (!isnan(m->n))
            side->n = isnan(side->n) ? m->n : side->n + m->n;
        side->n_per_series = larger(side->n_per_series, m->n_per_series);
        side->min_ns = smaller(side->min_ns, m->min_ns);
        side->max_ns = larger(side->max_ns, m->max_ns);
        side->max_is_lower_bound |= m->max_is_lower_bound;
        if (!isnan(m->avg_ns)) {
            double w = isnan(m->n) ? 1 : m->n;
            weighted += m->avg_ns * w;
            weight += w;
        }
    }
    if (weight > 0)
        side->avg_ns = weighted / weight;
    side->name = name_side(compare, side);
    side->histogram = side->blocks = histogram_of(NULL, 0, 1, 0, NAN, NAN);
    pool_blocks(compare, side);
    if (all_shaped && side->n_runs > 0)
        side->bins = histogram_merge(parts, side->n_runs, &side->histogram);
    free(parts);
}

static void make_sides(struct compare *compare)
{
    assign_sides(compare);
    compare->sides = memory_new(compare->n_sides * sizeof *compare->sides);
    list_members(compare);
    for (uint32_t side = 0; side < compare->n_sides; side++)
        pool_side(compare, &compare->sides[side]);
    if (compare->options->baseline < compare->n_runs)
        compare->baseline = compare->runs[compare->options->baseline].side;
}

enum status compare_read_runs(struct compare *compare, struct error *error)
{
    enum status status = OK;
    choose_path(compare);
    struct replaying replaying = find_replaying(compare);
    bool *is_pooled = pooled_series(compare);
    compare->n_runs = compare->store->n_runs;
    compare->runs = memory_new(compare->n_runs * sizeof *compare->runs);
    for (uint32_t run = 0; run < compare->n_runs && status != FAILED; run++) {
        compare->runs[run].run = run;
        status = read_run(compare, &compare->runs[run], is_pooled, replaying, error);
    }
    free(is_pooled);
    if (status != FAILED)
        make_sides(compare);
    return status;
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
    free(compare->runs_by_side);
    compare->runs = NULL;
    compare->sides = NULL;
    compare->runs_by_side = NULL;
}
