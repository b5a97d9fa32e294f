/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /proc/xenomai/stat (2.x), sched/stat (3.x) and the accounting files acct: what each thread and interrupt did so far.
 *
 *     CPU  PID    MSW        CSW        XSC        PF    STAT       %CPU  NAME
 *       0  0      0          331        0          0     00018000  100.0  [ROOT/0]
 *       1  0      0          20601      0          0     00000000    0.1  [IRQ4355: [timer]]
 *
 * NAME is the rest of the line and may hold blanks, colons and brackets; 3.x puts brackets around it unless the thread
 * is a user thread. MSW counts switches to secondary mode (2.0 and 2.1: "to primary/to secondary"). %CPU covers the
 * time since anyone last read stat or acct. The bit that says relaxed differs by version; the ROOT row tells which.
 */
#include <stdio.h>
#include <string.h>

#include "importers/cells.h"
#include "importers/importer.h"

#define XNUSER_3 UINT64_C(0x00040000)

struct stat_header {
    size_t n_columns; /* words before NAME */
    bool is_3;        /* has XSC */
    bool has_share;   /* %CPU: since 2.2 */
};

static bool read_header(const struct line *line, struct stat_header *header)
{
    struct cells words = {0};
    cells_of_line(&words, line);
    bool is_header = words.n >= 7 && words.n <= 9 && cell_is(words.cell[0], "CPU") && cell_is(words.cell[1], "PID") &&
                     cell_is(words.cell[2], "MSW") && cell_is(words.cell[3], "CSW") && cell_is(words.cell[words.n - 1], "NAME");
    *header = (struct stat_header){.n_columns = words.n - 1};
    header->is_3 = is_header && cell_is(words.cell[4], "XSC");
    header->has_share = is_header && cell_is(words.cell[words.n - 2], "%CPU");
    cells_release(&words);
    return is_header;
}

/* The bit of "relaxed" by the ROOT row's own state word; 0: not known. */
static uint64_t relaxed_bit(const struct stat_header *header, uint64_t root_state)
{
    if (header->is_3)
        return 0x80;
    if (!header->has_share || root_state & 0x01000000) /* 2.0, 2.1; 2.2 */
        return 0x100;
    return root_state & 0x00400000 ? 0x200 : 0;
}

struct stat_row {
    struct cell word[10];
    int cpu, pid;
    uint64_t state;
    struct cell name;
};

/* Takes n words from the left; the rest is the name. */
static bool read_row(const struct line *line, const struct stat_header *header, struct stat_row *row)
{
    struct cell text = cell_trim(cell_of(line));
    for (size_t i = 0; i < header->n_columns; i++) {
        size_t n = 0;
        while (n < text.length && text.text[n] != ' ' && text.text[n] != '\t')
            n++;
        row->word[i] = cell_first(text, n);
        text = cell_trim(cell_from(text, n));
    }
    struct cell state = row->word[header->n_columns - (header->has_share ? 2 : 1)];
    const char *p = state.text;
    if (!cell_int(row->word[0], &row->cpu) || !cell_int(row->word[1], &row->pid) || row->cpu < 0 || state.length != 8 ||
        !scan_hex(&p, state.text + state.length, &row->state) || p != state.text + state.length)
        return false;
    row->name = text;
    if (header->is_3 && !(row->state & XNUSER_3) && cell_starts(text, "[") && cell_ends(text, "]"))
        row->name = cell_first(cell_from(text, 1), text.length - 2);
    return true;
}

/* "sampling-1105:1117" for threads, "IRQ18: [timer] cpu 0" and "ROOT/0" for the others. */
static const char *scope_of(struct cell name, int pid, int cpu, char *scope, size_t size)
{
    if (pid > 0)
        snprintf(scope, size, "%.*s:%d", CELL_ARGS(name), pid);
    else if (cell_starts(name, "ROOT"))
        snprintf(scope, size, "%.*s", CELL_ARGS(name));
    else
        snprintf(scope, size, "%.*s cpu %d", CELL_ARGS(name), cpu);
    return scope;
}

static void add_task(struct import *import, struct cell name, int pid)
{
    if (pid <= 0 || !name.length)
        return;
    char comm[64];
    struct task task = task_unknown();
    task.run = import->run;
    task.artefact = import->artefact;
    task.tid = pid;
    task.comm = cell_copy(name, comm, sizeof comm);
    task.policy = POLICY_COBALT;
    store_add_task(import->store, &task);
}

static struct probe_result stat_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    struct stat_header header;
    bool is_mine = lines_peek(lines, 0, &line) && line_has(&line, "MSW") && read_header(&line, &header);
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

static void store_row(struct import *import, struct counter_table *table, const struct stat_header *header,
                      const struct stat_row *row, uint64_t relaxed)
{
    static const char *const names_2[] = {"MSW", "CSW", "PF"}, *const names_3[] = {"MSW", "CSW", "XSC", "PF"};
    const char *const *names = header->is_3 ? names_3 : names_2;
    char scope[280];
    scope_of(row->name, row->pid, row->cpu, scope, sizeof scope);
    for (size_t i = 0; i < (header->is_3 ? 4 : 3); i++) {
        struct cell cell = row->word[2 + i];
        const char *slash = memchr(cell.text, '/', cell.length);
        if (slash) /* "3/2": to primary, to secondary; the latter is what MSW means later */
            cell = cell_from(cell, (size_t)(slash - cell.text) + 1);
        import_counters_add(table, scope, names[i], decimal_parse(cell.text, cell.length));
    }
    if (header->has_share) {
        struct cell share = row->word[header->n_columns - 1];
        import_counters_add_gauge(table, scope, "%CPU", decimal_parse(share.text, share.length));
    }
    if (row->pid > 0 && relaxed)
        import_counters_add_gauge(table, scope, "relaxed",
                                  (struct decimal){.mantissa = (row->state & relaxed) != 0, .is_known = true});
    add_task(import, row->name, row->pid);
}

static enum status stat_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line line;
    struct stat_header header;
    lines_peek(lines, 0, &line);
    read_header(&line, &header);
    lines_skip(lines, 1);

    /* ROOT is the first row but may be missing from a paste: look before reading */
    uint64_t relaxed = header.is_3 ? 0x80 : 0;
    struct stat_row row;
    for (size_t k = 0; !relaxed && k < 200 && lines_peek(lines, k, &line) && read_row(&line, &header, &row); k++)
        if (cell_starts(row.name, "ROOT"))
            relaxed = relaxed_bit(&header, row.state);
    struct counter_table *table = import_counters_begin(import, header.is_3 ? "xenomai/sched/stat" : "xenomai/stat");
    for (; lines_peek(lines, 0, &line) && read_row(&line, &header, &row); lines_skip(lines, 1))
        store_row(import, table, &header, &row, relaxed);
    if (header.has_share)
        import_fact(import, "xenomai.stat.cpu_share", "since stat or acct was last read by anyone");
    return OK;
}

static const char *const xeno_stat_marks[] = {"MSW", NULL};

const struct importer importer_xeno_stat = {
    .name = "xenomai-stat",
    .summary = "/proc/xenomai/stat and sched/stat",
    .reads = "Xenomai 2.0 to 3.3: mode switches, context switches, system calls, faults and CPU share of threads and interrupts",
    .probe_lines = stat_probe,
    .read_lines = stat_read,
    .marks = xeno_stat_marks,
};

/* ---- acct: no header ---- */

/*
 * 2.5, 2.6: cpu pid msw csw pf state account_period exectime_period exectime_total name
 * 3.x:      cpu pid msw csw xsc pf state account_period exectime_period exectime_total name class prio period
 * Single blanks; the name may hold blanks.
 */
struct acct_row {
    struct cells words;
    bool is_3;
    struct cell name;
};

static bool is_state_word(struct cell cell)
{
    uint64_t state;
    const char *p = cell.text;
    return cell.length == 8 && scan_hex(&p, cell.text + cell.length, &state) && p == cell.text + cell.length;
}

static bool acct_row(const struct line *line, struct acct_row *row)
{
    cells_of_line(&row->words, line);
    const struct cells *words = &row->words;
    if (words->n < 10 || line->length > 400)
        return false;
    row->is_3 = !is_state_word(words->cell[5]) && is_state_word(words->cell[6]);
    if (!row->is_3 && !is_state_word(words->cell[5]))
        return false;
    int64_t number;
    size_t before_name = row->is_3 ? 10 : 9, behind_name = row->is_3 ? 3 : 0;
    for (size_t i = 0; i < before_name; i++)
        if (i != before_name - 4 && !cell_i64(words->cell[i], &number))
            return false;
    if (words->n < before_name + behind_name + 1)
        return false;
    if (row->is_3 && (!cell_i64(words->cell[words->n - 1], &number) || !cell_i64(words->cell[words->n - 2], &number)))
        return false;
    const struct cell *first = &words->cell[before_name], *last = &words->cell[words->n - 1 - behind_name];
    row->name = (struct cell){first->text, (size_t)(last->text + last->length - first->text)};
    return true;
}

static struct probe_result acct_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    struct acct_row row = {0};
    struct cell text = {"", 0};
    if (lines_peek(lines, 0, &line) && line.length > 30)
        text = cell_trim(cell_of(&line));
    bool is_mine = text.length && text.text[0] >= '0' && text.text[0] <= '9' && acct_row(&line, &row);
    cells_release(&row.words);
    return (struct probe_result){is_mine ? LIKELY : NOT_MINE, NULL};
}

static enum status acct_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    static const char *const names_2[] = {"MSW", "CSW", "PF"}, *const names_3[] = {"MSW", "CSW", "XSC", "PF"};
    struct counter_table *table = NULL;
    struct acct_row row = {0};
    struct line line;
    for (; lines_peek(lines, 0, &line) && acct_row(&line, &row); lines_skip(lines, 1)) {
        if (!table)
            table = import_counters_begin(import, row.is_3 ? "xenomai/sched/acct" : "xenomai/acct");
        const char *const *names = row.is_3 ? names_3 : names_2;
        size_t n_counts = row.is_3 ? 4 : 3;
        int cpu, pid;
        char scope[280];
        if (!cell_int(row.words.cell[0], &cpu) || !cell_int(row.words.cell[1], &pid))
            continue;
        scope_of(row.name, pid, cpu, scope, sizeof scope);
        for (size_t i = 0; i < n_counts; i++)
            import_counters_add(table, scope, names[i], decimal_parse(row.words.cell[2 + i].text, row.words.cell[2 + i].length));
        static const char *const times[] = {"account_period", "exectime_period", "exectime_total"};
        for (size_t i = 0; i < 3; i++) {
            struct cell cell = row.words.cell[n_counts + 3 + i];
            struct decimal value = decimal_parse(cell.text, cell.length);
            if (i < 2) /* since the last read */
                import_counters_add_gauge(table, scope, times[i], value);
            else
                import_counters_add(table, scope, times[i], value);
        }
        add_task(import, row.name, pid);
    }
    cells_release(&row.words);
    return OK;
}

static const char *const xeno_acct_marks[] = {"^0", NULL};

const struct importer importer_xeno_acct = {
    .name = "xenomai-acct",
    .summary = "/proc/xenomai/acct and sched/acct",
    .reads = "Xenomai 2.5 to 3.3: counts and execution times of threads and interrupts",
    .probe_lines = acct_probe,
    .read_lines = acct_read,
    .marks = xeno_acct_marks,
};
