/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why a lower-priority task kept the CPU from a woken one. What the flags of the rows say decides:
 *
 *     picked by the scheduler although an RT task was runnable      throttling
 *     preempt depth above 0                                         preempt-off
 *     depth 0, need-resched set, preemptible kernel                 missed-preemption
 *     depth 0, need-resched set, else                               non-preemptible-kernel
 *     depth 0, need-resched hardly set                              throttling (RT), else unknown
 *     nothing known                                                 lower-priority-task
 */
#include "analyzers/cause.h"

#include <string.h>
#include <strings.h>

static bool contains(const char *text, const char *word)
{
    return text && strcasestr(text, word);
}

static enum preempt_model model_of_words(const char *model)
{
    if (contains(model, "rt"))
        return MODEL_PREEMPTIBLE;
    if (contains(model, "lazy") || contains(model, "desktop") || contains(model, "server") || contains(model, "none") ||
        contains(model, "voluntary"))
        return MODEL_NOT_PREEMPTIBLE;
    return contains(model, "preempt") || contains(model, "full") ? MODEL_PREEMPTIBLE : MODEL_UNKNOWN;
}

enum preempt_model preempt_model_of(const struct store *store, uint32_t run, uint32_t stream)
{
    if (stream != ROW_NONE && store->streams[stream].preempt_model) {
        enum preempt_model model = model_of_words(store->streams[stream].preempt_model);
        if (model != MODEL_UNKNOWN)
            return model;
    }
    static const char *const stated[] = {"kernel.preempt_mode", "kernel.preempt", "kernel.preemption", "cmdline.preempt"};
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        const struct fact *fact = store_fact(store, run, stated[i]);
        if (fact && fact->value) {
            enum preempt_model model = model_of_words(fact->value);
            if (model != MODEL_UNKNOWN)
                return model;
        }
    }
    static const char *const versions[] = {"kernel.version", "kernel.uname", "kernel.release"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        const struct fact *fact = store_fact(store, run, versions[i]);
        const char *value = fact ? fact->value : NULL;
        if (contains(value, "PREEMPT_RT") || contains(value, "PREEMPT RT") || contains(value, "-rt"))
            return MODEL_PREEMPTIBLE;
    }
    if (stream != ROW_NONE && contains(store->streams[stream].kernel, "-rt"))
        return MODEL_PREEMPTIBLE;
    /* Threads that only PREEMPT_RT kernels have. */
    static const char *const threads[] = {"ktimers/0", "ktimersd/0", "sirq-timer/0", "softirq-timer/0", "ktimers/1"};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        if (store_find_string(store, threads[i]))
            return MODEL_PREEMPTIBLE;
    return MODEL_UNKNOWN;
}

static struct verdict_of_wait verdict(enum cause cause, enum confidence confidence, const char *why)
{
    return (struct verdict_of_wait){cause, confidence, why};
}

struct verdict_of_wait wait_verdict(const struct cause_input *input, const struct share *share)
{
    const struct window *w = input->window;
    bool realtime = prio_is_realtime(w->prio);
    if (share->flags & PIECE_FAIR_PICKED && realtime)
        return verdict(CAUSE_THROTTLING, input->sweep->throttle_timer_fired ? CONFIDENCE_PROVEN : CONFIDENCE_LIKELY,
                       input->sweep->throttle_timer_fired ? "throttled-until-period-timer" : "fair-task-picked");
    const struct holder *h = sweep_holder(input->sweep, share->subject.tid);
    if (!h || !h->n_samples)
        return verdict(CAUSE_LOWER_PRIORITY_TASK, CONFIDENCE_POSSIBLE, "flags-unknown");
    bool depth_known = h->n_depth_zero + h->n_depth_positive > 0;
    bool all_doubtful = h->n_doubtful == h->n_samples;
    if (h->n_spin_rows && 2 * h->n_spin_rows >= h->n_function_rows)
        return verdict(CAUSE_TRACER_ARTEFACT, CONFIDENCE_LIKELY, "spin-polls-need-resched");
    if (2 * h->enabled_ns > share->amount_ns)
        return verdict(CAUSE_PREEMPT_OFF, CONFIDENCE_LIKELY, "preempt-depth-positive");
    if (depth_known && h->n_depth_positive > h->n_depth_zero)
        return verdict(CAUSE_PREEMPT_OFF, h->n_depth_zero || h->n_depth_positive < 2 ? CONFIDENCE_LIKELY : CONFIDENCE_PROVEN,
                       "preempt-depth-positive");
    if (depth_known && h->n_resched > h->n_no_resched) { /* else it was due for the smaller part only */
        if (input->model == MODEL_PREEMPTIBLE)
            return verdict(CAUSE_MISSED_PREEMPTION, all_doubtful || h->n_depth_zero < 2 ? CONFIDENCE_LIKELY : CONFIDENCE_PROVEN,
                           "need-resched-at-depth-zero");
        return verdict(CAUSE_NON_PREEMPTIBLE_KERNEL,
                       input->model == MODEL_NOT_PREEMPTIBLE ? CONFIDENCE_PROVEN : CONFIDENCE_POSSIBLE,
                       input->model == MODEL_NOT_PREEMPTIBLE ? "model-not-preemptible" : "model-unknown");
    }
    if (depth_known && h->n_lazy_only && !realtime)
        return verdict(CAUSE_NON_PREEMPTIBLE_KERNEL, CONFIDENCE_LIKELY, "lazy-need-resched");
    if (depth_known && h->n_no_resched >= 2 && realtime && h->prio >= PRIO_FAIR)
        return verdict(CAUSE_THROTTLING, input->sweep->throttle_timer_fired ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
                       "need-resched-never-set");
    return verdict(CAUSE_LOWER_PRIORITY_TASK, depth_known ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY, "flags-unknown");
}
