/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file that a writer writes: chunks, then index and trailer. Private to store/.
 *
 * It has no name until it is complete (O_TMPFILE where the file system can), so that a killed program leaves nothing.
 * The first error is kept, and everything after it does nothing.
 */
#ifndef STORE_OUTPUT_H
#define STORE_OUTPUT_H

#include <stdbool.h>
#include <sys/uio.h>

#include "base/error.h"
#include "store/layout.h"

struct output {
    int fd;
    char *path;      /* of the finished file; NULL: none */
    char *temporary; /* its name until then; NULL: none */
    uint64_t offset;
    bool compress;   /* chunks that ask for it */
    struct error error;
    struct index_entry *index;
    size_t n_chunks, index_capacity;
};

/* path NULL: an unlinked temporary file in $TMPDIR. Later failures are kept in `error`, and told by output_finish(). */
enum status output_open(struct output *output, const char *path, struct error *error);
/*
 * Writes a chunk. header: type, begin, end, owner, cpu and n filled by the caller. pieces are its payload, one after
 * the other, without gaps. Returns its number in the index; superseded chunks can be taken out by output_drop().
 */
#define OUTPUT_PIECES 40
size_t output_chunk(struct output *output, struct chunk_header header, const struct iovec *pieces, size_t n_pieces);
void output_drop(struct output *output, size_t chunk);
/* Index, trailer, fsync and rename; -1 if anything failed. The descriptor stays the caller's. */
int output_finish(struct output *output, bool sync, struct error *error);
void output_release(struct output *output); /* closes and removes what is not finished */

#endif
