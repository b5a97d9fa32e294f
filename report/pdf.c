/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pdf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/output.h"
#include "report/text_view.h"

#define LINES_PER_PAGE 64
#define MAX_TIMELINES 10

/* The report's text, as --format text prints it. */
static char *report_text(const struct plot_source *source)
{
    char *string = NULL;
    size_t size = 0;
    struct text_options options = {.timeline = false};
    FILE *file = open_memstream(&string, &size);
    text_view_print(source->document, source->store, source->analysis, &options, file);
    fclose(file);
    return string;
}

/* A page of lines: labels in an empty plot, from the top. pdfcairo draws two thirds of the size: 80 columns of 9 points. */
static void write_pages(FILE *script, const char *text)
{
    size_t line = 0;
    for (const char *p = text; *p; line++) {
        size_t length = strcspn(p, "\n"), row = line % LINES_PER_PAGE;
        if (row == 0) {
            if (line)
                fputs("plot -1 notitle\n", script);
            fputs("reset\nunset border\nunset tics\nunset key\nset xrange [0:1]\nset yrange [0:1]\n"
                  "set lmargin 4\nset rmargin 2\nset tmargin 3\nset bmargin 3\n", script);
        }
        if (length) {
            struct text copy = {0};
            text_add_n(&copy, p, length);
            fputs("set label ", script);
            plot_quote(script, text_string(&copy));
            fprintf(script, " at graph 0,%.4f left font 'monospace,14'\n", 1 - ((double)row + 0.5) / LINES_PER_PAGE);
            text_release(&copy);
        }
        p += length + (p[length] == '\n');
    }
    if (line)
        fputs("plot -1 notitle\n", script);
}

static enum status write_script(const struct plot_source *source, const char *folder, struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s/report.gp", folder);
    FILE *script = fopen(text_string(&path), "we");
    text_release(&path);
    if (!script)
        return error_output(error, "cannot write '%s/report.gp': %s", folder, strerror(errno));
    fputs("set encoding utf8\nset terminal pdfcairo noenhanced size 8.27,11.69 font 'sans-serif,10'\nset output 'report.pdf'\n", script);
    char *text = report_text(source);
    write_pages(script, text);
    free(text);
    enum status status = OK;
    for (size_t k = 0; plot_kinds[k]; k++) {
        size_t count = plot_kinds[k]->count(source);
        for (size_t i = 0; i < count && i < MAX_TIMELINES && status == OK; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s-%zu", plot_kinds[k]->name, i + 1);
            fputs("reset\nset size 1,0.5\nset origin 0,0.48\n", script); /* the upper half of an upright page */
            status = plot_append(plot_kinds[k], source, i, name, folder, script, error);
        }
    }
    fputs("set output\n", script);
    if (fclose(script) != 0)
        return error_output(error, "cannot write '%s/report.gp': %s", folder, strerror(errno));
    return status;
}

enum status pdf_write(const struct plot_source *source, const char *path, struct error *error)
{
    struct output_folder folder;
    if (output_folder_scratch(&folder, path, error) == FAILED)
        return FAILED;
    struct text made = {0};
    text_format(&made, "%s/report.pdf", folder.temporary);
    enum status status = write_script(source, folder.temporary, error);
    if (status == OK)
        status = plot_run(folder.temporary, "report", -1, error);
    if (status == OK)
        status = output_file_copy(text_string(&made), path, error);
    text_release(&made);
    output_folder_abandon(&folder);
    return status;
}
