/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rtla timerlat top: one row per CPU, one group of columns each for the timer interrupt, the thread and (6.5+) the
 * return to user space. Live mode prints the table again and again: frames of one run follow each other with a
 * duration and counts that never fall, and only the last one is taken.
 */
#include "importers/rtla.h"

#include <stdlib.h>

#include "base/memory.h"

struct group {
    bool has_data;
    int64_t min_ns, avg_ns, max_ns;
};
struct row {
    int cpu;
    uint64_t count; /* of the interrupt */
    struct group group[RTLA_N_COLUMNS];
    uint64_t line;
};
struct frame {
    int64_t duration_ns; /* NS_UNKNOWN */
    int64_t unit_ns;
    bool unit_is_stated;
    size_t n_groups;
    struct row *rows;
    size_t n_rows, capacity;
    struct row all; /* the ALL row */
    bool has_all;
    uint64_t line; /* of its heading */
};

static bool is_heading(struct cell text)
{
    return cell_starts(text, "CPU COUNT") && cell_has(text, "|") && cell_has(text, "min");
}

/* Groups of columns under the heading, without a last one that was cut at the terminal's width: its numbers are cut, too. */
static size_t heading_groups(struct import *import, struct cell text, uint64_t line)
{
    struct cells parts = {0};
    cells_add_parts(&parts, text.text, text.length, '|');
    size_t n = parts.n - 1;
    struct cell last = cell_trim(parts.cell[n]);
    if (n && !cell_ends(last, "max")) {
        n--;
        import_note(import, "entries-missing", line, "the table is cut on its right side: its last group of columns is not there");
    }
    cells_release(&parts);
    return n;
}

/* How many lines ahead the "CPU COUNT" heading of a frame that begins here is; -1 for no frame. */
static int heading_distance(struct lines *lines)
{
    struct line line;
    for (int k = 0; k < 3 && lines_peek(lines, (size_t)k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        if (is_heading(text))
            return k;
        bool is_title = cell_has(text, "Timer Latency");
        if (!is_title)
            return -1;
    }
    return -1;
}

/* min, avg and max are the last three of a group's words; three or four dashes stand for no data. */
static bool read_group(struct cell part, int64_t unit_ns, struct group *group)
{
    struct cells words = {0};
    cells_add_words(&words, part.text, part.length);
    *group = (struct group){0};
    int digits = unit_ns == 1 ? 0 : 3;
    bool is_good = words.n >= 3;
    if (is_good && !cell_is(words.cell[words.n - 1], "-")) {
        struct cell *w = words.cell + words.n - 3;
        group->has_data = is_good = cell_ns(w[0], digits, &group->min_ns) && cell_ns(w[1], digits, &group->avg_ns) &&
                                    cell_ns(w[2], digits, &group->max_ns);
    }
    cells_release(&words);
    return is_good;
}

/* "252" after the '#', or "49  e2" of the ALL row (digits cut after six). */
static bool read_count(struct cell text, uint64_t *count)
{
    struct cells words = {0};
    cells_add_words(&words, text.text, text.length);
    bool is_good = cell_u64(cells_at(&words, 0), count);
    uint64_t exponent = 0;
    if (is_good && cell_starts(cells_at(&words, 1), "e") && cell_u64(cell_from(words.cell[1], 1), &exponent))
        for (; exponent && *count < UINT64_MAX / 10; exponent--)
            *count *= 10;
    cells_release(&words);
    return is_good;
}

/* " 15 #12321 |  1  0  1  15 |  12  3  11  27": a row of a table that lost its head. Returns how many groups; 0: none. */
static size_t bare_groups(const struct line *line)
{
    struct cell text = cell_trim(cell_of(line));
    size_t digits = 0, n_groups = 0;
    while (digits < text.length && text.text[digits] >= '0' && text.text[digits] <= '9')
        digits++;
    if (!digits || digits > 5 || text.length < 20 || !cell_starts(cell_from(text, digits), " #"))
        return 0;
    struct cells parts = {0}, words = {0};
    cells_add_parts(&parts, text.text, text.length, '|');
    uint64_t count;
    bool is_good = parts.n >= 3 && parts.n <= 1 + RTLA_N_COLUMNS && read_count(cell_after(parts.cell[0], "#"), &count);
    for (size_t g = 1; is_good && g < parts.n; g++, n_groups++) {
        struct group group;
        size_t before = words.n;
        cells_add_words(&words, parts.cell[g].text, parts.cell[g].length);
        is_good = words.n - before == 4 && read_group(parts.cell[g], 1000, &group);
    }
    cells_release(&parts);
    cells_release(&words);
    return is_good ? n_groups : 0;
}

int rtla_top_probe(struct lines *lines)
{
    struct line line;
    if (lines_peek(lines, 0, &line) && bare_groups(&line))
        return LIKELY;
    if (!lines_peek(lines, 0, &line) || (!line_has(&line, "Timer Latency") && !line_has(&line, "CPU COUNT")))
        return NOT_MINE;
    return heading_distance(lines) >= 0 ? CERTAIN : NOT_MINE;
}

/* One row into the frame; false if the line is none. */
static bool read_row(struct import *import, struct frame *frame, struct line *line)
{
    struct cells parts = {0};
    cells_add_parts(&parts, line->text, line->length, '|');
    struct cell first = cells_at(&parts, 0), count = cell_after(first, "#");
    struct row row = {.line = line->number};
    bool is_all = cell_starts(first, "ALL");
    size_t hash = 0;
    while (hash < first.length && first.text[hash] != '#')
        hash++;
    struct cell cpu = cell_trim(cell_first(first, hash));
    bool is_row = parts.n >= 3 && hash < first.length && (is_all || cell_int(cpu, &row.cpu)) && row.cpu >= 0 &&
                  read_count(count, &row.count);
    for (size_t g = 0; is_row && g < frame->n_groups; g++)
        is_row = read_group(cells_at(&parts, 1 + g), frame->unit_ns, &row.group[g]);
    if (is_row && is_all) {
        frame->all = row;
        frame->has_all = true;
        /* with a group that has no data the row lacks its newline, and the next text follows the last bar */
        struct cell rest = cells_at(&parts, 1 + frame->n_groups);
        if (rtla_is_message(rest))
            rtla_message(import, rest, line->number);
    } else if (is_row) {
        memory_reserve(frame->rows, frame->capacity, frame->n_rows + 1);
        frame->rows[frame->n_rows++] = row;
    }
    cells_release(&parts);
    return is_row;
}

/* Reads the frame at the cursor and moves behind it. */
static void read_frame(struct import *import, struct lines *lines, struct frame *frame)
{
    *frame = (struct frame){.duration_ns = NS_UNKNOWN, .unit_ns = 1000};
    struct line line;
    if (lines_peek(lines, 0, &line) && (frame->n_groups = bare_groups(&line)) > 0)
        frame->line = line.number;
    while (!frame->n_groups && lines_peek(lines, 0, &line)) {
        struct cell text = cell_trim(cell_of(&line));
        if (cell_has(text, "Timer Latency (")) {
            rtla_duration(text, &frame->duration_ns);
            frame->unit_is_stated = cell_has(text, "(us)") || cell_has(text, "(ns)");
            frame->unit_ns = cell_has(text, "(ns)") ? 1 : 1000;
        }
        lines_skip(lines, 1);
        if (is_heading(text)) {
            frame->line = line.number;
            frame->n_groups = heading_groups(import, text, line.number);
            break;
        }
    }
    if (frame->n_groups > RTLA_N_COLUMNS)
        frame->n_groups = RTLA_N_COLUMNS;
    while (lines_peek(lines, 0, &line)) {
        struct cell text = cell_trim(cell_of(&line));
        if (!cell_starts(text, "-----") && !read_row(import, frame, &line))
            break;
        lines_skip(lines, 1);
    }
}

/* Whether b shows the same run as a, later: nothing in it went back. */
static bool frame_continues(const struct frame *a, const struct frame *b)
{
    if (b->n_groups < a->n_groups || b->n_rows < a->n_rows || b->unit_ns != a->unit_ns ||
        (a->duration_ns != NS_UNKNOWN && b->duration_ns < a->duration_ns))
        return false;
    for (size_t i = 0, k = 0; i < a->n_rows; i++) {
        while (k < b->n_rows && b->rows[k].cpu != a->rows[i].cpu)
            k++;
        if (k == b->n_rows || b->rows[k].count < a->rows[i].count)
            return false;
    }
    return true;
}

/* The ALL row is a sum of the others: it checks what was read. */
static void check_all(struct import *import, const struct frame *frame)
{
    uint64_t count = 0;
    for (size_t i = 0; i < frame->n_rows; i++)
        count += frame->rows[i].count;
    uint64_t scale = 1;
    for (uint64_t c = count; c >= 1000000; c /= 10)
        scale *= 10;
    if (count / scale != frame->all.count / scale)
        import_note(import, "counts-mismatch", frame->all.line, "the rows count %llu interrupts, the ALL row %llu",
                    (unsigned long long)count, (unsigned long long)frame->all.count);
    for (size_t g = 0; g < frame->n_groups; g++) {
        int64_t max_ns = 0;
        bool has_data = false;
        for (size_t i = 0; i < frame->n_rows; i++) {
            const struct group *group = &frame->rows[i].group[g];
            has_data |= group->has_data;
            if (group->has_data && group->max_ns > max_ns)
                max_ns = group->max_ns;
        }
        if (has_data && frame->all.group[g].has_data && frame->all.group[g].max_ns != max_ns)
            import_note(import, "counts-mismatch", frame->all.line,
                        "largest %s latency of the rows is %lld ns, of the ALL row %lld ns", rtla_column_names[g],
                        (long long)max_ns, (long long)frame->all.group[g].max_ns);
    }
}

static void store_frame(struct import *import, const struct frame *frame)
{
    for (size_t i = 0; i < frame->n_rows; i++) {
        const struct row *row = &frame->rows[i];
        for (size_t g = 0; g < frame->n_groups; g++) {
            char name[32];
            struct series series = rtla_timerlat_series(row->cpu, (enum rtla_column)g, frame->unit_ns, name, sizeof name);
            series.duration_ns = frame->duration_ns;
            if (!frame->unit_is_stated)
                series.unit_evidence = "the line with the unit is missing; rtla prints us unless asked";
            series.n_samples = !row->group[g].has_data ? 0 : row->count ? row->count : COUNT_UNKNOWN; /* threads of no counted interrupt */
            if (row->group[g].has_data) {
                series.min_ns = row->group[g].min_ns;
                series.avg_ns = (double)row->group[g].avg_ns;
                series.max_ns = row->group[g].max_ns;
                if (g)
                    import_note(import, "not-measured", row->line,
                                "COUNT is that of the interrupt; %s is taken to have as many samples (true to one "
                                "unless events were lost)", rtla_column_names[g]);
            }
            import_series(import, &series);
        }
    }
    if (!frame->unit_is_stated)
        import_note(import, "unit-assumed", frame->line, "the heading with the unit is missing: us assumed");
    if (frame->has_all)
        check_all(import, frame);
    if (!frame->n_rows)
        import_note(import, "no-samples", frame->line, "the table has no rows");
}

enum status rtla_top_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct frame last, next;
    read_frame(import, lines, &last);
    for (;;) {
        size_t mark = lines_tell(lines);
        struct line line;
        while (lines_peek(lines, 0, &line) && line_is_blank(&line))
            lines_skip(lines, 1);
        if (heading_distance(lines) < 0) {
            lines_seek(lines, mark);
            break;
        }
        read_frame(import, lines, &next);
        if (!frame_continues(&last, &next)) {
            lines_seek(lines, mark);
            free(next.rows);
            break;
        }
        free(last.rows);
        last = next;
    }
    store_frame(import, &last);
    free(last.rows);
    return OK;
}
