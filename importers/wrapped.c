/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/wrapped.h"

size_t wrapped_row(struct lines *lines, size_t k, bool (*is_whole)(const struct line *), bool (*is_rest)(const struct line *),
                   struct text *joined, struct line *line)
{
    struct line first, next;
    if (!lines_peek(lines, k, line))
        return 0;
    if (is_whole(line))
        return 1;
    first = *line;
    text_truncate(joined, 0);
    text_add_n(joined, first.text, first.length);
    for (size_t n = 1; n < WRAPPED_MOST && lines_peek(lines, k + n, &next) && !line_is_blank(&next) && is_rest(&next); n++) {
        text_add_char(joined, ' ');
        text_add_n(joined, next.text, next.length);
        line->text = text_string(joined);
        line->length = joined->length;
        line->is_unterminated = next.is_unterminated;
        if (is_whole(line))
            return n + 1;
    }
    *line = first;
    return 1;
}
