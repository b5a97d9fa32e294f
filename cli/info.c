/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

static const struct option_row *const options[] = {options_input, options_answer, options_plot, options_gates, NULL};

const struct command command_info = {
    .name = "info",
    .summary = "what is in the input: files, series, span, events, gaps, notes",
    .arguments = "INPUT...",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Shows what the inputs hold: each file with its format and what is odd about it, the series "
                   "of latencies, the trace, the facts stated about the system, and findings about the data.",
    .examples = "whylate info cyclictest.txt\n"
                "whylate info results.tar.gz\n"
                "ssh target cat /proc/xenomai/sched/stat | whylate info -\n",
    .jobs = JOB_INFO,
    .options = options,
    .run = session_command,
};
