/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_file_dump FILE        every field of a run file as lines of text; tests/run_file_reader.py prints the same
 * run_file_dump --make FILE [zstd]  writes the fixture as a run file
 */
#include <inttypes.h>

#include "tests/store_fixture.h"

static void print_string(const char *string)
{
    if (!string) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (; *string; string++)
        if (*string == '"' || *string == '\\' || (unsigned char)*string < 32 || (unsigned char)*string > 126)
            printf("\\x%02x", (unsigned char)*string);
        else
            putchar(*string);
    putchar('"');
}

static void print_member(const struct row_field *field, const char *member)
{
    uint32_t number;
    uint64_t wide;
    struct decimal d;
    const char *string;
    bool flag;
    printf(" %s=", strrchr(field->name, '.') ? strrchr(field->name, '.') + 1 : field->name);
    switch ((enum field_type)field->type) {
    case FIELD_U32:
        memcpy(&number, member, 4);
        printf("%" PRIu32, number);
        break;
    case FIELD_I32:
        memcpy(&number, member, 4);
        printf("%" PRId32, (int32_t)number);
        break;
    case FIELD_I64:
        memcpy(&wide, member, 8);
        printf("%" PRId64, (int64_t)wide);
        break;
    case FIELD_U64:
        memcpy(&wide, member, 8);
        printf("%" PRIu64, wide);
        break;
    case FIELD_F64:
        memcpy(&wide, member, 8);
        printf("%016" PRIx64, wide);
        break;
    case FIELD_BOOL:
        memcpy(&flag, member, sizeof flag);
        printf("%d", flag);
        break;
    case FIELD_STRING:
        memcpy(&string, member, sizeof string);
        print_string(string);
        break;
    case FIELD_HEX:
        print_string(*member ? member : NULL);
        break;
    case FIELD_DECIMAL:
        memcpy(&d, member, sizeof d);
        if (d.is_known)
            printf("%" PRId64 "/%u", d.mantissa, d.digits);
        else
            fputs("null", stdout);
        break;
    }
}

static void print_rows(enum row_table_id id, const void *rows, size_t n)
{
    const struct row_table *table = &row_tables[id];
    for (size_t i = 0; i < n; i++) {
        printf("%s %zu", table->name, i);
        for (size_t k = 0; k < table->n_fields; k++)
            print_member(&table->fields[k], (const char *)rows + i * table->row_size + table->fields[k].offset);
        putchar('\n');
    }
}

static void print_claim_lists(const struct store *store)
{
    for (uint32_t i = 0; i < store->n_claims; i++)
        for (size_t k = 0; k < store->claims[i].n_parts; k++)
            print_rows(TABLE_CLAIM_PARTS, &(struct claim_part_row){i, store->claims[i].parts[k]}, 1);
    for (uint32_t i = 0; i < store->n_claims; i++)
        for (size_t k = 0; k < store->claims[i].n_stack; k++)
            print_rows(TABLE_CLAIM_STACKS, &(struct claim_stack_row){i, store->claims[i].stack[k]}, 1);
}

static void print_time(int64_t ns)
{
    if (ns == NS_UNKNOWN)
        fputs(" null", stdout);
    else
        printf(" %" PRId64, ns);
}

static void print_count(uint64_t n)
{
    if (n == COUNT_UNKNOWN)
        fputs(" null", stdout);
    else
        printf(" %" PRIu64, n);
}

static int print_series(const struct store *store, uint32_t series)
{
    size_t n;
    struct error error = {0};
    const struct bin *bins = store_bins(store, series, &n);
    for (size_t i = 0; i < n; i++)
        printf("bin %u %" PRId64 " %" PRIu64 "\n", series, bins[i].low_ns, bins[i].count);
    const uint64_t *cycles = store_overflow_cycles(store, series, &n);
    for (size_t i = 0; i < n; i++)
        printf("cycle %u %" PRIu64 "\n", series, cycles[i]);
    const char *const *names = store_sample_counters(store, series, &n);
    for (size_t i = 0; i < n; i++) {
        printf("counter-name %u ", series);
        print_string(names[i]);
        putchar('\n');
    }
    for (size_t c = 0; c < store_count_sample_chunks(store, series); c++) {
        struct sample_view view;
        if (store_sample_chunk(store, series, c, &view, &error) != OK)
            return fprintf(stderr, "%s\n", error.text);
        for (size_t i = 0; i < view.n; i++) {
            printf("sample %u", series);
            print_time(view.time_ns ? view.time_ns[i] : NS_UNKNOWN);
            print_count(view.cycle ? view.cycle[i] : view.first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN : view.first_cycle + i);
            print_time(view.latency_ns[i]);
            for (size_t k = 0; k < view.n_counters; k++)
                print_count(view.counters[k][i]);
            putchar('\n');
        }
    }
    return 0;
}

static void print_state(const struct store *store, const struct event_view *view)
{
    const struct cpu_state *state = view->state;
    printf("state %u %d", view->stream, view->cpu);
    print_time(state->time_ns);
    printf(" %d %d ", state->tid, state->prio);
    print_string(store_string(store, state->comm));
    print_time(state->current_since_ns);
    printf(" %u", state->n_open);
    for (size_t i = 0; i < state->n_open && i < CPU_STATE_DEPTH; i++) {
        printf(" [%d %d ", state->open[i].kind, state->open[i].number);
        print_string(store_string(store, state->open[i].name));
        print_time(state->open[i].begin_ns);
        putchar(']');
    }
    putchar('\n');
}

static void print_event(const struct store *store, const struct event_view *view, size_t i)
{
    const struct event_kind_info *info = event_kind_info(view->kind[i]);
    const uint32_t *w = view->words + view->arg[i];
    size_t n = event_n_words(view, i);
    printf("event %" PRId64 " %d %u %08x %08x", view->time_ns[i], view->tid[i], view->kind[i], view->flags[i], view->flags_known);
    for (unsigned k = 0; info && k < info->n_arguments; k++) {
        char type = info->arguments[k].type;
        printf(" %s=", info->arguments[k].name);
        if (type == 'S')
            for (; n; n--, w++) {
                print_string(store_string(store, *w));
                putchar(',');
            }
        else if (type == 's')
            print_string(store_string(store, *w));
        else if (type == 'l' || type == 'X')
            printf("%" PRId64, event_words_i64(w));
        else
            printf("%" PRIu32, *w);
        if (type != 'S') {
            size_t used = type == 'l' || type == 'X' ? 2 : 1;
            w += used;
            n -= used;
        }
    }
    putchar('\n');
}

static int dump(const char *path)
{
    struct error error = {0};
    struct store *store = store_open(path, &error);
    if (!store) {
        fprintf(stderr, "%s\n", error.text);
        return 3;
    }
    print_rows(TABLE_RUNS, store->runs, store->n_runs);
    print_rows(TABLE_ARTEFACTS, store->artefacts, store->n_artefacts);
    print_rows(TABLE_STREAMS, store->streams, store->n_streams);
    print_rows(TABLE_SERIES, store->series, store->n_series);
    print_rows(TABLE_CLAIMS, store->claims, store->n_claims);
    print_claim_lists(store);
    print_rows(TABLE_FACTS, store->facts, store->n_facts);
    print_rows(TABLE_NOTES, store->notes, store->n_notes);
    print_rows(TABLE_COUNTERS, store->counters, store->n_counters);
    print_rows(TABLE_GAPS, store->gaps, store->n_gaps);
    print_rows(TABLE_CLOCK_PAIRS, store->clock_pairs, store->n_clock_pairs);
    print_rows(TABLE_TASKS, store->tasks, store->n_tasks);
    int status = 0;
    for (uint32_t i = 0; i < store->n_series && !status; i++)
        status = print_series(store, i);
    for (size_t c = 0; c < store->n_event_chunks && !status; c++) {
        struct event_view view;
        if (store_event_view(store, c, &view, &error) != OK)
            status = fprintf(stderr, "%s\n", error.text);
        else {
            print_state(store, &view);
            for (size_t i = 0; i < view.n; i++)
                print_event(store, &view, i);
        }
    }
    store_close(store);
    return status ? 3 : 0;
}

static int make(const char *path, bool compress)
{
    struct error error = {0};
    struct fixture f = {.seed = 42};
    struct store_writer *writer = store_writer_new(path, &error);
    if (!writer) {
        fprintf(stderr, "%s\n", error.text);
        return 4;
    }
    store_writer_set_compression(writer, compress);
    fixture_write(&f, writer, 700, 20000);
    enum status status = store_writer_finish(writer, &error);
    fixture_release(&f);
    return status == OK ? 0 : 4;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && !strcmp(argv[1], "--make"))
        return make(argv[2], argc > 3);
    return argc == 2 ? dump(argv[1]) : 2;
}
