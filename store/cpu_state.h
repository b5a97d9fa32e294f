/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kinds change a CPU's state, for loops over many events. Private to store/. */
#ifndef STORE_CPU_STATE_H
#define STORE_CPU_STATE_H

#include "store/events.h"

_Static_assert(sizeof(struct cpu_state) == 320 && sizeof(struct open_context) == 24,
               "struct cpu_state stands in the run file as it is");

extern const bool cpu_state_kinds[KIND_END];

/* cpu_state_apply() for an event that most often changes nothing. */
static inline void cpu_state_step(struct cpu_state *state, int64_t time_ns, int32_t tid, unsigned kind,
                                  const uint32_t *words)
{
    if (tid != state->tid || (kind < KIND_END && cpu_state_kinds[kind]))
        cpu_state_apply(state, time_ns, tid, kind, words);
}

#endif
