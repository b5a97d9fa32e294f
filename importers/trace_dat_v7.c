/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.dat version 7 (trace-cmd 3.0 and later): a chain of OPTIONS sections that point at all others.
 *
 *     prefix  compressor\0 version\0  u64 offset of the first OPTIONS section
 *     section: u16 id, u16 flags (1: compressed), u32 description, u64 size on disk, payload
 *     OPTIONS: u16 id, u32 size, data ...; id 0 holds the u64 offset of the next OPTIONS section
 *
 * Odd: option ids 16 to 21 are the sections' ids too; the table of a buffer's CPUs is in its option (3), and the size
 * there counts bytes on disk. A chain may loop in a damaged file.
 */
#include <inttypes.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "importers/trace_dat.h"

#define SECTION_HEADER_BYTES 16
#define MAX_OPTION_SECTIONS  65536
#define MAX_UNPACKED_BYTES   ((uint64_t)1 << 30) /* of all sections; kallsyms of a whole distribution kernel is 12 MB */

size_t trace_unpack(enum trace_compression compression, void *to, size_t capacity, struct span from)
{
    if (compression == TRACE_ZSTD) {
        size_t made = ZSTD_decompress(to, capacity, from.bytes, from.size);
        return ZSTD_isError(made) ? SIZE_MAX : made;
    }
    if (compression == TRACE_ZLIB) {
        uLongf made = (uLongf)capacity;
        return uncompress(to, &made, from.bytes, (uLong)from.size) == Z_OK ? (size_t)made : SIZE_MAX;
    }
    if (compression == TRACE_PLAIN && from.size <= capacity) {
        memcpy(to, from.bytes, from.size);
        return from.size;
    }
    return SIZE_MAX;
}

/* u32 packed size, u32 unpacked size, bytes: into the arena. */
static struct span unpack_section(struct trace_file *file, struct import *import, struct span payload, uint64_t offset)
{
    struct cursor cursor = cursor_of(payload, file->big);
    uint32_t packed = cursor_u32(&cursor), unpacked = cursor_u32(&cursor);
    struct span from = cursor_span(&cursor, packed);
    file->unpacked_bytes += unpacked;
    if (cursor.failed || file->unpacked_bytes > MAX_UNPACKED_BYTES || unpacked / 4096 > (uint64_t)packed + 1) {
        TRACE_NOTE(import, "damaged-lines", offset, "a packed section at offset %" PRIu64 " is cut or damaged", offset);
        return (struct span){payload.bytes, 0};
    }
    unsigned char *to = arena_new(&file->arena, unpacked ? unpacked : 1);
    size_t made = trace_unpack(file->compression, to, unpacked, from);
    if (made == SIZE_MAX) {
        TRACE_NOTE(import, "damaged-lines", offset, "a section at offset %" PRIu64 " does not unpack with %s", offset,
                   file->compressor);
        return (struct span){payload.bytes, 0};
    }
    return (struct span){to, made};
}

/* The payload of the section at offset, unpacked; *id as the file states it. False: there is none. */
static bool read_section(struct trace_file *file, struct import *import, uint64_t offset, unsigned *id,
                         struct span *payload)
{
    if (offset > file->file.size || file->file.size - offset < SECTION_HEADER_BYTES)
        return false;
    struct span rest = {file->file.bytes + offset, file->file.size - (size_t)offset};
    struct cursor cursor = cursor_of(rest, file->big);
    *id = cursor_u16(&cursor);
    unsigned flags = cursor_u16(&cursor);
    cursor_u32(&cursor);
    uint64_t size = cursor_u64(&cursor);
    *payload = cursor_span(&cursor, size);
    if (cursor.failed)
        TRACE_NOTE(import, "file-truncated", offset, "the section at offset %" PRIu64 " runs beyond the end of the file", offset);
    uint64_t end = offset + SECTION_HEADER_BYTES + payload->size;
    if (end > file->end_of_metadata)
        file->end_of_metadata = end;
    if (flags & 1)
        *payload = unpack_section(file, import, *payload, offset);
    return true;
}

/* Option 3: u64 section, name, clock, u32 page size, u32 n, n times u32 cpu, u64 offset, u64 size. 22: the same of text. */
static void read_buffer(struct trace_file *file, struct import *import, struct span option, bool is_text)
{
    struct cursor cursor = cursor_of(option, file->big);
    uint64_t offset = cursor_u64(&cursor);
    const char *name = cursor_string(&cursor), *clock = cursor_string(&cursor);
    if (cursor.failed) {
        TRACE_NOTE(import, "damaged-lines", 0, "a buffer's description is cut");
        return;
    }
    struct trace_buffer *buffer = trace_file_find_buffer(file, name);
    if (!buffer)
        buffer = trace_file_add_buffer(file, name);
    if (!buffer || buffer->n_cpus || buffer->text.size)
        return;
    buffer->clock = *clock ? clock : NULL;
    if (is_text) {
        unsigned id;
        buffer->is_text = true;
        if (!read_section(file, import, offset, &id, &buffer->text))
            TRACE_NOTE(import, "file-truncated", offset, "the text of buffer '%s' is missing", name);
        return;
    }
    buffer->page_size = cursor_u32(&cursor);
    uint32_t n = cursor_u32(&cursor);
    uint64_t room = (uint64_t)(cursor.end - cursor.p) / 20;
    if (n > room)
        TRACE_NOTE(import, "damaged-lines", 0, "the table of CPUs of buffer '%s' is cut", name);
    n = n > room ? (uint32_t)room : n;
    if (buffer->page_size < 64 || buffer->page_size > (64u << 20)) {
        TRACE_NOTE(import, "damaged-lines", 0, "buffer '%s' states pages of %" PRIu32 " bytes", name, buffer->page_size);
        buffer->page_size = file->page_size; /* what is recovered of it walks by the header's */
        return;
    }
    buffer->compression = file->compression;
    buffer->cpus = arena_array(&file->arena, n ? n : 1, sizeof *buffer->cpus);
    for (uint32_t i = 0; i < n; i++) {
        struct trace_cpu cpu;
        uint32_t number = cursor_u32(&cursor);
        cpu.cpu = (int32_t)number;
        cpu.offset = cursor_u64(&cursor);
        cpu.size = cursor_u64(&cursor);
        if (number >= TRACE_MAX_CPUS) {
            TRACE_NOTE(import, "damaged-lines", 0, "buffer '%s' states a cpu %" PRIu32, name, number);
            continue;
        }
        /* The size that trace-cmd 3.1 states for packed pages leaves out the u32 count of chunks in front of them. */
        if (cpu.size && file->compression != TRACE_PLAIN && cpu.size < UINT64_MAX - 4)
            cpu.size += 4;
        trace_cpu_clamp(file, import, buffer, &cpu);
        if (cpu.size)
            buffer->cpus[buffer->n_cpus++] = cpu;
    }
}

/* Options 16 to 21: u64 offset of the section of that id. */
static void read_pointed_section(struct trace_file *file, struct import *import, unsigned option, struct span data)
{
    struct cursor at = cursor_of(data, file->big);
    uint64_t offset = cursor_u64(&at);
    unsigned id;
    struct span payload;
    if (file->sections_read & 1u << option)
        return;
    file->sections_read |= 1u << option;
    if (at.failed || !read_section(file, import, offset, &id, &payload)) {
        TRACE_NOTE(import, "file-truncated", offset, "section %u lies beyond the end of the file", option);
        return;
    }
    if (id != option) {
        TRACE_NOTE(import, "damaged-lines", offset, "at offset %" PRIu64 " is section %u, expected %u", offset, id, option);
        return;
    }
    struct cursor cursor = cursor_of(payload, file->big);
    switch (option) {
    case 16:
        cursor_string(&cursor);
        file->header_page = cursor_span(&cursor, cursor_u64(&cursor));
        cursor_string(&cursor);
        file->header_event = cursor_span(&cursor, cursor_u64(&cursor));
        break;
    case 17: trace_read_ftrace_formats(file, &cursor); break;
    case 18: trace_read_event_formats(file, &cursor); break;
    case 19: file->kallsyms = cursor_span(&cursor, cursor_u32(&cursor)); break;
    case 20: file->printk = cursor_span(&cursor, cursor_u32(&cursor)); break;
    case 21: file->cmdlines = cursor_span(&cursor, cursor_u64(&cursor)); break;
    default: break;
    }
    if (cursor.failed)
        TRACE_NOTE(import, "file-truncated", offset, "section %u at offset %" PRIu64 " is cut", option, offset);
}

/* One OPTIONS section. Returns the offset of the next, 0 at the end of the chain. */
static uint64_t read_options(struct trace_file *file, struct import *import, struct span payload,
                             const char **stats_buffer)
{
    struct cursor cursor = cursor_of(payload, file->big);
    while (!cursor.failed) {
        unsigned id = cursor_u16(&cursor);
        struct span data = cursor_span(&cursor, cursor_u32(&cursor));
        if (cursor.failed)
            break;
        if (id == 0) {
            struct cursor next = cursor_of(data, file->big);
            return cursor_u64(&next);
        }
        if (id == 3 || id == 22)
            read_buffer(file, import, data, id == 22);
        else if (id >= 16 && id <= 21)
            read_pointed_section(file, import, id, data);
        else
            trace_option_apply(file, import, id, data, stats_buffer);
    }
    TRACE_NOTE(import, "file-truncated", 0, "a section of options is cut");
    return 0;
}

static void follow_options(struct trace_file *file, struct import *import, uint64_t offset)
{
    const char *stats_buffer = NULL;
    uint64_t total_bytes = 0;
    for (unsigned n = 0; offset; n++) {
        unsigned id;
        struct span payload;
        if (n == MAX_OPTION_SECTIONS || total_bytes > 2 * (uint64_t)file->file.size + (1 << 20)) {
            TRACE_NOTE(import, "damaged-lines", offset, "the chain of options does not end");
            return;
        }
        if (!read_section(file, import, offset, &id, &payload)) {
            TRACE_NOTE(import, "file-truncated", offset,
                       "the options at offset %" PRIu64 " lie beyond the end of the file", offset);
            return;
        }
        if (id != 0) {
            TRACE_NOTE(import, "damaged-lines", offset, "at offset %" PRIu64 " is section %u, expected options", offset, id);
            return;
        }
        total_bytes += payload.size + SECTION_HEADER_BYTES;
        offset = read_options(file, import, payload, &stats_buffer);
    }
}

static enum trace_compression compression_of(const char *name)
{
    if (!strcmp(name, "zstd"))
        return TRACE_ZSTD;
    if (!strcmp(name, "zlib"))
        return TRACE_ZLIB;
    return !*name || !strcmp(name, "none") ? TRACE_PLAIN : TRACE_COMPRESSION_UNKNOWN;
}

enum status trace_v7_read(struct trace_file *file, struct import *import, struct cursor *cursor, struct error *error)
{
    file->compressor = cursor_string(cursor);
    cursor_string(cursor); /* its version */
    uint64_t offset = cursor_u64(cursor);
    if (cursor->failed)
        return error_input(error, "trace.dat v7 is cut in its prefix");
    file->compression = compression_of(file->compressor);
    if (file->compression == TRACE_COMPRESSION_UNKNOWN)
        return error_input(error, "trace.dat is packed with '%.40s', which is not supported (zstd and zlib are)", file->compressor);
    if (!offset)
        TRACE_NOTE(import, "file-truncated", 0, "the recorder did not finish the file: it has no options");
    follow_options(file, import, offset);
    bool has_data = false;
    for (size_t i = 0; i < file->n_buffers; i++)
        has_data = has_data || file->buffers[i].cpus || file->buffers[i].text.size;
    if (!has_data)
        trace_recover_buffers(file, import);
    if (!file->n_formats)
        return error_input(error, "trace.dat v7 is cut or damaged: no event formats in its %zu bytes", file->file.size);
    return OK;
}
