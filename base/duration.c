/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/duration.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int64_t ns;
    int digits; /* decimals that are whole ns */
} unit[] = {
    {"ns", 1, 0},
    {"us", 1000, 3},
    {"\xc2\xb5s", 1000, 3}, /* micro sign */
    {"\xce\xbcs", 1000, 3}, /* Greek mu */
    {"ms", 1000000, 6},
    {"s", 1000000000, 9},
    {"min", INT64_C(60000000000), 9},
    {"m", INT64_C(60000000000), 9},
    {"h", INT64_C(3600000000000), 9},
    {"d", INT64_C(86400000000000), 9},
};

bool duration_parse(const char *text, int64_t *ns)
{
    while (*text == ' ')
        text++;
    bool negative = *text == '-';
    if (negative)
        text++;
    int64_t whole = 0, fraction = 0;
    int n_digits = 0, n_fraction = 0;
    for (; isdigit((unsigned char)*text); text++, n_digits++)
        if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, *text - '0', &whole))
            return false;
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++, n_fraction++) {
            if (n_fraction == 9)
                return false;
            fraction = fraction * 10 + (*text - '0');
        }
    if (n_digits + n_fraction == 0)
        return false;
    while (*text == ' ')
        text++;
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        length--;
    if (!length && !whole && !fraction) {
        *ns = 0;
        return true;
    }
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
        if (strlen(unit[i].name) != length || strncmp(unit[i].name, text, length) != 0)
            continue;
        if (n_fraction > unit[i].digits)
            return false;
        int64_t scale = 1, part, total;
        for (int d = 0; d < n_fraction; d++)
            scale *= 10;
        if (__builtin_mul_overflow(whole, unit[i].ns, &total) ||
            __builtin_mul_overflow(fraction, unit[i].ns / scale, &part))
            return false;
        if (unit[i].ns % scale != 0 &&
            __builtin_add_overflow(part, fraction * (unit[i].ns % scale) / scale, &part))
            return false;
        if (__builtin_add_overflow(total, part, &total))
            return false;
        *ns = negative ? -total : total;
        return true;
    }
    return false;
}

const char *duration_format(int64_t ns, char text[DURATION_TEXT_BYTES])
{
    static const struct {
        const char *name;
        uint64_t ns;
    } print[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}};
    const char *sign = ns < 0 ? "-" : "";
    uint64_t value = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    for (size_t i = 0; i < sizeof print / sizeof *print; i++) {
        if (value < print[i].ns)
            continue;
        uint64_t milli = value / (print[i].ns / 1000) + (value % (print[i].ns / 1000) * 2 >= print[i].ns / 1000 && print[i].ns > 1000);
        char decimals[8];
        snprintf(decimals, sizeof decimals, ".%03u", (unsigned)(milli % 1000));
        for (size_t end = strlen(decimals); end && (decimals[end - 1] == '0' || decimals[end - 1] == '.'); end--)
            decimals[end - 1] = '\0';
        snprintf(text, DURATION_TEXT_BYTES, "%s%" PRIu64 "%s %s", sign, milli / 1000, decimals, print[i].name);
        return text;
    }
    snprintf(text, DURATION_TEXT_BYTES, "%s%" PRIu64 " ns", sign, value);
    return text;
}

const char *duration_format_long(int64_t ns, char text[DURATION_TEXT_BYTES])
{
    uint64_t s = (ns < 0 ? -(uint64_t)ns : (uint64_t)ns) / 1000000000u;
    const char *sign = ns < 0 ? "-" : "";
    if (s >= 86400)
        snprintf(text, DURATION_TEXT_BYTES, "%s%" PRIu64 " d %u h", sign, s / 86400, (unsigned)(s / 3600 % 24));
    else if (s >= 3600)
        snprintf(text, DURATION_TEXT_BYTES, "%s%u h %u min", sign, (unsigned)(s / 3600), (unsigned)(s / 60 % 60));
    else if (s >= 120)
        snprintf(text, DURATION_TEXT_BYTES, "%s%u min %u s", sign, (unsigned)(s / 60), (unsigned)(s % 60));
    else
        return duration_format(ns, text);
    return text;
}

const char *duration_format_bound(int64_t ns, bool is_least, char text[DURATION_TEXT_BYTES])
{
    char value[DURATION_TEXT_BYTES];
    snprintf(text, DURATION_TEXT_BYTES, "%s%.28s", is_least ? ">= " : "", duration_format(ns, value));
    return text;
}
