/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/repair.h"

#include <string.h>
#include <strings.h>

#include "base/bytes.h"

/* ---- the whole text ---- */

#define SAMPLE_BYTES ((size_t)4 << 20)

static bool looks_utf16(const unsigned char *bytes, size_t size, bool big_endian)
{
    size_t n = size < 4096 ? size / 2 : 2048, n_latin = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char high = bytes[2 * i + (big_endian ? 0 : 1)], low = bytes[2 * i + (big_endian ? 1 : 0)];
        n_latin += high == 0 && low >= 9 && low < 127;
    }
    return n >= 8 && n_latin * 10 >= n * 8;
}

struct evidence {
    size_t n_lines, n_gt, n_colon, n_soft_breaks, n_short_breaks, n_equals_20_3d, n_equals_bare, n_entities, n_prefixes;
    size_t n_plus, n_blank, n_hunks, n_carets, longest;
    size_t n_stamped[N_STAMP_FORMS];
    bool odd;
    bool in_mail_head, is_declared; /* "Content-Transfer-Encoding: quoted-printable" */
};

static bool is_hex_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

/* A '>' that quotes; an I-pipe dump marks its begin with ">|". */
static bool is_quote_mark(const char *p, const char *end)
{
    return p < end && *p == '>' && !(p + 1 < end && p[1] == '|');
}

/* The '+' of a line that a patch adds, also of an empty one; no drawing ("+-----") and no file name ("+++ b/...") begins so. */
static size_t diff_mark_length(const char *line, size_t length)
{
    return length && line[0] == '+' && (length == 1 || (line[1] != '+' && line[1] != '-'));
}

/*
 * Quoted-printable writes every '=' as "=3D", blanks at line ends as "=20", other characters as runs of "=E2=80=99". A trace
 * is full of "pid=2048", and of '=' before anything: so those count against it.
 */
static void examine_equals(struct evidence *e, const char *line, const char *end)
{
    for (const char *q = line; (q = memchr(q, '=', (size_t)(end - q))) && q + 1 < end; q++) {
        bool is_code = q + 2 < end && is_hex_digit(q[1]) && is_hex_digit(q[2]);
        bool is_usual = is_code && ((q[1] == '3' && q[2] == 'D') || (q[1] == '2' && q[2] == '0' && (q + 3 == end || q[3] == '=')) ||
                                    (q[1] >= 'C' && q + 3 < end && q[3] == '='));
        e->n_equals_20_3d += is_usual;
        e->n_equals_bare += !is_code;
    }
}

/* The head of a mail is not encoded: its '=' (of keys and signatures) say nothing about the body. */
static void examine_mail_head(struct evidence *e, const char *line, size_t length)
{
    static const char encoding[] = "content-transfer-encoding:";
    static const char *const beginnings[] = {"Return-Path:", "Received:", "From:", "From ", "Delivered-To:", "X-Original-To:",
                                             "Message-ID:", "Message-Id:", "MIME-Version:", "Mime-Version:", "Date:"};
    if (length >= sizeof encoding - 1 && strncasecmp(line, encoding, sizeof encoding - 1) == 0) {
        e->in_mail_head = true;
        e->is_declared |= memmem(line, length, "quoted-printable", 16) || memmem(line, length, "QUOTED-PRINTABLE", 16);
    }
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings && !e->in_mail_head; i++)
        e->in_mail_head = length > strlen(beginnings[i]) && memcmp(line, beginnings[i], strlen(beginnings[i])) == 0;
}

/* The standard breaks lines between 66 and 76 characters; a rule of '=' or a cut assignment is of any length. */
#define MIN_SOFT_LINE 66
#define MAX_SOFT_LINE 76

/* The line behind its marks of quoting. */
static const char *quoted_text(const char *line, const char *end)
{
    const char *p = line;
    while (is_quote_mark(p, end) || (p > line && p < end && *p == ' ' && is_quote_mark(p + 1, end)))
        p++;
    return p + (p > line && p < end && *p == ' ');
}

static void examine_diff(struct evidence *e, const char *p, const char *end)
{
    e->n_plus += diff_mark_length(p, (size_t)(end - p));
    e->n_hunks += end - p > 8 && memcmp(p, "@@ -", 4) == 0;
}

static void examine_line(struct evidence *e, const char *line, size_t length)
{
    const char *end = line + length;
    const char *p = line, *text = quoted_text(line, end);
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    e->n_lines++;
    if (!length)
        e->in_mail_head = false;
    else if (!e->in_mail_head && strchr("CcRFDXM", *line))
        examine_mail_head(e, line, length);
    else if (e->in_mail_head && (*line == 'C' || *line == 'c'))
        examine_mail_head(e, line, length);
    if (e->in_mail_head)
        return;
    e->n_blank += p == end;
    examine_diff(e, text, end);
    if (is_quote_mark(p, end))
        e->n_gt++;
    else if (length && *line == ':')
        e->n_colon++;
    if (length > e->longest)
        e->longest = length;
    if (length && end[-1] == '=') {
        e->n_soft_breaks++;
        e->n_short_breaks += length < MIN_SOFT_LINE || length > MAX_SOFT_LINE;
    }
    if (length > 4 && memmem(line, length, "=0A>", 4)) /* a mail whose line ends are coded too */
        e->n_gt++;
    e->n_prefixes += console_prefix_length(text, (size_t)(end - text)) > 0;
    if (text < end && ((*text >= '0' && *text <= '9') || (*text >= 'A' && *text <= 'S')))
        for (enum stamp_form form = STAMP_DATE; form < N_STAMP_FORMS; form++)
            e->n_stamped[form] += stamp_length(text, (size_t)(end - text), form) > 0;
    if (memchr(line, '^', length))
        e->n_carets += memmem(line, length, "^[[", 3) || (length > 2 && memcmp(end - 2, "^M", 2) == 0);
    if (memchr(line, '=', length))
        examine_equals(e, line, end);
    if (memchr(line, '&', length))
        e->n_entities += memmem(line, length, "&gt;", 4) || memmem(line, length, "&lt;", 4) ||
                         memmem(line, length, "&nbsp;", 6) || memmem(line, length, "&amp;", 5) || memmem(line, length, "&quot;", 6);
}

static bool has_odd_bytes(const char *bytes, size_t size)
{
    /* One branchless pass that compilers turn into vectors. */
    unsigned char odd = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        odd |= (unsigned char)((c & 0x80) | (c < 9) | (c == 27) | (c == 13));
    }
    return odd != 0;
}

static void examine_part(struct evidence *e, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    e->odd |= has_odd_bytes(bytes, size);
    for (const char *p = bytes; p < end;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol)
            eol = end;
        examine_line(e, p, (size_t)(eol - p) - (eol > p && eol[-1] == '\r'));
        p = eol + 1;
    }
}

#define LEAST_STAMPS 3

/* A stamp that four of five lines have. Rows of data may begin with a time too, but then the heading of their table does not. */
static enum stamp_form stamp_of(const struct evidence *e)
{
    for (enum stamp_form form = STAMP_DATE; form < N_STAMP_FORMS; form++)
        if (e->n_stamped[form] >= LEAST_STAMPS && e->n_stamped[form] * 5 >= (e->n_lines - e->n_blank) * 4)
            return form;
    return STAMP_NONE;
}

static bool is_quoted_printable(const struct evidence *e)
{
    if (e->is_declared)
        return e->n_soft_breaks + e->n_equals_20_3d >= 1 && e->n_equals_bare <= e->n_soft_breaks + e->n_equals_20_3d;
    if (e->n_soft_breaks >= 1 && e->n_equals_20_3d >= 1)
        return e->n_equals_bare <= e->n_equals_20_3d;
    /* A body pasted without its head. Where nothing is longer than the standard allows, one filled line is enough. */
    return e->n_soft_breaks >= (e->longest <= MAX_SOFT_LINE ? 1 : 3) && e->n_short_breaks == 0 && e->n_equals_bare == 0;
}

void damage_examine(struct text_damage *damage, const unsigned char *bytes, size_t size)
{
    *damage = (struct text_damage){.end_of_line = '\n'};
    if (size >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe) {
        damage->encoding = ENCODING_UTF16_LE;
        damage->bom_bytes = 2;
    } else if (size >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff) {
        damage->encoding = ENCODING_UTF16_BE;
        damage->bom_bytes = 2;
    } else if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        damage->bom_bytes = 3;
    } else if (looks_utf16(bytes, size, false)) {
        damage->encoding = ENCODING_UTF16_LE;
    } else if (looks_utf16(bytes, size, true)) {
        damage->encoding = ENCODING_UTF16_BE;
    }

    struct evidence e = {0};
    if (damage->encoding == ENCODING_UTF8) {
        const char *text = (const char *)bytes;
        examine_part(&e, text, size < SAMPLE_BYTES ? size : SAMPLE_BYTES);
        if (size > SAMPLE_BYTES) { /* also a look into the middle and at the end */
            size_t part = SAMPLE_BYTES / 8;
            examine_part(&e, text + size / 2 - part / 2, part);
            examine_part(&e, text + size - part, part);
        }
        if (e.n_lines < 3 && size > 80 && memchr(bytes, '\r', size < 4096 ? size : 4096) &&
            !memchr(bytes, '\n', size < 65536 ? size : 65536))
            damage->end_of_line = '\r';
    } else {
        struct text head = {0};
        utf16_decode(bytes + damage->bom_bytes, (size < SAMPLE_BYTES ? size - damage->bom_bytes : SAMPLE_BYTES) & ~(size_t)1,
                     damage->encoding == ENCODING_UTF16_BE, &head);
        examine_part(&e, text_string(&head), head.length);
        text_release(&head);
    }
    damage->is_quoted_printable = is_quoted_printable(&e);
    damage->has_odd_bytes = e.odd || damage->encoding != ENCODING_UTF8 || damage->is_quoted_printable; /* coded: "=1B" */
    damage->has_html = e.n_entities >= 2;
    /* I-pipe dumps begin their rows with ':' and mark one with '>': no quoting. */
    damage->has_quoting = (e.n_gt > 0 || damage->has_html) && !(e.n_colon >= 5 && e.n_gt * 5 <= e.n_colon);
    damage->has_console_prefix = e.n_prefixes > 0;
    damage->stamp = stamp_of(&e);
    damage->has_carets = e.n_carets >= 2;
    damage->has_diff_marks = e.n_plus >= 4 && (e.n_hunks || 10 * e.n_plus >= 9 * (e.n_lines - e.n_blank));
    if (damage->encoding == ENCODING_UTF8 && damage->end_of_line == '\n') {
        lead_examine(damage, (const char *)bytes + damage->bom_bytes, size - damage->bom_bytes);
        arrangement_examine(damage, (const char *)bytes + damage->bom_bytes, size - damage->bom_bytes);
    }
    damage->is_plain = damage->encoding == ENCODING_UTF8 && damage->bom_bytes == 0 && damage->end_of_line == '\n' &&
                       !damage->has_odd_bytes && !damage->is_quoted_printable && !damage->has_html &&
                       !damage->has_quoting && !damage->has_console_prefix && !damage->stamp && !damage->has_carets && !damage->has_diff_marks &&
                       !damage->is_double_spaced && !damage->margin && !damage->indent && !damage->lead_bytes;
}

void utf16_decode(const unsigned char *bytes, size_t n_bytes, bool big_endian, struct text *out)
{
    for (size_t i = 0; i + 1 < n_bytes; i += 2) {
        uint32_t c = big_endian ? read_be16(bytes + i) : read_le16(bytes + i);
        if (c >= 0xd800 && c < 0xdc00 && i + 3 < n_bytes) {
            uint32_t low = big_endian ? read_be16(bytes + i + 2) : read_le16(bytes + i + 2);
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        char utf8[4];
        size_t n = 0;
        if (c < 0x80) {
            utf8[n++] = (char)c;
        } else if (c < 0x800) {
            utf8[n++] = (char)(0xc0 | c >> 6);
            utf8[n++] = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x10000) {
            utf8[n++] = (char)(0xe0 | c >> 12);
            utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
            utf8[n++] = (char)(0x80 | (c & 0x3f));
        } else {
            utf8[n++] = (char)(0xf0 | c >> 18);
            utf8[n++] = (char)(0x80 | (c >> 12 & 0x3f));
            utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
            utf8[n++] = (char)(0x80 | (c & 0x3f));
        }
        text_add_n(out, utf8, n);
    }
}

/* ---- one line ---- */

static unsigned hex_value(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'A' + 10);
}

bool quoted_printable_decode(const char *line, size_t length, struct text *out)
{
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\t' || line[length - 1] == '\r'))
        length--; /* added on the way: the standard says so */
    bool continues = length && line[length - 1] == '=';
    length -= continues;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '=' && i + 2 < length + continues && is_hex_digit(line[i + 1]) && is_hex_digit(line[i + 2])) {
            text_add_char(out, (char)(hex_value(line[i + 1]) << 4 | hex_value(line[i + 2])));
            i += 2;
        } else {
            text_add_char(out, line[i]);
        }
    }
    return continues;
}

/* A terminal escape at p (which is ESC): its length, and whether it moves the cursor up. */
static size_t escape_length(const char *p, size_t size, unsigned *cursor_up)
{
    if (size < 2)
        return 1;
    if (p[1] == ']') { /* OSC, up to BEL or ESC \ */
        for (size_t i = 2; i < size && i < 512; i++) {
            if (p[i] == 7)
                return i + 1;
            if (p[i] == 27)
                return i + 2 <= size ? i + 2 : size;
        }
        return 2;
    }
    if (p[1] != '[')
        return 2;
    unsigned number = 0;
    for (size_t i = 2; i < size && i < 64; i++) {
        if (p[i] >= '0' && p[i] <= '9' && number < 100000)
            number = number * 10 + (unsigned)(p[i] - '0');
        if (p[i] >= 0x40 && p[i] <= 0x7e) {
            if (p[i] == 'A')
                *cursor_up += number ? number : 1;
            return i + 1;
        }
    }
    return 2;
}

static const struct {
    const char *word;
    char character;
} entities[] = {{"&gt;", '>'}, {"&lt;", '<'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&nbsp;", ' '}, {"&apos;", '\''}};

/* "&#39;", "&#x27;", "&#160;": ASCII and the blank that does not break. */
static size_t numbered_entity_at(const char *p, size_t size, char *character)
{
    bool is_hex = size > 3 && (p[2] == 'x' || p[2] == 'X');
    const char *digits = p + 2 + is_hex, *at = digits, *end = p + (size < 10 ? size : 10);
    uint64_t code;
    if (size < 4 || p[1] != '#' || !(is_hex ? scan_hex(&at, end, &code) : scan_u64(&at, end, &code)) || at == digits || at == end || *at != ';' ||
        (code != 160 && (code < 32 || code > 126)))
        return 0;
    *character = code == 160 ? ' ' : (char)code;
    return (size_t)(at + 1 - p);
}

size_t entity_at(const char *p, size_t size, char *character)
{
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        size_t n = strlen(entities[i].word);
        if (size >= n && memcmp(p, entities[i].word, n) == 0) {
            *character = entities[i].character;
            return n;
        }
    }
    return numbered_entity_at(p, size, character);
}

/* The dash that an editor made of "-" or "--" in front of an option: "\xe2\x80\x93t4", "\xe2\x80\x94histogram". The dashes; 0: it is a dash. */
static unsigned option_dashes_at(const char *text, size_t size, const struct text *before)
{
    const unsigned char *p = (const unsigned char *)text;
    if (size < 4 || p[0] != 0xe2 || p[1] != 0x80 || (p[2] != 0x93 && p[2] != 0x94) || (p[3] | 32) < 'a' || (p[3] | 32) > 'z' ||
        !before->length || before->bytes[before->length - 1] != ' ')
        return 0;
    return size > 4 && (p[4] | 32) >= 'a' && (p[4] | 32) <= 'z' ? 2 : 1;
}

/* Odd blanks and signs in UTF-8: how many bytes, and what stands for them (0: nothing, they had no width). */
static size_t odd_character_at(const char *text, size_t size, char *instead)
{
    const unsigned char *p = (const unsigned char *)text;
    *instead = ' ';
    if (size >= 2 && p[0] == 0xc2 && p[1] == 0xa0)
        return 2;
    if (size >= 3 && p[0] == 0xe2 && p[1] == 0x80) {
        if ((p[2] >= 0x80 && p[2] <= 0x8a) || p[2] == 0xaf)
            return 3;
        if (p[2] >= 0x8b && p[2] <= 0x8d) {
            *instead = 0;
            return 3;
        }
    }
    if (size >= 3 && p[0] == 0xe3 && p[1] == 0x80 && p[2] == 0x80)
        return 3;
    if (size >= 3 && p[0] == 0xe2 && p[1] == 0x88 && p[2] == 0x92) {
        *instead = '-';
        return 3;
    }
    if (size >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf) {
        *instead = 0;
        return 3;
    }
    return 0;
}

static size_t utf8_length(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] >= 0xf0 && p[0] < 0xf8 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 1;
    if (n > size || p[0] >= 0xf8)
        return 1;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 1;
    return n;
}

/* Bytes that want a look: all others are copied as they are. */
static bool is_special(unsigned char c, const struct text_damage *damage)
{
    return c >= 0x80 || c < 9 || c == 27 || c == 13 || (c == '&' && damage->has_html) || (c == '^' && damage->has_carets);
}

/* "^[[0m", and "^M" at the end. */
static size_t caret_length(const char *p, size_t size)
{
    size_t n = 3;
    if (size == 2 && p[1] == 'M')
        return 2;
    if (size < 4 || p[1] != '[' || p[2] != '[')
        return 0;
    while (n < size && n < 16 && ((p[n] >= '0' && p[n] <= '9') || p[n] == ';' || p[n] == '?'))
        n++;
    return n < size && p[n] >= '@' && p[n] <= '~' ? n + 1 : 0;
}

static void clean_characters(const struct text_damage *damage, const char *line, size_t length, struct text *out,
                             struct repaired_line *result)
{
    for (size_t i = 0; i < length;) {
        size_t run = i;
        while (run < length && !is_special((unsigned char)line[run], damage))
            run++;
        if (run > i) {
            text_add_n(out, line + i, run - i);
            i = run;
            continue;
        }
        char c = line[i], instead;
        size_t left = length - i, n;
        if (c == 27) {
            i += escape_length(line + i, left, &result->cursor_up);
            result->repairs |= REPAIR_ANSI;
        } else if (c == '\r') { /* a progress bar went back to the start of its line */
            text_truncate(out, 0);
            i++;
            result->repairs |= REPAIR_ANSI;
        } else if (c == '\b') {
            text_truncate(out, out->length ? out->length - 1 : 0);
            i++;
            result->repairs |= REPAIR_ANSI;
        } else if (c == '\0') {
            if (out->length)
                text_add_char(out, ' ');
            i++;
            result->repairs |= REPAIR_NULS;
        } else if (c == '^' && (n = caret_length(line + i, left)) > 0) {
            i += n;
            result->repairs |= REPAIR_ANSI;
        } else if (c == '&' && (n = entity_at(line + i, left, &instead)) > 0) {
            text_add_char(out, instead);
            i += n;
            result->repairs |= REPAIR_HTML;
        } else if ((n = option_dashes_at(line + i, left, out)) > 0) {
            text_add(out, n == 2 ? "--" : "-");
            i += 3;
            result->repairs |= REPAIR_SPACES;
        } else if ((n = odd_character_at(line + i, left, &instead)) > 0) {
            if (instead)
                text_add_char(out, instead);
            i += n;
            result->repairs |= REPAIR_SPACES;
        } else {
            n = utf8_length(line + i, left);
            if (n == 1 && (unsigned char)c == 0xa0) { /* Latin-1 */
                text_add_char(out, ' ');
                result->repairs |= REPAIR_SPACES;
            } else {
                text_add_n(out, line + i, n);
            }
            i += n;
        }
    }
}

/* Strips "> " as often as it comes. */
static void strip_quoting(struct repaired_line *line)
{
    for (int depth = 0; depth < 32; depth++) {
        size_t i = 0;
        while (i < line->length && i < (depth ? 3u : 8u) && line->text[i] == ' ')
            i++;
        if (!is_quote_mark(line->text + i, line->text + line->length))
            break;
        i++;
        i += i < line->length && line->text[i] == ' ' && !is_quote_mark(line->text + i + 1, line->text + line->length);
        line->text += i;
        line->length -= i;
        line->repairs |= REPAIR_QUOTING;
        line->quote_depth++;
    }
}

void repair_line(const struct text_damage *damage, const char *line, size_t length, struct text *buffer,
                 struct repaired_line *result)
{
    *result = (struct repaired_line){.text = line, .length = length};
    size_t trailing = 0;
    while (trailing < length && line[length - 1 - trailing] == '\r')
        trailing++;
    if (trailing) {
        result->length -= trailing;
        result->repairs |= REPAIR_CRLF;
    }
    if (result->length > (1u << 20)) /* no text is so wide: not worth copying */
        return;
    if (damage->has_html || damage->has_carets || (damage->has_odd_bytes && has_odd_bytes(result->text, result->length))) {
        bool is_in_buffer = result->text == buffer->bytes;
        struct text clean = {0};
        clean_characters(damage, result->text, result->length, &clean, result);
        if (result->repairs & ~(unsigned)REPAIR_CRLF) {
            (void)is_in_buffer;
            text_truncate(buffer, 0);
            text_add_n(buffer, text_string(&clean), clean.length);
            result->text = text_string(buffer);
            result->length = clean.length;
        }
        text_release(&clean);
    }
    size_t lead = lead_length(damage, result->text, result->length);
    if (lead) {
        result->text += lead;
        result->length -= lead;
        result->repairs |= REPAIR_LEAD;
    }
    size_t margin = arrangement_margin(damage, result->text, result->length);
    if (margin) {
        result->text += margin;
        result->length -= margin;
        result->repairs |= damage->margin ? REPAIR_MARGIN : 0; /* blanks in front are no damage to tell of */
    }
    if (damage->has_quoting)
        strip_quoting(result);
    if (damage->has_diff_marks && diff_mark_length(result->text, result->length)) {
        result->text++;
        result->length--;
        result->repairs |= REPAIR_DIFF;
    }
    size_t prefix = damage->has_console_prefix ? console_prefix_length(result->text, result->length) : 0;
    if (!prefix && damage->stamp)
        prefix = stamp_length(result->text, result->length, damage->stamp);
    if (prefix) {
        result->prefix = result->text;
        result->prefix_length = prefix;
        result->text += prefix;
        result->length -= prefix;
        result->repairs |= REPAIR_CONSOLE_PREFIX;
    }
}
