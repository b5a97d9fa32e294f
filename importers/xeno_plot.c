/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The histogram file of Xenomai's `latency -g` (2.6.1 to 3.3).
 *
 *     # 00:00:20 (periodic user-mode task, 2000 us period, priority 99)
 *     # ----lat min|----lat avg|----lat max|-overrun|---msw|
 *     #      56.544|   1307.714|  94622.848|    2119|     0|
 *     56 1
 *     56.5 2
 *
 * The first and the last row are artificial (an edge with count 1), every other count has one added, for logarithmic
 * plots; x is the middle of a bucket. Both are undone. The lines with # exist since 3.0, and `xeno-config --info`
 * follows them. The last bucket holds all that is larger.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "importers/xeno_latency.h"

/* "# 00:00:20 (periodic user-mode task, 2000 us period, priority 99)" */
static bool is_comment_head(struct cell text)
{
    int64_t duration_ns;
    if (!cell_starts(text, "# ") || !cell_has(text, " us period") || cell_has(text, "CPU"))
        return false;
    struct cell clock = cell_trim(cell_from(text, 1));
    const char *open = memchr(clock.text, '(', clock.length);
    return open && cell_clock_ns(cell_trim(cell_first(clock, (size_t)(open - clock.text))), &duration_ns);
}

/* "x count" */
static bool read_pair(const struct line *line, int64_t *x_ns, uint64_t *count)
{
    struct cells words = {0};
    cells_of_line(&words, line);
    bool is_pair = words.n == 2 && cell_ns(words.cell[0], 3, x_ns) && cell_u64(words.cell[1], count);
    cells_release(&words);
    return is_pair;
}

static struct probe_result plot_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line) || line.length < 3)
        return (struct probe_result){NOT_MINE, NULL};
    struct cell text = cell_trim(cell_of(&line));
    if (is_comment_head(text))
        return (struct probe_result){CERTAIN, NULL};
    /* without head: an edge of count 1, then rows half a bucket and a bucket further on */
    int64_t x[4];
    uint64_t count[4];
    for (size_t k = 0; k < 4; k++)
        if (!lines_peek(lines, k, &line) || !read_pair(&line, &x[k], &count[k]) || !count[k])
            return (struct probe_result){NOT_MINE, NULL};
    bool is_plot = count[0] == 1 && x[1] > x[0] && x[2] - x[1] == 2 * (x[1] - x[0]) && x[3] > x[2];
    return (struct probe_result){is_plot ? LIKELY : NOT_MINE, NULL};
}

/* The text behind "# Name:" as a fact. */
static void read_info(struct import *import, struct cell text)
{
    static const struct {
        const char *prefix, *key;
    } infos[] = {
        {"Xenomai version: ", "xenomai.version"}, {"Kernel parameters: ", "cmdline"},
        {"Compiler: ", "xenomai.compiler"},       {"Build args: ", "xenomai.build_args"},
        {"I-pipe release #", "ipipe.release"},    {"Cobalt core ", "cobalt.version"},
    };
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++)
        if (cell_starts(text, infos[i].prefix)) {
            struct cell value = cell_trim(cell_from(text, strlen(infos[i].prefix)));
            if (cell_ends(value, " detected"))
                value = cell_first(value, value.length - strlen(" detected"));
            if (value.length)
                import_fact(import, infos[i].key, "%.*s", CELL_ARGS(value));
            if (i == 0)
                import_tool_version(import, "%.*s", CELL_ARGS(value));
        }
    if (cell_starts(text, "Linux ")) { /* as of uname -a: host, release */
        struct cells words = {0};
        cells_add_words(&words, text.text, text.length);
        bool has_host = words.n > 1 && (words.cell[1].text[0] < '0' || words.cell[1].text[0] > '9' || !cell_has(words.cell[1], "."));
        if (words.n > 1U + has_host)
            import_fact(import, "kernel.release", "%.*s", CELL_ARGS(words.cell[1 + has_host]));
        cells_release(&words);
    }
}

static void read_comment(struct import *import, struct latency_result *result, struct cell text)
{
    text = cell_trim(cell_from(text, 1));
    if (cell_has(text, " us period") && cell_has(text, "(")) {
        struct cells words = {0};
        cells_add_words(&words, text.text, text.length);
        cell_clock_ns(cells_at(&words, 0), &result->duration_ns);
        cells_release(&words);
        latency_read_context(import, result, text);
        return;
    }
    if (!memchr(text.text, '|', text.length)) {
        read_info(import, text);
        return;
    }
    struct cells parts = {0};
    cells_add_parts(&parts, text.text, text.length, '|');
    int64_t avg_ns;
    if (parts.n >= 4 && cell_ns(parts.cell[0], 3, &result->min_ns) && cell_ns(parts.cell[1], 3, &avg_ns) &&
        cell_ns(parts.cell[2], 3, &result->max_ns)) {
        result->avg_ns = (double)avg_ns;
        cell_u64(cells_at(&parts, 3), &result->n_overruns);
        cell_u64(cells_at(&parts, 4), &result->n_switches);
    }
    cells_release(&parts);
}

static int64_t smallest_step(const struct bin *rows, size_t n_rows)
{
    int64_t step = INT64_MAX;
    for (size_t i = 2; i + 1 < n_rows; i++)
        if (rows[i].low_ns - rows[i - 1].low_ns < step)
            step = rows[i].low_ns - rows[i - 1].low_ns;
    return step;
}

/* Rows as they came to bins: the edges go, the added ones go, x becomes the lower edge. */
static void undo_plot(struct import *import, struct latency_result *result, struct bin *rows, size_t n_rows)
{
    if (n_rows < 2)
        return;
    int64_t half_ns = rows[1].low_ns - rows[0].low_ns;
    bool has_first = half_ns > 0 && rows[0].count == 1 && (n_rows < 3 || rows[2].low_ns - rows[1].low_ns != half_ns);
    int64_t step_ns = smallest_step(rows, n_rows);
    if (!has_first && n_rows > 4 && step_ns > 1 && rows[0].low_ns % step_ns == step_ns / 2) {
        half_ns = step_ns / 2; /* all rows are middles of buckets */
        import_note(import, "file-truncated", result->line, "the first edge row is missing; the bucket size is that of the rows");
    } else if (!has_first) {
        import_note(import, "file-truncated", result->line, "the first edge row is missing: the bucket size is unknown, "
                                                            "the histogram is not used");
        return;
    }
    int64_t width_ns = 2 * half_ns;
    struct bin *last = &rows[n_rows - 1];
    bool has_last = last->count == 1 && n_rows > 2 && last->low_ns - last[-1].low_ns <= half_ns + half_ns / 2;
    /* The head knows the maximum: with its row there, no more than the edge is missing. */
    bool has_maximum = result->max_ns != NS_UNKNOWN && last->low_ns + half_ns >= result->max_ns;
    if (!has_last && !has_maximum) {
        result->is_cut = true;
        import_note(import, "file-truncated", result->line, "the last edge row is missing: the file is cut");
    }
    size_t end = has_last ? n_rows - 1 : n_rows;
    memory_reserve(result->bins, result->bins_capacity, n_rows);
    result->n_bins = 0;
    for (size_t i = has_first; i < end; i++)
        if (rows[i].count > 1)
            result->bins[result->n_bins++] = (struct bin){rows[i].low_ns - half_ns, rows[i].count - 1};
    result->bin_width_ns = width_ns;
    result->is_folded = true;
}

/*
 * The last line of `xeno-config --info` has no line end, so the first edge row stands behind it:
 * "PKG_CONFIG_PATH=:/usr/xenomai/lib/pkgconfig0 1". It is one if the row below lies further on.
 */
static bool read_glued_edge(struct lines *lines, struct bin *edge)
{
    struct line line, next;
    int64_t next_ns;
    uint64_t next_count;
    if (!lines_peek(lines, 0, &line) || !lines_peek(lines, 1, &next) || !read_pair(&next, &next_ns, &next_count))
        return false;
    struct cell text = cell_trim(cell_of(&line));
    if (!cell_ends(text, " 1"))
        return false;
    struct cell x = cell_trim(cell_first(text, text.length - 2));
    size_t begin = x.length;
    while (begin > 0 && ((x.text[begin - 1] >= '0' && x.text[begin - 1] <= '9') || x.text[begin - 1] == '.'))
        begin--;
    edge->count = 1;
    return begin > 0 && cell_ns(cell_from(x, begin), 3, &edge->low_ns) && edge->low_ns < next_ns;
}

/* Lines that a post lost its '#' of, or cut ("......"), stand between head and rows: what follows shows that they do. */
static bool head_goes_on(struct lines *lines)
{
    struct line line;
    int64_t x_ns;
    uint64_t count;
    for (size_t k = 1; k <= 4 && lines_peek(lines, k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (cell_starts(text, "# I-pipe ") || cell_starts(text, "# Cobalt ") || cell_starts(text, "# Compiler") || cell_starts(text, "# Build "))
            return true;
        if (read_pair(&line, &x_ns, &count))
            return lines_peek(lines, k + 1, &line) && read_pair(&line, &x_ns, &count);
    }
    return false;
}

static enum status plot_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct latency_result result;
    latency_init(&result);
    result.line = lines_number(lines);
    struct bin *rows = NULL, edge;
    size_t n_rows = 0, capacity = 0;
    struct line line;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1)) {
        struct cell text = cell_trim(cell_of(&line));
        int64_t x_ns;
        uint64_t count;
        if (cell_starts(text, "#") && !n_rows) {
            read_comment(import, &result, text);
        } else if (read_pair(&line, &x_ns, &count)) {
            if (n_rows && x_ns < rows[n_rows - 1].low_ns)
                break;
            memory_reserve(rows, capacity, n_rows + 1);
            rows[n_rows++] = (struct bin){x_ns, count};
        } else if (!n_rows && read_glued_edge(lines, &edge)) {
            memory_reserve(rows, capacity, n_rows + 1);
            rows[n_rows++] = edge;
        } else if (n_rows || !head_goes_on(lines)) {
            break;
        }
    }
    if (lines_peek(lines, 0, &line) && n_rows && lines_at_end(lines) == false && line.length < 12) {
        /* a last line without its count: the file was cut within it */
        struct cells words = {0};
        cells_of_line(&words, &line);
        int64_t x_ns;
        if (words.n == 1 && cell_ns(words.cell[0], 3, &x_ns)) {
            import_note(import, "file-truncated", line.number, "the last row is cut");
            lines_skip(lines, 1);
        }
        cells_release(&words);
    }
    undo_plot(import, &result, rows, n_rows);
    latency_store(import, &result);
    latency_release(&result);
    free(rows);
    return OK;
}

static const char *const xeno_plot_marks[] = {"^#", "^0", "^-", "^+", "^.", NULL};

const struct importer importer_xeno_plot = {
    .name = "xenomai-plot",
    .summary = "histogram files of Xenomai latency -g",
    .reads = "Xenomai 2.6.1 to 3.3: with and without the commented head; added ones and edge rows are undone",
    .probe_lines = plot_probe,
    .read_lines = plot_read,
    .marks = xeno_plot_marks,
};
