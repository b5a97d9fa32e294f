/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes through the importers, without the analyses: five times as many inputs as the target "import" in the same time.
 * FUZZ_FORMAT=NAME: only this importer, as by --input-format. The columns of CSV files are declared, so that its reader is reached too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/importer.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    const char *paths[] = {path};
    static const char *const settings[] = {"csv.time=1", "csv.signal=2", "csv.unit=us"};
    const struct import_options options = {.format = getenv("FUZZ_FORMAT"), .quiet = true, .no_hash = true, .n_threads = 1, .settings = settings, .n_settings = 3};
    struct error error = {0};
    struct store_writer *writer = store_writer_new(NULL, &error);
    if (!writer)
        abort();
    store_writer_no_sync(writer);
    if (import_inputs(writer, paths, 1, &options, &error) == FAILED) {
        store_writer_abandon(writer);
    } else {
        int made = store_writer_finish_fd(writer, &error);
        struct store *store = made < 0 ? NULL : store_open_fd(made, "made", &error);
        if (!store)
            abort(); /* what we wrote ourselves must open */
        store_close(store);
    }
    close(fd);
    return 0;
}
