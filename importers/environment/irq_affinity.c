/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A listing of /proc/irq, one interrupt a line, as snapshot scripts write it:
 *
 *     24 smp_affinity_list=0-1 effective=1 spurious=count 0 unhandled 0 last_unhandled 0 ms  names=virtio0-config
 *
 * States irq.N.affinity, irq.N.effective_affinity and irq.N.name.
 */
#include "importers/environment/environment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool row(const struct line *line, uint64_t *irq, const char **list, size_t *length)
{
    const char *p = line->text, *end = line->text + line->length;
    scan_blanks(&p, end);
    if (!scan_u64(&p, end, irq) || !scan_blanks(&p, end) || !scan_literal(&p, end, "smp_affinity_list="))
        return false;
    *list = p;
    while (p < end && *p != ' ' && *p != '\t')
        p++;
    *length = (size_t)(p - *list);
    return *length > 0 && *length < 256;
}

static struct probe_result affinity_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    uint64_t irq;
    const char *list;
    size_t length;
    (void)member;
    return (struct probe_result){lines_peek(lines, 0, &line) && row(&line, &irq, &list, &length) ? CERTAIN : NOT_MINE, NULL};
}

/* The word behind a key, if it is there. */
static void word_fact(struct import *import, const struct line *line, uint64_t irq, const char *key, const char *fact)
{
    const char *p = line_find(line, key), *end = line->text + line->length;
    if (!p)
        return;
    p += strlen(key);
    size_t length = 0;
    while (p + length < end && p[length] != ' ' && p[length] != '\t' && length < 128)
        length++;
    char name[64];
    snprintf(name, sizeof name, "irq.%" PRIu64 ".%s", irq, fact);
    if (length)
        import_fact(import, name, "%.*s", (int)length, p);
}

static enum status affinity_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    uint64_t irq;
    const char *list;
    size_t length;
    (void)error;
    for (; lines_peek(lines, 0, &line) && row(&line, &irq, &list, &length); lines_skip(lines, 1)) {
        word_fact(import, &line, irq, "smp_affinity_list=", "affinity");
        word_fact(import, &line, irq, "effective=", "effective_affinity");
        word_fact(import, &line, irq, "names=", "name");
    }
    return OK;
}

static const char *const irq_affinity_marks[] = {"smp_affinity_list=", NULL};

const struct importer importer_irq_affinity = {
    .name = "irq-affinity",
    .summary = "listing of interrupts and the CPUs they may use",
    .reads = "lines of /proc/irq snapshots: N smp_affinity_list=... effective=... names=...",
    .probe_lines = affinity_probe,
    .read_lines = affinity_read,
    .marks = irq_affinity_marks,
};
