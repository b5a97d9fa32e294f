/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A dump of the I-pipe tracer whose lines an archive or a form made one: the line ends are gone or blanks, and runs of
 * blanks may be one.
 *
 *     ... Delay Function (Parent) | #begin 0x80000001 -9 1.111 check+0x150 (<00000000>) >| #begin 0x80000000 0+ 1.190 ...
 *
 * A row ends at the ')' of its parent, behind which the next row's columns and type begin. Its columns are set where the
 * row parser expects them; which domain a lone sign stands for shows in whether it touches the type.
 */
#include <stdio.h>
#include <string.h>

#include "importers/ipipe.h"

static const char *const types[] = {"func", "fn", "begin", "end", "freeze", "event"};

/* The type at p, or NULL: its length goes to *length; "[ 1234]" and "(0x01)" whole. */
static bool type_at(const char *p, const char *end, size_t *length)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t n = strlen(types[i]);
        if ((size_t)(end - p) > n && memcmp(p, types[i], n) == 0 && p[n] == ' ') {
            *length = n;
            return true;
        }
    }
    char close = *p == '[' ? ']' : end - p > 3 && memcmp(p, "(0x", 3) == 0 ? ')' : 0;
    const char *at = close ? memchr(p, close, (size_t)(end - p < 12 ? end - p : 12)) : NULL;
    *length = at ? (size_t)(at - p) + 1 : 0;
    return at != NULL;
}

/* Where a row's parts stand. */
struct flat_row {
    char mark, bar, head, root;
    const char *type;
    size_t type_length;
};

/* Does a row begin at p (blanks first)? */
static bool row_at(const char *p, const char *end, struct flat_row *row)
{
    *row = (struct flat_row){.mark = ' ', .bar = ' ', .head = ' ', .root = ' '};
    scan_blanks(&p, end);
    if (p < end && (*p == '>' || *p == '<' || *p == ':'))
        row->mark = *p++;
    scan_blanks(&p, end);
    if (p < end && *p == '|')
        row->bar = *p++;
    for (int i = 0; i < 6 && p < end; i++, p++) {
        if (type_at(p, end, &row->type_length)) {
            row->type = p;
            if (row->root != ' ' && p[-1] == ' ') { /* the sign does not touch the type: it is the column before */
                row->head = row->root;
                row->root = ' ';
            }
            return true;
        }
        if (*p == '+' || *p == '*' || *p == '#') {
            row->head = row->root;
            row->root = *p;
        } else if (*p != ' ') {
            return false;
        }
    }
    return false;
}

/* The end of the row that begins at p, behind its ')'; NULL: it has none. */
static const char *row_end(const char *p, const char *end)
{
    const char *open = NULL;
    for (; p < end && *p != '\n'; p++) {
        if (*p == '(' && p[-1] == ' ')
            open = p;
        else if (*p == ')' && open)
            return p + 1;
    }
    return NULL;
}

/* "comm 99 14+ 0.310 function (parent)": comm and priority into the eleven cells of the value; the rest behind. */
static void add_task(struct text *out, const char *p, const char *end)
{
    const char *word[2] = {NULL, NULL}; /* the two words before the one with the delay's point */
    const char *name = p;
    for (; p < end; scan_blanks(&p, end)) {
        const char *begin = p;
        while (p < end && *p != ' ')
            p++;
        const char *dot = memchr(begin, '.', (size_t)(p - begin));
        if (dot && word[0] && dot > begin && dot[-1] >= '0' && dot[-1] <= '9' && p - dot >= 4 && dot[1] >= '0' && dot[1] <= '9')
            break;
        word[0] = word[1];
        word[1] = begin;
    }
    if (!word[0] || p == end) {
        text_add_n(out, name, (size_t)(end - name));
        return;
    }
    const char *name_end = word[0], *priority_end = word[1];
    while (name_end > name && name_end[-1] == ' ')
        name_end--;
    while (priority_end > word[0] && priority_end[-1] == ' ')
        priority_end--;
    int priority_length = (int)(priority_end - word[0] < 4 ? priority_end - word[0] : 4), cells = 9 - priority_length;
    text_format(out, "%-*.*s %.*s ", cells, (int)(name_end - name < cells ? name_end - name : cells), name, priority_length, word[0]);
    text_add_n(out, word[1], (size_t)(end - word[1]));
}

static void add_row(struct text *out, const struct flat_row *row, const char *end, bool is_verbose)
{
    const char *p = row->type + row->type_length;
    if (!is_verbose) { /* no domains, no value */
        scan_blanks(&p, end);
        text_format(out, "%c%c%-8.*s%.*s\n", row->mark, row->bar, (int)row->type_length, row->type, (int)(end - p), p);
        return;
    }
    text_format(out, "%c%c%c%c%-8.*s", row->mark, row->bar, row->head, row->root, (int)row->type_length, row->type);
    scan_blanks(&p, end);
    const char *word_end = memchr(p, ' ', (size_t)(end - p));
    if (*row->type == '[') {
        add_task(out, p, end);
    } else if (*row->type != 'f' || row->type[1] == 'r') { /* all but func and fn have a value */
        size_t length = word_end ? (size_t)(word_end - p) : 0;
        text_format(out, "%-11.*s", (int)length, p);
        text_add_char(out, ' ');
        p += length;
        scan_blanks(&p, end);
        text_add_n(out, p, (size_t)(end - p));
    } else {
        text_format(out, "%11s", "");
        text_add_n(out, p, (size_t)(end - p));
    }
    text_add_char(out, '\n');
}

static const char *find(const char *from, const char *end, const char *word)
{
    return memmem(from, (size_t)(end - from), word, strlen(word));
}

bool ipipe_is_flat(const struct line *line)
{
    const char *title = line_find(line, "I-pipe "), *heading = line_find(line, "Function (Parent)");
    struct flat_row row;
    return title && heading && heading > title && line->length < IPIPE_FLAT_MAX &&
           row_at(heading + strlen("Function (Parent)"), line->text + line->length, &row);
}

bool ipipe_straighten(const char *text, size_t length, bool is_verbose, struct text *out)
{
    struct flat_row row;
    const char *end = text + length, *stop = row_at(text, end, &row) ? row_end(row.type + row.type_length, end) : NULL;
    text_truncate(out, 0);
    if (!stop)
        return false;
    add_row(out, &row, stop, is_verbose);
    text_truncate(out, out->length - 1); /* its line end */
    return true;
}

size_t ipipe_unflatten(const struct line *line, struct text *out)
{
    const char *end = line->text + line->length, *p = line_find(line, "I-pipe ");
    const char *heading = line_find(line, "Function (Parent)");
    static const char *const starts[] = {"--------", "CPU: ", "Begin: ", "Freeze: ", "Calibrated"};
    /* The title and the counts on lines of their own; of the art only what names the columns. */
    const char *ahead[sizeof starts / sizeof *starts]; /* the next of each; the heading: none */
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        ahead[i] = p;
    for (const char *from = p; from && p < heading;) {
        const char *next = NULL;
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
            if (ahead[i] <= p) {
                const char *found = find(p + 1, heading, starts[i]);
                ahead[i] = found ? found : heading;
            }
            const char *at = ahead[i] < heading ? ahead[i] : NULL;
            if (at && (!next || at < next) && !(i == 2 && find(p, at, "CPU: ")) && !(i == 3 && find(p, at, "CPU: ")))
                next = at;
        }
        text_add_n(out, p, (size_t)((next ? next : heading) - p));
        text_add_char(out, '\n');
        if (!next)
            break;
        p = next;
        if (*p == '-')
            while (p + 1 < heading && p[1] == '-')
                p++;
    }
    const char *column_end = heading; /* of the column's name before */
    while (column_end > line->text && column_end[-1] == ' ')
        column_end--;
    bool is_verbose = column_end - line->text > 5 && memcmp(column_end - 5, "Delay", 5) == 0;
    text_add(out, is_verbose ? " Delay Function (Parent)\n" : " Function (Parent)\n");
    size_t n = 0;
    struct flat_row row;
    for (p = heading + strlen("Function (Parent)"); row_at(p, end, &row); n++) {
        const char *stop = row_end(row.type + row.type_length, end);
        if (!stop)
            break;
        add_row(out, &row, stop, is_verbose);
        p = stop;
    }
    return n;
}
