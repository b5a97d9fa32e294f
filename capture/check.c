/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cpuset.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/files.h"

struct check_context {
    const struct capture_options *options;
    struct text found; /* what was found, for people */
};

static bool line_of(char *line, size_t size, const char *path)
{
    file_line(line, size, path);
    return line[0] != '\0';
}

/* Adds the CPUs of a set to what was found. */
static void found_cpus(struct check_context *context, const char *words, const struct cpuset *set)
{
    char list[256];
    cpuset_format(set, list, sizeof list);
    text_format(&context->found, "%s%s", words, list);
}

static enum check_answer isolated(struct check_context *context)
{
    char line[4096];
    struct cpuset isolated_cpus, bare = {0};
    file_line(line, sizeof line, "/sys/devices/system/cpu/isolated");
    if (!cpuset_parse(line, &isolated_cpus))
        return CHECK_UNKNOWN;
    for (int cpu = 0; cpu < CPUSET_MAX; cpu++)
        if (cpuset_has(&context->options->cpus, cpu) && !cpuset_has(&isolated_cpus, cpu))
            cpuset_add(&bare, cpu);
    if (!cpuset_count(&bare)) {
        text_add(&context->found, "all measured CPUs are isolated");
        return CHECK_GOOD;
    }
    found_cpus(context, "not isolated: CPU ", &bare);
    return CHECK_BAD;
}

static enum check_answer throttling(struct check_context *context)
{
    char line[64];
    if (!line_of(line, sizeof line, "/proc/sys/kernel/sched_rt_runtime_us"))
        return CHECK_UNKNOWN;
    text_format(&context->found, "sched_rt_runtime_us is %s", line);
    return atol(line) < 0 ? CHECK_GOOD : CHECK_BAD;
}

static enum check_answer governor(struct check_context *context)
{
    struct cpuset bad = {0};
    char path[128], line[64], seen[64] = "";
    size_t n = 0;
    for (int cpu = 0; cpu < CPUSET_MAX; cpu++) {
        if (!cpuset_has(&context->options->cpus, cpu))
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
        if (!line_of(line, sizeof line, path))
            continue;
        n++;
        if (strcmp(line, "performance") != 0) {
            cpuset_add(&bad, cpu);
            snprintf(seen, sizeof seen, "%s", line);
        }
    }
    if (!n) {
        text_add(&context->found, "no frequency scaling driver");
        return CHECK_GOOD;
    }
    if (!cpuset_count(&bad)) {
        text_add(&context->found, "performance");
        return CHECK_GOOD;
    }
    text_format(&context->found, "%s on CPU ", seen);
    found_cpus(context, "", &bad);
    return CHECK_BAD;
}

/* A state that takes long to leave, is enabled, and is not ruled out by the held latency. */
static enum check_answer idle(struct check_context *context)
{
    enum { SHALLOW_US = 20 };
    long worst_us = 0;
    size_t n = 0;
    for (int cpu = 0; cpu < CPUSET_MAX; cpu++) {
        char pattern[128];
        struct path_list states;
        if (!cpuset_has(&context->options->cpus, cpu))
            continue;
        snprintf(pattern, sizeof pattern, "/sys/devices/system/cpu/cpu%d/cpuidle/state*/latency", cpu);
        path_list_match(&states, pattern);
        for (size_t i = 0; i < states.n; i++) {
            char latency[32], disable[32], path[160];
            file_line(latency, sizeof latency, states.paths[i]);
            snprintf(path, sizeof path, "%.*s/disable", (int)(strrchr(states.paths[i], '/') - states.paths[i]),
                     states.paths[i]);
            file_line(disable, sizeof disable, path);
            long us = atol(latency);
            n++;
            if (disable[0] != '1' && us > worst_us &&
                (context->options->dma_latency_us < 0 || us <= context->options->dma_latency_us))
                worst_us = us;
        }
        path_list_release(&states);
    }
    if (!n) {
        text_add(&context->found, "no cpuidle driver: how long an idle exit takes is not known");
        return CHECK_UNKNOWN;
    }
    text_format(&context->found, "deepest state that may be entered: %ld us%s", worst_us,
                context->options->dma_latency_us >= 0 ? " (cpu_dma_latency is held)" : "");
    return worst_us > SHALLOW_US ? CHECK_BAD : CHECK_GOOD;
}

static enum check_answer console(struct check_context *context)
{
    struct text consoles = {0};
    char printk[64];
    if (!file_read(&consoles, "/proc/consoles", 65536)) {
        text_release(&consoles);
        return CHECK_UNKNOWN;
    }
    const char *serial = strstr(text_string(&consoles), "tty");
    bool has_serial = false;
    for (; serial; serial = strstr(serial + 1, "tty"))
        has_serial |= strchr("SAUM", serial[3]) != NULL && serial[3] != '\0';
    text_release(&consoles);
    file_line(printk, sizeof printk, "/proc/sys/kernel/printk");
    text_format(&context->found, "%s, log level %d", has_serial ? "serial console" : "no serial console", atoi(printk));
    return has_serial && atoi(printk) > 1 ? CHECK_BAD : CHECK_GOOD;
}

static enum check_answer realtime_kernel(struct check_context *context)
{
    struct utsname name;
    char line[16];
    uname(&name);
    bool cobalt = false;
    struct text version = {0};
    if (file_read(&version, "/proc/xenomai/version", 4096))
        cobalt = true;
    text_release(&version);
    file_line(line, sizeof line, "/sys/kernel/realtime");
    bool rt = strstr(name.version, "PREEMPT_RT") || strstr(name.version, "PREEMPT RT") || line[0] == '1';
    text_format(&context->found, "%s %s%s", name.release, name.version, cobalt ? ", with Cobalt" : "");
    return rt || cobalt ? CHECK_GOOD : CHECK_BAD;
}

static enum check_answer debugging(struct check_context *context)
{
    static const char *const slow[] = {"CONFIG_PROVE_LOCKING=y", "CONFIG_LOCKDEP=y", "CONFIG_DEBUG_LOCK_ALLOC=y",
                                       "CONFIG_DEBUG_PREEMPT=y", "CONFIG_DEBUG_OBJECTS=y", "CONFIG_SLUB_DEBUG_ON=y",
                                       "CONFIG_KASAN=y", "CONFIG_KCSAN=y", "CONFIG_DEBUG_PAGEALLOC=y",
                                       "CONFIG_IRQSOFF_TRACER=y", "CONFIG_PREEMPT_TRACER=y", "CONFIG_KMEMLEAK=y"};
    struct utsname name;
    char path[512];
    struct text config = {0};
    uname(&name);
    snprintf(path, sizeof path, "/boot/config-%s", name.release);
    if (!file_read(&config, path, 0)) {
        text_release(&config);
        text_add(&context->found, "no plain kernel configuration here; whylate check reads config.gz from the bundle");
        return CHECK_UNKNOWN;
    }
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        const char *at = strstr(text_string(&config), slow[i]);
        if (at && (at == text_string(&config) || at[-1] == '\n'))
            text_format(&context->found, "%s%s", context->found.length ? " " : "", slow[i]);
    }
    text_release(&config);
    if (context->found.length)
        return CHECK_BAD;
    text_add(&context->found, "none");
    return CHECK_GOOD;
}

static enum check_answer virtualized(struct check_context *context)
{
    struct text cpuinfo = {0};
    bool guest = file_read(&cpuinfo, "/proc/cpuinfo", 0) && strstr(text_string(&cpuinfo), " hypervisor");
    bool is_x86 = strstr(text_string(&cpuinfo), "\nflags\t") != NULL;
    text_release(&cpuinfo);
    text_add(&context->found, guest ? "the CPU says it is a guest's" : "no sign of a hypervisor");
    return guest ? CHECK_BAD : is_x86 ? CHECK_GOOD : CHECK_UNKNOWN;
}

static enum check_answer clock_source(struct check_context *context)
{
    char line[64];
    if (!line_of(line, sizeof line, "/sys/devices/system/clocksource/clocksource0/current_clocksource"))
        return CHECK_UNKNOWN;
    text_add(&context->found, line);
    return strcmp(line, "hpet") == 0 || strcmp(line, "acpi_pm") == 0 || strcmp(line, "jiffies") == 0 ? CHECK_BAD : CHECK_GOOD;
}

/* Threads of the priority measured at, or above, that are not this program's and may run on a measured CPU. */
static enum check_answer competing(struct check_context *context, bool irq_threads)
{
    struct path_list found;
    unsigned n = 0;
    path_list_match(&found, "/proc/[0-9]*/task/[0-9]*/stat");
    for (size_t i = 0; i < found.n; i++) {
        char line[1024], path[128], allowed[4096] = "";
        file_line(line, sizeof line, found.paths[i]);
        char *name = strchr(line, '('), *end = strrchr(line, ')');
        unsigned rt_priority = 0, policy = 0;
        if (!name || !end ||
            sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u "
                            "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %u %u", &rt_priority, &policy) != 2)
            continue;
        *end = '\0';
        bool is_irq = strncmp(name + 1, "irq/", 4) == 0;
        bool is_per_cpu = strncmp(name + 1, "migration/", 10) == 0 || strncmp(name + 1, "stop", 4) == 0 ||
                          strncmp(name + 1, "whylate", 7) == 0;
        if (is_irq != irq_threads || is_per_cpu || (int)rt_priority < context->options->priority)
            continue;
        struct text status = {0};
        struct cpuset cpus;
        snprintf(path, sizeof path, "%.*s/status", (int)(strrchr(found.paths[i], '/') - found.paths[i]), found.paths[i]);
        file_read(&status, path, 65536);
        const char *list = strstr(text_string(&status), "Cpus_allowed_list:\t");
        if (list)
            snprintf(allowed, sizeof allowed, "%.*s", (int)strcspn(list + 19, "\n"), list + 19);
        text_release(&status);
        bool meets = !cpuset_parse(allowed, &cpus);
        for (int cpu = 0; cpu < CPUSET_MAX && !meets; cpu++)
            meets = cpuset_has(&cpus, cpu) && cpuset_has(&context->options->cpus, cpu);
        if (meets && n++ < 5)
            text_format(&context->found, "%s%s (priority %u, CPU %s)", n > 1 ? ", " : "", name + 1, rt_priority, allowed);
    }
    path_list_release(&found);
    if (n > 5)
        text_format(&context->found, " and %u more", n - 5);
    if (!n)
        text_add(&context->found, "none");
    return n ? CHECK_BAD : CHECK_GOOD;
}

static enum check_answer irq_threads_compete(struct check_context *context)
{
    return competing(context, true);
}

static enum check_answer others_compete(struct check_context *context)
{
    return competing(context, false);
}

static const struct {
    const char *name, *title;
    enum check_answer (*judge)(struct check_context *context);
    const char *why, *fix;
} conditions[] = {
    {"isolation", "CPU isolation", isolated,
     "other work on the CPU evicts the measuring thread's cache lines and delays it; a run with isolation cannot be compared with one without",
     "boot with isolcpus=LIST (and nohz_full=LIST rcu_nocbs=LIST)"},
    {"irq-threads", "interrupt threads above", irq_threads_compete,
     "a threaded interrupt of this priority or above runs before the measuring thread", "chrt -f -p LOWER TID, or move it with /proc/irq/N/smp_affinity"},
    {"realtime", "other real-time threads above", others_compete,
     "they run before the measuring thread", "stop them, lower their priority, or measure at a higher one (-p)"},
    {"throttling", "RT throttling", throttling,
     "real-time tasks are stopped for 50 ms in a second when they use 95 % of it", "sysctl kernel.sched_rt_runtime_us=-1"},
    {"governor", "frequency", governor, "a slower clock stretches everything, and a change of frequency stalls",
     "cpupower frequency-set -g performance"},
    {"idle", "idle states", idle, "leaving a deep state takes longer than the latency that is measured",
     "hold /dev/cpu_dma_latency (--dma-latency 0), or cpupower idle-set -D 20"},
    {"console", "console", console, "output to a serial console can hold up the kernel for milliseconds",
     "boot with quiet, dmesg -n 1, log in through the network"},
    {"kernel", "real-time kernel", realtime_kernel, "without PREEMPT_RT or a co-kernel long sections are normal",
     "boot a kernel with PREEMPT_RT"},
    {"debug", "debugging options", debugging, "they lengthen every path of the kernel, some with interrupts off",
     "build without them"},
    {"bare-metal", "hypervisor", virtualized, "the host can take the CPU away at any time, and no event shows it",
     "measure on the machine itself"},
    {"clocksource", "clock source", clock_source, "reading it takes microseconds", "boot with clocksource=tsc tsc=reliable if the TSC is sound"},
};
#define N_CONDITIONS (sizeof conditions / sizeof *conditions)

unsigned check_print(const struct capture_options *options, FILE *out)
{
    static const char *const words[] = {"good", "BAD", "unknown"};
    unsigned n_bad = 0;
    for (size_t i = 0; i < N_CONDITIONS; i++) {
        struct check_context context = {.options = options};
        enum check_answer answer = conditions[i].judge(&context);
        fprintf(out, "%-8s %-12s %s: %s\n", words[answer], conditions[i].name, conditions[i].title,
                context.found.length ? text_string(&context.found) : "cannot be read here");
        if (answer == CHECK_BAD) {
            fprintf(out, "                      why: %s\n                      fix: %s\n", conditions[i].why, conditions[i].fix);
            n_bad++;
        }
        text_release(&context.found);
    }
    return n_bad;
}

enum status check_require(const struct capture_options *options, const char *list, struct error *error)
{
    char *copy = memory_string(list), *rest = copy;
    enum status status = OK;
    for (char *word; status == OK && (word = strsep(&rest, ","));) {
        size_t i = 0;
        while (i < N_CONDITIONS && strcmp(conditions[i].name, word) != 0)
            i++;
        if (i == N_CONDITIONS) {
            status = error_usage(error, "unknown condition '%s' (whylate-capture check lists them)", word);
            break;
        }
        struct check_context context = {.options = options};
        if (conditions[i].judge(&context) != CHECK_GOOD)
            status = error_usage(error, "%s is required: %s; fix: %s", word,
                                 context.found.length ? text_string(&context.found) : "cannot be read here", conditions[i].fix);
        text_release(&context.found);
    }
    free(copy);
    return status;
}
