/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Timer interrupts that did not come to an end: /proc/timer_list counts them per CPU since boot, and the kernel's log
 * names the first long one ("hrtimer: interrupt took 501441082 ns"). Between two snapshots they happened while it was measured.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/series_shape.h"

struct hangs {
    int64_t n;           /* of all CPUs */
    int64_t longest_ns;  /* NS_UNKNOWN */
    const char *scope;   /* where the longest was */
    bool is_between;     /* n is a difference of snapshots */
};

static bool is_of_list(const struct counter *c, uint32_t run)
{
    return c->run == run && c->source && c->name && strcmp(c->source, "proc/timer_list") == 0;
}

/* Values of the last snapshot. */
static struct hangs count_hangs(const struct store *store, uint32_t run)
{
    struct hangs hangs = {.longest_ns = NS_UNKNOWN};
    uint32_t last = 0;
    for (size_t i = 0; i < store->n_counters; i++) {
        const struct counter *c = &store->counters[i];
        if (is_of_list(c, run) && c->snapshot > last)
            last = c->snapshot;
    }
    for (size_t i = 0; i < store->n_counters; i++) {
        const struct counter *c = &store->counters[i];
        if (!is_of_list(c, run) || c->snapshot != last)
            continue;
        double value = decimal_value(last > 0 && c->delta.is_known ? c->delta : c->value);
        if (strcmp(c->name, "nr_hangs") == 0 && value > 0 && value < 1e15) {
            hangs.n += (int64_t)value;
            hangs.is_between |= last > 0;
        } else if (strcmp(c->name, "max_hang_time") == 0 && value > 0 && value < 1e15 && (int64_t)value > hangs.longest_ns) {
            hangs.longest_ns = (int64_t)value;
            hangs.scope = c->scope;
        }
    }
    return hangs;
}

static void tell_log(const struct store *store, uint32_t run, struct findings *out)
{
    const char *line = run_fact(store, run, "dmesg.hrtimer_interrupt"), *took = line ? strstr(line, "interrupt took ") : NULL;
    long long ns = took ? strtoll(took + strlen("interrupt took "), NULL, 10) : 0;
    if (ns <= 0)
        return;
    struct finding *finding = findings_add(out, "timer-interrupt-hangs", SEVERITY_NOTE, CONFIDENCE_PROVEN);
    finding->variant = "log";
    finding->run = run;
    finding_integer(out, finding, "longest_ns", ns);
}

static enum status run(const struct store *store, const struct analysis_options *options, struct analysis *analysis,
                       struct error *error)
{
    (void)options, (void)error;
    for (uint32_t i = 0; i < store->n_runs; i++) {
        struct hangs hangs = count_hangs(store, i);
        if (hangs.n == 0) {
            tell_log(store, i, &analysis->findings);
            continue;
        }
        struct finding *finding = findings_add(&analysis->findings, "timer-interrupt-hangs",
                                               hangs.is_between ? SEVERITY_WARNING : SEVERITY_NOTE, CONFIDENCE_PROVEN);
        finding->variant = hangs.is_between ? "between" : "";
        finding->run = i;
        finding->subject = hangs.scope ? hangs.scope : "";
        finding_integer(&analysis->findings, finding, "n_hangs", hangs.n);
        if (hangs.longest_ns != NS_UNKNOWN)
            finding_integer(&analysis->findings, finding, "longest_ns", hangs.longest_ns);
    }
    return OK;
}

const struct analyzer analyzer_timer_hangs = {
    .name = "timer-hangs",
    .summary = "timer interrupts that did not come to an end",
    .jobs = JOB_INFO,
    .run = run,
};
