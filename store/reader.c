/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a run file: the map, the index at its end, or a scan of what is whole when the end is missing. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/crc32c.h"
#include "store/store_private.h"

#define MAX_UNPACKED (2048ull << 20)
#define SMALL_BYTES  (64u << 20) /* strings, histograms: their checksums take 4 ms */

bool store_is_run_file(const void *bytes, size_t size)
{
    return size >= sizeof FILE_MAGIC - 1 && !memcmp(bytes, FILE_MAGIC, sizeof FILE_MAGIC - 1);
}

enum status chunk_damaged(const struct store *store, const struct chunk *chunk, const char *what, struct error *error)
{
    return error_input(error, "%s: chunk at offset %llu is damaged: %s", store->private->name,
                       (unsigned long long)chunk->offset, what);
}

static const void *unpack(struct store *store, struct chunk *chunk, const unsigned char *stored, struct error *error)
{
    const struct chunk_header *header = &chunk->header;
    void *plain = memory_array(header->plain_bytes, 1, MAX_UNPACKED);
    size_t n = plain ? ZSTD_decompress(plain, header->plain_bytes, stored, header->stored_bytes) : 0;
    if (!plain || ZSTD_isError(n) || n != header->plain_bytes) {
        free(plain);
        chunk_damaged(store, chunk, "cannot be unpacked", error);
        return NULL;
    }
    return plain;
}

const void *chunk_payload(struct store *store, struct chunk *chunk, struct error *error)
{
    const unsigned char *stored = store->private->map + chunk->offset + sizeof(struct chunk_header);
    if (chunk->state == NOT_CHECKED) {
        bool is_good = crc32c(0, stored, chunk->header.stored_bytes) == chunk->header.payload_crc;
        chunk->state = is_good ? CHECKED : DAMAGED;
    }
    if (chunk->state == DAMAGED) {
        chunk_damaged(store, chunk, "its checksum is wrong", error);
        return NULL;
    }
    if (!chunk->plain)
        chunk->plain = chunk->header.flags & CHUNK_ZSTD ? unpack(store, chunk, stored, error) : stored;
    return chunk->plain;
}

/* ---- index and scan ---- */

/* What makes a header unusable, or NULL. limit: where its payload must end. */
static const char *header_fault(const struct chunk_header *header, uint64_t offset, uint64_t limit)
{
    if (header->magic != CHUNK_MAGIC || crc32c(0, header, offsetof(struct chunk_header, header_crc)) != header->header_crc)
        return "no chunk header";
    if (offset % LAYOUT_ALIGN || offset < sizeof(struct file_header) || offset > limit ||
        limit - offset < sizeof *header || header->stored_bytes > limit - offset - sizeof *header)
        return "beyond the end";
    if (!(header->flags & CHUNK_ZSTD) && header->plain_bytes != header->stored_bytes)
        return "its lengths differ";
    return NULL;
}

static enum status add_chunk(struct store *store, uint64_t offset, const struct chunk_header *header, struct error *error)
{
    struct store_private *p = store->private;
    struct chunk chunk = {.offset = offset, .header = *header};
    if (header->type == 0 || header->type >= CHUNK_INDEX)
        return OK; /* a later version's: skipped */
    unsigned newest = header->type == CHUNK_EVENTS ? CHUNK_EVENTS_VERSION : CHUNK_VERSION;
    if (header->version > newest)
        return error_input(error, "%s: chunk at offset %llu has version %u; this program reads version %u", p->name,
                           (unsigned long long)offset, header->version, newest);
    if (header->flags & ~CHUNK_ZSTD || (header->flags & CHUNK_ZSTD && header->type >= CHUNK_SAMPLES))
        return error_input(error, "%s: chunk at offset %llu has unknown flags %#x", p->name, (unsigned long long)offset,
                           header->flags);
    memory_reserve(p->chunks, p->chunks_capacity, p->n_chunks + 1);
    p->chunks[p->n_chunks++] = chunk;
    return OK;
}

/* The index, if the file ends as a complete one does. PARTIAL: it does not. */
static enum status read_index(struct store *store, struct error *error)
{
    struct store_private *p = store->private;
    struct trailer trailer;
    struct chunk_header header;
    if (p->size < sizeof(struct file_header) + sizeof header + sizeof trailer || p->size % LAYOUT_ALIGN)
        return PARTIAL;
    memcpy(&trailer, p->map + p->size - sizeof trailer, sizeof trailer);
    if (memcmp(trailer.magic, TRAILER_MAGIC, sizeof trailer.magic) || trailer.file_bytes != p->size ||
        crc32c(0, &trailer, offsetof(struct trailer, crc)) != trailer.crc ||
        trailer.index_offset > p->size - sizeof trailer - sizeof header)
        return PARTIAL;
    memcpy(&header, p->map + trailer.index_offset, sizeof header);
    if (header_fault(&header, trailer.index_offset, p->size - sizeof trailer) || header.type != CHUNK_INDEX ||
        header.flags || header.stored_bytes / sizeof(struct index_entry) != trailer.n_chunks)
        return PARTIAL;
    const unsigned char *entries = p->map + trailer.index_offset + sizeof header;
    if (crc32c(0, entries, header.stored_bytes) != header.payload_crc)
        return PARTIAL;
    memory_reserve(p->chunks, p->chunks_capacity, (size_t)trailer.n_chunks); /* at once: growing touches memory again and again */
    for (uint64_t i = 0; i < trailer.n_chunks; i++) {
        struct index_entry entry;
        memcpy(&entry, entries + i * sizeof entry, sizeof entry);
        const char *fault = header_fault(&entry.header, entry.offset, trailer.index_offset);
        if (fault)
            return error_input(error, "%s: index entry %llu is damaged: %s", p->name, (unsigned long long)i, fault);
        if (add_chunk(store, entry.offset, &entry.header, error) != OK)
            return FAILED;
    }
    return OK;
}

static void damaged_gap(struct store *store, const struct chunk_header *header)
{
    struct store_private *p = store->private;
    memory_reserve(p->more_gaps, p->more_gaps_capacity, p->n_more_gaps + 1);
    p->more_gaps[p->n_more_gaps++] =
        (struct gap){.stream = header->owner, .cpu = header->cpu, .begin_ns = header->begin,
                     .end_ns = header->end < INT64_MAX ? header->end + 1 : header->end,
                     .n_lost = header->n, .reason = "damaged chunk of the run file"};
}

/* Every whole chunk from the beginning on; ends at the first place that is none. */
static enum status scan(struct store *store, struct error *error)
{
    struct store_private *p = store->private;
    uint64_t offset = sizeof(struct file_header);
    size_t n_damaged = 0;
    bool has_index = false;
    while (p->size - offset >= sizeof(struct chunk_header)) {
        struct chunk_header header;
        memcpy(&header, p->map + offset, sizeof header);
        if (header_fault(&header, offset, p->size))
            break;
        has_index = has_index || header.type == CHUNK_INDEX;
        size_t n = p->n_chunks;
        if (crc32c(0, p->map + offset + sizeof header, header.stored_bytes) != header.payload_crc) {
            n_damaged++;
            if (header.type == CHUNK_EVENTS)
                damaged_gap(store, &header);
        } else if (add_chunk(store, offset, &header, error) != OK)
            return FAILED;
        else if (p->n_chunks > n)
            p->chunks[n].state = CHECKED;
        uint64_t next = offset + sizeof header + layout_align(header.stored_bytes);
        if (next > p->size || next < offset) {
            offset = p->size;
            break;
        }
        offset = next;
    }
    store->is_recovered = true;
    if (has_index && offset >= p->size - 64)
        store->recovery = arena_format(&p->arena, "its index is damaged, all chunks were read");
    else
        store->recovery = arena_format(&p->arena, "whole up to byte %llu of %llu, what came after is missing",
                                       (unsigned long long)offset, (unsigned long long)p->size);
    if (n_damaged)
        store->recovery = arena_format(&p->arena, "%s; %zu damaged chunks left out", store->recovery, n_damaged);
    return OK;
}

static enum status check_header(struct store *store, struct error *error)
{
    struct store_private *p = store->private;
    struct file_header header;
    if (p->size < sizeof header || !store_is_run_file(p->map, p->size))
        return error_input(error, "%s: not a run file", p->name);
    memcpy(&header, p->map, sizeof header);
    if (header.major > LAYOUT_MAJOR)
        return error_input(error, "%s: run file of version %u.%u; this program reads versions up to %u", p->name,
                           header.major, header.minor, LAYOUT_MAJOR);
    if (crc32c(0, &header, offsetof(struct file_header, crc)) != header.crc || header.major != LAYOUT_MAJOR ||
        header.header_bytes != sizeof header || header.alignment != LAYOUT_ALIGN)
        return error_input(error, "%s: the header of the run file is damaged", p->name);
    return OK;
}

/* What is small is checked at once, so that a damaged name or histogram is an error and not a missing one. */
static enum status check_small_chunks(struct store *store, struct error *error)
{
    struct store_private *p = store->private;
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < p->n_chunks; i++) {
        struct chunk *chunk = &p->chunks[i];
        if (chunk->header.type == CHUNK_SAMPLES || chunk->header.type == CHUNK_EVENTS || chunk->header.type == CHUNK_ROWS)
            continue;
        n_bytes += chunk->header.stored_bytes;
        if (n_bytes > SMALL_BYTES)
            break;
        if (!chunk_payload(store, chunk, error))
            return FAILED;
    }
    return OK;
}

/* The last chunk of each table is the one that counts; so it is with bins and cycles (reader_samples.c). */
static enum status read_all(struct store *store, struct error *error)
{
    struct store_private *p = store->private;
    struct chunk *tables[N_TABLES] = {0};
    if (check_header(store, error) != OK)
        return FAILED;
    enum status status = read_index(store, error);
    if (status == PARTIAL)
        status = scan(store, error);
    if (status != OK || check_small_chunks(store, error) != OK || reader_add_string_chunks(store, error) != OK)
        return FAILED;
    for (size_t i = 0; i < p->n_chunks; i++) {
        const struct chunk_header *header = &p->chunks[i].header;
        if (header->type == CHUNK_ROWS && header->owner < N_TABLES)
            tables[header->owner] = &p->chunks[i];
    }
    return reader_decode_rows(store, tables, error);
}

bool store_path_is_run_file(const char *path)
{
    char bytes[sizeof FILE_MAGIC - 1];
    struct stat stat_of;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_run_file = fd >= 0 && !fstat(fd, &stat_of) && S_ISREG(stat_of.st_mode) &&
                       read(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes && store_is_run_file(bytes, sizeof bytes);
    if (fd >= 0)
        close(fd);
    return is_run_file;
}

static struct store *new_store(const char *name)
{
    struct store *store = memory_new(sizeof *store);
    store->private = memory_new(sizeof *store->private);
    store->private->name = memory_string(name ? name : "run file");
    store->private->fd = -1;
    return store;
}

struct store *store_open_bytes(const void *bytes, size_t size, const char *name, struct error *error)
{
    struct store *store = new_store(name);
    struct store_private *p = store->private;
    p->map = bytes;
    p->size = size;
    p->is_lent = true;
    if ((uintptr_t)bytes % sizeof(int64_t)) { /* columns are read in place */
        p->aligned = memory_new(size);
        p->map = memcpy(p->aligned, bytes, size);
    }
    if (read_all(store, error) == OK)
        return store;
    store_close(store);
    return NULL;
}

static const void *map_file(int fd, size_t *size, const char *name, struct error *error)
{
    struct stat stat_of;
    if (fstat(fd, &stat_of)) {
        error_input(error, "%s: %s", name, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(stat_of.st_mode) || stat_of.st_size < (off_t)sizeof(struct file_header)) {
        error_input(error, "%s: not a run file", name);
        return NULL;
    }
    *size = (size_t)stat_of.st_size;
    void *map = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        error_input(error, "%s: cannot map: %s", name, strerror(errno));
    return map == MAP_FAILED ? NULL : map;
}

struct store *store_open_fd(int fd, const char *name, struct error *error)
{
    struct store *store = new_store(name);
    struct store_private *p = store->private;
    p->fd = fd;
    p->map = map_file(fd, &p->size, p->name, error);
    if (p->map && read_all(store, error) == OK)
        return store;
    store_close(store);
    return NULL;
}

struct store *store_open(const char *path, struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        error_input(error, "%s: %s", path, strerror(errno));
        return NULL;
    }
    return store_open_fd(fd, path, error);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    struct store_private *p = store->private;
    for (size_t i = 0; i < p->n_chunks; i++)
        if (p->chunks[i].header.flags & CHUNK_ZSTD)
            free((void *)(uintptr_t)p->chunks[i].plain);
    reader_release_views(store);
    for (size_t i = 0; p->series && i < store->n_series; i++) {
        free(p->series[i].decoded_bins);
        free(p->series[i].chunks);
    }
    if (p->map && !p->is_lent)
        munmap((void *)(uintptr_t)p->map, p->size);
    if (p->fd >= 0)
        close(p->fd);
    free(p->aligned);
    free(p->packed);
    string_set_free(p->found);
    free(p->found_ids);
    free(p->string_chunks);
    free(p->event_chunks);
    free((void *)(uintptr_t)store->event_chunks);
    free(p->series);
    free(p->tasks_by_tid);
    free(p->more_gaps);
    free(p->chunks);
    free(p->name);
    arena_release(&p->arena);
    free(p);
    free(store);
}
