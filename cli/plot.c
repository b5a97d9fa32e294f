/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/session.h"
#include "report/output.h"
#include "report/plot.h"

static const struct option_row own[] = {
    {.name = "output", .letter = 'o', .argument = "FILE", .type = OPTION_TEXT, .offset = offsetof(struct request, output),
     .help = "the picture: .svg, .png or .pdf; without it, drawn with characters"},
    {.name = "outlier", .argument = "N", .type = OPTION_NUMBER, .offset = offsetof(struct request, outlier),
     .help = "the timeline of this outlier, worst first from 1 (default 1)"},
    {.name = "scripts", .argument = "DIR", .type = OPTION_TEXT, .offset = offsetof(struct request, scripts),
     .needs = "output", .help = "also leave the gnuplot script and its data in this folder"},
    {.name = NULL},
};
static const struct option_row *const options[] = {own, options_quiet, options_selection, options_input, NULL};

static unsigned terminal_of(const char *path, struct error *error)
{
    static const struct { const char *suffix; unsigned terminal; } known[] = {{".svg", PLOT_SVG}, {".png", PLOT_PNG}, {".pdf", PLOT_PDF}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot, known[i].suffix) == 0)
            return known[i].terminal;
    error_usage(error, "'%s': pictures end in .svg, .png or .pdf", path);
    return 0;
}

/* Draws in a folder of its own, then copies the picture to where the user wants it. */
static enum status draw(const struct request *request, const struct plot_kind *kind, const struct plot_source *source, size_t i,
                        unsigned terminal, struct error *error)
{
    struct output_folder folder;
    struct text picture = {0};
    if ((request->scripts ? output_folder_begin(&folder, request->scripts, "plot.gp", error)
                          : output_folder_scratch(&folder, request->output, error)) == FAILED)
        return FAILED;
    text_format(&picture, "%s/plot%s", folder.temporary, strrchr(request->output, '.'));
    enum status status = plot_write(kind, source, i, "plot", folder.temporary, terminal, error);
    if (status == OK)
        status = output_file_copy(text_string(&picture), request->output, error);
    text_release(&picture);
    if (status == OK && request->scripts)
        return output_folder_finish(&folder, error);
    output_folder_abandon(&folder);
    return status;
}

/* The kind that the first word names, if it and the options go together. */
static const struct plot_kind *kind_of(const struct request *request, struct error *error)
{
    const struct plot_kind *kind = plot_kind_find(request->words[0]);
    if (!kind) {
        struct text names = {0};
        for (size_t i = 0; plot_kinds[i]; i++)
            text_format(&names, "%s%s", i ? ", " : "", plot_kinds[i]->name);
        error_usage(error, "unknown kind of picture '%s' (there are %s)", request->words[0], text_string(&names));
        text_release(&names);
        return NULL;
    }
    const struct option_row *selection = request_given(request, options_selection);
    const char *idle = request->outlier && !kind->is_of_outlier ? "outlier" : selection && !kind->shows_outliers ? selection->name : NULL;
    if (!idle)
        return kind;
    error_usage(error, "--%s chooses among outliers: a picture of kind '%s' shows none of them", idle, kind->name);
    return NULL;
}

static enum status write_picture(const struct request *request, const struct plot_kind *kind, const struct session *session,
                                 unsigned terminal, struct error *error)
{
    struct plot_source source = {session->document, session->store, &session->analysis};
    size_t n = kind->count(&source), i = request->outlier ? (size_t)request->outlier - 1 : 0;
    if (!n)
        return error_input(error, "the input holds nothing for a picture of kind '%s'", kind->name);
    if (i >= n)
        return error_usage(error, "there is no outlier %zu, the last is %zu", i + 1, n);
    return request->output ? draw(request, kind, &source, i, terminal, error) : plot_print(kind, &source, i, stdout, error);
}

static int run(struct request *request, struct error *error)
{
    const struct plot_kind *kind = kind_of(request, error);
    unsigned terminal = 0;
    if (!kind || (request->output && !(terminal = terminal_of(request->output, error))))
        return EXIT_USAGE;
    struct session session = {0};
    enum status status = session_open(&session, request, request->words + 1, request->n_words - 1, error);
    if (status != FAILED)
        status = write_picture(request, kind, &session, terminal, error);
    session_release(&session);
    return status == FAILED ? error_exit_code(error) : 0;
}

const struct command command_plot = {
    .name = "plot",
    .summary = "one picture: histogram, tail, samples or timeline",
    .arguments = "KIND INPUT...",
    .min_words = 2,
    .max_words = SIZE_MAX,
    .description = "Draws one picture through gnuplot. KIND is histogram (log count axis, a line per series), tail "
                   "(complementary distribution, log-log), samples (latency over time) or timeline (one outlier: who "
                   "had each CPU, and the ledger).",
    .examples = "whylate plot tail cyclictest.txt -o tail.svg\n"
                "whylate plot timeline trace.dat --outlier 2 -o late.png\n"
                "whylate plot histogram cyclictest.txt\n",
    .jobs = JOB_INFO | JOB_EXPLAIN | JOB_VALIDATE,
    .options = options,
    .run = run,
};
