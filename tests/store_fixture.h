/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run file with something of everything: rows of all tables, filled member by member from the tables of store/ (so
 * a new member is tested by itself), samples with and without times, cycles and counters, events of every kind.
 */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/row_table.h"
#include "store/store.h"
#include "store/writer.h"

#define FIXTURE_MAX_ROWS 24

/* What went in, to compare with what comes out. */
struct fixture {
    uint64_t seed;
    size_t n_rows[N_TABLES];
    void *rows[N_TABLES]; /* FIXTURE_MAX_ROWS each */
    struct arena arena;
};

static inline uint64_t fixture_random(struct fixture *f)
{
    f->seed ^= f->seed << 13;
    f->seed ^= f->seed >> 7;
    f->seed ^= f->seed << 17;
    return f->seed;
}

static inline const char *fixture_string(struct fixture *f)
{
    static const char *const words[] = {NULL, "", "cyclictest", "swapper/0", "a \"quoted\" word", "line\nfeed",
                                        "ksoftirqd/1", "\xff\xfe damaged", "eight888", "a text of more than sixteen bytes"};
    uint64_t x = fixture_random(f);
    return x % 3 ? words[x / 3 % (sizeof words / sizeof *words)]
                 : arena_format(&f->arena, "text %u of %u", (unsigned)(x >> 8 & 0xffff), (unsigned)(x >> 30 & 15));
}

static inline void fixture_member(struct fixture *f, const struct row_field *field, char *member)
{
    uint64_t x = fixture_random(f);
    uint32_t number = field->refers_to ? (uint32_t)(x % f->n_rows[field->refers_to]) : (uint32_t)x;
    if (field->is_optional && x >> 61 == 0)
        number = ROW_NONE;
    if (field->max)
        number = (uint32_t)(x % (field->max + 1));
    struct decimal d = {.mantissa = (int64_t)x >> 20, .digits = (uint8_t)(x & 3), .is_known = x & 4};
    double real = x & 1 ? (double)NAN : (double)(x >> 11) / 8;
    const char *string;
    bool flag = x & 1;
    if (field->type == FIELD_I64)
        x = (uint64_t)((int64_t)x / 2); /* within NS_LIMIT */
    if (field->type == FIELD_U64)
        x /= 4;
    x = x & 3 ? x : field->type == FIELD_I64 ? (uint64_t)INT64_MIN : UINT64_MAX; /* sentinels are frequent */
    switch ((enum field_type)field->type) {
    case FIELD_U32:
    case FIELD_I32:
        memcpy(member, &number, 4);
        break;
    case FIELD_I64:
    case FIELD_U64:
        memcpy(member, &x, 8);
        break;
    case FIELD_F64:
        memcpy(member, &real, 8);
        break;
    case FIELD_BOOL:
        memcpy(member, &flag, sizeof flag);
        break;
    case FIELD_STRING:
        string = fixture_string(f);
        memcpy(member, &string, sizeof string);
        break;
    case FIELD_HEX:
        if (x & 8)
            snprintf(member, 65, "%016llx%016llx%016llx%016llx", (unsigned long long)x, 1ull, 2ull, 3ull);
        break;
    case FIELD_DECIMAL:
        if (d.is_known)
            memcpy(member, &d, sizeof d);
        break;
    }
}

static inline void *fixture_row(struct fixture *f, enum row_table_id id)
{
    const struct row_table *table = &row_tables[id];
    if (!f->rows[id])
        f->rows[id] = arena_array(&f->arena, FIXTURE_MAX_ROWS, table->row_size);
    char *row = (char *)f->rows[id] + f->n_rows[id] * table->row_size;
    for (size_t i = 0; i < table->n_fields; i++)
        fixture_member(f, &table->fields[i], row + table->fields[i].offset);
    f->n_rows[id]++;
    return row;
}

static inline void fixture_claim(struct fixture *f, struct store_writer *writer)
{
    struct claim *claim = fixture_row(f, TABLE_CLAIMS);
    claim->n_parts = fixture_random(f) % 4;
    claim->n_stack = fixture_random(f) % 3;
    struct claim_part *parts = arena_array(&f->arena, 4, sizeof *parts);
    const char **stack = arena_array(&f->arena, 3, sizeof *stack);
    for (size_t i = 0; i < claim->n_parts; i++) {
        struct claim_part_row row = {0};
        for (size_t k = 1; k < row_tables[TABLE_CLAIM_PARTS].n_fields; k++)
            fixture_member(f, &row_tables[TABLE_CLAIM_PARTS].fields[k], (char *)&row + row_tables[TABLE_CLAIM_PARTS].fields[k].offset);
        parts[i] = row.part;
    }
    for (size_t i = 0; i < claim->n_stack; i++)
        stack[i] = fixture_string(f);
    claim->parts = parts;
    claim->stack = stack;
    store_add_claim(writer, claim);
}

static inline struct sample fixture_sample(uint32_t series, uint64_t i)
{
    struct sample sample = {.time_ns = NS_UNKNOWN, .cycle = COUNT_UNKNOWN, .latency_ns = (int64_t)(i * 7919 % 104729) - 50};
    if (series & 1)
        sample.time_ns = i % 50 == 20 ? NS_UNKNOWN : (int64_t)i * 1000000 + series;
    if (series & 2)
        sample.cycle = i + (i > 100 ? 3 : 0);
    return sample;
}
#define FIXTURE_COUNTER(i, k) ((i) % 11 == (k) ? COUNT_UNKNOWN : (i) * 10 + (k))

static inline void fixture_samples(struct store_writer *writer, uint32_t series, uint64_t n)
{
    static const char *const names[] = {"cycles", "cache_misses"};
    if (series == 3)
        store_set_sample_counters(writer, series, names, 2);
    for (uint64_t i = 0; i < n; i++) {
        struct sample sample = fixture_sample(series, i);
        uint64_t counters[] = {FIXTURE_COUNTER(i, 0), FIXTURE_COUNTER(i, 1)};
        if (series == 3)
            store_add_sample_counted(writer, series, &sample, counters);
        else
            store_add_sample(writer, series, &sample);
    }
}

/* An event of the given kind with random arguments; strings from a few. */
static inline void fixture_event(struct fixture *f, struct event_batch *batch, int64_t time_ns, unsigned kind)
{
    const struct event_kind_info *info = event_kind_info(kind);
    size_t n_list = info->n_arguments && info->arguments[info->n_arguments - 1].type == 'S' ? fixture_random(f) % 5 : 0;
    uint32_t *w = event_batch_add(batch, time_ns, (int32_t)(fixture_random(f) % 100), kind, (uint32_t)fixture_random(f),
                                  info->n_words + n_list);
    for (unsigned i = 0; i < info->n_arguments; i++) {
        char type = info->arguments[i].type;
        size_t n = type == 'S' ? n_list : type == 'l' || type == 'X' ? 2 : 1;
        for (size_t k = 0; k < n; k++, w++) {
            const char *string = type == 's' || type == 'S' ? fixture_string(f) : NULL;
            if (type == 's' || type == 'S')
                event_batch_set_string(batch, w, event_batch_intern(batch, string, string ? strlen(string) : 0));
            else
                *w = (uint32_t)(fixture_random(f) % 10);
        }
    }
}

static inline void fixture_events(struct fixture *f, struct store_writer *writer, uint32_t stream, size_t n_rounds)
{
    struct event_sink *sink = event_sink_new(writer, stream);
    int64_t time_ns = 1000;
    event_sink_set_flags_known(sink, FLAG_IRQS_OFF | FLAG_NEED_RESCHED | FLAG_PREEMPT_DEPTH);
    for (size_t i = 0; i < n_rounds; i++)
        for (unsigned kind = 1; kind < KIND_END; kind++)
            if (event_kind_info(kind))
                fixture_event(f, event_sink_batch(sink, (int)(fixture_random(f) % 3)), time_ns += (int64_t)(fixture_random(f) % 50), kind);
    event_sink_free(sink);
}

/* n_rounds: of every event kind; n_samples: of each series. */
static inline void fixture_write(struct fixture *f, struct store_writer *writer, size_t n_rounds, uint64_t n_samples)
{
    for (int i = 0; i < 3; i++)
        store_add_run(writer, fixture_row(f, TABLE_RUNS));
    for (int i = 0; i < 4; i++)
        store_add_artefact(writer, fixture_row(f, TABLE_ARTEFACTS));
    for (int i = 0; i < 2; i++)
        store_add_stream(writer, fixture_row(f, TABLE_STREAMS));
    for (int i = 0; i < 6; i++)
        store_add_series(writer, fixture_row(f, TABLE_SERIES));
    for (int i = 0; i < 5; i++)
        fixture_claim(f, writer);
    for (int i = 0; i < 12; i++)
        store_add_fact(writer, fixture_row(f, TABLE_FACTS));
    for (int i = 0; i < 7; i++)
        store_add_note(writer, fixture_row(f, TABLE_NOTES));
    for (int i = 0; i < 20; i++)
        store_add_counter(writer, fixture_row(f, TABLE_COUNTERS));
    for (int i = 0; i < 6; i++)
        store_add_gap(writer, fixture_row(f, TABLE_GAPS));
    for (int i = 0; i < 3; i++)
        store_add_clock_pair(writer, fixture_row(f, TABLE_CLOCK_PAIRS));
    for (int i = 0; i < 9; i++)
        store_add_task(writer, fixture_row(f, TABLE_TASKS));
    for (uint32_t series = 0; series < 6; series++)
        fixture_samples(writer, series, n_samples);
    store_add_bins(writer, 1, (struct bin[]){{-7, 3}, {0, 1}, {5000, UINT64_MAX - 5}}, 3);
    store_add_bins(writer, 4, (struct bin[]){{2000, 3}, {1000, 9}, {2000, 1}}, 3);
    store_add_overflow_cycles(writer, 4, (uint64_t[]){99, 7, 12}, 3);
    for (uint32_t stream = 0; stream < 2; stream++)
        fixture_events(f, writer, stream, n_rounds);
}

static inline void fixture_release(struct fixture *f)
{
    arena_release(&f->arena);
}

#endif
