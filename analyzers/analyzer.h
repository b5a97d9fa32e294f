/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analyzers read a store and add to an analysis. Each is one const descriptor in a file of its own, and one row in
 * analyzers/table.c; the order of the rows is the order in which they run.
 */
#ifndef ANALYZERS_ANALYZER_H
#define ANALYZERS_ANALYZER_H

#include "analyzers/finding.h"
#include "analyzers/outlier.h"
#include "analyzers/verdict.h"
#include "base/cpuset.h"
#include "base/error.h"

/* For which commands an analyzer runs. */
enum analysis_job {
    JOB_INFO = 1 << 0,     /* data and conditions: every command */
    JOB_EXPLAIN = 1 << 1,
    JOB_VALIDATE = 1 << 2, /* verdicts: validate, compare, report */
    JOB_COMPARE = 1 << 3,
    JOB_CHECK = 1 << 4,    /* the set-up against the recipe */
};

struct analysis_options {
    unsigned jobs;
    size_t top;                 /* --top, default 10; SIZE_MAX all */
    int64_t threshold_ns;       /* --threshold, or NS_UNKNOWN */
    const char *task;           /* --task COMM or TID, or NULL */
    bool has_cpus;
    struct cpuset cpus;         /* --cpu */
    size_t max_slices;          /* --max-slices, default 10000 */
    bool timeline;              /* --timeline: its rows too, not the few events that matter alone */
    int64_t tail_threshold_ns;  /* --tail-threshold, or NS_UNKNOWN */
    double confidence_pct;      /* --confidence, default 95 */
    double margin_pct;          /* --margin: "no worse" than this, default 10 */
    uint32_t baseline;          /* --baseline, default 0 */
    const char *const *factors; /* --factor */
    size_t n_factors;
    uint64_t seed;              /* of bootstraps and permutations: fixed by default, so answers repeat */
    bool quiet;
};
extern const struct analysis_options analysis_options_default;

/* FAILED: a word of --factor is no condition that compare knows (analyzers/compare_confounds.c). */
enum status factors_check(const struct analysis_options *options, struct error *error);

struct analysis {
    struct arena arena;
    struct findings findings;
    size_t n_outliers, outliers_capacity;
    struct outlier **outliers;      /* worst first */
    size_t n_causes;
    struct cause_row *causes;
    struct series_result *series;   /* as many as the store's series */
    struct comparison comparison;
};

struct analyzer {
    const char *name, *summary;
    unsigned jobs; /* JOB_* that it belongs to */
    enum status (*run)(const struct store *store, const struct analysis_options *options, struct analysis *analysis,
                       struct error *error);
};
extern const struct analyzer *const analyzers[]; /* analyzers/table.c; NULL ends it */

/* Runs all analyzers of options->jobs. The analysis is zeroed by the caller and released in any case. */
enum status analysis_run(struct analysis *analysis, const struct store *store, const struct analysis_options *options,
                         struct error *error);
void analysis_release(struct analysis *analysis);
struct outlier *analysis_add_outlier(struct analysis *analysis); /* all unknown, in the arena */

#endif
