/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text as a trace: ftrace of all forms, then as an I-pipe dump. Only import: what is made of it must open. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/importer.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void import_as(const char *format, const char *path)
{
    const char *paths[] = {path};
    const struct import_options options = {.format = format, .quiet = true, .no_hash = true, .n_threads = 1};
    struct error error = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    if (!writer)
        abort();
    store_writer_no_sync(writer);
    if (import_inputs(writer, paths, 1, &options, &error) == FAILED) {
        store_writer_abandon(writer);
        return;
    }
    int made = store_writer_finish_fd(writer, &error);
    struct store *store = made < 0 ? NULL : store_open_fd(made, "made", &error);
    if (!store)
        abort();
    for (size_t i = 0; i < store->n_event_chunks; i++) {
        struct event_view view;
        char text[256];
        if (store_event_view(store, i, &view, &error) == FAILED)
            abort(); /* what we wrote ourselves must hold */
        for (size_t k = 0; k < view.n; k++)
            event_format(store, &view, k, text, sizeof text);
    }
    store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    import_as("ftrace", path);
    import_as("ipipe", path);
    close(fd);
    return 0;
}
