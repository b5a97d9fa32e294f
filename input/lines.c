/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/repair.h"

/* A line that was fetched: a ring of these lies around the cursor. */
struct fetched {
    struct line line;
    size_t offset;      /* of the line, in the bytes as they came */
    struct text buffer; /* owns the text if it had to be repaired */
};

#define MAX_AHEAD ((size_t)1 << 20)

struct lines {
    const unsigned char *bytes;
    size_t size;
    size_t n_nul_tail; /* left out of size */
    struct text_damage damage;
    /* Logical lines have indices 0, 1 ...; those in [kept_from, fetched) are in the ring at index & (capacity - 1). */
    struct fetched *ring;
    size_t capacity;
    size_t kept_from, current, fetched;
    size_t next_offset;   /* of the line to fetch next */
    uint64_t next_number;
    uint64_t all_number;  /* that all lines bear; 0: each its own */
    unsigned repairs;
    uint64_t counts[N_REPAIRS], first_lines[N_REPAIRS];
    uint64_t counted_up_to; /* line number: lines read again are not counted again */
    struct text joined;     /* scratch of quoted-printable and UTF-16 */
    struct text rest;       /* lines that were coded within one (=0A) and come next, from rest_at on */
    size_t rest_at;
    uint64_t rest_number;
};

const char *repair_name(enum repair repair)
{
    static const char *const names[N_REPAIRS] = {
        "encoding", "line ends", "quoted-printable", "odd blanks", "mail quoting",
        "console prefixes", "terminal escapes", "HTML entities", "wrapped lines", "NUL bytes", "marks of a patch",
        "double spacing", "line numbers", "a name in front of every line"};
    int bit = __builtin_ctz((unsigned)repair);
    return bit < N_REPAIRS ? names[bit] : "";
}

/* A power cut leaves files whose end is a block of NUL bytes. (UTF-16 has one or two.) More is a sparse file: no text. */
#define MIN_NUL_TAIL 16
#define MAX_NUL_TAIL ((size_t)16 << 20)

static size_t nul_tail(const unsigned char *bytes, size_t size)
{
    size_t n = 0;
    while (n < size && n < MAX_NUL_TAIL && bytes[size - 1 - n] == 0)
        n++;
    return n >= MIN_NUL_TAIL ? n : 0;
}

bool lines_is_text(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    struct text_damage damage;
    if (nul_tail(bytes, size) == MAX_NUL_TAIL)
        return false;
    if (size > 65536)
        size = 65536;
    size_t i = 0;
    while (i < size && bytes[i] == 0)
        i++;
    if (i == size)
        return false;
    size -= nul_tail(bytes, size);
    damage_examine(&damage, bytes, size);
    if (damage.encoding != ENCODING_UTF8)
        return true;
    size_t n_bad = 0, n_high = 0, n = size - i;
    for (; i < size; i++) {
        unsigned char c = bytes[i];
        n_bad += (c < 32 && c != '\t' && c != '\n' && c != '\r' && c != 27 && c != '\b' && c != '\f' && c != 7) || c == 127;
        bool is_blank = c == 0xc2 && i + 1 < size && bytes[i + 1] == 0xa0; /* that does not break: web pages are full of them */
        n_high += c >= 0x80 && !is_blank && !(c == 0xa0 && i && bytes[i - 1] == 0xc2);
    }
    return n_bad * 20 <= n && n_high * 10 <= n * 7;
}

struct lines *lines_new(const void *bytes, size_t size)
{
    struct lines *lines = memory_new(sizeof *lines);
    lines->n_nul_tail = nul_tail(bytes, size);
    lines->bytes = bytes;
    lines->size = size -= lines->n_nul_tail;
    lines->capacity = 1024;
    lines->ring = memory_new(lines->capacity * sizeof *lines->ring);
    damage_examine(&lines->damage, bytes, size);
    lines->next_offset = lines->damage.bom_bytes;
    lines->next_number = 1;
    if (lines->damage.bom_bytes || lines->damage.encoding != ENCODING_UTF8) {
        lines->repairs |= REPAIR_ENCODING;
        lines->counts[0] = 1;
        lines->first_lines[0] = 1;
    }
    return lines;
}

bool lines_may_be_quoted(const struct lines *lines)
{
    return lines->damage.has_quoting;
}

struct lines *lines_new_at(const void *bytes, size_t size, uint64_t number)
{
    struct lines *lines = lines_new(bytes, size);
    lines->all_number = number;
    return lines;
}

void lines_free(struct lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->capacity; i++)
        text_release(&lines->ring[i].buffer);
    free(lines->ring);
    text_release(&lines->joined);
    text_release(&lines->rest);
    free(lines);
}

static struct fetched *slot(const struct lines *lines, size_t index)
{
    return &lines->ring[index & (lines->capacity - 1)];
}

/* Room for one more line while everything from kept_from on stays. */
static void grow(struct lines *lines)
{
    struct fetched *old = lines->ring;
    size_t old_capacity = lines->capacity;
    lines->capacity *= 2;
    lines->ring = memory_new(lines->capacity * sizeof *lines->ring);
    for (size_t i = 0; i < old_capacity; i++) { /* all slots, for their buffers */
        size_t index = lines->kept_from + i;
        *slot(lines, index) = old[index & (old_capacity - 1)];
    }
    free(old);
}

/* The end of the raw line at offset (of its text), and where the next begins. */
static size_t raw_end(const struct lines *lines, size_t offset, size_t *next)
{
    if (lines->damage.encoding == ENCODING_UTF8) {
        const unsigned char *eol = memchr(lines->bytes + offset, lines->damage.end_of_line, lines->size - offset);
        size_t end = eol ? (size_t)(eol - lines->bytes) : lines->size;
        *next = eol ? end + 1 : end;
        return end;
    }
    size_t low = lines->damage.encoding == ENCODING_UTF16_LE ? 0 : 1;
    for (size_t i = offset; i + 1 < lines->size; i += 2)
        if (lines->bytes[i + low] == '\n' && lines->bytes[i + 1 - low] == 0) {
            *next = i + 2;
            return i;
        }
    *next = lines->size;
    return lines->size;
}

static void count_repairs(struct lines *lines, unsigned repairs, uint64_t number)
{
    if (number <= lines->counted_up_to)
        return;
    lines->repairs |= repairs;
    for (unsigned bit = 0; bit < N_REPAIRS; bit++)
        if (repairs >> bit & 1) {
            if (lines->counts[bit]++ == 0)
                lines->first_lines[bit] = number;
        }
}

/* Finds what was done to the line's text and undoes it; the text may be in the scratch. */
static void repair(struct lines *lines, struct fetched *f, const char *text, size_t length, uint64_t number, unsigned repairs)
{
    struct repaired_line result;
    repair_line(&lines->damage, text, length, &f->buffer, &result);
    if (lines->joined.length && result.text >= lines->joined.bytes && result.text <= lines->joined.bytes + lines->joined.length) {
        /* It still lies in the scratch: keep it, prefix and all. */
        const char *from = result.prefix ? result.prefix : result.text;
        size_t before = (size_t)(result.text - from);
        text_truncate(&f->buffer, 0);
        text_add_n(&f->buffer, from, before + result.length);
        result.text = text_string(&f->buffer) + before;
        if (result.prefix)
            result.prefix = text_string(&f->buffer);
    }
    f->line = (struct line){.text = result.text, .length = result.length, .number = number, .prefix = result.prefix,
                            .prefix_length = result.prefix_length, .quote_depth = result.quote_depth,
                            .cursor_up = result.cursor_up};
    count_repairs(lines, repairs | result.repairs, number);
}

/* "=0A" within a line of quoted-printable: what is behind it is another line. Returns the length of the first. */
static size_t keep_rest(struct lines *lines, const char *text, size_t length, uint64_t number)
{
    const char *end = memchr(text, '\n', length);
    if (!end)
        return length;
    text_truncate(&lines->rest, 0);
    text_add_n(&lines->rest, end + 1, length - (size_t)(end + 1 - text));
    lines->rest_at = 0;
    lines->rest_number = number;
    return (size_t)(end - text) - (end > text && end[-1] == '\r');
}

static bool has_rest(const struct lines *lines)
{
    return lines->rest_at < lines->rest.length;
}

static void fetch_rest(struct lines *lines, struct fetched *f)
{
    const char *begin = text_string(&lines->rest) + lines->rest_at;
    size_t length = lines->rest.length - lines->rest_at;
    const char *end = memchr(begin, '\n', length);
    size_t n = end ? (size_t)(end - begin) : length;
    lines->rest_at += n + 1;
    if (n && begin[n - 1] == '\r')
        n--;
    text_truncate(&lines->joined, 0);
    text_add_n(&lines->joined, begin, n);
    repair(lines, f, text_string(&lines->joined), n, lines->rest_number, 0);
}

/* The slow way to a line: decode, join, repair. */
static void fetch_damaged(struct lines *lines, struct fetched *f, size_t end)
{
    const char *text = (const char *)lines->bytes + f->offset;
    size_t length = end - f->offset;
    unsigned repairs = 0;
    uint64_t number = lines->next_number;
    text_truncate(&lines->joined, 0);
    if (lines->damage.encoding != ENCODING_UTF8 && length < (2u << 20)) {
        utf16_decode(lines->bytes + f->offset, length, lines->damage.encoding == ENCODING_UTF16_BE, &lines->joined);
        text = text_string(&lines->joined);
        length = lines->joined.length;
    } else if (lines->damage.is_quoted_printable && memchr(text, '=', length) && length < 4096) {
        int n_joined = 0;
        while (quoted_printable_decode(text, length, &lines->joined) && n_joined++ < 1000 && lines->next_offset < lines->size) {
            size_t begin = lines->next_offset;
            size_t next_end = raw_end(lines, begin, &lines->next_offset);
            lines->next_number++;
            text = (const char *)lines->bytes + begin;
            length = next_end - begin;
        }
        text = text_string(&lines->joined);
        length = lines->joined.length;
        repairs |= REPAIR_QUOTED_PRINTABLE;
    }
    if (repairs)
        length = keep_rest(lines, text, length, number);
    repair(lines, f, text, length, number, repairs);
}

static void count_line(struct lines *lines)
{
    if (lines->next_number > lines->counted_up_to)
        lines->counted_up_to = lines->next_number;
    lines->next_number++;
}

/* The empty line that a double-spaced text has behind this one. */
static void skip_spacing(struct lines *lines)
{
    if (lines->next_offset >= lines->size)
        return;
    size_t next, end = raw_end(lines, lines->next_offset, &next);
    if (!arrangement_is_spacing((const char *)lines->bytes + lines->next_offset, end - lines->next_offset))
        return;
    count_repairs(lines, REPAIR_SPACING, lines->next_number);
    lines->next_offset = next;
    count_line(lines);
}

static bool fetch(struct lines *lines)
{
    if (lines->next_offset >= lines->size && !has_rest(lines))
        return false;
    size_t keep = lines->current > LINES_KEPT ? lines->current - LINES_KEPT : 0;
    if (keep > lines->kept_from)
        lines->kept_from = keep < lines->fetched ? keep : lines->fetched;
    if (lines->fetched - lines->kept_from == lines->capacity)
        grow(lines);
    struct fetched *f = slot(lines, lines->fetched);
    f->offset = lines->next_offset;
    if (has_rest(lines)) {
        fetch_rest(lines, f);
        lines->fetched++;
        return true;
    }
    size_t end = raw_end(lines, f->offset, &lines->next_offset);
    bool is_unterminated = lines->next_offset == end;
    if (lines->damage.is_plain)
        f->line = (struct line){.text = (const char *)lines->bytes + f->offset, .length = end - f->offset,
                                .number = lines->next_number};
    else
        fetch_damaged(lines, f, end);
    f->line.is_unterminated = is_unterminated;
    count_line(lines);
    if (lines->damage.is_double_spaced)
        skip_spacing(lines);
    lines->fetched++;
    return true;
}

bool lines_peek(struct lines *lines, size_t k, struct line *line)
{
    if (k > MAX_AHEAD)
        return false;
    while (lines->current + k >= lines->fetched)
        if (!fetch(lines))
            return false;
    *line = slot(lines, lines->current + k)->line;
    if (lines->all_number)
        line->number = lines->all_number;
    return true;
}

void lines_skip(struct lines *lines, size_t n)
{
    for (; n; n--) {
        if (lines->current >= lines->fetched && !fetch(lines))
            return;
        lines->current++;
    }
}

bool lines_at_end(struct lines *lines)
{
    return lines->current >= lines->fetched && lines->next_offset >= lines->size && !has_rest(lines);
}

uint64_t lines_number(struct lines *lines)
{
    struct line line;
    return lines_peek(lines, 0, &line) ? line.number : lines->all_number ? lines->all_number : lines->next_number;
}

size_t lines_offset(const struct lines *lines)
{
    return lines->current < lines->fetched ? slot(lines, lines->current)->offset : lines->next_offset;
}

size_t lines_tell(const struct lines *lines)
{
    return lines->current;
}

void lines_seek(struct lines *lines, size_t mark)
{
    if (mark >= lines->kept_from && mark <= lines->fetched) {
        lines->current = mark;
        return;
    }
    if (mark < lines->current) { /* too far back: from the beginning (rare) */
        lines->kept_from = lines->current = lines->fetched = 0;
        lines->next_offset = lines->damage.bom_bytes;
        lines->next_number = 1;
        lines->rest_at = lines->rest.length;
    }
    while (lines->current < mark && !lines_at_end(lines))
        lines_skip(lines, 1);
}

size_t lines_nul_tail(const struct lines *lines)
{
    return lines->n_nul_tail;
}

unsigned lines_repairs(const struct lines *lines)
{
    return lines->repairs;
}

uint64_t lines_repair_count(const struct lines *lines, enum repair repair, uint64_t *first_line)
{
    int bit = __builtin_ctz((unsigned)repair);
    if (first_line)
        *first_line = lines->first_lines[bit];
    return lines->counts[bit];
}

bool lines_raw(struct lines *lines, const char **begin, const char **end)
{
    if (!lines->damage.is_plain)
        return false;
    *begin = (const char *)lines->bytes + lines_offset(lines);
    *end = (const char *)lines->bytes + lines->size;
    return true;
}

void lines_raw_skip(struct lines *lines, const char *to, uint64_t n_lines)
{
    size_t offset = (size_t)(to - (const char *)lines->bytes);
    assert(lines->damage.is_plain && offset <= lines->size);
    uint64_t number = lines_number(lines);
    /* Logical lines are raw lines here, so that an index still says where to go back to. */
    lines->current += n_lines;
    lines->kept_from = lines->fetched = lines->current;
    lines->next_offset = offset;
    lines->next_number = number + n_lines;
    if (lines->next_number > lines->counted_up_to)
        lines->counted_up_to = lines->next_number - 1;
}
