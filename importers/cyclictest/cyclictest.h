/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside the cyclictest importer: one result while it is collected. Its parts (status lines, histogram, -v lines, JSON,
 * break lines) come in any order and combination; result_store() turns what is there into rows and may be called again
 * when more has come.
 */
#ifndef IMPORTERS_CYCLICTEST_H
#define IMPORTERS_CYCLICTEST_H

#include "base/text.h"
#include "importers/tool_command.h"
#include "importers/importer.h"

#define MAX_THREADS 4096
#define PRINTED_UNKNOWN INT64_MIN

/* Numbers as printed, in the unit of the result; PRINTED_UNKNOWN where nothing stood. */
struct thread_result {
    int64_t index;
    int64_t tid, priority, interval_us, cycles, min, act, avg, max, smi;
    double exact_avg;       /* of JSON: with decimals; NAN */
    int32_t cpu;
    uint64_t line;          /* where it stood last */
    bool is_wide;           /* Act and Avg eight wide: ns, or the layout of 0.32 and before */
    bool is_padded;         /* the blanks that cyclictest printed are still there */
    bool interval_is_padded; /* as in 2006 */
    /* histogram */
    struct bin *bins;       /* low_ns holds the printed bucket until it is stored */
    size_t n_bins, bins_capacity;
    int64_t total, overflow; /* # Total, # Histogram Overflows */
    uint64_t *overflow_cycles;
    size_t n_overflow_cycles, overflow_cycles_capacity;
    int64_t n_unlisted;     /* "# 00020 others" */
    /* -v */
    uint64_t n_lines, first_cycle, last_cycle, n_jumps, n_jumped;
    int64_t sample_min, sample_max;
    double sample_sum;
    bool is_late_by_one;    /* <= 0.83: the line of cycle k carries the value of k - 1 */
    uint32_t series;        /* ROW_NONE until stored */
    bool bins_stored;
    bool was_doubled;       /* Xenomai 2.6.4, 2.6.5: C: counted twice, undone */
    bool joined;            /* another file of the run has given this series */
};

struct histogram_facts {
    bool is_there, has_total, has_sum_column, has_footers, five_digits, single_max, has_zero_rows, lacks_rows;
    bool lacks_maximum; /* the row of a maximum that did not overflow is not there: rows were cut off */
    int64_t n_rows, last_bucket, max_line_limit;
    uint64_t line;
};

struct result {
    bool is_open, is_complete;
    uint32_t run;
    uint64_t line;             /* where it began */
    const char *tool;          /* "cyclictest", "signaltest", "cyclicdeadline" */
    struct tool_command command;
    enum policy policy;
    bool has_header;           /* "policy:" seen */
    char load_average[64];
    char version[32];
    int64_t unit_ns;           /* 0: not decided */
    const char *unit_evidence;
    bool unit_is_assumed;
    size_t n_threads;
    struct thread_result *threads; /* of MAX_THREADS at most */
    size_t threads_capacity;
    struct histogram_facts histogram;
    size_t status_block;       /* of cyclictest_state.n_blocks: in which the last status line stood */
    bool has_status, has_verbose, has_json, has_break;
    int64_t json_duration_ns;
    int64_t break_tid, break_value; /* 0: none */
};

/* What the importer remembers within a member. */
struct cyclictest_state {
    struct result result;
    struct tool_command command;    /* read, waiting for its result */
    char load_average[64];     /* header read, waiting for its status lines */
    enum policy policy;
    bool is_ready;
    bool has_header;
    char version[32];
    const char *tool;          /* told by a line before the result; NULL: cyclictest */
    bool is_usage_text;
    char mismatch[201];        /* a message read, waiting for its result; "" none */
    uint64_t mismatch_line;
    uint64_t n_messages, n_commands;
    size_t histogram_block;    /* in which the last histogram stood */
    size_t n_blocks;           /* runs of lines that are ours; other text stands between them */
};

/* result.c */
void result_clear(struct result *result);
struct thread_result *result_thread(struct result *result, int64_t index); /* made when new; NULL beyond MAX_THREADS */
struct thread_result *result_find(struct result *result, int64_t index);
/* Begins a result at the current line: in a run of its own if this run has one of this tool already. */
void result_begin(struct import *import, struct cyclictest_state *state, const char *tool, uint64_t line);
/* The message that waits becomes a note of the current run. */
void result_tell_mismatch(struct import *import, struct cyclictest_state *state);
/* What is there so far becomes rows; again when more has come. */
void result_store(struct import *import, struct result *result);
/* The same, with the notes about what is odd; then it is cleared. */
void result_close(struct import *import, struct result *result);
int64_t result_unit(struct result *result);

/* Rows are stored after every block, notes once, when the result is complete. */
#define result_note(import, result, ...)                                                                            \
    do {                                                                                                     \
        if ((result)->is_complete)                                                                           \
            import_note(import, __VA_ARGS__);                                                                \
    } while (0)

/* A negative latency that wrapped (diff became unsigned in 0.72; in 32 bits on such machines), or printed as it was before. */
bool result_is_impossible(int64_t value);

/* bins.c */
/* min, max, average and counts that the summary lacks come from the rows, as far as these tell. */
void bins_fill(struct import *import, const struct result *result, const struct thread_result *t, struct series *s);
/* The rows held against the histogram's own summary. */
void bins_check(struct import *import, const struct result *result, const struct thread_result *t, const struct series *s);

/* status.c */
struct status_line {
    int64_t index, tid, priority, interval_us, cycles, min, act, avg, max, smi;
    bool is_wide, is_padded, interval_is_padded;
    const char *tool;
    bool may_be_cut; /* the file ends in its last number */
    size_t n_lines; /* that it took: 2 and more if it was wrapped */
};
bool status_line_parse(struct lines *lines, struct status_line *status);
/* "policy: fifo: loadavg: 0.31 ..." or a bare /proc/loadavg line, maybe with the rest of a status line behind. */
bool header_line_parse(const struct line *line, enum policy *policy, bool *has_policy, char load[64], const char **rest);
void status_take(struct import *import, struct cyclictest_state *state, const struct status_line *status, uint64_t line,
                 bool is_repaint);

/* abreast.c: status lines that share a line, or stand behind something else */
bool abreast_begins(struct lines *lines);
/* Set as lines of their own in out. Returns how many lines they took. */
size_t abreast_set_apart(struct lines *lines, struct text *out);

/* histogram.c */
bool histogram_begins(struct lines *lines);
/* FAILED: a count is negative or does not fit. */
enum status histogram_read(struct import *import, struct cyclictest_state *state, struct lines *lines, struct error *error);

/* wrapped.c: rows and footers that mail broke into several lines */
/* How many numbers a row has, bucket included, by the rows ahead; 0: they do not agree. */
size_t histogram_row_width(struct lines *lines);
/* The lines that the row at the cursor takes; more than 1: joined is their text. */
size_t histogram_row_join(struct lines *lines, size_t width, struct text *joined);
/*
 * "000002 000100000120": the tabs between the counts are lost. No count of seven digits begins with a zero; later rows have
 * as many columns as the first (n_columns, 0: this is the first). False: the row is as printed.
 */
bool histogram_row_unglue(const struct line *line, size_t n_columns, struct text *out);
/* Behind a footer: nothing but numbers, "# 00020 others", or a part of that. */
bool histogram_line_continues(const struct line *line);

/* verbose.c */
bool verbose_line(const char *text, size_t length, int64_t *thread, int64_t *cycle, int64_t *value);
void verbose_read(struct import *import, struct cyclictest_state *state, struct lines *lines);

/* json.c */
bool cyclictest_json_begins(struct lines *lines);
bool json_is_other_tool(struct lines *lines); /* of rt-tests, but with other thread objects */
enum status cyclictest_json_read(struct import *import, struct cyclictest_state *state, struct lines *lines,
                                 struct error *error);

#endif
