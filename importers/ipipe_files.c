/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of /proc/ipipe: a domain's table of interrupts, and the tracer's settings with their names in front.
 *
 *      [IRQ]  |||  Handler                 pre_trace_points: 10
 *       18:  H..  __ipipe_do_IRQ           back_trace_points: 100
 */
#include <stdio.h>
#include <string.h>

#include "importers/cells.h"
#include "importers/importer.h"

static const char *const settings[] = {"enable", "pre_trace_points", "post_trace_points", "back_trace_points", "verbose", "trigger"};

/* "back_trace_points: 10" */
static const char *parse_setting(const struct line *line, struct cell *value)
{
    return line_named_value(line, settings, sizeof settings / sizeof *settings, value);
}

/* "   18:  H..  __ipipe_do_IRQ" */
static bool parse_irq(const struct line *line, bool *is_handled)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t irq;
    scan_blanks(&p, end);
    if (!scan_u64(&p, end, &irq) || !scan_literal(&p, end, ":") || !scan_blanks(&p, end) || end - p < 3)
        return false;
    *is_handled = *p == 'H';
    return (*p == 'H' || *p == '.') && (p[1] == 'L' || p[1] == '.') && (p[2] == 'V' || p[2] == '.');
}

static bool is_domain(struct lines *lines)
{
    struct line line;
    return lines_peek(lines, 0, &line) && line_starts(&line, "+--- Handled") && lines_peek(lines, 3, &line) && line_has(&line, "[IRQ]");
}

static bool is_settings(struct lines *lines)
{
    struct line line;
    const char *name;
    struct cell value;
    return lines_peek(lines, 0, &line) && parse_setting(&line, &value) && lines_peek(lines, 1, &line) &&
           (name = parse_setting(&line, &value)) && strstr(name, "trace_points");
}

static struct probe_result files_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    return (struct probe_result){is_domain(lines) || is_settings(lines) ? CERTAIN : NOT_MINE, NULL};
}

static enum status files_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    const char *name;
    struct cell value;
    size_t n = 0, n_handled = 0;
    bool is_handled;
    (void)error;
    if (!is_domain(lines)) {
        while (lines_peek(lines, 0, &line) && (name = parse_setting(&line, &value))) {
            char key[64];
            snprintf(key, sizeof key, "ipipe.%s", name);
            if (value.length)
                import_fact(import, key, "%.*s", CELL_ARGS(value));
            lines_skip(lines, 1);
        }
        return OK;
    }
    lines_skip(lines, 4);
    while (lines_peek(lines, 0, &line) && parse_irq(&line, &is_handled)) {
        n++;
        n_handled += is_handled;
        lines_skip(lines, 1);
    }
    import_fact(import, "ipipe.domain", "%s: handles %zu of %zu interrupts", import->member->name, n_handled, n);
    return OK;
}

static const char *const ipipe_files_marks[] = {":", "+--- Handled", NULL};

const struct importer importer_ipipe_files = {
    .name = "ipipe-files",
    .summary = "/proc/ipipe: a domain's interrupts, the tracer's settings",
    .reads = "the I-pipe from 2.6 to 5.4",
    .probe_lines = files_probe,
    .read_lines = files_read,
    .marks = ipipe_files_marks,
};
