/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which samples are outliers, and what is saved of them: the kernel's trace, the I-pipe tracer's frozen path,
 * /proc/xenomai, and a row of outliers.txt. Of the traces the worst N stay on disk (--keep); the mildest goes first.
 */
#ifndef CAPTURE_OUTLIERS_H
#define CAPTURE_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/measure.h"
#include "capture/output.h"
#include "capture/trace.h"

/* Most windows that --threshold worst can keep. */
#define OUTLIERS_MAX_WORST 1000

struct kept_outlier {
    unsigned number;
    int64_t latency_ns;
    bool has_trace, has_ipipe; /* what of it is on disk */
};

struct outliers {
    const struct capture_options *options;
    struct output *output;
    struct trace *trace;
    int64_t begin_ns;         /* of the measurement */
    int64_t max_ns;           /* of all samples but those that a save delayed */
    int64_t save_begin_ns, save_end_ns; /* of the last save: saving disturbs, what it delays is our own doing */
    unsigned n;               /* rows of outliers.txt */
    size_t n_kept;
    struct kept_outlier *kept;
    /*
     * While fewer than N windows are kept, "among the N worst" is true of every sample. So that the first N are no
     * typical ones, a sample must then exceed the N-th largest of the calmest second so far.
     */
    int64_t floor_ns, second_begin_ns;
    size_t n_second;
    int64_t *second; /* the largest latencies of this second, ascending */
    /* The worst outlier of this round of draining. */
    const struct measure_thread *worst_thread;
    struct bundle_sample worst;
    bool worst_is_own_doing;
};

void outliers_begin(struct outliers *outliers, const struct capture_options *options, struct output *output,
                    struct trace *trace, int64_t begin_ns);
/* Looks at a drained sample. */
void outliers_look(struct outliers *outliers, const struct measure_thread *thread, const struct bundle_sample *sample);
/* Freezes and saves what the kernel saw around the worst sample since the last call, if one was an outlier. */
void outliers_save(struct outliers *outliers);
void outliers_release(struct outliers *outliers);

#endif
