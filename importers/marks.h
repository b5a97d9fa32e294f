/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside importers/: which importers a line of text is worth asking. */
#ifndef IMPORTERS_MARKS_H
#define IMPORTERS_MARKS_H

#include "importers/importer.h"

/* A bit for each text importer, in the order of importers[]. */
uint64_t marks_all(void);
const struct importer *marks_importer(unsigned bit);
/* Those to be asked about every line of the member: they have no marks, or its name is one of theirs. */
uint64_t marks_of_member(const struct member *member);
/* Those with a mark in the line. Only after marks_of_member(). */
uint64_t marks_of_line(const struct line *line);

#endif
