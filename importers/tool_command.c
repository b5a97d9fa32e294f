/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/tool_command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuset.h"

void tool_command_clear(struct tool_command *command)
{
    *command = (struct tool_command){
        .interval_ns = NS_UNKNOWN, .distance_ns = NS_UNKNOWN, .duration_ns = NS_UNKNOWN, .break_limit_ns = NS_UNKNOWN,
        .priority = PRIO_UNKNOWN, .loops = COUNT_UNKNOWN, .n_threads = -1, .histogram_limit = -1, .oscope = -1,
    };
}

/* Options: their long names, and whether a value follows ('r'equired, 'o'ptional, none). */
static const struct option_name {
    char letter;
    const char *name;
    char value;
} options[] = {
    {'a', "affinity", 'o'}, {'A', "aligned", 'o'}, {'b', "breaktrace", 'r'}, {'c', "clock", 'r'}, {'d', "distance", 'r'},
    {'D', "duration", 'r'}, {'F', "fifo", 'r'}, {'h', "histogram", 'r'}, {'H', "histofall", 'r'}, {'i', "interval", 'r'},
    {'l', "loops", 'r'}, {'m', "mlockall", 0}, {'n', "nanosleep", 0}, {'N', "nsecs", 0}, {'o', "oscope", 'r'},
    {'p', "priority", 'r'}, {'p', "prio", 'r'}, {'y', "policy", 'r'}, {'q', "quiet", 0}, {'S', "smp", 0}, {'t', "threads", 'o'},
    {'T', "tracer", 'r'}, {'O', "traceopt", 'r'}, {'v', "verbose", 0}, {'e', "latency", 'r'}, {1, "smi", 0},
    {2, "tracemark", 0}, {3, "secaligned", 'o'}, {4, "json", 'r'}, {4, "histfile", 'r'}, {4, "mainaffinity", 'r'},
    {4, "spike", 'r'}, {4, "spike-nodes", 'r'}, {4, "output", 'r'},
};

static const struct option_name *find_letter(char letter)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].letter == letter)
            return &options[i];
    return NULL;
}

static const struct option_name *find_name(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static bool is_number(const char *text)
{
    return isdigit((unsigned char)text[0]) || (text[0] == '-' && isdigit((unsigned char)text[1]));
}

/* -D: seconds, or with m, h, d. */
static int64_t duration_option_ns(const char *value)
{
    char *end;
    long n = strtol(value, &end, 10);
    int64_t seconds = *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 1, ns;
    if (n <= 0 || __builtin_mul_overflow(n, seconds * 1000000000, &ns))
        return NS_UNKNOWN;
    return ns;
}

static int64_t microseconds(const char *value)
{
    int64_t ns;
    return is_number(value) && !__builtin_mul_overflow(strtoll(value, NULL, 10), 1000, &ns) && ns >= 0 ? ns : NS_UNKNOWN;
}

static void take_option(struct tool_command *c, char letter, const char *value)
{
    switch (letter) {
    case 'a':
        c->has_affinity = true;
        snprintf(c->affinity, sizeof c->affinity, "%s", value);
        break;
    case 'A': case 3: c->is_aligned = true; break;
    case 'b': c->break_limit_ns = microseconds(value); break;
    case 'c': c->uses_realtime_clock = value[0] == '1'; break;
    case 'd': c->distance_ns = microseconds(value); break;
    case 'D': c->duration_ns = duration_option_ns(value); break;
    case 'H': c->is_histofall = true; /* fall through */
    case 'h':
        if (is_number(value)) {
            c->histogram_limit = strtoll(value, NULL, 10);
            if (c->histogram_limit > 1000000) /* clamped silently by cyclictest */
                c->histogram_limit = 1000000;
        }
        break;
    case 'i': c->interval_ns = microseconds(value); break;
    case 'l':
        if (is_number(value) && strtoll(value, NULL, 10) > 0)
            c->loops = strtoull(value, NULL, 10);
        break;
    case 'm': c->is_mlocked = true; break;
    case 'n': c->uses_nanosleep = true; break;
    case 'N': c->is_nanoseconds = true; break;
    case 'o': c->oscope = is_number(value) ? strtoll(value, NULL, 10) : -1; break;
    case 'p':
        if (is_number(value))
            c->priority = strtoll(value, NULL, 10);
        break;
    case 'y': c->policy = policy_from_name(value); break;
    case 'q': c->is_quiet = true; break;
    case 'S': c->is_smp = true; break;
    case 't': c->n_threads = is_number(value) ? strtoll(value, NULL, 10) : 0; break;
    case 'v': c->is_verbose = true; break;
    case 1: c->is_smi = true; break;
    case 2: c->is_tracemark = true; break;
    default: break;
    }
}

/* Splits at blanks; quotes are kept out of the words. Returns how many. */
static size_t split_words(char *text, char **words, size_t max)
{
    size_t n = 0;
    for (char *p = text; *p && n < max;) {
        while (*p == ' ' || *p == '\t')
            *p++ = '\0';
        if (!*p)
            break;
        char *out = p;
        words[n++] = out;
        for (char quote = 0; *p && (quote || (*p != ' ' && *p != '\t')); p++) {
            if (quote ? *p == quote : *p == '"' || *p == '\'' || *p == '`') {
                quote = quote ? 0 : *p;
                if (quote == '`')
                    quote = 0;
            } else {
                *out++ = *p;
            }
        }
        char *next = *p ? p + 1 : p;
        *out = '\0';
        p = next;
    }
    return n;
}

static void read_options(struct tool_command *command, char **words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *word = words[i];
        if (word[0] != '-') {
            if (strpbrk(word, "|;&<>"))
                break; /* another command */
            continue;
        }
        if (word[1] == '-') {
            size_t length = strcspn(word + 2, "=");
            const struct option_name *option = find_name(word + 2, length);
            const char *value = word[2 + length] == '=' ? word + 2 + length + 1 : "";
            if (!option)
                continue;
            if (!*value && option->value && i + 1 < n && words[i + 1][0] != '-' && (option->value == 'r' || is_number(words[i + 1])))
                value = words[++i];
            take_option(command, option->letter, value);
            continue;
        }
        for (const char *letter = word + 1; *letter; letter++) {
            const struct option_name *option = find_letter(*letter);
            if (!option || !option->value) {
                take_option(command, *letter, "");
                continue;
            }
            const char *value = letter + 1;
            /* "-smp -p 80": the value of this p would be "-p": a slip, not a value. */
            if (!*value && i + 1 < n && words[i + 1][0] != '-' && (option->value == 'r' || is_number(words[i + 1])))
                value = words[++i];
            take_option(command, *letter, value);
            break;
        }
    }
}

/* Where the command begins: after the last prompt sign before the tool's name, else at the name. */
static const char *command_begin(const char *text, const char *name)
{
    for (const char *p = name; p > text + 1; p--)
        if (p[-1] == ' ' && (p[-2] == '$' || p[-2] == '#' || p[-2] == '>' || p[-2] == '%'))
            return p;
    return name;
}

/* "latency (cyclictest -p80):", the bracket of ASCII or the wide one. */
static bool is_bracket(const char *text, const char *begin)
{
    return begin[-1] == '(' || (begin - text >= 3 && memcmp(begin - 3, "\xef\xbc\x88", 3) == 0);
}

/*
 * Where the command ends: at another one ("; ", "&", "&&"), where Markdown's code ends, or at the quote that it began
 * or bracket that it began with. A pipe and a redirection stay with it, as typed.
 */
static const char *command_end(const char *text, const char *begin, const char *p, const char *end)
{
    char quote = begin > text && strchr("\"'`", begin[-1]) ? begin[-1] : '`';
    if (begin > text && is_bracket(text, begin))
        quote = ')';
    for (char open = 0, n_open = 0; p < end; p++) {
        n_open = (char)(n_open + (*p == '(' && n_open < 100));
        if (*p == ')' && n_open-- == 0) /* of "run a load (e.g. cyclictest -p 80)" */
            break;
        if (quote == ')' && end - p >= 3 && memcmp(p, "\xef\xbc\x89", 3) == 0) /* the wide bracket of Chinese */
            break;
        if (open) {
            open = *p == open ? 0 : open;
        } else if (*p == quote || *p == '`' || (*p == ';' && (p + 1 == end || p[1] == ' '))) {
            break;
        } else if (*p == '&' && p[-1] != '>' && p[-1] != '|' && !(p + 1 < end && p[1] == '>')) {
            break;
        } else if (*p == '"' || *p == '\'') {
            open = *p;
        }
    }
    while (p > begin && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    return p;
}

static bool asks_for_help(const char *p, const char *end)
{
    static const char *const names[] = {"--help", "--version", "-?"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (memmem(p, (size_t)(end - p), names[i], strlen(names[i])))
            return true;
    return false;
}

static bool has_letters(const char *p, const char *end)
{
    while (p < end && !isalpha((unsigned char)*p))
        p++;
    return p < end;
}

/* "see `cyclictest -N`, it prints ns", but not "`cyclictest -N` printed:" */
static bool is_mentioned(const char *text, const char *begin, const char *end, const char *text_end)
{
    while (text_end > end && text_end[-1] == ' ')
        text_end--;
    return begin > text && begin[-1] == '`' && text_end > end && *end == '`' && text_end[-1] != ':' &&
           (has_letters(text, begin) || has_letters(end, text_end));
}

bool tool_command_find(const char *text, size_t length, const char *tool, struct tool_command *command)
{
    size_t n_name = strlen(tool);
    const char *const text_end = text + length;
    for (const char *p = text, *end = text_end; p < end;) {
        const char *name = memmem(p, (size_t)(end - p), tool, n_name);
        if (!name)
            return false;
        p = name + n_name;
        const char *word = name;
        while (word > text && !strchr(" \t`\"'", word[-1]) && !is_bracket(text, word))
            word--;
        if (name > word && name[-1] != '/')
            continue;
        const char *after = p;
        if (!scan_blanks(&after, end) || end - after < 2 || after[0] != '-' || !(isalpha((unsigned char)after[1]) || after[1] == '-'))
            continue;
        const char *command_stop = command_end(text, word, after, end);
        if (asks_for_help(after, command_stop))
            continue;
        tool_command_clear(command);
        const char *begin = command_begin(text, word);
        end = command_stop;
        command->is_mention = is_mentioned(text, word, end, text_end);
        snprintf(command->text, sizeof command->text, "%.*s", (int)(end - begin < 1000 ? end - begin : 1000), begin);
        char copy[COMMAND_BYTES];
        char *words[128];
        snprintf(copy, sizeof copy, "%.*s", (int)(end - after < 1000 ? end - after : 1000), after);
        read_options(command, words, split_words(copy, words, 128));
        return true;
    }
    return false;
}

static void fact(struct import *import, const char *tool, const char *name, const char *value)
{
    char key[128];
    snprintf(key, sizeof key, "%s.%s", tool, name);
    import_fact(import, key, "%s", value);
}

static void number_fact(struct import *import, const char *tool, const char *name, int64_t value, int64_t unknown)
{
    char text[32];
    if (value == unknown)
        return;
    snprintf(text, sizeof text, "%lld", (long long)value);
    fact(import, tool, name, text);
}

void tool_command_facts(struct import *import, const char *tool, const struct tool_command *c)
{
    if (!tool_command_is_known(c))
        return;
    int64_t unit_ns = c->is_nanoseconds ? 1 : 1000;
    fact(import, tool, "command", c->text);
    number_fact(import, tool, "interval_ns", c->interval_ns, NS_UNKNOWN);
    number_fact(import, tool, "distance_ns", c->distance_ns, NS_UNKNOWN);
    number_fact(import, tool, "duration_ns", c->duration_ns, NS_UNKNOWN);
    number_fact(import, tool, "break_limit_ns", c->break_limit_ns, NS_UNKNOWN);
    number_fact(import, tool, "priority", c->priority, PRIO_UNKNOWN);
    number_fact(import, tool, "loops", (int64_t)c->loops, (int64_t)COUNT_UNKNOWN);
    if (c->n_threads > 0)
        number_fact(import, tool, "threads", c->n_threads, -1);
    if (c->histogram_limit >= 0)
        number_fact(import, tool, "histogram_limit_ns", c->histogram_limit * unit_ns, -1);
    if (policy_name(c->policy))
        fact(import, tool, "policy", policy_name(c->policy));
    if (c->has_affinity)
        fact(import, tool, "affinity", c->affinity[0] ? c->affinity : "each thread its own CPU");
    if (c->is_smp)
        fact(import, tool, "affinity", "each thread its own CPU");
    if (c->is_mlocked)
        fact(import, tool, "mlockall", "1");
    if (c->uses_realtime_clock)
        fact(import, tool, "clock", "realtime");
    if (c->is_tracemark)
        fact(import, tool, "tracemark", "1");
}

int32_t tool_command_cpu(const struct tool_command *command, int64_t thread)
{
    if (!tool_command_is_known(command) || thread < 0 || thread >= CPUSET_MAX)
        return CPU_UNKNOWN;
    if (command->has_affinity && command->affinity[0]) {
        struct cpuset set;
        memset(&set, 0, sizeof set);
        size_t n;
        if (!cpuset_parse(command->affinity, &set) || (n = cpuset_count(&set)) == 0)
            return CPU_UNKNOWN;
        size_t wanted = (size_t)thread % n;
        for (int cpu = 0; cpu < CPUSET_MAX; cpu++)
            if (cpuset_has(&set, cpu) && wanted-- == 0)
                return cpu;
    }
    return command->is_smp || command->has_affinity ? (int32_t)thread : CPU_UNKNOWN;
}
