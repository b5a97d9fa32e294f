/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/words.h"

json_t *json_word(const char *string)
{
    if (!string)
        return json_null();
    json_t *json = json_string(string);
    if (json)
        return json;
    struct text repaired = {0};
    for (const char *p = string; *p;) {
        size_t n = words_utf8_length(p);
        if (n)
            text_add_n(&repaired, p, n);
        else
            text_add(&repaired, "\xef\xbf\xbd");
        p += n ? n : 1;
    }
    json = json_string(text_string(&repaired));
    text_release(&repaired);
    return json;
}

json_t *json_ns(int64_t ns)
{
    return ns == NS_UNKNOWN ? json_null() : json_integer(ns);
}

json_t *json_count(uint64_t count)
{
    return count > INT64_MAX ? json_null() : json_integer((json_int_t)count);
}

json_t *json_small(int32_t value, int32_t unknown)
{
    return value == unknown ? json_null() : json_integer(value);
}

json_t *json_double(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_interval(double low, double high)
{
    if (!isfinite(low) && !isfinite(high))
        return json_null();
    return json_pack("[o, o]", json_double(low), json_double(high));
}

json_t *json_decimal(struct decimal value)
{
    if (!value.is_known)
        return json_null();
    return value.digits ? json_real(decimal_value(value)) : json_integer(value.mantissa);
}

/* ---- writing ---- */

static void write_string(const char *s, FILE *file)
{
    putc('"', file);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", file);
        else if (c == '\t')
            fputs("\\t", file);
        else if (c < 0x20 || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            putc(c, file);
    }
    putc('"', file);
}

static void write_real(double value, FILE *file)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, file);
}

/* Whether it reads well on one line: few scalars only. */
static bool is_small(const json_t *json)
{
    if (json_is_array(json)) {
        for (size_t i = 0; i < json_array_size(json); i++) {
            const json_t *item = json_array_get(json, i);
            if (json_is_object(item) || json_is_array(item))
                return false;
        }
        return json_array_size(json) <= 16;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)json, key, value)
        if (json_is_object(value) || json_is_array(value))
            return false;
    return json_object_size(json) <= 10;
}

static void write_value(const json_t *json, int depth, FILE *file);

static void write_break(bool small, int depth, FILE *file)
{
    if (small)
        putc(' ', file);
    else
        fprintf(file, "\n%*s", 2 * depth, "");
}

static void write_object(const json_t *json, int depth, FILE *file)
{
    bool small = is_small(json), first = true;
    const char *key;
    json_t *value;
    putc('{', file);
    json_object_foreach((json_t *)json, key, value) {
        if (*key == '.')
            continue;
        if (!first)
            putc(',', file);
        if (!first || !small)
            write_break(small, depth + 1, file);
        first = false;
        write_string(key, file);
        fputs(": ", file);
        write_value(value, depth + 1, file);
    }
    if (!first && !small)
        write_break(false, depth, file);
    putc('}', file);
}

static void write_array(const json_t *json, int depth, FILE *file)
{
    bool small = is_small(json);
    size_t n = json_array_size(json);
    putc('[', file);
    for (size_t i = 0; i < n; i++) {
        if (i)
            putc(',', file);
        if (i || !small)
            write_break(small, depth + 1, file);
        write_value(json_array_get(json, i), depth + 1, file);
    }
    if (n && !small)
        write_break(false, depth, file);
    putc(']', file);
}

static void write_value(const json_t *json, int depth, FILE *file)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        write_object(json, depth, file);
        break;
    case JSON_ARRAY:
        write_array(json, depth, file);
        break;
    case JSON_STRING:
        write_string(json_string_value(json), file);
        break;
    case JSON_INTEGER:
        fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
        break;
    case JSON_REAL:
        write_real(json_real_value(json), file);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        fputs(json_is_true(json) ? "true" : "false", file);
        break;
    case JSON_NULL:
        fputs("null", file);
        break;
    }
}

void json_write(const json_t *json, FILE *file)
{
    write_value(json, 0, file);
    putc('\n', file);
}

/* ---- reading ---- */

int64_t json_get_ns(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_real(value))
        return ns_rounded(json_real_value(value));
    return json_is_integer(value) ? json_integer_value(value) : NS_UNKNOWN;
}

static double number_or_unknown(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double json_get_number(const json_t *object, const char *key)
{
    return number_or_unknown(json_object_get(object, key));
}

int64_t json_get_quantile_ns(const json_t *series, const char *level)
{
    double n = json_get_number(series, "n_samples");
    if (n * (1 - strtod(level, NULL)) < 1 - 1e-9 && json_get_ns(series, "max_ns") != NS_UNKNOWN)
        return NS_UNKNOWN;
    return json_get_ns(json_object_get(series, "quantiles_ns"), level);
}

bool json_get_interval(const json_t *object, const char *key, double *low, double *high)
{
    const json_t *interval = json_object_get(object, key);
    *low = number_or_unknown(json_array_get(interval, 0));
    *high = number_or_unknown(json_array_get(interval, 1));
    return !isnan(*low) || !isnan(*high);
}

bool json_max_is_least(const json_t *series)
{
    return json_is_true(json_object_get(series, ".max_is_least"));
}

const char *json_get_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}
