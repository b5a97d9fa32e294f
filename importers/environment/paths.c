/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of /proc and /sys that hold one value, known by their names: as a tree (after/sys/devices/...), or flat with
 * underscores (sys_devices_....txt). Others of that kind are known but say nothing here.
 */
#include "importers/environment/environment.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool system_path(const struct member *member, char path[SYSTEM_PATH_BYTES])
{
    char whole[1024];
    int n = snprintf(whole, sizeof whole, "%s%s%s", member->directory, *member->directory ? "/" : "", member->name);
    if (n < 0 || (size_t)n >= sizeof whole) /* a path that deep is of no interest */
        return false;
    if (!*member->directory) { /* named alone on the command line: the path as typed */
        size_t length = strlen(member->path);
        if (length < sizeof whole)
            memcpy(whole, member->path, length + 1);
    }
    const char *best = NULL;
    for (const char *p = whole; *p; p++) {
        bool at_part = p == whole || p[-1] == '/' || p[-1] == '_' || p[-1] == ':';
        if (at_part && (strncmp(p, "proc/", 5) == 0 || strncmp(p, "proc_", 5) == 0 || strncmp(p, "sys/", 4) == 0 || strncmp(p, "sys_", 4) == 0 ||
                        strncmp(p, "irq/default_", 12) == 0)) {
            best = p;
            break;
        }
    }
    if (!best)
        return false;
    size_t length = strlen(best);
    if (length > 4 && strcmp(best + length - 4, ".txt") == 0)
        length -= 4;
    if (length >= SYSTEM_PATH_BYTES)
        return false;
    for (size_t i = 0; i < length; i++)
        path[i] = best[i] == '/' ? '_' : best[i];
    path[length] = '\0';
    return true;
}

/* Names with N stand for a number, which goes into the key. */
static const struct value_file {
    const char *path, *key;
} value_files[] = {
    {"proc_sys_kernel_sched_rt_runtime_us", "sched.rt_runtime_us"},
    {"proc_sys_kernel_sched_rt_period_us", "sched.rt_period_us"},
    {"proc_sys_kernel_timer_migration", "kernel.timer_migration"},
    {"proc_sys_kernel_nmi_watchdog", "kernel.nmi_watchdog"},
    {"proc_sys_kernel_watchdog", "kernel.watchdog"},
    {"proc_sys_kernel_watchdog_cpumask", "kernel.watchdog_cpumask"},
    {"proc_sys_kernel_numa_balancing", "kernel.numa_balancing"},
    {"proc_sys_kernel_printk", "kernel.printk"},
    {"proc_sys_kernel_tainted", "kernel.tainted"},
    {"proc_sys_vm_stat_interval", "kernel.vm_stat_interval"},
    {"proc_sys_vm_swappiness", "kernel.vm_swappiness"},
    {"proc_loadavg", "load.average"},
    {"proc_uptime", "host.uptime"},
    {"proc_consoles", "kernel.consoles"},
    {"proc_irq_default_smp_affinity", "irq.default_affinity"},
    {"irq_default_smp_affinity", "irq.default_affinity"},
    {"proc_irq_N_smp_affinity_list", "irq.N.affinity"},
    {"proc_irq_N_effective_affinity_list", "irq.N.effective_affinity"},
    {"sys_kernel_realtime", "kernel.realtime"},
    {"sys_kernel_debug_sched_preempt", "kernel.preempt"},
    {"sys_kernel_debug_sched_features", "sched.features"},
    {"sys_kernel_debug_sched_sched_features", "sched.features"},
    {"sys_devices_system_cpu_online", "cpu.online"},
    {"sys_devices_system_cpu_isolated", "cpu.isolated"},
    {"sys_devices_system_cpu_nohz_full", "cpu.nohz_full"},
    {"sys_devices_system_cpu_smt_active", "cpu.smt_active"},
    {"sys_devices_system_cpu_smt_control", "cpu.smt_control"},
    {"sys_devices_system_cpu_cpuidle_current_driver", "cpu.idle_driver"},
    {"sys_devices_system_cpu_cpuidle_current_governor", "cpu.idle_governor"},
    {"sys_devices_system_cpu_cpuidle_current_governor_ro", "cpu.idle_governor"},
    {"sys_devices_system_cpu_cpuN_cpufreq_scaling_governor", "cpu.N.governor"},
    {"sys_devices_system_cpu_cpuN_cpufreq_scaling_driver", "cpu.N.driver"},
    {"sys_devices_system_cpu_cpuN_cpufreq_scaling_min_freq", "cpu.N.min_khz"},
    {"sys_devices_system_cpu_cpuN_cpufreq_scaling_max_freq", "cpu.N.max_khz"},
    {"sys_devices_system_cpu_cpuN_cpufreq_scaling_cur_freq", "cpu.N.current_khz"},
    {"sys_devices_system_cpu_cpuN_cpuidle_stateN_disable", "cpu.N.idle.N.disable"},
    {"sys_devices_system_cpu_cpuN_cpuidle_stateN_latency", "cpu.N.idle.N.latency_us"},
    {"sys_devices_system_cpu_cpuN_cpuidle_stateN_name", "cpu.N.idle.N.name"},
    {"sys_devices_system_cpu_intel_pstate_no_turbo", "cpu.no_turbo"},
    {"sys_devices_system_cpu_intel_pstate_status", "cpu.intel_pstate"},
    {"sys_devices_system_cpu_cpufreq_boost", "cpu.boost"},
    {"sys_devices_system_clocksource_clocksource0_current_clocksource", "clocksource"},
    {"sys_devices_system_clocksource_clocksource0_available_clocksource", "clocksource.available"},
    {"sys_devices_virtual_workqueue_cpumask", "kernel.workqueue_cpumask"},
    {"sys_class_dmi_id_product_name", "machine.model"},
    {"sys_class_dmi_id_sys_vendor", "machine.vendor"},
    {"sys_class_dmi_id_bios_version", "machine.bios_version"},
    {"sys_class_dmi_id_bios_date", "machine.bios_date"},
    {"sys_firmware_devicetree_base_model", "machine.model"},
    {"sys_hypervisor_type", "machine.hypervisor"},
    {"sys_kernel_tracing_trace_clock", "trace.clock"},
    {"sys_kernel_tracing_current_tracer", "trace.tracer"},
};

/* Matches path against a pattern; numbers that stood at N are collected. */
static bool matches(const char *pattern, const char *path, long numbers[2])
{
    int n = 0;
    while (*pattern) {
        if (*pattern == 'N' && isdigit((unsigned char)*path)) {
            char *end;
            long number = strtol(path, &end, 10);
            if (n < 2)
                numbers[n++] = number;
            path = end;
            pattern++;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

static const struct value_file *find(const struct member *member, long numbers[2])
{
    char path[SYSTEM_PATH_BYTES];
    if (!system_path(member, path))
        return NULL;
    for (size_t i = 0; i < sizeof value_files / sizeof *value_files; i++)
        if (matches(value_files[i].path, path, numbers))
            return &value_files[i];
    return NULL;
}

static bool is_cmdline_file(const struct member *member)
{
    char path[SYSTEM_PATH_BYTES];
    return (system_path(member, path) && strcmp(path, "proc_cmdline") == 0) || strcmp(member->name, "cmdline") == 0;
}

static struct probe_result value_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    long numbers[2];
    (void)bytes;
    if (size > 8192)
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){find(member, numbers) || is_cmdline_file(member) ? LIKELY : NOT_MINE, NULL};
}

/* "none voluntary (full)", "[tsc] hpet": the marked word. */
static size_t marked_word(const char **text, size_t length)
{
    const char *open = memchr(*text, '(', length);
    if (!open)
        open = memchr(*text, '[', length);
    if (!open)
        return length;
    size_t left = length - (size_t)(open + 1 - *text), n = 0;
    while (n < left && open[1 + n] != ')' && open[1 + n] != ']')
        n++;
    if (n == left)
        return length;
    *text = open + 1;
    return n;
}

static enum status value_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    (void)error;
    const char *text = (const char *)bytes;
    size_t length = 0;
    while (length < size && text[length] != '\n' && text[length] != '\0')
        length++;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    while (length && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    if (is_cmdline_file(import->member)) {
        cmdline_facts(import, text, length);
        return OK;
    }
    long numbers[2] = {0, 0};
    const struct value_file *file = find(import->member, numbers);
    if (!length || (length == 6 && memcmp(text, "(null)", 6) == 0))
        return OK; /* an empty list: nothing isolated */
    if (strcmp(file->key, "kernel.preempt") == 0 || strcmp(file->key, "trace.clock") == 0)
        length = marked_word(&text, length);
    char key[96];
    size_t k = 0;
    int n = 0;
    for (const char *p = file->key; *p && k + 24 < sizeof key; p++) {
        if (*p == 'N' && p[-1] == '.' && n < 2)
            k += (size_t)snprintf(key + k, sizeof key - k, "%ld", numbers[n++]);
        else
            key[k++] = *p;
    }
    key[k] = '\0';
    if (strstr(file->key, ".idle.N.") && numbers[0] != 0)
        return OK; /* the first CPU's idle states stand for all */
    int shown = length > 1000 ? 1000 : (int)length;
    import_fact(import, key, "%.*s", shown, text);
    if (strcmp(file->key, "cpu.N.governor") == 0)
        import_fact(import, "cpu.governor", "%.*s", shown, text);
    if (strcmp(file->key, "cpu.N.driver") == 0)
        import_fact(import, "cpu.driver", "%.*s", shown, text);
    return OK;
}

const struct importer importer_system_value = {
    .name = "system-value",
    .summary = "files of /proc and /sys with one value, by their names",
    .reads = "cpufreq, cpuidle, clocksource, isolation, throttling, affinities, DMI ...; as a tree or flat (proc_sys_kernel_x.txt)",
    .probe_bytes = value_probe,
    .read_bytes = value_read,
};

/* ---- the rest of /proc and /sys: known, nothing taken from it ---- */

static struct probe_result rest_probe(struct lines *lines, const struct member *member)
{
    char path[SYSTEM_PATH_BYTES];
    (void)lines;
    return (struct probe_result){system_path(member, path) ? UNLIKELY / 2 : NOT_MINE, NULL};
}

static enum status rest_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)import;
    (void)error;
    lines_skip(lines, 1);
    return OK;
}

static bool is_system_file(const struct member *member)
{
    char path[SYSTEM_PATH_BYTES];
    return system_path(member, path);
}

static const char *const system_file_marks[] = {NULL}; /* only by name */

const struct importer importer_system_file = {
    .name = "system-file",
    .summary = "other files of /proc and /sys: recognised, not used",
    .reads = "any, by its name",
    .probe_lines = rest_probe,
    .read_lines = rest_read,
    .marks = system_file_marks,
    .any_line = is_system_file,
};
