/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text as lines, repaired. Text reaches us through mail, terminals, serial consoles and editors; lines.c undoes what
 * they did (UTF-16, BOM, CRLF, quoted-printable, non-breaking spaces, "> " quoting, serial and printk prefixes, ANSI
 * escapes), says how often, and leaves clean text untouched: then lines are slices of the mapped file, and an importer
 * may take its hot loop to the raw bytes.
 *
 * Lines are not terminated. Line numbers are those of the file as it came. A line's text is good until the cursor has
 * moved on by more than LINES_KEPT lines from it.
 */
#ifndef INPUT_LINES_H
#define INPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_KEPT 256

struct line {
    const char *text;
    size_t length;
    uint64_t number; /* 1-based, in the original file */
    const char *prefix; /* console prefix that was cut off ("[   12.345678] "), within the text as it came; NULL: none */
    size_t prefix_length;
    bool is_unterminated; /* the file ends within it, or right behind it: a number at its end may be cut */
    unsigned quote_depth; /* marks of quoting that were cut off */
    unsigned cursor_up; /* a terminal went up by so many lines before this one: it repaints (only the last frame counts) */
};

enum repair {
    REPAIR_ENCODING = 1 << 0,         /* UTF-16 or BOM */
    REPAIR_CRLF = 1 << 1,
    REPAIR_QUOTED_PRINTABLE = 1 << 2,
    REPAIR_SPACES = 1 << 3,           /* non-breaking and other odd blanks */
    REPAIR_QUOTING = 1 << 4,          /* "> ", "| ", ">> " */
    REPAIR_CONSOLE_PREFIX = 1 << 5,   /* "[   12.345678] ", "<4>", "Jan  1 12:00:00 host kernel: " */
    REPAIR_ANSI = 1 << 6,             /* terminal escapes */
    REPAIR_HTML = 1 << 7,             /* &gt; &lt; &amp; &quot; */
    REPAIR_WRAPPED = 1 << 8,          /* an importer joined lines: it says so itself */
    REPAIR_NULS = 1 << 9,             /* NUL bytes before the text (a cut log, a shared-memory snapshot) */
    REPAIR_DIFF = 1 << 10,            /* "+" of a patch that adds the text to a document */
    REPAIR_SPACING = 1 << 11,         /* an empty line behind each */
    REPAIR_MARGIN = 1 << 12,          /* "  12  ": each line's number in front of it */
    REPAIR_LEAD = 1 << 13,            /* "rt_1  | ", "[pod/rt-0] ", "a.txt:": the same name in front of each */
};
#define N_REPAIRS 14
const char *repair_name(enum repair repair); /* "quoted-printable" */

struct lines;

/* The bytes are a loan until lines_free(); what is wrong with them as a whole is found out here. */
struct lines *lines_new(const void *bytes, size_t size);
/* Of a text that was put together from lines of a file that begin at `number`: all its lines bear that number. */
struct lines *lines_new_at(const void *bytes, size_t size, uint64_t number);
void lines_free(struct lines *lines);

/* The line k ahead of the current one (0: the current one); false past the end. Any k, cheap for small ones. */
bool lines_peek(struct lines *lines, size_t k, struct line *line);
/* Moves on by n lines. */
void lines_skip(struct lines *lines, size_t n);
bool lines_at_end(struct lines *lines);
uint64_t lines_number(struct lines *lines); /* of the current line */
size_t lines_offset(const struct lines *lines); /* of the current line, in the bytes as they came */
/* True if the bytes at the front look like text, also a damaged one. */
bool lines_is_text(const void *bytes, size_t size);
bool lines_may_be_quoted(const struct lines *lines); /* false: no line of the text is */
size_t lines_nul_tail(const struct lines *lines); /* NUL bytes that end the file in place of what a power cut took */
/* A mark to come back to. */
size_t lines_tell(const struct lines *lines);
void lines_seek(struct lines *lines, size_t mark);

/* Which repairs were made so far, and on how many lines each (by bit number). */
unsigned lines_repairs(const struct lines *lines);
uint64_t lines_repair_count(const struct lines *lines, enum repair repair, uint64_t *first_line);

/*
 * For hot loops: all bytes from the current line to the end, as long as the text needed no repair; false otherwise (use
 * lines_peek/skip then). After scanning, lines_raw_skip() moves to `to`, which must be the start of a line, n_lines on.
 */
bool lines_raw(struct lines *lines, const char **begin, const char **end);
void lines_raw_skip(struct lines *lines, const char *to, uint64_t n_lines);

/* ---- scanning helpers on slices; each moves *p over what it took, and takes nothing when it returns false ---- */
bool scan_blanks(const char **p, const char *end);                      /* blanks and tabs; true if any */
bool scan_u64(const char **p, const char *end, uint64_t *value);        /* decimal digits; false on overflow */
bool scan_i64(const char **p, const char *end, int64_t *value);
bool scan_hex(const char **p, const char *end, uint64_t *value);        /* with or without 0x */
bool scan_literal(const char **p, const char *end, const char *literal);
/* "12.345" (or "12,345" if comma) to an integer scaled by 10^digits, exact; more digits are cut. */
bool scan_decimal(const char **p, const char *end, int digits, int64_t *scaled);
bool line_starts(const struct line *line, const char *literal);         /* after leading blanks */
bool line_has(const struct line *line, const char *literal);
const char *line_find(const struct line *line, const char *literal);    /* pointer into the line, or NULL */
bool line_may_be_cut(const struct line *line); /* it ends in a digit where the file ends, without a line end */
bool line_is_blank(const struct line *line);

#endif
