/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for findings of the family "maximum"; the form is told in report/sentences.h. */
#include "report/sentences.h"

#define NOTE "[line {line}: ]{note}"

const struct sentence sentences_maximum[] = {
    {.code = "isolated-maximum",
     .text = "{series}: the maximum of {max_ns} stands alone; the next value is {second_ns}, and a tail fitted to the "
             "{n_excess} values from {threshold_ns} up gives such a gap with p = {p}[ (from {lowest_p} to {highest_p} by the {n_thresholds} thresholds that fit)]; nothing "
             "confirms it",
     .advice = "repeat the run[ ({repeat_ns} sees it again with 95 %, if it happens once in such a run)] with a trace that stops on "
               "it: cyclictest -b LIMIT --tracemark, or whylate-capture",
     .meaning = "One sample lies so far beyond all others that the tail of the distribution does not reach it (at 1 % over all "
                "series together). It may be a rare cause of its own, or no latency at all: lost periods, a trace or another "
                "series must tell."},
    {.code = "isolated-maximum", .variant = "body",
     .text = "{series}: the maximum of {max_ns} stands alone; all other {n_other} values end at {second_ns}, so close together that no tail "
             "can be fitted (p = {p} for the widest that they allow); nothing confirms it",
     .advice = "repeat the run[ ({repeat_ns} sees it again with 95 %, if it happens once in such a run)] with a trace that stops on "
               "it: cyclictest -b LIMIT --tracemark, or whylate-capture"},
    {.code = "isolated-maximum", .variant = "confirmed",
     .text = "{series}: the maximum of {max_ns} stands alone (next value {second_ns}, p = {p}), and other evidence confirms that "
             "the time passed",
     .advice = "find its cause: record a trace that stops on it (cyclictest -b LIMIT --tracemark, or whylate-capture)"},
    {.code = "lost-periods-confirm",
     .text = "{series}: [{n_lost}][{n_lost_low} to {n_lost_high}] periods of {interval_ns} are missing, as latencies up to {max_ns} "
             "must swallow (at least {n_expected}): the time did pass",
     .meaning = "A measuring loop that skips missed periods counts fewer cycles than its duration holds. The number missing "
                "matches what the largest latencies must have swallowed, which no artefact of the value alone would do. "
                "Threads that start one after another also miss cycles; that staircase is taken out."},
    {.code = "lost-periods-contradict",
     .text = "{series}: a latency of {max_ns} must swallow at least {n_expected} periods of {interval_ns}, but "
             "[{n_lost}][only {n_lost_low} to {n_lost_high}] are missing",
     .advice = "the clock may have jumped: check for clock steps (chrony, suspend, unstable TSC) in dmesg, and measure again",
     .meaning = "Fewer periods are missing than the largest latency must have swallowed: the clock moved, not the time."},
    {.code = "overruns", .text = "{series}: the tool itself counted {n_lost} lost or overrun periods",
     .advice = "a loop that overruns measures only what is left: find why it is late before trusting its distribution",
     .meaning = "Periods were missed: the measuring loop was not there in time, as its tool counts."},
    {.code = "overruns", .variant = "note", .text = NOTE},
    {.code = "simultaneous-maxima",
     .text = "{n_series} series have far maxima of nearly the same length ({max_ns}): one cause may have stopped them together",
     .advice = "record times (cyclictest -v, --spike, or whylate-capture) to see whether it was the same instant",
     .meaning = "Several threads or CPUs were late by nearly the same amount, which suggests one cause (SMI, hypervisor, "
                "stop_machine) or a ladder by priority. Without times it is possible, no more."},
    {.code = "simultaneous-maxima", .variant = "cycles",
     .text = "{n_together} of the {n_overflow} overflows of {n_threads} threads fell into {n_instants} instants that several shared, up to {n_series} "
             "threads at one (p = {p}): one cause stopped them together",
     .advice = "look for what stops all CPUs: firmware (SMI), stop_machine, a hypervisor, or one bus (hwlatdetect; perf stat -e msr/smi/)"},
    {.code = "tick-bound",
     .text = "{series}: the maximum of {max_ns} is one timer tick ({tick_ns}): a wakeup may have waited for the next tick",
     .advice = "look for a missed reschedule, or a timer without high resolution (dmesg: 'Switched to high resolution mode')",
     .meaning = "The maximum is as long as a period of the kernel's timer tick: typical of a wakeup or timer that only the next "
                "tick served."},
    {.code = "tick-bound", .variant = "guess",
     .text = "{series}: the maximum of {max_ns} is close to a timer tick of {tick_ns} (the kernel's HZ is not known): a wakeup may "
             "have waited for the next tick",
     .advice = "state the kernel's HZ (--set kernel.hz=250), and look for a missed reschedule or a timer without high resolution"},
    {.code = "throttle-signature",
     .text = "{series}: the maximum of {max_ns} is the pause of real-time throttling (50 ms of each second by default), or since "
             "6.12 the fair server's turn",
     .advice = "find the real-time task that spins, or switch throttling off: echo -1 > /proc/sys/kernel/sched_rt_runtime_us; the fair "
               "server's share is in /sys/kernel/debug/sched/fair_server",
     .meaning = "The latency is as long as the pause that real-time throttling imposes."},
    {.code = "sentinel-value", .text = "{series}: {max_ns} is the limit of a type or a start value, not a latency",
     .advice = "ignore this value; newer versions of the tool print none",
     .meaning = "A number that a tool prints for \"nothing measured\" or that is a type's limit. It is unknown here."},
    {.code = "sentinel-value", .variant = "note", .text = NOTE},
    {.code = "tracer-artefact", .text = "{series}: the value is the tracer's own",
     .meaning = "The tracer's measure is wrong, or it shows a wait that held up nobody."},
    {.code = "tracer-artefact", .variant = "note", .text = NOTE},
    {.code = "clock-jump", .text = "{series}: the clock jumped", .meaning = "A clock was set, or clocks of two CPUs disagree: the "
                                                                             "difference of its stamps is no latency.",
     .advice = "measure with CLOCK_MONOTONIC, and check the clock source (dmesg | grep -i tsc)"},
    {.code = "clock-jump", .variant = "note", .text = NOTE,
     .advice = "measure with CLOCK_MONOTONIC (cyclictest without -c 1), and check the clock source (dmesg | grep -i tsc)"},
    {.code = "clock-jump", .variant = "longer-than-run",
     .text = "{series}: a maximum of {max_ns} is longer than the whole run of {duration_ns}: the clock jumped",
     .advice = "measure with CLOCK_MONOTONIC, and check the clock source (dmesg | grep -i tsc)"},
    {.code = "clock-jump", .variant = "whole-seconds",
     .text = "{series}: the maximum of {max_ns} is a whole number of seconds on CLOCK_REALTIME: somebody may have set the clock",
     .advice = "measure with CLOCK_MONOTONIC (cyclictest without -c 1)"},
    {.code = "periodic-outliers",
     .text = "{series}: {n_outliers} large samples keep a period of {period_ns} (p = {p}): what causes them runs by a clock",
     .advice = "look for what has this period: firmware, management hardware, a timer, a cron job (cat /proc/timer_list; perf stat -e "
               "msr/smi/)",
     .meaning = "The largest samples come at one phase of a period (Rayleigh test, corrected for the periods tried), and the other "
                "samples do not. A periodic source is behind them."},
    {.code = "periodic-outliers", .variant = "cycles",
     .text = "{series}: the cycle numbers of {n_outliers} overflows keep a period of {period_ns} (p = {p}): what causes them runs by a "
             "clock",
     .advice = "look for what has this period: firmware, management hardware, a timer, a cron job (cat /proc/timer_list; perf stat -e "
               "msr/smi/)"},
    {.code = "periodic-outliers", .variant = "comb",
     .text = "{series}: {n_in} of {n_outliers} large samples follow one another at {period_ns} (p = {p}): one of their sources runs by a clock",
     .advice = "look for what has this period: firmware, management hardware, a timer, a cron job (cat /proc/timer_list; perf stat -e "
               "msr/smi/)"},
    {.code = "clustered-outliers",
     .text = "{series}: large samples come in clusters of {cluster} on average (extremal index {theta}, {n_outliers} values from "
             "{threshold_ns} up): they are not independent, so intervals are too narrow and fewer events happened than it seems",
     .advice = "count clusters, not samples, when rates are compared; look at what lasts longer than a period",
     .meaning = "The values above the tail's threshold follow one another more closely than independent ones would (extremal index by the "
                "intervals estimator, below 0.7)."},
    {.code = "two-populations",
     .text = "{series}: {n_far} samples from {from_ns} up are a population of their own; all others end at {below_ns}",
     .advice = "fit and bound them apart: find what the few have in common (a trace that stops above {below_ns})",
     .meaning = "The largest samples are separated from the rest by a gap that one tail does not explain: another cause made "
                "them. One fit over both would mislead."},
    {.code = "two-populations", .variant = "few",
     .text = "{series}: {n_far} samples[ up to {max_ns}] lie far from all others, which end at {below_ns} (p = {p}): too few to "
             "describe, too far to belong",
     .advice = "repeat the run[ for {repeat_ns}] with a trace that stops above {below_ns}"},
    {.code = "constant-offset",
     .text = "{series}: every value lies between {min_ns} and {jitter_ns} more: an offset, not an outlier",
     .advice = "report the jitter ({jitter_ns}) apart from the offset; calibrate the timer (autotune, latmus -t), look for tracing "
               "that is on",
     .meaning = "The minimum is nearly as large as the maximum: a constant is added to every value (an uncalibrated timer, tracing)."},
    {.code = "noise-floor",
     .text = "{series}: every recorded value lies between {min_ns} and {max_ns}: a permanent floor, not single events",
     .advice = "set the threshold above the floor; compare with another machine, and with frequency scaling and virtualisation off",
     .meaning = "Noise of nearly one size in every window: what the machine always does, no outliers."},
    {.code = "body-shifted",
     .text = "{series}: the typical latency is {typical_ns} over a minimum of {min_ns}: the whole distribution is displaced, not a "
             "single sample",
     .advice = "look below the kernel first: virtual machine, missing high-resolution timers, deep idle states, frequency scaling",
     .meaning = "Typical values are many times the minimum. That is no matter of one outlier."},
    {.code = "warm-up-maximum", .text = "{series}: the maximum of {max_ns} is cycle {cycle}: the start of the measurement",
     .advice = "leave out the first cycles, and lock memory (cyclictest -m)",
     .meaning = "The maximum is among the first ten cycles, in which caches are cold and pages are touched for the first time."},
    {.code = "tail-heavier-than-fit",
     .text = "{series}: no single tail fits its largest values (p = {p} for the {n_excess} from {threshold_ns} up): they are a "
             "mixture of causes, so no forecast is made from it",
     .advice = "attribute the largest samples to causes (whylate explain on a trace) and judge each cause by itself",
     .meaning = "One generalised Pareto tail does not describe the values at any threshold; several causes are mixed. Its return "
                "levels must not be trusted."},
    {.code = "tail-heavy",
     .text = "{series}: the tail is heavy: shape {shape} ({lowest} to {highest}), where an exponential tail has 0 (p = {p}); by the coefficient of "
             "variation {cv_shape}[, by Hill's estimator {hill}][; ten times the samples raise the expected maximum from {level_ns} to "
             "{longer_ns}]",
     .advice = "do not take the maximum of one run for a bound: longer runs find larger values without end in sight",
     .meaning = "The excesses over the threshold are surely heavier than exponential: by the profile likelihood of the shape, and by their "
                "coefficient of variation (1 for an exponential tail). The other estimators are told because they weigh the values differently; where "
                "they disagree, the forecast hangs on the choice."},
    {.code = "tail-consistent",
     .text = "the maxima of all series ({n_series}, up to {max_ns}) are where their tails end[; ten times the samples would reach about "
             "{level_ns}[, from {lowest_ns} to {highest_ns} by the {n_thresholds} thresholds that fit]]",
     .meaning = "The distribution runs smoothly up to its maximum: nothing in the values says that it is false."},
    {.code = "clean",
     .text = "nothing stands out: {n_series} series, smooth tails up to {max_ns}[; ten times the samples would reach about "
             "{level_ns}[, from {lowest_ns} to {highest_ns} by the {n_thresholds} thresholds that fit]]",
     .meaning = "Every series of the run has a credible maximum, and no sign of trouble was found."},
    {.code = NULL},
};
