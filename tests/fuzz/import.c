/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the whole program: detection, import, run file, all analyses, document, text. */
#include "analysed.h"
#include "imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *sink;
    if (!sink)
        sink = fopen("/dev/null", "w");
    char path[64];
    int fd = input_of_bytes(bytes, size, path);
    const struct import_options options = {.quiet = true, .n_threads = 1};
    struct store *store = store_of_input(path, &options);
    if (store) {
        analyse(store, sink);
        store_close(store);
    }
    close(fd);
    return 0;
}
