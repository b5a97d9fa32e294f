/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/ftrace/reader.h"

uint64_t reader_hot_loop(struct ftrace_reader *reader, struct import *import, struct lines *lines)
{
    (void)reader; (void)import; (void)lines;
    return 0;
}
