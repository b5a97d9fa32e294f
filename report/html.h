/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as one page that needs no script and no network: style and pictures are in it. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/plot.h"

/* A picture made before: NAME.svg stands in the folder's plots/. */
struct html_picture {
    const char *name, *title;
    const struct plot_kind *kind;
    size_t i; /* of its kind: the outlier of a timeline */
};

/* folder: where index.html will be; pictures are read from folder/plots/NAME.svg. */
void html_write(const struct plot_source *source, const char *folder, const struct html_picture *pictures,
                size_t n_pictures, FILE *file);

#endif
