/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzers/clock_relation.h"

#include <stdlib.h>
#include <string.h>

#define SPAN_SHIFT   26          /* 2^26 ns = 67 ms */
#define CLUSTER_NS   1000000000  /* pairs of one clock lie closer together than this */
#define SLOPE_MIN_NS 500000000   /* below this baseline a slope would be noise */
#define STEP_MIN_NS  200000      /* what lies above the envelope by more is a step, if it lasts */
#define STEP_INTERRUPTS 4
#define SLOPE_MAX    0.001       /* clocks that differ by more than 0.1 % are no clocks */

void clock_relation_init(struct clock_relation *relation, const char *trace_clock)
{
    *relation = (struct clock_relation){0};
    relation->trace_is_mono = trace_clock && !strcmp(trace_clock, "mono");
}

static int64_t cluster_offset(const struct clock_cluster *c, int64_t stamp_ns)
{
    if (c->is_exact)
        return 0;
    int64_t now = c->offset_ns + (int64_t)(c->slope * (double)(stamp_ns - c->at_ns));
    if (!c->has_old)
        return now;
    int64_t old = c->old_offset_ns + (int64_t)(c->slope * (double)(stamp_ns - c->old_at_ns));
    return old < now ? old : now;
}

/* A slot for a clock not met before: an unused one, else the one least used. */
static struct clock_cluster *new_cluster(struct clock_relation *relation)
{
    struct clock_cluster *c = &relation->clusters[0];
    for (size_t i = 0; i < CLOCK_CLUSTERS; i++)
        if (relation->clusters[i].n_pairs < c->n_pairs)
            c = &relation->clusters[i];
    *c = (struct clock_cluster){.used = true, .offset_ns = INT64_MAX, .bucket = INT64_MIN};
    return c;
}

static void cluster_next_span(struct clock_cluster *c)
{
    if (c->bucket == INT64_MIN)
        return;
    if (!c->has_old) {
        c->first_offset_ns = c->offset_ns;
        c->first_at_ns = c->at_ns;
    } else if (c->at_ns - c->first_at_ns > SLOPE_MIN_NS) {
        double slope = (double)(c->offset_ns - c->first_offset_ns) / (double)(c->at_ns - c->first_at_ns);
        c->slope = slope < SLOPE_MAX && slope > -SLOPE_MAX ? slope : 0;
    }
    c->has_old = true;
    c->old_offset_ns = c->offset_ns;
    c->old_at_ns = c->at_ns;
    c->offset_ns = INT64_MAX;
}

/*
 * A delay of one pair is one interrupt's; when several interrupts in a row show pairs far above the envelope, the trace
 * clock itself has stepped forward.
 */
static bool has_stepped(struct clock_cluster *c, int64_t stamp_ns, int64_t now_ns, int64_t difference_ns)
{
    if (c->is_exact || c->offset_ns == INT64_MAX || difference_ns - cluster_offset(c, stamp_ns) < STEP_MIN_NS) {
        c->n_step = 0;
        return false;
    }
    if (!c->n_step || difference_ns < c->step_offset_ns)
        c->step_offset_ns = difference_ns;
    if (!c->n_step || now_ns != c->step_now_ns)
        c->n_step++;
    c->step_now_ns = now_ns;
    return c->n_step >= STEP_INTERRUPTS;
}

int64_t clock_relation_learn(struct clock_relation *relation, int64_t stamp_ns, int64_t now_ns)
{
    int64_t difference = stamp_ns - now_ns;
    struct clock_cluster *c = NULL;
    for (size_t i = 0; i < CLOCK_CLUSTERS && !c; i++) {
        struct clock_cluster *k = &relation->clusters[i];
        if (k->used && llabs(difference - (k->offset_ns != INT64_MAX ? k->offset_ns : k->old_offset_ns)) < CLUSTER_NS)
            c = k;
    }
    if (!c)
        c = new_cluster(relation);
    c->n_pairs++;
    if (relation->trace_is_mono && difference >= 0 && difference < CLUSTER_NS)
        c->is_exact = true;
    if (has_stepped(c, stamp_ns, now_ns, difference)) {
        c->offset_ns = c->step_offset_ns;
        c->at_ns = stamp_ns;
        c->has_old = false;
        c->slope = 0;
        c->n_step = 0;
    }
    int64_t bucket = stamp_ns >> SPAN_SHIFT;
    if (bucket != c->bucket) {
        cluster_next_span(c);
        c->bucket = bucket;
    }
    if (c->offset_ns == INT64_MAX || difference < c->offset_ns) {
        c->offset_ns = difference;
        c->at_ns = stamp_ns;
    }
    return cluster_offset(c, stamp_ns);
}

bool clock_relation_guess(const struct clock_relation *relation, int64_t stamp_ns, int64_t expires_ns, int64_t *offset_ns)
{
    if (!relation->trace_is_mono || llabs(stamp_ns - expires_ns) > 100 * (int64_t)CLUSTER_NS)
        return false;
    *offset_ns = 0;
    return true;
}

#define SKEW_MIN_PAIRS 4

bool clock_relation_skew(const struct clock_relation *one, const struct clock_relation *other, int64_t stamp_ns, int64_t *skew_ns)
{
    bool is_known = false;
    for (size_t i = 0; i < CLOCK_CLUSTERS; i++)
        for (size_t k = 0; k < CLOCK_CLUSTERS; k++) {
            const struct clock_cluster *a = &one->clusters[i], *b = &other->clusters[k];
            if (!a->used || !b->used || a->n_pairs < SKEW_MIN_PAIRS || b->n_pairs < SKEW_MIN_PAIRS)
                continue;
            int64_t skew = cluster_offset(a, stamp_ns) - cluster_offset(b, stamp_ns);
            if (!is_known || llabs(skew) < llabs(*skew_ns)) /* pairs of another clock base lie seconds away */
                *skew_ns = skew;
            is_known = true;
        }
    return is_known;
}
