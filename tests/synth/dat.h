/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes trace.dat version 6: such as trace-cmd opens. */
#ifndef SYNTH_DAT_H
#define SYNTH_DAT_H

#include <stdbool.h>

#include "tests/synth/event.h"

struct dat_writer;

/* Pages go to temporary files, so that any number of events fits. clock: "mono", "local" ... */
struct dat_writer *dat_new(int n_cpus, const char *clock, const char *release);
/* The co-kernel's events are EVL's, for all that is written from now on. */
void dat_use_evl(bool is_evl);
/* Events of one CPU come in time order. */
void dat_event(struct dat_writer *writer, const struct synth_event *event);
/* The next page of this CPU says that n events were lost in front of it. */
void dat_lose(struct dat_writer *writer, int cpu, uint64_t n);
/* A name for saved_cmdlines. */
void dat_task(struct dat_writer *writer, int32_t tid, const char *comm);
/* Writes the file and frees the writer; false: errno says why. */
bool dat_finish(struct dat_writer *writer, const char *path);

#endif
