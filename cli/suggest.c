/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/suggest.h"

#include <string.h>

#include "cli/command.h"

#define MAX_WORD 31

/* Edit distance with swaps of neighbours (optimal string alignment), both words at most MAX_WORD long. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), d[MAX_WORD + 1][MAX_WORD + 1];
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (!i || !j) {
                d[i][j] = i + j;
                continue;
            }
            size_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            size_t drop = d[i - 1][j] + 1, add = d[i][j - 1] + 1;
            d[i][j] = change < drop ? change : drop;
            if (add < d[i][j])
                d[i][j] = add;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[n][m];
}

const char *suggest_command(const char *word)
{
    const char *best = NULL;
    size_t nearest = 3; /* farther is no typing mistake */
    if (strlen(word) > MAX_WORD)
        return NULL;
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->summary && distance(word, commands[i]->name) < nearest) {
            best = commands[i]->name;
            nearest = distance(word, best);
        }
    return best;
}
