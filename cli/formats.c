/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>

#include "cli/session.h"
#include "report/json.h"
#include "report/page.h"

static const struct option_row *const options[] = {options_answer, NULL};

static void print_json(void)
{
    json_t *formats = json_array();
    for (size_t i = 0; importers[i]; i++)
        json_array_append_new(formats, json_pack("{s:o, s:o, s:o}", "name", json_word(importers[i]->name), "summary",
                                                 json_word(importers[i]->summary), "reads", json_word(importers[i]->reads)));
    json_t *document = json_pack("{s:s, s:s, s:s, s:o}", "schema", "whylate/1", "command", "formats", "version",
                                 WHYLATE_VERSION, "formats", formats);
    json_write(document, stdout);
    json_decref(document);
}

static void print_text(void)
{
    static const struct table_column columns[] = {{.title = "format"}, {.title = "what it is", .wraps = true}};
    const struct page page = {.file = stdout};
    struct table *table = table_new(columns, 2);
    for (size_t i = 0; importers[i]; i++) {
        table_cell(table, importers[i]->name);
        table_cell(table, importers[i]->summary);
    }
    table_print(table, &page, 0);
    table_free(table);
    fputs("\nRead from files, directories, archives (tar, zip, 7z), gzip, xz, bzip2 and zstd,\n"
          "standard input (-), and out of mails: quoted, wrapped, with prose around.\n",
          stdout);
}

static int run(struct request *request, struct error *error)
{
    if (request->json)
        print_json();
    else if (!request->quiet)
        print_text();
    return stdout_finish(error) == FAILED ? EXIT_OUTPUT : 0;
}

const struct command command_formats = {
    .name = "formats",
    .summary = "which formats can be read",
    .arguments = "",
    .min_words = 0,
    .max_words = 0,
    .description = "Lists the formats that can be read; --json also says which versions and forms of each.",
    .jobs = 0,
    .options = options,
    .run = run,
};
