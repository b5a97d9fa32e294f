/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block is known by the hashes of its lines, blanks squeezed, so that a reply's editor may have set them anew:
 *
 *     T: 0 ( 1633) P:80 ... Max:     161         read
 *     > T: 0 ( 1633) P:80 ... Max:     161       the same, quoted
 *
 * Commands and rows of histograms are alike in different results. So only blocks that gave a series count, at another depth of
 * quoting, and lines that repeat a part of one are left out only where the quote ends with them.
 */
#include "importers/quoted_again.h"

#include <string.h>

#include "base/memory.h"

#define MAX_TEXT_BYTES ((size_t)4 << 20) /* a thread's; longer texts are logs */
#define MAX_BLOCK_LINES 4096
#define MAX_ALL_LINES   100000
#define TELLING_BYTES   20 /* a line alone of fewer says nothing */

struct block {
    size_t first, n; /* in hashes */
    unsigned quote_depth; /* of its first line */
};
struct quoted_again {
    uint64_t *hashes;
    size_t n_hashes, hashes_capacity;
    struct block *blocks;
    size_t n_blocks, blocks_capacity;
};

struct quoted_again *quoted_again_new(const struct lines *lines, size_t size)
{
    return lines_may_be_quoted(lines) && size <= MAX_TEXT_BYTES ? memory_new(sizeof(struct quoted_again)) : NULL;
}

void quoted_again_free(struct quoted_again *seen)
{
    if (!seen)
        return;
    free(seen->hashes);
    free(seen->blocks);
    free(seen);
}

static uint64_t hash_of(const struct line *line)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *p = line->text, *end = p + line->length;
    while (scan_blanks(&p, end), p < end) {
        for (; p < end && *p != ' ' && *p != '\t'; p++)
            hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
        hash = (hash ^ ' ') * UINT64_C(0x100000001b3);
    }
    return hash;
}

void quoted_again_keep(struct quoted_again *seen, struct lines *lines, size_t begin)
{
    size_t end = lines_tell(lines);
    if (!seen || end - begin > MAX_BLOCK_LINES || seen->n_hashes + (end - begin) > MAX_ALL_LINES)
        return;
    struct block block = {.first = seen->n_hashes};
    struct line line;
    memory_reserve(seen->hashes, seen->hashes_capacity, seen->n_hashes + (end - begin));
    lines_seek(lines, begin);
    for (size_t k = 0; k < end - begin && lines_peek(lines, k, &line); k++) {
        if (line_is_blank(&line))
            continue;
        seen->hashes[seen->n_hashes++] = hash_of(&line);
        block.quote_depth = seen->n_hashes == block.first + 1 ? line.quote_depth : block.quote_depth;
    }
    lines_seek(lines, end);
    block.n = seen->n_hashes - block.first;
    if (!block.n)
        return;
    memory_reserve(seen->blocks, seen->blocks_capacity, seen->n_blocks + 1);
    seen->blocks[seen->n_blocks++] = block;
}

/* "[...]", "...", "<snip>": the rest was not quoted. */
static bool is_cut_mark(const struct line *line)
{
    return line_starts(line, "...") || line_starts(line, "[...") || line_starts(line, "[snip") || line_starts(line, "<snip");
}

/* The lines from the cursor on that are those of the block from `at` on; 0: they go on otherwise. */
static size_t match(const struct quoted_again *seen, const struct block *block, size_t at, struct lines *lines)
{
    struct line line, first;
    size_t k = 0, n_lines = 0, n_matched = 0;
    bool is_behind_blank = false;
    lines_peek(lines, 0, &first);
    for (; at < block->n && lines_peek(lines, k, &line); k++) {
        if (line_is_blank(&line)) {
            is_behind_blank = true;
            continue;
        }
        if (seen->hashes[block->first + at] != hash_of(&line)) {
            bool has_ended = line.quote_depth != first.quote_depth || is_cut_mark(&line);
            return (has_ended && first.length >= TELLING_BYTES) || ((has_ended || is_behind_blank) && n_matched > 1) ? n_lines : 0;
        }
        is_behind_blank = false;
        n_matched++;
        at++;
        n_lines = k + 1;
    }
    return n_lines;
}

size_t quoted_again_length(const struct quoted_again *seen, struct lines *lines)
{
    struct line line;
    size_t longest = 0;
    if (!seen || !lines_peek(lines, 0, &line))
        return 0;
    uint64_t hash = hash_of(&line);
    for (size_t b = 0; b < seen->n_blocks; b++) {
        const struct block *block = &seen->blocks[b];
        for (size_t at = 0; at < block->n && line.quote_depth != block->quote_depth; at++)
            if (seen->hashes[block->first + at] == hash) {
                size_t n = match(seen, block, at, lines);
                longest = n > longest ? n : longest;
            }
    }
    return longest;
}
