/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's trace, in tracefs instances of our own: two of them, so that one records while the other, stopped at an
 * outlier, is saved. Their names tell whose they are (whylate-PID-N), so that a killed agent's can be removed. Where
 * tracefs is not mounted, it is for this process alone.
 */
#ifndef CAPTURE_TRACE_H
#define CAPTURE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "capture/options.h"

#define TRACE_PATH_BYTES 512

struct trace_instance {
    char path[TRACE_PATH_BYTES]; /* of the instance's folder; "" when not made */
    int on_fd, marker_fd;        /* tracing_on, trace_marker */
};

struct trace {
    const struct capture_options *options;
    char tracefs[TRACE_PATH_BYTES / 2];
    struct trace_instance instances[2];
    struct text head;            /* of every trace.dat: capture/trace_dat.h */
    int active;                  /* which records now */
    unsigned n_events_missing;   /* events of the level that this kernel has not */
    char why_not[256];           /* "" or why no trace is recorded */
};

/* Sets both instances up and starts the first. Without rights or tracefs: OK, and why_not says it. */
enum status trace_open(struct trace *trace, const struct capture_options *options, struct error *error);
bool trace_is_on(const struct trace *trace);
/* Writes a line into the trace that records. */
void trace_mark(struct trace *trace, const char *text);
/* Stops the recording instance and starts the other; returns the stopped one. Quick: two writes. */
struct trace_instance *trace_switch(struct trace *trace);
/* Saves a stopped instance as a trace.dat (version 6) and empties it for its next turn. */
enum status trace_save(struct trace *trace, struct trace_instance *instance, const char *path, struct error *error);
/* Removes what was made. */
void trace_close(struct trace *trace);

/* Removes instances that a dead agent left; returns how many. */
unsigned trace_restore(void);

#endif
