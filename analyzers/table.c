/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every analyzer, in the order in which they run: data and conditions first, then outliers and what is drawn from
 * them, then verdicts (which weigh the outliers), then comparisons. To add one: its descriptor in a file of its own,
 * and a row here.
 */
#include "analyzers/analyzer.h"

#define ANALYZERS(X)                                                                                         \
    X(data)                                                                                                  \
    X(conditions)                                                                                            \
    X(timer_hangs)                                                                                           \
    X(explain)                                                                                               \
    X(bound)                                                                                                 \
    X(validate)                                                                                              \
    X(compare)

#define X(name) extern const struct analyzer analyzer_##name;
ANALYZERS(X)
#undef X

const struct analyzer *const analyzers[] = {
#define X(name) &analyzer_##name,
    ANALYZERS(X)
#undef X
    NULL,
};
