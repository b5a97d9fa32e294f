/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/conditions_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finding *condition_tell(struct findings *out, const char *code, const char *variant, enum severity severity,
                               enum confidence confidence, uint32_t run)
{
    struct finding *finding = findings_add(out, code, severity, confidence);
    finding->variant = variant;
    finding->run = run;
    return finding;
}

bool fact_integer(const char *text, int64_t *value)
{
    char *end;
    if (!text)
        return false;
    int64_t number = strtoll(text, &end, 10);
    if (end == text || number > INT64_MAX / 1000 || number < INT64_MIN / 1000)
        return false;
    *value = number;
    return true;
}

bool fact_mentions(const char *text, const char *word)
{
    return text && strcasestr(text, word);
}

const char *cmdline_value(const char *cmdline, const char *word, char *value, size_t size)
{
    size_t length = strlen(word);
    for (const char *p = cmdline; p && *p; p += strcspn(p, " \t\n"), p += strspn(p, " \t\n")) {
        if (strncmp(p, word, length) != 0 || !strchr("= \n", p[length])) /* the end of the text matches as well */
            continue;
        const char *begin = p + length + (p[length] == '=');
        snprintf(value, size, "%.*s", (int)strcspn(begin, " \t\n"), begin);
        return value;
    }
    return NULL;
}

struct condition_rule {
    const char *code;
    /* Judges a run; adds a finding if it is bad. Unknown: the files do not say. */
    enum condition (*judge)(const struct store *store, uint32_t run, struct findings *out);
    const char *recorded_by; /* what would tell, for `check`: a command */
    bool is_recipe;          /* `check` asks for it even when nothing is recorded */
};

static const struct condition_rule condition_rules[] = {
    {"command-mismatch", judge_command, NULL, false},
    {"priority-low", judge_priority, "chrt -p TID", true},
    {"run-too-short", judge_length, NULL, false},
    {"load-missing", judge_load, "--set load.command='...'", true},
    {"kernel-not-rt", judge_kernel, "uname -a", true},
    {"debug-enabled", judge_debug, "zcat /proc/config.gz", true},
    {"throttling-enabled", judge_throttling, "cat /proc/sys/kernel/sched_rt_runtime_us", true},
    {"governor-not-fixed", judge_governor, "cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", true},
    {"cpu-not-isolated", judge_isolation, "cat /proc/cmdline", true},
    {"irqs-not-threaded", judge_threaded, "cat /proc/cmdline", true},
    {"idle-states-deep", judge_idle, "grep . /sys/devices/system/cpu/cpu0/cpuidle/state*/latency", true},
    {"console-serial", judge_console, "cat /proc/cmdline", true},
    {"irq-thread-competes", judge_irq_threads, "ps -eLo tid,rtprio,comm", true},
    {"background-realtime", judge_background, "ps -eLo tid,rtprio,comm", true},
    {"virtualized", judge_virtualization, "systemd-detect-virt", true},
    {"clocksource-slow", judge_clocksource, "cat /sys/devices/system/clocksource/clocksource0/current_clocksource", true},
    {"secondary-mode", judge_secondary, NULL, false},
    {"timer-not-calibrated", judge_timer, NULL, false},
};

static enum status conditions_run(const struct store *store, const struct analysis_options *options,
                                  struct analysis *analysis, struct error *error)
{
    (void)error;
    for (uint32_t run = 0; run < store->n_runs; run++)
        for (size_t i = 0; i < sizeof condition_rules / sizeof *condition_rules; i++) {
            const struct condition_rule *rule = &condition_rules[i];
            enum condition condition = rule->judge(store, run, &analysis->findings);
            if (condition != CONDITION_UNKNOWN || !rule->is_recipe || !(options->jobs & JOB_CHECK))
                continue;
            struct finding *finding =
                condition_tell(&analysis->findings, rule->code, "unknown", SEVERITY_NOTE, CONFIDENCE_UNKNOWN, run);
            finding_text(&analysis->findings, finding, "command", rule->recorded_by);
        }
    return OK;
}

const struct analyzer analyzer_conditions = {
    .name = "conditions",
    .summary = "how the system was set up, against the recipe",
    .jobs = JOB_INFO | JOB_CHECK,
    .run = conditions_run,
};
