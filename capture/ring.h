/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ring of samples from one measuring thread (producer) to the helper (consumer). The producer never waits: a full
 * ring drops the sample and counts it. All pages are touched before the measurement starts.
 */
#ifndef CAPTURE_RING_H
#define CAPTURE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct ring_sample {
    uint64_t sequence;
    int64_t due_ns, wake_ns;
    uint64_t n_missed;
    uint64_t counters[]; /* n_counters of the ring */
};

struct ring {
    size_t n, stride;
    uint32_t n_counters;
    unsigned char *bytes;
    _Alignas(64) atomic_uint_fast64_t head; /* written by the producer */
    _Alignas(64) atomic_uint_fast64_t tail; /* written by the consumer */
    _Alignas(64) uint64_t n_dropped;        /* producer's; read at the end */
};

static inline void ring_init(struct ring *ring, size_t n_samples, uint32_t n_counters)
{
    *ring = (struct ring){.n = n_samples, .n_counters = n_counters};
    ring->stride = sizeof(struct ring_sample) + n_counters * sizeof(uint64_t);
    ring->bytes = memory_resize(NULL, n_samples, ring->stride);
    memset(ring->bytes, 1, n_samples * ring->stride); /* touch every page, for real */
}

static inline void ring_release(struct ring *ring)
{
    free(ring->bytes);
    ring->bytes = NULL;
}

/* Producer: the place of the next sample, or NULL (counted) when the ring is full; then ring_push(). */
static inline struct ring_sample *ring_next(struct ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&ring->tail, memory_order_acquire) >= ring->n) {
        ring->n_dropped++;
        return NULL;
    }
    return (struct ring_sample *)(void *)(ring->bytes + (head & (ring->n - 1)) * ring->stride);
}

static inline void ring_push(struct ring *ring)
{
    atomic_store_explicit(&ring->head, atomic_load_explicit(&ring->head, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* Consumer: the oldest sample or NULL; then ring_pop(). */
static inline const struct ring_sample *ring_peek(struct ring *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&ring->head, memory_order_acquire))
        return NULL;
    return (const struct ring_sample *)(void *)(ring->bytes + (tail & (ring->n - 1)) * ring->stride);
}

static inline void ring_pop(struct ring *ring)
{
    atomic_store_explicit(&ring->tail, atomic_load_explicit(&ring->tail, memory_order_relaxed) + 1,
                          memory_order_release);
}

#endif
