/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was imported, in others' formats. Each is one function in a file of its own and one row in report/export.c. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include <stdio.h>

#include "report/document.h"

struct exporter {
    const char *name, *summary;
    /* OK, or the error says why this input has nothing for the format. Write errors are seen by the caller at the close. */
    enum status (*write)(const json_t *document, const struct store *store, FILE *file, struct error *error);
};
extern const struct exporter *const exporters[]; /* NULL ends it */
const struct exporter *exporter_find(const char *name);

#endif
