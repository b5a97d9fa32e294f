/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mail programs write HTML whose own line ends mean nothing: a line ends at <br> and where a block ends. So the whole text is
 * turned, not line by line.
 */
#include "input/hypertext.h"

#include <string.h>
#include <strings.h>

#include "input/repair.h"

#define MAX_TAG 4096 /* bytes; a '<' without its '>' is text */

struct tag {
    const char *name;
    size_t length;
    bool is_end;
};

/* Tags that end a line, and those whose content is no text. */
static const char *const blocks[] = {"br", "p", "div", "tr", "li", "pre", "table", "ul", "ol", "blockquote", "h1", "h2", "h3",
                                     "h4", "h5", "h6", "hr", "dt", "dd", "body", "html", "head", "title", "section", "article", NULL};
static const char *const hidden[] = {"script", "style", NULL};
static const char *const inlines[] = {"a", "b", "i", "u", "s", "tt", "em", "font", "span", "code", "strong", "img", "small", "big", "td", "th",
                                      "tbody", "thead", "meta", "link", "sub", "sup", "kbd", "samp", "o:p", "wbr", "col", "colgroup",
                                      "center", "form", "input", "button", "nav", "main", "header", "footer", "label", "svg", "base", NULL};

static bool is_one_of(const struct tag *tag, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == tag->length && strncasecmp(*names, tag->name, tag->length) == 0)
            return true;
    return false;
}

static bool is_named(const struct tag *tag, const char *name)
{
    return strlen(name) == tag->length && strncasecmp(name, tag->name, tag->length) == 0;
}

/* The bytes of the tag or remark at p ('<'); 0: this is text, as "<idle>-0" in a page whose author did not escape it. */
static size_t tag_length(const char *p, const char *end, struct tag *tag, bool *has_remarks)
{
    const char *limit = end - p > MAX_TAG ? p + MAX_TAG : end, *close;
    *tag = (struct tag){.name = p + 1};
    if (end - p > 4 && memcmp(p, "<!--", 4) == 0) {
        close = *has_remarks ? memmem(p, (size_t)(end - p), "-->", 3) : NULL;
        *has_remarks = close != NULL; /* one without an end: so are all behind it */
        return close ? (size_t)(close + 3 - p) : 0;
    }
    close = memchr(p, '>', (size_t)(limit - p));
    if (!close)
        return 0;
    if (p[1] == '!' || p[1] == '?')
        return (size_t)(close + 1 - p);
    tag->is_end = p[1] == '/';
    tag->name += tag->is_end;
    while (tag->name + tag->length < close && !strchr(" \t\r\n/>", tag->name[tag->length]))
        tag->length++;
    bool is_known = is_one_of(tag, blocks) || is_one_of(tag, hidden) || is_one_of(tag, inlines);
    return is_known ? (size_t)(close + 1 - p) : 0;
}

static const char *hidden_end(const char *p, const char *end, const struct tag *tag)
{
    for (; (p = memmem(p, (size_t)(end - p), "</", 2)); p += 2)
        if ((size_t)(end - p) > tag->length + 2 && strncasecmp(p + 2, tag->name, tag->length) == 0)
            return p;
    return end;
}

static void end_line(struct text *out)
{
    while (out->length && out->bytes[out->length - 1] == ' ')
        text_truncate(out, out->length - 1);
    text_add_char(out, '\n');
}

static bool is_line_begun(const struct text *out)
{
    return out->length && out->bytes[out->length - 1] != '\n';
}

/* A tag's effect. A block ends the line that was begun; <br> ends also an empty one. */
static void take_tag(const struct tag *tag, struct text *out)
{
    if (is_named(tag, "br") && !tag->is_end)
        end_line(out);
    else if ((is_named(tag, "td") || is_named(tag, "th")) && tag->is_end)
        text_add(out, "  ");
    else if (is_one_of(tag, blocks) && is_line_begun(out))
        end_line(out);
}

bool hypertext_is_page(const char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && i < 256 && strchr(" \t\r\n\xef\xbb\xbf", bytes[i]) && bytes[i])
        i++;
    return size - i > 15 && (strncasecmp(bytes + i, "<!doctype html", 14) == 0 || strncasecmp(bytes + i, "<html", 5) == 0);
}

void hypertext_to_text(const char *bytes, size_t size, struct text *out)
{
    const char *p = bytes, *end = bytes + size;
    bool is_preformatted = false, has_remarks = true;
    while (p < end) {
        struct tag tag;
        size_t n;
        char character;
        if (*p == '<' && (n = tag_length(p, end, &tag, &has_remarks)) > 0) {
            take_tag(&tag, out);
            is_preformatted = is_named(&tag, "pre") ? !tag.is_end : is_preformatted;
            p += n;
            if (!tag.is_end && is_one_of(&tag, hidden))
                p = hidden_end(p, end, &tag);
        } else if (*p == '&' && (n = entity_at(p, (size_t)(end - p), &character)) > 0) {
            text_add_char(out, character);
            p += n;
        } else if (is_preformatted || !strchr(" \t\r\n", *p) || !*p) {
            if (*p != '\r')
                text_add_char(out, *p);
            p++;
        } else { /* blanks of the source are one */
            if (is_line_begun(out) && out->bytes[out->length - 1] != ' ')
                text_add_char(out, ' ');
            p++;
        }
    }
    if (is_line_begun(out))
        end_line(out);
}
