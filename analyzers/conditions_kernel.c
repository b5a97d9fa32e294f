/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel: how it was built, what its command line and its settings say. */
#include "analyzers/conditions_private.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/series_shape.h"

/* ---- as built, and as set ---- */

enum condition run_kernel_is_rt(const struct store *store, uint32_t run)
{
    const char *version = run_fact(store, run, "kernel.version|uname"), *release = run_fact(store, run, "kernel.release");
    const char *config = run_fact(store, run, "kernel.config.CONFIG_PREEMPT_RT|kernel.config.CONFIG_PREEMPT_RT_FULL");
    const char *realtime = run_fact(store, run, "kernel.realtime"), *model_fact = run_fact(store, run, "kernel.preempt");
    if (fact_mentions(model_fact, "preempt_rt") || (model_fact && strstr(model_fact, "(rt)")))
        return CONDITION_GOOD;
    if ((config && config[0] == 'y') || (realtime && realtime[0] == '1') || fact_mentions(version, "PREEMPT_RT") ||
        fact_mentions(version, "PREEMPT RT"))
        return CONDITION_GOOD;
    if (release) { /* 5.15.98-rt62, 4.9.140-rt93-tegra, 6.1.0-18-rt-amd64 */
        const char *rt = strstr(release, "-rt");
        if (rt && (isdigit((unsigned char)rt[3]) || rt[3] == '-' || rt[3] == '\0' || rt[3] == '_'))
            return CONDITION_GOOD;
        if (fact_mentions(release, "ipipe") || fact_mentions(release, "dovetail") || fact_mentions(release, "xeno") ||
            fact_mentions(release, "evl"))
            return CONDITION_GOOD;
    }
    for (size_t i = 0; i < store->n_streams; i++) {
        const char *model = store->streams[i].run == run ? store->streams[i].preempt_model : NULL;
        if (model && (strcmp(model, "rt") == 0 || strcasecmp(model, "preempt_rt") == 0))
            return CONDITION_GOOD;
        if (model && (strcmp(model, "desktop") == 0 || strcmp(model, "server") == 0))
            return CONDITION_BAD;
    }
    if (version && (fact_mentions(version, "SMP") || fact_mentions(version, "PREEMPT") || strchr(version, '#')))
        return CONDITION_BAD;
    return CONDITION_UNKNOWN;
}

enum condition judge_kernel(const struct store *store, uint32_t run, struct findings *out)
{
    bool is_cokernel;
    run_priority(store, run, &is_cokernel);
    enum condition rt = is_cokernel ? CONDITION_GOOD : run_kernel_is_rt(store, run);
    if (rt != CONDITION_BAD)
        return rt;
    struct finding *finding = condition_tell(out, "kernel-not-rt", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    const char *release = run_fact(store, run, "kernel.release");
    if (release)
        finding_text(out, finding, "release", release);
    return CONDITION_BAD;
}

bool run_debug_options(const struct store *store, uint32_t run, struct text *found)
{
    static const char *const costly[] = {"DEBUG_PREEMPT", "PROVE_LOCKING", "LOCKDEP", "DEBUG_LOCK_ALLOC", "DEBUG_OBJECTS", "KASAN",
                                         "KCSAN", "DEBUG_PAGEALLOC", "SLUB_DEBUG_ON", "DEBUG_KMEMLEAK", "LATENCYTOP",
                                         "DEBUG_ATOMIC_SLEEP", "IPIPE_TRACE", "XENO_OPT_DEBUG", "PREEMPT_TRACER",
                                         "IRQSOFF_TRACER"};
    bool any = false;
    size_t n;
    const struct fact *const *facts = store_facts_of_run(store, run, &n);
    for (size_t i = 0; i < n; i++) {
        const struct fact *fact = facts[i];
        const char *option = fact->key ? strstr(fact->key, "CONFIG_") : NULL;
        if (!option)
            continue;
        any = true;
        for (size_t k = 0; k < sizeof costly / sizeof *costly; k++)
            if (strcmp(option + 7, costly[k]) == 0 && fact->value && fact->value[0] == 'y')
                text_format(found, "%sCONFIG_%s", found->length ? ", " : "", costly[k]);
    }
    const char *release = run_fact(store, run, "kernel.release");
    if (fact_mentions(release, "debug"))
        text_format(found, "%skernel %s", found->length ? ", " : "", release);
    return any || found->length > 0;
}

enum condition judge_debug(const struct store *store, uint32_t run, struct findings *out)
{
    struct text found = {.max_length = 200};
    bool is_known = run_debug_options(store, run, &found);
    enum condition condition = found.length ? CONDITION_BAD : is_known ? CONDITION_GOOD : CONDITION_UNKNOWN;
    if (condition == CONDITION_BAD) {
        struct finding *finding = condition_tell(out, "debug-enabled", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding_text(out, finding, "options", text_string(&found));
    }
    text_release(&found);
    return condition;
}

enum condition judge_throttling(const struct store *store, uint32_t run, struct findings *out)
{
    int64_t runtime, period = 1000000;
    if (!fact_integer(run_fact(store, run, "sched.rt_runtime_us|kernel.sched_rt_runtime_us"), &runtime))
        return CONDITION_UNKNOWN;
    fact_integer(run_fact(store, run, "sched.rt_period_us|kernel.sched_rt_period_us"), &period);
    if (runtime < 0 || runtime >= period)
        return CONDITION_GOOD;
    struct finding *finding = condition_tell(out, "throttling-enabled", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_integer(out, finding, "runtime_ns", runtime * 1000);
    finding_integer(out, finding, "period_ns", period * 1000);
    return CONDITION_BAD;
}

/* ---- its command line: isolation, console, threaded interrupts ---- */

bool run_isolated_cpus(const struct store *store, uint32_t run, char *text, size_t size)
{
    char value[256];
    const char *isolated = run_fact(store, run, "cmdline.isolcpus|cpu.isolated");
    if (!isolated)
        isolated = cmdline_value(run_fact(store, run, "cmdline"), "isolcpus", value, sizeof value);
    if (!isolated || !*isolated)
        return false;
    snprintf(text, size, "%s", isolated);
    return true;
}

bool isolated_cpus_parse(const char *text, struct cpuset *set)
{
    /* isolcpus=nohz,domain,managed_irq,2-3: flags come first */
    while (isalpha((unsigned char)*text)) {
        const char *comma = strchr(text, ',');
        if (!comma)
            return false;
        text = comma + 1;
    }
    memset(set, 0, sizeof *set);
    return *text && cpuset_parse(text, set);
}

enum condition judge_isolation(const struct store *store, uint32_t run, struct findings *out)
{
    char value[256];
    const char *cmdline = run_fact(store, run, "cmdline");
    const char *isolated = run_isolated_cpus(store, run, value, sizeof value) ? value : NULL;
    const char *latmus = run_fact(store, run, "latmus.cpu_isolated");
    if (!isolated && latmus && strcmp(latmus, "yes") == 0)
        return CONDITION_GOOD;
    struct cpuset set;
    if (!isolated || !*isolated || !isolated_cpus_parse(isolated, &set)) {
        if (!cmdline && !(latmus && strcmp(latmus, "no") == 0) && !isolated)
            return CONDITION_UNKNOWN;
        condition_tell(out, "cpu-not-isolated", "none", SEVERITY_NOTE, CONFIDENCE_PROVEN, run);
        return CONDITION_BAD;
    }
    bool any = false;
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const struct series *s = &store->series[i];
        if (s->cpu == CPU_UNKNOWN)
            continue;
        any = true;
        if (cpuset_has(&set, s->cpu))
            continue;
        struct finding *finding = condition_tell(out, "cpu-not-isolated", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding->series = i;
        finding->cpu = s->cpu;
        finding_text(out, finding, "isolated", isolated);
        return CONDITION_BAD;
    }
    return any ? CONDITION_GOOD : CONDITION_UNKNOWN;
}

/* 8250, AMA and LPUART, i.MX, OMAP: the names of a board's serial ports. */
static bool is_serial_port(const char *name)
{
    static const char *const names[] = {"ttyS", "ttyA", "ttymxc", "ttyO", "ttyP"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

enum condition judge_console(const struct store *store, uint32_t run, struct findings *out)
{
    char value[256];
    const char *cmdline = run_fact(store, run, "cmdline"), *console = run_fact(store, run, "kernel.consoles|cmdline.console");
    if (!cmdline && !console)
        return CONDITION_UNKNOWN;
    bool is_serial = console && is_serial_port(console);
    for (const char *p = cmdline; p && (p = strstr(p, "console=")); p += 8)
        is_serial |= (p == cmdline || p[-1] == ' ') && is_serial_port(p + 8);
    /* The level that counts is the one in force: "quiet" makes it 4, `dmesg -n` changes it. */
    int64_t level;
    bool is_known = fact_integer(run_fact(store, run, "kernel.printk"), &level);
    bool is_quiet = is_known ? level <= 4 : cmdline_value(cmdline, "quiet", value, sizeof value) != NULL;
    if (!is_serial || is_quiet)
        return CONDITION_GOOD;
    condition_tell(out, "console-serial", "", SEVERITY_NOTE, CONFIDENCE_POSSIBLE, run);
    return CONDITION_BAD;
}

/* PREEMPT_RT threads all interrupts by itself; other kernels do with "threadirqs". */
enum condition judge_threaded(const struct store *store, uint32_t run, struct findings *out)
{
    char value[16];
    const char *cmdline = run_fact(store, run, "cmdline");
    bool is_cokernel;
    run_priority(store, run, &is_cokernel);
    enum condition rt = run_kernel_is_rt(store, run);
    if (is_cokernel || rt == CONDITION_GOOD || (cmdline && cmdline_value(cmdline, "threadirqs", value, sizeof value)))
        return CONDITION_GOOD;
    if (!cmdline || rt == CONDITION_UNKNOWN)
        return CONDITION_UNKNOWN;
    condition_tell(out, "irqs-not-threaded", "", SEVERITY_NOTE, CONFIDENCE_PROVEN, run);
    return CONDITION_BAD;
}
