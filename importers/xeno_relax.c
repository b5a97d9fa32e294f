/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where Cobalt threads fell back to Linux: /proc/xenomai/debug/relax (3.0 to 3.3 with CONFIG_XENO_OPT_DEBUG_TRACE_RELAX;
 * the reason since 3.1), and what slackspot makes of it.
 *
 *     3                                         all, also those that were not kept
 *     /usr/bin/app                              program, "?" unknown
 *     812 2 syscall control                     pid, times, reason, thread
 *     0x4006ab /usr/bin/app
 *     .
 *
 *     Thread[812] "control" started by /usr/bin/app (2 times):
 *     Caused by: syscall
 *        #0  0x00000000004006ab in main() at app.c:81
 *
 * Only threads that asked for it (PTHREAD_WARNSW) are recorded.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "importers/cells.h"
#include "importers/importer.h"

#define MAX_SPOTS 64 /* that become facts */

struct spots {
    struct counter_table *counters;
    uint64_t n_spots, n_hits;
    uint64_t most_hits, most_line;
    char most[360];
};

struct spot {
    uint64_t pid, hits, line;
    char thread[64], reason[32], place[160];
};

static void take_spot(struct import *import, struct spots *spots, const struct spot *spot)
{
    char scope[100], key[40], name[48];
    snprintf(scope, sizeof scope, "%s:%" PRIu64, spot->thread, spot->pid);
    spots->n_hits += spot->hits;
    spots->n_spots++;
    if (spots->n_spots <= MAX_SPOTS) {
        snprintf(key, sizeof key, "xenomai.relax.%" PRIu64, spots->n_spots);
        import_fact(import, key, "%s, %" PRIu64 " times%s%s%s%s", scope, spot->hits, spot->reason[0] ? ", " : "", spot->reason,
                    spot->place[0] ? ", at " : "", spot->place);
        snprintf(name, sizeof name, "relaxes at spot %" PRIu64, spots->n_spots);
        import_counters_add_count(spots->counters, scope, name, spot->hits);
    }
    if (spot->hits > spots->most_hits) {
        spots->most_hits = spot->hits;
        spots->most_line = spot->line;
        snprintf(spots->most, sizeof spots->most, "%s left the real-time domain%s%s%s%s", scope, spot->reason[0] ? ", reason " : "",
                 spot->reason, spot->place[0] ? ", at " : "", spot->place);
    }
}

static void finish(struct import *import, const struct spots *spots, uint64_t n_all, uint64_t line)
{
    if (spots->n_spots)
        import_note_n(import, "secondary-mode", spots->n_hits, spots->most_line, "%s", spots->most);
    if (n_all > spots->n_hits)
        import_note(import, "entries-missing", line, "%" PRIu64 " of %" PRIu64 " switches have their place here", spots->n_hits, n_all);
}

/* ---- the file ---- */

/* "812 2 syscall control", before 3.1 "812 2 control": reasons are a closed list. */
static bool spot_line(const struct line *line, struct spot *spot)
{
    static const char *const reasons[] = {"undefined", "signal", "syscall", "fault", "pi-error", "mlock-check", "runaway-break",
                                          "resource-count-imbalance", "sleep-holding-mutex", "scheduler-lock-break"};
    const char *p = line->text, *end = p + line->length;
    *spot = (struct spot){.line = line->number};
    if (!scan_u64(&p, end, &spot->pid) || !scan_blanks(&p, end) || !scan_u64(&p, end, &spot->hits) || !scan_blanks(&p, end) || p == end)
        return false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        const char *q = p;
        if (scan_literal(&q, end, reasons[i]) && scan_blanks(&q, end) && q < end) {
            snprintf(spot->reason, sizeof spot->reason, "%s", reasons[i]);
            p = q;
            break;
        }
    }
    cell_copy(cell_trim((struct cell){p, (size_t)(end - p)}), spot->thread, sizeof spot->thread);
    return true;
}

static bool frame_line(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    uint64_t pc;
    return scan_literal(&p, end, "0x") && scan_hex(&p, end, &pc) && p < end && *p == ' ';
}

static bool is_program(const struct line *line)
{
    return line->length && (line->text[0] == '/' || (line->length == 1 && line->text[0] == '?'));
}

/* The whole number on top, then a program and a spot. */
static bool file_begins(struct lines *lines, uint64_t *n_all)
{
    struct line line, program, second, third;
    struct spot spot;
    if (!lines_peek(lines, 0, &line) || line.length > 20)
        return false;
    const char *p = line.text, *end = p + line.length;
    return scan_u64(&p, end, n_all) && p == end && lines_peek(lines, 1, &program) && is_program(&program) && lines_peek(lines, 2, &second) &&
           spot_line(&second, &spot) && lines_peek(lines, 3, &third) && (frame_line(&third) || (third.length == 1 && third.text[0] == '.'));
}

static void read_file(struct import *import, struct lines *lines, struct spots *spots)
{
    struct line line, next;
    struct spot spot;
    while (lines_peek(lines, 0, &line) && is_program(&line) && lines_peek(lines, 1, &next) && spot_line(&next, &spot)) {
        lines_skip(lines, 2);
        for (bool is_first = true; lines_peek(lines, 0, &line) && frame_line(&line); lines_skip(lines, 1), is_first = false)
            if (is_first)
                cell_copy(cell_of(&line), spot.place, sizeof spot.place);
        take_spot(import, spots, &spot);
        if (!lines_peek(lines, 0, &line) || line.length != 1 || line.text[0] != '.') {
            import_note(import, "file-truncated", lines_number(lines), "the last switch is cut");
            break;
        }
        lines_skip(lines, 1);
    }
}

/* ---- slackspot ---- */

/* "Thread[812] \"control\" started by /usr/bin/app (2 times):" */
static bool thread_line(const struct line *line, struct spot *spot)
{
    const char *p = line->text, *end = p + line->length;
    *spot = (struct spot){.hits = 1, .line = line->number};
    if (!scan_literal(&p, end, "Thread[") || !scan_u64(&p, end, &spot->pid) || !scan_literal(&p, end, "] \""))
        return false;
    const char *close = memmem(p, (size_t)(end - p), "\" started by ", 13);
    if (!close)
        return false;
    cell_copy((struct cell){p, (size_t)(close - p)}, spot->thread, sizeof spot->thread);
    const char *times = memmem(close, (size_t)(end - close), " times):", 8), *open = times;
    while (open && open > close && *open != '(')
        open--;
    if (open && *open == '(') {
        open++;
        scan_u64(&open, end, &spot->hits);
    }
    return true;
}

static void read_slackspot(struct import *import, struct lines *lines, struct spots *spots, uint64_t *n_all)
{
    struct line line;
    struct spot spot;
    while (lines_peek(lines, 0, &line)) {
        const char *p = line_find(&line, "spots retrieved"), *end = line.text + line.length;
        if (line_is_blank(&line)) {
            lines_skip(lines, 1);
        } else if (thread_line(&line, &spot)) {
            lines_skip(lines, 1);
            if (lines_peek(lines, 0, &line) && line_starts(&line, "Caused by:")) {
                cell_copy(cell_after(cell_of(&line), "Caused by:"), spot.reason, sizeof spot.reason);
                lines_skip(lines, 1);
            }
            for (bool is_first = true; lines_peek(lines, 0, &line) && line_starts(&line, "#"); lines_skip(lines, 1), is_first = false)
                if (is_first) /* "#0  0x... in main() at app.c:81" */
                    cell_copy(cell_after(cell_of(&line), " "), spot.place, sizeof spot.place);
            take_spot(import, spots, &spot);
        } else if (p && (p = memchr(line.text, '/', line.length)) != NULL) {
            p++;
            scan_u64(&p, end, n_all);
            lines_skip(lines, 1);
        } else {
            break;
        }
    }
}

/* ---- importer ---- */

static struct probe_result relax_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    struct spot spot;
    uint64_t n_all;
    (void)member;
    lines_peek(lines, 0, &line);
    bool is_mine = (line.text[0] == 'T' && thread_line(&line, &spot)) || (line.text[0] >= '1' && line.text[0] <= '9' && file_begins(lines, &n_all));
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

static enum status relax_read(struct import *import, struct lines *lines, struct error *error)
{
    struct spots spots = {.counters = import_counters_begin(import, "xenomai/debug/relax")};
    uint64_t n_all = 0, begin = lines_number(lines);
    (void)error;
    if (file_begins(lines, &n_all)) {
        lines_skip(lines, 1);
        read_file(import, lines, &spots);
    } else {
        read_slackspot(import, lines, &spots, &n_all);
    }
    finish(import, &spots, n_all, begin);
    return OK;
}

static const char *const xeno_relax_marks[] = {"Thread[", "^0", NULL};

const struct importer importer_xeno_relax = {
    .name = "xenomai-relax",
    .summary = "/proc/xenomai/debug/relax, slackspot",
    .reads = "Xenomai 3.0 to 3.3: where threads left the real-time domain, why and how often",
    .probe_lines = relax_probe,
    .read_lines = relax_read,
    .marks = xeno_relax_marks,
};
