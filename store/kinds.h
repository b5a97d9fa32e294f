/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The word layout of each event kind, for loops that check or rewrite many events. Private to store/. */
#ifndef STORE_KINDS_H
#define STORE_KINDS_H

#include "store/events.h"

struct kind_layout {
    bool is_known;
    bool has_list;          /* an S argument: strings up to the end */
    uint8_t n_words;        /* without the list */
    uint8_t n_strings;
    uint8_t string_words[9]; /* positions of its string ids */
};
const struct kind_layout *kind_layouts(void); /* KIND_END of them */

#endif
