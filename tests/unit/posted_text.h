/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of posted results share: a series is held against its numbers. */
#ifndef TESTS_POSTED_TEXT_H
#define TESTS_POSTED_TEXT_H

#include "imported.h"

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
