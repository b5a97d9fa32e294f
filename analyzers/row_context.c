/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/row_context.h"

#include <stdio.h>

bool stream_softirq_flag_serves(const struct stream *stream)
{
    unsigned major, minor;
    if (!stream->kernel || sscanf(stream->kernel, "%3u.%4u", &major, &minor) != 2)
        return false;
    return major > 4 || (major == 4 && minor >= 11);
}

int32_t row_context_of(unsigned kind, uint32_t flags, uint32_t flags_known, bool softirq_flag_serves)
{
    if ((kind != KIND_FUNCTION && kind != KIND_FUNCGRAPH_ENTRY) || flags & FLAG_DOUBTFUL)
        return OPEN_NONE;
    if (flags & flags_known & FLAG_NMI)
        return OPEN_NMI;
    if (flags & flags_known & FLAG_HARDIRQ)
        return OPEN_VECTOR;
    return softirq_flag_serves && flags & flags_known & FLAG_SOFTIRQ ? OPEN_SOFTIRQ : OPEN_NONE;
}

bool stream_rows_missing(const struct store *store, uint32_t stream)
{
    const struct stream *s = &store->streams[stream];
    if (stream_lacks_entries(s))
        return true;
    for (size_t i = 0; i < store->n_gaps; i++)
        if (store->gaps[i].run == s->run && store->gaps[i].stream == stream)
            return true;
    return false;
}
