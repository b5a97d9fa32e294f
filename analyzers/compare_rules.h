/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may differ between runs beside what is under test: rules that the community's arguments teach, one row each: which
 * facts, how grave when they differ or are missing on one side, and why it matters.
 */
#ifndef ANALYZERS_COMPARE_RULES_H
#define ANALYZERS_COMPARE_RULES_H

#include "analyzers/compare.h"

enum gravity { NONE = 0, NOTE, WEAKENING, INVALIDATING };

struct rule {
    const char *key;
    const char *facts; /* keys "a|b", the first known counts; or NULL: read() tells */
    bool (*read)(const struct store *store, const struct measured_run *m, char *text, size_t size);
    enum gravity differs, missing_one, missing_all;
    bool is_factor; /* under test by default */
    const char *why;
};
extern const struct rule compare_rules[]; /* a row without key ends it */

/* The value of a condition in a run, into text of size bytes; false: unknown. */
bool rule_read(const struct rule *rule, const struct store *store, const struct measured_run *m, char *text, size_t size);
/* Is it one condition, for all that matters? Lengths need not agree to the last sample. */
bool rule_same_value(const struct rule *rule, const char *a, const char *b);

#endif
