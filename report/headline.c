/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first sentence of an answer. */
#include "report/headline.h"

#include <math.h>
#include <string.h>

#include "analyzers/outlier.h"
#include "base/duration.h"
#include "report/words.h"

/* "... because X": %s is the culprit. */
static const char *const because[N_CAUSES] = {
    [CAUSE_HIGHER_PRIORITY_TASK] = "a task of higher priority had the CPU: %s",
    [CAUSE_SAME_PRIORITY_TASK] = "a task of the same priority had the CPU: %s",
    [CAUSE_IRQ] = "an interrupt handler ran: %s",
    [CAUSE_IRQ_STORM] = "interrupts came in a storm: %s",
    [CAUSE_IPI] = "another CPU sent work: %s",
    [CAUSE_LOWER_PRIORITY_TASK] = "a task of lower priority kept the CPU: %s",
    [CAUSE_TIMER_CASCADE] = "several timers expired together: %s",
    [CAUSE_SOFTIRQ] = "a softirq ran: %s",
    [CAUSE_NMI] = "a non-maskable interrupt ran: %s",
    [CAUSE_IRQS_OFF] = "interrupts were off: %s",
    [CAUSE_PREEMPT_OFF] = "preemption was off: %s",
    [CAUSE_LOCK_CONTENTION] = "a lock was held by another: %s",
    [CAUSE_MISSED_PREEMPTION] = "the kernel missed the preemption: %s",
    [CAUSE_PRIORITY_INVERSION] = "a task of lower priority held what it needed: %s",
    [CAUSE_NON_PREEMPTIBLE_KERNEL] = "this kernel does not preempt there: %s",
    [CAUSE_SELF] = "it was late by itself: %s",
    [CAUSE_TIMER_SLACK] = "its timer has slack: %s",
    [CAUSE_TIMER_PROGRAMMING] = "its timer was programmed late: %s",
    [CAUSE_MODE_SWITCH] = "it changed between the kernels: %s",
    [CAUSE_HEAD_DOMAIN] = "the co-kernel had the CPU: %s",
    [CAUSE_THROTTLING] = "it was throttled: %s",
    [CAUSE_CONTEXT_SWITCH] = "the switch itself took long: %s",
    [CAUSE_KERNEL_PATH] = "the kernel's own wakeup path took long: %s",
    [CAUSE_IDLE_EXIT] = "the CPU left idle slowly: %s",
    [CAUSE_FREQUENCY] = "the CPU ran slowly: %s",
    [CAUSE_CACHE_MISS] = "caches were cold: %s",
    [CAUSE_PAGE_FAULT] = "it faulted on memory: %s",
    [CAUSE_MIGRATION] = "it was moved to another CPU: %s",
    [CAUSE_HARDWARE_STALL] = "the hardware stood still: %s",
    [CAUSE_CLOCK_JUMP] = "the clock jumped: %s",
    [CAUSE_TRACING_OVERHEAD] = "the tracing itself took the time: %s",
    [CAUSE_TRACER_ARTEFACT] = "the tracer's measure is wrong: %s",
    [CAUSE_LOST_EVENTS] = "unknown: events were lost while %s was on the CPU",
    [CAUSE_UNEXPLAINED] = "unknown: the trace shows no cause while %s was on the CPU",
};

static const char *because_of(const char *cause)
{
    for (int c = 0; c < N_CAUSES; c++)
        if (because[c] && strcmp(cause_name((enum cause)c), cause) == 0)
            return because[c];
    return "%s";
}

static void add_who(const json_t *outlier, struct text *out)
{
    const char *comm = json_get_text(outlier, "comm");
    double tid = json_get_number(outlier, "tid"), cpu = json_get_number(outlier, "cpu");
    const char *window = json_get_text(outlier, "window");
    if (comm && *comm)
        text_format(out, "%s", comm);
    else if (window && strcmp(window, "section") == 0)
        text_add(out, "A section");
    else
        text_add(out, "A task");
    if (!isnan(tid) && tid > 0)
        text_format(out, " (%.0f)", tid);
    if (!isnan(cpu))
        text_format(out, " on CPU %.0f", cpu);
}

/* The time went in the wait of one of its wakers. */
static void add_late_waker(const json_t *outlier, struct text *out)
{
    const json_t *chain = json_object_get(outlier, "chain"), *link;
    size_t i;
    json_array_foreach(chain, i, link)
        if (json_is_true(json_object_get(link, "decisive")))
            text_format(out, i + 1 == json_array_size(chain) ? ", so that %s, which woke it, was late itself"
                                                             : ", so that %s, in the chain of its wakers, was late itself",
                        json_get_text(link, "subject"));
}

void headline_outlier(const json_t *outlier, struct text *out)
{
    char duration[DURATION_TEXT_BYTES];
    int64_t latency_ns = json_get_ns(outlier, "latency_ns");
    const char *cause = json_get_text(outlier, "cause"), *culprit = json_get_text(outlier, "culprit");
    const char *window = json_get_text(outlier, "window"), *confidence = json_get_text(outlier, "confidence");
    if (window && !strcmp(window, "section") && latency_ns != NS_UNKNOWN && culprit && *culprit &&
        (!strcmp(cause, "irqs-off") || !strcmp(cause, "preempt-off"))) {
        double cpu = json_get_number(outlier, "cpu");
        text_add(out, strcmp(cause, "irqs-off") ? "Preemption was off" : "Interrupts were off");
        if (!isnan(cpu))
            text_format(out, " on CPU %.0f", cpu);
        text_format(out, " for %s: %s (%s).", duration_format(latency_ns, duration), culprit, confidence);
        return;
    }
    bool is_gap = window && !strcmp(window, "section") && !json_get_text(outlier, "comm") && !isnan(json_get_number(outlier, "cpu"));
    if (is_gap)
        text_format(out, "CPU %.0f", json_get_number(outlier, "cpu"));
    else
        add_who(outlier, out);
    if (is_gap && latency_ns != NS_UNKNOWN)
        text_format(out, " was away for %s", duration_format(latency_ns, duration));
    else if (latency_ns == NS_UNKNOWN)
        text_add(out, " was late by an unknown time");
    else if (window && strcmp(window, "section") == 0)
        text_format(out, " took %s", duration_format(latency_ns, duration));
    else if (window && strcmp(window, "blocked") == 0)
        text_format(out, " was blocked for %s", duration_format(latency_ns, duration));
    else
        text_format(out, " was %s late", duration_format(latency_ns, duration));
    const char *template = is_gap && cause && !strcmp(cause, cause_name(CAUSE_HIGHER_PRIORITY_TASK)) ? "another task ran there: %s" : because_of(cause);
    const char *slot = strstr(template, "%s");
    text_add(out, strncmp(template, "unknown", 7) == 0 ? "; why is " : " because ");
    size_t head = (size_t)(slot - template);
    if (culprit && *culprit) {
        text_add_n(out, template, head);
        text_format(out, "%s%s", culprit, slot + 2);
    } else { /* up to the colon */
        const char *colon = strrchr(template, ':');
        text_add_n(out, template, colon ? (size_t)(colon - template) : head);
    }
    add_late_waker(outlier, out);
    if (confidence && strcmp(confidence, "unknown") != 0)
        text_format(out, " (%s)", confidence);
    text_add(out, ".");
}

/* ---- validate ---- */

static const char *const verdict_says[] = {
    "credible", "credible-isolated", "suspect", "artefact", "insufficient", "no-data"};
static const char *const verdict_sentence[] = {
    "is credible", "is credible though it stands alone", "is suspect", "is an artefact, not a latency",
    "cannot be judged: the run is too short or cut, or only its summary is here", "is not there: no data"};
#define N_VERDICT_WORDS (sizeof verdict_says / sizeof *verdict_says)

static size_t verdict_position(const char *verdict)
{
    size_t v = 0;
    while (v < N_VERDICT_WORDS && (!verdict || strcmp(verdict, verdict_says[v]) != 0))
        v++;
    return v;
}

void headline_verdicts(const json_t *document, struct text *out)
{
    size_t count[N_VERDICT_WORDS + 1] = {0}, n = 0, i, k;
    const json_t *run, *series, *worst = NULL;
    const json_t *runs = json_object_get(document, "runs");
    json_array_foreach(runs, i, run)
        json_array_foreach(json_object_get(run, "series"), k, series) {
            n++;
            count[verdict_position(json_get_text(series, "verdict"))]++;
            const char *verdict = json_get_text(series, "verdict");
            if (json_get_ns(series, "max_ns") != NS_UNKNOWN && !(verdict && strcmp(verdict, "no-data") == 0) &&
                (!worst || json_get_ns(series, "max_ns") > json_get_ns(worst, "max_ns")))
                worst = series;
        }
    if (!n) {
        text_add(out, "There is nothing to validate: no series of latencies was found.");
        return;
    }
    if (!worst) {
        text_add(out, "No series has a maximum.");
        return;
    }
    char duration[DURATION_TEXT_BYTES];
    size_t v = verdict_position(json_get_text(worst, "verdict"));
    text_format(out, "The %s, %s (%s), %s.", n == 1 ? "maximum" : "largest maximum",
                duration_format_bound(json_get_ns(worst, "max_ns"), json_max_is_least(worst), duration), json_get_text(worst, "name"),
                v < N_VERDICT_WORDS ? verdict_sentence[v] : "was not judged");
    if (n == 1)
        return;
    text_format(out, " Of %zu series", n);
    const char *separator = ": ";
    for (v = 0; v <= N_VERDICT_WORDS; v++)
        if (count[v]) {
            text_format(out, "%s%zu %s", separator, count[v], v < N_VERDICT_WORDS ? verdict_says[v] : "not judged");
            separator = ", ";
        }
    text_add(out, ".");
}

/* ---- info ---- */

void headline_runs(const json_t *document, struct text *out)
{
    size_t n_series = 0, i, k;
    json_t *paths = json_object(); /* a file that holds two runs is one file */
    double n_samples = 0, n_events = 0, n_lost = 0;
    bool is_known = true;
    const json_t *run, *artefact, *series, *runs = json_object_get(document, "runs");
    json_array_foreach(runs, i, run) {
        json_array_foreach(json_object_get(run, "artefacts"), k, artefact)
            if (json_get_text(artefact, "path"))
                json_object_set_new(paths, json_get_text(artefact, "path"), json_true());
        double events = json_get_number(json_object_get(run, "events"), "n");
        double lost = json_get_number(json_object_get(run, "events"), "n_lost");
        n_events += isnan(events) ? 0 : events;
        n_lost += isnan(lost) ? 0 : lost;
        json_array_foreach(json_object_get(run, "series"), k, series) {
            double n = json_get_number(series, "n_samples");
            n_series++;
            is_known &= !isnan(n);
            n_samples += isnan(n) ? 0 : n;
        }
    }
    size_t n_runs = json_array_size(runs), n_artefacts = json_object_size(paths);
    json_decref(paths);
    text_format(out, "%zu %s from %zu %s: ", n_runs, words_plural(n_runs, "run", "runs"), n_artefacts,
                words_plural(n_artefacts, "file", "files"));
    if (n_series) {
        text_format(out, "%zu series", n_series);
        if (n_samples > 0) {
            text_add(out, is_known ? " of " : " of at least ");
            words_count_of(n_samples, out);
            text_add(out, " samples");
        }
    } else {
        text_add(out, "no series of latencies");
    }
    if (n_events > 0) {
        text_add(out, ", ");
        words_count_of(n_events, out);
        text_add(out, " trace events");
    } else {
        text_add(out, ", no trace");
    }
    if (n_lost > 0) {
        text_add(out, " (");
        words_count_of(n_lost, out);
        text_add(out, " lost)");
    }
    text_add(out, ".");
}
