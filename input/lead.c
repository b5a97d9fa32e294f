/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a collector puts in front of every line, its source: "rt_1  | " (docker compose), "[pod/rt-0/main] " (kubectl),
 * "results/a.txt:" (grep -H), "board1> ". Tools begin their own rows alike ("RTD|", "T: 0", "stress-ng: info:"), so only these
 * forms count, and only where (nearly) every line has the same.
 */
#include <string.h>

#include "input/repair.h"

#define LOOK_BYTES  ((size_t)64 << 10)
#define LEAST_LINES 4

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_char(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || memchr("_-./@", c, 5);
}

/* A file's name: with an extension or folder; those of the kernel's own files tell what their lines are, and stay. */
static bool is_file(const char *name, size_t n)
{
    if (n < 3 || memmem(name, n, "proc/", 5) || memmem(name, n, "sys/", 4))
        return false;
    const char *dot = memrchr(name, '.', n), *end = name + n;
    return memchr(name, '/', n) || (dot && dot > name && dot + 1 < end && is_letter(dot[1]));
}

/* Bytes of the source's name and what parts it from the line, by the line's form; 0: none. */
static size_t lead_of(const char *line, size_t length)
{
    size_t begin = length && line[0] == '[', i = begin;
    if (i == length || !(is_letter(line[i]) || line[i] == '/' || line[i] == '.'))
        return 0;
    while (i < length && i < LEAD_BYTES - 4 && is_name_char(line[i]))
        i++;
    size_t n = i - begin;
    if (n < 2 || i == length)
        return 0;
    if (begin)
        return line[i] == ']' && i + 1 < length && line[i + 1] == ' ' && memchr(line, '/', i) ? i + 2 : 0;
    if (line[i] == ':')
        return is_file(line, n) ? i + 1 : 0;
    if (line[i] == '>')
        return i + 1 < length && line[i + 1] == ' ' ? i + 2 : 0;
    size_t blanks = i;
    while (i < length && i < LEAD_BYTES - 2 && line[i] == ' ')
        i++;
    return i > blanks && i + 1 < length && line[i] == '|' && line[i + 1] == ' ' ? i + 2 : 0;
}

size_t lead_length(const struct text_damage *damage, const char *line, size_t length)
{
    size_t n = damage->lead_bytes;
    if (!n || length + 1 < n || memcmp(line, damage->lead, length < n ? length : n) != 0)
        return 0;
    return length < n ? (damage->lead[n - 1] == ' ' ? length : 0) : n; /* an empty line may have lost its blank */
}

void lead_examine(struct text_damage *damage, const char *bytes, size_t size)
{
    size_t n_lines = 0, n_with = 0, n_strokes = 0;
    const char *end = bytes + (size < LOOK_BYTES ? size : LOOK_BYTES);
    damage->lead_bytes = 0;
    for (const char *p = bytes; p < end;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol && size > LOOK_BYTES)
            break; /* the rest of this line was not looked at */
        size_t length = (size_t)((eol ? eol : end) - p), n = damage->lead_bytes ? 0 : lead_of(p, length);
        if (n) {
            memcpy(damage->lead, p, n);
            damage->lead_bytes = n;
        }
        size_t has = lead_length(damage, p, length);
        n_lines += length > 0;
        n_with += has > 0;
        n_strokes += has && memchr(p + has, '|', length - has); /* or a table, each row of which has another cell */
        if (n_lines >= 16 && !n_with)
            return;
        p += length + 1;
    }
    if (n_with < LEAST_LINES || n_with * 10 < n_lines * 9 || n_strokes == n_with)
        damage->lead_bytes = 0;
}
