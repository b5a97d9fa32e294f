/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs[]: what was measured and where it came from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/document.h"

/* An artefact gave rows to a run. */
struct source {
    uint32_t run, artefact;
};

static int by_run(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return (x->artefact > y->artefact) - (x->artefact < y->artefact);
}

/* For each run the first artefacts that it names and those that its rows refer to, runs in order; some of them twice. The caller frees it. */
static struct source *list_sources(const struct store *store, size_t *n)
{
    struct source *sources = memory_resize(NULL, store->n_series + store->n_streams + store->n_facts + store->n_counters +
                                                     store->n_claims + store->n_artefacts, sizeof *sources);
    *n = 0;
#define ADD(rows, n_rows)                                                                                    \
    for (size_t i = 0; i < store->n_rows; i++)                                                               \
        if (store->rows[i].artefact < store->n_artefacts)                                                    \
            sources[(*n)++] = (struct source){store->rows[i].run, store->rows[i].artefact};
    ADD(series, n_series)
    ADD(streams, n_streams)
    ADD(facts, n_facts)
    ADD(counters, n_counters)
    ADD(claims, n_claims)
#undef ADD
    for (uint32_t i = 0; i < store->n_artefacts; i++)
        sources[(*n)++] = (struct source){store->artefacts[i].run, i};
    memory_sort(sources, *n, sizeof *sources, by_run);
    return sources;
}

static int by_artefact(const void *a, const void *b)
{
    const struct note *x = *(const struct note *const *)a, *y = *(const struct note *const *)b;
    if (x->artefact != y->artefact)
        return x->artefact < y->artefact ? -1 : 1;
    return (x > y) - (x < y);
}

/* What runs are made from, in orders that give each run its part without a look at the others'. */
struct material {
    const struct store *store;
    struct source *sources; /* by run, artefact */
    size_t n_sources, next_source;
    const struct note **notes; /* by artefact, in their order */
    json_t **counters;         /* [n_runs]: arrays */
};

static json_t *document_notes(const struct material *material, uint32_t run, uint32_t artefact)
{
    json_t *notes = json_array();
    size_t i = 0, end = material->store->n_notes;
    while (i < end) { /* the first of the artefact */
        size_t middle = i + (end - i) / 2;
        if (material->notes[middle]->artefact < artefact)
            i = middle + 1;
        else
            end = middle;
    }
    for (; i < material->store->n_notes && material->notes[i]->artefact == artefact; i++) {
        const struct note *note = material->notes[i];
        if (note->run != ROW_NONE && note->run != run)
            continue;
        json_array_append_new(notes, json_pack("{s:o, s:o, s:o, s:o}",
                                               "code", json_word(note->code),
                                               "count", json_count(note->count),
                                               "first_line", note->first_line ? json_count(note->first_line) : json_null(),
                                               "text", json_word(note->text)));
    }
    return notes;
}

/* Runs must be asked for in order. */
static json_t *document_artefacts(struct material *material, uint32_t run)
{
    json_t *artefacts = json_array();
    uint32_t last = ROW_NONE;
    for (; material->next_source < material->n_sources; material->next_source++) {
        const struct source *source = &material->sources[material->next_source];
        if (source->run != run)
            break;
        if (source->artefact == last)
            continue;
        last = source->artefact;
        const struct artefact *artefact = &material->store->artefacts[last];
        json_array_append_new(artefacts, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
                                                   "path", json_word(artefact->path),
                                                   "format", json_word(artefact->format),
                                                   "tool_version", json_word(artefact->tool_version),
                                                   "size_bytes", json_count(artefact->size_bytes),
                                                   "sha256", artefact->sha256[0] ? json_word(artefact->sha256) : json_null(),
                                                   "notes", document_notes(material, run, last)));
    }
    return artefacts;
}

static json_t *document_facts(const struct store *store, uint32_t run)
{
    json_t *facts = json_object();
    size_t n;
    const struct fact *const *rows = store_facts_of_run(store, run, &n);
    for (size_t i = 0; i < n; i++) {
        const struct fact *fact = rows[i];
        if (json_object_get(facts, fact->key)) /* the first statement wins */
            continue;
        const char *artefact = fact->artefact < store->n_artefacts ? store->artefacts[fact->artefact].path : NULL;
        json_object_set_new(facts, fact->key, json_pack("{s:o, s:o}", "value", json_word(fact->value),
                                                        "artefact", json_word(artefact)));
    }
    return facts;
}

static json_t *document_tail(const struct tail *tail)
{
    if (!tail->method && isnan(tail->gap_p))
        return json_null();
    bool is_fit = tail->method != NULL;
    json_t *levels = json_array();
    for (size_t i = 0; i < tail->n_levels; i++) {
        const struct return_level *level = &tail->levels[i];
        json_array_append_new(levels, json_pack("{s:o, s:o, s:o}",
                                                "n_samples", json_double(level->n_samples),
                                                "level_ns", json_double(level->level_ns),
                                                "interval_ns", json_interval(level->low_ns, level->high_ns)));
    }
    double unknown = NAN;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "method", json_word(tail->method),
                     "threshold_ns", is_fit ? json_ns(tail->threshold_ns) : json_null(),
                     "n_excess", is_fit ? json_count(tail->n_excess) : json_null(),
                     "scale_ns", json_double(is_fit ? tail->scale_ns : unknown),
                     "shape", json_double(is_fit ? tail->shape : unknown),
                     "scale_se_ns", json_double(is_fit ? tail->scale_se_ns : unknown),
                     "shape_se", json_double(is_fit ? tail->shape_se : unknown),
                     "shape_interval", is_fit ? json_interval(tail->shape_low, tail->shape_high) : json_null(),
                     "gap_p", json_double(tail->gap_p),
                     "return_levels", levels);
}

static json_t *document_quantiles(const struct series_result *result)
{
    json_t *quantiles = json_object();
    for (size_t i = 0; i < N_QUANTILES; i++)
        json_object_set_new(quantiles, quantile_names[i], result ? json_double(result->quantiles_ns[i]) : json_null());
    return quantiles;
}

static json_t *document_series(const struct series *series, const struct series_result *result)
{
    json_t *json = json_object();
#define SET(key, value) json_object_set_new(json, key, value)
    SET("name", json_word(series->name));
    SET("tool", json_word(series->tool));
    SET("path", json_word(measure_path_name(series->path)));
    SET("tid", json_small(series->tid, TID_UNKNOWN));
    SET("comm", json_word(series->comm));
    SET("cpu", json_small(series->cpu, CPU_UNKNOWN));
    SET("policy", json_word(policy_name(series->policy)));
    SET("priority", json_small(series->priority, PRIO_UNKNOWN));
    SET("interval_ns", json_ns(series->interval_ns));
    SET("resolution_ns", json_ns(series->resolution_ns));
    SET("n_samples", json_count(series->n_samples));
    SET("min_ns", json_ns(series->min_ns));
    SET("avg_ns", json_double(series->avg_ns));
    SET("max_ns", json_ns(series->max_ns));
    if (series->max_is_lower_bound)
        SET(".max_is_least", json_true());
    SET("n_overflow", json_count(series->n_overflow));
    SET("overflow_limit_ns", json_ns(series->overflow_limit_ns));
    SET("n_lost_periods", result ? json_count(result->n_lost_periods) : json_null());
    SET("duration_ns", json_ns(series->duration_ns));
    SET("quantiles_ns", document_quantiles(result));
    SET("verdict", result ? json_word(verdict_name(result->verdict)) : json_null());
    SET("tail", result ? document_tail(&result->tail) : json_null());
#undef SET
    return json;
}

/* An array for each run; the caller frees the list, and takes the arrays. */
static json_t **document_counters(const struct store *store)
{
    json_t **counters = memory_new((store->n_runs + 1) * sizeof *counters);
    for (size_t r = 0; r < store->n_runs; r++)
        counters[r] = json_array();
    for (size_t i = 0; i < store->n_counters; i++) {
        const struct counter *counter = &store->counters[i];
        json_array_append_new(counters[counter->run], json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}",
                                                                "source", json_word(counter->source),
                                                                "snapshot", (json_int_t)counter->snapshot,
                                                                "scope", json_word(counter->scope),
                                                                "name", json_word(counter->name),
                                                                "value", json_decimal(counter->value),
                                                                "delta", json_decimal(counter->delta)));
    }
    return counters;
}

/* Lost events of all CPUs; a loss of unknown size makes the sum unknown. Spans before a buffer began lost nothing countable. */
static json_t *document_n_lost(const struct store *store, uint32_t run)
{
    uint64_t n_lost = 0;
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *gap = &store->gaps[i];
        if (gap->run != run)
            continue;
        if (gap->n_lost != COUNT_UNKNOWN)
            n_lost += gap->n_lost;
        else if (gap->reason && (strstr(gap->reason, "overrun") || strstr(gap->reason, "lost")))
            return json_null();
    }
    return json_count(n_lost);
}

static json_t *document_events(const struct store *store, uint32_t run)
{
    uint64_t n = 0;
    int32_t n_cpus = -1;
    int64_t begin_ns = NS_UNKNOWN, end_ns = NS_UNKNOWN;
    const char *clock = NULL;
    bool has_stream = false;
    for (size_t i = 0; i < store->n_streams; i++) {
        const struct stream *stream = &store->streams[i];
        if (stream->run != run)
            continue;
        has_stream = true;
        n += stream->n_events == COUNT_UNKNOWN ? 0 : stream->n_events;
        if (stream->n_cpus_seen > n_cpus)
            n_cpus = stream->n_cpus_seen;
        if (!clock)
            clock = stream->clock;
        if (stream->begin_ns != NS_UNKNOWN && (begin_ns == NS_UNKNOWN || stream->begin_ns < begin_ns))
            begin_ns = stream->begin_ns;
        if (stream->end_ns != NS_UNKNOWN && (end_ns == NS_UNKNOWN || stream->end_ns > end_ns))
            end_ns = stream->end_ns;
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}",
                     "n", (json_int_t)n,
                     "n_cpus", json_small(n_cpus, -1),
                     "begin_ns", json_ns(begin_ns),
                     "end_ns", json_ns(end_ns),
                     "n_lost", has_stream ? document_n_lost(store, run) : json_null(),
                     "clock", json_word(clock));
}

static struct material material_of(const struct store *store)
{
    struct material material = {.store = store, .counters = document_counters(store)};
    material.sources = list_sources(store, &material.n_sources);
    material.notes = memory_resize(NULL, store->n_notes, sizeof *material.notes);
    for (size_t i = 0; i < store->n_notes; i++)
        material.notes[i] = &store->notes[i];
    memory_sort(material.notes, store->n_notes, sizeof *material.notes, by_artefact);
    return material;
}

json_t *document_runs(const struct store *store, const struct analysis *analysis)
{
    json_t *runs = json_array();
    struct material material = material_of(store);
    for (uint32_t r = 0; r < store->n_runs; r++) {
        json_t *series = json_array();
        struct row_range rows = store_series_of_run(store, r);
        for (uint32_t i = rows.begin; i < rows.end; i++)
            json_array_append_new(series, document_series(&store->series[i], analysis && analysis->series ? &analysis->series[i] : NULL));
        json_array_append_new(runs, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
                                              "label", json_word(store->runs[r].label),
                                              "artefacts", document_artefacts(&material, r),
                                              "facts", document_facts(store, r),
                                              "series", series,
                                              "counters", material.counters[r],
                                              "events", document_events(store, r)));
    }
    free(material.sources);
    free(material.notes);
    free(material.counters);
    return runs;
}
