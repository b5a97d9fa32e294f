/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/trace_dat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "capture/files.h"

#define MAX_PATH_BYTES 1024

/* Options of the file (man trace-cmd.dat.v6). */
enum { OPTION_DONE = 0, OPTION_CPUSTAT = 2, OPTION_TRACECLOCK = 4, OPTION_UNAME = 5 };

/* Native byte order: the prefix says which. */
static void put(struct text *out, const void *value, size_t size)
{
    text_add_n(out, value, size);
}
static void put_u32(struct text *out, uint32_t value)
{
    put(out, &value, sizeof value);
}
static void put_u64(struct text *out, uint64_t value)
{
    put(out, &value, sizeof value);
}

/* A file behind its size in 4 or 8 bytes; a file that is not there has size 0. */
static void put_file(struct text *out, const char *path, int size_bytes)
{
    struct text file = {0};
    file_read(&file, path, 0);
    if (size_bytes == 8)
        put_u64(out, file.length);
    else
        put_u32(out, (uint32_t)file.length);
    text_add_n(out, text_string(&file), file.length);
    text_release(&file);
}

static void put_option(struct text *out, uint16_t id, const char *bytes, size_t size)
{
    put(out, &id, sizeof id);
    put_u32(out, (uint32_t)size);
    text_add_n(out, bytes, size);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* events/ftrace/.../format: count, then each behind its size. */
static void put_ftrace_formats(struct text *out, const char *tracefs)
{
    char path[MAX_PATH_BYTES];
    snprintf(path, sizeof path, "%s/events/ftrace", tracefs);
    struct dirent **names;
    int n = scandir(path, &names, visible, alphasort);
    struct text formats = {0};
    uint32_t n_formats = 0;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/events/ftrace/%s/format", tracefs, names[i]->d_name);
        if (access(path, R_OK) == 0) {
            put_file(&formats, path, 8);
            n_formats++;
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    put_u32(out, n_formats);
    text_add_n(out, text_string(&formats), formats.length);
    text_release(&formats);
}

/* The formats of one system's enabled events; returns how many. */
static uint32_t put_system(struct text *out, const char *instance, const char *system)
{
    char path[MAX_PATH_BYTES];
    snprintf(path, sizeof path, "%s/events/%s", instance, system);
    struct dirent **names;
    int n = scandir(path, &names, visible, alphasort);
    uint32_t n_events = 0;
    for (int i = 0; i < n; i++) {
        char enabled[8];
        snprintf(path, sizeof path, "%s/events/%s/%s/enable", instance, system, names[i]->d_name);
        file_line(enabled, sizeof enabled, path);
        if (enabled[0] == '1') {
            snprintf(path, sizeof path, "%s/events/%s/%s/format", instance, system, names[i]->d_name);
            put_file(out, path, 8);
            n_events++;
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return n_events;
}

static void put_event_formats(struct text *out, const char *instance)
{
    char path[MAX_PATH_BYTES];
    snprintf(path, sizeof path, "%s/events", instance);
    struct dirent **names;
    int n = scandir(path, &names, visible, alphasort);
    struct text systems = {0};
    uint32_t n_systems = 0;
    for (int i = 0; i < n; i++) {
        char enabled[8];
        snprintf(path, sizeof path, "%s/events/%s/enable", instance, names[i]->d_name);
        file_line(enabled, sizeof enabled, path);
        struct text formats = {0};
        uint32_t n_events =
            enabled[0] == '1' || enabled[0] == 'X' ? put_system(&formats, instance, names[i]->d_name) : 0;
        if (n_events) {
            put(&systems, names[i]->d_name, strlen(names[i]->d_name) + 1);
            put_u32(&systems, n_events);
            text_add_n(&systems, text_string(&formats), formats.length);
            n_systems++;
        }
        text_release(&formats);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    put_u32(out, n_systems);
    text_add_n(out, text_string(&systems), systems.length);
    text_release(&systems);
}

/* Bytes of a sub-buffer: what one read of trace_pipe_raw gives. */
static uint32_t page_size(const char *instance)
{
    char path[MAX_PATH_BYTES], line[32];
    snprintf(path, sizeof path, "%s/buffer_subbuf_size_kb", instance);
    file_line(line, sizeof line, path);
    long kb = strtol(line, NULL, 10);
    return kb > 0 && kb <= 1024 ? (uint32_t)kb * 1024 : (uint32_t)sysconf(_SC_PAGESIZE);
}

/* The table of functions behind its size. A reader names only entry points of a table that is not whole. */
static void put_symbols(struct text *out, bool all)
{
    static const char *const timer_words[] = {"timer", "tick", "watchdog", "wakeup"};
    struct text file = {0}, kept = {0};
    file_read(&file, "/proc/kallsyms", 0);
    for (const char *line = text_string(&file); *line;) {
        size_t length = strcspn(line, "\n");
        char text[512];
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), line);
        bool keep = all;
        for (size_t i = 0; !keep && i < sizeof timer_words / sizeof *timer_words; i++)
            keep = strstr(text, timer_words[i]) != NULL;
        const char *type = strchr(text, ' ');
        if (keep && type && strchr("tTwW", type[1]) && type[1]) {
            text_add_n(&kept, line, length);
            text_add_char(&kept, '\n');
        }
        line += length + (line[length] == '\n');
    }
    put_u32(out, (uint32_t)kept.length);
    text_add_n(out, text_string(&kept), kept.length);
    text_release(&kept);
    text_release(&file);
}

void trace_dat_head(struct text *out, const char *tracefs, const char *instance, bool all_symbols)
{
    static const unsigned char magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g', '6', '\0'};
    char path[MAX_PATH_BYTES];
    put(out, magic, sizeof magic);
    text_add_char(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 1 : 0);
    text_add_char(out, (char)sizeof(long));
    put_u32(out, page_size(instance));
    put(out, "header_page", 12);
    snprintf(path, sizeof path, "%s/events/header_page", tracefs);
    put_file(out, path, 8);
    put(out, "header_event", 13);
    snprintf(path, sizeof path, "%s/events/header_event", tracefs);
    put_file(out, path, 8);
    put_ftrace_formats(out, tracefs);
    put_event_formats(out, instance);
    put_symbols(out, all_symbols);
    snprintf(path, sizeof path, "%s/printk_formats", tracefs);
    put_file(out, path, 4);
}

static void put_options(struct text *out, const char *instance, uint32_t n_cpus)
{
    char path[MAX_PATH_BYTES], line[8192];
    put(out, "options  ", 10);
    snprintf(path, sizeof path, "%s/trace_clock", instance);
    file_line(line, sizeof line, path);
    put_option(out, OPTION_TRACECLOCK, line, strlen(line) + 1);
    struct utsname name;
    if (uname(&name) == 0) {
        snprintf(line, sizeof line, "%s %s %s %s", name.sysname, name.nodename, name.release, name.machine);
        put_option(out, OPTION_UNAME, line, strlen(line) + 1);
    }
    for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
        struct text stats = {0};
        text_format(&stats, "CPU: %u\n", cpu);
        snprintf(path, sizeof path, "%s/per_cpu/cpu%u/stats", instance, cpu);
        if (file_read(&stats, path, 65536))
            put_option(out, OPTION_CPUSTAT, text_string(&stats), stats.length + 1);
        text_release(&stats);
    }
    uint16_t done = OPTION_DONE;
    put(out, &done, sizeof done);
}

/* Copies one CPU's pages to the end of the file; *size is what was written. */
static enum status copy_cpu(int out, const char *path, const char *instance, uint32_t cpu, uint32_t page_bytes,
                            uint64_t *size, struct error *error)
{
    char raw[MAX_PATH_BYTES];
    *size = 0;
    snprintf(raw, sizeof raw, "%s/per_cpu/cpu%u/trace_pipe_raw", instance, cpu);
    int in = open(raw, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (in < 0)
        return errno == ENOENT ? OK : error_output(error, "cannot open '%s': %s", raw, strerror(errno));
    unsigned char *page = memory_new(page_bytes);
    enum status status = OK;
    ssize_t n;
    while (status == OK && (n = read(in, page, page_bytes)) > 0) {
        memset(page + n, 0, page_bytes - (size_t)n); /* a page of the file is always whole */
        status = descriptor_write(out, page, page_bytes, path, error);
        *size += status == OK ? page_bytes : 0;
    }
    free(page);
    close(in);
    return status;
}

static enum status write_body(int out, const struct text *fixed, const char *tracefs, const char *instance,
                              const char *path, struct error *error)
{
    char saved_cmdlines[MAX_PATH_BYTES];
    uint32_t n_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF), page_bytes = page_size(instance);
    struct text head = {0};
    text_add_n(&head, text_string(fixed), fixed->length);
    snprintf(saved_cmdlines, sizeof saved_cmdlines, "%s/saved_cmdlines", tracefs);
    put_file(&head, saved_cmdlines, 8);
    put_u32(&head, n_cpus);
    put_options(&head, instance, n_cpus);
    put(&head, "flyrecord", 10);
    size_t table = head.length;
    for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
        put_u64(&head, 0);
        put_u64(&head, 0);
    }
    while (head.length % page_bytes) /* the pages that follow can be mapped */
        text_add_n(&head, "", 1);
    enum status status = descriptor_write(out, head.bytes, head.length, path, error);
    uint64_t offset = head.length;
    for (uint32_t cpu = 0; cpu < n_cpus && status == OK; cpu++) {
        uint64_t extent[2] = {offset, 0};
        status = copy_cpu(out, path, instance, cpu, page_bytes, &extent[1], error);
        offset += extent[1];
        if (pwrite(out, extent, sizeof extent, (off_t)(table + cpu * sizeof extent)) != (ssize_t)sizeof extent)
            status = error_output(error, "cannot write '%s': %s", path, strerror(errno));
    }
    text_release(&head);
    return status;
}

enum status trace_dat_write(const struct text *head, const char *tracefs, const char *instance, const char *path,
                            struct error *error)
{
    char temporary[MAX_PATH_BYTES + 8];
    snprintf(temporary, sizeof temporary, "%s.part", path);
    int out = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out < 0)
        return error_output(error, "cannot make '%s': %s", temporary, strerror(errno));
    enum status status = write_body(out, head, tracefs, instance, path, error);
    if (close(out) != 0 && status == OK)
        status = error_output(error, "cannot write '%s': %s", path, strerror(errno));
    if (status == OK && rename(temporary, path) != 0)
        status = error_output(error, "cannot rename '%s': %s", temporary, strerror(errno));
    if (status != OK)
        unlink(temporary);
    return status;
}
