/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the rtla importer, one form of output each (rtla.c has the overview). */
#ifndef IMPORTERS_RTLA_H
#define IMPORTERS_RTLA_H

#include "base/text.h"
#include "importers/cells.h"
#include "importers/importer.h"

/* The independent columns of timerlat: never to be added up, all count from the same expected time. */
enum rtla_column { RTLA_IRQ, RTLA_THREAD, RTLA_USER, RTLA_N_COLUMNS };
extern const char *const rtla_column_names[RTLA_N_COLUMNS];

/* A timerlat series with what is known of every one of them: name "cpu 1 irq", tool, path. unit_ns 1 or 1000. */
struct series rtla_timerlat_series(int cpu, enum rtla_column column, int64_t unit_ns, char *name, size_t size);

/* Each: does its block begin here, and read it (the cursor ends behind it). */
int rtla_top_probe(struct lines *lines);
enum status rtla_top_read(struct import *import, struct lines *lines, struct error *error);
int rtla_noise_probe(struct lines *lines);
enum status rtla_noise_read(struct import *import, struct lines *lines, struct error *error);
int rtla_hist_probe(struct lines *lines);
enum status rtla_hist_read(struct import *import, struct lines *lines, struct error *error);
int rtla_report_probe(struct lines *lines);
enum status rtla_report_read(struct import *import, struct lines *lines, struct error *error);

/* importers/rtla_wrapped.c: does a table of top that was wrapped begin here; */
bool rtla_is_wrapped(struct lines *lines);
/* its lines as they were, into out (the cursor ends behind it); how many were joined. */
size_t rtla_unwrap(struct lines *lines, struct text *out);

/* "timerlat hit stop tracing" and the other one-line messages, alone or glued behind a table: facts and notes. */
bool rtla_is_message(struct cell text);
void rtla_message(struct import *import, struct cell text, uint64_t line);

/* "0 00:00:04" or "00:00:04" as the first words of text: days and clock to ns. */
bool rtla_duration(struct cell text, int64_t *ns);

#endif
