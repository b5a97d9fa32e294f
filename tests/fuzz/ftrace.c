/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text as a trace: ftrace of all forms, then as an I-pipe dump. Only import: what is made of it must open. */
#include "imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void import_as(const char *format, const char *path)
{
    const struct import_options options = {.format = format, .quiet = true, .no_hash = true, .n_threads = 1};
    struct error error = {0};
    struct store *store = store_of_input(path, &options);
    if (!store)
        return;
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
    char path[64];
    int fd = input_of_bytes(bytes, size, path);
    import_as("ftrace", path);
    import_as("ipipe", path);
    close(fd);
    return 0;
}
