/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rtla's tables are 105 to 150 columns wide, and mail wraps them:
 *
 *     CPU COUNT      |      cur       min       avg       max |      cur       min
 *         avg       max
 *       0 #1         |      779       779       779       779 |     2904      2904
 *        2904      2904
 *
 * How a line of these tables begins is known; what follows one and begins otherwise, with nothing in it but numbers, bars and
 * the words of headings, is its rest.
 */
#include "importers/rtla.h"

#define MAX_WRAPPED_LINES 200000

/* A row ("  0 #252"), a heading, the line of the unit ("  0 00:00:04   |"), a rule. */
static bool begins_line(struct cell text)
{
    static const char *const starts[] = {"CPU COUNT", "CPU Period", "duration:", "-----", "ALL #"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (cell_starts(text, starts[i]))
            return true;
    if (cell_is(text, "Timer Latency") || cell_is(text, "Operating System Noise") || cell_is(text, "Hardware-related Noise"))
        return true;
    size_t n = 0;
    while (n < text.length && text.text[n] >= '0' && text.text[n] <= '9')
        n++;
    struct cell rest = cell_trim(cell_from(text, n));
    return n > 0 && n < 6 && n < text.length && text.text[n] == ' ' &&
           (cell_starts(rest, "#") || (rest.length > 8 && rest.text[2] == ':' && rest.text[5] == ':'));
}

static bool is_rest(struct cell text)
{
    static const char *const words[] = {"|",   "-",   "cur", "min",  "avg",  "max",  "IRQ",     "Timer", "Latency", "Thread", "Ret",
                                        "user", "(us)", "(ns)", "HW",  "NMI",  "Softirq", "Noise", "%",       "CPU",    "Aval", "Max", "Single"};
    struct cells cells = {0};
    cells_add_words(&cells, text.text, text.length);
    bool all_fit = cells.n > 0;
    for (size_t i = 0; i < cells.n && all_fit; i++) {
        bool fits = decimal_parse(cells.cell[i].text, cells.cell[i].length).is_known;
        for (size_t k = 0; k < sizeof words / sizeof *words && !fits; k++)
            fits = cell_is(cells.cell[i], words[k]);
        all_fit = fits;
    }
    cells_release(&cells);
    return all_fit;
}

static struct cell text_at(struct lines *lines, size_t k, bool *is_there)
{
    struct line line;
    *is_there = lines_peek(lines, k, &line);
    return *is_there ? cell_trim(cell_of(&line)) : (struct cell){"", 0};
}

bool rtla_is_wrapped(struct lines *lines)
{
    bool is_there, has_heading = false;
    if (!begins_line(text_at(lines, 0, &is_there)))
        return false;
    for (size_t k = 0; k < 8; k++) {
        struct cell text = text_at(lines, k, &is_there);
        if (!is_there)
            return false;
        if (text.length && !begins_line(text))
            return is_rest(text) && (has_heading || cell_has(text, "Latency") || cell_has(text, "Softirq") || cell_has(text, "max"));
        has_heading |= cell_starts(text, "CPU COUNT") || cell_starts(text, "CPU Period");
    }
    return false;
}

size_t rtla_unwrap(struct lines *lines, struct text *out)
{
    size_t n_joined = 0, n_empty = 0;
    bool is_there;
    for (size_t n = 0; n < MAX_WRAPPED_LINES; n++) {
        struct cell text = text_at(lines, 0, &is_there);
        bool begins = begins_line(text);
        if (!is_there || (text.length && !begins && !is_rest(text)) || (!text.length && ++n_empty > 2))
            break;
        if (text.length) {
            text_add(out, begins ? "\n" : " ");
            text_add_n(out, text.text, text.length);
            n_joined += !begins;
            n_empty = 0;
        }
        lines_skip(lines, 1);
    }
    text_add_char(out, '\n');
    return n_joined;
}
