/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The conditions of a measurement judged by the recipe of its community (isolated CPU, fixed frequency, no throttling, quiet
 * console, no debugging, priorities): one rule each.
 */
#ifndef ANALYZERS_CONDITIONS_H
#define ANALYZERS_CONDITIONS_H

#include "analyzers/analyzer.h"
#include "base/text.h"

enum condition { CONDITION_UNKNOWN = 0, CONDITION_GOOD, CONDITION_BAD };

/* PREEMPT_RT or a co-kernel: true, false (stated otherwise), or unknown. */
enum condition run_kernel_is_rt(const struct store *store, uint32_t run);
/* The highest FIFO/RR priority of the run's series, or PRIO_UNKNOWN; and whether a co-kernel ran it. */
int32_t run_priority(const struct store *store, uint32_t run, bool *is_cokernel);
/* The list after isolcpus=, as stated; false: none is known. */
bool run_isolated_cpus(const struct store *store, uint32_t run, char *text, size_t size);
/* Its CPUs, flags in front left out ("nohz,domain,2-3"). */
bool isolated_cpus_parse(const char *text, struct cpuset *set);
/* Costly debug options that the kernel was built with, added to `found`; false: its configuration is not known. */
bool run_debug_options(const struct store *store, uint32_t run, struct text *found);

#endif
