/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs become members, members become artefacts, and importers fill runs from them. */
#include "importers/private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/copy.h"

/* ---- one member ---- */

static void begin_member(struct import *import, struct input *input, size_t index)
{
    struct import_private *private = import->private;
    import->input = input;
    import->member_index = index;
    import->member = input_member(input, index);
    private->size_bytes = import->member->size_bytes;
    private->drop_at = 0;
    private->show_at = UINT64_C(64) << 20;
    private->format = NULL;
    private->is_run_file = false;
    private->n_prose_lines = 0;
    private->first_fact = store_count_facts(import->store);
    private->n_series_at_artefact = store_count_series(import->store);
}

static void add_artefact(struct import *import)
{
    struct artefact artefact = {.run = import->run, .path = import->member->path, .size_bytes = import->member->size_bytes};
    import->artefact = store_add_artefact(import->store, &artefact);
}

/* Notes are added up while a member is read; states live as long. */
static void end_member(struct import *import, const char *format)
{
    struct import_private *private = import->private;
    for (size_t i = 0; i < private->n_states; i++)
        free(private->states[i].memory);
    private->n_states = 0;
    for (size_t i = 0; i < private->n_notes; i++) {
        const struct kept_note *kept = &private->notes[i];
        store_add_note(import->store, &(struct note){.artefact = import->artefact, .run = kept->run, .code = kept->code,
                                                     .count = kept->count, .first_line = kept->line, .text = kept->text});
        free(kept->text);
    }
    private->n_notes = 0;
    struct artefact *artefact = store_edit_artefact(import->store, import->artefact);
    artefact->format = store_keep(import->store, format);
    if (!private->options->no_hash)
        memcpy(artefact->sha256, input_sha256(import->input, import->member_index), sizeof artefact->sha256);
}

static void drop_member(struct import *import)
{
    struct import_private *private = import->private;
    for (size_t i = 0; i < private->n_states; i++)
        free(private->states[i].memory);
    for (size_t i = 0; i < private->n_notes; i++)
        free(private->notes[i].text);
    private->n_states = private->n_notes = 0;
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
        import->private->format = importer;
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
    struct store *from = store_open_bytes(bytes, size, import->member->path, error);
    enum status status = from ? store_copy(import->store, from, &options, NULL, error) : FAILED;
    store_close(from);
    import->private->is_run_file = true;
    return status;
}

static void open_run(struct import *import, const char *label)
{
    struct run run = {.label = label, .group = import->private->group};
    import->run = store_add_run(import->store, &run);
    import->private->run_is_open = true;
}

/* One member into the current run, which is opened if need be. FAILED: it gave nothing. */
static enum status read_member(struct import *import, const char *label, struct error *error)
{
    const unsigned char *bytes;
    size_t size;
    if (input_map(import->input, import->member_index, &bytes, &size, error) == FAILED)
        return FAILED;
    enum status status;
    if (size == 0) {
        status = error_input(error, "%s: empty file", import->member->path);
    } else if (store_is_run_file(bytes, size)) {
        status = copy_run_file(import, bytes, size, error);
    } else {
        if (!import->private->run_is_open)
            open_run(import, label);
        add_artefact(import);
        status = read_bytes(import, bytes, size, error);
    }
    input_unmap(import->input, import->member_index);
    return status;
}

/* ---- all inputs ---- */

static enum status read_input(struct import *import, const char *path, struct error *error)
{
    struct import_private *private = import->private;
    struct input *input;
    if (input_open(&input, path, NULL, error) == FAILED)
        return FAILED;
    enum status status = OK;
    bool is_directory = input_is_directory(input);
    size_t n_read = 0;
    for (size_t i = 0; i < input_count(input); i++) {
        struct error member_error = {0};
        begin_member(import, input, i);
        enum status member_status = read_member(import, path, &member_error);
        if (private->is_run_file && member_status != FAILED) {
            n_read++;
        } else if (member_status != FAILED) {
            if (import->member->defect)
                import_note(import, "file-truncated", 0, "%s", import->member->defect);
            end_member(import, private->format ? private->format->name : "unknown");
            n_read++;
        } else if (is_directory && member_error.kind == ERROR_INPUT) {
            drop_member(import);
            if (import->member->size_bytes && private->run_is_open && !private->is_run_file) {
                import_note(import, "not-understood", 0, "%s", member_error.text);
                end_member(import, "unknown");
            }
        } else {
            drop_member(import);
            if (error && error->kind == ERROR_NONE)
                *error = member_error;
            status = FAILED;
            break;
        }
    }
    if (status != FAILED && n_read == 0)
        status = error_input(error, "%s: no file of a known format in it", path);
    input_close(input);
    if (!private->options->same_run)
        private->run_is_open = false;
    return status;
}

enum status import_inputs(struct store_writer *store, const char *const *paths, size_t n_paths,
                          const struct import_options *options, struct error *error)
{
    struct import_private private = {.options = options};
    struct import import = {.store = store, .private = &private, .n_threads = options->n_threads};
    if (import.n_threads < 1) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        import.n_threads = n < 1 ? 1 : n > 64 ? 64 : (int)n;
    }
    enum status status = OK;
    if (options->format && !importer_find(options->format))
        return error_usage(error, "unknown input format '%s' (whylate formats lists them)", options->format);
    for (size_t i = 0; i < n_paths && status != FAILED; i++) {
        private.group = options->same_run ? 0 : (uint32_t)i;
        status = read_input(&import, paths[i], error);
    }
    if (status != FAILED)
        counters_finish(&import);
    counters_release(&import);
    free(private.notes);
    free(private.states);
    return status;
}
