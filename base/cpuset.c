/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cpuset.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cpuset_add(struct cpuset *set, int cpu)
{
    if (cpu >= 0 && cpu < CPUSET_MAX)
        set->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

void cpuset_remove(struct cpuset *set, int cpu)
{
    if (cpu >= 0 && cpu < CPUSET_MAX)
        set->bits[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

bool cpuset_has(const struct cpuset *set, int cpu)
{
    return cpu >= 0 && cpu < CPUSET_MAX && set->bits[cpu / 64] >> (cpu % 64) & 1;
}

size_t cpuset_count(const struct cpuset *set)
{
    size_t n = 0;
    for (size_t i = 0; i < CPUSET_MAX / 64; i++)
        n += (size_t)__builtin_popcountll(set->bits[i]);
    return n;
}

bool cpuset_parse(const char *text, struct cpuset *set)
{
    *set = (struct cpuset){0};
    while (isspace((unsigned char)*text))
        text++;
    while (*text) {
        if (!isdigit((unsigned char)*text))
            return false;
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (*end == '-') {
            if (!isdigit((unsigned char)end[1]))
                return false;
            last = strtoul(end + 1, &end, 10);
        }
        if (last < first || last >= CPUSET_MAX)
            return false;
        for (unsigned long cpu = first; cpu <= last; cpu++)
            cpuset_add(set, (int)cpu);
        text = end;
        if (*text == ',')
            text++;
        else
            while (isspace((unsigned char)*text))
                text++;
        if (*text && !isdigit((unsigned char)*text))
            return false;
    }
    return true;
}

void cpuset_format(const struct cpuset *set, char *text, size_t size)
{
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (int cpu = 0; cpu < CPUSET_MAX && used < size; cpu++) {
        if (!cpuset_has(set, cpu))
            continue;
        int last = cpu;
        while (cpuset_has(set, last + 1))
            last++;
        int n = last > cpu ? snprintf(text + used, size - used, "%s%d-%d", used ? "," : "", cpu, last)
                           : snprintf(text + used, size - used, "%s%d", used ? "," : "", cpu);
        used += n > 0 ? (size_t)n : 0;
        cpu = last;
    }
}
