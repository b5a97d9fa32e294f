/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside input/: what is wrong with a text as a whole, and the repair of one line. */
#ifndef INPUT_REPAIR_H
#define INPUT_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "input/lines.h"

/* A stamp in front of every line: "2023-07-03 12:00:00 ", "Jul  3 12:00:00 ", "12:00:00 ", "1688371872.123 ". */
enum stamp_form { STAMP_NONE = 0, STAMP_DATE, STAMP_MONTH, STAMP_CLOCK, STAMP_EPOCH };
#define N_STAMP_FORMS 5

enum text_encoding { ENCODING_UTF8 = 0, ENCODING_UTF16_LE, ENCODING_UTF16_BE };

/* Evidence about a whole text; decides which repairs are tried on its lines. */
struct text_damage {
    enum text_encoding encoding;
    size_t bom_bytes;
    char end_of_line;         /* '\n', or '\r' of old Macs */
    bool is_plain;            /* nothing to repair: lines are slices */
    bool is_quoted_printable;
    bool has_html;            /* entities */
    bool has_quoting;         /* "> " */
    bool has_odd_bytes;       /* CR, ESC, NUL, backspace, bytes from 0x80 */
    bool has_console_prefix;
    enum stamp_form stamp;    /* that (nearly) all lines have */
    bool has_carets;          /* "^[[0m", "^M": control characters as an editor shows them */
    bool has_diff_marks;      /* "+" before the lines that a patch adds */
    bool is_double_spaced;    /* an empty line behind each */
    char margin;              /* each line has its number in front, parted by this; '\0': none */
    unsigned margin_blanks;   /* that follow it */
    size_t indent;            /* blanks that all lines have in front */
    size_t lead_bytes;        /* of the source's name in front of (nearly) all lines; 0: none */
#define LEAD_BYTES 80
    char lead[LEAD_BYTES];    /* not ended */
};
void damage_examine(struct text_damage *damage, const unsigned char *bytes, size_t size);

/* input/arrangement.c, behind the lead: sets is_double_spaced, margin and indent, from the text's begin. */
void arrangement_examine(struct text_damage *damage, const char *bytes, size_t size);
/* True if this line is only spacing, in a text that is double-spaced. */
bool arrangement_is_spacing(const char *line, size_t length);
/* Bytes of the margin in front of this line's text. */
size_t arrangement_margin(const struct text_damage *damage, const char *line, size_t length);

/* input/lead.c: sets lead and lead_bytes, from the text's begin. */
void lead_examine(struct text_damage *damage, const char *bytes, size_t size);
/* Bytes of the lead in front of this line; 0: it has none. */
size_t lead_length(const struct text_damage *damage, const char *line, size_t length);

/* input/console_prefix.c: bytes in front of the line's text, "[   12.345678] ", "<4>", "Jan  1 12:00:00 host kernel: "; 0: none. */
size_t console_prefix_length(const char *line, size_t length);
/* The stamp in front, with its blank and a logger's level behind it; 0: none. */
size_t stamp_length(const char *line, size_t length, enum stamp_form form);

struct repaired_line {
    const char *text;
    size_t length;
    const char *prefix;
    size_t prefix_length;
    unsigned cursor_up, quote_depth;
    unsigned repairs; /* bits of enum repair */
};
/* Repairs one line (without its end). The result is a slice of the line, or lies in buffer. */
void repair_line(const struct text_damage *damage, const char *line, size_t length, struct text *buffer,
                 struct repaired_line *result);
/* "=3D" and so on; a soft line break's '=' at the end is not decoded but reported. True: the next line belongs to it. */
bool quoted_printable_decode(const char *line, size_t length, struct text *out);
/* "&gt;", "&#39;" at p: its length and character; 0: none. */
size_t entity_at(const char *p, size_t size, char *character);
/* Appends UTF-16 text (n_bytes, even) as UTF-8. */
void utf16_decode(const unsigned char *bytes, size_t n_bytes, bool big_endian, struct text *out);

#endif
