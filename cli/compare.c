/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

static const struct option_row own[] = {
    {.name = "baseline", .argument = "N", .type = OPTION_INDEX, .offset = offsetof(struct request, analysis.baseline),
     .help = "compare with this run, the first is 0 (default 0)"},
    {.name = "margin", .argument = "PCT", .type = OPTION_INCREASE, .offset = offsetof(struct request, analysis.margin_pct),
     .help = "\"no worse\" than the baseline is by no more than this at each quantile (default 10)"},
    {.name = "factor", .argument = "KEY,...", .type = OPTION_FACTORS, .offset = offsetof(struct request, factors),
     .help = "conditions under test, which are no confounds (default: kernel release, patch and core); a wrong one lists all"},
    {.name = "fail-regression", .argument = "PCT", .type = OPTION_INCREASE,
     .offset = offsetof(struct request, fail_regression_pct),
     .help = "exit 1 if a metric is surely worse by more than this, in percent"},
    {.name = NULL},
};
static const struct option_row *const options[] = {own, options_tail, options_input, options_answer, options_plot, options_gate_verdict, options_gates, NULL};

static int run(struct request *request, struct error *error)
{
    if (factors_check(&request->analysis, error) == FAILED)
        return EXIT_USAGE;
    return session_command(request, error);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "whether runs differ, by how much, how sure, what else differed",
    .arguments = "INPUT INPUT...",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Compares runs in their order, the first being the baseline: body, quantiles and tail apart, maxima "
                   "at equal sample counts, each with its interval. Conditions that differ or are not known are named "
                   "as confounds. An INPUT that holds several runs counts as several; they are repeats of one condition, and "
                   "a difference must then exceed what they differ by; given alone, each of them is set against the first. Without a difference, quantiles are tested for \"no "
                   "worse than\" the baseline by --margin. For --fail-regression a metric is worse only if its whole interval "
                   "(--confidence) lies above the limit, beyond chance with all metrics counted: a system that did not change "
                   "breaks it in at most 5 % of comparisons at 95 %.",
    .examples = "whylate compare before.txt after.txt\n"
                "whylate compare base.json new.json --fail-regression 20\n"
                "whylate compare a.txt b.txt --factor cmdline.isolcpus\n",
    .jobs = JOB_INFO | JOB_VALIDATE | JOB_COMPARE,
    .options = options,
    .run = run,
};
