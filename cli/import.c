/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

static const struct option_row own[] = {
    {.name = "compress", .type = OPTION_FLAG, .offset = offsetof(struct request, compress),
     .help = "pack chunks that are seldom read with zstd"},
    {.name = "no-hash", .type = OPTION_FLAG, .offset = offsetof(struct request, import.no_hash),
     .help = "leave out the SHA-256 of the inputs: faster, but nobody can tell later which files these were"},
    {.name = NULL},
};
static const struct option_row *const options[] = {options_file, own, options_input, options_answer, options_plot, NULL};

static enum status write_run_file(const struct request *request, struct error *error)
{
    struct store_writer *writer = store_writer_new(request->output, error);
    if (!writer)
        return FAILED;
    store_writer_set_compression(writer, request->compress);
    if (import_inputs(writer, request->words, request->n_words, &request->import, error) == FAILED) {
        store_writer_abandon(writer);
        return FAILED;
    }
    return store_writer_finish(writer, error);
}

static int run(struct request *request, struct error *error)
{
    if (!request->output) {
        error_usage(error, "import needs -o RUN.wl");
        return EXIT_USAGE;
    }
    if (write_run_file(request, error) == FAILED)
        return error_exit_code(error);
    return session_show_file(request, error);
}

const struct command command_import = {
    .name = "import",
    .summary = "the inputs as one run file, quick to open and to send",
    .arguments = "INPUT... -o RUN.wl",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Reads the inputs once and writes all they hold into a run file (docs/run-file.md), which every "
                   "command opens at once. Same inputs, same bytes.",
    .examples = "whylate import trace.dat cyclictest.txt --same-run -o run.wl\n",
    .jobs = JOB_INFO,
    .options = options,
    .run = run,
};
