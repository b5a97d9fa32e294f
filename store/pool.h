/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up repeated runs of one measurement: `merge`. */
#ifndef STORE_POOL_H
#define STORE_POOL_H

#include "store/store.h"
#include "store/writer.h"

/*
 * Writes all runs of the store as one: series of the same tool and name are added up (histograms, samples, counts),
 * artefacts and notes are kept, facts that all runs share stay facts. Events, counters and times, and how
 * many loops a run had to do, belong to it and are left out; a note says so.
 *
 * Runs that did not measure the same thing in the same way are refused (ERROR_INPUT, naming what differs): another
 * path, interval, resolution or histogram limit of a series, and unless force, another kernel, processor, isolation or load.
 * Two runs whose series come from files of the same bytes are one run, given twice: a note says so.
 */
enum status store_pool_runs(struct store_writer *writer, const struct store *from, bool force, struct error *error);

#endif
