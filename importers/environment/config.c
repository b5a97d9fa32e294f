/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines KEY=value and KEY: value about the system: kernel configuration, sysctl, /proc/cpuinfo, lscpu, os-release. Only
 * what matters to latency becomes facts.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "importers/environment/environment.h"

/* ---- kernel configuration ---- */

/* *value of an option that is off is no part of the line; *rest is where the line goes on. */
static bool config_line(const struct line *line, const char **name, size_t *length, const char **value, size_t *value_length,
                        const char **rest)
{
    const char *p = line->text, *end = p + line->length;
    bool is_off = scan_literal(&p, end, "# CONFIG_");
    if (!is_off && !scan_literal(&p, end, "CONFIG_"))
        return false;
    *name = p - 7;
    while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
        p++;
    *length = (size_t)(p - *name);
    if (is_off) {
        *value = "n";
        *value_length = 1;
        bool is_whole = scan_literal(&p, end, " is not set");
        *rest = p;
        return is_whole;
    }
    if (!scan_literal(&p, end, "="))
        return false;
    *value = p;
    if (p < end && *p == '"') {
        const char *close = memchr(p + 1, '"', (size_t)(end - p) - 1);
        p = close ? close + 1 : end;
    } else {
        while (p < end && (isalnum((unsigned char)*p) || *p == '-' || *p == '_' || *p == '.'))
            p++;
    }
    while (p > *value && p[-1] == '.')
        p--; /* the end of a sentence */
    *value_length = (size_t)(p - *value);
    *rest = p;
    return true;
}

/* "CONFIG_PREEMPT=y or CONFIG_PREEMPT_RT=y": both are no statement. */
static bool has_alternatives(const struct line *line)
{
    const char *or = memmem(line->text, line->length, " or ", 4), *end = line->text + line->length;
    return or && memmem(or, (size_t)(end - or), "CONFIG_", 7);
}

/* "CONFIG_PREEMPT=y, CONFIG_HZ_250=y": the next option on the line. */
static bool next_option(struct line *line, const char *from)
{
    const char *next = memmem(from, (size_t)(line->text + line->length - from), "CONFIG_", 7);
    if (!next)
        return false;
    line->length -= (size_t)(next - line->text);
    line->text = next;
    return true;
}

static bool matters(const char *name, size_t length)
{
    static const char *const names[] = {
        "CONFIG_PREEMPT", "CONFIG_PREEMPT_RT", "CONFIG_PREEMPT_RT_FULL", "CONFIG_PREEMPT_NONE", "CONFIG_PREEMPT_VOLUNTARY",
        "CONFIG_PREEMPT_DYNAMIC", "CONFIG_PREEMPT_LAZY", "CONFIG_PREEMPT__LL", "CONFIG_HZ", "CONFIG_HZ_PERIODIC", "CONFIG_NO_HZ_FULL",
        "CONFIG_NO_HZ_IDLE", "CONFIG_NO_HZ", "CONFIG_HIGH_RES_TIMERS", "CONFIG_RCU_NOCB_CPU", "CONFIG_RCU_BOOST", "CONFIG_CPU_FREQ",
        "CONFIG_CPU_IDLE", "CONFIG_CPU_FREQ_DEFAULT_GOV_PERFORMANCE", "CONFIG_CPU_FREQ_DEFAULT_GOV_ONDEMAND",
        "CONFIG_CPU_FREQ_DEFAULT_GOV_POWERSAVE", "CONFIG_CPU_FREQ_DEFAULT_GOV_SCHEDUTIL", "CONFIG_ACPI_PROCESSOR", "CONFIG_APM",
        "CONFIG_DEBUG_PREEMPT", "CONFIG_PROVE_LOCKING", "CONFIG_LOCKDEP", "CONFIG_LOCK_STAT", "CONFIG_DEBUG_LOCK_ALLOC", "CONFIG_KASAN",
        "CONFIG_DEBUG_KMEMLEAK", "CONFIG_DEBUG_OBJECTS", "CONFIG_SLUB_DEBUG_ON", "CONFIG_DEBUG_SPINLOCK", "CONFIG_DEBUG_MUTEXES",
        "CONFIG_DEBUG_ATOMIC_SLEEP", "CONFIG_DEBUG_PAGEALLOC", "CONFIG_KCSAN", "CONFIG_UBSAN", "CONFIG_IRQSOFF_TRACER",
        "CONFIG_PREEMPT_TRACER", "CONFIG_FUNCTION_TRACER", "CONFIG_TRANSPARENT_HUGEPAGE", "CONFIG_COMPACTION", "CONFIG_NUMA_BALANCING",
        "CONFIG_RT_GROUP_SCHED", "CONFIG_SMP", "CONFIG_NR_CPUS", "CONFIG_IPIPE", "CONFIG_DOVETAIL", "CONFIG_XENOMAI", "CONFIG_EVL",
        "CONFIG_XENO_OPT_TIMING_PERIODIC", "CONFIG_XENO_OPT_DEBUG", "CONFIG_IPIPE_TRACE", "CONFIG_IPIPE_TRACE_MCOUNT", "CONFIG_IPIPE_DEBUG",
        "CONFIG_DEBUG_HARD_LOCKS", "CONFIG_CC_STACKPROTECTOR", "CONFIG_MIGRATION", "CONFIG_SCHED_MC", "CONFIG_GENERIC_TRACER",
        "CONFIG_PCI_MSI", "CONFIG_X86_TSC", "CONFIG_LATENCYTOP", "CONFIG_DEBUG_RT_MUTEXES", "CONFIG_WQ_POWER_EFFICIENT_DEFAULT",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

static struct probe_result config_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    const char *name, *value, *rest;
    size_t length, value_length;
    (void)member;
    lines_peek(lines, 0, &line);
    if (line.length < 9 || (line.text[0] != 'C' && line.text[0] != '#'))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){config_line(&line, &name, &length, &value, &value_length, &rest) ||
                                         line_starts(&line, "# Automatically generated file; DO NOT EDIT")
                                     ? LIKELY
                                     : NOT_MINE,
                                 NULL};
}

static enum status config_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    (void)error;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        const char *name, *value, *rest;
        size_t length, value_length;
        if (config_line(&line, &name, &length, &value, &value_length, &rest)) {
            if (has_alternatives(&line)) {
                import_fact(import, "kernel.config.CONFIG_PREEMPT_alternatives", "%.*s", (int)(line.length > 200 ? 200 : line.length), line.text);
                continue;
            }
            do {
                char key[96];
                snprintf(key, sizeof key, "kernel.config.%.*s", (int)(length < 80 ? length : 80), name);
                if (length > 10 && memcmp(name, "CONFIG_HZ_", 10) == 0 && isdigit((unsigned char)name[10]) && *value == 'y')
                    import_fact(import, "kernel.config.CONFIG_HZ", "%.*s", (int)(length - 10 < 8 ? length - 10 : 8), name + 10);
                if (matters(name, length) && value_length)
                    import_fact(import, key, "%.*s", (int)(value_length > 200 ? 200 : value_length), value);
            } while (next_option(&line, rest) && config_line(&line, &name, &length, &value, &value_length, &rest));
        } else if (line.length && line.text[0] != '#' ) {
            break;
        }
    }
    return OK;
}

static const char *const kernel_config_marks[] = {"CONFIG_", "# Automatically generated", NULL};

const struct importer importer_kernel_config = {
    .name = "kernel-config",
    .summary = "kernel configuration (.config, /proc/config.gz, lines CONFIG_X=y)",
    .reads = "options of preemption, timers, idle, frequency, debugging as facts",
    .probe_lines = config_probe,
    .read_lines = config_read,
    .marks = kernel_config_marks,
};

/* ---- "key : value" and "key = value" ---- */

struct pair_key {
    const char *key, *fact;
};
static const struct pair_key pairs[] = {
    {"model name", "cpu.model"},       {"Model name", "cpu.model"},           {"cpu model", "cpu.model"},
    {"Hardware", "machine.model"},     {"Hypervisor vendor", "cpu.hypervisor"}, {"CPU(s)", "cpu.count"},
    {"Thread(s) per core", "cpu.threads_per_core"}, {"On-line CPU(s) list", "cpu.online"}, {"NUMA node(s)", "cpu.numa_nodes"},
    {"CPU max MHz", "cpu.max_mhz"},
    {"Virtualization type", "cpu.virtualization"}, {"microcode", "cpu.microcode"}, {"PRETTY_NAME", "os.name"},
    {"kernel.sched_rt_runtime_us", "sched.rt_runtime_us"}, {"kernel.sched_rt_period_us", "sched.rt_period_us"},
    {"kernel.timer_migration", "kernel.timer_migration"}, {"kernel.nmi_watchdog", "kernel.nmi_watchdog"},
    {"kernel.watchdog", "kernel.watchdog"}, {"kernel.numa_balancing", "kernel.numa_balancing"},
    {"vm.stat_interval", "kernel.vm_stat_interval"}, {"vm.swappiness", "kernel.vm_swappiness"},
    {"kernel.osrelease", "kernel.release"}, {"kernel.version", "kernel.version"}, {"kernel.hostname", "host.name"},
    {"Machine model", "machine.model"}, {"OF: fdt: Machine model", "machine.model"},
};

/* Which listing a line begins: their first keys. */
static bool begins_listing(const struct line *line)
{
    static const char *const first[] = {"processor\t:", "processor :", "processor       :", "Architecture:  ", "PRETTY_NAME=", "abi.", "debug.", "dev.",
                                        "fs.", "kernel.", "net.", "vm.", "NAME=\"", "Processor\t:"};
    if (!line->length || !(isalpha((unsigned char)line->text[0])))
        return false;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (line->length > strlen(first[i]) && memcmp(line->text, first[i], strlen(first[i])) == 0)
            return i < 5 || i > 11 || line_has(line, " = ");
    return false;
}

static struct probe_result pairs_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    lines_peek(lines, 0, &line);
    return (struct probe_result){begins_listing(&line) ? PLAUSIBLE : NOT_MINE, NULL};
}

/* Splits at the first " = ", ':' or '='. */
static bool split(const struct line *line, const char **key_end, const char **value)
{
    const char *end = line->text + line->length;
    const char *equals = line_find(line, " = "), *colon = memchr(line->text, ':', line->length);
    const char *at = equals ? equals : colon ? colon : memchr(line->text, '=', line->length);
    if (!at || at == line->text)
        return false;
    *value = at + (equals ? 3 : 1);
    while (*value < end && (**value == ' ' || **value == '\t' || **value == '"'))
        ++*value;
    while (at > line->text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    *key_end = at;
    return true;
}

void listing_fact(struct import *import, const char *key, size_t length, const char *value, size_t value_length)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strlen(pairs[i].key) == length && memcmp(pairs[i].key, key, length) == 0 && value_length)
            import_fact(import, pairs[i].fact, "%.*s", (int)(value_length > 300 ? 300 : value_length), value);
    /* /proc/cpuinfo of a guest */
    if (length == 5 && memcmp(key, "flags", 5) == 0 && memmem(value, value_length, " hypervisor ", 12))
        import_fact(import, "cpu.hypervisor", "yes");
}

static enum status pairs_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    uint64_t n_processors = 0;
    (void)error;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        const char *key_end, *value, *end = line.text + line.length;
        struct line next;
        if (line_is_blank(&line)) {
            if (lines_peek(lines, 1, &next) && begins_listing(&next))
                continue;
            if (n_processors && lines_peek(lines, 1, &next) && (line_starts(&next, "Hardware") || line_starts(&next, "Revision")))
                continue;
            break;
        }
        if (!split(&line, &key_end, &value))
            break;
        size_t length = (size_t)(key_end - line.text);
        n_processors += length == 9 && strncasecmp(line.text, "processor", 9) == 0 && value < end && isdigit((unsigned char)*value);
        while (end > value && (end[-1] == '"' || end[-1] == ' '))
            end--;
        listing_fact(import, line.text, length, value, value < end ? (size_t)(end - value) : 0);
    }
    if (n_processors)
        import_fact(import, "cpu.count", "%llu", (unsigned long long)n_processors);
    return OK;
}

static const char *const system_listing_marks[] = {
    "processor", "Architecture:", "PRETTY_NAME=", "abi.", "debug.", "dev.", "fs.", "kernel.", "net.", "vm.", "NAME=\"", NULL,
};

const struct importer importer_system_listing = {
    .name = "system-listing",
    .summary = "/proc/cpuinfo, lscpu, sysctl -a, os-release",
    .reads = "CPU model and count, hypervisor, scheduler limits, system name",
    .probe_lines = pairs_probe,
    .read_lines = pairs_read,
    .marks = system_listing_marks,
};
