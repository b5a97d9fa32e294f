/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the importer of drawn tables: what a column or row title says. */
#ifndef IMPORTERS_GRID_H
#define IMPORTERS_GRID_H

#include "importers/cells.h"
#include "importers/importer.h"

#define GRID_COLUMNS 24
#define GRID_GROUP_BYTES 64

enum grid_kind { GRID_LABEL, GRID_MIN, GRID_AVG, GRID_MAX, GRID_COUNT, GRID_DURATION, GRID_OTHER };

struct grid_title {
    enum grid_kind kind;
    int digits;                   /* the unit: 10^digits ns; negative: none, or no time */
    bool speaks_of_latency;
    char group[GRID_GROUP_BYTES]; /* what is left of the title: "RT" of "RT max (us)" */
    size_t group_index;
};

static inline bool grid_is_value(enum grid_kind kind)
{
    return kind == GRID_MIN || kind == GRID_AVG || kind == GRID_MAX;
}

/* A cell without what Markdown puts around a word, and without the marks of footnotes behind it. */
struct cell grid_plain(struct cell cell);
struct grid_title grid_title_of(struct cell cell);
/* "57,3", "0,012": not thousands as "1,234". */
bool grid_is_decimal_comma(struct cell cell);
/* "35", "180us", "2.0 ms", "~200 us"; digits: the unit of the title, negative: none. *has_unit: one stood in the cell. */
bool grid_value(struct cell cell, int digits, bool has_decimal_comma, int64_t *ns, bool *has_unit);
bool grid_count(struct cell cell, uint64_t *count);
/* "600 s", "15 min", "12h", "00:10:00" */
bool grid_duration(struct cell cell, int64_t *ns);

#endif
