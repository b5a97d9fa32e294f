/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mails as programs store them (RFC 5322, MIME, mbox):
 *
 *     From ann@example.org Mon Jul  3 10:11:12 2023      mbox only: each mail begins so
 *     From: Ann <ann@example.org>
 *     Content-Type: multipart/mixed; boundary="bnd"
 *
 *     --bnd
 *     Content-Type: text/plain; charset=utf-8
 *     Content-Transfer-Encoding: base64
 *
 *     VDogMCAoIDEyMzQp...
 *     --bnd--
 *
 * A mail that says the same as text and as HTML is read once. Of a head, the lines that tell of the coding are left out: what
 * comes behind them is no longer coded.
 */
#include "input/mail.h"

#include <string.h>
#include <strings.h>

#include "input/hypertext.h"
#include "input/lines.h"
#include "input/repair.h"

#define MAX_DEPTH 16     /* parts within parts */
#define MAX_PARAMETER 200

enum coding { CODING_NONE, CODING_QUOTED_PRINTABLE, CODING_BASE64 };

struct head {
    const char *body; /* behind the empty line */
    enum coding coding;
    bool is_multipart, is_alternative, is_html, is_text, is_mail;
    bool is_attachment;
    char boundary[MAX_PARAMETER], name[MAX_PARAMETER];
};

struct line_span {
    const char *begin, *end; /* without its line end */
    const char *next;
};

static bool next_line(const char *p, const char *end, struct line_span *line)
{
    if (p >= end)
        return false;
    const char *eol = memchr(p, '\n', (size_t)(end - p));
    line->begin = p;
    line->next = eol ? eol + 1 : end;
    line->end = eol ? eol : end;
    while (line->end > p && line->end[-1] == '\r')
        line->end--;
    return true;
}

/* "Content-Type: ": a name, a colon. */
static bool is_field(const struct line_span *line)
{
    const char *p = line->begin;
    while (p < line->end && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '-' || *p == '_'))
        p++;
    return p > line->begin + 1 && p < line->end && *p == ':';
}

static bool field_is(const char *begin, const char *end, const char *name)
{
    size_t n = strlen(name);
    return (size_t)(end - begin) > n && strncasecmp(begin, name, n) == 0 && begin[n] == ':';
}

static bool has_word(const char *begin, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (; (size_t)(end - begin) >= n; begin++)
        if (strncasecmp(begin, word, n) == 0)
            return true;
    return false;
}

/* "; boundary="bnd"": its value, without path and control characters. */
static void take_parameter(const char *begin, const char *end, const char *name, char value[MAX_PARAMETER])
{
    size_t n = strlen(name), length = 0;
    for (const char *p = begin; (size_t)(end - p) > n + 1; p++) {
        if (strncasecmp(p, name, n) != 0 || p[n] != '=' || (p > begin && !strchr("; \t\n", p[-1])))
            continue;
        p += n + 1;
        bool is_quoted = *p == '"';
        for (p += is_quoted; p < end && length + 1 < MAX_PARAMETER && (is_quoted ? *p != '"' : !strchr("; \t\r\n", *p)); p++)
            value[length++] = *p;
        value[length] = '\0';
        return;
    }
}

/* A field with the lines it goes on on. */
static void take_field(struct head *head, const char *begin, const char *end)
{
    if (field_is(begin, end, "Content-Transfer-Encoding")) {
        head->coding = has_word(begin, end, "base64")             ? CODING_BASE64
                       : has_word(begin, end, "quoted-printable") ? CODING_QUOTED_PRINTABLE
                                                                  : CODING_NONE;
    } else if (field_is(begin, end, "Content-Type")) {
        head->is_multipart = has_word(begin, end, " multipart/") || has_word(begin, end, ":multipart/");
        head->is_alternative = has_word(begin, end, "multipart/alternative");
        head->is_html = has_word(begin, end, "text/html");
        head->is_text = has_word(begin, end, "text/");
        head->is_mail = has_word(begin, end, "message/rfc822");
        take_parameter(begin, end, "boundary", head->boundary);
        take_parameter(begin, end, "name", head->name);
    } else if (field_is(begin, end, "Content-Disposition")) {
        head->is_attachment = has_word(begin, end, "attachment");
        take_parameter(begin, end, "filename", head->name);
    }
}

/* Reads a head; its lines other than those of the coding go to out (NULL: nowhere). */
static void read_head(const char *p, const char *end, struct head *head, struct text *out)
{
    *head = (struct head){.body = end, .is_text = true};
    struct line_span line;
    while (next_line(p, end, &line) && line.end > line.begin) {
        const char *begin = line.begin, *stop = line.end;
        struct line_span more;
        while (next_line(line.next, end, &more) && more.end > more.begin && (*more.begin == ' ' || *more.begin == '\t')) {
            line = more;
            stop = more.end;
        }
        take_field(head, begin, stop);
        if (out && strncasecmp(begin, "Content-", stop - begin > 8 ? 8 : (size_t)(stop - begin)) != 0) {
            text_add_n(out, begin, (size_t)(stop - begin));
            text_add_char(out, '\n');
        }
        p = line.next;
        head->body = p;
    }
    if (next_line(p, end, &line))
        head->body = line.next; /* the empty line */
}

/* ---- bodies ---- */

static int base64_value(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

static void decode_base64(const char *p, const char *end, struct text *out)
{
    uint32_t bits = 0;
    int n_bits = 0;
    for (; p < end && *p != '='; p++) {
        int value = base64_value(*p);
        if (value < 0)
            continue;
        bits = bits << 6 | (uint32_t)value;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            text_add_char(out, (char)(bits >> n_bits & 0xff));
        }
    }
}

static void decode_lines(const char *p, const char *end, enum coding coding, struct text *out)
{
    struct line_span line;
    for (; next_line(p, end, &line); p = line.next) {
        bool continues = false;
        const char *begin = line.begin;
        if (coding == CODING_QUOTED_PRINTABLE)
            continues = quoted_printable_decode(begin, (size_t)(line.end - begin), out);
        else
            text_add_n(out, begin, (size_t)(line.end - begin));
        if (!continues)
            text_add_char(out, '\n');
    }
}

struct decoding {
    struct text *out;
    bool (*add)(const struct mail_file *file, void *context);
    void *context;
    bool is_stopped, is_cut;
};

static void take_part(struct decoding *d, const struct head *head, const char *end, int depth);

static void hand_over(struct decoding *d, const struct head *head, struct text *bytes)
{
    struct mail_file file = {.name = head->name, .bytes = *bytes};
    if (bytes->length && d->add && !d->is_stopped)
        d->is_stopped = !d->add(&file, d->context);
}

static void take_leaf(struct decoding *d, const struct head *head, const char *end)
{
    struct text bytes = {0};
    if (head->coding == CODING_BASE64)
        decode_base64(head->body, end, &bytes);
    else
        decode_lines(head->body, end, head->coding, &bytes);
    bool is_file = head->is_attachment || (*head->name && !head->is_html);
    if (is_file || !head->is_text) {
        if (is_file)
            hand_over(d, head, &bytes);
    } else if (head->is_html) {
        hypertext_to_text(text_string(&bytes), bytes.length, d->out);
    } else {
        text_add_n(d->out, text_string(&bytes), bytes.length);
    }
    if (d->out->length && d->out->bytes[d->out->length - 1] != '\n')
        text_add_char(d->out, '\n');
    text_release(&bytes);
}

/* The next line that is "--boundary" from p on; *is_last: "--boundary--". end: there is none. */
static const char *find_boundary(const char *p, const char *end, const char *boundary, bool *is_last, const char **behind)
{
    size_t n = strlen(boundary);
    struct line_span line;
    for (; next_line(p, end, &line); p = line.next) {
        size_t length = (size_t)(line.end - line.begin);
        if (length < n + 2 || memcmp(line.begin, "--", 2) != 0 || memcmp(line.begin + 2, boundary, n) != 0)
            continue;
        *is_last = length >= n + 4 && memcmp(line.begin + n + 2, "--", 2) == 0;
        *behind = line.next;
        return line.begin;
    }
    *is_last = true;
    *behind = end;
    return end;
}

/* Is there plain text in this part, as the better one of alternatives? */
static bool is_plain_text(const struct head *head)
{
    return head->is_text && !head->is_html && !head->is_multipart && !head->is_attachment;
}

static void take_multipart(struct decoding *d, const struct head *head, const char *end, int depth)
{
    bool is_last, has_plain = false;
    const char *part;
    if (find_boundary(head->body, end, head->boundary, &is_last, &part) == end) { /* announced, and not there */
        take_leaf(d, &(struct head){.body = head->body, .is_text = true}, end);
        return;
    }
    while (!is_last && part < end && !d->is_stopped) {
        const char *next, *stop = find_boundary(part, end, head->boundary, &is_last, &next);
        struct head inner;
        read_head(part, stop, &inner, NULL);
        if (!(head->is_alternative && has_plain))
            take_part(d, &inner, stop, depth + 1);
        has_plain |= is_plain_text(&inner);
        part = next;
        d->is_cut |= stop == end;
    }
}

static void take_part(struct decoding *d, const struct head *head, const char *end, int depth)
{
    if (depth > MAX_DEPTH)
        return;
    if (head->is_multipart && *head->boundary) {
        take_multipart(d, head, end, depth);
    } else if (head->is_mail && head->coding == CODING_NONE) {
        struct head inner;
        read_head(head->body, end, &inner, d->out);
        text_add_char(d->out, '\n');
        take_part(d, &inner, end, depth + 1);
    } else {
        take_leaf(d, head, end);
    }
}

/* ---- mails in a file ---- */

/* "From ann@example.org Mon Jul ..." with a field behind. */
static bool begins_in_mbox(const struct line_span *line, const char *end)
{
    struct line_span next;
    return line->end - line->begin > 6 && memcmp(line->begin, "From ", 5) == 0 && next_line(line->next, end, &next) && is_field(&next);
}

/* The mail at p: where its head begins and where it ends. An mbox's ends where the next one begins. */
static const char *mail_end(const char *p, const char *end, const char **head)
{
    struct line_span line;
    bool is_behind_empty = false;
    *head = p;
    if (!next_line(p, end, &line) || !begins_in_mbox(&line, end))
        return end;
    *head = line.next;
    for (p = line.next; next_line(p, end, &line); p = line.next) {
        if (is_behind_empty && begins_in_mbox(&line, end))
            return line.begin;
        is_behind_empty = line.end == line.begin;
    }
    return end;
}

static bool begins(const char *bytes, const char *end)
{
    static const char *const usual[] = {"From", "Date", "Subject", "Message-ID", "Return-Path", "Received", "Delivered-To", "MIME-Version",
                                        "To", "X-Mozilla-Status"};
    struct line_span line;
    int n_fields = 0, n_usual = 0;
    for (const char *p = bytes; n_fields < 12 && next_line(p, end, &line) && line.end > line.begin; p = line.next) {
        bool is_more = *line.begin == ' ' || *line.begin == '\t', is_begin = p == bytes && begins_in_mbox(&line, end);
        if (!is_field(&line) && !is_begin && !(is_more && n_fields))
            return false;
        n_fields++;
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
            n_usual += field_is(line.begin, line.end, usual[i]);
    }
    return n_usual >= 2;
}

bool mail_is_coded(const char *bytes, size_t size)
{
    const char *end = bytes + size, *head_begin;
    size_t n_mails = 0;
    bool is_coded = false, has_quoted_printable = false;
    if (size < 40 || !begins(bytes, end))
        return false;
    for (const char *p = bytes; p < end && !is_coded; n_mails++) {
        struct head head;
        const char *stop = mail_end(p, end, &head_begin);
        read_head(head_begin, stop, &head, NULL);
        is_coded = head.coding == CODING_BASE64 || (head.is_multipart && *head.boundary) || head.is_html;
        has_quoted_printable |= head.coding == CODING_QUOTED_PRINTABLE;
        p = stop;
    }
    return is_coded || (has_quoted_printable && n_mails > 1);
}

bool mail_decode(const char *bytes, size_t size, struct text *out, bool (*add)(const struct mail_file *file, void *context),
                 void *context)
{
    struct decoding d = {.out = out, .add = add, .context = context};
    const char *end = bytes + size, *head_begin;
    for (const char *p = bytes; p < end && !d.is_stopped;) {
        struct head head;
        const char *stop = mail_end(p, end, &head_begin);
        read_head(head_begin, stop, &head, out);
        text_add_char(out, '\n');
        take_part(&d, &head, stop, 0);
        text_add_char(out, '\n');
        p = stop;
    }
    return !d.is_cut;
}
