/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rt-tests tools that end in a verdict or one number: ssdd, pip_stress, pi_stress, hackbench, deadline_test. Their results
 * are facts; hackbench is also the most used load.
 *
 *     Time: 0.218                                     hackbench, seconds
 *     All tests PASSED.                               ssdd
 *     Total inversion performed: 97775                pi_stress
 *     missed deadlines  = 3                           deadline_test, without its "[tid]" line (else deadline.c)
 */
#include <string.h>

#include "importers/importer.h"

struct sentence {
    const char *text, *fact;
    bool takes_rest; /* the value is what follows; else the whole line */
};
static const struct sentence sentences[] = {
    {"Running in process mode with ", "hackbench.setup", false},
    {"Running in threaded mode with ", "hackbench.setup", false},
    {"Each sender will pass ", "hackbench.messages", false},
    {"All tests PASSED.", "ssdd.result", false},
    {"One or more tests FAILED.", "ssdd.result", false},
    {"Successfully used priority inheritance to handle an inversion", "pip_stress.result", false},
    {"No inversion incurred", "pip_stress.result", false},
    {"Total inversion performed: ", "pi_stress.inversions", true},
    {"Test Duration: ", "pi_stress.duration", true},
    {"missed deadlines  = ", "deadline_test.missed_deadlines", true},
    {"missed periods    = ", "deadline_test.missed_periods", true},
    {"Total adjustments = ", "deadline_test.adjustments", true},
};
/* Lines that these tools print around: known, nothing in them. */
static const char *const around[] = {
    "forktest#", "#main : ", "#forks: ", "#steps: ", "Starting PI Stress Test", "Number of thread groups: ", "Duration of test run: ",
    "Number of inversions per group: ", "Admin thread SCHED_", "High thread SCHED_", "Med thread SCHED_", "Low thread SCHED_",
    "Current Inversions: ", "Stopping test", "calculated loops for ", "New calculated loops for ", "Diff from last calculation: ",
    "percent per task:", "# adjustments = ", "Collecting ...", "Tested at ",
};

static const struct sentence *find(const struct line *line)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (line_starts(line, sentences[i].text))
            return &sentences[i];
    return NULL;
}

/* "Time: 0.218" behind hackbench's other lines only. */
static bool is_time(const struct line *line, int64_t *ms)
{
    const char *p = line->text, *end = p + line->length;
    return scan_literal(&p, end, "Time: ") && scan_decimal(&p, end, 3, ms) && p == end;
}

static struct probe_result verdict_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    int64_t ms;
    (void)member;
    lines_peek(lines, 0, &line);
    if (line.length < 8 || line.length > 300)
        return (struct probe_result){NOT_MINE, NULL};
    if (find(&line) || is_time(&line, &ms))
        return (struct probe_result){PLAUSIBLE, NULL};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        if (line_starts(&line, around[i]))
            return (struct probe_result){UNLIKELY, NULL};
    return (struct probe_result){NOT_MINE, NULL};
}

static enum status verdict_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    int64_t ms;
    (void)error;
    lines_peek(lines, 0, &line);
    const struct sentence *sentence = find(&line);
    if (is_time(&line, &ms)) {
        import_fact(import, "hackbench.time_s", "%lld.%03lld", (long long)(ms / 1000), (long long)(ms % 1000));
    } else if (sentence) {
        const char *p = line_find(&line, sentence->text) + (sentence->takes_rest ? strlen(sentence->text) : 0);
        const char *end = line.text + line.length;
        import_fact(import, sentence->fact, "%.*s", (int)(end - p), p);
    }
    lines_skip(lines, 1);
    return OK;
}

static const char *const rt_verdicts_marks[] = {
    "Running in ", "Each sender will pass", "tests PASSED", "tests FAILED", "priority inheritance to handle",
    "No inversion incurred", "inversion", "Test Duration: ", "missed ", "adjustments = ", "Time: ", "forktest#", "#main : ",
    "#forks: ", "#steps: ", "PI Stress", "Number of thread groups", "Duration of test", "thread SCHED_", "Stopping test",
    "calculated loops", "Diff from last", "percent per task:", "Collecting ...", "Tested at ", NULL,
};

const struct importer importer_rt_verdicts = {
    .name = "rt-tests-result",
    .summary = "results of ssdd, pip_stress, pi_stress, hackbench, deadline_test",
    .reads = "their last lines, as facts",
    .probe_lines = verdict_probe,
    .read_lines = verdict_read,
    .marks = rt_verdicts_marks,
};
