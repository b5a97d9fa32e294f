/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option rows made into argp options, and their values into a request. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* Fills the request with defaults, then from argv (argv[0] is shown as the program's name). Exits for --help, --usage and wrong use. */
void request_parse(struct request *request, const struct command *command, int argc, char **argv);
/* What one option alone cannot tell. Usage errors: an empty argument; an output that is one of the inputs, and would destroy it. */
enum status request_check(const struct request *request, struct error *error);
void request_release(struct request *request);

/* Calls back for each option row of a command, group by group. */
typedef void option_visit(const struct option_row *row, void *data);
void options_each(const struct command *command, option_visit *visit, void *data);

#endif
