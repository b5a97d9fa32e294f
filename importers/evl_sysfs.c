/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What EVL says about its threads in sysfs, as people dump it: "grep . /sys/devices/virtual/thread/x/x", or the files.
 *
 *     /sys/devices/virtual/thread/latmus-klat:394/pid:394
 *     /sys/devices/virtual/thread/latmus-klat:394/sched:1 90 90 fifo
 *     /sys/devices/virtual/thread/latmus-klat:394/stats:2 58720 58724 0 412338120 17
 *
 * sched: CPU, base priority, current priority, class. stats: in-band switches, context switches, out-of-band calls, remote
 * wakeups, CPU time in ns, %CPU times ten since they were last read by anyone; all zero without CONFIG_EVL_RUNSTATS.
 * Names may hold colons.
 */
#include <stdio.h>
#include <string.h>

#include "importers/cells.h"
#include "importers/importer.h"

#define FOLDER "/sys/devices/virtual/thread/"

static const char *const attributes[] = {"pid", "sched", "stats", "state", "timeout", "wchan"};
enum attribute { PID, SCHED, STATS, OTHER };

struct thread {
    char name[64];
    struct task task;
    uint64_t stats[6];
    bool has_stats;
};

/* "/sys/devices/virtual/thread/NAME/ATTRIBUTE:VALUE" */
static bool split(const struct line *line, struct cell *name, enum attribute *attribute, struct cell *value)
{
    struct cell text = cell_trim(cell_of(line));
    if (!cell_starts(text, FOLDER))
        return false;
    text = cell_from(text, strlen(FOLDER));
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        char key[16];
        snprintf(key, sizeof key, "/%s:", attributes[i]);
        const char *at = memmem(text.text, text.length, key, strlen(key));
        if (!at || at == text.text)
            continue;
        *name = cell_first(text, (size_t)(at - text.text));
        *value = cell_trim(cell_from(text, name->length + strlen(key)));
        *attribute = i < OTHER ? (enum attribute)i : OTHER;
        return true;
    }
    return false;
}

static void take(struct thread *thread, enum attribute attribute, struct cell value)
{
    struct cells words = {0};
    cells_add_words(&words, value.text, value.length);
    int number;
    if (attribute == PID && cell_int(cells_at(&words, 0), &number) && number > 0)
        thread->task.tid = number;
    if (attribute == SCHED && cell_int(cells_at(&words, 1), &number) && number > 0)
        thread->task.rt_priority = number;
    if (attribute == STATS && words.n >= 4) {
        thread->has_stats = true;
        for (size_t i = 0; i < 6; i++)
            if (!cell_u64(cells_at(&words, i), &thread->stats[i]))
                thread->stats[i] = COUNT_UNKNOWN;
    }
    cells_release(&words);
}

static void store_thread(struct import *import, struct counter_table *counters, struct thread *thread, uint64_t line)
{
    static const char *const columns[] = {"ISW", "CTXSW", "SYS", "RWA", "CPUTIME_NS"};
    char scope[100];
    thread->task.run = import->run;
    thread->task.artefact = import->artefact;
    thread->task.comm = thread->name;
    thread->task.policy = POLICY_COBALT;
    if (thread->task.tid != TID_UNKNOWN)
        store_add_task(import->store, &thread->task);
    if (!thread->has_stats)
        return;
    snprintf(scope, sizeof scope, thread->task.tid == TID_UNKNOWN ? "%s" : "%s:%d", thread->name, thread->task.tid);
    bool is_zero = true;
    for (size_t i = 0; i < 5; i++)
        is_zero &= thread->stats[i] == 0 || thread->stats[i] == COUNT_UNKNOWN;
    if (is_zero) {
        import_note(import, "not-measured", line, "all counts of a thread are zero: as without CONFIG_EVL_RUNSTATS");
        return;
    }
    for (size_t i = 0; i < 5; i++)
        if (thread->stats[i] != COUNT_UNKNOWN)
            import_counters_add_count(counters, scope, columns[i], thread->stats[i]);
    if (thread->stats[5] <= 1000)
        import_counters_add_gauge(counters, scope, "%CPU", (struct decimal){.mantissa = (int64_t)thread->stats[5], .digits = 1, .is_known = true});
}

/* A file of the tree itself: the attribute and, in the folder's name, the thread. */
static bool own_file(const struct member *member, struct cell *name, enum attribute *attribute)
{
    const char *folder = strstr(member->path, &FOLDER[1]);
    if (!folder)
        return false;
    folder += strlen(FOLDER) - 1;
    const char *slash = strrchr(folder, '/');
    if (!slash || slash == folder)
        return false;
    *name = (struct cell){folder, (size_t)(slash - folder)};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strcmp(slash + 1, attributes[i]) == 0) {
            *attribute = i < OTHER ? (enum attribute)i : OTHER;
            return true;
        }
    return false;
}

static struct probe_result sysfs_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    struct cell name, value;
    enum attribute attribute;
    lines_peek(lines, 0, &line);
    bool is_mine = (line.length > 30 && split(&line, &name, &attribute, &value)) ||
                   (lines_number(lines) == 1 && own_file(member, &name, &attribute));
    return (struct probe_result){is_mine ? CERTAIN : NOT_MINE, NULL};
}

static enum status sysfs_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    struct cell name, value;
    enum attribute attribute;
    uint64_t begin = lines_number(lines);
    struct thread thread = {.task = task_unknown()};
    char source[100];
    (void)error;
    lines_peek(lines, 0, &line);
    if (!split(&line, &name, &attribute, &value) && own_file(import->member, &name, &attribute)) {
        cell_copy(name, thread.name, sizeof thread.name);
        take(&thread, attribute, cell_trim(cell_of(&line)));
        snprintf(source, sizeof source, "evl/thread %s", thread.name); /* a number in a name makes no snapshot */
        store_thread(import, thread.has_stats ? import_counters_begin(import, source) : NULL, &thread, begin);
        lines_skip(lines, 1);
        return OK;
    }
    struct counter_table *counters = import_counters_begin(import, "evl/thread");
    for (; lines_peek(lines, 0, &line) && split(&line, &name, &attribute, &value); lines_skip(lines, 1)) {
        char own[sizeof thread.name];
        cell_copy(name, own, sizeof own);
        if (thread.name[0] && strcmp(own, thread.name) != 0) {
            store_thread(import, counters, &thread, begin);
            thread = (struct thread){.task = task_unknown()};
        }
        memcpy(thread.name, own, sizeof own);
        take(&thread, attribute, value);
    }
    store_thread(import, counters, &thread, begin);
    return OK;
}

static const char *const evl_sysfs_marks[] = {"virtual/thread/", NULL};

const struct importer importer_evl_sysfs = {
    .name = "evl-sysfs",
    .summary = "EVL's threads in sysfs (grep . /sys/devices/virtual/thread/*/*, or the files)",
    .reads = "pid, sched and stats of each thread",
    .probe_lines = sysfs_probe,
    .read_lines = sysfs_read,
    .marks = evl_sysfs_marks,
};
