/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations of functions (function_graph) side by side: the median of each function that two runs or more show. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzers/compare.h"

#include "base/memory.h"

#define MOST_CALLS     ((size_t)1 << 20) /* kept per run; later ones are counted out */
#define MOST_FUNCTIONS 40                /* shown, largest medians first */

struct call {
    uint32_t function; /* string id */
    int64_t duration_ns;
};
struct function {
    uint32_t id;
    size_t n_runs;
    double largest_ns;
    double *median_ns; /* per run, NAN unknown */
};

static int by_function_and_duration(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

static enum status read_calls(const struct store *store, uint32_t run, struct call **calls, size_t *n, struct error *error)
{
    size_t capacity = 0;
    *n = 0;
    *calls = NULL;
    for (size_t chunk = 0; chunk < store->n_event_chunks; chunk++) {
        struct event_view view;
        if (store->event_chunks[chunk].run != run)
            continue;
        if (store_event_view(store, chunk, &view, error) == FAILED)
            return FAILED;
        for (size_t i = 0; i < view.n && *n < MOST_CALLS; i++) {
            if (view.kind[i] != KIND_FUNCGRAPH_EXIT)
                continue;
            const uint32_t *words = view.words + view.arg[i];
            int64_t duration = event_words_i64(words + 2);
            if (words[0] == 0 || duration == INT64_MIN || duration < 0)
                continue;
            memory_reserve(*calls, capacity, *n + 1);
            (*calls)[(*n)++] = (struct call){words[0], duration};
        }
    }
    return OK;
}

/* Adds a run's medians to the table of functions. */
static void add_medians(struct call *calls, size_t n, uint32_t run, size_t n_runs, struct arena *arena, struct function **functions,
                        size_t *n_functions, size_t *capacity)
{
    if (n > 0)
        memory_sort(calls, n, sizeof *calls, by_function_and_duration);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1, at = 0;
        while (end < n && calls[end].function == calls[i].function)
            end++;
        while (at < *n_functions && (*functions)[at].id != calls[i].function)
            at++;
        if (at == *n_functions) {
            memory_reserve(*functions, *capacity, *n_functions + 1);
            struct function *fresh = &(*functions)[(*n_functions)++];
            *fresh = (struct function){.id = calls[i].function, .median_ns = arena_array(arena, n_runs, sizeof(double))};
            for (size_t r = 0; r < n_runs; r++)
                fresh->median_ns[r] = NAN;
        }
        struct function *f = &(*functions)[at];
        f->median_ns[run] = (double)calls[i + (end - i - 1) / 2].duration_ns;
        f->largest_ns = fmax(f->largest_ns, f->median_ns[run]);
        f->n_runs++;
        i = end;
    }
}

static int by_size(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    if (x->largest_ns != y->largest_ns)
        return x->largest_ns < y->largest_ns ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

enum status compare_functions(struct compare *compare, struct error *error)
{
    struct function *functions = NULL;
    size_t n_functions = 0, capacity = 0, n_shown = 0;
    enum status status = OK;
    for (uint32_t run = 0; run < compare->n_runs && status != FAILED; run++) {
        struct call *calls = NULL;
        size_t n;
        status = read_calls(compare->store, run, &calls, &n, error);
        if (status != FAILED)
            add_medians(calls, n, run, compare->n_runs, &compare->analysis->arena, &functions, &n_functions, &capacity);
        free(calls);
    }
    if (n_functions > 0)
        memory_sort(functions, n_functions, sizeof *functions, by_size);
    const struct side *baseline = &compare->sides[compare->baseline];
    for (size_t i = 0; i < n_functions && n_shown < MOST_FUNCTIONS && status != FAILED; i++) {
        const char *word = store_string(compare->store, functions[i].id);
        char name[160];
        if (functions[i].n_runs < 2 || !word)
            continue;
        snprintf(name, sizeof name, "function:%s", word);
        struct metric *metric = compare_add_metric(compare, name);
        for (size_t r = 0; r < compare->n_runs; r++)
            metric->values[r] = functions[i].median_ns[r];
        double from = metric->values[baseline->first_run];
        for (size_t r = 0; r < compare->n_runs; r++)
            if (compare->runs[r].side != compare->baseline && from > 0 && !isnan(metric->values[r]) &&
                !(metric->ratio >= metric->values[r] / from))
                metric->ratio = metric->values[r] / from;
        n_shown++;
    }
    free(functions);
    return status;
}
