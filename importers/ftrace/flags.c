/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The letters of an event's flags, by the era of the kernel that printed them. The number of letters decides, not the
 * header's art: several -rt releases draw fewer arrows than they print columns.
 *
 *     d..2     2.6.39 to 5.14        irqs, need-resched, hard/soft irq, preempt depth
 *     d..2.    5.15 on               + migrate-disable
 *     d...2..  -rt 3.x to 6.6        a lazy need-resched after the first, a lazy depth before the last
 *     Dnh2     2.6 -rt latency_trace other meaning of D and n
 */
#include "importers/ftrace/ftrace.h"

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

static unsigned hex_value(char c)
{
    return c == '.' ? 0 : is_digit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

bool ftrace_token_is_flags(const char *token, size_t length)
{
    if (length < 4 || length > 9 || !memchr(".dDbX*#", token[0], 7) || !memchr(".NnpBLbl", token[1], 8))
        return false;
    for (size_t i = 2; i < length; i++)
        if (!is_hex(token[i]) && !memchr(".HhsZz~LlNn", token[i], 11))
            return false;
    return true;
}

static uint32_t irq_letter(const struct ftrace_era *era, char c)
{
    switch (c) {
    case 'd':
        return era->is_pipelined ? FLAG_IRQS_OFF | FLAG_ROOT_STALLED : FLAG_IRQS_OFF;
    case 'D': /* 2.6 -rt, Dovetail to 5.15: only the hardware's interrupts are off; 5.17 on: off, and softirqs too */
        return era->is_26rt || era->has_hard_d ? FLAG_IRQS_OFF | FLAG_HARD_IRQS_OFF : FLAG_IRQS_OFF | FLAG_BH_OFF;
    case 'b':
        return FLAG_BH_OFF;
    case '*':
        return FLAG_IRQS_OFF | FLAG_HARD_IRQS_OFF | FLAG_ROOT_STALLED;
    case '#':
        return FLAG_IRQS_OFF | FLAG_HARD_IRQS_OFF;
    default:
        return 0;
    }
}

static uint32_t resched_letter(char c)
{
    switch (c) {
    case 'N':
    case 'n':
    case 'p':
        return FLAG_NEED_RESCHED;
    case 'B':
    case 'b':
    case 'L':
        return FLAG_NEED_RESCHED | FLAG_NEED_RESCHED_LAZY;
    case 'l':
        return FLAG_NEED_RESCHED_LAZY;
    default:
        return 0;
    }
}

static uint32_t context_letter(char c)
{
    switch (c) {
    case 'Z':
        return FLAG_NMI | FLAG_HARDIRQ;
    case 'z':
        return FLAG_NMI;
    case 'H':
        return FLAG_HARDIRQ | FLAG_SOFTIRQ;
    case 'h':
        return FLAG_HARDIRQ;
    case 's':
        return FLAG_SOFTIRQ;
    case '~': /* Dovetail: out-of-band stage */
        return FLAG_DOMAIN_HEAD;
    default:
        return 0;
    }
}

static enum ftrace_letters letters_of(const struct ftrace_era *era, size_t length)
{
    if (era->is_26rt)
        return LETTERS_26RT;
    if (era->is_report)
        return LETTERS_REPORT;
    switch (length) {
    case 4:
        return LETTERS_4;
    case 5:
        return era->has_lock_depth ? LETTERS_LOCK : era->shortest == 4 ? LETTERS_4 : LETTERS_5;
    case 6:
        return era->shortest == 5 ? LETTERS_5 : LETTERS_RT6;
    default:
        return LETTERS_RT7;
    }
}

bool ftrace_flags_parse(const struct ftrace_era *era, const char *token, size_t length, uint32_t *flags,
                        uint32_t *known)
{
    if (!ftrace_token_is_flags(token, length))
        return false;
    enum ftrace_letters letters = letters_of(era, length);
    bool has_lazy = letters == LETTERS_RT6 || letters == LETTERS_RT7;
    size_t context = has_lazy ? 3 : 2, depth = context + 1;
    bool ends_at_depth = letters == LETTERS_4 || letters == LETTERS_26RT || (letters == LETTERS_REPORT && length == 4);
    size_t n_after = letters == LETTERS_RT7 ? 2 : ends_at_depth ? 0 : 1;
    if (length < depth + 1 + n_after)
        return false;
    size_t n_depth = length - depth - n_after; /* two digits from a depth of 16 on, before 5.15 */
    if (n_depth > 2)
        return false;

    uint32_t bits = irq_letter(era, token[0]) | resched_letter(token[1]) | context_letter(token[context]);
    if (has_lazy && token[2] != '.')
        bits |= FLAG_NEED_RESCHED_LAZY;
    unsigned preempt = 0, migrate = 0;
    for (size_t i = 0; i < n_depth; i++)
        preempt = preempt * 16 + hex_value(token[depth + i]);
    bool has_migrate = letters == LETTERS_5 || has_lazy || (letters == LETTERS_REPORT && length > 4);
    if (has_migrate)
        migrate = hex_value(token[length - 1]);
    *flags = flags_make(bits, preempt, migrate);

    uint32_t can_tell = FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_PREEMPT_DEPTH;
    if (token[0] != 'X')
        can_tell |= FLAG_IRQS_OFF;
    if (letters != LETTERS_REPORT)
        can_tell |= FLAG_NEED_RESCHED;
    if (has_lazy || memchr("BLbl", token[1], 4))
        can_tell |= FLAG_NEED_RESCHED_LAZY;
    if (letters == LETTERS_5 || has_lazy)
        can_tell |= FLAG_NMI | FLAG_MIGRATE_DEPTH;
    if (era->is_pipelined)
        can_tell |= FLAG_HARD_IRQS_OFF | FLAG_ROOT_STALLED | FLAG_DOMAIN_HEAD;
    if (era->is_26rt)
        can_tell |= FLAG_HARD_IRQS_OFF;
    *known = can_tell;
    return true;
}

uint32_t ftrace_flags_from_numbers(unsigned bits, unsigned preempt_count)
{
    uint32_t flags = 0;
    if (bits & 0x01)
        flags |= FLAG_IRQS_OFF;
    if (bits & (0x04 | 0x20)) /* the task's bit, or the one folded into the preempt count */
        flags |= FLAG_NEED_RESCHED;
    if (bits & 0x08)
        flags |= FLAG_HARDIRQ;
    if (bits & 0x10)
        flags |= FLAG_SOFTIRQ;
    if (bits & 0x40)
        flags |= FLAG_NMI;
    if (bits & 0x80)
        flags |= FLAG_BH_OFF;
    return flags_make(flags, preempt_count & 0xf, preempt_count >> 4 & 0xf); /* since 5.15 two halves */
}
