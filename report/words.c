/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"

void words_count(uint64_t n, struct text *out)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text_add_char(out, ',');
        text_add_char(out, digits[i]);
    }
}

void words_bytes(uint64_t n_bytes, struct text *out)
{
    static const char *const unit[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (n_bytes < 1000) {
        text_format(out, "%" PRIu64 " B", n_bytes);
        return;
    }
    double value = (double)n_bytes / 1000;
    size_t u = 0;
    while (value >= 999.95 && u + 1 < sizeof unit / sizeof *unit) {
        value /= 1000;
        u++;
    }
    text_format(out, "%.1f %s", value, unit[u]);
}

const char *words_plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

void words_count_of(double n, struct text *out)
{
    if (n >= 0 && n < 1.8e19)
        words_count((uint64_t)n, out);
    else
        text_format(out, "%.2g", n);
}

static bool key_ends(const char *key, const char *end)
{
    size_t n = strlen(key), m = strlen(end);
    return n >= m && strcmp(key + n - m, end) == 0;
}

static void add_duration(double ns, struct text *out)
{
    char buffer[DURATION_TEXT_BYTES];
    if (fabs(ns) < 1000 && ns != floor(ns))
        text_format(out, "%.3g ns", ns);
    else if (fabs(ns) >= 9.2e18)
        text_format(out, "%.3g years", ns / 3.15576e16);
    else
        text_add(out, (fabs(ns) >= 120e9 ? duration_format_long : duration_format)((int64_t)llround(ns), buffer));
}

bool words_integer(const char *key, int64_t integer, struct text *out)
{
    bool is_time = key_ends(key, "_ns");
    if (integer == NS_UNKNOWN || (!is_time && (integer == TID_UNKNOWN || (uint64_t)integer == COUNT_UNKNOWN)))
        return false;
    if (is_time)
        add_duration((double)integer, out);
    else if (key_ends(key, "_bytes") && integer >= 0)
        words_bytes((uint64_t)integer, out);
    else if (strncmp(key, "n_", 2) == 0 && integer >= 0)
        words_count((uint64_t)integer, out);
    else if (key_ends(key, "_pct"))
        text_format(out, "%" PRId64 " %%", integer);
    else
        text_format(out, "%" PRId64, integer);
    return true;
}

bool words_number(const char *key, double number, struct text *out)
{
    if (isnan(number))
        return false;
    if (isinf(number))
        text_add(out, number > 0 ? "without bound" : "minus infinity");
    else if (key_ends(key, "_ns"))
        add_duration(number, out);
    else if (strcmp(key, "p") == 0 || key_ends(key, "_p"))
        text_format(out, number < 1e-16 ? "1e-16 or less" : number < 0.0001 ? "%.0e" : "%.2g", number);
    else if (strncmp(key, "n_", 2) == 0 && number >= 0 && number < 1e15)
        words_count((uint64_t)llround(number), out);
    else if (strncmp(key, "n_", 2) == 0)
        text_format(out, "%.2g", number);
    else if (key_ends(key, "_pct"))
        text_format(out, number != 0 && fabs(number) < 0.1 ? "%.2g %%" : fabs(number) < 10 ? "%.2g %%" : "%.0f %%", number);
    else {
        if (number >= 10000 && number < 1e9) /* no exponent where people write none */
            words_count((uint64_t)llround(number), out);
        else
            text_format(out, "%.4g", number);
        text_add(out, key_ends(key, "_hz") ? " Hz" : "");
    }
    return true;
}

void words_interval(double low, double high, struct text *out)
{
    text_format(out, isnan(low) ? "?" : "%.3g", low);
    text_format(out, isnan(high) ? "..?" : "..%.3g", high);
}

bool words_value(const struct value *value, struct text *out)
{
    if (value->is_least)
        text_add(out, ">= ");
    switch (value->kind) {
    case VALUE_INTEGER:
        return words_integer(value->key, value->integer, out);
    case VALUE_NUMBER:
        return words_number(value->key, value->number, out);
    case VALUE_TEXT:
        if (!value->text || !*value->text)
            return false;
        text_add(out, value->text);
        return true;
    }
    return false;
}

void words_series(const struct store *store, uint32_t index, struct text *out)
{
    const struct series *series = &store->series[index];
    if (series->name && *series->name)
        text_add(out, series->name);
    else if (series->comm && *series->comm)
        text_add(out, series->comm);
    else
        text_format(out, "series %" PRIu32, index);
}

size_t words_utf8_length(const char *string)
{
    const unsigned char *p = (const unsigned char *)string;
    if (p[0] < 0x80)
        return 1;
    size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    if (!n || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

void words_clean(const char *raw, struct text *out)
{
    for (const unsigned char *p = (const unsigned char *)raw; *p;) {
        size_t n = words_utf8_length((const char *)p);
        bool is_control = n == 1 ? *p < 0x20 || *p == 0x7f : n == 2 && p[0] == 0xc2 && p[1] < 0xa0;
        /* U+202A..202E, U+2066..2069 turn the direction of what follows */
        bool is_direction = n == 3 && p[0] == 0xe2 &&
                            ((p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) || (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
        if (!n || is_control || is_direction)
            text_add_char(out, n == 1 && *p == '\t' ? ' ' : '?');
        else
            text_add_n(out, (const char *)p, n);
        p += n ? n : 1;
    }
}

size_t words_width(const char *string)
{
    size_t width = 0;
    for (; *string; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

void words_markup(FILE *file, const char *raw)
{
    struct text clean = {0};
    words_clean(raw, &clean);
    for (const char *p = text_string(&clean); *p; p++)
        switch (*p) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        case '\'': fputs("&#39;", file); break;
        default: putc(*p, file);
        }
    text_release(&clean);
}
