/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was done to the arrangement of lines: an empty line behind each (web pages, double line ends), a number in front
 * of each (paste sites, cat -n), or blanks in front of all (quoted as code).
 *
 * Rows of data begin with running numbers too, and sections are parted by empty lines. So numbers are a margin only where every
 * line has the next one and lines that are no rows of numbers have it as well, and empty lines are spacing only where (nearly) no
 * two lines stand together.
 */
#include <string.h>

#include "input/repair.h"

#define LOOK_BYTES  ((size_t)64 << 10)
#define LEAST_LINES 4  /* fewer show no pattern */
#define INDENT_MAX_BYTES ((size_t)1 << 20) /* what people quote as code is small; a tool's own rows may all begin with blanks, and are read fast */
#define LEAST_WORDS 3  /* numbered lines that begin with no digit */

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != '>') /* "> ": an empty line, quoted */
            return false;
    return true;
}

/* "  12", "12:", "12|", "12.", "12\t": where its text begins, and what parts it; 0: no number stands in front. */
static size_t numbered(const char *line, size_t length, uint64_t *number, char *separator)
{
    size_t i = 0, first;
    while (i < length && line[i] == ' ')
        i++;
    *number = 0;
    for (first = i; i < length && i < first + 8 && line[i] >= '0' && line[i] <= '9'; i++)
        *number = *number * 10 + (uint64_t)(line[i] - '0');
    if (i == first || (line[first] == '0' && i > first + 1))
        return 0;
    *separator = i < length ? line[i] : ' '; /* an empty line's number may be bare */
    if (*separator == '\r')
        *separator = ' ';
    if (!memchr(" \t:|.)", *separator, 6))
        return 0;
    return i < length && line[i] != '\r' ? i + 1 : i;
}

struct margin {
    bool fits;
    uint64_t next;
    char separator;
    size_t n, n_words;
    unsigned n_blanks; /* behind the separator in every line that has text */
};

static void look_at_margin(struct margin *margin, const char *line, size_t length)
{
    uint64_t number;
    char separator;
    size_t at = numbered(line, length, &number, &separator);
    if (!at || (margin->n > 0 && (number != margin->next || (separator != margin->separator && at < length))) ||
        (margin->n == 0 && number != 1)) {
        margin->fits = false;
        return;
    }
    margin->next = number + 1;
    margin->n++;
    if (margin->n == 1) {
        margin->separator = separator;
        margin->n_blanks = 8;
    }
    unsigned n_blanks = 0;
    while (at + n_blanks < length && line[at + n_blanks] == ' ')
        n_blanks++;
    if (is_blank(line + at, length - at))
        return;
    if (n_blanks < margin->n_blanks)
        margin->n_blanks = n_blanks;
    char c = line[at + n_blanks];
    margin->n_words += c < '0' || c > '9';
}

static size_t indentation(const char *line, size_t length)
{
    size_t n = 0;
    while (n < length && line[n] == ' ')
        n++;
    return n;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

void arrangement_examine(struct text_damage *damage, const char *bytes, size_t size)
{
    struct margin margin = {.fits = true};
    size_t n_lines = 0, n_together = 0, indent = SIZE_MAX;
    bool before_is_blank = true;
    const char *end = bytes + (size < LOOK_BYTES ? size : LOOK_BYTES);
    for (const char *p = bytes; p < end;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol && size > LOOK_BYTES)
            break; /* the rest of this line was not looked at */
        size_t whole = (size_t)((eol ? eol : end) - p), lead = lead_length(damage, p, whole), length = whole - lead;
        const char *line = p + lead;
        p += whole + 1;
        bool blank = is_blank(line, length);
        n_lines += !blank;
        n_together += !blank && !before_is_blank;
        before_is_blank = blank;
        if (!blank && margin.fits)
            look_at_margin(&margin, line, length);
        if (!blank && indent > 0)
            indent = least_of(indent, indentation(line, length));
        if (!margin.fits && indent == 0 && n_together > n_lines / 50 + 2)
            return; /* none of it: the usual text, after a few lines */
    }
    damage->indent = n_lines >= LEAST_LINES && indent != SIZE_MAX && size <= INDENT_MAX_BYTES ? indent : 0;
    damage->is_double_spaced = n_lines >= LEAST_LINES && n_together * 50 <= n_lines;
    if (margin.fits && margin.n >= LEAST_LINES && margin.n_words >= LEAST_WORDS) {
        damage->margin = margin.separator;
        damage->indent = 0; /* the numbers' own */
        damage->margin_blanks = memchr(" .)|", margin.separator, 4) ? margin.n_blanks : 0; /* cat -n and grep -n put none */
    }
}

bool arrangement_is_spacing(const char *line, size_t length)
{
    return is_blank(line, length);
}

size_t arrangement_margin(const struct text_damage *damage, const char *line, size_t length)
{
    uint64_t number;
    char separator;
    if (damage->indent)
        return least_of(damage->indent, indentation(line, length));
    size_t at = damage->margin ? numbered(line, length, &number, &separator) : 0;
    if (!at || (separator != damage->margin && at < length))
        return 0;
    for (unsigned i = 0; i < damage->margin_blanks && at < length && line[at] == ' '; i++)
        at++;
    return at;
}
