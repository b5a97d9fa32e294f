/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The other files of /proc/xenomai: irq, faults, apc; heap; timer and clock; version, latency, affinity, usage.
 *
 *       IRQ         CPU0        CPU1
 *        18:        4685        4635         [timer/0]
 *
 *     gravity: irq=20000 kernel=24992 user=24992
 *      devices: timer=arch_sys_timer, clock=ipipe_tsc
 *
 * Tables are known by their headings, as people print many files after each other. The files of one bare number are
 * known by their names alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/cells.h"
#include "importers/importer.h"

enum form { FORM_NONE, FORM_PER_CPU, FORM_HEAP, FORM_TIMERS, FORM_CLOCK, FORM_TIMER_2, FORM_LOCK, FORM_SINGLE, FORM_TUNING, FORM_REFUSED,
            FORM_VERSION, FORM_CLOCKTEST };

static bool is_name(const struct member *member, const char *name)
{
    const char *own = member->name ? member->name : "";
    size_t length = strlen(own), n = strlen(name);
    /* "a/b" is saved as a__b, a.b or a_b */
    return length >= n && strcmp(own + length - n, name) == 0 &&
           (length == n || own[length - n - 1] == '_' || own[length - n - 1] == '.' || own[length - n - 1] == '-');
}

/* version, latency, affinity, registry/usage: one line, no heading. */
static const char *single_key(struct lines *lines, const struct member *member, struct cell text)
{
    struct line line;
    for (size_t k = 1; k < 3; k++)
        if (lines_peek(lines, k, &line) && !line_is_blank(&line))
            return NULL;
    if (lines_number(lines) != 1 || !text.length || text.length > 40)
        return NULL;
    uint64_t number;
    const char *p = text.text;
    if (is_name(member, "version") && text.text[0] >= '1' && text.text[0] <= '9' && memchr(text.text, '.', text.length) &&
        !memchr(text.text, ' ', text.length))
        return "xenomai.version";
    if (is_name(member, "latency") && cell_u64(text, &number))
        return "xenomai.latency_ns";
    if (is_name(member, "affinity") && text.length == 8 && scan_hex(&p, text.text + text.length, &number))
        return "xenomai.affinity";
    if (is_name(member, "usage") && memchr(text.text, '/', text.length) && cell_u64(cell_first(text, 1), &number))
        return "xenomai.registry_usage";
    return NULL;
}

static enum form form_of(struct lines *lines, const struct member *member, int *sureness)
{
    struct line line;
    *sureness = CERTAIN;
    if (!lines_peek(lines, 0, &line))
        return FORM_NONE;
    struct cell text = cell_trim(cell_of(&line));
    struct cells words = {0};
    cells_add_words(&words, text.text, text.length);
    struct cell first = cells_at(&words, 0), second = cells_at(&words, 1);
    enum form form = FORM_NONE;
    if ((cell_is(first, "IRQ") || cell_is(first, "TRAP") || cell_is(first, "APC")) && cell_is(second, "CPU0")) {
        form = FORM_PER_CPU;
    } else if (cell_is(first, "TOTAL") && (cell_is(second, "FREE") || cell_is(second, "USED")) &&
               cell_is(cells_at(&words, words.n - 1), "NAME")) {
        form = FORM_HEAP;
    } else if (cell_starts(text, "size=") && cell_has(text, ":used=") && cell_has(text, ":pagesz=")) {
        form = FORM_HEAP;
    } else if (cell_is(first, "CPU") && (cell_is(second, "SCHED/SHOT") || cell_is(second, "SCHEDULED"))) {
        form = FORM_TIMERS;
    } else if (cell_starts(text, "gravity:") && cell_has(text, "user=")) {
        form = FORM_CLOCK;
    } else if (cell_starts(text, "devices: timer=") && cell_has(text, "clock=")) {
        form = FORM_CLOCK;
    } else if (cell_starts(text, "status=") && cell_has(text, ":setup=")) {
        form = FORM_TIMER_2;
    } else if (cell_is(text, "CPU0:") && lines_peek(lines, 1, &line) && line_has(&line, "longest locked section:")) {
        form = FORM_LOCK;
    } else if (cell_has(text, "gravity...") && cell_ends(text, " ns")) {
        form = FORM_TUNING;
    } else if (cell_starts(text, "== auto-tuning ") || cell_starts(text, "== latmus started for core tuning")) {
        form = FORM_TUNING;
    } else if (cell_starts(text, "(read error: ") && cell_has(text, "/proc/xenomai/")) {
        form = FORM_REFUSED;
    } else if (cell_starts(text, "Xenomai/cobalt v") || cell_starts(text, "Xenomai/mercury v")) {
        form = FORM_VERSION;
    } else if (cell_starts(text, "== Testing built-in CLOCK_") || cell_starts(text, "== Tested clock:")) {
        form = FORM_CLOCKTEST;
    } else if (single_key(lines, member, text)) {
        form = FORM_SINGLE;
        *sureness = PLAUSIBLE;
    }
    cells_release(&words);
    return form;
}

static struct probe_result proc_probe(struct lines *lines, const struct member *member)
{
    int sureness;
    return (struct probe_result){form_of(lines, member, &sureness) ? sureness : NOT_MINE, NULL};
}

/* "   18:        4685        4635         [timer/0]" */
static void read_per_cpu(struct import *import, struct lines *lines)
{
    struct line line;
    lines_peek(lines, 0, &line);
    struct cells words = {0};
    cells_of_line(&words, &line);
    size_t n_cpus = words.n - 1;
    const char *source = cell_is(words.cell[0], "IRQ") ? "xenomai/irq" : cell_is(words.cell[0], "APC") ? "xenomai/apc" : "xenomai/faults";
    struct counter_table *table = import_counters_begin(import, source);
    lines_skip(lines, 1);
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        const char *colon = memchr(text.text, ':', text.length);
        uint64_t number;
        if (!colon || !cell_u64(cell_first(text, (size_t)(colon - text.text)), &number))
            break;
        struct cell rest = cell_from(text, (size_t)(colon - text.text) + 1);
        cells_clear(&words);
        cells_add_words(&words, rest.text, rest.length);
        size_t n = 0;
        uint64_t count;
        while (n < words.n && n < n_cpus && cell_u64(words.cell[n], &count))
            n++;
        if (n < n_cpus) {
            import_note(import, "damaged-lines", line.number, "a row has %zu counts for %zu CPUs", n, n_cpus);
            continue;
        }
        char scope[200], name[24];
        struct cell label = {"", 0};
        if (n < words.n) {
            label.text = words.cell[n].text;
            label.length = (size_t)(words.cell[words.n - 1].text + words.cell[words.n - 1].length - label.text);
        }
        snprintf(scope, sizeof scope, "%llu%s%.*s", (unsigned long long)number, label.length ? ": " : "", CELL_ARGS(label));
        for (size_t i = 0; i < n; i++) {
            cell_u64(words.cell[i], &count);
            snprintf(name, sizeof name, "CPU%zu", i);
            import_counters_add_count(table, scope, name, count);
        }
    }
    cells_release(&words);
}

/* "  4194304   4188640  system heap"; 2.3 to 2.5 "size=N:used=N:pagesz=N  (label)" */
static void read_heap(struct import *import, struct lines *lines)
{
    struct line line;
    lines_peek(lines, 0, &line);
    struct counter_table *table = import_counters_begin(import, "xenomai/heap");
    struct cells words = {0};
    if (line_starts(&line, "size=")) {
        for (; lines_peek(lines, 0, &line) && line_starts(&line, "size="); lines_skip(lines, 1)) {
            struct cell text = cell_trim(cell_of(&line)), label = cell_after(text, "(");
            char scope[100] = "heap";
            if (cell_ends(label, ")"))
                cell_copy(cell_first(label, label.length - 1), scope, sizeof scope);
            cells_clear(&words);
            cells_add_parts(&words, text.text, text.length, ':');
            for (size_t i = 0; i < 2 && i < words.n; i++) {
                struct cell value = cell_after(words.cell[i], "=");
                import_counters_add_gauge(table, scope, i ? "USED" : "TOTAL", decimal_parse(value.text, value.length));
            }
        }
    } else {
        cells_of_line(&words, &line);
        bool has_pages = cell_is(cells_at(&words, 2), "PAGESZ");
        const char *second = cell_is(cells_at(&words, 1), "USED") ? "USED" : "FREE";
        lines_skip(lines, 1);
        for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
            cells_of_line(&words, &line);
            uint64_t total, other;
            size_t at = has_pages ? 3 : 2;
            if (words.n <= at || !cell_u64(words.cell[0], &total) || !cell_u64(words.cell[1], &other))
                break;
            char scope[100];
            struct cell name = cell_trim((struct cell){words.cell[at].text, (size_t)(line.text + line.length - words.cell[at].text)});
            cell_copy(name, scope, sizeof scope);
            import_counters_add_gauge(table, scope, "TOTAL", decimal_parse(words.cell[0].text, words.cell[0].length));
            import_counters_add_gauge(table, scope, second, decimal_parse(words.cell[1].text, words.cell[1].length));
        }
    }
    cells_release(&words);
}

/* "0    5711/5709             1ms995us    -           [host-timer/0]"; 2.x "CPU SCHEDULED FIRED ..." */
static void read_timers(struct import *import, struct lines *lines)
{
    struct line line;
    lines_peek(lines, 0, &line);
    bool is_3 = line_has(&line, "SCHED/SHOT");
    const char *name_at = line_find(&line, "NAME");
    size_t name_offset = name_at ? (size_t)(name_at - line.text) : 0;
    struct counter_table *table = import_counters_begin(import, is_3 ? "xenomai/timer/coreclk" : "xenomai/timerstat");
    struct cells words = {0};
    lines_skip(lines, 1);
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        cells_of_line(&words, &line);
        int cpu;
        uint64_t scheduled, shot;
        struct cell second = cells_at(&words, 1);
        const char *slash = memchr(second.text, '/', second.length);
        if (words.n < 4 || !cell_int(words.cell[0], &cpu))
            break;
        if (is_3 ? !slash || !cell_u64(cell_first(second, (size_t)(slash - second.text)), &scheduled) ||
                       !cell_u64(cell_from(second, (size_t)(slash - second.text) + 1), &shot)
                 : !cell_u64(second, &scheduled) || !cell_u64(words.cell[2], &shot))
            break;
        char scope[140];
        struct cell name = words.cell[words.n - 1];
        if (name_offset && line.length > name_offset && line.text[name_offset - 1] == ' ')
            name = cell_trim(cell_from(cell_of(&line), name_offset));
        snprintf(scope, sizeof scope, "%.*s cpu %d", name.length < 100 ? (int)name.length : 100, name.text, cpu);
        import_counters_add_count(table, scope, is_3 ? "SCHED" : "SCHEDULED", scheduled);
        import_counters_add_count(table, scope, is_3 ? "SHOT" : "FIRED", shot);
    }
    cells_release(&words);
}

/* clock/coreclk: "gravity: ...", " devices: timer=X, clock=Y", "watchdog: off", "setup: N", "ticks: N (..)" */
static void read_clock(struct import *import, struct lines *lines)
{
    static const char *const names[] = {"gravity", "devices", "watchdog", "setup", "status"};
    struct line line;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        const char *colon = memchr(text.text, ':', text.length);
        if (!colon)
            break;
        struct cell name = cell_first(text, (size_t)(colon - text.text));
        struct cell value = cell_trim(cell_from(text, name.length + 1));
        bool is_mine = cell_is(name, "ticks");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (cell_is(name, names[i])) {
                char key[40];
                snprintf(key, sizeof key, "xenomai.clock.%s", names[i]);
                import_fact(import, key, "%.*s", CELL_ARGS(value));
                is_mine = true;
            }
        if (!is_mine)
            break;
    }
}

/* "CPU0:" / "  longest locked section: N ns" / "  spinning time: N ns" / "  section entry: file:line (func)" */
static void read_locks(struct import *import, struct lines *lines)
{
    struct counter_table *table = import_counters_begin(import, "xenomai/debug/lock");
    struct line line;
    char scope[24] = "CPU0";
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        struct cell longest = cell_after(text, "longest locked section:"), spinning = cell_after(text, "spinning time:");
        struct cell value = longest.length ? longest : spinning;
        if (cell_starts(text, "CPU") && cell_ends(text, ":")) {
            cell_copy(cell_first(text, text.length - 1), scope, sizeof scope);
        } else if (cell_ends(value, " ns")) {
            value = cell_trim(cell_first(value, value.length - 3));
            import_counters_add_gauge(table, scope, longest.length ? "longest locked section ns" : "spinning time ns",
                                      decimal_parse(value.text, value.length));
        } else if (cell_starts(text, "section entry:")) {
            char key[60];
            snprintf(key, sizeof key, "xenomai.longest_lock.%s", scope);
            import_fact(import, key, "%.*s", CELL_ARGS(cell_after(text, "entry:")));
        } else if (text.length) {
            break;
        }
    }
}

/* autotune and latmus -t: "irq gravity... 496 ns", "user gravity...1200 ns" */
static void read_tuning(struct import *import, struct lines *lines)
{
    struct line line;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        struct cell value = cell_after(text, "gravity...");
        if (cell_starts(text, "== auto-tuning") || cell_starts(text, "== tuning completed") || cell_starts(text, "== latmus started")) {
            struct cell period = cell_after(text, "period=");
            if (period.length)
                import_fact(import, "autotune.period", "%.*s", CELL_ARGS(period));
        } else if (cell_ends(value, " ns")) {
            size_t n = 0;
            while (n < text.length && text.text[n] != ' ')
                n++;
            char key[40];
            snprintf(key, sizeof key, "autotune.%.*s_gravity_ns", n < 12 ? (int)n : 12, text.text);
            import_fact(import, key, "%.*s", CELL_ARGS(cell_trim(cell_first(value, value.length - 3))));
        } else {
            break;
        }
    }
}

/* What the programs and xeno-config print with --info: "Xenomai/cobalt v3.1.3", then "Target:", "Compiler:", "Build args:". */
static void read_version(struct import *import, struct lines *lines)
{
    struct line line;
    lines_peek(lines, 0, &line);
    struct cell text = cell_trim(cell_of(&line));
    import_fact(import, "xenomai.core", "%s", cell_starts(text, "Xenomai/cobalt") ? "cobalt" : "mercury");
    import_fact(import, "xenomai.version", "%.*s", CELL_ARGS(cell_after(text, " v")));
    lines_skip(lines, 1);
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        text = cell_trim(cell_of(&line));
        if (cell_starts(text, "Compiler:"))
            import_fact(import, "xenomai.compiler", "%.*s", CELL_ARGS(cell_after(text, ":")));
        else if (cell_starts(text, "Build args:"))
            import_fact(import, "xenomai.build_args", "%.*s", CELL_ARGS(cell_after(text, ":")));
        else if (!cell_starts(text, "Target:"))
            break;
    }
}

/* clocktest: a row per CPU, repainted; the last one counts. "  0     0.5    -0.257     0     0.0" */
static void read_clocktest(struct import *import, struct lines *lines)
{
    static const char *const names[] = {"ToD offset [us]", "ToD drift [us/s]", "warps", "max delta [us]"};
    enum { MAX_CPUS = 256 };
    struct decimal(*last)[4] = memory_new(MAX_CPUS * sizeof *last);
    struct cells words = {0};
    struct line line;
    lines_peek(lines, 0, &line);
    import_fact(import, "clocktest.clock", "%.*s", CELL_ARGS(cell_trim(cell_from(cell_trim(cell_of(&line)), 3))));
    lines_skip(lines, 1);
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        cells_of_line(&words, &line);
        int cpu;
        if (line_starts(&line, "CPU ") || line_starts(&line, "---"))
            continue;
        if (words.n != 5 || !cell_int(words.cell[0], &cpu) || cpu < 0 || cpu >= MAX_CPUS)
            break;
        for (size_t i = 0; i < 4; i++)
            last[cpu][i] = decimal_parse(words.cell[1 + i].text, words.cell[1 + i].length);
    }
    struct counter_table *table = import_counters_begin(import, "clocktest");
    for (size_t cpu = 0; cpu < MAX_CPUS; cpu++) {
        char scope[24];
        snprintf(scope, sizeof scope, "cpu %zu", cpu);
        for (size_t i = 0; i < 4; i++)
            if (last[cpu][i].is_known)
                import_counters_add_gauge(table, scope, names[i], last[cpu][i]);
    }
    free(last);
    cells_release(&words);
}

static enum status proc_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    int sureness;
    struct line line;
    enum form form = form_of(lines, import->member, &sureness);
    lines_peek(lines, 0, &line);
    struct cell text = cell_trim(cell_of(&line));
    switch (form) {
    case FORM_PER_CPU:
        read_per_cpu(import, lines);
        break;
    case FORM_HEAP:
        read_heap(import, lines);
        break;
    case FORM_TIMERS:
        read_timers(import, lines);
        break;
    case FORM_CLOCK:
        read_clock(import, lines);
        break;
    case FORM_LOCK:
        read_locks(import, lines);
        break;
    case FORM_TUNING:
        read_tuning(import, lines);
        break;
    case FORM_VERSION:
        read_version(import, lines);
        break;
    case FORM_CLOCKTEST:
        read_clocktest(import, lines);
        break;
    case FORM_TIMER_2:
        import_fact(import, "xenomai.timer", "%.*s", CELL_ARGS(text));
        lines_skip(lines, 1);
        break;
    case FORM_SINGLE:
        import_fact(import, single_key(lines, import->member, text), "%.*s", CELL_ARGS(text));
        lines_skip(lines, 1);
        break;
    default: /* a class without threads refuses to be read: nothing to tell */
        lines_skip(lines, 1);
        break;
    }
    return OK;
}

static const char *const xeno_proc_marks[] = {
    "IRQ", "TRAP", "APC", "TOTAL", "size=", "SCHED", "gravity", "devices: timer=", "status=", "CPU0:", "== ", "(read error: ",
    "Xenomai/", NULL,
};

const struct importer importer_xeno_proc = {
    .name = "xenomai-proc",
    .summary = "/proc/xenomai: irq, faults, apc, heap, timers, clock, version; autotune, clocktest",
    .reads = "Xenomai 2.0 to 3.3 (I-pipe and Dovetail), latmus -t",
    .probe_lines = proc_probe,
    .read_lines = proc_read,
    .marks = xeno_proc_marks,
};
