/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What read functions call: notes, facts, series, runs (importers/importer.h). */
#include "importers/private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- notes ---- */

__attribute__((format(printf, 5, 0))) static void note(struct import *import, const char *code, uint64_t count, uint64_t line, const char *format, va_list args)
{
    struct import_private *private = import->private;
    char text[400];
    int n = vsnprintf(text, sizeof text, format, args);
    for (int i = 0; i < n && text[i]; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
    for (size_t i = private->n_notes; i-- > 0;) { /* those of the run in progress are the last ones */
        struct kept_note *kept = &private->notes[i];
        if (kept->run != import->run || strcmp(kept->code, code) != 0)
            continue;
        /* Repairs differ in kind: each its own note. */
        if (strcmp(code, "repaired-text") == 0 && strcmp(kept->text, text) != 0)
            continue;
        kept->count += count;
        return;
    }
    memory_reserve(private->notes, private->notes_capacity, private->n_notes + 1);
    private->notes[private->n_notes++] = (struct kept_note){
        .code = store_keep(import->store, code), .text = memory_string(text), .count = count, .line = line, .run = import->run};
}

void import_note(struct import *import, const char *code, uint64_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(import, code, 1, line, format, args);
    va_end(args);
}

void import_note_n(struct import *import, const char *code, uint64_t count, uint64_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(import, code, count, line, format, args);
    va_end(args);
}

/* ---- facts ---- */

/* A key with more values than that in one run is damage. */
#define MAX_VALUES 1000

static uint64_t fact_hash(uint32_t run, const char *key)
{
    return row_hash_text(row_hash_number(ROW_HASH, run), key);
}

/* The newest fact of that run and key (by its hash), with the older ones behind it. */
static uint32_t newest_fact(const struct import *import, uint32_t run, const char *key)
{
    struct row_index *index = &import->private->fact_index;
    while (index->n_rows < store_count_facts(import->store)) {
        const struct fact *fact = store_peek_fact(import->store, index->n_rows);
        row_index_add(index, fact_hash(fact->run, fact->key));
    }
    return row_index_newest(index, fact_hash(run, key));
}

void facts_were_moved(struct import *import)
{
    row_index_clear(&import->private->fact_index);
}

/* A value that another file states too is of use where that file makes a run of its own: artefact ROW_NONE means any. */
bool run_has_fact(const struct import *import, uint32_t run, const char *key, const char *value, uint32_t artefact)
{
    uint32_t row = newest_fact(import, run, key);
    for (size_t n = 0; row != ROW_NONE && n < MAX_VALUES; row = row_index_older(&import->private->fact_index, row), n++) {
        const struct fact *fact = store_peek_fact(import->store, row);
        if (fact->run == run && (artefact == ROW_NONE || fact->artefact == artefact) && strcmp(fact->key, key) == 0 &&
            (!value || strcmp(fact->value, value) == 0))
            return true;
    }
    return false;
}

static bool has_too_many_values(struct import *import, const char *key)
{
    uint32_t row = newest_fact(import, import->run, key);
    if (row == ROW_NONE || import->private->fact_index.links[row].n < MAX_VALUES)
        return false;
    import_note(import, "damaged-lines", 0, "a thing about this run is said in more than %d ways: the rest is left out", MAX_VALUES);
    return true;
}

void import_fact(struct import *import, const char *key, const char *format, ...)
{
    char value[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    size_t length = strlen(value);
    while (length && (unsigned char)value[length - 1] <= ' ')
        value[--length] = '\0';
    if (has_too_many_values(import, key) || loose_add(import, key, value) ||
        run_has_fact(import, import->run, key, value, import->artefact))
        return;
    store_add_fact(import->store, &(struct fact){.run = import->run, .artefact = import->artefact, .key = key, .value = value});
}

bool fact_is_of_machine(const char *key)
{
    static const char *const beginnings[] = {"kernel.", "cpu.", "cmdline", "host.", "clocksource", "sched.", "machine.", "os."};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(key, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static const char *fact_value(const struct import *import, uint32_t run, const char *key)
{
    for (uint32_t row = newest_fact(import, run, key); row != ROW_NONE; row = row_index_older(&import->private->fact_index, row)) {
        const struct fact *fact = store_peek_fact(import->store, row);
        if (fact->run == run && strcmp(fact->key, key) == 0)
            return fact->value;
    }
    return NULL;
}

static const char config_prefix[] = "kernel.config.";

/* Who states one of them speaks of another configuration. Per run, for this file: the caller frees it. */
static bool *runs_with_model(const struct import *import, size_t n_runs)
{
    static const char model[] = "kernel.config.CONFIG_PREEMPT";
    bool *has_model = memory_new(n_runs * sizeof *has_model + 1);
    for (size_t i = 0; i < store_count_facts(import->store); i++) {
        const struct fact *fact = store_peek_fact(import->store, i);
        if (fact->artefact == import->artefact && fact->run < n_runs && strncmp(fact->key, model, sizeof model - 1) == 0)
            has_model[fact->run] = true;
    }
    return has_model;
}

/* What was said about one kernel is not true of another. */
static bool is_another_kernel(const struct import *import, const char *key, uint32_t from, uint32_t run)
{
    if ((strncmp(key, "kernel.", 7) != 0 && strncmp(key, "cmdline", 7) != 0) || strcmp(key, "kernel.machine") == 0)
        return false;
    const char *theirs = fact_value(import, from, "kernel.release"), *own = fact_value(import, run, "kernel.release");
    return own && (!theirs || strcmp(own, theirs) != 0);
}

/* Facts times runs: more is no folder or mail of real measurements. */
#define MAX_SHARED 1000000

void facts_share(struct import *import, size_t begin, size_t end, uint32_t from)
{
    size_t n_runs = store_count_runs(import->store), n_facts = 0;
    bool *has_model = NULL;
    for (size_t i = begin; i < end && n_facts * (n_runs - from) <= MAX_SHARED; i++) {
        const struct fact *found = store_peek_fact(import->store, i);
        if (found->run != from || !fact_is_of_machine(found->key))
            continue;
        struct fact fact = *found;
        bool is_config = strncmp(fact.key, config_prefix, sizeof config_prefix - 1) == 0;
        if (is_config && !has_model)
            has_model = runs_with_model(import, n_runs);
        n_facts++;
        fact.key = store_keep(import->store, fact.key);
        fact.value = store_keep(import->store, fact.value);
        for (uint32_t run = from + 1; run < n_runs; run++) {
            fact.run = run;
            if (!run_has_fact(import, run, fact.key, NULL, ROW_NONE) && !(is_config && has_model[run]) &&
                !is_another_kernel(import, fact.key, from, run))
                store_add_fact(import->store, &fact);
        }
    }
    free(has_model);
}

/* ---- unknown rows ---- */

struct series series_unknown(void)
{
    return (struct series){
        .run = ROW_NONE, .artefact = ROW_NONE, .tid = TID_UNKNOWN, .cpu = CPU_UNKNOWN, .priority = PRIO_UNKNOWN,
        .interval_ns = NS_UNKNOWN, .resolution_ns = NS_UNKNOWN, .n_samples = COUNT_UNKNOWN, .min_ns = NS_UNKNOWN,
        .max_ns = NS_UNKNOWN, .avg_ns = NAN, .n_overflow = COUNT_UNKNOWN, .overflow_limit_ns = NS_UNKNOWN,
        .n_stated_lost = COUNT_UNKNOWN, .n_requested = COUNT_UNKNOWN, .duration_ns = NS_UNKNOWN, .start_ns = NS_UNKNOWN,
        .bin_width_ns = NS_UNKNOWN,
    };
}

struct stream stream_unknown(void)
{
    return (struct stream){.run = ROW_NONE, .artefact = ROW_NONE, .resolution_ns = NS_UNKNOWN, .n_cpus = -1,
                           .n_shown = COUNT_UNKNOWN, .n_written = COUNT_UNKNOWN, .begin_ns = NS_UNKNOWN, .end_ns = NS_UNKNOWN};
}

struct claim claim_unknown(void)
{
    return (struct claim){.run = ROW_NONE, .artefact = ROW_NONE, .series = ROW_NONE, .stream = ROW_NONE,
                          .cpu = CPU_UNKNOWN, .tid = TID_UNKNOWN, .rt_priority = PRIO_UNKNOWN, .latency_ns = NS_UNKNOWN,
                          .time_ns = NS_UNKNOWN, .begin_ns = NS_UNKNOWN, .end_ns = NS_UNKNOWN, .irq_latency_ns = NS_UNKNOWN};
}

struct counter counter_unknown(void)
{
    return (struct counter){.run = ROW_NONE, .artefact = ROW_NONE};
}

struct task task_unknown(void)
{
    return (struct task){.run = ROW_NONE, .artefact = ROW_NONE, .tid = TID_UNKNOWN, .rt_priority = PRIO_UNKNOWN, .cpu = CPU_UNKNOWN};
}

/* ---- series and runs ---- */

bool import_has_series(const struct import *import, const char *tool)
{
    for (size_t i = store_count_series(import->store); i-- > 0;) {
        const struct series *series = store_edit_series(import->store, (uint32_t)i);
        if (series->run == import->run && (!tool || (series->tool && strcmp(series->tool, tool) == 0)))
            return true;
    }
    return false;
}

bool import_has_own_series(const struct import *import, const char *tool)
{
    for (size_t i = store_count_series(import->store); i-- > 0;) {
        const struct series *series = store_edit_series(import->store, (uint32_t)i);
        if (series->artefact == import->artefact && series->run == import->run && series->tool && strcmp(series->tool, tool) == 0)
            return true;
        if (series->artefact < import->artefact) /* rows of earlier files from here on */
            return false;
    }
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static uint64_t series_hash(uint32_t run, const char *tool, const char *name)
{
    return row_hash_text(row_hash_text(row_hash_number(ROW_HASH, run), tool), name);
}

uint32_t import_find_series(const struct import *import, const char *tool, const char *name)
{
    struct row_index *index = &import->private->series_index;
    while (index->n_rows < store_count_series(import->store)) {
        const struct series *series = store_edit_series(import->store, (uint32_t)index->n_rows);
        row_index_add(index, series_hash(series->run, series->tool, series->name));
    }
    for (uint32_t row = row_index_newest(index, series_hash(import->run, tool, name)); row != ROW_NONE; row = row_index_older(index, row)) {
        const struct series *series = store_edit_series(import->store, row);
        if (series->run == import->run && same_text(series->tool, tool) && same_text(series->name, name))
            return row;
    }
    return ROW_NONE;
}

void import_series_renamed(struct import *import)
{
    row_index_clear(&import->private->series_index);
}

uint32_t import_series(struct import *import, struct series *series)
{
    if (import_find_series(import, series->tool, series->name) != ROW_NONE)
        import_new_run(import, NULL);
    if (import->private->n_facts_before_series == SIZE_MAX)
        import->private->n_facts_before_series = store_count_facts(import->store);
    import->private->n_facts_at_series = store_count_facts(import->store);
    series->run = import->run;
    series->artefact = import->artefact;
    return store_add_series(import->store, series);
}

void run_open(struct import *import, const char *label)
{
    struct run run = {.label = label, .group = import->private->group};
    import->run = store_add_run(import->store, &run);
    import->private->run_is_open = true;
}

/* More results than that in one file are damage, not measurements: the rest stays in the last run. */
#define MAX_RUNS_OF_MEMBER 2000

void import_new_run(struct import *import, const char *label)
{
    if (store_count_runs(import->store) - import->private->member_run > MAX_RUNS_OF_MEMBER) {
        import_note(import, "mixed-runs", 0, "more than %d results in one file: the rest was not kept apart", MAX_RUNS_OF_MEMBER);
        return;
    }
    run_open(import, label ? label : import->member->path);
}

/* ---- the rest ---- */

void *import_state(struct import *import, const struct importer *importer, size_t size)
{
    struct import_private *private = import->private;
    for (size_t i = 0; i < private->n_states; i++)
        if (private->states[i].importer == importer)
            return private->states[i].memory;
    memory_reserve(private->states, private->states_capacity, private->n_states + 1);
    private->states[private->n_states] = (struct kept_state){.importer = importer, .memory = memory_new(size)};
    return private->states[private->n_states++].memory;
}

void import_tool_version(struct import *import, const char *format, ...)
{
    struct artefact *artefact = store_edit_artefact(import->store, import->artefact);
    if (artefact->tool_version)
        return;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    store_edit_artefact(import->store, import->artefact)->tool_version = store_keep(import->store, text);
}

void import_progress(struct import *import, size_t done_bytes)
{
    struct import_private *private = import->private;
    const size_t slack = (size_t)32 << 20;
    progress_show(&private->progress, done_bytes);
    if (done_bytes > private->drop_at + slack) {
        private->drop_at = done_bytes;
        input_drop_below(import->input, import->member_index, done_bytes - slack / 2);
    }
}
