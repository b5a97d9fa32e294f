/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the environment importers share: names of /proc and /sys files, wherever they lie and however they were renamed. */
#ifndef IMPORTERS_ENVIRONMENT_H
#define IMPORTERS_ENVIRONMENT_H

#include "importers/importer.h"

#define SYSTEM_PATH_BYTES 256

/*
 * "after/proc/sys/kernel/printk", "proc_sys_kernel_printk.txt", "x_proc_interrupts" all are "proc_..."; false if the
 * member is no file of /proc or /sys by its name.
 */
bool system_path(const struct member *member, char path[SYSTEM_PATH_BYTES]);

/* States "cmdline" and "cmdline.KEY" for the parameters that matter to latency. */
void cmdline_facts(struct import *import, const char *text, size_t length);
/* "model name", "CPU(s)" ... of /proc/cpuinfo, lscpu, sysctl: the fact, if the key is one that matters. */
void listing_fact(struct import *import, const char *key, size_t length, const char *value, size_t value_length);
/* Is this line a kernel command line (several known parameters)? */
bool cmdline_looks_like(const struct line *line);
/* "Linux version 6.1.0 (...) #1 SMP PREEMPT_RT ..." from the release on; states kernel.release, kernel.version. */
void kernel_version_facts(struct import *import, const char *text, size_t length);
/* kernel.preempt from the version string, if it says. */
void preempt_fact(struct import *import, const char *version, size_t length);
/*
 * A line of the kernel's log about a handler that ran too long or a CPU that was stuck, as a claim; looks at the lines behind it.
 * *hz: of the kernel's jiffies, 0 until a report tells it.
 */
void dmesg_stuck(struct import *import, struct lines *lines, const struct line *line, unsigned *hz);

#endif
