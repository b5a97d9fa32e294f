/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/explain.h"

#include <stdio.h>
#include <string.h>

struct sum {
    struct cause_row row;
    const struct outlier *worst;
    enum confidence confidence; /* the highest of its outliers */
};

/* Stalls of all CPUs are one culprit, however long each was. */
#define STALL_PREFIX "all CPUs silent"
static bool same_culprit(const char *a, const char *b)
{
    if (a == b || !a || !b)
        return a == b;
    return !strcmp(a, b) || (!strncmp(a, STALL_PREFIX, strlen(STALL_PREFIX)) && !strncmp(b, STALL_PREFIX, strlen(STALL_PREFIX)));
}

static enum severity severity_of(enum cause cause)
{
    switch (cause) {
    case CAUSE_TIMER_SLACK:
    case CAUSE_TRACER_ARTEFACT:
    case CAUSE_KERNEL_PATH:
    case CAUSE_CONTEXT_SWITCH:
    case CAUSE_SELF:
        return SEVERITY_NOTE;
    default:
        return SEVERITY_WARNING;
    }
}

/* Who else was there: the larger slices that are not the cause, for answers that leave it open. */
static void add_candidates(struct findings *f, struct finding *finding, const struct outlier *o)
{
    char text[256] = "";
    size_t n = 0, length = 0;
    for (size_t i = 0; i < o->n_ledger && n < 3; i++) {
        const struct ledger_row *r = &o->ledger[i];
        if (!r->subject || 10 * r->amount_ns < o->latency_ns)
            continue;
        int written = snprintf(text + length, sizeof text - length, "%s%s (%s)", n ? ", " : "", r->subject, slice_kind_name(r->kind));
        if (written < 0 || (size_t)written >= sizeof text - length)
            break;
        length += (size_t)written;
        n++;
    }
    if (n)
        finding_text(f, finding, "candidates", text);
}

static void add_finding(struct analysis *analysis, const struct sum *s, size_t n_explained)
{
    struct findings *f = &analysis->findings;
    const struct outlier *o = s->worst;
    struct finding *finding = findings_add(f, cause_name(s->row.cause), severity_of(s->row.cause), s->confidence);
    finding->variant = o->why ? o->why : "";
    finding->run = o->run;
    finding->series = o->series;
    finding->cpu = o->cpu;
    finding->subject = s->row.culprit;
    finding_count(f, finding, "n_outliers", s->row.n_outliers);
    if (n_explained > 1)
        finding_count(f, finding, "n_explained", n_explained);
    finding_integer(f, finding, "amount_ns", s->row.amount_ns);
    finding_number(f, finding, "share_pct", s->row.share_pct);
    if (o->latency_ns != NS_UNKNOWN)
        finding_integer(f, finding, "worst_ns", o->latency_ns);
    if (o->comm)
        finding_text(f, finding, "task", o->comm);
    if (o->typical_ns != NS_UNKNOWN)
        finding_integer(f, finding, "typical_ns", o->typical_ns);
    int64_t without_ns = s->confidence >= CONFIDENCE_LIKELY ? explain_max_without(analysis, 0, s->row.cause, o->culprit) : NS_UNKNOWN;
    if (without_ns != NS_UNKNOWN)
        finding_integer(f, finding, "max_without_ns", without_ns);
    if (s->confidence <= CONFIDENCE_POSSIBLE)
        add_candidates(f, finding, o);
    for (size_t i = 0; i < o->n_slices && finding->n_evidence < 3; i++)
        if (o->slices[i].evidence && 5 * o->slices[i].amount_ns >= o->latency_ns)
            finding_evidence(f, finding, "%s", o->slices[i].evidence);
}

/* The nanoseconds that the cause itself held: its outliers' excess is not kept, so the largest row of its kind. */
static int64_t amount_of(const struct outlier *o)
{
    if (o->cause == CAUSE_UNEXPLAINED && o->unexplained_ns > 0)
        return o->unexplained_ns;
    if (o->cause == CAUSE_MODE_SWITCH) { /* its rows are the stages of one */
        int64_t sum = 0;
        for (size_t i = 0; i < o->n_ledger; i++)
            sum += o->ledger[i].kind == SLICE_MODE_SWITCH ? o->ledger[i].amount_ns : 0;
        return sum;
    }
    return o->n_ledger ? o->ledger[0].amount_ns : 0;
}

void explain_sum_causes(struct analysis *analysis, const struct store *store)
{
    (void)store;
    size_t n = 0;
    int64_t total = 0;
    struct sum *sums = arena_array(&analysis->arena, analysis->n_outliers + 1, sizeof *sums);
    for (size_t i = 0; i < analysis->n_outliers; i++) {
        const struct outlier *o = analysis->outliers[i];
        struct sum *s = NULL;
        for (size_t k = 0; k < n && !s; k++)
            if (sums[k].row.cause == o->cause && same_culprit(sums[k].row.culprit, o->culprit))
                s = &sums[k];
        if (!s) {
            s = &sums[n++];
            *s = (struct sum){.row = {.cause = o->cause, .culprit = o->culprit}, .worst = o};
        }
        s->row.n_outliers++;
        if (s->row.n_outliers > 1 && s->row.culprit && !strncmp(s->row.culprit, STALL_PREFIX, strlen(STALL_PREFIX)))
            s->row.culprit = STALL_PREFIX;
        s->row.amount_ns += amount_of(o);
        if (o->confidence > s->confidence)
            s->confidence = o->confidence;
        total += o->latency_ns != NS_UNKNOWN ? o->latency_ns : 0;
    }
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && sums[k].row.amount_ns > sums[k - 1].row.amount_ns; k--) {
            struct sum s = sums[k];
            sums[k] = sums[k - 1];
            sums[k - 1] = s;
        }
    analysis->causes = arena_array(&analysis->arena, n + 1, sizeof *analysis->causes);
    analysis->n_causes = n;
    for (size_t i = 0; i < n; i++) {
        sums[i].row.share_pct = total ? 100.0 * (double)sums[i].row.amount_ns / (double)total : NAN;
        analysis->causes[i] = sums[i].row;
        add_finding(analysis, &sums[i], analysis->n_outliers);
    }
}
