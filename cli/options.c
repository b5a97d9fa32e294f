/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <argp.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/duration.h"
#include "base/text.h"

#define ROW(name_, letter_, argument_, type_, member_, help_)                                                \
    {.name = name_, .letter = letter_, .argument = argument_, .type = type_,                                 \
     .offset = offsetof(struct request, member_), .help = help_}
#define END {.name = NULL}
#define GATES "fail-above fail-verdict fail-regression"

const struct option_row options_input[] = {
    ROW("input-format", 0, "NAME", OPTION_TEXT, import.format, "read the inputs as this format (see whylate formats); run files are what they are"),
    ROW("same-run", 0, NULL, OPTION_FLAG, import.same_run, "all INPUTs belong to one run; run files keep theirs"),
    ROW("set", 0, "KEY=VALUE", OPTION_SETTING, settings, "state a fact that the files lack, e.g. "
        "cyclictest.interval_ns=200000; may be repeated"),
    END,
};
const struct option_row options_answer[] = {
    ROW("json", 0, NULL, OPTION_FLAG, json, "one JSON document on standard output"),
    ROW("quiet", 'q', NULL, OPTION_FLAG, quiet, "no text and no progress: the exit code alone answers"),
    ROW("no-color", 0, NULL, OPTION_FLAG, no_color, "no colours, even on a terminal (so does the variable NO_COLOR)"),
    END,
};
const struct option_row options_plot[] = {
    {.name = "plot", .type = OPTION_FLAG, .offset = offsetof(struct request, plot), .excludes = "json quiet tap",
     .help = "also draw the distribution in the terminal (needs gnuplot)"},
    END,
};
const struct option_row options_quiet[] = {
    ROW("quiet", 'q', NULL, OPTION_FLAG, quiet, "say nothing but errors, and show no progress"),
    END,
};
const struct option_row options_selection[] = {
    ROW("top", 'n', "N", OPTION_COUNT, analysis.top, "explain the N worst (default 10), or \"all\""),
    ROW("threshold", 0, "DUR", OPTION_DURATION, analysis.threshold_ns, "only what took longer than this, e.g. 150us"),
    ROW("task", 0, "COMM|TID", OPTION_TEXT, analysis.task, "only wakeups of this task"),
    ROW("cpu", 0, "LIST", OPTION_CPUS, analysis.cpus, "only on these CPUs, e.g. 0-3,8"),
    ROW("max-slices", 0, "N", OPTION_COUNT, analysis.max_slices, "at most N slices for each outlier (default 10000)"),
    END,
};
const struct option_row options_tail[] = {
    ROW("tail-threshold", 0, "DUR", OPTION_DURATION, analysis.tail_threshold_ns,
        "where the tail begins that is fitted (default: chosen from the data)"),
    ROW("confidence", 0, "PCT", OPTION_PERCENT, analysis.confidence_pct, "how sure intervals and tests are, in percent (default 95)"),
    END,
};
const struct option_row options_gates[] = {
    ROW("fail-above", 0, "DUR", OPTION_DURATION, fail_above_ns, "exit 1 if a maximum is above this"),
    {.name = "junit", .argument = "FILE", .type = OPTION_TEXT, .offset = offsetof(struct request, junit), .needs = GATES,
     .help = "write the limits' results as JUnit XML"},
    {.name = "tap", .type = OPTION_FLAG, .offset = offsetof(struct request, tap), .needs = GATES, .excludes = "json",
     .help = "print the limits' results as TAP instead of text"},
    END,
};
const struct option_row options_gate_verdict[] = {
    ROW("fail-verdict", 0, "VERDICT", OPTION_TEXT, fail_verdict,
        "exit 1 if a verdict is this or worse, e.g. suspect"),
    END,
};
const struct option_row options_file[] = {
    ROW("output", 'o', "FILE", OPTION_TEXT, output, "where to write; nothing half-written is left behind"),
    END,
};

void options_each(const struct command *command, option_visit *visit, void *data)
{
    for (const struct option_row *const *group = command->options; *group; group++)
        for (const struct option_row *row = *group; row->name; row++)
            visit(row, data);
}

/* ---- values ---- */

static const char *add_setting(struct request *request, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument)
        return "is not of the form KEY=VALUE";
    request->settings = memory_resize(request->settings, request->import.n_settings + 1, sizeof *request->settings);
    request->settings[request->import.n_settings++] = argument;
    request->import.settings = request->settings;
    return NULL;
}

static const char *add_factors(struct request *request, char *argument)
{
    if (argument[strspn(argument, ",")] == '\0')
        return "names no condition";
    for (char *word = strtok(argument, ","); word; word = strtok(NULL, ",")) {
        request->factors = memory_resize(request->factors, request->analysis.n_factors + 1, sizeof *request->factors);
        request->factors[request->analysis.n_factors++] = word;
    }
    request->analysis.factors = request->factors;
    return NULL;
}

static bool parse_unsigned(const char *text, uint64_t max, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || n > max)
        return false;
    *value = n;
    return true;
}

static bool parse_percent(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (*end == '%')
        end++;
    return end != text && !*end && isfinite(*value) && *value >= 0;
}

/* NULL, or what is wrong with the argument. */
static const char *set_value(struct request *request, const struct option_row *row, char *argument)
{
    void *member = (char *)request + row->offset;
    uint64_t n;
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return NULL;
    case OPTION_TEXT:
        *(const char **)member = argument;
        return NULL;
    case OPTION_DURATION:
        return duration_parse(argument, member) && *(int64_t *)member >= 0 ? NULL : "is no duration (write 150us, 1.2ms)";
    case OPTION_COUNT:
        if (strcmp(argument, "all") == 0)
            n = SIZE_MAX;
        else if (!parse_unsigned(argument, SIZE_MAX, &n) || n == 0)
            return "is no count (1, 2, ... or all)";
        *(size_t *)member = (size_t)n;
        return NULL;
    case OPTION_INDEX:
        if (!parse_unsigned(argument, UINT32_MAX - 1, &n))
            return "is no index (the first is 0)";
        *(uint32_t *)member = (uint32_t)n;
        return NULL;
    case OPTION_NUMBER:
        if (!parse_unsigned(argument, INT32_MAX, &n) || n == 0)
            return "is no number (the first is 1)";
        *(int64_t *)member = (int64_t)n;
        return NULL;
    case OPTION_PERCENT:
        return parse_percent(argument, member) && *(double *)member > 0 && *(double *)member < 100 ? NULL : "is no percentage between 0 and 100";
    case OPTION_INCREASE:
        return parse_percent(argument, member) ? NULL : "is no percentage";
    case OPTION_CPUS:
        request->analysis.has_cpus = true;
        return cpuset_parse(argument, &request->analysis.cpus) ? NULL : "is no list of CPUs (write 0-3,8)";
    case OPTION_SETTING:
        return add_setting(request, argument);
    case OPTION_FACTORS:
        return add_factors(request, argument);
    }
    return "cannot be set";
}

/* ---- argp ---- */

#define KEY_BASE 0x1000 /* keys of options without a letter: KEY_BASE + position */

struct option_list {
    const struct option_row *rows[64];
    size_t n;
    struct request *request;
};

static void collect(const struct option_row *row, void *data)
{
    struct option_list *list = data;
    if (list->n < sizeof list->rows / sizeof *list->rows)
        list->rows[list->n++] = row;
}

/* Where the option of a key stands in the list; list->n: nowhere. */
static size_t place_of_key(const struct option_list *list, int key)
{
    size_t i = 0;
    while (i < list->n && key != (list->rows[i]->letter ? list->rows[i]->letter : KEY_BASE + (int)i))
        i++;
    return i;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct option_list *list = state->input;
    struct request *request = list->request;
    const struct command *command = request->command;
    if (key == ARGP_KEY_ARG) {
        if (request->n_words == command->max_words)
            argp_error(state, "too many arguments: '%s'", argument);
        request->words = memory_resize(request->words, request->n_words + 1, sizeof *request->words);
        request->words[request->n_words++] = argument;
        return 0;
    }
    if (key == 'h')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    if (key == ARGP_KEY_END) {
        if (request->n_words < command->min_words)
            argp_error(state, "needs %s", command->arguments);
        return 0;
    }
    size_t place = place_of_key(list, key);
    if (place == list->n)
        return ARGP_ERR_UNKNOWN;
    const struct option_row *row = list->rows[place];
    request->given |= UINT64_C(1) << place;
    char *copy = row->type == OPTION_FACTORS ? memory_string(argument) : NULL; /* error texts show it whole */
    const char *wrong = set_value(request, row, argument);
    if (wrong)
        argp_error(state, "--%s: '%s' %s", row->name, copy ? copy : argument, wrong);
    free(copy);
    return 0;
}

/* Description, then after \v the examples: as argp wants its doc string. */
static void add_documentation(const struct command *command, struct text *text)
{
    text_format(text, "%s", command->description);
    if (!command->examples)
        return;
    text_add(text, "\vExamples:\n\n");
    for (const char *p = command->examples; *p;) {
        size_t length = strcspn(p, "\n");
        text_format(text, "  %.*s\n", (int)length, p);
        p += length + (p[length] == '\n');
    }
}

void request_parse(struct request *request, const struct command *command, int argc, char **argv)
{
    memset(request, 0, sizeof *request);
    request->command = command;
    request->analysis = analysis_options_default;
    request->analysis.jobs = command->jobs;
    request->fail_above_ns = request->context_ns = NS_UNKNOWN;
    request->series = ROW_NONE;
    request->fail_regression_pct = NAN;

    struct option_list list = {.request = request};
    options_each(command, collect, &list);
    struct argp_option options[sizeof list.rows / sizeof *list.rows + 2] = {0};
    for (size_t i = 0; i < list.n; i++)
        options[i] = (struct argp_option){
            .name = list.rows[i]->name,
            .key = list.rows[i]->letter ? list.rows[i]->letter : KEY_BASE + (int)i,
            .arg = list.rows[i]->argument,
            .doc = list.rows[i]->help,
        };
    options[list.n] = (struct argp_option){.key = 'h', .flags = OPTION_HIDDEN}; /* as whylate -h: --help */
    struct text documentation = {0};
    add_documentation(command, &documentation);
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = command->arguments,
        .doc = text_string(&documentation),
    };
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &list);
    text_release(&documentation);
    if (request->outlier > 0 && request->analysis.top < (size_t)request->outlier)
        request->analysis.top = (size_t)request->outlier;
    request->import.quiet = request->analysis.quiet = request->quiet;
}

/* ---- options together ---- */

static bool is_given(const struct request *request, const struct option_list *list, const struct option_row *row)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->rows[i] == row)
            return request->given >> i & 1;
    return false;
}

const struct option_row *request_given(const struct request *request, const struct option_row *group)
{
    struct option_list list = {0};
    options_each(request->command, collect, &list);
    for (const struct option_row *row = group; row->name; row++)
        if (is_given(request, &list, row))
            return row;
    return NULL;
}

/* The first of the words ("a b") that is an option given; names gets those that the command has: "--a or --b". */
static const struct option_row *given_of_words(const struct request *request, const struct option_list *list, const char *words,
                                               struct text *names)
{
    for (const char *word = words; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        for (size_t i = 0; i < list->n; i++) {
            const struct option_row *row = list->rows[i];
            if (strlen(row->name) != length || strncmp(row->name, word, length) != 0)
                continue;
            if (request->given >> i & 1)
                return row;
            text_format(names, "%s--%s", names->length ? " or " : "", row->name);
        }
        word += length;
    }
    return NULL;
}

/* An option that would do nothing beside the others given, or without them, is refused: its user expects something. */
static enum status check_together(const struct request *request, struct error *error)
{
    struct option_list list = {0};
    enum status status = OK;
    options_each(request->command, collect, &list);
    for (size_t i = 0; i < list.n && status == OK; i++) {
        const struct option_row *row = list.rows[i], *other;
        struct text names = {0};
        if (!(request->given >> i & 1))
            continue;
        if (row->excludes && (other = given_of_words(request, &list, row->excludes, &names)))
            status = error_usage(error, "--%s and --%s exclude each other", row->name, other->name);
        text_truncate(&names, 0);
        if (status == OK && row->needs && !given_of_words(request, &list, row->needs, &names))
            status = error_usage(error, "--%s needs %s", row->name, text_string(&names));
        text_release(&names);
    }
    return status;
}

/* One regular file under two names is the same: compared by device and number. */
static enum status check_output(const struct request *request, const char *output, struct error *error)
{
    struct stat out, in;
    if (!output || strcmp(output, "-") == 0 || stat(output, &out) != 0 || !S_ISREG(out.st_mode))
        return OK;
    for (size_t i = 0; i < request->n_words; i++)
        if (stat(request->words[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return error_usage(error, "'%s' is an input: it would be overwritten", output);
    return OK;
}

enum status request_check(const struct request *request, struct error *error)
{
    for (size_t i = 0; i < request->n_words; i++)
        if (!*request->words[i]) /* "$file" of a script that did not set it */
            return error_usage(error, "an argument is empty");
    if (check_together(request, error) == FAILED || check_output(request, request->output, error) == FAILED)
        return FAILED;
    return check_output(request, request->junit, error);
}

void request_release(struct request *request)
{
    free(request->words);
    free(request->settings);
    free(request->factors);
}
