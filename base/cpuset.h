/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of CPUs as the kernel writes them: "0-3,8,10-11". A zeroed struct is the empty set. */
#ifndef BASE_CPUSET_H
#define BASE_CPUSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUSET_MAX 8192

struct cpuset {
    uint64_t bits[CPUSET_MAX / 64];
};

bool cpuset_parse(const char *text, struct cpuset *set); /* false: not a list, or a CPU beyond CPUSET_MAX */
/* CPUs beyond CPUSET_MAX, and CPU_UNKNOWN, are in no set. */
void cpuset_add(struct cpuset *set, int cpu);
void cpuset_remove(struct cpuset *set, int cpu);
bool cpuset_has(const struct cpuset *set, int cpu);
size_t cpuset_count(const struct cpuset *set);
void cpuset_format(const struct cpuset *set, char *text, size_t size); /* cut at size, always terminated */

#endif
