/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs[]: what was measured and where it came from. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/document.h"

static json_t *document_notes(const struct store *store, uint32_t run, uint32_t artefact)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < store->n_notes; i++) {
        const struct note *note = &store->notes[i];
        if (note->artefact != artefact || (note->run != ROW_NONE && note->run != run))
            continue;
        json_array_append_new(notes, json_pack("{s:o, s:o, s:o, s:o}",
                                               "code", json_word(note->code),
                                               "count", json_count(note->count),
                                               "first_line", note->first_line ? json_count(note->first_line) : json_null(),
                                               "text", json_word(note->text)));
    }
    return notes;
}

/* Which artefacts gave rows to a run: the first that an artefact names, and those that refer to it. */
static bool *run_artefacts(const struct store *store, uint32_t run)
{
    bool *is_used = memory_new(store->n_artefacts + 1);
#define MARK(rows, n)                                                                                        \
    for (size_t i = 0; i < (n); i++)                                                                         \
        if ((rows)[i].run == run && (rows)[i].artefact < store->n_artefacts)                                 \
            is_used[(rows)[i].artefact] = true;
    MARK(store->series, store->n_series)
    MARK(store->streams, store->n_streams)
    MARK(store->facts, store->n_facts)
    MARK(store->counters, store->n_counters)
    MARK(store->claims, store->n_claims)
#undef MARK
    for (size_t i = 0; i < store->n_artefacts; i++)
        if (store->artefacts[i].run == run)
            is_used[i] = true;
    return is_used;
}

static json_t *document_artefacts(const struct store *store, uint32_t run)
{
    json_t *artefacts = json_array();
    bool *is_used = run_artefacts(store, run);
    for (uint32_t i = 0; i < store->n_artefacts; i++) {
        const struct artefact *artefact = &store->artefacts[i];
        if (!is_used[i])
            continue;
        json_array_append_new(artefacts, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
                                                   "path", json_word(artefact->path),
                                                   "format", json_word(artefact->format),
                                                   "tool_version", json_word(artefact->tool_version),
                                                   "size_bytes", json_count(artefact->size_bytes),
                                                   "sha256", artefact->sha256[0] ? json_word(artefact->sha256) : json_null(),
                                                   "notes", document_notes(store, run, i)));
    }
    free(is_used);
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

static json_t *document_counters(const struct store *store, uint32_t run)
{
    json_t *counters = json_array();
    for (size_t i = 0; i < store->n_counters; i++) {
        const struct counter *counter = &store->counters[i];
        if (counter->run != run)
            continue;
        json_array_append_new(counters, json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}",
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

json_t *document_runs(const struct store *store, const struct analysis *analysis)
{
    json_t *runs = json_array();
    for (uint32_t r = 0; r < store->n_runs; r++) {
        json_t *series = json_array();
        struct row_range rows = store_series_of_run(store, r);
        for (uint32_t i = rows.begin; i < rows.end; i++)
            json_array_append_new(series, document_series(&store->series[i], analysis && analysis->series ? &analysis->series[i] : NULL));
        json_array_append_new(runs, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
                                              "label", json_word(store->runs[r].label),
                                              "artefacts", document_artefacts(store, r),
                                              "facts", document_facts(store, r),
                                              "series", series,
                                              "counters", document_counters(store, r),
                                              "events", document_events(store, r)));
    }
    return runs;
}
