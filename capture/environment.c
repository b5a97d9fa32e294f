/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/environment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpuset.h"
#include "capture/files.h"

#define MAX_PATH_BYTES 1024
#define MAX_FILE_BYTES (8u << 20)

/* Single files and patterns; those that a kernel lacks are left out. */
static const char *const files[] = {
    "/proc/cmdline", "/proc/version", "/proc/cpuinfo", "/proc/interrupts", "/proc/softirqs", "/proc/stat",
    "/proc/schedstat", "/proc/timer_list", "/proc/modules", "/proc/meminfo", "/proc/loadavg", "/proc/uptime",
    "/proc/vmstat", "/proc/swaps", "/proc/config.gz", "/proc/consoles", "/proc/irq/default_smp_affinity",
    "/proc/irq/*/smp_affinity_list", "/proc/irq/*/effective_affinity_list", "/proc/sys/kernel/sched_rt_runtime_us",
    "/proc/sys/kernel/sched_rt_period_us", "/proc/sys/kernel/timer_migration", "/proc/sys/kernel/nmi_watchdog",
    "/proc/sys/kernel/watchdog", "/proc/sys/kernel/watchdog_cpumask", "/proc/sys/kernel/numa_balancing",
    "/proc/sys/kernel/printk", "/proc/sys/vm/stat_interval", "/proc/sys/vm/swappiness", "/sys/kernel/realtime",
    "/sys/devices/system/cpu/online", "/sys/devices/system/cpu/isolated", "/sys/devices/system/cpu/nohz_full",
    "/sys/devices/system/cpu/smt/active", "/sys/devices/system/cpu/vulnerabilities/*",
    "/sys/devices/system/cpu/cpuidle/*", "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_*",
    "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/cpuinfo_*", "/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/name",
    "/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/latency", "/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/disable",
    "/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/usage", "/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/time",
    "/sys/devices/system/cpu/intel_pstate/*", "/sys/devices/system/clocksource/clocksource0/*_clocksource",
    "/sys/kernel/debug/sched/preempt", "/sys/kernel/debug/sched/features", "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
    "/sys/class/dmi/id/bios_version", "/sys/class/dmi/id/bios_date", "/sys/firmware/devicetree/base/model",
    "/sys/hypervisor/type",
};
static const char *const folders[] = {"/proc/xenomai", "/proc/ipipe"};

static enum status save_bytes(const char *directory, const char *path, const struct text *bytes, struct error *error)
{
    char target[2 * MAX_PATH_BYTES], folder[2 * MAX_PATH_BYTES];
    snprintf(target, sizeof target, "%s%s", directory, path);
    snprintf(folder, sizeof folder, "%s", target);
    *strrchr(folder, '/') = '\0';
    if (directory_make(folder, error) != OK)
        return FAILED;
    int fd = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return error_output(error, "cannot make '%s': %s", target, strerror(errno));
    enum status status = descriptor_write(fd, text_string(bytes), bytes->length, target, error);
    close(fd);
    return status;
}

static enum status copy_file(const char *directory, const char *path, struct error *error)
{
    struct text bytes = {0};
    enum status status = OK;
    if (file_read(&bytes, path, MAX_FILE_BYTES))
        status = save_bytes(directory, path, &bytes, error);
    text_release(&bytes);
    return status;
}

enum status environment_copy(const char *directory, const char *path, unsigned depth, struct error *error)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return OK;
    if (!S_ISDIR(info.st_mode))
        return copy_file(directory, path, error);
    if (!depth)
        return OK;
    enum status worst = OK;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char child[MAX_PATH_BYTES];
        /* Reading I-pipe's trace files resets nothing, but they are saved with the outliers, not here. */
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "trace") == 0)
            continue;
        if (snprintf(child, sizeof child, "%s/%s", path, entry->d_name) >= (int)sizeof child)
            continue;
        enum status status = environment_copy(directory, child, depth - 1, error);
        worst = status > worst ? status : worst;
    }
    if (folder)
        closedir(folder);
    return worst;
}

static void format_affinity(int tid, char *text, size_t size)
{
    unsigned long mask[CPUSET_MAX / (8 * sizeof(long))] = {0};
    struct cpuset set = {0};
    if (sched_getaffinity(tid, sizeof mask, (cpu_set_t *)(void *)mask) == 0)
        for (int cpu = 0; cpu < CPUSET_MAX; cpu++)
            if (mask[(size_t)cpu / (8 * sizeof(long))] >> ((size_t)cpu % (8 * sizeof(long))) & 1)
                cpuset_add(&set, cpu);
    cpuset_format(&set, text, size);
}

/* One row per thread of the machine, like `ps -eLo pid,tid,cls,rtprio,ni,psr,affinity,comm`. */
static enum status save_threads(const char *directory, struct error *error)
{
    static const char *const class_name[] = {"TS", "FF", "RR", "B", "ISO", "IDL", "DLN"};
    struct text out = {0};
    text_add(&out, "    PID     TID CLS RTPRIO  NI PSR AFFINITY COMMAND\n");
    struct path_list found;
    path_list_match(&found, "/proc/[0-9]*/task/[0-9]*/stat");
    for (size_t i = 0; i < found.n; i++) {
        char line[1024], affinity[256];
        int pid, tid;
        if (sscanf(found.paths[i], "/proc/%d/task/%d/", &pid, &tid) != 2)
            continue;
        file_line(line, sizeof line, found.paths[i]);
        char *name = strchr(line, '('), *end = strrchr(line, ')');
        long nice = 0;
        unsigned cpu = 0, rt_priority = 0, policy = 0;
        /* Fields 19 nice, 39 processor, 40 rt_priority, 41 policy (man 5 proc). */
        if (!name || !end ||
            sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %ld %*d %*d %*u %*u "
                            "%*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %u %u %u",
                   &nice, &cpu, &rt_priority, &policy) != 4)
            continue;
        *end = '\0';
        format_affinity(tid, affinity, sizeof affinity);
        char priority[16] = "-";
        if (rt_priority)
            snprintf(priority, sizeof priority, "%u", rt_priority);
        text_format(&out, "%7d %7d %3s %6s %3ld %3u %s %s\n", pid, tid, policy < 7 ? class_name[policy] : "?",
                    priority, nice, cpu, affinity[0] ? affinity : "-", name + 1);
    }
    path_list_release(&found);
    enum status status = save_bytes(directory, "/threads.txt", &out, error);
    text_release(&out);
    return status;
}

static enum status save_kernel_log(const char *directory, struct error *error)
{
    enum { READ_ALL = 3, SIZE_BUFFER = 10 };
    int size = klogctl(SIZE_BUFFER, NULL, 0);
    if (size <= 0)
        return OK;
    struct text out = {0};
    char *bytes = malloc((size_t)size);
    int n = bytes ? klogctl(READ_ALL, bytes, size) : 0;
    if (n > 0)
        text_add_n(&out, bytes, (size_t)n);
    enum status status = n > 0 ? save_bytes(directory, "/dmesg.txt", &out, error) : OK;
    free(bytes);
    text_release(&out);
    return status;
}

enum status environment_save(const char *directory, struct error *error)
{
    enum status worst = directory_make(directory, error);
    if (worst != OK)
        return worst;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct path_list found;
        path_list_match(&found, files[i]);
        for (size_t k = 0; k < found.n; k++) {
            enum status status = copy_file(directory, found.paths[k], error);
            worst = status > worst ? status : worst;
        }
        path_list_release(&found);
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        enum status status = environment_copy(directory, folders[i], 4, error);
        worst = status > worst ? status : worst;
    }
    struct utsname name;
    if (uname(&name) == 0) {
        char config[MAX_PATH_BYTES];
        struct text line = {0};
        text_format(&line, "%s %s %s %s %s\n", name.sysname, name.nodename, name.release, name.version, name.machine);
        save_bytes(directory, "/uname.txt", &line, error);
        text_release(&line);
        snprintf(config, sizeof config, "/boot/config-%s", name.release);
        copy_file(directory, config, error);
    }
    enum status status = save_threads(directory, error);
    worst = status > worst ? status : worst;
    status = save_kernel_log(directory, error);
    return status > worst ? status : worst;
}
