/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What trace.dat v6 and v7 have in common: the prefix, the options, the lists of event formats.
 *
 *     17 08 44 "tracing" "7\0"  endian(1)  long size(1)  page size(4)     then v6 or v7 go their own ways
 *
 * Odd: integers after the endian byte are in the target's byte order, without alignment; the long size is that of the
 * recorder's user space (32-bit user space on a 64-bit kernel happens), the page header's comes from header_page.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "importers/trace_dat.h"

struct cursor cursor_of(struct span span, bool big)
{
    static const unsigned char nothing[1];
    const unsigned char *begin = span.size ? span.bytes : nothing; /* a section that is not there has no address */
    return (struct cursor){.p = begin, .end = begin + span.size, .big = big};
}

static const unsigned char *take(struct cursor *cursor, uint64_t size)
{
    if (cursor->failed || (uint64_t)(cursor->end - cursor->p) < size) {
        cursor->failed = true;
        return NULL;
    }
    const unsigned char *at = cursor->p;
    cursor->p += size;
    return at;
}

uint16_t cursor_u16(struct cursor *cursor)
{
    const unsigned char *p = take(cursor, 2);
    return (uint16_t)(!p ? 0 : cursor->big ? read_be16(p) : read_le16(p));
}

uint32_t cursor_u32(struct cursor *cursor)
{
    const unsigned char *p = take(cursor, 4);
    return !p ? 0 : cursor->big ? read_be32(p) : read_le32(p);
}

uint64_t cursor_u64(struct cursor *cursor)
{
    const unsigned char *p = take(cursor, 8);
    return !p ? 0 : cursor->big ? read_be64(p) : read_le64(p);
}

/* A span that runs off the end is cut there, and the cursor has failed. */
struct span cursor_span(struct cursor *cursor, uint64_t size)
{
    uint64_t left = (uint64_t)(cursor->end - cursor->p);
    if (cursor->failed)
        return (struct span){cursor->end, 0};
    struct span span = {cursor->p, (size_t)(size < left ? size : left)};
    cursor->p += span.size;
    cursor->failed = size > left;
    return span;
}

const char *cursor_string(struct cursor *cursor)
{
    const unsigned char *nul = cursor->failed ? NULL : memchr(cursor->p, 0, (size_t)(cursor->end - cursor->p));
    if (!nul) {
        cursor->failed = true;
        return NULL;
    }
    const char *string = (const char *)cursor->p;
    cursor->p = nul + 1;
    return string;
}

static void add_format(struct trace_file *file, const char *system, struct span text)
{
    memory_reserve(file->formats, file->formats_capacity, file->n_formats + 1);
    file->formats[file->n_formats++] = (struct trace_format_text){system, text};
}

/* u32 count, then count times u64 size and text. */
void trace_read_ftrace_formats(struct trace_file *file, struct cursor *cursor)
{
    uint32_t n = cursor_u32(cursor);
    for (uint32_t i = 0; i < n && !cursor->failed; i++) {
        struct span text = cursor_span(cursor, cursor_u64(cursor));
        if (!cursor->failed)
            add_format(file, "ftrace", text);
    }
}

/* u32 systems; each: name, u32 count, then count times u64 size and text. */
void trace_read_event_formats(struct trace_file *file, struct cursor *cursor)
{
    uint32_t n_systems = cursor_u32(cursor);
    for (uint32_t s = 0; s < n_systems && !cursor->failed; s++) {
        const char *system = cursor_string(cursor);
        uint32_t n = cursor_u32(cursor);
        for (uint32_t i = 0; i < n && !cursor->failed; i++) {
            struct span text = cursor_span(cursor, cursor_u64(cursor));
            if (!cursor->failed)
                add_format(file, system, text);
        }
    }
}

struct trace_buffer *trace_file_add_buffer(struct trace_file *file, const char *name)
{
    if (file->n_buffers >= TRACE_MAX_BUFFERS)
        return NULL;
    memory_reserve(file->buffers, file->buffers_capacity, file->n_buffers + 1);
    struct trace_buffer *buffer = &file->buffers[file->n_buffers++];
    *buffer = (struct trace_buffer){.name = name, .page_size = file->page_size};
    return buffer;
}

struct trace_buffer *trace_file_find_buffer(struct trace_file *file, const char *name)
{
    for (size_t i = 0; i < file->n_buffers; i++)
        if (!strcmp(file->buffers[i].name, name))
            return &file->buffers[i];
    return NULL;
}

/* "overrun: 12" of a stats text, or COUNT_UNKNOWN. */
static uint64_t stat_value(const char *text, const char *key)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strlen(key);
        if (!strncmp(line, key, length) && line[length] == ':') {
            char *end;
            uint64_t value = strtoull(line + length + 1, &end, 10);
            return end == line + length + 1 ? COUNT_UNKNOWN : value;
        }
    }
    return COUNT_UNKNOWN;
}

struct trace_stats trace_stats_parse(struct span span)
{
    char text[1024];
    size_t size = span.size < sizeof text - 1 ? span.size : sizeof text - 1;
    memcpy(text, span.bytes, size);
    text[size] = 0;
    uint64_t cpu = stat_value(text, "CPU");
    return (struct trace_stats){
        .cpu = cpu < TRACE_MAX_CPUS ? (int32_t)cpu : CPU_UNKNOWN,
        .n_entries = stat_value(text, "entries"),
        .n_overrun = stat_value(text, "overrun"),
        .n_commit_overrun = stat_value(text, "commit overrun"),
        .n_dropped = stat_value(text, "dropped events"),
        .n_read = stat_value(text, "read events"),
    };
}

static void add_stats(struct trace_file *file, struct trace_buffer *buffer, struct span data)
{
    if (buffer->n_stats >= TRACE_MAX_CPUS)
        return;
    /* Grows by doubling inside the arena; the few old copies die with it. */
    if (!(buffer->n_stats & (buffer->n_stats - 1))) {
        struct trace_stats *grown = arena_array(&file->arena, buffer->n_stats ? buffer->n_stats * 2 : 1, sizeof *grown);
        if (buffer->n_stats)
            memcpy(grown, buffer->stats, buffer->n_stats * sizeof *grown);
        buffer->stats = grown;
    }
    buffer->stats[buffer->n_stats++] = trace_stats_parse(data);
}

static const char *text_of(struct trace_file *file, struct span data)
{
    size_t length = strnlen((const char *)data.bytes, data.size);
    while (length && (data.bytes[length - 1] == '\n' || data.bytes[length - 1] == ' '))
        length--;
    return arena_string_n(&file->arena, (const char *)data.bytes, length);
}

/* Trace id u64, flags u32, CPUs u32; per CPU: count u32, times u64[], offsets s64[], scalings u64[]. CPU 0's suffice. */
static void read_time_shift(struct trace_file *file, struct span data)
{
    struct cursor cursor = cursor_of(data, file->big);
    cursor_u64(&cursor);
    cursor_u32(&cursor);
    uint32_t n_cpus = cursor_u32(&cursor), n = cursor_u32(&cursor);
    struct span times = cursor_span(&cursor, (uint64_t)n * 8), offsets = cursor_span(&cursor, (uint64_t)n * 8);
    if (cursor.failed || !n_cpus || !n || file->n_time_shifts)
        return;
    file->time_shifts = arena_array(&file->arena, n, sizeof *file->time_shifts);
    file->n_time_shifts = n;
    struct cursor t = cursor_of(times, file->big), o = cursor_of(offsets, file->big);
    for (uint32_t i = 0; i < n; i++)
        file->time_shifts[i] = (struct trace_time_shift){(int64_t)cursor_u64(&t), (int64_t)cursor_u64(&o)};
}

/*
 * The options that both versions share by number. *stats_buffer names the buffer that CPUSTAT texts belong to: NULL
 * for the main one until a text "Buffer: NAME" comes by. Buffers may be declared later, so such a one is made here.
 */
void trace_option_apply(struct trace_file *file, struct import *import, unsigned id, struct span data,
                        const char **stats_buffer)
{
    struct cursor cursor = cursor_of(data, file->big);
    const char *text;
    switch (id) {
    case 1: /* DATE: microseconds to add */
    case 7: /* OFFSET: nanoseconds */
        text = text_of(file, data);
        uint64_t shift = (uint64_t)strtoll(text, NULL, 0) * (id == 1 ? 1000u : 1u);
        file->offset_ns = (int64_t)((uint64_t)file->offset_ns + shift);
        file->has_offset = true;
        file->has_date = file->has_date || id == 1;
        break;
    case 2: { /* CPUSTAT */
        text = text_of(file, data);
        const char *name = strstr(text, "Buffer: ");
        if (name) {
            *stats_buffer = arena_string_n(&file->arena, name + 8, strcspn(name + 8, "\n"));
        } else {
            const char *owner = *stats_buffer ? *stats_buffer : "";
            struct trace_buffer *buffer = trace_file_find_buffer(file, owner);
            if (!buffer)
                buffer = trace_file_add_buffer(file, owner);
            if (buffer)
                add_stats(file, buffer, data);
        }
        break;
    }
    case 4: file->trace_clock = text_of(file, data); break;
    case 5: file->uname = text_of(file, data); break;
    case 8:
        file->n_cpus = cursor_u32(&cursor);
        if (file->n_cpus > TRACE_MAX_CPUS) {
            TRACE_NOTE(import, "damaged-lines", 0, "the file states %" PRIu32 " CPUs", file->n_cpus);
            file->n_cpus = 0;
        }
        break;
    case 9: file->tool_version = text_of(file, data); break;
    case 12: read_time_shift(file, data); break;
    case 14:
        file->tsc_mult = cursor_u32(&cursor);
        file->tsc_shift = cursor_u32(&cursor);
        file->has_tsc = !cursor.failed && file->tsc_mult && file->tsc_shift < 64;
        break;
    default: /* PROCMAPS, TRACEID, GUEST, HOOK ... and what newer recorders add */
        break;
    }
}

void trace_cpu_clamp(struct trace_file *file, struct import *import, const struct trace_buffer *buffer,
                     struct trace_cpu *cpu)
{
    uint64_t room = cpu->offset < file->file.size ? file->file.size - cpu->offset : 0;
    if (cpu->size <= room)
        return;
    TRACE_NOTE(import, "file-truncated", cpu->offset,
               "buffer '%s', cpu %d: %" PRIu64 " bytes are announced at offset %" PRIu64 ", the file holds %" PRIu64,
               buffer->name, cpu->cpu, cpu->size, cpu->offset, room);
    cpu->size = room;
}

enum status trace_file_read(struct trace_file *file, struct import *import, struct span bytes, struct error *error)
{
    *file = (struct trace_file){.file = bytes};
    struct cursor cursor = cursor_of(bytes, false);
    struct span magic = cursor_span(&cursor, 10);
    const char *version = cursor_string(&cursor);
    if (magic.size < 10 || memcmp(magic.bytes, "\x17\x08\x44tracing", 10) || !version)
        return error_input(error, "not a trace.dat file: no 'tracing' mark at its beginning");
    file->version = atoi(version);
    struct span sizes = cursor_span(&cursor, 2);
    file->big = cursor.big = sizes.size == 2 && sizes.bytes[0] == 1;
    file->user_long = sizes.size == 2 ? sizes.bytes[1] : 0;
    file->page_size = cursor_u32(&cursor);
    if (cursor.failed)
        return error_input(error, "trace.dat is cut within its first %zu bytes", bytes.size);
    if (sizes.bytes[0] > 1 || (file->user_long != 4 && file->user_long != 8))
        return error_input(error, "trace.dat header is damaged: byte order %u, long size %u", sizes.bytes[0], file->user_long);
    if (file->page_size < 64 || file->page_size > (64u << 20))
        return error_input(error, "trace.dat header is damaged: page size %" PRIu32, file->page_size);
    if (file->version == 6)
        return trace_v6_read(file, import, &cursor, error);
    if (file->version == 7)
        return trace_v7_read(file, import, &cursor, error);
    return error_input(error, "trace.dat version '%.20s' is not supported (6 and 7 are)", version);
}

void trace_file_release(struct trace_file *file)
{
    arena_release(&file->arena);
    free(file->formats);
    free(file->buffers);
    *file = (struct trace_file){0};
}
