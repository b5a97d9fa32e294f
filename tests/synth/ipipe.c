/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/synth/ipipe.h"

#include <inttypes.h>
#include <stdio.h>

#define N_BEFORE 10
#define MAX_ROWS 80

struct row {
    const char *type, *function, *parent;
    int64_t delay_ns;
    bool is_locked, in_path;
    char mark; /* '>' begin, '<' end */
};

static const char *const innocents[] = {"__rcu_read_lock", "mntput", "preempt_count_add", "filldir64", "_raw_spin_lock", "ksys_read",
                                        "vfs_read", "copy_page_to_iter", "down_read_killable", "iterate_dir"};

static const char *innocent(struct machine *m)
{
    return innocents[random_below(m, sizeof innocents / sizeof *innocents)];
}

static void print_row(FILE *file, const struct row *row, int64_t at_ns)
{
    char mark = row->in_path && row->delay_ns > 10000 ? '!' : row->in_path && row->delay_ns > 1000 ? '+' : ' ';
    fprintf(file, "%c%c #%-8s%-11s%5" PRId64 "%c %3" PRId64 ".%03" PRId64 "  %s+0x10 (%s)\n", row->mark ? row->mark : row->in_path ? ':' : ' ',
            row->is_locked ? '|' : ' ', row->type, row->type[0] == 'f' ? "" : "0x80000000 ", at_ns / 1000, mark, row->delay_ns / 1000,
            row->delay_ns % 1000, row->function, row->parent);
}

/* The section: a begin, calls, one of them long, the end. */
static size_t make_rows(struct machine *m, struct row *rows, size_t *begin, int64_t *amount_ns)
{
    size_t n = 0;
    for (; n < N_BEFORE; n++)
        rows[n] = (struct row){"func", innocent(m), innocent(m), random_between(m, 700, 1900), false, false, 0};
    *begin = n;
    rows[n++] = (struct row){"begin", "rtdrv_transfer", "<00000000>", random_between(m, 800, 1500), true, true, '>'};
    int64_t calls = random_between(m, 3, 30), long_one = random_below(m, calls);
    *amount_ns = random_between(m, 40, 900) * 1000 + random_below(m, 1000);
    for (int64_t i = 0; i < calls; i++)
        rows[n++] = (struct row){"func", i == long_one ? "rtdrv_poll_fifo" : innocent(m), "rtdrv_transfer",
                                 i == long_one ? *amount_ns : random_between(m, 700, 2100), true, true, 0};
    rows[n++] = (struct row){"end", "rtdrv_transfer", "<00000000>", random_between(m, 800, 1500), true, true, '<'};
    rows[n++] = (struct row){"func", innocent(m), innocent(m), 0, false, false, 0};
    return n;
}

bool ipipe_write(struct machine *m, const char *path)
{
    struct row rows[MAX_ROWS];
    size_t begin, n;
    int64_t amount_ns, at_ns = 0, length_ns = 0;
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    n = make_rows(m, rows, &begin, &amount_ns);
    for (size_t i = begin; i + 2 < n; i++)
        length_ns += rows[i].delay_ns;
    fprintf(file, "I-pipe worst-case tracing service on 4.19.190-ipipe/ipipe release #15\n"
                  "-------------------------------------------------------------\n"
                  "CPU: 0, Begin: 299486739 cycles, Trace Points: %zu (-%d/+1), Length: %" PRId64 " us\n"
                  "Calibrated minimum trace-point overhead: 0.634 us\n\n",
            n - N_BEFORE - 1, N_BEFORE, length_ns / 1000);
    fputs(" +----- Hard IRQs ('|': locked)\n |+-- Xenomai\n ||+- Linux ('*': domain stalled, '+': current, '#': current+stalled)\n"
          " |||                        +---------- Delay flag ('+': > 1 us, '!': > 10 us)\n"
          " |||                        |        +- NMI noise ('N')\n |||                        |        |\n"
          "    Type    User Val.   Time    Delay  Function (Parent)\n", file);
    for (size_t i = 0; i < begin; i++)
        at_ns -= rows[i].delay_ns;
    for (size_t i = 0; i < n; i++) {
        print_row(file, &rows[i], at_ns);
        at_ns += rows[i].delay_ns;
    }
    struct cpu *cpu = &m->cpus[0];
    cpu->due = 0;
    machine_truth(m, cpu, 0, "irqs-off", amount_ns, "rtdrv_", false);
    m->truths[m->n_truths - 1].due_ns = 0;
    m->truths[m->n_truths - 1].end_ns = length_ns;
    return !fclose(file);
}
