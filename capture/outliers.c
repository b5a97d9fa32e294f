/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/outliers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "capture/environment.h"
#include "capture/files.h"

#define WARM_UP_NS  INT64_C(1000000000) /* no adaptive outlier before */
#define SECOND_NS   INT64_C(1000000000)
#define SETTLE_NS   INT64_C(20000000)   /* after a save, until its own disturbance is over */
#define IPIPE_FROZEN "/proc/ipipe/trace/frozen"

void outliers_begin(struct outliers *outliers, const struct capture_options *options, struct output *output,
                    struct trace *trace, int64_t begin_ns)
{
    *outliers = (struct outliers){
        .options = options, .output = output, .trace = trace, .begin_ns = begin_ns, .floor_ns = INT64_MAX,
        .second_begin_ns = begin_ns,
        .kept = memory_new((options->max_outliers + 1) * sizeof *outliers->kept),
    };
    if (options->trigger == TRIGGER_WORST)
        outliers->second = memory_new((options->max_outliers + 1) * sizeof *outliers->second);
}

void outliers_release(struct outliers *outliers)
{
    free(outliers->kept);
    free(outliers->second);
    *outliers = (struct outliers){0};
}

static size_t mildest(const struct outliers *outliers)
{
    size_t least = 0;
    for (size_t i = 1; i < outliers->n_kept; i++)
        if (outliers->kept[i].latency_ns < outliers->kept[least].latency_ns)
            least = i;
    return least;
}

static int64_t worst_kept_ns(const struct outliers *outliers)
{
    int64_t worst_ns = INT64_MIN;
    for (size_t i = 0; i < outliers->n_kept; i++)
        worst_ns = outliers->kept[i].latency_ns > worst_ns ? outliers->kept[i].latency_ns : worst_ns;
    return worst_ns;
}

/* ---- which ---- */

/* The N largest latencies of each second; the smallest N-th of them is the floor. */
static void follow_floor(struct outliers *outliers, int64_t latency_ns, int64_t wake_ns)
{
    const size_t n_wanted = outliers->options->max_outliers;
    if (outliers->n_kept >= n_wanted)
        return;
    if (wake_ns - outliers->second_begin_ns >= SECOND_NS) {
        if (outliers->n_second && outliers->second[0] < outliers->floor_ns)
            outliers->floor_ns = outliers->second[0];
        outliers->n_second = 0;
        outliers->second_begin_ns += (wake_ns - outliers->second_begin_ns) / SECOND_NS * SECOND_NS;
    }
    if (outliers->n_second == n_wanted && latency_ns <= outliers->second[0])
        return;
    size_t at;
    if (outliers->n_second < n_wanted) { /* from above, make room */
        for (at = outliers->n_second++; at > 0 && outliers->second[at - 1] > latency_ns; at--)
            outliers->second[at] = outliers->second[at - 1];
    } else { /* from below, the smallest goes */
        for (at = 0; at + 1 < n_wanted && outliers->second[at + 1] < latency_ns; at++)
            outliers->second[at] = outliers->second[at + 1];
    }
    outliers->second[at] = latency_ns;
}

static bool is_outlier(struct outliers *outliers, int64_t latency_ns, int64_t wake_ns)
{
    const struct capture_options *options = outliers->options;
    switch (options->trigger) {
    case TRIGGER_THRESHOLD: return latency_ns > options->threshold_ns;
    case TRIGGER_MAXIMUM: return wake_ns - outliers->begin_ns > WARM_UP_NS && latency_ns > outliers->max_ns;
    case TRIGGER_WORST: break;
    }
    if (!options->max_outliers)
        return false;
    follow_floor(outliers, latency_ns, wake_ns);
    if (wake_ns - outliers->begin_ns <= WARM_UP_NS)
        return false;
    return latency_ns > (outliers->n_kept < options->max_outliers ? outliers->floor_ns
                                                                  : outliers->kept[mildest(outliers)].latency_ns);
}

void outliers_look(struct outliers *outliers, const struct measure_thread *thread, const struct bundle_sample *sample)
{
    const int64_t latency_ns = sample->wake_ns - sample->due_ns;
    const bool is_own_doing = sample->wake_ns >= outliers->save_begin_ns && sample->due_ns < outliers->save_end_ns;
    if (is_outlier(outliers, latency_ns, sample->wake_ns) &&
        (!outliers->worst_thread || latency_ns > outliers->worst.wake_ns - outliers->worst.due_ns)) {
        outliers->worst_thread = thread;
        outliers->worst = *sample;
        outliers->worst_is_own_doing = is_own_doing;
    }
    /* What a save delayed must not hide a later maximum of the system. */
    if (latency_ns > outliers->max_ns && !is_own_doing)
        outliers->max_ns = latency_ns;
}

/* ---- what is saved ---- */

/* Room for one more window: the mildest of the kept ones goes. False: this one is the mildest. */
static bool make_room(struct outliers *outliers, int64_t latency_ns)
{
    if (outliers->n_kept < outliers->options->max_outliers)
        return true;
    if (!outliers->n_kept)
        return false;
    size_t least = mildest(outliers);
    const struct kept_outlier gone = outliers->kept[least];
    if (gone.latency_ns >= latency_ns)
        return false;
    char name[64];
    if (gone.has_trace) {
        snprintf(name, sizeof name, "trace-%u.dat", gone.number);
        unlinkat(outliers->output->directory_fd, name, 0);
        output_log(outliers->output, "%s was removed: %zu larger outliers are kept", name, outliers->options->max_outliers);
    }
    if (gone.has_ipipe) {
        snprintf(name, sizeof name, "ipipe-%u.txt", gone.number);
        unlinkat(outliers->output->directory_fd, name, 0);
    }
    outliers->kept[least] = outliers->kept[--outliers->n_kept];
    return true;
}

static bool save_ipipe(struct outliers *outliers, unsigned number)
{
    struct text dump = {0};
    bool saved = false;
    if (file_read(&dump, IPIPE_FROZEN, 0) && dump.length) {
        char name[64];
        snprintf(name, sizeof name, "ipipe-%u.txt", number);
        int fd = openat(outliers->output->directory_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd >= 0) {
            saved = descriptor_write(fd, dump.bytes, dump.length, name, &outliers->output->failed) == OK;
            close(fd);
        }
        file_write(IPIPE_FROZEN, "0", NULL); /* armed again */
    }
    text_release(&dump);
    return saved;
}

static bool save_trace(struct outliers *outliers, unsigned number)
{
    /* Switched only for what is saved: an instance that is off for a while and on again has a hole that nobody marks. */
    struct trace_instance *stopped = trace_switch(outliers->trace);
    struct error error = {0};
    char name[64];
    snprintf(name, sizeof name, "trace-%u.dat", number);
    if (trace_save(outliers->trace, stopped, name, &error) == OK)
        return true;
    output_log(outliers->output, "outlier %u: %s", number, error.text);
    return false;
}

static void write_row(struct outliers *outliers, const struct kept_outlier *kept, const char *why, bool is_saved)
{
    const struct bundle_sample *sample = &outliers->worst;
    char number[8][24], trace_name[64], ipipe_name[64];
    snprintf(trace_name, sizeof trace_name, "trace-%u.dat", kept->number);
    snprintf(ipipe_name, sizeof ipipe_name, "ipipe-%u.txt", kept->number);
    snprintf(number[0], sizeof number[0], "%u", kept->number);
    snprintf(number[1], sizeof number[1], "%u", outliers->worst_thread->index);
    snprintf(number[2], sizeof number[2], "%" PRIu64, sample->sequence);
    snprintf(number[3], sizeof number[3], "%" PRId64, sample->due_ns);
    snprintf(number[4], sizeof number[4], "%" PRId64, sample->wake_ns);
    snprintf(number[5], sizeof number[5], "%" PRId64, kept->latency_ns);
    snprintf(number[6], sizeof number[6], "%" PRId64, outliers->save_begin_ns);
    snprintf(number[7], sizeof number[7], "%" PRId64, outliers->save_end_ns);
    output_row(outliers->output, outliers->output->outliers_fd,
               (const char *const[]){number[0], number[1], number[2], number[3], number[4], number[5],
                                     kept->has_trace ? trace_name : NULL, kept->has_ipipe ? ipipe_name : NULL, why,
                                     is_saved ? number[6] : NULL, is_saved ? number[7] : NULL},
               11);
}

void outliers_save(struct outliers *outliers)
{
    static const char *const reasons[] = {[TRIGGER_THRESHOLD] = "threshold", [TRIGGER_MAXIMUM] = "new maximum",
                                          [TRIGGER_WORST] = "among the worst"};
    static const char own_doing[] = "while a trace was saved";
    const struct measure_thread *thread = outliers->worst_thread;
    const struct bundle_sample *sample = &outliers->worst;
    if (!thread)
        return;
    struct kept_outlier kept = {.number = ++outliers->n, .latency_ns = sample->wake_ns - sample->due_ns};
    /*
     * What a save may have delayed gets a row but no trace, or one save would follow the other for ever. One worse than
     * all that are kept is saved nonetheless: the maximum must not stay without evidence, and that cannot go on for long.
     */
    if (outliers->worst_is_own_doing && kept.latency_ns <= worst_kept_ns(outliers)) {
        write_row(outliers, &kept, own_doing, false);
        outliers->worst_thread = NULL;
        return;
    }
    const int64_t begin_ns = monotonic_ns();
    const bool has_ipipe = access(IPIPE_FROZEN, W_OK) == 0;
    if (has_ipipe)
        file_write(IPIPE_FROZEN, "1", NULL);
    char mark[256];
    snprintf(mark, sizeof mark,
             "whylate: outlier %u thread %d cpu %d latency %" PRId64 " ns due %" PRId64 " wake %" PRId64 " monotonic %" PRId64
             "\n", kept.number, thread->tid, thread->cpu, kept.latency_ns, sample->due_ns, sample->wake_ns, begin_ns);
    trace_mark(outliers->trace, mark);
    output_clocks(outliers->output);
    const bool is_saved = make_room(outliers, kept.latency_ns);
    if (is_saved) {
        outliers->save_begin_ns = begin_ns;
        kept.has_trace = trace_is_on(outliers->trace) && save_trace(outliers, kept.number);
        kept.has_ipipe = has_ipipe && save_ipipe(outliers, kept.number);
        if (access("/proc/xenomai", R_OK) == 0) {
            char path[64];
            snprintf(path, sizeof path, "xenomai-%u", kept.number);
            environment_copy(path, "/proc/xenomai", 4, NULL);
        }
        outliers->kept[outliers->n_kept++] = kept;
        outliers->save_end_ns = monotonic_ns() + SETTLE_NS;
    } else if (has_ipipe) {
        file_write(IPIPE_FROZEN, "0", NULL);
    }
    write_row(outliers, &kept, outliers->worst_is_own_doing ? own_doing : reasons[outliers->options->trigger], is_saved);
    outliers->worst_thread = NULL;
}
