/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/mark.h"

#include <string.h>

#include "input/lines.h"

static const char *find(const char *text, const char *end, const char *literal)
{
    return memmem(text, (size_t)(end - text), literal, strlen(literal));
}

/* "hit latency threshold (117 > 100)": us; with -N cyclictest's limit and value are ns, which the text does not tell. */
static bool parse_threshold(const char *text, const char *end, int64_t *latency_ns)
{
    const char *p = find(text, end, "hit latency threshold (");
    uint64_t value, limit;
    if (!p)
        return false;
    p += strlen("hit latency threshold (");
    if (!scan_u64(&p, end, &value) || !scan_literal(&p, end, " > ") || !scan_u64(&p, end, &limit) ||
        value > INT64_MAX / 1000)
        return false;
    *latency_ns = (int64_t)value * 1000;
    return true;
}

/* "** latency peak: 12.345 us **"; a negative one prints its sign in both parts, "-1.-200". */
static bool parse_peak(const char *text, const char *end, int64_t *latency_ns)
{
    const char *p = find(text, end, "latency peak: ");
    int64_t ns;
    if (!p)
        return false;
    p += strlen("latency peak: ");
    if (p < end && *p == '-')
        return false; /* an early wakeup is no latency */
    if (!scan_decimal(&p, end, 3, &ns))
        return false;
    *latency_ns = ns;
    return true;
}

/* "... blocked 25012 us", "... latency 312 us", "... late by 12 ms" */
static bool parse_words(const char *text, const char *end, int64_t *latency_ns)
{
    static const char *const words[] = {"blocked ", "latency ", "latency: ", "latency=", "late by ", "delayed "};
    static const struct { const char *unit; int64_t ns; } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *p = find(text, end, words[i]);
        uint64_t value;
        if (!p)
            continue;
        p += strlen(words[i]);
        if (!scan_u64(&p, end, &value))
            continue;
        scan_blanks(&p, end);
        for (size_t u = 0; u < 3; u++)
            if (end - p >= 2 && memcmp(p, units[u].unit, 2) == 0 && (end - p == 2 || p[2] < 'a' || p[2] > 'z') &&
                value <= (uint64_t)(INT64_MAX / units[u].ns)) {
                *latency_ns = (int64_t)value * units[u].ns;
                return true;
            }
    }
    return false;
}

bool mark_parse(const char *text, size_t length, int64_t *latency_ns)
{
    const char *end = text + length;
    return parse_threshold(text, end, latency_ns) || parse_peak(text, end, latency_ns) ||
           parse_words(text, end, latency_ns);
}
