/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void text_add_n(struct text *text, const char *bytes, size_t length)
{
    if (text->max_length && length > text->max_length - text->length) {
        length = text->max_length - text->length;
        text->cut = true;
    }
    memory_reserve(text->bytes, text->capacity, text->length + length + 1);
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
    text_add_n(text, string, strlen(string));
}

void text_add_char(struct text *text, char c)
{
    text_add_n(text, &c, 1);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char small[256];
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof small) {
        text_add_n(text, small, (size_t)n);
    } else if (n >= 0) {
        char *large = memory_new((size_t)n + 1);
        vsnprintf(large, (size_t)n + 1, format, again);
        text_add_n(text, large, (size_t)n);
        free(large);
    }
    va_end(again);
}

static bool same_or_unknown(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

void text_add_distinct(struct text *text, const char *const *values, size_t n, const char *unknown)
{
    bool any_shared = false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i && !any_shared; k++)
            any_shared = same_or_unknown(values[k], values[i]);
    for (size_t i = 0; i < n; i++) {
        size_t n_alike = 0, first = i;
        for (size_t k = n; k-- > 0;)
            if (same_or_unknown(values[k], values[i])) {
                n_alike++;
                first = k;
            }
        if (first < i)
            continue;
        text_format(text, "%s%s", i ? " against " : "", values[i] ? values[i] : unknown);
        if (any_shared)
            text_format(text, " (%zu run%s)", n_alike, n_alike == 1 ? "" : "s");
    }
}

void text_truncate(struct text *text, size_t length)
{
    if (length < text->length) {
        text->length = length;
        text->bytes[length] = '\0';
    }
}

const char *text_string(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

void text_release(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}
