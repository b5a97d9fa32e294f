/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "report/words.h"

static void print_help(FILE *file)
{
    fputs("Usage: whylate COMMAND INPUT... [OPTION...]\n\n"
          "Explains, from files, why a real-time Linux latency was too long, whether a\n"
          "maximum is true, and whether two runs differ.\n\nCommands:\n",
          file);
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->summary)
            fprintf(file, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nINPUT is any file the tools wrote (cyclictest, rtla, ftrace, trace.dat, Xenomai\n"
          "...), a directory or archive of them, a run file made by import, or - for\n"
          "standard input.\n"
          "whylate COMMAND --help tells the rest; exit codes: 0 done, 1 a stated limit was\n"
          "exceeded, 2 wrong use, 3 input not understood, 4 output not writable.\n",
          file);
}

static int wrong_use(const char *problem, const char *subject)
{
    const char *near = subject ? suggest_command(subject) : NULL;
    fprintf(stderr, "whylate: %s%s%s%s", problem, subject ? " '" : "", subject ? subject : "", subject ? "'" : "");
    if (near)
        fprintf(stderr, ", did you mean '%s'?", near);
    fputs("\nTry 'whylate --help'.\n", stderr);
    return EXIT_USAGE;
}

/*
 * Closed standard descriptors (>&-) must stay of no use: else the next file that is opened gets their number, and what is
 * printed lands in it. Each is held by one that cannot do what it is for.
 */
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            exit(EXIT_OUTPUT);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct request request;
    struct error error = {0};
    struct text name = {0};
    text_format(&name, "whylate %s", command->name);
    argv[0] = name.bytes; /* what argp calls the program in usage and errors */
    request_parse(&request, command, argc, argv);
    int code = request_check(&request, &error) == FAILED ? EXIT_USAGE : command->run(&request, &error);
    if (error.kind != ERROR_NONE) {
        struct text clean = {0}; /* file names and words out of files stand in it */
        words_clean(error.text, &clean);
        fprintf(stderr, "whylate: %s\n", text_string(&clean));
        text_release(&clean);
        code = error_exit_code(&error);
    }
    request_release(&request);
    text_release(&name);
    return code;
}

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    temporary_watch_signals();
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts("whylate " WHYLATE_VERSION);
        return fflush(stdout) == 0 ? 0 : EXIT_OUTPUT;
    }
    const struct command *command = command_find(word);
    bool wants_help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (wants_help && argc > 2 && (command = command_find(argv[2]))) {
        char help[] = "--help", *arguments[] = {argv[0], help, NULL};
        return run_command(command, 2, arguments);
    }
    if (wants_help) {
        print_help(stdout);
        return fflush(stdout) == 0 ? 0 : EXIT_OUTPUT;
    }
    if (command)
        return run_command(command, argc - 1, argv + 1);
    return word[0] == '-' ? wrong_use("unknown option", word) : wrong_use("unknown command", word);
}
