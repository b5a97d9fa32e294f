/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A v7 file cut short (recorder killed, disk full) has its headers and formats in front and lacks the option with the
 * table of CPUs, which is written last. The pages are there, from the first page boundary behind the section that
 * announces them: packed runs tell their own lengths, plain pages are told by their shape. CPUs come in rising order.
 */
#include <inttypes.h>

#include "base/bytes.h"
#include "importers/trace_dat.h"

static uint64_t align_up(uint64_t offset, uint64_t to)
{
    return (offset + to - 1) / to * to;
}

static uint32_t load32(const struct trace_file *file, uint64_t offset)
{
    const unsigned char *p = file->file.bytes + offset;
    return file->big ? read_be32(p) : read_le32(p);
}

static uint64_t load64(const struct trace_file *file, uint64_t offset)
{
    const unsigned char *p = file->file.bytes + offset;
    return file->big ? read_be64(p) : read_le64(p);
}

/* u32 chunks, each u32 packed, u32 unpacked, bytes: where the run ends; 0 when there is none. */
static uint64_t packed_run_end(const struct trace_file *file, uint64_t offset)
{
    uint64_t size = file->file.size;
    if (size < 4 || offset > size - 4)
        return 0;
    uint32_t n = load32(file, offset);
    if (!n || n > size / 8)
        return 0;
    uint64_t at = offset + 4;
    for (uint32_t i = 0; i < n; i++) {
        if (at > size || size - at < 8)
            return size;
        uint32_t packed = load32(file, at), unpacked = load32(file, at + 4);
        if (!packed || !unpacked || unpacked > (64u << 20))
            return i ? at : 0;
        at += 8 + (uint64_t)packed;
    }
    return at < size ? at : size;
}

/* A page's used bytes fit into it, and its time is not before the one before it. */
static uint64_t plain_run_end(const struct trace_file *file, uint64_t offset)
{
    uint64_t last_time = 0;
    for (; offset + 16 < file->file.size; offset += file->page_size) {
        uint64_t time = load64(file, offset);
        uint32_t used = load32(file, offset + 8 + (file->big && file->user_long == 8 ? 4 : 0)) & 0x7ffffff;
        if (!time || time < last_time || used > file->page_size - 12)
            break;
        last_time = time;
    }
    return offset < file->file.size ? offset : file->file.size;
}

void trace_recover_buffers(struct trace_file *file, struct import *import)
{
    struct trace_buffer *buffer = trace_file_find_buffer(file, "");
    if (!buffer)
        buffer = trace_file_add_buffer(file, "");
    uint64_t offset = align_up(file->end_of_metadata + 16, file->page_size);
    if (!buffer || !file->end_of_metadata || offset >= file->file.size)
        return;
    uint32_t max_cpus = file->n_cpus ? file->n_cpus : TRACE_MAX_CPUS;
    buffer->compression = file->compression;
    buffer->cpus = arena_array(&file->arena, max_cpus, sizeof *buffer->cpus);
    while (buffer->n_cpus < max_cpus && offset < file->file.size) {
        uint64_t end = file->compression == TRACE_PLAIN ? plain_run_end(file, offset) : packed_run_end(file, offset);
        if (end <= offset)
            break;
        buffer->cpus[buffer->n_cpus] = (struct trace_cpu){(int32_t)buffer->n_cpus, offset, end - offset};
        buffer->n_cpus++;
        offset = file->compression == TRACE_PLAIN ? end : align_up(end, file->page_size);
    }
    TRACE_NOTE(import, "file-truncated", file->file.size,
               "the file ends before the table of its CPUs; pages of %zu were found by their shape and numbered in order",
               buffer->n_cpus);
}
