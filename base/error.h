/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One error object for the whole program: what went wrong, once, with its place.
 *
 * The deepest function that knows the fact fills it; callers put context in front with error_prefix().
 * Texts are lower case, the problem first, the subject quoted, no full stop:
 *
 *     trace.txt:1042: cannot parse time stamp '12.34x'
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

/* How a call ended. PARTIAL: something useful was done, and notes or the error say what is missing. */
enum status { OK = 0, PARTIAL, FAILED };

/* Which exit code the program ends with (see error_exit_code). */
enum error_kind {
    ERROR_NONE = 0,
    ERROR_USAGE,  /* the user's words: exit 2 */
    ERROR_INPUT,  /* input not readable or not understood: exit 3 */
    ERROR_OUTPUT, /* output not writable: exit 4 */
};

struct error {
    enum error_kind kind;
    char text[1024]; /* always terminated; cut with "..." when too long */
};

/* Each fills *error (if not NULL and still empty) and returns FAILED, so that callers can return it. */
enum status error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same by kind, which decides the exit code (error_exit_code()). */
enum status error_input(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum status error_output(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum status error_usage(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts context in front of a filled error: "path: " and the like. */
void error_prefix(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As if nothing had been wrong: the caller found another way. */
void error_clear(struct error *error);

/* The exit code of its kind: 0, 2, 3 or 4. */
int error_exit_code(const struct error *error);

#endif
