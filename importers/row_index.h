/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows by a hash of their key, newest first: so that "is it there already?" does not read all rows, of which hostile files have
 * hundreds of thousands. Rows are numbered from 0 without gaps and are added in order.
 *
 *     for (uint32_t row = row_index_newest(&index, hash); row != ROW_NONE; row = row_index_older(&index, row))
 *         if (...)   equal hashes need not be equal keys
 */
#ifndef IMPORTERS_ROW_INDEX_H
#define IMPORTERS_ROW_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is an empty index. */
struct row_index {
    size_t n_rows;
    struct row_link {
        uint64_t hash;
        uint32_t older; /* row of the same hash, or ROW_NONE */
        uint32_t n;     /* rows of the same hash up to this one */
    } *links;           /* [n_rows] */
    size_t links_capacity;
    uint32_t *slots;    /* newest row + 1; 0: free */
    size_t n_slots, n_used;
};
void row_index_clear(struct row_index *index); /* forgets its rows: they changed their keys */
void row_index_release(struct row_index *index);
void row_index_add(struct row_index *index, uint64_t hash); /* of row number n_rows */
uint32_t row_index_newest(const struct row_index *index, uint64_t hash); /* ROW_NONE */
static inline uint32_t row_index_older(const struct row_index *index, uint32_t row)
{
    return index->links[row].older;
}

/* Hashes of keys: begin with ROW_HASH. */
#define ROW_HASH UINT64_C(14695981039346656037)
uint64_t row_hash_number(uint64_t hash, uint64_t number);
uint64_t row_hash_text(uint64_t hash, const char *text); /* NULL is not "" */

#endif
