/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations as people write them. The only place that prints or reads a unit of time. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "150us", "1.2ms", "3 s", "20m", "12h", "1d"; a bare number other than 0 is refused. Exact to the ns:
 * digits beyond are refused, not rounded. False if the text is no duration or does not fit.
 */
bool duration_parse(const char *text, int64_t *ns);

/* Whole seconds in ns; false: they do not fit (292 years), and *ns is left alone. */
static inline bool duration_of_seconds(int64_t seconds, int64_t *ns)
{
    int64_t product;
    if (__builtin_mul_overflow(seconds, INT64_C(1000000000), &product))
        return false;
    *ns = product;
    return true;
}

/* Shortest exact-looking form with up to three decimals: "117 us", "1.235 ms", "26.232 s"; negative kept. Returns text. */
#define DURATION_TEXT_BYTES 32
const char *duration_format(int64_t ns, char text[DURATION_TEXT_BYTES]);

/* The same of a value that may be only a lower bound: ">= 117 us". */
const char *duration_format_bound(int64_t ns, bool is_least, char text[DURATION_TEXT_BYTES]);

/* Spans of minutes and more: "3 h 12 min"; below, as duration_format(). */
const char *duration_format_long(int64_t ns, char text[DURATION_TEXT_BYTES]);

#endif
