/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of importers share: files, texts and bytes become a store, which is held against what they state. */
#ifndef TESTS_IMPORTED_H
#define TESTS_IMPORTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "importers/importer.h"
#include "store/store.h"

/* What a source does not say. */
#define U NS_UNKNOWN
#define N COUNT_UNKNOWN

static const struct import_options imported_plainly = {.quiet = true, .no_hash = true, .n_threads = 1};

/* NULL: nothing in it is understood, and the error says why. */
static inline struct store *try_paths(const char *const *paths, size_t n, const struct import_options *options, struct error *error)
{
    struct store_writer *writer = store_writer_new(NULL, error);
    store_writer_no_sync(writer);
    if (import_inputs(writer, paths, n, options, error) == FAILED) {
        store_writer_abandon(writer);
        return NULL;
    }
    struct store *store = store_open_fd(store_writer_finish_fd(writer, error), "test", error);
    if (!store)
        fail_msg("%s: %s", paths[0], error->text);
    return store;
}

static inline struct store *import_with(const char *path, const struct import_options *options)
{
    struct error error = {0};
    struct store *store = try_paths(&path, 1, options, &error);
    if (!store)
        fail_msg("%s: %s", path, error.text);
    return store;
}

/* A file of tests/data. */
static inline struct store *import_file(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "tests/data/%s", name);
    return import_with(path, &imported_plainly);
}

/* The bytes as a file that is gone afterwards. NULL: not understood, and something is said about it. */
static inline struct store *try_bytes(const void *bytes, size_t size, const struct import_options *options)
{
    char path[] = "/tmp/whylate-test-XXXXXX";
    const char *const paths[] = {path};
    struct error error = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
    struct store *store = try_paths(paths, 1, options, &error);
    remove(path);
    assert_true(store || error.text[0]);
    return store;
}

static inline struct store *try_text(const char *text)
{
    return try_bytes(text, strlen(text), &imported_plainly);
}

static inline struct store *import_text(const char *text)
{
    struct store *store = try_text(text);
    assert_non_null(store);
    return store;
}

/* The value of a fact, "" if nothing states it. */
static inline const char *fact(const struct store *store, uint32_t run, const char *key)
{
    const struct fact *found = store_fact(store, run, key);
    return found ? found->value : "";
}

static inline bool has_note(const struct store *store, const char *code)
{
    for (size_t i = 0; i < store->n_notes; i++)
        if (strcmp(store->notes[i].code, code) == 0)
            return true;
    return false;
}

static inline const struct series *find(const struct store *store, uint32_t run, const char *name)
{
    for (size_t i = 0; i < store->n_series; i++)
        if (store->series[i].run == run && strcmp(store->series[i].name, name) == 0)
            return &store->series[i];
    fail_msg("no series '%s' in run %u of %zu series", name, run, store->n_series);
    return NULL;
}

#endif
