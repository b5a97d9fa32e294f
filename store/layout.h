/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a run file, as docs/run-file.md says them. Private to store/.
 *
 *     file header | chunk | chunk | ... | index chunk | trailer          all at multiples of 64 bytes
 *     chunk: 64-byte header, payload, zeros up to the next multiple of 64
 */
#ifndef STORE_LAYOUT_H
#define STORE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Columns are mapped as they stand in the file, which is little-endian. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "store/ maps little-endian columns");

#define LAYOUT_ALIGN 64u
#define LAYOUT_MAJOR 1
#define LAYOUT_MINOR 0
#define FILE_MAGIC    "\x89WLRUN\r\n"
#define TRAILER_MAGIC "\x89WLEND\r\n"
#define CHUNK_MAGIC   0x4b434c57u /* "WLCK" */

struct file_header {
    char magic[8];
    uint16_t major, minor;
    uint32_t header_bytes; /* 64 */
    uint32_t alignment;    /* 64 */
    uint32_t flags;        /* 0 */
    uint8_t reserved[36];
    uint32_t crc;          /* of the bytes before */
};

enum chunk_type {
    CHUNK_STRINGS = 1,
    CHUNK_ROWS = 2,
    CHUNK_BINS = 3,
    CHUNK_CYCLES = 4,
    CHUNK_SAMPLES = 5,
    CHUNK_EVENTS = 6,
    CHUNK_INDEX = 7,
    CHUNK_TYPES
};
#define CHUNK_VERSION        1 /* of every type but events */
#define CHUNK_EVENTS_VERSION 2 /* what is written; 1 is read */
#define CHUNK_ZSTD    1u /* flags: the payload is one zstd frame; strings, rows, bins and cycles only */

struct chunk_header {
    uint32_t magic;
    uint16_t type, version;
    uint32_t flags;
    uint32_t payload_crc;  /* of the payload as stored, without the padding */
    uint64_t stored_bytes; /* of the payload in the file */
    uint64_t plain_bytes;  /* of the payload unpacked */
    int64_t begin, end;    /* events, samples: first and last time; rows: begin is the generation */
    uint32_t owner;        /* events: stream; samples, bins, cycles: series; rows: table; strings: first id */
    int32_t cpu;           /* events */
    uint32_t n;            /* rows, strings, events ... in it */
    uint32_t header_crc;   /* of the bytes before */
};

/* Front of an event chunk's payload. Version 1: the columns time, tid, flags, arg, kind, words follow. */
struct events_front {
    uint32_t flags_known;
    uint32_t n_words;
    uint32_t n_kinds, n_columns, n_flags, n_strings; /* version 2; 0 in version 1 */
    uint8_t reserved[40];
    /* struct cpu_state follows: 320 bytes */
};
#define EVENTS_FRONT_BYTES 384u

/*
 * Version 2, behind the state: n_kinds kind entries, n_columns column entries, the flags u32[n_flags], the string ids
 * u32[n_strings], then the columns; the last two and every column padded to 8 bytes. Columns: time, tid, flags, kind;
 * then for each kind one per argument, and for a list its lengths and its strings.
 */
struct kind_entry {
    uint16_t kind;
    uint8_t n_arguments; /* without a list */
    uint8_t has_list;
    uint32_t n;          /* events */
    uint32_t n_list;     /* strings of all its lists */
    uint16_t wide;       /* bit a: argument a has two words */
    uint16_t strings;    /* bit a: argument a is an index into the chunk's string ids */
};
/* Value i is base + number i, which is unsigned and width bytes wide; width 0: all are base. */
struct column_entry {
    uint64_t base;
    uint8_t width; /* 0, 1, 2, 4; 8 for a column of 64 bits */
    uint8_t reserved[7];
};
#define MAX_ARGUMENTS    16u
#define MAX_CHUNK_EVENTS 65536u     /* of version 2: what a reader makes room for */
#define MAX_CHUNK_WORDS  (1u << 22)

/* Front of a sample chunk's payload; the columns follow: latency, then time, cycle, counters where there are any. */
struct samples_front {
    uint32_t columns; /* SAMPLES_TIME ... */
    uint32_t n_counters;
    uint64_t first_cycle; /* without a cycle column: of the first sample, one more for each; UINT64_MAX unknown */
    uint8_t reserved[48];
};
#define SAMPLES_TIME  1u
#define SAMPLES_CYCLE 2u

/* Front of a rows chunk's payload. */
struct rows_front {
    uint32_t row_bytes;
    uint32_t n_rows;
    uint64_t reserved;
};

struct index_entry {
    uint64_t offset; /* of the chunk's header */
    struct chunk_header header;
};

struct trailer {
    char magic[8];
    uint64_t index_offset;
    uint64_t file_bytes; /* of the whole file */
    uint64_t n_chunks;   /* in the index */
    uint8_t reserved[28];
    uint32_t crc;
};

_Static_assert(sizeof(struct file_header) == 64 && sizeof(struct chunk_header) == 64 && sizeof(struct trailer) == 64 &&
                   sizeof(struct events_front) == 64 && sizeof(struct samples_front) == 64 &&
                   sizeof(struct kind_entry) == 16 && sizeof(struct column_entry) == 16 && sizeof(struct rows_front) == 16 && sizeof(struct index_entry) == 72,
               "the layout has no holes");

static inline uint64_t layout_align(uint64_t n)
{
    return (n + LAYOUT_ALIGN - 1) & ~(uint64_t)(LAYOUT_ALIGN - 1);
}

#endif
