/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Progress of long work, on one line of a terminal's stderr and nowhere else: "importing trace.dat  42 %". Shows
 * nothing before half a second has passed, then at most ten times a second; the line is erased at the end.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what;  /* a loan: must live until progress_end() */
    uint64_t total;    /* 0: unknown, the amount done is shown instead */
    int64_t next_ns;   /* CLOCK_MONOTONIC: nothing is shown before */
    bool is_on, is_shown;
};

/* total: in the unit of `done`, bytes mostly. quiet, or no terminal on stderr: nothing is ever shown. */
void progress_begin(struct progress *progress, const char *what, uint64_t total, bool quiet);
void progress_show(struct progress *progress, uint64_t done); /* cheap: may be called every few microseconds */
void progress_end(struct progress *progress);                 /* before anything else is printed */

#endif
