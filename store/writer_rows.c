/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing the tables of rows, and histograms.
 *
 * They are complete only at the end, but a file that is cut before its end should still say whose events it holds. So
 * they are also written in front of the first chunk of samples or events, again whenever a series or stream has its first
 * one, and when the file has grown by SNAPSHOT_BYTES and by eight times what the last such snapshot took. Beyond
 * LISTED_AT_ONCE_BYTES of tables, new series and streams wait until the file has grown by what the tables take: thousands
 * of short traces are written in time that follows their size. A table that did not change is not written again. The index
 * at the end names only the last chunk of each; a reader of a cut file takes the last one it finds.
 */
#include <string.h>

#include "base/crc32c.h"
#include "store/writer_private.h"

#include "base/memory.h"

#define SNAPSHOT_BYTES (32u << 20)
#define LISTED_AT_ONCE_BYTES (64u << 10)

static uint32_t row_string_to_id(void *context, const char *string)
{
    return writer_string(context, string, string ? strlen(string) : 0);
}

/* The lists of claims and the names of sample counters, as rows. */
static void list_rows(struct store_writer *writer)
{
    pool_release(&writer->tables[TABLE_CLAIM_PARTS]);
    pool_release(&writer->tables[TABLE_CLAIM_STACKS]);
    for (uint32_t i = 0; i < writer->tables[TABLE_CLAIMS].n; i++) {
        const struct claim *claim = pool_get(&writer->tables[TABLE_CLAIMS], sizeof *claim, i);
        for (size_t k = 0; k < claim->n_parts; k++)
            pool_add(&writer->tables[TABLE_CLAIM_PARTS], sizeof(struct claim_part_row),
                     &(struct claim_part_row){i, claim->parts[k]});
        for (size_t k = 0; k < claim->n_stack; k++)
            pool_add(&writer->tables[TABLE_CLAIM_STACKS], sizeof(struct claim_stack_row),
                     &(struct claim_stack_row){i, claim->stack[k]});
    }
}

static void write_table(struct store_writer *writer, enum row_table_id id)
{
    const struct row_table *table = &row_tables[id];
    const struct pool *pool = &writer->tables[id];
    size_t row_bytes = row_table_row_bytes(table), n_bytes = pool->n * row_bytes;
    if (!pool->n)
        return;
    unsigned char *bytes = memory_resize(NULL, pool->n, row_bytes);
    for (size_t i = 0; i < pool->n; i++)
        row_encode(table, pool_get(pool, table->row_size, i), bytes + i * row_bytes, row_string_to_id, writer);
    uint32_t crc = crc32c(0, bytes, n_bytes);
    if (!writer->table_chunk[id] || crc != writer->table_crc[id] || n_bytes != writer->table_bytes[id]) {
        writer_flush_strings(writer);
        if (writer->table_chunk[id])
            output_drop(&writer->output, writer->table_chunk[id] - 1);
        struct rows_front front = {.row_bytes = (uint32_t)row_bytes, .n_rows = (uint32_t)pool->n};
        struct iovec pieces[] = {{&front, sizeof front}, {bytes, n_bytes}};
        struct chunk_header header = {
            .type = CHUNK_ROWS, .begin = writer->generation, .owner = id, .n = (uint32_t)pool->n};
        writer->table_chunk[id] = output_chunk(&writer->output, header, pieces, 2) + 1;
        writer->table_crc[id] = crc;
        writer->table_bytes[id] = n_bytes;
        writer->table_rows[id] = pool->n;
    }
    free(bytes);
}

static int compare_bins(const void *a, const void *b)
{
    const struct bin *x = a, *y = b;
    return (x->low_ns > y->low_ns) - (x->low_ns < y->low_ns);
}

/* Sorts, adds up equal edges (counts stop at the largest number), drops zero counts. */
static void tidy_bins(struct series_writer *series)
{
    size_t n = 0;
    bool is_sorted = true;
    for (size_t i = 1; i < series->n_bins; i++)
        is_sorted = is_sorted && series->bins[i - 1].low_ns < series->bins[i].low_ns;
    if (!is_sorted)
        memory_sort(series->bins, series->n_bins, sizeof *series->bins, compare_bins);
    for (size_t i = 0; i < series->n_bins; i++) {
        struct bin bin = series->bins[i];
        if (n && series->bins[n - 1].low_ns == bin.low_ns) {
            uint64_t *count = &series->bins[n - 1].count;
            if (__builtin_add_overflow(*count, bin.count, count))
                *count = UINT64_MAX - 1;
        } else if (bin.count)
            series->bins[n++] = bin;
    }
    series->n_bins = n;
}

static void write_bins(struct store_writer *writer, uint32_t i)
{
    struct series_writer *series = &writer->series[i];
    tidy_bins(series);
    if (series->bins_is_new && series->n_bins) {
        int64_t *low_ns = memory_resize(NULL, series->n_bins, sizeof *low_ns);
        uint64_t *count = memory_resize(NULL, series->n_bins, sizeof *count);
        for (size_t k = 0; k < series->n_bins; k++) {
            low_ns[k] = series->bins[k].low_ns;
            count[k] = series->bins[k].count;
        }
        if (series->bins_chunk)
            output_drop(&writer->output, series->bins_chunk - 1);
        struct iovec pieces[] = {{low_ns, series->n_bins * sizeof *low_ns}, {count, series->n_bins * sizeof *count}};
        struct chunk_header header = {.type = CHUNK_BINS, .owner = i, .n = (uint32_t)series->n_bins};
        series->bins_chunk = output_chunk(&writer->output, header, pieces, 2) + 1;
        free(low_ns);
        free(count);
    }
    series->bins_is_new = false;
    if (series->n_cycles > series->n_cycles_written) {
        if (series->cycles_chunk)
            output_drop(&writer->output, series->cycles_chunk - 1);
        struct iovec piece = {series->cycles, series->n_cycles * sizeof *series->cycles};
        struct chunk_header header = {.type = CHUNK_CYCLES, .owner = i, .n = (uint32_t)series->n_cycles};
        series->cycles_chunk = output_chunk(&writer->output, header, &piece, 1) + 1;
        series->n_cycles_written = series->n_cycles;
    }
}

void writer_write_rows(struct store_writer *writer)
{
    writer->generation++;
    list_rows(writer);
    for (enum row_table_id id = TABLE_RUNS; id < N_TABLES; id++)
        write_table(writer, id);
    for (uint32_t i = 0; i < writer->tables[TABLE_SERIES].n; i++)
        write_bins(writer, i);
    writer_flush_strings(writer);
}

void writer_snapshot_if_due(struct store_writer *writer, enum row_table_id table, uint32_t row)
{
    uint64_t before = writer->output.offset, all = 0;
    if (before < (row < writer->table_rows[table] ? writer->next_snapshot : writer->next_listing))
        return;
    writer_write_rows(writer);
    uint64_t taken = writer->output.offset - before, wait = 8 * taken;
    for (enum row_table_id id = TABLE_RUNS; id < N_TABLES; id++)
        all += writer->table_bytes[id];
    writer->next_snapshot = writer->output.offset + (wait > SNAPSHOT_BYTES ? wait : SNAPSHOT_BYTES);
    writer->next_listing = writer->output.offset + (all > LISTED_AT_ONCE_BYTES ? all : 0);
}

void store_add_bins(struct store_writer *writer, uint32_t series, const struct bin *bins, size_t n)
{
    struct series_writer *to = &writer->series[series];
    memory_reserve(to->bins, to->bins_capacity, to->n_bins + n);
    if (n)
        memcpy(to->bins + to->n_bins, bins, n * sizeof *bins);
    to->n_bins += n;
    to->bins_is_new = true;
}

void store_add_overflow_cycles(struct store_writer *writer, uint32_t series, const uint64_t *cycles, size_t n)
{
    struct series_writer *to = &writer->series[series];
    memory_reserve(to->cycles, to->cycles_capacity, to->n_cycles + n);
    if (n)
        memcpy(to->cycles + to->n_cycles, cycles, n * sizeof *cycles);
    to->n_cycles += n;
}
