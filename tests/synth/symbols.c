/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/synth/event.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define MAX_SYMBOLS 512
#define TEXT_START  UINT64_C(0xffffffff81000000)
#define SPACING     0x1000

static const char *names[MAX_SYMBOLS] = {"_stext"};
static unsigned n_names = 1;

uint64_t symbol_address(const char *function)
{
    for (unsigned i = 0; i < n_names; i++)
        if (!strcmp(names[i], function))
            return TEXT_START + (uint64_t)i * SPACING;
    if (n_names == MAX_SYMBOLS)
        return 0;
    names[n_names] = memory_string(function);
    return TEXT_START + (uint64_t)n_names++ * SPACING;
}

char *symbol_table(void)
{
    struct text text = {0};
    for (unsigned i = 0; i < n_names; i++)
        text_format(&text, "%016llx T %s\n", (unsigned long long)(TEXT_START + (uint64_t)i * SPACING), names[i]);
    text_format(&text, "%016llx T _etext\n", (unsigned long long)(TEXT_START + (uint64_t)n_names * SPACING));
    char *copy = memory_string(text_string(&text));
    text_release(&text);
    return copy;
}
