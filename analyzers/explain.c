/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why was it late: windows are selected, swept into closed ledgers, compared with the thread's typical windows, and
 * each gets one cause (design.md "Attribution").
 */
#include "analyzers/explain.h"
#include "analyzers/observer.h"
#include "analyzers/trace_findings.h"

#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"

#define N_TYPICAL 32
#define TYPICAL_MIN 4
#define OBSERVER_MIN_EVENTS 16
#define LOOKBACK_MIN_NS 20000000
#define LOOKBACK_MAX_NS 2000000000
#define ORIGIN_MIN_PCT 2

/* The typical ledgers of the threads met so far. */
struct typical_cache {
    size_t n, capacity;
    struct typical_of {
        int32_t tid;
        struct typical typical;
    } *items;
};

struct explain {
    const struct store *store;
    const struct analysis_options *options;
    struct analysis *analysis;
    struct word_classes words;
    struct event_numbers numbers;
    struct selection selection;
    struct typical_cache typicals;
    struct contrast *contrast;
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

static int by_latency(const void *a, const void *b)
{
    const struct activation *x = a, *y = b;
    int64_t m = activation_end_ns(x) - activation_begin_ns(x), n = activation_end_ns(y) - activation_begin_ns(y);
    return m < n ? -1 : m > n;
}

/* What is typical takes this long: the horizon within which outliers are compared with it. */
static int64_t by_middle(const struct activation *sorted, size_t n)
{
    return activation_end_ns(&sorted[n / 2]) - activation_begin_ns(&sorted[n / 2]);
}

/* One of the ordinary activations that make a thread's typical ledger. */
struct ordinary {
    struct window window;
    struct sweep sweep;
    size_t number; /* by latency */
};

static int by_begin(const void *a, const void *b)
{
    const struct ordinary *x = a, *y = b;
    if (x->window.begin_ns != y->window.begin_ns)
        return x->window.begin_ns < y->window.begin_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b)
{
    const struct ordinary *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/*
 * Sweeps in the order of time and not of latency: neighbours lie in the same chunks, which are widened once then instead
 * of again and again (a tenth of the time that one marked outlier takes).
 */
static enum status sweep_ordinary(struct explain *e, struct ordinary *items, size_t n, struct error *error)
{
    enum status status = OK;
    memory_sort(items, n, sizeof *items, by_begin);
    for (size_t i = 0; i < n && status != FAILED; i++)
        status = sweep_window(&items[i].sweep, e->store, &e->words, &items[i].window, 0, error);
    memory_sort(items, n, sizeof *items, by_number);
    return status;
}

/* Some of the thread's ordinary activations: the shorter three quarters of its sample, evenly spread. */
static enum status make_typical(struct explain *e, int32_t tid, struct typical *typical, struct error *error)
{
    const struct reservoir *r = selection_reservoir(&e->selection, tid);
    if (!r || r->n < 8)
        return OK;
    struct activation sorted[RESERVOIR];
    memcpy(sorted, r->items, r->n * sizeof *sorted);
    memory_sort(sorted, r->n, sizeof *sorted, by_latency);
    e->contrast->horizon_ns = by_middle(sorted, r->n);
    struct ordinary items[N_TYPICAL];
    size_t usable = r->n * 3 / 4, n = usable < N_TYPICAL ? usable : N_TYPICAL;
    for (size_t i = 0; i < n; i++)
        items[i] = (struct ordinary){.window = window_of_activation(&sorted[i * usable / n], e->selection.run, e->selection.stream),
                                     .sweep = {.arena = &e->analysis->arena}, .number = i};
    enum status status = sweep_ordinary(e, items, n, error);
    for (size_t i = 0; i < n; i++) {
        struct typical none = {0};
        struct cause_input input = {.store = e->store, .words = &e->words, .arena = &e->analysis->arena, .window = &items[i].window,
                                    .sweep = &items[i].sweep, .typical = &none};
        if (status != FAILED) {
            cause_prepare(&input);
            contrast_add(e->contrast, &items[i].sweep, &items[i].window, false);
            typical_add(typical, &items[i].sweep);
        }
        sweep_release(&items[i].sweep);
    }
    return status;
}

static const struct typical *typical_of(struct explain *e, const struct window *w, struct error *error)
{
    static const struct typical none;
    if (w->a.tid == TID_UNKNOWN || w->kind == WINDOW_BLOCKED)
        return &none;
    for (size_t i = 0; i < e->typicals.n; i++)
        if (e->typicals.items[i].tid == w->tid)
            return &e->typicals.items[i].typical;
    struct typical typical = {0};
    if (make_typical(e, w->tid, &typical, error) == FAILED)
        return NULL;
    memory_reserve(e->typicals.items, e->typicals.capacity, e->typicals.n + 1);
    e->typicals.items[e->typicals.n] = (struct typical_of){.tid = w->tid, .typical = typical};
    return &e->typicals.items[e->typicals.n++].typical;
}

static void typicals_release(struct typical_cache *cache)
{
    for (size_t i = 0; i < cache->n; i++)
        typical_release(&cache->items[i].typical);
    free(cache->items);
    *cache = (struct typical_cache){0};
}

/* Time before the first and after the last row of a window's CPU belongs to nobody. Returns what lies before. */
static int64_t carve_unrecorded(struct sweep *sweep, const struct window *w)
{
    int64_t length = window_length_ns(w), missing = 0;
    struct subject nobody = {.number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    if (sweep->first_event_ns == NS_UNKNOWN) {
        sweep_carve(sweep, w->begin_ns, w->end_ns, SLICE_UNEXPLAINED, 0, &nobody);
        return length;
    }
    if (sweep->first_event_ns > w->begin_ns && 100 * (sweep->first_event_ns - w->begin_ns) > ORIGIN_MIN_PCT * length) {
        sweep_carve(sweep, w->begin_ns, sweep->first_event_ns, SLICE_UNEXPLAINED, 0, &nobody);
        missing = sweep->first_event_ns - w->begin_ns;
    }
    if (sweep->last_event_ns < w->end_ns && 100 * (w->end_ns - sweep->last_event_ns) > 5 * length)
        sweep_carve(sweep, sweep->last_event_ns, w->end_ns, SLICE_UNEXPLAINED, 0, &nobody);
    return missing;
}

static bool gap_touches(const struct gap *g, const struct window *w, int64_t begin_ns, int64_t end_ns)
{
    return g->run == w->run && g->stream == w->stream && (g->begin_ns == NS_UNKNOWN || g->begin_ns < end_ns) &&
           (g->end_ns == NS_UNKNOWN || g->end_ns > begin_ns);
}

/* Whether the rows behind a gap are of another task than those in front of it: then nobody knows who ran in between. */
static bool task_changes_over(const struct sweep *sweep, const struct window *w, const struct gap *g)
{
    const struct piece *before = NULL;
    for (size_t i = 0; i < sweep->n_pieces; i++) {
        const struct piece *p = &sweep->pieces[i];
        if (g->cpu != CPU_UNKNOWN && g->cpu != p->cpu)
            continue;
        if (p->begin_ns <= g->begin_ns)
            before = p;
        else if (p->begin_ns >= g->end_ns)
            return before && p->subject.tid != before->subject.tid && p->subject.tid != w->tid;
    }
    return false;
}

/*
 * A wakeup tracer dumps a stack behind its row of the wakeup and behind that of the switch, and stops its watch after that:
 * the task was on its way all the while.
 */
static void carve_tracer(struct explain *e, struct sweep *sweep, const struct window *w)
{
    static const struct subject tracer = {.kind = SUBJECT_TRACER, .number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    int64_t row_ns = NS_UNKNOWN;
    int32_t cpu = CPU_UNKNOWN;
    bool switched = false;
    struct event_ref ref;
    struct event_merge *merge = event_merge_new(e->store, w->run, w->stream, w->begin_ns, w->end_ns + 1000, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        unsigned kind = ref.view->kind[ref.i];
        if (row_ns != NS_UNKNOWN && ref.cpu == cpu) {
            if (kind == KIND_KERNEL_STACK && !switched)
                sweep_carve(sweep, row_ns, event_time_ns(&ref), SLICE_SCHED, 0, &tracer);
            if (kind == KIND_KERNEL_STACK && switched)
                sweep_carve(sweep, row_ns, w->end_ns, SLICE_SCHED, 0, &tracer);
            row_ns = NS_UNKNOWN;
        }
        if ((kind == KIND_TRACER_WAKE || kind == KIND_TRACER_SWITCH) && (int32_t)event_words(&ref)[5] == w->tid) {
            row_ns = event_time_ns(&ref);
            cpu = ref.cpu;
            switched = kind == KIND_TRACER_SWITCH;
        }
    }
    if (merge)
        event_merge_free(merge);
}

/* Lost events: their spans on the CPUs of the window become slices of their own. */
static bool carve_gaps(const struct store *store, struct sweep *sweep, const struct window *w)
{
    bool complete = true;
    struct subject nobody = {.number = -1, .tid = TID_UNKNOWN, .prio = PRIO_UNKNOWN};
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *g = &store->gaps[i];
        if (!gap_touches(g, w, w->begin_ns, w->end_ns))
            continue;
        complete = false;
        /* A section's rows with some left out still belong to the section, and a task's that is the same on both sides to it. */
        if (store->streams[w->stream].clock_is_relative && (w->kind == WINDOW_SECTION || !task_changes_over(sweep, w, g)))
            continue;
        int64_t from = g->begin_ns == NS_UNKNOWN ? w->begin_ns : g->begin_ns, to = g->end_ns == NS_UNKNOWN ? w->end_ns : g->end_ns;
        for (size_t k = 0; k < sweep->n_pieces; k++) {
            const struct piece p = sweep->pieces[k];
            if ((g->cpu == CPU_UNKNOWN || g->cpu == p.cpu) && p.kind != SLICE_GAP && p.begin_ns < to && p.end_ns > from) {
                sweep_carve(sweep, p.begin_ns > from ? p.begin_ns : from, p.end_ns < to ? p.end_ns : to, SLICE_GAP, 0, &nobody);
                k = SIZE_MAX; /* the array is new */
            }
        }
    }
    const struct stream *s = &store->streams[w->stream];
    bool rows_missing = s->clock_is_relative && stream_lacks_entries(s);
    return complete && !rows_missing;
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
    struct finding *finding = finding_of_outlier(f, o, "origin-missing", "window", SEVERITY_WARNING, CONFIDENCE_PROVEN);
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
    finding_integer(f, finding, "n_wakeups", (int64_t)doubt->n);
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
    if (c->kind == CLAIM_REPORT || c->kind == CLAIM_CONSOLE)
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
    if (isnan(cost_ns) || 2 * cost_ns < (double)excess_ns)
        return;
    struct findings *f = &e->analysis->findings;
    struct finding *finding = finding_of_outlier(f, o, "tracing-overhead", "bound", SEVERITY_NOTE, CONFIDENCE_POSSIBLE);
    finding_integer(f, finding, "n_events", (int64_t)n);
    if (typical->n_windows)
        finding_integer(f, finding, "n_typical_events", (int64_t)usual);
    finding_integer(f, finding, "event_ns", (int64_t)e->event_ns);
    finding_integer(f, finding, "overhead_ns", (int64_t)(cost_ns < (double)excess_ns ? cost_ns : (double)excess_ns));
    finding_integer(f, finding, "latency_ns", o->latency_ns);
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
    const struct typical *typical = typical_of(e, w, error);
    if (!typical)
        return FAILED;
    struct sweep sweep = {.arena = &analysis->arena};
    struct cause_input input = {.store = e->store, .words = &e->words, .arena = &analysis->arena, .window = w, .sweep = &sweep,
                                .typical = typical, .handlers = &e->selection.handlers,
                                .model = preempt_model_of(e->store, w->run, w->stream)};
    if (w->kind == WINDOW_SECTION)
        w->section_kind = section_slice_kind(&input);
    if (sweep_window(&sweep, e->store, &e->words, w, lookback_of(e->store, w), error) == FAILED) {
        sweep_release(&sweep);
        return FAILED;
    }
    int64_t missing = 0;
    const struct claim *claim = w->claim == ROW_NONE ? NULL : &e->store->claims[w->claim];
    bool is_traced_section = w->kind == WINDOW_SECTION && claim && w->section_kind != SLICE_UNEXPLAINED &&
                             (claim->kind == CLAIM_TRACER_HEADER || claim->kind == CLAIM_FREEZE);
    if (!is_traced_section)
        missing = carve_unrecorded(&sweep, w);
    if (claim && claim->kind == CLAIM_TRACER_HEADER && w->kind != WINDOW_SECTION)
        carve_tracer(e, &sweep, w);
    input.is_complete = carve_gaps(e->store, &sweep, w);
    struct decision decision;
    if (w->kind == WINDOW_SECTION)
        section_decide(&input, &decision);
    else if (ipipe_freeze_decide(&input, &decision))
        ;
    else if (w->kind == WINDOW_BLOCKED)
        blocked_decide(&input, &decision);
    else
        cause_decide(&input, &decision);
    if (!claim || !is_tools_own(claim))
        refuse_coarse_clock(&input, &decision);
    if (claim)
        refuse_short_rows(&input, claim, &decision);
    if (typical->n_windows)
        contrast_add(e->contrast, &sweep, w, true);
    function_path_split(&input);
    outlier_fill(o, analysis, &input, &decision, &e->numbers, e->options->max_slices);
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
    size_t n = e->selection.n_windows < e->options->top ? e->selection.n_windows : e->options->top;
    for (size_t i = 0; status != FAILED && i < n; i++)
        if (explain_window(e, &e->selection.windows[i], error) == FAILED)
            status = FAILED;
    repeats_settle(&e->repeats, &e->analysis->arena);
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
    struct explain e = {.store = store, .options = options, .analysis = analysis, .event_stream = ROW_NONE, .event_ns = NAN};
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
    word_classes_release(&e.words);
    return status;
}

const struct analyzer analyzer_explain = {
    .name = "explain",
    .summary = "what held up the worst samples",
    .jobs = JOB_EXPLAIN,
    .run = explain_run,
};
