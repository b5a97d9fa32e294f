/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "capture/files.h"
#include "capture/trace_dat.h"

#define TRACEFS_MAGIC_NUMBER 0x74726163

/* Which events a level asks for; "system:*" is a whole system. Those that a kernel lacks are counted, not fatal. */
static const struct {
    enum trace_level level;
    const char *system, *event;
} wanted[] = {
    {TRACE_LOW, "sched", "sched_switch"},
    {TRACE_LOW, "sched", "sched_waking"},
    {TRACE_LOW, "sched", "sched_wakeup"},
    {TRACE_LOW, "sched", "sched_wakeup_new"},
    {TRACE_LOW, "sched", "sched_migrate_task"},
    {TRACE_LOW, "sched", "sched_pi_setprio"},
    {TRACE_LOW, "irq", "irq_handler_entry"},
    {TRACE_LOW, "irq", "irq_handler_exit"},
    {TRACE_LOW, "irq", "softirq_entry"},
    {TRACE_LOW, "irq", "softirq_exit"},
    {TRACE_LOW, "irq", "softirq_raise"},
    {TRACE_LOW, "irq_vectors", NULL},
    {TRACE_LOW, "ipi", NULL},
    {TRACE_LOW, "nmi", NULL},
    {TRACE_LOW, "timer", "hrtimer_start"},
    {TRACE_LOW, "timer", "hrtimer_cancel"},
    {TRACE_LOW, "timer", "hrtimer_expire_entry"},
    {TRACE_LOW, "timer", "hrtimer_expire_exit"},
    {TRACE_LOW, "power", "cpu_idle"},
    {TRACE_LOW, "power", "cpu_frequency"},
    {TRACE_FULL, "preemptirq", NULL},
    {TRACE_FULL, "timer", NULL},
    {TRACE_FULL, "raw_syscalls", NULL},
    {TRACE_FULL, "exceptions", NULL},
    {TRACE_FULL, "lock", "contention_begin"},
    {TRACE_FULL, "lock", "contention_end"},
    {TRACE_FULL, "workqueue", "workqueue_execute_start"},
    {TRACE_FULL, "workqueue", "workqueue_execute_end"},
    {TRACE_FULL, "csd", NULL},
    {TRACE_FULL, "cpuhp", NULL},
    {TRACE_FULL, "printk", NULL},
};

static bool is_tracefs(const char *path)
{
    struct statfs fs;
    return statfs(path, &fs) == 0 && (unsigned long)fs.f_type == TRACEFS_MAGIC_NUMBER;
}

static bool find_tracefs(struct trace *trace)
{
    static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    for (size_t i = 0; i < 2; i++)
        if (is_tracefs(places[i])) {
            snprintf(trace->tracefs, sizeof trace->tracefs, "%s", places[i]);
            return true;
        }
    /* In a mount namespace of our own: however this process ends, the mount goes with it. */
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tracefs", places[0], "tracefs", 0, NULL) != 0)
        return false;
    snprintf(trace->tracefs, sizeof trace->tracefs, "%s", places[0]);
    return true;
}

static enum status set(const struct trace_instance *instance, const char *file, const char *value, struct error *error)
{
    char path[TRACE_PATH_BYTES + 128];
    snprintf(path, sizeof path, "%s/%s", instance->path, file);
    return file_write(path, value, error);
}

/* Enables one event or a whole system; false if the kernel has none of it. */
static bool enable(const struct trace_instance *instance, const char *system, const char *event)
{
    char file[256];
    snprintf(file, sizeof file, "events/%s/%s%senable", system, event ? event : "", event ? "/" : "");
    return set(instance, file, "1", NULL) == OK;
}

static void enable_level(struct trace *trace, const struct trace_instance *instance)
{
    unsigned n_missing = 0;
    if (trace->options->trace_systems) { /* "sched,irq,timer:hrtimer_start" */
        char *list = strdup(trace->options->trace_systems), *rest = list;
        for (char *name; list && (name = strsep(&rest, ","));) {
            char *event = strchr(name, ':');
            if (event)
                *event++ = '\0';
            if (*name && !enable(instance, name, event && *event ? event : NULL))
                n_missing++;
        }
        free(list);
    } else {
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (wanted[i].level <= trace->options->trace && !enable(instance, wanted[i].system, wanted[i].event))
                n_missing++;
    }
    trace->n_events_missing = n_missing;
}

static enum status open_instance(struct trace *trace, int which, struct error *error)
{
    struct trace_instance *instance = &trace->instances[which];
    char number[32], path[TRACE_PATH_BYTES + 128];
    snprintf(instance->path, sizeof instance->path, "%s/instances/whylate-%d-%d", trace->tracefs, (int)getpid(), which);
    if (mkdir(instance->path, 0750) != 0) {
        error_output(error, "cannot make '%s': %s", instance->path, strerror(errno));
        instance->path[0] = '\0';
        return FAILED;
    }
    snprintf(number, sizeof number, "%zu", trace->options->trace_buffer_kb);
    if (set(instance, "tracing_on", "0", error) != OK ||
        set(instance, "trace_clock", trace->options->trace_clock, error) != OK ||
        set(instance, "buffer_size_kb", number, error) != OK)
        return FAILED;
    enable_level(trace, instance);
    if (trace->options->trace == TRACE_FUNCTION)
        set(instance, "current_tracer", "function", NULL);
    snprintf(path, sizeof path, "%s/tracing_on", instance->path);
    instance->on_fd = open(path, O_WRONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "%s/trace_marker", instance->path);
    instance->marker_fd = open(path, O_WRONLY | O_CLOEXEC);
    if (instance->on_fd < 0)
        return error_output(error, "cannot open tracing_on of '%s': %s", instance->path, strerror(errno));
    return OK;
}

static void turn(const struct trace_instance *instance, bool on)
{
    if (write(instance->on_fd, on ? "1" : "0", 1) != 1)
        return; /* the next switch tries again; an instance that stays off shows as an empty trace */
}

enum status trace_open(struct trace *trace, const struct capture_options *options, struct error *error)
{
    *trace = (struct trace){.options = options, .instances = {{.on_fd = -1, .marker_fd = -1}, {.on_fd = -1, .marker_fd = -1}}};
    if (options->trace == TRACE_OFF && !options->trace_systems) {
        snprintf(trace->why_not, sizeof trace->why_not, "not asked for (--trace off)");
        return OK;
    }
    if (!find_tracefs(trace)) {
        snprintf(trace->why_not, sizeof trace->why_not, "no tracefs: %s", strerror(errno));
        return OK;
    }
    struct error why = {0};
    for (int i = 0; i < 2; i++)
        if (open_instance(trace, i, &why) != OK) {
            trace_close(trace);
            snprintf(trace->why_not, sizeof trace->why_not, "%.*s", (int)sizeof trace->why_not - 1, why.text);
            return OK;
        }
    trace_dat_head(&trace->head, trace->tracefs, trace->instances[0].path, options->trace >= TRACE_FULL);
    turn(&trace->instances[0], true);
    (void)error;
    return OK;
}

bool trace_is_on(const struct trace *trace)
{
    return !trace->why_not[0];
}

void trace_mark(struct trace *trace, const char *text)
{
    int fd = trace->instances[trace->active].marker_fd;
    if (trace_is_on(trace) && fd >= 0 && write(fd, text, strlen(text)) < 0)
        return; /* a mark is a help to the reader; outliers.txt has the same facts */
}

struct trace_instance *trace_switch(struct trace *trace)
{
    struct trace_instance *stopped = &trace->instances[trace->active];
    trace->active = !trace->active;
    turn(&trace->instances[trace->active], true);
    turn(stopped, false);
    return stopped;
}

enum status trace_save(struct trace *trace, struct trace_instance *instance, const char *path, struct error *error)
{
    enum status status = trace_dat_write(&trace->head, trace->tracefs, instance->path, path, error);
    set(instance, "trace", "", NULL); /* empties the ring */
    return status;
}

static void close_instance(struct trace_instance *instance)
{
    if (!instance->path[0])
        return;
    if (instance->on_fd >= 0) {
        turn(instance, false);
        close(instance->on_fd);
    }
    if (instance->marker_fd >= 0)
        close(instance->marker_fd);
    rmdir(instance->path);
    *instance = (struct trace_instance){.on_fd = -1, .marker_fd = -1};
}

void trace_close(struct trace *trace)
{
    close_instance(&trace->instances[0]);
    close_instance(&trace->instances[1]);
    text_release(&trace->head);
}

/* The name says whose an instance is: whylate-PID-N. One whose process is gone is a leftover. */
unsigned trace_restore(void)
{
    struct trace trace = {0};
    if (!find_tracefs(&trace))
        return 0;
    unsigned n = 0;
    char path[TRACE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/instances", trace.tracefs);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        int pid, which;
        char rest;
        if (sscanf(entry->d_name, "whylate-%d-%d%c", &pid, &which, &rest) != 2 || (kill(pid, 0) == 0 || errno != ESRCH))
            continue;
        snprintf(path, sizeof path, "%s/instances/whylate-%d-%d", trace.tracefs, pid, which);
        n += rmdir(path) == 0;
    }
    if (directory)
        closedir(directory);
    return n;
}
