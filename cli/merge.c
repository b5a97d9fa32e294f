/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/session.h"
#include "store/pool.h"

static const struct option_row own[] = {
    {.name = "force", .type = OPTION_FLAG, .offset = offsetof(struct request, force),
     .help = "add up runs although kernel, processor, isolation or load differ"},
    {.name = "compress", .type = OPTION_FLAG, .offset = offsetof(struct request, compress),
     .help = "pack chunks that are seldom read with zstd"},
    {.name = NULL},
};
static const struct option_row *const options[] = {options_file, own, options_input, options_answer, options_plot, NULL};

static enum status write_merged(const struct request *request, struct error *error)
{
    struct store *store = session_store(request, request->words, request->n_words, error);
    struct store_writer *writer = store ? store_writer_new(request->output, error) : NULL;
    enum status status = FAILED;
    if (writer) {
        store_writer_set_compression(writer, request->compress);
        status = store_pool_runs(writer, store, request->force, error);
        if (status == FAILED)
            store_writer_abandon(writer);
        else
            status = store_writer_finish(writer, error);
    }
    store_close(store);
    return status;
}

static int run(struct request *request, struct error *error)
{
    if (!request->output) {
        error_usage(error, "merge needs -o RUN.wl");
        return EXIT_USAGE;
    }
    if (write_merged(request, error) == FAILED)
        return error_exit_code(error);
    return session_show_file(request, error);
}

const struct command command_merge = {
    .name = "merge",
    .summary = "repeated runs of one measurement added up",
    .arguments = "INPUT... -o RUN.wl",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Adds up the series of all runs: histograms, samples, counts, durations. Runs that measured something "
                   "else (another interval, resolution, priority, histogram limit) are refused, and so are runs under "
                   "other conditions (kernel, processor, isolation, load) unless --force. Traces, counters and times "
                   "belong to one run each and are left out.",
    .examples = "whylate merge night1.txt night2.txt night3.txt -o nights.wl\n",
    .jobs = JOB_INFO,
    .options = options,
    .run = run,
};
