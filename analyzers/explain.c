/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why was it late: windows are selected, swept into closed ledgers, compared with the thread's typical windows, and
 * each gets one cause (docs/attribution.md).
 */
#include "analyzers/explain.h"
#include "analyzers/explain_chain.h"
#include "analyzers/observer.h"
#include "analyzers/trace_findings.h"
#include "analyzers/typicals.h"

#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"

#define OBSERVER_MIN_EVENTS 16
#define LOOKBACK_MIN_NS 20000000
#define LOOKBACK_MAX_NS 2000000000

struct explain {
    const struct store *store;
    const struct analysis_options *options;
    struct analysis *analysis;
    struct word_classes words;
    struct event_numbers numbers;
    struct selection selection;
    struct typicals typicals, waker_typicals; /* those of wakers are no control group of the outliers */
    struct contrast *contrast;
    struct streams streams;
    uint32_t event_stream; /* whose events cost event_ns each */
    double event_ns;
    struct repeats repeats;
};

static int64_t lookback_of(const struct store *store, const struct window *w)
{
    if (w->stream == ROW_NONE || store->streams[w->stream].clock_is_relative)
        return 0;
    int64_t back = 4 * window_length_ns(w);
    return back < LOOKBACK_MIN_NS ? LOOKBACK_MIN_NS : back > LOOKBACK_MAX_NS ? LOOKBACK_MAX_NS : back;
}

static struct finding *finding_of_outlier(struct findings *f, const struct outlier *o, const char *code, const char *variant,
                                          enum severity severity, enum confidence confidence)
{
    struct finding *finding = findings_add(f, code, severity, confidence);
    finding->variant = variant;
    finding->run = o->run;
    finding->series = o->series;
    finding->cpu = o->cpu;
    finding->subject = o->comm;
    return finding;
}

static void note_origin(struct explain *e, const struct outlier *o, int64_t missing_ns)
{
    struct findings *f = &e->analysis->findings;
    const char *variant = missing_ns >= o->latency_ns ? "window-all" : missing_ns > o->latency_ns / 2 ? "window" : "window-part";
    struct finding *finding = finding_of_outlier(f, o, "origin-missing", variant, SEVERITY_WARNING, CONFIDENCE_PROVEN);
    finding_number(f, finding, "missing_pct", 100 * (double)missing_ns / (double)o->latency_ns);
    finding_integer(f, finding, "missing_ns", missing_ns);
    finding_integer(f, finding, "latency_ns", o->latency_ns);
}

static void note_mismatch(struct explain *e, const struct outlier *o, bool user_known)
{
    if (o->reported_ns == NS_UNKNOWN || o->latency_ns == NS_UNKNOWN || o->window == WINDOW_BLOCKED)
        return;
    /* Without system call events the way from the switch to user space is not in the window. */
    int64_t allowed = user_known ? 1000 : 1000 + o->reported_ns / 20;
    if (o->stream != ROW_NONE && e->store->streams[o->stream].resolution_ns > 0)
        allowed += e->store->streams[o->stream].resolution_ns;
    int64_t difference = o->reported_ns - o->latency_ns;
    if (llabs(difference) <= allowed)
        return;
    struct findings *f = &e->analysis->findings;
    struct finding *finding = finding_of_outlier(f, o, "counts-mismatch", "mark", SEVERITY_WARNING, CONFIDENCE_PROVEN);
    finding_integer(f, finding, "reported_ns", o->reported_ns);
    finding_integer(f, finding, "latency_ns", o->latency_ns);
    finding_integer(f, finding, "difference_ns", difference);
}

static void note_clocks(struct explain *e, uint32_t run)
{
    const struct clock_doubt *doubt = &e->selection.doubt;
    struct findings *f = &e->analysis->findings;
    if (!doubt->n)
        return;
    struct finding *finding = findings_add(f, "clocks-differ", SEVERITY_WARNING, CONFIDENCE_LIKELY);
    finding->run = run;
    finding->cpu = doubt->cpu;
    finding_integer(f, finding, "cpu", doubt->cpu);
    finding_integer(f, finding, "other_cpu", doubt->other_cpu);
    finding_count(f, finding, "n_wakeups", doubt->n);
    if (doubt->skew_ns)
        finding_integer(f, finding, "skew_ns", llabs(doubt->skew_ns));
}

static void note_silence(struct explain *e, struct outlier *o, const struct sweep *sweep, const struct typical *typical)
{
    const struct piece *longest = NULL;
    for (size_t i = 0; i < sweep->n_pieces; i++)
        if (sweep->pieces[i].kind == SLICE_UNEXPLAINED &&
            (!longest || sweep->pieces[i].end_ns - sweep->pieces[i].begin_ns > longest->end_ns - longest->begin_ns))
            longest = &sweep->pieces[i];
    if (o->cause == CAUSE_HARDWARE_STALL)
        repeat_note(&e->repeats, o, 0, 1);
    if (!longest || typical->n_windows < 8)
        return;
    uint32_t n = 0;
    for (size_t i = 0; i < typical->lines.n; i++)
        if (typical->lines.items[i].kind == SLICE_TIMER_LATE && typical->lines.items[i].subject.tid == longest->subject.tid)
            n += typical->lines.items[i].n;
    double p = ((double)n + 1) / ((double)typical->n_windows + 2);
    repeat_note(&e->repeats, o, longest->subject.tid, p < 1 ? p : 1);
}

static bool window_needs_events(const struct explain *e, const struct window *w)
{
    if (w->stream == ROW_NONE || !e->store->streams[w->stream].n_events || w->begin_ns == NS_UNKNOWN || w->end_ns == NS_UNKNOWN ||
        w->end_ns <= w->begin_ns)
        return false;
    const struct claim *c = w->claim == ROW_NONE ? NULL : &e->store->claims[w->claim];
    if (!c)
        return true;
    if (c->kind == CLAIM_REPORT || c->kind == CLAIM_CONSOLE || c->kind == CLAIM_LOG)
        return false;
    /* A sample whose thread's wakeup is not in the trace, or under a clock coarser than itself. */
    bool coarse = e->store->streams[w->stream].resolution_ns > window_length_ns(w) / 4;
    return c->kind != CLAIM_SAMPLE || (w->a.tid != TID_UNKNOWN && !coarse);
}

/* The value comes from a tool's own clock, not from the stamps of the trace. */
static bool is_tools_own(const struct claim *c)
{
    return c->kind == CLAIM_MARK || c->kind == CLAIM_SAMPLE;
}

/* A span of a few steps of the trace clock is no measurement: nobody is named by it. */
static void refuse_coarse_clock(const struct cause_input *input, struct decision *decision)
{
    int64_t step_ns = place_coarse_step_ns(input);
    if (!step_ns)
        return;
    char text[DURATION_TEXT_BYTES];
    decision->best.cause = CAUSE_TRACER_ARTEFACT;
    decision->best.confidence = CONFIDENCE_LIKELY;
    decision->best.why = "coarse-clock";
    decision->best.culprit = arena_format(input->arena, "the trace clock moves in steps of %s", duration_format(step_ns, text));
    decision->unexplained_ns = window_length_ns(input->window);
    for (size_t i = 0; i < input->sweep->n_pieces; i++)
        input->sweep->pieces[i].kind = SLICE_UNEXPLAINED;
}

/* All rows of a wakeup are there, and they are over long before the value is: it mixes the clocks of two CPUs. */
static void refuse_short_rows(const struct cause_input *input, const struct claim *claim, struct decision *decision)
{
    int64_t rows_ns = place_short_rows_ns(input, claim);
    if (!rows_ns)
        return;
    char rows[DURATION_TEXT_BYTES];
    decision->best.cause = CAUSE_TRACER_ARTEFACT;
    decision->best.confidence = CONFIDENCE_POSSIBLE;
    decision->best.why = "short-rows";
    decision->best.culprit = arena_format(input->arena, "all rows together span %s", duration_format(rows_ns, rows));
}

/*
 * What recording its own events may have added: those beyond the typical wakeup's, at no more than the densest events
 * of the trace allow each. Said where that could be half of the excess.
 */
static void note_observer(struct explain *e, const struct outlier *o, const struct cause_input *input)
{
    const struct typical *typical = input->typical;
    uint64_t usual = typical->n_windows ? typical->n_events / typical->n_windows : 0, n = input->sweep->n_in_window;
    int64_t excess_ns = o->latency_ns - (typical->n_windows ? typical->total_ns / typical->n_windows : 0);
    if (n < usual + OBSERVER_MIN_EVENTS || excess_ns <= 0 || findings_have(&e->analysis->findings, "tracing-overhead", o->run))
        return;
    if (e->event_stream != o->stream) {
        e->event_stream = o->stream;
        e->event_ns = observer_event_ns(e->store, o->run, o->stream);
    }
    double cost_ns = e->event_ns * (double)(n - usual);
    struct findings *f = &e->analysis->findings;
    if (isnan(cost_ns) && input->sweep->has_functions) { /* other events are too few to matter */
        struct finding *finding = finding_of_outlier(f, o, "tracing-overhead", "unknown", SEVERITY_NOTE, CONFIDENCE_UNKNOWN);
        finding_count(f, finding, "n_events", n);
        finding_text(f, finding, "reason", observer_unknown_reason(e->store, o->stream));
    }
    if (isnan(cost_ns) || 2 * cost_ns < (double)excess_ns)
        return;
    struct finding *finding = finding_of_outlier(f, o, "tracing-overhead", "bound", SEVERITY_NOTE, CONFIDENCE_POSSIBLE);
    finding_count(f, finding, "n_events", n);
    if (typical->n_windows)
        finding_count(f, finding, "n_typical_events", usual);
    finding_rounded(f, finding, "event_ns", e->event_ns);
    finding_rounded(f, finding, "overhead_ns", cost_ns < (double)excess_ns ? cost_ns : (double)excess_ns);
    finding_integer(f, finding, "latency_ns", o->latency_ns);
}

/* Once for each waker: what is behind a cause that is not the late thread's own. */
static void note_late_waker(struct explain *e, const struct outlier *o)
{
    struct findings *f = &e->analysis->findings;
    const struct outlier_link *l = NULL;
    for (size_t i = 0; i < o->n_links && !l; i++)
        l = o->links[i].is_decisive ? &o->links[i] : NULL;
    for (size_t i = 0; l && i < f->n; i++)
        if (!strcmp(f->items[i]->code, "late-waker") && f->items[i]->run == o->run && !strcmp(f->items[i]->subject, l->subject))
            return;
    if (!l)
        return;
    struct finding *finding = findings_add(f, "late-waker", SEVERITY_WARNING, o->confidence);
    finding->run = o->run;
    finding->cpu = l->cpu;
    finding->subject = l->subject;
    finding_text(f, finding, "task", o->comm ? o->comm : "the late thread");
    finding_integer(f, finding, "waited_ns", l->running_ns - l->begin_ns);
    if (l->held_by)
        finding_text(f, finding, "held_by", l->held_by);
    const struct outlier_link *by = l;
    while (by > o->links && !strcmp(by->subject, l->subject)) /* it was itself before it slept for a lock */
        by--;
    if (by != l && strcmp(by->kind, "unknown") != 0)
        finding_text(f, finding, "woken_by", by->subject);
    finding_integer(f, finding, "latency_ns", o->latency_ns);
}

static void decide(struct explain *e, struct cause_input *input, const struct window *w, struct decision *decision)
{
    const struct claim *claim = w->claim == ROW_NONE ? NULL : &e->store->claims[w->claim];
    if (w->kind == WINDOW_SECTION)
        section_decide(input, decision);
    else if (ipipe_freeze_decide(input, decision))
        ;
    else if (w->kind == WINDOW_BLOCKED)
        blocked_decide(input, decision);
    else
        cause_decide(input, decision);
    if (!claim || !is_tools_own(claim))
        refuse_coarse_clock(input, decision);
    if (claim)
        refuse_short_rows(input, claim, decision);
    if (input->typical->n_windows)
        contrast_add(e->contrast, input->sweep, input->window, true);
}

/* A section that a tracer measured is that tracer's, recorded or not. Returns what lies before the first event. */
static int64_t carve(struct explain *e, struct cause_input *input, const struct window *w)
{
    const struct claim *claim = w->claim == ROW_NONE ? NULL : &e->store->claims[w->claim];
    bool is_traced_section = w->kind == WINDOW_SECTION && claim && w->section_kind != SLICE_UNEXPLAINED &&
                             (claim->kind == CLAIM_TRACER_HEADER || claim->kind == CLAIM_FREEZE);
    int64_t missing = is_traced_section ? 0 : window_carve_unrecorded(input->sweep, input->window);
    if (claim && claim->kind == CLAIM_TRACER_HEADER && w->kind != WINDOW_SECTION) {
        window_carve_tracer(e->store, input->sweep, input->window);
        missing = missing ? window_unrecorded_ns(input->sweep, missing) : 0; /* rows of the waker's CPU tell of it */
    }
    input->is_complete = window_carve_gaps(e->store, input->sweep, input->window);
    return missing;
}

/* The wakers' part of it; whole: the window with that part. */
static enum status explain_wakers(struct explain *e, struct cause_input *input, struct window *whole, struct chain *chain,
                                  struct decision *decision, struct error *error)
{
    struct chain_input c = {.own = input, .window = whole, .typicals = &e->waker_typicals, .lookback_ns = lookback_of(e->store, whole)};
    if (chain_find(chain, e->store, &e->words, whole, error) == FAILED)
        return FAILED;
    return whole->kind == WINDOW_BLOCKED ? OK : chain_explain(&c, chain, decision, error);
}

static enum status explain_window(struct explain *e, struct window *w, struct error *error)
{
    struct analysis *analysis = e->analysis;
    struct outlier *o = analysis_add_outlier(analysis);
    if (!window_needs_events(e, w)) {
        if (w->claim != ROW_NONE)
            outlier_from_claim(o, analysis, e->store, &e->words, w->claim);
        else
            analysis->n_outliers--;
        return OK;
    }
    if (streams_join(&e->streams, analysis, w, error) == FAILED)
        return FAILED;
    const struct typical *typical = typicals_of(&e->typicals, w, error);
    if (!typical)
        return FAILED;
    struct window own = *w;
    if (w->is_inherited)
        own.begin_ns = activation_begin_ns(&w->a);
    struct sweep sweep = {.arena = &analysis->arena};
    struct cause_input input = {.store = e->store, .words = &e->words, .arena = &analysis->arena, .window = &own, .sweep = &sweep,
                                .typical = typical, .handlers = &e->selection.handlers,
                                .model = preempt_model_of(e->store, w->run, w->stream)};
    if (w->kind == WINDOW_SECTION)
        own.section_kind = w->section_kind = section_slice_kind(&input);
    struct decision decision;
    struct chain chain;
    if (sweep_window(&sweep, e->store, &e->words, &own, lookback_of(e->store, w), error) == FAILED) {
        sweep_release(&sweep);
        return FAILED;
    }
    int64_t missing = carve(e, &input, w);
    decide(e, &input, w, &decision);
    if (explain_wakers(e, &input, w, &chain, &decision, error) == FAILED) {
        sweep_release(&sweep);
        return FAILED;
    }
    input.window = w;
    function_path_split(&input);
    outlier_fill(o, &input, &decision, &e->numbers, e->options);
    outlier_fill_chain(o, &input, &chain);
    note_late_waker(e, o);
    if (typical->n_windows >= TYPICAL_MIN && w->kind != WINDOW_BLOCKED)
        o->typical_ns = typical->total_ns / typical->n_windows;
    note_silence(e, o, &sweep, typical);
    if (missing)
        note_origin(e, o, missing);
    note_mismatch(e, o, w->a.user_ns != NS_UNKNOWN);
    note_observer(e, o, &input);
    sweep_release(&sweep);
    return OK;
}

/* Nothing reached --threshold: how far off it was. */
static void note_below_threshold(struct explain *e)
{
    const struct selection *s = &e->selection;
    if (s->n_windows || !s->largest_below.ns)
        return;
    struct findings *f = &e->analysis->findings;
    struct finding *finding = findings_add(f, "below-threshold", SEVERITY_NOTE, CONFIDENCE_PROVEN);
    finding->run = s->run;
    finding->cpu = s->largest_below.cpu;
    const char *comm = s->largest_below.comm;
    if (!comm && s->largest_below.tid != TID_UNKNOWN)
        comm = store_task_comm(e->store, s->run, s->largest_below.tid);
    finding->subject = thread_format(&e->analysis->arena, comm, s->largest_below.tid, PRIO_UNKNOWN);
    finding_integer(f, finding, "largest_ns", s->largest_below.ns);
    finding_integer(f, finding, "threshold_ns", e->options->threshold_ns);
}

/* --task and --cpu left nothing: that does not say that nothing was late. */
static void note_empty_selection(const struct store *store, const struct analysis_options *options, struct analysis *analysis)
{
    char cpus[80];
    bool is_restricted = options->task || options->has_cpus, has_source = store->n_events || store->n_claims;
    if (analysis->n_outliers || !is_restricted || !has_source)
        return;
    struct finding *finding = findings_add(&analysis->findings, "selection-empty", SEVERITY_NOTE, CONFIDENCE_PROVEN);
    if (options->task)
        finding_text(&analysis->findings, finding, "task", options->task);
    cpuset_format(&options->cpus, cpus, sizeof cpus);
    if (options->has_cpus)
        finding_text(&analysis->findings, finding, "cpus", cpus);
}

static enum status explain_one_run(struct explain *e, uint32_t run, struct error *error)
{
    enum status status = selection_make(&e->selection, e->store, e->options, &e->words, run, error);
    e->contrast = memory_new(sizeof *e->contrast);
    e->waker_typicals = (struct typicals){.store = e->store, .words = &e->words, .arena = &e->analysis->arena,
                                          .selection = &e->selection};
    e->typicals = (struct typicals){.store = e->store, .words = &e->words, .arena = &e->analysis->arena,
                                    .selection = &e->selection, .contrast = e->contrast};
    size_t n = e->selection.n_windows < e->options->top ? e->selection.n_windows : e->options->top;
    size_t first = e->analysis->n_outliers;
    for (size_t i = 0; status != FAILED && i < n; i++)
        if (explain_window(e, &e->selection.windows[i], error) == FAILED)
            status = FAILED;
    repeats_settle(&e->repeats, &e->analysis->arena);
    if (status != FAILED && e->selection.class != N_CLASSES && e->selection.is_whole)
        explain_tails(e->analysis, first, e->selection.n_of_class[e->selection.class], n < e->selection.n_windows || n == e->options->top,
                      e->options->threshold_ns, run);
    struct trace_context context = {.store = e->store, .analysis = e->analysis, .selection = &e->selection,
                                    .contrast = e->contrast, .words = &e->words, .n_windows = n};
    if (status != FAILED) {
        note_below_threshold(e);
        note_clocks(e, run);
        trace_findings(&context);
    }
    free(e->contrast);
    selection_release(&e->selection);
    typicals_release(&e->typicals);
    typicals_release(&e->waker_typicals);
    return status;
}

/* Worst first; unknown lengths last. */
static void sort_outliers(struct analysis *a)
{
    for (size_t i = 1; i < a->n_outliers; i++) /* per run sorted already: few moves */
        for (size_t k = i; k > 0 && a->outliers[k]->latency_ns > a->outliers[k - 1]->latency_ns; k--) {
            struct outlier *o = a->outliers[k];
            a->outliers[k] = a->outliers[k - 1];
            a->outliers[k - 1] = o;
        }
}

static enum status explain_run(const struct store *store, const struct analysis_options *options, struct analysis *analysis,
                               struct error *error)
{
    struct explain e = {.streams = {.store = store}, .store = store, .options = options, .analysis = analysis, .event_stream = ROW_NONE, .event_ns = NAN};
    word_classes_init(&e.words, store);
    event_numbers_init(&e.numbers, store);
    enum status status = OK;
    for (uint32_t run = 0; run < store->n_runs && status != FAILED; run++)
        status = explain_one_run(&e, run, error);
    if (status != FAILED) {
        sort_outliers(analysis);
        if (analysis->n_outliers > options->top)
            analysis->n_outliers = options->top;
        note_empty_selection(store, options, analysis);
        explain_sum_causes(analysis, store);
        explain_advise(analysis, store);
    }
    event_numbers_release(&e.numbers);
    streams_release(&e.streams);
    word_classes_release(&e.words);
    return status;
}

const struct analyzer analyzer_explain = {
    .name = "explain",
    .summary = "what held up the worst samples",
    .jobs = JOB_EXPLAIN,
    .run = explain_run,
};
