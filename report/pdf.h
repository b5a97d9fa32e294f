/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as PDF: the text's pages, then a page for each picture, all set by gnuplot's pdfcairo terminal. */
#ifndef REPORT_PDF_H
#define REPORT_PDF_H

#include "report/plot.h"

/* Whole or not at all. FAILED (ERROR_OUTPUT): not writable, or gnuplot is missing or failed. */
enum status pdf_write(const struct plot_source *source, const char *path, struct error *error);

#endif
