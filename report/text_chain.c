/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who woke whom before a late wakeup: a table, where there is more to say than that an interrupt did. */
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "report/text_view.h"

static bool is_kind(const json_t *link, const char *kind)
{
    return !strcmp(json_get_text(link, "kind"), kind);
}

/* A task in between, or the thread of an interrupt that is the late one itself: then its line is worth a row. */
static bool is_worth_saying(const json_t *outlier, const json_t *chain)
{
    const char *comm = json_get_text(outlier, "comm");
    size_t i;
    const json_t *link;
    json_array_foreach(chain, i, link) {
        if (is_kind(link, "task") || is_kind(link, "lock"))
            return true;
        if (is_kind(link, "interrupt") && comm && !strncmp(comm, "irq/", 4))
            return true;
    }
    return false;
}

static void print_link(struct table *table, const json_t *link, int64_t zero_ns)
{
    char cell[DURATION_TEXT_BYTES + 32], text[256];
    bool is_unknown = is_kind(link, "unknown"), is_interrupt = is_kind(link, "interrupt");
    int64_t waited_ns = json_get_ns(link, "waited_ns");
    double cpu = json_get_number(link, "cpu");
    snprintf(cell, sizeof cell, "%+.3f us", (double)(json_get_ns(link, "begin_ns") - zero_ns) / 1000);
    table_cell(table, cell);
    snprintf(cell, sizeof cell, "%.0f", cpu);
    table_cell(table, isnan(cpu) ? NULL : cell);
    snprintf(text, sizeof text, "%s%s", is_unknown ? "unknown from here: " : is_interrupt ? "hardirq " : is_kind(link, "lock") ? "lock: " : "",
             json_get_text(link, "subject"));
    table_cell(table, text);
    table_cell(table, waited_ns == NS_UNKNOWN ? NULL : duration_format(waited_ns, cell));
    const char *held_by = json_get_text(link, "held_by");
    snprintf(text, sizeof text, "%s%s", json_is_true(json_object_get(link, "decisive")) ? "* " : "", held_by ? held_by : "");
    table_cell(table, *text ? text : NULL);
}

void text_chain(const struct text_view *view, const json_t *outlier)
{
    static const struct table_column columns[] = {{"woken", .right = true}, {"cpu", .right = true}, {"by", .flexible = true},
                                                  {"waited", .right = true}, {"for", .flexible = true}};
    const json_t *chain = json_object_get(outlier, "chain"), *link;
    if (!is_worth_saying(outlier, chain))
        return;
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    size_t i;
    json_array_foreach(chain, i, link)
        print_link(table, link, json_get_ns(outlier, "begin_ns"));
    putc('\n', view->page.file);
    page_line(&view->page, "  Who woke it, the first of them above (*: there the time went)");
    table_print(table, &view->page, 2);
    table_free(table);
}
