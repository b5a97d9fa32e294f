/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel's log says about a handler that ran too long, or a CPU that a task kept: claims with what it names.
 *
 *     hrtimer: interrupt took 501441082 ns                                          kernel/time/hrtimer.c
 *     INFO: NMI handler (perf_event_nmi_handler) took too long to run: 250.936 msecs  arch/x86/kernel/nmi.c
 *     watchdog: BUG: soft lockup - CPU#29 stuck for 11s! [fio:2701649]              kernel/watchdog.c
 *     NMI watchdog: Watchdog detected hard LOCKUP on cpu 144                        kernel/watchdog.c
 *     rcu: INFO: rcu_sched self-detected stall on CPU                               kernel/rcu/tree_stall.h
 *     rcu:     8-....: (20999 ticks this GP) idle=e22/1/0x4000000000000000 ...
 *      (t=21000 jiffies g=6325 q=1215)
 *     CPU: 8 PID: 3470 Comm: kfdtest ...
 *     INFO: rcu_sched detected stalls on CPUs/tasks: { 3} (detected by 1, t=15002 jiffies, g=1614617, c=1614616, q=0)
 *     NMI backtrace for cpu 3
 *     rcu: RCU grace-period kthread stack dump:                                     other tasks' stacks stand between
 *     Task dump for CPU 12:
 *     fio             R  running task        0   798    796 0x00000002
 *     INFO: task kworker/0:1:1872 blocked for more than 123 seconds.                kernel/hung_task.c
 *
 * Odd: a stall's length is in jiffies, and no line tells how long one is. The first report comes after 21 s (mainline) or
 * 60 s (distributions), so one of the usual HZ fits or none does; it holds for the rest of the log. A clock that went back under an NMI handler makes its
 * time 2^64 ns less something.
 */
#include <stdio.h>
#include <string.h>

#include "importers/environment/environment.h"

#define N_LINES_AHEAD 200
#define N_FRAMES 24
#define LONGEST_NS 1000000000000000

struct stuck {
    int64_t latency_ns;
    int32_t cpu, tid;
    char task[48];
    size_t n_frames; /* innermost first; the first is where it was */
    char frames[N_FRAMES][96];
    bool in_irq;     /* frames of the interrupt that looked are no frames of the task */
    bool by_reader;  /* a thread that did not get to run holds up the grace period: no CPU is stuck */
    bool by_other;   /* another CPU looked, with an NMI: what runs in an interrupt is what kept it */
    bool is_elsewhere; /* the lines at hand tell of another CPU, or of a thread that sleeps */
};

static bool takes_number(const char **p, const char *end, uint64_t *n)
{
    while (*p < end && (**p == ' ' || **p == '\t'))
        (*p)++;
    return scan_u64(p, end, n);
}

static void add_frame(struct stuck *stuck, const char *begin, const char *end, bool is_first)
{
    if (is_first && stuck->n_frames) /* frames stood in front of it */
        return;
    if (stuck->n_frames < N_FRAMES && end > begin)
        snprintf(stuck->frames[stuck->n_frames++], sizeof *stuck->frames, "%.*s", (int)(end - begin < 95 ? end - begin : 95), begin);
}

/*
 * "RIP: 0010:func+0x2f/0x90", "RIP: 0010:[<ffffffff81>]  [<ffffffff81>] func+0x8e6/0x950", "pc : func+0x54", "(func+0x2a/0xd8)",
 * and the frames below: "  clear_shadow_entry+0x3d/0x100", "[<00000000003d9042>] func+0x2a/0xd8", not those with '?'.
 */
static void take_function(const struct line *line, struct stuck *stuck)
{
    static const char *const heads[] = {"RIP: ", "pc : ", "PC is at ", "Krnl PSW : ", "NIP [", "epc : ", "ERA: "};
    const char *p = NULL, *text_end = line->text + line->length;
    if (line_has(line, "<IRQ>") || line_has(line, "</IRQ>") || line_has(line, "<EOI>"))
        stuck->in_irq = line_has(line, "<IRQ>");
    for (size_t i = 0; i < sizeof heads / sizeof *heads && !p; i++)
        p = line_find(line, heads[i]);
    bool is_head = p != NULL;
    if (!p)
        p = line->text;
    const char *offset = memmem(p, (size_t)(text_end - p), "+0x", 3), *begin = offset;
    while (begin && begin > p && begin[-1] != ' ' && begin[-1] != ':' && begin[-1] != '(')
        begin--;
    if (!begin || begin == offset || line_has(line, "? ") || (stuck->in_irq && !stuck->by_other && !is_head))
        return;
    add_frame(stuck, begin, offset, is_head);
}

/* "CPU: 8 PID: 3470 Comm: kfdtest Kdump: loaded Tainted: ..."; the name ends at a word of the kernel's or a blank. */
static void take_current(const struct line *line, struct stuck *stuck)
{
    const char *end = line->text + line->length, *p = line_find(line, "CPU: "), *pid = line_find(line, "PID: "), *comm = line_find(line, "Comm: ");
    uint64_t cpu, tid;
    if (!p || !pid || !comm || stuck->task[0])
        return;
    p += 5;
    pid += 5;
    comm += 6;
    if (!takes_number(&p, end, &cpu) || !takes_number(&pid, end, &tid) || tid > INT32_MAX || (stuck->cpu >= 0 && (uint64_t)stuck->cpu != cpu))
        return;
    const char *stop = memchr(comm, ' ', (size_t)(end - comm));
    stop = stop ? stop : end;
    stuck->cpu = cpu < 8192 ? (int32_t)cpu : CPU_UNKNOWN;
    stuck->tid = (int32_t)tid;
    snprintf(stuck->task, sizeof stuck->task, "%.*s:%llu", (int)(stop - comm < 31 ? stop - comm : 31), comm, (unsigned long long)tid);
}

/* How long so many jiffies are, if a first report of a stall with a usual HZ fits; else NS_UNKNOWN. */
static int64_t stall_ns(uint64_t jiffies, unsigned *known_hz)
{
    static const unsigned hz[] = {100, 250, 300, 1000}, timeouts_s[] = {21, 60};
    unsigned found = *known_hz;
    for (size_t i = 0; !*known_hz && i < sizeof hz / sizeof *hz; i++)
        for (size_t k = 0; k < 2; k++) {
            uint64_t expected = (uint64_t)hz[i] * timeouts_s[k];
            if (jiffies < expected || (jiffies - expected) * 500 > expected) /* later reports are longer by more */
                continue;
            if (found)
                return NS_UNKNOWN;
            found = hz[i];
        }
    if (!found || jiffies > LONGEST_NS / 1000000000 * found)
        return NS_UNKNOWN;
    *known_hz = found;
    return (int64_t)(jiffies * (1000000000 / found));
}

/* "(t=5254 jiffies g=733 q=2241)", "(detected by 1, t=15002 jiffies, g=...", "{ 3}", "12-....: (5250 ticks this GP)". */
static void take_stall(const struct line *line, struct stuck *stuck, unsigned *hz)
{
    const char *end = line->text + line->length, *p = line_find(line, "(t="), *dash = line_find(line, "-..."), *brace = line_find(line, "{ ");
    uint64_t n;
    if (!p && line_has(line, "(detected by"))
        p = line_find(line, " t=");
    if (p && (p += 3) && scan_u64(&p, end, &n) && stuck->latency_ns == NS_UNKNOWN)
        stuck->latency_ns = stall_ns(n, hz);
    const char *reader = line_find(line, "Tasks blocked on level-"), *pid = reader ? line_find(line, ": P") : NULL;
    if (pid && stuck->cpu < 0 && (pid += 3) && scan_u64(&pid, end, &n) && n <= INT32_MAX) {
        stuck->by_reader = true;
        stuck->tid = (int32_t)n;
    }
    while (dash && dash > line->text && dash[-1] >= '0' && dash[-1] <= '9')
        dash--;
    if (brace && !dash && line_has(line, "stall"))
        dash = brace + 2;
    if (stuck->cpu < 0 && dash && scan_u64(&dash, end, &n) && n < 8192)
        stuck->cpu = (int32_t)n;
}

/* Whose stack follows: "NMI backtrace for cpu 3", "Task dump for CPU 3:", "CPU: 3 PID: 1 Comm: ...". */
static void take_whose(const struct line *line, struct stuck *stuck)
{
    static const char *const heads[] = {"NMI backtrace for cpu ", "Task dump for CPU ", "CPU: "};
    const char *end = line->text + line->length, *p = NULL;
    uint64_t n;
    if (line_has(line, "kthread stack dump") || line_has(line, "kthread last ran"))
        stuck->is_elsewhere = true;
    for (size_t i = 0; i < sizeof heads / sizeof *heads && !p; i++)
        p = (p = line_find(line, heads[i])) ? p + strlen(heads[i]) : NULL;
    if (p && scan_u64(&p, end, &n) && stuck->cpu >= 0)
        stuck->is_elsewhere = n != (uint64_t)stuck->cpu;
}

/* "fio             R  running task        0   798    796 0x00000002", "task:tx1  state:R  running task     stack:    0 pid:  312 ppid:". */
static void take_running(const struct line *line, struct stuck *stuck)
{
    const char *end = line->text + line->length, *running = line_find(line, "running task"), *name = line_find(line, "task:"), *pid = line_find(line, " pid:");
    uint64_t n;
    if (!running || stuck->task[0])
        return;
    name = name && name < running ? name + 5 : line->text;
    const char *stop = name, *p = pid ? pid + 5 : running + strlen("running task");
    while (stop < running && *stop != ' ' && *stop != '\t')
        stop++;
    if (stop == name || stop == running)
        return;
    bool is_idle = stop - name > 8 && !strncmp(name, "swapper/", 8); /* its number may be in the next line of a wrapped mail */
    if ((!pid && !takes_number(&p, end, &n)) || !takes_number(&p, end, &n) || n > INT32_MAX) {
        if (!is_idle)
            return;
        n = 0;
    }
    stuck->tid = (int32_t)n;
    snprintf(stuck->task, sizeof stuck->task, "%.*s:%llu", (int)(stop - name < 31 ? stop - name : 31), name, (unsigned long long)n);
}

static bool begins_report(const struct line *line)
{
    return line_has(line, "soft lockup") || line_has(line, "hard LOCKUP") || line_has(line, "self-detected stall") || line_has(line, "blocked for more than") ||
           line_has(line, "detected stalls on") || (line_has(line, "took too long") && !line_has(line, "backtrace"));
}

/* The lines behind a report, up to the next one, name the CPU, the task, the function and, of a stall, its length. */
static void look_behind(struct lines *lines, struct stuck *stuck, unsigned *hz)
{
    struct line line;
    for (size_t k = 1; k <= N_LINES_AHEAD && lines_peek(lines, k, &line) && !begins_report(&line); k++) {
        if (hz)
            take_stall(&line, stuck, hz);
        take_whose(&line, stuck);
        if (stuck->is_elsewhere)
            continue;
        take_current(&line, stuck);
        take_running(&line, stuck);
        take_function(&line, stuck);
    }
}

static void add_claim(struct import *import, const struct line *line, const struct stuck *stuck, enum part_kind kind, const char *subject)
{
    struct claim claim = claim_unknown();
    struct claim_part part = {.kind = kind, .subject = subject, .amount_ns = stuck->latency_ns, .is_inferred = kind == PART_IRQ};
    const char *frames[N_FRAMES];
    char text[160];
    for (size_t i = 0; i < stuck->n_frames; i++)
        frames[i] = stuck->frames[i];
    snprintf(text, sizeof text, "%.*s", (int)(line->length < 159 ? line->length : 159), line->text);
    claim.run = import->run;
    claim.artefact = import->artefact;
    claim.line = line->number;
    claim.kind = CLAIM_LOG;
    claim.section = SECTION_SILENCE;
    claim.cpu = stuck->cpu;
    claim.latency_ns = stuck->latency_ns;
    claim.text = text;
    claim.parts = &part;
    claim.n_parts = subject && *subject ? 1 : 0;
    claim.stack = frames;
    claim.n_stack = stuck->n_frames;
    store_add_claim(import->store, &claim);
}

/* A thread that did not get on for so long. */
static void add_blocked(struct import *import, const struct line *line, const struct stuck *stuck, const char *name, size_t length)
{
    char comm[32];
    snprintf(comm, sizeof comm, "%.*s", (int)(length < 31 ? length : 31), name);
    add_claim(import, line, stuck, PART_OTHER, NULL);
    struct claim *claim = store_edit_claim(import->store, (uint32_t)(store_count_claims(import->store) - 1));
    claim->section = SECTION_BLOCKED;
    claim->tid = stuck->tid;
    claim->comm = *comm ? store_keep(import->store, comm) : NULL;
}

/* "took too long to run: 168.170 msecs"; a mailer may have wrapped it. */
static void take_nmi(struct import *import, struct lines *lines, const struct line *line, struct stuck *stuck)
{
    const char *end = line->text + line->length, *name = line_find(line, "NMI handler (") + strlen("NMI handler ("), *close = memchr(name, ')', (size_t)(end - name));
    const char *p = line_find(line, "run: ");
    struct line next;
    int64_t ms_thousandths;
    if (!p && lines_peek(lines, 1, &next) && (p = line_find(&next, "run: ")))
        end = next.text + next.length;
    if (!close || !p || !(p += 5) || !scan_decimal(&p, end, 3, &ms_thousandths))
        return;
    if (ms_thousandths < 0 || ms_thousandths > LONGEST_NS / 1000) {
        import_note(import, "not-measured", line->number, "the time of an NMI handler is negative: the clock went back under it");
        return;
    }
    char subject[64];
    snprintf(subject, sizeof subject, "%.*s", (int)(close - name < 63 ? close - name : 63), name);
    stuck->latency_ns = ms_thousandths * 1000;
    add_claim(import, line, stuck, PART_NMI, subject);
}

/* "BUG: soft lockup - CPU#29 stuck for 11s! [fio:2701649]" */
static void take_lockup(struct import *import, struct lines *lines, const struct line *line, struct stuck *stuck)
{
    const char *end = line->text + line->length, *cpu = line_find(line, "CPU#"), *p = line_find(line, "stuck for "), *open = p ? memchr(p, '[', (size_t)(end - p)) : NULL;
    const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
    uint64_t seconds, n;
    if (!cpu || !p || !(p += 10) || !scan_u64(&p, end, &seconds) || seconds > LONGEST_NS / 1000000000)
        return;
    cpu += 4;
    stuck->cpu = scan_u64(&cpu, end, &n) && n < 8192 ? (int32_t)n : CPU_UNKNOWN;
    stuck->latency_ns = (int64_t)seconds * 1000000000;
    if (close)
        snprintf(stuck->task, sizeof stuck->task, "%.*s", (int)(close - open - 1 < 47 ? close - open - 1 : 47), open + 1);
    look_behind(lines, stuck, NULL);
    add_claim(import, line, stuck, PART_BLOCKING_THREAD, stuck->task);
}

/* "INFO: task kworker/0:1:1872 blocked for more than 123 seconds." */
static void take_hung(struct import *import, const struct line *line, struct stuck *stuck)
{
    const char *end = line->text + line->length, *name = line_find(line, "INFO: task "), *p = line_find(line, " blocked for more than ");
    uint64_t seconds, tid;
    if (!name || !p || name + 11 >= p)
        return;
    name += 11;
    const char *stop = p, *digits = p;
    p += strlen(" blocked for more than ");
    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    const char *comm_end = digits - 1, *q = digits;
    if (digits <= name + 1 || *comm_end != ':' || !scan_u64(&q, stop, &tid) || tid > INT32_MAX || !scan_u64(&p, end, &seconds) ||
        seconds > LONGEST_NS / 1000000000)
        return;
    stuck->latency_ns = (int64_t)seconds * 1000000000;
    stuck->tid = (int32_t)tid;
    add_blocked(import, line, stuck, name, (size_t)(comm_end - name));
}

void dmesg_stuck(struct import *import, struct lines *lines, const struct line *line, unsigned *hz)
{
    struct stuck stuck = {.latency_ns = NS_UNKNOWN, .cpu = CPU_UNKNOWN, .tid = TID_UNKNOWN};
    const char *p, *end = line->text + line->length;
    uint64_t n;
    if ((p = line_find(line, "hrtimer: interrupt took "))) {
        p += strlen("hrtimer: interrupt took ");
        if (scan_u64(&p, end, &n) && n <= LONGEST_NS) {
            stuck.latency_ns = (int64_t)n;
            add_claim(import, line, &stuck, PART_IRQ, "hrtimer_interrupt");
        }
    } else if (line_has(line, "NMI handler (") && line_has(line, "took too")) {
        take_nmi(import, lines, line, &stuck);
    } else if (line_has(line, "soft lockup")) {
        take_lockup(import, lines, line, &stuck);
    } else if (line_has(line, "self-detected stall") || line_has(line, "detected stalls on")) {
        stuck.by_other = !line_has(line, "self-detected");
        take_stall(line, &stuck, hz);
        look_behind(lines, &stuck, hz);
        if (stuck.latency_ns != NS_UNKNOWN)
            import_note(import, "unit-assumed", line->number, "a stall's jiffies are taken as those of the HZ with which a first report fits");
        if (stuck.by_reader && stuck.cpu < 0)
            add_blocked(import, line, &stuck, stuck.task, strcspn(stuck.task, ":"));
        else
            add_claim(import, line, &stuck, PART_BLOCKING_THREAD, stuck.task);
    } else if ((p = line_find(line, "hard LOCKUP on cpu "))) { /* how long, kernel.watchdog_thresh tells, and it is in no line */
        p += strlen("hard LOCKUP on cpu ");
        stuck.cpu = scan_u64(&p, end, &n) && n < 8192 ? (int32_t)n : CPU_UNKNOWN;
        stuck.by_other = true;
        look_behind(lines, &stuck, NULL);
        add_claim(import, line, &stuck, PART_BLOCKING_THREAD, stuck.task);
    } else if (line_has(line, "blocked for more than")) {
        take_hung(import, line, &stuck);
    }
}
