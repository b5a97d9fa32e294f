/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * evl ps (libevl 2019 to 2024), all options.
 *
 *     CPU   PID   SCHED   PRIO  ISW     CTXSW     SYS       RWA        STAT     NAME
 *       0   398      rt    90   1       240       2         0          Wo       latmus-klat:394
 *
 * ISW counts in-band switches, CTXSW context switches, SYS out-of-band system calls, RWA remote wakeups. %CPU covers the
 * time since that thread's stats were last read by anyone. STAT may be empty for a running thread.
 */
#include <stdio.h>
#include <string.h>

#include "importers/cells.h"
#include "importers/importer.h"

#define MAX_COLUMNS 14

struct header {
    char name[MAX_COLUMNS][12];
    size_t n;
    size_t name_offset;
};

static bool read_header(const struct line *line, struct header *header)
{
    struct cells words = {0};
    cells_of_line(&words, line);
    bool is_header = words.n >= 4 && words.n <= MAX_COLUMNS && cell_is(words.cell[0], "CPU") && cell_is(words.cell[1], "PID") &&
                     cell_is(words.cell[words.n - 1], "NAME");
    bool is_evl = false;
    *header = (struct header){.n = is_header ? words.n : 0};
    for (size_t i = 0; i < header->n; i++) {
        is_evl |= cell_is(words.cell[i], "SCHED") || cell_is(words.cell[i], "ISW") || cell_is(words.cell[i], "WCHAN");
        cell_copy(words.cell[i], header->name[i], sizeof header->name[i]);
        header->name_offset = (size_t)(words.cell[i].text - line->text);
    }
    cells_release(&words);
    return is_header && is_evl;
}

static struct probe_result ps_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    struct header header;
    bool is_mine = lines_peek(lines, 0, &line) && line_starts(&line, "CPU") && read_header(&line, &header);
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

/* The row's cells by the header's columns; a missing STAT is an empty cell. */
static bool split_row(const struct line *line, const struct header *header, struct cell cells[MAX_COLUMNS])
{
    struct cells words = {0};
    cells_of_line(&words, line);
    size_t at = 0;
    uint64_t number;
    bool is_row = words.n >= 3;
    struct cell text = cell_of(line);
    struct cell name = {"", 0};
    if (text.length > header->name_offset && header->name_offset && text.text[header->name_offset - 1] == ' ')
        name = cell_trim(cell_from(text, header->name_offset));
    for (size_t i = 0; is_row && i + 1 < header->n; i++) {
        struct cell word = cells_at(&words, at);
        bool is_state = !strcmp(header->name[i], "STAT");
        if (is_state && name.length && word.text >= name.text) { /* the state's cell is empty */
            cells[i] = (struct cell){"", 0};
            continue;
        }
        cells[i] = word;
        at++;
    }
    if (is_row && !name.length && at < words.n)
        name = cell_trim((struct cell){words.cell[at].text, (size_t)(text.text + text.length - words.cell[at].text)});
    is_row = is_row && name.length && cell_u64(cells[0], &number) && cell_u64(cells[1], &number);
    cells[header->n - 1] = name;
    cells_release(&words);
    return is_row;
}

static enum status ps_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line line;
    struct header header;
    struct cell cells[MAX_COLUMNS];
    lines_peek(lines, 0, &line);
    read_header(&line, &header);
    lines_skip(lines, 1);
    struct counter_table *counters = import_counters_begin(import, "evl/ps");
    for (; lines_peek(lines, 0, &line) && split_row(&line, &header, cells); lines_skip(lines, 1)) {
        struct cell name = cells[header.n - 1];
        if (cell_starts(name, "[") && cell_ends(name, "]"))
            name = cell_first(cell_from(name, 1), name.length - 2);
        char comm[64], scope[100];
        struct task task = task_unknown();
        int priority;
        cell_int(cells[1], &task.tid);
        task.run = import->run;
        task.artefact = import->artefact;
        task.comm = cell_copy(name, comm, sizeof comm);
        task.policy = POLICY_COBALT;
        snprintf(scope, sizeof scope, "%s:%d", comm, task.tid);
        for (size_t i = 2; i + 1 < header.n; i++) {
            const char *column = header.name[i];
            struct decimal value = decimal_parse(cells[i].text, cells[i].length);
            if (!strcmp(column, "PRIO") && cell_int(cells[i], &priority) && priority > 0)
                task.rt_priority = priority;
            else if (!strcmp(column, "%CPU"))
                import_counters_add_gauge(counters, scope, column, value);
            else if (!strcmp(column, "ISW") || !strcmp(column, "CTXSW") || !strcmp(column, "SYS") || !strcmp(column, "RWA"))
                import_counters_add(counters, scope, column, value);
        }
        store_add_task(import->store, &task);
    }
    return OK;
}

static const char *const evl_ps_marks[] = {"CPU", NULL};

const struct importer importer_evl_ps = {
    .name = "evl-ps",
    .summary = "evl ps: threads of an EVL core",
    .reads = "libevl 2019 to 2024, options -s, -t, -l, -w",
    .probe_lines = ps_probe,
    .read_lines = ps_read,
    .marks = evl_ps_marks,
};
