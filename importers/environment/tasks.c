/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Listings of threads: `ps -eLo pid,tid,cls,rtprio,...,comm` and the like, by their heading.
 *
 *       PID   TID CLS RTPRIO  NI PRI PSR STAT WCHAN                COMMAND
 *       842   842  FF     97   - 137   1 S    do_nanosleep         hog97
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "importers/environment/environment.h"

enum column { COLUMN_OTHER, COLUMN_TID, COLUMN_PID, COLUMN_CLASS, COLUMN_RTPRIO, COLUMN_PSR, COLUMN_AFFINITY, COLUMN_COMM };
#define MAX_COLUMNS 32

static size_t words_of(const struct line *line, const char *words[], size_t lengths[], size_t max)
{
    const char *p = line->text, *end = p + line->length;
    size_t n = 0;
    while (n < max) {
        scan_blanks(&p, end);
        if (p == end)
            break;
        words[n] = p;
        while (p < end && *p != ' ' && *p != '\t')
            p++;
        lengths[n] = (size_t)(p - words[n]);
        n++;
    }
    return n;
}

static enum column column_of(const char *word, size_t length)
{
    static const struct {
        const char *word;
        enum column column;
    } known[] = {{"TID", COLUMN_TID}, {"LWP", COLUMN_TID}, {"SPID", COLUMN_TID}, {"PID", COLUMN_PID}, {"CLS", COLUMN_CLASS},
                 {"POL", COLUMN_CLASS}, {"RTPRIO", COLUMN_RTPRIO}, {"PSR", COLUMN_PSR}, {"CPUID", COLUMN_PSR}, {"AFFINITY", COLUMN_AFFINITY}, {"COMMAND", COLUMN_COMM},
                 {"CMD", COLUMN_COMM}, {"COMM", COLUMN_COMM}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == length && memcmp(known[i].word, word, length) == 0)
            return known[i].column;
    return COLUMN_OTHER;
}

static size_t heading(const struct line *line, enum column columns[MAX_COLUMNS])
{
    const char *words[MAX_COLUMNS];
    size_t lengths[MAX_COLUMNS], n = words_of(line, words, lengths, MAX_COLUMNS);
    unsigned seen = 0;
    for (size_t i = 0; i < n; i++) {
        columns[i] = column_of(words[i], lengths[i]);
        seen |= 1u << columns[i];
    }
    bool has_id = seen & (1u << COLUMN_TID | 1u << COLUMN_PID), has_class = seen & (1u << COLUMN_CLASS | 1u << COLUMN_RTPRIO);
    return n >= 3 && (has_id || n <= 5) && has_class && columns[n - 1] == COLUMN_COMM ? n : 0;
}

static struct probe_result ps_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    enum column columns[MAX_COLUMNS];
    (void)member;
    lines_peek(lines, 0, &line);
    if (line.length < 12 || line.length > 300 || !(line_has(&line, "COMM") || line_has(&line, "CMD")))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){heading(&line, columns) ? LIKELY : NOT_MINE, NULL};
}

static enum policy class_policy(const char *word, size_t length)
{
    static const struct {
        const char *word;
        enum policy policy;
    } classes[] = {{"TS", POLICY_OTHER}, {"FF", POLICY_FIFO}, {"RR", POLICY_RR}, {"B", POLICY_BATCH}, {"IDL", POLICY_IDLE}, {"DLN", POLICY_DEADLINE}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].word) == length && memcmp(classes[i].word, word, length) == 0)
            return classes[i].policy;
    return POLICY_UNKNOWN;
}

static bool take_row(struct import *import, const struct line *line, const enum column *columns, size_t n_columns)
{
    const char *words[MAX_COLUMNS];
    size_t lengths[MAX_COLUMNS], n = words_of(line, words, lengths, MAX_COLUMNS);
    if (n < n_columns)
        return false;
    struct task task = task_unknown();
    char comm[64] = "";
    for (size_t i = 0; i < n_columns; i++) {
        const char *p = words[i], *end = p + lengths[i];
        int64_t number = 0;
        bool is_number = scan_i64(&p, end, &number) && p == end && number >= 0 && number <= INT32_MAX;
        switch (columns[i]) {
        case COLUMN_TID: case COLUMN_PID:
            if (!is_number)
                return false;
            if (columns[i] == COLUMN_TID || task.tid == TID_UNKNOWN)
                task.tid = (int32_t)number;
            break;
        case COLUMN_CLASS: task.policy = class_policy(words[i], lengths[i]); break;
        case COLUMN_RTPRIO:
            if (is_number)
                task.rt_priority = (int32_t)number;
            break;
        case COLUMN_AFFINITY: /* a list; one number is a thread bound to one CPU */
            if (is_number)
                task.cpu = (int32_t)number;
            break;
        case COLUMN_COMM: {
            const char *line_end = line->text + line->length;
            size_t length = (size_t)(line_end - words[i]);
            while (length && words[i][length - 1] == ' ')
                length--;
            snprintf(comm, sizeof comm, "%.*s", (int)(length > 60 ? 60 : length), words[i]);
            break;
        }
        default: break; /* PSR is where it ran last, not where it is bound */
        }
    }
    task.run = import->run;
    task.artefact = import->artefact;
    task.comm = comm;
    if (task.tid == TID_UNKNOWN && task.rt_priority == PRIO_UNKNOWN)
        return true;
    store_add_task(import->store, &task);
    return true;
}

static enum status ps_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    enum column columns[MAX_COLUMNS];
    (void)error;
    lines_peek(lines, 0, &line);
    size_t n = heading(&line, columns);
    lines_skip(lines, 1);
    for (; lines_peek(lines, 0, &line) && take_row(import, &line, columns, n); lines_skip(lines, 1))
        ;
    return OK;
}

static const char *const ps_marks[] = {"COMM", "CMD", NULL};

const struct importer importer_ps = {
    .name = "ps",
    .summary = "listings of threads with their priorities (ps -eLo pid,tid,cls,rtprio,comm)",
    .reads = "any order of columns; the command must be the last",
    .probe_lines = ps_probe,
    .read_lines = ps_read,
    .marks = ps_marks,
};
