/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures through gnuplot. Each is a script with its data beside it (NAME.gp, NAME.dat): run again with
 * `gnuplot NAME.gp` in their folder. Names out of traces reach a script only through plot_quote().
 */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/document.h"

enum plot_terminal { PLOT_SVG = 1 << 0, PLOT_PNG = 1 << 1, PLOT_PDF = 1 << 2, PLOT_DUMB = 1 << 3 };

/* What pictures are made of. */
struct plot_source {
    const json_t *document;
    const struct store *store;
    const struct analysis *analysis;
};

/* One kind of picture, one file, one row in report/plot.c. */
struct plot {
    FILE *script, *data;
    const char *name;          /* of its files, without suffix */
    int width_px, height_px;
    struct text *command;      /* the plot command, repeated for every terminal */
};
struct plot_kind {
    const char *name, *summary;
    bool shows_outliers; /* which outliers are selected changes the picture */
    bool is_of_outlier;  /* a picture is one outlier, worst first */
    /* How many pictures of this kind the source gives. */
    size_t (*count)(const struct plot_source *source);
    /* Writes settings and data, fills plot->command, may set the height. */
    void (*draw)(const struct plot_source *source, size_t i, struct plot *plot);
};
extern const struct plot_kind *const plot_kinds[]; /* NULL ends it */
const struct plot_kind *plot_kind_find(const char *name);

/* Writes picture i of a kind into folder as NAME.gp, NAME.dat and, through gnuplot, NAME.svg ... */
enum status plot_write(const struct plot_kind *kind, const struct plot_source *source, size_t i, const char *name,
                       const char *folder, unsigned terminals, struct error *error);
/* For documents of several pictures: adds one to a script of the caller's, its data as NAME.dat into folder. */
enum status plot_append(const struct plot_kind *kind, const struct plot_source *source, size_t i, const char *name,
                        const char *folder, FILE *script, struct error *error);
/* Runs gnuplot on NAME.gp in the folder, its output to out_fd (-1: nowhere). */
enum status plot_run(const char *folder, const char *name, int out_fd, struct error *error);
/* Draws with characters, 79 columns, straight to the file. */
enum status plot_print(const struct plot_kind *kind, const struct plot_source *source, size_t i, FILE *file,
                       struct error *error);

/* ---- for the kinds ---- */
void plot_quote(FILE *file, const char *string);              /* 'string', cleaned: a script cannot be broken out of */
void text_add_quoted(struct text *text, const char *string);  /* the same into a text */
struct time_unit { const char *name; double ns; };
struct time_unit plot_unit(double largest_ns);                /* the unit in which an axis up to there reads well */
#define PLOT_N_COLORS 7
extern const char *const plot_color[PLOT_N_COLORS];           /* Okabe and Ito's, safe for colour-blind readers, dark on white */

/* A series' distribution as bins, from its histogram or its samples. */
struct distribution {
    struct bin *bins; /* owned */
    size_t n;
    int64_t width_ns;
    uint64_t n_samples;  /* in the bins */
    uint64_t n_overflow;
    int64_t limit_ns;    /* where overflows begin; NS_UNKNOWN */
};
/* False: it has neither. Released in any case. */
bool distribution_of(const struct store *store, uint32_t series, struct distribution *distribution);
void distribution_release(struct distribution *distribution);
/*
 * From when to when a run was measured, in the store's clock: by its samples with times, else by its trace. False: neither.
 * from_samples may be NULL.
 */
bool plot_run_span(const struct store *store, uint32_t run, int64_t *begin_ns, int64_t *end_ns, bool *from_samples);
/* The series that have a distribution, those with the largest maxima first. */
uint32_t *plot_series(const struct store *store, size_t *n);

#endif
