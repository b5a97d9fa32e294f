/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundle while it is written: descriptors of its files, appended row by row. */
#ifndef CAPTURE_OUTPUT_H
#define CAPTURE_OUTPUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bundle/samples.h"

struct output_samples {
    int fd;
    uint32_t n_counters;
    unsigned char *buffer; /* whole records that wait for the next write() */
    size_t used, size;
    uint64_t n_written;
    char name[32];
};

struct output {
    const char *directory;
    int directory_fd, main_fd, threads_fd, outliers_fd, clocks_fd, incidents_fd, log_fd;
    int reserve_fd; /* space that is given back when the disk is full; -1 */
    unsigned n_samples_files;
    struct output_samples *samples;
    struct error failed; /* the first write that did not succeed: the disk is full or gone */
};

/*
 * Makes the folder (which must not exist) and its tables with their column lines. It becomes the process's working
 * directory: all names are relative to it, so that a folder that is renamed goes on, and one that is removed is not
 * half made again.
 */
enum status output_open(struct output *output, const char *directory, unsigned n_threads, struct error *error);
/* A KEY, VALUE row of bundle.txt; format NULL: unknown. */
void output_value(struct output *output, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
void output_row(struct output *output, int fd, const char *const *fields, size_t n_fields);
void output_log(struct output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is all that was written still there and whole? If not, output->failed says why, and the reserve is given back. */
bool output_check(struct output *output);
/* What happened to the machine, as a row of incidents.txt and a line of log.txt; cpu -1, amount_ns 0: none. */
void output_incident(struct output *output, const char *kind, int cpu, int64_t amount_ns, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same instant in all clocks, as a row of clocks.txt. */
void output_clocks(struct output *output);

/* samples-T.wls of a thread; a record waits in memory until the next flush. Failures go to output->failed. */
void output_samples_open(struct output *output, unsigned thread, const struct bundle_samples_header *header);
void output_sample(struct output *output, unsigned thread, const struct bundle_sample *sample);
/* Hands all waiting records to the kernel (write); sync also to the disk. */
void output_flush(struct output *output);
void output_sync(struct output *output);
void output_close(struct output *output);

#endif
