/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms that bcc's and bpftrace's programs draw: importers/bpf_hist_row.c parses their lines for importers/bpf_hist.c. */
#ifndef IMPORTERS_BPF_HIST_H
#define IMPORTERS_BPF_HIST_H

#include "importers/cells.h"

enum bpf_hist_kind { BPF_HIST_NONE = 0, BPF_HIST_BCC, BPF_HIST_BPFTRACE };

/* The line above the rows. */
struct bpf_hist_head {
    enum bpf_hist_kind kind;
    int64_t unit_ns;  /* 0: the words name no unit of time */
    struct cell name; /* bpftrace: of the map, without '@'; a slice of the line */
    struct cell key;  /* bpftrace: between the map's brackets; empty: it has none */
};

/* Values from low up to below end, in the head's unit. */
struct bpf_hist_row {
    uint64_t low, end;
    uint64_t count;
    bool is_negative; /* the range ends at 0 or below */
    bool is_open;     /* it has no end: "[1000, ...)" */
};

bool bpf_hist_head_parse(const struct line *line, struct bpf_hist_head *head);
bool bpf_hist_row_parse(const struct line *line, enum bpf_hist_kind kind, struct bpf_hist_row *row);
/* A row whose count cannot be read. */
bool bpf_hist_row_is_damaged(const struct line *line, enum bpf_hist_kind kind);
/* ns of "usecs", "us", "nsecs" ...; 0: no unit of time. */
int64_t bpf_hist_unit(struct cell word);

#endif
