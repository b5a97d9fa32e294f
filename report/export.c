/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "report/plot.h"
#include "report/words.h"

extern const struct exporter export_csv, export_json, export_perfetto, export_hgrm;
const struct exporter *const exporters[] = {&export_csv, &export_json, &export_perfetto, &export_hgrm, NULL};

const struct exporter *exporter_find(const char *name)
{
    for (size_t i = 0; exporters[i]; i++)
        if (strcmp(exporters[i]->name, name) == 0)
            return exporters[i];
    return NULL;
}

/* ---- csv: a row per sample, or per bin where there are no samples ---- */

static void csv_text(FILE *file, const char *string)
{
    struct text clean = {0};
    words_clean(string ? string : "", &clean);
    putc('"', file);
    for (const char *p = text_string(&clean); *p; p++) {
        if (*p == '"')
            putc('"', file);
        putc(*p, file);
    }
    putc('"', file);
    text_release(&clean);
}

static void csv_front(FILE *file, const struct store *store, uint32_t series)
{
    csv_text(file, store->runs[store->series[series].run].label);
    putc(',', file);
    csv_text(file, store->series[series].name);
    putc(',', file);
}

static enum status csv_samples(const struct store *store, uint32_t series, FILE *file, struct error *error)
{
    struct sample_view view;
    for (size_t c = 0; c < store_count_sample_chunks(store, series); c++) {
        if (store_sample_chunk(store, series, c, &view, error) == FAILED)
            return FAILED;
        for (size_t i = 0; i < view.n; i++) {
            uint64_t cycle = view.cycle ? view.cycle[i] : view.first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN : view.first_cycle + i;
            csv_front(file, store, series);
            if (view.time_ns && view.time_ns[i] != NS_UNKNOWN)
                fprintf(file, "%" PRId64, view.time_ns[i]);
            putc(',', file);
            if (cycle != COUNT_UNKNOWN)
                fprintf(file, "%" PRIu64, cycle);
            fprintf(file, ",%" PRId64 ",1\n", view.latency_ns[i]);
        }
    }
    return OK;
}

static enum status write_csv(const json_t *document, const struct store *store, FILE *file, struct error *error)
{
    (void)document;
    size_t n_rows = 0;
    fputs("run,series,time_ns,cycle,latency_ns,count\n", file);
    for (uint32_t s = 0; s < store->n_series; s++) {
        size_t n_bins;
        const struct bin *bins = store_bins(store, s, &n_bins);
        if (store_count_samples(store, s) && csv_samples(store, s, file, error) == FAILED)
            return FAILED;
        n_rows += store_count_samples(store, s);
        for (size_t i = 0; i < n_bins && !store_count_samples(store, s); i++, n_rows++) {
            csv_front(file, store, s);
            fprintf(file, ",,%" PRId64 ",%" PRIu64 "\n", bins[i].low_ns, bins[i].count);
        }
    }
    return n_rows ? OK : error_input(error, "the input holds neither samples nor histograms to export as csv");
}
const struct exporter export_csv = {"csv", "samples, else histogram bins (lower edges), a row each", write_csv};

/* ---- json: the document with each series' bins ---- */

static enum status write_json(const json_t *document, const struct store *store, FILE *file, struct error *error)
{
    (void)error;
    json_t *copy = json_deep_copy(document);
    const json_t *run;
    json_t *series;
    size_t r, i;
    uint32_t s = 0;
    json_array_foreach(json_object_get(copy, "runs"), r, run)
        json_array_foreach(json_object_get(run, "series"), i, series) {
            size_t n_bins;
            const struct bin *bins = store_bins(store, s++, &n_bins);
            json_t *list = json_array();
            for (size_t k = 0; k < n_bins; k++)
                json_array_append_new(list, json_pack("[I, I]", (json_int_t)bins[k].low_ns, (json_int_t)bins[k].count));
            json_object_set_new(series, "bins", list);
        }
    json_write(copy, file);
    json_decref(copy);
    return OK;
}
const struct exporter export_json = {"json", "the document of info, each series with its histogram [[low_ns, count], ...]", write_json};

/* ---- perfetto: the kernel's own text, which ui.perfetto.dev and trace_processor open ---- */

static const char *task_of(const struct store *store, const struct event_ref *event, uint32_t run, int32_t tid)
{
    (void)event;
    const char *comm = tid == 0 ? "<idle>" : store_task_comm(store, run, tid);
    return comm ? comm : "<...>";
}

static enum status write_perfetto(const json_t *document, const struct store *store, FILE *file, struct error *error)
{
    (void)document;
    if (!store->n_events)
        return error_input(error, "the input holds no trace to export");
    uint32_t run = store->event_chunks[0].run;
    struct event_merge *merge = event_merge_new(store, run, ROW_NONE, INT64_MIN + 1, INT64_MAX, error);
    if (!merge)
        return FAILED;
    fputs("# tracer: nop\n#\n#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n#              | |         |   ||||      |         |\n", file);
    struct event_ref event;
    while (event_merge_next(merge, &event)) {
        char text[1024];
        int64_t now = event_time_ns(&event);
        int32_t tid = event.view->tid[event.i];
        struct text comm = {0};
        event_format(store, event.view, event.i, text, sizeof text);
        words_clean(task_of(store, &event, run, tid), &comm);
        fprintf(file, "%16s-%-7" PRId32 " [%03" PRId32 "] .... %" PRId64 ".%09" PRId64 ": %s\n", text_string(&comm),
                tid == TID_UNKNOWN ? 0 : tid, event.cpu, now / 1000000000, now < 0 ? -(now % 1000000000) : now % 1000000000, text);
        text_release(&comm);
    }
    enum status status = event_merge_status(merge);
    event_merge_free(merge);
    return status;
}
const struct exporter export_perfetto = {"perfetto", "the trace as kernel text, which ui.perfetto.dev opens", write_perfetto};

/* ---- hgrm: HdrHistogram's percentile distribution ---- */

/* Ten steps for each halving of what lies above, as HdrHistogram prints. */
#define HGRM_STEPS 5

static void hgrm_block(const struct distribution *distribution, FILE *file)
{
    double total = (double)(distribution->n_samples + distribution->n_overflow), seen = 0, sum = 0, squares = 0;
    double next = 0, step = 0.5 / HGRM_STEPS;
    fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", file);
    for (size_t i = 0; i < distribution->n; i++) {
        double value = (double)distribution->bins[i].low_ns, count = (double)distribution->bins[i].count;
        seen += count;
        sum += value * count;
        squares += value * value * count;
        double share = seen / total;
        if (share < next && i + 1 < distribution->n)
            continue;
        if (share < 1)
            fprintf(file, "%12.3f %2.12f %10.0f %14.2f\n", value, share, seen, 1 / (1 - share));
        else
            fprintf(file, "%12.3f %2.12f %10.0f %14s\n", value, share, seen, "inf");
        while (next <= share && next < 1) {
            next += step;
            if (1 - next < step * HGRM_STEPS)
                step /= 2;
            if (step < 1e-13)
                break;
        }
    }
    double n = (double)distribution->n_samples, mean = n > 0 ? sum / n : 0, variance = n > 0 ? squares / n - mean * mean : 0;
    double largest = distribution->n ? (double)distribution->bins[distribution->n - 1].low_ns : 0;
    fprintf(file, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n#[Max     = %12.3f, Total count    = %12.0f]\n",
            mean, variance > 0 ? __builtin_sqrt(variance) : 0, largest, total);
}

static int compare_bins(const void *a, const void *b)
{
    const struct bin *x = a, *y = b;
    return (x->low_ns > y->low_ns) - (x->low_ns < y->low_ns);
}

/* All series of one run added up: the format holds one distribution. Values in ns. */
static enum status write_hgrm(const json_t *document, const struct store *store, FILE *file, struct error *error)
{
    (void)document;
    struct distribution sum = {.limit_ns = NS_UNKNOWN};
    size_t capacity = 0, n_series;
    uint32_t *list = plot_series(store, &n_series);
    for (size_t i = 0; i < n_series; i++) {
        struct distribution one;
        if (store->series[list[i]].run != store->series[list[0]].run || !distribution_of(store, list[i], &one))
            continue;
        memory_reserve(sum.bins, capacity, sum.n + one.n);
        memcpy(sum.bins + sum.n, one.bins, one.n * sizeof *one.bins);
        sum.n += one.n;
        sum.n_samples += one.n_samples;
        sum.n_overflow += one.n_overflow;
        distribution_release(&one);
    }
    enum status status = OK;
    if (store->n_runs > 1 && n_series)
        status = error_input(error, "hgrm holds one distribution, and the input has %zu runs", store->n_runs);
    else if (!sum.n)
        status = error_input(error, "the input holds neither samples nor histograms to export as hgrm");
    if (status == OK) {
        qsort(sum.bins, sum.n, sizeof *sum.bins, compare_bins);
        size_t n = 0;
        for (size_t i = 1; i < sum.n; i++)
            if (sum.bins[i].low_ns == sum.bins[n].low_ns)
                sum.bins[n].count += sum.bins[i].count;
            else
                sum.bins[++n] = sum.bins[i];
        sum.n = n + 1;
        hgrm_block(&sum, file);
    }
    distribution_release(&sum);
    free(list);
    return status;
}
const struct exporter export_hgrm = {"hgrm", "HdrHistogram percentiles, all series of the run added up, in ns", write_hgrm};
