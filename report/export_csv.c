/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One table as comma-separated values (RFC 4180), with a header line. Unknown is an empty cell; times are ns. */
#include <inttypes.h>
#include <string.h>

#include "report/export.h"

static void cell(FILE *file, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

static void cell_ns(FILE *file, int64_t ns)
{
    if (ns != NS_UNKNOWN)
        fprintf(file, "%" PRId64, ns);
}

static void cell_count(FILE *file, uint64_t n)
{
    if (n != COUNT_UNKNOWN)
        fprintf(file, "%" PRIu64, n);
}

static void cell_number(FILE *file, int32_t number, int32_t unknown)
{
    if (number != unknown)
        fprintf(file, "%" PRId32, number);
}

static bool is_wanted(const struct export_request *request, uint32_t series)
{
    return request->series < 0 || request->series == (int64_t)series;
}

static void begin_series_row(const struct store *store, uint32_t i, FILE *file)
{
    const struct series *series = &store->series[i];
    fprintf(file, "%u,%u,", series->run, i);
    cell(file, series->tool);
    putc(',', file);
    cell(file, series->name);
    putc(',', file);
    cell_number(file, series->cpu, CPU_UNKNOWN);
    putc(',', file);
}

static bool has_samples(const struct export_request *request)
{
    for (uint32_t i = 0; i < request->store->n_series; i++)
        if (is_wanted(request, i) && export_has_samples(request->store, i))
            return true;
    return false;
}

/* The counters of the first series that has any name the columns; others must have the same, or leave them empty. */
static enum status write_samples(const struct export_request *request, FILE *file, struct error *error)
{
    const struct store *store = request->store;
    size_t n_names = 0, n;
    const char *const *names = NULL;
    for (uint32_t i = 0; i < store->n_series && !n_names; i++)
        if (is_wanted(request, i))
            names = store_sample_counters(store, i, &n_names);
    fputs("run,series,tool,name,cpu,time_ns,cycle,latency_ns", file);
    for (size_t k = 0; k < n_names; k++) {
        putc(',', file);
        cell(file, names[k]);
    }
    fputs("\r\n", file);
    for (uint32_t i = 0; i < store->n_series; i++) {
        const char *const *own = store_sample_counters(store, i, &n);
        bool is_same = n == n_names;
        for (size_t k = 0; is_same && k < n; k++)
            is_same = !strcmp(own[k] ? own[k] : "", names[k] ? names[k] : "");
        for (size_t c = 0; is_wanted(request, i) && c < store_count_sample_chunks(store, i); c++) {
            struct sample_view view;
            if (store_sample_chunk(store, i, c, &view, error) != OK)
                return FAILED;
            for (size_t s = 0; s < view.n; s++) {
                begin_series_row(store, i, file);
                cell_ns(file, view.time_ns ? view.time_ns[s] : NS_UNKNOWN);
                putc(',', file);
                cell_count(file, view.cycle                          ? view.cycle[s]
                                 : view.first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN
                                                                     : view.first_cycle + s);
                putc(',', file);
                cell_ns(file, view.latency_ns[s]);
                for (size_t k = 0; k < n_names; k++) {
                    putc(',', file);
                    if (is_same)
                        cell_count(file, view.counters[k][s]);
                }
                fputs("\r\n", file);
            }
        }
    }
    return OK;
}

static bool has_histogram(const struct export_request *request)
{
    size_t n = 0;
    for (uint32_t i = 0; i < request->store->n_series && !n; i++)
        if (is_wanted(request, i))
            store_bins(request->store, i, &n);
    return n > 0;
}

static enum status write_histogram(const struct export_request *request, FILE *file, struct error *error)
{
    fputs("run,series,tool,name,cpu,low_ns,count\r\n", file);
    for (uint32_t i = 0; i < request->store->n_series; i++) {
        size_t n;
        if (!is_wanted(request, i))
            continue;
        struct error damage = {0};
        struct bin *bins = export_distribution(request->store, i, &n, &damage);
        if (damage.kind != ERROR_NONE)
            return error_set(error, damage.kind, "%s", damage.text);
        for (size_t k = 0; k < n; k++) {
            begin_series_row(request->store, i, file);
            fprintf(file, "%" PRId64 ",%" PRIu64 "\r\n", bins[k].low_ns, bins[k].count);
        }
        free(bins);
    }
    return OK;
}

static bool has_events(const struct export_request *request)
{
    return request->store->n_events > 0;
}

static enum status write_events(const struct export_request *request, FILE *file, struct error *error)
{
    const struct store *store = request->store;
    char text[4096];
    fputs("run,stream,time_ns,cpu,tid,event,text\r\n", file);
    for (uint32_t run = 0; run < store->n_runs; run++) {
        if (request->outlier && request->outlier->run != run)
            continue;
        struct event_merge *merge = event_merge_new(store, run, ROW_NONE, request->begin_ns, request->end_ns, error);
        struct event_ref ref;
        while (event_merge_next(merge, &ref)) {
            const struct event_kind_info *info = event_kind_info(ref.view->kind[ref.i]);
            event_format(store, ref.view, ref.i, text, sizeof text);
            fprintf(file, "%u,%u,%" PRId64 ",", run, ref.view->stream, event_time_ns(&ref));
            cell_number(file, ref.cpu, CPU_UNKNOWN);
            putc(',', file);
            cell_number(file, ref.view->tid[ref.i], TID_UNKNOWN);
            putc(',', file);
            cell(file, ref.view->kind[ref.i] == KIND_OTHER ? store_string(store, event_words(&ref)[0]) : info ? info->name : NULL);
            putc(',', file);
            cell(file, text);
            fputs("\r\n", file);
        }
        enum status status = event_merge_status(merge);
        event_merge_free(merge);
        if (status != OK)
            return FAILED;
    }
    return OK;
}

static void cell_decimal(FILE *file, struct decimal d)
{
    if (!d.is_known)
        return;
    int64_t scale = 1;
    for (int i = 0; i < d.digits && i < 18; i++)
        scale *= 10;
    uint64_t size = d.mantissa < 0 ? 0 - (uint64_t)d.mantissa : (uint64_t)d.mantissa;
    if (!d.digits)
        fprintf(file, "%" PRId64, d.mantissa);
    else if (d.digits > 18)
        fprintf(file, "%.17g", decimal_value(d));
    else
        fprintf(file, "%s%" PRIu64 ".%0*" PRIu64, d.mantissa < 0 ? "-" : "", size / (uint64_t)scale, d.digits,
                size % (uint64_t)scale);
}

static bool has_counters(const struct export_request *request)
{
    return request->store->n_counters > 0;
}

static enum status write_counters(const struct export_request *request, FILE *file, struct error *error)
{
    (void)error;
    fputs("run,source,snapshot,scope,name,value,delta\r\n", file);
    for (size_t i = 0; i < request->store->n_counters; i++) {
        const struct counter *counter = &request->store->counters[i];
        fprintf(file, "%u,", counter->run);
        cell(file, counter->source);
        fprintf(file, ",%u,", counter->snapshot);
        cell(file, counter->scope);
        putc(',', file);
        cell(file, counter->name);
        putc(',', file);
        cell_decimal(file, counter->value);
        putc(',', file);
        cell_decimal(file, counter->delta);
        fputs("\r\n", file);
    }
    return OK;
}

static bool has_facts(const struct export_request *request)
{
    return request->store->n_facts > 0;
}

static enum status write_facts(const struct export_request *request, FILE *file, struct error *error)
{
    (void)error;
    fputs("run,key,value,artefact\r\n", file);
    for (size_t i = 0; i < request->store->n_facts; i++) {
        const struct fact *fact = &request->store->facts[i];
        fprintf(file, "%u,", fact->run);
        cell(file, fact->key);
        putc(',', file);
        cell(file, fact->value);
        putc(',', file);
        if (fact->artefact != ROW_NONE)
            cell(file, request->store->artefacts[fact->artefact].path);
        fputs("\r\n", file);
    }
    return OK;
}

struct csv_table {
    const char *name;
    bool is_of_series, is_of_span; /* --series, --outlier choose among its rows */
    bool (*has)(const struct export_request *request);
    enum status (*write)(const struct export_request *request, FILE *file, struct error *error);
};

/* The option that was given and would not change this table, or NULL. */
static const char *idle_option(const struct csv_table *table, const struct export_request *request)
{
    if (request->series >= 0 && !table->is_of_series)
        return "series";
    return request->outlier && !table->is_of_span ? "outlier" : NULL;
}

/* Samples are as good as a histogram: they are counted. */
static bool has_distribution(const struct export_request *request)
{
    return has_histogram(request) || has_samples(request);
}

static enum status write_csv(const struct export_request *request, FILE *file, struct error *error)
{
    static const struct csv_table tables[] = {{"samples", true, false, has_samples, write_samples},
                                              {"histogram", true, false, has_distribution, write_histogram},
                                              {"events", false, true, has_events, write_events},
                                              {"counters", false, false, has_counters, write_counters},
                                              {"facts", false, false, has_facts, write_facts}};
    bool is_named = false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const char *idle = idle_option(&tables[i], request);
        if (request->table ? strcmp(tables[i].name, request->table) != 0 : idle != NULL)
            continue;
        is_named = true;
        if (idle)
            return error_usage(error, "--%s does not go with --table %s", idle, tables[i].name);
        if (tables[i].has(request))
            return tables[i].write(request, file, error);
    }
    if (!is_named && !request->table)
        return error_usage(error, "no table goes with both --series and --outlier");
    if (!is_named)
        return error_usage(error, "unknown table '%s' (there are samples, histogram, events, counters, facts)", request->table);
    return error_input(error, "the input holds no %s", request->table          ? request->table
                                                       : request->outlier      ? "events"
                                                       : request->series >= 0 ? "samples or histogram of this series"
                                                                               : "samples, histograms, events, counters or facts");
}

const struct export_format export_csv = {
    .name = "csv",
    .summary = "one table: samples, else histogram, events, counters or facts",
    .has_tables = true,
    .takes_series = true,
    .takes_outlier = true,
    .write = write_csv,
};
