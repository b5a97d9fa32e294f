/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latencies that people claim in sentences: "In isolated mode, Xenomai achieved 50 us worst case latency, bumping to
 * 83 us without CPU isolation". The sentence holds the conditions, so it is kept whole, as a fact claim.N, with its
 * times as claim.N.times. Nothing is computed from them. A sentence that a thread quotes again is stated once.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "importers/cells.h"
#include "importers/private.h"

#define MAX_CLAIMS   40
#define MAX_SENTENCE 700
#define MAX_TEXT     ((size_t)1 << 20)

struct claims {
    size_t n;
    uint64_t seen[MAX_CLAIMS];
};

/* ---- one flowing text ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/*
 * Appends a line. A mail that was flattened to one line still has its quoted-printable ("=C2=B5", "= " where lines
 * ended) and its quote marks (" > ") inside.
 */
static void add_line(struct text *text, const char *p, size_t length)
{
    bool is_flattened = length > 1000;
    for (size_t i = 0; i < length; i++) {
        if (is_flattened && p[i] == '=' && i + 2 < length && hex_digit(p[i + 1]) >= 0 && hex_digit(p[i + 2]) >= 0) {
            int byte = hex_digit(p[i + 1]) << 4 | hex_digit(p[i + 2]);
            text_add_char(text, (char)(byte < 32 ? ' ' : byte));
            i += 2;
        } else if (is_flattened && p[i] == '=' && i + 1 < length && p[i + 1] == ' ') {
            i++;
        } else if (p[i] == '>' && (i == 0 || p[i - 1] == ' ' || p[i - 1] == '>')) {
            /* a quote mark */
        } else if (p[i] == ' ' || p[i] == '\t') {
            if (text->length && text->bytes[text->length - 1] != ' ')
                text_add_char(text, ' ');
        } else {
            text_add_char(text, p[i]);
        }
    }
}

/* ---- sentences ---- */

/* The length of a unit of time at p, 0 for none, and what it means in ns. */
static size_t unit_at(const char *p, double *scale)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"microseconds", 1e3}, {"milliseconds", 1e6}, {"nanoseconds", 1}, {"usecs", 1e3}, {"usec", 1e3}, {"msecs", 1e6},
                 {"msec", 1e6}, {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3}, {"\xc2\xb5", 1e3}, {"\xce\xbc", 1e3}, {"us", 1e3},
                 {"ms", 1e6}, {"ns", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].name);
        if (strncasecmp(p, units[i].name, n) == 0 && !isalnum((unsigned char)p[n]) && (unsigned char)p[n] < 0x80) {
            *scale = units[i].scale;
            return n;
        }
    }
    return 0;
}

/* "57,3": a decimal comma; "1,234": thousands. Moves *end behind it. */
static double with_comma(double value, char **end)
{
    char *p = *end, *digits = p + 1;
    size_t n = 0;
    if (*p != ',')
        return value;
    while (isdigit((unsigned char)digits[n]) && n < 10)
        n++;
    if (!n || n == 10)
        return value;
    *end = digits + n;
    double fraction = strtod(digits, NULL);
    if (n == 3 && value >= 1 && value == floor(value))
        return value * 1000 + fraction;
    for (size_t i = 0; i < n; i++)
        fraction /= 10;
    return value + fraction;
}

/* Times of the sentence as "50 us, 83 us"; false if there is none. */
static bool find_times(const char *sentence, struct text *times)
{
    text_truncate(times, 0);
    double before = 0; /* "90 to 95 microseconds": a number waiting for the unit of the next */
    for (const char *p = sentence; *p;) {
        if (!isdigit((unsigned char)*p) || (p > sentence && (isalnum((unsigned char)p[-1]) || p[-1] == '.' || p[-1] == '#'))) {
            p++;
            continue;
        }
        char *end;
        double value = with_comma(strtod(p, &end), &end);
        const char *q = end;
        while (*q == ' ')
            q++;
        double scale;
        size_t n = value < 1e9 ? unit_at(q, &scale) : 0;
        if (n) {
            if (before > 0)
                text_format(times, "%s%.10g ns", times->length ? ", " : "", before * scale);
            text_format(times, "%s%.10g ns", times->length ? ", " : "", value * scale);
            before = 0;
            end += (size_t)(q - end) + n;
        } else {
            before = strncmp(q, "to ", 3) == 0 || *q == '-' ? value : 0;
        }
        p = end > p ? end : p + 1;
    }
    return times->length > 0;
}

static bool speaks_of_latency(const char *sentence)
{
    static const char *const words[] = {"worst case", "worst-case", "latenc", "jitter",   "response time",
                                        "reaction",   "maximum",    "samples", "isolated", "sampling"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(sentence, words[i]))
            return true;
    return false;
}

/* Prose, not a table or code: words of letters, few other characters. */
static bool is_prose(const char *sentence, size_t length)
{
    size_t n_words = 0, n_letters = 0;
    for (size_t i = 0; i < length; i++) {
        bool is_letter = isalpha((unsigned char)sentence[i]) != 0;
        n_letters += is_letter || sentence[i] == ' ' || (unsigned char)sentence[i] >= 0x80;
        n_words += is_letter && (i == 0 || sentence[i - 1] == ' ');
    }
    return n_words >= 6 && n_letters * 4 >= length * 3;
}

static void take_sentence(struct import *import, struct claims *claims, const char *begin, size_t length, struct text *times)
{
    while (length && (*begin == ' ' || *begin == '-' || *begin == '*' || *begin == '"')) {
        begin++;
        length--;
    }
    if (length < 20 || length > MAX_SENTENCE || claims->n == MAX_CLAIMS || !is_prose(begin, length))
        return;
    char sentence[MAX_SENTENCE + 1];
    memcpy(sentence, begin, length);
    sentence[length] = '\0';
    if (!speaks_of_latency(sentence) || !find_times(sentence, times))
        return;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        if (isalnum((unsigned char)sentence[i]))
            hash = (hash ^ (unsigned char)sentence[i]) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < claims->n; i++)
        if (claims->seen[i] == hash)
            return;
    claims->seen[claims->n++] = hash;
    char key[40];
    snprintf(key, sizeof key, "claim.%zu", claims->n);
    import_fact(import, key, "%s", sentence);
    snprintf(key, sizeof key, "claim.%zu.times", claims->n);
    import_fact(import, key, "%s", text_string(times));
}

/* A sentence ends at a full stop before a blank and a capital, a digit or nothing; paragraphs end with '\n'. */
static bool ends_sentence(const char *p)
{
    if (*p == '\n' || *p == '\0')
        return true;
    if (*p != '.' && *p != '!' && *p != '?')
        return false;
    return p[1] == '\0' || p[1] == '\n' || (p[1] == ' ' && (isupper((unsigned char)p[2]) || p[2] == '*' || p[2] == '-' || p[2] == '"' || p[2] == '['));
}

size_t prose_claims(struct import *import, const unsigned char *bytes, size_t size)
{
    if (size > MAX_TEXT || (!memmem(bytes, size, "latenc", 6) && !memmem(bytes, size, "worst", 5)))
        return 0;
    struct lines *lines = lines_new(bytes, size);
    struct text text = {.max_length = 2 * MAX_TEXT};
    struct line line;
    const struct taken_lines *taken = import->private->taken, *taken_end = taken ? taken + import->private->n_taken : NULL;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        size_t at = lines_tell(lines);
        while (taken < taken_end && taken->end <= at)
            taken++;
        if (taken < taken_end && taken->begin <= at) {
            text_add_char(&text, '\n');
            continue;
        }
        if (line_is_blank(&line) || line_starts(&line, "* ") || line_starts(&line, "- "))
            text_add_char(&text, '\n');
        else if (text.length && text.bytes[text.length - 1] != '\n')
            text_add_char(&text, ' ');
        add_line(&text, line.text, line.length);
    }
    lines_free(lines);
    uint32_t run = import->run; /* of the last block; a mail's sentences belong to its first run */
    import->run = store_edit_artefact(import->store, import->artefact)->run;
    struct claims claims = {0};
    struct text times = {.max_length = 400};
    const char *begin = text_string(&text);
    for (const char *p = begin;; p++) {
        if (!ends_sentence(p))
            continue;
        take_sentence(import, &claims, begin, (size_t)(p - begin), &times);
        if (!*p)
            break;
        begin = p + 1;
    }
    import->run = run;
    text_release(&times);
    text_release(&text);
    return claims.n;
}

/* A row of the formats' list: sentences are taken when the walk through a text is over, not line by line. */
static struct probe_result prose_probe(struct lines *lines, const struct member *member)
{
    (void)lines;
    (void)member;
    return (struct probe_result){NOT_MINE, NULL};
}

static enum status prose_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)import;
    (void)error;
    lines_skip(lines, 1);
    return OK;
}

static const char *const prose_marks[] = {NULL};

const struct importer importer_prose = {
    .name = "prose",
    .summary = "latencies claimed in the sentences of a mail, as facts",
    .reads = "sentences with a time and a word such as latency or worst case, quoted-printable undone; kept whole",
    .probe_lines = prose_probe,
    .read_lines = prose_read,
    .marks = prose_marks,
};
