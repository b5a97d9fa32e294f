/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison at work: measured runs, gathered into sides (one per input), and what each part of it computes. */
#ifndef ANALYZERS_COMPARE_H
#define ANALYZERS_COMPARE_H

#include "analyzers/analyzer.h"
#include "analyzers/path.h"
#include "base/text.h"
#include "analyzers/stats/histogram.h"
#include "analyzers/stats/repeats.h"

/* What one run measured on the compared path, all its series together. */
struct measured_run {
    uint32_t run, side;
    struct histogram histogram; /* n 0: none (only minimum, average, maximum) */
    struct bin *bins;           /* owned */
    struct histogram blocks;    /* maxima of equal blocks where those are all there is (Xenomai's worst of each second); n 0: none */
    struct bin *block_bins;     /* owned */
    double block_ns;            /* span of one */
    bool is_normalised;         /* skipped periods were added (see compare_read_runs) */
    bool is_baseline, has_baseline_counts; /* see struct side */
    double n, min_ns, avg_ns, max_ns, duration_ns, interval_ns; /* NAN unknown; n: samples of all its series */
    double n_per_series;        /* largest series */
    bool max_is_lower_bound;
    size_t n_series;
    double *series_max, *series_avg; /* of each series; NAN unknown */
    struct path_table steps;         /* of its trace: n_activations 0: none */
};

/* How the runs of one side differ among themselves. */
struct repeats {
    size_t n_runs;      /* with histograms; below 2 nothing else is known */
    bool vary;          /* more than their samples do: then runs, not samples, are what is compared */
    double body_p;      /* Anderson-Darling over the runs: all of one distribution */
    double tail_p;      /* dispersion of the counts above the level's edge */
    double level;       /* quantile of tail; NAN: none that all runs know */
    struct spread body, tail; /* averages; quantiles at the level */
};

struct side {
    int gravest;            /* of the confounds with the baseline: 0 none, 1 note, 2 weakening, 3 invalidating */
    struct text confounds;  /* keys of those, from weakening up */
    struct repeats repeats;
    const char *name;       /* its run's label; of several runs: what their labels share */
    const uint32_t *members; /* its runs, in run order; at least one */
    size_t n_members;
    uint32_t first_run;     /* of them */
    size_t n_runs;          /* of them that measured something on the path */
    struct histogram histogram, blocks;
    struct bin *bins, *block_bins;
    double block_ns; /* NAN: of unequal spans */
    double n, n_per_series, min_ns, avg_ns, max_ns; /* over its runs; avg weighted by samples */
    bool max_is_lower_bound;
    bool is_baseline;         /* all its runs are files of the baseline, byte for byte */
    bool has_baseline_counts; /* or at least equal to runs of the baseline in the counts of all bins */
};

struct compare {
    const struct store *store;
    const struct analysis_options *options;
    struct analysis *analysis;
    enum measure_path path;  /* PATH_UNKNOWN can be one: tables that do not say */
    bool has_series;         /* two runs or more measured on that path */
    bool paths_differ;
    size_t n_runs, n_sides;
    struct measured_run *runs; /* in run order */
    struct side *sides;
    uint32_t *runs_by_side;    /* [n_runs]: what sides' members point into */
    uint32_t baseline; /* a side */
};

/* How one side differs from the baseline. Directions: > 0 regressed, < 0 improved, 0 nothing shown. */
struct difference {
    int body, tail;
    double body_p, tail_p;             /* adjusted (Holm) */
    double body_from_ns, body_to_ns;   /* averages */
    double tail_level;                 /* quantile at which it shows; NAN: the maximum */
    double tail_from_ns, tail_to_ns;
    enum confidence body_confidence, tail_confidence;
    bool is_uniform;
    double shift_ns;                   /* of a uniform shift */
    bool length_differs, length_explains; /* the longer side has the larger maximum, and nothing else shows a difference */
    bool has_ranges;                   /* a side counts in ranges of several widths */
    bool by_trace;                     /* the body is the path of wakeups in traces */
    bool by_runs;                      /* judged from repeated runs or threads, without histograms */
    bool by_blocks;                    /* the tail is that of maxima of blocks */
    bool by_spread;                    /* also judged from run to run, because a side has repeats */
    bool is_within_spread;             /* what samples show, runs of one side show among themselves */
    bool is_tested;                    /* the tests below were made */
    double mann_whitney_p, cliff;      /* cliff > 0: the baseline's values are larger */
    double ks, ks_p, ks_adjusted_p;    /* of the whole distributions */
    double ks_at_ns, ks_above_from, ks_above_to; /* where they differ most: shares above */
    bool distribution_differs;         /* though neither body nor tail moved by an amount that matters */
    size_t n_no_worse;                 /* of quantile_levels, from the first: no worse than the margin */
    double no_worse_p[N_QUANTILES];    /* NAN: not tested */
    double no_worse_most_p;            /* of those n_no_worse */
    bool is_equivalent;                /* nor better by more */
};

/* Reads and pools the runs. FAILED: damaged store. Release in any case. */
enum status compare_read_runs(struct compare *compare, struct error *error);
void compare_release(struct compare *compare);

/* Tells of runs that are one measurement given twice, and marks sides that are the baseline once more. */
void compare_same(struct compare *compare);
/* Metrics of all runs into analysis->comparison, and the matched maxima. */
void compare_metrics(struct compare *compare);
/* Repeats within sides: fills their spreads and tells of them. */
void compare_repeats(struct compare *compare);
/* Histograms of the runs of a side that have one; a freshly allocated list, the caller's. */
const struct histogram **compare_histograms(const struct compare *compare, uint32_t side, size_t *n);
/* Tests of one side against the baseline. */
struct difference compare_difference(const struct compare *compare, uint32_t side);
/* The deepest quantile that leaves n_least samples above it in all of these; NAN: none. */
double compare_common_level(const struct histogram *const *runs, size_t n, double n_least);
/* "No worse than": quantiles from the middle outwards, each at the same level, up to the first that does not show it. */
void compare_no_worse(const struct compare *compare, uint32_t side, struct difference *difference);
/* Rows of the tests among the metrics. */
void compare_test_metrics(struct compare *compare, const struct difference *differences);
/* Level of one test: --confidence, shared by all sides that are held against the baseline. */
double compare_alpha(const struct compare *compare);
/* Facts that differ or are missing. Returns the gravest: 0 none, 1 note, 2 weakening, 3 invalidating. */
int compare_confounds(struct compare *compare);
/* Repeats that would settle it, and the conclusion in words. */
void compare_next_runs(struct compare *compare, const struct difference *differences, int gravest);
void compare_conclusion(struct compare *compare, const struct difference *differences);
/* What confounds leave of a confidence: a difference with another cause at hand is possible, no more. */
enum confidence compare_weaken(enum confidence confidence, int gravest);

/* Traces: the wakeup's path step by step; what its dilation looks like. Fills what series did not tell. */
enum status compare_read_traces(struct compare *compare, struct error *error);
bool compare_has_traces(const struct compare *compare);
void compare_trace_metrics(struct compare *compare);
void compare_trace_difference(struct compare *compare, uint32_t side, struct difference *difference);

/* Medians of functions that function_graph traces show. */
enum status compare_functions(struct compare *compare, struct error *error);
/* Three sides and more: best tail first, and a trend over the runs. Adds to the conclusion. */
void compare_order(struct compare *compare, struct text *conclusion);

/* A new row of the comparison's metrics, all unknown; the name is copied. */
struct metric *compare_add_metric(struct compare *compare, const char *name);

#endif
