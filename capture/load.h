/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Background load in processes of its own, ended with the run (also when the agent is killed). Small generators modelled
 * on what people run beside a latency test: dd, hackbench, many timers, disk writes, loopback traffic, memory streams.
 */
#ifndef CAPTURE_LOAD_H
#define CAPTURE_LOAD_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct load {
    size_t n;
    pid_t *pids;  /* one process group each */
    int alive_fd; /* held open while the command may run; -1 */
};

/* Is the list one that load_start() takes? */
enum status load_check(const char *list, struct error *error);
/*
 * list: "dd,hackbench,timers,disk,net-loopback,memory:64M" or NULL; command: a shell line or NULL; directory: where the
 * disk load may write; command_directory_fd: where the command runs. The list has been checked.
 */
enum status load_start(struct load *load, const char *list, const char *command, const char *directory,
                       int command_directory_fd, struct error *error);
void load_stop(struct load *load);

#endif
