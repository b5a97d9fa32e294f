/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as PDF: the text's pages, then a page for each picture, all set by gnuplot's pdfcairo terminal. */
#ifndef REPORT_PDF_H
#define REPORT_PDF_H

#include "report/plot.h"

enum status pdf_write(const struct plot_source *source, const char *path, struct error *error);

#endif
