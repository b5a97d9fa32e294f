/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/memory.h"
#include "bundle/bundle.h"
#include "capture/environment.h"
#include "capture/files.h"
#include "capture/load.h"
#include "capture/measure.h"
#include "capture/output.h"
#include "capture/trace.h"
#include "capture/watch.h"

#define POLL_NS     INT64_C(5000000)    /* how often rings are drained */
#define SYNC_NS     INT64_C(2000000000) /* how often samples go to the disk */
#define LOOK_NS     INT64_C(500000000)  /* how often the machine itself is looked at */
#define WARM_UP_NS  INT64_C(1000000000) /* no adaptive outlier before */
#define SETTLE_NS   INT64_C(20000000)   /* after a save, until its own disturbance is over */

struct kept_outlier {
    unsigned number;
    int64_t latency_ns;
};

struct session {
    const struct capture_options *options;
    struct measurement measurement;
    struct output output;
    struct trace trace;
    struct load load;
    struct watch watch;
    int dma_latency_fd;
    int64_t begin_ns, max_ns, worst_outlier_ns;
    int64_t save_begin_ns, save_end_ns; /* of the last save: saving disturbs, what it delays is our own doing */
    unsigned n_outliers;
    size_t n_kept;
    struct kept_outlier *kept; /* with a trace on disk */
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

static void write_settings(struct session *session, const char *command)
{
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
    output_value(output, "priority", "%d", options->priority);
    output_value(output, "interval_ns", "%" PRId64, options->interval_ns);
    output_value(output, "duration_ns", options->duration_ns ? "%" PRId64 : NULL, options->duration_ns);
    output_value(output, "loops", options->n_loops ? "%" PRIu64 : NULL, options->n_loops);
    output_value(output, "sleep", "%s", options->sleep == SLEEP_BUSY ? "busy" : options->sleep == SLEEP_TIMERFD ? "timerfd" : "nanosleep");
    output_value(output, "start", "%s", options->start == START_ALIGNED ? "aligned" : "staggered");
    output_value(output, "threshold_ns", options->threshold_ns ? "%" PRId64 : NULL, options->threshold_ns);
    output_value(output, "adaptive", "%d", options->adaptive);
    output_value(output, "dma_latency_us", session->dma_latency_fd >= 0 ? "%" PRId64 : NULL, options->dma_latency_us);
    output_value(output, "ring_samples", "%zu", options->ring_samples);
    output_value(output, "memory_locked", "%d", session->measurement.is_locked);
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
    const bool has_priority = session->options->policy == SCHED_FIFO || session->options->policy == SCHED_RR;
    output_row(&session->output, session->output.threads_fd,
               (const char *const[]){number[0], number[1], number[2], comm, policy_word(session->options->policy),
                                     has_priority ? number[3] : NULL, number[4], number[5], number[6],
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

static int hold_dma_latency(int64_t us)
{
    int fd = us < 0 ? -1 : open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    int32_t value = (int32_t)us;
    if (fd >= 0 && write(fd, &value, sizeof value) != sizeof value) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Makes room for one more trace: the least of the kept outliers goes. False: the new one is the least. */
static bool make_room(struct session *session, int64_t latency_ns)
{
    if (session->n_kept < session->options->max_outliers)
        return true;
    size_t least = 0;
    for (size_t i = 1; i < session->n_kept; i++)
        if (session->kept[i].latency_ns < session->kept[least].latency_ns)
            least = i;
    if (!session->n_kept || session->kept[least].latency_ns >= latency_ns)
        return false;
    char name[64];
    snprintf(name, sizeof name, "trace-%u.dat", session->kept[least].number);
    unlinkat(session->output.directory_fd, name, 0);
    output_log(&session->output, "%s was removed: %zu larger outliers are kept", name, session->options->max_outliers);
    session->kept[least] = session->kept[--session->n_kept];
    return true;
}

static void save_ipipe(struct session *session, unsigned number, char *name, size_t size)
{
    struct text dump = {0};
    name[0] = '\0';
    if (file_read(&dump, "/proc/ipipe/trace/frozen", 0) && dump.length) {
        char path[4096];
        snprintf(name, size, "ipipe-%u.txt", number);
        snprintf(path, sizeof path, "%s/%s", session->output.directory, name);
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd >= 0) {
            descriptor_write(fd, dump.bytes, dump.length, name, &session->output.failed);
            close(fd);
        }
        file_write("/proc/ipipe/trace/frozen", "0", NULL); /* armed again */
    }
    text_release(&dump);
}

/* Freezes and saves what the kernel saw around the worst sample of this round. */
static void save_outlier(struct session *session, const struct measure_thread *thread, const struct bundle_sample *sample)
{
    const int64_t latency_ns = sample->wake_ns - sample->due_ns;
    struct output *output = &session->output;
    unsigned number = ++session->n_outliers;
    char trace_name[64] = "", ipipe_name[64] = "", path[4096], mark[256], row[6][24];
    const char *why = session->options->threshold_ns ? "threshold" : "new maximum";
    const bool is_own_doing = sample->wake_ns >= session->save_begin_ns && sample->due_ns < session->save_end_ns;

    session->save_begin_ns = is_own_doing ? session->save_begin_ns : monotonic_ns();

    if (access("/proc/ipipe/trace/frozen", W_OK) == 0)
        file_write("/proc/ipipe/trace/frozen", "1", NULL);
    snprintf(mark, sizeof mark,
             "whylate: outlier %u thread %d cpu %d latency %" PRId64 " ns due %" PRId64 " wake %" PRId64 " monotonic %" PRId64
             "\n", number, thread->tid, thread->cpu, latency_ns, sample->due_ns, sample->wake_ns, monotonic_ns());
    trace_mark(&session->trace, mark);
    /* What a save delayed gets a row, but no trace: one save would follow the other for ever. */
    struct trace_instance *stopped = trace_is_on(&session->trace) && !is_own_doing ? trace_switch(&session->trace) : NULL;
    if (is_own_doing)
        why = "while a trace was saved";
    output_clocks(output);
    if (stopped && make_room(session, latency_ns)) {
        struct error error = {0};
        snprintf(trace_name, sizeof trace_name, "trace-%u.dat", number);
        snprintf(path, sizeof path, "%s/%s", output->directory, trace_name);
        if (trace_save(&session->trace, stopped, path, &error) == OK) {
            session->kept[session->n_kept++] = (struct kept_outlier){number, latency_ns};
        } else {
            output_log(output, "outlier %u: %s", number, error.text);
            trace_name[0] = '\0';
        }
    }
    save_ipipe(session, number, ipipe_name, sizeof ipipe_name);
    if (access("/proc/xenomai", R_OK) == 0) {
        snprintf(path, sizeof path, "%s/xenomai-%u", output->directory, number);
        environment_copy(path, "/proc/xenomai", 4, NULL);
    }
    snprintf(row[0], sizeof row[0], "%u", number);
    snprintf(row[1], sizeof row[1], "%u", thread->index);
    snprintf(row[2], sizeof row[2], "%" PRIu64, sample->sequence);
    snprintf(row[3], sizeof row[3], "%" PRId64, sample->due_ns);
    snprintf(row[4], sizeof row[4], "%" PRId64, sample->wake_ns);
    snprintf(row[5], sizeof row[5], "%" PRId64, latency_ns);
    output_row(output, output->outliers_fd,
               (const char *const[]){row[0], row[1], row[2], row[3], row[4], row[5], trace_name[0] ? trace_name : NULL,
                                     ipipe_name[0] ? ipipe_name : NULL, why},
               9);
    if (!is_own_doing)
        session->save_end_ns = monotonic_ns() + SETTLE_NS;
}

static bool is_outlier(struct session *session, int64_t latency_ns, int64_t wake_ns)
{
    const struct capture_options *options = session->options;
    if (options->threshold_ns)
        return latency_ns > options->threshold_ns;
    return options->adaptive && wake_ns - session->begin_ns > WARM_UP_NS && latency_ns > session->max_ns;
}

/* Empties all rings into the files; remembers the worst outlier of this round and saves it. */
static void drain(struct session *session)
{
    const struct measure_thread *worst_thread = NULL;
    struct bundle_sample worst = {0};
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
            int64_t latency_ns = sample.wake_ns - sample.due_ns;
            if (is_outlier(session, latency_ns, sample.wake_ns) &&
                (!worst_thread || latency_ns > worst.wake_ns - worst.due_ns)) {
                worst_thread = thread;
                worst = sample;
            }
            if (latency_ns > session->max_ns)
                session->max_ns = latency_ns;
        }
    }
    output_flush(&session->output);
    if (worst_thread)
        save_outlier(session, worst_thread, &worst);
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
            duration_format(session->max_ns, max), n_missed, session->n_outliers);
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
        output_value(&session->output, key, "minor_faults %lu major_faults %lu voluntary_switches %ld forced_switches %ld",
                     minor, major, voluntary ? strtol(voluntary + 25, NULL, 10) : -1,
                     forced ? strtol(forced + 28, NULL, 10) : -1);
        text_release(&status);
    }
}

static void save_environment(struct session *session, const char *when)
{
    char path[4096];
    struct error error = {0};
    snprintf(path, sizeof path, "%s/%s", session->output.directory, when);
    if (environment_save(path, &error) != OK)
        output_log(&session->output, "environment (%s): %s", when, error.text);
}

static void finish(struct session *session, const char *why)
{
    uint64_t n_dropped = 0;
    for (unsigned i = 0; i < session->measurement.n_threads; i++) {
        const struct measure_thread *thread = &session->measurement.threads[i];
        char key[64];
        snprintf(key, sizeof key, "thread_%u_result", i);
        output_value(&session->output, key, "samples %" PRIu64 " missed_periods %" PRIu64 " dropped %" PRIu64,
                     (uint64_t)atomic_load(&thread->n_samples), (uint64_t)atomic_load(&thread->n_missed),
                     thread->ring.n_dropped);
        n_dropped += thread->ring.n_dropped;
    }
    if (n_dropped)
        output_log(&session->output, "%" PRIu64 " samples were dropped: the rings were full", n_dropped);
    output_value(&session->output, "end_monotonic_ns", "%" PRId64, monotonic_ns());
    output_value(&session->output, "outliers", "%u", session->n_outliers);
    output_value(&session->output, "state", "%s", why);
}

enum status session_run(const struct capture_options *options, const char *command, struct error *error)
{
    struct session session = {.options = options, .dma_latency_fd = -1};
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);

    /* What can refuse comes first, so that a capture that cannot start leaves nothing behind. */
    enum status status = load_check(options->load, error);
    if (status == OK && access(options->directory, F_OK) == 0)
        status = error_output(error, "cannot make bundle '%s': it exists", options->directory);
    if (status == OK)
        status = trace_open(&session.trace, options, error);
    if (status == OK)
        status = measurement_prepare(&session.measurement, options, error);
    if (status == OK)
        status = output_open(&session.output, options->directory, session.measurement.n_threads, error);
    if (status == OK) {
        session.kept = memory_new((options->max_outliers + 1) * sizeof *session.kept);
        place_helper(options);
        save_environment(&session, BUNDLE_BEFORE);
        session.dma_latency_fd = hold_dma_latency(options->dma_latency_us);
        status = load_start(&session.load, options->load, options->load_command, options->directory, error);
    }
    if (status == OK) {
        write_settings(&session, command);
        output_clocks(&session.output);
        write_proof(&session, "start");
        watch_begin(&session.watch, &options->cpus);
        watch_smi(&session.watch, &session.output, "start");
        measurement_start(&session.measurement);
        session.begin_ns = atomic_load(&session.measurement.start_ns);
        output_value(&session.output, "begin_monotonic_ns", "%" PRId64, session.begin_ns);
        for (unsigned i = 0; i < session.measurement.n_threads; i++) {
            struct measure_thread *thread = &session.measurement.threads[i];
            while (!thread->first_due_ns)
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            write_thread(&session, thread);
            output_samples_open(&session.output, i,
                                &(struct bundle_samples_header){.thread = i,
                                                                .n_counters = thread->ring.n_counters,
                                                                .interval_ns = options->interval_ns,
                                                                .first_due_ns = thread->first_due_ns});
        }
        const char *why = loop(&session);
        watch_look(&session.watch, &session.output);
        watch_smi(&session.watch, &session.output, "end");
        write_proof(&session, "end");
        measurement_stop(&session.measurement);
        load_stop(&session.load);
        drain(&session);
        output_clocks(&session.output);
        finish(&session, why);
        save_environment(&session, BUNDLE_AFTER);
        output_sync(&session.output);
    }
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
    free(session.kept);
    return status;
}
