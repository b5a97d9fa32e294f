/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sections of the page are made of. Everything out of a document is cleaned and escaped here. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include "report/html.h"

/* The string cleaned and escaped, for content and quoted attributes; NULL (unknown) is a dash. */
void html_text(FILE *file, const char *string);
/* <name class="class">string</name>; class NULL: none. */
void html_element(FILE *file, const char *name, const char *class, const char *string);
/* Cells of a table by a key of the object, at the right: a duration (the key is in ns), a count. */
void html_ns(FILE *file, int64_t ns, bool is_least); /* a cell; NS_UNKNOWN: no value */
void html_duration(FILE *file, const json_t *object, const char *key);
void html_count(FILE *file, const json_t *object, const char *key);
/* Begins a table; titles end with NULL, those that begin with '>' stand over numbers. */
void html_table(FILE *file, const char *const *titles);
void html_table_end(FILE *file);
/* plots/NAME.svg of the folder as part of the page; nothing if it was not drawn. number: the picture's own in the page. */
void html_figure(FILE *file, const char *folder, const struct html_picture *picture, size_t number);

/* ---- sections; each is nothing where the document has nothing for it ---- */

void html_outliers(FILE *file, const struct plot_source *source, const char *folder, const struct html_picture *pictures,
                   size_t n_pictures);
void html_comparison(FILE *file, const json_t *document);

#endif
