/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stretches a wakeup's own path, and can be told from the path itself by an event: a low clock (cpu_frequency), a move
 * to another CPU (sched_migrate_task), a page fault that does not sleep (page_fault_user, page_fault_kernel). Without
 * the event nothing is said.
 */
#include "analyzers/cause.h"

#define LOW_CLOCK_PCT    80 /* of the typical windows' clock: nearer than this is the same */
#define BEYOND_CLOCK_PCT 160 /* a path longer than this times what the clock explains has another reason, too */
#define TYPICAL_CLOCKS   4

static bool is_waiting_for_nobody(const struct piece *p)
{
    return p->phase == PHASE_WAITING && (p->kind == SLICE_SCHED || p->kind == SLICE_IDLE_EXIT || (p->kind == SLICE_IDLE && !(p->flags & PIECE_IDLE_KNOWN)));
}

int64_t path_fault_ns(const struct sweep *sweep)
{
    int64_t sum = 0;
    for (size_t i = 0; i < sweep->n_pieces; i++)
        if (sweep->pieces[i].flags & PIECE_FAULT)
            sum += sweep->pieces[i].end_ns - sweep->pieces[i].begin_ns;
    return sum;
}

struct candidate path_fault(const struct cause_input *input)
{
    const struct window *w = input->window;
    const char *task = thread_format(input->arena, store_string(input->store, w->comm), w->tid, w->prio);
    return (struct candidate){.cause = CAUSE_PAGE_FAULT, .confidence = CONFIDENCE_LIKELY, .why = "ran-into-fault",
                              .culprit = arena_format(input->arena, "%s faulted on its way to user space", task),
                              .amount_ns = path_fault_ns(input->sweep)};
}

/* What moves a thread runs in the stopper of the CPU that it leaves, and nothing else runs there then. */
struct candidate path_migration(const struct cause_input *input)
{
    const struct sweep *s = input->sweep;
    struct candidate c = {.cause = CAUSE_MIGRATION, .confidence = CONFIDENCE_POSSIBLE, .why = "after-move"};
    int64_t stopper_ns = 0, after_ns = 0;
    if (s->moved_ns == NS_UNKNOWN)
        return c;
    for (size_t i = 0; i < s->n_pieces; i++) {
        const struct piece *p = &s->pieces[i];
        int64_t ns = p->end_ns - p->begin_ns;
        const char *comm = store_string(input->store, p->subject.comm);
        if (p->begin_ns >= s->moved_ns && is_waiting_for_nobody(p))
            after_ns += ns;
        else if (p->begin_ns < s->moved_ns && p->cpu == s->moved_from && p->kind == SLICE_TASK_HIGHER && comm && thread_is_per_cpu_stop(comm))
            stopper_ns += ns;
    }
    after_ns -= typical_kind_ns(input->typical, SLICE_SCHED); /* the switch is there without a move, too */
    c.amount_ns = stopper_ns + (after_ns > 0 ? after_ns : 0);
    if (2 * stopper_ns > c.amount_ns) {
        c.confidence = CONFIDENCE_LIKELY;
        c.why = "stopper-moved-it";
    }
    c.culprit = arena_format(input->arena, "from CPU %d to CPU %d", s->moved_from, s->moved_to);
    return c;
}

static const char *clock_text(struct arena *arena, int64_t khz)
{
    return khz >= 1000000 ? arena_format(arena, "%.2f GHz", (double)khz / 1e6) : arena_format(arena, "%.0f MHz", (double)khz / 1e3);
}

struct candidate path_frequency(const struct cause_input *input, int64_t path_ns, int64_t usual_path_ns, bool is_one_step)
{
    const struct typical *t = input->typical;
    struct candidate c = {.cause = CAUSE_FREQUENCY, .confidence = CONFIDENCE_LIKELY, .why = "low-clock"};
    int64_t khz = input->window->a.khz, usual_khz = t->n_clocks ? t->clocks_khz / (int64_t)t->n_clocks : 0;
    if (khz <= 0 || t->n_clocks < TYPICAL_CLOCKS || 100 * khz > LOW_CLOCK_PCT * usual_khz || usual_path_ns <= 0)
        return c;
    double times = (double)usual_khz / (double)khz;
    int64_t expected_ns = (int64_t)(times * (double)usual_path_ns);
    if (2 * path_ns < usual_path_ns + expected_ns) /* the low clock did not stretch it */
        return c;
    c.culprit = arena_format(input->arena, "CPU %d at %s, in typical wakeups %s", input->window->a.cpu, clock_text(input->arena, khz),
                             clock_text(input->arena, usual_khz));
    bool is_explained = 100 * path_ns <= BEYOND_CLOCK_PCT * expected_ns;
    c.amount_ns = is_explained ? path_ns : expected_ns;
    if (!is_explained || is_one_step)
        c.confidence = CONFIDENCE_POSSIBLE;
    return c;
}
