/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms and samples of an opened run file. */
#include "store/store_private.h"

enum status reader_add_sample_chunks(struct store *store, const uint32_t *ranks, struct error *error)
{
    struct store_private *p = store->private;
    for (size_t i = 0; i < p->n_chunks; i++) {
        struct chunk *chunk = &p->chunks[i];
        const struct chunk_header *header = &chunk->header;
        if (header->type != CHUNK_BINS && header->type != CHUNK_CYCLES && header->type != CHUNK_SAMPLES)
            continue;
        uint64_t item_bytes = header->type == CHUNK_BINS ? 16 : 8;
        if (header->owner >= store->n_series) {
            if (store->is_recovered)
                continue; /* its row came after the cut */
            return chunk_damaged(store, chunk, "it belongs to no series", error);
        }
        if (header->plain_bytes / item_bytes < header->n || (header->type == CHUNK_SAMPLES && header->plain_bytes < 64))
            return chunk_damaged(store, chunk, "it is too short", error);
        struct series_data *series = &p->series[ranks[header->owner]];
        if (header->type == CHUNK_BINS)
            series->bins = chunk;
        else if (header->type == CHUNK_CYCLES)
            series->cycles = chunk;
        else {
            memory_reserve(series->chunks, series->chunks_capacity, series->n_chunks + 1);
            series->chunks[series->n_chunks++] = chunk;
            series->n_samples += header->n;
        }
    }
    return OK;
}

const struct bin *store_bins(const struct store *store, uint32_t number, size_t *n)
{
    struct series_data *series = &store->private->series[number];
    *n = 0;
    if (!series->bins)
        return NULL;
    if (!series->decoded_bins) {
        const int64_t *low_ns = chunk_payload((struct store *)(uintptr_t)store, series->bins, NULL);
        if (!low_ns)
            return NULL;
        const uint64_t *count = (const uint64_t *)(low_ns + series->bins->header.n);
        series->decoded_bins = memory_new(series->bins->header.n * sizeof *series->decoded_bins);
        for (size_t i = 0; i < series->bins->header.n; i++)
            series->decoded_bins[i] = (struct bin){low_ns[i], count[i]};
    }
    *n = series->bins->header.n;
    return series->decoded_bins;
}

const uint64_t *store_overflow_cycles(const struct store *store, uint32_t number, size_t *n)
{
    struct series_data *series = &store->private->series[number];
    *n = 0;
    if (!series->cycles)
        return NULL;
    const uint64_t *cycles = chunk_payload((struct store *)(uintptr_t)store, series->cycles, NULL);
    *n = cycles ? series->cycles->header.n : 0;
    return cycles;
}

size_t store_count_samples(const struct store *store, uint32_t series)
{
    return store->private->series[series].n_samples;
}

size_t store_count_sample_chunks(const struct store *store, uint32_t series)
{
    return store->private->series[series].n_chunks;
}

const char *const *store_sample_counters(const struct store *store, uint32_t series, size_t *n)
{
    *n = store->private->series[series].n_counters;
    return store->private->series[series].counters;
}

/* First use: the payload must be exactly its columns. */
static struct sample_view *make_view(struct store *store, const struct series_data *series, struct chunk *chunk,
                                     const unsigned char *payload, struct error *error)
{
    struct store_private *p = store->private;
    const struct samples_front *front = (const void *)payload;
    size_t n = chunk->header.n;
    if (front->columns & ~(SAMPLES_TIME | SAMPLES_CYCLE) || front->n_counters != series->n_counters) {
        chunk_damaged(store, chunk, "it has unknown columns", error);
        return NULL;
    }
    bool has_time = front->columns & SAMPLES_TIME, has_cycle = front->columns & SAMPLES_CYCLE;
    uint64_t n_columns = 1u + has_time + has_cycle + (uint64_t)front->n_counters;
    if (chunk->header.plain_bytes != sizeof *front + n_columns * n * 8) {
        chunk_damaged(store, chunk, "its columns do not fit", error);
        return NULL;
    }
    struct sample_view *view = arena_new(&p->arena, sizeof *view);
    const uint64_t **counters = arena_array(&p->arena, front->n_counters, sizeof *counters);
    const unsigned char *column = payload + sizeof *front;
    *view = (struct sample_view){.n = n, .first_cycle = front->first_cycle, .n_counters = front->n_counters,
                                 .counters = counters};
    view->latency_ns = (const void *)column;
    if (has_time)
        view->time_ns = (const void *)(column += n * 8);
    if (has_cycle)
        view->cycle = (const void *)(column += n * 8);
    for (size_t i = 0; i < front->n_counters; i++)
        counters[i] = (const void *)(column += n * 8);
    return view;
}

enum status store_sample_chunk(const struct store *const_store, uint32_t number, size_t index, struct sample_view *view,
                               struct error *error)
{
    struct store *store = (struct store *)(uintptr_t)const_store;
    struct series_data *series = &store->private->series[number];
    struct chunk *chunk = series->chunks[index];
    chunk_touch(store, chunk);
    const void *payload = chunk_payload(store, chunk, error);
    if (!payload)
        return FAILED;
    if (!chunk->view && !(chunk->view = make_view(store, series, chunk, payload, error)))
        return FAILED;
    *view = *(const struct sample_view *)chunk->view;
    return OK;
}
