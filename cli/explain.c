/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

static const struct option_row own[] = {
    {.name = "timeline", .type = OPTION_FLAG, .offset = offsetof(struct request, analysis.timeline),
     .excludes = "json quiet tap", .help = "every outlier in full, its timeline with the rows of its CPUs (up to 400, the longest steps first)"},
    {.name = NULL},
};
static const struct option_row *const options[] = {options_selection, own, options_input, options_answer, options_plot, options_gates, NULL};

const struct command command_explain = {
    .name = "explain",
    .summary = "why it was late: what held up the worst samples, in ns",
    .arguments = "INPUT...",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Finds the worst late instances of a trace or report and accounts for every nanosecond of each: who "
                   "had the CPU, what was off, what the evidence is, and how sure the answer is. Time without "
                   "evidence stays unexplained, and the advice says what to record next time.",
    .examples = "whylate explain trace.dat\n"
                "whylate explain trace.txt --task cyclictest --threshold 100us\n"
                "whylate explain timerlat.txt --timeline\n",
    .jobs = JOB_INFO | JOB_EXPLAIN,
    .options = options,
    .run = session_command,
};
