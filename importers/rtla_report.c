/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rtla timerlat's auto-analysis (6.3+): one block per CPU over its limit, a claim with parts each.
 *
 *     ## CPU 0 hit stop tracing, analyzing it ##
 *       IRQ handler delay:                  (exit from idle)      27.62 us (14.93 %)
 *       IRQ latency:                                              36.10 us
 *       Timerlat IRQ duration:                                    70.90 us (38.32 %)
 *       Blocking thread:                                           8.89 us (4.81 %)
 *                            swapper/0:0                           8.89 us
 *         Blocking thread stack trace
 *                     -> timerlat_irq
 *     ------------------------------------------------------------------------
 *       Thread latency:                                          185.03 us (100%)
 *
 * Always us, even with -n. The parts need not fill the whole. Mails lose its tabs, its first line, its colons. When
 * the stop came at the interrupt, the delay may be stale (seen: the trace's own time stamp) and is rejected.
 */
#include "importers/rtla.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MAX_PARTS 512
#define MAX_STACK 128

struct heading {
    const char *text; /* without its colon, which may be lost */
    enum part_kind kind;
    bool has_rows;
};
static const struct heading headings[] = {
    {"Previous IRQ interference", PART_PREVIOUS_IRQ, false},
    {"IRQ handler delay", PART_IRQ_HANDLER_DELAY, false},
    {"Timerlat IRQ duration", PART_TIMER_IRQ, false},
    {"Blocking thread", PART_BLOCKING_THREAD, true},
    {"NMI interference", PART_NMI, false},
    {"IRQ interference", PART_IRQ, true},
    {"Softirq interference", PART_SOFTIRQ, true},
    {"Thread interference", PART_THREAD, true},
};

struct report {
    struct arena arena;
    struct claim claim;
    struct claim_part parts[MAX_PARTS];
    const char *stack[MAX_STACK];
    size_t open; /* index + 1 of the heading whose rows follow; 0: none */
    bool is_closed;
    int64_t irq_ns;
};

static const struct heading *find_heading(struct cell text)
{
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (cell_starts(text, headings[i].text) && !cell_starts(text, "Blocking thread stack"))
            return &headings[i];
    return NULL;
}

static bool is_start(struct cell text)
{
    return cell_starts(text, "## CPU ") && cell_has(text, "hit stop tracing");
}

/* The latency lines: "IRQ latency:" alone is a part of the whole; with "(100%)" it is the whole. */
static bool is_latency(struct cell text)
{
    return cell_starts(text, "IRQ latency") || cell_starts(text, "Thread latency");
}

int rtla_report_probe(struct lines *lines)
{
    struct line line;
    if (!lines_peek(lines, 0, &line))
        return NOT_MINE;
    struct cell text = cell_trim(cell_of(&line));
    if (is_start(text))
        return CERTAIN;
    /* without its first line: a heading is enough when a value in us stands behind it and another one follows */
    if (!cell_starts(text, "Previous IRQ interference") && !cell_starts(text, "IRQ handler delay"))
        return NOT_MINE;
    for (size_t k = 1; k < 4 && lines_peek(lines, k, &line); k++) {
        text = cell_trim(cell_of(&line));
        if (is_latency(text) || find_heading(text))
            return LIKELY;
    }
    return NOT_MINE;
}

/*
 * "insync:4048         1223.16 us (99.00 %)": the amount is the last number before the last "us"; what stands before it
 * is the rest. False: no amount.
 */
static bool take_amount(struct cell text, int64_t *ns, struct cell *rest)
{
    struct cells words = {0};
    cells_add_words(&words, text.text, text.length);
    bool is_found = false;
    for (size_t i = words.n; !is_found && i-- > 0;) {
        struct cell word = words.cell[i];
        if (cell_is(word, "us") && i) {
            word = words.cell[i - 1];
        } else if (cell_ends(word, "us") && word.length > 2) {
            word = cell_first(word, word.length - 2); /* the blank was lost */
        } else {
            continue;
        }
        int64_t value;
        if (!cell_ns(word, 3, &value))
            continue;
        is_found = true;
        *ns = value;
        *rest = cell_trim(cell_first(text, (size_t)(word.text - text.text)));
    }
    if (!is_found)
        *rest = text;
    cells_release(&words);
    return is_found;
}

static struct claim_part *add_part(struct report *report, enum part_kind kind)
{
    if (report->claim.n_parts == MAX_PARTS)
        return NULL;
    struct claim_part *part = &report->parts[report->claim.n_parts++];
    *part = (struct claim_part){.kind = kind, .amount_ns = NS_UNKNOWN};
    return part;
}

static void read_heading(struct report *report, const struct heading *heading, struct cell text)
{
    struct claim_part *part = add_part(report, heading->kind);
    report->open = heading->has_rows && part ? report->claim.n_parts : 0;
    if (!part)
        return;
    struct cell rest;
    if (!take_amount(text, &part->amount_ns, &rest))
        return;
    part->is_upper_bound = cell_has(rest, "up to");
    if (cell_has(rest, "exit from idle")) {
        part->kind = PART_IDLE_EXIT;
        part->is_inferred = true;
    }
}

/* A row below a heading: "comm:pid  amount us", without amount below "Blocking thread:" of an interrupt stop. */
static bool read_detail(struct report *report, struct cell text)
{
    struct claim_part *heading = &report->parts[report->open - 1];
    int64_t amount_ns = NS_UNKNOWN;
    struct cell subject;
    bool has_amount = take_amount(text, &amount_ns, &subject);
    const char *colon = memrchr(subject.text, ':', subject.length);
    uint64_t number;
    if (!colon || !cell_u64(cell_from(subject, (size_t)(colon - subject.text) + 1), &number))
        return false;
    if (!has_amount && heading->kind != PART_BLOCKING_THREAD)
        return false;
    struct claim_part *part = add_part(report, heading->kind);
    if (!part)
        return true;
    part->amount_ns = amount_ns;
    if (colon > subject.text) /* ":0" is an empty task: nothing was known */
        part->subject = arena_string_n(&report->arena, subject.text, subject.length);
    heading->is_total_of_following = true;
    return true;
}

static bool read_stack(struct report *report, struct cell text)
{
    if (!cell_starts(text, "->"))
        return false;
    struct cell symbol = cell_trim(cell_from(text, 2));
    if (symbol.length && report->claim.n_stack < MAX_STACK)
        report->stack[report->claim.n_stack++] = arena_string_n(&report->arena, symbol.text, symbol.length);
    return true;
}

static void read_latency(struct report *report, struct cell text)
{
    int64_t ns;
    struct cell rest;
    if (!take_amount(text, &ns, &rest))
        return;
    bool is_thread = cell_starts(text, "Thread");
    if (!is_thread && report->irq_ns == NS_UNKNOWN)
        report->irq_ns = ns;
    if (is_thread || cell_has(text, "(100")) {
        report->claim.section = is_thread ? SECTION_TIMER_THREAD : SECTION_TIMER_IRQ;
        report->claim.latency_ns = ns;
        report->is_closed = true;
    }
}

/* One line of the block; false if it is none. */
static bool read_line(struct import *import, struct report *report, const struct line *line)
{
    struct cell text = cell_trim(cell_of(line));
    const struct heading *heading = find_heading(text);
    if (heading) {
        const char *second = memmem(text.text, text.length, " us  IRQ handler delay:", 23); /* 6.3's first releases forgot a line end */
        size_t first = second ? (size_t)(second - text.text) + 3 : text.length;
        read_heading(report, heading, cell_trim(cell_first(text, first)));
        struct cell rest = cell_trim(cell_from(text, first));
        if (second && (heading = find_heading(rest)))
            read_heading(report, heading, rest);
    } else if (is_latency(text)) {
        report->open = 0;
        read_latency(report, text);
    } else if (cell_starts(text, "Blocking thread stack")) {
        report->open = 0;
    } else if (read_stack(report, text) || cell_starts(text, "-----")) {
        /* taken */
    } else if (report->open && read_detail(report, text)) {
        /* taken */
    } else if (report->claim.n_parts && report->parts[report->claim.n_parts - 1].amount_ns == NS_UNKNOWN &&
               !report->parts[report->claim.n_parts - 1].subject) {
        /* the amount was wrapped to a line of its own */
        struct claim_part *part = &report->parts[report->claim.n_parts - 1];
        struct cell rest;
        if (!take_amount(text, &part->amount_ns, &rest))
            return false;
        if (cell_has(rest, "exit from idle")) {
            part->kind = PART_IDLE_EXIT;
            part->is_inferred = true;
        }
        import_note(import, "damaged-lines", line->number, "a wrapped line has been joined");
    } else {
        return false;
    }
    return true;
}

/* Parts larger than the whole are stale values; a sum of rows must be its heading's. */
static void check_parts(struct import *import, struct report *report)
{
    struct claim *claim = &report->claim;
    for (size_t i = 0; i < claim->n_parts; i++) {
        struct claim_part *part = &report->parts[i];
        if (part->kind == PART_PREVIOUS_IRQ || part->amount_ns == NS_UNKNOWN || claim->latency_ns == NS_UNKNOWN ||
            part->amount_ns <= claim->latency_ns)
            continue;
        import_note(import, "tool-bug", claim->line,
                    "a part of %lld ns is larger than the whole latency of %lld ns: a stale value, dropped",
                    (long long)part->amount_ns, (long long)claim->latency_ns);
        part->amount_ns = NS_UNKNOWN;
        part->is_total_of_following = false;
    }
    for (size_t i = 0; i < claim->n_parts; i++) {
        struct claim_part *heading = &report->parts[i];
        if (!heading->is_total_of_following)
            continue;
        int64_t sum = 0, n = 0;
        for (size_t k = i + 1; k < claim->n_parts && report->parts[k].subject && report->parts[k].kind == heading->kind; k++, n++)
            sum += report->parts[k].amount_ns == NS_UNKNOWN ? 0 : report->parts[k].amount_ns;
        int64_t rounding_ns = 10 * (n + 1);
        if (heading->amount_ns != NS_UNKNOWN &&
            (sum - heading->amount_ns > rounding_ns || heading->amount_ns - sum > rounding_ns))
            import_note(import, "counts-mismatch", claim->line, "a heading says %lld ns, its rows sum to %lld ns",
                        (long long)heading->amount_ns, (long long)sum);
    }
}

/* Without the "## CPU" line: the idle task's name holds the CPU, as does the line below all blocks. */
static int find_cpu(struct lines *lines, const struct report *report)
{
    for (size_t i = 0; i < report->claim.n_parts; i++) {
        const struct claim_part *part = &report->parts[i];
        int cpu;
        if (part->kind == PART_BLOCKING_THREAD && part->subject && sscanf(part->subject, "swapper/%d:0", &cpu) == 1 && cpu >= 0)
            return cpu;
    }
    struct line line;
    for (size_t k = 0; k < 4 && lines_peek(lines, k, &line); k++) {
        struct cell text = cell_after(cell_of(&line), "Max timerlat IRQ latency from idle:");
        int64_t ns;
        int cpu;
        struct cell rest;
        struct cell where = cell_after(text, "in cpu ");
        if (text.length && take_amount(text, &ns, &rest) && ns == report->irq_ns && cell_int(where, &cpu))
            return cpu;
    }
    return CPU_UNKNOWN;
}

/* "Printing CPU tasks:" and its rows "[001]  timerlatu/1:189 kworker:a:b": who ran where when tracing stopped. */
static void read_tasks(struct import *import, struct lines *lines)
{
    struct line line;
    lines_skip(lines, 1);
    while (lines_peek(lines, 0, &line)) {
        struct cell text = cell_trim(cell_of(&line));
        struct cell after = cell_after(text, "]");
        size_t end = 0;
        while (end < after.length && after.text[end] != ' ' && after.text[end] != '\t')
            end++;
        struct cell subject = cell_first(after, end);
        const char *colon = memrchr(subject.text, ':', subject.length);
        int tid;
        if (!cell_starts(text, "[") || !colon || !cell_int(cell_from(subject, (size_t)(colon - subject.text) + 1), &tid))
            break;
        char comm[32];
        struct task task = task_unknown();
        task.run = import->run;
        task.artefact = import->artefact;
        task.tid = tid;
        task.comm = cell_copy(cell_first(subject, (size_t)(colon - subject.text)), comm, sizeof comm);
        store_add_task(import->store, &task);
        lines_skip(lines, 1);
    }
}

/* Takes the messages that stand behind a block. */
static void read_tail(struct import *import, struct lines *lines)
{
    struct line line;
    for (;;) {
        size_t mark = lines_tell(lines);
        while (lines_peek(lines, 0, &line) && line_is_blank(&line))
            lines_skip(lines, 1);
        struct cell text = {"", 0};
        if (lines_peek(lines, 0, &line))
            text = cell_trim(cell_of(&line));
        if (cell_starts(text, "Printing CPU tasks")) {
            read_tasks(import, lines);
        } else if (rtla_is_message(text) && !is_start(text)) {
            rtla_message(import, text, line.number);
            lines_skip(lines, 1);
        } else {
            lines_seek(lines, mark);
            return;
        }
    }
}

enum status rtla_report_read(struct import *import, struct lines *lines, struct error *error)
{
    (void)error;
    struct report *report = memory_new(sizeof *report);
    struct claim *claim = &report->claim;
    *claim = claim_unknown();
    claim->run = import->run;
    claim->artefact = import->artefact;
    claim->kind = CLAIM_REPORT;
    claim->line = lines_number(lines);
    report->irq_ns = NS_UNKNOWN;

    struct line line;
    lines_peek(lines, 0, &line);
    struct cell text = cell_trim(cell_of(&line));
    if (is_start(text)) {
        struct cells words = {0};
        cells_of_line(&words, &line);
        cell_int(cells_at(&words, 2), &claim->cpu);
        cells_release(&words);
        lines_skip(lines, 1);
    }
    size_t n_foreign = 0; /* lines in between that are none of ours: a wrapped percentage, a blank */
    while (!report->is_closed && lines_peek(lines, n_foreign, &line)) {
        text = cell_trim(cell_of(&line));
        if (is_start(text))
            break;
        if (read_line(import, report, &line)) {
            lines_skip(lines, n_foreign + 1);
            n_foreign = 0;
        } else if (++n_foreign > 2) {
            break;
        }
    }
    check_parts(import, report);
    if (claim->cpu == CPU_UNKNOWN)
        claim->cpu = find_cpu(lines, report);
    if (claim->latency_ns == NS_UNKNOWN)
        import_note(import, "entries-missing", claim->line, "an auto-analysis without its total latency");
    claim->irq_latency_ns = report->irq_ns;
    claim->text = "rtla auto-analysis";
    claim->parts = report->parts;
    claim->stack = report->stack;
    if (claim->n_parts || claim->latency_ns != NS_UNKNOWN)
        store_add_claim(import->store, claim);
    read_tail(import, lines);
    arena_release(&report->arena);
    free(report);
    return OK;
}
