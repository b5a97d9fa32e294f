/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One point of the I-pipe tracer.
 *
 *     >|  +*begin   0x80000000     0+   1.204  __ipipe_handle_irq+0x62 (common_interrupt+0x18)     verbose
 *     :|#*[  272] -<?>-   99   -23+   1.269  ___xnsched_run+0x2c4 (<00000000>)
 *     :|end     -1523+  check_preemption_disabled (<00000000>)                                     not verbose
 *
 * The domain columns are two or four by version: they are read from the right, where Linux stands and the head domain
 * left of it. Between the time's mark and the delay there may be a tab.
 */
#include "importers/ipipe.h"

#include <string.h>

#define TYPE_CELLS 8
#define VALUE_CELLS 11

static const struct { const char *word; unsigned kind; } types[] = {
    {"func", KIND_IPIPE_FUNCTION}, {"fn", KIND_IPIPE_FUNCTION}, {"begin", KIND_IPIPE_BEGIN}, {"end", KIND_IPIPE_END},
    {"freeze", KIND_IPIPE_FREEZE}, {"event", KIND_IPIPE_EVENT}, {"(0x", KIND_IPIPE_SPECIAL}, {"[", KIND_IPIPE_TASK},
};

static bool take_type(const char **p, const char *end, struct ipipe_row *row)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!scan_literal(p, end, types[i].word))
            continue;
        row->kind = types[i].kind;
        if (row->kind == KIND_IPIPE_SPECIAL)
            return scan_hex(p, end, &row->id) && scan_literal(p, end, ")");
        if (row->kind == KIND_IPIPE_TASK) {
            int64_t tid;
            scan_blanks(p, end);
            if (!scan_i64(p, end, &tid) || tid > INT32_MAX || tid < INT32_MIN)
                return false;
            row->tid = (int32_t)tid;
            return scan_literal(p, end, "]");
        }
        return *p < end && (**p == ' ' || **p == '\t');
    }
    return false;
}

/* "samplin 99 ", "-<?>-   99 ": name and priority share the cells; the priority stands at their end. */
static void take_task_value(const char *p, const char *end, struct ipipe_row *row)
{
    while (end > p && end[-1] == ' ')
        end--;
    const char *prio = end;
    while (prio > p && prio[-1] != ' ')
        prio--;
    const char *s = prio;
    int64_t n;
    if (scan_i64(&s, end, &n) && s == end && n >= -1 && n < 1000)
        row->prio = (int32_t)n;
    while (prio > p && prio[-1] == ' ')
        prio--;
    bool is_gone = prio - p == 5 && memcmp(p, "-<?>-", 5) == 0;
    row->comm = p;
    row->comm_length = is_gone ? 0 : (size_t)(prio - p);
}

/* The 11 cells of the value, which a long number may exceed. Leaves *p on the time. */
static bool take_value(const char **p, const char *end, struct ipipe_row *row)
{
    const char *cells_end = end - *p > VALUE_CELLS ? *p + VALUE_CELLS : end;
    switch (row->kind) {
    case KIND_IPIPE_FUNCTION: /* blank, or what an older point left there */
        scan_blanks(p, end);
        return !(end - *p > 2 && (*p)[0] == '0' && (*p)[1] == 'x') || scan_hex(p, end, &row->value);
    case KIND_IPIPE_TASK:
        take_task_value(*p, cells_end, row);
        *p = cells_end;
        return true;
    case KIND_IPIPE_EVENT: { /* "tick@-37665", "  3@123" */
        scan_blanks(p, end);
        const char *at = memchr(*p, '@', (size_t)(cells_end - *p));
        if (!at)
            return false;
        row->what = *p;
        row->what_length = (size_t)(at - *p);
        *p = at + 1;
        return scan_i64(p, cells_end, &row->tick_us);
    }
    default:
        scan_blanks(p, end);
        return scan_hex(p, end, &row->value);
    }
}

static bool take_places(const char *p, const char *end, struct ipipe_row *row)
{
    scan_blanks(&p, end);
    while (end > p && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\t'))
        end--;
    if (end == p || end[-1] != ')')
        return false;
    const char *open = memmem(p, (size_t)(end - p), " (", 2);
    if (!open || open == p)
        return false;
    row->function = p;
    row->function_length = (size_t)(open - p);
    row->parent = open + 2;
    row->parent_length = (size_t)(end - 1 - row->parent);
    return true;
}

/* Domain columns between the bar and the type, from the right: Linux, then the head domain. */
static bool take_domains(const char *begin, const char *type, struct ipipe_row *row)
{
    for (const char *p = begin; p < type; p++)
        if (*p != ' ' && *p != '+' && *p != '*' && *p != '#')
            return false;
    char root = type > begin ? type[-1] : ' ', head = type > begin + 1 ? type[-2] : ' ';
    if (root == '*' || root == '#')
        row->flags |= FLAG_ROOT_STALLED;
    if (head == '*' || head == '#')
        row->flags |= FLAG_HEAD_STALLED;
    if (head == '+' || head == '#')
        row->flags |= FLAG_DOMAIN_HEAD;
    return true;
}

bool ipipe_row_is_unused(const char *text, size_t length)
{
    return memmem(text, length, "-<invalid>-", 11) != NULL;
}

bool ipipe_row_parse(const char *text, size_t length, bool is_verbose, bool has_mark, struct ipipe_row *row)
{
    const char *p = text, *end = text + length;
    *row = (struct ipipe_row){.mark = ' ', .value = UINT64_MAX, .id = UINT32_MAX, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN,
                              .tick_us = NS_UNKNOWN, .delay_ns = NS_UNKNOWN};
    if (length < 12)
        return false;
    if (has_mark)
        row->mark = *p++;
    if (!memchr("><: ", row->mark, 4) || (*p != ' ' && *p != '|'))
        return false;
    if (*p++ == '|')
        row->flags |= FLAG_HARD_IRQS_OFF | FLAG_IRQS_OFF;
    if (row->mark != ' ')
        row->flags |= FLAG_IN_SECTION;
    const char *domains = p;
    while (p < end && p - domains < 5 && memchr(" +*#", *p, 4))
        p++;
    const char *type = p;
    if (!take_domains(domains, type, row) || !take_type(&p, end, row))
        return false;
    if (type + TYPE_CELLS <= end && p < type + TYPE_CELLS)
        p = type + TYPE_CELLS;
    else
        scan_blanks(&p, end);
    if (is_verbose && !take_value(&p, end, row))
        return false;
    scan_blanks(&p, end);
    if (!scan_i64(&p, end, &row->time_us))
        return false;
    if (p < end && (*p == '+' || *p == '!')) /* how long the delay is */
        p++;
    if (is_verbose && has_mark) {
        scan_blanks(&p, end);
        if (!scan_decimal(&p, end, 3, &row->delay_ns))
            return false;
        if (p < end && *p == 'N') {
            row->flags |= FLAG_NMI_NOISE;
            p++;
        }
    }
    return take_places(p, end, row);
}
