/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All rows, histograms, samples and events as one JSON document ("whylate-data/1"), a row per line. */
#include <inttypes.h>

#include "report/export.h"

static void ns_or_null(FILE *file, int64_t ns)
{
    if (ns == NS_UNKNOWN)
        fputs("null", file);
    else
        fprintf(file, "%" PRId64, ns);
}

static void count_or_null(FILE *file, uint64_t n)
{
    if (n == COUNT_UNKNOWN)
        fputs("null", file);
    else
        fprintf(file, "%" PRIu64, n);
}

static void number_or_null(FILE *file, int32_t number, int32_t unknown)
{
    if (number == unknown)
        fputs("null", file);
    else
        fprintf(file, "%" PRId32, number);
}

static void member_string(FILE *file, const char *key, const char *value)
{
    fprintf(file, "\"%s\": ", key);
    export_json_string(file, value);
}

static void separate(FILE *file, bool *is_first)
{
    fputs(*is_first ? "\n" : ",\n", file);
    *is_first = false;
}

static void write_facts(const struct store *store, uint32_t run, FILE *file)
{
    bool is_first = true;
    fputs(" \"facts\": [", file);
    size_t n;
    const struct fact *const *facts = store_facts_of_run(store, run, &n);
    for (size_t i = 0; i < n; i++) {
        separate(file, &is_first);
        fputs("  {", file);
        member_string(file, "key", facts[i]->key);
        fputs(", ", file);
        member_string(file, "value", facts[i]->value);
        putc('}', file);
    }
    fputs("],\n", file);
}

static void write_counters(const struct store *store, uint32_t run, FILE *file)
{
    bool is_first = true;
    fputs(" \"counters\": [", file);
    for (size_t i = 0; i < store->n_counters; i++) {
        const struct counter *counter = &store->counters[i];
        if (counter->run != run)
            continue;
        separate(file, &is_first);
        fputs("  {", file);
        member_string(file, "source", counter->source);
        fprintf(file, ", \"snapshot\": %u, ", counter->snapshot);
        member_string(file, "scope", counter->scope);
        fputs(", ", file);
        member_string(file, "name", counter->name);
        for (int k = 0; k < 2; k++) {
            struct decimal d = k ? counter->delta : counter->value;
            fputs(k ? ", \"delta\": " : ", \"value\": ", file);
            if (!d.is_known)
                fputs("null", file);
            else if (d.digits)
                fprintf(file, "%.17g", decimal_value(d));
            else
                fprintf(file, "%" PRId64, d.mantissa);
        }
        putc('}', file);
    }
    fputs("],\n", file);
}

static enum status write_samples(const struct store *store, uint32_t i, FILE *file, struct error *error)
{
    bool is_first = true;
    for (size_t c = 0; c < store_count_sample_chunks(store, i); c++) {
        struct sample_view view;
        if (store_sample_chunk(store, i, c, &view, error) != OK)
            return FAILED;
        for (size_t s = 0; s < view.n; s++) {
            separate(file, &is_first);
            fputs("    [", file);
            ns_or_null(file, view.time_ns ? view.time_ns[s] : NS_UNKNOWN);
            fputs(", ", file);
            count_or_null(file, view.cycle ? view.cycle[s] : view.first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN : view.first_cycle + s);
            fputs(", ", file);
            ns_or_null(file, view.latency_ns[s]);
            for (size_t k = 0; k < view.n_counters; k++) {
                fputs(", ", file);
                count_or_null(file, view.counters[k][s]);
            }
            putc(']', file);
        }
    }
    return OK;
}

static enum status write_one_series(const struct store *store, uint32_t i, FILE *file, struct error *error)
{
    const struct series *series = &store->series[i];
    const char *path = measure_path_name(series->path);
    size_t n;
    fputs("  {", file);
    member_string(file, "name", series->name);
    fputs(", ", file);
    member_string(file, "tool", series->tool);
    fputs(", ", file);
    member_string(file, "path", path);
    fputs(", \"tid\": ", file);
    number_or_null(file, series->tid, TID_UNKNOWN);
    fputs(", ", file);
    member_string(file, "comm", series->comm);
    fputs(", \"cpu\": ", file);
    number_or_null(file, series->cpu, CPU_UNKNOWN);
    fputs(",\n   ", file);
    member_string(file, "policy", policy_name(series->policy));
    fputs(", \"priority\": ", file);
    number_or_null(file, series->priority, PRIO_UNKNOWN);
    fputs(", \"interval_ns\": ", file);
    ns_or_null(file, series->interval_ns);
    fputs(", \"resolution_ns\": ", file);
    ns_or_null(file, series->resolution_ns);
    fputs(", \"n_samples\": ", file);
    count_or_null(file, series->n_samples);
    fputs(", \"min_ns\": ", file);
    ns_or_null(file, series->min_ns);
    fputs(", \"avg_ns\": ", file);
    if (isfinite(series->avg_ns))
        fprintf(file, "%.17g", series->avg_ns);
    else
        fputs("null", file);
    fputs(", \"max_ns\": ", file);
    ns_or_null(file, series->max_ns);
    fputs(", \"n_overflow\": ", file);
    count_or_null(file, series->n_overflow);
    fputs(",\n   \"histogram\": [", file);
    const struct bin *bins = store_bins(store, i, &n);
    for (size_t k = 0; k < n; k++)
        fprintf(file, "%s\n    [%" PRId64 ", %" PRIu64 "]", k ? "," : "", bins[k].low_ns, bins[k].count);
    fputs("],\n   \"sample_columns\": [\"time_ns\", \"cycle\", \"latency_ns\"", file);
    const char *const *names = store_sample_counters(store, i, &n);
    for (size_t k = 0; k < n; k++) {
        fputs(", ", file);
        export_json_string(file, names[k]);
    }
    fputs("],\n   \"samples\": [", file);
    if (write_samples(store, i, file, error) != OK)
        return FAILED;
    fputs("]}", file);
    return OK;
}

static enum status write_events(const struct export_request *request, uint32_t run, FILE *file, struct error *error)
{
    const struct store *store = request->store;
    bool is_first = true;
    char text[4096];
    struct event_merge *merge = event_merge_new(store, run, ROW_NONE, request->begin_ns, request->end_ns, error);
    struct event_ref ref;
    fputs(" \"events\": [", file);
    while (event_merge_next(merge, &ref)) {
        event_format(store, ref.view, ref.i, text, sizeof text);
        separate(file, &is_first);
        fprintf(file, "  {\"stream\": %u, \"time_ns\": %" PRId64 ", \"cpu\": ", ref.view->stream, event_time_ns(&ref));
        number_or_null(file, ref.cpu, CPU_UNKNOWN);
        fputs(", \"tid\": ", file);
        number_or_null(file, ref.view->tid[ref.i], TID_UNKNOWN);
        fputs(", ", file);
        member_string(file, "text", text);
        putc('}', file);
    }
    fputs("]}", file);
    enum status status = event_merge_status(merge);
    event_merge_free(merge);
    return status;
}

static void write_gaps(const struct store *store, uint32_t run, FILE *file)
{
    bool is_first = true;
    fputs(" \"gaps\": [", file);
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *gap = &store->gaps[i];
        if (gap->run != run)
            continue;
        separate(file, &is_first);
        fputs("  {\"cpu\": ", file);
        number_or_null(file, gap->cpu, CPU_UNKNOWN);
        fputs(", \"begin_ns\": ", file);
        ns_or_null(file, gap->begin_ns);
        fputs(", \"end_ns\": ", file);
        ns_or_null(file, gap->end_ns);
        fputs(", \"n_lost\": ", file);
        count_or_null(file, gap->n_lost);
        fputs(", ", file);
        member_string(file, "reason", gap->reason);
        putc('}', file);
    }
    fputs("],\n", file);
}

static enum status write_json(const struct export_request *request, FILE *file, struct error *error)
{
    const struct store *store = request->store;
    fputs("{\"schema\": \"whylate-data/1\", \"version\": \"" WHYLATE_VERSION "\", \"runs\": [", file);
    for (uint32_t run = 0; run < store->n_runs; run++) {
        bool is_first = true;
        fprintf(file, "%s\n{", run ? "," : "");
        member_string(file, "label", store->runs[run].label);
        fputs(",\n", file);
        write_facts(store, run, file);
        write_counters(store, run, file);
        fputs(" \"series\": [", file);
        struct row_range rows = store_series_of_run(store, run);
        for (uint32_t i = rows.begin; i < rows.end; i++) {
            if (request->series >= 0 && request->series != (int64_t)i)
                continue;
            separate(file, &is_first);
            if (write_one_series(store, i, file, error) != OK)
                return FAILED;
        }
        fputs("],\n", file);
        write_gaps(store, run, file);
        if (write_events(request, run, file, error) != OK)
            return FAILED;
    }
    fputs("\n]}\n", file);
    return OK;
}

const struct export_format export_json = {
    .name = "json",
    .summary = "all rows, histograms, samples and events (schema whylate-data/1)",
    .takes_series = true,
    .takes_outlier = true,
    .write = write_json,
};
