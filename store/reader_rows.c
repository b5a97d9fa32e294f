/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of rows, decoded at open, in the orders that store.h promises. */
#include <string.h>

#include "store/store_private.h"

#include "base/memory.h"

static const char *string_of(void *context, uint32_t id)
{
    return store_string(context, id);
}

/* Decodes a table into the arena. The counts of all tables are known before, so that rows may refer to any. */
static void *decode_table(struct store *store, enum row_table_id id, struct chunk *chunk, struct error *error)
{
    struct store_private *p = store->private;
    const struct row_table *table = &row_tables[id];
    struct rows_front front;
    if (!chunk)
        return arena_new(&p->arena, 1);
    const unsigned char *payload = chunk_payload(store, chunk, error);
    if (!payload)
        return NULL;
    memcpy(&front, payload, sizeof front);
    char *rows = arena_array(&p->arena, front.n_rows, table->row_size);
    payload += sizeof front;
    for (size_t i = 0; i < front.n_rows; i++)
        if (!row_decode(table, payload + i * front.row_bytes, front.row_bytes, rows + i * table->row_size, p->n_rows,
                        string_of, store)) {
            error_input(error, "%s: row %zu of table '%s' refers to a row that does not exist", p->name, i, table->name);
            return NULL;
        }
    return rows;
}

static enum status count_rows(struct store *store, enum row_table_id id, struct chunk *chunk, struct error *error)
{
    struct rows_front front;
    if (!chunk)
        return OK;
    if (chunk->header.plain_bytes < sizeof front)
        return chunk_damaged(store, chunk, "it is too short", error);
    const unsigned char *payload = chunk_payload(store, chunk, error);
    if (!payload)
        return FAILED;
    memcpy(&front, payload, sizeof front);
    if (front.row_bytes < 4 || front.n_rows != chunk->header.n ||
        front.n_rows > (chunk->header.plain_bytes - sizeof front) / front.row_bytes)
        return chunk_damaged(store, chunk, "its rows do not fit", error);
    store->private->n_rows[id] = front.n_rows;
    return OK;
}

/* Stable: rows equal in order keep the order of the file, which a pointer's place tells. */
static int compare_gaps(const void *a, const void *b)
{
    const struct gap *x = *(const struct gap *const *)a, *y = *(const struct gap *const *)b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x > y) - (x < y);
}

static struct gap *sorted_gaps(struct store *store, const struct gap *gaps, size_t n)
{
    struct store_private *p = store->private;
    size_t n_all = n;
    const struct gap **order = memory_new((n + p->n_more_gaps + 1) * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &gaps[i];
    for (size_t i = 0; i < p->n_more_gaps; i++)
        if (p->more_gaps[i].stream < store->n_streams) {
            p->more_gaps[i].run = store->streams[p->more_gaps[i].stream].run;
            order[n_all++] = &p->more_gaps[i];
        }
    memory_sort(order, n_all, sizeof *order, compare_gaps);
    struct gap *sorted = arena_array(&p->arena, n_all, sizeof *sorted);
    for (size_t i = 0; i < n_all; i++)
        sorted[i] = *order[i];
    free(order);
    store->n_gaps = n_all;
    return sorted;
}

/*
 * Where each row of a table stands when they are grouped by run, in the order of the file within a run; the caller frees
 * it. ends[run]: behind the run's last. run is that member of the first row.
 */
static uint32_t *ranks_by_run(const uint32_t *run, size_t row_size, size_t n, size_t n_runs, uint32_t *ends)
{
    uint32_t *ranks = memory_new((n + 1) * sizeof *ranks);
#define RUN_OF(row) (*(const uint32_t *)(const void *)((const char *)run + (row) * row_size))
    for (size_t i = 0; i < n; i++)
        if (RUN_OF(i) + 1 < n_runs)
            ends[RUN_OF(i) + 1]++; /* for now: where the next run's rows begin */
    for (size_t r = 1; r < n_runs; r++)
        ends[r] += ends[r - 1];
    for (size_t i = 0; i < n; i++)
        ranks[i] = ends[RUN_OF(i)]++;
#undef RUN_OF
    return ranks;
}

static struct row_range range_of_run(const struct store *store, const uint32_t *ends, uint32_t run)
{
    if (run >= store->n_runs)
        return (struct row_range){0, 0};
    return (struct row_range){run ? ends[run - 1] : 0, ends[run]};
}

struct row_range store_series_of_run(const struct store *store, uint32_t run)
{
    return range_of_run(store, store->private->series_ends, run);
}

const struct fact *const *store_facts_of_run(const struct store *store, uint32_t run, size_t *n)
{
    struct row_range rows = range_of_run(store, store->private->fact_ends, run);
    *n = rows.end - rows.begin;
    return store->private->facts_by_run + rows.begin;
}

/* Each run's series together; their ranks are for the tables that name them, the caller's to free. */
static uint32_t *group_series(struct store *store, const struct series *series)
{
    struct store_private *p = store->private;
    struct series *sorted = arena_array(&p->arena, store->n_series, sizeof *sorted);
    p->series_ends = arena_array(&p->arena, store->n_runs, sizeof *p->series_ends);
    uint32_t *ranks = ranks_by_run(&series->run, sizeof *series, store->n_series, store->n_runs, p->series_ends);
    for (size_t i = 0; i < store->n_series; i++)
        sorted[ranks[i]] = series[i];
    store->series = sorted;
    return ranks;
}

static void index_facts(struct store *store)
{
    struct store_private *p = store->private;
    p->facts_by_run = arena_array(&p->arena, store->n_facts, sizeof *p->facts_by_run);
    p->fact_ends = arena_array(&p->arena, store->n_runs, sizeof *p->fact_ends);
    uint32_t *ranks = ranks_by_run(&store->facts->run, sizeof *store->facts, store->n_facts, store->n_runs, p->fact_ends);
    for (size_t i = 0; i < store->n_facts; i++)
        p->facts_by_run[ranks[i]] = &store->facts[i];
    free(ranks);
}

/* Rows of a list follow each other by claim; what does not is another program's work, and is refused. */
static enum status attach_lists(struct store *store, struct claim *claims, const struct claim_part_row *parts,
                                const struct claim_stack_row *stacks, struct error *error)
{
    struct store_private *p = store->private;
    size_t n_parts = p->n_rows[TABLE_CLAIM_PARTS], n_stacks = p->n_rows[TABLE_CLAIM_STACKS];
    struct claim_part *all_parts = arena_array(&p->arena, n_parts, sizeof *all_parts);
    const char **all_frames = arena_array(&p->arena, n_stacks, sizeof *all_frames);
    for (size_t i = 0; i < n_parts; i++) {
        struct claim *claim = &claims[parts[i].claim];
        if (i && parts[i].claim < parts[i - 1].claim)
            return error_input(error, "%s: parts of claims are not in order", p->name);
        all_parts[i] = parts[i].part;
        if (!claim->n_parts++)
            claim->parts = &all_parts[i];
    }
    for (size_t i = 0; i < n_stacks; i++) {
        struct claim *claim = &claims[stacks[i].claim];
        if (i && stacks[i].claim < stacks[i - 1].claim)
            return error_input(error, "%s: stacks of claims are not in order", p->name);
        all_frames[i] = stacks[i].frame;
        if (!claim->n_stack++)
            claim->stack = &all_frames[i];
    }
    return OK;
}

static int compare_tasks(const void *a, const void *b)
{
    const struct task *x = *(const struct task *const *)a, *y = *(const struct task *const *)b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    return (x > y) - (x < y);
}

static void index_tasks(struct store *store)
{
    struct store_private *p = store->private;
    p->tasks_by_tid = memory_new((store->n_tasks + 1) * sizeof *p->tasks_by_tid);
    for (size_t i = 0; i < store->n_tasks; i++)
        p->tasks_by_tid[i] = &store->tasks[i];
    memory_sort(p->tasks_by_tid, store->n_tasks, sizeof *p->tasks_by_tid, compare_tasks);
}

static void attach_counters(struct store *store, const struct sample_counter_row *rows, const uint32_t *ranks)
{
    struct store_private *p = store->private;
    for (size_t i = 0; i < p->n_rows[TABLE_SAMPLE_COUNTERS]; i++)
        p->series[ranks[rows[i].series]].n_counters++;
    for (size_t s = 0; s < store->n_series; s++)
        p->series[s].counters = arena_array(&p->arena, p->series[s].n_counters, sizeof *p->series[s].counters);
    for (size_t s = 0; s < store->n_series; s++)
        p->series[s].n_counters = 0;
    for (size_t i = 0; i < p->n_rows[TABLE_SAMPLE_COUNTERS]; i++) {
        struct series_data *series = &p->series[ranks[rows[i].series]];
        ((const char **)(uintptr_t)series->counters)[series->n_counters++] = rows[i].name;
    }
}

static enum status arrange(struct store *store, void *const rows[N_TABLES], struct error *error)
{
    struct store_private *p = store->private;
    struct claim *claims = rows[TABLE_CLAIMS];
    uint32_t *ranks = group_series(store, rows[TABLE_SERIES]);
    for (size_t i = 0; i < store->n_claims; i++)
        if (claims[i].series != ROW_NONE)
            claims[i].series = ranks[claims[i].series];
    p->series = memory_new((store->n_series + 1) * sizeof *p->series);
    attach_counters(store, rows[TABLE_SAMPLE_COUNTERS], ranks);
    index_facts(store);
    index_tasks(store);
    enum status status = attach_lists(store, claims, rows[TABLE_CLAIM_PARTS], rows[TABLE_CLAIM_STACKS], error);
    if (status == OK)
        status = reader_add_sample_chunks(store, ranks, error);
    if (status == OK)
        status = reader_add_event_chunks(store, error);
    if (status == OK)
        store->gaps = sorted_gaps(store, rows[TABLE_GAPS], p->n_rows[TABLE_GAPS]);
    free(ranks);
    return status;
}

enum status reader_decode_rows(struct store *store, struct chunk *const tables[N_TABLES], struct error *error)
{
    struct store_private *p = store->private;
    void *rows[N_TABLES] = {0};
    for (enum row_table_id id = TABLE_RUNS; id < N_TABLES; id++)
        if (count_rows(store, id, tables[id], error) != OK)
            return FAILED;
    for (enum row_table_id id = TABLE_RUNS; id < N_TABLES; id++)
        if (!(rows[id] = decode_table(store, id, tables[id], error)))
            return FAILED;
    const size_t *n = p->n_rows;
    store->n_runs = n[TABLE_RUNS];
    store->n_artefacts = n[TABLE_ARTEFACTS];
    store->n_streams = n[TABLE_STREAMS];
    store->n_series = n[TABLE_SERIES];
    store->n_claims = n[TABLE_CLAIMS];
    store->n_facts = n[TABLE_FACTS];
    store->n_notes = n[TABLE_NOTES];
    store->n_counters = n[TABLE_COUNTERS];
    store->n_clock_pairs = n[TABLE_CLOCK_PAIRS];
    store->n_tasks = n[TABLE_TASKS];
    store->runs = rows[TABLE_RUNS];
    store->artefacts = rows[TABLE_ARTEFACTS];
    store->streams = rows[TABLE_STREAMS];
    store->claims = rows[TABLE_CLAIMS];
    store->facts = rows[TABLE_FACTS];
    store->notes = rows[TABLE_NOTES];
    store->counters = rows[TABLE_COUNTERS];
    store->clock_pairs = rows[TABLE_CLOCK_PAIRS];
    store->tasks = rows[TABLE_TASKS];
    return arrange(store, rows, error);
}

const struct fact *store_fact(const struct store *store, uint32_t run, const char *key)
{
    size_t n;
    const struct fact *const *facts = store_facts_of_run(store, run, &n);
    for (size_t i = 0; i < n; i++)
        if (facts[i]->key && !strcmp(facts[i]->key, key))
            return facts[i];
    return NULL;
}

const char *store_task_comm(const struct store *store, uint32_t run, int32_t tid)
{
    const struct task *const *tasks = store->private->tasks_by_tid;
    size_t low = 0, high = store->n_tasks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct task *task = tasks[middle];
        if (task->run < run || (task->run == run && task->tid < tid))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < store->n_tasks && tasks[low]->run == run && tasks[low]->tid == tid; low++)
        if (tasks[low]->comm)
            return tasks[low]->comm;
    return NULL;
}
