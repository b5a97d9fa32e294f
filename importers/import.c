/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs become members, members become artefacts, and importers fill runs from them. */
#include "importers/private.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/copy.h"

#define MAX_THREADS 64

/* ---- one member ---- */

static void begin_member(struct import *import, struct input *input, size_t index)
{
    struct import_private *private = import->private;
    import->input = input;
    import->member_index = index;
    import->member = input_member(input, index);
    private->drop_at = 0;
    progress_begin(&private->progress, import->member->path, import->member->size_bytes, private->options->quiet);
    private->format = NULL;
    private->is_run_file = false;
    private->n_prose_lines = 0;
    private->first_fact = store_count_facts(import->store);
    private->n_facts_before_series = SIZE_MAX;
    private->member_run = import->run;
}

static void add_artefact(struct import *import)
{
    struct artefact artefact = {.run = import->run, .path = import->member->path, .size_bytes = import->member->size_bytes};
    import->artefact = store_add_artefact(import->store, &artefact);
}

void import_set_format(struct import *import, const struct importer *importer)
{
    if (!import->private->format)
        store_edit_artefact(import->store, import->artefact)->format = store_keep(import->store, importer->name);
    import->private->format = importer;
}

/*
 * The results in a folder's second file open a run of their own: then what the file said above them is of that run too,
 * and not of the one before.
 */
static void move_to_own_run(struct import *import)
{
    struct import_private *private = import->private;
    uint32_t own = ROW_NONE;
    for (size_t i = store_count_series(import->store); i-- > 0;) {
        const struct series *series = store_edit_series(import->store, (uint32_t)i);
        if (series->artefact != import->artefact)
            break;
        own = series->run < own ? series->run : own;
    }
    if (own == ROW_NONE || own == private->member_run)
        return;
    for (size_t i = private->first_fact; i < store_count_facts(import->store); i++)
        if (store_peek_fact(import->store, i)->artefact == import->artefact &&
            store_peek_fact(import->store, i)->run == private->member_run)
            store_edit_fact(import->store, i)->run = own;
    facts_were_moved(import);
    for (size_t i = 0; i < private->n_notes; i++)
        if (private->notes[i].run == private->member_run)
            private->notes[i].run = own;
    store_edit_artefact(import->store, import->artefact)->run = private->member_run = own;
}

/* Notes are added up while a member is read; states live as long. */
static void end_member(struct import *import, const char *format)
{
    struct import_private *private = import->private;
    for (size_t i = 0; i < private->n_states; i++)
        free(private->states[i].memory);
    private->n_states = 0;
    loose_finish(import);
    loose_split_kernels(import);
    headings_finish(import, true);
    move_to_own_run(import);
    for (size_t i = 0; i < private->n_notes; i++) {
        const struct kept_note *kept = &private->notes[i];
        store_add_note(import->store, &(struct note){.artefact = import->artefact, .run = kept->run, .code = kept->code,
                                                     .count = kept->count, .first_line = kept->line, .text = kept->text});
        free(kept->text);
    }
    private->n_notes = 0;
    if (private->n_facts_before_series != SIZE_MAX && import->run != private->member_run)
        facts_share(import, private->first_fact, private->n_facts_before_series, private->member_run);
    struct artefact *artefact = store_edit_artefact(import->store, import->artefact);
    artefact->format = store_keep(import->store, format);
    if (!private->options->no_hash)
        snprintf(artefact->sha256, sizeof artefact->sha256, "%s", input_sha256(import->input, import->member_index));
}

static void drop_member(struct import *import)
{
    struct import_private *private = import->private;
    for (size_t i = 0; i < private->n_states; i++)
        free(private->states[i].memory);
    for (size_t i = 0; i < private->n_notes; i++)
        free(private->notes[i].text);
    private->n_states = private->n_notes = private->n_loose = 0;
    headings_finish(import, false);
}

static const struct importer *choose_binary(const unsigned char *bytes, size_t size, const struct member *member,
                                            const char *wanted, struct probe_result *best)
{
    const struct importer *chosen = NULL;
    *best = (struct probe_result){0};
    for (size_t i = 0; importers[i]; i++) {
        if (!importers[i]->probe_bytes || (wanted && strcmp(importers[i]->name, wanted) != 0))
            continue;
        struct probe_result result = importers[i]->probe_bytes(bytes, size, member);
        if (result.sureness > best->sureness) {
            *best = result;
            chosen = importers[i];
        }
    }
    return chosen;
}

/* All zeros, or no text at all: says which. */
static enum status refuse_binary(const struct member *member, const unsigned char *bytes, size_t size, struct error *error)
{
    size_t n = size < 65536 ? size : 65536, i = 0;
    while (i < n && bytes[i] == 0)
        i++;
    return i == n ? error_input(error, "%s: holds only zeros", member->path)
                  : error_input(error, "%s: binary data of no known format", member->path);
}

static enum status read_bytes(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    const struct member *member = import->member;
    const char *wanted = import->private->options->format;
    struct probe_result best;
    const struct importer *importer = choose_binary(bytes, size, member, wanted, &best);
    if (importer && best.unsupported)
        return error_input(error, "%s: %s", member->path, best.unsupported);
    if (importer) {
        import_set_format(import, importer);
        return importer->read_bytes(import, bytes, size, error);
    }
    if (!lines_is_text(bytes, size))
        return refuse_binary(member, bytes, size, error);
    return text_read(import, bytes, size, error);
}

/* A run file among the inputs: its runs as they are, in the group of this INPUT. */
static enum status copy_run_file(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    struct store_copy_options options = store_copy_all;
    options.group = import->private->group;
    labels_came_from(import, import->private->path); /* the runs before these */
    struct store *from = store_open_bytes(bytes, size, import->member->path, error);
    enum status status = from ? store_copy(import->store, from, &options, NULL, error) : FAILED;
    store_close(from);
    labels_came_from(import, import->member->path);
    import->private->is_run_file = true;
    return status;
}

/* One member into the current run. FAILED: it gave nothing. */
static enum status read_member(struct import *import, struct error *error)
{
    const unsigned char *bytes;
    size_t size;
    if (input_map(import->input, import->member_index, &bytes, &size, error) == FAILED) {
        add_artefact(import);
        return FAILED;
    }
    enum status status;
    if (size == 0) {
        status = error_input(error, "%s: empty file", import->member->path);
    } else if (store_is_run_file(bytes, size)) {
        status = copy_run_file(import, bytes, size, error);
    } else {
        add_artefact(import);
        if (import->n_threads > 1 && !import->private->options->no_hash)
            input_sha256_begin(import->input, import->member_index);
        status = read_bytes(import, bytes, size, error);
        if (status == FAILED && !input_is_directory(import->input))
            input_sha256_give_up(import->input, import->member_index);
    }
    input_unmap(import->input, import->member_index);
    return status;
}

/* ---- one INPUT ---- */

/* Files of one run are paired by name: "a.trace" goes where "a.txt" went, when results forced several runs. */
struct pairing {
    struct arena arena;
    size_t n, capacity;
    struct pair {
        const char *folder, *stem;
        uint32_t run;
    } *pairs;
};

static size_t stem_length(const char *name)
{
    size_t n = strcspn(name, ".");
    return n ? n : strlen(name);
}

static bool find_pair(const struct pairing *pairing, const struct member *member, uint32_t *run)
{
    size_t length = stem_length(member->name);
    for (size_t i = pairing->n; i-- > 0;) {
        const struct pair *pair = &pairing->pairs[i];
        if (strlen(pair->stem) == length && strncmp(pair->stem, member->name, length) == 0 &&
            strcmp(pair->folder, member->directory) == 0) {
            *run = pair->run;
            return true;
        }
    }
    return false;
}

static void add_pair(struct pairing *pairing, const struct member *member, uint32_t run)
{
    memory_reserve(pairing->pairs, pairing->capacity, pairing->n + 1);
    pairing->pairs[pairing->n++] = (struct pair){
        .folder = arena_string(&pairing->arena, member->directory),
        .stem = arena_string_n(&pairing->arena, member->name, stem_length(member->name)),
        .run = run};
}

/* What became of one member: counted, or noted why not. FAILED ends the INPUT. */
static enum status settle_member(struct import *import, enum status status, bool is_one_of_many, struct error *member_error,
                                 size_t *n_read, struct error *error)
{
    struct import_private *private = import->private;
    progress_end(&private->progress);
    if (status != FAILED) {
        ++*n_read;
        if (private->is_run_file)
            return OK;
        if (import->member->defect)
            import_note(import, "file-truncated", 0, "%s", import->member->defect);
        end_member(import, private->format ? private->format->name : "unknown");
        return OK;
    }
    drop_member(import);
    if (is_one_of_many && member_error->kind == ERROR_INPUT) {
        if (import->member->size_bytes && !private->is_run_file) {
            import_note(import, "not-understood", 0, "%s", member_error->text);
            if (import->member->defect)
                import_note(import, "file-truncated", 0, "%s", import->member->defect);
            end_member(import, "unknown");
        }
        return OK;
    }
    if (error && error->kind == ERROR_NONE)
        *error = *member_error;
    return FAILED;
}

/* A run for the folder that member i lies in, as the layout has it; *base is where its members begin. */
static void enter_folder(struct import *import, const char *path, const char *folder, uint32_t *base)
{
    char label[4200];
    snprintf(label, sizeof label, "%s%s%s", path, *folder ? "/" : "", folder);
    run_open(import, label);
    *base = import->run;
}

static bool is_run_file(struct input *input, size_t i)
{
    const unsigned char *bytes;
    size_t size;
    if (input_map(input, i, &bytes, &size, NULL) == FAILED)
        return false;
    bool is_one = size > 0 && store_is_run_file(bytes, size);
    if (size > 0)
        input_unmap(input, i);
    return is_one;
}

/*
 * The members of a directory may make several runs: each folder its own, or because results repeat. *last: what was
 * wrong with the last member that gave nothing.
 */
static enum status read_members(struct import *import, struct input *input, const char *path, size_t *n_read,
                                struct error *last, struct error *error)
{
    struct import_private *private = import->private;
    struct layout *layout = layout_new(input);
    struct pairing pairing = {0};
    enum status status = OK;
    const char *folder = NULL;
    uint32_t base = import->run;
    size_t first_fact = store_count_facts(import->store);
    bool is_one_of_many = input_is_directory(input);
    for (size_t i = 0; i < input_count(input) && status != FAILED; i++) {
        const char *wanted = layout_run(layout, i);
        bool is_other_folder = folder && strcmp(folder, wanted) != 0 && !private->options->same_run;
        if ((!private->run_is_open || is_other_folder) && !is_run_file(input, i)) {
            facts_share(import, first_fact, store_count_facts(import->store), base);
            enter_folder(import, path, wanted, &base);
            pairing.n = 0;
            first_fact = store_count_facts(import->store);
        }
        folder = wanted;
        begin_member(import, input, i);
        if (!find_pair(&pairing, import->member, &import->run))
            import->run = base;
        struct error member_error = {0};
        enum status member_status = read_member(import, &member_error);
        status = settle_member(import, member_status, is_one_of_many, &member_error, n_read, error);
        if (member_status == FAILED)
            *last = member_error;
        if (is_one_of_many)
            add_pair(&pairing, import->member, import->run);
    }
    if (is_one_of_many)
        facts_share(import, first_fact, store_count_facts(import->store), base);
    free(pairing.pairs);
    arena_release(&pairing.arena);
    layout_free(layout);
    return status;
}

/* ---- all inputs ---- */

static enum status read_input(struct import *import, const char *path, struct error *error)
{
    struct input *input;
    size_t n_read = 0;
    if (input_open(&input, path, NULL, error) == FAILED)
        return FAILED;
    struct error last = {0};
    import->private->path = path;
    enum status status = read_members(import, input, path, &n_read, &last, error);
    if (status != FAILED && n_read == 0)
        status = last.kind != ERROR_NONE && input_count(input) == 1
                     ? error_input(error, "%s", last.text)
                     : error_input(error, "%s: no file of a known format in it", path);
    input_close(input);
    labels_came_from(import, path);
    if (!import->private->options->same_run)
        import->private->run_is_open = false;
    return status;
}

/* As many as may run at once here (taskset, a container's CPUs), which may be fewer than the machine has. */
static int default_threads(void)
{
    cpu_set_t may_run;
    if (sched_getaffinity(0, sizeof may_run, &may_run)) /* more CPUs than the set has room for */
        return MAX_THREADS;
    int n = CPU_COUNT(&may_run);
    return n < MAX_THREADS ? n : MAX_THREADS;
}

enum status import_inputs(struct store_writer *store, const char *const *paths, size_t n_paths,
                          const struct import_options *options, struct error *error)
{
    struct import_private private = {.options = options};
    struct import import = {.store = store, .private = &private, .n_threads = options->n_threads};
    uint32_t first_run = (uint32_t)store_count_runs(store);
    if (import.n_threads < 1)
        import.n_threads = default_threads();
    if (options->format && !importer_find(options->format))
        return error_usage(error, "unknown input format '%s' (whylate formats lists them)", options->format);
    enum status status = settings_check(options, error);
    for (size_t i = 0; i < n_paths && status != FAILED; i++) {
        private.group = options->same_run ? 0 : (uint32_t)i;
        status = read_input(&import, paths[i], error);
    }
    if (status != FAILED) {
        counters_finish(&import);
        labels_finish(&import);
        settings_apply(store, options, first_run);
    }
    counters_release(&import);
    free(private.notes);
    free(private.states);
    free(private.loose);
    free(private.taken);
    free(private.headings);
    free(private.origins);
    row_index_release(&private.series_index);
    row_index_release(&private.fact_index);
    return status;
}
