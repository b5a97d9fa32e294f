/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples on their way into the run file: columns per series, a chunk whenever they are full. */
#include <assert.h>
#include <string.h>

#include "store/writer_private.h"

void writer_release_samples(struct series_writer *series)
{
    free(series->latency_ns);
    free(series->time_ns);
    free(series->cycle);
    for (size_t i = 0; i < series->n_counters; i++)
        free(series->counters[i]);
    free(series->counters);
}

void writer_flush_samples(struct store_writer *writer, uint32_t i)
{
    struct series_writer *series = &writer->series[i];
    struct iovec pieces[OUTPUT_PIECES];
    size_t n_pieces = 0, column_bytes = series->n_samples * 8;
    if (!series->n_samples)
        return;
    writer_snapshot_if_due(writer, TABLE_SERIES, i);
    struct samples_front front = {.n_counters = (uint32_t)series->n_counters, .first_cycle = series->first_cycle};
    struct chunk_header header = {.type = CHUNK_SAMPLES, .owner = i, .n = (uint32_t)series->n_samples,
                                  .begin = NS_UNKNOWN, .end = NS_UNKNOWN};
    pieces[n_pieces++] = (struct iovec){&front, sizeof front};
    pieces[n_pieces++] = (struct iovec){series->latency_ns, column_bytes};
    if (series->has_time) {
        front.columns |= SAMPLES_TIME;
        header.begin = series->time_ns[0];
        header.end = series->time_ns[series->n_samples - 1];
        pieces[n_pieces++] = (struct iovec){series->time_ns, column_bytes};
    }
    if (series->has_cycle) {
        front.columns |= SAMPLES_CYCLE;
        pieces[n_pieces++] = (struct iovec){series->cycle, column_bytes};
    }
    for (size_t k = 0; k < series->n_counters; k++)
        pieces[n_pieces++] = (struct iovec){series->counters[k], column_bytes};
    output_chunk(&writer->output, header, pieces, n_pieces);
    series->n_samples = 0;
    series->has_time = series->has_cycle = false;
    series->first_cycle = COUNT_UNKNOWN;
}

static void grow_column(void *column, size_t n)
{
    void **p = column;
    *p = memory_resize(*p, n, 8);
}

static void grow(struct series_writer *series)
{
    series->samples_capacity = series->samples_capacity ? series->samples_capacity * 2 : 256;
    grow_column(&series->latency_ns, series->samples_capacity);
    if (series->time_ns)
        grow_column(&series->time_ns, series->samples_capacity);
    if (series->cycle)
        grow_column(&series->cycle, series->samples_capacity);
    for (size_t k = 0; k < series->n_counters; k++)
        grow_column(&series->counters[k], series->samples_capacity);
}

/* The first sample of this chunk that has a time: those before it have none. */
static void begin_times(struct series_writer *series)
{
    if (!series->time_ns)
        grow_column(&series->time_ns, series->samples_capacity);
    for (size_t i = 0; i < series->n_samples; i++)
        series->time_ns[i] = NS_UNKNOWN;
    series->has_time = true;
}

/* The first sample of this chunk whose cycle does not follow from the first one's. */
static void begin_cycles(struct series_writer *series)
{
    if (!series->cycle)
        grow_column(&series->cycle, series->samples_capacity);
    for (size_t i = 0; i < series->n_samples; i++)
        series->cycle[i] = series->first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN : series->first_cycle + i;
    series->has_cycle = true;
}

static inline size_t add_sample(struct store_writer *writer, uint32_t number, const struct sample *sample)
{
    struct series_writer *series = &writer->series[number];
    if (series->n_samples == SAMPLES_PER_CHUNK)
        writer_flush_samples(writer, number);
    if (series->n_samples == series->samples_capacity)
        grow(series);
    size_t i = series->n_samples;
    if (sample->time_ns != NS_UNKNOWN && !series->has_time)
        begin_times(series);
    if (!i)
        series->first_cycle = sample->cycle;
    else if (!series->has_cycle &&
             sample->cycle != (series->first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN : series->first_cycle + i))
        begin_cycles(series);
    series->latency_ns[i] = sample->latency_ns;
    if (series->has_time)
        series->time_ns[i] = sample->time_ns;
    if (series->has_cycle)
        series->cycle[i] = sample->cycle;
    series->n_samples++;
    return i;
}

void store_add_sample(struct store_writer *writer, uint32_t series, const struct sample *sample)
{
    size_t i = add_sample(writer, series, sample);
    for (size_t k = 0; k < writer->series[series].n_counters; k++)
        writer->series[series].counters[k][i] = COUNT_UNKNOWN;
}

void store_set_sample_counters(struct store_writer *writer, uint32_t number, const char *const *names, size_t n)
{
    struct series_writer *series = &writer->series[number];
    assert(!series->samples_capacity && !series->n_counters && n <= OUTPUT_PIECES - 4);
    series->n_counters = n;
    series->counters = memory_new(n * sizeof *series->counters);
    for (size_t i = 0; i < n; i++)
        pool_add(&writer->tables[TABLE_SAMPLE_COUNTERS], sizeof(struct sample_counter_row),
                 &(struct sample_counter_row){number, store_keep(writer, names[i])});
}

void store_add_sample_counted(struct store_writer *writer, uint32_t series, const struct sample *sample,
                              const uint64_t *counters)
{
    size_t i = add_sample(writer, series, sample);
    for (size_t k = 0; k < writer->series[series].n_counters; k++)
        writer->series[series].counters[k][i] = counters[k];
}
