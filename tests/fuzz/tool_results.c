/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes through the importers, without the analyses: five times as many inputs as the target "import" in the same time.
 * FUZZ_FORMAT=NAME: only this importer, as by --input-format. The columns of CSV files are declared, so that its reader is reached too.
 */
#include "imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const settings[] = {"csv.time=1", "csv.signal=2", "csv.unit=us"};
    const struct import_options options = {.format = getenv("FUZZ_FORMAT"), .quiet = true, .no_hash = true, .n_threads = 1,
                                           .settings = settings, .n_settings = 3};
    char path[64];
    int fd = input_of_bytes(bytes, size, path);
    struct store *store = store_of_input(path, &options);
    if (store)
        store_close(store);
    close(fd);
    return 0;
}
