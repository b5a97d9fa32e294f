/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the whole program: detection, import, run file, all analyses, document, text. */
#include "imported.h"

#include "report/document.h"
#include "report/text_view.h"

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
