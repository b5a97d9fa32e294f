/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"
#include "cli/session.h"
#include "report/export.h"
#include "report/output.h"

static const struct option_row own[] = {
    {.name = "to", .argument = "FORMAT", .type = OPTION_TEXT, .offset = offsetof(struct request, format),
     .help = "csv, json, perfetto or hgrm"},
    {.name = NULL},
};
static const struct option_row *const options[] = {options_file, own, options_input, NULL};

static int run(struct request *request, struct error *error)
{
    const struct exporter *exporter = request->format ? exporter_find(request->format) : NULL;
    if (!exporter) {
        struct text names = {0};
        for (size_t i = 0; exporters[i]; i++)
            text_format(&names, "%s%s", i ? ", " : "", exporters[i]->name);
        if (request->format)
            error_usage(error, "--to: unknown format '%s' (there are %s)", request->format, text_string(&names));
        else
            error_usage(error, "export needs --to FORMAT (%s)", text_string(&names));
        text_release(&names);
        return EXIT_USAGE;
    }
    if (!request->output)
        return error_usage(error, "export needs -o FILE"), EXIT_USAGE;
    struct session session = {0};
    struct output_file output;
    int code = 0;
    if (session_open(&session, request, request->words, request->n_words, error) == FAILED ||
        output_file_begin(&output, request->output, error) == FAILED) {
        code = error_exit_code(error);
    } else if (exporter->write(session.document, session.store, output.file, error) == FAILED) {
        output_file_abandon(&output);
        code = error_exit_code(error);
    } else if (output_file_finish(&output, error) == FAILED) {
        code = error_exit_code(error);
    }
    session_release(&session);
    return code;
}

const struct command command_export = {
    .name = "export",
    .summary = "what was imported, as csv, json, perfetto or hgrm",
    .arguments = "INPUT... -o FILE --to FORMAT",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Writes what the inputs hold in a format of others: csv (a row per sample, else per histogram bin), "
                   "json (the document of info with every histogram), perfetto (the trace as text that ui.perfetto.dev "
                   "opens), hgrm (HdrHistogram's percentiles). -o - is standard output.",
    .examples = "whylate export cyclictest.txt --to csv -o samples.csv\n"
                "whylate export trace.dat --to perfetto -o trace.txt\n",
    .jobs = JOB_INFO,
    .options = options,
    .run = run,
};
