/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of the trace clock. Both clocks say how late the interrupt of the window's timer was: the trace's, by the relation
 * that held before, and the timer's own. What only the trace's has is a step of that clock; a stall is in both.
 *
 *     stamp - now     before   2 us  3 us  2 us  4 us
 *                     then     5.202 ms            the interrupt's entry, stamped before its time was read
 *                     after    5.202 ms  5.203 ms  a clock that stepped stays so
 *
 * A relation made of few pairs, each of which may have come late, proves nothing: both sides are looked at again.
 */
#include "analyzers/cause.h"

#include <stdlib.h>

#define STEP_MIN_NS 20000 /* by how much the interrupt's stamp and the timer's own clock may disagree without a step */
#define REACH_NS    300000000
#define OTHER_CLOCK_NS 1000000000 /* timers of another clock are farther off */
#define MANY_PAIRS  4
#define CLOCK_STEPS 10 /* of the stamps' own, beyond which a step is measured well */

/* The pairs of one side: how many interrupts, and the pair that came most promptly. */
struct side {
    uint32_t n;
    int64_t lowest_ns, last_now_ns;
};
struct pairs {
    struct side before, after;
    int64_t own_now_ns;         /* NS_UNKNOWN: the window's own expiry is not there */
    uint64_t n_rows, n_equal;   /* rows, and those with the stamp of the one before */
    int64_t nearest_ns, common_ns; /* the shortest distance of two stamps, and what all are multiples of; 0: none */
};

static void add_stamp(struct pairs *pairs, int64_t distance_ns)
{
    pairs->n_rows++;
    pairs->n_equal += distance_ns == 0;
    if (distance_ns <= 0)
        return;
    if (!pairs->nearest_ns || distance_ns < pairs->nearest_ns)
        pairs->nearest_ns = distance_ns;
    int64_t a = pairs->common_ns;
    for (int64_t b = distance_ns, rest; b; b = rest) {
        rest = a % b;
        a = b;
    }
    pairs->common_ns = a;
}

/* The steps of the clock as the stamps show them: not all clocks count in round numbers. */
static int64_t grain_ns(const struct cause_input *input, const struct pairs *pairs)
{
    int64_t stated_ns = input->store->streams[input->window->stream].resolution_ns;
    int64_t seen_ns = 2 * pairs->n_equal > pairs->n_rows ? pairs->nearest_ns : pairs->common_ns;
    return stated_ns != NS_UNKNOWN && stated_ns > seen_ns ? stated_ns : seen_ns;
}

static void add_pair(struct side *side, int64_t stamp_ns, int64_t now_ns)
{
    if (!side->n || stamp_ns - now_ns < side->lowest_ns)
        side->lowest_ns = stamp_ns - now_ns;
    side->n += !side->n || now_ns != side->last_now_ns;
    side->last_now_ns = now_ns;
}

static bool is_near(int64_t stamp_ns, int64_t now_ns, int64_t difference_ns)
{
    int64_t d;
    return now_ns <= NS_LIMIT / 2 && now_ns >= -NS_LIMIT / 2 && !__builtin_sub_overflow(stamp_ns - now_ns, difference_ns, &d) &&
           d < OTHER_CLOCK_NS && d > -OTHER_CLOCK_NS;
}

static void read_pairs(const struct cause_input *input, struct pairs *pairs)
{
    const struct window *w = input->window;
    const struct activation *a = &w->a;
    int64_t last_ns = NS_UNKNOWN, own_late_ns = a->timer_late_ns;
    *pairs = (struct pairs){.own_now_ns = NS_UNKNOWN};
    struct event_ref ref;
    for (int pass = 0; pass < 2; pass++) { /* the own pair tells which clock the others must be of */
        int64_t reach_ns = pass ? REACH_NS : 0;
        struct event_merge *merge = event_merge_new(input->store, w->run, w->stream, w->begin_ns - reach_ns, w->end_ns + reach_ns, NULL);
        while (merge && event_merge_next(merge, &ref)) {
            int64_t t_ns = event_time_ns(&ref);
            if (pass && last_ns != NS_UNKNOWN)
                add_stamp(pairs, t_ns - last_ns);
            last_ns = t_ns;
            if (ref.view->kind[ref.i] != KIND_HRTIMER_EXPIRE_ENTRY || ref.cpu != a->timer_cpu)
                continue;
            const uint32_t *words = event_words(&ref);
            int64_t now_ns = event_words_i64(words + 3);
            if (!pass && t_ns == a->expire_ns && (uint64_t)event_words_i64(words) == a->timer)
                pairs->own_now_ns = now_ns;
            if (!pass || pairs->own_now_ns == NS_UNKNOWN || !is_near(t_ns, now_ns, a->expire_ns - pairs->own_now_ns))
                continue;
            if (now_ns < pairs->own_now_ns - own_late_ns && t_ns < a->handler_ns)
                add_pair(&pairs->before, t_ns, now_ns);
            else if (now_ns > pairs->own_now_ns && t_ns > a->expire_ns)
                add_pair(&pairs->after, t_ns, now_ns);
        }
        if (merge)
            event_merge_free(merge);
        last_ns = NS_UNKNOWN;
    }
}

/* It lies where nothing is recorded. */
static int64_t carve_step(const struct cause_input *input, int64_t step_ns)
{
    const struct sweep *s = input->sweep;
    int64_t largest_ns = 0, at_ns = 0;
    for (size_t i = 0; i < s->n_pieces; i++)
        if (s->pieces[i].end_ns - s->pieces[i].begin_ns > largest_ns) {
            largest_ns = s->pieces[i].end_ns - s->pieces[i].begin_ns;
            at_ns = s->pieces[i].begin_ns;
        }
    struct subject subject = {.kind = SUBJECT_STEP, .number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    step_ns = step_ns < largest_ns ? step_ns : largest_ns;
    sweep_carve(input->sweep, at_ns, at_ns + step_ns, SLICE_GAP, 0, &subject);
    return step_ns;
}

int64_t step_carve(const struct cause_input *input, enum confidence *confidence)
{
    const struct window *w = input->window;
    const struct activation *a = &w->a;
    if (a->tid == TID_UNKNOWN || a->timer_late_ns == NS_UNKNOWN || a->handler_ns == NS_UNKNOWN || a->hard_due_ns == NS_UNKNOWN)
        return 0;
    int64_t step_ns = a->handler_ns - a->hard_due_ns - a->timer_late_ns;
    if (step_ns < STEP_MIN_NS || 2 * step_ns < window_length_ns(w))
        return 0;
    struct pairs pairs;
    read_pairs(input, &pairs);
    if (pairs.own_now_ns == NS_UNKNOWN || !pairs.before.n)
        return 0;
    int64_t seen_ns = a->handler_ns - pairs.own_now_ns - pairs.before.lowest_ns;
    if (pairs.after.n && pairs.after.lowest_ns - pairs.before.lowest_ns < seen_ns)
        seen_ns = pairs.after.lowest_ns - pairs.before.lowest_ns;
    int64_t clock_step_ns = grain_ns(input, &pairs);
    if (seen_ns < STEP_MIN_NS || 4 * seen_ns < 3 * step_ns || seen_ns < 2 * clock_step_ns)
        return 0;
    bool is_sharp = seen_ns >= CLOCK_STEPS * clock_step_ns && pairs.before.n >= MANY_PAIRS;
    *confidence = is_sharp && pairs.after.n >= MANY_PAIRS ? CONFIDENCE_PROVEN
                  : is_sharp && pairs.after.n             ? CONFIDENCE_LIKELY
                                                          : CONFIDENCE_POSSIBLE;
    return carve_step(input, step_ns);
}
