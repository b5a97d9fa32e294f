/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What had to happen in a silence. A machine that stands still and a trace that lost its rows look alike in between, not
 * behind: what kept a period before the silence comes late after a stall, and in time where only its rows are missing.
 *
 *     waking of cyclictest   | | | | |                  . . . .| | |      all late, at once: a stall
 *     waking of cyclictest   | | | | |                  |  | | | |        on its grid: its cycles went on
 */
#include "analyzers/cause.h"

#include <stdlib.h>

#define REACH_MIN_NS 100000000
#define REACH_MAX_NS 2000000000
#define MAX_RHYTHMS  64
#define KEPT_BEATS   256
#define LOOKED_AT    8  /* of the last gaps, for what the period is */
#define MIN_GAPS     4
#define NEAR_PARTS   10 /* so much of a period off is the same period */
#define GRID_PARTS   100 /* and at least so much off is in time: a stall ends anywhere */

struct rhythm {
    unsigned kind;
    uint64_t id;        /* of the timer, or the tid */
    int64_t last_ns;
    uint32_t n_beats;
    int64_t beats_ns[KEPT_BEATS];
    bool is_past;       /* it came again after the silence */
};

static int compare_gaps(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* i: 0 is the last, 1 the one before. */
static int64_t beat_before(const struct rhythm *r, size_t i)
{
    return r->beats_ns[(r->n_beats - 1 - i) % KEPT_BEATS];
}

/* The last gaps, at most LOOKED_AT; returns how many. */
static size_t last_gaps(const struct rhythm *r, int64_t *gaps_ns)
{
    size_t n = r->n_beats > LOOKED_AT ? LOOKED_AT : r->n_beats ? r->n_beats - 1 : 0;
    for (size_t i = 0; i < n; i++)
        gaps_ns[i] = beat_before(r, i) - beat_before(r, i + 1);
    return n;
}

/* Many beats tell the period better than a few: each is a whole number of them before the last. */
static int64_t refine(const struct rhythm *r, int64_t period)
{
    size_t n = r->n_beats < KEPT_BEATS ? r->n_beats : KEPT_BEATS;
    for (size_t i = 1; i < n && period > 0; i++) {
        int64_t span = r->last_ns - beat_before(r, i), n_periods = (span + period / 2) / period;
        if (n_periods < 1 || llabs(span - n_periods * period) > period / NEAR_PARTS)
            break;
        period = span / n_periods;
    }
    return period;
}

/* Its period if three of four of its last gaps are that long, and by how much those differ; else 0. */
static int64_t period_ns(const struct rhythm *r, int64_t *spread_ns)
{
    int64_t sorted[LOOKED_AT];
    size_t n = last_gaps(r, sorted), n_near = 0;
    if (n < MIN_GAPS)
        return 0;
    qsort(sorted, n, sizeof *sorted, compare_gaps);
    int64_t median = sorted[n / 2];
    *spread_ns = median / GRID_PARTS;
    for (size_t i = 0; i < n; i++) {
        int64_t off_ns = llabs(sorted[i] - median);
        n_near += off_ns <= median / NEAR_PARTS;
        *spread_ns = off_ns <= median / NEAR_PARTS && off_ns > *spread_ns ? off_ns : *spread_ns;
    }
    return 4 * n_near >= 3 * n ? refine(r, median) : 0;
}

/* One of its periods had to end well within the silence. */
static bool is_expected(const struct rhythm *r, int64_t period, int64_t begin_ns, int64_t end_ns)
{
    return period > 0 && r->last_ns + period >= begin_ns - period / 2 && r->last_ns + period + period / 4 < end_ns;
}

/* Without a steady period: it never stayed away for half as long. */
static bool is_overdue(const struct rhythm *r, int64_t end_ns)
{
    int64_t gaps_ns[LOOKED_AT], longest = 0;
    size_t n = last_gaps(r, gaps_ns);
    for (size_t i = 0; i < n; i++)
        longest = gaps_ns[i] > longest ? gaps_ns[i] : longest;
    return n >= MIN_GAPS && r->last_ns + 2 * longest < end_ns;
}

static void judge(struct rhythm *r, int64_t t_ns, int64_t begin_ns, int64_t end_ns, bool is_windows, struct rhythms *found)
{
    int64_t spread = 0, period = period_ns(r, &spread), since_ns = t_ns - r->last_ns;
    r->is_past = true;
    if (!is_expected(r, period, begin_ns, end_ns) || t_ns < end_ns)
        return;
    int64_t off_ns = since_ns % period;
    bool on_grid = since_ns > period + period / 2 && (off_ns <= spread || period - off_ns <= spread);
    if (is_windows) {
        found->own_is_in_time |= on_grid;
        found->own_ns = t_ns;
    } else if (on_grid) {
        found->n_in_time++;
        found->other_ns = t_ns;
        found->near_ns = period / NEAR_PARTS;
    } else {
        found->n_late++;
    }
}

static struct rhythm *rhythm_of(struct rhythm *all, size_t *n, unsigned kind, uint64_t id)
{
    for (size_t i = 0; i < *n; i++)
        if (all[i].kind == kind && all[i].id == id)
            return &all[i];
    if (*n == MAX_RHYTHMS)
        return NULL;
    all[*n] = (struct rhythm){.kind = kind, .id = id, .last_ns = NS_UNKNOWN};
    return &all[(*n)++];
}

static bool has_rhythm(const struct rhythm *all, size_t n, unsigned kind, uint64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].kind == kind && all[i].id == id)
            return true;
    return false;
}

/* Of what an event is the next beat: wakings of a thread, its switches where they are not recorded, timers that wake nobody. */
static struct rhythm *beat_of(const struct cause_input *input, struct rhythm *all, size_t *n, const struct event_ref *ref)
{
    const uint32_t *w = event_words(ref);
    switch (ref->view->kind[ref->i]) {
    case KIND_HRTIMER_EXPIRE_ENTRY:
        return word_class(input->words, w[2]) & WORD_WAKING_TIMER ? NULL : rhythm_of(all, n, KIND_HRTIMER_EXPIRE_ENTRY, (uint64_t)event_words_i64(w));
    case KIND_SCHED_WAKING:
        return rhythm_of(all, n, KIND_SCHED_WAKING, w[1]);
    case KIND_SCHED_SWITCH:
        return (int32_t)w[5] > 0 && !has_rhythm(all, *n, KIND_SCHED_WAKING, w[5]) ? rhythm_of(all, n, KIND_SCHED_SWITCH, w[5]) : NULL;
    default:
        return NULL;
    }
}

static void beat(struct rhythm *r, int64_t t_ns)
{
    r->beats_ns[r->n_beats++ % KEPT_BEATS] = r->last_ns = t_ns;
}

static bool is_own(const struct window *w, const struct rhythm *r)
{
    return r->kind != KIND_HRTIMER_EXPIRE_ENTRY && (int32_t)r->id == w->tid;
}

void rhythms_over(const struct cause_input *input, int64_t begin_ns, int64_t end_ns, struct rhythms *found)
{
    const struct window *w = input->window;
    int64_t reach_ns = 4 * (end_ns - begin_ns);
    reach_ns = reach_ns < REACH_MIN_NS ? REACH_MIN_NS : reach_ns > REACH_MAX_NS ? REACH_MAX_NS : reach_ns;
    struct rhythm *all = memory_new(MAX_RHYTHMS * sizeof *all);
    int64_t spread;
    size_t n = 0;
    struct event_ref ref;
    *found = (struct rhythms){0};
    struct event_merge *merge = event_merge_new(input->store, w->run, w->stream, begin_ns - reach_ns, end_ns + reach_ns, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        int64_t t_ns = event_time_ns(&ref);
        struct rhythm *r = beat_of(input, all, &n, &ref);
        if (!r || r->is_past)
            continue;
        if (t_ns > begin_ns && r->last_ns != NS_UNKNOWN)
            judge(r, t_ns, begin_ns, end_ns, is_own(w, r), found);
        else
            beat(r, t_ns);
    }
    if (merge)
        event_merge_free(merge);
    for (size_t i = 0; i < n; i++)
        if (!all[i].is_past && !is_own(w, &all[i]) && all[i].last_ns <= begin_ns &&
            (is_expected(&all[i], period_ns(&all[i], &spread), begin_ns, end_ns) || is_overdue(&all[i], end_ns)))
            found->n_open++;
    free(all);
}
