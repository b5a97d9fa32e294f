/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jitterdebugger's samples.raw: packed little-endian records without a header, 28 bytes from 64-bit machines
 * (u32 thread, s64 sec, s64 nsec, u64 value), 20 bytes from those with a 32-bit time_t. Not in order over threads; the
 * last samples before the end are not flushed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "importers/jitterdebugger.h"

struct record {
    uint32_t thread;
    int64_t time_ns;
    int64_t value;
};

static bool read_record(const unsigned char *p, size_t record_bytes, struct record *record)
{
    bool is_64 = record_bytes == 28;
    int64_t seconds = is_64 ? (int64_t)read_le64(p + 4) : (int32_t)read_le32(p + 4);
    int64_t ns = is_64 ? (int64_t)read_le64(p + 12) : (int32_t)read_le32(p + 8);
    uint64_t value = read_le64(p + (is_64 ? 20 : 12));
    record->thread = read_le32(p);
    if (record->thread >= JITTER_MAX_THREADS || seconds < 0 || seconds > 4000000000 || ns < 0 || ns >= 1000000000 ||
        value > UINT64_C(100000000000000))
        return false;
    record->time_ns = seconds * 1000000000 + ns;
    record->value = (int64_t)value;
    return true;
}

/* Which size all of the first records have; 0 for none. */
static size_t record_size(const unsigned char *bytes, size_t size)
{
    static const size_t sizes[] = {28, 20};
    for (size_t i = 0; i < 2; i++) {
        size_t n = size / sizes[i], good = 0;
        struct record record, last = {0};
        if (n > 200)
            n = 200;
        bool has_time = false;
        while (good < n && read_record(bytes + good * sizes[i], sizes[i], &record)) {
            has_time |= record.time_ns > last.time_ns;
            last = record;
            good++;
        }
        if (n >= 3 && good == n && has_time)
            return sizes[i];
    }
    return 0;
}

static struct probe_result raw_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    if (size < 60 || !record_size(bytes, size))
        return (struct probe_result){NOT_MINE, NULL};
    bool is_named = member->name && (strstr(member->name, "samples") || strstr(member->name, ".raw"));
    return (struct probe_result){is_named ? LIKELY : PLAUSIBLE, NULL};
}

static enum status raw_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    size_t record_bytes = record_size(bytes, size), n_bad = 0;
    if (!record_bytes)
        return error_input(error, "%s: no records of jitterdebugger", import->member->path);
    struct jitter_thread *threads = memory_new(JITTER_MAX_THREADS * sizeof *threads);
    int64_t unit_ns = jitterdebugger_unit(import, 0);
    for (size_t at = 0; at + record_bytes <= size; at += record_bytes) {
        struct record record;
        if (!read_record(bytes + at, record_bytes, &record)) {
            if (!n_bad++)
                import_note(import, "damaged-lines", at, "a record that cannot be one was left out");
            continue;
        }
        struct jitter_thread *thread = &threads[record.thread];
        if (!thread->is_open) {
            thread->is_open = true;
            thread->series = jitterdebugger_series(import, record.thread, unit_ns);
            if (thread->series == ROW_NONE)
                import_note(import, "duplicate", at, "the run's samples were read from another file already");
        }
        if (thread->series != ROW_NONE)
            jitterdebugger_sample(import, thread, record.time_ns, record.value * unit_ns);
        if (at % (record_bytes << 16) == 0)
            import_progress(import, at);
    }
    if (size % record_bytes)
        import_note(import, "file-truncated", size - size % record_bytes, "the last record is cut: %zu of %zu bytes", size % record_bytes,
                    record_bytes);
    for (size_t i = 0; i < JITTER_MAX_THREADS; i++)
        if (threads[i].is_open && threads[i].series != ROW_NONE)
            jitterdebugger_finish(import, &threads[i]);
    free(threads);
    return n_bad ? PARTIAL : OK;
}

const struct importer importer_jitter_raw = {
    .name = "jitterdebugger-raw",
    .summary = "jitterdebugger samples.raw",
    .reads = "records of 28 and 20 bytes; the unit comes from results.json beside it",
    .probe_bytes = raw_probe,
    .read_bytes = raw_read,
};

/* ---- HDF5 ---- */

static struct probe_result hdf5_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    if (size < 8 || memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) != 0)
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){CERTAIN, "HDF5 is not read; samples.raw beside it holds the same samples, and "
                                          "'jittersamples -f csv' prints them"};
}

static enum status hdf5_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    (void)bytes;
    (void)size;
    return error_input(error, "%s: HDF5 is not read", import->member->path);
}

const struct importer importer_hdf5 = {
    .name = "hdf5",
    .summary = "HDF5 (refused: samples.raw or csv instead)",
    .reads = "recognised only",
    .probe_bytes = hdf5_probe,
    .read_bytes = hdf5_read,
};
