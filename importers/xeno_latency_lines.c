/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of Xenomai's latency that share a line (a mail whose line ends were lost), stand behind a prefix (journals), or whose
 * strokes were set apart or escaped (wikis, Markdown):
 *
 *     RTT|  00:00:01  (periodic ...) RTH|----lat min|... RTD|      1.393|      2.908| ... RTS|      1.393|
 *     May 12 10:22:01 target latency[812]: RTD|      1.393|      2.908|     21.765|
 *     RTD | 1.393 | 2.908 | 21.765 |                    RTD\\|      1.393\\|      2.908\\|
 *
 * They are set as the lines that latency printed, and read again.
 */
#include <string.h>

#include "importers/xeno_latency.h"

#define MAX_LINES 100000

/* The next "RTD|", maybe with blanks or a stroke's escape before the bar; *after: behind the bar. NULL: none. */
static const char *next_tag(const char *begin, const char *end, const char **after)
{
    for (const char *bar = begin; (bar = memchr(bar, '|', (size_t)(end - bar))); bar++) {
        const char *p = bar;
        while (p > begin && (p[-1] == ' ' || p[-1] == '\\'))
            p--;
        if (p - begin < 3)
            continue;
        p -= 3;
        bool is_row = p[0] == 'R' && p[1] == 'T' && strchr("TDHS", p[2]), is_histogram = p[0] == 'H' && p[1] == 'S' && strchr("DHS", p[2]);
        if (!is_row && !is_histogram)
            continue;
        *after = bar + 1;
        return p;
    }
    return NULL;
}

bool latency_is_abreast(const struct line *line)
{
    const char *p = line->text, *end = p + line->length, *after, *second;
    if (line->length < 20)
        return false;
    const char *tag = next_tag(p, end, &after);
    if (!tag || after == end)
        return false;
    bool is_code = tag > p && ((tag[-1] >= 'A' && tag[-1] <= 'Z') || (tag[-1] >= 'a' && tag[-1] <= 'z') || tag[-1] == '_');
    bool is_time = tag[2] == 'T' && line_has(line, " period"); /* the only row with one bar */
    if (is_code || (!is_time && !memchr(after, '|', (size_t)(end - after))))
        return false;
    scan_blanks(&p, end);
    if (p < tag && (*p == '#' || *p == '*' || (*p == '/' && p[1] == '/')))
        return false; /* a comment that explains the format */
    for (; p < tag; p++)
        if (!strchr(" \t^C", *p))
            return true; /* behind something */
    return memchr(tag, '\\', (size_t)(after - tag)) || next_tag(after, end, &second) != NULL;
}

/* One row, without the escapes of its bars. */
static void add_row(const char *tag, const char *after, const char *end, struct text *out)
{
    text_add_n(out, tag, 3);
    text_add_char(out, '|');
    for (const char *p = after; p < end; p++)
        if (*p != '\\' || p + 1 == end || p[1] != '|')
            text_add_char(out, *p);
    text_add_char(out, '\n');
}

/* What stands before the first row: the head of the program, if it is there. */
static void add_head(const char *begin, const char *end, struct text *out)
{
    static const char *const heads[] = {"== Sampling period:", "== Test mode:", "== All results"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const char *p = memmem(begin, (size_t)(end - begin), heads[i], strlen(heads[i]));
        if (!p)
            continue;
        const char *stop = memmem(p + 2, (size_t)(end - p) - 2, "==", 2);
        text_add_n(out, p, (size_t)((stop ? stop : end) - p));
        text_add_char(out, '\n');
    }
}

/* "--- | ----------- |" but not as latency prints it. */
static bool is_rule(const struct line *line)
{
    bool is_odd = false;
    for (size_t i = 0; i < line->length; i++) {
        if (!strchr("-| \\", line->text[i]))
            return false;
        is_odd |= line->text[i] == ' ' || line->text[i] == '\\';
    }
    return is_odd && line->length > 10;
}

size_t latency_set_apart(struct lines *lines, struct text *out)
{
    struct line line;
    size_t n_lines = 0;
    text_truncate(out, 0);
    for (; n_lines < MAX_LINES && lines_peek(lines, n_lines, &line); n_lines++) {
        const char *end = line.text + line.length, *after, *next_after = NULL;
        if (!latency_is_abreast(&line)) {
            if (n_lines && ((line_has(&line, "---|---") && !line_starts(&line, "---|")) || is_rule(&line)))
                continue; /* behind the same prefix, or with bars as odd as those of the rows */
            if (!n_lines || !next_tag(line.text, end, &after))
                break;
            text_add_n(out, line.text, line.length); /* as it should be: only the first stood behind a tag of HTML */
            text_add_char(out, '\n');
            continue;
        }
        const char *tag = next_tag(line.text, end, &after);
        add_head(line.text, tag, out);
        while (tag) {
            const char *next = next_tag(after, end, &next_after);
            const char *stop = next ? next : end, *rule = memmem(after, (size_t)(stop - after), "---|---", 7);
            add_row(tag, after, rule ? rule : stop, out);
            tag = next;
            after = next_after;
        }
    }
    return n_lines;
}
