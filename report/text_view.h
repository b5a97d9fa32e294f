/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A document as text for people: the verdict in a sentence, then tables, then doubts and advice. */
#ifndef REPORT_TEXT_VIEW_H
#define REPORT_TEXT_VIEW_H

#include "report/document.h"
#include "report/headline.h"
#include "report/page.h"

struct text_options {
    bool color;
    bool timeline; /* every outlier in full, not only the worst */
};

bool text_view_has_color(FILE *file); /* a terminal, not a dumb one, and NO_COLOR is not set */
/* store and analysis are those the document was made from: the timeline's events stand there. */
void text_view_print(const json_t *document, const struct store *store, const struct analysis *analysis,
                     const struct text_options *options, FILE *file);

/* ---- its parts ---- */
struct text_view {
    struct page page;
    const json_t *document;
    const struct store *store;
    const struct analysis *analysis;
    const struct text_options *options;
};
/* The run's name (or what stands for one), and the line it stands below in a text of several results. */
void text_add_run(const json_t *run, const char *unnamed, struct text *out);
void text_runs(const struct text_view *view, bool in_full);
void text_series(const struct text_view *view);   /* the table of all series */
void text_outliers(const struct text_view *view);
void text_ledger(const struct text_view *view, const json_t *outlier);
void text_chain(const struct text_view *view, const json_t *outlier);
void text_comparison(const struct text_view *view);
void text_findings(const struct text_view *view);

#endif
