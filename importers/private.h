/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside importers/: what import.c, runs.c and text.c share. */
#ifndef IMPORTERS_PRIVATE_H
#define IMPORTERS_PRIVATE_H

#include "base/memory.h"
#include "importers/importer.h"

struct kept_note {
    const char *code;
    char *text;
    uint64_t count, line;
    uint32_t run;
};

struct kept_state {
    const struct importer *importer;
    void *memory;
};

struct import_private {
    const struct import_options *options;
    uint32_t group;
    const char *run_label;      /* path that labels the next new run */
    bool run_is_open;           /* import->run is valid */
    size_t n_series_at_artefact;
    /* of the member in progress */
    bool is_run_file;           /* copied in, no artefact of its own */
    uint64_t size_bytes, drop_at, show_at;
    size_t n_notes, notes_capacity;
    struct kept_note *notes;
    size_t n_states, states_capacity;
    struct kept_state *states;
    const struct importer *format; /* that gave the first rows */
    uint64_t n_prose_lines;
    /* Facts stated before the member's first series hold for its later runs too. */
    size_t first_fact, n_shared_facts;
    struct counter_tables *counters; /* of all inputs: importers/counters.c */
};

/* importers/counters.c: gives all tables their snapshot numbers and deltas and stores them; or drops them. */
void counters_finish(struct import *import);
void counters_release(struct import *import);

/* importers/text.c: walks the member's lines. FAILED: nothing in it was understood. */
enum status text_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error);

#endif
