/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which importers a line is worth asking. Each importer names marks of which a line where its block begins must hold one; all
 * marks of all importers are looked for in one pass over the line (Aho and Corasick, 1975, letters' case aside):
 *
 *     root ─c─► c ─p─► cp ─u─► cpu*        after "xcpu" the state is "cpu": the importers of that mark join the answer
 *
 * What a state answers includes what its longest proper suffix that is a prefix of a mark answers.
 */
#include "importers/marks.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"

#define MAX_STATES  4096
#define MAX_CLASSES 96 /* of bytes: those in marks, one for all others */

static struct {
    uint8_t class_of[256];
    unsigned n_classes, n_states;
    uint16_t (*next)[MAX_CLASSES]; /* [state][class] */
    uint64_t *answer;              /* [state] */
    uint64_t first[256];           /* by the first byte that is no blank: "^x" */
    uint64_t always;               /* importers without marks */
    const struct importer *text[64]; /* the bits: text importers in the order of importers[] */
    unsigned n_text;
} marks;
static pthread_once_t built = PTHREAD_ONCE_INIT;

static unsigned char fold(unsigned char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static void add_first(char c, uint64_t bit)
{
    if (c == '0')
        for (int digit = '0'; digit <= '9'; digit++)
            marks.first[digit] |= bit;
    else
        marks.first[(unsigned char)c] |= bit;
}

static void add_word(const char *word, uint64_t bit)
{
    unsigned state = 0;
    for (; *word; word++) {
        unsigned char c = fold((unsigned char)*word);
        if (!marks.class_of[c]) {
            assert(marks.n_classes < MAX_CLASSES);
            marks.class_of[c] = (uint8_t)marks.n_classes++;
        }
        uint16_t *to = &marks.next[state][marks.class_of[c]];
        if (!*to) {
            assert(marks.n_states < MAX_STATES);
            *to = (uint16_t)marks.n_states++;
        }
        state = *to;
    }
    marks.answer[state] |= bit;
}

/* Breadth first: a missing way out of a state is its suffix's. */
static void link_states(void)
{
    uint16_t *suffix = memory_new(MAX_STATES * sizeof *suffix), *queue = memory_new(MAX_STATES * sizeof *queue);
    size_t n = 0;
    for (unsigned c = 0; c < marks.n_classes; c++)
        if (marks.next[0][c])
            queue[n++] = marks.next[0][c];
    for (size_t i = 0; i < n; i++) {
        unsigned state = queue[i];
        marks.answer[state] |= marks.answer[suffix[state]];
        for (unsigned c = 0; c < marks.n_classes; c++) {
            uint16_t *to = &marks.next[state][c], other = marks.next[suffix[state]][c];
            if (*to) {
                suffix[*to] = other;
                queue[n++] = *to;
            } else {
                *to = other;
            }
        }
    }
    free(suffix);
    free(queue);
}

static void build(void)
{
    marks.next = memory_new(MAX_STATES * sizeof *marks.next);
    marks.answer = memory_new(MAX_STATES * sizeof *marks.answer);
    marks.n_classes = marks.n_states = 1;
    for (size_t i = 0; importers[i]; i++) {
        if (!importers[i]->probe_lines)
            continue;
        assert(marks.n_text < 64);
        uint64_t bit = UINT64_C(1) << marks.n_text;
        marks.text[marks.n_text++] = importers[i];
        if (!importers[i]->marks)
            marks.always |= bit;
        for (const char *const *mark = importers[i]->marks; mark && *mark; mark++)
            if ((*mark)[0] == '^' && (*mark)[1] && !(*mark)[2])
                add_first((*mark)[1], bit);
            else
                add_word(*mark, bit);
    }
    for (int c = 'A'; c <= 'Z'; c++)
        marks.class_of[c] = marks.class_of[c + 32];
    link_states();
}

uint64_t marks_of_member(const struct member *member)
{
    uint64_t any = 0;
    pthread_once(&built, build);
    for (unsigned i = 0; i < marks.n_text; i++)
        if (marks.text[i]->any_line && marks.text[i]->any_line(member))
            any |= UINT64_C(1) << i;
    return any | marks.always;
}

uint64_t marks_all(void)
{
    pthread_once(&built, build);
    return marks.n_text < 64 ? (UINT64_C(1) << marks.n_text) - 1 : UINT64_MAX;
}

const struct importer *marks_importer(unsigned bit)
{
    return marks.text[bit];
}

uint64_t marks_of_line(const struct line *line)
{
    const unsigned char *p = (const unsigned char *)line->text, *end = p + line->length;
    if (line->prefix) /* what a console's prefix says is not in the text */
        return marks_all();
    while (p < end && (*p == ' ' || *p == '\t' || *p == '|' || *p == '*'))
        p++;
    uint64_t found = p < end ? marks.first[*p] : 0;
    unsigned state = 0;
    for (p = (const unsigned char *)line->text; p < end; p++) {
        state = marks.next[state][marks.class_of[*p]];
        found |= marks.answer[state];
    }
    return found;
}
