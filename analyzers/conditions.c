/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/conditions.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/series_shape.h"
#include "base/cpuset.h"
#include "base/text.h"

static struct finding *tell(struct findings *out, const char *code, const char *variant, enum severity severity,
                            enum confidence confidence, uint32_t run)
{
    struct finding *finding = findings_add(out, code, severity, confidence);
    finding->variant = variant;
    finding->run = run;
    return finding;
}

/* ---- priority and policy ---- */

int32_t run_priority(const struct store *store, uint32_t run, bool *is_cokernel)
{
    int32_t highest = PRIO_UNKNOWN;
    *is_cokernel = false;
    for (size_t i = 0; i < store->n_series; i++) {
        const struct series *s = &store->series[i];
        if (s->run != run)
            continue;
        *is_cokernel |= series_is_cokernel(store, s);
        if (s->priority != PRIO_UNKNOWN && s->priority > highest)
            highest = s->priority;
    }
    return highest;
}

static bool fact_number(const char *text, int64_t *value)
{
    char *end;
    if (!text)
        return false;
    *value = strtoll(text, &end, 10);
    return end != text;
}

/* What the command asked for against what the output shows. */
static enum condition judge_command(const struct store *store, uint32_t run, struct findings *out)
{
    if (findings_have(out, "command-mismatch", run))
        return CONDITION_BAD;
    bool is_cokernel;
    int64_t stated;
    int32_t priority = run_priority(store, run, &is_cokernel);
    if (fact_number(run_tool_fact(store, run, "priority"), &stated) && priority != PRIO_UNKNOWN && stated != priority) {
        struct finding *finding = tell(out, "command-mismatch", "priority", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding_integer(out, finding, "n_stated", stated);
        finding_integer(out, finding, "n_found", priority);
        return CONDITION_BAD;
    }
    int64_t loops;
    if (fact_number(run_tool_fact(store, run, "loops"), &loops) && loops > 0) {
        for (uint32_t i = 0; i < store->n_series; i++) {
            const struct series *s = &store->series[i];
            /* A run that ended early has fewer; more than asked for belongs to another command. */
            if (s->run != run || s->n_samples == COUNT_UNKNOWN || s->n_samples <= (uint64_t)loops + (uint64_t)loops / 100)
                continue;
            struct finding *finding = tell(out, "command-mismatch", "loops", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
            finding->series = i;
            finding_integer(out, finding, "n_stated", loops);
            finding_integer(out, finding, "n_found", (int64_t)s->n_samples);
            return CONDITION_BAD;
        }
    }
    return CONDITION_GOOD;
}

/* A wakeup tracer's maximum is of whatever task was late, not of one that measures. */
static bool series_is_of_tracer(const struct series *s)
{
    return s->tool && (!strcmp(s->tool, "ftrace") || !strcmp(s->tool, "latency_trace"));
}

static enum condition judge_priority(const struct store *store, uint32_t run, struct findings *out)
{
    bool is_cokernel;
    int32_t priority = run_priority(store, run, &is_cokernel);
    if (is_cokernel)
        return CONDITION_GOOD;
    enum condition worst = CONDITION_UNKNOWN;
    bool any_measures = false, any_tracer = false;
    for (uint32_t i = 0; i < store->n_series; i++) {
        const struct series *s = &store->series[i];
        if (s->run != run || s->path != PATH_TIMER_WAKEUP)
            continue;
        any_tracer |= series_is_of_tracer(s);
        if (series_is_of_tracer(s))
            continue;
        any_measures = true;
        bool is_plain = s->policy == POLICY_OTHER || s->policy == POLICY_BATCH || s->policy == POLICY_IDLE;
        if (is_plain) {
            struct finding *finding = tell(out, "priority-low", "policy", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
            finding->series = i;
            finding_text(out, finding, "policy", policy_name(s->policy));
            return CONDITION_BAD;
        }
        if (s->priority != PRIO_UNKNOWN || s->policy == POLICY_DEADLINE)
            worst = CONDITION_GOOD;
    }
    if (any_tracer && !any_measures)
        return CONDITION_UNKNOWN;
    if (worst != CONDITION_GOOD || priority == PRIO_UNKNOWN || priority > 50)
        return worst;
    /* Threaded interrupts run at FIFO 50 unless somebody changed them. */
    struct finding *finding = tell(out, "priority-low", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_integer(out, finding, "n_priority", priority);
    return CONDITION_BAD;
}

/* ---- length ---- */

static enum condition judge_length(const struct store *store, uint32_t run, struct findings *out)
{
    int64_t longest = NS_UNKNOWN;
    uint64_t most = COUNT_UNKNOWN;
    bool few_count = false;
    for (size_t i = 0; i < store->n_series; i++) {
        const struct series *s = &store->series[i];
        /* One header of a latency tracer is no run; block maxima count by their time. */
        if (s->run != run || (s->path == PATH_SECTION && s->n_samples == 1))
            continue;
        int64_t duration = series_duration_ns(s);
        if (duration != NS_UNKNOWN && (longest == NS_UNKNOWN || duration > longest))
            longest = duration;
        if (s->n_samples != COUNT_UNKNOWN && s->n_samples > 0 && (most == COUNT_UNKNOWN || s->n_samples > most))
            most = s->n_samples;
        few_count |= !s->is_block_maxima && s->path != PATH_NOISE;
    }
    bool is_short = longest != NS_UNKNOWN && longest < INT64_C(60000000000);
    bool is_few = few_count && most != COUNT_UNKNOWN && most < 10000;
    if (!is_short && !is_few)
        return longest == NS_UNKNOWN && most == COUNT_UNKNOWN ? CONDITION_UNKNOWN : CONDITION_GOOD;
    struct finding *finding = tell(out, "run-too-short", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    if (longest != NS_UNKNOWN)
        finding_integer(out, finding, "duration_ns", longest);
    if (most != COUNT_UNKNOWN)
        finding_integer(out, finding, "n_samples", (int64_t)most);
    return CONDITION_BAD;
}

static enum condition judge_load(const struct store *store, uint32_t run, struct findings *out)
{
    if (run_fact(store, run, "load.command|load.kind|load"))
        return CONDITION_GOOD;
    const char *load = run_fact(store, run, "load.average");
    if (!load)
        return CONDITION_UNKNOWN;
    double average = strtod(load, NULL);
    if (average >= 1)
        return CONDITION_GOOD;
    struct finding *finding = tell(out, "load-missing", "", SEVERITY_NOTE, CONFIDENCE_LIKELY, run);
    finding_number(out, finding, "load", average);
    return CONDITION_BAD;
}

/* ---- kernel ---- */

static bool has_word(const char *text, const char *word)
{
    return text && strcasestr(text, word);
}

enum condition run_kernel_is_rt(const struct store *store, uint32_t run)
{
    const char *version = run_fact(store, run, "kernel.version|uname"), *release = run_fact(store, run, "kernel.release");
    const char *config = run_fact(store, run, "kernel.config.CONFIG_PREEMPT_RT|kernel.config.CONFIG_PREEMPT_RT_FULL");
    const char *realtime = run_fact(store, run, "kernel.realtime"), *model_fact = run_fact(store, run, "kernel.preempt");
    if (has_word(model_fact, "preempt_rt") || (model_fact && strstr(model_fact, "(rt)")))
        return CONDITION_GOOD;
    if ((config && config[0] == 'y') || (realtime && realtime[0] == '1') || has_word(version, "PREEMPT_RT") ||
        has_word(version, "PREEMPT RT"))
        return CONDITION_GOOD;
    if (release) { /* 5.15.98-rt62, 4.9.140-rt93-tegra, 6.1.0-18-rt-amd64 */
        const char *rt = strstr(release, "-rt");
        if (rt && (isdigit((unsigned char)rt[3]) || rt[3] == '-' || rt[3] == '\0' || rt[3] == '_'))
            return CONDITION_GOOD;
        if (has_word(release, "ipipe") || has_word(release, "dovetail") || has_word(release, "xeno") || has_word(release, "evl"))
            return CONDITION_GOOD;
    }
    for (size_t i = 0; i < store->n_streams; i++) {
        const char *model = store->streams[i].run == run ? store->streams[i].preempt_model : NULL;
        if (model && (strcmp(model, "rt") == 0 || strcasecmp(model, "preempt_rt") == 0))
            return CONDITION_GOOD;
        if (model && (strcmp(model, "desktop") == 0 || strcmp(model, "server") == 0))
            return CONDITION_BAD;
    }
    if (version && (has_word(version, "SMP") || has_word(version, "PREEMPT") || strchr(version, '#')))
        return CONDITION_BAD;
    return CONDITION_UNKNOWN;
}

static enum condition judge_kernel(const struct store *store, uint32_t run, struct findings *out)
{
    bool is_cokernel;
    run_priority(store, run, &is_cokernel);
    enum condition rt = is_cokernel ? CONDITION_GOOD : run_kernel_is_rt(store, run);
    if (rt != CONDITION_BAD)
        return rt;
    struct finding *finding = tell(out, "kernel-not-rt", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
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
    for (size_t i = 0; i < store->n_facts; i++) {
        const struct fact *fact = &store->facts[i];
        const char *option = fact->run == run && fact->key ? strstr(fact->key, "CONFIG_") : NULL;
        if (!option)
            continue;
        any = true;
        for (size_t k = 0; k < sizeof costly / sizeof *costly; k++)
            if (strcmp(option + 7, costly[k]) == 0 && fact->value && fact->value[0] == 'y')
                text_format(found, "%sCONFIG_%s", found->length ? ", " : "", costly[k]);
    }
    const char *release = run_fact(store, run, "kernel.release");
    if (has_word(release, "debug"))
        text_format(found, "%skernel %s", found->length ? ", " : "", release);
    return any || found->length > 0;
}

static enum condition judge_debug(const struct store *store, uint32_t run, struct findings *out)
{
    struct text found = {.max_length = 200};
    bool is_known = run_debug_options(store, run, &found);
    enum condition condition = found.length ? CONDITION_BAD : is_known ? CONDITION_GOOD : CONDITION_UNKNOWN;
    if (condition == CONDITION_BAD) {
        struct finding *finding = tell(out, "debug-enabled", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding_text(out, finding, "options", text_string(&found));
    }
    text_release(&found);
    return condition;
}

static enum condition judge_throttling(const struct store *store, uint32_t run, struct findings *out)
{
    int64_t runtime, period = 1000000;
    if (!fact_number(run_fact(store, run, "sched.rt_runtime_us|kernel.sched_rt_runtime_us"), &runtime))
        return CONDITION_UNKNOWN;
    fact_number(run_fact(store, run, "sched.rt_period_us|kernel.sched_rt_period_us"), &period);
    if (runtime < 0 || runtime >= period)
        return CONDITION_GOOD;
    struct finding *finding = tell(out, "throttling-enabled", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_integer(out, finding, "runtime_ns", runtime * 1000);
    finding_integer(out, finding, "period_ns", period * 1000);
    return CONDITION_BAD;
}

/* "cpu.governor", or the one of a measured CPU ("cpu.1.governor"), or the first that is stated. */
static const char *governor_of(const struct store *store, uint32_t run)
{
    const char *found = run_fact(store, run, "cpu.governor");
    for (size_t i = 0; i < store->n_series && !found; i++) {
        char key[40];
        if (store->series[i].run != run || store->series[i].cpu == CPU_UNKNOWN)
            continue;
        snprintf(key, sizeof key, "cpu.%" PRId32 ".governor", store->series[i].cpu);
        found = run_fact(store, run, key);
    }
    return found ? found : run_fact(store, run, "cpu.0.governor|cpu.N.governor");
}

static enum condition judge_governor(const struct store *store, uint32_t run, struct findings *out)
{
    const char *governor = governor_of(store, run);
    if (!governor)
        return CONDITION_UNKNOWN;
    /* "none" and the like: no frequency scaling at all. */
    if (strncmp(governor, "performance", 11) == 0 || has_word(governor, "none") || has_word(governor, "absent") ||
        (has_word(governor, "userspace") && !has_word(governor, ",")))
        if (!has_word(governor, "ondemand") && !has_word(governor, "powersave") && !has_word(governor, "schedutil"))
            return CONDITION_GOOD;
    struct finding *finding = tell(out, "governor-not-fixed", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_text(out, finding, "governor", governor);
    return CONDITION_BAD;
}

/* ---- isolation and console: the kernel's command line ---- */

/* The value of a word of the command line, "" if it has none, NULL if it is not there. */
static const char *cmdline_value(const char *cmdline, const char *word, char *value, size_t size)
{
    size_t length = strlen(word);
    for (const char *p = cmdline; p && *p; p += strcspn(p, " \t\n"), p += strspn(p, " \t\n")) {
        if (strncmp(p, word, length) != 0 || (p[length] != '=' && p[length] != ' ' && p[length] != '\0' && p[length] != '\n'))
            continue;
        const char *begin = p + length + (p[length] == '=');
        snprintf(value, size, "%.*s", (int)strcspn(begin, " \t\n"), begin);
        return value;
    }
    return NULL;
}

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

static enum condition judge_isolation(const struct store *store, uint32_t run, struct findings *out)
{
    char value[256];
    const char *cmdline = run_fact(store, run, "cmdline"), *isolated = run_isolated_cpus(store, run, value, sizeof value) ? value : NULL;
    const char *latmus = run_fact(store, run, "latmus.cpu_isolated");
    if (!isolated && latmus && strcmp(latmus, "yes") == 0)
        return CONDITION_GOOD;
    struct cpuset set;
    if (!isolated || !*isolated || !isolated_cpus_parse(isolated, &set)) {
        if (!cmdline && !(latmus && strcmp(latmus, "no") == 0) && !isolated)
            return CONDITION_UNKNOWN;
        tell(out, "cpu-not-isolated", "none", SEVERITY_NOTE, CONFIDENCE_PROVEN, run);
        return CONDITION_BAD;
    }
    bool any = false;
    for (uint32_t i = 0; i < store->n_series; i++) {
        const struct series *s = &store->series[i];
        if (s->run != run || s->cpu == CPU_UNKNOWN)
            continue;
        any = true;
        if (cpuset_has(&set, s->cpu))
            continue;
        struct finding *finding = tell(out, "cpu-not-isolated", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding->series = i;
        finding->cpu = s->cpu;
        finding_text(out, finding, "isolated", isolated);
        return CONDITION_BAD;
    }
    return any ? CONDITION_GOOD : CONDITION_UNKNOWN;
}

static enum condition judge_console(const struct store *store, uint32_t run, struct findings *out)
{
    char value[256];
    const char *cmdline = run_fact(store, run, "cmdline"), *console = run_fact(store, run, "kernel.consoles|cmdline.console");
    if (!cmdline && !console)
        return CONDITION_UNKNOWN;
    bool is_serial = false;
    for (const char *p = cmdline; p && (p = strstr(p, "console=")); p += 8)
        if ((p == cmdline || p[-1] == ' ') && (strncmp(p + 8, "ttyS", 4) == 0 || strncmp(p + 8, "ttyA", 4) == 0 ||
                                                strncmp(p + 8, "ttymxc", 6) == 0 || strncmp(p + 8, "ttyO", 4) == 0 ||
                                                strncmp(p + 8, "ttyP", 4) == 0))
            is_serial = true;
    if (console && (strncmp(console, "ttyS", 4) == 0 || strncmp(console, "ttyA", 4) == 0 || strncmp(console, "ttymxc", 6) == 0))
        is_serial = true;
    /* The level that counts is the one in force: "quiet" makes it 4, `dmesg -n` changes it. */
    int64_t level;
    bool is_quiet = fact_number(run_fact(store, run, "kernel.printk"), &level) ? level <= 4 : cmdline_value(cmdline, "quiet", value, sizeof value) != NULL;
    if (!is_serial || is_quiet)
        return CONDITION_GOOD;
    tell(out, "console-serial", "", SEVERITY_NOTE, CONFIDENCE_POSSIBLE, run);
    return CONDITION_BAD;
}

/* PREEMPT_RT threads all interrupts by itself; other kernels do with "threadirqs". */
static enum condition judge_threaded(const struct store *store, uint32_t run, struct findings *out)
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
    tell(out, "irqs-not-threaded", "", SEVERITY_NOTE, CONFIDENCE_PROVEN, run);
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

/* Idle states that take longer to leave than a good kernel's whole wakeup. */
static enum condition judge_idle(const struct store *store, uint32_t run, struct findings *out)
{
    char value[32];
    const char *cmdline = run_fact(store, run, "cmdline"), *driver = run_fact(store, run, "cpu.idle_driver");
    static const char *const limits[] = {"idle", "processor.max_cstate", "intel_idle.max_cstate", "cpuidle.off"};
    for (size_t i = 0; cmdline && i < sizeof limits / sizeof *limits; i++)
        if (cmdline_value(cmdline, limits[i], value, sizeof value) && strcmp(value, "halt") != 0)
            return CONDITION_GOOD;
    /* States beyond the latency that the tool held in /dev/cpu_dma_latency are not entered. */
    int64_t deepest = -1, held_us = INT64_MAX;
    fact_number(run_tool_fact(store, run, "dma_latency_us"), &held_us);
    for (size_t i = 0; i < store->n_facts; i++) {
        const struct fact *fact = &store->facts[i];
        int64_t latency_us;
        if (fact->run == run && fact->key && strncmp(fact->key, "cpu.", 4) == 0 && strstr(fact->key, ".idle.") && strstr(fact->key, ".latency_us") &&
            fact_number(fact->value, &latency_us) && latency_us > deepest)
            deepest = latency_us <= held_us && !is_disabled(store, run, fact->key) ? latency_us : deepest < 0 ? 0 : deepest;
    }
    if (driver && strcmp(driver, "none") == 0)
        return CONDITION_GOOD;
    if (deepest < 0)
        return CONDITION_UNKNOWN;
    if (deepest < 50)
        return CONDITION_GOOD;
    struct finding *finding = tell(out, "idle-states-deep", "", SEVERITY_NOTE, CONFIDENCE_LIKELY, run);
    finding_integer(out, finding, "exit_ns", deepest * 1000);
    return CONDITION_BAD;
}

/* ---- who else runs ---- */

/* Kernel threads that run above everything by design, for moments only. */
static bool is_kernel_helper(const char *comm)
{
    static const char *const names[] = {"migration/", "watchdog/", "posixcputmr", "stopper/", "idle_inject/", "rcuc/", "rcu_", "cpuhp/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(comm, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_measuring(const struct store *store, uint32_t run, const struct task *task)
{
    for (size_t i = 0; i < store->n_series; i++)
        if (store->series[i].run == run &&
            ((store->series[i].tid != TID_UNKNOWN && store->series[i].tid == task->tid) ||
             (store->series[i].tool && task->comm && strncmp(task->comm, store->series[i].tool, 12) == 0)))
            return true;
    return false;
}

/* On a CPU where nothing is measured it is in nobody's way. */
static bool is_bound_elsewhere(const struct store *store, uint32_t run, const struct task *task)
{
    if (task->cpu == CPU_UNKNOWN)
        return false;
    for (size_t i = 0; i < store->n_series; i++)
        if (store->series[i].run == run && (store->series[i].cpu == CPU_UNKNOWN || store->series[i].cpu == task->cpu))
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
        struct finding *finding = tell(out, irq_threads ? "irq-thread-competes" : "background-realtime", "", SEVERITY_WARNING,
                                       CONFIDENCE_PROVEN, run);
        finding->subject = arena_format(out->arena, "%s:%" PRId32, task->comm, task->tid);
        finding_integer(out, finding, "n_priority", task->rt_priority);
        finding_integer(out, finding, "n_own_priority", priority);
        return CONDITION_BAD;
    }
    return any && priority != PRIO_UNKNOWN ? CONDITION_GOOD : CONDITION_UNKNOWN;
}

static enum condition judge_irq_threads(const struct store *store, uint32_t run, struct findings *out)
{
    return judge_tasks(store, run, out, true);
}
static enum condition judge_background(const struct store *store, uint32_t run, struct findings *out)
{
    return judge_tasks(store, run, out, false);
}

/* ---- below and beside the kernel ---- */

static enum condition judge_virtualization(const struct store *store, uint32_t run, struct findings *out)
{
    static const char *const names[] = {"QEMU", "KVM", "VirtualBox", "VMware", "Hyper-V", "Xen", "Bochs", "innotek", "hypervisor",
                                        "kvm", "amazon", "parallels"};
    if (findings_have(out, "virtualized", run))
        return CONDITION_BAD;
    const char *stated = run_fact(store, run, "machine.hypervisor|cpu.hypervisor|cpu.virtualization|dmesg.hypervisor");
    const char *where[] = {stated, run_fact(store, run, "cpu.model"), run_fact(store, run, "machine.vendor|machine.model")};
    for (size_t w = 0; w < 3; w++)
        for (size_t i = 0; where[w] && i < sizeof names / sizeof *names; i++) {
            bool is_stated = w == 0 && strcmp(where[0], "none") != 0 && strcmp(where[0], "0") != 0 && strcmp(where[0], "no") != 0 &&
                             !strstr(where[0], "bare hardware");
            if (!is_stated && !strstr(where[w], names[i]))
                continue;
            struct finding *finding = tell(out, "virtualized", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
            finding_text(out, finding, "evidence", strcmp(where[w], "yes") == 0 || strcmp(where[w], "1") == 0 ? "CPU flag hypervisor" : where[w]);
            return CONDITION_BAD;
        }
    return stated || where[2] ? CONDITION_GOOD : CONDITION_UNKNOWN;
}

static enum condition judge_clocksource(const struct store *store, uint32_t run, struct findings *out)
{
    const char *source = run_fact(store, run, "clocksource");
    if (!source)
        return CONDITION_UNKNOWN;
    if (strcmp(source, "hpet") != 0 && strcmp(source, "acpi_pm") != 0 && !strstr(source, "jiffies"))
        return CONDITION_GOOD;
    struct finding *finding = tell(out, "clocksource-slow", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
    finding_text(out, finding, "source", source);
    return CONDITION_BAD;
}

/* Mode switches of a thread that should stay in the primary domain while it measured. */
static enum condition judge_secondary(const struct store *store, uint32_t run, struct findings *out)
{
    enum condition seen = CONDITION_UNKNOWN;
    for (size_t i = 0; i < store->n_counters; i++) {
        const struct counter *c = &store->counters[i];
        if (c->run != run || !c->name || strcasecmp(c->name, "MSW") != 0 || !c->scope || strstr(c->scope, "ROOT") || strstr(c->scope, "IRQ"))
            continue;
        seen = CONDITION_GOOD;
        /* One switch or two belong to the start; a delta between snapshots does not. */
        if (!c->delta.is_known || decimal_value(c->delta) <= 0)
            continue;
        struct finding *finding = tell(out, "secondary-mode", "", SEVERITY_WARNING, CONFIDENCE_PROVEN, run);
        finding->subject = arena_string(out->arena, c->scope);
        finding_integer(out, finding, "n_switches", (int64_t)decimal_value(c->delta));
        return CONDITION_BAD;
    }
    return seen;
}

/* Cobalt fires its timer early by its gravity; a clearly negative minimum is a gravity set too large. */
static enum condition judge_timer(const struct store *store, uint32_t run, struct findings *out)
{
    bool any = false;
    for (uint32_t i = 0; i < store->n_series; i++) {
        const struct series *s = &store->series[i];
        if (s->run != run || !series_is_cokernel(store, s) || s->min_ns == NS_UNKNOWN)
            continue;
        any = true;
        if (s->min_ns >= -1000)
            continue;
        struct finding *finding = tell(out, "timer-not-calibrated", "", SEVERITY_NOTE, CONFIDENCE_LIKELY, run);
        finding->series = i;
        finding_integer(out, finding, "min_ns", s->min_ns);
        return CONDITION_BAD;
    }
    return any ? CONDITION_GOOD : CONDITION_UNKNOWN;
}

const struct condition_rule condition_rules[] = {
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
    {NULL, NULL, NULL, false},
};

static enum status conditions_run(const struct store *store, const struct analysis_options *options,
                                  struct analysis *analysis, struct error *error)
{
    (void)error;
    for (uint32_t run = 0; run < store->n_runs; run++)
        for (const struct condition_rule *rule = condition_rules; rule->code; rule++)
            if (rule->judge(store, run, &analysis->findings) == CONDITION_UNKNOWN && options->jobs & JOB_CHECK && rule->is_recipe) {
                struct finding *finding =
                    tell(&analysis->findings, rule->code, "unknown", SEVERITY_NOTE, CONFIDENCE_UNKNOWN, run);
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
