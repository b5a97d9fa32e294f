/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All commands, in the order in which help shows them. */
#include <string.h>

#include "cli/command.h"

extern const struct command command_import, command_info, command_explain, command_validate, command_compare,
    command_check, command_formats, command_plot, command_report, command_export, command_merge, command_cut, command_docs;

const struct command *const commands[] = {
    &command_info, &command_explain, &command_validate, &command_compare, &command_report, &command_plot,
    &command_check, &command_import, &command_export, &command_merge,
    &command_cut, &command_formats, &command_docs, NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}
