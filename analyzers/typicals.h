/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The typical ledgers of the threads met so far: what a wakeup of theirs takes when nothing is wrong. */
#ifndef ANALYZERS_TYPICALS_H
#define ANALYZERS_TYPICALS_H

#include "analyzers/selection.h"
#include "analyzers/shares.h"
#include "analyzers/trace_findings.h"

#define TYPICAL_MIN 4 /* windows, below which nothing is called typical */

struct typicals {
    const struct store *store;
    struct word_classes *words;
    struct arena *arena;
    const struct selection *selection;
    struct contrast *contrast; /* counts what the typical windows show; NULL */
    size_t n, capacity;
    struct typical_of {
        int32_t tid;
        uint32_t stream;
        struct typical typical;
    } *items;
};
/* Of the window's thread, made at the first call; n_windows 0: none. NULL: failed. A loan until the next call. */
const struct typical *typicals_of(struct typicals *typicals, const struct window *window, struct error *error);
void typicals_release(struct typicals *typicals);

#endif
