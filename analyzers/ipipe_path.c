/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The I-pipe tracer's worst path, function by function: each recorded point owns the time to the next one (the dump's
 * Delay column). Points with hardware interrupts off are `irqs-off`. A path whose time passes in an idle function is no
 * section that anybody could be held up by: the CPU slept with interrupts off at the pipeline's entry, and the interrupt
 * that woke it was taken at once.
 */
#include "analyzers/cause.h"

#include <stdlib.h>
#include <string.h>

/* Where the word that holds a point's function stands (store/kinds.def); -1: no point. */
static int function_word(unsigned kind)
{
    switch (kind) {
    case KIND_IPIPE_FUNCTION: return 0;
    case KIND_IPIPE_BEGIN:
    case KIND_IPIPE_END:
    case KIND_IPIPE_FREEZE:
    case KIND_IPIPE_EVENT: return kind == KIND_IPIPE_EVENT ? 3 : 2;
    case KIND_IPIPE_SPECIAL:
    case KIND_IPIPE_TASK: return 3;
    default: return -1;
    }
}

/* The points of the window as pieces; returns them, *n of them, from malloc. */
static struct piece *points_as_pieces(const struct cause_input *input, size_t *n)
{
    const struct window *w = input->window;
    struct piece *pieces = NULL;
    size_t capacity = 0;
    struct event_ref ref;
    struct event_merge *merge = event_merge_new(input->store, w->run, w->stream, w->begin_ns, w->end_ns, NULL);
    *n = 0;
    while (merge && event_merge_next(merge, &ref)) {
        int word = function_word(ref.view->kind[ref.i]);
        int64_t time_ns = event_time_ns(&ref);
        if (word < 0 || time_ns >= w->end_ns || (w->cpu != CPU_UNKNOWN && ref.cpu != w->cpu))
            continue;
        if (*n)
            pieces[*n - 1].end_ns = time_ns;
        if (*n && pieces[*n - 1].begin_ns == time_ns)
            --*n; /* a point without a span of its own */
        memory_reserve(pieces, capacity, *n + 1);
        pieces[(*n)++] = (struct piece){
            .begin_ns = time_ns,
            .end_ns = w->end_ns,
            .cpu = ref.cpu,
            .kind = ref.view->flags[ref.i] & FLAG_HARD_IRQS_OFF ? SLICE_IRQS_OFF : w->section_kind,
            .phase = PHASE_SECTION,
            .subject = {.kind = OPEN_NONE, .name = event_words(&ref)[word], .tid = w->tid, .prio = w->prio, .comm = w->comm},
            .first_chunk = ref.chunk,
            .first_i = ref.i,
            .last_chunk = UINT32_MAX,
            .n_runs = 1,
        };
    }
    if (merge)
        event_merge_free(merge);
    return pieces;
}

/* A dump that was cut: the last point owns its printed delay, the rest of the section has no record. */
static void cut_after_last_delay(const struct cause_input *input, struct piece **pieces, size_t *n)
{
    struct piece *last = &(*pieces)[*n - 1];
    struct event_view view;
    if (store_event_view(input->store, last->first_chunk, &view, NULL) == FAILED)
        return;
    unsigned kind = view.kind[last->first_i];
    int64_t delay_ns = event_words_i64(view.words + view.arg[last->first_i] + function_word(kind) + 2);
    if (delay_ns <= 0 || delay_ns >= last->end_ns - last->begin_ns || kind == KIND_IPIPE_END)
        return;
    size_t capacity = *n;
    memory_reserve(*pieces, capacity, *n + 1);
    last = &(*pieces)[*n - 1];
    (*pieces)[*n] = *last;
    (*pieces)[*n].begin_ns = last->end_ns = last->begin_ns + delay_ns;
    (*pieces)[*n].kind = SLICE_UNEXPLAINED;
    (*pieces)[*n].subject = (struct subject){.tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    ++*n;
}

static bool is_seen_on(const struct cause_input *input, const struct piece *p)
{
    struct event_view view;
    return p->kind != SLICE_UNEXPLAINED && store_event_view(input->store, p->first_chunk, &view, NULL) != FAILED &&
           view.flags_known & FLAG_HARD_IRQS_OFF && !(view.flags[p->first_i] & FLAG_HARD_IRQS_OFF);
}

void ipipe_path_decide(const struct cause_input *input, struct decision *decision)
{
    const struct window *w = input->window;
    const char *tracer = w->stream == ROW_NONE ? NULL : input->store->streams[w->stream].tracer;
    size_t n;
    if (!tracer || strcmp(tracer, "ipipe") != 0 || w->section_kind != SLICE_IRQS_OFF)
        return;
    struct piece *pieces = points_as_pieces(input, &n);
    if (!n || pieces[0].begin_ns != w->begin_ns) {
        free(pieces);
        return;
    }
    cut_after_last_delay(input, &pieces, &n);
    free(input->sweep->pieces);
    input->sweep->pieces = pieces;
    input->sweep->n_pieces = input->sweep->pieces_capacity = n;

    int64_t idle_ns = 0;
    size_t n_on = 0;
    decision->unexplained_ns = pieces[n - 1].kind == SLICE_UNEXPLAINED ? pieces[n - 1].end_ns - pieces[n - 1].begin_ns : 0;
    if (2 * decision->unexplained_ns > window_length_ns(w)) { /* the tracer says off, the rows do not say where */
        decision->best.confidence = CONFIDENCE_POSSIBLE;
        decision->best.why = "section-not-recorded";
    }
    const struct piece *longest = pieces;
    for (size_t i = 0; i < n; i++) {
        int64_t length = pieces[i].end_ns - pieces[i].begin_ns;
        n_on += is_seen_on(input, &pieces[i]);
        if (word_class(input->words, pieces[i].subject.name) & WORD_IDLES)
            idle_ns += length;
        if (length > longest->end_ns - longest->begin_ns)
            longest = &pieces[i];
    }
    const char *longest_function = store_string(input->store, longest->subject.name);
    if (2 * (longest->end_ns - longest->begin_ns) > window_length_ns(w) && longest_function)
        decision->best.culprit = longest_function;
    if (2 * n_on > n) { /* the end of what began it was missed: no section of that length */
        decision->best.cause = CAUSE_TRACER_ARTEFACT;
        decision->best.confidence = CONFIDENCE_LIKELY;
        decision->best.why = "path-not-closed";
        decision->best.culprit = arena_format(input->arena, "interrupts were on at %zu of the path's %zu points", n_on, n);
    }
    if (2 * idle_ns > window_length_ns(w)) {
        decision->best.cause = CAUSE_TRACER_ARTEFACT;
        decision->best.confidence = CONFIDENCE_LIKELY;
        decision->best.why = "idle-wait";
        decision->best.culprit = arena_format(input->arena, "%s: the CPU slept there until an interrupt came",
                                              store_string(input->store, longest->subject.name));
    }
}
