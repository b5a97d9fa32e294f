/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which members of a directory or archive form one run. Files at its top are one run, with all that lies below. Without
 * them, each folder is a run of its own - unless the folders are parts of one system's snapshot (proc, sys, before ...).
 */
#include "importers/private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct layout {
    struct arena arena;
    size_t n;
    const char **runs;
};

static bool is_side_file(const char *name)
{
    static const char *const names[] = {"readme", "license", "licence", "copying", "makefile", "changelog", "authors", "index", "manifest"};
    static const char *const endings[] = {".md", ".sh", ".py", ".pl", ".html", ".png", ".svg", ".pdf", ".gp", ".plt", ".c", ".h", ".rst"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncasecmp(name, names[i], strlen(names[i])) == 0)
            return true;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > strlen(endings[i]) && strcasecmp(name + length - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

static bool is_part_of_system(const char *name, size_t length)
{
    static const char *const names[] = {"proc", "sys", "etc", "dev", "boot", "var", "run", "tmp", "before", "after", "trace", "tracing",
                                        "per_cpu", "events", "env", "environment", "info", "stats", "snapshot", "logs", "log",
                                        "begin", "end", "start", "stop", "raw", "data", "formats", "hist"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncasecmp(names[i], name, length) == 0)
            return true;
    return length > 3 && strncmp(name, "cpu", 3) == 0 && name[3] >= '0' && name[3] <= '9';
}

/*
 * The length of a folder's name without what says when it was made: snap_load_t0 and snap_load_t5, stat.before and
 * stat.after are snapshots of one run.
 */
static size_t stem_length(const char *name, size_t length)
{
    static const char *const words[] = {"before", "after", "pre", "post", "begin", "end", "start", "stop"};
    size_t digits = 0;
    while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
        digits++;
    size_t word = digits && length > digits + 1 && name[length - 1 - digits] == 't' ? digits + 1 : 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && !word; i++) {
        size_t n = strlen(words[i]);
        if (length > n + 1 && strncasecmp(name + length - n, words[i], n) == 0)
            word = n;
    }
    return word && length > word + 1 && strchr("_.-", name[length - word - 1]) ? length - word - 1 : length;
}

/* The part of a folder's path below prefix; NULL if it lies elsewhere. */
static const char *below(const char *directory, const char *prefix)
{
    size_t n = strlen(prefix);
    if (n == 0)
        return directory;
    if (strncmp(directory, prefix, n) != 0 || (directory[n] && directory[n] != '/'))
        return NULL;
    return directory[n] ? directory + n + 1 : directory + n;
}

/* Folders that all members share are passed over; true if the folders below *prefix are runs. */
static bool folders_are_runs(struct layout *layout, const struct input *input, const char **prefix)
{
    for (int depth = 0; depth < 64; depth++) {
        const char *first = NULL;
        size_t first_length = 0, n_folders = 0, n_stems = 0, first_stem = 0;
        for (size_t i = 0; i < layout->n; i++) {
            const struct member *member = input_member(input, i);
            const char *rest = below(member->directory, *prefix);
            if (!rest)
                continue;
            size_t length = strcspn(rest, "/");
            if (length == 0) {
                if (member->size_bytes && !is_side_file(member->name))
                    return false;
                continue;
            }
            if (is_part_of_system(rest, length))
                return false;
            size_t stem = stem_length(rest, length);
            if (!first || first_length != length || strncmp(first, rest, length) != 0)
                n_folders++;
            if (!first || first_stem != stem || strncmp(first, rest, stem) != 0)
                n_stems++;
            first = rest;
            first_length = length;
            first_stem = stem;
        }
        if (n_folders != 1)
            return n_stems > 1;
        *prefix = **prefix ? arena_format(&layout->arena, "%s/%.*s", *prefix, (int)first_length, first)
                           : arena_string_n(&layout->arena, first, first_length);
    }
    return false;
}

struct layout *layout_new(const struct input *input)
{
    struct layout *layout = memory_new(sizeof *layout);
    layout->n = input_count(input);
    layout->runs = memory_new((layout->n + 1) * sizeof *layout->runs);
    const char *prefix = "";
    bool split = input_is_directory(input) && folders_are_runs(layout, input, &prefix);
    for (size_t i = 0; i < layout->n; i++) {
        layout->runs[i] = "";
        const char *rest = split ? below(input_member(input, i)->directory, prefix) : NULL;
        if (rest && *rest) {
            const char *directory = input_member(input, i)->directory;
            layout->runs[i] = arena_string_n(&layout->arena, directory, (size_t)(rest - directory) + stem_length(rest, strcspn(rest, "/")));
        }
    }
    return layout;
}

const char *layout_run(const struct layout *layout, size_t i)
{
    return layout->runs[i];
}

void layout_free(struct layout *layout)
{
    free(layout->runs);
    arena_release(&layout->arena);
    free(layout);
}
