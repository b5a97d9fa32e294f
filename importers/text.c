/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walker of text files: asks every text importer whether a block of its format begins at the current line and lets
 * the surest read it. Lines that nobody takes are prose. Each line is asked about once, so foreign text costs linear time.
 */
#include "importers/marks.h"
#include "importers/private.h"
#include "importers/quoted_again.h"

#include <stdlib.h>
#include <string.h>

static const char *wanted_format(const struct import *import)
{
    return import->private->options->format;
}

/* The surest text importer of those in the mask (importers/marks.h) for the current line. */
static const struct importer *choose(struct import *import, struct lines *lines, uint64_t mask, struct probe_result *best)
{
    const struct importer *chosen = NULL;
    const char *wanted = import->private->options->format;
    *best = (struct probe_result){0};
    if (wanted) {
        const struct importer *importer = importer_find(wanted);
        if (importer && importer->probe_lines) {
            *best = importer->probe_lines(lines, import->member);
            return best->sureness ? importer : NULL;
        }
        return NULL;
    }
    for (; mask; mask &= mask - 1) {
        const struct importer *importer = marks_importer((unsigned)__builtin_ctzll(mask));
        struct probe_result result = importer->probe_lines(lines, import->member);
        if (result.sureness > best->sureness) {
            *best = result;
            chosen = importer;
        }
    }
    return chosen;
}

/* What the front end repaired, as notes. Harmless repairs have a code of their own. */
static void note_repairs(struct import *import, const struct lines *lines)
{
    unsigned repairs = lines_repairs(lines);
    if (import->member->turned)
        import_note(import, "repaired-text", 0, "read as the text of %s: lines are counted there", import->member->turned);
    for (int bit = 0; bit < N_REPAIRS; bit++) {
        if (!(repairs >> bit & 1))
            continue;
        enum repair repair = (enum repair)(1u << bit);
        uint64_t first, n = lines_repair_count(lines, repair, &first);
        import_note_n(import, "repaired-text", n, first, "undone: %s", repair_name(repair));
    }
}

/*
 * Huge logs of others repeat a few forms of lines millions of times. A form (digits and letters' case aside) that nobody
 * wanted hundreds of times is not offered again: fifty importers need microseconds to say no.
 */
#define N_FORMS        4096
#define FORM_MAX_BYTES 96
#define FORM_REFUSALS  200

#define MAX_SPANS 100000

/* So many lines of a text are offered to all: some forms are known by the file's name and its first line. */
#define N_LINES_FOR_ALL 64

struct forms {
    uint64_t hash[N_FORMS];
    uint32_t n_refused[N_FORMS];
};

static uint64_t form_hash(const struct line *line)
{
    uint64_t hash = 14695981039346656037u;
    size_t n = line->length < FORM_MAX_BYTES ? line->length : FORM_MAX_BYTES;
    char last = 0;
    for (size_t i = 0; i < n; i++) {
        char c = line->text[i];
        if (c >= '0' && c <= '9')
            c = '0';
        if (c == last && (c == '0' || c == ' '))
            continue;
        hash = (hash ^ (unsigned char)c) * 1099511628211u;
        last = c;
    }
    return hash;
}

static bool form_is_refused(const struct forms *forms, uint64_t hash)
{
    size_t slot = hash >> 52;
    return forms->hash[slot] == hash && forms->n_refused[slot] >= FORM_REFUSALS;
}

static void form_refuse(struct forms *forms, uint64_t hash)
{
    size_t slot = hash >> 52;
    if (forms->hash[slot] != hash) {
        forms->hash[slot] = hash;
        forms->n_refused[slot] = 0;
    }
    forms->n_refused[slot]++;
}

/*
 * Lines that were read are no sentences. A single line of which the importer was not sure may hold one: "with cyclictest -p 80
 * the worst case is 50 us".
 */
static void take_lines(struct import *import, size_t begin, size_t end, int sureness)
{
    struct import_private *private = import->private;
    if ((end - begin < 2 && sureness < LIKELY) || private->n_taken >= MAX_SPANS)
        return;
    if (private->n_taken && private->taken[private->n_taken - 1].end == begin) {
        private->taken[private->n_taken - 1].end = end;
        return;
    }
    memory_reserve(private->taken, private->taken_capacity, private->n_taken + 1);
    private->taken[private->n_taken++] = (struct taken_lines){begin, end};
}

/* A text on its way through the importers. */
struct walk {
    struct import *import;
    struct lines *lines;
    struct forms *forms;
    struct quoted_again *seen;
    uint64_t n_again, first_again; /* lines of results that a reply quotes once more */
    uint64_t all, by_name;   /* importers that may be asked: of all lines; of lines without a mark, for the member's name */
    const char *unsupported; /* why the first block of a form that cannot be read was left */
    size_t n_blocks;
    uint64_t n_prose;
    bool has_series;
};

/* The importer that reads the block at this line; NULL: nobody wants it. */
static const struct importer *taker(struct walk *walk, const struct line *line, struct probe_result *best)
{
    bool asks_all = line->number <= N_LINES_FOR_ALL || wanted_format(walk->import);
    uint64_t mask = asks_all ? walk->all : (walk->by_name | marks_of_line(line));
    uint64_t form = mask ? form_hash(line) : 0;
    if (!mask || form_is_refused(walk->forms, form))
        return NULL;
    const struct importer *importer = choose(walk->import, walk->lines, mask, best);
    if (!importer)
        form_refuse(walk->forms, form);
    if (!importer || !best->unsupported)
        return importer;
    if (!walk->unsupported)
        walk->unsupported = best->unsupported;
    return NULL;
}

static enum status read_block(struct walk *walk, const struct importer *importer, int sureness, struct error *error)
{
    struct import *import = walk->import;
    struct lines *lines = walk->lines;
    size_t before = lines_tell(lines), n_loose = import->private->n_loose, n_series = store_count_series(import->store);
    if (!import->private->format)
        import_set_format(import, importer);
    char heading[128];
    bool has_heading = heading_above(lines, heading, sizeof heading);
    enum status status = importer->read_lines(import, lines, error);
    loose_end_block(import, n_loose, n_series);
    bool gave_series = store_count_series(import->store) != n_series;
    if (has_heading && gave_series)
        heading_keep(import, store_edit_series(import->store, (uint32_t)n_series)->run, heading);
    if (!walk->has_series && gave_series) {
        walk->has_series = true;
        import->private->format = importer; /* what was measured names the text, not the facts around it */
    }
    if (status == FAILED)
        return FAILED;
    walk->n_blocks++;
    if (lines_tell(lines) == before) /* an importer's mistake must not hang us */
        lines_skip(lines, 1);
    take_lines(import, before, lines_tell(lines), sureness);
    if (gave_series)
        quoted_again_keep(walk->seen, lines, before);
    import_progress(import, lines_offset(lines));
    return status;
}

/* A result that stands in the text already is passed over. False: it is none. */
static bool skip_repeated(struct walk *walk, const struct line *line)
{
    size_t n = quoted_again_length(walk->seen, walk->lines), begin = lines_tell(walk->lines);
    if (!n)
        return false;
    walk->first_again = walk->n_again ? walk->first_again : line->number;
    walk->n_again += n;
    lines_skip(walk->lines, n);
    take_lines(walk->import, begin, begin + n, LIKELY);
    return true;
}

static enum status walk_lines(struct walk *walk, struct error *error)
{
    struct lines *lines = walk->lines;
    enum status status = OK;
    struct line line;
    while (status != FAILED && !lines_at_end(lines) && lines_peek(lines, 0, &line)) {
        struct probe_result best;
        if (line_is_blank(&line)) {
            lines_skip(lines, 1);
            continue;
        }
        if (line.length > 65536 && memchr(line.text, 0, 4096)) { /* not worth asking fifty importers */
            import_note(walk->import, "damaged-lines", line.number, "binary data among the lines");
            lines_skip(lines, 1);
            continue;
        }
        const struct importer *importer = taker(walk, &line, &best);
        if (!importer) {
            walk->n_prose++;
            lines_skip(lines, 1);
        } else if (!skip_repeated(walk, &line)) {
            status = read_block(walk, importer, best.sureness, error);
        }
    }
    return status;
}

/* What is to be said of a text that was understood in parts. */
static void note_rest(const struct walk *walk, const unsigned char *bytes, size_t size)
{
    struct import *import = walk->import;
    if (walk->n_prose)
        import_note_n(import, "prose", walk->n_prose, 0, "lines of no known format, left out");
    if (walk->n_again)
        import_note_n(import, "repaired-text", walk->n_again, walk->first_again,
                      "lines that quote a result of this text again: it is read once");
    note_repairs(import, walk->lines);
    if (size && bytes[size - 1] >= '0' && bytes[size - 1] <= '9')
        import_note(import, "last-line-cut", 0, "the last line has no line end: a number at its end may be cut");
    if (lines_nul_tail(walk->lines))
        import_note_n(import, "file-truncated", lines_nul_tail(walk->lines), 0,
                      "NUL bytes at the end, as after a power cut: what stood there is lost");
}

enum status text_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    struct import_private *private = import->private;
    struct walk walk = {.import = import, .lines = lines_new(bytes, size), .forms = memory_new(sizeof *walk.forms),
                        .all = marks_all(), .by_name = marks_of_member(import->member)};
    walk.seen = quoted_again_new(walk.lines, size);
    private->is_text_walk = true;
    private->n_taken = 0;
    enum status status = walk_lines(&walk, error);
    private->is_text_walk = false;
    /* Also after a failure: what an importer holds across blocks is freed there. */
    for (size_t i = 0; i < private->n_states; i++)
        if (private->states[i].importer->finish_lines)
            private->states[i].importer->finish_lines(import);
    private->n_prose_lines = walk.n_prose;
    if (status != FAILED && !wanted_format(import) && prose_claims(import, bytes, size)) {
        walk.n_blocks++;
        if (!private->format)
            import_set_format(import, &importer_prose);
    }
    if (walk.n_blocks)
        note_rest(&walk, bytes, size);
    else if (status != FAILED)
        status = walk.unsupported ? error_input(error, "%s: %s", import->member->path, walk.unsupported)
                                  : error_input(error, "%s: no known format in this text", import->member->path);
    free(walk.forms);
    quoted_again_free(walk.seen);
    lines_free(walk.lines);
    return status;
}
