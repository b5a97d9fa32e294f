/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/session.h"
#include "store/copy.h"

static const struct option_row own[] = {
    {.name = "outlier", .argument = "N", .type = OPTION_NUMBER, .offset = offsetof(struct request, outlier),
     .help = "which one, worst first from 1 (default 1)"},
    {.name = "context", .argument = "DUR", .type = OPTION_DURATION, .offset = offsetof(struct request, context_ns),
     .help = "how much of the trace before and after (default: as long as the outlier, at least 1ms)"},
    {.name = NULL},
};
static const struct option_row *const options[] = {options_file, own, options_selection, options_input, NULL};

static enum status cut(const struct session *session, const struct outlier *outlier, const struct request *request, struct error *error)
{
    struct store_copy_options copy = store_copy_all;
    copy.run = outlier->run;
    if (outlier->begin_ns != NS_UNKNOWN && outlier->end_ns != NS_UNKNOWN) {
        int64_t length_ns = outlier->end_ns - outlier->begin_ns, context_ns = length_ns > 1000000 ? length_ns : 1000000;
        if (request->context_ns != NS_UNKNOWN)
            context_ns = request->context_ns;
        copy.has_span = true;
        if (__builtin_sub_overflow(outlier->begin_ns, context_ns, &copy.begin_ns))
            copy.begin_ns = INT64_MIN + 1;
        if (__builtin_add_overflow(outlier->end_ns, context_ns, &copy.end_ns))
            copy.end_ns = INT64_MAX;
    }
    struct store_writer *writer = store_writer_new(request->output, error);
    if (!writer)
        return FAILED;
    if (store_copy(writer, session->store, &copy, NULL, error) == FAILED) {
        store_writer_abandon(writer);
        return FAILED;
    }
    return store_writer_finish(writer, error);
}

static int run(struct request *request, struct error *error)
{
    if (!request->output)
        return error_usage(error, "cut needs -o FILE"), EXIT_USAGE;
    size_t wanted = request->outlier ? (size_t)request->outlier : 1;
    if (request->analysis.top < wanted)
        request->analysis.top = wanted;
    struct session session = {0};
    enum status status = session_open(&session, request, request->words, request->n_words, error);
    if (status != FAILED && wanted > session.analysis.n_outliers)
        status = error_input(error, "there is no outlier %zu: the input has %zu", wanted, session.analysis.n_outliers);
    if (status != FAILED)
        status = cut(&session, session.analysis.outliers[wanted - 1], request, error);
    session_release(&session);
    return status == FAILED ? error_exit_code(error) : 0;
}

const struct command command_cut = {
    .name = "cut",
    .summary = "one outlier with its context as a small file to send",
    .arguments = "INPUT... -o FILE",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Writes a small run file with one outlier: the trace around it, and what is known about its run. "
                   "Every command opens it as it opens the whole.",
    .examples = "whylate cut trace.dat --outlier 2 -o late.wl\n",
    .jobs = JOB_INFO | JOB_EXPLAIN,
    .options = options,
    .run = run,
};
