/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for findings of the family "comparison"; the form is told in report/sentences.h. */
#include "report/sentences.h"

const struct sentence sentences_comparison[] = {
    {.code = "length-differs",
     .text = "the runs differ in length: {n_baseline} against {n_samples} samples a series; maxima of unequal runs are not compared "
             "directly",
     .advice = "repeat the shorter run at the longer one's number of samples",
     .meaning = "Runs of unequal length. The longer meets rarer events, so of two equal systems it has the larger maximum with "
                "probability n2/(n1+n2). Quantiles and the expected maximum at equal counts are compared instead."},
    {.code = "length-differs", .variant = "explains",
     .text = "the longer run ({n_baseline} against {n_samples} samples a series) has the larger maximum ({from_ns} against {to_ns}): length "
             "alone gives that with a chance of {chance_pct}, so it shows nothing",
     .advice = "repeat the shorter run at the longer one's number of samples"},
    {.code = "same-measurement",
     .text = "{run} and {subject} are the same file, byte for byte: setting one against the other compares a run with itself",
     .advice = "give the file of the other run",
     .meaning = "A measurement was given twice. Two files of the same bytes (SHA-256), or, with 1,000 samples or more in 10 bins or more, "
                "histograms that are equal in the count of every bin, which two runs never are. As a side such a run shows no difference "
                "because there is none to show; as a repeat it makes runs look more alike than they are."},
    {.code = "same-measurement", .variant = "counts",
     .text = "{run} and {subject} have the same count in every bin: likely one measurement given twice",
     .advice = "see whether the files come from one run"},
    {.code = "same-measurement", .variant = "repeat",
     .text = "{run} and {subject} are the same file, byte for byte, and count as repeats: the runs of this side look more alike than they are",
     .advice = "leave one of them out"},
    {.code = "same-measurement", .variant = "repeat-counts",
     .text = "{run} and {subject} have the same count in every bin and count as repeats: likely one measurement given twice",
     .advice = "see whether the files come from one run, and leave one of them out"},
    {.code = "confound", .text = "{subject} differs ({values}): {why}",
     .advice = "repeat one side with the other's {subject}",
     .meaning = "A condition other than what is under test differs between the sides; a part or all of the difference may come from "
                "it."},
    {.code = "confound", .variant = "invalidating", .text = "{subject} differs ({values}): {why}; this comparison decides nothing",
     .advice = "repeat one side with the other's {subject}"},
    {.code = "tail-improved",
     .text = "{run}: the tail is better: {subject} of samples lie below {from_ns} in the baseline and below {to_ns} here ({change_pct})[, p = "
             "{p}]",
     .meaning = "Rare large latencies are rarer or smaller than in the baseline, beyond chance: counts above common edges (exact, no "
                "shape assumed), corrected for the levels tried, and by at least 5 % of the quantile."},
    {.code = "tail-improved", .variant = "blocks",
     .text = "{run}: the worst of each second is lower: {subject} of them lie below {from_ns} in the baseline and below {to_ns} here[ "
             "({change_pct})][, p = {p}]",
     .advice = "measure with a histogram (latency -h) to know the distribution as well"},
    {.code = "tail-improved", .variant = "hidden",
     .text = "{run}: the tail is better: fewer samples are large; the {subject} quantile lies in the overflow of the baseline's histogram[ and at "
             "{to_ns} here][, p = {p}]",
     .advice = "widen the histogram (cyclictest -h) so that quantiles can be told"},
    {.code = "tail-improved", .variant = "ranks",
     .text = "{run}: the maxima are lower: around {from_ns} in the baseline, {to_ns} here[, p = {p}]",
     .advice = "repeat each side a few times, with histograms: single maxima say little"},
    {.code = "tail-regressed",
     .text = "{run}: the tail is worse: {subject} of samples lie below {from_ns} in the baseline and below {to_ns} here ({change_pct})[, p = "
             "{p}]",
     .advice = "find the cause of the large samples (whylate explain on a trace of this side)",
     .meaning = "Rare large latencies are more frequent or larger than in the baseline, beyond chance."},
    {.code = "tail-regressed", .variant = "blocks",
     .text = "{run}: the worst of each second is higher: {subject} of them lie below {from_ns} in the baseline and below {to_ns} here[ "
             "({change_pct})][, p = {p}]",
     .advice = "measure with a histogram (latency -h) to know the distribution as well"},
    {.code = "tail-regressed", .variant = "hidden",
     .text = "{run}: the tail is worse: more samples are large; the {subject} quantile lies [at {from_ns} in the baseline and ]in the overflow of "
             "this histogram[, p = {p}]",
     .advice = "widen the histogram (cyclictest -h) so that quantiles can be told"},
    {.code = "tail-regressed", .variant = "ranks",
     .text = "{run}: the maxima are higher: around {from_ns} in the baseline, {to_ns} here[, p = {p}]",
     .advice = "repeat each side a few times, with histograms: single maxima say little"},
    {.code = "body-improved", .text = "{run}: the body is faster: average {from_ns} in the baseline, {to_ns} here ({change_pct})[, p = {p}]",
     .meaning = "Typical latencies are shorter than in the baseline, beyond chance (Mann-Whitney with ties) and by at least 3 % of the "
                "average."},
    {.code = "body-improved", .variant = "ranks",
     .text = "{run}: the averages are lower: around {from_ns} in the baseline, {to_ns} here[, p = {p}]"},
    {.code = "body-regressed", .text = "{run}: the body is slower: average {from_ns} in the baseline, {to_ns} here ({change_pct})[, p = {p}]",
     .advice = "look for what every wakeup pays: frequency, idle states, virtualisation, tracing, debug options",
     .meaning = "Typical latencies are longer than in the baseline, beyond chance (Mann-Whitney with ties) and by at least 3 % of the "
                "average."},
    {.code = "body-regressed", .variant = "ranks",
     .text = "{run}: the averages are higher: around {from_ns} in the baseline, {to_ns} here[, p = {p}]"},
    {.code = "frequency", .variant = "path",
     .text = "{run}: every step of the wakeup path takes {typical_ratio} times as long as in the baseline ({lowest_ratio} to "
             "{highest_ratio}): a lower clock frequency would do that",
     .advice = "compare the governors and frequencies of both runs (cpupower frequency-info)"},
    {.code = "frequency", .variant = "path-baseline",
     .text = "{run}: its wakeup path is slower in every step by one factor ({typical_ratio}; {lowest_ratio} to {highest_ratio})"},
    {.code = "cache-miss", .variant = "path",
     .text = "{run}: the wakeup path is stretched most where code and data are touched first ({step}: {highest_ratio} times, least "
             "{lowest_ratio} times, typically {typical_ratio}): cold caches or a busy bus, not a lower frequency",
     .advice = "record cache misses with the wakeups (whylate-capture) to prove it; keep memory-heavy work off this cache"},
    {.code = "cache-miss", .variant = "path-baseline",
     .text = "{run}: against the other run its wakeup path is stretched most where code and data are touched first: cold caches or "
             "a busy bus"},
    {.code = "hardware-stall", .variant = "path",
     .text = "{run}: one step alone is stretched, {step}, {highest_ratio} times; the others are as in the baseline"},
    {.code = "hardware-stall", .variant = "path-baseline",
     .text = "{run}: one step of its wakeup path alone is stretched, {step}"},
    {.code = "body-regressed", .variant = "path",
     .text = "{run}: a whole wakeup takes longer: median {from_ns} from due to the next sleep in the baseline's trace, {to_ns} here "
             "({change_pct})"},
    {.code = "body-improved", .variant = "path",
     .text = "{run}: a whole wakeup takes less: median {from_ns} from due to the next sleep in the baseline's trace, {to_ns} here "
             "({change_pct})"},
    {.code = "trend", .text = "over {n_runs} runs in order the tail rises, from {from_ns} to {to_ns} (Kendall's tau {tau}, p = {p})",
     .advice = "look for what grows with time or version: temperature, fragmentation, the changes between the runs",
     .meaning = "With five runs or more in order, their tails rise or fall with the order beyond chance."},
    {.code = "trend", .variant = "falls",
     .text = "over {n_runs} runs in order the tail falls, from {from_ns} to {to_ns} (Kendall's tau {tau}, p = {p})"},
    {.code = "uniform-shift", .text = "{run}: all quantiles moved by about {shift_ns}: a constant, not a tail",
     .meaning = "Body and tail moved by the same amount: a constant cost (virtualisation, timer calibration, tracing)."},
    {.code = "not-comparable", .text = "the runs cannot be compared: {subject} differs and changes what is measured",
     .advice = "repeat one side with the other's {subject}",
     .meaning = "The sides differ in something that changes what was measured; any difference between them could come from it."},
    {.code = "not-comparable", .variant = "side",
     .text = "{run} cannot be compared with the baseline: {subject} differs and changes what is measured",
     .advice = "repeat it with the baseline's {subject}"},
    {.code = "not-comparable", .variant = "single", .text = "there is only one run: nothing to compare it with"},
    {.code = "no-difference-shown", .text = "{run}: no difference to the baseline is shown beyond chance[ (maxima {from_ns} and {to_ns})]",
     .meaning = "Neither body nor tail differ beyond chance by an amount that matters. That is no proof of equality."},
    {.code = "no-difference-shown", .variant = "spread",
     .text = "{run}: no difference to the baseline is shown beyond what runs of one side differ by among themselves[ (maxima {from_ns} and "
             "{to_ns})]",
     .advice = "repeat each side more often: with runs that vary, more samples in one run show nothing more"},
    {.code = "distribution-differs",
     .text = "{run}: the whole distribution differs: [{from_pct} of samples lie at {at_ns} or above in the baseline and {to_pct} here "
             "](Kolmogorov-Smirnov distance {distance}, p = {p}); neither the average nor a quantile of the tail differs by an amount that "
             "matters",
     .meaning = "The shares below some value differ beyond chance (Kolmogorov-Smirnov, ties on the safe side, corrected together with the other "
                "tests) by 5 % of the samples or more, while the average differs by less than 3 %, or only in what Mann-Whitney does not "
                "see: another shape of the body."},
    {.code = "distribution-differs", .variant = "ranges",
     .text = "{run}: the whole distribution differs: [{from_pct} of samples lie at {at_ns} or above in the baseline and {to_pct} here "
             "](Kolmogorov-Smirnov distance {distance}, p = {p}); by how much averages and quantiles differ is hidden in ranges as wide "
             "as these"},
    {.code = "no-worse-shown",
     .text = "{run}: shown to be no worse than the baseline by more than {margin_pct}, up to the {subject} quantile[ (from run to run, {n_runs} "
             "runs)], p = {p}",
     .meaning = "A test for \"no worse than\" (one-sided, by resampling both histograms) held at this quantile and at all before it, in the order "
                "50 %, 99 %, 99.9 % and on: worse by less than --margin (10 % of the baseline's quantile, and at least one bin). Unlike "
                "no-difference-shown it is evidence of equality up to that margin. Where runs of one side vary, it is a t test of runs."},
    {.code = "no-worse-shown", .variant = "equivalent",
     .text = "{run}: shown to be neither worse nor better than the baseline by more than {margin_pct}, up to the {subject} quantile[ (from run to "
             "run, {n_runs} runs)], p = {p}"},
    {.code = "runs-vary",
     .text = "{run}: its {n_runs} runs differ more than their samples do: {subject} between {lowest_ns} and {highest_ns}, standard deviation "
             "{sd_ns} from run to run, where samples alone give {sampling_ns}[; averages {lowest_avg_ns} to {highest_avg_ns}], p = {p}; sides are "
             "compared from run to run",
     .advice = "find what differs between runs (boot, placement of memory, temperature, other work); add runs rather than samples",
     .meaning = "Repeated runs of one condition (the runs of one INPUT) are not of one distribution: k-sample Anderson-Darling, or the counts above "
                "a common edge, at 1 %. A difference between sides must then exceed the standard deviation from run to run (Student's t with "
                "one deviation for both sides)."},
    {.code = "runs-vary", .variant = "agree",
     .text = "{run}: its {n_runs} runs agree: {subject} between {lowest_ns} and {highest_ns}, standard deviation {sd_ns} from run to run, samples "
             "alone give {sampling_ns}"},
    {.code = "no-difference-shown", .variant = "ranks",
     .text = "{run}: too little is known for a difference (maxima {from_ns} and {to_ns})",
     .advice = "measure with histograms (cyclictest -h), equally long, and repeat each side"},
    {.code = NULL},
};
