/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal numbers exactly as a source printed them. */
#include <stdbool.h>

#include "store/rows.h"

/* An optional sign, digits, and a point with more digits; digits that do not fit 64 bits make it no number. */
struct decimal decimal_parse(const char *text, size_t length)
{
    struct decimal unknown = {0}, d = {.is_known = true};
    size_t i = 0;
    bool is_negative = false, has_point = false, has_digit = false;
    if (i < length && (text[i] == '-' || text[i] == '+'))
        is_negative = text[i++] == '-';
    for (; i < length; i++) {
        if (text[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9')
            return unknown;
        int digit = text[i] - '0';
        if (__builtin_mul_overflow(d.mantissa, (int64_t)10, &d.mantissa) ||
            __builtin_add_overflow(d.mantissa, (int64_t)(is_negative ? -digit : digit), &d.mantissa) || d.digits == 255)
            return unknown;
        d.digits = (uint8_t)(d.digits + has_point);
        has_digit = true;
    }
    return has_digit ? d : unknown;
}

double decimal_value(struct decimal d)
{
    if (!d.is_known)
        return NAN;
    return (double)d.mantissa / pow(10, d.digits);
}
