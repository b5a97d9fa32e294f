/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's log (dmesg, a serial console, journalctl -k): lines that bear on latency become facts "dmesg.NAME" with
 * the line, the first of each kind; all are counted.
 *
 *     [  312.456789] sched: RT throttling activated
 *     [  313.000001] hrtimer: interrupt took 2400000 ns
 */
#include <stdio.h>
#include <string.h>

#include "importers/environment/environment.h"

extern const struct importer importer_dmesg;

struct message {
    const char *text, *fact;
};
static const struct message messages[] = {
    {"RT throttling activated", "dmesg.rt_throttling"},
    {"hrtimer: interrupt took", "dmesg.hrtimer_interrupt"},
    {"rcu_preempt self-detected stall", "dmesg.rcu_stall"},
    {"self-detected stall on CPU", "dmesg.rcu_stall"},
    {"detected stalls on CPUs/tasks", "dmesg.rcu_stall"},
    {"detected expedited stalls", "dmesg.rcu_stall"},
    {"INFO: NMI handler", "dmesg.nmi_handler"},
    {"NMI watchdog:", "dmesg.nmi_watchdog"},
    {"BUG: soft lockup", "dmesg.soft_lockup"},
    {"watchdog: BUG: soft lockup", "dmesg.soft_lockup"},
    {"Watchdog detected hard LOCKUP", "dmesg.hard_lockup"},
    {"blocked for more than", "dmesg.hung_task"},
    {"BUG: scheduling while atomic", "dmesg.scheduling_while_atomic"},
    {"BUG: sleeping function called from invalid context", "dmesg.sleeping_in_atomic"},
    {"BUG: workqueue lockup", "dmesg.workqueue_lockup"},
    {"mce: [Hardware Error]", "dmesg.mce"},
    {"Machine check events logged", "dmesg.mce"},
    {"[Hardware Error]", "dmesg.hardware_error"},
    {"Core temperature above threshold", "dmesg.thermal_throttling"},
    {"Core temperature is above threshold", "dmesg.thermal_throttling"},
    {"Package temperature above threshold", "dmesg.thermal_throttling"},
    {"cpu clock throttled", "dmesg.thermal_throttling"},
    {"perf: interrupt took too long", "dmesg.perf_interrupt"},
    {"PM: suspend entry", "dmesg.suspend"},
    {"PM: suspend exit", "dmesg.suspend"},
    {"Suspending console", "dmesg.suspend"},
    {"as unstable because the skew", "dmesg.clocksource_unstable"},
    {"Clocksource tsc unstable", "dmesg.clocksource_unstable"},
    {"clocksource: timekeeping watchdog", "dmesg.clocksource_unstable"},
    {"TSC found unstable", "dmesg.clocksource_unstable"},
    {"Marking TSC unstable", "dmesg.clocksource_unstable"},
    {"Fast TSC calibration failed", "dmesg.tsc_calibration"},
    {"Hypervisor detected:", "dmesg.hypervisor"},
    {"Booting paravirtualized kernel on", "dmesg.hypervisor"},
    {"trace_printk() being used", "dmesg.trace_printk"},
    {"High Resolution Timers", "dmesg.hrtimers"},
    {"Could not initialize Xenomai", "dmesg.xenomai"},
    {"[Xenomai]", "dmesg.xenomai"},
    {"Xenomai: ", "dmesg.xenomai"},
    {"EVL: ", "dmesg.evl"},
    {"I-pipe: ", "dmesg.ipipe"},
    {"SMI workaround", "dmesg.smi_workaround"},
    {"SMI-enabled chipset", "dmesg.smi"},
    {"irq ", "dmesg.irq_nobody"}, /* "irq 16: nobody cared" */
    {"Disabling IRQ #", "dmesg.irq_disabled"},
};

static const struct message *find_message(const struct line *line)
{
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (line_has(line, messages[i].text) && (strcmp(messages[i].fact, "dmesg.irq_nobody") != 0 || line_has(line, ": nobody cared")))
            return &messages[i];
    return NULL;
}

/* "switched to", settings: facts of their own. */
static bool take_setting(struct import *import, const struct line *line)
{
    const char *p, *end = line->text + line->length;
    if ((p = line_find(line, "Switched to clocksource ")) || (p = line_find(line, "Switching to clocksource "))) {
        p = line_find(line, "clocksource ");
        const char *again = memmem(p + 12, (size_t)(end - p - 12), "clocksource ", 12);
        p = (again ? again : p) + 12;
        import_fact(import, "clocksource", "%.*s", (int)(end - p > 40 ? 40 : end - p), p);
        return true;
    }
    if (line_starts(line, "Command line: ") || line_starts(line, "Kernel command line: ")) {
        cmdline_facts(import, line->text, line->length);
        return true;
    }
    if ((p = line_find(line, "Linux version ")) && p == line->text) {
        kernel_version_facts(import, p + 14, (size_t)(end - p - 14));
        return true;
    }
    if (line_starts(line, "DMI: ")) {
        p = line->text + 5;
        import_fact(import, "machine.model", "%.*s", (int)(end - p > 160 ? 160 : end - p), p);
        return true;
    }
    if ((p = line_find(line, "Dynamic Preempt: "))) {
        p += 17;
        import_fact(import, "kernel.preempt", "%.*s", (int)(end - p > 20 ? 20 : end - p), p);
        return true;
    }
    return false;
}

/* Without time stamps: only what cannot be anything else. */
static const char *const sure_words[] = {"RT throttling activated", "hrtimer: interrupt took", "INFO: NMI handler", "BUG: soft lockup",
                                         "self-detected stall on CPU", "detected hard LOCKUP on cpu ", "detected stalls on CPUs/tasks", NULL};

static bool has_sure_words(const struct line *line)
{
    for (size_t i = 0; sure_words[i]; i++)
        if (line_has(line, sure_words[i]))
            return true;
    return false;
}

static struct probe_result dmesg_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    lines_peek(lines, 0, &line);
    if (!line.prefix) {
        bool sure = line.length > 20 && line.length < 400 && has_sure_words(&line);
        return (struct probe_result){sure ? PLAUSIBLE : NOT_MINE, NULL};
    }
    /* Any line with a kernel's prefix is ours if nobody else wants it (ftrace dumps on the console). */
    return (struct probe_result){line.length < 1000 && find_message(&line) ? PLAUSIBLE : UNLIKELY / 2, NULL};
}

struct dmesg_state {
    bool seen[sizeof messages / sizeof *messages];
    unsigned hz; /* of the jiffies in reports of stalls; 0: not known */
};

static enum status dmesg_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    (void)error;
    lines_peek(lines, 0, &line);
    const struct message *message = line.length < 1000 ? find_message(&line) : NULL;
    struct dmesg_state *state = import_state(import, &importer_dmesg, sizeof *state);
    if (message)
        dmesg_stuck(import, lines, &line, &state->hz);
    lines_skip(lines, 1);
    if (take_setting(import, &line) || !message)
        return OK;
    if (!state->seen[message - messages])
        import_fact(import, message->fact, "%.*s%.*s", (int)(line.prefix_length > 60 ? 60 : line.prefix_length), line.prefix ? line.prefix : "",
                    (int)(line.length > 300 ? 300 : line.length), line.text);
    state->seen[message - messages] = true;
    return OK;
}

const struct importer importer_dmesg = {
    .name = "kernel-log",
    .summary = "kernel log: throttling, stalls, clocksource, NMI, MCE, suspend",
    .reads = "dmesg, journalctl -k and serial consoles with time stamps",
    .probe_lines = dmesg_probe,
    .read_lines = dmesg_read,
    .marks = sure_words,
};
