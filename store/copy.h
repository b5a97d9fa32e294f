/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies an opened run file, or a part of it, into a writer: run files among the inputs, `merge`, `cut`. */
#ifndef STORE_COPY_H
#define STORE_COPY_H

#include "store/store.h"
#include "store/writer.h"

struct store_copy_options {
    uint32_t run;   /* only this run of the source; ROW_NONE: all */
    uint32_t group; /* of the copied runs; ROW_NONE: as in the source */
    /*
     * Only events, samples and claims with a time from begin_ns to end_ns inclusive; rows without a time stay, samples
     * without one go. What is left out of a trace becomes gaps ("cut"). The CPUs' states at begin_ns are carried over.
     */
    bool has_span;
    int64_t begin_ns, end_ns;
    bool no_samples, no_events; /* leave them out altogether */
};
extern const struct store_copy_options store_copy_all;

/* first_run (may be NULL): the index in the writer of the first run copied. FAILED: a chunk of the source is damaged. */
enum status store_copy(struct store_writer *writer, const struct store *from, const struct store_copy_options *options,
                       uint32_t *first_run, struct error *error);

#endif
