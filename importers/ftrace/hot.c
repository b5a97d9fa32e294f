/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop over raw bytes for traces in the default form, kept to what nearly every line is:
 *
 *     |   cyclictest-169     [001] dn.h4..    12.920331: sched_wakeup: comm=...
 *     0               16     ^ a direct-mapped memory of these first 23 bytes gives tid and name at once
 *
 * A line that is anything else ends the loop; the reader takes it the slow way and comes back.
 */
#include "base/bytes.h"
#include "importers/ftrace/hot.h"
#include "importers/ftrace/reader.h"

#define PREFIX_BYTES 23
#define MIN_LINE     48
#define ROUND_LINES  65536 /* then progress is shown and pages are let go */

/* Loads as on a little-endian machine: the first byte is the lowest. */
static inline uint64_t load64(const char *p)
{
    return read_le64(p);
}

/* The task in front: from the memory, else parsed and remembered. False: not in its columns. */
static inline bool take_task(struct ftrace_reader *reader, struct import *import, const char *p, int32_t *tid, uint32_t *flags)
{
    uint64_t h = (load64(p) ^ load64(p + 8) * 3 ^ load64(p + 15) * 7) * 0x9e3779b97f4a7c15u;
    struct prefix_slot *slot = &reader->prefixes[h >> 54 & (PREFIX_SLOTS - 1)];
    if (slot->flags != UINT32_MAX && memcmp(slot->bytes, p, PREFIX_BYTES) == 0) {
        *tid = slot->tid;
        *flags = slot->flags;
        return true;
    }
    const char *s = p + 17;
    uint64_t n;
    if (p[16] != '-' || !hot_digits(&s, p + PREFIX_BYTES, &n) || n > INT32_MAX || is_digit(p[PREFIX_BYTES]))
        return false;
    const char *comm = p;
    while (comm < p + 16 && *comm == ' ')
        comm++;
    size_t length = (size_t)(p + 16 - comm);
    if (length == 0 || *p != ' ') /* %16s of at most 15 bytes */
        return false;
    bool is_unknown = ftrace_comm_is_unknown(comm, length);
    if (!is_unknown)
        reader_name_task(reader, import, (int32_t)n, comm, length, false);
    memcpy(slot->bytes, p, PREFIX_BYTES);
    *tid = slot->tid = (int32_t)n;
    *flags = slot->flags = is_unknown ? FLAG_TASK_UNKNOWN : 0;
    return true;
}

/* "12.920331: " */
static inline bool take_stamp(const char **p, const char *end, int64_t *time_ns)
{
    const char *s = *p;
    uint64_t seconds;
    if (!hot_digits(&s, end, &seconds) || seconds > 9000000000 || end - s < 10 || *s != '.')
        return false;
    uint32_t us = 0;
    for (int i = 1; i <= 6; i++) {
        unsigned digit = (unsigned)(s[i] - '0');
        if (digit > 9)
            return false;
        us = us * 10 + digit;
    }
    if (s[7] != ':' || s[8] != ' ')
        return false;
    *time_ns = (int64_t)(seconds * 1000000000 + us * 1000ull);
    *p = s + 9;
    return true;
}

static inline bool take_flags(struct ftrace_reader *reader, const char **p, const char *end, uint32_t *flags)
{
    const char *s = *p;
    size_t length = 0;
    while (length < 9 && s + length < end && s[length] != ' ')
        length++;
    if (length < 4 || length > 8 || end - s < 8)
        return false;
    uint64_t key = load64(s) & UINT64_MAX >> (64 - 8 * length); /* as reader_flags() remembers it */
    size_t at = token_slot(key);
    *p = s + length;
    if (reader->tokens[at] == key) {
        *flags |= reader->token_flags[at];
        return true;
    }
    if (!ftrace_token_is_flags(s, length))
        return false;
    *flags |= reader_flags(reader, s, length);
    return true;
}

/* One line without its end of line. False: nothing was done. */
static bool take_line(struct ftrace_reader *reader, struct import *import, struct trace_buffer *buffer, const char *p, const char *end)
{
    struct hot_row row = {0};
    uint64_t cpu;
    if (end - p < MIN_LINE || p[16] != '-' || !take_task(reader, import, p, &row.tid, &row.flags))
        return false;
    p += PREFIX_BYTES - 1;
    while (*p == ' ')
        p++;
    if (end - p < 24)
        return false;
    if (*p == '(') { /* tgid */
        const char *close = memchr(p, ')', 12);
        if (!close)
            return false;
        p = close + 1;
        while (*p == ' ')
            p++;
    }
    if (*p++ != '[' || !hot_digits(&p, end, &cpu) || cpu >= FTRACE_CPUS_MAX || *p++ != ']')
        return false;
    while (p < end && *p == ' ')
        p++;
    if (p < end && is_digit(*p)) /* noirq-info, trace-cmd report */
        reader->known = 0;
    else if (!take_flags(reader, &p, end, &row.flags))
        return false;
    while (p < end && *p == ' ')
        p++;
    if (!take_stamp(&p, end, &row.time_ns))
        return false;
    while (p < end && *p == ' ')
        p++;
    while (end > p && end[-1] == ' ')
        end--;
    struct cpu_slot *slot = buffer_slot(buffer, (int32_t)cpu);
    if (slot->gap_is_open || row.time_ns < slot->last_ns || reader->first_ns == NS_UNKNOWN)
        return false;
    if (buffer->known != reader->known)
        buffer_set_known(buffer, reader->known);
    row.batch = event_sink_batch(buffer->sink, (int32_t)cpu);
    if (!hot_body_add(&row, p, end))
        return false;
    slot->last_ns = row.time_ns;
    buffer_watch_grid(buffer, row.time_ns);
    reader->n_rows++;
    reader->last.is_set = true;
    reader->last.is_print = false;
    reader->last.buffer = 0;
    reader->last.cpu = (int32_t)cpu;
    reader->last.tid = row.tid;
    reader->last.time_ns = row.time_ns;
    reader->last.flags = row.flags;
    return true;
}

uint64_t reader_hot_loop(struct ftrace_reader *reader, struct import *import, struct lines *lines)
{
    const char *begin, *end;
    if (reader->is_rebuilt || reader->scale.how != SCALE_NONE || reader->header.is_graph || reader->n_buffers == 0 ||
        reader->buffers[0].resolution_ns == 0 || !lines_raw(lines, &begin, &end))
        return 0;
    struct trace_buffer *buffer = &reader->buffers[0];
    const char *p = begin;
    uint64_t n = 0;
    while (n < ROUND_LINES) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol || !take_line(reader, import, buffer, p, eol))
            break;
        p = eol + 1;
        n++;
    }
    if (n)
        lines_raw_skip(lines, p, n);
    return n;
}
