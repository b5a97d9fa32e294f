/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open addressing over the ids, bytes in one growing buffer, and in front of it a direct-mapped cache for strings of up
 * to 16 bytes (a comm, most function and device names): two overlapping loads and the length say all of such a string,
 * so a hit compares three words and touches no other memory.
 */
#include "store/strings.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"

#define N_CACHED 1024u

struct cached {
    uint64_t first, last;
    uint32_t length, id; /* id 0: empty */
};

struct string_set {
    char *bytes;
    size_t n_bytes, bytes_capacity;
    size_t *starts; /* starts[id - 1]; starts[n] is the end */
    uint32_t *hashes;
    size_t n, starts_capacity, hashes_capacity;
    uint32_t *slots; /* ids, 0 empty; a power of two of them */
    size_t n_slots;
    struct cached cache[N_CACHED];
};

struct string_set *string_set_new(void)
{
    struct string_set *set = memory_new(sizeof *set);
    set->n_slots = 256;
    set->slots = memory_new(set->n_slots * sizeof *set->slots);
    memory_reserve(set->starts, set->starts_capacity, 128);
    set->starts[0] = 0;
    return set;
}

void string_set_free(struct string_set *set)
{
    if (!set)
        return;
    free(set->bytes);
    free(set->starts);
    free(set->hashes);
    free(set->slots);
    free(set);
}

void string_set_clear(struct string_set *set)
{
    set->n = set->n_bytes = 0;
    memset(set->slots, 0, set->n_slots * sizeof *set->slots);
    memset(set->cache, 0, sizeof set->cache);
}

/* The first and last bytes of a string; together with the length they are the string if that is at most 16. */
static inline void load_ends(const char *p, size_t length, uint64_t *first, uint64_t *last)
{
    if (length >= 8) {
        *first = read_le64(p);
        *last = read_le64(p + length - 8);
    } else if (length >= 4) {
        *first = read_le32(p);
        *last = read_le32(p + length - 4);
    } else {
        *first = length ? (uint64_t)(unsigned char)p[0] | (uint64_t)(unsigned char)p[length / 2] << 8 |
                              (uint64_t)(unsigned char)p[length - 1] << 16
                        : 0;
        *last = 0;
    }
}

static inline uint64_t mix(uint64_t x, uint64_t y)
{
    x = (x ^ y) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static uint64_t hash_of(const char *p, size_t length, uint64_t first, uint64_t last)
{
    uint64_t hash = mix(mix(length, first), last);
    if (length > 16)
        for (size_t i = 8; i < length - 8; i += 8)
            hash = mix(hash, read_le64(p + i));
    return hash ^ hash >> 32;
}

static bool is_same(const struct string_set *set, uint32_t id, uint32_t hash, const char *p, size_t length)
{
    size_t start = set->starts[id - 1];
    return set->hashes[id - 1] == hash && set->starts[id] - start == length + 1 &&
           !memcmp(set->bytes + start, p, length);
}

static void grow(struct string_set *set)
{
    free(set->slots);
    set->n_slots *= 2;
    set->slots = memory_new(set->n_slots * sizeof *set->slots);
    for (size_t id = 1; id <= set->n; id++) {
        size_t slot = set->hashes[id - 1] & (set->n_slots - 1);
        while (set->slots[slot])
            slot = (slot + 1) & (set->n_slots - 1);
        set->slots[slot] = (uint32_t)id;
    }
}

static uint32_t add(struct string_set *set, uint32_t hash, const char *p, size_t length)
{
    memory_reserve(set->bytes, set->bytes_capacity, set->n_bytes + length + 1);
    memory_reserve(set->starts, set->starts_capacity, set->n + 2);
    memory_reserve(set->hashes, set->hashes_capacity, set->n + 1);
    assert(set->n < UINT32_MAX - 1);
    memcpy(set->bytes + set->n_bytes, p, length);
    set->bytes[set->n_bytes + length] = '\0';
    set->n_bytes += length + 1;
    set->hashes[set->n++] = hash;
    set->starts[set->n] = set->n_bytes;
    return (uint32_t)set->n;
}

static uint32_t look_up(const struct string_set *set, uint32_t hash, const char *p, size_t length, size_t *slot)
{
    *slot = hash & (set->n_slots - 1);
    for (; set->slots[*slot]; *slot = (*slot + 1) & (set->n_slots - 1))
        if (is_same(set, set->slots[*slot], hash, p, length))
            return set->slots[*slot];
    return 0;
}

uint32_t string_set_find(const struct string_set *set, const char *string, size_t length)
{
    uint64_t first, last;
    size_t slot;
    load_ends(string, length, &first, &last);
    return look_up(set, (uint32_t)hash_of(string, length, first, last), string, length, &slot);
}

uint32_t string_set_intern(struct string_set *set, const char *string, size_t length)
{
    uint64_t first, last;
    load_ends(string, length, &first, &last);
    struct cached *cached = NULL;
    if (length <= 16) {
        cached = &set->cache[mix(first ^ length, last) >> 40 & (N_CACHED - 1)];
        if (cached->first == first && cached->last == last && cached->length == length && cached->id)
            return cached->id;
    }
    uint32_t hash = (uint32_t)hash_of(string, length, first, last);
    size_t slot;
    uint32_t id = look_up(set, hash, string, length, &slot);
    if (!id) {
        id = set->slots[slot] = add(set, hash, string, length);
        if (set->n * 2 > set->n_slots)
            grow(set);
    }
    if (cached)
        *cached = (struct cached){first, last, (uint32_t)length, id};
    return id;
}

const char *string_set_get(const struct string_set *set, uint32_t id, size_t *length)
{
    size_t start = set->starts[id - 1];
    *length = set->starts[id] - start - 1;
    return set->bytes + start;
}

size_t string_set_count(const struct string_set *set)
{
    return set->n;
}

size_t string_set_bytes(const struct string_set *set)
{
    return set->n_bytes;
}
