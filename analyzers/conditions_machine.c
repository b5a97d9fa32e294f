/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine: its frequency, idle states, clock and hypervisor; and who else ran on it. */
#include "analyzers/conditions_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/series_shape.h"

/* "cpu.governor", or the one of a measured CPU ("cpu.1.governor"), or the first that is stated. */
static const char *governor_of(const struct store *store, uint32_t run)
{
    const char *found = run_fact(store, run, "cpu.governor");
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end && !found; i++) {
        char key[40];
        if (store->series[i].cpu == CPU_UNKNOWN)
            continue;
        snprintf(key, sizeof key, "cpu.%" PRId32 ".governor", store->series[i].cpu);
        found = run_fact(store, run, key);
    }
    return found ? found : run_fact(store, run, "cpu.0.governor|cpu.N.governor");
}

/* "performance", "userspace" on all CPUs, or "none" and the like: no frequency scaling at all. */
static bool is_fixed_frequency(const char *governor)
{
    bool is_fixed = strncmp(governor, "performance", 11) == 0 || fact_mentions(governor, "none") ||
                    fact_mentions(governor, "absent") ||
                    (fact_mentions(governor, "userspace") && !fact_mentions(governor, ","));
    bool is_scaled = fact_mentions(governor, "ondemand") || fact_mentions(governor, "powersave") ||
                     fact_mentions(governor, "schedutil");
    return is_fixed && !is_scaled;
}

enum condition judge_governor(const struct store *store, uint32_t run, struct findings *out)
{
    const char *governor = governor_of(store, run);
    if (!governor)
        return CONDITION_UNKNOWN;
    if (is_fixed_frequency(governor))
        return CONDITION_GOOD;
    struct finding *finding = condition_tell(out, "governor-not-fixed", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_text(out, finding, "governor", governor);
    return CONDITION_BAD;
}

/* "cpu.1.idle.3.latency_us": was that state switched off? */
static bool is_disabled(const struct store *store, uint32_t run, const char *latency_key)
{
    char key[80];
    snprintf(key, sizeof key, "%.*sdisable", (int)(strstr(latency_key, "latency_us") - latency_key), latency_key);
    const char *value = run_fact(store, run, key);
    return value && value[0] == '1';
}

static bool is_idle_latency(const struct fact *fact)
{
    return fact->key && strncmp(fact->key, "cpu.", 4) == 0 && strstr(fact->key, ".idle.") &&
           strstr(fact->key, ".latency_us");
}

/* What the deepest idle state that may be entered takes to leave; 0: none may; -1: the states are not known. */
static int64_t deepest_exit_us(const struct store *store, uint32_t run)
{
    int64_t deepest_us = -1, held_us = INT64_MAX;
    /* States beyond the latency that the tool held in /dev/cpu_dma_latency are not entered. */
    fact_integer(run_tool_fact(store, run, "dma_latency_us"), &held_us);
    size_t n;
    const struct fact *const *facts = store_facts_of_run(store, run, &n);
    for (size_t i = 0; i < n; i++) {
        const struct fact *fact = facts[i];
        int64_t latency_us;
        if (!is_idle_latency(fact) || !fact_integer(fact->value, &latency_us) || latency_us <= deepest_us)
            continue;
        bool may_enter = latency_us <= held_us && !is_disabled(store, run, fact->key);
        deepest_us = may_enter ? latency_us : deepest_us < 0 ? 0 : deepest_us;
    }
    return deepest_us;
}

/* Idle states that take longer to leave than a good kernel's whole wakeup. */
enum condition judge_idle(const struct store *store, uint32_t run, struct findings *out)
{
    char value[32];
    const char *cmdline = run_fact(store, run, "cmdline"), *driver = run_fact(store, run, "cpu.idle_driver");
    static const char *const limits[] = {"idle", "processor.max_cstate", "intel_idle.max_cstate", "cpuidle.off"};
    for (size_t i = 0; cmdline && i < sizeof limits / sizeof *limits; i++)
        if (cmdline_value(cmdline, limits[i], value, sizeof value) && strcmp(value, "halt") != 0)
            return CONDITION_GOOD;
    if (driver && strcmp(driver, "none") == 0)
        return CONDITION_GOOD;
    int64_t exit_us = deepest_exit_us(store, run);
    if (exit_us < 0)
        return CONDITION_UNKNOWN;
    if (exit_us < 50)
        return CONDITION_GOOD;
    struct finding *finding = condition_tell(out, "idle-states-deep", "", SEVERITY_NOTE, CONFIDENCE_LIKELY, run);
    finding_integer(out, finding, "exit_ns", exit_us * 1000);
    return CONDITION_BAD;
}

/* ---- who else runs ---- */

/* Kernel threads that run above everything by design, for moments only. */
static bool is_kernel_helper(const char *comm)
{
    static const char *const names[] = {"migration/",   "watchdog/", "posixcputmr", "stopper/",
                                        "idle_inject/", "rcuc/",     "rcu_",        "cpuhp/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(comm, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_measuring(const struct store *store, uint32_t run, const struct task *task)
{
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if ((store->series[i].tid != TID_UNKNOWN && store->series[i].tid == task->tid) ||
            (store->series[i].tool && task->comm && strncmp(task->comm, store->series[i].tool, 12) == 0))
            return true;
    return false;
}

/* On a CPU where nothing is measured it is in nobody's way. */
static bool is_bound_elsewhere(const struct store *store, uint32_t run, const struct task *task)
{
    if (task->cpu == CPU_UNKNOWN)
        return false;
    struct row_range rows = store_series_of_run(store, run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if (store->series[i].cpu == CPU_UNKNOWN || store->series[i].cpu == task->cpu)
            return false;
    return true;
}

static enum condition judge_tasks(const struct store *store, uint32_t run, struct findings *out, bool irq_threads)
{
    bool is_cokernel, any = false;
    int32_t priority = run_priority(store, run, &is_cokernel);
    for (size_t i = 0; i < store->n_tasks; i++) {
        const struct task *task = &store->tasks[i];
        if (task->run != run || !task->comm || task->rt_priority == PRIO_UNKNOWN || task->rt_priority <= 0)
            continue;
        any = true;
        bool is_irq = strncmp(task->comm, "irq/", 4) == 0 || strncmp(task->comm, "IRQ-", 4) == 0;
        if (is_irq != irq_threads || is_kernel_helper(task->comm) || is_measuring(store, run, task) ||
            priority == PRIO_UNKNOWN || task->rt_priority < priority || is_bound_elsewhere(store, run, task))
            continue;
        struct finding *finding = condition_tell(out, irq_threads ? "irq-thread-competes" : "background-realtime", "",
                                                 SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding->subject = arena_format(out->arena, "%s:%" PRId32, task->comm, task->tid);
        finding_integer(out, finding, "n_priority", task->rt_priority);
        finding_integer(out, finding, "n_own_priority", priority);
        return CONDITION_BAD;
    }
    return any && priority != PRIO_UNKNOWN ? CONDITION_GOOD : CONDITION_UNKNOWN;
}

enum condition judge_irq_threads(const struct store *store, uint32_t run, struct findings *out)
{
    return judge_tasks(store, run, out, true);
}
enum condition judge_background(const struct store *store, uint32_t run, struct findings *out)
{
    return judge_tasks(store, run, out, false);
}

/* ---- below and beside the kernel ---- */

static bool names_a_hypervisor(const char *text)
{
    static const char *const names[] = {"QEMU", "KVM", "VirtualBox", "VMware", "Hyper-V", "Xen", "Bochs", "innotek", "hypervisor",
                                        "kvm", "amazon", "parallels"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

/* What a fact about a hypervisor says of none: "none", "0", "no", "bare hardware" and the like. */
static bool denies_a_hypervisor(const char *stated)
{
    return strcmp(stated, "none") == 0 || strcmp(stated, "0") == 0 || strcmp(stated, "no") == 0 || strstr(stated, "bare hardware");
}

enum condition judge_virtualization(const struct store *store, uint32_t run, struct findings *out)
{
    if (findings_have(out, "virtualized", run))
        return CONDITION_BAD;
    const char *stated = run_fact(store, run, "machine.hypervisor|cpu.hypervisor|cpu.virtualization|dmesg.hypervisor");
    const char *model = run_fact(store, run, "cpu.model"), *vendor = run_fact(store, run, "machine.vendor|machine.model");
    const char *evidence = NULL;
    if (stated && (!denies_a_hypervisor(stated) || names_a_hypervisor(stated)))
        evidence = strcmp(stated, "yes") == 0 || strcmp(stated, "1") == 0 ? "CPU flag hypervisor" : stated;
    else if (model && names_a_hypervisor(model))
        evidence = model;
    else if (vendor && names_a_hypervisor(vendor))
        evidence = vendor;
    if (!evidence)
        return stated || vendor ? CONDITION_GOOD : CONDITION_UNKNOWN;
    struct finding *finding = condition_tell(out, "virtualized", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_text(out, finding, "evidence", evidence);
    return CONDITION_BAD;
}

enum condition judge_clocksource(const struct store *store, uint32_t run, struct findings *out)
{
    const char *source = run_fact(store, run, "clocksource");
    if (!source)
        return CONDITION_UNKNOWN;
    if (strcmp(source, "hpet") != 0 && strcmp(source, "acpi_pm") != 0 && !strstr(source, "jiffies"))
        return CONDITION_GOOD;
    struct finding *finding = condition_tell(out, "clocksource-slow", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_text(out, finding, "source", source);
    return CONDITION_BAD;
}
