/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An unlinked temporary file that takes bytes from pipes and archives, to be mapped from there. */
#ifndef INPUT_SPOOL_H
#define INPUT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct spool {
    int fd;
    uint64_t size_bytes;
};

/* In $TMPDIR, else /tmp. name: what it is for, in errors. */
enum status spool_open(struct spool *spool, const char *name, struct error *error);
/* Moves on to a page boundary, where the next member begins. */
void spool_align(struct spool *spool);
enum status spool_write(struct spool *spool, const void *bytes, size_t size, const char *name, struct error *error);
/* A hole: size_bytes that read as zeros. */
void spool_skip(struct spool *spool, uint64_t size_bytes);
/* Makes the file as long as size_bytes says (holes at the end). */
enum status spool_finish(struct spool *spool, const char *name, struct error *error);
/* Reads fd to its end. A FIFO that nobody opens for writing within wait_ms ends it, empty. */
enum status spool_read_all(struct spool *spool, int fd, int wait_ms, uint64_t max_bytes, const char *name,
                           struct error *error);
void spool_close(struct spool *spool);

#endif
