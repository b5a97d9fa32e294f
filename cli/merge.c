/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repeated runs added up: what cannot be added without changing its meaning is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"
#include "cli/session.h"

static const struct option_row *const options[] = {options_file, options_input, options_output, NULL};

static bool same_word(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The first series of the merged run that this one adds to: same tool, same name. */
static uint32_t partner_of(const struct store *store, uint32_t series)
{
    for (uint32_t i = 0; i < series; i++)
        if (same_word(store->series[i].tool, store->series[series].tool) && same_word(store->series[i].name, store->series[series].name))
            return i;
    return series;
}

static enum status differs(const struct series *a, const char *what, int64_t x, int64_t y, struct error *error)
{
    char one[DURATION_TEXT_BYTES], other[DURATION_TEXT_BYTES];
    return error_input(error, "cannot add %s up: its %s is %s in one run and %s in another", a->name ? a->name : "a series", what,
                       x == NS_UNKNOWN ? "unknown" : duration_format(x, one), y == NS_UNKNOWN ? "unknown" : duration_format(y, other));
}

/* Two known values that differ change what a sum means; one that is not known is only noted. */
static enum status check_pair(const struct series *a, const struct series *b, struct error *error)
{
    if (a->path != b->path && a->path && b->path)
        return error_input(error, "cannot add %s up: it measures %s in one run and %s in another", a->name,
                           measure_path_name(a->path), measure_path_name(b->path));
    if (a->interval_ns != b->interval_ns && a->interval_ns != NS_UNKNOWN && b->interval_ns != NS_UNKNOWN)
        return differs(a, "interval", a->interval_ns, b->interval_ns, error);
    if (a->bin_width_ns != b->bin_width_ns && a->bin_width_ns != NS_UNKNOWN && b->bin_width_ns != NS_UNKNOWN)
        return differs(a, "bin width", a->bin_width_ns, b->bin_width_ns, error);
    bool overflows = (a->n_overflow != COUNT_UNKNOWN && a->n_overflow) || (b->n_overflow != COUNT_UNKNOWN && b->n_overflow);
    if (overflows && a->overflow_limit_ns != b->overflow_limit_ns)
        return differs(a, "histogram limit", a->overflow_limit_ns, b->overflow_limit_ns, error);
    return OK;
}

static uint64_t add_count(uint64_t a, uint64_t b)
{
    return a == COUNT_UNKNOWN || b == COUNT_UNKNOWN ? COUNT_UNKNOWN : a + b;
}

static void add_series(struct series *sum, const struct series *more)
{
    if (!isnan(sum->avg_ns) && !isnan(more->avg_ns) && sum->n_samples != COUNT_UNKNOWN && more->n_samples != COUNT_UNKNOWN &&
        sum->n_samples + more->n_samples)
        sum->avg_ns = (sum->avg_ns * (double)sum->n_samples + more->avg_ns * (double)more->n_samples) /
                      (double)(sum->n_samples + more->n_samples);
    else
        sum->avg_ns = NAN;
    sum->n_samples = add_count(sum->n_samples, more->n_samples);
    sum->n_overflow = add_count(sum->n_overflow, more->n_overflow);
    sum->n_stated_lost = add_count(sum->n_stated_lost, more->n_stated_lost);
    sum->n_requested = add_count(sum->n_requested, more->n_requested);
    sum->max_is_lower_bound |= more->max_is_lower_bound || (sum->max_ns == NS_UNKNOWN) != (more->max_ns == NS_UNKNOWN);
    if (more->max_ns > sum->max_ns) /* NS_UNKNOWN is below all */
        sum->max_ns = more->max_ns;
    sum->min_ns = sum->min_ns == NS_UNKNOWN || more->min_ns == NS_UNKNOWN ? NS_UNKNOWN : sum->min_ns < more->min_ns ? sum->min_ns : more->min_ns;
    sum->duration_ns = sum->duration_ns == NS_UNKNOWN || more->duration_ns == NS_UNKNOWN ? NS_UNKNOWN : sum->duration_ns + more->duration_ns;
    sum->is_cut |= more->is_cut;
    sum->has_times &= more->has_times;
}

static enum status add_contents(struct store_writer *writer, const struct store *store, uint32_t from, uint32_t to, struct error *error)
{
    size_t n;
    const struct bin *bins = store_bins(store, from, &n);
    if (n)
        store_add_bins(writer, to, bins, n);
    const uint64_t *cycles = store_overflow_cycles(store, from, &n);
    if (n)
        store_add_overflow_cycles(writer, to, cycles, n);
    struct sample_view view;
    for (size_t c = 0; c < store_count_sample_chunks(store, from); c++) {
        if (store_sample_chunk(store, from, c, &view, error) == FAILED)
            return FAILED;
        for (size_t i = 0; i < view.n; i++) {
            struct sample sample = {
                .time_ns = view.time_ns ? view.time_ns[i] : NS_UNKNOWN,
                .cycle = view.cycle ? view.cycle[i] : view.first_cycle == COUNT_UNKNOWN ? COUNT_UNKNOWN : view.first_cycle + i,
                .latency_ns = view.latency_ns[i],
            };
            store_add_sample(writer, to, &sample);
        }
    }
    return OK;
}

/* Facts that all runs agree on once; others with every value, and a note that the runs differ. */
static void add_facts(struct store_writer *writer, const struct store *store)
{
    for (size_t i = 0; i < store->n_facts; i++) {
        struct fact fact = store->facts[i];
        bool is_known = false;
        for (size_t k = 0; k < i && !is_known; k++) {
            if (!same_word(store->facts[k].key, fact.key))
                continue;
            is_known = same_word(store->facts[k].value, fact.value);
            if (!is_known && store->facts[k].run != fact.run) {
                struct text text = {0};
                text_format(&text, "%s is %s in one run and %s in another", fact.key, store->facts[k].value, fact.value);
                store_add_note(writer, &(struct note){.artefact = fact.artefact == ROW_NONE ? 0 : fact.artefact, .run = 0,
                                                      .code = "mixed-runs", .count = 1, .text = text_string(&text)});
                text_release(&text);
            }
        }
        fact.run = 0;
        if (!is_known)
            store_add_fact(writer, &fact);
    }
}

static enum status merge(struct store_writer *writer, const struct store *store, struct error *error)
{
    struct text label = {0};
    text_format(&label, "%s and %zu more", store->runs[0].label ? store->runs[0].label : "run 0", store->n_runs - 1);
    store_add_run(writer, &(struct run){.label = text_string(&label), .group = 0});
    text_release(&label);
    for (size_t i = 0; i < store->n_artefacts; i++) {
        struct artefact artefact = store->artefacts[i];
        artefact.run = 0;
        store_add_artefact(writer, &artefact);
    }
    for (size_t i = 0; i < store->n_notes; i++) {
        struct note note = store->notes[i];
        note.run = 0;
        store_add_note(writer, &note);
    }
    add_facts(writer, store);
    uint32_t *place = memory_new((store->n_series + 1) * sizeof *place);
    enum status status = OK;
    for (uint32_t i = 0; i < store->n_series && status == OK; i++) {
        uint32_t partner = partner_of(store, i);
        if (partner == i) {
            struct series series = store->series[i];
            series.run = 0;
            place[i] = store_add_series(writer, &series);
        } else if ((status = check_pair(&store->series[partner], &store->series[i], error)) == OK) {
            place[i] = place[partner];
            add_series(store_edit_series(writer, place[i]), &store->series[i]);
        }
        if (status == OK)
            status = add_contents(writer, store, i, place[i], error);
    }
    free(place);
    return status;
}

static int run(struct request *request, struct error *error)
{
    if (!request->output)
        return error_usage(error, "merge needs -o RUN.wl"), EXIT_USAGE;
    struct store *store = session_store(request, request->words, request->n_words, error);
    if (!store)
        return error_exit_code(error);
    enum status status = OK;
    struct store_writer *writer = NULL;
    if (store->n_runs < 2)
        status = error_input(error, "there is nothing to add up: the inputs hold %zu run", store->n_runs);
    else if (!(writer = store_writer_new(request->output, error)))
        status = FAILED;
    else if ((status = merge(writer, store, error)) == FAILED)
        store_writer_abandon(writer);
    else
        status = store_writer_finish(writer, error);
    store_close(store);
    return status == FAILED ? error_exit_code(error) : session_show_file(request, error);
}

const struct command command_merge = {
    .name = "merge",
    .summary = "repeated runs added up into one",
    .arguments = "INPUT INPUT... -o RUN.wl",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Adds the histograms and samples of repeated runs, series by series. Runs whose intervals, units, bins or "
                   "limits differ are refused; other conditions that differ are noted. Traces and counters stay behind: "
                   "they cannot be added.",
    .examples = "whylate merge monday.wl tuesday.wl -o both.wl\n",
    .jobs = JOB_INFO,
    .options = options,
    .run = run,
};
