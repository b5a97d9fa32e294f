/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

static const struct option_row *const options[] = {options_tail, options_input, options_answer, options_plot, options_gate_verdict, options_gates, NULL};

const struct command command_validate = {
    .name = "validate",
    .summary = "whether each series' maximum is a latency of the system",
    .arguments = "INPUT...",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Judges the maximum of each series: credible, credible-isolated (a single far sample that other "
                   "evidence confirms), suspect, artefact, insufficient (too short or cut) or no-data; with the "
                   "evidence for and against, and what would settle it. A run whose tail is honest, however heavy, is called "
                   "suspect in at most 1 % of runs, all its series together: so often does --fail-verdict suspect fail "
                   "without a reason.",
    .examples = "whylate validate histogram.txt\n"
                "whylate validate nightly.json --fail-verdict suspect --junit result.xml\n",
    .jobs = JOB_INFO | JOB_VALIDATE,
    .options = options,
    .run = session_command,
};
