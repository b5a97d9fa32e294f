/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/memory.h"
#include "bundle/bundle.h"
#include "capture/check.h"
#include "capture/environment.h"
#include "capture/files.h"
#include "capture/load.h"
#include "capture/measure.h"
#include "capture/outliers.h"
#include "capture/output.h"
#include "capture/trace.h"
#include "capture/watch.h"

#define POLL_NS     INT64_C(5000000)    /* how often rings are drained */
#define SYNC_NS     INT64_C(2000000000) /* how often samples go to the disk */
#define LOOK_NS     INT64_C(500000000)  /* how often the machine itself is looked at */

struct session {
    const struct capture_options *options;
    struct measurement measurement;
    struct output output;
    struct trace trace;
    struct load load;
    struct watch watch;
    struct outliers outliers;
    int dma_latency_fd;
    int64_t begin_ns, max_ns;
};

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    signalled = number;
}

static const char *policy_word(int policy)
{
    return policy == SCHED_FIFO ? "fifo" : policy == SCHED_RR ? "rr" : policy == SCHED_DEADLINE ? "deadline" : "other";
}

static bool has_priority(const struct capture_options *options)
{
    return options->policy == SCHED_FIFO || options->policy == SCHED_RR;
}

static void write_settings(struct session *session, const char *command)
{
    static const char *const triggers[] = {[TRIGGER_MAXIMUM] = "max", [TRIGGER_THRESHOLD] = "threshold", [TRIGGER_WORST] = "worst"};
    const struct capture_options *options = session->options;
    struct output *output = &session->output;
    char cpus[512];
    cpuset_format(&options->cpus, cpus, sizeof cpus);
    struct utsname name;
    uname(&name);
    output_value(output, "agent_version", "%s", WHYLATE_VERSION);
    output_value(output, "command", "%s", command);
    output_value(output, "kernel", "%s", name.release);
    output_value(output, "kernel_version", "%s", name.version);
    output_value(output, "machine", "%s", name.machine);
    output_value(output, "cpus", "%s", cpus);
    output_value(output, "policy", "%s", policy_word(options->policy));
    output_value(output, "priority", has_priority(options) ? "%d" : NULL, options->priority);
    output_value(output, "interval_ns", "%" PRId64, options->interval_ns);
    output_value(output, "duration_ns", options->duration_ns ? "%" PRId64 : NULL, options->duration_ns);
    output_value(output, "loops", options->n_loops ? "%" PRIu64 : NULL, options->n_loops);
    output_value(output, "sleep", "%s", options->sleep == SLEEP_BUSY ? "busy" : options->sleep == SLEEP_TIMERFD ? "timerfd" : "nanosleep");
    output_value(output, "start", "%s", options->start == START_ALIGNED ? "aligned" : "staggered");
    output_value(output, "threshold_ns", options->threshold_ns ? "%" PRId64 : NULL, options->threshold_ns);
    output_value(output, "trigger", "%s", triggers[options->trigger]);
    output_value(output, "keep", "%zu", options->max_outliers);
    output_value(output, "dma_latency_us", session->dma_latency_fd >= 0 ? "%" PRId64 : NULL, options->dma_latency_us);
    output_value(output, "ring_samples", "%zu", options->ring_samples);
    output_value(output, "memory_locked", "%d", session->measurement.is_locked);
    output_value(output, "frequency_scaling", check_scales_frequency(&options->cpus) ? NULL : "%s", "none");
    output_value(output, "load", options->load ? "%s" : NULL, options->load);
    output_value(output, "load_command", options->load_command ? "%s" : NULL, options->load_command);
    output_value(output, "trace_clock", trace_is_on(&session->trace) ? "%s" : NULL, options->trace_clock);
    output_value(output, "trace_buffer_kb", trace_is_on(&session->trace) ? "%zu" : NULL, options->trace_buffer_kb);
    output_value(output, "trace_missing", trace_is_on(&session->trace) ? NULL : "%s", session->trace.why_not);
}

static void write_thread(struct session *session, const struct measure_thread *thread)
{
    char number[8][24], comm[24], counters[256] = "", missing[640] = "";
    for (size_t i = 0; i < COUNTERS_MAX && session->options->counters; i++) {
        const struct counter_slot *slot = &thread->counters.slots[i], *next = i + 1 < COUNTERS_MAX ? slot + 1 : NULL;
        char *list = i < thread->counters.n ? counters : missing;
        size_t used = strlen(list), size = i < thread->counters.n ? sizeof counters : sizeof missing;
        /* One reason for several that follow each other is said once, behind the last. */
        bool say_why = slot->why[0] && !(next && strcmp(next->why, slot->why) == 0);
        snprintf(list + used, size - used, "%s%s%s%s", used ? "," : "", slot->name, say_why ? ": " : "", say_why ? slot->why : "");
    }
    snprintf(number[0], sizeof number[0], "%u", thread->index);
    snprintf(number[1], sizeof number[1], "%d", thread->cpu);
    snprintf(number[2], sizeof number[2], "%d", thread->tid);
    snprintf(comm, sizeof comm, "whylate/%u", thread->index);
    snprintf(number[3], sizeof number[3], "%d", session->options->priority);
    snprintf(number[4], sizeof number[4], "%" PRId64, session->options->interval_ns);
    snprintf(number[5], sizeof number[5], "%" PRId64, thread->first_due_ns);
    snprintf(number[6], sizeof number[6], "%" PRId64, thread->sample_cost_ns);
    output_row(&session->output, session->output.threads_fd,
               (const char *const[]){number[0], number[1], number[2], comm, policy_word(session->options->policy),
                                     has_priority(session->options) ? number[3] : NULL, number[4], number[5], number[6],
                                     counters[0] ? counters : NULL, missing[0] ? missing : NULL},
               11);
}

/* Keeps the helper away from the measured CPUs when there are others. */
static void place_helper(const struct capture_options *options)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    bool any = false;
    if (options->helper_cpu >= 0) {
        CPU_SET((size_t)options->helper_cpu, &set);
        any = true;
    } else {
        cpu_set_t allowed;
        if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
            for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET((size_t)cpu, &allowed) && !cpuset_has(&options->cpus, cpu)) {
                    CPU_SET((size_t)cpu, &set);
                    any = true;
                }
    }
    if (any)
        sched_setaffinity(0, sizeof set, &set);
}

/* Into log.txt, and to who waits for it. */
__attribute__((format(printf, 2, 3))) static void say(struct session *session, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    output_log(&session->output, "%s", text);
    if (!session->options->quiet)
        fprintf(stderr, "whylate-capture: %s\n", text);
}

static int hold_dma_latency(struct session *session)
{
    if (session->options->dma_latency_us < 0)
        return -1;
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    int32_t value = (int32_t)session->options->dma_latency_us;
    if (fd >= 0 && write(fd, &value, sizeof value) == sizeof value)
        return fd;
    say(session, "idle states are not limited: /dev/cpu_dma_latency: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* What was asked for and is not to be had here. The measurement goes on without it. */
static void say_what_is_lost(struct session *session)
{
    const struct capture_options *options = session->options;
    const struct counters *counters = &session->measurement.threads[0].counters;
    if (!trace_is_on(&session->trace) && (options->trace != TRACE_OFF || options->trace_systems))
        say(session, "no kernel trace: %s", session->trace.why_not);
    else if (session->trace.n_events_missing && options->trace_systems)
        say(session, "%u of the events asked for are not in this kernel", session->trace.n_events_missing);
    if (!session->measurement.is_locked)
        say(session, "memory is not locked: a page fault can delay a sample (ulimit -l)");
    if (options->counters && !counters->n)
        say(session, "no hardware counters: %s", counters->slots[0].why);
    if (geteuid() != 0)
        say(session, "not root: the environment lacks what only root may read");
}

/* Empties all rings into the files, and saves the worst outlier of this round. */
static void drain(struct session *session)
{
    for (unsigned i = 0; i < session->measurement.n_threads; i++) {
        struct measure_thread *thread = &session->measurement.threads[i];
        for (const struct ring_sample *from; (from = ring_peek(&thread->ring)); ring_pop(&thread->ring)) {
            struct bundle_sample sample = {
                .sequence = from->sequence,
                .due_ns = from->due_ns,
                .wake_ns = from->wake_ns,
                .n_missed = from->n_missed > UINT32_MAX ? UINT32_MAX : (uint32_t)from->n_missed,
            };
            memcpy(sample.counters, from->counters, thread->ring.n_counters * sizeof *sample.counters);
            output_sample(&session->output, i, &sample);
            outliers_look(&session->outliers, thread, &sample);
            if (sample.wake_ns - sample.due_ns > session->max_ns)
                session->max_ns = sample.wake_ns - sample.due_ns;
        }
    }
    output_flush(&session->output);
    outliers_save(&session->outliers);
}

static void show_progress(const struct session *session, int64_t now_ns)
{
    char elapsed[DURATION_TEXT_BYTES], max[DURATION_TEXT_BYTES];
    uint64_t n_samples = 0, n_missed = 0;
    for (unsigned i = 0; i < session->measurement.n_threads; i++) {
        n_samples += atomic_load(&session->measurement.threads[i].n_samples);
        n_missed += atomic_load(&session->measurement.threads[i].n_missed);
    }
    fprintf(stderr, "\r\033[K%s  %" PRIu64 " samples  max %s  %" PRIu64 " periods missed  %u outliers",
            duration_format_long((now_ns - session->begin_ns) / 1000000000 * 1000000000, elapsed), n_samples,
            duration_format(session->max_ns, max), n_missed, session->outliers.n);
    fflush(stderr);
}

/* The helper's loop: until the duration, the loops, a signal or a full disk end it. Returns why. */
static const char *loop(struct session *session)
{
    const bool progress = !session->options->quiet && isatty(STDERR_FILENO);
    int64_t synced_ns = session->begin_ns, looked_ns = session->begin_ns, shown_ns = 0;
    const char *why = NULL;
    while (!why) {
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
        drain(session);
        int64_t now_ns = monotonic_ns();
        if (now_ns - synced_ns > SYNC_NS) {
            output_sync(&session->output);
            synced_ns = now_ns;
        }
        if (now_ns - looked_ns > LOOK_NS) {
            watch_look(&session->watch, &session->output);
            output_check(&session->output);
            looked_ns = now_ns;
        }
        if (progress && now_ns - shown_ns > INT64_C(500000000)) {
            show_progress(session, now_ns);
            shown_ns = now_ns;
        }
        if (signalled)
            why = signalled == SIGTERM ? "interrupted by SIGTERM" : signalled == SIGINT ? "interrupted by SIGINT" : "interrupted";
        else if (session->output.failed.kind != ERROR_NONE)
            why = "output failed";
        else if (measurement_has_ended(&session->measurement))
            why = "complete";
        else if (session->options->duration_ns && now_ns - session->begin_ns >= session->options->duration_ns)
            why = "complete";
    }
    if (progress)
        fputs("\n", stderr);
    return why;
}

/* What the threads' own counters say: a measuring thread that faulted or slept elsewhere is no witness. */
static void write_proof(struct session *session, const char *when)
{
    for (unsigned i = 0; i < session->measurement.n_threads; i++) {
        char path[64], line[1024], key[64];
        struct text status = {0};
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", session->measurement.threads[i].tid);
        file_line(line, sizeof line, path);
        const char *end = strrchr(line, ')');
        unsigned long minor = 0, major = 0;
        if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minor, &major) != 2)
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%d/status", session->measurement.threads[i].tid);
        file_read(&status, path, 65536);
        const char *voluntary = strstr(text_string(&status), "\nvoluntary_ctxt_switches:");
        const char *forced = strstr(text_string(&status), "\nnonvoluntary_ctxt_switches:");
        snprintf(key, sizeof key, "thread_%u_%s", i, when);
        if (voluntary && forced)
            output_value(&session->output, key, "minor_faults %lu major_faults %lu voluntary_switches %ld forced_switches %ld",
                         minor, major, strtol(voluntary + 25, NULL, 10), strtol(forced + 28, NULL, 10));
        text_release(&status);
    }
}

static void save_environment(struct session *session, const char *when)
{
    struct error error = {0};
    if (environment_save(when, &error) != OK)
        output_log(&session->output, "environment (%s): %s", when, error.text);
}

static void finish(struct session *session, const char *why)
{
    uint64_t n_dropped = 0;
    for (unsigned i = 0; i < session->measurement.n_threads; i++) {
        const struct measure_thread *thread = &session->measurement.threads[i];
        char key[64];
        for (size_t k = thread->counters.n; k < COUNTERS_MAX; k++) { /* no sample has these */
            uint64_t total;
            snprintf(key, sizeof key, "thread_%u_total_%s", i, thread->counters.slots[k].name);
            if (thread->counters.slots[k].name && counters_total(&thread->counters.slots[k], &total))
                output_value(&session->output, key, "%" PRIu64, total);
        }
        snprintf(key, sizeof key, "thread_%u_result", i);
        output_value(&session->output, key, "samples %" PRIu64 " missed_periods %" PRIu64 " dropped %" PRIu64,
                     (uint64_t)atomic_load(&thread->n_samples), (uint64_t)atomic_load(&thread->n_missed),
                     thread->ring.n_dropped);
        n_dropped += thread->ring.n_dropped;
    }
    if (n_dropped)
        output_log(&session->output, "%" PRIu64 " samples were dropped: the rings were full", n_dropped);
    struct text status = {0};
    const char *peak = file_read(&status, "/proc/self/status", 65536) ? strstr(text_string(&status), "\nVmHWM:") : NULL;
    output_value(&session->output, "resident_kb", peak ? "%ld" : NULL, peak ? strtol(peak + 7, NULL, 10) : 0);
    text_release(&status);
    output_value(&session->output, "end_monotonic_ns", "%" PRId64, monotonic_ns());
    output_value(&session->output, "outliers", "%u", session->outliers.n);
    output_value(&session->output, "state", "%s", why);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* What can refuse comes first, so that a capture that cannot start leaves nothing behind. */
static enum status prepare(struct session *session, int start_fd, struct error *error)
{
    const struct capture_options *options = session->options;
    enum status status = load_check(options->load, error);
    if (status == OK && access(options->directory, F_OK) == 0)
        status = error_output(error, "cannot make bundle '%s': it exists", options->directory);
    if (status == OK)
        status = trace_open(&session->trace, options, error);
    if (status == OK)
        status = measurement_prepare(&session->measurement, options, error);
    if (status == OK)
        status = output_open(&session->output, options->directory, session->measurement.n_threads, error);
    if (status != OK)
        return status;
    place_helper(options);
    save_environment(session, BUNDLE_BEFORE);
    session->dma_latency_fd = hold_dma_latency(session);
    say_what_is_lost(session);
    return load_start(&session->load, options->load, options->load_command, ".", start_fd, error);
}

/* Each thread says when its first cycle is due; its samples go into a file of their own. */
static void open_samples(struct session *session)
{
    for (unsigned i = 0; i < session->measurement.n_threads; i++) {
        struct measure_thread *thread = &session->measurement.threads[i];
        while (!thread->first_due_ns)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        write_thread(session, thread);
        output_samples_open(&session->output, i,
                            &(struct bundle_samples_header){.thread = i,
                                                            .n_counters = thread->ring.n_counters,
                                                            .interval_ns = session->options->interval_ns,
                                                            .first_due_ns = thread->first_due_ns});
    }
}

static void measure(struct session *session, const char *command)
{
    write_settings(session, command);
    output_clocks(&session->output);
    write_proof(session, "start");
    watch_begin(&session->watch, &session->measurement);
    watch_smi(&session->watch, &session->output, "start");
    measurement_start(&session->measurement);
    session->begin_ns = atomic_load(&session->measurement.start_ns);
    outliers_begin(&session->outliers, session->options, &session->output, &session->trace, session->begin_ns);
    output_value(&session->output, "begin_monotonic_ns", "%" PRId64, session->begin_ns);
    open_samples(session);
    const char *why = loop(session);
    watch_look(&session->watch, &session->output);
    watch_smi(&session->watch, &session->output, "end");
    write_proof(session, "end");
    measurement_stop(&session->measurement);
    load_stop(&session->load);
    drain(session);
    output_clocks(&session->output);
    finish(session, why);
    save_environment(session, BUNDLE_AFTER);
    output_sync(&session->output);
}

enum status session_run(const struct capture_options *options, const char *command, struct error *error)
{
    struct session session = {.options = options, .load = {.alive_fd = -1}, .dma_latency_fd = -1};
    const int start_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* the bundle becomes the working directory */
    catch_signals();
    enum status status = prepare(&session, start_fd, error);
    if (status == OK)
        measure(&session, command);
    measurement_stop(&session.measurement);
    load_stop(&session.load);
    trace_close(&session.trace);
    if (session.dma_latency_fd >= 0)
        close(session.dma_latency_fd);
    measurement_release(&session.measurement);
    if (status == OK && session.output.failed.kind != ERROR_NONE) {
        *error = session.output.failed;
        status = PARTIAL;
    }
    if (session.output.samples)
        output_close(&session.output);
    if (start_fd >= 0)
        close(start_fd);
    outliers_release(&session.outliers);
    return status;
}
