/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/columns.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "store/layout.h"
#include "store/strings.h"

struct event_columns *event_columns_new(void)
{
    struct event_columns *c = memory_new(sizeof *c);
    c->slot = memory_new(EVENTS_PER_CHUNK);
    local_strings_init(&c->strings);
    return c;
}

void event_columns_free(struct event_columns *c)
{
    if (!c)
        return;
    free(c->slot);
    free(c->lists);
    local_strings_release(&c->strings);
    free(c->dictionary);
    free(c->seen);
    free(c->room);
    free(c->flag_index);
    free(c->bytes);
    free(c);
}

/* ---- strings ---- */

void event_columns_expect_strings(struct event_columns *c, size_t n)
{
    size_t old = c->n_seen;
    memory_reserve(c->seen, c->n_seen, n);
    if (c->n_seen > old)
        memset(c->seen + old, 0, (c->n_seen - old) * sizeof *c->seen);
}

uint32_t event_columns_new_string(struct event_columns *c, uint32_t id)
{
    memory_reserve(c->dictionary, c->dictionary_capacity, c->n_dictionary + 1);
    c->dictionary[c->n_dictionary] = id;
    c->seen[id].chunk = c->chunk;
    return c->seen[id].index = (uint32_t)c->n_dictionary++;
}

static void begin_strings(struct event_columns *c)
{
    if (++c->chunk == 0) { /* numbers begin anew: none may look like an old one */
        memset(c->seen, 0, c->n_seen * sizeof *c->seen);
        c->chunk = 1;
    }
    c->n_dictionary = 0;
    local_strings_trim(&c->strings);
    event_columns_expect_strings(c, 1);
    event_columns_new_string(c, 0);
}

uint32_t event_columns_text(struct event_columns *c, const char *text, size_t length)
{
    if (!text)
        return 0;
    uint32_t id = string_set_intern(c->strings.set, text, length);
    event_columns_expect_strings(c, (size_t)id + 1);
    return event_columns_string(c, id);
}

const char *event_columns_get(const struct event_columns *c, uint32_t index, size_t *length)
{
    return index ? string_set_get(c->strings.set, c->dictionary[index], length) : NULL;
}

void event_columns_grow_lists(struct event_columns *c)
{
    memory_reserve(c->lists, c->lists_capacity, c->n_lists + 1024);
}

/* ---- room ---- */

static bool is_wide(char type)
{
    return type == 'l' || type == 'X';
}

static uint64_t *take(uint64_t **room, size_t n_bytes)
{
    uint64_t *taken = *room;
    *room += (n_bytes + 7) / 8;
    return taken;
}

void event_columns_begin(struct event_columns *c, size_t n, const uint32_t n_of[KIND_END], uint8_t slot_of[KIND_END])
{
    size_t n_room = 0;
    c->n = n;
    c->n_kinds = c->n_lists = 0;
    begin_strings(c);
    for (unsigned kind = 0; kind < KIND_END; kind++) {
        const struct event_kind_info *info = event_kind_info(kind);
        if (!n_of[kind])
            continue;
        assert(info);
        slot_of[kind] = (uint8_t)c->n_kinds;
        c->kinds[c->n_kinds++] = (struct kind_columns){.kind = kind, .n = n_of[kind]};
        n_room += ((size_t)n_of[kind] + 1) * (info->n_arguments + 1);
    }
    memory_reserve(c->room, c->room_capacity, n_room + 1);
    uint64_t *room = c->room;
    for (size_t k = 0; k < c->n_kinds; k++) {
        struct kind_columns *of = &c->kinds[k];
        const struct event_kind_info *info = event_kind_info(of->kind);
        for (unsigned a = 0; a < info->n_arguments; a++) {
            char type = info->arguments[a].type;
            if (is_wide(type))
                of->wide[a] = take(&room, of->n * sizeof(uint64_t));
            else if (type == 'S')
                of->list_n = (uint32_t *)take(&room, of->n * sizeof(uint32_t));
            else
                of->narrow[a] = (uint32_t *)take(&room, of->n * sizeof(uint32_t));
        }
    }
}

/* ---- packing ---- */

struct packer {
    struct column_entry *entry; /* the next one */
    unsigned char *at;
    bool has_avx2;
};

static void pad(struct packer *p, size_t n_bytes)
{
    p->at += n_bytes;
    for (; n_bytes & 7; n_bytes++)
        *p->at++ = 0;
}

#define NARROW(type, values, n, base)                                                                       \
    do {                                                                                                     \
        type *narrow_to_ = (type *)(void *)to;                                                               \
        for (size_t narrow_i_ = 0; narrow_i_ < (n); narrow_i_++)                                             \
            narrow_to_[narrow_i_] = (type)((values)[narrow_i_] - (base));                                    \
    } while (0)

/* Writes the column's numbers to `to` and says how wide they are. bias: the sign bit, where values have one. */
static inline __attribute__((always_inline)) struct column_entry narrow32(unsigned char *restrict to, const uint32_t *restrict values,
                                                                         size_t n, uint32_t bias)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t x = values[i] ^ bias;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    uint32_t range = n ? most - least : 0, base = n ? least ^ bias : 0;
    unsigned width = range == 0 ? 0 : range <= UINT8_MAX ? 1 : range <= UINT16_MAX ? 2 : 4;
    if (width == 4)
        base = 0;
    if (width == 1)
        NARROW(uint8_t, values, n, base);
    else if (width == 2)
        NARROW(uint16_t, values, n, base);
    else if (width == 4)
        memcpy(to, values, n * sizeof *values);
    return (struct column_entry){.base = base, .width = (uint8_t)width};
}

static inline __attribute__((always_inline)) struct column_entry narrow64(unsigned char *restrict to, const uint64_t *restrict values,
                                                                         size_t n, uint64_t bias)
{
    /* Compared as signed numbers: that is an instruction of the processor. */
    const uint64_t flip = bias ^ UINT64_C(1) << 63;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        int64_t x = (int64_t)(values[i] ^ flip);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    uint64_t range = n ? (uint64_t)high - (uint64_t)low : 0, base = n ? (uint64_t)low ^ flip : 0;
    unsigned width = range == 0 ? 0 : range <= UINT8_MAX ? 1 : range <= UINT16_MAX ? 2 : range <= UINT32_MAX ? 4 : 8;
    if (width == 8)
        base = 0;
    if (width == 1)
        NARROW(uint8_t, values, n, base);
    else if (width == 2)
        NARROW(uint16_t, values, n, base);
    else if (width == 4)
        NARROW(uint32_t, values, n, base);
    else if (width == 8)
        memcpy(to, values, n * sizeof *values);
    return (struct column_entry){.base = base, .width = (uint8_t)width};
}

/* The same loops for the processor at hand and, where it can more, for that. */
static struct column_entry plain32(unsigned char *to, const uint32_t *values, size_t n, uint32_t bias)
{
    return narrow32(to, values, n, bias);
}

static struct column_entry plain64(unsigned char *to, const uint64_t *values, size_t n, uint64_t bias)
{
    return narrow64(to, values, n, bias);
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) struct column_entry avx32(unsigned char *to, const uint32_t *values, size_t n, uint32_t bias)
{
    return narrow32(to, values, n, bias);
}

static __attribute__((target("avx2"))) struct column_entry avx64(unsigned char *to, const uint64_t *values, size_t n, uint64_t bias)
{
    return narrow64(to, values, n, bias);
}
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define avx32    plain32
#define avx64    plain64
#define HAS_AVX2 false
#endif

static void pack32(struct packer *p, const uint32_t *values, size_t n, bool is_signed)
{
    *p->entry = (p->has_avx2 ? avx32 : plain32)(p->at, values, n, is_signed ? UINT32_C(1) << 31 : 0);
    pad(p, n * p->entry++->width);
}

static void pack64(struct packer *p, const uint64_t *values, size_t n, bool is_signed)
{
    *p->entry = (p->has_avx2 ? avx64 : plain64)(p->at, values, n, is_signed ? UINT64_C(1) << 63 : 0);
    pad(p, n * p->entry++->width);
}

#define FLAG_PLACES 1024u

/* The flags that occur, in the order of first use, and which of them each event has. */
static size_t number_flags(const struct event_columns *c, uint32_t *restrict index, uint32_t *flags)
{
    struct {
        uint32_t flags, number; /* + 1 */
    } places[FLAG_PLACES];
    size_t n_flags = 0, n_held = 0;
    memset(places, 0, sizeof places);
    for (size_t i = 0; i < c->n; i++) {
        uint32_t value = c->flags[i], at = value * UINT32_C(0x9e3779b1) >> 22;
        while (places[at].number && places[at].flags != value)
            at = (at + 1) % FLAG_PLACES;
        if (__builtin_expect(!places[at].number, 0)) {
            flags[n_flags++] = value;
            if (n_held == FLAG_PLACES / 2) { /* so many are noise: each event has its own from here on */
                index[i] = (uint32_t)n_flags - 1;
                continue;
            }
            places[at].flags = value;
            places[at].number = (uint32_t)n_flags;
            n_held++;
        }
        index[i] = places[at].number - 1;
    }
    return n_flags;
}

static void pack_kind(const struct event_columns *c, struct packer *p, const struct kind_columns *of)
{
    const struct event_kind_info *info = event_kind_info(of->kind);
    for (unsigned a = 0; a < info->n_arguments; a++) {
        char type = info->arguments[a].type;
        if (is_wide(type)) {
            pack64(p, of->wide[a], of->n, type == 'l');
        } else if (type == 'S') {
            pack32(p, of->list_n, of->n, false);
            pack32(p, of->n_list ? c->lists + of->list : NULL, of->n_list, false);
        } else {
            pack32(p, of->narrow[a], of->n, type == 'i');
        }
    }
}

static struct kind_entry kind_entry(const struct kind_columns *of, struct events_front *front)
{
    const struct event_kind_info *info = event_kind_info(of->kind);
    struct kind_entry entry = {.kind = (uint16_t)of->kind, .n = of->n, .n_list = (uint32_t)of->n_list};
    for (unsigned a = 0; a < info->n_arguments; a++) {
        char type = info->arguments[a].type;
        entry.has_list |= type == 'S';
        entry.n_arguments = (uint8_t)(entry.n_arguments + (type != 'S'));
        entry.wide = (uint16_t)(entry.wide | is_wide(type) << a);
        entry.strings = (uint16_t)(entry.strings | (type == 's') << a);
    }
    front->n_columns += entry.n_arguments + 2u * entry.has_list;
    front->n_words += of->n * info->n_words + entry.n_list;
    return entry;
}

void event_columns_pack(struct event_columns *c)
{
    struct events_front front = {.flags_known = c->flags_known, .n_kinds = (uint32_t)c->n_kinds, .n_columns = 4,
                                 .n_strings = (uint32_t)c->n_dictionary};
    struct kind_entry entries[KIND_END];
    size_t most = 0;
    for (size_t k = 0; k < c->n_kinds; k++) {
        entries[k] = kind_entry(&c->kinds[k], &front);
        most += ((size_t)c->kinds[k].n + 1) * 8 * (entries[k].n_arguments + 1u);
    }
    most += EVENTS_FRONT_BYTES + c->n_kinds * sizeof *entries + front.n_columns * (sizeof(struct column_entry) + 8) +
            c->n * (8 + 4 + 4 + 4 + 1) + c->n_dictionary * 4 + c->n_lists * 4 + 64;
    memory_reserve(c->bytes, c->bytes_capacity, most);
    memset(c->bytes, 0, EVENTS_FRONT_BYTES);
    memcpy(c->bytes + EVENTS_FRONT_BYTES, entries, c->n_kinds * sizeof *entries);

    struct packer p = {(struct column_entry *)(void *)(c->bytes + EVENTS_FRONT_BYTES + c->n_kinds * sizeof *entries), NULL, HAS_AVX2};
    uint32_t *flags = (uint32_t *)(void *)(p.entry + front.n_columns);
    p.at = (unsigned char *)flags;
    memory_reserve(c->flag_index, c->flag_index_capacity, c->n);
    front.n_flags = (uint32_t)number_flags(c, c->flag_index, flags);
    pad(&p, front.n_flags * sizeof *flags);
    c->dictionary_at = (size_t)(p.at - c->bytes);
    memset(p.at, 0, c->n_dictionary * sizeof *c->dictionary);
    pad(&p, c->n_dictionary * sizeof *c->dictionary);

    pack64(&p, (const uint64_t *)c->time_ns, c->n, true);
    pack32(&p, (const uint32_t *)c->tid, c->n, true);
    pack32(&p, c->flag_index, c->n, false);
    if (c->n_kinds > 1) {
        *p.entry++ = (struct column_entry){.width = 1};
        memcpy(p.at, c->slot, c->n);
        pad(&p, c->n);
    } else {
        *p.entry++ = (struct column_entry){0};
    }
    for (size_t k = 0; k < c->n_kinds; k++)
        pack_kind(c, &p, &c->kinds[k]);
    memcpy(c->bytes, &front, sizeof front);
    c->n_bytes = (size_t)(p.at - c->bytes);
    assert(c->n_bytes <= c->bytes_capacity && front.n_words <= MAX_CHUNK_WORDS);
}
