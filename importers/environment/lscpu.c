/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lscpu -J (util-linux 2.30 and later; "children" within entries since 2.37):
 *
 *     { "lscpu": [ { "field": "CPU(s):", "data": "2", "children": [ { "field": "Model name:", "data": "..." } ] } ] }
 *
 * The text that lscpu prints is read with the other listings (config.c): the same fields become the same facts.
 */
#include <string.h>

#include "importers/environment/environment.h"
#include "importers/json_block.h"

#define MAX_DEPTH 8

static struct probe_result lscpu_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    lines_peek(lines, 0, &line);
    if (!line_starts(&line, "{"))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){json_block_has(lines, "lscpu") && json_block_has(lines, "field") ? CERTAIN : NOT_MINE, NULL};
}

static void take_fields(struct import *import, const json_t *fields, int depth)
{
    size_t i;
    const json_t *field;
    json_array_foreach(fields, i, field) {
        const char *name = json_text(field, "field"), *data = json_text(field, "data");
        if (name && data)
            listing_fact(import, name, strcspn(name, ":"), data, strlen(data));
        if (depth < MAX_DEPTH)
            take_fields(import, json_object_get(field, "children"), depth + 1);
    }
}

static enum status lscpu_read(struct import *import, struct lines *lines, struct error *error)
{
    bool is_cut;
    uint64_t line = lines_number(lines);
    json_t *json = json_block_load(import, lines, &is_cut, error);
    if (!json)
        return FAILED;
    take_fields(import, json_object_get(json, "lscpu"), 0);
    if (is_cut)
        import_note(import, "file-truncated", line, "the listing is cut: what came after is missing");
    json_decref(json);
    return is_cut ? PARTIAL : OK;
}

static const char *const lscpu_marks[] = {"^{", NULL};

const struct importer importer_lscpu = {
    .name = "lscpu",
    .summary = "lscpu -J",
    .reads = "util-linux 2.30 and later: CPU model and count, threads per core, hypervisor",
    .probe_lines = lscpu_probe,
    .read_lines = lscpu_read,
    .marks = lscpu_marks,
};
