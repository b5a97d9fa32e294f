/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands. Each is one file with one const descriptor, and one row in cli/table.c. --help, the manual page, shell
 * completion and parsing all come from the descriptor's words and option rows.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "analyzers/analyzer.h"
#include "importers/importer.h"

/* What the user asked for: defaults, then the command line. */
struct request {
    const struct command *command;
    uint64_t given;     /* a bit for each of the command's option rows that the command line has, in options_each()'s order */
    const char **words; /* arguments that are no options */
    size_t n_words;
    struct import_options import;
    struct analysis_options analysis;
    const char *output;    /* -o */
    const char *format;    /* --format, --to */
    const char *scripts;   /* --scripts */
    bool json, quiet, no_color, plot, compress;
    int64_t outlier;       /* --outlier, from 1; 0: not given */
    const char *table;     /* export: --table */
    bool force;            /* merge: --force */
    uint32_t series;       /* export: --series; ROW_NONE: not given */
    int64_t context_ns;    /* cut, export: --context; NS_UNKNOWN: ten times the latency, at least 10 ms */
    /* limits whose excess is exit code 1 */
    int64_t fail_above_ns; /* NS_UNKNOWN: none */
    const char *fail_verdict;
    double fail_regression_pct; /* NAN: none */
    const char *junit;
    bool tap;
    /* owned lists behind the const pointers above */
    const char **settings, **factors;
};

/* How an option's argument is read, and what kind of member it fills. */
enum option_type {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char * */
    OPTION_DURATION,   /* int64_t ns */
    OPTION_COUNT,      /* size_t, from 1; "all" is SIZE_MAX */
    OPTION_INDEX,      /* uint32_t, from 0 */
    OPTION_NUMBER,     /* int64_t, from 1 */
    OPTION_PERCENT,    /* double, 0 to 100 exclusive */
    OPTION_INCREASE,   /* double percent, 0 or more */
    OPTION_CPUS,       /* analysis.cpus and has_cpus */
    OPTION_SETTING,    /* one more of --set */
    OPTION_FACTORS,    /* KEY,... of --factor */
};
struct option_row {
    const char *name;
    int letter; /* 0: none */
    const char *argument;
    enum option_type type;
    size_t offset; /* of the member in struct request */
    const char *help;
    const char *needs;    /* "a b": without one of these options it would do nothing; NULL: stands alone */
    const char *excludes; /* "a b": with one of these it would do nothing, or undo it */
};

/* What a command needs of its words. */
struct command {
    const char *name;
    const char *summary;             /* one line */
    const char *arguments;           /* "INPUT..." for the synopsis */
    size_t min_words, max_words;
    const char *description;         /* paragraphs for --help and the manual page */
    const char *examples;            /* lines "command line # what it does" */
    unsigned jobs;                   /* JOB_* that it runs */
    const struct option_row *const *options; /* groups of rows, each ended by a row without name; NULL ends the list */
    int (*run)(struct request *request, struct error *error); /* the exit code; an error's if it filled one */
};

extern const struct command *const commands[]; /* cli/table.c; NULL ends it */
const struct command *command_find(const char *name);

/* Groups that several commands share (cli/options.c). */
extern const struct option_row options_input[], options_answer[], options_plot[], options_quiet[], options_selection[],
    options_gates[], options_gate_verdict[], options_tail[], options_file[];

/* The first option of a group that the user gave, NULL: none. For what depends on more than which options there are. */
const struct option_row *request_given(const struct request *request, const struct option_row *group);

enum { EXIT_LIMIT = 1, EXIT_USAGE = 2, EXIT_INPUT = 3, EXIT_OUTPUT = 4 };

#endif
