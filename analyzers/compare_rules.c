/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a run that a comparison looks at, one row each, and how each is read from its series and facts. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/compare_rules.h"
#include "analyzers/conditions.h"
#include "analyzers/series_shape.h"
#include "base/duration.h"

static bool copy(const char *value, char *text, size_t size)
{
    if (!value)
        return false;
    snprintf(text, size, "%s", value);
    return true;
}

static bool put_ns(int64_t ns, char *text, size_t size)
{
    char duration[DURATION_TEXT_BYTES];
    snprintf(text, size, "%s", duration_format(ns, duration));
    return true;
}

static bool read_path(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    bool any = false;
    struct row_range rows = store_series_of_run(store, m->run);
    text[0] = '\0';
    for (enum measure_path path = PATH_TIMER_WAKEUP; path <= PATH_NOISE; path++)
        for (uint32_t i = rows.begin; i < rows.end; i++)
            if (store->series[i].path == path && store->series[i].n_samples != 0) {
                size_t length = strlen(text);
                snprintf(text + length, size - length, "%s%s", any ? ", " : "", measure_path_name(path));
                any = true;
                break;
            }
    return any;
}

static bool read_interval(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    if (isnan(m->interval_ns)) {
        const char *stated = run_tool_fact(store, m->run, "interval_ns");
        return stated ? put_ns(strtoll(stated, NULL, 10), text, size) : false;
    }
    return put_ns((int64_t)m->interval_ns, text, size);
}

static bool read_length(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    (void)store;
    if (!isnan(m->n_per_series))
        snprintf(text, size, "%.0f", m->n_per_series);
    else if (!isnan(m->duration_ns)) /* tables tell how long, not how many */
        snprintf(text, size, "%.0f s", m->duration_ns / 1e9);
    return !isnan(m->n_per_series) || !isnan(m->duration_ns);
}

/*
 * "isolated (...)" or "not isolated (...)", of the CPUs that were measured; of any where those are not known. A command line
 * that is known and isolates nothing says so too.
 */
static bool read_isolation(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    const char *stated = run_fact(store, m->run, "isolation"), *latmus = run_fact(store, m->run, "latmus.cpu_isolated");
    char isolated[256];
    if (stated)
        return copy(stated, text, size);
    if (latmus)
        return copy(strcmp(latmus, "yes") == 0 ? "isolated" : "not isolated", text, size);
    if (!run_isolated_cpus(store, m->run, isolated, sizeof isolated))
        return run_fact(store, m->run, "cmdline") ? copy("not isolated", text, size) : false;
    struct cpuset set;
    bool is_known = isolated_cpus_parse(isolated, &set), all_inside = true, any = false;
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end && is_known; i++) {
        const struct series *s = &store->series[i];
        if (s->cpu == CPU_UNKNOWN)
            continue;
        any = true;
        all_inside &= cpuset_has(&set, s->cpu);
    }
    snprintf(text, size, any && !all_inside ? "not isolated (isolcpus=%s, other CPUs measured)" : "isolated (isolcpus=%s)", isolated);
    return true;
}

static bool read_policy(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if (store->series[i].policy != POLICY_UNKNOWN && !series_is_cokernel(store, &store->series[i]))
            return copy(policy_name(store->series[i].policy), text, size);
    return false;
}

static bool read_priority(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    int32_t highest = PRIO_UNKNOWN;
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if (store->series[i].priority != PRIO_UNKNOWN && store->series[i].priority > highest &&
            !series_is_cokernel(store, &store->series[i]))
            highest = store->series[i].priority;
    if (highest == PRIO_UNKNOWN)
        return false;
    snprintf(text, size, "%" PRId32, highest);
    return true;
}

static bool names_cokernel(const char *text)
{
    static const char *const names[] = {"xenomai", "cobalt", "evl", "i-pipe", "ipipe", "adeos", "rtai", "dovetail"};
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcasestr(text, names[i]))
            return !strcasestr(text, "mercury"); /* Xenomai's interfaces on the native kernel */
    return false;
}

static bool read_core(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if (series_is_cokernel(store, &store->series[i]))
            return copy("co-kernel", text, size);
    const char *core = run_fact(store, m->run, "core|realtime.core|xenomai.core");
    if (core)
        return copy(core, text, size);
    if (names_cokernel(run_fact(store, m->run, "candidate")))
        return copy("co-kernel", text, size);
    if (run_fact(store, m->run, "kernel.config.CONFIG_XENOMAI|kernel.config.CONFIG_EVL") || names_cokernel(run_fact(store, m->run, "kernel.release")))
        return copy("co-kernel built in", text, size);
    return run_fact(store, m->run, "kernel.release|kernel.version|candidate") ? copy("native", text, size) : false;
}

/* Of the co-kernel's side; a native one has none, and that is known. */
static bool read_pipeline(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    char core[64];
    const char *version = run_fact(store, m->run, "ipipe.version|dmesg.ipipe|evl.version"), *release = run_fact(store, m->run, "kernel.release");
    if (version)
        return copy(version, text, size);
    if (release && names_cokernel(release))
        return copy(release, text, size);
    return read_core(store, m, core, sizeof core) && strcmp(core, "native") == 0 ? copy("none (native)", text, size) : false;
}

static bool read_cpus(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end && length + 16 < size; i++) {
        const struct series *s = &store->series[i];
        bool is_new = s->cpu != CPU_UNKNOWN;
        for (uint32_t k = rows.begin; k < i && is_new; k++)
            is_new = store->series[k].cpu != s->cpu;
        if (is_new)
            length += (size_t)snprintf(text + length, size - length, "%s%" PRId32, length ? "," : "", s->cpu);
    }
    return length > 0;
}

/* Limits on the command line, else the driver; a command line that sets none is known to set none. */
static bool read_idle(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    static const char *const limits[] = {"cmdline.idle", "cmdline.cpuidle.off", "cmdline.intel_idle.max_cstate", "cmdline.processor.max_cstate"};
    const char *driver = run_fact(store, m->run, "cpu.idle_driver");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const char *value = run_fact(store, m->run, limits[i]);
        if (!value)
            continue;
        snprintf(text, size, "%s=%s", limits[i] + strlen("cmdline."), value);
        return true;
    }
    if (driver)
        return copy(driver, text, size);
    return run_fact(store, m->run, "cmdline") ? copy("not limited", text, size) : false;
}

static bool read_threading(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    char core[64];
    if (read_core(store, m, core, sizeof core) && strncmp(core, "co-kernel", 9) == 0)
        return false; /* its interrupts are not Linux's */
    if (run_kernel_is_rt(store, m->run) == CONDITION_GOOD)
        return copy("threaded (PREEMPT_RT)", text, size);
    if (run_fact(store, m->run, "cmdline.threadirqs"))
        return copy("threaded (threadirqs)", text, size);
    return run_fact(store, m->run, "cmdline") ? copy("not threaded", text, size) : false;
}

static bool read_debug(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    struct text found = {.max_length = size - 1};
    bool is_known = run_debug_options(store, m->run, &found);
    if (is_known)
        copy(found.length ? text_string(&found) : "none", text, size);
    text_release(&found);
    return is_known;
}

/* What a known command line sets, or does not. */
static bool read_word(const struct store *store, const struct measured_run *m, const char *key, char *text, size_t size)
{
    const char *value = run_fact(store, m->run, key);
    if (value)
        return copy(value, text, size);
    return run_fact(store, m->run, "cmdline") ? copy("not set", text, size) : false;
}
static bool read_nohz(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    return read_word(store, m, "cmdline.nohz_full", text, size);
}
static bool read_rcu(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    return read_word(store, m, "cmdline.rcu_nocbs", text, size);
}

/* cyclictest's -m: known where its command is. */
static bool read_locked(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    if (run_tool_fact(store, m->run, "mlockall"))
        return copy("locked", text, size);
    return run_tool_fact(store, m->run, "command") && strcmp(run_tool_fact(store, m->run, "command"), "") != 0 && m->n_series > 0 &&
                   run_fact(store, m->run, "cyclictest.command")
               ? copy("not locked", text, size)
               : false;
}

static bool read_tool(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if (store->series[i].tool)
            return copy(store->series[i].tool, text, size);
    return false;
}

static bool read_omission(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        enum omission o = store->series[i].omission;
        if (o != OMISSION_UNKNOWN)
            return copy(o == OMISSION_SKIPS ? "skips missed periods" : o == OMISSION_REPLAYS ? "replays missed periods" : "has no periods",
                        text, size);
    }
    return false;
}

static bool read_limit(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    int64_t limit = NS_UNKNOWN;
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if (store->series[i].overflow_limit_ns > limit)
            limit = store->series[i].overflow_limit_ns;
    if (limit == NS_UNKNOWN)
        return false;
    return put_ns(limit, text, size);
}

static bool read_resolution(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    struct row_range rows = store_series_of_run(store, m->run);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        if (store->series[i].resolution_ns > 0) {
            return put_ns(store->series[i].resolution_ns, text, size);
        }
    return false;
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strcasestr(p, word)); p++)
        if ((p == text || !isalpha((unsigned char)p[-1])) && !isalpha((unsigned char)p[n]))
            return true;
    return false;
}

/* "Idle", "Under load, no tuning", "Loaded (stress-ng)": what a table or a heading calls its result. NULL: nothing of load. */
static const char *load_of_name(const char *name)
{
    static const char *const none[] = {"idle", "unloaded", "no load", "without load", "no stress", "without stress", "quiescent"};
    static const char *const some[] = {"load", "loaded", "stress", "stressed", "stress-ng", "hackbench", "busy", "dohell"};
    for (size_t i = 0; name && i < sizeof none / sizeof *none; i++)
        if (has_word(name, none[i]))
            return "idle, as named";
    for (size_t i = 0; name && i < sizeof some / sizeof *some; i++)
        if (has_word(name, some[i]))
            return "under load, as named";
    return NULL;
}

/* Load averages differ always: in words. */
static bool read_load(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    const char *stated = run_fact(store, m->run, "load.command|load.kind|load"), *average = run_fact(store, m->run, "load.average");
    const char *named = load_of_name(run_fact(store, m->run, "configuration|heading"));
    double load;
    if (stated || named)
        return copy(stated ? stated : named, text, size);
    if (!average || sscanf(average, "%lf", &load) != 1)
        return false;
    return copy(load < 0.5 ? "load average below 0.5" : load < 2 ? "load average 0.5 to 2" : load < 10 ? "load average 2 to 10" : "load average above 10",
                text, size);
}

static bool read_governor(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    return copy(run_fact(store, m->run, "cpu.governor|cpu.0.governor|cpu.1.governor|cpu.N.governor"), text, size);
}

static bool read_threads(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    (void)store;
    if (m->n_series == 0)
        return false;
    snprintf(text, size, "%zu", m->n_series);
    return true;
}

/* Threads started together or one after another: matters where several expire. */
static bool read_start(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    const char *stated = run_fact(store, m->run, "cyclictest.aligned|whylate-capture.start");
    if (m->n_series <= 1 || isnan(m->interval_ns))
        return copy("one thread", text, size);
    return copy(stated, text, size);
}

static bool read_tracing(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    for (size_t i = 0; i < store->n_streams; i++)
        if (store->streams[i].run == m->run && store->streams[i].n_events > 0)
            return copy("traced", text, size);
    return m->n_series > 0 ? copy("no trace", text, size) : false;
}

static bool read_virtual(const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    return copy(run_fact(store, m->run, "machine.hypervisor|cpu.hypervisor|cpu.virtualization|dmesg.hypervisor"), text, size);
}

const struct rule compare_rules[] = {
    {"path", NULL, read_path, INVALIDATING, WEAKENING, NONE, false,
     "the runs measured different things: a timer wakeup, an interrupt's response and a call's duration cannot be set against each other"},
    {"length", NULL, read_length, WEAKENING, WEAKENING, NOTE, false,
     "a longer run meets rarer events: its maximum is larger by chance alone, so maxima are compared at equal sample counts only"},
    {"interval", NULL, read_interval, WEAKENING, WEAKENING, NOTE, false,
     "a faster loop finds its code and data still in the caches: 10 kHz hides cache misses that 1 kHz shows"},
    {"isolation", NULL, read_isolation, INVALIDATING, WEAKENING, NOTE, false,
     "on an isolated CPU the caches stay warm, because the load runs elsewhere; the other side lost its lines to the load between wakeups"},
    {"kernel.release", "kernel.release", NULL, WEAKENING, WEAKENING, NOTE, true,
     "without the kernel's release (and its patch) nobody can repeat the run or find what was fixed since"},
    {"kernel.version", "kernel.version", NULL, NOTE, NONE, NONE, true, "the kernel was built differently"},
    {"core", NULL, read_core, WEAKENING, NONE, NONE, true, "native preemption on one side, a co-kernel on the other"},
    {"ipipe.version", NULL, read_pipeline, WEAKENING, WEAKENING, NONE, true,
     "the I-pipe's (or Dovetail's) release decides a co-kernel's latency: without it nobody can repeat the run or find what was fixed since"},
    {"xenomai.version", "xenomai.version", NULL, WEAKENING, NONE, NONE, true, "the co-kernel's release decides its latency"},
    {"tool", NULL, read_tool, WEAKENING, NONE, NONE, false, "different tools take different stamps: a part of the difference may be the tool's own"},
    {"omission", NULL, read_omission, NOTE, NONE, NONE, false,
     "one tool skips the periods that a stall swallowed, the other measures them late; the skipped ones were added for the comparison"},
    {"resolution", NULL, read_resolution, NOTE, NONE, NONE, false, "values were rounded to different units"},
    {"priority", NULL, read_priority, WEAKENING, NOTE, NONE, false,
     "a thread with a lower priority waits for interrupt threads and others that the higher one precedes"},
    {"policy", NULL, read_policy, WEAKENING, NONE, NONE, false, "another scheduling policy is served in another order"},
    {"memory", NULL, read_locked, WEAKENING, NONE, NONE, false, "memory that is not locked can fault, and the fault counts as latency"},
    {"cpus", NULL, read_cpus, NOTE, NONE, NONE, false, "other CPUs were measured: the first one usually takes interrupts and the kernel's own work"},
    {"threads", NULL, read_threads, NOTE, NONE, NONE, false, "more threads measure more CPUs, and disturb each other"},
    {"load", NULL, read_load, WEAKENING, WEAKENING, NOTE, false,
     "the load decides which worst cases show: hackbench and 'dd if=/dev/zero' find peaks that an idle system hides"},
    {"cpu.governor", NULL, read_governor, WEAKENING, NOTE, NONE, false, "a CPU that changes its frequency is slow when it wakes"},
    {"cpu.idle_driver", NULL, read_idle, WEAKENING, NONE, NONE, false, "deep idle states cost time to leave; both sides must have the same"},
    {"debug", NULL, read_debug, WEAKENING, NONE, NONE, false, "debug options and tracers in the kernel lengthen every path"},
    {"nohz_full", NULL, read_nohz, NOTE, NONE, NONE, false, "without the tick the measured CPU is disturbed less"},
    {"rcu_nocbs", NULL, read_rcu, NOTE, NONE, NONE, false, "RCU's callbacks run on the measured CPU, or elsewhere"},
    {"clocksource", "clocksource", NULL, NOTE, NONE, NONE, false, "another clock source has another cost and resolution"},
    {"cpu.model", "cpu.model", NULL, WEAKENING, NOTE, NONE, false, "another processor is another measurement"},
    {"machine.model", "machine.model", NULL, WEAKENING, NONE, NONE, false, "another board is another measurement"},
    {"kernel.machine", "kernel.machine", NULL, WEAKENING, NONE, NONE, false, "another architecture is another measurement"},
    {"virtualization", NULL, read_virtual, WEAKENING, NOTE, NONE, false, "a hypervisor adds the host's scheduling to every latency"},
    {"sched.rt_runtime_us", "sched.rt_runtime_us", NULL, NOTE, NONE, NONE, false, "real-time throttling stops a busy task on one side only"},
    {"console", "kernel.consoles|cmdline.console", NULL, NOTE, NONE, NONE, false,
     "output to a serial console runs long sections with interrupts or preemption off"},
    {"threadirqs", NULL, read_threading, WEAKENING, NONE, NONE, false, "threaded interrupts can be preempted, others cannot"},
    {"start", NULL, read_start, NOTE, NOTE, NOTE, false,
     "threads started together expire together and queue up; started apart they do not"},
    {"tracing", NULL, read_tracing, NOTE, NONE, NONE, false, "tracing adds its own time to every event"},
    {"histogram-limit", NULL, read_limit, NOTE, NONE, NONE, false, "the histograms end at different values; what lies beyond is counted, not known"},
    {.key = NULL},
};

bool rule_read(const struct rule *rule, const struct store *store, const struct measured_run *m, char *text, size_t size)
{
    return rule->read ? rule->read(store, m, text, size) : copy(run_fact(store, m->run, rule->facts), text, size);
}

bool rule_same_value(const struct rule *rule, const char *a, const char *b)
{
    double x, y;
    int64_t x_ns, y_ns;
    if (strcmp(rule->key, "length") == 0) /* not to the last sample; samples and seconds cannot be set against each other */
        return !strchr(a, 's') != !strchr(b, 's') || (sscanf(a, "%lf", &x) == 1 && sscanf(b, "%lf", &y) == 1 && x < 1.2 * y && y < 1.2 * x);
    if (strcmp(rule->key, "interval") == 0 && duration_parse(a, &x_ns) && duration_parse(b, &y_ns)) /* traces give it roughly */
        return (double)x_ns < 1.05 * (double)y_ns && (double)y_ns < 1.05 * (double)x_ns;
    /* What stands in brackets tells how, not what. */
    size_t length_a = strcspn(a, "("), length_b = strcspn(b, "(");
    if (a[length_a] || b[length_b]) {
        while (length_a > 0 && a[length_a - 1] == ' ')
            length_a--;
        while (length_b > 0 && b[length_b - 1] == ' ')
            length_b--;
        if (strcmp(rule->key, "isolation") == 0 || strcmp(rule->key, "threadirqs") == 0)
            return length_a == length_b && memcmp(a, b, length_a) == 0;
    }
    return strcmp(a, b) == 0;
}
