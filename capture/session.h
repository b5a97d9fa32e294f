/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One capture: the bundle on disk, the measuring threads, the trace, and the helper's loop that joins them. */
#ifndef CAPTURE_SESSION_H
#define CAPTURE_SESSION_H

#include "base/error.h"
#include "capture/options.h"

/*
 * Measures as options say and leaves the bundle. command is the command line, for bundle.txt. Ends at the duration, the
 * loops, or SIGINT/SIGTERM. PARTIAL: the measurement is good but something around it failed (log.txt says what).
 */
enum status session_run(const struct capture_options *options, const char *command, struct error *error);

#endif
