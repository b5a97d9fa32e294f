/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CAPTURE_TRACE_DAT_H
#define CAPTURE_TRACE_DAT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/*
 * What does not change while events are enabled: prefix, headers, formats. Read once (it takes a tenth of a second), so
 * that a save is little more than copying pages. The head belongs to the caller: text_release(). all_symbols: with the
 * whole table of functions (megabytes: for traces that show functions); else only those that timers run.
 */
void trace_dat_head(struct text *head, const char *tracefs, const char *instance, bool all_symbols);

/*
 * Saves a stopped tracefs instance as a trace.dat of version 6 (the format that every trace-cmd and KernelShark reads;
 * man trace-cmd.dat.v6): headers and formats of the events that are enabled, saved command lines, clock, uname,
 * per-CPU statistics, and the ring's raw pages.
 */
enum status trace_dat_write(const struct text *head, const char *tracefs, const char *instance, const char *path,
                            struct error *error);

#endif
