/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A window that the wakers of its thread are part of. Each link's wait is a window of the link's own thread, swept and
 * decided as any other; its pieces take the place of what the late thread's own window says of that time, and where
 * the largest excess is, there the time went.
 */
#include "analyzers/explain_chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void append(struct sweep *to, const struct piece *pieces, size_t n)
{
    if (!n)
        return;
    memory_reserve(to->pieces, to->pieces_capacity, to->n_pieces + n);
    memcpy(to->pieces + to->n_pieces, pieces, n * sizeof *pieces);
    to->n_pieces += n;
}

/* [begin, end) of the sweep's pieces is replaced by others, which fill it; begin may lie before its first. */
static void replace(struct sweep *sweep, int64_t begin_ns, int64_t end_ns, const struct sweep *by)
{
    struct sweep made = {0};
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        struct piece p = sweep->pieces[i];
        if (p.begin_ns >= begin_ns)
            break;
        p.end_ns = p.end_ns < begin_ns ? p.end_ns : begin_ns;
        append(&made, &p, 1);
    }
    append(&made, by->pieces, by->n_pieces);
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        struct piece p = sweep->pieces[i];
        if (p.end_ns <= end_ns)
            continue;
        p.begin_ns = p.begin_ns > end_ns ? p.begin_ns : end_ns;
        append(&made, &p, 1);
    }
    free(sweep->pieces);
    sweep->pieces = made.pieces;
    sweep->n_pieces = made.n_pieces;
    sweep->pieces_capacity = made.pieces_capacity;
}

/* The wait of a link, as an outlier of its own thread. */
static struct window window_of_link(const struct chain_link *l, const struct window *late)
{
    struct window w = window_of_activation(&l->a, late->run, late->stream);
    w.companions = late->companions;
    w.end_ns = l->running_ns;
    w.a.user_ns = NS_UNKNOWN;
    if (l->kind == LINK_LOCK) {
        w.kind = WINDOW_BLOCKED;
        w.begin_ns = l->begin_ns;
        w.owner_tid = l->a.waker_tid;
    }
    return w;
}

/* What a link did from its switch in until it woke the next: seen from the late thread. */
static struct window window_of_work(const struct chain_link *l, const struct window *late)
{
    struct window w;
    window_init(&w);
    w.run = late->run;
    w.stream = late->stream;
    w.companions = late->companions;
    w.kind = WINDOW_WAKEUP;
    w.tid = late->tid;
    w.prio = late->prio;
    w.comm = late->comm;
    w.cpu = l->a.cpu;
    w.begin_ns = l->running_ns;
    w.end_ns = l->end_ns;
    return w;
}

static enum status sweep_link(const struct chain_input *c, struct window *w, struct sweep *sweep, struct decision *decision,
                              struct error *error)
{
    const struct cause_input *own = c->own;
    const struct typical *typical = typicals_of(c->typicals, w, error);
    bool is_inversion;
    if (!typical || (w->kind == WINDOW_BLOCKED && blocked_check(own->store, w, &is_inversion, error) == FAILED))
        return FAILED;
    struct cause_input input = *own;
    input.window = w;
    input.sweep = sweep;
    input.typical = typical;
    if (sweep_window(sweep, own->store, own->words, w, c->lookback_ns, error) == FAILED)
        return FAILED;
    window_carve_unrecorded(sweep, w);
    input.is_complete = window_carve_gaps(own->store, sweep, w);
    if (w->kind == WINDOW_BLOCKED)
        blocked_decide(&input, decision);
    else
        cause_decide(&input, decision);
    return OK;
}

static enum status sweep_work(const struct chain_input *c, const struct chain_link *l, struct sweep *sweep, struct error *error)
{
    struct window w = window_of_work(l, c->window);
    if (w.end_ns <= w.begin_ns)
        return OK;
    if (sweep_window(sweep, c->own->store, c->own->words, &w, 0, error) == FAILED)
        return FAILED;
    window_carve_unrecorded(sweep, &w);
    window_carve_gaps(c->own->store, sweep, &w);
    return OK;
}

/* A thread of an interrupt, softirq or timer does nothing else; another task may have had reasons of its own. */
static bool is_relay(const struct chain_input *c, const struct chain_link *l)
{
    return word_class(c->own->words, l->a.comm) & WORD_RELAYS;
}

/* The link's decision becomes the window's: its excess is weighed against all of it. */
static void take_decision(const struct chain_input *c, const struct chain_link *l, const struct decision *of_link,
                          struct decision *decision)
{
    const struct typical *typical = c->own->typical;
    int64_t usual = typical->n_windows ? typical->total_ns / typical->n_windows : 0, excess = window_length_ns(c->window) - usual;
    int64_t unexplained = decision->unexplained_ns;
    *decision = *of_link;
    decision->unexplained_ns = unexplained;
    struct candidate *best = &decision->best;
    if (2 * best->excess_ns < excess && best->confidence > CONFIDENCE_POSSIBLE)
        best->confidence = CONFIDENCE_POSSIBLE;
    if (!is_relay(c, l) && best->confidence > CONFIDENCE_LIKELY)
        best->confidence = CONFIDENCE_LIKELY;
    /* A fair thread's timers are expired by a thread that any real-time task may hold up: that is no fault of theirs. */
    if (!prio_is_realtime(c->window->prio) && best->confidence > CONFIDENCE_POSSIBLE)
        best->confidence = CONFIDENCE_POSSIBLE;
}

static bool is_inside(const struct chain_input *c, const struct chain_link *l)
{
    return (l->kind == LINK_TASK || l->kind == LINK_LOCK) && l->begin_ns >= c->window->begin_ns && l->running_ns > l->begin_ns &&
           l->end_ns <= c->window->end_ns;
}

static int64_t unexplained_of(const struct sweep *sweep)
{
    int64_t sum = 0;
    for (size_t i = 0; i < sweep->n_pieces; i++)
        if (sweep->pieces[i].kind == SLICE_UNEXPLAINED)
            sum += sweep->pieces[i].end_ns - sweep->pieces[i].begin_ns;
    return sum;
}

/* A link of which nothing is known cuts off what lies before it. */
static void keep_whole(struct sweep *sweep)
{
    size_t first = sweep->n_pieces;
    while (first > 1 && sweep->pieces[first - 2].end_ns == sweep->pieces[first - 1].begin_ns)
        first--;
    if (first < 2)
        return;
    first--;
    sweep->n_pieces -= first;
    memmove(sweep->pieces, sweep->pieces + first, sweep->n_pieces * sizeof *sweep->pieces);
}

enum status chain_explain(const struct chain_input *c, struct chain *chain, struct decision *decision, struct error *error)
{
    struct sweep *sweep = c->own->sweep;
    struct chain_link *decisive = NULL;
    struct decision best = {0};
    bool is_changed = false;
    int64_t own_excess = decision->best.excess_ns;
    for (size_t i = chain->n; i-- > 0;) {
        struct chain_link *l = &chain->links[i];
        if (!is_inside(c, l))
            continue;
        struct sweep wait = {.arena = sweep->arena}, work = {.arena = sweep->arena};
        struct window w = window_of_link(l, c->window);
        struct decision of_link = {0};
        bool failed = sweep_work(c, l, &work, error) == FAILED || sweep_link(c, &w, &wait, &of_link, error) == FAILED;
        if (!failed) {
            is_changed = true;
            replace(sweep, l->running_ns, l->end_ns, &work);
            replace(sweep, l->begin_ns, l->running_ns, &wait);
            l->held_by = of_link.best.culprit;
            if (of_link.best.excess_ns > best.best.excess_ns) {
                best = of_link;
                decisive = l;
            }
        }
        sweep_release(&wait);
        sweep_release(&work);
        if (failed)
            return FAILED;
    }
    /* Within the due time's own window the wait was counted as the late timer's already. */
    bool was_counted = decisive && decisive->begin_ns >= activation_begin_ns(&c->window->a);
    if (decisive && (was_counted ? 2 * best.best.excess_ns > own_excess : best.best.excess_ns > own_excess)) {
        decisive->is_decisive = true;
        take_decision(c, decisive, &best, decision);
    }
    if (is_changed)
        keep_whole(sweep);
    if (sweep->n_pieces) /* what was inherited from wakers that cannot be followed is not this window's */
        c->window->begin_ns = sweep->pieces[0].begin_ns;
    if (!is_changed)
        return OK;
    decision->unexplained_ns = unexplained_of(sweep);
    return OK;
}
