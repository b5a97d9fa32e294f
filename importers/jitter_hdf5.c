/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples.hdf5 of "jittersamples -f hdf5": one packet table per CPU, named "cpu0\n", whose rows are the 28 bytes of
 * samples.raw. jittersamples drops whatever comes after the last whole block of 10,000 records.
 *
 *     superblock 0 ─► root group: B-tree "TREE" 0 ─► "SNOD" entries ─► object header ─► datatype, dataspace, layout
 *                                                                      layout ─► B-tree "TREE" 1 ─► chunks of records
 *
 * Only this shape of HDF5 (File Format Specification 1.0: what every library before 2.0 writes by default) is read, by
 * us: the library would double the time that the program needs to start, and files are anybody's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "importers/jitterdebugger.h"

#define MAX_TREE_LEVEL 8
#define BLOCK_ROWS     10000 /* that jittersamples appends at a time */
#define NONE           UINT64_MAX
#define WHY_NOT        "samples.raw beside it holds the same samples, and 'jittersamples -f csv' prints them"

enum message_type { MESSAGE_DATASPACE = 1, MESSAGE_DATATYPE = 3, MESSAGE_LAYOUT = 8, MESSAGE_FILTERS = 11, MESSAGE_CONTINUED = 16 };

struct file {
    const unsigned char *bytes;
    size_t size;
    /* Visited; a hostile file may lead to the same place again and again, an honest one has room for all of them. */
    size_t n_nodes, n_messages;
    struct jitter_reader reader;
    struct import *import;
    size_t n_tables, n_other;
    uint64_t n_rows, n_missing;
};

/* A dataset, as its object header tells. */
struct table {
    uint64_t n_rows;
    bool has_records; /* the datatype is jitterdebugger's */
    bool is_filtered;
    bool has_layout;
    bool is_chunked;
    uint64_t address; /* of the rows, or of the tree of their chunks; NONE: nothing was written */
    uint64_t chunk_rows;
};

/* n bytes at the address, or NULL. */
static const unsigned char *at(const struct file *file, uint64_t address, uint64_t n)
{
    return address <= file->size && n <= file->size - address ? file->bytes + address : NULL;
}

/* ---- object headers ---- */

/* A compound of exactly the four members of a record: their offsets follow from the size. */
static bool is_record_type(const unsigned char *p, size_t size)
{
    static const char *const names[] = {"CPUID", "Seconds", "Nanoseconds", "Value"};
    if (size < 8 || (p[0] & 15) != 6 || (p[1] | p[2] << 8) != 4 || read_le32(p + 4) != JITTER_RECORD_BYTES)
        return false;
    const unsigned char *from = p + 8, *end = p + size;
    for (size_t i = 0; i < 4; i++) {
        const unsigned char *name = memmem(from, (size_t)(end - from), names[i], strlen(names[i]) + 1);
        if (!name)
            return false;
        from = name + strlen(names[i]) + 1;
    }
    return true;
}

static void read_layout(struct table *table, const unsigned char *p, size_t size)
{
    if (size >= 2 && p[0] == 3 && p[1] == 1 && size >= 18) {
        table->has_layout = true;
        table->address = read_le64(p + 2);
    } else if (size >= 2 && p[0] == 3 && p[1] == 2 && size >= 19 && p[2] == 2) {
        table->has_layout = table->is_chunked = true;
        table->address = read_le64(p + 3);
        table->chunk_rows = read_le32(p + 11);
    }
}

static void read_message(struct table *table, unsigned type, const unsigned char *p, size_t size)
{
    if (type == MESSAGE_DATATYPE)
        table->has_records = is_record_type(p, size);
    else if (type == MESSAGE_LAYOUT)
        read_layout(table, p, size);
    else if (type == MESSAGE_FILTERS)
        table->is_filtered = size >= 2 && p[1] > 0;
    else if (type == MESSAGE_DATASPACE && size >= 16 && p[0] == 1 && p[1] == 1)
        table->n_rows = read_le64(p + 8);
    else if (type == MESSAGE_DATASPACE && size >= 12 && p[0] == 2 && p[1] == 1)
        table->n_rows = read_le64(p + 4);
}

/* ++*n, as long as the file has room for so many things of that size. */
static bool is_counted(const struct file *file, size_t *n, size_t bytes)
{
    return ++*n <= file->size / bytes;
}

static bool read_object(struct file *file, uint64_t address, struct table *table)
{
    const unsigned char *head = at(file, address, 16);
    *table = (struct table){.address = NONE};
    if (!head || head[0] != 1)
        return false;
    unsigned n_messages = read_le16(head + 2);
    uint64_t begin = address + 16, length = read_le32(head + 8), next = 0, next_length = 0;
    for (int block = 0; block < 16; block++) {
        const unsigned char *p = at(file, begin, length);
        if (!p)
            return false;
        const unsigned char *end = p + length;
        for (; n_messages && end - p >= 8; n_messages--) {
            unsigned type = read_le16(p), size = read_le16(p + 2);
            if ((size_t)(end - p) - 8 < size || !is_counted(file, &file->n_messages, 8))
                return false;
            if (type == MESSAGE_CONTINUED && size >= 16) {
                next = read_le64(p + 8);
                next_length = read_le64(p + 16);
            }
            read_message(table, type, p + 8, size);
            p += 8 + size;
        }
        if (!n_messages || !next)
            break;
        begin = next;
        length = next_length;
        next = 0;
    }
    return true;
}

/* ---- trees ---- */

typedef void visit(struct file *file, const unsigned char *key, uint64_t child, void *context);

/* Every leaf entry in order: a node's keys lie around its children. */
static void walk_tree(struct file *file, uint64_t address, unsigned type, size_t key_bytes, int max_level, visit *each, void *context)
{
    const unsigned char *node = at(file, address, 24);
    if (!node || memcmp(node, "TREE", 4) != 0 || node[4] != type || node[5] > max_level || !is_counted(file, &file->n_nodes, 24)) {
        import_note(file->import, "damaged-lines", address, "the file's tree of contents is damaged: some of it is not reached");
        return;
    }
    unsigned n = read_le16(node + 6);
    const unsigned char *p = at(file, address + 24, n * (key_bytes + 8));
    if (!p) {
        import_note(file->import, "damaged-lines", address, "the file's tree of contents is cut: some of it is not reached");
        return;
    }
    for (unsigned i = 0; i < n; i++, p += key_bytes + 8) {
        if (node[5] == 0)
            each(file, p, read_le64(p + key_bytes), context);
        else
            walk_tree(file, read_le64(p + key_bytes), type, key_bytes, node[5] - 1, each, context);
    }
}

/* ---- rows ---- */

static void read_rows(struct file *file, uint64_t address, uint64_t n_rows)
{
    for (uint64_t i = 0; i < n_rows; i++) {
        const unsigned char *row = at(file, address + i * JITTER_RECORD_BYTES, JITTER_RECORD_BYTES);
        if (!row || file->n_rows >= file->size / JITTER_RECORD_BYTES) /* of all tables: the same rows again are no more samples */
            return;
        jitter_reader_add(&file->reader, row, JITTER_RECORD_BYTES, address + i * JITTER_RECORD_BYTES);
        file->n_rows++;
        if (file->n_rows % 65536 == 0)
            import_progress(file->import, 0);
    }
}

struct chunks {
    const struct table *table;
    uint64_t n_done;
};

/* Key: size in bytes, mask of filters left out, first row, 0. */
static void read_chunk(struct file *file, const unsigned char *key, uint64_t child, void *context)
{
    struct chunks *chunks = context;
    uint64_t first = read_le64(key + 8), n = chunks->table->chunk_rows;
    if (first != chunks->n_done || first >= chunks->table->n_rows) /* only in order: no row is read twice */
        return;
    if (n > chunks->table->n_rows - first)
        n = chunks->table->n_rows - first;
    uint64_t before = file->n_rows;
    read_rows(file, child, n);
    chunks->n_done += file->n_rows - before;
}

static void read_table(struct file *file, const struct table *table)
{
    uint64_t before = file->n_rows;
    file->n_tables++;
    if (!table->has_layout || table->is_filtered) {
        import_note_n(file->import, "not-understood", table->n_rows, 0, "%" PRIu64 " rows are packed in a way that is not read; %s",
                      table->n_rows, WHY_NOT);
        return;
    }
    uint64_t n_rows = table->n_rows;
    if (n_rows > file->size / JITTER_RECORD_BYTES)
        n_rows = file->size / JITTER_RECORD_BYTES; /* as many as can be there */
    struct table bounded = *table;
    bounded.n_rows = n_rows;
    struct chunks chunks = {.table = &bounded};
    if (table->address != NONE && table->is_chunked && table->chunk_rows)
        walk_tree(file, table->address, 1, 24, MAX_TREE_LEVEL, read_chunk, &chunks);
    else if (table->address != NONE && !table->is_chunked)
        read_rows(file, table->address, n_rows);
    file->n_missing += table->n_rows - (file->n_rows - before);
}

/* ---- the group of tables ---- */

/* A node of symbols: 40 bytes each, the object's address in bytes 8 to 15. */
static void read_symbols(struct file *file, const unsigned char *key, uint64_t child, void *context)
{
    (void)key;
    (void)context;
    const unsigned char *node = at(file, child, 8);
    if (!node || memcmp(node, "SNOD", 4) != 0)
        return;
    unsigned n = read_le16(node + 6);
    for (unsigned i = 0; i < n; i++) {
        const unsigned char *entry = at(file, child + 8 + 40 * (uint64_t)i, 40);
        struct table table;
        if (!entry || !is_counted(file, &file->n_nodes, 24))
            return;
        if (read_object(file, read_le64(entry + 8), &table) && table.has_records)
            read_table(file, &table);
        else
            file->n_other++;
    }
}

/* The address of the root group's tree; NONE: not the shape that is read. */
static uint64_t root_tree(const struct file *file)
{
    const unsigned char *p = file->bytes;
    if (file->size < 104 || p[8] > 1 || p[13] != 8 || p[14] != 8)
        return NONE;
    size_t base = p[8] == 0 ? 24 : 28;
    return read_le64(p + base) == 0 && read_le32(p + base + 48) == 1 ? read_le64(p + base + 56) : NONE;
}

/* samples.raw holds what jittersamples dropped, too. */
static bool has_raw_beside(const struct import *import)
{
    const struct member *own = import->member;
    for (size_t i = 0; import->input && i < input_count(import->input); i++) {
        const struct member *other = input_member(import->input, i);
        if (strcmp(other->name, "samples.raw") == 0 && strcmp(other->directory, own->directory) == 0)
            return true;
    }
    return false;
}

/* What jittersamples dropped: by the counts of results.json, else only that the rows end with a block. */
static void note_dropped(const struct file *file)
{
    uint64_t n_counted = 0, n_read = 0;
    for (size_t i = 0; i < JITTER_MAX_THREADS; i++) {
        const struct jitter_thread *thread = &file->reader.threads[i];
        if (!thread->is_open || thread->series == ROW_NONE)
            continue;
        const struct series *series = store_edit_series(file->import->store, thread->series);
        n_read += thread->n;
        n_counted += series->n_samples != COUNT_UNKNOWN && series->n_samples > thread->n ? series->n_samples : thread->n;
    }
    if (n_counted > n_read)
        import_note(file->import, "entries-missing", 0, "%" PRIu64 " of %" PRIu64 " samples are here: jittersamples leaves out the last ones",
                    n_read, n_counted);
    else if (n_read && n_read % BLOCK_ROWS == 0)
        import_note(file->import, "entries-missing", 0, "the rows end with a block: up to %d samples after it were left out by jittersamples",
                    BLOCK_ROWS - 1);
}

static struct probe_result hdf5_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    if (size < 8 || memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) != 0)
        return (struct probe_result){NOT_MINE, NULL};
    struct file file = {.bytes = bytes, .size = size};
    return (struct probe_result){CERTAIN, root_tree(&file) == NONE ? "HDF5 of a form that jittersamples does not write is not read; " WHY_NOT : NULL};
}

static enum status hdf5_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    struct file file = {.bytes = bytes, .size = size, .import = import};
    if (has_raw_beside(import)) {
        import_note(import, "duplicate", 0, "samples.raw beside it holds the same samples, and more of them");
        return OK;
    }
    jitter_reader_init(&file.reader, import);
    walk_tree(&file, root_tree(&file), 0, 8, MAX_TREE_LEVEL, read_symbols, NULL);
    if (file.n_missing)
        import_note_n(import, "file-truncated", file.n_missing, 0, "%" PRIu64 " rows that the tables count are not there", file.n_missing);
    note_dropped(&file);
    enum status status = jitter_reader_finish(&file.reader);
    return file.n_tables ? status : error_input(error, "%s: HDF5 without a table of jitterdebugger's", import->member->path);
}

const struct importer importer_jitter_hdf5 = {
    .name = "jitterdebugger-hdf5",
    .summary = "jitterdebugger samples.hdf5",
    .reads = "the tables of jittersamples -f hdf5, not compressed; the unit comes from results.json beside it",
    .probe_bytes = hdf5_probe,
    .read_bytes = hdf5_read,
};
