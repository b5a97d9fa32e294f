/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/json_block.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MAX_TEXT_BYTES ((size_t)256 << 20)

bool json_block_has(struct lines *lines, const char *word)
{
    struct line line;
    if (!lines_peek(lines, 0, &line) || !line_starts(&line, "{"))
        return false;
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\"", word);
    for (size_t k = 0; k < 40 && lines_peek(lines, k, &line); k++) {
        if (k > 0 && line.length && line.text[0] == '{')
            return false;
        struct line head = line;
        if (head.length > 65536)
            head.length = 65536;
        if (line_has(&head, quoted))
            return true;
        if (line.length && line.text[0] == '}')
            return false;
    }
    return false;
}

/* Depth of brackets after the line; strings are skipped, those that a raw quote broke end with the line. */
static int depth_after(const char *p, const char *end, int depth, const char **closed)
{
    bool in_string = false;
    *closed = NULL;
    for (; p < end; p++) {
        if (in_string) {
            if (*p == '\\' && p + 1 < end)
                p++;
            else if (*p == '"')
                in_string = false;
        } else if (*p == '"') {
            in_string = true;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (--depth == 0) {
                *closed = p + 1;
                return 0;
            }
        }
    }
    return depth;
}

/* A line `  "key": "value",` whose value holds quotes or backslashes as they were: escapes them. */
static bool escape_value(const char *line, size_t length, struct text *out)
{
    const char *end = line + length, *p = memchr(line, ':', length);
    /* Keys of rt-tests carry a colon of their own: "cmdline:": */
    while (p && p + 1 < end && !(p > line && p[-1] == '"' && (p[1] == ' ' || p[1] == '"')))
        p = memchr(p + 1, ':', (size_t)(end - p - 1));
    if (!p || p == line)
        return false;
    const char *open = p + 1;
    while (open < end && (*open == ' ' || *open == '\t'))
        open++;
    if (open >= end || *open != '"')
        return false;
    const char *close = end;
    while (close > open && close[-1] != '"')
        close--;
    close--;
    if (close <= open)
        return false;
    text_add_n(out, line, (size_t)(open + 1 - line));
    for (const char *c = open + 1; c < close; c++) {
        if (*c == '"' || *c == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *c);
    }
    text_add_n(out, close, (size_t)(end - close));
    return true;
}

/* nan, -nan, inf outside strings become null. Returns how many. */
static size_t without_nan(const char *p, const char *end, struct text *out)
{
    size_t n = 0;
    bool in_string = false;
    while (p < end) {
        if (*p == '"')
            in_string = !in_string;
        else if (in_string && *p == '\\' && p + 1 < end)
            text_add_char(out, *p++);
        if (!in_string && (*p == '-' || *p == 'n' || *p == 'N' || *p == 'i')) {
            const char *q = p + (*p == '-');
            if (end - q >= 3 && (strncasecmp(q, "nan", 3) == 0 || strncasecmp(q, "inf", 3) == 0)) {
                text_add(out, "null");
                p = q + 3;
                n++;
                continue;
            }
        }
        text_add_char(out, *p++);
    }
    return n;
}

static json_t *load(const struct text *text, json_error_t *why)
{
    return json_loadb(text_string(text), text->length, JSON_ALLOW_NUL, why);
}

/* Loads text, then with nan replaced, then with values escaped line by line. */
static json_t *load_repaired(struct import *import, const struct text *text, uint64_t line, json_error_t *why)
{
    json_t *json = load(text, why);
    if (json)
        return json;
    struct text clean = {0}, escaped = {0};
    size_t n = without_nan(text_string(text), text_string(text) + text->length, &clean);
    json_error_t ignored;
    json = n ? load(&clean, &ignored) : NULL;
    if (json) {
        import_note_n(import, "not-measured", n, line, "'nan' where a number should be");
    } else {
        const char *p = text_string(&clean), *end = p + clean.length;
        size_t n_escaped = 0;
        while (p < end) {
            const char *eol = memchr(p, '\n', (size_t)(end - p));
            size_t length = (size_t)((eol ? eol : end) - p);
            size_t before = escaped.length;
            if (escape_value(p, length, &escaped))
                n_escaped += escaped.length - before > length;
            else
                text_add_n(&escaped, p, length);
            text_add_char(&escaped, '\n');
            p += length + 1;
        }
        json = load(&escaped, &ignored);
        if (json)
            import_note_n(import, "repaired-text", n_escaped, line, "undone: quotes in strings that were not escaped");
    }
    text_release(&clean);
    text_release(&escaped);
    return json;
}

/* The lines of the object at the cursor, taken. True: its end is among them. */
static bool take_block(struct lines *lines, struct text *text)
{
    struct line line;
    int depth = 0;
    for (size_t k = 0; k < JSON_MAX_LINES && lines_peek(lines, 0, &line); k++) {
        const char *closed;
        if (k > 0 && line.length == 1 && line.text[0] == '{')
            return false; /* another object begins: this one was cut */
        depth = depth_after(line.text, line.text + line.length, depth, &closed);
        text_add_n(text, line.text, closed ? (size_t)(closed - line.text) : line.length);
        text_add_char(text, '\n');
        lines_skip(lines, 1);
        if (closed || (line.length && line.text[0] == '}'))
            return true;
    }
    return false;
}

/* Adds what closes all that is open at the end of the text. False: it ends in a string, or is nested too deeply. */
static bool close_all(const struct text *text, struct text *shut)
{
    char open[64];
    size_t n_open = 0;
    bool in_string = false;
    for (const char *p = text->bytes; *p && n_open < sizeof open; p++) {
        if (*p == '"' && (p == text->bytes || p[-1] != '\\'))
            in_string = !in_string;
        else if (!in_string && (*p == '{' || *p == '['))
            open[n_open++] = *p == '{' ? '}' : ']';
        else if (!in_string && (*p == '}' || *p == ']') && n_open)
            n_open--;
    }
    text_add_n(shut, text->bytes, text->length);
    while (n_open && !in_string)
        text_add_char(shut, open[--n_open]);
    return !in_string;
}

/* Of a cut object: leaves out lines from the end until what is open can be closed. */
static json_t *load_cut(struct import *import, struct text *text, uint64_t line)
{
    json_t *json = NULL;
    json_error_t ignored;
    for (int tries = 0; tries < 8 && text->length && !json; tries++) {
        size_t end = text->length;
        while (end && strchr("\n ,", text->bytes[end - 1]))
            end--;
        text_truncate(text, end);
        struct text shut = {0};
        if (close_all(text, &shut))
            json = load_repaired(import, &shut, line, &ignored);
        text_release(&shut);
        while (text->length && text->bytes[text->length - 1] != '\n')
            text_truncate(text, text->length - 1);
    }
    return json;
}

json_t *json_block_load(struct import *import, struct lines *lines, bool *is_cut, struct error *error)
{
    struct text text = {.max_length = MAX_TEXT_BYTES};
    uint64_t first = lines_number(lines);
    json_error_t why;
    *is_cut = !take_block(lines, &text);
    json_t *json = *is_cut ? load_cut(import, &text, first) : load_repaired(import, &text, first, &why);
    if (!json && *is_cut)
        error_input(error, "%s:%llu: JSON that ends early", import->member->path, (unsigned long long)first);
    else if (!json)
        error_input(error, "%s:%llu: damaged JSON: %s", import->member->path,
                    (unsigned long long)(first + (why.line > 0 ? (uint64_t)why.line - 1 : 0)), why.text);
    text_release(&text);
    return json;
}

static json_t *member(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (value)
        return value;
    char with_colon[80];
    snprintf(with_colon, sizeof with_colon, "%s:", key);
    return json_object_get(object, with_colon);
}

const char *json_text(const json_t *object, const char *key)
{
    return json_string_value(member(object, key));
}

bool json_whole(const json_t *object, const char *key, int64_t *value)
{
    const json_t *found = member(object, key);
    if (json_is_integer(found)) {
        *value = json_integer_value(found);
        return true;
    }
    double real = json_is_real(found) ? json_real_value(found) : NAN;
    if (!(real > -9e18 && real < 9e18))
        return false;
    *value = (int64_t)real;
    return true;
}

double json_number(const json_t *object, const char *key)
{
    const json_t *found = member(object, key);
    return json_is_number(found) ? json_number_value(found) : NAN;
}
