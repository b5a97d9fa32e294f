/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of drawn tables: what a title says, and the values below it. */
#include "importers/grid.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "importers/reported.h"

struct cell grid_plain(struct cell cell)
{
    cell = cell_trim(cell);
    while (cell.length && strchr("*_`~\\\" ", cell.text[0]))
        cell = cell_from(cell, 1);
    while (cell.length && strchr("*_`\\\" ", cell.text[cell.length - 1]))
        cell = cell_first(cell, cell.length - 1);
    return cell;
}

/* ---- titles ---- */

/* Words beyond ASCII are beginnings: Chinese does not set them apart. */
static bool is_word(const char *p, size_t length, const char *const *words)
{
    for (; *words; words++) {
        size_t n = strlen(*words);
        bool is_beginning = (unsigned char)**words >= 0x80 && n <= length;
        if ((n == length || is_beginning) && strncasecmp(p, *words, n) == 0)
            return true;
    }
    return false;
}

static const char *const words_min[] = {"min", "minimum", "best", "lowest", "\xe6\x9c\x80\xe5\xb0\x8f", "\xd0\xbc\xd0\xb8\xd0\xbd", NULL};
static const char *const words_avg[] = {"avg", "average", "mean", "ave", "moy", "\xe5\xb9\xb3\xe5\x9d\x87", "\xd1\x81\xd1\x80\xd0\xb5\xd0\xb4", NULL};
static const char *const words_max[] = {"max", "maximum", "worst", "peak", "wcl", "wcet", "\xe6\x9c\x80\xe5\xa4\xa7", "\xd0\xbc\xd0\xb0\xd0\xba\xd1\x81", NULL};
static const char *const words_count[] = {"samples", "cycles", "loops", "iterations", "count", NULL};
static const char *const words_time[] = {"duration", "runtime", "length", NULL};
static const char *const words_filler[] = {"latency", "latencies", "jitter", "delay", "time", "value", "case", "wakeup", "response", "the",
                                           "scheduling", "of", "observed", "measured", NULL};
/* Titles of other statistics and quantities: neither a label nor a value of ours. */
static const char *const words_other[] = {"act", "last", "cur", "current", "std", "stddev", "stdev", "sigma", "median", "p50", "p90", "p95", "p99",
                                          "p999", "percentile", "delta", "diff", "change", "speedup", "ratio", "vs", "overruns", "status",
                                          "notes", "note", "verdict", "result", "pass", "margin", "improvement", "reduction", "kb", "mb",
                                          "interval", "period", "prio", "priority", NULL};

/*
 * The unit at the title's end, in brackets or not, cut off. -1: none; OTHER_UNIT: of something that is no time ("(KB/s)",
 * "[%]").
 */
#define OTHER_UNIT (-2)
static int take_unit(struct cell *title)
{
    size_t open = title->length, close = title->length;
    if (title->length > 2 && strchr(")]", title->text[title->length - 1])) {
        close--;
        while (open > 0 && !strchr("([", title->text[open - 1]))
            open--;
        if (!open)
            return -1;
        int digits = reported_unit_digits(cell_trim((struct cell){title->text + open, close - open}));
        *title = cell_trim(cell_first(*title, open - 1));
        return digits >= 0 ? digits : OTHER_UNIT;
    }
    while (open > 0 && !strchr(" _,", title->text[open - 1]))
        open--;
    int digits = open ? reported_unit_digits(cell_from(*title, open)) : -1;
    if (digits >= 0)
        *title = cell_trim(cell_first(*title, open - 1));
    return digits;
}

static enum grid_kind kind_of_words(struct cell title, char *group, size_t size)
{
    enum grid_kind kind = GRID_LABEL;
    bool is_other = false;
    size_t used = 0;
    group[0] = '\0';
    for (size_t i = 0; i < title.length;) {
        size_t begin = i;
        while (i < title.length && (isalnum((unsigned char)title.text[i]) || (unsigned char)title.text[i] >= 0x80))
            i++;
        if (i == begin) {
            is_other |= title.text[i] == '%' || title.text[i] == '/';
            i++;
            continue;
        }
        const char *p = title.text + begin;
        size_t n = i - begin;
        if (is_word(p, n, words_max))
            kind = GRID_MAX;
        else if (kind == GRID_LABEL && is_word(p, n, words_min))
            kind = GRID_MIN;
        else if (kind == GRID_LABEL && is_word(p, n, words_avg))
            kind = GRID_AVG;
        else if (kind == GRID_LABEL && is_word(p, n, words_count))
            kind = GRID_COUNT;
        else if (kind == GRID_LABEL && is_word(p, n, words_time))
            kind = GRID_DURATION;
        else if (is_word(p, n, words_other))
            is_other = true;
        else if (!is_word(p, n, words_filler) && used + n + 2 < size)
            used += (size_t)snprintf(group + used, size - used, "%s%.*s", used ? " " : "", (int)n, p);
    }
    return is_other && (grid_is_value(kind) || kind == GRID_LABEL) ? GRID_OTHER : kind;
}

struct grid_title grid_title_of(struct cell cell)
{
    struct grid_title title = {.digits = -1};
    struct cell text = grid_plain(cell);
    title.digits = take_unit(&text);
    title.kind = text.length ? kind_of_words(text, title.group, sizeof title.group) : GRID_LABEL;
    if (grid_is_value(title.kind) && title.digits == OTHER_UNIT)
        title.kind = GRID_OTHER;
    title.speaks_of_latency = cell_has(text, "atenc") || cell_has(text, "itter") || cell_has(text, "elay") || cell_has(text, "akeup");
    return title;
}

/* ---- values ---- */

/* "1.234,5", "1.234.567": points part the thousands where a comma comes last, or where there are two. */
static bool has_dots_for_thousands(struct cell cell)
{
    const char *comma = memrchr(cell.text, ',', cell.length), *first = memchr(cell.text, '.', cell.length), *last = memrchr(cell.text, '.', cell.length);
    if (!first || first == cell.text || (comma ? comma < last : first == last))
        return false;
    const char *end = comma ? comma : cell.text + cell.length;
    for (const char *p = first; p < end; p += 4)
        if (*p != '.' || end - p < 4 || !isdigit((unsigned char)p[1]) || !isdigit((unsigned char)p[2]) || !isdigit((unsigned char)p[3]))
            return false;
    return true;
}

/* "2,936" is 2936 and "52,7" is 52.7: what stands behind the comma tells. */
static bool plain_number(struct cell cell, bool has_decimal_comma, char *number, size_t size)
{
    size_t n = 0;
    if (!cell.length || cell.length >= size)
        return false;
    bool is_turned = has_dots_for_thousands(cell);
    for (size_t i = 0; i < cell.length; i++) {
        char c = cell.text[i];
        size_t behind = cell.length - i - 1;
        if (c == '.' && is_turned)
            continue;
        if (c == ',' && !has_decimal_comma && behind >= 3 && isdigit((unsigned char)cell.text[i + 1]) && isdigit((unsigned char)cell.text[i + 2]) &&
            isdigit((unsigned char)cell.text[i + 3]) && (behind == 3 || strchr(",.", cell.text[i + 4])))
            continue;
        if (!isdigit((unsigned char)c) && c != '.' && c != ',' && !(c == '-' && i == 0))
            return false;
        number[n++] = c == ',' ? '.' : c;
    }
    number[n] = '\0';
    return n > 0;
}

bool grid_is_decimal_comma(struct cell cell)
{
    const char *comma = memchr(cell.text, ',', cell.length), *end = cell.text + cell.length;
    size_t n = 0;
    if (!comma || comma == cell.text || !isdigit((unsigned char)comma[-1]) || memchr(comma, '.', (size_t)(end - comma)) || memchr(comma + 1, ',', (size_t)(end - comma - 1)))
        return false;
    while (comma + 1 + n < end && isdigit((unsigned char)comma[1 + n]))
        n++;
    bool is_zero = comma == cell.text + 1 && cell.text[0] == '0';
    return n > 0 && (n != 3 || is_zero);
}

bool grid_value(struct cell cell, int digits, bool has_decimal_comma, int64_t *ns, bool *has_unit)
{
    char number[40];
    size_t n = 0;
    cell = grid_plain(cell);
    has_decimal_comma |= grid_is_decimal_comma(cell);
    while (n < cell.length && (isdigit((unsigned char)cell.text[n]) || strchr(".,-", cell.text[n])))
        n++;
    struct cell rest = cell_trim(cell_from(cell, n));
    int own = rest.length ? reported_unit_digits(rest) : -1;
    if ((rest.length && own < 0) || !plain_number(cell_first(cell, n), has_decimal_comma, number, sizeof number))
        return false;
    *has_unit = own >= 0;
    int used = own >= 0 ? own : digits >= 0 ? digits : 3;
    return cell_ns((struct cell){number, strlen(number)}, used, ns) && *ns >= 0;
}

bool grid_count(struct cell cell, uint64_t *count)
{
    char number[40];
    return plain_number(cell, false, number, sizeof number) && cell_u64((struct cell){number, strlen(number)}, count);
}

bool grid_duration(struct cell cell, int64_t *ns)
{
    uint64_t value;
    size_t n = 0;
    if (cell_clock_ns(cell, ns))
        return true;
    while (n < cell.length && isdigit((unsigned char)cell.text[n]))
        n++;
    struct cell unit = cell_trim(cell_from(cell, n));
    if (!n || n > 9 || !cell_u64(cell_first(cell, n), &value) || !unit.length)
        return false;
    static const struct {
        const char *name;
        uint64_t seconds;
    } units[] = {{"s", 1}, {"sec", 1}, {"secs", 1}, {"seconds", 1}, {"m", 60}, {"min", 60}, {"mins", 60}, {"minutes", 60},
                 {"h", 3600}, {"hour", 3600}, {"hours", 3600}, {"d", 86400}, {"days", 86400}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (unit.length == strlen(units[i].name) && strncasecmp(unit.text, units[i].name, unit.length) == 0) {
            if (value > 9000000000 / units[i].seconds)
                return false;
            *ns = (int64_t)(value * units[i].seconds) * 1000000000;
            return true;
        }
    return false;
}
