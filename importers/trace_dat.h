/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.dat inside: what the container readers (v6, v7, raw pages) find, and what the walk of the pages needs.
 *
 *     container (trace_dat_v6.c, trace_dat_v7.c) -> struct trace_file: spans of the mapped file, nothing decoded
 *     formats   (trace_dat_formats.c)            -> struct trace_formats: one decoder per event id, plain numbers
 *     walk      (trace_dat_page.h, _decode.c)    -> pages to records, many threads, each alone
 *     columns   (trace_dat_columns.c, _special.c) -> records to the packed columns of a chunk, on the same thread
 *     driver    (trace_dat_walk.c)               -> work items, order of the commits, gaps
 */
#ifndef IMPORTERS_TRACE_DAT_H
#define IMPORTERS_TRACE_DAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "importers/importer.h"

/* Bytes of the mapped file, or of an unpacked section in the file's arena. */
struct span {
    const unsigned char *bytes;
    size_t size;
};

/* A reader of a span that remembers having run off its end; then it returns zeros. */
struct cursor {
    const unsigned char *p, *end;
    bool big;    /* byte order */
    bool failed;
};
struct cursor cursor_of(struct span span, bool big);
uint16_t cursor_u16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
uint64_t cursor_u64(struct cursor *cursor);
struct span cursor_span(struct cursor *cursor, uint64_t size);
const char *cursor_string(struct cursor *cursor); /* terminated in place; NULL and failed without an end */

enum trace_compression { TRACE_PLAIN = 0, TRACE_ZSTD, TRACE_ZLIB, TRACE_COMPRESSION_UNKNOWN };

/* One CPU's pages: where they lie in the file. */
struct trace_cpu {
    int32_t cpu;
    uint64_t offset, size;
};

/* Loss counts of per_cpu/cpuN/stats (option CPUSTAT); COUNT_UNKNOWN where not stated. */
struct trace_stats {
    int32_t cpu;
    uint64_t n_entries, n_overrun, n_commit_overrun, n_dropped, n_read;
};

/* One ring buffer: the main one (name "") or an instance. */
struct trace_buffer {
    const char *name, *clock;
    uint32_t page_size;
    bool is_text;         /* latency tracers: ASCII instead of pages */
    struct span text;
    enum trace_compression compression; /* of its pages */
    size_t n_cpus;
    struct trace_cpu *cpus;
    size_t n_stats;
    struct trace_stats *stats;
};

struct trace_format_text {
    const char *system; /* "ftrace" for the kernel's own entries */
    struct span text;
};

/* Guest clocks (option TIME_SHIFT): host = guest + offset at these instants. */
struct trace_time_shift {
    int64_t time_ns, offset_ns;
};

#define TRACE_MAX_BUFFERS 4096
#define TRACE_MAX_CPUS    8192

struct trace_file {
    struct arena arena;
    struct span file;
    int version;
    bool big;
    unsigned user_long;     /* of the recorder's user space */
    uint32_t page_size;
    enum trace_compression compression;
    const char *compressor; /* its name as the file states it */

    struct span header_page, header_event, kallsyms, printk, cmdlines;
    size_t n_formats, formats_capacity;
    struct trace_format_text *formats;

    uint32_t n_cpus;        /* as the file states; 0: not stated */
    const char *uname, *tool_version, *trace_clock;
    bool has_offset, has_date, has_tsc;
    int64_t offset_ns;      /* OFFSET and DATE, added up */
    uint32_t tsc_mult, tsc_shift;
    size_t n_time_shifts;
    struct trace_time_shift *time_shifts;

    size_t n_buffers, buffers_capacity;
    struct trace_buffer *buffers;
    uint64_t unpacked_bytes;  /* of sections so far: a limit against bombs */
    uint32_t sections_read;   /* bits of section ids: each is read once */
    uint64_t end_of_metadata; /* v7: end of the last section seen, where recovery looks for pages */
};

/*
 * Fill *file from the mapped bytes. FAILED (with error) only when nothing can be read; what is missing is noted on
 * the import (which may be NULL in tests). The file's spans are loans from the bytes or from file->arena.
 */
enum status trace_file_read(struct trace_file *file, struct import *import, struct span bytes, struct error *error);
void trace_file_release(struct trace_file *file);

/* ---- between the container's files ---- */
enum status trace_v6_read(struct trace_file *file, struct import *import, struct cursor *cursor, struct error *error);
enum status trace_v7_read(struct trace_file *file, struct import *import, struct cursor *cursor, struct error *error);
void trace_option_apply(struct trace_file *file, struct import *import, unsigned id, struct span data,
                        const char **stats_buffer);
struct trace_buffer *trace_file_add_buffer(struct trace_file *file, const char *name);
struct trace_buffer *trace_file_find_buffer(struct trace_file *file, const char *name);
void trace_read_ftrace_formats(struct trace_file *file, struct cursor *cursor);
void trace_read_event_formats(struct trace_file *file, struct cursor *cursor);
/* Clamps a CPU's extent to the file and notes what is missing. */
void trace_cpu_clamp(struct trace_file *file, struct import *import, const struct trace_buffer *buffer,
                     struct trace_cpu *cpu);
/* v7 files cut before their table of CPUs: finds the pages by their shape. */
void trace_recover_buffers(struct trace_file *file, struct import *import);
/* Reads the lines of one per_cpu/cpuN/stats. */
struct trace_stats trace_stats_parse(struct span text);
#define TRACE_NOTE(import, code, at, ...)                                                                    \
    do {                                                                                                     \
        if (import)                                                                                          \
            import_note((import), (code), (at), __VA_ARGS__);                                                \
    } while (0)

/*
 * Unpacks one block. Returns the bytes made, or SIZE_MAX when the block is damaged or would not fit into capacity.
 */
size_t trace_unpack(enum trace_compression compression, void *to, size_t capacity, struct span from);

#endif
