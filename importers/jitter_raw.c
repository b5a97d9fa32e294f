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

bool jitter_read_record(const unsigned char *p, size_t record_bytes, struct jitter_record *record)
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
        struct jitter_record record, last = {0};
        if (n > 200)
            n = 200;
        bool has_time = false;
        while (good < n && jitter_read_record(bytes + good * sizes[i], sizes[i], &record)) {
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

void jitter_reader_init(struct jitter_reader *reader, struct import *import)
{
    *reader = (struct jitter_reader){.import = import, .unit_ns = jitterdebugger_unit(import, 0)};
    reader->threads = memory_new(JITTER_MAX_THREADS * sizeof *reader->threads);
}

void jitter_reader_add(struct jitter_reader *reader, const unsigned char *bytes, size_t record_bytes, size_t offset)
{
    struct jitter_record record;
    if (!jitter_read_record(bytes, record_bytes, &record)) {
        if (!reader->n_bad++)
            import_note(reader->import, "damaged-lines", offset, "a record that cannot be one was left out");
        return;
    }
    struct jitter_thread *thread = &reader->threads[record.thread];
    if (!thread->is_open) {
        thread->is_open = true;
        thread->series = jitterdebugger_series(reader->import, record.thread, reader->unit_ns);
        if (thread->series == ROW_NONE)
            import_note(reader->import, "duplicate", offset, "the run's samples were read from another file already");
    }
    if (thread->series != ROW_NONE)
        jitterdebugger_sample(reader->import, thread, record.time_ns, record.value * reader->unit_ns);
}

enum status jitter_reader_finish(struct jitter_reader *reader)
{
    for (size_t i = 0; i < JITTER_MAX_THREADS; i++)
        if (reader->threads[i].is_open && reader->threads[i].series != ROW_NONE)
            jitterdebugger_finish(reader->import, &reader->threads[i]);
    free(reader->threads);
    return reader->n_bad ? PARTIAL : OK;
}

static enum status raw_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    size_t record_bytes = record_size(bytes, size);
    if (!record_bytes)
        return error_input(error, "%s: no records of jitterdebugger", import->member->path);
    struct jitter_reader reader;
    jitter_reader_init(&reader, import);
    for (size_t at = 0; at + record_bytes <= size; at += record_bytes) {
        jitter_reader_add(&reader, bytes + at, record_bytes, at);
        if (at % (record_bytes << 16) == 0)
            import_progress(import, at);
    }
    if (size % record_bytes)
        import_note(import, "file-truncated", size - size % record_bytes, "the last record is cut: %zu of %zu bytes", size % record_bytes,
                    record_bytes);
    return jitter_reader_finish(&reader);
}

const struct importer importer_jitter_raw = {
    .name = "jitterdebugger-raw",
    .summary = "jitterdebugger samples.raw",
    .reads = "records of 28 and 20 bytes; the unit comes from results.json beside it",
    .probe_bytes = raw_probe,
    .read_bytes = raw_read,
};
