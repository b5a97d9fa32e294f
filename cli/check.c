/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

static const struct option_row *const options[] = {options_input, options_answer, options_plot, NULL};

const struct command command_check = {
    .name = "check",
    .summary = "the set-up as recorded, judged, with fixes",
    .arguments = "INPUT...",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Judges the recorded set-up of a measurement: kernel, isolation, throttling, governor, idle states, "
                   "console, debug options, priorities; each point with its reason and the command that fixes it. "
                   "What was not recorded is said to be unknown.",
    .examples = "whylate check bundle/\n"
                "cat /proc/cmdline /proc/version | whylate check -\n",
    .jobs = JOB_INFO | JOB_CHECK,
    .options = options,
    .run = session_command,
};
