/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer's life, its rows, and the run file's table of strings. */
#include "store/writer.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/writer_private.h"

/*
 * Strings beyond this many bytes are no longer remembered, so that a trace whose every event prints another text does
 * not grow in memory: an equal text then gets a new id. Short ones (a comm, most names) are always remembered.
 */
#define KNOWN_BYTES  (64u << 20)
#define ALWAYS_KNOWN 16u

void *pool_add(struct pool *pool, size_t row_size, const void *row)
{
    if (pool->n == pool->n_blocks * POOL_BLOCK) {
        memory_reserve(pool->blocks, pool->blocks_capacity, pool->n_blocks + 1);
        pool->blocks[pool->n_blocks++] = memory_resize(NULL, POOL_BLOCK, row_size);
    }
    assert(pool->n < UINT32_MAX - 1);
    void *copy = pool_get(pool, row_size, pool->n++);
    memcpy(copy, row, row_size);
    return copy;
}

void pool_release(struct pool *pool)
{
    for (size_t i = 0; i < pool->n_blocks; i++)
        free(pool->blocks[i]);
    free(pool->blocks);
    *pool = (struct pool){0};
}

struct store_writer *store_writer_new(const char *path, struct error *error)
{
    static _Atomic uint64_t serial;
    struct store_writer *writer = memory_new(sizeof *writer);
    if (output_open(&writer->output, path, error) != OK) {
        free(writer);
        return NULL;
    }
    writer->serial = atomic_fetch_add(&serial, 1) + 1;
    writer->known = string_set_new();
    writer->n_strings = writer->n_strings_written = 1; /* id 0 is "unknown" */
    return writer;
}

void store_writer_set_compression(struct store_writer *writer, bool compress)
{
    writer->output.compress = compress;
}

void store_writer_no_sync(struct store_writer *writer)
{
    writer->no_sync = true;
}

static void writer_free(struct store_writer *writer)
{
    for (size_t i = 0; i < writer->tables[TABLE_STREAMS].n; i++)
        free(writer->streams[i].cpus);
    for (size_t i = 0; i < writer->tables[TABLE_SERIES].n; i++) {
        free(writer->series[i].bins);
        free(writer->series[i].cycles);
        writer_release_samples(&writer->series[i]);
    }
    for (size_t i = 0; i < N_TABLES; i++)
        pool_release(&writer->tables[i]);
    free(writer->streams);
    free(writer->series);
    event_columns_free(writer->columns);
    free(writer->where);
    string_set_free(writer->known);
    free(writer->known_ids);
    free(writer->pending);
    free(writer->pending_ends);
    arena_release(&writer->arena);
    output_release(&writer->output);
    free(writer);
}

void store_writer_abandon(struct store_writer *writer)
{
    if (writer)
        writer_free(writer);
}

int store_writer_finish_fd(struct store_writer *writer, struct error *error)
{
    for (uint32_t i = 0; i < writer->tables[TABLE_SERIES].n; i++)
        writer_flush_samples(writer, i);
    writer_note_order(writer);
    writer_write_rows(writer);
    int fd = output_finish(&writer->output, !writer->no_sync, error);
    if (fd >= 0)
        writer->output.fd = -1;
    writer_free(writer);
    return fd;
}

enum status store_writer_finish(struct store_writer *writer, struct error *error)
{
    int fd = store_writer_finish_fd(writer, error);
    if (fd < 0)
        return FAILED;
    close(fd);
    return OK;
}

/* ---- strings ---- */

static uint32_t new_string(struct store_writer *writer, const char *string, size_t length)
{
    uint32_t i = writer->n_strings - writer->n_strings_written;
    assert(writer->n_strings < UINT32_MAX);
    memory_reserve(writer->pending, writer->pending_capacity, writer->n_pending + length + 1);
    memory_reserve(writer->pending_ends, writer->pending_ends_capacity, (size_t)i + 1);
    memcpy(writer->pending + writer->n_pending, string, length);
    writer->pending[writer->n_pending + length] = '\0';
    writer->n_pending += length + 1;
    writer->pending_ends[i] = (uint32_t)writer->n_pending;
    return writer->n_strings++;
}

uint32_t writer_string(struct store_writer *writer, const char *string, size_t length)
{
    if (!string)
        return 0;
    if (writer->n_pending > 1u << 30)
        writer_flush_strings(writer);
    if (length > ALWAYS_KNOWN && string_set_bytes(writer->known) > KNOWN_BYTES) {
        uint32_t old = string_set_find(writer->known, string, length);
        return old ? writer->known_ids[old - 1] : new_string(writer, string, length);
    }
    uint32_t known = string_set_intern(writer->known, string, length);
    memory_reserve(writer->known_ids, writer->known_ids_capacity, (size_t)known);
    if (known == string_set_count(writer->known) && known > writer->n_known)
        writer->known_ids[writer->n_known++] = new_string(writer, string, length);
    return writer->known_ids[known - 1];
}

void writer_flush_strings(struct store_writer *writer)
{
    uint32_t n = writer->n_strings - writer->n_strings_written;
    if (!n)
        return;
    struct iovec pieces[] = {{writer->pending_ends, n * sizeof *writer->pending_ends},
                             {writer->pending, writer->n_pending}};
    output_chunk(&writer->output,
                 (struct chunk_header){.type = CHUNK_STRINGS, .owner = writer->n_strings_written, .n = n}, pieces, 2);
    writer->n_strings_written = writer->n_strings;
    writer->n_pending = 0;
}

const char *store_keep(struct store_writer *writer, const char *text)
{
    return arena_string(&writer->arena, text);
}

/* ---- rows ---- */

/* Copies a row into its table, and what its strings point to into the arena. */
static void *add_row(struct store_writer *writer, enum row_table_id id, const void *row)
{
    const struct row_table *table = &row_tables[id];
    char *copy = pool_add(&writer->tables[id], table->row_size, row);
    for (size_t i = 0; i < table->n_fields; i++) {
        const struct row_field *field = &table->fields[i];
        if (field->type == FIELD_STRING) {
            const char **string = (const char **)(void *)(copy + field->offset);
            *string = store_keep(writer, *string);
        } else if (field->refers_to) {
            uint32_t number = *(const uint32_t *)(const void *)(copy + field->offset);
            assert(number < writer->tables[field->refers_to].n || (field->is_optional && number == ROW_NONE));
        }
    }
    return copy;
}

static uint32_t last_row(const struct store_writer *writer, enum row_table_id id)
{
    return (uint32_t)(writer->tables[id].n - 1);
}

uint32_t store_add_run(struct store_writer *writer, const struct run *run)
{
    add_row(writer, TABLE_RUNS, run);
    return last_row(writer, TABLE_RUNS);
}

uint32_t store_add_artefact(struct store_writer *writer, const struct artefact *artefact)
{
    add_row(writer, TABLE_ARTEFACTS, artefact);
    return last_row(writer, TABLE_ARTEFACTS);
}

void store_add_note(struct store_writer *writer, const struct note *note)
{
    add_row(writer, TABLE_NOTES, note);
}

void store_add_fact(struct store_writer *writer, const struct fact *fact)
{
    add_row(writer, TABLE_FACTS, fact);
}

uint32_t store_add_series(struct store_writer *writer, const struct series *series)
{
    add_row(writer, TABLE_SERIES, series);
    uint32_t i = last_row(writer, TABLE_SERIES);
    memory_reserve(writer->series, writer->series_capacity, (size_t)i + 1);
    writer->series[i] = (struct series_writer){.first_cycle = COUNT_UNKNOWN};
    return i;
}

void store_add_counter(struct store_writer *writer, const struct counter *counter)
{
    add_row(writer, TABLE_COUNTERS, counter);
}

void store_add_gap(struct store_writer *writer, const struct gap *gap)
{
    add_row(writer, TABLE_GAPS, gap);
}

void store_add_clock_pair(struct store_writer *writer, const struct clock_pair *pair)
{
    add_row(writer, TABLE_CLOCK_PAIRS, pair);
}

void store_add_task(struct store_writer *writer, const struct task *task)
{
    add_row(writer, TABLE_TASKS, task);
}

uint32_t store_add_stream(struct store_writer *writer, const struct stream *stream)
{
    struct stream *copy = add_row(writer, TABLE_STREAMS, stream);
    uint32_t i = last_row(writer, TABLE_STREAMS);
    copy->n_events = 0;
    copy->begin_ns = copy->end_ns = NS_UNKNOWN;
    copy->n_cpus_seen = 0;
    memory_reserve(writer->streams, writer->streams_capacity, (size_t)i + 1);
    writer->streams[i] = (struct stream_writer){0};
    return i;
}

uint32_t store_add_claim(struct store_writer *writer, const struct claim *claim)
{
    struct claim *copy = add_row(writer, TABLE_CLAIMS, claim);
    struct claim_part *parts = arena_array(&writer->arena, claim->n_parts, sizeof *parts);
    const char **stack = arena_array(&writer->arena, claim->n_stack, sizeof *stack);
    for (size_t i = 0; i < claim->n_parts; i++) {
        parts[i] = claim->parts[i];
        parts[i].subject = store_keep(writer, parts[i].subject);
    }
    for (size_t i = 0; i < claim->n_stack; i++)
        stack[i] = store_keep(writer, claim->stack[i]);
    copy->parts = parts;
    copy->stack = stack;
    return last_row(writer, TABLE_CLAIMS);
}

static void *edit_row(struct store_writer *writer, enum row_table_id id, uint32_t row)
{
    assert(row < writer->tables[id].n);
    return pool_get(&writer->tables[id], row_tables[id].row_size, row);
}

struct run *store_edit_run(struct store_writer *writer, uint32_t run)
{
    return edit_row(writer, TABLE_RUNS, run);
}

struct artefact *store_edit_artefact(struct store_writer *writer, uint32_t artefact)
{
    return edit_row(writer, TABLE_ARTEFACTS, artefact);
}

struct series *store_edit_series(struct store_writer *writer, uint32_t series)
{
    return edit_row(writer, TABLE_SERIES, series);
}

struct stream *store_edit_stream(struct store_writer *writer, uint32_t stream)
{
    return edit_row(writer, TABLE_STREAMS, stream);
}

struct claim *store_edit_claim(struct store_writer *writer, uint32_t claim)
{
    return edit_row(writer, TABLE_CLAIMS, claim);
}

size_t store_count_runs(const struct store_writer *writer)
{
    return writer->tables[TABLE_RUNS].n;
}

size_t store_count_series(const struct store_writer *writer)
{
    return writer->tables[TABLE_SERIES].n;
}

size_t store_count_facts(const struct store_writer *writer)
{
    return writer->tables[TABLE_FACTS].n;
}

size_t store_count_claims(const struct store_writer *writer)
{
    return writer->tables[TABLE_CLAIMS].n;
}

size_t store_count_artefacts(const struct store_writer *writer)
{
    return writer->tables[TABLE_ARTEFACTS].n;
}

const struct fact *store_peek_fact(const struct store_writer *writer, size_t index)
{
    assert(index < writer->tables[TABLE_FACTS].n);
    return pool_get(&writer->tables[TABLE_FACTS], sizeof(struct fact), index);
}

struct fact *store_edit_fact(struct store_writer *writer, size_t index)
{
    return edit_row(writer, TABLE_FACTS, (uint32_t)index);
}
