/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * This machine against the recipe for a fair measurement: CPUs isolated, no interrupt thread above, throttling off,
 * clocks fixed, idle states shallow, console quiet, no debugging kernel. Each condition says what was found, why it
 * matters and what changes it; what cannot be read here is unknown, not good.
 */
#ifndef CAPTURE_CHECK_H
#define CAPTURE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/cpuset.h"
#include "base/error.h"
#include "capture/options.h"

enum check_answer { CHECK_GOOD = 0, CHECK_BAD, CHECK_UNKNOWN };

/* Judges and prints all conditions; returns how many are bad. */
unsigned check_print(const struct capture_options *options, FILE *out);
/* Refuses (ERROR_USAGE) when a condition of the comma separated list is not good. Unknown names are refused too. */
enum status check_require(const struct capture_options *options, const char *list, struct error *error);

/* Does a driver set the frequency of any of these CPUs? */
bool check_scales_frequency(const struct cpuset *cpus);

#endif
