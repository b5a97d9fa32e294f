/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside importers/: what import.c, runs.c and text.c share. */
#ifndef IMPORTERS_PRIVATE_H
#define IMPORTERS_PRIVATE_H

#include "base/memory.h"
#include "base/progress.h"
#include "importers/importer.h"
#include "importers/row_index.h"

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

/* What a text says about the machine between two results: importers/loose.c. */
struct loose_fact {
    size_t fact;     /* its row */
    size_t n_series; /* in the store when it was stated */
};

struct import_private {
    const struct import_options *options;
    uint32_t group;
    const char *path;           /* of the INPUT in progress */
    bool run_is_open;           /* import->run is valid */
    /* of the member in progress */
    bool is_run_file;           /* copied in, no artefact of its own */
    uint64_t drop_at;
    struct progress progress;
    size_t n_notes, notes_capacity;
    struct kept_note *notes;
    size_t n_states, states_capacity;
    struct kept_state *states;
    const struct importer *format; /* that gave the first rows */
    uint64_t n_prose_lines;
    /* What a member says about its machine before its first series holds for its later runs too. */
    size_t first_fact, n_facts_before_series; /* the latter SIZE_MAX: no series yet */
    uint32_t member_run;                      /* where this member began */
    struct taken_lines {
        size_t begin, end; /* lines, as lines_tell() counts them */
    } *taken;                                 /* that importers read: they are no prose */
    size_t n_taken, taken_capacity;
    bool is_text_walk;                        /* blocks of text: loose facts wait */
    struct loose_fact *loose;
    size_t n_loose, loose_capacity;
    size_t n_facts_at_series;                 /* of the member's last series */
    struct kept_heading {
        uint32_t run;
        char *text;
    } *headings;                              /* of the member's results: importers/heading.c */
    size_t n_headings, headings_capacity;
    struct counter_tables *counters; /* of all inputs: importers/counters.c */
    /* Of the whole store, brought up to date before each use (importers/rows.c). */
    struct row_index series_index; /* by run, tool, name */
    struct row_index fact_index;   /* by run, key */
    const char **origins;          /* of each run: the INPUT, or the run file in it (importers/labels.c) */
    size_t n_origins, origins_capacity;
};

/* importers/counters.c: gives all tables their snapshot numbers and deltas and stores them; or drops them. */
void counters_finish(struct import *import);
void counters_release(struct import *import);

/*
 * importers/rows.c: copies facts [begin, end) of run `from` about the machine (kernel, CPU ...) to the later runs of this
 * import, where these do not state them.
 */
void facts_share(struct import *import, size_t begin, size_t end, uint32_t from);
/* Makes a run and goes there: import->run. */
void run_open(struct import *import, const char *label);

/* importers/labels.c: the runs made since the last call came from this INPUT, or run file in one. */
void labels_came_from(struct import *import, const char *path);
/* After the last INPUT: no two runs have one label. */
void labels_finish(struct import *import);

/* Has the run a fact of that key (and value, if not NULL; and artefact, if not ROW_NONE)? */
bool run_has_fact(const struct import *import, uint32_t run, const char *key, const char *value, uint32_t artefact);
/* Facts went to another run or got another key. */
void facts_were_moved(struct import *import);

/* Does the key speak of the machine, not of one measurement on it? */
bool fact_is_of_machine(const char *key);

/*
 * importers/loose.c: "uname, result, uname, result". A fact about the machine that follows a result may be of the next one:
 * at the end of the member it goes to the result it stands above, or stays with the one below which it stands.
 */
bool loose_add(struct import *import, const char *key, const char *value); /* false: it is none */
void loose_end_block(struct import *import, size_t n_before, size_t n_series_before); /* of one importer */
void loose_finish(struct import *import);
/*
 * "old kernel: uname, new kernel: uname, old: result, new: result": as many releases above the first result as there are
 * results go to these in their order; of another number none is known to be a result's, and they become "mentioned.KEY".
 */
void loose_split_kernels(struct import *import);

/* importers/heading.c: the line above a result that says what it is. */
bool heading_above(struct lines *lines, char *heading, size_t size); /* of the block at the cursor */
void heading_keep(struct import *import, uint32_t run, const char *text); /* the first of a run stands */
/* At a member's end: headings become facts; or are dropped. */
void headings_finish(struct import *import, bool is_read);

/* importers/settings.c: --set KEY=VALUE into all runs from first_run on. */
enum status settings_check(const struct import_options *options, struct error *error);
void settings_apply(struct store_writer *store, const struct import_options *options, uint32_t first_run);

/* importers/layout.c: which members of a directory or archive form one run. */
struct layout;
struct layout *layout_new(const struct input *input);
/* The run that a member belongs to, as a folder's name: "" for all when the input is one run. */
const char *layout_run(const struct layout *layout, size_t i);
void layout_free(struct layout *layout);

/*
 * importers/import.c: the importer that gave the member's first rows. The artefact says so at once: the run file may be cut
 * before the member is read.
 */
void import_set_format(struct import *import, const struct importer *importer);

/* importers/text.c: walks the member's lines. FAILED: nothing in it was understood. */
enum status text_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error);

/* importers/prose.c: latencies claimed in sentences of a mail, as facts. How many. */
extern const struct importer importer_prose;
size_t prose_claims(struct import *import, const unsigned char *bytes, size_t size);

#endif
