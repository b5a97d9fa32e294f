/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counter tables wait here until all inputs are read: which of two tables is the earlier snapshot is told by the names
 * of their files (interrupts.before and .after, snap_t0/stat and snap_t10/stat), not by the order of reading.
 *
 * Tables of one source form a family if their paths differ in numbers and in "before"/"after" only.
 */
#include <stdlib.h>
#include <string.h>

#include "importers/private.h"

#include "base/memory.h"

#define MAX_RANKS 8

struct row {
    const char *scope, *name;
    struct decimal value;
    bool is_gauge; /* no counter: has no delta */
};
struct counter_table {
    struct counter_tables *owner;
    uint32_t run, artefact;
    const char *source, *family;
    uint64_t rank[MAX_RANKS]; /* the numbers of the path, in order */
    size_t arrival;
    struct row *rows;
    size_t n_rows, capacity;
};
struct counter_tables {
    struct arena arena;
    struct counter_table **tables;
    size_t n, capacity;
};

/* The path with its numbers, and the words that say when, replaced by '#'; these as numbers. */
static const char *family_of(struct arena *arena, const char *path, uint64_t rank[MAX_RANKS])
{
    static const struct {
        const char *word;
        uint64_t rank;
    } words[] = {{"before", 0}, {"after", 1}, {"pre", 0}, {"post", 1}, {"begin", 0}, {"end", 1}};
    char *family = arena_string(arena, path), *out = family;
    size_t n_ranks = 0;
    memset(rank, 0, MAX_RANKS * sizeof *rank);
    for (const char *p = path; *p;) {
        bool is_word_start = p == path || !((p[-1] | 32) >= 'a' && (p[-1] | 32) <= 'z');
        size_t length = 0;
        uint64_t value = 0;
        if (*p >= '0' && *p <= '9') {
            for (; p[length] >= '0' && p[length] <= '9'; length++)
                value = value < UINT64_MAX / 10 - 1 ? value * 10 + (uint64_t)(p[length] - '0') : value;
        } else if (is_word_start) {
            for (size_t i = 0; i < sizeof words / sizeof *words && !length; i++) {
                size_t n = strlen(words[i].word);
                char next = p[strncmp(p, words[i].word, n) == 0 ? n : 0];
                if (strncmp(p, words[i].word, n) == 0 && !((next | 32) >= 'a' && (next | 32) <= 'z')) {
                    length = n;
                    value = words[i].rank;
                }
            }
        }
        if (!length) {
            *out++ = *p++;
            continue;
        }
        *out++ = '#';
        if (n_ranks < MAX_RANKS)
            rank[n_ranks++] = value;
        p += length;
    }
    *out = '\0';
    return family;
}

struct counter_table *import_counters_begin(struct import *import, const char *source)
{
    struct counter_tables *tables = import->private->counters;
    if (!tables)
        import->private->counters = tables = memory_new(sizeof *tables);
    struct counter_table *table = arena_new(&tables->arena, sizeof *table);
    table->owner = tables;
    table->run = import->run;
    table->artefact = import->artefact;
    table->source = arena_string(&tables->arena, source);
    table->family = family_of(&tables->arena, import->member->path, table->rank);
    table->arrival = tables->n;
    memory_reserve(tables->tables, tables->capacity, tables->n + 1);
    tables->tables[tables->n++] = table;
    return table;
}

static void add(struct counter_table *table, const char *scope, const char *name, struct decimal value, bool is_gauge)
{
    struct arena *arena = &table->owner->arena;
    const char *kept = table->n_rows ? table->rows[table->n_rows - 1].scope : NULL;
    memory_reserve(table->rows, table->capacity, table->n_rows + 1);
    table->rows[table->n_rows++] = (struct row){
        .scope = kept && strcmp(kept, scope) == 0 ? kept : arena_string(arena, scope),
        .name = arena_string(arena, name), .value = value, .is_gauge = is_gauge};
}

void import_counters_add(struct counter_table *table, const char *scope, const char *name, struct decimal value)
{
    add(table, scope, name, value, false);
}

void import_counters_add_count(struct counter_table *table, const char *scope, const char *name, uint64_t value)
{
    struct decimal decimal = {.mantissa = (int64_t)value, .is_known = value <= INT64_MAX};
    add(table, scope, name, decimal, false);
}

void import_counters_add_gauge(struct counter_table *table, const char *scope, const char *name, struct decimal value)
{
    add(table, scope, name, value, true);
}

/* ---- at the end ---- */

static int compare_tables(const void *a, const void *b)
{
    const struct counter_table *x = *(struct counter_table *const *)a, *y = *(struct counter_table *const *)b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    int order = strcmp(x->source, y->source);
    if (order == 0)
        order = strcmp(x->family, y->family);
    for (size_t i = 0; order == 0 && i < MAX_RANKS; i++)
        order = x->rank[i] < y->rank[i] ? -1 : x->rank[i] > y->rank[i];
    return order ? order : x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    int order = strcmp(x->scope, y->scope);
    if (order == 0)
        order = strcmp(x->name, y->name);
    return order ? order : x < y ? -1 : x > y;
}

static const struct row **sorted_rows(const struct counter_table *table)
{
    const struct row **rows = memory_new((table->n_rows + 1) * sizeof *rows);
    for (size_t i = 0; i < table->n_rows; i++)
        rows[i] = &table->rows[i];
    memory_sort(rows, table->n_rows, sizeof *rows, compare_rows);
    return rows;
}

/*
 * What a counter has grown by. A fall is the wrap of 32 bits if the old value was in the upper half of them; any other
 * fall is a new counter under the old name, and nothing is known.
 */
static struct decimal delta_of(const struct row *old, const struct row *new)
{
    struct decimal delta = {0};
    if (new->is_gauge || !old->value.is_known || !new->value.is_known || old->value.digits != new->value.digits)
        return delta;
    int64_t a = old->value.mantissa, b = new->value.mantissa;
    if (b < a && new->value.digits == 0 && a > INT32_MAX && a <= UINT32_MAX && b >= 0)
        b += INT64_C(1) << 32;
    delta.is_known = b >= a && !__builtin_sub_overflow(b, a, &delta.mantissa);
    delta.digits = new->value.digits;
    return delta;
}

static void store_table(struct import *import, const struct counter_table *before, const struct counter_table *table,
                        uint32_t snapshot)
{
    const struct row **old = before ? sorted_rows(before) : NULL;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct row *row = &table->rows[i];
        struct counter counter = counter_unknown();
        counter.run = table->run;
        counter.artefact = table->artefact;
        counter.source = table->source;
        counter.snapshot = snapshot;
        counter.scope = row->scope;
        counter.name = row->name;
        counter.value = row->value;
        /* the first row of that name in the table before; rows are unique there, or it does not matter which */
        size_t low = 0, high = before ? before->n_rows : 0;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            int order = strcmp(old[middle]->scope, row->scope);
            if (order == 0)
                order = strcmp(old[middle]->name, row->name);
            if (order < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (before && low < before->n_rows && strcmp(old[low]->scope, row->scope) == 0 && strcmp(old[low]->name, row->name) == 0)
            counter.delta = delta_of(old[low], row);
        store_add_counter(import->store, &counter);
    }
    free(old);
}

void counters_finish(struct import *import)
{
    struct counter_tables *tables = import->private->counters;
    if (!tables)
        return;
    memory_sort(tables->tables, tables->n, sizeof *tables->tables, compare_tables);
    uint32_t snapshot = 0;
    for (size_t i = 0; i < tables->n; i++) {
        const struct counter_table *table = tables->tables[i], *before = i ? tables->tables[i - 1] : NULL;
        bool is_same_source = before && before->run == table->run && strcmp(before->source, table->source) == 0;
        snapshot = is_same_source ? snapshot + 1 : 0;
        if (!is_same_source || strcmp(before->family, table->family) != 0)
            before = NULL;
        store_table(import, before, table, snapshot);
    }
    counters_release(import);
}

void counters_release(struct import *import)
{
    struct counter_tables *tables = import->private->counters;
    if (!tables)
        return;
    for (size_t i = 0; i < tables->n; i++)
        free(tables->tables[i]->rows);
    free(tables->tables);
    arena_release(&tables->arena);
    free(tables);
    import->private->counters = NULL;
}
