/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and names as people read them: the one place where values become words. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include <stdio.h>

#include "analyzers/finding.h"
#include "base/text.h"

/* By the unit in which the value's key ends: _ns a duration, n_ with separators, _bytes, _pct, p. False: unknown, nothing added. */
bool words_value(const struct value *value, struct text *out);
bool words_number(const char *key, double number, struct text *out);
bool words_integer(const char *key, int64_t integer, struct text *out);

void words_interval(double low, double high, struct text *out); /* "0.85..1.3"; an end that is not known (NAN) is "?" */
void words_count(uint64_t n, struct text *out);          /* "43,200,000" */
void words_count_of(double n, struct text *out);         /* the same of a number from a document; "2.8e+19" beyond what counts hold */
void words_bytes(uint64_t n_bytes, struct text *out);    /* "12.3 kB" */
void words_series(const struct store *store, uint32_t series, struct text *out); /* its name, made readable */
const char *words_plural(uint64_t n, const char *one, const char *many);

/* Bytes that a terminal, HTML page or plot may show: control characters and damaged UTF-8 become '?'. */
void words_clean(const char *raw, struct text *out);
/* The same into a page or an XML document: what marks up there is escaped. */
void words_markup(FILE *file, const char *raw);
/* Length of the valid UTF-8 sequence at a string's begin, 0 if it is damaged (overlong, surrogate, beyond U+10FFFF, cut). */
size_t words_utf8_length(const char *string);
/* Columns of a UTF-8 string on a terminal (one per character). */
size_t words_width(const char *string);

#endif
