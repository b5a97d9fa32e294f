/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.dat without the rest of the program: container, formats, pages. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "importers/trace_dat_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct trace_batch *take_batch(void *context)
{
    struct trace_batch **batch = context;
    return *batch;
}

static void walk(const struct trace_file *file, const struct trace_formats *formats)
{
    struct trace_batch *batch = trace_batch_new();
    struct trace_worker *worker = trace_worker_new(formats, file);
    struct trace_result result = {.last_ns = INT64_MIN};
    uint64_t budget = 1 << 20;
    worker->take_batch = take_batch;
    worker->take_context = &batch;
    worker->text_budget = &budget;
    worker->result = &result;
    for (size_t b = 0; b < file->n_buffers; b++)
        for (size_t c = 0; c < file->buffers[b].n_cpus; c++) {
            const struct trace_cpu *cpu = &file->buffers[b].cpus[c];
            struct span span = {file->file.bytes + cpu->offset, (size_t)cpu->size};
            if (file->buffers[b].compression == TRACE_PLAIN)
                trace_worker_pages(worker, span.bytes, span.size, file->buffers[b].page_size, cpu->offset);
            else if (span.size > 4)
                trace_worker_chunks(worker, (struct span){span.bytes + 4, span.size - 4}, 4, file->buffers[b].page_size,
                                    file->buffers[b].compression, cpu->offset);
            trace_worker_finish(worker);
        }
    trace_result_release(&result);
    trace_worker_free(worker);
    trace_batch_free(batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trace_file file = {0};
    struct error error = {0};
    struct trace_formats *formats = calloc(1, sizeof *formats);
    if (trace_file_read(&file, NULL, (struct span){bytes, size}, &error) != FAILED) {
        trace_formats_build(formats, &file, NULL);
        walk(&file, formats);
    }
    trace_formats_release(formats);
    free(formats);
    trace_file_release(&file);
    return 0;
}
