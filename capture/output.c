/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "bundle/bundle.h"
#include "capture/files.h"

#define BUFFER_BYTES  (64u * 1024u)
/* Held back on the disk, so that a capture that fills it can still say how it ended. */
#define RESERVE_BYTES (256 * 1024)

static const char *const thread_columns[] = {"# thread", "cpu", "tid", "comm", "policy", "priority", "interval_ns",
                                             "first_due_ns", "sample_cost_ns", "counters", "counters_missing"};
static const char *const outlier_columns[] = {"# outlier", "thread", "sequence", "due_ns", "wake_ns", "latency_ns",
                                              "trace", "ipipe", "why", "save_begin_ns", "save_end_ns"};
static const char *const incident_columns[] = {"# monotonic_ns", "kind", "cpu", "amount_ns", "text"};
static const char *const clock_columns[] = {"# monotonic_ns", "realtime_ns", "boottime_ns", "monotonic_raw_ns",
                                            "error_ns", "linux_monotonic_ns"};

static int open_reserve(const struct output *output)
{
    static const char name[] = ".reserve";
    int fd = openat(output->directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    unlinkat(output->directory_fd, name, 0);
    if (fallocate(fd, 0, 0, RESERVE_BYTES) != 0) { /* a file system that cannot: there is no reserve */
        close(fd);
        return -1;
    }
    return fd;
}

static int append(const struct output *output, const char *name)
{
    return openat(output->directory_fd, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

enum status output_open(struct output *output, const char *directory, unsigned n_threads, struct error *error)
{
    *output = (struct output){.directory = directory, .directory_fd = -1, .reserve_fd = -1, .n_samples_files = n_threads};
    if (mkdir(directory, 0755) != 0)
        return error_output(error, "cannot make bundle '%s': %s", directory, strerror(errno));
    output->directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    output->main_fd = append(output, BUNDLE_MAIN);
    output->threads_fd = append(output, BUNDLE_THREADS);
    output->outliers_fd = append(output, BUNDLE_OUTLIERS);
    output->clocks_fd = append(output, BUNDLE_CLOCKS);
    output->incidents_fd = append(output, BUNDLE_INCIDENTS);
    output->log_fd = append(output, BUNDLE_LOG);
    if (output->directory_fd < 0 || output->log_fd < 0 || fchdir(output->directory_fd) != 0)
        return error_output(error, "cannot write in '%s': %s", directory, strerror(errno));
    output->samples = memory_new((n_threads + 1) * sizeof *output->samples);
    for (unsigned i = 0; i < n_threads; i++)
        output->samples[i].fd = -1;
    output_value(output, BUNDLE_MAGIC, "%s", BUNDLE_VERSION);
    output_row(output, output->threads_fd, thread_columns, sizeof thread_columns / sizeof *thread_columns);
    output_row(output, output->outliers_fd, outlier_columns, sizeof outlier_columns / sizeof *outlier_columns);
    output_row(output, output->clocks_fd, clock_columns, sizeof clock_columns / sizeof *clock_columns);
    output_row(output, output->incidents_fd, incident_columns, sizeof incident_columns / sizeof *incident_columns);
    if (output->failed.kind != ERROR_NONE) {
        *error = output->failed;
        return FAILED;
    }
    output->reserve_fd = open_reserve(output);
    return OK;
}

bool output_check(struct output *output)
{
    struct stat info;
    if (output->failed.kind == ERROR_NONE && (fstat(output->directory_fd, &info) != 0 || info.st_nlink == 0))
        error_output(&output->failed, "bundle '%s' was removed while it was written", output->directory);
    for (unsigned i = 0; i < output->n_samples_files && output->failed.kind == ERROR_NONE; i++)
        if (output->samples[i].fd >= 0 && (fstat(output->samples[i].fd, &info) != 0 || info.st_nlink == 0))
            error_output(&output->failed, "%s of bundle '%s' was removed while it was written", output->samples[i].name,
                         output->directory);
    if (output->failed.kind != ERROR_NONE && output->reserve_fd >= 0) {
        close(output->reserve_fd);
        output->reserve_fd = -1;
    }
    return output->failed.kind == ERROR_NONE;
}

void output_row(struct output *output, int fd, const char *const *fields, size_t n_fields)
{
    bundle_row_write(fd, fields, n_fields, &output->failed);
}

void output_value(struct output *output, const char *key, const char *format, ...)
{
    char value[4096];
    va_list args;
    if (format) {
        va_start(args, format);
        vsnprintf(value, sizeof value, format, args);
        va_end(args);
    }
    output_row(output, output->main_fd, (const char *const[]){key, format ? value : NULL}, 2);
}

void output_log(struct output *output, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text - 1, format, args);
    va_end(args);
    if (n < 0)
        return;
    size_t length = strlen(text);
    text[length] = '\n';
    descriptor_write(output->log_fd, text, length + 1, BUNDLE_LOG, &output->failed);
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void output_incident(struct output *output, const char *kind, int cpu, int64_t amount_ns, const char *format, ...)
{
    char number[3][24], text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(number[0], sizeof number[0], "%" PRId64, clock_ns(CLOCK_MONOTONIC));
    snprintf(number[1], sizeof number[1], "%d", cpu);
    snprintf(number[2], sizeof number[2], "%" PRId64, amount_ns);
    output_row(output, output->incidents_fd,
               (const char *const[]){number[0], kind, cpu >= 0 ? number[1] : NULL, amount_ns ? number[2] : NULL, text}, 5);
    output_log(output, "%s", text);
}

/* Cobalt's CLOCK_MONOTONIC need not be Linux's, which the trace is in: asked past the library's wrapping. */
static bool linux_monotonic_ns(int64_t *ns)
{
#ifdef __COBALT__
    struct timespec now;
    if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) != 0)
        return false;
    *ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    return true;
#else
    (void)ns;
    return false;
#endif
}

void output_clocks(struct output *output)
{
    int64_t linux_ns = 0, before = clock_ns(CLOCK_MONOTONIC);
    int64_t realtime = clock_ns(CLOCK_REALTIME), boottime = clock_ns(CLOCK_BOOTTIME), raw = clock_ns(CLOCK_MONOTONIC_RAW);
    bool has_linux = linux_monotonic_ns(&linux_ns);
    int64_t after = clock_ns(CLOCK_MONOTONIC);
    char fields[6][24];
    snprintf(fields[0], sizeof fields[0], "%" PRId64, before + (after - before) / 2);
    snprintf(fields[1], sizeof fields[1], "%" PRId64, realtime);
    snprintf(fields[2], sizeof fields[2], "%" PRId64, boottime);
    snprintf(fields[3], sizeof fields[3], "%" PRId64, raw);
    snprintf(fields[4], sizeof fields[4], "%" PRId64, (after - before + 1) / 2);
    snprintf(fields[5], sizeof fields[5], "%" PRId64, linux_ns);
    output_row(output, output->clocks_fd,
               (const char *const[]){fields[0], fields[1], fields[2], fields[3], fields[4], has_linux ? fields[5] : NULL}, 6);
}

void output_samples_open(struct output *output, unsigned thread, const struct bundle_samples_header *header)
{
    struct output_samples *samples = &output->samples[thread];
    unsigned char bytes[BUNDLE_SAMPLES_HEADER_BYTES];
    snprintf(samples->name, sizeof samples->name, "samples-%u.wls", thread);
    samples->fd = append(output, samples->name);
    samples->n_counters = header->n_counters;
    samples->size = BUFFER_BYTES / bundle_sample_bytes(header->n_counters) * bundle_sample_bytes(header->n_counters);
    samples->buffer = memory_new(samples->size);
    bundle_samples_header_write(bytes, header);
    descriptor_write(samples->fd, bytes, sizeof bytes, samples->name, &output->failed);
}

static void flush_one(struct output *output, struct output_samples *samples)
{
    size_t record = bundle_sample_bytes(samples->n_counters);
    /* After a failed write the file may end in half a record: nothing may follow it. */
    if (samples->used && output->failed.kind == ERROR_NONE && descriptor_write(samples->fd, samples->buffer, samples->used, samples->name, &output->failed) == OK)
        samples->n_written += samples->used / record;
    samples->used = 0;
}

void output_sample(struct output *output, unsigned thread, const struct bundle_sample *sample)
{
    struct output_samples *samples = &output->samples[thread];
    if (samples->used == samples->size)
        flush_one(output, samples);
    bundle_sample_write(samples->buffer + samples->used, sample, samples->n_counters);
    samples->used += bundle_sample_bytes(samples->n_counters);
}

void output_flush(struct output *output)
{
    for (unsigned i = 0; i < output->n_samples_files; i++)
        if (output->samples[i].fd >= 0)
            flush_one(output, &output->samples[i]);
}

void output_sync(struct output *output)
{
    for (unsigned i = 0; i < output->n_samples_files; i++)
        if (output->samples[i].fd >= 0)
            fdatasync(output->samples[i].fd);
    fdatasync(output->outliers_fd);
    fdatasync(output->clocks_fd);
    fdatasync(output->incidents_fd);
    fdatasync(output->main_fd);
}

void output_close(struct output *output)
{
    output_flush(output);
    for (unsigned i = 0; i < output->n_samples_files && output->samples; i++) {
        free(output->samples[i].buffer);
        if (output->samples[i].fd >= 0)
            close(output->samples[i].fd);
    }
    free(output->samples);
    output->samples = NULL;
    const int fds[] = {output->main_fd,      output->threads_fd, output->outliers_fd,  output->clocks_fd,
                       output->incidents_fd, output->log_fd,     output->directory_fd, output->reserve_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}
