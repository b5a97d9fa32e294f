/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/session.h"
#include "report/export.h"
#include "report/output.h"

static const struct option_row own[] = {
    {.name = "to", .argument = "FORMAT", .type = OPTION_TEXT, .offset = offsetof(struct request, format),
     .help = "csv, json, perfetto or hgrm"},
    {.name = "table", .argument = "NAME", .type = OPTION_TEXT, .offset = offsetof(struct request, table),
     .help = "csv: samples, histogram, events, counters or facts (default: the first there is)"},
    {.name = "series", .argument = "N", .type = OPTION_INDEX, .offset = offsetof(struct request, series),
     .help = "only this series, counted from 0 over all runs"},
    {.name = "outlier", .argument = "N", .type = OPTION_NUMBER, .offset = offsetof(struct request, outlier),
     .help = "only the events around this outlier, worst first from 1"},
    {.name = "context", .argument = "DUR", .type = OPTION_DURATION, .offset = offsetof(struct request, context_ns),
     .needs = "outlier", .help = "how much before and after the outlier (default: ten times its length, at least 10 ms)"},
    {.name = NULL},
};
static const struct option_row *const options[] = {options_file, own, options_quiet, options_selection, options_input, NULL};

/* Options that would not change what this format holds are refused. */
static enum status check_format_options(const struct request *request, const struct export_format *format, struct error *error)
{
    const char *idle = request->table && !format->has_tables                     ? "table"
                       : request->series != ROW_NONE && !format->takes_series ? "series"
                       : request->outlier && !format->takes_outlier            ? "outlier"
                                                                               : NULL;
    if (idle)
        return error_usage(error, "--%s does not go with --to %s", idle, format->name);
    const struct option_row *selection = request_given(request, options_selection);
    if (selection && !request->outlier && !format->needs_outliers)
        return error_usage(error, "--%s chooses among outliers: it needs --outlier or --to perfetto", selection->name);
    return OK;
}

static const struct export_format *format_of(const struct request *request, struct error *error)
{
    const struct export_format *format = request->format ? export_format_find(request->format) : NULL;
    if (!request->format)
        error_usage(error, "export needs --to FORMAT: csv, json, perfetto or hgrm");
    else if (!format)
        error_usage(error, "unknown export format '%s' (there are csv, json, perfetto, hgrm)", request->format);
    else if (!request->output)
        error_usage(error, "export needs -o FILE (\"-\" is standard output)");
    else if (check_format_options(request, format, error) != FAILED)
        return format;
    return NULL;
}

static enum status write_file(const struct request *request, const struct export_format *format,
                              const struct session *session, struct error *error)
{
    struct export_request export = {.store = session->store, .analysis = &session->analysis, .table = request->table,
                                    .series = request->series == ROW_NONE ? -1 : (int64_t)request->series,
                                    .begin_ns = INT64_MIN, .end_ns = INT64_MAX};
    struct output_file output;
    if (request->series != ROW_NONE && request->series >= session->store->n_series)
        return error_usage(error, "there is no series %u, the input has %zu", request->series, session->store->n_series);
    if (request->outlier) {
        export.outlier = session_outlier(session, request, &export.begin_ns, &export.end_ns, error);
        if (!export.outlier)
            return FAILED;
        if (export.begin_ns == NS_UNKNOWN || export.end_ns == NS_UNKNOWN)
            return error_input(error, "outlier %d has no place in a trace", (int)request->outlier);
    }
    if (output_file_begin(&output, request->output, error) == FAILED)
        return FAILED;
    if (format->write(&export, output.file, error) == FAILED) {
        output_file_abandon(&output);
        return FAILED;
    }
    return output_file_finish(&output, error);
}

static int run(struct request *request, struct error *error)
{
    const struct export_format *format = format_of(request, error);
    struct session session = {0};
    enum status status;
    if (!format)
        return EXIT_USAGE;
    if (format->needs_outliers || request->outlier)
        status = session_open(&session, request, request->words, request->n_words, error);
    else {
        session.store = session_store(request, request->words, request->n_words, error);
        status = session.store ? OK : FAILED;
    }
    if (status != FAILED)
        status = write_file(request, format, &session, error);
    session_release(&session);
    return status == FAILED ? error_exit_code(error) : 0;
}

const struct command command_export = {
    .name = "export",
    .summary = "samples, histograms and events for other programs",
    .arguments = "INPUT... -o FILE --to csv|json|perfetto|hgrm",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Writes what the inputs hold in a form that other programs read: csv (one table, with a header line), "
                   "json (everything), perfetto (trace events with the outliers, for ui.perfetto.dev) or hgrm (the "
                   "percentile distribution of one series, for HdrHistogram's plotters).\n\n"
                   "Unknown values are empty cells or null. Times are in ns, in hgrm and perfetto in us.",
    .examples = "whylate export cyclictest.txt -o samples.csv --to csv\n"
                "whylate export trace.dat --outlier 1 -o worst.json --to perfetto\n"
                "whylate export run.wl --series 3 -o cpu3.hgrm --to hgrm\n",
    .jobs = JOB_INFO | JOB_EXPLAIN,
    .options = options,
    .run = run,
};
