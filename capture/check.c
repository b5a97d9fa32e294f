/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/check.h"

#include <stdbool.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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
    char period[64];
    file_line(period, sizeof period, "/proc/sys/kernel/sched_rt_period_us");
    text_format(&context->found, "sched_rt_runtime_us is %s", line);
    return atol(line) < 0 || atol(line) >= (period[0] ? atol(period) : 1000000) ? CHECK_GOOD : CHECK_BAD;
}

bool check_scales_frequency(const struct cpuset *cpus)
{
    char path[128], line[64];
    for (int cpu = 0; cpu < CPUSET_MAX; cpu++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
        if (cpuset_has(cpus, cpu) && line_of(line, sizeof line, path))
            return true;
    }
    return false;
}

static enum check_answer governor(struct check_context *context)
{
    if (!check_scales_frequency(&context->options->cpus)) {
        text_add(&context->found, "no frequency scaling driver");
        return CHECK_GOOD;
    }
    struct cpuset bad = {0};
    char path[128], line[64], seen[64] = "";
    for (int cpu = 0; cpu < CPUSET_MAX; cpu++) {
        if (!cpuset_has(&context->options->cpus, cpu))
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
        if (!line_of(line, sizeof line, path))
            continue;
        if (strcmp(line, "performance") != 0 && strcmp(line, "userspace") != 0) {
            cpuset_add(&bad, cpu);
            snprintf(seen, sizeof seen, "%s", line);
        }
    }
    if (!cpuset_count(&bad)) {
        text_add(&context->found, "fixed");
        return CHECK_GOOD;
    }
    text_format(&context->found, "%s on CPU ", seen);
    found_cpus(context, "", &bad);
    return CHECK_BAD;
}

/* A state that takes long to leave, is enabled, and is not ruled out by the held latency. */
static enum check_answer idle(struct check_context *context)
{
    enum { SHALLOW_US = 50 };
    const bool is_held = context->options->dma_latency_us >= 0 && access("/dev/cpu_dma_latency", W_OK) == 0;
    char driver[64];
    long worst_us = 0;
    size_t n = 0;
    if (line_of(driver, sizeof driver, "/sys/devices/system/cpu/cpuidle/current_driver") && strcmp(driver, "none") == 0) {
        text_add(&context->found, "no cpuidle driver: the CPU halts, and enters no deeper state");
        return CHECK_GOOD;
    }
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
                (!is_held || us <= context->options->dma_latency_us))
                worst_us = us;
        }
        path_list_release(&states);
    }
    if (!n) {
        text_add(&context->found, "the kernel says nothing about idle states");
        return CHECK_UNKNOWN;
    }
    text_format(&context->found, "deepest state that may be entered: %ld us%s", worst_us,
                is_held ? " (cpu_dma_latency is held)" : "");
    return worst_us >= SHALLOW_US ? CHECK_BAD : CHECK_GOOD;
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
    for (; serial; serial = strstr(serial + 1, "tty")) /* ttyS0, ttyAMA0, ttymxc0; tty0 is the screen */
        has_serial |= serial[3] > '9';
    text_release(&consoles);
    file_line(printk, sizeof printk, "/proc/sys/kernel/printk");
    text_format(&context->found, "%s, log level %d", has_serial ? "serial console" : "no serial console", atoi(printk));
    /* "quiet" makes it 4: errors and worse. */
    return has_serial && atoi(printk) > 4 ? CHECK_BAD : CHECK_GOOD;
}

static bool has_cobalt(void)
{
    char line[64];
    return line_of(line, sizeof line, "/proc/xenomai/version");
}

static bool is_rt_kernel(const struct utsname *name)
{
    char line[16];
    file_line(line, sizeof line, "/sys/kernel/realtime");
    return strstr(name->version, "PREEMPT_RT") || strstr(name->version, "PREEMPT RT") || line[0] == '1';
}

static enum check_answer realtime_kernel(struct check_context *context)
{
    struct utsname name;
    uname(&name);
    text_format(&context->found, "%s %s%s", name.release, name.version, has_cobalt() ? ", with Cobalt" : "");
    return is_rt_kernel(&name) || has_cobalt() ? CHECK_GOOD : CHECK_BAD;
}

static enum check_answer threaded(struct check_context *context)
{
    struct utsname name;
    char cmdline[4096];
    uname(&name);
    if (is_rt_kernel(&name) || has_cobalt()) {
        text_add(&context->found, "this kernel threads them, or is not delayed by them");
        return CHECK_GOOD;
    }
    if (!line_of(cmdline, sizeof cmdline, "/proc/cmdline"))
        return CHECK_UNKNOWN;
    char *rest = cmdline;
    for (char *word; (word = strsep(&rest, " "));)
        if (strcmp(word, "threadirqs") == 0) {
            text_add(&context->found, "threadirqs");
            return CHECK_GOOD;
        }
    text_add(&context->found, "handlers run in interrupt context");
    return CHECK_BAD;
}

static bool has_priority(const struct capture_options *options)
{
    return options->policy == SCHED_FIFO || options->policy == SCHED_RR;
}

/* Threaded interrupts run at FIFO 50 unless somebody changed them. */
static enum check_answer own_priority(struct check_context *context)
{
    const struct capture_options *options = context->options;
    if (options->policy == SCHED_OTHER) {
        text_add(&context->found, "no real-time policy");
        return has_cobalt() ? CHECK_GOOD : CHECK_BAD;
    }
    if (options->policy == SCHED_DEADLINE) {
        text_add(&context->found, "deadline");
        return CHECK_GOOD;
    }
    text_format(&context->found, "%d", options->priority);
    return options->priority > 50 || has_cobalt() ? CHECK_GOOD : CHECK_BAD;
}

static enum check_answer loaded(struct check_context *context)
{
    char line[64];
    if (context->options->load || context->options->load_command) {
        text_add(&context->found, "as asked for");
        return CHECK_GOOD;
    }
    if (!line_of(line, sizeof line, "/proc/loadavg"))
        return CHECK_UNKNOWN;
    text_format(&context->found, "load average %.*s", (int)strcspn(line, " "), line);
    return atoi(line) >= 1 ? CHECK_GOOD : CHECK_BAD;
}

static enum check_answer timer(struct check_context *context)
{
    if (!has_cobalt()) {
        text_add(&context->found, "no Cobalt core, nothing to calibrate");
        return CHECK_GOOD;
    }
    text_add(&context->found, "whether Cobalt's gravity fits shows in the minimum of a run");
    return CHECK_UNKNOWN;
}

/* The kernel's configuration, plain or from /proc by the target's own zcat. */
static bool read_config(struct text *config, const struct utsname *name)
{
    char path[512], buffer[16384];
    snprintf(path, sizeof path, "/boot/config-%s", name->release);
    if (file_read(config, path, 0))
        return true;
    FILE *pipe = access("/proc/config.gz", R_OK) == 0 ? popen("zcat /proc/config.gz 2>/dev/null", "r") : NULL;
    for (size_t n; pipe && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        text_add_n(config, buffer, n);
    return pipe && pclose(pipe) == 0 && config->length;
}

static enum check_answer debugging(struct check_context *context)
{
    /* The same as whylate's own check (analyzers/conditions.c); a test holds them together. */
    static const char *const slow[] = {"DEBUG_PREEMPT", "PROVE_LOCKING", "LOCKDEP", "DEBUG_LOCK_ALLOC", "DEBUG_OBJECTS", "KASAN",
                                       "KCSAN", "DEBUG_PAGEALLOC", "SLUB_DEBUG_ON", "DEBUG_KMEMLEAK", "LATENCYTOP",
                                       "DEBUG_ATOMIC_SLEEP", "IPIPE_TRACE", "XENO_OPT_DEBUG", "PREEMPT_TRACER",
                                       "IRQSOFF_TRACER"};
    struct utsname name;
    struct text config = {0};
    uname(&name);
    if (!read_config(&config, &name)) {
        text_release(&config);
        text_add(&context->found, "no kernel configuration can be read here");
        return CHECK_UNKNOWN;
    }
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        char line[64];
        snprintf(line, sizeof line, "CONFIG_%s=y\n", slow[i]);
        const char *at = strstr(text_string(&config), line);
        if (at && (at == text_string(&config) || at[-1] == '\n'))
            text_format(&context->found, "%sCONFIG_%s", context->found.length ? " " : "", slow[i]);
    }
    text_release(&config);
    if (strstr(name.release, "debug"))
        text_format(&context->found, "%skernel %s", context->found.length ? " " : "", name.release);
    if (context->found.length)
        return CHECK_BAD;
    text_add(&context->found, "none");
    return CHECK_GOOD;
}

static enum check_answer virtualized(struct check_context *context)
{
    static const char *const places[] = {"/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
                                         "/sys/firmware/devicetree/base/model"};
    static const char *const names[] = {"QEMU", "KVM", "VirtualBox", "VMware", "Hyper-V", "Xen", "Bochs", "innotek", "amazon",
                                        "parallels"};
    struct text cpuinfo = {0};
    bool guest = file_read(&cpuinfo, "/proc/cpuinfo", 0) && strstr(text_string(&cpuinfo), " hypervisor");
    text_release(&cpuinfo);
    if (guest) {
        text_add(&context->found, "the CPU says it is a guest's");
        return CHECK_BAD;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char line[128];
        if (!line_of(line, sizeof line, places[i]))
            continue;
        text_format(&context->found, "%s%s", context->found.length ? ", " : "", line);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            guest |= strstr(line, names[k]) != NULL;
    }
    return guest ? CHECK_BAD : context->found.length ? CHECK_GOOD : CHECK_UNKNOWN;
}

static enum check_answer clock_source(struct check_context *context)
{
    char line[64];
    if (!line_of(line, sizeof line, "/sys/devices/system/clocksource/clocksource0/current_clocksource"))
        return CHECK_UNKNOWN;
    text_add(&context->found, line);
    return strcmp(line, "hpet") == 0 || strcmp(line, "acpi_pm") == 0 || strstr(line, "jiffies") ? CHECK_BAD : CHECK_GOOD;
}

/* Kernel threads that run above everything by design, for moments only. */
static bool is_kernel_helper(const char *comm)
{
    static const char *const names[] = {"migration/", "watchdog/", "posixcputmr", "stopper/", "idle_inject/", "rcuc/", "rcu_",
                                        "cpuhp/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(comm, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Threads of the priority measured at, or above, that are not this program's and may run on a measured CPU. */
static enum check_answer competing(struct check_context *context, bool irq_threads)
{
    struct path_list found;
    unsigned n = 0;
    if (!has_priority(context->options)) {
        text_add(&context->found, "measured without a priority to compare with");
        return CHECK_UNKNOWN;
    }
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
        bool is_per_cpu = is_kernel_helper(name + 1);
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
    {"priority", "priority of the measurement", own_priority,
     "threaded interrupts (50 by default) and others outrank it", "-p 98"},
    {"threadirqs", "threaded interrupts", threaded, "each handler runs to its end whatever the priority of the measuring thread",
     "boot with threadirqs, or a kernel with PREEMPT_RT, which threads them by itself"},
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
    {"load", "load", loaded, "worst cases show under load only", "--load dd,hackbench, or --load-cmd CMD"},
    {"timer", "timer calibration", timer, "a wrong gravity shifts every latency", "run Xenomai's autotune"},
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
