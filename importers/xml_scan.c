/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/xml_scan.h"

#include <string.h>

/* Behind the next occurrence of a mark, or NULL. */
static const char *behind(const char *p, const char *end, const char *mark)
{
    const char *found = memmem(p, (size_t)(end - p), mark, strlen(mark));
    return found ? found + strlen(mark) : NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct cell trim_lines(const char *begin, const char *end)
{
    while (begin < end && is_space(*begin))
        begin++;
    while (end > begin && is_space(end[-1]))
        end--;
    return (struct cell){begin, (size_t)(end - begin)};
}

bool xml_next(struct xml_scan *xml)
{
    const char *text = xml->p;
    for (;;) {
        const char *open = xml->p < xml->end ? memchr(xml->p, '<', (size_t)(xml->end - xml->p)) : NULL;
        if (!open || open + 1 >= xml->end)
            return false;
        const char *close = open[1] == '?' ? behind(open, xml->end, "?>")
                            : xml->end - open > 4 && !memcmp(open, "<!--", 4) ? behind(open, xml->end, "-->")
                            : behind(open, xml->end, ">");
        if (!close)
            return false;
        xml->p = close;
        if (open[1] == '?' || open[1] == '!')
            continue;
        xml->text = trim_lines(text, open);
        const char *begin = open + 1, *end = close - 1;
        xml->is_end = begin < end && *begin == '/';
        begin += xml->is_end;
        xml->is_empty = end > begin && end[-1] == '/';
        end -= xml->is_empty;
        const char *name_end = begin;
        while (name_end < end && !is_space(*name_end))
            name_end++;
        xml->name = (struct cell){begin, (size_t)(name_end - begin)};
        xml->attributes = (struct cell){name_end, (size_t)(end - name_end)};
        return true;
    }
}

bool xml_attribute(const struct xml_scan *xml, const char *name, struct cell *value)
{
    const char *p = xml->attributes.text, *end = p + xml->attributes.length;
    size_t length = strlen(name);
    while (p < end) {
        while (p < end && is_space(*p))
            p++;
        const char *begin = p;
        while (p < end && *p != '=' && !is_space(*p))
            p++;
        size_t n = (size_t)(p - begin);
        if (p >= end || *p != '=' || p + 1 >= end || (p[1] != '"' && p[1] != '\'')) {
            if (p == begin)
                p++;
            continue;
        }
        char quote = p[1];
        const char *from = p + 2, *to = memchr(from, quote, (size_t)(end - from));
        if (!to)
            return false;
        if (n == length && memcmp(begin, name, n) == 0) {
            *value = (struct cell){from, (size_t)(to - from)};
            return true;
        }
        p = to + 1;
    }
    return false;
}
