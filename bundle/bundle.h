/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bundle: the directory that a capture leaves (docs/bundle-format.md). Text that people can read, trace*.dat that
 * trace-cmd opens, samples in a documented record. Written by capture/, read by an importer; both use this layer.
 *
 *     bundle.txt              "whylate-bundle 1", then KEY: VALUE rows: options, begin, end, state
 *     threads.txt             one row per measuring thread
 *     samples-T.wls           all samples of thread T (bundle/samples.h)
 *     outliers.txt            one row per saved outlier
 *     clocks.txt              clock pairs
 *     incidents.txt           what happened to the machine: CPUs off and on, suspend, a clock that was set
 *     trace-N.dat             the kernel's trace around outlier N; ipipe-N.txt, xenomai-N/ likewise
 *     before/, after/         the environment as plain files, by their own paths (before/proc/interrupts)
 *     log.txt                 what the agent said
 */
#ifndef BUNDLE_BUNDLE_H
#define BUNDLE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define BUNDLE_MAGIC       "whylate-bundle"
#define BUNDLE_VERSION     "1"
#define BUNDLE_MAIN        "bundle.txt"
#define BUNDLE_THREADS     "threads.txt"
#define BUNDLE_OUTLIERS    "outliers.txt"
#define BUNDLE_CLOCKS      "clocks.txt"
#define BUNDLE_INCIDENTS   "incidents.txt"
#define BUNDLE_LOG         "log.txt"
#define BUNDLE_BEFORE      "before"
#define BUNDLE_AFTER       "after"
#define BUNDLE_MAX_THREADS 1024

/*
 * Tables are lines of fields separated by one TAB; the first line names the columns behind "# ". Backslash, TAB and
 * newline inside a field are written \\ \t \n, an unknown value is "-". bundle.txt has one KEY<TAB>VALUE a line.
 */
struct bundle_table; /* while it is read */

/* Reads a whole table from memory. Never fails: rows with too few fields are counted as damaged. */
struct bundle_table *bundle_table_read(const char *bytes, size_t size);
size_t bundle_table_rows(const struct bundle_table *table);
size_t bundle_table_damaged(const struct bundle_table *table);
/* The field of a row under a column's name; NULL if there is no such column or the value is unknown. A loan. */
const char *bundle_table_field(const struct bundle_table *table, size_t row, const char *column);
/* The same as a number; false if unknown or no number. */
bool bundle_table_i64(const struct bundle_table *table, size_t row, const char *column, int64_t *value);
/* bundle.txt: the value of a key, the last one if repeated; NULL unknown. */
const char *bundle_table_value(const struct bundle_table *table, const char *key);
void bundle_table_free(struct bundle_table *table);

/* Appends one row to an open file in one write(); fields NULL are unknown. */
enum status bundle_row_write(int fd, const char *const *fields, size_t n_fields, struct error *error);

#endif
