/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/session.h"
#include "store/copy.h"

static const struct option_row own[] = {
    {.name = "outlier", .argument = "N", .type = OPTION_NUMBER, .offset = offsetof(struct request, outlier),
     .help = "which one, worst first from 1 (default 1)"},
    {.name = "context", .argument = "DUR", .type = OPTION_DURATION, .offset = offsetof(struct request, context_ns),
     .help = "how much to keep before and after the outlier (default: ten times its length, at least 10 ms)"},
    {.name = "compress", .type = OPTION_FLAG, .offset = offsetof(struct request, compress),
     .help = "pack chunks that are seldom read with zstd"},
    {.name = NULL},
};
static const struct option_row *const options[] = {options_file, own, options_selection, options_input, options_answer, options_plot, NULL};

/* Of the outlier's run: all rows and histograms, and of events and samples what lies around it. */
static enum status write_cut(const struct request *request, const struct session *session, struct error *error)
{
    struct store_copy_options copy = store_copy_all;
    const struct outlier *outlier = session_outlier(session, request, &copy.begin_ns, &copy.end_ns, error);
    if (!outlier)
        return FAILED;
    copy.run = outlier->run;
    copy.group = 0;
    copy.has_span = copy.begin_ns != NS_UNKNOWN && copy.end_ns != NS_UNKNOWN;
    copy.no_events = copy.no_samples = !copy.has_span;
    struct store_writer *writer = store_writer_new(request->output, error);
    if (!writer)
        return FAILED;
    store_writer_set_compression(writer, request->compress);
    if (store_copy(writer, session->store, &copy, NULL, error) == FAILED) {
        store_writer_abandon(writer);
        return FAILED;
    }
    return store_writer_finish(writer, error);
}

static int run(struct request *request, struct error *error)
{
    struct session session = {0};
    if (!request->output) {
        error_usage(error, "cut needs -o RUN.wl");
        return EXIT_USAGE;
    }
    if (!request->outlier)
        request->outlier = 1;
    enum status status = session_open(&session, request, request->words, request->n_words, error);
    if (status != FAILED)
        status = write_cut(request, &session, error);
    session_release(&session);
    return status == FAILED ? error_exit_code(error) : session_show_file(request, error);
}

const struct command command_cut = {
    .name = "cut",
    .summary = "one outlier with its surroundings as a small run file",
    .arguments = "INPUT... [--outlier N] -o RUN.wl",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Writes one outlier with the events around it, the histograms, counters and facts of its run into a "
                   "small run file to send to a colleague, and explains it from there. What is left out of the trace is a "
                   "gap in the new file, so nothing can take it for silence.",
    .examples = "whylate cut trace.dat --outlier 1 -o worst.wl\n"
                "whylate cut run.wl --task cyclictest --context 50ms -o worst.wl\n",
    .jobs = JOB_INFO | JOB_EXPLAIN,
    .options = options,
    .run = run,
};
