/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which tables of rows a run file has, and how a row of each is laid out: one line per member, in file order.
 * Private to store/. docs/run-file.md says the same in words.
 *
 * To add a member to a row: append it to its table's list in row_table.c, correct the size asserted there, and add
 * a line to docs/run-file.md and tests/run_file_reader.py. Readers take what an older file lacks as unknown.
 */
#ifndef STORE_ROW_TABLE_H
#define STORE_ROW_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/rows.h"

/* In the order written: a row refers only to tables above its own, or to itself. */
enum row_table_id {
    TABLE_RUNS = 1, TABLE_ARTEFACTS, TABLE_STREAMS, TABLE_SERIES, TABLE_CLAIMS, TABLE_CLAIM_PARTS, TABLE_CLAIM_STACKS,
    TABLE_FACTS, TABLE_NOTES, TABLE_COUNTERS, TABLE_GAPS, TABLE_CLOCK_PAIRS, TABLE_TASKS, TABLE_SAMPLE_COUNTERS,
    N_TABLES
};

/* Lists that hang on a row are tables of their own. */
struct claim_part_row {
    uint32_t claim;
    struct claim_part part;
};
struct claim_stack_row {
    uint32_t claim;
    const char *frame;
};
struct sample_counter_row {
    uint32_t series;
    const char *name;
};

enum field_type { FIELD_U32, FIELD_I32, FIELD_I64, FIELD_U64, FIELD_F64, FIELD_BOOL, FIELD_STRING, FIELD_HEX, FIELD_DECIMAL };
struct row_field {
    uint16_t offset;
    uint8_t type;          /* enum field_type */
    uint8_t refers_to;     /* enum row_table_id: the number is a row of it */
    bool is_optional;      /* the reference may be ROW_NONE */
    uint32_t max;          /* an enum's largest value; what is beyond reads as 0. 0: no enum */
    const char *name;
};
struct row_table {
    const char *name;
    size_t row_size; /* of the struct */
    size_t n_fields;
    const struct row_field *fields;
};
extern const struct row_table row_tables[N_TABLES];

size_t row_table_row_bytes(const struct row_table *table); /* of an encoded row */

/* Encodes one row; string(context, text) gives the id of a string. */
typedef uint32_t row_string_id(void *context, const char *string);
void row_encode(const struct row_table *table, const void *row, unsigned char *out, row_string_id *string, void *context);

/*
 * Decodes one row of row_bytes bytes; members that the file does not have are unknown. n_rows: how many rows each
 * table has, to check references; false if one is out of range.
 */
typedef const char *row_string(void *context, uint32_t id);
bool row_decode(const struct row_table *table, const unsigned char *bytes, size_t row_bytes, void *row,
                const size_t n_rows[N_TABLES], row_string *string, void *context);

#endif
