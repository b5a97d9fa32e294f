/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *     sh-109404    426.271247: #58634 context irq timer_latency 12505        due + 12505
 *     sh-109404    426.271258: irq_noise: local_timer:236 start 426.271245463 duration 12553
 *     sh-109404    426.271263: thread_noise: sh:109404 start 426.271245853 duration 4769
 *     timerlat/6   426.271264: #58634 context thread timer_latency 30328
 *
 * Due is the irq sample's time less its latency; from there to the start of the timer's irq_noise nothing but the delay
 * and the interrupts before it have a place. An event's stamp is its end; text shows it in whole microseconds.
 */
#include "analyzers/noise_parts.h"
#include "analyzers/outlier.h"
#include "analyzers/thread.h"

#include <string.h>

#define MAX_PARTS 64
#define MAX_FRAMES 32
#define ROUNDING_NS 1000 /* of the stamps of a text */
#define STACK_NS 200000   /* the stack of the interrupt is printed after the thread's sample */
#define COARSE_NS 1000000

struct noise {
    const struct store *store;
    struct arena *arena;
    const struct claim *sample;
    int64_t due_ns, irq_ns;     /* when it was due; the time of the irq sample, or NS_UNKNOWN */
    int64_t delay_ns;           /* from due to the timer's interrupt */
    bool has_timer_irq;
    int32_t current_tid;        /* the task that the timer's interrupt came into */
    int64_t n_interference;     /* that osnoise counted in a gap; -1 unknown */
    size_t n_parts, n_stack, n_noise;
    struct claim_part *parts;
    const char **stack;
};

static void add_part(struct noise *n, enum part_kind kind, const char *subject, int64_t amount_ns)
{
    for (size_t i = 0; i < n->n_parts; i++)
        if (n->parts[i].kind == kind && subject && n->parts[i].subject && !strcmp(n->parts[i].subject, subject)) {
            n->parts[i].amount_ns += amount_ns;
            return;
        }
    if (amount_ns > 0 && n->n_parts < MAX_PARTS)
        n->parts[n->n_parts++] = (struct claim_part){.kind = kind, .subject = subject, .amount_ns = amount_ns};
}

/* One osnoise: event as kind, subject, start and net duration; false: another event. */
static bool noise_of(struct noise *n, unsigned kind, const uint32_t *w, enum part_kind *part, const char **subject, int64_t *start_ns,
                     int64_t *duration_ns)
{
    const char *name;
    switch (kind) {
    case KIND_OSNOISE_NMI:
        *part = PART_NMI;
        *subject = "NMI";
        *start_ns = event_words_i64(w);
        *duration_ns = event_words_i64(w + 2);
        return true;
    case KIND_OSNOISE_IRQ:
        name = store_string(n->store, w[0]);
        *part = PART_IRQ;
        *subject = arena_format(n->arena, "%s:%d", name ? name : "irq", (int)w[1]);
        *start_ns = event_words_i64(w + 2);
        *duration_ns = event_words_i64(w + 4);
        return true;
    case KIND_OSNOISE_SOFTIRQ:
        name = store_string(n->store, w[1]);
        *part = PART_SOFTIRQ;
        *subject = arena_format(n->arena, "softirq %s", name ? name : "?");
        *start_ns = event_words_i64(w + 2);
        *duration_ns = event_words_i64(w + 4);
        return true;
    case KIND_OSNOISE_THREAD:
        name = store_string(n->store, w[0]);
        *part = PART_THREAD;
        *subject = (int32_t)w[1] == 0 ? "swapper" : arena_format(n->arena, "%s:%d", name ? name : "thread", (int)w[1]);
        *start_ns = event_words_i64(w + 2);
        *duration_ns = event_words_i64(w + 4);
        return true;
    default:
        return false;
    }
}

static void take_noise(struct noise *n, unsigned kind, const uint32_t *w, int64_t end_ns, int64_t window_end_ns)
{
    enum part_kind part;
    const char *subject;
    int64_t start_ns, duration_ns;
    bool is_silence = n->sample->section == SECTION_SILENCE;
    if (!noise_of(n, kind, w, &part, &subject, &start_ns, &duration_ns) || duration_ns <= 0 || duration_ns > LATENCY_LIMIT_NS ||
        start_ns >= window_end_ns || start_ns < n->due_ns - LATENCY_LIMIT_NS)
        return;
    if (start_ns + duration_ns <= n->due_ns)
        return;
    if (start_ns < n->due_ns) /* the part of it that lies in the window */
        duration_ns = start_ns + duration_ns - n->due_ns;
    n->n_noise++;
    bool is_before = !is_silence && n->irq_ns != NS_UNKNOWN && end_ns < n->irq_ns;
    if (!is_silence && part == PART_IRQ && !n->has_timer_irq && n->irq_ns != NS_UNKNOWN && !is_before &&
        start_ns <= n->irq_ns + ROUNDING_NS) {
        n->has_timer_irq = true;
        n->delay_ns += start_ns > n->due_ns ? start_ns - n->due_ns : 0;
        add_part(n, PART_TIMER_IRQ, subject, duration_ns);
    } else if (part == PART_THREAD) {
        if (is_before)
            return; /* it ran while nothing had to: only what keeps the timer's interrupt away counts */
        bool blocks = (int32_t)w[1] == n->current_tid && !is_silence;
        add_part(n, blocks ? PART_BLOCKING_THREAD : PART_THREAD, subject, duration_ns);
    } else {
        add_part(n, part, subject, duration_ns);
        if (is_before)
            n->delay_ns -= duration_ns;
    }
}

/* The irq sample that belongs to the thread sample: the last before it on its CPU. */
static void find_irq_sample(struct noise *n, int64_t end_ns)
{
    const struct claim *c = n->sample;
    struct event_ref ref;
    struct event_merge *merge =
        event_merge_new(n->store, c->run, c->stream, end_ns - c->latency_ns - 2 * ROUNDING_NS, end_ns, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        const uint32_t *w = event_words(&ref);
        const char *context = ref.view->kind[ref.i] == KIND_TIMERLAT ? store_string(n->store, w[1]) : NULL;
        if (!context || ref.cpu != c->cpu || strcmp(context, "irq"))
            continue;
        int64_t latency_ns = event_words_i64(w + 2);
        if (latency_ns < 0 || latency_ns > LATENCY_LIMIT_NS)
            continue;
        n->irq_ns = event_time_ns(&ref);
        n->due_ns = n->irq_ns - latency_ns;
        n->current_tid = ref.view->tid[ref.i];
    }
    if (merge)
        event_merge_free(merge);
}

/* The stack that timerlat keeps of its interrupt; the first after the sample. */
static void take_stack(struct noise *n, const struct event_ref *ref)
{
    const uint32_t *w = event_words(ref);
    size_t n_frames = event_n_words(ref->view, ref->i), in_irq = 0;
    for (size_t i = 0; i < n_frames; i++) {
        const char *name = store_string(n->store, w[i]);
        in_irq += name && word_class_of(name) & WORD_IRQ_ENTRY;
    }
    if (!in_irq || n->n_stack)
        return;
    for (size_t i = 0; i < n_frames && n->n_stack < MAX_FRAMES; i++) {
        const char *name = store_string(n->store, w[i]);
        if (name)
            n->stack[n->n_stack++] = name;
    }
}

static void walk(struct noise *n, int64_t end_ns)
{
    const struct claim *c = n->sample;
    struct event_ref ref;
    struct event_merge *merge = event_merge_new(n->store, c->run, c->stream, n->due_ns, end_ns + STACK_NS, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        if (ref.cpu != c->cpu)
            continue;
        unsigned kind = ref.view->kind[ref.i];
        int64_t time_ns = event_time_ns(&ref);
        if (kind == KIND_KERNEL_STACK)
            take_stack(n, &ref);
        if (kind == KIND_OSNOISE_THRESHOLD && event_words_i64(event_words(&ref)) == n->due_ns)
            n->n_interference = event_words_i64(event_words(&ref) + 4);
        if (time_ns > end_ns && n->n_stack)
            break;
        if (time_ns <= end_ns + ROUNDING_NS)
            take_noise(n, kind, event_words(&ref), time_ns, end_ns);
    }
    if (merge)
        event_merge_free(merge);
}

static bool stream_has_noise(const struct store *store, const struct claim *c)
{
    for (size_t i = 0; i < store->n_event_chunks; i++) {
        struct event_view view;
        if (store->event_chunks[i].run != c->run || store->event_chunks[i].stream != c->stream || store->event_chunks[i].cpu != c->cpu ||
            store_event_view(store, i, &view, NULL) == FAILED)
            continue;
        for (size_t k = 0; k < view.n; k++)
            if (view.kind[k] >= KIND_OSNOISE_NMI && view.kind[k] <= KIND_OSNOISE_THRESHOLD)
                return true;
        return false; /* a trace has them from the start or not at all */
    }
    return false;
}

bool noise_parts(const struct store *store, const struct claim *sample, struct arena *arena, struct claim *filled)
{
    bool is_silence = sample->section == SECTION_SILENCE;
    if (sample->kind != CLAIM_SAMPLE || sample->stream == ROW_NONE || sample->time_ns == NS_UNKNOWN || sample->latency_ns <= 0 ||
        sample->latency_ns > LATENCY_LIMIT_NS || sample->cpu == CPU_UNKNOWN || (is_silence && sample->begin_ns == NS_UNKNOWN) ||
        store->streams[sample->stream].resolution_ns >= COARSE_NS || !stream_has_times(&store->streams[sample->stream]) ||
        !stream_has_noise(store, sample))
        return false;
    struct noise n = {.store = store, .arena = arena, .sample = sample, .due_ns = sample->time_ns - sample->latency_ns,
                      .irq_ns = NS_UNKNOWN, .current_tid = TID_UNKNOWN, .n_interference = -1,
                      .parts = arena_array(arena, MAX_PARTS + 2, sizeof *n.parts),
                      .stack = arena_array(arena, MAX_FRAMES, sizeof *n.stack)};
    if (is_silence)
        n.due_ns = sample->begin_ns;
    else
        find_irq_sample(&n, sample->time_ns);
    if (!is_silence && n.irq_ns == NS_UNKNOWN)
        return false;
    walk(&n, is_silence ? sample->end_ns : sample->time_ns);
    /* Counted by osnoise as nobody's, and no event says otherwise. */
    if (is_silence && !n.n_noise && n.n_interference == 0)
        add_part(&n, PART_HARDWARE, "no interrupt and no thread ran", sample->latency_ns);
    int64_t most_ns = sample->section == SECTION_TIMER_IRQ ? sample->latency_ns : sample->irq_latency_ns;
    if (!is_silence && !n.has_timer_irq && most_ns != NS_UNKNOWN) /* its noise event comes later, or was not recorded */
        n.delay_ns += most_ns;
    if (most_ns != NS_UNKNOWN && n.delay_ns > most_ns)
        n.delay_ns = most_ns; /* a rounded stamp */
    if (!is_silence && n.delay_ns > 0)
        n.parts[n.n_parts++] = (struct claim_part){.kind = PART_IRQ_HANDLER_DELAY, .amount_ns = n.delay_ns};
    const char *comm = n.current_tid > 0 ? store_task_comm(store, sample->run, n.current_tid) : NULL;
    const char *current = n.current_tid > 0 ? arena_format(arena, "%s:%d", comm ? comm : "tid", n.current_tid) : "swapper";
    if (n.current_tid >= 0 && !is_silence)
        n.parts[n.n_parts++] = (struct claim_part){.kind = PART_BLOCKING_THREAD, .amount_ns = NS_UNKNOWN, .subject = current};
    *filled = *sample;
    filled->kind = CLAIM_REPORT;
    filled->n_parts = n.n_parts;
    filled->parts = n.parts;
    filled->n_stack = n.n_stack;
    filled->stack = n.stack;
    return n.n_parts > 0;
}
