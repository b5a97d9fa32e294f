/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One page of the kernel's ring buffer (kernel/trace/ring_buffer.c; the layout is the kernel's user interface):
 *
 *     u64 time   long commit   data ...        commit: bits 0-26 bytes used, 30 a count of lost events is stored
 *                                              behind the data, 31 events were lost in front of this page
 *     entry: u32 with 5 bits type_len and 27 bits delta, then
 *       1..28  payload of type_len * 4 bytes          0   next u32: length with itself, then the payload
 *       29     padding: delta 0 ends the page, else next u32: bytes to skip, and the delta counts
 *       30     time extend: the next u32 are the delta's high bits         31  absolute time, 59 bits
 *
 * A page starts with its own absolute time, so pages are walked independently of each other.
 */
#ifndef IMPORTERS_TRACE_DAT_PAGE_H
#define IMPORTERS_TRACE_DAT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct page_layout {
    bool big;
    unsigned commit_size; /* 4 or 8 */
    uint32_t data_offset; /* 12 or 16 */
};

struct page_cursor {
    const unsigned char *p, *end; /* of the data */
    uint64_t time;                /* of the entry just read */
    bool has_lost;                /* events were lost in front of this page */
    uint64_t n_lost;              /* UINT64_MAX: how many is not stored */
    bool is_damaged;
};

struct page_record {
    const unsigned char *bytes;
    uint32_t size;
};

static inline uint16_t page_load16(const unsigned char *p, bool big)
{
    return big ? read_be16(p) : read_le16(p);
}
static inline uint32_t page_load32(const unsigned char *p, bool big)
{
    return big ? read_be32(p) : read_le32(p);
}
static inline uint64_t page_load64(const unsigned char *p, bool big)
{
    return big ? read_be64(p) : read_le64(p);
}

/* False: not even a page header. */
static inline bool page_begin(struct page_cursor *cursor, const struct page_layout *layout, const unsigned char *page,
                              size_t size)
{
    if (size < layout->data_offset)
        return false;
    uint64_t commit = layout->commit_size == 8 ? page_load64(page + 8, layout->big) : page_load32(page + 8, layout->big);
    size_t used = commit & 0x7ffffff, room = size - layout->data_offset;
    *cursor = (struct page_cursor){.p = page + layout->data_offset, .time = page_load64(page, layout->big)};
    cursor->has_lost = commit >> 31 & 1;
    cursor->n_lost = UINT64_MAX;
    if (used > room) {
        cursor->is_damaged = true;
        used = room;
    }
    cursor->end = cursor->p + used;
    if (cursor->has_lost && commit >> 30 & 1 && room - used >= layout->commit_size)
        cursor->n_lost = layout->commit_size == 8 ? page_load64(cursor->end, layout->big) : page_load32(cursor->end, layout->big);
    return true;
}

/*
 * The next record; false at the end of the page or where it is damaged (cursor->is_damaged). big is a constant in
 * every caller, so that the compiler makes one loop for each byte order.
 */
static inline __attribute__((always_inline)) bool page_next(struct page_cursor *cursor, const bool big,
                                                            struct page_record *record)
{
    while (cursor->end - cursor->p >= 4) {
        uint32_t head = page_load32(cursor->p, big);
        unsigned type = big ? head >> 27 : head & 31;
        uint64_t delta = big ? head & 0x7ffffff : head >> 5;
        size_t room = (size_t)(cursor->end - cursor->p) - 4;
        if (__builtin_expect(type - 1 < 28, 1)) {
            record->bytes = cursor->p + 4;
            record->size = type * 4;
            if (record->size > room)
                goto damaged;
            cursor->p = record->bytes + record->size;
            cursor->time += delta;
            return true;
        }
        if (type == 29 && delta == 0)
            return false;
        if (room < 4)
            goto damaged;
        uint32_t word = page_load32(cursor->p + 4, big);
        if (type == 0) {
            if (word < 8 || word > room) /* no record is shorter than its id */
                goto damaged;
            record->bytes = cursor->p + 8;
            record->size = word - 4;
            size_t whole = ((size_t)word + 3) & ~(size_t)3;
            cursor->p += 4 + (whole < room ? whole : room);
            cursor->time += delta;
            return true;
        }
        if (type == 29) { /* a discarded event */
            if (word > room || word < 4)
                goto damaged;
            cursor->p += 4 + (size_t)word;
            cursor->time += delta;
        } else if (type == 30) {
            cursor->time += (uint64_t)word << 27 | delta;
            cursor->p += 8;
        } else { /* 59 bits; the upper five are those of the running time */
            const uint64_t low = (UINT64_C(1) << 59) - 1;
            uint64_t time = (cursor->time & ~low) | ((uint64_t)word << 27 | delta);
            cursor->time = time < cursor->time && (cursor->time & ~low) ? time + low + 1 : time;
            cursor->p += 8;
        }
    }
    return false;
damaged:
    cursor->is_damaged = true;
    return false;
}

#endif
