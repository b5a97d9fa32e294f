/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing text with a maximum. A zeroed struct is an empty text without limit. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes;       /* terminated once anything was added; text_string() is never NULL */
    size_t length, capacity;
    size_t max_length; /* 0: none */
    bool cut;          /* something did not fit below max_length */
};

/* What does not fit below max_length is left out, and `cut` says so. A string that is NULL must not be added. */
void text_add(struct text *text, const char *string);
void text_add_n(struct text *text, const char *bytes, size_t length);
void text_add_char(struct text *text, char c);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * "a (3 runs) against b": each different value once, in the order of their first; how many runs have it is said where any
 * have one in common. NULL stands for unknown.
 */
void text_add_distinct(struct text *text, const char *const *values, size_t n, const char *unknown);
void text_truncate(struct text *text, size_t length);
const char *text_string(const struct text *text);
void text_release(struct text *text);

#endif
