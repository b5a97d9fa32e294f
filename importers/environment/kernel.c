/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which kernel: `uname -a`, /proc/version, and kernel command lines, wherever they stand in a text.
 *
 *     Linux target 6.1.0-57-rt-amd64 #1 SMP PREEMPT_RT Debian 6.1.192-3 (2026-11-26) x86_64 GNU/Linux
 *     Linux version 6.1.0-57-rt-amd64 (builder@host) (gcc-12 ...) #1 SMP PREEMPT_RT Debian 6.1.192-3 (2026-11-26)
 *     BOOT_IMAGE=/boot/vmlinuz-6.1.0 root=/dev/sda1 ro isolcpus=1-3 quiet
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "importers/environment/environment.h"

/* ---- command lines ---- */

static const char *const parameters[] = {
    "BOOT_IMAGE", "root", "console", "isolcpus", "nohz_full", "nohz", "rcu_nocbs", "rcu_nocb_poll", "irqaffinity", "idle",
    "processor.max_cstate", "intel_idle.max_cstate", "intel_pstate", "amd_pstate", "mitigations", "nosmt", "threadirqs",
    "preempt", "tsc", "clocksource", "nmi_watchdog", "nowatchdog", "nosoftlockup", "skew_tick", "kthread_cpus", "cpuidle.off",
    "cpufreq.off", "quiet", "ro", "rw", "initrd", "rootwait", "earlyprintk", "panic", "nokaslr", "audit", "selinux", "splash",
    "hpet", "acpi", "noapic", "nolapic", "highres", "lapic", "xenomai.smi", "xenomai.allowed_group", "xenomai.supported_cpus",
    "xeno_hal.smi", "xeno_nucleus.xenomai_gid", "evl.oobcpus", "dwc_otg.lpm_enable", "root_delay", "rootfstype", "loglevel", "debug",
    "kgdboc", "ftrace_dump_on_oops", "trace_event", "trace_buf_size", "sched_rt_runtime", "cgroup_disable", "transparent_hugepage",
    "numa_balancing", "workqueue.power_efficient", "elevator", "i915.enable_rc6", "i915.enable_dc", "pcie_aspm", "pci",
};

static bool is_parameter(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (strlen(parameters[i]) == length && memcmp(parameters[i], word, length) == 0)
            return true;
    return false;
}

static bool next_word(const char **p, const char *end, const char **word, size_t *length)
{
    scan_blanks(p, end);
    *word = *p;
    bool quoted = false;
    while (*p < end && (quoted || (**p != ' ' && **p != '\t'))) {
        quoted ^= **p == '"';
        ++*p;
    }
    *length = (size_t)(*p - *word);
    return *length > 0;
}

bool cmdline_looks_like(const struct line *line)
{
    const char *p = line->text, *end = p + line->length, *word;
    size_t length, n_words = 0, n_known = 0, n_values = 0, n_strange = 0;
    scan_literal(&p, end, "Kernel command line: ");
    scan_literal(&p, end, "Command line: ");
    if (p > line->text)
        return true;
    if (scan_literal(&p, end, "BOOT_IMAGE="))
        return true;
    while (next_word(&p, end, &word, &length) && n_words < 200) {
        const char *equals = memchr(word, '=', length);
        size_t key = equals ? (size_t)(equals - word) : length;
        n_words++;
        n_known += is_parameter(word, key);
        n_values += equals && is_parameter(word, key);
        n_strange += !equals && !is_parameter(word, key);
        if (n_strange > 3)
            return false;
    }
    return n_strange ? n_values >= 3 && n_known * 2 >= n_words : n_known >= 2 && n_values >= 1;
}

void cmdline_facts(struct import *import, const char *text, size_t size)
{
    const char *p = text, *end = text + size, *word;
    size_t length;
    if (scan_literal(&p, end, "Kernel command line: ") || scan_literal(&p, end, "Command line: "))
        text = p;
    if (end - text > 3000)
        end = text + 3000;
    import_fact(import, "cmdline", "%.*s", (int)(end - text), text);
    while (next_word(&p, end, &word, &length)) {
        const char *equals = memchr(word, '=', length);
        size_t key_length = equals ? (size_t)(equals - word) : length;
        char key[80];
        if (!is_parameter(word, key_length) || (key_length == 4 && memcmp(word, "root", 4) == 0) || key_length > 60)
            continue;
        snprintf(key, sizeof key, "cmdline.%.*s", (int)key_length, word);
        if (equals)
            import_fact(import, key, "%.*s", (int)(length - key_length - 1), equals + 1);
        else
            import_fact(import, key, "1");
    }
}

static struct probe_result cmdline_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    lines_peek(lines, 0, &line);
    if (!line.length || !memchr(line.text, '=', line.length > 4096 ? 4096 : line.length))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){cmdline_looks_like(&line) ? LIKELY : NOT_MINE, NULL};
}

static enum status cmdline_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    (void)error;
    lines_peek(lines, 0, &line);
    cmdline_facts(import, line.text, line.length);
    lines_skip(lines, 1);
    return OK;
}

static const char *const cmdline_marks[] = {"=", NULL};

const struct importer importer_cmdline = {
    .name = "kernel-cmdline",
    .summary = "kernel command line (/proc/cmdline, or a line of the boot log)",
    .reads = "lines of kernel parameters, with isolcpus, nohz_full, rcu_nocbs, idle, console ... as facts",
    .probe_lines = cmdline_probe,
    .read_lines = cmdline_read,
    .marks = cmdline_marks,
};

/* ---- uname and /proc/version ---- */

void preempt_fact(struct import *import, const char *version, size_t length)
{
    static const char *const models[][2] = {
        {"PREEMPT_RT", "preempt_rt"}, {"PREEMPT RT", "preempt_rt"}, {"PREEMPT_DYNAMIC", "dynamic"},
        {"PREEMPT_LAZY", "lazy"}, {"PREEMPT", "preempt"},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (memmem(version, length, models[i][0], strlen(models[i][0]))) {
            /* PREEMPT_DYNAMIC says which modes there are, not which one runs. */
            if (strcmp(models[i][1], "dynamic") != 0)
                import_fact(import, "kernel.preempt", "%s", models[i][1]);
            else
                import_fact(import, "kernel.preempt_dynamic", "1");
            return;
        }
}

/* "6.1.0-57-rt-amd64": digits, a dot, digits. */
static bool is_release(const char *p, const char *end)
{
    const char *begin = p;
    while (p < end && isdigit((unsigned char)*p))
        p++;
    if (p == begin || p == end || *p != '.' || p + 1 >= end)
        return false;
    return isdigit((unsigned char)p[1]);
}

static void release_fact(struct import *import, const char *word, size_t length)
{
    import_fact(import, "kernel.release", "%.*s", (int)(length > 200 ? 200 : length), word);
}

void kernel_version_facts(struct import *import, const char *text, size_t size)
{
    const char *p = text, *end = text + size, *word;
    size_t length;
    if (!next_word(&p, end, &word, &length) || !is_release(word, word + length))
        return;
    release_fact(import, word, length);
    const char *hash = memmem(p, (size_t)(end - p), " #", 2);
    if (!hash)
        return;
    hash++;
    size_t n = (size_t)(end - hash);
    import_fact(import, "kernel.version", "%.*s", (int)(n > 300 ? 300 : n), hash);
    preempt_fact(import, hash, n);
}

/* Where "Linux HOST RELEASE #..." or "Linux version RELEASE" begins in the line; kind 1 uname, 2 version. */
static const char *find_uname(const struct line *line, int *kind)
{
    const char *end = line->text + line->length;
    for (const char *p = line->text; (p = memmem(p, (size_t)(end - p), "Linux ", 6)); p += 6) {
        if (p > line->text && p[-1] != ' ' && p[-1] != '"' && p[-1] != '\'' && p[-1] != ':' && p[-1] != '\t')
            continue;
        const char *q = p + 6, *host, *release;
        size_t host_length, length;
        if (!next_word(&q, end, &host, &host_length) || !next_word(&q, end, &release, &length))
            return NULL;
        if (host_length == 7 && memcmp(host, "version", 7) == 0 && is_release(release, release + length)) {
            *kind = 2;
            return p;
        }
        const char *rest = q;
        scan_blanks(&rest, end);
        if (is_release(release, release + length) && rest < end && *rest == '#') {
            *kind = 1;
            return p;
        }
    }
    return NULL;
}

static struct probe_result uname_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    int kind;
    (void)member;
    lines_peek(lines, 0, &line);
    if (line.length < 20 || line.length > 4096 || !find_uname(&line, &kind))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){LIKELY - 5, NULL};
}

static bool is_machine_word(const char *word, size_t length)
{
    static const char *const words[] = {"x86_64", "i686", "i586", "i386", "aarch64", "armv7l", "armv6l", "armv5tel", "armv5tejl",
                                        "ppc", "ppc64", "ppc64le", "mips", "mips64", "riscv64", "riscv32", "armv8l", "loongarch64"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    return false;
}

static enum status uname_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    int kind = 0;
    (void)error;
    lines_peek(lines, 0, &line);
    const char *p = find_uname(&line, &kind), *end = line.text + line.length, *word;
    size_t length;
    p += 6;
    next_word(&p, end, &word, &length); /* host, or "version" */
    if (kind == 2) {
        scan_blanks(&p, end);
        kernel_version_facts(import, p, (size_t)(end - p));
        lines_skip(lines, 1);
        return OK;
    }
    import_fact(import, "host.name", "%.*s", (int)length, word);
    next_word(&p, end, &word, &length);
    release_fact(import, word, length);
    scan_blanks(&p, end);
    /* The version reaches up to the machine's word. */
    const char *version = p, *version_end = end;
    while (next_word(&p, end, &word, &length))
        if (is_machine_word(word, length)) {
            version_end = word;
            import_fact(import, "kernel.machine", "%.*s", (int)length, word);
            break;
        }
    size_t n = (size_t)(version_end - version);
    import_fact(import, "kernel.version", "%.*s", (int)(n > 300 ? 300 : n), version);
    preempt_fact(import, version, n);
    lines_skip(lines, 1);
    return OK;
}

/* ---- uname -r ---- */

/* "6.1.31-rt11-sun50iw9" and nothing else. */
static bool is_release_alone(const struct line *line, const char **release, size_t *length)
{
    const char *p = line->text, *end = line->text + line->length, *other;
    size_t n;
    return line->length < 100 && next_word(&p, end, release, length) && *length > 4 && is_release(*release, *release + *length) &&
           memchr(*release + 2, '.', *length - 2) && !next_word(&p, end, &other, &n);
}

/* A prompt with "uname -r". */
static bool asks_release(const struct line *line)
{
    const char *end = line->text + line->length;
    while (end > line->text && end[-1] == ' ')
        end--;
    if (end - line->text < 8 || end - line->text > 200 || memcmp(end - 8, "uname -r", 8) != 0)
        return false;
    return end - line->text == 8 || strchr(" #$>`", end[-9]) != NULL;
}

/* The release below its command, or as the heading of a result of cyclictest. Returns its line; 0: none. */
static size_t find_release(struct lines *lines, const char **release, size_t *length)
{
    struct line line;
    if (!lines_peek(lines, 0, &line))
        return 0;
    if (asks_release(&line))
        return lines_peek(lines, 1, &line) && is_release_alone(&line, release, length) ? 2 : 0;
    if (!is_release_alone(&line, release, length))
        return 0;
    size_t k = 1;
    while (k < 3 && lines_peek(lines, k, &line) && line_is_blank(&line))
        k++;
    return lines_peek(lines, k, &line) && (line_starts(&line, "T:") || line_starts(&line, "policy:")) ? 1 : 0;
}

static struct probe_result uname_r_probe(struct lines *lines, const struct member *member)
{
    const char *release;
    size_t length;
    (void)member;
    return (struct probe_result){find_release(lines, &release, &length) ? LIKELY - 5 : NOT_MINE, NULL};
}

static enum status uname_r_read(struct import *import, struct lines *lines, struct error *error)
{
    const char *release;
    size_t length;
    (void)error;
    size_t n = find_release(lines, &release, &length);
    release_fact(import, release, length);
    lines_skip(lines, n);
    return OK;
}

static const char *const uname_r_marks[] = {"uname -r", "^0", NULL};

const struct importer importer_uname_r = {
    .name = "uname-r",
    .summary = "kernel release below its command (uname -r), or as the heading of a result",
    .reads = "uname -r and its answer; a release alone above lines of cyclictest",
    .probe_lines = uname_r_probe,
    .read_lines = uname_r_read,
    .marks = uname_r_marks,
};

static const char *const uname_marks[] = {"Linux ", NULL};

const struct importer importer_uname = {
    .name = "uname",
    .summary = "kernel release and version (uname -a, /proc/version) anywhere in a text",
    .reads = "uname -a and /proc/version lines",
    .probe_lines = uname_probe,
    .read_lines = uname_read,
    .marks = uname_marks,
};
