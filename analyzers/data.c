/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in the files and what is not: importers' notes as findings, and what the rows themselves say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/series_shape.h"
#include "base/memory.h"

/* Notes that are findings, and how grave. Other notes stay with their artefact. */
static const struct note_rule {
    const char *code;
    enum severity severity;
} note_rules[] = {
    {"no-samples", SEVERITY_WARNING},       {"histogram-truncated", SEVERITY_WARNING},
    {"overflow-hidden", SEVERITY_WARNING},  {"counts-mismatch", SEVERITY_WARNING},
    {"file-truncated", SEVERITY_WARNING},   {"unit-assumed", SEVERITY_NOTE},
    {"unit-mismatch", SEVERITY_WARNING},    {"clock-granularity", SEVERITY_WARNING},
    {"events-lost", SEVERITY_WARNING},      {"origin-missing", SEVERITY_WARNING},
    {"not-measured", SEVERITY_NOTE},        {"cumulative-column", SEVERITY_NOTE},
    {"tool-bug", SEVERITY_WARNING},         {"mixed-runs", SEVERITY_NOTE},
    {"damaged-lines", SEVERITY_NOTE},       {"entries-missing", SEVERITY_WARNING},
    {"command-mismatch", SEVERITY_WARNING}, {"run-interrupted", SEVERITY_WARNING},
    {"clock-jump", SEVERITY_ERROR},         {"sentinel-value", SEVERITY_WARNING},
    {"tracer-artefact", SEVERITY_WARNING},  {"overruns", SEVERITY_WARNING},
    {"virtualized", SEVERITY_WARNING},      {"secondary-mode", SEVERITY_WARNING},
    {"machine-changed", SEVERITY_WARNING},
};

static const struct note_rule *rule_of(const char *code)
{
    for (size_t i = 0; code && i < sizeof note_rules / sizeof *note_rules; i++)
        if (strcmp(note_rules[i].code, code) == 0)
            return &note_rules[i];
    return NULL;
}

static struct finding *add(const struct store *store, struct findings *out, const char *code, const char *variant,
                           enum severity severity, uint32_t run, uint32_t artefact)
{
    struct finding *finding = findings_add(out, code, severity, CONFIDENCE_PROVEN);
    finding->variant = variant;
    finding->run = run;
    if (artefact < store->n_artefacts)
        finding->subject = arena_string(out->arena, store->artefacts[artefact].path);
    return finding;
}

static void tell_notes(const struct store *store, struct findings *out)
{
    for (size_t i = 0; i < store->n_notes; i++) {
        const struct note *note = &store->notes[i];
        const struct note_rule *rule = rule_of(note->code);
        if (!rule)
            continue;
        struct finding *finding = add(store, out, rule->code, "note", rule->severity, note->run, note->artefact);
        finding_text(out, finding, "note", note->text);
        if (note->count > 1)
            finding_count(out, finding, "n_places", note->count);
        if (note->first_line > 0) {
            finding_integer(out, finding, "line", (int64_t)note->first_line);
            finding_evidence(out, finding, "%s:%" PRIu64, finding->subject ? finding->subject : "line", note->first_line);
        }
    }
}

static struct finding *add_series(const struct store *store, struct findings *out, const char *code, const char *variant,
                                  enum severity severity, uint32_t series)
{
    const struct series *s = &store->series[series];
    struct finding *finding = add(store, out, code, variant, severity, s->run, s->artefact);
    finding->series = series;
    finding->cpu = s->cpu;
    return finding;
}

/* Values of one series: counts that do not add up, values that nobody knows. */
static void tell_counts(const struct store *store, struct findings *out, uint32_t i)
{
    const struct series *s = &store->series[i];
    if (s->n_samples == 0 && !findings_have(out, "no-samples", s->run))
        add_series(store, out, "no-samples", "", SEVERITY_WARNING, i);
    if (s->max_is_lower_bound && !findings_have(out, "histogram-truncated", s->run)) {
        struct finding *finding = add_series(store, out, "histogram-truncated", "", SEVERITY_WARNING, i);
        if (s->max_ns != NS_UNKNOWN)
            finding_integer(out, finding, "max_ns", s->max_ns);
    }
    if (s->is_cut && !findings_have(out, "file-truncated", s->run) && !findings_have(out, "run-interrupted", s->run))
        add_series(store, out, "file-truncated", "", SEVERITY_WARNING, i);
    size_t n_bins, n_cycles;
    const struct bin *bins = store_bins(store, i, &n_bins);
    store_overflow_cycles(store, i, &n_cycles);
    bool has_overflow = s->n_overflow != COUNT_UNKNOWN && s->n_overflow > 0;
    if (has_overflow && s->n_overflow > 1 && !findings_have(out, "overflow-hidden", s->run)) {
        struct finding *finding = add_series(store, out, "overflow-hidden", "", SEVERITY_NOTE, i);
        finding_count(out, finding, "n_overflow", s->n_overflow);
        if (s->overflow_limit_ns != NS_UNKNOWN)
            finding_integer(out, finding, "limit_ns", s->overflow_limit_ns);
    }
    if (n_bins == 0 || s->is_block_maxima || s->n_samples == COUNT_UNKNOWN)
        return;
    uint64_t sum = s->n_overflow == COUNT_UNKNOWN ? 0 : s->n_overflow;
    for (size_t b = 0; b < n_bins; b++)
        sum += bins[b].count;
    if (sum != s->n_samples && s->n_overflow != COUNT_UNKNOWN && !findings_have(out, "counts-mismatch", s->run)) {
        struct finding *finding = add_series(store, out, "counts-mismatch", "", SEVERITY_WARNING, i);
        finding_count(out, finding, "n_counted", sum);
        finding_count(out, finding, "n_samples", s->n_samples);
    }
}

/* Values that are all multiples of a step far above the printed resolution: the clock ticked no finer. */
static void tell_granularity(const struct store *store, struct findings *out, uint32_t i)
{
    const struct series *s = &store->series[i];
    size_t n;
    const struct bin *bins = store_bins(store, i, &n);
    int64_t step = 0, resolution = s->resolution_ns > 0 ? s->resolution_ns : 1;
    if (n < 5 || findings_have(out, "clock-granularity", s->run))
        return;
    for (size_t b = 0; b < n; b++)
        for (int64_t a = bins[b].low_ns, c = step;; c = a % c, a = step) {
            if (c == 0) {
                step = a;
                break;
            }
            step = c;
        }
    if (step < 0)
        step = -step;
    int64_t width = s->bin_width_ns > 0 ? s->bin_width_ns : resolution;
    if (step / 10 < resolution || step <= width)
        return;
    struct finding *finding = add_series(store, out, "clock-granularity", "", SEVERITY_WARNING, i);
    finding_integer(out, finding, "step_ns", step);
}

/* Ranges of several widths: a quantile is one end of one, and there is no average. */
static void tell_ranges(const struct store *store, struct findings *out, uint32_t i)
{
    const struct series *s = &store->series[i];
    size_t n;
    const struct bin *bins = store_bins(store, i, &n);
    if (s->bin_width_ns == NS_UNKNOWN || !bins_differ_in_width(bins, n, (double)s->bin_width_ns) || findings_have(out, "wide-ranges", s->run))
        return;
    struct finding *finding = add_series(store, out, "wide-ranges", s->bin_edge == BIN_CEIL ? "upper" : "", SEVERITY_NOTE, i);
    finding_integer(out, finding, "width_ns", s->bin_width_ns);
}

/* Spans in which events were lost, per run. */
static void tell_gaps(const struct store *store, struct findings *out, uint32_t run)
{
    uint64_t n_lost = 0, n_gaps = 0;
    bool is_counted = true;
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *gap = &store->gaps[i];
        if (gap->run != run || (gap->begin_ns == NS_UNKNOWN && gap->n_lost == COUNT_UNKNOWN))
            continue;
        if (gap->reason && (strstr(gap->reason, "off") || strstr(gap->reason, "start")))
            continue;
        n_gaps++;
        if (gap->n_lost == COUNT_UNKNOWN)
            is_counted = false;
        else
            n_lost += gap->n_lost;
    }
    if (n_gaps == 0 || findings_have(out, "events-lost", run))
        return;
    struct finding *finding = add(store, out, "events-lost", "", SEVERITY_WARNING, run, ROW_NONE);
    finding_count(out, finding, "n_gaps", n_gaps);
    if (is_counted || n_lost > 0)
        finding_count(out, finding, "n_lost", n_lost);
}

/* A trace header announces more entries than the file holds. */
static void tell_missing_entries(const struct store *store, struct findings *out, uint32_t run)
{
    for (size_t i = 0; i < store->n_streams; i++) {
        const struct stream *stream = &store->streams[i];
        if (stream->run != run || !stream_lacks_entries(stream) ||
            findings_have(out, "entries-missing", run))
            continue;
        struct finding *finding = add(store, out, "entries-missing", "", SEVERITY_WARNING, run, stream->artefact);
        finding_count(out, finding, "n_announced", stream->n_shown);
        finding_count(out, finding, "n_found", stream->n_events);
    }
}

/* One file that holds several measurements. */
static void tell_mixed_runs(const struct store *store, struct findings *out)
{
    struct held {
        int64_t n_runs;
        uint32_t last;
    } *held = memory_new((store->n_artefacts + 1) * sizeof *held);
    for (size_t i = 0; i < store->n_series; i++) { /* grouped by run */
        const struct series *s = &store->series[i];
        struct held *h = s->artefact < store->n_artefacts ? &held[s->artefact] : NULL;
        if (!h || (h->n_runs > 0 && h->last == s->run))
            continue;
        h->last = s->run;
        h->n_runs++;
    }
    for (uint32_t a = 0; a < store->n_artefacts; a++)
        if (held[a].n_runs > 1) {
            struct finding *finding = add(store, out, "mixed-runs", "", SEVERITY_NOTE, store->artefacts[a].run, a);
            finding_integer(out, finding, "n_runs", held[a].n_runs);
        }
    free(held);
}

static enum status data_run(const struct store *store, const struct analysis_options *options, struct analysis *analysis,
                            struct error *error)
{
    (void)options;
    (void)error;
    struct findings *out = &analysis->findings;
    tell_notes(store, out);
    if (store->is_recovered) {
        struct finding *finding = add(store, out, "file-truncated", "recovered", SEVERITY_WARNING, ROW_NONE, ROW_NONE);
        finding_text(out, finding, "note", store->recovery);
    }
    for (uint32_t i = 0; i < store->n_series; i++) {
        tell_counts(store, out, i);
        tell_granularity(store, out, i);
        tell_ranges(store, out, i);
    }
    for (uint32_t run = 0; run < store->n_runs; run++) {
        tell_gaps(store, out, run);
        tell_missing_entries(store, out, run);
    }
    tell_mixed_runs(store, out);
    return OK;
}

const struct analyzer analyzer_data = {
    .name = "data",
    .summary = "what is in the files, and what is not",
    .jobs = JOB_INFO,
    .run = data_run,
};
