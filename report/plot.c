/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/output.h"
#include "report/words.h"

extern const struct plot_kind plot_histogram, plot_tail, plot_timeline, plot_samples;
const struct plot_kind *const plot_kinds[] = {&plot_histogram, &plot_tail, &plot_samples, &plot_timeline, NULL};

const struct plot_kind *plot_kind_find(const char *name)
{
    for (size_t i = 0; plot_kinds[i]; i++)
        if (strcmp(plot_kinds[i]->name, name) == 0)
            return plot_kinds[i];
    return NULL;
}

const char *const plot_color[PLOT_N_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

/* Within single quotes gnuplot expands nothing; only the quote itself ends them. */
void text_add_quoted(struct text *text, const char *string)
{
    struct text clean = {0};
    words_clean(string, &clean);
    text_add_char(text, '\'');
    for (const char *p = text_string(&clean); *p; p++) {
        if (*p == '\'')
            text_add_char(text, '\'');
        text_add_char(text, *p == '`' ? '"' : *p);
    }
    text_add_char(text, '\'');
    text_release(&clean);
}

void plot_quote(FILE *file, const char *string)
{
    struct text quoted = {0};
    text_add_quoted(&quoted, string);
    fputs(text_string(&quoted), file);
    text_release(&quoted);
}

struct time_unit plot_unit(double largest_ns)
{
    static const struct time_unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (largest_ns >= units[i].ns * 2)
            return units[i];
    return (struct time_unit){"ns", 1};
}

static const struct {
    unsigned terminal;
    const char *suffix, *setting; /* with width and height */
} terminal_of[] = {
    {PLOT_SVG, "svg", "set terminal svg noenhanced size %d,%d font 'sans-serif,13' background '#ffffff'"},
    {PLOT_PNG, "png", "set terminal pngcairo noenhanced size %d,%d font 'sans-serif,11' background '#ffffff'"},
    {PLOT_PDF, "pdf", "set terminal pdfcairo noenhanced size %d,%d font 'sans-serif,10' background '#ffffff'"},
};

static FILE *create(const char *folder, const char *name, const char *suffix, struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, suffix);
    FILE *file = fopen(text_string(&path), "we");
    if (!file)
        error_output(error, "cannot write '%s': %s", text_string(&path), strerror(errno));
    text_release(&path);
    return file;
}

static enum status close_file(FILE *file, const char *name, struct error *error)
{
    bool bad = ferror(file);
    if (fclose(file) != 0 || bad)
        return error_output(error, "cannot write '%s': %s", name, strerror(errno));
    return OK;
}

enum status plot_run(const char *folder, const char *name, int out_fd, struct error *error)
{
    extern char **environ;
    struct text script = {0};
    text_format(&script, "%s.gp", name);
    char program[] = "gnuplot", defaults[] = "-d";
    char *arguments[] = {program, defaults, script.bytes, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes; /* we may have signals blocked, gnuplot wants them */
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
    if (out_fd >= 0)
        posix_spawn_file_actions_adddup2(&actions, out_fd, 1);
    setenv("LC_ALL", "C.UTF-8", 1); /* names are UTF-8 whatever the user's locale; we format nothing by locale */
    pid_t pid;
    int failure = posix_spawnp(&pid, program, &actions, &attributes, arguments, environ), state = 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    text_release(&script);
    if (failure)
        return error_output(error, "cannot run gnuplot (package gnuplot-nox): %s", strerror(failure));
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return error_output(error, "gnuplot failed on %s.gp", name);
    return OK;
}

static void write_terminals(const struct plot *plot, unsigned terminals)
{
    fputs("\n", plot->script);
    if (terminals & PLOT_DUMB)
        fprintf(plot->script, "set terminal dumb noenhanced size 79,24\nset xlabel offset 0,0\nunset grid\n%s\n", text_string(plot->command));
    for (size_t i = 0; i < sizeof terminal_of / sizeof *terminal_of; i++) {
        if (!(terminals & terminal_of[i].terminal))
            continue;
        bool is_pdf = terminal_of[i].terminal == PLOT_PDF; /* inches */
        char setting[160];
        if (is_pdf)
            snprintf(setting, sizeof setting, "set terminal pdfcairo noenhanced size %.2f,%.2f font 'sans-serif,10'",
                     plot->width_px / 96.0, plot->height_px / 96.0);
        else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(setting, sizeof setting, terminal_of[i].setting, plot->width_px, plot->height_px);
#pragma GCC diagnostic pop
        fprintf(plot->script, "%s\nset output '%s.%s'\n%s\nset output\n", setting, plot->name, terminal_of[i].suffix,
                text_string(plot->command));
    }
}

/* Settings into the script, data into NAME.dat; the plot command stays in plot->command. */
static enum status draw_into(const struct plot_kind *kind, const struct plot_source *source, size_t i, const char *folder,
                             struct plot *plot, struct error *error)
{
    plot->data = create(folder, plot->name, "dat", error);
    if (!plot->data)
        return FAILED;
    fputs("set encoding utf8\nset datafile separator whitespace\n", plot->script);
    kind->draw(source, i, plot);
    return close_file(plot->data, plot->name, error);
}

static enum status write_files(const struct plot_kind *kind, const struct plot_source *source, size_t i,
                               const char *name, const char *folder, unsigned terminals, struct error *error)
{
    struct text command = {0};
    struct plot plot = {.name = name, .width_px = 960, .height_px = 540, .command = &command};
    plot.script = create(folder, name, "gp", error);
    if (!plot.script)
        return FAILED;
    fprintf(plot.script, "# %s; made by whylate %s. Run in this folder: gnuplot %s.gp\n", kind->summary, WHYLATE_VERSION, name);
    enum status status = draw_into(kind, source, i, folder, &plot, error);
    if (status == OK)
        write_terminals(&plot, terminals);
    if (close_file(plot.script, name, error) == FAILED)
        status = FAILED;
    text_release(&command);
    return status;
}

enum status plot_append(const struct plot_kind *kind, const struct plot_source *source, size_t i, const char *name,
                        const char *folder, FILE *script, struct error *error)
{
    struct text command = {0};
    struct plot plot = {.name = name, .width_px = 960, .height_px = 540, .command = &command, .script = script};
    enum status status = draw_into(kind, source, i, folder, &plot, error);
    fprintf(script, "%s\n", text_string(&command));
    text_release(&command);
    return status;
}

enum status plot_write(const struct plot_kind *kind, const struct plot_source *source, size_t i, const char *name,
                       const char *folder, unsigned terminals, struct error *error)
{
    enum status status = write_files(kind, source, i, name, folder, terminals, error);
    return status == OK ? plot_run(folder, name, -1, error) : status;
}

enum status plot_print(const struct plot_kind *kind, const struct plot_source *source, size_t i, FILE *file,
                       struct error *error)
{
    const char *base = getenv("TMPDIR");
    struct text path = {0};
    struct output_folder folder;
    text_format(&path, "%s/whylate-plot", base && *base ? base : "/tmp");
    enum status status = output_folder_scratch(&folder, text_string(&path), error);
    text_release(&path);
    if (status == FAILED)
        return FAILED;
    status = write_files(kind, source, i, "plot", folder.temporary, PLOT_DUMB, error);
    fflush(file);
    if (status == OK)
        status = plot_run(folder.temporary, "plot", fileno(file), error);
    output_folder_abandon(&folder);
    return status;
}
