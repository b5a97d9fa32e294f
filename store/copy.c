/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/copy.h"

#include <string.h>

#include "store/kinds.h"
#include "store/store_private.h"
#include "store/writer_private.h"

const struct store_copy_options store_copy_all = {.run = ROW_NONE, .group = ROW_NONE};

/* Where the rows of the source stand in the writer; ROW_NONE: left out. */
struct copy {
    struct store_writer *writer;
    const struct store *from;
    const struct store_copy_options *options;
    uint32_t *runs, *artefacts, *streams, *series;
    uint32_t *strings; /* ids, 0 not asked yet */
};

static uint32_t *new_map(size_t n)
{
    uint32_t *map = memory_new((n + 1) * sizeof *map);
    memset(map, 0xff, (n + 1) * sizeof *map);
    return map;
}

static uint32_t mapped(const uint32_t *map, uint32_t row)
{
    return row == ROW_NONE ? ROW_NONE : map[row];
}

static uint32_t string_id(struct copy *copy, uint32_t id)
{
    if (!id)
        return 0;
    if (!copy->strings[id]) {
        const char *string = store_string(copy->from, id);
        copy->strings[id] = writer_string(copy->writer, string, strlen(string));
    }
    return copy->strings[id];
}

/* A row without a time is in every span. */
static bool is_in_span(const struct copy *copy, int64_t begin_ns, int64_t end_ns)
{
    const struct store_copy_options *options = copy->options;
    if (!options->has_span)
        return true;
    return (end_ns == NS_UNKNOWN || end_ns >= options->begin_ns) && (begin_ns == NS_UNKNOWN || begin_ns <= options->end_ns);
}

static void copy_runs(struct copy *copy)
{
    for (uint32_t i = 0; i < copy->from->n_runs; i++) {
        struct run run = copy->from->runs[i];
        if (copy->options->run != ROW_NONE && copy->options->run != i)
            continue;
        if (copy->options->group != ROW_NONE)
            run.group = copy->options->group;
        copy->runs[i] = store_add_run(copy->writer, &run);
    }
}

static void need(bool *needed, uint32_t artefact)
{
    if (artefact != ROW_NONE)
        needed[artefact] = true;
}

/* The artefacts of the copied runs, and those of other runs that copied rows refer to. */
static void copy_artefacts(struct copy *copy)
{
    const struct store *from = copy->from;
    bool *needed = memory_new(from->n_artefacts + 1);
    uint32_t any_run = ROW_NONE;
    for (size_t i = 0; i < from->n_runs && any_run == ROW_NONE; i++)
        any_run = copy->runs[i];
#define NEED(rows, n)                                                                                        \
    for (size_t i = 0; i < from->n; i++)                                                                     \
        if (copy->runs[from->rows[i].run] != ROW_NONE)                                                       \
            need(needed, from->rows[i].artefact);
    NEED(series, n_series)
    NEED(streams, n_streams)
    NEED(facts, n_facts)
    NEED(counters, n_counters)
    NEED(claims, n_claims)
    NEED(tasks, n_tasks)
#undef NEED
    for (uint32_t i = 0; i < from->n_artefacts; i++) {
        struct artefact artefact = from->artefacts[i];
        uint32_t run = mapped(copy->runs, artefact.run);
        if (run == ROW_NONE && !needed[i] && artefact.run != ROW_NONE)
            continue;
        artefact.run = run != ROW_NONE || artefact.run == ROW_NONE ? run : any_run;
        copy->artefacts[i] = store_add_artefact(copy->writer, &artefact);
    }
    free(needed);
}

static void copy_series(struct copy *copy)
{
    const struct store *from = copy->from;
    for (uint32_t i = 0; i < from->n_series; i++) {
        struct series series = from->series[i];
        size_t n;
        if ((series.run = copy->runs[series.run]) == ROW_NONE)
            continue;
        series.artefact = mapped(copy->artefacts, series.artefact);
        uint32_t to = copy->series[i] = store_add_series(copy->writer, &series);
        const struct bin *bins = store_bins(from, i, &n);
        store_add_bins(copy->writer, to, bins, n);
        const uint64_t *cycles = store_overflow_cycles(from, i, &n);
        store_add_overflow_cycles(copy->writer, to, cycles, n);
        const char *const *names = store_sample_counters(from, i, &n);
        if (n && !copy->options->no_samples)
            store_set_sample_counters(copy->writer, to, names, n);
    }
}

static void copy_streams(struct copy *copy)
{
    for (uint32_t i = 0; i < copy->from->n_streams; i++) {
        struct stream stream = copy->from->streams[i];
        if ((stream.run = copy->runs[stream.run]) == ROW_NONE)
            continue;
        stream.artefact = mapped(copy->artefacts, stream.artefact);
        copy->streams[i] = store_add_stream(copy->writer, &stream);
    }
}

static void copy_claims(struct copy *copy)
{
    for (size_t i = 0; i < copy->from->n_claims; i++) {
        struct claim claim = copy->from->claims[i];
        if ((claim.run = copy->runs[claim.run]) == ROW_NONE || !is_in_span(copy, claim.time_ns, claim.time_ns))
            continue;
        claim.artefact = mapped(copy->artefacts, claim.artefact);
        claim.series = mapped(copy->series, claim.series);
        claim.stream = mapped(copy->streams, claim.stream);
        store_add_claim(copy->writer, &claim);
    }
}

static void copy_gaps(struct copy *copy)
{
    for (size_t i = 0; i < copy->from->n_gaps; i++) {
        struct gap gap = copy->from->gaps[i];
        if ((gap.run = copy->runs[gap.run]) == ROW_NONE || !is_in_span(copy, gap.begin_ns, gap.end_ns))
            continue;
        gap.stream = mapped(copy->streams, gap.stream);
        store_add_gap(copy->writer, &gap);
    }
    if (!copy->options->has_span)
        return;
    for (uint32_t i = 0; i < copy->from->n_streams; i++) { /* what the span leaves out was not empty */
        const struct stream *stream = &copy->from->streams[i];
        struct gap gap = {.run = copy->runs[stream->run], .stream = copy->streams[i], .cpu = CPU_UNKNOWN,
                          .n_lost = COUNT_UNKNOWN, .reason = "cut"};
        if (gap.stream == ROW_NONE || !stream->n_events)
            continue;
        gap.begin_ns = NS_UNKNOWN;
        gap.end_ns = copy->options->begin_ns;
        if (stream->begin_ns < copy->options->begin_ns)
            store_add_gap(copy->writer, &gap);
        gap.begin_ns = copy->options->end_ns < INT64_MAX ? copy->options->end_ns + 1 : INT64_MAX;
        gap.end_ns = NS_UNKNOWN;
        if (stream->end_ns > copy->options->end_ns)
            store_add_gap(copy->writer, &gap);
    }
}

static void copy_other_rows(struct copy *copy)
{
    const struct store *from = copy->from;
#define COPY(type, rows, n, add, has_artefact)                                                               \
    for (size_t i = 0; i < from->n; i++) {                                                                   \
        struct type row = from->rows[i];                                                                     \
        if ((row.run = copy->runs[row.run]) == ROW_NONE)                                                     \
            continue;                                                                                        \
        has_artefact;                                                                                        \
        add(copy->writer, &row);                                                                             \
    }
    COPY(fact, facts, n_facts, store_add_fact, row.artefact = mapped(copy->artefacts, row.artefact))
    COPY(counter, counters, n_counters, store_add_counter, row.artefact = mapped(copy->artefacts, row.artefact))
    COPY(task, tasks, n_tasks, store_add_task, row.artefact = mapped(copy->artefacts, row.artefact))
    COPY(clock_pair, clock_pairs, n_clock_pairs, store_add_clock_pair, (void)0)
#undef COPY
    for (size_t i = 0; i < from->n_notes; i++) {
        struct note note = from->notes[i];
        bool is_other_run = note.run != ROW_NONE && copy->runs[note.run] == ROW_NONE;
        bool is_other_artefact = note.artefact != ROW_NONE && copy->artefacts[note.artefact] == ROW_NONE;
        note.run = mapped(copy->runs, note.run);
        note.artefact = mapped(copy->artefacts, note.artefact);
        if (!is_other_run && !is_other_artefact)
            store_add_note(copy->writer, &note);
    }
}

/* ---- samples and events ---- */

static enum status copy_samples(struct copy *copy, uint32_t series, struct error *error)
{
    uint64_t counters[OUTPUT_PIECES];
    for (size_t c = 0; c < store_count_sample_chunks(copy->from, series); c++) {
        struct sample_view view;
        if (store_sample_chunk(copy->from, series, c, &view, error) != OK)
            return FAILED;
        if (view.n_counters > OUTPUT_PIECES - 4)
            return error_input(error, "too many sample counters");
        for (size_t i = 0; i < view.n; i++) {
            struct sample sample = {.time_ns = view.time_ns ? view.time_ns[i] : NS_UNKNOWN, .latency_ns = view.latency_ns[i]};
            sample.cycle = view.cycle ? view.cycle[i]
                           : view.first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN
                                                               : view.first_cycle + i;
            if (copy->options->has_span && (sample.time_ns == NS_UNKNOWN || !is_in_span(copy, sample.time_ns, sample.time_ns)))
                continue;
            for (size_t k = 0; k < view.n_counters; k++)
                counters[k] = view.counters[k][i];
            store_add_sample_counted(copy->writer, copy->series[series], &sample, counters);
        }
    }
    return OK;
}

/* The words of one event, its string ids exchanged for the writer's. */
static void copy_words(struct copy *copy, unsigned kind, const uint32_t *from, size_t n, uint32_t *to)
{
    if (n)
        memcpy(to, from, n * sizeof *to);
    if (kind >= KIND_END || !kind_layouts()[kind].is_known)
        return; /* a later version's: which words are strings is not known */
    const struct kind_layout *layout = &kind_layouts()[kind];
    for (size_t i = 0; i < layout->n_strings; i++)
        to[layout->string_words[i]] = string_id(copy, to[layout->string_words[i]]);
    if (layout->has_list)
        for (size_t i = layout->n_words; i < n; i++)
            to[i] = string_id(copy, to[i]);
}

/* The state before the first event copied, in the writer's strings. */
static struct cpu_state state_before(struct copy *copy, const struct event_view *view, size_t first)
{
    struct cpu_state state = *view->state;
    for (size_t i = 0; i < first; i++)
        cpu_state_step(&state, view->time_ns[i], view->tid[i], view->kind[i], view->words + view->arg[i]);
    state.comm = string_id(copy, state.comm);
    for (size_t i = 0; i < CPU_STATE_DEPTH; i++)
        state.open[i].name = string_id(copy, state.open[i].name);
    return state;
}

/* The words that the event's kind has here: a file may hold more, by a later version or by fault. */
#define MAX_LIST 65536u
static size_t n_copied(const struct event_view *view, size_t i)
{
    const struct kind_layout *layout = &kind_layouts()[view->kind[i]];
    size_t n = event_n_words(view, i), most = layout->n_words + (layout->has_list ? MAX_LIST : 0u);
    return n < most ? n : most;
}

static enum status copy_chunk(struct copy *copy, size_t chunk, struct event_batch *batch, bool *is_begun, struct error *error)
{
    struct event_view view;
    if (store_event_view(copy->from, chunk, &view, error) != OK)
        return FAILED;
    uint32_t stream = copy->streams[view.stream];
    batch->flags_known = view.flags_known;
    for (size_t i = 0; i < view.n; i++) {
        unsigned kind = view.kind[i];
        if (!is_in_span(copy, view.time_ns[i], view.time_ns[i]) || (kind < KIND_END && !event_kind_info(kind)) || kind >= KIND_END)
            continue;
        if (!*is_begun) {
            struct cpu_state state = state_before(copy, &view, i);
            writer_set_cpu_state(copy->writer, stream, view.cpu, &state);
            *is_begun = true;
        }
        size_t n_words = n_copied(&view, i);
        uint32_t *words = event_batch_add(batch, view.time_ns[i], view.tid[i], kind, view.flags[i], n_words);
        copy_words(copy, kind, view.words + view.arg[i], n_words, words);
        if (event_batch_is_full(batch))
            store_commit_events(copy->writer, stream, view.cpu, batch);
    }
    store_commit_events(copy->writer, stream, view.cpu, batch);
    return OK;
}

static enum status copy_events(struct copy *copy, struct error *error)
{
    const struct store *from = copy->from;
    struct event_batch *batch = event_batch_new();
    enum status status = OK;
    bool is_begun = false;
    for (size_t i = 0; i < from->n_event_chunks && status == OK; i++) {
        const struct event_chunk *chunk = &from->event_chunks[i];
        if (!i || chunk[-1].stream != chunk->stream || chunk[-1].cpu != chunk->cpu)
            is_begun = false;
        if (copy->streams[chunk->stream] != ROW_NONE && is_in_span(copy, chunk->begin_ns, chunk->end_ns))
            status = copy_chunk(copy, i, batch, &is_begun, error);
    }
    event_batch_free(batch);
    return status;
}

enum status store_copy(struct store_writer *writer, const struct store *from, const struct store_copy_options *options,
                       uint32_t *first_run, struct error *error)
{
    struct copy copy = {.writer = writer, .from = from, .options = options};
    enum status status = OK;
    size_t first_artefact = store_count_artefacts(writer);
    copy.runs = new_map(from->n_runs);
    copy.artefacts = new_map(from->n_artefacts);
    copy.streams = new_map(from->n_streams);
    copy.series = new_map(from->n_series);
    copy.strings = memory_new((store_count_strings(from) + 1) * sizeof *copy.strings);
    if (first_run)
        *first_run = (uint32_t)store_count_runs(writer);
    copy_runs(&copy);
    copy_artefacts(&copy);
    copy_series(&copy);
    copy_streams(&copy);
    copy_claims(&copy);
    copy_gaps(&copy);
    copy_other_rows(&copy);
    if (from->is_recovered && store_count_artefacts(writer) > first_artefact)
        store_add_note(writer, &(struct note){.artefact = (uint32_t)first_artefact, .run = ROW_NONE, .count = 1,
                                              .code = "file-truncated", .text = from->recovery});
    for (uint32_t i = 0; i < from->n_series && status == OK && !options->no_samples; i++)
        if (copy.series[i] != ROW_NONE)
            status = copy_samples(&copy, i, error);
    if (status == OK && !options->no_events)
        status = copy_events(&copy, error);
    free(copy.runs);
    free(copy.artefacts);
    free(copy.streams);
    free(copy.series);
    free(copy.strings);
    return status;
}
