/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of posted results share: a text becomes a store, a series is held against its numbers. */
#ifndef TESTS_POSTED_TEXT_H
#define TESTS_POSTED_TEXT_H

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

#define U NS_UNKNOWN
#define N COUNT_UNKNOWN

/* NULL: nothing in it is understood. */
static inline struct store *try_text(const char *text)
{
    char path[] = "/tmp/whylate-test-XXXXXX";
    const char *const paths[] = {path};
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    struct error error = {0};
    const struct import_options options = {.quiet = true, .no_hash = true, .n_threads = 1};
    struct store_writer *writer = store_writer_new(NULL, &error);
    store_writer_no_sync(writer);
    enum status status = import_inputs(writer, paths, 1, &options, &error);
    remove(path);
    if (status == FAILED) {
        store_writer_abandon(writer);
        return NULL;
    }
    struct store *store = store_open_fd(store_writer_finish_fd(writer, &error), "test", &error);
    assert_non_null(store);
    return store;
}

static inline struct store *import_text(const char *text)
{
    struct store *store = try_text(text);
    assert_non_null(store);
    return store;
}

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

static inline void check(const struct store *store, size_t i, const char *name, uint64_t n_samples, int64_t min_ns, double avg_ns, int64_t max_ns)
{
    assert_true(i < store->n_series);
    const struct series *s = &store->series[i];
    assert_string_equal(s->name, name);
    assert_int_equal(s->n_samples, n_samples);
    assert_int_equal(s->min_ns, min_ns);
    assert_int_equal(s->max_ns, max_ns);
    assert_true(isnan(avg_ns) ? isnan(s->avg_ns) : fabs(s->avg_ns - avg_ns) < 0.5);
}

#endif
