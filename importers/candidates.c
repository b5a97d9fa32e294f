/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Letters for what is compared, as in mails:
 *
 *     Testcandidate:
 *     A: Preempt-RT 2.6.16-rt16
 *     B: Xenomai (svn Rev. #949)
 *     ...
 *     A:
 *     T: 0 ( 3131) P:80 I:    1000 ...
 *
 * A letter alone on its line says whose results follow: each candidate is a run.
 */
#include <stdio.h>
#include <string.h>

#include "importers/reported.h"

const struct importer importer_candidates;

struct candidate {
    bool is_defined, has_run;
    uint32_t run;
    char text[200];
};
struct candidates {
    struct candidate of[26];
};

static struct candidates *state_of(struct import *import)
{
    return import_state(import, &importer_candidates, sizeof(struct candidates));
}

bool reported_line_before(struct lines *lines, size_t k, struct line *line)
{
    size_t here = lines_tell(lines);
    if (k > here || k > 200)
        return false;
    lines_seek(lines, here - k);
    bool is_there = lines_peek(lines, 0, line);
    lines_seek(lines, here);
    return is_there;
}

void reported_run(struct import *import, const char *label)
{
    if (import_has_series(import, NULL)) {
        import_new_run(import, label);
        return;
    }
    struct run *run = store_edit_run(import->store, import->run);
    run->label = store_keep(import->store, label);
}

/* "2.6.16-rt16" in the description is the kernel's release; a co-kernel is named by its name. */
static void state_facts(struct import *import, const char *text)
{
    import_fact(import, "candidate", "%s", text);
    for (const char *p = text; *p; p++) {
        int major, minor, patch, n = 0;
        if ((p == text || p[-1] == ' ') && sscanf(p, "%d.%d.%d%n", &major, &minor, &patch, &n) == 3 && n) {
            import_fact(import, "kernel.release", "%.*s", (int)strcspn(p, " ,;)"), p);
            break;
        }
    }
}

bool candidate_switch(struct import *import, char letter)
{
    if (letter < 'A' || letter > 'Z')
        return false;
    struct candidate *candidate = &state_of(import)->of[letter - 'A'];
    if (!candidate->is_defined)
        return false;
    if (candidate->has_run) {
        import->run = candidate->run;
        return true;
    }
    char label[256];
    snprintf(label, sizeof label, "%c: %s", letter, candidate->text);
    reported_run(import, label);
    candidate->run = import->run;
    candidate->has_run = true;
    return true;
}

/* "A: text" below a line that speaks of candidates, or below another such line. */
static bool is_definition(struct lines *lines, struct cell text)
{
    if (text.length < 4 || text.length > 180 || text.text[0] < 'A' || text.text[0] > 'Z' || text.text[1] != ':' || text.text[2] != ' ')
        return false;
    struct line line;
    for (size_t k = 1; k <= 8 && reported_line_before(lines, k, &line); k++) {
        struct cell before = cell_trim(cell_of(&line));
        if (cell_has(before, "andidate"))
            return true;
        bool is_other = before.length > 3 && before.text[0] >= 'A' && before.text[0] < text.text[0] && before.text[1] == ':';
        if (!is_other && before.length)
            return false;
    }
    return false;
}

static bool is_reference(struct cell text)
{
    return text.length == 2 && text.text[0] >= 'A' && text.text[0] <= 'Z' && text.text[1] == ':';
}

static struct probe_result candidates_probe(struct lines *lines, const struct member *member)
{
    (void)member;
    struct line line;
    if (!lines_peek(lines, 0, &line) || line.length < 2)
        return (struct probe_result){NOT_MINE, NULL};
    struct cell text = cell_trim(cell_of(&line));
    bool is_mine = is_reference(text) || is_definition(lines, text);
    return (struct probe_result){is_mine ? UNLIKELY : NOT_MINE, NULL};
}

static enum status candidates_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct line line;
    lines_peek(lines, 0, &line);
    struct cell text = cell_trim(cell_of(&line));
    if (is_reference(text)) {
        candidate_switch(import, text.text[0]);
    } else {
        struct candidate *candidate = &state_of(import)->of[text.text[0] - 'A'];
        if (!candidate->is_defined)
            cell_copy(cell_trim(cell_from(text, 2)), candidate->text, sizeof candidate->text);
        candidate->is_defined = true;
    }
    lines_skip(lines, 1);
    return OK;
}

/* Only now: facts stated before a member's first series would hold for all its runs. */
static void candidates_finish(struct import *import)
{
    const struct candidates *candidates = state_of(import);
    uint32_t run = import->run;
    for (size_t i = 0; i < 26; i++) {
        if (!candidates->of[i].has_run)
            continue;
        import->run = candidates->of[i].run;
        state_facts(import, candidates->of[i].text);
    }
    import->run = run;
}

static const char *const candidates_marks[] = {":", NULL};

const struct importer importer_candidates = {
    .name = "candidates",
    .summary = "letters for what a mail compares (A:, B:)",
    .reads = "definitions below a line with the word candidate; a letter alone says whose results follow",
    .probe_lines = candidates_probe,
    .read_lines = candidates_read,
    .finish_lines = candidates_finish,
    .marks = candidates_marks,
};
