/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/path.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Values by power of two, each in 32 parts: a median is right within 2 %. */
#define PARTS 32
#define N_CELLS (40 * PARTS)
#define MIN_STEPS 100 /* values that a median needs before it is compared */

#define X(id, name) name,
static const char *const step_names[] = {PATH_STEPS(X)};
#undef X

const char *path_step_name(enum path_step_id step)
{
    return step_names[step];
}

struct path_pass {
    struct word_classes words;
    const struct store *store;
    const char *task;
    struct path_table *table;
    uint32_t (*cells)[N_CELLS];
};

static size_t cell_of(int64_t ns)
{
    if (ns < PARTS)
        return ns > 0 ? (size_t)ns : 0;
    unsigned bits = 63 - (unsigned)__builtin_clzll((unsigned long long)ns);
    size_t cell = (bits - 4) * PARTS + (size_t)((ns >> (bits - 5)) & (PARTS - 1));
    return cell < N_CELLS ? cell : N_CELLS - 1;
}

static double cell_middle(size_t cell)
{
    if (cell < PARTS)
        return (double)cell;
    unsigned bits = (unsigned)(cell / PARTS) + 4;
    return ldexp((double)(PARTS + cell % PARTS) + 0.5, (int)bits - 5);
}

static void add(struct path_pass *p, enum path_step_id step, int64_t from_ns, int64_t to_ns)
{
    if (from_ns == NS_UNKNOWN || to_ns == NS_UNKNOWN || to_ns < from_ns)
        return;
    struct path_step *s = &p->table->steps[step];
    int64_t ns = to_ns - from_ns;
    s->n++;
    if (ns > s->max_ns)
        s->max_ns = ns;
    p->cells[step][cell_of(ns)]++;
}

static void on_activation(void *context, const struct activation *a)
{
    struct path_pass *p = context;
    bool wanted = p->task ? task_matches(p->task, store_string(p->store, a->comm), a->tid)
                          : word_class(&p->words, a->comm) & WORD_MEASURING && prio_is_realtime(a->prio);
    if (!wanted || a->expire_ns == NS_UNKNOWN || a->due_is_soft)
        return;
    if (a->crowded || a->migrated) {
        p->table->n_left_out++;
        return;
    }
    p->table->n_activations++;
    add(p, STEP_DUE_ENTRY, a->due_ns, a->handler_ns);
    add(p, STEP_ENTRY_EXPIRE, a->handler_ns, a->expire_ns);
    add(p, STEP_EXPIRE_WAKING, a->expire_ns, a->waking_ns);
    add(p, STEP_WAKING_WAKEUP, a->waking_ns, a->wakeup_ns);
    add(p, STEP_WAKEUP_EXPIRED, a->wakeup_ns, a->expire_exit_ns);
    add(p, STEP_EXPIRED_EXIT, a->expire_exit_ns, a->handler_exit_ns);
    if (!a->switch_is_inferred) {
        add(p, STEP_EXIT_SWITCH, a->handler_exit_ns, a->switch_ns);
        add(p, STEP_SWITCH_REARM, a->switch_ns, a->rearm_ns);
        add(p, STEP_DUE_SWITCH, a->due_ns, a->switch_ns);
    }
    add(p, STEP_EXIT_REARM, a->handler_exit_ns, a->rearm_ns);
    add(p, STEP_REARM_OUT, a->rearm_ns, a->out_ns);
    add(p, STEP_DUE_REARM, a->due_ns, a->rearm_ns);
}

static double quantile(const uint32_t *cells, uint64_t n, double level)
{
    uint64_t rank = (uint64_t)(level * (double)n), sum = 0;
    for (size_t i = 0; i < N_CELLS; i++)
        if ((sum += cells[i]) > rank)
            return cell_middle(i);
    return NAN;
}

static enum status pass_stream(struct path_pass *p, uint32_t run, uint32_t stream, struct error *error)
{
    struct activations_config config = {.store = p->store,
                                        .words = &p->words,
                                        .run = run,
                                        .stream = stream,
                                        .trace_clock = p->store->streams[stream].clock,
                                        .task = p->task,
                                        .handler = on_activation,
                                        .context = p};
    struct event_merge *merge = event_merge_new(p->store, run, stream, INT64_MIN, INT64_MAX, error);
    if (!merge)
        return FAILED;
    struct activations *activations = activations_new(&config);
    struct event_ref ref;
    while (event_merge_next(merge, &ref))
        activations_apply(activations, &ref, 1);
    activations_finish(activations);
    activations_free(activations);
    enum status status = event_merge_status(merge);
    event_merge_free(merge);
    return status;
}

enum status path_table_make(struct path_table *table, const struct store *store, uint32_t run, const char *task,
                            struct error *error)
{
    *table = (struct path_table){0};
    struct path_pass p = {.store = store, .task = task, .table = table};
    p.cells = memory_new(N_PATH_STEPS * sizeof *p.cells);
    word_classes_init(&p.words, store);
    enum status status = OK;
    for (uint32_t i = 0; i < store->n_streams && status != FAILED; i++)
        if (store->streams[i].run == run && store->streams[i].n_events && !store->streams[i].clock_is_relative && stream_has_times(&store->streams[i]))
            status = pass_stream(&p, run, i, error);
    for (size_t i = 0; i < N_PATH_STEPS; i++) {
        table->steps[i].median_ns = quantile(p.cells[i], table->steps[i].n, 0.5);
        table->steps[i].p99_ns = quantile(p.cells[i], table->steps[i].n, 0.99);
    }
    word_classes_release(&p.words);
    free(p.cells);
    return status;
}

/* Steps that overlap no other: the shape is judged on these. */
static const enum path_step_id single_steps[] = {STEP_DUE_ENTRY,     STEP_ENTRY_EXPIRE, STEP_EXPIRE_WAKING, STEP_WAKING_WAKEUP,
                                                 STEP_WAKEUP_EXPIRED, STEP_EXPIRED_EXIT, STEP_EXIT_SWITCH,  STEP_SWITCH_REARM,
                                                 STEP_REARM_OUT};
#define N_SINGLE (sizeof single_steps / sizeof *single_steps)

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* sorted: the factors of the single steps, by which the slower run is slower. */
static enum path_shape shape_of(const double *sorted, size_t n)
{
    double lowest = sorted[0], highest = sorted[n - 1], middle = sorted[n / 2];
    size_t n_stretched = 0;
    for (size_t i = 0; i < n; i++)
        n_stretched += sorted[i] >= 1.3;
    if (highest < 1.15 && lowest > 0.87)
        return PATH_SHAPE_SAME;
    if (middle >= 1.15 && highest / lowest <= 1.2)
        return PATH_SHAPE_UNIFORM;
    if (n_stretched >= 3 && middle >= 1.2 && highest / lowest >= 1.4)
        return PATH_SHAPE_COLD;
    if (n_stretched == 1 && sorted[n - 2] < 1.15)
        return PATH_SHAPE_ONE_STEP;
    return PATH_SHAPE_MIXED;
}

struct path_comparison path_compare(const struct path_table *a, const struct path_table *b)
{
    struct path_comparison c = {.shape = PATH_SHAPE_UNKNOWN, .typical_ratio = NAN, .lowest = NAN, .highest = NAN};
    for (size_t i = 0; i < N_PATH_STEPS; i++)
        c.ratios[i] = a->steps[i].n >= MIN_STEPS && b->steps[i].n >= MIN_STEPS && a->steps[i].median_ns > 0
                          ? b->steps[i].median_ns / a->steps[i].median_ns
                          : NAN;
    double factors[N_SINGLE];
    size_t n = 0;
    for (size_t i = 0; i < N_SINGLE; i++)
        if (!isnan(c.ratios[single_steps[i]]))
            factors[n++] = c.ratios[single_steps[i]];
    if (n < 5)
        return c;
    memory_sort(factors, n, sizeof *factors, by_value);
    c.typical_ratio = factors[n / 2];
    c.lowest = factors[0];
    c.highest = factors[n - 1];
    c.b_is_slower = c.typical_ratio >= 1;
    double most = 0;
    for (size_t i = 0; i < N_SINGLE; i++) {
        double r = c.ratios[single_steps[i]], stretch = c.b_is_slower ? r : 1 / r;
        if (!isnan(r) && stretch > most) {
            most = stretch;
            c.most = single_steps[i];
        }
    }
    if (!c.b_is_slower) /* judged as the slower one against the faster */
        for (size_t i = 0; i < n; i++)
            factors[i] = 1 / factors[i];
    memory_sort(factors, n, sizeof *factors, by_value);
    c.shape = shape_of(factors, n);
    return c;
}
