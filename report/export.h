/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing what a store holds in formats that other programs read. Each is one const descriptor in a file of its own. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include <stdio.h>

#include "analyzers/analyzer.h"

struct export_request {
    const struct store *store;
    const struct analysis *analysis; /* with outliers, if the format or the user asked for one */
    const char *table;    /* --table: "samples", "histogram", "events", "counters", "facts"; NULL: the first there is */
    int64_t series;       /* --series, from 0 in the store; -1: not given */
    const struct outlier *outlier; /* --outlier, or NULL */
    int64_t begin_ns, end_ns;      /* events from here to there: the outlier's window and its surroundings */
};

struct export_format {
    const char *name, *summary;
    bool needs_outliers; /* explain runs first */
    bool has_tables, takes_series, takes_outlier; /* --table, --series, --outlier change what is written */
    enum status (*write)(const struct export_request *request, FILE *file, struct error *error);
};
extern const struct export_format *const export_formats[]; /* NULL ends it */
const struct export_format *export_format_find(const char *name);

/* A JSON string, damaged bytes as U+FFFD; NULL: null. */
void export_json_string(FILE *file, const char *string);
/* "12.345": ns as microseconds with all digits. */
void export_us(FILE *file, int64_t ns);
/* True if the series has samples (else perhaps bins). */
bool export_has_samples(const struct store *store, uint32_t series);
/* The bins of a series, or its samples counted by value: the caller frees. */
struct bin *export_distribution(const struct store *store, uint32_t series, size_t *n, struct error *error);

#endif
