/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What validate knows of one series while it judges, and the signs that it looks for (analyzers/maximum_*.c). */
#ifndef ANALYZERS_JUDGED_H
#define ANALYZERS_JUDGED_H

#include "analyzers/analyzer.h"
#include "analyzers/lost_periods.h"
#include "analyzers/series_shape.h"
#include "analyzers/stats/tail.h"

struct judged {
    uint32_t series;
    bool has_shape;
    uint64_t n;                 /* samples in the shape */
    double median_ns, high_ns;  /* high: quantile 0.999, or of the last sample but one in short series; NAN */
    struct tail_fit fit;
    struct tail_gap single, cluster;
    size_t n_other_thresholds;  /* at which the gap of a lone maximum was tested as well */
    double other_low_p, other_high_p;
    struct tail_views views;    /* cv 0: none */
    double single_p;            /* adjusted over all series (Holm); NAN: not tested */
    bool is_isolated;           /* a single far sample, at 1 % over all series */
    bool is_far;                /* isolated, or a few samples far from all others */
    struct lost_periods lost;
    bool is_confirmed, is_contradicted; /* by lost periods, a trace or another series */
    bool is_artefact;
};

/* Signs that a maximum is no latency, or what it is like; each adds its findings. */
void signs_of_artefact(const struct store *store, struct judged *judged, struct findings *out);
void signs_of_value(const struct store *store, const struct judged *judged, struct findings *out); /* tick, throttling, offset */
void signs_of_lost_periods(const struct store *store, struct judged *judged, struct findings *out);
enum status signs_of_time(const struct store *store, const struct judged *judged, struct findings *out,
                          struct error *error); /* rhythm, warm-up, replayed rows */
/* Series of one run that were late alike; may confirm one another. */
void signs_of_simultaneity(const struct store *store, struct judged *judged, size_t n, struct findings *out);

/* Overflows of several threads in the same cycles. */
void signs_of_coincidence(const struct store *store, struct judged *judged, size_t n, struct findings *out);
/* The tail of maxima of equal blocks (Xenomai's worst of each second): an extreme value fit, and whether its largest belongs to it. */
void measure_blocks(const struct store *store, const struct histogram *h, struct judged *judged, struct arena *arena, struct tail *tail);

/* A finding about the series. */
struct finding *judged_finding(const struct store *store, const struct judged *judged, struct findings *out,
                               const char *code, const char *variant, enum severity severity,
                               enum confidence confidence);

#endif
