/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines of measuring tools as people paste them: with a prompt, sudo, taskset in front or in the middle of a
 * sentence. The options of the rt-tests tools are so alike that one reading serves all.
 */
#ifndef IMPORTERS_TOOL_COMMAND_H
#define IMPORTERS_TOOL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "importers/importer.h"

#define COMMAND_BYTES 1024

struct tool_command {
    char text[COMMAND_BYTES]; /* from the prompt on; "" none */
    /* What the options say; sentinels of rows.h, -1 or NULL where they say nothing. */
    int64_t interval_ns, distance_ns, duration_ns, break_limit_ns;
    int64_t priority;         /* PRIO_UNKNOWN */
    uint64_t loops;           /* COUNT_UNKNOWN */
    int64_t n_threads;        /* 0: -t without a number: one per CPU; -1: not stated */
    int64_t histogram_limit;  /* in the unit of the output; -1 */
    int64_t oscope;           /* -o: lines are maxima of so many samples; -1 */
    enum policy policy;
    bool is_smp, is_nanoseconds, is_mlocked, is_quiet, is_verbose, is_histofall, is_smi, is_tracemark, uses_nanosleep,
        uses_realtime_clock, is_aligned;
    bool is_mention;          /* code within a sentence that does not announce what it printed */
    bool has_affinity;
    char affinity[64];        /* "" : -a without a list */
};

/*
 * Is there a command of this tool in the text ("./cyclictest -p 80 ...")? Options must follow the name, and other than
 * those that measure nothing (--help).
 */
bool tool_command_find(const char *text, size_t length, const char *tool, struct tool_command *command);
void tool_command_clear(struct tool_command *command);
static inline bool tool_command_is_known(const struct tool_command *command)
{
    return command->text[0] != '\0';
}
/* States what it says as facts "TOOL.interval_ns" and so on. */
void tool_command_facts(struct import *import, const char *tool, const struct tool_command *command);
/* The CPU of thread i as its options pin it, or CPU_UNKNOWN. */
int32_t tool_command_cpu(const struct tool_command *command, int64_t thread);

#endif
