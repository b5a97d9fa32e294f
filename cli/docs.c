/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whylate docs man [COMMAND] | findings | completion: what docs/docs.mk makes the manual pages, docs/findings.md and the
 * shell completion from. Not shown in help.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/session.h"
#include "report/sentences.h"

/* Text as troff wants it: a leading dot or quote, backslashes and hyphens protected. */
static void man_text(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++)
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
}

static void man_name(const char *name)
{
    printf("whylate\\-%s", name);
}

static void man_option(const struct option_row *row, void *data)
{
    (void)data;
    fputs(".TP\n\\fB", stdout);
    if (row->letter)
        printf("\\-%c\\fR, \\fB", row->letter);
    fputs("\\-\\-", stdout);
    man_text(row->name);
    fputs("\\fR", stdout);
    if (row->argument) {
        fputs("=\\fI", stdout);
        man_text(row->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    man_text(row->help);
    putchar('\n');
}

static void man_exit_codes(void)
{
    static const char *const code[] = {"done", "a limit that the user stated was exceeded", "wrong use",
                                       "input not readable or not understood; nothing was written", "output not writable"};
    fputs(".SH EXIT STATUS\n", stdout);
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        printf(".TP\n%zu\n%s\n", i, code[i]);
}

static void man_head(const char *name)
{
    fputs(".\\\" Made by `make docs` from the rows in cli/: change those.\n.TH \"", stdout);
    for (const char *p = name; *p; p++)
        putchar(toupper((unsigned char)*p));
    printf("\" 1 \"\" \"whylate %s\" \"User Commands\"\n.SH NAME\n", WHYLATE_VERSION);
}

static void man_command(const struct command *command)
{
    char name[64];
    snprintf(name, sizeof name, "whylate-%s", command->name);
    man_head(name);
    man_name(command->name);
    fputs(" \\- ", stdout);
    man_text(command->summary);
    printf("\n.SH SYNOPSIS\n.B whylate %s\n[\\fIOPTION\\fR...] ", command->name);
    man_text(command->arguments);
    fputs("\n.SH DESCRIPTION\n", stdout);
    man_text(command->description);
    fputs("\n.SH OPTIONS\n", stdout);
    options_each(command, man_option, NULL);
    if (command->examples) {
        fputs(".SH EXAMPLES\n.nf\n", stdout);
        for (const char *p = command->examples; *p;) {
            char line[256];
            size_t length = strcspn(p, "\n");
            snprintf(line, sizeof line, "%.*s", (int)length, p);
            man_text(line);
            putchar('\n');
            p += length + (p[length] == '\n');
        }
        fputs(".fi\n", stdout);
    }
    man_exit_codes();
    fputs(".SH SEE ALSO\n.BR whylate (1)\n", stdout);
}

static void man_program(void)
{
    man_head("whylate");
    fputs("whylate \\- why a real\\-time Linux latency was too long, from files alone\n"
          ".SH SYNOPSIS\n.B whylate\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] \\fIINPUT\\fR...\n.SH DESCRIPTION\n"
          "whylate reads what latency tools and tracers wrote and answers three questions: why it was late, whether a\n"
          "maximum is true, and whether two runs differ. An INPUT is a file, a directory or archive, a run file made by\n"
          "\\fBwhylate import\\fR, or \\- for standard input. Durations are written with units: 150us, 1.2ms.\n"
          ".SH COMMANDS\n",
          stdout);
    for (size_t i = 0; commands[i]; i++) {
        if (!commands[i]->summary)
            continue;
        fputs(".TP\n.BR ", stdout);
        man_name(commands[i]->name);
        fputs(" (1)\n", stdout);
        man_text(commands[i]->summary);
        putchar('\n');
    }
    man_exit_codes();
    fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nno colours in text\n.TP\nTMPDIR\nwhere the temporary run file of raw inputs is made\n",
          stdout);
}

static void completion_option(const struct option_row *row, void *data)
{
    (void)data;
    printf(" --%s", row->name);
}

static void completion(void)
{
    fputs("# bash completion for whylate, made by `make docs` from the rows in cli/: change those.\n"
          "_whylate()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} options\n    case ${COMP_WORDS[1]} in\n",
          stdout);
    for (size_t i = 0; commands[i]; i++) {
        if (!commands[i]->summary)
            continue;
        printf("    %s) options='--help", commands[i]->name);
        options_each(commands[i], completion_option, NULL);
        fputs("' ;;\n", stdout);
    }
    fputs("    esac\n    if [ \"$COMP_CWORD\" = 1 ]; then\n        options='--help --version", stdout);
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->summary)
            printf(" %s", commands[i]->name);
    fputs("'\n    elif [[ $word != -* ]]; then\n        return\n    fi\n"
          "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n}\n"
          "complete -o default -F _whylate whylate\n",
          stdout);
}

static int run(struct request *request, struct error *error)
{
    const char *what = request->words[0], *name = request->n_words > 1 ? request->words[1] : NULL;
    const struct command *command = name ? command_find(name) : NULL;
    if (strcmp(what, "man") == 0 && name && command && command->summary)
        man_command(command);
    else if (strcmp(what, "man") == 0 && !name)
        man_program();
    else if (strcmp(what, "commands") == 0)
        for (size_t i = 0; commands[i]; i++)
            fputs(commands[i]->summary ? commands[i]->name : "", stdout), fputs(commands[i]->summary ? "\n" : "", stdout);
    else if (strcmp(what, "findings") == 0)
        sentences_document(stdout);
    else if (strcmp(what, "completion") == 0)
        completion();
    else
        return error_usage(error, "docs: unknown '%s'", name ? name : what), EXIT_USAGE;
    return stdout_finish(error) == FAILED ? EXIT_OUTPUT : 0;
}

static const struct option_row *const options[] = {NULL};
const struct command command_docs = {
    .name = "docs",
    .summary = NULL,
    .arguments = "man|findings|completion|commands [COMMAND]",
    .min_words = 1,
    .max_words = 2,
    .description = "Prints what the project's own documents are made from.",
    .options = options,
    .run = run,
};
