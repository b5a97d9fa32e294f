/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger of an outlier as a table with bars. What one interrupt line did is one row; where its time is not small,
 * the functions that its timer or IPI called stand below it:
 *
 *     irq   local_timer:236          117   3.54 ms   2.3 %
 *             tick_sched_timer        38  2.337 ms
 *             the interrupt itself    79   1.13 ms
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "report/text_view.h"

#define BAR_COLUMNS 10
#define MAX_LINES 12
#define MAX_FUNCTIONS 4
#define SMALL_SHARE 0.001     /* such rows are summed up, if there are several */
#define FUNCTIONS_SHARE 0.01  /* below that, nobody asks which function it was */

struct ledger_line { /* one row of the table: a row of the document, or those of one interrupt line */
    const char *kind, *subject;
    size_t stem;     /* length of the subject without its function */
    double n;
    int64_t amount_ns;
    size_t n_parts;
    const json_t *parts[32];
};

struct ledger_lines {
    size_t n;
    struct ledger_line *items;
    int64_t total_ns;
};

static size_t stem_of(const char *kind, const char *subject)
{
    const char *end = strstr(subject, " (");
    bool is_handler = !strcmp(kind, "irq") || !strcmp(kind, "ipi") || !strcmp(kind, "softirq");
    return is_handler && end ? (size_t)(end - subject) : strlen(subject);
}

static int by_amount(const void *a, const void *b)
{
    const struct ledger_line *x = a, *y = b;
    return x->amount_ns > y->amount_ns ? -1 : x->amount_ns < y->amount_ns;
}

static struct ledger_lines group_lines(const json_t *ledger)
{
    struct ledger_lines lines = {.items = memory_resize(NULL, json_array_size(ledger) + 1, sizeof *lines.items)};
    const json_t *row;
    size_t i;
    json_array_foreach(ledger, i, row) {
        const char *kind = json_get_text(row, "kind"), *subject = json_get_text(row, "subject");
        int64_t amount_ns = json_get_ns(row, "amount_ns");
        subject = subject ? subject : "";
        size_t stem = stem_of(kind, subject), k = 0;
        while (k < lines.n && (strcmp(lines.items[k].kind, kind) || lines.items[k].stem != stem ||
                               strncmp(lines.items[k].subject, subject, stem) || lines.items[k].n_parts == 32))
            k++;
        struct ledger_line *line = &lines.items[k];
        if (k == lines.n)
            lines.items[lines.n++] = (struct ledger_line){.kind = kind, .subject = subject, .stem = stem};
        line->parts[line->n_parts++] = row;
        line->n += json_get_number(row, "n");
        if (amount_ns != NS_UNKNOWN) {
            line->amount_ns += amount_ns;
            lines.total_ns += amount_ns;
        }
    }
    if (lines.n)
        memory_sort(lines.items, lines.n, sizeof *lines.items, by_amount);
    return lines;
}

static void print_line(struct table *table, const struct ledger_line *line, int64_t total_ns)
{
    bool is_unexplained = strcmp(line->kind, "unexplained") == 0 || strcmp(line->kind, "gap") == 0;
    double share = (double)line->amount_ns / (double)total_ns;
    char bar[BAR_COLUMNS + 1], cell[200], duration[DURATION_TEXT_BYTES];
    int length = (int)lround(share * BAR_COLUMNS);
    length = length < 0 ? 0 : length > BAR_COLUMNS ? BAR_COLUMNS : length;
    memset(bar, is_unexplained ? '?' : '#', (size_t)length);
    bar[length] = '\0';
    table_cell_styled(table, is_unexplained ? STYLE_WARN : STYLE_PLAIN, line->kind);
    snprintf(cell, sizeof cell, "%.*s", (int)(line->n_parts > 1 ? line->stem : strlen(line->subject)), line->subject);
    table_cell(table, cell);
    snprintf(cell, sizeof cell, "%.0f", line->n);
    table_cell(table, isnan(line->n) ? "-" : cell);
    table_cell(table, duration_format(line->amount_ns, duration));
    snprintf(cell, sizeof cell, "%.1f %%", share * 100);
    table_cell(table, cell);
    table_cell_styled(table, is_unexplained ? STYLE_WARN : STYLE_BOLD, bar);
}

/* "tick_sched_timer" of "local_timer:236 (tick_sched_timer)"; without a function: the interrupt itself. */
static void print_parts(struct table *table, const struct ledger_line *line)
{
    char cell[200], duration[DURATION_TEXT_BYTES];
    for (size_t i = 0; i < line->n_parts && i < MAX_FUNCTIONS; i++) {
        const char *subject = json_get_text(line->parts[i], "subject");
        const char *function = subject && strlen(subject) > line->stem ? subject + line->stem + 2 : NULL;
        size_t length = function ? strlen(function) : 0;
        if (length && function[length - 1] == ')')
            length--;
        if (function)
            snprintf(cell, sizeof cell, "  %.*s", (int)length, function);
        else
            snprintf(cell, sizeof cell, "  the interrupt itself");
        table_cell(table, "");
        table_cell(table, cell);
        snprintf(cell, sizeof cell, "%.0f", json_get_number(line->parts[i], "n"));
        table_cell(table, cell);
        table_cell(table, duration_format(json_get_ns(line->parts[i], "amount_ns"), duration));
        table_cell(table, "");
        table_cell(table, "");
    }
}

void text_ledger(const struct text_view *view, const json_t *outlier)
{
    static const struct table_column columns[] = {{.title = "what"}, {"who", .flexible = true}, {"times", .right = true},
                                                  {"time", .right = true}, {"share", .right = true}, {.title = ""}};
    const json_t *ledger = json_object_get(outlier, "ledger");
    int64_t latency_ns = json_get_ns(outlier, "latency_ns"), rest_ns = 0;
    struct ledger_lines lines = group_lines(ledger);
    char duration[DURATION_TEXT_BYTES];
    if (!lines.n || lines.total_ns <= 0) {
        free(lines.items);
        return;
    }
    size_t n_shown = lines.n;
    while (n_shown > 2 && (n_shown > MAX_LINES || (double)lines.items[n_shown - 1].amount_ns < SMALL_SHARE * (double)lines.total_ns))
        n_shown--;
    if (n_shown + 1 == lines.n)
        n_shown = lines.n;
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n_shown; i++) {
        print_line(table, &lines.items[i], lines.total_ns);
        if (lines.items[i].n_parts > 1 && (double)lines.items[i].amount_ns >= FUNCTIONS_SHARE * (double)lines.total_ns)
            print_parts(table, &lines.items[i]);
    }
    for (size_t i = n_shown; i < lines.n; i++)
        rest_ns += lines.items[i].amount_ns;
    table_print(table, &view->page, 2);
    table_free(table);
    if (n_shown < lines.n)
        page_line(&view->page, "  ... and %zu smaller rows, %s together", lines.n - n_shown, duration_format(rest_ns, duration));
    page_line(&view->page, "  sum %s%s", duration_format(lines.total_ns, duration),
              lines.total_ns == latency_ns ? ", the whole latency" : "");
    free(lines.items);
}
