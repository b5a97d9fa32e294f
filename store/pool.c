/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Facts that must not differ. What changes from run to run by itself (load averages, uptimes, host names) is not here. */
static const char *const conditions[] = {
    "kernel.release",   "kernel.version",    "kernel.machine",    "kernel.preempt", "kernel.realtime", "cpu.model",
    "cpu.count",        "cpu.governor",      "cmdline.isolcpus",  "cmdline.nohz_full", "cmdline.rcu_nocbs",
    "cmdline.preempt",  "load.kind",         "load.command",
};

static enum status check_conditions(const struct store *from, struct error *error)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        const struct fact *first = NULL;
        for (uint32_t run = 0; run < from->n_runs; run++) {
            const struct fact *fact = store_fact(from, run, conditions[i]);
            if (!fact || !fact->value)
                continue;
            if (first && strcmp(first->value, fact->value))
                return error_input(error, "runs differ in %s: '%s' in '%s', '%s' in '%s'", conditions[i], first->value,
                                   from->runs[first->run].label, fact->value, from->runs[run].label);
            if (!first)
                first = fact;
        }
    }
    return OK;
}

static bool is_same_name(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_series(const struct series *a, const struct series *b)
{
    return is_same_name(a->tool, b->tool) && is_same_name(a->name, b->name) &&
           (a->cpu == b->cpu || a->cpu == CPU_UNKNOWN || b->cpu == CPU_UNKNOWN);
}

/* Both known and different. */
static bool differs(int64_t a, int64_t b)
{
    return a != NS_UNKNOWN && b != NS_UNKNOWN && a != b;
}

static const char *series_fault(const struct series *sum, const struct series *add)
{
    if (sum->path && add->path && sum->path != add->path)
        return "path";
    if (differs(sum->interval_ns, add->interval_ns))
        return "interval";
    if (differs(sum->resolution_ns, add->resolution_ns))
        return "resolution";
    if (sum->bin_edge != add->bin_edge || differs(sum->bin_width_ns, add->bin_width_ns))
        return "bin width";
    if (differs(sum->overflow_limit_ns, add->overflow_limit_ns) && (sum->n_overflow || add->n_overflow))
        return "histogram limit";
    if (sum->is_block_maxima != add->is_block_maxima)
        return "kind of sample (each one, or the maximum of a block)";
    if (sum->policy && add->policy && sum->policy != add->policy)
        return "policy";
    if (sum->priority != PRIO_UNKNOWN && add->priority != PRIO_UNKNOWN && sum->priority != add->priority)
        return "priority";
    return NULL;
}

static uint64_t add_counts(uint64_t a, uint64_t b)
{
    uint64_t sum;
    if (a == COUNT_UNKNOWN || b == COUNT_UNKNOWN || __builtin_add_overflow(a, b, &sum))
        return COUNT_UNKNOWN;
    return sum;
}

static int64_t add_times(int64_t a, int64_t b)
{
    int64_t sum;
    if (a == NS_UNKNOWN || b == NS_UNKNOWN || __builtin_add_overflow(a, b, &sum))
        return NS_UNKNOWN;
    return sum;
}

static void add_up(struct series *sum, const struct series *add)
{
    double n = (double)sum->n_samples, m = (double)add->n_samples;
    bool has_counts = sum->n_samples != COUNT_UNKNOWN && add->n_samples != COUNT_UNKNOWN && n + m > 0;
    sum->avg_ns = has_counts ? n / (n + m) * sum->avg_ns + m / (n + m) * add->avg_ns : (double)NAN;
    sum->n_samples = add_counts(sum->n_samples, add->n_samples);
    if (sum->min_ns != NS_UNKNOWN && (add->min_ns == NS_UNKNOWN || add->min_ns < sum->min_ns))
        sum->min_ns = add->min_ns;
    if (sum->max_ns != NS_UNKNOWN && (add->max_ns == NS_UNKNOWN || add->max_ns > sum->max_ns))
        sum->max_ns = add->max_ns;
    sum->n_overflow = add_counts(sum->n_overflow, add->n_overflow);
    if (sum->overflow_limit_ns == NS_UNKNOWN || add->overflow_limit_ns < sum->overflow_limit_ns)
        sum->overflow_limit_ns = add->overflow_limit_ns;
    sum->n_stated_lost = add_counts(sum->n_stated_lost, add->n_stated_lost);
    sum->n_requested = add_counts(sum->n_requested, add->n_requested);
    sum->duration_ns = add_times(sum->duration_ns, add->duration_ns);
    sum->start_ns = NS_UNKNOWN;
    sum->tid = sum->tid == add->tid ? sum->tid : TID_UNKNOWN;
    sum->cpu = sum->cpu == add->cpu ? sum->cpu : CPU_UNKNOWN;
    sum->max_is_lower_bound |= add->max_is_lower_bound;
    sum->is_cut |= add->is_cut;
    sum->has_times = false; /* each run has its own zero */
}

/* Samples are added to samples; next to a run of which only a histogram is left, they are counted into it. */
static enum status add_data(struct store_writer *writer, uint32_t to, const struct store *from, uint32_t i, bool as_bins,
                            struct error *error)
{
    size_t n;
    const struct bin *bins = store_bins(from, i, &n);
    store_add_bins(writer, to, bins, n);
    for (size_t c = 0; c < store_count_sample_chunks(from, i) && !(as_bins && n); c++) {
        struct sample_view view;
        if (store_sample_chunk(from, i, c, &view, error) != OK)
            return FAILED;
        struct bin *counted = as_bins ? memory_resize(NULL, view.n, sizeof *counted) : NULL;
        for (size_t k = 0; k < view.n; k++) {
            struct sample sample = {NS_UNKNOWN, COUNT_UNKNOWN, view.latency_ns[k]};
            if (as_bins)
                counted[k] = (struct bin){view.latency_ns[k], 1};
            else
                store_add_sample(writer, to, &sample);
        }
        if (as_bins)
            store_add_bins(writer, to, counted, view.n);
        free(counted);
    }
    return OK;
}

static enum status add_series(struct store_writer *writer, const struct store *from, uint32_t first, uint32_t *to, struct error *error)
{
    struct series sum = from->series[first];
    bool some_without = false, some_with = false;
    sum.run = 0;
    for (uint32_t i = first; i < from->n_series; i++) {
        if (to[i] != ROW_NONE || !is_same_series(&from->series[first], &from->series[i]) ||
            (i != first && from->series[i].run == from->series[first].run))
            continue;
        const char *fault = i == first ? NULL : series_fault(&sum, &from->series[i]);
        if (fault)
            return error_input(error, "series '%s' has another %s in '%s' than in '%s': not added up", sum.name ? sum.name : "?",
                               fault, from->runs[from->series[i].run].label, from->runs[from->series[first].run].label);
        if (i != first)
            add_up(&sum, &from->series[i]);
        to[i] = (uint32_t)store_count_series(writer);
        some_with |= store_count_samples(from, i) > 0;
        some_without |= store_count_samples(from, i) == 0;
    }
    uint32_t number = store_add_series(writer, &sum);
    for (uint32_t i = first; i < from->n_series; i++)
        if (to[i] == number && add_data(writer, number, from, i, some_with && some_without, error) != OK)
            return FAILED;
    return OK;
}

static bool is_shared(const struct store *from, const struct fact *fact)
{
    for (uint32_t run = 0; run < from->n_runs; run++) {
        size_t n;
        const struct fact *const *facts = store_facts_of_run(from, run, &n);
        bool has = false;
        for (size_t i = 0; i < n && !has; i++)
            has = is_same_name(facts[i]->key, fact->key) && is_same_name(facts[i]->value, fact->value);
        if (!has)
            return false;
    }
    return true;
}

static bool key_ends(const struct fact *fact, const char *end)
{
    const char *dot = fact->key ? strrchr(fact->key, '.') : NULL;
    return dot && strcmp(dot, end) == 0;
}

/*
 * How many loops a run had to do and when it was: of the sum that would be wrong also where it is equal. A duration asked
 * for beside loops goes with them: alone it would say that time, and not the loops, ended the run.
 */
static bool is_of_one_run(const struct store *from, const struct fact *fact)
{
    size_t n;
    const struct fact *const *facts = store_facts_of_run(from, fact->run, &n);
    if (key_ends(fact, ".duration_ns"))
        for (size_t i = 0; i < n; i++)
            if (key_ends(facts[i], ".loops"))
                return true;
    return key_ends(fact, ".loops") || key_ends(fact, ".start_time") || key_ends(fact, ".end_time");
}

/* True if a series of an earlier run came from a file of these bytes. Equal files beside a series' own are no repeats. */
static bool is_repeat(const struct store *from, const struct series *series)
{
    const struct artefact *own = &from->artefacts[series->artefact];
    for (const struct series *before = from->series; before < series; before++) {
        if (before->run == series->run || before->artefact >= from->n_artefacts || before->artefact == series->artefact)
            continue;
        if (*own->sha256 && strcmp(from->artefacts[before->artefact].sha256, own->sha256) == 0)
            return true;
    }
    return false;
}

/* A run added up twice looks twice as long as it was: said at its file, once. */
static void note_repeats(struct store_writer *writer, const struct store *from)
{
    uint32_t noted = ROW_NONE;
    for (uint32_t i = 0; i < from->n_series; i++) {
        const struct series *series = &from->series[i];
        if (series->artefact >= from->n_artefacts || series->artefact == noted || !is_repeat(from, series))
            continue;
        noted = series->artefact;
        store_add_note(writer, &(struct note){.artefact = noted, .run = 0, .code = "mixed-runs", .count = 1,
                                              .text = "the same bytes as a file before it: one run, counted once more"});
    }
}

static void add_rows(struct store_writer *writer, const struct store *from)
{
    char label[4200], text[200];
    snprintf(label, sizeof label, "%s and %zu more", from->runs[0].label ? from->runs[0].label : "run 0", from->n_runs - 1);
    store_add_run(writer, &(struct run){.label = label});
    for (size_t i = 0; i < from->n_artefacts; i++) {
        struct artefact artefact = from->artefacts[i];
        artefact.run = 0;
        store_add_artefact(writer, &artefact);
    }
    for (size_t i = 0; i < from->n_notes; i++) {
        struct note note = from->notes[i];
        note.run = note.run == ROW_NONE ? ROW_NONE : 0;
        store_add_note(writer, &note);
    }
    for (size_t i = 0; i < from->n_facts; i++) {
        struct fact fact = from->facts[i];
        if (is_of_one_run(from, &fact))
            continue;
        if (fact.run == 0 && is_shared(from, &fact))
            store_add_fact(writer, &fact);
        else if (fact.run == 0 && from->n_artefacts) {
            snprintf(text, sizeof text, "%.60s (%.60s in the first run) is not the same in all runs", fact.key ? fact.key : "?",
                     fact.value ? fact.value : "?");
            store_add_note(writer, &(struct note){.artefact = fact.artefact == ROW_NONE ? 0 : fact.artefact, .run = 0,
                                                  .code = "mixed-runs", .count = 1, .text = text});
        }
    }
    snprintf(text, sizeof text, "%zu runs added up; what belongs to one run (%" PRIu64 " events, %zu counters, times) is left out",
             from->n_runs, from->n_events, from->n_counters);
    if (from->n_artefacts)
        store_add_note(writer, &(struct note){.artefact = 0, .run = 0, .code = "mixed-runs", .count = 1, .text = text});
    note_repeats(writer, from);
}

enum status store_pool_runs(struct store_writer *writer, const struct store *from, bool force, struct error *error)
{
    enum status status = OK;
    if (from->n_runs < 2)
        return error_input(error, "there is only one run, nothing to add up");
    if (!from->n_series)
        return error_input(error, "the runs hold no series to add up");
    if (!force && check_conditions(from, error) != OK)
        return FAILED;
    add_rows(writer, from);
    uint32_t *to = memory_resize(NULL, from->n_series, sizeof *to);
    memset(to, 0xff, from->n_series * sizeof *to);
    for (uint32_t i = 0; i < from->n_series && status == OK; i++)
        if (to[i] == ROW_NONE)
            status = add_series(writer, from, i, to, error);
    free(to);
    return status;
}
