/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the whole program: detection, import, run file, all analyses, document, text. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/importer.h"
#include "report/document.h"
#include "report/text_view.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void analyse(struct store *store, FILE *sink)
{
    struct error error = {0};
    struct analysis analysis = {0};
    struct analysis_options options = analysis_options_default;
    options.jobs = JOB_INFO | JOB_EXPLAIN | JOB_VALIDATE | JOB_COMPARE | JOB_CHECK;
    options.quiet = true;
    if (analysis_run(&analysis, store, &options, &error) != FAILED) {
        json_t *document = document_new("report", store, &analysis, &options);
        struct text_options text = {.timeline = true};
        json_write(document, sink);
        text_view_print(document, store, &analysis, &text, sink);
        json_decref(document);
    }
    analysis_release(&analysis);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *sink;
    if (!sink)
        sink = fopen("/dev/null", "w");
    int fd = memfd_create("input", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    const char *paths[] = {path};
    const struct import_options options = {.quiet = true, .n_threads = 1};
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
        analyse(store, sink);
        store_close(store);
    }
    close(fd);
    return 0;
}
