/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scanning helpers on slices of text (input/lines.h). */
#include "input/lines.h"

#include <string.h>

bool scan_blanks(const char **p, const char *end)
{
    const char *begin = *p;
    while (*p < end && (**p == ' ' || **p == '\t'))
        ++*p;
    return *p > begin;
}

bool scan_u64(const char **p, const char *end, uint64_t *value)
{
    const char *q = *p;
    uint64_t number = 0;
    if (q >= end || *q < '0' || *q > '9')
        return false;
    for (; q < end && *q >= '0' && *q <= '9'; q++)
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*q - '0'), &number))
            return false;
    *value = number;
    *p = q;
    return true;
}

bool scan_i64(const char **p, const char *end, int64_t *value)
{
    const char *q = *p;
    bool is_negative = q < end && *q == '-';
    uint64_t number;
    if (is_negative)
        q++;
    if (!scan_u64(&q, end, &number) || number > (uint64_t)INT64_MAX + is_negative)
        return false;
    *value = is_negative ? (int64_t)(0 - number) : (int64_t)number;
    *p = q;
    return true;
}

bool scan_hex(const char **p, const char *end, uint64_t *value)
{
    const char *q = *p;
    uint64_t number = 0;
    if (end - q > 2 && q[0] == '0' && (q[1] == 'x' || q[1] == 'X'))
        q += 2;
    const char *digits = q;
    for (; q < end; q++) {
        unsigned digit;
        if (*q >= '0' && *q <= '9')
            digit = (unsigned)(*q - '0');
        else if ((*q | 32) >= 'a' && (*q | 32) <= 'f')
            digit = (unsigned)((*q | 32) - 'a') + 10;
        else
            break;
        if (number >> 60)
            return false;
        number = number << 4 | digit;
    }
    if (q == digits)
        return false;
    *value = number;
    *p = q;
    return true;
}

bool scan_literal(const char **p, const char *end, const char *literal)
{
    if (*literal && (*p == end || **p != *literal)) /* most calls end here */
        return false;
    size_t n = strlen(literal);
    if ((size_t)(end - *p) < n || memcmp(*p, literal, n) != 0)
        return false;
    *p += n;
    return true;
}

bool scan_decimal(const char **p, const char *end, int digits, int64_t *scaled)
{
    const char *q = *p;
    bool is_negative = q < end && (*q == '-' || *q == '+') && *q++ == '-';
    int64_t number = 0;
    const char *first = q;
    for (; q < end && *q >= '0' && *q <= '9'; q++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *q - '0', &number))
            return false;
    bool has_digits = q > first;
    if (q + 1 < end && (*q == '.' || *q == ',') && q[1] >= '0' && q[1] <= '9') {
        for (q++; q < end && *q >= '0' && *q <= '9'; q++)
            if (digits > 0) {
                if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *q - '0', &number))
                    return false;
                digits--;
            }
        has_digits = true;
    } else if (has_digits && q < end && *q == '.') {
        q++; /* "12." */
    }
    if (!has_digits)
        return false;
    for (; digits > 0; digits--)
        if (__builtin_mul_overflow(number, 10, &number))
            return false;
    *scaled = is_negative ? -number : number;
    *p = q;
    return true;
}

bool line_starts(const struct line *line, const char *literal)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    return scan_literal(&p, end, literal);
}

const char *line_find(const struct line *line, const char *literal)
{
    return line->length ? memmem(line->text, line->length, literal, strlen(literal)) : NULL;
}

bool line_has(const struct line *line, const char *literal)
{
    return line_find(line, literal) != NULL;
}

bool line_may_be_cut(const struct line *line)
{
    return line->is_unterminated && line->length && line->text[line->length - 1] >= '0' && line->text[line->length - 1] <= '9';
}

bool line_is_blank(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    return p == end;
}
