/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/stats/latency_bound.h"

int64_t bound_interference_ns(const struct bound_interrupt *interrupt, int64_t window_ns)
{
    int64_t sum = 0, worst = 0;
    for (size_t first = 0, last = 0; last < interrupt->n; last++) {
        sum += interrupt->duration_ns[last];
        for (; interrupt->arrival_ns[first] < interrupt->arrival_ns[last] - window_ns; first++)
            sum -= interrupt->duration_ns[first];
        worst = sum > worst ? sum : worst;
    }
    return worst;
}

bool bound_latency_ns(const struct bound_terms *terms, const struct bound_interrupt *interrupts, size_t n_interrupts,
                      int64_t limit_ns, int64_t *bound_ns)
{
    const int64_t free_ns = (terms->dst_ns > terms->poid_ns ? terms->dst_ns : terms->poid_ns) + terms->paie_ns + terms->psd_ns;
    for (int64_t length = free_ns;;) {
        int64_t next = free_ns;
        for (size_t i = 0; i < n_interrupts; i++)
            next += bound_interference_ns(&interrupts[i], length);
        if (next > limit_ns)
            return false;
        if (next == length) {
            *bound_ns = length;
            return true;
        }
        length = next; /* rises: interference grows with the window */
    }
}
