/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What printk, syslog and serial consoles put in front of a line. */
#include <string.h>

#include "input/repair.h"

static size_t skip_digits(const char *p, size_t size, size_t i)
{
    while (i < size && p[i] >= '0' && p[i] <= '9')
        i++;
    return i;
}

/* "[   12.345678] ", "[   12.345678][    C0] ", with "<4>" in front or not. 0: there is none. */
static size_t printk_prefix_length(const char *line, size_t length)
{
    size_t i = 0;
    if (i < length && line[i] == '<') {
        size_t after = skip_digits(line, length, i + 1);
        if (after == i + 1 || after > i + 4 || after >= length || line[after] != '>')
            return 0;
        i = after + 1;
        if (i >= length || line[i] != '[')
            return i;
    }
    if (i >= length || line[i] != '[')
        return 0;
    i++;
    while (i < length && line[i] == ' ')
        i++;
    size_t dot = skip_digits(line, length, i);
    if (dot == i || dot >= length || line[dot] != '.')
        return 0;
    size_t close = skip_digits(line, length, dot + 1);
    if (close - dot - 1 != 6 || close >= length || line[close] != ']')
        return 0;
    i = close + 1;
    /* Caller: "[    C0]", "[ T1234]" with CONFIG_PRINTK_CALLER, with a blank between or not. */
    size_t caller = i + (i < length && line[i] == ' ' && i + 1 < length && line[i + 1] == '[');
    if (caller < length && line[caller] == '[') {
        size_t k = caller + 1;
        while (k < length && line[k] == ' ')
            k++;
        if (k < length && (line[k] == 'C' || line[k] == 'T')) {
            size_t after = skip_digits(line, length, k + 1);
            if (after > k + 1 && after < length && line[after] == ']')
                i = after + 1;
        }
    }
    return i + (i < length && line[i] == ' ');
}

static bool is_digit_at(const char *line, size_t length, size_t i)
{
    return i < length && line[i] >= '0' && line[i] <= '9';
}

/* "12:34:56", maybe with a fraction; returns the end, or 0. */
static size_t clock_end(const char *line, size_t length, size_t i)
{
    for (int part = 0; part < 3; part++) {
        if (!is_digit_at(line, length, i) || !is_digit_at(line, length, i + 1))
            return 0;
        i += 2;
        if (part < 2) {
            if (i >= length || line[i] != ':')
                return 0;
            i++;
        }
    }
    if (i < length && (line[i] == '.' || line[i] == ','))
        i = skip_digits(line, length, i + 1);
    return i;
}

/* "Jan  1 12:00:00 host kernel: ", "2024-01-01T12:00:00.123456+01:00 host kernel: ", "[12:34:56.789] ". */
static size_t syslog_prefix_length(const char *line, size_t length)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    size_t i;
    if (length > 16 && line[3] == ' ') {
        const char *month = memmem(months, sizeof months - 1, line, 3);
        if (!month || (month - months) % 3 != 0)
            return 0;
        i = 4;
        while (i < 6 && line[i] == ' ')
            i++;
        size_t day = skip_digits(line, length, i);
        if (day == i || day > i + 2 || day >= length || line[day] != ' ')
            return 0;
        i = clock_end(line, length, day + 1);
    } else if (length > 20 && is_digit_at(line, length, 0) && line[4] == '-' && line[7] == '-' && line[10] == 'T') {
        i = clock_end(line, length, 11);
        while (i && i < length && (is_digit_at(line, length, i) || line[i] == '+' || line[i] == '-' || line[i] == ':' || line[i] == 'Z'))
            i++;
    } else if (length > 10 && line[0] == '[' && is_digit_at(line, length, 1)) {
        i = 1;
        if (length > 12 && line[5] == '-' && line[8] == '-' && (line[11] == ' ' || line[11] == 'T'))
            i = 12;
        i = clock_end(line, length, i);
        if (!i || i >= length || line[i] != ']')
            return 0;
        return i + 1 + (i + 1 < length && line[i + 1] == ' ');
    } else {
        return 0;
    }
    if (!i || i >= length || line[i] != ' ')
        return 0;
    const char *host_end = memchr(line + i + 1, ' ', length - i - 1);
    if (!host_end)
        return 0;
    size_t tag = (size_t)(host_end - line) + 1;
    if (length - tag < 8 || memcmp(line + tag, "kernel: ", 8) != 0)
        return 0;
    i = tag + 8;
    return i + printk_prefix_length(line + i, length - i);
}

size_t console_prefix_length(const char *line, size_t length)
{
    size_t indent = 0; /* quoted as code */
    while (indent < length && indent < 8 && line[indent] == ' ')
        indent++;
    line += indent;
    length -= indent;
    if (length < 4)
        return 0;
    char c = line[0];
    if (c != '[' && c != '<' && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'S'))
        return 0;
    size_t n = printk_prefix_length(line, length);
    n = n ? n : syslog_prefix_length(line, length);
    return n ? indent + n : 0;
}
