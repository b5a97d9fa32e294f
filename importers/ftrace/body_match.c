/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two small matchers for the text of an event's arguments.
 *
 * Keys: "comm pid prio target_cpu" names the fields in the order of the kind's arguments, as the text spells them. A '?'
 * behind a name allows it to be missing, "-" is an argument the text never has. A string runs up to the next field, so
 * that names with blanks stay whole; the next field is looked for from the right, because a task may call itself
 * "a pid=1". Option `fields` prints numbers as "0x1cf (463)": the number in parentheses is taken.
 *
 * Patterns: literal text with conversions %Nc, N the argument's number and c one of
 *     a   by the argument's own type: number, or word without blanks
 *     s   text up to the last place behind which the rest of the pattern fits (to the end if nothing follows)
 *     f   text up to the first place where the following literal stands
 *     t   task state letters
 *     *   (%*) text that is skipped up to the following literal
 * A blank stands for any number of blanks, also none at the end. What follows the pattern is not looked at.
 */
#include "importers/ftrace/ftrace.h"

char ftrace_argument(unsigned kind, unsigned i, unsigned *word)
{
    const struct event_kind_info *info = event_kind_info(kind);
    unsigned at = 0;
    if (!info || i >= info->n_arguments)
        return 0;
    for (unsigned k = 0; k < i; k++)
        at += info->arguments[k].type == 'l' || info->arguments[k].type == 'X' ? 2 : 1;
    *word = at;
    return info->arguments[i].type;
}

void ftrace_event_begin(struct ftrace_event *event, unsigned kind)
{
    const struct event_kind_info *info = event_kind_info(kind);
    event->kind = kind;
    event->n_strings = 0;
    event->n_words = 0;
    for (unsigned i = 0; i < info->n_arguments; i++) {
        uint32_t *w = &event->words[event->n_words];
        switch (info->arguments[i].type) {
        case 'i':
            *w = (uint32_t)INT32_MIN;
            event->n_words += 1;
            break;
        case 'u':
        case 'x':
            *w = UINT32_MAX;
            event->n_words += 1;
            break;
        case 's':
            *w = 0;
            event->n_words += 1;
            break;
        case 'l':
            event_words_set_i64(w, INT64_MIN);
            event->n_words += 2;
            break;
        case 'X':
            w[0] = w[1] = UINT32_MAX;
            event->n_words += 2;
            break;
        default: /* S: a list has no fixed words */
            break;
        }
    }
}

void ftrace_event_string(struct ftrace_event *event, unsigned word, const char *text, size_t length)
{
    if (length == 0 || event->n_strings == BODY_STRINGS)
        return;
    event->strings[event->n_strings].word = word;
    event->strings[event->n_strings].text = text;
    event->strings[event->n_strings++].length = length;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* "-12", "0xff", "0x1cf (463)", "(nil)", "(ptrval)", "00000000c0a17dac" where hex is expected. */
static bool take_number(const char **p, const char *end, bool hex, uint64_t *value, bool *is_unknown)
{
    const char *s = *p;
    bool negative = false;
    *is_unknown = false;
    if (s < end && *s == '(') { /* (nil) (null) (ptrval) (____ptrval____): %p of a hidden or missing pointer */
        const char *close = memchr(s, ')', (size_t)(end - s));
        if (!close || close - s > 20)
            return false;
        *is_unknown = true;
        *value = 0;
        *p = close + 1;
        return true;
    }
    if (s < end && *s == '-') {
        negative = true;
        s++;
    }
    uint64_t n;
    if (hex || (end - s > 2 && s[0] == '0' && s[1] == 'x')) {
        if (!scan_hex(&s, end, &n))
            return false;
        if (end - s > 3 && s[0] == ' ' && s[1] == '(' && (is_digit(s[2]) || s[2] == '-')) {
            const char *q = s + 2;
            int64_t decimal;
            if (scan_i64(&q, end, &decimal) && q < end && *q == ')') {
                n = (uint64_t)decimal;
                s = q + 1;
            }
        }
    } else if (!scan_u64(&s, end, &n)) {
        return false;
    }
    *value = negative ? 0 - n : n;
    *p = s;
    return true;
}

/* Puts the number at *p into an argument of type `type`. 4294967295 in a signed argument is the kernel's -1. */
static bool store_number(struct ftrace_event *event, char type, unsigned word, const char **p, const char *end)
{
    uint64_t n;
    bool is_unknown;
    if (!take_number(p, end, type == 'x' || type == 'X', &n, &is_unknown))
        return false;
    if (is_unknown)
        return true;
    switch (type) {
    case 'i':
        if ((int64_t)n > UINT32_MAX || (int64_t)n < INT32_MIN)
            return true; /* does not fit: stays unknown */
        event->words[word] = (uint32_t)n;
        return true;
    case 'u':
    case 'x':
        if (n <= UINT32_MAX)
            event->words[word] = (uint32_t)n;
        return true;
    default:
        event_words_set_i64(&event->words[word], (int64_t)n);
        return true;
    }
}

uint32_t ftrace_state_parse(const char *text, size_t length)
{
    /* Bits as TASK_REPORT has them since 4.14; 0x100 and beyond: preempted while running. */
    static const struct { uint32_t bit; char letter; } bits[] = {
        {0x01, 'S'}, {0x02, 'D'}, {0x04, 'T'}, {0x08, 't'}, {0x10, 'X'}, {0x20, 'Z'}, {0x40, 'P'}, {0x80, 'I'},
    };
    uint32_t word = 0;
    unsigned shift = 0;
    if (length && is_digit(text[0])) {
        const char *p = text, *end = text + length;
        uint64_t n;
        bool is_unknown;
        if (!take_number(&p, end, false, &n, &is_unknown) || is_unknown)
            return UINT32_MAX;
        if ((n & 0xff) == 0) {
            word = 'R';
            shift = 8;
        }
        for (size_t i = 0; i < sizeof bits / sizeof *bits && shift < 24; i++)
            if (n & bits[i].bit) {
                word |= (uint32_t)(unsigned char)bits[i].letter << shift;
                shift += 8;
            }
        if (n >= 0x100)
            word |= (uint32_t)'+' << shift;
        return word;
    }
    for (size_t i = 0; i < length && shift < 32; i++) {
        if (text[i] == '|')
            continue;
        word |= (uint32_t)(unsigned char)text[i] << shift;
        shift += 8;
    }
    return word ? word : UINT32_MAX;
}

/* The end of a word: a blank outside of brackets such as "name [module]". */
static const char *word_end(const char *p, const char *end)
{
    while (p < end && !is_blank(*p))
        p++;
    if (end - p > 2 && p[1] == '[') { /* " [module]" belongs to the symbol */
        const char *close = memchr(p, ']', (size_t)(end - p));
        if (close && !memchr(p + 1, ' ', (size_t)(close - p - 1)) && !is_digit(p[2]))
            p = close + 1;
    }
    return p;
}

/* ---- patterns ---- */

/* Length of the literal at a pattern's position. */
static size_t literal_length(const char *pattern)
{
    return strcspn(pattern, "%");
}

/* Matches a literal; its blanks take any number of blanks. */
static bool take_literal(const char *literal, size_t length, const char **p, const char *end)
{
    const char *s = *p;
    for (size_t i = 0; i < length; i++) {
        if (literal[i] == ' ') {
            if (s < end && !is_blank(*s) && i > 0)
                return false;
            while (s < end && is_blank(*s))
                s++;
        } else {
            if (s >= end || *s != literal[i])
                return false;
            s++;
        }
    }
    *p = s;
    return true;
}

/* The first place in the text where the literal stands; NULL if nowhere. A run of blanks is one place, its begin. */
static const char *find_literal(const char *literal, size_t length, const char *text, const char *end)
{
    for (const char *s = text; s < end; s++) {
        const char *p = s;
        if (literal[0] == ' ' && (!is_blank(*s) || (s > text && is_blank(s[-1]))))
            continue;
        if (take_literal(literal, length, &p, end))
            return s;
    }
    return NULL;
}

static bool match_from(const char *pattern, const char *text, const char *end, struct ftrace_event *event);

/*
 * A string that may hold what follows it: the places where the literal stands are tried from the right, and the first
 * behind which the rest of the pattern fits is its end.
 */
static bool match_string(const char *rest, unsigned word, const char *p, const char *end, struct ftrace_event *event)
{
    size_t n = literal_length(rest);
    unsigned n_strings = event->n_strings, tries = 64;
    if (n == 0 && !*rest) {
        while (end > p && is_blank(end[-1]))
            end--;
        ftrace_event_string(event, word, p, (size_t)(end - p));
        return true;
    }
    for (const char *s = end; s >= p && tries; s--) {
        const char *q = s;
        if ((rest[0] == ' ' && s > p && is_blank(s[-1])) || !take_literal(rest, n, &q, end))
            continue; /* a run of blanks is tried once, at its begin */
        tries--;
        ftrace_event_string(event, word, p, (size_t)(s - p));
        if (match_from(rest, s, end, event))
            return true;
        event->n_strings = n_strings;
    }
    return false;
}

static bool take_conversion(unsigned argument, char how, const char *rest, const char **p, const char *end,
                            struct ftrace_event *event)
{
    unsigned word = 0;
    size_t n = literal_length(rest);
    char type = how == '*' ? 's' : ftrace_argument(event->kind, argument, &word);
    if (how == 'a' && type != 's')
        return type && store_number(event, type, word, p, end);
    const char *stop = n ? find_literal(rest, n, *p, end) : NULL;
    if (how == 'a' || how == 't') {
        const char *word_stop = word_end(*p, end);
        if (!stop || stop > word_stop || rest[0] == ' ')
            stop = word_stop; /* else the literal stands inside the word: "name:12", "fn()" */
    } else if (!stop) {
        return false;
    }
    if (how == 't')
        event->words[word] = ftrace_state_parse(*p, (size_t)(stop - *p));
    else if (how != '*')
        ftrace_event_string(event, word, *p, (size_t)(stop - *p));
    *p = stop;
    return true;
}

static bool match_from(const char *pattern, const char *text, const char *end, struct ftrace_event *event)
{
    const char *p = text;
    while (*pattern) {
        size_t n = literal_length(pattern);
        if (n) {
            if (!take_literal(pattern, n, &p, end))
                return false;
            pattern += n;
            continue;
        }
        bool is_skip = pattern[1] == '*';
        unsigned argument = is_skip ? 0 : (unsigned)(pattern[1] - '0'), word;
        char how = is_skip ? '*' : pattern[2];
        pattern += is_skip ? 2 : 3;
        if (how == 's')
            return ftrace_argument(event->kind, argument, &word) && match_string(pattern, word, p, end, event);
        if (!take_conversion(argument, how, pattern, &p, end, event))
            return false;
    }
    return true;
}

bool ftrace_match(const char *pattern, const char *text, const char *end, struct ftrace_event *event)
{
    return match_from(pattern, text, end, event);
}

/* ---- keys ---- */

/* The place behind "key=" that stands last in the text (at its begin or behind a blank), NULL if nowhere. */
static const char *find_key(const char *key, size_t length, const char *text, const char *end)
{
    for (const char *p = end - length - 1; p >= text; p--)
        if (p[length] == '=' && (p == text || is_blank(p[-1])) && memcmp(p, key, length) == 0)
            return p + length + 1;
    return NULL;
}

/* A value's end where nothing is known about the next key: before " word=". */
static const char *value_end(const char *p, const char *end)
{
    for (const char *s = p; s < end; s++) {
        if (!is_blank(*s))
            continue;
        const char *w = s + 1;
        while (w < end && (is_digit(*w) || *w == '_' || (*w >= 'a' && *w <= 'z')))
            w++;
        if (w > s + 1 && w < end && *w == '=')
            return s;
    }
    return end;
}

bool ftrace_match_keys(const char *keys, const char *text, const char *end, struct ftrace_event *event)
{
    const char *cursor = keys;
    for (unsigned i = 0; *cursor; i++) {
        size_t n = strcspn(cursor, " ?");
        bool may_miss = cursor[n] == '?', never = cursor[0] == '-';
        const char *key = cursor;
        cursor += n + may_miss;
        cursor += strspn(cursor, " ");
        if (never)
            continue;
        const char *p = (size_t)(end - text) > n ? find_key(key, n, text, end) : NULL;
        if (!p) {
            if (may_miss)
                continue;
            return false;
        }
        unsigned word;
        char type = ftrace_argument(event->kind, i, &word);
        if (type != 's') {
            if (!store_number(event, type, word, &p, end))
                return false;
            continue;
        }
        const char *stop = NULL;
        if (*cursor && *cursor != '-') { /* up to the next key */
            size_t m = strcspn(cursor, " ?");
            const char *next = (size_t)(end - p) > m ? find_key(cursor, m, p, end) : NULL;
            if (next)
                stop = next - m - 1;
        }
        if (!stop)
            stop = value_end(p, end);
        while (stop > p && is_blank(stop[-1]))
            stop--;
        ftrace_event_string(event, word, p, (size_t)(stop - p));
    }
    return true;
}
