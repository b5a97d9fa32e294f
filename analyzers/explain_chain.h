/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYZERS_EXPLAIN_CHAIN_H
#define ANALYZERS_EXPLAIN_CHAIN_H

#include "analyzers/chain.h"
#include "analyzers/typicals.h"

struct chain_input {
    const struct cause_input *own;  /* of the late thread's own part: decided, its sweep is added to */
    struct window *window;          /* all of it; begins later if the first links turn out not to be known */
    struct typicals *typicals;      /* of the wakers */
    int64_t lookback_ns;
};
/* Puts the links' waits and work into the sweep, which then fills the whole window, and the decision right. */
enum status chain_explain(const struct chain_input *input, struct chain *chain, struct decision *decision, struct error *error);

#endif
