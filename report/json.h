/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON values of our kinds: unknown is null, text is repaired UTF-8; and a writer that keeps full precision. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "store/rows.h"

json_t *json_word(const char *string);      /* NULL: null; damaged bytes become U+FFFD */
json_t *json_ns(int64_t ns);                /* NS_UNKNOWN: null */
json_t *json_count(uint64_t count);         /* COUNT_UNKNOWN, and what JSON cannot hold: null */
json_t *json_small(int32_t value, int32_t unknown); /* that value: null */
json_t *json_double(double value);          /* NAN, infinite: null */
json_t *json_interval(double low, double high); /* [low, high]; null if both are unknown */
bool json_get_interval(const json_t *object, const char *key, double *low, double *high); /* NAN: an unknown end; false: both */
json_t *json_decimal(struct decimal value); /* with all its digits; unknown: null */

/* Pretty, two blanks a level, small arrays and objects on one line; reals as short as they can be read back exactly. */
/* Members whose key begins with '.' are for the views alone and are not written. */
void json_write(const json_t *json, FILE *file);

/* Reading our own document. Missing and null give the fallback. */
int64_t json_get_ns(const json_t *object, const char *key);       /* NS_UNKNOWN */
double json_get_number(const json_t *object, const char *key);    /* NAN */
/* Of a series, "0.9999"; NS_UNKNOWN also for so few samples that the one at that rank is the largest, whose value stands as max_ns. */
int64_t json_get_quantile_ns(const json_t *series, const char *level);
bool json_max_is_least(const json_t *series); /* its max_ns is only a lower bound */
const char *json_get_text(const json_t *object, const char *key); /* NULL */

#endif
