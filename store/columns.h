/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chunk of events in the making, column by column: time, task and flags of each event, and for each kind one column
 * per argument. Packing gives every column the narrowest width that holds its values (docs/run-file.md).
 *
 * store_commit_events() makes columns of a batch. An importer that has millions of events fills them itself, on any
 * thread: event_columns_begin(), every place of every column, event_columns_pack(), store_commit_columns().
 */
#ifndef STORE_COLUMNS_H
#define STORE_COLUMNS_H

#include "store/events.h"

#define KIND_MAX_ARGUMENTS 9

/* The events of one kind in the order of time; an argument has either column, by its type. */
struct kind_columns {
    unsigned kind;
    uint32_t n;
    uint32_t *narrow[KIND_MAX_ARGUMENTS]; /* strings: indices into the dictionary */
    uint64_t *wide[KIND_MAX_ARGUMENTS];
    uint32_t *list_n;                     /* of a kind with a list: how many strings each has */
    size_t list, n_list;                  /* they are lists[list] and following */
};

struct event_columns {
    size_t n;
    uint32_t flags_known;
    int64_t *time_ns; /* these three are loans from who fills them */
    int32_t *tid;
    uint32_t *flags;
    uint8_t *slot;    /* the event's kind is kinds[slot].kind; EVENTS_PER_CHUNK of them */
    size_t n_kinds;   /* rising by kind */
    struct kind_columns kinds[KIND_END];
    uint32_t *lists;
    size_t n_lists, lists_capacity;

    /* The strings of who fills them itself, by local ids that outlive the chunk. */
    struct local_strings strings;

    /* String ids that the chunk uses (local ones, until it is committed), in the order of first use; the first is 0, "unknown". */
    uint32_t *dictionary;
    size_t n_dictionary, dictionary_capacity;
    struct {
        uint32_t chunk, index;
    } *seen; /* by id: its index, if chunk is this chunk's number */
    size_t n_seen;
    uint32_t chunk;

    uint64_t *room; /* of the columns */
    uint32_t *flag_index;
    size_t room_capacity, flag_index_capacity;
    unsigned char *bytes; /* what the packing made: a payload without state and string ids */
    size_t n_bytes, bytes_capacity, dictionary_at;
};

struct event_columns *event_columns_new(void);
void event_columns_free(struct event_columns *columns);
/* Begins a chunk of n events, of which n_of[kind] are of each kind: kinds, slots' numbers (slot_of) and room for the columns. */
void event_columns_begin(struct event_columns *columns, size_t n, const uint32_t n_of[KIND_END], uint8_t slot_of[KIND_END]);
/* The index of a text in the dictionary (0 for NULL), and back: the text of a string before the chunk is committed. */
uint32_t event_columns_text(struct event_columns *columns, const char *text, size_t length);
const char *event_columns_get(const struct event_columns *columns, uint32_t index, size_t *length); /* NULL for 0 */
/* For whole ids instead of texts: ids below n may be asked for. */
void event_columns_expect_strings(struct event_columns *columns, size_t n);
uint32_t event_columns_new_string(struct event_columns *columns, uint32_t id);
void event_columns_grow_lists(struct event_columns *columns);
static inline uint32_t event_columns_string(struct event_columns *columns, uint32_t id)
{
    return columns->seen[id].chunk == columns->chunk ? columns->seen[id].index : event_columns_new_string(columns, id);
}
static inline void event_columns_add_to_list(struct event_columns *columns, uint32_t index)
{
    if (columns->n_lists == columns->lists_capacity)
        event_columns_grow_lists(columns);
    columns->lists[columns->n_lists++] = index;
}
void event_columns_pack(struct event_columns *columns);

#endif
