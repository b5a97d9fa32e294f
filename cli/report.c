/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/session.h"
#include "report/html.h"
#include "report/output.h"
#include "report/pdf.h"
#include "report/text_view.h"

#define MAX_TIMELINES 10 /* pictures of the worst; the page tells of all */

static const struct option_row own[] = {
    {.name = "output", .letter = 'o', .argument = "DIR", .type = OPTION_TEXT, .offset = offsetof(struct request, output),
     .help = "the folder to make (an earlier report is replaced), or the file for pdf and text"},
    {.name = "format", .argument = "NAME", .type = OPTION_TEXT, .offset = offsetof(struct request, format),
     .help = "html (default), pdf or text"},
    {.name = NULL},
};
static const struct option_row *const options[] = {own, options_quiet, options_selection, options_tail, options_input, NULL};

/* Which pictures the source gives, in the page's order. */
static size_t list_pictures(const struct plot_source *source, struct html_picture **pictures, struct arena *arena)
{
    size_t n = 0, capacity = 0;
    *pictures = NULL;
    for (size_t k = 0; plot_kinds[k]; k++) {
        size_t count = plot_kinds[k]->count(source);
        bool is_timeline = plot_kinds[k]->is_of_outlier;
        for (size_t i = 0; i < count && i < MAX_TIMELINES; i++) {
            memory_reserve(*pictures, capacity, n + 1);
            (*pictures)[n++] = (struct html_picture){
                .kind = plot_kinds[k],
                .i = i,
                .name = is_timeline ? arena_format(arena, "timeline-%zu", i + 1) : plot_kinds[k]->name,
                .title = is_timeline ? arena_format(arena, "Timeline of outlier %zu", i + 1) : plot_kinds[k]->summary,
            };
        }
    }
    return n;
}

/* Without gnuplot the page is still worth having: the first failure is told, the pictures left out. */
static void draw_pictures(const struct plot_source *source, const char *folder, const struct html_picture *pictures, size_t n)
{
    struct text plots = {0};
    text_format(&plots, "%s/plots", folder);
    mkdir(text_string(&plots), 0777);
    for (size_t i = 0; i < n; i++) {
        struct error error = {0};
        if (plot_write(pictures[i].kind, source, pictures[i].i, pictures[i].name, text_string(&plots), PLOT_SVG | PLOT_PNG, &error) == FAILED) {
            fprintf(stderr, "whylate: pictures are missing: %s\n", error.text);
            break;
        }
    }
    text_release(&plots);
}

static enum status write_in(const char *folder, const char *name, const struct plot_source *source,
                            const struct html_picture *pictures, size_t n, struct error *error)
{
    struct text path = {0};
    struct output_file output;
    text_format(&path, "%s/%s", folder, name);
    enum status status = output_file_begin(&output, text_string(&path), error);
    text_release(&path);
    if (status == FAILED)
        return FAILED;
    if (strcmp(name, "index.html") == 0)
        html_write(source, folder, pictures, n, output.file);
    else
        json_write(source->document, output.file);
    return output_file_finish(&output, error);
}

static enum status write_html(const struct request *request, const struct plot_source *source, struct error *error)
{
    struct output_folder folder;
    if (output_folder_begin(&folder, request->output, "index.html", error) == FAILED)
        return FAILED;
    struct arena arena = {0};
    struct html_picture *pictures;
    size_t n = list_pictures(source, &pictures, &arena);
    draw_pictures(source, folder.temporary, pictures, n);
    enum status status = write_in(folder.temporary, "data.json", source, pictures, n, error);
    if (status == OK)
        status = write_in(folder.temporary, "index.html", source, pictures, n, error);
    if (status == OK)
        status = output_folder_finish(&folder, error);
    else
        output_folder_abandon(&folder);
    free(pictures);
    arena_release(&arena);
    return status;
}

static enum status write_text(const char *path, const struct plot_source *source, struct error *error)
{
    struct output_file output;
    const struct text_options text_options = {.timeline = true};
    if (output_file_begin(&output, path ? path : "-", error) == FAILED)
        return FAILED;
    text_view_print(source->document, source->store, source->analysis, &text_options, output.file);
    return output_file_finish(&output, error);
}

static int run(struct request *request, struct error *error)
{
    const char *format = request->format ? request->format : "html";
    bool is_html = strcmp(format, "html") == 0, is_text = strcmp(format, "text") == 0;
    if (!is_html && !is_text && strcmp(format, "pdf") != 0)
        return error_usage(error, "--format: unknown '%s' (html, pdf, text)", format), EXIT_USAGE;
    if (!request->output && !is_text)
        return error_usage(error, is_html ? "report needs -o DIR" : "report --format pdf needs -o FILE"), EXIT_USAGE;
    struct session session = {0};
    enum status status = session_open(&session, request, request->words, request->n_words, error);
    if (status != FAILED) {
        struct plot_source source = {session.document, session.store, &session.analysis};
        status = is_html ? write_html(request, &source, error)
                 : is_text ? write_text(request->output, &source, error)
                           : pdf_write(&source, request->output, error);
    }
    session_release(&session);
    if (status == FAILED)
        return error_exit_code(error);
    if (!request->quiet && !is_text)
        printf(is_html ? "%s/index.html\n" : "%s\n", request->output);
    return stdout_finish(error) == FAILED ? EXIT_OUTPUT : 0;
}

const struct command command_report = {
    .name = "report",
    .summary = "the whole answer as a page with pictures, data and scripts",
    .arguments = "INPUT... -o DIR",
    .min_words = 1,
    .max_words = SIZE_MAX,
    .description = "Makes a folder with index.html (one page that needs no script and no network), the pictures as SVG "
                   "and PNG with their gnuplot scripts and data, and data.json, the same document as --json of the "
                   "other commands. With several runs the comparison is in it.",
    .examples = "whylate report run.wl -o report\n"
                "whylate report before.txt after.txt -o report\n"
                "whylate report trace.dat --format pdf -o report.pdf\n",
    .jobs = JOB_INFO | JOB_EXPLAIN | JOB_VALIDATE | JOB_COMPARE | JOB_CHECK,
    .options = options,
    .run = run,
};
