/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sentences for findings. One row per code and variant, in tables by family (report/sentences_*.c), so that JSON text,
 * terminal text, HTML, advice and docs/findings.md come from the same rows.
 *
 * Templates: {key} is a value of the finding, formatted by the unit in which its key ends (_ns as a duration, n_ with
 * separators, _pct, p); {subject}, {cpu}, {series}, {run} are the finding's own. "[... {key} ...]" is left out when one
 * of its keys is missing (parts nest). "[[" and "{{" stand for the characters themselves.
 */
#ifndef REPORT_SENTENCES_H
#define REPORT_SENTENCES_H

#include <stdio.h>

#include "analyzers/finding.h"
#include "base/text.h"

/* What the sentence of a condition that no file states begins with. */
#define SENTENCE_NOT_RECORDED "not recorded: "

struct sentence {
    const char *code;
    const char *variant; /* NULL or "": the default */
    const char *text;    /* template of the finding's sentence */
    const char *advice;  /* template, or NULL */
    const char *meaning; /* for docs/findings.md: what the code says in general, when it is raised (default variant only) */
};

extern const struct sentence sentences_data[], sentences_condition[], sentences_maximum[], sentences_attribution[],
    sentences_comparison[]; /* a row with code NULL ends each */

/* The row that fits, falling back to the default variant; NULL if the code is unknown. */
const struct sentence *sentence_find(const char *code, const char *variant);
void sentence_text(const struct store *store, const struct finding *finding, struct text *out);
void sentence_advice(const struct store *store, const struct finding *finding, struct text *out); /* empty: none */
void sentences_document(FILE *file); /* docs/findings.md */

#endif
