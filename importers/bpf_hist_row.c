/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of histograms that programs for the kernel's BPF draw:
 *
 *          usecs               : count     distribution                                     bcc, libbpf-tools
 *             16 -> 31         : 24       |*                                       |
 *
 *     @usecs[cyclictest]:                                                                   bpftrace
 *     [1]                   11 |@@                                                  |
 *     [512, 1K)            194 |@@@                                                 |
 *
 * bcc's ranges hold both ends, in whole units; bpftrace's the lower one only. K is 1024, M 1024^2.
 */
#include "importers/bpf_hist.h"

#include <string.h>

int64_t bpf_hist_unit(struct cell word)
{
    static const struct {
        const char *word;
        int64_t ns;
    } units[] = {{"ns", 1},        {"nsec", 1},          {"nsecs", 1},          {"nanoseconds", 1},
                 {"us", 1000},     {"usec", 1000},       {"usecs", 1000},       {"microseconds", 1000},
                 {"ms", 1000000},  {"msec", 1000000},    {"msecs", 1000000},    {"milliseconds", 1000000},
                 {"sec", 1000000000}, {"secs", 1000000000}, {"seconds", 1000000000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (cell_is(word, units[i].word))
            return units[i].ns;
    return 0;
}

/* "runq_latency_us", "usecs", "delay.ns": the part of a name that is a unit. */
static int64_t unit_in_name(struct cell name)
{
    int64_t found = 0;
    for (size_t i = 0, begin = 0; i <= name.length; i++) {
        if (i < name.length && name.text[i] != '_' && name.text[i] != '.')
            continue;
        int64_t unit = bpf_hist_unit(cell_first(cell_from(name, begin), i - begin));
        if (unit && found && unit != found)
            return 0;
        found = unit ? unit : found;
        begin = i + 1;
    }
    return found;
}

/* "usecs               : count     distribution" */
static bool bcc_head(struct cell text, struct bpf_hist_head *head)
{
    const char *colon = memchr(text.text, ':', text.length);
    if (!colon)
        return false;
    struct cell word = cell_trim(cell_first(text, (size_t)(colon - text.text)));
    struct cell rest = cell_trim(cell_from(text, (size_t)(colon - text.text) + 1));
    if (!cell_starts(rest, "count") || !cell_is(cell_trim(cell_from(rest, 5)), "distribution"))
        return false;
    *head = (struct bpf_hist_head){.kind = BPF_HIST_BCC, .unit_ns = bpf_hist_unit(word)};
    return true;
}

/* "@usecs[cyclictest, 0]:" */
static bool bpftrace_head(struct cell text, struct bpf_hist_head *head)
{
    if (!cell_starts(text, "@") || !cell_ends(text, ":"))
        return false;
    struct cell name = cell_first(cell_from(text, 1), text.length - 2), key = {"", 0};
    const char *bracket = memchr(name.text, '[', name.length);
    if (bracket) {
        if (!cell_ends(name, "]"))
            return false;
        size_t at = (size_t)(bracket - name.text);
        key = cell_trim(cell_first(cell_from(name, at + 1), name.length - at - 2));
        name = cell_first(name, at);
    }
    if (memchr(name.text, ' ', name.length))
        return false;
    *head = (struct bpf_hist_head){.kind = BPF_HIST_BPFTRACE, .unit_ns = unit_in_name(name), .name = name, .key = key};
    return true;
}

bool bpf_hist_head_parse(const struct line *line, struct bpf_hist_head *head)
{
    struct cell text = cell_trim(cell_of(line));
    return text.length && (bcc_head(text, head) || bpftrace_head(text, head));
}

/* "512", "4K", "1M" */
static bool scan_edge(const char **p, const char *end, uint64_t *value)
{
    static const char letters[] = "KMGTPE";
    if (!scan_u64(p, end, value))
        return false;
    const char *letter = *p < end && **p ? strchr(letters, **p) : NULL;
    if (letter) {
        unsigned shift = 10 * (unsigned)(letter - letters + 1);
        if (*value > UINT64_MAX >> shift)
            return false;
        *value <<= shift;
        ++*p;
    }
    return true;
}

static bool scan_count(const char **p, const char *end, uint64_t *count)
{
    scan_blanks(p, end);
    if (!scan_u64(p, end, count))
        return false;
    scan_blanks(p, end);
    return *p == end || **p == '|';
}

/* "16 -> 31         :" */
static bool scan_bcc_range(const char **p, const char *end, struct bpf_hist_row *row)
{
    uint64_t last;
    if (!scan_u64(p, end, &row->low))
        return false;
    scan_blanks(p, end);
    if (!scan_literal(p, end, "->"))
        return false;
    scan_blanks(p, end);
    if (!scan_u64(p, end, &last) || last < row->low || last == UINT64_MAX)
        return false;
    row->end = last + 1;
    scan_blanks(p, end);
    return scan_literal(p, end, ":");
}

/* "(..., 0)": all below; "(..., -4)" */
static bool scan_below(const char **p, const char *end, struct bpf_hist_row *row)
{
    scan_blanks(p, end);
    row->is_negative = scan_literal(p, end, "-");
    if (!scan_edge(p, end, &row->end) || !scan_literal(p, end, ")"))
        return false;
    row->is_negative |= row->end == 0;
    return true;
}

/* "[1]", "[512, 1K)", "[0, 1]", "[1000, ...)", "(..., 0)", "[-8, -4)" */
static bool scan_bpftrace_range(const char **p, const char *end, struct bpf_hist_row *row)
{
    if (scan_literal(p, end, "(...,"))
        return scan_below(p, end, row);
    if (!scan_literal(p, end, "["))
        return false;
    if (scan_literal(p, end, "-")) {
        const char *close = memchr(*p, ')', (size_t)(end - *p));
        row->is_negative = true;
        *p = close ? close + 1 : end;
        return close != NULL;
    }
    if (!scan_edge(p, end, &row->low))
        return false;
    row->end = row->low + 1;
    if (scan_literal(p, end, "]"))
        return row->end > row->low;
    if (!scan_literal(p, end, ","))
        return false;
    scan_blanks(p, end);
    if (scan_literal(p, end, "...)"))
        return row->is_open = true;
    if (!scan_edge(p, end, &row->end))
        return false;
    if (scan_literal(p, end, "]"))
        row->end++;
    else if (!scan_literal(p, end, ")"))
        return false;
    return row->end > row->low;
}

static bool scan_range(const char **p, const char *end, enum bpf_hist_kind kind, struct bpf_hist_row *row)
{
    scan_blanks(p, end);
    return kind == BPF_HIST_BCC ? scan_bcc_range(p, end, row) : scan_bpftrace_range(p, end, row);
}

bool bpf_hist_row_parse(const struct line *line, enum bpf_hist_kind kind, struct bpf_hist_row *row)
{
    const char *p = line->text, *end = p + line->length;
    *row = (struct bpf_hist_row){0};
    return !line_may_be_cut(line) && scan_range(&p, end, kind, row) && scan_count(&p, end, &row->count);
}

bool bpf_hist_row_is_damaged(const struct line *line, enum bpf_hist_kind kind)
{
    const char *p = line->text, *end = p + line->length;
    struct bpf_hist_row row = {0};
    return scan_range(&p, end, kind, &row) || (kind == BPF_HIST_BCC && line_has(line, " -> ") && line_has(line, "|"));
}
