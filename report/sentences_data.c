/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for findings of the family "data"; the form is told in report/sentences.h. */
#include "report/sentences.h"

#define NOTE "{subject}[, line {line}]: {note}[ ({n_places} places)]"

const struct sentence sentences_data[] = {
    {.code = "no-samples",
     .text = "{series} holds no samples: there is no latency to judge",
     .advice = "check that the measuring thread ran and that the option which records it was set, then measure again",
     .meaning = "A series or file without a single sample. Printed minima and maxima of such a series are start values of "
                "the tool; they are unknown here, never 0."},
    {.code = "no-samples", .variant = "note", .text = NOTE,
     .advice = "check that the measuring thread ran and that the option which records it was set, then measure again"},
    {.code = "histogram-truncated",
     .text = "the histogram of {series} was capped: its maximum is {max_ns}, how much more is unknown",
     .advice = "measure again with a histogram wide enough for every sample (cyclictest -h 10000)",
     .meaning = "Values beyond the histogram's end were dropped or piled up in its last bin by the tool; the maximum is only "
                "a lower bound."},
    {.code = "histogram-truncated", .variant = "note", .text = NOTE,
     .advice = "measure again with a histogram wide enough for every sample"},
    {.code = "overflow-hidden",
     .text = "{series}: {n_overflow} samples[ of {limit_ns} and more] lie beyond the histogram; their single values are "
             "unknown, but for the maximum",
     .advice = "widen the histogram (cyclictest -h) so that its tail can be judged",
     .meaning = "Samples beyond the histogram's limit are known by number only. Quantiles that fall among them are unknown."},
    {.code = "overflow-hidden", .variant = "note", .text = NOTE, .advice = "widen the histogram (cyclictest -h)"},
    {.code = "counts-mismatch",
     .text = "{series}: rows and overflow add up to {n_counted} samples, but {n_samples} were counted",
     .advice = "rows may have been cut out of the file: go back to the original",
     .meaning = "Numbers in a file that should agree do not: sums against totals, rows against summaries, a mark against its "
                "events. What is used is said in the text."},
    {.code = "counts-mismatch", .variant = "note", .text = NOTE},
    {.code = "counts-mismatch", .variant = "mark",
     .text = "{subject}: the source reports {reported_ns}, the events show {latency_ns}"},
    {.code = "file-truncated",
     .text = "the output of {series} ends early: what is missing is unknown",
     .advice = "use the complete file",
     .meaning = "A file, or a tool's output in it, ends before it is complete."},
    {.code = "file-truncated", .variant = "note", .text = NOTE, .advice = "use the complete file"},
    {.code = "file-truncated", .variant = "recovered", .text = "the run file was cut: {note}"},
    {.code = "unit-assumed", .text = NOTE,
     .advice = "state the unit with the file, or keep the tool's complete output",
     .meaning = "The unit of the values does not stand in the file; it was inferred, and the reason is given."},
    {.code = "unit-mismatch", .text = NOTE, .meaning = "Two statements about the unit of the same values disagree."},
    {.code = "clock-granularity",
     .text = "all values of {series} are multiples of {step_ns}: the clock or timer is no finer, shorter latencies cannot be "
             "seen",
     .advice = "enable CONFIG_HIGH_RES_TIMERS and a fine clock source, then measure again",
     .meaning = "The clock behind the values ticks so coarsely that latencies below its step do not show."},
    {.code = "clock-granularity", .variant = "note", .text = NOTE,
     .advice = "traces: trace-cmd record -C mono (echo mono > /sys/kernel/tracing/trace_clock); measurements: enable "
               "CONFIG_HIGH_RES_TIMERS and a fine clock source (/sys/devices/system/clocksource/clocksource0/current_clocksource)"},
    {.code = "clocks-differ",
     .text = "the trace's clocks of CPU {cpu} and CPU {other_cpu} differ[ by {skew_ns}]: {n_wakeups} wakeups across them have no "
             "known length and are left out",
     .advice = "record with one clock for all CPUs (trace-cmd record -C mono)",
     .meaning = "Each CPU stamps with a clock of its own (local). Where the expiries of timers show that two of them are apart, or "
                "wakings come after their effect, nothing is joined across these CPUs."},
    {.code = "streams-joined",
     .text = "kinds of events that {with} lacks are read from {subject}[: {n_agree} of {n_rows} of its rows agree with the switches]",
     .meaning = "Another instance or file of the run recorded the same time under the same clock, and kinds of events that "
                "the first lacks. Where both say who ran they agree."},
    {.code = "streams-apart", .variant = "clock",
     .text = "the events of {subject} (clock {clock}) are not used together with {with} (clock {other_clock}): their clocks differ",
     .advice = "record both with one clock (trace-cmd record -C mono)",
     .meaning = "Another instance or file of the run has events that a window lacks, but nothing shows that its stamps are of "
                "the same clock."},
    {.code = "streams-apart", .variant = "tasks",
     .text = "the events of {subject} are not used together with {with}: only {n_agree} of {n_rows} of its rows are of the task that "
             "the switches show, so their clocks are apart",
     .advice = "record both with one clock (trace-cmd record -C mono)"},
    {.code = "streams-apart", .variant = "unknown",
     .text = "the events of {subject} are not used together with {with}: too few rows say who ran to show that their clocks are one",
     .advice = "record both into one file (trace-cmd record -B)"},
    {.code = "events-lost",
     .text = "events were lost in {n_gaps} places[ ({n_lost} events)]: nothing is concluded from those spans",
     .advice = "record with a larger buffer (trace-cmd record -b) or fewer events",
     .meaning = "The tracer overwrote or dropped events. Spans in which events are known to be lost are gaps; an analysis that "
                "would need them says so."},
    {.code = "events-lost", .variant = "note", .text = "{subject}[, line {line}]: {note}[ ({n_places} events)]", .advice = "record with a larger buffer or fewer events"},
    {.code = "origin-missing", .text = NOTE,
     .meaning = "The instant from which a latency counts (timer expiry, wakeup) is not in the data."},
    {.code = "wide-ranges",
     .text = "{series} counts in ranges up to {width_ns} wide: its quantiles are the lower ends of ranges, and no average is made "
             "of them",
     .meaning = "A histogram of powers of two and the like. In a range values may lie anywhere: nothing finer is said of them, and "
                "comparisons claim no margin."},
    {.code = "wide-ranges", .variant = "upper",
     .text = "{series} counts in ranges up to {width_ns} wide: its quantiles are the upper ends of ranges, and the samples may be that much "
             "smaller"},
    {.code = "not-measured", .text = NOTE,
     .meaning = "A number stands in the file, but the tool never measured it (a start value, a column it did not fill)."},
    {.code = "cumulative-column", .text = NOTE,
     .meaning = "A column holds running extremes or sums; its rows must not be read as samples of their own."},
    {.code = "tool-bug", .text = NOTE,
     .meaning = "A fault of this version of the tool is known to make this number wrong, or the number cannot be right."},
    {.code = "tool-bug", .variant = "replayed",
     .text = "{series}: {n_row} late samples in a row fall by one step each ({first_ns} down to {last_ns}, {step_ns} a cycle): this version "
             "replays missed periods, so one stall of {first_ns} is counted {n_row} times",
     .advice = "count it as one stall; cyclictest 0.92 and later skip missed periods"},
    {.code = "tool-bug", .variant = "replayed-cycles",
     .text = "{series}: {n_row} overflows in a row (from cycle {cycle}): a version that replays missed periods counts one stall many "
             "times",
     .advice = "count it as one stall; cyclictest 0.92 and later skip missed periods"},
    {.code = "tool-bug", .variant = "note", .text = NOTE},
    {.code = "mixed-runs",
     .text = "{subject} holds {n_runs} measurements: they are kept apart",
     .meaning = "One file holds several results; each is a run of its own."},
    {.code = "mixed-runs", .variant = "note", .text = NOTE},
    {.code = "damaged-lines", .text = NOTE,
     .meaning = "Lines that could not be read or had to be repaired; they are counted, and the first is named."},
    {.code = "entries-missing",
     .text = "{subject} announces {n_announced} entries and holds {n_found}: the rest was cut out",
     .advice = "use the complete file: what lies between cannot be read from this one",
     .meaning = "A file announces more entries than it holds."},
    {.code = "entries-missing", .variant = "note", .text = NOTE, .advice = "use the complete file"},
    {.code = NULL},
};
