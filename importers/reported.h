/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as people tell them in mails: which run a table or a row belongs to. */
#ifndef IMPORTERS_REPORTED_H
#define IMPORTERS_REPORTED_H

#include "importers/cells.h"
#include "importers/importer.h"

/* The line k lines before the cursor (k >= 1); false at the start. */
bool reported_line_before(struct lines *lines, size_t k, struct line *line);
/* Rows from here on belong to a run of that label: the current one if it has no series yet, else a new one. */
void reported_run(struct import *import, const char *label);

/* "us", "usec", "ns", "milliseconds": units of 10^n ns; -1: no unit of time. */
int reported_unit_digits(struct cell text);

/*
 * Candidates "A", "B" ... that a mail defines once ("A: Preempt-RT 2.6.16-rt16") and refers to later. True: the letter is
 * defined, and rows from here on go to its run.
 */
bool candidate_switch(struct import *import, char letter);

#endif
