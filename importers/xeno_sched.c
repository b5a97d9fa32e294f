/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /proc/xenomai/sched (2.x), sched/threads and sched/CLASS/threads (3.x): who exists, with which priority.
 *
 *     CPU  PID    CLASS  TYPE      PRI   TIMEOUT       STAT       NAME
 *       1  316    rt     cobalt     99   -             Wt         sampling-295
 *
 * STAT may be an empty cell (a running thread), and TIMEOUT may hold stale text: rows are cut where the header's
 * columns begin, and by words only if a wide value has moved them. TIMEOUT is not used.
 */
#include <string.h>

#include "importers/cells.h"
#include "importers/importer.h"

#define MAX_COLUMNS 12

struct sched_header {
    size_t offset[MAX_COLUMNS];
    size_t n;
    size_t priority; /* column */
};

static bool read_header(const struct line *line, struct sched_header *header)
{
    struct cells words = {0};
    cells_of_line(&words, line);
    bool is_header = words.n >= 4 && words.n <= MAX_COLUMNS && cell_is(words.cell[0], "CPU") && cell_is(words.cell[1], "PID") &&
                     cell_is(words.cell[words.n - 1], "NAME") && !cell_is(words.cell[2], "MSW") && !cell_is(words.cell[2], "SCHED");
    *header = (struct sched_header){.n = is_header ? words.n : 0};
    for (size_t i = 0; i < header->n; i++) {
        header->offset[i] = (size_t)(words.cell[i].text - line->text);
        if (cell_is(words.cell[i], "PRI") || cell_is(words.cell[i], "LPRI"))
            header->priority = i;
    }
    cells_release(&words);
    return is_header && header->priority;
}

/* The cells of a row by the header's columns. */
static bool split_row(const struct line *line, const struct sched_header *header, struct cell cells[MAX_COLUMNS])
{
    struct cell text = cell_of(line);
    size_t name_at = header->offset[header->n - 1];
    bool fits = text.length > name_at;
    for (size_t i = 1; fits && i < header->n; i++)
        fits = text.text[header->offset[i] - 1] == ' ' || text.text[header->offset[i] - 1] == '\t';
    if (fits) {
        for (size_t i = 0; i < header->n; i++) { /* CPU is right-aligned: from the start of the line */
            size_t begin = i ? header->offset[i] : 0, end = i + 1 < header->n ? header->offset[i + 1] : text.length;
            cells[i] = cell_trim(cell_first(cell_from(text, begin), end - begin));
        }
        return true;
    }
    struct cells words = {0};
    cells_of_line(&words, line);
    bool is_good = words.n >= header->n;
    for (size_t i = 0; is_good && i < header->n; i++)
        cells[i] = words.cell[i];
    if (is_good) { /* the name goes to the end of the line */
        const struct cell *last = &words.cell[words.n - 1];
        cells[header->n - 1].length = (size_t)(last->text + last->length - cells[header->n - 1].text);
    }
    cells_release(&words);
    return is_good;
}

/* "99", "80(70)", "12*" */
static int priority_of(struct cell cell)
{
    size_t digits = 0;
    int priority;
    while (digits < cell.length && cell.text[digits] >= '0' && cell.text[digits] <= '9')
        digits++;
    return cell_int(cell_first(cell, digits), &priority) && priority > 0 ? priority : PRIO_UNKNOWN;
}

static bool store_row(struct import *import, const struct sched_header *header, const struct cell *cells)
{
    int cpu, pid;
    if (!cell_int(cells[0], &cpu) || !cell_int(cells[1], &pid))
        return false;
    struct cell name = cells[header->n - 1];
    if (pid <= 0 || !name.length)
        return true;
    char comm[64];
    struct task task = task_unknown();
    task.run = import->run;
    task.artefact = import->artefact;
    task.tid = pid;
    if (cell_starts(name, "[") && cell_ends(name, "]")) /* 3.x: a kernel thread */
        name = cell_first(cell_from(name, 1), name.length - 2);
    task.comm = cell_copy(name, comm, sizeof comm);
    task.policy = POLICY_COBALT;
    task.rt_priority = priority_of(cells[header->priority]);
    store_add_task(import->store, &task);
    return true;
}

static struct probe_result sched_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    struct sched_header header;
    bool is_mine = lines_peek(lines, 0, &line) && line_starts(&line, "CPU") && read_header(&line, &header);
    return (struct probe_result){is_mine ? LIKELY : NOT_MINE, NULL};
}

static enum status sched_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line line;
    struct sched_header header;
    lines_peek(lines, 0, &line);
    read_header(&line, &header);
    lines_skip(lines, 1);
    struct cell cells[MAX_COLUMNS];
    while (lines_peek(lines, 0, &line) && split_row(&line, &header, cells) && store_row(import, &header, cells))
        lines_skip(lines, 1);
    return OK;
}

static const char *const xeno_sched_marks[] = {"CPU", NULL};

const struct importer importer_xeno_sched = {
    .name = "xenomai-sched",
    .summary = "/proc/xenomai/sched, sched/threads and per class",
    .reads = "Xenomai 2.0 to 3.3: thread names and priorities",
    .probe_lines = sched_probe,
    .read_lines = sched_read,
    .marks = xeno_sched_marks,
};
