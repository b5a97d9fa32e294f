/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a trace says about latencies itself: the maximum in a latency tracer's header, rows of timerlat, hwlat and osnoise,
 * marks that a measuring tool wrote. They become series and claims.
 */
#include "importers/ftrace/reader.h"

#include <stdio.h>

#include "base/memory.h"
#include "importers/mark.h"

/* ---- the header ---- */

static enum measure_path path_of(enum claim_section section)
{
    return section == SECTION_WAKEUP ? PATH_TIMER_WAKEUP : PATH_SECTION;
}

/* 2.6 -rt: a wakeup of a real-time task or a critical section; only a section has a place where it started. */
enum claim_section summary_section(const struct ftrace_header *header)
{
    enum claim_section section = ftrace_tracer_section(header->tracer);
    if (header->is_26vp) /* it measured preemption off, and from V0.7 on wakeups too, with their ends as places */
        return strncmp(header->ended_at, "finish_task_switch", 18) == 0 ? SECTION_WAKEUP : SECTION_PREEMPT_OFF;
    if (section == SECTION_UNKNOWN && header->is_26rt)
        return header->started_at[0] ? SECTION_PREEMPT_IRQS_OFF : SECTION_WAKEUP;
    return section;
}

void summary_header(struct ftrace_reader *reader, struct import *import)
{
    const struct ftrace_header *header = &reader->header;
    bool has_columns = strcmp(header->tracer, "timerlat") == 0 || strcmp(header->tracer, "hwlat") == 0 ||
                       strcmp(header->tracer, "osnoise") == 0;
    if (has_columns && import_has_series(import, header->tracer))
        import_new_run(import, NULL);
    if (!header->is_latency || !ftrace_tracer_measures(header->tracer))
        return;
    enum claim_section section = summary_section(header);
    const char *comm = header->comm[0] && !ftrace_comm_is_unknown(header->comm, strlen(header->comm)) ? header->comm : NULL;
    struct series series = series_unknown();
    series.name = header->tracer;
    series.tool = header->is_26rt ? "latency_trace" : "ftrace";
    series.path = path_of(section);
    series.tid = header->tid;
    series.comm = comm;
    series.cpu = header->cpu;
    series.policy = header->policy;
    series.priority = header->rt_priority;
    series.resolution_ns = 1000;
    series.n_samples = 1;
    series.min_ns = series.max_ns = header->latency_ns;
    series.avg_ns = (double)header->latency_ns;
    series.is_block_maxima = true; /* the largest since the tracer was reset */
    reader->run_series = import_series(import, &series); /* a second result in the file begins a run */

    if (header->tid != TID_UNKNOWN && comm)
        reader_name_task(reader, import, header->tid, comm, strlen(comm), false);
}

static void claim_header(const struct ftrace_reader *reader, struct import *import)
{
    const struct ftrace_header *header = &reader->header;
    const struct series *series = store_edit_series(import->store, reader->run_series);
    struct claim claim = claim_unknown();
    claim.run = reader->run;
    claim.artefact = import->artefact;
    claim.line = header->line;
    claim.kind = CLAIM_TRACER_HEADER;
    claim.section = summary_section(header);
    claim.series = reader->run_series;
    claim.stream = reader->n_buffers ? reader->first_stream : ROW_NONE;
    claim.cpu = header->cpu;
    claim.tid = header->tid;
    claim.comm = series->comm;
    claim.policy = header->policy;
    claim.rt_priority = header->rt_priority;
    claim.latency_ns = header->latency_ns;
    claim.time_ns = header->latency_ns; /* its clock starts at the section's begin */
    claim.begin_ns = 0;
    claim.end_ns = header->latency_ns;
    claim.started_at = header->started_at[0] ? header->started_at : NULL;
    claim.ended_at = header->ended_at[0] ? header->ended_at : NULL;
    claim.text = header->text;
    claim.n_stack = reader->n_header_stack;
    claim.stack = reader->header_stack;
    store_add_claim(import->store, &claim);
}

/* ---- columns of values ---- */

static const char *const column_tools[] = {
    [COLUMN_TIMERLAT] = "timerlat", [COLUMN_HWLAT] = "hwlat", [COLUMN_OSNOISE] = "osnoise", [COLUMN_OSNOISE_SINGLE] = "osnoise"};

static void describe(const struct trace_column *column, struct series *series, char name[64])
{
    *series = series_unknown();
    series->tool = column_tools[column->kind];
    series->cpu = column->cpu;
    series->has_times = true;
    series->resolution_ns = column->kind == COLUMN_TIMERLAT ? 1 : 1000;
    switch (column->kind) {
    case COLUMN_TIMERLAT:
        snprintf(name, 64, "cpu %d %s", column->cpu, column->context);
        series->path = strcmp(column->context, "irq") == 0 ? PATH_IRQ_HANDLER : PATH_TIMER_WAKEUP;
        break;
    case COLUMN_HWLAT:
        snprintf(name, 64, "%s", column->context);
        series->path = PATH_NOISE;
        series->is_block_maxima = true; /* a line is the largest gap of its window */
        break;
    case COLUMN_OSNOISE:
        snprintf(name, 64, "cpu %d Max Noise", column->cpu);
        series->path = PATH_NOISE;
        break;
    case COLUMN_OSNOISE_SINGLE:
        snprintf(name, 64, "cpu %d Max Single", column->cpu);
        series->path = PATH_NOISE;
        series->is_block_maxima = true;
        break;
    }
    series->name = name;
}

static struct trace_column *column_get(struct ftrace_reader *reader, struct import *import, enum column_kind kind,
                                       const char *context, size_t context_length, int32_t cpu)
{
    if (context_length >= sizeof reader->columns->context)
        return NULL;
    for (size_t i = 0; i < reader->n_columns; i++) {
        struct trace_column *column = &reader->columns[i];
        if (column->kind == kind && column->cpu == cpu && strlen(column->context) == context_length &&
            memcmp(column->context, context, context_length) == 0)
            return column;
    }
    if (reader->n_columns >= 4096)
        return NULL;
    memory_reserve(reader->columns, reader->columns_capacity, reader->n_columns + 1);
    struct trace_column *column = &reader->columns[reader->n_columns++];
    memset(column, 0, sizeof *column);
    column->kind = kind;
    memcpy(column->context, context, context_length);
    column->cpu = cpu;
    column->last_sequence = UINT64_MAX;
    column->last_ns = NS_UNKNOWN;
    struct series series;
    char name[64];
    describe(column, &series, name);
    series.run = reader->run;
    series.artefact = import->artefact;
    column->series = store_add_series(import->store, &series);
    return column;
}

/* Keeps the N_KEPT_CLAIMS largest. */
static void keep_top(struct kept_sample *top, size_t *n_top, const struct kept_sample *sample)
{
    if (*n_top < N_KEPT_CLAIMS) {
        top[(*n_top)++] = *sample;
        return;
    }
    size_t least = 0;
    for (size_t i = 1; i < N_KEPT_CLAIMS; i++)
        if (top[i].latency_ns < top[least].latency_ns)
            least = i;
    if (sample->latency_ns > top[least].latency_ns)
        top[least] = *sample;
}

static void column_add(struct import *import, struct trace_column *column, const struct kept_sample *kept, uint64_t cycle)
{
    struct sample sample = {.time_ns = kept->time_ns, .cycle = cycle, .latency_ns = kept->latency_ns};
    store_add_sample(import->store, column->series, &sample);
    if (column->n == 0 || kept->latency_ns < column->min_ns)
        column->min_ns = kept->latency_ns;
    if (column->n == 0 || kept->latency_ns > column->max_ns)
        column->max_ns = kept->latency_ns;
    column->n++;
    column->sum_ns += (double)kept->latency_ns;
    column->last_ns = kept->latency_ns;
    keep_top(column->top, &column->n_top, kept);
}

static const char *event_text(const struct ftrace_event *event, unsigned word, size_t *length)
{
    for (unsigned i = 0; i < event->n_strings; i++)
        if (event->strings[i].word == word) {
            *length = event->strings[i].length;
            return event->strings[i].text;
        }
    *length = 0;
    return "";
}

static void add_timerlat(struct ftrace_reader *reader, struct import *import, struct kept_sample *kept,
                         const struct ftrace_event *event)
{
    size_t length;
    const char *context = event_text(event, 1, &length);
    kept->latency_ns = event_words_i64(&event->words[2]);
    kept->sequence = event->words[0];
    bool is_irq = length == 3 && memcmp(context, "irq", 3) == 0;
    struct trace_column *column = column_get(reader, import, COLUMN_TIMERLAT, context, length, kept->cpu);
    if (!column || column->last_sequence == kept->sequence)
        return; /* the event timerlat_sample says the same as the tracer's own row */
    column->last_sequence = kept->sequence;
    if (is_irq) {
        kept->tid = TID_UNKNOWN; /* the row's task was interrupted, it does not measure */
        kept->comm = NULL;
    } else {
        for (size_t i = 0; i < reader->n_columns; i++) {
            const struct trace_column *irq = &reader->columns[i];
            if (irq->kind == COLUMN_TIMERLAT && irq->cpu == kept->cpu && strcmp(irq->context, "irq") == 0 &&
                irq->last_sequence == kept->sequence)
                kept->irq_latency_ns = irq->last_ns;
        }
    }
    column_add(import, column, kept, kept->sequence);
}

static void add_hwlat(struct ftrace_reader *reader, struct import *import, struct kept_sample *kept,
                      const struct ftrace_event *event)
{
    kept->tid = TID_UNKNOWN;
    kept->comm = NULL;
    for (int i = 0; i < 2; i++) {
        const char *context = i ? "outer" : "inner";
        struct trace_column *column = column_get(reader, import, COLUMN_HWLAT, context, 5, CPU_UNKNOWN);
        kept->latency_ns = event_words_i64(&event->words[2 * i]);
        if (column)
            column_add(import, column, kept, COUNT_UNKNOWN);
    }
}

static void add_osnoise(struct ftrace_reader *reader, struct import *import, struct kept_sample *kept,
                        const struct ftrace_event *event)
{
    struct trace_column *noise = column_get(reader, import, COLUMN_OSNOISE, "", 0, kept->cpu);
    kept->latency_ns = event_words_i64(&event->words[2]);
    if (noise)
        column_add(import, noise, kept, COUNT_UNKNOWN);
    struct trace_column *single = column_get(reader, import, COLUMN_OSNOISE_SINGLE, "", 0, kept->cpu);
    kept->latency_ns = event_words_i64(&event->words[4]);
    if (single)
        column_add(import, single, kept, COUNT_UNKNOWN);
}

static void add_mark(struct ftrace_reader *reader, struct import *import, const struct trace_buffer *buffer,
                     const struct kept_sample *kept, const char *text, size_t length)
{
    int64_t latency_ns;
    (void)reader;
    if (!mark_parse(text, length, &latency_ns))
        return;
    char words[256];
    snprintf(words, sizeof words, "%.*s", (int)(length < 255 ? length : 255), text);
    struct claim claim = claim_unknown();
    claim.run = reader->run;
    claim.artefact = import->artefact;
    claim.line = kept->line;
    claim.kind = CLAIM_MARK;
    claim.stream = buffer->stream;
    claim.cpu = kept->cpu;
    claim.tid = kept->tid;
    claim.comm = kept->comm;
    claim.latency_ns = latency_ns;
    claim.time_ns = kept->time_ns;
    claim.text = words;
    store_add_claim(import->store, &claim);
}

static bool is_peak(const char *name, size_t length)
{
    return (length == 14 && memcmp(name, "cobalt_latpeak", 14) == 0) || (length == 11 && memcmp(name, "evl_latspot", 11) == 0);
}

void summary_event(struct ftrace_reader *reader, struct import *import, const struct trace_buffer *buffer, int32_t cpu,
                   int64_t time_ns, const struct ftrace_row *row, uint64_t line, const struct ftrace_event *event)
{
    size_t name_length, length;
    struct kept_sample kept = {.time_ns = time_ns, .irq_latency_ns = NS_UNKNOWN, .cpu = cpu, .tid = row->tid, .line = line,
                               .stream = buffer->stream};
    if (event->kind != KIND_PRINT && event->kind != KIND_OTHER && event->kind != KIND_TIMERLAT && event->kind != KIND_HWLAT &&
        event->kind != KIND_OSNOISE && event->kind != KIND_OSNOISE_THRESHOLD)
        return;
    const char *name = event_text(event, 0, &name_length), *text = event_text(event, 1, &length);
    if (event->kind == KIND_OTHER && !is_peak(name, name_length))
        return;
    /* A name cut to the latency format's 8 bytes is left to the events, which state it whole. */
    bool is_cut = row->comm_length >= 8 && (row->form == FORM_LATENCY || row->form == FORM_REPORT_LATENCY);
    if (row->comm_length && !is_cut && !ftrace_comm_is_unknown(row->comm, row->comm_length)) {
        char comm[17];
        snprintf(comm, sizeof comm, "%.*s", (int)(row->comm_length < 16 ? row->comm_length : 16), row->comm);
        kept.comm = store_keep(import->store, comm);
    }
    switch (event->kind) {
    case KIND_TIMERLAT:
        add_timerlat(reader, import, &kept, event);
        break;
    case KIND_HWLAT:
        add_hwlat(reader, import, &kept, event);
        break;
    case KIND_OSNOISE:
        add_osnoise(reader, import, &kept, event);
        break;
    case KIND_OSNOISE_THRESHOLD:
        kept.time_ns = event_words_i64(&event->words[0]);
        kept.latency_ns = event_words_i64(&event->words[2]);
        keep_top(reader->silences, &reader->n_silences, &kept);
        break;
    default:
        add_mark(reader, import, buffer, &kept, text, length);
        break;
    }
}

/* ---- the end ---- */

static void claim_sample(struct ftrace_reader *reader, struct import *import, uint32_t series, enum claim_section section,
                         const struct kept_sample *kept)
{
    struct claim claim = claim_unknown();
    claim.run = reader->run;
    claim.artefact = import->artefact;
    claim.line = kept->line;
    claim.kind = CLAIM_SAMPLE;
    claim.section = section;
    claim.series = series;
    claim.stream = kept->stream;
    claim.cpu = kept->cpu;
    claim.tid = kept->tid;
    claim.comm = kept->comm;
    claim.latency_ns = kept->latency_ns;
    claim.time_ns = kept->time_ns;
    claim.irq_latency_ns = kept->irq_latency_ns;
    store_add_claim(import->store, &claim);
}

void summary_finish(struct ftrace_reader *reader, struct import *import)
{
    if (reader->run_series != ROW_NONE)
        claim_header(reader, import);
    for (size_t i = 0; i < reader->n_columns; i++) {
        struct trace_column *column = &reader->columns[i];
        struct series *series = store_edit_series(import->store, column->series);
        /* Max Single is the largest of each period: how many there were is not told. */
        series->n_samples = column->kind == COLUMN_OSNOISE_SINGLE ? COUNT_UNKNOWN : column->n;
        series->min_ns = column->min_ns;
        series->max_ns = column->max_ns;
        series->avg_ns = column->sum_ns / (double)column->n;
        if (column->kind == COLUMN_OSNOISE || column->kind == COLUMN_OSNOISE_SINGLE)
            continue; /* a period's noise has no place in time */
        enum claim_section section = column->kind == COLUMN_HWLAT ? SECTION_SILENCE
                                     : strcmp(column->context, "irq") == 0 ? SECTION_TIMER_IRQ : SECTION_TIMER_THREAD;
        for (size_t k = 0; k < column->n_top; k++)
            if (column->top[k].latency_ns > 0)
                claim_sample(reader, import, column->series, section, &column->top[k]);
    }
    /* The event carries the span's begin and length. */
    for (size_t i = 0; i < reader->n_silences; i++) {
        struct kept_sample kept = reader->silences[i];
        int64_t begin_ns = kept.time_ns;
        if (begin_ns == NS_UNKNOWN || kept.latency_ns <= 0 || __builtin_add_overflow(begin_ns, kept.latency_ns, &kept.time_ns))
            continue;
        kept.tid = TID_UNKNOWN;
        kept.comm = NULL;
        claim_sample(reader, import, ROW_NONE, SECTION_SILENCE, &kept);
        struct claim *claim = store_edit_claim(import->store, (uint32_t)(store_count_claims(import->store) - 1));
        claim->begin_ns = begin_ns;
        claim->end_ns = kept.time_ns;
    }
}
