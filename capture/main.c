/* SPDX-License-Identifier: GPL-3.0-or-later */
/* whylate-capture: the command line. */
#include <argp.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __COBALT__
#include <xenomai/init.h>
#endif

#include "base/duration.h"
#include "base/text.h"
#include "capture/check.h"
#include "capture/outliers.h"
#include "capture/session.h"
#include "capture/trace.h"

enum {
    OPTION_POLICY = 256, OPTION_SLEEP, OPTION_START, OPTION_DMA, OPTION_KEEP, OPTION_TRACE, OPTION_BUFFER, OPTION_CLOCK,
    OPTION_HELPER, OPTION_RING, OPTION_NO_COUNTERS, OPTION_LOAD, OPTION_LOAD_CMD, OPTION_REQUIRE
};

static const struct argp_option rows[] = {
    {"output", 'o', "DIR", 0, "The bundle to make (default: whylate-SECONDS)", 0},
    {"cpus", 'c', "LIST", 0, "CPUs to measure, one thread each (default: all that are allowed)", 0},
    {"interval", 'i', "DUR", 0, "Period, 20us and up (default: 1ms)", 0},
    {"duration", 'd', "DUR", 0, "How long (default: until a signal)", 0},
    {"loops", 'l', "N", 0, "How many samples per thread", 0},
    {"priority", 'p', "N", 0, "Priority 1..99 (default: 95)", 0},
    {"policy", OPTION_POLICY, "NAME", 0, "fifo, rr, deadline or other (default: fifo)", 0},
    {"sleep", OPTION_SLEEP, "HOW", 0, "nanosleep, timerfd or busy (default: nanosleep)", 0},
    {"start", OPTION_START, "HOW", 0, "Threads start staggered or aligned (default: staggered)", 0},
    {"dma-latency", OPTION_DMA, "US", 0, "Hold /dev/cpu_dma_latency at US; -1: leave it alone (default: 0)", 0},
    {"threshold", 't', "DUR", 0, "What is an outlier: a latency above DUR, `max` (each new maximum), or `worst` (one among the N worst so far) (default: max)", 0},
    {"keep", OPTION_KEEP, "N", 0, "Keep the traces of the N worst outliers; the mildest goes (default: 10)", 0},
    {"trace", OPTION_TRACE, "WHAT", 0, "off, low, full, function, or systems: sched,irq,timer:hrtimer_start (default: low)", 0},
    {"buffer", OPTION_BUFFER, "KB", 0, "Trace buffer per CPU (default: 2048)", 0},
    {"clock", OPTION_CLOCK, "NAME", 0, "Trace clock (default: mono)", 0},
    {"helper-cpu", OPTION_HELPER, "CPU", 0, "Where samples are drained and traces saved (default: not on measured CPUs)", 0},
    {"ring", OPTION_RING, "N", 0, "Samples that wait per thread, a power of two (default: 65536)", 0},
    {"no-counters", OPTION_NO_COUNTERS, NULL, 0, "Read no hardware counters", 0},
    {"load", OPTION_LOAD, "LIST", 0, "Load beside the measurement: dd, hackbench, timers, disk, net-loopback, memory:SIZE", 0},
    {"load-cmd", OPTION_LOAD_CMD, "CMD", 0, "Load beside the measurement: a shell command, ended with the run", 0},
    {"require", OPTION_REQUIRE, "LIST", 0, "Measure only if these conditions of `check` are good: isolation,governor,...", 0},
    {"quiet", 'q', NULL, 0, "No progress line", 0},
    {0},
};

static enum status parse_word(const char *text, const char *const *words, int *value)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) {
            *value = i;
            return OK;
        }
    return FAILED;
}

static bool parse_number(const char *text, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    *value = number;
    return end != text && !*end && number >= low && number <= high;
}

/* What and how to measure; false: another option's key. */
static bool parse_measurement(struct capture_options *options, int key, char *argument, struct argp_state *state)
{
    static const char *const policies[] = {"fifo", "rr", "deadline", "other", NULL};
    static const int policy_numbers[] = {SCHED_FIFO, SCHED_RR, SCHED_DEADLINE, SCHED_OTHER};
    static const char *const sleeps[] = {"nanosleep", "timerfd", "busy", NULL};
    static const char *const starts[] = {"staggered", "aligned", NULL};
    int64_t number;
    int word = 0;
    switch (key) {
    case 'c':
        if (!cpuset_parse(argument, &options->cpus) || !cpuset_count(&options->cpus))
            argp_error(state, "no list of CPUs: '%s'", argument);
        return true;
    case 'i':
        if (!duration_parse(argument, &options->interval_ns) || options->interval_ns < 20000 || options->interval_ns > INT64_C(10000000000))
            argp_error(state, "interval must be 20us to 10s: '%s'", argument);
        return true;
    case 'd':
        if (!duration_parse(argument, &options->duration_ns) || options->duration_ns <= 0)
            argp_error(state, "no duration: '%s'", argument);
        return true;
    case 'l':
        if (!parse_number(argument, 1, INT64_MAX, &number))
            argp_error(state, "no number of samples: '%s'", argument);
        options->n_loops = (uint64_t)number;
        return true;
    case 'p':
        if (!parse_number(argument, 1, 99, &number))
            argp_error(state, "priority must be 1 to 99: '%s'", argument);
        options->priority = (int)number;
        return true;
    case OPTION_POLICY:
        if (parse_word(argument, policies, &word) != OK)
            argp_error(state, "unknown policy '%s'", argument);
#ifdef __COBALT__
        if (policy_numbers[word] == SCHED_DEADLINE)
            argp_error(state, "Cobalt has no policy 'deadline'");
#endif
        options->policy = policy_numbers[word];
        return true;
    case OPTION_SLEEP:
        if (parse_word(argument, sleeps, &word) != OK)
            argp_error(state, "unknown way to sleep '%s'", argument);
        options->sleep = (enum sleep_mode)word;
        return true;
    case OPTION_START:
        if (parse_word(argument, starts, &word) != OK)
            argp_error(state, "unknown start '%s'", argument);
        options->start = (enum start_mode)word;
        return true;
    default: return false;
    }
}

/* What is an outlier, and what is kept of it. */
static bool parse_tracing(struct capture_options *options, int key, char *argument, struct argp_state *state)
{
    static const char *const levels[] = {"off", "low", "full", "function", NULL};
    int64_t number;
    int word = 0;
    switch (key) {
    case 't':
        options->threshold_ns = 0;
        options->trigger = strcmp(argument, "worst") == 0 ? TRIGGER_WORST : strcmp(argument, "max") == 0 ? TRIGGER_MAXIMUM : TRIGGER_THRESHOLD;
        if (options->trigger == TRIGGER_THRESHOLD && (!duration_parse(argument, &options->threshold_ns) || options->threshold_ns <= 0))
            argp_error(state, "neither a duration nor max nor worst: '%s'", argument);
        return true;
    case OPTION_KEEP:
        if (!parse_number(argument, 0, 100000, &number))
            argp_error(state, "no number of outliers: '%s'", argument);
        options->max_outliers = (size_t)number;
        return true;
    case OPTION_TRACE:
        options->trace_systems = parse_word(argument, levels, &word) == OK ? NULL : argument;
        if (!options->trace_systems)
            options->trace = (enum trace_level)word;
        return true;
    case OPTION_BUFFER:
        if (!parse_number(argument, 64, 4194304, &number))
            argp_error(state, "buffer must be 64 to 4194304 KB: '%s'", argument);
        options->trace_buffer_kb = (size_t)number;
        return true;
    case OPTION_CLOCK: options->trace_clock = argument; return true;
    default: return false;
    }
}

/* The machine around it: load, helper, power. */
static bool parse_surroundings(struct capture_options *options, int key, char *argument, struct argp_state *state)
{
    int64_t number;
    switch (key) {
    case OPTION_DMA:
        if (!parse_number(argument, -1, INT_MAX, &options->dma_latency_us))
            argp_error(state, "no latency in us: '%s'", argument);
        return true;
    case OPTION_HELPER:
        if (!parse_number(argument, 0, CPU_SETSIZE - 1, &number))
            argp_error(state, "no CPU: '%s'", argument);
        options->helper_cpu = (int)number;
        return true;
    case OPTION_RING:
        if (!parse_number(argument, 64, 1 << 26, &number) || (number & (number - 1)))
            argp_error(state, "ring must be a power of two, 64 to 67108864: '%s'", argument);
        options->ring_samples = (size_t)number;
        return true;
    case OPTION_LOAD: options->load = argument; return true;
    case OPTION_LOAD_CMD: options->load_command = argument; return true;
    case OPTION_REQUIRE: options->require = argument; return true;
    case OPTION_NO_COUNTERS: options->counters = false; return true;
    default: return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct capture_options *options = state->input;
    switch (key) {
    case 'o': options->directory = argument; break;
    case 'q': options->quiet = true; break;
    case ARGP_KEY_END:
        if (options->trigger == TRIGGER_WORST && options->max_outliers > OUTLIERS_MAX_WORST)
            argp_error(state, "--threshold worst keeps %d windows at most", OUTLIERS_MAX_WORST);
        break;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0 && (strcmp(argument, "restore") == 0 || strcmp(argument, "check") == 0))
            options->command = argument;
        else
            argp_error(state, "unknown argument '%s'", argument);
        break;
    default:
        return parse_measurement(options, key, argument, state) || parse_tracing(options, key, argument, state) ||
                       parse_surroundings(options, key, argument, state)
                   ? 0
                   : ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void all_allowed_cpus(struct cpuset *set)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET((size_t)cpu, &allowed))
                cpuset_add(set, cpu);
}

/* The library reads a command line of its own (--trace, --quiet ...): it gets one without words. */
static void start_cobalt(void)
{
#ifdef __COBALT__
    static char name[] = "whylate-capture", *words[] = {name, NULL};
    char *const *argv = words;
    int argc = 1;
    xenomai_init(&argc, &argv);
#endif
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "\ncheck\nrestore",
        .doc = "Measures wakeup latency on this machine and leaves a bundle for whylate: every sample, the kernel's trace "
               "around the worst ones, and the environment.\n\n"
               "`check` judges this machine against the recipe for a fair measurement and measures nothing; "
               "`restore` removes what a killed capture left in tracefs.",
    };
    static char default_directory[64];
    struct capture_options options = {
        .policy = SCHED_FIFO, .priority = 95, .interval_ns = 1000000, .max_outliers = 10,
        .trace = TRACE_LOW, .trace_buffer_kb = 2048, .trace_clock = "mono", .helper_cpu = -1, .ring_samples = 65536,
        .counters = true,
    };
    start_cobalt();
    argp_program_version = "whylate-capture " WHYLATE_VERSION;
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!cpuset_count(&options.cpus))
        all_allowed_cpus(&options.cpus);
    if (!options.directory) {
        snprintf(default_directory, sizeof default_directory, "whylate-%lld", (long long)time(NULL));
        options.directory = default_directory;
    }
    if (options.command && strcmp(options.command, "check") == 0)
        return check_print(&options, stdout) ? 1 : 0;
    unsigned n_restored = trace_restore();
    if (options.command) {
        printf("%u leftover trace instances removed\n", n_restored);
        return 0;
    }

    struct text command = {0};
    for (int i = 0; i < argc; i++)
        text_format(&command, "%s%s", i ? " " : "", argv[i]);
    struct error error = {0};
    enum status status = options.require ? check_require(&options, options.require, &error) : OK;
    if (status == OK)
        status = session_run(&options, text_string(&command), &error);
    text_release(&command);
    if (status != OK)
        fprintf(stderr, "whylate-capture: %s\n", error.text);
    if (status == FAILED && geteuid() != 0)
        fputs("Without root there is no real-time priority (unless `ulimit -r` allows it), no kernel trace, no held idle\n"
              "latency and no lock on memory. What still works: --policy other --trace off --dma-latency -1, with every\n"
              "sample kept and the environment as far as it may be read.\n", stderr);
    else if (status != FAILED && !options.quiet)
        fprintf(stderr, "bundle: %s\n", options.directory);
    return status == OK ? 0 : error_exit_code(&error);
}
