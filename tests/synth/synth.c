/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * synth: a trace of a simulated machine with planted causes, and the truth about them.
 *
 *   synth --seed N --outliers N [--dat FILE] [--text FILE] [--truth FILE]
 *         [--only NAME] [--hide] [--clock mono|local|wild] [--cobalt|--evl] [--list]
 *
 *   synth --seed N --ipipe FILE --truth FILE     an I-pipe dump of one section instead
 *   synth --seed N --cobalt --only "higher cobalt" --ipipe FILE --dat FILE --text FILE --truth FILE
 *                                                the first planted one as the I-pipe tracer freezes it, too
 *
 * Clock local: the CPUs' clocks differ by no more than microseconds; wild: by milliseconds, and they drift.
 * --hide leaves out the tracepoints that are the evidence of the causes planted. --outliers 0 plants nothing.
 * The truth begins with "# RELEASE MODEL"; then one row each: cpu tid due_ns end_ns amount_ns cause hidden culprit
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/synth/cobalt.h"
#include "tests/synth/dat.h"
#include "tests/synth/ipipe.h"
#include "tests/synth/scenarios.h"
#include "tests/synth/text.h"

struct request {
    uint64_t seed;
    int n_outliers;
    bool hide, list, cobalt, evl;
    const char *dat, *text, *truth, *only, *clock, *ipipe;
};

#define TYPICAL_PERIODS 25 /* between two planted ones */

struct plan {
    int period;
    const struct scenario *scenario;
    int64_t amount_ns;
};

static bool fits(const struct machine *m, const struct cpu *cpu, const struct scenario *s, const struct request *request)
{
    if (request->only && strcmp(request->only, s->name) != 0)
        return false;
    if ((request->hide && !s->hidden) || (s->not_evl && m->is_evl) || (s->needs_due && !m->is_dovetail && !m->arms_each_sleep))
        return false;
    if (m->arms_each_sleep && !strcmp(s->cause, "timer-programming")) /* the shot tells of it */
        return false;
    if ((s->rt_only && !m->is_rt) || (s->plain_only && m->is_rt) || (s->dovetail_only && !m->is_dovetail) || (s->local_only && !strcmp(m->clock, "mono")))
        return false;
    return !(s->needs_load && cpu->load.tid == 0) && !(s->needs_idle && cpu->load.tid != 0);
}

static const struct scenario *draw(struct machine *m, const struct cpu *cpu, const struct request *request)
{
    const struct scenario *candidates[64];
    int64_t n = 0;
    for (const struct scenario *s = m->is_cobalt ? cobalt_scenarios : scenarios; s->name; s++)
        if (fits(m, cpu, s, request))
            candidates[n++] = s;
    return n ? candidates[random_below(m, n)] : NULL;
}

static void one_period(struct machine *m, struct cpu *cpu, const struct plan *plan, bool slack_next)
{
    background(m, cpu, cpu->due - (plan && !strcmp(plan->scenario->cause, "throttling") ? 400000 : 60000));
    if (plan) {
        plan->scenario->play(m, cpu, plan->scenario, plan->amount_ns);
        if (cpu->current.tid != cpu->measured.tid)
            return;
    } else if (m->is_cobalt) {
        cobalt_period(m, cpu);
        return;
    } else {
        wait_until(m, cpu, cpu->due + random_between(m, 600, 1800));
        timer_interrupt(m, cpu);
        switch_to(m, cpu, cpu->measured, cpu->current.tid ? 0x100 : 0);
    }
    if (m->is_cobalt) {
        cobalt_end(m, cpu);
        return;
    }
    if (slack_next)
        cpu->slack_ns = random_between(m, 45000, 60000);
    run_measured(m, cpu);
}

/* All plans are made first: a stall of the whole machine is one for every CPU. */
static void play(struct machine *m, const struct request *request)
{
    m->is_null = request->n_outliers == 0;
    int n_periods = request->n_outliers ? (request->n_outliers + 1) * TYPICAL_PERIODS : 400;
    struct plan *plans[MAX_MACHINE_CPUS];
    for (int c = 0; c < m->n_cpus; c++) {
        plans[c] = memory_new((size_t)n_periods * sizeof **plans);
        /* CPU 0 has the planted ones; so have all if the machine stands still. */
        for (int i = 0; i < request->n_outliers && c == 0; i++) {
            int period = (i + 1) * TYPICAL_PERIODS + (int)random_below(m, 10);
            plans[0][period].scenario = draw(m, &m->cpus[0], request);
            plans[0][period].amount_ns = random_between(m, 60, 700) * 1000 + random_below(m, 1000);
            if (plans[0][period].scenario)
                plans[0][period].amount_ns *= plans[0][period].scenario->times ? plans[0][period].scenario->times : 1;
        }
    }
    unsigned hidden = 0;
    for (int p = 0; p < n_periods; p++)
        if (request->hide && plans[0][p].scenario)
            hidden |= plans[0][p].scenario->hidden;
    m->recorded &= ~hidden;
    for (int c = 0; c < m->n_cpus && m->is_cobalt; c++)
        cobalt_start(m, &m->cpus[c]);
    for (int c = 0; c < m->n_cpus && !m->is_cobalt; c++)
        set_clock(m, &m->cpus[c], 1);
    for (int p = 0; p < n_periods; p++) {
        struct cpu *cpu = &m->cpus[0];
        const struct plan *plan = plans[0][p].scenario ? &plans[0][p] : NULL;
        if (plan && !strcmp(plan->scenario->cause, "hardware-stall") && m->n_stalls < MAX_STALLS) {
            m->stalls[m->n_stalls].begin = cpu->due - random_between(m, 300, 2000);
            m->stalls[m->n_stalls].end = cpu->due + plan->amount_ns;
            m->n_stalls++;
        }
        if (plan && !strcmp(plan->scenario->cause, "clock-jump") && m->n_jumps < MAX_STALLS) {
            m->jumps[m->n_jumps].at = cpu->due - random_between(m, 300, 2000);
            m->jumps[m->n_jumps++].ns = plan->amount_ns;
        }
        one_period(m, cpu, plan, p + 1 < n_periods && plans[0][p + 1].scenario && plans[0][p + 1].scenario->needs_slack);
    }
    /* The other CPUs live through the same time and the same stalls. */
    for (int c = 1; c < m->n_cpus; c++)
        while (m->cpus[c].now < m->cpus[0].now)
            one_period(m, &m->cpus[c], NULL, false);
    for (int c = 0; c < m->n_cpus; c++)
        free(plans[c]);
    machine_finish(m);
}

static const char *release_of(const struct machine *m)
{
    return m->is_evl ? "5.15.0-synth-evl" : m->is_cobalt ? m->is_dovetail ? "5.10.0-synth-dovetail" : "4.19.0-synth-ipipe" : m->is_rt ? "6.1.0-synth-rt" : "6.1.0-synth";
}

static bool write_truth(const struct machine *m, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file, "# %s %s\n", release_of(m), m->is_cobalt ? "cobalt" : m->is_rt ? "rt" : "none");
    for (size_t i = 0; i < m->n_truths; i++) {
        const struct truth *t = &m->truths[i];
        fprintf(file, "%d\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%s\t%d\t%s\n", t->cpu, t->tid, t->due_ns, t->end_ns, t->amount_ns,
                t->cause, t->is_hidden, t->culprit);
    }
    return !fclose(file);
}

static bool write_dat(const struct machine *m, const char *path)
{
    dat_use_evl(m->is_evl);
    struct dat_writer *writer = dat_new(m->n_cpus, m->clock, release_of(m));
    for (int c = 0; c < m->n_cpus; c++) {
        const struct cpu *cpu = &m->cpus[c];
        dat_task(writer, cpu->measured.tid, cpu->measured.comm);
        if (cpu->load.tid)
            dat_task(writer, cpu->load.tid, cpu->load.comm);
        int64_t last_ns = 0;
        for (size_t e = 0; e < cpu->n; e++) {
            if (cpu->events[e].kind == KIND_NONE) { /* a hole: v[0] lost */
                dat_lose(writer, c, (uint64_t)cpu->events[e].v[0]);
                continue;
            }
            if (cpu->events[e].time_ns < last_ns)
                abort();
            last_ns = cpu->events[e].time_ns;
            dat_event(writer, &cpu->events[e]);
        }
    }
    return dat_finish(writer, path);
}

static bool parse(int argc, char **argv, struct request *request)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},  {"outliers", required_argument, NULL, 'n'}, {"dat", required_argument, NULL, 'd'},
        {"text", required_argument, NULL, 't'},  {"truth", required_argument, NULL, 'r'},    {"only", required_argument, NULL, 'o'},
        {"clock", required_argument, NULL, 'c'}, {"hide", no_argument, NULL, 'h'},           {"list", no_argument, NULL, 'l'},
        {"ipipe", required_argument, NULL, 'i'}, {"cobalt", no_argument, NULL, 'b'},         {"evl", no_argument, NULL, 'e'}, {NULL, 0, NULL, 0},
    };
    for (int letter; (letter = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (letter) {
        case 's': request->seed = strtoull(optarg, NULL, 10); break;
        case 'n': request->n_outliers = atoi(optarg); break;
        case 'd': request->dat = optarg; break;
        case 't': request->text = optarg; break;
        case 'r': request->truth = optarg; break;
        case 'o': request->only = optarg; break;
        case 'c': request->clock = optarg; break;
        case 'i': request->ipipe = optarg; break;
        case 'b': request->cobalt = true; break;
        case 'e': request->cobalt = request->evl = true; break;
        case 'h': request->hide = true; break;
        case 'l': request->list = true; break;
        default: return false;
        }
    return request->n_outliers >= 0 && request->n_outliers <= 200;
}

int main(int argc, char **argv)
{
    struct request request = {.seed = 1, .n_outliers = 20, .clock = "mono"};
    if (!parse(argc, argv, &request)) {
        fputs("usage: synth --seed N --outliers N [--dat FILE] [--text FILE] [--truth FILE] [--only NAME] [--hide] [--clock CLOCK]\n", stderr);
        return 2;
    }
    for (const struct scenario *s = request.cobalt ? cobalt_scenarios : scenarios; request.list && s->name; s++)
        printf("%s\t%s\t%d\n", s->name, s->cause, s->hidden != 0);
    if (request.list)
        return 0;
    struct machine m;
    machine_init(&m, request.seed);
    if (request.ipipe && !request.cobalt) {
        bool done = ipipe_write(&m, request.ipipe) && (!request.truth || write_truth(&m, request.truth));
        machine_release(&m);
        return done ? 0 : 4;
    }
    m.clock = request.clock;
    if (request.cobalt)
        cobalt_init(&m, request.evl);
    if (strcmp(request.clock, "mono") != 0) {
        m.clock_offset_ns = random_between(&m, -5000000, 5000000);
        bool is_wild = !strcmp(request.clock, "wild");
        m.clock = "local";
        m.is_wild = is_wild;
        for (int c = 0; c < m.n_cpus; c++) {
            int64_t skew_ns = is_wild ? random_between(&m, 200, 8000) * 1000 : random_below(&m, 3000);
            m.skew_ns[c] = !c ? 0 : random_below(&m, 2) ? skew_ns : -skew_ns;
            m.drift[c] = is_wild ? (double)random_between(&m, -40, 40) * 1e-6 : 0;
        }
    }
    /* A machine that the wanted cause can happen on. */
    for (const struct scenario *s = request.cobalt ? cobalt_scenarios : scenarios; request.only && s->name; s++)
        if (!strcmp(s->name, request.only)) {
            m.is_dovetail = request.cobalt && (m.is_dovetail || s->dovetail_only);
            m.is_rt = (m.is_rt || s->rt_only) && !s->plain_only;
            if (s->needs_load)
                m.cpus[0].load = (struct task_id){"stress-ng", 600, 120};
            if (s->needs_idle)
                m.cpus[0].load = (struct task_id){"swapper/0", 0, 120};
        }
    play(&m, &request);
    bool done = (!request.ipipe || (m.n_truths && ipipe_write_frozen(&m, request.ipipe, &m.truths[0]))) && (!request.dat || write_dat(&m, request.dat)) && (!request.text || text_write(&m, request.text)) &&
                (!request.truth || write_truth(&m, request.truth));
    if (!done)
        perror("synth");
    machine_release(&m);
    return done ? 0 : 4;
}
