/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/outlier_times.h"
#include "analyzers/trace_findings.h"
#include "analyzers/stats/counting.h"
#include "analyzers/stats/dependence.h"
#include "analyzers/storms.h"

#include <string.h>

#define MAX_STORM_FINDINGS 3
#define CONTRAST_FALSE_ALARM_RATE 0.01
#define CONTRAST_MIN 3
#define RHYTHM_MIN 8
#define RHYTHM_FALSE_ALARM_RATE 0.01
/* The least p of many periods: at a level of 1 %, 1.2 % of 1,000 traces in which nothing was planted had a rhythm. */
#define RHYTHM_LEVEL (RHYTHM_FALSE_ALARM_RATE / 5)
#define RHYTHM_RESULTANT 0.8
#define RHYTHM_SHORTEST_S 0.008
#define RHYTHM_ONE_EVENT_S 0.000002
#define COINCIDENCE_FALSE_ALARM_RATE 0.001
/* Vectors whose rate follows what others do (a CPU that leaves idle, a busy neighbour): storms only when they take time. */
#define BUSY_SHARE 0.2

static char *handler_name(const struct trace_context *t, const struct handler *h)
{
    struct cause_input input = {.store = t->store, .arena = &t->analysis->arena};
    struct subject subject = {.kind = h->kind, .number = h->number, .name = h->name};
    return line_format(&input, &subject, false);
}

static bool is_device_line(const struct handler *h)
{
    return h->kind == OPEN_IRQ;
}

/* Outliers and typical windows inside and outside the bursts. */
static struct table2x2 storm_table(const struct trace_context *t, const struct storm *storm)
{
    struct table2x2 table = {0};
    for (size_t i = 0; i < t->n_windows; i++) {
        const struct window *w = &t->selection->windows[i];
        if (w->begin_ns == NS_UNKNOWN || w->cpu != storm->line->cpu)
            continue;
        if (storm_overlaps(storm, w->begin_ns, w->end_ns))
            table.a++;
        else
            table.b++;
    }
    for (size_t i = 0; i < t->selection->n_reservoirs; i++)
        for (size_t k = 0; k < t->selection->reservoirs[i].n; k++) {
            const struct activation *a = &t->selection->reservoirs[i].items[k];
            if (a->cpu != storm->line->cpu)
                continue;
            if (storm_overlaps(storm, activation_begin_ns(a), activation_end_ns(a)))
                table.c++;
            else
                table.d++;
        }
    return table;
}

static void storm_finding(const struct trace_context *t, const struct storm *s)
{
    struct findings *f = &t->analysis->findings;
    struct table2x2 table = storm_table(t, s);
    bool meets = table.a > 0 && table.a + table.b >= 3 && table.c + table.d >= 5 && fisher_p_greater(table) < 0.01;
    struct finding *finding = findings_add(f, "irq-storm", meets ? SEVERITY_WARNING : SEVERITY_NOTE, CONFIDENCE_LIKELY);
    finding->variant = meets ? "trace-with-outliers" : "trace";
    finding->run = t->selection->run;
    finding->cpu = s->line->cpu;
    finding->subject = handler_name(t, s->line);
    finding_text(f, finding, "line", finding->subject);
    finding_count(f, finding, "n_bursts", s->n_bursts);
    finding_count(f, finding, "n_interrupts", s->n_in_bursts);
    finding_integer(f, finding, "begin_ns", s->begin_ns);
    finding_integer(f, finding, "end_ns", s->end_ns);
    finding_integer(f, finding, "bursts_ns", s->burst_ns);
    finding_number(f, finding, "rate_hz", s->rate_hz);
    finding_number(f, finding, "baseline_hz", s->baseline_hz);
    finding_number(f, finding, "p", s->p);
    finding_number(f, finding, "false_alarm_rate", STORM_FALSE_ALARM_RATE);
    if (table.a + table.b && table.c + table.d) {
        finding_count(f, finding, "n_outliers_in", table.a);
        finding_count(f, finding, "n_outliers", (table.a + table.b));
        finding_count(f, finding, "n_typical_in", table.c);
        finding_count(f, finding, "n_typical", (table.c + table.d));
        finding_number(f, finding, "lift", table_lift(table));
        finding_number(f, finding, "fisher_p", fisher_p_greater(table));
    }
}

static void find_storms(const struct trace_context *t)
{
    struct storm *storms;
    size_t n = storms_find(&t->selection->handlers, &storms), n_told = 0;
    for (size_t i = 0; i < n && n_told < MAX_STORM_FINDINGS; i++) {
        const struct handler *h = storms[i].line;
        double busy = h->n ? (double)h->total_ns / (double)h->n * (double)storms[i].n_in_bursts / (double)storms[i].burst_ns : 0;
        if (h->kind == OPEN_NONE || (!is_device_line(h) && busy < BUSY_SHARE))
            continue;
        storm_finding(t, &storms[i]);
        n_told++;
    }
    storms_free(storms, n);
}

void contrast_add(struct contrast *c, const struct sweep *sweep, const struct window *window, bool is_outlier)
{
    uint64_t number = ++(is_outlier ? &c->n_outliers : &c->n_typical)[0] + (is_outlier ? 0 : (uint64_t)1 << 32);
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        if (p->begin_ns - window->begin_ns >= c->horizon_ns)
            break;
        bool counts = p->kind == SLICE_IRQ || p->kind == SLICE_IPI || p->kind == SLICE_SOFTIRQ || p->kind == SLICE_TASK_HIGHER ||
                      p->kind == SLICE_TASK_SAME || p->kind == SLICE_IRQS_OFF || p->kind == SLICE_PREEMPT_OFF;
        if (!counts || p->flags & PIECE_OWN)
            continue;
        struct contrast_row *row = NULL;
        bool is_handler = p->kind == SLICE_IRQ || p->kind == SLICE_IPI || p->kind == SLICE_SOFTIRQ;
        for (size_t k = 0; k < c->n && !row; k++)
            if (c->rows[k].kind == p->kind && (is_handler ? subject_same_line(&c->rows[k].subject, &p->subject) &&
                                                                c->rows[k].subject.function == p->subject.function
                                                          : c->rows[k].subject.comm == p->subject.comm))
                row = &c->rows[k];
        if (!row) {
            if (c->n == CONTRAST_MAX)
                continue;
            row = &c->rows[c->n++];
            *row = (struct contrast_row){.kind = p->kind, .subject = p->subject};
        }
        if (row->last == number)
            continue;
        row->last = number;
        ++*(is_outlier ? &row->n_outliers : &row->n_typical);
    }
}

static enum cause cause_of_kind(enum slice_kind kind)
{
    switch (kind) {
    case SLICE_IRQ:
        return CAUSE_IRQ;
    case SLICE_IPI:
        return CAUSE_IPI;
    case SLICE_SOFTIRQ:
        return CAUSE_SOFTIRQ;
    case SLICE_TASK_HIGHER:
        return CAUSE_HIGHER_PRIORITY_TASK;
    case SLICE_TASK_SAME:
        return CAUSE_SAME_PRIORITY_TASK;
    case SLICE_IRQS_OFF:
        return CAUSE_IRQS_OFF;
    default:
        return CAUSE_PREEMPT_OFF;
    }
}

static struct table2x2 contrast_table(const struct contrast *c, const struct contrast_row *row)
{
    return (struct table2x2){row->n_outliers, c->n_outliers - row->n_outliers, row->n_typical, c->n_typical - row->n_typical};
}

static void find_contrast(const struct trace_context *t)
{
    const struct contrast *c = t->contrast;
    double p[CONTRAST_MAX];
    if (c->n_outliers < CONTRAST_MIN || c->n_typical < 8)
        return;
    for (size_t i = 0; i < c->n; i++)
        p[i] = fisher_p_greater(contrast_table(c, &c->rows[i]));
    adjust_benjamini_hochberg(p, c->n);
    for (size_t i = 0; i < c->n; i++) {
        const struct contrast_row *row = &c->rows[i];
        if (p[i] > CONTRAST_FALSE_ALARM_RATE || row->n_outliers < CONTRAST_MIN)
            continue;
        struct cause_input input = {.store = t->store, .arena = &t->analysis->arena};
        struct findings *f = &t->analysis->findings;
        struct finding *finding = findings_add(f, cause_name(cause_of_kind(row->kind)), SEVERITY_NOTE, CONFIDENCE_POSSIBLE);
        finding->variant = "contrast";
        finding->run = t->selection->run;
        finding->subject = row->subject.kind == OPEN_IRQ || row->subject.kind == OPEN_VECTOR || row->subject.kind == OPEN_SOFTIRQ
                               ? line_format(&input, &row->subject, true)
                               : arena_string(&t->analysis->arena, store_string(t->store, row->subject.comm));
        struct table2x2 table = contrast_table(c, row);
        double low, high, odds = fisher_odds_ratio(table, 0.95, &low, &high);
        finding_count(f, finding, "n_outliers_with", table.a);
        finding_count(f, finding, "n_outliers", c->n_outliers);
        finding_count(f, finding, "n_typical_with", table.c);
        finding_count(f, finding, "n_typical", c->n_typical);
        finding_number(f, finding, "odds_ratio", odds);
        finding_number(f, finding, "odds_low", low);
        finding_number(f, finding, "odds_high", high);
        finding_number(f, finding, "p", p[i]);
        finding_number(f, finding, "false_alarm_rate", CONTRAST_FALSE_ALARM_RATE);
    }
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* How well the ordinary activations of the traced threads keep a period: a lattice of due times keeps its own. */
static double typical_resultant(const struct selection *s, double period)
{
    double most = 0;
    for (size_t i = 0; i < s->n_reservoirs; i++) {
        const struct reservoir *r = &s->reservoirs[i];
        double times[RESERVOIR];
        if (r->n < RHYTHM_MIN)
            continue;
        for (size_t k = 0; k < r->n; k++)
            times[k] = (double)activation_begin_ns(&r->items[k]) * 1e-9;
        double resultant = rayleigh(times, r->n, period, NULL);
        most = resultant > most ? resultant : most;
    }
    return most;
}

/* How well all samples of the outliers' series keep the period: a sampling tool's own windows have one. */
static double sampling_resultant(const struct trace_context *t, double period_s)
{
    double most = 0;
    uint32_t last = ROW_NONE;
    for (size_t i = 0; i < t->n_windows; i++) {
        const struct window *w = &t->selection->windows[i];
        uint32_t series = w->claim == ROW_NONE ? ROW_NONE : t->store->claims[w->claim].series;
        if (series != ROW_NONE && series != last && t->store->series[series].is_block_maxima)
            most = fmax(most, series_resultant(t->store, series, period_s));
        last = series;
    }
    return most;
}

static void find_rhythm(const struct trace_context *t)
{
    const struct selection *s = t->selection;
    double *times = memory_resize(NULL, t->n_windows + 1, sizeof *times);
    size_t n = 0, n_apart = 0;
    double least_gap = INFINITY;
    for (size_t i = 0; i < t->n_windows; i++) {
        const struct window *w = &s->windows[i];
        if (w->begin_ns != NS_UNKNOWN && w->stream != ROW_NONE && stream_has_times(&t->store->streams[w->stream]))
            times[n++] = (double)w->begin_ns * 1e-9;
    }
    if (n)
        memory_sort(times, n, sizeof *times, by_time);
    /* Threads late at one instant are one event. */
    for (size_t i = 0; i < n; i++)
        if (!n_apart || times[i] - times[n_apart - 1] > RHYTHM_ONE_EVENT_S)
            times[n_apart++] = times[i];
    for (size_t i = 1; i < n_apart; i++)
        least_gap = fmin(least_gap, times[i] - times[i - 1]);
    double p = 1, resultant = 0, period = NAN, shortest = fmax(least_gap / 2, RHYTHM_SHORTEST_S);
    double span = n_apart ? times[n_apart - 1] - times[0] : 0;
    if (n_apart >= RHYTHM_MIN && span > 4 * shortest)
        period = rhythm_find(times, n_apart, shortest, span / 3, &p, &resultant);
    free(times);
    if (isnan(period) || p >= RHYTHM_LEVEL || resultant < RHYTHM_RESULTANT || typical_resultant(s, period) > resultant / 2 ||
        sampling_resultant(t, period) > resultant / 2)
        return;
    struct findings *f = &t->analysis->findings;
    struct finding *finding = findings_add(f, "periodic-outliers", SEVERITY_NOTE, CONFIDENCE_LIKELY);
    finding->variant = "trace";
    finding->run = s->run;
    finding_rounded(f, finding, "period_ns", period * 1e9);
    finding_count(f, finding, "n_outliers", n_apart);
    finding_number(f, finding, "resultant", resultant);
    finding_number(f, finding, "p", p);
    finding_number(f, finding, "false_alarm_rate", RHYTHM_FALSE_ALARM_RATE);
}

/* Pairs of outliers of different CPUs that overlap, against what chance gives for their lengths over the span. */
static void find_coincidence(const struct trace_context *t)
{
    const struct selection *s = t->selection;
    uint64_t n_pairs = 0;
    double expected = 0;
    int64_t span = s->handlers.begin_ns != NS_UNKNOWN ? s->handlers.end_ns - s->handlers.begin_ns : 0;
    size_t n = t->n_windows < 200 ? t->n_windows : 200;
    const struct window *worst = NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            const struct window *a = &s->windows[i], *b = &s->windows[k];
            if (a->begin_ns == NS_UNKNOWN || b->begin_ns == NS_UNKNOWN || a->cpu == b->cpu || a->stream != b->stream || span <= 0)
                continue;
            expected += (double)(window_length_ns(a) + window_length_ns(b)) / (double)span;
            if (a->begin_ns < b->end_ns && b->begin_ns < a->end_ns) {
                n_pairs++;
                worst = worst ? worst : a;
            }
        }
    if (n_pairs < 3 || poisson_at_least(expected, n_pairs) >= COINCIDENCE_FALSE_ALARM_RATE)
        return;
    struct findings *f = &t->analysis->findings;
    struct finding *finding = findings_add(f, "simultaneous-maxima", SEVERITY_NOTE, CONFIDENCE_LIKELY);
    finding->variant = "trace";
    finding->run = s->run;
    finding_count(f, finding, "n_pairs", n_pairs);
    finding_number(f, finding, "n_expected", expected);
    finding_number(f, finding, "p", poisson_at_least(expected, n_pairs));
    finding_number(f, finding, "false_alarm_rate", COINCIDENCE_FALSE_ALARM_RATE);
    finding_integer(f, finding, "begin_ns", worst->begin_ns);
    finding_integer(f, finding, "worst_ns", window_length_ns(worst));
}

void trace_findings(const struct trace_context *context)
{
    if (context->selection->is_whole && context->selection->handlers.n)
        find_storms(context);
    find_contrast(context);
    find_rhythm(context);
    find_coincidence(context);
}
