/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the targets that import share: bytes become an input, an input a store. */
#ifndef TESTS_FUZZ_IMPORTED_H
#define TESTS_FUZZ_IMPORTED_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/importer.h"
#include "store/store.h"

/* The bytes as a file without a name; its path is good until the descriptor is closed. */
static inline int input_of_bytes(const uint8_t *bytes, size_t size, char path[64])
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    return fd;
}

/* NULL: refused. What we wrote ourselves must open. */
static inline struct store *store_of_input(const char *path, const struct import_options *options)
{
    struct error error = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    if (!writer)
        abort();
    store_writer_no_sync(writer);
    if (import_inputs(writer, &path, 1, options, &error) == FAILED) {
        store_writer_abandon(writer);
        return NULL;
    }
    int made = store_writer_finish_fd(writer, &error);
    struct store *store = made < 0 ? NULL : store_open_fd(made, "made", &error);
    if (!store)
        abort();
    return store;
}

#endif
