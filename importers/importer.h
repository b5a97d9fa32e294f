/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Importers turn foreign bytes into rows of the run file.
 *
 * Two sorts. A *binary* importer owns a whole member (trace.dat, HDF5, raw pages). A *text* importer owns a block of
 * lines: text files may hold anything in any order (a mail with a uname line, two cyclictest results and half a trace),
 * so importers/text.c walks the lines, asks each text importer whether a block of its format begins here, and lets the
 * surest one read it. What no importer takes is prose; it is counted.
 *
 * Each importer is one const descriptor in a file of its own, and one row in importers/table.c.
 */
#ifndef IMPORTERS_IMPORTER_H
#define IMPORTERS_IMPORTER_H

#include "base/error.h"
#include "input/input.h"
#include "input/lines.h"
#include "store/writer.h"

/* How sure a probe is. */
enum sureness {
    NOT_MINE = 0,
    UNLIKELY = 10,   /* could be, if nobody else takes it */
    PLAUSIBLE = 40,
    LIKELY = 70,
    CERTAIN = 100,   /* magic number, unmistakable header */
};
struct probe_result {
    int sureness;            /* 0..100 */
    const char *unsupported; /* it is this format, but in a form that cannot be read: why (static text) */
};

struct import; /* what an import in progress knows: below */

struct importer {
    const char *name;    /* "cyclictest": the artefact's `format` */
    const char *summary; /* one line for `whylate formats` */
    const char *reads;   /* which versions and forms, for `whylate formats --json` and docs */
    /* Exactly one pair is set. */
    struct probe_result (*probe_bytes)(const unsigned char *bytes, size_t size, const struct member *member);
    enum status (*read_bytes)(struct import *import, const unsigned char *bytes, size_t size, struct error *error);
    /*
     * Does a block begin at the current line? Looks ahead with lines_peek() only, must be quick on foreign lines
     * (it is asked at every line that nobody took).
     */
    struct probe_result (*probe_lines)(struct lines *lines, const struct member *member);
    /*
     * Optional, so that foreign text costs little: what a line where a block begins must hold one of (letters' case aside);
     * "^x": x is its first character but for blanks, '|' and '*'; "^0": a digit is. NULL ends them. Beyond the first lines of a text
     * only lines with a mark are offered, and lines with a console's prefix. tests/unit/marks.c holds them against the probes.
     */
    const char *const *marks;
    /* Optional, with marks: may any line be one in a member of this name? */
    bool (*any_line)(const struct member *member);
    /*
     * Reads the block that begins at the current line and leaves the cursor on the first line that is not its own. It
     * must take at least one line. FAILED ends the import of this member (and discards nothing already written):
     * return it only when nothing can be read; else note what is odd and return OK or PARTIAL.
     */
    enum status (*read_lines)(struct import *import, struct lines *lines, struct error *error);
    /* Optional: called after the last line of a member in which read_lines() was called (see import_state()). */
    void (*finish_lines)(struct import *import);
};

extern const struct importer *const importers[]; /* importers/table.c; NULL ends it */
const struct importer *importer_find(const char *name);

/* ---- what a read function may use ---- */

struct import {
    struct store_writer *store;
    const struct member *member;
    struct input *input;   /* for input_drop_below() */
    size_t member_index;
    uint32_t run;          /* the run that rows go to now */
    uint32_t artefact;
    int n_threads;         /* that may be used, at least 1 */
    struct import_private *private;
};

/* Adds up equal codes of an artefact: one note with count, first line and the first text. line 0: none. */
void import_note(struct import *import, const char *code, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void import_note_n(struct import *import, const char *code, uint64_t count, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* States a fact of the current run. The same key again with another value: kept as another fact. */
void import_fact(struct import *import, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Unknown in every member: TID_UNKNOWN, NS_UNKNOWN ... (a zeroed struct is NOT unknown). */
struct series series_unknown(void);
struct stream stream_unknown(void);
struct claim claim_unknown(void);
struct counter counter_unknown(void);
struct task task_unknown(void);
/*
 * Adds a series to the current run. A series of the same tool and name is there already and came from this artefact:
 * the file holds several results, and a new run begins (see import_new_run). Returns the series' index.
 */
uint32_t import_series(struct import *import, struct series *series);
/* The series of that tool and name in the current run, from whatever file (a JSON and the samples beside it); ROW_NONE. */
uint32_t import_find_series(const struct import *import, const char *tool, const char *name);
/* After a series' tool or name was edited in the store: import_find_series() finds it under the new one. */
void import_series_renamed(struct import *import);
/* The rows from here on belong to another measurement. label may be NULL. */
void import_new_run(struct import *import, const char *label);
/* Has the current run a series of this tool (NULL: any) already? */
bool import_has_series(const struct import *import, const char *tool);
/* The same, from the file in progress. */
bool import_has_own_series(const struct import *import, const char *tool);
/* Did this text state another kernel release for the current run? */
bool import_is_other_kernel(const struct import *import, const char *release);
/*
 * Memory of one importer over the blocks of one member: zeroed at the member's first call, freed by the framework after
 * finish_lines(). (A command line in one block, its results in a later one.)
 */
void *import_state(struct import *import, const struct importer *importer, size_t size);
/*
 * Tables of counters: one call of begin per table and time it was printed (/proc/interrupts, /proc/xenomai/stat ...).
 * Snapshot numbers and deltas (wraps of 32 bits undone) are given when all inputs are read, by the names of the files:
 * tables of one source whose paths differ in numbers or before/after only are snapshots of one another. A gauge is a
 * value that is no counter (a share, a state): it has no delta. The table is the framework's; add until the read function returns.
 */
struct counter_table;
struct counter_table *import_counters_begin(struct import *import, const char *source);
void import_counters_add(struct counter_table *table, const char *scope, const char *name, struct decimal value);
void import_counters_add_count(struct counter_table *table, const char *scope, const char *name, uint64_t value);
void import_counters_add_gauge(struct counter_table *table, const char *scope, const char *name, struct decimal value);
/* What the user said with --set KEY=VALUE (the last one), or NULL: for formats that do not say what they hold. */
const char *import_setting(const struct import *import, const char *key);
/* States the tool's version on the artefact (the first statement wins). */
void import_tool_version(struct import *import, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shows progress on long work, and lets go of the pages before: bytes done of the member. */
void import_progress(struct import *import, size_t done_bytes);

/*
 * Keys of facts. Values are the source's words, except where a unit is named.
 *
 *   kernel.release "6.1.0-18-rt-amd64"  kernel.version "#1 SMP PREEMPT_RT Debian ..."  kernel.machine "x86_64"
 *   kernel.preempt "preempt_rt" "preempt" "voluntary" "none" "lazy" (only when stated)  kernel.realtime "1" (/sys/kernel/realtime)
 *   kernel.config.CONFIG_HZ "1000" ...  cmdline "whole /proc/cmdline"  cmdline.isolcpus "1-3" ...  host.name
 *   load.average "0.31 0.31 0.19"  load.command (what produced load, as typed)
 *   TOOL.command (as typed)  TOOL.version  TOOL.interval_ns  TOOL.priority (as asked for)  TOOL.policy  TOOL.threads
 *   TOOL.duration_ns (asked for)  TOOL.loops (asked for)  TOOL.affinity  TOOL.mlockall "1"  TOOL.histogram_limit_ns
 *   TOOL.start_time TOOL.end_time (as printed)  TOOL.break_limit_ns  TOOL.OPTION for other options that matter
 *   cpu.model  cpu.count  cpu.governor  cpu.driver  cpu.N.governor  clocksource  sched.rt_runtime_us ...
 */

/* ---- what the commands call ---- */

struct import_options {
    const char *format;          /* --input-format, or NULL */
    const char *const *settings; /* "KEY=VALUE" of --set */
    size_t n_settings;
    bool same_run;               /* --same-run */
    bool quiet;                  /* no progress */
    bool no_hash;                /* benchmarks: leave out the SHA-256 */
    int n_threads;               /* 0: as many as CPUs */
};
/*
 * Imports all inputs into the writer. FAILED (nothing understood, or not readable) leaves the caller to abandon it;
 * run files among the inputs are copied in row by row.
 */
enum status import_inputs(struct store_writer *store, const char *const *paths, size_t n_paths,
                          const struct import_options *options, struct error *error);

#endif
