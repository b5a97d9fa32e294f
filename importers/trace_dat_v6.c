/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.dat version 6 (trace-cmd before 3.0, or --file-version 6): strictly in order, nothing compressed.
 *
 *     "header_page\0" u64 text   "header_event\0" u64 text   ftrace formats   event formats
 *     u32 kallsyms   u32 printk   u64 saved_cmdlines   u32 CPUs
 *     then tags of 10 bytes: "options  \0" rows "flyrecord\0" per CPU u64 offset, u64 size   or "latency  \0" text
 *
 * Odd: instances (-B) are an option (3: u64 offset, name) that points at a second flyrecord table.
 */
#include <inttypes.h>
#include <string.h>

#include "importers/trace_dat.h"

#define TAG_BYTES 10

/* Per CPU u64 offset and u64 size. */
static void read_cpu_table(struct trace_file *file, struct import *import, struct trace_buffer *buffer,
                           struct cursor *cursor)
{
    uint64_t room = (uint64_t)(cursor->end - cursor->p) / 16;
    size_t n = file->n_cpus < room ? file->n_cpus : (size_t)room;
    if (n < file->n_cpus)
        TRACE_NOTE(import, "file-truncated", file->file.size, "the table of CPUs of buffer '%s' is cut", buffer->name);
    buffer->cpus = arena_array(&file->arena, n ? n : 1, sizeof *buffer->cpus);
    for (size_t i = 0; i < n; i++) {
        struct trace_cpu cpu = {.cpu = (int32_t)i};
        cpu.offset = cursor_u64(cursor);
        cpu.size = cursor_u64(cursor);
        trace_cpu_clamp(file, import, buffer, &cpu);
        if (cpu.size)
            buffer->cpus[buffer->n_cpus++] = cpu;
    }
}

static void read_instance(struct trace_file *file, struct import *import, struct span option)
{
    struct cursor cursor = cursor_of(option, file->big);
    uint64_t offset = cursor_u64(&cursor);
    const char *name = cursor_string(&cursor);
    if (!name) /* old recorders leave out the NUL */
        name = arena_string_n(&file->arena, (const char *)option.bytes + 8, option.size > 8 ? option.size - 8 : 0);
    if (offset > file->file.size || file->file.size - offset < TAG_BYTES) {
        TRACE_NOTE(import, "file-truncated", offset, "buffer '%s' lies beyond the end of the file", name);
        return;
    }
    struct span rest = {file->file.bytes + offset, file->file.size - (size_t)offset};
    struct cursor table = cursor_of(rest, file->big);
    struct span tag = cursor_span(&table, TAG_BYTES);
    if (memcmp(tag.bytes, "flyrecord", TAG_BYTES)) {
        TRACE_NOTE(import, "damaged-lines", offset, "buffer '%s' has no table of CPUs", name);
        return;
    }
    struct trace_buffer *buffer = trace_file_find_buffer(file, name);
    if (!buffer)
        buffer = trace_file_add_buffer(file, name);
    if (buffer && !buffer->n_cpus)
        read_cpu_table(file, import, buffer, &table);
}

static void read_options(struct trace_file *file, struct import *import, struct cursor *cursor)
{
    const char *stats_buffer = NULL;
    while (!cursor->failed) {
        unsigned id = cursor_u16(cursor);
        if (!id)
            return;
        uint32_t size = cursor_u32(cursor);
        struct span data = cursor_span(cursor, size);
        if (cursor->failed)
            break;
        if (id == 3)
            read_instance(file, import, data);
        else
            trace_option_apply(file, import, id, data, &stats_buffer);
    }
    TRACE_NOTE(import, "file-truncated", file->file.size, "the options are cut");
}

static bool expect_string(struct cursor *cursor, const char *expected)
{
    const char *string = cursor_string(cursor);
    return string && !strcmp(string, expected);
}

enum status trace_v6_read(struct trace_file *file, struct import *import, struct cursor *cursor, struct error *error)
{
    if (!expect_string(cursor, "header_page"))
        return error_input(error, "trace.dat v6: no 'header_page' after the prefix");
    file->header_page = cursor_span(cursor, cursor_u64(cursor));
    if (!expect_string(cursor, "header_event"))
        return error_input(error, "trace.dat v6 is cut or damaged: no 'header_event'");
    file->header_event = cursor_span(cursor, cursor_u64(cursor));
    trace_read_ftrace_formats(file, cursor);
    trace_read_event_formats(file, cursor);
    file->kallsyms = cursor_span(cursor, cursor_u32(cursor));
    file->printk = cursor_span(cursor, cursor_u32(cursor));
    file->cmdlines = cursor_span(cursor, cursor_u64(cursor));
    file->n_cpus = cursor_u32(cursor);
    if (cursor->failed)
        return error_input(error, "trace.dat v6 is cut in its headers, before any event");
    if (file->n_cpus > TRACE_MAX_CPUS)
        return error_input(error, "trace.dat v6 is damaged: it states %" PRIu32 " CPUs", file->n_cpus);
    /* The main buffer comes first, whatever the options say about others. */
    trace_file_add_buffer(file, "");
    for (int i = 0; i < 3; i++) {
        struct span tag = cursor_span(cursor, TAG_BYTES);
        if (cursor->failed)
            break;
        if (!memcmp(tag.bytes, "options  ", TAG_BYTES)) {
            read_options(file, import, cursor);
        } else if (!memcmp(tag.bytes, "latency  ", TAG_BYTES)) {
            struct trace_buffer *buffer = &file->buffers[0];
            buffer->is_text = true;
            buffer->text = cursor_span(cursor, (uint64_t)(cursor->end - cursor->p));
            return OK;
        } else if (!memcmp(tag.bytes, "flyrecord", TAG_BYTES)) {
            read_cpu_table(file, import, &file->buffers[0], cursor);
            return OK;
        } else {
            return error_input(error, "trace.dat v6 is damaged: unknown section '%.9s'", (const char *)tag.bytes);
        }
    }
    TRACE_NOTE(import, "file-truncated", file->file.size, "the file ends before the table of its CPUs");
    return PARTIAL;
}
