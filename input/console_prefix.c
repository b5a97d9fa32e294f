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

/* "2023-07-03" */
static size_t date_end(const char *line, size_t length, size_t i)
{
    static const char form[] = "0000-00-00";
    for (size_t k = 0; k < sizeof form - 1; k++, i++)
        if (form[k] == '0' ? !is_digit_at(line, length, i) : i >= length || line[i] != form[k])
            return 0;
    return i;
}

/* "Z", "+02:00", "+0200" or nothing. */
static size_t zone_end(const char *line, size_t length, size_t i)
{
    if (i < length && line[i] == 'Z')
        return i + 1;
    if (i + 5 > length || (line[i] != '+' && line[i] != '-') || !is_digit_at(line, length, i + 1) || !is_digit_at(line, length, i + 2))
        return i;
    size_t minutes = i + 3 + (line[i + 3] == ':');
    return is_digit_at(line, length, minutes) && is_digit_at(line, length, minutes + 1) ? minutes + 2 : i;
}

static bool is_name_of(const char *names, const char *line, size_t length)
{
    const char *found = length >= 3 ? memmem(names, strlen(names), line, 3) : NULL;
    return found && (found - names) % 3 == 0;
}

/* "Jul  3 12:00:00" */
static size_t month_end(const char *line, size_t length, size_t i)
{
    if (i + 15 > length || !is_name_of("JanFebMarAprMayJunJulAugSepOctNovDec", line + i, length - i) || line[i + 3] != ' ')
        return 0;
    i += 4;
    i += line[i] == ' ';
    size_t day = skip_digits(line, length, i);
    return day == i || day > i + 2 || day >= length || line[day] != ' ' ? 0 : clock_end(line, length, day + 1);
}

/* "2023-07-03 12:00:00.123", "2023-07-03T12:00:00+02:00" */
static size_t iso_end(const char *line, size_t length, size_t i)
{
    i = date_end(line, length, i);
    if (!i || i >= length || (line[i] != 'T' && line[i] != ' ' && line[i] != '_'))
        return 0;
    i = clock_end(line, length, i + 1);
    return i ? zone_end(line, length, i) : 0;
}

/* "[12:34:56.789] ", "[2023-07-03T12:34:56Z] ", "[Mon Jul  3 12:34:56.789 2023] ", grabserial's "[1.000123 0.000123] ". */
static size_t bracket_length(const char *line, size_t length)
{
    size_t i = 1, end;
    while (i < length && line[i] == ' ')
        i++;
    if ((end = iso_end(line, length, i)) == 0 && (end = clock_end(line, length, i)) == 0 && (end = month_end(line, length, i)) == 0) {
        if (is_name_of("MonTueWedThuFriSatSun", line + i, length - i) && i + 4 < length && line[i + 3] == ' ') {
            end = month_end(line, length, i + 4);
            size_t year = end && end < length && line[end] == ' ' ? skip_digits(line, length, end + 1) : 0;
            end = year == end + 5 ? year : 0;
        } else { /* two numbers of six decimals */
            for (int part = 0; part < 2 && (part == 0 || end); part++) {
                size_t dot = skip_digits(line, length, part ? end + 1 : i), digits = dot < length && line[dot] == '.' ? skip_digits(line, length, dot + 1) : 0;
                end = digits == dot + 7 && digits < length && line[digits] == (part ? ']' : ' ') ? digits : 0;
            }
        }
    }
    if (!end || end >= length || line[end] != ']')
        return 0;
    return end + 1 + (end + 1 < length && line[end + 1] == ' ');
}

/* "host kernel: ", "host cyclictest.sh[812]: " */
static size_t sender_length(const char *line, size_t length)
{
    const char *host_end = memchr(line, ' ', length < 80 ? length : 80);
    if (!host_end || host_end == line)
        return 0;
    size_t tag = (size_t)(host_end - line) + 1;
    if (length - tag >= 8 && memcmp(line + tag, "kernel: ", 8) == 0)
        return tag + 8;
    size_t i = tag;
    while (i < length && i < tag + 80 && line[i] != ' ' && line[i] != '[' && line[i] != ':')
        i++;
    if (i == tag || i >= length || line[i] != '[')
        return 0;
    size_t pid = skip_digits(line, length, i + 1);
    if (pid == i + 1 || pid + 1 >= length || line[pid] != ']' || line[pid + 1] != ':')
        return 0;
    return pid + 2 + (pid + 2 < length && line[pid + 2] == ' ');
}

/* "Jan  1 12:00:00 host kernel: ", "2024-01-01T12:00:00.123456+01:00 host tool[812]: " */
static size_t syslog_prefix_length(const char *line, size_t length)
{
    if (line[0] == '[')
        return bracket_length(line, length);
    size_t i = month_end(line, length, 0);
    i = i ? i : iso_end(line, length, 0);
    if (!i || i >= length || line[i] != ' ')
        return 0;
    size_t sender = sender_length(line + i + 1, length - i - 1);
    if (!sender)
        return 0;
    i += 1 + sender;
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
    if (n && line[0] == '[') { /* journalctl -o short-monotonic */
        size_t sender = sender_length(line + n, length - n);
        n += sender && line[n] != ' ' ? sender : 0;
    }
    n = n ? n : syslog_prefix_length(line, length);
    return n ? indent + n : 0;
}

/* ---- stamps that every line has ---- */

/* "INFO ", "- runner - INFO - ", "[info] ": what loggers put behind the stamp; GitLab: "01O ". */
static size_t level_length(const char *line, size_t length)
{
    static const char *const levels[] = {"INFO", "DEBUG", "WARNING", "WARN", "ERROR", "NOTICE", "info", "debug", "warning", "error", "notice"};
    size_t limit = length < 48 ? length : 48;
    if (length > 4 && (line[2] == 'O' || line[2] == 'E') && (line[3] == ' ' || line[3] == '+') && is_digit_at(line, length, 0))
        return 4;
    for (size_t i = 0; i < limit && (line[i] == ' ' || memchr("[]()-_.|", line[i], 8) || is_digit_at(line, limit, i) || (line[i] | 32) >= 'a'); i++)
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
            size_t n = strlen(levels[k]);
            if (limit - i <= n || memcmp(line + i, levels[k], n) != 0 || (i && !memchr(" [(|", line[i - 1], 4)) || !memchr(" ])|:-", line[i + n], 6))
                continue;
            i += n;
            while (i < length && memchr("])|:-", line[i], 5))
                i++;
            while (i + 1 < length && line[i] == ' ' && memchr("-|:", line[i + 1], 3) && (i + 2 == length || line[i + 2] == ' '))
                i += 2;
            return i + (i < length && line[i] == ' ');
        }
    return 0;
}

/* "1688371872.123456": seconds since 1970, as ts and cameras print them. */
static size_t epoch_end(const char *line, size_t length)
{
    size_t dot = skip_digits(line, length, 0), end = dot == 10 && dot < length && line[dot] == '.' ? skip_digits(line, length, dot + 1) : 0;
    return end > dot + 1 && end <= dot + 10 ? end : 0;
}

size_t stamp_length(const char *line, size_t length, enum stamp_form form)
{
    size_t i = form == STAMP_DATE    ? iso_end(line, length, 0)
               : form == STAMP_MONTH ? month_end(line, length, 0)
               : form == STAMP_CLOCK ? clock_end(line, length, 0)
                                     : epoch_end(line, length);
    if (!i || (i < length && line[i] != ' ' && !(line[i] == ':' && i + 1 < length && line[i + 1] == ' ')))
        return 0;
    i += i < length && line[i] == ':';
    i += i < length;
    return i + level_length(line + i, length - i);
}
